#include "languages/charts/translate_inside.h"

#include "base/memory.h"
#include "base/text.h"

// The semantics in which regions are looked at from the top down: GAMMA and INTERLEAVING.

static bool goes_before(const struct chart_state *state, uint32_t a, uint32_t b)
{
    const struct chart_transition *one = state->out[a], *two = state->out[b];
    if (one->otherwise)
        return false;
    if (two->otherwise)
        return true;
    switch (state->parent->component->priority) {
    case CHART_DOCUMENT_ORDER:
        return a < b;
    case CHART_BY_VALUE:
        return one->priority > two->priority;
    default:
        return false;
    }
}

const struct term **translate_conditions(struct translation *t, const struct chart_state *state,
                                         const struct term **none)
{
    const struct term **conditions = memory_alloc((state->out_count + 1) * sizeof *conditions);
    const struct term **enabled = memory_alloc((state->out_count + 1) * sizeof *enabled);
    const struct term *any = term_false(t->store);
    for (uint32_t i = 0; i < state->out_count; i++) {
        enabled[i] = translate_enabled(t, state->out[i]);
        any = term_or2(t->store, any, enabled[i]);
    }
    for (uint32_t i = 0; i < state->out_count; i++) {
        conditions[i] = enabled[i];
        for (uint32_t j = 0; j < state->out_count; j++) {
            if (j != i && goes_before(state, j, i))
                conditions[i] = term_and2(t->store, conditions[i], term_not(t->store, enabled[j]));
        }
    }
    if (none != NULL)
        *none = term_not(t->store, any);
    memory_free(enabled);
    return conditions;
}

static void choose(struct translation *t, struct statements *branches)
{
    if (branches->count == 1)
        translate_push(t, branches->data[0]);
    else if (branches->count > 1)
        translate_push(t, model_choice(t->builder, branches->data, branches->count, t->nowhere));
    VECTOR_FINISH(branches);
}

// ---- GAMMA -------------------------------------------------------------------------------------

static bool is_same_or_below(const struct chart_region *region, const struct chart_region *above)
{
    while (region != NULL && region != above)
        region = region->parent == NULL ? NULL : region->parent->parent;
    return region == above;
}

// Does a transition from inside the region leave more than the region?
static bool can_be_left(const struct translation *t, const struct chart_region *region)
{
    for (uint32_t i = 0; i < t->chart->transition_count; i++) {
        const struct chart_transition *transition = t->chart->transitions[i];
        if (!chart_is_in(transition->source, region))
            continue;
        const struct chart_region *domain = chart_domain(t->chart, transition);
        if (domain != NULL && !is_same_or_below(domain, region))
            return true;
    }
    return false;
}

static void set_flag(struct translation *t, const struct variable *flag, bool value)
{
    if (flag != NULL)
        translate_assign(t, flag, term_bool(t->store, value));
}

// The states around are told that something inside fired, and whether it left their regions.
static void fire(struct translation *t, const struct chart_transition *transition)
{
    const struct chart_region *domain = chart_domain(t->chart, transition);
    translate_fire(t, transition);
    for (const struct chart_region *r = transition->source->parent; r->parent != NULL;
         r = r->parent->parent) {
        set_flag(t, t->fired[r->parent->index], true);
        if (domain != NULL && !is_same_or_below(domain, r))
            set_flag(t, t->left[r->parent->index], true);
    }
}

static void run_region(struct translation *t, const struct chart_region *region);

static void run_inside(struct translation *t, const struct chart_state *state)
{
    set_flag(t, t->left[state->index], false);
    for (uint32_t i = 0; i < state->region_count; i++) {
        if (i == 0 || t->left[state->index] == NULL) {
            run_region(t, state->regions[i]);
            continue;
        }
        struct statements inner, *outer = translate_begin(t, &inner);
        run_region(t, state->regions[i]);
        struct statement *run = translate_end(t, &inner, outer);
        translate_push(t, model_if(t->builder, t->left[state->index]->term,
                                   model_skip(t->builder, t->nowhere), run, t->nowhere));
    }
}

