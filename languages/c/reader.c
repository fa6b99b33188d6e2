#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/ensure.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/c/c.h"

// Starts `regatta-c` and reads what it says.

static bool can_run(struct text *path)
{
    return access(text_string(path), X_OK) == 0;
}

// Beside this program, in the place of an installation, or where the build leaves it.
static bool find_reader(struct text *out)
{
    static const char *const places[] = {"/regatta-c", "/../libexec/regatta/regatta-c",
                                         "/../languages/c/regatta-c"};
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return false;
    own[length] = '\0';
    char *slash = strrchr(own, '/');
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        for (const char *up = ""; up != NULL; up = *up == '\0' && i == 2 ? "/.." : NULL) {
            text_clear(out);
            text_printf(out, "%s%s%s", own, up, places[i]);
            if (can_run(out))
                return true;
        }
    }
    return false;
}

struct words {
    const char **data;
    size_t count, capacity;
};

static void make_command(struct words *w, const char *program, const char *path,
                         const struct c_options *options, const struct program_question *question)
{
    VECTOR_PUSH(w, program);
    if (options->wide)
        VECTOR_PUSH(w, "--lp64");
    if (question->property == PROPERTY_OVERFLOW)
        VECTOR_PUSH(w, "--overflow");
    if (question->property == PROPERTY_MEMSAFETY && question->deref)
        VECTOR_PUSH(w, "--reads");
    VECTOR_PUSH(w, "--memory"); // lifetimes: what is declared in a loop is another object each time
    for (size_t i = 0; options->clang != NULL && options->clang[i] != NULL; i++) {
        VECTOR_PUSH(w, "--clang");
        VECTOR_PUSH(w, options->clang[i]);
    }
    for (size_t i = 0; options->with != NULL && options->with[i] != NULL; i++) {
        VECTOR_PUSH(w, "--with");
        VECTOR_PUSH(w, options->with[i]);
    }
    VECTOR_PUSH(w, path);
    VECTOR_PUSH(w, NULL);
    assert(w->count >= 4);
}

// `path:line:column: error: text` of clang or the reader, one message a line.
static void pass_on(const char *text, const char *path, struct messages *messages)
{
    size_t before = messages->errors;
    while (*text != '\0' && messages->errors < before + 5) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        char *error = strstr(line, ": error: "), *fatal = strstr(line, ": fatal error: ");
        struct position at = {path, 0, 0};
        char *said = error != NULL ? error + 9 : fatal != NULL ? fatal + 15 : NULL;
        if (said != NULL) {
            *(error != NULL ? error : fatal) = '\0';
            char *column = strrchr(line, ':');
            if (column != NULL) {
                *column = '\0';
                char *row = strrchr(line, ':');
                at.column = (unsigned)strtoul(column + 1, NULL, 10);
                if (row != NULL) {
                    *row = '\0';
                    at.line = (unsigned)strtoul(row + 1, NULL, 10);
                    at.path = line;
                }
            }
            message_add(messages, MESSAGE_ERROR, at, "%s", said);
        }
        free(line);
        text += length + (text[length] == '\n');
    }
    if (messages->errors == before)
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0},
                    "the reader of C programs failed: %.200s", text);
}

static bool take_file(FILE *file, struct text *out)
{
    char buffer[65536];
    rewind(file);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_add_bytes(out, buffer, n);
    return !ferror(file);
}

// False when the thread's budget is used up before the reader has ended: it was killed, and clang with it.
static bool await(pid_t child, int *status)
{
    const struct timespec nap = {0, 2000000};
    for (;;) {
        pid_t done = waitpid(child, status, WNOHANG);
        if (done == child || (done < 0 && errno != EINTR))
            return true;
        if (budget_over())
            break;
        nanosleep(&nap, NULL);
    }
    kill(-child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        continue;
    return false;
}

// Output goes through files without a name: nobody has to read while the reader writes.
static int run(const struct words *w, struct text *output, struct text *errors)
{
    FILE *files[2] = {tmpfile(), tmpfile()};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (files[0] == NULL || files[1] == NULL)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(files[0]), 1);
    posix_spawn_file_actions_adddup2(&actions, fileno(files[1]), 2);
    int failure = program_start((const char *const *)w->data, &actions, &child);
    bool whole = failure != 0 || await(child, &status);
    if (failure == 0)
        guard_remove(child);
    if (failure == 0 && whole) {
        if (!take_file(files[0], output) || !take_file(files[1], errors))
            status = -1;
    }
    fclose(files[0]);
    fclose(files[1]);
    if (!whole)
        budget_look_now();
    return whole ? status : -1;
}

