#ifndef REGATTA_ENGINES_MODEL_TRACE_PRINT_H
#define REGATTA_ENGINES_MODEL_TRACE_PRINT_H

#include "engines/expr/print.h"
#include "engines/model/trace.h"

// Private to engines/model: one printer per form, and what they share.

void trace_print_readable(struct text *out, const struct trace *trace);
void trace_print_json(struct text *out, const struct trace *trace);
void trace_print_xsts(struct text *out, const struct trace *trace);
void trace_print_cfa(struct text *out, const struct trace *trace);
void trace_print_sts(struct text *out, const struct trace *trace);

// Is the state after this step (0 = the initial action, i = steps[i - 1]) one that users see? Not
// in hidden locations, and not after a last step that only tests the property.
bool trace_shows(const struct trace *trace, size_t step);
const struct trace_step *trace_step_at(const struct trace *trace, size_t step);
const struct location *trace_location_at(const struct trace *trace, size_t step);
// The language its formalism writes terms in.
enum print_language trace_language(const struct trace *trace);

#endif
