#include "engines/bounded/candidates.h"

#include <assert.h>
#include <stdio.h>

#include "base/memory.h"
#include "engines/bounded/affine.h"
#include "engines/bounded/affine_bits.h"
#include "engines/bounded/questions.h"
#include "engines/bounded/samples.h"
#include "engines/bounded/settle.h"
#include "logic/smt/quotients.h"
#include "logic/terms/linear.h"

#define MOST_CANDIDATES 3000
#define MOST_EDGES 100   // that are asked one by one
#define MOST_LITERALS 12 // of one sort that bounds are guessed with
#define MOST_NUMBERS 12  // variables compared with one another
#define MOST_VECTORS 6   // bit-vectors compared with one another
#define MOST_FACTOR 4096 // of a multiple that a bit-vector is compared with, …
#define MOST_MULTIPLES 4 // … and so many of them

struct candidate {
    struct located_fact told;
    // Where all edges are asked at once:
    const struct term *held;  // Boolean variable: it is assumed before the step
    const struct term *fails; // Boolean variable: implies that it does not hold after the step
    const struct term *assumed, *now,
        *next;           // before the step; what has to hold, at its start and at its end
    bool dropped, asked; // asked: it was not dropped before the solver was asked
};

struct candidates {
    struct monolith *m;
    const struct term *const *known; // per location, or NULL
    struct term_vector literals;
    VECTOR(struct candidate) list;
    struct term_vector assumptions;
    uint32_t checks; // so many more at most
};

// Literals of the model.

static void collect_from_term(struct candidates *c, const struct term *root, uint8_t *seen)
{
    struct term_vector todo = {0};
    VECTOR_PUSH(&todo, root);
    while (todo.count) {
        const struct term *t = VECTOR_POP(&todo);
        if (seen[t->id])
            continue;
        seen[t->id] = 1;
        if (t->kind == TERM_INT || t->kind == TERM_BV || t->kind == TERM_RAT)
            VECTOR_PUSH(&c->literals, t);
        for (uint32_t i = 0; i < t->child_count; i++)
            VECTOR_PUSH(&todo, t->child[i]);
    }
    VECTOR_FINISH(&todo);
}

static void collect(struct candidates *c, const struct statement *s, uint8_t *seen)
{
    if (s->expression != NULL)
        collect_from_term(c, s->expression, seen);
    for (uint32_t i = 0; i < s->child_count; i++)
        collect(c, s->child[i], seen);
}

static void collect_literals(struct candidates *c)
{
    const struct model *model = c->m->model;
    uint8_t *seen = memory_zalloc(term_store_next_id(c->m->store) + 1);
    collect(c, model->initial_action, seen);
    for (uint32_t e = 0; e < model->edge_count; e++)
        collect(c, model->edges[e]->action, seen);
    memory_free(seen);
}

// Guessing.

static bool guess_located(struct candidates *c, const struct located_fact *f)
{
    assert(f->fact->sort->kind == SORT_BOOL && f->location < c->m->model->location_count);
    if (term_is_true(f->fact))
        return false;
    VECTOR_PUSH(&c->list, ((struct candidate){.told = *f}));
    return true;
}

static void guess(struct candidates *c, uint32_t location, const struct term *fact)
{
    if (!term_is_literal(fact) && c->list.count < MOST_CANDIDATES)
        guess_located(c, &(struct located_fact){location, fact, fact, fact, NULL});
}

static void guess_bounds(struct candidates *c, uint32_t location, const struct term *x)
{
    struct term_store *store = c->m->store;
    unsigned used = 0;
    for (size_t i = 0; i < c->literals.count && used < MOST_LITERALS; i++) {
        const struct term *k = c->literals.data[i];
        if (k->sort != x->sort)
            continue;
        used++;
        if (x->sort->kind == SORT_BV) {
            guess(c, location, term_bv_binary(store, TERM_BV_ULE, x, k));
            guess(c, location, term_bv_binary(store, TERM_BV_ULE, k, x));
            guess(c, location, term_bv_binary(store, TERM_BV_SLE, x, k));
            guess(c, location, term_bv_binary(store, TERM_BV_SLE, k, x));
        } else {
            guess(c, location, term_le(store, x, k));
            guess(c, location, term_le(store, k, x));
        }
    }
}

