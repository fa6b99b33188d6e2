#include "languages/registry/included.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

#define MOST_FILES 500

struct including {
    VECTOR(char *) files; // seen, each once
    struct hash128 hash;
};

static bool is_known(const struct including *in, const char *path)
{
    for (size_t i = 0; i < in->files.count; i++) {
        if (strcmp(in->files.data[i], path) == 0)
            return true;
    }
    return false;
}

// `# include "name"` at the line's start: the file beside the including one. NULL when it is no such line.
static char *included_path(const char *line, const char *path)
{
    const char *slash = strrchr(path, '/');
    line += strspn(line, " \t");
    if (*line++ != '#')
        return NULL;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0)
        return NULL;
    line += 7 + strspn(line + 7, " \t");
    size_t length = *line == '"' ? strcspn(line + 1, "\"\n") : 0;
    if (length == 0 || line[1 + length] != '"')
        return NULL;
    struct text text;
    text_init(&text);
    if (slash != NULL && line[1] != '/')
        text_add_bytes(&text, path, (size_t)(slash - path) + 1);
    text_add_bytes(&text, line + 1, length);
    return text_steal(&text);
}

// Notes the files that this one includes.
static void note_files(struct including *in, const char *path, const char *text)
{
    while (text != NULL && *text != '\0' && in->files.count < MOST_FILES) {
        char *file = included_path(text, path);
        if (file != NULL && !is_known(in, file))
            VECTOR_PUSH(&in->files, file);
        else
            memory_free(file);
        text = strchr(text, '\n');
        text += text != NULL;
    }
}

struct hash128 included_hash(struct hash128 hash, const char *path, const char *text)
{
    struct including in = {.hash = hash};
    note_files(&in, path, text);
    for (size_t i = 0; i < in.files.count; i++) {
        size_t bytes;
        char *content = text_read_file(in.files.data[i], &bytes);
        if (content == NULL)
            continue;
        in.hash = hash128_add_bytes(in.hash, content, bytes);
        note_files(&in, in.files.data[i], content);
        memory_free(content);
    }
    assert(in.files.count <= MOST_FILES);
    for (size_t i = 0; i < in.files.count; i++)
        memory_free(in.files.data[i]);
    VECTOR_FINISH(&in.files);
    return in.hash;
}
