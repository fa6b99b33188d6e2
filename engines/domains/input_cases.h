#ifndef REGATTA_ENGINES_DOMAINS_INPUT_CASES_H
#define REGATTA_ENGINES_DOMAINS_INPUT_CASES_H

#include "base/arena.h"
#include "engines/domains/variable_bits.h"
#include "model/model.h"

// Values that stand for all values of an action's wide inputs: bit-vectors that a havoc makes arbitrary, and variables that are
// copies of one there. Where an action only compares them with literals, values between two neighbouring literals are alike.
// A short stretch between two has each value listed; of a long one there is one value, which is `open`: it stands for the
// others as long as nothing but comparisons looks at it.

struct input_cases;

// What the action makes of its inputs; NULL where it has no wide one, or too many literals. `live`: by statement id, the variables
// that may be read behind it. In the arena.
const struct input_cases *input_cases_of(const struct model *model, struct arena *arena,
                                         const struct statement *action, variable_bits **live);

// Does this havoc make an input? Else nothing reads what it gives.
bool input_cases_begins(const struct input_cases *cases, const struct statement *havoc);

// The values for a variable of this width, in order; *count is how many.
const struct value *input_cases_values(const struct input_cases *cases, uint32_t width,
                                       size_t *count);
// The width that all inputs have, where they have at most 64 values; else 0.
uint32_t input_cases_width(const struct input_cases *cases);
// Is the value one that stands for others?
bool input_cases_open(const struct input_cases *cases, uint32_t width, struct value value);
// The inputs and their copies.
const variable_bits *input_cases_inputs(const struct input_cases *cases);
// Those that the statement looks at otherwise than by comparisons with literals, and not to copy them; NULL: none.
const variable_bits *input_cases_seen(const struct input_cases *cases, const struct statement *s);

#endif
