#include "portfolio/race_record.h"

#include <assert.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "portfolio/run_limits.h"

#define STUCK_WHY "did not react to the request to stop"

static uint64_t get(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static double left_seconds(const struct attempt *a, int64_t now_ns)
{
    int64_t extended = atomic_load_explicit(&a->page->extended_ns, memory_order_relaxed);
    int64_t deadline = extended ? extended : a->deadline_ns;
    if (a->reported || deadline == INT64_MAX)
        return -1;
    return deadline > now_ns ? clock_seconds(deadline - now_ns) : 0;
}

struct race_view race_view_of(struct attempt *a, int64_t now_ns)
{
    struct race_view view = {
        .attempt = a->number,
        .lane = a->lane,
        .configuration = a->configuration,
        .slot = &a->slot,
        .progress = &a->page->progress,
        .running = !a->reported,
        .wall_seconds = clock_seconds((a->reported ? a->ended_ns : now_ns) - a->started_ns),
        .left_seconds = left_seconds(a, now_ns),
        .step_limit = a->step_limit,
        .given = atomic_load_explicit(&a->given, memory_order_relaxed),
        .taken = atomic_load_explicit(&a->taken, memory_order_relaxed),
    };
    if (!a->stuck)
        view.cpu_seconds = clock_seconds(a->reported ? a->outcome.cpu_ns : limits_cpu_ns(a));
    if (a->stuck) {
        view.reason = (enum end_reason)atomic_load(&a->stop);
        view.why = a->left ? NULL : STUCK_WHY;
    } else if (a->reported) {
        view.verdict = a->outcome.verdict;
        view.reason = a->outcome.reason;
        view.why = a->outcome.why.length ? text_string(&a->outcome.why) : NULL;
    }
    return view;
}

void race_sample_memory(struct attempt *a)
{
    uint64_t bytes = get(&a->page->progress.bytes);
    if (bytes > a->sampled_bytes)
        a->sampled_bytes = bytes;
}

void race_add_figure(struct attempt *a)
{
    struct text figure;
    text_init(&figure);
    if (a->outcome.reason == END_TIMEOUT && a->deadline_ns != INT64_MAX) {
        text_add(&figure, "its time was ");
        int64_t extended = atomic_load_explicit(&a->page->extended_ns, memory_order_relaxed);
        text_add_duration(&figure,
                          clock_seconds((extended ? extended : a->deadline_ns) - a->started_ns));
    } else if (a->outcome.reason == END_CPUTIME && a->cpu_limit_ns) {
        text_add(&figure, "it may use ");
        text_add_duration(&figure, clock_seconds(a->cpu_limit_ns));
        text_add(&figure, " of CPU time");
    } else if (a->outcome.reason == END_STALLED && a->hung_ns) {
        text_add(&figure, "a call of the solver did not come back for ");
        text_add_duration(&figure, clock_seconds(a->hung_ns));
    } else if (a->outcome.reason == END_MEMORY && limits_ended(a)) {
        text_add(&figure, "it held some ");
        text_add_size(&figure, a->held_bytes);
        text_add(&figure, ", the most of all, when the run's memory was used up");
    } else if (a->outcome.reason == END_MEMORY && a->memory_limit) {
        text_add(&figure, "it may hold ");
        text_add_size(&figure, a->memory_limit);
    } else if (a->outcome.reason == END_STEPS && a->step_limit) {
        text_printf(&figure, "it may take %llu steps", (unsigned long long)a->step_limit);
    }
    if (figure.length) {
        if (a->outcome.why.length)
            text_add(&a->outcome.why, "; ");
        text_add(&a->outcome.why, text_string(&figure));
    }
    text_finish(&figure);
}

static void set(char **string, const char *value)
{
    memory_free(*string);
    *string = memory_strdup(value);
}

static void fill_progress(struct record *r, const struct attempt *a)
{
    r->iterations = get(&a->page->progress.iterations);
    r->refinements = get(&a->page->progress.refinements);
    r->nodes = get(&a->page->progress.nodes);
    r->nodes_created = get(&a->page->progress.nodes_created);
    r->precision = get(&a->page->progress.precision);
    r->successors = get(&a->page->progress.successors);
    r->steps = get(&a->page->progress.steps);
    r->solver_checks = get(&a->page->progress.solver_checks);
    r->solver_seconds =
        clock_seconds(atomic_load_explicit(&a->page->progress.solver_ns, memory_order_relaxed));
    for (int c = 0; c < CACHE_COUNT; c++) {
        r->cache_lookups[c] = get(&a->page->progress.cache_lookups[c]);
        r->cache_hits[c] = get(&a->page->progress.cache_hits[c]);
    }
    r->monitor_seconds =
        clock_seconds(atomic_load_explicit(&a->page->monitor_ns, memory_order_relaxed));
    r->peak_bytes = get(&a->page->peak_bytes);
    if (a->sampled_bytes > r->peak_bytes)
        r->peak_bytes = a->sampled_bytes;
}

static void fill_configuration(struct record *r, const struct configuration *configuration)
{
    struct text text;
    text_init(&text);
    configuration_print(&text, configuration, true);
    set(&r->configuration, configuration->name);
    set(&r->configuration_text, text_string(&text));
    text_finish(&text);
    char digits[33];
    hash128_print(configuration->fingerprint, digits);
    set(&r->fingerprint, digits);
}

// The outcome still belongs to the thread, which was given up.
static bool unanswered(const struct attempt *a)
{
    return a->abandoned && a->stuck;
}

static void fill_outcome(struct record *r, const struct attempt *a)
{
    assert(!unanswered(a));
    const struct attempt_outcome *o = &a->outcome;
    r->verdict = o->verdict;
    r->reason = o->reason;
    set(&r->why, text_string(&o->why));
    r->checked = o->verdict == VERDICT_UNKNOWN ? CHECK_NONE : o->checked;
    set(&r->checker, o->checker != NULL ? o->checker : "");
    r->check_seconds = clock_seconds(o->check_ns);
    set(&r->cpus_got, o->cpus_got);
    r->cpu_seconds = clock_seconds(o->cpu_ns);
    // The engine's own count is complete; progress may lag behind it.
    if (o->solver.checks > r->solver_checks)
        r->solver_checks = o->solver.checks;
    if (clock_seconds(o->solver.check_ns) > r->solver_seconds)
        r->solver_seconds = clock_seconds(o->solver.check_ns);
    if (a->stuck && o->verdict != VERDICT_UNKNOWN)
        set(&r->why, "answered after it was given up");
}

// What a monitor's word was worth: the rest of the time that the attempt could have gone on.
static double spared_seconds(const struct attempt *a, int64_t ended)
{
    int64_t extended = atomic_load_explicit(&a->page->extended_ns, memory_order_relaxed);
    int64_t deadline = extended ? extended : a->deadline_ns;
    bool stalled = !unanswered(a) && a->outcome.reason == END_STALLED;
    return stalled && deadline != INT64_MAX && deadline > ended ? clock_seconds(deadline - ended)
                                                                : 0;
}

static void fill_record(struct record *r, const struct attempt *a, int64_t started_ns)
{
    record_init(r);
    fill_configuration(r, a->configuration);
    fill_progress(r, a);
    r->attempt = a->number;
    r->lane = a->lane;
    r->step = a->step;
    r->seed = a->seed;
    set(&r->cpus_asked, a->slot.cpus);
    r->start_seconds = clock_seconds(a->started_ns - started_ns);
    int64_t ended = unanswered(a) ? a->ended_ns : a->outcome.ended_ns;
    r->wall_seconds = clock_seconds(ended - a->started_ns);
    r->spared_seconds = spared_seconds(a, ended);
    bool checking = !unanswered(a) && a->outcome.check_ns > 0; // it had its own time
    if (a->asked_ns && ended > a->asked_ns && !checking && !(unanswered(a) && a->left))
        r->stop_latency_seconds = clock_seconds(ended - a->asked_ns);
    if (!unanswered(a)) {
        fill_outcome(r, a);
        return;
    }
    r->reason = (enum end_reason)atomic_load(&a->stop);
    set(&r->why, a->left ? "" : STUCK_WHY);
    r->cpu_seconds = clock_seconds(a->abandoned_cpu_ns);
}

// From the winner's answer to the last end, without the time that was given to those that might have done better.
static double stop_latency(struct attempt *const *attempts, size_t count, int winner, int64_t now)
{
    assert((size_t)winner < count);
    int64_t answered = attempts[winner]->outcome.ended_ns, latency = 0;
    for (size_t i = 0; i < count; i++) {
        const struct attempt *a = attempts[i];
        if (unanswered(a) && a->left)
            continue; // nobody knows
        int64_t ended = unanswered(a) ? now : a->outcome.ended_ns;
        int64_t late = ended - (a->asked_ns > answered ? a->asked_ns : answered);
        if (late > latency)
            latency = late;
    }
    return clock_seconds(latency);
}

// An answer that came after its attempt was given up was not told to the schedule.
static void hear_late_answer(struct race_result *result, const struct attempt *a)
{
    if (!a->stuck || unanswered(a) || a->outcome.verdict == VERDICT_UNKNOWN)
        return;
    if (result->winner < 0) {
        result->winner = (int)a->number;
        result->verdict = a->outcome.verdict;
    } else if (a->outcome.verdict != result->verdict) {
        result->contradiction = true;
    }
}

// The most telling reason of those there are.
static enum end_reason why_unknown(const struct race_result *result)
{
    static const enum end_reason telling[] = {
        END_INTERRUPTED, END_INTERNAL,    END_BOUNDED,   END_BEYOND,  END_TIMEOUT,
        END_CPUTIME,     END_MEMORY,      END_STALLED,   END_STEPS,   END_SOLVER,
        END_CRASHED,     END_NOT_STARTED, END_UNCHECKED, END_UNKNOWN, END_UNSUPPORTED,
    };
    for (size_t k = 0; k < sizeof telling / sizeof *telling; k++)
        for (size_t i = 0; i < result->record_count; i++)
            if (result->records[i].reason == telling[k])
                return telling[k];
    return END_UNKNOWN;
}

static struct trace *take_trace(const struct race_result *result, struct attempt *const *attempts,
                                size_t count)
{
    size_t from = result->winner >= 0 ? (size_t)result->winner : 0;
    for (size_t k = 0; k < count; k++) {
        struct attempt *a = attempts[(from + k) % count];
        if (unanswered(a) || a->outcome.trace == NULL)
            continue;
        struct trace *trace = a->outcome.trace;
        a->outcome.trace = NULL;
        return trace;
    }
    return NULL;
}

void race_fill_result(struct race_result *result, struct attempt *const *attempts, size_t count,
                      int64_t started_ns)
{
    int64_t now = clock_wall_ns();
    result->records = memory_alloc(count * sizeof *result->records);
    result->record_count = count;
    for (size_t i = 0; i < count; i++) {
        assert(attempts[i]->number == i && !attempts[i]->running_thread);
        fill_record(&result->records[i], attempts[i], started_ns);
        result->cpu_seconds += result->records[i].cpu_seconds;
        result->stuck |= unanswered(attempts[i]) && !attempts[i]->left;
        hear_late_answer(result, attempts[i]);
    }
    result->wall_seconds = clock_seconds(now - started_ns);
    ENSURE((result->verdict == VERDICT_UNKNOWN) == (result->winner < 0));
    if (result->winner < 0) {
        result->reason = why_unknown(result);
        result->why = end_reason_meaning(result->reason);
        return;
    }
    result->reason = END_SOLVED;
    result->records[result->winner].winner = true;
    result->stop_latency_seconds = stop_latency(attempts, count, result->winner, now);
    ENSURE(result->verdict != VERDICT_UNSAFE ||
           result->records[result->winner].checked == CHECK_PASSED);
    if (result->verdict == VERDICT_UNSAFE || result->contradiction)
        result->trace = take_trace(result, attempts, count);
    struct text *certificate = &attempts[result->winner]->outcome.certificate;
    if (result->verdict == VERDICT_SAFE && !result->contradiction && certificate->length > 0)
        result->certificate = text_steal(certificate);
}
