#ifndef REGATTA_VIEW_CORE_MAP_H
#define REGATTA_VIEW_CORE_MAP_H

#include <stddef.h>

#include "base/text.h"
#include "portfolio/topology.h"

// Who is on which core, in few characters: one a core, or one a hardware thread when some core has
// different ones on its threads. '.' is idle, '*' has several attempts, any other is the label of one.
//
//   cores    0  01......  ........
//           16  2.......  ........

struct core_tenant {
    const struct slot *slot;
    char label;
};

#define CORE_IDLE '.'
#define CORE_CROWDED '*'

// '0' … '9', 'a' … 'z', 'A' … 'Z' in order of lanes, then '#'.
char core_label(unsigned lane);
// Who is on a hardware thread.
char core_occupant(const struct core_tenant *tenants, size_t count, unsigned cpu);
// Lines of at most `width` columns (or one cell), each ended by '\n'.
void core_map_add(struct text *out, const struct topology *topology,
                  const struct core_tenant *tenants, size_t count, unsigned width);

#endif
