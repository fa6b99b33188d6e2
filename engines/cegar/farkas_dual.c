#include "engines/cegar/farkas_dual.h"

#include <assert.h>

#define MULTIPLIER_NAME "farkas.multiplier"

struct dual {
    struct rows *rows;
    const uint32_t *chosen;
    size_t count;
    const struct term *zero;
    const struct term **multipliers; // the unknowns, one for each chosen row
    const struct term **columns;     // Σ multiplier * coefficient, one for each column
    const struct term *constant;     // Σ multiplier * constant
    const struct term *strict;       // Σ multiplier over the strict rows
};

static const struct row *chosen_row(const struct dual *dual, size_t i)
{
    return &dual->rows->rows.data[dual->chosen[i]];
}

static const struct term *add_multiple(struct dual *dual, const struct term *sum,
                                       const mpz_t factor, const struct term *multiplier)
{
    struct term_store *store = dual->rows->store;
    const struct term *literal = rows_literal(dual->rows, sort_rat(store), factor);
    return term_add2(store, sum, term_mul2(store, literal, multiplier));
}

static void dual_build(struct dual *dual)
{
    struct term_store *store = dual->rows->store;
    const struct term *name = term_var(store, MULTIPLIER_NAME, sort_rat(store));
    for (size_t c = 0; c < dual->rows->columns.count; c++)
        dual->columns[c] = dual->zero;
    for (size_t i = 0; i < dual->count; i++) {
        const struct row *row = chosen_row(dual, i);
        const struct term *multiplier = term_var_copy(store, name, (uint32_t)i + 1);
        dual->multipliers[i] = multiplier;
        for (size_t e = 0; e < row->count; e++) {
            const struct term **column = &dual->columns[row->entries[e].column];
            *column = add_multiple(dual, *column, row->entries[e].coefficient, multiplier);
        }
        dual->constant = add_multiple(dual, dual->constant, row->constant, multiplier);
        if (row->relation == ROW_LT)
            dual->strict = term_add2(store, dual->strict, multiplier);
    }
}

static void dual_assert(const struct dual *dual, struct smt *smt)
{
    struct term_store *store = dual->rows->store;
    for (size_t i = 0; i < dual->count; i++)
        if (chosen_row(dual, i)->relation != ROW_EQ)
            smt_assert(smt, term_le(store, dual->zero, dual->multipliers[i]));
    for (size_t c = 0; c < dual->rows->columns.count; c++)
        smt_assert(smt, term_eq(store, dual->columns[c], dual->zero));
    // Multipliers may be scaled at will: either of the two sums is positive.
    smt_assert(smt, term_le(store, dual->zero, dual->constant));
    const struct term *both = term_add2(store, dual->constant, dual->strict);
    smt_assert(smt, term_eq(store, both, term_rat(store, 1, 1)));
}

// The model's values times the least common multiple of their denominators.
static bool dual_read(const struct dual *dual, struct smt *smt, mpz_t *out)
{
    mpq_t *values = memory_alloc(dual->count * sizeof *values);
    mpz_t factor;
    mpz_init_set_ui(factor, 1);
    bool complete = true;
    for (size_t i = 0; i < dual->count; i++) {
        const struct term *value = smt_model_value(smt, dual->multipliers[i]);
        mpq_init(values[i]);
        if (value == NULL || !term_is_literal(value))
            complete = false;
        else
            rows_literal_value(values[i], value);
        mpz_lcm(factor, factor, mpq_denref(values[i]));
    }
    for (size_t i = 0; i < dual->count; i++) {
        if (complete) {
            mpz_divexact(out[i], factor, mpq_denref(values[i]));
            mpz_mul(out[i], out[i], mpq_numref(values[i]));
        }
        mpq_clear(values[i]);
    }
    mpz_clear(factor);
    memory_free(values);
    return complete;
}

bool farkas_multipliers(struct rows *rows, const uint32_t *chosen, size_t count, struct smt *smt,
                        mpz_t *out)
{
    const struct term *zero = term_rat(rows->store, 0, 1);
    struct dual dual = {
        .rows = rows,
        .chosen = chosen,
        .count = count,
        .zero = zero,
        .multipliers = memory_alloc(count * sizeof *dual.multipliers),
        .columns = memory_alloc(rows->columns.count * sizeof *dual.columns),
        .constant = zero,
        .strict = zero,
    };
    dual_build(&dual);
    smt_push(smt);
    dual_assert(&dual, smt);
    bool found = smt_check(smt) == SMT_SAT && dual_read(&dual, smt, out);
    smt_pop(smt, 1);
    memory_free(dual.columns);
    memory_free(dual.multipliers);
    return found;
}

struct partial_sum {
    mpz_t *coefficients;
    mpz_t constant;
    bool strict;
};

static void partial_sum_add(struct partial_sum *sum, const struct row *row, const mpz_t multiplier)
{
    if (mpz_sgn(multiplier) == 0)
        return;
    assert(row->relation == ROW_EQ || mpz_sgn(multiplier) > 0);
    for (size_t e = 0; e < row->count; e++)
        mpz_addmul(sum->coefficients[row->entries[e].column], row->entries[e].coefficient,
                   multiplier);
    mpz_addmul(sum->constant, row->constant, multiplier);
    sum->strict = sum->strict || row->relation == ROW_LT;
}

void farkas_partial_sums(struct rows *rows, const uint32_t *chosen, size_t count,
                         const mpz_t *multipliers, size_t cuts, const struct term **out)
{
    struct partial_sum sum = {.coefficients =
                                  memory_alloc(rows->columns.count * sizeof *sum.coefficients)};
    for (size_t c = 0; c < rows->columns.count; c++)
        mpz_init(sum.coefficients[c]);
    mpz_init(sum.constant);
    for (size_t cut = 0; cut < cuts; cut++) {
        for (size_t i = 0; i < count; i++)
            if (rows->rows.data[chosen[i]].part == cut)
                partial_sum_add(&sum, &rows->rows.data[chosen[i]], multipliers[i]);
        out[cut] = rows_inequality(rows, sum.coefficients, sum.constant, sum.strict);
    }
    for (size_t c = 0; c < rows->columns.count; c++)
        mpz_clear(sum.coefficients[c]);
    mpz_clear(sum.constant);
    memory_free(sum.coefficients);
}
