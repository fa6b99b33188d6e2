#ifndef REGATTA_MODEL_RANGES_H
#define REGATTA_MODEL_RANGES_H

#include "logic/terms/term.h"

// Between which numbers words lie, of at most 64 bits, read with a sign and without: what is known of a term by what is known of its variables, and
// what a condition tells of these.

struct range {
    int64_t low, high;    // with a sign
    uint64_t least, most; // without
};

#define RANGE_WIDEST 64

bool range_is_for(const struct sort *sort); // words that are not too wide
struct range range_any(uint32_t width);
bool range_is_any(const struct range *range, uint32_t width);
bool range_is_one(const struct range *range); // number: `least`
// What lies in both. False: nothing does.
bool range_meet(struct range *range, const struct range *with, uint32_t width);
void range_join(struct range *range, const struct range *with); // what lies in one of them

struct range_view {
    // Of a variable; NULL: it is any.
    const struct range *(*look)(void *context, const struct term *variable);
    // A variable lies in a range, too. False: it cannot.
    bool (*narrow)(void *context, const struct term *variable, const struct range *range);
    void *context;
};

struct range range_of(const struct range_view *view, const struct term *word);
// 1: the condition holds; -1: it does not; 0: that is open.
int range_decide(const struct range_view *view, const struct term *condition);
// Narrows variables by a condition that holds, or does not. False: then it cannot be so.
bool range_suppose(const struct range_view *view, const struct term *condition, bool holds);

#endif
