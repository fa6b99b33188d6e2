#ifndef REGATTA_CONFIGS_PLAN_H
#define REGATTA_CONFIGS_PLAN_H

#include "configs/configuration.h"

// What a portfolio run does: lanes run in parallel, each a list of steps. libconfig:
//
//   name = "default";  description = "…";  include = "configurations.cfg";
//   variants = (
//     { cores = 1; lanes = ( { steps = ( { configuration = "expl-bfs"; budget = "20%"; }, … ); } );
//     }, { cores = 2; lanes = ( …, … ); },
//   );
//
// The variant with the largest `cores` not above the cores given is used. A step may say
//
//   budget     a share ("20%") of what is left of the run's time when the step begins, or a time
//              ("5s"), or engine steps ("20000 steps"); absent: all that is left
//   cpu        "5s" of CPU time at most, whatever the budget
//   cores      how many cores the attempt takes, for configurations whose solver is a process of its
//              own; more than the run has are cut to those. Absent: 1
//   extend     a share ("50%") of the step's own time, added once, when the attempt is expected to
//              finish within it; absent: nothing
//   memory     "500MB", or a share ("25%") of the run's memory limit; absent: that, shared out evenly
//   isolation  "thread" or "process"; absent: as the run says
//   label      a name for goto, unique in its lane
//   when       a guard over the facts below, e.g. "arrays == 0 && havocs > 5"; a step whose guard is
//              false is passed over
//   on         what to do when it ends without a verdict, by outcome:
//              on = { stalled = "next"; timeout = "goto again"; solver_error = "retry domain=EXPL"; }
//                next            the next step of the lane (what is done when nothing is said)
//                end             the lane ends
//                goto LABEL      that step of the lane; a step begins at most PLAN_MOST_STARTS times
//                retry CHANGES   the same step once more with other settings, then the next step
//                give            lanes that wait for a core come first, then the next step
//                mitigate        when nothing else is left to run, the same step once more, past the
//                                counterexamples that come back; else the next step
//              next, goto, retry and give may end in "keeping precision" (mitigate always does): the
//              step that follows begins with what the ended attempt came to track
//
// `cooperate = true;` beside the variants: attempts that run side by side give one another what they
// track.
//
// A lane ends after its last step. Checked when loaded: steps that cannot be reached, unknown names,
// budgets that cannot fit.

enum budget_kind { BUDGET_REST, BUDGET_SHARE, BUDGET_SECONDS, BUDGET_STEPS };

// Where an attempt runs. A process may crash, hang or eat memory, and the race goes on; its memory
// limit is enforced by the system.
enum isolation { ISOLATION_AUTO, ISOLATION_THREAD, ISOLATION_PROCESS };

// How a step can end without a verdict: the names of the reasons in results/verdict.h.
#define PLAN_OUTCOMES(X)                                                                           \
    X(ON_STALLED, "stalled")                                                                       \
    X(ON_TIMEOUT, "timeout")                                                                       \
    X(ON_CPUTIME, "cputime")                                                                       \
    X(ON_STEPS, "steps")                                                                           \
    X(ON_MEMORY, "memory")                                                                         \
    X(ON_SOLVER, "solver_error")                                                                   \
    X(ON_UNSUPPORTED, "unsupported")                                                               \
    X(ON_UNKNOWN, "unknown")                                                                       \
    X(ON_CRASHED, "crashed")                                                                       \
    X(ON_INTERNAL, "internal")

enum plan_outcome {
#define X(constant, name) constant,
    PLAN_OUTCOMES(X)
#undef X
        ON_COUNT
};

enum plan_reaction_kind {
    REACTION_NEXT,
    REACTION_END,
    REACTION_GOTO,
    REACTION_RETRY,
    REACTION_GIVE,
    REACTION_MITIGATE,
};

struct plan_reaction {
    enum plan_reaction_kind kind;
    size_t target; // GOTO, RETRY, MITIGATE: a step of the lane
    bool keeps_precision;
};

#define PLAN_MOST_STARTS 8

// What a guard may ask about: the facts of a model.
#define PLAN_FACTS(X)                                                                              \
    X(locations)                                                                                   \
    X(edges)                                                                                       \
    X(variables)                                                                                   \
    X(control_variables)                                                                           \
    X(booleans)                                                                                    \
    X(integers)                                                                                    \
    X(rationals)                                                                                   \
    X(bitvectors)                                                                                  \
    X(arrays)                                                                                      \
    X(enumerations)                                                                                \
    X(havocs)                                                                                      \
    X(assumptions)                                                                                 \
    X(statements)                                                                                  \
    X(choices)                                                                                     \
    X(loops)                                                                                       \
    X(cyclomatic)                                                                                  \
    X(nonlinear)                                                                                   \
    X(bits)                                                                                        \
    X(width)                                                                                       \
    X(terms)                                                                                       \
    X(depth)                                                                                       \
    X(literals)                                                                                    \
    X(connectives)                                                                                 \
    X(conditionals)                                                                                \
    X(equations)                                                                                   \
    X(comparisons)                                                                                 \
    X(additions)                                                                                   \
    X(products)                                                                                    \
    X(divisions)                                                                                   \
    X(bitwise)                                                                                     \
    X(shifts)                                                                                      \
    X(slices)                                                                                      \
    X(accesses)                                                                                    \
    X(quantifiers)                                                                                 \
    X(cone)                                                                                        \
    X(cone_depth)                                                                                  \
    X(cone_first)                                                                                  \
    X(feedback)                                                                                    \
    X(threads)                                                                                     \
    X(pointers)                                                                                    \
    X(floats)                                                                                      \
    X(calls)

