#include "portfolio/race_inside.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHORT_SLICE_NS 100000 // the shortest that Linux grants
#define RESET_ON_FORK 1       // SCHED_FLAG_RESET_ON_FORK

// Linux' struct sched_attr in its first form (sched_setattr(2)): its header and <sched.h> exclude each other.
struct attributes {
    uint32_t size, sched_policy;
    uint64_t sched_flags;
    int32_t sched_nice;
    uint32_t sched_priority;
    uint64_t sched_runtime, sched_deadline, sched_period;
};

uint64_t race_take_slice(uint64_t slice_ns)
{
    struct attributes attributes = {.size = sizeof attributes};
    // Threads made later would not have a nice value below 0 (RESET_ON_FORK).
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 ||
        (attributes.sched_policy != SCHED_OTHER && attributes.sched_policy != SCHED_BATCH) ||
        attributes.sched_nice < 0)
        return 0;
    uint64_t before = attributes.sched_runtime;
    attributes.sched_runtime = slice_ns ? slice_ns : SHORT_SLICE_NS;
    attributes.sched_flags = RESET_ON_FORK; // attempts have the common one
    syscall(SYS_sched_setattr, 0, &attributes, 0);
    return before;
}
