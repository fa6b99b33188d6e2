#include "experiments/bench_run.h"

#include <assert.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/say.h"
#include "base/signals.h"
#include "experiments/bench_job.h"
#include "experiments/bench_known.h"
#include "experiments/bench_raise.h"
#include "experiments/bench_view.h"
#include "languages/registry/task.h"
#include "portfolio/job_pool.h"
#include "runs/runner.h"

// A job whose processes hold a quarter more than its attempts may, and this for the program itself, is ended.
#define MEMORY_BASE_BYTES (UINT64_C(64) << 20)
// Reading the model has no limit of its own: a job that takes twice its time and this has lost its way.
#define LOST_SECONDS 60

// Which tasks ask what an earlier one asks.
static bool *find_repeated(const struct bench *bench)
{
    bool *repeated = memory_zalloc(bench->task_count + 1);
    for (size_t t = 0; t < bench->task_count; t++)
        for (size_t before = 0; before < t && !repeated[t]; before++)
            repeated[t] = strcmp(bench->tasks[t].digest, bench->tasks[before].digest) == 0;
    return repeated;
}

// By task: the plan that it is to be run with; NULL = all. The caller frees the array.
static const char **find_wanted(const struct bench *bench)
{
    const char **wanted = memory_zalloc((bench->task_count + 1) * sizeof *wanted);
    for (size_t t = 0; t < bench->task_count && bench->by_language; t++)
        wanted[t] = task_standard_plan(bench->tasks[t].path);
    return wanted;
}

void bench_order(struct bench *bench)
{
    size_t plans = bench->plans.count;
    bool *repeated = find_repeated(bench);
    const char **wanted = find_wanted(bench);
    for (unsigned r = 0; r < bench->repeat; r++)
        for (int later = 0; later < 2; later++)
            for (size_t t = 0; t < bench->task_count; t++)
                for (size_t p = 0; p < plans && repeated[t] == later; p++) {
                    struct bench_job job = {t, (p + t + r) % plans, r};
                    const char *plan = bench->plans.data[job.plan].argument;
                    if (wanted[t] == NULL || strcmp(plan, wanted[t]) == 0)
                        VECTOR_PUSH(&bench->jobs, job);
                }
    assert(bench->jobs.count <= bench->repeat * bench->task_count * plans);
    memory_free(wanted);
    memory_free(repeated);
}

struct run_settings bench_settings_of(const struct bench *bench, const struct bench_job *job,
                                      unsigned place)
{
    assert(bench->cpus == NULL || place < bench->places);
    struct run_settings settings = bench->settings;
    settings.seed += job->repetition;
    settings.repetition = job->repetition;
    settings.job = place;
    settings.cpus = bench->cpus != NULL ? bench->cpus[place] : NULL;
    return settings;
}

bool bench_conclude(struct bench *bench, const struct bench_job *job, double seconds)
{
    assert(bench->done < bench->jobs.count); // a job has one end
    struct run_record record;
    struct bench_plan *plan = &bench->plans.data[job->plan];
    const struct run_key key = bench_key(bench, job);
    if (!store_find(bench->store, &key, &record)) {
        bool failed = false;
        if (!bench_recall(bench, job, &failed) || failed)
            return false;
        bench->done++;
        return true;
    }
    bench->done++;
    bench->made++;
    bench->unknown += record.verdict == VERDICT_UNKNOWN;
    bench->wrong += run_record_is_wrong(&record);
    bench->unread += strcmp(record.status, RUN_STATUS_OK) != 0;
    plan->made++;
    plan->spent_seconds += seconds >= 0 ? seconds : record.load_seconds + record.wall_seconds;
    assert(bench->made <= bench->done && bench->unread <= bench->made);
    bench_show_end(bench, job, &record);
    run_record_finish(&record);
    return true;
}

// Running

struct local {
    struct bench *bench;
    struct job_pool *pool;
    const struct bench_job **running; // by place
    size_t next;
    int code; // nonzero: no more jobs are started
};

static void complain(struct local *local, const char *what)
{
    say(stderr, "regatta bench: %s\n", what);
    local->code = EXIT_INTERNAL;
}

