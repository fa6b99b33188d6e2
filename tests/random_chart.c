#include "tests/random_chart.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "languages/charts/build.h"
#include "languages/charts/interpret.h"

struct maker {
    struct chart *chart;
    struct random random;
    struct chart_variable *numbers[2];
    struct chart_variable *flag;
    struct chart_event *events[3];
    struct position nowhere;
    bool rich; // random_document
};

static uint32_t below(struct maker *m, uint32_t limit)
{
    return (uint32_t)random_below(&m->random, limit);
}

static bool chance(struct maker *m, uint32_t percent)
{
    return below(m, 100) < percent;
}

static bool scxml(const struct maker *m)
{
    return m->chart->semantics == CHART_SCXML;
}

// ---- states ------------------------------------------------------------------------------------

static void make_region(struct maker *m, struct chart_component *component,
                        struct chart_state *parent, uint32_t depth);

static void make_regions(struct maker *m, struct chart_component *component,
                         struct chart_state *state, uint32_t depth)
{
    state->parallel = scxml(m) && chance(m, 40);
    uint32_t count = state->parallel ? 2 : scxml(m) ? 1 : 1 + below(m, 2);
    for (uint32_t i = 0; i < count; i++) {
        if (!state->parallel) {
            make_region(m, component, state, depth);
            continue;
        }
        struct chart_region *region = chart_add_region(m->chart, component, state, "");
        char name[24];
        snprintf(name, sizeof name, "s%u", m->chart->state_count);
        struct chart_state *child =
            chart_add_state(m->chart, region, CHART_STATE, name, m->nowhere);
        if (chance(m, 80))
            make_region(m, component, child, depth + 1);
    }
}

static void make_region(struct maker *m, struct chart_component *component,
                        struct chart_state *parent, uint32_t depth)
{
    char name[24];
    snprintf(name, sizeof name, "r%u", m->chart->region_count);
    struct chart_region *region = chart_add_region(m->chart, component, parent, name);
    uint32_t count = m->rich ? 1 + below(m, 3) : 2 + below(m, 2);
    for (uint32_t i = 0; i < count; i++) {
        bool final =
            scxml(m) && (i > 0 || m->rich) && parent != NULL && chance(m, m->rich ? 50 : 25);
        snprintf(name, sizeof name, "s%u", m->chart->state_count);
        struct chart_state *state =
            chart_add_state(m->chart, region, final ? CHART_FINAL : CHART_STATE, name, m->nowhere);
        if (!final && depth < 2 && chance(m, 45))
            make_regions(m, component, state, depth + 1);
    }
    bool history =
        chance(m, 25) && (parent != NULL || !scxml(m)) && m->chart->semantics != CHART_INTERLEAVING;
    if (!history)
        return;
    snprintf(name, sizeof name, "h%u", m->chart->state_count);
    struct chart_state *made = chart_add_state(
        m->chart, region, chance(m, 50) ? CHART_DEEP_HISTORY : CHART_SHALLOW_HISTORY, name,
        m->nowhere);
    if (scxml(m)) {
        struct chart_transition *first = chart_add_transition(m->chart, made, m->nowhere);
        chart_add_target(m->chart, first, region->states[below(m, count)]);
    } else {
        region->history = made;
    }
}

// ---- transitions -------------------------------------------------------------------------------

static const struct chart_expression *random_condition(struct maker *m)
{
    struct chart *chart = m->chart;
    const struct chart_expression *number = chart_read(chart, m->numbers[below(m, 2)]);
    const struct chart_expression *literal = chart_literal(chart, &CHART_TYPE_INT, below(m, 3));
    const struct chart_state *state;
    struct chart_expression *in;
    switch (below(m, 4)) {
    case 0:
        return chart_read(chart, m->flag);
    case 1:
        return chart_binary(chart, CHART_EQUAL, number, literal);
    case 2:
        return chart_binary(chart, CHART_LESS, number, literal);
    default:
        state = chart->states[below(m, chart->state_count)];
        if (!chart_can_be_active(state))
            return chart_unary(chart, CHART_NOT, chart_read(chart, m->flag));
        in = chart_make(chart, CHART_ACTIVE, &CHART_TYPE_BOOL, m->nowhere);
        in->state = state;
        return in;
    }
}

