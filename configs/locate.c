#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "configs/config_file.h"
#include "configs/plan.h"

// The folders in which shipped configurations and plans are found. The build tells the last two.

struct folders {
    VECTOR(char *) list;
};

static void add_folder(struct folders *folders, const char *first, const char *second)
{
    struct text text;
    text_init(&text);
    text_add(&text, first);
    text_add(&text, second);
    VECTOR_PUSH(&folders->list, text_steal(&text));
}

static bool program_folder(char *out, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", out, size - 1);
    if (length <= 0)
        return false;
    out[length] = '\0';
    char *slash = strrchr(out, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

static void find_folders(struct folders *folders)
{
    *folders = (struct folders){0};
    const char *chosen = getenv("REGATTA_CONFIGS");
    if (chosen != NULL && *chosen)
        add_folder(folders, chosen, "");
    char program[4096] = "";
    if (program_folder(program, sizeof program)) {
        add_folder(folders, program, "/configs");
        add_folder(folders, program, "/../share/regatta/configs");
    }
#ifdef INSTALLED_CONFIGS
    add_folder(folders, INSTALLED_CONFIGS, "");
#endif
#if defined(SOURCE_CONFIGS) && defined(BUILD_ROOT)
    size_t root = strlen(BUILD_ROOT);
    if (strncmp(program, BUILD_ROOT, root) == 0 && strchr("/", program[root]) != NULL)
        add_folder(folders, SOURCE_CONFIGS, "");
#endif
}

static void finish_folders(struct folders *folders)
{
    for (size_t i = 0; i < folders->list.count; i++)
        memory_free(folders->list.data[i]);
    VECTOR_FINISH(&folders->list);
}

bool configs_locate(const char *file, struct text *path)
{
    struct folders folders;
    find_folders(&folders);
    bool found = false;
    for (size_t i = 0; i < folders.list.count && !found; i++) {
        struct text candidate;
        text_init(&candidate);
        text_printf(&candidate, "%s/%s", folders.list.data[i], file);
        struct stat status;
        found = stat(text_string(&candidate), &status) == 0 && S_ISREG(status.st_mode);
        if (found)
            text_add(path, text_string(&candidate));
        text_finish(&candidate);
    }
    finish_folders(&folders);
    return found;
}

// Plans and spaces: the .cfg files of a folder of that name.

struct named_files {
    VECTOR(char *) paths;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(base_name(*(char *const *)a), base_name(*(char *const *)b));
}

// An earlier folder hides files of the same name in later ones.
static bool has_file(const struct named_files *files, const char *name)
{
    for (size_t i = 0; i < files->paths.count; i++)
        if (strcmp(base_name(files->paths.data[i]), name) == 0)
            return true;
    return false;
}

static void add_files_of(struct named_files *files, const char *folder, const char *kind)
{
    struct text path;
    text_init(&path);
    text_printf(&path, "%s/%ss", folder, kind);
    DIR *directory = opendir(text_string(&path));
    while (directory != NULL) {
        const struct dirent *entry = readdir(directory);
        if (entry == NULL)
            break;
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".cfg") != 0 ||
            has_file(files, entry->d_name))
            continue;
        text_clear(&path);
        text_printf(&path, "%s/%ss/%s", folder, kind, entry->d_name);
        VECTOR_PUSH(&files->paths, memory_strdup(text_string(&path)));
    }
    if (directory != NULL)
        closedir(directory);
    text_finish(&path);
}

size_t configs_list(const char *kind, char ***paths)
{
    struct folders folders;
    find_folders(&folders);
    struct named_files files = {0};
    for (size_t i = 0; i < folders.list.count; i++)
        add_files_of(&files, folders.list.data[i], kind);
    finish_folders(&folders);
    if (files.paths.count)
        qsort(files.paths.data, files.paths.count, sizeof *files.paths.data, by_name);
    *paths = files.paths.data;
    return files.paths.count;
}

char *config_stem(const char *path)
{
    char *name = memory_strdup(base_name(path));
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".cfg") == 0)
        name[length - 4] = '\0';
    return name;
}

static bool is_path(const char *name)
{
    return strchr(name, '/') != NULL || text_ends_with(name, ".cfg");
}

void config_add_folders(struct text *out, const char *before)
{
    struct folders folders;
    find_folders(&folders);
    for (size_t i = 0; i < folders.list.count; i++)
        text_printf(out, "%s%s", i ? ", " : before, folders.list.data[i]);
    finish_folders(&folders);
}

static void not_found(const char *kind, const char *name, struct messages *messages)
{
    char **paths;
    size_t count = configs_list(kind, &paths);
    struct text text;
    text_init(&text);
    text_printf(&text, "unknown %s \"%s\"", kind, name);
    for (size_t i = 0; i < count; i++) {
        char *shorter = config_stem(paths[i]);
        memory_free(paths[i]);
        paths[i] = shorter;
    }
    const char *near = text_nearest(name, (const char *const *)paths, count);
    if (near != NULL)
        text_printf(&text, ", did you mean \"%s\"?", near);
    else
        for (size_t i = 0; i < count; i++)
            text_printf(&text, "%s%s", i ? ", " : "; there are ", paths[i]);
    struct folders folders;
    find_folders(&folders);
    for (size_t i = 0; i < folders.list.count; i++)
        text_printf(&text, "%s%s/%ss", i ? ", " : " (looked in ", folders.list.data[i], kind);
    text_add(&text, folders.list.count > 0 ? ")" : "");
    finish_folders(&folders);
    message_add(messages, MESSAGE_ERROR, (struct position){0}, "%s", text_string(&text));
    text_finish(&text);
    for (size_t i = 0; i < count; i++)
        memory_free(paths[i]);
    memory_free(paths);
}

bool config_find_file(const char *kind, const char *name_or_path, struct text *path,
                      struct messages *messages)
{
    if (is_path(name_or_path)) {
        text_add(path, name_or_path);
        return true;
    }
    struct text file;
    text_init(&file);
    text_printf(&file, "%ss/%s.cfg", kind, name_or_path);
    bool found = configs_locate(text_string(&file), path);
    if (!found)
        not_found(kind, name_or_path, messages);
    text_finish(&file);
    return found;
}
