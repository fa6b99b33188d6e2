#ifndef REGATTA_BASE_PROGRAM_H
#define REGATTA_BASE_PROGRAM_H

#include <stdbool.h>

#include "base/text.h"

// Runs another program (found by PATH) to its end with nothing on its standard input and appends what it writes
// to its standard output. Its standard error is ours. The exit code (128 + n for signal n), or -1 and the
// reason appended to `why` when it cannot be started.
int program_run(const char *const *arguments, struct text *output, struct text *why);

#endif
