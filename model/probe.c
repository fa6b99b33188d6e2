#include "model/probe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "logic/terms/eval.h"

enum {
    MOST_WORK = 30000, // nodes of terms looked at by each of the two probes: a few milliseconds
    EVALUATION = 5,    // what one evaluation costs besides, in such nodes
    WALKS = 8,
    MOST_STEPS = 50,
    MOST_TRIES = 4, // of one edge, with other random values
    LARGE = 5000,   // places of a state beyond which it is not worth copying
};

struct probe {
    const struct model *model;
    struct term_store *store;
    struct evaluator *evaluator;
    struct value *now; // by index of variable
    int64_t work;      // that is left
    struct random random;
};

static struct value look_up(void *context, const struct term *variable)
{
    const struct probe *p = context;
    const struct variable *v = model_variable_of(p->model, variable);
    return v != NULL ? p->now[v->index] : VALUE_UNKNOWN;
}

// A term as large as all the work that is allowed is not looked at.
static struct value evaluate(struct probe *p, const struct term *term)
{
    p->work -= (int64_t)term->tree_size + EVALUATION;
    return p->work < 0 ? VALUE_UNKNOWN : evaluator_run(p->evaluator, term, look_up, p);
}

static size_t state_bytes(const struct probe *p)
{
    return p->model->variable_count * sizeof *p->now;
}

// Three-valued propagation (Seger, Bryant 1995): a value that is not the same in all ways is unknown.

// True when `to` changed.
static bool join(const struct probe *p, struct value *to, const struct value *from)
{
    bool changed = false;
    for (uint32_t i = 0; i < p->model->variable_count; i++)
        if (value_known(to[i]) && !value_equal(to[i], from[i])) {
            to[i] = VALUE_UNKNOWN;
            changed = true;
        }
    return changed;
}

static bool propagate(struct probe *p, const struct statement *s);

// What holds after any of the statements. False: none can be passed.
static bool propagate_any(struct probe *p, const struct statement *const *child, uint32_t count)
{
    struct value *before = memory_alloc(state_bytes(p)), *all = memory_alloc(state_bytes(p));
    bool any = false;
    memcpy(before, p->now, state_bytes(p));
    for (uint32_t i = 0; i < count && p->work >= 0; i++) {
        memcpy(p->now, before, state_bytes(p));
        p->work -= p->model->variable_count;
        if (!propagate(p, child[i]))
            continue;
        if (any)
            join(p, all, p->now);
        else
            memcpy(all, p->now, state_bytes(p));
        any = true;
    }
    memcpy(p->now, any ? all : before, state_bytes(p));
    memory_free(before);
    memory_free(all);
    return any;
}

// False: the statement is never passed.
static bool propagate(struct probe *p, const struct statement *s)
{
    bool passed = true;
    struct value condition;
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSIGN:
        p->now[s->variable->index] = evaluate(p, s->expression);
        break;
    case STATEMENT_ASSUME:
        passed = !value_is_false(evaluate(p, s->expression));
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
        condition = evaluate(p, s->expression);
        passed = value_known(condition) ? propagate(p, s->child[value_is_false(condition)])
                                        : propagate_any(p, s->child, 2);
        break;
    }
    return passed;
}

