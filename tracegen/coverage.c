#include "tracegen/coverage.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/domains/state_table.h"
#include "logic/terms/eval.h"
#include "logic/terms/rewrite.h"

const char *criterion_name(enum criterion criterion)
{
    static const char *const names[] = {
#define C(constant, name, meaning) name,
        CRITERIA(C)
#undef C
    };
    return names[criterion];
}

const char *criterion_meaning(enum criterion criterion)
{
    static const char *const meanings[] = {
#define C(constant, name, meaning) meaning,
        CRITERIA(C)
#undef C
    };
    return meanings[criterion];
}

// Kinds of items that share a criterion.
enum item_kind { ITEM_PLAIN, ITEM_BRANCH, ITEM_SIDE, ITEM_GUARD };

struct variables { // indices
    uint32_t *data;
    size_t count, capacity;
};

struct coverage {
    const struct model *model;
    const struct suite *suite;
    struct state_table items[CRITERION_COUNT];
    struct variables *reads; // per statement: what its expression reads
    bool *has_choice;        // per edge
    uint64_t pair_total, use_total;
    uint64_t branch_total, decision_total;
    // While a trace is taken in.
    struct item_list *lists;
    unsigned wanted;
    bool fresh;
    struct value *state;
    const struct statement **definition; // per variable: who gave its value
    VECTOR(uint64_t) now, before;        // transitions of a step and of the one before
    struct evaluator *evaluator;
};

// Items.

static void cover(struct coverage *c, enum criterion criterion, uint64_t a, uint64_t b)
{
    uint64_t key[2] = {a, b};
    size_t known = c->items[criterion].entries.count;
    uint32_t item = state_table_intern(&c->items[criterion], key, 2,
                                       hash_mix(a * 0x9e3779b97f4a7c15u + hash_mix(b)));
    c->fresh |= item == known && (c->wanted >> criterion & 1);
    assert(item <= known);
    if (c->lists != NULL)
        VECTOR_PUSH(&c->lists[criterion], item);
}

static uint64_t branch_key(enum item_kind kind, const struct statement *statement)
{
    return (uint64_t)kind << 32 | statement->id;
}

bool coverage_has_branch(const struct coverage *c, const struct statement *statement,
                         uint32_t branch)
{
    bool choice = statement->kind == STATEMENT_CHOICE;
    uint64_t key[2] = {branch_key(choice ? ITEM_BRANCH : ITEM_SIDE, statement), branch};
    return state_table_find(&c->items[choice ? COVER_TRANSITIONS : COVER_DECISIONS], key, 2,
                            hash_mix(key[0] * 0x9e3779b97f4a7c15u + hash_mix(key[1]))) !=
           STATE_NONE;
}

// What the model's text allows.

// The assumption that an action begins with; NULL.
static const struct statement *guard_of(const struct statement *action)
{
    while (action->kind == STATEMENT_SEQUENCE && action->child_count > 0)
        action = action->child[0];
    return action->kind == STATEMENT_ASSUME ? action : NULL;
}

struct sizes {
    uint64_t *defined, *used; // per variable
};

static bool walk(struct coverage *c, const struct statement *s, struct sizes *sizes)
{
    struct term_vector variables = {0};
    if (s->expression != NULL)
        rewrite_free_variables(s->expression, &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const struct variable *x = model_variable_of(c->model, variables.data[i]);
        if (x == NULL)
            continue;
        VECTOR_PUSH(&c->reads[s->id], x->index);
        sizes->used[x->index]++;
    }
    VECTOR_FINISH(&variables);
    if (s->variable != NULL)
        sizes->defined[s->variable->index]++;
    bool choice = s->kind == STATEMENT_CHOICE && s->child_count > 1;
    c->decision_total += s->kind == STATEMENT_IF ? 2 : 0;
    for (uint32_t i = 0; i < s->child_count; i++) {
        bool inside = walk(c, s->child[i], sizes);
        if (s->kind == STATEMENT_CHOICE) {
            c->branch_total += s->child_count > 1;
            c->decision_total += guard_of(s->child[i]) != NULL ? 2 : 0;
        }
        choice |= inside;
    }
    return choice;
}

