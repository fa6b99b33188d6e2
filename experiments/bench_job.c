#include "experiments/bench_job.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"

static void add_option(struct job_arguments *arguments, const char *name, const char *value)
{
    if (value != NULL)
        word_list_add(&arguments->words, "--%s=%s", name, value);
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
    word_list_add(&arguments->words, "regatta");
    word_list_add(&arguments->words, "job");
    add_option(arguments, plan->configuration ? "config" : "plan", plan->argument);
    add_run_options(arguments, bench, job);
    word_list_add(&arguments->words, "--repetition=%u", job->repetition);
    word_list_add(&arguments->words, "--place=%u", place);
    if (bench->cluster)
        word_list_add(&arguments->words, "--cluster");
    add_option(arguments, "cpus", bench->cpus != NULL ? bench->cpus[place] : NULL);
    if (parent != 0)
        word_list_add(&arguments->words, "--parent=%d", parent);
    add_option(arguments, "db", db);
    word_list_add(&arguments->words, "--");
    word_list_add(&arguments->words, "%s", bench->tasks[job->task].path);
    VECTOR_PUSH(&arguments->words, NULL);
}

void job_arguments_finish(struct job_arguments *arguments)
{
    for (size_t i = 0; i < arguments->words.count; i++)
        memory_free(arguments->words.data[i]);
    VECTOR_FINISH(&arguments->words);
}
