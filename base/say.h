#ifndef REGATTA_BASE_SAY_H
#define REGATTA_BASE_SAY_H

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

// Words for people, which may hold names and texts of strangers: file names, symbols of models, what other programs said. A
// terminal obeys control characters, so none passes: they, and bytes that are no UTF-8, are shown as \xNN. Everything
// that is printed goes through here, but for files that other programs read.

// Like fprintf. Ends of lines and tabs stay.
void say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Data for other programs: as they are, but on a terminal as `say` does.
void say_data(FILE *out, const char *data, size_t bytes);
// A name for a line of its own or within one: ends of lines and tabs are shown too, so that no name looks like a verdict.
void text_add_name(struct text *out, const char *name);
// What `say` makes of it.
void text_add_shown(struct text *out, const char *data, size_t bytes);
// JSON as a library printed it, with strings of any bytes: valid after this. What is no UTF-8 becomes U+FFFD; what a terminal
// would obey an escape.
void text_add_json(struct text *out, const char *printed);
// As a line of a file of such lines.
void say_json(FILE *out, const char *printed);

#endif
