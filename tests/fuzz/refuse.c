#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Preloaded into the program: its n-th call of one kind fails as the system would let it fail, once. Of all libraries, also
// those that do not ask what they got.
//   REFUSE_KIND=malloc|write|spawn|store  REFUSE_AT=n  REFUSE_LOG=FILE
// `spawn` is also the start of a thread, `store` what SQLite does to a file: pwrite64, fsync, fdatasync, ftruncate64. FILE gets the library whose
// call was refused.

static struct {
    _Atomic long left; // 0 = nothing more
    char kind;         // 'm', 'w', 's', 'd'; 0 = not for this program
    int log;
} refuse = {.log = -1};

// glibc's own; dlsym allocates.
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

__attribute__((constructor)) static void begin(void)
{
    const char *kind = getenv("REFUSE_KIND"), *at = getenv("REFUSE_AT"),
               *log = getenv("REFUSE_LOG");
    if (kind == NULL || at == NULL)
        return;
    if (log != NULL)
        refuse.log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    atomic_store(&refuse.left, strtol(at, NULL, 10));
    refuse.kind = strcmp(kind, "store") == 0 ? 'd' : kind[0];
    unsetenv("REFUSE_KIND"); // the processes that this one starts are left alone
}

static int refused(char kind, const void *caller)
{
    if (refuse.kind != kind || atomic_load(&refuse.left) <= 0)
        return 0;
    if (atomic_fetch_sub(&refuse.left, 1) != 1)
        return 0;
    int before = errno;
    refuse.kind = 0; // what follows is not counted
    Dl_info info;
    const char *name = dladdr(caller, &info) != 0 && info.dli_fname != NULL ? info.dli_fname : "?";
    const char *slash = strrchr(name, '/');
    name = slash != NULL ? slash + 1 : name;
    if (refuse.log >= 0)
        syscall(SYS_write, refuse.log, name, strlen(name));
    errno = before;
    return 1;
}

void *malloc(size_t bytes)
{
    if (refused('m', __builtin_return_address(0))) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    if (refused('m', __builtin_return_address(0))) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    if (bytes != 0 && refused('m', __builtin_return_address(0))) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(old, bytes);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t bytes)
{
    if (refused('w', __builtin_return_address(0))) {
        errno = ENOSPC;
        return -1;
    }
    return NEXT(write)(fd, data, bytes);
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t at)
{
    if (refused('d', __builtin_return_address(0))) {
        errno = ENOSPC;
        return -1;
    }
    return NEXT(pwrite64)(fd, data, bytes, at);
}

int fsync(int fd)
{
    if (refused('d', __builtin_return_address(0))) {
        errno = EIO;
        return -1;
    }
    return NEXT(fsync)(fd);
}

int fdatasync(int fd)
{
    if (refused('d', __builtin_return_address(0))) {
        errno = EIO;
        return -1;
    }
    return NEXT(fdatasync)(fd);
}

int ftruncate64(int fd, off64_t length)
{
    if (refused('d', __builtin_return_address(0))) {
        errno = EIO;
        return -1;
    }
    return NEXT(ftruncate64)(fd, length);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *),
                   void *argument)
{
    if (refused('s', __builtin_return_address(0)))
        return EAGAIN;
    return NEXT(pthread_create)(thread, attributes, work, argument);
}

// `clock`: the clock on the wall jumps by REFUSE_AT seconds at every hundredth look, forth and back.
int clock_gettime(clockid_t clock, struct timespec *now)
{
    static _Atomic unsigned looks;
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (refuse.kind == 'c' && clock == CLOCK_REALTIME && result == 0 &&
        atomic_fetch_add(&looks, 1) / 100 % 2 == 1)
        now->tv_sec += atomic_load(&refuse.left);
    return result;
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[],
                char *const environment[])
{
    if (refused('s', __builtin_return_address(0)))
        return EAGAIN;
    return NEXT(posix_spawn)(pid, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[],
                 char *const environment[])
{
    if (refused('s', __builtin_return_address(0)))
        return EAGAIN;
    return NEXT(posix_spawnp)(pid, path, actions, attributes, arguments, environment);
}
