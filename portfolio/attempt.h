#ifndef REGATTA_PORTFOLIO_ATTEMPT_H
#define REGATTA_PORTFOLIO_ATTEMPT_H

#include <pthread.h>
#include <sys/types.h>

#include "monitors/monitor.h"
#include "monitors/outlook.h"
#include "portfolio/cgroup.h"
#include "portfolio/exchange.h"
#include "portfolio/model_cache.h"
#include "portfolio/race.h"

// Private to portfolio: one configuration run once. Its carrier says where: on the attempt's thread
// itself, or in a process that this thread starts, looks after and hears (the program started again
// as a worker, which runs the attempt on a thread of its own).
//
// Who touches what: the coordinator (the thread in race_run) makes, starts and frees attempts; the
// attempt's thread works. What both touch is listed first in `struct attempt` and is atomic or under
// `lock`; the outcome belongs to the thread until `answered` is true and to the coordinator then.

struct attempt;

// By how much a check of a proof may overrun the run's time limit.
#define CHECK_OVERRUN_NS INT64_C(1000000000)

struct carrier {
    // On the attempt's thread: runs it and leaves the outcome.
    void (*work)(struct attempt *attempt);
    // On the coordinator's thread, after the stop flag was raised, and again while nothing happens.
    void (*press)(struct attempt *attempt);
    // On the coordinator's thread: ends it by force. NULL where that cannot be.
    void (*kill)(struct attempt *attempt);
};
extern const struct carrier carrier_thread, carrier_process;

// What an attempt tells while it runs; in memory that its process shares. Written by the engine's
// thread, relaxed.
struct attempt_page {
    struct progress progress;
    _Atomic uint64_t peak_bytes;
    _Atomic uint64_t rounds;     // events so far
    _Atomic int64_t monitor_ns;  // wall time of observing
    _Atomic int64_t programs_ns; // CPU time of the solver programs that worked for it
    _Atomic int64_t ends_ns;     // when it is expected to finish, wall clock; 0 = nobody knows
    // In a worker: attempt_busy_since as it was a moment ago, where somebody wants to know (stop_solver).
    _Atomic int64_t busy_since_ns;
    // Written by the coordinator: what its time was extended to; 0 = it was not.
    _Atomic int64_t extended_ns;
    // The engine has answered safe and its proof is before a checker, until then at most (wall clock); 0 = no.
    _Atomic int64_t check_until_ns;
    _Atomic int last_event; // enum engine_event_kind; means something when rounds > 0
};

// The process of an attempt, under the attempt's lock: the thread makes and reaps it, the
// coordinator sends to it.
struct worker_link {
    int fd;               // 0 = there is none
    pid_t pid;            // and its process group; 0 = none, or reaped
    bool asked;           // the request to stop was sent
    bool killed;          // by us
    int page_fd;          // of the page
    struct cgroup cgroup; // it runs in, where the system lets us make one
};

// What all attempts of a race share; outlives every thread.
struct race_shared {
    const struct model *model; // the source
    const struct topology *topology;
    struct model_cache *models;
    const struct engine *engine_override;
    const struct race_worker *worker; // NULL: no processes
    bool certify;
    bool require_checked;
    double check_seconds; // for a check at most; 0 = the standard
    int64_t end_ns;       // of the run, wall clock; INT64_MAX = none
    bool keep_certificates;
    struct exchange *exchange; // NULL: attempts work alone
    void (*tell_parent)(
        const char *text); // in a worker: gives it to the parent's exchange; else NULL
    int event_fd;          // written to wake the coordinator
};

struct attempt_outcome {
    enum verdict verdict; // checked
    enum end_reason reason;
    enum check checked;
    const char *checker; // a solver's name, static; NULL = none
    int64_t check_ns;
    struct text why;
    struct trace *trace;     // UNSAFE: on the source model, replayed
    struct text certificate; // SAFE, when asked for: the formulas for the source model, or empty
    struct text precision;   // UNKNOWN, when asked for: engines/model/precision_text.h
    struct smt_statistics solver;
    char cpus_got[64];
    int64_t cpu_ns, ended_ns;
};

struct attempt {
    struct attempt_page own_page;
    _Alignas(64) _Atomic int stop; // enum end_reason; first reason wins
    _Atomic bool answered;         // the outcome is there
    _Atomic bool unwaited;         // nobody waits for a check of its proof any more
    pthread_mutex_t lock;          // guards `solver` and `process`
    struct smt_context *solver;    // alive while it is not NULL
    struct worker_link process;
    _Atomic size_t given, taken; // lines of the exchange, for who looks; relaxed

