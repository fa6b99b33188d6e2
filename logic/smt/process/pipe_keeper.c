#include "logic/smt/process/pipe_keeper.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/guard.h"
#include "base/program.h"

// Each holds some 20 MB while it waits.
enum { WAITING_LIMIT = 8, KEY_LIMIT = 400, STACK_BYTES = 256 * 1024 };

extern char **environ;

struct waiting {
    char key[KEY_LIMIT];
    struct keeper_program program;
};

// What the thread has to do: one request at a time.
struct request {
    const char *path;
    const char *const *words;
    int fd, errors;
    pid_t pid; // the answer
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t asked, answered;
    bool runs;
    struct request *request; // NULL = free for the next
    bool done;
    struct waiting waiting[WAITING_LIMIT]; // the longest first
    unsigned count;
} keeper = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .asked = PTHREAD_COND_INITIALIZER,
    .answered = PTHREAD_COND_INITIALIZER,
};

// In the child, which still shares the parent's memory: system calls only.
static _Noreturn void become(const char *path, const char *const *words, int fd, int errors,
                             const struct rlimit *memory, pid_t parent)
{
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    setpgid(0, 0);
    guard_add(getpid());
    setrlimit(RLIMIT_AS, memory);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    dup2(fd, STDIN_FILENO);
    dup2(fd, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC);
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
static pid_t spawn(const struct request *request)
{
    const struct rlimit memory = memory_limit();
    const pid_t parent = getpid();
    guard_start();
    pid_t pid = vfork();
    if (pid == 0)
        become(request->path, request->words, request->fd, request->errors, &memory, parent);
    return pid > 0 ? pid : 0;
}

static void *keeper_main(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "keeper");
    pthread_mutex_lock(&keeper.lock);
    for (;;) {
        while (keeper.request == NULL || keeper.done)
            pthread_cond_wait(&keeper.asked, &keeper.lock);
        struct request *request = keeper.request;
        pthread_mutex_unlock(&keeper.lock);
        request->pid = spawn(request);
        pthread_mutex_lock(&keeper.lock);
        keeper.done = true;
        pthread_cond_broadcast(&keeper.answered);
    }
    return NULL;
}

// Under the lock.
static bool have_thread(void)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    if (keeper.runs)
        return true;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    keeper.runs = pthread_create(&thread, &attributes, keeper_main, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return keeper.runs;
}

pid_t keeper_start(const char *path, const char *const *words, int fd, int errors)
{
    struct request request = {.path = path, .words = words, .fd = fd, .errors = errors};
    pthread_mutex_lock(&keeper.lock);
    if (have_thread()) {
        while (keeper.request != NULL)
            pthread_cond_wait(&keeper.answered, &keeper.lock);
        keeper.request = &request;
        keeper.done = false;
        pthread_cond_signal(&keeper.asked);
        while (keeper.request != &request || !keeper.done)
            pthread_cond_wait(&keeper.answered, &keeper.lock);
        keeper.request = NULL;
        pthread_cond_broadcast(&keeper.answered);
    }
    pthread_mutex_unlock(&keeper.lock);
    return request.pid;
}

void keeper_end(const struct keeper_program *program)
{
    struct rusage usage = {0};
    // Before it is reaped: until then the number is its own.
    kill(-program->pid, SIGKILL);
    guard_remove(program->pid);
    while (wait4(program->pid, NULL, 0, &usage) < 0 && errno == EINTR)
        continue;
    close(program->fd);
    if (program->errors >= 0)
        close(program->errors);
    program_count_reaped(clock_usage_ns(&usage));
}

// Under the lock.
static struct waiting remove_waiting(unsigned index)
{
    struct waiting found = keeper.waiting[index];
    keeper.count--;
    memmove(&keeper.waiting[index], &keeper.waiting[index + 1],
            (keeper.count - index) * sizeof keeper.waiting[0]);
    return found;
}

bool keeper_take(const char *key, struct keeper_program *program)
{
    bool found = false;
    pthread_mutex_lock(&keeper.lock);
    // The one that came last: what it needs is likely still in the cache.
    for (unsigned i = keeper.count; i > 0 && !found; i--) {
        if (strcmp(keeper.waiting[i - 1].key, key) != 0)
            continue;
        *program = remove_waiting(i - 1).program;
        found = true;
    }
    pthread_mutex_unlock(&keeper.lock);
    return found;
}

bool keeper_keep(const char *key, const struct keeper_program *program)
{
    struct waiting oldest = {0};
    if (strlen(key) >= KEY_LIMIT)
        return false;
    pthread_mutex_lock(&keeper.lock);
    if (keeper.count == WAITING_LIMIT)
        oldest = remove_waiting(0);
    struct waiting *added = &keeper.waiting[keeper.count++];
    strcpy(added->key, key);
    added->program = *program;
    pthread_mutex_unlock(&keeper.lock);
    if (oldest.program.pid != 0)
        keeper_end(&oldest.program);
    return true;
}

void keeper_clear(void)
{
    for (;;) {
        struct waiting waiting = {0};
        pthread_mutex_lock(&keeper.lock);
        if (keeper.count > 0)
            waiting = remove_waiting(0);
        pthread_mutex_unlock(&keeper.lock);
        if (waiting.program.pid == 0)
            return;
        keeper_end(&waiting.program);
    }
}
