#ifndef REGATTA_LANGUAGES_CHARTS_TRANSLATE_INSIDE_H
#define REGATTA_LANGUAGES_CHARTS_TRANSLATE_INSIDE_H

#include "base/vector.h"
#include "languages/charts/translate.h"

// Private to the translation's files.

struct statements { // a VECTOR
    struct statement **data;
    size_t count, capacity;
};

struct translation {
    const struct chart *chart;
    struct chart_map *map;
    struct model_builder *builder;
    struct term_store *store;
    struct statements *into; // where statements go
    struct location *stable, *error;
    const struct variable **left,
        **fired; // GAMMA, by state, local: a region has left it; something inside fired
    VECTOR(const struct chart_event *) arrives; // by edge
    VECTOR(const struct chart_transition *) fires;
    struct position nowhere;
};

// Targets of a transition, or none: by default.
struct entry {
    const struct chart_state *const *targets;
    uint32_t count;
};

const struct term *translate_term(struct translation *t, const struct chart_expression *expression);
const struct term *translate_active(struct translation *t, const struct chart_state *state);
// Does the region say which of its states is active?
bool translate_has_region(const struct translation *t, const struct chart_region *region);
// trigger and guard
const struct term *translate_enabled(struct translation *t,
                                     const struct chart_transition *transition);
// Some variable in it has no value yet; false when all have first values.
const struct term *translate_unset(struct translation *t,
                                   const struct chart_expression *expression);
void translate_push(struct translation *t, struct statement *statement);
void translate_assign(struct translation *t, const struct variable *variable,
                      const struct term *value);
void translate_assume(struct translation *t, const struct term *condition);
void translate_actions(struct translation *t, const struct chart_action *list);
void translate_raise(struct translation *t, const struct chart_event *event);
// Statements that are pushed between begin and end make one statement.
struct statements *translate_begin(struct translation *t,
                                   struct statements *inner); // gives the outer ones
struct statement *translate_end(struct translation *t, struct statements *inner,
                                struct statements *outer);

void translate_leave(struct translation *t, const struct chart_region *region, bool owner_too);
// The source is known to be active.
void translate_leave_from(struct translation *t, const struct chart_region *domain,
                          const struct chart_state *source);
void translate_enter(struct translation *t, const struct chart_region *region, struct entry entry,
                     bool owner_too);
// Notes when a guard of the state's transitions reads what has no value.
void translate_reads(struct translation *t, const struct chart_state *state);
// Notes whether both transitions that somebody asks about may fire. active: of the state, or NULL when it is known to be.
void translate_overlap(struct translation *t, const struct chart_state *state,
                       const struct term *active);
// Leaves, acts, enters.
void translate_fire(struct translation *t, const struct chart_transition *transition);

// When each of the state's transitions may fire: enabled, and none that goes before it is. *none (may be NULL): no one may. The
// caller frees the array.
const struct term **translate_conditions(struct translation *t, const struct chart_state *state,
                                         const struct term **none);

void translate_edge(struct translation *t, struct location *from, struct location *to,
                    struct statement *action, const char *label, struct position at,
                    const struct chart_event *arrives, const struct chart_transition *fires);

void translate_scxml(struct translation *t);
void translate_gamma(struct translation *t);
void translate_interleaving(struct translation *t);

#endif
