#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/ensure.h"
#include "base/memory.h"
#include "certify/certificate.h"
#include "certify/panel.h"
#include "model/procedures.h"
#include "portfolio/attempt.h"

// What an attempt does with a proof of safety: it is lifted to the source model and checked there by solvers of their
// own before the verdict counts. Checking has a time of its own, apart from the step's; the race goes on meanwhile.

#define SECOND_NS INT64_C(1000000000)
// Solver steps for one implication, of each checker: some tens of seconds.
#define STEP_LIMIT 20000000
// A check may take as long as the proof took, and so long in any case.
#define LEAST_NS (10 * SECOND_NS)
// So much CPU time before the next checker begins beside those that have not decided.
#define PATIENCE_NS (SECOND_NS / 4)
// What part of the time is kept for the prepared model, where the question is often easier.
#define PREPARED_PART 4
#define MOST_CHECKERS 4

// The proof as one of the source model; NULL when there is none. Caller frees.
static const struct term **lift(struct attempt *a, const struct model *model,
                                const struct term *const *invariant)
{
    const struct term **lifted = NULL;
    for (; model->source != NULL; model = model->source) {
        const struct term **next =
            prepare_lift_invariant(model, a->store, lifted != NULL ? lifted : invariant);
        ENSURE(next != NULL); // or the next link would get formulas of another model
        memory_free(lifted);
        lifted = next;
    }
    return lifted;
}

static bool has_finite_values(const struct model *model)
{
    for (uint32_t v = 0; v < model->variable_count; v++)
        if (!smt_is_finite(model->variables[v]->term))
            return false;
    return true;
}

static bool is_on_path(const char *solver)
{
    for (const char *const *name = smt_available(); *name != NULL; name++)
        if (strcmp(*name, solver) == 0)
            return true;
    return false;
}

// In the order in which they begin. Where all values are finite a SAT solver is mostly the quickest, and one that had no
// part in the proof comes first. Of arrays it can answer some questions (certify/ground.h).
static void choose_checkers(const struct attempt *a, const struct model *model,
                            const char *out[MOST_CHECKERS + 1])
{
    size_t count = 0;
    bool finite = has_finite_values(model), arrays = !finite && model_has_arrays(model);
    bool same = a->sat_solver != NULL && strcmp(a->sat_solver, "circuit") == 0;
    if (finite)
        out[count++] = same ? "cadical" : "circuit";
    out[count++] = smt_backends()[0];
    if (arrays)
        out[count++] = same ? "cadical" : "circuit";
    if (finite || arrays)
        out[count++] = same ? "circuit" : "cadical";
    if (is_on_path("cvc5"))
        out[count++] = "cvc5";
    out[count] = NULL;
    assert(count <= MOST_CHECKERS);
}

