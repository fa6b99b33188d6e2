#ifndef REGATTA_PORTFOLIO_TOPOLOGY_TREE_H
#define REGATTA_PORTFOLIO_TOPOLOGY_TREE_H

#include <hwloc.h>

#include "portfolio/topology.h"

// Private to topology.c and placement.c.

struct core {
    hwloc_obj_t object; // a core, or a hardware thread where hwloc knows no cores
    unsigned pu_count;
    int speed; // class of efficiency: higher is faster, 0 = the slowest or not known
};

enum placement { PLACE_AUTO, PLACE_SPREAD, PLACE_COMPACT, PLACE_NONE, PLACE_LIST };

struct topology {
    hwloc_topology_t hwloc;
    struct core *cores; // in logical order
    unsigned core_count;
    enum placement placement;
    unsigned *list; // PLACE_LIST: hardware threads
    unsigned list_count, list_capacity;
    unsigned object_count; // of the tree above and including cores; numbered through userdata
};

// The number of an object of the tree, or of a core within `cores` (leaves come first).
static inline unsigned tree_number(hwloc_obj_t object)
{
    return (unsigned)(uintptr_t)object->userdata;
}

#endif
