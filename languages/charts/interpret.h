#ifndef REGATTA_LANGUAGES_CHARTS_INTERPRET_H
#define REGATTA_LANGUAGES_CHARTS_INTERPRET_H

#include "languages/charts/chart.h"

// An explicit interpreter of charts. It follows the definitions of the three semantics (SCXML: the algorithm in the
// appendix of the recommendation, word by word) and shares nothing with the translation, so that it can be its oracle and
// replay its runs.
//
// A configuration is an array of cells: for each region the place of its active state (-1: inactive), for each region
// the place of the state that was active last (-1: none; regions that do not remember: always -1), for each variable its
// value.

struct interpreter;

struct interpreter *interpreter_create(const struct chart *chart); // which outlives it
void interpreter_destroy(struct interpreter *interpreter);         // NULL is fine
size_t interpreter_cell_count(const struct chart *chart);
static inline size_t interpreter_region_cell(const struct chart_region *region)
{
    return region->index;
}
static inline size_t interpreter_history_cell(const struct chart *chart,
                                              const struct chart_region *region)
{
    return chart->region_count + region->index;
}
static inline size_t interpreter_variable_cell(const struct chart *chart,
                                               const struct chart_variable *variable)
{
    return 2 * (size_t)chart->region_count + variable->index;
}

enum interpreter_outcome {
    INTERPRETER_DONE,
    INTERPRETER_BLOCKED, // this way of resolving the choices leads nowhere; SCXML: the chart has ended
    INTERPRETER_OVERFLOW,  // a queue is full
    INTERPRETER_DIVERGES,  // too many microsteps for one step
    INTERPRETER_TOO_LARGE, // a number beyond 64 bits
    INTERPRETER_UNSET,     // a variable is read before it has a value
};

#define INTERPRETER_INT_LOW (-2)
#define INTERPRETER_INT_HIGH 5

// What happened, in order, for people.
enum interpreter_note { NOTE_EVENT, NOTE_FIRE, NOTE_EXIT, NOTE_ENTER, NOTE_RAISE, NOTE_RUN };
struct interpreter_observer {
    void *context;
    void (*note)(void *context, enum interpreter_note note, const void *thing);
    // GAMMA: the value that the environment gives a variable; NULL: each of its type in turn, of the integers those below.
    int64_t (*havoc)(void *context, const struct chart_variable *variable);
    // What it was given; may be NULL.
    void (*chose)(void *context, const struct chart_variable *variable, int64_t value);
    // The integers that come in turn instead of those below; may be NULL.
    const int64_t *numbers;
    uint32_t number_count;
};

// The way in which choices are resolved: all zero is the first one. Steps whose outcome depends on choices are run once
// for each: `while (…) { interpreter_step(…); if (!interpreter_next(…)) break; }`.
struct interpreter_choices {
    uint32_t *taken, *count;
    size_t used, known, capacity;
};
// The next way, false when there is no more; the choices are then as at the beginning.
bool interpreter_next(struct interpreter_choices *choices);
void interpreter_choices_finish(struct interpreter_choices *choices);

// out: cells, filled in when DONE. observer may be NULL.
enum interpreter_outcome interpreter_start(struct interpreter *interpreter,
                                           struct interpreter_choices *choices,
                                           const struct interpreter_observer *observer,
                                           int64_t *out);
// event: SCXML the external one, or NULL: one that the chart has sent to itself; INTERLEAVING the one that arrives, or NULL; GAMMA NULL. from and out may be the same.
enum interpreter_outcome interpreter_step(struct interpreter *interpreter, const int64_t *from,
                                          const struct chart_event *event,
                                          struct interpreter_choices *choices,
                                          const struct interpreter_observer *observer,
                                          int64_t *out);
bool interpreter_is_active(const struct chart *chart, const int64_t *cells,
                           const struct chart_state *state);
// A formula over a configuration; *fine false when a number gets too large.
int64_t interpreter_value(const struct chart *chart, const int64_t *cells,
                          const struct chart_expression *expression, bool *fine);

#endif
