#include <assert.h>

#include "base/memory.h"
#include "engines/cegar/cegar.h"

// One round of refinement.

struct spurious {
    uint32_t *nodes; // root first
    const struct edge **edges;
    size_t length; // edges
    struct refutation refutation;
    bool refuted; // refutation is filled
    bool used;
};

struct round {
    struct spurious *items;
    size_t count;
};

#ifndef NDEBUG
// Its edges follow one another from the initial location to the error.
static bool is_path(const struct cegar *c, const struct spurious *s)
{
    const struct location *at = c->workspace.model->initial;
    for (size_t i = 0; i < s->length; i++) {
        if (s->edges[i]->source != at)
            return false;
        at = s->edges[i]->target;
    }
    return at == c->workspace.model->error;
}
#endif

static void collect(struct cegar *c, uint32_t error, struct spurious *s)
{
    s->length = graph_node(&c->graph, error)->depth;
    s->nodes = memory_alloc((s->length + 1) * sizeof *s->nodes);
    s->edges = memory_alloc((s->length + 1) * sizeof *s->edges);
    for (uint32_t at = error; at != NODE_NONE; at = graph_node(&c->graph, at)->parent) {
        const struct node *n = graph_node(&c->graph, at);
        s->nodes[n->depth] = at;
        if (n->depth)
            s->edges[n->depth - 1] = n->edge;
    }
    assert(is_path(c, s));
}

static void round_init(struct round *r, struct cegar *c)
{
    r->count = c->errors.count;
    r->items = memory_zalloc(r->count * sizeof *r->items);
    for (size_t i = 0; i < r->count; i++)
        collect(c, c->errors.data[i], &r->items[i]);
}

static void spurious_finish(struct spurious *s)
{
    if (s->refuted)
        refutation_finish(&s->refutation);
    memory_free(s->nodes);
    memory_free(s->edges);
}

static void round_finish(struct round *r)
{
    for (size_t i = 0; i < r->count; i++)
        spurious_finish(&r->items[i]);
    memory_free(r->items);
}

static struct advice report(struct cegar *c, const struct spurious *s, size_t index, size_t count)
{
    VECTOR_CLEAR(&c->items);
    struct hash128 hash = hash128_seed(0xcec);
    for (size_t i = 0; i <= s->length; i++) {
        VECTOR_PUSH(&c->items, graph_node(&c->graph, s->nodes[i])->state);
        if (i < s->length)
            VECTOR_PUSH(&c->items, s->edges[i]->id);
    }
    for (size_t i = 0; i < c->items.count; i++)
        hash = hash128_add(hash, c->items.data[i]);
    assert(c->items.count == 2 * s->length + 1);
    struct counterexample counterexample = {
        .items = c->items.data,
        .count = c->items.count,
        .hash = hash,
        .precision_id = domain_head(c->domain)->precision_id,
        .encode_graph = graph_encode,
        .graph = &c->graph,
    };
    return cegar_tell(c, (struct engine_event){.kind = EVENT_COUNTEREXAMPLE,
                                               .counterexample = &counterexample,
                                               .index = index,
                                               .count = count});
}

// Mitigation (Ádám 2023, Algorithm 6.2): a known counterexample stays in the graph, and the search goes
// on past it.
static void pass_over(struct cegar *c, uint32_t error)
{
    if (!c->passed_over)
        c->passed_precision = domain_head(c->domain)->precision_id;
    c->passed_over = true;
    if (c->environment->fault != ENGINE_FAULT_KNOWN_PATHS_COVER)
        graph_bar_path(&c->graph, error);
}

// Tells of all counterexamples and keeps those that are to be refined.
static void report_all(struct cegar *c, struct round *r)
{
    size_t kept = 0, count = r->count;
    for (size_t i = 0; i < count; i++) {
        struct spurious *s = &r->items[i];
        if (report(c, s, i, count).kind == ADVICE_KEEP_SEARCHING) {
            pass_over(c, s->nodes[s->length]);
            spurious_finish(s);
        } else {
            r->items[kept++] = *s;
        }
    }
    r->count = kept;
}

static uint64_t largest_element(const struct round *round)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < round->count; i++) {
        const struct refutation *r = &round->items[i].refutation;
        for (size_t k = 0; k < r->node_count; k++)
            if (r->interpolant[k] != NULL && r->interpolant[k]->tree_size > largest)
                largest = r->interpolant[k]->tree_size;
    }
    return largest;
}

// By node. The caller frees it.
static const struct term **states_of(struct cegar *c, const struct spurious *s)
{
    const struct term **states = memory_alloc((s->length + 1) * sizeof *states);
    for (size_t i = 0; i <= s->length; i++)
        states[i] = c->operations->formula(c->domain, graph_node(&c->graph, s->nodes[i])->state);
    return states;
}

// Feasibility of all before any is refuted: a single feasible one ends the attempt.
static enum cegar_step check_all(struct cegar *c, const struct round *r, struct trace **trace)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct spurious *s = &r->items[i];
        // Where states are values of all variables a run through these very states is soon found.
        bool values = workspace_option(&c->workspace, OPTION_INITPREC) == INITPREC_ALLVARS;
        const struct term **states = values ? states_of(c, s) : NULL;
        c->refuter.states = states;
        enum refute_result result = refute_check(&c->refuter, s->edges, s->length, trace);
        c->refuter.states = NULL;
        memory_free(states);
        switch (result) {
        case REFUTE_SPURIOUS:
            break;
        case REFUTE_FEASIBLE:
            return CEGAR_UNSAFE;
        case REFUTE_FAILED:
        case REFUTE_STOPPED:
            return CEGAR_END;
        }
    }
    return CEGAR_GO_ON;
}

