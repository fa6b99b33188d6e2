#include "engines/cegar/strongest.h"

#include "base/memory.h"

struct strongest {
    struct path *path;
    size_t step;
    enum abstraction abstraction;
    uint32_t size_limit;
};

struct substitution {
    const struct term *variable, *value;
};

static const struct term *substituted(void *context, const struct term *variable)
{
    const struct substitution *s = context;
    return variable == s->variable ? s->value : variable;
}

static const struct term *put(struct workspace *ws, const struct term *formula,
                              const struct term *variable, const struct term *value)
{
    struct substitution s = {variable, value};
    return rewrite_substitute(ws->store, formula, substituted, &s);
}

// "There is" of a conjunction: an equation for the variable decides it; else only the conjuncts
// that contain it are the solver's.
static const struct term *project_conjuncts(struct workspace *ws, const struct term *formula,
                                            const struct term *x)
{
    struct term_vector all = {0}, with = {0}, without = {0};
    const struct term *result = NULL, *value = NULL;
    rewrite_conjuncts(formula, &all);
    for (size_t i = 0; i < all.count && value == NULL; i++)
        if (rewrite_contains(all.data[i], x))
            value = rewrite_solve(ws->store, all.data[i], x);
    if (value != NULL) {
        result = put(ws, formula, x, value);
        goto done;
    }
    for (size_t i = 0; i < all.count; i++)
        if (rewrite_contains(all.data[i], x))
            VECTOR_PUSH(&with, all.data[i]);
        else
            VECTOR_PUSH(&without, all.data[i]);
    result =
        term_quantifier(ws->store, TERM_EXISTS, &x, 1, term_and(ws->store, with.data, with.count));
    if (result->flags & TERM_HAS_QUANTIFIER) {
        struct smt_context *context = workspace_refutation_solver(ws);
        result = context != NULL ? smt_eliminate(context, result) : NULL;
    }
    if (result != NULL) {
        VECTOR_PUSH(&without, result);
        result = term_and(ws->store, without.data, without.count);
    }
done:
    VECTOR_FINISH(&all);
    VECTOR_FINISH(&with);
    VECTOR_FINISH(&without);
    return result;
}

static const struct term *project_disjuncts(struct workspace *ws, const struct term *formula,
                                            const struct term *x)
{
    struct term_vector parts = {0};
    const struct term *result = NULL;
    for (uint32_t i = 0; i < formula->child_count; i++) {
        const struct term *part = strongest_project(ws, formula->child[i], x);
        if (part == NULL)
            goto done;
        VECTOR_PUSH(&parts, part);
    }
    result = term_or(ws->store, parts.data, parts.count);
done:
    VECTOR_FINISH(&parts);
    return result;
}

const struct term *strongest_project(struct workspace *ws, const struct term *formula,
                                     const struct term *x)
{
    if (!rewrite_contains(formula, x))
        return formula;
    uint64_t values = sort_value_count(x->sort, 16);
    if (values) {
        const struct term *all[16];
        for (uint64_t i = 0; i < values; i++)
            all[i] =
                put(ws, formula, x, term_of_value(ws->store, x->sort, value_small((int64_t)i)));
        return term_or(ws->store, all, values);
    }
    return formula->kind == TERM_OR ? project_disjuncts(ws, formula, x)
                                    : project_conjuncts(ws, formula, x);
}

static const struct term *run(const struct strongest *w, const struct statement *s,
                              const struct term *pre);

static const struct term *run_branches(const struct strongest *w, const struct statement *s,
                                       const struct term *pre)
{
    struct term_store *store = w->path->workspace->store;
    bool guarded = s->kind == STATEMENT_IF && path_blames(w->path, w->step, s);
    struct term_vector parts = {0};
    const struct term *result = NULL;
    for (uint32_t i = 0; i < s->child_count; i++) {
        const struct term *part = pre;
        if (guarded)
            part = term_and2(store, pre, i == 0 ? s->expression : term_not(store, s->expression));
        part = run(w, s->child[i], part);
        if (part == NULL)
            goto done;
        VECTOR_PUSH(&parts, part);
    }
    result = term_or(store, parts.data, parts.count);
done:
    VECTOR_FINISH(&parts);
    return result;
}

static const struct term *run_assignment(const struct strongest *w, const struct statement *s,
                                         const struct term *pre)
{
    struct workspace *ws = w->path->workspace;
    const struct term *x = s->variable->term, *e = s->expression;
    if (w->abstraction == ABSTRACT_ALL && !path_blames(w->path, w->step, s))
        return strongest_project(ws, pre, x);
    if (!rewrite_contains(e, x)) {
        const struct term *rest = strongest_project(ws, pre, x);
        return rest != NULL ? term_and2(ws->store, rest, term_eq(ws->store, x, e)) : NULL;
    }
    const struct term *old = term_var_copy(ws->store, x, 1);
    const struct term *equation = term_eq(ws->store, x, put(ws, e, x, old));
    const struct term *value = rewrite_solve(ws->store, equation, old);
    if (value != NULL)
        return put(ws, pre, x, value);
    return strongest_project(ws, term_and2(ws->store, put(ws, pre, x, old), equation), old);
}

static const struct term *run(const struct strongest *w, const struct statement *s,
                              const struct term *pre)
{
    struct workspace *ws = w->path->workspace;
    if (pre->tree_size > w->size_limit || ws->reason != END_NONE)
        return NULL;
    if (term_is_false(pre))
        return pre;
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSIGN:
        return run_assignment(w, s, pre);
    case STATEMENT_ASSUME:
        if (path_blames(w->path, w->step, s))
            return term_and2(ws->store, pre, s->expression);
        break;
    case STATEMENT_HAVOC:
        return strongest_project(ws, pre, s->variable->term);
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; pre != NULL && i < s->child_count; i++)
            pre = run(w, s->child[i], pre);
        break;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        return run_branches(w, s, pre);
    }
    return pre;
}

const struct term *strongest_postcondition(struct path *path, size_t step, const struct term *pre,
                                           enum abstraction abstraction, uint32_t size_limit)
{
    struct strongest w = {path, step, abstraction, size_limit};
    const struct term *result = run(&w, path_action(path, step), pre);
    return result != NULL && result->tree_size <= size_limit ? result : NULL;
}
