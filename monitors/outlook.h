#ifndef REGATTA_MONITORS_OUTLOOK_H
#define REGATTA_MONITORS_OUTLOOK_H

#include "engines/engine.h"

// The other way round: an attempt that will finish. What waits in the graph of this round falls
// steadily, so the round will be over when nothing waits, and a round that is over without a
// counterexample is an answer. A pure function of the samples.
//
// It is wrong when new nodes come in after all, and of no use when a counterexample ends the round
// first; so it is good for a little more time, once, and for nothing else.

struct outlook;
struct outlook *outlook_create(void);
void outlook_destroy(struct outlook *outlook); // NULL is fine
// CPU time that the round is expected to take from now, in nanoseconds; 0 = nobody knows.
int64_t outlook_judge(struct outlook *outlook, const struct engine_event *event);

#endif
