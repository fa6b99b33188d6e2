#ifndef REGATTA_LOGIC_TERMS_REWRITE_H
#define REGATTA_LOGIC_TERMS_REWRITE_H

#include "base/vector.h"
#include "logic/terms/term.h"

// Substitution, free variables, atoms. Results go to the given store (a child of, or the same as,
// the one the argument lives in).

// A vector in the sense of base/vector.h.
struct term_vector {
    const struct term **data;
    size_t count, capacity;
};

// Is the term in it? Looks at each.
bool term_vector_contains(const struct term_vector *v, const struct term *term);
// Appends the term if it is not there yet and there are fewer than `most`.
void term_vector_add_once(struct term_vector *to, const struct term *term, size_t most);

// What to put for a free variable; returning the argument itself leaves it.
typedef const struct term *(*rewrite_lookup)(void *context, const struct term *variable);

// Simultaneous substitution of free variables; bound variables are renamed where they would capture.
// Linear in the number of distinct subterms.
const struct term *rewrite_substitute(struct term_store *store, const struct term *term,
                                      rewrite_lookup lookup, void *context);
// The same, for who would rather do without than wait: NULL when it takes more than `*most` distinct subterms, else `*most` is
// less by their number.
const struct term *rewrite_substitute_within(struct term_store *store, const struct term *term,
                                             rewrite_lookup lookup, void *context, size_t *most);
// The same, keeping what was done from call to call: for many terms that share subterms, under a lookup that
// changes seldom. Each call asks the lookup again about the variables met so far, and begins anew when an
// answer has changed. One store for a cache.
struct rewrite_cache;
struct rewrite_cache *rewrite_cache_create(struct term_store *store);
void rewrite_cache_destroy(struct rewrite_cache *cache); // NULL is fine
const struct term *rewrite_substitute_cached(struct rewrite_cache *cache, const struct term *term,
                                             rewrite_lookup lookup, void *context);
// The same for who knows that the lookup answers as in the last call: does not ask again.
const struct term *rewrite_substitute_unchanged(struct rewrite_cache *cache,
                                                const struct term *term, rewrite_lookup lookup,
                                                void *context);
// Replaces each occurrence of the subterm `from`.
const struct term *rewrite_replace(struct term_store *store, const struct term *term,
                                   const struct term *from, const struct term *to);

// Appends the distinct free variables, in order of first occurrence from the left.
void rewrite_free_variables(const struct term *term, struct term_vector *out);
bool rewrite_contains(const struct term *term, const struct term *variable);

// Appends the distinct atoms: boolean subterms that are no literal and whose operator is not NOT,
// AND, OR, boolean EQ or boolean ITE. (Boolean variables are atoms. Atoms with bound variables are
// left out.)
void rewrite_atoms(const struct term *term, struct term_vector *out);
// Appends the top-level conjuncts (the term itself when it is no conjunction; none when it is true).
void rewrite_conjuncts(const struct term *term, struct term_vector *out);

// A term t without `variable` such that `formula` is equivalent to variable = t; NULL when the formula
// is no equation, or not one that can be solved so. (Equations of numbers are kept as
// sum = literal, so x' = x + 1 is not stored with x' alone on a side.) For booleans, p gives true,
// !p gives false, p iff q gives q.
const struct term *rewrite_solve(struct term_store *store, const struct term *formula,
                                 const struct term *variable);
// What may have to be put for `variable` that `pattern` becomes `term`, told by their shapes: both have the same operators around it, or a sum is
// solved for one part, or literals are divided and cut. A guess, for instances of what holds for all values: only the sort is sure. NULL: none is seen.
const struct term *rewrite_match(struct term_store *store, const struct term *pattern,
                                 const struct term *variable, const struct term *term);

#endif
