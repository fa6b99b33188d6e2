#include "engines/bounded/measures.h"

#include <assert.h>

#include "base/memory.h"

#define MOST_MEASURES 600
#define MOST_NUMBERS 12 // variables that are added to and subtracted from one another
#define MOST_WIDTH 128  // of bit-vectors
#define MOST_ATOMS 64
#define MOST_DISTANT 4 // numbers whose distances are looked at
#define MOST_PHASES 6  // atoms that measures are made depend on

// The component.

static bool is_inside(const struct returning *r, const struct location *location)
{
    return r->component[location->index] == r->number;
}

static const struct variable *state_variable(const struct returning *r, const struct term *term)
{
    const struct variable *v = term->kind == TERM_VAR ? model_variable_of(r->m->model, term) : NULL;
    return v != NULL && r->m->state[v->index] ? v : NULL;
}

static void keep(struct returning *r, const struct term *a, const struct term *b)
{
    const struct variable *now = state_variable(r, a), *before = state_variable(r, b);
    if (now != NULL && before != NULL && r->written[now->index] && !r->written[before->index])
        r->kept[now->index] = before->term;
}

typedef void (*visit)(struct returning *r, const struct term *term);

static void find_kept(struct returning *r, const struct term *root)
{
    struct term_vector todo = {0};
    VECTOR_PUSH(&todo, root);
    while (todo.count > 0) {
        const struct term *t = VECTOR_POP(&todo);
        if (t->kind == TERM_EQ) {
            keep(r, t->child[0], t->child[1]);
            keep(r, t->child[1], t->child[0]);
        } else if (t->kind == TERM_AND) {
            for (uint32_t i = 0; i < t->child_count; i++)
                VECTOR_PUSH(&todo, t->child[i]);
        }
    }
    VECTOR_FINISH(&todo);
}

static bool keeps(const struct returning *r, const struct term *variable)
{
    for (uint32_t v = 0; v < r->m->model->variable_count; v++)
        if (r->kept[v] == variable)
            return true;
    return false;
}

static bool is_over(const struct returning *r, const struct term *term,
                    bool (*allowed)(const struct returning *r, const struct variable *v))
{
    struct term_vector variables = {0};
    bool good = true;
    rewrite_free_variables(term, &variables);
    for (size_t i = 0; i < variables.count && good; i++) {
        const struct variable *v = state_variable(r, variables.data[i]);
        good = v != NULL && allowed(r, v);
    }
    VECTOR_FINISH(&variables);
    return good;
}

static bool keeps_nothing(const struct returning *r, const struct variable *v)
{
    return !keeps(r, v->term);
}

// What it is now and what it was can both be told.
static bool is_comparable(const struct returning *r, const struct variable *v)
{
    return r->written[v->index] ? r->kept[v->index] != NULL : !keeps(r, v->term);
}

// Two values that do not change there: a comparison with what was kept, without a say.
static bool compares_fixed(const struct returning *r, const struct term *atom)
{
    if (atom->kind != TERM_EQ)
        return false;
    const struct variable *a = state_variable(r, atom->child[0]),
                          *b = state_variable(r, atom->child[1]);
    return a != NULL && b != NULL && !r->written[a->index] && !r->written[b->index];
}

static bool is_atom(const struct term *t)
{
    switch (t->kind) {
    case TERM_VAR:
        return t->sort->kind == SORT_BOOL;
    case TERM_EQ:
        return t->child[0]->sort->kind != SORT_BOOL;
    case TERM_LE:
    case TERM_LT:
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_SLT:
    case TERM_BV_SLE:
        return true;
    default:
        return false;
    }
}

// In numbers too, which conditions are made into.
static void find_atoms(struct returning *r, const struct term *root)
{
    struct term_vector found = {0};
    uint8_t *seen = memory_zalloc(term_store_next_id(r->m->store) + 1);
    VECTOR_PUSH(&found, root);
    for (size_t i = 0; i < found.count; i++) {
        const struct term *t = found.data[i];
        for (uint32_t c = 0; c < t->child_count; c++) {
            if (!seen[t->child[c]->id])
                VECTOR_PUSH(&found, t->child[c]);
            seen[t->child[c]->id] = 1;
        }
        bool known = !is_atom(t) || compares_fixed(r, t) || (root->flags & TERM_HAS_QUANTIFIER);
        for (size_t k = 0; k < r->atoms.count && !known; k++)
            known = r->atoms.data[k] == t;
        if (!known && r->atoms.count < MOST_ATOMS && is_over(r, t, keeps_nothing))
            VECTOR_PUSH(&r->atoms, t);
    }
    memory_free(seen);
    VECTOR_FINISH(&found);
}

