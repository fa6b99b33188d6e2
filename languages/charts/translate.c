#include "languages/charts/told.h"
#include "languages/charts/translate_inside.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/text.h"

static const struct dialect DIALECTS[] = {
    [CHART_INTERLEAVING] = {.name = "chart",
                            .terms = PRINT_CFA,
                            .print_readable = chart_told_print,
                            .replay = chart_told_replay},
    [CHART_SCXML] = {.name = "scxml",
                     .terms = PRINT_CFA,
                     .print_readable = chart_told_print,
                     .replay = chart_told_replay},
    [CHART_GAMMA] = {.name = "gamma",
                     .terms = PRINT_CFA,
                     .print_readable = chart_told_print,
                     .replay = chart_told_replay},
};

// ---- statements --------------------------------------------------------------------------------

void translate_push(struct translation *t, struct statement *statement)
{
    VECTOR_PUSH(t->into, statement);
}

void translate_assign(struct translation *t, const struct variable *variable,
                      const struct term *value)
{
    ENSURE(variable->sort == value->sort);
    translate_push(t, model_assign(t->builder, variable, value, t->nowhere));
}

void translate_assume(struct translation *t, const struct term *condition)
{
    ENSURE(condition->sort->kind == SORT_BOOL);
    if (!term_is_true(condition))
        translate_push(t, model_assume(t->builder, condition, t->nowhere));
}

struct statements *translate_begin(struct translation *t, struct statements *inner)
{
    struct statements *outer = t->into;
    *inner = (struct statements){0};
    t->into = inner;
    return outer;
}

struct statement *translate_end(struct translation *t, struct statements *inner,
                                struct statements *outer)
{
    assert(t->into == inner && "what begins last ends first");
    struct statement *made =
        inner->count == 0   ? model_skip(t->builder, t->nowhere)
        : inner->count == 1 ? inner->data[0]
                            : model_sequence(t->builder, inner->data, inner->count, t->nowhere);
    VECTOR_FINISH(inner);
    t->into = outer;
    return made;
}

// ---- terms -------------------------------------------------------------------------------------

static const struct sort *sort_of(struct term_store *store, const struct chart_type *type)
{
    if (type->kind == CHART_BOOL)
        return sort_bool(store);
    if (type->kind == CHART_INT)
        return sort_int(store);
    return sort_enum(store, type->name, type->literals, type->literal_count);
}

static const struct term *literal(struct term_store *store, const struct chart_type *type,
                                  int64_t value)
{
    if (type->kind == CHART_BOOL)
        return term_bool(store, value != 0);
    if (type->kind == CHART_INT)
        return term_int(store, value);
    ENSURE(value >= 0 && value < type->literal_count);
    return term_enum(store, sort_of(store, type), (uint32_t)value);
}

// The region's number is that of the state.
static const struct term *number_is(const struct chart_map *map, struct term_store *store,
                                    const struct chart_state *state)
{
    const struct chart_code *code = &map->codes[state->parent->index];
    const struct term *all = term_true(store);
    ENSURE(state->place < state->parent->active_count);
    for (uint32_t b = 0; b < code->width; b++) {
        const struct term *bit = map->bits[code->first + b]->term;
        all = term_and2(store, all, (state->place >> b) & 1 ? bit : term_not(store, bit));
    }
    return all;
}

const struct term *chart_active_term(const struct chart_map *map, struct term_store *store,
                                     const struct chart_state *state)
{
    const struct term *all = term_true(store);
    for (; state != NULL; state = chart_parent(state)) {
        const struct variable *region = map->region[state->parent->index];
        if (map->codes != NULL)
            all = term_and2(store, number_is(map, store, state), all);
        else if (region != NULL) // which is inactive when a state around it is
            return term_eq(store, region->term, term_enum(store, region->sort, state->place + 1));
    }
    return all;
}

bool translate_has_region(const struct translation *t, const struct chart_region *region)
{
    return t->map->codes != NULL || t->map->region[region->index] != NULL;
}

const struct term *translate_active(struct translation *t, const struct chart_state *state)
{
    return chart_active_term(t->map, t->store, state);
}

static const struct term *remainder_term(struct term_store *store, const struct term *a,
                                         int64_t divisor)
{
    assert(divisor != 0);
    int64_t positive = divisor < 0 ? -divisor : divisor;
    const struct term *d = term_int(store, positive);
    const struct term *down = term_neg(store, term_mod(store, term_neg(store, a), d));
    return term_ite(store, term_le(store, term_int(store, 0), a), term_mod(store, a, d), down);
}

static const struct term *now(struct translation *t, const struct chart_event *event)
{
    const struct variable *variable = t->map->event;
    return term_eq(t->store, variable->term,
                   term_enum(t->store, variable->sort, event == NULL ? 0 : event->index + 1));
}

