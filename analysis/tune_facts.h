#ifndef REGATTA_ANALYSIS_TUNE_FACTS_H
#define REGATTA_ANALYSIS_TUNE_FACTS_H

#include "analysis/tune_table.h"
#include "base/vector.h"

// The facts of models that the records hold, for guards: as they are in the table `feature` of the store.

struct tune_fact {
    char *name;
    double *values; // one a task of the table; NAN = not known
};

struct tune_facts {
    VECTOR(struct tune_fact) facts; // by first coming
    size_t *by_digest;              // tasks of the table
};

// A word (the language, the view, the kind of property): it is kept as a number that has neither size nor order.
bool tune_fact_is_word(const char *name);

void tune_facts_init(struct tune_facts *facts, const struct tune_table *table);
void tune_facts_finish(struct tune_facts *facts);
void tune_facts_add(struct tune_facts *facts, const struct tune_table *table, const char *digest,
                    const char *name, double value);

#endif
