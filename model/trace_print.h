#ifndef REGATTA_MODEL_TRACE_PRINT_H
#define REGATTA_MODEL_TRACE_PRINT_H

#include "logic/terms/print.h"
#include "model/trace.h"

// Private to model: one printer per form, and what they share.

void trace_print_readable(struct text *out, const struct trace *trace);
void trace_print_json(struct text *out, const struct trace *trace);
void trace_print_cfa(struct text *out, const struct trace *trace);

// The language that its dialect writes terms in.
enum print_language trace_language(const struct trace *trace);

#endif
