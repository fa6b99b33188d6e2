#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/guard.h"

extern char **environ;

static _Thread_local _Atomic int64_t *cpu_account;
static _Atomic int64_t living_cpu_ns;

void program_count_cpu_in(_Atomic int64_t *account)
{
    cpu_account = account;
}

void program_count_cpu(int64_t ns)
{
    if (cpu_account != NULL)
        atomic_fetch_add_explicit(cpu_account, ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&living_cpu_ns, ns, memory_order_relaxed);
}

void program_count_reaped(int64_t ns)
{
    atomic_fetch_sub_explicit(&living_cpu_ns, ns, memory_order_relaxed);
}

int64_t program_living_cpu_ns(void)
{
    return atomic_load_explicit(&living_cpu_ns, memory_order_relaxed);
}

void program_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(attributes);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                             POSIX_SPAWN_SETPGROUP);
}

int program_start(const char *const *arguments, posix_spawn_file_actions_t *actions, pid_t *pid)
{
    posix_spawnattr_t attributes;
    program_attributes(&attributes);
    guard_start();
    int error =
        posix_spawnp(pid, arguments[0], actions, &attributes, (char *const *)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(actions);
    if (error == 0)
        guard_add(*pid);
    return error;
}

static int start(const char *const *arguments, int output, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    return program_start(arguments, &actions, pid);
}

enum { LOOK_MS = 50 };

// False when the thread's budget is used up before the program says its last.
static bool read_all(int fd, struct text *output)
{
    char bytes[4096];
    struct pollfd end = {.fd = fd, .events = POLLIN};
    for (;;) {
        if (budget_over())
            return false;
        if (poll(&end, 1, LOOK_MS) == 0)
            continue;
        ssize_t read_bytes = read(fd, bytes, sizeof bytes);
        if (read_bytes > 0)
            text_add_bytes(output, bytes, (size_t)read_bytes);
        else if (read_bytes == 0 || errno != EINTR)
            return true;
    }
}

int program_run(const char *const *arguments, struct text *output, struct text *why)
{
    int ends[2], status = 0;
    pid_t pid;
    int error = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (error == 0) {
        error = start(arguments, ends[1], &pid);
        close(ends[1]);
        if (error != 0)
            close(ends[0]);
    }
    if (error != 0) {
        text_printf(why, "%s: %s", arguments[0], strerror(error));
        return -1;
    }
    bool whole = read_all(ends[0], output);
    close(ends[0]);
    // With what it started: "timeout 120 node" is two processes.
    if (!whole)
        kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    guard_remove(pid);
    if (!whole)
        budget_look_now();
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
