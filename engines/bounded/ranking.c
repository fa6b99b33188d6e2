#include "engines/bounded/ranking.h"

#include <assert.h>
#include <stdio.h>

#include "base/components.h"
#include "base/memory.h"
#include "engines/bounded/candidates.h"
#include "engines/bounded/measures.h"
#include "logic/smt/quotients.h"

#define MOST_PLACES 12    // of a tuple
#define MOST_CHECKS 20000 // of one component
#define MOST_HINTS 600

struct measure {
    struct measure_form form;
    const struct term *kept; // its value in what was kept
    uint32_t place;          // in the tuple, from 1; 0: no part of it
    bool failed;             // some passage makes it greater
    // Boolean variables: it stays as it is, it does not, it gets greater.
    const struct term *same, *other, *more;
};

enum change { CHANGE_NONE, CHANGE_ANY, CHANGE_MORE };

// An edge that leads into the component (its measures begin with what was kept), inside of it, or to the error.
struct passage {
    const struct edge *edge;
    bool enters, fails;
    struct smt *smt; // where the known holds, the edge is taken
    bool *told;      // per measure: `same` and `more` mean something
    bool remains;    // it can be taken with all measures of the tuple staying the same
};

struct hints {
    struct precision_item *data; // a VECTOR
    size_t count, capacity;
};

struct ranking {
    struct monolith *m;
    const struct term *const *known; // per location, or NULL
    struct returning part;
    VECTOR(struct measure) measures;
    VECTOR(struct passage) passages;
    uint32_t places; // of the tuple
    bool *reached;   // per location: with all measures still the same
    uint64_t checks;
    struct term_vector assumptions;
};

// Passages.

static bool is_inside(const struct ranking *r, const struct location *location)
{
    return r->part.component[location->index] == r->part.number;
}

static bool add_passages(struct ranking *r)
{
    const struct model *model = r->m->model;
    struct smt_context *context = workspace_solver(r->m->workspace);
    for (uint32_t e = 0; context != NULL && e < model->edge_count; e++) {
        const struct edge *edge = model->edges[e];
        struct passage p = {.edge = edge,
                            .enters = !is_inside(r, edge->source),
                            .fails = edge->target == model->error};
        if (!is_inside(r, edge->target) && (p.enters || !p.fails))
            continue;
        p.smt = smt_create(context);
        smt_assert(p.smt, r->m->steps[e].formula);
        smt_assert(p.smt, quotients_facts(r->m->store, r->m->steps[e].formula));
        if (r->known != NULL)
            smt_assert(p.smt, r->known[edge->source->index]);
        VECTOR_PUSH(&r->passages, p);
    }
    return context != NULL;
}

static const struct term *after(const struct ranking *r, const struct passage *p,
                                const struct term *t)
{
    return encoder_shift(r->m->workspace->encoder, t, r->m->steps[p->edge->id].after);
}

static const struct term *value_before(const struct ranking *r, const struct passage *p,
                                       const struct measure *measure)
{
    return p->enters ? after(r, p, measure->kept) : measure->form.value;
}

static const struct term *gets_more(const struct ranking *r, const struct passage *p,
                                    const struct measure *measure)
{
    return measures_less(r->m->store, &measure->form, value_before(r, p, measure),
                         after(r, p, measure->form.value));
}

static bool stays(const struct ranking *r, const struct passage *p, const struct measure *measure)
{
    return value_before(r, p, measure) == after(r, p, measure->form.value);
}

static void tell(struct ranking *r, struct passage *p, size_t i)
{
    struct term_store *store = r->m->store;
    const struct measure *k = &r->measures.data[i];
    if (p->told[i])
        return;
    p->told[i] = true;
    const struct term *same = term_eq(store, value_before(r, p, k), after(r, p, k->form.value));
    smt_assert(p->smt, term_implies(store, k->same, same));
    smt_assert(p->smt, term_implies(store, k->other, term_not(store, same)));
    smt_assert(p->smt, term_implies(store, k->more, gets_more(r, p, k)));
}

// Can it be taken, with the measures of the tuple before the place as they are, and this one (or NULL) changing?
static enum smt_result ask(struct ranking *r, struct passage *p, uint32_t place,
                           const struct measure *changes, enum change change)
{
    VECTOR_CLEAR(&r->assumptions);
    for (size_t i = 0; i < r->measures.count; i++) {
        const struct measure *k = &r->measures.data[i];
        if (k != changes && (k->place == 0 || k->place >= place))
            continue;
        tell(r, p, i);
        VECTOR_PUSH(&r->assumptions, k != changes            ? k->same
                                     : change == CHANGE_MORE ? k->more
                                                             : k->other);
    }
    r->checks++;
    return smt_check_assuming(p->smt, r->assumptions.data, r->assumptions.count);
}

