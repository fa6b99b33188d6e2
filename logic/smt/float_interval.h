#ifndef REGATTA_LOGIC_SMT_FLOAT_INTERVAL_H
#define REGATTA_LOGIC_SMT_FLOAT_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

// Intervals of floats of 32 or 64 bits (`bits`). Bounds are floats of that width, also where they are kept in a double; a zero
// stands for both. Rounding to the nearest keeps order, so what an operation gives at the bounds, computed in the format itself,
// bounds what it gives between them.

struct float_interval {
    double low, high; // no number is in it where low > high
    bool nan;         // something that is no number may be
};

struct float_interval float_interval_any(void);
struct float_interval float_interval_none(void);
// Of the floats with these bits, between two patterns without sign.
struct float_interval float_interval_of_bits(uint32_t bits, uint64_t least, uint64_t most);
// The bits of a float.
uint64_t float_interval_bits(uint32_t bits, double number);
bool float_interval_is_empty(struct float_interval a);
struct float_interval float_interval_meet(struct float_interval a, struct float_interval b);
struct float_interval float_interval_join(struct float_interval a, struct float_interval b);

struct float_interval float_interval_sum(uint32_t bits, struct float_interval a,
                                         struct float_interval b);
// Of a number and itself.
struct float_interval float_interval_zero_difference(struct float_interval a);
struct float_interval float_interval_negative(struct float_interval a);
struct float_interval float_interval_magnitude(struct float_interval a);
// `same`: the operands are one number, or both none.
struct float_interval float_interval_product(uint32_t bits, struct float_interval a,
                                             struct float_interval b, bool same);
struct float_interval float_interval_quotient(uint32_t bits, struct float_interval a,
                                              struct float_interval b);
// As floats of `bits` bits.
struct float_interval float_interval_resized(uint32_t bits, struct float_interval a);
// Of integers, rounded.
struct float_interval float_interval_from_signed(uint32_t bits, int64_t least, int64_t most);
struct float_interval float_interval_from_unsigned(uint32_t bits, uint64_t least, uint64_t most);

// Which of equal (1), greater (2), less (4), unordered (8) two members may be.
unsigned float_interval_orders(struct float_interval a, struct float_interval b, bool same);
// Members that may be in one of these orders to a member of the other.
void float_interval_order(uint32_t bits, unsigned orders, struct float_interval *a,
                          struct float_interval *b);
// Which classes (float_is_class) members may have, and members that may have one of them.
uint32_t float_interval_classes(uint32_t bits, struct float_interval a);
struct float_interval float_interval_of_classes(uint32_t bits, struct float_interval a,
                                                uint32_t classes);
// Two parts of an interval of more than one float that have every member. False: it is one float, or nothing but no numbers.
bool float_interval_split(uint32_t bits, struct float_interval a, struct float_interval parts[2]);

#endif
