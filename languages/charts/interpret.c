#include "languages/charts/interpret.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "languages/charts/interpret_inside.h"

size_t interpreter_cell_count(const struct chart *chart)
{
    return 2 * (size_t)chart->region_count + chart->variable_count;
}

struct interpreter *interpreter_create(const struct chart *chart)
{
    struct interpreter *it = memory_zalloc(sizeof *it);
    it->chart = chart;
    it->cells = memory_zalloc((interpreter_cell_count(chart) + 1) * sizeof *it->cells);
    it->active = memory_zalloc(chart->state_count + 1);
    it->enter = memory_zalloc(chart->state_count + 1);
    it->default_entry = memory_zalloc(chart->state_count + 1);
    return it;
}

void interpreter_destroy(struct interpreter *it)
{
    if (it == NULL)
        return;
    memory_free(it->cells);
    memory_free(it->active);
    memory_free(it->enter);
    memory_free(it->default_entry);
    VECTOR_FINISH(&it->queue);
    memory_free(it);
}

bool interpreter_next(struct interpreter_choices *choices)
{
    assert(choices->used <= choices->known);
    choices->known = choices->used;
    while (choices->known > 0) {
        size_t last = choices->known - 1;
        if (++choices->taken[last] < choices->count[last]) {
            choices->used = 0;
            return true;
        }
        choices->known--;
    }
    choices->used = 0;
    return false;
}

void interpreter_choices_finish(struct interpreter_choices *choices)
{
    memory_free(choices->taken);
    memory_free(choices->count);
    *choices = (struct interpreter_choices){0};
}

uint32_t interpret_choose(struct interpreter *it, uint32_t count)
{
    struct interpreter_choices *choices = it->choices;
    if (count <= 1)
        return 0;
    if (choices->used == choices->known) {
        if (choices->known == choices->capacity) {
            choices->capacity = choices->capacity == 0 ? 8 : 2 * choices->capacity;
            size_t bytes = choices->capacity * sizeof *choices->taken;
            choices->taken = memory_realloc(choices->taken, bytes);
            choices->count = memory_realloc(choices->count, bytes);
        }
        choices->taken[choices->known] = 0;
        choices->count[choices->known++] = count;
    }
    assert(choices->taken[choices->used] < count);
    return choices->taken[choices->used++];
}

void interpret_note(struct interpreter *it, enum interpreter_note note, const void *thing)
{
    if (it->observer != NULL && it->observer->note != NULL)
        it->observer->note(it->observer->context, note, thing);
}

bool interpreter_is_active(const struct chart *chart, const int64_t *cells,
                           const struct chart_state *state)
{
    (void)chart;
    for (const struct chart_state *s = state; s != NULL; s = chart_parent(s)) {
        if (cells[s->parent->index] != (int64_t)s->place)
            return false;
    }
    return true;
}

// ---- values ------------------------------------------------------------------------------------

struct evaluation {
    const struct chart *chart;
    const int64_t *cells;
    const bool *active;              // SCXML, inside a step: the configuration; else NULL
    const struct chart_event *event; // SCXML: the one being processed
    bool fine, unset;
};

static int64_t evaluate(struct evaluation *e, const struct chart_expression *x);

static int64_t divide(int64_t a, int64_t b, bool quotient)
{
    if (b == 0)
        return 0;
    int64_t remainder = a % b, whole = a / b;
    if (remainder < 0) {
        remainder += b < 0 ? -b : b;
        whole += b < 0 ? 1 : -1;
    }
    return quotient ? whole : remainder;
}

static int64_t arithmetic(struct evaluation *e, enum chart_operator op, int64_t a, int64_t b)
{
    int64_t result = 0;
    bool large = false;
    switch (op) {
    case CHART_ADD:
        large = __builtin_add_overflow(a, b, &result);
        break;
    case CHART_SUBTRACT:
        large = __builtin_sub_overflow(a, b, &result);
        break;
    case CHART_MULTIPLY:
        large = __builtin_mul_overflow(a, b, &result);
        break;
    case CHART_DIVIDE:
    case CHART_MODULO:
        large = b == -1 && a == INT64_MIN;
        result = large ? 0 : divide(a, b, op == CHART_DIVIDE);
        break;
    case CHART_REMAINDER:
        assert(b != 0);
        result = b == -1 ? 0 : a % b;
        break;
    default:
        assert(!"an arithmetic operator");
    }
    // Small enough for the words that the intermediate form keeps values in.
    e->fine = e->fine && !large && result < INT64_MAX / 4 && result > INT64_MIN / 4;
    return result;
}

