#ifndef REGATTA_RUNS_QUESTIONS_H
#define REGATTA_RUNS_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "runs/settings.h"

// The loop over the questions of an input, whatever its language: one after another, each with the time of a task, until a
// signal comes. A second start (runs/retry.h) goes on behind what the first one answered.

// What an answer is remembered as. A language may have letters of its own for kinds of `unknown`.
enum question_letter {
    QUESTION_SAFE = 's',
    QUESTION_UNSAFE = 'u',
    QUESTION_UNKNOWN = '?',
    QUESTION_CONTRADICTION = '!',
    QUESTION_REFUSED = '0', // it cannot be asked
    QUESTION_STOP = '.',    // no answer, and no further question
};

struct questions_loop {
    size_t count;
    struct run_settings *settings; // their time begins anew with each question,
    bool begun; // but for the first one that is asked: it runs since reading began
    bool again; // answers are needed together: a second start asks them all
    char (*ask)(void *context, size_t question);
    // Of one that was answered by the first start; may be NULL.
    void (*answered)(void *context, size_t question, char letter);
    void *context;
};

struct questions_tally {
    size_t safe, unsafe, unknown;
    bool contradiction, stopped;
};

void questions_ask(const struct questions_loop *loop, struct questions_tally *out);

#endif
