#include "engines/bounded/affine_bits.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/bounded/bit_hull.h"
#include "logic/terms/rewrite.h"

#define MOST_ASSIGNMENTS 20000 // looked at, for one width
#define MOST_COLUMNS 40
#define MOST_BYTES (128 << 20) // of all hulls of one width
#define MOST_CONDITIONALS 8    // inside one another
#define NO_COLUMN SIZE_MAX

// Bit-vectors of one width, and the lowest bits of wider ones: of sums they are the sums of the lowest bits.
struct group {
    struct monolith *m;
    const struct sort *sort;
    const struct variable *column[BIT_HULL_COLUMNS];
    size_t columns;
    struct bit_hull *at;               // per location
    const struct located_facts *facts; // or NULL
    int64_t work;                      // assignments that may still be looked at
};

static size_t column_of(const struct group *g, const struct variable *variable)
{
    for (size_t c = 0; c < g->columns; c++)
        if (g->column[c] == variable)
            return c;
    return NO_COLUMN;
}

// Sums.

// Adds factor * term, whose width is the group's or more, to the sum. False: it is no sum of columns.
static bool add_term(const struct group *g, const struct term *term, uint64_t factor,
                     struct bit_sum *sum)
{
    const struct variable *variable;
    size_t column;
    switch (term->kind) {
    case TERM_BV:
        if (term->sort->width > 64)
            return false;
        sum->constant += factor * term_bv_number(term);
        return true;
    case TERM_VAR:
        variable = model_variable_of(g->m->model, term);
        column = variable != NULL ? column_of(g, variable) : NO_COLUMN;
        if (column != NO_COLUMN)
            sum->coefficient[column] += factor;
        return column != NO_COLUMN;
    case TERM_BV_NEG:
        return add_term(g, term->child[0], 0 - factor, sum);
    case TERM_BV_NOT:
        sum->constant -= factor;
        return add_term(g, term->child[0], 0 - factor, sum);
    case TERM_BV_ADD:
        return add_term(g, term->child[0], factor, sum) && add_term(g, term->child[1], factor, sum);
    case TERM_BV_MUL:
        for (int i = 0; i < 2; i++)
            if (term->child[i]->kind == TERM_BV && term->sort->width <= 64)
                return add_term(g, term->child[1 - i], factor * term_bv_number(term->child[i]),
                                sum);
        return false;
    case TERM_BV_SHL:
        if (term->child[1]->kind != TERM_BV || term->sort->width > 64)
            return false;
        return term_bv_number(term->child[1]) >= g->sort->width ||
               add_term(g, term->child[0], factor << term_bv_number(term->child[1]), sum);
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        return term->child[0]->sort->width >= g->sort->width &&
               add_term(g, term->child[0], factor, sum);
    case TERM_BV_EXTRACT:
        return term->u.extract.low == 0 && add_term(g, term->child[0], factor, sum);
    case TERM_BV_CONCAT:
        return term->child[1]->sort->width >= g->sort->width &&
               add_term(g, term->child[1], factor, sum);
    default:
        return false;
    }
}

// What statements make of a hull.

static void assign(struct group *g, struct bit_hull *hull, size_t column, const struct term *term,
                   unsigned depth)
{
    struct bit_sum sum = {0};
    g->work--;
    if (term->kind == TERM_ITE && depth < MOST_CONDITIONALS) {
        struct bit_hull other = *hull;
        assign(g, hull, column, term->child[1], depth + 1);
        assign(g, &other, column, term->child[2], depth + 1);
        bit_hull_join(hull, &other);
    } else if (add_term(g, term, 1, &sum)) {
        bit_hull_assign(hull, column, &sum);
    } else {
        bit_hull_forget(hull, column);
    }
}

// That of the group, or more.
static bool has_width(const struct group *g, const struct term *t)
{
    return t->sort->kind == SORT_BV && t->sort->width >= g->sort->width;
}

