#include "base/memory.h"
#include "engines/bounded/bounded.h"
#include "engines/bounded/interpolant.h"

// Interpolation-based model checking (McMillan 2003). When no run of k steps or fewer gets to the error, the states
// after one more step are over-approximated by an interpolant against "the error is k steps away or nearer",
// and those after one step from there, and so on. When that adds nothing new, all these sets together are an
// inductive invariant. When one of them leads to the error, the runs grow by a step and all begins anew.
//
// The paper has finite models in mind, where the images of one k must come to an end. Here their
// number is limited too, by a limit that grows with k.

struct imc {
    struct bounded b;
    struct interpolants interpolants;
    const struct term
        *start; // the initial states, over current copies; NULL when not known without quantifiers
    uint64_t images; // interpolants found
};

enum answer { ANSWER_NO, ANSWER_MAYBE, ANSWER_STOPPED };

// Can both hold?
static enum answer together(struct imc *i, const struct term *a, const struct term *b)
{
    struct workspace *ws = &i->b.workspace;
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

// The error edge is taken in one of the steps first, …, last, after steps that lead elsewhere.
static const struct term *error_in(struct imc *i, uint32_t first, uint32_t last)
{
    struct monolith *m = &i->b.monolith;
    const struct term *all = monolith_at_step(m, m->bad, last);
    for (uint32_t step = last; step-- > first;) {
        const struct term *further =
            term_and2(m->store, monolith_at_step(m, m->transition, step), all);
        all = term_or2(m->store, monolith_at_step(m, m->bad, step), further);
    }
    return all;
}

static bool is_plain(const struct monolith *m, const struct term *variable)
{
    for (uint32_t p = 0; p < m->pc_count; p++)
        if (m->pc[p] == variable)
            return true;
    const struct variable *v = model_variable_of(m->model, variable);
    return v && v->term == variable && m->state[v->index];
}

static const struct term *initial_states(struct imc *i)
{
    struct monolith *m = &i->b.monolith;
    const struct term *formula = monolith_initial_now(m), *out = NULL;
    struct term_vector all = {0}, inner = {0};
    rewrite_free_variables(formula, &all);
    for (size_t v = 0; v < all.count; v++)
        if (!is_plain(m, all.data[v]))
            VECTOR_PUSH(&inner, all.data[v]);
    out = term_quantifier(m->store, TERM_EXISTS, inner.data, inner.count, formula);
    if (out->flags & TERM_HAS_QUANTIFIER)
        out = smt_eliminate(workspace_solver(&i->b.workspace), out);
    VECTOR_FINISH(&all);
    VECTOR_FINISH(&inner);
    return out && !(out->flags & TERM_HAS_QUANTIFIER) &&
                   together(i, formula, term_not(m->store, out)) == ANSWER_NO
               ? out
               : NULL;
}

// States that contain the initial ones and from which the error is more than `depth` steps away. NULL: none
// could be had, or the attempt ends.
static const struct term *begin(struct imc *i, uint32_t depth)
{
    struct monolith *m = &i->b.monolith;
    const struct term *error = error_in(i, 1, depth);
    if (i->start) {
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

static void safe(struct imc *i, const struct term *reached)
{
    struct monolith *m = &i->b.monolith;
    uint32_t count = m->model->location_count;
    const struct term **invariant = memory_alloc(count * sizeof *invariant);
    for (uint32_t l = 0; l < count; l++)
        invariant[l] = monolith_at_location(m, reached, m->model->locations[l]);
    bounded_safe(&i->b, invariant);
}

// Tells of one more image, and hears whether to go on.
static bool report(struct imc *i)
{
    const struct engine_environment *environment = i->b.workspace.environment;
    i->images++;
    atomic_store_explicit(&i->b.workspace.progress->precision, i->images, memory_order_relaxed);
    struct engine_event event = {.kind = EVENT_SAMPLE,
                                 .iteration = (uint64_t)i->b.base.length + 1,
                                 .precision_size = i->images};
    struct advice advice = {.kind = ADVICE_GO_ON};
    if (environment->observe)
        advice = environment->observe(environment->observer, &event);
    if (advice.kind == ADVICE_STOP)
        workspace_end(&i->b.workspace, advice.reason, advice.why);
    return workspace_step(&i->b.workspace, 0);
}

static bool cannot_interpolate(struct imc *i)
{
    workspace_end(&i->b.workspace, END_UNKNOWN,
                  "no interpolant of a step and the runs to the error could be found");
    return false;
}

// No run with `length` steps or fewer ends badly. Images until nothing is new, or an error comes into reach. False: the
// attempt is over.
static bool look_for_fixpoint(struct imc *i)
{
    struct monolith *m = &i->b.monolith;
    uint32_t length = i->b.base.length;
    if (length == 0)
        return true;
    const struct term *last = begin(i, length + 1), *reached = last;
    if (!last)
        return cannot_interpolate(i);
    const struct term *error = error_in(i, 2, length + 1);
    const struct term *step = monolith_at_step(m, m->transition, 1);
    for (uint64_t image = 0; image < 8 * (uint64_t)length; image++) {
        const struct term *before = term_and2(m->store, monolith_at_state(m, last, 0), step);
        switch (together(i, before, error)) {
        case ANSWER_NO:
            break;
        case ANSWER_MAYBE:
            return true;
        case ANSWER_STOPPED:
            return false;
        }
        last = interpolants_find(&i->interpolants, before, error, 1, length);
        if (!last)
            return cannot_interpolate(i);
        const struct term *here = term_and2(m->store, last, monolith_some_location(m));
        switch (together(i, here, term_not(m->store, reached))) {
        case ANSWER_NO:
            safe(i, reached);
            return false;
        case ANSWER_MAYBE:
            break;
        case ANSWER_STOPPED:
            return false;
        }
        reached = term_or2(m->store, reached, last);
        if (!report(i))
            return false;
    }
    return true;
}

// There is no run of as many steps as the base has. After each number of steps, the states from where what is left
// of such a run cannot be run, nor an error be reached on the way; the last of them is none.
static const struct term *exhaust(struct imc *i)
{
    struct monolith *m = &i->b.monolith;
    uint32_t length = i->b.base.length;
    const struct term *last = NULL, *all = term_false(m->store);
    for (uint32_t k = 0; k < length; k++) {
        // Steps 1 … k are behind the state, which is state 0 for the first and state 1 of a step for others.
        uint32_t state = k > 0, left = length - k;
        const struct term *after = monolith_at_step(m, m->transition, state + left);
        for (uint32_t step = state + left; step > state; step--) {
            if (step < state + left)
                after = term_and2(m->store, monolith_at_step(m, m->transition, step), after);
            after = term_or2(m->store, monolith_at_step(m, m->bad, step), after);
        }
        const struct term *before = k == 0 ? m->initial
                                           : term_and2(m->store, monolith_at_state(m, last, 0),
                                                       monolith_at_step(m, m->transition, 1));
        last = interpolants_find(&i->interpolants, before, after, state, left);
        if (!last)
            return NULL;
        all = term_or2(m->store, all, last);
    }
    return all;
}

// Where the bounded engines have a proof without invariant, interpolants may give one. False: the attempt is over.
static bool extend(struct imc *i)
{
    if (bounded_extend_base(&i->b))
        return true;
    if (i->b.result.verdict == VERDICT_SAFE && !i->b.result.invariant) {
        const struct term *reached = exhaust(i);
        if (reached)
            safe(i, reached);
    }
    return false;
}

static struct engine_result run(const struct engine_environment *environment)
{
    struct imc i = {0};
    if (bounded_init(&i.b, environment, true)) {
        interpolants_init(&i.interpolants, &i.b.monolith);
        i.start = initial_states(&i);
        while (bounded_round(&i.b) && bounded_check_base(&i.b) && look_for_fixpoint(&i) &&
               extend(&i))
            continue;
    }
    interpolants_describe(&i.interpolants, i.b.result.notes, sizeof i.b.result.notes);
    return bounded_finish(&i.b);
}

const struct engine engine_imc = {
    .name = "imc",
    .description =
        "interpolation: images of the initial states over-approximated until nothing is new",
    .preparation = bounded_preparation,
    .run = run,
};
