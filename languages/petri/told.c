#include "languages/petri/told.h"

#include <assert.h>
#include <string.h>

#include "base/markup.h"
#include "base/memory.h"
#include "languages/petri/net_view.h"

// Places that a table has room for.
#define COLUMNS_MAX 40

struct told {
    const struct trace *trace;
    const struct net *net;
    const struct formula *goal;
    int64_t *marking;
    uint32_t *columns; // places that change
    uint32_t column_count;
    uint64_t *fired; // by transition
};

// The transition of a step; NULL for the step into the error location.
static const struct net_transition *transition_of(const struct told *t, size_t step)
{
    uint32_t id = t->trace->steps[step].edge->id;
    return id < t->net->transition_count ? &t->net->transitions[id] : NULL;
}

static void restart(struct told *t)
{
    for (uint32_t p = 0; p < t->net->place_count; p++)
        t->marking[p] = t->net->places[p].marking;
}

static void find_columns(struct told *t)
{
    uint8_t *changes = memory_zalloc((size_t)t->net->place_count + 1);
    for (size_t i = 0; i < t->trace->step_count; i++) {
        const struct net_transition *fires = transition_of(t, i);
        for (uint32_t k = 0; fires != NULL && k < fires->effect.count; k++)
            changes[fires->effect.data[k].place] = 1;
        if (fires != NULL)
            t->fired[fires - t->net->transitions]++;
    }
    for (uint32_t p = 0; p < t->net->place_count; p++)
        if (changes[p])
            t->columns[t->column_count++] = p;
    assert(t->column_count <= t->net->place_count);
    memory_free(changes);
}

static void begin(struct told *t, const struct trace *trace)
{
    const struct net_view *view = net_view_of(trace->model);
    assert(view != NULL && trace->model == model_root(trace->model));
    size_t places = (size_t)view->net->place_count + 1;
    *t = (struct told){.trace = trace, .net = view->net, .goal = view->goal};
    t->marking = memory_alloc(places * sizeof *t->marking);
    t->columns = memory_alloc(places * sizeof *t->columns);
    t->fired = memory_zalloc(((size_t)t->net->transition_count + 1) * sizeof *t->fired);
    find_columns(t);
    restart(t);
}

static void finish(struct told *t)
{
    memory_free(t->marking);
    memory_free(t->columns);
    memory_free(t->fired);
}

// ---- The table

static int width_of(const struct told *t, uint32_t column)
{
    size_t width = strlen(t->net->places[t->columns[column]].id);
    return width < 6 ? 6 : (int)width;
}

static void print_row(struct text *out, const struct told *t)
{
    for (uint32_t c = 0; c < t->column_count; c++)
        text_printf(out, " %*lld", width_of(t, c), (long long)t->marking[t->columns[c]]);
    text_add_char(out, '\n');
}

static int name_width(const struct told *t)
{
    size_t width = 10;
    for (uint32_t i = 0; i < t->net->transition_count; i++)
        if (t->fired[i] && strlen(t->net->transitions[i].id) > width)
            width = strlen(t->net->transitions[i].id);
    return (int)width;
}

static void print_table(struct text *out, struct told *t)
{
    int width = name_width(t);
    text_printf(out, "%6s %-*s", "step", width, "transition");
    for (uint32_t c = 0; c < t->column_count; c++)
        text_printf(out, " %*s", width_of(t, c), t->net->places[t->columns[c]].id);
    text_printf(out, "\n%6d %-*s", 0, width, "");
    print_row(out, t);
    for (size_t i = 0; i < t->trace->step_count; i++) {
        const struct net_transition *fires = transition_of(t, i);
        if (fires == NULL)
            continue;
        net_fire(fires, t->marking);
        text_printf(out, "%6zu %-*s", i + 1, width, fires->id);
        print_row(out, t);
    }
}

// Too many places for a table: what each step changes.
static void print_list(struct text *out, struct told *t)
{
    for (size_t i = 0; i < t->trace->step_count; i++) {
        const struct net_transition *fires = transition_of(t, i);
        if (fires == NULL)
            continue;
        net_fire(fires, t->marking);
        text_printf(out, "%6zu %s:", i + 1, fires->id);
        for (uint32_t k = 0; k < fires->effect.count; k++)
            text_printf(out, " %s = %lld", t->net->places[fires->effect.data[k].place].id,
                        (long long)t->marking[fires->effect.data[k].place]);
        text_add_char(out, '\n');
    }
}

void told_readable(struct text *out, const struct trace *trace)
{
    struct told t;
    begin(&t, trace);
    bool reached = trace->step_count > 0 && transition_of(&t, trace->step_count - 1) == NULL;
    text_printf(out, "%zu firing%s of %u transitions change %u of %u places%s\n",
                trace->step_count - reached, trace->step_count - reached == 1 ? "" : "s",
                t.net->transition_count, t.column_count, t.net->place_count,
                reached ? "; the goal holds at the end" : "");
    if (t.column_count <= COLUMNS_MAX)
        print_table(out, &t);
    else
        print_list(out, &t);
    finish(&t);
}

// ---- The graph

static void add_quoted(struct text *out, const char *id)
{
    text_add_char(out, '"');
    for (const char *c = id; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_add_char(out, '\\');
        text_add_char(out, *c);
    }
    text_add_char(out, '"');
}

static void add_arc(struct text *out, const char *from, const char *to, int64_t weight,
                    const char *style)
{
    text_add(out, "  ");
    add_quoted(out, from);
    text_add(out, " -> ");
    add_quoted(out, to);
    if (weight != 1)
        text_printf(out, " [label=\"%lld\"%s]", (long long)weight, style);
    else if (*style)
        text_printf(out, " [%s]", style + 1);
    text_add(out, ";\n");
}

