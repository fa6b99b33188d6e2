#ifndef REGATTA_CLI_RUN_TABLE_H
#define REGATTA_CLI_RUN_TABLE_H

#include "cli/command.h"
#include "runs/settings.h"

// The options of a run as rows of a command's option table, and what they say.

#define RUN_ROW_TEXT(o, field, name, letter, help, value)                                          \
    {name, letter, POPT_ARG_STRING, &(o).field, 0, help, value},
#define RUN_ROW_INT(o, field, name, letter, help, value)                                           \
    {name, letter, POPT_ARG_INT, &(o).field, 0, help, value},
#define RUN_ROW_LONG(o, field, name, letter, help, value)                                          \
    {name, letter, POPT_ARG_LONGLONG, &(o).field, 0, help, value},
#define RUN_ROW_FLAG(o, field, name, help) {name, 0, POPT_ARG_NONE, &(o).field, 0, help, NULL},
#define RUN_ROW_SWITCH(o, field, zero, zero_help, one, one_help)                                   \
    {zero, 0, POPT_ARG_VAL, &(o).field, 0, zero_help, NULL},                                       \
        {one, 0, POPT_ARG_VAL, &(o).field, 1, one_help, NULL},

// The rows, each with a comma behind it, for `o`, a struct run_options with static storage.
#define RUN_OPTIONS(o)                                                                             \
    RUN_OPTION_TABLE(o, RUN_ROW_TEXT, RUN_ROW_INT, RUN_ROW_LONG, RUN_ROW_FLAG, RUN_ROW_SWITCH)

// run_settings_read for a command: false after a usage error on standard error. Notes go there too unless `quiet`.
bool run_table_read(const struct command *command, const struct run_options *options, bool quiet,
                    struct run_settings *out);

#endif
