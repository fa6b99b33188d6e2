#ifndef REGATTA_EXPERIMENTS_TUNE_PLAN_H
#define REGATTA_EXPERIMENTS_TUNE_PLAN_H

#include "analysis/policies.h"
#include "base/vector.h"
#include "configs/configuration.h"

// The options of a configuration as the records have them.
struct tuned_configuration {
    char *plan, *plan_digest; // of the row
    char *text;               // configuration_print
};

struct tuned_configurations {
    VECTOR(struct tuned_configuration) items;
};
// Keeps the text of a run of a configuration alone.
void tuned_configurations_add(struct tuned_configurations *configurations,
                              const struct run_record *run);
// The options of a configuration of the table; "" where the records do not tell.
const char *tuned_configuration_text(const struct tune_table *table, size_t configuration,
                                     const struct tuned_configurations *known);
void tuned_configurations_finish(struct tuned_configurations *configurations);

// How the plan was found and what it comes to on `test`, which it was not made from: lines of text.
void tune_evidence(struct text *out, const struct tune_table *table, const struct tune_facts *facts,
                   const struct tuned *tuned, const struct tune_against *against,
                   const struct tune_part *known, const struct tune_part *test);
// The plan, as a file that plan_load reads, with the evidence as comments. False and the reason appended when a
// configuration is not one of Regatta's.
bool tune_plan_print(struct text *out, const char *name, const struct tune_table *table,
                     const struct tuned *tuned, const struct tuned_configurations *configurations,
                     const char *evidence, struct text *why);
// Of such a file: its head with the evidence, a configuration with all that it sets (`first`: of the list; false from then on),
// a string in quotes.
void tune_plan_add_head(struct text *out, const char *name, size_t lanes, double seconds,
                        const char *evidence);
void tune_plan_add_configuration(struct text *out, const struct configuration *configuration,
                                 bool *first);
void tune_plan_add_quoted(struct text *out, const char *string);
// The name of a column of the table where it may stand in a plan and is one alone; else "configuration-" and a number.
void tune_plan_add_name(struct text *out, const struct tune_table *table, size_t configuration);
// Its options, as the records have them. False and the reason appended when it is none of Regatta's.
bool tune_plan_read_configuration(const struct tune_table *table, size_t index,
                                  const struct tuned_configurations *known,
                                  struct configuration *out, struct text *why);
// A line of the evidence: what a way of choosing came to.
void tune_add_sum(struct text *out, const char *name, const struct tune_sum *sum);
// Can a plan hold all configurations that are used? Those of imported tables are names of others.
bool tune_plan_possible(const struct tune_table *table, const struct tuned *tuned,
                        const struct tuned_configurations *configurations);
// Instead of a plan, comma-separated values: a row for a step, first those of each kind of tasks (task "*"), then those of each
// task of the records.
void tune_table_print(struct text *out, const struct tune_table *table,
                      const struct tune_facts *facts, const struct tuned *tuned);

#endif
