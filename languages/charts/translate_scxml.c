#include "languages/charts/translate_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

// SCXML. Where no two transitions can fire in one microstep, each is an edge. Otherwise a microstep is one
// edge: which transitions fire is computed into local Booleans, as the recommendation selects them, then what they
// leave, do and enter is done in its order.

#define MOST_COMPARED 3000

struct microstep {
    struct translation *t;
    struct location *running;
    const struct term *
        *enabled; // by transition: trigger and guard, over the values before the step
    const struct term **chooses;   // by state: active, and one of its own transitions is enabled
    const struct term **beneath;   // by state: some state below chooses
    const struct variable **fires; // by transition
    struct slot *slots;
    size_t slot_count;
};

// An active atomic state asks for a transition of its own or of a state around it.
struct slot {
    const struct chart_state *atomic;
    const struct chart_transition *transition;
    const struct term *asks;
    const struct variable *taken; // several may ask for it: it was taken when this one did; or NULL
};

static bool is_real(const struct chart_transition *transition)
{
    return chart_can_be_active(transition->source);
}

static const struct term *is_over(struct translation *t)
{
    const struct chart_region *top = t->chart->regions[0];
    const struct term *over = term_false(t->store);
    for (uint32_t i = 0; i < top->active_count; i++) {
        if (top->states[i]->kind == CHART_FINAL)
            over = term_or2(t->store, over, translate_active(t, top->states[i]));
    }
    return over;
}

static const struct term *event_is(struct translation *t, const struct variable *place,
                                   const struct chart_event *event)
{
    return term_eq(t->store, place->term,
                   term_enum(t->store, place->sort, event == NULL ? 0 : event->index + 1));
}

static void find_enabled(struct microstep *m)
{
    struct translation *t = m->t;
    const struct chart *chart = t->chart;
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        if (is_real(chart->transitions[i]))
            m->enabled[i] = translate_enabled(t, chart->transitions[i]);
    }
    for (uint32_t i = chart->state_count; i-- > 0;) {
        const struct chart_state *state = chart->states[i];
        m->chooses[i] = term_false(t->store);
        m->beneath[i] = term_false(t->store);
        if (!chart_can_be_active(state))
            continue;
        for (uint32_t j = 0; j < state->out_count; j++)
            m->chooses[i] = term_or2(t->store, m->chooses[i], m->enabled[state->out[j]->index]);
        m->chooses[i] = term_and2(t->store, m->chooses[i], translate_active(t, state));
        VECTOR(const struct term *) below = {0};
        for (uint32_t j = 0; j < state->region_count; j++) {
            for (uint32_t k = 0; k < state->regions[j]->active_count; k++) {
                uint32_t child = state->regions[j]->states[k]->index;
                VECTOR_PUSH(&below, m->chooses[child]);
                VECTOR_PUSH(&below, m->beneath[child]);
            }
        }
        m->beneath[i] = term_or(t->store, below.data, below.count);
        VECTOR_FINISH(&below);
    }
}

static const struct term *something_enabled(struct microstep *m)
{
    const struct chart_region *top = m->t->chart->regions[0];
    VECTOR(const struct term *) any = {0};
    for (uint32_t i = 0; i < top->active_count; i++) {
        VECTOR_PUSH(&any, m->chooses[top->states[i]->index]);
        VECTOR_PUSH(&any, m->beneath[top->states[i]->index]);
    }
    const struct term *made = term_or(m->t->store, any.data, any.count);
    VECTOR_FINISH(&any);
    return made;
}

static void forget_event(struct translation *t)
{
    translate_assign(t, t->map->event, term_enum(t->store, t->map->event->sort, 0));
}

static void note_overlap(struct translation *t)
{
    const struct chart_state *state =
        t->chart->overlapped == NULL ? NULL : t->chart->overlap[0]->source;
    if (state != NULL)
        translate_overlap(t, state, translate_active(t, state));
}

