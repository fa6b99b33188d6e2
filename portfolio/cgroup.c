#include "portfolio/cgroup.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = sizeof((struct cgroup *)0)->path };

// Files.

static bool write_file(const char *folder, const char *name, const char *text)
{
    char path[PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t length = strlen(text);
    bool good = write(fd, text, length) == (ssize_t)length;
    close(fd);
    return good;
}

// As much as fits, ended by 0. False when it cannot be read.
static bool read_file(const char *folder, const char *name, char *text, size_t size)
{
    char path[PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, size - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length >= 0;
}

// "usage_usec 123" on a line of its own; 0 when it is not there.
static uint64_t read_field(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text; line != NULL && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            return strtoull(line + length + 1, NULL, 10);
    }
    return 0;
}

// Where we are. /proc/self/mountinfo names the mounts and /proc/self/cgroup our place in each hierarchy:
// "0::/user.slice" for version 2, "4:memory:/jobs/7" for version 1.

static bool find_mount(const char *type, const char *option, char *out)
{
    FILE *file = fopen("/proc/self/mounts", "re");
    char line[1024], where[PATH_BYTES], kind[32], options[512];
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL)
        found = sscanf(line, "%*s %255s %31s %511s", where, kind, options) == 3 &&
                strcmp(kind, type) == 0 && (option == NULL || strstr(options, option) != NULL);
    if (file != NULL)
        fclose(file);
    if (found)
        strcpy(out, where);
    return found;
}

static bool find_place(const char *controller, char *out)
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[1024];
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        char *names = strchr(line, ':'), *place = names != NULL ? strchr(names + 1, ':') : NULL;
        if (place == NULL)
            continue;
        *place++ = '\0';
        place[strcspn(place, "\n")] = '\0';
        found = strcmp(names + 1, controller) == 0 && strlen(place) < PATH_BYTES;
        if (found)
            strcpy(out, place);
    }
    if (file != NULL)
        fclose(file);
    return found;
}

static bool join(char *out, const char *a, const char *b)
{
    int length = snprintf(out, PATH_BYTES, "%s%s%s", a, *b && *b != '/' ? "/" : "",
                          strcmp(b, "/") == 0 ? "" : b);
    return length > 0 && length < PATH_BYTES;
}

static bool find_own(char *out)
{
    char mount[PATH_BYTES], place[PATH_BYTES];
    return find_mount("cgroup2", NULL, mount) && find_place("", place) && join(out, mount, place);
}

// The group below which new ones are made.

static char home[PATH_BYTES];

static bool is_alone(const char *folder)
{
    char text[64], own[32];
    snprintf(own, sizeof own, "%d\n", (int)getpid());
    return read_file(folder, "cgroup.procs", text, sizeof text) && strcmp(text, own) == 0;
}

// A run that was killed leaves its groups behind, empty.
static void remove_stale(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        int pid;
        char path[PATH_BYTES];
        if (sscanf(entry->d_name, "regatta-%d", &pid) == 1 && kill(pid, 0) != 0 && errno == ESRCH &&
            join(path, folder, entry->d_name))
            rmdir(path);
    }
    if (directory != NULL)
        closedir(directory);
}

void cgroup_prepare(const char *own)
{
    char inner[PATH_BYTES], name[48], pid[32];
    if (!write_file(own, "cgroup.subtree_control", "+memory") && errno == EBUSY && is_alone(own)) {
        snprintf(name, sizeof name, "regatta-%d", (int)getpid());
        snprintf(pid, sizeof pid, "%d", (int)getpid());
        if (join(inner, own, name) && mkdir(inner, 0755) == 0) {
            write_file(inner, "cgroup.procs", pid);
            write_file(own, "cgroup.subtree_control", "+memory");
        }
    }
    write_file(own, "cgroup.subtree_control", "+cpu");
    remove_stale(own);
}

static void find_home(void)
{
    char own[PATH_BYTES];
    if (!find_own(own))
        return;
    cgroup_prepare(own);
    strcpy(home, own);
}

