#ifndef REGATTA_MODEL_WORDS_H
#define REGATTA_MODEL_WORDS_H

#include "model/recode.h"

// Machine words as integers: the same model with whole numbers in place of bit-vectors of up to 64 bits. Each variable has
// its word's value with or without sign, whichever its uses want; sums, products and differences are the integers' own,
// brought back into the word's range only where a comparison, a division or a variable needs that and the value may be
// outside. What integers cannot say (an "and" of two variables, say) becomes arbitrary within what is known of it, so a run
// counts when it replays on the words (docs/definitions/words.md). A proof goes back as arithmetic on words that are wide
// enough, and is checked on the source.

//
// With `checked`, what is computed does not wrap around; that it would have to is an error of the other form, so a proof
// shows that no run needs it, and a run into such an error is none of the source's.

// A model whose ways back are a recoding's (recode.h). NULL: the source has no words, has some that are wider, has
// quantifiers, too much that integers cannot say, or it was given up (NULL: never). The source must outlive the result.
struct model *words_recode(const struct model *source, bool checked, const _Atomic bool *given_up);
// Would it be worth trying: are there words among the variables, none too wide? Linear in the variables.
bool words_are_possible(const struct model *source);

#endif