static void raise_event(struct maker *m, struct chart_action *action)
{
    struct chart_event *event = m->events[below(m, 3)];
    if (scxml(m)) {
        action->kind = CHART_RAISE;
        action->event = event;
        event->raised = true;
    } else {
        action->variable = event->flag;
        action->expression = chart_literal(m->chart, &CHART_TYPE_BOOL, 1);
    }
}

static const struct chart_action *random_action(struct maker *m)
{
    struct chart *chart = m->chart;
    struct chart_action *action = chart_add_action(chart, CHART_ASSIGN, m->nowhere);
    struct chart_variable *number = m->numbers[below(m, 2)];
    switch (below(m, 5)) {
    case 0: // counts up to two
        action->variable = number;
        action->expression = chart_binary(chart, CHART_MODULO,
                                          chart_binary(chart, CHART_ADD, chart_read(chart, number),
                                                       chart_literal(chart, &CHART_TYPE_INT, 1)),
                                          chart_literal(chart, &CHART_TYPE_INT, 3));
        break;
    case 1:
        action->variable = number;
        action->expression = chart_read(chart, m->numbers[below(m, 2)]);
        break;
    case 2:
        action->variable = m->flag;
        action->expression = random_condition(m);
        break;
    case 3:
        action->kind = CHART_BRANCH;
        action->expression = random_condition(m);
        action->then = random_action(m);
        break;
    default:
        raise_event(m, action);
    }
    if (chance(m, 30))
        action->next = random_action(m);
    return action;
}

static bool in_different_regions(const struct chart_state *a, const struct chart_state *b)
{
    for (const struct chart_state *x = a; x != NULL; x = chart_parent(x)) {
        for (const struct chart_state *y = b; y != NULL; y = chart_parent(y)) {
            if (x->parent->parent == y->parent->parent && x->parent != y->parent)
                return true;
        }
    }
    return false;
}

static const struct chart_state *random_target(struct maker *m, const struct chart_state *source)
{
    for (int tries = 0; tries < 20; tries++) {
        const struct chart_state *target = m->chart->states[below(m, m->chart->state_count)];
        const struct chart_state *owner = chart_parent(target);
        bool deep = target->kind == CHART_DEEP_HISTORY && owner != NULL &&
                    (source == owner || chart_is_below(source, owner));
        if (!deep && (scxml(m) || !in_different_regions(source, target)))
            return target;
    }
    return source;
}

static void add_trigger(struct maker *m, struct chart_transition *transition)
{
    struct chart *chart = m->chart;
    if (chance(m, 25)) { // none: SCXML's take no event, others are always ready, so guard them
        transition->spontaneous = true;
        transition->guard = random_condition(m);
        return;
    }
    struct chart_event *event = m->events[below(m, 3)];
    event->heard = true;
    if (scxml(m)) {
        struct chart_expression *now = chart_make(chart, CHART_NOW, &CHART_TYPE_BOOL, m->nowhere);
        now->event = event;
        transition->trigger = now;
    } else {
        transition->trigger = chart_read(chart, event->flag);
        transition->consumed = chart->semantics == CHART_INTERLEAVING ? event->flag : NULL;
    }
}

static void add_second_target(struct maker *m, struct chart_transition *transition)
{
    const struct chart_state *second = random_target(m, transition->source);
    if (in_different_regions(transition->targets[0], second))
        chart_add_target(m->chart, transition, second);
}

// How regions are entered, and what a history does that has seen nothing.
static void add_contents(struct maker *m)
{
    struct chart *chart = m->chart;
    for (uint32_t i = 0; i < chart->state_count; i++) {
        struct chart_state *state = chart->states[i];
        if (!chart_can_be_active(state) && chance(m, 50))
            ((struct chart_transition *)state->out[0])->action = random_action(m);
        if (state->parallel || state->region_count == 0 || chance(m, 50))
            continue;
        const struct chart_state *target = chart->states[i + 1 + below(m, state->last - i)];
        if (!chart_can_be_active(target))
            continue;
        struct chart_transition *initial = chart_add_transition(chart, NULL, m->nowhere);
        chart_add_target(chart, initial, target);
        state->regions[0]->initial = initial;
        if (chance(m, 50))
            initial->action = random_action(m);
    }
}

