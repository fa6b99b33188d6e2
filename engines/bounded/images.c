#include "engines/bounded/images.h"

#include <assert.h>

#include "base/memory.h"

enum answer { ANSWER_NO, ANSWER_MAYBE, ANSWER_STOPPED };

// Can both hold?
static enum answer together(struct images *i, const struct term *a, const struct term *b)
{
    struct workspace *ws = &i->bounded->workspace;
    struct smt *smt = smt_create(workspace_solver(ws));
    smt_assert(smt, a);
    smt_assert(smt, b);
    enum smt_result result = smt_check(smt);
    bool going = result != SMT_UNKNOWN || workspace_tolerate(ws, smt);
    smt_destroy(smt);
    if (!workspace_step(ws, 1) || !going)
        return ANSWER_STOPPED;
    return result == SMT_UNSAT ? ANSWER_NO : ANSWER_MAYBE;
}

// What the monolith says of a step, which grows when an abstract view is refined, from a state with `aux`.
static const struct term *placed(struct images *i, const struct term *formula, uint32_t step)
{
    struct monolith *m = &i->bounded->monolith;
    return monolith_at_step(m, term_and2(m->store, i->known, formula), step);
}

static const struct term *step_at(struct images *i, uint32_t step)
{
    return placed(i, i->bounded->monolith.transition, step);
}

static const struct term *error_at(struct images *i, uint32_t step)
{
    return placed(i, i->bounded->monolith.bad, step);
}

// The error edge is taken in one of the steps first, …, last, after steps that lead elsewhere.
static const struct term *error_in(struct images *i, uint32_t first, uint32_t last)
{
    assert(first > 0 && first <= last);
    struct monolith *m = &i->bounded->monolith;
    const struct term *all = error_at(i, last);
    for (uint32_t step = last; step-- > first;) {
        const struct term *further = term_and2(m->store, step_at(i, step), all);
        all = term_or2(m->store, error_at(i, step), further);
    }
    return all;
}

static bool is_plain(const struct monolith *m, const struct term *variable)
{
    for (uint32_t p = 0; p < m->pc_count; p++)
        if (m->pc[p] == variable)
            return true;
    const struct variable *v = model_variable_of(m->model, variable);
    return v != NULL && v->term == variable && m->state[v->index];
}

static const struct term *initial_states(struct images *i)
{
    struct monolith *m = &i->bounded->monolith;
    const struct term *formula = monolith_initial_now(m), *out = NULL;
    struct term_vector all = {0}, inner = {0};
    rewrite_free_variables(formula, &all);
    for (size_t v = 0; v < all.count; v++)
        if (!is_plain(m, all.data[v]))
            VECTOR_PUSH(&inner, all.data[v]);
    out = term_quantifier(m->store, TERM_EXISTS, inner.data, inner.count, formula);
    if (out->flags & TERM_HAS_QUANTIFIER)
        out = smt_eliminate(workspace_solver(&i->bounded->workspace), out);
    VECTOR_FINISH(&all);
    VECTOR_FINISH(&inner);
    return out != NULL && !(out->flags & TERM_HAS_QUANTIFIER) &&
                   together(i, formula, term_not(m->store, out)) == ANSWER_NO
               ? out
               : NULL;
}

void images_init(struct images *i, struct bounded *bounded, const struct term *const *aux)
{
    struct monolith *m = &bounded->monolith;
    *i = (struct images){
        .bounded = bounded,
        .aux = aux,
        .known = aux != NULL ? monolith_everywhere(m, aux) : term_true(m->store),
    };
    interpolants_init(&i->interpolants, m);
    // What is seen of the initial states is no formula without quantifiers.
    if (!m->abstract)
        i->start = initial_states(i);
    assert(i->start == NULL || !(i->start->flags & TERM_HAS_QUANTIFIER));
}

void images_finish(struct images *i)
{
    interpolants_finish(&i->interpolants);
}

// States that contain the initial ones and from which the error is more than `depth` steps away. NULL: none
// could be had, or the attempt ends.
static const struct term *begin(struct images *i, uint32_t depth)
{
    struct monolith *m = &i->bounded->monolith;
    const struct term *error = error_in(i, 1, depth);
    if (i->start != NULL) {
        switch (together(i, monolith_at_state(m, i->start, 0), error)) {
        case ANSWER_NO:
            return i->start;
        case ANSWER_MAYBE:
            break;
        case ANSWER_STOPPED:
            return NULL;
        }
    }
    return interpolants_find(&i->interpolants, m->initial, error, 0, depth);
}

