#include "base/confine.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __linux__
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if defined(__linux__) && defined(SYS_landlock_create_ruleset)

// What a header of an older kernel does not name.
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

// All that changes files or folders, as far as the kernel knows it.
static uint64_t writing(int version)
{
    uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                      LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                      LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                      LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                      LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
    if (version >= 2)
        rights |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3)
        rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
    return rights;
}

static void allow_null(int ruleset, int version)
{
    struct landlock_path_beneath_attr rule = {
        .allowed_access =
            LANDLOCK_ACCESS_FS_WRITE_FILE | (version >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0),
        .parent_fd = open("/dev/null", O_PATH | O_CLOEXEC),
    };
    if (rule.parent_fd < 0)
        return;
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static unsigned confine_files(void)
{
    int version =
        (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return 0;
    struct landlock_ruleset_attr rules = {.handled_access_fs = writing(version)};
    int ruleset =
        (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules.handled_access_fs, 0);
    if (ruleset < 0)
        return 0;
    allow_null(ruleset, version);
    long refused = syscall(SYS_landlock_restrict_self, ruleset, 0);
    close(ruleset);
    return refused == 0 ? CONFINED_FILES : 0;
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// Sockets within the machine only; io_uring could make others. Another architecture's calls, and x32's, are refused whole.
static unsigned confine_network(void)
{
#ifdef ARCHITECTURE
    enum { X32 = 0x40000000 };
    const struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 13), // EACCES
    };
    const struct sock_fprog program = {.len = sizeof code / sizeof code[0],
                                       .filter = (struct sock_filter *)(uintptr_t)code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? CONFINED_NETWORK : 0;
#else
    return 0;
#endif
}

unsigned confine_process(void)
{
    if (getenv("REGATTA_UNCONFINED") != NULL || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return 0;
    return confine_files() | confine_network();
}

#else

unsigned confine_process(void)
{
    return 0;
}

#endif
