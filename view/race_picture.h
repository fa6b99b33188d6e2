#ifndef REGATTA_VIEW_RACE_PICTURE_H
#define REGATTA_VIEW_RACE_PICTURE_H

#include "base/vector.h"
#include "portfolio/race.h"
#include "view/core_map.h"

// Where a race stands, put together from what it tells: what the live view draws and --events writes. On
// the thread that runs the race; what it has of attempts is theirs.

struct race_picture {
    const struct race_options *options; // the race's; must stay
    int64_t begin_ns;
    VECTOR(struct race_view) lanes;         // the newest attempt of each lane that has begun
    VECTOR(struct core_tenant) tenants;     // those that run
    unsigned ended, stalls;                 // attempts
    const char *stalled_name, *stalled_why; // the last one; NULL = none
    double stalled_seconds;                 // since the race began
    // Of attempts that another one of the lane came after.
    size_t given_before, taken_before;
    double cpu_before;
};

void race_picture_init(struct race_picture *picture); // empty: nothing runs
void race_picture_begin(struct race_picture *picture, const struct race_options *options);
void race_picture_finish(struct race_picture *picture);
// As told by race_options.observe.
void race_picture_update(struct race_picture *picture, enum race_event_kind kind,
                         const struct race_view *views, size_t count);

double race_picture_seconds(const struct race_picture *picture); // since it began
// Of the run's limits; negative = there is none.
double race_picture_left_seconds(const struct race_picture *picture);
double race_picture_left_cpu_seconds(const struct race_picture *picture);
// Lines of the exchange, over all attempts.
size_t race_picture_given(const struct race_picture *picture);
size_t race_picture_taken(const struct race_picture *picture);

#endif
