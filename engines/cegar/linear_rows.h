#ifndef REGATTA_ENGINES_CEGAR_LINEAR_ROWS_H
#define REGATTA_ENGINES_CEGAR_LINEAR_ROWS_H

#include <gmp.h>

#include "base/vector.h"
#include "logic/terms/term.h"

// A system of linear constraints Σ coefficient * column + constant REL 0 with integer coefficients,
// made from atoms over int and rat.
//
// A column is any term that is no sum and no multiple: a variable, but also a[i], x * y, x mod 3.
// A row follows from its atom and, where all columns are integers, is as tight as rounding makes
// it. Rows and columns are stacks: rows_truncate takes back what was added since.

enum row_relation { ROW_LE, ROW_LT, ROW_EQ };

struct row_entry {
    uint32_t column;
    mpz_t coefficient; // not zero
};

struct row {
    enum row_relation relation;
    uint32_t part;  // the formula it comes from
    uint32_t level; // free for the owner of the system
    size_t count;
    struct row_entry *entries; // distinct columns
    mpz_t constant;
};

struct row_column {
    const struct term *base;    // of sort int or rat
    const struct term *relaxed; // a rational variable that stands for it
    uint32_t part;              // where it was met first
};

struct rows {
    struct term_store *store;
    VECTOR(struct row_column) columns;
    VECTOR(struct row) rows;
};

void rows_init(struct rows *rows, struct term_store *store);
void rows_finish(struct rows *rows);

// Adds the row for `a relation b` and the columns it needs; NULL. If a summand is a conditional,
// adds nothing and returns that conditional.
const struct term *rows_add(struct rows *rows, enum row_relation relation, const struct term *a,
                            const struct term *b, uint32_t part, uint32_t level);
// A row that nothing satisfies.
void rows_add_false(struct rows *rows, uint32_t part, uint32_t level);
void rows_truncate(struct rows *rows, size_t row_count, size_t column_count);

// The row over the relaxed columns.
const struct term *rows_relaxed(struct rows *rows, const struct row *row);
// Σ coefficients[c] * column c + constant <= 0 (< 0 when strict) over the columns themselves,
// without a common divisor. One coefficient for each column.
const struct term *rows_inequality(struct rows *rows, const mpz_t *coefficients,
                                   const mpz_t constant, bool strict);

// The literal of that value, and the value of a literal of sort int or rat.
const struct term *rows_literal(struct rows *rows, const struct sort *sort, const mpz_t value);
void rows_literal_value(mpq_t out, const struct term *literal);

#endif
