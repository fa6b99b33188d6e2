#ifndef REGATTA_LOGIC_SMT_SMT_BACKEND_H
#define REGATTA_LOGIC_SMT_SMT_BACKEND_H

#include "base/text.h"
#include "logic/smt/smt.h"

// What a solver back end implements. smt.c keeps everything that is the same for all of them:
// levels, failed assertions, statistics, the stop flag, interrupts. A back end's own structures
// begin with the ones below, so a pointer to one is a pointer to the other.

struct smt_backend;

struct smt_context {
    const struct smt_backend *backend;
    struct term_store *store;
    struct smt_options options;
    struct smt_statistics statistics; // owner's thread
    struct smt *solvers;              // newest first
    unsigned float_searches_lost;     // that decided nothing, since one that did
    // Written by the owner, read by any thread.
    _Atomic bool in_check;
    _Atomic int64_t started_ns;
    // Written by any thread.
    _Atomic bool abandoned;
    struct smt_context *next_abandoned;
    // Written by the owner's thread, once; followed by any.
    _Atomic(struct smt_context *) next; // adopted by the same one
    _Atomic int64_t interrupted_ns;     // last time an interrupt went to the back end, 0 = never
    _Atomic uint64_t interrupts;        // how many went there
    uint64_t interrupts_at_start;       // of the running call; owner's thread
};

enum smt_answer {
    SMT_ANSWER_NONE,
    SMT_ANSWER_MODEL,
    SMT_ANSWER_CORE,
    SMT_ANSWER_TRIVIAL_CORE,
    SMT_ANSWER_WHOLE_CORE, // all assumptions
};

struct smt_asserted {
    const struct term *formula;
    unsigned level;
};

struct smt {
    struct smt_context *context;
    struct smt *newer, *older;
    unsigned level;
    bool broken;            // an assertion of `broken_level` is missing: no check is conclusive
    unsigned broken_level;  // 0: only a reset repairs it
    enum smt_answer answer; // what may be asked now
    const struct term *false_assumption;  // SMT_ANSWER_TRIVIAL_CORE
    struct term_vector assumed;           // SMT_ANSWER_WHOLE_CORE
    VECTOR(struct smt_asserted) asserted; // where terms of the store are operations on floats
    enum smt_reason reason;
    struct text error;
};

// A failing call says why through smt_fail (solver calls) or just fails (context calls).
struct smt_backend {
    const char *name;
    struct smt_context *(*context_create)(const struct smt_options *options, const char **error);
    void (*context_destroy)(struct smt_context *context); // after its solvers
    const char *(*version)(const struct smt_context *context);
    void (*interrupt)(struct smt_context *context); // from any thread

    struct smt *(*create)(struct smt_context *context); // never NULL; may be broken
    void (*destroy)(struct smt *smt);
    bool (*reset)(struct smt *smt);
    bool (*push)(struct smt *smt);
    bool (*pop)(struct smt *smt, unsigned levels);
    bool (*assert_formula)(struct smt *smt, const struct term *formula);
    enum smt_result (*check)(struct smt *smt, const struct term *const *assumptions, size_t count);
    const struct term *(*model_value)(struct smt *smt, const struct term *term);
    bool (*unsat_core)(struct smt *smt, struct term_vector *core);
    void (*forget)(struct smt *smt); // the model or core is not needed any more

    // A quantifier-free equivalent of "exists variables: body" or NULL; body has no quantifier.
    // linear: nothing but Booleans and linear arithmetic over int and rat.
    const struct term *(*eliminate)(struct smt_context *context, bool linear,
                                    const struct term *const *variables, size_t count,
                                    const struct term *body);
    const struct term *(*simplify)(struct smt_context *context, const struct term *formula);
    bool (*interpolate)(struct smt_context *context, const struct term *const *parts, size_t count,
                        const struct term **out);
    enum smt_result (*horn)(struct smt_context *context, const struct smt_horn *problem,
                            struct smt_horn_answer *answer);
};

extern const struct smt_backend smt_backend_z3, smt_backend_cadical, smt_backend_search,
    smt_backend_pipe;
extern const struct smt_backend smt_backend_cvc5; // with the Meson option cvc5

// A context for smt_backend_pipe. NULL with `*error` when there is no such program.
struct smt_context *smt_pipe_context_create(const char *command, const char **error);

// Brackets of every call into a back end that may take long. smt_begin is false when the stop flag
// is set: then the call must not be made. An interrupt can only get lost between smt_begin and the
// back end's own start, and whoever interrupts sends again.
bool smt_begin(struct smt_context *context);
void smt_end(struct smt_context *context);
bool smt_stopped(const struct smt_context *context);
// Since smt_begin an interrupt was sent.
bool smt_was_interrupted(const struct smt_context *context);

// The term "dividend / 0" (kind DIV, MOD or REM), whose value only a model can tell.
const struct term *smt_by_zero(struct term_store *store, enum term_kind kind,
                               const struct sort *sort, struct value dividend);

void smt_fail(struct smt *smt, enum smt_reason reason, const char *text);

#endif
