#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "engines/bounded/octagon_words.h"
#include "logic/terms/eval.h"
#include "tests/part.h"

// Octagons over three numbers against sets of all points, and statements over three words against what they do to each.

enum { NUMBERS = 3, WIDTH = 3, SIZE = 1 << WIDTH, POINTS = SIZE * SIZE * SIZE };

struct set {
    bool has[POINTS];
};

static void point_of(size_t index, int *point)
{
    for (size_t n = NUMBERS; n-- > 0; index /= SIZE)
        point[n] = (int)(index % SIZE);
}

static size_t index_of(const int *point)
{
    size_t index = 0;
    for (size_t n = 0; n < NUMBERS; n++)
        index = index * SIZE + (size_t)point[n] % SIZE;
    return index;
}

static int side_value(const int *point, uint32_t side)
{
    return side % 2 == 0 ? point[side / 2] : -point[side / 2];
}

static bool is_inside(const struct octagon *o, const int *point)
{
    for (uint32_t a = 0; a < 2 * NUMBERS && !o->empty; a++)
        for (uint32_t b = 0; b < 2 * NUMBERS; b++)
            if (side_value(point, a) + side_value(point, b) > o->bound[a][b])
                return false;
    return !o->empty;
}

// Each bound is what some point has: nothing that follows was left out.
static void check_same(const struct octagon *o, const struct set *set)
{
    bool any = false;
    int most[2 * NUMBERS][2 * NUMBERS] = {{0}};
    for (size_t i = 0; i < POINTS; i++) {
        int point[NUMBERS];
        point_of(i, point);
        assert_int_equal(is_inside(o, point), set->has[i]);
        for (uint32_t a = 0; a < 2 * NUMBERS && set->has[i]; a++)
            for (uint32_t b = 0; b < 2 * NUMBERS; b++) {
                int sum = side_value(point, a) + side_value(point, b);
                most[a][b] = !any || sum > most[a][b] ? sum : most[a][b];
            }
        any |= set->has[i];
    }
    assert_int_equal(o->empty, !any);
    for (uint32_t a = 0; a < 2 * NUMBERS && any; a++)
        for (uint32_t b = 0; b < 2 * NUMBERS; b++)
            assert_true(o->bound[a][b] == most[a][b]);
}

static void restrict_both(struct octagon *o, struct set *set, uint32_t a, uint32_t b, int most)
{
    octagon_restrict(o, a, b, most);
    for (size_t i = 0; i < POINTS; i++) {
        int point[NUMBERS];
        point_of(i, point);
        set->has[i] = set->has[i] && side_value(point, a) + side_value(point, b) <= most;
    }
}

static void begin(struct octagon *o, struct set *set)
{
    octagon_init(o, NUMBERS);
    for (size_t i = 0; i < POINTS; i++)
        set->has[i] = true;
    for (uint32_t n = 0; n < NUMBERS; n++) {
        restrict_both(o, set, 2 * n, 2 * n, 2 * (SIZE - 1));
        restrict_both(o, set, 2 * n + 1, 2 * n + 1, 0);
    }
}

static void restrict_some(struct octagon *o, struct set *set, struct random *random, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        uint32_t a = (uint32_t)random_below(random, 2 * NUMBERS);
        uint32_t b = (uint32_t)random_below(random, 2 * NUMBERS);
        if (a != octagon_other(b))
            restrict_both(o, set, a, b, (int)random_below(random, 14) - 4);
    }
}

static void test_restrict(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 1);
    for (unsigned k = 0; k < part_models(400, 60); k++) {
        struct octagon o, reduced;
        struct set set;
        begin(&o, &set);
        restrict_some(&o, &set, &random, 1 + k % 5);
        check_same(&o, &set);
        reduced = o;
        octagon_reduce(&reduced);
        octagon_close(&reduced);
        check_same(&reduced, &set);
    }
}

// No point of either is lost; what is in the one is not new.
static void test_join_and_widen(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 2);
    const octagon_bound thresholds[] = {-2, 0, 3};
    for (unsigned k = 0; k < part_models(200, 40); k++) {
        struct octagon o[2], joined, widened, range;
        struct set set[2], all;
        begin(&range, &all);
        for (int i = 0; i < 2; i++) {
            begin(&o[i], &set[i]);
            restrict_some(&o[i], &set[i], &random, 3);
        }
        joined = o[0];
        octagon_join(&joined, &o[1]);
        widened = o[0];
        octagon_widen(&widened, &joined, &range, thresholds, 3);
        assert_false(octagon_widen(&joined, &o[0], &range, thresholds, 3));
        assert_false(octagon_widen(&widened, &o[1], &range, thresholds, 3));
        octagon_close(&widened);
        for (size_t i = 0; i < POINTS; i++) {
            int point[NUMBERS];
            point_of(i, point);
            if (!set[0].has[i] && !set[1].has[i])
                continue;
            assert_true(is_inside(&joined, point));
            assert_true(is_inside(&widened, point));
        }
    }
}

// Statements.

