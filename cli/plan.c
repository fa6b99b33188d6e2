#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/say.h"
#include "base/vector.h"
#include "cli/command.h"
#include "portfolio/simulate.h"
#include "results/verdict.h"
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

// What a configuration does.
struct scripted {
    char *configuration;
    struct simulated_end end;
};

struct dry_run {
    const struct plan_variant *variant;
    VECTOR(struct scripted) script;
};

static bool read_outcome(const char *word, struct simulated_end *end)
{
    int verdict = verdict_parse(word), reason = end_reason_parse(word);
    end->verdict = VERDICT_UNKNOWN;
    end->reason = END_SOLVED;
    if (verdict == VERDICT_SAFE || verdict == VERDICT_UNSAFE)
        end->verdict = (enum verdict)verdict;
    else if (reason > END_SOLVED)
        end->reason = (enum end_reason)reason;
    else
        return false;
    return true;
}

// "expl-seq 2.5s stalled", "expl-seq 12s safe foreseen"; empty lines and # are left out.
static bool read_line(struct dry_run *run, char *line, unsigned number)
{
    char *save = NULL;
    line[strcspn(line, "#")] = '\0';
    char *name = strtok_r(line, " \t\r", &save), *time = strtok_r(NULL, " \t\r", &save);
    char *word = strtok_r(NULL, " \t\r", &save), *foreseen = strtok_r(NULL, " \t\r", &save);
    struct scripted scripted = {0};
    double seconds;
    if (name == NULL)
        return true;
    if (time == NULL || word == NULL || strtok_r(NULL, " \t\r", &save) != NULL ||
        (foreseen != NULL && strcmp(foreseen, "foreseen") != 0) ||
        !text_parse_duration(time, &seconds) || !(seconds >= 0 && seconds < 4e9) ||
        !read_outcome(word, &scripted.end)) {
        say(stderr,
            "%s:%u: error: expected a configuration, a time and an outcome such as stalled, "
            "memory, safe or unsafe, and perhaps foreseen\n",
            options.outcomes, number);
        return false;
    }
    scripted.configuration = memory_strdup(name);
    scripted.end.after_ns = (int64_t)(seconds * 1e9);
    scripted.end.foreseen = foreseen != NULL;
    VECTOR_PUSH(&run->script, scripted);
    return true;
}

static bool read_script(struct dry_run *run)
{
    bool is_input = strcmp(options.outcomes, "-") == 0;
    char *text =
        is_input ? text_read_stream(STDIN_FILENO, NULL) : text_read_file(options.outcomes, NULL);
    if (text == NULL) {
        say(stderr, "regatta plan: %s: cannot be read: %s\n", options.outcomes,
            text_read_error(errno));
        return false;
    }
    bool good = true;
    unsigned number = 0;
    for (char *rest = text, *line; good && (line = strsep(&rest, "\n")) != NULL;)
        good = read_line(run, line, ++number);
    memory_free(text);
    return good;
}

static const struct configuration *configuration_of(const struct dry_run *run,
                                                    const struct schedule_action *action)
{
    assert(action->lane < run->variant->lane_count);
    assert(action->step < run->variant->lanes[action->lane].step_count);
    return run->variant->lanes[action->lane].steps[action->step].configuration;
}

// The last line that names it counts; who is not named never ends.
static struct simulated_end act(void *context, const struct schedule_action *action)
{
    const struct dry_run *run = context;
    const char *name = configuration_of(run, action)->name;
    for (size_t i = run->script.count; i-- > 0;)
        if (strcmp(run->script.data[i].configuration, name) == 0)
            return run->script.data[i].end;
    return (struct simulated_end){INT64_MAX, VERDICT_UNKNOWN, END_UNKNOWN};
}

static void print_time(int64_t now)
{
    say(stdout, "%12.3f s  ", (double)now / 1e9);
}

static void tell(void *context, int64_t now, const struct schedule_event *event,
                 const struct schedule_action *actions, size_t count)
{
    const struct dry_run *run = context;
    if (event->kind == SCHEDULE_ENDED) {
        print_time(now);
        say(stdout, "attempt %u ends: %s\n", event->attempt,
            event->verdict != VERDICT_UNKNOWN ? verdict_name(event->verdict)
                                              : end_reason_name(event->reason));
    }
    for (size_t i = 0; i < count; i++) {
        const struct schedule_action *a = &actions[i];
        print_time(now);
        if (a->kind == SCHEDULE_START) {
            say(stdout, "attempt %u begins: lane %u step %u, %s", a->attempt, a->lane, a->step,
                configuration_of(run, a)->name);
            if (a->deadline_ns != INT64_MAX)
                say(stdout, ", until %.3f s", (double)a->deadline_ns / 1e9);
            if (a->step_limit != 0)
                say(stdout, ", for %llu steps", (unsigned long long)a->step_limit);
            if (a->precision_of >= 0)
                say(stdout, ", with the precision of attempt %d", a->precision_of);
            putchar('\n');
        } else if (a->kind == SCHEDULE_EXTEND) {
            say(stdout, "attempt %u will finish: until %.3f s\n", a->attempt,
                (double)a->deadline_ns / 1e9);
        } else if (a->kind == SCHEDULE_STOP) {
            say(stdout, "attempt %u is asked to stop: %s\n", a->attempt,
                end_reason_name(a->reason));
        } else {
            say(stdout, "the run is over\n");
        }
    }
}

static int dry_run(const struct plan *plan)
{
    double seconds = 300;
    if (options.outcomes == NULL)
        return usage_error(&command_plan, "dry-run needs --outcomes");
    if (options.time != NULL &&
        (!text_parse_duration(options.time, &seconds) || seconds < 0 || seconds > 4e9))
        return usage_error(&command_plan, "--time=%s: expected a time such as 60s", options.time);
    unsigned cores = options.cores > 0 ? (unsigned)options.cores : 1;
    struct dry_run run = {.variant = plan_variant_for(plan, cores)};
    int code = EXIT_USAGE;
    if (read_script(&run)) {
        struct schedule *schedule = schedule_create(
            run.variant, cores, seconds > 0 ? (int64_t)(seconds * 1e9) : INT64_MAX, false, NULL);
        const struct simulation simulation = {
            .schedule = schedule,
            .script = act,
            .interrupt_ns = INT64_MAX,
            .tell = tell,
            .context = &run,
        };
        int64_t end = simulate(&simulation);
        code = 0;
        if (end < 0)
            say(stdout, "the run never ends\n");
        else
            say(stdout, "%s after %.3f s\n", verdict_name(schedule_verdict(schedule)),
                (double)end / 1e9);
        schedule_destroy(schedule);
    }
    for (size_t i = 0; i < run.script.count; i++)
        memory_free(run.script.data[i].configuration);
    VECTOR_FINISH(&run.script);
    return code;
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
    struct messages messages;
    messages_init(&messages);
    struct plan *plan = plan_load(arguments[1], &messages);
    messages_print(&messages, stderr);
    messages_finish(&messages);
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
