#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "monitors/monitor.h"
#include "monitors/outlook.h"

// Each monitor on sequences of events: what it is for, and what comes close to it.

#define SECOND ((int64_t)1000000000)

struct bench {
    struct configuration configuration;
    const struct monitor *monitor;
    void *state;
};

static struct bench begin(const struct monitor *monitor, int64_t value,
                          enum option_value prune_or_mode)
{
    struct bench b = {.monitor = monitor};
    configuration_init(&b.configuration, "test");
    b.configuration.values[monitor->option] = value;
    b.configuration.values[OPTION_PATIENCE] = 1;
    b.configuration.values[option_value_option(prune_or_mode)] = prune_or_mode;
    b.state = monitor->create(&b.configuration);
    return b;
}

static void end(struct bench *b)
{
    if (b->state != NULL)
        b->monitor->destroy(b->state);
    configuration_finish(&b->configuration);
}

static bool stops(struct bench *b, struct engine_event event)
{
    struct advice advice = b->monitor->judge(b->state, &event);
    if (advice.kind == ADVICE_STOP) {
        assert_int_equal(advice.reason, END_STALLED);
        assert_non_null(strstr(advice.why, ": ")); // its class first
    }
    return advice.kind == ADVICE_STOP;
}

// The check modes are repetition, and proofs of it by a precision that stays.
static void test_all_but_repetition_are_off_by_default(void **state)
{
    (void)state;
    struct configuration configuration;
    configuration_init(&configuration, "test");
    for (const struct monitor *const *m = monitor_all(); *m != NULL; m++) {
        void *made = (*m)->create(&configuration);
        assert_int_equal(made != NULL, *m == &monitor_repetition || *m == &monitor_unchanged);
        for (int i = 0; *m == &monitor_unchanged && i < 100; i++) {
            struct engine_event event = {.kind = EVENT_REFINED}; // no proof
            assert_int_equal((*m)->judge(made, &event).kind, ADVICE_GO_ON);
        }
        if (made != NULL)
            (*m)->destroy(made);
    }
    configuration_finish(&configuration);
}

// Precision.

static bool refined(struct bench *b, bool changed, uint64_t size)
{
    return stops(b, (struct engine_event){
                        .kind = EVENT_REFINED, .precision_changed = changed, .element_size = size});
}

static void test_unchanged_precision_proves_a_loop_under_full_pruning(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_unchanged, 1, PRUNE_FULL);
    assert_false(refined(&b, true, 1));
    assert_true(refined(&b, false, 1));
    end(&b);
}

static void test_unchanged_precision_needs_patience_under_lazy_pruning(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_unchanged, 3, PRUNE_LAZY);
    for (int i = 0; i < 9; i++)
        assert_false(refined(&b, i % 3 == 2, 1)); // two in a row are not enough
    assert_false(refined(&b, false, 1));
    assert_false(refined(&b, false, 1));
    assert_true(refined(&b, false, 1));
    end(&b);
}

static void test_predicates_that_grow(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_growth, 4, PRUNE_LAZY);
    for (uint64_t i = 1; i < 40; i++)
        assert_false(refined(&b, true, i % 4)); // up, but down again
    assert_false(refined(&b, true, 5));
    assert_false(refined(&b, true, 9));
    assert_false(refined(&b, true, 13));
    assert_true(refined(&b, true, 17));
    end(&b);
}

// Shape of counterexamples: edges 0 1 (2 3)^n 4, states always new.

static uint32_t precision_now; // of the next counterexample

// Told of, and not refined.
static void shown(struct bench *b, const uint32_t *edges, size_t count)
{
    static uint32_t items[1000], fresh = 1000;
    for (size_t i = 0; i < count; i++) {
        items[2 * i] = fresh++;
        items[2 * i + 1] = edges[i];
    }
    items[2 * count] = fresh++;
    struct counterexample c = {
        .items = items, .count = 2 * count + 1, .precision_id = precision_now};
    assert_false(stops(
        b, (struct engine_event){.kind = EVENT_COUNTEREXAMPLE, .counterexample = &c, .count = 1}));
}

