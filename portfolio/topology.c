#include "portfolio/topology.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/memory.h"
#include "base/signals.h"
#include "portfolio/topology_tree.h"

// Numbers the objects above the cores; the cores themselves have theirs.
static void number_objects(struct topology *t, hwloc_obj_t object)
{
    if (object->type == t->cores[0].object->type)
        return;
    object->userdata = (void *)(uintptr_t)t->object_count++;
    for (unsigned i = 0; i < object->arity; i++)
        number_objects(t, object->children[i]);
}

// Classes of efficiency come from the system, in order; 0 when it knows none.
static int speed_of(const struct topology *t, hwloc_obj_t core)
{
    int kind = hwloc_cpukinds_get_by_cpuset(t->hwloc, core->cpuset, 0), efficiency = -1;
    if (kind < 0 ||
        hwloc_cpukinds_get_info(t->hwloc, (unsigned)kind, NULL, &efficiency, NULL, NULL, 0) != 0)
        return 0;
    return efficiency > 0 ? efficiency : 0;
}

static void find_cores(struct topology *t)
{
    int count = hwloc_get_nbobjs_by_type(t->hwloc, HWLOC_OBJ_CORE);
    hwloc_obj_type_t type = count > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    t->core_count = (unsigned)hwloc_get_nbobjs_by_type(t->hwloc, type);
    t->cores = memory_realloc(t->cores, t->core_count * sizeof *t->cores);
    for (unsigned i = 0; i < t->core_count; i++) {
        hwloc_obj_t object = hwloc_get_obj_by_type(t->hwloc, type, i);
        object->userdata = (void *)(uintptr_t)i;
        t->cores[i] = (struct core){object, (unsigned)hwloc_bitmap_weight(object->cpuset),
                                    speed_of(t, object)};
    }
    t->object_count = t->core_count;
    number_objects(t, hwloc_get_root_obj(t->hwloc));
}

// Only what this process may use. hwloc leaves out what a cpuset cgroup forbids, not what taskset
// does.
static void keep_allowed(struct topology *t)
{
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    if (allowed != NULL && hwloc_get_cpubind(t->hwloc, allowed, HWLOC_CPUBIND_THREAD) == 0 &&
        hwloc_bitmap_intersects(allowed, hwloc_topology_get_topology_cpuset(t->hwloc)))
        hwloc_topology_restrict(t->hwloc, allowed, HWLOC_RESTRICT_FLAG_REMOVE_CPULESS);
    hwloc_bitmap_free(allowed);
}

// " fast:0-3" behind a description: those are the fast ones of two classes.
static bool make_hybrid(struct topology *t, const char *fast)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc(), rest = hwloc_bitmap_alloc();
    hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(t->hwloc);
    bool good = *fast && strspn(fast, "0123456789,-") == strlen(fast) &&
                hwloc_bitmap_list_sscanf(set, fast) == 0 && hwloc_bitmap_isincluded(set, all);
    hwloc_bitmap_andnot(rest, all, set);
    if (good && !hwloc_bitmap_iszero(rest))
        good = hwloc_cpukinds_register(t->hwloc, rest, 0, 0, NULL, 0) == 0 &&
               hwloc_cpukinds_register(t->hwloc, set, 1, 0, NULL, 0) == 0;
    hwloc_bitmap_free(set);
    hwloc_bitmap_free(rest);
    return good;
}

// Reads the description up to " fast:"; NULL for this machine.
static bool describe_machine(struct topology *t, const char *synthetic)
{
    const char *fast = synthetic != NULL ? strstr(synthetic, " fast:") : NULL;
    char *machine = memory_strdup(synthetic != NULL ? synthetic : "");
    if (fast != NULL)
        machine[fast - synthetic] = '\0';
    bool good = synthetic == NULL || hwloc_topology_set_synthetic(t->hwloc, machine) == 0;
    memory_free(machine);
    return good;
}

