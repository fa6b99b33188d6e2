#ifndef REGATTA_LOGIC_TERMS_READ_SMTLIB_H
#define REGATTA_LOGIC_TERMS_READ_SMTLIB_H

#include "logic/terms/sexpr.h"
#include "logic/terms/term.h"

// Terms of SMT-LIB 2.6 (core, integers and reals, bit-vectors, arrays, enumerations): all that
// print_term writes, and what solvers answer.

struct smtlib_reader;

// Terms are made in the store.
struct smtlib_reader *smtlib_reader_create(struct term_store *store);
void smtlib_reader_destroy(struct smtlib_reader *reader); // NULL is fine

// Makes the variable, and the enumerations in its sort, known under the names that print_term gives
// them.
void smtlib_reader_add(struct smtlib_reader *reader, const struct term *variable);
// From now until smtlib_reader_unbind the name means the term, as inside a let.
void smtlib_reader_bind(struct smtlib_reader *reader, const char *name, const struct term *term);
size_t smtlib_reader_mark(const struct smtlib_reader *reader);
void smtlib_reader_unbind(struct smtlib_reader *reader, size_t mark);
// Makes the names of a let visible; false with a reason.
bool smtlib_reader_bind_let(struct smtlib_reader *reader, const struct sexpr *let,
                            struct text *why);
// Asked about every name that is not bound, in front of arguments (already read) or alone (count 0): what it
// makes of them. NULL: it is not known there; or, with a reason in `why`, it is wrong.
typedef const struct term *(*smtlib_call)(void *context, const struct sexpr *name,
                                          const struct term *const *arguments, size_t count,
                                          struct text *why);
void smtlib_reader_calls(struct smtlib_reader *reader, smtlib_call call, void *context);
// Reasons come without "line 3: " from now on.
void smtlib_reader_plain(struct smtlib_reader *reader);
// Where the last failure was; NULL when there was none.
const struct sexpr *smtlib_reader_fault(const struct smtlib_reader *reader);
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