static bool found(struct bench *b, const uint32_t *edges, size_t count)
{
    shown(b, edges, count);
    return refined(b, true, 1);
}

static size_t edges_of(size_t rounds, uint32_t last, uint32_t edges[200])
{
    size_t count = 2;
    edges[0] = 0;
    edges[1] = 1;
    for (size_t i = 0; i < rounds; i++) {
        edges[count++] = 2;
        edges[count++] = 3;
    }
    edges[count++] = last;
    return count;
}

static bool found_rounds(struct bench *b, size_t rounds, uint32_t last)
{
    uint32_t edges[200];
    size_t count = edges_of(rounds, last, edges);
    precision_now++;
    return found(b, edges, count);
}

static void test_one_more_round_each_time_is_divergence(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_unrolling, 3, MONITOR_CHECK);
    assert_false(found_rounds(&b, 0, 4));
    assert_false(found_rounds(&b, 1, 4)); // a first round repeats nothing yet
    assert_false(found_rounds(&b, 2, 4));
    assert_false(found_rounds(&b, 3, 4));
    assert_true(found_rounds(&b, 4, 4));
    end(&b);
}

static void test_near_misses_of_divergence(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_unrolling, 3, MONITOR_CHECK);
    for (size_t i = 0; i < 12; i++)
        assert_false(found_rounds(&b, 5, 4)); // the same length
    for (size_t i = 0; i < 12; i++)
        assert_false(found_rounds(&b, i, 4 + (uint32_t)i)); // another end each time
    for (size_t i = 0; i < 12; i++)
        assert_false(found_rounds(&b, i % 3, 4)); // not for long
    uint32_t line[40];
    for (uint32_t i = 0; i < 40; i++) { // longer, but no loop
        line[i] = i;
        assert_false(found(&b, line, i + 1));
    }
    end(&b);
}

static void test_two_families_take_turns(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_unrolling, 3, MONITOR_CHECK);
    bool seen = false;
    size_t n = 1;
    for (; n < 10 && !seen; n++) {
        seen = found_rounds(&b, n, 4);
        seen |= found_rounds(&b, n, 5);
    }
    assert_int_equal(n, 5);
    end(&b);
}

static void test_known_counterexamples_between_do_not_hide_divergence(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_unrolling, 3, MONITOR_MITIGATE);
    uint32_t edges[200];
    for (size_t n = 1; n < 5; n++) {
        for (size_t i = 0; i < n; i++)
            shown(&b, edges, edges_of(i, 4, edges));
        assert_int_equal(found_rounds(&b, n, 4), n == 4);
    }
    end(&b);
    // What is known is no news: nothing was refined.
    b = begin(&monitor_unrolling, 3, MONITOR_MITIGATE);
    for (size_t n = 1; n < 20; n++)
        shown(&b, edges, edges_of(n, 4, edges));
    assert_false(found_rounds(&b, 1, 5));
    end(&b);
}

// Three families take turns, each round showing all that are known.
static void test_cycle_of_three_families_under_mitigation(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_unrolling, 3, MONITOR_MITIGATE);
    uint32_t edges[200];
    bool seen = false;
    size_t n = 1;
    for (; n < 10 && !seen; n++)
        for (uint32_t last = 4; last < 7 && !seen; last++) {
            for (size_t i = 1; i < n; i++)
                for (uint32_t known = 4; known < 7; known++)
                    shown(&b, edges, edges_of(i, known, edges));
            seen = found_rounds(&b, n, last);
        }
    assert_int_equal(n, 5);
    end(&b);
}

// Two ways round the loop: 0 1 (2 | 3)^n 4, all of one length before the next one.
static bool all_ways_round(struct bench *b, size_t least, size_t most, bool precision_stays)
{
    for (size_t n = least; n <= most; n++)
        for (uint32_t way = 1; way + 1 < 1u << n; way++) { // both are in it
            uint32_t edges[200] = {0, 1};
            size_t count = 2;
            for (size_t i = 0; i < n; i++)
                edges[count++] = way >> i & 1 ? 2 : 3;
            edges[count++] = 4;
            precision_now += !precision_stays;
            if (found(b, edges, count))
                return true;
        }
    return false;
}

