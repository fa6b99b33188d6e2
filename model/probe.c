#include "model/probe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "model/walk.h"

enum {
    MOST_WORK = 30000, // nodes of terms looked at by each of the two probes: a few milliseconds
    WALKS = 8,
    MOST_STEPS = 50,
    LARGE = 5000, // places of a state beyond which it is not worth copying
};

// Three-valued propagation (Seger, Bryant 1995): a value that is not the same in all ways is unknown.

// True when `to` changed.
static bool join(const struct walk *p, struct value *to, const struct value *from)
{
    bool changed = false;
    for (uint32_t i = 0; i < p->model->variable_count; i++)
        if (value_known(to[i]) && !value_equal(to[i], from[i])) {
            to[i] = VALUE_UNKNOWN;
            changed = true;
        }
    return changed;
}

static bool propagate(struct walk *p, const struct statement *s);

// What holds after any of the statements. False: none can be passed.
static bool propagate_any(struct walk *p, const struct statement *const *child, uint32_t count)
{
    struct value *before = memory_alloc(walk_state_bytes(p)),
                 *all = memory_alloc(walk_state_bytes(p));
    bool any = false;
    memcpy(before, p->now, walk_state_bytes(p));
    for (uint32_t i = 0; i < count && p->work >= 0; i++) {
        memcpy(p->now, before, walk_state_bytes(p));
        p->work -= p->model->variable_count;
        if (!propagate(p, child[i]))
            continue;
        if (any)
            join(p, all, p->now);
        else
            memcpy(all, p->now, walk_state_bytes(p));
        any = true;
    }
    memcpy(p->now, any ? all : before, walk_state_bytes(p));
    memory_free(before);
    memory_free(all);
    return any;
}

// False: the statement is never passed.
static bool propagate(struct walk *p, const struct statement *s)
{
    bool passed = true;
    struct value condition;
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSIGN:
        p->now[s->variable->index] = walk_evaluate(p, s->expression);
        break;
    case STATEMENT_ASSUME:
        passed = !value_is_false(walk_evaluate(p, s->expression));
        break;
    case STATEMENT_HAVOC:
        p->now[s->variable->index] = VALUE_UNKNOWN;
        break;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count && passed; i++)
            passed = propagate(p, s->child[i]);
        break;
    case STATEMENT_CHOICE:
        passed = propagate_any(p, s->child, s->child_count);
        break;
    case STATEMENT_IF:
        condition = walk_evaluate(p, s->expression);
        passed = value_known(condition) ? propagate(p, s->child[value_is_false(condition)])
                                        : propagate_any(p, s->child, 2);
        break;
    }
    return passed;
}

// Values at each location, until nothing changes. False: too much work.
static bool propagate_all(struct walk *p, struct value **at)
{
    const struct model *m = p->model;
    uint32_t *todo = memory_alloc((m->location_count + 1) * sizeof *todo), count = 0;
    bool *waits = memory_zalloc(m->location_count * sizeof *waits);
    memset(p->now, 0, walk_state_bytes(p));
    if (propagate(p, m->initial_action)) {
        at[m->initial->index] = memory_alloc(walk_state_bytes(p));
        memcpy(at[m->initial->index], p->now, walk_state_bytes(p));
        todo[count++] = m->initial->index;
        waits[m->initial->index] = true;
    }
    while (count > 0 && p->work >= 0) {
        const struct location *from = m->locations[todo[--count]];
        waits[from->index] = false;
        for (uint32_t i = 0; i < from->out_count && p->work >= 0; i++) {
            uint32_t to = from->out[i]->target->index;
            memcpy(p->now, at[from->index], walk_state_bytes(p));
            p->work -= m->variable_count;
            if (!propagate(p, from->out[i]->action))
                continue;
            bool changed = at[to] == NULL;
            if (changed) {
                at[to] = memory_alloc(walk_state_bytes(p));
                memcpy(at[to], p->now, walk_state_bytes(p));
            } else {
                changed = join(p, at[to], p->now);
            }
            if (changed && !waits[to]) {
                waits[to] = true;
                todo[count++] = to;
            }
        }
    }
    memory_free(todo);
    memory_free(waits);
    return p->work >= 0;
}

static uint32_t count_steady(const struct walk *p, struct value *const *at)
{
    uint32_t steady = 0;
    for (uint32_t v = 0; v < p->model->variable_count; v++) {
        struct value one = VALUE_UNKNOWN;
        bool same = true;
        for (uint32_t l = 0; l < p->model->location_count && same; l++) {
            if (at[l] == NULL)
                continue;
            same = value_known(at[l][v]) && (!value_known(one) || value_equal(one, at[l][v]));
            one = at[l][v];
        }
        steady += same && value_known(one);
    }
    return steady;
}

static uint32_t probe_steady(struct walk *p)
{
    struct value **at = memory_zalloc(p->model->location_count * sizeof *at);
    p->work = MOST_WORK;
    uint32_t steady = propagate_all(p, at) ? count_steady(p, at) : 0;
    for (uint32_t i = 0; i < p->model->location_count; i++)
        memory_free(at[i]);
    memory_free(at);
    return steady;
}

// Random walks.

static uint64_t state_hash(const struct walk *p, const struct location *at)
{
    struct hash128 h = hash128_seed(at->index);
    for (uint32_t i = 0; i < p->model->variable_count; i++)
        h = hash128_add(h, value_hash(p->now[i]));
    return h.low;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint32_t count_distinct(uint64_t *numbers, size_t count)
{
    uint32_t distinct = 0;
    qsort(numbers, count, sizeof *numbers, by_number);
    for (size_t i = 0; i < count; i++)
        distinct += i == 0 || numbers[i] != numbers[i - 1];
    return distinct;
}

static void probe_walks(struct walk *p, struct model_probe *out)
{
    uint64_t met[WALKS * (MOST_STEPS + 1)];
    size_t count = 0;
    p->work = MOST_WORK;
    for (int walk = 0; walk < WALKS && p->work >= 0; walk++) {
        const struct location *at = p->model->initial;
        uint32_t steps = 0;
        if (!walk_begin(p))
            continue;
        met[count++] = state_hash(p, at);
        while (steps < MOST_STEPS && at != p->model->error && p->work >= 0) {
            const struct location *next = walk_step(p, at);
            if (next == NULL)
                break;
            at = next;
            steps++;
            met[count++] = state_hash(p, at);
        }
        out->walk_errors += at == p->model->error;
        out->walk_stuck += at != p->model->error && steps < MOST_STEPS && p->work >= 0;
        out->walk_steps = steps > out->walk_steps ? steps : out->walk_steps;
    }
    out->walk_states = count_distinct(met, count);
}

void model_probe(const struct model *model, struct model_probe *out)
{
    *out = (struct model_probe){0};
    if (model->variable_count > LARGE)
        return;
    struct walk p;
    walk_init(&p, model, 7, 0);
    out->steady = probe_steady(&p);
    probe_walks(&p, out);
    walk_finish(&p);
}
