#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/output_file.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "base/say.h"
#include "base/signals.h"
#include "cli/command.h"
#include "cli/run_table.h"
#include "languages/registry/registry.h"
#include "languages/registry/task.h"
#include "languages/umlrt/property.h"
#include "results/verdict.h"
#include "runs/ask.h"

// The command `ask`: questions in CTL about capsules, raced.

static struct {
    struct run_options run;
    char *plan, *configuration, *base, *abstract, *aggregate, *order, *subsumption, *picture, *db;
    char *low, *high, *states;
    int queue, loops, limited, head, refine, format, trace, keep, quiet, verbose;
} given = {.queue = CAPSULE_QUEUE_BOUND, .loops = CAPSULE_LOOP_BOUND};

static struct poptOption table[] = {
    {"plan", 0, POPT_ARG_STRING, &given.plan, 0,
     "plan to race, by name or path (that of the language)", "NAME|PATH"},
    {"config", 0, POPT_ARG_STRING, &given.configuration, 0,
     "one configuration instead; each of the following makes one of its own", "CONFIG"},
    {"base", 0, POPT_ARG_STRING, &given.base, 0, "how values are explored (symbolic)",
     "symbolic|concrete"},
    {"low", 0, POPT_ARG_STRING, &given.low, 0, "concrete: the least number from outside (-1)", "N"},
    {"high", 0, POPT_ARG_STRING, &given.high, 0, "concrete: the greatest number from outside (1)",
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
    {"states", 0, POPT_ARG_STRING, &given.states, 0,
     "stop with `unknown` beyond so many (no limit)", "N"},
    {"keep-attributes", 0, POPT_ARG_NONE, &given.keep, 0,
     "keep attributes that reach neither the formula nor a guard or signal", NULL},
    {"refine", 0, POPT_ARG_NONE, &given.refine, 0,
     "put parts and locations back that a failed replay waits for, and ask again", NULL},
    // clang-format off
    RUN_OPTIONS(given.run)
    // clang-format on
    {"queue-bound", 0, POPT_ARG_INT, &given.queue, 0, "elements of a queue (8)", "N"},
    {"loop-bound", 0, POPT_ARG_INT, &given.loops, 0, "rounds of a loop of action code (16)", "N"},
    {"head-only", 0, POPT_ARG_NONE, &given.head, 0,
     "only a queue's first element is looked at, whoever it is for", NULL},
    {"trace", 0, POPT_ARG_NONE, &given.trace, 0, "print the run, step by step", NULL},
    {"plantuml", 0, POPT_ARG_STRING, &given.picture, 0, "write the run as a sequence diagram",
     "FILE"},
    {"db", 0, POPT_ARG_STRING, &given.db, 0, "keep the records in this SQLite file (nowhere)",
     "FILE"},
    {"format", 0, POPT_ARG_NONE, &given.format, 0, "print the model in the text form and stop",
     NULL},
    {"quiet", 'q', POPT_ARG_NONE, &given.quiet, 0, "no live view, notes or warnings", NULL},
    {"verbose", 'v', POPT_ARG_NONE, &given.verbose, 0, "say what each attempt found", NULL},
    POPT_TABLEEND};

// The configuration that the options for one make together; NULL = none was given.
static char *own_configuration(void)
{
    const struct {
        const char *name, *value;
    } TEXTS[] = {{"base", given.base},
                 {"subsumption", given.subsumption},
                 {"stateorder", given.order},
                 {"low", given.low},
                 {"high", given.high},
                 {"statelimit", given.states},
                 {"abstract", given.abstract},
                 {"aggregate", given.aggregate},
                 {"limited", given.limited ? "on" : NULL},
                 {"keepattributes", given.keep ? "on" : NULL}};
    bool some = given.refine != 0;
    struct text text = {0};
    text_add(&text, "engine=capsules");
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        if (TEXTS[i].value == NULL)
            continue;
        some = true;
        if (strcmp(TEXTS[i].value, "none") != 0)
            text_printf(&text, ",%s=\"%s\"", TEXTS[i].name, TEXTS[i].value);
    }
    if (given.refine == 0)
        text_add(&text, ",restore=off");
    if (some)
        return text_steal(&text);
    text_finish(&text);
    return NULL;
}