// A step's deadline is the engine's; a check has its own. All other reasons to stop end it too.
static bool unwanted(void *context)
{
    struct attempt *a = context;
    int stop = atomic_load(&a->stop);
    return (stop != END_NONE && stop != END_TIMEOUT) || atomic_load(&a->unwaited);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t check_until_ns(const struct attempt *a, int64_t now)
{
    int64_t most = (int64_t)(a->shared->check_seconds * 1e9);
    if (most == 0)
        most = now - a->started_ns > LEAST_NS ? now - a->started_ns : LEAST_NS;
    int64_t end = a->shared->end_ns;
    return earlier(now + most, end < INT64_MAX - CHECK_OVERRUN_NS ? end + CHECK_OVERRUN_NS : end);
}

static uint64_t memory_left(const struct attempt *a)
{
    uint64_t held = memory_thread_bytes(), all = a->base_bytes + a->memory_limit;
    if (!a->memory_limit)
        return 0;
    return held < all - a->memory_limit / 8 ? all - held : a->memory_limit / 8;
}

static enum certify_result ask(struct attempt *a, const struct model *model,
                               struct term_store *store, const struct term *const *invariant,
                               struct induction_rule rule, int64_t until_ns, struct text *why)
{
    const char *checkers[MOST_CHECKERS + 1];
    choose_checkers(a, model, checkers);
    const struct panel panel = {
        .model = model,
        .store = store,
        .invariant = invariant,
        .rule = rule,
        .checkers = checkers,
        .step_limit = STEP_LIMIT,
        .until_ns = until_ns,
        .patience_ns = PATIENCE_NS,
        .unwanted = unwanted,
        .context = a,
        .memory_limit = memory_left(a),
        .cpu_account = &a->page->programs_ns,
    };
    struct panel_answer answer;
    // Should this thread be refused memory now, checkers may be at work: then all stays where it is.
    bool left = a->checker_left;
    a->checker_left = true;
    panel_ask(&panel, &answer);
    a->checker_left = left || answer.left;
    if (answer.result == CERTIFY_ACCEPTED)
        a->outcome.checker = answer.checker;
    text_add(why, text_string(&answer.why));
    enum certify_result result = answer.result;
    panel_answer_finish(&answer);
    return result;
}

// Nobody knows whether the proof is one. What the engine says stands, unless only checked verdicts count, or its model is
// not the source's but for what a check says.
static void conclude_unchecked(struct attempt *a, enum check checked, const char *what,
                               const char *why)
{
    assert(checked != CHECK_PASSED);
    a->outcome.checked = checked;
    enum end_reason stop = (enum end_reason)atomic_load(&a->stop);
    bool strict = a->shared->require_checked || attempt_may_err(a);
    enum end_reason reason = !strict                           ? END_SOLVED
                             : unwanted(a) && stop != END_NONE ? stop
                                                               : END_UNCHECKED;
    attempt_conclude(a, strict ? VERDICT_UNKNOWN : VERDICT_SAFE, reason, what);
    if (why != NULL)
        attempt_conclude(a, a->outcome.verdict, reason, why);
}

static void conclude_refused(struct attempt *a, struct induction_rule rule, const char *why)
{
    // Which states of the source differ is asked anew by whoever checks: other variables may matter there.
    if (rule.distinct) {
        conclude_unchecked(a, CHECK_MISSING, "the proof by distinct states could not be checked",
                           why);
        return;
    }
    // What a proof over integers says may be more than can be said of words.
    enum end_reason reason = attempt_may_err(a) ? END_UNCHECKED : END_INTERNAL;
    attempt_conclude(a, VERDICT_UNKNOWN, reason, "the invariant was refused");
    attempt_conclude(a, VERDICT_UNKNOWN, reason, why);
}

// Of the model as it was read. Preparation leaves out steps that change nothing, so that all runs end may be true of what it
// made and not of the source, where they go round: then it is true of runs that come to no state twice.
static enum certify_result ask_of_source(struct attempt *a, const struct model *model,
                                         const struct term *const *lifted,
                                         struct induction_rule *rule, int64_t until_ns,
                                         struct text *why)
{
    enum certify_result result = ask(a, model_root(model), a->store, lifted, *rule, until_ns, why);
    if (result != CERTIFY_REFUSED || model->source == NULL || !rule->ends || rule->distinct)
        return result;
    rule->distinct = true;
    text_clear(why);
    return ask(a, model_root(model), a->store, lifted, *rule, until_ns, why);
}

// The rule becomes the one by which it is a proof about the source.
static void check(struct attempt *a, const struct model *model, const struct term *const *invariant,
                  const struct term *const *lifted, struct induction_rule *rule)
{
    assert((lifted != NULL) == (model->source != NULL));
    int64_t now = clock_wall_ns(), until = check_until_ns(a, now);
    struct text why;
    text_init(&why);
    int64_t source_until = lifted != NULL ? until - (until - now) / PREPARED_PART : until;
    const struct induction_rule said = *rule;
    enum certify_result result =
        ask_of_source(a, model, lifted != NULL ? lifted : invariant, rule, source_until, &why);
    if (result == CERTIFY_ACCEPTED) {
        a->outcome.checked = CHECK_PASSED;
        attempt_conclude(a, VERDICT_SAFE, END_SOLVED, NULL);
    } else if (result == CERTIFY_REFUSED) {
        conclude_refused(a, *rule, text_string(&why));
    } else if (lifted == NULL || unwanted(a)) {
        conclude_unchecked(a, CHECK_MISSING, "the invariant could not be checked",
                           text_string(&why));
    } else {
        struct text again;
        text_init(&again);
        result = ask(a, model, a->store, invariant, said, until, &again);
        if (result == CERTIFY_ACCEPTED)
            conclude_unchecked(a, CHECK_PREPARED,
                               "the invariant was checked on the prepared model only",
                               text_string(&why));
        else if (result == CERTIFY_REFUSED)
            conclude_refused(a, said, text_string(&again));
        else
            conclude_unchecked(a, CHECK_MISSING, "the invariant could not be checked",
                               text_string(&why));
        text_finish(&again);
    }
    text_finish(&why);
}

static void check_in_time(struct attempt *a, const struct model *model,
                          const struct term *const *invariant, const struct term *const *lifted,
                          struct induction_rule *rule)
{
    int64_t begin = clock_wall_ns();
    atomic_store(&a->page->check_until_ns, check_until_ns(a, begin));
    memory_thread_limit(0); // the checkers have limits of their own
    check(a, model, invariant, lifted, rule);
    if (a->memory_limit)
        memory_thread_limit(a->base_bytes + a->memory_limit);
    a->outcome.check_ns = clock_wall_ns() - begin;
}

// The contracts' model stays for ever when a checker that looks at it is left behind.
static enum certify_result ask_about_contracts(struct attempt *a, struct term_store *store,
                                               const struct term *const *formulas, struct text *why)
{
    const struct procedures *view = procedures_of(a->shared->model);
    struct model *contracts = procedures_contracts(view, store, formulas, why);
    if (contracts == NULL)
        return CERTIFY_REFUSED;
    int64_t begin = clock_wall_ns(), until = check_until_ns(a, begin);
    atomic_store(&a->page->check_until_ns, until);
    memory_thread_limit(0); // the checkers have limits of their own
    const struct induction_rule single = {0};
    enum certify_result result = ask(a, contracts, contracts->store, formulas, single, until, why);
    if (a->memory_limit)
        memory_thread_limit(a->base_bytes + a->memory_limit);
    a->outcome.check_ns = clock_wall_ns() - begin;
    if (!a->checker_left)
        model_destroy(contracts);
    return result;
}

void attempt_check_procedures(struct attempt *a, struct term_store *store,
                              const struct term *const *formulas)
{
    if (!a->shared->certify || unwanted(a)) {
        conclude_unchecked(
            a, CHECK_MISSING,
            a->shared->certify ? "the summaries were not checked: asked to stop" : NULL, NULL);
    } else {
        struct text why;
        text_init(&why);
        enum certify_result result = ask_about_contracts(a, store, formulas, &why);
        if (result == CERTIFY_ACCEPTED) {
            a->outcome.checked = CHECK_PASSED;
            attempt_conclude(a, VERDICT_SAFE, END_SOLVED, NULL);
        } else if (result == CERTIFY_REFUSED) {
            conclude_refused(a, (struct induction_rule){0}, text_string(&why));
        } else {
            conclude_unchecked(a, CHECK_MISSING, "the summaries could not be checked",
                               text_string(&why));
        }
        text_finish(&why);
    }
    if (a->shared->keep_certificates && a->outcome.verdict == VERDICT_SAFE)
        certificate_print_procedures(&a->outcome.certificate, procedures_of(a->shared->model),
                                     formulas);
}

void attempt_check_safe(struct attempt *a, const struct model *model,
                        const struct engine_result *result)
{
    const struct term *const *invariant = result->invariant;
    bool wanted = a->shared->certify || a->shared->keep_certificates;
    if (invariant == NULL &&
        result->checked != NULL) { // by the engine's own checker, which looked at the source
        a->outcome.checked = CHECK_PASSED;
        attempt_conclude(a, VERDICT_SAFE, END_SOLVED, result->checked);
        return;
    }
    if (!wanted || invariant == NULL) {
        conclude_unchecked(a, CHECK_MISSING,
                           invariant != NULL ? NULL : "not certified: the engine gave no invariant",
                           NULL);
        return;
    }
    // An answer that comes too late to win must not hold up the race.
    if (unwanted(a)) {
        conclude_unchecked(a, CHECK_MISSING, "the invariant was not checked: asked to stop", NULL);
        return;
    }
    const struct term **lifted = lift(a, model, invariant);
    struct induction_rule rule = result->rule;
    if (a->shared->certify)
        check_in_time(a, model, invariant, lifted, &rule);
    else
        conclude_unchecked(a, CHECK_MISSING, NULL, NULL);
    if (a->shared->keep_certificates && a->outcome.verdict == VERDICT_SAFE) {
        certificate_print_rule(&a->outcome.certificate, rule);
        certificate_print_invariant(&a->outcome.certificate, model_root(model),
                                    lifted != NULL ? lifted : invariant);
    }
    memory_free(lifted);
}
