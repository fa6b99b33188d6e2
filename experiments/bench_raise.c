#include "experiments/bench_raise.h"

#include "base/memory.h"
#include "runs/settings.h"

// Zero is no limit.
static bool is_within(double lower, double higher)
{
    return higher == 0 || (lower > 0 && lower <= higher);
}

static bool is_lower(const struct run_limits *limits, const struct run_settings *settings)
{
    bool same = limits->time_seconds == settings->time_limit_seconds &&
                limits->cpu_seconds == settings->cpu_limit_seconds;
    return !same && is_within(limits->time_seconds, settings->time_limit_seconds) &&
           is_within(limits->cpu_seconds, settings->cpu_limit_seconds);
}

bool bench_raise_begin(struct bench *bench, struct text *why)
{
    for (size_t i = 0; i < bench->plans.count; i++)
        if (!bench->plans.data[i].configuration) {
            text_printf(why,
                        "--raise goes with --config and --space only: what the plan %s does "
                        "depends on its time",
                        bench->plans.data[i].argument);
            return false;
        }
    if (!store_limits(bench->store, &bench->lower, &bench->lower_count, why))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < bench->lower_count; i++)
        if (is_lower(&bench->lower[i], &bench->settings))
            bench->lower[kept++] = bench->lower[i];
    bench->lower_count = kept;
    return true;
}

void bench_raise_end(struct bench *bench)
{
    memory_free(bench->lower);
    bench->lower = NULL;
    bench->lower_count = 0;
}

// With more time it would have ended in the same way. The monitor that compares its forecast with the time
// left might not have ended it.
static bool is_decided(const struct run_record *record, const struct configuration *configuration)
{
    switch (record->reason) {
    case END_TIMEOUT:
    case END_CPUTIME:
    case END_CRASHED:
    case END_NOT_STARTED:
    case END_INTERRUPTED:
        return false;
    case END_STALLED:
        return configuration->values[OPTION_STOP_FORECAST] == 0;
    default:
        return true;
    }
}

bool bench_raise_knows(const struct bench *bench, const struct bench_job *job)
{
    const struct plan *plan = bench->plans.data[job->plan].plan;
    bool decided = false;
    for (size_t i = 0; i < bench->lower_count && !decided; i++) {
        struct run_settings settings = bench->settings;
        struct run_record record;
        char digest[33];
        settings.time_limit_seconds = bench->lower[i].time_seconds;
        settings.cpu_limit_seconds = bench->lower[i].cpu_seconds;
        plan_digest(plan, &settings, digest);
        const struct run_key key = {
            .task_digest = bench->tasks[job->task].digest,
            .plan_digest = digest,
            .time_limit_seconds = settings.time_limit_seconds,
            .cores = settings.cores,
            .seed = settings.seed + job->repetition,
        };
        if (!store_find(bench->store, &key, &record))
            continue;
        decided = is_decided(&record, plan->variants->lanes->steps->configuration);
        run_record_finish(&record);
    }
    return decided;
}
