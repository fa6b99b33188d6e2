#include <stdlib.h>

#include "logic/terms/rewrite.h"
#include "model/prepare_draft.h"

// Conditional constant propagation over the graph (in the manner of Wegman and Zadeck 1991): which
// variables hold a known literal whenever a location is reached. Edges that cannot run under the
// known values lead nowhere. At the end every action is rewritten under the values of its source.

#define SCRATCH_BYTES (16u << 20)

// What is known at a place. There are far fewer than variables.
struct facts {
    bool reached;
    struct draft_fact *data;
    size_t count;
};

struct propagation {
    struct draft_graph *graph;
    size_t variable_count;
    struct facts *at;        // by location
    const struct term **now; // while an action is walked, by variable: literal or NULL
    // The variables that had one since set_all, each once.
    uint32_t *touched;
    size_t touched_count;
    bool *is_touched;
    struct rewrite_cache *cache;
    bool changed; // now, since the cache looked at it
};

static const struct term *known_value(void *context, const struct term *variable)
{
    const struct propagation *p = context;
    const struct variable *found = model_variable_of(p->graph->source, variable);
    const struct term *known = found != NULL ? p->now[found->index] : NULL;
    return known != NULL ? known : variable;
}

static const struct term *rewrite(struct propagation *p, const struct term *term)
{
    if (!(term->flags & TERM_HAS_VARIABLE))
        return term;
    bool changed =
        p->changed && term->kind != TERM_VAR; // of a variable alone the cache asks nothing
    p->changed = p->changed && !changed;
    return changed ? rewrite_substitute_cached(p->cache, term, known_value, p)
                   : rewrite_substitute_unchanged(p->cache, term, known_value, p);
}

static void set_now(struct propagation *p, uint32_t variable, const struct term *literal)
{
    p->changed |= p->now[variable] != literal;
    p->now[variable] = literal;
    if (!p->is_touched[variable]) {
        p->is_touched[variable] = true;
        p->touched[p->touched_count++] = variable;
    }
}

static void set_all(struct propagation *p, const struct facts *facts)
{
    for (size_t i = 0; i < p->touched_count; i++) {
        p->now[p->touched[i]] = NULL;
        p->is_touched[p->touched[i]] = false;
    }
    p->touched_count = 0;
    for (size_t i = 0; i < facts->count; i++)
        set_now(p, facts->data[i].variable, facts->data[i].literal);
    p->changed = true;
}

static void learn_one(struct propagation *p, const struct term *variable,
                      const struct term *literal)
{
    const struct variable *found =
        variable->kind == TERM_VAR ? model_variable_of(p->graph->source, variable) : NULL;
    if (found != NULL)
        set_now(p, found->index, literal);
}

// What a condition that holds says about single variables.
static void learn(struct propagation *p, const struct term *condition)
{
    struct term_store *store = p->graph->store;
    struct term_vector conjuncts = {0};
    rewrite_conjuncts(condition, &conjuncts);
    for (size_t i = 0; i < conjuncts.count; i++) {
        const struct term *c = conjuncts.data[i];
        if (c->kind == TERM_VAR)
            learn_one(p, c, term_true(store));
        else if (c->kind == TERM_NOT)
            learn_one(p, c->child[0], term_false(store));
        else if (c->kind == TERM_EQ && term_is_literal(c->child[1]))
            learn_one(p, c->child[0], c->child[1]);
        else if (c->kind == TERM_EQ && term_is_literal(c->child[0]))
            learn_one(p, c->child[1], c->child[0]);
    }
    VECTOR_FINISH(&conjuncts);
}

static struct facts facts_now(const struct propagation *p)
{
    struct facts out = {.reached = true};
    out.data = memory_alloc((p->touched_count + 1) * sizeof *out.data);
    for (size_t i = 0; i < p->touched_count; i++) {
        const uint32_t variable = p->touched[i];
        if (p->now[variable] != NULL)
            out.data[out.count++] = (struct draft_fact){variable, p->now[variable]};
    }
    return out;
}

