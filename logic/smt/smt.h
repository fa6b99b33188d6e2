#ifndef REGATTA_LOGIC_SMT_SMT_H
#define REGATTA_LOGIC_SMT_SMT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "logic/terms/rewrite.h"
#include "logic/terms/term.h"

// One solver interface for all engines. A solver belongs to the thread that made it, except for
// smt_interrupt. Nothing here crashes or exits on a solver's failure: a failed call is SMT_UNKNOWN
// (or false / NULL) with a reason, and the solver stays usable or answers SMT_UNKNOWN from then on.

enum smt_result { SMT_UNSAT, SMT_SAT, SMT_UNKNOWN };

enum smt_reason {
    SMT_REASON_NONE,
    SMT_REASON_INCOMPLETE,  // the solver gave up
    SMT_REASON_INTERRUPTED, // smt_interrupt, or the stop flag was set
    SMT_REASON_MEMORY,
    SMT_REASON_ERROR, // the solver raised an error: smt_error_text
    SMT_REASON_LIMIT, // the step limit of the call was used up
};

struct smt_statistics {
    uint64_t checks, sat, unsat, unknown;
    uint64_t assertions;
    uint64_t translated_terms, translation_lookups; // terms made; terms wanted
    uint64_t eliminations;
    int64_t check_ns;
};

// Two kinds of SMT_SAT that may be wrong, and so have to be confirmed by whoever reports them:
// rationals (Z3 computes with reals, x * x = 2 has a solution there), and arrays whose elements are
// arrays with fewer than 2^14 keys (Z3 is incomplete there). SMT_UNSAT is right for both.

struct smt; // a solver

// A context shared by the solvers of one attempt (translation cache, one Z3 context).
struct smt_context;

struct smt_options {
    uint64_t seed;
    uint64_t step_limit;     // solver steps per check, 0 = none (exact and deterministic)
    const _Atomic int *stop; // polled: nonzero = answer SMT_UNKNOWN soon; may be NULL
};

// backend: a name of smt_available(), e.g. "z3"; or "cadical" (few hard questions) or
// "circuit" (very many easy ones), SAT solvers for formulas all of whose subterms have finitely many values (an
// assertion of any other makes its solver answer SMT_UNKNOWN); or "smtlib:COMMAND" for any program that reads
// SMT-LIB 2 from its standard input (words of the command are parted by blanks); "cvc5" is such a
// program with fitting options. NULL and `*error` (static text) if it cannot start. Programs belong to their
// context while it lives, then some of them (z3, cvc5) wait for a next one, at most eight; neither they nor what
// they start outlive this program. Their CPU time is counted for the thread that waits for them (base/program.h).
struct smt_context *smt_context_create(const char *backend, struct term_store *store,
                                       const struct smt_options *options, const char **error);
// Ends the programs that wait for a next context. From any thread.
void smt_end_programs(void);
// Can "cadical" and "circuit" take this formula?
bool smt_is_finite(const struct term *formula);
// Destroys the solvers made in it too; NULL is fine. An abandoned context is left alone.
void smt_context_destroy(struct smt_context *context);
// From any thread: a check in this context does not react, so its memory must never be freed. From
// now on smt_context_destroy and smt_destroy do nothing for it; its thread may still come back.
void smt_context_abandon(struct smt_context *context);
// `other`, of the same thread and newly made, belongs to `context` from now on: interrupts,
// abandonment and destruction of `context` reach it too. So one pointer stands for all solvers of an
// attempt.
void smt_context_adopt(struct smt_context *context, struct smt_context *other);
// Takes one that `context` adopted away again. No other thread may be using `context` meanwhile.
void smt_context_disown(struct smt_context *context, struct smt_context *other);
// The next one that `context` adopted, to walk through all: begin with `context`. NULL behind the last.
struct smt_context *smt_context_next(const struct smt_context *context);
// Those inside the program, the first being the standard one; NULL-terminated.
const char *const *smt_backends(void);
// Those that know every sort, and programs on PATH that can be used through a pipe.
const char *const *smt_available(void);
// From any thread while the context lives: when the check that runs now began, of this context or of those that it adopted
// (clock_wall_ns); 0 = none runs.
int64_t smt_context_busy_since(const struct smt_context *context);
const char *smt_context_version(const struct smt_context *context);

// From any thread, any number of times, at any moment: the check that runs in this context should
// end soon. It is a hint (some checks do not react); the stop flag is what counts, so set it first.
// Sent at most once every 100 ms to the back end, however often it is called. The context must be
// alive.
void smt_interrupt(struct smt_context *context);
// True while a check is running: an interrupt makes sense.
bool smt_in_check(const struct smt_context *context);
// When the running check began (clock_wall_ns), 0 when none runs. From any thread.
int64_t smt_check_started_ns(const struct smt_context *context);
// From the owner's thread; of this context alone.
struct smt_statistics smt_statistics(const struct smt_context *context);

