#include "cli/bench_tasks.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cli/task.h"

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
        good = frontend_for_path(definition.model_path) != NULL;
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

static bool add_folder(struct task_list *list, const char *path, struct text *why);

static bool add_entry(struct task_list *list, const char *folder, const char *name,
                      struct text *why)
{
    struct text path;
    struct stat status;
    text_init(&path);
    text_printf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
    bool good = true;
    if (stat(text_string(&path), &status) == 0) {
        if (S_ISDIR(status.st_mode) && !skipped(name))
            good = add_folder(list, text_string(&path), why);
        else if (S_ISREG(status.st_mode) && task_is_definition(name) &&
                 readable_language(text_string(&path)))
            push(list, text_steal(&path));
        else if (S_ISREG(status.st_mode) && task_is_definition(name))
            list->foreign++;
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

static bool add_folder(struct task_list *list, const char *path, struct text *why)
{
    struct dirent **entries;
    int count = scandir(path, &entries, not_dots, by_name);
    if (count < 0) {
        text_printf(why, "%s: %s", path, strerror(errno));
        return false;
    }
    bool good = true;
    for (int i = 0; i < count; i++) {
        good = good && add_entry(list, path, entries[i]->d_name, why);
        free(entries[i]); // scandir's own memory
    }
    free(entries);
    return good;
}

bool task_list_add(struct task_list *list, const char *argument, struct text *why)
{
    struct stat status;
    if (stat(argument, &status) != 0) {
        text_printf(why, "%s: %s", argument, strerror(errno));
        return false;
    }
    if (S_ISDIR(status.st_mode))
        return add_folder(list, argument, why);
    push(list, memory_strdup(argument));
    return true;
}

void task_list_finish(struct task_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        memory_free(list->paths[i]);
    memory_free(list->paths);
    *list = (struct task_list){0};
}
