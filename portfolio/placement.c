#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "portfolio/topology_tree.h"

// Placement goes in rounds: in round r every core with more than r hardware threads takes one slot.
// Within a round slots are spread by walking down from the machine, each time to the child that has
// taken the fewest of this round and still has a free core: over packages first, then memory nodes
// and shared caches, whatever levels the machine has. Ties go to the lower number. Compact placement
// takes the first child that has a free core instead. On a hybrid machine `auto` has a round for each
// class of cores, the fastest first.

bool slot_has_cpu(const struct slot *slot, unsigned cpu)
{
    const char *p = slot->cpus;
    while (*p >= '0' && *p <= '9') {
        char *end;
        unsigned long first = strtoul(p, &end, 10);
        unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        if (cpu >= first && cpu <= last)
            return true;
        p = *end == ',' ? end + 1 : end;
    }
    return false;
}

void slot_join(struct slot *slot, const struct slot *other)
{
    assert(memchr(slot->cpus, '\0', sizeof slot->cpus) != NULL);
    size_t length = strlen(slot->cpus), more = strlen(other->cpus);
    slot->shares_core = slot->shares_core || other->shares_core;
    if (length == 0 || more == 0) {
        slot->cpus[0] = '\0';
    } else if (length + 1 + more < sizeof slot->cpus) {
        slot->cpus[length] = ',';
        memcpy(slot->cpus + length + 1, other->cpus, more + 1);
    }
}

struct placing {
    const struct topology *topology;
    unsigned round;
    int speed;             // only cores of this class; -1 = all
    unsigned *taken;       // per object: slots of this round below it
    unsigned *free;        // per object: cores below it that this round can still take
    unsigned remaining;    // of the round
    unsigned most_threads; // of a core
};

static bool is_core(const struct placing *p, hwloc_obj_t object)
{
    return object->type == p->topology->cores[0].object->type;
}

static bool takes_part(const struct placing *p, const struct core *core)
{
    return core->pu_count > p->round && (p->speed < 0 || core->speed == p->speed);
}

static unsigned count_free(struct placing *p, hwloc_obj_t object)
{
    assert(tree_number(object) < p->topology->object_count);
    unsigned free = 0;
    if (is_core(p, object))
        free = takes_part(p, &p->topology->cores[tree_number(object)]);
    else
        for (unsigned i = 0; i < object->arity; i++)
            free += count_free(p, object->children[i]);
    p->taken[tree_number(object)] = 0;
    p->free[tree_number(object)] = free;
    return free;
}

static int fastest(const struct topology *t)
{
    int speed = 0;
    for (unsigned i = 0; i < t->core_count; i++)
        if (t->cores[i].speed > speed)
            speed = t->cores[i].speed;
    return speed;
}

static void begin(struct placing *p)
{
    p->round = 0;
    p->speed = p->topology->placement == PLACE_AUTO ? fastest(p->topology) : -1;
    p->remaining = count_free(p, hwloc_get_root_obj(p->topology->hwloc));
    assert(p->remaining > 0 && "every core has a hardware thread");
}

// The next slower class, then the next hardware thread; then from the start again. There is always a
// round with a free core: the first.
static void next_round(struct placing *p)
{
    do {
        if (p->speed > 0) {
            p->speed--;
        } else {
            p->round++;
            if (p->speed == 0)
                p->speed = fastest(p->topology);
        }
        p->remaining = count_free(p, hwloc_get_root_obj(p->topology->hwloc));
    } while (p->remaining == 0 && p->round < p->most_threads);
    if (p->remaining == 0)
        begin(p);
}

static hwloc_obj_t best_child(const struct placing *p, hwloc_obj_t object)
{
    hwloc_obj_t best = NULL;
    for (unsigned i = 0; i < object->arity; i++) {
        hwloc_obj_t child = object->children[i];
        unsigned number = tree_number(child);
        if (p->free[number] && p->topology->placement == PLACE_COMPACT)
            return child;
        if (p->free[number] && (best == NULL || p->taken[number] < p->taken[tree_number(best)]))
            best = child;
    }
    assert(best && "an object with a free core has a child with a free core");
    return best;
}

static unsigned take_core(struct placing *p)
{
    assert(p->remaining > 0);
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
    if (core->object->nodeset == NULL)
        return -1;
    int index = hwloc_bitmap_first(core->object->nodeset);
    if (index < 0)
        return -1;
    hwloc_obj_t node = hwloc_get_numanode_obj_by_os_index(t->hwloc, (unsigned)index);
    return node != NULL ? (int)node->logical_index : -1;
}

// The `index`-th hardware thread of a core.
static unsigned hardware_thread(const struct core *core, unsigned index)
{
    int cpu = hwloc_bitmap_first(core->object->cpuset);
    while (index--)
        cpu = hwloc_bitmap_next(core->object->cpuset, cpu);
    assert(cpu >= 0 && "a core has that many");
    return (unsigned)cpu;
}

static void write_cpus(struct slot *slot, const struct core *core, unsigned round)
{
    int length = hwloc_bitmap_list_snprintf(slot->cpus, sizeof slot->cpus, core->object->cpuset);
    if (slot->shares_core || length >= (int)sizeof slot->cpus)
        snprintf(slot->cpus, sizeof slot->cpus, "%u", hardware_thread(core, round));
}

