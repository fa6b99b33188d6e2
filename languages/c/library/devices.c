// Behind system.c, as one text with it: functions of other machines, limits, groups and folders. They look at what they are given and
// give any value that they may, as those of system.c do.

static void read_bytes(const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)((const volatile byte *)from)[i];
}

// <sys/socket.h>

LIB int bind(int socket, const void *name, unsigned length)
{
    read_bytes(name, length);
    return done_or_not();
}

LIB int connect(int socket, const void *name, unsigned length)
{
    read_bytes(name, length);
    return done_or_not();
}

#define NAME 128 // bytes of a struct sockaddr_storage, the longest name

// What has a name leaves as much of it as there is room for, and says how long it is.
static void any_name(void *to, unsigned *length)
{
    unsigned whole = __VERIFIER_nondet_uint();
    __VERIFIER_assume(whole <= NAME);
    any_bytes(to, *length < whole ? *length : whole);
    *length = whole;
}

LIB int accept(int socket, void *name, unsigned *length)
{
    int n = number_or_not();
    if (n >= 0 && name != 0)
        any_name(name, length);
    return n;
}

LIB int getsockname(int socket, void *name, unsigned *length)
{
    if (done_or_not() != 0)
        return -1;
    any_name(name, length);
    return 0;
}

LIB int getpeername(int socket, void *name, unsigned *length)
{
    return getsockname(socket, name, length);
}

LIB int socketpair(int family, int kind, int protocol, int *ends)
{
    return pipe(ends);
}

LIB int setsockopt(int socket, int level, int name, const void *value, unsigned length)
{
    read_bytes(value, length);
    return done_or_not();
}

LIB int getsockopt(int socket, int level, int name, void *value, unsigned *length)
{
    if (done_or_not() != 0)
        return -1;
    unsigned whole = __VERIFIER_nondet_uint();
    __VERIFIER_assume(whole <= *length);
    any_bytes(value, whole);
    *length = whole;
    return 0;
}

LIB size_or_failure send(int socket, const void *from, size_t count, int flags)
{
    return write(socket, from, count);
}

LIB size_or_failure sendto(int socket, const void *from, size_t count, int flags, const void *name,
                           unsigned length)
{
    if (name != 0)
        read_bytes(name, length);
    return write(socket, from, count);
}

LIB size_or_failure recv(int socket, void *to, size_t count, int flags)
{
    return read(socket, to, count);
}

LIB size_or_failure recvfrom(int socket, void *to, size_t count, int flags, void *name,
                             unsigned *length)
{
    size_or_failure n = read(socket, to, count);
    if (n >= 0 && name != 0)
        any_name(name, length);
    return n;
}

// <poll.h>, <sys/select.h>

struct watched {
    int file;
    short asked, found;
};

LIB int poll(struct watched *files, unsigned long count, int wait)
{
    for (unsigned long i = 0; i < count; i++) {
        (void)*(volatile int *)&files[i].file;
        (void)*(volatile short *)&files[i].asked;
        files[i].found = __VERIFIER_nondet_short();
    }
    int n = number_or_not();
    __VERIFIER_assume(n < 0 || (unsigned long)n <= count);
    return n;
}

#define FILES 1024 // in a set: a bit each

struct file_set {
    long words[FILES / 8 / sizeof(long)];
};

static void any_set(struct file_set *set, int count)
{
    if (set == 0)
        return;
    for (unsigned i = 0; (int)(8 * sizeof(long) * i) < count && i < FILES / 8 / sizeof(long); i++)
        set->words[i] &= __VERIFIER_nondet_long();
}

LIB int select(int count, struct file_set *readable, struct file_set *writable,
               struct file_set *special, void *wait)
{
    if (wait != 0)
        read_bytes(wait, 2 * sizeof(long));
    int n = number_or_not();
    if (n < 0)
        return -1;
    any_set(readable, count);
    any_set(writable, count);
    any_set(special, count);
    return n;
}

LIB int pselect(int count, struct file_set *readable, struct file_set *writable,
                struct file_set *special, void *wait, const void *signals)
{
    return select(count, readable, writable, special, wait);
}

// <sys/resource.h>, <sys/utsname.h>, <unistd.h>

LIB int getrlimit(int resource, unsigned long *to)
{
    if (done_or_not() != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        to[i] = (unsigned long)__VERIFIER_nondet_long();
    return 0;
}

LIB int setrlimit(int resource, const unsigned long *from)
{
    read_bytes(from, 2 * sizeof *from);
    return done_or_not();
}

LIB int getrlimit64(int resource, unsigned long long *to)
{
    if (done_or_not() != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        to[i] = (unsigned long long)__VERIFIER_nondet_longlong();
    return 0;
}

LIB int setrlimit64(int resource, const unsigned long long *from)
{
    read_bytes(from, 2 * sizeof *from);
    return done_or_not();
}

LIB int getrusage(int who, long *to)
{
    if (done_or_not() != 0)
        return -1;
    for (int i = 0; i < 18; i++)
        to[i] = __VERIFIER_nondet_long();
    return 0;
}

#define MACHINE_WORD 65

LIB int uname(char *to)
{
    if (done_or_not() != 0)
        return -1;
    for (int i = 0; i < 6; i++)
        any_text(to + (long)i * MACHINE_WORD, MACHINE_WORD);
    return 0;
}

LIB int getgroups(int room, unsigned *to)
{
    int n = number_or_not();
    __VERIFIER_assume(n < 0 || room == 0 || n <= room);
    for (int i = 0; room > 0 && i < n; i++)
        to[i] = __VERIFIER_nondet_uint();
    return n;
}

LIB char *mkdtemp(char *name)
{
    return mkstemp(name) < 0 ? 0 : name;
}

LIB size_or_failure readlink(const char *name, char *to, size_t room)
{
    read_text(name);
    size_or_failure n = number_or_not();
    __VERIFIER_assume(n < 0 || (size_t)n <= room);
    if (n > 0)
        any_bytes(to, (size_t)n);
    return n;
}

// What gcc makes of calls under _FORTIFY_SOURCE: the last argument is how much room it knows of.

LIB char *__strcpy_chk(char *to, const char *from, size_t room)
{
    return strcpy(to, from);
}

LIB char *__stpcpy_chk(char *to, const char *from, size_t room)
{
    return stpcpy(to, from);
}

LIB char *__strcat_chk(char *to, const char *from, size_t room)
{
    return strcat(to, from);
}

LIB char *__strncpy_chk(char *to, const char *from, size_t n, size_t room)
{
    return strncpy(to, from, n);
}

LIB char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room)
{
    return stpncpy(to, from, n);
}

LIB char *__strncat_chk(char *to, const char *from, size_t n, size_t room)
{
    return strncat(to, from, n);
}

LIB void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    return memcpy(to, from, n);
}

LIB void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
    return __builtin_memmove(to, from, n);
}

LIB void *__memset_chk(void *to, int c, size_t n, size_t room)
{
    return memset(to, c, n);
}

LIB void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    return (char *)memcpy(to, from, n) + n;
}
