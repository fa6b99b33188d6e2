#ifndef REGATTA_CONFIGS_CONSTRAINT_H
#define REGATTA_CONFIGS_CONSTRAINT_H

#include "base/message.h"
#include "configs/options.h"

// Conditions on the values of options, as the rules of legality (options.h) and the constraints of
// spaces write them:
//
//   refinement = UNSAT_CORE -> domain = EXPL
//   search = WEIGHTED && (wE < 0 || wD < 0)
//   domain in {EXPL, EXPL_PRED_*}
//
// Weakest first: `->`, `||`, `&&`, `!`; parentheses. A comparison has an option (or `engine`) on its
// left and a value on its right: = != and `in {…}`; for numbers also < <= > >=. In names of values
// `*` stands for any letters.

struct constraint;

// NULL with errors; their column is that of `at` plus the offset in the text (0 stays 0, and the
// message then names the character).
struct constraint *constraint_read(const char *text, struct position at, struct messages *messages);
void constraint_destroy(struct constraint *constraint); // NULL is fine

enum truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_UNKNOWN };

// Three-valued, after Kleene: `values` has one for each option; `known` says which count, NULL = all.
enum truth constraint_truth(const struct constraint *constraint, const int64_t *values,
                            const bool *known);
// Bit o is set when option o occurs.
OPTION_SET constraint_options(const struct constraint *constraint);
// The i-th value that the option is compared with; false behind the last one.
bool constraint_value(const struct constraint *constraint, int option, size_t i, int64_t *value);
const char *constraint_text(const struct constraint *constraint);

#endif
