#ifndef REGATTA_PORTFOLIO_CGROUP_H
#define REGATTA_PORTFOLIO_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Control groups, version 2 (Linux, Documentation/admin-guide/cgroup-v2.rst): where the system lets us make one below our
// own, an attempt's process gets a group of its own, which counts the CPU time of all it starts, limits
// their memory and ends them together. Everything works without; nothing here is an error.
//
// A group that has processes cannot hand controllers to groups below it. When ours holds nobody but this
// process, the process moves into a group of its own below it, once.

struct cgroup {
    char path[256];     // "" = there is none
    bool limits_memory; // the limit is in force
};

// Below the group of this process. False when that cannot be: `out` is then empty, and the other calls do nothing.
bool cgroup_create(struct cgroup *out);
// False when the system does not enforce one here: the memory controller is not handed on.
bool cgroup_limit_memory(struct cgroup *cgroup, uint64_t bytes);
bool cgroup_add(const struct cgroup *cgroup, pid_t pid); // and what it starts from now on
int64_t
cgroup_cpu_ns(const struct cgroup *cgroup); // used so far, by all there ever were; -1 = not known
bool cgroup_ran_out_of_memory(const struct cgroup *cgroup); // somebody in it was killed for that
void cgroup_kill(const struct cgroup *cgroup);              // all in it
// Removes it: who is still in it is killed. Waits up to some tens of milliseconds for them to go.
void cgroup_destroy(struct cgroup *cgroup);

// The parts that take the folder of a group instead of that of this process. Makes it ready for groups below it: hands
// controllers on where it may, and removes the groups of programs that were killed.
void cgroup_prepare(const char *folder);
bool cgroup_create_below(struct cgroup *out, const char *folder);
// The smallest number in the file `name` of the group and those above it, up to the mount; 0 = none has one.
uint64_t cgroup_smallest(const char *mount, const char *group, const char *name);

// The memory that the groups of this process (version 1 or 2) allow, 0 = no limit.
uint64_t cgroup_memory_limit(void);

#endif
