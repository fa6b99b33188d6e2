#ifndef REGATTA_ENGINES_EXPR_READ_SMTLIB_H
#define REGATTA_ENGINES_EXPR_READ_SMTLIB_H

#include "engines/expr/sexpr.h"
#include "engines/expr/term.h"

// Terms of SMT-LIB 2.6 (core, integers and reals, bit-vectors, arrays, enumerations): all that
// print_term writes, and what solvers answer.

struct smtlib_reader;

// Terms are made in the store.
struct smtlib_reader *smtlib_reader_create(struct term_store *store);
void smtlib_reader_destroy(struct smtlib_reader *reader); // NULL is fine

// Makes the variable, and the enumerations in its sort, known under the names that print_term gives
// them.
void smtlib_reader_add(struct smtlib_reader *reader, const struct term *variable);
// What is known under a name; NULL.
const struct term *smtlib_reader_find(const struct smtlib_reader *reader, const char *name);

// NULL with a reason ("line 3: …") in `why`, appended.
const struct sort *smtlib_read_sort(struct smtlib_reader *reader, const struct sexpr *e,
                                    struct text *why);
const struct term *smtlib_read_term(struct smtlib_reader *reader, const struct sexpr *e,
                                    struct text *why);
// A term of that sort; integers are taken for rationals where those are wanted.
const struct term *smtlib_read_as(struct smtlib_reader *reader, const struct sexpr *e,
                                  const struct sort *sort, struct text *why);

// The name that print_term gives to a variable, without bars.
void smtlib_name(struct text *out, const struct term *variable);

#endif
