#ifndef REGATTA_MODEL_WALK_H
#define REGATTA_MODEL_WALK_H

#include "base/random.h"
#include "logic/terms/eval.h"
#include "model/model.h"

// Random walks: runs of a model with inputs and choices at random, small numbers more often than others. Every state that is
// met is one that the model reaches. Work is counted, not timed: the same seed gives the same walks on every machine. One thread.

struct walk {
    const struct model *model;
    struct term_store *store; // large values go there
    struct evaluator *evaluator;
    struct value *now;    // by index of variable
    struct value *before; // room for a state
    struct random random;
    int64_t work;         // nodes of terms that may still be looked at
    const bool *left_out; // by edge: walk_step does not take it; NULL: it takes all
    uint64_t scale;       // small numbers are up to so many times as large; 0 counts as 1
};

// now: all unknown. walk_finish.
void walk_init(struct walk *walk, const struct model *model, uint64_t seed, int64_t work);
void walk_finish(struct walk *walk);

// In the state that the walk is in. Unknown: what it depends on is, or the term is larger than the work that is left.
struct value walk_evaluate(struct walk *walk, const struct term *term);
// Some value, often a small one.
struct value walk_any_value(struct walk *walk, const struct sort *sort);
// From the initial location, with any values. False: the initial action was not passed with them.
bool walk_begin(struct walk *walk);
// Takes this edge. False: not with the values that were tried; `now` is as before.
bool walk_edge(struct walk *walk, const struct edge *edge);
// Takes an edge. NULL: none was found that could be taken with the values that were tried; `now` is as before.
const struct location *walk_step(struct walk *walk, const struct location *from);

// Of a state.
size_t walk_state_bytes(const struct walk *walk);

#endif
