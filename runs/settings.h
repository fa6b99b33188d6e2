#ifndef REGATTA_RUNS_SETTINGS_H
#define REGATTA_RUNS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/text.h"
#include "configs/plan.h"
#include "languages/language.h"
#include "portfolio/topology.h"

struct race_log;

// What verify and bench have in common: how a task is run.

#define DEFAULT_TIME "300s"

// The options that say how a task is run, as written on the command line: one line each. Their parser, their help and
// what the jobs of a bench are given come from here; a new one needs a line here and, in run_settings_read, what it
// means. `o`: a struct run_options, for the macros that take its fields.
//   TEXT, INT, LONG (o, field, name, short name, help, value)    FLAG (o, field, name, help)
//   SWITCH (o, field, name of 0, help, name of 1, help): the last one given counts
#define RUN_OPTION_TABLE(o, TEXT, INT, LONG, FLAG, SWITCH)                                         \
    TEXT(o, cores, "cores", 'c', "cores to use (all physical ones)", "N")                          \
    FLAG(o, sequential, "sequential",                                                              \
         "one lane after another on one core: the same result every time")                         \
    TEXT(o, time, "time", 't',                                                                     \
         "wall time for a task: 500ms, 60s, 5m; 0 = no limit (" DEFAULT_TIME ")", "TIME")          \
    TEXT(o, cpu_time, "cpu-time", 0,                                                               \
         "CPU time for a task, of all attempts together; 0 = no limit (0)", "TIME")                \
    TEXT(o, settle, "settle", 0,                                                                   \
         "how long to wait for the other attempts to end once there is a verdict (0)", "TIME")     \
    TEXT(o, memory, "memory", 'm',                                                                 \
         "memory of all attempts together, with its unit: 512MB, 2GB (half of what there is)",     \
         "SIZE")                                                                                   \
    TEXT(o, input_size, "input-size", 0,                                                           \
         "largest file that is read as a model, property or task, with its unit: 50MB (1GiB)",     \
         "SIZE")                                                                                   \
    SWITCH(o, uncertified, "certify",                                                              \
           "check the proof of a safe verdict before it counts (the standard)", "no-certify",      \
           "do not check proofs (traces always are)")                                              \
    FLAG(o, require_checked, "require-checked",                                                    \
         "safe only when the proof was checked: otherwise the race goes on")                       \
    FLAG(o, accept_unchecked, "accept-unchecked",                                                  \
         "bench: safe also when no checker could decide on the proof")                             \
    TEXT(o, check_time, "check-time", 0,                                                           \
         "wall time to check a proof (as long as it took, but 10s at least)", "TIME")              \
    TEXT(o, isolation, "isolation", 0,                                                             \
         "attempts as threads, or as processes that may crash (auto: as the plan says)",           \
         "auto|thread|process")                                                                    \
    TEXT(o, placement, "placement", 0,                                                             \
         "where attempts run; LIST: hardware threads in order (auto)",                             \
         "auto|spread|compact|none|LIST")                                                          \
    TEXT(o, cooperation, "cooperation", 0,                                                         \
         "attempts give one another what they track (auto: as the plan says)", "auto|on|off")      \
    TEXT(o, seed, "seed", 0, "seed of the run, from 0 on (0)", "N")                                \
    TEXT(o, property_at, "property-at", 0,                                                         \
         "XSTS: check the property in all states, or in stable ones only (all)", "all|stable")

#define RUN_FIELD_TEXT(o, field, ...) char *field;
#define RUN_FIELD_INT(o, field, ...) int field;
#define RUN_FIELD_LONG(o, field, ...) long long field;
struct run_options {
    RUN_OPTION_TABLE(, RUN_FIELD_TEXT, RUN_FIELD_INT, RUN_FIELD_LONG, RUN_FIELD_INT, RUN_FIELD_INT)
};
#undef RUN_FIELD_TEXT
#undef RUN_FIELD_INT
#undef RUN_FIELD_LONG

// As words of a command line that says the same: "--time=60s". Those not given are left out. Appends; the caller frees
// each word.
struct word_list {
    char **data;
    size_t count, capacity; // a VECTOR
};
void run_options_print(const struct run_options *options, struct word_list *words);
void word_list_add(struct word_list *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct run_settings {
    unsigned cores;
    bool sequential;
    bool certify;
    bool require_checked;
    double check_seconds;  // race_options.check_seconds
    bool keep_certificate; // for --certificate
    enum isolation isolation;
    int cooperation;           // 1 on, 0 off, -1 as the plan says
    bool stay;                 // more runs follow in this process: losers are waited for
    struct race_log *race_log; // --log and --events; NULL = none
    double time_limit_seconds; // 0 = none
    // Of the question that a second start (retry.h) goes on with; 0 = the time limit.
    double first_seconds;
    double cpu_limit_seconds; // 0 = none
    double settle_seconds;    // race_options.settle_seconds
    // Of clock_wall_ns: when the time limit ends that reading the task counts against; 0 = each run begins anew.
    int64_t deadline_ns;
    uint64_t memory_limit_bytes;
    uint64_t seed;
    enum property_at property_at;
    struct topology *topology;
    // Of a bench, for the record alone.
    unsigned repetition, job;
    const char *cpus; // what the topology was narrowed to; NULL = it was not
};

// False with the reason in `why` (appended): a value that is none, or a machine that cannot be looked at. `note`: what
// is worth telling although it works; appended, may be NULL.
bool run_settings_read(const struct run_options *options, struct run_settings *out,
                       struct text *why, struct text *note);
void run_settings_finish(struct run_settings *settings);
// The value of an option that is a size, in bytes; NULL leaves `bytes` as it is. False with the reason in `why` (appended): none,
// or one without a unit, for bytes are nobody's unit and a number alone is an oversight.
bool run_settings_read_size(const char *option, const char *text, uint64_t *bytes,
                            struct text *why);

// From now on time counts: what `settings` leave for reading one task and running it.
void run_settings_start(struct run_settings *settings);
// Of the machine's memory, or of what its control group allows.
uint64_t run_settings_half_of_memory(void);
// What is left of it for reading, until a signal comes.
struct budget run_settings_budget(const struct run_settings *settings);
// Seconds that are left for a race; 0 = no limit.
double run_settings_time_left(const struct run_settings *settings);

bool settings_cooperate(const struct run_settings *settings, const struct plan *plan);

// Over the variant that is used with so many cores (its lanes, steps and budgets and their
// configurations' fingerprints) and what else decides how it runs.
void plan_digest(const struct plan *plan, const struct run_settings *settings, char out[33]);

#endif
