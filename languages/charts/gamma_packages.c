#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "languages/charts/gamma_inside.h"

// Older models import a package by its name. The file that has it is looked for below the folder of the one that imports it, then below those around.

#define MOST_FOLDERS_UP 2
#define MOST_DEPTH 3
#define MOST_ENTRIES 4000 // of folders, of one search
#define HEAD 4096         // bytes of a file in which its package is named

struct search {
    const char *package, *from;
    char *found;
    uint32_t count, entries;
};

static const char *skip_blanks(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n");
        const char *end = NULL;
        if (strncmp(at, "//", 2) == 0)
            end = strchr(at, '\n');
        else if (strncmp(at, "/*", 2) == 0 && (end = strstr(at + 2, "*/")) != NULL)
            end += 2;
        if (end == NULL)
            return at;
        at = end;
    }
}

static bool has_package(const char *path, const char *package)
{
    char head[HEAD + 1];
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    head[fread(head, 1, HEAD, file)] = '\0';
    fclose(file);
    const char *at = skip_blanks(head);
    if (strncmp(at, "package", strlen("package")) != 0)
        return false;
    const char *name = skip_blanks(at + strlen("package"));
    size_t length = strcspn(name, " \t\r\n/");
    return name > at + strlen("package") && length == strlen(package) &&
           strncmp(name, package, length) == 0;
}

static void look_at(struct gamma_reader *reader, struct search *search, const char *path)
{
    if (!text_ends_with(path, ".gcd") || strcmp(path, search->from) == 0 ||
        !has_package(path, search->package))
        return;
    search->found = arena_strdup(&reader->arena, path);
    search->count++;
}

static void look_below(struct gamma_reader *reader, struct search *search, const char *folder,
                       int depth)
{
    DIR *open = opendir(folder[0] != '\0' ? folder : ".");
    if (open == NULL)
        return;
    struct dirent *entry;
    while ((entry = readdir(open)) != NULL && search->entries < MOST_ENTRIES) {
        if (entry->d_name[0] == '.')
            continue;
        search->entries++;
        struct text path;
        text_init(&path);
        text_printf(&path, "%s%s%s", folder, folder[0] != '\0' ? "/" : "", entry->d_name);
        if (entry->d_type == DT_DIR && depth < MOST_DEPTH)
            look_below(reader, search, text_string(&path), depth + 1);
        else if (entry->d_type == DT_REG)
            look_at(reader, search, text_string(&path));
        text_finish(&path);
    }
    closedir(open);
}

char *gamma_find_package(struct gamma_reader *reader, const char *from, const char *package,
                         bool *several)
{
    struct search search = {.package = package, .from = from};
    char *folder = arena_strdup(&reader->arena, from);
    for (int up = 0; up <= MOST_FOLDERS_UP && search.count == 0; up++) {
        char *slash = strrchr(folder, '/');
        if ((slash == NULL && up > 0) || slash == folder)
            break;
        *(slash != NULL ? slash : folder) = '\0';
        look_below(reader, &search, folder, 0);
    }
    *several = search.count > 1;
    return search.count == 1 ? search.found : NULL;
}
