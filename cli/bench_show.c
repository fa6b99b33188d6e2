#include <cjson/cJSON.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench_run.h"
#include "cli/runner.h"

bool bench_is_wrong(const struct run_record *record)
{
    return record->contradiction ||
           (record->expected[0] != '\0' && record->verdict != VERDICT_UNKNOWN &&
            strcmp(record->expected, verdict_name(record->verdict)) != 0);
}

// Each plan's jobs are taken to go on as they went; one that has not run yet as the others did.
double bench_seconds_left(const struct bench *bench)
{
    double all = 0, left = 0;
    if (bench->made == 0)
        return 0;
    for (size_t p = 0; p < bench->plans.count; p++)
        all += bench->plans.data[p].spent_seconds;
    // Known ones were passed over in order, so what is left is spread evenly over the plans.
    double jobs = (double)(bench->jobs.count - bench->done) / (double)bench->plans.count;
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
        fprintf(bench->events, "%s\n", line);
        fflush(bench->events);
    }
    cJSON_free(line);
    cJSON_Delete(object);
}

void bench_show_begin(const struct bench *bench)
{
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
    cJSON_AddBoolToObject(object, "wrong", bench_is_wrong(record));
    cJSON_AddNumberToObject(object, "wall_seconds", record->wall_seconds);
    cJSON_AddNumberToObject(object, "seconds_left", bench_seconds_left(bench));
    write_event(bench, object);
}

// On a terminal one line, rewritten; otherwise a line a run.

static void print_wrong(const struct run_record *record)
{
    fprintf(stderr, "%sWRONG: %s, %s: %s, expected %s%s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "",
            record->task, record->plan, verdict_name(record->verdict),
            record->expected[0] != '\0' ? record->expected : "no contradiction",
            record->contradiction ? " (attempts contradict each other)" : "");
}

static void print_end(const struct bench *bench, const struct run_record *record)
{
    struct text line;
    text_init(&line);
    bool ok = strcmp(record->status, RUN_STATUS_OK) == 0;
    text_printf(&line, "[%zu/%zu] %s, %s: ", bench->done, bench->jobs.count, record->task,
                record->plan);
    if (ok)
        run_summary(&line, record);
    else
        text_add(&line, record->status);
    if (bench->done < bench->jobs.count) {
        text_add(&line, "; about ");
        text_add_duration(&line, bench_seconds_left(bench));
        text_add(&line, " left");
    }
    bool solved = ok && record->verdict != VERDICT_UNKNOWN;
    bool terminal = isatty(STDERR_FILENO);
    // What went well makes room for the next line on a terminal; the rest stays.
    fprintf(stderr, "%s%s%s", terminal ? "\r\033[K" : "", text_string(&line),
            terminal && solved && bench->done < bench->jobs.count ? "" : "\n");
    text_finish(&line);
}

void bench_show_end(const struct bench *bench, const struct bench_job *job,
                    const struct run_record *record)
{
    if (bench_is_wrong(record))
        print_wrong(record);
    if (!bench->quiet)
        print_end(bench, record);
    if (bench->events != NULL)
        write_end(bench, job, record);
}

void bench_show_over(const struct bench *bench)
{
    // Running the same command again goes on from there.
    if (!bench->quiet)
        fprintf(
            stderr, "%zu of %zu runs are in %s: %zu made now, of these %zu unknown, %zu wrong\n",
            bench->done, bench->jobs.count, bench->db, bench->made, bench->unknown, bench->wrong);
    if (bench->events == NULL)
        return;
    cJSON *object = event(bench, "over");
    cJSON_AddNumberToObject(object, "made", (double)bench->made);
    cJSON_AddNumberToObject(object, "unknown", (double)bench->unknown);
    cJSON_AddNumberToObject(object, "wrong", (double)bench->wrong);
    write_event(bench, object);
}
