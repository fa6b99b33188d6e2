#include <assert.h>

#include "model/model_memory.h"
#include "model/prepare.h"
#include "model/reverse.h"

// Back from a prepared model to its source. Which branches of an `if` ran need not be known: a hint
// for a statement that the source does not run is never asked for.

struct mapping {
    const struct trace *from;
    const struct model_memory *memory; // of the prepared model
    struct trace *to;
    size_t first_step, step_count; // of `to`: what the step being mapped stands for
    bool block;                    // that is a block from loop to loop, of which not all runs
};

// The step of the source in which this statement of the source runs; NULL when it does not run.
static struct trace_step *step_of(struct mapping *m, const struct statement *statement)
{
    assert(statement->id < m->to->model->statement_count);
    uint32_t edge = m->memory->edge_of[statement->id];
    if (edge == INITIAL_ACTION)
        return &m->to->initial;
    for (size_t i = 0; i < m->step_count; i++)
        if (m->to->steps[m->first_step + i].edge->id == edge)
            return &m->to->steps[m->first_step + i];
    assert(m->block && "a statement comes from an edge that its edge stands for");
    return NULL;
}

static void add_hint(struct mapping *m, const struct statement *statement, const struct sort *sort,
                     struct value value)
{
    struct trace_step *step = step_of(m, statement);
    if (step != NULL)
        trace_add_hint(m->to, step, statement, sort, value);
}

static void map_choice(struct mapping *m, const struct statement *choice, uint32_t branch)
{
    assert(branch < choice->child_count);
    const uint32_t *branches = m->memory->branches[choice->id];
    if (choice->origin != NULL)
        add_hint(m, choice->origin, NULL,
                 value_small(branches != NULL ? branches[branch] : branch));
}

static void map_settled(struct mapping *m, const struct statement *statement)
{
    for (const struct settled *s = m->memory->settled[statement->id]; s != NULL; s = s->next)
        add_hint(m, s->choice, NULL, value_small(s->branch));
}

static bool find_choice(const struct trace_step *step, const struct statement *choice,
                        uint32_t *branch)
{
    for (size_t i = 0; i < step->event_count; i++)
        if (step->events[i].statement == choice) {
            *branch = (uint32_t)value_small_get(step->events[i].value);
            return true;
        }
    for (size_t i = 0; i < step->hint_count; i++)
        if (step->hints[i].statement == choice) {
            *branch = (uint32_t)value_small_get(step->hints[i].value);
            return true;
        }
    return false;
}

// Choices: those that were hinted or replayed, and those that preparation settled.
static void map_action(struct mapping *m, const struct trace_step *step,
                       const struct statement *action)
{
    map_settled(m, action);
    uint32_t branch;
    if (action->kind == STATEMENT_CHOICE && find_choice(step, action, &branch)) {
        map_choice(m, action, branch);
        map_action(m, step, action->child[branch]);
        return;
    }
    for (uint32_t i = 0; i < action->child_count; i++)
        map_action(m, step, action->child[i]);
}

static void map_havoc(struct mapping *m, const struct statement *havoc, struct value value)
{
    if (havoc->kind == STATEMENT_HAVOC && havoc->origin != NULL)
        add_hint(m, havoc->origin, havoc->variable->sort, value);
}

static void map_step(struct mapping *m, const struct trace_step *step,
                     const struct statement *action)
{
    map_action(m, step, action);
    if (step->events != NULL)
        for (size_t i = 0; i < step->event_count; i++)
            map_havoc(m, step->events[i].statement, step->events[i].value);
    else
        for (size_t i = 0; i < step->hint_count; i++)
            map_havoc(m, step->hints[i].statement, step->hints[i].value);
}

// Blocks from loop to loop. What comes before a way out is there once for each of them, with values of its own, so
// only statements that run count.

static void each_that_runs(struct mapping *m, const struct trace_step *step,
                           const struct statement *statement,
                           void (*visit)(struct mapping *m, const struct trace_step *step,
                                         const struct statement *statement))
{
    visit(m, step, statement);
    uint32_t branch;
    if (statement->kind != STATEMENT_CHOICE)
        for (uint32_t i = 0; i < statement->child_count; i++)
            each_that_runs(m, step, statement->child[i], visit);
    else if (find_choice(step, statement, &branch))
        each_that_runs(m, step, statement->child[branch], visit);
}

static void add_entered(struct mapping *m, const struct trace_step *step,
                        const struct statement *statement)
{
    (void)step;
    const struct entered *entered = &m->memory->entered[statement->id];
    for (uint32_t i = 0; i < entered->count; i++)
        trace_add_step(m->to, entered->edges[i]);
}

static void map_that_runs(struct mapping *m, const struct trace_step *step,
                          const struct statement *statement)
{
    uint32_t branch;
    map_settled(m, statement);
    if (statement->kind == STATEMENT_CHOICE && find_choice(step, statement, &branch))
        map_choice(m, statement, branch);
    if (statement->kind != STATEMENT_HAVOC)
        return;
    for (size_t i = 0; i < step->event_count; i++)
        if (step->events[i].statement == statement)
            map_havoc(m, statement, step->events[i].value);
    for (size_t i = 0; step->events == NULL && i < step->hint_count; i++)
        if (step->hints[i].statement == statement)
            map_havoc(m, statement, step->hints[i].value);
}

static void map_block(struct mapping *m, const struct trace_step *step)
{
    m->block = true;
    m->first_step = m->to->step_count;
    each_that_runs(m, step, step->edge->action, add_entered);
    m->step_count = m->to->step_count - m->first_step;
    each_that_runs(m, step, step->edge->action, map_that_runs);
    m->block = false;
}

static void map_start(struct mapping *m)
{
    const struct model *prepared = m->from->model;
    for (uint32_t i = 0; i < prepared->variable_count; i++) {
        const struct variable *variable = prepared->variables[i];
        const struct variable *source = model_find_variable(prepared->source, variable->name);
        assert(source != NULL);
        assert(source->sort == variable->sort);
        m->to->start[source->index] = trace_own(m->to, source->sort, m->from->start[i]);
    }
}

struct trace *prepare_map_trace(const struct trace *trace)
{
    const struct model *prepared = trace->model;
    assert(prepared->source != NULL);
    if (recode_of(prepared) != NULL)
        return recode_of(prepared)->map_trace(trace);
    if (reverse_is(prepared))
        return reverse_map_trace(trace);
    struct mapping m = {trace, prepared->memory, trace_create(prepared->source), 0, 0};
    m.to->skips = trace->skips;
    map_start(&m);
    map_step(&m, &trace->initial, prepared->initial_action);
    for (size_t i = 0; i < trace->step_count; i++) {
        const struct trace_step *step = &trace->steps[i];
        if (step->edge->origin_count == 0) {
            map_block(&m, step);
            continue;
        }
        if (!step->edge->continues) {
            m.first_step = m.to->step_count;
            m.step_count = step->edge->origin_count;
            for (size_t k = 0; k < m.step_count; k++)
                trace_add_step(m.to, step->edge->origin[k]);
        }
        assert(m.step_count == step->edge->origin_count && "the pieces of an edge come together");
        map_step(&m, step, step->edge->action);
    }
    trace_add_divisions(m.to, trace);
    return m.to;
}
