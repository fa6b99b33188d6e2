#ifndef REGATTA_ENGINES_DOMAINS_WORKSPACE_H
#define REGATTA_ENGINES_DOMAINS_WORKSPACE_H

#include "engines/engine.h"
#include "model/encode.h"

// What the parts of one attempt share: the model, the term store, the encoder, the solvers (each made
// when it is first needed), and the reason to end. One thread.

// Formulas over finitely many values, for which a SAT solver takes the place of z3.
enum finite_questions { FINITE_NO, FINITE_HARD /* few */, FINITE_EASY /* very many */ };

struct workspace {
    const struct engine_environment *environment;
    const struct model *model;
    const struct configuration *configuration;
    struct term_store *store;
    struct encoder *encoder;
    struct progress *progress;
    struct smt_context *solver;            // use workspace_solver
    struct smt_context *refinement_solver; // use workspace_refinement_solver; may be `solver`
    struct smt_context *refutation_solver; // of the running refutation, when it has its own
    struct smt_context *bits_solver;       // use workspace_bits_solver
    struct smt_context *brief_solver;      // use workspace_brief_solver
    struct smt_context *first_solver;      // of these; it adopted the others
    struct smt_statistics past;            // of refutations' own solvers that are gone
    enum finite_questions finite;          // set before the first use of a solver
    bool
        interpolates; // refinement asks for interpolants, which no SAT solver has: it keeps its solver
    enum end_reason reason; // END_NONE while the attempt may go on; first reason wins
    const char *why;        // static text, or text of the store
    bool afresh;            // each refutation has a solver of its own
    uint64_t steps;         // engine steps so far
    uint64_t limited;       // checks that took more steps than they may
};

void workspace_init(struct workspace *workspace, const struct engine_environment *environment);
void workspace_finish(struct workspace *workspace);

// The solver of the configuration; for abstraction, where refinement has another. NULL when it cannot
// be had; the reason is then set.
struct smt_context *workspace_solver(struct workspace *workspace);
struct smt_context *workspace_refinement_solver(struct workspace *workspace);
// One more like the first, for work that is worth only so much: a check ends undecided after so many solver steps, where
// the solver counts them. It lasts as long as the workspace.
struct smt_context *workspace_limited_solver(struct workspace *workspace, uint64_t check_limit);
// A SAT solver, for formulas all of whose values are finite, whatever the configuration's solver is. NULL as above. It lasts as long as
// the workspace.
struct smt_context *workspace_bits_solver(struct workspace *workspace);
// The same, where a check ends undecided after some thousand conflicts.
struct smt_context *workspace_brief_solver(struct workspace *workspace);
// For one refutation: with option freshsolver, or behind workspace_refute_afresh, a context of its own, until
// workspace_end_refutation. What a solver answers depends on all that its context did before, so only then do equal paths
// have equal refutations.
struct smt_context *workspace_refutation_solver(struct workspace *workspace);
// From the next refutation on. False: it was so before.
bool workspace_refute_afresh(struct workspace *workspace);
void workspace_end_refutation(struct workspace *workspace);
// Takes the reason back: what follows is another part of the work, with limits of its own.
void workspace_forgive(struct workspace *workspace);
void workspace_end(struct workspace *workspace, enum end_reason reason, const char *why);
// Because a solver failed, which says so in these words ("" = without any).
void workspace_end_solver(struct workspace *workspace, const char *words);
// Tells the observer, if there is one, with what the solvers have done so far. Advice to stop ends the attempt; the rest is
// for the caller.
struct advice workspace_tell(struct workspace *workspace, const struct engine_event *event);
// Counts engine steps and looks at the stop flag and the step limit. False: end now. Cheap.
// Each place that calls it is a stop site, named by its function.
bool workspace_step_at(struct workspace *workspace, uint64_t steps, const char *site);
#define workspace_step(workspace, steps) workspace_step_at((workspace), (steps), __func__)
// Translates a solver's "unknown": ends the attempt when it was stopped or out of memory; else true,
// and the caller treats the answer as "may be".
bool workspace_tolerate(struct workspace *workspace, const struct smt *smt);
void workspace_publish_solver_statistics(struct workspace *workspace);
// Of all solvers together.
struct smt_statistics workspace_solver_statistics(const struct workspace *workspace);
// The SAT solver that stands in for Z3, where all values are finite; NULL: none.
const char *workspace_sat_solver(const struct workspace *workspace);
// "solver checks: abstraction 12 by z3, refinement 3 by cvc5" when two solvers work; how many checks
// were too long; else nothing. `out` is empty before.
void workspace_describe_solvers(const struct workspace *workspace, struct text *out);

// Counts a look-up in a cache, and answers whether it was a hit.
static inline bool workspace_looked_up(struct workspace *workspace, enum cache cache, bool hit)
{
    struct progress *p = workspace->progress;
    atomic_fetch_add_explicit(&p->cache_lookups[cache], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&p->cache_hits[cache], hit, memory_order_relaxed);
    return hit;
}

static inline int64_t workspace_option(const struct workspace *workspace, enum option option)
{
    return workspace->configuration->values[option];
}

#endif
