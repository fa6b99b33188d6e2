#ifndef REGATTA_RUNS_ASK_H
#define REGATTA_RUNS_ASK_H

#include "results/store.h"
#include "runs/runner.h"

// One CTL question about capsules as a race: true, false or unknown instead of a verdict, and what the answer is worth.

struct ask_request {
    const struct task *whole; // opened (task_open): what is parsed of it serves all its questions
    const char *property;     // as --property would say it
    const struct plan *plan;
    const struct run_settings *settings;
    struct store *store; // records go there; NULL = nowhere
    bool verbose;        // what each attempt said, also when there is an answer
};

struct ask_answer {
    enum { ASK_UNKNOWN, ASK_TRUE, ASK_FALSE } truth;
    struct text line;    // "EF p: true (replayed, 6 steps; capsules in 12 ms)"
    struct text details; // a line for each attempt that has something to say
    struct text run;     // the run that shows it, step by step; "" = none
    struct text picture; // the same for PlantUML
    bool contradiction;
    int signal; // the user ended it; 0 = no
    bool left;  // threads still run: leave by signals_leave
};

// False with messages when there is no such question. `answer` is made anew; finish it in any case.
bool ask_run(const struct ask_request *request, struct ask_answer *answer, struct live *live,
             struct messages *messages);
void ask_finish(struct ask_answer *answer);

// The model in its text form, appended. False with messages.
bool ask_print_model(const char *path, unsigned loop_bound, struct text *out,
                     struct messages *messages);

#endif
