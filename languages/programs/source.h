#ifndef REGATTA_LANGUAGES_PROGRAMS_SOURCE_H
#define REGATTA_LANGUAGES_PROGRAMS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

// The text of a C program, for people and for positions in witnesses: where statements, calls and blocks begin and end.
// Nothing is parsed: comments, literals and lines of the preprocessor are blanked, brackets are matched. Whatever the text,
// answers are in it or SOURCE_NOWHERE.

#define SOURCE_NOWHERE ((size_t)-1)

struct source {
    char *path;
    char *text;    // as it is in the file
    char *plain;   // of the same length, with what is no code blanked
    bool *ends;    // by byte: a statement, or the head of one, ends with it
    size_t *lines; // where each line begins
    size_t bytes, line_count;
};

// NULL when the file cannot be read.
struct source *source_open(const char *path);
struct source *source_of(const char *path, const char *text, size_t bytes); // copied
void source_destroy(struct source *source);                                 // NULL is fine

// Lines and columns count from 1. SOURCE_NOWHERE outside; column 0 is the first byte of the line that is no blank.
size_t source_offset(const struct source *source, unsigned line, unsigned column);
void source_position(const struct source *source, size_t offset, unsigned *line, unsigned *column);
// The statement at `offset`: [*start, *end). False when there is none.
bool source_statement(const struct source *source, size_t offset, size_t *start, size_t *end);
// The closing parenthesis of the call of `name` that begins at `offset`.
size_t source_call_end(const struct source *source, size_t offset, const char *name);
// What closes the bracket at `offset`, or ends the statement (with its body) whose keyword is there: the end of a scope.
size_t source_scope_end(const struct source *source, size_t offset);
// Does this word stand at `offset`?
bool source_word(const struct source *source, size_t offset, const char *word);

#endif