static struct topology *create(const char *synthetic, struct text *why)
{
    struct topology *t = memory_zalloc(sizeof *t);
    if (hwloc_topology_init(&t->hwloc) != 0) {
        text_printf(why, "hwloc cannot start: %s", strerror(errno));
        memory_free(t);
        return NULL;
    }
    if (!describe_machine(t, synthetic)) {
        text_printf(why,
                    "\"%s\" is no description of a machine, expected one like "
                    "\"pack:2 core:8 pu:2\"",
                    synthetic);
        topology_destroy(t);
        return NULL;
    }
    // What the system says is enough. Its x86 part would bind this thread to each hardware thread in turn, and wait for those
    // that are busy, to read caches that only some virtual machines keep to themselves.
    if (synthetic == NULL)
        hwloc_topology_set_components(t->hwloc, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_load(t->hwloc) != 0) {
        text_printf(why, "the machine's topology cannot be read: %s", strerror(errno));
        topology_destroy(t);
        return NULL;
    }
    const char *fast = synthetic != NULL ? strstr(synthetic, " fast:") : NULL;
    if (fast != NULL && !make_hybrid(t, fast + strlen(" fast:"))) {
        text_printf(why, "\"%s\" is no list of some of its hardware threads", fast + 1);
        topology_destroy(t);
        return NULL;
    }
    if (hwloc_topology_is_thissystem(t->hwloc))
        keep_allowed(t);
    find_cores(t);
    return t;
}

struct topology *topology_create(const char *synthetic, struct text *why)
{
    signals_guard("hwloc");
    struct topology *topology = create(synthetic, why);
    signals_guard(NULL);
    return topology;
}

void topology_destroy(struct topology *topology)
{
    if (topology == NULL)
        return;
    hwloc_topology_destroy(topology->hwloc);
    memory_free(topology->cores);
    memory_free(topology->list);
    memory_free(topology);
}

bool topology_restrict(struct topology *topology, const char *cpus, struct text *why)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    bool good = *cpus && strspn(cpus, "0123456789,-") == strlen(cpus) &&
                hwloc_bitmap_list_sscanf(set, cpus) == 0;
    if (!good)
        text_printf(why, "\"%s\" is no list of hardware threads, expected one like \"0-3,8\"",
                    cpus);
    else if (!hwloc_bitmap_intersects(set, hwloc_topology_get_topology_cpuset(topology->hwloc))) {
        text_printf(why, "none of the hardware threads %s may be used", cpus);
        good = false;
    } else if (hwloc_topology_restrict(topology->hwloc, set, HWLOC_RESTRICT_FLAG_REMOVE_CPULESS)) {
        text_printf(why, "cannot keep to the hardware threads %s: %s", cpus, strerror(errno));
        good = false;
    }
    if (good)
        find_cores(topology);
    hwloc_bitmap_free(set);
    return good;
}

unsigned topology_core_count(const struct topology *topology)
{
    return topology->core_count;
}

unsigned topology_pu_count(const struct topology *topology)
{
    return (unsigned)hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_PU);
}

bool topology_has_cpu(const struct topology *topology, unsigned cpu)
{
    return hwloc_bitmap_isset(hwloc_topology_get_topology_cpuset(topology->hwloc), cpu) != 0;
}

unsigned topology_cpu(const struct topology *topology, unsigned core, unsigned thread)
{
    hwloc_const_bitmap_t cpus = topology->cores[core].object->cpuset;
    int cpu = hwloc_bitmap_first(cpus);
    while (cpu >= 0 && thread-- > 0)
        cpu = hwloc_bitmap_next(cpus, cpu);
    return cpu >= 0 ? (unsigned)cpu : UINT_MAX;
}

// Description.

static void add_count(struct text *out, const struct topology *t, hwloc_obj_type_t type,
                      const char *one, const char *many)
{
    int count = hwloc_get_nbobjs_by_type(t->hwloc, type);
    if (count > 0)
        text_printf(out, "%s%d %s", out->length ? ", " : "", count, count == 1 ? one : many);
}

static void add_list(struct text *out, hwloc_const_bitmap_t set)
{
    char list[256];
    hwloc_bitmap_list_snprintf(list, sizeof list, set);
    text_add(out, list);
}

