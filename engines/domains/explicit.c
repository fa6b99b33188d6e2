#include "base/memory.h"

#include <assert.h>

#include "engines/domains/domain.h"
#include "engines/domains/explicit_part.h"
#include "engines/domains/hierarchy.h"

// The domain of explicit values alone: EXPL.

struct domain {
    struct domain_head head;
    struct action_solvers solvers;
    struct explicit_part part;
};

static void initial_precision(struct domain *d)
{
    const struct workspace *ws = d->head.workspace;
    const struct model *model = ws->model;
    int64_t kind = workspace_option(ws, OPTION_INITPREC);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct variable *x = model->variables[v];
        bool wanted = (kind == INITPREC_ALLVARS && !(x->flags & VARIABLE_LOCAL)) ||
                      hierarchy_begins_with(x, kind);
        if (wanted)
            explicit_part_track_everywhere(&d->part, x);
    }
    if (kind == INITPREC_ALLVARS)
        explicit_part_look_ahead(&d->part);
    if ((kind == INITPREC_PROP || kind == INITPREC_PROP_CTRL) && model->property != NULL) {
        struct term_vector variables = {0};
        rewrite_free_variables(model->property, &variables);
        for (size_t i = 0; i < variables.count; i++) {
            const struct variable *x = model_variable_of(model, variables.data[i]);
            if (x != NULL)
                explicit_part_track_everywhere(&d->part, x);
        }
        VECTOR_FINISH(&variables);
    }
}

static struct domain *create(struct workspace *workspace)
{
    struct domain *d = memory_zalloc(sizeof *d);
    d->head = (struct domain_head){.operations = &domain_explicit, .workspace = workspace};
    action_solvers_init(&d->solvers, workspace);
    explicit_part_init(&d->part, workspace, &d->solvers);
    initial_precision(d);
    return d;
}

static void destroy(struct domain *d)
{
    if (d == NULL)
        return;
    explicit_part_finish(&d->part);
    action_solvers_finish(&d->solvers);
    memory_free(d);
}

static bool initial(struct domain *d, struct state_list *out)
{
    const struct model *model = d->head.workspace->model;
    bool certain;
    struct explicit_query query = {
        .action = model->initial_action,
        .slot = model->edge_count,
        .state = explicit_part_anything(&d->part),
        .target = model->initial,
    };
    return explicit_part_post(&d->part, &query, out, &certain);
}

static bool successors(struct domain *d, uint32_t state, const struct edge *edge,
                       struct state_list *out)
{
    bool certain;
    struct explicit_query query = {
        .action = edge->action,
        .slot = edge->id,
        .state = state,
        .target = edge->target,
    };
    return explicit_part_post(&d->part, &query, out, &certain);
}

static bool covers(struct domain *d, uint32_t larger, uint32_t smaller)
{
    return explicit_part_covers(&d->part, larger, smaller);
}

static uint32_t class_of(struct domain *d, uint32_t state)
{
    return explicit_part_class_of(&d->part, state);
}

static uint32_t coverer_in_class(struct domain *d, uint32_t state, uint32_t class)
{
    return explicit_part_coverer(&d->part, state, class);
}

static const struct term *formula(struct domain *d, uint32_t state)
{
    return explicit_part_formula(&d->part, state);
}

static const struct term *any_of(struct domain *d, const uint32_t *states, size_t count)
{
    return explicit_part_union(&d->part, states, count);
}

static bool refine(struct domain *d, const struct location *location,
                   const struct term *interpolant, const struct term *const *variables,
                   size_t variable_count)
{
    assert(interpolant == NULL || interpolant->sort->kind == SORT_BOOL);
    const struct model *model = d->head.workspace->model;
    struct term_vector all = {0};
    if (interpolant != NULL)
        rewrite_free_variables(interpolant, &all);
    for (size_t i = 0; i < variable_count; i++)
        VECTOR_PUSH(&all, variables[i]);
    bool changed = false;
    for (size_t i = 0; i < all.count; i++) {
        const struct variable *x = model_variable_of(model, all.data[i]);
        changed |= x != NULL && explicit_part_track(&d->part, location->index, x);
    }
    VECTOR_FINISH(&all);
    d->head.precision_id += changed;
    return changed;
}

static uint64_t precision_size(const struct domain *d)
{
    return d->part.precision_size;
}

static void each_element(const struct domain *d,
                         void (*take)(void *context, const struct precision_item *item),
                         void *context)
{
    explicit_part_each(&d->part, take, context);
}

static size_t bytes(const struct domain *d)
{
    return explicit_part_bytes(&d->part) + action_solvers_bytes(&d->solvers);
}

const struct domain_operations domain_explicit = {
    .name = "EXPL",
    .create = create,
    .destroy = destroy,
    .initial = initial,
    .successors = successors,
    .covers = covers,
    .class_of = class_of,
    .coverer_in_class = coverer_in_class,
    .formula = formula,
    .any_of = any_of,
    .refine = refine,
    .precision_size = precision_size,
    .each_element = each_element,
    .bytes = bytes,
};
