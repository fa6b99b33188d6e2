#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "monitors/monitor.h"

// A scripted engine: tells the monitors of counterexamples, one a round.

static struct watch *watch_for(enum option_value monitor, enum option_value prune)
{
    struct configuration configuration;
    configuration_init(&configuration, "test");
    configuration.values[OPTION_MONITOR] = monitor;
    configuration.values[OPTION_PRUNE] = prune;
    configuration.values[OPTION_PATIENCE] = 1;
    configuration_seal(&configuration);
    struct watch *watch = watch_create(&configuration);
    configuration_finish(&configuration);
    return watch;
}

static struct advice found(struct watch *watch, const uint32_t *items, size_t count,
                           uint32_t precision, uint64_t hash)
{
    struct counterexample counterexample = {
        .items = items, .count = count, .hash = {hash, hash}, .precision_id = precision};
    struct engine_event event = {
        .kind = EVENT_COUNTEREXAMPLE, .counterexample = &counterexample, .count = 1};
    return watch_judge(watch, &event);
}

static bool stops(struct watch *watch, uint32_t first, uint32_t second, uint32_t precision)
{
    // One hash for all: only the structure may decide.
    struct advice advice = found(watch, (uint32_t[]){first, second, 9}, 3, precision, 1);
    if (advice.kind == ADVICE_STOP)
        assert_int_equal(advice.reason, END_STALLED);
    return advice.kind == ADVICE_STOP;
}

static void test_cycle_of_three_is_seen_at_its_second_beginning(void **state)
{
    (void)state;
    struct watch *watch = watch_for(MONITOR_CHECK, PRUNE_FULL);
    assert_false(stops(watch, 1, 1, 0));
    assert_false(stops(watch, 2, 2, 1));
    assert_false(stops(watch, 3, 3, 2));
    assert_true(stops(watch, 1, 1, 3));
    watch_destroy(watch);
}

static void test_same_states_in_another_order_are_another_path(void **state)
{
    (void)state;
    struct watch *watch = watch_for(MONITOR_CHECK, PRUNE_FULL);
    assert_false(stops(watch, 1, 2, 0));
    assert_false(stops(watch, 2, 1, 0));
    watch_destroy(watch);
}

static void test_precision_is_in_the_key_under_lazy_pruning(void **state)
{
    (void)state;
    struct watch *watch = watch_for(MONITOR_CHECK, PRUNE_LAZY);
    assert_false(stops(watch, 1, 1, 0));
    assert_false(stops(watch, 1, 1, 1));
    assert_true(stops(watch, 1, 1, 1));
    watch_destroy(watch);
}

static void test_a_prefix_is_another_path(void **state)
{
    (void)state;
    struct watch *watch = watch_for(MONITOR_CHECK, PRUNE_FULL);
    const uint32_t path[] = {1, 2, 3, 4, 5};
    for (size_t length = 1; length <= 5; length += 2)
        assert_int_equal(found(watch, path, length, 0, 1).kind, ADVICE_GO_ON);
    assert_int_equal(found(watch, path, 3, 0, 1).kind, ADVICE_STOP);
    watch_destroy(watch);
}

// Values that drift away give a longer path each round: slow, but no repetition.
static void test_divergence_is_not_a_repetition(void **state)
{
    (void)state;
    struct watch *watch = watch_for(MONITOR_CHECK, PRUNE_FULL);
    static uint32_t path[400];
    for (uint32_t i = 0; i < 400; i++)
        path[i] = i % 7;
    for (size_t length = 1; length < 400; length++)
        assert_int_equal(found(watch, path, length, 0, length).kind, ADVICE_GO_ON);
    watch_destroy(watch);
}

// Counterexamples of a million words each: the oldest make room, so memory is bounded; those that are left are known.
static void test_the_oldest_make_room(void **state)
{
    (void)state;
    enum { WORDS = 1 << 20, ROUNDS = 40 };
    struct watch *watch = watch_for(MONITOR_CHECK, PRUNE_FULL);
    uint32_t *items = memory_zalloc(WORDS * sizeof *items);
    uint64_t before = memory_thread_bytes();
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        items[0] = i;
        assert_int_equal(found(watch, items, WORDS, 0, i).kind, ADVICE_GO_ON);
        assert_true(memory_thread_bytes() - before <=
                    ((uint64_t)16 << 20) * sizeof *items + (1 << 20));
    }
    items[0] = 1; // forgotten
    assert_int_equal(found(watch, items, WORDS, 0, 1).kind, ADVICE_GO_ON);
    for (uint32_t i = ROUNDS - 14; i < ROUNDS; i++) { // sixteen fit, and 1 is there again
        items[0] = i;
        assert_int_equal(found(watch, items, WORDS, 0, i).kind, ADVICE_STOP);
    }
    items[0] = ROUNDS;
    struct advice advice = found(watch, items, WORDS, 0, ROUNDS);
    assert_int_equal(advice.kind, ADVICE_STOP);
    assert_non_null(strstr(advice.why, "forgotten"));
    memory_free(items);
    watch_destroy(watch);
}