static void place_cores(const struct topology *topology, unsigned count, struct slot *slots,
                        unsigned *rounds)
{
    struct placing p = {
        .topology = topology,
        .taken = memory_zalloc(topology->object_count * sizeof *p.taken),
        .free = memory_zalloc(topology->object_count * sizeof *p.free),
    };
    for (unsigned i = 0; i < topology->core_count; i++)
        if (topology->cores[i].pu_count > p.most_threads)
            p.most_threads = topology->cores[i].pu_count;
    begin(&p);
    for (unsigned i = 0; i < count; i++) {
        if (p.remaining == 0)
            next_round(&p);
        slots[i].core = take_core(&p);
        assert(slots[i].core < topology->core_count);
        rounds[i] = p.round;
    }
    memory_free(p.free);
    memory_free(p.taken);
}

// The core a hardware thread belongs to, and which of its threads it is. False when it is not there.
static bool find_thread(const struct topology *t, unsigned thread, unsigned *core, unsigned *index)
{
    for (unsigned i = 0; i < t->core_count; i++) {
        hwloc_const_bitmap_t set = t->cores[i].object->cpuset;
        if (!hwloc_bitmap_isset(set, thread))
            continue;
        *core = i;
        *index = 0;
        while (hardware_thread(&t->cores[i], *index) != thread)
            ++*index;
        return true;
    }
    return false;
}

static void place_list(const struct topology *topology, unsigned count, struct slot *slots,
                       unsigned *rounds)
{
    assert(topology->list_count > 0);
    for (unsigned i = 0; i < count; i++) {
        slots[i].core = rounds[i] = 0;
        find_thread(topology, topology->list[i % topology->list_count], &slots[i].core, &rounds[i]);
    }
}

void topology_place(const struct topology *topology, unsigned count, struct slot *slots)
{
    bool list = topology->placement == PLACE_LIST;
    if (topology->placement == PLACE_NONE) {
        for (unsigned i = 0; i < count; i++)
            slots[i] = (struct slot){.numa_node = -1};
        return;
    }
    unsigned *users = memory_zalloc(topology->core_count * sizeof *users);
    unsigned *rounds = memory_alloc(count * sizeof *rounds);
    if (list)
        place_list(topology, count, slots, rounds);
    else
        place_cores(topology, count, slots, rounds);
    for (unsigned i = 0; i < count; i++)
        users[slots[i].core]++;
    for (unsigned i = 0; i < count; i++) {
        const struct core *core = &topology->cores[slots[i].core];
        assert(users[slots[i].core] > 0 && rounds[i] < core->pu_count);
        slots[i].shares_core = users[slots[i].core] > 1;
        slots[i].numa_node = memory_node(topology, core);
        write_cpus(&slots[i], core, rounds[i]);
        if (list)
            snprintf(slots[i].cpus, sizeof slots[i].cpus, "%u", hardware_thread(core, rounds[i]));
    }
    memory_free(rounds);
    memory_free(users);
}

void topology_place_shared(const struct topology *topology, unsigned cores, unsigned count,
                           struct slot *slots)
{
    assert(cores > 0);
    if (count <= cores) {
        topology_place(topology, count, slots);
        return;
    }
    topology_place(topology, cores, slots);
    for (unsigned i = 0; i < count; i++) {
        slots[i] = slots[i % cores];
        slots[i].shares_core |=
            topology->placement != PLACE_NONE && (i >= cores || i + cores < count);
    }
}

// Policies.

static bool add_threads(struct topology *t, unsigned first, unsigned last)
{
    unsigned core, index;
    for (unsigned thread = first; thread <= last; thread++) {
        if (!find_thread(t, thread, &core, &index))
            return false;
        if (t->list_count == t->list_capacity) {
            t->list_capacity = t->list_capacity ? 2 * t->list_capacity : 16;
            t->list = memory_realloc(t->list, t->list_capacity * sizeof *t->list);
        }
        t->list[t->list_count++] = thread;
    }
    return true;
}

// "0,2,8-11", each thread once in this order.
static bool read_list(struct topology *t, const char *text, struct text *why)
{
    t->list_count = 0;
    for (const char *next = text;; next++) {
        char *end;
        unsigned long first = strtoul(next, &end, 10), last = first;
        bool good = end != next && *next >= '0' && *next <= '9';
        if (good && *end == '-') {
            next = end + 1;
            last = strtoul(next, &end, 10);
            good = end != next && *next >= '0' && *next <= '9';
        }
        if (!good || (*end && *end != ',') || first > last || last > 1u << 20) {
            text_printf(why,
                        "\"%s\" is no placement, expected auto, spread, compact, none or hardware "
                        "threads such as \"0,2,8-11\"",
                        text);
            return false;
        }
        if (!add_threads(t, (unsigned)first, (unsigned)last)) {
            text_printf(why, "not all of the hardware threads %s may be used", text);
            return false;
        }
        next = end;
        if (!*next)
            return true;
    }
}

bool topology_set_placement(struct topology *topology, const char *placement, struct text *why)
{
    static const char *const names[] = {"auto", "spread", "compact", "none"};
    for (int i = 0; i < PLACE_LIST; i++)
        if (strcmp(placement, names[i]) == 0) {
            topology->placement = (enum placement)i;
            return true;
        }
    if (!read_list(topology, placement, why))
        return false;
    topology->placement = PLACE_LIST;
    return true;
}
