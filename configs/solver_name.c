#include "configs/solver_name.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define PROCESS_PREFIX "smtlib:"

// A command stands in lists of options between quotation marks.
static const char *read_command(const char *text)
{
    const char *command = text + strlen(PROCESS_PREFIX);
    for (const char *c = command; *c; c++)
        if (*c == '"' || iscntrl((unsigned char)*c))
            return NULL;
    return command[strspn(command, " ")] ? text : NULL;
}

const char *solver_name_read(const char *text)
{
    static const char *const names[] = {
        "z3",
        "cvc5",
#ifdef REGATTA_CVC5
        "cvc5-lib",
#endif
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(names[i], text) == 0)
            return names[i];
    return strncmp(text, PROCESS_PREFIX, strlen(PROCESS_PREFIX)) == 0 ? read_command(text) : NULL;
}

const char *solver_name_read_optional(const char *text)
{
    return *text ? solver_name_read(text) : text;
}

bool solver_name_has_limit(const char *name)
{
    if (strncmp(name, PROCESS_PREFIX, strlen(PROCESS_PREFIX)) != 0)
        return true;
    name += strlen(PROCESS_PREFIX);
    name += strspn(name, " ");
    size_t length = strcspn(name, " ");
    while (memchr(name, '/', length)) {
        const char *slash = memchr(name, '/', length);
        length -= (size_t)(slash + 1 - name);
        name = slash + 1;
    }
    return (length == 2 && strncmp(name, "z3", 2) == 0) ||
           (length == 4 && strncmp(name, "cvc5", 4) == 0);
}
