#include "engines/horn/guessed.h"

#include <assert.h>

#include "base/memory.h"
#include "engines/horn/instance.h"
#include "logic/smt/quotients.h"
#include "logic/terms/rewrite.h"
#include "logic/terms/value.h"

// Guesses about one predicate; what is named first is kept where there would be more.
#define MOST_FACTS 300
#define MOST_LOOKED_AT 20000 // before they are held against runs
#define MOST_LITERALS 6      // of one width that numbers are compared with
#define LEAST_LARGE 4096
#define ENOUGH_STATES 20 // of a predicate, for what was equal in all of them
#define MOST_TABLES 12   // of one predicate outside of procedures
#define MOST_TABLES_LOOKED_AT 2000

struct guesses {
    struct workspace *workspace;
    struct smt_context *solver;
    struct term_store *store;
    const struct smt_horn *problem; // whose clauses are asked
    // Where numbers are divided by numbers: the clauses with what is simple to know of quotients, asked first; else NULL.
    struct smt_horn_clause *weak;
    struct smt_horn weak_problem;
    const struct smt_horn *exact;
    struct horn_runs *runs;
    bool patient, began;
    bool sat;            // a SAT solver is asked
    bool quotients;      // in a clause, but for those by powers of two
    bool lowest_bit;     // it matters in a clause
    bool unsigned_order; // is asked in a clause
    enum { EQUATIONS, BOUNDS, TABLES, DIFFERENCES, POWERS } stage;
    uint32_t predicate; // guesses are about
    size_t looked_at, tables;
    // By predicate: those that every clause keeps, and guesses that are left of those that are looked at.
    struct term_vector *known, *facts;
    int64_t largest;             // of the small literals
    struct term_vector literals; // small ones that clauses speak of, some of each width
};

static const struct term *sum(struct guesses *g, const struct term *a, const struct term *b)
{
    return term_bv_binary(g->store, TERM_BV_ADD, a, b);
}

static void guess(struct guesses *g, struct term_vector *out, const struct term *fact)
{
    if (out->count < MOST_FACTS && g->looked_at < MOST_LOOKED_AT && !term_is_literal(fact)) {
        g->looked_at++;
        if (!horn_runs_refute(g->runs, g->predicate, fact))
            VECTOR_PUSH(out, fact);
    }
}

static void note_literal(struct guesses *g, const struct term *t)
{
    size_t same = 0;
    const int64_t value = value_is_small(t->u.value) ? value_small_get(t->u.value) : 0;
    if (value > g->largest && value < LEAST_LARGE)
        g->largest = value;
    for (size_t i = 0; i < g->literals.count; i++) {
        if (g->literals.data[i] == t)
            return;
        same += g->literals.data[i]->sort == t->sort;
    }
    if (same < MOST_LITERALS && value > 0 && value < LEAST_LARGE)
        VECTOR_PUSH(&g->literals, t);
}

static bool is_power_of_two(const struct term *t)
{
    if (t->kind != TERM_BV || !value_is_small(t->u.value))
        return false;
    const int64_t n = value_small_get(t->u.value);
    return n > 0 && (n & (n - 1)) == 0;
}

// A SAT solver has no trouble with those by powers of two.
static bool is_quotient(const struct term *t)
{
    return (t->kind == TERM_BV_UDIV || t->kind == TERM_BV_UREM || t->kind == TERM_BV_SDIV ||
            t->kind == TERM_BV_SREM) &&
           !is_power_of_two(t->child[1]);
}

static bool asks_lowest_bit(const struct term *t)
{
    const bool rest = t->kind == TERM_BV_UREM || t->kind == TERM_BV_SREM || t->kind == TERM_BV_AND;
    return rest && (is_power_of_two(t->child[0]) || is_power_of_two(t->child[1]));
}

// Literals and quotients of the clauses.
static void look_through(struct guesses *g)
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
        g->quotients = g->quotients || is_quotient(t);
        g->unsigned_order = g->unsigned_order || t->kind == TERM_BV_ULT || t->kind == TERM_BV_ULE;
        g->lowest_bit = g->lowest_bit || asks_lowest_bit(t) || t->kind == TERM_BV_EXTRACT;
        for (uint32_t i = 0; i < t->child_count; i++)
            VECTOR_PUSH(&todo, t->child[i]);
    }
    VECTOR_FINISH(&todo);
    memory_free(seen);
}

