#ifndef REGATTA_BASE_TEXT_H
#define REGATTA_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A growing string; `data` is always NUL-terminated after the first append (NULL while empty).

struct text {
    char *data;
    size_t length;
    size_t capacity;
};

void text_init(struct text *text);
void text_finish(struct text *text);
void text_clear(struct text *text); // keeps the memory
void text_add(struct text *text, const char *string);
void text_add_char(struct text *text, char c);
void text_add_bytes(struct text *text, const char *data, size_t bytes);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments);
const char *text_string(const struct text *text); // "" while empty; owned by text
char *text_steal(struct text *text);              // caller frees with memory_free; text empty

// Bytes of the UTF-8 character (RFC 3629) that the `left` > 0 bytes at `text` begin with: 1 to 4; 0 when they are
// none.
size_t text_utf8_length(const char *text, size_t left);
// The same, but also 0 for what has no place in a line: control characters and separators of lines.
size_t text_printable_length(const char *text, size_t left);
// Adds somebody else's words as one line that any reader can take: a blank for each run of blanks and of what has no place
// in a line, nothing before the first and after the last word, and "…" for what is beyond some `limit` bytes.
void text_add_words(struct text *text, const char *data, size_t bytes, size_t limit);

// Reads a whole file; NULL and errno on failure. `bytes` may be NULL. Caller frees (memory_free).
// The result has a NUL after its last byte; it may contain NULs. Regular files only, and none beyond the limit: a
// stranger's link may lead to a device or a pipe that never ends, or waits for ever.
char *text_read_file(const char *path, size_t *bytes);
// The same for the user's own plans and settings: up to TEXT_FILE_LIMIT, whatever is said of strangers' files.
char *text_read_own_file(const char *path, size_t *bytes);
// What such an error means, in words: a folder, a device, a file that is too large, or strerror.
const char *text_read_error(int error);
// The largest file that text_read_file takes; TEXT_FILE_LIMIT until it is said. Of the whole process, before it makes
// threads.
#define TEXT_FILE_LIMIT ((uint64_t)1 << 30)
void text_set_file_limit(uint64_t bytes);
// All that is left of a stream, as text_read_file gives it, and up to the same limit.
char *text_read_stream(int fd, size_t *bytes);

// "60s", "500ms", "2m", "1h", "1.5s" -> seconds. A bare number counts as seconds. False if not so.
bool text_parse_duration(const char *string, double *seconds);
// "2GB", "512MB", "64KB", "2GiB", "100B" -> bytes (KB = 1000, KiB = 1024). A bare number is bytes.
bool text_parse_size(const char *string, uint64_t *bytes);
// Adds "1.2 s", "35 ms", "4m12s" / "12.3 MB".
void text_add_duration(struct text *text, double seconds);
void text_add_size(struct text *text, uint64_t bytes);

bool text_begins_with(const char *string, const char *begin);
bool text_ends_with(const char *string, const char *end);
// Of names with NULL behind them.
bool text_is_one_of(const char *string, const char *const *names);

// The candidate nearest to `word` by edit distance, for "did you mean"; NULL when none is near.
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

#endif
