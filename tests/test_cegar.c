#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engines/cegar/refute.h"
#include "certify/certify.h"
#include "engines/registry/registry.h"
#include "tests/engine_run.h"
#include "tests/oracle.h"
#include "tests/part.h"

// The CEGAR engine against an independent explicit-state oracle, on random models, in every
// combination of options that matters; unsafe must replay on the source model, safe must have an
// inductive invariant.

static const char *const settings[] = {
    "domain=EXPL,maxenum=1,refinement=SEQ_ITP",
    "domain=EXPL,maxenum=10,refinement=UNSAT_CORE,prunestrategy=FULL",
    "domain=EXPL,maxenum=0,refinement=SEQ_ITP,initprec=PROP,search=DFS",
    "domain=EXPL,maxenum=250,initprec=ALLVARS,search=ERR",
    "domain=EXPL,maxenum=-1,refinement=BW_BIN_ITP,encoding=SBE",
    "domain=EXPL,maxenum=5,refinement=FW_BIN_ITP,prunestrategy=FULL,precgranularity=LOCAL",
    "domain=PRED_CART,refinement=SEQ_ITP,split=20",
    "domain=PRED_CART,refinement=BW_BIN_ITP,prunestrategy=FULL,predsplit=CONJUNCTS",
    "domain=PRED_CART,refinement=SEQ_ITP,predsplit=ATOMS,encoding=SBE,precgranularity=LOCAL",
    "domain=PRED_CART,refinement=FW_BIN_ITP,prunestrategy=FULL,initprec=PROP,search=DFS",
    "domain=EXPL,maxenum=5,refinement=NWT_IT_WP,search=DFS_ERR",
    "domain=EXPL,maxenum=10,refinement=NWT_SP_LV,prunestrategy=FULL",
    "domain=EXPL,maxenum=50,refinement=MULTI_SEQ,stop=ALL",
    "domain=EXPL,maxenum=10,refinement=UNSAT_CORE,stop=N,stopcount=3,search=ERR_DFS",
    "domain=EXPL,maxenum=10,refinement=UCB,search=WEIGHTED,wE=1,wD=-1",
    "domain=PRED_CART,refinement=NWT_SP",
    "domain=PRED_CART,refinement=NWT_WP,prunestrategy=FULL",
    "domain=PRED_CART,refinement=NWT_SP_LV,encoding=SBE",
    "domain=PRED_CART,refinement=NWT_WP_LV,predsplit=ATOMS",
    "domain=PRED_CART,refinement=NWT_IT_SP,search=ERR_DFS",
    "domain=PRED_CART,refinement=NWT_IT_WP,precgranularity=LOCAL",
    "domain=PRED_CART,refinement=NWT_IT_SP_LV,split=20",
    "domain=PRED_CART,refinement=NWT_IT_WP_LV,predsplit=CONJUNCTS,search=WEIGHTED,wE=-2,wD=3",
    "domain=PRED_CART,refinement=UCB,prunestrategy=FULL,search=DFS_ERR",
    "domain=PRED_CART,refinement=MULTI_SEQ,stop=ALL",
    "domain=PRED_CART,refinement=MULTI_SEQ,stop=ALL,prunestrategy=FULL,precgranularity=LOCAL",
    "domain=PRED_CART,refinement=BW_BIN_ITP,stop=N,stopcount=2",
    "domain=PRED_CART,refinement=SEQ_ITP,initprec=ALLASSUMES,search=ERR,propagate=false,cone=false",
    "domain=EXPL,maxenum=10,encoding=STATEMENT",
    "domain=PRED_CART,encoding=STATEMENT,split=20,precgranularity=LOCAL",
    "domain=PRED_SPLIT,encoding=STATEMENT,refinement=NWT_SP_LV,prunestrategy=FULL",
    "domain=EXPL_PRED_COMBINED,encoding=STATEMENT,refinement=BW_BIN_ITP,predsplit=ATOMS",
    "domain=PRED_BOOL",
    "domain=PRED_BOOL,refinement=BW_BIN_ITP,predsplit=ATOMS,precgranularity=LOCAL,search=DFS",
    "domain=PRED_BOOL,predsplit=CONJUNCTS,encoding=SBE,initprec=PROP,search=ERR",
    "domain=PRED_BOOL,initprec=ALLASSUMES,prunestrategy=FULL,split=20",
    "domain=PRED_SPLIT",
    "domain=PRED_SPLIT,refinement=BW_BIN_ITP,predsplit=ATOMS,prunestrategy=FULL,search=DFS",
    "domain=PRED_SPLIT,predsplit=ATOMS,encoding=SBE,precgranularity=LOCAL,initprec=ALLASSUMES",
    "domain=PRED_SPLIT,refinement=FW_BIN_ITP,prunestrategy=FULL,predsplit=CONJUNCTS,search=ERR",
    "domain=PRED_BOOL,refinement=UCB,prunestrategy=FULL",
    "domain=PRED_SPLIT,refinement=MULTI_SEQ,stop=ALL",
    "domain=EXPL_PRED_CART,refinement=NWT_IT_WP,predsplit=CONJUNCTS",
    "domain=EXPL_PRED_BOOL,refinement=MULTI_SEQ,stop=ALL,autoexpl=STATIC",
    "domain=EXPL_PRED_COMBINED,refinement=NWT_SP_LV,stop=N,stopcount=3",
    "domain=EXPL_PRED_CART",
    "domain=EXPL_PRED_CART,autoexpl=STATIC,predsplit=ATOMS,precgranularity=LOCAL,maxenum=0",
    "domain=EXPL_PRED_CART,autoexpl=VALUES,autoexplvalues=2,refinement=BW_BIN_ITP,search=DFS",
    "domain=EXPL_PRED_BOOL,maxenum=-1,initprec=ALLASSUMES,search=ERR,encoding=SBE",
    "domain=EXPL_PRED_BOOL,autoexpl=NEWATOMS,prunestrategy=FULL,predsplit=CONJUNCTS,initprec=PROP",
    "domain=EXPL_PRED_BOOL,autoexpl=VALUES,autoexplvalues=1,precgranularity=LOCAL",
    "domain=EXPL_PRED_SPLIT,maxenum=1,initprec=CTRL,predsplit=ATOMS",
    "domain=EXPL_PRED_SPLIT,autoexpl=NEWATOMS,initprec=ALLVARS,refinement=BW_BIN_ITP,maxenum=2",
    "domain=EXPL_PRED_SPLIT,autoexpl=STATIC,precgranularity=LOCAL,prunestrategy=FULL,search=DFS",
    "domain=EXPL_PRED_COMBINED",
    "domain=EXPL_PRED_COMBINED,autoexpl=STATIC,predsplit=ATOMS,maxenum=0,encoding=SBE",
    "domain=EXPL_PRED_COMBINED,autoexpl=NEWATOMS,precgranularity=LOCAL,maxenum=3,initprec=PROP_"
    "CTRL",
    "domain=EXPL_PRED_COMBINED,autoexpl=VALUES,autoexplvalues=3,refinement=BW_BIN_ITP,initprec="
    "ALLVARS",
    "domain=EXPL,maxenum=1,optimizestmts=on",
    "domain=EXPL,maxenum=0,optimizestmts=on,refinement=NWT_IT_WP,encoding=SBE",
    "domain=EXPL,maxenum=10,optimizestmts=on,encoding=STATEMENT,propagate=false,cone=false",
    "domain=EXPL_PRED_CART,optimizestmts=on,initprec=ALLASSUMES",
    "domain=EXPL_PRED_CART,optimizestmts=on,autoexpl=STATIC,predsplit=ATOMS,precgranularity=LOCAL",
    "domain=EXPL_PRED_BOOL,optimizestmts=on,autoexpl=VALUES,autoexplvalues=2,propagate=false",
    "domain=EXPL_PRED_SPLIT,optimizestmts=on,initprec=ALLVARS,refinement=BW_BIN_ITP,maxenum=2",
    "domain=EXPL_PRED_COMBINED,optimizestmts=on,autoexpl=NEWATOMS,split=20,search=DFS",
    "domain=EXPL_PRED_COMBINED,optimizestmts=on,autoexpl=STATIC,maxenum=0,encoding=SBE",
    "domain=PRED_CART,freshsolver=on,refinement=BW_BIN_ITP,patience=1",
    "domain=EXPL,maxenum=1,freshsolver=on,refinement=UNSAT_CORE",
    "domain=EXPL_PRED_SPLIT,freshsolver=on,refinement=NWT_IT_WP,abssolver=z3",
    "solver=cvc5,checklimit=20000",
    "solver=\"smtlib:z3 "
    "-in\",domain=PRED_SPLIT,predsplit=ATOMS,refinement=NWT_SP_LV,checklimit=100000",
    "domain=EXPL,refsolver=cvc5,refinement=UNSAT_CORE,checklimit=20000",
    "domain=PRED_BOOL,abssolver=\"smtlib:z3 -in\",refinement=BW_BIN_ITP,checklimit=20000",
    "domain=EXPL_PRED_COMBINED,abssolver=cvc5,refsolver=\"smtlib:z3 "
    "-in\",refinement=NWT_WP,checklimit=20000",
    "domain=PRED_CART,checklimit=300",
    "domain=EXPL_PRED_SPLIT,checklimit=2000",
    "domain=EXPL_PRED_COMBINED,optimizestmts=on,checklimit=2000,solver=cvc5",
    "domain=PRED_BOOL,checklimit=1000,predsplit=ATOMS",
};