static const struct term *at_most(struct guesses *g, const struct term *x, const struct term *y)
{
    return term_bv_binary(g->store, TERM_BV_SLE, x, y);
}

static const struct term *difference(struct guesses *g, const struct term *x, const struct term *y)
{
    return sum(g, x, term_bv_unary(g->store, TERM_BV_NEG, y));
}

static void guess_of_one(struct guesses *g, struct term_vector *out, const struct term *x)
{
    const struct term *zero = term_bv(g->store, x->sort->width, 0);
    guess(g, out, term_eq(g->store, x, zero));
    guess(g, out, term_eq(g->store, x, term_bv(g->store, x->sort->width, 1)));
    guess(g, out, at_most(g, zero, x));
}

static void guess_of_two(struct guesses *g, struct term_vector *out, const struct term *x,
                         const struct term *y)
{
    const struct term *one = term_bv(g->store, x->sort->width, 1);
    guess(g, out, term_eq(g->store, x, y));
    guess(g, out, term_eq(g->store, x, sum(g, y, one)));
    guess(g, out, term_eq(g->store, y, sum(g, x, one)));
    guess(g, out, at_most(g, x, y));
    guess(g, out, at_most(g, y, x));
}

// v of one width, as below.
static void guess_equations(struct guesses *g, struct term_vector *out, const struct term_vector *v)
{
    for (size_t i = 0; i < v->count; i++)
        guess_of_one(g, out, v->data[i]);
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < i; k++)
            guess_of_two(g, out, v->data[k], v->data[i]);
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k <= i; k++) // twice a number, too
            for (size_t n = 0; n < v->count; n++)
                if (n != i && n != k)
                    guess(g, out, term_eq(g->store, sum(g, v->data[k], v->data[i]), v->data[n]));
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < i; k++)
            for (size_t n = 0; n < i; n++)
                for (size_t m = 0; m < n; m++)
                    if (n != k && m != k)
                        guess(g, out,
                              term_eq(g->store, sum(g, v->data[k], v->data[i]),
                                      sum(g, v->data[m], v->data[n])));
}

static const struct term *lowest_bit(struct guesses *g, const struct term *x)
{
    return term_bv_extract(g->store, x, 0, 0);
}

// Which of them are even, and which of two differ in that.
static void guess_parities(struct guesses *g, struct term_vector *out, const struct term_vector *v)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct term *x = lowest_bit(g, v->data[i]);
        for (uint64_t is = 0; is < 2; is++)
            guess(g, out, term_eq(g->store, x, term_bv(g->store, 1, is)));
        for (size_t k = 0; k < i; k++) {
            const struct term *same = term_eq(g->store, x, lowest_bit(g, v->data[k]));
            guess(g, out, same);
            guess(g, out, term_not(g->store, same));
        }
    }
}

static void guess_bounds_of_one(struct guesses *g, struct term_vector *out, const struct term *x)
{
    guess(g, out, term_not(g->store, term_eq(g->store, x, term_bv(g->store, x->sort->width, 0))));
    for (size_t i = 0; i < g->literals.count; i++) {
        const struct term *k = g->literals.data[i];
        if (k->sort != x->sort)
            continue;
        guess(g, out, at_most(g, k, x));
        guess(g, out, term_bv_binary(g->store, TERM_BV_SLT, k, x));
        guess(g, out, at_most(g, x, k));
    }
}

// What is the same number in all states that runs met.
static void guess_constant(struct guesses *g, struct term_vector *out, const struct term *term)
{
    const struct value v = horn_runs_first(g->runs, g->predicate, term);
    if (value_known(v) && value_is_small(v))
        guess(g, out,
              term_eq(g->store, term,
                      term_bv(g->store, term->sort->width, (uint64_t)value_small_get(v))));
}

