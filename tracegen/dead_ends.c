#include "base/memory.h"
#include "tracegen/generator.h"

// Runs that show nothing (docs/definitions/tracegen.md 4): the environment acts, no transition of the system reacts, and the
// stable state before comes back, but for the inputs, untracked variables included; or the run ends right after the
// environment.

// The state without what it says of inputs alone.
static const struct term *core_of(struct generator *g, uint32_t node)
{
    uint32_t state = graph_node(&g->exploration.graph, node)->state;
    while (g->core.count <= state)
        VECTOR_PUSH(&g->core, NULL);
    if (g->core.data[state] != NULL)
        return g->core.data[state];
    const struct model *model = g->request->model;
    struct term_vector conjuncts = {0}, kept = {0}, variables = {0};
    rewrite_conjuncts(exploration_formula(&g->exploration, node), &conjuncts);
    for (size_t i = 0; i < conjuncts.count; i++) {
        bool other = false;
        VECTOR_CLEAR(&variables);
        rewrite_free_variables(conjuncts.data[i], &variables);
        for (size_t v = 0; v < variables.count; v++) {
            const struct variable *x = model_variable_of(model, variables.data[v]);
            other |= x == NULL || !variable_bits_get(g->inputs, x->index);
        }
        if (other)
            VECTOR_PUSH(&kept, conjuncts.data[i]);
    }
    g->core.data[state] = term_and(g->request->store, kept.data, kept.count);
    VECTOR_FINISH(&conjuncts);
    VECTOR_FINISH(&kept);
    VECTOR_FINISH(&variables);
    return g->core.data[state];
}

// May a step on the way from `from` have changed what the states leave open? Then the system did react.
static bool may_react(struct generator *g, uint32_t from, uint32_t node)
{
    if (generator_is_exact(g, node))
        return false;
    for (uint32_t n = node; n != from;) {
        const struct node *step = graph_node(&g->exploration.graph, n);
        const struct term *before = exploration_formula(&g->exploration, step->parent);
        const struct term *after = exploration_formula(&g->exploration, n);
        if (concretise_change(&g->concretiser, step->edge, before, after, g->inputs) !=
            PATH_INFEASIBLE)
            return true;
        n = step->parent;
    }
    return false;
}

// Is the node, at a stable location, what the stable state two steps before was?
static bool comes_back(struct generator *g, uint32_t node)
{
    uint32_t stimulated = generator_seen_before(g, node);
    if (stimulated == NODE_NONE || generator_location(g, stimulated)->phase != PHASE_STIMULATED)
        return false;
    uint32_t stable = generator_seen_before(g, stimulated);
    return stable != NODE_NONE && generator_location(g, stable)->phase == PHASE_STABLE &&
           core_of(g, node) == core_of(g, stable) && !may_react(g, stable, node);
}

// Of a node that nothing leads on from.
static bool is_dead_end(struct generator *g, uint32_t index)
{
    const struct node *n = graph_node(&g->exploration.graph, index);
    const struct location *location = generator_location(g, index);
    bool stuck = n->status == NODE_EXPANDED && n->first_child == NODE_NONE;
    if (!location->observable) // no run ends inside a step
        return n->status != NODE_COVERED;
    if (g->request->keep_dead_ends || stuck || n->parent == NODE_NONE)
        return false;
    if (location->phase == PHASE_STIMULATED)
        return true;
    return location->phase == PHASE_STABLE && n->status != NODE_WAITING && comes_back(g, index);
}

// Children come after their parents, so one pass from the last node on meets leaves first.
void generator_cut_dead_ends(struct generator *g)
{
    for (size_t i = g->exploration.graph.nodes.count; i-- > 0;) {
        uint32_t node = (uint32_t)i;
        if (generator_child(g, node) != NODE_NONE || !is_dead_end(g, node))
            continue;
        g->mark[node] = NODE_CUT;
        g->suite->counts.dead_ends += generator_location(g, node)->phase == PHASE_STABLE;
    }
}
