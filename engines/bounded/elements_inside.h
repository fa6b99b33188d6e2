#ifndef REGATTA_ENGINES_BOUNDED_ELEMENTS_INSIDE_H
#define REGATTA_ENGINES_BOUNDED_ELEMENTS_INSIDE_H

#include "engines/bounded/candidates.h"
#include "engines/bounded/elements.h"
#include "engines/bounded/ways.h"

#define MOST_NUMBERS 8 // of the state, ends of ranges
#define MOST_ENDS 22   // of ranges, sums among them

// Where what is told of arrays in order may hold.
enum part {
    PART_ANY,    // it is no such pattern
    PART_WITHIN, // between any two numbers
    PART_BELOW,  // up to `at`, or to another number
    PART_FROM,   // from `at` on, or between others
};

// What may hold of an element: over `each` and the state.
struct pattern {
    const struct term *each, *says;
    bool flat; // `each` is a place in an array of several dimensions
    enum part part;
    const struct term *at; // a number
    struct term_vector *
        instances; // by location: what steps from there put for `each`, over copies of the template
};

// Where ranges begin, apart from zero, under which condition they hold, or what is told beside them.
enum begin {
    BEGIN_AT_ZERO,
    BEGIN_AT_STARTS,
    BEGIN_UNDER_CONDITION,
    BEGIN_AT_NUMBERS,
    BEGIN_BESIDE_NUMBERS, // likewise, and with what is at the end or without what is at the beginning
    BEGIN_WITH_SUMS,      // with what is known of elements, and nothing else
    BEGIN_BESIDE_SUMS,    // with what may hold of elements
    BEGIN_IN_ORDER,       // patterns of arrays in order, and no others
};

// An access at `key`, told with `each` for a number, is asked to be within the size of its block.
struct bound {
    const struct term *key, *each, *size;
};

// Something was stored there.
struct element_site {
    const struct term *array, *key, *element;
};

struct elements {
    struct monolith *m;
    struct ways *ways; // by edge, none where there are too many; NULL: not asked for yet
    size_t most_patterns;
    VECTOR(struct pattern) patterns;
    VECTOR(struct bound) bounds;
    struct term_vector numbers, literals; // ends of ranges
    const struct term *limit;             // what indices of arrays in order are below
    size_t plain;                         // numbers of which order is told: the first ones; 0: all
    size_t compared;                      // literals that numbers are compared with, the first ones
    uint32_t flat;     // a bit for each number that is a place in an array of several dimensions
    bool only_flat;    // facts are told of such places only
    uint32_t *matters; // by location: a bit for each number that may still be read
    struct term_vector starts;     // literals above 0 that numbers begin with
    struct term_vector conditions; // under which something may hold of a range
    struct term_vector single;     // what may hold of one element, as it was stored or asked
    struct term_vector places;     // stores of literals before loops
    struct term_vector asked;      // on the edge that is looked at
    struct term_vector changes;    // elements, each with what it is changed to
    VECTOR(struct located_fact) facts, kept; // kept: inductive, with quantifiers
    struct located_facts sums;               // that may hold of numbers
    bool adds;                               // a loop adds elements to a number
    bool multiplies;                         // patterns speak of products
    struct term_vector comparisons;          // of numbers
    bool with_sign, without_sign;            // how ends are compared
    uint32_t anything;                       // terms made for what is not followed
    int64_t work;
    bool *aside; // by variable: nothing is to be said of it; NULL: of all
};

// Gathers what may hold of elements, and what ranges may go between.
void elements_harvest(struct elements *e);

// Further ones, told by single ways through edges: what is asked of several elements together, and how far stores went; all: also what
// holds of elements, and of what is stored, on each way.
void elements_harvest_ways(struct elements *e, bool all);

// Where neighbours may be in order: numbers next to those there are, and which elements are at most, or at least, one of a number. Adds to
// patterns and numbers. False: nothing is asked about order.
bool elements_harvest_order(struct elements *e);
// Some way through the statement writes the variable.
bool elements_may_write(const struct statement *statement, const struct variable *variable);

// A name that no language's variable has. One for each sort.
const struct term *elements_each_of(struct elements *e, const struct sort *sort);
// over `each`; none that there is already, or one too many.
void elements_add_pattern(struct elements *e, const struct term *each, const struct term *says,
                          bool flat);
// With each number in the indices of its elements put as `each`.
void elements_generalise(struct elements *e, const struct term *formula);
// Of an array of the state. False: it is not known which.
bool elements_find_site(const struct elements *e, const struct term *store,
                        struct element_site *out);
bool elements_reads(const struct elements *e, const struct term *t, const struct term *element);
// The element that is given a literal by it, or NULL.
const struct term *elements_place_given(const struct term *says);
bool elements_is_of_no_state(const struct elements *e, const struct term *t);
// Where something arbitrary is read if an index is out of bounds: what is read within them.
const struct term *elements_within_bounds(struct elements *e, const struct term *formula);
bool elements_is_number(const struct term *t);
// NULL: it is none of the state.
const struct variable *elements_variable(const struct elements *e, const struct term *t);
// All subterms of that kind; each once if the term is large.
void elements_subterms(const struct elements *e, const struct term *root, enum term_kind kind,
                       struct term_vector *out);

#endif
