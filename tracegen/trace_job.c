#include "tracegen/trace_job.h"

#include <assert.h>

#include "base/clock.h"
#include "results/verdict.h"

#define EXPLORE_SHARE 0.5
#define GRACE_SECONDS 3
#define LEAST_SECONDS 0.001

bool trace_job_start(struct trace_job *job, double seconds, struct trace_files *files)
{
    *job = (struct trace_job){.seconds = seconds, .files = files, .start_ns = clock_wall_ns()};
    return deadline_start(&job->deadline, seconds);
}

void trace_job_end(struct trace_job *job)
{
    deadline_end(&job->deadline);
}

double trace_job_rest(const struct trace_job *job)
{
    if (job->seconds <= 0)
        return 0;
    double left = job->seconds - clock_seconds(clock_wall_ns() - job->start_ns);
    return left > LEAST_SECONDS ? left : LEAST_SECONDS;
}

static void renew(struct trace_job *job, double seconds)
{
    if (!deadline_renew(&job->deadline, seconds))
        atomic_store(&job->deadline.stop, END_INTERNAL);
}

static void explored(void *context)
{
    struct trace_job *job = context;
    bool signalled = atomic_load(&job->deadline.stop) == END_INTERRUPTED;
    renew(job, signalled ? GRACE_SECONDS : trace_job_rest(job));
}

static bool deliver(void *context, const struct suite *suite)
{
    struct trace_job *job = context;
    if (job->files != NULL && !trace_files_write_trace(job->files, suite, suite->traces.count - 1))
        job->failed = true;
    return !job->failed;
}

void trace_job_publish_solver(void *context, struct smt_context *solver)
{
    deadline_publish_solver(&((struct trace_job *)context)->deadline, solver);
}

struct suite *trace_job_run(struct trace_job *job, struct tracegen_request *request)
{
    request->stop = &job->deadline.stop;
    request->explored = explored;
    request->deliver = deliver;
    request->publish_solver = trace_job_publish_solver;
    request->context = job;
    renew(job, trace_job_rest(job) * EXPLORE_SHARE);
    return tracegen_run(request);
}

struct suite *trace_job_refine(struct trace_job *job, struct tracegen_request *request,
                               struct variable_list *variables, uint64_t rounds,
                               void (*tell)(const char *name))
{
    for (uint64_t round = 0;; round++) {
        request->variables = variables->data;
        request->variable_count = variables->count;
        struct suite *suite = trace_job_run(job, request);
        bool again = !suite->full_coverage && suite->hints.count > 0 && round < rounds &&
                     suite->explore_end == END_NONE && suite->trace_end == END_NONE &&
                     suite->internal_error == NULL && !job->failed;
        if (!again)
            return suite;
        assert(suite->hints.data[0] != NULL);
        VECTOR_PUSH(variables, suite->hints.data[0]);
        if (tell != NULL)
            tell(suite->hints.data[0]->name);
        if (job->files != NULL)
            trace_files_clear(job->files, suite->traces.count);
        suite_destroy(suite);
    }
}
