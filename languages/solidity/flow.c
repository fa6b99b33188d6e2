#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/ensure.h"
#include "base/text.h"
#include "languages/solidity/translate.h"

// Statements, locations and edges of the model under construction.

void sol_not_supported(struct sol_translator *t, const struct sol_node *at, const char *format, ...)
{
    struct text text;
    va_list arguments;
    text_init(&text);
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    if (!t->failed)
        message_add(t->messages, MESSAGE_UNSUPPORTED, at->at, "%s", text_string(&text));
    text_finish(&text);
    t->failed = true;
}

// A tree that no compiler gives may say that things are what they are not; terms are built of the right sorts only.
bool sol_is_sort(struct sol_translator *t, const struct term *term, const struct sort *sort,
                 const struct sol_node *at)
{
    assert(sort != NULL && at != NULL);
    if (!t->failed && (term == NULL || term->sort != sort))
        sol_not_supported(t, at, "a value of another type than the place where it is used");
    return !t->failed;
}

static bool is_truth(struct sol_translator *t, const struct term *condition,
                     const struct sol_node *at)
{
    return sol_is_sort(t, condition, sort_bool(t->store), at);
}

void sol_emit(struct sol_translator *t, struct statement *statement)
{
    assert(statement != NULL);
    if (t->now != NULL)
        VECTOR_PUSH(&t->pending, statement);
}

void sol_assign(struct sol_translator *t, const struct variable *variable, const struct term *value,
                const struct sol_node *at)
{
    if (t->now != NULL && sol_is_sort(t, value, variable->sort, at))
        sol_emit(t, model_assign(t->builder, variable, value, at->at));
}

void sol_assume(struct sol_translator *t, const struct term *condition, const struct sol_node *at)
{
    if (t->now != NULL && is_truth(t, condition, at) && !term_is_true(condition))
        sol_emit(t, model_assume(t->builder, condition, at->at));
}

void sol_havoc(struct sol_translator *t, const struct variable *variable, const struct sol_node *at)
{
    if (t->now != NULL)
        sol_emit(t, model_havoc(t->builder, variable, at->at));
}

struct location *sol_location(struct sol_translator *t)
{
    return model_builder_location(t->builder, NULL, PHASE_NONE, false);
}

static struct statement *take_pending(struct sol_translator *t, const struct sol_node *at)
{
    struct statement *action = t->pending.count == 0   ? model_skip(t->builder, at->at)
                               : t->pending.count == 1 ? t->pending.data[0]
                                                       : model_sequence(t->builder, t->pending.data,
                                                                        t->pending.count, at->at);
    VECTOR_CLEAR(&t->pending);
    return action;
}

void sol_go(struct sol_translator *t, struct location *target, const struct sol_node *at)
{
    ENSURE(target != NULL && target != t->error);
    if (t->now == NULL)
        return;
    struct statement *action = take_pending(t, at);
    model_builder_edge(t->builder, t->now, target, action, NULL, at->at);
    t->now = NULL;
}

void sol_flush(struct sol_translator *t, const struct sol_node *at)
{
    if (t->now == NULL || t->pending.count == 0)
        return;
    struct location *next = sol_location(t);
    sol_go(t, next, at);
    t->now = next;
}

void sol_branch(struct sol_translator *t, const struct term *condition, struct location *yes,
                struct location *no, const struct sol_node *at)
{
    sol_flush(t, at);
    if (t->now == NULL || !is_truth(t, condition, at))
        return;
    ENSURE(t->pending.count == 0 && yes != NULL && no != NULL);
    if (!term_is_false(condition))
        model_builder_edge(t->builder, t->now, yes, model_assume(t->builder, condition, at->at),
                           NULL, at->at);
    if (!term_is_true(condition))
        model_builder_edge(t->builder, t->now, no,
                           model_assume(t->builder, term_not(t->store, condition), at->at), NULL,
                           at->at);
    t->now = NULL;
}

