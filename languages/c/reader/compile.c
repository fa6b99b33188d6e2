#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "languages/c/reader/headers.h"
#include "languages/c/reader/includes.h"
#include "languages/c/reader/reader.h"

// clang reads from a file in memory and writes to one: no pipe can block, nothing is left behind.

// Sanitizers reserve more address space than there is.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

#define WALL_SECONDS 40
#define CPU_SECONDS 30
#define MOST_ADDRESSES ((rlim_t)4 << 30)
#define MOST_FILE_BYTES ((rlim_t)256 << 20)
#define MOST_SOURCE_BYTES ((off_t)64 << 20)
#define MOST_WORDS 512
#define MOST_DECLARED 16000            // characters of declarations put before a program
#define MOST_ATTEMPTS 8                // with such declarations
#define LAST_WORDS 8                   // behind the arguments
#define DEPENDENCIES "/proc/self/fd/3" // clang's fourth file

extern char **environ;

static void limit(int resource, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0)
        return;
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > most)
        now.rlim_max = most;
    now.rlim_cur = now.rlim_max;
    setrlimit(resource, &now);
}

void reader_limit(void)
{
    limit(RLIMIT_CPU, CPU_SECONDS);
#if !SANITIZED
    limit(RLIMIT_AS, MOST_ADDRESSES);
#endif
    limit(RLIMIT_FSIZE, MOST_FILE_BYTES);
    limit(RLIMIT_CORE, 0);
}

static bool complain(const char *path, const char *what)
{
    fprintf(stderr, "%s:0:0: error: %s\n", path, what);
    return false;
}

bool reader_load(const char *path, struct reader_bytes *out)
{
    struct stat status;
    *out = (struct reader_bytes){0};
    if (stat(path, &status) != 0)
        return complain(path, strerror(errno));
    if (!S_ISREG(status.st_mode) || status.st_size > MOST_SOURCE_BYTES)
        return complain(path, "found no file of at most 64 MiB, expected a C program");
    FILE *file = fopen(path, "rb");
    out->data = malloc((size_t)status.st_size + 1);
    if (file == NULL || out->data == NULL)
        return complain(path, "the file cannot be read");
    out->count = fread(out->data, 1, (size_t)status.st_size, file);
    out->data[out->count] = '\0';
    fclose(file);
    return true;
}

// A marker is `#`, blanks, a digit; or `#line`.
static bool is_marker(const char *line, const char *end)
{
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if (line == end || *line++ != '#')
        return false;
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return (line < end && *line >= '0' && *line <= '9') ||
           (end - line > 5 && memcmp(line, "line ", 5) == 0);
}

// glibc's headers for gcc say `__attribute__ ((__malloc__ (fclose, 1)))`, where clang knows no arguments.
static void blank_malloc_arguments(char *text)
{
    static const char name[] = "__malloc__";
    for (char *at = text; (at = strstr(at, name)) != NULL;) {
        at += sizeof name - 1;
        char *open = at + strspn(at, " \t");
        size_t length = *open == '(' ? strcspn(open, ")\n") : 0;
        if (length > 0 && open[length] == ')')
            memset(open, ' ', length + 1);
    }
}

bool reader_blank_markers(char *text, size_t count)
{
    bool found = false;
    blank_malloc_arguments(text);
    assert(text[count] == '\0');
    for (char *line = text, *end = text + count; line < end;) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        if (stop == NULL)
            stop = end;
        if (is_marker(line, stop)) {
            memset(line, ' ', (size_t)(stop - line));
            found = true;
        }
        line = stop + 1;
    }
    return found;
}

static int memory_file(const char *name, const struct reader_bytes *content)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    for (size_t at = 0; fd >= 0 && content != NULL && at < content->count;) {
        ssize_t n = write(fd, content->data + at, content->count - at);
        if (n <= 0)
            return -1;
        at += (size_t)n;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

static bool take_all(int fd, struct reader_bytes *out)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    out->data = malloc((size_t)status.st_size + 1);
    out->count = 0;
    while (out->data != NULL && out->count < (size_t)status.st_size) {
        ssize_t n = pread(fd, out->data + out->count, (size_t)status.st_size - out->count,
                          (off_t)out->count);
        if (n <= 0)
            return false;
        out->count += (size_t)n;
        assert(out->count <= (size_t)status.st_size);
    }
    if (out->data != NULL)
        out->data[out->count] = '\0';
    return out->data != NULL;
}

// clang's messages are about its standard input; ours are about the file.
static void pass_on(const struct reader_bytes *messages, const char *path)
{
    static const char stdin_name[] = "<stdin>";
    const char *at = messages->data;
    for (const char *next; (next = strstr(at, stdin_name)) != NULL;
         at = next + sizeof stdin_name - 1) {
        fwrite(at, 1, (size_t)(next - at), stderr);
        fputs(path, stderr);
    }
    fputs(at, stderr);
}

