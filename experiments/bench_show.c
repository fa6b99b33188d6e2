#include <assert.h>
#include <cjson/cJSON.h>
#include <string.h>

#include "base/clock.h"
#include "base/say.h"
#include "experiments/bench_run.h"
#include "experiments/bench_view.h"

// Each plan's jobs are taken to go on as they went; one that has not run yet as the others did.
double bench_seconds_left(const struct bench *bench)
{
    double all = 0, left = 0;
    if (bench->made == 0)
        return 0;
    assert(bench->done <= bench->jobs.count && bench->places > 0);
    for (size_t p = 0; p < bench->plans.count; p++)
        all += bench->plans.data[p].spent_seconds;
    // Known ones were passed over in order, so what is left is spread evenly over the plans; but of it, as many are
    // spared by a lower limit as up to now.
    double jobs = (double)(bench->jobs.count - bench->done) / (double)bench->plans.count;
    jobs *= (double)bench->made / (double)(bench->made + bench->spared);
    for (size_t p = 0; p < bench->plans.count; p++) {
        const struct bench_plan *plan = &bench->plans.data[p];
        left += jobs * (plan->made != 0 ? plan->spent_seconds / (double)plan->made
                                        : all / (double)bench->made);
    }
    return left / bench->places;
}

// Events: one JSON object a line.

static cJSON *event(const struct bench *bench, const char *name)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "event", name);
    cJSON_AddNumberToObject(object, "done", (double)bench->done);
    cJSON_AddNumberToObject(object, "total", (double)bench->jobs.count);
    cJSON_AddNumberToObject(object, "made", (double)bench->made);
    cJSON_AddNumberToObject(object, "unknown", (double)bench->unknown);
    cJSON_AddNumberToObject(object, "wrong", (double)bench->wrong);
    cJSON_AddNumberToObject(object, "seconds", clock_seconds(clock_wall_ns() - bench->begin_ns));
    if (bench->made != 0)
        cJSON_AddNumberToObject(object, "seconds_left", bench_seconds_left(bench));
    return object;
}

static void add_job(cJSON *object, const struct bench *bench, const struct bench_job *job)
{
    cJSON_AddStringToObject(object, "task", bench->tasks[job->task].path);
    cJSON_AddStringToObject(object, "plan", bench->plans.data[job->plan].plan->name);
    cJSON_AddNumberToObject(object, "repetition", job->repetition);
}

static void write_event(const struct bench *bench, cJSON *object)
{
    char *line = cJSON_PrintUnformatted(object);
    if (line != NULL) {
        say_json(bench->events, line);
        fflush(bench->events);
    }
    cJSON_free(line);
    cJSON_Delete(object);
}

void bench_show_begin(struct bench *bench)
{
    bench->begin_ns = clock_wall_ns();
    bench->view = bench_view_create(bench);
    if (bench->events == NULL)
        return;
    cJSON *object = event(bench, "begin");
    cJSON_AddNumberToObject(object, "tasks", (double)bench->task_count);
    cJSON_AddNumberToObject(object, "plans", (double)bench->plans.count);
    cJSON_AddNumberToObject(object, "repeat", bench->repeat);
    cJSON_AddNumberToObject(object, "jobs", bench->places);
    write_event(bench, object);
}

void bench_show_start(const struct bench *bench, const struct bench_job *job, unsigned place)
{
    bench_view_start(bench->view, job, place);
    if (bench->events == NULL)
        return;
    cJSON *object = event(bench, "started");
    add_job(object, bench, job);
    cJSON_AddNumberToObject(object, "job", place);
    cJSON_AddStringToObject(object, "cpus", bench->cpus != NULL ? bench->cpus[place] : "");
    write_event(bench, object);
}

static void write_end(const struct bench *bench, const struct bench_job *job,
                      const struct run_record *record)
{
    cJSON *object = event(bench, "ended");
    add_job(object, bench, job);
    cJSON_AddNumberToObject(object, "job", record->job);
    cJSON_AddStringToObject(object, "verdict", verdict_name(record->verdict));
    cJSON_AddStringToObject(object, "reason", end_reason_name(record->reason));
    cJSON_AddStringToObject(object, "status", record->status);
    cJSON_AddBoolToObject(object, "is_wrong", run_record_is_wrong(record));
    cJSON_AddNumberToObject(object, "wall_seconds", record->wall_seconds);
    write_event(bench, object);
}

static void print_wrong(const struct run_record *record)
{
    say(stderr, "WRONG: %s, %s: %s, expected %s%s\n", record->task, record->plan,
        verdict_name(record->verdict),
        record->expected[0] != '\0' ? record->expected : "no contradiction",
        record->contradiction ? " (attempts contradict each other)" : "");
}

void bench_show_end(const struct bench *bench, const struct bench_job *job,
                    const struct run_record *record)
{
    if (run_record_is_wrong(record))
        print_wrong(record);
    bench_view_end(bench->view, job, record);
    if (bench->events != NULL)
        write_end(bench, job, record);
}

void bench_show_known(const struct run_record *record)
{
    if (run_record_is_wrong(record))
        print_wrong(record);
}

static void print_sum(const struct bench *bench, int code)
{
    say(stderr, "%zu of %zu runs are in %s: %zu made now, of these %zu unknown, %zu wrong",
        bench->done, bench->jobs.count, bench->db, bench->made, bench->unknown, bench->wrong);
    if (bench->unread != 0)
        say(stderr, "; %zu could not be read", bench->unread);
    if (bench->shared != 0)
        say(stderr, "; %zu taken from tasks that ask the same", bench->shared);
    fputc('\n', stderr);
    if (code != 0 && bench->done < bench->jobs.count && !bench->cluster)
        say(stderr, "regatta bench: the same command goes on from here\n");
}

void bench_show_over(struct bench *bench, int code)
{
    bench_view_destroy(bench->view);
    bench->view = NULL;
    if (!bench->quiet)
        print_sum(bench, code);
    if (bench->events == NULL)
        return;
    write_event(bench, event(bench, "over"));
}
