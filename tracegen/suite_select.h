#ifndef REGATTA_TRACEGEN_SUITE_SELECT_H
#define REGATTA_TRACEGEN_SUITE_SELECT_H

#include "base/text.h"
#include "tracegen/coverage.h"

// Few traces of a suite that cover as much as all, or nearly.

struct suite_selection {
    enum criterion cover;  // what has to stay covered
    uint64_t loss_percent; // of it that may be given up
    bool exact;            // the fewest, as far as that is found out; else a greedy choice
};

// Which traces, `count` of them; what they cover in words. For memory_free.
bool *suite_select(const struct suite *suite, const struct suite_selection *how, size_t *count,
                   struct text *words);

#endif
