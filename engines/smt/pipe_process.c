#include "engines/smt/pipe_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/program.h"
#include "engines/smt/pipe_keeper.h"

#define LOOK_MS 20
// Time to forget everything, and CPU time after which a program is not used again: what it has gathered by
// then may be much.
#define LONGEST_GREETING_NS INT64_C(1000000000)
#define LONGEST_SERVICE_NS INT64_C(5000000000)

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

bool pipe_is(const char *const *words, const char *name)
{
    const char *slash = strrchr(words[0], '/');
    return strcmp(slash != NULL ? slash + 1 : words[0], name) == 0;
}

// A program that took (reset) for something else would keep what it was told, and its answers would be wrong: none is
// asked to but those that are known to do it.
static void set_key(struct pipe_process *p, const char *const *words)
{
    if (!pipe_is(words, "z3") && !pipe_is(words, "cvc5"))
        return;
    for (size_t i = 0; words[i] != NULL; i++)
        text_printf(&p->key, "%s ", words[i]);
}

// The CPU time of the program so far.
static int64_t cpu_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void count_cpu(struct pipe_process *p)
{
    int64_t now = cpu_ns(p->pid);
    if (now > p->counted_ns) {
        program_count_cpu(now - p->counted_ns);
        p->counted_ns = now;
    }
}

static bool start_new(struct pipe_process *p, const char *const *words)
{
    struct text path;
    int sockets[2];
    text_init(&path);
    bool good =
        find(words[0], &path) && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0;
    if (good) {
        p->pid = keeper_start(text_string(&path), words, sockets[1]);
        p->fd = sockets[0];
        close(sockets[1]);
        good = p->pid != 0 && fcntl(p->fd, F_SETFL, O_NONBLOCK) == 0;
        if (p->pid == 0)
            close(p->fd);
    }
    text_finish(&path);
    return good;
}

static bool took_too_long(void *context)
{
    const int64_t *begin_ns = context;
    return clock_wall_ns() - *begin_ns > LONGEST_GREETING_NS;
}

// One that waits was told to forget everything; that it did so without a complaint is heard here.
static bool take_waiting(struct pipe_process *p)
{
    if (p->key.length == 0 || !keeper_take(text_string(&p->key), &p->pid, &p->fd))
        return false;
    struct arena arena;
    struct sexpr_answers answers = {0};
    int64_t begin_ns = clock_wall_ns();
    p->counted_ns = cpu_ns(p->pid);
    arena_init(&arena);
    bool good = pipe_ask(p, "", &arena, &answers, took_too_long, &begin_ns) == PIPE_ANSWERED &&
                answers.count == 0;
    VECTOR_FINISH(&answers);
    arena_finish(&arena);
    if (!good) {
        keeper_end(p->pid, p->fd);
        p->pid = 0;
    }
    return good;
}

// It works where its user does.
static void place(pid_t pid)
{
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        sched_setaffinity(pid, sizeof cpus, &cpus);
}

bool pipe_start(struct pipe_process *p, const char *const *words, const char *greeting)
{
    *p = (struct pipe_process){0};
    if (words[0] == NULL)
        return false;
    set_key(p, words);
    if (!take_waiting(p) && !start_new(p, words)) {
        pipe_end(p);
        return false;
    }
    place(p->pid);
    text_add(&p->out, greeting);
    return true;
}

static void finish(struct pipe_process *p)
{
    text_finish(&p->key);
    text_finish(&p->out);
    text_finish(&p->in);
    id_map_finish(&p->known);
    VECTOR_FINISH(&p->sorts);
    *p = (struct pipe_process){0};
}

void pipe_end(struct pipe_process *p)
{
    if (p->pid != 0) {
        count_cpu(p);
        keeper_end(p->pid, p->fd);
    }
    finish(p);
}

void pipe_release(struct pipe_process *p)
{
    static const char forget[] = "(reset)\n";
    bool keep = p->pid != 0 && p->settled && p->key.length > 0 &&
                cpu_ns(p->pid) < LONGEST_SERVICE_NS &&
                send(p->fd, forget, sizeof forget - 1, MSG_NOSIGNAL) == sizeof forget - 1 &&
                keeper_keep(text_string(&p->key), p->pid, p->fd);
    if (keep) {
        count_cpu(p);
        finish(p);
    } else {
        pipe_end(p);
    }
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
    enum pipe_status status = PIPE_STOPPED;
    bool goes_on = true;
    p->settled = false;
    snprintf(marker, sizeof marker, "answered%llu", (unsigned long long)++p->questions);
    text_printf(&p->out, "%s\n(echo \"%s\")\n", question, marker);
    while (goes_on) {
        if (!send_some(p, &sent)) {
            status = PIPE_GONE;
            break;
        }
        if (sent == p->out.length) {
            text_clear(&p->out);
            sent = 0;
        }
        struct pollfd fd = {p->fd, (short)(POLLIN | (p->out.length > 0 ? POLLOUT : 0)), 0};
        poll(&fd, 1, LOOK_MS);
        bool alive = !(fd.revents & (POLLIN | POLLHUP | POLLERR)) || receive(p);
        bool answered = take(p, marker, arena, answers);
        count_cpu(p);
        if (answered || !alive)
            status = answered ? PIPE_ANSWERED : PIPE_GONE;
        goes_on = !answered && alive && !stopped(context);
    }
    p->settled = status == PIPE_ANSWERED;
    for (size_t i = 0; i < answers->count && p->settled; i++)
        p->settled = !sexpr_is_call(answers->data[i], "error", 2);
    return status;
}