// Both sides are equal.
static void meet(struct group *g, struct bit_hull *hull, const struct term *a, const struct term *b)
{
    struct bit_sum sum = {0};
    if (has_width(g, a) && add_term(g, a, 1, &sum) && add_term(g, b, UINT64_MAX, &sum)) {
        g->work--;
        bit_hull_meet(hull, &sum);
    }
}

static bool is_number_of(const struct term *term, uint64_t number)
{
    return term->kind == TERM_BV && term->sort->width <= 64 && term_bv_number(term) == number;
}

static bool power_of(const struct term *t, uint32_t *exponent)
{
    if (t->kind != TERM_BV || t->sort->width > 64 || term_bv_number(t) == 0 ||
        (term_bv_number(t) & (term_bv_number(t) - 1)) != 0)
        return false;
    *exponent = (uint32_t)__builtin_ctzll(term_bv_number(t));
    return true;
}

// The word whose lowest bits, `bits` of them, the term is, but for its sign. NULL: it is no such term.
static const struct term *lowest_bits(const struct term *t, uint32_t *bits)
{
    switch (t->kind) {
    case TERM_BV_SREM:
    case TERM_BV_UREM:
        return power_of(t->child[1], bits) ? t->child[0] : NULL;
    case TERM_BV_AND:
        if (t->child[1]->kind != TERM_BV || t->sort->width > 64)
            return NULL;
        *bits = (uint32_t)__builtin_popcountll(term_bv_number(t->child[1]));
        return *bits < 64 && term_bv_number(t->child[1]) == (UINT64_C(1) << *bits) - 1 ? t->child[0]
                                                                                       : NULL;
    case TERM_BV_EXTRACT:
        *bits = t->sort->width;
        return t->u.extract.low == 0 ? t->child[0] : NULL;
    default:
        return NULL;
    }
}

// x % 2^k == c says that 2^(w - k) x == 2^(w - k) c; x % 2 != 0 that x % 2 == 1.
static void meet_remainder(struct group *g, struct bit_hull *hull, const struct term *c, bool holds)
{
    uint32_t bits, width = g->sort->width;
    const struct term *word = lowest_bits(c->child[0], &bits), *rest = c->child[1];
    if (word == NULL || rest->kind != TERM_BV || rest->sort->width > 64 || bits == 0 ||
        bits > width || !has_width(g, word))
        return;
    uint64_t number = term_bv_number(rest);
    // With sign an odd number's rest may be -1.
    if (!holds && (bits > 1 || number > (c->child[0]->kind == TERM_BV_SREM ? 0 : 1)))
        return;
    struct bit_sum sum = {0};
    uint64_t factor = UINT64_C(1) << (width - bits);
    sum.constant = 0 - factor * (holds ? number : 1 - number);
    g->work--;
    if (add_term(g, word, factor, &sum))
        bit_hull_meet(hull, &sum);
}

// The equation that a condition is or amounts to, if any: x = y, and of words without sign what is at most 0.
static void meet_condition(struct group *g, struct bit_hull *hull, const struct term *condition)
{
    const bool holds = condition->kind != TERM_NOT;
    const struct term *c = holds ? condition : condition->child[0];
    if (holds && c->kind == TERM_AND) {
        for (uint32_t i = 0; i < c->child_count && !hull->empty; i++)
            meet_condition(g, hull, c->child[i]);
        return;
    }
    if (c->kind == TERM_EQ && c->child[0]->sort->kind == SORT_BV)
        meet_remainder(g, hull, c, holds);
    if (c->child_count != 2 || !has_width(g, c->child[0]) || hull->empty)
        return;
    const struct term *a = c->child[0], *b = c->child[1], *least = NULL;
    if (c->kind == TERM_EQ && holds)
        meet(g, hull, a, b);
    else if (c->kind == TERM_BV_ULE)
        least = holds && is_number_of(b, 0) ? a : !holds && is_number_of(a, 1) ? b : NULL;
    else if (c->kind == TERM_BV_ULT)
        least = holds && is_number_of(b, 1) ? a : !holds && is_number_of(a, 0) ? b : NULL;
    if (least != NULL)
        meet(g, hull, least, term_bv(g->m->store, least->sort->width, 0));
}

