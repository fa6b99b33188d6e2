#ifndef REGATTA_LOGIC_TERMS_TERM_H
#define REGATTA_LOGIC_TERMS_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "logic/terms/sort.h"
#include "logic/terms/value.h"

// Hash-consed, sorted, immutable terms.
//
// A store owns terms and sorts; structurally equal terms of one store are the same pointer. A store
// may be layered over a frozen parent: what the parent has is returned from there, what it lacks is
// made in the child. The parent must not change while a child exists, so any number of threads may
// each own a child of one parent without locks. Terms live until their store is destroyed.
//
// Every maker simplifies (constant folding, neutral and absorbing elements, flattening and ordering
// of commutative operators by structural hash, double negation, x = x, ite with equal branches, read
// over write with literal keys, …), so the result may be of any kind; its value is the same under
// every assignment, with division by zero an unknown but functional result as in SMT-LIB.
// Makers check sorts: a violation is a bug of the caller (assert).
//
// Comparisons >, >=, /=, implication, equivalence, exclusive or and subtraction have makers but no
// kind: they are written with <, <=, not, or, =, + and *.

enum term_kind {
    // literals (value in the payload)
    TERM_BOOL,
    TERM_INT,
    TERM_RAT,
    TERM_BV,
    TERM_ENUM,
    TERM_ARRAY, // children: default, key1, element1, key2, element2, …; keys ascending in
                // term_compare_values, no element equal to the default; all literals
    TERM_VAR,   // name and index
    // boolean
    TERM_NOT,
    TERM_AND, // n >= 2
    TERM_OR,  // n >= 2
    TERM_EQ,  // any sort, both sides equal; on booleans this is "iff"
    TERM_ITE,
    TERM_FORALL, // children: bound variables…, body last
    TERM_EXISTS,
    // int and rat
    TERM_LE,
    TERM_LT,
    TERM_ADD, // n >= 2
    TERM_MUL, // n >= 2
    TERM_DIV, // int: Euclidean (docs/definitions/formats.md 1.3); rat: exact
    TERM_MOD,
    TERM_REM,
    TERM_TO_RAT, // int -> rat
    // bit-vectors
    TERM_BV_NOT,
    TERM_BV_NEG,
    TERM_BV_AND, // binary from here on
    TERM_BV_OR,
    TERM_BV_XOR,
    TERM_BV_ADD,
    TERM_BV_MUL,
    TERM_BV_UDIV,
    TERM_BV_SDIV,
    TERM_BV_UREM,
    TERM_BV_SREM,
    TERM_BV_SMOD,
    TERM_BV_SHL,
    TERM_BV_LSHR,
    TERM_BV_ASHR,
    TERM_BV_ROL, // rotation by a bit-vector amount (modulo the width)
    TERM_BV_ROR,
    TERM_BV_ULT,
    TERM_BV_ULE,
    TERM_BV_SLT,
    TERM_BV_SLE,
    TERM_BV_CONCAT,  // first child is the high part
    TERM_BV_EXTRACT, // payload: high, low (inclusive)
    TERM_BV_ZEXT,    // to the width of the sort
    TERM_BV_SEXT,
    // arrays
    TERM_SELECT,     // array, key
    TERM_STORE,      // array, key, element
    TERM_CONST_ARRAY // default (not a literal, else TERM_ARRAY)
};
#define TERM_KIND_COUNT (TERM_CONST_ARRAY + 1)

enum term_flag {
    TERM_HAS_QUANTIFIER = 1, // some subterm is FORALL or EXISTS
    TERM_HAS_DIVISION = 2,   // some subterm divides by something that is not a nonzero literal
    TERM_IS_LITERAL = 4,     // kinds TERM_BOOL … TERM_ARRAY
    TERM_HAS_VARIABLE = 8,
};

struct term {
    uint8_t kind;  // enum term_kind
    uint8_t flags; // enum term_flag
    uint32_t child_count;
    uint32_t id;        // creation order; a child store continues its parent's numbers
    uint32_t tree_size; // nodes counted as a tree, saturating at UINT32_MAX
    const struct sort *sort;
    struct hash128 hash; // structural: the same on every run and machine
    union {
        struct value value; // BOOL, INT, BV, ENUM when small (value_is_small)
        const char *text;   // INT, RAT, BV when large: decimal text; RAT always "p/q" with q > 0,
                            // reduced ("3/1" for three); BV as an unsigned number
        struct {
            const char *name; // VAR; interned in the store
            uint32_t index; // VAR: 0 = the variable itself, k > 0 = its k-th copy in a path formula
        } var;
        struct {
            uint32_t high, low; // BV_EXTRACT
        } extract;
    } u;
    const struct term *child[];
};

struct term_store;

// parent may be NULL; it is frozen by this call for as long as the child lives.
struct term_store *term_store_create(struct term_store *parent);
void term_store_destroy(struct term_store *store); // NULL is fine
// A copy that lives as long as the store.
const char *term_store_text(struct term_store *store, const char *text);
size_t term_store_bytes(const struct term_store *store);
uint32_t term_store_next_id(const struct term_store *store); // ids are below this

