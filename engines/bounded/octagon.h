#ifndef REGATTA_ENGINES_BOUNDED_OCTAGON_H
#define REGATTA_ENGINES_BOUNDED_OCTAGON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bounds of integers and of sums and differences of two (Miné 2006).
//
// A side is a number or its negative: 2 * n is number n, 2 * n + 1 its negative. bound[a][b] is what the sum of two sides is
// at most (the same as bound[b][a]); bound[a][a] is twice what a side is at most.

#define OCTAGON_NUMBERS 12
#define OCTAGON_SIDES (2 * OCTAGON_NUMBERS)

typedef __int128 octagon_bound;
#define OCTAGON_NONE ((octagon_bound)1 << 120) // there is no bound

struct octagon {
    uint32_t numbers;
    bool empty;
    octagon_bound bound[OCTAGON_SIDES][OCTAGON_SIDES];
};

static inline uint32_t octagon_other(uint32_t side)
{
    return side ^ 1;
}

// All points.
void octagon_init(struct octagon *octagon, uint32_t numbers);
// What follows from the bounds; finds that there is no point.
void octagon_close(struct octagon *octagon);

// The others take and leave what is closed.

// The sum of two sides is at most that (a == b: twice the side).
void octagon_restrict(struct octagon *octagon, uint32_t a, uint32_t b, octagon_bound most);
// The same, bounds of one number: none of it are known before. rows[0] is of its side 2 * n, rows[1] of the other; each number
// is what the sum with the side of that index is at most.
void octagon_replace(struct octagon *octagon, uint32_t number,
                     const octagon_bound rows[2][OCTAGON_SIDES]);
void octagon_join(struct octagon *octagon, const struct octagon *other);
// False: it was inside. What grows, grows to the next threshold (ascending), behind all that are within the range of the numbers as far as it
// has grown; without any it has no bound from then on. The result is not closed: to close it might undo that.
bool octagon_widen(struct octagon *octagon, const struct octagon *other,
                   const struct octagon *range, const octagon_bound *thresholds,
                   size_t threshold_count);

// Takes bounds out that follow from those that are left.
void octagon_reduce(struct octagon *octagon);

#endif
