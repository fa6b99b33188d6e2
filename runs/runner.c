#include "runs/runner.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "base/signals.h"
#include "engines/registry/registry.h"
#include "portfolio/disturbance.h"
#include "portfolio/machine.h"
#include "runs/race_log.h"

static void replace(char **field, const char *text)
{
    memory_free(*field);
    *field = memory_strdup(text != NULL ? text : "");
}

static void describe(struct run_record *record, const struct task *task, const struct plan *plan,
                     const struct run_settings *settings)
{
    run_record_init(record);
    char digest[33], host[256] = "";
    plan_digest(plan, settings, digest);
    gethostname(host, sizeof host - 1);
    replace(&record->task, task->path);
    replace(&record->task_digest, task->digest);
    replace(&record->property, task->property);
    replace(&record->plan, plan->name);
    replace(&record->plan_digest, digest);
    replace(&record->expected, expected_name(task->expected));
    replace(&record->host, host);
    struct machine machine;
    machine_describe(&machine);
    replace(&record->machine_system, machine.system);
    replace(&record->machine_cpu, machine.cpu);
    record->machine_memory_bytes = machine.memory_bytes;
    record->load_seconds = task->load_seconds;
    replace(&record->version, REGATTA_VERSION);
    record->time_limit_seconds = settings->time_limit_seconds;
    record->cpu_limit_seconds = settings->cpu_limit_seconds;
    record->cores = settings->cores;
    record->seed = settings->seed;
    record->started_epoch_ms = clock_epoch_ms();
    record->repetition = settings->repetition;
    record->job = settings->job;
    record->memory_limit_bytes = settings->memory_limit_bytes;
    replace(&record->cpus, settings->cpus);
    memory_free(record->family);
    record->family = task_family(task->path);
}

static void describe_model(struct run_record *record, const struct plan_facts *facts)
{
    for (int fact = 0; fact < FACT_COUNT; fact++)
        run_record_add_feature(record, plan_fact_name((enum plan_fact)fact),
                               (double)facts->values[fact]);
}

// The largest resident set of this process, or of one that ran an attempt for it.
static uint64_t peak_bytes(void)
{
    struct rusage own, children;
    if (getrusage(RUSAGE_SELF, &own) != 0 || getrusage(RUSAGE_CHILDREN, &children) != 0)
        return 0;
    long kib = own.ru_maxrss > children.ru_maxrss ? own.ru_maxrss : children.ru_maxrss;
    return (uint64_t)kib * 1024;
}

static void keep_result(struct run *run)
{
    struct run_record *record = &run->record;
    struct race_result *result = &run->result;
    ENSURE(result->winner < (int)result->record_count);
    ENSURE(result->verdict == VERDICT_UNKNOWN || result->winner >= 0); // somebody found it
    // A model that ends at bounds has no proof of its input.
    ENSURE(result->verdict != VERDICT_SAFE || run->bounded == NULL);
    for (size_t i = 0; i < run->wider_count; i++)
        ENSURE(run->wider[i]->model->judge != NULL); // who tells which runs are the input's
    record->verdict = result->verdict;
    record->reason = result->reason;
    record->peak_bytes = peak_bytes();
    record->contradiction = result->contradiction;
    record->wall_seconds = result->wall_seconds;
    record->cpu_seconds = result->cpu_seconds;
    record->stop_latency_seconds = result->stop_latency_seconds;
    record->trace_length = result->trace != NULL ? (int64_t)trace_length(result->trace) : -1;
    record->attempts = result->records;
    record->attempt_count = result->record_count;
    result->records = NULL;
    result->record_count = 0;
    run->trace = result->trace;
    run->winner = result->winner;
    if (run->winner >= 0 && record->verdict != VERDICT_UNKNOWN)
        record->checked = record->attempts[run->winner].checked;
    run->signal = atomic_load_explicit(signals_flag(), memory_order_acquire);
    if (run->signal != 0 && record->verdict == VERDICT_UNKNOWN && !record->contradiction)
        replace(&record->status, RUN_STATUS_INTERRUPTED);
}

