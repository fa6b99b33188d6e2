#ifndef REGATTA_ENGINES_DOMAINS_EXPLICIT_POST_H
#define REGATTA_ENGINES_DOMAINS_EXPLICIT_POST_H

#include "engines/domains/variable_bits.h"
#include "engines/domains/workspace.h"
#include "logic/terms/eval.h"

// The strongest post of an action on valuations (variable -> value or unknown), statement by statement
// and without a solver ([Hajdu20] Algorithm 2.4; docs/definitions/cegar.md 2). A set of valuations runs through the
// action: a choice unites its branches; variables that are neither tracked nor read later in the action
// are forgotten early, so that branches that differ in nothing that matters fall together.

// Valuations in rows of `width` values; memory is kept between uses.
struct valuation_set {
    uint32_t width;
    struct value *rows;
    bool *doubtful; // per row: some condition on the way to it was taken as possible, undecided
    uint64_t *
        cases; // per row, while an action runs: the values that its wide input still can have, by number
    size_t count, capacity; // rows
};

struct explicit_post;

struct explicit_post *explicit_post_create(struct workspace *workspace);
void explicit_post_destroy(struct explicit_post *post);

// Runs `action` on one valuation. `tracked` has a bit for each variable that the result keeps; all
// others are unknown in it. The result is a set without duplicates, in a fixed order.
//
// A condition that the known values do not decide: with `split` its unknown variables of small finite
// sorts are case-split; what cannot be is taken as possible and makes the row doubtful. *branched:
// whether unknown values were split. False when the attempt has to end.
bool explicit_post_run(struct explicit_post *post, const struct statement *action,
                       const struct value *valuation, const variable_bits *tracked, bool split,
                       struct valuation_set *out, bool *branched);

// From now on, with `split`, wide inputs take the values that stand for all (input_cases.h), where that is exact.
// `carried`: the variables whose values may matter between actions; it outlives the post.
void explicit_post_split_inputs(struct explicit_post *post, const variable_bits *carried);
// The same, where what comes out need not be all successors but only some: values of inputs are then tried wherever they are looked
// at, and rows know them.
void explicit_post_sample_inputs(struct explicit_post *post);
// Before the run: which variables any run from `to` may read before it writes them. Turns the set of those that matter behind
// the action into that of those that matter before it.
void explicit_post_live(struct explicit_post *post, const struct statement *action,
                        variable_bits *bits);

// The value of a term over plain variables under a valuation.
struct value explicit_post_evaluate(struct explicit_post *post, const struct term *term,
                                    const struct value *valuation);

// Is the first thing that the statement does to assume what is false under the valuation?
bool explicit_post_fails_at_once(struct explicit_post *post, const struct statement *statement,
                                 const struct value *valuation);

size_t explicit_post_bytes(const struct explicit_post *post);

void valuation_set_finish(struct valuation_set *set);
static inline struct value *valuation_row(const struct valuation_set *set, size_t i)
{
    return set->rows + i * set->width;
}

#endif
