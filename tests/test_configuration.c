#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "config_files.h"
#include "configs/configuration.h"
#include "configs/legality.h"

static void text_round_trip(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    struct configuration a, b;
    configuration_init(&a, "a");
    assert_true(configuration_parse(&a, "domain=expl, maxenum=-1 refinement=UNSAT_CORE,cone=off",
                                    &messages));
    assert_int_equal(a.values[OPTION_DOMAIN], DOMAIN_EXPL);
    assert_int_equal(a.values[OPTION_MAXENUM], -1);
    assert_int_equal(a.values[OPTION_CONE], 0);
    for (int all = 0; all < 2; all++) {
        struct text text = {0};
        configuration_print(&text, &a, all);
        configuration_init(&b, "b");
        assert_true(configuration_parse(&b, text_string(&text), &messages));
        assert_memory_equal(a.values, b.values, sizeof a.values);
        assert_true(hash128_equal(a.fingerprint, b.fingerprint));
        configuration_finish(&b);
        text_finish(&text);
    }
    configuration_finish(&a);
    messages_finish(&messages);
}

// As long as this holds, runs recorded before are found again: no option, and no value of one, that came since has
// changed what earlier configurations are known by.
static void old_fingerprints_stay(void **state)
{
    (void)state;
    static const char *const known[][2] = {
        {"", "038263e345079b76a27ecae402e1e8b5"},
        {"domain=EXPL,maxenum=5", "8643fcd2e98b132ac888c52fde7f1e3a"},
        {"engine=ic3,refsolver=cvc5", "9a0b22578361b202dcff25f470cdacde"},
        {"engine=kind,aux=RANKING", "310e80e53591c4d1a1461ea964986c59"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct messages messages;
        messages_init(&messages);
        struct configuration c;
        configuration_init(&c, "c");
        assert_true(configuration_parse(&c, known[i][0], &messages));
        char digest[33];
        hash128_print(c.fingerprint, digest);
        assert_string_equal(digest, known[i][1]);
        configuration_finish(&c);
        messages_finish(&messages);
    }
}

static void texts_with_blanks_are_quoted(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    struct configuration a, b;
    struct text text = {0};
    configuration_init(&a, "a");
    configuration_init(&b, "b");
    assert_true(configuration_parse(
        &a, "solver=\"smtlib:a -b,c\" maxenum=10,refsolver=CVC5,abssolver=smtlib:d", &messages));
    assert_string_equal(text_value(a.values[OPTION_SOLVER]), "smtlib:a -b,c");
    assert_string_equal(text_value(a.values[OPTION_REFINEMENT_SOLVER]), "cvc5");
    assert_string_equal(text_value(a.values[OPTION_ABSTRACTION_SOLVER]), "smtlib:d");
    configuration_print(&text, &a, false);
    assert_string_equal(text_string(&text), "engine=cegar solver=\"smtlib:a -b,c\" "
                                            "abssolver=smtlib:d refsolver=cvc5");
    assert_true(configuration_parse(&b, text_string(&text), &messages));
    assert_memory_equal(a.values, b.values, sizeof a.values);
    assert_string_equal(configuration_solver(&a, OPTION_REFINEMENT_SOLVER), "cvc5");
    assert_string_equal(configuration_solver(&a, OPTION_ABSTRACTION_SOLVER), "smtlib:d");
    text_clear(&text);
    configuration_print(&text, &a, true);
    assert_true(configuration_parse(&b, text_string(&text), &messages));
    assert_true(hash128_equal(a.fingerprint, b.fingerprint));
    // An empty text is one that may be written: back to the default.
    assert_true(configuration_parse(&b, "refsolver=,abssolver=\"\"", &messages));
    assert_int_equal(b.values[OPTION_REFINEMENT_SOLVER], TEXT_VALUE_NONE);
    assert_int_equal(b.values[OPTION_ABSTRACTION_SOLVER], TEXT_VALUE_NONE);
    assert_string_equal(configuration_solver(&b, OPTION_REFINEMENT_SOLVER), "smtlib:a -b,c");
    text_finish(&text);
    configuration_finish(&a);
    configuration_finish(&b);
    messages_finish(&messages);
}

static void print_gives_what_differs_from_the_default(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    struct configuration c;
    struct text text = {0};
    configuration_init(&c, "c");
    configuration_print(&text, &c, false);
    assert_string_equal(text_string(&text), "engine=cegar");
    assert_true(configuration_parse(&c, "maxenum=1*", &messages)); // as the literature writes it
    assert_int_equal(c.values[OPTION_MAXENUM], -1);
    assert_true(configuration_parse(&c, "maxenum=3,domain=EXPL,search=BFS", &messages));
    text_clear(&text);
    configuration_print(&text, &c, false);
    assert_string_equal(text_string(&text), "engine=cegar domain=EXPL maxenum=3");
    text_finish(&text);
    configuration_finish(&c);
    messages_finish(&messages);
}

static void a_wrong_text_changes_nothing_and_says_why(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"domian=EXPL", "unknown option \"domian\", did you mean \"domain\"?"},
        {"domain=EXPLL", "did you mean \"EXPL\"?"},
        {"domain=", "expected one of EXPL, PRED_CART"},
        {"domain", "expected option=value"},
        {"maxenum=ten", "maxenum: found \"ten\", expected a whole number from -1 to 1000000"},
        {"maxenum=5x", "expected a whole number"},
        {"maxenum=1000001", "out of range"},
        {"maxenum=-2", "out of range"},
        {"maxenum=99999999999999999999", "expected a whole number"},
        {"maxenum=1**", "expected a whole number from -1 to 1000000, or 1* for -1"},
        {"bound=1*", "bound: found \"1*\", expected a whole number from 0 to 1000000"},
        {"stop=new", "expected one of FIRST, N, ALL; monitor=MITIGATE searches on"},
        {"cone=maybe", "cone: found \"maybe\", expected on or off"},
        {"domain=EXPL,domain=EXPL", "domain is given twice"},
        {"engine=cegr", "engine: found \"cegr\", expected one of cegar, bmc, kind, imc"},
        {"search=LBE", "expected one of BFS, DFS, ERR"},
        {"solver=z4", "solver: found \"z4\", expected z3, cvc5"},
        {"solver=", "solver: found \"\", expected z3"},
        {"solver=smtlib:", "expected z3, cvc5"},
        {"solver=\"smtlib:  \"", "expected z3, cvc5"},
        {"solver=\"smtlib:a b", "expected a quotation mark at its end"},
        {"refsolver=smtlib:a\x01", "expected z3, cvc5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct messages messages;
        messages_init(&messages);
        struct configuration c, untouched;
        configuration_init(&c, "c");
        configuration_init(&untouched, "c");
        char text[128];
        snprintf(text, sizeof text, "split=7,%s", cases[i].text);
        assert_false(configuration_parse(&c, text, &messages));
        expect_message(&messages, 0, NULL, 0, cases[i].message);
        assert_memory_equal(c.values, untouched.values, sizeof c.values);
        configuration_finish(&c);
        configuration_finish(&untouched);
        messages_finish(&messages);
    }
}