static const struct term *binary_term(struct translation *t, const struct chart_expression *e)
{
    struct term_store *s = t->store;
    const struct term *a = translate_term(t, e->child[0]), *b = translate_term(t, e->child[1]);
    switch (e->op) {
    case CHART_AND:
        return term_and2(s, a, b);
    case CHART_OR:
        return term_or2(s, a, b);
    case CHART_EQUAL:
        return term_eq(s, a, b);
    case CHART_LESS:
        return term_lt(s, a, b);
    case CHART_LESS_EQUAL:
        return term_le(s, a, b);
    case CHART_ADD:
        return term_add2(s, a, b);
    case CHART_SUBTRACT:
        return term_sub(s, a, b);
    case CHART_MULTIPLY:
        return term_mul2(s, a, b);
    case CHART_DIVIDE:
        return term_div(s, a, b);
    case CHART_MODULO:
        return term_mod(s, a, b);
    default:
        assert(e->op == CHART_REMAINDER && e->child[1]->op == CHART_LITERAL);
        return remainder_term(s, a, e->child[1]->value);
    }
}

const struct term *translate_term(struct translation *t, const struct chart_expression *e)
{
    struct term_store *s = t->store;
    switch (e->op) {
    case CHART_LITERAL:
        return literal(s, e->type, e->value);
    case CHART_VARIABLE:
        return t->map->variable[e->variable->index]->term;
    case CHART_ACTIVE:
        return translate_active(t, e->state);
    case CHART_NOW:
        return now(t, e->event);
    case CHART_NOT:
        return term_not(s, translate_term(t, e->child[0]));
    case CHART_NEGATE:
        return term_neg(s, translate_term(t, e->child[0]));
    case CHART_IF:
        return term_ite(s, translate_term(t, e->child[0]), translate_term(t, e->child[1]),
                        translate_term(t, e->child[2]));
    default:
        return binary_term(t, e);
    }
}

const struct term *translate_enabled(struct translation *t,
                                     const struct chart_transition *transition)
{
    const struct term *enabled = term_true(t->store);
    if (t->chart->semantics == CHART_SCXML && transition->spontaneous)
        enabled = now(t, NULL);
    if (transition->trigger != NULL)
        enabled = term_and2(t->store, enabled, translate_term(t, transition->trigger));
    if (transition->guard != NULL)
        enabled = term_and2(t->store, enabled, translate_term(t, transition->guard));
    return enabled;
}

const struct term *translate_unset(struct translation *t, const struct chart_expression *e)
{
    if (e == NULL)
        return term_false(t->store);
    if (e->op == CHART_VARIABLE && e->variable->set != NULL)
        return term_not(t->store, t->map->variable[e->variable->set->index]->term);
    const struct term *unset[3];
    bool any = false;
    for (int i = 0; i < 3; i++) {
        unset[i] = translate_unset(t, e->child[i]);
        any |= !term_is_false(unset[i]);
    }
    if (!any)
        return unset[0];
    const struct term *rest = term_or2(t->store, unset[1], unset[2]);
    const struct term *first = translate_term(t, e->child[0]); // what is looked at depends on it
    if (e->op == CHART_AND)
        rest = term_and2(t->store, first, rest);
    else if (e->op == CHART_OR)
        rest = term_and2(t->store, term_not(t->store, first), rest);
    else if (e->op == CHART_IF)
        rest = term_ite(t->store, first, unset[1], unset[2]);
    return term_or2(t->store, unset[0], rest);
}

// ---- actions -----------------------------------------------------------------------------------

// Into the first free place of the queue.
void translate_raise(struct translation *t, const struct chart_event *event)
{
    if (event == NULL || !event->heard)
        return;
    const struct chart_map *map = t->map;
    assert(map->event != NULL && map->overflow != NULL && "some event is raised and heard");
    const struct term *value = term_enum(t->store, map->event->sort, event->index + 1);
    struct statement *rest =
        model_assign(t->builder, map->overflow, term_true(t->store), t->nowhere);
    for (uint32_t i = map->queue_count; i-- > 0;) {
        const struct variable *place = map->queue[i];
        const struct term *is_free =
            term_eq(t->store, place->term, term_enum(t->store, place->sort, 0));
        rest = model_if(t->builder, is_free, model_assign(t->builder, place, value, t->nowhere),
                        rest, t->nowhere);
    }
    translate_push(t, rest);
}

static struct statement *block(struct translation *t, const struct chart_action *list)
{
    struct statements inner, *outer = translate_begin(t, &inner);
    translate_actions(t, list);
    return translate_end(t, &inner, outer);
}