static struct progress progress; // of the last run

static struct engine_run run_engine(const struct model *source, const char *text, uint64_t steps)
{
    struct engine_run run;
    engine_run_prepare(&run, source, text, &progress);
    run.environment.step_limit = steps;
    engine_run_start(&run);
    return run;
}

static void check_unsafe(const struct engine_run *run, uint64_t seed, const char *text)
{
    struct text why;
    text_init(&why);
    assert_non_null(run->result.trace);
    struct trace *mapped = prepare_map_trace(run->result.trace);
    if (!certify_replay(mapped, &why))
        fail_msg("seed %llu, %s: the trace does not replay: %s", (unsigned long long)seed, text,
                 text_string(&why));
    trace_destroy(mapped);
    text_finish(&why);
}

static void check_safe(const struct engine_run *run, uint64_t seed, const char *text)
{
    struct text why;
    text_init(&why);
    assert_non_null(run->result.invariant);
    enum certify_result answer =
        certify_invariant(run->prepared, run->store, run->result.invariant, "z3", NULL, &why);
    if (answer != CERTIFY_ACCEPTED)
        fail_msg("seed %llu, %s: the invariant is refused: %s", (unsigned long long)seed, text,
                 text_string(&why));
    text_finish(&why);
}

// A solver as a process: slower, and perhaps not on this machine.
static const char *process_of(const char *text)
{
    return strstr(text, "cvc5") != NULL      ? "cvc5"
           : strstr(text, "smtlib:") != NULL ? "smtlib:z3 -in"
                                             : NULL;
}

