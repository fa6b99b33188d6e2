#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/vector.h"
#include "engines/engine.h"
#include "engines/petri/cubes.h"
#include "engines/petri/equation.h"
#include "engines/petri/reduce.h"
#include "engines/petri/search.h"
#include "engines/petri/simplify.h"
#include "languages/petri/net_text.h"
#include "tests/decide.h"
#include "tests/part.h"
#include "tests/random_net.h"

// Petri nets: random ones, with weights, inhibitor and read arcs, written in the text form, against a search of their
// markings that shares nothing with reader, translation and engine; small nets whose answers are known.

#define MARKINGS_MAX 1500

// Markings in the order in which they are met; looked up one by one.
static enum verdict oracle(const struct net_draft *d)
{
    static int met[MARKINGS_MAX][NET_PLACES_MAX];
    unsigned count = 1;
    memcpy(met[0], d->start, sizeof met[0]);
    for (unsigned i = 0; i < count; i++) {
        if (net_draft_is_goal(d, met[i]))
            return VERDICT_UNSAFE;
        for (unsigned t = 0; t < d->transitions; t++) {
            int next[NET_PLACES_MAX] = {0};
            unsigned k = 0;
            if (!net_draft_can_fire(d, t, met[i]))
                continue;
            for (unsigned p = 0; p < d->places; p++)
                next[p] = met[i][p] - d->takes[t][p] + d->gives[t][p];
            while (k < count && memcmp(met[k], next, sizeof next) != 0)
                k++;
            if (k < count)
                continue;
            if (count == MARKINGS_MAX)
                return VERDICT_UNKNOWN;
            memcpy(met[count++], next, sizeof next);
        }
    }
    return VERDICT_SAFE;
}

static struct model *load(const struct text *net, const char *property)
{
    struct messages messages;
    messages_init(&messages);
    struct model *model = decide_load(&language_net, net, property, &messages);
    if (model == NULL)
        messages_print(&messages, stderr);
    messages_finish(&messages);
    return model;
}

static const char *const CONFIGURATIONS[] = {
    "engine=petri,netreduce=OFF",
    "engine=petri,netreduce=CONE",
    "engine=petri,netreduce=LOCAL",
    "engine=petri",
    "engine=petri,netorder=DFS",
    "engine=petri,netorder=BEST,netreduce=OFF",
    "engine=petri,netorder=EQUATION,netreduce=OFF",
    "engine=petri,netorder=EQUATION,stubborn=on",
    "engine=petri,stubborn=on",
    "engine=petri,stubborn=on,netreduce=OFF",
    "engine=petri,netorder=DFS,stubborn=on",
    "engine=petri,netorder=BEST,stubborn=on",
    "engine=petri,netmethod=WALK",
    "engine=petri,netmethod=PROOF",
    "engine=petri,netmethod=EQUATION",
    "engine=petri,netmethod=EQUATION,distant=OFF,stubborn=on",
    "engine=petri,netmethod=EQUATION,distant=ON,eqsearch=BFS,excludeown=off",
    "engine=petri,netmethod=EQUATION,eqsearch=HYBRID,shuffle=on,eqlimit=50",
    "engine=petri,netmethod=EQUATION,better=GENERAL,eqfilter=off,eqlimit=20",
    "engine=petri,netmethod=EQUATION,better=OFF",
};
#define CONFIGURATION_COUNT (sizeof CONFIGURATIONS / sizeof *CONFIGURATIONS)

static void try_net(uint64_t seed, unsigned *decided)
{
    struct random random;
    struct text net, goal;
    random_init(&random, seed);
    struct net_draft d = net_draft_draw(&random);
    enum verdict expected = oracle(&d);
    text_init(&net);
    text_init(&goal);
    net_draft_print(&net, &d);
    net_draft_print_goal(&goal, &d);
    struct model *model = load(&net, text_string(&goal));
    assert_non_null(model);
    for (size_t c = 0; c < CONFIGURATION_COUNT; c++) {
        enum verdict verdict = decide_run_as(model, CONFIGURATIONS[c], seed);
        if (verdict != VERDICT_UNKNOWN && expected != VERDICT_UNKNOWN && verdict != expected)
            fail_msg("seed %llu, %s: %s\n%s%s", (unsigned long long)seed, CONFIGURATIONS[c],
                     verdict_name(verdict), text_string(&net), text_string(&goal));
        decided[c] += verdict != VERDICT_UNKNOWN;
    }
    model_destroy(model);
    text_finish(&net);
    text_finish(&goal);
}

