#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "config_files.h"
#include "configs/plan.h"
#include "configs/sample.h"

static struct space *load(struct folder *f, const char *text)
{
    struct space *space = space_load(folder_write(f, "a.cfg", text), &f->messages);
    if (space == NULL)
        messages_print(&f->messages, stderr);
    assert_non_null(space);
    return space;
}

static struct configuration_set take(const struct space *space, const char *text)
{
    struct messages messages;
    messages_init(&messages);
    struct sample sample;
    struct configuration_set set = {0};
    assert_true(sample_read(&sample, text, &messages));
    assert_true(space_sample(space, &sample, &set, &messages));
    for (size_t i = 0; i < set.count; i++) {
        assert_true(configuration_check(&set.items[i], &messages));
        for (size_t j = 0; j < i && set.count < 2000; j++)
            assert_false(hash128_equal(set.items[i].fingerprint, set.items[j].fingerprint));
    }
    messages_finish(&messages);
    return set;
}

static const char mixed[] =
    "options = { domain = \"*\"; maxenum = [ 0, 1, 10 ]; predsplit = \"*\";\n"
    "  refinement = [ \"SEQ_ITP\", \"UNSAT_CORE\", \"MULTI_SEQ\" ]; stop = \"*\"; stopcount = [ 2, "
    "5 ];\n"
    "  engine = [ \"cegar\", \"ic3\" ]; cubes = \"*\"; propagate = \"*\"; };\n"
    "constraints = ( \"domain = PRED_SPLIT -> predsplit = ATOMS\", \"maxenum != 1 || propagate = "
    "on\" "
    ");\n";

// Counted and listed as brute force over all values counts, options without effect taken once.
static void the_product_is_what_is_legal(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct space *space = load(&f, mixed);
    uint64_t expected = 4; // ic3: cubes and propagate
    for (int d = 0; d < OPTION_VALUE_COUNT; d++) {
        if (option_value_option(d) != OPTION_DOMAIN)
            continue;
        bool expl = d == DOMAIN_EXPL, product = strncmp(option_value_name(d), "EXPL_", 5) == 0;
        unsigned enumerations = 0; // with the two of propagate
        if (expl || product)
            enumerations = 2 + 1 + 2;
        else
            enumerations = 2;
        unsigned splits = expl ? 1 : d == DOMAIN_PRED_SPLIT ? 1 : 4;
        // Refinement and stop: FIRST, N with two counts, ALL; MULTI_SEQ with ALL only.
        unsigned refinements = 4 + 1 + (expl ? 4 : 0);
        expected += (uint64_t)enumerations * splits * refinements;
    }
    uint64_t count;
    assert_true(space_count(space, &count));
    assert_int_equal(count, expected);
    struct configuration_set set = take(space, "all");
    assert_int_equal(set.count, expected);
    configuration_set_finish(&set);
    space_destroy(space);
    folder_remove(&f);
}

static bool has_levels(const struct configuration *c, const int *options, const int64_t *values,
                       unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (c->values[options[i]] != values[i])
            return false;
        if (legality_effect((enum option)options[i], c->values, NULL) != TRUTH_TRUE)
            return false;
    }
    return true;
}

static bool some_has(const struct configuration_set *set, const int *options, const int64_t *values,
                     unsigned count)
{
    for (size_t i = 0; i < set->count; i++)
        if (has_levels(&set->items[i], options, values, count))
            return true;
    return false;
}

// What any configuration of the product has, some row of the array has: all pairs, all triples.
static void covers(const char *text, const char *name, unsigned strength, size_t rows_most)
{
    struct folder f;
    folder_make(&f);
    struct space *space = load(&f, text);
    struct configuration_set all = take(space, "all"), rows = take(space, name);
    size_t n = space->factor_count, tuples = 0;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            for (size_t c = strength > 2 ? b + 1 : 0; c < (strength > 2 ? n : 1); c++) {
                const struct space_factor *factor[] = {&space->factors[a], &space->factors[b],
                                                       &space->factors[c]};
                int options[] = {factor[0]->option, factor[1]->option, factor[2]->option};
                size_t third = strength > 2 ? factor[2]->level_count : 1;
                for (size_t i = 0; i < factor[0]->level_count; i++)
                    for (size_t j = 0; j < factor[1]->level_count; j++)
                        for (size_t k = 0; k < third; k++) {
                            int64_t values[] = {factor[0]->levels[i], factor[1]->levels[j],
                                                factor[2]->levels[k]};
                            bool there = some_has(&all, options, values, strength);
                            assert_int_equal(some_has(&rows, options, values, strength), there);
                            tuples += there;
                        }
            }
    assert_true(tuples > 0);
    print_message("# %s: %zu tuples in %zu rows of %zu\n", name, tuples, rows.count, all.count);
    assert_in_range(rows.count, 1, rows_most);
    configuration_set_finish(&all);
    configuration_set_finish(&rows);
    space_destroy(space);
    folder_remove(&f);
}

