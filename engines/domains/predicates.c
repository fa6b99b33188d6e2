#include "base/memory.h"

#include <assert.h>

#include "engines/domains/domain.h"
#include "engines/domains/hierarchy.h"
#include "engines/domains/predicate_part.h"

// The domains of predicates alone: PRED_CART, PRED_BOOL, PRED_SPLIT (docs/definitions/cegar.md 3).

struct domain {
    struct domain_head head;
    struct action_solvers solvers;
    struct predicate_part part;
};

static void add_everywhere(void *context, const struct term *term)
{
    struct domain *d = context;
    const struct model *model = d->head.workspace->model;
    for (uint32_t l = 0; l < (d->part.local ? model->location_count : 1); l++)
        predicate_part_add_parts(&d->part, model->locations[l], term, PREDSPLIT_ATOMS);
}

static struct domain *create(struct workspace *workspace,
                             const struct domain_operations *operations,
                             enum predicate_abstraction abstraction)
{
    const struct model *model = workspace->model;
    struct domain *d = memory_zalloc(sizeof *d);
    d->head = (struct domain_head){.operations = operations, .workspace = workspace};
    action_solvers_init(&d->solvers, workspace);
    predicate_part_init(&d->part, workspace, &d->solvers, abstraction);
    assert(operations->create != NULL && d->part.abstraction == abstraction);
    int64_t kind = workspace_option(workspace, OPTION_INITPREC);
    if ((kind == INITPREC_PROP || kind == INITPREC_PROP_CTRL) && model->property != NULL)
        add_everywhere(d, model->property);
    hierarchy_each_top_state(workspace, add_everywhere, d);
    if (kind == INITPREC_ALLASSUMES)
        predicate_each_assumption(model, add_everywhere, d);
    return d;
}

static struct domain *create_cartesian(struct workspace *workspace)
{
    return create(workspace, &domain_predicates, PREDICATES_CARTESIAN);
}

static struct domain *create_boolean(struct workspace *workspace)
{
    return create(workspace, &domain_predicates_boolean, PREDICATES_BOOLEAN);
}

static struct domain *create_split(struct workspace *workspace)
{
    return create(workspace, &domain_predicates_split, PREDICATES_SPLIT);
}

static void destroy(struct domain *d)
{
    if (d == NULL)
        return;
    predicate_part_finish(&d->part);
    action_solvers_finish(&d->solvers);
    memory_free(d);
}

static bool initial(struct domain *d, struct state_list *out)
{
    const struct model *model = d->head.workspace->model;
    struct predicate_query query = {
        .action = model->initial_action,
        .slot = model->edge_count,
        .state = predicate_part_true(&d->part),
        .target = model->initial,
    };
    return predicate_part_post(&d->part, &query, out);
}

static bool successors(struct domain *d, uint32_t state, const struct edge *edge,
                       struct state_list *out)
{
    struct predicate_query query = {
        .action = edge->action,
        .slot = edge->id,
        .state = state,
        .target = edge->target,
    };
    return predicate_part_post(&d->part, &query, out);
}

static bool covers(struct domain *d, uint32_t larger, uint32_t smaller)
{
    return predicate_part_covers(&d->part, larger, smaller);
}

static uint32_t class_of(struct domain *d, uint32_t state)
{
    return predicate_part_class_of(&d->part, state);
}

static uint32_t coverer_in_class(struct domain *d, uint32_t state, uint32_t class)
{
    return predicate_part_coverer(&d->part, state, class);
}

static const struct term *formula(struct domain *d, uint32_t state)
{
    return predicate_part_formula(&d->part, state);
}

static bool refine(struct domain *d, const struct location *location,
                   const struct term *interpolant, const struct term *const *variables,
                   size_t variable_count)
{
    assert(interpolant == NULL || interpolant->sort->kind == SORT_BOOL);
    (void)variables;
    (void)variable_count;
    bool changed = interpolant != NULL &&
                   predicate_part_add_parts(&d->part, location, interpolant, d->part.split);
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
    predicate_part_each(&d->part, take, context);
}

static size_t bytes(const struct domain *d)
{
    return predicate_part_bytes(&d->part) + action_solvers_bytes(&d->solvers);
}

#define PREDICATE_OPERATIONS(text, create_function)                                                \
    {                                                                                              \
        .name = text, .create = create_function, .destroy = destroy, .initial = initial,           \
        .successors = successors, .covers = covers, .class_of = class_of,                          \
        .coverer_in_class = coverer_in_class, .formula = formula, .refine = refine,                \
        .precision_size = precision_size, .each_element = each_element, .bytes = bytes,            \
    }

const struct domain_operations domain_predicates =
    PREDICATE_OPERATIONS("PRED_CART", create_cartesian);
const struct domain_operations domain_predicates_boolean =
    PREDICATE_OPERATIONS("PRED_BOOL", create_boolean);
const struct domain_operations domain_predicates_split =
    PREDICATE_OPERATIONS("PRED_SPLIT", create_split);