// a, a - b, a + b - c.
static void guess_constants(struct guesses *g, struct term_vector *out, const struct term_vector *v)
{
    for (size_t i = 0; i < v->count; i++) {
        guess_constant(g, out, v->data[i]);
        for (size_t k = 0; k < i; k++)
            guess_constant(g, out, difference(g, v->data[i], v->data[k]));
        for (size_t k = 0; k <= i; k++)
            for (size_t n = 0; n < v->count; n++)
                if (n != i && n != k)
                    guess_constant(g, out,
                                   difference(g, sum(g, v->data[i], v->data[k]), v->data[n]));
    }
}

static void guess_bounds(struct guesses *g, struct term_vector *out, const struct term_vector *v)
{
    for (size_t i = 0; i < v->count; i++)
        guess_bounds_of_one(g, out, v->data[i]);
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < v->count; k++) {
            if (i == k)
                continue;
            guess(g, out, term_bv_binary(g->store, TERM_BV_SLT, v->data[i], v->data[k]));
            if (g->unsigned_order)
                guess(g, out, term_bv_binary(g->store, TERM_BV_ULE, v->data[i], v->data[k]));
        }
    guess_constants(g, out, v);
    if (g->lowest_bit)
        guess_parities(g, out, v);
}

// What recursion counts up to a number is that in the end, or what it was.
static void guess_either(struct guesses *g, struct term_vector *out, const struct term_vector *v)
{
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < v->count; k++)
            for (size_t n = 0; n < k; n++)
                if (i != k && i != n)
                    guess(g, out,
                          term_or2(g->store, term_eq(g->store, v->data[i], v->data[k]),
                                   term_eq(g->store, v->data[i], v->data[n])));
}

// Euclid's divisor of two is at most the second, if that is not 0.
static void guess_unless_zero(struct guesses *g, struct term_vector *out,
                              const struct term_vector *v)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct term *zero =
            term_eq(g->store, v->data[i], term_bv(g->store, v->data[i]->sort->width, 0));
        for (size_t k = 0; k < v->count; k++)
            for (size_t n = 0; n < v->count; n++)
                if (n != k)
                    guess(g, out, term_or2(g->store, zero, at_most(g, v->data[n], v->data[k])));
    }
}

// That one of them is this, or more by it than another one.
static void guess_sum(struct guesses *g, struct term_vector *out, const struct term_vector *v,
                      const struct term *is)
{
    for (size_t k = 0; k < v->count; k++) {
        guess(g, out, term_eq(g->store, v->data[k], is));
        for (size_t n = 0; n < v->count; n++)
            if (n != k)
                guess(g, out, term_eq(g->store, v->data[k], sum(g, v->data[n], is)));
    }
}

// What recursion with two calls makes of n: 2^n, 2^n - 1, and of n - 1 behind the first of them. What it makes of addition: 0 + 1 + ... +
// n, up to n - 1 behind the call, and products.
static void guess_powers(struct guesses *g, struct term_vector *out, const struct term_vector *v)
{
    struct term_store *store = g->store;
    for (size_t i = 0; i < v->count; i++) {
        const struct term *n = v->data[i], *one = term_bv(store, n->sort->width, 1);
        for (int before = 0; before < 2; before++) {
            const struct term *last = before ? difference(g, n, one) : n;
            const struct term *power = term_bv_binary(store, TERM_BV_SHL, one, last);
            const struct term *twice = term_bv_binary(store, TERM_BV_MUL, last, sum(g, last, one));
            guess_sum(g, out, v, power);
            guess_sum(g, out, v, difference(g, power, one));
            guess_sum(g, out, v, term_bv_binary(store, TERM_BV_LSHR, twice, one));
            for (size_t k = 0; k < v->count; k++)
                guess_sum(g, out, v, term_bv_binary(store, TERM_BV_MUL, last, v->data[k]));
        }
    }
}

// A difference of numbers that are not negative does not wrap; a sum may.
static void guess_differences(struct guesses *g, struct term_vector *out,
                              const struct term_vector *v)
{
    for (size_t i = 0; i < v->count; i++)
        for (size_t k = 0; k < v->count; k++)
            for (size_t n = 0; n < v->count; n++) {
                if (i == k || i == n || k == n)
                    continue;
                const struct term *rest = difference(g, v->data[k], v->data[n]);
                guess(g, out, at_most(g, v->data[i], rest));
                guess(g, out, at_most(g, rest, v->data[i]));
            }
}

