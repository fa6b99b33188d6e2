#include "portfolio/race.h"

#include <assert.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "model/probe.h"
#include "portfolio/race_inside.h"
#include "portfolio/race_record.h"

// What attempts that were given up may still touch stays reachable for ever.
static struct abandoned {
    struct abandoned *next;
    struct race_shared *shared;
    struct attempt *attempt;
} * _Atomic abandoned_attempts;

static void keep_for_ever(struct race_shared *shared, struct attempt *attempt)
{
    struct abandoned *link = memory_alloc(sizeof *link);
    *link = (struct abandoned){atomic_load(&abandoned_attempts), shared, attempt};
    while (!atomic_compare_exchange_weak(&abandoned_attempts, &link->next, link))
        continue;
}

// Looking on.

static void observe(const struct race *race, enum race_event_kind kind,
                    const struct race_view *views, size_t count)
{
    if (race->options->observe != NULL)
        race->options->observe(race->options->context, kind, views, count);
}

void race_observe_attempt(const struct race *race, enum race_event_kind kind,
                          struct attempt *attempt)
{
    struct race_view view = race_view_of(attempt, clock_wall_ns());
    observe(race, kind, &view, 1);
}

// The newest attempt of every lane that has begun.
void race_observe_lanes(struct race *race, enum race_event_kind kind)
{
    int64_t now = clock_wall_ns();
    VECTOR_CLEAR(&race->views);
    for (unsigned lane = 0; lane < race->variant->lane_count; lane++)
        for (size_t i = race->attempts.count; i-- > 0;)
            if (race->attempts.data[i]->lane == lane) {
                VECTOR_PUSH(&race->views, race_view_of(race->attempts.data[i], now));
                break;
            }
    assert(race->views.count <= race->variant->lane_count);
    observe(race, kind, race->views.data, race->views.count);
}

// Deciding.

// True when the race is over.
static bool perform(struct race *race, const struct schedule_action *actions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert(actions[i].kind == SCHEDULE_START || actions[i].kind == SCHEDULE_FINISH ||
               actions[i].attempt < race->attempts.count);
        assert(actions[i].kind != SCHEDULE_FINISH || i + 1 == count);
        switch (actions[i].kind) {
        case SCHEDULE_START:
            race_start_attempt(race, &actions[i]);
            break;
        case SCHEDULE_EXTEND:
            atomic_store_explicit(&race->attempts.data[actions[i].attempt]->page->extended_ns,
                                  actions[i].deadline_ns, memory_order_relaxed);
            break;
        case SCHEDULE_STOP:
            attempt_request_stop(race->attempts.data[actions[i].attempt], actions[i].reason);
            break;
        case SCHEDULE_FINISH:
            return true;
        }
    }
    return false;
}

// The whole.

struct plan_facts race_facts(const struct model *model)
{
    struct plan_facts facts = {0};
#define X(name) facts.values[FACT_##name] = (int64_t)model->features.name;
    PLAN_FACTS(X)
#undef X
    struct model_probe probe;
    model_probe(model, &probe);
#define X(name) facts.values[FACT_##name] = (int64_t)probe.name;
    PLAN_PROBES(X)
#undef X
    const char *language = model->dialect->name;
    facts.values[FACT_xsts] = strcmp(language, "xsts") == 0;
    facts.values[FACT_cfa] = strcmp(language, "cfa") == 0;
    facts.values[FACT_sts] = strcmp(language, "sts") == 0;
    facts.values[FACT_chc] = strcmp(language, "chc") == 0;
    facts.values[FACT_language] = plan_fact_word(language);
    const struct model_view *view = model_root(model)->view;
    facts.values[FACT_view] = view != NULL ? plan_fact_word(view->kind) : 0;
    const char *asked = model_root(model)->property_kind;
    facts.values[FACT_property] = asked != NULL ? plan_fact_word(asked) : 0;
    return facts;
}

unsigned race_seats(const struct race_options *options)
{
    return options->sequential ? 1
                               : plan_variant_seats(plan_variant_for(options->plan, options->cores),
                                                    options->cores);
}

int64_t race_time_limit_ns(const struct race_options *options)
{
    double seconds = options->time_limit_seconds;
    return seconds > 0 && seconds < 9e9 ? (int64_t)(seconds * 1e9) : INT64_MAX;
}

static int64_t race_end_ns(const struct race *race, const struct race_options *options)
{
    int64_t limit = race_time_limit_ns(options);
    return limit == INT64_MAX ? INT64_MAX : race->started_ns + limit;
}

