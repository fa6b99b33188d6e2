#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/say.h"
#include "cli/command.h"
#include "configs/plan.h"
#include "engines/registry/registry.h"
#include "languages/registry/registry.h"
#include "results/verdict.h"

static struct poptOption table[] = {POPT_TABLEEND};

static int list_engines(void)
{
    for (size_t i = 0; engine_all()[i] != NULL; i++)
        say(stdout, "%-12s %s\n", engine_all()[i]->name, engine_all()[i]->description);
    return 0;
}

static void print_enum_option(enum option option, const struct option_description *description)
{
    say(stdout, "%-16s %s (%s)\n", description->name, description->help,
        option_value_name((enum option_value)description->standard));
    for (int v = 0; v < OPTION_VALUE_COUNT; v++)
        if (option_value_option((enum option_value)v) == option)
            say(stdout, "    %-14s %s\n", option_value_name((enum option_value)v),
                option_value_help((enum option_value)v));
}

static void print_number_option(enum option option, const struct option_description *description)
{
    int64_t number;
    const char *word;
    say(stdout, "%-16s %s (%" PRId64 ")\n    %" PRId64 " … %" PRId64, description->name,
        description->help, description->standard, description->least, description->greatest);
    for (size_t i = 0; (word = option_word(option, i, &number)) != NULL; i++)
        say(stdout, "; %s is %" PRId64, word, number);
    putchar('\n');
}

// Where the option has an effect; elsewhere it must keep its default.
static void print_effect(enum option option)
{
#define F(rule, constant, condition)                                                               \
    if (option == constant)                                                                        \
        say(stdout, "    only with " condition "\n");
    OPTION_EFFECTS(F)
#undef F
}

static void print_legal_combinations(void)
{
    say(stdout, "legal combinations\n");
#define R(rule, condition) say(stdout, "    %-14s %s\n", rule, condition);
    OPTION_LEGAL(R)
    OPTION_SENSIBLE(R)
#undef R
}

static int list_options(void)
{
    for (int o = 0; o < OPTION_COUNT; o++) {
        const struct option_description *description = option_describe((enum option)o);
        switch (description->type) {
        case OPTION_TYPE_ENUM:
            print_enum_option((enum option)o, description);
            break;
        case OPTION_TYPE_NUMBER:
            print_number_option((enum option)o, description);
            break;
        case OPTION_TYPE_TEXT:
            say(stdout, "%-16s %s (%s)\n    %s\n", description->name, description->help,
                description->standard == TEXT_VALUE_NONE ? "as solver"
                                                         : text_value(description->standard),
                description->expected);
            break;
        case OPTION_TYPE_SWITCH:
            say(stdout, "%-16s %s (%s)\n    true, false\n", description->name, description->help,
                description->standard ? "true" : "false");
            break;
        }
        print_effect((enum option)o);
    }
    print_legal_combinations();
    return 0;
}

static void print_configuration(const struct configuration *configuration)
{
    struct text text;
    text_init(&text);
    configuration_print(&text, configuration, false);
    say(stdout, "%-22s %s\n", configuration->name, text_string(&text));
    if (configuration->description[0] != '\0')
        say(stdout, "%-22s %s\n", "", configuration->description);
    text_finish(&text);
}

static int list_configurations(void)
{
    struct configuration_set set = {0};
    struct messages messages;
    struct text path;
    messages_init(&messages);
    text_init(&path);
    bool good = configs_locate("configurations.cfg", &path) &&
                configuration_set_read(&set, text_string(&path), &messages);
    for (size_t i = 0; i < set.count; i++)
        print_configuration(&set.items[i]);
    if (!good && messages.count == 0)
        say(stderr, "regatta list: configurations.cfg is not found\n");
    messages_print(&messages, stderr);
    messages_finish(&messages);
    configuration_set_finish(&set);
    text_finish(&path);
    return good ? 0 : EXIT_USAGE;
}

static void print_plan(const struct plan *plan)
{
    say(stdout, "%-16s %s\n", plan->name, plan->description);
    for (size_t v = 0; v < plan->variant_count; v++) {
        const struct plan_variant *variant = &plan->variants[v];
        size_t steps = 0;
        for (size_t l = 0; l < variant->lane_count; l++)
            steps += variant->lanes[l].step_count;
        say(stdout, "    from %u core%s: %zu lane%s, %zu steps\n", variant->cores,
            variant->cores == 1 ? "" : "s", variant->lane_count,
            variant->lane_count == 1 ? "" : "s", steps);
    }
}

static int list_plans(void)
{
    char **paths;
    size_t count = configs_list("plan", &paths);
    int code = 0;
    for (size_t i = 0; i < count; i++) {
        struct messages messages;
        messages_init(&messages);
        struct plan *plan = plan_load(paths[i], &messages);
        if (plan != NULL)
            print_plan(plan);
        else
            code = EXIT_USAGE;
        messages_print(&messages, stderr);
        messages_finish(&messages);
        plan_destroy(plan);
        memory_free(paths[i]);
    }
    memory_free(paths);
    return code;
}

static int list_formats(void)
{
    say(stdout, "models\n");
    for (size_t i = 0; language_all()[i] != NULL; i++)
        say(stdout, "    %-10s %s\n", language_all()[i]->extension, language_all()[i]->description);
    say(stdout, "tasks\n    .yml       BenchExec task definition, format 2.0\n"
                "traces\n    readable   changed variables and actions, a block a step\n"
                "    sexpr      S-expressions as Theta and Gamma read them\n    json\n"
                "results\n    SQLite (--db), JSON (verify --json), CSV (report --csv)\n");
    return 0;
}

static int list_exit_codes(void)
{
#define X(constant, code, meaning) say(stdout, "%3d  %s\n", code, meaning);
    EXIT_CODES(X)
#undef X
    say(stdout, "128+n  ended by signal n\n");
    return 0;
}

static const struct {
    const char *name;
    int (*list)(void);
} LISTS[] = {
    {"engines", list_engines}, {"options", list_options}, {"configurations", list_configurations},
    {"plans", list_plans},     {"formats", list_formats}, {"exit-codes", list_exit_codes},
};

enum { LIST_COUNT = sizeof LISTS / sizeof LISTS[0] };

static int run(const char *const *arguments, size_t count)
{
    if (count > 1)
        return usage_error(&command_list, "expected one name, got %zu", count);
    for (size_t i = 0; i < LIST_COUNT && count == 1; i++)
        if (strcmp(LISTS[i].name, arguments[0]) == 0)
            return LISTS[i].list();
    if (count == 1)
        return usage_error(&command_list, "no list '%s'", arguments[0]);
    int code = 0;
    for (size_t i = 0; i < LIST_COUNT; i++) {
        say(stdout, "%s== %s\n", i == 0 ? "" : "\n", LISTS[i].name);
        int one = LISTS[i].list();
        code = code != 0 ? code : one;
    }
    return code;
}

const struct command command_list = {
    .name = "list",
    .arguments = "[engines|options|configurations|plans|formats|exit-codes]",
    .summary = "what there is: engines, options, configurations, plans, …",
    .description = "Without a name, all lists. Defaults stand in brackets.\n",
    .options = table,
    .run = run,
};
