#ifndef REGATTA_ANALYSIS_BASELINE_H
#define REGATTA_ANALYSIS_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

// Results of another tool to compare with: a CSV file with a header line and at least the columns
// formalism, task, config, verdict (safe, unsafe, anything else is no answer) and wall_s.

struct baseline_row {
    char *task; // "formalism/task"
    char *configuration;
    char *verdict;
    double wall_seconds;
};

struct baseline {
    struct baseline_row *rows;
    size_t count, capacity;
};

// False and the reason appended to `why` ("path:line: …"); `baseline` is then empty.
bool baseline_read(struct baseline *baseline, const char *path, struct text *why);
void baseline_finish(struct baseline *baseline);
bool baseline_knows(const struct baseline *baseline, const char *task);
// The fastest row that answered the task, with `expected` unless that is ""; NULL when none did.
const struct baseline_row *baseline_best(const struct baseline *baseline, const char *task,
                                         const char *expected);

#endif