// The worker's loader (worker.c) reads it.
static void describe_task(struct text *out, const struct task *task)
{
    text_add_char(out, task->property_at == PROPERTY_AT_STABLE ? 's' : 'a');
    text_add_bytes(out, task->model_path, strlen(task->model_path) + 1);
    if (task->property != NULL)
        text_add(out, task->property);
}

// `facts`: of the task's model.
static void race_model(struct run *run, const struct task *task, const struct plan_facts *facts,
                       const struct plan *plan, const struct run_settings *settings,
                       double time_limit, struct live *live)
{
    static const char *const arguments[] = {"regatta", "worker", NULL};
    struct text bytes;
    text_init(&bytes);
    describe_task(&bytes, task);
    const struct race_worker worker = {arguments, text_string(&bytes), bytes.length};
    struct race_options options = {
        .plan = plan,
        .facts = facts,
        .cores = settings->cores,
        .sequential = settings->sequential,
        .time_limit_seconds = time_limit,
        .cpu_limit_seconds = settings->cpu_limit_seconds,
        .memory_limit_bytes = settings->memory_limit_bytes,
        .seed = settings->seed,
        .topology = settings->topology,
        .interrupted = signals_flag(),
        .wake_fd = signals_wake_fd(),
        .certify = settings->certify,
        .require_checked = settings->require_checked,
        .check_seconds = settings->check_seconds,
        .keep_certificate = settings->keep_certificate,
        .cooperate = settings_cooperate(settings, plan),
        .isolation = settings->isolation,
        .worker = &worker,
        .leave = !settings->stay,
        .settle_seconds = settings->settle_seconds,
    };
    if (live != NULL)
        live_attach(live, &options);
    if (settings->race_log != NULL)
        race_log_attach(settings->race_log, &options, task->model, live);
    struct disturbance_watch watch;
    disturbance_begin(&watch, settings->cpus != NULL ? settings->topology : NULL);
    signals_attend();
    run->result = race_run(task->model, &options);
    signals_attend_end();
    run->record.disturbance = disturbance_end(&watch);
    if (!run->result.left)
        text_finish(&bytes);
}

static char *bound_of(const struct race_result *result)
{
    for (size_t i = 0; i < result->record_count; i++)
        if (result->records[i].reason == END_BEYOND && *result->records[i].why)
            return memory_strdup(result->records[i].why);
    return NULL;
}

// What is left of the limit behind races of so many seconds; reading, and a first start, have taken theirs.
static double left_after(const struct run_settings *settings, double seconds)
{
    double left = settings->time_limit_seconds - seconds;
    return settings->deadline_ns != 0 ? fmin(left, run_settings_time_left(settings)) : left;
}

const struct task *run_decided(const struct run *run, const struct task *task)
{
    return run->bounded != NULL   ? run->bounded
           : run->wider_count > 0 ? run->wider[run->wider_count - 1]
                                  : task;
}

static bool may_go_on(const struct run *run)
{
    return run->result.verdict == VERDICT_UNKNOWN && !run->result.contradiction &&
           atomic_load_explicit(signals_flag(), memory_order_acquire) == 0;
}

// The same input with another property, which lives as long as the run. False: it cannot be read.
static bool load_again(struct task **out, const struct task *task, const char *property,
                       const struct run_settings *settings)
{
    struct messages messages;
    messages_init(&messages);
    struct task *again = memory_zalloc(sizeof *again);
    again->model_path = memory_strdup(task->model_path);
    again->property = memory_strdup(property);
    again->property_at = task->property_at;
    memcpy(again->model_digest, task->model_digest, sizeof again->model_digest);
    *out = again;
    const struct budget budget = run_settings_budget(settings);
    bool read;
    task_load_within(again, &budget, &messages, &read); // once: what it may lose can be borne
    messages_finish(&messages);
    return read;
}