static void rules_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *rule; // NULL: legal
    } cases[] = {
        {"domain=EXPL,refinement=UNSAT_CORE", NULL},
        {"domain=PRED_CART,refinement=UNSAT_CORE", "unsat-core"},
        {"domain=EXPL,initprec=ALLVARS", NULL},
        {"initprec=ALLVARS", "allvars"},
        {"initprec=ALLASSUMES", NULL},
        {"domain=EXPL,initprec=ALLASSUMES", "allassumes"},
        {"domain=PRED_SPLIT,initprec=ALLVARS", "allvars"},
        {"domain=EXPL_PRED_CART,initprec=ALLVARS,maxenum=0,predsplit=ATOMS", NULL},
        {"domain=EXPL_PRED_BOOL,initprec=ALLASSUMES,autoexpl=STATIC", NULL},
        {"domain=EXPL_PRED_SPLIT,refinement=UNSAT_CORE", "unsat-core"},
        {"domain=EXPL_PRED_COMBINED,autoexpl=VALUES,autoexplvalues=3", NULL},
        {"domain=EXPL_PRED_COMBINED,autoexplvalues=3", "autoexplvalues"},
        {"domain=PRED_BOOL,autoexpl=NEWATOMS", "autoexpl"},
        {"domain=EXPL,maxenum=0", NULL},
        {"domain=PRED_CART,maxenum=0", "maxenum"},
        {"domain=PRED_CART,maxenum=10", NULL},
        {"predsplit=ATOMS", NULL},
        {"domain=EXPL,predsplit=ATOMS", "predsplit"},
        {"domain=EXPL,predsplit=WHOLE", NULL},
        {"refinement=FW_BIN_ITP,prunestrategy=FULL", NULL},
        {"refinement=MULTI_SEQ,stop=ALL", NULL},
        {"refinement=MULTI_SEQ", "multi"},
        {"search=WEIGHTED,wE=2,wD=-1", NULL},
        {"search=BFS,wE=2", "weights"},
        {"stop=N,stopcount=3", NULL},
        {"stop=ALL,stopcount=3", "stopcount"},
        {"domain=EXPL,refinement=NWT_IT_SP_LV", NULL},
        {"refinement=UCB", NULL},
        {"abssolver=cvc5,refsolver=z3", NULL},
        {"engine=imc,abstraction=VARIABLES,initprec=ALLASSUMES", NULL},
        {"engine=imc,abstraction=PREDICATES,initprec=ALLASSUMES", NULL},
        {"engine=imc,abstraction=VARIABLES,initprec=ALLVARS", "allvars"},
        {"monitor=CHECK_ARG,patience=7", NULL},
        {"monitor=DISABLE,patience=7", "patience"},
        {"monitor=MITIGATE,patience=7", "patience"},
        {"monitor=MITIGATE_ARG,mitigate_safe=on", NULL},
        {"engine=imc,abstraction=VARIABLES,mitigate_safe=on", "cegar"},
        {"engine=bmc,solver=cvc5", NULL},
        {"engine=bmc,abssolver=cvc5", "cegar"},
        {"engine=kind,refsolver=cvc5", "cegar"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct messages messages;
        messages_init(&messages);
        struct configuration c;
        configuration_init(&c, "c");
        assert_true(configuration_parse(&c, cases[i].text, &messages));
        assert_int_equal(configuration_check(&c, &messages), cases[i].rule == NULL);
        assert_int_equal(messages.count, cases[i].rule != NULL);
        if (cases[i].rule != NULL) {
            char quoted[64];
            snprintf(quoted, sizeof quoted, "(rule \"%s\")", cases[i].rule);
            expect_message(&messages, 0, NULL, 0, quoted);
        }
        configuration_finish(&c);
        messages_finish(&messages);
    }
}

