#include "base/memory.h"
#include "base/text.h"
#include "certify/certify.h"
#include "logic/terms/eval.h"
#include "tracegen/generator.h"

// Runs of the graph, and traces of them.

static void drop_pieces(struct node_path *path, size_t from)
{
    while (path->pieces.count > from) {
        trace_destroy(VECTOR_POP(&path->pieces));
        path->piece_nodes.count--;
    }
}

void node_path_push(struct generator *g, struct node_path *path, uint32_t node)
{
    const struct node *n = graph_node(&g->exploration.graph, node);
    size_t at = path->nodes.count;
    if (at < path->pieces.count && path->piece_nodes.data[at] != node)
        drop_pieces(path, at);
    if (at == path->pieces.count) {
        VECTOR_PUSH(&path->pieces, NULL);
        VECTOR_PUSH(&path->piece_nodes, node);
    }
    VECTOR_PUSH(&path->nodes, node);
    VECTOR_PUSH(&path->edges, n->edge);
    VECTOR_PUSH(&path->states, exploration_formula(&g->exploration, node));
    VECTOR_PUSH(&path->exact, generator_is_exact(g, node));
}

void node_path_lead_to(struct generator *g, struct node_path *path, uint32_t node)
{
    VECTOR(uint32_t) back = {0};
    for (uint32_t n = node; n != NODE_NONE; n = graph_node(&g->exploration.graph, n)->parent)
        VECTOR_PUSH(&back, n);
    node_path_cut(path, 0);
    while (back.count > 0)
        node_path_push(g, path, VECTOR_POP(&back));
    VECTOR_FINISH(&back);
}

// Pieces stay: the next steps are often the same.
void node_path_cut(struct node_path *path, size_t count)
{
    path->nodes.count = path->edges.count = path->states.count = path->exact.count = count;
}

void node_path_finish(struct node_path *path)
{
    drop_pieces(path, 0);
    VECTOR_FINISH(&path->nodes);
    VECTOR_FINISH(&path->edges);
    VECTOR_FINISH(&path->states);
    VECTOR_FINISH(&path->exact);
    VECTOR_FINISH(&path->pieces);
    VECTOR_FINISH(&path->piece_nodes);
}

struct abstract_run node_path_run(const struct node_path *path)
{
    return (struct abstract_run){path->edges.data, path->states.data, path->exact.data,
                                 path->nodes.count};
}

// Is the trace where it is said to be?

struct lookup {
    const struct model *model;
    const struct value *state;
};

static struct value look_up(void *context, const struct term *variable)
{
    const struct lookup *lookup = context;
    const struct variable *x = model_variable_of(lookup->model, variable);
    return x != NULL ? lookup->state[x->index] : VALUE_UNKNOWN;
}

static bool goes_through(const struct trace *trace, const struct node_path *path, struct text *why)
{
    struct evaluator *evaluator = evaluator_create(trace->store);
    bool good = true;
    for (size_t i = 0; i < path->nodes.count && good; i++) {
        const struct term *state = path->states.data[i];
        struct lookup lookup = {trace->model, trace_step_at(trace, i)->state};
        // What a division by zero yields is the replay's business.
        if (state->flags & TERM_HAS_DIVISION)
            continue;
        good = value_is_true(evaluator_run(evaluator, state, look_up, &lookup));
        if (!good)
            text_printf(why, "the state after step %zu is not the one of the graph", i);
    }
    evaluator_destroy(evaluator);
    return good;
}

static bool stands(struct trace *trace, const struct node_path *path, struct text *why)
{
    text_clear(why);
    return trace != NULL && certify_replay_run(trace, why) && goes_through(trace, path, why);
}

struct trace *generator_trace(struct generator *g, struct node_path *path, enum path_result *result)
{
    struct abstract_run run = node_path_run(path);
    struct text why;
    text_init(&why);
    struct trace *trace = concretise(&g->concretiser, &run, path->pieces.data, result);
    if (trace != NULL && !stands(trace, path, &why)) {
        trace_destroy(trace);
        trace = concretise_whole(&g->concretiser, &run, result);
        if (trace != NULL && !stands(trace, path, &why)) {
            trace_destroy(trace);
            trace = NULL;
            *result = PATH_UNDECIDED;
            if (g->suite->internal_error == NULL)
                g->suite->internal_error = text_steal(&why);
        }
    }
    text_finish(&why);
    return trace;
}