// A number of which it is known that another one before it is the same says nothing new.
static bool has_twin(struct guesses *g, const struct term_vector *v, const struct term *x,
                     const struct term_vector *known)
{
    for (size_t i = 0; i < v->count; i++)
        if (term_vector_contains(known, term_eq(g->store, v->data[i], x)))
            return true;
    return false;
}

// Where runs met many states, and this number was another one before it in all of them, that is guessed, and nothing else about it as yet.
static bool seems_twin(struct guesses *g, struct term_vector *out, const struct term_vector *v,
                       const struct term *x)
{
    if (g->stage > EQUATIONS || g->runs->met[g->predicate].count < ENOUGH_STATES)
        return false;
    for (size_t i = 0; i < v->count; i++) {
        const struct term *equation = term_eq(g->store, v->data[i], x);
        if (!horn_runs_refute(g->runs, g->predicate, equation)) {
            guess(g, out, equation);
            return true;
        }
    }
    return false;
}

// ---- tables

static const struct term *equals(struct guesses *g, const struct term *x, struct value v)
{
    if (!value_known(v) || !value_is_small(v) || x->sort->kind != SORT_BV)
        return term_true(g->store); // says nothing
    return term_eq(g->store, x, term_bv(g->store, x->sort->width, (uint64_t)value_small_get(v)));
}

// The state, where it is one of a call with these inputs.
static const struct term *state_of_entry(struct guesses *g, uint32_t predicate,
                                         const struct horn_entry *e, const struct horn_state *state)
{
    const struct smt_horn_predicate *p = &g->problem->predicates[predicate];
    const struct procedure *procedure = &g->runs->view->procedures[e->procedure];
    assert(state->values != NULL);
    struct term_vector given = {0}, is = {0};
    for (size_t i = 0; i < p->count; i++) {
        bool input = false;
        for (size_t k = 0; k < procedure->input_count; k++)
            input = input || procedure->inputs[k]->term == p->parameters[i];
        if (input)
            VECTOR_PUSH(&given, equals(g, p->parameters[i], state->values[i]));
        else
            VECTOR_PUSH(&is, equals(g, p->parameters[i], state->values[i]));
    }
    const struct term *all = term_and(g->store, given.data, given.count);
    const struct term *out = term_implies(g->store, all, term_and(g->store, is.data, is.count));
    VECTOR_FINISH(&given);
    VECTOR_FINISH(&is);
    return out;
}

// In a procedure: a state for each row. True: it is in one.
static bool guess_rows(struct guesses *g, struct term_vector *out, uint32_t predicate)
{
    struct term_vector rows = {0};
    for (size_t i = 0; i < g->runs->entries.count; i++) {
        const struct horn_entry *e = &g->runs->entries.data[i];
        for (size_t k = 0; k < e->state_count; k++)
            if (e->predicates[k] == predicate)
                VECTOR_PUSH(&rows, state_of_entry(g, predicate, e, &e->states[k]));
    }
    const bool some = rows.count > 0;
    const struct term *fact = term_and(g->store, rows.data, rows.count);
    VECTOR_FINISH(&rows);
    if (!term_is_literal(fact) && !horn_runs_refute(g->runs, predicate, fact))
        rewrite_conjuncts(fact, out);
    return some;
}

// x, and y where a procedure has two inputs that vary, are what it was given, and z is what it gave. NULL: in no row.
static const struct term *table(struct guesses *g, uint32_t procedure, size_t output,
                                const struct term *x, const struct term *y, const struct term *z)
{
    const struct procedure *p = &g->runs->view->procedures[procedure];
    struct term_vector rows = {0};
    bool fits = p->outputs[output]->sort == z->sort;
    for (size_t i = 0; i < g->runs->entries.count && fits; i++) {
        const struct horn_entry *e = &g->runs->entries.data[i];
        const struct term *given = term_true(g->store);
        size_t used = 0;
        if (e->procedure != procedure)
            continue;
        for (size_t k = 0; k < p->input_count && fits; k++) {
            if (!g->runs->varies[procedure][k])
                continue;
            const struct term *input = used++ == 0 ? x : y;
            fits = input != NULL && used <= 2 && input->sort == p->inputs[k]->sort;
            if (fits)
                given = term_and2(g->store, given, equals(g, input, e->inputs[k]));
        }
        fits = fits && used == (y == NULL ? 1 : 2);
        VECTOR_PUSH(&rows, term_implies(g->store, given, equals(g, z, e->outputs[output])));
    }
    const struct term *all =
        fits && rows.count > 0 ? term_and(g->store, rows.data, rows.count) : NULL;
    VECTOR_FINISH(&rows);
    return all;
}

