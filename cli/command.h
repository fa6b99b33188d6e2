#ifndef REGATTA_CLI_COMMAND_H
#define REGATTA_CLI_COMMAND_H

#include <popt.h>
#include <stdbool.h>
#include <stddef.h>

// The subcommands: one table (command.c) from which dispatch, help, usage errors and the man page
// come. Each names its option table; --help is added to all.

struct command {
    const char *name;
    const char *arguments;   // "MODEL | TASK.yml"
    const char *summary;     // one line
    const char *description; // for its help and the man page; lines of at most 78 characters
    struct poptOption *options;
    int (*run)(const char *const *arguments, size_t count); // returns the exit code
};

extern const struct command command_verify, command_bench, command_report, command_results,
    command_compare, command_list, command_topology, command_plan, command_replay, command_space,
    command_help, command_certify, command_trace, command_tune, command_ask, command_theta,
    command_validate;
extern const struct command command_job; // not in the table: for the program itself

const struct command *const *command_all(void); // NULL-terminated, in the order of the help
const struct command *command_find(const char *name);

// Parses the options into the variables of the command's table and runs it. arguments[0] is the
// command's own name. The exit code.
int command_dispatch(const struct command *command, int count, const char **arguments);

// "regatta NAME: …" on standard error; returns EXIT_USAGE.
int usage_error(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
