#ifndef REGATTA_TRACEGEN_CAPSULES_CAPSULE_COVER_H
#define REGATTA_TRACEGEN_CAPSULES_CAPSULE_COVER_H

#include <stdatomic.h>

#include "model/capsules/run.h"

// Few runs that together visit what the interpreter reaches, breadth first: each location of each part, each transition of each
// part (with the initial ones).

enum { CAPSULE_COVER_LOCATIONS = 1, CAPSULE_COVER_TRANSITIONS = 2 };

struct capsule_cover_limits {
    uint64_t states; // 0: none
    double seconds;  // 0: none
    const _Atomic int *stop;
    // Numbers from outside that the model does not limit: from low to high.
    int64_t low, high;
    uint32_t queue_bound;
    bool head_only;
};

struct capsule_goal {
    uint32_t instance, number; // a location or a transition of its module
};

struct capsule_suite {
    VECTOR(struct capsule_run) runs;
    uint64_t states, steps;             // explored
    uint32_t locations, location_total; // reached
    uint32_t transitions, transition_total;
    VECTOR(struct capsule_goal) missed_locations, missed_transitions;
    bool complete; // no limit was met, and nothing lies beyond a loop's bound or a full queue
};

// The numbers that guards and cases speak of and those beside them, at least -1 to 1; *all: none was left out for being far away.
void capsule_cover_range(const struct capsules *model, int64_t *low, int64_t *high, bool *all);
void capsule_suite_make(struct capsule_suite *suite, const struct capsules *model, unsigned what,
                        const struct capsule_cover_limits *limits);
void capsule_suite_finish(struct capsule_suite *suite);

#endif
