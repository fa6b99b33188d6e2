#include "analysis/export.h"

#include <inttypes.h>

#include "analysis/score.h"
#include "results/csv.h"

static void add_field(struct text *out, const char *value)
{
    csv_add(out, value);
    text_add_char(out, ',');
}

void export_csv_runs_head(struct text *out)
{
    text_add(out,
             "task,task_digest,property,plan,plan_digest,expected,verdict,outcome,status,"
             "contradiction,load_s,wall_s,cpu_s,stop_latency_s,limit_s,cores,seed,started_epoch_ms,"
             "trace_length,attempts,host,version\n");
}

void export_csv_run(struct text *out, const struct run_record *run)
{
    add_field(out, run->task);
    add_field(out, run->task_digest);
    add_field(out, run->property);
    add_field(out, run->plan);
    add_field(out, run->plan_digest);
    add_field(out, run->expected);
    add_field(out, verdict_name(run->verdict));
    add_field(out, outcome_name(score_outcome(run)));
    add_field(out, run->status);
    text_printf(out, "%d,%.6f,%.6f,%.6f,%.6f,%g,%u,%" PRIu64 ",%" PRId64 ",", run->contradiction,
                run->load_seconds, run->wall_seconds, run->cpu_seconds, run->stop_latency_seconds,
                run->time_limit_seconds, run->cores, run->seed, run->started_epoch_ms);
    if (run->trace_length >= 0)
        text_printf(out, "%" PRId64, run->trace_length);
    text_printf(out, ",%zu,", run->attempt_count);
    add_field(out, run->host);
    text_printf(out, "%s\n", run->version);
}

void export_csv_attempts_head(struct text *out)
{
    text_add(out, "task,task_digest,plan,configuration,fingerprint,attempt,lane,step,seed,"
                  "cpus_asked,cpus_got,verdict,reason,why,winner,start_s,wall_s,cpu_s,"
                  "stop_latency_s,peak_bytes,iterations,refinements,nodes,nodes_created,precision,"
                  "successors,steps,solver_checks,solver_s\n");
}

void export_csv_attempts(struct text *out, const struct run_record *run)
{
    for (size_t i = 0; i < run->attempt_count; i++) {
        const struct record *record = &run->attempts[i];
        add_field(out, run->task);
        add_field(out, run->task_digest);
        add_field(out, run->plan);
        add_field(out, record->configuration);
        add_field(out, record->fingerprint);
        text_printf(out, "%u,%u,%u,%" PRIu64 ",", record->attempt, record->lane, record->step,
                    record->seed);
        add_field(out, record->cpus_asked);
        add_field(out, record->cpus_got);
        add_field(out, verdict_name(record->verdict));
        add_field(out, end_reason_name(record->reason));
        add_field(out, record->why);
        text_printf(out, "%d,%.6f,%.6f,%.6f,%.6f,", record->winner, record->start_seconds,
                    record->wall_seconds, record->cpu_seconds, record->stop_latency_seconds);
        text_printf(out,
                    "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                    ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f\n",
                    record->peak_bytes, record->iterations, record->refinements, record->nodes,
                    record->nodes_created, record->precision, record->successors, record->steps,
                    record->solver_checks, record->solver_seconds);
    }
}
