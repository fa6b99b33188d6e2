#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "engines/charts/charts_inside.h"

// The loop: look at the abstract chart, follow its run to the error, open what hides why that cannot be followed.

static void prepare(const struct configuration *configuration, struct prepare_options *out)
{
    const int64_t *v = configuration->values;
    *out = (struct prepare_options){
        .encoding = PREPARE_LARGE_BLOCK,
        .propagate_constants = v[OPTION_PROPAGATE],
        .cone_of_influence = v[OPTION_CONE],
    };
}

static const struct variable *prepared(const struct chart_attempt *a, const struct variable *source)
{
    return source == NULL ? NULL : model_find_variable(a->workspace.model, source->name);
}

// What no step reads before it is written is not worth telling configurations apart.
static void show(struct chart_attempt *a, const struct variable *source)
{
    const struct variable *variable = prepared(a, source);
    if (variable != NULL && a->monolith.state[variable->index])
        a->visible[variable->index] = true;
}

const struct term *chart_no_event(const struct chart_attempt *a)
{
    if (a->event == NULL || a->visible[a->event->index])
        return NULL;
    struct term_store *store = a->workspace.store;
    return term_eq(store, a->event->term, term_enum(store, a->event->sort, 0));
}

// What comes from a queue, or was sent before, is no free choice.
static void show_event(struct chart_attempt *a, bool whole)
{
    const struct chart_map *map = &a->view->map;
    const struct variable *event = prepared(a, map->event);
    if (whole || map->queue_count > 0 || a->view->chart->sending_count > 0)
        show(a, map->event);
    else if (event != NULL && a->monolith.state[event->index])
        a->event = event;
}

// Nothing around it has a variable that could be opened first.
static bool is_top(const struct chart_attempt *a, const struct chart_region *region)
{
    for (const struct chart_state *s = region->parent; s != NULL; s = chart_parent(s)) {
        if (a->regions[s->parent->index] != NULL)
            return false;
    }
    return true;
}

static void show_data_of_property(struct chart_attempt *a)
{
    const struct model *model = a->workspace.model;
    if (model->property == NULL)
        return;
    struct term_vector variables = {0};
    rewrite_free_variables(model->property, &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const struct variable *variable = model_variable_of(model, variables.data[i]);
        bool region = false;
        for (uint32_t r = 0; r < a->view->chart->region_count; r++)
            region |= a->regions[r] == variable;
        if (variable != NULL && !region)
            a->visible[variable->index] = true;
    }
    VECTOR_FINISH(&variables);
}

// STT: the states at the top, and all variables. GEN: of these only those of the property. Events are always visible.
static void first_precision(struct chart_attempt *a)
{
    const struct chart_map *map = &a->view->map;
    const struct chart *chart = a->view->chart;
    const struct model *model = a->workspace.model;
    int64_t kind = workspace_option(&a->workspace, OPTION_CHART_ABSTRACTION);
    for (uint32_t v = 0; v < model->variable_count && kind == CHART_ABSTRACTION_NONE; v++)
        a->visible[v] = a->monolith.state[v] && (model->variables[v]->flags & VARIABLE_LOCAL) == 0;
    for (uint32_t r = 0; r < chart->region_count; r++) {
        if (a->regions[r] != NULL && is_top(a, chart->regions[r]))
            a->visible[a->regions[r]->index] = true;
    }
    for (uint32_t v = 0; v < chart->variable_count; v++) {
        if (kind == CHART_ABSTRACTION_STT || chart->variables[v]->role == CHART_EVENT)
            show(a, map->variable[v]);
    }
    show_event(a, kind == CHART_ABSTRACTION_NONE);
    for (uint32_t i = 0; i < map->queue_count; i++)
        show(a, map->queue[i]);
    show(a, map->overflow);
    show(a, map->unset);
    show_data_of_property(a);
}

static uint64_t precision_size(const struct chart_attempt *a)
{
    uint64_t size = 0;
    for (uint32_t v = 0; v < a->workspace.model->variable_count; v++)
        size += a->visible[v];
    return size;
}

static bool begin_round(struct chart_attempt *a)
{
    struct progress *p = a->workspace.progress;
    a->rounds++;
    atomic_store_explicit(&p->iterations, a->rounds, memory_order_relaxed);
    atomic_store_explicit(&p->precision, precision_size(a), memory_order_relaxed);
    atomic_store_explicit(&p->phase, ENGINE_ABSTRACTING, memory_order_relaxed);
    workspace_publish_solver_statistics(&a->workspace);
    struct engine_event event = {
        .kind = EVENT_ROUND, .iteration = a->rounds, .precision_size = precision_size(a)};
    workspace_tell(&a->workspace, &event);
    return workspace_step(&a->workspace, 1);
}

