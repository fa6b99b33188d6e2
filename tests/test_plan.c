#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "config_files.h"
#include "configs/plan.h"

#define HEAD "configurations = ( { name = \"a\"; }, { name = \"b\"; domain = \"EXPL\"; } );\n"

static struct plan *load(struct folder *f, const char *text)
{
    return plan_load(folder_write(f, "p.cfg", text), &f->messages);
}

static void lanes_steps_and_budgets_are_read(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct plan *plan =
        load(&f, "description = \"d\";\n" HEAD "variants = ( { cores = 4; lanes = (\n"
                 "{ steps = ( { configuration = \"a\"; budget = \"20%\"; },\n"
                 "            { configuration = \"b\"; budget = \"500ms\"; },\n"
                 "            { configuration = \"a\"; budget = \"20000 steps\"; },\n"
                 "            { configuration = \"b\"; } ); },\n"
                 "{ steps = ( { configuration = \"b\"; budget = \"100%\"; } ); } ); },\n"
                 "{ cores = 1; lanes = ( { steps = ( { configuration = \"b\"; } ); } ); } );\n");
    if (plan == NULL)
        messages_print(&f.messages, stderr);
    assert_non_null(plan);
    assert_string_equal(plan->name, "p");
    assert_string_equal(plan->description, "d");
    assert_int_equal(plan->variant_count, 2);
    assert_int_equal(plan->variants[0].cores, 1); // sorted
    const struct plan_variant *v = &plan->variants[1];
    assert_int_equal(v->lane_count, 2);
    assert_int_equal(v->lanes[0].step_count, 4);
    const struct plan_step *s = v->lanes[0].steps;
    assert_int_equal(s[0].budget, BUDGET_SHARE);
    assert_true(s[0].amount > 0.1999 && s[0].amount < 0.2001);
    assert_int_equal(s[1].budget, BUDGET_SECONDS);
    assert_true(s[1].amount == 0.5);
    assert_int_equal(s[2].budget, BUDGET_STEPS);
    assert_true(s[2].amount == 20000);
    assert_int_equal(s[3].budget, BUDGET_REST);
    assert_string_equal(s[1].configuration->name, "b");
    assert_int_equal(s[1].source.line, 5);
    plan_destroy(plan);
    folder_remove(&f);
}

