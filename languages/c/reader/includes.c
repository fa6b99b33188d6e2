#include "languages/c/reader/includes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct places {
    char *program; // real paths, or NULL
    char *const *folders;
};

static bool is_below(const char *path, const char *folder)
{
    size_t length = folder != NULL ? strlen(folder) : 0;
    while (length > 0 && folder[length - 1] == '/')
        length--;
    return folder != NULL && strncmp(path, folder, length) == 0 && path[length] == '/';
}

static bool ends_as_program(const char *path)
{
    static const char *const endings[] = {".h", ".c", ".i", ".inc", ".def"};
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (dot != NULL && (slash == NULL || dot > slash) && strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

// What is behind links counts. A path that cannot be resolved is none.
static bool is_allowed(const struct places *places, const char *path)
{
    char *real = realpath(path, NULL);
    bool good = real != NULL && (ends_as_program(real) || is_below(real, "/usr") ||
                                 is_below(real, places->program));
    for (size_t i = 0; real != NULL && !good && places->folders[i] != NULL; i++)
        good = is_below(real, places->folders[i]);
    free(real);
    return good;
}

// clang -H: as many dots as files are open, a blank, and the name as a string without its quotation marks.
static char *header_name(const char *line, size_t length)
{
    size_t dots = strspn(line, ".");
    if (dots == 0 || dots + 1 >= length || line[dots] != ' ')
        return NULL;
    char *name = malloc(length), *to = name;
    for (size_t i = dots + 1; name != NULL && i < length; i++) {
        i += line[i] == '\\' && i + 1 < length;
        *to++ = line[i];
    }
    if (name != NULL)
        *to = '\0';
    return name;
}

static char *bad_header(const struct places *places, const char *messages)
{
    for (const char *line = messages; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char *name = header_name(line, length);
        if (name != NULL && !is_allowed(places, name))
            return name;
        free(name);
        line += length + (line[length] == '\n');
    }
    return NULL;
}

// The next name of a rule as make has them; what a blank, `#` or `$` is preceded by is left out. NULL = none.
static char *next_dependency(const char **at)
{
    const char *from = *at;
    while (strchr(" \t\n", *from) != NULL || (from[0] == '\\' && from[1] == '\n'))
        if (*from++ == '\0')
            return NULL;
    char *name = malloc(strlen(from) + 1), *to = name;
    for (; name != NULL && *from != '\0' && strchr(" \t\n", *from) == NULL; from++) {
        from += (from[0] == '\\' && from[1] != '\0' && strchr(" #", from[1]) != NULL) ||
                (from[0] == '$' && from[1] == '$');
        *to++ = *from;
    }
    if (name != NULL)
        *to = '\0';
    *at = from;
    return name;
}

static char *bad_dependency(const struct places *places, const char *dependencies)
{
    const char *at = strchr(dependencies, ':');
    at = at != NULL ? at + 1 : "";
    for (char *name; (name = next_dependency(&at)) != NULL;) {
        if (!is_allowed(places, name))
            return name;
        free(name);
    }
    return NULL;
}

char *includes_refuse(const char *folder, const char *const *arguments, const char *messages,
                      const char *dependencies)
{
    size_t count = 0, found = 0;
    while (arguments[count] != NULL)
        count++;
    char **folders = calloc(count + 1, sizeof *folders);
    for (size_t i = 0; folders != NULL && i < count; i++) {
        const char *word = arguments[i];
        char *real = realpath(strncmp(word, "-I", 2) == 0 ? word + 2 : word, NULL);
        if (real != NULL)
            folders[found++] = real;
    }
    struct places places = {realpath(folder, NULL), folders};
    char *bad = folders == NULL ? strdup(folder) : bad_header(&places, messages);
    if (bad == NULL)
        bad = bad_dependency(&places, dependencies);
    for (size_t i = 0; i < found; i++)
        free(folders[i]);
    free(folders);
    free(places.program);
    return bad;
}
