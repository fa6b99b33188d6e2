#include "engines/bounded/settle.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engines/bounded/questions.h"
#include "logic/smt/quotients.h"

#define MOST_SHRINKING 40 // checks

struct settling {
    struct monolith *m;
    const struct located_fact *const *facts;
    size_t count;
    const struct term *const *known;
    uint32_t *checks;
    bool *dropped;
    const struct term **held;  // by fact, a Boolean variable: it is assumed where the edge begins
    const struct term **fails; // likewise: implies that it does not hold where the edge ends
    bool *again;               // by edge: what is assumed there was dropped since it was asked
};

// A question about one edge, or about the initial action.
struct edge_question {
    const struct encoded_step *step;
    const struct location *source, *target; // source NULL: the initial action
    struct smt *smt;                        // NULL: it was not asked yet
    VECTOR(uint32_t) before, after;         // facts, those not dropped when it was first asked
    struct term_vector end;                 // what has to hold, of `after`
};

static const struct term *mark(struct settling *s, const char *name, size_t i)
{
    char text[32];
    snprintf(text, sizeof text, "!%s.%zu", name, i);
    return term_var(s->m->store, text, sort_bool(s->m->store));
}

static const struct term *at_end(struct settling *s, const struct edge_question *q,
                                 const struct term *formula)
{
    return encoder_shift(s->m->workspace->encoder, formula, q->step->after);
}

// What the edge does, and what is known already.
static const struct term *step_formula(struct settling *s, const struct edge_question *q)
{
    struct term_store *store = s->m->store;
    const struct term *step = q->step->formula;
    step = term_and2(store, step, quotients_facts(store, step));
    if (s->known != NULL && q->source != NULL)
        step = term_and2(store, step, s->known[q->source->index]);
    if (s->known != NULL && q->target != s->m->model->error)
        step = term_and2(store, step, at_end(s, q, s->known[q->target->index]));
    return step;
}

// False: there is no solver.
static bool begin(struct settling *s, struct edge_question *q)
{
    struct term_store *store = s->m->store;
    const struct term *step = step_formula(s, q);
    struct term_vector assumed = {0}, any = {0};
    VECTOR(const struct term **) asked = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->dropped[i])
            continue;
        if (q->source != NULL && s->facts[i]->location == q->source->index) {
            VECTOR_PUSH(&q->before, i);
            VECTOR_PUSH(&assumed, s->facts[i]->assumed);
        }
        if (s->facts[i]->location == q->target->index) {
            VECTOR_PUSH(&q->after, i);
            VECTOR_PUSH(&q->end, at_end(s, q, s->facts[i]->shown));
        }
    }
    VECTOR_PUSH(&asked, &step);
    for (size_t i = 0; i < assumed.count; i++)
        VECTOR_PUSH(&asked, &assumed.data[i]);
    for (size_t i = 0; i < q->end.count; i++)
        VECTOR_PUSH(&asked, &q->end.data[i]);
    struct smt_context *context = questions_solver(s->m, asked.data, asked.count, 1);
    q->smt = context != NULL ? smt_create(context) : NULL;
    for (size_t i = 0; i < assumed.count && q->smt != NULL; i++)
        smt_assert(q->smt, term_implies(store, s->held[q->before.data[i]], assumed.data[i]));
    for (size_t i = 0; i < q->end.count && q->smt != NULL; i++) {
        const struct term *fails = s->fails[q->after.data[i]];
        VECTOR_PUSH(&any, fails);
        smt_assert(q->smt, term_implies(store, fails, term_not(store, q->end.data[i])));
    }
    if (q->smt != NULL) {
        smt_assert(q->smt, step);
        if (any.count > 0)
            smt_assert(q->smt, term_or(store, any.data, any.count));
    }
    VECTOR_FINISH(&assumed);
    VECTOR_FINISH(&any);
    VECTOR_FINISH(&asked);
    return q->smt != NULL;
}