static struct plan *load_plan(const char *path)
{
    struct messages messages;
    messages_init(&messages);
    char *own = own_configuration();
    const char *configuration = own != NULL ? own : given.configuration;
    struct plan *plan = NULL;
    if ((own != NULL) + (given.configuration != NULL) + (given.plan != NULL) > 1)
        usage_error(&command_ask,
                    "--plan, --config and options for one configuration exclude one another");
    else
        plan =
            configuration != NULL
                ? plan_single(configuration, &messages)
                : plan_load(given.plan != NULL ? given.plan : task_standard_plan(path), &messages);
    if (plan == NULL || !given.quiet)
        messages_print(&messages, stderr);
    messages_finish(&messages);
    memory_free(own);
    return plan;
}

// The formula with the bounds that the options name.
static char *with_bounds(const char *formula)
{
    struct text text = {0};
    const char *separator = " with ";
    text_add(&text, formula);
    if (given.queue != CAPSULE_QUEUE_BOUND) {
        text_printf(&text, "%squeue %d", separator, given.queue);
        separator = ", ";
    }
    if (given.loops != CAPSULE_LOOP_BOUND) {
        text_printf(&text, "%sloops %d", separator, given.loops);
        separator = ", ";
    }
    if (given.head)
        text_printf(&text, "%shead", separator);
    return text_steal(&text);
}

static bool write_picture(const struct ask_answer *answer)
{
    if (given.picture == NULL || answer->picture.length == 0)
        return true;
    bool good = output_file_write_text(given.picture, &answer->picture);
    if (!good)
        say(stderr, "regatta ask: %s: cannot be written: %s\n", given.picture, strerror(errno));
    return good;
}

static int code_of(const struct ask_answer *answer)
{
    ENSURE(!answer->contradiction || answer->truth == ASK_UNKNOWN);
    return answer->signal != 0          ? signals_exit_code(answer->signal)
           : answer->contradiction      ? EXIT_CONTRADICTION
           : answer->truth == ASK_TRUE  ? EXIT_SAFE
           : answer->truth == ASK_FALSE ? EXIT_UNSAFE
                                        : EXIT_UNKNOWN;
}

// Of several questions: the graver of two codes is told; where none went wrong, that of the first.
static int graver(int first, int second)
{
    static const int GRAVE[] = {EXIT_CONTRADICTION, EXIT_INTERNAL, EXIT_USAGE, EXIT_UNKNOWN};
    if (first > 128 || second > 128) // ended by a signal
        return first > second ? first : second;
    for (size_t i = 0; i < sizeof GRAVE / sizeof GRAVE[0]; i++)
        if (first == GRAVE[i] || second == GRAVE[i])
            return GRAVE[i];
    return first;
}

// Whether threads of some question still run: nothing of theirs may be freed.
static bool was_left;

static int ask_one(const struct task *whole, const char *property, const struct plan *plan,
                   const struct run_settings *settings, struct store *store)
{
    struct messages messages;
    struct ask_answer answer;
    struct live live;
    struct ask_request request = {whole, property, plan, settings, store, given.verbose != 0};
    messages_init(&messages);
    live_init(&live, given.quiet, given.verbose);
    live_begin(&live);
    bool good = ask_run(&request, &answer, &live, &messages);
    live_end(&live);
    live_finish(&live);
    int code = messages.errors == 0 && messages.unsupported > 0 ? EXIT_UNKNOWN : EXIT_USAGE;
    if (good) {
        say(stdout, "%s\n%s%s", text_string(&answer.line), text_string(&answer.details),
            given.trace ? text_string(&answer.run) : "");
        fflush(stdout);
        code = write_picture(&answer) ? code_of(&answer) : EXIT_INTERNAL;
    }
    was_left |= answer.left;
    messages_print(&messages, stderr);
    messages_finish(&messages);
    ask_finish(&answer);
    return code;
}

