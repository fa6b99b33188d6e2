#ifndef REGATTA_TRACEGEN_SUITE_PRINT_H
#define REGATTA_TRACEGEN_SUITE_PRINT_H

#include "base/text.h"
#include "tracegen/coverage.h"

// What is written of a suite: one printer a form. Everything is appended to `out`.

// What the files of a suite say besides the suite itself.
struct suite_report {
    const struct suite *suite;
    const struct coverage *coverage; // of the traces in `shown`
    const char *model;               // as the user named it
    const bool *shown;               // per trace: belongs to the set that is written; NULL = all
    size_t shown_count;
    const char *selection; // "4 of 9 traces cover all edges (least)"; NULL
};

// The length of the longest trace that is shown, in states.
size_t suite_longest(const struct suite_report *report);
static inline bool suite_shows(const struct suite_report *report, size_t trace)
{
    return !report->shown || report->shown[trace];
}
// Every state is on some trace that is shown.
bool suite_is_covered(const struct suite_report *report);
// Name of a trace's files, without their ending: "trace-007".
void suite_trace_name(struct text *out, size_t trace);

// "stable: mode = Run, n = 3"; values of untracked variables are left out. store: a child of the model's,
// for scratch.
void suite_print_state(struct text *out, const struct suite *suite, uint32_t state,
                       struct term_store *store);

void suite_print_text(struct text *out, const struct suite_report *report);
void suite_print_json(struct text *out, const struct suite_report *report);
// For Graphviz: states have the id s0, s1, …, edges e0, e1, ….
void suite_print_dot(struct text *out, const struct suite *suite);
// svg: the drawn graph, or NULL with the reason in `why_not`.
void suite_print_html(struct text *out, const struct suite_report *report, const char *svg,
                      const char *why_not);
// One trace as PlantUML text.
void trace_print_sequence(struct text *out, const struct trace *trace, const char *title);
void trace_print_state_diagram(struct text *out, const struct trace *trace, const char *title);

// Shared by them.

// The shown variables whose values differ between two states (all when `before` is NULL):
// "x = 3, y = true".
void suite_print_changes(struct text *out, const struct trace *trace, const struct value *before,
                         const struct value *now, const char *separator);
// Calls for each state of the trace that is shown: its number from 0, the label of the steps that lead there
// ("" for the first), the state before (NULL for the first).
struct shown_step {
    size_t number;
    const char *label;
    const struct location *location;
    const struct value *before, *now;
};
void suite_each_step(const struct trace *trace, void (*take)(void *context, struct shown_step step),
                     void *context);

#endif
