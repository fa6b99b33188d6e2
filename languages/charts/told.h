#ifndef REGATTA_LANGUAGES_CHARTS_TOLD_H
#define REGATTA_LANGUAGES_CHARTS_TOLD_H

#include "languages/charts/interpret.h"
#include "languages/charts/translate.h"
#include "languages/language.h"
#include "model/dialect.h"

// Runs of a chart's model in the words of the chart: replayed by the interpreter, and told in states, events,
// transitions and variables.

#define CHART_VIEW "hierarchy"

// What a model that was read from a chart carries.
struct chart_view {
    struct model_view head;
    struct chart *chart;                     // owned
    struct language_source *source;          // that it was shared from, held; NULL: none
    const struct chart_expression *property; // the invariant; NULL: none
    struct chart_map map;
};
// Takes over the chart.
struct chart_view *chart_view_create(struct chart *chart, const struct chart_expression *property);

// A variable's value, and what the interpreter notes ("fires a -> b", no end of line; false: nothing), in the chart's words.
void chart_told_value(struct text *out, const struct chart_variable *variable, int64_t value);
bool chart_told_note(struct text *out, enum interpreter_note kind, const void *thing);

// For the dialects of charts. The trace was replayed on a model whose view is a struct chart_view.
bool chart_told_replay(const struct trace *trace, struct text *why);
void chart_told_print(struct text *out, const struct trace *trace);
// Runs the chart along the trace: of each step the walker gives an observer (note and chose), and is told the configuration behind it.
// False: the interpreter cannot follow.
bool chart_told_walk(const struct trace *trace, void *walker,
                     const struct interpreter_observer *(*begin_step)(void *walker),
                     void (*end_step)(void *walker, const int64_t *cells));

#endif