static void test_random(void **state)
{
    (void)state;
    const char *wanted = getenv("REGATTA_PETRI_NETS"), *first = getenv("REGATTA_PETRI_FIRST");
    uint64_t count = wanted != NULL ? strtoull(wanted, NULL, 10) : part_models(60, 12);
    uint64_t begin = first != NULL ? strtoull(first, NULL, 10) : 1;
    unsigned decided[CONFIGURATION_COUNT] = {0};
    for (uint64_t seed = begin; seed < begin + count; seed++)
        try_net(seed, decided);
    for (size_t c = 0; c < CONFIGURATION_COUNT; c++) {
        print_message("%s: %u of %llu decided\n", CONFIGURATIONS[c], decided[c],
                      (unsigned long long)count);
        assert_true(count < 60 || decided[c] > count / 6);
    }
}

// The nets of docs/petri.md with the firing sequences known for them.
struct known {
    const char *name, *net, *goal;
    size_t steps; // of the shortest way
};

static const struct known KNOWN[] = {
    {"N1",
     "pl p1 (1)\npl p3 (2)\npl p0\npl p2\ntr t0 p1 p2?1 -> p0*2\ntr t1 p1 -> p2\n"
     "tr t2 p2*2 -> p1*2\ntr t3 p3 -> p1\ntr t4 p1 -> p3\n",
     "EF p0 = 2 and p1 = 0 and p2 = 0 and p3 = 2", 8},
    {"N2", "pl p2 (1)\ntr t0 p3?1 -> p0\ntr t1 p1 -> p0 p2\ntr t2 p2 -> p1\n",
     "EF p0 = 1 and p1 = 0 and p2 = 1 and p3 = 0", 2},
    {"N3", "pl p2 (1)\ntr t0 p1?1 -> p0\ntr t1 p2 -> p1\ntr t2 p1 -> p2\n",
     "EF p0 = 1 and p1 = 0 and p2 = 1", 3},
    {"N4",
     "pl p3 (2)\ntr t0 p1?1 p2?1 -> p0\ntr t1 p1 -> p2\ntr t2 p2 -> p1\ntr t3 p2 -> p3\n"
     "tr t4 p3 -> p2\n",
     "EF p0 = 1 and p1 = 0 and p2 = 0 and p3 = 2", 7},
    {"N5",
     "pl p1 (1)\ntr t0 p1?2 -> p0\ntr t1 p2 -> p1\ntr t2 p1 -> p2\ntr t3 -> p2\ntr t4 p2 ->\n",
     "EF p0 = 1 and p1 = 1 and p2 = 0", 5},
    {"N6",
     "pl p1 (1)\ntr t0 p1?2 -> p0\ntr t1 p2*2 -> p1\ntr t2 p1 -> p2*2\ntr t3 -> p2\ntr t4 p2 ->\n",
     "EF p0 = 1 and p1 = 1 and p2 = 0", 7},
    {"N7",
     "pl p1 (1)\npl p4 (2)\ntr t0 p1?3 -> p0\ntr t1 p2 -> p1\ntr t2 p1 -> p2\ntr t3 p3 -> p2\n"
     "tr t4 p2 -> p3\ntr t5 p4 -> p3\ntr t6 p3 -> p4\n",
     "EF p0 = 1 and p1 = 1 and p2 = 0 and p3 = 0 and p4 = 2", 13},
    {"N8",
     "pl p3 (1)\ntr t0 p1?1 p3?-1 -> p0\ntr t1 p2 -> p1\ntr t2 p1 -> p2\ntr t3 p3 -> p2\n"
     "tr t4 p2 -> p3\n",
     "EF p0 = 1 and p1 = 0 and p2 = 0 and p3 = 1", 5},
    {"N9", "pl p1 (2)\npl p2 (1)\ntr t0 p1 -> p0\ntr t1 p2 p1?1 -> p0\n", "EF p0 = 3", 3},
};

static void check_known(const struct known *known)
{
    struct text net;
    struct engine_run run;
    static struct progress progress;
    text_init(&net);
    text_add(&net, known->net);
    struct model *model = load(&net, known->goal);
    assert_non_null(model);
    engine_run_prepare(&run, model, "engine=petri,netreduce=OFF", &progress);
    engine_run_start(&run);
    assert_int_equal(run.result.verdict, VERDICT_UNSAFE);
    assert_int_equal(run.result.trace->step_count, known->steps + 1);
    engine_run_finish(&run);
    model_destroy(model);
    text_finish(&net);
}

