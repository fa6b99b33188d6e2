#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/memory.h"
#include "engines/capsules/configure.h"
#include "languages/umlrt/capsules_view.h"
#include "languages/umlrt/code.h"
#include "languages/umlrt/load.h"
#include "languages/umlrt/question.h"
#include "languages/umlrt/text.h"
#include "languages/umlrt/translate.h"
#include "languages/language.h"
#include "certify/certify.h"
#include "tests/engine_run.h"
#include "tests/oracle.h"
#include "tests/part.h"
#include "tests/plain_oracle.h"
#include "tests/random_capsules.h"
#include "tests/read.h"

extern const struct language language_cffsm;

#define SHARED SOURCE_DIR "/../shared/tasks/umlrt"

// The translation to the intermediate form against the interpreter: EF and AG of something local.
static void one_translation(uint64_t seed, uint64_t *checked)
{
    struct text source = {0}, formula = {0};
    struct random_capsules r = {0};
    struct messages messages;
    messages_init(&messages);
    random_capsules_make(&r, seed, &source);
    struct capsules *capsules =
        cffsm_read("random", text_string(&source), source.length, &messages);
    assert_non_null(capsules);
    bool exists = pick(&r, 2) == 0;
    text_add(&formula, exists ? "EF (" : "AG not (");
    random_atom(&r, &formula);
    text_add(&formula, " and ");
    random_atom(&r, &formula);
    text_add(&formula, ")");
    struct capsule_question q;
    assert_true(capsule_question_read(capsules, NULL, text_string(&formula), &q, &messages));
    struct oracle oracle;
    oracle_make(&oracle, capsules, 2);
    struct model *model =
        oracle.too_large ? NULL : capsules_translate(capsules, &q, 2, "random", &messages);
    if (model != NULL) {
        bool reached = oracle_answer(&oracle, &q) == exists;
        enum verdict verdict = oracle_decide(model, 20000);
        if (verdict != (reached ? VERDICT_UNSAFE : VERDICT_SAFE))
            fail_msg("seed %llu: %s is %s, the translation is %s", (unsigned long long)seed,
                     text_string(&formula), reached ? "reached" : "not reached",
                     verdict == VERDICT_UNSAFE ? "unsafe"
                     : verdict == VERDICT_SAFE ? "safe"
                                               : "unknown");
        ++*checked;
    }
    oracle_finish(&oracle);
    model_destroy(model);
    capsule_question_finish(&q);
    capsules_destroy(capsules);
    text_finish(&source);
    text_finish(&formula);
    messages_finish(&messages);
}

static void translations_have_the_same_runs(void **state)
{
    (void)state;
    const char *wanted = getenv("REGATTA_CAPSULE_MODELS");
    uint64_t count = wanted != NULL ? strtoull(wanted, NULL, 10) : part_models(60, 60), checked = 0;
    for (uint64_t seed = 1; seed <= 4 * count && checked < count; seed++)
        one_translation(seed, &checked);
    assert_true(checked >= count / 2);
}

// Any question as a model: the engine's verdicts, and their traces replayed.

static const char *const WAYS[] = {"engine=capsules,base=CONCRETE,low=0,high=2", "engine=capsules",
                                   "engine=capsules,subsumption=WEAK,stateorder=DFS",
                                   "engine=capsules,limited=on",
                                   "engine=capsules,abstract=auto,aggregate=composite"};
#define WAYS_COUNT (sizeof WAYS / sizeof *WAYS)

static void one_verdict(const struct model *model, const char *way, enum verdict expected,
                        const char *formula, uint64_t *known)
{
    struct engine_run run;
    struct progress progress;
    engine_run_prepare(&run, model, way, &progress);
    run.environment.step_limit = 3000;
    engine_run_start(&run);
    if (run.result.verdict != VERDICT_UNKNOWN && run.result.verdict != expected)
        fail_msg("%s: %s is %s: %s", way, formula, verdict_name(run.result.verdict),
                 run.result.notes);
    // No run shows a formula that asks for several.
    const struct capsules_view *view = capsules_view_of(model);
    assert_true(run.result.verdict != VERDICT_UNSAFE || run.result.trace != NULL ||
                !capsule_needs_one_run(&view->question));
    if (run.result.trace != NULL) {
        struct text why = {0};
        if (!certify_replay(run.result.trace, &why))
            fail_msg("%s: %s: %s", way, formula, text_string(&why));
        text_finish(&why);
    }
    *known += run.result.verdict != VERDICT_UNKNOWN;
    engine_run_finish(&run);
}