static void translate_action(struct translation *t, const struct chart_action *a)
{
    const struct variable *variable =
        a->variable != NULL ? t->map->variable[a->variable->index] : NULL;
    const struct term *unset = translate_unset(t, a->expression);
    if (!term_is_false(unset))
        translate_push(
            t, model_if(t->builder, unset,
                        model_assign(t->builder, t->map->unset, term_true(t->store), a->source),
                        model_skip(t->builder, t->nowhere), a->source));
    switch (a->kind) {
    case CHART_ASSIGN:
        ENSURE(a->expression->type == a->variable->type);
        translate_push(
            t, model_assign(t->builder, variable, translate_term(t, a->expression), a->source));
        break;
    case CHART_HAVOC:
        translate_push(t, model_havoc(t->builder, variable, a->source));
        if (a->expression != NULL)
            translate_assume(t, translate_term(t, a->expression));
        break;
    case CHART_RAISE:
        translate_raise(t, a->event);
        break;
    case CHART_LIMIT:
        translate_assign(t, t->map->overflow, term_true(t->store));
        break;
    case CHART_BRANCH: {
        struct statement *then = block(t, a->then), *otherwise = block(t, a->otherwise);
        translate_push(
            t, model_if(t->builder, translate_term(t, a->expression), then, otherwise, a->source));
        break;
    }
    case CHART_ASSUME:
        translate_assume(t, translate_term(t, a->expression));
        break;
    }
}

void translate_actions(struct translation *t, const struct chart_action *list)
{
    for (const struct chart_action *a = list; a != NULL; a = a->next)
        translate_action(t, chart_in_place(t->chart, a));
}

// ---- leaving -----------------------------------------------------------------------------------

static void set_bits(struct translation *t, const struct chart_region *region,
                     const struct chart_state *state)
{
    const struct chart_code *code = &t->map->codes[region->index];
    for (uint32_t b = 0; b < (state == NULL ? code->area : code->width); b++)
        translate_assign(t, t->map->bits[code->first + b],
                         term_bool(t->store, state != NULL && ((state->place >> b) & 1) != 0));
}

static void set_region(struct translation *t, const struct chart_region *region,
                       const struct chart_state *state)
{
    assert(state == NULL || (state->parent == region && state->place < region->active_count));
    const struct variable *variable = t->map->region[region->index];
    if (t->map->codes != NULL)
        set_bits(t, region, state);
    else if (variable != NULL)
        translate_assign(t, variable,
                         term_enum(t->store, variable->sort, state == NULL ? 0 : state->place + 1));
}

// The history of a region whose bits say which of its states is active, if any is.
static void record_bits(struct translation *t, const struct chart_region *region,
                        const struct variable *history)
{
    struct statement *rest = model_skip(t->builder, t->nowhere);
    for (uint32_t i = region->active_count; i-- > 0;)
        rest = model_if(t->builder, translate_active(t, region->states[i]),
                        model_assign(t->builder, history, term_enum(t->store, history->sort, i + 1),
                                     t->nowhere),
                        rest, t->nowhere);
    translate_push(t, rest);
}

static void record(struct translation *t, const struct chart_region *region)
{
    const struct variable *history = t->map->history[region->index],
                          *variable = t->map->region[region->index];
    if (history == NULL)
        return;
    if (t->map->codes != NULL) {
        record_bits(t, region, history);
        return;
    }
    if (variable == NULL) {
        translate_assign(t, history, term_enum(t->store, history->sort, 1));
        return;
    }
    // What is inactive leaves nothing to remember.
    const struct term *is_active = term_not(
        t->store, term_eq(t->store, variable->term, term_enum(t->store, variable->sort, 0)));
    translate_push(t, model_if(t->builder, is_active,
                               model_assign(t->builder, history, variable->term, t->nowhere),
                               model_skip(t->builder, t->nowhere), t->nowhere));
}

static bool backwards(const struct translation *t)
{
    return t->chart->semantics == CHART_SCXML;
}

static const struct chart_region *leaving_order(const struct translation *t,
                                                const struct chart_state *state, uint32_t i)
{
    return state->regions[backwards(t) ? state->region_count - 1 - i : i];
}

static void leave_state(struct translation *t, const struct chart_state *state)
{
    for (uint32_t i = 0; i < state->region_count; i++)
        translate_leave(t, leaving_order(t, state, i), true);
    translate_actions(t, chart_exit_of(t->chart, state));
}

// Does leaving the state do more than to make it inactive?
static bool is_quiet(const struct translation *t, const struct chart_state *state)
{
    return chart_exit_of(t->chart, state) == NULL && state->region_count == 0;
}

void translate_leave(struct translation *t, const struct chart_region *region, bool owner_too)
{
    if (owner_too || !backwards(t))
        record(t, region);
    for (uint32_t i = 0; i < region->active_count; i++) {
        const struct chart_state *state = region->states[i];
        if (is_quiet(t, state))
            continue;
        if (!translate_has_region(t, region)) {
            leave_state(t, state);
            continue;
        }
        struct statements inner, *outer = translate_begin(t, &inner);
        const struct term *is_active = translate_active(t, state);
        leave_state(t, state);
        struct statement *then = translate_end(t, &inner, outer);
        translate_push(t, model_if(t->builder, is_active, then, model_skip(t->builder, t->nowhere),
                                   t->nowhere));
    }
    set_region(t, region, NULL);
}

