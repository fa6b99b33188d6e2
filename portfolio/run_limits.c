#include "portfolio/run_limits.h"

#include <assert.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vector.h"

#define MILLISECOND_NS INT64_C(1000000)
#define LOOK_AT_MEMORY_NS (100 * MILLISECOND_NS)
#define RELIEF_NS (500 * MILLISECOND_NS)
// A solver's threads may use CPU time faster than wall time: look no later than that.
#define LOOK_AT_CPU_NS (200 * MILLISECOND_NS)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static uint64_t resident_bytes(void)
{
    return 0;
}
#else
static uint64_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long long all = 0, resident = 0;
    if (file == NULL)
        return 0;
    if (fscanf(file, "%llu %llu", &all, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}
#endif

void limits_init(struct limits *limits, int64_t cpu_ns, uint64_t memory_bytes,
                 uint64_t (*resident)(void))
{
    *limits = (struct limits){
        .cpu_ns = cpu_ns,
        .memory_bytes = memory_bytes,
        .resident_bytes = resident != NULL ? resident : resident_bytes,
        .begin_cpu_ns = clock_process_cpu_ns(),
    };
    if (memory_bytes)
        limits->begin_bytes = limits->resident_bytes();
}

int64_t limits_cpu_ns(struct attempt *a)
{
    int64_t ns = 0;
    if (a->carrier == &carrier_process) {
        pthread_mutex_lock(&a->lock);
        int64_t group = a->process.pid ? cgroup_cpu_ns(&a->process.cgroup) : -1;
        if (group >= 0)
            ns = group;
        else if (a->process.pid)
            ns = clock_cpu_ns_of_process(a->process.pid) + attempt_programs_ns(a);
        pthread_mutex_unlock(&a->lock);
    } else if (a->running_thread) {
        ns = clock_cpu_ns_of_thread(a->thread) + attempt_programs_ns(a);
    }
    return ns;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void exceeded(struct limits_events *events, unsigned attempt, enum end_reason reason)
{
    assert(reason == END_CPUTIME || reason == END_MEMORY || reason == END_STALLED);
    struct schedule_event event = {.kind = SCHEDULE_EXCEEDED, .attempt = attempt, .reason = reason};
    VECTOR_PUSH(events, event);
}

// Until then the limit cannot be reached, unless by several threads at once.
static int64_t look_again(int64_t now, int64_t left)
{
    assert(left > 0);
    return now + earlier(left < MILLISECOND_NS ? MILLISECOND_NS : left, LOOK_AT_CPU_NS);
}

static int64_t look_at_cpu(struct limits *limits, struct attempt *const *attempts, size_t count,
                           int64_t now, struct limits_events *events)
{
    int64_t again = INT64_MAX, others = 0;
    for (size_t i = 0; i < count; i++) {
        struct attempt *a = attempts[i];
        bool process = a->carrier == &carrier_process;
        if (a->reported) {
            others += process ? a->outcome.cpu_ns : attempt_programs_ns(a);
            continue;
        }
        if (!a->cpu_limit_ns && !limits->cpu_ns)
            continue;
        int64_t used = limits_cpu_ns(a);
        others += process ? used : attempt_programs_ns(a);
        if (!a->cpu_limit_ns || a->asked_ns)
            continue;
        if (used >= a->cpu_limit_ns)
            exceeded(events, a->number, END_CPUTIME);
        else
            again = earlier(again, look_again(now, a->cpu_limit_ns - used));
    }
    if (!limits->cpu_ns || limits->cpu_told)
        return again;
    int64_t used = clock_process_cpu_ns() - limits->begin_cpu_ns + others;
    limits->cpu_told = used >= limits->cpu_ns;
    if (limits->cpu_told)
        exceeded(events, SCHEDULE_RUN, END_CPUTIME);
    return limits->cpu_told ? again : earlier(again, look_again(now, limits->cpu_ns - used));
}

// What an attempt on a thread holds: its own structures, which it counts, and of the rest, which is
// the solvers', the part that its use of the solver suggests. No better account is to be had: the
// solver tells only what all its contexts hold together.
static uint64_t estimate(const struct attempt *a, uint64_t rest, int64_t solver_ns)
{
    const struct progress *p = &a->page->progress;
    int64_t own = atomic_load_explicit(&p->solver_ns, memory_order_relaxed);
    uint64_t bytes = atomic_load_explicit(&p->bytes, memory_order_relaxed);
    if (solver_ns > 0 && own > 0)
        bytes += (uint64_t)((double)rest * (double)own / (double)solver_ns);
    return bytes;
}

static bool holds_here(const struct attempt *a)
{
    return !a->reported && a->carrier == &carrier_thread;
}

bool limits_ended(const struct attempt *attempt)
{
    return attempt->held_bytes > 0 && atomic_load(&attempt->stop) == END_MEMORY;
}

static int64_t look_at_memory(struct limits *limits, struct attempt *const *attempts, size_t count,
                              int64_t now, struct limits_events *events)
{
    int64_t solver_ns = 0;
    uint64_t own = 0, running = 0;
    for (size_t i = 0; i < count; i++) {
        if (!holds_here(attempts[i]))
            continue;
        const struct progress *p = &attempts[i]->page->progress;
        running++;
        solver_ns += atomic_load_explicit(&p->solver_ns, memory_order_relaxed);
        own += atomic_load_explicit(&p->bytes, memory_order_relaxed);
    }
    if (!limits->memory_bytes || !running)
        return INT64_MAX;
    if (now < limits->next_memory_ns)
        return limits->next_memory_ns;
    limits->next_memory_ns = now + LOOK_AT_MEMORY_NS;
    uint64_t held = limits->resident_bytes();
    held = held > limits->begin_bytes ? held - limits->begin_bytes : 0;
    if (held <= limits->memory_bytes)
        return limits->next_memory_ns;
    for (size_t i = 0; i < count; i++)
        if (holds_here(attempts[i]) && limits_ended(attempts[i]))
            return limits->next_memory_ns; // one is on its way
    for (size_t i = 0; i < count; i++) {
        if (!holds_here(attempts[i]) || attempts[i]->asked_ns)
            continue;
        struct schedule_event event = {.kind = SCHEDULE_HOLDS, .attempt = attempts[i]->number};
        assert(attempts[i]->number == i);
        event.bytes = estimate(attempts[i], held > own ? held - own : 0, solver_ns);
        attempts[i]->held_bytes = event.bytes;
        VECTOR_PUSH(events, event);
    }
    exceeded(events, SCHEDULE_RUN, END_MEMORY);
    return limits->next_memory_ns;
}

// A check is taken to hang after stop_solver times what the attempt's checks took on average, but not before so long.
#define HANG_LEAST_NS (2000 * MILLISECOND_NS)
#define HANG_CHECKS 64 // that make the expectation
#define LOOK_AT_CALLS_NS (250 * MILLISECOND_NS)

// How long a check may take; 0 = nobody looks. Its own monitor judges those that came back.
static int64_t call_limit_ns(const struct attempt *a)
{
    const struct progress *p = &a->page->progress;
    int64_t times = a->configuration->values[OPTION_STOP_SOLVER];
    uint64_t checks = atomic_load_explicit(&p->solver_checks, memory_order_relaxed);
    int64_t ns = atomic_load_explicit(&p->solver_ns, memory_order_relaxed);
    if (times == 0 || checks < HANG_CHECKS || a->asked_ns)
        return 0;
    double limit = (double)times * (double)ns / (double)checks;
    return limit > (double)HANG_LEAST_NS ? (int64_t)fmin(limit, 1e18) : HANG_LEAST_NS;
}

// An engine inside a call of a solver tells its monitors nothing: this is seen from outside.
static int64_t look_at_calls(struct attempt *const *attempts, size_t count, int64_t now,
                             struct limits_events *events)
{
    int64_t again = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        struct attempt *a = attempts[i];
        if (a->reported || a->configuration->values[OPTION_STOP_SOLVER] == 0)
            continue;
        again = now + LOOK_AT_CALLS_NS;
        int64_t limit = call_limit_ns(a), since = limit ? attempt_busy_since(a) : 0;
        if (since == 0 || now - since < limit)
            continue;
        a->hung_ns = now - since;
        exceeded(events, a->number, END_STALLED);
    }
    return again;
}

int64_t limits_look(struct limits *limits, struct attempt *const *attempts, size_t count,
                    int64_t now_ns, struct limits_events *events)
{
    int64_t cpu = look_at_cpu(limits, attempts, count, now_ns, events);
    int64_t calls = look_at_calls(attempts, count, now_ns, events);
    return earlier(earlier(cpu, calls), look_at_memory(limits, attempts, count, now_ns, events));
}

void limits_relieve(struct limits *limits, int64_t now_ns)
{
    malloc_trim(0);
    limits->next_memory_ns = now_ns + RELIEF_NS;
}
