#include "logic/smt/smt.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "logic/smt/float_search.h"
#include "logic/smt/process/pipe_keeper.h"
#include "logic/smt/process/pipe_process.h"
#include "logic/smt/smt_backend.h"
#include "logic/terms/float_notes.h"

// Words of a solver go to screens and records.
#define ERROR_BYTES 400
#define INTERRUPT_INTERVAL_NS (100 * 1000 * 1000)
#define PIPE_PREFIX "smtlib:"
#define CVC5_COMMAND "cvc5 --incremental --lang smt2.6"

static const struct smt_backend *const backends[] = {
    &smt_backend_z3,
    &smt_backend_cadical,
    &smt_backend_search,
#ifdef REGATTA_CVC5
    &smt_backend_cvc5,
#endif
};
#define BACKEND_COUNT (sizeof backends / sizeof backends[0])

const char *const *smt_backends(void)
{
    static const char *const names[BACKEND_COUNT + 1] = {
        "z3",
        "cadical",
        "circuit",
#ifdef REGATTA_CVC5
        "cvc5-lib",
#endif
    };
    return names;
}

static const char *available[BACKEND_COUNT + 3];

static void look_for_programs(void)
{
    size_t count = 0;
    available[count++] = backends[0]->name; // the others do not know every sort
#ifdef REGATTA_CVC5
    available[count++] = smt_backend_cvc5.name;
#endif
    if (pipe_finds("cvc5"))
        available[count++] = "cvc5";
    if (pipe_finds("z3"))
        available[count++] = "smtlib:z3 -in";
}

const char *const *smt_available(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look_for_programs);
    return available;
}

struct smt_context *smt_context_create(const char *backend, struct term_store *store,
                                       const struct smt_options *options, const char **error)
{
    struct smt_context *context = NULL;
    const struct smt_backend *made_by = &smt_backend_pipe;
    *error = "no such solver";
    for (size_t i = 0; i < BACKEND_COUNT && context == NULL; i++)
        if (strcmp(backends[i]->name, backend) == 0) {
            made_by = backends[i];
            context = made_by->context_create(options, error);
        }
    if (strncmp(backend, PIPE_PREFIX, strlen(PIPE_PREFIX)) == 0)
        context = smt_pipe_context_create(backend + strlen(PIPE_PREFIX), error);
    else if (strcmp(backend, "cvc5") == 0)
        context = smt_pipe_context_create(CVC5_COMMAND, error);
    if (context == NULL)
        return NULL;
    context->backend = made_by;
    context->store = store;
    context->options = *options;
    return context;
}

void smt_context_adopt(struct smt_context *context, struct smt_context *other)
{
    assert(context != other);
    assert(smt_context_next(other) == NULL);
    struct smt_context *last = context;
    while (smt_context_next(last) != NULL)
        last = smt_context_next(last);
    atomic_store_explicit(&last->next, other, memory_order_release);
}

void smt_context_disown(struct smt_context *context, struct smt_context *other)
{
    while (smt_context_next(context) != other) {
        context = smt_context_next(context);
        assert(context != NULL && "it was adopted");
    }
    atomic_store_explicit(&context->next, smt_context_next(other), memory_order_release);
    atomic_store_explicit(&other->next, NULL, memory_order_release);
}

struct smt_context *smt_context_next(const struct smt_context *context)
{
    return atomic_load_explicit(&context->next, memory_order_acquire);
}

void smt_end_programs(void)
{
    keeper_clear();
}

void smt_context_destroy(struct smt_context *context)
{
    if (context == NULL || atomic_load_explicit(&context->abandoned, memory_order_acquire))
        return;
    smt_context_destroy(smt_context_next(context));
    while (context->solvers != NULL)
        smt_destroy(context->solvers);
    context->backend->context_destroy(context);
}

static void abandon(struct smt_context *context)
{
    if (atomic_exchange_explicit(&context->abandoned, true, memory_order_acq_rel))
        return;
    // Kept in sight, so that a leak checker can tell it from what was forgotten.
    static _Atomic(struct smt_context *) all;
    context->next_abandoned = atomic_load_explicit(&all, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&all, &context->next_abandoned, context,
                                                  memory_order_release, memory_order_relaxed))
        ;
}

void smt_context_abandon(struct smt_context *context)
{
    for (; context != NULL; context = smt_context_next(context))
        abandon(context);
}

const char *smt_context_version(const struct smt_context *context)
{
    return context->backend->version(context);
}

bool smt_stopped(const struct smt_context *context)
{
    const _Atomic int *stop = context->options.stop;
    return stop != NULL && atomic_load_explicit(stop, memory_order_acquire) != 0;
}