// ---- one transition at a time ------------------------------------------------------------------

static void edge_of(struct microstep *m, const struct chart_state *state, uint32_t number)
{
    struct translation *t = m->t;
    const struct chart_transition *transition = state->out[number];
    assert(m->enabled[transition->index] != NULL);
    const struct term *condition =
        term_and2(t->store, translate_active(t, state), m->enabled[transition->index]);
    for (uint32_t i = 0; i < number; i++)
        condition =
            term_and2(t->store, condition, term_not(t->store, m->enabled[state->out[i]->index]));
    condition = term_and2(t->store, condition, term_not(t->store, m->beneath[state->index]));
    condition = term_and2(t->store, condition, term_not(t->store, is_over(t)));
    if (term_is_false(condition))
        return;
    struct statements inner, *outer = translate_begin(t, &inner);
    translate_assume(t, condition);
    note_overlap(t);
    translate_fire(t, transition);
    forget_event(t);
    struct statement *action = translate_end(t, &inner, outer);
    translate_edge(t, m->running, m->running, action, transition->text, transition->source_position,
                   NULL, transition);
}

static void single_steps(struct microstep *m)
{
    for (uint32_t i = 0; i < m->t->chart->state_count; i++) {
        const struct chart_state *state = m->t->chart->states[i];
        for (uint32_t j = 0; chart_can_be_active(state) && j < state->out_count; j++)
            edge_of(m, state, j);
    }
}

// ---- several transitions at a time -------------------------------------------------------------

static void collect_slots(struct microstep *m)
{
    struct translation *t = m->t;
    VECTOR(struct slot) slots = {0};
    for (uint32_t i = 0; i < t->chart->state_count; i++) {
        const struct chart_state *atomic = t->chart->states[i];
        if (!chart_can_be_active(atomic) || atomic->region_count > 0)
            continue;
        const struct term *open = translate_active(t, atomic); // nothing further inside was taken
        for (const struct chart_state *s = atomic; s != NULL; s = chart_parent(s)) {
            for (uint32_t j = 0; j < s->out_count; j++) {
                const struct term *enabled = m->enabled[s->out[j]->index];
                struct slot slot = {atomic, s->out[j], term_and2(t->store, open, enabled), NULL};
                if (!term_is_false(slot.asks))
                    VECTOR_PUSH(&slots, slot);
                open = term_and2(t->store, open, term_not(t->store, enabled));
            }
        }
    }
    m->slots = slots.data;
    m->slot_count = slots.count;
}

static bool is_same_or_below(const struct chart_region *region, const struct chart_region *above)
{
    while (region != NULL && region != above)
        region = region->parent == NULL ? NULL : region->parent->parent;
    return region == above;
}

// Do both leave something in common? Their domains are active with them, so one inside the other is enough.
static bool in_conflict(struct microstep *m, const struct chart_transition *a,
                        const struct chart_transition *b)
{
    const struct chart_region *one = chart_domain(m->t->chart, a),
                              *two = chart_domain(m->t->chart, b);
    return a != b && one != NULL && two != NULL &&
           (is_same_or_below(one, two) || is_same_or_below(two, one));
}

static const struct term *value_of(struct microstep *m, const struct chart_transition *transition)
{
    const struct variable *fires = m->fires[transition->index];
    return fires == NULL ? term_false(m->t->store) : fires->term;
}

static const struct variable *local(struct translation *t, const char *stem)
{
    return model_builder_fresh(t->builder, stem, sort_bool(t->store), VARIABLE_LOCAL, t->nowhere);
}

