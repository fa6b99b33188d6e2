#include "engines/bounded/bounded.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "engines/bounded/images.h"

void bounded_preparation(const struct configuration *configuration, struct prepare_options *out)
{
    const int64_t *v = configuration->values;
    *out = (struct prepare_options){
        .encoding = v[OPTION_ENCODING] == ENCODING_LBE     ? PREPARE_LARGE_BLOCK
                    : v[OPTION_ENCODING] == ENCODING_LOOPS ? PREPARE_LOOP_BLOCKS
                                                           : PREPARE_SINGLE_BLOCK,
        .propagate_constants = v[OPTION_PROPAGATE],
        .cone_of_influence = v[OPTION_CONE],
        .split_choices = v[OPTION_SPLIT] > 0,
        .split_limit = (uint32_t)v[OPTION_SPLIT],
        .accelerate = v[OPTION_ACCELERATE],
        .phases = v[OPTION_PHASES],
        .reverse = v[OPTION_DIRECTION] == DIRECTION_BACKWARD,
        .recode = engine_recode(configuration),
    };
}

static void undecided(struct bounded *b)
{
    workspace_end(&b->workspace, END_UNKNOWN, "the solver could not decide a run");
}

static void unsafe(struct bounded *b, uint32_t length)
{
    assert((b->refining == NULL || length == 0) && "runs of an abstract view are followed first");
    b->result.trace = monolith_trace(&b->monolith, b->base.smt, length);
    if (b->result.trace != NULL)
        b->result.verdict = VERDICT_UNSAFE;
    else
        workspace_end(&b->workspace, END_UNKNOWN,
                      "the solver's model of a run to the error could not be read");
}

void bounded_safe(struct bounded *b, const struct term **invariant)
{
    // A second proof may bring the invariant that the first one lacked, but none comes after an error.
    ENSURE(b->result.verdict != VERDICT_UNSAFE && b->result.trace == NULL);
    b->result.verdict = VERDICT_SAFE;
    b->result.invariant = invariant;
    b->result.why = invariant != NULL ? NULL : "the proof gives no invariant without quantifiers";
}

void bounded_safe_by(struct bounded *b, const struct term **formulas, struct induction_rule rule)
{
    bounded_safe(b, formulas);
    b->result.rule = rule;
}

bool bounded_has_rows(const struct bounded *b, uint32_t steps, bool distinct)
{
    return workspace_option(&b->workspace, OPTION_DIRECTION) != DIRECTION_BACKWARD &&
           !b->workspace.environment->invariant_unwanted && (b->refining == NULL || !distinct) &&
           steps < INDUCTION_MOST_STEPS;
}

void bounded_safe_by_end(struct bounded *b)
{
    uint32_t steps = b->base.length;
    const struct term **formulas = NULL;
    if (bounded_has_rows(b, steps, b->base.simple))
        formulas = monolith_backward_invariant(&b->monolith, 0, false, NULL);
    bounded_safe_by(b, formulas, (struct induction_rule){steps, b->base.simple, formulas != NULL});
}

// The solver that fits the questions: in an abstract view no interpolants are asked of it.
static void choose_solver(struct bounded *b, bool interpolating)
{
    if (workspace_option(&b->workspace, OPTION_SAT) && monolith_is_finite(&b->monolith) &&
        (!interpolating || b->refining != NULL))
        b->workspace.finite = FINITE_HARD;
}

bool bounded_init(struct bounded *b, const struct engine_environment *environment,
                  bool interpolating)
{
    memset(b, 0, sizeof *b);
    b->interpolating = interpolating;
    workspace_init(&b->workspace, environment);
    monolith_init(&b->monolith, &b->workspace);
    bounds_init(&b->bounds, &b->workspace);
    if (workspace_option(&b->workspace, OPTION_ABSTRACTION) != ABSTRACTION_NONE) {
        b->refining = memory_alloc(sizeof *b->refining);
        refining_init(b->refining, &b->monolith);
        b->workspace.interpolates =
            workspace_option(&b->workspace, OPTION_REFINEMENT) != REFINEMENT_UNSAT_CORE;
    }
    choose_solver(b, interpolating);
    if (!unrolling_init(&b->base, &b->monolith, true))
        return false;
    unrolling_begin(&b->base);
    if (b->workspace.model->initial != b->workspace.model->error)
        return true;
    switch (unrolling_exists(&b->base)) {
    case UNROLLING_YES:
        unsafe(b, 0);
        return false;
    case UNROLLING_UNDECIDED:
        undecided(b);
        return false;
    case UNROLLING_NO: // the initial action cannot run
        bounded_safe(b, monolith_backward_invariant(&b->monolith, 0, true, NULL));
        return false;
    case UNROLLING_STOPPED:
        break;
    }
    return false;
}

static void describe_left_out(const struct bounded *b, char *notes, size_t bytes)
{
    if (b->left_out)
        engine_note(notes, bytes, "%" PRIu32 " lengths passed over after bounds of others",
                    b->left_out);
}

struct engine_result bounded_finish(struct bounded *b)
{
    struct engine_result result = b->result;
    workspace_publish_solver_statistics(&b->workspace);
    atomic_store_explicit(&b->workspace.progress->phase, ENGINE_DONE, memory_order_relaxed);
    bool unknown = result.verdict == VERDICT_UNKNOWN;
    result.reason = unknown ? b->workspace.reason : END_SOLVED;
    if (unknown)
        result.why = b->workspace.why;
    result.solver = workspace_solver_statistics(&b->workspace);
    result.sat_solver = workspace_sat_solver(&b->workspace);
    assert((result.verdict == VERDICT_UNSAFE) == (result.trace != NULL));
    assert(result.invariant == NULL || result.verdict == VERDICT_SAFE);
    unrolling_finish(&b->base);
    describe_left_out(b, result.notes, sizeof result.notes);
    if (b->refining != NULL) {
        refining_describe(b->refining, result.notes, sizeof result.notes);
        refining_finish(b->refining, !unknown);
        memory_free(b->refining);
    }
    bounds_finish(&b->bounds);
    monolith_finish(&b->monolith);
    workspace_finish(&b->workspace);
    return result;
}

