#ifndef REGATTA_RESULTS_RECORD_H
#define REGATTA_RESULTS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "results/verdict.h"

// What an attempt looks up before it computes. X(constant, name of its columns, first schema that has them, meaning)
#define CACHES(X)                                                                                  \
    X(CACHE_VALUES, values, 3, "successors of explicit values that take a solver")                 \
    X(CACHE_PREDICATES, predicates, 3, "successors of predicates")                                 \
    X(CACHE_FACTS, facts, 3, "predicates after a step (Cartesian); hit: known without a check")    \
    X(CACHE_ENTAILMENTS, entailments, 3, "what the parts of a state say about each other")         \
    X(CACHE_COVERING, covering, 3, "nodes that may cover one, by class; hit: one does")            \
    X(CACHE_PATHS, paths, 3, "steps of a path that the solver has from the path before")           \
    X(CACHE_TERMS, terms, 3, "terms translated for a solver inside the program")                   \
    X(CACHE_ACTIONS, actions, 5, "actions specialised to values, for the solver")

enum cache {
#define X(constant, name, since, meaning) constant,
    CACHES(X)
#undef X
        CACHE_COUNT
};

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
    enum check checked;
    char *checker;        // who checked its proof: a solver; "" = nobody, or a replay
    double check_seconds; // wall time that the check took, within wall_seconds
    bool winner;
    // what it cost
    double start_seconds; // since the race began
    double wall_seconds, cpu_seconds;
    double stop_latency_seconds; // from the request to stop to its end; 0 if it was not asked
    uint64_t peak_bytes;
    uint64_t iterations, refinements, nodes, nodes_created, precision, successors, steps;
    uint64_t solver_checks;
    double solver_seconds;
    uint64_t cache_lookups[CACHE_COUNT], cache_hits[CACHE_COUNT];
    double monitor_seconds; // wall time of telling monitors and of what they did
    double spared_seconds;  // END_STALLED: wall time that its budget still held; else 0
};

void record_init(struct record *record); // all zero, strings ""
void record_finish(struct record *record);

// run_record.status: one of these, or the first line of an input error.
#define RUN_STATUS_OK "ok"
#define RUN_TOOL "regatta"
#define RUN_STATUS_INTERRUPTED                                                                     \
    "interrupted" // the user ended it: not finished, run again on resuming

// What the machine did to a run beside it, between its beginning and its end. A figure that the system
// does not tell is -1. CPU times come in the system's ticks (10 ms), so short runs tell little.
struct disturbance {
    double foreign_cpu_seconds; // CPU time of others on the run's hardware threads
    double stolen_seconds;      // time that a hypervisor gave to others instead
    int64_t swapped_pages;      // in and out, of the whole machine
    int64_t throttle_events;    // times its cores were slowed down for heat
};
#define DISTURBANCE_UNKNOWN ((struct disturbance){-1, -1, -1, -1})

// A fact of a task's model, for guards and for learning: the names are those of guards (docs/plans.md).
struct feature {
    char *name;
    double value;
};

// One run of a plan or configuration on a task, with its attempts. Strings, features and attempts are
// owned by the record.
struct run_record {
    char *task;        // path of the task or model, as given
    char *task_digest; // 32 hexadecimal digits over model and property text
    char *property;
    char *plan; // name of the plan or configuration
    char *plan_digest;
    char *expected; // "safe", "unsafe" or ""
    enum verdict verdict;
    enum check checked; // the winner's
    bool contradiction;
    char *status;        // RUN_STATUS_OK, RUN_STATUS_INTERRUPTED or an input error's first line
    double load_seconds; // reading and building the model
    double wall_seconds; // the race, after loading
    double cpu_seconds, stop_latency_seconds;
    double time_limit_seconds;
    double cpu_limit_seconds; // CPU time of all attempts together; 0 = none
    unsigned cores;
    uint64_t seed;
    int64_t started_epoch_ms;
    int64_t trace_length; // -1 = none
    char *host, *version;
    char *machine_system, *machine_cpu; // of the host: operating system, processor; "" = not known
    uint64_t machine_memory_bytes;      // 0 = not known
    char *family;                       // what kind of task: the name of its folder
    char *tool;                         // RUN_TOOL, or the tool whose results were imported
    enum end_reason reason;             // END_SOLVED, or why there is no verdict
    unsigned
        repetition; // counted from 0 among the runs of a bench that differ in nothing but the seed
    unsigned job;   // which of the jobs side by side it was, from 0
    char *cpus;     // the hardware threads it was given, "" = all
    uint64_t memory_limit_bytes; // 0 = none
    uint64_t peak_bytes;         // largest resident set of its process; 0 = not known
    struct disturbance disturbance;
    struct feature *features; // written to the store with the run; store_each leaves them out
    size_t feature_count;
    struct record *attempts;
    size_t attempt_count;
};

void run_record_init(struct run_record *run);
void run_record_finish(struct run_record *run);
// Another verdict than the one that the task expects, where it expects one.
bool run_record_is_unexpected(const struct run_record *run);
// That, or attempts contradicted one another: whether the verdict is wrong, for all who ask.
bool run_record_is_wrong(const struct run_record *run);
void run_record_add_feature(struct run_record *run, const char *name, double value);
// "a/xsts/on-off.yml" -> "xsts"; "" when the path names no folder. Caller frees by memory_free.
char *task_family(const char *path);
// "a/xsts/on-off.yml" -> "xsts/on-off": what a task is called in reports and known by in results of others.
char *task_name(const char *path);
// Do two paths name one task: the same file in the same folder, as far as the shorter of them tells? "on-off.yml",
// "./on-off.yml", "xsts/on-off.yml" and "/a/xsts/on-off.yml" do.
bool task_is_same(const char *path, const char *other);

#endif
