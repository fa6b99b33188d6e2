#include "engines/cegar/concrete.h"

#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

// States kept after a step, executions spent on finding the branches of one step, and values of an input that are tried.
#define LAYER_LIMIT 64
#define EXECUTION_LIMIT 4096
#define INPUT_LIMIT 8

// The states that runs can have after a step; rows in one block, each with its predecessor.
struct layer {
    struct value *rows;
    uint32_t *parent; // row of the layer before
    size_t count;
};

struct concrete {
    struct workspace *workspace;
    struct explicit_post *post;
    const struct edge *const *edges;
    size_t step_count;                // edges and the initial action
    const struct term *const *states; // by node; NULL: any
    const struct value *target;       // of find_branches
    uint32_t width;
    variable_bits *all; // every variable is followed
    struct layer *layers;
    struct value *row; // scratch
    VECTOR(uint32_t)
    branches; // of a havoc: 0 leaves the variable unknown, 1 + v gives it the value v
    VECTOR(const struct statement *) choices; // and havocs of few values
};

static const struct statement *action_of(const struct concrete *c, size_t step)
{
    return step ? c->edges[step - 1]->action : c->workspace->model->initial_action;
}

static bool is_on_path(const struct concrete *c, size_t step, const struct value *row)
{
    return c->states == NULL ||
           !value_is_false(explicit_post_evaluate(c->post, c->states[step], row));
}

static bool grow_layer(struct concrete *c, size_t step, struct valuation_set *set)
{
    struct layer *to = &c->layers[step];
    const struct layer *from = step ? &c->layers[step - 1] : NULL;
    size_t row_bytes = c->width * sizeof *to->rows;
    struct value *anything = memory_zalloc(row_bytes + 1);
    bool going = true;
    for (size_t i = 0; going && i < (from != NULL ? from->count : 1); i++) {
        const struct value *row = from != NULL ? from->rows + i * c->width : anything;
        bool branched;
        going = explicit_post_run(c->post, action_of(c, step), row, c->all, true, set, &branched);
        size_t room = LAYER_LIMIT - to->count;
        size_t most = to->count + (set->count < room ? set->count : room);
        if (!going || most == to->count)
            continue;
        to->rows = memory_realloc(to->rows, most * row_bytes + 1);
        to->parent = memory_realloc(to->parent, most * sizeof *to->parent);
        for (size_t k = 0; k < set->count && to->count < most; k++)
            if (!set->doubtful[k] && is_on_path(c, step, valuation_row(set, k))) {
                memcpy(to->rows + to->count * c->width, valuation_row(set, k), row_bytes);
                to->parent[to->count++] = (uint32_t)i;
            }
    }
    memory_free(anything);
    return going && to->count > 0;
}

// 0: of a havoc whose values are too many to be tried.
static uint64_t ways(const struct statement *s)
{
    if (s->kind == STATEMENT_CHOICE)
        return s->child_count;
    const struct sort *sort = s->variable->sort;
    uint64_t values = sort->kind == SORT_ARRAY ? 0 : sort_value_count(sort, INPUT_LIMIT);
    return values == 0 || values > INPUT_LIMIT ? 0 : 1 + values;
}

// Which way the execution goes at a choice or a havoc.
static uint32_t take_branch(struct concrete *c, const struct statement *s)
{
    size_t at = c->choices.count;
    if (at == c->branches.count) {
        uint32_t first = 0;
        while (s->kind == STATEMENT_CHOICE && first + 1 < s->child_count &&
               explicit_post_fails_at_once(c->post, s->child[first], c->row))
            first++;
        VECTOR_PUSH(&c->branches, first);
    }
    VECTOR_PUSH(&c->choices, s);
    return c->branches.data[at];
}

static void take_value(struct concrete *c, const struct statement *s)
{
    uint32_t v = s->variable->index;
    c->row[v] = c->target[v];
    if (c->choices.count == c->branches.count)
        VECTOR_PUSH(&c->branches, 0);
    VECTOR_PUSH(&c->choices, s);
}

// Executes an action with the branches in c->branches, taking the first one where they run out. False when a
// condition fails or is not decided.
static bool execute(struct concrete *c, const struct statement *s)
{
    switch (s->kind) {
    case STATEMENT_SKIP:
        return true;
    case STATEMENT_ASSIGN:
        c->row[s->variable->index] = explicit_post_evaluate(c->post, s->expression, c->row);
        return true;
    case STATEMENT_ASSUME:
        return value_is_true(explicit_post_evaluate(c->post, s->expression, c->row));
    case STATEMENT_HAVOC: {
        if (ways(s) == 0 &&
            value_known(c->target[s->variable->index])) { // as the run has it in the end
            take_value(c, s);
            return true;
        }
        uint32_t branch = ways(s) == 0 ? 0 : take_branch(c, s);
        c->row[s->variable->index] = branch == 0 ? VALUE_UNKNOWN : value_small(branch - 1);
        return true;
    }
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count; i++)
            if (!execute(c, s->child[i]))
                return false;
        return true;
    case STATEMENT_IF: {
        struct value v = explicit_post_evaluate(c->post, s->expression, c->row);
        return value_known(v) && execute(c, s->child[value_is_true(v) ? 0 : 1]);
    }
    case STATEMENT_CHOICE:
        break;
    }
    return execute(c, s->child[take_branch(c, s)]);
}

