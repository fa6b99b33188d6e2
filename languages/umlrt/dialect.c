#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "languages/umlrt/capsules_view.h"
#include "model/capsules/draw.h"
#include "model/trace.h"

// Runs of the translation as runs of the capsules: each step is found among those that the interpreter has, by what it
// does and by the state behind it, so the translation is checked step by step.

static bool is_value(struct value a, struct value b)
{
    if (!value_known(a) || !value_known(b) || value_is_small(a) || value_is_small(b))
        return value_equal(a, b);
    return strcmp(value_pointer_get(a)->u.text, value_pointer_get(b)->u.text) == 0;
}

static bool is_number(const struct trace_step *step, const struct variable *v, int64_t n)
{
    return value_equal(step->state[v->index], value_small(n));
}

static bool same_part(const struct capsules_view *view, uint32_t i, const struct trace_step *step,
                      const struct plain_part *part)
{
    const struct part_variables *v = &view->parts[i];
    const struct capsule_module *m = capsules_module_of(view->capsules, i);
    if (!is_number(step, v->there, part->alive))
        return false;
    if (!part->alive)
        return true;
    // A module without a state machine is in no location; the translation gives it one.
    int64_t location = part->initial                ? 0
                       : m->initial == CAPSULE_NONE ? 1
                                                    : (int64_t)part->location + 1;
    if (!is_number(step, v->location, location))
        return false;
    for (size_t a = 0; a < m->attributes.count; a++)
        if (!is_value(step->state[v->attributes[a]->index], part->attributes.data[a]))
            return false;
    for (size_t t = 0; t < m->timers.count; t++)
        if (!is_number(step, v->timers[t], part->timers.data[t]))
            return false;
    return true;
}

static bool same_queue(const struct capsules_view *view, uint32_t module,
                       const struct trace_step *step, const struct plain_queue *queue)
{
    const struct queue_variables *v = &view->queues[module];
    assert(queue->elements.count <= view->bound);
    if (!is_number(step, v->length, (int64_t)queue->elements.count))
        return false;
    for (size_t k = 0; k < queue->elements.count; k++) {
        const struct plain_element *e = &queue->elements.data[k];
        if (!is_number(step, v->slots[k].receiver, e->receiver) ||
            !is_number(step, v->slots[k].signal, e->signal))
            return false;
        for (size_t j = 0; j < e->values.count; j++)
            if (!is_value(step->state[v->slots[k].values[j]->index], e->values.data[j]))
                return false;
    }
    return true;
}

static bool same_state(const struct capsules_view *view, const struct trace_step *step,
                       const struct plain_state *state)
{
    assert(state->parts.count == view->capsules->instances.count);
    for (uint32_t i = 0; i < state->parts.count; i++)
        if (!same_part(view, i, step, &state->parts.data[i]))
            return false;
    for (uint32_t m = 0; m < state->queues.count; m++)
        if (!same_queue(view, m, step, &state->queues.data[m]))
            return false;
    return true;
}

static struct plain_step wish_of(const struct capsules_view *view, struct plain_interpreter *in,
                                 const struct edge_meaning *e, const struct trace_step *step)
{
    const struct capsule_module *m = capsules_module_of(view->capsules, e->instance);
    struct plain_step wish = {.rule = e->rule,
                              .instance = e->instance,
                              .kind = e->rule == RULE_DEFAULT   ? CAPSULE_INIT
                                      : e->rule == RULE_TIMEOUT ? CAPSULE_TIMER
                                                                : CAPSULE_SIGNAL,
                              .trigger = e->trigger,
                              .transition = e->transition};
    if (wish.kind != CAPSULE_SIGNAL)
        return wish;
    for (size_t v = 0; v < m->signals.data[e->trigger].variables.count; v++) {
        struct value value = step->state[view->received[v]->index];
        if (value_known(value) && !value_is_small(value))
            value = term_value(
                term_int_text(plain_interpreter_store(in), value_pointer_get(value)->u.text));
        VECTOR_PUSH(&wish.values, value);
    }
    return wish;
}

