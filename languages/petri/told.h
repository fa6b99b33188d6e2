#ifndef REGATTA_LANGUAGES_PETRI_TOLD_H
#define REGATTA_LANGUAGES_PETRI_TOLD_H

#include "base/text.h"
#include "model/trace.h"

// Runs of a net in a net's words, for the dialect.

// A firing sequence as a table: a line a transition, a column a place whose tokens change.
void told_readable(struct text *out, const struct trace *trace);
// The same as a page for a browser, the net beside it as text for Graphviz.
void told_page(struct text *out, const struct trace *trace);
// The net as a graph for Graphviz: tokens at the start and at the end, how often each transition fires.
void told_dot(struct text *out, const struct trace *trace);
// Fires the sequence on the net; the goal must hold at its end.
bool told_replay(const struct trace *trace, struct text *why);

#endif
