#include "engines/cegar/linear_rows.h"

#include <assert.h>
#include <string.h>

#define COLUMN_NAME "linear.column"

void rows_init(struct rows *rows, struct term_store *store)
{
    *rows = (struct rows){.store = store};
}

static void row_clear(struct row *row)
{
    for (size_t i = 0; i < row->count; i++)
        mpz_clear(row->entries[i].coefficient);
    memory_free(row->entries);
    mpz_clear(row->constant);
}

void rows_truncate(struct rows *rows, size_t row_count, size_t column_count)
{
    assert(row_count <= rows->rows.count && column_count <= rows->columns.count);
    while (rows->rows.count > row_count)
        row_clear(&VECTOR_POP(&rows->rows));
    rows->columns.count = column_count;
}

void rows_finish(struct rows *rows)
{
    rows_truncate(rows, 0, 0);
    VECTOR_FINISH(&rows->rows);
    VECTOR_FINISH(&rows->columns);
}

void rows_literal_value(mpq_t out, const struct term *literal)
{
    assert(literal->kind == TERM_INT || literal->kind == TERM_RAT);
    struct value value = term_value(literal);
    if (value_is_small(value))
        mpq_set_si(out, value_small_get(value), 1);
    else
        mpq_set_str(out, value_pointer_get(value)->u.text, 10);
}

const struct term *rows_literal(struct rows *rows, const struct sort *sort, const mpz_t value)
{
    bool integer = sort->kind == SORT_INT;
    if (mpz_fits_slong_p(value))
        return integer ? term_int(rows->store, mpz_get_si(value))
                       : term_rat(rows->store, mpz_get_si(value), 1);
    char *text = memory_alloc(mpz_sizeinbase(value, 10) + 2);
    mpz_get_str(text, 10, value);
    const struct term *literal =
        integer ? term_int_text(rows->store, text) : term_rat_text(rows->store, text, "1");
    memory_free(text);
    return literal;
}

// A sum under construction, with rational coefficients.
struct monomial {
    uint32_t column;
    mpq_t coefficient;
};

struct sum {
    struct rows *rows;
    uint32_t part;
    const struct term *conditional; // met on the way
    VECTOR(struct monomial) monomials;
    mpq_t constant;
};

static uint32_t column_of(struct rows *rows, const struct term *base, uint32_t part)
{
    // Few columns: what does not take part in the contradiction was taken out before.
    for (size_t i = 0; i < rows->columns.count; i++)
        if (rows->columns.data[i].base == base)
            return (uint32_t)i;
    uint32_t number = (uint32_t)rows->columns.count;
    const struct term *name = term_var(rows->store, COLUMN_NAME, sort_rat(rows->store));
    struct row_column column = {base, term_var_copy(rows->store, name, number + 1), part};
    VECTOR_PUSH(&rows->columns, column);
    return number;
}

static void sum_add_column(struct sum *sum, const struct term *base, const mpq_t factor)
{
    uint32_t column = column_of(sum->rows, base, sum->part);
    for (size_t i = 0; i < sum->monomials.count; i++) {
        struct monomial *m = &sum->monomials.data[i];
        if (m->column == column) {
            mpq_add(m->coefficient, m->coefficient, factor);
            return;
        }
    }
    struct monomial m = {.column = column};
    mpq_init(m.coefficient);
    mpq_set(m.coefficient, factor);
    VECTOR_PUSH(&sum->monomials, m);
}

static void sum_add(struct sum *sum, const struct term *term, const mpq_t factor);

// A product begins with its literal, if it has one.
static void sum_add_product(struct sum *sum, const struct term *product, const mpq_t factor)
{
    assert(product->kind == TERM_MUL && product->child_count >= 2);
    if (!term_is_literal(product->child[0])) {
        sum_add_column(sum, product, factor);
        return;
    }
    mpq_t own;
    mpq_init(own);
    rows_literal_value(own, product->child[0]);
    mpq_mul(own, own, factor);
    sum_add(sum, term_mul(sum->rows->store, product->child + 1, product->child_count - 1), own);
    mpq_clear(own);
}

static void sum_add_literal(struct sum *sum, const struct term *literal, const mpq_t factor)
{
    mpq_t value;
    mpq_init(value);
    rows_literal_value(value, literal);
    mpq_mul(value, value, factor);
    mpq_add(sum->constant, sum->constant, value);
    mpq_clear(value);
}

static void sum_add(struct sum *sum, const struct term *term, const mpq_t factor)
{
    if (term_is_literal(term)) {
        sum_add_literal(sum, term, factor);
    } else if (term->kind == TERM_ADD) {
        for (uint32_t i = 0; i < term->child_count; i++)
            sum_add(sum, term->child[i], factor);
    } else if (term->kind == TERM_MUL) {
        sum_add_product(sum, term, factor);
    } else if (term->kind == TERM_TO_RAT) {
        sum_add(sum, term->child[0], factor);
    } else if (term->kind == TERM_ITE) {
        sum->conditional = term;
    } else {
        sum_add_column(sum, term, factor);
    }
}

static void sum_finish(struct sum *sum)
{
    for (size_t i = 0; i < sum->monomials.count; i++)
        mpq_clear(sum->monomials.data[i].coefficient);
    VECTOR_FINISH(&sum->monomials);
    mpq_clear(sum->constant);
}

static void scale(mpz_t out, const mpq_t value, const mpz_t factor)
{
    assert(mpz_divisible_p(factor, mpq_denref(value)));
    mpz_divexact(out, factor, mpq_denref(value));
    mpz_mul(out, out, mpq_numref(value));
}

