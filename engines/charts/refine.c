#include "engines/charts/charts_inside.h"

#include <assert.h>

#include "base/memory.h"
#include "engines/bounded/unrolling.h"

// Refinement, in the corrected order: at the failure configuration, then at those before it, then anywhere, the first that
// makes something visible of: composites that are active in it, variables of guards, variables that visible ones are
// assigned from.

struct run {
    uint32_t *nodes; // first to last
    size_t count;
};

static struct run run_to(const struct chart_attempt *a, uint32_t bad)
{
    struct run run = {NULL, 0};
    for (uint32_t n = bad; n != CONFIGURATION_NONE; n = a->found.data[n].parent)
        run.count++;
    run.nodes = memory_alloc((run.count + 1) * sizeof *run.nodes);
    size_t at = run.count;
    for (uint32_t n = bad; n != CONFIGURATION_NONE; n = a->found.data[n].parent)
        run.nodes[--at] = n;
    assert(at == 0 && a->found.data[run.nodes[0]].parent == CONFIGURATION_NONE);
    return run;
}

static const struct term *formula_at(const struct chart_attempt *a, const struct run *run, size_t i)
{
    assert(i < run->count);
    return a->found.data[run->nodes[i]].formula;
}

// ---- following ---------------------------------------------------------------------------------

// The last configuration that some run of the model reaches along the abstract one; run->count: even the error.
static size_t follow(struct chart_attempt *a, const struct run *run, bool *decided)
{
    struct unrolling u;
    *decided = false;
    if (!unrolling_init(&u, &a->monolith, true))
        return 0;
    unrolling_begin(&u);
    size_t reached = 0;
    enum unrolling_answer answer = UNROLLING_YES;
    for (size_t i = 0; i < run->count && answer == UNROLLING_YES; i++) {
        if (i > 0)
            unrolling_extend(&u);
        smt_assert(u.smt, monolith_at_state(&a->monolith, formula_at(a, run, i), (uint32_t)i));
        if (!workspace_step(&a->workspace, 1))
            break;
        answer = unrolling_exists(&u);
        reached += answer == UNROLLING_YES;
    }
    if (answer == UNROLLING_YES && reached == run->count) {
        answer = unrolling_ends_badly(&u);
        if (answer == UNROLLING_YES) {
            a->result.trace = monolith_trace(&a->monolith, u.smt, u.length + 1);
            reached = run->count + 1;
        }
    }
    assert(reached <= run->count + 1 && (a->result.trace == NULL || reached > run->count));
    *decided = answer == UNROLLING_YES || answer == UNROLLING_NO;
    if (answer == UNROLLING_UNDECIDED)
        workspace_end(&a->workspace, END_UNKNOWN, "the solver could not decide a run");
    unrolling_finish(&u);
    return reached;
}

// ---- what hides --------------------------------------------------------------------------------

static bool show(struct chart_attempt *a, const struct variable *variable)
{
    if (variable == NULL || variable == a->event || (variable->flags & VARIABLE_LOCAL) != 0 ||
        a->visible[variable->index] || !a->monolith.state[variable->index])
        return false;
    return a->visible[variable->index] = true;
}

// Does the configuration say that this state is active?
static bool is_active(const struct chart_attempt *a, const struct term *formula,
                      const struct chart_state *state)
{
    struct term_store *store = a->workspace.store;
    for (; state != NULL; state = chart_parent(state)) {
        const struct variable *region = a->regions[state->parent->index];
        if (region == NULL)
            continue;
        const struct term *wanted =
            term_eq(store, region->term, term_enum(store, region->sort, state->place + 1));
        if (formula == wanted)
            return true;
        for (uint32_t i = 0; formula->kind == TERM_AND && i < formula->child_count; i++) {
            if (formula->child[i] == wanted)
                return true;
        }
        return false;
    }
    return true;
}

static bool open_states(struct chart_attempt *a, const struct term *formula)
{
    const struct chart *chart = a->view->chart;
    bool opened = false;
    for (uint32_t i = 0; i < chart->region_count; i++) {
        const struct chart_region *region = chart->regions[i];
        if (a->regions[i] != NULL && !a->visible[a->regions[i]->index] &&
            (formula == NULL || is_active(a, formula, region->parent)))
            opened |= show(a, a->regions[i]);
    }
    return opened;
}

static bool show_all_of(struct chart_attempt *a, const struct term *term)
{
    struct term_vector variables = {0};
    bool shown = false;
    rewrite_free_variables(term, &variables);
    for (size_t i = 0; i < variables.count; i++)
        shown |= show(a, model_variable_of(a->workspace.model, variables.data[i]));
    VECTOR_FINISH(&variables);
    return shown;
}

