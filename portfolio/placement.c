#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "portfolio/topology_tree.h"

// Placement goes in rounds: in round r every core with more than r hardware threads takes one slot.
// Within a round slots are spread by walking down from the machine, each time to the child that has
// taken the fewest of this round and still has a free core: over packages first, then memory nodes
// and shared caches, whatever levels the machine has. Ties go to the lower number.

struct placing {
    const struct topology *topology;
    unsigned round;
    unsigned *taken;    // per object: slots of this round below it
    unsigned *free;     // per object: cores below it that this round can still take
    unsigned remaining; // of the round
};

static bool is_core(const struct placing *p, hwloc_obj_t object)
{
    return object->type == p->topology->cores[0].object->type;
}

static unsigned count_free(struct placing *p, hwloc_obj_t object)
{
    unsigned free = 0;
    if (is_core(p, object))
        free = p->topology->cores[tree_number(object)].pu_count > p->round;
    else
        for (unsigned i = 0; i < object->arity; i++)
            free += count_free(p, object->children[i]);
    p->taken[tree_number(object)] = 0;
    p->free[tree_number(object)] = free;
    return free;
}

static void begin_round(struct placing *p, unsigned round)
{
    p->round = round;
    p->remaining = count_free(p, hwloc_get_root_obj(p->topology->hwloc));
}

static hwloc_obj_t best_child(const struct placing *p, hwloc_obj_t object)
{
    hwloc_obj_t best = NULL;
    for (unsigned i = 0; i < object->arity; i++) {
        hwloc_obj_t child = object->children[i];
        unsigned number = tree_number(child);
        if (p->free[number] && (!best || p->taken[number] < p->taken[tree_number(best)]))
            best = child;
    }
    assert(best && "an object with a free core has a child with a free core");
    return best;
}

static unsigned take_core(struct placing *p)
{
    hwloc_obj_t object = hwloc_get_root_obj(p->topology->hwloc);
    for (;; object = best_child(p, object)) {
        p->taken[tree_number(object)]++;
        p->free[tree_number(object)]--;
        if (is_core(p, object))
            break;
    }
    p->remaining--;
    return tree_number(object);
}

static int memory_node(const struct topology *t, const struct core *core)
{
    if (!core->object->nodeset)
        return -1;
    int index = hwloc_bitmap_first(core->object->nodeset);
    if (index < 0)
        return -1;
    hwloc_obj_t node = hwloc_get_numanode_obj_by_os_index(t->hwloc, (unsigned)index);
    return node ? (int)node->logical_index : -1;
}

// The `index`-th hardware thread of a core.
static unsigned hardware_thread(const struct core *core, unsigned index)
{
    int cpu = hwloc_bitmap_first(core->object->cpuset);
    while (index--)
        cpu = hwloc_bitmap_next(core->object->cpuset, cpu);
    return (unsigned)cpu;
}

static void write_cpus(struct slot *slot, const struct core *core, unsigned round)
{
    int length = hwloc_bitmap_list_snprintf(slot->cpus, sizeof slot->cpus, core->object->cpuset);
    if (slot->shares_core || length >= (int)sizeof slot->cpus)
        snprintf(slot->cpus, sizeof slot->cpus, "%u", hardware_thread(core, round));
}

void topology_place(const struct topology *topology, unsigned count, struct slot *slots)
{
    struct placing p = {
        .topology = topology,
        .taken = memory_zalloc(topology->object_count * sizeof *p.taken),
        .free = memory_zalloc(topology->object_count * sizeof *p.free),
    };
    unsigned *users = memory_zalloc(topology->core_count * sizeof *users);
    unsigned *rounds = memory_alloc(count * sizeof *rounds);
    begin_round(&p, 0);
    for (unsigned i = 0; i < count; i++) {
        if (p.remaining == 0)
            begin_round(&p, p.round + 1);
        if (p.remaining == 0) // every hardware thread has one: from the start again
            begin_round(&p, 0);
        slots[i].core = take_core(&p);
        rounds[i] = p.round;
        users[slots[i].core]++;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct core *core = &topology->cores[slots[i].core];
        slots[i].shares_core = users[slots[i].core] > 1;
        slots[i].numa_node = memory_node(topology, core);
        write_cpus(&slots[i], core, rounds[i]);
    }
    memory_free(rounds);
    memory_free(users);
    memory_free(p.free);
    memory_free(p.taken);
}
