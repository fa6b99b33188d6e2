#include "experiments/bench_known.h"

#include <string.h>

#include "base/say.h"
#include "base/memory.h"

struct run_key bench_key(const struct bench *bench, const struct bench_job *job)
{
    return (struct run_key){
        .task = bench->tasks[job->task].path,
        .task_digest = bench->tasks[job->task].digest,
        .plan_digest = bench->plans.data[job->plan].digest,
        .time_limit_seconds = bench->settings.time_limit_seconds,
        .cores = bench->settings.cores,
        .seed = bench->settings.seed + job->repetition,
    };
}

static void replace(char **field, char *owned)
{
    memory_free(*field);
    *field = owned;
}

static bool complain(const struct bench *bench, const struct text *why)
{
    say(stderr, "regatta bench: %s: %s\n", bench->db, text_string(why));
    return false;
}

// The definition was edited: what is kept of the task is judged by what it says now.
static bool take_expectation(struct bench *bench, const struct bench_job *job,
                             struct run_record *record)
{
    const struct task *task = &bench->tasks[job->task];
    const char *expected = expected_name(task->expected);
    if (strcmp(record->expected, expected) == 0)
        return true;
    struct text why;
    text_init(&why);
    bool good = store_expect(bench->store, task->path, task->digest, expected, &why) ||
                complain(bench, &why);
    text_finish(&why);
    if (!good)
        return false;
    replace(&record->expected, memory_strdup(expected));
    if (!bench->quiet)
        say(stderr, "regatta bench: note: %s: the expected verdict is now %s\n", task->path,
            *expected != '\0' ? expected : "open");
    bench->wrong += run_record_is_wrong(record);
    bench_show_known(record);
    return true;
}

// Who asks the same gets the same answer, in a record of its own.
static bool share(struct bench *bench, const struct bench_job *job, struct run_record *record)
{
    const struct task *task = &bench->tasks[job->task];
    replace(&record->task, memory_strdup(task->path));
    replace(&record->family, task_family(task->path));
    replace(&record->expected, memory_strdup(expected_name(task->expected)));
    struct text why;
    text_init(&why);
    bool good = store_add_once(bench->store, record, &why) != STORE_FAILED || complain(bench, &why);
    text_finish(&why);
    if (!good)
        return false;
    bench->shared++;
    bench->wrong += run_record_is_wrong(record);
    bench_show_known(record);
    return true;
}

bool bench_recall(struct bench *bench, const struct bench_job *job, bool *failed)
{
    struct run_key key = bench_key(bench, job);
    struct run_record record;
    if (store_find(bench->store, &key, &record)) {
        *failed = !take_expectation(bench, job, &record);
    } else {
        key.task = NULL;
        if (!store_find(bench->store, &key, &record))
            return false;
        *failed = !share(bench, job, &record);
    }
    run_record_finish(&record);
    return true;
}