static void leave_path(struct translation *t, const struct chart_region *region,
                       const struct chart_state *source, bool owner_too)
{
    const struct chart_state *state = source;
    while (state->parent != region)
        state = chart_parent(state);
    const struct variable *history = t->map->history[region->index];
    if (history != NULL && (owner_too || !backwards(t)))
        translate_assign(t, history, term_enum(t->store, history->sort, state->place + 1));
    for (uint32_t i = 0; i < state->region_count; i++) {
        const struct chart_region *inner = leaving_order(t, state, i);
        if (chart_is_in(source, inner))
            leave_path(t, inner, source, true);
        else
            translate_leave(t, inner, true);
    }
    translate_actions(t, chart_exit_of(t->chart, state));
    set_region(t, region, NULL);
}

void translate_leave_from(struct translation *t, const struct chart_region *domain,
                          const struct chart_state *source)
{
    if (chart_is_in(source, domain))
        leave_path(t, domain, source, false);
    else
        translate_leave(t, domain, false); // an internal transition of the state around it
}

// ---- entering ----------------------------------------------------------------------------------

static bool is_history(const struct chart_state *state)
{
    return state->kind == CHART_SHALLOW_HISTORY || state->kind == CHART_DEEP_HISTORY;
}

// All regions of the state in final states?
static const struct term *all_final(struct translation *t, const struct chart_state *state)
{
    const struct term *all = term_true(t->store);
    for (uint32_t i = 0; i < state->region_count; i++) {
        const struct chart_region *region = state->regions[i];
        const struct term *any = term_false(t->store);
        for (uint32_t j = 0; j < region->active_count; j++) {
            const struct chart_state *child = region->states[j];
            const struct term *final = term_false(t->store);
            if (child->kind == CHART_FINAL)
                final = translate_active(t, child);
            else if (state->parallel)
                final = child->region_count > 0 ? all_final(t, child) : term_false(t->store);
            any = term_or2(t->store, any, final);
        }
        all = term_and2(t->store, all, any);
    }
    return all;
}

static void raise_done(struct translation *t, const struct chart_state *state)
{
    const struct chart_state *parent = chart_parent(state);
    if (state->kind != CHART_FINAL || parent == NULL)
        return;
    translate_raise(t, state->done);
    const struct chart_state *around = chart_parent(parent);
    if (around == NULL || !around->parallel || around->all_done == NULL)
        return;
    struct statements inner, *outer = translate_begin(t, &inner);
    translate_raise(t, around->all_done);
    struct statement *then = translate_end(t, &inner, outer);
    translate_push(t, model_if(t->builder, all_final(t, around), then,
                               model_skip(t->builder, t->nowhere), t->nowhere));
}

// The one of the targets that is in the region: the last one, as any of them leads the same way.
static const struct chart_state *target_inside(struct entry entry,
                                               const struct chart_region *region)
{
    const struct chart_state *inside = NULL;
    for (uint32_t i = 0; i < entry.count; i++) {
        if (chart_is_in(entry.targets[i], region))
            inside = entry.targets[i];
    }
    return inside;
}

// A history among the targets that stands for the state's regions.
static const struct chart_state *history_of(struct entry entry, const struct chart_state *owner)
{
    for (uint32_t i = 0; i < entry.count; i++) {
        if (is_history(entry.targets[i]) && chart_parent(entry.targets[i]) == owner)
            return entry.targets[i];
    }
    return NULL;
}

static void activate(struct translation *t, const struct chart_state *state)
{
    set_region(t, state->parent, state);
    translate_actions(t, state->entry);
}

static void enter_regions(struct translation *t, const struct chart_state *state,
                          struct entry entry)
{
    for (uint32_t i = 0; i < state->region_count; i++)
        translate_enter(t, state->regions[i], entry, true);
}

static void enter_state(struct translation *t, const struct chart_state *state, struct entry entry)
{
    activate(t, state);
    raise_done(t, state);
    enter_regions(t, state, entry);
}

static void enter_initially(struct translation *t, const struct chart_region *region)
{
    const struct chart_transition *initial = region->initial;
    struct entry first = {(const struct chart_state *const *)region->states, 1};
    if (initial != NULL) {
        translate_actions(t, chart_action_of(t->chart, initial));
        first = (struct entry){initial->targets, initial->target_count};
    }
    translate_enter(t, region, first, true);
}