static bool is_step(const struct model *model, const struct edge *edge)
{
    return !trace_only_tests(model, edge);
}

// Steps of the system, where there is an environment, else all.
static bool is_system_step(const struct edge *edge)
{
    return edge->target->phase != PHASE_STIMULATED;
}

static uint64_t count_branches(const struct statement *s)
{
    uint64_t count = s->kind == STATEMENT_CHOICE && s->child_count > 1 ? s->child_count : 0;
    for (uint32_t i = 0; i < s->child_count; i++)
        count += count_branches(s->child[i]);
    return count;
}

// The steps that may come right after this one's.
static bool follows(const struct edge *first, const struct edge *second)
{
    if (second->source->phase == PHASE_STIMULATED && second->source != first->target)
        return first->target->phase == PHASE_STABLE && first->target->observable;
    return second->source == first->target;
}

static void measure_model(struct coverage *c)
{
    const struct model *model = c->model;
    struct sizes sizes = {memory_zalloc((model->variable_count + 1) * sizeof(uint64_t)),
                          memory_zalloc((model->variable_count + 1) * sizeof(uint64_t))};
    walk(c, model->initial_action, &sizes);
    for (uint32_t e = 0; e < model->edge_count; e++) {
        const struct edge *edge = model->edges[e];
        if (!is_step(model, edge))
            continue;
        c->has_choice[e] = walk(c, edge->action, &sizes);
        c->decision_total += guard_of(edge->action) != NULL ? 2 : 0;
        c->branch_total++;
    }
    for (uint32_t v = 0; v < model->variable_count; v++)
        c->use_total += sizes.defined[v] * sizes.used[v];
    for (uint32_t a = 0; a < model->edge_count; a++)
        for (uint32_t b = 0; b < model->edge_count; b++) {
            const struct edge *first = model->edges[a], *second = model->edges[b];
            if (!is_step(model, first) || !is_step(model, second) || !is_system_step(first) ||
                !is_system_step(second) || !follows(first, second))
                continue;
            uint64_t m = count_branches(first->action), n = count_branches(second->action);
            c->pair_total += (m ? m : 1) * (n ? n : 1);
        }
    memory_free(sizes.defined);
    memory_free(sizes.used);
}

struct coverage *coverage_create(const struct model *model, const struct suite *suite)
{
    struct coverage *c = memory_zalloc(sizeof *c);
    c->model = model;
    c->suite = suite;
    for (unsigned i = 0; i < CRITERION_COUNT; i++)
        state_table_init(&c->items[i]);
    c->reads = memory_zalloc((model->statement_count + 1) * sizeof *c->reads);
    c->has_choice = memory_zalloc(model->edge_count + 1);
    c->state = memory_zalloc((model->variable_count + 1) * sizeof *c->state);
    c->definition = memory_zalloc((model->variable_count + 1) * sizeof *c->definition);
    measure_model(c);
    return c;
}

void coverage_destroy(struct coverage *c)
{
    if (c == NULL)
        return;
    for (unsigned i = 0; i < CRITERION_COUNT; i++)
        state_table_finish(&c->items[i]);
    for (uint32_t s = 0; s < c->model->statement_count; s++)
        VECTOR_FINISH(&c->reads[s]);
    memory_free(c->reads);
    memory_free(c->has_choice);
    memory_free(c->state);
    memory_free(c->definition);
    VECTOR_FINISH(&c->now);
    VECTOR_FINISH(&c->before);
    memory_free(c);
}

// A trace, event by event.

static struct value look_up(void *context, const struct term *variable)
{
    const struct coverage *c = context;
    const struct variable *x = model_variable_of(c->model, variable);
    return x != NULL ? c->state[x->index] : VALUE_UNKNOWN;
}

// What an action's guard says in the present state, whether the action runs or not.
static void look_at_guard(struct coverage *c, const struct statement *action)
{
    const struct statement *guard = guard_of(action);
    if (guard == NULL)
        return;
    struct value holds = evaluator_run(c->evaluator, guard->expression, look_up, c);
    if (value_known(holds))
        cover(c, COVER_DECISIONS, branch_key(ITEM_GUARD, guard), value_is_true(holds));
}

