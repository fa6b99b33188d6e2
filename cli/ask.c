#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/say.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/reading.h"
#include "engines/capsules/configure.h"
#include "languages/umlrt/load.h"
#include "languages/umlrt/question.h"
#include "results/verdict.h"
#include "runs/settings.h"

// The command `ask`: one configuration of the kernel of capsules, questions in CTL.

static struct {
    char *base, *abstract, *aggregate, *order, *subsumption, *picture, *time, *memory;
    long long low, high, seed, states;
    int queue, loops, limited, head, refine, format, trace, keep;
} given = {.low = -1, .high = 1, .queue = 8, .loops = 16, .states = 1000000};

static struct poptOption table[] = {
    {"base", 0, POPT_ARG_STRING, &given.base, 0, "how values are explored (symbolic)",
     "symbolic|concrete"},
    {"low", 0, POPT_ARG_LONGLONG, &given.low, 0, "concrete: the least number from outside (-1)",
     "N"},
    {"high", 0, POPT_ARG_LONGLONG, &given.high, 0, "concrete: the greatest number from outside (1)",
     "N"},
    {"abstract", 0, POPT_ARG_STRING, &given.abstract, 0, "parts that are left out (none)",
     "none|auto|extract(PART)|LIST"},
    {"aggregate", 0, POPT_ARG_STRING, &given.aggregate, 0, "locations that become one (none)",
     "none|composite|LIST"},
    {"limited", 0, POPT_ARG_NONE, &given.limited, 0,
     "explore only the formula's parts and what they wait for", NULL},
    {"subsumption", 0, POPT_ARG_STRING, &given.subsumption, 0,
     "which symbolic states are one (equal)", "equal|weak"},
    {"order", 0, POPT_ARG_STRING, &given.order, 0, "which state comes next (bfs)",
     "bfs|dfs|random"},
    {"seed", 0, POPT_ARG_LONGLONG, &given.seed, 0, "of the random order (0)", "N"},
    {"states", 0, POPT_ARG_LONGLONG, &given.states, 0,
     "stop with `unknown` beyond so many (1000000)", "N"},
    {"queue-bound", 0, POPT_ARG_INT, &given.queue, 0, "elements of a queue (8)", "N"},
    {"loop-bound", 0, POPT_ARG_INT, &given.loops, 0, "rounds of a loop of action code (16)", "N"},
    {"head-only", 0, POPT_ARG_NONE, &given.head, 0,
     "only a queue's first element is looked at, whoever it is for", NULL},
    {"keep-attributes", 0, POPT_ARG_NONE, &given.keep, 0,
     "keep attributes that reach neither the formula nor a guard or signal", NULL},
    {"refine", 0, POPT_ARG_NONE, &given.refine, 0,
     "put parts and locations back that a failed replay waits for, and ask again", NULL},
    {"trace", 0, POPT_ARG_NONE, &given.trace, 0, "print the run, step by step", NULL},
    {"plantuml", 0, POPT_ARG_STRING, &given.picture, 0, "write the run as a sequence diagram",
     "FILE"},
    {"time", 't', POPT_ARG_STRING, &given.time, 0,
     "wall time for all formulas: 500ms, 60s, 5m; 0 = no limit (" DEFAULT_TIME ")", "TIME"},
    MEMORY_OPTION(given.memory){"format", 0, POPT_ARG_NONE, &given.format, 0,
                                "print the model in the text form and stop", NULL},
    POPT_TABLEEND};

