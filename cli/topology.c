#include "portfolio/topology.h"

#include <assert.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/reading.h"
#include "results/verdict.h"

static struct {
    char *synthetic, *plan, *placement;
    int cores;
} options;

static struct poptOption table[] = {
    {"synthetic", 0, POPT_ARG_STRING, &options.synthetic, 0,
     "a made-up machine: \"pack:2 core:8 pu:2\", \"core:8 pu:1 fast:0-3\"", "TEXT"},
    {"placement", 0, POPT_ARG_STRING, &options.placement, 0,
     "where attempts run, as for verify (auto)", "auto|spread|compact|none|LIST"},
    {"plan", 0, POPT_ARG_STRING, &options.plan, 0, "plan to place, by name or path (default)",
     "NAME|PATH"},
    {"cores", 'c', POPT_ARG_INT, &options.cores, 0, "cores to use (all physical ones)", "N"},
    POPT_TABLEEND,
};

static void print_lane(const struct plan_lane *lane, size_t index, const struct slot *slot)
{
    assert(lane->step_count > 0);
    if (slot == NULL)
        say(stdout, "  lane %zu: waits for a core", index);
    else if (slot->cpus[0] == '\0')
        say(stdout, "  lane %zu: anywhere", index);
    else
        say(stdout, "  lane %zu: cpu %s, core %u", index, slot->cpus, slot->core);
    if (slot != NULL && slot->numa_node >= 0)
        say(stdout, ", memory node %d", slot->numa_node);
    if (slot != NULL && slot->shares_core)
        say(stdout, ", shares its core");
    say(stdout, ":");
    for (size_t s = 0; s < lane->step_count; s++)
        say(stdout, lane->steps[s].when != NULL ? "%s [%s]" : "%s %s", s == 0 ? "" : ",",
            lane->steps[s].configuration->name);
    putchar('\n');
}

static bool has_guard(const struct plan_lane *lane)
{
    bool any = false;
    for (size_t s = 0; s < lane->step_count; s++)
        any |= lane->steps[s].when != NULL;
    return any;
}

static void print_placement(const struct topology *topology, const struct plan *plan)
{
    unsigned cores = options.cores > 0 ? (unsigned)options.cores : topology_core_count(topology);
    const struct plan_variant *variant = plan_variant_for(plan, cores);
    unsigned count = plan_variant_seats(variant, cores);
    assert(count > 0);
    bool guarded = false;
    struct slot *slots = memory_alloc(count * sizeof *slots);
    topology_place_shared(topology, cores, count, slots);
    say(stdout, "plan %s on %u core%s (variant for %u and more):\n", plan->name, cores,
        cores == 1 ? "" : "s", variant->cores);
    for (size_t l = 0; l < variant->lane_count; l++)
        print_lane(&variant->lanes[l], l, l < count ? &slots[l] : NULL);
    for (size_t l = 0; l < variant->lane_count; l++)
        guarded |= has_guard(&variant->lanes[l]);
    if (guarded)
        puts("a step in [ ] begins only where its guard holds of the model: a race starts with the "
             "first "
             "that does\n(regatta plan show NAME says the guards, regatta plan dry-run what "
             "begins)");
    memory_free(slots);
}

static int run(const char *const *arguments, size_t count)
{
    (void)arguments;
    if (count != 0)
        return usage_error(&command_topology, "expected no argument, got %zu", count);
    if (options.cores < 0)
        return usage_error(&command_topology, "--cores=%d: expected 1 or more", options.cores);
    struct text text;
    text_init(&text);
    struct topology *topology = topology_create(options.synthetic, &text);
    if (topology == NULL) {
        say(stderr, "regatta topology: %s\n", text_string(&text));
        text_finish(&text);
        return EXIT_USAGE;
    }
    if (options.placement != NULL && !topology_set_placement(topology, options.placement, &text)) {
        say(stderr, "regatta topology: --placement: %s\n", text_string(&text));
        text_finish(&text);
        topology_destroy(topology);
        return EXIT_USAGE;
    }
    topology_describe(&text, topology);
    say(stdout, "%s", text_string(&text));
    if (text.length != 0 && text.data[text.length - 1] != '\n')
        putchar('\n');
    text_finish(&text);
    struct plan *plan = reading_plan(options.plan != NULL ? options.plan : "default");
    if (plan != NULL)
        print_placement(topology, plan);
    int code = plan != NULL ? 0 : EXIT_USAGE;
    plan_destroy(plan);
    topology_destroy(topology);
    return code;
}

const struct command command_topology = {
    .name = "topology",
    .arguments = "",
    .summary = "the machine's cores, and where a plan is placed on them",
    .description = "Shows the cores that may be used (taskset and cgroups are honoured) and the\n"
                   "core of each lane of a plan.\n",
    .options = table,
    .run = run,
};
