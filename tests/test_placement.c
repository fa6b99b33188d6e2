#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "portfolio/topology.h"

enum { MOST_SLOTS = 300 };

static struct topology *make(const char *synthetic, const char *restriction)
{
    struct text why = {0};
    struct topology *topology = topology_create(synthetic, &why);
    if (topology == NULL)
        fail_msg("%s", text_string(&why));
    if (restriction != NULL && !topology_restrict(topology, restriction, &why))
        fail_msg("%s", text_string(&why));
    text_finish(&why);
    return topology;
}

// "0 4 2! 6!": cpus of each slot; "!" = shares its core.
static void place(const struct topology *topology, unsigned count, struct text *out)
{
    struct slot slots[MOST_SLOTS];
    assert_true(count <= MOST_SLOTS);
    topology_place(topology, count, slots);
    for (unsigned i = 0; i < count; i++)
        text_printf(out, "%s%s%s", i ? " " : "", slots[i].cpus, slots[i].shares_core ? "!" : "");
}

static void golden_placements(void **state)
{
    (void)state;
    static const struct {
        const char *synthetic, *restriction;
        unsigned count;
        const char *expected;
    } cases[] = {
        // one core, with and without hardware threads
        {"pack:1 core:1 pu:1", NULL, 1, "0"},
        {"pack:1 core:1 pu:1", NULL, 3, "0! 0! 0!"},
        {"pack:1 core:1 pu:2", NULL, 1, "0-1"},
        {"pack:1 core:1 pu:2", NULL, 3, "0! 1! 0!"},
        // two cores
        {"pack:1 core:2 pu:1", NULL, 2, "0 1"},
        {"pack:1 core:2 pu:1", NULL, 3, "0! 1 0!"},
        {"pu:4", NULL, 5, "0! 1 2 3 0!"},
        // hardware threads are shared last
        {"pack:1 core:4 pu:2", NULL, 4, "0-1 2-3 4-5 6-7"},
        {"pack:1 core:4 pu:2", NULL, 6, "0! 2! 4-5 6-7 1! 3!"},
        {"pack:1 core:2 pu:4", NULL, 8, "0! 4! 1! 5! 2! 6! 3! 7!"},
        {"pack:1 core:1 pu:8", NULL, 3, "0! 1! 2!"},
        // packages take turns
        {"pack:2 core:4 pu:1", NULL, 4, "0 4 1 5"},
        {"pack:2 core:2 pu:2", NULL, 5, "0! 4-5 2-3 6-7 1!"},
        {"pack:4 core:2 pu:1", NULL, 6, "0 2 4 6 1 3"},
        // memory nodes within packages, shared caches within memory nodes
        {"pack:2 numa:2 core:2 pu:1", NULL, 6, "0 4 2 6 1 5"},
        {"numa:4 core:2 pu:1", NULL, 5, "0 2 4 6 1"},
        {"pack:1 l3:4 core:4 pu:1", NULL, 6, "0 4 8 12 1 5"},
        {"pack:2 l3:2 core:2 pu:2", NULL, 5, "0-1 8-9 4-5 12-13 2-3"},
        {"pack:1 l3:2 l2:2 core:2 pu:1", NULL, 5, "0 4 2 6 1"},
        {"pack:2 numa:2 l3:2 core:4 pu:2", NULL, 8, "0-1 32-33 16-17 48-49 8-9 40-41 24-25 56-57"},
        // 128 cores
        {"pack:2 numa:4 l3:2 core:8 pu:2", NULL, 4, "0-1 128-129 32-33 160-161"},
        // restricted sets: only what is left counts
        {"pack:1 core:4 pu:1", "1,3", 3, "1! 3 1!"},
        {"pack:1 core:4 pu:2", "1,4-5", 3, "1 4! 5!"},
        {"pack:2 core:4 pu:1", "0,4-7", 4, "0 4 5 6"},
        {"pack:2 core:4 pu:2", "9", 2, "9! 9!"},
        {"pack:2 numa:2 core:2 pu:1", "2-7", 4, "2 4 3 6"},
        {"pack:1 l3:4 core:4 pu:1", "0-3,12", 3, "0 12 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topology *topology = make(cases[i].synthetic, cases[i].restriction);
        struct text placed = {0};
        place(topology, cases[i].count, &placed);
        if (strcmp(text_string(&placed), cases[i].expected) != 0)
            fail_msg("%s on %s: %u slots at %s, expected %s",
                     cases[i].restriction ? cases[i].restriction : "all", cases[i].synthetic,
                     cases[i].count, text_string(&placed), cases[i].expected);
        text_finish(&placed);
        topology_destroy(topology);
    }
}

static void policies_place_as_they_say(void **state)
{
    (void)state;
    static const struct {
        const char *synthetic, *placement;
        unsigned count;
        const char *expected;
    } cases[] = {
        {"pack:2 core:4 pu:1", "spread", 4, "0 4 1 5"},
        {"pack:2 core:4 pu:1", "compact", 5, "0 1 2 3 4"},
        {"pack:2 core:2 pu:2", "compact", 5, "0! 2-3 4-5 6-7 1!"},
        {"pack:1 l3:2 core:2 pu:1", "compact", 3, "0 1 2"},
        {"pack:2 core:4 pu:1", "none", 2, " "},
        {"pack:2 core:4 pu:1", "5,0-1", 4, "5! 0 1 5!"},
        {"pack:1 core:4 pu:2", "3,2,7", 3, "3! 2! 7"},
        // hybrid: two fast cores with two threads, four slow ones
        {"pack:1 core:6 pu:1 fast:4-5", "auto", 3, "4 5 0"},
        {"pack:1 core:6 pu:1 fast:4-5", "spread", 3, "0 1 2"},
        {"pack:1 core:4 pu:2 fast:4-7", "auto", 6, "4! 6! 0-1 2-3 5! 7!"},
        {"pack:2 core:2 pu:1 fast:1,3", "auto", 5, "1! 3 0 2 1!"},
        {"pack:1 core:2 pu:1 fast:0-1", "auto", 2, "0 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topology *topology = make(cases[i].synthetic, NULL);
        struct text placed = {0}, why = {0};
        assert_true(topology_set_placement(topology, cases[i].placement, &why));
        place(topology, cases[i].count, &placed);
        assert_string_equal(text_string(&placed), cases[i].expected);
        text_finish(&placed);
        topology_destroy(topology);
    }
    struct topology *topology = make("pack:1 core:4 pu:1", NULL);
    static const char *const bad[] = {"", "near", "0,", "4", "1-9", "3-1", "-1", "0 1", "1,,2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct text why = {0};
        assert_false(topology_set_placement(topology, bad[i], &why));
        assert_true(why.length > 0);
        text_finish(&why);
    }
    struct text why = {0};
    assert_null(topology_create("core:4 pu:1 fast:7", &why));
    text_finish(&why);
    topology_destroy(topology);
}

static void jobs_get_whole_cores_of_their_own(void **state)
{
    (void)state;
    static const struct {
        const char *synthetic;
        unsigned parts, each;
        const char *expected; // NULL = too few cores
    } cases[] = {
        {"pack:1 core:2 pu:1", 2, 1, "0 1 "},
        {"pack:2 core:2 pu:2", 2, 2, "0-3 4-7 "},
        {"pack:2 core:2 pu:2", 3, 1, "0-1 2-3 4-5 "},
        {"pack:1 core:6 pu:1 fast:3-4", 3, 2, "3-4 0-1 2,5 "},
        {"pack:2 core:2 pu:2", 5, 1, NULL},
        {"pack:2 core:2 pu:2", 2, 3, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topology *topology = make(cases[i].synthetic, NULL);
        char *lists[8] = {NULL};
        struct text split = {0};
        bool good = topology_split(topology, cases[i].parts, cases[i].each, lists);
        assert_int_equal(good, cases[i].expected != NULL);
        for (unsigned p = 0; good && p < cases[i].parts; p++) {
            text_printf(&split, "%s ", lists[p]);
            memory_free(lists[p]);
        }
        if (good)
            assert_string_equal(text_string(&split), cases[i].expected);
        text_finish(&split);
        topology_destroy(topology);
    }
}

static void memory_nodes_are_told(void **state)
{
    (void)state;
    struct topology *topology = make("pack:2 numa:2 core:2 pu:1", NULL);
    struct slot slots[4];
    topology_place(topology, 4, slots);
    assert_int_equal(slots[0].numa_node, 0);
    assert_int_equal(slots[1].numa_node, 2);
    assert_int_equal(slots[2].numa_node, 1);
    assert_int_equal(slots[3].numa_node, 3);
    topology_destroy(topology);
}

static void the_whole_of_a_large_machine(void **state)
{
    (void)state;
    struct topology *topology = make("pack:2 numa:4 l3:2 core:8 pu:2", NULL);
    assert_int_equal(topology_core_count(topology), 128);
    assert_int_equal(topology_pu_count(topology), 256);
    struct slot slots[256];
    bool used[128] = {false};
    topology_place(topology, 128, slots);
    for (unsigned i = 0; i < 128; i++) {
        assert_false(used[slots[i].core]);
        used[slots[i].core] = true;
        assert_false(slots[i].shares_core);
        assert_int_equal(slots[i].core / 64, i % 2); // packages take turns all the way
    }
    topology_place(topology, 256, slots);
    bool taken[256] = {false};
    for (unsigned i = 0; i < 256; i++) {
        int cpu = atoi(slots[i].cpus);
        assert_false(taken[cpu]);
        taken[cpu] = true;
        assert_true(slots[i].shares_core);
    }
    topology_destroy(topology);
}

// Of four cores with two threads each it was given two: whole cores, and never a third.
static void lanes_that_share_stay_on_their_cores(void **state)
{
    (void)state;
    struct topology *topology = make("pack:1 core:4 pu:2", NULL);
    struct slot slots[5];
    topology_place_shared(topology, 2, 5, slots);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(slots[i].core, slots[i % 2].core);
        assert_string_equal(slots[i].cpus, slots[i % 2].cpus);
        assert_true(slots[i].shares_core);
        assert_non_null(strchr(slots[i].cpus, '-')); // both threads
    }
    assert_int_not_equal(slots[0].core, slots[1].core);
    topology_place_shared(topology, 2, 3, slots);
    assert_true(slots[0].shares_core && slots[2].shares_core);
    assert_false(slots[1].shares_core);
    topology_place_shared(topology, 4, 3, slots);
    for (unsigned i = 0; i < 3; i++)
        assert_false(slots[i].shares_core);
    topology_destroy(topology);
}

// Whatever the machine: no core gets a second slot before all have one, no two slots get the same
// hardware thread before all are taken, and sharing is marked exactly where it is.
static void check_fairness(const struct topology *topology, unsigned count)
{
    struct slot slots[MOST_SLOTS];
    unsigned per_core[MOST_SLOTS] = {0};
    unsigned cores = topology_core_count(topology);
    topology_place(topology, count, slots);
    for (unsigned i = 0; i < count; i++) {
        assert_true(slots[i].core < cores);
        per_core[slots[i].core]++;
    }
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(slots[i].shares_core, per_core[slots[i].core] > 1);
        if (count <= cores)
            assert_int_equal(per_core[slots[i].core], 1);
    }
    if (count > topology_pu_count(topology))
        return;
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(slots[i].cpus, slots[k].cpus);
}

static void random_machines_are_shared_fairly(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 7);
    for (int round = 0; round < 150; round++) {
        char synthetic[96];
        unsigned pus = 1 + (unsigned)random_below(&random, 3);
        snprintf(synthetic, sizeof synthetic, "pack:%u l3:%u core:%u pu:%u",
                 1 + (unsigned)random_below(&random, 3), 1 + (unsigned)random_below(&random, 3),
                 1 + (unsigned)random_below(&random, 4), pus);
        struct topology *topology = make(synthetic, NULL);
        struct text keep = {0};
        for (unsigned i = 0; i < topology_pu_count(topology); i++)
            if (i == 0 || random_below(&random, 3) > 0)
                text_printf(&keep, "%s%u", keep.length ? "," : "", i);
        struct text why = {0};
        assert_true(topology_restrict(topology, text_string(&keep), &why));
        for (unsigned count = 0; count < 20; count++)
            check_fairness(topology, count);
        text_finish(&keep);
        topology_destroy(topology);
    }
}