static void arrays_cover_what_is_possible(void **state)
{
    (void)state;
    // The bound: a third more than the largest number of pairs of two factors, 8 x 3 of refinement …
    covers(mixed, "pairwise", 2, 40);
    covers(mixed, "3-wise@5", 3, 150);
    // Nothing is constrained: near the best known arrays (9 rows for 3^4, 10 for 2^15).
    covers("options = { maxenum = [ 1, 2, 3 ]; bound = [ 0 ]; patience = [ 1, 2, 3 ]; split = [ 0, "
           "1, 2 ];"
           " stop_growth = [ 1, 2, 3 ]; }; fixed = { domain = \"EXPL\"; };",
           "pairwise", 2, 12);
}

static char *lines_of(const struct configuration_set *set)
{
    struct text text;
    text_init(&text);
    for (size_t i = 0; i < set->count; i++)
        text_printf(&text, "%s\n", set->items[i].name);
    return text_steal(&text);
}

static void samples_repeat_with_their_seed(void **state)
{
    (void)state;
    static const char *const kinds[] = {"pairwise@%d", "random=50@%d", "latin=30@%d"};
    struct folder f;
    folder_make(&f);
    struct space *space = load(&f, mixed);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char *lines[3];
        for (int i = 0; i < 3; i++) {
            char name[32];
            snprintf(name, sizeof name,
                     k == 0   ? "pairwise@%d"
                     : k == 1 ? "random=50@%d"
                              : "latin=30@%d",
                     i / 2 + 1);
            struct configuration_set set = take(space, name);
            if (k == 1)
                assert_int_equal(set.count, 50);
            lines[i] = lines_of(&set);
            configuration_set_finish(&set);
        }
        assert_string_equal(lines[0], lines[1]);
        assert_string_not_equal(lines[0], lines[2]);
        for (int i = 0; i < 3; i++)
            memory_free(lines[i]);
    }
    space_destroy(space);
    folder_remove(&f);
}

// A line can be read back as --config reads it.
static void lines_are_configurations(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct space *space = load(&f, mixed);
    struct configuration_set set = take(space, "random=40");
    for (size_t i = 0; i < set.count; i++) {
        struct configuration c;
        configuration_init(&c, "c");
        assert_true(configuration_parse(&c, set.items[i].name, &f.messages));
        assert_true(hash128_equal(c.fingerprint, set.items[i].fingerprint));
        configuration_finish(&c);
    }
    configuration_set_finish(&set);
    space_destroy(space);
    folder_remove(&f);
}

static void latin_rows_spread_numbers_evenly(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct space *space = load(
        &f, "fixed = { domain = \"EXPL\"; };\n"
            "options = { maxenum = { from = 1; to = 1000; }; patience = { from = 1; to = 1024; "
            "factor = 2; }; search = [ \"BFS\", \"DFS\" ]; };\n");
    struct configuration_set set = take(space, "latin=20");
    assert_int_equal(set.count, 20);
    unsigned slice[20] = {0}, dfs = 0;
    for (size_t i = 0; i < set.count; i++) {
        slice[(set.items[i].values[OPTION_MAXENUM] - 1) / 50]++;
        dfs += set.items[i].values[OPTION_SEARCH] == SEARCH_DFS;
        int64_t p = set.items[i].values[OPTION_PATIENCE];
        assert_true(p >= 1 && p <= 1024 && (p & (p - 1)) == 0);
    }
    for (int i = 0; i < 20; i++)
        assert_int_equal(slice[i], 1);
    assert_int_equal(dfs, 10);
    configuration_set_finish(&set);
    space_destroy(space);
    folder_remove(&f);
}

