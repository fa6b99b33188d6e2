#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// Preloaded into the program: its n-th call of one kind fails as the system would let it fail, once. Of all libraries, also
// those that do not ask what they got.
//   REFUSE_KIND=malloc|new|write|spawn|store|clock  REFUSE_AT=n  REFUSE_LOG=FILE
//   REFUSE_DEPTH=d: of calls of one kind from the same d callers, one within the other, only the first counts
// `new` are allocations of C++ (and of Z3), which end in an exception, `malloc` all others.
// `write` is every write to a descriptor, also those inside of the C library (x86-64 only), `spawn` also the start of a
// thread, `store` what SQLite does to a file. FILE gets the library whose call was refused, or the file written to.

enum { DEEPEST = 16, PLACES = 1 << 16 };

struct range {
    uintptr_t low, high;
};

static struct {
    struct range cpp[4]; // code of libraries in C++
    int cpp_count;
    _Atomic long left; // 0 = nothing more
    char kind;         // 'm', 'n', 'w', 's', 'd', 'c'; 0 = not for this program
    int log;
    int depth;          // 0: all calls count
    _Atomic int places; // nobody else looks at `place`
    uint64_t place[PLACES];
} refuse = {.log = -1};

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// glibc's own; dlsym allocates.
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

static void watch_writes(void);
static void answer_writes(void);

static int look_for_cpp(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : "";
    if (strncmp(name, "libstdc++", 9) != 0 && strncmp(name, "libz3", 5) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum && refuse.cpp_count < 4; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) != 0) {
            uintptr_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            refuse.cpp[refuse.cpp_count++] = (struct range){low, low + info->dlpi_phdr[i].p_memsz};
        }
    return 0;
}

static char kind_of_allocation(const void *caller)
{
    for (int i = 0; i < refuse.cpp_count; i++)
        if ((uintptr_t)caller >= refuse.cpp[i].low && (uintptr_t)caller < refuse.cpp[i].high)
            return 'n';
    return 'm';
}

__attribute__((constructor)) static void begin(void)
{
    if (getenv("REFUSE_WATCHED") != NULL)
        answer_writes(); // the parent's filter came along
    const char *kind = getenv("REFUSE_KIND"), *at = getenv("REFUSE_AT"),
               *log = getenv("REFUSE_LOG");
    if (kind == NULL || at == NULL)
        return;
    if (log != NULL)
        refuse.log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dl_iterate_phdr(look_for_cpp, NULL);
    atomic_store(&refuse.left, strtol(at, NULL, 10));
    const char *depth = getenv("REFUSE_DEPTH");
    void *first[1];
    refuse.depth = depth != NULL ? atoi(depth) : 0;
    if (refuse.depth > DEEPEST)
        refuse.depth = DEEPEST;
    if (refuse.depth > 0)
        backtrace(first, 1); // loads what it needs
    refuse.kind = strcmp(kind, "store") == 0 ? 'd' : kind[0];
    unsetenv("REFUSE_KIND"); // the processes that this one starts are left alone
    if (refuse.kind == 'w')
        watch_writes();
}

// Is it the first call from here?
static int is_new_place(const void *caller)
{
    static _Thread_local int inside; // the unwinder may allocate
    void *frames[DEEPEST + 8];
    uint64_t hash = 14695981039346656037U;
    if (inside)
        return 0;
    inside = 1;
    int count = backtrace(frames, refuse.depth + 8), first = 0;
    inside = 0;
    while (first < 8 && first < count && frames[first] != caller)
        first++;
    for (int i = first; i < count && i < first + refuse.depth; i++)
        hash = (hash ^ (uintptr_t)frames[i]) * 1099511628211U;
    hash += hash == 0;
    while (atomic_exchange(&refuse.places, 1) != 0)
        continue;
    uint64_t at = hash % PLACES;
    for (unsigned n = 0; n < PLACES && refuse.place[at] != 0 && refuse.place[at] != hash; n++)
        at = (at + 1) % PLACES;
    int is_new = refuse.place[at] == 0;
    refuse.place[at] = hash;
    atomic_store(&refuse.places, 0);
    return is_new;
}