static void what_is_no_machine_is_refused(void **state)
{
    (void)state;
    struct text why = {0};
    assert_null(topology_create("pack:two", &why));
    assert_non_null(strstr(text_string(&why), "pack:two"));
    assert_null(topology_create("nonsense", &why));
    assert_null(topology_create("", &why));
    struct topology *topology = make("pack:1 core:4 pu:1", NULL);
    static const char *const bad[] = {"", "x", "1,y", "9", "4-7", "-"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(topology_restrict(topology, bad[i], &why));
    assert_int_equal(topology_core_count(topology), 4);
    text_finish(&why);
    topology_destroy(topology);
}

static void descriptions_name_what_is_there(void **state)
{
    (void)state;
    struct topology *topology = make("pack:2 l3:2 core:4 pu:2", NULL);
    struct text text = {0};
    topology_describe(&text, topology);
    assert_non_null(strstr(text_string(&text), "2 packages, 1 memory node, 4 L3 caches, 16 cores, "
                                               "32 hardware threads (synthetic)"));
    assert_non_null(strstr(text_string(&text), "L3 cache 1: cpus 8-15"));
    text_finish(&text);
    topology_destroy(topology);
}

// On the machine that runs the test, whatever it is.
static void binding_is_read_back(void **state)
{
    (void)state;
    cpu_set_t before;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    struct topology *topology = make(NULL, NULL);
    unsigned cores = topology_core_count(topology);
    assert_true(cores >= 1 && topology_pu_count(topology) == (unsigned)CPU_COUNT(&before));
    struct slot slots[2];
    topology_place(topology, 2, slots);
    char got[64];
    for (int i = 0; i < 2; i++) {
        assert_true(topology_bind_self(topology, &slots[i], got));
        assert_string_equal(got, slots[i].cpus);
    }
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    topology_destroy(topology);
}

static void nothing_is_bound_on_a_synthetic_machine(void **state)
{
    (void)state;
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    struct topology *topology = make("pack:1 core:2 pu:1", NULL);
    struct slot slot;
    char got[64] = "";
    topology_place(topology, 1, &slot);
    assert_false(topology_bind_self(topology, &slot, got));
    assert_true(got[0] != '\0');
    sched_getaffinity(0, sizeof after, &after);
    assert_true(CPU_EQUAL(&before, &after));
    topology_destroy(topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_placements),
        cmocka_unit_test(policies_place_as_they_say),
        cmocka_unit_test(jobs_get_whole_cores_of_their_own),
        cmocka_unit_test(memory_nodes_are_told),
        cmocka_unit_test(the_whole_of_a_large_machine),
        cmocka_unit_test(lanes_that_share_stay_on_their_cores),
        cmocka_unit_test(random_machines_are_shared_fairly),
        cmocka_unit_test(what_is_no_machine_is_refused),
        cmocka_unit_test(descriptions_name_what_is_there),
        cmocka_unit_test(binding_is_read_back),
        cmocka_unit_test(nothing_is_bound_on_a_synthetic_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