static void guess_of_variable(struct candidates *c, uint32_t location, const struct variable *v)
{
    struct term_store *store = c->m->store;
    switch (v->sort->kind) {
    case SORT_BOOL:
        guess(c, location, v->term);
        guess(c, location, term_not(store, v->term));
        break;
    case SORT_ENUM:
        for (uint32_t i = 0; i < v->sort->literal_count && i < 16; i++)
            guess(c, location,
                  term_not(store, term_eq(store, v->term, term_enum(store, v->sort, i))));
        break;
    case SORT_INT:
    case SORT_RAT:
    case SORT_BV:
        guess_bounds(c, location, v->term);
        break;
    case SORT_ARRAY:
        break;
    }
}

// Variables of the state that are of this kind, the first of them.
static unsigned first_variables(const struct candidates *c, enum sort_kind kind, unsigned most,
                                const struct term **out)
{
    const struct model *model = c->m->model;
    unsigned count = 0;
    for (uint32_t v = 0; v < model->variable_count && count < most; v++)
        if (c->m->state[v] && model->variables[v]->sort->kind == kind &&
            (kind != SORT_BV || c->m->width[v]))
            out[count++] = model->variables[v]->term;
    assert(count <= most);
    return count;
}

static void guess_orders(struct candidates *c, uint32_t location)
{
    const struct term *numbers[MOST_NUMBERS];
    unsigned count = first_variables(c, SORT_INT, MOST_NUMBERS, numbers);
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < count; j++)
            if (i != j)
                guess(c, location, term_le(c->m->store, numbers[i], numbers[j]));
}

static bool small_factor(const struct term *k, uint64_t *factor)
{
    if (k->kind != TERM_BV || k->sort->width > 64)
        return false;
    *factor = term_bv_number(k);
    return *factor > 2 && *factor <= MOST_FACTOR;
}

// a is at most so many times b: what a loop adds up, against how often it went round.
static void guess_multiples(struct candidates *c, uint32_t location, const struct term *a,
                            const struct term *b)
{
    assert(a->sort == b->sort && a->sort->kind == SORT_BV);
    struct term_store *store = c->m->store;
    uint64_t last = 0;
    unsigned used = 0;
    for (size_t i = 0; i < c->literals.count && used < MOST_MULTIPLES; i++) {
        const struct term *k = c->literals.data[i];
        uint64_t factor;
        if (k->sort != a->sort || !small_factor(k, &factor) || factor == last)
            continue;
        last = factor;
        used++;
        for (uint64_t f = factor - 1; f <= factor; f++) {
            const struct term *times = term_bv(store, a->sort->width, f);
            const struct term *most = term_bv_binary(store, TERM_BV_MUL, times, b);
            guess(c, location, term_bv_binary(store, TERM_BV_ULE, a, most));
        }
    }
}

static void guess_vector_orders(struct candidates *c, uint32_t location)
{
    struct term_store *store = c->m->store;
    const struct term *vectors[MOST_VECTORS];
    unsigned count = first_variables(c, SORT_BV, MOST_VECTORS, vectors);
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < count; j++) {
            if (i == j || vectors[i]->sort != vectors[j]->sort)
                continue;
            guess(c, location, term_bv_binary(store, TERM_BV_ULE, vectors[i], vectors[j]));
            guess(c, location, term_bv_binary(store, TERM_BV_SLE, vectors[i], vectors[j]));
            guess(c, location, term_bv_binary(store, TERM_BV_ULT, vectors[i], vectors[j]));
            guess(c, location, term_bv_binary(store, TERM_BV_SLT, vectors[i], vectors[j]));
            guess_multiples(c, location, vectors[i], vectors[j]);
        }
}

