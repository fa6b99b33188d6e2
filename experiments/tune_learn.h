#ifndef REGATTA_EXPERIMENTS_TUNE_LEARN_H
#define REGATTA_EXPERIMENTS_TUNE_LEARN_H

#include <stdio.h>

#include "base/text.h"
#include "configs/plan.h"

// `regatta tune` on files of records: learns a plan from a part of the tasks, tells what it comes to on the others and writes
// it; or plays ways of choosing in virtual time.

struct tune_learn {
    const char *const *paths; // of the records
    size_t path_count;
    double limit_seconds; // time for a task; 0 = that of the records
    const char *
        test; // the tasks that are scored and not learned from: a file; NULL = `share` of all, drawn
    double share;
    bool mixed; // folds and shares keep tasks apart, not families
    unsigned cores, folds;
    uint64_t seed;
    const struct plan *plan; // to compare with; NULL = none
    const char *plan_name;   // as given
    bool improve;            // begin from that plan
    bool replay;             // no plan: ways of choosing
    const char *output;      // where the plan goes; NULL = nowhere
    FILE *out, *notes;
};

// False with the reason appended.
bool tune_learn(const struct tune_learn *how, struct text *why);

#endif
