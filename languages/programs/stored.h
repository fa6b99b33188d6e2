#ifndef REGATTA_LANGUAGES_PROGRAMS_STORED_H
#define REGATTA_LANGUAGES_PROGRAMS_STORED_H

#include "languages/programs/objects.h"

// Between which numbers (with sign) all that the program stores in one place of the blocks of a site lies, found from its stores and the
// conditions that each is made under.
//
// `summary` is the site's summary. False: they may be any, or the place may be read before it is written.
bool stored_range(const struct objects *objects, uint32_t summary, int64_t offset, uint64_t bytes,
                  int64_t *low, int64_t *high);

#endif