static void test_exponentially_many_ways_round_a_loop(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_unrolling, 16, MONITOR_MITIGATE);
    assert_true(all_ways_round(&b, 3, 6, true));
    end(&b);
    b = begin(&monitor_unrolling, 16, MONITOR_MITIGATE);
    assert_false(all_ways_round(&b, 7, 8, true)); // many, but longer only once
    end(&b);
    b = begin(&monitor_unrolling, 16, MONITOR_CHECK);
    assert_false(all_ways_round(&b, 3, 8, false)); // refinement learns something
    end(&b);
}

// Counters inside a round.

static void test_successors_that_multiply(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_branching, 50, PRUNE_LAZY);
    struct engine_event e = {.kind = EVENT_SAMPLE};
    for (int i = 0; i < 20; i++) {
        e.expanded += 200;
        e.successors += 200 * 50; // just what is allowed
        assert_false(stops(&b, e));
    }
    e.expanded += 10;
    e.successors += 10 * 1000; // a few nodes say nothing
    assert_false(stops(&b, e));
    e.expanded += 200;
    e.successors += 200 * 60;
    assert_true(stops(&b, e));
    end(&b);
}

static void test_abstraction_that_outgrows(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_outgrown, 100, PRUNE_LAZY);
    struct engine_event e = {.kind = EVENT_SAMPLE, .nodes = 900, .expanded = 500};
    assert_false(stops(&b, e)); // nobody else is known
    e.baseline = 900;           // as many
    assert_false(stops(&b, e));
    e.nodes = 1000; // more, for the first time
    assert_false(stops(&b, e));
    e.nodes = 800; // caught up: it begins anew
    assert_false(stops(&b, e));
    e.nodes = 1000;
    assert_false(stops(&b, e));
    e.expanded = 1000;
    e.nodes = 2100;
    e.baseline = 2000;
    assert_true(stops(&b, e));
    end(&b);
    b = begin(&monitor_outgrown, 150, PRUNE_LAZY);
    assert_false(stops(&b, e));
    e.expanded = 4000;
    assert_false(stops(&b, e));
    end(&b);
}

static struct engine_event at(enum engine_event_kind kind, uint64_t iteration, uint64_t created,
                              uint64_t covered)
{
    return (struct engine_event){
        .kind = kind, .iteration = iteration, .created = created, .covered = covered};
}

static void test_round_that_never_ends(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_endless, 20, PRUNE_FULL);
    assert_false(stops(&b, at(EVENT_ROUND, 1, 0, 0)));
    assert_false(stops(&b, at(EVENT_SAMPLE, 1, 900000, 0))); // the first round may be what it is
    assert_false(stops(&b, at(EVENT_ROUND, 2, 900000, 0)));
    assert_false(stops(&b, at(EVENT_SAMPLE, 2, 900000 + 20 * 900000, 0)));
    assert_true(stops(&b, at(EVENT_SAMPLE, 2, 900001 + 20 * 900000, 0)));
    end(&b);
}

static void test_large_round_that_is_being_covered_goes_on(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_endless, 20, PRUNE_FULL);
    assert_false(stops(&b, at(EVENT_ROUND, 1, 0, 0)));
    assert_false(stops(&b, at(EVENT_ROUND, 2, 10, 0)));
    assert_false(stops(&b, at(EVENT_SAMPLE, 2, 15000, 0))); // small rounds count as 1000
    assert_false(stops(&b, at(EVENT_SAMPLE, 2, 50000, 30000)));
    assert_true(stops(&b, at(EVENT_SAMPLE, 2, 50000, 10000)));
    end(&b);
}

static void test_engine_that_hands_over_counts_anew(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_endless, 20, PRUNE_FULL);
    assert_false(stops(&b, at(EVENT_ROUND, 1, 0, 0)));
    assert_false(stops(&b, at(EVENT_ROUND, 2, 5000, 0)));
    assert_false(stops(&b, at(EVENT_ROUND, 1, 0, 0)));
    assert_false(stops(&b, at(EVENT_ROUND, 2, 10, 0)));
    assert_true(stops(&b, at(EVENT_SAMPLE, 2, 200000, 0)));
    end(&b);
}

// Times.