static bool is_available(const char *solver)
{
    for (size_t i = 0; smt_available()[i] != NULL; i++)
        if (strcmp(smt_available()[i], solver) == 0)
            return true;
    return false;
}

static void agrees_with_the_oracle(void **state)
{
    const char *text = *state;
    unsigned solved = 0, decided = 0;
    if (process_of(text) != NULL && !is_available(process_of(text))) {
        print_message("# skipped: no %s\n", process_of(text));
        skip();
    }
    unsigned count = process_of(text) != NULL ? part_models(3, 1) : part_models(12, 4);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct model *model = oracle_random_model(seed);
        enum verdict expected = oracle_decide(model, 100000);
        struct engine_run run = run_engine(model, text, 1000);
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
        solved += run.result.verdict != VERDICT_UNKNOWN;
        engine_run_finish(&run);
        model_destroy(model);
    }
    print_message("# %s: %u of %u decided\n", text, solved, decided);
    assert_true(solved > 0);
}

// x := 0; while (x < 50) x := x + 1; the error: x = 51.
static struct model *counter(void)
{
    struct position here = {0};
    struct model_builder *b = model_builder_create(&dialect_plain, "counter", NULL);
    struct term_store *store = model_builder_store(b);
    const struct variable *x = model_builder_variable(b, "x", sort_int(store), 0, here);
    struct location *loop = model_builder_location(b, "loop", PHASE_NONE, true);
    struct location *error = model_builder_location(b, "error", PHASE_NONE, true);
    struct statement *step[] = {
        model_assume(b, term_lt(store, x->term, term_int(store, 50)), here),
        model_assign(b, x, term_add2(store, x->term, term_int(store, 1)), here)};
    model_builder_edge(b, loop, loop, model_sequence(b, step, 2, here), "step", here);
    model_builder_edge(b, loop, error,
                       model_assume(b, term_eq(store, x->term, term_int(store, 51)), here), "51",
                       here);
    model_builder_initial(b, loop, model_assign(b, x, term_int(store, 0), here));
    model_builder_error(b, error);
    return model_builder_finish(b);
}

