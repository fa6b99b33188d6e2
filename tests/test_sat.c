#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/random.h"
#include "logic/smt/sat/blast.h"
#include "logic/smt/smt.h"

// The two SAT back ends against one another, over many questions to the same solvers: answers agree, models satisfy
// all that was asserted and assumed, cores are enough.

#define INPUTS 10
#define TERMS 60

struct fixture {
    struct random random;
    struct term_store *store;
    struct smt_context *contexts[2];
    struct smt *solvers[2];
    const struct term *terms[TERMS]; // Boolean
    struct term_vector asserted, assumptions;
    size_t marks[4]; // of `asserted`, by level
    unsigned level, sat, unsat;
};

static const struct term *some(struct fixture *f, size_t below)
{
    const struct term *t = f->terms[random_below(&f->random, below)];
    return random_below(&f->random, 2) ? term_not(f->store, t) : t;
}

// Inputs, bits of a sum and a product, and random operators over all that came before.
static void make_terms(struct fixture *f)
{
    struct term_store *s = f->store;
    const struct sort *four = sort_bv(s, 4);
    const struct term *x = term_var(s, "x", four), *y = term_var(s, "y", four);
    const struct term *sum = term_bv_binary(s, TERM_BV_ADD, x, y);
    const struct term *product = term_bv_binary(s, TERM_BV_MUL, x, sum);
    const struct term *one = term_bv(s, 1, 1), *base = term_var(s, "b", sort_bool(s));
    size_t n = 0;
    for (; n < INPUTS; n++)
        f->terms[n] = term_var_copy(s, base, (uint32_t)n + 1);
    for (uint32_t bit = 0; bit < 4; bit++) {
        f->terms[n++] = term_eq(s, term_bv_extract(s, x, bit, bit), one);
        f->terms[n++] = term_eq(s, term_bv_extract(s, sum, bit, bit), one);
        f->terms[n++] = term_eq(s, term_bv_extract(s, product, bit, bit), one);
    }
    for (; n < TERMS; n++) {
        const struct term *a = some(f, n), *b = some(f, n), *c = some(f, n);
        uint64_t kind = random_below(&f->random, 4);
        f->terms[n] = kind == 0   ? term_and2(s, a, b)
                      : kind == 1 ? term_xor(s, a, b)
                      : kind == 2 ? term_ite(s, a, b, c)
                                  : term_or2(s, a, term_and2(s, b, c));
    }
}

static void open_fixture(struct fixture *f, uint64_t seed)
{
    static const char *const names[] = {"cadical", "circuit"};
    const char *error = NULL;
    *f = (struct fixture){.store = term_store_create(NULL)};
    random_init(&f->random, seed);
    for (int i = 0; i < 2; i++) {
        struct smt_options options = {.seed = seed};
        f->contexts[i] = smt_context_create(names[i], f->store, &options, &error);
        assert_non_null(f->contexts[i]);
        f->solvers[i] = smt_create(f->contexts[i]);
    }
    make_terms(f);
}

static void close_fixture(struct fixture *f)
{
    for (int i = 0; i < 2; i++)
        smt_context_destroy(f->contexts[i]);
    VECTOR_FINISH(&f->asserted);
    VECTOR_FINISH(&f->assumptions);
    term_store_destroy(f->store);
}

static void tell(struct fixture *f, const struct term *formula)
{
    VECTOR_PUSH(&f->asserted, formula);
    for (int i = 0; i < 2; i++)
        smt_assert(f->solvers[i], formula);
}

static void change_level(struct fixture *f)
{
    bool up = f->level < 3 && random_below(&f->random, 2);
    if (up)
        f->marks[f->level++] = f->asserted.count;
    else if (f->level > 0)
        f->asserted.count = f->marks[--f->level];
    else
        return;
    for (int i = 0; i < 2; i++) {
        if (up)
            smt_push(f->solvers[i]);
        else
            smt_pop(f->solvers[i], 1);
    }
}

static void check_model(struct fixture *f, struct smt *solver)
{
    for (size_t i = 0; i < f->asserted.count; i++) {
        const struct term *value = smt_model_value(solver, f->asserted.data[i]);
        assert_true(value && term_is_true(value));
    }
    for (size_t i = 0; i < f->assumptions.count; i++) {
        const struct term *value = smt_model_value(solver, f->assumptions.data[i]);
        assert_true(value && term_is_true(value));
    }
}

// The core of one solver is impossible for the other one.
static void check_core(struct fixture *f, int from)
{
    struct term_vector core = {0};
    assert_true(smt_unsat_core(f->solvers[from], &core));
    assert_true(core.count <= f->assumptions.count);
    assert_int_equal(smt_check_assuming(f->solvers[1 - from], core.data, core.count), SMT_UNSAT);
    VECTOR_FINISH(&core);
}

