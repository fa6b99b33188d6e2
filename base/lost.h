#ifndef REGATTA_BASE_LOST_H
#define REGATTA_BASE_LOST_H

#include <stdbool.h>

// Has a trap been taken in this process (memory_trap_take)? Then there may be objects that nobody uses or frees any more, and
// others count them among their users.
bool memory_was_lost(void);

#endif
