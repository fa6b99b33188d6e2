#ifndef REGATTA_ENGINES_BOUNDED_IMAGES_H
#define REGATTA_ENGINES_BOUNDED_IMAGES_H

#include "engines/bounded/bounded.h"
#include "engines/bounded/interpolant.h"

// Interpolation-based model checking (McMillan 2003). When no run of k steps or fewer gets to the error, the states
// after one more step are over-approximated by an interpolant against "the error is k steps away or nearer",
// and those after one step from there, and so on. When that adds nothing new, all these sets together are an
// inductive invariant. When one of them leads to the error, the runs have to grow by a step and all begins anew.
//
// The paper has finite models in mind, where the images of one k must come to an end. Here their
// number is limited too, by a limit that grows with k.

struct images {
    struct bounded *bounded;
    struct interpolants interpolants;
    const struct term
        *start; // the initial states, over current copies; NULL when not known without quantifiers
    const struct term *const *aux; // per location, or NULL
    const struct term *known;      // what it says of a state
    uint64_t found;                // interpolants
};

// aux: an inductive invariant, per location, that the proof may lean on; NULL: none.
void images_init(struct images *images, struct bounded *bounded, const struct term *const *aux);

void images_finish(struct images *images);

enum images_answer {
    IMAGES_SAFE,   // *invariant is filled: per location; memory_free
    IMAGES_LONGER, // not with runs of this length
    IMAGES_END, // no interpolant was found, or the attempt has to end; the workspace's reason tells
};

// No run with `length` steps or fewer ends badly. Images until nothing is new, or an error comes into reach.
enum images_answer images_look(struct images *images, uint32_t length,
                               const struct term ***invariant);
// There is no run of `length` steps, and no shorter one ends badly: after each number of steps, the states from where
// what is left of such a run cannot be run, nor an error be reached on the way; the last of them is none.
// The invariant, or NULL.
const struct term **images_exhaust(struct images *images, uint32_t length);
// An abstract view is known to be safe, by a proof that leant on `aux` (or NULL) and gives no invariant: one that images
// give, or NULL. They need no longer runs than that proof did, and often shorter ones do.
const struct term **images_prove(struct bounded *bounded, const struct term *const *aux);

#endif
