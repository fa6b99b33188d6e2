#include "model/procedures.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "logic/terms/rewrite.h"

static void destroy(struct model_view *view)
{
    struct procedures *p = (struct procedures *)view;
    model_destroy(p->model);
    arena_finish(&p->arena);
    memory_free(p);
}

void procedures_init(struct procedures *procedures)
{
    procedures->base = (struct model_view){.kind = PROCEDURES_VIEW, .destroy = destroy};
}

const struct procedures *procedures_of(const struct model *model)
{
    const struct model_view *view = model_root(model)->view;
    return view != NULL && strcmp(view->kind, PROCEDURES_VIEW) == 0
               ? (const struct procedures *)view
               : NULL;
}

// ---- Is the view what it says?

static bool is_among(const struct variable *v, const struct variable *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == v)
            return true;
    return false;
}

static void note_changes(const struct statement *s, bool *changed)
{
    if (s->kind == STATEMENT_ASSIGN || s->kind == STATEMENT_HAVOC)
        changed[s->variable->index] = true;
    for (uint32_t i = 0; i < s->child_count; i++)
        note_changes(s->child[i], changed);
}

static bool only_havocs(const struct statement *s)
{
    for (uint32_t i = 0; i < s->child_count; i++)
        if (s->kind != STATEMENT_SEQUENCE || !only_havocs(s->child[i]))
            return false;
    return s->kind == STATEMENT_SEQUENCE || s->kind == STATEMENT_HAVOC || s->kind == STATEMENT_SKIP;
}

static bool speaks_of(const struct term *term, const bool *of, const struct model *model)
{
    struct term_vector read = {0};
    bool found = false;
    rewrite_free_variables(term, &read);
    for (size_t i = 0; i < read.count; i++) {
        const struct variable *v = model_variable_of(model, read.data[i]);
        found = found || v == NULL || of[v->index];
    }
    VECTOR_FINISH(&read);
    return found;
}

static bool are_distinct(const struct variable *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_among(list[i], list, i))
            return false;
    return true;
}

// A call changes just its outputs, what it is given stays, and sorts agree.
static bool call_is_good(const struct procedures *p, const struct procedure_call *call)
{
    const struct procedure *callee = &p->procedures[call->callee];
    bool *changed = memory_zalloc(p->model->variable_count + 1);
    note_changes(call->edge->action, changed);
    bool good =
        only_havocs(call->edge->action) && are_distinct(call->outputs, callee->output_count);
    for (size_t i = 0; i < callee->input_count; i++)
        good = good && call->inputs[i]->sort == callee->inputs[i]->sort &&
               !speaks_of(call->inputs[i], changed, p->model);
    for (size_t i = 0; i < callee->output_count; i++) {
        good = good && call->outputs[i]->sort == callee->outputs[i]->sort &&
               changed[call->outputs[i]->index];
        changed[call->outputs[i]->index] = false;
    }
    memory_free(changed);
    return good;
}

static bool assumes_of(const struct statement *s, const bool *of, const struct model *model)
{
    bool found = s->expression != NULL && speaks_of(s->expression, of, model);
    for (uint32_t i = 0; i < s->child_count; i++)
        found = found || assumes_of(s->child[i], of, model);
    return found;
}

// Before a procedure begins its inputs may be anything.
static bool starts_with_any_inputs(const struct procedures *p)
{
    bool *inputs = memory_zalloc(p->model->variable_count + 1);
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->procedures[i].input_count; k++)
            inputs[p->procedures[i].inputs[k]->index] = true;
    bool good = !assumes_of(p->model->initial_action, inputs, p->model);
    memory_free(inputs);
    return good;
}

static bool inputs_are_kept(const struct procedures *p)
{
    bool *changed = memory_zalloc(p->model->variable_count + 1), good = true;
    note_changes(p->model->initial_action, changed);
    for (uint32_t e = 0; e < p->model->edge_count; e++)
        note_changes(p->model->edges[e]->action, changed);
    for (size_t i = 0; i < p->count; i++) {
        const struct procedure *q = &p->procedures[i];
        for (size_t k = 0; k < q->input_count; k++)
            good = good && !changed[q->inputs[k]->index];
        good = good && are_distinct(q->inputs, q->input_count) &&
               are_distinct(q->outputs, q->output_count) && q->entry->in_count == 1 &&
               q->entry->in[0] == q->reset && q->exit->out_count == 0 && q->entry != q->exit;
    }
    memory_free(changed);
    return good;
}

static bool is_as_promised(const struct procedures *p)
{
    bool good = inputs_are_kept(p) && starts_with_any_inputs(p);
    for (size_t i = 0; i < p->call_count; i++)
        good = good && call_is_good(p, &p->calls[i]);
    return good;
}

// ---- Formulas at entries and exits.

static bool formula_is_good(const struct procedures *p, const struct procedure *q, bool exit,
                            const struct term *formula, struct text *why)
{
    const struct location *location = exit ? q->exit : q->entry;
    bool good = formula != NULL && formula->sort->kind == SORT_BOOL;
    struct term_vector read = {0};
    if (good)
        rewrite_free_variables(formula, &read);
    for (size_t i = 0; good && i < read.count; i++) {
        const struct variable *v = model_variable_of(p->model, read.data[i]);
        good = v != NULL && read.data[i] == v->term &&
               (is_among(v, q->inputs, q->input_count) ||
                (exit && is_among(v, q->outputs, q->output_count)));
    }
    VECTOR_FINISH(&read);
    if (!good)
        text_printf(why, "there is no formula over %s of procedure %s at %s",
                    exit ? "inputs and outputs" : "inputs", q->name, location->name);
    return good;
}

struct renaming {
    const struct procedure *callee;
    const struct procedure_call *call;
};

