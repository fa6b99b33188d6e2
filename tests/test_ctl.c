#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/vector.h"
#include "tests/part.h"
#include "tests/random_graphs.h"

static struct ctl_kernel kernel_of(struct random_graph *g)
{
    return (struct ctl_kernel){g, random_graph_expand, random_graph_atom};
}

static const struct ctl_limits WITHOUT_LIMITS = {0};

// A path of the graph, and what a run to a state of E[a U b] or around a lasso without g must have.
static void check_run(const struct random_graph *g, const struct ctl_formulas *f, uint32_t formula,
                      bool (*sat)[GRAPH_STATES], const struct ctl_run *run)
{
    for (size_t i = 0; i + 1 < run->states.count; i++)
        assert_true(g->edge[g->named[run->states.data[i]]][g->named[run->states.data[i + 1]]]);
    uint32_t last = g->named[VECTOR_LAST(&run->states)];
    if (run->loop != SIZE_MAX) {
        assert_true(run->loop < run->states.count);
        assert_true(g->edge[last][g->named[run->states.data[run->loop]]]);
    }
    const struct ctl_node *node = &f->data[formula];
    bool negated = node->kind == CTL_NOT;
    if (negated)
        node = &f->data[node->left];
    if (node->kind == CTL_AF && ctl_is_local(f, node->left)) {
        assert_true(run->loop != SIZE_MAX || run->deadlock);
        for (size_t i = 0; i < run->states.count; i++)
            assert_false(sat[node->left][g->named[run->states.data[i]]]);
    }
    if (node->kind == CTL_EU && ctl_is_local(f, node->right)) {
        assert_true(sat[node->right][last]);
        for (size_t i = 0; i + 1 < run->states.count; i++)
            assert_true(sat[node->left][g->named[run->states.data[i]]]);
    }
}

static bool shows_by_a_run(const struct ctl_formulas *f, uint32_t formula, bool truth)
{
    const struct ctl_node *node = &f->data[formula];
    if (node->kind == CTL_NOT)
        return shows_by_a_run(f, node->left, !truth);
    return ((node->kind == CTL_EX || node->kind == CTL_EU) && truth) ||
           (node->kind == CTL_AF && !truth);
}

static void one_graph(uint64_t seed)
{
    struct random random;
    random_init(&random, seed);
    struct random_graph g;
    random_graph_make(&g, &random, seed % 2 == 0);
    struct ctl_formulas f;
    ctl_formulas_init(&f);
    uint32_t formula = random_formula(&f, &random, 1 + (int)random_below(&random, 4));
    bool(*sat)[GRAPH_STATES] = memory_zalloc(f.count * sizeof *sat);
    textbook_label(&g, &f, sat);

    struct ctl_kernel kernel = kernel_of(&g);
    struct ctl_checker *c = ctl_checker_create(&kernel, &f);
    ctl_checker_start(c, random_graph_name(&g, 0));
    struct ctl_limits limits = {.order = (enum ctl_order)(seed % 3), .seed = seed};
    assert_int_equal(ctl_checker_run(c, formula, formula, &limits), CTL_ANSWERED);
    enum ctl_truth answer = ctl_checker_answer(c, formula);
    if (answer != (sat[formula][0] ? CTL_TRUE : CTL_FALSE))
        fail_msg("seed %llu: wrong answer", (unsigned long long)seed);
    // On the way there, nothing that is said of any state is wrong.
    for (uint32_t n = 0; n < f.count; n++)
        for (uint32_t s = 0; s < g.met; s++)
            if (s < ctl_checker_statistics(c).known && ctl_checker_truth(c, n, s) != CTL_UNKNOWN)
                assert_int_equal(ctl_checker_truth(c, n, s) == CTL_TRUE, sat[n][g.named[s]]);
    struct ctl_run run;
    ctl_checker_explain(c, formula, 0, &run);
    if (shows_by_a_run(&f, formula, answer == CTL_TRUE))
        check_run(&g, &f, formula, sat, &run);
    ctl_run_finish(&run);

    // And when everything is expanded, nothing is missing.
    assert_int_equal(ctl_checker_expand_all(c, &limits), CTL_ANSWERED);
    for (uint32_t n = 0; n < f.count; n++)
        for (uint32_t s = 0; s < g.met; s++)
            assert_int_equal(ctl_checker_truth(c, n, s), sat[n][g.named[s]] ? CTL_TRUE : CTL_FALSE);
    ctl_checker_destroy(c);
    memory_free(sat);
    ctl_formulas_finish(&f);
}

// REGATTA_CTL_GRAPHS makes it more.
static void answers_are_those_of_textbook_labelling(void **state)
{
    (void)state;
    const char *wanted = getenv("REGATTA_CTL_GRAPHS");
    uint64_t count = wanted != NULL ? strtoull(wanted, NULL, 10) : part_models(1500, 1500);
    for (uint64_t seed = 1; seed <= count; seed++)
        one_graph(seed);
}

