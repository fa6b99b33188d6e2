#include "languages/charts/interpret_inside.h"

#include <assert.h>
#include <string.h>

// Steps of the semantics in which regions are looked at from the top down: GAMMA and INTERLEAVING.

struct targets {
    const struct chart_state *const *data;
    uint32_t count;
};

static void enter(struct interpreter *it, const struct chart_region *region,
                  struct targets targets);

static const struct chart_state *active_in(const struct interpreter *it,
                                           const struct chart_region *region)
{
    int64_t place = it->cells[region->index];
    assert(place < (int64_t)region->active_count);
    return place < 0 ? NULL : region->states[place];
}

static void leave(struct interpreter *it, const struct chart_region *region)
{
    const struct chart_state *state = active_in(it, region);
    if (state == NULL)
        return;
    for (uint32_t i = 0; i < state->region_count; i++)
        leave(it, state->regions[i]);
    interpret_actions(it, chart_exit_of(it->chart, state));
    interpret_note(it, NOTE_EXIT, state);
    if (region->remembers)
        it->cells[interpreter_history_cell(it->chart, region)] = it->cells[region->index];
    it->cells[region->index] = -1;
}

static void activate(struct interpreter *it, const struct chart_state *state)
{
    assert(chart_can_be_active(state));
    it->cells[state->parent->index] = state->place;
    interpret_note(it, NOTE_ENTER, state);
    interpret_actions(it, state->entry);
}

static void enter_initially(struct interpreter *it, const struct chart_region *region)
{
    if (region->initial == NULL) {
        const struct chart_state *first = region->states[0];
        enter(it, region, (struct targets){&first, 1});
        return;
    }
    interpret_actions(it, chart_action_of(it->chart, region->initial));
    enter(it, region, (struct targets){region->initial->targets, region->initial->target_count});
}

static void restore(struct interpreter *it, const struct chart_region *region, bool deep)
{
    int64_t place = it->cells[interpreter_history_cell(it->chart, region)];
    if (place < 0) {
        enter_initially(it, region);
        return;
    }
    assert(place < (int64_t)region->active_count);
    const struct chart_state *state = region->states[place];
    activate(it, state);
    for (uint32_t i = 0; i < state->region_count; i++) {
        if (deep)
            restore(it, state->regions[i], true);
        else
            enter(it, state->regions[i], (struct targets){NULL, 0});
    }
}

static void fire(struct interpreter *it, const struct chart_transition *transition);

static bool may_fire(struct interpreter *it, const struct chart_transition *transition)
{
    return interpret_holds(it, transition->trigger) && interpret_holds(it, transition->guard);
}

// One of those that are enabled, as the component's priority says; NULL if none is.
static const struct chart_transition *pick(struct interpreter *it, const struct chart_state *state)
{
    enum chart_priority priority = state->parent->component->priority;
    interpret_overlap(it, state);
    VECTOR(const struct chart_transition *) enabled = {0};
    const struct chart_transition *otherwise = NULL, *picked;
    for (uint32_t i = 0; i < state->out_count; i++) {
        const struct chart_transition *t = state->out[i];
        if (t->otherwise)
            otherwise = t;
        else if (may_fire(it, t))
            VECTOR_PUSH(&enabled, t);
    }
    size_t best = 0;
    if (priority == CHART_BY_VALUE) {
        size_t kept = 0;
        for (size_t i = 0; i < enabled.count; i++) {
            if (enabled.data[i]->priority > enabled.data[best]->priority)
                best = i;
        }
        int64_t value = enabled.count > 0 ? enabled.data[best]->priority : 0;
        for (size_t i = 0; i < enabled.count; i++) {
            if (enabled.data[i]->priority == value)
                enabled.data[kept++] = enabled.data[i];
        }
        enabled.count = kept;
    }
    if (enabled.count == 0)
        picked = otherwise;
    else
        picked = enabled.data[priority == CHART_DOCUMENT_ORDER
                                  ? 0
                                  : interpret_choose(it, (uint32_t)enabled.count)];
    VECTOR_FINISH(&enabled);
    return picked;
}

static void enter_pseudo(struct interpreter *it, const struct chart_state *pseudo)
{
    if (pseudo->kind == CHART_CHOICE || pseudo->kind == CHART_INITIAL) {
        const struct chart_transition *next = pick(it, pseudo);
        if (next == NULL)
            interpret_fail(it, INTERPRETER_BLOCKED);
        else if (it->outcome == INTERPRETER_DONE)
            fire(it, next);
        return;
    }
    assert(pseudo->kind == CHART_SHALLOW_HISTORY || pseudo->kind == CHART_DEEP_HISTORY);
    restore(it, pseudo->parent, pseudo->kind == CHART_DEEP_HISTORY);
}

static void enter(struct interpreter *it, const struct chart_region *region, struct targets targets)
{
    const struct chart_state *inside = NULL;
    for (uint32_t i = 0; i < targets.count; i++) {
        if (chart_is_in(targets.data[i], region))
            inside = targets.data[i];
    }
    if (inside == NULL && region->history != NULL) {
        enter_pseudo(it, region->history);
        return;
    }
    if (inside == NULL) {
        enter_initially(it, region);
        return;
    }
    if (inside->parent == region && !chart_can_be_active(inside)) {
        enter_pseudo(it, inside);
        return;
    }
    while (inside->parent != region)
        inside = chart_parent(inside);
    activate(it, inside);
    for (uint32_t i = 0; i < inside->region_count; i++)
        enter(it, inside->regions[i], targets);
}