static const struct term *renamed(void *context, const struct term *variable)
{
    const struct renaming *r = context;
    for (size_t i = 0; i < r->callee->input_count; i++)
        if (r->callee->inputs[i]->term == variable)
            return r->call->inputs[i];
    for (size_t i = 0; i < r->callee->output_count; i++)
        if (r->callee->outputs[i]->term == variable)
            return r->call->outputs[i]->term;
    return variable;
}

// ---- The model with contracts.

struct copier {
    const struct procedures *from;
    struct model_builder *builder;
    const struct variable **variables; // by index
    struct location **locations;       // by index
};

static struct statement *copy_statement(struct copier *c, const struct statement *s)
{
    struct model_builder *b = c->builder;
    struct statement **children = memory_alloc((s->child_count + 1) * sizeof(*children)),
                     *out = NULL;
    for (uint32_t i = 0; i < s->child_count; i++)
        children[i] = copy_statement(c, s->child[i]);
    switch (s->kind) {
    case STATEMENT_SKIP:
        out = model_skip(b, s->source);
        break;
    case STATEMENT_ASSIGN:
        out = model_assign(b, c->variables[s->variable->index], s->expression, s->source);
        break;
    case STATEMENT_ASSUME:
        out = model_assume(b, s->expression, s->source);
        break;
    case STATEMENT_HAVOC:
        out = model_havoc(b, c->variables[s->variable->index], s->source);
        break;
    case STATEMENT_SEQUENCE:
        out = model_sequence(b, children, s->child_count, s->source);
        break;
    case STATEMENT_CHOICE:
        out = model_choice(b, children, s->child_count, s->source);
        break;
    case STATEMENT_IF:
        out = model_if(b, s->expression, children[0], children[1], s->source);
        break;
    }
    memory_free(children);
    assert(out != NULL);
    return out;
}

// The action, and then the condition.
static struct statement *with(struct copier *c, const struct edge *edge,
                              const struct term *condition)
{
    struct statement *both[2] = {copy_statement(c, edge->action),
                                 model_assume(c->builder, condition, edge->position)};
    return model_sequence(c->builder, both, 2, edge->position);
}

static const struct procedure_call *call_of(const struct procedures *p, const struct edge *edge)
{
    for (size_t i = 0; i < p->call_count; i++)
        if (p->calls[i].edge == edge)
            return &p->calls[i];
    return NULL;
}

static const struct procedure *reset_by(const struct procedures *p, const struct edge *edge)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->procedures[i].reset == edge)
            return &p->procedures[i];
    return NULL;
}

static void copy_edge(struct copier *c, const struct edge *edge, const struct term *const *formulas)
{
    struct model_builder *b = c->builder;
    struct location *source = c->locations[edge->source->index],
                    *target = c->locations[edge->target->index],
                    *error = c->locations[c->from->model->error->index];
    const struct procedure_call *call = call_of(c->from, edge);
    const struct procedure *reset = reset_by(c->from, edge);
    struct statement *action = NULL;
    if (call != NULL) {
        struct term_store *store = model_builder_store(b);
        struct renaming r = {&c->from->procedures[call->callee], call};
        const struct term *before =
            rewrite_substitute(store, formulas[r.callee->entry->index], renamed, &r);
        const struct term *after =
            rewrite_substitute(store, formulas[r.callee->exit->index], renamed, &r);
        action = model_assume(b, term_not(store, before), edge->position);
        model_builder_edge(b, source, error, action, edge->label, edge->position);
        action = with(c, edge, after);
    } else if (reset != NULL) {
        // Nothing on the way there may hold inputs back.
        source = c->locations[c->from->model->initial->index];
        action = model_assume(b, formulas[reset->entry->index], edge->position);
    } else {
        action = copy_statement(c, edge->action);
    }
    model_builder_edge(b, source, target, action, edge->label, edge->position);
}

static struct model *copy_with_contracts(const struct procedures *p, struct term_store *store,
                                         const struct term *const *formulas)
{
    const struct model *m = p->model;
    struct copier c = {.from = p};
    c.builder = model_builder_create(m->dialect, m->path, store);
    c.variables = memory_alloc((m->variable_count + 1) * sizeof(*c.variables));
    c.locations = memory_alloc((m->location_count + 1) * sizeof(*c.locations));
    for (uint32_t v = 0; v < m->variable_count; v++) {
        const struct variable *from = m->variables[v];
        c.variables[v] =
            model_builder_variable(c.builder, from->name, from->sort, from->flags, from->source);
        assert(c.variables[v] != NULL && c.variables[v]->term == from->term);
    }
    for (uint32_t l = 0; l < m->location_count; l++)
        c.locations[l] = model_builder_location(c.builder, m->locations[l]->name, PHASE_NONE,
                                                m->locations[l]->observable);
    for (uint32_t e = 0; e < m->edge_count; e++)
        copy_edge(&c, m->edges[e], formulas);
    model_builder_initial(c.builder, c.locations[m->initial->index],
                          copy_statement(&c, m->initial_action));
    model_builder_error(c.builder, c.locations[m->error->index]);
    memory_free(c.variables);
    memory_free(c.locations);
    return model_builder_finish(c.builder);
}

struct model *procedures_contracts(const struct procedures *p, struct term_store *store,
                                   const struct term *const *formulas, struct text *why)
{
    if (!is_as_promised(p)) {
        text_add(why, "the procedures are not what they should be");
        return NULL;
    }
    for (size_t i = 0; i < p->count; i++) {
        const struct procedure *q = &p->procedures[i];
        if (!formula_is_good(p, q, false, formulas[q->entry->index], why) ||
            !formula_is_good(p, q, true, formulas[q->exit->index], why))
            return NULL;
    }
    return copy_with_contracts(p, store, formulas);
}
