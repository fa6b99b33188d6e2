#ifndef REGATTA_LANGUAGES_PROGRAMS_JUMPS_H
#define REGATTA_LANGUAGES_PROGRAMS_JUMPS_H

#include "languages/programs/program.h"

// Far jumps and lives: longjmp leaves blocks of the function that called setjmp, and the lives of their variables end.

// A call: a jump ends lives here, and of which variables is not known.
#define LEAVES_FUNCTIONS "__regatta_leave_functions"
#define LEAVES_FUNCTIONS_WORDS "longjmp ends lives of variables"

// Calls, each of llvm.lifetime.start or llvm.lifetime.end, whose variables live at one place of a function and did not at another.
struct ended_lives {
    const struct instruction **data;
    size_t count, capacity;
};

// What ends in `f`, which called setjmp by `mark`, when a jump comes out of its call `jump`. The caller frees out->data. False: that depends
// on how the run came there, or cannot be said.
bool jump_ends_lives(const struct program *program, const struct function *f,
                     const struct instruction *mark, const struct instruction *jump,
                     struct ended_lives *out);

#endif