static void add_transition(struct text *out, const struct told *t, uint32_t number)
{
    const struct net_transition *n = &t->net->transitions[number];
    text_add(out, "  ");
    add_quoted(out, n->id);
    text_add(out, " [shape=box");
    if (t->fired[number])
        text_printf(out, ", style=filled, fillcolor=lightgrey, xlabel=\"%llu\"",
                    (unsigned long long)t->fired[number]);
    text_add(out, "];\n");
    for (uint32_t i = 0; i < n->pre.count; i++)
        add_arc(out, t->net->places[n->pre.data[i].place].id, n->id, n->pre.data[i].weight, "");
    for (uint32_t i = 0; i < n->inhibit.count; i++)
        add_arc(out, t->net->places[n->inhibit.data[i].place].id, n->id, n->inhibit.data[i].weight,
                ", arrowhead=odot");
    for (uint32_t i = 0; i < n->post.count; i++)
        add_arc(out, n->id, t->net->places[n->post.data[i].place].id, n->post.data[i].weight, "");
}

void told_dot(struct text *out, const struct trace *trace)
{
    struct told t;
    begin(&t, trace);
    for (size_t i = 0; i < trace->step_count; i++)
        if (transition_of(&t, i) != NULL)
            net_fire(transition_of(&t, i), t.marking);
    text_add(out, "digraph net {\n  rankdir=LR;\n");
    for (uint32_t p = 0; p < t.net->place_count; p++) {
        const struct net_place *place = &t.net->places[p];
        text_add(out, "  ");
        add_quoted(out, place->id);
        if (t.marking[p] != place->marking)
            text_printf(out, " [shape=circle, xlabel=\"%lld, at the end %lld\"];\n",
                        (long long)place->marking, (long long)t.marking[p]);
        else if (place->marking)
            text_printf(out, " [shape=circle, xlabel=\"%lld\"];\n", (long long)place->marking);
        else
            text_add(out, " [shape=circle];\n");
    }
    for (uint32_t i = 0; i < t.net->transition_count; i++)
        add_transition(out, &t, i);
    text_add(out, "}\n");
    finish(&t);
}

// ---- The page

static void add_cells(struct text *out, const struct told *t, const int64_t *before)
{
    for (uint32_t c = 0; c < t->column_count; c++) {
        int64_t now = t->marking[t->columns[c]];
        bool changed = before != NULL && before[t->columns[c]] != now;
        text_printf(out, "<td%s>%lld</td>", changed ? " class=c" : "", (long long)now);
    }
    text_add(out, "</tr>\n");
}

static void add_rows(struct text *out, struct told *t)
{
    size_t bytes = ((size_t)t->net->place_count + 1) * sizeof *t->marking;
    int64_t *before = memory_alloc(bytes);
    text_add(out, "<tr><td>0</td><td></td>");
    add_cells(out, t, NULL);
    for (size_t i = 0; i < t->trace->step_count; i++) {
        const struct net_transition *fires = transition_of(t, i);
        if (fires == NULL)
            continue;
        memcpy(before, t->marking, bytes - sizeof *before);
        net_fire(fires, t->marking);
        text_printf(out, "<tr><td>%zu</td><td>", i + 1);
        markup_add(out, fires->id);
        text_add(out, "</td>");
        add_cells(out, t, before);
    }
    memory_free(before);
}

void told_page(struct text *out, const struct trace *trace)
{
    struct told t;
    struct text dot;
    begin(&t, trace);
    text_init(&dot);
    told_dot(&dot, trace);
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    markup_add(out, t.net->name != NULL ? t.net->name : "net");
    text_add(out, "</title>\n<style>body{font-family:sans-serif}table{border-collapse:collapse}"
                  "th{position:sticky;top:0;background:#fff}td,th{padding:2px 8px;text-align:right;"
                  "border-bottom:1px solid #ddd}td.c{background:#fd8}</style></head>\n<body><h1>");
    markup_add(out, t.net->name != NULL ? t.net->name : "net");
    text_add(out, "</h1>\n<table><thead><tr><th>step</th><th>transition</th>");
    for (uint32_t c = 0; c < t.column_count; c++) {
        text_add(out, "<th>");
        markup_add(out, t.net->places[t.columns[c]].id);
        text_add(out, "</th>");
    }
    text_add(out, "</tr></thead><tbody>\n");
    add_rows(out, &t);
    text_add(out, "</tbody></table>\n<details><summary>The net, for Graphviz</summary><pre>\n");
    markup_add(out, text_string(&dot));
    text_add(out, "</pre></details></body></html>\n");
    text_finish(&dot);
    finish(&t);
}

// ---- The net as its own interpreter

bool told_replay(const struct trace *trace, struct text *why)
{
    const struct net_view *view = net_view_of(trace->model);
    if (view == NULL)
        return true;
    struct told t;
    begin(&t, trace);
    bool good = true;
    for (size_t i = 0; i < trace->step_count && good; i++) {
        const struct net_transition *fires = transition_of(&t, i);
        good = fires != NULL ? net_is_enabled(fires, t.marking) : formula_holds(t.goal, t.marking);
        if (!good)
            text_printf(why, "step %zu of the net: %s", i + 1,
                        fires != NULL ? "the transition is not enabled" : "the goal does not hold");
        else if (fires != NULL)
            net_fire(fires, t.marking);
    }
    finish(&t);
    return good;
}
