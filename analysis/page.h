#ifndef REGATTA_ANALYSIS_PAGE_H
#define REGATTA_ANALYSIS_PAGE_H

#include "analysis/study.h"
#include "base/text.h"

// The report as one HTML file that needs nothing else: style, scripts and data inside. The page is
// analysis/page/, put together when the program is built; its script draws everything from the
// data. Names are never markup: they reach the page as JSON in which "<", ">" and "&" are escaped,
// and the document by way of text nodes only.
//
// `version` of this program; `baseline` lines are not part of the page.

void page_print(struct text *out, const struct study *study, const char *version);
// The data alone, as one JSON value.
void page_data(struct text *out, const struct study *study, const char *version);

#endif
