#include "tracegen/charts/chart_draw.h"

#include <string.h>

static void quoted(struct text *out, const char *words)
{
    text_add_char(out, '"');
    for (const char *c = words; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            text_add_char(out, '\\');
        text_add_char(out, *c == '\n' ? ' ' : *c);
    }
    text_add_char(out, '"');
}

// Something that an edge can begin or end at: the state itself, or an invisible point inside its cluster.
static void anchor(struct text *out, const struct chart_state *state)
{
    text_printf(out, state->region_count > 0 ? "a%u" : "n%u", state->index);
}

static void draw_region(struct text *out, const struct chart_region *region, int depth);

static void draw_simple(struct text *out, const struct chart_state *state)
{
    static const char *const SHAPES[] = {
        [CHART_STATE] = "shape=box, style=rounded",
        [CHART_FINAL] = "shape=doublecircle",
        [CHART_SHALLOW_HISTORY] = "shape=circle, label=\"H\"",
        [CHART_DEEP_HISTORY] = "shape=circle, label=\"H*\"",
        [CHART_CHOICE] = "shape=diamond, label=\"\", width=0.2, height=0.2",
        [CHART_INITIAL] = "shape=point, width=0.12",
        [CHART_FORK] = "shape=box, style=filled, fillcolor=black, label=\"\", height=0.05",
        [CHART_JOIN] = "shape=box, style=filled, fillcolor=black, label=\"\", height=0.05",
    };
    text_printf(out, "n%u [id=\"s%u\", ", state->index, state->index);
    if (chart_can_be_active(state)) {
        text_add(out, "label=");
        quoted(out, state->name);
        text_add(out, ", ");
    }
    text_printf(out, "%s];\n", SHAPES[state->kind]);
}

static void draw_state(struct text *out, const struct chart_state *state, int depth)
{
    if (state->region_count == 0) {
        draw_simple(out, state);
        return;
    }
    text_printf(out, "subgraph cluster_s%u { id=\"s%u\"; style=rounded; label=", state->index,
                state->index);
    quoted(out, state->name);
    text_printf(out, ";\na%u [shape=point, style=invis, width=0.01, label=\"\"];\n", state->index);
    for (uint32_t i = 0; i < state->region_count; i++)
        draw_region(out, state->regions[i], depth + 1);
    text_add(out, "}\n");
}

// Regions beside one another have dashed boxes of their own.
static void draw_region(struct text *out, const struct chart_region *region, int depth)
{
    bool alone = region->parent != NULL ? region->parent->region_count == 1
                                        : region->component->region_count == 1;
    if (!alone) {
        text_printf(out, "subgraph cluster_r%u { style=dashed; label=", region->index);
        quoted(out, region->name);
        text_add(out, ";\n");
    }
    for (uint32_t i = 0; i < region->state_count; i++)
        draw_state(out, region->states[i], depth);
    if (region->initial == NULL && region->active_count > 0) {
        text_printf(out, "i%u [shape=point, width=0.12];\ni%u -> ", region->index, region->index);
        anchor(out, region->states[0]);
        text_add(out, ";\n");
    }
    if (!alone)
        text_add(out, "}\n");
}

static void draw_edge(struct text *out, const struct chart_transition *transition, bool fires)
{
    const struct chart_state *source = transition->source;
    for (uint32_t i = 0; i == 0 || i < transition->target_count; i++) {
        const struct chart_state *target =
            transition->target_count == 0 ? source : transition->targets[i];
        anchor(out, source);
        text_add(out, " -> ");
        anchor(out, target);
        text_add(out, " [");
        if (fires && i == 0)
            text_printf(out, "id=\"t%u\", ", transition->index);
        // An edge ends at a cluster's border unless its other end is inside.
        if (source->region_count > 0 && source != target && !chart_is_below(target, source))
            text_printf(out, "ltail=cluster_s%u, ", source->index);
        if (target->region_count > 0 && source != target && !chart_is_below(source, target))
            text_printf(out, "lhead=cluster_s%u, ", target->index);
        const char *label = strstr(transition->text, " on ");
        if (label == NULL)
            label = strchr(transition->text, '[');
        if (label == NULL)
            label = strstr(transition->text, "when ");
        if (label != NULL && strncmp(label, " on ", 4) == 0)
            label += 4;
        text_add(out, "label=");
        quoted(out, label != NULL ? label : "");
        text_add(out, "];\n");
    }
}

void chart_draw_dot(struct text *out, const struct chart *chart)
{
    text_add(out, "digraph chart {\ncompound=true;\nfontname=\"sans-serif\";\n"
                  "node [fontname=\"sans-serif\", fontsize=11];\n"
                  "edge [fontname=\"sans-serif\", fontsize=9];\n");
    for (uint32_t i = 0; i < chart->component_count; i++) {
        const struct chart_component *component = chart->components[i];
        bool named = component->name[0] != '\0';
        if (named) {
            text_printf(out, "subgraph cluster_c%u { label=", i);
            quoted(out, component->name);
            text_add(out, ";\n");
        }
        for (uint32_t j = 0; j < component->region_count; j++)
            draw_region(out, component->regions[j], 0);
        if (named)
            text_add(out, "}\n");
    }
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        const struct chart_transition *transition = chart->transitions[i];
        draw_edge(out, transition,
                  chart_can_be_active(transition->source) ||
                      transition->source->kind == CHART_CHOICE);
    }
    for (uint32_t i = 0; i < chart->region_count; i++) {
        const struct chart_transition *initial = chart->regions[i]->initial;
        if (initial == NULL || initial->source != NULL)
            continue;
        text_printf(out, "i%u [shape=point, width=0.12];\n", i);
        for (uint32_t k = 0; k < initial->target_count; k++) {
            text_printf(out, "i%u -> ", i);
            anchor(out, initial->targets[k]);
            text_add(out, ";\n");
        }
    }
    text_add(out, "}\n");
}
