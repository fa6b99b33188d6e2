#ifndef REGATTA_PORTFOLIO_TOPOLOGY_H
#define REGATTA_PORTFOLIO_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

// The machine as hwloc sees it, or a synthetic one, and which attempt goes where.

struct topology;

// synthetic: an hwloc description such as "pack:2 core:8 pu:2", perhaps with the hardware threads of
// a hybrid machine's fast cores behind it ("pack:1 core:8 pu:1 fast:0-3"), or NULL for this machine (only what
// this process may use: taskset and cgroup are honoured). NULL and a reason in `why` on failure.
struct topology *topology_create(const char *synthetic, struct text *why);
void topology_destroy(struct topology *topology);
// Narrows it to these hardware threads (numbers of the system, list syntax: "0-3,8"). False and a
// reason when the text is no list or none of them is there; the topology is then as it was.
bool topology_restrict(struct topology *topology, const char *cpus, struct text *why);
// Parts of `cores_each` whole physical cores that have none in common, each of neighbours: their hardware
// threads as lists for topology_restrict, to be freed by memory_free. False when there are too few cores.
bool topology_split(const struct topology *topology, unsigned parts, unsigned cores_each,
                    char **lists);
// Keeps all threads of this process to the hardware threads that are left.
bool topology_bind_process(const struct topology *topology);
unsigned topology_core_count(const struct topology *topology);        // physical cores allowed
unsigned topology_pu_count(const struct topology *topology);          // hardware threads allowed
bool topology_has_cpu(const struct topology *topology, unsigned cpu); // the system's number
// The system's number of hardware thread `thread` of a core (logical index); UINT_MAX behind the last.
unsigned topology_cpu(const struct topology *topology, unsigned core, unsigned thread);
void topology_describe(struct text *out, const struct topology *topology);

// Where one attempt runs. `cpus` in hwloc list syntax: the whole core ("3,19") when nobody shares
// it, so that it may dodge a neighbour; one hardware thread of it ("3") otherwise.
struct slot {
    char cpus[64];    // "" = anywhere
    unsigned core;    // logical index of the physical core; 0 when anywhere
    int numa_node;    // logical index, -1 when there is none
    bool shares_core; // another slot uses the same physical core
};

// Is the hardware thread one of those it may run on? Not when it may run anywhere.
bool slot_has_cpu(const struct slot *slot, unsigned cpu);
// An attempt that takes both: `slot` becomes their union, as far as the list fits; anywhere if one is.
void slot_join(struct slot *slot, const struct slot *other);

// How slots are placed from now on:
//   auto     spread, on the fastest cores of a hybrid machine before the others (the standard)
//   spread   far apart: over packages, memory nodes and shared caches
//   compact  side by side, so that caches are shared; cores before their hardware threads
//   none     nothing is bound
//   LIST     "0,2,8-11": one hardware thread a slot, in this order, over again when there are more
// False and a reason when it is none of these, or a hardware thread may not be used.
bool topology_set_placement(struct topology *topology, const char *placement, struct text *why);

// Places `count` slots. But for compact and LIST: one per physical core, spread over packages and shared caches, before
// hardware threads are shared; more slots than hardware threads reuse them in turn (sharing is
// marked). The order is deterministic. Fills slots[0 … count-1].
void topology_place(const struct topology *topology, unsigned count, struct slot *slots);

// Places `count` slots on no more than `cores` cores: those beyond share the cores of the first, in turn.
void topology_place_shared(const struct topology *topology, unsigned cores, unsigned count,
                           struct slot *slots);

// From inside the thread: binds it (and its memory, where the system lets it) and writes what was
// really got, in list syntax. False when the binding did not succeed; `got` is then what it has. On
// a synthetic topology nothing is bound.
bool topology_bind_self(const struct topology *topology, const struct slot *slot, char got[64]);

#endif
