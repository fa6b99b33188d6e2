#ifndef REGATTA_LOGIC_TERMS_PRINT_H
#define REGATTA_LOGIC_TERMS_PRINT_H

#include "base/text.h"
#include "logic/terms/term.h"

enum print_language {
    PRINT_SMTLIB, // SMT-LIB 2.6 terms; names quoted with |…| where needed; enumerations as datatypes
    PRINT_XSTS,   // input language of XSTS (docs/definitions/formats.md 2.1)
    PRINT_CFA,    // input language of CFA and STS (docs/definitions/formats.md 4.1)
    PRINT_PREFIX, // the S-expression form of traces (docs/definitions/formats.md 8.1, 8.2)
};

// A copy k > 0 of variable x prints as x@k (|x@k| in SMT-LIB).
void print_term(struct text *out, const struct term *term, enum print_language language);
void print_sort(struct text *out, const struct sort *sort, enum print_language language);
// A literal as values in traces are written: 5, true, RED (short literal), (array (0 1) (default 0)).
void print_value(struct text *out, const struct sort *sort, struct value value);
// The same of a float's bits: as CFA writes it, 5'b10010.10'd0, and in brackets the number, where a double has it: (8).
void print_float(struct text *out, const struct sort *sort, uint32_t exponent_bits,
                 struct value value);

// SMT-LIB 2 declarations of all free variables and sorts of a term (declare-datatype, declare-const).
void print_smtlib_declarations(struct text *out, const struct term *const *terms, size_t count);

#endif