// assigned: at what is assigned, else at what is assumed and asked.
static void look_at(struct returning *r, const struct statement *s, bool assigned, visit see)
{
    bool assigns = s->kind == STATEMENT_ASSIGN;
    if (s->expression != NULL && assigns == assigned)
        see(r, s->expression);
    for (uint32_t i = 0; i < s->child_count; i++)
        look_at(r, s->child[i], assigned, see);
}

bool returning_init(struct returning *r, struct monolith *m, const uint32_t *component,
                    uint32_t number)
{
    const struct model *model = m->model;
    *r = (struct returning){.m = m, .component = component, .number = number};
    r->written = memory_zalloc(model->variable_count + 1);
    r->kept = memory_zalloc((model->variable_count + 1) * sizeof(struct term *));
    for (uint32_t e = 0; e < model->edge_count; e++) {
        const struct edge *edge = model->edges[e];
        bool fails = edge->target == model->error;
        if (!is_inside(r, edge->source) || (!fails && !is_inside(r, edge->target)))
            continue;
        VECTOR_PUSH(&r->ways, edge);
        for (uint32_t v = 0; v < model->variable_count; v++)
            r->written[v] = r->written[v] || m->steps[e].after[v] > 0;
    }
    bool any = false;
    for (size_t i = 0; i < r->ways.count; i++)
        if (r->ways.data[i]->target == model->error)
            look_at(r, r->ways.data[i]->action, false, find_kept);
    for (uint32_t v = 0; v < model->variable_count; v++)
        any = any || r->kept[v] != NULL;
    return any;
}

void returning_find_atoms(struct returning *r)
{
    const struct model *model = r->m->model;
    for (int assigned = 0; assigned < 2; assigned++)
        for (uint32_t e = 0; e < model->edge_count; e++)
            if (is_inside(r, model->edges[e]->source))
                look_at(r, model->edges[e]->action, assigned, find_atoms);
}

void returning_finish(struct returning *r)
{
    memory_free(r->written);
    memory_free(r->kept);
    VECTOR_FINISH(&r->ways);
    VECTOR_FINISH(&r->atoms);
}

// Supporting facts: signs, which much leans on, before others.

static void add_fact(struct term_vector *out, const struct term *fact)
{
    for (size_t i = 0; i < out->count; i++)
        if (out->data[i] == fact)
            return;
    if (!term_is_literal(fact))
        VECTOR_PUSH(out, fact);
}

// What may be left of it when a step was taken: a < b, and then a <= b.
static void add_weaker(struct term_store *store, const struct term *atom, struct term_vector *out)
{
    const struct term *a = atom->child_count > 1 ? atom->child[0] : NULL,
                      *b = atom->child_count > 1 ? atom->child[1] : NULL;
    switch (atom->kind) {
    case TERM_BV_SLE:
    case TERM_BV_ULE:
        add_fact(out, term_bv_binary(store, atom->kind, b, a));
        break;
    case TERM_BV_SLT:
        add_fact(out, term_bv_binary(store, TERM_BV_SLE, a, b));
        break;
    case TERM_BV_ULT:
        add_fact(out, term_bv_binary(store, TERM_BV_ULE, a, b));
        break;
    case TERM_LE:
        add_fact(out, term_le(store, b, a));
        break;
    case TERM_LT:
        add_fact(out, term_le(store, a, b));
        break;
    case TERM_EQ:
        if (a->sort->kind == SORT_BV) {
            add_fact(out, term_bv_binary(store, TERM_BV_SLE, a, b));
            add_fact(out, term_bv_binary(store, TERM_BV_SLE, b, a));
            add_fact(out, term_bv_binary(store, TERM_BV_ULE, a, b));
            add_fact(out, term_bv_binary(store, TERM_BV_ULE, b, a));
        }
        break;
    default:
        break;
    }
}

void measures_support(const struct returning *r, struct term_vector *out)
{
    const struct model *model = r->m->model;
    struct term_store *store = r->m->store;
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct variable *x = model->variables[v];
        if (r->written[v] && r->m->state[v] && x->sort->kind == SORT_BV)
            add_fact(out, term_bv_binary(store, TERM_BV_SLE, term_bv(store, x->sort->width, 0),
                                         x->term));
    }
    for (size_t i = 0; i < r->atoms.count; i++) {
        add_fact(out, r->atoms.data[i]);
        add_weaker(store, r->atoms.data[i], out);
    }
}

// Guessing.

struct guesses {
    const struct returning *r;
    struct term_store *store;
    struct measure_forms *out;
};