// … and of what a few milliseconds of running it tell (model/probe.h).
#define PLAN_PROBES(X) X(steady) X(walk_steps) X(walk_states) X(walk_stuck) X(walk_errors)

enum plan_fact {
#define X(name) FACT_##name,
    PLAN_FACTS(X) PLAN_PROBES(X)
#undef X
        FACT_xsts,
    FACT_cfa,
    FACT_sts,
    FACT_chc,      // the input language: 0 or 1
    FACT_language, // plan_fact_word of its name, as 'btor2' is one in a guard
    FACT_view,     // … of what the language gave besides the model; 0 = nothing
    FACT_property, // … of the kind of property asked, where the language has words for kinds; 0 = it has none
    FACT_COUNT
};

struct plan_facts {
    int64_t values[FACT_COUNT];
};

const char *plan_fact_name(enum plan_fact fact);
// The number that stands for a word: `language == 'xsts'` compares two such. Never 0; the same everywhere.
int64_t plan_fact_word(const char *word);
const char *plan_outcome_name(enum plan_outcome outcome);

struct plan_guard; // plan_guard.c
// Truth of a guard; NULL is true.
bool plan_guard_holds(const struct plan_guard *guard, const struct plan_facts *facts);

struct plan_step {
    const struct configuration *configuration; // in plan.configurations, or made for a retry
    enum budget_kind budget;
    double amount;      // share in (0, 1], seconds > 0, or steps >= 1
    double cpu_seconds; // 0 = no limit
    double extend;      // part of its time that may be added once, in [0, 1]
    unsigned cores;     // 0 is 1
    enum isolation isolation;
    uint64_t memory_bytes; // 0 = see memory_share
    double memory_share;   // of the run's limit, in (0, 1]; 0 = that, shared out evenly
    struct plan_reaction on[ON_COUNT];
    struct plan_guard *when; // NULL = always
    char *label;             // NULL = none
    char *when_text;         // as written; NULL = none
    size_t retry_of;         // 0, or 1 + the step that this one repeats with other settings: such
                             // steps are behind all others of the lane
    struct position source;
};

struct plan_lane {
    struct plan_step *steps;
    size_t step_count;
};

struct plan_variant {
    unsigned cores; // at least this many
    unsigned share; // how many attempts a core runs at a time, each a part of its time; 0 is 1
    struct plan_lane *lanes;
    size_t lane_count;
};

struct plan {
    char *name;
    char *description;
    struct configuration_set configurations;
    struct configuration **derived; // made for retries
    size_t derived_count, derived_capacity;
    struct plan_variant *variants; // ascending cores
    size_t variant_count;
    char *path;
    bool cooperate; // attempts give one another what they track
};

// name_or_path: "default" is looked up in the configuration folders, anything with a slash or
// ending in .cfg is a path. NULL with errors.
struct plan *plan_load(const char *name_or_path, struct messages *messages);
// A plan of one lane and one step: a configuration by name, or options "domain=EXPL,maxenum=5".
struct plan *plan_single(const char *configuration, struct messages *messages);
void plan_destroy(struct plan *plan);
#define PLAN_END SIZE_MAX
// The step after `step` when nothing else is said; PLAN_END behind the last one.
size_t plan_step_next(const struct plan_lane *lane, size_t step);
const struct plan_variant *plan_variant_for(const struct plan *plan, unsigned cores);
// How many of its attempts may run at a time on so many cores.
unsigned plan_variant_seats(const struct plan_variant *variant, unsigned cores);
// Of all that decides what is run and when: configurations, budgets, limits, guards, reactions. Not of names.
struct hash128 plan_variant_hash(const struct plan_variant *variant);
void plan_variant_digest(const struct plan_variant *variant, char out[33]); // its 32 digits

// The folders searched for names, in order: $REGATTA_CONFIGS, the one beside the program, the
// installed one, the source tree's (only in an uninstalled build). Writes a path; false if none.
bool configs_locate(const char *file, struct text *path);
// All files of a kind ("plan", "space") found there, paths by name; caller frees strings and array by
// memory_free.
size_t configs_list(const char *kind, char ***paths);

#endif