static void make_transition(struct maker *m)
{
    struct chart *chart = m->chart;
    struct chart_state *source = chart->states[below(m, chart->state_count)];
    if (source->kind != CHART_STATE)
        return;
    struct chart_transition *transition = chart_add_transition(chart, source, m->nowhere);
    transition->text = chart_text(chart, "t%u", transition->index);
    if (chance(m, 90))
        chart_add_target(chart, transition, random_target(m, source));
    if (m->rich && transition->target_count > 0 && chance(m, 50))
        add_second_target(m, transition);
    add_trigger(m, transition);
    if (m->rich && transition->trigger != NULL && chance(m, 20)) {
        const struct chart_expression *first = transition->trigger;
        add_trigger(m, transition);
        transition->spontaneous = false;
        transition->trigger = chart_either(chart, first, transition->trigger);
    }
    transition->internal = scxml(m) && chance(m, 20);
    if (transition->guard == NULL && chance(m, 40))
        transition->guard = random_condition(m);
    if (chance(m, 50))
        transition->action = random_action(m);
}

static void add_actions(struct maker *m)
{
    for (uint32_t i = 0; i < m->chart->state_count; i++) {
        struct chart_state *state = m->chart->states[i];
        if (!chart_can_be_active(state))
            continue;
        if (chance(m, 20))
            state->entry = random_action(m);
        if (chance(m, 20))
            state->exit = random_action(m);
        struct chart_event *event = m->events[below(m, 3)];
        if (state->kind == CHART_FINAL) {
            state->done = event;
            event->raised = true;
        }
        if (state->parallel) {
            state->all_done = event;
            event->raised = true;
        }
    }
}

// GAMMA: the environment sets each input or not, the component runs, inputs go. Some charts run once before that, some may
// not have flag and event together.
static void add_operations(struct maker *m, uint64_t seed)
{
    struct chart *chart = m->chart;
    const struct chart_action *clear = NULL;
    for (int i = 0; i < 3; i++) {
        struct chart_action *havoc = chart_add_action(chart, CHART_HAVOC, m->nowhere),
                            *off = chart_add_action(chart, CHART_ASSIGN, m->nowhere);
        havoc->variable = off->variable = m->events[i]->flag;
        off->expression = chart_literal(chart, &CHART_TYPE_BOOL, 0);
        if (i < 2)
            chart_append_actions(&chart->environment, havoc);
        chart_append_actions(&clear, off);
    }
    struct chart_operation run = {chart->components[0], NULL}, end = {NULL, clear};
    CHART_APPEND(&chart->arena, chart->operations, chart->operation_count, run);
    if (seed % 5 == 1)
        CHART_APPEND(&chart->arena, chart->first, chart->first_count, run);
    if (seed % 5 == 2) {
        struct chart_action *assume = chart_add_action(chart, CHART_ASSUME, m->nowhere);
        assume->expression = chart_unary(
            chart, CHART_NOT,
            chart_both(chart, chart_read(chart, m->flag), chart_read(chart, m->events[0]->flag)));
        struct chart_operation check = {NULL, assume};
        CHART_APPEND(&chart->arena, chart->operations, chart->operation_count, check);
    }
    CHART_APPEND(&chart->arena, chart->operations, chart->operation_count, end);
}

