#ifndef REGATTA_TRACEGEN_COMPLETE_H
#define REGATTA_TRACEGEN_COMPLETE_H

#include "tracegen/generator.h"

// More traces for criteria that the leaves do not cover, as request->complete asks: branches of choices and
// conditions are forced one by one from the states of the graph; runs go on where a leaf is covered by
// another node. A trace is kept when it covers something new. What is still missing afterwards was not
// found, which says nothing about whether it exists.
void complete_coverage(struct generator *generator);

#endif