// The sum times the least common multiple of its denominators.
static void row_from_sum(struct row *row, const struct sum *sum)
{
    mpz_t factor;
    mpz_init_set(factor, mpq_denref(sum->constant));
    for (size_t i = 0; i < sum->monomials.count; i++)
        mpz_lcm(factor, factor, mpq_denref(sum->monomials.data[i].coefficient));
    mpz_init(row->constant);
    scale(row->constant, sum->constant, factor);
    row->entries = memory_alloc(sum->monomials.count * sizeof *row->entries);
    for (size_t i = 0; i < sum->monomials.count; i++) {
        const struct monomial *m = &sum->monomials.data[i];
        if (mpq_sgn(m->coefficient) == 0)
            continue;
        struct row_entry *entry = &row->entries[row->count++];
        entry->column = m->column;
        mpz_init(entry->coefficient);
        scale(entry->coefficient, m->coefficient, factor);
    }
    mpz_clear(factor);
}

static bool row_is_integer(const struct rows *rows, const struct row *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (rows->columns.data[row->entries[i].column].base->sort->kind != SORT_INT)
            return false;
    return true;
}

static void row_set_false(struct row *row)
{
    for (size_t i = 0; i < row->count; i++)
        mpz_clear(row->entries[i].coefficient);
    row->count = 0;
    row->relation = ROW_LE;
    mpz_set_ui(row->constant, 1);
}

// All columns are integers: < becomes <=, the constant is rounded to a multiple of the divisor.
static void row_tighten(struct row *row)
{
    if (row->relation == ROW_LT) {
        mpz_add_ui(row->constant, row->constant, 1);
        row->relation = ROW_LE;
    }
    if (row->count == 0)
        return;
    mpz_t divisor;
    mpz_init(divisor);
    for (size_t i = 0; i < row->count; i++)
        mpz_gcd(divisor, divisor, row->entries[i].coefficient);
    assert(mpz_sgn(divisor) > 0 && "no coefficient is 0");
    if (row->relation == ROW_EQ && !mpz_divisible_p(row->constant, divisor)) {
        row_set_false(row);
    } else {
        for (size_t i = 0; i < row->count; i++)
            mpz_divexact(row->entries[i].coefficient, row->entries[i].coefficient, divisor);
        mpz_cdiv_q(row->constant, row->constant, divisor);
    }
    mpz_clear(divisor);
}

static void push_row(struct rows *rows, const struct sum *sum, enum row_relation relation,
                     uint32_t level)
{
    struct row row = {.relation = relation, .part = sum->part, .level = level};
    row_from_sum(&row, sum);
    if (row_is_integer(rows, &row))
        row_tighten(&row);
    VECTOR_PUSH(&rows->rows, row);
}

const struct term *rows_add(struct rows *rows, enum row_relation relation, const struct term *a,
                            const struct term *b, uint32_t part, uint32_t level)
{
    assert(a->sort == b->sort);
    size_t columns = rows->columns.count;
    struct sum sum = {.rows = rows, .part = part};
    mpq_init(sum.constant);
    mpq_t one;
    mpq_init(one);
    mpq_set_si(one, 1, 1);
    sum_add(&sum, a, one);
    mpq_neg(one, one);
    sum_add(&sum, b, one);
    mpq_clear(one);
    if (sum.conditional == NULL)
        push_row(rows, &sum, relation, level);
    else
        rows->columns.count = columns;
    sum_finish(&sum);
    return sum.conditional;
}

void rows_add_false(struct rows *rows, uint32_t part, uint32_t level)
{
    struct row row = {.relation = ROW_LE, .part = part, .level = level};
    mpz_init_set_ui(row.constant, 1);
    VECTOR_PUSH(&rows->rows, row);
}

const struct term *rows_relaxed(struct rows *rows, const struct row *row)
{
    struct term_store *store = rows->store;
    const struct sort *rat = sort_rat(store);
    const struct term *sum = rows_literal(rows, rat, row->constant);
    for (size_t i = 0; i < row->count; i++) {
        const struct row_entry *entry = &row->entries[i];
        const struct term *factor = rows_literal(rows, rat, entry->coefficient);
        const struct term *column = rows->columns.data[entry->column].relaxed;
        sum = term_add2(store, sum, term_mul2(store, factor, column));
    }
    const struct term *zero = term_rat(store, 0, 1);
    if (row->relation == ROW_EQ)
        return term_eq(store, sum, zero);
    return row->relation == ROW_LE ? term_le(store, sum, zero) : term_lt(store, sum, zero);
}

// The makers of the comparison divide by common divisors and round.
const struct term *rows_inequality(struct rows *rows, const mpz_t *coefficients,
                                   const mpz_t constant, bool strict)
{
    struct term_store *store = rows->store;
    const struct sort *sort = sort_int(store);
    for (size_t i = 0; i < rows->columns.count; i++)
        if (mpz_sgn(coefficients[i]) != 0 && rows->columns.data[i].base->sort != sort)
            sort = sort_rat(store);
    const struct term *sum = rows_literal(rows, sort, constant);
    for (size_t i = 0; i < rows->columns.count; i++) {
        if (mpz_sgn(coefficients[i]) == 0)
            continue;
        const struct term *base = rows->columns.data[i].base;
        if (base->sort != sort)
            base = term_to_rat(store, base);
        const struct term *factor = rows_literal(rows, sort, coefficients[i]);
        sum = term_add2(store, sum, term_mul2(store, factor, base));
    }
    const struct term *zero = term_default(store, sort);
    return strict ? term_lt(store, sum, zero) : term_le(store, sum, zero);
}
