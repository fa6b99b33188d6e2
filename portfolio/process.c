#include "portfolio/process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/program.h"
#include "engines/registry/registry.h"

// An attempt in a process of its own: the program is started again (never forked: the solver has
// threads), gets its job over a socket, shares a page of progress and answers over the socket. The
// attempt's thread starts, hears and reaps it, so the process dies with its parent: the system kills
// it when this thread goes (PR_SET_PDEATHSIG), and it leaves when the socket closes.

extern char **environ;

// Shared memory.

bool process_prepare(struct attempt *a)
{
    assert(a->page == &a->own_page);
    int fd = memfd_create("regatta progress", MFD_CLOEXEC);
    if (fd < 0)
        return false;
    void *page = MAP_FAILED;
    if (ftruncate(fd, (off_t)sizeof(struct attempt_page)) == 0)
        page = mmap(NULL, sizeof(struct attempt_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        close(fd);
        return false;
    }
    a->page = page;
    a->process.page_fd = fd;
    return true;
}

// Starting.

// Its end of the socket and the page under their agreed numbers, nothing to read, nothing to print.
static int spawn(struct attempt *a, int socket, pid_t *pid)
{
    // Out of the way of the agreed numbers.
    int high_socket = fcntl(socket, F_DUPFD_CLOEXEC, 10);
    int high_page = fcntl(a->process.page_fd, F_DUPFD_CLOEXEC, 10);
    int error = errno == EINVAL ? EMFILE : errno; // beyond the limit is an argument that is none
    if (high_socket >= 0 && high_page >= 0) {
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, high_socket, WORKER_SOCKET);
        posix_spawn_file_actions_adddup2(&actions, high_page, WORKER_PAGE);
        program_attributes(&attributes);
        error = posix_spawn(pid, "/proc/self/exe", &actions, &attributes,
                            (char *const *)a->shared->worker->arguments, environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (high_socket >= 0)
        close(high_socket);
    if (high_page >= 0)
        close(high_page);
    return error;
}

// Starts the worker and gives it its job. False with an outcome.
static bool start(struct attempt *a)
{
    assert(a->process.pid == 0 && a->process.fd == 0 && "one process an attempt");
    int sockets[2];
    pid_t pid;
    int error = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        error = errno;
    } else {
        error = spawn(a, sockets[1], &pid);
        close(sockets[1]);
        if (error != 0)
            close(sockets[0]);
    }
    if (error != 0) {
        attempt_refused(a, "a process", error);
        return false;
    }
    // Before it has anything to do.
    if (cgroup_create(&a->process.cgroup)) {
        if (a->memory_limit)
            cgroup_limit_memory(&a->process.cgroup, a->memory_limit);
        if (!cgroup_add(&a->process.cgroup, pid))
            cgroup_destroy(&a->process.cgroup);
    }
    struct text job;
    text_init(&job);
    worker_job_put(&job, a);
    wire_send(sockets[0], &job); // if it is gone already, hearing it will tell
    text_finish(&job);
    pthread_mutex_lock(&a->lock);
    a->process.fd = sockets[0];
    a->process.pid = pid;
    pthread_mutex_unlock(&a->lock);
    // A request that came before there was somebody to send it to.
    if (atomic_load(&a->stop) != END_NONE)
        carrier_process.press(a);
    return true;
}

// On the coordinator's thread.

static void press(struct attempt *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->process.pid && !a->process.asked) {
        a->process.asked = true;
        struct text frame;
        text_init(&frame);
        wire_put(&frame, WORKER_STOP);
        wire_put(&frame, (uint64_t)atomic_load(&a->stop));
        wire_send(a->process.fd, &frame); // few bytes: they fit the socket's buffer
        text_finish(&frame);
    }
    pthread_mutex_unlock(&a->lock);
}

static void end_by_force(struct attempt *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->process.pid && !a->process.killed) {
        a->process.killed = true;
        kill(-a->process.pid, SIGKILL);
        cgroup_kill(&a->process.cgroup);
    }
    pthread_mutex_unlock(&a->lock);
}

// Hearing.

// The same name, which stays; NULL = no solver's.
static const char *known_solver(const char *name)
{
    static const char *const checkers[] = {"cadical", "cvc5"};
    if (strcmp(name, smt_backends()[0]) == 0)
        return smt_backends()[0];
    for (size_t i = 0; i < sizeof checkers / sizeof *checkers; i++)
        if (strcmp(name, checkers[i]) == 0)
            return checkers[i];
    return NULL;
}

// True when the frame was an outcome; false for nonsense.
static bool take_outcome(struct attempt *a, struct wire_reader *in)
{
    uint64_t verdict = wire_get(in), reason = wire_get(in);
    uint64_t checked = wire_get(in), check_ns = wire_get(in);
    char *checker = wire_get_string(in);
    char *why = wire_get_string(in), *certificate = wire_get_string(in);
    char *precision = wire_get_string(in);
    size_t count;
    const char *statistics = wire_get_bytes(in, &count);
    bool has_trace = wire_get(in) != 0;
    bool good =
        !in->failed && verdict <= VERDICT_UNSAFE && reason <= END_INTERNAL &&
        checked <= CHECK_MISSING && count == sizeof a->outcome.solver &&
        (has_trace == (verdict == VERDICT_UNSAFE) ||
         (verdict == VERDICT_UNSAFE && checked == CHECK_PASSED && attempt_may_lack_trace(a)));
    if (good) {
        memcpy(&a->outcome.solver, statistics, count);
        a->outcome.checked = (enum check)checked;
        a->outcome.checker = known_solver(checker);
        a->outcome.check_ns = (int64_t)check_ns;
        if (certificate != NULL)
            text_add(&a->outcome.certificate, certificate);
        if (precision != NULL)
            text_add(&a->outcome.precision, precision);
        attempt_conclude(a, (enum verdict)verdict, (enum end_reason)reason, why);
        // Nothing is believed that another process says: the trace is replayed here again.
        if (has_trace)
            attempt_check_unsafe(a, wire_get_trace(in, a->shared->model));
    }
    memory_free(why);
    memory_free(checker);
    memory_free(certificate);
    memory_free(precision);
    return good;
}