// What was read is kept in a file without a name until the next program is read: processes that run attempts, and a second
// race on the same program, take it from there. They see the program that was asked about even if its files change. The
// environment says where it is; its first line is a key over the reader's command.
#define KEPT "REGATTA_PROGRAM_READ"
#define KEY_BYTES 33

static void command_key(const struct words *w, char out[KEY_BYTES])
{
    struct hash128 key = hash128_seed(1);
    assert(w->count > 0 && w->data[w->count - 1] == NULL);
    for (size_t i = 0; w->data[i] != NULL; i++)
        key = hash128_add_text(key, w->data[i]);
    hash128_print(key, out);
}

static bool write_all(int fd, const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, data, bytes);
        if (n <= 0)
            return false;
        data += n;
        bytes -= (size_t)n;
    }
    return true;
}

static void keep_output(const struct words *w, const struct text *output)
{
    static _Atomic int last =
        -1; // programs are read one after another; two at a time lose the first
    char key[KEY_BYTES], place[64];
    int fd = memfd_create("program", MFD_CLOEXEC);
    if (fd < 0)
        return;
    command_key(w, key);
    key[KEY_BYTES - 1] = '\n';
    snprintf(place, sizeof place, "/proc/%ld/fd/%d", (long)getpid(), fd);
    bool good = write_all(fd, key, KEY_BYTES) && write_all(fd, output->data, output->length) &&
                setenv(KEPT, place, 1) == 0;
    int before = atomic_exchange(&last, good ? fd : -1);
    if (!good)
        close(fd);
    if (before >= 0)
        close(before);
}

static bool take_output(const struct words *w, struct text *output)
{
    char key[KEY_BYTES];
    size_t bytes;
    const char *place = getenv(KEPT);
    char *text = place == NULL ? NULL : text_read_file(place, &bytes);
    command_key(w, key);
    bool good = text != NULL && bytes > KEY_BYTES && memcmp(text, key, KEY_BYTES - 1) == 0 &&
                text[KEY_BYTES - 1] == '\n';
    if (good)
        text_add_bytes(output, text + KEY_BYTES, bytes - KEY_BYTES);
    memory_free(text);
    return good;
}

static struct program *read_program(const struct words *w, const char *path,
                                    struct messages *messages)
{
    struct text output, errors;
    struct program *result = NULL;
    text_init(&output);
    text_init(&errors);
    bool kept = take_output(w, &output);
    assert(kept || output.length == 0);
    int status = kept ? 0 : run(w, &output, &errors);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        result = program_read(text_string(&output), output.length, path, messages);
    else if (WIFEXITED(status))
        pass_on(text_string(&errors), path, messages);
    else
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0},
                    "the reader of C programs reached a limit of time or memory");
    ENSURE(result == NULL || status == 0); // no program of a reader that failed
    if (result != NULL && !kept)
        keep_output(w, &output);
    text_finish(&output);
    text_finish(&errors);
    return result;
}

struct program *c_program_read(const char *path, const struct c_options *options,
                               const struct program_question *question, struct messages *messages)
{
    struct text program;
    struct words w = {0};
    struct program *result = NULL;
    text_init(&program);
    if (!find_reader(&program)) {
        message_add(messages, MESSAGE_UNSUPPORTED, (struct position){path, 0, 0},
                    "C programs in this build: install clang-19 and llvm-19-dev and build again");
    } else {
        make_command(&w, text_string(&program), path, options, question);
        result = read_program(&w, path, messages);
    }
    VECTOR_FINISH(&w);
    text_finish(&program);
    return result;
}
