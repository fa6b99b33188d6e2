#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "certify/certify.h"
#include "engines/engine.h"
#include "model/precision_text.h"
#include "tests/decide.h"
#include "tests/engine_run.h"
#include "tests/oracle.h"
#include "tests/part.h"

// The engines that look at whole steps, against an independent explicit-state oracle on random models:
// unsafe must replay on the source model, safe must have an inductive invariant.

static const char *const settings[] = {
    "engine=bmc",
    "engine=bmc,encoding=SBE,propagate=false,cone=false",
    "engine=bmc,simplepath=true",
    "engine=bmc,sat=false",
    "engine=kind",
    "engine=kind,sat=false",
    "engine=kind,aux=NONE,encoding=SBE",
    "engine=kind,aux=NONE,simplepath=true",
    "engine=kind,simplepath=true,split=20",
    "engine=imc",
    "engine=imc,encoding=SBE,propagate=false,cone=false",
    "engine=imc,split=20",
    "engine=bmc,abstraction=PREDICATES,simplepath=true",
    "engine=bmc,abstraction=VARIABLES,refinement=UNSAT_CORE",
    "engine=kind,abstraction=PREDICATES",
    "engine=kind,abstraction=PREDICATES,simplepath=true,predsplit=ATOMS,aux=NONE",
    "engine=kind,abstraction=PREDICATES,simplepath=true,refinement=BW_BIN_ITP,initprec=ALLASSUMES",
    "engine=kind,abstraction=VARIABLES,refinement=UNSAT_CORE,simplepath=true,encoding=SBE",
    "engine=imc,abstraction=PREDICATES,predsplit=ATOMS",
    "engine=imc,abstraction=PREDICATES,refinement=FW_BIN_ITP,initprec=PROP_CTRL,split=20",
    ("engine=imc,abstraction=PREDICATES,refinement=NWT_IT_WP,encoding=SBE,propagate=false,"
     "cone=false"),
    "engine=imc,abstraction=VARIABLES",
    "engine=imc,abstraction=VARIABLES,refinement=UNSAT_CORE,initprec=CTRL",
    "engine=ic3",
    "engine=ic3,encoding=SBE",
    "engine=ic3,cubes=PREDICATES,split=20",
    "engine=ic3,ctgdepth=2,ctgcount=1",
    "engine=ic3,cubes=PREDICATES,ctgdepth=1",
    "engine=bmc,direction=BACKWARD",
    "engine=bmc,direction=BACKWARD,encoding=SBE,propagate=false,cone=false",
    "engine=kind,direction=BACKWARD",
    "engine=kind,direction=BACKWARD,aux=NONE,simplepath=true,split=20",
    "engine=imc,direction=BACKWARD,checklimit=300000",
    "engine=imc,direction=BACKWARD,encoding=SBE,checklimit=300000",
    "engine=ic3,direction=BACKWARD",
    "engine=ic3,direction=BACKWARD,cubes=PREDICATES,split=20",
    "engine=horn",
    "engine=horn,aux=NONE,encoding=SBE,split=20",
};

// What engines give and hear (engine_environment.share); NULL: they work alone.
static struct text *given, *heard;

static void share(void *context, const char *text)
{
    (void)context;
    text_add(given, text);
}

static const char *hear(void *context)
{
    (void)context;
    return text_string(heard);
}

static struct engine_run run_engine(const struct model *source, const char *text, uint64_t steps)
{
    static struct progress progress;
    struct engine_run run;
    engine_run_prepare(&run, source, text, &progress);
    run.environment.step_limit = steps;
    run.environment.share = given != NULL ? share : NULL;
    run.environment.hear = heard != NULL ? hear : NULL;
    engine_run_start(&run);
    return run;
}

