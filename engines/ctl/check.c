#include "engines/ctl/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"
#include "engines/ctl/inside.h"

// Which nodes have to hear of a node's news.
static void find_parents(struct ctl_checker *c)
{
    for (uint32_t n = 0; n < c->node_count; n++) {
        const struct ctl_node *node = &c->formulas->data[n];
        if (node->kind == CTL_CONSTANT || node->kind == CTL_ATOM)
            continue;
        assert(node->left < n && "operands come before what is made of them");
        VECTOR_PUSH(&c->nodes[node->left].parents, n);
        bool binary = node->kind == CTL_AND || node->kind == CTL_OR || node->kind == CTL_EU;
        assert(!binary || node->right < n);
        if (binary && node->right != node->left)
            VECTOR_PUSH(&c->nodes[node->right].parents, n);
    }
}

struct ctl_checker *ctl_checker_create(const struct ctl_kernel *kernel,
                                       const struct ctl_formulas *formulas)
{
    struct ctl_checker *c = memory_zalloc(sizeof *c);
    c->kernel = *kernel;
    c->formulas = formulas;
    c->node_count = formulas->count;
    c->nodes = memory_zalloc(formulas->count * sizeof *c->nodes + 1);
    find_parents(c);
    return c;
}

void ctl_checker_destroy(struct ctl_checker *c)
{
    if (c == NULL)
        return;
    for (uint32_t n = 0; n < c->node_count; n++) {
        VECTOR_FINISH(&c->nodes[n].parents);
        VECTOR_FINISH(&c->nodes[n].unknown);
        memory_free(c->nodes[n].truth);
        memory_free(c->nodes[n].waiting);
    }
    memory_free(c->nodes);
    memory_free(c->states);
    VECTOR_FINISH(&c->edges);
    VECTOR_FINISH(&c->frontier);
    VECTOR_FINISH(&c->starts);
    VECTOR_FINISH(&c->news);
    VECTOR_FINISH(&c->successors);
    memory_free(c);
}

static bool is_temporal(enum ctl_kind kind)
{
    return kind == CTL_EX || kind == CTL_EU || kind == CTL_AF;
}

static void settle(struct ctl_checker *c, uint32_t n, uint32_t s, bool value)
{
    assert(n < c->node_count && s < c->known);
    uint8_t *truth = &c->nodes[n].truth[s];
    if (*truth != CTL_UNKNOWN) {
        assert(*truth == (value ? CTL_TRUE : CTL_FALSE));
        return;
    }
    *truth = value ? CTL_TRUE : CTL_FALSE;
    VECTOR_PUSH(&c->news, ((struct ctl_news){n, s}));
}

static bool some_successor(const struct ctl_checker *c, uint32_t n, uint32_t s,
                           enum ctl_truth wanted)
{
    const struct ctl_state *state = &c->states[s];
    for (uint32_t i = 0; i < state->out_count; i++)
        if (c->nodes[n].truth[c->edges.data[state->out + i].target] == wanted)
            return true;
    return false;
}

// How many successors do not have the value yet that has to be in all of them for the node to follow.
static uint32_t count_waiting(const struct ctl_checker *c, uint32_t n, uint32_t s)
{
    const struct ctl_node *node = &c->formulas->data[n];
    uint32_t watched = node->kind == CTL_EX ? node->left : n;
    enum ctl_truth wanted = node->kind == CTL_AF ? CTL_TRUE : CTL_FALSE;
    const struct ctl_state *state = &c->states[s];
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < state->out_count; i++)
        waiting += c->nodes[watched].truth[c->edges.data[state->out + i].target] != wanted;
    return waiting;
}