void sol_stop(struct sol_translator *t, const struct sol_node *at)
{
    (void)at;
    VECTOR_CLEAR(&t->pending);
    t->overflow_pending = false;
    t->now = NULL;
}

// Does a failure here count: is the asked function, or none, among those that run?
static bool counts(const struct sol_translator *t)
{
    if (t->function == NULL)
        return true;
    for (const struct sol_frame *f = t->frame; f != NULL; f = f->outer)
        if (f->function == t->function)
            return true;
    return false;
}

static void fail_when(struct sol_translator *t, const struct term *condition, const char *what,
                      const struct sol_node *at)
{
    sol_flush(t, at);
    ENSURE(t->error != NULL && (t->now == NULL || t->pending.count == 0));
    if (t->now != NULL && !term_is_false(condition))
        model_builder_edge(t->builder, t->now, t->error,
                           model_assume(t->builder, condition, at->at), what, at->at);
}

void sol_check(struct sol_translator *t, const struct term *condition, const char *what,
               const struct sol_node *at)
{
    if (t->now == NULL || !is_truth(t, condition, at) || term_is_true(condition))
        return;
    if (counts(t))
        fail_when(t, term_not(t->store, condition), what, at);
    sol_assume(t, condition, at);
}

static void fail_at_limit(struct sol_translator *t, const char *what, const struct sol_node *at)
{
    struct text label;
    text_init(&label);
    text_printf(&label, SOL_FAIL_LIMIT "%s", what);
    if (t->now != NULL)
        fail_when(t, term_true(t->store), text_string(&label), at);
    text_finish(&label);
}

void sol_limit(struct sol_translator *t, const char *what, const struct sol_node *at)
{
    if (t->options->strict || t->modular)
        fail_at_limit(t, what, at);
    sol_stop(t, at);
}

void sol_check_overflow(struct sol_translator *t, const struct sol_node *at)
{
    if (t->now != NULL && t->overflow != NULL && t->overflow_pending) {
        const struct term *flag = t->overflow->term;
        assert(flag->sort->kind == SORT_BOOL);
        if (counts(t))
            fail_when(t, flag, SOL_FAIL_OVERFLOW, at);
        else // it goes on wrapped, and the next block begins anew
            sol_assign(t, t->overflow, term_false(t->store), at);
        if (counts(t))
            sol_assume(t, term_not(t->store, flag), at);
    }
    t->overflow_pending = false;
}

const struct variable *sol_outside(struct sol_translator *t, const char *stem,
                                   const struct sort *sort, bool environment,
                                   const struct sol_node *at)
{
    uint32_t flags = VARIABLE_LOCAL | (environment ? VARIABLE_INPUT : 0);
    const struct variable *v = model_builder_fresh(t->builder, stem, sort, flags, at->at);
    VECTOR_PUSH(&t->scratch, v);
    return v;
}

const struct variable *sol_fresh(struct sol_translator *t, const char *stem,
                                 const struct sort *sort, const struct sol_node *at)
{
    return sol_outside(t, stem, sort, false, at);
}

const struct term *sol_keep(struct sol_translator *t, const char *stem, const struct term *term,
                            const struct sol_node *at)
{
    if (term_is_literal(term) || t->now == NULL)
        return term;
    const struct variable *v = sol_fresh(t, stem, term->sort, at);
    sol_assign(t, v, term, at);
    return v->term;
}

struct sol_statements sol_collect(struct sol_translator *t)
{
    struct sol_statements outer = t->pending;
    t->pending = (struct sol_statements){0};
    return outer;
}

struct statement *sol_collected(struct sol_translator *t, struct sol_statements outer, bool *empty,
                                const struct sol_node *at)
{
    assert(at != NULL);
    *empty = t->pending.count == 0;
    struct statement *action = take_pending(t, at);
    VECTOR_FINISH(&t->pending);
    t->pending = outer;
    return action;
}
