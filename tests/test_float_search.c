#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/random.h"
#include "logic/smt/float_search.h"
#include "logic/terms/float_notes.h"
#include "logic/terms/float_terms.h"
#include "logic/terms/rewrite.h"
#include "logic/terms/value.h"
#include "tests/part.h"

// Questions about floats by intervals: what has a solution is never refuted, and what intervals tell is.

enum { FLOATS = 3, MOST_TERMS = 60, MOST_FACTS = 24 };

struct fixture {
    struct term_store *store;
    struct random random;
    // Terms, and what they are where the variables have the values that were chosen for them.
    const struct term *term[MOST_TERMS], *value[MOST_TERMS];
    size_t count;
    const struct term *fact[MOST_FACTS];
    size_t fact_count;
    struct term_vector variables, values;
};

static const struct term *value_of(void *context, const struct term *variable)
{
    const struct fixture *f = context;
    for (size_t i = 0; i < f->variables.count; i++)
        if (f->variables.data[i] == variable)
            return f->values.data[i];
    return variable;
}

static const struct term *evaluated(struct fixture *f, const struct term *t)
{
    const struct term *value = rewrite_substitute(f->store, t, value_of, f);
    assert_true(term_is_literal(value));
    return value;
}

static uint64_t any_bits(struct fixture *f, uint32_t width)
{
    static const double special[] = {0.0,    -0.0,  1.0,  -1.0,   0.5,     1e30,
                                     -1e-40, 3e-39, 1e39, 1e-320, -2e-308, 1.5};
    uint64_t bits;
    double d = special[random_below(&f->random, sizeof special / sizeof special[0])];
    unsigned kind = (unsigned)random_below(&f->random, 8);
    if (kind == 0)
        return random_next(&f->random) & (width == 32 ? UINT32_MAX : UINT64_MAX);
    if (kind == 1) // infinities, and what is no number
        return (width == 32 ? 0x7f800000u : (uint64_t)0x7ff << 52) | random_below(&f->random, 2) |
               random_below(&f->random, 2) << (width - 1);
    if (kind > 3)
        d = ((double)random_below(&f->random, 2001) - 1000) / (double)(1 + kind * 9);
    float narrow = (float)d;
    uint32_t narrow_bits;
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    memcpy(&bits, &d, sizeof bits);
    return width == 32 ? narrow_bits : bits;
}

static const struct term *add(struct fixture *f, const struct term *t)
{
    if (f->count < MOST_TERMS) {
        f->term[f->count] = t;
        f->value[f->count++] = evaluated(f, t);
    }
    return t;
}

static const struct term *variable(struct fixture *f, const char *name, const struct term *value)
{
    const struct term *v = term_var(f->store, name, value->sort);
    VECTOR_PUSH(&f->variables, v);
    VECTOR_PUSH(&f->values, value);
    return v;
}

static void know(struct fixture *f, const struct term *fact)
{
    const struct term *value = evaluated(f, fact);
    if (f->fact_count < MOST_FACTS)
        f->fact[f->fact_count++] = term_is_true(value) ? fact : term_not(f->store, fact);
}

static const struct term *some(struct fixture *f, uint32_t width)
{
    for (;;) {
        const struct term *t = f->term[random_below(&f->random, f->count)];
        if (t->sort->kind == SORT_BV && t->sort->width == width)
            return t;
    }
}

// A condition of two floats, or one.
static const struct term *condition(struct fixture *f)
{
    uint32_t width = random_below(&f->random, 2) ? 32 : 64;
    const struct term *a = some(f, width), *b = some(f, width);
    switch (random_below(&f->random, 6)) {
    case 0:
        return float_is_class(f->store, random_below(&f->random, 1024), a);
    case 1: {
        const struct term *fits;
        float_to_integer(f->store, a, random_below(&f->random, 2), 32, &fits);
        return fits;
    }
    case 2:
        return term_eq(f->store, a, b);
    case 3:
        return term_bv_binary(f->store, random_below(&f->random, 2) ? TERM_BV_ULT : TERM_BV_ULE, a,
                              b);
    case 4:
        b = term_bv(f->store, width, any_bits(f, width));
        return float_compare(f->store, random_below(&f->random, 16), a, b);
    default:
        return float_compare(f->store, random_below(&f->random, 16), a, b);
    }
}