bool smt_begin(struct smt_context *context)
{
    assert(!atomic_load(&context->in_check) && "one check at a time");
    context->interrupts_at_start = atomic_load_explicit(&context->interrupts, memory_order_relaxed);
    atomic_store_explicit(&context->started_ns, clock_wall_ns(), memory_order_relaxed);
    // Sequentially consistent, as is the interrupter's order (flag first, then in_check): either we
    // see the flag here, or the interrupter sees that we are in a check.
    atomic_store(&context->in_check, true);
    const _Atomic int *stop = context->options.stop;
    if (stop == NULL || atomic_load(stop) == 0)
        return true;
    smt_end(context);
    return false;
}

void smt_end(struct smt_context *context)
{
    atomic_store(&context->in_check, false);
    atomic_store_explicit(&context->started_ns, 0, memory_order_relaxed);
}

int64_t smt_context_busy_since(const struct smt_context *context)
{
    int64_t since = 0;
    for (; context != NULL; context = smt_context_next(context)) {
        int64_t started = atomic_load_explicit(&context->started_ns, memory_order_relaxed);
        if (started != 0 && (since == 0 || started < since))
            since = started;
    }
    return since;
}

bool smt_was_interrupted(const struct smt_context *context)
{
    return atomic_load_explicit(&context->interrupts, memory_order_relaxed) !=
           context->interrupts_at_start;
}

static void interrupt(struct smt_context *context)
{
    if (!atomic_load(&context->in_check))
        return;
    int64_t now = clock_wall_ns();
    int64_t last = atomic_load_explicit(&context->interrupted_ns, memory_order_relaxed);
    if (last != 0 && now - last < INTERRUPT_INTERVAL_NS)
        return;
    if (!atomic_compare_exchange_strong_explicit(&context->interrupted_ns, &last, now,
                                                 memory_order_relaxed, memory_order_relaxed))
        return; // another thread sends it at this moment
    atomic_fetch_add_explicit(&context->interrupts, 1, memory_order_relaxed);
    context->backend->interrupt(context);
}

void smt_interrupt(struct smt_context *context)
{
    for (; context != NULL; context = smt_context_next(context))
        interrupt(context);
}

bool smt_in_check(const struct smt_context *context)
{
    return atomic_load(&context->in_check);
}

int64_t smt_check_started_ns(const struct smt_context *context)
{
    return atomic_load_explicit(&context->started_ns, memory_order_relaxed);
}

struct smt_statistics smt_statistics(const struct smt_context *context)
{
    return context->statistics;
}

void smt_statistics_add(struct smt_statistics *sum, const struct smt_statistics *more)
{
    sum->checks += more->checks;
    sum->sat += more->sat;
    sum->unsat += more->unsat;
    sum->unknown += more->unknown;
    sum->assertions += more->assertions;
    sum->translated_terms += more->translated_terms;
    sum->translation_lookups += more->translation_lookups;
    sum->eliminations += more->eliminations;
    sum->check_ns += more->check_ns;
}

struct smt *smt_create(struct smt_context *context)
{
    struct smt *smt = context->backend->create(context);
    smt->context = context;
    smt->newer = NULL;
    smt->older = context->solvers;
    if (smt->older != NULL)
        smt->older->newer = smt;
    context->solvers = smt;
    return smt;
}

void smt_destroy(struct smt *smt)
{
    if (smt == NULL || atomic_load_explicit(&smt->context->abandoned, memory_order_acquire))
        return;
    if (smt->older != NULL)
        smt->older->newer = smt->newer;
    if (smt->newer != NULL)
        smt->newer->older = smt->older;
    else
        smt->context->solvers = smt->older;
    text_finish(&smt->error);
    VECTOR_FINISH(&smt->assumed);
    VECTOR_FINISH(&smt->asserted);
    smt->context->backend->destroy(smt);
}

const struct term *smt_by_zero(struct term_store *store, enum term_kind kind,
                               const struct sort *sort, struct value dividend)
{
    assert(kind == TERM_DIV || kind == TERM_MOD || kind == TERM_REM);
    const struct term *a = term_of_value(store, sort, dividend);
    const struct term *zero = sort->kind == SORT_INT ? term_int(store, 0) : term_rat(store, 0, 1);
    return kind == TERM_DIV   ? term_div(store, a, zero)
           : kind == TERM_MOD ? term_mod(store, a, zero)
                              : term_rem(store, a, zero);
}

