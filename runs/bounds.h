#ifndef REGATTA_RUNS_BOUNDS_H
#define REGATTA_RUNS_BOUNDS_H

#include "languages/language.h"
#include "runs/runner.h"

// The greatest value of a sum over all reachable states, for a question that wants a number (language_question.greatest): by
// asking for ever more, twice the step after each value that is reached, and halving what is left after one that is not. Each
// step is a race with a checked answer; all together have the time of one task.

struct bounds_request {
    const struct task *whole; // the opened input
    const struct language_question *question;
    const struct plan *plan;
    const struct run_settings *settings;
    struct store *store; // records of the races go there; NULL = nowhere
};

struct bounds_result {
    int64_t greatest;    // -1: not found
    struct text summary; // of the last race
    char winner[64];     // who answered last; "" = nobody
    size_t races;
    bool left; // a thread may still run: leave by signals_leave
};

void bounds_find(const struct bounds_request *request, struct bounds_result *out,
                 struct messages *messages);
void bounds_result_finish(struct bounds_result *result);

#endif
