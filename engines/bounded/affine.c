#include "engines/bounded/affine.h"

#include <assert.h>
#include <gmp.h>

#include "base/memory.h"
#include "engines/cegar/linear_rows.h"

#define MOST_COLUMNS 40
#define MOST_CHECKS 1000
#define MOST_SOLVER_STEPS 30000 // of one check

// A point and directions from it, in reduced echelon form: a direction has 1 at its pivot, where all others have 0.
struct hull {
    bool empty;
    mpq_t *point;
    mpq_t *direction[MOST_COLUMNS];
    size_t pivot[MOST_COLUMNS], directions;
    const struct term *inside; // its equations, over plain variables
};

struct affine {
    struct monolith *m;
    const struct term *const *known; // per location, or NULL
    struct rows rows;                // for literals only
    const struct term *column[MOST_COLUMNS], *next[MOST_COLUMNS];
    size_t columns;
    struct hull *hulls; // per location
    unsigned checks;
};

// Vectors, one number for each column.

static mpq_t *vector_make(const struct affine *a)
{
    assert(a->columns > 0 && a->columns <= MOST_COLUMNS);
    mpq_t *vector = memory_alloc(a->columns * sizeof *vector);
    for (size_t i = 0; i < a->columns; i++)
        mpq_init(vector[i]);
    return vector;
}

static void vector_free(const struct affine *a, mpq_t *vector)
{
    for (size_t i = 0; i < a->columns; i++)
        mpq_clear(vector[i]);
    memory_free(vector);
}

// to -= factor * vector
static void vector_subtract(const struct affine *a, mpq_t *to, const mpq_t factor,
                            const mpq_t *vector)
{
    mpq_t product;
    mpq_init(product);
    for (size_t i = 0; i < a->columns; i++) {
        mpq_mul(product, factor, vector[i]);
        mpq_sub(to[i], to[i], product);
    }
    mpq_clear(product);
}

// Takes out what the direction contributes.
static void eliminate(const struct affine *a, mpq_t *from, mpq_t *direction, size_t pivot)
{
    mpq_t factor;
    mpq_init(factor);
    mpq_set(factor, from[pivot]);
    vector_subtract(a, from, factor, direction);
    mpq_clear(factor);
}

// Equations of a hull.

// Σ coefficient * column = Σ coefficient * point, in integers without common divisor.
static const struct term *equation(struct affine *a, const mpq_t *coefficient, const mpq_t *point)
{
    struct term_store *store = a->m->store;
    const struct sort *sort = sort_int(store);
    mpz_t scale, number;
    mpq_t sum, product;
    mpz_init_set_si(scale, 1);
    mpz_init(number);
    mpq_inits(sum, product, NULL);
    for (size_t i = 0; i < a->columns; i++) {
        mpz_lcm(scale, scale, mpq_denref(coefficient[i]));
        mpq_mul(product, coefficient[i], point[i]);
        mpq_add(sum, sum, product);
    }
    struct term_vector parts = {0};
    for (size_t i = 0; i < a->columns; i++) {
        if (mpq_sgn(coefficient[i]) == 0)
            continue;
        mpz_divexact(number, scale, mpq_denref(coefficient[i]));
        mpz_mul(number, number, mpq_numref(coefficient[i]));
        VECTOR_PUSH(&parts, term_mul2(store, rows_literal(&a->rows, sort, number), a->column[i]));
    }
    mpz_mul(mpq_numref(sum), mpq_numref(sum), scale); // points are integers, so this is one
    assert(mpz_divisible_p(mpq_numref(sum), mpq_denref(sum)));
    mpz_divexact(number, mpq_numref(sum), mpq_denref(sum));
    const struct term *left = term_add(store, parts.data, parts.count);
    const struct term *made = term_eq(store, left, rows_literal(&a->rows, sort, number));
    VECTOR_FINISH(&parts);
    mpz_clears(scale, number, NULL);
    mpq_clears(sum, product, NULL);
    return made;
}

static bool is_pivot(const struct hull *h, size_t column)
{
    for (size_t d = 0; d < h->directions; d++)
        if (h->pivot[d] == column)
            return true;
    return false;
}

