#include "model/capsules/draw.h"

#include <string.h>

// The structure and the machines for Graphviz.

static void quoted(struct text *out, const char *words)
{
    for (const char *c = words; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            text_add_char(out, '\\');
        text_add_char(out, *c == '\n' ? ' ' : *c);
    }
}

static const char *own_name(const char *path)
{
    const char *point = strrchr(path, '.');
    return point != NULL ? point + 1 : path;
}

static void draw_part(const struct capsules *model, uint32_t i, struct text *out)
{
    const struct capsule_instance *node = &model->instances.data[i];
    bool holds = node->children.count > 0;
    if (holds) {
        text_printf(out, "subgraph cluster_i%u { style=\"rounded%s\"; label=\"", i,
                    node->fixed ? "" : ",dashed");
        quoted(out, own_name(node->path));
        text_add(out, "\";\n");
    }
    text_printf(out, "i%u [shape=box, style=%s, label=\"", i, node->fixed ? "filled" : "dashed");
    quoted(out, own_name(node->path));
    text_add(out, ": ");
    quoted(out, model->modules.data[node->module].name);
    text_add(out, "\"];\n");
    for (size_t c = 0; c < node->children.count; c++)
        draw_part(model, node->children.data[c], out);
    if (holds)
        text_add(out, "}\n");
}

// One arrow for all that goes from one part to another.
static void draw_wires(const struct capsules *model, uint32_t from, uint32_t to, struct text *out)
{
    const struct capsule_instance *node = &model->instances.data[from];
    const struct capsule_module *m = &model->modules.data[node->module];
    bool some = false;
    for (uint32_t s = 0; s < m->signals.count; s++) {
        if (!m->signals.data[s].out || node->routes.data[s].receiver != to)
            continue;
        if (some)
            text_add(out, "\\n");
        else
            text_printf(out, "i%u -> i%u [label=\"", from, to);
        quoted(out, m->signals.data[s].name);
        some = true;
    }
    if (some)
        text_add(out, "\"];\n");
}

static void draw_outside(const struct capsules *model, uint32_t to, struct text *out)
{
    const struct capsule_module *m = capsules_module_of(model, to);
    bool some = false;
    for (uint32_t s = 0; s < m->signals.count; s++) {
        if (!m->signals.data[s].external)
            continue;
        if (some)
            text_add(out, "\\n");
        else
            text_printf(out,
                        "e%u [shape=plaintext, label=\"\"];\ne%u -> i%u [style=dashed, label=\"",
                        to, to, to);
        quoted(out, m->signals.data[s].name);
        some = true;
    }
    if (some)
        text_add(out, "\"];\n");
}

// The smallest composite of the location; CAPSULE_NONE: none.
static uint32_t composite_of(const struct capsule_module *m, uint32_t location)
{
    uint32_t best = CAPSULE_NONE;
    for (uint32_t c = 0; c < m->composites.count; c++)
        for (size_t i = 0; i < m->composites.data[c].locations.count; i++)
            if (m->composites.data[c].locations.data[i] == location &&
                (best == CAPSULE_NONE ||
                 m->composites.data[c].locations.count < m->composites.data[best].locations.count))
                best = c;
    return best;
}

static void draw_locations(const struct capsule_module *m, uint32_t number, uint32_t composite,
                           struct text *out)
{
    for (uint32_t l = 0; l < m->locations.count; l++) {
        if (composite_of(m, l) != composite)
            continue;
        text_printf(out, "m%u_%u [shape=box, style=rounded, label=\"", number, l);
        quoted(out, m->locations.data[l].name);
        text_add(out, "\"];\n");
    }
}

static void draw_label(const struct capsules *model, const struct capsule_module *m,
                       const struct capsule_transition *t, struct text *out)
{
    struct text label = {0};
    if (t->kind != CAPSULE_INIT)
        text_add(&label, t->kind == CAPSULE_TIMER ? m->timers.data[t->trigger].name
                                                  : m->signals.data[t->trigger].name);
    if (t->kind != CAPSULE_INIT && !term_is_true(t->guard)) {
        text_add(&label, " [");
        capsules_print_term(model, t->guard, &label);
        text_add(&label, "]");
    }
    for (uint32_t s = 0, some = 0; s < m->signals.count; s++) {
        bool sent = false;
        for (size_t c = 0; c < t->cases.count; c++)
            for (size_t o = 0; o < t->cases.data[c].outputs.count; o++)
                sent |= t->cases.data[c].outputs.data[o].signal == s;
        if (sent)
            text_printf(&label, "%s%s", some++ == 0 ? " / " : ", ", m->signals.data[s].name);
    }
    quoted(out, text_string(&label));
    text_finish(&label);
}

static void draw_machine(const struct capsules *model, uint32_t number, struct text *out)
{
    const struct capsule_module *m = &model->modules.data[number];
    text_printf(out, "subgraph cluster_m%u { label=\"machine of ", number);
    quoted(out, m->name);
    text_printf(out, "\";\nm%u_i [shape=point, width=0.12];\n", number);
    draw_locations(m, number, CAPSULE_NONE, out);
    for (uint32_t c = 0; c < m->composites.count; c++) {
        text_printf(out, "subgraph cluster_m%u_%u { style=rounded; label=\"", number, c);
        quoted(out, m->composites.data[c].name);
        text_add(out, "\";\n");
        draw_locations(m, number, c, out);
        text_add(out, "}\n");
    }
    for (size_t i = 0; i < m->transitions.count; i++) {
        const struct capsule_transition *t = &m->transitions.data[i];
        if (t->source == CAPSULE_NONE)
            text_printf(out, "m%u_i -> m%u_%u [label=\"", number, number, t->target);
        else
            text_printf(out, "m%u_%u -> m%u_%u [label=\"", number, t->source, number, t->target);
        draw_label(model, m, t, out);
        text_add(out, "\"];\n");
    }
    text_add(out, "}\n");
}

void capsules_draw(const struct capsules *model, struct text *out)
{
    text_add(out, "digraph capsules {\nfontname=\"sans-serif\"; node [fontname=\"sans-serif\", "
                  "fontsize=11, fillcolor=\"#eeeeee\"]; edge [fontname=\"sans-serif\", "
                  "fontsize=9];\n");
    draw_part(model, 0, out);
    for (uint32_t a = 0; a < model->instances.count; a++) {
        draw_outside(model, a, out);
        for (uint32_t b = 0; b < model->instances.count; b++)
            draw_wires(model, a, b, out);
    }
    for (uint32_t m = 0; m < model->modules.count; m++) {
        bool used = false;
        for (size_t i = 0; i < model->instances.count; i++)
            used |= model->instances.data[i].module == m;
        if (used && model->modules.data[m].initial != CAPSULE_NONE)
            draw_machine(model, m, out);
    }
    text_add(out, "}\n");
}