// The last active states of the region; `otherwise` when there are none.
static void restore(struct translation *t, const struct chart_region *region, bool deep,
                    struct statement *otherwise)
{
    const struct variable *history = t->map->history[region->index];
    assert(history != NULL && "who is asked remembers");
    struct statement *rest = otherwise;
    for (uint32_t i = region->active_count; i-- > 0;) {
        const struct chart_state *state = region->states[i];
        struct statements inner, *outer = translate_begin(t, &inner);
        activate(t, state);
        raise_done(t, state);
        for (uint32_t j = 0; j < state->region_count; j++) {
            struct statements below, *saved = translate_begin(t, &below);
            translate_enter(t, state->regions[j], (struct entry){NULL, 0}, true);
            struct statement *fresh = translate_end(t, &below, saved);
            if (deep)
                restore(t, state->regions[j], true, fresh);
            else
                translate_push(t, fresh);
        }
        struct statement *then = translate_end(t, &inner, outer);
        const struct term *was =
            term_eq(t->store, history->term, term_enum(t->store, history->sort, i + 1));
        rest = model_if(t->builder, was, then, rest, t->nowhere);
    }
    translate_push(t, rest);
}

// SCXML: by a history of the state around the region, or by where that leads for the first time.
static void enter_by_history(struct translation *t, const struct chart_region *region,
                             const struct chart_state *history, bool owner_too)
{
    const struct chart_transition *first = history->out[0];
    struct statements inner, *outer = translate_begin(t, &inner);
    if (owner_too && region == history->parent)
        translate_actions(t, chart_action_of(t->chart, first));
    translate_enter(t, region, (struct entry){first->targets, first->target_count}, true);
    struct statement *otherwise = translate_end(t, &inner, outer);
    restore(t, region, history->kind == CHART_DEEP_HISTORY, otherwise);
}

// GAMMA
static void enter_choice(struct translation *t, const struct chart_state *choice);

static void enter_pseudo(struct translation *t, const struct chart_region *region,
                         const struct chart_state *pseudo)
{
    if (!is_history(pseudo)) {
        enter_choice(t, pseudo);
        return;
    }
    struct statements inner, *outer = translate_begin(t, &inner);
    enter_initially(t, region);
    struct statement *otherwise = translate_end(t, &inner, outer);
    restore(t, region, pseudo->kind == CHART_DEEP_HISTORY, otherwise);
}

void translate_enter(struct translation *t, const struct chart_region *region, struct entry entry,
                     bool owner_too)
{
    const struct chart_state *inside = target_inside(entry, region);
    bool scxml = t->chart->semantics == CHART_SCXML;
    const struct chart_state *history = scxml ? history_of(entry, region->parent) : NULL;
    if (history != NULL) {
        enter_by_history(t, region, history, owner_too);
        return;
    }
    if (inside == NULL && region->history != NULL) {
        enter_pseudo(t, region, region->history);
        return;
    }
    if (inside == NULL) {
        enter_initially(t, region);
        return;
    }
    if (inside->parent == region && !chart_can_be_active(inside)) {
        enter_pseudo(t, region, inside);
        return;
    }
    while (inside->parent != region)
        inside = chart_parent(inside);
    enter_state(t, inside, entry);
}

void translate_reads(struct translation *t, const struct chart_state *state)
{
    const struct term *any = term_false(t->store);
    for (uint32_t i = 0; t->map->unset != NULL && i < state->out_count; i++) {
        const struct chart_transition *out = state->out[i];
        const struct term *guard = translate_unset(t, out->guard);
        if (out->trigger != NULL)
            guard = term_and2(t->store, translate_term(t, out->trigger), guard);
        any = term_or2(t->store, any, guard);
        any = term_or2(t->store, any, translate_unset(t, out->trigger));
    }
    if (!term_is_false(any))
        translate_assign(t, t->map->unset, term_or2(t->store, t->map->unset->term, any));
}

void translate_overlap(struct translation *t, const struct chart_state *state,
                       const struct term *active)
{
    const struct chart *chart = t->chart;
    if (chart->overlapped == NULL || chart->overlap[0]->source != state)
        return;
    const struct variable *flag = t->map->variable[chart->overlapped->index];
    const struct term *both = term_and2(t->store, translate_enabled(t, chart->overlap[0]),
                                        translate_enabled(t, chart->overlap[1]));
    if (active != NULL)
        both = term_and2(t->store, active, both);
    translate_assign(t, flag, term_or2(t->store, flag->term, both));
}

void translate_fire(struct translation *t, const struct chart_transition *transition)
{
    const struct chart_region *domain = chart_domain(t->chart, transition);
    const struct chart_state *source = transition->source;
    if (domain != NULL && chart_can_be_active(source))
        translate_leave_from(t, domain, source);
    else if (domain != NULL)
        translate_leave(t, domain, false);
    translate_actions(t, chart_action_of(t->chart, transition));
    if (domain != NULL)
        translate_enter(t, domain, (struct entry){transition->targets, transition->target_count},
                        false);
}

