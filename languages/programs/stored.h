#ifndef REGATTA_LANGUAGES_PROGRAMS_STORED_H
#define REGATTA_LANGUAGES_PROGRAMS_STORED_H

#include "languages/programs/objects.h"

// Between which numbers all that a program stores in one place of the blocks of a site lies, found from its stores and the
// conditions that each is made under.
struct stored;

// The objects stay the caller's, and have to live as long.
struct stored *stored_create(const struct objects *objects);
void stored_destroy(struct stored *stored); // NULL is fine

// With sign. `summary` is the site's summary. False: they may be any, or the place may be read before it is written. What was found
// of a place is remembered.
bool stored_range(struct stored *stored, uint32_t summary, int64_t offset, uint64_t bytes,
                  int64_t *low, int64_t *high);

#endif