static bool show_guards(struct chart_attempt *a, const struct statement *s)
{
    bool shown =
        (s->kind == STATEMENT_ASSUME || s->kind == STATEMENT_IF) && show_all_of(a, s->expression);
    for (uint32_t i = 0; i < s->child_count; i++)
        shown |= show_guards(a, s->child[i]);
    return shown;
}

static bool show_sources(struct chart_attempt *a, const struct statement *s)
{
    bool local = s->kind == STATEMENT_ASSIGN && (s->variable->flags & VARIABLE_LOCAL) != 0;
    bool shown = s->kind == STATEMENT_ASSIGN && (local || a->visible[s->variable->index]) &&
                 show_all_of(a, s->expression);
    for (uint32_t i = 0; i < s->child_count; i++)
        shown |= show_sources(a, s->child[i]);
    return shown;
}

// Can the abstract step from configuration i be this edge?
static bool may_take(struct chart_attempt *a, const struct run *run, size_t i,
                     const struct edge *edge)
{
    struct monolith *m = &a->monolith;
    struct smt *smt = smt_create(workspace_solver(&a->workspace));
    bool last = i + 1 == run->count;
    smt_assert(smt, last ? m->bad : m->transition);
    smt_assert(smt, formula_at(a, run, i));
    smt_assert(smt, m->selectors[edge->id]);
    if (!last)
        smt_assert(smt, monolith_next(m, formula_at(a, run, i + 1)));
    assert(edge->source->index == a->found.data[run->nodes[i]].location);
    bool may = smt_check(smt) != SMT_UNSAT;
    smt_destroy(smt);
    return may;
}

static bool show_variables(struct chart_attempt *a, const struct run *run, size_t i)
{
    const struct location *at =
        a->workspace.model->locations[a->found.data[run->nodes[i]].location];
    bool shown = false;
    for (int sources = 0; sources < 2 && !shown; sources++) {
        for (uint32_t e = 0; e < at->out_count; e++) {
            const struct edge *edge = at->out[e];
            if (may_take(a, run, i, edge))
                shown |= sources ? show_sources(a, edge->action) : show_guards(a, edge->action);
        }
    }
    return shown;
}

static bool refine_at(struct chart_attempt *a, const struct run *run, size_t i)
{
    const struct term *formula = formula_at(a, run, i);
    switch (workspace_option(&a->workspace, OPTION_OPEN)) {
    case OPEN_CORE: // said nothing new
    case OPEN_STATES:
        return open_states(a, formula) || show_variables(a, run, i);
    case OPEN_VARIABLES:
        return show_variables(a, run, i) || open_states(a, formula);
    default: {
        bool opened = open_states(a, formula);
        return show_variables(a, run, i) || opened;
    }
    }
}

static bool show_event(struct chart_attempt *a)
{
    const struct variable *event = a->event;
    a->event = NULL;
    return show(a, event);
}

static bool show_everything(struct chart_attempt *a)
{
    bool shown = open_states(a, NULL);
    for (uint32_t v = 0; v < a->workspace.model->variable_count && !shown; v++)
        shown = show(a, a->workspace.model->variables[v]);
    return shown;
}

enum refined chart_refine(struct chart_attempt *a, uint32_t bad)
{
    struct run run = run_to(a, bad);
    bool decided;
    size_t reached = follow(a, &run, &decided);
    enum refined result = REFINED_STOPPED;
    if (decided && reached > run.count) {
        result = REFINED_CONCRETE;
    } else if (decided) {
        // The run cannot go on to configuration `reached`, or from the last one into the error.
        assert(a->result.trace == NULL);
        bool error = reached == run.count;
        size_t count = error ? reached : reached + 1;
        bool more =
            a->event != NULL && chart_event_hides(a, run.nodes, count, error) && show_event(a);
        if (workspace_option(&a->workspace, OPTION_OPEN) == OPEN_CORE)
            more = more || chart_refine_by_core(a, run.nodes, count, error);
        for (size_t i = reached; i-- > 0 && !more;)
            more = refine_at(a, &run, i);
        more = more || show_event(a) || show_everything(a);
        if (!more)
            workspace_end(&a->workspace, END_INTERNAL,
                          "everything is visible, and a run still cannot be followed");
        result = more ? REFINED_MORE : REFINED_STOPPED;
    }
    memory_free(run.nodes);
    return result;
}
