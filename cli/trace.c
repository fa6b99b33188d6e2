#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/say.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/reading.h"
#include "results/verdict.h"
#include "runs/settings.h"
#include "tracegen/capsules/capsule_tracing.h"
#include "tracegen/charts/chart_cover.h"
#include "tracegen/charts/chart_tracing.h"
#include "tracegen/suite_conclude.h"
#include "tracegen/trace_diff.h"
#include "tracegen/trace_input.h"
#include "tracegen/trace_job.h"

static struct {
    char *property, *variables, *predicates, *output, *format, *time, *memory, *complete, *minimal,
        *cover;
    char *nodes, *traces, *values, *refine, *loss;
    int keep_dead_ends, quiet;
} options;

static struct poptOption table[] = {
    {"property", 'p', POPT_ARG_STRING, &options.property, 0,
     "only where it says what the model is (STS: name; CFA: error location)", "P"},
    {"variables", 0, POPT_ARG_STRING, &options.variables, 0,
     "what the abstraction tracks, besides control variables and output events (all)", "v1,v2,…"},
    {"predicates", 0, POPT_ARG_STRING, &options.predicates, 0,
     "track these too: SMT-LIB terms one after another", "TERMS"},
    {"output", 'o', POPT_ARG_STRING, &options.output, 0,
     "folder for the files, new or empty (none: only the summary is printed)", "DIR"},
    {"format", 0, POPT_ARG_STRING, &options.format, 0,
     "files of a trace: readable, sexpr, json, sequence, states, dot (readable)", "FORM,…"},
    {"time", 't', POPT_ARG_STRING, &options.time, 0,
     "wall time: 500ms, 60s, 5m; 0 = no limit (" DEFAULT_TIME ")", "TIME"},
    MEMORY_OPTION(options.memory){"nodes", 0, POPT_ARG_STRING, &options.nodes, 0,
                                  "limit of nodes; 0 = none (100000)", "N"},
    {"traces", 0, POPT_ARG_STRING, &options.traces, 0, "limit of traces; 0 = none (10000)", "N"},
    {"values", 0, POPT_ARG_STRING, &options.values, 0,
     "successors of a step that are told apart (256)", "N"},
    {"complete", 0, POPT_ARG_STRING, &options.complete, 0,
     "more traces for: states, edges, transitions, decisions, pairs, def-use, all", "WHAT,…"},
    {"minimal", 0, POPT_ARG_STRING, &options.minimal, 0,
     "keep few traces that cover as much: greedy, or exact = fewest", "greedy|exact"},
    {"cover", 0, POPT_ARG_STRING, &options.cover, 0, "what --minimal keeps covered (edges)",
     "WHAT"},
    {"loss", 0, POPT_ARG_STRING, &options.loss, 0, "percent of it that --minimal may give up (0)",
     "N"},
    {"refine", 0, POPT_ARG_STRING, &options.refine, 0,
     "when coverage is lost, track one more variable and try again, so often (0)", "N"},
    {"keep-dead-ends", 0, POPT_ARG_NONE, &options.keep_dead_ends, 0,
     "XSTS: keep runs on which nothing reacts", NULL},
    {"quiet", 'q', POPT_ARG_NONE, &options.quiet, 0, "no notes or warnings", NULL},
    POPT_TABLEEND,
};

struct numbers {
    uint64_t nodes, traces, values, refine, loss;
    double seconds;
    unsigned complete, forms;
    enum criterion cover;
};

static bool read_number(const char *name, const char *text, uint64_t standard, uint64_t most,
                        uint64_t *out)
{
    *out = standard;
    if (text == NULL)
        return true;
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || value > most) {
        usage_error(&command_trace, "--%s=%s: expected a whole number up to %llu", name, text,
                    (unsigned long long)most);
        return false;
    }
    *out = value;
    return true;
}