static void pass(struct group *g, struct bit_hull *hull, const struct statement *s);

static void pass_any(struct group *g, struct bit_hull *hull, const struct statement *s)
{
    struct bit_hull *before = memory_alloc(2 * sizeof *before), *branch = before + 1;
    *before = *hull;
    bit_hull_init(hull, before->width, before->columns);
    for (uint32_t i = 0; i < s->child_count && g->work > 0; i++) {
        *branch = *before;
        g->work--;
        pass(g, branch, s->child[i]);
        bit_hull_join(hull, branch);
    }
    memory_free(before);
}

static void pass(struct group *g, struct bit_hull *hull, const struct statement *s)
{
    size_t column = s->variable != NULL ? column_of(g, s->variable) : NO_COLUMN;
    if (hull->empty || g->work <= 0)
        return;
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSUME:
        hull->empty = term_is_false(s->expression);
        if (!hull->empty)
            meet_condition(g, hull, s->expression);
        break;
    case STATEMENT_ASSIGN:
        if (column != NO_COLUMN)
            assign(g, hull, column, s->expression, 0);
        break;
    case STATEMENT_HAVOC:
        if (column != NO_COLUMN)
            bit_hull_forget(hull, column);
        break;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count; i++)
            pass(g, hull, s->child[i]);
        break;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        pass_any(g, hull, s);
        break;
    }
}

// Where both x <= y and y <= x are facts.
static void meet_facts(struct group *g, struct bit_hull *hull, uint32_t location)
{
    for (size_t i = 0; g->facts != NULL && i < g->facts->count; i++) {
        const struct located_fact *one = &g->facts->data[i];
        const bool order = one->fact->kind == TERM_BV_ULE || one->fact->kind == TERM_BV_SLE;
        for (size_t k = 0; order && one->location == location && k < i; k++) {
            const struct located_fact *other = &g->facts->data[k];
            if (other->location == location && other->fact->kind == one->fact->kind &&
                other->fact->child[0] == one->fact->child[1] &&
                other->fact->child[1] == one->fact->child[0])
                meet(g, hull, one->fact->child[0], one->fact->child[1]);
        }
    }
}

// What lives inside a step has no value between steps.
static void arrive(struct group *g, struct bit_hull *hull, uint32_t location)
{
    meet_facts(g, hull, location);
    for (size_t c = 0; c < g->columns; c++)
        if (!g->m->state[g->column[c]->index])
            bit_hull_forget(hull, c);
}

// False: too much work, or stopped.
static bool propagate(struct group *g)
{
    const struct model *model = g->m->model;
    bool *waits = memory_zalloc((model->location_count + 1) * sizeof *waits);
    struct bit_hull hull;
    bit_hull_init(&hull, g->sort->width, g->columns);
    hull.empty = false;
    for (size_t c = 0; c < g->columns; c++)
        bit_hull_forget(&hull, c);
    pass(g, &hull, model->initial_action);
    arrive(g, &hull, model->initial->index);
    waits[model->initial->index] = bit_hull_join(&g->at[model->initial->index], &hull);
    bool going = true, stopped = false;
    while (going && g->work > 0 && !stopped) {
        going = false;
        stopped = !workspace_step(g->m->workspace, 0);
        for (uint32_t l = 0; l < model->location_count; l++) {
            const struct location *from = model->locations[l];
            if (!waits[l])
                continue;
            going = true;
            waits[l] = false;
            for (uint32_t i = 0; i < from->out_count && g->work > 0; i++) {
                uint32_t to = from->out[i]->target->index;
                hull = g->at[l];
                g->work--;
                pass(g, &hull, from->out[i]->action);
                arrive(g, &hull, to);
                if (bit_hull_join(&g->at[to], &hull))
                    waits[to] = true;
            }
        }
    }
    memory_free(waits);
    return g->work > 0 && !stopped;
}

// Equations as terms.