static void take_event(struct coverage *c, const struct trace_event *event)
{
    const struct statement *s = event->statement;
    assert(s->id < c->model->statement_count);
    for (size_t i = 0; i < c->reads[s->id].count; i++) {
        const struct statement *definition = c->definition[c->reads[s->id].data[i]];
        if (definition != NULL)
            cover(c, COVER_DEF_USE, (uint64_t)definition->id << 32 | s->id,
                  c->reads[s->id].data[i]);
    }
    if (s->variable != NULL) {
        c->state[s->variable->index] = event->value;
        c->definition[s->variable->index] = s;
    }
    if (s->kind == STATEMENT_IF)
        cover(c, COVER_DECISIONS, branch_key(ITEM_SIDE, s), value_is_true(event->value) ? 0 : 1);
    if (s->kind == STATEMENT_CHOICE) {
        for (uint32_t i = 0; i < s->child_count; i++)
            look_at_guard(c, s->child[i]);
        if (s->child_count > 1) {
            uint64_t branch = (uint64_t)value_small_get(event->value);
            cover(c, COVER_TRANSITIONS, branch_key(ITEM_BRANCH, s), branch);
            VECTOR_PUSH(&c->now, branch_key(ITEM_BRANCH, s) << 20 | branch);
        }
    }
}

static void look_at_guards(struct coverage *c, const struct location *location)
{
    for (uint32_t i = 0; i < location->out_count; i++)
        if (is_step(c->model, location->out[i]))
            look_at_guard(c, location->out[i]->action);
}

static void take_step(struct coverage *c, const struct trace_step *step)
{
    const struct edge *edge = step->edge;
    VECTOR_CLEAR(&c->now);
    if (edge != NULL) {
        look_at_guards(c, edge->source);
        cover(c, COVER_TRANSITIONS, edge->id, 0);
    }
    for (size_t i = 0; i < step->event_count; i++)
        take_event(c, &step->events[i]);
    if (edge == NULL || !is_system_step(edge))
        return;
    if (!c->has_choice[edge->id])
        VECTOR_PUSH(&c->now, edge->id);
    for (size_t i = 0; i < c->before.count; i++)
        for (size_t k = 0; k < c->now.count; k++)
            cover(c, COVER_PAIRS, c->before.data[i], c->now.data[k]);
    VECTOR_CLEAR(&c->before);
    for (size_t k = 0; k < c->now.count; k++)
        VECTOR_PUSH(&c->before, c->now.data[k]);
}

bool coverage_add(struct coverage *c, const struct suite_trace *taken, struct item_list *items,
                  unsigned wanted)
{
    const struct trace *trace = taken->trace;
    c->lists = items;
    c->wanted = wanted;
    c->fresh = false;
    for (size_t i = 0; i < taken->state_count; i++)
        cover(c, COVER_STATES, taken->states[i], 0);
    for (size_t i = 0; i + 1 < taken->state_count; i++)
        cover(c, COVER_EDGES, taken->edges[i], 0);
    assert(trace->model == c->model && "indices are those of one model");
    memcpy(c->state, trace->start, c->model->variable_count * sizeof *c->state);
    memset(c->definition, 0, c->model->variable_count * sizeof *c->definition);
    VECTOR_CLEAR(&c->before);
    c->evaluator = evaluator_create(trace->store);
    take_step(c, &trace->initial);
    for (size_t i = 0; i < trace->step_count; i++)
        take_step(c, &trace->steps[i]);
    look_at_guards(c, trace_location_at(trace, trace->step_count));
    evaluator_destroy(c->evaluator);
    return c->fresh;
}

uint64_t coverage_count(const struct coverage *c, enum criterion criterion)
{
    return c->items[criterion].entries.count;
}

uint64_t coverage_total(const struct coverage *c, enum criterion criterion,
                        const struct suite *suite)
{
    switch (criterion) {
    case COVER_STATES:
        return suite->states.count;
    case COVER_EDGES:
        return suite_edges(suite);
    case COVER_TRANSITIONS:
        return c->branch_total;
    case COVER_DECISIONS:
        return c->decision_total;
    case COVER_PAIRS:
        return c->pair_total;
    default:
        return c->use_total;
    }
}
