#include "runs/retry.h"

#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/text.h"

// Milliseconds that are left; 0 = no limit.
#define VARIABLE "REGATTA_SECOND_START"
#define DIGITS 20
// What was answered before.
#define ANSWERS "REGATTA_ANSWERED"

extern char **environ;

static struct {
    char **arguments;
    char **environment; // ours and `left`; made when armed, as a handler cannot allocate
    char left[sizeof VARIABLE + 1 + DIGITS];
    struct text answers; // ANSWERS=…
    int64_t deadline_ns; // 0 = none
    _Atomic bool armed;
} retry;

void retry_remember(char **arguments)
{
    retry.arguments = arguments;
}

bool retry_is_second(double *seconds)
{
    const char *left = getenv(VARIABLE);
    if (left == NULL)
        return false;
    *seconds = (double)strtoll(left, NULL, 10) / 1000;
    return true;
}

// From here to start_again: async-signal-safe.

static void write_left(int64_t milliseconds)
{
    char digits[DIGITS];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + milliseconds % 10);
    while ((milliseconds /= 10) > 0);
    char *at = retry.left + sizeof VARIABLE;
    assert(count <= DIGITS);
    while (count > 0)
        *at++ = digits[--count];
    *at = '\0';
}

static void say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; // there is nobody else to tell
}

// Returns when it cannot, or may not.
static void start_again(void)
{
    if (!atomic_exchange(&retry.armed, false))
        return;
    int64_t left = 0;
    if (retry.deadline_ns != 0) {
        left = (retry.deadline_ns - clock_wall_ns()) / 1000000;
        if (left <= 0)
            return;
    }
    write_left(left);
    signals_restore();
    say("regatta: a solver brought the program down: once more, with attempts in processes\n");
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve("/proc/self/exe", retry.arguments, retry.environment);
}

static void make_environment(void)
{
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    memory_free(retry.environment);
    retry.environment = memory_alloc((count + 3) * sizeof *retry.environment);
    memcpy(retry.environment, environ, count * sizeof *retry.environment);
    memcpy(retry.left, VARIABLE "=", sizeof VARIABLE);
    retry.environment[count] = retry.left;
    retry.environment[count + 1] = retry.answers.data;
    retry.environment[count + 2] = NULL;
}

void retry_note_answers(const char *answers)
{
    assert(!atomic_load(&retry.armed)); // the environment that is ready points to them
    text_clear(&retry.answers);
    text_printf(&retry.answers, ANSWERS "=%s", answers);
}

const char *retry_answered(void)
{
    const char *answers = getenv(ANSWERS);
    return answers != NULL && getenv(VARIABLE) != NULL ? answers : "";
}

void retry_arm(double seconds)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    double ignored;
    if (retry.arguments == NULL || retry_is_second(&ignored))
        return;
    assert(!atomic_load(&retry.armed)); // one race at a time
    make_environment();
    retry.deadline_ns =
        seconds > 0 && seconds < 9e9 ? clock_wall_ns() + (int64_t)(seconds * 1e9) : 0;
    signals_on_fault(start_again);
    atexit(start_again);
    atomic_store(&retry.armed, true);
#else
    (void)seconds;
#endif
}

void retry_disarm(void)
{
    atomic_store(&retry.armed, false);
}