static const struct term *operation(struct fixture *f)
{
    uint32_t width = random_below(&f->random, 2) ? 32 : 64;
    const struct term *a = some(f, width), *b = some(f, width), *fits;
    switch (random_below(&f->random, 12)) {
    case 0:
        return float_negate(f->store, a);
    case 1:
        return float_absolute(f->store, a);
    case 2:
        return float_resize(f->store, FLOAT_NEAREST_EVEN, a, 96 - width);
    case 3:
        return float_from_integer(f->store, FLOAT_NEAREST_EVEN, a, random_below(&f->random, 2),
                                  random_below(&f->random, 2) ? 32 : 64);
    case 4:
        return float_to_integer(f->store, a, random_below(&f->random, 2),
                                random_below(&f->random, 2) ? 32 : 64, &fits);
    case 5:
        return term_ite(f->store, condition(f), a, b);
    case 6:
        return term_bv_binary(f->store, TERM_BV_ADD + random_below(&f->random, 2), a, b);
    case 7:
        b = a; // a square, a difference that is zero
        break;
    case 9: { // nearly so
        a = float_binary(f->store, FLOAT_NEAREST_EVEN, FLOAT_MUL, a, b);
        b = float_binary(f->store, FLOAT_NEAREST_EVEN, FLOAT_MUL, b, some(f, width));
        break;
    }
    case 10:
        a = float_binary(f->store, FLOAT_NEAREST_EVEN, FLOAT_ADD, a, b);
        b = float_binary(f->store, FLOAT_NEAREST_EVEN, FLOAT_ADD, b, some(f, width));
        break;
    case 8:
        b = term_bv(f->store, width, any_bits(f, width));
        break;
    default:
        break;
    }
    return float_binary(f->store, FLOAT_NEAREST_EVEN, FLOAT_ADD + random_below(&f->random, 4), a,
                        b);
}

static void make(struct fixture *f, uint64_t seed)
{
    static const char *const names[] = {"x", "y", "z", "u", "v", "w"};
    memset(f, 0, sizeof *f);
    random_init(&f->random, seed);
    f->store = term_store_create(NULL);
    for (uint32_t i = 0; i < 2 * FLOATS; i++) {
        uint32_t width = i < FLOATS ? 32 : 64;
        add(f, variable(f, names[i], term_bv(f->store, width, any_bits(f, width))));
    }
}

static void finish(struct fixture *f)
{
    VECTOR_FINISH(&f->variables);
    VECTOR_FINISH(&f->values);
    term_store_destroy(f->store);
}

static const struct term *primed(void *context, const struct term *variable)
{
    return term_var_copy(context, variable, 7);
}

static bool asks(const struct fixture *f, const struct term *const *facts, size_t count,
                 int64_t *work)
{
    struct float_choices found = {0};
    bool out = float_search_refutes(f->store, facts, count, work, &found);
    assert_true(!out || found.count == 0);
    VECTOR_FINISH(&found);
    return out;
}

static bool refutes(const struct fixture *f, const struct term *const *facts, size_t count)
{
    int64_t work = FLOAT_SEARCH_WORK / 20;
    return asks(f, facts, count, &work);
}

// Where all variables are known, an operation gives what it gives: how many times that was told.
static unsigned refutes_other_results(struct fixture *f)
{
    unsigned told = 0;
    const struct term *known[MOST_TERMS + 1];
    for (size_t v = 0; v < f->variables.count; v++)
        known[v] = term_eq(f->store, f->variables.data[v], f->values.data[v]);
    for (size_t i = 2 * FLOATS; i < f->count; i++) {
        known[f->variables.count] =
            term_not(f->store, float_compare(f->store, 9, f->term[i], f->value[i]));
        if (evaluated(f, known[f->variables.count]) == term_false(f->store))
            told += refutes(f, known, f->variables.count + 1);
    }
    return told;
}