// Sorts.
const struct sort *sort_bool(struct term_store *store);
const struct sort *sort_int(struct term_store *store);
const struct sort *sort_rat(struct term_store *store);
const struct sort *sort_bv(struct term_store *store, uint32_t width);
const struct sort *sort_array(struct term_store *store, const struct sort *key,
                              const struct sort *element);
// Names are copied. Two enumerations are the same sort when name and literals agree.
const struct sort *sort_enum(struct term_store *store, const char *name,
                             const char *const *literals, uint32_t literal_count);

// Literals.
const struct term *term_true(struct term_store *store);
const struct term *term_false(struct term_store *store);
const struct term *term_bool(struct term_store *store, bool value);
const struct term *term_int(struct term_store *store, int64_t value);
const struct term *term_int_text(struct term_store *store, const char *decimal); // "-?[0-9]+"
const struct term *term_rat(struct term_store *store, int64_t numerator, int64_t denominator);
// Decimal texts of any length; denominator not zero.
const struct term *term_rat_text(struct term_store *store, const char *numerator,
                                 const char *denominator);
const struct term *term_bv(struct term_store *store, uint32_t width, uint64_t value); // mod 2^width
const struct term *term_bv_text(struct term_store *store, uint32_t width, const char *decimal);
const struct term *term_enum(struct term_store *store, const struct sort *sort, uint32_t literal);
// entries: key, element, key, element, …; later entries win. Any of them may be a non-literal.
const struct term *term_array(struct term_store *store, const struct sort *sort,
                              const struct term *default_element, const struct term *const *entries,
                              size_t entry_count);
// The literal term of a value of that sort, and back. value must be known / term a literal.
const struct term *term_of_value(struct term_store *store, const struct sort *sort,
                                 struct value value);
struct value term_value(const struct term *literal);
// Some value of the sort (false, 0, first literal, constant array of such).
const struct term *term_default(struct term_store *store, const struct sort *sort);

// Variables. The pair (name, index, sort) is the identity; names are copied.
const struct term *term_var(struct term_store *store, const char *name, const struct sort *sort);
const struct term *term_var_copy(struct term_store *store, const struct term *var, uint32_t index);

// Boolean.
const struct term *term_not(struct term_store *store, const struct term *a);
const struct term *term_and(struct term_store *store, const struct term *const *args, size_t count);
const struct term *term_or(struct term_store *store, const struct term *const *args, size_t count);
const struct term *term_and2(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_or2(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_implies(struct term_store *store, const struct term *a,
                                const struct term *b);
const struct term *term_iff(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_xor(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_eq(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_ite(struct term_store *store, const struct term *condition,
                            const struct term *then, const struct term *otherwise);
// kind: TERM_FORALL or TERM_EXISTS. Variables that the body does not contain are dropped.
const struct term *term_quantifier(struct term_store *store, enum term_kind kind,
                                   const struct term *const *variables, size_t count,
                                   const struct term *body);

// Arithmetic: both sides int, or both rat (use term_to_rat to lift).
const struct term *term_le(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_lt(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_add(struct term_store *store, const struct term *const *args, size_t count);
const struct term *term_add2(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_sub(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_neg(struct term_store *store, const struct term *a);
const struct term *term_mul(struct term_store *store, const struct term *const *args, size_t count);
const struct term *term_mul2(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_div(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_mod(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_rem(struct term_store *store, const struct term *a, const struct term *b);
const struct term *term_to_rat(struct term_store *store, const struct term *a);

// Bit-vectors: kind one of TERM_BV_NOT … TERM_BV_NEG / TERM_BV_AND … TERM_BV_CONCAT.
const struct term *term_bv_unary(struct term_store *store, enum term_kind kind,
                                 const struct term *a);
const struct term *term_bv_binary(struct term_store *store, enum term_kind kind,
                                  const struct term *a, const struct term *b);
const struct term *term_bv_extract(struct term_store *store, const struct term *a, uint32_t high,
                                   uint32_t low);
// kind: TERM_BV_ZEXT or TERM_BV_SEXT; width >= the width of a.
const struct term *term_bv_extend(struct term_store *store, enum term_kind kind,
                                  const struct term *a, uint32_t width);

// A literal of at most 64 bits, without sign.
uint64_t term_bv_number(const struct term *literal);

// Arrays.
const struct term *term_select(struct term_store *store, const struct term *array,
                               const struct term *key);
const struct term *term_store_at(struct term_store *store, const struct term *array,
                                 const struct term *key, const struct term *element);

// The same operator over new children (as many as before, sorts unchanged), simplified again.
const struct term *term_rebuild(struct term_store *store, const struct term *term,
                                const struct term *const *children);

// A total order on literals of one sort: numeric for numbers, declaration order for enumerations.
int term_compare_values(const struct term *a, const struct term *b);

static inline bool term_is_literal(const struct term *t)
{
    return (t->flags & TERM_IS_LITERAL) != 0;
}
static inline bool term_is_true(const struct term *t)
{
    return t->kind == TERM_BOOL && value_is_true(t->u.value);
}
static inline bool term_is_false(const struct term *t)
{
    return t->kind == TERM_BOOL && value_is_false(t->u.value);
}

#endif
