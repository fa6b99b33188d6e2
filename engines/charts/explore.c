#include "engines/charts/charts_inside.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"

// Abstract configurations by a solver: what is hidden has any value, a fresh one in each step.
//   OAO  successors of one configuration at a time
//   MON  any configuration that follows one of those found, all of them in one formula, made anew for each question
//   MOP  the same in a solver that keeps what it was told

static uint32_t *slot(struct chart_attempt *a, const struct term *formula)
{
    assert(a->slot_count > a->found.count && "a probe needs a free slot");
    for (size_t at = formula->hash.low;; at++) {
        uint32_t *s = &a->slots[at & (a->slot_count - 1)];
        if (*s == CONFIGURATION_NONE || a->found.data[*s].formula == formula)
            return s;
    }
}

static void grow(struct chart_attempt *a)
{
    a->slot_count = a->slot_count == 0 ? 256 : 2 * a->slot_count;
    a->slots = memory_realloc(a->slots, a->slot_count * sizeof *a->slots);
    memset(a->slots, 0xff, a->slot_count * sizeof *a->slots);
    for (uint32_t i = 0; i < a->found.count; i++)
        *slot(a, a->found.data[i].formula) = i;
}

static void keep(struct chart_attempt *a, struct configuration_node node)
{
    if (2 * (a->found.count + 1) > a->slot_count)
        grow(a);
    uint32_t *s = slot(a, node.formula);
    if (*s != CONFIGURATION_NONE)
        return;
    assert(node.parent == CONFIGURATION_NONE || node.parent < a->found.count);
    *s = (uint32_t)a->found.count;
    VECTOR_PUSH(&a->found, node);
    atomic_fetch_add_explicit(&a->workspace.progress->nodes_created, 1, memory_order_relaxed);
}

// The configuration that the solver's model has, now or after its step. Its formula is NULL when the solver cannot tell.
static struct configuration_node read_model(struct chart_attempt *a, struct smt *smt, bool next,
                                            uint32_t parent)
{
    struct monolith *m = &a->monolith;
    struct configuration_node node = {NULL, 0, parent};
    struct term_vector parts = {0};
    bool placed = false, good = true;
    for (uint32_t l = 0; l < m->model->location_count && !placed; l++) {
        const struct term *at = m->at[l];
        const struct term *value = smt_model_value(smt, next ? monolith_next(m, at) : at);
        placed = value != NULL && term_is_true(value);
        node.location = l;
    }
    if (placed)
        VECTOR_PUSH(&parts, m->at[node.location]);
    for (uint32_t v = 0; v < m->model->variable_count && good && placed; v++) {
        if (!a->visible[v])
            continue;
        const struct term *now = m->model->variables[v]->term;
        const struct term *value = smt_model_value(smt, next ? monolith_next(m, now) : now);
        good = value != NULL && term_is_literal(value);
        if (good)
            VECTOR_PUSH(&parts, term_eq(m->store, now, value));
    }
    const struct term *none = chart_no_event(a);
    if (none != NULL && placed && good) {
        const struct term *value = smt_model_value(smt, next ? monolith_next(m, none) : none);
        good = value != NULL;
        if (good)
            VECTOR_PUSH(&parts, term_is_true(value) ? none : term_not(m->store, none));
    }
    if (placed && good)
        node.formula = term_and(m->store, parts.data, parts.count);
    else
        workspace_end(&a->workspace, END_UNKNOWN, "the solver's model could not be read");
    VECTOR_FINISH(&parts);
    return node;
}

// Asks; false: no more, or the attempt is over.
static bool ask(struct chart_attempt *a, struct smt *smt, const struct term *const *assumed,
                size_t count)
{
    if (!workspace_step(&a->workspace, 1))
        return false;
    enum smt_result result = smt_check_assuming(smt, assumed, count);
    if (result == SMT_UNKNOWN && workspace_tolerate(&a->workspace, smt))
        workspace_end(&a->workspace, END_UNKNOWN, "the solver could not decide a step");
    return result == SMT_SAT;
}

static bool over(const struct chart_attempt *a)
{
    return a->workspace.reason != END_NONE;
}

// A Boolean variable of the solver's.
static const struct term *helper(struct chart_attempt *a, const char *name, size_t number)
{
    struct term_store *store = a->workspace.store;
    return term_var_copy(store, term_var(store, name, sort_bool(store)), (uint32_t)number);
}

static const struct term *elsewhere(struct chart_attempt *a, size_t number, bool next)
{
    struct monolith *m = &a->monolith;
    const struct term *formula = a->found.data[number].formula;
    return term_not(m->store, next ? monolith_next(m, formula) : formula);
}

// All configurations that the solver's assertions and the assumption allow: now, or after the parent's step. The assertions keep
// those out that were found before. Assumptions leave what the solver has learned as it is, which levels do not.
static void enumerate(struct chart_attempt *a, struct smt *smt, const struct term *assumed,
                      uint32_t parent)
{
    bool next = parent != CONFIGURATION_NONE;
    while (ask(a, smt, &assumed, assumed != NULL)) {
        struct configuration_node node = read_model(a, smt, next, parent);
        if (node.formula == NULL)
            return;
        keep(a, node);
        smt_assert(smt, elsewhere(a, a->found.count - 1, next));
    }
}

