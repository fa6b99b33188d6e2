#ifndef REGATTA_LOGIC_TERMS_PRINT_INSIDE_H
#define REGATTA_LOGIC_TERMS_PRINT_INSIDE_H

#include "logic/terms/print.h"

// Parts of print.h, for the files of this folder only.

void print_infix(struct text *out, const struct term *term, enum print_language language);
void print_prefix(struct text *out, const struct term *term);
void print_smtlib(struct text *out, const struct term *term);
void print_smtlib_sort(struct text *out, const struct sort *sort);
// The sign and the magnitude of a number literal: "1" or "1%2". True when negative.
bool print_magnitude(struct text *out, const struct term *literal);
// A bit-vector literal as an unsigned decimal number without its width.
void print_unsigned(struct text *out, const struct term *literal);
// The SMT-LIB name of a bit-vector operator, which the input language shares; NULL for others.
const char *print_bits_name(enum term_kind kind);

#endif