static void the_nearest_legal_combination_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *text, *nearest;
    } cases[] = {
        // What was perhaps not thought of changes before what was said.
        {"maxenum=5", "domain=EXPL instead of PRED_CART"},
        {"domain=PRED_BOOL,refinement=UNSAT_CORE", "domain=EXPL instead of PRED_BOOL"},
        {"refinement=MULTI_SEQ", "stop=ALL instead of FIRST"},
        {"engine=bmc,domain=EXPL,maxenum=5,search=DFS", "engine=cegar instead of bmc"},
        {"engine=bmc,cubes=PREDICATES", "engine=ic3 instead of bmc"},
        {"autoexplvalues=3", "autoexplvalues=10 instead of 3"},
        {"domain=EXPL_PRED_CART,autoexplvalues=3", "autoexpl=VALUES instead of NEWOPERANDS"},
        {"domain=PRED_BOOL,autoexpl=VALUES,autoexplvalues=3",
         "domain=EXPL_PRED_CART instead of PRED_BOOL"},
        {"wE=3,wD=4", "search=WEIGHTED instead of BFS"},
        {"domain=EXPL,initprec=ALLASSUMES", "domain=PRED_CART instead of EXPL"},
        {"engine=imc,abstraction=VARIABLES,initprec=ALLVARS", "initprec=EMPTY instead of ALLVARS"},
        {"monitor=DISABLE,patience=7", "monitor=CHECK instead of DISABLE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct messages messages;
        messages_init(&messages);
        struct configuration c;
        configuration_init(&c, "c");
        assert_true(configuration_parse(&c, cases[i].text, &messages));
        assert_false(configuration_check(&c, &messages));
        char expected[200];
        snprintf(expected, sizeof expected, "; nearest legal: %s", cases[i].nearest);
        const char *found = strstr(messages.items[0].text, "; nearest");
        assert_non_null(found);
        assert_string_equal(found, expected);
        configuration_finish(&c);
        messages_finish(&messages);
    }
}

