#include "model/prepare.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "model/accelerate.h"
#include "model/parts.h"
#include "model/phases.h"
#include "model/prepare_draft.h"
#include "model/reverse.h"

// The order of the transformations, and the way into and out of drafts.

// Each transformation can make room for others; they settle quickly.
#define ROUND_LIMIT 4

static void import(struct draft_graph *graph)
{
    const struct model *source = graph->source;
    graph->initial_action = draft_import(graph, source->initial_action);
    graph->property = source->property;
    graph->kept = memory_alloc(source->variable_count + 1);
    memset(graph->kept, true, source->variable_count + 1);
    for (uint32_t i = 0; i < source->edge_count; i++) {
        const struct edge *edge = source->edges[i];
        const struct edge **origin = arena_alloc(&graph->arena, sizeof(*origin));
        *origin = edge;
        VECTOR_PUSH(&graph->edges,
                    ((struct draft_edge){edge->source->index, edge->target->index,
                                         draft_import(graph, edge->action), origin, 1}));
    }
    assert(graph->edges.count == source->edge_count);
}

static size_t count_kept(const struct draft_graph *graph)
{
    size_t count = 0;
    for (uint32_t i = 0; i < graph->source->variable_count; i++)
        count += graph->kept[i];
    return count;
}

static void reduce(struct draft_graph *graph, const struct prepare_options *options)
{
    for (unsigned round = 0; round < ROUND_LIMIT && !draft_given_up(graph); round++) {
        size_t edges = graph->edges.count, variables = count_kept(graph);
        if (options->propagate_constants)
            prepare_constants(graph);
        if (options->cone_of_influence)
            prepare_cone(graph);
        prepare_trim(graph);
        if (options->encoding == PREPARE_LARGE_BLOCK)
            prepare_blocks(graph);
        if (graph->edges.count == edges && count_kept(graph) == variables)
            break;
    }
}

static void transform(struct draft_graph *graph, const struct prepare_options *options)
{
    reduce(graph, options);
    if (options->split_choices) {
        prepare_split(graph, options->split_limit, options->propagate_constants);
        reduce(graph, options);
    }
    if (options->encoding == PREPARE_LOOP_BLOCKS)
        prepare_merge(graph);
}

// Export.

struct export
{
    struct draft_graph *graph;
    struct model_builder *builder;
    const struct variable **variable;    // by the source's number
    VECTOR(const struct draft *) drafts; // by statement id to be
};

// Numbers statements as the builder's finish will: in preorder, in the order of the calls.
static struct statement *export_statement(struct export *export, const struct draft *draft)
{
    VECTOR_PUSH(&export->drafts, draft);
    struct model_builder *b = export->builder;
    struct statement **children = memory_alloc((draft->child_count + 1) * sizeof(*children));
    for (uint32_t i = 0; i < draft->child_count; i++)
        children[i] = export_statement(export, draft->child[i]);
    const struct variable *variable =
        draft->variable != NULL ? export->variable[draft->variable->index] : NULL;
    assert((draft->variable != NULL) == (variable != NULL) && "what was left out is not written");
    struct statement *made = NULL;
    switch (draft->kind) {
    case STATEMENT_SKIP:
        made = model_skip(b, draft->position);
        break;
    case STATEMENT_ASSIGN:
        made = model_assign(b, variable, draft->expression, draft->position);
        break;
    case STATEMENT_ASSUME:
        made = model_assume(b, draft->expression, draft->position);
        break;
    case STATEMENT_HAVOC:
        made = model_havoc(b, variable, draft->position);
        break;
    case STATEMENT_SEQUENCE:
        made = model_sequence(b, children, draft->child_count, draft->position);
        break;
    case STATEMENT_CHOICE:
        made = model_choice(b, children, draft->child_count, draft->position);
        break;
    case STATEMENT_IF:
        made = model_if(b, draft->expression, children[0], children[1], draft->position);
        break;
    }
    made->origin = draft->origin;
    memory_free(children);
    return made;
}

static void export_variables(struct export *export)
{
    const struct model *source = export->graph->source;
    export->variable = memory_zalloc((source->variable_count + 1) * sizeof(*export->variable));
    for (uint32_t i = 0; i < source->variable_count; i++) {
        const struct variable *v = source->variables[i];
        if (export->graph->kept[i])
            export->variable[i] =
                model_builder_variable(export->builder, v->name, v->sort, v->flags, v->source);
    }
}

