#include "base/memory.h"
#include "base/vector.h"
#include "logic/terms/rewrite.h"
#include "model/model_memory.h"

// What the error depends on: breadth first from the variables that it speaks of over "is assigned from". Conditions of branches
// do not count, or everything would belong to it.

struct assigned {
    const struct variable *variable;
    const struct term *value;
};

struct cone {
    const struct model *model;
    VECTOR(struct assigned) all; // grouped by variable
    size_t *first;               // by variable, and the end
    bool *seen;                  // terms by id
    uint32_t *layers;            // by variable, from 1; 0 = not in the cone
    VECTOR(uint32_t) queue;
    uint32_t layer;
};

static void reach_variable(struct cone *cone, const struct term *term)
{
    const struct variable *variable = model_variable_of(cone->model, term);
    if (variable != NULL && cone->layers[variable->index] == 0) {
        cone->layers[variable->index] = cone->layer;
        VECTOR_PUSH(&cone->queue, variable->index);
    }
}

// Terms can be deep: no recursion.
static void reach(struct cone *cone, const struct term *root)
{
    struct term_vector todo = {0};
    VECTOR_PUSH(&todo, root);
    while (todo.count > 0) {
        const struct term *term = VECTOR_POP(&todo);
        if (term->kind == TERM_VAR)
            reach_variable(cone, term);
        if (cone->seen[term->id] || !(term->flags & TERM_HAS_VARIABLE))
            continue;
        cone->seen[term->id] = true;
        for (uint32_t i = term->child_count; i > 0; i--) // the leftmost comes off first
            VECTOR_PUSH(&todo, term->child[i - 1]);
    }
    VECTOR_FINISH(&todo);
}

static void reach_conditions(struct cone *cone, const struct statement *statement)
{
    if (statement->kind == STATEMENT_ASSUME || statement->kind == STATEMENT_IF)
        reach(cone, statement->expression);
    for (uint32_t i = 0; i < statement->child_count; i++)
        reach_conditions(cone, statement->child[i]);
}

static void collect(struct cone *cone, const struct statement *statement)
{
    if (statement->kind == STATEMENT_ASSIGN) {
        struct assigned assigned = {statement->variable, statement->expression};
        VECTOR_PUSH(&cone->all, assigned);
    }
    for (uint32_t i = 0; i < statement->child_count; i++)
        collect(cone, statement->child[i]);
}

// Counting sort: `all` by variable, in the order of the model within one.
static void group(struct cone *cone)
{
    uint32_t variables = cone->model->variable_count;
    VECTOR(struct assigned) sorted = {0};
    cone->first = memory_zalloc((variables + 2) * sizeof *cone->first);
    for (size_t i = 0; i < cone->all.count; i++)
        cone->first[cone->all.data[i].variable->index + 1]++;
    for (uint32_t v = 0; v < variables; v++)
        cone->first[v + 1] += cone->first[v];
    for (size_t i = 0; i < cone->all.count; i++)
        VECTOR_PUSH(&sorted, cone->all.data[i]);
    size_t *next = memory_alloc((variables + 1) * sizeof *next);
    for (uint32_t v = 0; v < variables; v++)
        next[v] = cone->first[v];
    for (size_t i = 0; i < sorted.count; i++)
        cone->all.data[next[sorted.data[i].variable->index]++] = sorted.data[i];
    memory_free(next);
    VECTOR_FINISH(&sorted);
}

// Looks at small terms only.
static bool feeds_itself(const struct cone *cone, uint32_t variable)
{
    enum { MOST = 200 };
    for (size_t i = cone->first[variable]; i < cone->first[variable + 1]; i++) {
        const struct assigned *assigned = &cone->all.data[i];
        if (assigned->value->tree_size <= MOST &&
            rewrite_contains(assigned->value, assigned->variable->term))
            return true;
    }
    return false;
}

static void begin_at_error(struct cone *cone)
{
    const struct model *model = cone->model;
    cone->layer = 1;
    if (model->property != NULL)
        reach(cone, model->property);
    for (uint32_t i = 0; i < model->edge_count; i++)
        if (model->edges[i]->target == model->error)
            reach_conditions(cone, model->edges[i]->action);
}

void model_measure_cone(struct model *model)
{
    struct model_features *f = &model->features;
    struct cone cone = {
        .model = model,
        .seen = memory_zalloc(term_store_next_id(model->store) + 1),
        .layers = memory_zalloc((model->variable_count + 1) * sizeof *cone.layers),
    };
    for (uint32_t i = 0; i < model->edge_count; i++)
        collect(&cone, model->edges[i]->action);
    group(&cone);
    begin_at_error(&cone);
    f->cone_first = (uint32_t)cone.queue.count;
    for (size_t i = 0; i < cone.queue.count; i++) {
        uint32_t variable = cone.queue.data[i];
        f->cone_depth = cone.layers[variable];
        f->feedback += feeds_itself(&cone, variable);
        cone.layer = cone.layers[variable] + 1;
        for (size_t a = cone.first[variable]; a < cone.first[variable + 1]; a++)
            reach(&cone, cone.all.data[a].value);
    }
    f->cone = (uint32_t)cone.queue.count;
    VECTOR_FINISH(&cone.queue);
    VECTOR_FINISH(&cone.all);
    memory_free(cone.first);
    memory_free(cone.seen);
    memory_free(cone.layers);
}