static void one_factor_at_a_time(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct space *space = load(
        &f, "options = { search = [ \"BFS\", \"DFS\" ]; maxenum = [ 1, 10 ]; predsplit = \"*\";\n"
            "  stop = [ \"FIRST\", \"ALL\" ]; refinement = [ \"MULTI_SEQ\", \"SEQ_ITP\" ]; };\n"
            "base = { search = \"DFS\"; predsplit = \"ATOMS\"; };\n");
    struct configuration_set set = take(space, "one-factor");
    char *lines = lines_of(&set);
    // What must change with it is changed with it (MULTI_SEQ needs stop ALL); maxenum has no effect.
    assert_string_equal(lines,
                        "engine=cegar search=DFS predsplit=ATOMS\n"
                        "engine=cegar predsplit=ATOMS\n"
                        "engine=cegar search=DFS\n"
                        "engine=cegar search=DFS predsplit=CONJUNCTS\n"
                        "engine=cegar search=DFS predsplit=REGIONS\n"
                        "engine=cegar search=DFS stop=ALL predsplit=ATOMS\n"
                        "engine=cegar search=DFS stop=ALL refinement=MULTI_SEQ predsplit=ATOMS\n");
    memory_free(lines);
    configuration_set_finish(&set);
    space_destroy(space);
    folder_remove(&f);
}

static void listed_configurations_come_last(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct space *space = load(
        &f,
        "configurations = ( { name = \"mine\"; domain = \"EXPL\"; maxenum = 3; description = "
        "\"d\"; "
        "} );\n"
        "listed = ( \"mine\", \"mine,search=DFS\", \"engine=ic3\", \"domain=EXPL,maxenum=3\" );\n");
    struct configuration_set set = take(space, "pairwise");
    assert_int_equal(set.count, 3); // the last is the first
    assert_string_equal(set.items[0].name, "mine");
    assert_string_equal(set.items[0].description, "d");
    assert_string_equal(configuration_engine(&set.items[2]), "ic3");
    configuration_set_finish(&set);
    space_destroy(space);
    folder_remove(&f);
}

static void faults_carry_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line, column;
        const char *message;
    } cases[] = {
        {"\noptions = { domian = \"*\"; };", 2, 0,
         "unknown option \"domian\", did you mean \"domain\"?"},
        {"\noptions = { domain = [ \"EXPL\",\n \"EXPL\" ]; };", 3, 0,
         "domain: EXPL is given twice"},
        {"\noptions = { domain = \"EXPLICIT\"; };", 2, 0, "domain: found \"EXPLICIT\""},
        {"\noptions = { domain = \"X*\"; };", 2, 0, "domain: found \"X*\""},
        {"\noptions = { maxenum = \"*\"; };", 2, 0,
         "maxenum: found a string, expected a whole number"},
        {"\noptions = { maxenum = ( -1, \"1*\" ); };", 2, 0, "maxenum: -1 is given twice"},
        {"\noptions = { maxenum = [ ]; };", 2, 0, "maxenum: found no value"},
        {"\noptions = { maxenum = { from = 3; to = 1; }; };", 2, 0, "expected from <= to"},
        {"\noptions = { maxenum = { from = 0; to = 9; factor = 2; }; };", 2, 0,
         "expected from of 1"},
        {"\noptions = { maxenum = { from = 0; to = 9;\n step = 0; }; };", 2, 0, "expected a step"},
        {"\noptions = { maxenum = { from = 0; to = 9; stp = 1; }; };", 2, 0,
         "unknown key \"stp\" in a range, did you mean \"step\"?"},
        {"\noptions = { maxenum = { from = 0; to = 9000000; }; };", 2, 0, "out of range"},
        {"\noptions = { maxenum = { }; };", 2, 0, "too many values"},
        {"\noptions = { domain = { from = 0; }; };", 2, 0, "it is no number"},
        {"\noptions = { engine = [ 3 ]; };", 2, 0, "engine: found a whole number"},
        {"\noptions = { engine = \"cegr\"; };", 2, 0, "did you mean \"cegar\"?"},
        {"\noptions = 3;", 2, 0, "options: found a whole number, expected a group"},
        {"options = { cone = \"*\"; };\nconstraints = ( \"cone = on ->\" );", 2, 30,
         "found \"the end\", expected an option"},
        {"options = { cone = \"*\"; };\n\nconstraints = ( \"cone = on\",\n  \"maxenm = 3\" );", 4,
         4, "unknown option \"maxenm\", did you mean \"maxenum\"?"},
        {"options = { cone = \"*\"; };\nconstraints = ( \"cone = on && cone = off\" );", 0, 0,
         "no combination is legal"},
        {"fixed = { domain = \"PRED_CART\"; }; options = { initprec = [ \"ALLVARS\" ]; };", 0, 0,
         "initprec = ALLVARS needs engine = cegar && domain = EXPL* (rule \"allvars\"); nearest "
         "legal: domain=EXPL instead of PRED_CART"},
        {"options = { domain = \"PRED_*\"; };\nconstraints = ( \"domain = EXPL\", \"cone = on\" );",
         0, 0, "; only the constraint \"domain = EXPL\" keeps out \"engine=cegar\""},
        {"\nlisted = ( \"nothing\" );", 2, 0, "unknown configuration \"nothing\""},
        {"\nlisted = ( \"maxenum=3\" );", 2, 0, "(rule \"maxenum\")"},
        {"\nlisted = ( 3 );", 2, 0, "listed: found a whole number"},
        {"\nfixed = { maxenm = 3; }; options = { cone = \"*\"; };", 2, 0,
         "unknown option \"maxenm\""},
        {"\nfixed = { extends = \"x\"; }; options = { cone = \"*\"; };", 2, 0,
         "unknown configuration \"x\""},
        {"\noption = { };", 2, 0, "unknown key \"option\" in a space, did you mean \"options\"?"},
        {"", 0, 0, "found neither options nor listed"},
        {"options = {", 1, 0, "syntax error"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct folder f;
        folder_make(&f);
        const char *path = folder_write(&f, "a.cfg", cases[i].text);
        assert_null(space_load(path, &f.messages));
        expect_message(&f.messages, 0, "/a.cfg", cases[i].line, cases[i].message);
        assert_int_equal(f.messages.items[0].column, cases[i].column);
        folder_remove(&f);
    }
}