// By trying every combination of the options that the rules speak of with few values each.
static void nothing_nearer_is_legal(void **state)
{
    (void)state;
    static const enum option options[] = {OPTION_DOMAIN,     OPTION_INITPREC,    OPTION_STOP,
                                          OPTION_REFINEMENT, OPTION_MAXENUM,     OPTION_AUTOEXPL,
                                          OPTION_SEARCH,     OPTION_WEIGHT_DEPTH};
    enum { COUNT = sizeof options / sizeof *options };
    struct random random;
    random_init(&random, 7);
    for (int round = 0; round < 60; round++) {
        struct configuration c;
        configuration_init(&c, "c");
        int64_t values[OPTION_COUNT], mended[OPTION_COUNT], one[OPTION_COUNT];
        memcpy(values, c.values, sizeof values);
        for (size_t i = 0; i < COUNT; i++) {
            enum option o = options[i];
            if (option_describe(o)->type == OPTION_TYPE_NUMBER) {
                values[o] += (int64_t)random_below(&random, 2);
                continue;
            }
            do
                values[o] = (int64_t)random_below(&random, OPTION_VALUE_COUNT);
            while (option_value_option((enum option_value)values[o]) != o);
        }
        memcpy(mended, values, sizeof mended);
        assert_true(legality_mend(mended, 0));
        unsigned changes = 0;
        for (int o = 0; o < OPTION_COUNT; o++)
            changes += mended[o] != values[o];
        memcpy(c.values, mended, sizeof c.values);
        struct messages messages;
        messages_init(&messages);
        assert_true(configuration_check(&c, &messages));
        // One change less, anywhere: illegal. (More than two are rare and not searched.)
        bool legal = false;
        memcpy(c.values, values, sizeof c.values);
        if (changes > 0)
            legal = configuration_check(&c, &messages);
        for (int o = 0; changes == 2 && o < OPTION_COUNT && !legal; o++)
            for (int64_t v = 0; v < OPTION_VALUE_COUNT && !legal; v++) {
                const struct option_description *d = option_describe((enum option)o);
                if (d->type == OPTION_TYPE_ENUM &&
                    option_value_option((enum option_value)v) != (enum option)o)
                    continue;
                memcpy(one, values, sizeof one);
                one[o] = d->type == OPTION_TYPE_ENUM ? v : d->standard;
                memcpy(c.values, one, sizeof c.values);
                legal = configuration_check(&c, &messages);
            }
        assert_false(legal);
        messages_finish(&messages);
        configuration_finish(&c);
    }
}

static void conditions_are_three_valued(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum truth all, domain_unknown;
    } cases[] = {
        {"domain = EXPL", TRUTH_TRUE, TRUTH_UNKNOWN},
        {"domain != EXPL", TRUTH_FALSE, TRUTH_UNKNOWN},
        {"domain in {PRED_CART, EXPL_PRED_*}", TRUTH_FALSE, TRUTH_UNKNOWN},
        {"domain = *PRED* -> maxenum > 3", TRUTH_TRUE, TRUTH_TRUE},
        {"domain = EXPL && maxenum < 10", TRUTH_FALSE, TRUTH_FALSE},
        {"domain = EXPL && maxenum <= 10", TRUTH_TRUE, TRUTH_UNKNOWN},
        {"domain = EXPL || engine = cegar", TRUTH_TRUE, TRUTH_TRUE},
        {"!(domain = EXPL) || wE >= 2", TRUTH_FALSE, TRUTH_UNKNOWN},
        {"cone = off || wD == 1 && wE = 1", TRUTH_TRUE, TRUTH_TRUE},
        {"maxenum in {-1, 10}", TRUTH_TRUE, TRUTH_TRUE},
    };
    struct messages messages;
    messages_init(&messages);
    struct configuration c;
    configuration_init(&c, "c");
    assert_true(configuration_parse(&c, "domain=EXPL", &messages));
    int64_t values[OPTION_COUNT];
    memcpy(values, c.values, sizeof values);
    bool known[OPTION_COUNT];
    for (int o = 0; o < OPTION_COUNT; o++)
        known[o] = o != OPTION_DOMAIN;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct constraint *condition =
            constraint_read(cases[i].text, (struct position){0}, &messages);
        assert_non_null(condition);
        assert_int_equal(constraint_truth(condition, values, NULL), cases[i].all);
        assert_int_equal(constraint_truth(condition, values, known), cases[i].domain_unknown);
        constraint_destroy(condition);
    }
    configuration_finish(&c);
    messages_finish(&messages);
}

