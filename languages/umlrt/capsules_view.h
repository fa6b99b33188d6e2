#ifndef REGATTA_LANGUAGES_UMLRT_CAPSULES_VIEW_H
#define REGATTA_LANGUAGES_UMLRT_CAPSULES_VIEW_H

#include "model/capsules/shows.h"
#include "model/dialect.h"
#include "model/model.h"

// The capsules behind a model: what each variable and each edge stands for.

#define CAPSULES_VIEW "capsules"

struct part_variables {
    const struct variable *there, *location;
    const struct variable **attributes, **fresh, **timers;
};

struct slot_variables {
    const struct variable *receiver, *signal;
    const struct variable **values;
};

struct queue_variables {
    const struct variable *length;
    struct slot_variables *slots;
    uint32_t arity; // the most values of a signal
};

struct edge_meaning { // of an edge but the one to the error location
    enum capsule_rule rule;
    uint32_t instance, transition, trigger;
};

struct capsules_view {
    struct model_view base;
    struct capsules *capsules;      // owned
    struct language_source *source; // that they borrow from, held
    struct capsule_question question;
    bool has_question;
    enum capsule_shape shape; // of the question
    uint32_t bound;           // of queues
    bool head_only;
    struct part_variables *parts;
    struct queue_variables *queues;
    const struct variable **received; // values of the signal that a step takes; numbers
    uint32_t received_count;
    VECTOR(struct edge_meaning) edges; // by id; behind them the one to the error location
    // Of the question: the model stands for it, so any engine may answer. Else the error location is reached from everywhere, and
    // whether a run shows the answer is for the replay to say (model_view.asks).
    bool translated;
    // The error location stands for a step of this kind and not for a state; NULL: for a state.
    const struct capsule_atom *step_atom;
};

void capsules_view_destroy(struct model_view *view);
// NULL when there are no capsules behind the model.
static inline const struct capsules_view *capsules_view_of(const struct model *model)
{
    const struct model_view *view = model_root(model)->view;
    return view != NULL && __builtin_strcmp(view->kind, CAPSULES_VIEW) == 0
               ? (const struct capsules_view *)view
               : NULL;
}

// A replayed trace as a run of the capsules; finish it in any case. False with the reason appended.
struct trace;
struct text;
bool capsules_run_of(const struct trace *trace, struct capsule_run *run, struct text *why);

// Replays by the interpreter of capsules, and prints runs as those do.
extern const struct dialect umlrt_dialect;

#endif
