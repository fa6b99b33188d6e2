#include "base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    pthread_t thread;
    sigset_t set; // what the thread waits for; written before it starts
    int pipe[2];
    _Atomic int flag;
    _Atomic int restore_fd;
    const char *_Atomic restore;
    void (*_Atomic on_fault)(void);
} signals = {.pipe = {-1, -1}, .restore_fd = -1};

// Ends the waiting thread; sent by us alone.
enum { SIGNAL_FINISH = SIGUSR2 };

static const int ENDING[] = {SIGINT, SIGTERM, SIGHUP};
static const int CRASHES[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

void signals_restore(void)
{
    const char *bytes = atomic_load_explicit(&signals.restore, memory_order_acquire);
    int fd = atomic_load_explicit(&signals.restore_fd, memory_order_acquire);
    if (bytes == NULL || fd < 0)
        return;
    size_t length = 0;
    while (bytes[length] != '\0')
        length++;
    ssize_t written = write(fd, bytes, length);
    (void)written; // there is nobody left to tell
}

static void *wait_for_signals(void *context)
{
    (void)context;
    for (;;) {
        int number = 0;
        if (sigwait(&signals.set, &number) != 0)
            continue;
        if (number == SIGNAL_FINISH)
            return NULL;
        int none = 0;
        if (!atomic_compare_exchange_strong(&signals.flag, &none, number)) {
            signals_restore();
            _exit(signals_exit_code(number));
        }
        ssize_t written = write(signals.pipe[1], "", 1);
        (void)written; // the pipe holds one byte at most
    }
}

// A crash leaves the terminal usable and then goes the way it would have gone. An abort is how assertions speak, and a
// signal that somebody sent is no fault.
static void on_crash(int number, siginfo_t *info, void *context)
{
    (void)context;
    void (*hook)(void) = atomic_load_explicit(&signals.on_fault, memory_order_acquire);
    signals_restore();
    if (hook != NULL && number != SIGABRT && info->si_code > 0)
        hook();
    raise(number); // SA_RESETHAND: the default action now
}

// Ctrl-Z: show the cursor while stopped; the next redraw hides it again.
static void on_stop(int number)
{
    int before = errno;
    (void)number;
    signals_restore();
    raise(SIGSTOP);
    errno = before;
}

void signals_start(void)
{
    if (pipe2(signals.pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        perror("regatta: pipe");
        exit(3);
    }
    sigemptyset(&signals.set);
    sigaddset(&signals.set, SIGNAL_FINISH);
    for (size_t i = 0; i < sizeof ENDING / sizeof ENDING[0]; i++) {
        struct sigaction now;
        // nohup and background jobs of a shell ignore some of them: leave it so.
        if (sigaction(ENDING[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&signals.set, ENDING[i]);
    }
    pthread_sigmask(SIG_BLOCK, &signals.set, NULL);
    if (pthread_create(&signals.thread, NULL, wait_for_signals, NULL) != 0) {
        fputs("regatta: cannot start a thread\n", stderr);
        exit(3);
    }
}

void signals_finish(void)
{
    pthread_kill(signals.thread, SIGNAL_FINISH);
    pthread_join(signals.thread, NULL);
    close(signals.pipe[0]);
    close(signals.pipe[1]);
}

const _Atomic int *signals_flag(void)
{
    return &signals.flag;
}

int signals_wake_fd(void)
{
    return signals.pipe[0];
}

static void handle_crashes(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    struct sigaction crash = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};
    for (size_t i = 0; i < sizeof CRASHES / sizeof CRASHES[0]; i++)
        sigaction(CRASHES[i], &crash, NULL);
}

void signals_on_fault(void (*hook)(void))
{
    handle_crashes();
    atomic_store_explicit(&signals.on_fault, hook, memory_order_release);
}

void signals_set_restore(int fd, const char *bytes)
{
    static bool handles_stop;
    if (bytes != NULL)
        handle_crashes();
    if (!handles_stop && bytes != NULL) {
        handles_stop = true;
        struct sigaction stop = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
        sigaction(SIGTSTP, &stop, NULL);
    }
    atomic_store_explicit(&signals.restore_fd, fd, memory_order_release);
    atomic_store_explicit(&signals.restore, bytes, memory_order_release);
}

void signals_leave(int code)
{
    fflush(NULL);
    signals_restore();
    _exit(code);
}