static void one_engine(uint64_t seed, uint64_t *asked, uint64_t *known)
{
    struct text source = {0}, formula = {0};
    struct random_capsules r = {0};
    struct messages messages;
    messages_init(&messages);
    random_capsules_make(&r, seed, &source);
    random_question(&r, 1 + (int)pick(&r, 2), &formula);
    text_add(&formula, " with queue 2");
    struct capsules *capsules =
        cffsm_read("random", text_string(&source), source.length, &messages);
    char *plain = memory_strdup(text_string(&formula));
    *strstr(plain, " with") = '\0';
    struct capsule_question q;
    assert_true(capsule_question_read(capsules, NULL, plain, &q, &messages));
    struct oracle oracle;
    oracle_make(&oracle, capsules, 2);
    bool truth = !oracle.too_large && oracle_answer(&oracle, &q);
    bool shown = capsule_shown_truth(capsule_shape_of(&q.formulas, q.root));
    struct language_request request = {.model_path = "random.cffsm",
                                       .model_text = text_string(&source),
                                       .model_bytes = source.length,
                                       .property_text = text_string(&formula),
                                       .property_inline = true};
    struct model *model =
        oracle.too_large ? NULL : read_model(&language_cffsm, &request, &messages);
    for (size_t w = 0; model != NULL && w < WAYS_COUNT; w++, ++*asked)
        one_verdict(model, WAYS[w], truth == shown ? VERDICT_UNSAFE : VERDICT_SAFE,
                    text_string(&formula), known);
    model_destroy(model);
    oracle_finish(&oracle);
    capsule_question_finish(&q);
    capsules_destroy(capsules);
    memory_free(plain);
    text_finish(&source);
    text_finish(&formula);
    messages_finish(&messages);
}

static void the_engine_answers_all_of_ctl(void **state)
{
    (void)state;
    uint64_t asked = 0, known = 0;
    for (uint64_t seed = 1; seed <= part_models(60, 15); seed++)
        one_engine(seed + 5000, &asked, &known);
    assert_true(asked > 0 && known * 5 > asked);
}

// Action code.

static struct capsules *holder(void)
{
    static const char TEXT[] =
        "module M { attribute a: int; attribute b: int; attribute ok: bool; timer t; in go(v: int);"
        " out \"p.s\"(w: int); optional part x: P; location L; initial -> L; } module P { } top M;";
    struct messages messages;
    messages_init(&messages);
    struct capsules *c = cffsm_read("holder", TEXT, strlen(TEXT), &messages);
    messages_print(&messages, stderr);
    assert_non_null(c);
    messages_finish(&messages);
    return c;
}

struct coded {
    struct capsules *capsules;
    struct smt_context *context;
    struct code_scope scope;
    struct messages messages;
    struct code_states states;
    bool fine;
};

static void run_code(struct coded *c, const char *text)
{
    const char *why;
    struct smt_options options = {0};
    messages_init(&c->messages);
    c->capsules = holder();
    c->context = smt_context_create("z3", c->capsules->store, &options, &why);
    assert_non_null(c->context);
    c->scope = (struct code_scope){.capsules = c->capsules,
                                   .trigger = &c->capsules->modules.data[0].signals.data[0],
                                   .loop_bound = 4,
                                   .solver = smt_create(c->context),
                                   .messages = &c->messages};
    VECTOR_PUSH(&c->scope.frames, "frame");
    memset(&c->states, 0, sizeof c->states);
    VECTOR_PUSH(&c->states, code_state_start(&c->scope));
    c->fine = code_run(&c->scope, "code", 1, text, &c->states);
}

static void coded_finish(struct coded *c)
{
    code_states_finish(&c->states);
    VECTOR_FINISH(&c->scope.periodic);
    VECTOR_FINISH(&c->scope.frames);
    smt_destroy(c->scope.solver);
    smt_context_destroy(c->context);
    capsules_destroy(c->capsules);
    messages_finish(&c->messages);
}

// Section 14's listing: three leaves, the fourth is not feasible.
static void the_listing_has_three_leaves(void **state)
{
    (void)state;
    struct coded c;
    run_code(&c, "int k=a; if(k>10){b=k;} if(b>0){return k;} return a+b;");
    assert_true(c.fine);
    assert_int_equal(c.states.count, 3);
    struct term_store *store = c.capsules->store;
    const struct term *a = c.capsules->modules.data[0].attributes.data[0].term;
    const struct term *b = c.capsules->modules.data[0].attributes.data[1].term;
    size_t plain = 0, sums = 0;
    for (size_t i = 0; i < 3; i++) {
        plain += c.states.data[i].result == a;
        sums += c.states.data[i].result == term_add2(store, a, b);
    }
    assert_int_equal(plain, 2);
    assert_int_equal(sums, 1);
    coded_finish(&c);
}