void smt_fail(struct smt *smt, enum smt_reason reason, const char *text)
{
    assert(reason != SMT_REASON_NONE);
    smt->reason = reason;
    text_clear(&smt->error);
    text_add_words(&smt->error, text, strlen(text), ERROR_BYTES);
}

// Every call that changes the solver ends the life of the last answer.
static void forget_answer(struct smt *smt)
{
    if (smt->answer != SMT_ANSWER_NONE)
        smt->context->backend->forget(smt);
    smt->answer = SMT_ANSWER_NONE;
    smt->reason = SMT_REASON_NONE;
    text_clear(&smt->error);
}

static void mark_broken(struct smt *smt, unsigned level)
{
    if (!smt->broken || level < smt->broken_level) {
        smt->broken = true;
        smt->broken_level = level;
    }
}

void smt_reset(struct smt *smt)
{
    forget_answer(smt);
    smt->level = 0;
    smt->broken = false;
    VECTOR_CLEAR(&smt->asserted);
    if (!smt->context->backend->reset(smt))
        mark_broken(smt, 0);
}

void smt_push(struct smt *smt)
{
    assert(smt->level < UINT_MAX);
    forget_answer(smt);
    smt->level++;
    if (!smt->context->backend->push(smt))
        mark_broken(smt, 0);
}

void smt_pop(struct smt *smt, unsigned levels)
{
    assert(levels <= smt->level);
    forget_answer(smt);
    if (levels == 0)
        return;
    smt->level -= levels;
    while (smt->asserted.count > 0 && VECTOR_LAST(&smt->asserted).level > smt->level)
        smt->asserted.count--;
    if (!smt->context->backend->pop(smt, levels))
        mark_broken(smt, 0);
    else if (smt->broken && smt->broken_level > smt->level)
        smt->broken = false;
}

void smt_assert(struct smt *smt, const struct term *formula)
{
    assert(formula->sort->kind == SORT_BOOL);
    forget_answer(smt);
    smt->context->statistics.assertions++;
    if (term_is_true(formula))
        return;
    if (float_notes_any(smt->context->store))
        VECTOR_PUSH(&smt->asserted, ((struct smt_asserted){formula, smt->level}));
    if (!smt->context->backend->assert_formula(smt, formula))
        mark_broken(smt, smt->level);
}

enum smt_result smt_check(struct smt *smt)
{
    return smt_check_assuming(smt, NULL, 0);
}

static const struct term *find_false(const struct term *const *assumptions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (term_is_false(assumptions[i]))
            return assumptions[i];
    return NULL;
}

#define MOST_LOST 200 // searches in a row that decide nothing, before there are no more
#define LEAST_WORK 20000

// The solver's answer where floats have the values that were found, if they do: formulas of bits are easy then. Only SAT solvers take
// any formula for an assumption.
static bool is_satisfied_there(struct smt *smt, const struct term *const *assumptions, size_t count,
                               const struct float_choices *found)
{
    struct term_store *store = smt->context->store;
    struct term_vector all = {0};
    if (found->count == 0 || (smt->context->backend != &smt_backend_cadical &&
                              smt->context->backend != &smt_backend_search))
        return false;
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&all, assumptions[i]);
    for (size_t i = 0; i < found->count; i++) {
        const struct term *v = found->data[i].variable;
        VECTOR_PUSH(&all, term_eq(store, v, term_bv(store, v->sort->width, found->data[i].bits)));
    }
    bool out = smt->context->backend->check(smt, all.data, all.count) == SMT_SAT;
    VECTOR_FINISH(&all);
    return out;
}

// Operations on floats are large formulas for a solver: intervals are tried first, for less and less as they decide nothing.
static enum smt_result search_floats(struct smt *smt, const struct term *const *assumptions,
                                     size_t count)
{
    struct smt_context *context = smt->context;
    unsigned lost = context->float_searches_lost;
    if (smt->asserted.count == 0 || lost >= MOST_LOST)
        return SMT_UNKNOWN;
    struct term_vector all = {0};
    for (size_t i = 0; i < smt->asserted.count; i++)
        VECTOR_PUSH(&all, smt->asserted.data[i].formula);
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&all, assumptions[i]);
    int64_t work = lost < 7 ? FLOAT_SEARCH_WORK >> lost : LEAST_WORK;
    struct float_choices found = {0};
    enum smt_result result = SMT_UNKNOWN;
    if (float_search_refutes(context->store, all.data, all.count, &work, &found))
        result = SMT_UNSAT;
    else if (is_satisfied_there(smt, assumptions, count, &found))
        result = SMT_SAT;
    context->float_searches_lost = result != SMT_UNKNOWN ? 0 : lost + 1;
    VECTOR_FINISH(&all);
    VECTOR_FINISH(&found);
    return result;
}

