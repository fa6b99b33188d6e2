#ifndef REGATTA_ENGINES_BOUNDED_BIT_HULL_H
#define REGATTA_ENGINES_BOUNDED_BIT_HULL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The affine hull of points of numbers modulo 2^width: all that satisfy the linear equations that hold of those joined
// (Müller-Olm, Seidl 2007). Since they hold modulo a power of two, they also say what a number is modulo smaller ones.

#define BIT_HULL_COLUMNS 72

// A point, and directions from it: the first number of a row that is not 0 is a power of two, in a column of its own, and
// multiples of rows that begin further on are sums of the rows there (Howell 1986).
struct bit_hull {
    uint32_t width; // 1 to 64
    size_t columns; // at most BIT_HULL_COLUMNS
    bool empty;     // no point was joined
    uint64_t point[BIT_HULL_COLUMNS];
    uint64_t row[BIT_HULL_COLUMNS][BIT_HULL_COLUMNS]; // row c begins in column c, or is 0
};

// Σ coefficient * column + constant, modulo 2^width.
struct bit_sum {
    uint64_t coefficient[BIT_HULL_COLUMNS];
    uint64_t constant;
};

void bit_hull_init(struct bit_hull *hull, uint32_t width, size_t columns);
// Grows the hull by the other one, of the same columns. False when that was inside.
bool bit_hull_join(struct bit_hull *hull, const struct bit_hull *other);
// What the points become when a column is set to a sum of them, …
void bit_hull_assign(struct bit_hull *hull, size_t column, const struct bit_sum *sum);
// … or to anything.
void bit_hull_forget(struct bit_hull *hull, size_t column);
// Those of the points whose sum is 0. With as many columns as there may be nothing is left out.
void bit_hull_meet(struct bit_hull *hull, const struct bit_sum *sum);
// Equations, each says that a sum is 0, from which all that hold follow: at most as many as columns. Of a hull that is not
// empty. Returns how many.
size_t bit_hull_equations(const struct bit_hull *hull, struct bit_sum *out);

#endif