static void ask_again_from(struct settling *s, const struct location *location)
{
    for (uint32_t i = 0; i < location->out_count; i++)
        s->again[location->out[i]->id] = true;
}

// Drops those that fail in the solver's model. False when none did, as far as the solver tells.
static bool drop(struct settling *s, const struct edge_question *q)
{
    bool any = false;
    for (size_t i = 0; i < q->after.count; i++) {
        if (s->dropped[q->after.data[i]])
            continue;
        const struct term *value = smt_model_value(q->smt, q->end.data[i]);
        if (value != NULL && term_is_true(value))
            continue;
        s->dropped[q->after.data[i]] = any = true;
    }
    if (any)
        ask_again_from(s, q->target);
    return any;
}

static void assume_held(const struct settling *s, const struct edge_question *q,
                        struct term_vector *assumptions)
{
    VECTOR_CLEAR(assumptions);
    for (size_t i = 0; i < q->before.count; i++)
        if (!s->dropped[q->before.data[i]])
            VECTOR_PUSH(assumptions, s->held[q->before.data[i]]);
}

static bool count_check(struct settling *s)
{
    return workspace_step(s->m->workspace, 1) && (*s->checks)-- > 0;
}

// Where the solver gives up about all of them together: one by one, and those that it gives up about are dropped. False: the attempt has to end,
// or the checks were not enough.
static bool settle_singly(struct settling *s, struct edge_question *q)
{
    struct term_vector assumptions = {0};
    bool good = true, any = false;
    for (size_t i = 0; i < q->after.count && good; i++) {
        const uint32_t fact = q->after.data[i];
        if (s->dropped[fact])
            continue;
        assume_held(s, q, &assumptions);
        VECTOR_PUSH(&assumptions, s->fails[fact]);
        bool holds = smt_check_assuming(q->smt, assumptions.data, assumptions.count) == SMT_UNSAT;
        s->dropped[fact] = !holds;
        any = any || !holds;
        good = count_check(s);
    }
    if (any)
        ask_again_from(s, q->target);
    VECTOR_FINISH(&assumptions);
    return good;
}

// Until all that are left where it ends hold. False: as above.
static bool settle(struct settling *s, struct edge_question *q)
{
    struct term_vector assumptions = {0};
    bool good = q->smt != NULL || begin(s, q);
    while (good) {
        assume_held(s, q, &assumptions);
        for (size_t i = 0; i < q->after.count; i++)
            if (s->dropped[q->after.data[i]])
                VECTOR_PUSH(&assumptions, term_not(s->m->store, s->fails[q->after.data[i]]));
        enum smt_result result =
            q->after.count > 0 ? smt_check_assuming(q->smt, assumptions.data, assumptions.count)
                               : SMT_UNSAT;
        good = count_check(s);
        if (good && result == SMT_UNKNOWN)
            good = settle_singly(s, q);
        if (result != SMT_SAT || (good && !drop(s, q)))
            break;
    }
    VECTOR_FINISH(&assumptions);
    return good;
}

static void finish(struct edge_question *q)
{
    smt_destroy(q->smt);
    VECTOR_FINISH(&q->before);
    VECTOR_FINISH(&q->after);
    VECTOR_FINISH(&q->end);
}

static struct edge_question *create_questions(struct settling *s)
{
    const struct model *model = s->m->model;
    struct edge_question *questions = memory_zalloc((model->edge_count + 1) * sizeof *questions);
    for (uint32_t e = 0; e < model->edge_count; e++)
        questions[e] = (struct edge_question){.step = &s->m->steps[e],
                                              .source = model->edges[e]->source,
                                              .target = model->edges[e]->target};
    return questions;
}

static void destroy_questions(const struct settling *s, struct edge_question *questions)
{
    for (uint32_t e = 0; e < s->m->model->edge_count; e++)
        finish(&questions[e]);
    memory_free(questions);
}

