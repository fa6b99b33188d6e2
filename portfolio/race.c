#include "portfolio/race.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"
#include "portfolio/attempt.h"
#include "portfolio/run_limits.h"
#include "portfolio/race_record.h"
#include "portfolio/schedule.h"

#define SECOND_NS INT64_C(1000000000)
// An interrupt may come too early and be lost, so it is repeated; faster than this does harm in Z3.
#define INTERRUPT_AGAIN_NS (SECOND_NS / 10)
#define WAKE_AGAIN_NS (SECOND_NS / 100)
// What part of the time after which a thread is given up a process has before it is killed.
#define KILL_PART 4

struct race {
    const struct race_options *options;
    const struct plan_variant *variant;
    struct race_shared *shared;
    struct schedule *schedule;
    VECTOR(struct attempt *) attempts; // in order of start
    VECTOR(struct race_view) views;    // scratch
    struct slot *slots;
    bool *slot_taken;
    unsigned slot_count;
    struct limits limits;
    struct limits_events pending; // to be fed to the schedule, from `fed` on
    size_t fed, told_lines;
    int64_t started_ns, next_sample_ns, stuck_ns, settle_ns;
    uint64_t task_seed;
    bool interrupt_told;
};

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

// Starting.

// Same numbers for the same task wherever it is and whoever else runs: from the run's seed, the task
// and the configuration.
static uint64_t task_seed(uint64_t seed, const struct model *model)
{
    struct hash128 h = hash128_add(hash128_seed(0x7a5c), model->location_count);
    h = hash128_add(h, model->edge_count);
    for (uint32_t i = 0; i < model->variable_count; i++)
        h = hash128_add_text(h, model->variables[i]->name);
    if (model->property)
        h = hash128_add_hash(h, model->property->hash);
    char digits[33];
    hash128_print(h, digits);
    return random_derive(seed, digits);
}

static uint64_t attempt_seed(const struct race *race, const struct configuration *configuration)
{
    char digits[33];
    hash128_print(configuration->fingerprint, digits);
    return random_derive(race->task_seed, digits);
}

static unsigned take_slot(struct race *race, unsigned wanted)
{
    unsigned slot = wanted;
    if (slot >= race->slot_count || race->slot_taken[slot])
        for (slot = 0; slot < race->slot_count && race->slot_taken[slot]; slot++)
            continue;
    assert(slot < race->slot_count && "the schedule starts no more than there are cores");
    race->slot_taken[slot] = true;
    return slot;
}

// As many as the step wants: the lane's own slot and those after it when they are free, else the first
// free ones.
static void take_slots(struct race *race, struct attempt *a, const struct plan_step *step)
{
    unsigned count = step->cores > 0 ? step->cores : 1;
    a->slot_count = count < race->slot_count ? count : race->slot_count;
    a->slot_indices = memory_alloc(a->slot_count * sizeof *a->slot_indices);
    for (unsigned i = 0; i < a->slot_count; i++)
        a->slot_indices[i] = take_slot(race, a->lane + i);
    a->slot = race->slots[a->slot_indices[0]];
    for (unsigned i = 1; i < a->slot_count; i++)
        slot_join(&a->slot, &race->slots[a->slot_indices[i]]);
}

static void observe(const struct race *race, enum race_event_kind kind,
                    const struct race_view *views, size_t count)
{
    if (race->options->observe)
        race->options->observe(race->options->context, kind, views, count);
}

static void observe_attempt(const struct race *race, enum race_event_kind kind,
                            struct attempt *attempt)
{
    struct race_view view = race_view_of(attempt, clock_wall_ns());
    observe(race, kind, &view, 1);
}

// The newest attempt of every lane that has begun.
static void observe_lanes(struct race *race, enum race_event_kind kind)
{
    int64_t now = clock_wall_ns();
    VECTOR_CLEAR(&race->views);
    for (unsigned lane = 0; lane < race->variant->lane_count; lane++)
        for (size_t i = race->attempts.count; i-- > 0;)
            if (race->attempts.data[i]->lane == lane) {
                VECTOR_PUSH(&race->views, race_view_of(race->attempts.data[i], now));
                break;
            }
    observe(race, kind, race->views.data, race->views.count);
}

static uint64_t memory_of(const struct race *race, const struct plan_step *step)
{
    uint64_t run = race->options->memory_limit_bytes;
    if (step->memory_share > 0)
        return (uint64_t)(step->memory_share * (double)run);
    if (step->memory_bytes)
        return run && run < step->memory_bytes ? run : step->memory_bytes;
    return run / race->slot_count;
}

