#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engines/bounded/cubes.h"
#include "engines/bounded/unrolling.h"
#include "engines/cegar/interpolation.h"
#include "engines/domains/predicate_part.h"
#include "tests/oracle.h"
#include "tests/part.h"

// The abstract view of random models: runs in it against runs of the model, and interpolants of it.

enum { LENGTHS = 4 };

struct bench {
    struct model *model;
    struct configuration configuration;
    struct progress progress;
    struct engine_environment environment;
    struct workspace workspace;
    struct monolith monolith;
};

static void open_bench(struct bench *b, uint64_t seed)
{
    memset(b, 0, sizeof *b);
    b->model = oracle_random_model(seed);
    configuration_init(&b->configuration, "test");
    b->environment = (struct engine_environment){
        .model = b->model,
        .configuration = &b->configuration,
        .progress = &b->progress,
        .store = term_store_create(b->model->store),
    };
    workspace_init(&b->workspace, &b->environment);
    monolith_init(&b->monolith, &b->workspace);
}

static void close_bench(struct bench *b)
{
    monolith_finish(&b->monolith);
    workspace_finish(&b->workspace);
    term_store_destroy(b->environment.store);
    configuration_finish(&b->configuration);
    model_destroy(b->model);
}

static void track_atoms(void *context, const struct term *formula)
{
    struct monolith *m = context;
    struct term_vector atoms = {0};
    rewrite_atoms(formula, &atoms);
    for (size_t i = 0; i < atoms.count; i++)
        monolith_track(m, atoms.data[i]);
    VECTOR_FINISH(&atoms);
}

static void track_variables(struct monolith *m)
{
    for (uint32_t v = 0; v < m->model->variable_count; v++)
        monolith_track(m, m->model->variables[v]->term);
}

// Per length: is there a run from the start that ends badly?
static void ends_badly(struct unrolling *u, enum unrolling_answer *answers)
{
    while (u->length < LENGTHS) {
        answers[u->length] = unrolling_ends_badly(u);
        assert_true(answers[u->length] == UNROLLING_YES || answers[u->length] == UNROLLING_NO);
        unrolling_extend(u);
    }
}

static void look(struct monolith *m, enum unrolling_answer *answers)
{
    struct unrolling u;
    assert_true(unrolling_init(&u, m, true));
    unrolling_begin(&u);
    ends_badly(&u, answers);
    unrolling_finish(&u);
}

// Runs of the model are runs of the view, whatever it tracks; with all variables tracked it has no others.
static void a_view_has_the_runs_of_the_model_and_more(void **state)
{
    (void)state;
    size_t spurious = 0, fewer = 0;
    for (uint64_t seed = 1; seed <= part_models(25, 8); seed++) {
        struct bench plain, b;
        enum unrolling_answer real[LENGTHS], none[LENGTHS], some[LENGTHS], all[LENGTHS];
        open_bench(&plain, seed);
        look(&plain.monolith, real);
        close_bench(&plain);
        open_bench(&b, seed);
        monolith_abstract(&b.monolith);
        look(&b.monolith, none);
        predicate_each_assumption(b.model, track_atoms, &b.monolith);
        look(&b.monolith, some);
        track_variables(&b.monolith);
        look(&b.monolith, all);
        close_bench(&b);
        for (size_t k = 0; k < LENGTHS; k++) {
            assert_true(real[k] == UNROLLING_NO || some[k] == UNROLLING_YES);
            assert_true(some[k] == UNROLLING_NO || none[k] == UNROLLING_YES);
            assert_int_equal(all[k], real[k]);
            spurious += none[k] != real[k];
            fewer += none[k] != some[k];
        }
    }
    print_message("# %zu spurious runs, %zu that predicates exclude\n", spurious, fewer);
    assert_true(spurious > 0 && fewer > 0);
}

