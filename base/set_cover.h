#ifndef REGATTA_BASE_SET_COVER_H
#define REGATTA_BASE_SET_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Few sets that together hold what all of them hold (but for at most `may_lose` items). Deterministic; no
// recursion deeper than the number of sets chosen.

struct set_cover_problem {
    const uint32_t *const *sets; // items, below item_count; repetitions are fine
    const size_t *sizes;
    size_t set_count;
    size_t item_count; // items that are in no set do not count
    size_t may_lose;
};

struct set_cover_answer {
    bool *chosen; // per set; caller frees (memory_free)
    size_t count;
    size_t lost;
    size_t at_least; // no choice is smaller: a lower bound
    bool optimal;    // count is the least
};

// Chvátal 1979: the set with most new items first, then sets that others make needless are left out. At most
// 1 + ln(largest set) times the least number.
void set_cover_greedy(const struct set_cover_problem *problem, struct set_cover_answer *answer);
// Branch and bound from there on: on the item with fewest sets, with disjoint needs as the bound. After
// `limit` branches the best one found so far, and optimal false.
void set_cover_exact(const struct set_cover_problem *problem, uint64_t limit,
                     struct set_cover_answer *answer);

#endif