static bool set_options(struct capsule_ask *ask)
{
    const char *base = given.base != NULL ? given.base : "symbolic";
    const char *order = given.order != NULL ? given.order : "bfs";
    const char *subsumption = given.subsumption != NULL ? given.subsumption : "equal";
    bool known =
        (strcmp(base, "symbolic") == 0 || strcmp(base, "concrete") == 0) &&
        (strcmp(order, "bfs") == 0 || strcmp(order, "dfs") == 0 || strcmp(order, "random") == 0) &&
        (strcmp(subsumption, "equal") == 0 || strcmp(subsumption, "weak") == 0);
    if (!known || given.queue < 1 || given.low > given.high || given.states < 0 ||
        given.states > UINT32_MAX - 1)
        return false;
    ask->options = (struct capsule_options){
        .symbolic = strcmp(base, "symbolic") == 0,
        .low = given.low,
        .high = given.high,
        .queue_bound = (uint32_t)given.queue,
        .head_only = given.head != 0,
        .limited = given.limited != 0,
        .keep_attributes = given.keep != 0,
        .seed = (uint64_t)given.seed,
        .subsumption = strcmp(subsumption, "weak") == 0 ? SUBSUME_WEAK : SUBSUME_EQUAL};
    ask->limits = (struct ctl_limits){.order = strcmp(order, "bfs") == 0   ? CTL_BREADTH_FIRST
                                               : strcmp(order, "dfs") == 0 ? CTL_DEPTH_FIRST
                                                                           : CTL_RANDOM,
                                      .seed = (uint64_t)given.seed,
                                      .states = (uint32_t)given.states};
    return true;
}

static void print_answer(const struct capsules *model, const struct capsule_ask *ask,
                         const struct capsule_answer *answer,
                         const struct capsule_refinement *refinement, double seconds)
{
    static const char *const WORDS[] = {"unknown", "true", "false"};
    say(stdout, "%s: %s", ask->question->text, WORDS[answer->truth]);
    if (answer->replayed)
        say(stdout, " (replayed, %zu steps%s)", answer->run.steps.count,
            answer->run.loop != SIZE_MAX ? " with a loop" : "");
    else if (answer->truth != CTL_UNKNOWN)
        say(stdout, " (%s)", capsule_worth_name(answer->worth));
    if (answer->truth == CTL_UNKNOWN && answer->why != NULL)
        say(stdout, " (%s)", answer->why);
    if (answer->truth == CTL_UNKNOWN && answer->claim != CTL_UNKNOWN)
        say(stdout, " (claimed %s, worth: %s)", WORDS[answer->claim],
            capsule_worth_name(answer->worth));
    if (answer->end == CTL_LIMIT && answer->truth == CTL_UNKNOWN)
        say(stdout, " (with > %u states)", answer->statistics.known);
    say(stdout, "\n");
    if (refinement->rounds > 0)
        say(stdout, "  rounds %u, parts restored %u, groups split %u\n", refinement->rounds,
            refinement->restored_parts, refinement->split_groups);
    say(stdout,
        "  states %u expanded %u tree %llu lost %llu drops %llu checks %llu condition %u "
        "pulls %u bytes %zu seconds %.3f\n",
        answer->statistics.known, answer->statistics.expanded,
        (unsigned long long)answer->statistics.edges + 1, (unsigned long long)answer->counts.lost,
        (unsigned long long)answer->counts.drops, (unsigned long long)answer->counts.solver_checks,
        answer->counts.longest_condition, answer->counts.deepest_pull, answer->bytes, seconds);
    if (given.trace && answer->has_run) {
        struct text out = {0};
        capsule_run_print(model, &answer->run, &out);
        say(stdout, "%s", text_string(&out));
        text_finish(&out);
    }
}

static bool write_picture(const struct capsules *model, const struct capsule_answer *answer)
{
    if (given.picture == NULL || !answer->has_run)
        return true;
    FILE *file = fopen(given.picture, "w");
    if (file == NULL) {
        say(stderr, "regatta ask: %s: cannot be written: %s\n", given.picture, strerror(errno));
        return false;
    }
    struct text out = {0};
    capsule_run_plantuml(model, &answer->run, &out);
    fputs(text_string(&out), file);
    text_finish(&out);
    return fclose(file) == 0;
}

