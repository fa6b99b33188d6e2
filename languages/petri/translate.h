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

// A formula over the places as a term over the model's variables (in that order).
const struct term *petri_formula_term(struct term_store *store, const struct formula *formula,
                                      const struct variable *const *places);

#endif
