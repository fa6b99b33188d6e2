#ifndef REGATTA_CLI_SPACE_H
#define REGATTA_CLI_SPACE_H

#include "base/memory.h"
#include "configs/sample.h"

// "NAME|PATH[:SAMPLE]" as bench takes it (standard: all). Appends the configurations; false with errors.
// The space (NULL when it cannot be read) is the caller's to destroy.
bool space_take(const char *text, struct space **space, struct configuration_set *out,
                struct messages *messages);

#endif
