#ifndef REGATTA_ENGINES_BOUNDED_OCTAGON_TERMS_H
#define REGATTA_ENGINES_BOUNDED_OCTAGON_TERMS_H

#include "base/vector.h"
#include "engines/bounded/octagon.h"
#include "model/model.h"

// Terms over machine words as sums of an octagon's numbers. Each variable is a number by its sign or without, one of the two
// all the time. A term is a sum as long as the octagon tells that it does not wrap, or how often; else it may be anything that
// its width has.

#define OCTAGON_MOST_WIDTH 64
#define OCTAGON_BOOLEANS 32
#define OCTAGON_PARTS 6 // of a sum

struct octagon_decision {
    const struct term *condition;
    bool holds;
};

struct octagon_words {
    const struct model *model;
    uint32_t numbers;
    const struct variable *number[OCTAGON_NUMBERS];
    bool is_signed[OCTAGON_NUMBERS];
    const uint32_t *number_of;               // per variable; OCTAGON_NUMBERS: it is none
    const uint32_t *boolean_of;              // per variable; OCTAGON_BOOLEANS: it is none
    VECTOR(struct octagon_decision) decided; // where a term is looked at
    uint32_t known, values;                  // of the Booleans, a bit for each
    int64_t work;                            // that may still be done
};

// Σ factor * number, and something from low to high.
struct octagon_form {
    uint32_t count;
    uint32_t number[OCTAGON_PARTS];
    int64_t factor[OCTAGON_PARTS]; // not 0
    octagon_bound low, high;
};

octagon_bound octagon_least(const struct octagon_words *words, uint32_t number);
octagon_bound octagon_greatest(const struct octagon_words *words, uint32_t number);
// With or without sign.
octagon_bound octagon_literal(const struct term *literal, bool is_signed);
octagon_bound octagon_divide_down(octagon_bound a, octagon_bound by);
// A bit-vector that is not too wide.
bool octagon_is_narrow(const struct term *term);
// The bit of a Boolean; 0: it is none.
uint32_t octagon_bit_of(const struct octagon_words *words, const struct term *term);

// The side that a part has so many times.
uint32_t octagon_form_side(const struct octagon_form *form, uint32_t part);
int64_t octagon_form_times(const struct octagon_form *form, uint32_t part);
// OCTAGON_NONE: there is no bound.
octagon_bound octagon_form_most(const struct octagon *octagon, const struct octagon_form *form);
octagon_bound octagon_form_least(const struct octagon *octagon, const struct octagon_form *form);
void octagon_form_negate(struct octagon_form *form);
// False: too many parts.
bool octagon_form_add_part(struct octagon_form *form, uint32_t number, int64_t factor);
bool octagon_form_add(struct octagon_form *form, const struct octagon_form *other);

// Of a term that is narrow. Out of work: anything.
struct octagon_form octagon_evaluate(struct octagon_words *words, const struct octagon *octagon,
                                     const struct term *term, bool is_signed);
// A conditional that is not decided where the term is a sum, or compares sums; NULL: none. *most: nodes that may be looked at.
const struct term *octagon_find_conditional(const struct octagon_words *words,
                                            const struct term *term, unsigned *most);

#endif
