#ifndef REGATTA_MODEL_SMALL_WORDS_H
#define REGATTA_MODEL_SMALL_WORDS_H

#include <stdbool.h>

#include "logic/terms/rewrite.h"
#include "model/ranges.h"

// Which literals some words are (`x % 5 = 3`), where that is known of no variable alone.

#define NOTED_WORDS 10

struct noted_word {
    const struct term *word, *literal; // NULL behind the last one
};

// In order, each word once. False: there is no room.
bool words_note(struct noted_word noted[NOTED_WORDS], const struct term *word,
                const struct term *literal);
// What speaks of the variable.
void words_forget(struct noted_word noted[NOTED_WORDS], const struct term *variable);
// Those that are in the others, too.
void words_join(struct noted_word noted[NOTED_WORDS], const struct noted_word with[NOTED_WORDS]);
const struct term *words_apply(struct term_store *store, const struct noted_word noted[NOTED_WORDS],
                               const struct term *t);

// A word in the term, no literal, of which the ranges say that it is one of at most so many numbers; NULL: there is none.
const struct term *words_small(const struct range_view *view, const struct term *t, uint64_t most);

#endif