static bool read_words(struct numbers *n)
{
    n->forms = trace_files_forms(options.format != NULL ? options.format : "readable");
    if (n->forms == 0) {
        usage_error(&command_trace,
                    "--format=%s: expected some of readable, sexpr, json, sequence, states, dot",
                    options.format);
        return false;
    }
    const char *complete = options.complete,
               *cover = options.cover != NULL ? options.cover : "edges";
    n->complete = complete != NULL ? trace_read_criteria(complete) : 0;
    if (complete != NULL && n->complete == 0) {
        usage_error(&command_trace,
                    "--complete=%s: expected all, or some of states, edges, "
                    "transitions, decisions, pairs, def-use",
                    complete);
        return false;
    }
    unsigned bits = trace_read_criteria(cover);
    if (bits == 0 || (bits & (bits - 1)) != 0) {
        usage_error(&command_trace,
                    "--cover=%s: expected one of states, edges, transitions, "
                    "decisions, pairs, def-use",
                    cover);
        return false;
    }
    while (bits >> n->cover != 1)
        n->cover++;
    assert(n->cover < CRITERION_COUNT && n->forms != 0);
    const char *minimal = options.minimal;
    if (minimal != NULL && strcmp(minimal, "greedy") != 0 && strcmp(minimal, "exact") != 0) {
        usage_error(&command_trace, "--minimal=%s: expected greedy or exact", minimal);
        return false;
    }
    if (minimal == NULL && (options.loss != NULL || options.cover != NULL)) {
        usage_error(&command_trace, "--cover and --loss are for --minimal");
        return false;
    }
    return true;
}

static bool read_numbers(struct numbers *n)
{
    const char *time = options.time != NULL ? options.time : DEFAULT_TIME;
    *n = (struct numbers){0};
    if (!text_parse_duration(time, &n->seconds) || n->seconds < 0) {
        usage_error(&command_trace, "--time=%s: expected a time such as 500ms, 60s or 5m", time);
        return false;
    }
    if (options.refine != NULL && options.variables == NULL) {
        usage_error(&command_trace, "--refine is for --variables: all are tracked already");
        return false;
    }
    return read_number("nodes", options.nodes, 100000, UINT32_MAX / 2, &n->nodes) &&
           read_number("traces", options.traces, 10000, UINT32_MAX / 2, &n->traces) &&
           read_number("values", options.values, 256, 1000000, &n->values) &&
           read_number("refine", options.refine, 0, 1000, &n->refine) &&
           read_number("loss", options.loss, 0, 100, &n->loss) && read_words(n);
}

static int exit_code(const struct suite *suite, const struct trace_files *files, bool written,
                     bool covered)
{
    int signal = atomic_load(signals_flag());
    if (suite->internal_error != NULL) {
        say(stderr, "regatta trace: internal error: a trace does not replay: %s\n",
            suite->internal_error);
        return EXIT_INTERNAL;
    }
    if (!written) {
        say(stderr, "regatta trace: %s\n", text_string(&files->failure));
        return EXIT_INTERNAL;
    }
    if (signal != 0)
        return signals_exit_code(signal);
    return covered && suite->trace_end == END_NONE ? 0 : EXIT_UNKNOWN;
}

static void tell_tracked(const char *name)
{
    say(stderr, "regatta trace: note: tracks %s too and tries again\n", name);
}

static struct tracegen_request limits(const struct numbers *numbers)
{
    return (struct tracegen_request){
        .value_limit = numbers->values,
        .node_limit = numbers->nodes,
        .trace_limit = numbers->traces,
        .keep_dead_ends = options.keep_dead_ends != 0,
        .complete = numbers->complete,
    };
}

// The words of the command line that need the model. False with a message.
static bool read_tracked(const struct model *model, struct term_store *store,
                         struct variable_list *variables, struct term_vector *predicates)
{
    struct text why;
    text_init(&why);
    const char *wrong = NULL;
    if (options.variables != NULL &&
        !trace_read_variables(model, options.variables, variables, &why))
        wrong = "variables";
    else if (options.predicates != NULL &&
             !trace_read_predicates(model, store, options.predicates, predicates, &why))
        wrong = "predicates";
    if (wrong != NULL)
        say(stderr, "regatta trace: --%s: %s\n", wrong, text_string(&why));
    text_finish(&why);
    return wrong == NULL;
}

