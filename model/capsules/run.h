#ifndef REGATTA_MODEL_CAPSULES_RUN_H
#define REGATTA_MODEL_CAPSULES_RUN_H

#include "base/text.h"
#include "model/capsules/interpret.h"

// A run on the concrete semantics: states.count = steps.count + 1.
struct capsule_run {
    VECTOR(struct plain_step) steps;
    VECTOR(struct plain_state *) states;
    size_t loop;                           // the last state equals states[loop]; SIZE_MAX: none
    bool deadlock;                         // nothing can follow
    struct plain_interpreter *interpreter; // owns the big numbers among the values
};
// "(1, 2)": what a signal carries; nothing when that is nothing.
void capsule_values_print(const struct capsule_signal *signal, const struct value *values,
                          size_t count, struct text *out);
void capsule_run_finish(struct capsule_run *run);

// For people: one line a step, in the language's words.
void capsule_run_print(const struct capsules *model, const struct capsule_run *run,
                       struct text *out);
// As a PlantUML sequence diagram.
void capsule_run_plantuml(const struct capsules *model, const struct capsule_run *run,
                          struct text *out);
#endif
