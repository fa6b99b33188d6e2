#include "experiments/calibrate.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/say.h"
#include "base/signals.h"
#include "engines/registry/registry.h"
#include "languages/registry/task.h"
#include "monitors/monitor.h"
#include "portfolio/race.h"
#include "runs/engine_events.h"

// The engine of the configuration, with observers in place of those who judge.

struct observed {
    struct watch *watch;
    struct sightings sightings;
    int64_t deadline_ns; // 0 = none
    uint64_t base_bytes, memory_limit;
    FILE *events; // NULL = not wanted
};

static struct observed observed; // of the attempt that runs; there is one at a time

static void preparation(const struct configuration *configuration, struct prepare_options *out)
{
    engine_find(configuration_engine(configuration))->preparation(configuration, out);
}

static struct advice look_on(void *context, const struct engine_event *event)
{
    (void)context;
    struct engine_event measured = *event;
    measured.cpu_ns = clock_thread_cpu_ns();
    measured.bytes = memory_thread_bytes();
    measured.memory_limit = observed.memory_limit ? observed.base_bytes + observed.memory_limit : 0;
    if (observed.deadline_ns != 0)
        measured.remaining_ns = observed.deadline_ns - clock_wall_ns();
    if (observed.events != NULL)
        engine_event_write(observed.events, &measured);
    return watch_judge(observed.watch, &measured);
}

// The solver is published with the observer's context, which is the attempt's.
static const struct engine_environment *outer;

static void publish(void *context, struct smt_context *solver)
{
    (void)context;
    outer->publish_solver(outer->observer, solver);
}

static struct engine_result run_observed(const struct engine_environment *environment)
{
    assert(observed.watch == NULL); // one attempt at a time
    struct engine_environment inner = *environment;
    outer = environment;
    inner.observe = look_on;
    inner.observer = NULL;
    inner.publish_solver = environment->publish_solver != NULL ? publish : NULL;
    observed.base_bytes = memory_thread_bytes();
    observed.memory_limit = environment->memory_limit;
    observed.watch = watch_create_observing(environment->configuration, &observed.sightings);
    struct engine_result result =
        engine_find(configuration_engine(environment->configuration))->run(&inner);
    watch_destroy(observed.watch);
    observed.watch = NULL;
    return result;
}

static const struct engine engine_observed = {
    .name = "observed",
    .description = "the configuration's engine, with all monitors looking on",
    .preparation = preparation,
    .run = run_observed,
};

// What came of it.

static const double within_seconds[] = {1, 3, 10};
#define WITHIN (sizeof within_seconds / sizeof *within_seconds)

struct tally {
    char monitor[24];
    unsigned right, wrong, missed, within[WITHIN + 1];
    double saved;
};

struct calibration {
    struct tally tallies[SIGHTING_LIMIT];
    size_t count;
};

static void count_sighting(struct tally *tally, const struct sighting *sighting, bool solved,
                           double cpu_seconds)
{
    if (sighting->why == NULL) {
        tally->missed += !solved;
        return;
    }
    double at = clock_seconds(sighting->cpu_ns);
    size_t bin = 0;
    while (bin < WITHIN && at > within_seconds[bin])
        bin++;
    tally->within[bin]++;
    tally->right += !solved;
    tally->wrong += solved;
    if (!solved && cpu_seconds > at)
        tally->saved += cpu_seconds - at;
}

static void conclude(struct calibration *c, const char *task, const struct record *record)
{
    bool solved = record->verdict != VERDICT_UNKNOWN;
    const struct sightings *seen = &observed.sightings;
    say(stdout, "attempt\t%s\t%s\t%s\t%s\t%.3f\t%llu%s\n", task, record->configuration,
        verdict_name(record->verdict), end_reason_name(record->reason), record->cpu_seconds,
        (unsigned long long)record->iterations,
        !seen->mitigates   ? ""
        : seen->keys_agree ? "\tkeys agree"
                           : "\tkeys differ");
    assert(seen->count <= SIGHTING_LIMIT);
    c->count = seen->count > c->count ? seen->count : c->count;
    for (size_t i = 0; i < seen->count; i++) {
        const struct sighting *s = &seen->items[i];
        memcpy(c->tallies[i].monitor, s->monitor, sizeof s->monitor);
        count_sighting(&c->tallies[i], s, solved, record->cpu_seconds);
        if (s->why != NULL)
            say(stdout, "sighting\t%s\t%s\t%s\t%s\t%.3f\t%llu\t%s\n", task, record->configuration,
                s->monitor, solved ? "wrong" : "right", clock_seconds(s->cpu_ns),
                (unsigned long long)s->iteration, s->why);
    }
    fflush(stdout);
}