static bool keeps_ranking(const struct ranking *r)
{
    return workspace_step(r->m->workspace, 1) && r->checks < MOST_CHECKS;
}

// The tuple.

static const struct term *flag(struct ranking *r, const char *name, size_t number)
{
    char text[32];
    snprintf(text, sizeof text, "!%s.%zu", name, number);
    return term_var(r->m->store, text, sort_bool(r->m->store));
}

static void add_measures(struct ranking *r, const struct measure_forms *forms)
{
    size_t first = r->measures.count;
    for (size_t i = first; i < forms->count; i++) {
        struct measure measure = {.form = forms->data[i],
                                  .kept = measures_kept(&r->part, forms->data[i].value),
                                  .same = flag(r, "same", i),
                                  .other = flag(r, "other", i),
                                  .more = flag(r, "more", i)};
        VECTOR_PUSH(&r->measures, measure);
    }
    for (size_t p = 0; p < r->passages.count; p++) {
        bool *told = memory_zalloc(r->measures.count + 1);
        for (size_t i = 0; i < first; i++)
            told[i] = r->passages.data[p].told[i];
        memory_free(r->passages.data[p].told);
        r->passages.data[p].told = told;
    }
}

// All that get greater in the solver's model.
static void fail_all(struct ranking *r, struct passage *p)
{
    for (size_t i = 0; i < r->measures.count; i++) {
        struct measure *k = &r->measures.data[i];
        if (k->place > 0 || k->failed)
            continue;
        const struct term *more = gets_more(r, p, k);
        const struct term *value = term_is_literal(more) ? more : smt_model_value(p->smt, more);
        k->failed = value == NULL || !term_is_false(value);
    }
}

// Does no passage make it greater?
static bool never_more(struct ranking *r, struct measure *k)
{
    for (size_t i = 0; i < r->passages.count && !k->failed; i++) {
        struct passage *p = &r->passages.data[i];
        if (stays(r, p, k))
            continue;
        enum smt_result result = ask(r, p, r->places + 1, k, CHANGE_MORE);
        if (result == SMT_SAT)
            fail_all(r, p);
        k->failed = result != SMT_UNSAT;
        if (!keeps_ranking(r))
            return false;
    }
    return !k->failed;
}

// Does some passage make it smaller, which it never makes greater?
static bool gets_less(struct ranking *r, const struct measure *k)
{
    for (size_t i = 0; i < r->passages.count && keeps_ranking(r); i++) {
        struct passage *p = &r->passages.data[i];
        if (!p->enters && !stays(r, p, k) && ask(r, p, r->places + 1, k, CHANGE_ANY) == SMT_SAT)
            return true;
    }
    return false;
}

// Which passages remain, and what is reached by them. True: the error is not.
static bool is_settled(struct ranking *r)
{
    bool settled = true;
    for (size_t i = 0; i < r->passages.count; i++) {
        struct passage *p = &r->passages.data[i];
        p->remains = ask(r, p, r->places + 1, NULL, CHANGE_NONE) != SMT_UNSAT;
        if (!keeps_ranking(r))
            return false;
    }
    for (uint32_t l = 0; l < r->m->model->location_count; l++)
        r->reached[l] = false;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < r->passages.count; i++) {
            const struct passage *p = &r->passages.data[i];
            bool comes = p->remains && (p->enters || r->reached[p->edge->source->index]);
            if (comes && p->fails)
                settled = false;
            if (!comes || p->fails || r->reached[p->edge->target->index])
                continue;
            r->reached[p->edge->target->index] = changed = true;
        }
    }
    return settled;
}

// Appends what no passage makes greater where the tuple so far stays the same, and some make smaller, until the error
// is not reached. False: not so.
static bool climb(struct ranking *r)
{
    for (bool grows = true; grows;) {
        grows = false;
        for (size_t i = 0; i < r->measures.count; i++)
            r->measures.data[i].failed = false;
        for (size_t i = 0; i < r->measures.count && r->places < MOST_PLACES; i++) {
            struct measure *k = &r->measures.data[i];
            if (k->place > 0 || k->failed || !never_more(r, k) || !gets_less(r, k))
                continue;
            k->place = ++r->places;
            grows = true;
            if (is_settled(r))
                return true;
        }
        if (!keeps_ranking(r))
            return false;
    }
    return false;
}

