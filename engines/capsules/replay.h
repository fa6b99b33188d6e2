#ifndef REGATTA_ENGINES_CAPSULES_REPLAY_H
#define REGATTA_ENGINES_CAPSULES_REPLAY_H

#include "engines/capsules/ask.h"
#include "engines/capsules/atoms.h"
#include "model/capsules/shows.h"

// From a run of an exploration to a run of the model.

struct capsule_path_step { // a step of an exploration, kept
    enum capsule_rule rule;
    uint32_t instance;
    enum capsule_trigger kind;
    uint32_t trigger, transition, which_case;
    struct capsule_value_words values;
};

struct capsule_path {
    VECTOR(struct capsule_path_step) steps;
    size_t loop; // index of the state that the last step leads to; SIZE_MAX: none
};
void capsule_path_finish(struct capsule_path *path);
// Which steps the run takes; the closing one of a lasso too.
bool capsule_path_find(struct capsule_kernel *kernel, const struct ctl_run *run,
                       struct capsule_path *path);

// Follows the run on the concrete semantics, with values for symbols and without pulls, and proves there that it shows what
// is claimed. True: answer->run is the run. Else suspects are noted, where there are any.
bool capsule_replay(const struct capsule_ask *ask, struct capsule_view *view,
                    const struct ctl_checker *checker, const struct ctl_run *run,
                    struct capsule_answer *answer);

// The same for runs of a structural abstraction or aggregation: a search for a run of the model that does what the abstract
// run does, with steps of the abstracted parts between. Notes whom the search waited for.
bool capsule_replay_guided(const struct capsule_ask *ask, struct capsule_view *view,
                           const struct ctl_checker *checker, const struct ctl_run *run,
                           struct capsule_answer *answer);
// The same for a run of a kernel that abstracts nothing.
bool capsule_replay_in(const struct capsule_ask *ask, const struct capsule_options *options,
                       struct capsule_kernel *kernel, const struct ctl_checker *checker,
                       const struct ctl_run *run, struct capsule_answer *answer);

#endif
