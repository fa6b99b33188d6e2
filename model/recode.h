#ifndef REGATTA_MODEL_RECODE_H
#define REGATTA_MODEL_RECODE_H

#include <stdatomic.h>

#include "model/trace.h"

// A model that was read, in another form: its language knows more of the input than the model says (that a place never
// holds two tokens, say), and so makes a model for engines that know models only. It is a link between the source and
// what is prepared, and its language knows the ways back. Nobody needs to believe it: runs are replayed on the source,
// and what the other form rests on is part of each proof, which is checked on the source.

struct recode_options {
    enum { RECODE_PLAIN, RECODE_BOUNDED, RECODE_BOOLEANS } places;
    bool environment; // the loop of XSTS: steps of the environment between the others
};

static inline bool recode_is_wanted(const struct recode_options *options)
{
    return options->places != RECODE_PLAIN || options->environment;
}

// Begins what a language keeps of a model that it made so.
struct recoding {
    struct trace *(*map_trace)(const struct trace *trace); // as prepare_map_trace
    const struct term **(*lift_invariant)(const struct model *recoded, struct term_store *store,
                                          const struct term *const *invariant);
    void (*destroy)(struct recoding *recoding);
};

// A builder for the other form of `source`, which must outlive it. Takes the recoding over.
struct model_builder *recode_builder(const struct model *source, struct recoding *recoding);
const struct recoding *recode_of(const struct model *model); // NULL: it was not made so

// The source's other form, by its view: NULL when there is none, or when it was given up. given_up may be NULL.
struct model *recode_model(const struct model *source, const struct recode_options *options,
                           const _Atomic bool *given_up);
// Does the source know another form?
bool recode_is_possible(const struct model *source);

#endif
