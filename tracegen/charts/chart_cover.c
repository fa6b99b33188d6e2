#include "tracegen/charts/chart_cover.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/set_cover.h"

// A candidate: the way to an edge, it, and perhaps one more. Each item to cover brings the first one that has it; of all
// these few are kept.

struct candidate {
    uint32_t edges[2];
    size_t count;
};

struct covering {
    const struct chart_graph *graph;
    unsigned what;
    VECTOR(struct candidate) candidates;
    VECTOR(uint64_t) pairs; // sorted when all are there
};

bool chart_cover_counts(const struct chart_transition *transition)
{
    const struct chart_state *source = transition->source;
    bool joined = transition->target_count == 0 && transition->trigger != NULL &&
                  transition->trigger->op == CHART_LITERAL && !transition->trigger->value;
    return (chart_can_be_active(source) || source->kind == CHART_CHOICE) && !joined;
}

static uint64_t pair_of(uint32_t first, uint32_t second)
{
    return (uint64_t)first << 32 | second;
}

static int compare_pairs(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t find_pair(const struct covering *c, uint64_t pair)
{
    const uint64_t *found = c->pairs.count == 0 ? NULL
                                                : bsearch(&pair, c->pairs.data, c->pairs.count,
                                                          sizeof pair, compare_pairs);
    return found == NULL ? SIZE_MAX : (size_t)(found - c->pairs.data);
}

// ---- items -------------------------------------------------------------------------------------

struct edges_of_node { // edges by where they begin
    uint32_t *first, *next;
};

static struct edges_of_node index_edges(const struct chart_graph *graph)
{
    struct edges_of_node index;
    index.first = memory_alloc((graph->node_count + 1) * sizeof *index.first);
    index.next = memory_alloc((graph->edges.count + 1) * sizeof *index.next);
    memset(index.first, 0xff, (graph->node_count + 1) * sizeof *index.first);
    for (size_t e = graph->edges.count; e-- > 0;) {
        uint32_t from = graph->edges.data[e].from;
        if (from == CHART_NOWHERE)
            continue;
        assert(from < graph->node_count);
        index.next[e] = index.first[from];
        index.first[from] = (uint32_t)e;
    }
    return index;
}

// The pairs inside a step, and those with the first one of a step that follows.
static void each_pair(const struct chart_graph *graph, const struct edges_of_node *index,
                      uint32_t number, void (*tell)(void *, uint64_t, uint32_t), void *context)
{
    const struct chart_edge *edge = &graph->edges.data[number];
    for (size_t i = 0; i + 1 < edge->fired_count; i++)
        tell(context, pair_of(edge->fired[i], edge->fired[i + 1]), CHART_NOWHERE);
    if (edge->fired_count == 0)
        return;
    for (uint32_t f = index->first[edge->to]; f != CHART_NOWHERE; f = index->next[f]) {
        const struct chart_edge *follows = &graph->edges.data[f];
        if (follows->fired_count > 0)
            tell(context, pair_of(edge->fired[edge->fired_count - 1], follows->fired[0]), f);
    }
}

// In order, each once.
static void order_pairs(struct covering *c)
{
    size_t kept = 0;
    if (c->pairs.count > 1)
        qsort(c->pairs.data, c->pairs.count, sizeof *c->pairs.data, compare_pairs);
    for (size_t i = 0; i < c->pairs.count; i++) {
        if (kept == 0 || c->pairs.data[kept - 1] != c->pairs.data[i])
            c->pairs.data[kept++] = c->pairs.data[i];
    }
    c->pairs.count = kept;
}

static void collect_pair(void *context, uint64_t pair, uint32_t follows)
{
    struct covering *c = context;
    (void)follows;
    VECTOR_PUSH(&c->pairs, pair);
    if (c->pairs.count % 65536 == 0)
        order_pairs(c); // often the same ones: not more than needed are kept
}

static void collect_pairs(struct covering *c, const struct edges_of_node *index)
{
    for (uint32_t e = 0; e < c->graph->edges.count; e++)
        each_pair(c->graph, index, e, collect_pair, c);
    order_pairs(c);
}

// ---- candidates --------------------------------------------------------------------------------

struct first_seen {
    struct covering *c;
    bool *seen; // by pair
    uint32_t edge;
};

static void take_pair(void *context, uint64_t pair, uint32_t follows)
{
    struct first_seen *f = context;
    size_t at = find_pair(f->c, pair);
    assert(at < f->c->pairs.count); // all were collected
    if (f->seen[at])
        return;
    f->seen[at] = true;
    struct candidate candidate = {{f->edge, follows}, follows == CHART_NOWHERE ? 1 : 2};
    VECTOR_PUSH(&f->c->candidates, candidate);
}

static bool is_active_in(const struct chart_graph *graph, uint32_t node, uint32_t state)
{
    const struct chart *chart = graph->chart;
    return chart_can_be_active(chart->states[state]) &&
           interpreter_is_active(chart, chart_graph_node(graph, node), chart->states[state]);
}

static void find_candidates(struct covering *c, const struct edges_of_node *index,
                            struct chart_suite *suite)
{
    const struct chart_graph *graph = c->graph;
    const struct chart *chart = graph->chart;
    bool *states = memory_zalloc(chart->state_count + 1),
         *transitions = memory_zalloc(chart->transition_count + 1);
    struct first_seen pairs = {c, memory_zalloc(c->pairs.count + 1), 0};
    for (uint32_t e = 0; e < graph->edges.count; e++) {
        const struct chart_edge *edge = &graph->edges.data[e];
        bool fresh = false;
        for (uint32_t s = 0; s < chart->state_count; s++) {
            if (!states[s] && graph->reached_by.data[edge->to] == e &&
                is_active_in(graph, edge->to, s))
                states[s] = fresh = true;
        }
        bool news = fresh && (c->what & CHART_COVER_STATES) != 0;
        for (size_t i = 0; i < edge->fired_count; i++) {
            news |= !transitions[edge->fired[i]] && (c->what & CHART_COVER_TRANSITIONS) != 0;
            transitions[edge->fired[i]] = true;
        }
        struct candidate candidate = {{e, CHART_NOWHERE}, 1};
        if (news)
            VECTOR_PUSH(&c->candidates, candidate);
        pairs.edge = e;
        if ((c->what & CHART_COVER_PAIRS) != 0)
            each_pair(graph, index, e, take_pair, &pairs);
    }
    for (uint32_t s = 0; s < chart->state_count; s++) {
        if (!chart_can_be_active(chart->states[s]))
            continue;
        suite->state_total++;
        suite->states += states[s];
        if (!states[s])
            VECTOR_PUSH(&suite->missed_states, chart->states[s]);
    }
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        if (!chart_cover_counts(chart->transitions[i]))
            continue;
        suite->transition_total++;
        suite->transitions += transitions[i];
        if (!transitions[i])
            VECTOR_PUSH(&suite->missed_transitions, chart->transitions[i]);
    }
    assert(suite->states + suite->missed_states.count == suite->state_total);
    assert(suite->transitions + suite->missed_transitions.count == suite->transition_total);
    suite->pairs = c->pairs.count;
    memory_free(states);
    memory_free(transitions);
    memory_free(pairs.seen);
}

