#ifndef REGATTA_BASE_PROGRAM_H
#define REGATTA_BASE_PROGRAM_H

#include <spawn.h>
#include <stdbool.h>

#include "base/text.h"

// Attributes for a program to start: no signal is blocked or ignored in it, whatever is so here; with `own_group` it
// leads a process group. To be ended by posix_spawnattr_destroy.
void program_attributes(posix_spawnattr_t *attributes, bool own_group);

// Runs another program (found by PATH) to its end with nothing on its standard input and appends what it writes
// to its standard output. Its standard error is ours. The exit code (128 + n for signal n), or -1 and the
// reason appended to `why` when it cannot be started.
int program_run(const char *const *arguments, struct text *output, struct text *why);

#endif
