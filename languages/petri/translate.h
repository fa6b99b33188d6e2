#ifndef REGATTA_LANGUAGES_PETRI_TRANSLATE_H
#define REGATTA_LANGUAGES_PETRI_TRANSLATE_H

#include "languages/petri/net_view.h"
#include "model/model.h"

// The net as a model for the general engines: one integer a place, one location `marking`, an edge a transition with
// that transition's number as its id, and an edge `assume goal` to the error location `reached`.
//
//   initial action: p := its tokens at the start, for every place
//   edge t:         assume p >= w for inputs, p < w for inhibitors; p := p + effect
//   error:          assume goal
//
// The model is unsafe when a marking with the view's goal is reachable. It takes over the view.
struct model *petri_translate(struct net_view *view);

// Other forms of it (recode.c).
struct net_form {
    // By place, or NULL: what it never holds more of, BOUND_NONE where that is not known. A transition is taken only where that
    // stays true.
    const int64_t *most;
    bool booleans; // places that never hold two are Booleans
    // The loop of XSTS (docs/definitions/formats.md 2.3) with nothing to do at the start and for the environment: locations
    // `start`, `stable` and `stimulated`, transitions lead from the last to the one before, and each has an edge to the error.
    bool environment;
};
// Edges come in the order: transitions, those into the error, others.
void petri_translate_into(struct model_builder *builder, const struct net_view *view,
                          const struct net_form *form);

static inline bool net_form_is_boolean(const struct net_form *form, uint32_t place)
{
    return form->booleans && (form->most[place] == 0 || form->most[place] == 1);
}

// A formula over the places as a term over the model's variables (in that order).
const struct term *petri_formula_term(struct term_store *store, const struct formula *formula,
                                      const struct variable *const *places);

#endif