static bool leads_to_error(struct chart_attempt *a, struct smt *smt, uint32_t number)
{
    assert(number < a->found.count);
    const struct model *model = a->workspace.model;
    const struct location *at = model->locations[a->found.data[number].location];
    bool may = false;
    for (uint32_t e = 0; e < at->out_count; e++)
        may |= at->out[e]->target == model->error;
    if (!may)
        return false;
    smt_push(smt);
    smt_assert(smt, a->found.data[number].formula);
    bool bad = ask(a, smt, NULL, 0);
    smt_pop(smt, 1);
    return bad;
}

// OAO
static void one_at_a_time(struct chart_attempt *a, struct smt *steps, struct smt *errors,
                          uint32_t *bad)
{
    struct term_store *store = a->workspace.store;
    for (size_t i = 0; i < a->found.count; i++)
        smt_assert(steps, elsewhere(a, i, true));
    for (uint32_t i = 0; i < a->found.count && !over(a); i++) {
        if (leads_to_error(a, errors, i)) {
            *bad = i;
            return;
        }
        if (over(a))
            return;
        const struct term *here = helper(a, "!here", i);
        smt_assert(steps, term_implies(store, here, a->found.data[i].formula));
        enumerate(a, steps, here, i);
        smt_assert(steps, term_not(store, here));
    }
}

// Which of those found the step begins in; CONFIGURATION_NONE: none, and the attempt is over.
static uint32_t origin(struct chart_attempt *a, struct smt *smt)
{
    struct configuration_node node = read_model(a, smt, false, CONFIGURATION_NONE);
    if (node.formula == NULL)
        return CONFIGURATION_NONE;
    uint32_t found = *slot(a, node.formula);
    // Whoever goes on without it takes what was found for all that there is.
    if (found == CONFIGURATION_NONE)
        workspace_end(&a->workspace, END_INTERNAL, "the solver's step begins nowhere");
    return found;
}

static const struct term *link(struct chart_attempt *a, size_t number)
{
    return helper(a, "!from", number);
}

// Tells the solver of configurations from number `first` on: the step goes to none of them, and link number N means that
// it begins in number N or a later one.
static void tell(struct chart_attempt *a, struct smt *smt, size_t first)
{
    struct term_store *store = a->workspace.store;
    for (size_t i = first; i < a->found.count; i++) {
        const struct term *from = term_or2(store, a->found.data[i].formula, link(a, i + 1));
        smt_assert(smt, term_implies(store, link(a, i), from));
        smt_assert(smt, elsewhere(a, i, true));
    }
}

// MON and MOP: from any of those found to one that is not.
static void all_at_a_time(struct chart_attempt *a, struct smt_context *context, bool anew,
                          struct smt *errors, uint32_t *bad)
{
    struct smt *smt = NULL;
    size_t checked = 0, told = 0;
    while (!over(a)) {
        for (; checked < a->found.count; checked++) {
            if (leads_to_error(a, errors, (uint32_t)checked)) {
                *bad = (uint32_t)checked;
                break;
            }
        }
        if (*bad != CONFIGURATION_NONE || over(a))
            break;
        if (smt == NULL || anew) {
            smt_destroy(smt);
            smt = smt_create(context);
            smt_assert(smt, a->monolith.transition);
            told = 0;
        }
        tell(a, smt, told);
        told = a->found.count;
        const struct term *from[] = {link(a, 0), term_not(a->workspace.store, link(a, told))};
        bool more = ask(a, smt, from, 2);
        uint32_t parent = more ? origin(a, smt) : CONFIGURATION_NONE;
        struct configuration_node node = {0};
        if (more && parent != CONFIGURATION_NONE)
            node = read_model(a, smt, true, parent);
        if (node.formula == NULL)
            break;
        assert(*slot(a, node.formula) == CONFIGURATION_NONE && "the solver was told of it");
        keep(a, node);
    }
    smt_destroy(smt);
}

enum explored chart_explore_abstract(struct chart_attempt *a, uint32_t *bad)
{
    struct smt_context *context = workspace_solver(&a->workspace);
    if (context == NULL)
        return EXPLORED_STOPPED;
    struct monolith *m = &a->monolith;
    *bad = CONFIGURATION_NONE;
    a->found.count = 0;
    if (a->slot_count > 0)
        memset(a->slots, 0xff, a->slot_count * sizeof *a->slots);
    struct smt *initial = smt_create(context), *errors = smt_create(context);
    smt_assert(initial, monolith_initial_now(m));
    enumerate(a, initial, NULL, CONFIGURATION_NONE);
    smt_destroy(initial);
    smt_assert(errors, m->bad);
    int64_t checker = workspace_option(&a->workspace, OPTION_CHECKER);
    if (checker == CHECKER_OAO) {
        struct smt *steps = smt_create(context);
        smt_assert(steps, m->transition);
        one_at_a_time(a, steps, errors, bad);
        smt_destroy(steps);
    } else {
        all_at_a_time(a, context, checker == CHECKER_MON, errors, bad);
    }
    smt_destroy(errors);
    a->last = a->found.count;
    a->largest = a->found.count > a->largest ? a->found.count : a->largest;
    ENSURE(*bad == CONFIGURATION_NONE || *bad < a->found.count);
    if (*bad != CONFIGURATION_NONE)
        return EXPLORED_BAD;
    return over(a) ? EXPLORED_STOPPED : EXPLORED_SAFE;
}