static void the_variant_is_the_largest_that_fits(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
#define LANES "lanes = ( { steps = ( { configuration = \"a\"; } ); } );"
    struct plan *plan = load(&f, HEAD "variants = ( { cores = 2; " LANES " }, { cores = 8; " LANES
                                      " }, { cores = 4; " LANES " } );");
    assert_non_null(plan);
    static const unsigned expected[][2] = {{1, 2}, {2, 2}, {3, 2}, {4, 4}, {7, 4}, {8, 8}, {99, 8}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(plan_variant_for(plan, expected[i][0])->cores, expected[i][1]);
    plan_destroy(plan);
    folder_remove(&f);
}

static void lanes_that_share_cores_have_seats(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct plan *plan = load(
        &f, HEAD "variants = ( { cores = 1; share = 2; lanes = (\n"
                 "{ steps = ( { configuration = \"a\"; memory = \"50%\"; } ); },\n"
                 "{ steps = ( { configuration = \"a\"; memory = \"50%\"; } ); },\n"
                 "{ steps = ( { configuration = \"a\"; } ); } ); }, { cores = 4; " LANES " } );");
    assert_non_null(plan);
    const struct plan_variant *shared = plan_variant_for(plan, 1), *own = plan_variant_for(plan, 4);
    assert_int_equal(shared->share, 2);
    assert_int_equal(own->share, 1);
    assert_int_equal(plan_variant_seats(shared, 1), 2);
    assert_int_equal(plan_variant_seats(shared, 3), 3); // no more than lanes
    assert_int_equal(plan_variant_seats(own, 4), 1);
    plan_destroy(plan);
    folder_remove(&f);
}

#define STEP(step) HEAD "variants = ( { cores = 1; lanes = ( { steps = (\n" step "\n); } ); } );"

static void faults_carry_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *message;
    } cases[] = {
        {STEP("{ configuration = \"aa\"; }"), 3,
         "unknown configuration \"aa\", did you mean \"a\""},
        {STEP("{ configuration = 1; }"), 3, "expected a string"},
        {STEP("{ budget = \"1s\"; }"), 3, "a step has no configuration"},
        {STEP("{ configuration = \"a\"; budged = \"1s\"; }"), 3,
         "unknown key \"budged\" in a step, did you mean \"budget\"?"},
        {STEP("{ configuration = \"a\"; budget = \"101%\"; }"), 3, "at most 100%"},
        {STEP("{ configuration = \"a\"; budget = \"0%\"; }"), 3, "more than 0%"},
        {STEP("{ configuration = \"a\"; budget = \"-5%\"; }"), 3, "more than 0%"},
        {STEP("{ configuration = \"a\"; budget = \"nan%\"; }"), 3, "more than 0%"},
        {STEP("{ configuration = \"a\"; budget = \"0s\"; }"), 3, "a time above 0"},
        {STEP("{ configuration = \"a\"; budget = \"0 steps\"; }"), 3, "budget: found"},
        {STEP("{ configuration = \"a\"; budget = \"1.5 steps\"; }"), 3, "budget: found"},
        {STEP("{ configuration = \"a\"; budget = \"soon\"; }"), 3, "expected a share"},
        {STEP("{ configuration = \"a\"; budget = 5; }"), 3, "budget: found a whole number"},
        {STEP("3"), 3, "expected a step"},
        {STEP(""), 2, "steps of a lane: the list is empty"},
        {HEAD "\nvariants = ( );", 3, "variants of a plan: the list is empty"},
        {HEAD, 0, "a plan has no variants"},
        {HEAD "variants = (\n{ cores = 1; } );", 3, "a variant has no lanes"},
        {HEAD "variants = (\n{ cores = 1; lanes = ( ); } );", 3, "the list is empty"},
        {HEAD "variants = (\n{ " LANES " } );", 3, "a variant has no cores"},
        {HEAD "variants = (\n{ cores = 0; " LANES " } );", 3, "out of range"},
        {HEAD "variants = (\n{ cores = \"1\"; " LANES " } );", 3, "expected a whole number"},
        {HEAD "variants = ( { cores = 1;\nshare = 0; " LANES " } );", 3,
         "share: 0 is out of range, expected a whole number from 1 to 16"},
        {HEAD "variants = ( { cores = 1;\nshare = \"2\"; " LANES " } );", 3,
         "share: found a string, expected a whole number"},
        {HEAD "variants = ( { cores = 2; share = 2; lanes = ( { steps = (\n"
              "{ configuration = \"a\"; cores = 2; } ); } ); } );",
         3, "a step takes 2 cores, which lanes that share cores do not have"},
        {HEAD "variants = ( { cores = 1; " LANES " },\n{ cores = 1; " LANES " } );", 3,
         "already a variant for 1 core"},
        {HEAD "variants = ( { cores = 1; " LANES " } );\nvariant = 3;", 3,
         "unknown key \"variant\" in a plan, did you mean \"variants\"?"},
        {"include = \"p.cfg\";\n" HEAD "variants = ( { cores = 1; " LANES " } );", 1, "circle"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct folder f;
        folder_make(&f);
        assert_null(load(&f, cases[i].text));
        expect_message(&f.messages, 0, "/p.cfg", cases[i].line, cases[i].message);
        assert_int_equal(f.messages.count, 1);
        folder_remove(&f);
    }
}

static void use_shipped(void)
{
    setenv("REGATTA_CONFIGS", SOURCE_DIR "/configs", 1);
}