static void add_share(unsigned part, unsigned whole)
{
    if (whole)
        say(stdout, "%.3f", (double)part / whole);
    else
        say(stdout, "-");
}

static void summarise(const struct calibration *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct tally *t = &c->tallies[i];
        say(stdout, "monitor\t%s\tright %u\twrong %u\tmissed %u\tprecision ", t->monitor, t->right,
            t->wrong, t->missed);
        add_share(t->right, t->right + t->wrong);
        say(stdout, "\trecall ");
        add_share(t->right, t->right + t->missed);
        say(stdout, "\tsaved %.1f\twithin", t->saved);
        for (size_t b = 0; b <= WITHIN; b++)
            say(stdout, " %u", t->within[b]);
        say(stdout, "\n");
    }
}

static void write_attempt(FILE *events, const char *task, const char *configuration)
{
    cJSON *line = cJSON_CreateObject();
    cJSON_AddStringToObject(line, "event", "attempt");
    cJSON_AddStringToObject(line, "task", task);
    cJSON_AddStringToObject(line, "configuration", configuration);
    char *text = cJSON_PrintUnformatted(line);
    if (text != NULL)
        say_json(events, text);
    cJSON_free(text);
    cJSON_Delete(line);
}

static bool run_one(struct calibration *c, const struct task *task, const struct plan *plan,
                    const struct run_settings *settings, FILE *events)
{
    observed = (struct observed){.events = events};
    if (events != NULL)
        write_attempt(events, task->path, plan->name);
    double limit = settings->time_limit_seconds;
    if (limit > 0)
        observed.deadline_ns = clock_wall_ns() + (int64_t)(limit * 1e9);
    struct race_options options = {
        .plan = plan,
        .cores = 1,
        .sequential = true,
        .time_limit_seconds = limit,
        .cpu_limit_seconds = settings->cpu_limit_seconds,
        .memory_limit_bytes = settings->memory_limit_bytes,
        .seed = settings->seed,
        .topology = settings->topology,
        .interrupted = signals_flag(),
        .wake_fd = signals_wake_fd(),
        .certify = settings->certify,
        .isolation = ISOLATION_THREAD,
        .engine_override = &engine_observed,
    };
    struct race_result result = race_run(task->model, &options);
    bool stuck = result.left;
    for (size_t i = 0; i < result.record_count && !stuck; i++)
        conclude(c, task->path, &result.records[i]);
    if (stuck) {
        say(stderr, "regatta bench: %s: a solver does not react\n", task->path);
        signals_leave(EXIT_INTERNAL);
    }
    race_result_finish(&result);
    return atomic_load(signals_flag()) == 0;
}

int calibrate(const struct task_list *tasks, const struct plan *const *plans, size_t plan_count,
              const struct run_settings *settings, FILE *events)
{
    static struct calibration calibration;
    int code = 0;
    for (size_t t = 0; t < tasks->count && code == 0; t++) {
        struct task task;
        struct messages messages;
        messages_init(&messages);
        struct run_settings timed = *settings;
        run_settings_start(&timed);
        const struct budget budget = run_settings_budget(&timed);
        bool good;
        enum budget_end end = task_read(&task, tasks->paths[t], NULL, settings->property_at,
                                        &budget, &messages, &good);
        if (!good)
            messages_print(&messages, stderr);
        if (end == BUDGET_STOPPED)
            code = budget_exit_code(end);
        for (size_t p = 0; good && p < plan_count && code == 0; p++)
            if (!run_one(&calibration, &task, plans[p], settings, events))
                code = signals_exit_code(atomic_load(signals_flag()));
        messages_finish(&messages);
        task_finish(&task);
    }
    summarise(&calibration);
    return code;
}
