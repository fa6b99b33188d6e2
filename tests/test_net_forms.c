#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "languages/petri/bounds.h"
#include "languages/petri/net_view.h"
#include "tests/decide.h"
#include "tests/oracle.h"
#include "tests/part.h"
#include "tests/random_net.h"

// Other forms of a net's model (model/recode.h): bounds of places against a search of the markings; that each form has the
// net's answer; that runs and proofs of a form, through any preparation, are runs and proofs of the net.

#define MARKINGS_MAX 1500
#define STATE_LIMIT 20000

struct known {
    bool complete; // all markings were met
    enum verdict verdict;
    int most[NET_PLACES_MAX];
};

static void look_at(struct known *known, const struct net_draft *d, const int *marking)
{
    for (unsigned p = 0; p < d->places; p++)
        known->most[p] = marking[p] > known->most[p] ? marking[p] : known->most[p];
    if (net_draft_is_goal(d, marking))
        known->verdict = VERDICT_UNSAFE;
}

static struct known explore(const struct net_draft *d)
{
    static int met[MARKINGS_MAX][NET_PLACES_MAX];
    struct known known = {.complete = true, .verdict = VERDICT_SAFE};
    unsigned count = 1;
    memcpy(met[0], d->start, sizeof met[0]);
    for (unsigned i = 0; i < count; i++) {
        look_at(&known, d, met[i]);
        for (unsigned t = 0; t < d->transitions; t++) {
            int next[NET_PLACES_MAX];
            unsigned k = 0;
            if (!net_draft_can_fire(d, t, met[i]))
                continue;
            net_draft_fire(d, t, met[i], next);
            while (k < count && memcmp(met[k], next, sizeof next) != 0)
                k++;
            known.complete &= k < MARKINGS_MAX;
            if (k == count && count < MARKINGS_MAX)
                memcpy(met[count++], next, sizeof next);
        }
    }
    return known;
}

static struct model *load(const struct text *net, const char *property)
{
    struct messages messages;
    messages_init(&messages);
    struct model *model = decide_load(&language_net, net, property, &messages);
    assert_non_null(model);
    messages_finish(&messages);
    return model;
}

struct tally {
    unsigned safe, unsafe, proved, booleans, open;
};

static void check_bounds(const struct model *model, const struct net_draft *d,
                         const struct known *known, struct tally *tally)
{
    struct net_bounds bounds;
    net_bounds_find(net_view_of(model)->net, NULL, &bounds);
    for (unsigned p = 0; p < d->places; p++) {
        if (bounds.most[p] == BOUND_NONE) {
            tally->open++;
            continue;
        }
        assert_true(bounds.most[p] >= known->most[p]);
        tally->booleans += bounds.most[p] <= 1;
    }
    net_bounds_finish(&bounds);
}

static void must_replay(struct trace *trace, uint64_t seed)
{
    struct text why;
    text_init(&why);
    struct trace *mapped = decide_map(trace);
    if (!certify_replay(mapped, &why))
        fail_msg("seed %llu: %s", (unsigned long long)seed, text_string(&why));
    trace_destroy(mapped);
    text_finish(&why);
}

// Consumes the invariant.
static void must_hold(const struct model *model, struct term_store *store,
                      const struct term **invariant, uint64_t seed)
{
    struct text why;
    text_init(&why);
    for (; model->source != NULL; model = model->source) {
        const struct term **nearer = prepare_lift_invariant(model, store, invariant);
        memory_free(invariant);
        invariant = nearer;
    }
    if (certify_invariant(model, store, invariant, "z3", NULL, &why) != CERTIFY_ACCEPTED)
        fail_msg("seed %llu: %s", (unsigned long long)seed, text_string(&why));
    memory_free(invariant);
    text_finish(&why);
}

// Forwards the oracle is exact; backwards it may miss runs.
static void check_form(const struct model *source, const struct known *known,
                       const struct prepare_options *options, uint64_t seed, struct tally *tally)
{
    struct model *model = prepare_model(source, options, NULL);
    struct term_store *store = term_store_create(model->store);
    struct oracle_answer answer = oracle_run(model, STATE_LIMIT, options->reverse ? NULL : store);
    if (answer.verdict == VERDICT_UNSAFE) {
        assert_true(known->verdict == VERDICT_UNSAFE || !known->complete);
        must_replay(answer.trace, seed);
        answer.trace = NULL;
        tally->unsafe++;
    } else if (answer.verdict == VERDICT_SAFE && !options->reverse) {
        if (known->verdict == VERDICT_UNSAFE)
            fail_msg("seed %llu: a form loses the way to the goal", (unsigned long long)seed);
        tally->safe++;
        if (answer.states < 40 && seed % 16 == 1) {
            const struct term **invariant = answer.invariant;
            answer.invariant = NULL;
            must_hold(model, store, invariant, seed);
            tally->proved++;
        }
    }
    oracle_answer_finish(&answer);
    term_store_destroy(store);
    model_destroy(model);
}