static bool refute_one(struct cegar *c, struct spurious *s)
{
    const struct term **states = states_of(c, s);
    s->refuted =
        refute(&c->refuter, s->edges, s->length, states, &s->refutation) == REFUTE_SPURIOUS;
    memory_free(states);
    return s->refuted;
}

static uint32_t pruning_point(const struct spurious *s)
{
    assert(s->refuted && s->refutation.prune <= s->length);
    return s->nodes[s->refutation.prune];
}

// Chooses the counterexamples that are used: all, or with MULTI_SEQ those above whose pruning point
// there is no other one's.
static void choose(struct cegar *c, struct round *r)
{
    bool minimal = workspace_option(&c->workspace, OPTION_REFINEMENT) == REFINEMENT_MULTI_SEQ;
    uint8_t *point = memory_zalloc(c->graph.nodes.count);
    for (size_t i = 0; i < r->count; i++)
        point[pruning_point(&r->items[i])] = 1;
    for (size_t i = 0; i < r->count; i++) {
        struct spurious *s = &r->items[i];
        s->used = true;
        for (size_t k = 0; minimal && k < s->refutation.prune && s->used; k++)
            s->used = !point[s->nodes[k]];
    }
    memory_free(point);
}

static bool add_precision(struct cegar *c, const struct spurious *s)
{
    assert(s->refutation.node_count == s->length + 1);
    const struct refutation *r = &s->refutation;
    bool changed = false;
    for (size_t i = 0; i < r->node_count; i++) {
        uint32_t location = graph_node(&c->graph, s->nodes[i])->location;
        if (r->interpolant[i] != NULL || r->variables[i].count)
            changed |= c->operations->refine(c->domain, c->workspace.model->locations[location],
                                             r->interpolant[i], r->variables[i].data,
                                             r->variables[i].count);
    }
    return changed;
}

// Nodes are only removed meanwhile, so a free one is one that another's pruning took along.
static void prune(struct cegar *c, const struct round *r)
{
    if (workspace_option(&c->workspace, OPTION_PRUNE) == PRUNE_FULL) {
        cegar_clear_graph(c);
        return;
    }
    bool root = false;
    for (size_t i = 0; i < r->count; i++) {
        uint32_t node = pruning_point(&r->items[i]);
        if (!r->items[i].used || graph_node(&c->graph, node)->status == NODE_FREE)
            continue;
        root |= graph_node(&c->graph, node)->parent == NODE_NONE;
        graph_prune(&c->graph, node);
    }
    if (root) // the initial states are computed anew, at the new precision
        cegar_add_initial(c);
}

// Whether all that follows is a function of the precision, given that each refutation has a solver of its own: the graph is
// built anew, its first counterexample is refined, nobody else adds to the precision, and no switch of a product remembers.
// (Steps that took a solver are computed once: explicit_part.h, predicate_part.h.)
static bool is_function(const struct cegar *c)
{
    int64_t domain = workspace_option(&c->workspace, OPTION_DOMAIN);
    bool product = domain == DOMAIN_EXPL_PRED_CART || domain == DOMAIN_EXPL_PRED_BOOL ||
                   domain == DOMAIN_EXPL_PRED_SPLIT || domain == DOMAIN_EXPL_PRED_COMBINED;
    return workspace_option(&c->workspace, OPTION_PRUNE) == PRUNE_FULL &&
           workspace_option(&c->workspace, OPTION_STOP) == STOP_FIRST &&
           c->environment->hear == NULL &&
           (!product || workspace_option(&c->workspace, OPTION_AUTOEXPL) == AUTOEXPL_STATIC);
}

// The precision stayed as it was. A solver that was used before may have said what it would not say again, so the
// counterexample is refuted once more, by one of its own, as all are from now on. *changed: whether that told something.
static enum cegar_step try_afresh(struct cegar *c, struct spurious *s, bool *changed)
{
    assert(s->used && !*changed);
    if (!workspace_refute_afresh(&c->workspace))
        return CEGAR_GO_ON;
    refutation_finish(&s->refutation);
    if (!refute_one(c, s))
        return CEGAR_END;
    *changed = add_precision(c, s);
    return CEGAR_GO_ON;
}

static enum cegar_step refine_round(struct cegar *c, struct round *r, struct trace **trace)
{
    report_all(c, r);
    if (c->workspace.reason != END_NONE)
        return CEGAR_END;
    if (r->count == 0)
        return CEGAR_KNOWN;
    enum cegar_step outcome = check_all(c, r, trace);
    if (outcome != CEGAR_GO_ON)
        return outcome;
    for (size_t i = 0; i < r->count; i++)
        if (!refute_one(c, &r->items[i]))
            return CEGAR_END;
    assert(*trace == NULL);
    choose(c, r);
    bool changed = false;
    for (size_t i = 0; i < r->count; i++)
        if (r->items[i].used)
            changed |= add_precision(c, &r->items[i]);
    bool repeats = !changed && is_function(c);
    if (repeats && try_afresh(c, &r->items[0], &changed) != CEGAR_GO_ON)
        return CEGAR_END;
    prune(c, r);
    c->refinements++;
    atomic_store_explicit(&c->workspace.progress->refinements, c->refinements,
                          memory_order_relaxed);
    cegar_tell(c, (struct engine_event){.kind = EVENT_REFINED,
                                        .precision_changed = changed,
                                        .repeats = repeats && !changed,
                                        .element_size = largest_element(r)});
    return workspace_step(&c->workspace, 1) ? CEGAR_GO_ON : CEGAR_END;
}

enum cegar_step cegar_refine(struct cegar *c, struct trace **trace)
{
    struct round round;
    assert(c->errors.count > 0);
    round_init(&round, c);
    enum cegar_step outcome = refine_round(c, &round, trace);
    round_finish(&round);
    return outcome;
}
