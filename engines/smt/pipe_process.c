#include "engines/smt/pipe_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 20

extern char **environ;

// Starting.

static bool find(const char *program, struct text *path)
{
    const char *at = strchr(program, '/') != NULL ? "" : getenv("PATH");
    while (at != NULL) {
        size_t length = strcspn(at, ":");
        text_clear(path);
        text_add_bytes(path, at, length);
        if (length > 0)
            text_add_char(path, '/');
        text_add(path, program);
        if (access(text_string(path), X_OK) == 0)
            return true;
        at = at[length] == ':' ? at + length + 1 : NULL;
    }
    return false;
}

bool pipe_finds(const char *program)
{
    struct text path;
    text_init(&path);
    bool found = find(program, &path);
    text_finish(&path);
    return found;
}

// In the child, which still shares the parent's memory: system calls only.
static _Noreturn void become(const char *path, const char *const *words, int fd, int null,
                             const struct rlimit *memory, pid_t parent)
{
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    setrlimit(RLIMIT_AS, memory);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    dup2(fd, STDIN_FILENO);
    dup2(fd, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(path, (char *const *)(uintptr_t)words, environ);
    _exit(127);
}

// A solver that eats memory must not take the machine down.
static struct rlimit memory_limit(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    getrlimit(RLIMIT_AS, &limit);
    rlim_t half = pages > 0 && size > 0 ? (rlim_t)pages * (rlim_t)size / 2 : RLIM_INFINITY;
    if (half < limit.rlim_cur)
        limit.rlim_cur = half;
    return limit;
}

// posix_spawn cannot ask for the death signal.
static pid_t spawn(const char *path, const char *const *words, int fd)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0)
        return -1;
    const struct rlimit memory = memory_limit();
    const pid_t parent = getpid();
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = vfork();
    if (pid == 0)
        become(path, words, fd, null, &memory, parent);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(null);
    return pid;
}

bool pipe_start(struct pipe_process *p, const char *const *words)
{
    struct text path;
    int sockets[2];
    text_init(&path);
    *p = (struct pipe_process){0};
    bool good = words[0] != NULL && find(words[0], &path) &&
                socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0;
    if (good) {
        p->pid = spawn(text_string(&path), words, sockets[1]);
        close(sockets[1]);
        good = p->pid > 0 && fcntl(sockets[0], F_SETFL, O_NONBLOCK) == 0;
        p->fd = sockets[0];
        if (p->pid < 0) {
            p->pid = 0;
            close(sockets[0]);
        }
        if (!good)
            pipe_end(p);
    }
    text_finish(&path);
    return good;
}

void pipe_end(struct pipe_process *p)
{
    if (p->pid != 0) {
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        close(p->fd);
    }
    text_finish(&p->out);
    text_finish(&p->in);
    id_map_finish(&p->known);
    VECTOR_FINISH(&p->sorts);
    *p = (struct pipe_process){0};
}

// Talking.

// Takes what is there, but not more than a few pieces: a program that talks without end must not keep
// us from looking at the stop flag. False when the program is gone.
static bool receive(struct pipe_process *p)
{
    char bytes[16384];
    for (unsigned pieces = 0; pieces < 4;) {
        ssize_t got = recv(p->fd, bytes, sizeof bytes, 0);
        if (got > 0) {
            text_add_bytes(&p->in, bytes, (size_t)got);
            pieces++;
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            return false;
        } else if (errno == EAGAIN) {
            break;
        }
    }
    return true;
}

static bool send_some(struct pipe_process *p, size_t *sent)
{
    while (*sent < p->out.length) {
        ssize_t count = send(p->fd, p->out.data + *sent, p->out.length - *sent, MSG_NOSIGNAL);
        if (count >= 0)
            *sent += (size_t)count;
        else if (errno == EAGAIN)
            return true;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

// Takes complete expressions out of what was received. True when the marker came. Parsing starts at
// the last complete one again, and only at the end of a line, so that answers that come in many pieces
// stay cheap.
static bool take(struct pipe_process *p, const char *marker, struct arena *arena,
                 struct sexpr_answers *answers)
{
    struct text why;
    bool found = false;
    text_init(&why);
    while (!found && p->in.length > 0 && p->in.data[p->in.length - 1] == '\n') {
        struct sexpr_reader reader = {
            .at = p->in.data + p->scanned, .end = p->in.data + p->in.length, .line = 1};
        const struct sexpr *e;
        enum sexpr_status status = sexpr_read(&reader, arena, &e, &why);
        if (status == SEXPR_END || (status == SEXPR_WRONG && reader.at >= reader.end))
            break;
        p->scanned = (size_t)(reader.at - p->in.data) + (status == SEXPR_WRONG);
        if (status == SEXPR_WRONG)
            continue; // words for people
        found = e->text != NULL && strcmp(e->text, marker) == 0;
        if (!found)
            VECTOR_PUSH(answers, e);
    }
    if (found) {
        text_clear(&p->in);
        p->scanned = 0;
    }
    text_finish(&why);
    return found;
}

enum pipe_status pipe_ask(struct pipe_process *p, const char *question, struct arena *arena,
                          struct sexpr_answers *answers, bool (*stopped)(void *context),
                          void *context)
{
    char marker[32];
    size_t sent = 0;
    snprintf(marker, sizeof marker, "answered%llu", (unsigned long long)++p->questions);
    text_printf(&p->out, "%s\n(echo \"%s\")\n", question, marker);
    for (;;) {
        if (!send_some(p, &sent))
            return PIPE_GONE;
        if (sent == p->out.length) {
            text_clear(&p->out);
            sent = 0;
        }
        struct pollfd fd = {p->fd, (short)(POLLIN | (p->out.length > 0 ? POLLOUT : 0)), 0};
        poll(&fd, 1, LOOK_MS);
        bool alive = !(fd.revents & (POLLIN | POLLHUP | POLLERR)) || receive(p);
        if (take(p, marker, arena, answers))
            return PIPE_ANSWERED;
        if (!alive)
            return PIPE_GONE;
        if (stopped(context))
            return PIPE_STOPPED;
    }
}
