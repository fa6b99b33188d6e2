#include <assert.h>

#include "base/memory.h"
#include "logic/terms/rewrite.h"
#include "model/model_memory.h"
#include "model/reverse.h"

// Back from a reversed model to its forward one.

bool reverse_is(const struct model *model)
{
    return model->memory->reversal != NULL;
}

// Traces. `now` are the values of the forward model's variables, as the reversed run comes by.

struct reading {
    const struct trace *from;
    const struct reversal *reversal;
    struct trace *to;
    struct value *now; // owned by the reversed trace's store
};

// What was decided in a step: what ran, when the trace was replayed, else what was hinted.
struct decision {
    const struct statement *statement;
    struct value value;
};

static size_t decision_count(const struct trace_step *step)
{
    return step->events != NULL ? step->event_count : step->hint_count;
}

static struct decision decision(const struct trace_step *step, size_t i)
{
    if (step->events != NULL)
        return (struct decision){step->events[i].statement, step->events[i].value};
    return (struct decision){step->hints[i].statement, step->hints[i].value};
}

// Havocs whose value is the one that the forward variable has after the step.
static void map_known_havocs(struct reading *r, struct trace_step *to,
                             const struct statement *statement)
{
    const struct statement *origin = statement->origin;
    if (origin != NULL && origin->kind == STATEMENT_HAVOC && statement->kind != STATEMENT_HAVOC &&
        value_known(r->now[origin->variable->index]))
        trace_add_hint(r->to, to, origin, origin->variable->sort, r->now[origin->variable->index]);
    for (uint32_t i = 0; i < statement->child_count; i++)
        map_known_havocs(r, to, statement->child[i]);
}

static void map_decisions(struct reading *r, struct trace_step *to, const struct trace_step *step)
{
    for (size_t i = 0; i < decision_count(step); i++) {
        struct decision d = decision(step, i);
        const struct statement *origin = d.statement->origin;
        if (origin == NULL || d.statement->kind != origin->kind)
            continue;
        if (origin->kind == STATEMENT_HAVOC)
            trace_add_hint(r->to, to, origin, origin->variable->sort, d.value);
        else if (origin->kind == STATEMENT_CHOICE)
            trace_add_hint(r->to, to, origin, NULL, d.value);
    }
}

// To the values before the forward step.
static void go_back(struct reading *r, const struct trace_step *step)
{
    for (size_t i = 0; i < decision_count(step); i++) {
        struct decision d = decision(step, i);
        if (d.statement->kind != STATEMENT_HAVOC)
            continue;
        const struct variable *guessed = r->reversal->guesses[d.statement->variable->index];
        if (guessed != NULL)
            r->now[guessed->index] = d.value;
    }
}

static const struct edge *entry_taken(const struct reading *r)
{
    const struct trace_step *initial = &r->from->initial;
    size_t branch = 0;
    for (size_t i = 0; i < decision_count(initial); i++) {
        struct decision d = decision(initial, i);
        if (d.statement == r->reversal->entry_choice)
            branch = (size_t)value_small_get(d.value);
    }
    assert(branch < r->reversal->entry_count);
    return r->reversal->entries[branch];
}

static void map_step(struct reading *r, struct trace_step *to, const struct trace_step *step,
                     const struct statement *action)
{
    map_decisions(r, to, step);
    map_known_havocs(r, to, action);
    go_back(r, step);
}

// The forward run has as many steps, its last one first here.
static void map_steps(struct reading *r)
{
    const struct trace *from = r->from;
    bool entered = r->reversal->entry_count > 0; // by the initial action
    size_t last = from->step_count - 1;          // this one stands for the forward initial action
    size_t count = last + entered;
    for (size_t i = 0; i < count; i++) {
        size_t k = count - 1 - i;
        bool by_action = entered && k == 0;
        trace_add_step(r->to,
                       by_action ? entry_taken(r) : from->steps[k - entered].edge->origin[0]);
    }
    assert(r->to->step_count == count);
    if (entered)
        map_step(r, &r->to->steps[count - 1], &from->initial, from->model->initial_action);
    for (size_t k = 0; k < last; k++)
        map_step(r, &r->to->steps[last - 1 - k], &from->steps[k], from->steps[k].edge->action);
    map_step(r, &r->to->initial, &from->steps[last], from->steps[last].edge->action);
}

struct trace *reverse_map_trace(const struct trace *trace)
{
    assert(reverse_is(trace->model));
    const struct model *reversed = trace->model;
    struct reading r = {trace, reversed->memory->reversal, NULL, NULL};
    const struct model *forward = r.reversal->forward;
    assert(trace->step_count > 0);
    r.to = trace_create(forward);
    r.now = memory_zalloc((forward->variable_count + 1) * sizeof *r.now);
    // The forward model's variables come first.
    for (uint32_t v = 0; v < forward->variable_count; v++)
        r.now[v] = trace->start[v];
    map_steps(&r);
    for (uint32_t v = 0; v < forward->variable_count; v++)
        r.to->start[v] = trace_own(r.to, forward->variables[v]->sort, r.now[v]);
    trace_add_divisions(r.to, trace);
    memory_free(r.now);
    return r.to;
}

// Proofs.

struct restriction {
    const struct reversal *reversal;
    struct term_store *store;
};

// What no step carries has that value between all steps of the reversed model, and any value in the forward one.
static const struct term *restrict_variable(void *context, const struct term *variable)
{
    const struct restriction *r = context;
    const struct variable *v = model_variable_of(r->reversal->forward, variable);
    return v != NULL && r->reversal->carried[v->index] ? variable
                                                       : term_default(r->store, variable->sort);
}

const struct term **reverse_lift_invariant(const struct model *reversed, struct term_store *store,
                                           const struct term *const *invariant)
{
    assert(reverse_is(reversed));
    const struct reversal *reversal = reversed->memory->reversal;
    const struct model *forward = reversal->forward;
    struct restriction restriction = {reversal, store};
    const struct term **lifted = memory_zalloc((forward->location_count + 1) * sizeof(*lifted));
    for (uint32_t i = 0; i < reversed->location_count; i++) {
        const struct location *origin = reversed->locations[i]->origin;
        if (origin != NULL && invariant[i] != NULL)
            lifted[origin->index] = term_not(
                store, rewrite_substitute(store, invariant[i], restrict_variable, &restriction));
    }
    lifted[forward->error->index] = term_false(store);
    return lifted;
}