static void open_race(struct race *race, const struct model *model,
                      const struct race_options *options)
{
    *race = (struct race){.options = options};
    race->variant = plan_variant_for(options->plan, options->cores);
    race->started_ns = clock_wall_ns();
    race->next_sample_ns = race->started_ns;
    race->stuck_ns = (int64_t)((options->stuck_seconds > 0 ? options->stuck_seconds : 1.0) * 1e9);
    race->settle_ns = (int64_t)(options->settle_seconds * 1e9);
    race->task_seed = race_task_seed(options->seed, model);
    unsigned seats = race_seats(options);
    assert(seats > 0 && seats <= race->variant->lane_count);
    race->slot_count = seats;
    race->slots = memory_zalloc(seats * sizeof *race->slots);
    race->slot_taken = memory_zalloc(seats * sizeof *race->slot_taken);
    if (options->topology != NULL)
        topology_place_shared(options->topology, options->cores, seats, race->slots);
    race->shared = memory_zalloc(sizeof *race->shared);
    *race->shared = (struct race_shared){
        .model = model,
        .topology = options->topology,
        .models = model_cache_create(model),
        .engine_override = options->engine_override,
        .worker = options->worker,
        .certify = options->certify,
        .require_checked = options->require_checked,
        .check_seconds = options->check_seconds,
        .end_ns = race_end_ns(race, options),
        .keep_certificates = options->keep_certificate,
        .exchange = options->cooperate ? exchange_create() : NULL,
        .event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
    };
    double cpu = options->cpu_limit_seconds;
    limits_init(&race->limits, cpu > 0 && cpu < 9e9 ? (int64_t)(cpu * 1e9) : 0,
                options->memory_limit_bytes, options->resident_bytes);
    struct plan_facts facts = options->facts != NULL ? *options->facts : race_facts(model);
    race->schedule = schedule_create(race->variant, seats, race_time_limit_ns(options),
                                     options->sequential, &facts);
}

// In times since the beginning.
static void tell_decision(const struct race *race, int64_t now, const struct schedule_event *event,
                          const struct schedule_action *actions, size_t count)
{
    struct schedule_action *copy = memory_alloc((count + 1) * sizeof *copy);
    for (size_t i = 0; i < count; i++) {
        copy[i] = actions[i];
        if (copy[i].deadline_ns != INT64_MAX)
            copy[i].deadline_ns -= race->started_ns;
    }
    race->options->decided(race->options->decided_context, now - race->started_ns, event, copy,
                           count);
    memory_free(copy);
}

static void run_schedule(struct race *race)
{
    struct schedule_event event = {.kind = SCHEDULE_BEGIN};
    int64_t now = race->started_ns;
    const struct schedule_action *actions;
    for (;;) {
        size_t count = schedule_step(race->schedule, &event, now, &actions);
        if (race->options->decided != NULL)
            tell_decision(race, now, &event, actions, count);
        if (perform(race, actions, count))
            return;
        event = race_next_event(race);
        now = clock_wall_ns();
    }
}

// Gives up for good those that still run, or whose checker does. True when there is one.
static bool leave_running(struct race *race)
{
    bool left = false;
    for (size_t i = 0; i < race->attempts.count; i++) {
        struct attempt *a = race->attempts.data[i];
        assert(a->reported && "the schedule has heard of every end");
        if (a->running_thread) {
            left = true;
            attempt_abandon(a);
        } else if (a->checker_left) {
            left = a->abandoned = true;
        }
    }
    return left;
}

static void close_race(struct race *race, bool left)
{
    for (size_t i = 0; i < race->attempts.count; i++) {
        struct attempt *a = race->attempts.data[i];
        if (a->abandoned)
            keep_for_ever(race->shared, a);
        else
            attempt_destroy(a);
    }
    if (!left) {
        model_cache_destroy(race->shared->models);
        close(race->shared->event_fd);
        exchange_destroy(race->shared->exchange);
        memory_free(race->shared);
    }
    VECTOR_FINISH(&race->pending);
    VECTOR_FINISH(&race->attempts);
    VECTOR_FINISH(&race->views);
    schedule_destroy(race->schedule);
    memory_free(race->slots);
    memory_free(race->slot_taken);
}

struct race_result race_run(const struct model *model, const struct race_options *options)
{
    struct race race;
    int64_t begin_cpu_ns = clock_thread_cpu_ns();
    uint64_t slice_ns = race_take_slice(0);
    open_race(&race, model, options);
    run_schedule(&race);
    race_join_answered(&race, !race_may_leave(&race));
    bool left = leave_running(&race);
    race_tell_exchanged(&race);
    race_observe_lanes(&race, RACE_OVER);
    struct race_result result = {
        .verdict = schedule_verdict(race.schedule),
        .winner = schedule_winner(race.schedule),
        .contradiction = schedule_contradiction(race.schedule),
        .left = left,
    };
    race_fill_result(&result, race.attempts.data, race.attempts.count, race.started_ns);
    close_race(&race, left);
    if (slice_ns)
        race_take_slice(slice_ns);
    result.coordinator_cpu_seconds = clock_seconds(clock_thread_cpu_ns() - begin_cpu_ns);
    return result;
}

void race_result_finish(struct race_result *result)
{
    trace_destroy(result->trace);
    memory_free(result->certificate);
    for (size_t i = 0; i < result->record_count; i++)
        record_finish(&result->records[i]);
    memory_free(result->records);
    *result = (struct race_result){.winner = -1};
}