// "  L3 32.0 MB: cores 0-7, cpus 0-15" for every object of a type.
static void describe_objects(struct text *out, const struct topology *t, hwloc_obj_type_t type,
                             const char *name)
{
    int count = hwloc_get_nbobjs_by_type(t->hwloc, type);
    for (int i = 0; i < count; i++) {
        hwloc_obj_t object = hwloc_get_obj_by_type(t->hwloc, type, (unsigned)i);
        text_printf(out, "  %s %d: cpus ", name, i);
        add_list(out, object->cpuset);
        if (hwloc_obj_type_is_cache(type) && object->attr->cache.size) {
            text_add(out, ", ");
            text_add_size(out, object->attr->cache.size);
        }
        if (type == HWLOC_OBJ_NUMANODE && object->attr->numanode.local_memory) {
            text_add(out, ", ");
            text_add_size(out, object->attr->numanode.local_memory);
        }
        text_add_char(out, '\n');
    }
}

void topology_describe(struct text *out, const struct topology *topology)
{
    struct text line;
    text_init(&line);
    add_count(&line, topology, HWLOC_OBJ_PACKAGE, "package", "packages");
    add_count(&line, topology, HWLOC_OBJ_NUMANODE, "memory node", "memory nodes");
    add_count(&line, topology, HWLOC_OBJ_L3CACHE, "L3 cache", "L3 caches");
    text_printf(&line, "%s%u %s", line.length ? ", " : "", topology->core_count,
                topology->core_count == 1 ? "core" : "cores");
    add_count(&line, topology, HWLOC_OBJ_PU, "hardware thread", "hardware threads");
    if (!hwloc_topology_is_thissystem(topology->hwloc))
        text_add(&line, " (synthetic)");
    text_printf(out, "%s\n", text_string(&line));
    text_finish(&line);
    describe_objects(out, topology, HWLOC_OBJ_PACKAGE, "package");
    describe_objects(out, topology, HWLOC_OBJ_NUMANODE, "memory node");
    describe_objects(out, topology, HWLOC_OBJ_L3CACHE, "L3 cache");
}

// Binding.

// What the calling thread may really run on, asked of the system and not of hwloc.
static void read_binding(hwloc_bitmap_t set)
{
    hwloc_bitmap_zero(set);
    for (int count = 1024; count <= 1 << 20; count *= 4) {
        cpu_set_t *cpus = CPU_ALLOC(count);
        size_t bytes = CPU_ALLOC_SIZE(count);
        if (cpus == NULL)
            return;
        CPU_ZERO_S(bytes, cpus);
        int error = pthread_getaffinity_np(pthread_self(), bytes, cpus);
        for (int i = 0; error == 0 && i < count; i++)
            if (CPU_ISSET_S(i, bytes, cpus))
                hwloc_bitmap_set(set, (unsigned)i);
        CPU_FREE(cpus);
        if (error != EINVAL)
            return;
    }
}

static void print_list(char out[64], hwloc_const_bitmap_t set)
{
    if (hwloc_bitmap_list_snprintf(out, 64, set) < 64)
        return;
    // Too long: whole entries, then dots.
    out[60] = '\0';
    char *comma = strrchr(out, ',');
    strcpy(comma != NULL ? comma + 1 : out, "...");
}

// Memory near the thread; a wish, so what comes of it does not matter.
static void prefer_near_memory(const struct topology *t, hwloc_const_bitmap_t cpus)
{
    if (hwloc_get_nbobjs_by_type(t->hwloc, HWLOC_OBJ_NUMANODE) < 2)
        return;
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    hwloc_cpuset_to_nodeset(t->hwloc, cpus, nodes);
    if (!hwloc_bitmap_iszero(nodes))
        hwloc_set_membind(t->hwloc, nodes, HWLOC_MEMBIND_BIND,
                          HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET);
    hwloc_bitmap_free(nodes);
}

bool topology_bind_self(const struct topology *topology, const struct slot *slot, char got[64])
{
    hwloc_bitmap_t asked = hwloc_bitmap_alloc();
    hwloc_bitmap_t have = hwloc_bitmap_alloc();
    hwloc_bitmap_list_sscanf(asked, slot->cpus);
    bool real = hwloc_topology_is_thissystem(topology->hwloc) && slot->cpus[0] != '\0';
    if (real && hwloc_set_cpubind(topology->hwloc, asked, HWLOC_CPUBIND_THREAD) == 0)
        prefer_near_memory(topology, asked);
    read_binding(have);
    print_list(got, have);
    bool bound = real && !hwloc_bitmap_iszero(have) && hwloc_bitmap_isincluded(have, asked);
    hwloc_bitmap_free(asked);
    hwloc_bitmap_free(have);
    return bound;
}
