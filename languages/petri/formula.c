#include "languages/petri/formula.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

struct children {
    const struct formula **data;
    size_t count, capacity;
};

const struct formula *formula_constant(struct arena *arena, bool value)
{
    struct formula *f = arena_zalloc(arena, sizeof *f);
    f->kind = value ? FORMULA_TRUE : FORMULA_FALSE;
    return f;
}

static int compare_terms(const void *left, const void *right)
{
    const struct net_arc *a = left, *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

// Adds up terms of the same place; returns how many are left.
static uint32_t merge(struct net_arc *terms, size_t count)
{
    uint32_t kept = 0;
    if (count > 1)
        qsort(terms, count, sizeof *terms, compare_terms);
    for (size_t i = 0; i < count; i++) {
        if (kept && terms[kept - 1].place == terms[i].place)
            terms[kept - 1].weight += terms[i].weight;
        else
            terms[kept++] = terms[i];
    }
    uint32_t left = 0;
    for (uint32_t i = 0; i < kept; i++)
        if (terms[i].weight != 0)
            terms[left++] = terms[i];
    return left;
}

// Places hold at least 0 tokens, which decides some comparisons.
static const struct formula *decide(struct arena *arena, const struct net_arc *terms,
                                    uint32_t count, int64_t bound)
{
    bool falls = true, rises = true;
    for (uint32_t i = 0; i < count; i++) {
        falls = falls && terms[i].weight < 0;
        rises = rises && terms[i].weight > 0;
    }
    if (falls && bound >= 0)
        return formula_constant(arena, true);
    return rises && bound < 0 ? formula_constant(arena, false) : NULL;
}

const struct formula *formula_at_most(struct arena *arena, const struct net_arc *terms,
                                      size_t count, int64_t bound)
{
    struct net_arc *copy = arena_alloc(arena, (count + 1) * sizeof *copy);
    if (count)
        memcpy(copy, terms, count * sizeof *copy);
    uint32_t left = merge(copy, count);
    assert(left <= count);
    const struct formula *decided = decide(arena, copy, left, bound);
    if (decided != NULL)
        return decided;
    struct formula *f = arena_zalloc(arena, sizeof *f);
    *f = (struct formula){.kind = FORMULA_LINEAR, .sum = {copy, left}, .bound = bound};
    return f;
}

static void add_child(struct children *list, const struct formula *f, enum formula_kind kind)
{
    for (uint32_t i = 0; f->kind == kind && i < f->child_count; i++)
        VECTOR_PUSH(list, f->child[i]);
    if (f->kind != kind)
        VECTOR_PUSH(list, f);
}

const struct formula *formula_join(struct arena *arena, enum formula_kind kind,
                                   const struct formula *const *children, size_t count)
{
    enum formula_kind neutral = kind == FORMULA_AND ? FORMULA_TRUE : FORMULA_FALSE;
    enum formula_kind absorbing = kind == FORMULA_AND ? FORMULA_FALSE : FORMULA_TRUE;
    assert(kind == FORMULA_AND || kind == FORMULA_OR);
    struct children list = {0};
    for (size_t i = 0; i < count; i++) {
        if (children[i]->kind == absorbing) {
            VECTOR_FINISH(&list);
            return children[i];
        }
        if (children[i]->kind != neutral)
            add_child(&list, children[i], kind);
    }
    const struct formula *only = list.count == 1 ? list.data[0] : NULL;
    if (list.count == 0)
        only = formula_constant(arena, kind == FORMULA_AND);
    struct formula *f = NULL;
    if (only == NULL) {
        assert(list.count > 1);
        const struct formula **copy = arena_alloc(arena, list.count * sizeof *copy);
        memcpy(copy, list.data, list.count * sizeof *copy);
        f = arena_zalloc(arena, sizeof *f);
        *f = (struct formula){.kind = kind, .child = copy, .child_count = (uint32_t)list.count};
    }
    VECTOR_FINISH(&list);
    return only != NULL ? only : f;
}

static const struct formula *not_linear(struct arena *arena, const struct formula *formula)
{
    assert(formula->kind == FORMULA_LINEAR);
    struct net_arc *terms = arena_alloc(arena, formula->sum.count * sizeof *terms);
    for (uint32_t i = 0; i < formula->sum.count; i++)
        terms[i] = (struct net_arc){formula->sum.data[i].place, -formula->sum.data[i].weight};
    return formula_at_most(arena, terms, formula->sum.count, -formula->bound - 1);
}

const struct formula *formula_not(struct arena *arena, const struct formula *formula)
{
    switch (formula->kind) {
    case FORMULA_TRUE:
    case FORMULA_FALSE:
        return formula_constant(arena, formula->kind == FORMULA_FALSE);
    case FORMULA_LINEAR:
        return not_linear(arena, formula);
    case FORMULA_AND:
    case FORMULA_OR:
        break;
    }
    struct children list = {0};
    for (uint32_t i = 0; i < formula->child_count; i++)
        VECTOR_PUSH(&list, formula_not(arena, formula->child[i]));
    const struct formula *f = formula_join(
        arena, formula->kind == FORMULA_AND ? FORMULA_OR : FORMULA_AND, list.data, list.count);
    VECTOR_FINISH(&list);
    return f;
}

const struct formula *formula_fireable(struct arena *arena, const struct net *net,
                                       uint32_t transition)
{
    assert(transition < net->transition_count);
    const struct net_transition *t = &net->transitions[transition];
    struct children list = {0};
    for (uint32_t i = 0; i < t->pre.count; i++) {
        struct net_arc term = {t->pre.data[i].place, -1};
        VECTOR_PUSH(&list, formula_at_most(arena, &term, 1, -t->pre.data[i].weight));
    }
    for (uint32_t i = 0; i < t->inhibit.count; i++) {
        struct net_arc term = {t->inhibit.data[i].place, 1};
        VECTOR_PUSH(&list, formula_at_most(arena, &term, 1, t->inhibit.data[i].weight - 1));
    }
    const struct formula *f = formula_join(arena, FORMULA_AND, list.data, list.count);
    VECTOR_FINISH(&list);
    return f;
}

const struct formula *formula_deadlock(struct arena *arena, const struct net *net)
{
    struct children list = {0};
    for (uint32_t t = 0; t < net->transition_count; t++)
        VECTOR_PUSH(&list, formula_not(arena, formula_fireable(arena, net, t)));
    const struct formula *f = formula_join(arena, FORMULA_AND, list.data, list.count);
    VECTOR_FINISH(&list);
    return f;
}

static bool linear_holds(const struct formula *formula, const int64_t *marking)
{
    __int128 sum = 0;
    for (uint32_t i = 0; i < formula->sum.count; i++)
        sum += (__int128)formula->sum.data[i].weight * marking[formula->sum.data[i].place];
    return sum <= formula->bound;
}

bool formula_holds(const struct formula *formula, const int64_t *marking)
{
    switch (formula->kind) {
    case FORMULA_TRUE:
        return true;
    case FORMULA_FALSE:
        return false;
    case FORMULA_LINEAR:
        return linear_holds(formula, marking);
    case FORMULA_AND:
        for (uint32_t i = 0; i < formula->child_count; i++)
            if (!formula_holds(formula->child[i], marking))
                return false;
        return true;
    case FORMULA_OR:
        for (uint32_t i = 0; i < formula->child_count; i++)
            if (formula_holds(formula->child[i], marking))
                return true;
        return false;
    }
    return false;
}