// False after the wall limit: the child was killed.
static bool await(pid_t child, int *status)
{
    const struct timespec nap = {0, 2000000};
    for (long naps = 0; naps < WALL_SECONDS * 500L; naps++) {
        pid_t done = waitpid(child, status, WNOHANG);
        if (done == child)
            return true;
        nanosleep(&nap, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, status, 0);
    return false;
}

// Their bodies are in our library, or they are arbitrary; as instructions they would be neither.
static const char *const mathematics[] = {
    "fabs",   "ceil",    "floor", "round",     "trunc", "rint",  "nearbyint", "copysign",
    "fmin",   "fmax",    "fmod",  "remainder", "sqrt",  "pow",   "sin",       "cos",
    "tan",    "exp",     "exp2",  "log",       "log2",  "log10", "fdim",      "fma",
    "lround", "llround", "lrint", "llrint",    "ldexp", "frexp", "modf",      "roundeven"};

static size_t add_mathematics(char **words, size_t n)
{
    static const char *const suffixes[] = {"", "f", "l"};
    static char text[sizeof mathematics / sizeof mathematics[0]][3][32];
    for (size_t i = 0; i < sizeof mathematics / sizeof mathematics[0]; i++) {
        for (size_t k = 0; k < 3; k++) {
            snprintf(text[i][k], sizeof text[i][k], "-fno-builtin-%s%s", mathematics[i],
                     suffixes[k]);
            assert(strlen(text[i][k]) + 1 < sizeof text[i][k]);
            words[n++] = text[i][k];
        }
    }
    return n;
}

// Functions of the C library that have a second name in gcc and not in clang.
#define BUILTIN(name) "-D__builtin_" #name "=" #name
static const char *const builtins[] = {
    BUILTIN(exit),    BUILTIN(_exit),         BUILTIN(_Exit),          BUILTIN(isalnum),
    BUILTIN(isalpha), BUILTIN(isascii),       BUILTIN(isblank),        BUILTIN(iscntrl),
    BUILTIN(isdigit), BUILTIN(isgraph),       BUILTIN(islower),        BUILTIN(isprint),
    BUILTIN(ispunct), BUILTIN(isspace),       BUILTIN(isupper),        BUILTIN(isxdigit),
    BUILTIN(toascii), BUILTIN(tolower),       BUILTIN(toupper),        BUILTIN(putchar),
    BUILTIN(puts),    BUILTIN(fputs),         BUILTIN(fputc),          BUILTIN(fprintf),
    BUILTIN(fwrite),  BUILTIN(aligned_alloc), BUILTIN(posix_memalign),

};

// False: there are more arguments than have room.
static bool make_command(const struct reader_options *options, char *folder, char **words)
{
    static const char *const standard[] = {
        "clang-19", "-x", "c", "-O0", "-g", "-w", "-Xclang", "-disable-llvm-passes",
        "-ffp-contract=off",
        // Undeclared library functions have their types as in gcc;
        // those that would become instructions stay calls.
        "-fno-builtin-abs", "-fno-builtin-labs", "-fno-builtin-llabs", "-fno-discard-value-names",
        "-fno-strict-aliasing", "-Wno-error=implicit-function-declaration",
        "-Wno-error=implicit-int", "-Wno-error=int-conversion",
        "-Wno-error=incompatible-function-pointer-types", "-Wno-error=return-mismatch",
        "-Wno-error=return-type", "-fno-color-diagnostics",
        // Functions that gcc has and clang does not.
        "-D__builtin_add_overflow_p(a,b,c)=({__typeof__(c) __regatta_r;"
        "__builtin_add_overflow(a,b,&__regatta_r);})",
        "-D__builtin_sub_overflow_p(a,b,c)=({__typeof__(c) __regatta_r;"
        "__builtin_sub_overflow(a,b,&__regatta_r);})",
        "-D__builtin_mul_overflow_p(a,b,c)=({__typeof__(c) __regatta_r;"
        "__builtin_mul_overflow(a,b,&__regatta_r);})",
        // What is `inline` and has no other definition is that: clang leaves its body out unless it must be inlined.
        "-Dinline=inline __attribute__((__always_inline__))",
        "-D__inline=__inline __attribute__((__always_inline__))",
        "-D__inline__=__inline__ __attribute__((__always_inline__))", "-ferror-limit=5",
        "-fbracket-depth=4096", "-fno-caret-diagnostics", "-H", "-MD", "-MF", DEPENDENCIES};
    size_t n = 0;
    for (size_t i = 0; i < sizeof standard / sizeof standard[0]; i++)
        words[n++] = (char *)standard[i];
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        words[n++] = (char *)builtins[i];
    n = add_mathematics(words, n);
    words[n++] = (char *)options->language;
    words[n++] = options->wide ? "-m64" : "-m32";
    if (!options
             ->wide) { // the kernel's headers, which both data models share, are in one folder only
        words[n++] = "-idirafter";
        words[n++] = "/usr/include/x86_64-linux-gnu";
    }
    if (options->overflow) {
        words[n++] = "-fsanitize=signed-integer-overflow,shift-base";
        words[n++] = "-fsanitize-trap=all";
    }
    if (options->memory) {
        words[n++] = "-fsanitize=address";
        words[n++] = "-fsanitize-address-use-after-scope";
        // A variable that is returned is not the object that the caller has the value in.
        words[n++] = "-Xclang";
        words[n++] = "-fno-elide-constructors";
    }
    words[n++] = "-iquote";
    words[n++] = folder;
    assert(n < MOST_WORDS - LAST_WORDS);
    for (size_t i = 0; options->clang_arguments[i] != NULL; i++) {
        if (n == MOST_WORDS - LAST_WORDS)
            return false;
        words[n++] = (char *)options->clang_arguments[i];
    }
    words[n++] = "-emit-llvm";
    words[n++] = "-c";
    words[n++] = "-o";
    words[n++] = "-";
    words[n++] = "-";
    words[n] = NULL;
    assert(n < MOST_WORDS);
    return true;
}

enum { INPUT, OUTPUT, MESSAGES, RULE, FILES };

// Says so when the program has included what it may not; then nothing else is said.
static bool may_include(const struct reader_options *options, const char *folder, const int *fds,
                        const char *messages)
{
    struct reader_bytes rule = {0};
    take_all(fds[RULE], &rule);
    char *bad = includes_refuse(folder, options->clang_arguments, messages,
                                rule.data != NULL ? rule.data : "");
    if (bad != NULL)
        fprintf(stderr,
                "%s:0:0: error: found an include of %s, expected files below the program's folder, "
                "of the system, below a folder given with -I, or with the ending .h, .c, .i, .inc "
                "or .def\n",
                options->path, bad);
    free(bad);
    free(rule.data);
    return bad == NULL;
}

// The line of a text, from 1; NULL: there is none.
static const char *line_of(const char *text, unsigned long line)
{
    for (; text != NULL && line > 1; line--) {
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    return text;
}

// Where in the program an error is that clang names; false: it is in another file.
static bool error_place(const char *messages, const char *error, unsigned long *line,
                        unsigned long *column)
{
    static const char place[] = "<stdin>:";
    const char *begin = error;
    while (begin > messages && begin[-1] != '\n')
        begin--;
    if (strncmp(begin, place, sizeof place - 1) != 0)
        return false;
    char *end;
    *line = strtoul(begin + sizeof place - 1, &end, 10);
    *column = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
    return true;
}

// A function that is called before it is defined, and gives no int: gcc takes it, clang does not. A declaration of it, as clang's first error
// says where: malloc'd; NULL: it is another error.
static char *late_declaration(const char *messages, const char *source)
{
    static const char what[] = ": error: conflicting types for '";
    const char *error = strstr(messages, ": error: ");
    unsigned long line, column;
    if (error == NULL || strncmp(error, what, sizeof what - 1) != 0 ||
        strstr(error, "previous implicit declaration") == NULL ||
        !error_place(messages, error, &line, &column))
        return NULL;
    const char *at = line_of(source, line), *name = error + sizeof what - 1;
    size_t length = strcspn(name, "'");
    if (at == NULL || column < 2 || strcspn(at, "\n") < column ||
        strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_* \t") < column)
        return NULL;
    char *made = malloc(column + length + 8);
    if (made != NULL)
        sprintf(made, "%.*s%.*s();", (int)column - 1, at, (int)length, name);
    return made;
}

// A header of another verifier's that is not there: its line is left out of the program, its declarations come instead. malloc'd; NULL: it
// is another error.
static char *missing_header(const char *messages, char *source)
{
    static const char what[] = ": fatal error: '";
    const char *error = strstr(messages, what), *name;
    unsigned long line, column;
    if (error == NULL || !error_place(messages, error, &line, &column))
        return NULL;
    name = error + sizeof what - 1;
    const size_t length = strcspn(name, "'\n");
    const char *text = headers_find(name, length), *at = line_of(source, line);
    if (strncmp(name + length, "' file not found", 16) != 0 || text == NULL || at == NULL)
        return NULL;
    memset(source + (at - source), ' ', strcspn(at, "\n"));
    return strdup(text);
}

// *late: declarations that may help, instead of messages; may be NULL.
static bool run(const struct reader_options *options, const char *folder, char **words,
                const int fds[FILES], const struct reader_bytes *source, char **late,
                struct reader_bytes *bitcode)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < FILES; i++)
        posix_spawn_file_actions_adddup2(&actions, fds[i], i);
    pid_t child;
    int status = 0, failure = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0)
        return complain(options->path, "clang-19 cannot be started: install the package clang-19");
    if (!await(child, &status))
        return complain(options->path, "clang took too long on this program");
    struct reader_bytes messages = {0};
    take_all(fds[MESSAGES], &messages);
    if (messages.data == NULL)
        return complain(options->path, "clang's messages cannot be read");
    if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) > 1))
        return complain(options->path,
                        "clang reached a limit of time or memory, or crashed, on this program");
    bool good = may_include(options, folder, fds, messages.data);
    if (good && WEXITSTATUS(status) != 0 && late != NULL)
        *late = late_declaration(messages.data, source->data);
    if (good && WEXITSTATUS(status) != 0 && late != NULL && *late == NULL)
        *late = missing_header(messages.data, source->data);
    if (good && WEXITSTATUS(status) != 0 && (late == NULL || *late == NULL))
        pass_on(&messages, options->path);
    free(messages.data);
    if (!good || WEXITSTATUS(status) != 0)
        return false;
    return take_all(fds[OUTPUT], bitcode) ||
           complain(options->path, "clang's output cannot be read");
}

