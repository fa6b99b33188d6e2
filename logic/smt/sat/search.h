#ifndef REGATTA_LOGIC_SMT_SAT_SEARCH_H
#define REGATTA_LOGIC_SMT_SAT_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

// A small incremental SAT solver for very many easy questions about one large circuit, as IC3 asks them
// (conflict-driven clause learning: Marques-Silva and Sakallah 1999, Moskewicz et al. 2001, Eén and Sörensson
// 2003). It knows the gates, and looks only at what the question needs: values go no further than the cone of the
// assumptions and of the binding clauses, and while it has met few conflicts it decides only what justifies a value
// that is wanted (Larrabee 1992; compare Su et al. 2025 for IC3). All else can be computed from the inputs.
// Private to logic/smt.
//
// Literals are signed numbers of variables, as in DIMACS, from 1. One thread.

struct search;

enum search_result { SEARCH_UNSAT, SEARCH_SAT, SEARCH_STOPPED };

struct search *search_create(void);
void search_destroy(struct search *search);

enum search_gate { SEARCH_INPUT, SEARCH_AND, SEARCH_XOR, SEARCH_MUX };

// A new variable: an input, or the output of a gate over literals made before (MUX: condition, then, else). The clauses
// that define a gate are to be added too, not binding.
int search_variable(struct search *search, enum search_gate gate, const int *inputs);
// Added for good. binding: it is no part of a gate's definition.
void search_clause(struct search *search, const int *literals, uint32_t count, bool binding);

// stop: asked now and then; may be NULL. conflicts: limit, 0 = none.
enum search_result search_run(struct search *search, const int *assumptions, uint32_t count,
                              uint64_t conflicts, bool (*stop)(void *context), void *context);
// After SAT: 1, -1, or 0 where the variable did not matter: such inputs may have any value, such gates have the value
// that their inputs give.
int search_value(const struct search *search, int literal);
// After UNSAT: is this assumption needed for it?
bool search_failed(const struct search *search, int literal);

#endif