static int is_due(char kind, const void *caller)
{
    if (refuse.kind != kind || atomic_load(&refuse.left) <= 0 ||
        (refuse.depth > 0 && !is_new_place(caller)) || atomic_fetch_sub(&refuse.left, 1) != 1)
        return 0;
    refuse.kind = 0; // what follows is not counted
    return 1;
}

// Writes. The C library calls the kernel for what streams hold without a name that could stand in front of it, so a filter
// sends a signal for each write, and its handler writes, with a sixth argument by which the filter knows it.

#if defined(__x86_64__)
#define OWN 0x5e1f0123

static void log_descriptor(long fd)
{
    char link[40], name[200];
    snprintf(link, sizeof link, "/proc/self/fd/%ld", fd);
    ssize_t length = readlink(link, name, sizeof name);
    if (refuse.log >= 0 && length > 0)
        syscall(SYS_write, refuse.log, name, length, 0, 0, OWN);
}

static void on_write(int number, siginfo_t *info, void *context)
{
    int before = errno;
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)number;
    if (is_due('w', (const void *)r[REG_RIP])) {
        log_descriptor(r[REG_RDI]);
        r[REG_RAX] = -ENOSPC;
    } else {
        long result = syscall(info->si_syscall, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10],
                              r[REG_R8], OWN);
        r[REG_RAX] = result < 0 ? -errno : result;
    }
    errno = before;
}

static void answer_writes(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    sigset_t one;
    action.sa_sigaction = on_write;
    sigaction(SIGSYS, &action, NULL);
    sigemptyset(&one);
    sigaddset(&one, SIGSYS);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static void watch_writes(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_writev, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    answer_writes();
    setenv("REFUSE_WATCHED", "1", 1);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        refuse.kind = 0; // nothing is refused, which the caller sees
}

// A thread that blocks the signal would be killed by its next write.
static const sigset_t *without_own(int how, const sigset_t *set, sigset_t *copy)
{
    if (set == NULL || how == SIG_UNBLOCK)
        return set;
    *copy = *set;
    sigdelset(copy, SIGSYS);
    return copy;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t copy;
    return NEXT(pthread_sigmask)(how, without_own(how, set, &copy), old);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t copy;
    return NEXT(sigprocmask)(how, without_own(how, set, &copy), old);
}
#else
static void answer_writes(void)
{
}

static void watch_writes(void)
{
    refuse.kind = 0;
}
#endif

static int refused(char kind, const void *caller)
{
    if (!is_due(kind, caller))
        return 0;
    int before = errno;
    Dl_info info;
    const char *name = dladdr(caller, &info) != 0 && info.dli_fname != NULL ? info.dli_fname : "?";
    const char *slash = strrchr(name, '/');
    name = slash != NULL ? slash + 1 : name;
    if (refuse.log >= 0)
        syscall(SYS_write, refuse.log, name, strlen(name));
    errno = before;
    return 1;
}

static int allocation_refused(const void *caller)
{
    return (refuse.kind == 'm' || refuse.kind == 'n') &&
           refused(kind_of_allocation(caller), caller);
}

void *malloc(size_t bytes)
{
    if (allocation_refused(__builtin_return_address(0))) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    if (allocation_refused(__builtin_return_address(0))) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    if (bytes != 0 && allocation_refused(__builtin_return_address(0))) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(old, bytes);
}

ssize_t pread64(int fd, void *data, size_t bytes, off64_t at)
{
    if (refused('d', __builtin_return_address(0))) {
        errno = EIO;
        return -1;
    }
    return NEXT(pread64)(fd, data, bytes, at);
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

#if defined(__x86_64__)
// vfork returns twice into the frame of its caller, so that a call of it cannot be wrapped: either a jump, or none.
__attribute__((used)) static void *next_vfork(void)
{
    if (!refused('s', __builtin_return_address(0)))
        return dlsym(RTLD_NEXT, "vfork");
    errno = EAGAIN;
    return NULL;
}

__asm__(".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        "    sub $8, %rsp\n"
        "    call next_vfork\n"
        "    add $8, %rsp\n"
        "    test %rax, %rax\n"
        "    jz 1f\n"
        "    jmp *%rax\n"
        "1:  mov $-1, %eax\n"
        "    ret\n");
#endif
