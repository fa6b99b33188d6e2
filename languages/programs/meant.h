#ifndef REGATTA_LANGUAGES_PROGRAMS_MEANT_H
#define REGATTA_LANGUAGES_PROGRAMS_MEANT_H

#include "languages/programs/program.h"

// Which functions a call through a pointer may mean, as far as the program says it plainly: it loads the pointer from a variable where
// functions are stored, or is given it as a parameter. Not all that it may mean, and perhaps more: who asks has to follow
// other functions otherwise, or say that they are not followed.

// By number of a function; `call` belongs to `f`. The caller frees the result (memory_free).
bool *meant_functions(const struct program *program, const struct function *f,
                      const struct instruction *call);

#endif
