#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engines/engine.h"
#include "languages/charts/build.h"
#include "languages/charts/told.h"
#include "languages/language.h"
#include "model/precision_text.h"
#include "tests/engine_run.h"
#include "tests/oracle.h"
#include "tests/part.h"
#include "tests/procedures_model.h"
#include "tests/random_chart.h"
#include "tests/returning_model.h"

// Every place where an engine looks at the stop flag: what happens when the stop comes just there. The
// engine ends without a verdict, for the reason it was given, soon, and leaves nothing behind (address
// sanitizer). Every place that the sources of the engines name is reached.

static const char *const settings[] = {
    "domain=EXPL",
    "domain=EXPL,maxenum=1,refinement=UNSAT_CORE",
    "domain=EXPL,refinement=NWT_SP_LV,precgranularity=LOCAL",
    "domain=PRED_CART",
    "domain=PRED_BOOL,refinement=BW_BIN_ITP",
    "domain=PRED_SPLIT,refinement=FW_BIN_ITP,prunestrategy=FULL",
    "domain=PRED_CART,refinement=NWT_IT_WP",
    "domain=PRED_CART,refinement=UCB",
    "domain=PRED_CART,stop=ALL,refinement=MULTI_SEQ",
    "domain=EXPL_PRED_COMBINED",
    "domain=EXPL_PRED_CART,monitor=MITIGATE,mitigate_safe=true",
    "engine=bmc",
    "engine=kind",
    "engine=imc",
    "engine=bmc,abstraction=PREDICATES",
    "engine=kind,abstraction=PREDICATES",
    "engine=imc,abstraction=VARIABLES,refinement=UNSAT_CORE",
    "engine=ic3",
    "engine=ic3,cubes=PREDICATES",
    "engine=bmc,sat=false,checklimit=1",
    "engine=horn",
};
// These need a chart behind the model.
static const char *const of_charts[] = {
    "engine=charts",
    "engine=charts,checker=MOP,open=VARIABLES",
    "engine=charts,checker=BMC,open=CORE",
};
// These need procedures behind the model.
static const char *const of_procedures[] = {"engine=procedures",
                                            "engine=procedures,integers=false"};
// Others tell these what they know.
static const char *const listening[] = {"engine=bmc", "engine=kind,aux=NONE", "engine=imc"};

// What others say, for engines that listen: a bound of this model, something to track that is of no use, and bounds of
// numbers, some of them true.
static struct text said;

static void say(const struct model *model)
{
    struct term_store *store = term_store_create(model->store);
    text_clear(&said);
    text_printf(&said, "(bound 4 #x%016" PRIx64 ")\n(predicate true)\n", model_digest(model).low);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct term *x = model->variables[v]->term;
        for (int64_t k = -1; k < 6 && x->sort == sort_int(store); k++) {
            struct precision_item item = {.predicate = term_le(store, x, term_int(store, k))};
            precision_text_add(&said, store, &item);
        }
    }
    term_store_destroy(store);
}

static const char *hear(void *context)
{
    (void)context;
    return text_string(&said);
}

enum { MOST_SITES = 128, AFTERWARDS = 60 };
// Of random models; some with an error that values alone lead to, one with numbers of bits that are kept.
static const uint64_t seeds[] = {1, 2, 3, 6, 11};

struct sites {
    const char *names[MOST_SITES];
    size_t visits[MOST_SITES];
    size_t count;
};

struct watched {
    _Atomic int stop;
    struct sites sites;
    const char *stop_at; // site; NULL = never
    size_t nth;          // visit of it at which the stop comes, from 1
    size_t afterwards;   // looks after that
    enum end_reason end; // how the run ended
    bool told;           // others say something
};

static size_t *visits_of(struct sites *sites, const char *name)
{
    for (size_t i = 0; i < sites->count; i++)
        if (strcmp(sites->names[i], name) == 0)
            return &sites->visits[i];
    assert_true(sites->count < MOST_SITES);
    sites->names[sites->count] = name;
    return &sites->visits[sites->count++];
}

static void polled(void *context, const char *site)
{
    struct watched *w = context;
    size_t visit = ++*visits_of(&w->sites, site);
    if (atomic_load(&w->stop) != END_NONE)
        w->afterwards++;
    else if (w->stop_at != NULL && strcmp(w->stop_at, site) == 0 && visit == w->nth)
        atomic_store(&w->stop, END_INTERRUPTED);
}

static struct advice observe(void *context, const struct engine_event *event)
{
    (void)context, (void)event;
    return (struct advice){.kind = ADVICE_GO_ON};
}