// What the refinement of the state equation makes of them, under which options: as documented.
static const struct {
    unsigned net; // N1 is 0
    const char *options;
    enum verdict verdict;
    size_t steps;
} REFINED[] = {
    {0, "distant=OFF", VERDICT_UNSAFE, 8},
    {1, "distant=OFF", VERDICT_UNSAFE, 2}, // by a jump
    {2, "distant=OFF", VERDICT_UNSAFE, 3},
    {3, "distant=OFF", VERDICT_UNSAFE, 7},
    {3, "distant=OFF,better=OFF", VERDICT_UNKNOWN, 0}, // needs a better intermediate marking
    {4, "distant=OFF", VERDICT_UNKNOWN, 0},            // needs distant invariants
    {4, "distant=ON", VERDICT_UNSAFE, 5},
    {4, "distant=AFTER", VERDICT_UNSAFE, 5},
    {5, "distant=AFTER", VERDICT_UNKNOWN, 0},
    {5, "distant=AFTER,excludeown=off", VERDICT_UNSAFE, 7},
    {6, "distant=OFF", VERDICT_UNKNOWN, 0},
    {6, "distant=AFTER", VERDICT_UNSAFE, 13},
    {6, "distant=AFTER,eqsearch=BFS", VERDICT_UNSAFE, 13},
    {7, "distant=OFF", VERDICT_UNSAFE, 5}, // inhibitor arcs
    {8, "distant=OFF", VERDICT_UNSAFE, 3},
};

static void check_refined(size_t i)
{
    struct text net;
    struct engine_run run;
    static struct progress progress;
    char options[200];
    snprintf(options, sizeof options, "engine=petri,netmethod=EQUATION,%s", REFINED[i].options);
    text_init(&net);
    text_add(&net, KNOWN[REFINED[i].net].net);
    struct model *model = load(&net, KNOWN[REFINED[i].net].goal);
    assert_non_null(model);
    engine_run_prepare(&run, model, options, &progress);
    engine_run_start(&run);
    if (run.result.verdict != REFINED[i].verdict)
        fail_msg("%s, %s: %s", KNOWN[REFINED[i].net].name, options,
                 verdict_name(run.result.verdict));
    if (run.result.trace != NULL)
        assert_int_equal(run.result.trace->step_count, REFINED[i].steps + 1);
    engine_run_finish(&run);
    model_destroy(model);
    text_finish(&net);
}

static void test_refined(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof REFINED / sizeof *REFINED; i++)
        check_refined(i);
}

static bool always(void *context, uint64_t steps)
{
    (void)context;
    (void)steps;
    return true;
}

static void test_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        check_known(&KNOWN[i]);
}

// A place passed through, one that follows another, a constant one, idle, dominated and dead transitions, and a part that the
// goal does not need.
static const char REDUCIBLE[] =
    "pl a (2)\npl same (3)\npl always (1)\npl other (1)\n"
    "tr in a same always?1 -> b\ntr through b -> c\ntr out c -> d\ntr twice c always?1 -> d\n"
    "tr idle a?1 ->\ntr dead never -> d\ntr aside other -> apart\n";

static void test_reduction(void **state)
{
    (void)state;
    struct messages messages;
    struct question_list questions = {0};
    struct arena arena;
    struct reduction r;
    messages_init(&messages);
    arena_init(&arena);
    struct net *net = net_text_read("r.net", REDUCIBLE, sizeof REDUCIBLE - 1, &messages);
    assert_non_null(net);
    const char goal[] = "EF d = 2";
    assert_true(formula_read_text(net, NULL, goal, sizeof goal - 1, &arena, &questions, &messages));
    struct petri_problem problem = {
        .net = net, .goal = questions.data[0].goal, .go_on = always, .context = NULL};
    struct reduction_choice all = {.cone = true, .local = true, .fusion = true};
    assert_true(reduction_make(&problem, all, &r));
    assert_int_equal(r.counts.unneeded_transitions, 2); // idle, aside
    assert_int_equal(r.counts.dead, 1);
    assert_int_equal(r.counts.dominated, 1);
    assert_int_equal(r.counts.constant, 2); // always, never
    assert_int_equal(r.counts.redundant, 1);
    assert_int_equal(r.counts.pre_fused + r.counts.post_fused, 2);
    assert_int_equal(r.net->transition_count, 1);
    uint32_t twice[] = {0, 0};
    struct petri_sequence small = {twice, 2, 2}, given = {0};
    reduction_expand(&r, &small, &given);
    assert_int_equal(given.count, 6);
    assert_true(petri_replay(&problem, &given));
    memory_free(given.data);
    reduction_finish(&r);
    memory_free(questions.data);
    arena_finish(&arena);
    net_destroy(net);
    messages_finish(&messages);
}

