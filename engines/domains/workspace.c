#include "engines/domains/workspace.h"

#define BRIEF_CONFLICTS 10000

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

// What a record keeps of a solver's words.
#define WHY_BYTES 500

void workspace_init(struct workspace *workspace, const struct engine_environment *environment)
{
    *workspace = (struct workspace){
        .environment = environment,
        .model = environment->model,
        .configuration = environment->configuration,
        .store = environment->store,
        .encoder = encoder_create(environment->model, environment->store),
        .progress = environment->progress,
        .afresh = environment->configuration->values[OPTION_FRESH_SOLVER],
    };
}

static void publish_solvers(struct workspace *workspace, struct smt_context *solver)
{
    const struct engine_environment *environment = workspace->environment;
    if (environment->publish_solver != NULL)
        environment->publish_solver(environment->observer, solver);
}

void workspace_finish(struct workspace *workspace)
{
    if (workspace->first_solver != NULL) {
        publish_solvers(workspace, NULL);
        smt_context_destroy(workspace->first_solver);
    }
    encoder_destroy(workspace->encoder);
}

static bool one_solver(const struct workspace *workspace)
{
    const struct configuration *c = workspace->configuration;
    return strcmp(configuration_solver(c, OPTION_ABSTRACTION_SOLVER),
                  configuration_solver(c, OPTION_REFINEMENT_SOLVER)) == 0;
}

// No SAT solver has the interpolants that refinement asks for.
static bool refinement_needs_own(const struct workspace *workspace)
{
    return workspace->finite && workspace->interpolates;
}

// As one line that lasts as long as the store. Consumes the text.
static const char *kept(struct workspace *workspace, struct text *text)
{
    struct text line;
    text_init(&line);
    text_add_words(&line, text_string(text), text->length, WHY_BYTES);
    const char *copy = term_store_text(workspace->store, text_string(&line));
    text_finish(&line);
    text_finish(text);
    return copy;
}

const char *workspace_sat_solver(const struct workspace *workspace)
{
    switch (workspace->finite) {
    case FINITE_HARD:
        return "cadical";
    case FINITE_EASY:
        return "circuit";
    case FINITE_NO:
        break;
    }
    return workspace->bits_solver != NULL ? "cadical" : NULL;
}

// check_limit: solver steps per check, 0 = none.
static struct smt_context *make_named(struct workspace *workspace, const char *name,
                                      uint64_t check_limit)
{
    const struct engine_environment *environment = workspace->environment;
    struct smt_options options = {
        .seed = environment->seed,
        .stop = environment->stop,
        .step_limit = check_limit,
    };
    const char *error = NULL;
    if (options.step_limit && !solver_name_has_limit(name)) {
        workspace_end(workspace, END_UNSUPPORTED,
                      "checklimit needs a solver that counts its steps: z3 or cvc5");
        return NULL;
    }
    struct smt_context *made = smt_context_create(name, workspace->store, &options, &error);
    if (made == NULL) {
        struct text why;
        text_init(&why);
        text_printf(&why, "%s: %s", name, error);
        workspace_end(workspace, END_SOLVER, kept(workspace, &why));
    } else if (workspace->first_solver != NULL) {
        smt_context_adopt(workspace->first_solver, made);
    } else {
        workspace->first_solver = made;
        publish_solvers(workspace, made);
    }
    return made;
}

static struct smt_context *make_solver(struct workspace *workspace, enum option role,
                                       uint64_t check_limit)
{
    const char *name = configuration_solver(workspace->configuration, role);
    bool own = role == OPTION_REFINEMENT_SOLVER && refinement_needs_own(workspace);
    if (workspace->finite && !own && strcmp(name, "z3") == 0)
        name = workspace_sat_solver(workspace);
    return make_named(workspace, name, check_limit);
}

static uint64_t option_limit(const struct workspace *workspace)
{
    return (uint64_t)workspace_option(workspace, OPTION_CHECK_LIMIT);
}

