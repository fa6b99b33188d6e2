#ifndef REGATTA_MODEL_ENCODE_H
#define REGATTA_MODEL_ENCODE_H

#include "base/arena.h"
#include "logic/terms/rewrite.h"
#include "model/model.h"

// Actions as formulas over indexed copies of the variables: a statement that changes x advances the
// index of x; a choice joins the indices of its branches with equalities (docs/definitions/cegar.md 1, docs/definitions/formats.md 2.4).
//
// An encoder belongs to one attempt and makes its terms in the attempt's store.

struct encoder;

struct encoder *encoder_create(const struct model *model, struct term_store *store);
void encoder_destroy(struct encoder *encoder);

enum encode_flag {
    // Each branch of a choice (and each side of an if) is guarded by a Boolean variable of its own, so
    // that a model tells which branch was taken.
    ENCODE_SELECTORS = 1,
    // Each assignment and assumption (conditions of ifs too) holds only under a Boolean variable of its
    // own, its tracker: with the trackers as assumptions an unsat core names statements. Implies
    // ENCODE_SELECTORS.
    ENCODE_TRACKED = 2,
};

// One action at one place of a path. Arrays live in the arena given.
struct encoded_step {
    const struct statement *action;
    uint32_t occurrence; // number of the step in its path, from 0
    const struct term *formula;
    uint32_t *before, *after;         // index of each variable of the model
    struct term_vector trackers;      // ENCODE_TRACKED, with their statements:
    const struct statement **tracked; // trackers.count of them
    size_t havoc_count;               // copies that havocs introduced, in order of encoding
    const struct statement **havoc;
    const struct term **havoc_copy;
};

// `before` is copied. Release with encoded_step_finish (the arena's part stays until the arena goes).
void encoder_step(struct encoder *encoder, struct arena *arena, const struct statement *action,
                  uint32_t occurrence, const uint32_t *before, unsigned flags,
                  struct encoded_step *out);
void encoded_step_finish(struct encoded_step *step);

// The copy of a variable at an index.
const struct term *encoder_copy(struct encoder *encoder, const struct variable *variable,
                                uint32_t index);
// A formula over plain variables, at the given indices; and back (all indices to 0).
const struct term *encoder_shift(struct encoder *encoder, const struct term *formula,
                                 const uint32_t *index);
const struct term *encoder_unshift(struct encoder *encoder, const struct term *formula);
// The selector of a branch of a CHOICE, or of the sides (0 = then, 1 = else) of an IF.
const struct term *encoder_selector(struct encoder *encoder, const struct statement *statement,
                                    uint32_t branch, uint32_t occurrence);
const struct term *encoder_tracker(struct encoder *encoder, const struct statement *statement,
                                   uint32_t occurrence);

#endif