// Its own transitions; `inside` runs when none of them may fire.
static void run_own(struct translation *t, const struct chart_state *state, bool inside)
{
    const struct term *none;
    translate_overlap(t, state, NULL);
    translate_reads(t, state);
    const struct term **conditions = translate_conditions(t, state, &none);
    struct statements branches = {0};
    for (uint32_t i = 0; i < state->out_count; i++) {
        if (term_is_false(conditions[i]))
            continue;
        struct statements inner, *outer = translate_begin(t, &inner);
        translate_push(t, model_assume(t->builder, conditions[i], state->out[i]->source_position));
        fire(t, state->out[i]);
        struct statement *branch = translate_end(t, &inner, outer);
        VECTOR_PUSH(&branches, branch);
    }
    if (!term_is_false(none)) {
        struct statements inner, *outer = translate_begin(t, &inner);
        translate_push(t, model_assume(t->builder, none, t->nowhere));
        if (inside)
            run_inside(t, state);
        struct statement *branch = translate_end(t, &inner, outer);
        VECTOR_PUSH(&branches, branch);
    }
    choose(t, &branches);
    memory_free(conditions);
}

static void run_state(struct translation *t, const struct chart_state *state)
{
    if (!state->parent->component->inner_first || state->region_count == 0) {
        run_own(t, state, true);
        return;
    }
    const struct variable *fired = t->fired[state->index];
    set_flag(t, fired, false);
    run_inside(t, state);
    struct statements inner, *outer = translate_begin(t, &inner);
    run_own(t, state, false);
    struct statement *own = translate_end(t, &inner, outer);
    translate_push(
        t, model_if(t->builder, fired->term, model_skip(t->builder, t->nowhere), own, t->nowhere));
}

// NULL: the region itself is not active.
static const struct term *region_is(struct translation *t, const struct chart_region *region,
                                    const struct chart_state *state)
{
    const struct variable *variable = t->map->region[region->index];
    if (state != NULL)
        return translate_active(t, state);
    if (variable != NULL)
        return term_eq(t->store, variable->term, term_enum(t->store, variable->sort, 0));
    return region->parent == NULL ? term_false(t->store)
                                  : term_not(t->store, translate_active(t, region->parent));
}

static void run_region(struct translation *t, const struct chart_region *region)
{
    struct statements branches = {0};
    for (uint32_t i = 0; i <= region->active_count; i++) {
        const struct chart_state *state = i < region->active_count ? region->states[i] : NULL;
        const struct term *is = region_is(t, region, state); // inactive comes last
        if (term_is_false(is))
            continue;
        struct statements inner, *outer = translate_begin(t, &inner);
        translate_push(t, model_assume(t->builder, is, t->nowhere));
        if (state != NULL)
            run_state(t, state);
        struct statement *branch = translate_end(t, &inner, outer);
        VECTOR_PUSH(&branches, branch);
    }
    choose(t, &branches);
}

static void declare_flags(struct translation *t)
{
    for (uint32_t i = 0; i < t->chart->state_count; i++) {
        const struct chart_state *state = t->chart->states[i];
        bool left = false;
        for (uint32_t j = 0; j + 1 < state->region_count; j++)
            left |= can_be_left(t, state->regions[j]);
        const struct sort *sort = sort_bool(t->store);
        if (left)
            t->left[i] = model_builder_fresh(t->builder, "left", sort, VARIABLE_LOCAL, t->nowhere);
        if (state->region_count > 0 && state->parent->component->inner_first)
            t->fired[i] =
                model_builder_fresh(t->builder, "fired", sort, VARIABLE_LOCAL, t->nowhere);
    }
}

static void run_operation(struct translation *t, const struct chart_operation *operation)
{
    struct statements inner, *outer = translate_begin(t, &inner);
    translate_actions(t, operation->action);
    const struct chart_component *component = operation->component;
    for (uint32_t i = 0; component != NULL && i < component->region_count; i++)
        run_region(t, component->regions[i]);
    struct statement *run = translate_end(t, &inner, outer);
    if (operation->when != NULL)
        run = model_if(t->builder, translate_term(t, operation->when), run,
                       model_skip(t->builder, t->nowhere), t->nowhere);
    translate_push(t, run);
}

// The initial action is in t->into already.
static void start(struct translation *t, struct location *at)
{
    const struct chart *chart = t->chart;
    translate_actions(t, chart->start);
    for (uint32_t i = 0; i < chart->component_count; i++) {
        for (uint32_t j = 0; j < chart->components[i]->region_count; j++)
            translate_enter(t, chart->components[i]->regions[j], (struct entry){NULL, 0}, true);
    }
    translate_actions(t, chart->settle);
    for (uint32_t i = 0; i < chart->first_count; i++)
        run_operation(t, &chart->first[i]);
    model_builder_initial(t->builder, at, translate_end(t, t->into, NULL));
}

