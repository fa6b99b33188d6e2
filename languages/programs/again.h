#ifndef REGATTA_LANGUAGES_PROGRAMS_AGAIN_H
#define REGATTA_LANGUAGES_PROGRAMS_AGAIN_H

#include "languages/programs/flat.h"

// Loads that give what is known: what was stored or loaded there before, on each way that leads here, with nothing between that
// could have changed it; and addresses that were computed before. An available-expressions analysis (Kildall) over all blocks.
// Only `alias` changes. True when something was found: then what follows from it may be found next.
//
// For models that forget what memory holds (docs/definitions/blocks.md): there two loads from one place give two values.
// With `variables_stay` pointers are loaded from variables again: who follows what these lead to knows more of them than of values.
bool flat_find_loads_again(struct flat *flat, bool variables_stay);

#endif
