#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/set_cover.h"

// Small random set covers against all subsets; large ones, whose items are kept as bits, against what an answer has to be.

#define SETS 8
#define ITEMS 12

static size_t lost_by(const uint32_t (*sets)[ITEMS], const size_t *sizes, unsigned chosen)
{
    unsigned all = 0, held = 0;
    for (unsigned s = 0; s < SETS; s++)
        for (size_t k = 0; k < sizes[s]; k++) {
            all |= 1u << sets[s][k];
            if (chosen >> s & 1)
                held |= 1u << sets[s][k];
        }
    return (size_t)__builtin_popcount(all & ~held);
}

// The sets that are chosen, once each, are those in order.
static void check_order(const struct set_cover_problem *problem,
                        const struct set_cover_answer *answer)
{
    size_t chosen = 0;
    bool *seen = memory_zalloc(problem->set_count + 1);
    for (size_t i = 0; i < problem->set_count; i++)
        chosen += answer->chosen[i];
    assert_int_equal(chosen, answer->count);
    for (size_t i = 0; i < answer->count; i++) {
        assert_true(answer->chosen[answer->order[i]] && !seen[answer->order[i]]);
        seen[answer->order[i]] = true;
    }
    memory_free(seen);
}

static void test_all_subsets(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 7);
    for (unsigned round = 0; round < 400; round++) {
        uint32_t sets[SETS][ITEMS];
        const uint32_t *lists[SETS];
        size_t sizes[SETS], weights[ITEMS], may_lose = random_below(&random, 3);
        for (unsigned s = 0; s < SETS; s++) {
            lists[s] = sets[s];
            sizes[s] = random_below(&random, 6);
            for (size_t k = 0; k < sizes[s]; k++)
                sets[s][k] = (uint32_t)random_below(&random, ITEMS);
        }
        for (unsigned i = 0; i < ITEMS; i++)
            weights[i] = 1 + random_below(&random, 5);
        size_t least = SETS;
        for (unsigned chosen = 0; chosen < 1u << SETS; chosen++)
            if (lost_by(sets, sizes, chosen) <= may_lose &&
                (size_t)__builtin_popcount(chosen) < least)
                least = (size_t)__builtin_popcount(chosen);
        const struct set_cover_problem problem = {.sets = lists,
                                                  .sizes = sizes,
                                                  .set_count = SETS,
                                                  .item_count = ITEMS,
                                                  .may_lose = may_lose,
                                                  .weights = round % 2 == 0 ? weights : NULL,
                                                  .lean = round % 3 != 0};
        struct set_cover_answer greedy, exact;
        set_cover_greedy(&problem, &greedy);
        set_cover_exact(&problem, 1000000, &exact);
        unsigned chosen = 0;
        for (unsigned s = 0; s < SETS; s++)
            chosen |= (unsigned)greedy.chosen[s] << s;
        assert_true(greedy.lost <= may_lose && exact.lost <= may_lose);
        assert_int_equal(greedy.lost, lost_by(sets, sizes, chosen));
        assert_true(exact.optimal);
        assert_int_equal(exact.count, least);
        assert_true(greedy.count >= least && greedy.at_least <= least);
        check_order(&problem, &greedy);
        check_order(&problem, &exact);
        set_cover_answer_finish(&greedy);
        set_cover_answer_finish(&exact);
    }
}

// The heaviest item decides what comes first; what it makes needless goes where that is wanted.
static void test_weights(void **state)
{
    (void)state;
    const uint32_t a[] = {0, 1, 2}, b[] = {0, 3}, c[] = {1, 2, 4};
    const uint32_t *const sets[] = {a, b, c};
    const size_t sizes[] = {3, 2, 3}, weights[] = {1, 1, 9, 1, 1};
    struct set_cover_problem problem = {
        .sets = sets, .sizes = sizes, .set_count = 3, .item_count = 5, .weights = weights};
    struct set_cover_answer answer;
    set_cover_greedy(&problem, &answer);
    assert_int_equal(answer.count, 3);
    assert_int_equal(answer.order[0], 0);
    set_cover_answer_finish(&answer);
    problem.lean = true;
    set_cover_greedy(&problem, &answer);
    assert_int_equal(answer.count, 2);
    assert_false(answer.chosen[0]);
    set_cover_answer_finish(&answer);
}

// Items in more sets than there are words: half of 300 sets. Found within few branches, and the same each time.
static void test_bits(void **state)
{
    (void)state;
    enum { MANY = 300, SOME = 40 };
    struct random random;
    random_init(&random, 11);
    static uint32_t items[MANY][SOME];
    const uint32_t *sets[MANY];
    size_t sizes[MANY];
    for (size_t s = 0; s < MANY; s++) {
        sets[s] = items[s];
        sizes[s] = 0;
        for (uint32_t i = 0; i < SOME; i++)
            if (random_below(&random, 2) == 0)
                items[s][sizes[s]++] = i;
    }
    const struct set_cover_problem problem = {
        .sets = sets, .sizes = sizes, .set_count = MANY, .item_count = SOME};
    struct set_cover_answer answers[2];
    for (size_t i = 0; i < 2; i++)
        set_cover_exact(&problem, 2000, &answers[i]);
    assert_int_equal(answers[0].lost, 0);
    assert_true(answers[0].at_least >= 1 && answers[0].at_least <= answers[0].count);
    check_order(&problem, &answers[0]);
    assert_int_equal(answers[0].count, answers[1].count);
    assert_memory_equal(answers[0].order, answers[1].order,
                        answers[0].count * sizeof *answers[0].order);
    set_cover_answer_finish(&answers[0]);
    set_cover_answer_finish(&answers[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_subsets),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
