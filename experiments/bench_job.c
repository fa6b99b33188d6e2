#include "experiments/bench_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdarg.h>

#include "base/memory.h"

static void add(struct job_arguments *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct job_arguments *arguments, const char *format, ...)
{
    va_list values;
    struct text word;
    text_init(&word);
    va_start(values, format);
    text_vprintf(&word, format, values);
    va_end(values);
    VECTOR_PUSH(&arguments->words, text_steal(&word));
}

static void add_option(struct job_arguments *arguments, const char *name, const char *value)
{
    if (value != NULL)
        add(arguments, "--%s=%s", name, value);
}

// What was asked for, with what the bench has made of it for all its jobs.
static void add_run_options(struct job_arguments *arguments, const struct bench *bench,
                            const struct bench_job *job)
{
    struct run_options options = *bench->options;
    char memory[32], cores[32], seed[32];
    snprintf(memory, sizeof memory, "%" PRIu64 "B", bench->settings.memory_limit_bytes);
    snprintf(cores, sizeof cores, "%u", bench->settings.cores);
    snprintf(seed, sizeof seed, "%" PRIu64, bench->settings.seed + job->repetition);
    options.memory = memory;
    options.cores = cores;
    options.seed = seed;
    run_options_print(&options, &arguments->words);
}

void job_arguments_make(struct job_arguments *arguments, const struct bench *bench,
                        const struct bench_job *job, unsigned place, const char *db, int parent)
{
    const struct bench_plan *plan = &bench->plans.data[job->plan];
    *arguments = (struct job_arguments){0};
    add(arguments, "regatta");
    add(arguments, "job");
    add_option(arguments, plan->configuration ? "config" : "plan", plan->argument);
    add_run_options(arguments, bench, job);
    add(arguments, "--repetition=%u", job->repetition);
    add(arguments, "--place=%u", place);
    if (bench->cluster)
        add(arguments, "--cluster");
    add_option(arguments, "cpus", bench->cpus != NULL ? bench->cpus[place] : NULL);
    if (parent != 0)
        add(arguments, "--parent=%d", parent);
    add_option(arguments, "db", db);
    add(arguments, "--");
    add(arguments, "%s", bench->tasks[job->task].path);
    VECTOR_PUSH(&arguments->words, NULL);
}

void job_arguments_finish(struct job_arguments *arguments)
{
    for (size_t i = 0; i < arguments->words.count; i++)
        memory_free(arguments->words.data[i]);
    VECTOR_FINISH(&arguments->words);
}
