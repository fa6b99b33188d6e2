#include "languages/charts/interpret_inside.h"

#include <assert.h>
#include <string.h>

// The algorithm for SCXML interpretation (W3C, State Chart XML, 2015, appendix D), function by function. Sets of states
// are arrays by document order.

#define MICROSTEP_LIMIT 1000

struct transition_list { // a VECTOR
    const struct chart_transition **data;
    size_t count, capacity;
};
struct state_list { // a VECTOR
    const struct chart_state **data;
    size_t count, capacity;
};

static bool is_compound(const struct chart_state *state)
{
    return state->region_count > 0 && !state->parallel;
}

static bool is_history(const struct chart_state *state)
{
    return state->kind == CHART_SHALLOW_HISTORY || state->kind == CHART_DEEP_HISTORY;
}

static void from_cells(struct interpreter *it)
{
    for (uint32_t i = 0; i < it->chart->state_count; i++) {
        const struct chart_state *state = it->chart->states[i];
        it->active[i] =
            chart_can_be_active(state) && interpreter_is_active(it->chart, it->cells, state);
    }
}

static void to_cells(struct interpreter *it)
{
    for (uint32_t i = 0; i < it->chart->region_count; i++) {
        const struct chart_region *region = it->chart->regions[i];
        it->cells[i] = -1;
        for (uint32_t j = 0; j < region->active_count; j++) {
            if (!it->active[region->states[j]->index])
                continue;
            assert(it->cells[i] == -1); // one of them at a time
            it->cells[i] = (int64_t)j;
        }
    }
}

// ---- history -----------------------------------------------------------------------------------

// The cells of the regions stand for historyValue: a deep history is read from the top down.
static void record_history(struct interpreter *it, const struct chart_state *leaving)
{
    for (uint32_t i = 0; i < leaving->region_count; i++) {
        const struct chart_region *region = leaving->regions[i];
        for (uint32_t j = 0; region->remembers && j < region->active_count; j++) {
            if (it->active[region->states[j]->index])
                it->cells[interpreter_history_cell(it->chart, region)] = (int64_t)j;
        }
    }
}

static bool has_history(struct interpreter *it, const struct chart_state *history)
{
    return it->cells[interpreter_history_cell(it->chart, history->parent)] >= 0;
}

static void history_below(struct interpreter *it, const struct chart_region *region, bool deep,
                          struct state_list *out)
{
    int64_t place = it->cells[interpreter_history_cell(it->chart, region)];
    assert(place >= 0 && place < (int64_t)region->active_count); // the region around it was active
    const struct chart_state *state = region->states[place];
    if (!deep || state->region_count == 0) {
        VECTOR_PUSH(out, state);
        return;
    }
    for (uint32_t i = 0; i < state->region_count; i++)
        history_below(it, state->regions[i], true, out);
}

static void history_value(struct interpreter *it, const struct chart_state *history,
                          struct state_list *out)
{
    const struct chart_state *owner = chart_parent(history);
    bool deep = history->kind == CHART_DEEP_HISTORY;
    for (uint32_t i = 0; i < owner->region_count; i++)
        history_below(it, owner->regions[i], deep, out);
}

// ---- which transitions -------------------------------------------------------------------------

static void effective_targets(struct interpreter *it, const struct chart_transition *transition,
                              struct state_list *out)
{
    for (uint32_t i = 0; i < transition->target_count; i++) {
        const struct chart_state *target = transition->targets[i];
        if (!is_history(target))
            VECTOR_PUSH(out, target);
        else if (has_history(it, target))
            history_value(it, target, out);
        else
            effective_targets(it, target->out[0], out);
    }
}

static bool all_are_below(const struct state_list *states, const struct chart_state *above)
{
    for (size_t i = 0; i < states->count; i++) {
        if (!chart_is_below(states->data[i], above))
            return false;
    }
    return true;
}

// NULL: the document itself.
static const struct chart_state *transition_domain(struct interpreter *it,
                                                   const struct chart_transition *transition)
{
    struct state_list targets = {0};
    effective_targets(it, transition, &targets);
    const struct chart_state *domain = transition->source;
    bool internal = transition->internal && domain != NULL && is_compound(domain) &&
                    all_are_below(&targets, domain);
    if (!internal && domain != NULL) {
        do
            domain = chart_parent(domain);
        while (domain != NULL && !(is_compound(domain) && all_are_below(&targets, domain)));
    }
    VECTOR_FINISH(&targets);
    return domain;
}

