#include <assert.h>
#include <string.h>

#include "languages/solidity/interpret_inside.h"

// What fails: assertions, annotations, overflow.

// Failures.

static bool counts(const struct machine *m)
{
    if (m->function == NULL)
        return true;
    for (const struct activation *a = m->active; a != NULL; a = a->outer)
        if (a->function == m->function)
            return true;
    return false;
}

void machine_check(struct machine *m, bool good, const char *what, const struct sol_node *at,
                   bool reverts)
{
    assert(what != NULL && at != NULL);
    if (good || machine_ended(m))
        return;
    if (counts(m))
        machine_stop(m, FLOW_VIOLATED, at, what);
    else if (reverts)
        machine_stop(m, FLOW_REVERT, at, "a failure in another function");
}

void machine_check_overflow(struct machine *m, const struct sol_node *at)
{
    if (m->overflow && !machine_ended(m)) {
        m->overflow = false;
        machine_check(m, false, SOL_FAIL_OVERFLOW, at, false);
    }
}

bool machine_condition(struct machine *m, const struct sol_node *node)
{
    bool annotation = m->annotation, exact = m->exact;
    m->annotation = m->exact = true;
    bool value = machine_is_true(machine_evaluate(m, node)) && m->exact;
    m->annotation = annotation;
    m->exact = exact;
    return value;
}

struct sol_annotations machine_annotations_of(struct machine *m, const struct sol_node *contract,
                                              const struct sol_node *node)
{
    struct messages quiet;
    messages_init(&quiet);
    struct sol_annotations a =
        sol_annotations_of((struct sol_tree *)m->tree, m->types, contract, node, &quiet);
    messages_finish(&quiet);
    return a;
}

void machine_check_all(struct machine *m, struct sol_annotations a, enum sol_annotation_kind kind,
                       const char *what, const struct sol_node *at)
{
    for (size_t i = 0; i < a.count && !machine_ended(m); i++)
        if (a.data[i].kind == kind && (kind == SOL_INVARIANT ? counts(m) : true))
            machine_check(m, machine_condition(m, a.data[i].condition), what, at,
                          kind != SOL_INVARIANT);
}

void machine_check_invariants(struct machine *m, const char *what, const struct sol_node *at)
{
    for (size_t b = 0; b < m->contract->order_count && !machine_ended(m) && !m->was_broken; b++)
        machine_check_all(
            m,
            machine_annotations_of(m, m->contract, sol_tree_node(m->tree, m->contract->order[b])),
            SOL_INVARIANT, what, at);
}

bool machine_invariants_hold(struct machine *m)
{
    for (size_t b = 0; b < m->contract->order_count; b++) {
        struct sol_annotations a =
            machine_annotations_of(m, m->contract, sol_tree_node(m->tree, m->contract->order[b]));
        for (size_t i = 0; i < a.count; i++)
            if (!machine_condition(m, a.data[i].condition))
                return false;
    }
    return true;
}

void machine_remember(struct machine *m, const struct sol_node *node)
{
    if (node == NULL || machine_ended(m))
        return;
    if (node->kind == SOL_CALL && node->part[0]->kind == SOL_IDENTIFIER &&
        strcmp(node->part[0]->name, "old") == 0) {
        struct remembered *old = arena_zalloc(&m->arena, sizeof *old);
        bool annotation = m->annotation;
        m->annotation = true;
        *old = (struct remembered){node, machine_evaluate(m, node->list[0]), m->active->olds};
        m->annotation = annotation;
        m->active->olds = old;
        return;
    }
    for (int i = 0; i < SOL_PARTS; i++)
        machine_remember(m, node->part[i]);
    for (size_t i = 0; i < node->count; i++)
        machine_remember(m, node->list[i]);
}