static void try_net(uint64_t seed, struct tally *tally)
{
    struct random random;
    struct text net, goal;
    random_init(&random, seed);
    struct net_draft d = seed % 4 == 0 ? net_draft_draw(&random) : net_draft_draw_tame(&random);
    struct known known = explore(&d);
    text_init(&net);
    text_init(&goal);
    net_draft_print(&net, &d);
    net_draft_print_goal(&goal, &d);
    struct model *model = load(&net, text_string(&goal));
    check_bounds(model, &d, &known, tally);
    for (unsigned form = 1; form < 6; form++) {
        unsigned how = (unsigned)random_below(&random, 32);
        struct prepare_options options = {
            .encoding = how & 1 ? PREPARE_LARGE_BLOCK : PREPARE_SINGLE_BLOCK,
            .propagate_constants = how & 2,
            .cone_of_influence = how & 4,
            .split_choices = how & 8,
            .split_limit = 16,
            .recode = {.environment = form / 3},
            .reverse = how >= 24,
        };
        options.recode.places = form % 3;
        check_form(model, &known, &options, seed, tally);
    }
    model_destroy(model);
    text_finish(&net);
    text_finish(&goal);
}

static void test_forms(void **state)
{
    (void)state;
    const char *wanted = getenv("REGATTA_PETRI_NETS");
    uint64_t count = wanted != NULL ? strtoull(wanted, NULL, 10) : part_models(60, 15);
    struct tally tally = {0};
    for (uint64_t seed = 1; seed <= count; seed++)
        try_net(seed, &tally);
    print_message(
        "%u safe, %u of them proved, %u unsafe; %u places as Booleans, %u without a bound\n",
        tally.safe, tally.proved, tally.unsafe, tally.booleans, tally.open);
    if (count >= 60)
        assert_true(tally.safe > 10 && tally.proved > 2 && tally.unsafe > 10 &&
                    tally.booleans > 15 && tally.open > 5);
}

// Two tokens on a ring, one on another, one place that grows.
static const char MIXED[] =
    "pl a (2)\npl c (1)\ntr t a -> b\ntr u b -> a\ntr v c -> d\ntr w d -> c e\n"
    "tr x a*2 c -> b*2 c\n";

static void test_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *place;
        int64_t most;
    } EXPECTED[] = {{"a", 2}, {"b", 2}, {"c", 1}, {"d", 1}, {"e", BOUND_NONE}};
    struct text text;
    struct net_bounds bounds;
    text_init(&text);
    text_add(&text, MIXED);
    struct model *model = load(&text, "EF b = 2");
    const struct net *net = net_view_of(model)->net;
    net_bounds_find(net, NULL, &bounds);
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++) {
        uint32_t place;
        assert_int_equal(net_find(net, EXPECTED[i].place, &place), NET_PLACE);
        assert_int_equal(bounds.most[place], EXPECTED[i].most);
    }
    net_bounds_finish(&bounds);
    model_destroy(model);
    text_finish(&text);
}

// Which variables a form has, and what its loop is.
static void test_shape(void **state)
{
    (void)state;
    struct text text;
    text_init(&text);
    text_add(&text, MIXED);
    struct model *source = load(&text, "EF b = 2");
    struct recode_options options = {RECODE_BOOLEANS, true};
    struct model *model = recode_model(source, &options, NULL);
    assert_int_equal(model->features.booleans, 2);
    assert_int_equal(model->features.integers, 3);
    assert_int_equal(model->location_count, 4);
    assert_int_equal(model->initial->phase, PHASE_START);
    assert_int_equal(model->edge_count, source->edge_count - 1 + 3 + 2);
    model_destroy(model);
    model_destroy(source);
    text_finish(&text);
}

static const char *const ENGINES[] = {
    "engine=cegar,netplaces=BOOLEANS",
    "engine=cegar,domain=EXPL,netplaces=BOUNDED,netloop=ENVIRONMENT",
    "engine=ic3,netplaces=BOOLEANS",
    "engine=ic3,netplaces=BOOLEANS,direction=BACKWARD,netloop=ENVIRONMENT",
    "engine=kind,netplaces=BOUNDED",
    "engine=imc,netplaces=BOOLEANS,encoding=SBE,netloop=ENVIRONMENT",
    "engine=bmc,netplaces=BOOLEANS",
    "engine=horn,netplaces=BOOLEANS",
};

static void test_engines(void **state)
{
    (void)state;
    size_t all = sizeof ENGINES / sizeof *ENGINES;
    unsigned decided = 0;
    for (uint64_t seed = 1; seed <= part_models(8, 4); seed++) {
        struct random random;
        struct text net, goal;
        random_init(&random, seed);
        struct net_draft d = net_draft_draw_tame(&random);
        struct known known = explore(&d);
        text_init(&net);
        text_init(&goal);
        net_draft_print(&net, &d);
        net_draft_print_goal(&goal, &d);
        struct model *model = load(&net, text_string(&goal));
        enum verdict verdict = decide_run_within(model, ENGINES[seed % all], seed, 300);
        if (verdict != VERDICT_UNKNOWN && known.complete && verdict != known.verdict)
            fail_msg("seed %llu, %s: %s", (unsigned long long)seed, ENGINES[seed % all],
                     verdict_name(verdict));
        decided += verdict != VERDICT_UNKNOWN;
        model_destroy(model);
        text_finish(&net);
        text_finish(&goal);
    }
    print_message("%u decided\n", decided);
    assert_true(decided >= 4);
}

int main(int count, char **arguments)
{
    struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_engines),
    };
    return part_run(count, arguments, tests);
}