// The next combination of branches after the one that was just executed; false when there is none.
static bool next_branches(struct concrete *c)
{
    c->branches.count = c->choices.count; // later ones were not reached
    while (c->branches.count) {
        size_t last = c->branches.count - 1;
        if (++c->branches.data[last] < ways(c->choices.data[last]))
            return true;
        c->branches.count--;
    }
    return false;
}

// Finds the branches that lead from one row to another.
static bool find_branches(struct concrete *c, const struct statement *action,
                          const struct value *from, const struct value *to)
{
    size_t bytes = c->width * sizeof *from;
    VECTOR_CLEAR(&c->branches);
    c->target = to;
    for (unsigned tries = 0; tries < EXECUTION_LIMIT; tries++) {
        VECTOR_CLEAR(&c->choices);
        memcpy(c->row, from, bytes);
        if (execute(c, action) && memcmp(c->row, to, bytes) == 0)
            return workspace_step(c->workspace, 1);
        if (!next_branches(c))
            return false;
    }
    return false;
}

// What is unknown may be anything, so also the first value.
static void add_hint(struct trace *trace, struct trace_step *step, const struct statement *s,
                     uint32_t branch, const struct value *target)
{
    if (s->kind == STATEMENT_HAVOC && ways(s) == 0)
        trace_add_hint(trace, step, s, s->variable->sort, target[s->variable->index]);
    else if (s->kind == STATEMENT_CHOICE)
        trace_add_hint(trace, step, s, sort_int(trace->store), value_small(branch));
    else
        trace_add_hint(trace, step, s, s->variable->sort, value_small(branch > 0 ? branch - 1 : 0));
}

static bool fill_trace(struct concrete *c, struct trace *trace)
{
    uint32_t *rows = memory_zalloc(c->step_count * sizeof *rows);
    for (size_t k = c->step_count - 1; k > 0; k--)
        rows[k - 1] = c->layers[k].parent[rows[k]];
    struct value *anything = memory_zalloc(c->width * sizeof *anything + 1);
    bool good = true;
    for (size_t k = 0; good && k < c->step_count; k++) {
        const struct value *from = k ? c->layers[k - 1].rows + rows[k - 1] * c->width : anything;
        struct trace_step *step = k ? trace_add_step(trace, c->edges[k - 1]) : &trace->initial;
        good = find_branches(c, action_of(c, k), from, c->layers[k].rows + rows[k] * c->width);
        for (size_t i = 0; good && i < c->choices.count; i++)
            add_hint(trace, step, c->choices.data[i], c->branches.data[i], c->target);
    }
    memory_free(anything);
    memory_free(rows);
    return good;
}

struct trace *concrete_run(struct workspace *workspace, struct explicit_post *post,
                           const struct edge *const *edges, size_t edge_count,
                           const struct term *const *states)
{
    uint32_t width = workspace->model->variable_count;
    size_t words = variable_bits_words(width);
    struct concrete c = {
        .workspace = workspace,
        .post = post,
        .edges = edges,
        .states = states,
        .step_count = edge_count + 1,
        .width = width,
        .all = memory_zalloc(words * sizeof(variable_bits)),
        .layers = memory_zalloc((edge_count + 1) * sizeof *c.layers),
        .row = memory_zalloc(width * sizeof *c.row + 1),
    };
    for (uint32_t v = 0; v < width; v++)
        variable_bits_set(c.all, v);
    struct valuation_set set = {0};
    bool good = true;
    for (size_t k = 0; good && k < c.step_count; k++)
        good = grow_layer(&c, k, &set);
    struct trace *trace = good ? trace_create(workspace->model) : NULL;
    if (trace != NULL && !fill_trace(&c, trace)) {
        trace_destroy(trace);
        trace = NULL;
    }
    for (size_t k = 0; k < c.step_count; k++) {
        memory_free(c.layers[k].rows);
        memory_free(c.layers[k].parent);
    }
    valuation_set_finish(&set);
    VECTOR_FINISH(&c.branches);
    VECTOR_FINISH(&c.choices);
    memory_free(c.layers);
    memory_free(c.all);
    memory_free(c.row);
    return trace;
}
