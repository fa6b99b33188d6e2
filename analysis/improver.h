#ifndef REGATTA_ANALYSIS_IMPROVER_H
#define REGATTA_ANALYSIS_IMPROVER_H

#include <stdint.h>

#include "analysis/tune_table.h"

// Makes a plan that is there better on recorded tasks, change by change (hill climbing): a step gets another share, changes places
// with the next, or a new one comes. None goes, and where the records tell nothing the plan stays as it is: unlike a plan made
// from nothing it keeps what it has for tasks of kinds that are not among them.

#define IMPROVER_MOST_STEPS 64 // of a lane
#define IMPROVER_MOST_LANES 16
#define IMPROVER_MOST_CHANGES 64
#define IMPROVER_NO_RECORDS SIZE_MAX // a configuration that runs in vain
#define IMPROVER_NEW SIZE_MAX        // a step that was not in the plan

struct improver_step {
    size_t configuration; // of the table, or IMPROVER_NO_RECORDS
    double share;         // of what is left of its lane's time, in (0, 1]; 0: `seconds` of it
    double seconds;
    size_t guard;  // of the plan's
    size_t origin; // the number that it came with, or IMPROVER_NEW
};

struct improver_lane {
    struct improver_step steps[IMPROVER_MOST_STEPS];
    size_t count;
};

enum improver_kind { IMPROVER_SHARE, IMPROVER_SWAP, IMPROVER_INSERT };

struct improver_change {
    enum improver_kind kind;
    size_t lane, at;           // where it was made, in the lane as it was then
    struct improver_step step; // with its new share, the first of the two, or the new one
    double gain_seconds;       // PAR-2, on all tasks that were learned from
};

// Made by the caller; the guards outlive it.
struct improver_plan {
    struct improver_lane lanes[IMPROVER_MOST_LANES];
    size_t lane_count;
    unsigned cores; // of the lanes; 0: each lane has its own
    // guards[g * tasks of the table + task]: does it hold? Guard 0 always does.
    const bool *guards;
    size_t guard_count;
    struct improver_change changes[IMPROVER_MOST_CHANGES]; // in order
    size_t change_count;
};

// The first answer of the lanes, in virtual time.
struct tune_run improver_play(const struct tune_table *table, const struct improver_plan *plan,
                              size_t task);
// The best change each time, by total PAR-2 over `part`, as long as there is one whose mean gain is not below its standard
// error: what only one or two tasks ask for is not learned.
void improver_improve(const struct tune_table *table, const struct tune_part *part,
                      struct improver_plan *plan);

#endif
