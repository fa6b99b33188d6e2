#ifndef REGATTA_LANGUAGES_REGISTRY_TASK_H
#define REGATTA_LANGUAGES_REGISTRY_TASK_H

#include "base/budget.h"
#include "base/hash.h"
#include "languages/language.h"
#include "languages/registry/task_definition.h"

// A task as the user names it: a model with perhaps a property, or a BenchExec task definition.

struct task {
    char *path; // as given
    char *model_path;
    char *property; // path, inline property, or NULL
    char *
        question; // the name behind `#` in the path as given, for messages and files; NULL = the only one
    enum expected_verdict expected;
    enum property_at property_at;
    bool opened;               // task_open went well
    char digest[33];           // over the model's and the property's text, and where it is checked
    char model_digest[33];     // over the text of the model alone, with what a C program includes
    char property_digest[33];  // over that of the property, and where it is checked
    struct hash128 model_hash; // what `digest` is over before the property
    struct language_source
        *source;         // what was parsed of the model for all its questions; NULL = nothing yet
    struct model *model; // NULL until task_load
    double load_seconds; // what task_load took, and what parsing for all questions took
};

// Reads the task definition if it is one (.yml, .yaml) and computes the digest. PATH#NAME is one question of an input that
// holds several (task_questions); its expected verdict is not known. False with
// messages; the task then still has its path and a digest over it, so that the failure can be kept.
bool task_open(struct task *task, const char *path, const char *property,
               enum property_at property_at, struct messages *messages);
bool task_load(struct task *task, struct messages *messages);
// Appends the questions of an opened task when there are several. False with messages.
bool task_questions(struct task *task, struct language_questions *out, struct messages *messages);
// Both, under a budget. BUDGET_DONE: as they say, with what they return in *good. Otherwise reading was ended, a message
// says why, the task has its path, perhaps more, and no model; what reading had allocated is lost.
enum budget_end task_read(struct task *task, const char *path, const char *property,
                          enum property_at property_at, const struct budget *budget,
                          struct messages *messages, bool *good);
// task_load of an opened task, under a budget, in the same way.
enum budget_end task_load_within(struct task *task, const struct budget *budget,
                                 struct messages *messages, bool *good);
// Opens a task under a budget and asks for its questions. *several: there are more than one, now in *questions. The task
// is not loaded: task_read_of does that, for each question or the only one.
enum budget_end task_read_questions(struct task *task, const char *path, const char *property,
                                    enum property_at property_at, const struct budget *budget,
                                    struct messages *messages, struct language_questions *questions,
                                    bool *several);
// As task_read, about what task_read_questions opened: the same input, and what was parsed of it is shared. One of its
// questions, or another property of it, or, both NULL, the task as it is (and where it could not be opened, that is told).
enum budget_end task_read_of(struct task *task, const struct task *whole,
                             const struct language_question *question, const char *property,
                             const struct budget *budget, struct messages *messages, bool *good);
// Over the loaded model with the error that its property is: the same however the same question was asked.
void task_question_digest(const struct task *task, char out[33]);
void task_finish(struct task *task);

bool task_is_definition(const char *path);
// Of the model, or of a task definition's model, each with or without a question behind `#`; NULL = unknown.
const struct language *task_language(const char *path);
const char *task_standard_plan(const char *path); // that its language is raced with; static
// A C program, or a definition of a task about one.
bool task_is_program(const char *path);
const char *expected_name(enum expected_verdict expected); // "safe", "unsafe", ""

#endif
