#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "portfolio/cgroup.h"

// Needs a control group (version 2) that may be written to, and is skipped where there is none.

// A child that, once told, uses CPU time and starts one of its own that does the same.
static pid_t start_busy(int told[2])
{
    if (pipe(told) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        char go;
        if (read(told[0], &go, 1) != 1 || fork() < 0)
            _exit(1);
        for (volatile unsigned n = 0;; n++)
            continue;
    }
    return pid;
}

static void wait_ms(long ms)
{
    struct timespec time = {.tv_nsec = ms * 1000000};
    nanosleep(&time, NULL);
}

static void a_group_counts_and_ends_all_that_is_in_it(void **state)
{
    (void)state;
    struct cgroup group;
    if (!cgroup_create(&group, 0))
        skip();
    char path[sizeof group.path];
    strcpy(path, group.path);
    int told[2];
    pid_t pid = start_busy(told);
    assert_true(pid > 0);
    assert_true(cgroup_add(&group, pid));
    assert_int_equal(write(told[1], "g", 1), 1);
    // The account is brought up to date now and then.
    for (int i = 0; i < 500 && cgroup_cpu_ns(&group) <= 0; i++)
        wait_ms(10);
    assert_true(cgroup_cpu_ns(&group) > 0);
    cgroup_kill(&group);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    cgroup_destroy(&group);
    close(told[0]);
    close(told[1]);
    struct stat there;
    assert_int_not_equal(stat(path, &there), 0);
    assert_string_equal(group.path, "");
}

static void without_a_group_nothing_happens(void **state)
{
    (void)state;
    struct cgroup none = {0};
    assert_false(cgroup_add(&none, getpid()));
    assert_int_equal(cgroup_cpu_ns(&none), -1);
    assert_false(cgroup_ran_out_of_memory(&none));
    cgroup_kill(&none);
    cgroup_destroy(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_counts_and_ends_all_that_is_in_it),
        cmocka_unit_test(without_a_group_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