bool bounded_round(struct bounded *b)
{
    const struct engine_environment *environment = b->workspace.environment;
    struct progress *p = b->workspace.progress;
    uint64_t round = (uint64_t)b->base.length + 1;
    uint64_t bytes = term_store_bytes(b->workspace.store);
    atomic_store_explicit(&p->iterations, round, memory_order_relaxed);
    atomic_store_explicit(&p->bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&p->phase, ENGINE_ABSTRACTING, memory_order_relaxed);
    workspace_publish_solver_statistics(&b->workspace);
    struct engine_event event = {
        .kind = EVENT_ROUND, .iteration = round, .precision_size = b->monolith.tracked.count};
    if (b->refining != NULL) {
        b->refining->iteration = round;
        refining_cooperate(b->refining);
    }
    workspace_tell(&b->workspace, &event);
    if (environment->memory_limit && bytes > environment->memory_limit)
        workspace_end(&b->workspace, END_MEMORY, "the attempt's memory limit was reached");
    int64_t bound = workspace_option(&b->workspace, OPTION_BOUND);
    if (bound && (int64_t)b->base.length > bound) {
        if (!bounded_confirm(b, b->base.length))
            return false;
        workspace_end(&b->workspace, END_UNKNOWN, "no error up to the bound");
    }
    // An abstract view hears what to track instead, and looks at every length to learn more.
    if (b->refining == NULL)
        bounds_hear(&b->bounds, b->base.length);
    return workspace_step(&b->workspace, 0);
}

// The solver's model is a run of the abstract view to the error. False: the attempt is over.
static bool refine(struct bounded *b)
{
    switch (refining_treat(b->refining, b->base.smt, b->base.length + 1, &b->result.trace)) {
    case REFINING_REFINED:
        return true;
    case REFINING_CONCRETE:
        b->result.verdict = VERDICT_UNSAFE;
        break;
    case REFINING_END:
        break;
    }
    return false;
}

// Others say that no run of the base's length has the error as its next step.
static bool is_told(const struct bounded *b)
{
    return b->base.length < b->bounds.told;
}

static void believe(struct bounded *b)
{
    assert(b->refining == NULL && b->end_believed <= b->base.length);
    if (b->end_believed == 0)
        b->first_believed = b->base.length;
    b->end_believed = b->base.length + 1;
    b->left_out++;
}

bool bounded_check_base(struct bounded *b)
{
    if (is_told(b)) {
        believe(b);
        return workspace_step(&b->workspace, 1);
    }
    enum unrolling_answer answer;
    while ((answer = unrolling_ends_badly(&b->base)) == UNROLLING_YES && b->refining != NULL)
        if (!refine(b))
            return false;
    switch (answer) {
    case UNROLLING_NO:
        bounds_give(&b->bounds, b->base.length + 1);
        return true;
    case UNROLLING_YES:
        unsafe(b, b->base.length + 1);
        return false;
    case UNROLLING_UNDECIDED:
        undecided(b);
        return false;
    case UNROLLING_STOPPED:
        break;
    }
    return false;
}

bool bounded_confirm(struct bounded *b, uint32_t steps)
{
    uint32_t begin = b->first_believed, end = b->end_believed < steps ? b->end_believed : steps;
    if (begin >= end)
        return true;
    bool simple = b->base.simple, going;
    uint32_t length = b->base.length;
    b->first_believed = b->end_believed = b->bounds.told = 0;
    unrolling_finish(&b->base);
    if (!unrolling_init(&b->base, &b->monolith, true))
        return false;
    b->base.simple = simple;
    unrolling_begin(&b->base);
    while (b->base.length < begin)
        unrolling_extend(&b->base);
    while ((going = bounded_check_base(b)) && b->base.length + 1 < end)
        unrolling_extend(&b->base);
    while (going && b->base.length < length)
        unrolling_extend(&b->base);
    assert((!going || b->base.length == length) && "the base stays as long as it was");
    return going;
}

// Every run is shorter than the base, and those were looked at.
static void exhausted(struct bounded *b)
{
    uint32_t length = b->base.length;
    if (!bounded_confirm(b, length))
        return;
    const struct term **invariant =
        b->base.simple ? NULL : monolith_backward_invariant(&b->monolith, length, true, NULL);
    if (invariant == NULL && b->refining != NULL)
        invariant = images_prove(b, NULL);
    if (invariant == NULL && !b->interpolating)
        bounded_safe_by_end(b);
    else
        bounded_safe(b, invariant);
}

bool bounded_extend_base(struct bounded *b)
{
    unrolling_extend(&b->base);
    // Then whether there is one can wait as well; but where a length costs more than that, the end is worth knowing.
    if (is_told(b) && !b->interpolating)
        return workspace_step(&b->workspace, 1);
    switch (unrolling_exists(&b->base)) {
    case UNROLLING_NO:
        exhausted(b);
        return false;
    case UNROLLING_YES:
    case UNROLLING_UNDECIDED:
        return true;
    case UNROLLING_STOPPED:
        break;
    }
    return false;
}
