#ifndef REGATTA_LANGUAGES_PETRI_NET_VIEW_H
#define REGATTA_LANGUAGES_PETRI_NET_VIEW_H

#include "languages/language.h"
#include "languages/petri/formula.h"
#include "model/model.h"

// The net behind a model, for engines that know nets. The model's edge t is the net's transition t.

#define NET_VIEW "net"
#define NET_BRANCHING_VIEW                                                                         \
    "net-ctl" // the question is `branching`; the model has the net's runs, and no error

struct net_view {
    struct model_view base;
    const struct net *net;
    struct language_source *source; // it is in here
    const struct formula *goal;     // the error location stands for it
    const struct branching *branching;
    struct arena arena; // of the goal
};

// NULL when there is no net behind the model.
static inline const struct net_view *net_view_of(const struct model *model)
{
    const struct model_view *view = model_root(model)->view;
    bool is_net = view && (__builtin_strcmp(view->kind, NET_VIEW) == 0 ||
                           __builtin_strcmp(view->kind, NET_BRANCHING_VIEW) == 0);
    return is_net ? (const struct net_view *)view : NULL;
}

#endif
