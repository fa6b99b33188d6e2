#ifndef REGATTA_LANGUAGES_CHARTS_ENTERED_H
#define REGATTA_LANGUAGES_CHARTS_ENTERED_H

#include "languages/charts/chart.h"

// States that cannot be entered by construction, whatever events come and guards say: no way of default entries and transitions leads
// there. (More states may be dead; that is a question.)

// A warning for each of them whose surroundings can be entered.
void chart_warn_of_unentered(const struct chart *chart, struct messages *messages);

#endif