// Each of the questions of an argument: a formula, or a file of them.
static int ask_each(struct task *whole, const char *argument, const struct plan *plan,
                    struct run_settings *settings, struct store *store)
{
    struct messages messages;
    struct language_questions questions = {0};
    messages_init(&messages);
    char *property = with_bounds(argument);
    bool good = language_ask(whole->model_path, property, PROPERTY_AT_ALL, &whole->source,
                             &questions, &messages);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    int code = good ? EXIT_SAFE : EXIT_USAGE;
    for (size_t i = 0; good && i < (questions.count > 0 ? questions.count : 1); i++) {
        run_settings_start(settings);
        int own = ask_one(whole, questions.count > 0 ? questions.data[i].property : property, plan,
                          settings, store);
        code = i == 0 ? own : graver(code, own);
    }
    language_questions_finish(&questions);
    memory_free(property);
    return code;
}

static int ask_all(const char *const *arguments, size_t count, const struct plan *plan,
                   struct run_settings *settings, struct store *store)
{
    assert(count > 1); // without a question the model is printed
    struct task whole;
    struct messages messages;
    messages_init(&messages);
    bool good = task_open(&whole, arguments[0], arguments[1], PROPERTY_AT_ALL, &messages);
    messages_print(&messages, stderr);
    messages_finish(&messages);
    int code = good ? EXIT_SAFE : EXIT_USAGE;
    for (size_t i = 1; good && i < count; i++) {
        int own = ask_each(&whole, arguments[i], plan, settings, store);
        code = i == 1 ? own : graver(code, own);
    }
    if (!was_left) // else its threads may still look at what was parsed
        task_finish(&whole);
    return code;
}

static int print_model(const char *path)
{
    struct messages messages;
    struct text out = {0};
    messages_init(&messages);
    bool good = ask_print_model(path, (unsigned)given.loops, &out, &messages);
    say_data(stdout, text_string(&out), out.length);
    messages_print(&messages, stderr);
    int code = good                                               ? EXIT_SAFE
               : messages.errors == 0 && messages.unsupported > 0 ? EXIT_UNKNOWN
                                                                  : EXIT_USAGE;
    messages_finish(&messages);
    text_finish(&out);
    return code;
}

static int run(const char *const *arguments, size_t count)
{
    if (count < 1)
        return usage_error(&command_ask, "expected a model and formulas");
    if (given.queue < 1 || given.loops < 0)
        return usage_error(&command_ask, "--queue-bound, --loop-bound: expected 1, 0 or more");
    if (count == 1 || given.format)
        return print_model(arguments[0]);
    struct run_settings settings;
    if (!run_table_read(&command_ask, &given.run, given.quiet, &settings))
        return EXIT_USAGE;
    settings.stay = true;
    struct plan *plan = load_plan(arguments[0]);
    struct store *store = NULL;
    struct text why = {0};
    if (plan != NULL && given.db != NULL && (store = store_open(given.db, true, &why)) == NULL)
        say(stderr, "regatta ask: %s\n", text_string(&why));
    int code = EXIT_USAGE;
    if (plan != NULL && (given.db == NULL || store != NULL))
        code = ask_all(arguments, count, plan, &settings, store);
    text_finish(&why);
    store_close(store);
    if (was_left)
        signals_leave(code);
    plan_destroy(plan);
    run_settings_finish(&settings);
    return code;
}

const struct command command_ask = {
    .name = "ask",
    .arguments = "MODEL FORMULA…",
    .summary = "ask CTL questions of a model of communicating capsules",
    .description =
        "Races configurations on CTL formulas over capsules (a .cffsm text,\n"
        "docs/umlrt.md, or a .uml file of Papyrus-RT), until one has an answer. Says\n"
        "what each answer is worth; a run that shows it is replayed on the concrete\n"
        "semantics. A formula may also be a file of questions. Without one the model is\n"
        "printed in the text form.\n",
    .options = table,
    .run = run,
};