static void check_unsafe(struct engine_run *run, uint64_t seed, const char *text)
{
    struct text why;
    text_init(&why);
    assert_non_null(run->result.trace);
    struct trace *mapped = decide_map(run->result.trace);
    if (!certify_replay(mapped, &why))
        fail_msg("seed %llu, %s: the trace does not replay: %s", (unsigned long long)seed, text,
                 text_string(&why));
    trace_destroy(mapped);
    run->result.trace = NULL;
    text_finish(&why);
}

static void check_safe(const struct engine_run *run, uint64_t seed, const char *text)
{
    struct text why;
    if (run->result.invariant == NULL)
        fail_msg("seed %llu, %s: safe without invariant", (unsigned long long)seed, text);
    text_init(&why);
    const struct model *model = run->prepared;
    const struct term **lifted = NULL;
    for (; model->source != NULL; model = model->source) {
        const struct term **nearer = prepare_lift_invariant(
            model, run->store, lifted != NULL ? lifted : run->result.invariant);
        memory_free(lifted);
        lifted = nearer;
    }
    enum certify_result answer = certify_invariant_owned(model, run->store, lifted,
                                                         run->result.rule, "z3", NULL, NULL, &why);
    memory_free(lifted);
    if (answer != CERTIFY_ACCEPTED)
        fail_msg("seed %llu, %s: the invariant is refused: %s", (unsigned long long)seed, text,
                 text_string(&why));
    text_finish(&why);
}

// Of so many models some are sure to be of every kind that a test wants to have seen.
enum { MANY = 25 };

// Steps of the engines are of different sizes, and longer and longer runs become hard for the solver.
static uint64_t step_limit(const char *text)
{
    if (strncmp(text, "engine=ic3", 10) == 0)
        return 3000;
    if (strncmp(text, "domain=", 7) == 0)
        return 300;
    if (strncmp(text, "engine=imc", 10) == 0)
        return 100;
    return strstr(text, "abstraction=") != NULL ? 40 : 16;
}

static void agrees_with_the_oracle(void **state)
{
    const char *text = *state;
    unsigned safe = 0, unsafe = 0, sought = 0, decided = 0;
    unsigned count = part_models(12, 6);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct model *model = oracle_random_model(seed);
        enum verdict expected = oracle_decide(model, 100000);
        struct engine_run run = run_engine(model, text, step_limit(text));
        if (expected != VERDICT_UNKNOWN && run.result.verdict != VERDICT_UNKNOWN &&
            run.result.verdict != expected)
            fail_msg("seed %llu, %s: %s, but the oracle says %s", (unsigned long long)seed, text,
                     verdict_name(run.result.verdict), verdict_name(expected));
        if (run.result.verdict == VERDICT_UNSAFE)
            check_unsafe(&run, seed, text);
        if (run.result.verdict == VERDICT_SAFE)
            check_safe(&run, seed, text);
        assert_true(run.result.reason != END_NONE);
        decided += expected != VERDICT_UNKNOWN;
        safe += run.result.verdict == VERDICT_SAFE;
        sought += strstr(run.result.notes, "invariant by ") != NULL;
        unsafe += run.result.verdict == VERDICT_UNSAFE;
        engine_run_finish(&run);
        model_destroy(model);
    }
    print_message("# %s: of %u: %u unsafe, %u safe, %u of them by a sought invariant\n", text,
                  decided, unsafe, safe, sought);
    assert_true(unsafe + safe > 0);
    assert_true(count < MANY || (unsafe > 0 && safe > 0));
    // That runs backwards come to an end is no proof of the model itself: the search for an invariant is put to use here.
    assert_true(sought > 0 || strcmp(text, "engine=bmc,direction=BACKWARD") != 0);
}

// Bounds of numbers and orders between them, true or not, and what means nothing.
static struct text made_up(const struct model *model)
{
    struct text text = {0};
    struct term_store *store = term_store_create(model->store);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct term *x = model->variables[v]->term;
        struct precision_item item = {.predicate = x};
        if (x->sort == sort_int(store))
            item.predicate = term_le(store, x, term_int(store, v % 3));
        if (item.predicate->sort == sort_bool(store))
            precision_text_add(&text, store, &item);
        const struct term *y = model->variables[0]->term;
        if (x->sort == sort_int(store) && y->sort == x->sort) {
            item.predicate = term_le(store, x, y);
            precision_text_add(&text, store, &item);
        }
    }
    term_store_destroy(store);
    text_add(&text, "(predicate (< nobody 3))\n(variable nobody)\n");
    return text;
}

