#ifndef REGATTA_ENGINES_CHARTS_CHARTS_INSIDE_H
#define REGATTA_ENGINES_CHARTS_CHARTS_INSIDE_H

#include "engines/monolithic/monolith.h"
#include "languages/charts/told.h"

// Private to the engine's files.

#define CONFIGURATION_NONE UINT32_MAX

// An abstract configuration: a location and the values of what is visible.
struct configuration_node {
    const struct term *formula; // over current copies: equal configurations have the same one
    uint32_t location;
    uint32_t parent; // CONFIGURATION_NONE: initial
};

struct chart_attempt {
    struct workspace workspace;
    struct monolith monolith;
    const struct chart_view *view;
    const struct variable *
        *regions;  // by index of the chart's region: of the model that is run on; NULL: gone
    bool *visible; // by index of the variable
    // The event that a microstep takes, of which is seen whether there is one, as the environment may as well choose it
    // when it is taken; NULL: it is a variable as others.
    const struct variable *event;
    struct {
        struct configuration_node *data;
        size_t count, capacity; // a VECTOR
    } found;
    uint32_t *slots; // of a table by formulas; CONFIGURATION_NONE: free
    size_t slot_count;
    uint64_t rounds, largest, last; // for people
    struct engine_result result;
};

enum explored { EXPLORED_SAFE, EXPLORED_BAD, EXPLORED_STOPPED };
// All abstract configurations, or the first one from which the error can be reached in one step: *bad.
enum explored chart_explore_abstract(struct chart_attempt *a, uint32_t *bad);

// BMC: the same by runs of growing length. SAFE: no longer run goes elsewhere, and all configurations were found then.
enum explored chart_explore_bounded(struct chart_attempt *a, uint32_t *bad);

// Is there no event now? Over current copies; NULL when that is not seen by itself.
const struct term *chart_no_event(const struct chart_attempt *a);

enum refined { REFINED_MORE, REFINED_CONCRETE, REFINED_STOPPED };
// Follows the run to `bad`. CONCRETE: the result has the trace. MORE: something became visible.
enum refined chart_refine(struct chart_attempt *a, uint32_t bad);
// Makes visible what a core of the refutation of the run names: run's first `count` nodes, and, when `error`, the error
// behind them. False: nothing new.
bool chart_refine_by_core(struct chart_attempt *a, const uint32_t *nodes, size_t count, bool error);
// Can the run be followed when the event is any in each step? Then it is the event that hides why it cannot.
bool chart_event_hides(struct chart_attempt *a, const uint32_t *nodes, size_t count, bool error);

#endif