// Races another model of the same input next. Attempts of the race before that were left behind have its model, which stays.
static void race_next(struct run *run, const struct task *task, const struct plan *plan,
                      const struct run_settings *settings, double left, struct live *live)
{
    const double spent = run->result.wall_seconds;
    const bool running = run->result.left;
    if (run->bound == NULL)
        run->bound = bound_of(&run->result);
    if (!running)
        race_result_finish(&run->result);
    const struct plan_facts facts = race_facts(task->model);
    race_model(run, task, &facts, plan, settings, settings->time_limit_seconds > 0 ? left : 0,
               live);
    run->result.wall_seconds += spent;
    run->result.left |= running;
}

// The model after this one, if there is one: false otherwise.
static bool race_next_wider(struct run *run, const struct task *task, const struct plan *plan,
                            const struct run_settings *settings, double share, struct live *live)
{
    const struct model_judge *judge = run_decided(run, task)->model->judge;
    const double left = left_after(settings, run->result.wall_seconds) * share;
    if (judge == NULL || judge->wider == NULL || run->wider_count == RUN_MOST_WIDER ||
        !may_go_on(run) || (settings->time_limit_seconds > 0 && left <= 0))
        return false;
    struct task *next;
    if (!load_again(&next, task, judge->wider, settings)) {
        task_finish(next);
        memory_free(next);
        return false;
    }
    run->wider[run->wider_count++] = next;
    const bool last = next->model->judge == NULL || next->model->judge->wider == NULL;
    race_next(run, next, plan, settings, last ? left : left * 0.7, live);
    return true;
}

// Where runs left what the model knows a model that has more runs than the input may have a proof, or the same runs with loops; and
// where that one does not, perhaps another.
static void race_wider(struct run *run, const struct task *task, const struct plan *plan,
                       const struct run_settings *settings, struct live *live)
{
    const struct model_judge *judge = task->model->judge;
    const double share = judge != NULL && judge->retry != NULL ? 0.7 : 1;
    while (race_next_wider(run, task, plan, settings, share, live))
        continue;
}

// Where runs left what the model knows there may still be errors inside: the model that ends there is asked for these. Its
// model lives as long as the run, for its trace's sake.
static void race_within_bounds(struct run *run, const struct task *task, const struct plan *plan,
                               const struct run_settings *settings, struct live *live)
{
    const struct model_judge *judge = task->model->judge;
    double left = left_after(settings, run->result.wall_seconds);
    bool asked = judge != NULL && judge->retry != NULL && may_go_on(run);
    if (!asked || (settings->time_limit_seconds > 0 && left <= 0))
        return;
    if (load_again(&run->bounded, task, judge->retry, settings)) {
        race_next(run, run->bounded, plan, settings, left, live);
        if (run->result.verdict == VERDICT_SAFE) {
            run->result.verdict = VERDICT_UNKNOWN;
            run->result.reason = END_UNKNOWN;
            run->result.winner = -1;
        }
    }
}

// Does the proof speak of the input itself, and not only of the model that was made of it?
static bool proved_of_input(const struct race_result *result)
{
    assert(result->winner >= 0 && (size_t)result->winner < result->record_count);
    struct configuration winner;
    struct messages messages;
    messages_init(&messages);
    configuration_init(&winner, "winner");
    configuration_parse(&winner, result->records[result->winner].configuration_text, &messages);
    const struct engine *engine = engine_find(configuration_engine(&winner));
    bool of_input = engine != NULL && engine->view != NULL;
    configuration_finish(&winner);
    messages_finish(&messages);
    return of_input;
}