static bool settle_edges(struct settling *s)
{
    const struct model *model = s->m->model;
    struct edge_question *questions = create_questions(s);
    bool good = true, any = true;
    for (uint32_t e = 0; e < model->edge_count; e++)
        s->again[e] = model->edges[e]->source != model->error;
    while (any && good) {
        any = false;
        for (uint32_t e = 0; e < model->edge_count && good; e++) {
            if (!s->again[e] || model->edges[e]->target == model->error)
                continue;
            any = true;
            s->again[e] = false;
            good = settle(s, &questions[e]);
        }
    }
    destroy_questions(s, questions);
    return good;
}

static void begin_settling(struct settling *s)
{
    s->held = memory_alloc((2 * s->count + 1) * sizeof *s->held);
    s->fails = s->held + s->count;
    s->again = memory_zalloc(s->m->model->edge_count + 1);
    for (size_t i = 0; i < s->count; i++) {
        s->held[i] = mark(s, "held", i);
        s->fails[i] = mark(s, "fails", i);
    }
}

static void finish_settling(struct settling *s)
{
    memory_free(s->held);
    memory_free(s->again);
}

bool settle_by_edges(struct monolith *m, const struct located_fact *const *facts, size_t count,
                     const struct term *const *known, uint32_t *checks, bool *dropped)
{
    struct settling s = {.m = m,
                         .facts = facts,
                         .count = count,
                         .known = known,
                         .checks = checks,
                         .dropped = dropped};
    begin_settling(&s);
    struct edge_question start = {.step = &m->start, .target = m->model->initial};
    bool good = m->model->initial == m->model->error || settle(&s, &start);
    finish(&start);
    good = good && settle_edges(&s);
    finish_settling(&s);
    return good;
}

// Whether these suffice; a core of them then.
static bool suffice(struct edge_question *q, const struct term_vector *assumptions,
                    struct term_vector *core)
{
    if (smt_check_assuming(q->smt, assumptions->data, assumptions->count) != SMT_UNSAT)
        return false;
    VECTOR_CLEAR(core);
    return smt_unsat_core(q->smt, core);
}

// Where few would do a solver may name many: one by one those about all elements, which checkers have most work with, are left out.
static void shrink_core(struct settling *s, struct edge_question *q, const bool *needed,
                        struct term_vector *core)
{
    struct term_vector fewer = {0}, next = {0};
    unsigned left = MOST_SHRINKING;
    for (size_t i = 0; i < q->before.count && left > 0; i++) {
        const uint32_t fact = q->before.data[i];
        if (needed[fact] || !(s->facts[fact]->fact->flags & TERM_HAS_QUANTIFIER) ||
            !term_vector_contains(core, s->held[fact]))
            continue;
        VECTOR_CLEAR(&fewer);
        for (size_t k = 0; k < core->count; k++)
            if (core->data[k] != s->held[fact])
                VECTOR_PUSH(&fewer, core->data[k]);
        left--;
        if (!suffice(q, &fewer, &next))
            continue;
        VECTOR_CLEAR(core);
        for (size_t k = 0; k < next.count; k++)
            VECTOR_PUSH(core, next.data[k]);
    }
    VECTOR_FINISH(&fewer);
    VECTOR_FINISH(&next);
}