static struct engine_event timed(enum engine_event_kind kind, double seconds, double remaining)
{
    return (struct engine_event){.kind = kind,
                                 .cpu_ns = (int64_t)(seconds * 1e9),
                                 .remaining_ns = (int64_t)(remaining * 1e9)};
}

static void test_rounds_that_double_outlast_the_budget(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_forecast, 3, PRUNE_LAZY);
    double now = 0, round = 0.2;
    int rounds = 0;
    bool stopped = false;
    while (!stopped && now < 100) {
        stopped = stops(&b, timed(EVENT_ROUND, now, 100 - now));
        now += round;
        round *= 2;
        rounds++;
    }
    assert_true(stopped);
    assert_true(rounds > 4 && now - round / 2 < 60); // it takes some rounds, and saves a good part
    end(&b);
}

static void test_rounds_of_equal_length_go_on(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_forecast, 3, PRUNE_LAZY);
    for (int i = 0; i < 95; i++) {
        assert_false(stops(&b, timed(EVENT_ROUND, i, 100 - i)));
        assert_false(stops(&b, timed(EVENT_SAMPLE, i + 0.9, 99 - i)));
    }
    // But one that takes far longer than predicted is an explosion.
    assert_false(stops(&b, timed(EVENT_SAMPLE, 96, 4)));
    assert_true(stops(&b, timed(EVENT_SAMPLE, 99, 1)));
    end(&b);
}

static void test_long_first_round_is_no_trend(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_forecast, 3, PRUNE_LAZY);
    assert_false(stops(&b, timed(EVENT_ROUND, 0, 100)));
    assert_false(stops(&b, timed(EVENT_SAMPLE, 40, 60)));
    assert_false(stops(&b, timed(EVENT_ROUND, 50, 50)));
    assert_false(stops(&b, timed(EVENT_ROUND, 50.1, 49.9)));
    end(&b);
}

static struct engine_event solved(uint64_t checks, int64_t ns)
{
    return (struct engine_event){.kind = EVENT_SAMPLE, .solver_checks = checks, .solver_ns = ns};
}

static void test_solver_calls_that_become_slow(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_solver, 20, PRUNE_LAZY);
    uint64_t checks = 0;
    int64_t ns = 0;
    for (int i = 0; i < 50; i++) { // 1 ms a call
        checks += 100;
        ns += SECOND / 10;
        assert_false(stops(&b, solved(checks, ns)));
    }
    checks += 1; // one slow call within a window of many
    ns += SECOND / 3;
    assert_false(stops(&b, solved(checks, ns)));
    checks += 400;
    ns += SECOND / 2;
    assert_false(stops(&b, solved(checks, ns)));
    checks += 10;
    ns += SECOND;
    assert_true(stops(&b, solved(checks, ns)));
    end(&b);
}

static void test_calls_are_expected_anew_behind_another_engine(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_solver, 20, PRUNE_LAZY);
    assert_false(stops(&b, solved(1000, SECOND)));
    for (uint64_t checks = 100; checks <= 1000; checks += 100)
        assert_false(stops(&b, solved(checks, (int64_t)checks * SECOND / 1000)));
    assert_true(stops(&b, solved(1010, 20 * SECOND)));
    end(&b);
}

static bool memory(struct bench *b, double seconds, double megabytes)
{
    return stops(b, (struct engine_event){.kind = EVENT_SAMPLE,
                                          .cpu_ns = (int64_t)(seconds * 1e9),
                                          .remaining_ns = (int64_t)((100 - seconds) * 1e9),
                                          .bytes = (uint64_t)(megabytes * 1e6),
                                          .memory_limit = 1000000000});
}

static void test_memory_that_runs_out(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_memory_trend, 50, PRUNE_LAZY);
    bool stopped = false;
    double s = 0;
    for (; s < 10 && !stopped; s += 0.1)
        stopped = memory(&b, s, 100 * s);
    assert_true(stopped);
    assert_true(s > 2.5); // not before a quarter is used
    end(&b);
}

