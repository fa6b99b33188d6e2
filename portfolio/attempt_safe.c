#include "base/memory.h"
#include "certify/certificate.h"
#include "portfolio/attempt.h"

// What an attempt does with a proof of safety: it is lifted to the source model and checked there,
// by a solver of its own, before the verdict counts.

// Solver steps for one implication: some tens of seconds. What takes longer is not worth the wait.
#define STEP_LIMIT 20000000

// The proof as one of the source model; NULL when there is none. Caller frees.
static const struct term **lift(struct attempt *a, const struct model *model,
                                const struct term *const *invariant)
{
    const struct term **lifted = NULL;
    for (; model->source; model = model->source) {
        const struct term **next =
            prepare_lift_invariant(model, a->store, lifted ? lifted : invariant);
        memory_free(lifted);
        lifted = next;
    }
    return lifted;
}

static enum certify_result check(struct attempt *a, const struct model *model,
                                 const struct term *const *invariant, uint64_t step_limit,
                                 struct text *why)
{
    struct certify_owner owner = {attempt_publish_solver, a, step_limit};
    return certify_invariant_owned(model, a->store, invariant, smt_backends()[0], &a->stop, &owner,
                                   why);
}

static void conclude_checked(struct attempt *a, enum certify_result result, const char *why)
{
    switch (result) {
    case CERTIFY_ACCEPTED:
        attempt_conclude(a, VERDICT_SAFE, END_SOLVED, why);
        break;
    case CERTIFY_REFUSED:
        attempt_conclude(a, VERDICT_UNKNOWN, END_INTERNAL, "the invariant was refused");
        attempt_conclude(a, VERDICT_UNKNOWN, END_INTERNAL, why);
        break;
    case CERTIFY_UNDECIDED:
        attempt_conclude(a, VERDICT_SAFE, END_SOLVED, "the invariant could not be checked");
        attempt_conclude(a, VERDICT_SAFE, END_SOLVED, why);
        break;
    }
}

static void certify(struct attempt *a, const struct model *model,
                    const struct term *const *invariant, const struct term *const *lifted)
{
    struct text why;
    text_init(&why);
    enum certify_result result = check(a, model_root(model), lifted, STEP_LIMIT, &why);
    // On the model as it was analysed the question is often easier, and the answer worth less.
    if (result == CERTIFY_UNDECIDED && atomic_load(&a->stop) == END_NONE) {
        text_clear(&why);
        result = check(a, model, invariant, 0, &why);
        if (result == CERTIFY_ACCEPTED)
            text_add(&why, "the invariant was checked on the prepared model only");
    }
    conclude_checked(a, result, text_string(&why));
    text_finish(&why);
}

void attempt_check_safe(struct attempt *a, const struct model *model,
                        const struct term *const *invariant, const char *checked)
{
    bool wanted = a->shared->certify || a->shared->keep_certificates;
    if (!wanted || !invariant) {
        attempt_conclude(a, VERDICT_SAFE, END_SOLVED,
                         invariant ? NULL
                         : checked ? checked
                                   : "not certified: the engine gave no invariant");
        return;
    }
    // An answer that comes too late to win must not hold up the race.
    if (atomic_load(&a->stop) != END_NONE) {
        attempt_conclude(a, VERDICT_SAFE, END_SOLVED,
                         "the invariant was not checked: asked to stop");
        return;
    }
    const struct term **lifted = lift(a, model, invariant);
    if (a->shared->certify)
        certify(a, model, invariant, lifted ? lifted : invariant);
    else
        attempt_conclude(a, VERDICT_SAFE, END_SOLVED, NULL);
    if (a->shared->keep_certificates && a->outcome.verdict == VERDICT_SAFE)
        certificate_print_invariant(&a->outcome.certificate, model_root(model),
                                    lifted ? lifted : invariant);
    memory_free(lifted);
}