    // Fixed before the thread starts.
    struct race_shared *shared;
    const struct carrier *carrier;
    struct attempt_page *page; // own_page, or shared with the process
    const struct configuration *configuration;
    unsigned number, lane, step;
    struct slot slot;
    unsigned *slot_indices, slot_count; // of the race's slots; owned
    uint64_t seed, step_limit, memory_limit;
    int64_t cpu_limit_ns;  // 0 = none
    int64_t deadline_ns;   // INT64_MAX = none
    char *precision_in;    // to begin with; owned, NULL = none
    bool leaves_precision; // for a step that may follow

    // The thread's until `answered`.
    struct attempt_outcome outcome;
    struct term_store *store;
    struct text heard;  // what hear answered last
    size_t heard_lines; // of the exchange: read up to there
    struct watch *watch;
    struct outlook *outlook;
    uint64_t base_bytes;    // what the thread held before the engine began
    const char *sat_solver; // that the proof is by, static; NULL = none
    bool checker_left;      // a checker did not react: what it uses must stay

    // The coordinator's.
    pthread_t thread;
    bool running_thread; // made and not joined
    bool reported;       // its end was told to the schedule
    bool stuck;          // did not react in time; its end was told, it may still come back
    int64_t
        hung_ns;    // it was asked to stop as a call of its solver took so long already; 0 = not so
    bool left;      // `stuck`, but only as there is a verdict already
    bool abandoned; // for good: everything it may touch must stay
    int64_t abandoned_cpu_ns;
    bool forecast_told;
    int64_t started_ns, asked_ns, ended_ns; // asked_ns: 0 = was not asked to stop
    uint64_t sampled_bytes;
    uint64_t held_bytes; // when the run's memory was used up; 0 = never was
};

struct attempt *attempt_create(struct race_shared *shared,
                               const struct configuration *configuration);
void attempt_destroy(struct attempt *attempt); // after the thread was joined
// Never fails: when there can be no thread the attempt has ended at once, and says so.
void attempt_start(struct attempt *attempt);
// CPU time of the solver programs that worked for it so far; from any thread.
int64_t attempt_programs_ns(const struct attempt *attempt);
// Sets the stop flag and lets the carrier press; the first reason wins.
void attempt_request_stop(struct attempt *attempt, enum end_reason reason);
// Sets verdict and reason, and adds `why` (may be NULL) to what is said already.
void attempt_conclude(struct attempt *attempt, enum verdict verdict, enum end_reason reason,
                      const char *why);
// Its model is a form of the source that knows more runs (recode.h): one of them, and a proof, count when the source agrees.
bool attempt_may_err(const struct attempt *attempt);
// The view asks what no trace shows (model_view.asks).
bool attempt_may_lack_trace(const struct attempt *attempt);
// The system refused `what`, with an errno.
void attempt_refused(struct attempt *attempt, const char *what, int error);
// The trace must be of the source model: replays it; taken over.
void attempt_check_unsafe(struct attempt *attempt, struct trace *trace);
// The result's invariant is of the prepared model `model` (NULL: the engine gave none).
void attempt_check_safe(struct attempt *attempt, const struct model *model,
                        const struct engine_result *result);
// The same for a proof about the procedures of the model's view.
void attempt_check_procedures(struct attempt *a, struct term_store *store,
                              const struct term *const *formulas);
// Lets others interrupt the solver context until it is called with NULL. `context`: the attempt.
void attempt_publish_solver(void *context, struct smt_context *solver);
// When the check began in which a solver is now (wall clock); 0 = none. From any thread.
int64_t attempt_busy_since(struct attempt *attempt);
// With the other attempts of the race; `context`: the attempt, on its thread. In a worker what is shared
// goes to the parent as well, which answers with what is new there.
void attempt_share(void *context, const char *text);
const char *attempt_hear(void *context);
// The same, with the race's exchange itself: how many lines were new; adds to `out` what others gave.
size_t attempt_give(struct attempt *attempt, const char *text);
void attempt_take(struct attempt *attempt, struct text *out);
// Joins the thread of an attempt that has answered: now if it is gone, or else when `wait`.
void attempt_join(struct attempt *attempt, bool wait);
// Gives the thread up: it is detached, its solver abandoned; the memory must stay.
void attempt_abandon(struct attempt *attempt);

#endif