static int64_t evaluate(struct evaluation *e, const struct chart_expression *x)
{
    switch (x->op) {
    case CHART_LITERAL:
        return x->value;
    case CHART_VARIABLE:
        e->unset |= x->variable->set != NULL &&
                    !e->cells[interpreter_variable_cell(e->chart, x->variable->set)];
        return e->cells[interpreter_variable_cell(e->chart, x->variable)];
    case CHART_ACTIVE:
        return e->active != NULL ? e->active[x->state->index]
                                 : interpreter_is_active(e->chart, e->cells, x->state);
    case CHART_NOW:
        return x->event == e->event;
    case CHART_NOT:
        return !evaluate(e, x->child[0]);
    case CHART_AND:
        return evaluate(e, x->child[0]) && evaluate(e, x->child[1]);
    case CHART_OR:
        return evaluate(e, x->child[0]) || evaluate(e, x->child[1]);
    case CHART_EQUAL:
        return evaluate(e, x->child[0]) == evaluate(e, x->child[1]);
    case CHART_LESS:
        return evaluate(e, x->child[0]) < evaluate(e, x->child[1]);
    case CHART_LESS_EQUAL:
        return evaluate(e, x->child[0]) <= evaluate(e, x->child[1]);
    case CHART_NEGATE:
        return arithmetic(e, CHART_SUBTRACT, 0, evaluate(e, x->child[0]));
    case CHART_IF:
        return evaluate(e, x->child[evaluate(e, x->child[0]) ? 1 : 2]);
    default: {
        assert(x->op >= CHART_ADD && x->op <= CHART_REMAINDER);
        int64_t a = evaluate(e, x->child[0]), b = evaluate(e, x->child[1]);
        return arithmetic(e, x->op, a, b);
    }
    }
}

int64_t interpreter_value(const struct chart *chart, const int64_t *cells,
                          const struct chart_expression *expression, bool *fine)
{
    struct evaluation e = {.chart = chart, .cells = cells, .fine = true};
    int64_t value = evaluate(&e, expression);
    *fine = e.fine && !e.unset;
    return value;
}

int64_t interpret_value(struct interpreter *it, const struct chart_expression *expression)
{
    struct evaluation e = {.chart = it->chart,
                           .cells = it->cells,
                           .active = it->chart->semantics == CHART_SCXML ? it->active : NULL,
                           .event = it->event,
                           .fine = true};
    int64_t value = evaluate(&e, expression);
    if (!e.fine)
        interpret_fail(it, INTERPRETER_TOO_LARGE);
    if (e.unset)
        interpret_fail(it, INTERPRETER_UNSET);
    return value;
}

bool interpret_holds(struct interpreter *it, const struct chart_expression *condition)
{
    return condition == NULL || interpret_value(it, condition) != 0;
}

// ---- actions -----------------------------------------------------------------------------------

void interpret_fail(struct interpreter *it, enum interpreter_outcome outcome)
{
    if (it->outcome == INTERPRETER_DONE)
        it->outcome = outcome;
}

void interpret_raise(struct interpreter *it, const struct chart_event *event)
{
    if (event == NULL || !event->heard)
        return; // nobody would ever see it
    interpret_note(it, NOTE_RAISE, event);
    if (it->queue.count - it->queue_first >= it->chart->queue_bound)
        interpret_fail(it, INTERPRETER_OVERFLOW);
    else
        VECTOR_PUSH(&it->queue, event);
}

static int64_t any_value(struct interpreter *it, const struct chart_type *type)
{
    const struct interpreter_observer *observer = it->observer;
    assert(type->kind != CHART_ENUM || type->literal_count > 0);
    if (type->kind == CHART_INT && observer != NULL && observer->numbers != NULL)
        return observer->numbers[interpret_choose(it, observer->number_count)];
    if (type->kind == CHART_INT)
        return INTERPRETER_INT_LOW +
               (int64_t)interpret_choose(it, INTERPRETER_INT_HIGH - INTERPRETER_INT_LOW + 1);
    return interpret_choose(it, type->kind == CHART_BOOL ? 2 : type->literal_count);
}

