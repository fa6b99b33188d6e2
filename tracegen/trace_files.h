#ifndef REGATTA_TRACEGEN_TRACE_FILES_H
#define REGATTA_TRACEGEN_TRACE_FILES_H

#include "tracegen/suite_print.h"

// The folder that `regatta trace` writes: a file for each trace and form, written when the trace is made, and
// at the end suite.txt, suite.json, graph.dot, index.html.

enum trace_file { // a bit each
    TRACE_FILE_READABLE = 1,
    TRACE_FILE_SEXPR = 2,
    TRACE_FILE_JSON = 4,
    TRACE_FILE_SEQUENCE = 8,
    TRACE_FILE_STATES = 16,
    TRACE_FILE_DOT = 32, // of languages that draw their traces (dialect.print_dot)
};

struct trace_files {
    char *folder;
    unsigned forms;
    struct text failure; // of the first file that could not be written; "" = none
};

// Makes a folder, or takes one that is empty. False with words on standard error.
bool trace_files_make_folder(const char *folder);
// Makes the folder; one that has files in it is refused. False with words in files->failure.
bool trace_files_open(struct trace_files *files, const char *folder, unsigned forms);
// "readable,sexpr" -> bits; 0 when some word is none of them.
unsigned trace_files_forms(const char *words);
void trace_files_close(struct trace_files *files);

// One of a folder that others fill. False with words in `why`.
bool trace_files_put(const char *folder, const char *name, const struct text *text,
                     struct text *why);

bool trace_files_write_trace(struct trace_files *files, const struct suite *suite, size_t trace);
bool trace_files_write_suite(struct trace_files *files, const struct suite_report *report);
// Takes all files of traces away again, for another round.
void trace_files_clear(struct trace_files *files, size_t traces);

#endif