static bool in_process(const struct race *race, const struct plan_step *step)
{
    enum isolation isolation =
        step->isolation != ISOLATION_AUTO ? step->isolation : race->options->isolation;
    if (isolation == ISOLATION_AUTO)
        return (step->memory_bytes > 0 || step->memory_share > 0) && race->options->worker;
    return isolation == ISOLATION_PROCESS;
}

// May some step that follows want its precision?
static bool leaves_precision(const struct plan_step *step)
{
    for (int o = 0; o < OUTCOME_COUNT; o++)
        if (step->on[o].keeps_precision)
            return true;
    return false;
}

// What the ended attempt left; NULL when it left nothing, or may still be at work.
static char *precision_of(const struct race *race, int attempt)
{
    if (attempt < 0 || race->attempts.data[attempt]->stuck)
        return NULL;
    const struct text *precision = &race->attempts.data[attempt]->outcome.precision;
    return precision->length ? memory_strdup(text_string(precision)) : NULL;
}

static void start_attempt(struct race *race, const struct schedule_action *action)
{
    const struct plan_step *step = &race->variant->lanes[action->lane].steps[action->step];
    struct attempt *a = attempt_create(race->shared, step->configuration);
    assert(action->attempt == race->attempts.count);
    a->number = action->attempt;
    a->lane = action->lane;
    a->step = action->step;
    take_slots(race, a, step);
    a->seed = attempt_seed(race, step->configuration);
    a->step_limit = action->step_limit;
    a->deadline_ns = action->deadline_ns;
    a->cpu_limit_ns = (int64_t)(step->cpu_seconds * 1e9);
    a->memory_limit = memory_of(race, step);
    a->precision_in = precision_of(race, action->precision_of);
    a->leaves_precision = leaves_precision(step);
    a->carrier = in_process(race, step) ? &carrier_process : &carrier_thread;
    VECTOR_PUSH(&race->attempts, a);
    attempt_start(a);
    observe_attempt(race, RACE_STARTED, a);
}

// Ending.

// Hands the attempt's end to the schedule: the event to feed.
static struct schedule_event report_end(struct race *race, struct attempt *a)
{
    a->reported = true;
    for (unsigned i = 0; i < a->slot_count; i++)
        race->slot_taken[a->slot_indices[i]] = false;
    a->ended_ns = a->stuck ? clock_wall_ns() : a->outcome.ended_ns;
    if (!a->stuck)
        race_add_figure(a);
    if (!a->stuck && limits_ended(a)) {
        attempt_join(a, true);
        limits_relieve(&race->limits, clock_wall_ns());
    }
    observe_attempt(race, RACE_ENDED, a);
    struct schedule_event event = {.kind = SCHEDULE_ENDED, .attempt = a->number};
    event.verdict = a->stuck ? VERDICT_UNKNOWN : a->outcome.verdict;
    event.reason = a->stuck ? (enum end_reason)atomic_load(&a->stop) : a->outcome.reason;
    return event;
}

// The one that answered first among those whose end was not told yet; NULL if none.
static struct attempt *find_answered(const struct race *race)
{
    struct attempt *first = NULL;
    for (size_t i = 0; i < race->attempts.count; i++) {
        struct attempt *a = race->attempts.data[i];
        if (!a->reported && atomic_load(&a->answered) &&
            (!first || a->outcome.ended_ns < first->outcome.ended_ns))
            first = a;
    }
    return first;
}

// Nobody waits for what those that still run would say.
static bool may_leave(const struct race *race)
{
    return race->options->leave && schedule_winner(race->schedule) >= 0;
}

// How long one that was asked to stop may take before it is given up.
static int64_t patience_ns(const struct race *race, const struct attempt *a)
{
    return may_leave(race) && !a->carrier->kill && race->settle_ns < race->stuck_ns
               ? race->settle_ns
               : race->stuck_ns;
}

// The same before it is killed.
static int64_t mercy_ns(const struct race *race)
{
    int64_t mercy = race->stuck_ns / KILL_PART;
    return may_leave(race) && race->settle_ns < mercy ? race->settle_ns : mercy;
}

static struct attempt *find_stuck(const struct race *race, int64_t now)
{
    for (size_t i = 0; i < race->attempts.count; i++) {
        struct attempt *a = race->attempts.data[i];
        if (!a->reported && a->asked_ns && now - a->asked_ns >= patience_ns(race, a))
            return a;
    }
    return NULL;
}