static void guess_table(struct guesses *g, struct term_vector *out, const struct term *x,
                        const struct term *y, const struct term *z)
{
    const struct procedures *view = g->runs->view;
    for (uint32_t i = 0; i < view->count; i++)
        for (size_t k = 0; k < view->procedures[i].output_count; k++) {
            if (g->tables == MOST_TABLES || g->looked_at == MOST_TABLES_LOOKED_AT)
                return;
            g->looked_at++;
            const struct term *fact = table(g, i, k, x, y, z);
            if (fact != NULL && !term_is_literal(fact) &&
                !horn_runs_refute(g->runs, g->predicate, fact)) {
                rewrite_conjuncts(fact, out);
                g->tables++;
            }
        }
}

// Outside of procedures some numbers are what others give.
static void guess_tables(struct guesses *g, struct term_vector *out, uint32_t predicate)
{
    const struct smt_horn_predicate *p = &g->problem->predicates[predicate];
    if (guess_rows(g, out, predicate))
        return;
    for (size_t z = 0; z < p->count; z++)
        for (size_t x = 0; x < p->count; x++) {
            if (x != z)
                guess_table(g, out, p->parameters[x], NULL, p->parameters[z]);
            for (size_t y = 0; y < p->count; y++)
                if (x != z && y != z && x != y)
                    guess_table(g, out, p->parameters[x], p->parameters[y], p->parameters[z]);
        }
}

static void guess_facts(struct guesses *g, uint32_t predicate)
{
    const struct smt_horn_predicate *p = &g->problem->predicates[predicate];
    struct term_vector *out = &g->facts[predicate];
    const struct term_vector *known = &g->known[predicate];
    g->predicate = predicate;
    g->looked_at = g->tables = 0;
    if (g->stage == TABLES) {
        guess_tables(g, out, predicate);
        return;
    }
    for (size_t i = 0; i < p->count; i++) {
        struct term_vector same = {0};
        bool first = p->parameters[i]->sort->kind == SORT_BV;
        for (size_t k = 0; k < i; k++)
            first = first && p->parameters[k]->sort != p->parameters[i]->sort;
        for (size_t k = i; first && k < p->count; k++)
            if (p->parameters[k]->sort == p->parameters[i]->sort &&
                !has_twin(g, &same, p->parameters[k], known) &&
                !seems_twin(g, out, &same, p->parameters[k]))
                VECTOR_PUSH(&same, p->parameters[k]);
        // What was dropped before may hold together with what comes next.
        guess_equations(g, out, &same);
        if (g->stage >= BOUNDS)
            guess_bounds(g, out, &same);
        if (g->stage >= DIFFERENCES) {
            guess_either(g, out, &same);
            guess_unless_zero(g, out, &same);
            guess_differences(g, out, &same);
        }
        if (g->stage >= POWERS)
            guess_powers(g, out, &same);
        VECTOR_FINISH(&same);
    }
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (!term_vector_contains(known, out->data[i]))
            out->data[kept++] = out->data[i];
    out->count = kept;
}

static const struct term *applied(struct guesses *g, uint32_t predicate,
                                  const struct term *const *arguments, const struct term *fact)
{
    return horn_instance(g->store, &g->problem->predicates[predicate], arguments, fact);
}

static const struct term *found(struct guesses *g, uint32_t predicate)
{
    const struct term_vector *known = &g->known[predicate], *facts = &g->facts[predicate];
    return term_and2(g->store, term_and(g->store, known->data, known->count),
                     term_and(g->store, facts->data, facts->count));
}

static const struct term *all_facts(struct guesses *g, uint32_t predicate,
                                    const struct term *const *arguments)
{
    return applied(g, predicate, arguments, found(g, predicate));
}

