#include "base/guard.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// A session of its own is out of reach of the terminal's signals, and of who ends our group.
static const char script[] =
    "groups=' '\n"
    "while read -r what group; do\n"
    "  case $what in\n"
    "  add) groups=\"$groups$group \" ;;\n"
    "  remove) case $groups in *\" $group \"*)\n"
    "    groups=\"${groups%% \"$group\" *} ${groups#* \"$group\" }\" ;; esac ;;\n"
    "  esac\n"
    "done\n"
    "for group in $groups; do kill -s KILL -- \"-$group\"; done\n";

static _Atomic int connection = -1;
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

// In the child, which still shares the parent's memory: system calls only.
static _Noreturn void become(int fd, int null)
{
    static const char *const words[] = {"sh", "-c", script, "regatta-guard", NULL};
    static const char *const nothing[] = {NULL};
    sigset_t none;
    setsid();
    if (chdir("/") != 0)
        _exit(127);
    dup2(fd, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve("/bin/sh", (char *const *)(uintptr_t)words, (char *const *)(uintptr_t)nothing);
    _exit(127);
}

// Under the lock.
static void start(void)
{
    int ends[2];
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0)
        return;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
        pid_t pid = vfork();
        if (pid == 0)
            become(ends[1], null);
        close(ends[1]);
        if (pid > 0)
            atomic_store(&connection, ends[0]);
        else
            close(ends[0]);
    }
    close(null);
}

void guard_start(void)
{
    if (atomic_load(&connection) >= 0)
        return;
    pthread_mutex_lock(&starting);
    if (atomic_load(&connection) < 0)
        start();
    pthread_mutex_unlock(&starting);
}

// A few bytes, in one piece. A guard that does not read, or is gone, must not hold anybody up.
static void tell(const char *what, pid_t group)
{
    char line[32];
    size_t begin = sizeof line;
    int fd = atomic_load(&connection);
    if (fd < 0)
        return;
    line[--begin] = '\n';
    for (pid_t rest = group; rest > 0; rest /= 10)
        line[--begin] = (char)('0' + rest % 10);
    line[--begin] = ' ';
    for (size_t i = strlen(what); i > 0; i--)
        line[--begin] = what[i - 1];
    ssize_t sent = send(fd, line + begin, sizeof line - begin, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)sent;
}

void guard_add(pid_t group)
{
    tell("add", group);
}

void guard_remove(pid_t group)
{
    tell("remove", group);
}
