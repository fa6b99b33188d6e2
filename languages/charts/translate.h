#ifndef REGATTA_LANGUAGES_CHARTS_TRANSLATE_H
#define REGATTA_LANGUAGES_CHARTS_TRANSLATE_H

#include "languages/charts/bits.h"
#include "languages/charts/chart.h"
#include "model/model.h"

// Charts as models of the intermediate form. A region is an enumeration, "inactive" or its active state; regions of one
// state, as parallel states of SCXML make them, need none. Or configurations are bits, where the chart says so.
//
//   INTERLEAVING  stable --[event e | no event]--> stimulated --[a transition | idle]--> stable
//   SCXML         stable --[event e, from outside or sent by itself]--> running --[microsteps]--> running --> stable; the initial location is `running`
//   GAMMA         stable --[environment]--> … one hidden location before each operation … --> stable
//
// Properties are looked at in `stable` only.

// Labels of edges into the error location that tell of a limit of the model, not of a fault of the chart: a run that ends
// with one of them proves nothing.
#define CHART_OVERFLOW_LABEL "a queue of events overflows"
#define CHART_UNSET_LABEL "data without a value is read"

struct chart_map {
    const struct chart *chart;
    struct chart_code *codes; // by index of the region; NULL: regions are enumerations
    const struct variable **bits;
    uint32_t bit_count;
    const struct variable **region;   // by index; NULL: has no variable
    const struct variable **history;  // by index of the region; NULL: remembers nothing
    const struct variable **variable; // by index
    const struct variable *event;     // SCXML: what is being processed, by index + 1; 0 = nothing
    const struct variable **queue;    // SCXML
    uint32_t queue_count;
    const struct variable *overflow; // SCXML, NULL when nothing is ever raised
    const struct location *stable, *working;
    const struct variable
        *unset; // SCXML, NULL when all data have first values: one without a value was read
    // By edge: the event that arrives with it, and the transition that it fires alone; or NULL.
    const struct chart_event **arrives;
    const struct chart_transition **fires;
    uint32_t edge_count;
};

// property: an invariant of stable configurations, NULL for none. The chart outlives model and map. view (may be NULL): taken over by the
// model; the map may be a part of it.
struct model *chart_translate(const struct chart *chart, const struct chart_expression *property,
                              struct chart_map *map, struct model_view *view);
void chart_map_finish(struct chart_map *map);
// Is the state active, as a formula over the model's variables?
const struct term *chart_active_term(const struct chart_map *map, struct term_store *store,
                                     const struct chart_state *state);

#endif
