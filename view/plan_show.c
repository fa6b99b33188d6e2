#include "view/plan_show.h"

#include <assert.h>

static void add_budget(struct text *out, const struct plan_step *step)
{
    switch (step->budget) {
    case BUDGET_REST:
        text_add(out, "rest");
        break;
    case BUDGET_SHARE:
        text_printf(out, "%g%%", step->amount * 100);
        break;
    case BUDGET_SECONDS:
        text_printf(out, "%gs", step->amount);
        break;
    case BUDGET_STEPS:
        text_printf(out, "%.0f steps", step->amount);
        break;
    }
}

static void add_limits(struct text *out, const struct plan_step *step)
{
    if (step->extend > 0)
        text_printf(out, ", and %g%% more when it will finish", step->extend * 100);
    if (step->cpu_seconds > 0)
        text_printf(out, ", cpu %gs", step->cpu_seconds);
    if (step->cores > 1)
        text_printf(out, ", %u cores", step->cores);
    if (step->memory_share > 0)
        text_printf(out, ", memory %g%%", step->memory_share * 100);
    if (step->memory_bytes) {
        text_add(out, ", memory ");
        text_add_size(out, step->memory_bytes);
    }
    if (step->isolation == ISOLATION_PROCESS)
        text_add(out, ", in a process");
    if (step->isolation == ISOLATION_THREAD)
        text_add(out, ", in a thread");
}

static void add_reactions(struct text *out, const struct plan_step *step)
{
    for (int o = 0; o < ON_COUNT; o++) {
        const struct plan_reaction *r = &step->on[o];
        if (r->kind == REACTION_NEXT && !r->keeps_precision)
            continue;
        text_printf(out, "        %s: ", plan_outcome_name((enum plan_outcome)o));
        if (r->kind == REACTION_END)
            text_add(out, "the lane ends");
        else if (r->kind == REACTION_NEXT)
            text_add(out, "the next step");
        else if (r->kind == REACTION_GIVE)
            text_add(out, "lanes that wait come first");
        else if (r->kind == REACTION_MITIGATE)
            text_printf(out, "step %zu when nothing else is left to run", r->target);
        else
            text_printf(out, "step %zu", r->target);
        text_add(out, r->keeps_precision ? ", keeping precision\n" : "\n");
    }
}

static void show_lane(struct text *out, const struct plan_lane *lane, size_t index)
{
    text_printf(out, "  lane %zu\n", index);
    for (size_t i = 0; i < lane->step_count; i++) {
        const struct plan_step *step = &lane->steps[i];
        text_printf(out, "    %zu %s: ", i, step->configuration->name);
        add_budget(out, step);
        add_limits(out, step);
        if (step->label != NULL)
            text_printf(out, ", label %s", step->label);
        if (step->when_text != NULL)
            text_printf(out, ", when %s", step->when_text);
        if (step->retry_of)
            text_printf(out, ", retry of %zu", step->retry_of - 1);
        text_add_char(out, '\n');
        add_reactions(out, step);
    }
}

static void add_share(struct text *out, const struct plan_variant *variant)
{
    if (variant->share > 1)
        text_printf(out, ", each shared by %u lanes", variant->share);
}

void plan_show(struct text *out, const struct plan *plan, const struct plan_variant *only)
{
    text_printf(out, "%s: %s\n", plan->name, plan->description);
    if (plan->cooperate)
        text_add(out, "attempts give one another what they track\n");
    for (size_t v = 0; v < plan->variant_count; v++) {
        const struct plan_variant *variant = &plan->variants[v];
        if (only != NULL && variant != only)
            continue;
        text_printf(out, "%u core%s and more", variant->cores, variant->cores == 1 ? "" : "s");
        add_share(out, variant);
        text_add_char(out, '\n');
        for (size_t l = 0; l < variant->lane_count; l++)
            show_lane(out, &variant->lanes[l], l);
    }
}

// Graphviz.