static void derive_temporal(struct ctl_checker *c, uint32_t n, uint32_t s)
{
    const struct ctl_node *node = &c->formulas->data[n];
    bool expanded = c->states[s].expanded;
    bool all = expanded && c->nodes[n].waiting[s] == 0;
    enum ctl_truth left = c->nodes[node->left].truth[s];
    if (node->kind == CTL_EX) {
        if (all)
            settle(c, n, s, false);
        else if (expanded && some_successor(c, node->left, s, CTL_TRUE))
            settle(c, n, s, true);
        return;
    }
    if (node->kind == CTL_AF) {
        if (left == CTL_TRUE || (all && c->states[s].out_count > 0))
            settle(c, n, s, true);
        else if (left == CTL_FALSE && expanded &&
                 (c->states[s].out_count == 0 || some_successor(c, n, s, CTL_FALSE)))
            settle(c, n, s, false);
        return;
    }
    enum ctl_truth right = c->nodes[node->right].truth[s];
    if (right == CTL_TRUE)
        settle(c, n, s, true);
    else if (right == CTL_FALSE && (left == CTL_FALSE || all))
        settle(c, n, s, false);
    else if (left == CTL_TRUE && expanded && some_successor(c, n, s, CTL_TRUE))
        settle(c, n, s, true);
}

// What a node's operands in the same state and its successors say now.
static void derive(struct ctl_checker *c, uint32_t n, uint32_t s)
{
    const struct ctl_node *node = &c->formulas->data[n];
    if (c->nodes[n].truth[s] != CTL_UNKNOWN)
        return;
    if (node->kind == CTL_CONSTANT) {
        settle(c, n, s, node->left != 0);
        return;
    }
    if (node->kind == CTL_ATOM) {
        enum ctl_truth t = c->kernel.atom(c->kernel.self, s, node->left, c->states[s].expanded);
        assert(t != CTL_UNKNOWN || !c->states[s].expanded);
        if (t != CTL_UNKNOWN)
            settle(c, n, s, t == CTL_TRUE);
        return;
    }
    if (is_temporal(node->kind)) {
        derive_temporal(c, n, s);
        return;
    }
    enum ctl_truth left = c->nodes[node->left].truth[s];
    if (node->kind == CTL_NOT) {
        if (left != CTL_UNKNOWN)
            settle(c, n, s, left == CTL_FALSE);
        return;
    }
    enum ctl_truth right = c->nodes[node->right].truth[s];
    bool absorbing = node->kind == CTL_OR;
    enum ctl_truth strong = absorbing ? CTL_TRUE : CTL_FALSE;
    if (left == strong || right == strong)
        settle(c, n, s, absorbing);
    else if (left != CTL_UNKNOWN && right != CTL_UNKNOWN)
        settle(c, n, s, !absorbing);
}

// A successor of p got news about the node that n watches in its successors.
static void successor_news(struct ctl_checker *c, uint32_t n, uint32_t p, enum ctl_truth news)
{
    enum ctl_truth counted = c->formulas->data[n].kind == CTL_AF ? CTL_TRUE : CTL_FALSE;
    if (news == counted) {
        assert(c->nodes[n].waiting[p] > 0);
        c->nodes[n].waiting[p]--;
    }
    derive(c, n, p);
}

static void drain(struct ctl_checker *c)
{
    while (c->news.count > 0) {
        struct ctl_news news = VECTOR_POP(&c->news);
        enum ctl_truth truth = c->nodes[news.node].truth[news.state];
        enum ctl_kind kind = c->formulas->data[news.node].kind;
        bool own = kind == CTL_EU || kind == CTL_AF;
        const uint32_t *parents = c->nodes[news.node].parents.data;
        size_t parent_count = c->nodes[news.node].parents.count;
        for (uint32_t e = c->states[news.state].in; e != CTL_NO_EDGE;
             e = c->edges.data[e].next_in) {
            uint32_t p = c->edges.data[e].source;
            if (own)
                successor_news(c, news.node, p, truth);
            for (size_t i = 0; i < parent_count; i++)
                if (c->formulas->data[parents[i]].kind == CTL_EX)
                    successor_news(c, parents[i], p, truth);
        }
        for (size_t i = 0; i < parent_count; i++)
            if (c->formulas->data[parents[i]].kind != CTL_EX)
                derive(c, parents[i], news.state);
    }
    assert(c->news.count == 0);
}