static bool is_in_exit_set(struct interpreter *it, const struct chart_transition *transition,
                           const struct chart_state *state)
{
    return transition->target_count > 0 && it->active[state->index] &&
           chart_is_below(state, transition_domain(it, transition));
}

static bool exit_sets_meet(struct interpreter *it, const struct chart_transition *a,
                           const struct chart_transition *b)
{
    for (uint32_t i = 0; i < it->chart->state_count; i++) {
        const struct chart_state *state = it->chart->states[i];
        if (is_in_exit_set(it, a, state) && is_in_exit_set(it, b, state))
            return true;
    }
    return false;
}

static bool is_enabled(struct interpreter *it, const struct chart_transition *transition)
{
    bool now = it->event == NULL
                   ? transition->spontaneous
                   : !transition->spontaneous && interpret_holds(it, transition->trigger);
    return now && interpret_holds(it, transition->guard);
}

static bool contains(const struct transition_list *list, const struct chart_transition *transition)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->data[i] == transition)
            return true;
    }
    return false;
}

// Of the state and those around it, from the inside to the outside, the first one that is enabled.
static const struct chart_transition *first_enabled(struct interpreter *it,
                                                    const struct chart_state *state)
{
    for (; state != NULL; state = chart_parent(state)) {
        for (uint32_t i = 0; i < state->out_count; i++) {
            if (is_enabled(it, state->out[i]))
                return state->out[i];
        }
    }
    return NULL;
}

static void remove_at(struct transition_list *list, size_t at)
{
    assert(at < list->count);
    memmove(&list->data[at], &list->data[at + 1], (--list->count - at) * sizeof list->data[0]);
}

static void remove_conflicting(struct interpreter *it, struct transition_list *enabled)
{
    struct transition_list filtered = {0};
    for (size_t i = 0; i < enabled->count; i++) {
        const struct chart_transition *one = enabled->data[i];
        struct transition_list removed = {0};
        bool preempted = false;
        for (size_t j = 0; j < filtered.count && !preempted; j++) {
            const struct chart_transition *two = filtered.data[j];
            if (!exit_sets_meet(it, one, two))
                continue;
            if (chart_is_below(one->source, two->source))
                VECTOR_PUSH(&removed, two);
            else
                preempted = true;
        }
        for (size_t j = filtered.count; !preempted && j-- > 0;) {
            if (contains(&removed, filtered.data[j]))
                remove_at(&filtered, j);
        }
        if (!preempted)
            VECTOR_PUSH(&filtered, one);
        VECTOR_FINISH(&removed);
    }
    VECTOR_FINISH(enabled);
    *enabled = filtered;
}

static void select_transitions(struct interpreter *it, struct transition_list *out)
{
    for (uint32_t i = 0; i < it->chart->state_count; i++) {
        const struct chart_state *state = it->chart->states[i];
        if (it->active[i])
            interpret_overlap(it, state);
        if (!it->active[i] || state->region_count > 0)
            continue;
        const struct chart_transition *found = first_enabled(it, state);
        if (found != NULL && !contains(out, found))
            VECTOR_PUSH(out, found);
    }
    remove_conflicting(it, out);
}

// ---- microstep ---------------------------------------------------------------------------------

static void exit_states(struct interpreter *it, const struct transition_list *enabled)
{
    bool *leaving = it->enter; // not in use yet
    for (uint32_t i = 0; i < it->chart->state_count; i++) {
        leaving[i] = false;
        for (size_t j = 0; j < enabled->count && !leaving[i]; j++)
            leaving[i] = is_in_exit_set(it, enabled->data[j], it->chart->states[i]);
    }
    for (uint32_t i = 0; i < it->chart->state_count; i++) {
        if (leaving[i])
            record_history(it, it->chart->states[i]);
    }
    for (uint32_t i = it->chart->state_count; i-- > 0;) {
        if (!leaving[i])
            continue;
        interpret_actions(it, chart_exit_of(it->chart, it->chart->states[i]));
        interpret_note(it, NOTE_EXIT, it->chart->states[i]);
        it->active[i] = false;
    }
}

static void add_descendants(struct interpreter *it, const struct chart_state *state);

