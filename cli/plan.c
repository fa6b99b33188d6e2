#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/say.h"
#include "cli/command.h"
#include "cli/reading.h"
#include "results/verdict.h"
#include "view/plan_play.h"
#include "view/plan_show.h"

static struct {
    char *outcomes, *time;
    int cores, dot;
} options;

static struct poptOption table[] = {
    {"dot", 0, POPT_ARG_NONE, &options.dot, 0, "show: as a graph for Graphviz", NULL},
    {"cores", 'c', POPT_ARG_INT, &options.cores, 0,
     "the variant for so many cores only (show: all variants; dry-run: 1)", "N"},
    {"time", 't', POPT_ARG_STRING, &options.time, 0, "dry-run: time of the run (300s)", "TIME"},
    {"outcomes", 0, POPT_ARG_STRING, &options.outcomes, 0,
     "dry-run: what configurations do: lines \"NAME TIME OUTCOME\"; - = standard input", "FILE"},
    POPT_TABLEEND,
};

static int dry_run(const struct plan *plan)
{
    double seconds = 300;
    if (options.outcomes == NULL)
        return usage_error(&command_plan, "dry-run needs --outcomes");
    if (options.time != NULL &&
        (!text_parse_duration(options.time, &seconds) || seconds < 0 || seconds > 4e9))
        return usage_error(&command_plan, "--time=%s: expected a time such as 60s", options.time);
    bool is_input = strcmp(options.outcomes, "-") == 0;
    char *script =
        is_input ? text_read_stream(STDIN_FILENO, NULL) : text_read_file(options.outcomes, NULL);
    if (script == NULL) {
        say(stderr, "regatta plan: %s: cannot be read: %s\n", options.outcomes,
            text_read_error(errno));
        return EXIT_USAGE;
    }
    const struct plan_play how = {options.outcomes, script,
                                  options.cores > 0 ? (unsigned)options.cores : 1, seconds};
    struct messages messages;
    messages_init(&messages);
    bool good = plan_play(plan, &how, stdout, &messages);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    memory_free(script);
    return good ? 0 : EXIT_USAGE;
}

static int show(const struct plan *plan)
{
    const struct plan_variant *only =
        options.cores > 0 ? plan_variant_for(plan, (unsigned)options.cores) : NULL;
    struct text text;
    text_init(&text);
    if (options.dot)
        plan_show_dot(&text, plan, only);
    else
        plan_show(&text, plan, only);
    say(stdout, "%s", text_string(&text));
    text_finish(&text);
    return 0;
}

static int run(const char *const *arguments, size_t count)
{
    bool is_show = count > 0 && strcmp(arguments[0], "show") == 0;
    if (count != 2 || (!is_show && strcmp(arguments[0], "dry-run") != 0))
        return usage_error(&command_plan, "expected show NAME or dry-run NAME");
    if (options.cores < 0 || options.cores > 4096)
        return usage_error(&command_plan, "--cores=%d: expected a number from 1 to 4096",
                           options.cores);
    struct plan *plan = reading_plan(arguments[1]);
    if (plan == NULL)
        return EXIT_USAGE;
    int code = is_show ? show(plan) : dry_run(plan);
    plan_destroy(plan);
    return code;
}

const struct command command_plan = {
    .name = "plan",
    .arguments = "show NAME | dry-run NAME",
    .summary = "show a plan, or play it in virtual time",
    .description = "show: the lanes of a plan, their steps, and what each does on which end.\n"
                   "dry-run: what the plan decides when its configurations do as a file says;\n"
                   "nothing is run. Each line of the file names a configuration, when it ends and\n"
                   "how; who is not named runs until it is stopped; guards see a model without\n"
                   "anything in it.\n"
                   "\n"
                   "  regatta plan show default --cores 2 --dot | dot -Tsvg > plan.svg\n"
                   "  echo 'expl-seq 2s stalled' | regatta plan dry-run default --outcomes -\n",
    .options = table,
    .run = run,
};