static bool find_tuple(struct ranking *r, struct measure_forms *forms)
{
    measures_guess(&r->part, forms);
    add_measures(r, forms);
    if (climb(r))
        return true;
    if (!keeps_ranking(r))
        return false;
    measures_guess_phases(&r->part, forms);
    add_measures(r, forms);
    if (climb(r))
        return true;
    if (!keeps_ranking(r))
        return false;
    measures_guess_distances(&r->part, forms);
    add_measures(r, forms);
    return climb(r);
}

// The place may be empty.
static struct measure *at_place(struct ranking *r, uint32_t place)
{
    for (size_t i = 0; i < r->measures.count; i++)
        if (r->measures.data[i].place == place)
            return &r->measures.data[i];
    return NULL;
}

// Does none of the tuple get greater where those before it stay the same?
static bool is_tuple(struct ranking *r)
{
    for (uint32_t place = 1; place <= r->places; place++) {
        const struct measure *k = at_place(r, place);
        for (size_t i = 0; k != NULL && i < r->passages.count; i++) {
            struct passage *p = &r->passages.data[i];
            if (stays(r, p, k))
                continue;
            if (ask(r, p, place, k, CHANGE_MORE) != SMT_UNSAT || !keeps_ranking(r))
                return false;
        }
    }
    return true;
}

// Leaves out what can be left out.
static void shrink(struct ranking *r)
{
    for (uint32_t place = 1; place < r->places && keeps_ranking(r); place++) {
        struct measure *k = at_place(r, place);
        k->place = 0;
        if (!is_settled(r) || !is_tuple(r))
            k->place = place;
    }
    is_settled(r);
}

// The tuple now is less than it was, or the same where nothing has got smaller yet.
static const struct term *compare(struct ranking *r, bool or_same)
{
    struct term_store *store = r->m->store;
    const struct term *out = term_bool(store, or_same);
    for (uint32_t place = r->places; place > 0; place--) {
        const struct measure *k = at_place(r, place);
        if (k == NULL)
            continue;
        const struct term *now = k->form.value;
        out = term_or2(store, measures_less(store, &k->form, now, k->kept),
                       term_and2(store, term_eq(store, now, k->kept), out));
    }
    return out;
}

// Each passage leads from where the facts hold to where they hold, none to the error.
static bool is_inductive(struct ranking *r, const struct term *const *facts)
{
    for (size_t i = 0; i < r->passages.count; i++) {
        struct passage *p = &r->passages.data[i];
        if (!p->enters)
            smt_assert(p->smt, facts[p->edge->source->index]);
        if (!p->fails)
            smt_assert(p->smt, term_not(r->m->store, after(r, p, facts[p->edge->target->index])));
        if (smt_check(p->smt) != SMT_UNSAT || !keeps_ranking(r))
            return false;
    }
    return true;
}

static void finish(struct ranking *r)
{
    for (size_t i = 0; i < r->passages.count; i++) {
        smt_destroy(r->passages.data[i].smt);
        memory_free(r->passages.data[i].told);
    }
    VECTOR_FINISH(&r->passages);
    VECTOR_FINISH(&r->measures);
    VECTOR_FINISH(&r->assumptions);
    memory_free(r->reached);
    returning_finish(&r->part);
}

// Adds to `out` what holds in the component, and keeps the error from being reached from there. False: its tuple is not found.
static bool rank(struct monolith *m, const uint32_t *component, uint32_t number,
                 const struct term **out, size_t *proved)
{
    const struct model *model = m->model;
    struct ranking r = {.m = m, .known = out};
    struct measure_forms forms = {0};
    const struct term **facts = memory_zalloc(model->location_count * sizeof(struct term *));
    r.reached = memory_zalloc(model->location_count);
    bool keeps = returning_init(&r.part, m, component, number), ranked = false;
    bool begins =
        component[model->initial->index] == number; // what it begins with is not looked at
    if (keeps)
        returning_find_atoms(&r.part);
    if (keeps && !begins && add_passages(&r) && find_tuple(&r, &forms)) {
        shrink(&r);
        for (uint32_t l = 0; l < model->location_count; l++)
            facts[l] = is_inside(&r, model->locations[l]) ? compare(&r, r.reached[l]) : NULL;
        ranked = is_inductive(&r, facts);
        for (uint32_t l = 0; l < model->location_count && ranked; l++) {
            if (facts[l] == NULL)
                continue;
            out[l] = term_and2(m->store, out[l], facts[l]);
            ++*proved;
        }
    }
    VECTOR_FINISH(&forms);
    memory_free(facts);
    finish(&r);
    return ranked;
}

