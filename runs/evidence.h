#ifndef REGATTA_RUNS_EVIDENCE_H
#define REGATTA_RUNS_EVIDENCE_H

#include "runs/runner.h"

// What makes a run's verdict checkable by others, as text.

// The run has a verdict without contradiction.
bool evidence_has_certificate(const struct run *run);
// Its proof or its trace, under a header that says who found it.
void evidence_print_certificate(struct text *out, const struct task *task, const struct run *run);
// The language's own witness, whose dialect must have one. False: there is none for this verdict.
bool evidence_print_witness(struct text *out, const struct run *run, const struct model *model);

#endif