static void havoc(struct interpreter *it, const struct chart_action *action)
{
    int64_t value = it->observer != NULL && it->observer->havoc != NULL
                        ? it->observer->havoc(it->observer->context, action->variable)
                        : any_value(it, action->variable->type);
    it->cells[interpreter_variable_cell(it->chart, action->variable)] = value;
    if (it->observer != NULL && it->observer->chose != NULL)
        it->observer->chose(it->observer->context, action->variable, value);
    if (!interpret_holds(it, action->expression))
        interpret_fail(it, INTERPRETER_BLOCKED);
}

void interpret_actions(struct interpreter *it, const struct chart_action *list)
{
    for (const struct chart_action *next = list; next != NULL; next = next->next) {
        const struct chart_action *a = chart_in_place(it->chart, next);
        switch (a->kind) {
        case CHART_ASSIGN:
            it->cells[interpreter_variable_cell(it->chart, a->variable)] =
                interpret_value(it, a->expression);
            break;
        case CHART_HAVOC:
            havoc(it, a);
            break;
        case CHART_RAISE:
            interpret_raise(it, a->event);
            break;
        case CHART_LIMIT:
            interpret_fail(it, INTERPRETER_OVERFLOW);
            break;
        case CHART_BRANCH:
            interpret_actions(it, interpret_holds(it, a->expression) ? a->then : a->otherwise);
            break;
        case CHART_ASSUME:
            if (!interpret_holds(it, a->expression))
                interpret_fail(it, INTERPRETER_BLOCKED);
            break;
        }
    }
}

static bool may_fire(struct interpreter *it, const struct chart_transition *transition)
{
    bool now =
        it->chart->semantics != CHART_SCXML || transition->spontaneous == (it->event == NULL);
    return now && interpret_holds(it, transition->trigger) &&
           interpret_holds(it, transition->guard);
}

void interpret_overlap(struct interpreter *it, const struct chart_state *state)
{
    const struct chart *chart = it->chart;
    if (chart->overlapped != NULL && chart->overlap[0]->source == state &&
        may_fire(it, chart->overlap[0]) && may_fire(it, chart->overlap[1]))
        it->cells[interpreter_variable_cell(chart, chart->overlapped)] = 1;
}

// ---- steps -------------------------------------------------------------------------------------

static void begin(struct interpreter *it, struct interpreter_choices *choices,
                  const struct interpreter_observer *observer)
{
    it->choices = choices;
    choices->used = 0;
    it->observer = observer;
    it->outcome = INTERPRETER_DONE;
    it->event = NULL;
    it->queue_first = it->queue.count = 0;
}

static enum interpreter_outcome end(struct interpreter *it, int64_t *out)
{
    for (uint32_t i = 0; i < it->chart->region_count; i++)
        assert(it->cells[i] >= -1 && it->cells[i] < (int64_t)it->chart->regions[i]->active_count);
    if (it->outcome == INTERPRETER_DONE)
        memcpy(out, it->cells, interpreter_cell_count(it->chart) * sizeof *out);
    return it->outcome;
}

enum interpreter_outcome interpreter_start(struct interpreter *it,
                                           struct interpreter_choices *choices,
                                           const struct interpreter_observer *observer,
                                           int64_t *out)
{
    const struct chart *chart = it->chart;
    begin(it, choices, observer);
    for (uint32_t i = 0; i < 2 * chart->region_count; i++)
        it->cells[i] = -1;
    for (uint32_t i = 0; i < chart->variable_count; i++)
        it->cells[interpreter_variable_cell(chart, chart->variables[i])] =
            chart->variables[i]->initial;
    if (chart->semantics == CHART_SCXML)
        interpret_scxml_start(it);
    else
        interpret_tree_start(it);
    return end(it, out);
}

enum interpreter_outcome interpreter_step(struct interpreter *it, const int64_t *from,
                                          const struct chart_event *event,
                                          struct interpreter_choices *choices,
                                          const struct interpreter_observer *observer, int64_t *out)
{
    begin(it, choices, observer);
    memcpy(it->cells, from, interpreter_cell_count(it->chart) * sizeof *from);
    if (it->chart->semantics == CHART_SCXML)
        interpret_scxml_step(it, event);
    else if (it->chart->semantics == CHART_GAMMA)
        interpret_gamma_step(it);
    else
        interpret_interleaving_step(it, event);
    return end(it, out);
}