// The last steps of a path contradict each other, whatever came before: one predicate tells that,
// where the start of the path would need fifty.
static void local_causes_are_found(void **state)
{
    (void)state;
    struct model *model = counter();
    struct engine_run run = run_engine(model, "domain=PRED_CART,refinement=SEQ_ITP", 200);
    assert_int_equal(run.result.verdict, VERDICT_SAFE);
    assert_non_null(strstr(run.result.notes, "refinements by farkas"));
    check_safe(&run, 0, "counter");
    engine_run_finish(&run);
    model_destroy(model);
}

static uint64_t lookups(enum cache cache)
{
    return progress.cache_lookups[cache];
}

static uint64_t hits(enum cache cache)
{
    return progress.cache_hits[cache];
}

// Fifty states at one location that differ in a value: each is looked up once, none is compared with the
// others.
static void coverers_are_not_searched_among_all_nodes(void **state)
{
    (void)state;
    struct model *model = counter();
    struct engine_run run = run_engine(model, "domain=EXPL,initprec=ALLVARS,maxenum=0", 10000);
    assert_int_equal(run.result.verdict, VERDICT_SAFE);
    assert_true(progress.nodes_created > 50);
    assert_true(lookups(CACHE_COVERING) <= progress.nodes_created);
    engine_run_finish(&run);
    model_destroy(model);
}

struct tally {
    uint64_t created, lookups, hits;
};

static struct tally tally(const char *text)
{
    struct tally sum = {0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct model *model = oracle_random_model(seed);
        struct engine_run run = run_engine(model, text, 1000);
        sum.created += progress.nodes_created;
        sum.lookups += lookups(CACHE_PREDICATES);
        sum.hits += hits(CACHE_PREDICATES);
        engine_run_finish(&run);
        model_destroy(model);
    }
    return sum;
}

