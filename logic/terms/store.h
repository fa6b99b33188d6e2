#ifndef REGATTA_LOGIC_TERMS_STORE_H
#define REGATTA_LOGIC_TERMS_STORE_H

#include <stdatomic.h>

#include "base/vector.h"
#include "logic/terms/float_notes.h"
#include "logic/terms/term.h"

// The inside of a term store, for the files of this folder only.

struct term_slot {
    uint64_t hash; // by identities, see store.c
    const struct term *term;
};

// coefficient * base, in a linear form under construction
struct monomial {
    struct value coefficient;
    const struct term *base;
};

struct term_store {
    struct term_store *parent;
    atomic_uint layers; // living children; not zero = frozen
    struct arena arena;
    struct term_slot *slots; // open addressing, a power of two
    size_t slot_count, slot_capacity;
    const char **names; // open addressing, a power of two
    size_t name_count, name_capacity;
    VECTOR(const struct sort *) sorts; // own ones, in creation order
    uint32_t first_sort_id;
    uint32_t next_id;
    const struct sort *bool_sort, *int_sort, *rat_sort;
    const struct term *truth[2];
    struct value rat_zero, rat_one;
    // Scratch stacks of the makers: each maker pushes above what it finds and pops back to there.
    VECTOR(const struct term *) stack;
    VECTOR(struct monomial) monomials;
    VECTOR(struct float_note) notes; // of terms that were made here
    uint32_t *note_slots;            // by term: open addressing, a power of two
    size_t note_capacity;
};

// The one term with this head (kind, sort, payload) and these children; no simplification. Texts
// and names in the payload are copied if the term is new.
const struct term *store_intern(struct term_store *store, const struct term *head,
                                const struct term *const *children, size_t count);
const struct term *store_make(struct term_store *store, enum term_kind kind,
                              const struct sort *sort, const struct term *const *children,
                              size_t count);
const struct term *store_make1(struct term_store *store, enum term_kind kind,
                               const struct sort *sort, const struct term *a);
const struct term *store_make2(struct term_store *store, enum term_kind kind,
                               const struct sort *sort, const struct term *a, const struct term *b);
const char *store_name(struct term_store *store, const char *name);

// Order by structural hash; 0 for the same term.
static inline int store_compare(const struct term *a, const struct term *b)
{
    if (a->hash.high != b->hash.high)
        return a->hash.high < b->hash.high ? -1 : 1;
    if (a->hash.low != b->hash.low)
        return a->hash.low < b->hash.low ? -1 : 1;
    return a->id == b->id ? 0 : a->id < b->id ? -1 : 1;
}

// Literal arrays (array.c). Keys and elements are literals.
const struct term *array_literal_select(const struct term *array, const struct term *key);
const struct term *array_literal_store(struct term_store *store, const struct term *array,
                                       const struct term *key, const struct term *element);
const struct term *array_literal_constant(struct term_store *store, const struct sort *sort,
                                          const struct term *element);

// Equality of numbers (linear.c); sides are not both literals and not the same.
const struct term *linear_eq(struct term_store *store, const struct term *a, const struct term *b);

// Equality of bit-vectors with a literal (bits_term.c): a simpler equivalent, or NULL.
const struct term *bits_eq_literal(struct term_store *store, const struct term *a,
                                   const struct term *literal);

#endif