static const struct term **everywhere_true(struct monolith *m, const struct term *const *known)
{
    const struct model *model = m->model;
    const struct term **out = memory_alloc(model->location_count * sizeof(struct term *));
    for (uint32_t l = 0; l < model->location_count; l++)
        out[l] = known != NULL                         ? known[l]
                 : model->locations[l] == model->error ? term_false(m->store)
                                                       : term_true(m->store);
    return out;
}

enum { HAS_CYCLE = 1, LEADS_TO_ERROR = 2 };

// Per component, from 1.
static uint8_t *describe(const struct model *model, const struct components *components)
{
    uint8_t *out = memory_zalloc(components->count + 1);
    for (uint32_t e = 0; e < model->edge_count; e++) {
        const struct edge *edge = model->edges[e];
        uint32_t c = components->of[edge->source->index];
        if (components->of[edge->target->index] == c)
            out[c] |= HAS_CYCLE;
        if (edge->target == model->error)
            out[c] |= LEADS_TO_ERROR;
    }
    return out;
}

static bool something_is_kept(struct monolith *m, const struct components *components,
                              const uint8_t *kinds)
{
    bool any = false;
    for (uint32_t c = 1; c <= components->count && !any; c++) {
        struct returning part;
        if (kinds[c] != (HAS_CYCLE | LEADS_TO_ERROR))
            continue;
        any = returning_init(&part, m, components->of, c);
        returning_finish(&part);
    }
    return any;
}

static void add_hints(struct monolith *m, const struct components *components, uint32_t c,
                      const struct term_vector *facts, struct hints *out)
{
    for (size_t f = 0; f < facts->count; f++)
        for (uint32_t i = components->begin[c - 1]; i < components->begin[c]; i++) {
            struct precision_item item = {.predicate = facts->data[f],
                                          .location = m->model->locations[components->members[i]]};
            if (out->count < MOST_HINTS)
                VECTOR_PUSH(out, item);
        }
}

// What is compared anywhere, as facts of the locations on cycles. False: nothing is kept, and nothing was looked at.
static bool find_hints(struct monolith *m, const struct components *components, struct hints *out)
{
    struct term_vector facts = {0};
    uint8_t *kinds = describe(m->model, components);
    bool any = something_is_kept(m, components, kinds);
    for (uint32_t c = 1; c <= components->count && any; c++) {
        struct returning part;
        returning_init(&part, m, components->of, c);
        returning_find_atoms(&part);
        measures_support(&part, &facts);
        returning_finish(&part);
    }
    for (uint32_t c = 1; c <= components->count && any; c++)
        if (kinds[c] & HAS_CYCLE)
            add_hints(m, components, c, &facts, out);
    memory_free(kinds);
    VECTOR_FINISH(&facts);
    return any;
}

// The known, and what of the guards is inductive with it.
static const struct term **support(struct monolith *m, const struct term *const *known,
                                   const struct hints *hints, size_t *proved)
{
    size_t found;
    const struct term **out = candidates_prove(m, false, hints->data, hints->count, known, &found);
    if (out == NULL)
        return everywhere_true(m, known);
    *proved = found;
    return out;
}

const struct term **ranking_prove(struct monolith *m, const struct term *const *known,
                                  size_t *proved, bool *safe)
{
    const struct model *model = m->model;
    struct components components;
    struct hints hints = {0};
    const struct term **out = NULL;
    model_components(model, &components);
    if (find_hints(m, &components, &hints))
        out = support(m, known, &hints, proved);
    bool *ranked = memory_zalloc(components.count + 1);
    for (uint32_t c = 1; out != NULL && c <= components.count; c++)
        ranked[c] = workspace_step(m->workspace, 0) && rank(m, components.of, c, out, proved);
    *safe = out != NULL;
    for (uint32_t e = 0; e < model->edge_count; e++)
        *safe = *safe && (model->edges[e]->target != model->error ||
                          ranked[components.of[model->edges[e]->source->index]]);
    memory_free(ranked);
    components_finish(&components);
    VECTOR_FINISH(&hints);
    return out;
}
