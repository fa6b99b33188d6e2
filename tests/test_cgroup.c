#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "portfolio/cgroup.h"

// The first test needs a control group (version 2) that may be written to, and is skipped where there is none. The others
// work on a folder that is laid out like one, with files as the system has them, without some, or with files that
// cannot be written to.

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
    if (!cgroup_create(&group))
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
    assert_false(cgroup_limit_memory(&none, 1000));
    cgroup_destroy(&none);
    assert_false(cgroup_create_below(&none, ""));
    assert_false(cgroup_create_below(&none, "/nowhere/at/all"));
    assert_string_equal(none.path, "");
}

// A folder that looks like a control group.

static char root[64];

static const char *in_root(const char *group, const char *file)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s%s%s", root, group, *group ? "/" : "", file);
    return path;
}

static void put(const char *group, const char *file, const char *text)
{
    FILE *out = fopen(in_root(group, file), "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

// "" when it is not there.
static const char *get(const char *group, const char *file)
{
    static char text[256];
    FILE *in = fopen(in_root(group, file), "r");
    size_t length = in != NULL ? fread(text, 1, sizeof text - 1, in) : 0;
    text[length] = '\0';
    if (in != NULL)
        fclose(in);
    return text;
}

static bool there(const char *group)
{
    return access(in_root(group, ""), F_OK) == 0;
}

// Not even root can write to a folder.
static void put_unwritable(const char *group, const char *file)
{
    assert_int_equal(mkdir(in_root(group, file), 0755), 0);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root, "/tmp/test-cgroup-XXXXXX");
    return mkdtemp(root) != NULL ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static const char *name_of(const struct cgroup *group)
{
    assert_memory_equal(group->path, root, strlen(root));
    return group->path + strlen(root) + 1;
}

static void controllers_are_handed_on(void **state)
{
    (void)state;
    put("", "cgroup.subtree_control", "");
    cgroup_prepare(root);
    // "+memory", then "+cpu" with a write of its own, which a plain file keeps over the other.
    assert_string_equal(get("", "cgroup.subtree_control"), "+cpuory");
    assert_int_equal(remove(in_root("", "cgroup.subtree_control")), 0);
    cgroup_prepare(root); // no controllers at all: nothing happens
    assert_string_equal(get("", "cgroup.subtree_control"), "");
    put_unwritable("", "cgroup.subtree_control");
    cgroup_prepare(root);
    struct cgroup group;
    assert_true(
        cgroup_create_below(&group, root)); // what it has without them is still good for CPU time
    cgroup_destroy(&group);
}

static void a_memory_limit_is_in_force_only_where_it_was_written(void **state)
{
    (void)state;
    struct cgroup group;
    assert_true(cgroup_create_below(&group, root));
    const char *name = name_of(&group);
    assert_false(cgroup_limit_memory(&group, 5000000)); // no such controller
    assert_false(group.limits_memory);
    assert_string_equal(get(name, "memory.swap.max"), "");
    put_unwritable(name, "memory.max");
    put(name, "memory.events", "oom_kill 3\n");
    assert_false(cgroup_limit_memory(&group, 5000000));
    assert_false(cgroup_ran_out_of_memory(&group)); // not for a limit of ours
    assert_int_equal(rmdir(in_root(name, "memory.max")), 0);

    put(name, "memory.max", "max\n");
    put(name, "memory.swap.max", "max\n");
    assert_true(cgroup_limit_memory(&group, 5000000));
    assert_true(group.limits_memory);
    assert_string_equal(get(name, "memory.max"), "5000000");
    assert_memory_equal(get(name, "memory.swap.max"), "0", 1);
}

static void events_tell_who_was_killed_for_memory(void **state)
{
    (void)state;
    struct cgroup group;
    assert_true(cgroup_create_below(&group, root));
    const char *name = name_of(&group);
    put(name, "memory.max", "max\n");
    assert_true(cgroup_limit_memory(&group, 1000));
    assert_false(cgroup_ran_out_of_memory(&group)); // no file
    static const struct {
        const char *events;
        bool killed;
    } cases[] = {
        {"", false},
        {"low 0\nhigh 0\nmax 7\noom 2\noom_kill 0\noom_group_kill 0\n", false},
        {"low 0\nhigh 0\nmax 7\noom 2\noom_kill 1\noom_group_kill 0\n", true},
        {"low 0\noom_group_kill 4\n", false},
        {"oom_kill", false},
        {"oom_kill many\n", false},
        {"oom_kill 2", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(name, "memory.events", cases[i].events);
        assert_int_equal(cgroup_ran_out_of_memory(&group), cases[i].killed);
    }
}

static void cpu_time_is_read_where_it_is_counted(void **state)
{
    (void)state;
    struct cgroup group;
    assert_true(cgroup_create_below(&group, root));
    const char *name = name_of(&group);
    assert_int_equal(cgroup_cpu_ns(&group), -1); // no file
    put(name, "cpu.stat", "");
    assert_int_equal(cgroup_cpu_ns(&group), -1);
    put(name, "cpu.stat", "user_usec 5\nsystem_usec 6\n");
    assert_int_equal(cgroup_cpu_ns(&group), -1);
    put(name, "cpu.stat", "usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\n");
    assert_int_equal(cgroup_cpu_ns(&group), INT64_C(1234567000));
}

static void processes_go_in_and_are_killed_by_its_files(void **state)
{
    (void)state;
    struct cgroup group;
    assert_true(cgroup_create_below(&group, root));
    char name[128], pid[32];
    strcpy(name, name_of(&group));
    assert_false(cgroup_add(&group, getpid())); // no file
    put_unwritable(name, "cgroup.procs");
    assert_false(cgroup_add(&group, getpid()));
    assert_int_equal(rmdir(in_root(name, "cgroup.procs")), 0);
    put(name, "cgroup.procs", "");
    put(name, "cgroup.kill", "");
    assert_true(cgroup_add(&group, getpid()));
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    assert_string_equal(get(name, "cgroup.procs"), pid);
    cgroup_kill(&group);
    assert_string_equal(get(name, "cgroup.kill"), "1");
    assert_int_equal(remove(in_root(name, "cgroup.procs")), 0);
    assert_int_equal(remove(in_root(name, "cgroup.kill")), 0);
    cgroup_destroy(&group);
    assert_false(there(name));
    assert_string_equal(group.path, "");
    cgroup_destroy(&group); // twice is as once
}

static unsigned groups_of(pid_t pid)
{
    char stem[32];
    unsigned count = 0;
    snprintf(stem, sizeof stem, "regatta-%d-", (int)pid);
    DIR *directory = opendir(root);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += strncmp(entry->d_name, stem, strlen(stem)) == 0;
    closedir(directory);
    return count;
}

// A program that is killed leaves its groups; the next one takes them away, but not those of programs that run.
static void groups_of_dead_programs_go(void **state)
{
    (void)state;
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t dead = fork();
    if (dead == 0) {
        struct cgroup group;
        bool good = cgroup_create_below(&group, root) && cgroup_create_below(&group, root);
        if (write(told[1], good ? "g" : "b", 1) == 1)
            pause();
        _exit(0);
    }
    char answer;
    assert_int_equal(read(told[0], &answer, 1), 1);
    assert_int_equal(answer, 'g');
    struct cgroup own;
    assert_true(cgroup_create_below(&own, root));
    assert_int_equal(mkdir(in_root("somebody-1", ""), 0755), 0);
    assert_int_equal(groups_of(dead), 2);
    cgroup_prepare(root);
    assert_int_equal(groups_of(dead), 2); // it lives
    assert_int_equal(kill(dead, SIGKILL), 0);
    assert_int_equal(waitpid(dead, NULL, 0), dead);
    cgroup_prepare(root);
    assert_int_equal(groups_of(dead), 0);
    assert_true(there(name_of(&own)));
    assert_true(there("somebody-1"));
    close(told[0]);
    close(told[1]);
}

static void the_smallest_limit_on_the_way_up_counts(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_root("a", ""), 0755), 0);
    assert_int_equal(mkdir(in_root("a/b", ""), 0755), 0);
    assert_int_equal(cgroup_smallest(root, "/a/b", "memory.max"), 0);
    put("a/b", "memory.max", "max\n");
    assert_int_equal(cgroup_smallest(root, "/a/b", "memory.max"), 0);
    put("a", "memory.max", "7000\n");
    assert_int_equal(cgroup_smallest(root, "/a/b", "memory.max"), 7000);
    put("a/b", "memory.max", "9000\n");
    assert_int_equal(cgroup_smallest(root, "/a/b", "memory.max"), 7000);
    put("a/b", "memory.max", "6000\n");
    assert_int_equal(cgroup_smallest(root, "/a/b", "memory.max"), 6000);
    put("", "memory.max", "50\n");
    assert_int_equal(cgroup_smallest(root, "/a/b", "memory.max"), 50);
    // As version 1 says that there is none.
    put("a", "memory.limit_in_bytes", "9223372036854771712\n");
    assert_int_equal(cgroup_smallest(root, "/a", "memory.limit_in_bytes"), 0);
    put("a", "memory.limit_in_bytes", "nonsense");
    assert_int_equal(cgroup_smallest(root, "/a", "memory.limit_in_bytes"), 0);
    char *deep = malloc(5000);
    assert_non_null(deep);
    memset(deep, 'x', 4999);
    deep[4999] = '\0';
    assert_int_equal(cgroup_smallest(root, deep, "memory.max"), 0);
    free(deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_counts_and_ends_all_that_is_in_it),
        cmocka_unit_test(without_a_group_nothing_happens),
#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)
        IN_ROOT(controllers_are_handed_on),
        IN_ROOT(a_memory_limit_is_in_force_only_where_it_was_written),
        IN_ROOT(events_tell_who_was_killed_for_memory),
        IN_ROOT(cpu_time_is_read_where_it_is_counted),
        IN_ROOT(processes_go_in_and_are_killed_by_its_files),
        IN_ROOT(groups_of_dead_programs_go),
        IN_ROOT(the_smallest_limit_on_the_way_up_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