static const struct term *add_times(const struct group *g, const struct term *sum, uint64_t factor,
                                    const struct term *column)
{
    const struct term *times = term_bv(g->m->store, g->sort->width, factor);
    column = term_bv_extract(g->m->store, column, g->sort->width - 1, 0);
    return term_bv_binary(g->m->store, TERM_BV_ADD, sum,
                          term_bv_binary(g->m->store, TERM_BV_MUL, times, column));
}

// Each factor is made small by its side: a solver multiplies by its digits.
static const struct term *equation(const struct group *g, const struct bit_sum *sum)
{
    uint32_t width = g->sort->width;
    const struct term *left = term_bv(g->m->store, width, 0), *right = left;
    for (size_t i = 0; i < g->columns; i++) {
        uint64_t factor = sum->coefficient[i];
        if (factor <= UINT64_C(1) << (width - 1))
            left = add_times(g, left, factor, g->column[i]->term);
        else
            right = add_times(g, right, 0 - factor, g->column[i]->term);
    }
    const struct term *constant = term_bv(g->m->store, width, 0 - sum->constant);
    return term_eq(g->m->store, left, term_bv_binary(g->m->store, TERM_BV_ADD, right, constant));
}

// All of them are needed for their being inductive, also those that speak of wider ones alone: their lowest bits may be equal where
// nothing is known of all their bits.
static const struct term *inside(const struct group *g, const struct bit_hull *hull)
{
    if (hull->empty)
        return term_false(g->m->store);
    struct bit_sum *sums = memory_alloc((g->columns + 1) * sizeof *sums);
    size_t count = bit_hull_equations(hull, sums);
    struct term_vector parts = {0};
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&parts, equation(g, &sums[i]));
    const struct term *all = term_and(g->m->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    memory_free(sums);
    return all;
}

// A single bit has no equations worth the work.
static bool is_number(const struct sort *sort)
{
    return sort->kind == SORT_BV && sort->width > 1 && sort->width <= 64;
}

static void gather_some(struct group *g, bool state, bool own)
{
    const struct model *model = g->m->model;
    for (uint32_t v = 0; v < model->variable_count && g->columns < MOST_COLUMNS; v++) {
        const struct sort *sort = model->variables[v]->sort;
        bool wanted = own ? sort == g->sort : is_number(sort) && sort->width > g->sort->width;
        if (!wanted || g->m->state[v] != state)
            continue;
        g->column[g->columns++] = model->variables[v];
    }
}

// States first, and those of that width: there may be more variables than columns.
static void gather(struct group *g)
{
    for (int k = 0; k < 4; k++)
        gather_some(g, k < 2, k % 2 == 0);
}

static void prove_width(struct monolith *m, const struct located_facts *facts,
                        const struct sort *sort, const struct term **out)
{
    uint32_t locations = m->model->location_count;
    if (locations >= MOST_BYTES / sizeof(struct bit_hull))
        return;
    struct group g = {.m = m, .sort = sort, .facts = facts, .work = MOST_ASSIGNMENTS};
    gather(&g);
    g.at = memory_alloc((locations + 1) * sizeof *g.at);
    for (uint32_t l = 0; l < locations; l++)
        bit_hull_init(&g.at[l], sort->width, g.columns);
    bool proved = propagate(&g);
    for (uint32_t l = 0; proved && l < locations; l++)
        if (m->model->locations[l] != m->model->error)
            out[l] = term_and2(m->store, out[l], inside(&g, &g.at[l]));
    memory_free(g.at);
}

const struct term **affine_bits_prove(struct monolith *m, const struct located_facts *facts)
{
    const struct model *model = m->model;
    const struct term **out = NULL;
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct sort *sort = model->variables[v]->sort;
        bool first = m->state[v] && is_number(sort);
        for (uint32_t w = 0; w < v && first; w++)
            first = !m->state[w] || model->variables[w]->sort != sort;
        if (!first)
            continue;
        if (out == NULL) {
            out = memory_alloc((model->location_count + 1) * sizeof(struct term *));
            for (uint32_t l = 0; l < model->location_count; l++)
                out[l] = model->locations[l] == model->error ? term_false(m->store)
                                                             : term_true(m->store);
        }
        prove_width(m, facts, sort, out);
    }
    return out;
}
