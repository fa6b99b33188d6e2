#include "tracegen/charts/chart_tracing.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/output_file.h"
#include "base/graphviz.h"
#include "base/memory.h"
#include "base/say.h"
#include "languages/charts/told.h"
#include "tracegen/charts/chart_compare.h"
#include "tracegen/charts/chart_cover.h"
#include "tracegen/charts/chart_draw.h"
#include "tracegen/charts/chart_page.h"
#include "tracegen/trace_files.h"

#define DRAW_SECONDS 20
#define STATES_DRAWN 400

const struct chart *chart_of_model(const struct model *model)
{
    const struct model_view *view = model_root(model)->view;
    return view != NULL && strcmp(view->kind, CHART_VIEW) == 0
               ? ((const struct chart_view *)view)->chart
               : NULL;
}

// ---- files -------------------------------------------------------------------------------------

static bool write_text(const char *path, const struct text *text, struct text *why)
{
    bool good = output_file_write_text(path, text);
    if (!good)
        text_printf(why, "%s cannot be written: %s", path, strerror(errno));
    return good;
}

// The chart as text for a page, drawn beside `path`; memory_free. NULL with the reason.
static char *draw(const struct chart *chart, const char *path, bool keep, const char **why_not)
{
    *why_not = "it has too many states";
    if (chart->state_count > STATES_DRAWN)
        return NULL;
    struct text dot, dot_path, svg_path, why;
    text_init(&dot);
    text_init(&dot_path);
    text_init(&svg_path);
    text_init(&why);
    text_printf(&dot_path, "%s.dot", path);
    text_printf(&svg_path, "%s.svg", path);
    chart_draw_dot(&dot, chart);
    char *svg = NULL;
    *why_not = "its file cannot be written";
    if (write_text(text_string(&dot_path), &dot, &why) &&
        graphviz_draw(text_string(&dot_path), text_string(&svg_path), DRAW_SECONDS, why_not))
        svg = text_read_file(text_string(&svg_path), NULL);
    if (!keep) {
        unlink(text_string(&dot_path));
        unlink(text_string(&svg_path));
    }
    text_finish(&dot);
    text_finish(&dot_path);
    text_finish(&svg_path);
    text_finish(&why);
    return svg;
}

// ---- runs that cover ---------------------------------------------------------------------------

static void print_missed(struct text *out, const struct chart_suite *suite, bool complete)
{
    const char *word = complete ? "never" : "not found";
    for (size_t i = 0; i < suite->missed_states.count; i++)
        text_printf(out, "  %s active: %s\n", word, suite->missed_states.data[i]->text);
    for (size_t i = 0; i < suite->missed_transitions.count; i++)
        text_printf(out, "  %s fires: %s   (line %u)\n", word,
                    suite->missed_transitions.data[i]->text,
                    suite->missed_transitions.data[i]->source_position.line);
}

static void print_summary(struct text *out, const struct chart_tracing *tracing,
                          const struct chart_graph *graph, const struct chart_suite *suite)
{
    size_t steps = 0;
    for (size_t i = 0; i < suite->runs.count; i++) {
        assert(suite->runs.data[i].count > 0); // a run has its start
        steps += suite->runs.data[i].count - 1;
    }
    text_printf(out, "%s: %u configurations, %zu steps between them%s\n", tracing->name,
                graph->node_count, graph->edges.count,
                graph->complete ? "" : " (a limit ended the exploration)");
    if (graph->too_hard > 0)
        text_printf(out,
                    "  %llu steps were left out: they overflow a queue, do not end, read what has "
                    "no value, or leave 64 bits\n",
                    (unsigned long long)graph->too_hard);
    text_printf(out,
                "%zu runs of %zu steps: %u of %u states, %u of %u transitions, %llu pairs of "
                "transitions\n",
                suite->runs.count, steps, suite->states, suite->state_total, suite->transitions,
                suite->transition_total, (unsigned long long)suite->pairs);
}

// With integers from outside, not all values were tried.
static bool has_numbers(const struct chart *chart, const struct chart_action *list)
{
    for (const struct chart_action *next = list; next != NULL; next = next->next) {
        const struct chart_action *a = chart_in_place(chart, next);
        if ((a->kind == CHART_HAVOC && a->variable->type->kind == CHART_INT) ||
            has_numbers(chart, a->then) || has_numbers(chart, a->otherwise))
            return true;
    }
    return false;
}

static bool write_runs(const struct chart_tracing *tracing, const struct chart_suite *suite,
                       struct text *why)
{
    bool good = true;
    for (size_t i = 0; i < suite->runs.count && good; i++) {
        char name[40];
        struct text text;
        text_init(&text);
        if ((tracing->forms & TRACE_FILE_READABLE) != 0) {
            snprintf(name, sizeof name, "run-%03zu.txt", i + 1);
            chart_run_print(&text, tracing->chart, &suite->runs.data[i]);
            good = trace_files_put(tracing->folder, name, &text, why);
        }
        text_clear(&text);
        if ((tracing->forms & TRACE_FILE_SEQUENCE) != 0 && good) {
            snprintf(name, sizeof name, "run-%03zu.puml", i + 1);
            chart_run_sequence(&text, tracing->chart, &suite->runs.data[i]);
            good = trace_files_put(tracing->folder, name, &text, why);
        }
        text_finish(&text);
    }
    return good;
}

