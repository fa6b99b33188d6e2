#ifndef REGATTA_LANGUAGES_PROGRAMS_JUDGE_H
#define REGATTA_LANGUAGES_PROGRAMS_JUDGE_H

#include "languages/programs/interpret.h"
#include "model/trace.h"

// Runs of a program's model as runs of the program.

// Runs the program on what a replayed trace of its model gives; the events go to the listener (may be NULL). `judge` is
// one of program_judge_create.
struct run_result program_follow(const struct model_judge *judge, const struct trace *trace,
                                 void (*listen)(void *context, const struct run_event *event),
                                 void *context);
const struct program_question *program_judge_question(const struct model_judge *judge);
// What the variable of the model is a part of; NULL when it is none of memory.
const struct object *program_judge_cell(const struct model_judge *judge, uint32_t variable);
const struct flat *program_judge_flat(const struct model_judge *judge);
// What is run: its instructions and frames are those of events.
const struct flat *program_judge_runs(const struct model_judge *judge);

#endif