// One pass of removeConflictingTransitions: this transition against those that were kept before.
static void select_slot(struct microstep *m, size_t number, bool *seen)
{
    struct translation *t = m->t;
    struct slot *slot = &m->slots[number];
    const struct chart_transition *one = slot->transition;
    assert(number < m->slot_count && m->fires[one->index] != NULL);
    const struct term *preempted = term_false(t->store), *asks = slot->asks;
    bool first = !seen[one->index];
    struct statements inner, *outer = translate_begin(t, &inner);
    for (uint32_t i = 0; i < t->chart->transition_count; i++) {
        const struct chart_transition *two = t->chart->transitions[i];
        if (!seen[i] || !in_conflict(m, one, two))
            continue;
        if (chart_is_below(one->source, two->source))
            translate_assign(t, m->fires[i], term_false(t->store));
        else
            preempted = term_or2(t->store, preempted, value_of(m, two));
    }
    translate_assign(t, m->fires[one->index], term_true(t->store));
    struct statement *take = translate_end(t, &inner, outer);
    // What was asked for before is not looked at again.
    for (size_t i = 0; i < number; i++) {
        if (m->slots[i].transition == one)
            asks = term_and2(t->store, asks, term_not(t->store, m->slots[i].asks));
    }
    if (first)
        translate_assign(t, m->fires[one->index], term_false(t->store));
    seen[one->index] = true;
    if (slot->taken != NULL)
        translate_assign(t, slot->taken, asks);
    translate_push(t, model_if(t->builder, term_and2(t->store, asks, term_not(t->store, preempted)),
                               take, model_skip(t->builder, t->nowhere), t->nowhere));
}

static void if_fires(struct microstep *m, const struct chart_transition *transition,
                     const struct term *when, struct statement *then)
{
    struct translation *t = m->t;
    translate_push(t, model_if(t->builder, term_and2(t->store, value_of(m, transition), when), then,
                               model_skip(t->builder, t->nowhere), t->nowhere));
}

struct ordered {
    const struct chart_region *domain;
    const struct chart_transition *transition;
};

static int compare_domains(const void *a, const void *b)
{
    const struct ordered *one = a, *two = b;
    if (one->domain->index != two->domain->index)
        return one->domain->index < two->domain->index ? -1 : 1;
    return one->transition->index < two->transition->index ? -1 : 1;
}

// Those that leave something, by the place of what they leave in the document.
static size_t order_by_domain(struct microstep *m, struct ordered *out)
{
    size_t count = 0;
    const struct chart *chart = m->t->chart;
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        const struct chart_transition *transition = chart->transitions[i];
        const struct chart_region *domain =
            m->fires[i] == NULL ? NULL : chart_domain(chart, transition);
        if (domain != NULL)
            out[count++] = (struct ordered){domain, transition};
    }
    assert(count <= chart->transition_count);
    if (count > 1)
        qsort(out, count, sizeof *out, compare_domains);
    return count;
}

static void do_contents(struct microstep *m)
{
    struct translation *t = m->t;
    for (size_t i = 0; i < m->slot_count; i++) {
        const struct slot *slot = &m->slots[i];
        const struct chart_action *action = chart_action_of(t->chart, slot->transition);
        if (action == NULL)
            continue;
        struct statements inner, *outer = translate_begin(t, &inner);
        translate_actions(t, action);
        struct statement *content = translate_end(t, &inner, outer);
        if_fires(m, slot->transition, slot->taken != NULL ? slot->taken->term : term_true(t->store),
                 content);
    }
}

static void do_microstep(struct microstep *m)
{
    struct translation *t = m->t;
    struct ordered *order = memory_alloc((t->chart->transition_count + 1) * sizeof *order);
    size_t count = order_by_domain(m, order);
    for (size_t i = count; i-- > 0;) {
        struct statements inner, *outer = translate_begin(t, &inner);
        translate_leave_from(t, order[i].domain, order[i].transition->source);
        struct statement *leave = translate_end(t, &inner, outer);
        if_fires(m, order[i].transition, term_true(t->store), leave);
    }
    do_contents(m);
    for (size_t i = 0; i < count; i++) {
        const struct chart_transition *transition = order[i].transition;
        struct statements inner, *outer = translate_begin(t, &inner);
        translate_enter(t, order[i].domain,
                        (struct entry){transition->targets, transition->target_count}, false);
        struct statement *enter = translate_end(t, &inner, outer);
        if_fires(m, transition, term_true(t->store), enter);
    }
    memory_free(order);
}