static int make(const struct model *model, const char *path, const struct numbers *numbers,
                struct trace_files *files)
{
    if ((numbers->forms & TRACE_FILE_DOT) && model->dialect->print_dot == NULL)
        return usage_error(&command_trace, "--format=dot: only runs of nets are drawn");
    struct term_store *store = term_store_create(model->store);
    struct variable_list variables = {0};
    struct term_vector predicates = {0};
    struct trace_job job;
    int code = EXIT_USAGE;
    if (!read_tracked(model, store, &variables, &predicates)) {
        code = EXIT_USAGE;
    } else if (!trace_job_start(&job, numbers->seconds, options.minimal == NULL ? files : NULL)) {
        say(stderr, "regatta trace: the system refused a thread\n");
        code = EXIT_INTERNAL;
    } else {
        struct tracegen_request request = limits(numbers);
        request.model = model;
        request.store = store;
        request.all_variables = options.variables == NULL && options.predicates == NULL;
        request.predicates = predicates.data;
        request.predicate_count = predicates.count;
        struct suite *suite = trace_job_refine(&job, &request, &variables, numbers->refine,
                                               options.quiet ? NULL : tell_tracked);
        trace_job_end(&job);
        bool covered;
        const struct suite_conclusion how = {
            .model = path,
            .minimal = options.minimal != NULL,
            .selection = {numbers->cover, numbers->loss,
                          options.minimal != NULL && strcmp(options.minimal, "exact") == 0},
        };
        bool written = suite_conclude(suite, &how, stdout, job.failed ? NULL : files, &covered);
        code = exit_code(suite, files, written && !job.failed, covered);
        suite_destroy(suite);
    }
    VECTOR_FINISH(&variables);
    VECTOR_FINISH(&predicates);
    term_store_destroy(store);
    return code;
}

static int run_diff(const char *const *models, const struct numbers *numbers,
                    const struct budget *budget)
{
    if (options.predicates != NULL || options.minimal != NULL || options.refine != NULL)
        return usage_error(&command_trace, "diff compares values: --predicates, --minimal and "
                                           "--refine are not for it");
    struct tracegen_request request = limits(numbers);
    struct trace_diff_options diff = {
        .paths = {models[0], models[1]},
        .property = options.property,
        .variables = options.variables,
        .limits = &request,
        .budget = budget,
        .seconds = numbers->seconds,
        .output = options.output,
        .forms = numbers->forms,
        .quiet = options.quiet != 0,
    };
    return trace_diff(&diff);
}

// ---- statecharts -------------------------------------------------------------------------------

// In a language's own words other things are covered, and options for models mean nothing. False after a message.
static bool only_own_words(const char *language)
{
    static const struct {
        char **given;
        const char *name;
    } OTHERS[] = {{&options.variables, "variables"}, {&options.predicates, "predicates"},
                  {&options.minimal, "minimal"},     {&options.cover, "cover"},
                  {&options.loss, "loss"},           {&options.values, "values"},
                  {&options.traces, "traces"},       {&options.refine, "refine"}};
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        if (*OTHERS[i].given != NULL) {
            usage_error(&command_trace, "--%s: not supported for %s", OTHERS[i].name, language);
            return false;
        }
    }
    return true;
}

static bool only_own_forms(const struct numbers *numbers, const char *language)
{
    if ((numbers->forms & ~(unsigned)(TRACE_FILE_READABLE | TRACE_FILE_SEQUENCE)) == 0)
        return true;
    usage_error(&command_trace, "--format=%s: of %s expected readable, sequence or both",
                options.format, language);
    return false;
}

// In a chart's words there are states, transitions and pairs of them; other options are for models. 0 after a message.
static unsigned covers_of_chart(const struct numbers *numbers)
{
    if (!only_own_words("statecharts"))
        return 0;
    const unsigned known = 1u << COVER_STATES | 1u << COVER_TRANSITIONS | 1u << COVER_PAIRS;
    if (options.complete != NULL && strcmp(options.complete, "all") != 0 &&
        (numbers->complete & ~known) != 0) {
        usage_error(&command_trace,
                    "--complete=%s: of statecharts expected all, or some of states, transitions, "
                    "pairs",
                    options.complete);
        return 0;
    }
    if (!only_own_forms(numbers, "statecharts"))
        return 0;
    unsigned asked =
        options.complete != NULL ? numbers->complete : 1u << COVER_STATES | 1u << COVER_TRANSITIONS;
    assert((asked & known) != 0);
    return ((asked >> COVER_STATES & 1) != 0 ? CHART_COVER_STATES : 0) |
           ((asked >> COVER_TRANSITIONS & 1) != 0 ? CHART_COVER_TRANSITIONS : 0) |
           ((asked >> COVER_PAIRS & 1) != 0 ? CHART_COVER_PAIRS : 0);
}