static const struct term *premise(struct guesses *g, const struct smt_horn_clause *c)
{
    const struct term *all = c->constraint;
    if (c->body != SMT_HORN_NONE)
        all = term_and2(g->store, all, all_facts(g, c->body, c->body_arguments));
    for (size_t i = 0; i < c->other_count; i++)
        all =
            term_and2(g->store, all, all_facts(g, c->others[i].predicate, c->others[i].arguments));
    return g->stage >= BOUNDS ? term_and2(g->store, all, quotients_facts(g->store, all)) : all;
}

// Facts about the head from the first on that the model of the premise does not have go.
static void drop_refuted(struct guesses *g, const struct smt_horn_clause *c, struct smt *smt,
                         size_t first)
{
    struct term_vector *facts = &g->facts[c->head];
    size_t kept = first;
    for (size_t i = first; i < facts->count; i++) {
        const struct term *value =
            smt_model_value(smt, applied(g, c->head, c->head_arguments, facts->data[i]));
        if (value != NULL && term_is_true(value))
            facts->data[kept++] = facts->data[i];
    }
    facts->count = kept;
}

// Leaves the facts that the clause keeps. True when some went. A SAT solver is asked of one fact at a time: that some of them fails is
// a question about all sums at once, which takes long.
static bool keep_implied(struct guesses *g, const struct smt_horn_clause *c)
{
    struct term_vector *facts = &g->facts[c->head];
    const size_t before = facts->count;
    struct smt *smt = smt_create(g->solver);
    smt_assert(smt, premise(g, c));
    for (size_t i = 0; i < facts->count && workspace_step(g->workspace, 1);) {
        const size_t left = facts->count, asked = g->sat ? 1 : left - i;
        const struct term *some = term_and(g->store, facts->data + i, asked);
        smt_push(smt);
        smt_assert(smt, term_not(g->store, applied(g, c->head, c->head_arguments, some)));
        enum smt_result result = smt_check(smt);
        if (result == SMT_SAT)
            drop_refuted(g, c, smt, i);
        smt_pop(smt, 1);
        if (result == SMT_UNSAT)
            i += asked;
        else if (facts->count == left) // undecided, or the model does not say: these go
            for (size_t k = 0; k < asked; k++)
                facts->data[i + k] = facts->data[--facts->count];
    }
    smt_destroy(smt);
    return facts->count < before;
}

static bool is_ruled_out(struct guesses *g, const struct smt_horn_clause *c)
{
    struct smt *smt = smt_create(g->solver);
    smt_assert(smt, premise(g, c));
    bool out = smt_check(smt) == SMT_UNSAT;
    smt_destroy(smt);
    return workspace_step(g->workspace, 1) && out;
}

// How many guesses the premise of a clause rests on: while that stays, so does what was said of its head.
static size_t resting_on(const struct guesses *g, const struct smt_horn_clause *c)
{
    size_t count = c->body != SMT_HORN_NONE ? g->facts[c->body].count : 0;
    for (size_t i = 0; i < c->other_count; i++)
        count += g->facts[c->others[i].predicate].count;
    return count;
}

// Guesses, drops what some clause does not keep, and knows the rest. Do the facts rule the query out?
static bool settle(struct guesses *g)
{
    const struct smt_horn *problem = g->problem;
    size_t *asked = memory_zalloc((problem->clause_count + 1) * sizeof *asked); // + 1
    bool going = true;
    for (uint32_t i = 0; i < problem->predicate_count; i++)
        guess_facts(g, i);
    for (bool changed = true; changed && going;) {
        changed = false;
        for (size_t i = 0; i < problem->clause_count && going; i++) {
            const struct smt_horn_clause *c = &problem->clauses[i];
            const size_t now = resting_on(g, c) + 1;
            if (c->head == problem->query || asked[i] == now)
                continue;
            asked[i] = now;
            changed = keep_implied(g, c) || changed;
            going = workspace_step(g->workspace, 0);
        }
    }
    for (size_t i = 0; i < problem->clause_count && going; i++)
        if (problem->clauses[i].head == problem->query)
            going = is_ruled_out(g, &problem->clauses[i]);
    for (size_t i = 0; i < problem->predicate_count; i++) {
        for (size_t k = 0; k < g->facts[i].count; k++)
            VECTOR_PUSH(&g->known[i], g->facts[i].data[k]);
        VECTOR_CLEAR(&g->facts[i]);
    }
    memory_free(asked);
    return going;
}