struct smt_context *workspace_solver(struct workspace *workspace)
{
    if (workspace->solver != NULL || workspace->reason != END_NONE)
        return workspace->solver;
    return workspace->solver =
               make_solver(workspace, OPTION_ABSTRACTION_SOLVER, option_limit(workspace));
}

struct smt_context *workspace_bits_solver(struct workspace *workspace)
{
    if (workspace->bits_solver == NULL && workspace_solver(workspace) != NULL)
        workspace->bits_solver = make_named(workspace, "cadical", 0);
    return workspace->bits_solver;
}

struct smt_context *workspace_brief_solver(struct workspace *workspace)
{
    if (workspace->brief_solver == NULL && workspace_solver(workspace) != NULL)
        workspace->brief_solver = make_named(workspace, "cadical", BRIEF_CONFLICTS);
    return workspace->brief_solver;
}

struct smt_context *workspace_limited_solver(struct workspace *workspace, uint64_t check_limit)
{
    uint64_t own = option_limit(workspace);
    const char *name = configuration_solver(workspace->configuration, OPTION_ABSTRACTION_SOLVER);
    if (workspace_solver(workspace) == NULL || workspace->finite || !solver_name_has_limit(name))
        return workspace->solver;
    return make_solver(workspace, OPTION_ABSTRACTION_SOLVER,
                       own && own < check_limit ? own : check_limit);
}

struct smt_context *workspace_refinement_solver(struct workspace *workspace)
{
    if (workspace->refinement_solver != NULL || workspace->reason != END_NONE)
        return workspace->refinement_solver;
    bool one = one_solver(workspace) && !refinement_needs_own(workspace);
    return workspace->refinement_solver =
               one ? workspace_solver(workspace)
                   : make_solver(workspace, OPTION_REFINEMENT_SOLVER, option_limit(workspace));
}

struct smt_context *workspace_refutation_solver(struct workspace *workspace)
{
    // The first of all stays.
    struct smt_context *lasting = workspace_refinement_solver(workspace);
    if (!workspace->afresh || lasting == NULL)
        return lasting;
    if (workspace->refutation_solver == NULL && workspace->reason == END_NONE)
        workspace->refutation_solver =
            make_solver(workspace, OPTION_REFINEMENT_SOLVER, option_limit(workspace));
    return workspace->refutation_solver;
}

bool workspace_refute_afresh(struct workspace *workspace)
{
    assert(workspace->refutation_solver == NULL && "between refutations");
    bool before = workspace->afresh;
    workspace->afresh = true;
    return !before;
}

void workspace_end_refutation(struct workspace *workspace)
{
    struct smt_context *own = workspace->refutation_solver;
    if (own == NULL)
        return;
    assert(own != workspace->first_solver && own != workspace->solver &&
           own != workspace->refinement_solver);
    workspace->refutation_solver = NULL;
    struct smt_statistics statistics = smt_statistics(own);
    smt_statistics_add(&workspace->past, &statistics);
    publish_solvers(workspace, NULL); // nobody interrupts what is taken apart
    smt_context_disown(workspace->first_solver, own);
    publish_solvers(workspace, workspace->first_solver);
    smt_context_destroy(own);
}

void workspace_end(struct workspace *workspace, enum end_reason reason, const char *why)
{
    assert(reason != END_NONE && reason != END_SOLVED);
    if (workspace->reason != END_NONE)
        return;
    workspace->reason = reason;
    workspace->why = why;
}

void workspace_end_solver(struct workspace *workspace, const char *words)
{
    struct text why;
    if (workspace->reason != END_NONE)
        return;
    text_init(&why);
    text_printf(&why, *words ? "the solver failed: %s" : "the solver failed", words);
    workspace_end(workspace, END_SOLVER, kept(workspace, &why));
}

void workspace_forgive(struct workspace *workspace)
{
    workspace->reason = END_NONE;
    workspace->why = NULL;
}