static void reserve_states(struct ctl_checker *c, uint32_t count)
{
    if (count <= c->capacity)
        return;
    uint32_t capacity = c->capacity == 0 ? 64 : c->capacity;
    while (capacity < count)
        capacity *= 2;
    c->states = memory_realloc(c->states, capacity * sizeof *c->states);
    for (uint32_t n = 0; n < c->node_count; n++) {
        c->nodes[n].truth = memory_realloc(c->nodes[n].truth, capacity);
        if (is_temporal(c->formulas->data[n].kind))
            c->nodes[n].waiting = memory_realloc(c->nodes[n].waiting, capacity * sizeof(uint32_t));
    }
    c->capacity = capacity;
}

static void meet_state(struct ctl_checker *c, uint32_t s)
{
    c->states[s] = (struct ctl_state){.in = CTL_NO_EDGE};
    for (uint32_t n = 0; n < c->node_count; n++) {
        c->nodes[n].truth[s] = CTL_UNKNOWN;
        if (c->nodes[n].waiting != NULL)
            c->nodes[n].waiting[s] = 0;
    }
    for (uint32_t n = 0; n < c->node_count; n++) {
        derive(c, n, s);
        if (is_temporal(c->formulas->data[n].kind) && c->nodes[n].truth[s] == CTL_UNKNOWN)
            VECTOR_PUSH(&c->nodes[n].unknown, s);
    }
    VECTOR_PUSH(&c->frontier, s);
}

// The kernel numbers states as it meets them, so a new one comes with all below it.
static void meet(struct ctl_checker *c, uint32_t s)
{
    if (s < c->known)
        return;
    reserve_states(c, s + 1);
    uint32_t first = c->known;
    c->known = s + 1;
    for (uint32_t i = first; i <= s; i++)
        meet_state(c, i);
    drain(c);
}

