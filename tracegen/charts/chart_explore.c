#include "tracegen/charts/chart_explore.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "languages/charts/expression.h"

// ---- numbers -----------------------------------------------------------------------------------

#define MOST_NUMBERS 12

struct numbers {
    int64_t data[MOST_NUMBERS];
    uint32_t count;
};

static void add_number(struct numbers *numbers, int64_t value)
{
    for (uint32_t i = 0; i < numbers->count; i++) {
        if (numbers->data[i] == value)
            return;
    }
    assert(numbers->count <= MOST_NUMBERS);
    if (numbers->count < MOST_NUMBERS)
        numbers->data[numbers->count++] = value;
}

static bool reads(const struct chart_expression *e)
{
    return e != NULL && (e->op == CHART_VARIABLE || reads(e->child[0]) || reads(e->child[1]) ||
                         reads(e->child[2]));
}

static void collect(struct numbers *numbers, const struct chart_expression *e)
{
    int64_t value;
    if (e == NULL)
        return;
    if (e->type->kind == CHART_INT && !reads(e) && chart_constant(e, &value)) {
        add_number(numbers, value);
        return;
    }
    for (int i = 0; i < 3; i++)
        collect(numbers, e->child[i]);
}

static void collect_actions(struct numbers *numbers, const struct chart_action *list)
{
    for (const struct chart_action *a = list; a != NULL; a = a->next) {
        collect(numbers, a->expression);
        collect_actions(numbers, a->then);
        collect_actions(numbers, a->otherwise);
    }
}

static void collect_numbers(struct numbers *numbers, const struct chart *chart)
{
    add_number(numbers, 0);
    add_number(numbers, 1);
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        collect(numbers, chart->transitions[i]->guard);
        collect(numbers, chart->transitions[i]->trigger);
        collect_actions(numbers, chart->transitions[i]->action);
    }
    for (uint32_t i = 0; i < chart->state_count; i++) {
        collect_actions(numbers, chart->states[i]->entry);
        collect_actions(numbers, chart->states[i]->exit);
    }
    uint32_t count = numbers->count;
    for (uint32_t i = 0; i < count; i++) { // the other side of comparisons
        int64_t beside;
        if (!__builtin_add_overflow(numbers->data[i], 1, &beside))
            add_number(numbers, beside);
        if (!__builtin_sub_overflow(numbers->data[i], 1, &beside))
            add_number(numbers, beside);
    }
}

// ---- nodes -------------------------------------------------------------------------------------

struct table {
    uint32_t *slots; // CHART_NOWHERE: free
    size_t size;
};

static uint32_t *slot(const struct chart_graph *graph, const struct table *table,
                      const int64_t *cells)
{
    size_t bytes = graph->cells * sizeof *cells;
    struct hash128 hash = hash128_seed(7);
    for (size_t i = 0; i < graph->cells; i++)
        hash = hash128_add(hash, (uint64_t)cells[i]);
    for (size_t at = hash.low;; at++) {
        uint32_t *s = &table->slots[at & (table->size - 1)];
        if (*s == CHART_NOWHERE || memcmp(chart_graph_node(graph, *s), cells, bytes) == 0)
            return s;
    }
}

static void grow(const struct chart_graph *graph, struct table *table)
{
    table->size = table->size == 0 ? 1024 : 2 * table->size;
    table->slots = memory_realloc(table->slots, table->size * sizeof *table->slots);
    memset(table->slots, 0xff, table->size * sizeof *table->slots);
    for (uint32_t i = 0; i < graph->node_count; i++)
        *slot(graph, table, chart_graph_node(graph, i)) = i;
}

static uint32_t keep_node(struct chart_graph *graph, struct table *table, const int64_t *cells)
{
    if (2 * ((size_t)graph->node_count + 1) > table->size)
        grow(graph, table);
    uint32_t *s = slot(graph, table, cells);
    if (*s != CHART_NOWHERE)
        return *s;
    assert(graph->configurations.count == (size_t)graph->node_count * graph->cells);
    *s = graph->node_count++;
    for (size_t i = 0; i < graph->cells; i++)
        VECTOR_PUSH(&graph->configurations, cells[i]);
    VECTOR_PUSH(&graph->reached_by, (uint32_t)graph->edges.count);
    return *s;
}

static void keep_edge(struct chart_graph *graph, uint32_t from, uint32_t to,
                      const struct chart_event *event, const struct interpreter_choices *choices,
                      const struct chart_step *step)
{
    struct chart_edge edge = {.from = from, .to = to, .event = event};
    edge.choice_count = choices->used;
    edge.taken = memory_alloc((choices->used + 1) * sizeof *edge.taken);
    edge.counts = memory_alloc((choices->used + 1) * sizeof *edge.counts);
    if (choices->used > 0) {
        memcpy(edge.taken, choices->taken, choices->used * sizeof *edge.taken);
        memcpy(edge.counts, choices->count, choices->used * sizeof *edge.counts);
    }
    edge.fired_count = step->fired.count;
    edge.fired = memory_alloc((step->fired.count + 1) * sizeof *edge.fired);
    for (size_t i = 0; i < step->fired.count; i++)
        edge.fired[i] = step->fired.data[i]->index;
    VECTOR_PUSH(&graph->edges, edge);
}

// ---- steps -------------------------------------------------------------------------------------

struct exploration {
    struct chart_graph *graph;
    struct interpreter *interpreter;
    struct table table;
    const struct chart_explore_limits *limits;
    int64_t begun_ns;
    int64_t *next;
};