static void add_ancestors(struct interpreter *it, const struct chart_state *state,
                          const struct chart_state *above);

static bool something_below_is_entered(struct interpreter *it, const struct chart_state *state)
{
    for (uint32_t i = state->index + 1; i <= state->last; i++) {
        if (it->enter[i])
            return true;
    }
    return false;
}

static void add_regions(struct interpreter *it, const struct chart_state *parallel)
{
    for (uint32_t i = 0; i < parallel->region_count; i++) {
        const struct chart_state *child = parallel->regions[i]->states[0];
        if (!something_below_is_entered(it, child))
            add_descendants(it, child);
    }
}

// What a region is entered with when no target is in it.
static void initial_states(const struct chart_region *region, struct state_list *out)
{
    if (region->initial == NULL) {
        VECTOR_PUSH(out, region->states[0]);
        return;
    }
    for (uint32_t i = 0; i < region->initial->target_count; i++)
        VECTOR_PUSH(out, region->initial->targets[i]);
}

static void add_all(struct interpreter *it, const struct state_list *states,
                    const struct chart_state *above)
{
    for (size_t i = 0; i < states->count; i++)
        add_descendants(it, states->data[i]);
    for (size_t i = 0; i < states->count; i++)
        add_ancestors(it, states->data[i], above);
}

static void add_descendants(struct interpreter *it, const struct chart_state *state)
{
    struct state_list inside = {0};
    if (is_history(state)) {
        if (has_history(it, state)) {
            history_value(it, state, &inside);
        } else {
            it->enter[state->index] = true; // marks that its default content runs
            for (uint32_t i = 0; i < state->out[0]->target_count; i++)
                VECTOR_PUSH(&inside, state->out[0]->targets[i]);
        }
        add_all(it, &inside, chart_parent(state));
    } else {
        it->enter[state->index] = true;
        if (is_compound(state)) {
            it->default_entry[state->index] = true;
            initial_states(state->regions[0], &inside);
            add_all(it, &inside, state);
        } else if (state->parallel) {
            add_regions(it, state);
        }
    }
    VECTOR_FINISH(&inside);
}

static void add_ancestors(struct interpreter *it, const struct chart_state *state,
                          const struct chart_state *above)
{
    for (const struct chart_state *up = chart_parent(state); up != above; up = chart_parent(up)) {
        it->enter[up->index] = true;
        if (up->parallel)
            add_regions(it, up);
    }
}

static bool is_in_final_state(struct interpreter *it, const struct chart_state *state)
{
    if (is_compound(state)) {
        for (uint32_t i = 0; i < state->regions[0]->active_count; i++) {
            const struct chart_state *child = state->regions[0]->states[i];
            if (child->kind == CHART_FINAL && it->active[child->index])
                return true;
        }
        return false;
    }
    for (uint32_t i = 0; i < state->region_count; i++) {
        if (!is_in_final_state(it, state->regions[i]->states[0]))
            return false;
    }
    return state->parallel;
}

static void enter_state(struct interpreter *it, const struct chart_state *state)
{
    assert(chart_can_be_active(state));
    it->active[state->index] = true;
    interpret_note(it, NOTE_ENTER, state);
    interpret_actions(it, state->entry);
    if (it->default_entry[state->index] && state->regions[0]->initial != NULL)
        interpret_actions(it, chart_action_of(it->chart, state->regions[0]->initial));
    // Of a history of this state that was entered by its default.
    for (uint32_t i = 0; i < state->region_count; i++) {
        const struct chart_region *region = state->regions[i];
        for (uint32_t j = region->active_count; j < region->state_count; j++) {
            if (it->enter[region->states[j]->index])
                interpret_actions(it, chart_action_of(it->chart, region->states[j]->out[0]));
        }
    }
    const struct chart_state *parent = chart_parent(state);
    if (state->kind != CHART_FINAL || parent == NULL)
        return;
    interpret_raise(it, state->done);
    const struct chart_state *around = chart_parent(parent);
    if (around != NULL && around->parallel && is_in_final_state(it, around))
        interpret_raise(it, around->all_done);
}