// Takes what it shares and answers with what is new. False for nonsense.
static bool answer_share(struct attempt *a, struct wire_reader *in)
{
    char *text = wire_get_string(in);
    bool good = !in->failed && a->shared->exchange != NULL;
    if (good) {
        attempt_give(a, text);
        struct text news, frame;
        text_init(&news);
        text_init(&frame);
        attempt_take(a, &news);
        wire_put(&frame, WORKER_NEWS);
        wire_put_bytes(&frame, text_string(&news), news.length);
        pthread_mutex_lock(&a->lock); // a request to stop may be on its way
        if (news.length)
            wire_send(a->process.fd, &frame);
        pthread_mutex_unlock(&a->lock);
        text_finish(&news);
        text_finish(&frame);
    }
    memory_free(text);
    return good;
}

static bool hear(struct attempt *a)
{
    struct text frame;
    text_init(&frame);
    bool good, answered = false;
    do {
        good = wire_receive(a->process.fd, &frame);
        struct wire_reader in = {frame.data, frame.data + frame.length, false};
        uint64_t kind = good ? wire_get(&in) : 0;
        answered = kind == WORKER_OUTCOME;
        if (answered)
            good = take_outcome(a, &in);
        else
            good = kind == WORKER_SHARE && answer_share(a, &in);
    } while (good && !answered);
    text_finish(&frame);
    return good;
}

// Once it has answered it is of no more use.
static int reap(struct attempt *a, bool answered, struct rusage *usage)
{
    assert(a->process.pid > 0 && a->process.fd > 0);
    pid_t pid = a->process.pid;
    int status = 0;
    if (answered)
        kill(-pid, SIGKILL);
    siginfo_t info;
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        continue;
    // Whatever it may have started goes with it, while its number is still its own.
    kill(-pid, SIGKILL);
    pthread_mutex_lock(&a->lock);
    while (wait4(pid, &status, 0, usage) < 0 && errno == EINTR)
        continue;
    close(a->process.fd);
    a->process.pid = 0;
    a->process.fd = 0;
    pthread_mutex_unlock(&a->lock);
    return status;
}

void process_release(struct attempt *a)
{
    if (a->process.pid) { // its thread ran out of memory while it listened
        struct rusage usage;
        reap(a, true, &usage);
        cgroup_destroy(&a->process.cgroup);
    }
    if (a->page == &a->own_page)
        return;
    munmap(a->page, sizeof *a->page);
    close(a->process.page_fd);
    a->page = &a->own_page;
}

static const char *event_name(int event)
{
    static const char *const names[] = {"a round began", "a counterexample was found",
                                        "a counterexample was refined", "a sample"};
    return event >= 0 && event < 4 ? names[event] : "?";
}

static void add_last_event(struct text *why, const struct attempt *a)
{
    uint64_t rounds = atomic_load_explicit(&a->page->rounds, memory_order_relaxed);
    if (rounds == 0)
        text_add(why, "; before its first event");
    else
        text_printf(why, "; its last event, number %llu: %s", (unsigned long long)rounds,
                    event_name(atomic_load_explicit(&a->page->last_event, memory_order_relaxed)));
}

// It ended without an answer.
static void conclude_death(struct attempt *a, int status, const struct rusage *usage)
{
    assert(a->process.pid == 0 && "it was reaped");
    enum end_reason asked = (enum end_reason)atomic_load(&a->stop);
    if (asked != END_NONE) {
        attempt_conclude(a, VERDICT_UNKNOWN, asked,
                         a->process.killed ? "its process was killed" : NULL);
        return;
    }
    struct text why;
    text_init(&why);
    if (WIFSIGNALED(status))
        text_printf(&why, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        text_printf(&why, "its process left with code %d", WEXITSTATUS(status));
    // A solver that is refused memory may well die of it.
    uint64_t peak = (uint64_t)usage->ru_maxrss * 1024;
    bool full = cgroup_ran_out_of_memory(&a->process.cgroup) ||
                (a->memory_limit && peak >= a->memory_limit - a->memory_limit / 8);
    if (full) {
        text_add(&why, " at ");
        text_add_size(&why, peak);
        text_add(&why, ", the limit being ");
        text_add_size(&why, a->memory_limit);
    }
    add_last_event(&why, a);
    attempt_conclude(a, VERDICT_UNKNOWN, full ? END_MEMORY : END_CRASHED, text_string(&why));
    text_finish(&why);
}

static void work(struct attempt *a)
{
    if (a->shared->worker == NULL) {
        attempt_conclude(a, VERDICT_UNKNOWN, END_UNSUPPORTED, "no process can be started here");
        return;
    }
    if (!start(a))
        return;
    struct rusage usage = {0};
    bool answered = hear(a);
    int status = reap(a, answered, &usage);
    // The group's account has what the process started as well.
    int64_t all_ns = cgroup_cpu_ns(&a->process.cgroup);
    int64_t own_ns = clock_usage_ns(&usage);
    a->outcome.cpu_ns = all_ns > own_ns ? all_ns : own_ns;
    if (!answered)
        conclude_death(a, status, &usage);
    pthread_mutex_lock(&a->lock);
    cgroup_destroy(&a->process.cgroup);
    pthread_mutex_unlock(&a->lock);
}

const struct carrier carrier_process = {work, press, end_by_force};
