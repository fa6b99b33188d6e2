#ifndef REGATTA_TRACEGEN_TRACE_INPUT_H
#define REGATTA_TRACEGEN_TRACE_INPUT_H

#include "base/text.h"
#include "languages/registry/task.h"
#include "logic/terms/rewrite.h"

// What `regatta trace` reads from its command line besides numbers.

struct variable_list {
    const struct variable **data;
    size_t count, capacity;
};

// Opens and loads a model that need not have a property; messages go to standard error. What task_read says; a model
// that is not read to its end can only be left, with the process.
enum budget_end trace_load(struct task *task, const char *path, const char *property,
                           const struct budget *budget, bool quiet, bool *good);
// "a,b" -> variables of the model; "" is none. False with words in `why`.
bool trace_read_variables(const struct model *model, const char *names, struct variable_list *out,
                          struct text *why);
// Boolean SMT-LIB terms, one after another, in `store`. False with words in `why`.
bool trace_read_predicates(const struct model *model, struct term_store *store, const char *words,
                           struct term_vector *out, struct text *why);
// "states,pairs" or "all" -> bits by criterion (tracegen/coverage.h); 0 when it is none.
unsigned trace_read_criteria(const char *words);

#endif