static void ask(struct fixture *f)
{
    enum smt_result answers[2];
    VECTOR_CLEAR(&f->assumptions);
    for (uint64_t n = random_below(&f->random, 8); n-- > 0;)
        VECTOR_PUSH(&f->assumptions, some(f, TERMS));
    for (int i = 0; i < 2; i++) {
        answers[i] = smt_check_assuming(f->solvers[i], f->assumptions.data, f->assumptions.count);
        if (answers[i] == SMT_SAT)
            check_model(f, f->solvers[i]);
    }
    assert_int_equal(answers[0], answers[1]);
    if (answers[0] == SMT_SAT) {
        f->sat++;
        return;
    }
    assert_int_equal(answers[0], SMT_UNSAT);
    f->unsat++;
    check_core(f, 0);
    smt_check_assuming(f->solvers[1], f->assumptions.data, f->assumptions.count);
    check_core(f, 1);
}

static void back_ends_agree(void **state)
{
    unsigned sat = 0, unsat = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fixture f;
        open_fixture(&f, seed);
        for (int round = 0; round < 60; round++) {
            switch (random_below(&f.random, 6)) {
            case 0:
                change_level(&f);
                break;
            case 1: { // a clause, or an equation of what may be a variable
                const struct term *a = some(&f, TERMS), *b = some(&f, TERMS);
                bool equation = random_below(&f.random, 4) == 0;
                tell(&f, equation ? term_iff(f.store, some(&f, INPUTS), a)
                                  : term_or2(f.store, a, term_or2(f.store, b, some(&f, TERMS))));
                break;
            }
            default:
                ask(&f);
            }
        }
        sat += f.sat;
        unsat += f.unsat;
        close_fixture(&f);
    }
    print_message("# %u satisfiable, %u not\n", sat, unsat);
    assert_true(sat > 300 && unsat > 300);
}

// A multiplier that does not commute: needs learning, restarts and cleaning.
static void hard_questions_are_decided(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, 1);
    struct term_store *s = f.store;
    const struct sort *sort = sort_bv(s, 12);
    const struct term *a = term_var(s, "ma", sort), *b = term_var(s, "mb", sort);
    const struct term *number = term_bv(s, 12, 3599 % 4096); // 59 * 61
    const struct term *small = term_bv(s, 12, 62), *two = term_bv(s, 12, 2);
    tell(&f, term_eq(s, term_bv_binary(s, TERM_BV_MUL, a, b), number));
    tell(&f, term_bv_binary(s, TERM_BV_ULT, a, small));
    tell(&f, term_bv_binary(s, TERM_BV_ULT, b, small));
    tell(&f, term_bv_binary(s, TERM_BV_ULE, two, a));
    tell(&f, term_bv_binary(s, TERM_BV_ULE, two, b));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(smt_check(f.solvers[i]), SMT_SAT);
        check_model(&f, f.solvers[i]);
    }
    tell(&f, term_not(s, term_eq(s, a, term_bv(s, 12, 59))));
    tell(&f, term_not(s, term_eq(s, a, term_bv(s, 12, 61))));
    for (int i = 0; i < 2; i++)
        assert_int_equal(smt_check(f.solvers[i]), SMT_UNSAT);
    close_fixture(&f);
}

// The value of each gate, with the inputs as the bits of `inputs` in the order they were made.
static uint64_t run_circuit(const struct blast *blast, uint64_t inputs, uint32_t position,
                            uint32_t width)
{
    bool value[4000];
    assert_true(blast->gates.nodes.count <= 4000);
#define VALUE(literal) (value[(literal) / 2] != ((literal)&1))
    for (size_t i = 0, input = 0; i < blast->gates.nodes.count; i++) {
        const struct gate *gate = &blast->gates.nodes.data[i];
        const uint32_t *in = gate->in;
        value[i] = gate->kind == GATE_INPUT ? inputs >> input++ & 1
                   : gate->kind == GATE_AND ? VALUE(in[0]) && VALUE(in[1])
                   : gate->kind == GATE_XOR ? VALUE(in[0]) != VALUE(in[1])
                   : gate->kind == GATE_MUX ? (VALUE(in[0]) ? VALUE(in[1]) : VALUE(in[2]))
                                            : false;
    }
    uint64_t result = 0;
    for (uint32_t i = 0; i < width; i++)
        result |= (uint64_t)VALUE(blast->bits.data[position + i]) << i;
#undef VALUE
    return result;
}

// All products of two numbers of four bits, signed or not, with so much room.
static void multiply_all(uint32_t room, enum term_kind first, enum term_kind second)
{
    struct term_store *s = term_store_create(NULL);
    const struct sort *four = sort_bv(s, 4);
    const struct term *a = term_var(s, "a", four), *b = term_var(s, "b", four);
    struct blast blast;
    uint32_t position;
    blast_init(&blast);
    const struct term *product = term_bv_binary(s, TERM_BV_MUL, term_bv_extend(s, first, a, room),
                                                term_bv_extend(s, second, b, room));
    assert_true(blast_term(&blast, a, &position) && blast_term(&blast, b, &position));
    assert_true(blast_term(&blast, product, &position));
    for (uint64_t inputs = 0; inputs < 256; inputs++) {
        int64_t x = inputs & 15, y = (int64_t)inputs >> 4;
        x -= first == TERM_BV_SEXT && x > 7 ? 16 : 0;
        y -= second == TERM_BV_SEXT && y > 7 ? 16 : 0;
        uint64_t expected = (uint64_t)(x * y) & ((1u << room) - 1);
        assert_int_equal(run_circuit(&blast, inputs, position, room), expected);
    }
    blast_finish(&blast);
    term_store_destroy(s);
}