static void faults_of_a_condition_carry_their_column(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned column;
        const char *message;
    } cases[] = {
        {"domian = EXPL", 11, "unknown option \"domian\", did you mean \"domain\"?"},
        {"domain = EXPLICIT", 20, "domain: found \"EXPLICIT\", expected one of"},
        {"domain < EXPL", 18, "found \"<\", expected = != or"},
        {"domain = EXPL &&", 27, "found \"the end\", expected an option"},
        {"domain = EXPL maxenum = 3", 25, "found \"maxenum\", expected &&"},
        {"(domain = EXPL", 25, "found \"the end\", expected \")\""},
        {"domain in {EXPL", 26, "expected \",\" or \"}\""},
        {"maxenum = many", 21, "maxenum: found \"many\""},
        {"engine = cegr", 20, "engine: found \"cegr\", expected one of cegar, bmc, kind, imc"},
        {"", 11, "expected an option"},
        {"= 3", 11, "found \"=\", expected an option"},
    };
    struct position at = {"f.cfg", 3, 11};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct messages messages;
        messages_init(&messages);
        assert_null(constraint_read(cases[i].text, at, &messages));
        assert_int_equal(messages.count, 1);
        assert_int_equal(messages.items[0].column, cases[i].column);
        expect_message(&messages, 0, "f.cfg", 3, cases[i].message);
        messages_finish(&messages);
    }
    char deep[1000] = "";
    for (int i = 0; i < 900; i++)
        deep[i] = '(';
    struct messages messages;
    messages_init(&messages);
    assert_null(constraint_read(deep, at, &messages));
    assert_int_equal(messages.count, 1);
    messages_finish(&messages);
}

static void a_questionable_combination_is_a_warning(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    struct configuration c;
    configuration_init(&c, "c");
    assert_true(configuration_parse(&c, "refinement=FW_BIN_ITP", &messages));
    assert_true(configuration_check(&c, &messages));
    assert_int_equal(messages.count, 1);
    assert_int_equal(messages.items[0].kind, MESSAGE_WARNING);
    assert_true(configuration_parse(&c, "refinement=SEQ_ITP,mitigate_safe=on", &messages));
    assert_true(configuration_check(&c, &messages));
    assert_int_equal(messages.count, 2);
    assert_int_equal(messages.items[1].kind, MESSAGE_WARNING);
    expect_message(
        &messages, 1, NULL, 0,
        "mitigate_safe = on needs monitor = MITIGATE* || engine != cegar to be sensible");
    configuration_finish(&c);
    messages_finish(&messages);
}

static void the_fingerprint_depends_on_values_only(void **state)
{
    (void)state;
    struct messages messages;
    messages_init(&messages);
    struct configuration a, b;
    configuration_init(&a, "a");
    configuration_init(&b, "another name");
    memory_free(b.description);
    b.description = memory_strdup("something");
    configuration_seal(&b);
    assert_true(hash128_equal(a.fingerprint, b.fingerprint));
    for (int i = 0; i < OPTION_COUNT; i++) {
        configuration_finish(&b);
        configuration_copy(&b, &a);
        b.values[i] += option_describe(i)->standard == option_describe(i)->greatest ? -1 : 1;
        if (option_describe(i)->type == OPTION_TYPE_TEXT)
            b.values[i] = text_value_keep("cvc5");
        if (option_describe(i)->type == OPTION_TYPE_ENUM)
            for (int v = 0; v < OPTION_VALUE_COUNT; v++)
                if (option_value_option(v) == (enum option)i && v != option_describe(i)->standard)
                    b.values[i] = v;
        configuration_seal(&b);
        assert_false(hash128_equal(a.fingerprint, b.fingerprint));
    }
    configuration_finish(&a);
    configuration_finish(&b);
    messages_finish(&messages);
}

