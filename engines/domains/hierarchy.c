#include "engines/domains/hierarchy.h"

#include <assert.h>

#include "engines/domains/predicate_part.h"

bool hierarchy_begins_with(const struct variable *variable, int64_t initprec)
{
    if ((variable->flags & VARIABLE_CONTROL) == 0)
        return false;
    switch (initprec) {
    case INITPREC_CTRL:
    case INITPREC_PROP_CTRL:
        return true;
    case INITPREC_TOP:
        return (variable->flags & VARIABLE_INNER) == 0;
    default:
        return false;
    }
}

void hierarchy_states(struct workspace *workspace, const struct variable *variable,
                      struct term_vector *out)
{
    assert((variable->flags & VARIABLE_CONTROL) != 0);
    struct term_store *store = workspace->store;
    const struct sort *sort = variable->sort;
    if (sort->kind == SORT_BOOL)
        VECTOR_PUSH(out, variable->term);
    for (uint32_t i = 0; sort->kind == SORT_ENUM && i < sort->literal_count; i++)
        VECTOR_PUSH(out, term_eq(store, variable->term, term_enum(store, sort, i)));
}

void hierarchy_each_top_state(struct workspace *workspace,
                              void (*take)(void *context, const struct term *state), void *context)
{
    const struct model *model = workspace->model;
    struct term_vector states = {0};
    if (workspace_option(workspace, OPTION_INITPREC) != INITPREC_TOP)
        return;
    for (uint32_t v = 0; v < model->variable_count; v++) {
        if (hierarchy_begins_with(model->variables[v], INITPREC_TOP))
            hierarchy_states(workspace, model->variables[v], &states);
    }
    for (size_t i = 0; i < states.count; i++)
        take(context, states.data[i]);
    VECTOR_FINISH(&states);
}

void hierarchy_split(struct workspace *workspace, const struct term *formula, int64_t split,
                     struct term_vector *parts)
{
    predicate_split(formula, split == PREDSPLIT_REGIONS ? PREDSPLIT_ATOMS : split, parts);
    if (split != PREDSPLIT_REGIONS)
        return;
    struct term_vector variables = {0};
    rewrite_free_variables(formula, &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const struct variable *x = model_variable_of(workspace->model, variables.data[i]);
        if (x != NULL && (x->flags & VARIABLE_CONTROL) != 0)
            hierarchy_states(workspace, x, parts);
    }
    VECTOR_FINISH(&variables);
}
