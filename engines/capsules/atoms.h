#ifndef REGATTA_ENGINES_CAPSULES_ATOMS_H
#define REGATTA_ENGINES_CAPSULES_ATOMS_H

#include "engines/capsules/kernel.h"
#include "model/capsules/question.h"

// The atoms of a question in the kernel's states: the kernel as the CTL checker sees it.
//
// The largest subformulas without operators that look at other states are one atom each, so that what a symbolic
// state may have is asked of all its parts together.

struct capsule_view {
    struct capsule_kernel *kernel;
    const struct capsule_question *question;
    bool exact; // the atoms' numbers are 2f only: strong and weak are the same
    bool over;  // outgoing steps need not exist
    // Some step, or some atom, is not the same for all that a state stands for: the graph is not the model's.
    bool uncertain;
    uint64_t memory;
    VECTOR(uint64_t) sure, maybe; // by state and atom (a bit each): what outgoing steps say
    void (*progress)(void *context);
    void *context;
};

void capsule_view_finish(struct capsule_view *view);
// The question over atoms that are local subformulas, numbered 2f and 2f + 1 (see ctl_read).
struct ctl_reading capsule_view_formulas(const struct capsule_question *question,
                                         enum ctl_graph graph, struct ctl_formulas *to);
struct ctl_kernel capsule_view_kernel(struct capsule_view *view);
// A local formula in a state, as a term over the state's symbols; what outgoing steps may or may not say is a
// variable without meaning. `known`: the steps were looked at.
const struct term *capsule_view_term(struct capsule_view *view, uint32_t state, uint32_t formula,
                                     bool known);
// Does a configuration make an atom of the question meaningless? Static text, or NULL.
const char *capsule_view_refuses(const struct capsules *model,
                                 const struct capsule_question *question,
                                 const struct capsule_options *options);

#endif
