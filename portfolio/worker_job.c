#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "portfolio/process.h"

// What a worker is told and what it answers, as bytes.

static void put_string(struct text *out, const char *string)
{
    wire_put_bytes(out, string, strlen(string));
}

void worker_job_put(struct text *out, const struct attempt *a)
{
    assert(a->shared->worker != NULL && a->carrier == &carrier_process);
    const struct race_shared *shared = a->shared;
    wire_put(out, WORKER_JOB);
    wire_put_bytes(out, shared->worker->task, shared->worker->task_bytes);
    struct text options;
    text_init(&options);
    configuration_print(&options, a->configuration, true);
    put_string(out, a->configuration->name);
    put_string(out, text_string(&options));
    text_finish(&options);
    wire_put(out, a->number);
    wire_put(out, a->seed);
    wire_put(out, a->step_limit);
    wire_put(out, a->memory_limit);
    wire_put(out, (uint64_t)a->deadline_ns);
    wire_put(out, (uint64_t)getpid());
    wire_put(out, shared->model->variable_count);
    wire_put(out, shared->model->edge_count);
    wire_put(out, shared->model->statement_count);
    wire_put(out, shared->certify);
    wire_put(out, shared->require_checked);
    wire_put(out, (uint64_t)(shared->check_seconds * 1e9));
    wire_put(out, (uint64_t)shared->end_ns);
    wire_put(out, shared->keep_certificates);
    wire_put(out, shared->exchange != NULL);
    put_string(out, a->precision_in != NULL ? a->precision_in : "");
    wire_put(out, a->leaves_precision);
}

bool worker_job_get(struct wire_reader *in, struct worker_job *job)
{
    *job = (struct worker_job){0};
    if (wire_get(in) != WORKER_JOB)
        return false;
    const char *task = wire_get_bytes(in, &job->task_bytes);
    job->task = memory_alloc(job->task_bytes + 1);
    if (job->task_bytes)
        memcpy(job->task, task, job->task_bytes);
    job->task[job->task_bytes] = '\0';
    job->name = wire_get_string(in);
    job->options = wire_get_string(in);
    uint64_t *const numbers[] = {&job->number,       &job->seed,        &job->step_limit,
                                 &job->memory_limit, &job->deadline_ns, &job->parent,
                                 &job->variables,    &job->edges,       &job->statements};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = wire_get(in);
    job->certify = wire_get(in) != 0;
    job->require_checked = wire_get(in) != 0;
    job->check_ns = wire_get(in);
    job->end_ns = wire_get(in);
    job->keep_certificates = wire_get(in) != 0;
    job->cooperate = wire_get(in) != 0;
    job->precision_in = wire_get_string(in);
    job->leaves_precision = wire_get(in) != 0;
    return !in->failed;
}

void worker_job_finish(struct worker_job *job)
{
    memory_free(job->task);
    memory_free(job->name);
    memory_free(job->options);
    memory_free(job->precision_in);
    *job = (struct worker_job){0};
}

void worker_outcome_put(struct text *out, const struct attempt_outcome *outcome)
{
    assert(outcome->trace == NULL || outcome->verdict == VERDICT_UNSAFE);
    wire_put(out, WORKER_OUTCOME);
    wire_put(out, (uint64_t)outcome->verdict);
    wire_put(out, (uint64_t)outcome->reason);
    wire_put(out, (uint64_t)outcome->checked);
    wire_put(out, (uint64_t)outcome->check_ns);
    put_string(out, outcome->checker != NULL ? outcome->checker : "");
    put_string(out, text_string(&outcome->why));
    put_string(out, text_string(&outcome->certificate));
    put_string(out, text_string(&outcome->precision));
    wire_put_bytes(out, &outcome->solver, sizeof outcome->solver);
    wire_put(out, outcome->trace != NULL);
    if (outcome->trace != NULL)
        wire_put_trace(out, outcome->trace);
}
