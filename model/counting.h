#ifndef REGATTA_MODEL_COUNTING_H
#define REGATTA_MODEL_COUNTING_H

#include "model/model.h"
#include "model/ranges.h"

// Which variables the loops of a model count with and are decided by: what is known of these tells copies of its locations apart
// (model/specialize.h).

#define COUNTING_LIMITS 60  // variables whose ranges are followed
#define COUNTING_MARKS 60   // characters of which it is followed that they are not 0
#define COUNTING_MOST 100   // nodes of what is assigned, where it is looked at for counters
#define COUNTING_ASKED 2000 // nodes of a condition that ranges are asked of
#define CHARACTER_BITS 8

struct counted {
    // Which loops compare their counters with, or that come nearer to 0 by division, or that choose among pointers; then characters.
    const struct variable *limits[COUNTING_LIMITS + COUNTING_MARKS];
    uint32_t first_mark, mark_end;
    uint8_t *limit_of; // by variable: its number + 1; 0: it is none
    bool *sizes;       // by variable: whether an array is written to depends on it
};

// By variable, to be freed: loops decide by it and count with it, or it gives such a variable its value. NULL: there is none. Finds limits;
// `limit_of` and `sizes` are the caller's, zero. on_cycle: by location. `more`: arrays, too, and what chooses among pointers.
bool *counting_find(const struct model *model, const bool *on_cycle, bool more,
                    struct counted *counted);

// An object and a number: words of a width that numbers do not have. A guess.
bool counting_is_pointer(const struct sort *sort);
// Conditions choose where it leads.
bool counting_is_chosen(const struct term *t);
bool counting_is_array(const struct variable *v);

#endif
