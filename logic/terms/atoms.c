#include "logic/terms/map.h"
#include "logic/terms/rewrite.h"

// A connective is no atom, its operands may be.
static bool is_connective(const struct term *t)
{
    switch (t->kind) {
    case TERM_NOT:
    case TERM_AND:
    case TERM_OR:
    case TERM_ITE:
    case TERM_FORALL:
    case TERM_EXISTS:
        return true;
    case TERM_EQ:
        return t->child[0]->sort->kind == SORT_BOOL;
    default:
        return false;
    }
}

struct atoms {
    struct term_vector *out;
    struct term_map visited;
    struct term_vector bound; // variables bound by any quantifier of the term
};

static bool has_bound_variable(struct atoms *a, const struct term *t)
{
    for (size_t i = 0; i < a->bound.count; i++)
        if (rewrite_contains(t, a->bound.data[i]))
            return true;
    return false;
}

static void collect(struct atoms *a, const struct term *root)
{
    struct term_vector todo = {0};
    VECTOR_PUSH(&todo, root);
    while (todo.count > 0) {
        const struct term *t = VECTOR_POP(&todo);
        if (term_is_literal(t) || !term_map_insert(&a->visited, t))
            continue;
        uint32_t first = 0;
        if (t->kind == TERM_FORALL || t->kind == TERM_EXISTS)
            for (; first + 1 < t->child_count; first++)
                VECTOR_PUSH(&a->bound, t->child[first]);
        if (t->sort->kind == SORT_BOOL && !is_connective(t))
            VECTOR_PUSH(a->out, t);
        for (uint32_t i = t->child_count; i > first; i--)
            VECTOR_PUSH(&todo, t->child[i - 1]);
    }
    VECTOR_FINISH(&todo);
}

void rewrite_atoms(const struct term *term, struct term_vector *out)
{
    struct atoms a = {.out = out};
    term_map_init(&a.visited);
    size_t begin = out->count;
    for (size_t i = 0; i < begin; i++)
        term_map_insert(&a.visited, out->data[i]); // distinct over several calls
    collect(&a, term);
    size_t kept = begin;
    for (size_t i = begin; i < out->count; i++)
        if (!has_bound_variable(&a, out->data[i]))
            out->data[kept++] = out->data[i];
    out->count = kept;
    VECTOR_FINISH(&a.bound);
    term_map_finish(&a.visited);
}

void rewrite_conjuncts(const struct term *term, struct term_vector *out)
{
    if (term_is_true(term))
        return;
    if (term->kind != TERM_AND) {
        VECTOR_PUSH(out, term);
        return;
    }
    for (uint32_t i = 0; i < term->child_count; i++)
        VECTOR_PUSH(out, term->child[i]);
}
