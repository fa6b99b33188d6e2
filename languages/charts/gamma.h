#ifndef REGATTA_LANGUAGES_CHARTS_GAMMA_H
#define REGATTA_LANGUAGES_CHARTS_GAMMA_H

#include "languages/charts/chart.h"

// Statecharts and their compositions in the language of the Gamma Statechart Composition Framework (.gcd).
// Reads the file and all that it imports; the system is the last component of the file, or the one that is named.

// component: NULL = the last one. NULL with messages.
struct chart *gamma_read(const char *path, const char *text, size_t bytes, const char *component,
                         struct messages *messages);

#endif
