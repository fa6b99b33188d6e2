#include "portfolio/disturbance.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/program.h"

static int64_t children_cpu_ns(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
        return 0;
    return clock_usage_ns(&usage);
}

// "cpu3 user nice system idle iowait irq softirq steal …", in ticks; guests are within user.
static void add_cpu_line(struct disturbance_watch *watch, const char *line)
{
    unsigned cpu;
    uint64_t user, nice, system, idle, wait, irq, soft, steal;
    if (sscanf(line,
               "cpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64,
               &cpu, &user, &nice, &system, &idle, &wait, &irq, &soft, &steal) != 9)
        return;
    if (watch->topology != NULL && !topology_has_cpu(watch->topology, cpu))
        return;
    double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    if (watch->busy_seconds < 0)
        watch->busy_seconds = watch->stolen_seconds = 0;
    watch->busy_seconds += (double)(user + nice + system + irq + soft) * tick;
    watch->stolen_seconds += (double)steal * tick;
}

static void read_load(struct disturbance_watch *watch)
{
    char line[512];
    watch->busy_seconds = watch->stolen_seconds = -1;
    FILE *file = fopen("/proc/stat", "re");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "cpu", 3) == 0 && line[3] != ' ')
            add_cpu_line(watch, line);
    fclose(file);
}

static int64_t read_swapped(void)
{
    char line[256];
    int64_t pages = 0, n;
    int found = 0;
    FILE *file = fopen("/proc/vmstat", "re");
    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "pswpin %" SCNd64, &n) == 1 || sscanf(line, "pswpout %" SCNd64, &n) == 1) {
            pages += n;
            found++;
        }
    fclose(file);
    return found == 2 ? pages : -1;
}

static int64_t read_throttled(const struct topology *topology)
{
    int64_t events = -1;
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    for (long cpu = 0; cpu < cpus; cpu++) {
        char path[128];
        int64_t n;
        if (topology != NULL && !topology_has_cpu(topology, (unsigned)cpu))
            continue;
        snprintf(path, sizeof path,
                 "/sys/devices/system/cpu/cpu%ld/thermal_throttle/core_throttle_count", cpu);
        FILE *file = fopen(path, "re");
        if (file == NULL)
            continue;
        if (fscanf(file, "%" SCNd64, &n) == 1)
            events = events < 0 ? n : events + n;
        fclose(file);
    }
    return events;
}

void disturbance_begin(struct disturbance_watch *watch, const struct topology *topology)
{
    *watch = (struct disturbance_watch){.topology = topology};
    watch->swapped_pages = read_swapped();
    watch->throttle_events = read_throttled(topology);
    read_load(watch);
    watch->own_ns = clock_process_cpu_ns() + children_cpu_ns() + program_living_cpu_ns();
}

static double at_least_0(double x)
{
    return x > 0 ? x : 0;
}

struct disturbance disturbance_end(const struct disturbance_watch *watch)
{
    struct disturbance_watch now;
    struct disturbance result = DISTURBANCE_UNKNOWN;
    disturbance_begin(&now, watch->topology);
    if (watch->busy_seconds >= 0 && now.busy_seconds >= 0) {
        double own = clock_seconds(now.own_ns - watch->own_ns);
        result.foreign_cpu_seconds = at_least_0(now.busy_seconds - watch->busy_seconds - own);
        result.stolen_seconds = at_least_0(now.stolen_seconds - watch->stolen_seconds);
    }
    if (watch->swapped_pages >= 0 && now.swapped_pages >= 0)
        result.swapped_pages = now.swapped_pages - watch->swapped_pages;
    if (watch->throttle_events >= 0 && now.throttle_events >= 0)
        result.throttle_events = now.throttle_events - watch->throttle_events;
    return result;
}