static void loops_are_unrolled(void **state)
{
    (void)state;
    struct coded c;
    // What a block declares hides nothing behind it.
    run_code(&c, "{ int b = 7; a = b; } b = 2; for (int a = 0; a < 2; a++) { int b = a; } a = b;");
    assert_true(c.fine);
    assert_ptr_equal(c.states.data[0].attributes.data[0], term_int(c.capsules->store, 2));
    assert_ptr_equal(c.states.data[0].attributes.data[1], term_int(c.capsules->store, 2));
    coded_finish(&c);
    run_code(&c, "b = 0; for (int i = 0; i < 3; i++) { b += i; }");
    assert_true(c.fine);
    assert_int_equal(c.states.count, 1);
    assert_false(c.states.data[0].beyond);
    assert_ptr_equal(c.states.data[0].attributes.data[1], term_int(c.capsules->store, 3));
    coded_finish(&c);
    run_code(&c, "while (a > 0) { a = a - 1; }");
    assert_true(c.fine);
    size_t beyond = 0;
    for (size_t i = 0; i < c.states.count; i++)
        beyond += c.states.data[i].beyond;
    assert_int_equal(c.states.count, 6); // 0 to 4 rounds, and what goes on longer
    assert_int_equal(beyond, 1);
    coded_finish(&c);
}

static void code_has_its_effects(void **state)
{
    (void)state;
    struct coded c;
    run_code(&c, "/* both */ this->a = v * 2; // twice\n p.s(a + 1).send(); "
                 "t.informIn(UMLRTTimespec(1, 0)); ok = a > 3;");
    assert_true(c.fine);
    assert_int_equal(c.states.count, 1);
    const struct capsule_case *effect = &c.states.data[0].effect;
    assert_int_equal(effect->outputs.count, 1);
    assert_int_equal(effect->timers.count, 1);
    // C++ cuts towards zero.
    coded_finish(&c);
    run_code(&c, "a = -7; b = a / 2; a = a % 2;");
    assert_ptr_equal(c.states.data[0].attributes.data[0], term_int(c.capsules->store, -1));
    assert_ptr_equal(c.states.data[0].attributes.data[1], term_int(c.capsules->store, -3));
    coded_finish(&c);
}

static void code_beyond_the_subset_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *code, *message;
    } CASES[] = {
        {"a = 1;\nfoo();", "action code with `(`: method calls"},
        {"a = b.size();", "action code with `.`: method calls, objects and arrays in expressions"},
        {"char c = 1;", "action code with `c`: no statement of the subset"},
        {"int *p = 0;", "action code with `*`: no declaration of the subset"},
        {"p.s(1).invoke();", "action code with `invoke`: of messages only send"},
        {"switch (a) { }", "action code with `switch`: jumps"},
        {"a = 1", "action code: found `end`, expected `;`"},
        {"t.cancelTimer();",
         "action code with `cancelTimer`: of timers only informIn, informAt and informEvery"},
        {"int k; a = k;", "action code: `k`: is read before it has a value"},
        {"q.s(1).send();", "action code: `q.s`: is no message that the port can send"},
        {"p.s(1).send(); frame.incarnate(x);",
         "action code: `x`: is made behind a send, or behind its end, in one step"},
        {"frame.destroy(x); frame.incarnate(x);",
         "action code: `x`: is made behind a send, or behind its end, in one step"},
        {"a = b / a;", "action code: `/`: division by something that is no number but 0"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct coded c;
        run_code(&c, CASES[i].code);
        assert_false(c.fine);
        assert_int_equal(c.messages.count, 1);
        assert_string_equal(c.messages.items[0].text, CASES[i].message);
        if (i == 0)
            assert_int_equal(c.messages.items[0].line, 2);
        coded_finish(&c);
    }
}

// The shared models and what is known of them; each answer is right or unknown, and few are unknown.

static enum ctl_truth ask(struct capsules *model, const char *formula,
                          struct capsule_options options)
{
    struct messages messages;
    struct capsule_question q;
    struct capsule_setting setting;
    struct capsule_answer answer;
    messages_init(&messages);
    bool read = capsule_question_read(model, NULL, formula, &q, &messages);
    messages_print(&messages, stderr);
    assert_true(read);
    struct capsule_ask question = {
        .model = model, .question = &q, .options = options, .limits = {.states = 3000}};
    question.options.queue_bound = 8;
    assert_true(capsule_setting_make(&question, NULL, NULL, &setting, &messages));
    capsule_ask(&question, &answer);
    enum ctl_truth truth = answer.truth;
    capsule_answer_finish(&answer);
    capsule_setting_finish(&setting);
    capsule_question_finish(&q);
    messages_finish(&messages);
    return truth;
}