static void wrong_samples_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "al",
                                        "pairwise@",
                                        "pairwise@x",
                                        "0-wise",
                                        "7-wise",
                                        "random",
                                        "random=",
                                        "random=0",
                                        "random=-3",
                                        "latin=1e3",
                                        "2-wise@1@2",
                                        "random=99999999999999999999"};
    struct messages messages;
    messages_init(&messages);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct sample sample;
        assert_false(sample_read(&sample, wrong[i], &messages));
        assert_int_equal(messages.count, i + 1);
    }
    messages_finish(&messages);
    struct folder f;
    folder_make(&f);
    struct space *space = load(&f, "options = { cone = [ true ]; };\n");
    struct configuration_set set = {0};
    struct sample sample;
    assert_true(sample_read(&sample, "one-factor", &f.messages));
    space->base[OPTION_CONE] = 0;
    assert_false(space_sample(space, &sample, &set, &f.messages));
    expect_message(&f.messages, 0, "/a.cfg", 0, "base: cone=off is none of the values in options");
    // Fewer than wished.
    assert_true(sample_read(&sample, "random=5", &f.messages));
    assert_true(space_sample(space, &sample, &set, &f.messages));
    assert_int_equal(set.count, 1);
    expect_message(&f.messages, 1, "/a.cfg", 0, "1 configurations were found of the 5 wished");
    configuration_set_finish(&set);
    space_destroy(space);
    folder_remove(&f);
}

static void shipped_spaces_load(void **state)
{
    (void)state;
    char **paths;
    size_t count = configs_list("space", &paths);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        struct messages messages;
        messages_init(&messages);
        struct space *space = space_load(paths[i], &messages);
        messages_print(&messages, stderr);
        assert_int_equal(messages.count, 0);
        assert_non_null(space);
        assert_string_not_equal(space->description, "");
        struct configuration_set set = take(space, "pairwise");
        assert_true(set.count > 0);
        print_message("# %s: %zu pairwise\n", space->name, set.count);
        configuration_set_finish(&set);
        space_destroy(space);
        messages_finish(&messages);
        memory_free(paths[i]);
    }
    memory_free(paths);
}

static const struct space_factor *factor_of(const struct space *space, int option)
{
    for (size_t i = 0; i < space->factor_count; i++)
        if (space->factors[i].option == option && space_varies(&space->factors[i]))
            return &space->factors[i];
    return NULL;
}