static void test_memory_that_grows_slowly_or_levels_off(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_memory_trend, 50, PRUNE_LAZY);
    for (double s = 0; s < 90; s += 0.1)
        assert_false(memory(&b, s, 300 + 5 * s));
    end(&b);
    b = begin(&monitor_memory_trend, 50, PRUNE_LAZY);
    for (double s = 0; s < 10; s += 0.1)
        assert_false(memory(&b, s, s < 5 ? 100 * s / 2 : 250 + (int)(s * 10) % 5));
    end(&b);
}

// Repetition with graphs.

static uint32_t graph_of_test[5000];
static size_t graph_words;

static void encode(const void *graph, struct engine_words *out)
{
    (void)graph;
    for (size_t i = 0; i < graph_words; i++)
        VECTOR_PUSH(out, graph_of_test[i]);
}

static enum advice_kind sees(struct bench *b, uint32_t path, uint32_t precision, uint32_t graph,
                             size_t words)
{
    const uint32_t items[] = {path, 2, 3};
    struct counterexample c = {.items = items,
                               .count = 3,
                               .precision_id = precision,
                               .encode_graph = encode,
                               .graph = graph_of_test};
    graph_of_test[0] = graph;
    graph_words = words;
    struct engine_event event = {.kind = EVENT_COUNTEREXAMPLE, .counterexample = &c, .count = 1};
    return b->monitor->judge(b->state, &event).kind;
}

// A solver may be lucky the next time: news begin the count anew.
static void test_patience(void **state)
{
    (void)state;
    struct bench b = {.monitor = &monitor_repetition};
    configuration_init(&b.configuration, "test");
    b.configuration.values[OPTION_PATIENCE] = 3;
    b.state = b.monitor->create(&b.configuration);
    assert_int_equal(sees(&b, 1, 0, 1, 10), ADVICE_GO_ON);
    assert_int_equal(sees(&b, 1, 0, 1, 10), ADVICE_GO_ON);
    assert_int_equal(sees(&b, 1, 0, 1, 10), ADVICE_GO_ON);
    assert_int_equal(sees(&b, 2, 0, 1, 10), ADVICE_GO_ON); // news
    assert_int_equal(sees(&b, 1, 0, 1, 10), ADVICE_GO_ON);
    assert_int_equal(sees(&b, 2, 0, 1, 10), ADVICE_GO_ON);
    assert_int_equal(sees(&b, 1, 0, 1, 10), ADVICE_STOP);
    end(&b);
}

// Under lazy pruning another branch may grow while this one comes back: the graph tells.
static void test_same_path_in_a_graph_that_moves_on(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_repetition, MONITOR_CHECK_ARG, PRUNE_LAZY);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(sees(&b, 1, 0, i, 10), ADVICE_GO_ON);
    assert_int_equal(sees(&b, 2, 0, 3, 10), ADVICE_GO_ON); // graph known, path not
    assert_int_equal(sees(&b, 1, 1, 3, 10), ADVICE_GO_ON); // another precision
    assert_int_equal(sees(&b, 1, 0, 3, 10), ADVICE_STOP);
    end(&b);
    b = begin(&monitor_repetition, MONITOR_CHECK, PRUNE_LAZY);
    assert_int_equal(sees(&b, 1, 0, 1, 10), ADVICE_GO_ON);
    assert_int_equal(sees(&b, 1, 0, 2, 10), ADVICE_STOP);
    end(&b);
}

static void test_large_graph_is_kept_when_it_comes_back(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_repetition, MONITOR_CHECK_ARG, PRUNE_FULL);
    assert_int_equal(sees(&b, 1, 0, 7, 5000), ADVICE_GO_ON);
    assert_int_equal(sees(&b, 1, 0, 7, 5000), ADVICE_GO_ON); // its hash is known, it is not
    assert_int_equal(sees(&b, 1, 0, 7, 5000), ADVICE_STOP);
    end(&b);
}

