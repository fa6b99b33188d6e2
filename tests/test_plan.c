#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
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
    if (!plan)
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
    size_t count = configs_list_plans(&paths);
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

// A variant for n cores has n lanes, and no two lanes begin with the same configuration.
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
        assert_int_equal(v->lane_count, v->cores);
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
    expect_message(&messages, 1, NULL, 0, "there are default, expl");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_steps_and_budgets_are_read),
        cmocka_unit_test(the_variant_is_the_largest_that_fits),
        cmocka_unit_test(faults_carry_their_line),
        cmocka_unit_test(shipped_plans_are_good),
        cmocka_unit_test(the_default_plan_uses_its_cores_for_different_things),
        cmocka_unit_test(unknown_plans_come_with_the_nearest),
        cmocka_unit_test(single_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