// ---- What the state equation tells of itself

struct listener {
    uint64_t rounds, counterexamples, refined, unchanged;
    uint64_t last_iteration;
    bool wrong; // the same counterexample in two rounds under the same precision
    struct {
        uint32_t solution, remainder, precision;
        uint64_t iteration;
    } seen[2000];
    size_t count;
};

static void note_counterexample(struct listener *l, const struct engine_event *event)
{
    const struct counterexample *c = event->counterexample;
    assert_int_equal(c->count, 3);
    for (size_t i = 0; i < l->count; i++)
        l->wrong |= l->seen[i].solution == c->items[0] && l->seen[i].remainder == c->items[2] &&
                    l->seen[i].precision == c->precision_id &&
                    l->seen[i].iteration != event->iteration;
    if (l->count == sizeof l->seen / sizeof *l->seen)
        return;
    l->seen[l->count].solution = c->items[0];
    l->seen[l->count].remainder = c->items[2];
    l->seen[l->count].precision = c->precision_id;
    l->seen[l->count++].iteration = event->iteration;
}

static bool listen(void *context, struct engine_event *event)
{
    struct listener *l = context;
    l->rounds += event->kind == EVENT_ROUND;
    l->counterexamples += event->kind == EVENT_COUNTEREXAMPLE;
    l->refined += event->kind == EVENT_REFINED;
    l->unchanged += event->kind == EVENT_REFINED && !event->precision_changed;
    if (event->kind == EVENT_COUNTEREXAMPLE)
        note_counterexample(l, event);
    return true;
}

// Chain 1 + 3: three tokens are to be fetched one after the other.
static const char CHAIN[] = "pl p4 (3)\ntr t0 p1?1 p2?1 p3?1 -> p0\ntr a p1 -> p2\ntr b p2 -> p1\n"
                            "tr c p2 -> p3\ntr d p3 -> p2\ntr e p3 -> p4\ntr f p4 -> p3\n";

// Breadth first many ways lead to a solution that is known; each is told as a refinement that changed nothing.
static void test_told(void **state)
{
    (void)state;
    static struct listener listener;
    struct messages messages;
    struct question_list questions = {0};
    struct arena arena;
    struct equation_result result;
    messages_init(&messages);
    arena_init(&arena);
    struct net *net = net_text_read("c.net", CHAIN, sizeof CHAIN - 1, &messages);
    assert_non_null(net);
    const char goal[] = "EF p0 = 1 and p4 = 3 and p1 = 0 and p2 = 0 and p3 = 0";
    assert_true(formula_read_text(net, NULL, goal, sizeof goal - 1, &arena, &questions, &messages));
    struct petri_problem problem = {.net = net,
                                    .goal = questions.data[0].goal,
                                    .go_on = always,
                                    .tell = listen,
                                    .context = &listener};
    struct petri_cubes cubes;
    assert_true(petri_cubes_make(problem.goal, 10, &cubes));
    assert_int_equal(cubes.count, 1);
    struct equation_options options = {
        .order = EQUATION_BFS, .filter = true, .better = EQUATION_BETTER_ON, .wide = true};
    equation_solve(&problem, &cubes.data[0], &options, &result);
    assert_int_equal(result.answer, PETRI_REACHED);
    assert_int_equal(result.sequence.count, 13);
    assert_true(result.repeated > 0);
    assert_true(listener.rounds < result.solutions); // the last one fires, others still wait
    assert_true(listener.counterexamples >= listener.rounds);
    assert_true(listener.unchanged >= result.repeated);
    assert_true(listener.refined > listener.unchanged);
    assert_false(listener.wrong);
    VECTOR_FINISH(&result.sequence);
    petri_cubes_finish(&cubes);
    memory_free(questions.data);
    arena_finish(&arena);
    net_destroy(net);
    messages_finish(&messages);
}

