#include "experiments/bench_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

struct bench_lock {
    char *path;
    int fd;
};

enum taken { TAKEN, HELD, AGAIN, FAILED };

// The lock of POSIX: it tells who holds it, and children of ours do not inherit it.
static enum taken take(int fd, const char *path, pid_t *holder)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_SETLK, &range) != 0) {
        if (errno != EACCES && errno != EAGAIN)
            return FAILED;
        range.l_type = F_WRLCK;
        if (fcntl(fd, F_GETLK, &range) != 0)
            return FAILED;
        *holder = range.l_pid;
        return range.l_type == F_UNLCK ? AGAIN : HELD;
    }
    // Whoever had it before may have taken the file away between opening and locking.
    struct stat mine, there;
    if (fstat(fd, &mine) != 0 || stat(path, &there) != 0 || mine.st_ino != there.st_ino ||
        mine.st_dev != there.st_dev)
        return AGAIN;
    return TAKEN;
}

struct bench_lock *bench_lock_take(const char *db, struct text *why)
{
    struct text path;
    text_init(&path);
    text_printf(&path, "%s-bench", db);
    enum taken taken = AGAIN;
    pid_t holder = 0;
    int fd = -1;
    for (int attempt = 0; taken == AGAIN && attempt < 100; attempt++) {
        fd = open(text_string(&path), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        taken = fd < 0 ? FAILED : take(fd, text_string(&path), &holder);
        if (taken != TAKEN && fd >= 0)
            close(fd);
    }
    if (taken == HELD)
        text_printf(why,
                    "%s: another bench is writing to it (process %ld); wait for it, or give this "
                    "one a file of its own",
                    db, (long)holder);
    else if (taken != TAKEN)
        text_printf(why, "%s: %s", text_string(&path), strerror(errno));
    struct bench_lock *lock = NULL;
    if (taken == TAKEN) {
        lock = memory_alloc(sizeof *lock);
        *lock = (struct bench_lock){memory_strdup(text_string(&path)), fd};
    }
    text_finish(&path);
    return lock;
}

void bench_lock_release(struct bench_lock *lock)
{
    if (lock == NULL)
        return;
    unlink(lock->path); // while it is still ours
    close(lock->fd);
    memory_free(lock->path);
    memory_free(lock);
}