void smt_statistics_add(struct smt_statistics *sum, const struct smt_statistics *more);

struct smt *smt_create(struct smt_context *context);
void smt_destroy(struct smt *smt);

// Drops all assertions and levels.
void smt_reset(struct smt *smt);
void smt_push(struct smt *smt);
void smt_pop(struct smt *smt, unsigned levels);
void smt_assert(struct smt *smt, const struct term *formula);
enum smt_result smt_check(struct smt *smt);
// Assumptions are Boolean variables or their negations; for "cadical" and "circuit" any formulas.
enum smt_result smt_check_assuming(struct smt *smt, const struct term *const *assumptions,
                                   size_t count);
enum smt_reason smt_reason(const struct smt *smt); // of the last SMT_UNKNOWN
const char *smt_error_text(const struct smt *smt); // "" or the solver's words, a line of some 400
                                                   // bytes at most; until the next call

// After SMT_SAT, until the next assert, push, pop or check.
// Value of any term under the model, with completion; NULL if it cannot be had as a literal (an
// irrational number, an array that is no finite table). Division by zero is what the model says.
const struct term *smt_model_value(struct smt *smt, const struct term *term);
// After SMT_UNSAT of smt_check_assuming: appends a subset of the assumptions that is unsatisfiable
// with the assertions (not necessarily minimal). False on failure.
bool smt_unsat_core(struct smt *smt, struct term_vector *core);

// Quantifier elimination: a quantifier-free equivalent, or NULL (not possible, limit, failure).
const struct term *smt_eliminate(struct smt_context *context, const struct term *formula);
// An equivalent that the solver considers simpler; the argument itself when it fails.
const struct term *smt_simplify(struct smt_context *context, const struct term *formula);

// Sequence interpolation by Horn clauses (Z3's Spacer): parts[0] … parts[n-1] are unsatisfiable
// together; out receives n-1 interpolants I_1 … I_(n-1), I_i over the variables common to
// parts[0..i-1] and parts[i..n-1]. False when it fails; the caller checks the result.
bool smt_interpolate_spacer(struct smt_context *context, const struct term *const *parts,
                            size_t count, const struct term **out);

// Horn clauses: a clause says that the predicate `body` of its arguments (if there is one), `others` of theirs and the
// constraint imply the predicate `head` of its arguments, for all values of the variables. Can the query
// predicate be derived? Clauses with others are not linear: a derivation is a tree, and is not told.
#define SMT_HORN_NONE UINT32_MAX

struct smt_horn_predicate {
    const struct term *const *parameters; // distinct variables; interpretations are over them
    size_t count;
};

struct smt_horn_premise {
    uint32_t predicate;
    const struct term *const *arguments;
};

struct smt_horn_clause {
    uint32_t body, head; // predicates; body: SMT_HORN_NONE for a fact
    const struct term *const *body_arguments, *const *head_arguments;
    const struct term *constraint;
    const struct smt_horn_premise *others;
    size_t other_count;
};

// What was done so far.
struct smt_horn_progress {
    uint64_t levels, lemmas, predecessors;
};

struct smt_horn {
    const struct smt_horn_predicate *predicates;
    size_t predicate_count;
    const struct smt_horn_clause *clauses;
    size_t clause_count;
    uint32_t query;
    // Called every so often during the search, in the same thread; may call smt_interrupt. NULL = not.
    void (*observe)(void *observer, const struct smt_horn_progress *progress);
    void *observer;
};

struct smt_horn_answer {
    const struct term **interpretation; // SMT_UNSAT: per predicate; NULL when it cannot be had
    uint32_t *derivation;               // SMT_SAT: clauses from a fact to the query, or NULL
    size_t derivation_count;
    // SMT_UNKNOWN, or an interpretation that cannot be had: SMT_REASON_NONE when the back end does not say why.
    enum smt_reason reason;
    struct text error; // with SMT_REASON_ERROR, like smt_error_text
};

// SMT_UNSAT: the query is not derivable. SMT_SAT: it is. Neither the interpretation nor the derivation was
// checked. The answer is to be all zero before, and given to smt_horn_answer_finish afterwards.
enum smt_result smt_horn(struct smt_context *context, const struct smt_horn *problem,
                         struct smt_horn_answer *answer);
void smt_horn_answer_finish(struct smt_horn_answer *answer);

#endif
