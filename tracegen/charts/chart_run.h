#ifndef REGATTA_TRACEGEN_CHARTS_CHART_RUN_H
#define REGATTA_TRACEGEN_CHARTS_CHART_RUN_H

#include "base/text.h"
#include "base/vector.h"
#include "languages/charts/interpret.h"

// A run of a chart as its interpreter made it. Step 0 is the start.

struct chart_step {
    char *words; // what happened, a line each
    int64_t *cells;
    VECTOR(const struct chart_transition *) fired;
    VECTOR(struct chart_input) inputs;
    const struct chart_event *event; // SCXML, INTERLEAVING: what came from outside; NULL
};

// A value from outside.
struct chart_input {
    const struct chart_variable *variable;
    int64_t value;
};

struct chart_run {
    struct chart_step *data;
    size_t count, capacity; // a VECTOR
};

// What an observer of a step fills in: the step's words, transitions and inputs. numbers: what environments choose integers
// from, or NULL.
struct chart_listener {
    struct interpreter_observer observer;
    struct chart_step *step;
    struct text words;
};
void chart_listen(struct chart_listener *listener, struct chart_step *step, const int64_t *numbers,
                  uint32_t number_count);
// The step gets its words and cells, which are copied.
void chart_listened(struct chart_listener *listener, const struct chart *chart,
                    const int64_t *cells);

void chart_step_finish(struct chart_step *step);
void chart_run_finish(struct chart_run *run);

// "a = 1, b = true": variables that users see, when `before` is given only those that changed.
void chart_print_values(struct text *out, const struct chart *chart, const int64_t *before,
                        const int64_t *cells);
// Active states without states inside, with blanks between.
void chart_print_active(struct text *out, const struct chart *chart, const int64_t *cells);

void chart_run_print(struct text *out, const struct chart *chart, const struct chart_run *run);
// A sequence diagram for PlantUML: the environment, and a lifeline for each component.
void chart_run_sequence(struct text *out, const struct chart *chart, const struct chart_run *run);

#endif