// Keeps in `into` what is known now, too. True when something was forgotten.
static bool intersect(const struct propagation *p, struct facts *into)
{
    size_t kept = 0;
    for (size_t i = 0; i < into->count; i++)
        if (p->now[into->data[i].variable] == into->data[i].literal)
            into->data[kept++] = into->data[i];
    const bool changed = kept != into->count;
    into->count = kept;
    return changed;
}

static const struct draft *walk(struct propagation *p, const struct draft *draft);

static const struct draft *walk_sequence(struct propagation *p, const struct draft *draft)
{
    const struct draft **children = memory_alloc((draft->child_count + 1) * sizeof(*children));
    const struct draft *result = NULL;
    uint32_t i = 0;
    while (i < draft->child_count && (children[i] = walk(p, draft->child[i])) != NULL)
        i++;
    if (i == draft->child_count)
        result = draft_sequence(p->graph, children, draft->child_count, draft->settled);
    memory_free(children);
    return result;
}

static const struct draft *walk_assume(struct propagation *p, const struct draft *draft)
{
    const struct term *condition = rewrite(p, draft->expression);
    if (term_is_false(condition))
        return NULL;
    if (term_is_true(condition))
        return draft_skip(p->graph, draft->settled);
    learn(p, condition);
    return draft_with_expression(p->graph, draft, condition);
}

static const struct draft *walk_assign(struct propagation *p, const struct draft *draft)
{
    const struct term *value = rewrite(p, draft->expression);
    const struct term *known = p->now[draft->variable->index];
    bool changes = value != known && value != draft->variable->term;
    if (!changes)
        return draft_skip(p->graph, draft->settled);
    set_now(p, draft->variable->index, term_is_literal(value) ? value : NULL);
    return draft_with_expression(p->graph, draft, value);
}

// Walks a branch from the values `before`, knowing `condition` (may be NULL). Joins what is known
// afterwards into `after` (not reached so far when no branch could run).
static const struct draft *walk_branch(struct propagation *p, const struct draft *branch,
                                       const struct facts *before, const struct term *condition,
                                       struct facts *after)
{
    set_all(p, before);
    if (condition != NULL)
        learn(p, condition);
    const struct draft *walked = walk(p, branch);
    if (walked == NULL)
        return NULL;
    if (!after->reached)
        *after = facts_now(p);
    else
        (void)intersect(p, after);
    return walked;
}

static void leave_branches(struct propagation *p, const struct facts *before,
                           const struct facts *after)
{
    if (after->reached)
        set_all(p, after);
    memory_free(before->data);
    memory_free(after->data);
}

static const struct draft *walk_choice(struct propagation *p, const struct draft *draft)
{
    struct facts before = facts_now(p), after = {0};
    const struct draft **children = memory_alloc(draft->child_count * sizeof(*children));
    uint32_t *branch = memory_alloc(draft->child_count * sizeof *branch);
    size_t count = 0;
    for (uint32_t i = 0; i < draft->child_count; i++) {
        children[count] = walk_branch(p, draft->child[i], &before, NULL, &after);
        branch[count] = draft->branch[i];
        count += children[count] != NULL;
    }
    leave_branches(p, &before, &after);
    const struct draft *result =
        count > 0 ? draft_choice(p->graph, draft, children, branch, count) : NULL;
    memory_free(children);
    memory_free(branch);
    return result;
}

static const struct draft *assume_then(struct draft_graph *graph, const struct draft *like,
                                       const struct term *condition, const struct draft *branch)
{
    const struct draft *parts[] = {draft_assume(graph, condition, like->position), branch};
    return draft_sequence(graph, parts, 2, like->settled);
}

