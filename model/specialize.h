#ifndef REGATTA_MODEL_SPECIALIZE_H
#define REGATTA_MODEL_SPECIALIZE_H

#include "model/model.h"

// A source model whose loops end by what is known in them: each location becomes one for each valuation of the variables that are
// known there, and what an action computes of these is computed now (polyvariant specialisation: Jones, Gomard, Sestoft, "Partial
// Evaluation and Automatic Program Generation", 1993). A loop over a text of six bytes, say, whatever it does with them. Known is also between
// which numbers those lie that loops count up to or divide (model/ranges.h), and which characters are not 0; where that does not do, what single
// elements of arrays are (model/elements.h), and what words are that choose among pointers: each choice is a way of its own (model/choices.h). Exact: the runs are the same,
// and so are the variables.

// Takes the model over and gives another source model, without cycles, with its judge; or the same: it has no cycle, or some cycle
// is left, or there would be too much. `loops_stay`: then another model with cycles is tried, too, which differ by where pointers lead that no loop
// changes (a buffer that is a variable or a block, say).
struct model *specialize_model(struct model *model, bool loops_stay);

#endif
