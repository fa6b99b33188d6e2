#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/petri/branching_check.h"
#include "languages/petri/closed_set.h"
#include "languages/petri/net_text.h"
#include "tests/random_net.h"

// Forged proofs about nets. A list of markings must never pass as a closed set when the goal can be reached: all markings
// but those with the goal, some more left out, others put in, changed or doubled. And what the checker of CTL says from a
// part of the markings must be what it says from all of them, or nothing.   forge_nets COUNT [FIRST-SEED]

enum { MARKINGS = 400, MUTANTS = 24 };

struct markings {
    int data[MARKINGS * 2][NET_PLACES_MAX];
    unsigned count, places;
};

struct tally {
    unsigned long nets, sets, accepted, formulas, unknown, wrong;
};

static void get_marking(const void *context, uint32_t number, int64_t *out)
{
    const struct markings *m = context;
    for (unsigned p = 0; p < m->places; p++)
        out[p] = m->data[number][p];
}

static struct marking_list list_of(const struct markings *m)
{
    return (struct marking_list){m->count, get_marking, m};
}

// False when there are too many.
static bool explore(const struct net_draft *d, struct markings *met)
{
    met->places = d->places;
    met->count = 1;
    memcpy(met->data[0], d->start, sizeof met->data[0]);
    for (unsigned i = 0; i < met->count; i++)
        for (unsigned t = 0; t < d->transitions; t++) {
            int next[NET_PLACES_MAX] = {0};
            unsigned k = 0;
            if (!net_draft_can_fire(d, t, met->data[i]))
                continue;
            for (unsigned p = 0; p < d->places; p++)
                next[p] = met->data[i][p] - d->takes[t][p] + d->gives[t][p];
            while (k < met->count && memcmp(met->data[k], next, sizeof next) != 0)
                k++;
            if (k < met->count)
                continue;
            if (met->count == MARKINGS)
                return false;
            memcpy(met->data[met->count++], next, sizeof next);
        }
    return true;
}

static void forge_list(struct random *random, const struct net_draft *d, const struct markings *met,
                       struct markings *out)
{
    out->places = met->places;
    out->count = 0;
    uint64_t lost = random_below(random, 3) * random_below(random, 4);
    for (unsigned i = 0; i < met->count; i++) {
        bool kept = random_below(random, 64) >= 4 * lost;
        if (net_draft_is_goal(d, met->data[i]))
            kept = random_below(random, 40) == 0;
        if (i == 0)
            kept = random_below(random, 20) != 0;
        if (kept)
            memcpy(out->data[out->count++], met->data[i], sizeof out->data[0]);
    }
    for (uint64_t more = random_below(random, 3); more > 0 && out->count > 0; more--) {
        int *m = out->data[out->count++];
        memcpy(m, out->data[random_below(random, out->count - 1)], sizeof out->data[0]);
        if (random_below(random, 3) != 0)
            m[random_below(random, d->places)] += (int)random_below(random, 3) - 1;
    }
}

static void forge_sets(struct random *random, const struct net_draft *d, const struct net *net,
                       const struct formula *goal, const struct markings *met, struct tally *tally)
{
    static struct markings forged;
    for (int i = 0; i < MUTANTS; i++) {
        struct text why;
        text_init(&why);
        forge_list(random, d, met, &forged);
        struct marking_list list = list_of(&forged);
        tally->sets++;
        if (closed_set_check(net, goal, &list, NULL, NULL, &why) == CLOSED_SET_ACCEPTED)
            tally->accepted++;
        text_finish(&why);
    }
}

static void forge_formulas(struct random *random, const struct net *net,
                           const struct branching *branching, const struct net_draft *d,
                           const struct markings *met, struct tally *tally)
{
    static struct markings part;
    struct marking_list all = list_of(met);
    enum branching_truth truth = branching_check(net, branching, &all, NULL, NULL);
    for (int i = 0; i < MUTANTS / 4; i++) {
        forge_list(random, d, met, &part);
        struct marking_list list = list_of(&part);
        enum branching_truth said = branching_check(net, branching, &list, NULL, NULL);
        tally->formulas++;
        tally->unknown += said == BRANCHING_UNKNOWN;
        tally->wrong += said != BRANCHING_UNKNOWN && said != truth;
    }
    tally->wrong += truth == BRANCHING_UNKNOWN;
}