static enum verdict run_engine(const struct model *source, const char *text, struct watched *w)
{
    struct engine_run run;
    struct progress progress;
    engine_run_prepare(&run, source, text, &progress);
    say(run.prepared);
    struct engine_environment *e = &run.environment;
    const char *engine = configuration_engine(&run.configuration);
    e->stop = &w->stop;
    // Longer and longer runs become hard for the solver. What others say is proved first.
    e->step_limit = strcmp(engine, "bmc") && strcmp(engine, "kind") ? 400 : w->told ? 24 : 12;
    if (strstr(text, "aux=SIMPLE") != NULL)
        e->step_limit = 200; // facts about elements are looked for first
    if (strcmp(engine, "procedures") == 0)
        e->step_limit = 3000; // simple facts are asked one by one
    e->observe = observe;
    e->observer = w;
    e->hear = w->told ? hear : NULL;
    e->polled = polled;
    engine_run_start(&run);
    const struct engine_result result = run.result;
    if (w->stop_at != NULL) {
        assert_int_equal(result.verdict == VERDICT_UNKNOWN, result.reason != END_SOLVED);
        // What was all but finished may still be, and what had ended by itself keeps its reason.
        if (result.verdict == VERDICT_UNKNOWN && result.reason != END_INTERRUPTED &&
            result.reason != w->end)
            fail_msg("%s, stopped in %s: ended as %s", text, w->stop_at,
                     end_reason_name(result.reason));
    }
    w->end = result.reason;
    engine_run_finish(&run);
    return result.verdict;
}

struct totals {
    struct sites seen,
        stopped; // visits of runs that end by themselves, and of those that are stopped
    size_t runs, late;
};

// The first visit, the last one, and one between.
static void stop_there(const struct model *model, const char *text, const struct watched *free_run,
                       size_t site, struct totals *all)
{
    const struct sites *sites = &free_run->sites;
    size_t visits = sites->visits[site];
    const size_t nth[] = {1, (visits + 1) / 2, visits};
    for (size_t k = 0; k < 3; k++) {
        if (k > 0 && nth[k] == nth[k - 1])
            continue;
        struct watched w = {.stop_at = sites->names[site],
                            .nth = nth[k],
                            .end = free_run->end,
                            .told = free_run->told};
        enum verdict verdict = run_engine(model, text, &w);
        all->runs++;
        for (size_t i = 0; i < w.sites.count; i++)
            ++*visits_of(&all->stopped, w.sites.names[i]);
        if (atomic_load(&w.stop) == END_NONE)
            fail_msg("%s: %s was not reached again", text, sites->names[site]);
        if (w.afterwards > AFTERWARDS)
            fail_msg("%s, stopped in %s: %zu looks at the flag afterwards", text,
                     sites->names[site], w.afterwards);
        all->late += verdict != VERDICT_UNKNOWN;
    }
}

static void stop_everywhere(const struct model *model, const char *text, bool told,
                            struct totals *all)
{
    struct watched free_run = {.told = told};
    run_engine(model, text, &free_run);
    for (size_t i = 0; i < free_run.sites.count; i++) {
        size_t *seen = visits_of(&all->seen, free_run.sites.names[i]);
        // Where a site was tried often, other settings need not go there again.
        if (*seen < part_models(4, 3))
            stop_there(model, text, &free_run, i, all);
        ++*seen;
    }
}

// Its last state is never active, or is some time.
static struct model *chart_model(uint64_t seed)
{
    struct chart *chart = random_chart(CHART_INTERLEAVING, seed);
    struct chart_expression *in =
        chart_make(chart, CHART_ACTIVE, &CHART_TYPE_BOOL, (struct position){"", 0, 0});
    for (uint32_t i = 0; i < chart->state_count; i++) {
        if (chart_can_be_active(chart->states[i]))
            in->state = chart->states[i];
    }
    const struct chart_expression *property = chart_unary(chart, CHART_NOT, in);
    struct chart_view *view = chart_view_create(chart, property);
    return chart_translate(chart, property, &view->map, &view->head);
}

static struct model *cfa_model(const char *text)
{
    extern const struct language language_cfa;
    struct language_request request = {
        .model_path = "model.cfa", .model_text = text, .model_bytes = strlen(text)};
    struct messages messages;
    messages_init(&messages);
    struct model *model = language_cfa.read(&request, &messages);
    assert_non_null(model);
    messages_finish(&messages);
    return model;
}

// Fills an array and looks at each element: proved by a fact about all of them, or, with another number looked for, not.
static struct model *filling_model(bool right)
{
    char text[600];
    snprintf(text, sizeof text,
             "main process p { var a : [bv[4]] -> bv[4] var i : bv[4] var n : bv[4]\n"
             "init loc A loc L loc C error loc E A -> L { i := 4'd0 }\n"
             "L -> L { assume i bvslt n a := a[i <- 4'd7] i := i bvadd 4'd1 }\n"
             "L -> C { assume not (i bvslt n) i := 4'd0 }\n"
             "C -> C { assume i bvslt n and a[i] = 4'd7 i := i bvadd 4'd1 }\n"
             "C -> E { assume i bvslt n and %s } }",
             right ? "a[i] /= 4'd7" : "a[n] /= 4'd7");
    return cfa_model(text);
}

