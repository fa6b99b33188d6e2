#ifndef REGATTA_RESULTS_RECORD_H
#define REGATTA_RESULTS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "results/verdict.h"

// What is kept of an attempt. Strings are owned by the record.

struct record {
    // who
    char *configuration;      // name
    char *configuration_text; // configuration_print, all options
    char *fingerprint;        // 32 hexadecimal digits
    unsigned attempt, lane, step;
    uint64_t seed;
    // where
    char *cpus_asked, *cpus_got; // hwloc list syntax; "" when not bound
    // how it ended
    enum verdict verdict;
    enum end_reason reason;
    char *why; // for people, "" if nothing to add
    bool winner;
    // what it cost
    double start_seconds; // since the race began
    double wall_seconds, cpu_seconds;
    double stop_latency_seconds; // from the request to stop to its end; 0 if it was not asked
    uint64_t peak_bytes;
    uint64_t iterations, refinements, nodes, nodes_created, precision, successors, steps;
    uint64_t solver_checks;
    double solver_seconds;
};

void record_init(struct record *record); // all zero, strings ""
void record_finish(struct record *record);

// run_record.status: one of these, or the first line of an input error.
#define RUN_STATUS_OK "ok"
#define RUN_STATUS_INTERRUPTED                                                                     \
    "interrupted" // the user ended it: not finished, run again on resuming

// One run of a plan or configuration on a task, with its attempts. Strings and attempts are owned by
// the record.
struct run_record {
    char *task;        // path of the task or model, as given
    char *task_digest; // 32 hexadecimal digits over model and property text
    char *property;
    char *plan; // name of the plan or configuration
    char *plan_digest;
    char *expected; // "safe", "unsafe" or ""
    enum verdict verdict;
    bool contradiction;
    char *status;        // RUN_STATUS_OK, RUN_STATUS_INTERRUPTED or an input error's first line
    double load_seconds; // reading and building the model
    double wall_seconds; // the race, after loading
    double cpu_seconds, stop_latency_seconds;
    double time_limit_seconds;
    unsigned cores;
    uint64_t seed;
    int64_t started_epoch_ms;
    int64_t trace_length; // -1 = none
    char *host, *version;
    struct record *attempts;
    size_t attempt_count;
};

void run_record_init(struct run_record *run);
void run_record_finish(struct run_record *run);

#endif