// MODEL,PROPERTY,EXPECTED,…; a property may be in quotes, with "" for a quote.
static bool next_field(char **at, char *out, size_t size)
{
    size_t n = 0;
    bool quoted = **at == '"';
    for (*at += quoted; **at != '\0' && **at != '\n'; ++*at) {
        if (quoted && **at == '"' && (*at)[1] == '"')
            ++*at;
        else if (quoted ? **at == '"' : **at == ',')
            break;
        if (n + 1 < size)
            out[n++] = **at;
    }
    out[n] = '\0';
    *at += quoted && **at == '"';
    if (**at != ',')
        return false;
    ++*at;
    return true;
}

static void shared_facts_hold(void **state)
{
    (void)state;
    char *facts = text_read_file(SHARED "/facts.csv", NULL);
    if (facts == NULL) {
        print_message("skipped: no " SHARED "\n");
        skip();
        return;
    }
    size_t right = 0, unknown = 0;
    char *at = strchr(facts, '\n');
    while (at != NULL && at[1] != '\0') {
        char model_name[100], property[300], expected[20], path[600];
        at++;
        assert_true(next_field(&at, model_name, sizeof model_name));
        // Several properties hold quotes in the middle without being quoted as a whole.
        assert_true(next_field(&at, property, sizeof property));
        assert_true(next_field(&at, expected, sizeof expected));
        snprintf(path, sizeof path, SHARED "/%s", model_name);
        struct messages messages;
        messages_init(&messages);
        struct capsules *model = capsules_load(path, 16, &messages);
        messages_print(&messages, stderr);
        assert_non_null(model);
        enum ctl_truth concrete = ask(model, property, (struct capsule_options){0});
        enum ctl_truth symbolic = ask(model, property, (struct capsule_options){.symbolic = true});
        enum ctl_truth wanted = strcmp(expected, "true") == 0 ? CTL_TRUE : CTL_FALSE;
        if ((concrete != wanted && concrete != CTL_UNKNOWN) ||
            (symbolic != wanted && symbolic != CTL_UNKNOWN))
            fail_msg("%s: %s is %s", model_name, property, expected);
        right += concrete == wanted || symbolic == wanted;
        unknown += concrete == CTL_UNKNOWN && symbolic == CTL_UNKNOWN;
        capsules_destroy(model);
        messages_finish(&messages);
        at = strchr(at, '\n');
    }
    assert_true(right >= 20 && unknown <= 2);
    memory_free(facts);
}

// A machine with states in states, group transitions, entry and exit points, entry and exit code.
static void hierarchies_become_flat(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        enum ctl_truth truth;
    } FACTS[] = {
        {"EF (Cruising @ Car)", CTL_TRUE},
        {"AG not (Cruising @ Car and (lights != 1 @ Car))", CTL_TRUE}, // entry code of Driving
        {"AG not (Parked @ Car and (lights != 0 @ Car or stops != 0 @ Car))",
         CTL_TRUE}, // its exit code
        {"EF (Braking @ Car and (stops == 2 @ Car))", CTL_TRUE},
        {"AG (Parked @ Car or EX Parked @ Car)",
         CTL_TRUE}, // the group transition, from each state inside
    };
    struct messages messages;
    messages_init(&messages);
    struct capsules *model = capsules_load(SOURCE_DIR "/examples/capsules/car.uml", 16, &messages);
    messages_print(&messages, stderr);
    assert_non_null(model);
    const struct capsule_module *m = &model->modules.data[0];
    assert_int_equal(m->locations.count, 3);
    assert_int_equal(m->composites.count, 1);
    assert_int_equal(m->composites.data[0].locations.count, 2);
    for (size_t i = 0; i < sizeof FACTS / sizeof *FACTS; i++) {
        enum ctl_truth found = ask(model, FACTS[i].formula, (struct capsule_options){0});
        if (found != FACTS[i].truth)
            fail_msg("%s: found %d", FACTS[i].formula, (int)found);
    }
    capsules_destroy(model);
    messages_finish(&messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translations_have_the_same_runs),
        cmocka_unit_test(the_engine_answers_all_of_ctl),
        cmocka_unit_test(the_listing_has_three_leaves),
        cmocka_unit_test(loops_are_unrolled),
        cmocka_unit_test(code_has_its_effects),
        cmocka_unit_test(code_beyond_the_subset_is_named),
        cmocka_unit_test(shared_facts_hold),
        cmocka_unit_test(hierarchies_become_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