// A proof about the model is one about its input only if the model's premise holds: that is asked in the time that is left.
static void race_for_premise(struct run *run, const struct task *task, const struct plan *plan,
                             const struct run_settings *settings, struct live *live)
{
    const struct model_judge *judge = task->model->judge;
    double left = left_after(settings, run->result.wall_seconds);
    if (judge == NULL || judge->premise == NULL || run->result.verdict != VERDICT_SAFE ||
        run->result.contradiction || run->result.winner < 0 || proved_of_input(&run->result))
        return;
    bool holds = false;
    // Losers that were left behind have the model of the first race; this one has its own.
    if (settings->time_limit_seconds <= 0 || left > 0) {
        struct run second = {.winner = -1};
        struct task premise = {.model_path = memory_strdup(task->model_path),
                               .property = memory_strdup(judge->premise),
                               .property_at = task->property_at};
        struct messages messages;
        struct run_settings alone = *settings;
        alone.stay = true;
        messages_init(&messages);
        if (task_load(&premise, &messages)) {
            const struct plan_facts facts = race_facts(premise.model);
            race_model(&second, &premise, &facts, plan, &alone,
                       settings->time_limit_seconds > 0 ? left : 0, live);
            holds = second.result.verdict == VERDICT_SAFE && !second.result.contradiction;
            run->result.wall_seconds += second.result.wall_seconds;
            run->result.left |= second.result.left;
            if (!second.result.left)
                race_result_finish(&second.result);
        }
        if (!second.result.left)
            task_finish(&premise);
        messages_finish(&messages);
    }
    if (holds)
        return;
    run->result.verdict = VERDICT_UNKNOWN;
    run->result.reason = END_BOUNDED;
    run->result.winner = -1;
}

// A proof that nothing leaves the bounds is tried first; errors within them, or another model, are asked for in the time that is left.
static double first_share(const struct task *task, const struct run_settings *settings)
{
    const struct model_judge *judge = task->model->judge;
    if (judge != NULL && judge->retry != NULL)
        return run_settings_time_left(settings) * 0.5;
    return run_settings_time_left(settings) * (judge != NULL && judge->wider != NULL ? 0.4 : 1);
}

void run_task(struct run *run, const struct task *task, const struct plan *plan,
              const struct run_settings *settings, struct live *live)
{
    *run = (struct run){.winner = -1};
    describe(&run->record, task, plan, settings);
    const struct plan_facts facts = race_facts(task->model);
    describe_model(&run->record, &facts);
    race_model(run, task, &facts, plan, settings, first_share(task, settings), live);
    race_wider(run, task, plan, settings, live);
    race_within_bounds(run, task, plan, settings, live);
    race_for_premise(run, task, plan, settings, live);
    keep_result(run);
}

void run_failed(struct run *run, const struct task *task, const struct plan *plan,
                const struct run_settings *settings, const struct messages *messages)
{
    *run = (struct run){.winner = -1};
    describe(&run->record, task, plan, settings);
    struct text status;
    text_init(&status);
    for (size_t i = 0; i < messages->count && status.length == 0; i++) {
        const struct message *message = &messages->items[i];
        if (message->kind != MESSAGE_ERROR && message->kind != MESSAGE_UNSUPPORTED)
            continue;
        if (message->path != NULL)
            text_printf(&status, "%s:%u:%u: ", message->path, message->line, message->column);
        if (message->kind == MESSAGE_UNSUPPORTED)
            run->record.reason = END_UNSUPPORTED;
        text_printf(&status, "%s%s", message->kind == MESSAGE_UNSUPPORTED ? "not supported: " : "",
                    message->text);
    }
    replace(&run->record.status, status.length != 0 ? text_string(&status) : "cannot be read");
    text_finish(&status);
}

void run_lost(struct run *run, const struct task *task, const struct plan *plan,
              const struct run_settings *settings, enum end_reason reason, double wall_seconds)
{
    *run = (struct run){.winner = -1};
    describe(&run->record, task, plan, settings);
    run->record.reason = reason;
    run->record.wall_seconds = wall_seconds;
}

