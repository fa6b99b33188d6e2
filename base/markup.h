#ifndef REGATTA_BASE_MARKUP_H
#define REGATTA_BASE_MARKUP_H

#include "base/text.h"

// Appends words for a page of HTML, SVG or XML: < > & " as entities, between tags and in attributes alike. Any thread.
void markup_add(struct text *out, const char *words);

#endif