static void what_has_a_solution_is_not_refuted(void **state)
{
    (void)state;
    unsigned told = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct fixture f;
        make(&f, seed);
        for (unsigned i = 0; i < 6; i++) {
            const struct term *t = add(&f, operation(&f));
            char name[8] = {'d', (char)('0' + i)};
            if (random_below(&f.random, 2)) { // by an equation, as programs have it
                const struct term *d = variable(&f, name, evaluated(&f, t));
                know(&f, term_eq(f.store, d, t));
                add(&f, d);
            }
        }
        for (size_t i = 0; i < 2 * FLOATS; i++) // near their values
            for (unsigned side = 0; side < 2 && random_below(&f.random, 4) > 0; side++) {
                uint32_t width = f.term[i]->sort->width;
                const struct term *more =
                    float_binary(f.store, FLOAT_NEAREST_EVEN, side ? FLOAT_ADD : FLOAT_SUB,
                                 f.value[i], term_bv(f.store, width, any_bits(&f, width)));
                know(&f, float_compare(f.store, side ? 5 : 3, f.term[i], more));
            }
        for (unsigned i = 0; i < 5; i++) {
            const struct term *c = condition(&f), *d = condition(&f);
            unsigned kind = (unsigned)random_below(&f.random, 3);
            know(&f, kind == 0   ? c
                     : kind == 1 ? term_or2(f.store, c, d)
                                 : term_and2(f.store, c, term_not(f.store, d)));
        }
        assert_false(refutes(&f, f.fact, f.fact_count));
        // Under other names, too.
        const struct term *renamed[MOST_FACTS];
        for (size_t i = 0; i < f.fact_count; i++)
            renamed[i] = rewrite_substitute(f.store, f.fact[i], primed, f.store);
        assert_false(refutes(&f, renamed, f.fact_count));
        // What a float is, all facts told, and that it is not.
        for (size_t i = 0; i < f.count && f.fact_count < MOST_FACTS; i++) {
            const struct term *same = term_eq(f.store, f.term[i], f.value[i]);
            f.fact[f.fact_count] = same;
            assert_false(refutes(&f, f.fact, f.fact_count + 1));
        }
        told += refutes_other_results(&f);
        finish(&f);
    }
    assert_true(told > 500); // or nothing was tested
}

static const struct term *real(struct fixture *f, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return term_bv(f->store, 32, bits);
}

static void polynomials_have_bounds(void **state)
{
    (void)state;
    struct fixture f;
    make(&f, 1);
    const struct term *x = f.term[0];
    // x - x^3 / 6 + x^5 / 120 between -1.5 and 1.5 is at most 1.001: it comes to 1.0000.
    const struct term *square = float_binary(f.store, FLOAT_NEAREST_EVEN, FLOAT_MUL, x, x);
    const struct term *cube = float_binary(f.store, FLOAT_NEAREST_EVEN, FLOAT_MUL, square, x);
    const struct term *fifth = float_binary(f.store, FLOAT_NEAREST_EVEN, FLOAT_MUL, cube, square);
    cube = float_binary(f.store, FLOAT_NEAREST_EVEN, FLOAT_DIV, cube, real(&f, 6.0f));
    fifth = float_binary(f.store, FLOAT_NEAREST_EVEN, FLOAT_DIV, fifth, real(&f, 120.0f));
    const struct term *sine = float_binary(f.store, FLOAT_NEAREST_EVEN, FLOAT_SUB, x, cube);
    sine = float_binary(f.store, FLOAT_NEAREST_EVEN, FLOAT_ADD, sine, fifth);
    const struct term *facts[] = {float_compare(f.store, 3, x, real(&f, -1.5f)),
                                  float_compare(f.store, 5, x, real(&f, 1.5f)),
                                  float_compare(f.store, 2, sine, real(&f, 1.01f))};
    int64_t work = FLOAT_SEARCH_WORK;
    assert_true(asks(&f, facts, 3, &work));
    assert_true(work > 0);
    const struct term *renamed[3];
    for (unsigned i = 0; i < 3; i++)
        renamed[i] = rewrite_substitute(f.store, facts[i], primed, f.store);
    assert_true(asks(&f, renamed, 3, &work)); // notes are carried over
    facts[2] = float_compare(f.store, 2, sine, real(&f, 1.0f));
    work = FLOAT_SEARCH_WORK;
    assert_false(asks(&f, facts, 3, &work));
    struct float_choices found = {0};
    assert_false(float_search_refutes(f.store, facts, 3, &work, &found));
    assert_int_equal(found.count, 1); // with this value they hold
    f.values.data[0] = term_bv(f.store, 32, found.data[0].bits);
    for (unsigned i = 0; i < 3; i++)
        assert_true(term_is_true(evaluated(&f, facts[i])));
    VECTOR_FINISH(&found);
    work = 100; // not enough
    assert_false(asks(&f, renamed, 3, &work));
    finish(&f);
}