static bool is_finite(const struct smt_horn *problem)
{
    bool finite = true;
    for (size_t i = 0; i < problem->clause_count && finite; i++)
        finite = smt_is_finite(problem->clauses[i].constraint);
    return finite;
}

// What the proof rests on: by predicate and fact of `known`.
struct support {
    bool **needed;
    VECTOR(uint32_t)
    predicates; // those of which a fact became needed and its clauses were not looked at since
};

static void note_needed(struct guesses *g, struct support *support, uint32_t predicate,
                        const struct term *const *arguments, const struct term_vector *core)
{
    const struct term_vector *known = &g->known[predicate];
    bool some = false;
    for (size_t i = 0; i < known->count; i++) {
        if (support->needed[predicate][i] ||
            !term_vector_contains(core, applied(g, predicate, arguments, known->data[i])))
            continue;
        support->needed[predicate][i] = some = true;
    }
    if (some)
        VECTOR_PUSH(&support->predicates, predicate);
}

static void assume_known(struct guesses *g, struct term_vector *out, uint32_t predicate,
                         const struct term *const *arguments)
{
    for (size_t i = 0; i < g->known[predicate].count; i++)
        VECTOR_PUSH(out, applied(g, predicate, arguments, g->known[predicate].data[i]));
}

// Which facts of its premise does a clause without quotients need for this conclusion? False: it was not shown again.
static bool support_conclusion(struct guesses *g, const struct smt_horn_clause *c,
                               const struct term *conclusion, struct support *support)
{
    struct term_vector assumed = {0}, core = {0};
    struct smt *smt = smt_create(g->solver);
    smt_assert(smt, c->constraint);
    smt_assert(smt, term_not(g->store, conclusion));
    if (c->body != SMT_HORN_NONE)
        assume_known(g, &assumed, c->body, c->body_arguments);
    for (size_t i = 0; i < c->other_count; i++)
        assume_known(g, &assumed, c->others[i].predicate, c->others[i].arguments);
    bool good = smt_check_assuming(smt, assumed.data, assumed.count) == SMT_UNSAT &&
                smt_unsat_core(smt, &core) && workspace_step(g->workspace, 1);
    if (good && c->body != SMT_HORN_NONE)
        note_needed(g, support, c->body, c->body_arguments, &core);
    for (size_t i = 0; good && i < c->other_count; i++)
        note_needed(g, support, c->others[i].predicate, c->others[i].arguments, &core);
    smt_destroy(smt);
    VECTOR_FINISH(&assumed);
    VECTOR_FINISH(&core);
    return good;
}

// All facts of the head that are needed by now, as one conclusion.
static bool support_clause(struct guesses *g, const struct smt_horn_clause *c,
                           struct support *support)
{
    struct term_vector all = {0};
    if (c->head != g->problem->query)
        for (size_t i = 0; i < g->known[c->head].count; i++)
            if (support->needed[c->head][i])
                VECTOR_PUSH(&all,
                            applied(g, c->head, c->head_arguments, g->known[c->head].data[i]));
    const struct term *conclusion = c->head == g->problem->query
                                        ? term_false(g->store)
                                        : term_and(g->store, all.data, all.count);
    VECTOR_FINISH(&all);
    return support_conclusion(g, c, conclusion, support);
}

