#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engines/domains/domain.h"
#include "engines/domains/explicit_post.h"
#include "tests/oracle.h"
#include "tests/part.h"

// Abstract domains step by step: the examples that the sources print, with the results that they print.

static struct position here(void)
{
    return (struct position){.path = "made", .line = 1, .column = 1};
}

// A model with two integers, under construction.
struct draft {
    struct model_builder *builder;
    struct term_store *store;
    const struct variable *x, *y;
};

static struct draft draft_with(uint32_t flags_of_x)
{
    struct draft d = {.builder = model_builder_create(&dialect_plain, "made", NULL)};
    d.store = model_builder_store(d.builder);
    d.x = model_builder_variable(d.builder, "x", sort_int(d.store), flags_of_x, here());
    d.y = model_builder_variable(d.builder, "y", sort_int(d.store), 0, here());
    return d;
}

static struct draft draft(void)
{
    return draft_with(0);
}

static struct location *location(const struct draft *d)
{
    return model_builder_location(d->builder, NULL, PHASE_NONE, true);
}

static struct statement *assign(const struct draft *d, const struct variable *v,
                                const struct term *value)
{
    return model_assign(d->builder, v, value, here());
}

static struct statement *set(const struct draft *d, const struct variable *v, int64_t value)
{
    return assign(d, v, term_int(d->store, value));
}

static struct statement *both(const struct draft *d, int64_t x, int64_t y)
{
    struct statement *s[] = {set(d, d->x, x), set(d, d->y, y)};
    return model_sequence(d->builder, s, 2, here());
}

static struct statement *either(const struct draft *d, struct statement *a, struct statement *b)
{
    return model_choice(d->builder, (struct statement *[]){a, b}, 2, here());
}

static void edge(const struct draft *d, struct location *from, struct location *to,
                 struct statement *action)
{
    model_builder_edge(d->builder, from, to, action, "edge", here());
}

static void guard(const struct draft *d, struct location *from, struct location *to,
                  const struct term *condition)
{
    edge(d, from, to, model_assume(d->builder, condition, here()));
}

static const struct term *below(const struct draft *d, const struct variable *v, int64_t bound)
{
    return term_lt(d->store, v->term, term_int(d->store, bound));
}

// A domain at work on a model.
struct bench {
    struct model *model;
    struct configuration configuration;
    struct term_store *store;
    struct progress progress;
    struct engine_environment environment;
    struct workspace workspace;
    struct domain *domain;
    const struct domain_operations *operations;
    struct state_list out;
};

