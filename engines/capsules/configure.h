#ifndef REGATTA_ENGINES_CAPSULES_CONFIGURE_H
#define REGATTA_ENGINES_CAPSULES_CONFIGURE_H

#include "engines/capsules/ask.h"

// Options as words: which parts are abstracted, which locations grouped.

struct capsule_setting {
    uint8_t *abstracted, *wanted;
    uint8_t **ignored; // by module and attribute
    uint32_t modules;
    struct capsule_groups groups;
    uint32_t instances;
};

// Attributes that reach no guard, no condition, no signal and not the formula are left out of the states (they may grow without
// end, and nobody would see); that is exact. abstract: NULL or "none"; "auto" (all that the formula does not need); "extract(part)"; or a list of paths with `*` for any
// letters, "top.cars,top.walk*". aggregate: NULL or "none"; "composite"; or a list "part:{A,B}" of one group each. `|` does for `,`. False, with a message,
// when it cannot be.
bool capsule_setting_make(struct capsule_ask *ask, const char *abstract, const char *aggregate,
                          struct capsule_setting *setting, struct messages *messages);
void capsule_setting_finish(struct capsule_setting *setting);

#endif