// The configurations at each location: closed under steps, whatever is hidden.
static void conclude_safe(struct chart_attempt *a)
{
    const struct model *model = a->workspace.model;
    struct term_store *store = a->workspace.store;
    a->result.verdict = VERDICT_SAFE;
    const struct term **invariant = memory_alloc((model->location_count + 1) * sizeof *invariant);
    for (uint32_t l = 0; l < model->location_count; l++) {
        struct term_vector any = {0};
        for (size_t i = 0; i < a->found.count; i++) {
            const struct configuration_node *node = &a->found.data[i];
            if (node->location == l)
                VECTOR_PUSH(&any,
                            monolith_at_location(&a->monolith, node->formula, model->locations[l]));
        }
        invariant[l] = term_or(store, any.data, any.count);
        VECTOR_FINISH(&any);
    }
    ENSURE(a->result.trace == NULL && a->workspace.reason == END_NONE);
    a->result.invariant = invariant;
}

static void search(struct chart_attempt *a)
{
    while (begin_round(a)) {
        uint32_t bad;
        bool bounded = workspace_option(&a->workspace, OPTION_CHECKER) == CHECKER_BMC;
        switch (bounded ? chart_explore_bounded(a, &bad) : chart_explore_abstract(a, &bad)) {
        case EXPLORED_SAFE:
            conclude_safe(a);
            return;
        case EXPLORED_STOPPED:
            return;
        case EXPLORED_BAD:
            break;
        }
        atomic_store_explicit(&a->workspace.progress->phase, ENGINE_REFINING, memory_order_relaxed);
        switch (chart_refine(a, bad)) {
        case REFINED_CONCRETE:
            a->result.verdict = a->result.trace != NULL ? VERDICT_UNSAFE : VERDICT_UNKNOWN;
            if (a->result.trace == NULL)
                workspace_end(&a->workspace, END_UNKNOWN, "the solver's run could not be read");
            return;
        case REFINED_STOPPED:
            return;
        case REFINED_MORE:
            break;
        }
    }
}

static struct engine_result finish(struct chart_attempt *a)
{
    struct engine_result result = a->result;
    workspace_publish_solver_statistics(&a->workspace);
    atomic_store_explicit(&a->workspace.progress->phase, ENGINE_DONE, memory_order_relaxed);
    bool unknown = result.verdict == VERDICT_UNKNOWN;
    result.reason = unknown ? a->workspace.reason : END_SOLVED;
    if (unknown)
        result.why = a->workspace.why;
    result.solver = workspace_solver_statistics(&a->workspace);
    engine_note(result.notes, sizeof result.notes,
                "%" PRIu64 " rounds, %" PRIu64 " configurations in the largest, %" PRIu64
                " in the last, %" PRIu64 " of %" PRIu32 " variables visible",
                a->rounds, a->largest, a->last, precision_size(a),
                a->workspace.model->variable_count);
    monolith_finish(&a->monolith);
    workspace_finish(&a->workspace);
    memory_free(a->regions);
    memory_free(a->visible);
    VECTOR_FINISH(&a->found);
    memory_free(a->slots);
    return result;
}

static struct engine_result run(const struct engine_environment *environment)
{
    const struct model_view *view = model_root(environment->model)->view;
    if (view == NULL || strcmp(view->kind, CHART_VIEW) != 0)
        return (struct engine_result){.reason = END_UNSUPPORTED,
                                      .why = "not applicable: there is no chart behind the model"};
    if (environment->model->initial == environment->model->error)
        return (struct engine_result){.reason = END_UNSUPPORTED,
                                      .why = "the model begins in its error"};
    struct chart_attempt a = {.view = (const struct chart_view *)view};
    workspace_init(&a.workspace, environment);
    monolith_init(&a.monolith, &a.workspace);
    a.visible = memory_zalloc(environment->model->variable_count + 1);
    a.regions = memory_zalloc((a.view->chart->region_count + 1) * sizeof *a.regions);
    for (uint32_t r = 0; r < a.view->chart->region_count; r++)
        a.regions[r] = prepared(&a, a.view->map.region[r]);
    first_precision(&a);
    assert(precision_size(&a) <= environment->model->variable_count);
    search(&a);
    return finish(&a);
}

const struct engine engine_charts = {
    .name = "charts",
    .description =
        "statecharts: opens composites and shows variables as spurious runs ask for them",
    .preparation = prepare,
    .run = run,
    .view = CHART_VIEW,
};
