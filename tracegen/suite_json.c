#include <cjson/cJSON.h>

#include "base/say.h"
#include "tracegen/suite_print.h"

// { model, full_coverage, concrete, tracked, counts, coverage, limits, missing, hints, states, edges,
//   traces: [ { name, states, edges, shortened, added } ] }. States and edges are named by number.

static void add_names(cJSON *object, const char *name, const struct variable *const *variables,
                      size_t count)
{
    cJSON *array = cJSON_AddArrayToObject(object, name);
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(variables[i]->name));
}

static void add_numbers(cJSON *object, const char *name, const uint32_t *numbers, size_t count)
{
    cJSON *array = cJSON_AddArrayToObject(object, name);
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber(numbers[i]));
}

static void add_counts(cJSON *root, const struct suite_report *report)
{
    const struct suite_counts *c = &report->suite->counts;
    cJSON *object = cJSON_AddObjectToObject(root, "counts");
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"traces", report->shown_count},
        {"longest", suite_longest(report)},
        {"nodes", c->nodes},
        {"leaves", c->leaves},
        {"infeasible", c->infeasible},
        {"shortened", c->shortened},
        {"removed", c->removed},
        {"dead_ends", c->dead_ends},
        {"ignored_states", c->ignored_states},
        {"undecided", c->undecided},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cJSON_AddNumberToObject(object, numbers[i].name, (double)numbers[i].value);
}

static void add_coverage(cJSON *root, const struct suite_report *report)
{
    cJSON *object = cJSON_AddObjectToObject(root, "coverage");
    for (unsigned i = 0; i < CRITERION_COUNT; i++) {
        cJSON *row = cJSON_AddObjectToObject(object, criterion_name(i));
        cJSON_AddNumberToObject(row, "covered", (double)coverage_count(report->coverage, i));
        cJSON_AddNumberToObject(row, i >= COVER_TRANSITIONS ? "at_most" : "of",
                                (double)coverage_total(report->coverage, i, report->suite));
    }
}

static void add_graph(cJSON *root, const struct suite *suite)
{
    cJSON *missing = cJSON_AddArrayToObject(root, "missing");
    cJSON *states = cJSON_AddArrayToObject(root, "states");
    struct term_store *store = term_store_create(suite->model->store);
    struct text text;
    text_init(&text);
    for (uint32_t i = 0; i < suite->states.count; i++) {
        text_clear(&text);
        suite_print_state(&text, suite, i, store);
        cJSON_AddItemToArray(states, cJSON_CreateString(text_string(&text)));
        if (!suite->states.data[i].covered)
            cJSON_AddItemToArray(missing, cJSON_CreateNumber(i));
    }
    text_finish(&text);
    term_store_destroy(store);
    cJSON *edges = cJSON_AddArrayToObject(root, "edges");
    for (size_t i = 0; i < suite->edges.count; i++) {
        const struct suite_edge *edge = &suite->edges.data[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "from", edge->from);
        cJSON_AddNumberToObject(object, "to", edge->to);
        if (edge->edge != NULL)
            cJSON_AddStringToObject(object, "label", edge->edge->label);
        else
            cJSON_AddBoolToObject(object, "covered_by", true);
        cJSON_AddItemToArray(edges, object);
    }
}

static void add_traces(cJSON *root, const struct suite_report *report)
{
    cJSON *traces = cJSON_AddArrayToObject(root, "traces");
    struct text name;
    text_init(&name);
    for (size_t i = 0; i < report->suite->traces.count; i++) {
        const struct suite_trace *trace = &report->suite->traces.data[i];
        if (!suite_shows(report, i))
            continue;
        cJSON *object = cJSON_CreateObject();
        text_clear(&name);
        suite_trace_name(&name, i);
        cJSON_AddStringToObject(object, "name", text_string(&name));
        add_numbers(object, "states", trace->states, trace->state_count);
        add_numbers(object, "edges", trace->edges, trace->state_count - 1);
        cJSON_AddBoolToObject(object, "shortened", trace->shortened);
        cJSON_AddBoolToObject(object, "added", trace->added);
        cJSON_AddItemToArray(traces, object);
    }
    text_finish(&name);
}

static void add_limit(cJSON *limits, const char *name, enum end_reason reason)
{
    if (reason == END_NONE)
        cJSON_AddNullToObject(limits, name);
    else
        cJSON_AddStringToObject(limits, name, end_reason_name(reason));
}

void suite_print_json(struct text *out, const struct suite_report *report)
{
    const struct suite *suite = report->suite;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "model", report->model);
    cJSON_AddBoolToObject(root, "full_coverage", suite_is_covered(report));
    cJSON_AddBoolToObject(root, "concrete", suite->concrete);
    add_names(root, "tracked", suite->tracked.data, suite->tracked.count);
    add_counts(root, report);
    add_coverage(root, report);
    cJSON *limits = cJSON_AddObjectToObject(root, "limits");
    add_limit(limits, "exploration", suite->explore_end);
    add_limit(limits, "traces", suite->trace_end);
    add_names(limits, "values", suite->open.data, suite->open.count);
    add_names(root, "hints", suite->hints.data, suite->hints.count);
    cJSON_AddNumberToObject(root, "explore_seconds", suite->explore_seconds);
    cJSON_AddNumberToObject(root, "seconds", suite->seconds);
    add_graph(root, suite);
    add_traces(root, report);
    char *printed = cJSON_Print(root);
    if (printed != NULL) {
        text_add_json(out, printed);
        text_add_char(out, '\n');
    }
    cJSON_free(printed);
    cJSON_Delete(root);
}