static enum interpreter_outcome run_step(struct interpreter *interpreter, const int64_t *from,
                                         const struct chart_event *event,
                                         struct interpreter_choices *choices,
                                         const struct interpreter_observer *observer, int64_t *out)
{
    return from == NULL ? interpreter_start(interpreter, choices, observer, out)
                        : interpreter_step(interpreter, from, event, choices, observer, out);
}

static bool is_over(struct exploration *e)
{
    const struct chart_explore_limits *limits = e->limits;
    bool over =
        (limits->nodes > 0 && e->graph->node_count >= limits->nodes) ||
        (limits->edges > 0 && e->graph->edges.count >= limits->edges) ||
        (limits->seconds > 0 && clock_seconds(clock_wall_ns() - e->begun_ns) > limits->seconds) ||
        (limits->stop != NULL && atomic_load(limits->stop) != 0);
    if (over)
        e->graph->complete = false;
    return over;
}

// All ways in which the step can go.
static void expand(struct exploration *e, uint32_t node, const struct chart_event *event)
{
    struct chart_graph *graph = e->graph;
    struct interpreter_choices choices = {0};
    int64_t *from = NULL;
    if (node != CHART_NOWHERE) { // nodes move when there are more of them
        from = memory_alloc(graph->cells * sizeof *from + 1);
        memcpy(from, chart_graph_node(graph, node), graph->cells * sizeof *from);
    }
    do {
        struct chart_step step;
        struct chart_listener listener;
        chart_listen(&listener, &step, graph->numbers, graph->number_count);
        enum interpreter_outcome outcome =
            run_step(e->interpreter, from, event, &choices, &listener.observer, e->next);
        if (outcome == INTERPRETER_DONE) {
            uint32_t to = keep_node(graph, &e->table, e->next);
            keep_edge(graph, node, to, event, &choices, &step);
        } else if (outcome != INTERPRETER_BLOCKED) {
            graph->too_hard++;
        }
        text_finish(&listener.words);
        chart_step_finish(&step);
    } while (!is_over(e) && interpreter_next(&choices));
    interpreter_choices_finish(&choices);
    memory_free(from);
}

void chart_graph_explore(struct chart_graph *graph, const struct chart *chart,
                         const struct chart_explore_limits *limits)
{
    struct numbers numbers = {0};
    collect_numbers(&numbers, chart);
    *graph = (struct chart_graph){
        .chart = chart, .cells = interpreter_cell_count(chart), .complete = true};
    graph->number_count = numbers.count;
    graph->numbers = memory_alloc(sizeof numbers.data);
    memcpy(graph->numbers, numbers.data, sizeof numbers.data);
    struct exploration e = {.graph = graph,
                            .interpreter = interpreter_create(chart),
                            .limits = limits,
                            .begun_ns = clock_wall_ns()};
    e.next = memory_alloc(graph->cells * sizeof *e.next + 1);
    expand(&e, CHART_NOWHERE, NULL);
    for (uint32_t i = 0; i < graph->node_count && !is_over(&e); i++) {
        if (chart->semantics != CHART_SCXML || chart->sending_count > 0)
            expand(&e, i, NULL);
        for (uint32_t k = 0; chart->semantics != CHART_GAMMA && k < chart->event_count; k++) {
            if (chart->events[k]->external &&
                (chart->events[k]->heard || chart->events[k]->flag != NULL))
                expand(&e, i, chart->events[k]);
        }
    }
    memory_free(e.next);
    memory_free(e.table.slots);
    interpreter_destroy(e.interpreter);
}

void chart_graph_finish(struct chart_graph *graph)
{
    for (size_t i = 0; i < graph->edges.count; i++) {
        memory_free(graph->edges.data[i].taken);
        memory_free(graph->edges.data[i].counts);
        memory_free(graph->edges.data[i].fired);
    }
    VECTOR_FINISH(&graph->edges);
    VECTOR_FINISH(&graph->configurations);
    VECTOR_FINISH(&graph->reached_by);
    memory_free(graph->numbers);
}

// ---- runs --------------------------------------------------------------------------------------

struct chart_run chart_graph_run(const struct chart_graph *graph, const uint32_t *edges,
                                 size_t count)
{
    VECTOR(uint32_t) way = {0}; // backwards
    for (size_t i = count; i-- > 0;)
        VECTOR_PUSH(&way, edges[i]);
    for (uint32_t node = graph->edges.data[edges[0]].from; node != CHART_NOWHERE;
         node = graph->edges.data[graph->reached_by.data[node]].from)
        VECTOR_PUSH(&way, graph->reached_by.data[node]);
    struct interpreter *interpreter = interpreter_create(graph->chart);
    struct chart_run run = {0};
    int64_t *next = memory_alloc(graph->cells * sizeof *next + 1);
    for (size_t i = way.count; i-- > 0;) {
        const struct chart_edge *edge = &graph->edges.data[way.data[i]];
        struct interpreter_choices choices = {edge->taken, edge->counts, 0, edge->choice_count,
                                              edge->choice_count};
        struct chart_step step;
        struct chart_listener listener;
        chart_listen(&listener, &step, graph->numbers, graph->number_count);
        const int64_t *from = run.count == 0 ? NULL : run.data[run.count - 1].cells;
        run_step(interpreter, from, edge->event, &choices, &listener.observer, next);
        step.event = edge->event;
        chart_listened(&listener, graph->chart, next);
        VECTOR_PUSH(&run, step);
    }
    memory_free(next);
    VECTOR_FINISH(&way);
    interpreter_destroy(interpreter);
    return run;
}