bool cgroup_create_below(struct cgroup *out, const char *folder)
{
    static _Atomic unsigned next;
    char name[64], path[PATH_BYTES];
    *out = (struct cgroup){0};
    snprintf(name, sizeof name, "regatta-%d-%u", (int)getpid(), atomic_fetch_add(&next, 1));
    if (!folder[0] || !join(path, folder, name) || mkdir(path, 0755) != 0)
        return false;
    strcpy(out->path, path);
    return true;
}

bool cgroup_create(struct cgroup *out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_home);
    return cgroup_create_below(out, home);
}

bool cgroup_limit_memory(struct cgroup *cgroup, uint64_t bytes)
{
    char limit[32];
    snprintf(limit, sizeof limit, "%" PRIu64, bytes);
    cgroup->limits_memory = cgroup->path[0] && write_file(cgroup->path, "memory.max", limit);
    if (cgroup->limits_memory)
        write_file(cgroup->path, "memory.swap.max", "0");
    return cgroup->limits_memory;
}

bool cgroup_add(const struct cgroup *cgroup, pid_t pid)
{
    assert(pid > 0);
    char text[32];
    snprintf(text, sizeof text, "%d", (int)pid);
    return cgroup->path[0] && write_file(cgroup->path, "cgroup.procs", text);
}

int64_t cgroup_cpu_ns(const struct cgroup *cgroup)
{
    char text[1024];
    if (!cgroup->path[0] || !read_file(cgroup->path, "cpu.stat", text, sizeof text) ||
        strstr(text, "usage_usec") == NULL)
        return -1;
    return (int64_t)read_field(text, "usage_usec") * 1000;
}

bool cgroup_ran_out_of_memory(const struct cgroup *cgroup)
{
    char text[512];
    return cgroup->limits_memory && read_file(cgroup->path, "memory.events", text, sizeof text) &&
           read_field(text, "oom_kill") > 0;
}

void cgroup_kill(const struct cgroup *cgroup)
{
    if (cgroup->path[0])
        write_file(cgroup->path, "cgroup.kill", "1");
}

void cgroup_destroy(struct cgroup *cgroup)
{
    if (!cgroup->path[0])
        return;
    cgroup_kill(cgroup);
    // Who is killed leaves its group a moment later.
    for (int i = 0; i < 50 && rmdir(cgroup->path) != 0 && errno == EBUSY; i++) {
        struct timespec moment = {.tv_nsec = 1000000};
        nanosleep(&moment, NULL);
    }
    *cgroup = (struct cgroup){0};
}

// Limits.

static uint64_t smaller(uint64_t limit, const char *folder, const char *name)
{
    char text[64], *end;
    if (!read_file(folder, name, text, sizeof text))
        return limit;
    uint64_t found = strtoull(text, &end, 10);
    // "max", or version 1's way of saying so.
    if (end == text || found >= (uint64_t)1 << 60)
        return limit;
    assert(limit < (uint64_t)1 << 60);
    return limit == 0 || found < limit ? found : limit;
}

// Every group on the way up may have a limit.
uint64_t cgroup_smallest(const char *mount, const char *group, const char *name)
{
    uint64_t limit = 0;
    char folder[PATH_BYTES], place[PATH_BYTES];
    if (strlen(group) >= sizeof place)
        return 0;
    strcpy(place, group);
    for (;;) {
        if (join(folder, mount, place))
            limit = smaller(limit, folder, name);
        char *slash = strrchr(place, '/');
        if (slash == NULL || slash[1] == '\0')
            return limit;
        slash[slash == place] = '\0';
    }
}

uint64_t cgroup_memory_limit(void)
{
    char mount[PATH_BYTES], place[PATH_BYTES];
    uint64_t limit = 0;
    if (find_mount("cgroup2", NULL, mount) && find_place("", place))
        limit = cgroup_smallest(mount, place, "memory.max");
    if (limit == 0 && find_mount("cgroup", "memory", mount) && find_place("memory", place))
        limit = cgroup_smallest(mount, place, "memory.limit_in_bytes");
    return limit;
}
