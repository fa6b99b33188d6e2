#ifndef REGATTA_CONFIGS_SOLVER_NAME_H
#define REGATTA_CONFIGS_SOLVER_NAME_H

#include <stdbool.h>

// Names of solvers as an option's text: "z3", "cvc5" (the program), "cvc5-lib" (inside this program, where
// it was built so), or "smtlib:COMMAND" for any program that reads SMT-LIB 2. Each reader returns the name as it is
// kept, or NULL when it is none. Whether that solver is on this machine is not looked at.

#ifdef REGATTA_CVC5
#define SOLVER_NAME_EXPECTED "z3, cvc5, cvc5-lib or smtlib:COMMAND"
#else
#define SOLVER_NAME_EXPECTED "z3, cvc5 or smtlib:COMMAND"
#endif

const char *solver_name_read(const char *text);
// Also "".
const char *solver_name_read_optional(const char *text);

// Do both stand for the same program, whatever its folder, version and options: "smtlib:/opt/z3-4.13 -in" and "z3"?
// What a script of another name starts cannot be seen.
bool solver_name_same_program(const char *one, const char *other);

// Can a check be limited in steps? z3 and cvc5, as processes too.
bool solver_name_has_limit(const char *name);

// Is it a program of its own, not part of this one?
bool solver_name_is_program(const char *name);

#endif