static void add_quoted(struct text *out, const char *string)
{
    for (; *string; string++) {
        if (*string == '"' || *string == '\\')
            text_add_char(out, '\\');
        text_add_char(out, *string);
    }
}

static void dot_step(struct text *out, const struct plan_lane *lane, size_t v, size_t l, size_t i)
{
    const struct plan_step *step = &lane->steps[i];
    text_printf(out, "      v%zul%zus%zu [label=\"", v, l, i);
    add_quoted(out, step->configuration->name);
    text_add(out, "\\n");
    add_budget(out, step);
    add_limits(out, step);
    if (step->when_text != NULL) {
        text_add(out, "\\nwhen ");
        add_quoted(out, step->when_text);
    }
    text_printf(out, "\"%s];\n", step->when != NULL ? ", style=dashed" : "");
}

static void dot_edges(struct text *out, const struct plan_lane *lane, size_t v, size_t l, size_t i)
{
    const struct plan_step *step = &lane->steps[i];
    size_t next = plan_step_next(lane, i);
    if (next != PLAN_END)
        text_printf(out, "      v%zul%zus%zu -> v%zul%zus%zu;\n", v, l, i, v, l, next);
    for (int o = 0; o < ON_COUNT; o++) {
        const struct plan_reaction *r = &step->on[o];
        const char *name = plan_outcome_name((enum plan_outcome)o);
        assert((r->kind != REACTION_GOTO && r->kind != REACTION_RETRY &&
                r->kind != REACTION_MITIGATE) ||
               r->target < lane->step_count);
        if (r->kind == REACTION_GOTO || r->kind == REACTION_RETRY)
            text_printf(out, "      v%zul%zus%zu -> v%zul%zus%zu [label=\"%s\"];\n", v, l, i, v, l,
                        r->target, name);
        else if (r->kind == REACTION_MITIGATE)
            text_printf(out,
                        "      v%zul%zus%zu -> v%zul%zus%zu [label=\"%s, nothing else left\"];\n",
                        v, l, i, v, l, r->target, name);
        else if (r->kind == REACTION_END)
            text_printf(out, "      v%zul%zus%zu -> v%zul%zuend [label=\"%s\"];\n", v, l, i, v, l,
                        name);
        else if (r->kind == REACTION_GIVE && next != PLAN_END)
            text_printf(out, "      v%zul%zus%zu -> v%zul%zus%zu [label=\"%s: give\"];\n", v, l, i,
                        v, l, next, name);
    }
}

static void dot_lane(struct text *out, const struct plan_lane *lane, size_t v, size_t l)
{
    bool ends = false;
    text_printf(out, "    subgraph cluster_v%zul%zu {\n      label=\"lane %zu\";\n", v, l, l);
    for (size_t i = 0; i < lane->step_count; i++) {
        dot_step(out, lane, v, l, i);
        for (int o = 0; o < ON_COUNT; o++)
            ends |= lane->steps[i].on[o].kind == REACTION_END;
    }
    if (ends)
        text_printf(out, "      v%zul%zuend [shape=point];\n", v, l);
    for (size_t i = 0; i < lane->step_count; i++)
        dot_edges(out, lane, v, l, i);
    text_add(out, "    }\n");
}

void plan_show_dot(struct text *out, const struct plan *plan, const struct plan_variant *only)
{
    text_add(out, "digraph plan {\n  node [shape=box];\n");
    for (size_t v = 0; v < plan->variant_count; v++) {
        const struct plan_variant *variant = &plan->variants[v];
        if (only != NULL && variant != only)
            continue;
        text_printf(out, "  subgraph cluster_v%zu {\n    label=\"%u cores and more", v,
                    variant->cores);
        add_share(out, variant);
        text_add(out, "\";\n");
        for (size_t l = 0; l < variant->lane_count; l++)
            dot_lane(out, &variant->lanes[l], v, l);
        text_add(out, "  }\n");
    }
    text_add(out, "}\n");
}
