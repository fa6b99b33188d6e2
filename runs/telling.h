#ifndef REGATTA_RUNS_TELLING_H
#define REGATTA_RUNS_TELLING_H

#include <stdio.h>

#include "languages/language.h"
#include "runs/bounds.h"
#include "runs/questions.h"
#include "runs/runner.h"

// How answers are told: a verdict line, one JSON object, or the words of the Model Checking Contest, for each question and for
// all together. Results and notes go to the streams that are given.

struct telling {
    FILE *out, *notes;
    bool contest, json, verbose;
};

// `name`: of the task's question, NULL where it has one only; `question`: the same among several, else NULL.
void telling_run(const struct telling *telling, const struct run *run, const char *name,
                 const struct language_question *question);
// Of a question that wants a number.
void telling_bound(const struct telling *telling, const struct language_question *question,
                   const struct bounds_result *found);
// The line for all questions; nothing in the contest. The verdict of all together: safe when all are, unsafe when any is.
enum verdict telling_tally(const struct telling *telling, const struct questions_tally *tally);

#endif
