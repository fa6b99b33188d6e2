#ifndef REGATTA_ANALYSIS_SLICES_H
#define REGATTA_ANALYSIS_SLICES_H

#include "analysis/tune_table.h"

// Plans as they are searched for: lanes of slices, one after another. A slice is a configuration and the share of what is left
// of its lane's time when it begins, as a step of a plan has it; the last slice of a lane takes all.

#define SLICES_MOST_STEPS 8
#define SLICES_MOST_LANES 16

struct slice {
    size_t configuration;
    double share; // in (0, 1]; 1 = all that is left
};

struct slice_lane {
    struct slice steps[SLICES_MOST_STEPS];
    size_t count;
};

struct slices {
    struct slice_lane lanes[SLICES_MOST_LANES];
    size_t lane_count;
};

// The shares that are searched among, ascending; the last is 1.
extern const double SLICE_SHARES[];
extern const size_t SLICE_SHARE_COUNT;

// The first answer of the lanes, in virtual time; what ends early leaves its time to the next.
struct tune_run slices_play(const struct tune_table *table, const struct slices *slices,
                            size_t task);
bool slices_use(const struct slices *slices, size_t configuration);
// PAR-2 in seconds of one task, and of all of a part.
double slices_cost(const struct tune_table *table, const struct slices *slices, size_t task);
double slices_total(const struct tune_table *table, const struct slices *slices,
                    const struct tune_part *part);

// Greedy (Streeter and Golovin 2008): to the lane that is free first, the slice that solves most for its time;
// then, while that helps, the best change of one slice, first in the order of lanes and steps.
void slices_greedy(const struct tune_table *table, const struct tune_part *part, size_t lanes,
                   size_t steps_most, struct slices *out);

// Branch and bound over all plans of so many lanes and steps with these shares, for the least total PAR-2, from what
// `best` holds. A branch is left when even the virtual best from there on would not be better. Looks at no more
// than `work` pairs of a slice and a task: true when that was enough, and `best` is then the best there is (a
// configuration comes once in a lane).
bool slices_exact(const struct tune_table *table, const struct tune_part *part, size_t lanes,
                  size_t steps_most, uint64_t work, struct slices *best);

#endif