// Adds up the same number, and compares the sum with the product; with a number of rounds that is, or is not, the one of the product.
static struct model *multiplying_model(bool right)
{
    char text[600];
    snprintf(text, sizeof text,
             "main process p { var s : bv[16] var i : bv[16] var x : bv[16] var n : bv[16]\n"
             "init loc A loc L error loc E A -> L { s := 16'd0 i := 16'd0 }\n"
             "L -> L { assume i bvult n s := s bvadd x i := i bvadd 16'd1 }\n"
             "L -> E { assume s /= x bvmul %s } }",
             right ? "i" : "n");
    return cfa_model(text);
}

static void a_stop_ends_the_engine_wherever_it_comes(void **state)
{
    struct totals *all = *state;
    for (size_t m = 0; m < sizeof seeds / sizeof *seeds; m++) {
        struct model *model = oracle_random_model(seeds[m]);
        for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
            stop_everywhere(model, settings[s], false, all);
        for (size_t s = 0; s < sizeof listening / sizeof *listening; s++)
            stop_everywhere(model, listening[s], true, all);
        model_destroy(model);
    }
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct returning_loop loop = returning_random(seed);
        struct model *model = returning_model(&loop);
        stop_everywhere(model, "engine=kind", false, all);
        model_destroy(model);
    }
    for (int right = 0; right < 2; right++) {
        struct model *model = filling_model(right);
        stop_everywhere(model, "engine=kind,encoding=LOOPS,aux=SIMPLE", false, all);
        model_destroy(model);
        model = multiplying_model(right);
        stop_everywhere(model, "engine=kind,encoding=LOOPS", false, all);
        model_destroy(model);
    }
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct model *model = chart_model(seed);
        for (size_t s = 0; s < sizeof of_charts / sizeof *of_charts; s++)
            stop_everywhere(model, of_charts[s], false, all);
        model_destroy(model);
    }
    for (int kind = PROCEDURES_SAFE; kind <= PROCEDURES_QUOTIENT; kind++) {
        struct model *model = procedures_model((enum procedures_kind)kind);
        for (size_t s = 0; s < sizeof of_procedures / sizeof *of_procedures; s++)
            stop_everywhere(model, of_procedures[s], false, all);
        model_destroy(model);
    }
    print_message("# %zu stop sites, %zu runs stopped, %zu answered all the same\n",
                  all->seen.count, all->runs, all->late);
    assert_true(all->seen.count > 15);
    assert_true(all->late < all->runs / 10);
}

// The function that the line begins to define, as these sources are laid out; false if none.
static bool defines(const char *line, char *name, size_t size)
{
    const char *open = strchr(line, '('), *begin = open;
    if (!isalpha((unsigned char)line[0]) || open == NULL || strchr(line, ';') != NULL)
        return false;
    while (begin > line && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
        begin--;
    snprintf(name, size, "%.*s", (int)(open - begin), begin);
    return true;
}

// Runs of a source file's sites that were never reached.
static size_t count_missed(const char *path, const struct sites *seen, size_t *named)
{
    FILE *in = fopen(path, "r");
    char line[512], function[64] = "";
    size_t missed = 0;
    assert_non_null(in);
    while (fgets(line, sizeof line, in) != NULL) {
        if (defines(line, function, sizeof function) || !strstr(line, "workspace_step("))
            continue;
        size_t i = 0;
        while (i < seen->count && strcmp(seen->names[i], function) != 0)
            i++;
        ++*named;
        missed += i == seen->count;
        if (i == seen->count)
            print_message("# %s: %s was never reached\n", path, function);
    }
    fclose(in);
    return missed;
}

// The generator of traces is no engine; whole-program cases interrupt it.
static void every_site_was_reached(void **state)
{
    const struct totals *all = *state;
    glob_t files;
    size_t missed = 0, named = 0;
    assert_int_equal(glob(SOURCE_DIR "/engines/*/*.c", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        if (strstr(files.gl_pathv[i], "/tracegen/") == NULL)
            missed += count_missed(files.gl_pathv[i], &all->stopped, &named);
    globfree(&files);
    print_message("# %zu calls in the sources\n", named);
    assert_true(named > 30);
    assert_int_equal(missed, 0);
}

int main(void)
{
    static struct totals all;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_stop_ends_the_engine_wherever_it_comes, &all),
        cmocka_unit_test_prestate(every_site_was_reached, &all),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    text_finish(&said);
    return failed;
}