void ctl_checker_start(struct ctl_checker *c, uint32_t state)
{
    meet(c, state);
    VECTOR_PUSH(&c->starts, state);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void unique_successors(struct ctl_states *states)
{
    if (states->count < 2)
        return;
    if (states->count > 1)
        qsort(states->data, states->count, sizeof *states->data, compare_numbers);
    size_t kept = 1;
    for (size_t i = 1; i < states->count; i++)
        if (states->data[i] != states->data[kept - 1])
            states->data[kept++] = states->data[i];
    states->count = kept;
}

static void add_edges(struct ctl_checker *c, uint32_t s)
{
    struct ctl_state *state = &c->states[s];
    state->out = (uint32_t)c->edges.count;
    state->out_count = (uint32_t)c->successors.count;
    for (size_t i = 0; i < c->successors.count; i++) {
        uint32_t target = c->successors.data[i];
        struct ctl_edge edge = {target, s, c->states[target].in};
        c->states[target].in = (uint32_t)c->edges.count;
        VECTOR_PUSH(&c->edges, edge);
    }
}

static bool expand(struct ctl_checker *c, uint32_t s)
{
    assert(!c->states[s].expanded && "its edges would be there twice");
    VECTOR_CLEAR(&c->successors);
    if (!c->kernel.expand(c->kernel.self, s, &c->successors))
        return false;
    unique_successors(&c->successors);
    if (c->successors.count > 0)
        meet(c, VECTOR_LAST(&c->successors));
    add_edges(c, s);
    // Count before anything is settled here: news of this state reach it again over a loop to itself.
    for (uint32_t n = 0; n < c->node_count; n++)
        if (c->nodes[n].waiting != NULL)
            c->nodes[n].waiting[s] = count_waiting(c, n, s);
    c->states[s].expanded = true;
    c->expanded++;
    for (uint32_t n = 0; n < c->node_count; n++)
        derive(c, n, s);
    drain(c);
    return true;
}

static bool answered(const struct ctl_checker *c, uint32_t strong, uint32_t weak)
{
    enum ctl_truth s = ctl_checker_answer(c, strong), w = ctl_checker_answer(c, weak);
    return s == CTL_TRUE || w == CTL_FALSE || (s != CTL_UNKNOWN && w != CTL_UNKNOWN);
}

static uint32_t take_next(struct ctl_checker *c, const struct ctl_limits *limits)
{
    assert(c->first < c->frontier.count);
    if (limits->order == CTL_BREADTH_FIRST) {
        uint32_t s = c->frontier.data[c->first++];
        if (c->first > 4096 && 2 * c->first > c->frontier.count) {
            memmove(c->frontier.data, c->frontier.data + c->first,
                    (c->frontier.count - c->first) * sizeof *c->frontier.data);
            c->frontier.count -= c->first;
            c->first = 0;
        }
        return s;
    }
    size_t last = c->frontier.count - 1;
    if (limits->order == CTL_RANDOM) {
        size_t i = c->first + random_below(&c->random, c->frontier.count - c->first);
        uint32_t chosen = c->frontier.data[i];
        c->frontier.data[i] = c->frontier.data[last];
        c->frontier.data[last] = chosen;
    }
    return VECTOR_POP(&c->frontier);
}

static void pass_when_due(struct ctl_checker *c, bool last)
{
    if (!last && c->expanded < c->next_pass)
        return;
    ctl_fixpoints(c, settle, drain);
    c->passes++;
    c->next_pass = c->expanded + 16 + c->expanded / 4;
}

static enum ctl_end go_on(struct ctl_checker *c, const struct ctl_limits *limits, bool all,
                          uint32_t strong, uint32_t weak)
{
    if (limits->order == CTL_RANDOM && c->expanded == 0)
        random_init(&c->random, limits->seed);
    while (all || !answered(c, strong, weak)) {
        if (limits->stop != NULL && atomic_load_explicit(limits->stop, memory_order_relaxed) != 0)
            return CTL_STOPPED;
        if (ctl_checker_complete(c)) {
            pass_when_due(c, true);
            assert(all || answered(c, strong, weak));
            return CTL_ANSWERED;
        }
        if (limits->states != 0 && c->known > limits->states) {
            pass_when_due(c, true);
            return !all && answered(c, strong, weak) ? CTL_ANSWERED : CTL_LIMIT;
        }
        uint32_t s = take_next(c, limits);
        if (!expand(c, s)) {
            VECTOR_PUSH(&c->frontier, s);
            pass_when_due(c, true);
            return !all && answered(c, strong, weak) ? CTL_ANSWERED : CTL_LIMIT;
        }
        pass_when_due(c, false);
        if (limits->observe != NULL && c->expanded % 64 == 0 && !limits->observe(limits->observer))
            return CTL_STOPPED;
    }
    return CTL_ANSWERED;
}

enum ctl_end ctl_checker_run(struct ctl_checker *c, uint32_t strong, uint32_t weak,
                             const struct ctl_limits *limits)
{
    assert(strong < c->node_count && weak < c->node_count);
    return go_on(c, limits, false, strong, weak);
}

enum ctl_end ctl_checker_expand_all(struct ctl_checker *c, const struct ctl_limits *limits)
{
    return go_on(c, limits, true, 0, 0);
}

enum ctl_truth ctl_checker_truth(const struct ctl_checker *c, uint32_t formula, uint32_t state)
{
    assert(formula < c->node_count && state < c->known);
    return (enum ctl_truth)c->nodes[formula].truth[state];
}

enum ctl_truth ctl_checker_answer(const struct ctl_checker *c, uint32_t formula)
{
    enum ctl_truth answer = CTL_TRUE;
    for (size_t i = 0; i < c->starts.count; i++) {
        enum ctl_truth t = ctl_checker_truth(c, formula, c->starts.data[i]);
        if (t == CTL_FALSE)
            return CTL_FALSE;
        if (t == CTL_UNKNOWN)
            answer = CTL_UNKNOWN;
    }
    return answer;
}

bool ctl_checker_complete(const struct ctl_checker *c)
{
    return c->first == c->frontier.count;
}

const struct ctl_formulas *ctl_checker_formulas(const struct ctl_checker *c)
{
    return c->formulas;
}

struct ctl_statistics ctl_checker_statistics(const struct ctl_checker *c)
{
    return (struct ctl_statistics){c->known, c->expanded, c->edges.count, c->passes};
}