static void enter_choice(struct translation *t, const struct chart_state *choice)
{
    struct statements branches = {0};
    translate_overlap(t, choice, NULL);
    translate_reads(t, choice);
    const struct term **conditions = translate_conditions(t, choice, NULL);
    for (uint32_t i = 0; i < choice->out_count; i++) {
        struct statements inner, *outer = translate_begin(t, &inner);
        translate_push(t, model_assume(t->builder, conditions[i], t->nowhere));
        translate_fire(t, choice->out[i]);
        struct statement *branch = translate_end(t, &inner, outer);
        VECTOR_PUSH(&branches, branch);
    }
    if (branches.count == 0)
        translate_push(t, model_assume(t->builder, term_false(t->store), t->nowhere));
    else if (branches.count == 1)
        translate_push(t, branches.data[0]);
    else
        translate_push(t, model_choice(t->builder, branches.data, branches.count, t->nowhere));
    VECTOR_FINISH(&branches);
    memory_free(conditions);
}

// A static text.
static const char *chart_limit_named(const char *label)
{
    static const char *const LABELS[] = {CHART_OVERFLOW_LABEL, CHART_UNSET_LABEL};
    for (size_t i = 0; i < sizeof LABELS / sizeof LABELS[0]; i++) {
        if (strcmp(label, LABELS[i]) == 0)
            return LABELS[i];
    }
    return NULL;
}

// ---- the model ---------------------------------------------------------------------------------

void translate_edge(struct translation *t, struct location *from, struct location *to,
                    struct statement *action, const char *label, struct position at,
                    const struct chart_event *arrives, const struct chart_transition *fires)
{
    struct edge *edge = model_builder_edge(t->builder, from, to, action, label, at);
    assert(edge->id == t->arrives.count);
    if (to == t->error)
        model_builder_limit(edge, chart_limit_named(label));
    VECTOR_PUSH(&t->arrives, arrives);
    VECTOR_PUSH(&t->fires, fires);
}

static bool watches(const struct chart_expression *e, const struct chart_region *region)
{
    if (e == NULL)
        return false;
    if (e->op == CHART_ACTIVE)
        return e->state->parent == region;
    return watches(e->child[0], region) || watches(e->child[1], region) ||
           watches(e->child[2], region);
}

static bool actions_watch(const struct chart_action *list, const struct chart_region *region)
{
    for (const struct chart_action *a = list; a != NULL; a = a->next) {
        if (watches(a->expression, region) || actions_watch(a->then, region) ||
            actions_watch(a->otherwise, region))
            return true;
    }
    return false;
}

// In() in the middle of a step tells entered from not yet entered.
static bool is_watched(const struct chart *chart, const struct chart_region *region)
{
    for (uint32_t i = 0; i < chart->state_count; i++) {
        if (actions_watch(chart->states[i]->entry, region) ||
            actions_watch(chart->states[i]->exit, region))
            return true;
    }
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        if (actions_watch(chart->transitions[i]->action, region))
            return true;
    }
    for (uint32_t i = 0; i < chart->region_count; i++) {
        const struct chart_transition *initial = chart->regions[i]->initial;
        if (initial != NULL && actions_watch(initial->action, region))
            return true;
    }
    return false;
}

// Whether a parallel state is done is asked while its regions are entered one behind the other.
static bool is_counted(const struct chart_region *region)
{
    bool final = false, counted = false;
    for (uint32_t i = 0; i < region->active_count; i++)
        final |= region->states[i]->kind == CHART_FINAL;
    for (const struct chart_state *s = region->parent; s != NULL && final; s = chart_parent(s))
        counted |= s->parallel && s->all_done != NULL;
    return counted;
}

static bool needs_variable(const struct chart *chart, const struct chart_region *region)
{
    return chart->semantics != CHART_SCXML || region->active_count > 1 || is_counted(region) ||
           is_watched(chart, region);
}

static const struct sort *region_sort(struct translation *t, const struct chart_region *region)
{
    const char **names = memory_alloc((region->active_count + 1) * sizeof *names);
    names[0] = "__Inactive__";
    for (uint32_t i = 0; i < region->active_count; i++)
        names[i + 1] = region->states[i]->name;
    struct text name;
    text_init(&name);
    text_printf(&name, "region %u", region->index);
    const struct sort *sort =
        sort_enum(t->store, text_string(&name), names, region->active_count + 1);
    text_finish(&name);
    memory_free(names);
    return sort;
}

static const struct variable *new_variable(struct translation *t, const char *name,
                                           const struct sort *sort, uint32_t flags,
                                           struct position at)
{
    const struct variable *made = model_builder_variable(t->builder, name, sort, flags, at);
    return made != NULL ? made : model_builder_fresh(t->builder, name, sort, flags, at);
}

static const char *region_name(const struct chart_region *region)
{
    if (region->text[0] != '\0')
        return region->text;
    return region->parent != NULL ? region->parent->text : "state";
}

// Some region around it says which of its states is active.
static bool is_inner(const struct translation *t, const struct chart_region *region)
{
    for (const struct chart_state *s = region->parent; s != NULL; s = chart_parent(s)) {
        if (needs_variable(t->chart, s->parent))
            return true;
    }
    return false;
}

