#ifndef REGATTA_EXPERIMENTS_TUNE_IMPROVE_H
#define REGATTA_EXPERIMENTS_TUNE_IMPROVE_H

#include "analysis/improver.h"
#include "configs/plan.h"
#include "experiments/tune_plan.h"

// A plan that is there, made better on records: its variant as the improver has it, and back as a file.

struct tune_improve {
    const struct plan *plan;
    const struct plan_variant *variant;
    struct improver_plan now; // as it is
    bool *guards;
    VECTOR(const char *) texts;             // of the guards, as written; NULL = always
    VECTOR(const struct plan_step *) steps; // by the origin of the improver's steps
    const struct configuration **columns;   // by column of the table: of the plan, or of `made`
    struct configuration_set made;          // from the records, where the plan has none
};

// Takes the variant for so many cores. False and the reason appended, with the step's position, when a step has what the
// improver does not know (reactions, labels, limits of its own), or a configuration of the table is none of Regatta's. Finish it
// all the same.
bool tune_improve_init(struct tune_improve *improve, const struct tune_table *table,
                       const struct tune_facts *facts,
                       const struct tuned_configurations *configurations, const struct plan *plan,
                       unsigned cores, struct text *why);
void tune_improve_finish(struct tune_improve *improve);

// What was changed, and what that comes to on both parts: lines of text.
void tune_improve_evidence(struct text *out, const struct tune_improve *improve,
                           const struct tune_table *table, const struct improver_plan *better,
                           const struct tune_part *known, const struct tune_part *test);
// The plan, as a file that plan_load reads, with the evidence as comments.
void tune_improve_print(struct text *out, const char *name, const struct tune_improve *improve,
                        const struct tune_table *table, const struct improver_plan *better,
                        const char *evidence);

#endif