static struct chart_tracing chart_tracing(const struct model *model, const char *path,
                                          const struct numbers *numbers, unsigned what)
{
    assert(chart_of_model(model) != NULL && what != 0);
    return (struct chart_tracing){
        .name = path,
        .chart = chart_of_model(model),
        .what = what,
        .limits = {.nodes = numbers->nodes,
                   .edges = 20 * numbers->nodes,
                   .seconds = numbers->seconds / 2,
                   .stop = signals_flag()},
        .forms = numbers->forms,
    };
}

// Of covering runs: what went wrong is said, and released.
static int end_runs(bool good, bool complete, struct text *why)
{
    if (!good)
        say(stderr, "regatta trace: %s\n", text_string(why));
    text_finish(why);
    int signal = atomic_load(signals_flag());
    return !good         ? EXIT_INTERNAL
           : signal != 0 ? signals_exit_code(signal)
           : complete    ? 0
                         : EXIT_UNKNOWN;
}

static int trace_chart(const struct model *model, const char *path, const struct numbers *numbers)
{
    unsigned what = covers_of_chart(numbers);
    if (what == 0)
        return EXIT_USAGE;
    if (options.output != NULL && !trace_files_make_folder(options.output))
        return EXIT_USAGE;
    struct chart_tracing tracing = chart_tracing(model, path, numbers, what);
    tracing.folder = options.output;
    struct text why;
    text_init(&why);
    bool complete;
    bool good = chart_tracing_run(&tracing, &complete, &why);
    return end_runs(good, complete, &why);
}

// ---- capsules ----------------------------------------------------------------------------------

// Locations and transitions. 0 after a message.
static unsigned covers_of_capsules(const struct numbers *numbers)
{
    if (!only_own_words("capsules") || !only_own_forms(numbers, "capsules"))
        return 0;
    const unsigned known = 1u << COVER_STATES | 1u << COVER_TRANSITIONS;
    bool all = options.complete == NULL || strcmp(options.complete, "all") == 0;
    if (!all && (numbers->complete & ~known) != 0) {
        usage_error(&command_trace,
                    "--complete=%s: of capsules expected all, or some of states, transitions",
                    options.complete);
        return 0;
    }
    unsigned asked = all ? known : numbers->complete;
    assert((asked & known) != 0);
    return ((asked >> COVER_STATES & 1) != 0 ? CAPSULE_COVER_LOCATIONS : 0) |
           ((asked >> COVER_TRANSITIONS & 1) != 0 ? CAPSULE_COVER_TRANSITIONS : 0);
}

static int trace_capsules(const struct capsules_view *view, const char *path,
                          const struct numbers *numbers)
{
    unsigned what = covers_of_capsules(numbers);
    if (what == 0 || (options.output != NULL && !trace_files_make_folder(options.output)))
        return EXIT_USAGE;
    struct capsule_tracing tracing = {
        .name = path,
        .view = view,
        .what = what,
        .limits = {.states = numbers->nodes,
                   .seconds = numbers->seconds / 2,
                   .stop = signals_flag()},
        .folder = options.output,
        .forms = numbers->forms,
    };
    struct text why = {0};
    bool complete;
    bool good = capsule_tracing_run(&tracing, &complete, &why);
    return end_runs(good, complete, &why);
}

static bool is_chart(const char *path)
{
    static const char *const ENDINGS[] = {".scxml", ".gcd", ".gpd", ".gsm"};
    for (size_t i = 0; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++)
        if (text_ends_with(path, ENDINGS[i]))
            return true;
    return false;
}

static bool load_chart(struct task *task, const char *path, const struct budget *budget)
{
    bool read;
    enum budget_end end = trace_load(task, path, options.property, budget, options.quiet, &read);
    if (end != BUDGET_DONE)
        signals_leave(budget_exit_code(end));
    return read;
}