// Of one sort, numbers aside: their orders say it.
static void guess_equations(struct candidates *c, uint32_t location)
{
    const struct model *model = c->m->model;
    for (uint32_t v = 0; v < model->variable_count; v++)
        for (uint32_t w = v + 1; c->m->state[v] && w < model->variable_count; w++) {
            const struct term *a = model->variables[v]->term, *b = model->variables[w]->term;
            if (c->m->state[w] && a->sort == b->sort && a->sort->kind != SORT_INT)
                guess(c, location, term_eq(c->m->store, a, b));
        }
}

static void guess_all(struct candidates *c)
{
    const struct model *model = c->m->model;
    for (uint32_t l = 0; l < model->location_count; l++) {
        if (model->locations[l] == model->error)
            continue;
        for (uint32_t v = 0; v < model->variable_count; v++)
            if (c->m->state[v] && c->m->width[v])
                guess_of_variable(c, l, model->variables[v]);
        guess_orders(c, l);
        guess_vector_orders(c, l);
        guess_equations(c, l);
    }
}

static void guess_hint(struct candidates *c, const struct precision_item *hint)
{
    const struct model *model = c->m->model;
    if (hint->predicate == NULL || !monolith_speaks_of_states(c->m, hint->predicate, NULL))
        return;
    for (uint32_t l = 0; l < model->location_count; l++) {
        const struct location *here = model->locations[l];
        if (here == model->error || (hint->location != NULL && hint->location != here))
            continue;
        guess(c, l, hint->predicate);
        if (hint->predicate->kind != TERM_OR) // else each part of it fails by itself
            guess(c, l, term_not(c->m->store, hint->predicate));
    }
}

// Dropping.

// Drops those that fail in the solver's model. False when none did, as far as the solver tells.
static bool drop(struct candidates *c, struct smt *smt, bool next)
{
    bool dropped = false;
    for (size_t i = 0; i < c->list.count; i++) {
        struct candidate *candidate = &c->list.data[i];
        if (candidate->dropped)
            continue;
        const struct term *value = smt_model_value(smt, next ? candidate->next : candidate->now);
        if (value != NULL && term_is_true(value))
            continue;
        candidate->dropped = true;
        dropped = true;
    }
    return dropped;
}

// Checks and drops until all that are left hold. False: the attempt ends, or the solver gave up.
static bool settle(struct candidates *c, struct smt *smt, bool next)
{
    struct term_store *store = c->m->store;
    struct term_vector any = {0};
    for (size_t i = 0; i < c->list.count; i++) {
        struct candidate *k = &c->list.data[i];
        k->asked = !k->dropped;
        if (!k->asked)
            continue;
        VECTOR_PUSH(&any, k->fails);
        if (next)
            smt_assert(smt, term_implies(store, k->held, k->assumed));
        smt_assert(smt, term_implies(store, k->fails, term_not(store, next ? k->next : k->now)));
    }
    smt_assert(smt, term_or(store, any.data, any.count));
    VECTOR_FINISH(&any);
    for (;;) {
        VECTOR_CLEAR(&c->assumptions);
        for (size_t i = 0; i < c->list.count; i++) {
            struct candidate *k = &c->list.data[i];
            if (k->asked)
                VECTOR_PUSH(&c->assumptions, k->dropped ? term_not(store, k->fails) : k->held);
        }
        enum smt_result result = smt_check_assuming(smt, c->assumptions.data, c->assumptions.count);
        if (!workspace_step(c->m->workspace, 1) || c->checks-- == 0)
            return false;
        if (result == SMT_UNSAT)
            return true;
        if (result == SMT_UNKNOWN || !drop(c, smt, next))
            return false;
    }
}