static void declare_slots(struct microstep *m)
{
    struct translation *t = m->t;
    uint32_t *asked = memory_zalloc((t->chart->transition_count + 1) * sizeof *asked);
    for (size_t i = 0; i < m->slot_count; i++)
        asked[m->slots[i].transition->index]++;
    for (size_t i = 0; i < m->slot_count; i++) {
        struct slot *slot = &m->slots[i];
        uint32_t index = slot->transition->index;
        if (m->fires[index] == NULL)
            m->fires[index] = local(t, "fires");
        if (asked[index] > 1 && chart_action_of(t->chart, slot->transition) != NULL)
            slot->taken = local(t, "taken");
    }
    memory_free(asked);
}

static void joint_step(struct microstep *m)
{
    struct translation *t = m->t;
    collect_slots(m);
    declare_slots(m);
    bool *seen = memory_zalloc(t->chart->transition_count + 1);
    struct statements inner, *outer = translate_begin(t, &inner);
    translate_assume(t, term_and2(t->store, something_enabled(m), term_not(t->store, is_over(t))));
    note_overlap(t);
    for (size_t i = 0; i < m->slot_count; i++)
        select_slot(m, i, seen);
    do_microstep(m);
    forget_event(t);
    struct statement *action = translate_end(t, &inner, outer);
    translate_edge(t, m->running, m->running, action, "microstep", t->nowhere, NULL, NULL);
    memory_free(seen);
    memory_free(m->slots);
}

// ---- around them -------------------------------------------------------------------------------

static void dequeue(struct microstep *m, const struct term *idle)
{
    struct translation *t = m->t;
    const struct chart_map *map = t->map;
    if (map->queue_count == 0)
        return;
    struct statements inner, *outer = translate_begin(t, &inner);
    translate_assume(t, idle);
    translate_assume(t, event_is(t, map->event, NULL));
    translate_assume(t, term_not(t->store, event_is(t, map->queue[0], NULL)));
    translate_assume(t, term_not(t->store, is_over(t)));
    translate_assign(t, map->event, map->queue[0]->term);
    for (uint32_t i = 0; i + 1 < map->queue_count; i++)
        translate_assign(t, map->queue[i], map->queue[i + 1]->term);
    translate_assign(t, map->queue[map->queue_count - 1], term_enum(t->store, map->event->sort, 0));
    struct statement *action = translate_end(t, &inner, outer);
    translate_edge(t, m->running, m->running, action, "internal event", t->nowhere, NULL, NULL);
}

static void catch_overflow(struct microstep *m)
{
    struct translation *t = m->t;
    if (t->map->overflow != NULL)
        translate_edge(t, m->running, t->error,
                       model_assume(t->builder, t->map->overflow->term, t->nowhere),
                       CHART_OVERFLOW_LABEL, t->nowhere, NULL, NULL);
}

static void drop_event(struct microstep *m, const struct term *idle)
{
    struct translation *t = m->t;
    struct statements inner, *outer = translate_begin(t, &inner);
    translate_assume(t, idle);
    translate_assume(t, term_not(t->store, event_is(t, t->map->event, NULL)));
    forget_event(t);
    struct statement *action = translate_end(t, &inner, outer);
    translate_edge(t, m->running, m->running, action, "no transition for the event", t->nowhere,
                   NULL, NULL);
}

// A guard is looked at when its state is active, whatever the event: more often than in a chart, never less.
static void catch_unset(struct microstep *m)
{
    struct translation *t = m->t;
    if (t->map->unset == NULL)
        return;
    const struct term *any = t->map->unset->term;
    for (uint32_t i = 0; i < t->chart->transition_count; i++) {
        const struct chart_transition *transition = t->chart->transitions[i];
        if (is_real(transition))
            any = term_or2(t->store, any,
                           term_and2(t->store, translate_active(t, transition->source),
                                     translate_unset(t, transition->guard)));
    }
    translate_edge(t, m->running, t->error, model_assume(t->builder, any, t->nowhere),
                   CHART_UNSET_LABEL, t->nowhere, NULL, NULL);
}

