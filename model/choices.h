#ifndef REGATTA_MODEL_CHOICES_H
#define REGATTA_MODEL_CHOICES_H

#include "logic/terms/rewrite.h"
#include "model/ranges.h"

// Which of few literals a word is that is chosen by conditions, and which was taken where all of them are followed one after the other.

#define CHOICES_MOST_VALUES 16

// Adds the literals that the word may be. False: it may be another, or there are more than CHOICES_MOST_VALUES.
bool choices_find(const struct range_view *view, const struct term *word,
                  struct term_vector *values);

// What was taken at each place where something is chosen, in the order in which they are met.
#define CHOICES_MOST 8
struct choices {
    uint8_t taken[CHOICES_MOST], of[CHOICES_MOST];
    uint32_t count, at; // at: those that have been met now
};

// At the next place, of so many. False: there are too many places.
bool choices_take(struct choices *choices, uint32_t of, uint32_t *taken);
// To the next combination. False: there is none.
bool choices_next(struct choices *choices);

#endif
