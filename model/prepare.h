#ifndef REGATTA_MODEL_PREPARE_H
#define REGATTA_MODEL_PREPARE_H

#include <stdatomic.h>

#include "model/recode.h"
#include "model/trace.h"

// Makes a smaller model with the same answer, whose traces map back to the source model.
//
// - constant propagation: variables that never change after the initial action and whose start
// value
//   is known are replaced; inside actions, values flow forwards; assumptions and branches that fold
//   to false vanish;
// - cone of influence: variables that reach no assumption (directly or through assignments) go;
// - locations that cannot be reached or cannot reach the error location go, with their edges;
// - large blocks (Beyer et al. 2009, in the path-merging form of [Hajdu20], docs/definitions/cegar.md 9): an edge
// into a
//   location with one incoming and one outgoing edge is joined with the outgoing one, stopping at
//   the error location and at the block's own start;
// - blocks from loop to loop: other locations go as well, parallel edges become choices, as long as the
//   model does not grow much by it;
// - statements: an edge whose action is a sequence is cut into one edge a statement, with locations of
//   the prepared model's own between them. Choices and ifs stay whole.
// - before all that, the source in another form, when its language has one (recode.h).

enum prepare_encoding {
    PREPARE_SINGLE_BLOCK,
    PREPARE_LARGE_BLOCK,
    PREPARE_STATEMENTS,
    PREPARE_LOOP_BLOCKS,
};

struct prepare_options {
    enum prepare_encoding encoding;
    bool propagate_constants;
    bool cone_of_influence;
    bool split_choices; // a choice or if at the top of an edge's action becomes parallel edges,
                        // recursively, while an edge yields at most `split_limit` of them
    uint32_t split_limit;
    struct recode_options recode; // a link of its own, which the result owns
    bool
        accelerate; // after all that: many rounds of a loop as one step (accelerate.h), a link of its own. NULL: no loop has such
    bool
        phases; // after all that: a location for each of a loop's conditions (phases.h), a link of its own. NULL: no loop has such
    bool
        reverse; // after all that: backwards (reverse.h). The result is two links from the source, of which it
    // owns the nearer one
    // Polled while the model is walked: once it is set nobody wants the result. NULL = never.
    const _Atomic bool *given_up;
};

struct prepare_statistics {
    uint32_t variables_before, variables_after, locations_before, locations_after;
    uint32_t edges_before, edges_after;
};

// The source must outlive the result. NULL when it was given up, knows no other form, or has no
// loop that can be accelerated, or split. `statistics` may be NULL.
struct model *prepare_model(const struct model *source, const struct prepare_options *options,
                            struct prepare_statistics *statistics);

// Rewrites a trace of a prepared model as one of its source (one link of the chain). States are
// left empty: certify_replay fills them. Caller owns the result; the argument stays as it is.
struct trace *prepare_map_trace(const struct trace *trace);

// Rewrites a proof of a prepared model as one of its source (one link of the chain): formulas by
// location of the source, NULL for those inside blocks; the others cut every cycle. What preparation used
// (constants, locations off every path) is in it, so it holds on the source alone. Terms are made
// in `store`, a child of the prepared model's. Caller frees the array (memory_free).
const struct term **prepare_lift_invariant(const struct model *prepared, struct term_store *store,
                                           const struct term *const *invariant);

#endif