static struct chart *make_chart(enum chart_semantics semantics, uint64_t seed, bool rich)
{
    struct maker maker = {
        .chart = chart_create(semantics, "random"), .nowhere = {"random", 0, 0}, .rich = rich};
    struct maker *m = &maker;
    struct chart *chart = m->chart;
    random_init(&m->random, seed);
    struct chart_component *component = chart_add_component(chart, "");
    component->priority = (enum chart_priority)below(m, 2);
    component->inner_first = chance(m, 40);
    chart->queue_bound = 3;
    chart->drops_unused = chance(m, 30);
    for (int i = 0; i < 2; i++)
        m->numbers[i] =
            chart_add_variable(chart, i == 0 ? "x" : "y", &CHART_TYPE_INT, CHART_DATA, m->nowhere);
    m->flag = chart_add_variable(chart, "b", &CHART_TYPE_BOOL, CHART_DATA, m->nowhere);
    for (int i = 0; i < 3; i++) {
        char name[4] = {'e', (char)('0' + i), '\0'};
        m->events[i] = chart_add_event(chart, name, m->nowhere);
        m->events[i]->external = i < 2;
        if (!scxml(m))
            m->events[i]->flag =
                chart_add_variable(chart, name, &CHART_TYPE_BOOL, CHART_EVENT, m->nowhere);
    }
    uint32_t tops = scxml(m) ? 1 : 1 + below(m, 2);
    for (uint32_t i = 0; i < tops; i++)
        make_region(m, component, NULL, 1);
    chart_finish(chart);
    if (rich)
        add_contents(m);
    uint32_t transitions = 4 + below(m, 5);
    for (uint32_t i = 0; i < transitions; i++)
        make_transition(m);
    add_actions(m);
    if (semantics == CHART_GAMMA)
        add_operations(m, seed);
    return chart;
}

struct chart *random_chart(enum chart_semantics semantics, uint64_t seed)
{
    return make_chart(semantics, seed, false);
}

struct chart *random_document(uint64_t seed)
{
    return make_chart(CHART_SCXML, seed, true);
}

// ---- exploration -------------------------------------------------------------------------------

bool chart_configurations_have(const struct chart_configurations *all, const int64_t *cells)
{
    for (size_t i = 0; i < all->count; i++) {
        if (memcmp(all->data + i * all->cells, cells, all->cells * sizeof *cells) == 0)
            return true;
    }
    return false;
}

static void keep(struct chart_configurations *all, enum interpreter_outcome outcome,
                 const int64_t *cells)
{
    all->overflow |= outcome == INTERPRETER_OVERFLOW;
    all->complete &= outcome != INTERPRETER_TOO_LARGE; // what diverges is never stable again
    if (outcome != INTERPRETER_DONE || chart_configurations_have(all, cells))
        return;
    if (all->count == all->capacity) {
        all->capacity = all->capacity == 0 ? 16 : 2 * all->capacity;
        all->data = memory_realloc(all->data, all->capacity * all->cells * sizeof *all->data);
    }
    memcpy(all->data + all->count++ * all->cells, cells, all->cells * sizeof *cells);
}

// All ways of one step.
static void expand(struct chart_configurations *all, struct interpreter *it, size_t from,
                   const struct chart_event *event)
{
    struct interpreter_choices choices = {0};
    int64_t *before = memory_alloc(all->cells * sizeof *before),
            *after = memory_alloc(all->cells * sizeof *after);
    memcpy(before, all->data + from * all->cells, all->cells * sizeof *before);
    do
        keep(all, interpreter_step(it, before, event, &choices, NULL, after), after);
    while (interpreter_next(&choices));
    interpreter_choices_finish(&choices);
    memory_free(before);
    memory_free(after);
}

struct chart_configurations chart_explore(const struct chart *chart, size_t limit)
{
    struct chart_configurations all = {.cells = interpreter_cell_count(chart), .complete = true};
    struct interpreter *it = interpreter_create(chart);
    struct interpreter_choices choices = {0};
    int64_t *cells = memory_alloc(all.cells * sizeof *cells);
    do
        keep(&all, interpreter_start(it, &choices, NULL, cells), cells);
    while (interpreter_next(&choices));
    for (size_t i = 0; i < all.count && all.count < limit; i++) {
        if (chart->semantics != CHART_SCXML || chart->sending_count > 0)
            expand(&all, it, i, NULL);
        for (uint32_t e = 0; chart->semantics != CHART_GAMMA && e < chart->event_count; e++) {
            if (chart->events[e]->external)
                expand(&all, it, i, chart->events[e]);
        }
    }
    all.complete &= all.count < limit;
    interpreter_choices_finish(&choices);
    memory_free(cells);
    interpreter_destroy(it);
    return all;
}

void chart_configurations_finish(struct chart_configurations *all)
{
    memory_free(all->data);
}