static bool add_step(const struct capsules_view *view, const struct trace_step *step,
                     struct capsule_run *run)
{
    ENSURE(step->edge->id < view->edges.count); // behind them is the step to the error alone
    const struct edge_meaning *e = &view->edges.data[step->edge->id];
    const struct capsule_module *m = capsules_module_of(view->capsules, e->instance);
    size_t cases =
        e->transition == CAPSULE_NONE ? 1 : m->transitions.data[e->transition].cases.count;
    struct plain_step wish = wish_of(view, run->interpreter, e, step);
    bool found = false;
    for (wish.which_case = 0; !found && wish.which_case < cases; wish.which_case++) {
        struct plain_step done = {0};
        struct plain_state *next =
            plain_interpreter_follow(run->interpreter, VECTOR_LAST(&run->states), &wish, &done);
        found = next != NULL && same_state(view, step, next);
        if (found) {
            VECTOR_PUSH(&run->steps, done);
            VECTOR_PUSH(&run->states, next);
        } else {
            plain_step_finish(&done);
            plain_destroy(next);
        }
    }
    plain_step_finish(&wish);
    return found;
}

// The run goes on for ever where its last state was there before, or nothing can follow.
static void find_end(struct capsule_run *run)
{
    size_t last = run->states.count - 1;
    assert(last == run->steps.count);
    run->deadlock = true; // to be looked into
    for (size_t i = last; i-- > 0 && run->loop == SIZE_MAX;)
        if (plain_equal(run->states.data[i], run->states.data[last]))
            run->loop = i;
}

// Does the run show the answer that the error location stands for?
static bool shows(const struct capsules_view *view, const struct capsule_run *run, bool lasso)
{
    static const struct capsule_range NUMBERS = {-1, 1};
    struct capsule_run seen = *run;
    if (lasso)
        find_end(&seen);
    return capsule_run_shows(view->capsules, &view->question, NUMBERS, &seen,
                             capsule_shown_truth(view->shape));
}

bool capsules_run_of(const struct trace *trace, struct capsule_run *run, struct text *why)
{
    const struct capsules_view *view = capsules_view_of(trace->model);
    *run = (struct capsule_run){.loop = SIZE_MAX};
    run->interpreter = plain_interpreter_create(view->capsules, view->bound, view->head_only);
    VECTOR_PUSH(&run->states, plain_interpreter_start(run->interpreter));
    if (!same_state(view, &trace->initial, run->states.data[0])) {
        text_add(why, "the capsules begin in another state");
        return false;
    }
    size_t last = trace->step_count;
    bool reached = last > 0 && trace->steps[last - 1].edge->target == trace->model->error;
    for (size_t i = 0; i < last - reached; i++)
        if (!add_step(view, &trace->steps[i], run)) {
            // What lies behind the bound of a loop is reached, not followed.
            if (i + 2 == last && view->step_atom != NULL && view->step_atom->kind == ATOM_BOUNDED)
                break;
            text_printf(why, "the capsules cannot do step %zu: %s", i + 1,
                        trace->steps[i].edge->label);
            return false;
        }
    if (reached && view->has_question && !shows(view, run, !view->translated)) {
        text_add(why, "the run does not show the answer");
        return false;
    }
    if (reached && !view->translated)
        find_end(run);
    return true;
}

static bool replay(const struct trace *trace, struct text *why)
{
    struct capsule_run run;
    bool fine = capsules_run_of(trace, &run, why);
    capsule_run_finish(&run);
    return fine;
}

static void print_readable(struct text *out, const struct trace *trace)
{
    struct capsule_run run;
    struct text why = {0};
    capsules_run_of(trace, &run, &why);
    capsule_run_print(capsules_view_of(trace->model)->capsules, &run, out);
    text_add(out, text_string(&why));
    text_finish(&why);
    capsule_run_finish(&run);
}

static void print_page(struct text *out, const struct trace *trace)
{
    const struct capsules *capsules = capsules_view_of(trace->model)->capsules;
    struct capsule_run run;
    struct text why = {0};
    capsules_run_of(trace, &run, &why);
    struct capsule_page page = {.title = capsules->path, .runs = &run, .run_count = 1};
    capsule_page_print(capsules, &page, out);
    text_finish(&why);
    capsule_run_finish(&run);
}

const struct dialect umlrt_dialect = {
    .name = "umlrt",
    .terms = PRINT_CFA,
    .print_readable = print_readable,
    .print_page = print_page,
    .replay = replay,
};
