#include "cli/command.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/text.h"
#include "base/vector.h"
#include "cli/help.h"
#include "results/verdict.h"

static const struct command *const COMMANDS[] = {
    &command_verify,  &command_certify,  &command_validate,
    &command_bench,   &command_report,   &command_results,
    &command_compare, &command_list,     &command_plan,
    &command_replay,  &command_topology, &command_space,
    &command_trace,   &command_tune,     &command_ask,
    &command_theta,   &command_help,     NULL,
};

const struct command *const *command_all(void)
{
    return COMMANDS;
}

const struct command *command_find(const char *name)
{
    for (size_t i = 0; COMMANDS[i] != NULL; i++)
        if (strcmp(COMMANDS[i]->name, name) == 0)
            return COMMANDS[i];
    return NULL;
}

int usage_error(const struct command *command, const char *format, ...)
{
    va_list arguments;
    struct text text;
    text_init(&text);
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    say(stderr, "regatta %s: %s", command->name, text_string(&text));
    text_finish(&text);
    say(stderr, "\nTry: regatta %s --help\n", command->name);
    return EXIT_USAGE;
}

// "--pln" -> "plan"; NULL when nothing is near.
static const char *nearest_option(const struct command *command, const char *given)
{
    VECTOR(const char *) names = {0};
    for (const struct poptOption *o = command->options; o->longName != NULL; o++)
        VECTOR_PUSH(&names, o->longName);
    while (*given == '-')
        given++;
    const char *nearest = text_nearest(given, names.data, names.count);
    VECTOR_FINISH(&names);
    return nearest;
}

static int option_error(const struct command *command, poptContext context, int code)
{
    const char *given = poptBadOption(context, POPT_BADOPTION_NOALIAS);
    const char *nearest = code == POPT_ERROR_BADOPT ? nearest_option(command, given) : NULL;
    if (nearest != NULL)
        return usage_error(command, "%s: %s; did you mean --%s?", given, poptStrerror(code),
                           nearest);
    return usage_error(command, "%s: %s", given, poptStrerror(code));
}

static int run(const struct command *command, poptContext context)
{
    VECTOR(const char *) rest = {0};
    const char *argument;
    while ((argument = poptGetArg(context)) != NULL)
        VECTOR_PUSH(&rest, argument);
    int code = command->run(rest.data, rest.count);
    VECTOR_FINISH(&rest);
    return code;
}

// popt forgets the word of an option when it has no memory for it, and says nothing: the question would be another one. So each
// option that takes a word is looked at. What poptGetNextOpt says at the end.
static int parse(const struct command *command, poptContext context, bool *forgotten)
{
    for (struct poptOption *o = command->options; o->longName != NULL; o++) {
        unsigned kind = o->argInfo & POPT_ARG_MASK;
        assert(kind != POPT_ARG_INCLUDE_TABLE);
        if (kind != POPT_ARG_NONE && kind != POPT_ARG_VAL)
            o->val = 1;
    }
    int option;
    while ((option = poptGetNextOpt(context)) > 0) {
        char *word = poptGetOptArg(context);
        *forgotten |= word == NULL;
        free(word); // popt's
    }
    return option;
}

int command_dispatch(const struct command *command, int count, const char **arguments)
{
    int help = 0;
    assert(command->options != NULL && command->run != NULL);
    struct poptOption table[] = {
        {"help", 'h', POPT_ARG_NONE, &help, 0, NULL, NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, command->options, 0, NULL, NULL},
        POPT_TABLEEND,
    };
    poptContext context = poptGetContext(command->name, count, arguments, table, 0);
    bool forgotten = context == NULL;
    int code, option = parse(command, context, &forgotten);
    if (forgotten) {
        say(stderr, "regatta %s: the system refused memory for the command line\n", command->name);
        code = EXIT_INTERNAL;
    } else if (help) {
        help_command(stdout, command);
        code = 0;
    } else if (option < -1) {
        code = option_error(command, context, option);
    } else {
        code = run(command, context);
    }
    poptFreeContext(context);
    return code;
}