#define TOKENS(place, number)                                                                      \
    "<integer-le><integer-constant>" number "</integer-constant><tokens-count><place>" place       \
    "</place></tokens-count></integer-le>"
#define CTL(formula)                                                                               \
    "<property-set xmlns=\"http://mcc.lip6.fr/\"><property><id>a</id><formula>" formula            \
    "</formula></property></property-set>"
static const char *const FORMULAS[] = {
    CTL("<all-paths><globally><exists-path><finally>" TOKENS(
        "p0", "1") "</finally></exists-path></globally></all-paths>"),
    CTL("<all-paths><finally>" TOKENS("p1", "2") "</finally></all-paths>"),
    CTL("<exists-path><globally>" TOKENS("p0", "1") "</globally></exists-path>"),
    CTL("<exists-path><until><before>" TOKENS("p0", "1") "</before><reach>" TOKENS(
        "p1", "3") "</reach></until></exists-path>"),
    CTL("<all-paths><globally><exists-path><next>" TOKENS(
        "p1", "1") "</next></exists-path></globally></all-paths>"),
    CTL("<exists-path><globally><all-paths><finally>" TOKENS(
        "p0", "2") "</finally></all-paths></globally></exists-path>"),
};

static void read_question(const struct net *net, const char *text, struct arena *arena,
                          struct question_list *out)
{
    struct messages messages;
    messages_init(&messages);
    size_t bytes = strlen(text);
    bool good = text[0] == '<'
                    ? formula_read_xml(net, "forged", text, bytes, arena, out, &messages)
                    : formula_read_text(net, "forged", text, bytes, arena, out, &messages);
    if (!good) {
        messages_print(&messages, stderr);
        abort();
    }
    messages_finish(&messages);
}

static bool has_goal(const struct net_draft *d, const struct markings *met)
{
    for (unsigned i = 0; i < met->count; i++)
        if (net_draft_is_goal(d, met->data[i]))
            return true;
    return false;
}

static void try_draft(struct random *random, const struct net_draft *d, const struct markings *met,
                      struct tally *tally)
{
    struct text text, goal;
    struct messages messages;
    struct arena arena;
    struct question_list reach = {0}, branching = {0};
    messages_init(&messages);
    arena_init(&arena);
    text_init(&text);
    text_init(&goal);
    net_draft_print(&text, d);
    net_draft_print_goal(&goal, d);
    struct net *net = net_text_read("forged", text_string(&text), text.length, &messages);
    tally->nets++;
    read_question(net, text_string(&goal), &arena, &reach);
    if (has_goal(d, met))
        forge_sets(random, d, net, reach.data[0].goal, met, tally);
    read_question(net, FORMULAS[random_below(random, sizeof FORMULAS / sizeof FORMULAS[0])], &arena,
                  &branching);
    if (branching.data[0].kind == QUESTION_BRANCHING)
        forge_formulas(random, net, branching.data[0].branching, d, met, tally);
    VECTOR_FINISH(&reach);
    VECTOR_FINISH(&branching);
    net_destroy(net);
    text_finish(&text);
    text_finish(&goal);
    arena_finish(&arena);
    messages_finish(&messages);
}

int main(int count, char **arguments)
{
    static struct markings met;
    struct tally tally = {0};
    unsigned long wanted = count > 1 ? strtoul(arguments[1], NULL, 10) : 1000;
    uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    for (; tally.sets < wanted; seed++) {
        struct random random;
        random_init(&random, seed);
        struct net_draft d = net_draft_draw(&random);
        if (explore(&d, &met))
            try_draft(&random, &d, &met, &tally);
        if (tally.accepted + tally.wrong > 0) {
            printf("seed %llu: ACCEPTED or wrong\n", (unsigned long long)seed);
            break;
        }
    }
    printf("%lu nets: %lu forged sets, %lu accepted; %lu formulas from a part of the markings, %lu "
           "unknown, %lu wrong\n",
           tally.nets, tally.sets, tally.accepted, tally.formulas, tally.unknown, tally.wrong);
    return tally.accepted + tally.wrong > 0 || tally.unknown == 0 ||
           tally.unknown == tally.formulas;
}