static void declare_regions(struct translation *t)
{
    for (uint32_t i = 0; i < t->chart->region_count; i++) {
        const struct chart_region *region = t->chart->regions[i];
        bool needed = t->map->codes == NULL && needs_variable(t->chart, region);
        const struct sort *sort = needed || region->remembers ? region_sort(t, region) : NULL;
        uint32_t flags = VARIABLE_CONTROL | (is_inner(t, region) ? VARIABLE_INNER : 0);
        if (needed)
            t->map->region[i] = new_variable(t, region_name(region), sort, flags, t->nowhere);
        if (!region->remembers)
            continue;
        struct text name;
        text_init(&name);
        text_printf(&name, "%s history", region_name(region));
        t->map->history[i] = new_variable(t, text_string(&name), sort,
                                          VARIABLE_CONTROL | VARIABLE_INNER, t->nowhere);
        text_finish(&name);
    }
}

// One of the bits that number the states of a region at the top.
static bool is_top_bit(const struct translation *t, uint32_t bit)
{
    for (uint32_t i = 0; i < t->chart->region_count; i++) {
        const struct chart_code *code = &t->map->codes[i];
        if (!is_inner(t, t->chart->regions[i]) && bit >= code->first &&
            bit < code->first + code->width)
            return true;
    }
    return false;
}

static void declare_bits(struct translation *t)
{
    struct chart_map *map = t->map;
    if (!t->chart->bits)
        return;
    map->codes = memory_zalloc((t->chart->region_count + 1) * sizeof *map->codes);
    map->bit_count = chart_bits_layout(t->chart, map->codes);
    map->bits = memory_zalloc((map->bit_count + 1) * sizeof *map->bits);
    for (uint32_t b = 0; b < map->bit_count; b++) {
        char name[24];
        snprintf(name, sizeof name, "bit %u", b);
        uint32_t flags = VARIABLE_CONTROL | (is_top_bit(t, b) ? 0 : VARIABLE_INNER);
        map->bits[b] = new_variable(t, name, sort_bool(t->store), flags, t->nowhere);
    }
}

static void declare_variables(struct translation *t)
{
    for (uint32_t i = 0; i < t->chart->variable_count; i++) {
        const struct chart_variable *v = t->chart->variables[i];
        t->map->variable[i] = new_variable(t, v->text, sort_of(t->store, v->type),
                                           v->role == CHART_EVENT ? VARIABLE_INPUT : 0, v->source);
    }
}

// What holds before the initial action: nothing is active, variables have their first values.
static void initialise(struct translation *t)
{
    const struct chart_map *map = t->map;
    for (uint32_t i = 0; i < t->chart->region_count; i++) {
        set_region(t, t->chart->regions[i], NULL);
        if (map->history[i] != NULL)
            translate_assign(t, map->history[i], term_enum(t->store, map->history[i]->sort, 0));
    }
    for (uint32_t i = 0; i < t->chart->variable_count; i++) {
        const struct chart_variable *v = t->chart->variables[i];
        translate_assign(t, map->variable[i], literal(t->store, v->type, v->initial));
    }
    if (map->event != NULL)
        translate_assign(t, map->event, term_enum(t->store, map->event->sort, 0));
    for (uint32_t i = 0; i < map->queue_count; i++)
        translate_assign(t, map->queue[i], term_enum(t->store, map->queue[i]->sort, 0));
    if (map->overflow != NULL)
        translate_assign(t, map->overflow, term_false(t->store));
    if (map->unset != NULL)
        translate_assign(t, map->unset, term_false(t->store));
}

static void declare_queue(struct translation *t)
{
    const struct chart *chart = t->chart;
    if (chart->semantics != CHART_SCXML)
        return;
    const char **names = memory_alloc((chart->event_count + 1) * sizeof *names);
    names[0] = "none";
    for (uint32_t i = 0; i < chart->event_count; i++)
        names[i + 1] = chart->events[i]->name;
    const struct sort *sort = sort_enum(t->store, "event", names, chart->event_count + 1);
    memory_free(names);
    t->map->event = new_variable(t, "event", sort, 0, t->nowhere);
    bool raises = false;
    for (uint32_t i = 0; i < chart->event_count; i++)
        raises |= chart->events[i]->heard && chart->events[i]->raised;
    t->map->queue_count = raises ? chart->queue_bound : 0;
    t->map->queue = memory_zalloc((t->map->queue_count + 1) * sizeof *t->map->queue);
    for (uint32_t i = 0; i < t->map->queue_count; i++) {
        char name[24];
        snprintf(name, sizeof name, "queue %u", i);
        t->map->queue[i] = new_variable(t, name, sort, 0, t->nowhere);
    }
    if (raises || chart->sending_count > 0)
        t->map->overflow = new_variable(t, "queue overflow", sort_bool(t->store), 0, t->nowhere);
}

static void declare_unset(struct translation *t)
{
    for (uint32_t i = 0; i < t->chart->variable_count && t->map->unset == NULL; i++) {
        if (t->chart->variables[i]->set != NULL)
            t->map->unset = new_variable(t, "unset data", sort_bool(t->store), 0, t->nowhere);
    }
}