static void settle(struct microstep *m, const struct term *idle)
{
    struct translation *t = m->t;
    const struct chart_map *map = t->map;
    const struct term *done = idle;
    if (map->queue_count > 0)
        done = term_and2(t->store, done, event_is(t, map->queue[0], NULL));
    done = term_and2(t->store, done, event_is(t, map->event, NULL));
    struct statements inner, *outer = translate_begin(t, &inner);
    translate_assume(t, term_or2(t->store, done, is_over(t)));
    // What is left when the chart has ended means nothing any more.
    forget_event(t);
    for (uint32_t i = 0; i < map->queue_count; i++)
        translate_assign(t, map->queue[i], term_enum(t->store, map->event->sort, 0));
    struct statement *action = translate_end(t, &inner, outer);
    translate_edge(t, m->running, t->stable, action, "stable", t->nowhere, NULL, NULL);
}

static void receive(struct microstep *m)
{
    struct translation *t = m->t;
    for (uint32_t i = 0; i < t->chart->event_count; i++) {
        const struct chart_event *event = t->chart->events[i];
        if (!event->external || !event->heard)
            continue;
        struct statements inner, *outer = translate_begin(t, &inner);
        translate_assume(t, term_not(t->store, is_over(t)));
        translate_actions(t, t->chart->environment);
        translate_assign(t, t->map->event,
                         term_enum(t->store, t->map->event->sort, event->index + 1));
        struct statement *action = translate_end(t, &inner, outer);
        struct text label;
        text_init(&label);
        text_printf(&label, "event %s", event->name);
        translate_edge(t, t->stable, m->running, action, text_string(&label), event->source, event,
                       NULL);
        text_finish(&label);
    }
}

// What the chart has sent to itself comes.
static void receive_own(struct microstep *m)
{
    struct translation *t = m->t;
    for (uint32_t i = 0; i < t->chart->sending_count; i++) {
        const struct chart_sending *sending = &t->chart->sendings[i];
        struct statements inner, *outer = translate_begin(t, &inner);
        translate_assume(t, term_not(t->store, is_over(t)));
        translate_assume(t, translate_term(t, sending->ready));
        translate_actions(t, sending->take);
        translate_assign(t, t->map->event,
                         term_enum(t->store, t->map->event->sort, sending->event->index + 1));
        struct statement *action = translate_end(t, &inner, outer);
        struct text label;
        text_init(&label);
        text_printf(&label, "own event %s", sending->event->name);
        translate_edge(t, t->stable, m->running, action, text_string(&label),
                       sending->event->source, NULL, NULL);
        text_finish(&label);
    }
}

static void start(struct translation *t)
{
    const struct chart_region *top = t->chart->regions[0];
    struct entry entry = {NULL, 0};
    if (top->initial != NULL)
        entry = (struct entry){top->initial->targets, top->initial->target_count};
    if (top->initial != NULL)
        translate_actions(t, chart_action_of(t->chart, top->initial));
    translate_enter(
        t, top,
        entry.count > 0 ? entry : (struct entry){(const struct chart_state *const *)top->states, 1},
        true);
}

// ---- can two fire in one microstep? ------------------------------------------------------------

// Events that the trigger asks for; bits by index.
static void collect_events(const struct chart_expression *e, bool *events)
{
    if (e == NULL)
        return;
    if (e->op == CHART_NOW)
        events[e->event->index] = true;
    for (int i = 0; i < 3; i++)
        collect_events(e->child[i], events);
}