// Leaves of a proof what it rests on: who checks it has less to do.
static void keep_needed(struct guesses *g)
{
    const struct smt_horn *problem = g->problem;
    struct support support = {memory_zalloc((problem->predicate_count + 1) * sizeof(bool *)), {0}};
    for (size_t i = 0; i < problem->predicate_count; i++)
        support.needed[i] = memory_zalloc(g->known[i].count + 1);
    bool good = true;
    VECTOR_PUSH(&support.predicates, problem->query);
    while (good && support.predicates.count > 0) {
        uint32_t head = VECTOR_POP(&support.predicates);
        for (size_t i = 0; i < problem->clause_count && good; i++)
            if (problem->clauses[i].head == head)
                good = support_clause(g, &problem->clauses[i], &support);
    }
    for (size_t i = 0; i < problem->predicate_count; i++) {
        size_t kept = 0;
        for (size_t k = 0; good && k < g->known[i].count; k++)
            if (support.needed[i][k])
                g->known[i].data[kept++] = g->known[i].data[k];
        g->known[i].count = good ? kept : g->known[i].count;
        memory_free(support.needed[i]);
    }
    memory_free(support.needed);
    VECTOR_FINISH(&support.predicates);
}

// False: there is none before `last`.
static bool next_stage(struct guesses *g, int last)
{
    const bool few = !g->patient && g->quotients;
    if ((int)g->stage >= last || (few && g->stage == TABLES))
        return false;
    g->stage = few ? TABLES : g->stage + 1;
    if (g->stage == TABLES)
        horn_runs_tabulate(g->runs, g->largest + 1);
    return true;
}

// From here on the clauses are these.
static void take(struct guesses *g, const struct smt_horn *problem)
{
    g->problem = problem;
    g->stage = EQUATIONS;
    g->began = false;
    g->quotients = false;
    VECTOR_CLEAR(&g->literals);
    look_through(g);
    // What is added up is easier for a SAT solver than for Z3; quotients are not.
    g->sat = !g->quotients && is_finite(problem);
}

// What the weaker clauses imply the clauses imply, too.
static void forget_quotients(struct guesses *g)
{
    const struct smt_horn *exact = g->exact;
    bool some = false;
    g->weak = memory_alloc((exact->clause_count + 1) * sizeof *g->weak);
    for (size_t i = 0; i < exact->clause_count; i++) {
        g->weak[i] = exact->clauses[i];
        g->weak[i].constraint = quotients_forget(g->store, exact->clauses[i].constraint);
        some = some || g->weak[i].constraint != exact->clauses[i].constraint;
    }
    g->weak_problem = *exact;
    g->weak_problem.clauses = g->weak;
    take(g, some ? &g->weak_problem : exact);
}

struct guesses *guesses_create(struct workspace *workspace, const struct smt_horn *problem,
                               struct horn_runs *runs, bool patient)
{
    assert(workspace->solver != NULL);
    struct guesses *g = memory_zalloc(sizeof *g);
    g->workspace = workspace;
    g->store = workspace->store;
    g->exact = problem;
    g->runs = runs;
    g->patient = patient;
    forget_quotients(g);
    g->facts = memory_zalloc((problem->predicate_count + 1) * sizeof *g->facts);
    g->known = memory_zalloc((problem->predicate_count + 1) * sizeof *g->known);
    return g;
}

void guesses_destroy(struct guesses *g)
{
    for (size_t i = 0; i < g->problem->predicate_count; i++) {
        VECTOR_FINISH(&g->facts[i]);
        VECTOR_FINISH(&g->known[i]);
    }
    memory_free(g->facts);
    memory_free(g->known);
    VECTOR_FINISH(&g->literals);
    memory_free(g->weak);
    memory_free(g);
}

static bool prove(struct guesses *g, int last)
{
    g->solver = g->sat ? workspace_bits_solver(g->workspace) : g->workspace->solver;
    if (g->solver == NULL)
        return false;
    bool proved = !g->began && settle(g);
    g->began = true;
    while (!proved && workspace_step(g->workspace, 0) && next_stage(g, last))
        proved = settle(g);
    if (proved && g->sat) // for the core
        keep_needed(g);
    return proved;
}

bool guesses_prove(struct guesses *g, bool all, const struct term **out)
{
    assert(g->runs != NULL && (int)g->stage <= POWERS);
    const int last = all ? POWERS : DIFFERENCES;
    bool proved = prove(g, last);
    if (!proved && g->problem != g->exact && workspace_step(g->workspace, 0)) {
        take(g, g->exact);
        proved = prove(g, last);
    }
    for (size_t i = 0; i < g->problem->predicate_count; i++)
        out[i] = i == g->problem->query ? term_false(g->store) : found(g, (uint32_t)i);
    return proved;
}
