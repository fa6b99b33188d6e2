#ifndef REGATTA_LOGIC_TERMS_EVAL_H
#define REGATTA_LOGIC_TERMS_EVAL_H

#include "logic/terms/term.h"
#include "logic/terms/value.h"

// Evaluation of terms under a partial assignment. Exact, in the semantics of docs/definitions/formats.md 1.3; no
// solver. An operation on small values allocates nothing.

// The value of a variable term, or VALUE_UNKNOWN.
typedef struct value (*eval_lookup)(void *context, const struct term *variable);
// A division whose divisor is zero: kind DIV, MOD, REM (or rational DIV) of `dividend`; may answer
// VALUE_UNKNOWN. NULL in the evaluator means always unknown.
typedef struct value (*eval_zero_division)(void *context, enum term_kind kind,
                                           const struct sort *sort, struct value dividend);

struct evaluator; // owns scratch memory for terms with much sharing; one per thread

struct evaluator *evaluator_create(struct term_store *store); // new large values go to that store
void evaluator_destroy(struct evaluator *evaluator);
void evaluator_set_zero_division(struct evaluator *evaluator, eval_zero_division answer,
                                 void *context);

// VALUE_UNKNOWN when the known values do not decide the result. Lazy: `false and u` is false,
// `if c then a else b` looks at the chosen branch only, and gives the common value of both branches
// when c is unknown; `u * 0` is 0; quantified terms are unknown unless trivial.
struct value evaluator_run(struct evaluator *evaluator, const struct term *term, eval_lookup lookup,
                           void *context);

#endif
