#include <assert.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "portfolio/race_inside.h"
#include "portfolio/race_record.h"

// Waiting for what the schedule has to hear, and looking after attempts that are to stop.

#define SECOND_NS INT64_C(1000000000)
// An interrupt may come too early and be lost, so it is repeated; faster than this does harm in Z3.
#define INTERRUPT_AGAIN_NS (SECOND_NS / 10)
#define WAKE_AGAIN_NS (SECOND_NS / 100)
// What part of the time after which a thread is given up a process has before it is killed.
#define KILL_PART 4

// Ending.

// Hands the attempt's end to the schedule: the event to feed.
static struct schedule_event report_end(struct race *race, struct attempt *a)
{
    assert(!a->reported && (a->stuck || atomic_load(&a->answered)));
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
    race_observe_attempt(race, RACE_ENDED, a);
    struct schedule_event event = {.kind = SCHEDULE_ENDED, .attempt = a->number};
    event.verdict = a->stuck ? VERDICT_UNKNOWN : a->outcome.verdict;
    event.reason = a->stuck ? (enum end_reason)atomic_load(&a->stop) : a->outcome.reason;
    const struct model_view *view = race->shared->model->view;
    event.unchecked = event.verdict == VERDICT_SAFE && race->options->certify &&
                      a->outcome.checked == CHECK_MISSING && (view == NULL || !view->asks);
    return event;
}

// The one that answered first among those whose end was not told yet; NULL if none.
static struct attempt *find_answered(const struct race *race)
{
    struct attempt *first = NULL;
    for (size_t i = 0; i < race->attempts.count; i++) {
        struct attempt *a = race->attempts.data[i];
        if (!a->reported && atomic_load(&a->answered) &&
            (first == NULL || a->outcome.ended_ns < first->outcome.ended_ns))
            first = a;
    }
    return first;
}

static bool is_decided(const struct race *race)
{
    return schedule_winner(race->schedule) >= 0 && !schedule_waits(race->schedule);
}

// Nobody waits for what those that still run would say.
bool race_may_leave(const struct race *race)
{
    return race->options->leave && is_decided(race);
}

// How long one that was asked to stop may take before it is given up.
static int64_t patience_ns(const struct race *race, const struct attempt *a)
{
    return race_may_leave(race) && a->carrier->kill == NULL && race->settle_ns < race->stuck_ns
               ? race->settle_ns
               : race->stuck_ns;
}

// The same before it is killed.
static int64_t mercy_ns(const struct race *race)
{
    int64_t mercy = race->stuck_ns / KILL_PART;
    return race_may_leave(race) && race->settle_ns < mercy ? race->settle_ns : mercy;
}

static bool user_wants_end(const struct race *race)
{
    return race->options->interrupted != NULL && atomic_load(race->options->interrupted) != 0;
}

// A check of a proof goes on beyond the step's time, while somebody waits for it.
static void hurry_checks(const struct race *race, int64_t now)
{
    if (!is_decided(race) && !user_wants_end(race))
        return;
    for (size_t i = 0; i < race->attempts.count; i++) {
        struct attempt *a = race->attempts.data[i];
        if (a->reported || !a->asked_ns || atomic_load(&a->unwaited))
            continue;
        atomic_store(&a->unwaited, true);
        if (atomic_load(&a->page->check_until_ns))
            a->asked_ns = now;
    }
}

// From when on an attempt that was asked to stop keeps us waiting.
static int64_t waited_since_ns(const struct attempt *a)
{
    assert(a->asked_ns > 0);
    int64_t until = atomic_load(&a->page->check_until_ns);
    if (atomic_load(&a->stop) != END_TIMEOUT || atomic_load(&a->unwaited) || until < a->asked_ns)
        return a->asked_ns;
    int64_t end = a->shared->end_ns;
    return end == INT64_MAX || until < end + CHECK_OVERRUN_NS ? until : end + CHECK_OVERRUN_NS;
}

static struct attempt *find_stuck(const struct race *race, int64_t now)
{
    for (size_t i = 0; i < race->attempts.count; i++) {
        struct attempt *a = race->attempts.data[i];
        if (!a->reported && a->asked_ns && now - waited_since_ns(a) >= patience_ns(race, a))
            return a;
    }
    return NULL;
}

// Threads that have answered are tidying up or gone.
void race_join_answered(struct race *race, bool wait)
{
    for (size_t i = 0; i < race->attempts.count; i++)
        attempt_join(race->attempts.data[i], wait);
}

// Waiting.

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
        int64_t since = waited_since_ns(a);
        if (a->carrier->kill != NULL && now - since >= mercy_ns(race))
            a->carrier->kill(a);
        else if (a->carrier->kill != NULL)
            again = earlier(again, since + mercy_ns(race));
        again = earlier(again, now + INTERRUPT_AGAIN_NS);
        again = earlier(again, since + patience_ns(race, a));
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
        race_observe_lanes(race, RACE_SAMPLE);
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
    assert(!a->forecast_told && "each is asked once");
    a->forecast_told = true;
    return (struct schedule_event){
        .kind = SCHEDULE_FORECAST,
        .attempt = a->number,
        .needs_ns = atomic_load_explicit(&a->page->ends_ns, memory_order_relaxed) - now,
    };
}

// Tells of what attempts gave one another since the last time.
void race_tell_exchanged(struct race *race)
{
    const struct race_options *o = race->options;
    unsigned attempt;
    struct text line;
    if (o->exchanged == NULL || race->shared->exchange == NULL)
        return;
    text_init(&line);
    while (exchange_line(race->shared->exchange, race->told_lines, &attempt, &line)) {
        race->told_lines++;
        o->exchanged(o->exchanged_context, attempt, text_string(&line));
    }
    text_finish(&line);
}

struct schedule_event race_next_event(struct race *race)
{
    if (race->fed < race->pending.count)
        return race->pending.data[race->fed++];
    assert(race->fed == race->pending.count);
    for (;;) {
        race_tell_exchanged(race);
        if (user_wants_end(race) && !race->interrupt_told) {
            race->interrupt_told = true;
            return (struct schedule_event){.kind = SCHEDULE_INTERRUPT};
        }
        struct attempt *a = find_answered(race);
        if (a != NULL)
            return report_end(race, a);
        race_join_answered(race, false);
        int64_t now = clock_wall_ns();
        hurry_checks(race, now);
        a = find_stuck(race, now);
        if (a != NULL) {
            a->stuck = true;
            a->left = now - waited_since_ns(a) < race->stuck_ns;
            return report_end(race, a);
        }
        int64_t deadline = schedule_next_deadline(race->schedule);
        if (now >= deadline) {
            a = find_hopeful(race, now);
            return a != NULL ? report_forecast(a, now)
                             : (struct schedule_event){.kind = SCHEDULE_TICK};
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