static void enter_states(struct interpreter *it, const struct transition_list *enabled)
{
    memset(it->enter, 0, it->chart->state_count);
    memset(it->default_entry, 0, it->chart->state_count);
    for (size_t i = 0; i < enabled->count; i++) {
        const struct chart_transition *transition = enabled->data[i];
        struct state_list effective = {0};
        for (uint32_t j = 0; j < transition->target_count; j++)
            add_descendants(it, transition->targets[j]);
        const struct chart_state *domain = transition_domain(it, transition);
        effective_targets(it, transition, &effective);
        for (size_t j = 0; j < effective.count; j++)
            add_ancestors(it, effective.data[j], domain);
        VECTOR_FINISH(&effective);
    }
    for (uint32_t i = 0; i < it->chart->state_count; i++) {
        if (it->enter[i] && chart_can_be_active(it->chart->states[i]))
            enter_state(it, it->chart->states[i]);
    }
}

static void microstep(struct interpreter *it, const struct transition_list *enabled)
{
    exit_states(it, enabled);
    for (size_t i = 0; i < enabled->count; i++) {
        interpret_note(it, NOTE_FIRE, enabled->data[i]);
        interpret_actions(it, chart_action_of(it->chart, enabled->data[i]));
    }
    enter_states(it, enabled);
}

static bool has_ended(const struct interpreter *it)
{
    const struct chart_region *top = it->chart->regions[0];
    for (uint32_t i = 0; i < top->active_count; i++) {
        if (top->states[i]->kind == CHART_FINAL && it->active[top->states[i]->index])
            return true;
    }
    return false;
}

// One round of the loop inside mainEventLoop; false when the macrostep is complete.
static bool go_on(struct interpreter *it)
{
    struct transition_list enabled = {0};
    it->event = NULL;
    select_transitions(it, &enabled);
    bool more = enabled.count > 0;
    if (!more && it->queue_first < it->queue.count) {
        more = true;
        it->event = it->queue.data[it->queue_first++];
        interpret_note(it, NOTE_EVENT, it->event);
        select_transitions(it, &enabled);
    }
    if (enabled.count > 0)
        microstep(it, &enabled);
    VECTOR_FINISH(&enabled);
    return more;
}

static void complete_macrostep(struct interpreter *it)
{
    for (int i = 0; !has_ended(it) && it->outcome == INTERPRETER_DONE; i++) {
        if (!go_on(it))
            break;
        if (i >= MICROSTEP_LIMIT)
            interpret_fail(it, INTERPRETER_DIVERGES);
    }
    to_cells(it);
}

void interpret_scxml_start(struct interpreter *it)
{
    const struct chart_region *top = it->chart->regions[0];
    memset(it->active, 0, it->chart->state_count);
    struct chart_transition start = {0};
    const struct chart_state *first = top->states[0];
    if (top->initial != NULL)
        start = *top->initial;
    else {
        start.targets = &first;
        start.target_count = 1;
    }
    struct transition_list enabled = {0};
    VECTOR_PUSH(&enabled, &start);
    interpret_actions(it, start.action);
    enter_states(it, &enabled);
    VECTOR_FINISH(&enabled);
    complete_macrostep(it);
}

// One of the events that the chart has sent to itself and that may come now; NULL: there is none.
static const struct chart_event *take_own(struct interpreter *it)
{
    VECTOR(const struct chart_sending *) ready = {0};
    for (uint32_t i = 0; i < it->chart->sending_count; i++) {
        const struct chart_sending *sending = &it->chart->sendings[i];
        if (interpret_holds(it, sending->ready))
            VECTOR_PUSH(&ready, sending);
    }
    const struct chart_event *event = NULL;
    if (ready.count > 0) {
        const struct chart_sending *chosen =
            ready.data[interpret_choose(it, (uint32_t)ready.count)];
        interpret_actions(it, chosen->take);
        event = chosen->event;
    }
    VECTOR_FINISH(&ready);
    return event;
}

void interpret_scxml_step(struct interpreter *it, const struct chart_event *event)
{
    from_cells(it);
    if (!has_ended(it) && event == NULL)
        event = take_own(it);
    else
        interpret_actions(it, it->chart->environment);
    if (has_ended(it) || event == NULL) {
        interpret_fail(it, INTERPRETER_BLOCKED);
        return;
    }
    it->event = event;
    interpret_note(it, NOTE_EVENT, event);
    struct transition_list enabled = {0};
    select_transitions(it, &enabled);
    if (enabled.count > 0)
        microstep(it, &enabled);
    VECTOR_FINISH(&enabled);
    complete_macrostep(it);
}
