#ifndef REGATTA_MODEL_RECODE_H
#define REGATTA_MODEL_RECODE_H

#include <stdatomic.h>

#include "model/trace.h"

// A model that was read, in another form, for engines that know models only: its language knows more of the input than
// the model says (that a place never holds two tokens, say), or its words are written as integers (words.h). It is a link
// between the source and what is prepared, and who made it knows the ways back. Nobody needs to believe it: runs are
// replayed on the source, and what the other form rests on is part of each proof, which is checked on the source.

struct recode_options {
    enum { RECODE_PLAIN, RECODE_BOUNDED, RECODE_BOOLEANS } places;
    bool environment; // the loop of XSTS: steps of the environment between the others
    enum {
        RECODE_BITS,
        RECODE_WRAPPING,
        RECODE_CHECKED
    } words; // integers (words.h): no other form then
};

static inline bool recode_is_wanted(const struct recode_options *options)
{
    return options->places != RECODE_PLAIN || options->environment || options->words != RECODE_BITS;
}

// Begins what is kept of a model that was made so.
struct recoding {
    struct trace *(*map_trace)(const struct trace *trace); // as prepare_map_trace
    const struct term **(*lift_invariant)(const struct model *recoded, struct term_store *store,
                                          const struct term *const *invariant);
    void (*destroy)(struct recoding *recoding);
};

// A builder for the other form of `source`, which must outlive it. Takes the recoding over.
struct model_builder *recode_builder(const struct model *source, struct recoding *recoding);
// The statement once more, over the variables with the same names; its origin is `statement`.
struct statement *recode_statement(struct model_builder *builder,
                                   const struct statement *statement);
const struct recoding *recode_of(const struct model *model); // NULL: it was not made so

// The source's other form, as words.h or its view makes it: NULL when there is none, or when it was given up. given_up may
// be NULL.
struct model *recode_model(const struct model *source, const struct recode_options *options,
                           const _Atomic bool *given_up);
// Does the source know such a form? It may turn out that it has none all the same.
bool recode_is_possible(const struct model *source, const struct recode_options *options);

#endif
