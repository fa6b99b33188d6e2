#ifndef REGATTA_LOGIC_TERMS_READ_INSIDE_H
#define REGATTA_LOGIC_TERMS_READ_INSIDE_H

#include "logic/terms/read_smtlib.h"

// Parts of read_smtlib.h, for the files of this folder only.

// A small number, as in (_ extract 7 0). False when it is none.
bool smtlib_index(const struct sexpr *e, uint32_t *out);
// An operator, as a symbol or (_ symbol index …), over its operands; NULL when it does not fit.
const struct term *read_operator(struct term_store *store, const struct sexpr *head,
                                 const struct term *const *arguments, size_t count);
const struct term *read_constant_array(struct term_store *store, const struct sort *sort,
                                       const struct term *element);

#endif
