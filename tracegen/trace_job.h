#ifndef REGATTA_TRACEGEN_TRACE_JOB_H
#define REGATTA_TRACEGEN_TRACE_JOB_H

#include "certify/deadline.h"
#include "tracegen/trace_files.h"
#include "tracegen/trace_input.h"
#include "tracegen/tracegen.h"

// One generation of traces with its time limit and its files. The exploration may take half of the time;
// what was explored is still to be shown. After a signal the traces of what was explored are made, but not
// for long.

struct trace_job {
    double seconds; // 0 = no limit
    struct deadline deadline;
    int64_t start_ns;
    struct trace_files *files; // traces are written as they come; NULL: they are not
    bool failed;               // a file could not be written: files->failure
};

// False when there can be no thread.
bool trace_job_start(struct trace_job *job, double seconds, struct trace_files *files);
void trace_job_end(struct trace_job *job);
// Generates within what is left of the time. The request's callbacks, context and stop flag are set here.
struct suite *trace_job_run(struct trace_job *job, struct tracegen_request *request);
// The same in rounds, as long as states are left uncovered: each tracks one more of the variables that the last one asked for.
// `tell`: of each such variable; NULL: nobody.
struct suite *trace_job_refine(struct trace_job *job, struct tracegen_request *request,
                               struct variable_list *variables, uint64_t rounds,
                               void (*tell)(const char *name));
double trace_job_rest(const struct trace_job *job); // of the time, above 0; 0 = no limit
void trace_job_publish_solver(void *context, struct smt_context *solver); // the context is the job

#endif
