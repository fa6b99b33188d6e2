#ifndef REGATTA_LANGUAGES_CHARTS_PROPERTY_H
#define REGATTA_LANGUAGES_CHARTS_PROPERTY_H

#include "languages/charts/chart.h"
#include "languages/language.h"

// Questions in a chart's own words:
//   never EXPR      no stable configuration satisfies EXPR
//   always EXPR     all of them do; EXPR alone means the same
//   reach EXPR      `never EXPR`, asked the other way round: unsafe means that it can be reached
// over In(STATE), Fires(…), Overlap(N, M), variables, events (present after the step: outputs of a component), numbers, and, or, not, ….
// Gamma's forms `E F [ { state a.b.c and variable x.y = 1 } ]` and `A G [ { … } ]` too.

// The invariant; NULL with messages. path: of the property's file, NULL when given inline.
const struct chart_expression *chart_property_read(struct chart *chart, const char *path,
                                                   const char *text, size_t bytes,
                                                   struct messages *messages);

// Appends the questions of a text that holds several, one behind the other, some with a name before them (NAME: never …). With
// one there is nothing to append. before: what each of them is to begin with.
void chart_property_split(const char *path, const char *before, size_t before_bytes,
                          const char *text, struct language_questions *out);

#endif
