#ifndef REGATTA_CERTIFY_DEADLINE_H
#define REGATTA_CERTIFY_DEADLINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "certify/certify.h"

// Ends a check that takes too long, or that the user wants to end: a thread that sleeps until then,
// sets a flag and interrupts the solver.

struct deadline {
    _Atomic int stop; // for the check to look at: END_TIMEOUT, END_INTERRUPTED
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct smt_context *solver; // under `lock`
    bool over;                  // under `lock`
    double seconds;             // 0 = no limit
    int heard;                  // a signal that came before and does not count
    pthread_t thread;
};

// False when there can be no thread.
bool deadline_start(struct deadline *deadline, double seconds);
void deadline_end(struct deadline *deadline);
// Another term for what follows: the flag is cleared, and what ended the first term does not end this one
// (a second signal ends the process). Only between start and end, from the thread that looks at the flag.
bool deadline_renew(struct deadline *deadline, double seconds);
// For struct certify_owner; `context` is the deadline.
void deadline_publish_solver(void *context, struct smt_context *solver);

#endif
