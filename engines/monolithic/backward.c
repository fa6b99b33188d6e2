#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/monolithic/every_value.h"

// What holds before a step so that something holds after it, without quantifiers.

#define MOST_BYTES ((size_t)256 << 20) // of terms made for one invariant

struct single {
    const struct term *variable, *value;
};

static const struct term *put(void *context, const struct term *variable)
{
    const struct single *s = context;
    return variable == s->variable ? s->value : variable;
}

// every: how havocs are treated; NULL: where one matters there is no formula.
static const struct term *weakest(struct monolith *m, struct every_value *every,
                                  const struct statement *s, const struct term *post)
{
    assert(post->sort->kind == SORT_BOOL);
    struct term_store *store = m->store;
    if (term_is_true(post))
        return post;
    // One step may be thousands of assignments, each of which goes through the whole formula.
    if (every != NULL && every_value_is_over(every))
        return NULL;
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSUME:
        return term_implies(store, s->expression, post);
    case STATEMENT_ASSIGN: {
        struct single single = {s->variable->term, s->expression};
        return rewrite_substitute(store, post, put, &single);
    }
    case STATEMENT_HAVOC:
        if (every != NULL)
            return every_value(every, s->variable->term, post);
        return rewrite_contains(post, s->variable->term) ? NULL : post;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = s->child_count; i-- > 0 && post != NULL;)
            post = weakest(m, every, s->child[i], post);
        return post;
    case STATEMENT_IF: {
        const struct term *then = weakest(m, every, s->child[0], post);
        const struct term *otherwise = weakest(m, every, s->child[1], post);
        return then != NULL && otherwise != NULL ? term_ite(store, s->expression, then, otherwise)
                                                 : NULL;
    }
    case STATEMENT_CHOICE: {
        const struct term *all = term_true(store);
        for (uint32_t i = 0; i < s->child_count && all != NULL; i++) {
            const struct term *branch = weakest(m, every, s->child[i], post);
            all = branch != NULL ? term_and2(store, all, branch) : NULL;
        }
        return all;
    }
    }
    return post;
}

const struct term *monolith_weakest(struct monolith *m, const struct statement *s,
                                    const struct term *post)
{
    return weakest(m, NULL, s, post);
}

// What a location's formula was one step before; NULL: it is not known. False: the attempt ends.
static bool location_back(struct monolith *m, struct every_value *every,
                          const struct location *location, const struct term *const *after,
                          const struct term **out)
{
    struct term_vector parts = {0};
    bool good = workspace_step(m->workspace, 0), known = true;
    for (uint32_t i = 0; i < location->out_count && good && known; i++) {
        const struct edge *edge = location->out[i];
        const struct term *target = after[edge->target->index];
        const struct term *before = target != NULL ? weakest(m, every, edge->action, target) : NULL;
        known = before != NULL;
        VECTOR_PUSH(&parts, before);
        good = workspace_step(m->workspace, 0);
    }
    *out = known ? term_and(m->store, parts.data, parts.count) : NULL;
    VECTOR_FINISH(&parts);
    return good;
}

// One more step back, from `after` per location.
static bool step_back(struct monolith *m, struct every_value *every,
                      const struct term *const *after, const struct term **out)
{
    for (uint32_t l = 0; l < m->model->location_count; l++) {
        const struct location *location = m->model->locations[l];
        if (location == m->model->error)
            out[l] = term_false(m->store);
        else if (!location_back(m, every, location, after, &out[l]))
            return false;
    }
    return true;
}

// Here and in what the model was made from.
static bool nothing_leads_to(const struct location *location)
{
    while (location->in_count == 0 && location->origin != NULL && location->origin != location)
        location = location->origin;
    return location->in_count == 0;
}

// A location that nothing leads to may do without: what begins there goes on to where there is a formula.
static bool suffice(const struct monolith *m, const struct term *const *formulas, bool havocs)
{
    for (uint32_t l = 0; l < m->model->location_count; l++)
        if (formulas[l] == NULL && !(havocs && nothing_leads_to(m->model->locations[l])))
            return false;
    return true;
}

const struct term **monolith_backward_invariant(struct monolith *m, uint32_t depth, bool exhausted,
                                                bool havocs, const struct term *const *aux)
{
    uint32_t count = m->model->location_count;
    const struct term **now = memory_alloc(count * sizeof(struct term *));
    const struct term **before = memory_alloc(count * sizeof(struct term *));
    size_t limit = term_store_bytes(m->store) + MOST_BYTES;
    struct every_value every = every_value_begin(m, MOST_BYTES);
    bool good = true;
    for (uint32_t l = 0; l < count; l++)
        now[l] = m->model->locations[l] == m->model->error ? term_false(m->store)
                                                           : term_bool(m->store, !exhausted);
    for (uint32_t i = 0; i < depth && good; i++) {
        good = step_back(m, havocs ? &every : NULL, now, before) &&
               term_store_bytes(m->store) < limit && suffice(m, before, havocs);
        const struct term **swap = now;
        now = before;
        before = swap;
    }
    for (uint32_t l = 0; l < count && aux != NULL && good; l++)
        if (now[l] != NULL)
            now[l] = term_and2(m->store, now[l], aux[l]);
    memory_free(before);
    if (good)
        return now;
    memory_free(now);
    return NULL;
}