// The locations that some edge touches, the initial and the error location, in the source's order.
static struct location **export_locations(struct export *export)
{
    const struct model *source = export->graph->source;
    struct location **made = memory_zalloc((source->location_count + 1) * sizeof(*made));
    bool *used = memory_zalloc(source->location_count);
    used[source->initial->index] = used[source->error->index] = true;
    for (size_t i = 0; i < export->graph->edges.count; i++) {
        used[export->graph->edges.data[i].source] = true;
        used[export->graph->edges.data[i].target] = true;
    }
    for (uint32_t i = 0; i < source->location_count; i++) {
        const struct location *l = source->locations[i];
        if (!used[i])
            continue;
        made[i] = model_builder_location(export->builder, l->name, l->phase, l->observable);
        made[i]->origin = l;
    }
    memory_free(used);
    return made;
}

// The first edge of the source that some part of a block begins.
static const struct edge *first_entered(const struct draft *draft)
{
    const struct edge *found = draft->enter_count > 0 ? draft->enters[0] : NULL;
    for (uint32_t i = 0; i < draft->child_count && found == NULL; i++)
        found = first_entered(draft->child[i]);
    return found;
}

static struct position position_of(const struct draft_edge *edge)
{
    const struct edge *first =
        edge->origin_count > 0 ? edge->origin[0] : first_entered(edge->action);
    return first != NULL ? first->position : (struct position){0};
}

static void add_label(struct text *label, const struct draft_edge *edge)
{
    text_clear(label);
    if (edge->origin_count == 0) {
        const struct edge *first = first_entered(edge->action);
        text_printf(label, "%s; …", first != NULL ? first->label : "");
        return;
    }
    text_add(label, edge->origin[0]->label);
    if (edge->origin_count > 2)
        text_add(label, "; …");
    if (edge->origin_count > 1)
        text_printf(label, "; %s", edge->origin[edge->origin_count - 1]->label);
}

// What the sequence as a whole settled goes with its first piece.
static const struct draft *piece_of(struct draft_graph *graph, const struct draft *action,
                                    uint32_t i)
{
    return i == 0 ? draft_settle(graph, action->child[0], action->settled) : action->child[i];
}

static void export_edge(struct export *export, struct location **location,
                        const struct draft_edge *draft, const char *label, bool cut)
{
    struct model_builder *b = export->builder;
    const struct edge **origin =
        arena_alloc(&b->memory->arena, (draft->origin_count + 1) * sizeof(*origin));
    if (draft->origin_count > 0)
        memcpy(origin, draft->origin, draft->origin_count * sizeof(*origin));
    cut = cut && draft->action->kind == STATEMENT_SEQUENCE;
    uint32_t count = cut ? draft->action->child_count : 1;
    struct location *from = location[draft->source];
    for (uint32_t i = 0; i < count; i++) {
        struct location *to = i + 1 < count ? model_builder_location(b, NULL, PHASE_NONE, false)
                                            : location[draft->target];
        const struct draft *action =
            cut ? piece_of(export->graph, draft->action, i) : draft->action;
        struct edge *edge = model_builder_edge(b, from, to, export_statement(export, action), label,
                                               position_of(draft));
        edge->origin = origin;
        edge->origin_count = draft->origin_count;
        edge->continues = i > 0;
        from = to;
    }
}

static void export_edges(struct export *export, struct location **location, bool cut)
{
    struct text label;
    text_init(&label);
    for (size_t i = 0; i < export->graph->edges.count; i++) {
        const struct draft_edge *draft = &export->graph->edges.data[i];
        add_label(&label, draft);
        export_edge(export, location, draft, text_string(&label), cut);
    }
    text_finish(&label);
}

static const struct settled *keep_settled(struct arena *arena, const struct settled *settled)
{
    const struct settled *kept = NULL;
    for (; settled != NULL; settled = settled->next) {
        struct settled *copy = arena_alloc(arena, sizeof *copy);
        *copy = (struct settled){settled->choice, settled->branch, kept};
        kept = copy;
    }
    return kept;
}

static struct entered keep_entered(struct arena *arena, const struct draft *draft)
{
    if (draft->enter_count == 0)
        return (struct entered){0};
    assert(draft->enters != NULL);
    const struct edge **edges = arena_alloc(arena, draft->enter_count * sizeof(*edges));
    memcpy(edges, draft->enters, draft->enter_count * sizeof(*edges));
    return (struct entered){edges, draft->enter_count};
}

static void number_edge(uint32_t *edge_of, const struct statement *statement, uint32_t edge)
{
    edge_of[statement->id] = edge;
    for (uint32_t i = 0; i < statement->child_count; i++)
        number_edge(edge_of, statement->child[i], edge);
}

