#include "certify/deadline.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/signals.h"
#include "results/verdict.h"

// How often the signal flag is looked at, and a deaf solver interrupted.
#define INTERVAL_NS ((int64_t)100 * 1000 * 1000)
// After that long a solver that does not react is left alone, with the process.
#define PATIENCE_NS ((int64_t)2 * 1000 * 1000 * 1000)

static void wait_a_little(struct deadline *d)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += INTERVAL_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&d->changed, &d->lock, &until);
}

static void *watch(void *argument)
{
    struct deadline *d = argument;
    int64_t begin = clock_wall_ns(), asked = 0;
    pthread_mutex_lock(&d->lock);
    while (!d->over) {
        wait_a_little(d);
        int64_t now = clock_wall_ns();
        bool late = d->seconds > 0 && clock_seconds(now - begin) >= d->seconds;
        int signal = atomic_load(signals_flag());
        if (signal == d->heard)
            signal = 0;
        if (d->over || (!late && signal == 0))
            continue;
        if (asked == 0)
            asked = now;
        atomic_store(&d->stop, signal != 0 ? END_INTERRUPTED : END_TIMEOUT);
        if (d->solver != NULL)
            smt_interrupt(d->solver);
        if (now - asked > PATIENCE_NS) {
            puts("undecided (the solver does not react)");
            signals_leave(signal != 0 ? signals_exit_code(signal) : EXIT_UNKNOWN);
        }
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

static bool start(struct deadline *d)
{
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool good = pthread_create(&d->thread, NULL, watch, d) == 0;
    if (good)
        signals_attend();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

bool deadline_start(struct deadline *d, double seconds)
{
    *d = (struct deadline){.seconds = seconds};
    return start(d);
}

bool deadline_renew(struct deadline *d, double seconds)
{
    struct smt_context *solver = d->solver;
    deadline_end(d);
    assert(d->over && d->solver == solver && "nobody publishes between two terms");
    *d = (struct deadline){
        .seconds = seconds, .heard = atomic_load(signals_flag()), .solver = solver};
    return start(d);
}

void deadline_end(struct deadline *d)
{
    pthread_mutex_lock(&d->lock);
    assert(!d->over && "ended once");
    d->over = true;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
    signals_attend_end();
    pthread_mutex_destroy(&d->lock);
    pthread_cond_destroy(&d->changed);
}

void deadline_publish_solver(void *context, struct smt_context *solver)
{
    struct deadline *d = context;
    pthread_mutex_lock(&d->lock);
    d->solver = solver;
    pthread_mutex_unlock(&d->lock);
}