static const struct draft *walk_if(struct propagation *p, const struct draft *draft)
{
    const struct term *condition = rewrite(p, draft->expression);
    if (term_is_literal(condition)) {
        const struct draft *taken = walk(p, draft->child[term_is_true(condition) ? 0 : 1]);
        return taken != NULL ? draft_settle(p->graph, taken, draft->settled) : NULL;
    }
    const struct term *negation = term_not(p->graph->store, condition);
    struct facts before = facts_now(p), after = {0};
    const struct draft *then = walk_branch(p, draft->child[0], &before, condition, &after);
    const struct draft *otherwise = walk_branch(p, draft->child[1], &before, negation, &after);
    leave_branches(p, &before, &after);
    if (then == NULL && otherwise == NULL)
        return NULL;
    if (otherwise == NULL)
        return assume_then(p->graph, draft, condition, then);
    if (then == NULL)
        return assume_then(p->graph, draft, negation, otherwise);
    return draft_if(p->graph, draft, condition, then, otherwise);
}

// Rewrites an action under p->now, which becomes what is known after it. NULL when it cannot run.
static const struct draft *walk(struct propagation *p, const struct draft *draft)
{
    if (draft_given_up(p->graph))
        return draft;
    switch (draft->kind) {
    case STATEMENT_SKIP:
        return draft;
    case STATEMENT_ASSIGN:
        return walk_assign(p, draft);
    case STATEMENT_ASSUME:
        return walk_assume(p, draft);
    case STATEMENT_HAVOC:
        set_now(p, draft->variable->index, NULL);
        return draft;
    case STATEMENT_SEQUENCE:
        return walk_sequence(p, draft);
    case STATEMENT_CHOICE:
        return walk_choice(p, draft);
    case STATEMENT_IF:
        return walk_if(p, draft);
    }
    return draft;
}

static bool arrive(struct propagation *p, uint32_t location)
{
    if (p->at[location].reached)
        return intersect(p, &p->at[location]);
    p->at[location] = facts_now(p);
    return true;
}

// Walks every edge of a location. True when some location must be looked at (again).
static bool leave_location(struct propagation *p, const struct draft_outgoing *outgoing,
                           uint32_t location, bool *waiting)
{
    bool again = false;
    for (uint32_t i = outgoing->first[location]; i < outgoing->first[location + 1]; i++) {
        const struct draft_edge *edge = &p->graph->edges.data[outgoing->edge[i]];
        set_all(p, &p->at[location]);
        if (walk(p, edge->action) != NULL && arrive(p, edge->target))
            again = waiting[edge->target] = true;
    }
    return again;
}

static void find_fixpoint(struct propagation *p)
{
    struct draft_graph *graph = p->graph;
    // What walking makes before the values are final is of no use later.
    struct arena kept = graph->arena;
    arena_init(&graph->arena);
    struct draft_outgoing outgoing = draft_outgoing_make(graph);
    uint32_t count = graph->source->location_count;
    bool *waiting = memory_zalloc(count);
    waiting[graph->source->initial->index] = true;
    for (bool again = true; again && !draft_given_up(graph);) {
        again = false;
        for (uint32_t l = 0; l < count; l++) {
            if (!waiting[l])
                continue;
            waiting[l] = false;
            again = leave_location(p, &outgoing, l, waiting) || again;
            if (graph->arena.bytes > SCRATCH_BYTES) {
                arena_finish(&graph->arena);
                arena_init(&graph->arena);
            }
        }
    }
    memory_free(waiting);
    draft_outgoing_finish(&outgoing);
    arena_finish(&graph->arena);
    graph->arena = kept;
}

static void rewrite_edges(struct propagation *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->graph->edges.count; i++) {
        struct draft_edge edge = p->graph->edges.data[i];
        if (!p->at[edge.source].reached)
            continue;
        set_all(p, &p->at[edge.source]);
        edge.action = walk(p, edge.action);
        if (edge.action != NULL)
            p->graph->edges.data[kept++] = edge;
    }
    p->graph->edges.count = kept;
}

