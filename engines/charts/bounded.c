#include <inttypes.h>

#include "base/memory.h"
#include "engines/bounded/unrolling.h"
#include "engines/charts/charts_inside.h"

// Bounded model checking of the abstract chart: steps meet only in what is visible. Runs that visit no configuration twice have an
// end where configurations are finitely many; there the configurations are collected, which is the proof.

// An abstract view of the model in which the visible variables are tracked.
struct view {
    struct monolith monolith;
    const struct term **seen; // by index of the variable; NULL: hidden
    const struct term *no_event;
};

static void view_init(struct view *view, struct chart_attempt *a)
{
    const struct model *model = a->workspace.model;
    monolith_init(&view->monolith, &a->workspace);
    monolith_abstract(&view->monolith);
    view->seen = memory_zalloc((model->variable_count + 1) * sizeof *view->seen);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        if (!a->visible[v] || !monolith_track(&view->monolith, model->variables[v]->term))
            continue;
        size_t last = view->monolith.tracked.count - 1;
        view->seen[v] = view->monolith.tracked.data[last].seen;
    }
    const struct term *none = chart_no_event(a);
    view->no_event = NULL;
    if (none != NULL && monolith_track(&view->monolith, none))
        view->no_event = view->monolith.tracked.data[view->monolith.tracked.count - 1].seen;
}

static void view_finish(struct view *view)
{
    memory_free(view->seen);
    monolith_finish(&view->monolith);
}

// What the solver's model says of a state of the run, as the attempt's formulas say it; NULL when it cannot be read.
static const struct term *read_state(struct chart_attempt *a, struct view *view, struct smt *smt,
                                     uint32_t state, uint32_t *location)
{
    const struct model *model = a->workspace.model;
    struct term_store *store = a->workspace.store;
    struct term_vector parts = {0};
    bool placed = false, good = true;
    for (uint32_t l = 0; l < model->location_count && !placed; l++) {
        const struct term *value =
            smt_model_value(smt, monolith_at_state(&view->monolith, view->monolith.at[l], state));
        placed = value != NULL && term_is_true(value);
        *location = l;
    }
    if (placed)
        VECTOR_PUSH(&parts, a->monolith.at[*location]);
    for (uint32_t v = 0; v < model->variable_count && placed && good; v++) {
        if (view->seen[v] == NULL)
            continue;
        const struct term *value =
            smt_model_value(smt, monolith_at_state(&view->monolith, view->seen[v], state));
        good = value != NULL && term_is_literal(value);
        if (good)
            VECTOR_PUSH(&parts, term_eq(store, model->variables[v]->term, value));
    }
    if (view->no_event != NULL && placed && good) {
        const struct term *none = chart_no_event(a);
        const struct term *value =
            smt_model_value(smt, monolith_at_state(&view->monolith, view->no_event, state));
        good = value != NULL;
        if (good)
            VECTOR_PUSH(&parts, term_is_true(value) ? none : term_not(store, none));
    }
    const struct term *formula = placed && good ? term_and(store, parts.data, parts.count) : NULL;
    VECTOR_FINISH(&parts);
    return formula;
}

// The run of the solver's model, as nodes one behind the other.
static bool keep_run(struct chart_attempt *a, struct view *view, struct smt *smt, uint32_t length,
                     uint32_t *bad)
{
    a->found.count = 0;
    for (uint32_t i = 0; i <= length; i++) {
        struct configuration_node node = {NULL, 0, i == 0 ? CONFIGURATION_NONE : i - 1};
        node.formula = read_state(a, view, smt, i, &node.location);
        if (node.formula == NULL) {
            workspace_end(&a->workspace, END_UNKNOWN, "the solver's model could not be read");
            return false;
        }
        VECTOR_PUSH(&a->found, node);
    }
    *bad = length;
    return true;
}

enum bounded_end { BOUNDED_BAD, BOUNDED_EXHAUSTED, BOUNDED_LIMIT, BOUNDED_STOPPED };

static enum bounded_end look(struct chart_attempt *a, struct view *view, struct unrolling *u,
                             uint32_t *bad)
{
    int64_t bound = workspace_option(&a->workspace, OPTION_BOUND);
    for (;;) {
        if (!workspace_step(&a->workspace, 1))
            return BOUNDED_STOPPED;
        enum unrolling_answer error = unrolling_ends_badly(u);
        if (error == UNROLLING_YES)
            return keep_run(a, view, u->smt, u->length, bad) ? BOUNDED_BAD : BOUNDED_STOPPED;
        if (error == UNROLLING_NO && bound > 0 && u->length >= bound)
            return BOUNDED_LIMIT;
        if (error == UNROLLING_NO)
            unrolling_extend(u);
        enum unrolling_answer more = error == UNROLLING_NO ? unrolling_exists(u) : error;
        if (more == UNROLLING_NO)
            return BOUNDED_EXHAUSTED;
        if (more == UNROLLING_UNDECIDED)
            workspace_end(&a->workspace, END_UNKNOWN, "the solver could not decide a run");
        if (more != UNROLLING_YES)
            return BOUNDED_STOPPED;
    }
}

