#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/program.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/c/c.h"

// Starts `regatta-c` and reads what it says.

extern char **environ;

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
    if (question->property == PROPERTY_MEMSAFETY || question->property == PROPERTY_MEMCLEANUP)
        VECTOR_PUSH(w, "--memory");
    for (size_t i = 0; options->clang != NULL && options->clang[i] != NULL; i++) {
        VECTOR_PUSH(w, "--clang");
        VECTOR_PUSH(w, options->clang[i]);
    }
    VECTOR_PUSH(w, path);
    VECTOR_PUSH(w, NULL);
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

// Output goes through files without a name: nobody has to read while the reader writes.
static int run(struct words *w, struct text *output, struct text *errors)
{
    FILE *files[2] = {tmpfile(), tmpfile()};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    int status = -1;
    if (files[0] == NULL || files[1] == NULL)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(files[0]), 1);
    posix_spawn_file_actions_adddup2(&actions, fileno(files[1]), 2);
    program_attributes(&attributes, false);
    int failure = posix_spawn(&child, w->data[0], &actions, &attributes, (char **)w->data, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failure == 0) {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        if (!take_file(files[0], output) || !take_file(files[1], errors))
            status = -1;
    }
    fclose(files[0]);
    fclose(files[1]);
    return status;
}

struct program *c_program_read(const char *path, const struct c_options *options,
                               const struct program_question *question, struct messages *messages)
{
    struct text program, output, errors;
    struct words w = {0};
    struct program *result = NULL;
    text_init(&program);
    text_init(&output);
    text_init(&errors);
    struct position whole = {path, 0, 0};
    if (!find_reader(&program)) {
        message_add(messages, MESSAGE_UNSUPPORTED, whole,
                    "C programs in this build: install clang-19 and llvm-19-dev and build again");
    } else {
        make_command(&w, text_string(&program), path, options, question);
        int status = run(&w, &output, &errors);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            result = program_read(text_string(&output), output.length, path, messages);
        else if (WIFEXITED(status))
            pass_on(text_string(&errors), path, messages);
        else
            message_add(messages, MESSAGE_ERROR, whole,
                        "the reader of C programs reached a limit of time or memory");
    }
    VECTOR_FINISH(&w);
    text_finish(&program);
    text_finish(&output);
    text_finish(&errors);
    return result;
}
