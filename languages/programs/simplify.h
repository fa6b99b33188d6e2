#ifndef REGATTA_LANGUAGES_PROGRAMS_SIMPLIFY_H
#define REGATTA_LANGUAGES_PROGRAMS_SIMPLIFY_H

#include "languages/programs/flat.h"

// Constants, before anything else looks at a flat program: operations on constants, loads from constant globals, and loads from
// slots with one store whose value never changes (parameters above all). Only `alias` changes; no instruction goes,
// so a run of the program is told as before. True when something was found.
bool flat_simplify(struct flat *flat);

#endif