// What prepare_map_trace needs to know.
static void export_map(struct export *export)
{
    struct model_memory *memory = export->builder->memory;
    struct arena *arena = &memory->arena;
    const struct model *source = export->graph->source;
    size_t count = export->drafts.count;
    memory->settled = arena_zalloc(arena, (count + 1) * sizeof(*memory->settled));
    memory->branches = arena_zalloc(arena, (count + 1) * sizeof(*memory->branches));
    struct entered *entered = arena_zalloc(arena, (count + 1) * sizeof *entered);
    memory->entered = entered;
    for (size_t i = 0; i < count; i++) {
        const struct draft *draft = export->drafts.data[i];
        memory->settled[i] = keep_settled(arena, draft->settled);
        entered[i] = keep_entered(arena, draft);
        if (draft->kind != STATEMENT_CHOICE)
            continue;
        uint32_t *branches = arena_alloc(arena, draft->child_count * sizeof *branches);
        memcpy(branches, draft->branch, draft->child_count * sizeof *branches);
        memory->branches[i] = branches;
    }
    memory->edge_of = arena_alloc(arena, (source->statement_count + 1) * sizeof *memory->edge_of);
    memory->lift = export->graph->lift;
    number_edge(memory->edge_of, source->initial_action, INITIAL_ACTION);
    for (uint32_t i = 0; i < source->edge_count; i++)
        number_edge(memory->edge_of, source->edges[i]->action, i);
}

static struct model *export_model(struct draft_graph *graph, bool cut)
{
    const struct model *source = graph->source;
    struct export export = {.graph = graph, .builder = graph->builder};
    export_variables(&export);
    struct location **location = export_locations(&export);
    model_builder_error(export.builder, location[source->error->index]);
    model_builder_initial(export.builder, location[source->initial->index],
                          export_statement(&export, graph->initial_action));
    export_edges(&export, location, cut);
    model_builder_property(export.builder, graph->property);
    export_map(&export);
    memory_free(location);
    memory_free(export.variable);
    struct model *model = model_builder_finish(graph->builder);
    assert(model->statement_count == export.drafts.count && "numbered in the same order");
    VECTOR_FINISH(&export.drafts);
    return model;
}

// NULL when it was given up.
static struct model *prepare_from(const struct model *source, const struct prepare_options *options)
{
    struct draft_graph graph = {
        .source = source, .builder = model_builder_prepare(source), .given_up = options->given_up};
    graph.store = model_builder_store(graph.builder);
    arena_init(&graph.arena);
    lift_init(&graph);
    import(&graph);
    transform(&graph, options);
    struct model *model = export_model(&graph, options->encoding == PREPARE_STATEMENTS);
    arena_finish(&graph.arena);
    VECTOR_FINISH(&graph.edges);
    memory_free(graph.kept);
    if (draft_given_up(&graph)) {
        model_destroy(model); // what was left out makes it wrong
        return NULL;
    }
    return model;
}

// Takes the recoded model over. NULL: there is none, or it was given up.
static struct model *prepare_recoded(struct model *recoded, const struct prepare_options *options)
{
    struct model *model = recoded != NULL ? prepare_from(recoded, options) : NULL;
    if (model != NULL)
        model->memory->recoded = recoded;
    else
        model_destroy(recoded);
    return model;
}

static struct model *prepare_any(const struct model *source, const struct prepare_options *options)
{
    if (recode_is_wanted(&options->recode))
        return prepare_recoded(recode_model(source, &options->recode, options->given_up), options);
    struct model *parts = parts_recode(source, options->given_up);
    return parts != NULL ? prepare_recoded(parts, options) : prepare_from(source, options);
}

struct model *prepare_model(const struct model *source, const struct prepare_options *options,
                            struct prepare_statistics *statistics)
{
    struct model *model = prepare_any(source, options);
    if (model != NULL && options->phases)
        model = phases_model(model, options->given_up);
    if (model != NULL && options->accelerate)
        model = accelerate_model(model, options->given_up);
    if (model == NULL)
        return NULL;
    if (options->reverse)
        model = reverse_model(model);
    assert(model_root(model) == model_root(source));
    if (statistics != NULL)
        *statistics = (struct prepare_statistics){
            .variables_before = source->variable_count,
            .variables_after = model->variable_count,
            .locations_before = source->location_count,
            .locations_after = model->location_count,
            .edges_before = source->edge_count,
            .edges_after = model->edge_count,
        };
    return model;
}