// A run that is there before something is tracked takes it up; one without repetition, whose states differ in more
// since, too.
static void a_run_takes_up_what_is_tracked_since(void **state)
{
    (void)state;
    size_t changed = 0;
    for (uint64_t seed = 1; seed <= part_models(25, 8); seed++)
        for (int simple = 0; simple < 2; simple++) {
            struct bench b;
            struct unrolling early, late;
            open_bench(&b, seed);
            monolith_abstract(&b.monolith);
            assert_true(unrolling_init(&early, &b.monolith, true));
            early.simple = simple;
            unrolling_begin(&early);
            while (early.length < LENGTHS)
                unrolling_extend(&early);
            enum unrolling_answer before = unrolling_exists(&early);
            predicate_each_assumption(b.model, track_atoms, &b.monolith);
            assert_true(unrolling_init(&late, &b.monolith, true));
            late.simple = simple;
            unrolling_begin(&late);
            while (late.length < LENGTHS)
                unrolling_extend(&late);
            enum unrolling_answer after = unrolling_exists(&early);
            assert_int_equal(after, unrolling_exists(&late));
            assert_int_equal(unrolling_ends_badly(&early), unrolling_ends_badly(&late));
            changed += before != after;
            unrolling_finish(&early);
            unrolling_finish(&late);
            close_bench(&b);
        }
    print_message("# %zu answers changed\n", changed);
    assert_true(changed > 0);
}

static void a_formula_and_its_negation_are_tracked_once(void **state)
{
    (void)state;
    struct bench b;
    open_bench(&b, 1);
    struct monolith *m = &b.monolith;
    const struct term *x = b.model->variables[0]->term;
    const struct term *p = term_eq(m->store, x,
                                   x->sort->kind == SORT_BOOL ? term_var(m->store, "other", x->sort)
                                                              : term_int(m->store, 1));
    monolith_abstract(m);
    assert_true(monolith_track(m, p));
    assert_false(monolith_track(m, term_not(m->store, p)));
    assert_false(monolith_track(m, term_true(m->store)));
    assert_int_equal(m->tracked.count, 1);
    close_bench(&b);
}

// The first `steps` steps from a state lead to the error.
static const struct term *error_within(struct monolith *m, uint32_t steps)
{
    const struct term *all = monolith_at_step(m, m->bad, steps);
    for (uint32_t k = steps; k-- > 1;) {
        const struct term *further =
            term_and2(m->store, monolith_at_step(m, m->transition, k), all);
        all = term_or2(m->store, monolith_at_step(m, m->bad, k), further);
    }
    return all;
}

// Kept cubes must not answer for another `after`: depths go up and down.
static void cubes_are_interpolants(void **state)
{
    (void)state;
    static const uint32_t depths[] = {1, 3, 2, 3};
    size_t found = 0, refused = 0;
    for (uint64_t seed = 1; seed <= part_models(25, 8); seed++) {
        struct bench b;
        struct cubes cubes;
        open_bench(&b, seed);
        struct monolith *m = &b.monolith;
        monolith_abstract(m);
        predicate_each_assumption(b.model, track_atoms, m);
        cubes_init(&cubes, m);
        struct smt *smt = smt_create(workspace_solver(&b.workspace));
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
            const struct term *parts[2] = {m->initial, error_within(m, depths[d])};
            const struct term *one = cubes_interpolate(&cubes, parts[0], parts[1], 0);
            smt_reset(smt);
            smt_assert(smt, parts[0]);
            smt_assert(smt, parts[1]);
            assert_int_equal(one == NULL, smt_check(smt) == SMT_SAT);
            smt_reset(smt);
            if (one != NULL)
                assert_int_equal(interpolation_check(smt, m->store, parts, 2, &one), SMT_UNSAT);
            found += one != NULL;
            refused += one == NULL;
        }
        smt_destroy(smt);
        cubes_finish(&cubes);
        close_bench(&b);
    }
    print_message("# %zu interpolants, %zu pairs without\n", found, refused);
    assert_true(found > 0 && refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_has_the_runs_of_the_model_and_more),
        cmocka_unit_test(a_run_takes_up_what_is_tracked_since),
        cmocka_unit_test(a_formula_and_its_negation_are_tracked_once),
        cmocka_unit_test(cubes_are_interpolants),
    };
    return cmocka_run_group_tests_name("abstract", tests, NULL, NULL);
}
