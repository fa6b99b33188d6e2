#ifndef REGATTA_PORTFOLIO_RACE_H
#define REGATTA_PORTFOLIO_RACE_H

#include "configs/plan.h"
#include "engines/engine.h"
#include "portfolio/schedule.h"
#include "portfolio/topology.h"
#include "results/record.h"

// Runs a plan on a model: attempts on threads pinned to their cores, a watcher that sleeps until the
// next deadline, the schedule deciding. Called from one thread, returns when every attempt has
// been joined (or, if a solver does not react, been declared stuck: race_result.stuck; or, when that
// was asked for, as soon as there is a verdict: race_options.leave). While one still runs
// (race_result.left) the model, the plan and the topology must stay as they are.
//
// "Unsafe" counts after its trace was mapped to the source model and replayed there; a trace that does
// not replay, or an invariant that is refused, ends the attempt with END_INTERNAL and no verdict.

// Attempts as processes: the program started again, which calls worker_run (worker.h).
struct race_worker {
    const char *const *arguments; // of the program started again, NULL-terminated
    const void *task;             // what its loader needs to make the same model; any bytes
    size_t task_bytes;
};

// What an attempt looks like to a live view. What it points to stays until RACE_OVER was told.
struct race_view {
    unsigned attempt, lane;
    const struct configuration *configuration;
    const struct slot *slot;
    const struct progress *progress;
    bool running;
    double wall_seconds, cpu_seconds;
    double left_seconds; // until its deadline; negative = it has none, or has ended
    uint64_t step_limit; // of the engine; 0 = none
    size_t given, taken; // lines that it gave the other attempts first, and got from them
    enum verdict verdict;
    enum end_reason reason;
    const char *why; // may be NULL
};

enum race_event_kind { RACE_STARTED, RACE_ENDED, RACE_SAMPLE, RACE_OVER };

struct race_options {
    const struct plan *plan;
    const struct plan_facts
        *facts;     // race_facts of the model, where somebody has them; NULL: the race finds them
    unsigned cores; // > 0
    bool sequential;
    double time_limit_seconds; // 0 = none
    double cpu_limit_seconds;  // CPU time of all attempts together, 0 = none
    uint64_t
        memory_limit_bytes; // of all attempts together, 0 = none. Shared out among the cores for
                            // their structures; and when the program holds more than that, its
                            // solvers included, the largest attempt is ended
    uint64_t seed;
    const struct topology *topology; // NULL: nothing is bound
    double sample_seconds;           // interval of RACE_SAMPLE, 0 = none
    // Called from the thread that called race_run. STARTED/ENDED carry one view, SAMPLE all lanes'.
    void (*observe)(void *context, enum race_event_kind kind, const struct race_view *views,
                    size_t count);
    void *context;
    // Told, on the same thread, of each event the schedule was fed and what it decided. May be NULL.
    void (*decided)(void *context, int64_t since_begin_ns, const struct schedule_event *event,
                    const struct schedule_action *actions, size_t count);
    void *decided_context;
    // Attempts give one another what they track (engine_environment.share).
    bool cooperate;
    // Told, on the same thread, of each line that an attempt gave first. May be NULL.
    void (*exchanged)(void *context, unsigned attempt, const char *line);
    void *exchanged_context;
    // Polled, and its write end of a self-pipe woken: nonzero = the user wants the end (the number of
    // the signal). May be NULL.
    const _Atomic int *interrupted;
    int wake_fd; // readable when `interrupted` was set; -1 = none
    // An invariant that comes with "safe" is checked, by the attempt that found it, before it counts.
    bool certify;
    // "Safe" whose proof was not checked is no verdict: the attempt ends with END_UNCHECKED, the race goes on.
    bool require_checked;
    // Wall time for one check, apart from the step's. 0: as long as the proof took, but 10 s at least. The run's
    // time limit is overrun for a check by 1 s at most.
    double check_seconds;
    // Keep the formulas of a safe verdict: race_result.certificate.
    bool keep_certificate;
    // Where attempts run whose step does not say. AUTO: on threads, but in a process when the step has
    // a memory limit.
    enum isolation isolation;
    const struct race_worker *worker; // NULL: steps that want a process end as unsupported
    // How long an attempt may take to react to the request to stop before it is given up. 0 = 1 s. A
    // process is killed after a quarter of it.
    double stuck_seconds;
    // For a program that ends with its verdict: attempts that have not ended `settle_seconds` (>= 0) after
    // it are not waited for: threads are left running (race_result.left), processes killed.
    bool leave;
    double settle_seconds;
    // Tests: what the program holds now. NULL: its resident memory.
    uint64_t (*resident_bytes)(void);
    // Tests: runs instead of the engine that the configuration names. NULL otherwise.
    const struct engine *engine_override;
};

struct race_result {
    enum verdict verdict;
    bool contradiction;
    int winner;          // index into records; -1 = none
    struct trace *trace; // unsafe: replayed, on the source model; owned by the result. With a
                         // contradiction: that of whoever answered unsafe
    char *certificate;   // safe, when asked for: as certificate_print_invariant writes it, or NULL
    struct record *records; // one per attempt, in order of start
    size_t record_count;
    double wall_seconds, cpu_seconds;
    double coordinator_cpu_seconds; // of the thread that called race_run, meanwhile
    double
        stop_latency_seconds; // from the winner's answer to the last attempt's end; 0 = no winner
    enum end_reason reason;   // END_SOLVED; when unknown: the most telling reason
    bool stuck;               // a thread did not react
    bool left;                // a thread may still run; the caller must flush and leave by _exit
    const char *why;          // static; when unknown: what that means
};

// With how many seats and what time the schedule of such a race is made (schedule_create).
unsigned race_seats(const struct race_options *options);
int64_t race_time_limit_ns(const struct race_options *options);
// What the guards of a plan see of a model.
struct plan_facts race_facts(const struct model *model);

struct race_result race_run(const struct model *model, const struct race_options *options);
void race_result_finish(struct race_result *result);

#endif
