#include "model/prepare_draft.h"

#include <assert.h>
#include <string.h>

#include "logic/terms/rewrite.h"

static struct draft *make(struct draft_graph *graph, enum statement_kind kind)
{
    struct draft *draft = arena_zalloc(&graph->arena, sizeof *draft);
    draft->kind = kind;
    return draft;
}

static struct draft *copy(struct draft_graph *graph, const struct draft *like)
{
    struct draft *draft = arena_alloc(&graph->arena, sizeof *draft);
    *draft = *like;
    return draft;
}

static const struct draft *const *keep_children(struct draft_graph *graph,
                                                const struct draft *const *children, size_t count)
{
    const struct draft **kept = arena_alloc(&graph->arena, (count + 1) * sizeof(*kept));
    if (count > 0)
        memcpy(kept, children, count * sizeof(*kept));
    return kept;
}

const struct settled *settled_add(struct draft_graph *graph, const struct statement *choice,
                                  uint32_t branch, const struct settled *next)
{
    if (choice == NULL)
        return next;
    assert(choice->kind == STATEMENT_CHOICE && branch < choice->child_count);
    struct settled *settled = arena_alloc(&graph->arena, sizeof *settled);
    *settled = (struct settled){choice, branch, next};
    return settled;
}

static const struct settled *settled_join(struct draft_graph *graph, const struct settled *a,
                                          const struct settled *b)
{
    if (b == NULL)
        return a;
    for (; a != NULL; a = a->next)
        b = settled_add(graph, a->choice, a->branch, b);
    return b;
}

const struct draft *draft_settle(struct draft_graph *graph, const struct draft *draft,
                                 const struct settled *settled)
{
    if (settled == NULL)
        return draft;
    struct draft *settling = copy(graph, draft);
    settling->settled = settled_join(graph, settled, draft->settled);
    return settling;
}

const struct draft *draft_skip(struct draft_graph *graph, const struct settled *settled)
{
    struct draft *skip = make(graph, STATEMENT_SKIP);
    skip->settled = settled;
    return skip;
}

const struct draft *draft_assume(struct draft_graph *graph, const struct term *condition,
                                 struct position position)
{
    assert(condition->sort->kind == SORT_BOOL);
    struct draft *assume = make(graph, STATEMENT_ASSUME);
    assume->expression = condition;
    assume->position = position;
    return assume;
}

const struct draft *draft_sequence(struct draft_graph *graph, const struct draft *const *children,
                                   size_t count, const struct settled *settled)
{
    size_t flat_count = 0;
    for (size_t i = 0; i < count; i++)
        flat_count += children[i]->kind == STATEMENT_SEQUENCE ? children[i]->child_count : 1;
    const struct draft **flat = arena_alloc(&graph->arena, (flat_count + 1) * sizeof(*flat));
    flat_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct draft *child = children[i];
        if (child->kind == STATEMENT_SKIP) {
            settled = settled_join(graph, child->settled, settled);
        } else if (child->kind == STATEMENT_SEQUENCE) {
            settled = settled_join(graph, child->settled, settled);
            memcpy(flat + flat_count, child->child, child->child_count * sizeof(*flat));
            flat_count += child->child_count;
        } else {
            flat[flat_count++] = child;
        }
    }
    if (flat_count == 0)
        return draft_skip(graph, settled);
    if (flat_count == 1)
        return draft_settle(graph, flat[0], settled);
    struct draft *sequence = make(graph, STATEMENT_SEQUENCE);
    sequence->child = flat;
    sequence->child_count = (uint32_t)flat_count;
    sequence->settled = settled;
    return sequence;
}

// Branches that do nothing are all the same: one of them is enough.
static size_t drop_repeated_skips(const struct draft *const *children, const uint32_t *branch,
                                  size_t count, const struct draft **kept, uint32_t *kept_branch)
{
    size_t kept_count = 0;
    bool skips = false;
    for (size_t i = 0; i < count; i++) {
        if (children[i]->kind == STATEMENT_SKIP && skips)
            continue;
        skips = skips || children[i]->kind == STATEMENT_SKIP;
        kept[kept_count] = children[i];
        kept_branch[kept_count++] = branch[i];
    }
    assert(kept_count > 0 && kept_count <= count);
    return kept_count;
}

const struct draft *draft_choice(struct draft_graph *graph, const struct draft *like,
                                 const struct draft *const *children, const uint32_t *branch,
                                 size_t count)
{
    assert(count > 0);
    const struct draft **different = arena_alloc(&graph->arena, count * sizeof(*different));
    uint32_t *branches = arena_alloc(&graph->arena, count * sizeof *branches);
    count = drop_repeated_skips(children, branch, count, different, branches);
    children = different;
    branch = branches;
    if (count == 1) {
        const struct settled *settled = settled_add(graph, like->origin, branch[0], like->settled);
        return draft_settle(graph, children[0], settled);
    }
    struct draft *choice = copy(graph, like);
    choice->branch = branch;
    choice->child = children;
    choice->child_count = (uint32_t)count;
    return choice;
}

