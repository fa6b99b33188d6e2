#ifndef REGATTA_PORTFOLIO_PROCESS_H
#define REGATTA_PORTFOLIO_PROCESS_H

#include "portfolio/attempt.h"
#include "portfolio/wire.h"
#include "portfolio/worker.h"

// Private to portfolio: an attempt in a process of its own, and what both ends agree on.

// To the worker: one WORKER_JOB, then perhaps WORKER_STOP. From it: WORKER_SHARE any number of times, each
// answered by WORKER_NEWS when there are any, then one WORKER_OUTCOME.
enum worker_frame { WORKER_JOB = 1, WORKER_STOP, WORKER_OUTCOME, WORKER_SHARE, WORKER_NEWS };

struct worker_job {
    char *task;
    size_t task_bytes;
    char *name, *options; // of the configuration
    char *precision_in;
    uint64_t number, seed, step_limit, memory_limit, parent;
    uint64_t deadline_ns; // on the monotonic clock, which all processes share; INT64_MAX = none
    uint64_t variables, edges, statements; // of the model it should make
    uint64_t check_ns, end_ns; // of a check at most, 0 = the standard; of the run, like deadline_ns
    bool certify, require_checked, keep_certificates, cooperate, leaves_precision;
};
void worker_job_put(struct text *out, const struct attempt *attempt);
// Finish it in any case; a worker, which ends with its job, need not.
bool worker_job_get(struct wire_reader *in, struct worker_job *job);
void worker_job_finish(struct worker_job *job);

void worker_outcome_put(struct text *out, const struct attempt_outcome *outcome);

// Gives back what the process shared; when there is no process any more.
void process_release(struct attempt *attempt);
// Before the attempt's thread starts: memory to share. False when the system refuses.
bool process_prepare(struct attempt *attempt);

#endif