// Two versions of a chart.
static int compare_charts(const char *const *paths, const struct numbers *numbers,
                          const struct budget *budget)
{
    unsigned what = covers_of_chart(numbers);
    struct task tasks[2] = {{0}, {0}};
    int code = EXIT_USAGE;
    if (what == 0)
        return code;
    if (options.output != NULL)
        return usage_error(&command_trace, "--output: not supported when charts are compared");
    if (load_chart(&tasks[0], paths[0], budget) && load_chart(&tasks[1], paths[1], budget)) {
        struct chart_tracing one = chart_tracing(tasks[0].model, paths[0], numbers, what),
                             two = chart_tracing(tasks[1].model, paths[1], numbers, what);
        code = chart_tracing_compare(&one, &two) == 0 ? 0 : EXIT_DIFFERENT;
    }
    task_finish(&tasks[0]);
    task_finish(&tasks[1]);
    return code;
}

static int run(const char *const *arguments, size_t count)
{
    struct numbers numbers;
    struct trace_files files;
    struct task task = {0};
    int code = EXIT_USAGE;
    bool diff = count > 0 && strcmp(arguments[0], "diff") == 0;
    if (diff && count != 3)
        return usage_error(&command_trace, "expected two models to compare, got %zu", count - 1);
    if (!diff && count != 1)
        return usage_error(&command_trace, "expected one model or task, got %zu", count);
    struct budget budget;
    if (!read_numbers(&numbers) ||
        !reading_budget(&command_trace, options.memory, numbers.seconds, &budget))
        return EXIT_USAGE;
    if (diff && is_chart(arguments[1]) && is_chart(arguments[2]))
        return compare_charts(arguments + 1, &numbers, &budget);
    if (diff)
        return run_diff(arguments + 1, &numbers, &budget);
    bool read;
    enum budget_end end =
        trace_load(&task, arguments[0], options.property, &budget, options.quiet, &read);
    if (end != BUDGET_DONE)
        signals_leave(budget_exit_code(end));
    if (read)
        numbers.seconds = budget_rest(&budget, numbers.seconds);
    if (read && chart_of_model(task.model) != NULL) {
        code = trace_chart(task.model, arguments[0], &numbers);
    } else if (read && capsules_view_of(task.model) != NULL) {
        code = trace_capsules(capsules_view_of(task.model), arguments[0], &numbers);
    } else if (read) {
        bool good =
            options.output == NULL || trace_files_open(&files, options.output, numbers.forms);
        if (good)
            code = make(task.model, arguments[0], &numbers, options.output != NULL ? &files : NULL);
        else
            say(stderr, "regatta trace: %s\n", text_string(&files.failure));
        if (options.output != NULL)
            trace_files_close(&files);
    }
    task_finish(&task);
    return code;
}

const struct command command_trace = {
    .name = "trace",
    .arguments = "MODEL | TASK.yml | diff MODEL1 MODEL2",
    .summary = "write a small set of runs that together show what a model does",
    .description =
        "Explores the states of a model as a whole, for all its variables or only for\n"
        "those given, and writes a concrete run to each end. Runs that the abstraction\n"
        "invents are shortened or dropped; the summary says which states no run\n"
        "visits then. Every run was replayed on the model. With -o: a file for each\n"
        "run, suite.txt, suite.json, and index.html, where a click on a trace lights its\n"
        "path in the graph. A limit, or a signal, ends the exploration; traces of what\n"
        "was explored are still made, and a second signal ends that too.\n"
        "\n"
        "  regatta trace model.xsts --variables mode,phase -o traces\n"
        "\n"
        "trace diff makes such runs of two models and tries to follow each in the other\n"
        "one, comparing the variables that both have: a check of a transformation.\n"
        "\n"
        "  regatta trace diff before.xsts after.xsts\n"
        "\n"
        "Of statecharts the runs are in the chart's words, by its interpreter: --complete\n"
        "says of what (states,transitions; pairs of transitions too), --format readable,\n"
        "sequence (PlantUML). index.html is the drawn chart, through which the runs are\n"
        "stepped with the arrow keys; trace diff compares two versions of a chart.\n"
        "\n"
        "  regatta trace chart.scxml --complete pairs --format readable,sequence -o runs\n"
        "\n"
        "Of capsules the runs are in their words: --complete says of what (states, which\n"
        "are locations of parts, and transitions); index.html has the structure, the\n"
        "machines and each run as a sequence diagram.\n"
        "\n"
        "  regatta trace controller.cffsm -o runs\n"
        "\n"
        "The exit code is 0 when the first line says full coverage: yes, every state is\n"
        "on some trace; else 20; of diff 6 when some trace cannot be followed.\n",
    .options = table,
    .run = run,
};
