#include "base/output_file.h"

#include <errno.h>
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
