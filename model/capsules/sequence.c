#include <string.h>

#include "base/markup.h"
#include "base/memory.h"
#include "logic/terms/print.h"
#include "model/capsules/draw.h"

// Sequence diagrams as SVG, and the page around them.

enum { COLUMN = 170, LEFT = 150, ROW = 24, HEAD = 40 };

struct diagram {
    const struct capsules *model;
    const struct capsule_run *run;
    uint32_t *column; // by instance; CAPSULE_NONE: takes no part
    uint32_t columns;
    unsigned y;
    struct text *out;
};

static unsigned x_of(const struct diagram *d, uint32_t instance)
{
    return LEFT + COLUMN * d->column[instance];
}

static void take_part(struct diagram *d, uint32_t instance)
{
    if (instance != CAPSULE_NONE && d->column[instance] == CAPSULE_NONE)
        d->column[instance] = 0;
}

static void choose_columns(struct diagram *d)
{
    const struct capsules *model = d->model;
    d->column = memory_alloc((model->instances.count + 1) * sizeof *d->column);
    memset(d->column, 0xff, model->instances.count * sizeof *d->column);
    for (size_t i = 0; i < d->run->steps.count; i++) {
        const struct plain_step *step = &d->run->steps.data[i];
        take_part(d, step->instance);
        for (size_t o = 0; o < step->outputs.count; o++)
            take_part(d, model->instances.data[step->instance]
                             .routes.data[step->outputs.data[o].signal]
                             .receiver);
    }
    for (size_t i = 0; i < model->instances.count; i++)
        if (d->column[i] != CAPSULE_NONE)
            d->column[i] = d->columns++;
}

static void words_at(struct diagram *d, unsigned x, const char *anchor, const char *words)
{
    text_printf(d->out, "<text x=\"%u\" y=\"%u\" text-anchor=\"%s\">", x, d->y - 4, anchor);
    markup_add(d->out, words);
    text_add(d->out, "</text>\n");
}

static void arrow(struct diagram *d, unsigned from, unsigned to, const char *words)
{
    if (from == to) // to itself
        text_printf(
            d->out,
            "<path d=\"M%u %u h26 v8 h-22\" class=\"message\" marker-end=\"url(#head)\"/>\n", from,
            d->y);
    else
        text_printf(d->out,
                    "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" class=\"message\" "
                    "marker-end=\"url(#head)\"/>\n",
                    from, d->y, to, d->y);
    words_at(d, from == to ? from + 30 : (from + to) / 2, from == to ? "start" : "middle", words);
    d->y += ROW;
}

static void draw_trigger(struct diagram *d, const struct plain_step *step)
{
    const struct capsule_module *m = capsules_module_of(d->model, step->instance);
    struct text words = {0};
    if (step->rule != RULE_EXTERNAL)
        text_printf(&words, "%s ",
                    step->rule == RULE_DEFAULT ? "starts" : capsule_rule_name(step->rule));
    if (step->kind == CAPSULE_TIMER)
        text_add(&words, m->timers.data[step->trigger].name);
    if (step->kind == CAPSULE_SIGNAL) {
        text_add(&words, m->signals.data[step->trigger].name);
        capsule_values_print(&m->signals.data[step->trigger], step->values.data, step->values.count,
                             &words);
    }
    unsigned x = x_of(d, step->instance);
    if (step->rule == RULE_EXTERNAL) {
        arrow(d, 10, x, text_string(&words));
    } else {
        text_printf(d->out, "<rect x=\"%u\" y=\"%u\" width=\"6\" height=\"%d\" class=\"act%s\"/>\n",
                    x - 3, d->y - 16, ROW - 4, step->rule == RULE_DROP ? " drop" : "");
        words_at(d, x + 8, "start", text_string(&words));
        d->y += ROW;
    }
    text_finish(&words);
}

static void draw_step(struct diagram *d, size_t i)
{
    const struct plain_step *step = &d->run->steps.data[i];
    const struct capsule_module *m = capsules_module_of(d->model, step->instance);
    unsigned x = x_of(d, step->instance);
    text_printf(d->out, "<g><title>step %zu</title>\n", i + 1);
    draw_trigger(d, step);
    for (size_t o = 0; o < step->outputs.count; o++) {
        const struct plain_output *output = &step->outputs.data[o];
        struct capsule_route route =
            d->model->instances.data[step->instance].routes.data[output->signal];
        struct text words = {0};
        text_add(&words, m->signals.data[output->signal].name);
        capsule_values_print(&m->signals.data[output->signal], output->values.data,
                             output->values.count, &words);
        arrow(d, x,
              route.receiver == CAPSULE_NONE ? LEFT + COLUMN * d->columns : x_of(d, route.receiver),
              text_string(&words));
        text_finish(&words);
    }
    const struct plain_part *part = &d->run->states.data[i + 1]->parts.data[step->instance];
    if (part->alive && part->location < m->locations.count && step->rule != RULE_DROP) {
        const char *name = m->locations.data[part->location].name;
        unsigned wide = 14 + 7 * (unsigned)text_utf8_length(name, strlen(name));
        wide = wide < 40 ? 40 : wide;
        text_printf(
            d->out,
            "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"18\" rx=\"8\" class=\"where\"/>\n",
            x > wide / 2 ? x - wide / 2 : 0, d->y - 17, wide);
        words_at(d, x, "middle", name);
        d->y += ROW;
    }
    text_add(d->out, "</g>\n");
}

