#include "logic/terms/rewrite.h"
#include "model/prepare_draft.h"

// Cone of influence: a variable matters when a condition reads it, or an assignment to a variable
// that matters. Expressions are total, so assignments to the others can go; that may empty an `if`
// and free the variables of its condition, hence the repetition.

struct cone {
    struct draft_graph *graph;
    bool *matters;
    VECTOR(const struct variable *) work; // matters, its assignments not yet looked at
    VECTOR(const struct draft *) assignments;
    uint32_t *first_assignment; // by variable: index + 1 of one of its assignments
    VECTOR(uint32_t) next_assignment;
    struct term_vector scratch;
};

static void mark(struct cone *cone, const struct term *expression)
{
    VECTOR_CLEAR(&cone->scratch);
    rewrite_free_variables(expression, &cone->scratch);
    for (size_t i = 0; i < cone->scratch.count; i++) {
        const struct variable *variable =
            model_variable_of(cone->graph->source, cone->scratch.data[i]);
        if (variable == NULL || cone->matters[variable->index])
            continue;
        cone->matters[variable->index] = true;
        VECTOR_PUSH(&cone->work, variable);
    }
}

static void collect(struct cone *cone, const struct draft *draft)
{
    if (draft->kind == STATEMENT_ASSUME || draft->kind == STATEMENT_IF)
        mark(cone, draft->expression);
    if (draft->kind == STATEMENT_ASSIGN) {
        uint32_t *first = &cone->first_assignment[draft->variable->index];
        VECTOR_PUSH(&cone->assignments, draft);
        VECTOR_PUSH(&cone->next_assignment, *first);
        *first = (uint32_t)cone->assignments.count;
    }
    for (uint32_t i = 0; i < draft->child_count; i++)
        collect(cone, draft->child[i]);
}

static void close_over_assignments(struct cone *cone)
{
    while (cone->work.count > 0) {
        const struct variable *variable = VECTOR_POP(&cone->work);
        for (uint32_t i = cone->first_assignment[variable->index]; i > 0;
             i = cone->next_assignment.data[i - 1])
            mark(cone, cone->assignments.data[i - 1]->expression);
    }
}

// True when a variable went.
static bool reduce_once(struct draft_graph *graph)
{
    uint32_t count = graph->source->variable_count;
    struct cone cone = {.graph = graph};
    cone.matters = memory_zalloc(count + 1);
    cone.first_assignment = memory_zalloc((count + 1) * sizeof(uint32_t));
    collect(&cone, graph->initial_action);
    for (size_t i = 0; i < graph->edges.count; i++)
        collect(&cone, graph->edges.data[i].action);
    if (graph->property != NULL)
        mark(&cone, graph->property);
    close_over_assignments(&cone);
    bool changed = false;
    for (uint32_t v = 0; v < count; v++)
        if (graph->kept[v] && !cone.matters[v]) {
            graph->kept[v] = false;
            changed = true;
        }
    if (changed)
        draft_graph_drop_writes(graph);
    memory_free(cone.matters);
    memory_free(cone.first_assignment);
    VECTOR_FINISH(&cone.work);
    VECTOR_FINISH(&cone.assignments);
    VECTOR_FINISH(&cone.next_assignment);
    VECTOR_FINISH(&cone.scratch);
    return changed;
}

void prepare_cone(struct draft_graph *graph)
{
    while (reduce_once(graph))
        ;
}