static bool has_level(const struct space_factor *factor, int64_t value)
{
    for (size_t i = 0; i < factor->level_count; i++)
        if (factor->levels[i] == value)
            return true;
    return false;
}

// What a model is made of for engines that know models only; of some inputs.
static bool is_form(int option)
{
    return option == OPTION_NET_PLACES || option == OPTION_NET_LOOP || option == OPTION_WORDS;
}

// A space varies all that has an effect on the engine, named values each; else the array made of it is not one
// over all options.
static void expect_all_options(const struct space *space, enum option_value engine)
{
    int64_t values[OPTION_COUNT] = {[OPTION_ENGINE] = engine};
    bool known[OPTION_COUNT] = {[OPTION_ENGINE] = true};
    // What has no effect has its default, and others may have an effect with another value of it only.
    for (bool changed = true; changed;) {
        changed = false;
        for (int o = 0; o < OPTION_COUNT; o++)
            if (!known[o] && legality_effect((enum option)o, values, known) == TRUTH_FALSE) {
                values[o] = option_describe((enum option)o)->standard;
                known[o] = changed = true;
            }
    }
    for (int o = 0; o < OPTION_COUNT; o++) {
        if (known[o] || is_form(o))
            continue;
        const struct space_factor *factor = factor_of(space, o);
        if (factor == NULL)
            fail_msg("space %s does not vary %s", space->name, space_slot_name(o));
        for (int v = 0; v < OPTION_VALUE_COUNT; v++) {
            bool by_goal = v == NET_ORDER_BEST || v == NET_ORDER_EQUATION;
            bool legal = v == ENCODING_STATEMENT ? engine == ENGINE_CEGAR
                                                 : !by_goal || engine != ENGINE_NETCTL;
            if (option_value_option((enum option_value)v) == (enum option)o && legal)
                assert_true(has_level(factor, v));
        }
    }
}

// An engine that looks at a view of a language has a space of its own name, the others share one.
static void arrays_are_over_all_options(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    struct space *shared = space_load("engines", &messages);
    assert_int_equal(messages.count, 0);
    const struct space_factor *engines = factor_of(shared, OPTION_ENGINE);
    assert_non_null(engines);
    for (enum option_value e = 0; e < OPTION_VALUE_COUNT; e++) {
        if (option_value_option(e) != OPTION_ENGINE)
            continue;
        if (has_level(engines, e)) {
            expect_all_options(shared, e);
            continue;
        }
        struct space *own = space_load(option_value_name(e), &messages);
        if (own == NULL)
            fail_msg("no space has the options of %s", option_value_name(e));
        expect_all_options(own, e);
        space_destroy(own);
    }
    space_destroy(shared);
    messages_finish(&messages);
}

static void expect_forms(const char *name, const enum option *options, size_t count)
{
    struct messages messages;
    messages_init(&messages);
    struct space *space = space_load(name, &messages);
    assert_non_null(space);
    for (int v = 0; v < OPTION_VALUE_COUNT; v++)
        for (size_t i = 0; i < count; i++)
            if (option_value_option((enum option_value)v) == options[i])
                assert_true(has_level(factor_of(space, options[i]), v));
    space_destroy(space);
    messages_finish(&messages);
}

// With other inputs they are not applicable, so they have spaces of their own.
static void forms_of_models_have_spaces(void **state)
{
    (void)state;
    expect_forms("net-models", (const enum option[]){OPTION_NET_PLACES, OPTION_NET_LOOP}, 2);
    expect_forms("word-models", (const enum option[]){OPTION_WORDS}, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_of_models_have_spaces),
        cmocka_unit_test(the_product_is_what_is_legal),
        cmocka_unit_test(arrays_cover_what_is_possible),
        cmocka_unit_test(samples_repeat_with_their_seed),
        cmocka_unit_test(lines_are_configurations),
        cmocka_unit_test(latin_rows_spread_numbers_evenly),
        cmocka_unit_test(one_factor_at_a_time),
        cmocka_unit_test(listed_configurations_come_last),
        cmocka_unit_test(faults_carry_their_line),
        cmocka_unit_test(wrong_samples_are_refused),
        cmocka_unit_test(shipped_spaces_load),
        cmocka_unit_test(arrays_are_over_all_options),
    };
    return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
