#include "base/output_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

// 0 or an errno. "/new" has the folder "/", "new" the present one.
static int folder_error(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = memory_strdup(slash != NULL ? path : ".");
    if (slash != NULL)
        folder[slash == path ? 1 : slash - path] = '\0';
    int error = access(folder, W_OK | X_OK) == 0 ? 0 : errno;
    memory_free(folder);
    return error;
}

static int file_error(const char *path)
{
    struct stat status;
    if (*path == '\0')
        return ENOENT;
    if (stat(path, &status) != 0)
        return errno != ENOENT                 ? errno
               : path[strlen(path) - 1] == '/' ? EISDIR
                                               : folder_error(path);
    if (S_ISDIR(status.st_mode))
        return EISDIR;
    return access(path, W_OK) == 0 ? 0 : errno;
}

bool output_file_check(const char *path, const char *what, struct text *why)
{
    int error = path == NULL || strcmp(path, "-") == 0 ? 0 : file_error(path);
    if (error != 0)
        text_printf(why, "%s: %s cannot be written: %s", path, what, strerror(error));
    return error == 0;
}

static bool same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool output_file_apart(const char *path, const char *what, const char *input, struct text *why)
{
    if (path == NULL || input == NULL || strcmp(path, "-") == 0)
        return true;
    char *file = memory_strdup(input);
    bool same = same_file(path, file);
    for (char *sign = strrchr(file, '#'); sign != NULL && !same; sign = strrchr(file, '#')) {
        *sign = '\0';
        same = same_file(path, file);
    }
    memory_free(file);
    if (same)
        text_printf(why, "%s: %s cannot be written over what is read", path, what);
    return !same;
}

bool output_file_write(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return false;
    bool good = fwrite(bytes, 1, length, file) == length;
    int error = errno;
    if (fclose(file) != 0)
        return false;
    errno = error;
    return good;
}

bool output_file_write_text(const char *path, const struct text *text)
{
    return output_file_write(path, text_string(text), text->length);
}