// Predicates of others and made up ones: answers stay right and proofs good.
static void help_of_others_changes_no_answer(void **state)
{
    (void)state;
    static const char *const helped[] = {"engine=kind",
                                         "engine=kind,aux=NONE",
                                         "domain=PRED_CART",
                                         "domain=EXPL_PRED_COMBINED",
                                         "engine=ic3",
                                         "engine=ic3,cubes=PREDICATES",
                                         "engine=imc,abstraction=PREDICATES"};
    size_t bytes = 0, of_ic3 = 0, changed = 0, ic3_took = 0, view_took = 0;
    unsigned count = part_models(MANY, 6);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct model *model = oracle_random_model(seed);
        enum verdict expected = oracle_decide(model, 100000);
        struct text gift = made_up(model);
        given = &gift;
        struct engine_run helper = run_engine(model, "domain=PRED_SPLIT,predsplit=ATOMS", 300);
        engine_run_finish(&helper);
        size_t before = gift.length;
        helper = run_engine(model, "engine=ic3,cubes=PREDICATES", 3000);
        given = NULL;
        engine_run_finish(&helper);
        bytes += gift.length;
        of_ic3 += gift.length - before;
        for (size_t i = 0; i < sizeof helped / sizeof *helped; i++) {
            uint64_t steps = i < 2 ? 16 : i < 4 ? 300 : i < 6 ? 3000 : 100;
            struct engine_run alone = run_engine(model, helped[i], steps);
            heard = &gift;
            struct engine_run run = run_engine(model, helped[i], steps);
            heard = NULL;
            if (expected != VERDICT_UNKNOWN && run.result.verdict != VERDICT_UNKNOWN)
                assert_int_equal(run.result.verdict, expected);
            if (run.result.verdict == VERDICT_UNSAFE)
                check_unsafe(&run, seed, helped[i]);
            if (run.result.verdict == VERDICT_SAFE)
                check_safe(&run, seed, helped[i]);
            ic3_took += i >= 4 && strstr(run.result.notes, "elements of others") != NULL;
            view_took += i >= 6 && strstr(run.result.notes, "of others") != NULL;
            changed += run.result.verdict != alone.result.verdict ||
                       strcmp(run.result.notes, alone.result.notes) != 0;
            engine_run_finish(&run);
            engine_run_finish(&alone);
        }
        text_finish(&gift);
        model_destroy(model);
    }
    print_message("# %zu bytes given, %zu of them by ic3; %zu runs changed, %zu of ic3 took "
                  "something, %zu of "
                  "abstract views\n",
                  bytes, of_ic3, changed, ic3_took, view_took);
    assert_true(of_ic3 > 0 && bytes > of_ic3 && changed > 0);
    assert_true(count < MANY || (ic3_took > 0 && view_took > 0));
}