static void shipped_plans_are_good(void **state)
{
    (void)state;
    use_shipped();
    struct messages messages;
    messages_init(&messages);
    char **paths;
    size_t count = configs_list("plan", &paths);
    assert_true(count >= 4);
    for (size_t i = 0; i < count; i++) {
        struct plan *plan = plan_load(paths[i], &messages);
        messages_print(&messages, stderr);
        assert_non_null(plan);
        assert_int_equal(messages.count, 0);
        assert_true(plan->description[0] != '\0');
        assert_int_equal(plan->variants[0].cores, 1);
        for (size_t c = 0; c < plan->configurations.count; c++)
            assert_true(plan->configurations.items[c].description[0] != '\0');
        plan_destroy(plan);
        memory_free(paths[i]);
    }
    memory_free(paths);
    messages_finish(&messages);
}

// A variant for n cores has a lane for each seat on them, and no two lanes begin with the same configuration.
static void the_default_plan_uses_its_cores_for_different_things(void **state)
{
    (void)state;
    use_shipped();
    struct messages messages;
    messages_init(&messages);
    struct plan *plan = plan_load("default", &messages);
    assert_non_null(plan);
    for (size_t i = 0; i < plan->variant_count; i++) {
        const struct plan_variant *v = &plan->variants[i];
        assert_int_equal(v->lane_count, v->cores * v->share);
        for (size_t a = 0; a < v->lane_count; a++)
            for (size_t b = 0; b < a; b++)
                assert_ptr_not_equal(v->lanes[a].steps[0].configuration,
                                     v->lanes[b].steps[0].configuration);
    }
    plan_destroy(plan);
    messages_finish(&messages);
}

static void unknown_plans_come_with_the_nearest(void **state)
{
    (void)state;
    use_shipped();
    struct messages messages;
    messages_init(&messages);
    assert_null(plan_load("defalt", &messages));
    expect_message(&messages, 0, NULL, 0, "unknown plan \"defalt\", did you mean \"default\"?");
    assert_null(plan_load("xyzzyxyzzy", &messages));
    expect_message(&messages, 1, NULL, 0, "there are c, charts, default, expl");
    assert_null(plan_load("./default.cfg", &messages));
    expect_message(&messages, 2, "./default.cfg", 0, "cannot be read");
    messages_finish(&messages);
}