// Lazy pruning keeps nodes that full pruning makes again; with one precision a location, what is made again
// is not asked for again.
static void pruning_loses_no_answers(void **state)
{
    (void)state;
    static const char common[] = "domain=PRED_CART,encoding=SBE,precgranularity=LOCAL,"
                                 "refinement=BW_BIN_ITP,predsplit=ATOMS,prunestrategy=";
    char text[200];
    snprintf(text, sizeof text, "%sLAZY", common);
    struct tally lazy = tally(text);
    snprintf(text, sizeof text, "%sFULL", common);
    struct tally full = tally(text);
    print_message("# lazy: %llu nodes, %llu of %llu posts remembered; full: %llu, %llu of %llu\n",
                  (unsigned long long)lazy.created, (unsigned long long)lazy.hits,
                  (unsigned long long)lazy.lookups, (unsigned long long)full.created,
                  (unsigned long long)full.hits, (unsigned long long)full.lookups);
    assert_true(lazy.created < full.created);
    assert_true(lazy.hits < full.hits);
}

enum { PATHS = 6 };

// Refutes the path that goes around `turns` times before the error.
static void refute_turns(struct refuter *refuter, const struct model *model, size_t turns,
                         struct refutation *out)
{
    const struct edge *edges[PATHS + 1];
    struct trace *trace = NULL;
    for (size_t i = 0; i < turns; i++)
        edges[i] = model->edges[0];
    edges[turns] = model->edges[1];
    assert_int_equal(refute_check(refuter, edges, turns + 1, &trace), REFUTE_SPURIOUS);
    assert_int_equal(refute(refuter, edges, turns + 1, NULL, out), REFUTE_SPURIOUS);
}

// With a solver of its own a path has the same refutation whatever was refuted before.
static void a_fresh_solver_repeats_itself(void **state)
{
    (void)state;
    struct model *model = counter();
    struct messages messages;
    struct configuration configuration;
    messages_init(&messages);
    configuration_init(&configuration, "test");
    assert_true(configuration_parse(&configuration, "freshsolver=on", &messages));
    memset(&progress, 0, sizeof progress);
    struct engine_environment environment = {
        .helpers = engine_all(),
        .model = model,
        .configuration = &configuration,
        .progress = &progress,
        .store = term_store_create(model->store),
    };
    struct workspace workspace;
    struct refuter refuter;
    struct refutation first[PATHS], second[PATHS];
    workspace_init(&workspace, &environment);
    refuter_init(&refuter, &workspace);
    for (size_t k = 0; k < PATHS; k++)
        refute_turns(&refuter, model, k, &first[k]);
    struct smt_statistics once = workspace_solver_statistics(&workspace);
    for (size_t k = PATHS; k-- > 0;)
        refute_turns(&refuter, model, k, &second[k]);
    struct smt_statistics twice = workspace_solver_statistics(&workspace);
    for (size_t k = 0; k < PATHS; k++) {
        assert_int_equal(first[k].way, second[k].way);
        assert_int_equal(first[k].prune, second[k].prune);
        assert_memory_equal(first[k].interpolant, second[k].interpolant,
                            first[k].node_count * sizeof *first[k].interpolant);
        refutation_finish(&first[k]);
        refutation_finish(&second[k]);
    }
    assert_int_equal(twice.checks, 2 * once.checks); // solvers that are gone still count
    assert_null(smt_context_next(workspace.first_solver));
    refuter_finish(&refuter);
    workspace_finish(&workspace);
    term_store_destroy(environment.store);
    configuration_finish(&configuration);
    messages_finish(&messages);
    model_destroy(model);
}

enum { OTHERS = 4 }; // tests that are no settings

int main(int count, char **arguments)
{
    struct CMUnitTest tests[sizeof settings / sizeof *settings + OTHERS] = {
        cmocka_unit_test(local_causes_are_found),
        cmocka_unit_test(coverers_are_not_searched_among_all_nodes),
        cmocka_unit_test(pruning_loses_no_answers),
        cmocka_unit_test(a_fresh_solver_repeats_itself),
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        tests[i + OTHERS] = (struct CMUnitTest){
            .name = settings[i],
            .test_func = agrees_with_the_oracle,
            .initial_state = (void *)settings[i],
        };
    return part_run(count, arguments, tests);
}
