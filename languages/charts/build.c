#include "languages/charts/build.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/text.h"

const struct chart_type CHART_TYPE_BOOL = {CHART_BOOL, "boolean", NULL, 0};
const struct chart_type CHART_TYPE_INT = {CHART_INT, "integer", NULL, 0};

struct chart *chart_create(enum chart_semantics semantics, const char *path)
{
    struct arena arena;
    arena_init(&arena);
    struct chart *chart = arena_zalloc(&arena, sizeof *chart);
    chart->semantics = semantics;
    chart->path = arena_strdup(&arena, path);
    chart->name = "";
    chart->queue_bound = 8;
    chart->arena = arena;
    return chart;
}

struct chart *chart_share(const struct chart *whole)
{
    assert(whole->memory_count == 0 && whole->overlapped == NULL && whole->elapsed == NULL);
    struct arena arena;
    arena_init(&arena);
    struct chart *chart = arena_alloc(&arena, sizeof *chart);
    *chart = *whole;
    chart->arena = arena;
    chart->variables = NULL;
    chart->variable_count = 0;
    for (uint32_t i = 0; i < whole->variable_count; i++)
        CHART_APPEND(&chart->arena, chart->variables, chart->variable_count, whole->variables[i]);
    return chart;
}

char *chart_text(struct chart *chart, const char *format, ...)
{
    struct text text;
    text_init(&text);
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    char *copy = arena_strdup(&chart->arena, text_string(&text));
    text_finish(&text);
    return copy;
}

struct chart_component *chart_add_component(struct chart *chart, const char *name)
{
    struct chart_component *component = arena_zalloc(&chart->arena, sizeof *component);
    component->index = chart->component_count;
    component->name = arena_strdup(&chart->arena, name);
    CHART_APPEND(&chart->arena, chart->components, chart->component_count, component);
    return component;
}

struct chart_region *chart_add_region(struct chart *chart, struct chart_component *component,
                                      struct chart_state *parent, const char *name)
{
    assert(parent == NULL || parent->parent->component == component);
    struct chart_region *region = arena_zalloc(&chart->arena, sizeof *region);
    region->index = chart->region_count;
    region->name = region->text = arena_strdup(&chart->arena, name);
    region->parent = parent;
    region->component = component;
    CHART_APPEND(&chart->arena, chart->regions, chart->region_count, region);
    if (parent != NULL)
        CHART_APPEND(&chart->arena, parent->regions, parent->region_count, region);
    else
        CHART_APPEND(&chart->arena, component->regions, component->region_count, region);
    return region;
}

struct chart_state *chart_add_state(struct chart *chart, struct chart_region *region,
                                    enum chart_kind kind, const char *name, struct position source)
{
    assert(region->parent == NULL || region->parent->index < chart->state_count);
    struct chart_state *state = arena_zalloc(&chart->arena, sizeof *state);
    state->index = chart->state_count;
    state->kind = kind;
    state->name = state->text = arena_strdup(&chart->arena, name);
    state->parent = region;
    state->depth = region->parent == NULL ? 1 : region->parent->depth + 1;
    state->source = source;
    state->source.path = chart->path;
    CHART_APPEND(&chart->arena, chart->states, chart->state_count, state);
    CHART_APPEND(&chart->arena, region->states, region->state_count, state);
    return state;
}

struct chart_transition *chart_add_transition(struct chart *chart, struct chart_state *source,
                                              struct position at)
{
    struct chart_transition *transition = arena_zalloc(&chart->arena, sizeof *transition);
    transition->source = source;
    transition->source_position = at;
    transition->text = "";
    transition->index = chart->transition_count;
    if (source != NULL) {
        CHART_APPEND(&chart->arena, source->out, source->out_count, transition);
        CHART_APPEND(&chart->arena, chart->transitions, chart->transition_count, transition);
    }
    return transition;
}

void chart_add_target(struct chart *chart, struct chart_transition *transition,
                      const struct chart_state *target)
{
    CHART_APPEND(&chart->arena, transition->targets, transition->target_count, target);
}

