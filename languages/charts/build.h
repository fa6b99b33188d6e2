#ifndef REGATTA_LANGUAGES_CHARTS_BUILD_H
#define REGATTA_LANGUAGES_CHARTS_BUILD_H

#include "languages/charts/chart.h"

// How readers put a chart together. Everything lives in the chart's arena; nothing is checked here.

// list: T *, count: uint32_t.
#define CHART_APPEND(arena_, list, count, item)                                                    \
    do {                                                                                           \
        if (((count) & ((count)-1)) == 0) {                                                        \
            void *grown_ =                                                                         \
                arena_alloc((arena_), ((count) == 0 ? 1 : 2 * (size_t)(count)) * sizeof *(list));  \
            if ((count) > 0)                                                                       \
                memcpy(grown_, (list), (count) * sizeof *(list));                                  \
            (list) = grown_;                                                                       \
        }                                                                                          \
        (list)[(count)++] = (item);                                                                \
    } while (0)

extern const struct chart_type CHART_TYPE_BOOL, CHART_TYPE_INT;

struct chart *chart_create(enum chart_semantics semantics, const char *path);
char *chart_text(struct chart *chart, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
struct chart_component *chart_add_component(struct chart *chart, const char *name);
struct chart_region *chart_add_region(struct chart *chart, struct chart_component *component,
                                      struct chart_state *parent, const char *name);
// States are made in document order, parents before their children.
struct chart_state *chart_add_state(struct chart *chart, struct chart_region *region,
                                    enum chart_kind kind, const char *name, struct position source);
// source NULL: an initial transition, which is not in the list of those that fire.
struct chart_transition *chart_add_transition(struct chart *chart, struct chart_state *source,
                                              struct position at);
void chart_add_target(struct chart *chart, struct chart_transition *transition,
                      const struct chart_state *target);
struct chart_variable *chart_add_variable(struct chart *chart, const char *name,
                                          const struct chart_type *type, enum chart_role role,
                                          struct position source);
struct chart_event *chart_add_event(struct chart *chart, const char *name, struct position source);
// Appends to a list whose first action is *first; `last` may be NULL.
void chart_append_actions(const struct chart_action **first, const struct chart_action *more);
struct chart_action *chart_add_action(struct chart *chart, enum chart_action_kind kind,
                                      struct position source);

struct chart_expression *chart_make(struct chart *chart, enum chart_operator op,
                                    const struct chart_type *type, struct position source);
const struct chart_expression *chart_literal(struct chart *chart, const struct chart_type *type,
                                             int64_t value);
const struct chart_expression *chart_read(struct chart *chart,
                                          const struct chart_variable *variable);
const struct chart_expression *chart_unary(struct chart *chart, enum chart_operator op,
                                           const struct chart_expression *a);
const struct chart_expression *chart_binary(struct chart *chart, enum chart_operator op,
                                            const struct chart_expression *a,
                                            const struct chart_expression *b);
// NULL stands for true, resp. is passed over.
const struct chart_expression *chart_both(struct chart *chart, const struct chart_expression *a,
                                          const struct chart_expression *b);
const struct chart_expression *chart_either(struct chart *chart, const struct chart_expression *a,
                                            const struct chart_expression *b);

// The same chart for a question of its own, which may add variables and what is noted in them; `whole` is finished, and outlives
// it. Any thread.
struct chart *chart_share(const struct chart *whole);

// A variable that is true as soon as the transition has fired; made with it if need be.
const struct chart_variable *chart_remember_firing(struct chart *chart,
                                                   const struct chart_transition *transition);

// A variable that is true as soon as the state has been left.
const struct chart_variable *chart_remember_leaving(struct chart *chart,
                                                    const struct chart_state *state);

// A variable that is true as soon as both transitions, of the same state, might have fired at the same time. A chart has one at most.
const struct chart_variable *chart_remember_overlap(struct chart *chart,
                                                    const struct chart_transition *a,
                                                    const struct chart_transition *b);

// Numbers, last, places, texts, what regions remember: to be called once, when all is there.
void chart_finish(struct chart *chart);

#endif
