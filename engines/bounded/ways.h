#ifndef REGATTA_ENGINES_BOUNDED_WAYS_H
#define REGATTA_ENGINES_BOUNDED_WAYS_H

#include "engines/monolithic/monolith.h"

// The ways through an action, one by one: without choices, what a variable holds afterwards is a term over what variables hold
// before, and over copies for what is arbitrary (symbolic execution, King 1976).

// When it is taken, and what each variable of the model holds afterwards.
struct way {
    const struct term *condition;
    const struct term **now;
};

struct ways {
    struct way *data; // a VECTOR
    size_t count, capacity;
};

// Appends to `out`, which ways_finish releases in any case. *copies: the index of the last copy that was made, 0 at first; copies of different
// actions differ where it goes on. False: there are more than some dozens, or the attempt has to end.
bool ways_find(struct monolith *monolith, const struct statement *action, uint32_t *copies,
               struct ways *out);
void ways_finish(struct ways *ways);
// A formula over plain variables as it is where the way ends, over what variables hold where it begins.
const struct term *way_at(struct monolith *monolith, const struct way *way,
                          const struct term *formula);

#endif
