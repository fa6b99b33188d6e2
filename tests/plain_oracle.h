#ifndef REGATTA_TESTS_PLAIN_ORACLE_H
#define REGATTA_TESTS_PLAIN_ORACLE_H

#include <string.h>

#include "base/memory.h"
#include "model/capsules/interpret.h"

// The oracle: all states by the interpreter, labelled as in the textbook.

#define ORACLE_MOST 300

struct oracle {
    struct plain_interpreter *interpreter;
    VECTOR(struct plain_state *) states;
    VECTOR(uint32_t) from;
    VECTOR(uint32_t) to;
    uint32_t at;
    bool too_large;
};

static inline void oracle_note(void *context, const struct plain_step *step,
                               struct plain_state *next)
{
    struct oracle *o = context;
    (void)step;
    uint32_t number = 0;
    while (number < o->states.count && !plain_equal(o->states.data[number], next))
        number++;
    VECTOR_PUSH(&o->from, o->at);
    VECTOR_PUSH(&o->to, number);
    if (number < o->states.count)
        plain_destroy(next);
    else
        VECTOR_PUSH(&o->states, next);
}

static inline void oracle_make(struct oracle *o, const struct capsules *model, uint32_t queue_bound)
{
    memset(o, 0, sizeof *o);
    o->interpreter = plain_interpreter_create(model, queue_bound, false);
    VECTOR_PUSH(&o->states, plain_interpreter_start(o->interpreter));
    for (o->at = 0; o->at < o->states.count && !o->too_large; o->at++) {
        plain_interpreter_steps(o->interpreter, o->states.data[o->at], 0, 0, oracle_note, o);
        o->too_large = o->states.count > ORACLE_MOST;
    }
}

static inline void oracle_finish(struct oracle *o)
{
    for (size_t i = 0; i < o->states.count; i++)
        plain_destroy(o->states.data[i]);
    VECTOR_FINISH(&o->states);
    VECTOR_FINISH(&o->from);
    VECTOR_FINISH(&o->to);
    plain_interpreter_destroy(o->interpreter);
}

static inline bool node_value(struct oracle *o, const struct capsule_question *q, uint32_t n,
                              const uint8_t *a, const uint8_t *b, const uint8_t *some,
                              const uint8_t *all, const uint8_t *any, uint32_t s)
{
    switch (q->formulas.data[n].kind) {
    case CTL_CONSTANT:
        return q->formulas.data[n].left != 0;
    case CTL_ATOM:
        return plain_interpreter_atom(o->interpreter, q, q->formulas.data[n].left,
                                      o->states.data[s], 0, 0);
    case CTL_NOT:
        return !a[s];
    case CTL_AND:
        return a[s] && b[s];
    case CTL_OR:
        return a[s] || b[s];
    case CTL_EX:
        return some[s];
    case CTL_EU:
        return b[s] || (a[s] && some[s]);
    case CTL_AF:
        return a[s] || (any[s] && all[s]);
    }
    return false;
}

static inline bool oracle_answer(struct oracle *o, const struct capsule_question *q)
{
    size_t count = o->states.count;
    uint8_t *sat = memory_zalloc(q->formulas.count * count);
    uint8_t *some = memory_alloc(count), *all = memory_alloc(count), *any = memory_alloc(count);
    for (uint32_t n = 0; n < q->formulas.count; n++) {
        const struct ctl_node *node = &q->formulas.data[n];
        uint8_t *now = sat + n * count;
        const uint8_t *a = sat + (node->kind == CTL_ATOM ? 0 : node->left) * count;
        const uint8_t *b = sat + node->right * count;
        bool temporal = node->kind >= CTL_EX;
        for (bool changed = true; changed;) {
            changed = false;
            memset(some, 0, count);
            memset(all, 1, count);
            memset(any, 0, count);
            const uint8_t *next = node->kind == CTL_EX ? a : now;
            for (size_t e = 0; e < o->from.count; e++) {
                some[o->from.data[e]] |= next[o->to.data[e]];
                all[o->from.data[e]] &= next[o->to.data[e]];
                any[o->from.data[e]] = 1;
            }
            for (uint32_t s = 0; s < count; s++) {
                uint8_t value = node_value(o, q, n, a, b, some, all, any, s);
                changed |= temporal && value != now[s];
                now[s] = value;
            }
        }
    }
    bool answer = sat[q->root * count] != 0;
    memory_free(sat);
    memory_free(some);
    memory_free(all);
    memory_free(any);
    return answer;
}

#endif