// ---- Comparisons that the state equation decides

// a and b share two tokens; c only loses.
static const char SHARED[] = "pl a (2)\npl c (1)\ntr t a -> b\ntr u b -> a\ntr v c ->\n";

struct simplified {
    const char *goal;
    uint32_t never, always;
    enum formula_kind kind;
};

static const struct simplified SIMPLIFIED[] = {
    {"EF a + b >= 3", 1, 0, FORMULA_FALSE},
    {"EF a + b >= 3 or b >= 2", 1, 0, FORMULA_LINEAR},
    {"EF b >= 2 and c <= 1", 0, 1, FORMULA_LINEAR},
    {"EF 2*a + 2*b <= 3", 1, 0, FORMULA_FALSE},
    {"EF 2*a + 2*b + c <= 4", 0, 0, FORMULA_LINEAR},
    {"EF b >= 2 and a >= 1", 0, 0, FORMULA_AND}, // each alone can be
};

static void test_simplified(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    struct net *net = net_text_read("s.net", SHARED, sizeof SHARED - 1, &messages);
    assert_non_null(net);
    for (size_t i = 0; i < sizeof SIMPLIFIED / sizeof *SIMPLIFIED; i++) {
        const struct simplified *s = &SIMPLIFIED[i];
        struct question_list questions = {0};
        struct arena arena;
        struct simplification less;
        arena_init(&arena);
        assert_true(
            formula_read_text(net, NULL, s->goal, strlen(s->goal), &arena, &questions, &messages));
        struct petri_problem problem = {
            .net = net, .goal = questions.data[0].goal, .go_on = always, .context = NULL};
        petri_simplify(&problem, &arena, &less);
        assert_int_equal(less.never, s->never);
        assert_int_equal(less.always, s->always);
        assert_int_equal(less.goal->kind, s->kind);
        memory_free(questions.data);
        arena_finish(&arena);
    }
    net_destroy(net);
    messages_finish(&messages);
}

// What is shown of random runs was reached, the first marking first; where nothing can fire they begin again.
struct visitor {
    uint64_t seen, starts, most;
};

static bool visit(void *context, const int64_t *marking)
{
    struct visitor *v = context;
    assert_int_equal(marking[0] + marking[2], 2); // a and b; c was declared between them
    assert_in_range(marking[1], 0, 1);
    bool start = marking[0] == 2 && marking[1] == 1;
    v->starts += start;
    assert_true(start || v->seen > 0);
    return ++v->seen < v->most;
}

static void check_visited(const char *text, uint64_t count, struct visitor v, uint64_t seen,
                          uint64_t starts)
{
    struct messages messages;
    messages_init(&messages);
    struct net *net = net_text_read("s.net", text, strlen(text), &messages);
    assert_non_null(net);
    struct petri_problem problem = {.net = net, .go_on = always, .seed = 7};
    petri_visit_walk(&problem, count, visit, &v);
    assert_int_equal(v.seen, seen);
    assert_true(v.starts >= starts);
    net_destroy(net);
    messages_finish(&messages);
}

static void test_visited(void **state)
{
    (void)state;
    check_visited(SHARED, 100, (struct visitor){.most = 1000}, 100, 2);
    check_visited(SHARED, 100, (struct visitor){.most = 30}, 30, 1);
    check_visited("pl a (2)\npl c (1)\ntr v c ->\ntr t a*3 -> b\n", 10,
                  (struct visitor){.most = 1000}, 10, 5);
}

// Parts that lead back are left out, also where one holds another.
static void test_shortened(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    struct net *net = net_text_read("s.net", SHARED, sizeof SHARED - 1, &messages);
    assert_non_null(net);
    uint32_t data[] = {0, 1, 0, 0, 1, 1, 0, 2, 0, 1}; // t u t t u u t v t u
    struct petri_sequence sequence = {data, 10, 10};
    petri_shorten(net, &sequence);
    assert_int_equal(sequence.count, 2); // t v
    assert_int_equal(data[0], 0);
    assert_int_equal(data[1], 2);
    net_destroy(net);
    messages_finish(&messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told),      cmocka_unit_test(test_simplified),
        cmocka_unit_test(test_shortened), cmocka_unit_test(test_known),
        cmocka_unit_test(test_refined),   cmocka_unit_test(test_reduction),
        cmocka_unit_test(test_random),    cmocka_unit_test(test_visited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