static void fire(struct interpreter *it, const struct chart_transition *transition)
{
    const struct chart_region *domain = chart_domain(it->chart, transition);
    interpret_note(it, NOTE_FIRE, transition);
    if (domain != NULL)
        leave(it, domain);
    interpret_actions(it, chart_action_of(it->chart, transition));
    if (domain != NULL)
        enter(it, domain, (struct targets){transition->targets, transition->target_count});
}

// ---- GAMMA -------------------------------------------------------------------------------------

static bool is_inside(const struct chart_region *region, const struct chart_region *around)
{
    while (region != NULL && region != around)
        region = region->parent == NULL ? NULL : region->parent->parent;
    return region == around;
}

// Whether something fired; *domain: what the last one that fired left.
static bool run_region(struct interpreter *it, const struct chart_region *region,
                       const struct chart_region **domain);

static bool run_own(struct interpreter *it, const struct chart_state *state,
                    const struct chart_region **domain)
{
    const struct chart_transition *transition = pick(it, state);
    if (transition == NULL)
        return false;
    *domain = chart_domain(it->chart, transition);
    fire(it, transition);
    return true;
}

// The regions take turns, until one of them leaves the state that they are in.
static bool run_inside(struct interpreter *it, const struct chart_state *state,
                       const struct chart_region **domain)
{
    bool any = false;
    for (uint32_t i = 0; i < state->region_count; i++) {
        const struct chart_region *region = state->regions[i];
        if (!run_region(it, region, domain))
            continue;
        any = true;
        if (*domain != NULL && !is_inside(*domain, region))
            break;
    }
    return any;
}

static bool run_region(struct interpreter *it, const struct chart_region *region,
                       const struct chart_region **domain)
{
    const struct chart_state *state = active_in(it, region);
    if (state == NULL || it->outcome != INTERPRETER_DONE)
        return false;
    if (region->component->inner_first)
        return run_inside(it, state, domain) || run_own(it, state, domain);
    return run_own(it, state, domain) || run_inside(it, state, domain);
}

static void run_operations(struct interpreter *it, const struct chart_operation *operations,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct chart_operation *operation = &operations[i];
        if (!interpret_holds(it, operation->when))
            continue;
        interpret_actions(it, operation->action);
        if (operation->component == NULL)
            continue;
        interpret_note(it, NOTE_RUN, operation->component);
        const struct chart_region *domain = NULL;
        for (uint32_t j = 0; j < operation->component->region_count; j++)
            run_region(it, operation->component->regions[j], &domain);
    }
}

void interpret_tree_start(struct interpreter *it)
{
    const struct chart *chart = it->chart;
    interpret_actions(it, chart->start);
    for (uint32_t i = 0; i < chart->component_count; i++) {
        const struct chart_component *component = chart->components[i];
        for (uint32_t j = 0; j < component->region_count; j++)
            enter(it, component->regions[j], (struct targets){NULL, 0});
    }
    interpret_actions(it, chart->settle);
    run_operations(it, chart->first, chart->first_count);
}

void interpret_gamma_step(struct interpreter *it)
{
    interpret_actions(it, it->chart->environment);
    run_operations(it, it->chart->operations, it->chart->operation_count);
}

// ---- INTERLEAVING ------------------------------------------------------------------------------

static void set(struct interpreter *it, const struct chart_variable *flag, int64_t value)
{
    it->cells[interpreter_variable_cell(it->chart, flag)] = value;
}

static void consume(struct interpreter *it, const struct chart_transition *transition)
{
    if (transition->consumed != NULL)
        set(it, transition->consumed, 0);
    for (uint32_t i = 0; it->chart->drops_unused && i < it->chart->event_count; i++)
        set(it, it->chart->events[i]->flag, 0);
}

void interpret_interleaving_step(struct interpreter *it, const struct chart_event *event)
{
    const struct chart *chart = it->chart;
    if (event != NULL)
        set(it, event->flag, 1);
    for (uint32_t i = 0; i < chart->state_count; i++) {
        if (chart_can_be_active(chart->states[i]) &&
            interpreter_is_active(chart, it->cells, chart->states[i]))
            interpret_overlap(it, chart->states[i]);
    }
    VECTOR(const struct chart_transition *) enabled = {0};
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        const struct chart_transition *t = chart->transitions[i];
        if (chart_can_be_active(t->source) && interpreter_is_active(chart, it->cells, t->source) &&
            may_fire(it, t))
            VECTOR_PUSH(&enabled, t);
    }
    if (enabled.count > 0) {
        const struct chart_transition *t =
            enabled.data[interpret_choose(it, (uint32_t)enabled.count)];
        const struct chart_region *domain = chart_domain(chart, t);
        interpret_note(it, NOTE_FIRE, t);
        consume(it, t);
        if (domain != NULL)
            leave(it, domain);
        interpret_actions(it, chart_action_of(it->chart, t));
        if (domain != NULL)
            enter(it, domain, (struct targets){t->targets, t->target_count});
    } else if (chart->drops_unused) {
        for (uint32_t i = 0; i < chart->event_count; i++)
            set(it, chart->events[i]->flag, 0);
    }
    VECTOR_FINISH(&enabled);
}
