#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "tests/part.h"
#include "base/vector.h"
#include "engines/petri/equation.h"
#include "languages/petri/net_text.h"
#include "tests/random_net.h"

// A sequence that fires given counts: random nets and counts, against all ways to fire them.

#define COUNT_MAX 4

struct plain {
    const struct net_draft *draft;
    uint8_t met[1 << 15]; // by what is left, (COUNT_MAX + 1) ^ 6 at most
    unsigned total;
};

_Static_assert((COUNT_MAX + 1) * (COUNT_MAX + 1) * (COUNT_MAX + 1) * (COUNT_MAX + 1) *
                       (COUNT_MAX + 1) * (COUNT_MAX + 1) <
                   1 << 15,
               "what is left has a number");

static bool fires_all(struct plain *plain, unsigned *left, const int *marking)
{
    unsigned number = 0, sum = 0;
    for (unsigned t = 0; t < plain->draft->transitions; t++) {
        number = number * (COUNT_MAX + 1) + left[t];
        sum += left[t];
    }
    if (sum == 0)
        return true;
    if (plain->met[number])
        return false;
    plain->met[number] = 1;
    plain->total++;
    for (unsigned t = 0; t < plain->draft->transitions; t++) {
        int next[NET_PLACES_MAX];
        if (left[t] == 0 || !net_draft_can_fire(plain->draft, t, marking))
            continue;
        net_draft_fire(plain->draft, t, marking, next);
        left[t]--;
        bool fires = fires_all(plain, left, next);
        left[t]++;
        if (fires)
            return true;
    }
    return false;
}

// Every other time what a random run fires.
static void draw_counts(struct random *random, const struct net_draft *d, unsigned *counts)
{
    int marking[NET_PLACES_MAX], next[NET_PLACES_MAX];
    memset(counts, 0, NET_TRANSITIONS_MAX * sizeof *counts);
    memcpy(marking, d->start, sizeof marking);
    if (random_below(random, 2))
        for (unsigned t = 0; t < d->transitions; t++)
            counts[t] = (unsigned)random_below(random, COUNT_MAX + 1);
    else
        for (unsigned steps = 0; steps < 30; steps++) {
            unsigned t = (unsigned)random_below(random, d->transitions);
            if (counts[t] == COUNT_MAX || !net_draft_can_fire(d, t, marking))
                continue;
            counts[t]++;
            net_draft_fire(d, t, marking, next);
            memcpy(marking, next, sizeof marking);
        }
}

static bool always(void *context, uint64_t steps)
{
    (void)context, (void)steps;
    return true;
}

static bool realizes(const struct net *net, const struct net_draft *d, const unsigned *counts)
{
    static const uint32_t ORDER[] = {0, 1, 2, 3, 4, 5};
    struct petri_problem problem = {.net = net, .go_on = always};
    struct petri_sequence sequence = {0};
    int64_t wanted[NET_TRANSITIONS_MAX] = {0};
    unsigned left[NET_TRANSITIONS_MAX];
    bool cut = false;
    for (unsigned t = 0; t < d->transitions; t++)
        wanted[t] = left[t] = counts[t];
    bool found = equation_realize(&problem, wanted, ORDER, 1000000, &sequence, &cut);
    assert_false(cut);
    int marking[NET_PLACES_MAX], next[NET_PLACES_MAX];
    memcpy(marking, d->start, sizeof marking);
    for (size_t i = 0; i < sequence.count; i++) {
        assert_true(left[sequence.data[i]]-- > 0);
        assert_true(net_draft_can_fire(d, sequence.data[i], marking));
        net_draft_fire(d, sequence.data[i], marking, next);
        memcpy(marking, next, sizeof marking);
    }
    for (unsigned t = 0; found && t < d->transitions; t++)
        assert_int_equal(left[t], 0);
    VECTOR_FINISH(&sequence);
    return found;
}

static void try_net(struct random *random, unsigned *seen)
{
    struct net_draft d =
        random_below(random, 2) ? net_draft_draw(random) : net_draft_draw_tame(random);
    struct text text = {0};
    struct messages messages;
    messages_init(&messages);
    net_draft_print(&text, &d);
    struct net *net = net_text_read("drawn.net", text_string(&text), text.length, &messages);
    assert_non_null(net);
    for (unsigned i = 0; i < 4; i++) {
        unsigned counts[NET_TRANSITIONS_MAX];
        static struct plain plain;
        plain = (struct plain){.draft = &d};
        draw_counts(random, &d, counts);
        bool expected = fires_all(&plain, counts, d.start);
        assert_int_equal(realizes(net, &d, counts), expected);
        seen[expected ? 0 : plain.total > 100 ? 2 : 1]++;
    }
    text_finish(&text);
    net_destroy(net);
    messages_finish(&messages);
}

static void test_counts(void **state)
{
    (void)state;
    const char *many = getenv("REGATTA_PETRI_NETS");
    struct random random;
    unsigned seen[3] = {0}; // it has one; it has none; none, after many
    random_init(&random, 7);
    for (unsigned i = 0; i < (many != NULL ? (unsigned)atoi(many) : part_models(400, 400)); i++)
        try_net(&random, seen);
    print_message("%u sequences, %u times none, %u times none of many\n", seen[0], seen[1],
                  seen[2]);
    assert_true(seen[0] > 100 && seen[1] > 100 && seen[2] > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