static bool share_an_event(const struct chart *chart, const struct chart_transition *a,
                           const struct chart_transition *b, bool *scratch)
{
    if (a->spontaneous || b->spontaneous)
        return a->spontaneous && b->spontaneous;
    memset(scratch, 0, 2 * ((size_t)chart->event_count + 1));
    bool *other = scratch + chart->event_count + 1, shared = false;
    collect_events(a->trigger, scratch);
    collect_events(b->trigger, other);
    for (uint32_t i = 0; i < chart->event_count; i++)
        shared |= scratch[i] && other[i];
    return shared;
}

// Of states that are not above one another: can both be active?
static bool are_beside(const struct chart_state *a, const struct chart_state *b)
{
    while (a->depth > b->depth)
        a = chart_parent(a);
    while (b->depth > a->depth)
        b = chart_parent(b);
    while (a->parent != b->parent && chart_parent(a) != chart_parent(b)) {
        a = chart_parent(a);
        b = chart_parent(b);
    }
    return a->parent != b->parent;
}

static bool parallel_between(const struct chart_state *above, const struct chart_state *below)
{
    for (const struct chart_state *s = below; s != above; s = chart_parent(s)) {
        if (chart_parent(s)->parallel)
            return true;
    }
    return false;
}

static bool may_fire_together(struct microstep *m, const struct chart_transition *a,
                              const struct chart_transition *b)
{
    if (a->source == b->source)
        return false; // the first one does
    const struct chart_state *above = a->source, *below = b->source;
    if (chart_is_below(above, below)) {
        above = b->source;
        below = a->source;
    }
    if (chart_is_below(
            below,
            above)) // the inner one goes first, and alone where both leave something in common
        return parallel_between(above, below) && !in_conflict(m, a, b);
    return are_beside(a->source, b->source);
}

// In each microstep one transition at most: then each of them is an edge.
static bool one_at_a_time(struct microstep *m)
{
    const struct chart *chart = m->t->chart;
    bool *scratch = memory_alloc(2 * ((size_t)chart->event_count + 1));
    bool alone = chart->transition_count <= MOST_COMPARED; // pairwise
    for (uint32_t i = 0; i < chart->transition_count && alone; i++) {
        for (uint32_t j = 0; j < i && alone; j++) {
            const struct chart_transition *a = chart->transitions[i], *b = chart->transitions[j];
            alone = !is_real(a) || !is_real(b) || !may_fire_together(m, a, b) ||
                    !share_an_event(chart, a, b, scratch);
        }
    }
    memory_free(scratch);
    return alone;
}

static bool has_parallel(const struct chart *chart)
{
    for (uint32_t i = 0; i < chart->state_count; i++) {
        if (chart->states[i]->parallel)
            return true;
    }
    return false;
}

void translate_scxml(struct translation *t)
{
    const struct chart *chart = t->chart;
    struct microstep m = {.t = t};
    m.enabled = memory_zalloc((chart->transition_count + 1) * sizeof *m.enabled);
    m.chooses = memory_zalloc((chart->state_count + 1) * sizeof *m.chooses);
    m.beneath = memory_zalloc((chart->state_count + 1) * sizeof *m.beneath);
    m.fires = memory_zalloc((chart->transition_count + 1) * sizeof *m.fires);
    m.running = model_builder_location(t->builder, "running", PHASE_NONE, false);
    t->map->working = m.running;
    start(t);
    model_builder_initial(t->builder, m.running, translate_end(t, t->into, NULL));
    find_enabled(&m);
    if (has_parallel(chart) && !one_at_a_time(&m))
        joint_step(&m);
    else
        single_steps(&m);
    const struct term *idle = term_not(t->store, something_enabled(&m));
    dequeue(&m, idle);
    catch_overflow(&m);
    drop_event(&m, idle);
    catch_unset(&m);
    settle(&m, idle);
    receive(&m);
    receive_own(&m);
    memory_free(m.enabled);
    memory_free(m.chooses);
    memory_free(m.beneath);
    memory_free(m.fires);
}
