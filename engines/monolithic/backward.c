#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/monolithic/monolith.h"

// What holds before a step so that something holds after it, without quantifiers.

#define MOST_BYTES ((size_t)256 << 20) // of terms made for one invariant
// Terms that substitutions look at for one: some tenths of a second. Who has no invariant then has other proofs, or goes without.
#define MOST_WORK ((size_t)3 * 1000 * 1000)

struct single {
    const struct term *variable, *value;
};

static const struct term *put(void *context, const struct term *variable)
{
    const struct single *s = context;
    return variable == s->variable ? s->value : variable;
}

// NULL: it needs quantifiers, or more work than `*most`.
static const struct term *weakest(struct monolith *m, const struct statement *s,
                                  const struct term *post, size_t *most)
{
    assert(post->sort->kind == SORT_BOOL);
    struct term_store *store = m->store;
    if (term_is_true(post))
        return post;
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSUME:
        return term_implies(store, s->expression, post);
    case STATEMENT_ASSIGN: {
        struct single single = {s->variable->term, s->expression};
        return rewrite_substitute_within(store, post, put, &single, most);
    }
    case STATEMENT_HAVOC:
        return rewrite_contains(post, s->variable->term) ? NULL : post;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = s->child_count; i-- > 0 && post != NULL;)
            post = weakest(m, s->child[i], post, most);
        return post;
    case STATEMENT_IF: {
        const struct term *then = weakest(m, s->child[0], post, most);
        const struct term *otherwise = then != NULL ? weakest(m, s->child[1], post, most) : NULL;
        return otherwise != NULL ? term_ite(store, s->expression, then, otherwise) : NULL;
    }
    case STATEMENT_CHOICE: {
        const struct term *all = term_true(store);
        for (uint32_t i = 0; i < s->child_count && all != NULL; i++) {
            const struct term *branch = weakest(m, s->child[i], post, most);
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
    size_t most = MOST_WORK;
    return weakest(m, s, post, &most);
}

// One more step back, from `after` per location.
static bool step_back(struct monolith *m, const struct term *const *after, const struct term **out,
                      size_t *most)
{
    for (uint32_t l = 0; l < m->model->location_count; l++) {
        const struct location *location = m->model->locations[l];
        struct term_vector parts = {0};
        bool good = workspace_step(m->workspace, 0);
        for (uint32_t i = 0; i < location->out_count && good; i++) {
            const struct edge *edge = location->out[i];
            const struct term *before = weakest(m, edge->action, after[edge->target->index], most);
            good = before != NULL;
            VECTOR_PUSH(&parts, before);
        }
        if (good)
            out[l] = location == m->model->error ? term_false(m->store)
                                                 : term_and(m->store, parts.data, parts.count);
        VECTOR_FINISH(&parts);
        if (!good)
            return false;
    }
    return true;
}

const struct term **monolith_backward_invariant(struct monolith *m, uint32_t depth, bool exhausted,
                                                const struct term *const *aux)
{
    uint32_t count = m->model->location_count;
    const struct term **now = memory_alloc(count * sizeof(struct term *));
    const struct term **before = memory_alloc(count * sizeof(struct term *));
    size_t limit = term_store_bytes(m->store) + MOST_BYTES, most = MOST_WORK;
    bool good = true;
    for (uint32_t l = 0; l < count; l++)
        now[l] = m->model->locations[l] == m->model->error ? term_false(m->store)
                                                           : term_bool(m->store, !exhausted);
    for (uint32_t i = 0; i < depth && good; i++) {
        good = step_back(m, now, before, &most) && term_store_bytes(m->store) < limit;
        const struct term **swap = now;
        now = before;
        before = swap;
    }
    for (uint32_t l = 0; l < count && aux != NULL && good; l++)
        now[l] = term_and2(m->store, now[l], aux[l]);
    memory_free(before);
    if (good)
        return now;
    memory_free(now);
    return NULL;
}
