#ifndef REGATTA_LANGUAGES_CHARTS_SCXML_H
#define REGATTA_LANGUAGES_CHARTS_SCXML_H

#include "languages/charts/chart.h"

// SCXML (W3C recommendation, 2015): data models `null` and a subset of `ecmascript` (integers, Booleans, conditions,
// assignments, In()). All else is reported as not supported.

// events: the names that the environment may send, separated by commas or blanks; NULL: all that the chart listens to. queue: events
// that fit into the internal queue, 0 = as usual. NULL with messages.
struct chart *scxml_read(const char *path, const char *text, size_t bytes, const char *events,
                         uint32_t queue, struct messages *messages);

#endif
