#ifndef REGATTA_LOGIC_SMT_SAT_SAT_SOLVER_H
#define REGATTA_LOGIC_SMT_SAT_SAT_SOLVER_H

#include <stdbool.h>
#include <stdint.h>

#include "logic/smt/sat/search.h"

// One face of two SAT solvers: CaDiCaL for hard questions, search.h for very many easy ones. Private to engines/smt.
// Literals are signed numbers of variables, from 1.

enum sat_kind { SAT_CADICAL, SAT_SEARCH };

struct sat_solver;

// stop: asked now and then by a running check; may be NULL.
struct sat_solver *sat_solver_create(enum sat_kind kind, uint64_t seed, bool (*stop)(void *context),
                                     void *context);
void sat_solver_destroy(struct sat_solver *solver);
int sat_solver_variables(const struct sat_solver *solver); // made so far

// gate, inputs: see search_variable.
int sat_solver_variable(struct sat_solver *solver, enum search_gate gate, const int *inputs);
// binding: the clause restricts variables, else it only defines one.
void sat_solver_clause(struct sat_solver *solver, const int *literals, uint32_t count,
                       bool binding);

// 10 satisfiable, 20 not, 0 stopped or limited.
int sat_solver_run(struct sat_solver *solver, const int *assumptions, uint32_t count,
                   uint64_t conflicts);
// After 10: 1, -1, or 0 for one that did not matter (search.h).
int sat_solver_value(const struct sat_solver *solver, int literal);
bool sat_solver_failed(const struct sat_solver *solver, int literal); // after 20

#endif