static void print_page(struct text *out, const struct chart *chart, const char *title,
                       const char *svg, const char *why_not, const struct chart_run *runs,
                       size_t count)
{
    const char **names = memory_alloc((count + 1) * sizeof *names);
    char(*texts)[32] = memory_alloc((count + 1) * sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        snprintf(texts[i], sizeof texts[i], "%zu (%zu steps)", i + 1, runs[i].count - 1);
        names[i] = texts[i];
    }
    struct chart_page page = {chart, title, svg, why_not, runs, names, count};
    chart_page_print(out, &page);
    memory_free(names);
    memory_free(texts);
}

static bool write_files(const struct chart_tracing *tracing, const struct chart_suite *suite,
                        const struct text *summary, struct text *why)
{
    struct text path, page;
    text_init(&path);
    text_init(&page);
    text_printf(&path, "%s/chart", tracing->folder);
    const char *why_not;
    char *svg = draw(tracing->chart, text_string(&path), true, &why_not);
    print_page(&page, tracing->chart, tracing->name, svg, why_not, suite->runs.data,
               suite->runs.count);
    bool good = write_runs(tracing, suite, why) &&
                trace_files_put(tracing->folder, "suite.txt", summary, why) &&
                trace_files_put(tracing->folder, "index.html", &page, why);
    memory_free(svg);
    text_finish(&path);
    text_finish(&page);
    return good;
}

bool chart_tracing_run(const struct chart_tracing *tracing, bool *complete, struct text *why)
{
    struct chart_graph graph;
    struct chart_suite suite;
    chart_graph_explore(&graph, tracing->chart, &tracing->limits);
    chart_suite_make(&suite, &graph, tracing->what);
    bool sure = graph.complete && graph.too_hard == 0 &&
                !has_numbers(tracing->chart, tracing->chart->environment) &&
                !has_numbers(tracing->chart, tracing->chart->start);
    struct text summary;
    text_init(&summary);
    print_summary(&summary, tracing, &graph, &suite);
    print_missed(&summary, &suite, sure);
    say(stdout, "%s", text_string(&summary));
    *complete =
        graph.complete && suite.missed_states.count == 0 && suite.missed_transitions.count == 0;
    bool good = tracing->folder == NULL || write_files(tracing, &suite, &summary, why);
    text_finish(&summary);
    chart_suite_finish(&suite);
    chart_graph_finish(&graph);
    return good;
}

// ---- two versions ------------------------------------------------------------------------------

static size_t follow_all(const struct chart_tracing *one, const struct chart_tracing *two)
{
    struct chart_graph graph;
    struct chart_suite suite;
    chart_graph_explore(&graph, one->chart, &one->limits);
    chart_suite_make(&suite, &graph, one->what);
    size_t differing = 0;
    for (size_t i = 0; i < suite.runs.count; i++) {
        struct text why, words;
        text_init(&why);
        text_init(&words);
        size_t failed = chart_compare_run(one->chart, &suite.runs.data[i], two->chart, &why);
        if (failed != SIZE_MAX) {
            assert(failed < suite.runs.data[i].count);
            struct chart_run part = suite.runs.data[i];
            part.count = failed + 1;
            chart_run_print(&words, one->chart, &part);
            say(stdout, "%s: %s cannot follow this run in step %zu: %s\n%s", one->name, two->name,
                failed, text_string(&why), text_string(&words));
        }
        differing += failed != SIZE_MAX;
        text_finish(&why);
        text_finish(&words);
    }
    say(stdout, "%s: %zu of %zu runs can be followed in %s\n", one->name,
        suite.runs.count - differing, suite.runs.count, two->name);
    chart_suite_finish(&suite);
    chart_graph_finish(&graph);
    return differing;
}

size_t chart_tracing_compare(const struct chart_tracing *one, const struct chart_tracing *two)
{
    struct text parts;
    text_init(&parts);
    chart_compare_parts(one->chart, two->chart, &parts);
    say(stdout, "%s", text_string(&parts));
    text_finish(&parts);
    size_t differing = follow_all(one, two);
    return differing + follow_all(two, one);
}

// ---- one trace ---------------------------------------------------------------------------------

static void keep_step(void *context, struct chart_listener *listener, const struct chart *chart,
                      const int64_t *cells)
{
    struct chart_run *run = context;
    struct chart_step step = *listener->step;
    listener->step = &step;
    chart_listened(listener, chart, cells);
    VECTOR_PUSH(run, step);
}

struct walk {
    struct chart_run run;
    struct chart_listener listener;
    struct chart_step step;
    const struct chart *chart;
};

static const struct interpreter_observer *begin_step(void *context)
{
    struct walk *walk = context;
    chart_listen(&walk->listener, &walk->step, NULL, 0);
    return &walk->listener.observer;
}

static void end_step(void *context, const int64_t *cells)
{
    struct walk *walk = context;
    keep_step(&walk->run, &walk->listener, walk->chart, cells);
}

bool chart_page_of_trace(const struct trace *trace, const char *path, const char *title,
                         struct text *why)
{
    struct walk walk = {.chart = chart_of_model(trace->model)};
    if (walk.chart == NULL) {
        text_add(why, "a page is for traces of statecharts");
        return false;
    }
    bool good = chart_told_walk(trace, &walk, begin_step, end_step);
    if (!good)
        text_add(why, "the chart's interpreter cannot follow the trace");
    const char *why_not;
    char *svg = good ? draw(walk.chart, path, false, &why_not) : NULL;
    if (good) {
        struct text page;
        text_init(&page);
        print_page(&page, walk.chart, title, svg, why_not, &walk.run, 1);
        good = write_text(path, &page, why);
        text_finish(&page);
    }
    memory_free(svg);
    chart_run_finish(&walk.run);
    return good;
}
