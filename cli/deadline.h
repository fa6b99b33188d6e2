#ifndef REGATTA_CLI_DEADLINE_H
#define REGATTA_CLI_DEADLINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "engines/certify/certify.h"

// Ends a check that takes too long, or that the user wants to end: a thread that sleeps until then,
// sets a flag and interrupts the solver.

struct deadline {
    _Atomic int stop; // for the check to look at: 1 = time, 2 = a signal
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct smt_context *solver; // under `lock`
    bool over;                  // under `lock`
    double seconds;             // 0 = no limit
    pthread_t thread;
};

// False when there can be no thread.
bool deadline_start(struct deadline *deadline, double seconds);
void deadline_end(struct deadline *deadline);
// For struct certify_owner; `context` is the deadline.
void deadline_publish_solver(void *context, struct smt_context *solver);

#endif