static const struct term **facts(struct candidates *c)
{
    const struct model *model = c->m->model;
    struct term_vector *parts = memory_zalloc(model->location_count * sizeof *parts);
    const struct term **out = memory_alloc(model->location_count * sizeof(struct term *));
    for (size_t i = 0; i < c->list.count; i++)
        if (!c->list.data[i].dropped)
            VECTOR_PUSH(&parts[c->list.data[i].told.location], c->list.data[i].told.fact);
    for (uint32_t l = 0; l < model->location_count; l++) {
        if (c->known != NULL)
            VECTOR_PUSH(&parts[l], c->known[l]);
        out[l] = model->locations[l] == model->error
                     ? term_false(c->m->store)
                     : term_and(c->m->store, parts[l].data, parts[l].count);
        VECTOR_FINISH(&parts[l]);
    }
    memory_free(parts);
    return out;
}

static size_t count_known(const struct candidates *c)
{
    size_t count = 0;
    for (uint32_t l = 0; c->known != NULL && l < c->m->model->location_count; l++) {
        const struct term *f = c->known[l];
        count += f->kind == TERM_AND ? f->child_count : !term_is_literal(f);
    }
    return count;
}

static void drop_refuted(struct candidates *c)
{
    struct sampled_fact *facts = memory_zalloc((c->list.count + 1) * sizeof *facts);
    for (size_t i = 0; i < c->list.count; i++)
        facts[i] = (struct sampled_fact){c->list.data[i].told.location, c->list.data[i].told.shown,
                                         c->list.data[i].told.range, false};
    samples_refute(c->m->model, facts, c->list.count);
    for (size_t i = 0; i < c->list.count; i++)
        c->list.data[i].dropped = facts[i].fails;
    memory_free(facts);
}

static bool settle_each_edge(struct candidates *c)
{
    size_t count = c->list.count;
    const struct located_fact **facts = memory_alloc((count + 1) * sizeof *facts);
    bool *dropped = memory_alloc(count + 1);
    for (size_t i = 0; i < count; i++) {
        facts[i] = &c->list.data[i].told;
        dropped[i] = c->list.data[i].dropped;
    }
    bool settled = settle_by_edges(c->m, facts, count, c->known, &c->checks, dropped);
    for (size_t i = 0; i < count; i++)
        c->list.data[i].dropped = dropped[i];
    memory_free(facts);
    memory_free(dropped);
    return settled;
}

// What a solver is told of those that are left.
static void tell(struct candidates *c)
{
    struct term_store *store = c->m->store;
    for (size_t i = 0; i < c->list.count; i++) {
        struct candidate *k = &c->list.data[i];
        char name[32];
        if (k->dropped)
            continue;
        snprintf(name, sizeof name, "!held.%zu", i);
        k->held = term_var(store, name, sort_bool(store));
        snprintf(name, sizeof name, "!fails.%zu", i);
        k->fails = term_var(store, name, sort_bool(store));
        k->assumed = term_implies(store, c->m->at[k->told.location], k->told.assumed);
        k->now = term_implies(store, c->m->at[k->told.location], k->told.shown);
        k->next = monolith_next(c->m, k->now);
    }
}

