#include "certify/quantified.h"

#include <assert.h>

#include "logic/smt/smt.h"

struct values {
    struct term_store *store;
    eval_lookup lookup;
    void *context;
};

static const struct term *literal_of(void *context, const struct term *variable)
{
    struct values *values = context;
    struct value value = values->lookup(values->context, variable);
    return value_known(value) ? term_of_value(values->store, variable->sort, value) : variable;
}

static struct value decide(struct term_store *store, const struct term *closed)
{
    assert(closed->sort->kind == SORT_BOOL &&
           !(closed->flags & TERM_HAS_VARIABLE && !(closed->flags & TERM_HAS_QUANTIFIER)));
    const char *error;
    struct smt_context *context = smt_context_create("z3", store, &(struct smt_options){0}, &error);
    if (context == NULL)
        return VALUE_UNKNOWN;
    struct smt *smt = smt_create(context);
    smt_assert(smt, closed);
    enum smt_result holds = smt_check(smt);
    smt_destroy(smt);
    smt_context_destroy(context);
    return holds == SMT_UNKNOWN ? VALUE_UNKNOWN : value_bool(holds == SMT_SAT);
}

struct value quantified_value(struct term_store *store, const struct term *term, eval_lookup lookup,
                              void *context)
{
    if (term->sort->kind != SORT_BOOL)
        return VALUE_UNKNOWN;
    struct values values = {store, lookup, context};
    const struct term *closed = rewrite_substitute(store, term, literal_of, &values);
    if (term_is_literal(closed))
        return term_value(closed);
    struct term_vector open = {0};
    rewrite_free_variables(closed, &open);
    bool decided_by_state = open.count == 0 && !(closed->flags & TERM_HAS_DIVISION);
    VECTOR_FINISH(&open);
    return decided_by_state ? decide(store, closed) : VALUE_UNKNOWN;
}
