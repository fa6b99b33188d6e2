#ifndef REGATTA_RUNS_OUTPUTS_H
#define REGATTA_RUNS_OUTPUTS_H

#include <stdio.h>

#include "runs/runner.h"

// The files that a user wants of a run: which they are, whether they may be written, and what goes into them.

// A trace as a page for a browser, of models whose dialect has none: a room to the right draws it.
struct page_writer {
    bool (*draws)(const struct model *model);
    // False with the reason appended. "/dev/stdout" is standard output.
    bool (*write)(const struct trace *trace, const char *path, struct text *why);
};

struct outputs {
    // Paths, "-" = standard output; NULL = not wanted.
    const char *trace, *witness, *test, *certificate;
    enum trace_format trace_format;
    const char *sarif, *attacks;      // of contracts
    const char *log, *events, *store; // written by others: they too must not be what is read
    const struct page_writer *page;   // may be NULL
};

// Before a run: can the files be written, and is none of them the input or the property? False with one reason appended.
bool outputs_check(const struct outputs *outputs, const char *input, const char *property,
                   struct text *why);
// Is none of them `input`, which is read? False with the reason appended.
bool outputs_apart(const struct outputs *outputs, const char *input, struct text *why);
// What is wanted and models of this language do not have, in words; NULL: nothing. The text is static.
const char *outputs_lacking(const struct outputs *outputs, const struct model *model);

// After a run. What is wanted and not there is said in `notes`, a line each, not hidden. False, also with a line, when a file
// cannot be written.
bool outputs_write(const struct outputs *outputs, const struct task *task, const struct run *run,
                   struct text *notes);
bool outputs_write_certificate(const struct outputs *outputs, const struct task *task,
                               const struct run *run, struct text *notes);
// "-" is standard output, as data. False with a line in `notes`.
bool outputs_write_file(const char *path, const struct text *text, const char *what,
                        struct text *notes);

// The same of one question of several: FILE.NAME, for what else would write over one another (not the test). Owned until
// finished.
struct outputs outputs_of_question(const struct outputs *outputs, const char *question);
void outputs_of_question_finish(struct outputs *own, const struct outputs *outputs);

#endif
