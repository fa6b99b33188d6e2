#include <string.h>

#include "model/prepare_draft.h"

// A choice or `if` at the top level of an edge's action becomes parallel edges, one a branch.
// Values that only some branches know then stay known to the end of the edge.

struct variants {
    const struct draft **data;
    size_t count, capacity;
};

static const struct draft *branch_of(struct draft_graph *graph, const struct draft *split,
                                     uint32_t i)
{
    if (split->kind == STATEMENT_CHOICE) {
        const struct settled *settled =
            settled_add(graph, split->origin, split->branch[i], split->settled);
        return draft_settle(graph, split->child[i], settled);
    }
    const struct term *condition =
        i == 0 ? split->expression : term_not(graph->store, split->expression);
    const struct draft *parts[] = {draft_assume(graph, condition, split->position),
                                   split->child[i]};
    return draft_sequence(graph, parts, 2, split->settled);
}

static bool splits(const struct draft *draft)
{
    return draft->kind == STATEMENT_CHOICE || draft->kind == STATEMENT_IF;
}

// The first statement at the top level of the action that can be split; NULL if none.
static const struct draft *find_split(const struct draft *action, uint32_t *position)
{
    *position = 0;
    if (splits(action))
        return action;
    if (action->kind == STATEMENT_SEQUENCE)
        for (; *position < action->child_count; ++*position)
            if (splits(action->child[*position]))
                return action->child[*position];
    return NULL;
}

static const struct draft *with_branch(struct draft_graph *graph, const struct draft *action,
                                       uint32_t position, const struct draft *branch)
{
    if (action->kind != STATEMENT_SEQUENCE)
        return branch;
    const struct draft **children = memory_alloc(action->child_count * sizeof(*children));
    memcpy(children, action->child, action->child_count * sizeof(*children));
    children[position] = branch;
    const struct draft *made =
        draft_sequence(graph, children, action->child_count, action->settled);
    memory_free(children);
    return made;
}

// Adds the branches of one variant that can run; how many.
static size_t add_branches(struct draft_graph *graph, const struct draft *action,
                           const struct draft *split, uint32_t position, bool propagate,
                           struct variants *out)
{
    size_t before = out->count;
    for (uint32_t i = 0; i < split->child_count; i++) {
        const struct draft *variant =
            with_branch(graph, action, position, branch_of(graph, split, i));
        if (propagate)
            variant = prepare_propagate(graph, variant);
        if (variant != NULL)
            VECTOR_PUSH(out, variant);
    }
    return out->count - before;
}

// Splits every variant once where the limit allows. True when one was split.
static bool split_round(struct draft_graph *graph, struct variants *variants, uint32_t limit,
                        bool propagate)
{
    struct variants next = {0};
    size_t total = variants->count;
    bool changed = false;
    for (size_t v = 0; v < variants->count; v++) {
        uint32_t position;
        const struct draft *action = variants->data[v];
        const struct draft *split = find_split(action, &position);
        if (split == NULL || total - 1 + split->child_count > limit) {
            VECTOR_PUSH(&next, action);
            continue;
        }
        total += add_branches(graph, action, split, position, propagate, &next);
        total--;
        changed = true;
    }
    VECTOR_FINISH(variants);
    *variants = next;
    return changed;
}

void prepare_split(struct draft_graph *graph, uint32_t limit, bool propagate)
{
    VECTOR(struct draft_edge) edges = {0};
    for (size_t e = 0; e < graph->edges.count; e++) {
        struct draft_edge edge = graph->edges.data[e];
        struct variants variants = {0};
        VECTOR_PUSH(&variants, edge.action);
        while (split_round(graph, &variants, limit, propagate))
            ;
        for (size_t v = 0; v < variants.count; v++) {
            edge.action = variants.data[v];
            VECTOR_PUSH(&edges, edge);
        }
        VECTOR_FINISH(&variants);
    }
    VECTOR_RESERVE(&graph->edges, edges.count);
    if (edges.count > 0)
        memcpy(graph->edges.data, edges.data, edges.count * sizeof *edges.data);
    graph->edges.count = edges.count;
    VECTOR_FINISH(&edges);
}
