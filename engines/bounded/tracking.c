#include "engines/bounded/tracking.h"

#include "engines/domains/hierarchy.h"
#include "engines/domains/predicate_part.h"
#include "engines/domains/sharing.h"
#include "model/precision_text.h"

bool tracking_add(struct refining *r, const struct term *formula)
{
    struct term_vector parts = {0};
    if (r->variables)
        rewrite_free_variables(formula, &parts);
    else
        hierarchy_split(r->monolith->workspace, formula, r->split, &parts);
    bool added = false;
    for (size_t i = 0; i < parts.count; i++)
        added |= monolith_track(r->monolith, parts.data[i]);
    VECTOR_FINISH(&parts);
    return added;
}

// Atoms, whatever becomes of interpolants: conditions as they are written seldom are what matters.
static void add_atoms(void *context, const struct term *formula)
{
    struct refining *r = context;
    struct term_vector atoms = {0};
    rewrite_atoms(formula, &atoms);
    for (size_t i = 0; i < atoms.count; i++)
        tracking_add(r, atoms.data[i]);
    VECTOR_FINISH(&atoms);
}

static void add_control(struct refining *r, int64_t kind)
{
    const struct model *model = r->monolith->model;
    for (uint32_t v = 0; v < model->variable_count; v++)
        if (hierarchy_begins_with(model->variables[v], kind))
            monolith_track(r->monolith, model->variables[v]->term);
}

static void begin_with(void *context, const struct precision_item *item)
{
    struct refining *r = context;
    if (item->predicate != NULL)
        tracking_add(r, item->predicate);
    else
        monolith_track(r->monolith, item->variable->term);
}

void tracking_begin(struct refining *r)
{
    const struct workspace *ws = r->monolith->workspace;
    const struct model *model = ws->model;
    int64_t kind = workspace_option(ws, OPTION_INITPREC);
    if ((kind == INITPREC_PROP || kind == INITPREC_PROP_CTRL) && model->property != NULL)
        add_atoms(r, model->property);
    add_control(r, kind);
    if (kind == INITPREC_ALLASSUMES)
        predicate_each_assumption(model, add_atoms, r);
    size_t before = r->monolith->tracked.count;
    const char *text = ws->environment->precision_in;
    if (text != NULL && *text)
        precision_text_read(text, model, ws->store, begin_with, r);
    r->handed_on = r->monolith->tracked.count - before;
}

// A Boolean variable is a predicate too; one of another sort is none.
static void write_from(struct refining *r, size_t first, uint32_t largest, struct text *out)
{
    const struct monolith *m = r->monolith;
    for (size_t i = first; i < m->tracked.count; i++) {
        const struct term *term = m->tracked.data[i].term;
        struct precision_item item = {.predicate = term};
        if (term->kind == TERM_VAR && (r->variables || term->sort->kind != SORT_BOOL))
            item = (struct precision_item){.variable = model_variable_of(m->model, term)};
        if (term->tree_size <= largest)
            precision_text_add(out, m->store, &item);
    }
}

void tracking_leave(struct refining *r)
{
    struct text *out = r->monolith->workspace->environment->precision_out;
    if (out != NULL)
        write_from(r, 0, UINT32_MAX, out);
}

static void take(void *context, const struct precision_item *item)
{
    struct refining *r = context;
    if (item->predicate != NULL && item->predicate->tree_size <= SHARING_LARGEST &&
        r->taken < SHARING_MOST_TAKEN)
        r->taken += monolith_track(r->monolith, item->predicate);
}

static void give(struct refining *r)
{
    const struct engine_environment *e = r->monolith->workspace->environment;
    struct text text;
    text_init(&text);
    write_from(r, r->given, SHARING_LARGEST, &text);
    if (text.length)
        e->share(e->observer, text_string(&text));
    text_finish(&text);
}

void refining_cooperate(struct refining *r)
{
    const struct engine_environment *e = r->monolith->workspace->environment;
    if (r->refinements < SHARING_FIRST || r->refinements < r->next_cooperation)
        return;
    r->next_cooperation = sharing_next(r->refinements);
    if (e->share != NULL)
        give(r);
    // Variables are few, and their values say all: predicates of others add nothing to them.
    if (e->hear != NULL && !r->variables && r->taken < SHARING_MOST_TAKEN)
        precision_text_read(e->hear(e->observer), e->model, e->store, take, r);
    r->given = r->monolith->tracked.count;
}
