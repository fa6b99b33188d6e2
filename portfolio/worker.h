#ifndef REGATTA_PORTFOLIO_WORKER_H
#define REGATTA_PORTFOLIO_WORKER_H

#include "engines/engine.h"

// The other end of a race whose attempts are processes: the program was started again, runs one
// attempt on a thread and answers over the socket it was born with.

// The descriptors a worker is born with.
enum { WORKER_SOCKET = 3, WORKER_PAGE = 4 };

struct worker_program {
    // Makes the model from race_worker.task. NULL and a reason in `why`.
    struct model *(*load)(const char *task, size_t bytes, struct text *why);
    const struct engine *engine_override; // as in race_options
};

// From main, before any thread. Never returns: the process ends when its job is done, when its
// parent is gone or when the socket closes.
_Noreturn void worker_run(const struct worker_program *program);

#endif