void run_unread(struct run *run, const struct task *task, const struct plan *plan,
                const struct run_settings *settings, enum budget_end end, double wall_seconds)
{
    static const enum end_reason reasons[] = {[BUDGET_STOPPED] = END_INTERRUPTED,
                                              [BUDGET_TIME] = END_TIMEOUT,
                                              [BUDGET_MEMORY] = END_MEMORY};
    run_lost(run, task, plan, settings, reasons[end], wall_seconds);
    run->record.load_seconds = wall_seconds;
    if (end != BUDGET_STOPPED)
        return;
    replace(&run->record.status, RUN_STATUS_INTERRUPTED);
    run->signal = atomic_load_explicit(signals_flag(), memory_order_acquire);
}

void run_finish(struct run *run)
{
    race_result_finish(&run->result);
    run_record_finish(&run->record);
    if (run->bounded != NULL)
        task_finish(run->bounded);
    for (size_t i = 0; i < run->wider_count; i++) {
        task_finish(run->wider[i]);
        memory_free(run->wider[i]);
    }
    memory_free(run->bounded);
    memory_free(run->bound);
}

static void add_reason(struct text *out, const struct run_record *record)
{
    if (record->contradiction) {
        text_add(out, "attempts contradict each other");
    } else if (strcmp(record->status, RUN_STATUS_INTERRUPTED) == 0) {
        text_add(out, "interrupted after ");
        text_add_duration(out, record->wall_seconds);
    } else if (record->reason == END_UNSUPPORTED && record->attempt_count == 0) {
        text_add(out, "not supported"); // by the front end: no configuration came to see the model
    } else {
        if (record->wall_seconds > 0) {
            text_add(out, "after ");
            text_add_duration(out, record->wall_seconds);
            text_add(out, ": ");
        }
        text_add(out, record->reason != END_NONE && record->reason != END_SOLVED
                          ? end_reason_meaning(record->reason)
                          : "no answer");
    }
}

static const struct record *winner_of(const struct run_record *record)
{
    for (size_t i = 0; i < record->attempt_count; i++)
        if (record->attempts[i].winner)
            return &record->attempts[i];
    return NULL;
}

void run_summary(struct text *out, const struct run_record *record)
{
    const struct record *winner = winner_of(record);
    text_add(out, verdict_name(record->verdict));
    if (record->verdict == VERDICT_SAFE && !record->contradiction)
        text_add(out, record->checked == CHECK_PASSED ? ", checked" : ", not checked");
    text_add(out, " (");
    if (record->verdict == VERDICT_UNKNOWN || record->contradiction || winner == NULL) {
        add_reason(out, record);
    } else {
        text_printf(out, "%s in ", winner->configuration);
        text_add_duration(out, winner->start_seconds + winner->wall_seconds);
        if (record->checked == CHECK_PREPARED)
            text_add(out, ", its proof only as that of the prepared model");
    }
    if (record->verdict == VERDICT_UNSAFE && record->trace_length >= 0)
        text_printf(out, ", trace of %lld step%s", (long long)record->trace_length,
                    record->trace_length == 1 ? "" : "s");
    text_add_char(out, ')');
}

void run_print_attempts(struct text *out, const struct run_record *run)
{
    for (size_t i = 0; i < run->attempt_count; i++) {
        const struct record *record = &run->attempts[i];
        text_printf(out,
                    "%s: %s, %s after %.3f s (cpu %.3f s on %s), %llu iterations, %llu nodes made, "
                    "precision %llu, %llu solver checks in %.3f s\n",
                    record->configuration, verdict_name(record->verdict),
                    end_reason_name(record->reason), record->wall_seconds, record->cpu_seconds,
                    record->cpus_got[0] != '\0' ? record->cpus_got : "any cpu",
                    (unsigned long long)record->iterations,
                    (unsigned long long)record->nodes_created,
                    (unsigned long long)record->precision,
                    (unsigned long long)record->solver_checks, record->solver_seconds);
    }
}
