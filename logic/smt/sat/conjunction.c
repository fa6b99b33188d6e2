#include "logic/smt/sat/conjunction.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { SEARCH_MOST = 64 }; // members of which every pair is looked up

struct member {
    uint32_t literal, key;
    struct blast_uses uses;
};

// The member of a conjunction as a number: 2 * id of what may be negated, + 1 when it is.
static uint32_t key_of(const struct term *junction, uint32_t i)
{
    const struct term *child = junction->child[i];
    bool negated = child->kind == TERM_NOT;
    const struct term *positive = negated ? child->child[0] : child;
    return 2 * positive->id + (negated != (junction->kind == TERM_OR));
}

static void count_members(struct blast *b, const struct term *junction)
{
    for (uint32_t i = 0; i < junction->child_count; i++) {
        uint32_t key = key_of(junction, i);
        while (b->uses.count <= key)
            VECTOR_PUSH(&b->uses, (struct blast_uses){0});
        b->uses.data[key].count++;
        b->uses.data[key].where += hash_mix(junction->id + UINT64_C(1));
    }
}

static bool expected_before(struct blast *b, const struct term *t)
{
    while (b->expected.count <= t->id)
        VECTOR_PUSH(&b->expected, false);
    bool before = b->expected.data[t->id];
    b->expected.data[t->id] = true;
    return before;
}

void conjunction_expect(struct blast *b, const struct term *term)
{
    VECTOR(const struct term *) todo = {0};
    VECTOR_PUSH(&todo, term);
    while (todo.count) {
        const struct term *t = VECTOR_POP(&todo);
        if (expected_before(b, t))
            continue;
        if (t->kind == TERM_AND || t->kind == TERM_OR)
            count_members(b, t);
        for (uint32_t i = 0; i < t->child_count; i++)
            VECTOR_PUSH(&todo, t->child[i]);
    }
    VECTOR_FINISH(&todo);
}

static bool together(const struct member *a, const struct member *b)
{
    return a->uses.count == b->uses.count && a->uses.where == b->uses.where;
}

static int most_used_first(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->uses.count != b->uses.count)
        return a->uses.count > b->uses.count ? -1 : 1;
    if (a->uses.where != b->uses.where)
        return a->uses.where < b->uses.where ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

static size_t join_companions(struct gates *g, struct member *m, size_t count)
{
    size_t kept = 1;
    for (size_t i = 1; i < count; i++)
        if (together(&m[kept - 1], &m[i]))
            m[kept - 1].literal = gates_and(g, m[kept - 1].literal, m[i].literal);
        else
            m[kept++] = m[i];
    return kept;
}

// Puts the member i together with the first behind it that has a gate with it.
static bool join_with_some(struct gates *g, struct member *m, size_t i, size_t *count)
{
    assert(i < *count);
    for (size_t k = i + 1; k < *count; k++)
        if (gates_has_and(g, m[i].literal, m[k].literal)) {
            m[i].literal = gates_and(g, m[i].literal, m[k].literal);
            --*count;
            memmove(m + k, m + k + 1, (*count - k) * sizeof *m);
            return true;
        }
    return false;
}

static size_t join_what_is_there(struct gates *g, struct member *m, size_t count)
{
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < count; i++)
            while (join_with_some(g, m, i, &count))
                found = true;
    }
    return count;
}

static struct blast_uses uses_of(const struct blast *b, uint32_t key)
{
    return key < b->uses.count ? b->uses.data[key] : (struct blast_uses){0};
}

uint32_t conjunction_literal(struct blast *b, const struct term *t)
{
    assert((t->kind == TERM_AND || t->kind == TERM_OR) && t->child_count >= 2);
    uint32_t sign = t->kind == TERM_OR, all = GATES_TRUE;
    size_t count = t->child_count;
    struct member *m = memory_alloc(count * sizeof *m);
    for (uint32_t i = 0; i < t->child_count; i++) {
        uint32_t key = key_of(t, i), position;
        blast_known(b, t->child[i], &position);
        m[i] = (struct member){b->bits.data[position] ^ sign, key, uses_of(b, key)};
    }
    if (count > 2) {
        qsort(m, count, sizeof *m, most_used_first);
        count = join_companions(&b->gates, m, count);
        if (count <= SEARCH_MOST)
            count = join_what_is_there(&b->gates, m, count);
    }
    for (size_t i = 0; i < count; i++)
        all = gates_and(&b->gates, all, m[i].literal);
    memory_free(m);
    return all ^ sign;
}