// One for each column that is no pivot: its coefficient is 1, and those of the pivots make it vanish on every direction.
static void find_equations(struct affine *a, struct hull *h)
{
    assert(h->directions <= a->columns);
    struct term_vector parts = {0};
    mpq_t *coefficient = vector_make(a);
    for (size_t c = 0; c < a->columns; c++) {
        if (is_pivot(h, c))
            continue;
        for (size_t i = 0; i < a->columns; i++)
            mpq_set_si(coefficient[i], i == c, 1);
        for (size_t d = 0; d < h->directions; d++)
            mpq_neg(coefficient[h->pivot[d]], h->direction[d][c]);
        VECTOR_PUSH(&parts, equation(a, coefficient, h->point));
    }
    h->inside = term_and(a->m->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    vector_free(a, coefficient);
}

// Grows the hull by a point, which it takes. False when the point was inside.
static bool join(struct affine *a, struct hull *h, mpq_t *point)
{
    mpq_t one, scale;
    size_t pivot = 0;
    if (h->empty) {
        h->empty = false;
        h->point = point;
        find_equations(a, h);
        return true;
    }
    mpq_inits(one, scale, NULL);
    mpq_set_si(one, 1, 1);
    vector_subtract(a, point, one, h->point);
    for (size_t d = 0; d < h->directions; d++)
        eliminate(a, point, h->direction[d], h->pivot[d]);
    while (pivot < a->columns && mpq_sgn(point[pivot]) == 0)
        pivot++;
    bool grown = pivot < a->columns;
    if (grown) {
        mpq_inv(scale, point[pivot]);
        for (size_t i = 0; i < a->columns; i++)
            mpq_mul(point[i], point[i], scale);
        for (size_t d = 0; d < h->directions; d++)
            eliminate(a, h->direction[d], point, pivot);
        assert(h->directions < a->columns && !is_pivot(h, pivot));
        h->pivot[h->directions] = pivot;
        h->direction[h->directions++] = point;
        find_equations(a, h);
    } else {
        vector_free(a, point);
    }
    mpq_clears(one, scale, NULL);
    return grown;
}

// Growing.

// The columns' values in the solver's model; NULL when it cannot tell.
static mpq_t *read_point(struct affine *a, struct smt *smt, const struct term *const *columns)
{
    mpq_t *point = vector_make(a);
    for (size_t i = 0; i < a->columns; i++) {
        const struct term *value = smt_model_value(smt, columns[i]);
        if (value == NULL || value->kind != TERM_INT) {
            vector_free(a, point);
            return NULL;
        }
        rows_literal_value(point[i], value);
    }
    return point;
}

// UNSAT: there is no state outside any more. UNKNOWN: give up.
static enum smt_result check(struct affine *a, struct smt *smt)
{
    enum smt_result result = smt_check(smt);
    bool go_on = workspace_step(a->m->workspace, 1) && a->checks++ < MOST_CHECKS;
    return go_on ? result : SMT_UNKNOWN;
}

static bool grow_from_start(struct affine *a, struct smt *smt)
{
    struct hull *h = &a->hulls[a->m->model->initial->index];
    smt_assert(smt, monolith_initial_now(a->m));
    for (;;) {
        smt_push(smt);
        smt_assert(smt, term_not(a->m->store, h->inside));
        enum smt_result result = check(a, smt);
        mpq_t *point = result == SMT_SAT ? read_point(a, smt, a->column) : NULL;
        smt_pop(smt, 1);
        if (result == SMT_UNSAT)
            return true;
        if (point == NULL || !join(a, h, point))
            return false;
    }
}

// The state before the step is inside the hull of its location; or the one after it is not.
static const struct term *side(struct affine *a, bool after)
{
    struct monolith *m = a->m;
    struct term_vector parts = {0};
    for (uint32_t l = 0; l < m->model->location_count; l++) {
        const struct hull *h = &a->hulls[l];
        if (m->model->locations[l] == m->model->error || (h->empty && !after))
            continue;
        const struct term *here = after ? monolith_next(m, m->at[l]) : m->at[l];
        const struct term *what =
            after ? term_not(m->store, monolith_next(m, h->inside)) : h->inside;
        if (!after && a->known != NULL)
            what = term_and2(m->store, what, a->known[l]);
        VECTOR_PUSH(&parts, term_and2(m->store, here, what));
    }
    const struct term *any = term_or(m->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return any;
}

static struct hull *hull_after(struct affine *a, struct smt *smt)
{
    struct monolith *m = a->m;
    for (uint32_t l = 0; l < m->model->location_count; l++) {
        if (m->model->locations[l] == m->model->error)
            continue;
        const struct term *here = smt_model_value(smt, monolith_next(m, m->at[l]));
        if (here != NULL && term_is_true(here))
            return &a->hulls[l];
    }
    return NULL;
}

static bool grow_by_steps(struct affine *a, struct smt *smt)
{
    smt_assert(smt, a->m->transition);
    for (;;) {
        smt_push(smt);
        smt_assert(smt, side(a, false));
        smt_assert(smt, side(a, true));
        enum smt_result result = check(a, smt);
        struct hull *h = result == SMT_SAT ? hull_after(a, smt) : NULL;
        mpq_t *point = h != NULL ? read_point(a, smt, a->next) : NULL;
        smt_pop(smt, 1);
        if (result == SMT_UNSAT)
            return true;
        if (point == NULL || !join(a, h, point))
            return false;
    }
}

static void add_column(struct affine *a, const struct term *column)
{
    if (a->columns == MOST_COLUMNS)
        return;
    a->column[a->columns] = column;
    a->next[a->columns++] = monolith_next(a->m, column);
}

static void add_integers(struct affine *a)
{
    const struct model *model = a->m->model;
    for (uint32_t v = 0; v < model->variable_count; v++)
        if (a->m->state[v] && model->variables[v]->sort->kind == SORT_INT)
            add_column(a, model->variables[v]->term);
}

static bool is_list(const struct sort *sort)
{
    return sort->kind == SORT_ARRAY && sort->key->kind == SORT_INT &&
           sort->element->kind == SORT_INT;
}

// Elements of arrays at the integers.
static void add_elements(struct affine *a)
{
    const struct model *model = a->m->model;
    size_t integers = a->columns;
    for (uint32_t v = 0; v < model->variable_count; v++)
        for (size_t i = 0; i < integers; i++)
            if (a->m->state[v] && is_list(model->variables[v]->sort))
                add_column(a, term_select(a->m->store, model->variables[v]->term, a->column[i]));
}

static const struct term **grow(struct affine *a, struct smt_context *context)
{
    uint32_t locations = a->m->model->location_count;
    const struct term **out = NULL;
    a->checks = 0;
    a->hulls = memory_zalloc(locations * sizeof *a->hulls);
    for (uint32_t l = 0; l < locations; l++)
        a->hulls[l] = (struct hull){.empty = true, .inside = term_false(a->m->store)};
    struct smt *start = smt_create(context), *step = smt_create(context);
    if (grow_from_start(a, start) && grow_by_steps(a, step)) {
        out = memory_alloc(locations * sizeof(struct term *));
        for (uint32_t l = 0; l < locations; l++)
            out[l] = a->hulls[l].inside;
    }
    smt_destroy(start);
    smt_destroy(step);
    for (uint32_t l = 0; l < locations; l++) {
        for (size_t d = 0; d < a->hulls[l].directions; d++)
            vector_free(a, a->hulls[l].direction[d]);
        if (!a->hulls[l].empty)
            vector_free(a, a->hulls[l].point);
    }
    memory_free(a->hulls);
    return out;
}

static const struct term **prove(struct affine *a)
{
    if (a->columns == 0)
        return NULL;
    struct smt_context *context = workspace_limited_solver(a->m->workspace, MOST_SOLVER_STEPS);
    if (context == NULL)
        return NULL;
    rows_init(&a->rows, a->m->store);
    const struct term **out = grow(a, context);
    rows_finish(&a->rows);
    return out;
}

const struct term **affine_prove(struct monolith *m)
{
    struct affine a = {.m = m};
    add_integers(&a);
    return prove(&a);
}

const struct term **affine_prove_elements(struct monolith *m, const struct term *const *known)
{
    struct affine a = {.m = m, .known = known};
    add_integers(&a);
    size_t integers = a.columns;
    add_elements(&a);
    const struct term **out = a.columns > integers ? prove(&a) : NULL;
    for (uint32_t l = 0; out != NULL && l < m->model->location_count; l++)
        out[l] = term_and2(m->store, out[l], known[l]);
    return out;
}
