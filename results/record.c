#include "results/record.h"

#include "base/memory.h"

void record_init(struct record *record)
{
    *record = (struct record){
        .configuration = memory_strdup(""),
        .configuration_text = memory_strdup(""),
        .fingerprint = memory_strdup(""),
        .cpus_asked = memory_strdup(""),
        .cpus_got = memory_strdup(""),
        .verdict = VERDICT_UNKNOWN,
        .reason = END_NONE,
        .why = memory_strdup(""),
    };
}

void record_finish(struct record *record)
{
    memory_free(record->configuration);
    memory_free(record->configuration_text);
    memory_free(record->fingerprint);
    memory_free(record->cpus_asked);
    memory_free(record->cpus_got);
    memory_free(record->why);
    *record = (struct record){0};
}

void run_record_init(struct run_record *run)
{
    *run = (struct run_record){
        .task = memory_strdup(""),
        .task_digest = memory_strdup(""),
        .property = memory_strdup(""),
        .plan = memory_strdup(""),
        .plan_digest = memory_strdup(""),
        .expected = memory_strdup(""),
        .verdict = VERDICT_UNKNOWN,
        .status = memory_strdup(RUN_STATUS_OK),
        .trace_length = -1,
        .host = memory_strdup(""),
        .version = memory_strdup(""),
    };
}

void run_record_finish(struct run_record *run)
{
    memory_free(run->task);
    memory_free(run->task_digest);
    memory_free(run->property);
    memory_free(run->plan);
    memory_free(run->plan_digest);
    memory_free(run->expected);
    memory_free(run->status);
    memory_free(run->host);
    memory_free(run->version);
    for (size_t i = 0; i < run->attempt_count; i++)
        record_finish(&run->attempts[i]);
    memory_free(run->attempts);
    *run = (struct run_record){0};
}