static void products_are_exact(void **state)
{
    (void)state;
    static const uint32_t ROOM[] = {4, 5, 6, 7, 8, 9, 12};
    for (size_t i = 0; i < sizeof ROOM / sizeof *ROOM; i++)
        for (int kinds = 0; kinds < 4; kinds++)
            multiply_all(ROOM[i], kinds & 1 ? TERM_BV_SEXT : TERM_BV_ZEXT,
                         kinds & 2 ? TERM_BV_SEXT : TERM_BV_ZEXT);
}

// What has no circuit is refused, and the solver says so from then on.
static void numbers_are_refused(void **state)
{
    struct fixture f;
    (void)state;
    open_fixture(&f, 1);
    struct term_store *s = f.store;
    const struct term *n = term_var(s, "n", sort_int(s));
    const struct term *below = term_lt(s, n, term_int(s, 3));
    assert_false(smt_is_finite(below));
    assert_true(smt_is_finite(f.terms[TERMS - 1]));
    for (int i = 0; i < 2; i++) {
        smt_push(f.solvers[i]);
        smt_assert(f.solvers[i], below);
        assert_int_equal(smt_check(f.solvers[i]), SMT_UNKNOWN);
        assert_int_equal(smt_reason(f.solvers[i]), SMT_REASON_ERROR);
        smt_pop(f.solvers[i], 1);
        assert_int_equal(smt_check(f.solvers[i]), SMT_SAT);
    }
    close_fixture(&f);
}

// Gates that a chain of 60 conjunctions needs when each is looked at: those that begin alike, and those that have a
// part in common which is no conjunction of the formula's.
static void conjunctions_share_gates(void **state)
{
    enum { LENGTH = 60, PART = 6 };
    (void)state;
    struct term_store *s = term_store_create(NULL);
    const struct term *base = term_var(s, "b", sort_bool(s)), *looked_at = term_true(s);
    const struct term *all = base, *part = term_true(s);
    for (uint32_t i = 1; i <= PART; i++)
        part = term_and2(s, part, term_var_copy(s, base, 1000 + i));
    for (uint32_t i = 1; i <= LENGTH; i++) {
        all = term_and2(s, all, term_var_copy(s, base, i));
        const struct term *partly = term_and2(s, part, term_var_copy(s, base, 2000 + i));
        looked_at = term_and2(s, looked_at, term_not(s, all));
        looked_at = term_and2(s, looked_at, term_iff(s, partly, term_var_copy(s, base, 3000 + i)));
    }
    struct blast blast;
    uint32_t position;
    blast_init(&blast);
    assert_true(blast_term(&blast, looked_at, &position));
    uint32_t inputs = 1 + 3 * LENGTH + PART, needed = LENGTH + PART - 1 + 2 * LENGTH;
    assert_in_range(blast.gates.nodes.count, 1 + inputs + needed, 1 + inputs + needed + 2 * LENGTH);
    blast_finish(&blast);
    term_store_destroy(s);
}

static void checks_stop(void **state)
{
    (void)state;
    static const char *const names[] = {"cadical", "circuit"};
    for (int i = 0; i < 2; i++) {
        const char *error = NULL;
        struct term_store *s = term_store_create(NULL);
        struct smt_options options = {.step_limit = 5};
        struct smt_context *context = smt_context_create(names[i], s, &options, &error);
        struct smt *solver = smt_create(context);
        const struct sort *sort = sort_bv(s, 24);
        const struct term *a = term_var(s, "a", sort), *b = term_var(s, "b", sort);
        smt_assert(solver, term_eq(s, term_bv_binary(s, TERM_BV_MUL, a, b), term_bv(s, 24, 8633)));
        smt_assert(solver, term_bv_binary(s, TERM_BV_ULT, term_bv(s, 24, 1), a));
        smt_assert(solver, term_bv_binary(s, TERM_BV_ULT, a, b));
        smt_assert(solver, term_bv_binary(s, TERM_BV_ULT, b, term_bv(s, 24, 1000)));
        assert_int_equal(smt_check(solver), SMT_UNKNOWN);
        assert_int_equal(smt_reason(solver), SMT_REASON_LIMIT);
        smt_context_destroy(context);
        term_store_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_ends_agree),     cmocka_unit_test(hard_questions_are_decided),
        cmocka_unit_test(numbers_are_refused), cmocka_unit_test(conjunctions_share_gates),
        cmocka_unit_test(checks_stop),         cmocka_unit_test(products_are_exact),
    };
    return cmocka_run_group_tests_name("sat", tests, NULL, NULL);
}
