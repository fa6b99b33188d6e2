#ifndef REGATTA_MODEL_ACCELERATE_H
#define REGATTA_MODEL_ACCELERATE_H

#include <stdatomic.h>

#include "model/model.h"

// Many rounds of a loop as one step (loop acceleration: Finkel, Leroux 2002). An edge from a location to itself may begin with any number
// of rounds along one way through its action, when in each of them
//   - numbers grow by a literal or by something that the way does not write, or by the sum of such numbers,
//   - everything else that is written is not read before,
//   - what is assumed compares numbers that grow by literals; words do not wrap around where they are compared in order.
// Such assumptions hold in all rounds when they hold in the first and in the last one, and what the rounds leave behind is known exactly.
//
//   action   becomes   choice { skip, rounds along way 1, rounds along way 2, … }; action
//
// So the accelerated model takes all steps of the model that it is made from, and more that this takes one after the other: what is inductive for
// one is for the other, and a run of one is, with its rounds written out, one of the other.

// At most so many rounds are one step: they are written out one by one on the way back.
#define ACCELERATE_MOST_ROUNDS (1u << 17)

// Takes the model, a prepared one, over. NULL, with the model destroyed: no edge has such a way, or it was given up (given_up may be NULL).
struct model *accelerate_model(struct model *model, const _Atomic bool *given_up);

#endif
