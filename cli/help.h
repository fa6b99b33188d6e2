#ifndef REGATTA_CLI_HELP_H
#define REGATTA_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

void help_overview(FILE *out);
void help_command(FILE *out, const struct command *command);
void help_man(FILE *out); // roff, section 1

#endif