static void a_file_is_read_with_extends_and_includes(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    folder_write(&f, "base.cfg",
                 "configurations = ( { name = \"values\"; description = \"d\"; domain = \"EXPL\";\n"
                 "  maxenum = 250; cone = false; } );\n");
    folder_write(&f, "other.cfg", "include = \"base.cfg\";\n");
    const char *path = folder_write(
        &f, "top.cfg",
        "include = [ \"base.cfg\", \"other.cfg\" ];\n" // base.cfg twice: read once
        "configurations = (\n"
        "  { name = \"more\"; extends = \"values\"; maxenum = 3; PROPAGATE = \"off\"; },\n"
        "  { name = \"plain\"; engine = \"cegar\"; } );\n");
    struct configuration_set set = {0};
    if (!configuration_set_read(&set, path, &f.messages))
        messages_print(&f.messages, stderr);
    assert_int_equal(f.messages.count, 0);
    assert_int_equal(set.count, 3);
    const struct configuration *more = configuration_set_find(&set, "more");
    assert_non_null(more);
    assert_int_equal(more->values[OPTION_DOMAIN], DOMAIN_EXPL);
    assert_int_equal(more->values[OPTION_MAXENUM], 3);
    assert_int_equal(more->values[OPTION_CONE], 0);
    assert_int_equal(more->values[OPTION_PROPAGATE], 0);
    assert_string_equal(more->description, "");
    assert_int_equal(more->source.line, 3);
    assert_string_equal(more->source.path, path);
    assert_null(configuration_set_find(&set, "mor"));
    configuration_set_finish(&set);
    folder_remove(&f);
}

static void numbers_have_words(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct configuration_set set = {0};
    const char *path = folder_write(
        &f, "f.cfg",
        "configurations = ( { name = \"a\"; domain = \"EXPL\"; maxenum = \"1*\"; } );");
    assert_true(configuration_set_read(&set, path, &f.messages));
    assert_int_equal(set.items[0].values[OPTION_MAXENUM], -1);
    struct text text;
    text_init(&text);
    configuration_print(&text, &set.items[0], false);
    assert_string_equal(text_string(&text), "engine=cegar domain=EXPL maxenum=-1");
    text_finish(&text);
    configuration_set_finish(&set);
    folder_remove(&f);
}

// What a shell leaves of a command without the quotes that the text needs.
static void lost_quotes_are_told(void **state)
{
    (void)state;
    static const char *const texts[] = {"solver=smtlib:z3 -in", "solver='smtlib:z3 -in'",
                                        "domain=EXPL,refsolver=smtlib:z3 -in"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct messages messages;
        messages_init(&messages);
        struct configuration c;
        configuration_init(&c, "c");
        assert_false(configuration_parse(&c, texts[i], &messages));
        expect_message(&messages, messages.count - 1, NULL, 0,
                       "stands in double quotes: solver=\"smtlib:z3 -in\"");
        configuration_finish(&c);
        messages_finish(&messages);
    }
}

