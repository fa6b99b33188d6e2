#ifndef REGATTA_RESULTS_CSV_H
#define REGATTA_RESULTS_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "base/vector.h"

// Tables as text: cells between separators, in double quotes when they hold separators, quotes (doubled)
// or line ends (RFC 4180); LF or CRLF.

struct csv_cell {
    const char *text; // NUL-terminated, within the reader's text
    unsigned line, column;
};

struct csv {
    char *text;
    size_t bytes, next; // where the next row begins
    char separator;     // the most frequent of tab, comma and semicolon in the first line
    unsigned line;      // of `next`, from 1
    VECTOR(struct csv_cell) row;
};

// Reads the whole file. False and the reason in `why`.
bool csv_open(struct csv *csv, const char *path, struct text *why);
void csv_close(struct csv *csv);
// The next row into csv->row, valid until csv_close; empty lines are passed over. 1 = a row, 0 = the end, -1 = no
// table: `why` gets "line:column: …".
int csv_next(struct csv *csv, struct text *why);

// Adds a cell, in quotes where they are needed; with a ' before it where a spreadsheet would take it for a formula.
void csv_add(struct text *out, const char *cell);

#endif
