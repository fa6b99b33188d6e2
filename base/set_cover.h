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
    const size_t
        *weights; // what each item is worth to the greedy choice, not 0; NULL = all the same
    bool lean;    // the greedy choice leaves out, at its end, sets that others make needless
};

struct set_cover_answer {
    bool *chosen;    // per set
    uint32_t *order; // the sets that are chosen, in the order in which they were
    size_t count;
    size_t lost;
    size_t at_least; // no choice is smaller: a lower bound
    bool optimal;    // count is the least
};

// Chvátal 1979: the set with most new items (of the greatest weight) first. At most 1 + ln(largest set) times the least number.
void set_cover_greedy(const struct set_cover_problem *problem, struct set_cover_answer *answer);
// Branch and bound from there on: on the item with fewest sets, the first of them, with disjoint needs as the bound. After
// `limit` branches the best one found so far, and optimal false. A branch looks at each item once, and at each of its sets or,
// where that is less, at as many words as bits for all sets have.
void set_cover_exact(const struct set_cover_problem *problem, uint64_t limit,
                     struct set_cover_answer *answer);
void set_cover_answer_finish(struct set_cover_answer *answer);

#endif