// ---- few of them -------------------------------------------------------------------------------

struct items {
    uint32_t *data;
    size_t count, capacity;
};

// What a run covers: states, then transitions, then pairs.
static void items_of(const struct covering *c, const struct chart_run *run, struct items *items)
{
    const struct chart *chart = c->graph->chart;
    uint32_t last = CHART_NOWHERE, before = chart->state_count + chart->transition_count;
    for (size_t i = 0; i < run->count; i++) {
        const struct chart_step *step = &run->data[i];
        for (uint32_t s = 0; (c->what & CHART_COVER_STATES) != 0 && s < chart->state_count; s++) {
            if (chart_can_be_active(chart->states[s]) &&
                interpreter_is_active(chart, step->cells, chart->states[s]))
                VECTOR_PUSH(items, s);
        }
        if (step->fired.count == 0)
            last = CHART_NOWHERE; // nothing fires in between
        for (size_t k = 0; k < step->fired.count; k++) {
            uint32_t fired = step->fired.data[k]->index;
            assert(fired < chart->transition_count);
            if ((c->what & CHART_COVER_TRANSITIONS) != 0)
                VECTOR_PUSH(items, chart->state_count + fired);
            size_t pair = last == CHART_NOWHERE ? SIZE_MAX : find_pair(c, pair_of(last, fired));
            if ((c->what & CHART_COVER_PAIRS) != 0 && pair != SIZE_MAX)
                VECTOR_PUSH(items, before + (uint32_t)pair);
            last = fired;
        }
    }
}

static void choose_runs(struct covering *c, struct chart_suite *suite)
{
    size_t count = c->candidates.count;
    struct chart_run *runs = memory_zalloc((count + 1) * sizeof *runs);
    struct items *items = memory_zalloc((count + 1) * sizeof *items);
    const uint32_t **sets = memory_zalloc((count + 1) * sizeof *sets);
    size_t *sizes = memory_zalloc((count + 1) * sizeof *sizes);
    for (size_t i = 0; i < count; i++) {
        runs[i] =
            chart_graph_run(c->graph, c->candidates.data[i].edges, c->candidates.data[i].count);
        items_of(c, &runs[i], &items[i]);
        sets[i] = items[i].data;
        sizes[i] = items[i].count;
    }
    const struct chart *chart = c->graph->chart;
    struct set_cover_problem problem = {
        .sets = sets,
        .sizes = sizes,
        .set_count = count,
        .item_count = chart->state_count + chart->transition_count + c->pairs.count,
        .lean = true,
    };
    struct set_cover_answer answer;
    set_cover_greedy(&problem, &answer);
    for (size_t i = 0; i < count; i++) {
        if (answer.chosen[i])
            VECTOR_PUSH(&suite->runs, runs[i]);
        else
            chart_run_finish(&runs[i]);
        VECTOR_FINISH(&items[i]);
    }
    assert(suite->runs.count == answer.count);
    set_cover_answer_finish(&answer);
    memory_free(runs);
    memory_free(items);
    memory_free(sets);
    memory_free(sizes);
}

void chart_suite_make(struct chart_suite *suite, const struct chart_graph *graph, unsigned what)
{
    struct covering c = {.graph = graph, .what = what};
    *suite = (struct chart_suite){0};
    struct edges_of_node index = index_edges(graph);
    collect_pairs(&c, &index);
    find_candidates(&c, &index, suite);
    choose_runs(&c, suite);
    memory_free(index.first);
    memory_free(index.next);
    VECTOR_FINISH(&c.candidates);
    VECTOR_FINISH(&c.pairs);
}

void chart_suite_finish(struct chart_suite *suite)
{
    for (size_t i = 0; i < suite->runs.count; i++)
        chart_run_finish(&suite->runs.data[i]);
    VECTOR_FINISH(&suite->runs);
    VECTOR_FINISH(&suite->missed_states);
    VECTOR_FINISH(&suite->missed_transitions);
}
