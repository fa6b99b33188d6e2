#include "engines/bounded/ways.h"

#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "logic/terms/rewrite.h"

#define MOST_WAYS 64 // through one action

struct walker {
    struct monolith *m;
    struct term_store *store;
    uint32_t *copies;
};

static const struct term *now_of(void *context, const struct term *variable)
{
    void **pair = context;
    const struct variable *v = model_variable_of(pair[0], variable);
    return v != NULL && variable->u.var.index == 0 ? ((const struct term **)pair[1])[v->index]
                                                   : variable;
}

const struct term *way_at(struct monolith *m, const struct way *way, const struct term *formula)
{
    void *pair[] = {(void *)(uintptr_t)m->model, way->now};
    return rewrite_substitute(m->store, formula, now_of, pair);
}

static struct way copy_way(const struct walker *p, const struct way *way)
{
    const size_t bytes = (p->m->model->variable_count + 1) * sizeof *way->now;
    struct way copy = {way->condition, memory_alloc(bytes)};
    memcpy(copy.now, way->now, bytes);
    return copy;
}

void ways_finish(struct ways *ways)
{
    for (size_t i = 0; i < ways->count; i++)
        memory_free(ways->data[i].now);
    VECTOR_FINISH(ways);
}

static bool go(struct walker *p, const struct statement *s, struct ways *ways);

static bool go_branches(struct walker *p, const struct statement *s, struct ways *ways)
{
    struct ways all = {0};
    bool good = true;
    for (uint32_t b = 0; b < s->child_count && good; b++) {
        struct ways branch = {0};
        for (size_t i = 0; i < ways->count; i++) {
            struct way way = copy_way(p, &ways->data[i]);
            if (s->kind == STATEMENT_IF) {
                const struct term *holds = way_at(p->m, &way, s->expression);
                way.condition =
                    term_and2(p->store, way.condition, b == 0 ? holds : term_not(p->store, holds));
            }
            VECTOR_PUSH(&branch, way);
        }
        good = go(p, s->child[b], &branch) && all.count + branch.count <= MOST_WAYS;
        for (size_t i = 0; i < branch.count; i++)
            VECTOR_PUSH(&all, branch.data[i]);
        VECTOR_FINISH(&branch);
    }
    ways_finish(ways);
    *ways = all;
    return good;
}

static void assume(struct walker *p, const struct term *condition, struct ways *ways)
{
    size_t kept = 0;
    for (size_t i = 0; i < ways->count; i++) {
        struct way way = ways->data[i];
        way.condition = term_and2(p->store, way.condition, way_at(p->m, &way, condition));
        if (term_is_false(way.condition))
            memory_free(way.now);
        else
            ways->data[kept++] = way;
    }
    ways->count = kept;
}

// False: there are too many.
static bool go(struct walker *p, const struct statement *s, struct ways *ways)
{
    bool good = true;
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSUME:
        assume(p, s->expression, ways);
        break;
    case STATEMENT_ASSIGN:
        for (size_t i = 0; i < ways->count; i++)
            ways->data[i].now[s->variable->index] = way_at(p->m, &ways->data[i], s->expression);
        break;
    case STATEMENT_HAVOC:
        for (size_t i = 0; i < ways->count; i++)
            ways->data[i].now[s->variable->index] =
                term_var_copy(p->store, s->variable->term, ++*p->copies);
        break;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count && good; i++)
            good = go(p, s->child[i], ways);
        break;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        good = go_branches(p, s, ways);
        break;
    }
    return good;
}

bool ways_find(struct monolith *m, const struct statement *action, uint32_t *copies,
               struct ways *out)
{
    const struct model *model = m->model;
    struct walker p = {m, m->store, copies};
    struct way way = {term_true(m->store),
                      memory_alloc((model->variable_count + 1) * sizeof *way.now)};
    for (uint32_t v = 0; v < model->variable_count; v++)
        way.now[v] = model->variables[v]->term;
    way.now[model->variable_count] = NULL;
    VECTOR_PUSH(out, way);
    return go(&p, action, out) && workspace_step(m->workspace, 0);
}