static enum smt_result run_check(struct smt *smt, const struct term *const *assumptions,
                                 size_t count)
{
    struct smt_context *context = smt->context;
    if (smt->broken) {
        smt_fail(smt, SMT_REASON_ERROR, "an earlier call of this solver failed");
        return SMT_UNKNOWN;
    }
    smt->false_assumption = find_false(assumptions, count);
    if (smt->false_assumption != NULL) {
        smt->answer = SMT_ANSWER_TRIVIAL_CORE;
        return SMT_UNSAT;
    }
    if (!smt_begin(context)) {
        smt_fail(smt, SMT_REASON_INTERRUPTED, "stopped");
        return SMT_UNKNOWN;
    }
    int64_t start = smt_check_started_ns(context);
    enum smt_result result = search_floats(smt, assumptions, count);
    bool whole = result == SMT_UNSAT;
    VECTOR_CLEAR(&smt->assumed);
    for (size_t i = 0; whole && i < count; i++)
        VECTOR_PUSH(&smt->assumed, assumptions[i]);
    if (result == SMT_UNKNOWN)
        result = context->backend->check(smt, assumptions, count);
    smt_end(context);
    context->statistics.check_ns += clock_wall_ns() - start;
    if (result != SMT_UNKNOWN)
        smt->answer = result == SMT_SAT ? SMT_ANSWER_MODEL
                      : whole           ? SMT_ANSWER_WHOLE_CORE
                                        : SMT_ANSWER_CORE;
    return result;
}

enum smt_result smt_check_assuming(struct smt *smt, const struct term *const *assumptions,
                                   size_t count)
{
    forget_answer(smt);
    enum smt_result result = run_check(smt, assumptions, count);
    struct smt_statistics *statistics = &smt->context->statistics;
    assert((result == SMT_SAT) == (smt->answer == SMT_ANSWER_MODEL));
    statistics->checks++;
    if (result == SMT_SAT)
        statistics->sat++;
    else if (result == SMT_UNSAT)
        statistics->unsat++;
    else
        statistics->unknown++;
    assert(result != SMT_UNKNOWN || smt->reason != SMT_REASON_NONE);
    return result;
}

enum smt_reason smt_reason(const struct smt *smt)
{
    return smt->reason;
}

const char *smt_error_text(const struct smt *smt)
{
    return text_string(&smt->error);
}

const struct term *smt_model_value(struct smt *smt, const struct term *term)
{
    if (smt->answer != SMT_ANSWER_MODEL)
        return NULL;
    if (term_is_literal(term))
        return term;
    const struct term *value = smt->context->backend->model_value(smt, term);
    assert(value == NULL || (term_is_literal(value) && value->sort == term->sort));
    return value;
}

bool smt_unsat_core(struct smt *smt, struct term_vector *core)
{
    if (smt->answer == SMT_ANSWER_TRIVIAL_CORE) {
        VECTOR_PUSH(core, smt->false_assumption);
        return true;
    }
    for (size_t i = 0; smt->answer == SMT_ANSWER_WHOLE_CORE && i < smt->assumed.count; i++)
        VECTOR_PUSH(core, smt->assumed.data[i]);
    return smt->answer == SMT_ANSWER_WHOLE_CORE ||
           (smt->answer == SMT_ANSWER_CORE && smt->context->backend->unsat_core(smt, core));
}

const struct term *smt_simplify(struct smt_context *context, const struct term *formula)
{
    if (formula->child_count == 0)
        return formula;
    const struct term *result = context->backend->simplify(context, formula);
    assert(result == NULL || result->sort == formula->sort);
    return result != NULL && result->tree_size < formula->tree_size ? result : formula;
}

bool smt_interpolate_spacer(struct smt_context *context, const struct term *const *parts,
                            size_t count, const struct term **out)
{
    assert(count >= 1);
    if (context->backend->interpolate == NULL)
        return false;
    return context->backend->interpolate(context, parts, count, out);
}

enum smt_result smt_horn(struct smt_context *context, const struct smt_horn *problem,
                         struct smt_horn_answer *answer)
{
    assert(answer->interpretation == NULL && answer->derivation == NULL);
    assert(problem->query < problem->predicate_count);
    if (context->backend->horn == NULL)
        return SMT_UNKNOWN;
    return context->backend->horn(context, problem, answer);
}

void smt_horn_answer_finish(struct smt_horn_answer *answer)
{
    memory_free(answer->interpretation);
    memory_free(answer->derivation);
    text_finish(&answer->error);
    *answer = (struct smt_horn_answer){0};
}
