#ifndef REGATTA_TESTS_CONFIG_FILES_H
#define REGATTA_TESTS_CONFIG_FILES_H

// A folder of configuration files for one test, and a look at the messages they draw. Include after
// cmocka.h.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"

#define FOLDER_FILES 8

struct folder {
    char path[64];
    char files[FOLDER_FILES][96];
    size_t count;
    struct messages messages;
};

static inline void folder_make(struct folder *folder)
{
    memset(folder, 0, sizeof *folder);
    strcpy(folder->path, "/tmp/regatta-test-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    messages_init(&folder->messages);
}

static inline const char *folder_write(struct folder *folder, const char *name, const char *text)
{
    assert_true(folder->count < FOLDER_FILES);
    char *path = folder->files[folder->count++];
    assert_true(strlen(folder->path) + strlen(name) + 2 <= sizeof folder->files[0]);
    strcpy(path, folder->path);
    strcat(strcat(path, "/"), name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static inline void folder_remove(struct folder *folder)
{
    for (size_t i = 0; i < folder->count; i++)
        unlink(folder->files[i]);
    rmdir(folder->path);
    messages_finish(&folder->messages);
}

// The i-th message is on that line of a file whose path ends so, and contains the text.
static inline void expect_message(const struct messages *messages, size_t i, const char *file,
                                  unsigned line, const char *text)
{
    assert_true(i < messages->count);
    const struct message *m = &messages->items[i];
    if (!strstr(m->text, text))
        fail_msg("message %zu is \"%s\", expected \"%s\"", i, m->text, text);
    if (file) {
        assert_non_null(m->path);
        assert_non_null(strstr(m->path, file));
    }
    assert_int_equal(m->line, line);
}

#endif
