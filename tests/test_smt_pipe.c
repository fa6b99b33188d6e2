#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engines/smt/smt.h"

// Solvers as processes: levels, cores, stopping, and programs that misbehave.

struct fixture {
    struct term_store *store;
    struct smt_context *context;
    struct smt *smt;
    _Atomic int stop;
};

static bool open_solver(struct fixture *f, const char *command)
{
    const char *error = NULL;
    struct smt_options options = {.stop = &f->stop};
    f->context = smt_context_create(command, f->store, &options, &error);
    if (f->context == NULL)
        return false;
    f->smt = smt_create(f->context);
    return true;
}

static int setup(void **state)
{
    struct fixture *f = memory_zalloc(sizeof *f);
    f->store = term_store_create(NULL);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    smt_context_destroy(f->context);
    term_store_destroy(f->store);
    memory_free(f);
    return 0;
}

static void need_solver(struct fixture *f)
{
    if (!open_solver(f, "cvc5") && !open_solver(f, "smtlib:z3 -in"))
        skip();
}

static void levels_models_and_cores(void **state)
{
    struct fixture *f = *state;
    need_solver(f);
    struct term_store *s = f->store;
    const struct term *x = term_var(s, "x", sort_int(s)), *five = term_int(s, 5);
    const struct term *p = term_var(s, "p", sort_bool(s)), *q = term_var(s, "q r", sort_bool(s));
    smt_assert(f->smt, term_lt(s, five, x));
    smt_push(f->smt);
    smt_assert(f->smt, term_implies(s, p, term_lt(s, x, five)));
    assert_int_equal(smt_check(f->smt), SMT_SAT);
    assert_true(term_compare_values(smt_model_value(f->smt, x), five) > 0);
    const struct term *assumptions[] = {term_not(s, q), p};
    assert_int_equal(smt_check_assuming(f->smt, assumptions, 2), SMT_UNSAT);
    struct term_vector core = {0};
    assert_true(smt_unsat_core(f->smt, &core));
    assert_int_equal(core.count, 1);
    assert_ptr_equal(core.data[0], p);
    VECTOR_FINISH(&core);
    smt_assert(f->smt, p);
    assert_int_equal(smt_check(f->smt), SMT_UNSAT);
    smt_pop(f->smt, 1);
    assert_int_equal(smt_check_assuming(f->smt, &p, 1), SMT_SAT);
    smt_reset(f->smt);
    smt_assert(f->smt, term_lt(s, x, five));
    assert_int_equal(smt_check(f->smt), SMT_SAT);
    assert_true(term_compare_values(smt_model_value(f->smt, x), five) < 0);
}

// More solvers than processes: they lend to one another and lose nothing.
static void many_solvers_share_few_processes(void **state)
{
    struct fixture *f = *state;
    need_solver(f);
    struct term_store *s = f->store;
    const struct term *x = term_var(s, "x", sort_int(s));
    struct smt *all[20];
    for (int i = 0; i < 20; i++) {
        all[i] = smt_create(f->context);
        smt_assert(all[i], term_lt(s, term_int(s, i), x));
        smt_push(all[i]);
        smt_assert(all[i], term_lt(s, x, term_int(s, i + 2)));
        assert_int_equal(smt_check(all[i]), SMT_SAT);
    }
    for (int i = 0; i < 20; i++) {
        assert_int_equal(smt_check(all[i]), SMT_SAT);
        assert_ptr_equal(smt_model_value(all[i], x), term_int(s, i + 1));
        smt_assert(all[i], term_lt(s, x, term_int(s, i + 1)));
        assert_int_equal(smt_check(all[i]), SMT_UNSAT);
        smt_pop(all[i], 1);
    }
    for (int i = 0; i < 20; i++)
        assert_int_equal(smt_check(all[i]), SMT_SAT);
}

static void programs_that_misbehave(void **state)
{
    static const char *const commands[] = {
        "smtlib:true",
        "smtlib:false",
        "smtlib:yes ))",
        "smtlib:echo sat",
    };
    struct fixture *f = *state;
    struct term_store *s = f->store;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        assert_true(open_solver(f, commands[i]));
        smt_assert(f->smt, term_var(s, "p", sort_bool(s)));
        if (strstr(commands[i], "yes") == NULL) { // that one never ends
            assert_int_equal(smt_check(f->smt), SMT_UNKNOWN);
            assert_int_not_equal(smt_reason(f->smt), SMT_REASON_NONE);
        }
        smt_context_destroy(f->context);
        f->context = NULL;
    }
    assert_false(open_solver(f, "smtlib:no-such-program"));
    assert_false(open_solver(f, "smtlib:"));
}

static void *stop_soon(void *argument)
{
    struct fixture *f = argument;
    nanosleep(&(struct timespec){0, 200 * 1000 * 1000}, NULL);
    atomic_store(&f->stop, 1);
    smt_interrupt(f->context);
    return NULL;
}

// A program that never answers, reads nothing, or talks without end, is stopped all the same.
static void checks_can_be_stopped(void **state)
{
    static const char *const commands[] = {"smtlib:sleep 1000", "smtlib:yes ))", "smtlib:cat"};
    struct fixture *f = *state;
    struct term_store *s = f->store;
    for (size_t i = 0; i < 3; i++) {
        pthread_t thread;
        atomic_store(&f->stop, 0);
        assert_true(open_solver(f, commands[i]));
        for (uint32_t k = 0; k < 20000; k++) // more than a socket holds
            smt_assert(f->smt, term_var_copy(s, term_var(s, "p", sort_bool(s)), k));
        int64_t begin = clock_wall_ns();
        assert_int_equal(pthread_create(&thread, NULL, stop_soon, f), 0);
        assert_int_equal(smt_check(f->smt), SMT_UNKNOWN);
        assert_int_equal(smt_reason(f->smt), SMT_REASON_INTERRUPTED);
        assert_true(clock_seconds(clock_wall_ns() - begin) < 20);
        pthread_join(thread, NULL);
        smt_context_destroy(f->context);
        f->context = NULL;
    }
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_STORE(levels_models_and_cores),
        WITH_STORE(many_solvers_share_few_processes),
        WITH_STORE(programs_that_misbehave),
        WITH_STORE(checks_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