static void start(struct local *local, unsigned place)
{
    struct bench *bench = local->bench;
    const struct bench_job *job = &bench->jobs.data[local->next++];
    bool failed = false, made = bench_recall(bench, job, &failed);
    if (failed)
        local->code = EXIT_INTERNAL;
    if (made || bench_raise_knows(bench, job)) {
        bench->done++;
        bench->spared += !made;
        return;
    }
    struct job_arguments arguments;
    struct text why;
    text_init(&why);
    job_arguments_make(&arguments, bench, job, place, bench->db, (int)getpid());
    if (job_pool_start(local->pool, place, (const char *const *)arguments.words.data,
                       bench_job_memory(bench), bench_job_seconds(bench), &why)) {
        local->running[place] = job;
        bench_show_start(bench, job, place);
    } else {
        complain(local, text_string(&why));
    }
    job_arguments_finish(&arguments);
    text_finish(&why);
}

static enum end_reason reason_of(const struct job_end *end)
{
    switch (end->fate) {
    case JOB_TOO_LARGE:
        return END_MEMORY;
    case JOB_TOO_LONG:
        return END_TIMEOUT;
    default:
        return END_CRASHED;
    }
}

bool bench_record_lost(struct bench *bench, const struct bench_job *job, unsigned place,
                       const struct bench_loss *loss)
{
    struct run run;
    struct text why;
    text_init(&why);
    struct run_settings settings = bench_settings_of(bench, job, place);
    run_lost(&run, &bench->tasks[job->task], bench->plans.data[job->plan].plan, &settings,
             loss->reason, loss->wall_seconds);
    run.record.cpu_seconds = loss->cpu_seconds;
    run.record.peak_bytes = loss->peak_bytes;
    bool good = store_add_once(bench->store, &run.record, &why) != STORE_FAILED;
    if (!good)
        say(stderr, "regatta bench: %s: %s\n", bench->db, text_string(&why));
    run_finish(&run);
    text_finish(&why);
    return good;
}

uint64_t bench_job_memory(const struct bench *bench)
{
    uint64_t memory = bench->settings.memory_limit_bytes;
    return memory != 0 ? memory + memory / 4 + MEMORY_BASE_BYTES : 0;
}

double bench_job_seconds(const struct bench *bench)
{
    double limit = bench->settings.time_limit_seconds;
    return limit > 0 ? 2 * limit + LOST_SECONDS : 0;
}

static void conclude(struct local *local, const struct job_end *end)
{
    const struct bench_job *job = local->running[end->place];
    assert(job != NULL);
    if (bench_conclude(local->bench, job, end->wall_seconds) || atomic_load(signals_flag()) != 0)
        return; // or the user ended it
    const struct bench_loss loss = {reason_of(end), end->wall_seconds, end->cpu_seconds,
                                    end->peak_bytes};
    int code = WIFEXITED(end->status) ? WEXITSTATUS(end->status) : EXIT_INTERNAL;
    if (code == 0) {
        complain(local, "a task or plan changed while it was run; run the same command again");
    } else if (code == EXIT_USAGE) {
        complain(local, "a job could not begin");
    } else if (!bench_record_lost(local->bench, job, end->place, &loss) ||
               !bench_conclude(local->bench, job, end->wall_seconds)) {
        local->code = EXIT_INTERNAL;
    }
}

static void look(void *context)
{
    struct local *local = context;
    bench_view_tick(local->bench->view);
}

static void run_local(struct local *local)
{
    const struct bench *bench = local->bench;
    struct job_end end;
    bool told = false;
    for (;;) {
        int signal = atomic_load(signals_flag());
        if (signal != 0 && !told) {
            told = true;
            local->code = signals_exit_code(signal);
            job_pool_signal(local->pool, SIGTERM);
        }
        int place = job_pool_free_place(local->pool);
        if (local->code == 0 && place >= 0 && local->next < bench->jobs.count)
            start(local, (unsigned)place);
        else if (job_pool_running(local->pool) == 0)
            return;
        else if (job_pool_wait(local->pool, &end))
            conclude(local, &end);
    }
}

int bench_run(struct bench *bench)
{
    struct local local = {
        .bench = bench,
        .pool = job_pool_create(bench->places, signals_wake_fd()),
        .running = memory_zalloc(bench->places * sizeof *local.running),
    };
    job_pool_on_look(local.pool, look, &local);
    signals_attend();
    run_local(&local);
    signals_attend_end();
    job_pool_destroy(local.pool);
    memory_free(local.running);
    return local.code;
}
