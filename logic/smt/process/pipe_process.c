#include "logic/smt/process/pipe_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/program.h"
#include "logic/smt/process/pipe_keeper.h"

#define LOOK_MS 20
// Time to forget everything, and CPU time after which a program is not used again: what it has gathered by
// then may be much.
#define LONGEST_GREETING_NS INT64_C(1000000000)
#define LONGEST_SERVICE_NS INT64_C(5000000000)
// What a program may say before it has answered. A command has one answer, which may be a warning in plain words, each
// of which reads as an answer; and it may greet. A model of 64 MB is more than can be read and checked.
#define WORDS_PER_COMMAND 16
#define WORDS_BESIDE 4096
#define ANSWER_BYTES ((size_t)64 << 20)
// Of its standard error: the first words say what is wrong. And what is shown of them.
#define ERROR_BYTES 1000
#define SHOWN_BYTES 200
// How long a program may take to end once it has closed its output.
#define LONGEST_END_MS 200

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

static void count_cpu(struct pipe_process *p)
{
    int64_t now = clock_cpu_ns_of_process(p->program.pid);
    if (now > p->counted_ns) {
        program_count_cpu(now - p->counted_ns);
        p->counted_ns = now;
    }
}

// Our ends do not block.
static bool open_ends(int sockets[2], int errors[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return false;
    if (pipe2(errors, O_CLOEXEC) == 0) {
        if (fcntl(sockets[0], F_SETFL, O_NONBLOCK) == 0 &&
            fcntl(errors[0], F_SETFL, O_NONBLOCK) == 0)
            return true;
        close(errors[0]);
        close(errors[1]);
    }
    close(sockets[0]);
    close(sockets[1]);
    return false;
}

static bool start_new(struct pipe_process *p, const char *const *words)
{
    struct text path;
    int sockets[2], errors[2];
    text_init(&path);
    if (find(words[0], &path) && open_ends(sockets, errors)) {
        p->program.pid = keeper_start(text_string(&path), words, sockets[1], errors[1]);
        p->program.fd = sockets[0];
        p->program.errors = errors[0];
        close(sockets[1]);
        close(errors[1]);
        if (p->program.pid == 0) {
            close(sockets[0]);
            close(errors[0]);
        }
    }
    text_finish(&path);
    return p->program.pid != 0;
}

static bool took_too_long(void *context)
{
    const int64_t *begin_ns = context;
    return clock_wall_ns() - *begin_ns > LONGEST_GREETING_NS;
}

// One that waits was told to forget everything; that it did so without a complaint is heard here.
static bool take_waiting(struct pipe_process *p)
{
    if (p->key.length == 0 || !keeper_take(text_string(&p->key), &p->program))
        return false;
    struct arena arena;
    struct sexpr_answers answers = {0};
    int64_t begin_ns = clock_wall_ns();
    p->counted_ns = clock_cpu_ns_of_process(p->program.pid);
    arena_init(&arena);
    bool good = pipe_ask(p, "", &arena, &answers, took_too_long, &begin_ns) == PIPE_ANSWERED &&
                answers.count == 0;
    VECTOR_FINISH(&answers);
    arena_finish(&arena);
    if (!good) {
        keeper_end(&p->program);
        p->program.pid = 0;
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
    place(p->program.pid);
    text_add(&p->out, greeting);
    return true;
}

static void finish(struct pipe_process *p)
{
    text_finish(&p->key);
    text_finish(&p->out);
    text_finish(&p->in);
    text_finish(&p->words);
    id_map_finish(&p->known);
    VECTOR_FINISH(&p->sorts);
    *p = (struct pipe_process){0};
}

void pipe_end(struct pipe_process *p)
{
    if (p->program.pid != 0) {
        count_cpu(p);
        keeper_end(&p->program);
    }
    finish(p);
}

void pipe_release(struct pipe_process *p)
{
    static const char forget[] = "(reset)\n";
    bool keep = p->program.pid != 0 && p->settled && p->key.length > 0 &&
                clock_cpu_ns_of_process(p->program.pid) < LONGEST_SERVICE_NS &&
                send(p->program.fd, forget, sizeof forget - 1, MSG_NOSIGNAL) == sizeof forget - 1 &&
                keeper_keep(text_string(&p->key), &p->program);
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
        ssize_t got = recv(p->program.fd, bytes, sizeof bytes, 0);
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
        ssize_t count =
            send(p->program.fd, p->out.data + *sent, p->out.length - *sent, MSG_NOSIGNAL);
        if (count >= 0)
            *sent += (size_t)count;
        else if (errno == EAGAIN)
            return true;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

// What it says on its standard error is read so that it need not wait for us, and the beginning kept.
static void hear_errors(struct pipe_process *p)
{
    char bytes[4096];
    for (unsigned pieces = 0; pieces < 4 && p->program.errors >= 0; pieces++) {
        ssize_t got = read(p->program.errors, bytes, sizeof bytes);
        if (got > 0) {
            size_t room = p->words.length < ERROR_BYTES ? ERROR_BYTES - p->words.length : 0;
            text_add_bytes(&p->words, bytes, (size_t)got < room ? (size_t)got : room);
        } else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        } else {
            close(p->program.errors);
            p->program.errors = -1;
        }
    }
}

static void scan(struct pipe_process *p)
{
    struct pipe_scan *s = &p->scan;
    for (; s->looked_at < p->in.length; s->looked_at++) {
        char c = p->in.data[s->looked_at];
        if (c == '\0')
            p->nonsense = "what it says is no text";
        if (s->inside != '\0' && c != (s->inside == ';' ? '\n' : s->inside))
            continue;
        bool in_word = s->inside == '"' || s->inside == '|';
        s->inside = '\0';
        if (in_word)
            continue;
        if (c == '"' || c == '|' || c == ';')
            s->inside = c;
        else if (c == '(')
            s->depth++;
        else if (c == ')' && s->depth > 0)
            s->depth--;
        else if (c == '\n' && s->depth == 0)
            s->complete = s->looked_at + 1;
    }
}

// Takes complete expressions out of what was received. True when the marker came.
static bool take(struct pipe_process *p, const char *marker, struct arena *arena,
                 struct sexpr_answers *answers, size_t *strange, size_t limit)
{
    struct text why;
    bool found = false;
    text_init(&why);
    scan(p);
    while (!found && p->nonsense == NULL && p->scan.taken < p->scan.complete) {
        struct sexpr_reader reader = {
            .at = p->in.data + p->scan.taken, .end = p->in.data + p->scan.complete, .line = 1};
        const struct sexpr *e;
        enum sexpr_status status = sexpr_read(&reader, arena, &e, &why);
        text_clear(&why);
        p->scan.taken = (size_t)(reader.at - p->in.data);
        if (status == SEXPR_WRONG) { // words for people
            p->scan.taken += p->scan.taken < p->scan.complete;
            ++*strange;
        } else if (status == SEXPR_READ) {
            found = e->text != NULL && strcmp(e->text, marker) == 0;
            if (!found)
                VECTOR_PUSH(answers, e);
            if (sexpr_is_call(e, "echo", 2) && e->child[1]->text != NULL &&
                strcmp(e->child[1]->text, marker) == 0)
                p->nonsense = "it says what it was told";
        }
        if (answers->count + *strange > limit)
            p->nonsense = "it says more than it was asked";
    }
    if (found) {
        text_clear(&p->in);
        p->scan = (struct pipe_scan){0};
    } else if (p->nonsense == NULL && p->in.length > ANSWER_BYTES) {
        p->nonsense = "its answer has no end";
    }
    text_finish(&why);
    return found;
}

static size_t lines_of(const struct text *text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    return lines;
}

// Waits for it to say something, or to take more.
static bool hear(struct pipe_process *p)
{
    struct pollfd fds[2] = {
        {p->program.fd, (short)(POLLIN | (p->out.length > 0 ? POLLOUT : 0)), 0},
        {p->program.errors, POLLIN, 0},
    };
    poll(fds, 2, LOOK_MS);
    if (fds[1].revents != 0)
        hear_errors(p);
    return !(fds[0].revents & (POLLIN | POLLHUP | POLLERR)) || receive(p);
}

const char *pipe_complaint(const struct sexpr_answers *answers)
{
    for (size_t i = 0; i < answers->count; i++) {
        const struct sexpr *e = answers->data[i];
        if (sexpr_is_call(e, "error", 2))
            return e->child[1]->text != NULL ? e->child[1]->text : "error";
    }
    return NULL;
}

enum pipe_status pipe_ask(struct pipe_process *p, const char *question, struct arena *arena,
                          struct sexpr_answers *answers, bool (*stopped)(void *context),
                          void *context)
{
    char marker[32];
    size_t sent = 0, strange = 0;
    enum pipe_status status = PIPE_STOPPED;
    p->settled = false;
    p->nonsense = NULL;
    text_clear(&p->words);
    snprintf(marker, sizeof marker, "answered%llu", (unsigned long long)++p->questions);
    text_printf(&p->out, "%s\n(echo \"%s\")\n", question, marker);
    // Commands have lines of their own.
    size_t limit = lines_of(&p->out) * WORDS_PER_COMMAND + WORDS_BESIDE;
    do {
        bool alive = send_some(p, &sent);
        if (sent == p->out.length) {
            text_clear(&p->out);
            sent = 0;
        }
        if (alive)
            alive = hear(p);
        else
            receive(p); // its last words
        bool answered = take(p, marker, arena, answers, &strange, limit);
        count_cpu(p);
        if (answered)
            status = PIPE_ANSWERED;
        else if (p->nonsense != NULL)
            status = PIPE_NONSENSE;
        else if (!alive)
            status = PIPE_GONE;
    } while (status == PIPE_STOPPED && !stopped(context));
    p->settled = status == PIPE_ANSWERED && pipe_complaint(answers) == NULL;
    return status;
}

// Explaining.

// What became of it: it is not reaped, so its number is still its own.
static void explain_end(const struct pipe_process *p, struct text *out)
{
    siginfo_t info = {0};
    for (unsigned ms = 0; ms < LONGEST_END_MS && info.si_pid == 0; ms++) {
        if (waitid(P_PID, (id_t)p->program.pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
            break;
        if (info.si_pid == 0)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    if (info.si_pid == 0)
        text_add(out, " closed its output");
    else if (info.si_code == CLD_EXITED)
        text_printf(out, " ended with code %d", info.si_status);
    else
        text_printf(out, " ended by signal %d", info.si_status);
}

void pipe_explain(struct pipe_process *p, enum pipe_status status, const char *const *words,
                  struct text *out)
{
    struct text command;
    text_init(&command);
    for (size_t i = 0; words[i] != NULL; i++)
        text_printf(&command, i > 0 ? " %s" : "%s", words[i]);
    text_add_words(out, text_string(&command), command.length, SHOWN_BYTES / 2);
    text_finish(&command);
    if (status == PIPE_GONE)
        explain_end(p, out);
    else
        text_printf(out, ": %s", p->nonsense);
    hear_errors(p);
    // Its answers may be the echo of what it was told, its errors are its own.
    const struct text *said = p->words.length > 0 ? &p->words : &p->in;
    struct text shown;
    text_init(&shown);
    text_add_words(&shown, text_string(said), said->length,
                   status == PIPE_GONE ? SHOWN_BYTES : SHOWN_BYTES / 4);
    if (shown.length > 0)
        text_printf(out, ": %s", text_string(&shown));
    text_finish(&shown);
}