// A run that has met a limit of the model is none of the chart.
static const struct term *is_sound(const struct translation *t)
{
    const struct term *sound = term_true(t->store);
    if (t->map->unset != NULL)
        sound = term_and2(t->store, sound, term_not(t->store, t->map->unset->term));
    if (t->map->overflow != NULL)
        sound = term_and2(t->store, sound, term_not(t->store, t->map->overflow->term));
    return sound;
}

static void check_property(struct translation *t, const struct chart_expression *property)
{
    const struct term *holds = property == NULL ? term_true(t->store) : translate_term(t, property);
    struct position at = property == NULL ? t->nowhere : property->source;
    const struct term *violated = term_and2(t->store, term_not(t->store, holds),
                                            term_not(t->store, translate_unset(t, property)));
    violated = term_and2(t->store, violated, is_sound(t));
    translate_edge(t, t->stable, t->error, model_assume(t->builder, violated, at),
                   "not the property", at, NULL, NULL);
    const struct term *unset = translate_unset(t, property);
    if (!term_is_false(unset))
        translate_edge(t, t->stable, t->error, model_assume(t->builder, unset, at),
                       CHART_UNSET_LABEL, at, NULL, NULL);
    model_builder_property(t->builder, holds);
}

static void keep_edges(struct translation *t)
{
    ENSURE(t->arrives.count == t->fires.count); // replays go by them
    struct chart_map *map = t->map;
    map->edge_count = (uint32_t)t->arrives.count;
    map->arrives = t->arrives.data;
    map->fires = t->fires.data;
}

// What readers promise, and what the translation and the interpreter go by.
static void look_at(const struct chart *chart)
{
    for (uint32_t i = 0; i < chart->variable_count; i++)
        ENSURE(chart->variables[i]->index == i);
    for (uint32_t i = 0; i < chart->event_count; i++)
        ENSURE(chart->events[i]->index == i);
    for (uint32_t i = 0; i < chart->region_count; i++)
        ENSURE(chart->regions[i]->index == i &&
               chart->regions[i]->active_count <= chart->regions[i]->state_count);
    for (uint32_t i = 0; i < chart->state_count; i++) {
        const struct chart_state *state = chart->states[i];
        ENSURE(state->index == i && state->parent->states[state->place] == state);
        ENSURE(chart_can_be_active(state) == (state->place < state->parent->active_count));
    }
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        const struct chart_transition *t = chart->transitions[i];
        ENSURE(t->index == i && t->source != NULL);
        ENSURE(t->guard == NULL || t->guard->type->kind == CHART_BOOL);
        ENSURE(t->trigger == NULL || t->trigger->type->kind == CHART_BOOL);
    }
}

struct model *chart_translate(const struct chart *chart, const struct chart_expression *property,
                              struct chart_map *map, struct model_view *view)
{
    struct model_builder *builder = model_builder_create(
        view == NULL ? &dialect_plain : &DIALECTS[chart->semantics], chart->path, NULL);
    struct translation t = {.chart = chart,
                            .map = map,
                            .builder = builder,
                            .store = model_builder_store(builder),
                            .nowhere = {chart->path, 0, 0}};
    look_at(chart);
    ENSURE(property == NULL || property->type->kind == CHART_BOOL);
    *map = (struct chart_map){.chart = chart};
    map->region = memory_zalloc((chart->region_count + 1) * sizeof *map->region);
    map->history = memory_zalloc((chart->region_count + 1) * sizeof *map->history);
    map->variable = memory_zalloc((chart->variable_count + 1) * sizeof *map->variable);
    t.left = memory_zalloc((chart->state_count + 1) * sizeof *t.left);
    t.fired = memory_zalloc((chart->state_count + 1) * sizeof *t.fired);
    declare_bits(&t);
    declare_regions(&t);
    declare_variables(&t);
    declare_queue(&t);
    declare_unset(&t);
    t.stable = model_builder_location(builder, "stable", PHASE_STABLE, true);
    t.error = model_builder_location(builder, "error", PHASE_NONE, false);
    map->stable = t.stable;
    model_builder_error(builder, t.error);
    struct statements initial;
    translate_begin(&t, &initial);
    initialise(&t);
    if (chart->semantics == CHART_SCXML)
        translate_scxml(&t);
    else if (chart->semantics == CHART_GAMMA)
        translate_gamma(&t);
    else
        translate_interleaving(&t);
    check_property(&t, property);
    keep_edges(&t);
    memory_free(t.left);
    memory_free(t.fired);
    if (view != NULL)
        model_builder_view(builder, view);
    return model_builder_finish(builder);
}

void chart_map_finish(struct chart_map *map)
{
    memory_free(map->codes);
    memory_free(map->bits);
    memory_free(map->region);
    memory_free(map->history);
    memory_free(map->variable);
    memory_free(map->queue);
    memory_free(map->arrives);
    memory_free(map->fires);
}