static const struct term **per_location(struct images *i, const struct term *reached)
{
    assert(reached->sort->kind == SORT_BOOL);
    struct monolith *m = &i->bounded->monolith;
    uint32_t count = m->model->location_count;
    const struct term **invariant = memory_alloc(count * sizeof *invariant);
    for (uint32_t l = 0; l < count; l++) {
        invariant[l] = monolith_at_location(m, reached, m->model->locations[l]);
        if (i->aux != NULL)
            invariant[l] = term_and2(m->store, invariant[l], i->aux[l]);
    }
    return invariant;
}

// Tells of one more image, and hears whether to go on.
static bool report(struct images *i)
{
    struct workspace *ws = &i->bounded->workspace;
    i->found++;
    // An abstract view's precision is what it tracks.
    const struct monolith *m = &i->bounded->monolith;
    uint64_t size = m->abstract ? m->tracked.count : i->found;
    atomic_store_explicit(&ws->progress->precision, size, memory_order_relaxed);
    struct engine_event event = {.kind = EVENT_SAMPLE,
                                 .iteration = (uint64_t)i->bounded->base.length + 1,
                                 .precision_size = size};
    workspace_tell(ws, &event);
    return workspace_step(ws, 0);
}

static enum images_answer cannot_interpolate(struct images *i)
{
    // Because there is an error after all?
    if (bounded_confirm(i->bounded, i->bounded->base.length + 1))
        workspace_end(&i->bounded->workspace, END_UNKNOWN,
                      "no interpolant of a step and the runs to the error could be found");
    return IMAGES_END;
}

enum images_answer images_look(struct images *i, uint32_t length, const struct term ***invariant)
{
    struct monolith *m = &i->bounded->monolith;
    if (length == 0)
        return IMAGES_LONGER;
    const struct term *last = begin(i, length + 1), *reached = last;
    if (last == NULL)
        return cannot_interpolate(i);
    const struct term *error = error_in(i, 2, length + 1);
    const struct term *step = step_at(i, 1);
    assert(length > 0);
    for (uint64_t image = 0; image < 8 * (uint64_t)length; image++) {
        const struct term *before = term_and2(m->store, monolith_at_state(m, last, 0), step);
        switch (together(i, before, error)) {
        case ANSWER_NO:
            break;
        case ANSWER_MAYBE:
            return IMAGES_LONGER;
        case ANSWER_STOPPED:
            return IMAGES_END;
        }
        last = interpolants_find(&i->interpolants, before, error, 1, length);
        if (last == NULL)
            return cannot_interpolate(i);
        const struct term *here = term_and2(m->store, last, monolith_some_location(m));
        switch (together(i, here, term_not(m->store, reached))) {
        case ANSWER_NO:
            *invariant = per_location(i, reached);
            return IMAGES_SAFE;
        case ANSWER_MAYBE:
            break;
        case ANSWER_STOPPED:
            return IMAGES_END;
        }
        reached = term_or2(m->store, reached, last);
        if (!report(i))
            return IMAGES_END;
    }
    return IMAGES_LONGER;
}

const struct term **images_exhaust(struct images *i, uint32_t length)
{
    struct monolith *m = &i->bounded->monolith;
    const struct term *last = NULL, *all = term_false(m->store);
    for (uint32_t k = 0; k < length; k++) {
        // Steps 1 … k are behind the state, which is state 0 for the first and state 1 of a step for others.
        uint32_t state = k > 0, left = length - k;
        const struct term *after = step_at(i, state + left);
        for (uint32_t step = state + left; step > state; step--) {
            if (step < state + left)
                after = term_and2(m->store, step_at(i, step), after);
            after = term_or2(m->store, error_at(i, step), after);
        }
        const struct term *before =
            k == 0 ? m->initial : term_and2(m->store, monolith_at_state(m, last, 0), step_at(i, 1));
        last = interpolants_find(&i->interpolants, before, after, state, left);
        if (last == NULL)
            return NULL;
        all = term_or2(m->store, all, last);
    }
    return per_location(i, all);
}

const struct term **images_prove(struct bounded *b, const struct term *const *aux)
{
    struct images images;
    const struct term **invariant = NULL;
    if (b->workspace.environment->invariant_unwanted)
        return NULL;
    images_init(&images, b, aux);
    enum images_answer answer = IMAGES_LONGER;
    for (uint32_t k = 1; answer == IMAGES_LONGER; k++)
        answer = images_look(&images, k, &invariant);
    assert((answer == IMAGES_SAFE) == (invariant != NULL));
    images_finish(&images);
    return answer == IMAGES_SAFE ? invariant : NULL;
}
