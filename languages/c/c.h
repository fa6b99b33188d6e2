#ifndef REGATTA_LANGUAGES_C_C_H
#define REGATTA_LANGUAGES_C_C_H

#include "languages/programs/translate.h"

// C programs. The program `regatta-c` (reader/) turns them into a program view, which becomes a model.

struct c_options {
    bool wide;                // LP64, else ILP32
    const char *const *clang; // further arguments of clang, NULL-terminated; may be NULL
    const char *const *with;  // further files, likewise
    uint32_t most_depth;      // of recursion
    uint32_t loop_copies;     // blocks that one allocation in a loop makes
};
#define C_OPTIONS_STANDARD                                                                         \
    {                                                                                              \
        .most_depth = 16, .loop_copies = 6                                                         \
    }

// What a property says: SV-COMP's CHECK( init(main()), LTL(G ! call(reach_error())) ) and its like, or a name
// (unreach-call, no-overflow, valid-memsafety, valid-memcleanup, no-data-race, termination). The text is kept in `arena`.
bool c_property_read(const char *text, const char *path, struct arena *arena,
                     struct program_question *out, struct messages *messages);
// The word that guards of plans have for its kind; static.
const char *c_property_kind(const struct program_question *question);
// Runs the reader. NULL with messages.
struct program *c_program_read(const char *path, const struct c_options *options,
                               const struct program_question *question, struct messages *messages);

#endif