static int ask_one(struct capsules *model, const char *text, struct messages *messages)
{
    struct capsule_question question;
    if (!capsule_question_read(model, NULL, text, &question, messages))
        return EXIT_USAGE;
    struct capsule_ask ask = {.model = model, .question = &question};
    struct capsule_setting setting;
    int code = EXIT_USAGE;
    if (set_options(&ask) &&
        capsule_setting_make(&ask, given.abstract, given.aggregate, &setting, messages)) {
        struct capsule_answer answer;
        struct capsule_refinement refinement = {0};
        int64_t begin = clock_wall_ns();
        if (given.refine)
            capsule_ask_refining(&ask, setting.abstracted,
                                 ask.options.groups != NULL ? &setting.groups : NULL, &answer,
                                 &refinement);
        else
            capsule_ask(&ask, &answer);
        print_answer(model, &ask, &answer, &refinement, (double)(clock_wall_ns() - begin) / 1e9);
        bool written = write_picture(model, &answer);
        code = !written                    ? EXIT_INTERNAL
               : answer.truth == CTL_TRUE  ? 0
               : answer.truth == CTL_FALSE ? EXIT_UNSAFE
                                           : EXIT_UNKNOWN;
        capsule_answer_finish(&answer);
    }
    capsule_setting_finish(&setting);
    capsule_question_finish(&question);
    return code;
}

struct asking {
    const char *const *arguments;
    size_t count;
    size_t asked; // formulas that have their answer, and the one that is being asked
    struct messages messages;
    int code;
};

// Reads the model and asks; under a budget.
static void ask_all(void *context)
{
    struct asking *a = context;
    struct capsules *model = capsules_load(a->arguments[0], (unsigned)given.loops, &a->messages);
    if (model != NULL && (given.format || a->count == 1)) {
        struct text out = {0};
        capsules_print(model, &out);
        say(stdout, "%s", text_string(&out));
        text_finish(&out);
        a->code = 0;
    }
    for (size_t i = 1; model != NULL && !given.format && i < a->count; i++) {
        a->asked = i;
        int own = ask_one(model, a->arguments[i], &a->messages);
        if (i == 1 || own == EXIT_USAGE || own == EXIT_UNKNOWN)
            a->code = own;
    }
    capsules_destroy(model);
}

// Nothing can be freed: what was going on stands as it was left.
static _Noreturn void leave_unanswered(const struct asking *a, enum budget_end end)
{
    static const char *const why[] = {[BUDGET_STOPPED] = "interrupted",
                                      [BUDGET_TIME] = "the time is over",
                                      [BUDGET_MEMORY] = "the memory is used up"};
    if (a->count == 1)
        say(stderr, "regatta ask: %s: not read: %s\n", a->arguments[0], why[end]);
    for (size_t i = a->asked > 0 ? a->asked : 1; i < a->count; i++)
        say(stdout, "%s: unknown (%s)\n", a->arguments[i], why[end]);
    messages_print(&a->messages, stderr);
    signals_leave(budget_exit_code(end));
}

static int run(const char *const *arguments, size_t count)
{
    if (count < 1)
        return usage_error(&command_ask, "expected a model and formulas");
    struct capsule_ask probe = {0};
    if (!set_options(&probe))
        return usage_error(&command_ask, "an option has no such value");
    double seconds;
    const char *time = given.time != NULL ? given.time : DEFAULT_TIME;
    if (!text_parse_duration(time, &seconds) || seconds < 0)
        return usage_error(&command_ask, "--time=%s: expected a time such as 500ms, 60s or 5m",
                           time);
    struct budget budget;
    if (!reading_budget(&command_ask, given.memory, seconds, &budget))
        return EXIT_USAGE;
    struct asking asking = {.arguments = arguments, .count = count, .code = EXIT_USAGE};
    messages_init(&asking.messages);
    enum budget_end end = budget_run(&budget, ask_all, &asking);
    if (end != BUDGET_DONE)
        leave_unanswered(&asking, end);
    messages_print(&asking.messages, stderr);
    messages_finish(&asking.messages);
    return asking.code;
}

const struct command command_ask = {
    .name = "ask",
    .arguments = "MODEL FORMULA…",
    .summary = "ask CTL questions of a model of communicating capsules",
    .description =
        "Explores the states of capsules (a .cffsm text, docs/umlrt.md, or a .uml file of\n"
        "Papyrus-RT), with one configuration of the kernel, until the formulas are\n"
        "answered. Says what each answer is worth; a run that shows it is replayed on the\n"
        "concrete semantics. Without a formula the model is printed in the text form.\n",
    .options = table,
    .run = run,
};
