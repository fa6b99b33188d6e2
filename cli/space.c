#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "cli/command.h"
#include "configs/sample.h"
#include "results/verdict.h"

static struct {
    char *sample;
    int list, names;
} options;

static struct poptOption table[] = {
    {"sample", 0, POPT_ARG_STRING, &options.sample, 0,
     "which configurations: all, pairwise, 3-wise, random=100, one-factor, latin=20, with @SEED "
     "(all)",
     "SAMPLE"},
    {"list", 0, POPT_ARG_NONE, &options.list, 0,
     "a line for each configuration, as --config takes it", NULL},
    {"names", 0, POPT_ARG_NONE, &options.names, 0,
     "--list with name and description before it, separated by tabs", NULL},
    POPT_TABLEEND,
};

static void print_factor(const struct space_factor *factor)
{
    struct text text;
    text_init(&text);
    assert(factor->level_count > 0);
    for (size_t i = 0; i < factor->level_count; i++) {
        if (i >= 8 && i + 1 < factor->level_count && factor->level_count > 20) {
            text_add(&text, i == 8 ? " …" : "");
            continue;
        }
        text_add(&text, i > 0 ? " " : "");
        space_print_value(&text, factor->option, factor->levels[i]);
    }
    say(stdout, "%-16s %4zu  %s\n", space_slot_name(factor->option), factor->level_count,
        text_string(&text));
    text_finish(&text);
}

static void print_space(const struct space *space)
{
    if (space->description[0] != '\0')
        say(stdout, "%s\n", space->description);
    for (size_t i = 0; i < space->factor_count; i++)
        print_factor(&space->factors[i]);
    for (size_t i = 0; i < space->constraint_count; i++)
        say(stdout, "constraint             %s\n", constraint_text(space->constraints[i]));
    if (space->listed_count > 0)
        say(stdout, "listed           %4zu\n", space->listed_count);
    uint64_t count;
    bool all = space_count(space, &count);
    say(stdout, "%s%" PRIu64 " configurations\n", all ? "" : "more than ",
        count + space->listed_count);
}

static void print_configuration(const struct configuration *configuration)
{
    struct text text;
    text_init(&text);
    configuration_print(&text, configuration, false);
    if (options.names)
        say(stdout, "%s\t%s\t%s\n", configuration->name, configuration->description,
            text_string(&text));
    else
        say(stdout, "%s\n", text_string(&text));
    text_finish(&text);
}

static int show(const char *name)
{
    struct messages messages;
    messages_init(&messages);
    struct sample sample;
    bool good = sample_read(&sample, options.sample != NULL ? options.sample : "all", &messages);
    struct space *space = good ? space_load(name, &messages) : NULL;
    struct configuration_set set = {0};
    bool listing = options.list || options.names;
    if (space != NULL && !listing)
        print_space(space);
    good = space != NULL;
    if (good && (listing || options.sample != NULL))
        good = space_sample(space, &sample, &set, &messages);
    for (size_t i = 0; i < set.count && listing && good; i++)
        print_configuration(&set.items[i]);
    if (good && !listing && options.sample != NULL)
        say(stdout, "%zu in the sample %s\n", set.count, options.sample);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    configuration_set_finish(&set);
    space_destroy(space);
    return good ? 0 : EXIT_USAGE;
}

static int run(const char *const *arguments, size_t count)
{
    if (count != 2 || strcmp(arguments[0], "show") != 0)
        return usage_error(&command_space, "expected show NAME|PATH");
    return show(arguments[1]);
}

const struct command command_space = {
    .name = "space",
    .arguments = "show NAME|PATH",
    .summary = "count and list the configurations of a space",
    .description = "A space is a set of configurations, given by the options that vary: see\n"
                   "docs/spaces.md. Without --list, its options and how many configurations it\n"
                   "has. What bench --space runs is what is listed here.\n"
                   "\n"
                   "  regatta space show xsts-study --sample pairwise --list\n",
    .options = table,
    .run = run,
};
