#include "engines/capsules/told.h"

#include <string.h>

#include "base/memory.h"

static const struct edge *edge_of(const struct model *root, const struct capsules_view *view,
                                  const struct plain_step *step)
{
    for (uint32_t i = 0; i < view->edges.count; i++) {
        const struct edge_meaning *e = &view->edges.data[i];
        bool same = e->rule == step->rule && e->instance == step->instance;
        if (same && step->rule == RULE_DROP)
            same = e->trigger == step->trigger;
        else if (same && step->rule != RULE_DEFAULT)
            same = e->transition == step->transition;
        if (same)
            return root->edges[i];
    }
    return NULL;
}

// Which case it was: the choice at the end of the edge's action, when there are several.
static void add_case(struct trace *trace, struct trace_step *to, const struct plain_step *step)
{
    const struct statement *s = to->edge->action;
    while (s->kind == STATEMENT_SEQUENCE && s->child_count > 0)
        s = s->child[s->child_count - 1];
    if (s->kind == STATEMENT_CHOICE && step->which_case < s->child_count)
        trace_add_hint(trace, to, s, sort_int(trace->store), value_small(step->which_case));
}

// The values that come from outside: what the edge chooses anew.
static void add_values(struct trace *trace, struct trace_step *to, const struct statement *s,
                       const struct capsules_view *view, const struct plain_step *step)
{
    for (uint32_t i = 0; i < s->child_count; i++)
        add_values(trace, to, s->child[i], view, step);
    for (size_t v = 0; s->kind == STATEMENT_HAVOC && v < step->values.count; v++) {
        if (s->variable != view->received[v])
            continue;
        struct value value = step->values.data[v];
        if (value_known(value) && !value_is_small(value)) // it belongs to another store
            value = term_value(term_int_text(trace->store, value_pointer_get(value)->u.text));
        trace_add_hint(trace, to, s, s->variable->sort, value);
    }
}

static bool add_step(struct trace *trace, const struct capsules_view *view,
                     const struct plain_step *step, bool several_cases)
{
    const struct edge *edge = edge_of(trace->model, view, step);
    if (edge == NULL)
        return false;
    struct trace_step *to = trace_add_step(trace, edge);
    if (several_cases)
        add_case(trace, to, step);
    if (step->rule == RULE_EXTERNAL)
        add_values(trace, to, edge->action, view, step);
    return true;
}

static bool has_cases(const struct capsules_view *view, const struct plain_step *step)
{
    const struct capsule_module *m = capsules_module_of(view->capsules, step->instance);
    return step->transition != CAPSULE_NONE &&
           m->transitions.data[step->transition].cases.count > 1;
}

// A question about steps is answered by one: the first that the last state has of that kind.
struct wanted {
    const struct capsules_view *view;
    struct trace *trace;
    bool found;
};

static bool is_of_kind(const struct capsules_view *view, const struct plain_step *step)
{
    const struct capsule_atom *atom = view->step_atom;
    if (atom->kind == ATOM_BOUNDED)
        return step->beyond || step->lost_at.count > 0;
    if (atom->kind == ATOM_DROPPED) {
        const struct capsule_module *m = capsules_module_of(view->capsules, step->instance);
        return step->rule == RULE_DROP &&
               (atom->signal == NULL ||
                capsule_signal_named(m->signals.data[step->trigger].name, atom->signal));
    }
    for (size_t i = 0; i < step->lost_at.count; i++)
        if (atom->signal == NULL ||
            strcmp(view->capsules->modules.data[step->lost_at.data[i]].name, atom->signal) == 0)
            return true;
    return false;
}

static void look(void *context, const struct plain_step *step, struct plain_state *next)
{
    struct wanted *w = context;
    plain_destroy(next);
    if (!w->found && is_of_kind(w->view, step))
        w->found = add_step(w->trace, w->view, step, has_cases(w->view, step));
}

static bool add_last(struct trace *trace, const struct capsules_view *view,
                     const struct capsule_run *run)
{
    struct wanted w = {view, trace, false};
    if (view->step_atom == NULL)
        return true;
    plain_interpreter_steps(run->interpreter, VECTOR_LAST(&run->states), -1, 1, look, &w);
    return w.found;
}

struct trace *capsule_trace(const struct model *root, const struct capsules_view *view,
                            const struct capsule_run *run)
{
    struct trace *trace = trace_create(root);
    bool good = true;
    for (size_t i = 0; good && i < run->steps.count; i++)
        good = add_step(trace, view, &run->steps.data[i], has_cases(view, &run->steps.data[i]));
    good = good && add_last(trace, view, run);
    if (good) {
        trace_add_step(trace, root->edges[view->edges.count]);
        return trace;
    }
    trace_destroy(trace);
    return NULL;
}
