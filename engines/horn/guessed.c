#include "engines/horn/guessed.h"

#include <assert.h>

#include "base/memory.h"
#include "engines/bounded/quotients.h"
#include "engines/horn/instance.h"

// Facts about one predicate; what is named first is kept where there would be more.
#define MOST_FACTS 300
#define MOST_LITERALS 3 // of one width that numbers are compared with
#define LEAST_LARGE 4096

struct guesses {
    struct workspace *workspace;
    struct term_store *store;
    const struct smt_horn *problem;
    bool bounds;                 // what only they need is guessed and used, too
    struct term_vector *facts;   // by predicate: those that are left
    struct term_vector literals; // small ones that clauses speak of, some of each width
};

static const struct term *sum(struct guesses *g, const struct term *a, const struct term *b)
{
    return term_bv_binary(g->store, TERM_BV_ADD, a, b);
}

static void guess(struct term_vector *out, const struct term *fact)
{
    if (out->count < MOST_FACTS && !term_is_literal(fact))
        VECTOR_PUSH(out, fact);
}

static void note_literal(struct guesses *g, const struct term *t)
{
    size_t same = 0;
    for (size_t i = 0; i < g->literals.count; i++) {
        if (g->literals.data[i] == t)
            return;
        same += g->literals.data[i]->sort == t->sort;
    }
    if (same < MOST_LITERALS && value_is_small(t->u.value) && value_small_get(t->u.value) > 0 &&
        value_small_get(t->u.value) < LEAST_LARGE)
        VECTOR_PUSH(&g->literals, t);
}

static void collect_literals(struct guesses *g)
{
    uint8_t *seen = memory_zalloc(term_store_next_id(g->store) + 1);
    struct term_vector todo = {0};
    for (size_t i = 0; i < g->problem->clause_count; i++)
        VECTOR_PUSH(&todo, g->problem->clauses[i].constraint);
    while (todo.count > 0) {
        const struct term *t = VECTOR_POP(&todo);
        if (seen[t->id])
            continue;
        seen[t->id] = 1;
        if (t->kind == TERM_BV)
            note_literal(g, t);
        for (uint32_t i = 0; i < t->child_count; i++)
            VECTOR_PUSH(&todo, t->child[i]);
    }
    VECTOR_FINISH(&todo);
    memory_free(seen);
}

static void guess_of_one(struct guesses *g, struct term_vector *out, const struct term *x)
{
    const struct term *zero = term_bv(g->store, x->sort->width, 0);
    guess(out, term_eq(g->store, x, zero));
    guess(out, term_eq(g->store, x, term_bv(g->store, x->sort->width, 1)));
    guess(out, term_bv_binary(g->store, TERM_BV_SLE, zero, x));
    if (g->bounds)
        guess(out, term_not(g->store, term_eq(g->store, x, zero)));
}

static void guess_of_two(struct guesses *g, struct term_vector *out, const struct term *x,
                         const struct term *y)
{
    const struct term *one = term_bv(g->store, x->sort->width, 1);
    guess(out, term_eq(g->store, x, y));
    guess(out, term_eq(g->store, x, sum(g, y, one)));
    guess(out, term_eq(g->store, y, sum(g, x, one)));
    guess(out, term_bv_binary(g->store, TERM_BV_SLE, x, y));
    guess(out, term_bv_binary(g->store, TERM_BV_SLE, y, x));
}

static void guess_bounds(struct guesses *g, struct term_vector *out, const struct term *x)
{
    for (size_t i = 0; i < g->literals.count; i++) {
        const struct term *k = g->literals.data[i];
        if (k->sort != x->sort)
            continue;
        guess(out, term_bv_binary(g->store, TERM_BV_SLE, k, x));
        guess(out, term_bv_binary(g->store, TERM_BV_SLT, k, x));
        guess(out, term_bv_binary(g->store, TERM_BV_SLE, x, k));
    }
}

// v of one width.
static void guess_of_all(struct guesses *g, struct term_vector *out, const struct term_vector *v)
{
    for (size_t i = 0; i < v->count; i++)
        guess_of_one(g, out, v->data[i]);
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < i; k++)
            guess_of_two(g, out, v->data[k], v->data[i]);
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < i; k++)
            for (size_t n = 0; n < v->count; n++)
                if (n != i && n != k)
                    guess(out, term_eq(g->store, sum(g, v->data[k], v->data[i]), v->data[n]));
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < i; k++)
            for (size_t n = 0; n < i; n++)
                for (size_t m = 0; m < n; m++)
                    if (n != k && m != k)
                        guess(out, term_eq(g->store, sum(g, v->data[k], v->data[i]),
                                           sum(g, v->data[m], v->data[n])));
    for (size_t i = 0; i < v->count; i++)
        guess_bounds(g, out, v->data[i]);
}