// Threads that have answered are tidying up or gone.
static void join_answered(struct race *race, bool wait)
{
    for (size_t i = 0; i < race->attempts.count; i++)
        attempt_join(race->attempts.data[i], wait);
}

// Waiting.

static bool user_wants_end(const struct race *race)
{
    return race->options->interrupted && atomic_load(race->options->interrupted) != 0;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Looks after attempts that were asked to stop; returns when they need it again.
static int64_t press_stopping(struct race *race, int64_t now)
{
    int64_t again = INT64_MAX;
    for (size_t i = 0; i < race->attempts.count; i++) {
        struct attempt *a = race->attempts.data[i];
        if (a->reported || !a->asked_ns)
            continue;
        if (now - a->asked_ns >= INTERRUPT_AGAIN_NS)
            a->carrier->press(a);
        if (a->carrier->kill && now - a->asked_ns >= mercy_ns(race))
            a->carrier->kill(a);
        else if (a->carrier->kill)
            again = earlier(again, a->asked_ns + mercy_ns(race));
        again = earlier(again, now + INTERRUPT_AGAIN_NS);
        again = earlier(again, a->asked_ns + patience_ns(race, a));
    }
    return again;
}

static int64_t sample(struct race *race, int64_t now)
{
    if (race->options->sample_seconds <= 0)
        return INT64_MAX;
    if (now >= race->next_sample_ns) {
        for (size_t i = 0; i < race->attempts.count; i++)
            race_sample_memory(race->attempts.data[i]);
        observe_lanes(race, RACE_SAMPLE);
        race->next_sample_ns = now + (int64_t)(race->options->sample_seconds * 1e9);
    }
    return race->next_sample_ns;
}

// Sleeps until an attempt answers, the user calls, or that time has come.
static void sleep_until(struct race *race, int64_t wake_ns)
{
    struct pollfd fds[2] = {{.fd = race->shared->event_fd, .events = POLLIN},
                            {.fd = -1, .events = POLLIN}};
    if (!race->interrupt_told)
        fds[1].fd = race->options->wake_fd;
    int64_t left = wake_ns - clock_wall_ns();
    if (left < 0)
        left = 0;
    if (race->shared->event_fd < 0 && left > WAKE_AGAIN_NS)
        left = WAKE_AGAIN_NS; // no descriptor was to be had: look again soon
    struct timespec timeout = {.tv_sec = left / SECOND_NS, .tv_nsec = left % SECOND_NS};
    int ready = ppoll(fds, 2, wake_ns == INT64_MAX ? NULL : &timeout, NULL);
    if (ready > 0 && fds[0].revents) {
        eventfd_t ignored;
        eventfd_read(race->shared->event_fd, &ignored);
    }
    // The command empties its pipe, not we: were the flag not up yet, poll would return at once.
    if (ready > 0 && fds[1].revents && !user_wants_end(race))
        poll(fds, 1, WAKE_AGAIN_NS / (SECOND_NS / 1000));
}

// One whose time is up and which is expected to finish; each is asked once.
static struct attempt *find_hopeful(const struct race *race, int64_t now)
{
    for (size_t i = 0; i < race->attempts.count; i++) {
        struct attempt *a = race->attempts.data[i];
        if (!a->reported && !a->asked_ns && !a->forecast_told && now >= a->deadline_ns &&
            atomic_load_explicit(&a->page->ends_ns, memory_order_relaxed) > now)
            return a;
    }
    return NULL;
}

static struct schedule_event report_forecast(struct attempt *a, int64_t now)
{
    a->forecast_told = true;
    return (struct schedule_event){
        .kind = SCHEDULE_FORECAST,
        .attempt = a->number,
        .needs_ns = atomic_load_explicit(&a->page->ends_ns, memory_order_relaxed) - now,
    };
}

// Tells of what attempts gave one another since the last time.
static void tell_exchanged(struct race *race)
{
    const struct race_options *o = race->options;
    unsigned attempt;
    struct text line;
    if (!o->exchanged || !race->shared->exchange)
        return;
    text_init(&line);
    while (exchange_line(race->shared->exchange, race->told_lines, &attempt, &line)) {
        race->told_lines++;
        o->exchanged(o->exchanged_context, attempt, text_string(&line));
    }
    text_finish(&line);
}

static struct schedule_event next_event(struct race *race)
{
    if (race->fed < race->pending.count)
        return race->pending.data[race->fed++];
    for (;;) {
        tell_exchanged(race);
        if (user_wants_end(race) && !race->interrupt_told) {
            race->interrupt_told = true;
            return (struct schedule_event){.kind = SCHEDULE_INTERRUPT};
        }
        struct attempt *a = find_answered(race);
        if (a)
            return report_end(race, a);
        join_answered(race, false);
        int64_t now = clock_wall_ns();
        a = find_stuck(race, now);
        if (a) {
            a->stuck = true;
            a->left = now - a->asked_ns < race->stuck_ns;
            return report_end(race, a);
        }
        int64_t deadline = schedule_next_deadline(race->schedule);
        if (now >= deadline) {
            a = find_hopeful(race, now);
            return a ? report_forecast(a, now) : (struct schedule_event){.kind = SCHEDULE_TICK};
        }
        VECTOR_CLEAR(&race->pending);
        race->fed = 0;
        int64_t look = limits_look(&race->limits, race->attempts.data, race->attempts.count, now,
                                   &race->pending);
        if (race->pending.count)
            return race->pending.data[race->fed++];
        int64_t wake = earlier(earlier(deadline, look), press_stopping(race, now));
        sleep_until(race, earlier(wake, sample(race, now)));
    }
}

// True when the race is over.
static bool perform(struct race *race, const struct schedule_action *actions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        switch (actions[i].kind) {
        case SCHEDULE_START:
            start_attempt(race, &actions[i]);
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
    facts.values[FACT_xsts] = model->formalism == FORMALISM_XSTS;
    facts.values[FACT_cfa] = model->formalism == FORMALISM_CFA;
    facts.values[FACT_sts] = model->formalism == FORMALISM_STS;
    facts.values[FACT_chc] = model->formalism == FORMALISM_CHC;
    return facts;
}

unsigned race_cores(const struct race_options *options)
{
    size_t lanes = plan_variant_for(options->plan, options->cores)->lane_count;
    unsigned cores = options->sequential ? 1 : options->cores;
    return cores > lanes ? (unsigned)lanes : cores;
}

int64_t race_time_limit_ns(const struct race_options *options)
{
    double seconds = options->time_limit_seconds;
    return seconds > 0 && seconds < 9e9 ? (int64_t)(seconds * 1e9) : INT64_MAX;
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
    race->task_seed = task_seed(options->seed, model);
    unsigned cores = race_cores(options);
    race->slot_count = cores;
    race->slots = memory_zalloc(cores * sizeof *race->slots);
    race->slot_taken = memory_zalloc(cores * sizeof *race->slot_taken);
    if (options->topology)
        topology_place(options->topology, cores, race->slots);
    race->shared = memory_zalloc(sizeof *race->shared);
    *race->shared = (struct race_shared){
        .model = model,
        .topology = options->topology,
        .models = model_cache_create(model),
        .engine_override = options->engine_override,
        .worker = options->worker,
        .certify = options->certify,
        .keep_certificates = options->keep_certificate,
        .exchange = options->cooperate ? exchange_create() : NULL,
        .event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
    };
    double cpu = options->cpu_limit_seconds;
    limits_init(&race->limits, cpu > 0 && cpu < 9e9 ? (int64_t)(cpu * 1e9) : 0,
                options->memory_limit_bytes, options->resident_bytes);
    struct plan_facts facts = race_facts(model);
    race->schedule = schedule_create(race->variant, cores, race_time_limit_ns(options),
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
        if (race->options->decided)
            tell_decision(race, now, &event, actions, count);
        if (perform(race, actions, count))
            return;
        event = next_event(race);
        now = clock_wall_ns();
    }
}

// Gives up for good those that still run. True when there is one.
static bool leave_running(struct race *race)
{
    bool left = false;
    for (size_t i = 0; i < race->attempts.count; i++) {
        struct attempt *a = race->attempts.data[i];
        if (!a->running_thread)
            continue;
        left = true;
        attempt_abandon(a);
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
    open_race(&race, model, options);
    run_schedule(&race);
    join_answered(&race, !may_leave(&race));
    bool left = leave_running(&race);
    tell_exchanged(&race);
    observe_lanes(&race, RACE_OVER);
    struct race_result result = {
        .verdict = schedule_verdict(race.schedule),
        .winner = schedule_winner(race.schedule),
        .contradiction = schedule_contradiction(race.schedule),
        .left = left,
    };
    race_fill_result(&result, race.attempts.data, race.attempts.count, race.started_ns);
    close_race(&race, left);
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