static void guess(struct guesses *g, const struct term *value, bool without_sign, bool rising)
{
    if (term_is_literal(value) || g->out->count >= MOST_MEASURES)
        return;
    for (size_t i = 0; i < g->out->count; i++) {
        const struct measure_form *old = &g->out->data[i];
        if (old->value == value && old->without_sign == without_sign && old->rising == rising)
            return;
    }
    struct measure_form form = {value, without_sign, rising};
    VECTOR_PUSH(g->out, form);
}

static void guess_both(struct guesses *g, const struct term *value, bool without_sign)
{
    guess(g, value, without_sign, false);
    guess(g, value, without_sign, true);
}

static bool is_number(const struct sort *sort)
{
    return sort->kind == SORT_INT || sort->kind == SORT_RAT ||
           (sort->kind == SORT_BV && sort->width <= MOST_WIDTH);
}

static bool has_values(const struct sort *sort)
{
    return is_number(sort) || sort->kind == SORT_BOOL;
}

// Wide enough for sums and differences with the other one.
static const struct term *wide(struct guesses *g, bool without_sign, const struct term *t,
                               const struct term *other)
{
    if (t->sort->kind != SORT_BV)
        return t;
    uint32_t width = t->sort->width > other->sort->width ? t->sort->width : other->sort->width;
    return term_bv_extend(g->store, without_sign ? TERM_BV_ZEXT : TERM_BV_SEXT, t,
                          width + 1 + without_sign);
}

static void guess_difference(struct guesses *g, bool without_sign, const struct term *a,
                             const struct term *b)
{
    const struct term *x = wide(g, without_sign, a, b), *y = wide(g, without_sign, b, a);
    bool bits = x->sort->kind == SORT_BV;
    guess_both(
        g,
        bits ? term_bv_binary(g->store, TERM_BV_ADD, x, term_bv_unary(g->store, TERM_BV_NEG, y))
             : term_sub(g->store, x, y),
        false);
}

static void guess_sum(struct guesses *g, bool without_sign, const struct term *a,
                      const struct term *b)
{
    const struct term *x = wide(g, without_sign, a, b), *y = wide(g, without_sign, b, a);
    bool bits = x->sort->kind == SORT_BV;
    guess_both(g, bits ? term_bv_binary(g->store, TERM_BV_ADD, x, y) : term_add2(g->store, x, y),
               false);
}

static bool same_kind(const struct term *a, const struct term *b)
{
    return a->sort == b->sort || (a->sort->kind == SORT_BV && b->sort->kind == SORT_BV);
}

// Its sides.
static void guess_comparison(struct guesses *g, const struct term *atom)
{
    switch (atom->kind) {
    case TERM_LE:
    case TERM_LT:
    case TERM_BV_SLT:
    case TERM_BV_SLE:
        guess_difference(g, false, atom->child[0], atom->child[1]);
        break;
    case TERM_BV_ULT:
    case TERM_BV_ULE:
        guess_difference(g, true, atom->child[0], atom->child[1]);
        break;
    case TERM_EQ:
        if (!is_number(atom->child[0]->sort))
            break;
        guess_difference(g, false, atom->child[0], atom->child[1]);
        guess_difference(g, true, atom->child[0], atom->child[1]);
        break;
    default:
        break;
    }
}

// Those that are written first.
static unsigned numbers_of(const struct returning *r, const struct term **out, unsigned *written)
{
    const struct model *model = r->m->model;
    struct term_vector used = {0};
    unsigned count = 0;
    for (uint32_t v = 0; v < model->variable_count && count < MOST_NUMBERS; v++)
        if (r->written[v] && r->kept[v] != NULL && is_number(model->variables[v]->sort))
            out[count++] = model->variables[v]->term;
    *written = count;
    for (size_t i = 0; i < r->atoms.count; i++)
        rewrite_free_variables(r->atoms.data[i], &used);
    for (size_t i = 0; i < used.count && count < MOST_NUMBERS; i++) {
        const struct variable *v = state_variable(r, used.data[i]);
        bool wanted = v != NULL && !r->written[v->index] && is_number(v->sort);
        for (unsigned k = *written; k < count; k++)
            wanted = wanted && out[k] != used.data[i];
        if (wanted)
            out[count++] = used.data[i];
    }
    VECTOR_FINISH(&used);
    return count;
}

