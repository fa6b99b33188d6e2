#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "languages/solidity/translate.h"

// Annotations: their conditions as terms.

struct sol_annotations sol_annotated(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_node *contract =
        t->frame != NULL && t->frame->contract != NULL ? t->frame->contract : t->contract;
    for (size_t i = 0; i < t->annotations.count; i++)
        if (t->annotations.data[i].node == node && t->annotations.data[i].contract == contract)
            return t->annotations.data[i].annotations;
    struct sol_known_annotations known = {
        contract, node, sol_annotations_of(t->tree, t->types, contract, node, t->messages)};
    VECTOR_PUSH(&t->annotations, known);
    t->failed |= known.annotations.wrong;
    return known.annotations;
}

const struct term *sol_condition(struct sol_translator *t, const struct sol_node *condition,
                                 bool asserted)
{
    const struct term *before = t->condition;
    bool nested = t->in_annotation;
    (void)asserted;
    t->in_annotation = true;
    t->condition = NULL;
    const struct term *term = sol_truth_of(t, condition);
    if (t->condition != NULL && !t->failed)
        term = term_and2(t->store, term, t->condition);
    t->condition = before;
    t->in_annotation = nested;
    ENSURE(t->failed || term->sort->kind == SORT_BOOL);
    return t->failed ? term_true(t->store) : term;
}

static void keep_old(struct sol_translator *t, const struct sol_node *call)
{
    assert(call->count == 1 && t->frame != NULL);
    struct sol_old *old = arena_zalloc(&t->arena, sizeof *old);
    bool nested = t->in_annotation;
    t->in_annotation = true;
    const struct term *value = sol_term_of(t, call->list[0]);
    t->in_annotation = nested;
    if (t->failed)
        return;
    old->node = call;
    old->value = sol_fresh(t, "old", value->sort, call);
    sol_assign(t, old->value, value, call);
    old->next = t->frame->olds;
    t->frame->olds = old;
}

void sol_keep_olds(struct sol_translator *t, const struct sol_node *node)
{
    if (node == NULL || t->failed)
        return;
    if (node->kind == SOL_CALL && node->part[0]->kind == SOL_IDENTIFIER &&
        strcmp(node->part[0]->name, "old") == 0) {
        keep_old(t, node);
        return;
    }
    for (int i = 0; i < SOL_PARTS; i++)
        sol_keep_olds(t, node->part[i]);
    for (size_t i = 0; i < node->count; i++)
        sol_keep_olds(t, node->list[i]);
}

// Those of the entry contract, and of its bases as theirs.
typedef void (*condition_user)(struct sol_translator *t, const struct term *condition,
                               const char *what, const struct sol_node *at);

static void each_invariant(struct sol_translator *t, condition_user use, const char *what,
                           const struct sol_node *at)
{
    if (t->self != NULL && t->contract == NULL)
        return;
    for (size_t b = 0; b < t->contract->order_count && !t->failed; b++) {
        const struct sol_node *base = sol_tree_node(t->tree, t->contract->order[b]);
        struct sol_annotations annotations = sol_annotated(t, base);
        for (size_t i = 0; i < annotations.count && !t->failed && t->now != NULL; i++)
            use(t, sol_condition(t, annotations.data[i].condition, false), what, at);
    }
}

static void use_assume(struct sol_translator *t, const struct term *condition, const char *what,
                       const struct sol_node *at)
{
    (void)what;
    sol_assume(t, condition, at);
}

static void use_check(struct sol_translator *t, const struct term *condition, const char *what,
                      const struct sol_node *at)
{
    // Those that do not count are no assumption either: other transactions may well break them.
    struct sol_frame *frame = t->frame;
    bool counted = t->function == NULL;
    for (; frame != NULL && !counted; frame = frame->outer)
        counted = frame->function == t->function;
    if (counted)
        sol_check(t, t->held != NULL ? term_implies(t->store, t->held, condition) : condition, what,
                  at);
}

void sol_assume_invariants(struct sol_translator *t, const struct sol_node *at)
{
    each_invariant(t, use_assume, NULL, at);
}

void sol_check_invariants(struct sol_translator *t, const char *what, const struct sol_node *at)
{
    each_invariant(t, use_check, what, at);
}

const struct term *sol_invariants(struct sol_translator *t)
{
    const struct term *all = term_true(t->store);
    for (size_t b = 0; b < t->contract->order_count && !t->failed; b++) {
        const struct sol_node *base = sol_tree_node(t->tree, t->contract->order[b]);
        struct sol_annotations annotations = sol_annotated(t, base);
        for (size_t i = 0; i < annotations.count && !t->failed; i++)
            all = term_and2(t->store, all, sol_condition(t, annotations.data[i].condition, false));
    }
    return all;
}