static void guess_facts(struct guesses *g, const struct smt_horn_predicate *p,
                        struct term_vector *out)
{
    for (size_t i = 0; i < p->count; i++) {
        struct term_vector same = {0};
        bool first = p->parameters[i]->sort->kind == SORT_BV;
        for (size_t k = 0; k < i; k++)
            first = first && p->parameters[k]->sort != p->parameters[i]->sort;
        for (size_t k = i; first && k < p->count; k++)
            if (p->parameters[k]->sort == p->parameters[i]->sort)
                VECTOR_PUSH(&same, p->parameters[k]);
        guess_of_all(g, out, &same);
        VECTOR_FINISH(&same);
    }
}

static const struct term *applied(struct guesses *g, uint32_t predicate,
                                  const struct term *const *arguments, const struct term *fact)
{
    return horn_instance(g->store, &g->problem->predicates[predicate], arguments, fact);
}

static const struct term *all_facts(struct guesses *g, uint32_t predicate,
                                    const struct term *const *arguments)
{
    const struct term_vector *facts = &g->facts[predicate];
    return applied(g, predicate, arguments, term_and(g->store, facts->data, facts->count));
}

static const struct term *premise(struct guesses *g, const struct smt_horn_clause *c)
{
    const struct term *all = c->constraint;
    if (c->body != SMT_HORN_NONE)
        all = term_and2(g->store, all, all_facts(g, c->body, c->body_arguments));
    for (size_t i = 0; i < c->other_count; i++)
        all =
            term_and2(g->store, all, all_facts(g, c->others[i].predicate, c->others[i].arguments));
    return g->bounds ? term_and2(g->store, all, quotients_facts(g->store, all)) : all;
}

// Facts about the head that the model of the premise does not have go. False: none did.
static bool drop_refuted(struct guesses *g, const struct smt_horn_clause *c, struct smt *smt)
{
    struct term_vector *facts = &g->facts[c->head];
    size_t kept = 0, before = facts->count;
    for (size_t i = 0; i < before; i++) {
        const struct term *value =
            smt_model_value(smt, applied(g, c->head, c->head_arguments, facts->data[i]));
        if (value != NULL && term_is_true(value))
            facts->data[kept++] = facts->data[i];
    }
    facts->count = kept;
    return kept < before;
}

// Leaves the facts that the clause keeps. True when some went.
static bool keep_implied(struct guesses *g, const struct smt_horn_clause *c)
{
    bool changed = false;
    struct smt *smt = smt_create(g->workspace->solver);
    smt_assert(smt, premise(g, c));
    while (g->facts[c->head].count > 0 && workspace_step(g->workspace, 1)) {
        smt_push(smt);
        smt_assert(smt, term_not(g->store, all_facts(g, c->head, c->head_arguments)));
        enum smt_result result = smt_check(smt);
        bool dropped = result == SMT_SAT && drop_refuted(g, c, smt);
        smt_pop(smt, 1);
        if (result == SMT_UNSAT)
            break;
        if (!dropped)
            VECTOR_CLEAR(&g->facts[c->head]); // nobody knows which
        changed = true;
    }
    smt_destroy(smt);
    return changed;
}

static bool is_ruled_out(struct guesses *g, const struct smt_horn_clause *c)
{
    struct smt *smt = smt_create(g->workspace->solver);
    smt_assert(smt, premise(g, c));
    bool out = smt_check(smt) == SMT_UNSAT;
    smt_destroy(smt);
    return workspace_step(g->workspace, 1) && out;
}

bool guessed_interpretation(struct workspace *workspace, const struct smt_horn *problem,
                            bool bounds, const struct term **out)
{
    struct guesses g = {
        .workspace = workspace, .store = workspace->store, .problem = problem, .bounds = bounds};
    assert(workspace->solver != NULL);
    g.facts = memory_zalloc((problem->predicate_count + 1) * sizeof *g.facts);
    if (bounds)
        collect_literals(&g);
    for (size_t i = 0; i < problem->predicate_count; i++)
        guess_facts(&g, &problem->predicates[i], &g.facts[i]);
    bool going = true;
    for (bool changed = true; changed && going;) {
        changed = false;
        for (size_t i = 0; i < problem->clause_count && going; i++) {
            const struct smt_horn_clause *c = &problem->clauses[i];
            changed = (c->head != problem->query && keep_implied(&g, c)) || changed;
            going = workspace_step(workspace, 0);
        }
    }
    for (size_t i = 0; i < problem->clause_count && going; i++)
        if (problem->clauses[i].head == problem->query)
            going = is_ruled_out(&g, &problem->clauses[i]);
    for (size_t i = 0; i < problem->predicate_count; i++) {
        out[i] = i == problem->query ? term_false(g.store)
                                     : term_and(g.store, g.facts[i].data, g.facts[i].count);
        VECTOR_FINISH(&g.facts[i]);
    }
    memory_free(g.facts);
    VECTOR_FINISH(&g.literals);
    return going;
}
