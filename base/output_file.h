#ifndef REGATTA_BASE_OUTPUT_FILE_H
#define REGATTA_BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

// Files that a command writes at its end, and a look at them before it begins: a mistyped folder must not cost the run.

// Could the file be written, as far as can be seen without touching it? NULL and "-" (standard output) are fine.
// False with "path: WHAT cannot be written: reason" appended to `why`.
bool output_file_check(const char *path, const char *what, struct text *why);
// Is it another file than `input`, which is read? Either may be NULL, `input` a name that is no file, or PATH#NAME.
bool output_file_apart(const char *path, const char *what, const char *input, struct text *why);

// All of the file anew. False with errno set: it may hold a part then.
bool output_file_write(const char *path, const void *bytes, size_t length);
bool output_file_write_text(const char *path, const struct text *text);

#endif