// The engine says when a refinement without news is a proof; then the check modes do not wait, the others go on.
static void test_where_the_rule_is_exact_nobody_waits(void **state)
{
    (void)state;
    static const struct {
        enum option_value mode;
        bool repeats;
        enum advice_kind advice;
    } cases[] = {
        {MONITOR_CHECK, true, ADVICE_STOP},     {MONITOR_CHECK_ARG, true, ADVICE_STOP},
        {MONITOR_CHECK, false, ADVICE_GO_ON},   {MONITOR_CHECK_ARG, false, ADVICE_GO_ON},
        {MONITOR_MITIGATE, true, ADVICE_GO_ON}, {MONITOR_MITIGATE_ARG, true, ADVICE_GO_ON},
        {MONITOR_DISABLE, true, ADVICE_GO_ON},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct watch *watch = watch_for(cases[i].mode, PRUNE_FULL);
        struct engine_event event = {.kind = EVENT_REFINED, .precision_changed = true};
        assert_int_equal(watch_judge(watch, &event).kind, ADVICE_GO_ON);
        event.precision_changed = false;
        event.repeats = cases[i].repeats;
        struct advice advice = watch_judge(watch, &event);
        assert_int_equal(advice.kind, cases[i].advice);
        if (advice.kind == ADVICE_STOP)
            assert_int_equal(strncmp(advice.why, "exact loop: ", 12), 0);
        watch_destroy(watch);
    }
}

// Mitigation takes another counterexample next, so there it is no proof.
static void test_mitigation_proves_nothing(void **state)
{
    (void)state;
    struct configuration configuration;
    configuration_init(&configuration, "test");
    configuration.values[OPTION_MONITOR] = MONITOR_MITIGATE;
    configuration.values[OPTION_STOP_UNCHANGED] = 2;
    struct watch *watch = watch_create(&configuration);
    struct engine_event event = {.kind = EVENT_REFINED, .repeats = true};
    assert_int_equal(watch_judge(watch, &event).kind, ADVICE_GO_ON);
    struct advice advice = watch_judge(watch, &event);
    assert_int_equal(advice.kind, ADVICE_STOP);
    assert_int_equal(strncmp(advice.why, "probable loop: ", 15), 0);
    watch_destroy(watch);
    configuration_finish(&configuration);
}

static void test_switched_off_it_never_stops(void **state)
{
    (void)state;
    struct watch *watch = watch_for(MONITOR_DISABLE, PRUNE_FULL);
    for (int i = 0; i < 3; i++)
        assert_false(stops(watch, 1, 1, 0));
    watch_destroy(watch);
}

static void test_two_attempts_share_no_memory(void **state)
{
    (void)state;
    struct watch *one = watch_for(MONITOR_CHECK, PRUNE_FULL);
    struct watch *other = watch_for(MONITOR_CHECK, PRUNE_FULL);
    assert_false(stops(one, 1, 1, 0));
    assert_false(stops(other, 1, 1, 0));
    assert_true(stops(one, 1, 1, 0));
    watch_destroy(one);
    watch_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycle_of_three_is_seen_at_its_second_beginning),
        cmocka_unit_test(test_same_states_in_another_order_are_another_path),
        cmocka_unit_test(test_precision_is_in_the_key_under_lazy_pruning),
        cmocka_unit_test(test_a_prefix_is_another_path),
        cmocka_unit_test(test_divergence_is_not_a_repetition),
        cmocka_unit_test(test_the_oldest_make_room),
        cmocka_unit_test(test_where_the_rule_is_exact_nobody_waits),
        cmocka_unit_test(test_mitigation_proves_nothing),
        cmocka_unit_test(test_switched_off_it_never_stops),
        cmocka_unit_test(test_two_attempts_share_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