struct words {
    struct model_builder *builder;
    struct term_store *store;
    const struct variable *number[NUMBERS], *boolean[2];
    struct random random;
    int point[NUMBERS];
    bool flag[2];
};

static const struct term *random_number(struct words *w, unsigned depth)
{
    struct term_store *s = w->store;
    static const enum term_kind kinds[] = {TERM_BV_ADD,  TERM_BV_ADD,  TERM_BV_MUL,  TERM_BV_AND,
                                           TERM_BV_UDIV, TERM_BV_UREM, TERM_BV_SDIV, TERM_BV_SREM,
                                           TERM_BV_LSHR, TERM_BV_SHL,  TERM_BV_XOR};
    const struct term *a, *b;
    switch (depth == 0 ? random_below(&w->random, 2) : random_below(&w->random, 8)) {
    case 0:
        return term_bv(s, WIDTH, random_below(&w->random, SIZE));
    case 1:
    case 2:
        return w->number[random_below(&w->random, NUMBERS)]->term;
    case 3:
        return term_bv_unary(s, random_below(&w->random, 2) ? TERM_BV_NEG : TERM_BV_NOT,
                             random_number(w, depth - 1));
    case 4:
        a = term_bv_extend(s, random_below(&w->random, 2) ? TERM_BV_ZEXT : TERM_BV_SEXT,
                           random_number(w, depth - 1), WIDTH + 2);
        b = term_bv(s, WIDTH + 2, random_below(&w->random, 4 * SIZE));
        return term_bv_extract(s, term_bv_binary(s, TERM_BV_ADD, a, b), WIDTH - 1, 0);
    case 5:
        a = term_bv_binary(s, TERM_BV_SLT, random_number(w, depth - 1),
                           random_number(w, depth - 1));
        return term_ite(s, a, random_number(w, depth - 1), random_number(w, depth - 1));
    default:
        a = random_number(w, depth - 1);
        b = random_number(w, depth - 1);
        return term_bv_binary(s, kinds[random_below(&w->random, sizeof kinds / sizeof *kinds)], a,
                              b);
    }
}

static const struct term *random_condition(struct words *w, unsigned depth)
{
    struct term_store *s = w->store;
    static const enum term_kind kinds[] = {TERM_BV_ULT, TERM_BV_ULE, TERM_BV_SLT, TERM_BV_SLE};
    const struct term *a, *b;
    switch (random_below(&w->random, depth == 0 ? 4 : 8)) {
    case 0:
        a = random_number(w, 2);
        return term_eq(s, a, random_number(w, 1));
    case 1:
        return w->boolean[random_below(&w->random, 2)]->term;
    case 2:
    case 3:
        a = random_number(w, 2);
        b = random_number(w, 2);
        return term_bv_binary(s, kinds[random_below(&w->random, 4)], a, b);
    case 4:
        return term_not(s, random_condition(w, depth - 1));
    case 5:
        a = random_condition(w, depth - 1);
        return term_and2(s, a, random_condition(w, depth - 1));
    case 6:
        a = random_condition(w, depth - 1);
        return term_or2(s, a, random_condition(w, depth - 1));
    default:
        a = random_condition(w, depth - 1);
        return term_iff(s, a, random_condition(w, depth - 1));
    }
}

static struct statement *random_statement(struct words *w, unsigned depth)
{
    struct position nowhere = {0};
    struct model_builder *b = w->builder;
    struct statement *children[3];
    const struct term *condition;
    switch (random_below(&w->random, depth == 0 ? 4 : 7)) {
    case 0:
        return model_assume(b, random_condition(w, 1), nowhere);
    case 1:
        return model_assign(b, w->boolean[random_below(&w->random, 2)], random_condition(w, 1),
                            nowhere);
    case 2:
    case 3:
        return model_assign(b, w->number[random_below(&w->random, NUMBERS)], random_number(w, 2),
                            nowhere);
    case 4:
        condition = random_condition(w, 1);
        children[0] = random_statement(w, depth - 1);
        return model_if(b, condition, children[0], random_statement(w, depth - 1), nowhere);
    default:
        for (int i = 0; i < 3; i++)
            children[i] = random_statement(w, depth - 1);
        return random_below(&w->random, 3) != 0 ? model_sequence(b, children, 3, nowhere)
                                                : model_choice(b, children, 2, nowhere);
    }
}

static struct value look_up(void *context, const struct term *variable)
{
    const struct words *w = context;
    for (int n = 0; n < NUMBERS; n++)
        if (w->number[n]->term == variable)
            return value_small(w->point[n]);
    return value_bool(w->flag[w->boolean[1]->term == variable]);
}

