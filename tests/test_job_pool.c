#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "portfolio/job_pool.h"

// The pool starts this program again: what it then does is its second word.

static _Noreturn void be_a_job(const char *what)
{
    if (strcmp(what, "leave") == 0)
        _exit(7);
    if (strcmp(what, "crash") == 0) {
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    if (strcmp(what, "grow") == 0) {
        size_t bytes = (size_t)200 << 20;
        char *block = malloc(bytes);
        for (size_t i = 0; block != NULL && i < bytes; i += 512)
            ((volatile char *)block)[i] = 1;
    }
    for (;;)
        pause();
}

static void start(struct job_pool *pool, unsigned place, const char *what, uint64_t memory_bytes,
                  double seconds)
{
    const char *const arguments[] = {"test_job_pool", "job", what, NULL};
    struct text why;
    text_init(&why);
    assert_true(job_pool_start(pool, place, arguments, memory_bytes, seconds, &why));
    text_finish(&why);
}

static void test_how_jobs_end(void **state)
{
    (void)state;
    struct job_pool *pool = job_pool_create(3, -1);
    struct job_end end;
    assert_int_equal(job_pool_free_place(pool), 0);
    assert_false(job_pool_wait(pool, &end)); // nothing runs
    start(pool, 0, "leave", 0, 0);
    assert_true(job_pool_wait(pool, &end));
    assert_int_equal(end.fate, JOB_LEFT);
    assert_true(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 7);
    assert_true(end.peak_bytes > 0);
    start(pool, 2, "crash", 0, 0);
    assert_true(job_pool_wait(pool, &end));
    assert_int_equal(end.place, 2);
    assert_int_equal(end.fate, JOB_LEFT);
    assert_true(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGABRT);
    job_pool_destroy(pool);
}

static void test_limits_end_the_one_they_are_for(void **state)
{
    (void)state;
    struct job_pool *pool = job_pool_create(3, -1);
    struct job_end end;
    start(pool, 0, "sleep", 0, 0);
    start(pool, 1, "sleep", 0, 0.3);
    assert_true(job_pool_wait(pool, &end));
    assert_int_equal(end.place, 1);
    assert_int_equal(end.fate, JOB_TOO_LONG);
    assert_true(end.wall_seconds >= 0.3);
    assert_int_equal(job_pool_free_place(pool), 1);
    start(pool, 1, "grow", (uint64_t)150 << 20, 0);
    assert_true(job_pool_wait(pool, &end));
    assert_int_equal(end.place, 1);
    assert_int_equal(end.fate, JOB_TOO_LARGE);
    assert_true(end.peak_bytes > (uint64_t)100 << 20);
    assert_int_equal(job_pool_running(pool), 1);
    job_pool_signal(pool, SIGTERM);
    assert_true(job_pool_wait(pool, &end));
    assert_true(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGTERM);
    job_pool_destroy(pool);
}

static void test_wakes_once(void **state)
{
    (void)state;
    int ends[2];
    struct job_end end;
    assert_int_equal(pipe(ends), 0);
    struct job_pool *pool = job_pool_create(1, ends[0]);
    start(pool, 0, "sleep", 0, 0.5);
    assert_int_equal(write(ends[1], "", 1), 1);
    assert_false(job_pool_wait(pool, &end));
    assert_int_equal(job_pool_running(pool), 1);
    assert_true(job_pool_wait(pool, &end)); // its time is over
    start(pool, 0, "sleep", 0, 0);
    job_pool_destroy(pool); // kills it
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    close(ends[0]);
    close(ends[1]);
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "job") == 0)
        be_a_job(arguments[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_jobs_end),
        cmocka_unit_test(test_limits_end_the_one_they_are_for),
        cmocka_unit_test(test_wakes_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