static const char *operation_name(const struct chart_operation *operation)
{
    if (operation->component == NULL)
        return "transfer";
    return operation->component->name[0] != '\0' ? operation->component->name : "run";
}

void translate_gamma(struct translation *t)
{
    const struct chart *chart = t->chart;
    declare_flags(t);
    start(t, t->stable);
    struct location *at = model_builder_location(t->builder, "stimulated", PHASE_STIMULATED, false);
    t->map->working = at;
    struct statements inner;
    translate_begin(t, &inner);
    translate_actions(t, chart->environment);
    translate_edge(t, t->stable, at, translate_end(t, &inner, NULL), "environment", t->nowhere,
                   NULL, NULL);
    for (uint32_t i = 0; i < chart->operation_count; i++) {
        bool last = i + 1 == chart->operation_count;
        struct location *next =
            last ? t->stable : model_builder_location(t->builder, NULL, PHASE_NONE, false);
        translate_begin(t, &inner);
        run_operation(t, &chart->operations[i]);
        translate_edge(t, at, next, translate_end(t, &inner, NULL),
                       operation_name(&chart->operations[i]), t->nowhere, NULL, NULL);
        at = next;
    }
    if (t->map->unset != NULL)
        translate_edge(t, t->stable, t->error,
                       model_assume(t->builder, t->map->unset->term, t->nowhere), CHART_UNSET_LABEL,
                       t->nowhere, NULL, NULL);
}

// ---- INTERLEAVING ------------------------------------------------------------------------------

static void drop_all(struct translation *t)
{
    for (uint32_t i = 0; i < t->chart->event_count; i++)
        translate_assign(t, t->map->variable[t->chart->events[i]->flag->index],
                         term_false(t->store));
}

static const struct term *step_of(struct translation *t, struct location *from,
                                  const struct chart_transition *transition)
{
    const struct term *enabled = term_and2(t->store, translate_active(t, transition->source),
                                           translate_enabled(t, transition));
    struct statements inner;
    translate_begin(t, &inner);
    translate_assume(t, enabled);
    if (transition->consumed != NULL)
        translate_assign(t, t->map->variable[transition->consumed->index], term_false(t->store));
    if (t->chart->drops_unused)
        drop_all(t);
    translate_fire(t, transition);
    translate_edge(t, from, t->stable, translate_end(t, &inner, NULL), transition->text,
                   transition->source_position, NULL, transition);
    return enabled;
}

static void arrive(struct translation *t, struct location *to, const struct chart_event *event)
{
    struct statements inner;
    struct text label;
    text_init(&label);
    text_printf(&label, event == NULL ? "no event" : "event %s", event == NULL ? "" : event->name);
    translate_begin(t, &inner);
    if (event != NULL)
        translate_assign(t, t->map->variable[event->flag->index], term_true(t->store));
    for (uint32_t i = 0; i < t->chart->state_count; i++) {
        const struct chart_state *state = t->chart->states[i];
        if (chart_can_be_active(state))
            translate_overlap(t, state, translate_active(t, state));
    }
    translate_edge(t, t->stable, to, translate_end(t, &inner, NULL), text_string(&label),
                   t->nowhere, event, NULL);
    text_finish(&label);
}

void translate_interleaving(struct translation *t)
{
    const struct chart *chart = t->chart;
    start(t, t->stable);
    struct location *at = model_builder_location(t->builder, "stimulated", PHASE_STIMULATED, false);
    t->map->working = at;
    arrive(t, at, NULL);
    for (uint32_t i = 0; i < chart->event_count; i++) {
        if (chart->events[i]->external)
            arrive(t, at, chart->events[i]);
    }
    const struct term *any = term_false(t->store);
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        if (chart_can_be_active(chart->transitions[i]->source))
            any = term_or2(t->store, any, step_of(t, at, chart->transitions[i]));
    }
    struct statements inner;
    translate_begin(t, &inner);
    translate_assume(t, term_not(t->store, any));
    if (chart->drops_unused)
        drop_all(t);
    translate_edge(t, at, t->stable, translate_end(t, &inner, NULL), "idle", t->nowhere, NULL,
                   NULL);
}
