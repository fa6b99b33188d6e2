#ifndef REGATTA_ENGINES_DOMAINS_BOUNDS_H
#define REGATTA_ENGINES_DOMAINS_BOUNDS_H

#include "engines/domains/workspace.h"

// "No error within so many steps", between attempts that run side by side (engine_environment.share, .hear), as text, a
// line each:
//
//   (bound 12 #x0123456789abcdef)
//
// A step is an edge of the model as the attempt's configuration prepared it, the last one that into the error location.
// The number behind says of which model: half of its digest (model_digest). Large blocks and single statements make
// different models, so their bounds are never mixed; preparations that come to the same share theirs.
//
// Nobody believes a bound: it says which questions can wait. Who needs the answers for a verdict asks them then.
// One thread, the engine's.

struct bounds {
    struct workspace *workspace;
    char tail[24];  // what follows the number in a line, with its line break; "" = not known yet
    uint32_t told;  // others say: no error within so many steps
    uint32_t given; // the last one that was given away
    bool keeps_elements;  // set by whoever uses what is heard besides bounds, …
    struct text elements; // … which is here then, and clears it
    uint32_t next_hearing;
};

void bounds_init(struct bounds *bounds, struct workspace *workspace);
void bounds_finish(struct bounds *bounds);

// No error within `steps` steps, as the attempt found out, with what others say of shorter runs. Given away when
// it is enough more than the last time.
void bounds_give(struct bounds *bounds, uint32_t steps);
// Hears what there is, unless it is too soon after the last time: runs have now this length.
void bounds_hear(struct bounds *bounds, uint32_t length);

#endif