// What is given of runs holds on the model as it was prepared.
static void bounds_that_are_given_are_true(void **state)
{
    (void)state;
    static const char *const givers[] = {
        "engine=bmc",
        "engine=bmc,encoding=SBE,propagate=false,cone=false,simplepath=true",
        "engine=kind,aux=NONE",
        "engine=imc",
        "engine=bmc,abstraction=PREDICATES,simplepath=true,encoding=SBE",
        "engine=ic3,encoding=SBE",
        "engine=ic3,cubes=PREDICATES,split=20",
        "domain=PRED_CART,search=BFS",
        "domain=PRED_CART,search=ERR,encoding=SBE,prunestrategy=FULL",
        "domain=EXPL,maxenum=1,search=DFS,encoding=STATEMENT",
        "domain=PRED_SPLIT,search=BFS,stop=ALL,refinement=MULTI_SEQ,encoding=SBE",
    };
    for (size_t i = 0; i < sizeof givers / sizeof *givers; i++) {
        unsigned lines = 0, tight = 0;
        bool refining = strncmp(givers[i], "domain=", 7) == 0; // seldom long enough, but quick
        for (uint64_t seed = 1; seed <= (refining ? 4 : 1) * part_models(12, 6); seed++) {
            struct model *model = oracle_random_model(seed);
            struct text gift = {0};
            given = &gift;
            struct engine_run run = run_engine(model, givers[i], step_limit(givers[i]));
            given = NULL;
            struct oracle_answer oracle = oracle_run(run.prepared, 100000, NULL);
            const char *line = strstr(text_string(&gift), "(bound ");
            for (; line; line = strstr(line + 1, "(bound ")) {
                uint64_t steps, digest;
                assert_int_equal(
                    sscanf(line, "(bound %" SCNu64 " #x%16" SCNx64 ")\n", &steps, &digest), 2);
                assert_true(digest == model_digest(run.prepared).low);
                lines++;
                if (oracle.verdict != VERDICT_UNSAFE)
                    continue;
                if (steps >= oracle.depth)
                    fail_msg("seed %" PRIu64 ", %s: said no error within %" PRIu64
                             " steps, but there is one after %zu",
                             seed, givers[i], steps, oracle.depth);
                tight += steps + 1 == oracle.depth;
            }
            oracle_answer_finish(&oracle);
            text_finish(&gift);
            engine_run_finish(&run);
            model_destroy(model);
        }
        print_message("# %s: %u bounds given, %u as far as can be\n", givers[i], lines, tight);
        assert_true(lines > 0);
    }
}

struct tally {
    unsigned wrong_models, found, left_out, safe;
    uint64_t checks, checks_alone;
};

// The engine hears of that bound, of the right model unless `other`. Its answer is not wrong.
static void hear_of(struct tally *tally, const struct model *model, uint64_t seed, const char *text,
                    const struct engine_run *alone, enum verdict expected, uint64_t steps,
                    bool other)
{
    struct text gift = {0};
    text_printf(&gift, "(predicate p)\n(bound %" PRIu64 " #x%016" PRIx64 ")\n", steps,
                model_digest(alone->prepared).low ^ other);
    heard = &gift;
    struct engine_run run = run_engine(model, text, step_limit(text));
    heard = NULL;
    if (run.result.verdict != VERDICT_UNKNOWN && run.result.verdict != expected)
        fail_msg("seed %" PRIu64 ", %s, told of %" PRIu64 " steps: %s, but the oracle says %s",
                 seed, text, steps, verdict_name(run.result.verdict), verdict_name(expected));
    if (run.result.verdict == VERDICT_UNSAFE)
        check_unsafe(&run, seed, text);
    if (run.result.verdict == VERDICT_SAFE)
        check_safe(&run, seed, text);
    bool left_out = strstr(run.result.notes, "passed over after bounds of others");
    assert_false(other && left_out);
    tally->found += run.result.verdict == VERDICT_UNSAFE;
    tally->safe += run.result.verdict == VERDICT_SAFE;
    tally->left_out += left_out;
    tally->checks += run.result.solver.checks;
    tally->checks_alone += alone->result.solver.checks;
    text_finish(&gift);
    engine_run_finish(&run);
}

static const char *const believers[] = {
    "engine=bmc",
    "engine=bmc,simplepath=true,encoding=SBE",
    "engine=bmc,bound=4",
    "engine=kind,aux=NONE",
    "engine=imc,encoding=SBE",
};

