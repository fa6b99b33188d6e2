#ifndef REGATTA_LANGUAGES_PETRI_LINEAR_H
#define REGATTA_LANGUAGES_PETRI_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Linear programs, over rationals or integers, by lp_solve. It computes with floating point numbers: what it says is a
// proposal, and callers check in integers whatever a verdict rests on. One thread; any number of programs at once.

struct linear;

enum linear_result { LINEAR_SOLVED, LINEAR_INFEASIBLE, LINEAR_STOPPED };
enum linear_relation { LINEAR_AT_MOST, LINEAR_AT_LEAST, LINEAR_EQUAL };

struct linear_term {
    uint32_t column;
    double weight;
};

// Columns are 0 … columns - 1, at least 0 each. The sum of all columns is made least.
struct linear *linear_create(uint32_t columns);
void linear_destroy(struct linear *linear); // NULL is fine
// What is made least instead: the sum of these, each column once at most. Before the first row.
void linear_cost(struct linear *linear, const struct linear_term *terms, size_t count);
void linear_integers(struct linear *linear);
// This column is at most that, which is at least 0. After the last row.
void linear_upper(struct linear *linear, uint32_t column, double most);
// Each column once at most.
void linear_row(struct linear *linear, const struct linear_term *terms, size_t count,
                enum linear_relation relation, double bound);
// Another right-hand side for a row, numbered from 0 in the order of linear_row. The next solution starts from the last.
void linear_bound(struct linear *linear, uint32_t row, double bound);
// SOLVED: one value a column in `out`. go_on is asked now and then; false: STOPPED.
enum linear_result linear_solve(struct linear *linear, double *out,
                                bool (*go_on)(void *context, uint64_t steps), void *context);

#endif
