#include "base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_t thread;
    sigset_t set; // what the thread waits for; written before it starts
    int pipe[2];
    _Atomic int flag;
    _Atomic int attending; // how many look at the flag
    _Atomic int restore_fd;
    const char *_Atomic restore;
    void (*_Atomic on_fault)(void);
} signals = {.pipe = {-1, -1}, .restore_fd = -1};

// That of an internal error (results/verdict.h).
enum { CODE_INTERNAL = 3 };

// Ends the waiting thread; sent by us alone.
enum { SIGNAL_FINISH = SIGUSR2 };

// How long the process may go on after the first signal when nobody attends: 3 s.
enum { TICK_NS = 100000000, PATIENCE_TICKS = 30 };

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

static _Noreturn void end_by(int number)
{
    signals_restore();
    _exit(signals_exit_code(number));
}

// The next signal; 0 when none came within the time.
static int next_signal(int64_t patience_ns)
{
    struct timespec time = {.tv_nsec = patience_ns};
    int number = 0;
    if (patience_ns == 0)
        return sigwait(&signals.set, &number) == 0 ? number : 0;
    number = sigtimedwait(&signals.set, NULL, &time);
    return number > 0 ? number : 0;
}

// After the first signal: until the process ends by itself, by another signal, or because nobody has attended for long.
static void *wait_for_the_end(int first)
{
    for (unsigned idle = 0; idle < PATIENCE_TICKS; idle++) {
        int number = next_signal(TICK_NS);
        if (number == SIGNAL_FINISH)
            return NULL;
        if (number != 0)
            end_by(number);
        if (atomic_load_explicit(&signals.attending, memory_order_relaxed) > 0)
            idle = 0;
    }
    end_by(first);
}

static void *wait_for_signals(void *context)
{
    (void)context;
    int number;
    while ((number = next_signal(0)) == 0)
        continue;
    if (number == SIGNAL_FINISH)
        return NULL;
    atomic_store(&signals.flag, number);
    ssize_t written = write(signals.pipe[1], "", 1);
    (void)written; // the pipe holds one byte at most
    return wait_for_the_end(number);
}

void signals_attend(void)
{
    atomic_fetch_add_explicit(&signals.attending, 1, memory_order_relaxed);
}

void signals_attend_end(void)
{
    atomic_fetch_sub_explicit(&signals.attending, 1, memory_order_relaxed);
}

// A crash leaves the terminal usable and then goes the way it would have gone. A signal that somebody else sent is no
// fault.
static void on_crash(int number, siginfo_t *info, void *context)
{
    (void)context;
    void (*hook)(void) = atomic_load_explicit(&signals.on_fault, memory_order_acquire);
    signals_restore();
    bool own_abort = number == SIGABRT && info->si_pid == getpid();
    if (hook != NULL && (own_abort || (number != SIGABRT && info->si_code > 0)))
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

static const char *_Atomic guarded;

static void write_words(const char *words)
{
    size_t length = 0;
    while (words[length] != '\0')
        length++;
    ssize_t written = write(STDERR_FILENO, words, length);
    (void)written; // there is nobody else to tell
}

static void leave_library(void)
{
    const char *what = atomic_load_explicit(&guarded, memory_order_acquire);
    if (what == NULL)
        return;
    write_words("regatta: ");
    write_words(what);
    write_words(" brought the program down, as it does when the system refuses memory\n");
    _exit(CODE_INTERNAL);
}

void signals_guard(const char *what)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    atomic_store_explicit(&guarded, what, memory_order_release);
    signals_on_fault(what != NULL ? leave_library : NULL);
#else
    (void)what;
    (void)leave_library;
#endif
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

bool signals_output_good(void)
{
    static bool told;
    bool good = fflush(stdout) == 0 && !ferror(stdout);
    if (!good && !told)
        perror("regatta: standard output");
    told = told || !good;
    return good;
}

void signals_leave(int code)
{
    if (!signals_output_good())
        code = CODE_INTERNAL;
    fflush(NULL);
    signals_restore();
    _exit(code);
}
