#include "runs/json.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/say.h"

static void add_text(cJSON *object, const char *name, const char *value)
{
    cJSON_AddStringToObject(object, name, value != NULL ? value : "");
}

// Whole numbers above 2^53 lose digits in many JSON readers: seeds go as text.
static void add_seed(cJSON *object, uint64_t seed)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, seed);
    cJSON_AddStringToObject(object, "seed", digits);
}

static cJSON *attempt_object(const struct record *record)
{
    cJSON *object = cJSON_CreateObject();
    add_text(object, "configuration", record->configuration);
    add_text(object, "options", record->configuration_text);
    add_text(object, "fingerprint", record->fingerprint);
    cJSON_AddNumberToObject(object, "lane", record->lane);
    cJSON_AddNumberToObject(object, "step", record->step);
    add_seed(object, record->seed);
    add_text(object, "cpus_asked", record->cpus_asked);
    add_text(object, "cpus_got", record->cpus_got);
    add_text(object, "verdict", verdict_name(record->verdict));
    add_text(object, "reason", end_reason_name(record->reason));
    add_text(object, "why", record->why);
    add_text(object, "checked", check_name(record->checked));
    add_text(object, "checker", record->checker);
    cJSON_AddBoolToObject(object, "winner", record->winner);
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"start_seconds", record->start_seconds},
        {"wall_seconds", record->wall_seconds},
        {"cpu_seconds", record->cpu_seconds},
        {"stop_latency_seconds", record->stop_latency_seconds},
        {"check_seconds", record->check_seconds},
        {"peak_bytes", (double)record->peak_bytes},
        {"iterations", (double)record->iterations},
        {"refinements", (double)record->refinements},
        {"nodes", (double)record->nodes},
        {"nodes_created", (double)record->nodes_created},
        {"precision", (double)record->precision},
        {"successors", (double)record->successors},
        {"steps", (double)record->steps},
        {"solver_checks", (double)record->solver_checks},
        {"solver_seconds", record->solver_seconds},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cJSON_AddNumberToObject(object, numbers[i].name, numbers[i].value);
#define X(constant, name, since, meaning)                                                          \
    cJSON_AddNumberToObject(object, #name "_lookups", (double)record->cache_lookups[constant]);    \
    cJSON_AddNumberToObject(object, #name "_hits", (double)record->cache_hits[constant]);
    CACHES(X)
#undef X
    return object;
}

static void add_trace(cJSON *object, const struct trace *trace)
{
    struct text text;
    text_init(&text);
    trace_print(&text, trace, TRACE_JSON);
    cJSON *parsed = cJSON_Parse(text_string(&text));
    cJSON_AddItemToObject(object, "trace", parsed != NULL ? parsed : cJSON_CreateNull());
    text_finish(&text);
}

static void add_run(cJSON *object, const struct run *run)
{
    const struct run_record *record = &run->record;
    add_text(object, "version", record->version);
    add_text(object, "task", record->task);
    add_text(object, "task_digest", record->task_digest);
    add_text(object, "property", record->property);
    add_text(object, "expected", record->expected);
    add_text(object, "plan", record->plan);
    add_text(object, "verdict", verdict_name(record->verdict));
    add_text(object, "checked", check_name(record->checked));
    add_text(object, "status", record->status);
    cJSON_AddBoolToObject(object, "contradiction", record->contradiction);
    if (run->winner >= 0)
        add_text(object, "winner", record->attempts[run->winner].configuration);
    else
        cJSON_AddNullToObject(object, "winner");
    add_text(object, "why", run->result.why);
    cJSON_AddNumberToObject(object, "cores", record->cores);
    add_seed(object, record->seed);
    cJSON_AddNumberToObject(object, "time_limit_seconds", record->time_limit_seconds);
    if (record->cpu_limit_seconds > 0)
        cJSON_AddNumberToObject(object, "cpu_limit_seconds", record->cpu_limit_seconds);
    cJSON_AddNumberToObject(object, "load_seconds", record->load_seconds);
    cJSON_AddNumberToObject(object, "wall_seconds", record->wall_seconds);
    cJSON_AddNumberToObject(object, "cpu_seconds", record->cpu_seconds);
    cJSON_AddNumberToObject(object, "stop_latency_seconds", record->stop_latency_seconds);
    cJSON_AddNumberToObject(object, "coordinator_cpu_seconds", run->result.coordinator_cpu_seconds);
    if (record->trace_length >= 0)
        cJSON_AddNumberToObject(object, "trace_length", (double)record->trace_length);
}

void json_run(struct text *out, const struct run *run)
{
    cJSON *object = cJSON_CreateObject();
    add_run(object, run);
    cJSON *attempts = cJSON_AddArrayToObject(object, "attempts");
    for (size_t i = 0; i < run->record.attempt_count; i++)
        cJSON_AddItemToArray(attempts, attempt_object(&run->record.attempts[i]));
    if (run->trace != NULL)
        add_trace(object, run->trace);
    char *printed = cJSON_Print(object);
    if (printed != NULL)
        text_add_json(out, printed);
    cJSON_free(printed);
    cJSON_Delete(object);
}
