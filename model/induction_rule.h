#ifndef REGATTA_MODEL_INDUCTION_RULE_H
#define REGATTA_MODEL_INDUCTION_RULE_H

#include <stdbool.h>
#include <stdint.h>

// How formulas at locations are a proof (docs/certificates.md): they hold for the first `steps` states of each run, and
// where they held for so many states in a row they hold for the next one. A state is one at a location that has a
// formula and from where edges lead to the error.
struct induction_rule {
    uint32_t steps; // 0 and 1: an inductive invariant
    bool
        distinct; // only for rows of states that differ in what matters for what comes (simple paths)
    bool ends;    // no run takes so many steps; then nothing is asked of rows
};

#define INDUCTION_MOST_STEPS 100000

static inline bool induction_is_plain(struct induction_rule rule)
{
    return rule.steps <= 1 && !rule.distinct && !rule.ends;
}

#endif
