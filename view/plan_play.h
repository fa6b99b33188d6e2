#ifndef REGATTA_VIEW_PLAN_PLAY_H
#define REGATTA_VIEW_PLAN_PLAY_H

#include <stdio.h>

#include "base/message.h"
#include "configs/plan.h"

// What a plan decides, in virtual time, when its configurations do as a script says: a line for each event and decision.

struct plan_play {
    const char *path; // of the script, for messages
    // Lines "NAME TIME OUTCOME [foreseen]": "expl-seq 2.5s stalled"; empty ones and # are left out. The last line that names a
    // configuration counts; who is not named never ends. Overwritten.
    char *script;
    unsigned cores;
    double seconds; // of the run; 0 = no limit
};

// False with messages when the script is none.
bool plan_play(const struct plan *plan, const struct plan_play *how, FILE *out,
               struct messages *messages);

#endif