// Both readings of an over-approximation's formula agree where the formula has no path quantifier that is
// existential, and a true EF is weak only.
static void readings_of_approximations(void **state)
{
    (void)state;
    struct ctl_formulas f, to;
    ctl_formulas_init(&f);
    ctl_formulas_init(&to);
    uint32_t p = ctl_atom(&f, 0);
    uint32_t ef = ctl_ef(&f, p), af = ctl_af(&f, p), ag = ctl_ag(&f, p);
    struct ctl_reading r = ctl_read(&f, ef, CTL_GRAPH_OVER, &to);
    assert_int_equal(r.strong, ctl_atom(&to, 0));
    assert_int_equal(to.data[r.weak].kind, CTL_EU);
    r = ctl_read(&f, af, CTL_GRAPH_OVER, &to);
    assert_int_equal(to.data[r.strong].kind, CTL_AF);
    assert_int_equal(r.weak, ctl_constant(&to, true));
    r = ctl_read(&f, ef, CTL_GRAPH_UNDER, &to);
    assert_int_equal(to.data[r.strong].kind, CTL_EU);
    assert_int_equal(r.weak, ctl_constant(&to, true));
    r = ctl_read(&f, ag, CTL_GRAPH_OVER, &to);
    assert_int_equal(to.data[r.strong].kind, CTL_NOT);
    r = ctl_read(&f, ctl_ag(&f, ctl_ef(&f, p)), CTL_GRAPH_EXACT, &to);
    assert_int_equal(to.data[r.strong].kind, CTL_NOT);
    ctl_formulas_finish(&f);
    ctl_formulas_finish(&to);
}

// Strong ⊆ Sat ⊆ weak: random graphs with edges added (over) or taken away (under).
static void readings_are_bounds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct random random;
        random_init(&random, seed);
        struct random_graph g;
        random_graph_make(&g, &random, false);
        struct ctl_formulas f, to;
        ctl_formulas_init(&f);
        ctl_formulas_init(&to);
        uint32_t formula = random_formula(&f, &random, 1 + (int)random_below(&random, 3));
        bool(*sat)[GRAPH_STATES] = memory_zalloc(f.count * sizeof *sat);
        textbook_label(&g, &f, sat);
        struct random_graph other = g;
        bool over = seed % 2 == 0;
        // Edges are added, or taken away as long as the state keeps one: no deadlock comes or goes.
        for (uint32_t s = 0; s < g.count; s++) {
            uint32_t kept = 0;
            for (uint32_t t = 0; t < g.count; t++) {
                if (over)
                    other.edge[s][t] |= random_below(&random, 6) == 0;
                else if (g.edge[s][t] && kept++ > 0)
                    other.edge[s][t] = random_below(&random, 2) == 0;
            }
        }
        struct ctl_reading r = ctl_read(&f, formula, over ? CTL_GRAPH_OVER : CTL_GRAPH_UNDER, &to);
        // In the readings an atom has two numbers; here both are the atom.
        for (uint32_t n = 0; n < to.count; n++)
            if (to.data[n].kind == CTL_ATOM)
                to.data[n].left /= 2;
        bool(*read)[GRAPH_STATES] = memory_zalloc(to.count * sizeof *read);
        textbook_label(&other, &to, read);
        for (uint32_t s = 0; s < g.count; s++) {
            assert_true(!read[r.strong][s] || sat[formula][s]);
            assert_true(!sat[formula][s] || read[r.weak][s]);
        }
        memory_free(sat);
        memory_free(read);
        ctl_formulas_finish(&f);
        ctl_formulas_finish(&to);
    }
}

// An infinite line of states: EF is answered when its state is met, AF of what never comes is not answered.
static bool line_expand(void *self, uint32_t state, struct ctl_states *out)
{
    (void)self;
    VECTOR_PUSH(out, state + 1);
    return true;
}

static enum ctl_truth line_atom(void *self, uint32_t state, uint32_t atom, bool expanded)
{
    (void)self;
    (void)expanded;
    return state == atom ? CTL_TRUE : CTL_FALSE;
}

static void answers_come_early(void **state)
{
    (void)state;
    struct ctl_formulas f;
    ctl_formulas_init(&f);
    uint32_t ef = ctl_ef(&f, ctl_atom(&f, 700)), af = ctl_af(&f, ctl_atom(&f, 90));
    uint32_t never = ctl_ef(&f, ctl_atom(&f, 100000));
    struct ctl_kernel kernel = {NULL, line_expand, line_atom};
    struct ctl_checker *c = ctl_checker_create(&kernel, &f);
    ctl_checker_start(c, 0);
    assert_int_equal(ctl_checker_run(c, af, af, &WITHOUT_LIMITS), CTL_ANSWERED);
    assert_int_equal(ctl_checker_statistics(c).known, 91);
    assert_int_equal(ctl_checker_run(c, ef, ef, &WITHOUT_LIMITS), CTL_ANSWERED);
    assert_int_equal(ctl_checker_statistics(c).known, 701);
    struct ctl_limits limits = {.states = 1000};
    assert_int_equal(ctl_checker_run(c, never, never, &limits), CTL_LIMIT);
    assert_int_equal(ctl_checker_answer(c, never), CTL_UNKNOWN);
    _Atomic int stop = 1;
    limits = (struct ctl_limits){.stop = &stop};
    assert_int_equal(ctl_checker_run(c, never, never, &limits), CTL_STOPPED);
    ctl_checker_destroy(c);
    ctl_formulas_finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_textbook_labelling),
        cmocka_unit_test(readings_of_approximations),
        cmocka_unit_test(readings_are_bounds),
        cmocka_unit_test(answers_come_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
