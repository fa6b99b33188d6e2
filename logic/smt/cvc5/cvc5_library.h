#ifndef REGATTA_LOGIC_SMT_CVC5_CVC5_LIBRARY_H
#define REGATTA_LOGIC_SMT_CVC5_CVC5_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "logic/terms/term.h"

// Private to engines/smt: a cvc5 solver inside the program, for C. cvc5 1.0 has a C++ interface only; no
// exception leaves this file's functions: a failure is false, NULL or CVC5_FAILED, and its words are in
// cvc5_library_error. One thread, for destruction too.

struct cvc5_library;

enum cvc5_answer { CVC5_UNSAT, CVC5_SAT, CVC5_OUT_OF_STEPS, CVC5_UNKNOWN, CVC5_FAILED };

struct cvc5_library *cvc5_library_create(unsigned seed); // NULL on failure
void cvc5_library_destroy(struct cvc5_library *library); // NULL is fine
// Terms are of one store, without TERM_REM. A term is translated once a solver.
bool cvc5_library_assert(struct cvc5_library *library, const struct term *formula);
bool cvc5_library_push(struct cvc5_library *library);
bool cvc5_library_pop(struct cvc5_library *library, unsigned levels);
// At most that many steps of cvc5's own, which repeat from run to run.
enum cvc5_answer cvc5_library_check(struct cvc5_library *library,
                                    const struct term *const *assumptions, size_t count,
                                    uint64_t steps);
// After CVC5_SAT: the term's value as SMT-LIB text, valid until the next call; NULL on failure.
const char *cvc5_library_value(struct cvc5_library *library, const struct term *term);
// After CVC5_UNSAT: is the i-th assumption of the check in the core?
bool cvc5_library_core(struct cvc5_library *library, bool *in_core);
const char *cvc5_library_error(const struct cvc5_library *library); // of the last failure
uint64_t cvc5_library_terms(const struct cvc5_library *library);    // translated so far

#endif
