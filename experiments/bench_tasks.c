#include "experiments/bench_tasks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "languages/registry/registry.h"
#include "languages/registry/task.h"

static const char *const SKIPPED[] = {"ltl", "parse-ok", "parse-error", "target-marking"};

static bool skipped(const char *folder)
{
    for (size_t i = 0; i < sizeof SKIPPED / sizeof SKIPPED[0]; i++)
        if (strcmp(SKIPPED[i], folder) == 0)
            return true;
    return folder[0] == '.';
}

// A definition that cannot be read stays in the list: running it records what is wrong.
static bool readable_language(const char *path)
{
    struct task_definition definition;
    struct messages messages;
    messages_init(&messages);
    bool good = true;
    if (task_definition_read(path, &definition, &messages)) {
        good = language_for_path(definition.model_path) != NULL;
        task_definition_finish(&definition);
    }
    messages_finish(&messages);
    return good;
}

static void push(struct task_list *list, char *path)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity != 0 ? 2 * list->capacity : 64;
        list->paths = memory_realloc(list->paths, list->capacity * sizeof *list->paths);
    }
    list->paths[list->count++] = path;
}

// A model that says by itself what is asked of it.
static bool asks_itself(const char *path)
{
    const struct language *language = language_for_path(path);
    return language != NULL && language->questions != NULL;
}

static bool add_folder(struct task_list *list, const char *path, bool models, struct text *why);

static bool add_entry(struct task_list *list, const char *folder, const char *name, bool models,
                      struct text *why)
{
    struct text path;
    struct stat status;
    text_init(&path);
    text_printf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
    bool good = true;
    if (stat(text_string(&path), &status) == 0) {
        if (S_ISDIR(status.st_mode) && !skipped(name))
            good = add_folder(list, text_string(&path), models, why);
        else if (S_ISREG(status.st_mode) && task_is_definition(name) &&
                 readable_language(text_string(&path)))
            push(list, text_steal(&path));
        else if (S_ISREG(status.st_mode) && task_is_definition(name))
            list->foreign++;
        else if (S_ISREG(status.st_mode) && models && asks_itself(name))
            push(list, text_steal(&path));
    }
    text_finish(&path);
    return good;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int not_dots(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

// `models`: those that ask themselves, beside the definitions.
static bool add_folder(struct task_list *list, const char *path, bool models, struct text *why)
{
    struct dirent **entries;
    int count = scandir(path, &entries, not_dots, by_name);
    if (count < 0) {
        text_printf(why, "%s: %s", path, strerror(errno));
        return false;
    }
    bool good = true;
    for (int i = 0; i < count; i++) {
        good = good && add_entry(list, path, entries[i]->d_name, models, why);
        free(entries[i]); // scandir's own memory
    }
    free(entries);
    return good;
}

static bool add_pattern(struct task_list *list, const char *pattern, struct text *why)
{
    glob_t found;
    int code = glob(pattern, 0, NULL, &found);
    bool good = code == 0;
    if (!good)
        text_printf(why, "%s: %s", pattern,
                    code == GLOB_NOMATCH ? "no file matches this pattern" : "cannot be expanded");
    for (size_t i = 0; good && i < found.gl_pathc; i++)
        good = task_list_add(list, found.gl_pathv[i], why);
    if (code == 0)
        globfree(&found);
    return good;
}

// One line of a set file; `end` is behind it.
static bool add_line(struct task_list *list, const char *set, const char *line, const char *end,
                     struct text *why)
{
    const char *comment = memchr(line, '#', (size_t)(end - line));
    if (comment != NULL)
        end = comment;
    while (line < end && isspace((unsigned char)*line))
        line++;
    while (line < end && isspace((unsigned char)end[-1]))
        end--;
    if (line == end)
        return true;
    const char *slash = strrchr(set, '/');
    struct text path;
    text_init(&path);
    if (*line != '/' && slash != NULL)
        text_add_bytes(&path, set, (size_t)(slash + 1 - set));
    text_add_bytes(&path, line, (size_t)(end - line));
    bool good = strlen(text_string(&path)) == path.length;
    if (good)
        good = task_list_add(list, text_string(&path), why);
    else
        text_add(why, "a line with a NUL, expected a path or pattern");
    text_finish(&path);
    return good;
}

static bool add_set(struct task_list *list, const char *set, struct text *why)
{
    size_t bytes;
    if (list->in_set) {
        text_printf(why, "found the set file %s within a set file, expected tasks", set);
        return false;
    }
    char *text = text_read_file(set, &bytes);
    if (text == NULL) {
        text_printf(why, "%s: %s", set, text_read_error(errno));
        return false;
    }
    bool good = true;
    unsigned number = 1;
    list->in_set = true;
    for (const char *line = text; good && line < text + bytes; number++) {
        const char *end = memchr(line, '\n', (size_t)(text + bytes - line));
        if (end == NULL)
            end = text + bytes;
        struct text reason;
        text_init(&reason);
        good = add_line(list, set, line, end, &reason);
        if (!good)
            text_printf(why, "%s:%u:1: %s", set, number, text_string(&reason));
        text_finish(&reason);
        line = end + 1;
    }
    list->in_set = false;
    memory_free(text);
    return good;
}

// BenchExec has its own program for these; what they name (tools, options, rundefinitions) is not ours.
static bool is_benchmark_definition(const char *path)
{
    if (!text_ends_with(path, ".xml"))
        return false;
    char *text = text_read_file(path, NULL);
    bool is = text != NULL && strstr(text, "<benchmark") != NULL;
    memory_free(text);
    return is;
}

static bool add_whole_folder(struct task_list *list, const char *path, struct text *why)
{
    size_t tasks = list->count + list->foreign;
    return add_folder(list, path, false, why) &&
           (list->count + list->foreign > tasks || add_folder(list, path, true, why));
}

bool task_list_add(struct task_list *list, const char *path, struct text *why)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        int error = errno;
        if (strpbrk(path, "*?[") != NULL)
            return add_pattern(list, path, why);
        text_printf(why, "%s: %s", path, strerror(error));
        return false;
    }
    if (S_ISDIR(status.st_mode))
        return add_whole_folder(list, path, why);
    if (text_ends_with(path, ".set"))
        return add_set(list, path, why);
    if (is_benchmark_definition(path)) {
        text_printf(why,
                    "%s:1:1: not supported: BenchExec's benchmark definitions; name the tasks or "
                    "their set files (.set)",
                    path);
        return false;
    }
    push(list, memory_strdup(path));
    return true;
}

void task_list_finish(struct task_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        memory_free(list->paths[i]);
    memory_free(list->paths);
    *list = (struct task_list){0};
}
