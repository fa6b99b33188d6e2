#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "results/store_inside.h"

// How a store waits while another process writes: in short sleeps, and whoever set store_on_wait is told for whom.

enum { SLEEP_MS = 20, TELL_MS = 1000 };

static void (*told)(const char *text);

void store_on_wait(void (*tell)(const char *text))
{
    told = tell;
}

static bool is_file(const char *path, unsigned major_, unsigned minor_, uint64_t inode)
{
    struct stat there;
    return stat(path, &there) == 0 && major(there.st_dev) == major_ &&
           minor(there.st_dev) == minor_ && (uint64_t)there.st_ino == inode;
}

// The process that has a lock for writing on the file, as the system tells it; 0 when it does not. Asking by a lock of
// our own would give up those that SQLite has: they end when any descriptor of the file is closed.
static long holder(const char *path)
{
    char line[256], shared[4096];
    long found = 0;
    snprintf(shared, sizeof shared, "%s-shm", path);
    FILE *file = fopen("/proc/locks", "re");
    while (file != NULL && found == 0 && fgets(line, sizeof line, file) != NULL) {
        unsigned major_, minor_;
        uint64_t inode;
        long pid;
        char kind[16];
        if (strstr(line, "->") == NULL &&
            sscanf(line, "%*d: %*s %*s %15s %ld %x:%x:%" SCNu64, kind, &pid, &major_, &minor_,
                   &inode) == 5 &&
            strcmp(kind, "WRITE") == 0 && pid > 0 && pid != (long)getpid() &&
            (is_file(path, major_, minor_, inode) || is_file(shared, major_, minor_, inode)))
            found = pid;
    }
    if (file != NULL)
        fclose(file);
    return found;
}

void store_describe_lock(const char *path, struct text *out)
{
    long pid = holder(path);
    char name[64] = "", file_name[64];
    snprintf(file_name, sizeof file_name, "/proc/%ld/comm", pid);
    FILE *file = pid != 0 ? fopen(file_name, "re") : NULL;
    if (file != NULL) {
        if (fgets(name, sizeof name, file) != NULL)
            name[strcspn(name, "\n")] = '\0';
        fclose(file);
    }
    if (pid == 0)
        text_add(out, "another process is writing to it");
    else
        text_printf(out, "process %ld (%s) is writing to it", pid, *name != '\0' ? name : "?");
}

int store_wait(void *context, int times)
{
    struct store *store = context;
    if (times * SLEEP_MS >= STORE_BUSY_MS)
        return 0;
    if (times == TELL_MS / SLEEP_MS && told != NULL) {
        struct text text;
        text_init(&text);
        text_printf(&text, "%s: waiting: ", store->path);
        store_describe_lock(store->path, &text);
        told(text_string(&text));
        text_finish(&text);
    }
    sqlite3_sleep(SLEEP_MS);
    return 1;
}
