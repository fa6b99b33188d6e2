#ifndef REGATTA_ANALYSIS_TABLE_H
#define REGATTA_ANALYSIS_TABLE_H

#include "base/text.h"

// A table that is filled first and printed then: as aligned text, Markdown (GitHub's), CSV (RFC 4180,
// LF line ends) or LaTeX (booktabs). Any bytes may stand in a cell: each format quotes what it
// must, and all but CSV cut what is longer than a page is wide and show control characters as "?".

enum table_format {
    TABLE_TEXT,
    TABLE_MARKDOWN,
    TABLE_CSV,
    TABLE_LATEX,
};

struct table {
    struct text cells; // NUL-separated, row by row; the first row is the head
    size_t columns, count;
};

void table_init(struct table *table, size_t columns); // columns > 0
void table_finish(struct table *table);
// The next cell, from left to right and row by row.
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The first column is aligned left, all others right. `title` may be NULL; CSV has none.
void table_print(struct text *out, const struct table *table, enum table_format format,
                 const char *title);

// A name in running text: as a cell of text is shown.
void table_add_name(struct text *out, const char *name);

#endif
