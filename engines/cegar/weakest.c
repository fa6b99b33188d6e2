#include "engines/cegar/weakest.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

struct weakest {
    struct path *path;
    size_t step;
    enum abstraction abstraction;
    uint32_t size_limit;
};

static const struct term *run(const struct weakest *w, const struct statement *s,
                              const struct term *post);

struct assignment {
    const struct term *variable, *expression;
};

static const struct term *assigned(void *context, const struct term *variable)
{
    const struct assignment *a = context;
    return variable == a->variable ? a->expression : variable;
}

// Finite sorts of few values are written out, the rest is the solver's.
const struct term *weakest_project(struct workspace *ws, const struct term *post,
                                   const struct term *x)
{
    assert(x->kind == TERM_VAR && x->u.var.index == 0);
    if (!rewrite_contains(post, x))
        return post;
    uint64_t values = sort_value_count(x->sort, 16);
    if (values) {
        const struct term *all[16];
        for (uint64_t i = 0; i < values; i++) {
            struct assignment a = {x, term_of_value(ws->store, x->sort, value_small((int64_t)i))};
            all[i] = rewrite_substitute(ws->store, post, assigned, &a);
        }
        return term_and(ws->store, all, values);
    }
    const struct term *quantified = term_quantifier(ws->store, TERM_FORALL, &x, 1, post);
    if (!(quantified->flags & TERM_HAS_QUANTIFIER))
        return quantified;
    struct smt_context *context = workspace_refutation_solver(ws);
    return context != NULL ? smt_eliminate(context, quantified) : NULL;
}

static const struct term *run_branches(const struct weakest *w, const struct statement *s,
                                       const struct term *post)
{
    struct term_store *store = w->path->workspace->store;
    bool guarded = s->kind == STATEMENT_IF && path_blames(w->path, w->step, s);
    struct term_vector parts = {0};
    const struct term *result = NULL;
    for (uint32_t i = 0; i < s->child_count; i++) {
        const struct term *part = run(w, s->child[i], post);
        if (part == NULL)
            goto done;
        if (guarded) {
            const struct term *guard = i == 0 ? s->expression : term_not(store, s->expression);
            part = term_implies(store, guard, part);
        }
        VECTOR_PUSH(&parts, part);
    }
    result = term_and(store, parts.data, parts.count);
done:
    VECTOR_FINISH(&parts);
    return result;
}

static const struct term *run(const struct weakest *w, const struct statement *s,
                              const struct term *post)
{
    struct workspace *ws = w->path->workspace;
    if (post->tree_size > w->size_limit || ws->reason != END_NONE)
        return NULL;
    if (term_is_true(post))
        return post; // nothing can make a step that must not fail more likely
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSIGN: {
        // A havoc that needs a quantifier stays the assignment: that refutes just as well.
        const struct term *any = NULL;
        if (w->abstraction == ABSTRACT_ALL && !path_blames(w->path, w->step, s))
            any = weakest_project(ws, post, s->variable->term);
        struct assignment a = {s->variable->term, s->expression};
        return any != NULL ? any : rewrite_substitute(ws->store, post, assigned, &a);
    }
    case STATEMENT_ASSUME:
        if (path_blames(w->path, w->step, s))
            return term_implies(ws->store, s->expression, post);
        break;
    case STATEMENT_HAVOC:
        return weakest_project(ws, post, s->variable->term);
    case STATEMENT_SEQUENCE:
        for (uint32_t i = s->child_count; post != NULL && i-- > 0;)
            post = run(w, s->child[i], post);
        break;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        return run_branches(w, s, post);
    }
    return post;
}

const struct term *weakest_precondition(struct path *path, size_t step, const struct term *post,
                                        enum abstraction abstraction, uint32_t size_limit)
{
    assert(post->sort->kind == SORT_BOOL);
    struct weakest w = {path, step, abstraction, size_limit};
    const struct term *result = run(&w, path_action(path, step), post);
    return result != NULL && result->tree_size <= size_limit ? result : NULL;
}