// a * b + c and c + b * a, by way of variables; not where the equation is only one of two cases.
static void the_order_of_operands_does_not_matter(void **state)
{
    (void)state;
    struct fixture f;
    make(&f, 1);
    const struct term *a = f.term[0], *b = f.term[1], *c = f.term[2];
    const struct term *p = term_var(f.store, "p", a->sort), *q = term_var(f.store, "q", a->sort);
    const struct term *ab = float_binary(f.store, FLOAT_NEAREST_EVEN, FLOAT_MUL, a, b);
    const struct term *ba = float_binary(f.store, FLOAT_NEAREST_EVEN, FLOAT_MUL, b, a);
    const struct term *first = float_binary(f.store, FLOAT_NEAREST_EVEN, FLOAT_ADD, ab, c);
    const struct term *second = float_binary(f.store, FLOAT_NEAREST_EVEN, FLOAT_ADD, c, q);
    const struct term *facts[] = {term_eq(f.store, p, first), term_eq(f.store, q, ba),
                                  float_compare(f.store, 6, p, second)};
    assert_true(refutes(&f, facts, 3));
    facts[2] = float_compare(f.store, 14, p, second); // or one is no number
    assert_false(refutes(&f, facts, 3));
    facts[2] = float_compare(f.store, 6, p, second);
    facts[1] = term_or2(f.store, facts[1], float_compare(f.store, 4, a, b));
    assert_false(refutes(&f, facts, 3));
    finish(&f);
}

// Equations of what is not followed, arrays say, are nothing that is known of floats.
static void other_equations_are_left(void **state)
{
    (void)state;
    struct fixture f;
    make(&f, 1);
    const struct term *a = f.term[0], *b = f.term[1], *p = term_var(f.store, "p", a->sort);
    const struct sort *array = sort_array(f.store, sort_bv(f.store, 32), sort_bv(f.store, 32));
    const struct term *x = term_var(f.store, "x", array), *y = term_var(f.store, "y", array);
    const struct term *z = term_var(f.store, "z", array);
    const struct term *chosen = term_ite(f.store, float_compare(f.store, 4, a, b), x, y);
    const struct term *facts[] = {term_eq(f.store, chosen, z), term_eq(f.store, x, y),
                                  float_compare(f.store, 6, p, a)};
    assert_false(refutes(&f, facts, 3));
    const struct term *less[] = {facts[0], float_compare(f.store, 4, a, real(&f, 1.0f)),
                                 float_compare(f.store, 2, a, real(&f, 2.0f))};
    assert_true(refutes(&f, less, 3));
    finish(&f);
}

int main(int count, char **arguments)
{
    struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_a_solution_is_not_refuted),
        cmocka_unit_test(polynomials_have_bounds),
        cmocka_unit_test(the_order_of_operands_does_not_matter),
        cmocka_unit_test(other_equations_are_left),
    };
    return part_run(count, arguments, tests);
}