static void faults_of_a_file_carry_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *message;
    } cases[] = {
        {"configurations = (\n{ name = \"a\";\n domian = \"EXPL\"; } );", 3,
         "unknown option \"domian\", did you mean \"domain\"?"},
        {"configurations = (\n{ name = \"a\";\n domain = \"EXPLICIT\"; } );", 3,
         "expected one of EXPL"},
        {"configurations = (\n{ name = \"a\";\n domain = 3; } );", 3,
         "domain: found a whole number, expected one of"},
        {"configurations = (\n{ name = \"a\"; domain = \"EXPL\";\n maxenum = \"3\"; } );", 3,
         "maxenum: found a string, expected a whole number"},
        {"configurations = (\n{ name = \"a\"; domain = \"EXPL\";\n maxenum = 1.5; } );", 3,
         "found a number with a fraction"},
        {"configurations = (\n{ name = \"a\"; domain = \"EXPL\";\n maxenum = 2000000; } );", 3,
         "out of range"},
        // libconfig would read this as 1215752191.
        {"configurations = (\n{ name = \"a\"; domain = \"EXPL\";\n maxenum = 99999999999; } );", 3,
         "out of range"},
        {"configurations = (\n{ name = \"a\";\n cone = 1; } );", 3, "expected on or off"},
        {"configurations = (\n{ name = \"a\";\n cone = true;\n CONE = true; } );", 4,
         "CONE is given twice"},
        {"configurations = (\n{ name = \"a\";\n cone = true;\n cone = true; } );", 4,
         "duplicate setting name"},
        {"configurations = (\n{ name = \"a\"; },\n{ name = \"a\"; } );", 3,
         "configuration \"a\" is there already, at"},
        {"configurations = (\n{ domain = \"EXPL\"; } );", 2, "has no name"},
        {"configurations = (\n{ name = \"a=b\"; } );", 2, "expected letters"},
        {"configurations = (\n{ name = 3; } );", 2, "name: found a whole number"},
        {"configurations = (\n3 );", 2, "expected a configuration"},
        {"\nconfigurations = 3;", 2, "expected a list"},
        {"\nconfiguration = ( );", 2,
         "unknown key \"configuration\" in a file of configurations, did you mean "
         "\"configurations\"?"},
        {"configurations = (\n{ name = \"abcd\";\n extends = \"abcd\"; } );", 3, "extends itself"},
        {"configurations = (\n{ name = \"a\";\n extends = \"later\"; }, { name = \"later\"; } );",
         3, "unknown configuration \"later\""},
        {"configurations = (\n{ name = \"a\";\n engine = \"cegr\"; } );", 3,
         "engine: found \"cegr\", expected one of cegar, bmc, kind, imc"},
        {"configurations = (\n{ name = \"a\"; maxenum = 4; } );", 2, "(rule \"maxenum\")"},
        {"configurations = (\n{ name = \"a\"; } ", 2, "syntax error"},
        {"\n@include \"x.cfg\"\n", 2, "@include"},
        {"\ninclude = \"nowhere.cfg\";", 2, "\"nowhere.cfg\" was not found"},
        {"\ninclude = 3;", 2, "expected a file name"},
        {"\ninclude = \"a.cfg\";", 2, "\"a.cfg\" is included in a circle"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct folder f;
        folder_make(&f);
        const char *path = folder_write(&f, "a.cfg", cases[i].text);
        struct configuration_set set = {0};
        assert_false(configuration_set_read(&set, path, &f.messages));
        expect_message(&f.messages, 0, "/a.cfg", cases[i].line, cases[i].message);
        assert_int_equal(f.messages.count, 1);
        configuration_set_finish(&set);
        folder_remove(&f);
    }
}

static void numbers_in_strings_and_comments_are_not_numbers(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    const char *path = folder_write(&f, "a.cfg",
                                    "# 99999999999\n// 99999999999\n/* 99999999999 \n */\n"
                                    "configurations = ( { name = \"a\";\n"
                                    " description = \"99999999999 \\\" 99999999999\"; } );\n");
    struct configuration_set set = {0};
    assert_true(configuration_set_read(&set, path, &f.messages));
    assert_int_equal(set.count, 1);
    configuration_set_finish(&set);
    folder_remove(&f);
}

static void circles_through_other_files_are_found(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    folder_write(&f, "b.cfg", "\n\ninclude = \"c.cfg\";");
    folder_write(&f, "c.cfg", "include = \"./a.cfg\";");
    const char *path = folder_write(&f, "a.cfg", "include = \"b.cfg\";");
    struct configuration_set set = {0};
    assert_false(configuration_set_read(&set, path, &f.messages));
    expect_message(&f.messages, 0, "/c.cfg", 1, "circle");
    configuration_set_finish(&set);
    folder_remove(&f);
}

static void what_is_no_file_is_an_error(void **state)
{
    (void)state;
    struct folder f;
    folder_make(&f);
    struct configuration_set set = {0};
    assert_false(configuration_set_read(&set, f.path, &f.messages));
    expect_message(&f.messages, 0, f.path, 0, "cannot be read");
    assert_false(configuration_set_read(&set, "/nowhere/at/all.cfg", &f.messages));
    expect_message(&f.messages, 1, "/nowhere/at/all.cfg", 0, "No such file");
    folder_remove(&f);
}

