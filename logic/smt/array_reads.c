#include "logic/smt/array_reads.h"

#include <assert.h>
#include <stdio.h>

#include "base/memory.h"
#include "logic/smt/bottom_up.h"

#define MOST_KEYS 128   // one more is kept, and says that there are too many
#define MOST_ENTRIES 32 // of a literal that is read
#define MOST_READS 4000
#define COPY 0x40000000u // no variable of a formula has so many copies

struct read {
    const struct term *array, *key, *is; // variables: the first and the last
};

struct equation {
    const struct term *left, *right, *holds;
};

struct array_reads {
    struct term_store *store;
    struct term_vector keys; // of all sorts
    VECTOR(struct read) reads;
    VECTOR(struct equation) equations;
};

struct array_reads *array_reads_create(struct term_store *store)
{
    struct array_reads *r = memory_zalloc(sizeof *r);
    r->store = store;
    return r;
}

void array_reads_destroy(struct array_reads *r)
{
    if (r == NULL)
        return;
    VECTOR_FINISH(&r->keys);
    VECTOR_FINISH(&r->reads);
    VECTOR_FINISH(&r->equations);
    memory_free(r);
}

static const struct term *new_variable(struct array_reads *r, const char *name,
                                       const struct sort *sort)
{
    return term_var_copy(r->store, term_var(r->store, name, sort), COPY);
}

static const struct term *read_variable(struct array_reads *r, const struct term *array,
                                        const struct term *key)
{
    char name[48];
    for (size_t i = 0; i < r->reads.count; i++)
        if (r->reads.data[i].array == array && r->reads.data[i].key == key)
            return r->reads.data[i].is;
    if (r->reads.count >= MOST_READS)
        return NULL;
    snprintf(name, sizeof name, "!read.%u.%u", array->id, key->id);
    const struct term *is = new_variable(r, name, array->sort->element);
    VECTOR_PUSH(&r->reads, ((struct read){array, key, is}));
    return is;
}

static const struct term *choose(struct array_reads *r, const struct term *condition,
                                 const struct term *a, const struct term *b)
{
    return a == NULL || b == NULL ? NULL : term_ite(r->store, condition, a, b);
}

// The array's parts have no reads of arrays any more.
static const struct term *read_at(struct array_reads *r, const struct term *array,
                                  const struct term *key)
{
    assert(array->sort->kind == SORT_ARRAY && array->sort->key == key->sort);
    const struct term *const *part = array->child;
    if (array->sort->element->kind == SORT_ARRAY)
        return NULL;
    switch (array->kind) {
    case TERM_VAR:
        return read_variable(r, array, key);
    case TERM_STORE:
        return choose(r, term_eq(r->store, key, part[1]), part[2], read_at(r, part[0], key));
    case TERM_ITE:
        return choose(r, part[0], read_at(r, part[1], key), read_at(r, part[2], key));
    case TERM_CONST_ARRAY:
        return part[0];
    case TERM_ARRAY: {
        const struct term *out = part[0];
        if (array->child_count / 2 > MOST_ENTRIES)
            return NULL;
        for (uint32_t i = 1; i + 1 < array->child_count; i += 2)
            out = term_ite(r->store, term_eq(r->store, key, part[i]), part[i + 1], out);
        return out;
    }
    default:
        return NULL;
    }
}

static const struct term *equate(struct array_reads *r, const struct term *a, const struct term *b)
{
    char name[48];
    for (size_t i = 0; i < r->equations.count; i++)
        if (r->equations.data[i].left == a && r->equations.data[i].right == b)
            return r->equations.data[i].holds;
    if (a == b)
        return term_true(r->store);
    snprintf(name, sizeof name, "!same.%u.%u", a->id, b->id);
    const struct term *holds = new_variable(r, name, sort_bool(r->store));
    VECTOR_PUSH(&r->equations, ((struct equation){a, b, holds}));
    return holds;
}

static const struct term *without_arrays(void *context, const struct term *term,
                                         const struct term *const *children)
{
    struct array_reads *r = context;
    switch (term->kind) {
    case TERM_SELECT:
        term_vector_add_once(&r->keys, children[1], MOST_KEYS + 1);
        return r->keys.count > MOST_KEYS ? NULL : read_at(r, children[0], children[1]);
    case TERM_STORE:
        term_vector_add_once(&r->keys, children[1], MOST_KEYS + 1);
        return term_store_at(r->store, children[0], children[1], children[2]);
    case TERM_EQ:
        if (children[0]->sort->kind == SORT_ARRAY)
            return equate(r, children[0], children[1]);
        break;
    default:
        break;
    }
    return term_rebuild(r->store, term, children);
}

const struct term *array_reads_of(struct array_reads *r, const struct term *formula)
{
    if ((formula->flags & TERM_HAS_QUANTIFIER) != 0)
        return NULL;
    const struct term *out = bottom_up(formula, NULL, without_arrays, r);
    return r->keys.count > MOST_KEYS ? NULL : out;
}

static bool equate_everywhere(struct array_reads *r, const struct equation *e,
                              struct term_vector *out)
{
    for (size_t k = 0; k < r->keys.count; k++) {
        const struct term *key = r->keys.data[k];
        if (key->sort != e->left->sort->key)
            continue;
        const struct term *left = read_at(r, e->left, key), *right = read_at(r, e->right, key);
        if (left == NULL || right == NULL)
            return false;
        VECTOR_PUSH(out, term_implies(r->store, e->holds, term_eq(r->store, left, right)));
    }
    return true;
}

const struct term *array_reads_facts(struct array_reads *r)
{
    struct term_vector facts = {0};
    bool good = true;
    for (size_t i = 0; i < r->equations.count && good; i++)
        good = equate_everywhere(r, &r->equations.data[i], &facts);
    for (size_t i = 0; i < r->reads.count && good; i++)
        for (size_t k = 0; k < i; k++) {
            const struct read *a = &r->reads.data[i], *b = &r->reads.data[k];
            if (a->array != b->array)
                continue;
            VECTOR_PUSH(&facts, term_implies(r->store, term_eq(r->store, a->key, b->key),
                                             term_eq(r->store, a->is, b->is)));
        }
    const struct term *out = good ? term_and(r->store, facts.data, facts.count) : NULL;
    VECTOR_FINISH(&facts);
    return out;
}