// Text before the program's, after which it goes on with line 1 of that file. `data` NULL: there is no memory.
static struct reader_bytes put_before(const struct reader_bytes *source, const char *before,
                                      const char *path)
{
    size_t most = strlen(before) + 2 * strlen(path) + 20;
    struct reader_bytes out = {malloc(most + source->count + 1), 0};
    char *to = out.data;
    if (to == NULL)
        return out;
    to += sprintf(to, "%s# 1 \"", before);
    for (const char *c = path; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            *to++ = '\\';
        *to++ = *c == '\n' ? ' ' : *c;
    }
    to += sprintf(to, "\"\n");
    assert((size_t)(to - out.data) <= most);
    memcpy(to, source->data, source->count + 1);
    out.count = (size_t)(to - out.data) + source->count;
    return out;
}

// Once. *late as in `run`.
static bool compile(const struct reader_options *options, const char *folder, char **words,
                    const struct reader_bytes *source, const struct reader_bytes *text, char **late,
                    struct reader_bytes *bitcode)
{
    int fds[FILES] = {memory_file("source", text), memory_file("bitcode", NULL),
                      memory_file("messages", NULL), memory_file("rule", NULL)};
    bool there = true;
    for (int i = 0; i < FILES; i++)
        there = there && fds[i] >= 0;
    bool good = there ? run(options, folder, words, fds, source, late, bitcode)
                      : complain(options->path, "no memory for the program's text");
    for (int i = 0; i < FILES; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return good;
}

// Again with declarations of what is called before it is defined, as long as there is another one.
static bool compile_declared(const struct reader_options *options, const char *folder, char **words,
                             const struct reader_bytes *source, struct reader_bytes *bitcode)
{
    // A source of several has a line that names it before its own.
    const char *name = options->further ? options->path : "<stdin>";
    static char declared[MOST_DECLARED];
    *declared = '\0';
    for (int attempt = 0;; attempt++) {
        bool whole = *declared == '\0' && !options->further;
        struct reader_bytes text = whole ? *source : put_before(source, declared, name);
        char *late = NULL;
        bool good = text.data != NULL ? compile(options, folder, words, source, &text,
                                                options->further ? NULL : &late, bitcode)
                                      : complain(options->path, "no memory for the program's text");
        if (!whole)
            free(text.data);
        if (late == NULL)
            return good;
        bool room =
            strlen(declared) + strlen(late) + 2 < sizeof declared && strstr(declared, late) == NULL;
        if (room)
            sprintf(declared + strlen(declared), "%s\n", late);
        free(late);
        if (!room)
            return complain(options->path,
                            "found functions that are called before they are defined, expected "
                            "their declarations before");
    }
}

bool reader_compile(const struct reader_options *options, struct reader_bytes *bitcode)
{
    struct reader_bytes source;
    char *words[MOST_WORDS];
    if (!reader_load(options->path, &source))
        return false;
    reader_blank_markers(source.data, source.count);
    const char *slash = strrchr(options->path, '/');
    char *folder =
        slash == NULL ? strdup(".") : strndup(options->path, (size_t)(slash - options->path) + 1);
    if (!make_command(options, folder, words))
        return complain(options->path, "there are too many arguments for clang");
    bool good = compile_declared(options, folder, words, &source, bitcode);
    free(source.data);
    free(folder);
    return good;
}