static const struct domain_operations *operations_named(const char *name)
{
    static const struct domain_operations *const all[] = {
        &domain_explicit,         &domain_predicates,        &domain_predicates_boolean,
        &domain_predicates_split, &domain_product_cartesian, &domain_product_boolean,
        &domain_product_split,    &domain_product_combined,
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    fail_msg("no domain %s", name);
    return NULL;
}

static void open_model(struct bench *b, struct model *model, const char *name, const char *options)
{
    struct messages messages;
    messages_init(&messages);
    memset(b, 0, sizeof *b);
    b->model = model;
    configuration_init(&b->configuration, "test");
    assert_true(configuration_parse(&b->configuration, options, &messages));
    b->store = term_store_create(b->model->store);
    b->environment = (struct engine_environment){
        .model = b->model,
        .configuration = &b->configuration,
        .progress = &b->progress,
        .store = b->store,
    };
    workspace_init(&b->workspace, &b->environment);
    b->operations = operations_named(name);
    b->domain = b->operations->create(&b->workspace);
    messages_finish(&messages);
}

// Consumes the draft's builder.
static void open_bench(struct bench *b, const struct draft *d, const char *name,
                       const char *options)
{
    open_model(b, model_builder_finish(d->builder), name, options);
}

static void close_bench(struct bench *b)
{
    b->operations->destroy(b->domain);
    VECTOR_FINISH(&b->out);
    workspace_finish(&b->workspace);
    term_store_destroy(b->store);
    configuration_finish(&b->configuration);
    model_destroy(b->model);
}

static bool learn_at(struct bench *b, uint32_t place, const struct term *interpolant)
{
    return b->operations->refine(b->domain, b->model->locations[place], interpolant, NULL, 0);
}

static uint32_t only_initial(struct bench *b)
{
    VECTOR_CLEAR(&b->out);
    assert_true(b->operations->initial(b->domain, &b->out));
    assert_int_equal(b->out.count, 1);
    return b->out.data[0];
}

// Leaves the successors in b->out.
static size_t step(struct bench *b, uint32_t state, uint32_t edge_id)
{
    VECTOR_CLEAR(&b->out);
    assert_true(b->operations->successors(b->domain, state, b->model->edges[edge_id], &b->out));
    return b->out.count;
}

static uint64_t checks(struct bench *b)
{
    return b->workspace.solver != NULL ? smt_statistics(b->workspace.solver).checks : 0;
}

static bool equivalent(struct bench *b, const struct term *one, const struct term *other)
{
    struct smt *smt = smt_create(workspace_solver(&b->workspace));
    smt_assert(smt, term_xor(b->store, one, other));
    enum smt_result result = smt_check(smt);
    smt_destroy(smt);
    return result == SMT_UNSAT;
}

static const struct term *formula_of(struct bench *b, uint32_t state)
{
    return b->operations->formula(b->domain, state);
}

// Breadth first with covering at the same location, to the end. Answers the number of nodes; *error:
// was the error location reached?
struct place {
    uint32_t location, state;
};

static size_t explore(struct bench *b, bool *error)
{
    VECTOR(struct place) nodes = {0};
    *error = false;
    VECTOR_CLEAR(&b->out);
    assert_true(b->operations->initial(b->domain, &b->out));
    for (size_t i = 0; i < b->out.count; i++)
        VECTOR_PUSH(&nodes, ((struct place){b->model->initial->index, b->out.data[i]}));
    for (size_t n = 0; n < nodes.count; n++) {
        assert_true(nodes.count < 1000);
        struct place at = nodes.data[n];
        bool covered = false;
        for (size_t m = 0; m < n && !covered; m++)
            covered = nodes.data[m].location == at.location &&
                      b->operations->covers(b->domain, nodes.data[m].state, at.state);
        *error |= at.location == b->model->error->index;
        const struct location *l = b->model->locations[at.location];
        for (uint32_t e = 0; e < l->out_count && !covered; e++) {
            step(b, at.state, l->out[e]->id);
            for (size_t i = 0; i < b->out.count; i++)
                VECTOR_PUSH(&nodes, ((struct place){l->out[e]->target->index, b->out.data[i]}));
        }
    }
    size_t count = nodes.count;
    VECTOR_FINISH(&nodes);
    return count;
}

// docs/definitions/cegar.md 13, vector 1: x := 0; i := 0; while (i < 100) { x := x = 0 ? 1 : 0; i++ } assert x <= 1.
static struct draft flip_flop(void)
{
    struct draft d = draft(); // y is i
    struct location *l[9];
    for (size_t i = 0; i < 9; i++)
        l[i] = location(&d);
    const struct term *less = below(&d, d.y, 100), *zero = term_int(d.store, 0);
    const struct term *is_zero = term_eq(d.store, d.x->term, zero), *good = below(&d, d.x, 2);
    edge(&d, l[0], l[1], set(&d, d.x, 0));
    edge(&d, l[1], l[2], set(&d, d.y, 0));
    guard(&d, l[2], l[3], less);
    guard(&d, l[2], l[7], term_not(d.store, less));
    guard(&d, l[3], l[4], is_zero);
    guard(&d, l[3], l[5], term_not(d.store, is_zero));
    edge(&d, l[4], l[6], set(&d, d.x, 1));
    edge(&d, l[5], l[6], set(&d, d.x, 0));
    edge(&d, l[6], l[2], assign(&d, d.y, term_add2(d.store, d.y->term, term_int(d.store, 1))));
    struct location *error = location(&d);
    guard(&d, l[7], l[8], good);
    guard(&d, l[7], error, term_not(d.store, good));
    model_builder_initial(d.builder, l[0], NULL);
    model_builder_error(d.builder, error);
    return d;
}

static void values_prove_the_flip_flop_in_15_nodes(void **state)
{
    (void)state;
    struct draft d = flip_flop();
    struct bench b;
    bool error;
    open_bench(&b, &d, "EXPL", "domain=EXPL");
    assert_true(learn_at(&b, 0, term_eq(b.store, d.x->term, term_int(b.store, 0))));
    assert_int_equal(explore(&b, &error), 15);
    assert_false(error);
    assert_int_equal(checks(&b), 4); // can i < 100 hold, can it not, for each value of x?
    close_bench(&b);
}

static void the_right_predicate_proves_the_flip_flop(void **state)
{
    (void)state;
    static const char *const domains[] = {"PRED_CART",         "PRED_BOOL",      "PRED_SPLIT",
                                          "EXPL_PRED_CART",    "EXPL_PRED_BOOL", "EXPL_PRED_SPLIT",
                                          "EXPL_PRED_COMBINED"};
    for (size_t i = 0; i < 2 * (sizeof domains / sizeof *domains); i++) {
        struct draft d = flip_flop();
        struct bench b;
        bool error, right = i % 2;
        open_bench(&b, &d, domains[i / 2],
                   i / 2 < 3 ? "" : "domain=EXPL_PRED_CART,autoexpl=STATIC");
        const struct term *i_bound = term_lt(b.store, d.y->term, term_int(b.store, 100));
        const struct term *x_bound = term_le(b.store, d.x->term, term_int(b.store, 1));
        assert_true(learn_at(&b, 0, right ? x_bound : i_bound));
        explore(&b, &error);
        assert_int_equal(error, !right);
        close_bench(&b);
    }
}

// docs/definitions/cegar.md 2: assume `first`, then x = 0.
static struct draft two_assumptions(const struct term *(*first)(const struct draft *d))
{
    struct draft d = draft();
    struct location *a = location(&d), *middle = location(&d), *error = location(&d);
    guard(&d, a, middle, first(&d));
    guard(&d, middle, error, term_eq(d.store, d.x->term, term_int(d.store, 0)));
    model_builder_initial(d.builder, a, NULL);
    model_builder_error(d.builder, error);
    return d;
}

static const struct term *one_to_four(const struct draft *d)
{
    return term_and2(d->store, term_lt(d->store, term_int(d->store, 0), d->x->term),
                     below(d, d->x, 5));
}

static const struct term *not_zero(const struct draft *d)
{
    return term_not(d->store, term_eq(d->store, d->x->term, term_int(d->store, 0)));
}

static bool reaches_error(const struct draft *d, const char *name, const char *options)
{
    struct bench b;
    bool error;
    open_bench(&b, d, name, options);
    learn_at(&b, 0, term_eq(b.store, d->x->term, term_int(b.store, 0)));
    explore(&b, &error);
    close_bench(&b);
    return error;
}

static void enumeration_proves_what_its_bound_allows(void **state)
{
    (void)state;
    static const struct {
        const char *name, *options;
        bool bounded, apart; // does the error look reachable after 0 < x < 5, after x /= 0?
    } cases[] = {
        {"EXPL", "domain=EXPL,maxenum=-1", true, true},
        {"EXPL", "domain=EXPL,maxenum=1", true, true},
        {"EXPL", "domain=EXPL,maxenum=3", true, true},
        {"EXPL", "domain=EXPL,maxenum=4", false, true},
        {"EXPL", "domain=EXPL,maxenum=50", false, true},
        {"PRED_CART", "", false, false},
        {"PRED_BOOL", "", false, false},
        {"PRED_SPLIT", "", false, false},
        {"EXPL_PRED_CART", "domain=EXPL_PRED_CART,autoexpl=STATIC", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct draft bounded = two_assumptions(one_to_four), apart = two_assumptions(not_zero);
        assert_int_equal(reaches_error(&bounded, cases[i].name, cases[i].options),
                         cases[i].bounded);
        assert_int_equal(reaches_error(&apart, cases[i].name, cases[i].options), cases[i].apart);
    }
}

// docs/definitions/cegar.md 13, vector 4: a counter y and an input x. start (both 0) -init-> y := 1 -env-> x arbitrary -trans-> …
static struct draft counter(void)
{
    struct draft d = draft();
    struct location *start = location(&d), *stable = location(&d), *stimulated = location(&d);
    model_builder_initial(d.builder, start, both(&d, 0, 0));
    model_builder_error(d.builder, location(&d));
    edge(&d, start, stable, set(&d, d.y, 1));
    edge(&d, stable, stimulated, model_havoc(d.builder, d.x, here()));
    edge(&d, stimulated, stable,
         either(&d, assign(&d, d.y, term_add2(d.store, d.y->term, term_int(d.store, 1))),
                set(&d, d.y, 0)));
    edge(&d, stimulated, stimulated, either(&d, both(&d, 0, 0), both(&d, 5, 9)));
    return d;
}

static void predicates_of_the_counter(void **state)
{
    (void)state;
    static const char *const domains[] = {"PRED_CART", "PRED_BOOL", "PRED_SPLIT"};
    for (size_t i = 0; i < 3; i++) {
        struct draft d = counter();
        struct bench b;
        open_bench(&b, &d, domains[i], "");
        const struct term *greater = term_lt(b.store, d.x->term, d.y->term);
        const struct term *small = term_lt(b.store, d.y->term, term_int(b.store, 1));
        const struct term *large = term_not(b.store, small);
        learn_at(&b, 0, greater);
        learn_at(&b, 0, small);
        uint32_t first = only_initial(&b);
        assert_true(equivalent(&b, formula_of(&b, first),
                               term_and2(b.store, term_not(b.store, greater), small)));
        // After init and after env y > x may or may not hold, and y < 1 does not.
        const struct term *parts[2];
        for (uint32_t e = 0; e < 2; e++) {
            assert_int_equal(step(&b, e ? b.out.data[0] : first, e), i == 2 ? 2 : 1);
            parts[0] = formula_of(&b, b.out.data[0]);
            parts[1] = formula_of(&b, b.out.data[b.out.count - 1]);
            assert_true(equivalent(&b, term_or(b.store, parts, 2), large));
        }
        // Two combinations whose predicates always differ: only Cartesian forgets it.
        assert_int_equal(step(&b, b.out.data[0], 3), i == 2 ? 2 : 1);
        parts[0] = formula_of(&b, b.out.data[0]);
        parts[1] = formula_of(&b, b.out.data[b.out.count - 1]);
        assert_true(equivalent(&b, term_or(b.store, parts, 2),
                               i == 0 ? term_true(b.store) : term_xor(b.store, greater, small)));
        bool error;
        assert_true(explore(&b, &error) <= 16 * 3); // each location: its states, some met again
        close_bench(&b);
    }
}

// docs/definitions/cegar.md 13, vector 5. x has values (0 or 6), y has none; y <= 0 and x + y > 5 are predicates.
static void products_strengthen(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t pairs;
    } cases[] = {
        {"EXPL_PRED_CART", 2},     // y <= 0 with each value
        {"EXPL_PRED_BOOL", 2},     // … and any value of the sum
        {"EXPL_PRED_SPLIT", 3},    // x = 0, y <= 0, x + y > 5 contradicts itself and is dropped
        {"EXPL_PRED_COMBINED", 2}, // each value with its own sum
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct draft d = draft_with(VARIABLE_CONTROL);
        struct location *a = location(&d);
        model_builder_initial(d.builder, a, either(&d, both(&d, 0, 0), both(&d, 6, 0)));
        model_builder_error(d.builder, location(&d));
        struct bench b;
        open_bench(&b, &d, cases[i].name, "domain=EXPL_PRED_CART,autoexpl=STATIC");
        const struct term *five = term_int(b.store, 5), *zero = term_int(b.store, 0);
        const struct term *small = term_le(b.store, d.y->term, zero);
        const struct term *sum = term_lt(b.store, five, term_add2(b.store, d.x->term, d.y->term));
        assert_true(learn_at(&b, 0, small));
        assert_true(learn_at(&b, 0, sum));
        assert_true(b.operations->initial(b.domain, &b.out));
        assert_int_equal(b.out.count, cases[i].pairs);
        for (size_t k = 0; k < b.out.count; k++) {
            const struct term *f = formula_of(&b, b.out.data[k]);
            const struct term *x_is_0 = term_eq(b.store, d.x->term, zero);
            assert_false(equivalent(&b, f, term_false(b.store)));
            if (i == 3) // the sum follows from x
                assert_true(equivalent(
                    &b, term_and2(b.store, f, x_is_0),
                    term_and(b.store, (const struct term *[]){f, x_is_0, term_not(b.store, sum)},
                             3)));
        }
        close_bench(&b);
    }
}

// The predicates after a step are asked for together with the values before it: from x = 1 and y >= 2, y := x
// leads to y = 1.
static void products_strengthen_before_the_step(void **state)
{
    (void)state;
    struct draft d = draft_with(VARIABLE_CONTROL);
    struct location *a = location(&d), *next = location(&d);
    model_builder_initial(d.builder, a, both(&d, 1, 7));
    model_builder_error(d.builder, location(&d));
    edge(&d, a, next, assign(&d, d.y, d.x->term));
    struct bench b;
    open_bench(&b, &d, "EXPL_PRED_CART", "domain=EXPL_PRED_CART,autoexpl=STATIC");
    const struct term *one = term_int(b.store, 1), *two = term_int(b.store, 2);
    const struct term *large = term_le(b.store, two, d.y->term);
    const struct term *x_is_1 = term_eq(b.store, d.x->term, one);
    assert_true(learn_at(&b, 0, large));
    uint32_t first = only_initial(&b);
    assert_true(equivalent(&b, formula_of(&b, first), term_and2(b.store, x_is_1, large)));
    assert_int_equal(step(&b, first, 0), 1);
    assert_true(equivalent(&b, formula_of(&b, b.out.data[0]),
                           term_and2(b.store, x_is_1, term_not(b.store, large))));
    close_bench(&b);
}

// x counts: x := 0; x := x + 1 while x < 10.
static struct draft count_to_ten(void)
{
    struct draft d = draft();
    struct location *a = location(&d);
    model_builder_initial(d.builder, a, set(&d, d.x, 0));
    model_builder_error(d.builder, location(&d));
    struct statement *s[] = {
        model_assume(d.builder, below(&d, d.x, 10), here()),
        assign(&d, d.x, term_add2(d.store, d.x->term, term_int(d.store, 1))),
    };
    edge(&d, a, a, model_sequence(d.builder, s, 2, here()));
    return d;
}

static void variables_get_values_when_interpolants_invent(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        int64_t bound; // of the interpolant x < bound
        bool values;
    } cases[] = {
        {"autoexpl=STATIC", 3, false},     {"autoexpl=NEWATOMS", 10, false},
        {"autoexpl=NEWATOMS", 3, true},    {"autoexpl=NEWOPERANDS", 10, false},
        {"autoexpl=NEWOPERANDS", 3, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct draft d = count_to_ten();
        struct bench b;
        char options[64] = "domain=EXPL_PRED_CART,";
        open_bench(&b, &d, "EXPL_PRED_CART", strcat(options, cases[i].options));
        const struct term *bound = term_int(b.store, cases[i].bound);
        const struct term *interpolant = term_lt(b.store, d.x->term, bound);
        assert_true(learn_at(&b, 0, interpolant));
        const struct term *is_0 = term_eq(b.store, d.x->term, term_int(b.store, 0));
        assert_ptr_equal(formula_of(&b, only_initial(&b)), cases[i].values ? is_0 : interpolant);
        close_bench(&b);
    }
}

static void variables_lose_their_values_when_they_have_too_many(void **state)
{
    (void)state;
    struct draft d = count_to_ten();
    struct bench b;
    open_bench(&b, &d, "EXPL_PRED_CART", "domain=EXPL_PRED_CART,autoexpl=VALUES,autoexplvalues=3");
    const struct term *interpolant = term_lt(b.store, d.x->term, term_int(b.store, 7));
    assert_true(learn_at(&b, 0, interpolant));
    uint32_t at = only_initial(&b);
    for (int64_t x = 1; x <= 3; x++) {
        assert_int_equal(step(&b, at, 0), 1);
        at = b.out.data[0];
        assert_ptr_equal(formula_of(&b, at), term_eq(b.store, d.x->term, term_int(b.store, x)));
    }
    assert_true(learn_at(&b, 0, interpolant)); // 0, 1, 2, 3 were one too many
    assert_ptr_equal(formula_of(&b, only_initial(&b)), interpolant);
    close_bench(&b);
}

// The loop that matters: no allocation at all once everything was met, not even a balanced one.
static void evaluation_allocates_nothing(void **state)
{
    (void)state;
    struct draft d = counter();
    struct bench b;
    open_bench(&b, &d, "EXPL", "domain=EXPL,initprec=ALLVARS");
    struct explicit_post *post = explicit_post_create(&b.workspace);
    struct valuation_set set = {0};
    struct value row[2] = {value_small(3), value_small(4)};
    variable_bits tracked = 3;
    bool branched, trapped = false;
    for (uint32_t e = 0; e < b.model->edge_count; e++)
        assert_true(explicit_post_run(post, b.model->edges[e]->action, row, &tracked, true, &set,
                                      &branched));
    uint64_t before = memory_thread_bytes();
    struct memory_trap trap;
    if (setjmp(trap.jump) == 0) {
        memory_trap_push(&trap);
        memory_thread_fail_at(1);
        for (uint32_t i = 0; i < 1000; i++)
            explicit_post_run(post, b.model->edges[i % b.model->edge_count]->action, row, &tracked,
                              true, &set, &branched);
        memory_thread_fail_at(0);
        memory_trap_pop(&trap);
    } else {
        trapped = true;
    }
    assert_false(trapped);
    assert_int_equal(memory_thread_bytes(), before);
    assert_int_equal(set.count, 2);
    valuation_set_finish(&set);
    explicit_post_destroy(post);
    close_bench(&b);
}

// A predicate for one location costs nothing at another.
static void other_locations_are_not_asked_again(void **state)
{
    (void)state;
    static const char *const domains[] = {"PRED_CART", "PRED_BOOL", "PRED_SPLIT", "EXPL_PRED_CART",
                                          "EXPL_PRED_COMBINED"};
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        struct draft d = counter();
        struct bench b;
        open_bench(&b, &d, domains[i],
                   i < 3 ? "precgranularity=LOCAL"
                         : "domain=EXPL_PRED_CART,precgranularity=LOCAL,autoexpl=STATIC");
        const struct term *greater = term_lt(b.store, d.x->term, d.y->term);
        const struct term *small = term_lt(b.store, d.y->term, term_int(b.store, 1));
        uint32_t stable = b.model->edges[0]->target->index;
        uint32_t stimulated = b.model->edges[1]->target->index;
        learn_at(&b, stable, greater);
        uint32_t first = only_initial(&b);
        step(&b, first, 0);
        uint32_t at = b.out.data[0];
        step(&b, at, 1);
        uint64_t asked = checks(&b), hits = b.progress.cache_hits[CACHE_PREDICATES];
        assert_true(asked > 0);
        assert_true(learn_at(&b, stimulated, small));
        step(&b, first, 0);
        assert_int_equal(b.out.data[0], at);
        assert_int_equal(checks(&b), asked);
        assert_true(b.progress.cache_hits[CACHE_PREDICATES] > hits);
        step(&b, at, 1); // here there is something new to ask
        assert_true(checks(&b) > asked);
        close_bench(&b);
    }
}

