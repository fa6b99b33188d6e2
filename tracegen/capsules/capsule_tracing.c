#include "tracegen/capsules/capsule_tracing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/output_file.h"
#include "base/graphviz.h"
#include "base/memory.h"
#include "base/say.h"
#include "model/capsules/draw.h"
#include "tracegen/trace_files.h"

#define DRAW_SECONDS 20

static void print_missed(struct text *out, const struct capsules *model,
                         const struct capsule_suite *suite)
{
    const char *word = suite->complete ? "never" : "not found";
    for (size_t i = 0; i < suite->missed_locations.count; i++) {
        struct capsule_goal g = suite->missed_locations.data[i];
        text_printf(out, "  %s entered: %s @ %s\n", word,
                    capsules_module_of(model, g.instance)->locations.data[g.number].name,
                    model->instances.data[g.instance].path);
    }
    for (size_t i = 0; i < suite->missed_transitions.count; i++) {
        struct capsule_goal g = suite->missed_transitions.data[i];
        const struct capsule_module *m = capsules_module_of(model, g.instance);
        const struct capsule_transition *t = &m->transitions.data[g.number];
        text_printf(out, "  %s taken: %s -- %s -> %s @ %s   (line %u)\n", word,
                    t->source == CAPSULE_NONE ? "initial" : m->locations.data[t->source].name,
                    t->kind == CAPSULE_INIT    ? "init"
                    : t->kind == CAPSULE_TIMER ? m->timers.data[t->trigger].name
                                               : m->signals.data[t->trigger].name,
                    m->locations.data[t->target].name, model->instances.data[g.instance].path,
                    t->position.line);
    }
}

static void print_summary(struct text *out, const struct capsule_tracing *tracing,
                          const struct capsule_cover_limits *limits,
                          const struct capsule_suite *suite)
{
    size_t steps = 0;
    for (size_t i = 0; i < suite->runs.count; i++)
        steps += suite->runs.data[i].steps.count;
    text_printf(out, "%s: %llu states, %llu steps between them, numbers from %lld to %lld%s\n",
                tracing->name, (unsigned long long)suite->states, (unsigned long long)suite->steps,
                (long long)limits->low, (long long)limits->high,
                suite->complete ? "" : " (not all: a limit, a full queue, or numbers left out)");
    text_printf(out, "%zu runs of %zu steps: %u of %u locations, %u of %u transitions\n",
                suite->runs.count, steps, suite->locations, suite->location_total,
                suite->transitions, suite->transition_total);
    print_missed(out, tracing->view->capsules, suite);
}

static bool write_runs(const struct capsule_tracing *tracing, const struct capsule_suite *suite,
                       struct text *why)
{
    bool good = true;
    for (size_t i = 0; i < suite->runs.count && good; i++) {
        char name[40];
        struct text text = {0};
        if ((tracing->forms & TRACE_FILE_READABLE) != 0) {
            snprintf(name, sizeof name, "run-%03zu.txt", i + 1);
            capsule_run_print(tracing->view->capsules, &suite->runs.data[i], &text);
            good = trace_files_put(tracing->folder, name, &text, why);
        }
        text_clear(&text);
        if (good && (tracing->forms & TRACE_FILE_SEQUENCE) != 0) {
            snprintf(name, sizeof name, "run-%03zu.puml", i + 1);
            capsule_run_plantuml(tracing->view->capsules, &suite->runs.data[i], &text);
            good = trace_files_put(tracing->folder, name, &text, why);
        }
        text_finish(&text);
    }
    return good;
}

// The drawing as text; memory_free. NULL with the reason.
static char *draw(const char *folder, const char **why_not)
{
    struct text dot = {0}, svg = {0};
    text_printf(&dot, "%s/capsules.dot", folder);
    text_printf(&svg, "%s/capsules.svg", folder);
    char *drawing = NULL;
    if (graphviz_draw(text_string(&dot), text_string(&svg), DRAW_SECONDS, why_not))
        drawing = text_read_file(text_string(&svg), NULL);
    text_finish(&dot);
    text_finish(&svg);
    return drawing;
}

static bool write_files(const struct capsule_tracing *tracing, const struct capsule_suite *suite,
                        const struct text *summary, struct text *why)
{
    const struct capsules *model = tracing->view->capsules;
    struct text dot = {0}, page = {0};
    const char *why_not = NULL;
    capsules_draw(model, &dot);
    bool good = trace_files_put(tracing->folder, "capsules.dot", &dot, why);
    char *drawing = good ? draw(tracing->folder, &why_not) : NULL;
    struct capsule_page what = {
        tracing->name, drawing, why_not, suite->runs.data, suite->runs.count,
    };
    capsule_page_print(model, &what, &page);
    good = good && write_runs(tracing, suite, why) &&
           trace_files_put(tracing->folder, "suite.txt", summary, why) &&
           trace_files_put(tracing->folder, "index.html", &page, why);
    memory_free(drawing);
    text_finish(&dot);
    text_finish(&page);
    return good;
}

bool capsule_tracing_run(const struct capsule_tracing *tracing, bool *complete, struct text *why)
{
    const struct capsules *model = tracing->view->capsules;
    struct capsule_cover_limits limits = tracing->limits;
    struct capsule_suite suite;
    bool all;
    capsule_cover_range(model, &limits.low, &limits.high, &all);
    limits.queue_bound = tracing->view->bound;
    limits.head_only = tracing->view->head_only;
    capsule_suite_make(&suite, model, tracing->what, &limits);
    suite.complete &= !capsules_is_open(model);
    struct text summary = {0};
    print_summary(&summary, tracing, &limits, &suite);
    say(stdout, "%s", text_string(&summary));
    *complete = suite.missed_locations.count == 0 && suite.missed_transitions.count == 0;
    bool good = tracing->folder == NULL || write_files(tracing, &suite, &summary, why);
    text_finish(&summary);
    capsule_suite_finish(&suite);
    return good;
}