static void draw_heads(struct diagram *d, unsigned height)
{
    for (uint32_t i = 0; i < d->model->instances.count; i++) {
        if (d->column[i] == CAPSULE_NONE)
            continue;
        text_printf(d->out,
                    "<line x1=\"%u\" y1=\"%d\" x2=\"%u\" y2=\"%u\" class=\"life\"/>\n"
                    "<text x=\"%u\" y=\"20\" text-anchor=\"middle\" class=\"part\">",
                    x_of(d, i), HEAD - 10, x_of(d, i), height, x_of(d, i));
        markup_add(d->out, d->model->instances.data[i].path);
        text_add(d->out, "</text>\n");
    }
}

void capsule_run_svg(const struct capsules *model, const struct capsule_run *run, struct text *out)
{
    struct text body = {0};
    struct diagram d = {.model = model, .run = run, .y = HEAD + ROW, .out = &body};
    choose_columns(&d);
    for (size_t i = 0; i < run->steps.count; i++) {
        if (i == run->loop) {
            words_at(&d, 10, "start", "for ever:");
            text_printf(&body, "<line x1=\"0\" y1=\"%u\" x2=\"%u\" y2=\"%u\" class=\"loop\"/>\n",
                        d.y, LEFT + COLUMN * d.columns, d.y);
            d.y += ROW;
        }
        draw_step(&d, i);
    }
    if (run->loop == SIZE_MAX && run->deadlock) {
        words_at(&d, 10, "start", "then nothing can happen");
        d.y += ROW;
    }
    unsigned width = LEFT + COLUMN * d.columns + 10;
    text_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sequence\" width=\"%u\" "
        "height=\"%u\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<defs><marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"3\" "
        "orient=\"auto\"><path d=\"M0 0 L7 3 L0 6 z\"/></marker></defs>\n",
        width, d.y);
    d.out = out;
    draw_heads(&d, d.y);
    text_add_bytes(out, text_string(&body), body.length);
    text_add(out, "</svg>\n");
    text_finish(&body);
    memory_free(d.column);
}

static const char STYLE[] =
    "body{font:14px sans-serif;margin:0 16px}pre{background:#f6f6f6;padding:8px;overflow:auto}\n"
    "div.picture{overflow:auto;border:1px solid #ccc;margin:8px 0}\n"
    ".life{stroke:#bbb;stroke-dasharray:4 3}.message{stroke:#222;fill:none}\n"
    ".act{fill:#4a90d9}.act.drop{fill:#c00}.where{fill:#fff3c4;stroke:#b58900}\n"
    ".loop{stroke:#c00;stroke-dasharray:6 3}.part{font-weight:bold}\n";

void capsule_page_print(const struct capsules *model, const struct capsule_page *page,
                        struct text *out)
{
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    markup_add(out, page->title);
    text_printf(out, "</title>\n<style>\n%s</style></head>\n<body><h1>", STYLE);
    markup_add(out, page->title);
    text_add(out, "</h1>\n");
    const char *svg = page->drawing != NULL ? strstr(page->drawing, "<svg") : NULL;
    if (svg != NULL)
        text_printf(out,
                    "<details open><summary>structure and machines</summary>"
                    "<div class=\"picture\">%s</div></details>\n",
                    svg);
    else if (page->why_not != NULL)
        text_printf(out, "<p>No drawing of the structure: %s.</p>\n", page->why_not);
    for (size_t i = 0; i < page->run_count; i++) {
        const struct capsule_run *run = &page->runs[i];
        struct text words = {0};
        text_printf(out,
                    "<details%s><summary>run %zu, %zu steps</summary>\n<div class=\"picture\">\n",
                    page->run_count == 1 || i == 0 ? " open" : "", i + 1, run->steps.count);
        capsule_run_svg(model, run, out);
        text_add(out, "</div>\n<pre>");
        capsule_run_print(model, run, &words);
        markup_add(out, text_string(&words));
        text_add(out, "</pre></details>\n");
        text_finish(&words);
    }
    text_add(out, "</body></html>\n");
}