// x = 0 has a value, y may have none. The step is `if x = 0 then [0 < y < 5] else` a long way for y.
static struct draft short_way(void)
{
    struct draft d = draft_with(VARIABLE_CONTROL);
    struct location *a = location(&d), *next = location(&d);
    model_builder_initial(d.builder, a, set(&d, d.x, 0));
    model_builder_error(d.builder, location(&d));
    const struct term *is_zero = term_eq(d.store, d.x->term, term_int(d.store, 0));
    struct statement *way[40];
    for (size_t i = 0; i < 40; i++)
        way[i] = assign(&d, d.y, term_mul2(d.store, d.y->term, term_int(d.store, (int64_t)i + 2)));
    const struct term *range =
        term_and2(d.store, term_lt(d.store, term_int(d.store, 0), d.y->term), below(&d, d.y, 5));
    edge(&d, a, next,
         model_if(d.builder, is_zero, model_assume(d.builder, range, here()),
                  model_sequence(d.builder, way, 40, here()), here()));
    edge(&d, a, next,
         model_if(d.builder, is_zero, model_skip(d.builder, here()),
                  model_havoc(d.builder, d.y, here()), here()));
    return d;
}

// A branch that the values rule out is not given to the solver.
static void specialised_actions_are_smaller(void **state)
{
    (void)state;
    static const struct {
        const char *name, *options;
        size_t states;
    } cases[] = {
        {"EXPL", "domain=EXPL,maxenum=10", 4},
        {"EXPL_PRED_CART", "domain=EXPL_PRED_CART,autoexpl=STATIC", 1},
        {"EXPL_PRED_BOOL", "domain=EXPL_PRED_BOOL,autoexpl=STATIC", 1},
        {"EXPL_PRED_SPLIT", "domain=EXPL_PRED_SPLIT,autoexpl=STATIC", 1},
        {"EXPL_PRED_COMBINED", "domain=EXPL_PRED_COMBINED,autoexpl=STATIC", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t translated[2];
        for (unsigned on = 0; on < 2; on++) {
            struct draft d = short_way();
            struct bench b;
            char options[100];
            snprintf(options, sizeof options, "%s,optimizestmts=%s", cases[i].options,
                     on ? "on" : "off");
            open_bench(&b, &d, cases[i].name, options);
            d.store = b.store;
            learn_at(&b, 0, below(&d, d.x, 1)); // EXPL: track x …
            learn_at(&b, 0, below(&d, d.y, 3)); // … and y
            assert_true(b.operations->initial(b.domain, &b.out));
            assert_int_equal(step(&b, b.out.data[0], 0), cases[i].states);
            translated[on] = smt_statistics(b.workspace.solver).translated_terms;
            assert_int_equal(b.progress.cache_lookups[CACHE_ACTIONS] > 0, on);
            close_bench(&b);
        }
        print_message("# %s: %llu terms, specialised %llu\n", cases[i].name,
                      (unsigned long long)translated[0], (unsigned long long)translated[1]);
        assert_true(translated[1] + 40 < translated[0]);
    }
}

// What is left may leave a predicate alone, and say that it runs from every state: nothing to ask.
static void specialised_actions_need_no_check(void **state)
{
    (void)state;
    for (unsigned on = 0; on < 2; on++) {
        struct draft d = short_way();
        struct bench b;
        open_bench(&b, &d, "EXPL_PRED_CART",
                   on ? "domain=EXPL_PRED_CART,autoexpl=STATIC,optimizestmts=on"
                      : "domain=EXPL_PRED_CART,autoexpl=STATIC");
        d.store = b.store;
        learn_at(&b, 0, below(&d, d.y, 5));
        uint32_t first = only_initial(&b);
        assert_int_equal(step(&b, first, 0), 1); // now y < 5 is known
        uint64_t asked = checks(&b);
        uint32_t at = b.out.data[0];
        assert_int_equal(step(&b, at, 1), 1);
        assert_int_equal(b.out.data[0], at);
        assert_int_equal(checks(&b) > asked, !on);
        close_bench(&b);
    }
}

// States that can be reached, each once a location; 0 when they are too many.
static size_t count_reachable(struct bench *b, bool *error)
{
    VECTOR(struct place) seen = {0};
    *error = false;
    VECTOR_CLEAR(&b->out);
    assert_true(b->operations->initial(b->domain, &b->out));
    for (size_t i = 0; i < b->out.count; i++)
        VECTOR_PUSH(&seen, ((struct place){b->model->initial->index, b->out.data[i]}));
    for (size_t n = 0; n < seen.count && seen.count < 150; n++) {
        struct place at = seen.data[n];
        *error |= at.location == b->model->error->index;
        const struct location *l = b->model->locations[at.location];
        for (uint32_t e = 0; e < l->out_count; e++) {
            step(b, at.state, l->out[e]->id);
            for (size_t i = 0; i < b->out.count; i++) {
                struct place to = {l->out[e]->target->index, b->out.data[i]};
                bool known = false;
                for (size_t m = 0; m < seen.count && !known; m++)
                    known = seen.data[m].location == to.location && seen.data[m].state == to.state;
                if (!known)
                    VECTOR_PUSH(&seen, to);
            }
        }
    }
    size_t count = seen.count < 150 ? seen.count : 0;
    VECTOR_FINISH(&seen);
    return count;
}

// The states after a step do not depend on how the solver is asked.
static void specialised_actions_lead_to_the_same_states(void **state)
{
    (void)state;
    static const struct {
        const char *name, *options;
    } cases[] = {
        {"EXPL", "domain=EXPL,maxenum=4"},
        {"EXPL_PRED_CART", "domain=EXPL_PRED_CART,initprec=ALLASSUMES,autoexpl=STATIC"},
        {"EXPL_PRED_BOOL", "domain=EXPL_PRED_BOOL,initprec=ALLASSUMES,autoexpl=STATIC"},
        {"EXPL_PRED_SPLIT", "domain=EXPL_PRED_SPLIT,initprec=ALLASSUMES,autoexpl=STATIC"},
        {"EXPL_PRED_COMBINED", "domain=EXPL_PRED_COMBINED,initprec=ALLASSUMES,autoexpl=STATIC"},
    };
    unsigned count_of_models = part_models(8, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned compared = 0;
        uint64_t specialised = 0, again = 0;
        for (uint64_t seed = 1; seed <= count_of_models; seed++) {
            size_t count[2];
            bool error[2];
            for (unsigned on = 0; on < 2; on++) {
                struct bench b;
                char options[120];
                snprintf(options, sizeof options, "%s,optimizestmts=%s", cases[i].options,
                         on ? "on" : "off");
                open_model(&b, oracle_random_model(seed), cases[i].name, options);
                for (uint32_t v = 0; v < b.model->variable_count; v += 2)
                    b.operations->refine(b.domain, b.model->initial, NULL,
                                         &b.model->variables[v]->term, 1);
                count[on] = count_reachable(&b, &error[on]);
                specialised += b.progress.cache_lookups[CACHE_ACTIONS];
                again += b.progress.cache_hits[CACHE_ACTIONS];
                close_bench(&b);
            }
            if (count[0] != count[1] || (count[0] && error[0] != error[1]))
                fail_msg("seed %llu, %s: %zu states, specialised %zu", (unsigned long long)seed,
                         cases[i].name, count[0], count[1]);
            compared += count[0] != 0;
        }
        print_message("# %s: %u models, %llu specialised actions, %llu of them again\n",
                      cases[i].name, compared, (unsigned long long)specialised,
                      (unsigned long long)again);
        assert_true(2 * compared > count_of_models && again > 0 && specialised > again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_prove_the_flip_flop_in_15_nodes),
        cmocka_unit_test(the_right_predicate_proves_the_flip_flop),
        cmocka_unit_test(enumeration_proves_what_its_bound_allows),
        cmocka_unit_test(predicates_of_the_counter),
        cmocka_unit_test(products_strengthen),
        cmocka_unit_test(products_strengthen_before_the_step),
        cmocka_unit_test(variables_get_values_when_interpolants_invent),
        cmocka_unit_test(variables_lose_their_values_when_they_have_too_many),
        cmocka_unit_test(evaluation_allocates_nothing),
        cmocka_unit_test(other_locations_are_not_asked_again),
        cmocka_unit_test(specialised_actions_are_smaller),
        cmocka_unit_test(specialised_actions_need_no_check),
        cmocka_unit_test(specialised_actions_lead_to_the_same_states),
    };
    return cmocka_run_group_tests_name("domains", tests, NULL, NULL);
}
