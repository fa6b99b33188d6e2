#include "view/core_map.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>

enum { GROUP = 8, HEAD_WIDTH = 9 };

char core_label(unsigned lane)
{
    static const char labels[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return lane < sizeof labels - 1 ? labels[lane] : '#';
}

char core_occupant(const struct core_tenant *tenants, size_t count, unsigned cpu)
{
    char occupant = CORE_IDLE;
    for (size_t i = 0; i < count; i++)
        if (slot_has_cpu(tenants[i].slot, cpu))
            occupant = occupant == CORE_IDLE ? tenants[i].label : CORE_CROWDED;
    return occupant;
}

// One character a hardware thread. The most threads that a core has, or 1 when all of each have the same
// occupant.
static unsigned cell_width(const struct topology *t, const struct core_tenant *tenants,
                           size_t count)
{
    unsigned most = 1;
    bool differ = false;
    for (unsigned core = 0; core < topology_core_count(t); core++) {
        char first = core_occupant(tenants, count, topology_cpu(t, core, 0));
        unsigned thread = 1;
        for (unsigned cpu; (cpu = topology_cpu(t, core, thread)) != UINT_MAX; thread++)
            differ = differ || core_occupant(tenants, count, cpu) != first;
        most = thread > most ? thread : most;
    }
    return differ ? most : 1;
}

static void add_cell(struct text *out, const struct topology *t, unsigned core, unsigned width,
                     const struct core_tenant *tenants, size_t count)
{
    for (unsigned thread = 0; thread < width; thread++) {
        unsigned cpu = topology_cpu(t, core, thread);
        text_add_char(out, cpu != UINT_MAX ? core_occupant(tenants, count, cpu) : ' ');
    }
}

// Whole groups where one fits.
static unsigned cells_a_line(unsigned width, unsigned cell)
{
    unsigned room = width > HEAD_WIDTH ? width - HEAD_WIDTH : 0;
    unsigned groups = room / (GROUP * cell + 2);
    if (groups > 0)
        return groups * GROUP;
    unsigned cells = room > 2 ? (room - 2) / cell : 0;
    return cells == 0 ? 1 : cells < GROUP ? cells : GROUP;
}

void core_map_add(struct text *out, const struct topology *t, const struct core_tenant *tenants,
                  size_t count, unsigned width)
{
    unsigned cell = cell_width(t, tenants, count), cells = cells_a_line(width, cell);
    assert(cell > 0 && cells > 0 && (cells < GROUP || cells % GROUP == 0));
    for (unsigned core = 0; core < topology_core_count(t); core++) {
        if (core % cells == 0)
            text_printf(out, "%s%-5s%4u", core == 0 ? "" : "\n", core == 0 ? "cores" : "", core);
        if (core % cells % GROUP == 0)
            text_add(out, "  ");
        add_cell(out, t, core, cell, tenants, count);
    }
    text_add_char(out, '\n');
}
