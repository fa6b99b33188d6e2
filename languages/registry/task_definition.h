#ifndef REGATTA_LANGUAGES_REGISTRY_TASK_DEFINITION_H
#define REGATTA_LANGUAGES_REGISTRY_TASK_DEFINITION_H

#include "base/message.h"

// Reads a BenchExec task-definition file (format_version 1.0 or 2.0) with libyaml.
enum expected_verdict { EXPECTED_NONE, EXPECTED_SAFE, EXPECTED_UNSAFE };
struct task_definition {
    char *path;          // of the .yml
    char *model_path;    // relative paths resolved against the .yml
    char *property_path; // NULL when there is none
    enum expected_verdict expected;
    bool wide; // C: the data model LP64
};
bool task_definition_read(const char *path, struct task_definition *out, struct messages *messages);
void task_definition_finish(struct task_definition *task);

#endif
