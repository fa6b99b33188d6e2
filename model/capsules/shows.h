#ifndef REGATTA_MODEL_CAPSULES_SHOWS_H
#define REGATTA_MODEL_CAPSULES_SHOWS_H

#include "model/capsules/run.h"

// What a run by itself says about a formula, whatever other runs there are.

enum capsule_shape {
    SHAPE_LOCAL,           // about the initial state alone
    SHAPE_EXISTS,          // E operators only, unnegated
    SHAPE_ALL,             // A operators only, unnegated
    SHAPE_ALL_FINALLY,     // the same, and some of them is AF: deadlocks matter
    SHAPE_EXISTS_GLOBALLY, // E operators only, and some of them is EG
    SHAPE_MIXED,
};
enum capsule_shape capsule_shape_of(const struct ctl_formulas *formulas, uint32_t formula);

// The answer that a run can show: true for E formulas, false for all others. A verdict of `unsafe` stands for it.
bool capsule_shown_truth(enum capsule_shape shape);
// Is one run enough to show it? Not when E and A alternate, nor where several runs are asked for at one place.
bool capsule_needs_one_run(const struct capsule_question *question);

// Numbers from outside are tried from low to high, where steps are looked at that the run does not take.
struct capsule_range {
    int64_t low, high;
};
// No step at all, whatever comes from outside?
bool capsule_is_deadlock(const struct capsules *model, struct plain_interpreter *interpreter,
                         struct capsule_range range, const struct plain_state *state);
// Is the formula what is claimed, in the run's first state, because of this run? `run->deadlock` is looked into.
bool capsule_run_shows(const struct capsules *model, const struct capsule_question *question,
                       struct capsule_range range, const struct capsule_run *run, bool claim);

#endif
