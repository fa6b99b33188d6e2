#ifndef REGATTA_PORTFOLIO_TOPOLOGY_H
#define REGATTA_PORTFOLIO_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

// The machine as hwloc sees it, or a synthetic one, and which attempt goes where.

struct topology;

// synthetic: an hwloc description such as "pack:2 core:8 pu:2", or NULL for this machine (only what
// this process may use: taskset and cgroup are honoured). NULL and a reason in `why` on failure.
struct topology *topology_create(const char *synthetic, struct text *why);
void topology_destroy(struct topology *topology);
unsigned topology_core_count(const struct topology *topology); // physical cores allowed
unsigned topology_pu_count(const struct topology *topology);   // hardware threads allowed
void topology_describe(struct text *out, const struct topology *topology);

// Where one attempt runs. `cpus` in hwloc list syntax ("3" or "3,19").
struct slot {
    char cpus[64];
    unsigned core;      // logical index of the physical core
    int numa_node;      // logical index, -1 when there is none
    bool shares_core;   // another slot uses the same physical core
};

// Places `count` slots: one per physical core, spread over packages and shared caches, before hardware
// threads are shared; more slots than hardware threads reuse them in turn (sharing is marked). The
// order is deterministic. Fills slots[0 … count-1].
void topology_place(const struct topology *topology, unsigned count, struct slot *slots);

// From inside the thread: binds it (and its memory, where the system lets it) and writes what was
// really got, in list syntax. False when the binding did not succeed; `got` is then what it has.
bool topology_bind_self(const struct topology *topology, const struct slot *slot, char got[64]);

#endif