static void test_mitigation_goes_on_past_what_is_known(void **state)
{
    (void)state;
    struct bench b = begin(&monitor_repetition, MONITOR_MITIGATE, PRUNE_FULL);
    assert_int_equal(sees(&b, 1, 0, 1, 10), ADVICE_GO_ON);
    assert_int_equal(sees(&b, 1, 1, 2, 10), ADVICE_KEEP_SEARCHING);
    assert_int_equal(sees(&b, 2, 1, 2, 10), ADVICE_GO_ON);
    assert_int_equal(sees(&b, 2, 2, 2, 10), ADVICE_KEEP_SEARCHING);
    end(&b);
    b = begin(&monitor_repetition, MONITOR_MITIGATE_ARG, PRUNE_FULL);
    assert_int_equal(sees(&b, 1, 0, 1, 10), ADVICE_GO_ON);
    assert_int_equal(sees(&b, 1, 0, 2, 10), ADVICE_GO_ON);
    assert_int_equal(sees(&b, 1, 0, 1, 10), ADVICE_KEEP_SEARCHING);
    end(&b);
}

// A round that will be over.

static int64_t outlook_after(int64_t (*waiting)(int ms), int last_ms)
{
    struct outlook *outlook = outlook_create();
    struct engine_event event = {.kind = EVENT_ROUND};
    int64_t needs = outlook_judge(outlook, &event);
    event.kind = EVENT_SAMPLE;
    for (int ms = 0; ms <= last_ms; ms++) {
        event.cpu_ns = ms * INT64_C(1000000);
        event.waiting = (uint64_t)waiting(ms);
        needs = outlook_judge(outlook, &event);
    }
    outlook_destroy(outlook);
    return needs / 1000000;
}

static int64_t to_zero_at_3_s(int ms)
{
    return (3000 - ms) / 2 + (ms % 7);
}

static int64_t upwards(int ms)
{
    return ms;
}

static int64_t level(int ms)
{
    return 500 + ms % 3;
}

static int64_t saw(int ms)
{
    return 1000 - ms % 1000;
}

static int64_t nothing(int ms)
{
    (void)ms;
    return 0;
}

static void test_what_falls_steadily_will_be_over(void **state)
{
    (void)state;
    assert_in_range(outlook_after(to_zero_at_3_s, 1000), 1900, 2100);
    assert_in_range(outlook_after(to_zero_at_3_s, 2800), 150, 250);
    assert_int_equal(outlook_after(to_zero_at_3_s, 20), 0); // too soon to say
    assert_int_equal(outlook_after(upwards, 1000), 0);
    assert_int_equal(outlook_after(level, 1000), 0);
    assert_int_equal(outlook_after(saw, 5020), 0);
    assert_int_equal(outlook_after(nothing, 1000), 0);
}

static void test_a_new_round_forgets_the_outlook(void **state)
{
    (void)state;
    struct outlook *outlook = outlook_create();
    for (int ms = 0; ms <= 1000; ms++) {
        struct engine_event event = {.kind = EVENT_SAMPLE,
                                     .cpu_ns = ms * INT64_C(1000000),
                                     .waiting = (uint64_t)to_zero_at_3_s(ms)};
        outlook_judge(outlook, &event);
    }
    struct engine_event event = {.kind = EVENT_ROUND, .cpu_ns = 1001000000, .waiting = 1};
    assert_int_equal(outlook_judge(outlook, &event), 0);
    event.kind = EVENT_SAMPLE;
    assert_int_equal(outlook_judge(outlook, &event), 0);
    outlook_destroy(outlook);
}

// Looking on.

static void test_observers_note_and_do_not_act(void **state)
{
    (void)state;
    struct configuration configuration;
    configuration_init(&configuration, "test");
    configuration.values[OPTION_PATIENCE] = 2;
    struct sightings sightings;
    struct watch *watch = watch_create_observing(&configuration, &sightings);
    const uint32_t items[] = {1, 2, 3};
    struct counterexample c = {.items = items, .count = 3, .encode_graph = encode};
    graph_words = 5;
    for (uint64_t i = 1; i <= 6; i++) {
        struct engine_event event = {.kind = EVENT_COUNTEREXAMPLE,
                                     .iteration = i,
                                     .cpu_ns = (int64_t)i,
                                     .counterexample = &c,
                                     .count = 1};
        assert_int_equal(watch_judge(watch, &event).kind, ADVICE_GO_ON);
        event = (struct engine_event){.kind = EVENT_REFINED, .iteration = i, .cpu_ns = (int64_t)i};
        assert_int_equal(watch_judge(watch, &event).kind, ADVICE_GO_ON);
    }
    watch_destroy(watch);
    configuration_finish(&configuration);
    for (size_t i = 0; i < sightings.count; i++) {
        const struct sighting *s = &sightings.items[i];
        const char *value = strchr(s->monitor, '=');
        long other = value != NULL ? strtol(value + 1, NULL, 10) : 0;
        if (strncmp(s->monitor, "repetition", 10) == 0)
            assert_int_equal(s->iteration, other ? 1 + other : 3);
        else if (strncmp(s->monitor, "unchanged", 9) == 0)
            assert_int_equal(s->iteration, other ? other : 5);
        else
            assert_null(s->why);
    }
}