// False: no solver, the attempt ends, or the solver gave up.
static bool settle_all(struct candidates *c)
{
    struct monolith *m = c->m;
    if (!m->abstract) {
        drop_refuted(c);
        if (m->model->edge_count <= MOST_EDGES)
            return settle_each_edge(c);
    }
    tell(c);
    const struct term *first = monolith_initial_now(m), *step = m->transition;
    step = term_and2(m->store, step, quotients_facts(m->store, m->transition));
    if (c->known != NULL) {
        const struct term *everywhere = monolith_everywhere(m, c->known);
        first = term_and2(m->store, first, everywhere);
        step = term_and2(m->store, step, everywhere);
        step = term_and2(m->store, step, monolith_next(m, everywhere));
    }
    VECTOR(const struct term **) asked = {0};
    VECTOR_PUSH(&asked, &first);
    VECTOR_PUSH(&asked, &step);
    for (size_t i = 0; i < c->list.count; i++) {
        if (c->list.data[i].dropped)
            continue;
        VECTOR_PUSH(&asked, &c->list.data[i].assumed);
        VECTOR_PUSH(&asked, &c->list.data[i].now);
        VECTOR_PUSH(&asked, &c->list.data[i].next);
    }
    struct smt_context *context = questions_solver(m, asked.data, asked.count, 2);
    VECTOR_FINISH(&asked);
    if (context == NULL)
        return false;
    bool settled = true;
    for (int i = 0; i < 2 && settled; i++) {
        struct smt *smt = smt_create(context);
        smt_assert(smt, i == 0 ? first : step);
        settled = settle(c, smt, i == 1);
        smt_destroy(smt);
    }
    return settled;
}

static void finish(struct candidates *c)
{
    VECTOR_FINISH(&c->literals);
    VECTOR_FINISH(&c->list);
    VECTOR_FINISH(&c->assumptions);
}

// found: guessed first; may be NULL.
static const struct term **prove(struct monolith *m, const struct located_facts *found, bool simple,
                                 const struct precision_item *hints, size_t hint_count,
                                 const struct term *const *known, size_t *proved)
{
    struct candidates c = {.m = m, .known = known, .checks = UINT32_MAX};
    for (size_t i = 0; found != NULL && i < found->count; i++)
        guess_located(&c, &found->data[i]);
    for (size_t i = 0; i < hint_count; i++)
        guess_hint(&c, &hints[i]);
    if (simple) {
        collect_literals(&c);
        guess_all(&c);
    }
    const struct term **out = settle_all(&c) ? facts(&c) : NULL;
    *proved = count_known(&c);
    for (size_t i = 0; out != NULL && i < c.list.count; i++)
        *proved += !c.list.data[i].dropped;
    finish(&c);
    return out;
}

const struct term **candidates_prove(struct monolith *m, bool simple,
                                     const struct precision_item *hints, size_t hint_count,
                                     const struct term *const *known, size_t *proved)
{
    return prove(m, NULL, simple, hints, hint_count, known, proved);
}

bool candidates_settle(struct monolith *m, const struct located_fact *facts, size_t count,
                       const struct term *const *known, uint32_t checks, bool *held)
{
    struct candidates c = {.m = m, .known = known, .checks = checks};
    for (size_t i = 0; i < count; i++)
        held[i] = guess_located(&c, &facts[i]);
    bool settled = settle_all(&c);
    for (size_t i = 0, k = 0; i < count; i++)
        if (held[i])
            held[i] = settled && !c.list.data[k++].dropped;
    finish(&c);
    return settled;
}

const struct term **candidates_both(struct monolith *m, const struct term *const *a,
                                    const struct term *const *b)
{
    const struct term *const *either = a != NULL ? a : b;
    if (either == NULL)
        return NULL;
    const struct term **out = memory_alloc((m->model->location_count + 1) * sizeof *out);
    for (uint32_t l = 0; l < m->model->location_count; l++)
        out[l] = a != NULL && b != NULL ? term_and2(m->store, a[l], b[l]) : either[l];
    return out;
}

const struct term **candidates_prove_simple(struct monolith *m, const struct located_facts *found,
                                            bool elements, size_t *proved)
{
    const struct term **numbers = affine_prove(m), **words = affine_bits_prove(m, NULL);
    const struct term **affine = candidates_both(m, numbers, words);
    memory_free(numbers);
    memory_free(words);
    const struct term **out = prove(m, found, true, NULL, 0, affine, proved);
    if (out == NULL)
        return affine;
    memory_free(affine);
    const struct term **more = elements ? affine_prove_elements(m, out) : NULL;
    if (more == NULL)
        return out;
    memory_free(out);
    return more;
}
