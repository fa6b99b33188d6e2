#ifndef REGATTA_LANGUAGES_PROGRAMS_WITNESS_H
#define REGATTA_LANGUAGES_PROGRAMS_WITNESS_H

#include "languages/programs/story.h"

// What a run or a proof is exported as.

// A violation witness, format 2.0 (YAML): the results of nondeterministic functions in their order, as long as each call
// has a place in the source, and the statement that violates. For dialects.
void witness_print_violation(struct text *out, const struct trace *trace);
// A correctness witness, format 2.0: the conjuncts of a certificate at the heads of loops that say something about named
// variables in scope there. `certificate` is SMT-LIB as certify/certificate.h has it. For dialects.
void witness_print_proof(struct text *out, const struct model *model, const char *certificate);
// A C file with the functions that the program leaves open, which give the run's values: compiled with the program and
// run under sanitizers, it violates the property. For dialects.
void witness_print_test(struct text *out, const struct trace *trace);

// The property as SV-COMP writes it.
void witness_specification(struct text *out, const struct program_question *question);

// witness_formula.c: a conjunct of an invariant as a C expression.
struct witness_scope {
    // How C calls the variable of this name; NULL: not at all. *type: as in a program_name.
    const char *(*name)(const void *context, const char *variable, const char **type);
    const void *context;
    bool wide; // LP64: 128 bits can be said
};
// False when C has no words for it; then `out` is as before.
bool witness_formula(struct text *out, const struct witness_scope *scope, const struct term *term);

#endif