// Values at each location, until nothing changes. False: too much work.
static bool propagate_all(struct probe *p, struct value **at)
{
    const struct model *m = p->model;
    uint32_t *todo = memory_alloc((m->location_count + 1) * sizeof *todo), count = 0;
    bool *waits = memory_zalloc(m->location_count * sizeof *waits);
    memset(p->now, 0, state_bytes(p));
    if (propagate(p, m->initial_action)) {
        at[m->initial->index] = memory_alloc(state_bytes(p));
        memcpy(at[m->initial->index], p->now, state_bytes(p));
        todo[count++] = m->initial->index;
        waits[m->initial->index] = true;
    }
    while (count > 0 && p->work >= 0) {
        const struct location *from = m->locations[todo[--count]];
        waits[from->index] = false;
        for (uint32_t i = 0; i < from->out_count && p->work >= 0; i++) {
            uint32_t to = from->out[i]->target->index;
            memcpy(p->now, at[from->index], state_bytes(p));
            p->work -= m->variable_count;
            if (!propagate(p, from->out[i]->action))
                continue;
            bool changed = at[to] == NULL;
            if (changed) {
                at[to] = memory_alloc(state_bytes(p));
                memcpy(at[to], p->now, state_bytes(p));
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

static uint32_t count_steady(const struct probe *p, struct value *const *at)
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

static uint32_t probe_steady(struct probe *p)
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

static struct value any_value(struct probe *p, const struct sort *sort)
{
    uint64_t count = sort_value_count(sort, 64), small = random_below(&p->random, 12);
    if (sort->kind == SORT_BOOL || sort->kind == SORT_ENUM)
        return value_small((int64_t)random_below(&p->random, count > 0 ? count : 1));
    if (sort->kind == SORT_INT)
        return value_small((int64_t)small - 2);
    if (sort->kind == SORT_BV && sort->width <= VALUE_BV_SMALL_WIDTH) {
        uint64_t mask = ((uint64_t)1 << sort->width) - 1;
        // Near zero from both sides, or anything.
        uint64_t bits = small < 10 ? small - 2 : random_next(&p->random);
        return value_small((int64_t)(bits & mask));
    }
    return term_value(term_default(p->store, sort));
}

// False: it was not passed with these choices.
static bool walk_statement(struct probe *p, const struct statement *s)
{
    bool passed = true;
    struct value condition;
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSIGN:
        p->now[s->variable->index] = evaluate(p, s->expression);
        break;
    case STATEMENT_ASSUME:
        passed = value_is_true(evaluate(p, s->expression));
        break;
    case STATEMENT_HAVOC:
        p->now[s->variable->index] = any_value(p, s->variable->sort);
        break;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count && passed; i++)
            passed = walk_statement(p, s->child[i]);
        break;
    case STATEMENT_CHOICE:
        passed = walk_statement(p, s->child[random_below(&p->random, s->child_count)]);
        break;
    case STATEMENT_IF:
        condition = evaluate(p, s->expression);
        passed = value_known(condition) && walk_statement(p, s->child[value_is_false(condition)]);
        break;
    }
    return passed;
}

// Begins anywhere, from the same edge on round. NULL: no step was found.
static const struct location *step(struct probe *p, const struct location *from,
                                   struct value *before)
{
    memcpy(before, p->now, state_bytes(p));
    uint32_t first = from->out_count > 0 ? (uint32_t)random_below(&p->random, from->out_count) : 0;
    for (uint32_t i = 0; i < from->out_count; i++) {
        const struct edge *edge = from->out[(first + i) % from->out_count];
        for (int tries = 0; tries < MOST_TRIES && p->work >= 0; tries++) {
            if (walk_statement(p, edge->action))
                return edge->target;
            memcpy(p->now, before, state_bytes(p));
            p->work -= p->model->variable_count;
        }
    }
    return NULL;
}

static uint64_t state_hash(const struct probe *p, const struct location *at)
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

static void probe_walks(struct probe *p, struct model_probe *out)
{
    uint64_t met[WALKS * (MOST_STEPS + 1)];
    size_t count = 0;
    struct value *before = memory_alloc(state_bytes(p) + 1);
    p->work = MOST_WORK;
    for (int walk = 0; walk < WALKS && p->work >= 0; walk++) {
        const struct location *at = p->model->initial;
        uint32_t steps = 0;
        for (uint32_t i = 0; i < p->model->variable_count; i++)
            p->now[i] = any_value(p, p->model->variables[i]->sort);
        if (!walk_statement(p, p->model->initial_action))
            continue;
        met[count++] = state_hash(p, at);
        while (steps < MOST_STEPS && at != p->model->error && p->work >= 0) {
            const struct location *next = step(p, at, before);
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
    memory_free(before);
}

void model_probe(const struct model *model, struct model_probe *out)
{
    *out = (struct model_probe){0};
    if (model->variable_count > LARGE)
        return;
    struct probe p = {.model = model, .store = term_store_create(model->store)};
    p.evaluator = evaluator_create(p.store);
    p.now = memory_zalloc(state_bytes(&p) + 1);
    random_init(&p.random, 7);
    out->steady = probe_steady(&p);
    probe_walks(&p, out);
    memory_free(p.now);
    evaluator_destroy(p.evaluator);
    term_store_destroy(p.store);
}
