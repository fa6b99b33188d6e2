#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "logic/terms/print.h"
#include "tracegen/explore.h"
#include "tracegen/suite_print.h"

// The summary for people, and what all printers share.

// States that are listed as missing.
#define MISSING_LISTED 50

void suite_trace_name(struct text *out, size_t trace)
{
    text_printf(out, "trace-%03zu", trace + 1);
}

size_t suite_longest(const struct suite_report *report)
{
    size_t longest = 0;
    for (size_t i = 0; i < report->suite->traces.count; i++)
        if (suite_shows(report, i) && report->suite->traces.data[i].state_count > longest)
            longest = report->suite->traces.data[i].state_count;
    return longest;
}

void suite_print_changes(struct text *out, const struct trace *trace, const struct value *before,
                         const struct value *now, const char *separator)
{
    bool first = true;
    for (uint32_t v = 0; v < trace->model->variable_count; v++) {
        const struct variable *variable = trace->model->variables[v];
        if ((variable->flags & VARIABLE_LOCAL) ||
            (before != NULL && value_equal(before[v], now[v])))
            continue;
        text_printf(out, "%s%s = ", first ? "" : separator, variable->name);
        variable_print(out, variable, now[v]);
        first = false;
    }
}

void suite_each_step(const struct trace *trace, void (*take)(void *context, struct shown_step step),
                     void *context)
{
    struct text label;
    const struct value *before = NULL;
    size_t number = 0;
    text_init(&label);
    for (size_t i = 0; i <= trace->step_count; i++) {
        const struct trace_step *step = trace_step_at(trace, i);
        if (step->edge != NULL)
            text_printf(&label, "%s%s", label.length > 0 ? "; " : "", step->edge->label);
        if (!trace_shows(trace, i))
            continue;
        take(context, (struct shown_step){number++, text_string(&label),
                                          trace_location_at(trace, i), before, step->state});
        before = step->state;
        text_clear(&label);
    }
    text_finish(&label);
}

void suite_print_state(struct text *out, const struct suite *suite, uint32_t number,
                       struct term_store *store)
{
    const struct suite_state *state = &suite->states.data[number];
    const struct model *model = suite->model;
    struct value *values = memory_alloc((model->variable_count + 1) * sizeof *values);
    struct term_vector rest = {0};
    state_values(model, store, state->formula, values, &rest);
    const char *separator = ": ";
    text_add(out, state->location->name);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        if (!value_known(values[v]))
            continue;
        text_printf(out, "%s%s = ", separator, model->variables[v]->name);
        variable_print(out, model->variables[v], values[v]);
        separator = ", ";
    }
    for (size_t i = 0; i < rest.count; i++) {
        text_add(out, separator);
        print_term(out, rest.data[i], model->dialect->terms);
        separator = ", ";
    }
    VECTOR_FINISH(&rest);
    memory_free(values);
}

static void print_names(struct text *out, const char *title, const struct variable *const *names,
                        size_t count)
{
    if (count == 0)
        return;
    text_add(out, title);
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s%s", i > 0 ? ", " : "", names[i]->name);
    text_add_char(out, '\n');
}

static void print_limit(struct text *out, const char *what, enum end_reason reason, const char *why)
{
    if (reason != END_NONE)
        text_printf(out, "limit: %s was cut short: %s\n", what,
                    why != NULL ? why : end_reason_meaning(reason));
}

static void print_missing(struct text *out, const struct suite *suite)
{
    struct term_store *store = term_store_create(suite->model->store);
    size_t listed = 0, missing = suite->states.count - suite_covered_states(suite);
    for (uint32_t i = 0; i < suite->states.count && listed < MISSING_LISTED; i++) {
        if (suite->states.data[i].covered)
            continue;
        text_add(out, "missing: ");
        suite_print_state(out, suite, i, store);
        text_add(out, suite->states.data[i].waiting ? " (not looked at)\n" : "\n");
        listed++;
    }
    term_store_destroy(store);
    if (missing > listed)
        text_printf(out, "missing: %zu more\n", missing - listed);
}

static void print_counts(struct text *out, const struct suite_report *report)
{
    const struct suite *suite = report->suite;
    const struct suite_counts *counts = &suite->counts;
    text_printf(out, "traces: %zu, longest %zu states", report->shown_count, suite_longest(report));
    if (report->selection != NULL)
        text_printf(out, " (%s)", report->selection);
    text_printf(out,
                "\ngraph: %zu states, %" PRIu64 " edges, %" PRIu64 " nodes, %" PRIu64 " leaves\n",
                suite->states.count, suite_edges(suite), counts->nodes, counts->leaves);
    size_t stuck = 0, waiting = 0;
    for (size_t i = 0; i < suite->states.count; i++) {
        stuck += suite->states.data[i].stuck;
        waiting += suite->states.data[i].waiting;
    }
    if (waiting > 0)
        text_printf(out, "frontier: what follows %zu states was not looked at\n", waiting);
    if (stuck > 0)
        text_printf(out, "stuck: no step leads on from %zu states\n", stuck);
    if (counts->infeasible > 0)
        text_printf(out,
                    "infeasible: %" PRIu64 " leaves; %" PRIu64 " shortened traces kept, %" PRIu64
                    " contained in others\n",
                    counts->infeasible, counts->shortened, counts->removed);
    if (counts->undecided > 0)
        text_printf(out, "undecided: %" PRIu64 " runs, by the solver\n", counts->undecided);
    if (counts->dead_ends > 0)
        text_printf(out,
                    "dead ends: %" PRIu64 " cut, where the model ignores the environment; %" PRIu64
                    " states occur nowhere else\n",
                    counts->dead_ends, counts->ignored_states);
}

static void print_coverage(struct text *out, const struct suite_report *report)
{
    for (unsigned i = 0; i < CRITERION_COUNT; i++)
        text_printf(out, "covered %s: %" PRIu64 " of %s%" PRIu64 "\n", criterion_name(i),
                    coverage_count(report->coverage, i), i >= COVER_TRANSITIONS ? "at most " : "",
                    coverage_total(report->coverage, i, report->suite));
}

bool suite_is_covered(const struct suite_report *report)
{
    return report->suite->full_coverage && report->suite->counts.ignored_states == 0 &&
           coverage_count(report->coverage, COVER_STATES) == report->suite->states.count;
}

void suite_print_text(struct text *out, const struct suite_report *report)
{
    const struct suite *suite = report->suite;
    uint64_t ignored = suite->counts.ignored_states;
    text_printf(out, "full coverage: %s", suite_is_covered(report) ? "yes" : "no");
    if (ignored > 0)
        text_printf(out,
                    ", %" PRIu64 " state%s left out at dead ends (--keep-dead-ends keeps them)",
                    ignored, ignored == 1 ? "" : "s");
    text_add_char(out, '\n');
    text_printf(out, "model: %s\n", report->model);
    text_printf(out, "states are: %s\n",
                suite->concrete ? "those of the model" : "abstract, what is tracked of them");
    print_names(out, "tracked: ", suite->tracked.data, suite->tracked.count);
    print_counts(out, report);
    print_coverage(out, report);
    print_limit(out, "the exploration", suite->explore_end, suite->explore_why);
    print_limit(out, "the making of traces", suite->trace_end, suite->trace_why);
    print_names(out, "left open, at times: ", suite->open.data, suite->open.count);
    print_missing(out, suite);
    print_names(out, "hint: these may have to be tracked: ", suite->hints.data, suite->hints.count);
}