struct chart_variable *chart_add_variable(struct chart *chart, const char *name,
                                          const struct chart_type *type, enum chart_role role,
                                          struct position source)
{
    struct chart_variable *variable = arena_zalloc(&chart->arena, sizeof *variable);
    variable->name = variable->text = arena_strdup(&chart->arena, name);
    variable->type = type;
    variable->role = role;
    variable->index = chart->variable_count;
    variable->source = source;
    CHART_APPEND(&chart->arena, chart->variables, chart->variable_count, variable);
    return variable;
}

struct chart_event *chart_add_event(struct chart *chart, const char *name, struct position source)
{
    struct chart_event *event = arena_zalloc(&chart->arena, sizeof *event);
    event->name = arena_strdup(&chart->arena, name);
    event->index = chart->event_count;
    event->source = source;
    CHART_APPEND(&chart->arena, chart->events, chart->event_count, event);
    return event;
}

void chart_append_actions(const struct chart_action **first, const struct chart_action *more)
{
    while (*first != NULL)
        first = (const struct chart_action **)(uintptr_t) & (*first)->next;
    *first = more;
}

struct chart_action *chart_add_action(struct chart *chart, enum chart_action_kind kind,
                                      struct position source)
{
    struct chart_action *action = arena_zalloc(&chart->arena, sizeof *action);
    action->kind = kind;
    action->source = source;
    return action;
}

struct chart_expression *chart_make(struct chart *chart, enum chart_operator op,
                                    const struct chart_type *type, struct position source)
{
    struct chart_expression *made = arena_zalloc(&chart->arena, sizeof *made);
    made->op = op;
    made->type = type;
    made->source = source;
    return made;
}

const struct chart_expression *chart_literal(struct chart *chart, const struct chart_type *type,
                                             int64_t value)
{
    struct chart_expression *made =
        chart_make(chart, CHART_LITERAL, type, (struct position){chart->path, 0, 0});
    made->value = value;
    return made;
}

const struct chart_expression *chart_read(struct chart *chart,
                                          const struct chart_variable *variable)
{
    struct chart_expression *made =
        chart_make(chart, CHART_VARIABLE, variable->type, variable->source);
    made->variable = variable;
    return made;
}

const struct chart_expression *chart_unary(struct chart *chart, enum chart_operator op,
                                           const struct chart_expression *a)
{
    assert(op == CHART_NOT || op == CHART_NEGATE);
    struct chart_expression *made = chart_make(chart, op, a->type, a->source);
    made->child[0] = a;
    return made;
}

const struct chart_expression *chart_binary(struct chart *chart, enum chart_operator op,
                                            const struct chart_expression *a,
                                            const struct chart_expression *b)
{
    assert(op >= CHART_AND && op <= CHART_REMAINDER);
    ENSURE(op != CHART_EQUAL || a->type == b->type);
    bool numeric = op >= CHART_ADD;
    struct chart_expression *made =
        chart_make(chart, op, numeric ? &CHART_TYPE_INT : &CHART_TYPE_BOOL, a->source);
    made->child[0] = a;
    made->child[1] = b;
    return made;
}

const struct chart_expression *chart_both(struct chart *chart, const struct chart_expression *a,
                                          const struct chart_expression *b)
{
    return a == NULL ? b : b == NULL ? a : chart_binary(chart, CHART_AND, a, b);
}

const struct chart_expression *chart_either(struct chart *chart, const struct chart_expression *a,
                                            const struct chart_expression *b)
{
    return a == NULL ? b : b == NULL ? a : chart_binary(chart, CHART_OR, a, b);
}

// The variable is set before what is done anyway.
static void note_in(struct chart *chart, struct chart_variable *variable, const void *of,
                    const struct chart_action *own, struct position at)
{
    assert(variable->type == &CHART_TYPE_BOOL && variable->initial == 0);
    struct chart_action *set = chart_add_action(chart, CHART_ASSIGN, at);
    variable->scratch = true;
    set->variable = variable;
    set->expression = chart_literal(chart, &CHART_TYPE_BOOL, 1);
    set->next = own;
    struct chart_memory memory = {of, set};
    CHART_APPEND(&chart->arena, chart->memories, chart->memory_count, memory);
}