static void single_plans(void **state)
{
    (void)state;
    use_shipped();
    struct messages messages;
    messages_init(&messages);
    static const struct {
        const char *text;
        int64_t domain, maxenum;
    } good[] = {
        {"expl-seq", DOMAIN_EXPL, 10},
        {"expl-seq,maxenum=5", DOMAIN_EXPL, 5},
        {"domain=EXPL,maxenum=7", DOMAIN_EXPL, 7},
        {"pred-seq", DOMAIN_PRED_CART, 10},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct plan *plan = plan_single(good[i].text, &messages);
        assert_non_null(plan);
        assert_string_equal(plan->name, good[i].text);
        const struct plan_variant *v = plan_variant_for(plan, 16);
        assert_int_equal(v->lane_count, 1);
        assert_int_equal(v->lanes[0].step_count, 1);
        const struct configuration *c = v->lanes[0].steps[0].configuration;
        assert_int_equal(c->values[OPTION_DOMAIN], good[i].domain);
        assert_int_equal(c->values[OPTION_MAXENUM], good[i].maxenum);
        plan_destroy(plan);
    }
    assert_int_equal(messages.count, 0);
    static const char *const bad[][2] = {
        {"expl-sec", "unknown configuration \"expl-sec\", did you mean \"expl-seq\"?"},
        {"expl-seq,maxenums=5", "unknown option \"maxenums\", did you mean \"maxenum\"?"},
        {"pred-seq,maxenum=5", "(rule \"maxenum\")"},
        {"domain=FOO", "expected one of"},
        {"", "unknown configuration \"\""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(plan_single(bad[i][0], &messages));
        assert_non_null(strstr(messages.items[messages.count - 1].text, bad[i][1]));
    }
    messages_finish(&messages);
}

#define TWO(step)                                                                                  \
    HEAD "variants = ( { cores = 1; lanes = ( { steps = (\n" step                                  \
         ",\n{ configuration = \"b\"; label = \"last\"; } ); } ); } );"

static void guards_compare_words(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct plan *plan = load(&f, TWO("{ configuration = \"a\"; budget = \"20%\"; "
                                     "when = \"language == 'btor2' || view == 'net' || "
                                     "property == 'termination'\"; }"));
    assert_non_null(plan);
    const struct plan_guard *when = plan->variants->lanes->steps[0].when;
    struct plan_facts facts = {.values[FACT_language] = plan_fact_word("btor2")};
    assert_true(plan_guard_holds(when, &facts));
    facts.values[FACT_language] = plan_fact_word("aiger");
    assert_false(plan_guard_holds(when, &facts));
    facts.values[FACT_view] = plan_fact_word("net");
    assert_true(plan_guard_holds(when, &facts));
    facts.values[FACT_view] = 0;
    facts.values[FACT_property] = plan_fact_word("termination");
    assert_true(plan_guard_holds(when, &facts));
    facts.values[FACT_property] = plan_fact_word("no-overflow");
    assert_false(plan_guard_holds(when, &facts));
    plan_destroy(plan);
    folder_remove(&f);
}

static void reactions_guards_and_limits_are_read(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct plan *plan = load(
        &f, TWO("{ configuration = \"a\"; budget = \"20%\"; extend = \"50%\"; memory = \"64MB\"; "
                "isolation = \"process\"; when = \"arrays == 0 && (havocs > 5 || !xsts)\";\n"
                "  on = { stalled = \"goto last\"; timeout = \"end\"; crashed = \"give\"; "
                "memory = \"next\"; solver_error = \"retry refinement=BW_BIN_ITP\"; }; }"));
    if (plan == NULL)
        messages_print(&f.messages, stderr);
    assert_non_null(plan);
    const struct plan_lane *lane = plan->variants->lanes;
    const struct plan_step *s = lane->steps;
    assert_int_equal(lane->step_count, 3); // the retry is one of its own
    assert_int_equal(s[0].memory_bytes, 64000000);
    assert_true(s[0].extend == 0.5 && s[1].extend == 0 && s[2].extend == 0.5);
    assert_int_equal(s[0].isolation, ISOLATION_PROCESS);
    assert_int_equal(s[0].on[ON_STALLED].kind, REACTION_GOTO);
    assert_int_equal(s[0].on[ON_STALLED].target, 1);
    assert_int_equal(s[0].on[ON_TIMEOUT].kind, REACTION_END);
    assert_int_equal(s[0].on[ON_CRASHED].kind, REACTION_GIVE);
    assert_int_equal(s[0].on[ON_UNKNOWN].kind, REACTION_NEXT);
    assert_int_equal(s[0].on[ON_SOLVER].kind, REACTION_RETRY);
    assert_int_equal(s[0].on[ON_SOLVER].target, 2);
    assert_int_equal(s[2].configuration->values[OPTION_REFINEMENT], REFINEMENT_BW_BIN_ITP);
    assert_string_equal(s[2].configuration->name, "a,refinement=BW_BIN_ITP");
    assert_int_equal(s[2].retry_of, 1);
    assert_int_equal(plan_step_next(lane, 0), 1);
    assert_true(plan_step_next(lane, 1) == PLAN_END);
    assert_int_equal(plan_step_next(lane, 2), 1);
    struct plan_facts facts = {0};
    assert_true(plan_guard_holds(s[0].when, &facts));
    facts.values[FACT_xsts] = 1;
    assert_false(plan_guard_holds(s[0].when, &facts));
    facts.values[FACT_havocs] = 6;
    assert_true(plan_guard_holds(s[0].when, &facts));
    facts.values[FACT_arrays] = 1;
    assert_false(plan_guard_holds(s[0].when, &facts));
    assert_true(plan_guard_holds(NULL, &facts));
    plan_destroy(plan);
    folder_remove(&f);
}

static void precision_is_kept_and_mitigation_is_made(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct plan *plan =
        load(&f, TWO("{ configuration = \"a\"; on = { stalled = \"mitigate\"; "
                     "memory = \"next keeping precision\"; unknown = \"give keeping precision\"; "
                     "crashed = \"goto last keeping precision\"; solver_error = \"goto last\"; "
                     "internal = \"retry refinement=BW_BIN_ITP keeping precision\"; }; }"));
    assert_non_null(plan);
    const struct plan_lane *lane = plan->variants->lanes;
    const struct plan_reaction *on = lane->steps[0].on;
    assert_int_equal(on[ON_STALLED].kind, REACTION_MITIGATE);
    const struct plan_step *made = &lane->steps[on[ON_STALLED].target];
    assert_int_equal(made->configuration->values[OPTION_MONITOR], MONITOR_MITIGATE);
    assert_int_equal(made->retry_of, 1);
    assert_int_equal(on[ON_MEMORY].kind, REACTION_NEXT);
    assert_int_equal(on[ON_UNKNOWN].kind, REACTION_GIVE);
    assert_int_equal(on[ON_CRASHED].kind, REACTION_GOTO);
    assert_int_equal(on[ON_INTERNAL].kind, REACTION_RETRY);
    assert_int_equal(lane->steps[on[ON_INTERNAL].target].configuration->values[OPTION_REFINEMENT],
                     REFINEMENT_BW_BIN_ITP);
    assert_true(on[ON_STALLED].keeps_precision && on[ON_MEMORY].keeps_precision);
    assert_true(on[ON_UNKNOWN].keeps_precision && on[ON_CRASHED].keeps_precision);
    assert_true(on[ON_INTERNAL].keeps_precision);
    assert_false(on[ON_SOLVER].keeps_precision || on[ON_STEPS].keeps_precision);
    plan_destroy(plan);
    folder_remove(&f);
}

static void mitigation_has_no_patience(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct plan *plan =
        load(&f, "configurations = ( { name = \"waits\"; patience = 7; mitigate_safe = true; } );\n"
                 "variants = ( { cores = 1; lanes = ( { steps = ( { configuration = \"waits\";\n"
                 "  on = { stalled = \"mitigate\"; }; } ); } ); } );");
    assert_non_null(plan);
    const struct plan_lane *lane = plan->variants->lanes;
    const int64_t *made = lane->steps[lane->steps[0].on[ON_STALLED].target].configuration->values;
    assert_int_equal(lane->steps[0].configuration->values[OPTION_PATIENCE], 7);
    assert_int_equal(made[OPTION_MONITOR], MONITOR_MITIGATE);
    assert_int_equal(made[OPTION_PATIENCE], option_describe(OPTION_PATIENCE)->standard);
    assert_true(made[OPTION_MITIGATE_SAFE]);
    plan_destroy(plan);
    folder_remove(&f);
}

static void what_cannot_be_is_refused_where_it_is_written(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *message;
    } cases[] = {
        {TWO("{ configuration = \"a\"; when = \"arays == 0\"; }"), 3,
         "unknown fact \"arays\", did you mean \"arrays\"?"},
        {TWO("{ configuration = \"a\"; when = \"arrays ==\"; }"), 3, "expected a number, a fact"},
        {TWO("{ configuration = \"a\"; when = \"(arrays == 1\"; }"), 3, "expected \")\""},
        {TWO("{ configuration = \"a\"; when = \"arrays 1\"; }"), 3, "found \"1\" at character 8"},
        {TWO("{ configuration = \"a\"; when = \"language == 'xsts\"; }"), 3, "expected a name and"},
        {TWO("{ configuration = \"a\"; when = \"1 > 2\"; }"), 3, "its guard is never true"},
        {TWO("{ configuration = \"a\"; on = { stalled = \"goto lost\"; }; }"), 3,
         "no label \"lost\", did you mean \"last\"?"},
        {TWO("{ configuration = \"a\"; on = { stalled = \"jump\"; }; }"), 3,
         "expected next, end, give"},
        {TWO("{ configuration = \"a\"; on = { staled = \"next\"; }; }"), 3,
         "unknown key \"staled\" in reactions, did you mean \"stalled\"?"},
        {TWO("{ configuration = \"a\"; on = { unknown = \"retry domain=NONE\"; }; }"), 3,
         "retry: "},
        {TWO("{ configuration = \"b\"; on = { unknown = \"retry domain=EXPL\"; }; }"), 3,
         "changes nothing"},
        {TWO("{ configuration = \"a\"; on = { stalled = \"end keeping precision\"; }; }"), 3,
         "found \"end keeping precision\", expected"},
        {"configurations = ( { name = \"k\"; engine = \"kind\"; } ); variants = ( { cores = 1; "
         "lanes "
         "= (\n{ steps = ( { configuration = \"k\"; on = { stalled = \"mitigate\"; }; } ); } ); } "
         ");",
         2, "k has no counterexamples to go past"},
        {"configurations = ( { name = \"m\"; monitor = \"MITIGATE\"; } ); variants = ( { cores = "
         "1; "
         "lanes = (\n{ steps = ( { configuration = \"m\"; on = { stalled = \"mitigate\"; }; } ); } "
         "); "
         "} );",
         2, "m mitigates already"},
        {TWO("{ configuration = \"a\"; on = { timeout = \"goto last\"; }; }"), 3,
         "nothing can come after its timeout"},
        {TWO("{ configuration = \"a\"; budget = \"1s\"; on = { steps = \"end\"; }; }"), 3,
         "budget is not in steps"},
        {TWO("{ configuration = \"a\"; label = \"last\"; }"), 4,
         "already a step labelled \"last\""},
        {TWO("{ configuration = \"a\"; memory = \"120%\"; }"), 3, "at most 100%"},
        {TWO("{ configuration = \"a\"; budget = \"5s\"; extend = \"150%\"; }"), 3, "at most 100%"},
        {TWO("{ configuration = \"a\"; budget = \"5s\"; extend = \"5s\"; }"), 3,
         "expected a share"},
        {TWO("{ configuration = \"a\"; budget = \"9 steps\"; extend = \"5%\"; }"), 3,
         "extend: the step has no time of its own"},
        {TWO("{ configuration = \"a\"; extend = \"5%\"; }"), 3,
         "extend: the step has no time of its own"},
        {TWO("{ configuration = \"a\"; memory = \"lots\"; }"), 3, "expected a size"},
        {TWO("{ configuration = \"a\"; isolation = \"jail\"; }"), 3, "expected \"thread\""},
        {TWO("{ configuration = \"a\"; cpu = \"soon\"; }"), 3, "cpu: found \"soon\""},
        {TWO("{ configuration = \"a\"; cores = 0; }"), 3, "from 1 to 4096"},
        {TWO("{ configuration = \"a\"; cores = \"two\"; }"), 3, "from 1 to 4096"},
        {TWO("{ configuration = \"a\"; on = { cputime = \"end\"; }; }"), 3,
         "has no limit of CPU time"},
        {TWO("{ configuration = \"a\"; budget = \"5s\"; on = { stalled = \"end\"; timeout = "
             "\"end\"; steps = \"next\"; memory = \"end\"; solver_error = \"end\"; unsupported = "
             "\"end\"; unknown = \"end\"; crashed = \"end\"; internal = \"end\"; }; }"),
         0, NULL},
        {HEAD "variants = ( { cores = 2; lanes = (\n{ steps = ( { configuration = \"a\"; memory = "
              "\"60%\"; } ); }, { steps = ( { configuration = \"a\"; memory = \"60%\"; } ); } ); "
              "} );",
         3, "may take 120% together"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct folder f;
        folder_make(&f);
        struct plan *plan = load(&f, cases[i].text);
        if (cases[i].message == NULL) {
            assert_non_null(plan); // "steps" leads on
            plan_destroy(plan);
        } else {
            assert_null(plan);
            expect_message(&f.messages, 0, "/p.cfg", cases[i].line, cases[i].message);
            assert_int_equal(f.messages.count, 1);
        }
        folder_remove(&f);
    }
    struct folder f;
    folder_make(&f);
    assert_null(load(
        &f, TWO("{ configuration = \"a\"; budget = \"5s\"; on = { stalled = \"end\"; timeout = "
                "\"end\"; steps = \"end\"; memory = \"end\"; solver_error = \"end\"; unsupported "
                "= \"end\"; unknown = \"end\"; crashed = \"end\"; internal = \"end\"; }; }")));
    bool found = false;
    for (size_t i = 0; i < f.messages.count; i++)
        found |= strstr(f.messages.items[i].text, "cannot be reached") != NULL &&
                 f.messages.items[i].line == 4;
    assert_true(found);
    folder_remove(&f);
}

static void the_digest_is_of_all_that_decides(void **state)
{
    (void)state;
    static const char *const steps[] = {
        "{ configuration = \"a\"; }", // the one that the others are compared with
        "{ configuration = \"b\"; }",
        "{ configuration = \"a\"; budget = \"20%\"; }",
        "{ configuration = \"a\"; budget = \"20 steps\"; }",
        "{ configuration = \"a\"; budget = \"20%\"; extend = \"50%\"; }",
        "{ configuration = \"a\"; memory = \"64MB\"; }",
        "{ configuration = \"a\"; memory = \"50%\"; }",
        "{ configuration = \"a\"; isolation = \"process\"; }",
        "{ configuration = \"a\"; cpu = \"5s\"; }",
        "{ configuration = \"a\"; cores = 2; }",
        "{ configuration = \"a\"; when = \"arrays == 0\"; }",
        "{ configuration = \"a\"; on = { unknown = \"end\"; }; }",
        "{ configuration = \"a\"; }, { configuration = \"a\"; }",
    };
    enum { COUNT = sizeof steps / sizeof *steps };
    char digests[COUNT][33];
    for (size_t i = 0; i < COUNT; i++) {
        struct folder f;
        folder_make(&f);
        struct text text;
        text_init(&text);
        text_printf(&text, HEAD "variants = ( { cores = 4; lanes = ( { steps = (%s); } ); } );",
                    steps[i]);
        struct plan *plan = load(&f, text_string(&text));
        if (plan == NULL)
            messages_print(&f.messages, stderr);
        assert_non_null(plan);
        plan_variant_digest(plan->variants, digests[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(digests[i], digests[j]);
        plan_destroy(plan);
        text_finish(&text);
        folder_remove(&f);
    }
    // As long as this holds, runs recorded before are found again: neither an option nor an attribute of steps
    // that came since has changed it.
    assert_string_equal(digests[0], "e1aaabdacb1ea40111ba5555c822df23");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_steps_and_budgets_are_read),
        cmocka_unit_test(the_variant_is_the_largest_that_fits),
        cmocka_unit_test(lanes_that_share_cores_have_seats),
        cmocka_unit_test(faults_carry_their_line),
        cmocka_unit_test(shipped_plans_are_good),
        cmocka_unit_test(the_default_plan_uses_its_cores_for_different_things),
        cmocka_unit_test(unknown_plans_come_with_the_nearest),
        cmocka_unit_test(single_plans),
        cmocka_unit_test(guards_compare_words),
        cmocka_unit_test(reactions_guards_and_limits_are_read),
        cmocka_unit_test(precision_is_kept_and_mitigation_is_made),
        cmocka_unit_test(mitigation_has_no_patience),
        cmocka_unit_test(what_cannot_be_is_refused_where_it_is_written),
        cmocka_unit_test(the_digest_is_of_all_that_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
