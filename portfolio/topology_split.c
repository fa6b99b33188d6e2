#include "base/memory.h"

#include <assert.h>

#include "portfolio/topology_tree.h"

// Cores in logical order are neighbours; the fastest class of a hybrid machine comes first.
static unsigned *cores_in_order(const struct topology *t)
{
    unsigned *order = memory_alloc(t->core_count * sizeof *order), count = 0;
    int speed = 0;
    for (unsigned i = 0; i < t->core_count; i++)
        if (t->cores[i].speed > speed)
            speed = t->cores[i].speed;
    for (; speed >= 0; speed--)
        for (unsigned i = 0; i < t->core_count; i++)
            if (t->cores[i].speed == speed)
                order[count++] = i;
    assert(count == t->core_count && "each once");
    return order;
}

static char *list_of(hwloc_const_bitmap_t set)
{
    int length = hwloc_bitmap_list_snprintf(NULL, 0, set);
    char *list = memory_alloc((size_t)length + 1);
    hwloc_bitmap_list_snprintf(list, (size_t)length + 1, set);
    return list;
}

bool topology_split(const struct topology *topology, unsigned parts, unsigned cores_each,
                    char **lists)
{
    if ((uint64_t)parts * cores_each > topology->core_count)
        return false;
    unsigned *order = cores_in_order(topology), next = 0;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (unsigned part = 0; part < parts; part++) {
        hwloc_bitmap_zero(set);
        for (unsigned i = 0; i < cores_each; i++)
            hwloc_bitmap_or(set, set, topology->cores[order[next++]].object->cpuset);
        lists[part] = list_of(set);
    }
    assert(next == parts * cores_each);
    hwloc_bitmap_free(set);
    memory_free(order);
    return true;
}

bool topology_bind_process(const struct topology *topology)
{
    return hwloc_topology_is_thissystem(topology->hwloc) &&
           hwloc_set_cpubind(topology->hwloc, hwloc_topology_get_topology_cpuset(topology->hwloc),
                             HWLOC_CPUBIND_PROCESS) == 0;
}
