#ifndef REGATTA_PORTFOLIO_ATTEMPT_H
#define REGATTA_PORTFOLIO_ATTEMPT_H

#include <pthread.h>

#include "monitors/monitor.h"
#include "portfolio/model_cache.h"
#include "portfolio/race.h"

// Private to portfolio: one configuration run once on a thread of its own.
//
// Who touches what: the coordinator (the thread in race_run) makes, starts and frees attempts; the
// attempt's thread works. What both touch is listed first in `struct attempt` and is atomic or under
// `lock`; the outcome belongs to the thread until `answered` is true and to the coordinator then.

// What all attempts of a race share; outlives every thread.
struct race_shared {
    const struct model *model; // the source
    const struct topology *topology;
    struct model_cache *models;
    const struct engine *engine_override;
    bool certify;
    int event_fd; // written to wake the coordinator
};

struct attempt_outcome {
    enum verdict verdict; // checked
    enum end_reason reason;
    struct text why;
    struct trace *trace; // UNSAFE: on the source model, replayed
    struct smt_statistics solver;
    char cpus_got[64];
    int64_t cpu_ns, ended_ns;
};

struct attempt {
    struct progress progress;      // written by the thread
    _Alignas(64) _Atomic int stop; // enum end_reason; first reason wins
    _Atomic bool answered;         // the outcome is there
    _Atomic uint64_t peak_bytes;   // written by the thread
    pthread_mutex_t lock;          // guards `solver`
    struct smt_context *solver;    // alive while it is not NULL

    // Fixed before the thread starts.
    struct race_shared *shared;
    const struct configuration *configuration;
    unsigned number, lane, step;
    struct slot slot;
    unsigned slot_index;
    uint64_t seed, step_limit, memory_limit;

    // The thread's until `answered`.
    struct attempt_outcome outcome;
    struct term_store *store;
    struct watch *watch;
    uint64_t base_bytes; // what the thread held before the engine began

    // The coordinator's.
    pthread_t thread;
    bool running_thread; // made and not joined
    bool reported;       // its end was told to the schedule
    bool stuck;          // did not react in time; its end was told, it may still come back
    bool abandoned;      // for good: everything it may touch must stay
    int64_t abandoned_cpu_ns;
    int64_t started_ns, asked_ns, ended_ns; // asked_ns: 0 = was not asked to stop
    uint64_t sampled_bytes;
};

struct attempt *attempt_create(struct race_shared *shared,
                               const struct configuration *configuration);
void attempt_destroy(struct attempt *attempt); // after the thread was joined
// Never fails: when there can be no thread the attempt has ended at once, and says so.
void attempt_start(struct attempt *attempt);
// Sets the stop flag and wakes a solver; the first reason wins.
void attempt_request_stop(struct attempt *attempt, enum end_reason reason);
void attempt_interrupt_solver(struct attempt *attempt);
// Joins the thread of an attempt that has answered: now if it is gone, or else when `wait`.
void attempt_join(struct attempt *attempt, bool wait);
// Gives the thread up: it is detached, its solver abandoned; the memory must stay.
void attempt_abandon(struct attempt *attempt);

#endif
