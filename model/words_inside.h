#ifndef REGATTA_MODEL_WORDS_INSIDE_H
#define REGATTA_MODEL_WORDS_INSIDE_H

#include "base/vector.h"
#include "logic/terms/rewrite.h"
#include "model/model_memory.h"
#include "model/words.h"

// For the files words*.c only.

typedef __int128 words_wide;

#define WORDS_WIDEST 64

// An integer that equals a word modulo 2^width, and what is known of it.
struct words_number {
    const struct term *term;
    words_wide low, high; // its bounds, both within ±2^120
    uint32_t zeros;       // it is a multiple of 2^zeros
    bool computed;        // by sums and products, which may wrap around
};

// How a word is written as a number.
struct words_range {
    words_wide low, high;
};
struct words_range words_range(uint32_t width, bool with_sign);
// Rounded down; b > 0.
words_wide words_quotient(words_wide a, words_wide b);
// The bounds of products of numbers within the bounds. False: some are too large for the type.
bool words_product(struct words_range a, struct words_range b, struct words_range *out);

struct words_recoding {
    struct recoding base;
    bool *with_sign; // by variable of the source; owned
};
const struct words_recoding *words_recoding_of(const struct model *recoded);

// Elements of arrays: bytes without sign, as loads of several put them together; others with.
static inline bool words_element_has_sign(const struct sort *element)
{
    return element->width != 8;
}

// A statement's assumption that came from outside: of each fresh variable, and of elements that are read.
struct words_terms {
    const struct model *source;
    struct model_builder *builder;
    struct term_store *store;
    const struct variable **variable; // of the other form, by index in the source
    const bool *with_sign;
    struct words_memo *memo; // by id of the source's terms
    uint32_t stamp;          // of the statement at hand; what was made for another is not valid
    VECTOR(const struct variable *) fresh; // to be made arbitrary before the statement
    struct term_vector facts;              // to be assumed after that
    bool checked;              // what is computed has to be in range, else it wraps around
    struct term_vector duties; // that it is; when not, the statement means nothing
    uint32_t inexact;          // fresh ones in all
    bool failed;               // there is no such form
};

void words_terms_init(struct words_terms *w, const struct model *source,
                      struct model_builder *builder, const bool *with_sign);
void words_terms_finish(struct words_terms *w);
// The next statement: what was fresh and the facts are taken care of.
void words_terms_next(struct words_terms *w);
// The source's term in the other form, as a value of `words_sort`. For words: in the range that is asked for.
const struct term *words_translate(struct words_terms *w, const struct term *term);
// A variable of the source as it is in the other form: its word, or what else it is, for a variable of that.
const struct term *words_value_for(struct words_terms *w, const struct variable *variable,
                                   const struct term *value);
// `term`, an integer, lies in the range.
const struct term *words_between(struct term_store *store, const struct term *term,
                                 struct words_range range);
const struct term *words_constant(struct term_store *store, words_wide value);
// The sort with integers for words, keys and elements too; NULL when a word is too wide.
const struct sort *words_sort(struct term_store *store, const struct sort *sort);

// words_lift.c
const struct term **words_lift_invariant(const struct model *recoded, struct term_store *store,
                                         const struct term *const *invariant);

#endif