// Bounds of others, true and wrong ones: no verdict is wrong. What was left out is looked at before a verdict depends
// on it, so errors come to light that somebody had denied.
static void bounds_of_others_are_not_believed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof believers / sizeof *believers; i++) {
        struct tally right = {0}, wrong = {0}, other = {0};
        for (uint64_t seed = 1; seed <= part_models(12, 6); seed++) {
            const char *text = believers[i];
            struct model *model = oracle_random_model(seed);
            struct engine_run alone = run_engine(model, text, step_limit(text));
            struct oracle_answer oracle = oracle_run(alone.prepared, 100000, NULL);
            if (oracle.verdict == VERDICT_UNSAFE) {
                hear_of(&right, model, seed, text, &alone, oracle.verdict, oracle.depth - 1, false);
                hear_of(&wrong, model, seed, text, &alone, oracle.verdict, oracle.depth, false);
                hear_of(&wrong, model, seed, text, &alone, oracle.verdict, oracle.depth + 7, false);
                hear_of(&wrong, model, seed, text, &alone, oracle.verdict, UINT64_MAX, false);
                hear_of(&other, model, seed, text, &alone, oracle.verdict, 9, true);
            } else if (oracle.verdict == VERDICT_SAFE) {
                hear_of(&right, model, seed, text, &alone, oracle.verdict, 3, false);
                hear_of(&right, model, seed, text, &alone, oracle.verdict, 9, false);
            }
            oracle_answer_finish(&oracle);
            engine_run_finish(&alone);
            model_destroy(model);
        }
        print_message("# %s: told what is true: left out in %u runs, %" PRIu64
                      " checks for %" PRIu64 "; what is not: %u errors all the same\n",
                      believers[i], right.left_out, right.checks, right.checks_alone, wrong.found);
        assert_true(right.left_out > 0 && right.found > 0 && other.found > 0);
        assert_true(wrong.left_out > 0 && wrong.found > 0);
    }
}

// The error is one step away at the start and out of reach after the first other step.
static struct model *make_unsafe_at_once(void)
{
    struct model_builder *b = model_builder_create(&dialect_plain, "m.cfa", NULL);
    struct term_store *store = model_builder_store(b);
    struct position at = {0};
    const struct variable *x = model_builder_variable(b, "x", sort_int(store), 0, at);
    struct location *loop = model_builder_location(b, "loop", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    const struct term *zero = term_int(store, 0), *one = term_int(store, 1);
    model_builder_initial(b, loop, model_assign(b, x, zero, at));
    model_builder_edge(b, loop, loop, model_assign(b, x, one, at), "on", at);
    model_builder_edge(b, loop, error, model_assume(b, term_eq(store, x->term, zero), at), "fail",
                       at);
    model_builder_error(b, error);
    return model_builder_finish(b);
}

// The step of induction has its proof, and all that is wrong is what others said of the base.
static void induction_looks_at_its_base(void **state)
{
    (void)state;
    struct model *model = make_unsafe_at_once();
    const char *text = "engine=kind,aux=NONE";
    struct engine_run alone = run_engine(model, text, 16);
    struct tally tally = {0};
    assert_int_equal(alone.result.verdict, VERDICT_UNSAFE);
    hear_of(&tally, model, 0, text, &alone, VERDICT_UNSAFE, 5, false);
    assert_int_equal(tally.left_out, 1);
    assert_int_equal(tally.found, 1);
    engine_run_finish(&alone);
    model_destroy(model);
}

int main(int count, char **arguments)
{
    struct CMUnitTest tests[sizeof settings / sizeof *settings + 4];
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        tests[i] = (struct CMUnitTest){
            .name = settings[i],
            .test_func = agrees_with_the_oracle,
            .initial_state = (void *)settings[i],
        };
    struct CMUnitTest *more = tests + sizeof settings / sizeof *settings;
    more[0] = (struct CMUnitTest)cmocka_unit_test(help_of_others_changes_no_answer);
    more[1] = (struct CMUnitTest)cmocka_unit_test(bounds_that_are_given_are_true);
    more[2] = (struct CMUnitTest)cmocka_unit_test(bounds_of_others_are_not_believed);
    more[3] = (struct CMUnitTest)cmocka_unit_test(induction_looks_at_its_base);
    return part_run(count, arguments, tests);
}