void measures_guess(const struct returning *r, struct measure_forms *out)
{
    const struct model *model = r->m->model;
    struct guesses g = {.r = r, .store = r->m->store, .out = out};
    const struct term *number[MOST_NUMBERS];
    unsigned written, count = numbers_of(r, number, &written);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct variable *x = model->variables[v];
        if (!r->written[v] || r->kept[v] == NULL || !has_values(x->sort))
            continue;
        guess_both(&g, x->term, false);
        if (x->sort->kind == SORT_BV)
            guess_both(&g, x->term, true);
    }
    for (size_t i = 0; i < r->atoms.count; i++)
        if (is_over(r, r->atoms.data[i], is_comparable))
            guess_both(&g, r->atoms.data[i], false);
    for (size_t i = 0; i < r->atoms.count; i++)
        if (is_over(r, r->atoms.data[i], is_comparable))
            guess_comparison(&g, r->atoms.data[i]);
    for (unsigned i = 0; i < written; i++)
        for (unsigned k = i + 1; k < count; k++)
            for (int without_sign = 0; without_sign < 2 && same_kind(number[i], number[k]);
                 without_sign++) {
                guess_difference(&g, without_sign, number[i], number[k]);
                guess_sum(&g, without_sign, number[i], number[k]);
            }
}

void measures_guess_phases(const struct returning *r, struct measure_forms *out)
{
    struct guesses g = {.r = r, .store = r->m->store, .out = out};
    size_t count = out->count;
    unsigned used = 0;
    for (size_t a = 0; a < r->atoms.count && used < MOST_PHASES; a++) {
        const struct term *atom = r->atoms.data[a];
        if (!is_over(r, atom, is_comparable))
            continue;
        used++;
        for (size_t i = 0; i < count; i++) {
            struct measure_form form = out->data[i];
            if (form.value->sort->kind == SORT_BOOL)
                continue;
            const struct term *none = term_default(g.store, form.value->sort);
            guess(&g, term_ite(g.store, atom, form.value, none), form.without_sign, form.rising);
            guess(&g, term_ite(g.store, atom, none, form.value), form.without_sign, form.rising);
        }
    }
}

// Without its sign. The least number of so many bits stays as it is, which is right without sign.
static const struct term *size_of(struct guesses *g, const struct term *x)
{
    const struct term *zero = term_bv(g->store, x->sort->width, 0);
    return term_ite(g->store, term_bv_binary(g->store, TERM_BV_SLT, x, zero),
                    term_bv_unary(g->store, TERM_BV_NEG, x), x);
}

static void guess_distances_of(struct guesses *g, const struct term *a, const struct term *b)
{
    const struct term *x = wide(g, false, a, b), *y = wide(g, false, b, a);
    guess(g,
          size_of(
              g, term_bv_binary(g->store, TERM_BV_ADD, x, term_bv_unary(g->store, TERM_BV_NEG, y))),
          true, false);
    for (int without_sign = 0; without_sign < 2 && a->sort == b->sort; without_sign++) {
        const struct term *above =
            term_bv_binary(g->store, without_sign ? TERM_BV_ULE : TERM_BV_SLE, a, b);
        guess_both(g, term_ite(g->store, above, b, a), without_sign);
        guess_both(g, term_ite(g->store, above, a, b), without_sign);
    }
}

void measures_guess_distances(const struct returning *r, struct measure_forms *out)
{
    struct guesses g = {.r = r, .store = r->m->store, .out = out};
    const struct term *number[MOST_NUMBERS];
    unsigned written, count = numbers_of(r, number, &written);
    count = count < MOST_DISTANT ? count : MOST_DISTANT;
    for (unsigned i = 0; i < written && i < count; i++) {
        if (number[i]->sort->kind != SORT_BV)
            continue;
        guess(&g, size_of(&g, number[i]), true, false);
        for (unsigned k = i + 1; k < count; k++)
            if (number[k]->sort->kind == SORT_BV)
                guess_distances_of(&g, number[i], number[k]);
    }
}

const struct term *measures_less(struct term_store *store, const struct measure_form *form,
                                 const struct term *a, const struct term *b)
{
    assert(a->sort == b->sort && a->sort == form->value->sort && has_values(a->sort));
    const struct term *low = form->rising ? b : a, *high = form->rising ? a : b;
    if (a->sort->kind == SORT_BOOL)
        return term_and2(store, term_not(store, low), high);
    if (a->sort->kind == SORT_BV)
        return term_bv_binary(store, form->without_sign ? TERM_BV_ULT : TERM_BV_SLT, low, high);
    return term_lt(store, low, high);
}

static const struct term *kept_variable(void *context, const struct term *variable)
{
    const struct returning *r = context;
    const struct variable *v = model_variable_of(r->m->model, variable);
    assert(v != NULL && is_comparable(r, v));
    return r->kept[v->index] != NULL ? r->kept[v->index] : variable;
}

const struct term *measures_kept(const struct returning *r, const struct term *value)
{
    return rewrite_substitute(r->m->store, value, kept_variable, (void *)r);
}