// The configurations that come with the program.

static void read_shipped(struct configuration_set *set)
{
    struct messages messages;
    messages_init(&messages);
    if (!configuration_set_read(set, SOURCE_DIR "/configs/configurations.cfg", &messages))
        messages_print(&messages, stderr);
    assert_int_equal(messages.count, 0); // no warnings either
    assert_true(set->count > 0);
    messages_finish(&messages);
}

// "what; how: what that is good for", in one line.
static bool says_why(const char *description)
{
    const char *colon = strstr(description, ": ");
    return colon != NULL && colon > description && strlen(colon) > strlen(": ") &&
           strchr(description, '\n') == NULL;
}

static void each_shipped_configuration_says_what_it_is_good_for(void **state)
{
    (void)state;
    struct configuration_set set = {0};
    read_shipped(&set);
    for (size_t i = 0; i < set.count; i++) {
        if (!says_why(set.items[i].description))
            print_error("%s: \"%s\"\n", set.items[i].name, set.items[i].description);
        assert_true(says_why(set.items[i].description));
    }
    configuration_set_finish(&set);
}

static void no_two_shipped_configurations_are_the_same(void **state)
{
    (void)state;
    struct configuration_set set = {0};
    read_shipped(&set);
    for (size_t i = 0; i < set.count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct configuration *a = &set.items[i], *b = &set.items[j];
            bool same = hash128_equal(a->fingerprint, b->fingerprint) ||
                        strcmp(a->description, b->description) == 0;
            if (same)
                print_error("%s and %s\n", a->name, b->name);
            assert_false(same);
        }
    configuration_set_finish(&set);
}

static void every_engine_and_domain_is_shipped(void **state)
{
    (void)state;
    struct configuration_set set = {0};
    read_shipped(&set);
    bool seen[OPTION_VALUE_COUNT] = {false};
    for (size_t i = 0; i < set.count; i++)
        if (set.items[i].values[OPTION_ENGINE] == ENGINE_CEGAR)
            seen[set.items[i].values[OPTION_DOMAIN]] = true;
    for (int v = 0; v < OPTION_VALUE_COUNT; v++)
        assert_true(seen[v] || option_value_option((enum option_value)v) != OPTION_DOMAIN);
    for (int v = 0; v < OPTION_VALUE_COUNT; v++) {
        bool used = option_value_option((enum option_value)v) != OPTION_ENGINE;
        for (size_t i = 0; i < set.count; i++)
            used = used || set.items[i].values[OPTION_ENGINE] == v;
        assert_true(used);
    }
    configuration_set_finish(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_round_trip),
        cmocka_unit_test(old_fingerprints_stay),
        cmocka_unit_test(texts_with_blanks_are_quoted),
        cmocka_unit_test(print_gives_what_differs_from_the_default),
        cmocka_unit_test(a_wrong_text_changes_nothing_and_says_why),
        cmocka_unit_test(rules_are_named),
        cmocka_unit_test(the_nearest_legal_combination_is_told),
        cmocka_unit_test(nothing_nearer_is_legal),
        cmocka_unit_test(conditions_are_three_valued),
        cmocka_unit_test(faults_of_a_condition_carry_their_column),
        cmocka_unit_test(a_questionable_combination_is_a_warning),
        cmocka_unit_test(the_fingerprint_depends_on_values_only),
        cmocka_unit_test(a_file_is_read_with_extends_and_includes),
        cmocka_unit_test(numbers_have_words),
        cmocka_unit_test(lost_quotes_are_told),
        cmocka_unit_test(faults_of_a_file_carry_their_line),
        cmocka_unit_test(numbers_in_strings_and_comments_are_not_numbers),
        cmocka_unit_test(circles_through_other_files_are_found),
        cmocka_unit_test(what_is_no_file_is_an_error),
        cmocka_unit_test(each_shipped_configuration_says_what_it_is_good_for),
        cmocka_unit_test(no_two_shipped_configurations_are_the_same),
        cmocka_unit_test(every_engine_and_domain_is_shipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