// One run through the statement from the words' point, choices as the random numbers say. False: there is none.
static bool run(struct words *w, struct evaluator *evaluator, const struct statement *s)
{
    struct value v =
        s->expression != NULL ? evaluator_run(evaluator, s->expression, look_up, w) : VALUE_UNKNOWN;
    switch (s->kind) {
    case STATEMENT_ASSUME:
        return value_is_true(v);
    case STATEMENT_ASSIGN:
        assert_true(value_known(v));
        for (int n = 0; n < NUMBERS; n++)
            if (w->number[n] == s->variable)
                w->point[n] = (int)value_small_get(v);
        for (int n = 0; n < 2; n++)
            if (w->boolean[n] == s->variable)
                w->flag[n] = value_is_true(v);
        return true;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count; i++)
            if (!run(w, evaluator, s->child[i]))
                return false;
        return true;
    case STATEMENT_CHOICE:
        return run(w, evaluator, s->child[random_below(&w->random, s->child_count)]);
    case STATEMENT_IF:
        return run(w, evaluator, s->child[value_is_true(v) ? 0 : 1]);
    case STATEMENT_SKIP:
    case STATEMENT_HAVOC:
        break;
    }
    return true;
}

static bool is_in_some_case(const struct words *w, const struct octagon_words *octagons,
                            const struct octagon_cases *cases)
{
    int point[NUMBERS];
    for (int n = 0; n < NUMBERS; n++)
        point[n] =
            octagons->is_signed[n] && w->point[n] >= SIZE / 2 ? w->point[n] - SIZE : w->point[n];
    for (size_t i = 0; i < cases->count; i++) {
        const struct octagon_case *c = &cases->data[i];
        uint32_t flags = (uint32_t)w->flag[0] | (uint32_t)w->flag[1] << 1;
        if (((c->values ^ flags) & c->known) == 0 && is_inside(&c->octagon, point))
            return true;
    }
    return false;
}

// From all states that the octagon has, each run through the statement ends in some case.
static void check_statement(struct words *w, const struct model *model, const struct statement *s)
{
    const uint32_t number_of[] = {0, 1, 2, OCTAGON_NUMBERS, OCTAGON_NUMBERS};
    const uint32_t boolean_of[] = {OCTAGON_BOOLEANS, OCTAGON_BOOLEANS, OCTAGON_BOOLEANS, 0, 1};
    struct octagon_words octagons = {.model = model,
                                     .numbers = NUMBERS,
                                     .number_of = number_of,
                                     .boolean_of = boolean_of,
                                     .work = 10000000};
    struct octagon_cases cases = {0}, before = {0};
    struct octagon_case all = {0};
    struct set ignored = {{false}};
    struct evaluator *evaluator = evaluator_create(w->store);
    octagon_init(&all.octagon, NUMBERS);
    for (uint32_t n = 0; n < NUMBERS; n++) {
        octagons.number[n] = w->number[n];
        octagons.is_signed[n] = random_below(&w->random, 2);
        octagon_words_forget(&octagons, &all.octagon, n);
    }
    restrict_some(&all.octagon, &ignored, &w->random, 2);
    VECTOR_PUSH(&before, all);
    VECTOR_PUSH(&cases, all);
    octagon_words_pass(&octagons, &cases, s);
    for (size_t i = 0; i < 4 * POINTS; i++) {
        point_of(i % POINTS, w->point);
        assert_int_equal(index_of(w->point), i % POINTS);
        w->flag[0] = i / POINTS % 2;
        w->flag[1] = i / POINTS / 2;
        if (is_in_some_case(w, &octagons, &before) && run(w, evaluator, s))
            assert_true(is_in_some_case(w, &octagons, &cases));
    }
    evaluator_destroy(evaluator);
    VECTOR_FINISH(&cases);
    VECTOR_FINISH(&before);
    VECTOR_FINISH(&octagons.decided);
}

static void test_statements(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < part_models(400, 40); seed++) {
        struct position nowhere = {0};
        struct words w = {.builder = model_builder_create(&dialect_plain, "made", NULL)};
        random_init(&w.random, seed);
        w.store = model_builder_store(w.builder);
        static const char *const names[] = {"x", "y", "z", "b", "c"};
        for (int i = 0; i < NUMBERS; i++)
            w.number[i] =
                model_builder_variable(w.builder, names[i], sort_bv(w.store, WIDTH), 0, nowhere);
        for (int i = 0; i < 2; i++)
            w.boolean[i] = model_builder_variable(w.builder, names[NUMBERS + i], sort_bool(w.store),
                                                  0, nowhere);
        struct statement *action = random_statement(&w, 3);
        struct location *start = model_builder_location(w.builder, "start", PHASE_NONE, true);
        struct location *error = model_builder_location(w.builder, "error", PHASE_NONE, true);
        model_builder_edge(w.builder, start, error, action, "step", nowhere);
        model_builder_initial(w.builder, start, model_skip(w.builder, nowhere));
        model_builder_error(w.builder, error);
        struct model *model = model_builder_finish(w.builder);
        w.store = term_store_create(model->store);
        check_statement(&w, model, model->edges[0]->action);
        term_store_destroy(w.store);
        model_destroy(model);
    }
}

int main(int count, char **arguments)
{
    struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restrict),
        cmocka_unit_test(test_join_and_widen),
        cmocka_unit_test(test_statements),
    };
    return part_run(count, arguments, tests);
}
