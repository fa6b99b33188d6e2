#include "base/ensure.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void ensure_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: a bug: found otherwise, expected %s\n", file, line, condition);
    abort();
}
