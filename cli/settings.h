#ifndef REGATTA_CLI_SETTINGS_H
#define REGATTA_CLI_SETTINGS_H

#include <popt.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/command.h"
#include "configs/plan.h"
#include "engines/frontends/frontend.h"
#include "portfolio/topology.h"

struct race_log;

// What verify and bench have in common: how a task is run.

// As written on the command line; filled by popt. What is new here also goes to the jobs of a bench:
// job_arguments_make (bench_job.c).
struct run_options {
    char *time, *cpu_time, *settle, *memory, *property_at, *isolation, *placement, *cooperation;
    int cores, sequential, certify;
    long long seed;
};

#define DEFAULT_TIME "300s"
#define RUN_OPTIONS_STANDARD                                                                       \
    {                                                                                              \
        .certify = 1                                                                               \
    }

// The rows of an option table for `o`, a struct run_options with static storage.
#define RUN_OPTIONS(o)                                                                              \
    {"cores", 'c', POPT_ARG_INT, &(o).cores, 0, "cores to use (all physical ones)", "N"},           \
        {"sequential",                                                                              \
         0,                                                                                         \
         POPT_ARG_NONE,                                                                             \
         &(o).sequential,                                                                           \
         0,                                                                                         \
         "one lane after another on one core: the same result every time",                          \
         NULL},                                                                                     \
        {"time",    't', POPT_ARG_STRING,                                                           \
         &(o).time, 0,   "wall time for a task: 500ms, 60s, 5m; 0 = no limit (" DEFAULT_TIME ")",   \
         "TIME"},                                                                                   \
        {"cpu-time",                                                                                \
         0,                                                                                         \
         POPT_ARG_STRING,                                                                           \
         &(o).cpu_time,                                                                             \
         0,                                                                                         \
         "CPU time for a task, of all attempts together; 0 = no limit (0)",                         \
         "TIME"},                                                                                   \
        {"settle",                                                                                  \
         0,                                                                                         \
         POPT_ARG_STRING,                                                                           \
         &(o).settle,                                                                               \
         0,                                                                                         \
         "how long to wait for the other attempts to end once there is a verdict (0)",              \
         "TIME"},                                                                                   \
        {"memory",                                                                                  \
         'm',                                                                                       \
         POPT_ARG_STRING,                                                                           \
         &(o).memory,                                                                               \
         0,                                                                                         \
         "memory of all attempts together: 512MB, 2GB (half of what there is)",                     \
         "SIZE"},                                                                                   \
        {"certify",    0, POPT_ARG_VAL,                                                             \
         &(o).certify, 1, "check the proof of a safe verdict before it counts (the standard)",      \
         NULL},                                                                                     \
        {"no-certify", 0, POPT_ARG_VAL, &(o).certify, 0, "do not check proofs (traces always are)", \
         NULL},                                                                                     \
        {"isolation",                                                                               \
         0,                                                                                         \
         POPT_ARG_STRING,                                                                           \
         &(o).isolation,                                                                            \
         0,                                                                                         \
         "attempts as threads, or as processes that may crash (auto: as the plan says)",            \
         "auto|thread|process"},                                                                    \
        {"placement",                                                                               \
         0,                                                                                         \
         POPT_ARG_STRING,                                                                           \
         &(o).placement,                                                                            \
         0,                                                                                         \
         "where attempts run; LIST: hardware threads in order (auto)",                              \
         "auto|spread|compact|none|LIST"},                                                          \
        {"cooperation",                                                                             \
         0,                                                                                         \
         POPT_ARG_STRING,                                                                           \
         &(o).cooperation,                                                                          \
         0,                                                                                         \
         "attempts give one another what they track (auto: as the plan says)",                      \
         "auto|on|off"},                                                                            \
        {"seed", 0, POPT_ARG_LONGLONG, &(o).seed, 0, "seed of the run (0)", "N"},                   \
    {                                                                                               \
        "property-at", 0, POPT_ARG_STRING, &(o).property_at, 0,                                     \
            "XSTS: check the property in all states, or in stable ones only (all)", "all|stable"    \
    }

struct run_settings {
    unsigned cores;
    bool sequential;
    bool certify;
    bool keep_certificate; // for --certificate
    enum isolation isolation;
    int cooperation; // 1 on, 0 off, -1 as the plan says
    struct race_log *race_log; // --log and --events; NULL = none
    double time_limit_seconds; // 0 = none
    double cpu_limit_seconds;  // 0 = none
    double settle_seconds;     // race_options.settle_seconds
    uint64_t memory_limit_bytes;
    uint64_t seed;
    enum property_at property_at;
    struct topology *topology;
    // Of a bench, for the record alone.
    unsigned repetition, job;
    const char *cpus; // what the topology was narrowed to; NULL = it was not
};

// False after a message on standard error (usage_error). Notes go to standard error unless `quiet`.
bool run_settings_read(const struct command *command, const struct run_options *options, bool quiet,
                       struct run_settings *out);
void run_settings_finish(struct run_settings *settings);

bool settings_cooperate(const struct run_settings *settings, const struct plan *plan);

// Over the variant that is used with so many cores (its lanes, steps and budgets and their
// configurations' fingerprints) and what else decides how it runs.
void plan_digest(const struct plan *plan, const struct run_settings *settings, char out[33]);

#endif