// What is known at every location that is reached becomes what is known now.
static void meet_everywhere(struct propagation *p)
{
    set_all(p, &p->at[p->graph->source->initial->index]);
    struct facts all = facts_now(p);
    for (uint32_t l = 0; l < p->graph->source->location_count; l++) {
        if (!p->at[l].reached)
            continue;
        set_all(p, &p->at[l]);
        (void)intersect(p, &all);
    }
    set_all(p, &all);
    memory_free(all.data);
}

// Variables that are the same everywhere and that nothing reads any more need not exist.
static void drop_constants(struct propagation *p)
{
    struct draft_graph *graph = p->graph;
    bool *read = memory_zalloc(p->variable_count + 1);
    draft_mark_reads(graph, graph->initial_action, read);
    for (size_t i = 0; i < graph->edges.count; i++)
        draft_mark_reads(graph, graph->edges.data[i].action, read);
    bool dropped = false;
    meet_everywhere(p);
    for (size_t i = 0; i < p->touched_count; i++) {
        const uint32_t v = p->touched[i];
        if (!graph->kept[v] || read[v])
            set_now(p, v, NULL);
        if (p->now[v] == NULL)
            continue;
        graph->kept[v] = false;
        dropped = true;
    }
    if (dropped) {
        draft_graph_drop_writes(graph);
        if (graph->property != NULL)
            graph->property = rewrite(p, graph->property);
    }
    memory_free(read);
}

static int by_variable(const void *a, const void *b)
{
    const uint32_t x = ((const struct draft_fact *)a)->variable,
                   y = ((const struct draft_fact *)b)->variable;
    return x < y ? -1 : x > y;
}

static void remember(struct propagation *p)
{
    for (uint32_t l = 0; l < p->graph->source->location_count; l++) {
        const struct facts *known = &p->at[l];
        if (known->count > 0)
            qsort(known->data, known->count, sizeof *known->data, by_variable);
        if (known->reached)
            lift_learn(p->graph, l, known->data, known->count);
        else
            lift_settle(p->graph, l, FATE_UNREACHABLE);
    }
}

// The initial action can never run: there is no run at all.
static void make_empty(struct draft_graph *graph)
{
    graph->initial_action = draft_assume(graph, term_false(graph->store), (struct position){0});
    graph->edges.count = 0;
    for (uint32_t l = 0; l < graph->source->location_count; l++)
        lift_settle(graph, l, FATE_UNREACHABLE);
}

static void begin(struct propagation *p, struct draft_graph *graph)
{
    const size_t variables = graph->source->variable_count + 1;
    *p = (struct propagation){.graph = graph, .variable_count = graph->source->variable_count};
    p->now = memory_zalloc(variables * sizeof *p->now);
    p->touched = memory_alloc(variables * sizeof *p->touched);
    p->is_touched = memory_zalloc(variables * sizeof *p->is_touched);
    p->cache = rewrite_cache_create(graph->store);
}

static void finish(struct propagation *p)
{
    memory_free(p->now);
    memory_free(p->touched);
    memory_free(p->is_touched);
    rewrite_cache_destroy(p->cache);
}

void prepare_constants(struct draft_graph *graph)
{
    const size_t locations = graph->source->location_count;
    struct propagation p;
    begin(&p, graph);
    p.at = memory_zalloc(locations * sizeof(*p.at));
    const struct draft *initial = walk(&p, graph->initial_action);
    if (initial != NULL) {
        graph->initial_action = initial;
        (void)arrive(&p, graph->source->initial->index);
        find_fixpoint(&p);
        remember(&p);
        rewrite_edges(&p);
        drop_constants(&p);
    } else {
        make_empty(graph);
    }
    for (size_t l = 0; l < locations; l++)
        memory_free(p.at[l].data);
    memory_free(p.at);
    finish(&p);
}

const struct draft *prepare_propagate(struct draft_graph *graph, const struct draft *action)
{
    struct propagation p;
    begin(&p, graph);
    const struct draft *rewritten = walk(&p, action);
    finish(&p);
    return rewritten;
}