struct advice workspace_tell(struct workspace *workspace, const struct engine_event *event)
{
    const struct engine_environment *environment = workspace->environment;
    struct advice advice = {.kind = ADVICE_GO_ON};
    struct engine_event counted = *event;
    struct smt_statistics statistics = workspace_solver_statistics(workspace);
    counted.solver_checks = statistics.checks;
    counted.solver_ns = statistics.check_ns;
    if (environment->observe != NULL)
        advice = environment->observe(environment->observer, &counted);
    if (advice.kind == ADVICE_STOP)
        workspace_end(workspace, advice.reason, advice.why);
    return advice;
}

bool workspace_step_at(struct workspace *workspace, uint64_t steps, const char *site)
{
    const struct engine_environment *environment = workspace->environment;
    if (environment->polled != NULL)
        environment->polled(environment->observer, site);
    workspace->steps += steps;
    atomic_store_explicit(&workspace->progress->steps, workspace->steps, memory_order_relaxed);
    int stop = environment->stop != NULL
                   ? atomic_load_explicit(environment->stop, memory_order_relaxed)
                   : END_NONE;
    if (stop != END_NONE)
        workspace_end(workspace, (enum end_reason)stop, NULL);
    if (environment->step_limit && workspace->steps > environment->step_limit)
        workspace_end(workspace, END_STEPS, NULL);
    return workspace->reason == END_NONE;
}

bool workspace_tolerate(struct workspace *workspace, const struct smt *smt)
{
    switch (smt_reason(smt)) {
    case SMT_REASON_MEMORY:
        workspace_end(workspace, END_MEMORY, "the solver ran out of memory");
        break;
    case SMT_REASON_ERROR:
        workspace_end_solver(workspace, smt_error_text(smt));
        break;
    case SMT_REASON_INTERRUPTED:
        if (!workspace_step(workspace, 0))
            break;
        workspace_end(workspace, END_SOLVER, "the solver was interrupted without a request");
        break;
    case SMT_REASON_LIMIT:
        workspace->limited++;
        break;
    case SMT_REASON_NONE:
    case SMT_REASON_INCOMPLETE:
        break;
    }
    return workspace_step(workspace, 0);
}

void workspace_publish_solver_statistics(struct workspace *workspace)
{
    struct smt_statistics s = workspace_solver_statistics(workspace);
    assert(s.translated_terms <= s.translation_lookups && s.sat + s.unsat + s.unknown <= s.checks);
    atomic_store_explicit(&workspace->progress->solver_checks, s.checks, memory_order_relaxed);
    atomic_store_explicit(&workspace->progress->solver_ns, s.check_ns, memory_order_relaxed);
    atomic_store_explicit(&workspace->progress->cache_lookups[CACHE_TERMS], s.translation_lookups,
                          memory_order_relaxed);
    atomic_store_explicit(&workspace->progress->cache_hits[CACHE_TERMS],
                          s.translation_lookups - s.translated_terms, memory_order_relaxed);
}

struct smt_statistics workspace_solver_statistics(const struct workspace *workspace)
{
    struct smt_statistics sum = workspace->past;
    for (const struct smt_context *c = workspace->first_solver; c != NULL;
         c = smt_context_next(c)) {
        struct smt_statistics one = smt_statistics(c);
        smt_statistics_add(&sum, &one);
    }
    return sum;
}

static void describe_solver(const struct workspace *workspace, const struct smt_context *context,
                            const char *what, enum option role, struct text *out)
{
    uint64_t checks = context != NULL ? smt_statistics(context).checks : 0;
    if (role == OPTION_REFINEMENT_SOLVER)
        checks += workspace->past.checks;
    text_printf(out, "%s %" PRIu64 " by %s", what, checks,
                configuration_solver(workspace->configuration, role));
}

void workspace_describe_solvers(const struct workspace *workspace, struct text *out)
{
    assert(out->length == 0);
    if (workspace->limited)
        text_printf(out, "checks that reached checklimit: %" PRIu64, workspace->limited);
    if (one_solver(workspace))
        return;
    text_add(out, out->length ? "; solver checks: " : "solver checks: ");
    describe_solver(workspace, workspace->solver, "abstraction", OPTION_ABSTRACTION_SOLVER, out);
    describe_solver(workspace, workspace->refinement_solver, ", refinement",
                    OPTION_REFINEMENT_SOLVER, out);
}