const struct chart_variable *chart_remember_firing(struct chart *chart,
                                                   const struct chart_transition *transition)
{
    struct position nowhere = {chart->path, 0, 0};
    for (uint32_t i = 0; i < chart->variable_count; i++) {
        if (chart->variables[i]->remembers == transition)
            return chart->variables[i];
    }
    struct chart_variable *variable = chart_add_variable(
        chart, chart_text(chart, "fired: %s (%u)", transition->text, transition->index),
        &CHART_TYPE_BOOL, CHART_DATA, nowhere);
    variable->remembers = transition;
    note_in(chart, variable, transition, transition->action, nowhere);
    return variable;
}

const struct chart_variable *chart_remember_leaving(struct chart *chart,
                                                    const struct chart_state *state)
{
    for (uint32_t i = 0; i < chart->variable_count; i++) {
        if (chart->variables[i]->left == state)
            return chart->variables[i];
    }
    struct chart_variable *variable =
        chart_add_variable(chart, chart_text(chart, "left: %s (%u)", state->text, state->index),
                           &CHART_TYPE_BOOL, CHART_DATA, state->source);
    variable->left = state;
    note_in(chart, variable, state, state->exit, state->source);
    return variable;
}

const struct chart_variable *chart_remember_overlap(struct chart *chart,
                                                    const struct chart_transition *a,
                                                    const struct chart_transition *b)
{
    assert(chart->overlapped == NULL && a->source == b->source);
    chart->overlapped = chart_add_variable(chart, "overlapped", &CHART_TYPE_BOOL, CHART_DATA,
                                           (struct position){chart->path, 0, 0});
    chart->overlapped->scratch = true;
    chart->overlap[0] = a;
    chart->overlap[1] = b;
    return chart->overlapped;
}

// Those that can be active come first, so that their places are the values of the region.
static void order_region(struct chart *chart, struct chart_region *region)
{
    struct chart_state **ordered =
        arena_alloc(&chart->arena, (region->state_count + 1) * sizeof *ordered);
    uint32_t at = 0;
    for (int active = 1; active >= 0; active--) {
        for (uint32_t i = 0; i < region->state_count; i++) {
            if (chart_can_be_active(region->states[i]) == (active == 1))
                ordered[at++] = region->states[i];
        }
        if (active == 1)
            region->active_count = at;
    }
    for (uint32_t i = 0; i < region->state_count; i++)
        ordered[i]->place = i;
    assert(at == region->state_count);
    region->states = ordered;
}

static void remember(const struct chart_region *region, bool deep)
{
    ((struct chart_region *)(uintptr_t)region)->remembers = true;
    for (uint32_t i = 0; deep && i < region->active_count; i++) {
        const struct chart_state *state = region->states[i];
        for (uint32_t j = 0; j < state->region_count; j++)
            remember(state->regions[j], true);
    }
}

// What a history pseudo-state looks at: its region, in SCXML all regions of the state that it stands in.
static void mark_history(const struct chart_state *history)
{
    bool deep = history->kind == CHART_DEEP_HISTORY;
    const struct chart_state *owner = history->parent->parent;
    if (owner == NULL || !owner->parallel) {
        remember(history->parent, deep);
        return;
    }
    for (uint32_t i = 0; i < owner->region_count; i++)
        remember(owner->regions[i], deep);
}

void chart_finish(struct chart *chart)
{
    for (uint32_t i = 0; i < chart->region_count; i++)
        order_region(chart, chart->regions[i]);
    for (uint32_t i = 0; i < chart->state_count; i++)
        chart->states[i]->last = i;
    for (uint32_t i = chart->state_count; i-- > 0;) {
        const struct chart_state *state = chart->states[i];
        struct chart_state *parent = (struct chart_state *)(uintptr_t)chart_parent(state);
        assert(state->index == i && state->parent->states[state->place] == state);
        assert(parent == NULL || parent->index < i);
        if (parent != NULL && parent->last < state->last)
            parent->last = state->last;
    }
    for (uint32_t i = 0; i < chart->state_count; i++) {
        const struct chart_state *state = chart->states[i];
        if (state->kind == CHART_SHALLOW_HISTORY || state->kind == CHART_DEEP_HISTORY)
            mark_history(state);
    }
    for (uint32_t i = 0; i < chart->region_count; i++) {
        if (chart->regions[i]->history != NULL)
            mark_history(chart->regions[i]->history);
    }
}