// Facts that the edge needs, so that the error is not reached by it or the fact `shown` holds at its end, become needed: none if those that are
// by now suffice.
static bool add_needed(struct settling *s, struct edge_question *q, const struct term *fails,
                       bool *needed)
{
    struct term_vector assumptions = {0}, core = {0};
    bool good = q->smt != NULL || begin(s, q);
    for (int all = 0; all < 2 && good; all++) {
        VECTOR_CLEAR(&assumptions);
        for (size_t i = 0; i < q->before.count; i++)
            if (all || needed[q->before.data[i]])
                VECTOR_PUSH(&assumptions, s->held[q->before.data[i]]);
        if (fails != NULL)
            VECTOR_PUSH(&assumptions, fails);
        if (suffice(q, &assumptions, &core))
            break;
        good = all == 0 && workspace_step(s->m->workspace, 1);
    }
    if (good)
        shrink_core(s, q, needed, &core);
    good = good && workspace_step(s->m->workspace, 1);
    for (size_t i = 0; i < q->before.count && good; i++)
        for (size_t k = 0; k < core.count; k++)
            if (core.data[k] == s->held[q->before.data[i]])
                needed[q->before.data[i]] = true;
    VECTOR_FINISH(&assumptions);
    VECTOR_FINISH(&core);
    return good;
}

static bool find_needed(struct settling *s, struct edge_question *questions, bool *needed)
{
    const struct model *model = s->m->model;
    bool *done = memory_zalloc(s->count + 1), good = true;
    for (uint32_t e = 0; e < model->edge_count && good; e++)
        if (model->edges[e]->target == model->error && model->edges[e]->source != model->error)
            good = add_needed(s, &questions[e], NULL, needed);
    for (bool grown = true; grown && good;) {
        grown = false;
        for (size_t i = 0; i < s->count && good; i++) {
            if (!needed[i] || done[i])
                continue;
            done[i] = grown = true;
            for (uint32_t e = 0; e < model->edge_count && good; e++)
                if (model->edges[e]->target->index == s->facts[i]->location)
                    good = add_needed(s, &questions[e], s->fails[i], needed);
        }
    }
    memory_free(done);
    return good;
}

bool settle_needed(struct monolith *m, const struct located_fact *const *facts, size_t count,
                   const struct term *const *known, bool *held)
{
    bool *dropped = memory_alloc(count + 1), *needed = memory_zalloc(count + 1);
    struct settling s = {
        .m = m, .facts = facts, .count = count, .known = known, .dropped = dropped};
    for (size_t i = 0; i < count; i++)
        dropped[i] = !held[i];
    begin_settling(&s);
    struct edge_question *questions = create_questions(&s);
    bool good = find_needed(&s, questions, needed);
    destroy_questions(&s, questions);
    finish_settling(&s);
    if (good)
        memcpy(held, needed, count * sizeof *held);
    memory_free(dropped);
    memory_free(needed);
    return good;
}

void settle_shrink(struct monolith *m, const struct term **invariant)
{
    const struct model *model = m->model;
    struct located_facts facts = {0};
    struct term_vector parts = {0};
    for (uint32_t l = 0; l < model->location_count; l++) {
        VECTOR_CLEAR(&parts);
        if (model->locations[l] != model->error)
            rewrite_conjuncts(invariant[l], &parts);
        for (size_t i = 0; i < parts.count; i++) {
            const struct term *fact = parts.data[i];
            VECTOR_PUSH(&facts, ((struct located_fact){l, fact, fact, fact, NULL}));
        }
    }
    const struct located_fact **all = memory_alloc((facts.count + 1) * sizeof *all);
    bool *held = memory_alloc(facts.count + 1);
    bool plain = true;
    for (size_t i = 0; i < facts.count; i++) {
        plain = plain && !(facts.data[i].fact->flags & TERM_HAS_QUANTIFIER);
        all[i] = &facts.data[i];
        held[i] = true;
    }
    if (plain && settle_needed(m, all, facts.count, NULL, held)) {
        for (uint32_t l = 0; l < model->location_count; l++)
            invariant[l] = term_bool(m->store, model->locations[l] != model->error);
        for (size_t i = 0; i < facts.count; i++)
            if (held[i])
                invariant[facts.data[i].location] =
                    term_and2(m->store, invariant[facts.data[i].location], facts.data[i].fact);
    }
    memory_free(all);
    memory_free(held);
    VECTOR_FINISH(&facts);
    VECTOR_FINISH(&parts);
}
