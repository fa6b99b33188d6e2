#ifndef REGATTA_PORTFOLIO_DISTURBANCE_H
#define REGATTA_PORTFOLIO_DISTURBANCE_H

#include <stdint.h>

#include "portfolio/topology.h"
#include "results/record.h"

// What else went on in the machine during a run: counters of the system (proc(5): /proc/stat,
// /proc/vmstat; thermal_throttle in sysfs) read at its beginning and at its end. Nothing runs in between.

struct disturbance_watch {
    const struct topology *topology; // whose hardware threads count; NULL = all
    int64_t own_ns;                  // CPU time of this process and of its ended children
    double busy_seconds, stolen_seconds;
    int64_t swapped_pages, throttle_events; // -1 = not known
};

void disturbance_begin(struct disturbance_watch *watch, const struct topology *topology);
// The CPU time that this process and its ended children used in between is not foreign.
struct disturbance disturbance_end(const struct disturbance_watch *watch);

#endif