enum explored chart_explore_bounded(struct chart_attempt *a, uint32_t *bad)
{
    struct view view;
    struct unrolling u;
    enum bounded_end end = BOUNDED_STOPPED;
    view_init(&view, a);
    if (unrolling_init(&u, &view.monolith, true)) {
        u.simple = true;
        unrolling_begin(&u);
        end = look(a, &view, &u, bad);
        unrolling_finish(&u);
    }
    view_finish(&view);
    switch (end) {
    case BOUNDED_BAD:
        return EXPLORED_BAD;
    case BOUNDED_EXHAUSTED:
        return chart_explore_abstract(a, bad);
    case BOUNDED_LIMIT:
        workspace_end(&a->workspace, END_UNKNOWN, "no run of that many steps leads to the error");
        return EXPLORED_STOPPED;
    default:
        return EXPLORED_STOPPED;
    }
}

// ---- cores -------------------------------------------------------------------------------------

// Step i of the run is put at 2i + 1, between states 2i and 2i + 1 of an unrolling whose states 2i + 1 and 2i + 2 are tied by
// assumptions: one for each hidden variable.
static void assert_run(struct chart_attempt *a, struct smt *smt, const uint32_t *nodes,
                       size_t count, bool error)
{
    struct monolith *m = &a->monolith;
    smt_assert(smt, m->initial);
    for (uint32_t i = 0; i < count; i++) {
        const struct term *formula = a->found.data[nodes[i]].formula;
        smt_assert(smt, monolith_at_state(m, formula, 2 * i));
        if (i > 0)
            smt_assert(smt, monolith_at_state(m, formula, 2 * i - 1));
        bool last = i + 1 == count;
        if (!last || error)
            smt_assert(smt, monolith_at_step(m, last ? m->bad : m->transition, 2 * i + 1));
    }
}

static const struct term *tie(struct chart_attempt *a, const struct variable *variable,
                              size_t count)
{
    struct monolith *m = &a->monolith;
    struct term_vector equal = {0};
    for (uint32_t i = 1; i < count; i++)
        VECTOR_PUSH(&equal, term_eq(m->store, monolith_at_state(m, variable->term, 2 * i - 1),
                                    monolith_at_state(m, variable->term, 2 * i)));
    const struct term *all = term_and(m->store, equal.data, equal.count);
    VECTOR_FINISH(&equal);
    return all;
}

static const struct term *assumption(struct chart_attempt *a, uint32_t variable)
{
    struct term_store *store = a->workspace.store;
    return term_var_copy(store, term_var(store, "!tied", sort_bool(store)), variable);
}

// A solver that knows the run; each hidden variable but the event is tied when its assumption is made.
static struct smt *begin_run(struct chart_attempt *a, const uint32_t *nodes, size_t count,
                             bool error, struct term_vector *assumed)
{
    const struct model *model = a->workspace.model;
    struct smt_context *context = workspace_solver(&a->workspace);
    if (context == NULL)
        return NULL;
    struct smt *smt = smt_create(context);
    assert_run(a, smt, nodes, count, error);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        if (a->visible[v] || (model->variables[v]->flags & VARIABLE_LOCAL) != 0)
            continue;
        if (model->variables[v] == a->event || !a->monolith.state[v])
            continue;
        VECTOR_PUSH(assumed, assumption(a, v));
        smt_assert(smt, term_implies(a->workspace.store, assumption(a, v),
                                     tie(a, model->variables[v], count)));
    }
    return smt;
}

bool chart_event_hides(struct chart_attempt *a, const uint32_t *nodes, size_t count, bool error)
{
    struct term_vector assumed = {0};
    struct smt *smt = begin_run(a, nodes, count, error, &assumed);
    bool hides = smt != NULL && smt_check_assuming(smt, assumed.data, assumed.count) == SMT_SAT;
    VECTOR_FINISH(&assumed);
    smt_destroy(smt);
    return hides;
}

bool chart_refine_by_core(struct chart_attempt *a, const uint32_t *nodes, size_t count, bool error)
{
    const struct model *model = a->workspace.model;
    struct term_vector assumed = {0}, core = {0};
    struct smt *smt = begin_run(a, nodes, count, error, &assumed);
    bool shown = false;
    if (smt != NULL && smt_check_assuming(smt, assumed.data, assumed.count) == SMT_UNSAT &&
        smt_unsat_core(smt, &core)) {
        for (uint32_t v = 0; v < model->variable_count; v++) {
            for (size_t i = 0; i < core.count; i++) {
                if (core.data[i] != assumption(a, v) || a->visible[v])
                    continue;
                a->visible[v] = shown = true;
            }
        }
    }
    VECTOR_FINISH(&assumed);
    VECTOR_FINISH(&core);
    smt_destroy(smt);
    return shown;
}
