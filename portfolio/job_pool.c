#include "portfolio/job_pool.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/program.h"

extern char **environ;

enum { LOOK_MS = 100 };

struct job {
    pid_t pid; // 0 = the place is free
    int fd;    // readable once the process has ended
    int64_t started_ns, deadline_ns;
    uint64_t memory_bytes;
    enum job_fate fate;
};

struct job_pool {
    unsigned count;
    struct job *jobs;
    struct pollfd *polls;        // one a place, and wake_fd
    int wake_fd;                 // -1 once it was readable
    int64_t looked_ns;           // at the limits
    void (*look)(void *context); // may be NULL
    void *look_context;
};

struct job_pool *job_pool_create(unsigned places, int wake_fd)
{
    struct job_pool *pool = memory_zalloc(sizeof *pool);
    *pool = (struct job_pool){
        .count = places,
        .jobs = memory_zalloc(places * sizeof *pool->jobs),
        .polls = memory_zalloc((places + 1) * sizeof *pool->polls),
        .wake_fd = wake_fd,
    };
    return pool;
}

void job_pool_destroy(struct job_pool *pool)
{
    if (pool == NULL)
        return;
    for (unsigned i = 0; i < pool->count; i++)
        if (pool->jobs[i].pid != 0) {
            kill(-pool->jobs[i].pid, SIGKILL);
            waitpid(pool->jobs[i].pid, NULL, 0);
            close(pool->jobs[i].fd);
        }
    memory_free(pool->jobs);
    memory_free(pool->polls);
    memory_free(pool);
}

int job_pool_free_place(const struct job_pool *pool)
{
    for (unsigned i = 0; i < pool->count; i++)
        if (pool->jobs[i].pid == 0)
            return (int)i;
    return -1;
}

size_t job_pool_running(const struct job_pool *pool)
{
    size_t running = 0;
    for (unsigned i = 0; i < pool->count; i++)
        running += pool->jobs[i].pid != 0;
    return running;
}

static int spawn(const char *const *arguments, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    program_attributes(&attributes);
    int error = posix_spawn(pid, "/proc/self/exe", &actions, &attributes, (char *const *)arguments,
                            environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

bool job_pool_start(struct job_pool *pool, unsigned place, const char *const *arguments,
                    uint64_t memory_bytes, double seconds, struct text *why)
{
    assert(place < pool->count && pool->jobs[place].pid == 0 && "a free place");
    struct job *job = &pool->jobs[place];
    int64_t now = clock_wall_ns();
    *job = (struct job){
        .started_ns = now,
        .deadline_ns = seconds > 0 && seconds < 9e9 ? now + (int64_t)(seconds * 1e9) : INT64_MAX,
        .memory_bytes = memory_bytes,
    };
    pid_t pid;
    int error = spawn(arguments, &pid);
    if (error == 0) {
        job->fd = (int)syscall(SYS_pidfd_open, pid, 0);
        if (job->fd >= 0) {
            job->pid = pid;
            return true;
        }
        error = errno;
        kill(-pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    text_printf(why, "cannot start a process: %s", strerror(error));
    return false;
}

// Watching

static uint64_t resident_bytes(const char *pid)
{
    char path[64];
    uint64_t size = 0, pages = 0;
    snprintf(path, sizeof path, "/proc/%.20s/statm", pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%" SCNu64 " %" SCNu64, &size, &pages) != 2)
        pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t children_bytes(const char *folder, const char *thread)
{
    char path[320], child[24];
    uint64_t bytes = 0;
    snprintf(path, sizeof path, "%s/%s/children", folder, thread);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    while (fscanf(file, "%23s", child) == 1)
        bytes += resident_bytes(child);
    fclose(file);
    return bytes;
}

// The process and its children: attempts and solvers that are processes.
static uint64_t tree_bytes(pid_t pid)
{
    char folder[48], number[24];
    snprintf(number, sizeof number, "%d", (int)pid);
    snprintf(folder, sizeof folder, "/proc/%s/task", number);
    uint64_t bytes = resident_bytes(number);
    DIR *threads = opendir(folder);
    if (threads == NULL)
        return bytes;
    for (struct dirent *entry; (entry = readdir(threads)) != NULL;)
        if (entry->d_name[0] != '.')
            bytes += children_bytes(folder, entry->d_name);
    closedir(threads);
    return bytes;
}

static void look_at_limit(struct job *job, int64_t now)
{
    if (job->pid == 0 || job->fate != JOB_LEFT)
        return;
    if (now >= job->deadline_ns)
        job->fate = JOB_TOO_LONG;
    else if (job->memory_bytes != 0 && tree_bytes(job->pid) > job->memory_bytes)
        job->fate = JOB_TOO_LARGE;
    if (job->fate != JOB_LEFT)
        kill(-job->pid, SIGKILL);
}

static void look_at_limits(struct job_pool *pool)
{
    int64_t now = clock_wall_ns();
    if (now - pool->looked_ns < LOOK_MS * INT64_C(1000000))
        return;
    pool->looked_ns = now;
    for (unsigned i = 0; i < pool->count; i++)
        look_at_limit(&pool->jobs[i], now);
    if (pool->look != NULL)
        pool->look(pool->look_context);
}

void job_pool_on_look(struct job_pool *pool, void (*look)(void *context), void *context)
{
    pool->look = look;
    pool->look_context = context;
}

static void reap(struct job *job, unsigned place, struct job_end *end)
{
    assert(job->pid > 0);
    struct rusage usage = {0};
    int status = 0;
    while (wait4(job->pid, &status, 0, &usage) < 0 && errno == EINTR)
        continue;
    *end = (struct job_end){
        .place = place,
        .status = status,
        .fate = job->fate,
        .peak_bytes = (uint64_t)usage.ru_maxrss * 1024,
        .wall_seconds = clock_seconds(clock_wall_ns() - job->started_ns),
        .cpu_seconds = clock_seconds(clock_usage_ns(&usage)),
    };
    close(job->fd);
    job->pid = 0;
}

// The place of a job that has ended; -1 = none within a look's time, -2 = wake_fd was readable.
static int poll_once(struct job_pool *pool)
{
    for (unsigned i = 0; i < pool->count; i++) {
        int fd = pool->jobs[i].pid != 0 ? pool->jobs[i].fd : -1;
        pool->polls[i] = (struct pollfd){fd, POLLIN, 0};
    }
    pool->polls[pool->count] = (struct pollfd){pool->wake_fd, POLLIN, 0};
    if (poll(pool->polls, pool->count + 1, LOOK_MS) <= 0)
        return -1;
    if (pool->polls[pool->count].revents != 0)
        return -2;
    for (unsigned i = 0; i < pool->count; i++)
        if (pool->polls[i].revents != 0)
            return (int)i;
    return -1;
}

bool job_pool_wait(struct job_pool *pool, struct job_end *end)
{
    while (job_pool_running(pool) != 0) {
        look_at_limits(pool);
        int place = poll_once(pool);
        if (place == -2) {
            pool->wake_fd = -1;
            return false;
        }
        if (place >= 0) {
            reap(&pool->jobs[place], (unsigned)place, end);
            return true;
        }
    }
    return false;
}

void job_pool_signal(struct job_pool *pool, int signal)
{
    for (unsigned i = 0; i < pool->count; i++)
        if (pool->jobs[i].pid != 0)
            kill(pool->jobs[i].pid, signal);
}