const struct draft *draft_if(struct draft_graph *graph, const struct draft *like,
                             const struct term *condition, const struct draft *then,
                             const struct draft *otherwise)
{
    assert(condition->sort->kind == SORT_BOOL && like->kind == STATEMENT_IF);
    if (then->kind == STATEMENT_SKIP && otherwise->kind == STATEMENT_SKIP) {
        // A choice that the source would not run is settled in vain, which harms nothing.
        const struct settled *settled = settled_join(graph, then->settled, otherwise->settled);
        return draft_skip(graph, settled_join(graph, settled, like->settled));
    }
    struct draft *made = copy(graph, like);
    made->expression = condition;
    made->child = keep_children(graph, (const struct draft *[]){then, otherwise}, 2);
    return made;
}

const struct draft *draft_with_expression(struct draft_graph *graph, const struct draft *like,
                                          const struct term *expression)
{
    if (expression == like->expression)
        return like;
    assert(expression->sort == like->expression->sort);
    struct draft *made = copy(graph, like);
    made->expression = expression;
    return made;
}

static const struct draft *import_sequence(struct draft_graph *graph,
                                           const struct statement *statement)
{
    const struct draft **children = memory_alloc((statement->child_count + 1) * sizeof(*children));
    for (uint32_t i = 0; i < statement->child_count; i++)
        children[i] = draft_import(graph, statement->child[i]);
    const struct draft *sequence = draft_sequence(graph, children, statement->child_count, NULL);
    memory_free(children);
    return sequence;
}

const struct draft *draft_import(struct draft_graph *graph, const struct statement *statement)
{
    if (statement->kind == STATEMENT_SEQUENCE)
        return import_sequence(graph, statement);
    struct draft *draft = make(graph, statement->kind);
    draft->origin = statement;
    draft->variable = statement->variable;
    draft->expression = statement->expression;
    draft->position = statement->source;
    draft->child_count = statement->child_count;
    const struct draft **child =
        arena_alloc(&graph->arena, (statement->child_count + 1) * sizeof(*child));
    uint32_t *branch = arena_alloc(&graph->arena, (statement->child_count + 1) * sizeof *branch);
    for (uint32_t i = 0; i < statement->child_count; i++) {
        child[i] = draft_import(graph, statement->child[i]);
        branch[i] = i;
    }
    draft->child = child;
    draft->branch = branch;
    if (statement->kind == STATEMENT_CHOICE && statement->child_count == 1)
        return draft_choice(graph, draft, child, branch, 1);
    return draft;
}

static void mark_reads(const struct draft_graph *graph, const struct draft *draft, bool *read,
                       struct term_vector *scratch)
{
    if (draft->expression != NULL) {
        VECTOR_CLEAR(scratch);
        rewrite_free_variables(draft->expression, scratch);
        for (size_t i = 0; i < scratch->count; i++) {
            const struct variable *found = model_variable_of(graph->source, scratch->data[i]);
            if (found != NULL)
                read[found->index] = true;
        }
    }
    for (uint32_t i = 0; i < draft->child_count; i++)
        mark_reads(graph, draft->child[i], read, scratch);
}

void draft_mark_reads(const struct draft_graph *graph, const struct draft *draft, bool *read)
{
    struct term_vector scratch = {0};
    mark_reads(graph, draft, read, &scratch);
    VECTOR_FINISH(&scratch);
}

const struct draft *draft_without_writes(struct draft_graph *graph, const struct draft *draft)
{
    if (draft->variable != NULL)
        return graph->kept[draft->variable->index] ? draft : draft_skip(graph, draft->settled);
    if (draft->child_count == 0)
        return draft;
    const struct draft **children = memory_alloc(draft->child_count * sizeof(*children));
    for (uint32_t i = 0; i < draft->child_count; i++)
        children[i] = draft_without_writes(graph, draft->child[i]);
    const struct draft *result;
    if (draft->kind == STATEMENT_SEQUENCE)
        result = draft_sequence(graph, children, draft->child_count, draft->settled);
    else if (draft->kind == STATEMENT_CHOICE)
        result = draft_choice(graph, draft, children, draft->branch, draft->child_count);
    else
        result = draft_if(graph, draft, draft->expression, children[0], children[1]);
    memory_free(children);
    return result;
}

void draft_graph_drop_writes(struct draft_graph *graph)
{
    graph->initial_action = draft_without_writes(graph, graph->initial_action);
    for (size_t i = 0; i < graph->edges.count; i++)
        graph->edges.data[i].action = draft_without_writes(graph, graph->edges.data[i].action);
}

struct draft_outgoing draft_outgoing_make(const struct draft_graph *graph)
{
    uint32_t locations = graph->source->location_count;
    struct draft_outgoing outgoing = {
        memory_zalloc((locations + 2) * sizeof(uint32_t)),
        memory_zalloc((graph->edges.count + 1) * sizeof(uint32_t)),
    };
    // Counted one slot further on, so that filling in moves the starts into place.
    for (size_t i = 0; i < graph->edges.count; i++)
        outgoing.first[graph->edges.data[i].source + 2]++;
    for (uint32_t i = 2; i < locations + 2; i++)
        outgoing.first[i] += outgoing.first[i - 1];
    for (size_t i = 0; i < graph->edges.count; i++)
        outgoing.edge[outgoing.first[graph->edges.data[i].source + 1]++] = (uint32_t)i;
    assert(outgoing.first[locations] == graph->edges.count || locations == 0);
    return outgoing;
}

void draft_outgoing_finish(struct draft_outgoing *outgoing)
{
    memory_free(outgoing->first);
    memory_free(outgoing->edge);
}
