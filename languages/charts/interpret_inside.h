#ifndef REGATTA_LANGUAGES_CHARTS_INTERPRET_INSIDE_H
#define REGATTA_LANGUAGES_CHARTS_INTERPRET_INSIDE_H

#include "base/vector.h"
#include "languages/charts/interpret.h"

// Private to the interpreter's files.

struct interpreter {
    const struct chart *chart;
    int64_t *cells;
    struct interpreter_choices *choices;
    const struct interpreter_observer *observer;
    enum interpreter_outcome outcome;
    // SCXML
    const struct chart_event *event; // being processed
    bool *active;                    // the configuration
    bool *enter, *default_entry;     // sets of the appendix
    VECTOR(const struct chart_event *) queue;
    size_t queue_first;
};

uint32_t interpret_choose(struct interpreter *it, uint32_t count);
void interpret_note(struct interpreter *it, enum interpreter_note note, const void *thing);
void interpret_fail(struct interpreter *it, enum interpreter_outcome outcome);
int64_t interpret_value(struct interpreter *it, const struct chart_expression *expression);
bool interpret_holds(struct interpreter *it, const struct chart_expression *condition);
void interpret_raise(struct interpreter *it, const struct chart_event *event);
void interpret_actions(struct interpreter *it, const struct chart_action *list);

// Looks whether both transitions that somebody asks about may fire now; `state` is active.
void interpret_overlap(struct interpreter *it, const struct chart_state *state);

void interpret_scxml_start(struct interpreter *it);
void interpret_scxml_step(struct interpreter *it, const struct chart_event *event);
void interpret_tree_start(struct interpreter *it);
void interpret_gamma_step(struct interpreter *it);
void interpret_interleaving_step(struct interpreter *it, const struct chart_event *event);

#endif
