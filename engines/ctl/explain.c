#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "engines/ctl/inside.h"

void ctl_run_finish(struct ctl_run *run)
{
    VECTOR_FINISH(&run->states);
    VECTOR_FINISH(&run->needs);
}

static enum ctl_truth truth_of(const struct ctl_checker *c, uint32_t n, uint32_t s)
{
    return (enum ctl_truth)c->nodes[n].truth[s];
}

static uint32_t find_successor(const struct ctl_checker *c, uint32_t n, uint32_t s,
                               enum ctl_truth wanted)
{
    const struct ctl_state *state = &c->states[s];
    for (uint32_t i = 0; i < state->out_count; i++) {
        uint32_t t = c->edges.data[state->out + i].target;
        if (truth_of(c, n, t) == wanted)
            return t;
    }
    return UINT32_MAX;
}

// The shortest way from s through states of a to one of b; appended without s. Returns its last state.
static uint32_t walk_until(const struct ctl_checker *c, uint32_t n, uint32_t s, struct ctl_run *run)
{
    const struct ctl_node *node = &c->formulas->data[n];
    uint32_t *from = memory_alloc((c->known + 1) * sizeof *from);
    memset(from, 0xff, c->known * sizeof *from);
    struct ctl_states queue = {0};
    VECTOR_PUSH(&queue, s);
    from[s] = s;
    uint32_t goal = UINT32_MAX;
    for (size_t head = 0; goal == UINT32_MAX && head < queue.count; head++) {
        uint32_t at = queue.data[head];
        if (truth_of(c, node->right, at) == CTL_TRUE) {
            goal = at;
            break;
        }
        const struct ctl_state *state = &c->states[at];
        for (uint32_t i = 0; i < state->out_count; i++) {
            uint32_t t = c->edges.data[state->out + i].target;
            if (from[t] != UINT32_MAX || truth_of(c, n, t) != CTL_TRUE)
                continue;
            from[t] = at;
            VECTOR_PUSH(&queue, t);
        }
    }
    if (goal != UINT32_MAX) {
        size_t begin = run->states.count;
        for (uint32_t at = goal; at != s; at = from[at])
            VECTOR_PUSH(&run->states, at);
        for (size_t i = begin, j = run->states.count; i + 1 < j; i++) {
            j--;
            uint32_t other = run->states.data[i];
            run->states.data[i] = run->states.data[j];
            run->states.data[j] = other;
        }
    }
    VECTOR_FINISH(&queue);
    memory_free(from);
    return goal;
}

// From s through states where AF g is false to one met before, or to a deadlock.
static void walk_avoiding(const struct ctl_checker *c, uint32_t n, uint32_t s, struct ctl_run *run)
{
    size_t begin = run->states.count - 1;
    uint8_t *met = memory_zalloc(c->known + 1);
    for (uint32_t at = s;;) {
        met[at] = 1;
        uint32_t next = find_successor(c, n, at, CTL_FALSE);
        if (next == UINT32_MAX) {
            assert(c->states[at].expanded && c->states[at].out_count == 0);
            run->deadlock = true;
            break;
        }
        if (met[next]) {
            for (run->loop = begin; run->states.data[run->loop] != next;)
                run->loop++;
            break;
        }
        VECTOR_PUSH(&run->states, next);
        at = next;
    }
    memory_free(met);
}

static void need(struct ctl_run *run, size_t position, uint32_t formula, bool truth)
{
    VECTOR_PUSH(&run->needs, ((struct ctl_need){position, formula, truth}));
}

static void need_along(const struct ctl_checker *c, struct ctl_run *run, size_t from, size_t to,
                       uint32_t formula, bool truth)
{
    for (size_t i = from; i < to && ctl_is_local(c->formulas, formula); i++)
        need(run, i, formula, truth);
}

static void explain(const struct ctl_checker *c, uint32_t n, uint32_t s, struct ctl_run *run)
{
    const struct ctl_node *node = &c->formulas->data[n];
    bool is_true = truth_of(c, n, s) == CTL_TRUE;
    assert(truth_of(c, n, s) != CTL_UNKNOWN && "there is nothing to explain");
    switch (node->kind) {
    case CTL_CONSTANT:
    case CTL_ATOM:
        need(run, run->states.count - 1, n, is_true);
        return;
    case CTL_NOT:
        explain(c, node->left, s, run);
        return;
    case CTL_AND:
    case CTL_OR: {
        bool decides_left = truth_of(c, node->left, s) == (is_true ? CTL_TRUE : CTL_FALSE);
        if (is_true == (node->kind == CTL_OR)) {
            explain(c, decides_left ? node->left : node->right, s, run);
            return;
        }
        // Both matter; a run can show one that is not local.
        bool local = ctl_is_local(c->formulas, node->left);
        bool both = local || ctl_is_local(c->formulas, node->right);
        run->partial |= !both;
        if (both)
            explain(c, local ? node->left : node->right, s, run);
        explain(c, local ? node->right : node->left, s, run);
        return;
    }
    case CTL_EX:
        if (is_true) {
            uint32_t next = find_successor(c, node->left, s, CTL_TRUE);
            ENSURE(next != UINT32_MAX);
            VECTOR_PUSH(&run->states, next);
            explain(c, node->left, next, run);
        } else {
            run->partial = true;
        }
        return;
    case CTL_EU:
        if (is_true) {
            size_t from = run->states.count - 1;
            uint32_t last = walk_until(c, n, s, run);
            ENSURE(last != UINT32_MAX);
            need_along(c, run, from, run->states.count - 1, node->left, true);
            explain(c, node->right, last, run);
        } else {
            run->partial = true;
        }
        return;
    case CTL_AF:
        if (is_true) {
            run->partial = true;
        } else {
            run->partial |= !ctl_is_local(c->formulas, node->left);
            size_t from = run->states.count - 1;
            walk_avoiding(c, n, s, run);
            need_along(c, run, from, run->states.count, node->left, false);
        }
        return;
    }
}

void ctl_checker_explain(const struct ctl_checker *c, uint32_t formula, uint32_t state,
                         struct ctl_run *out)
{
    assert(formula < c->node_count && state < c->known);
    *out = (struct ctl_run){.loop = SIZE_MAX};
    VECTOR_PUSH(&out->states, state);
    if (truth_of(c, formula, state) != CTL_UNKNOWN)
        explain(c, formula, state, out);
}