// A mitigating configuration goes on past what it knows; whether the other key would have done so is noted.
static void test_observers_let_mitigation_have_its_say(void **state)
{
    (void)state;
    struct configuration configuration;
    configuration_init(&configuration, "test");
    for (int moves = 0; moves < 2; moves++) {
        configuration.values[OPTION_MONITOR] = MONITOR_MITIGATE;
        struct sightings sightings;
        struct watch *watch = watch_create_observing(&configuration, &sightings);
        const uint32_t items[] = {1, 2, 3};
        struct counterexample c = {.items = items, .count = 3, .encode_graph = encode};
        struct engine_event event = {
            .kind = EVENT_COUNTEREXAMPLE, .counterexample = &c, .count = 1};
        graph_words = 5;
        graph_of_test[0] = 1;
        assert_int_equal(watch_judge(watch, &event).kind, ADVICE_GO_ON);
        assert_true(sightings.mitigates && sightings.keys_agree);
        graph_of_test[0] += (uint32_t)moves;
        assert_int_equal(watch_judge(watch, &event).kind, ADVICE_KEEP_SEARCHING);
        assert_int_equal(sightings.keys_agree, !moves);
        watch_destroy(watch);
    }
    configuration_finish(&configuration);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_but_repetition_are_off_by_default),
        cmocka_unit_test(test_unchanged_precision_proves_a_loop_under_full_pruning),
        cmocka_unit_test(test_unchanged_precision_needs_patience_under_lazy_pruning),
        cmocka_unit_test(test_predicates_that_grow),
        cmocka_unit_test(test_one_more_round_each_time_is_divergence),
        cmocka_unit_test(test_near_misses_of_divergence),
        cmocka_unit_test(test_two_families_take_turns),
        cmocka_unit_test(test_known_counterexamples_between_do_not_hide_divergence),
        cmocka_unit_test(test_cycle_of_three_families_under_mitigation),
        cmocka_unit_test(test_exponentially_many_ways_round_a_loop),
        cmocka_unit_test(test_successors_that_multiply),
        cmocka_unit_test(test_abstraction_that_outgrows),
        cmocka_unit_test(test_round_that_never_ends),
        cmocka_unit_test(test_large_round_that_is_being_covered_goes_on),
        cmocka_unit_test(test_engine_that_hands_over_counts_anew),
        cmocka_unit_test(test_calls_are_expected_anew_behind_another_engine),
        cmocka_unit_test(test_rounds_that_double_outlast_the_budget),
        cmocka_unit_test(test_rounds_of_equal_length_go_on),
        cmocka_unit_test(test_long_first_round_is_no_trend),
        cmocka_unit_test(test_solver_calls_that_become_slow),
        cmocka_unit_test(test_memory_that_runs_out),
        cmocka_unit_test(test_memory_that_grows_slowly_or_levels_off),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_same_path_in_a_graph_that_moves_on),
        cmocka_unit_test(test_large_graph_is_kept_when_it_comes_back),
        cmocka_unit_test(test_mitigation_goes_on_past_what_is_known),
        cmocka_unit_test(test_what_falls_steadily_will_be_over),
        cmocka_unit_test(test_a_new_round_forgets_the_outlook),
        cmocka_unit_test(test_observers_note_and_do_not_act),
        cmocka_unit_test(test_observers_let_mitigation_have_its_say),
    };
    return cmocka_run_group_tests_name("monitors", tests, NULL, NULL);
}
