#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/ensure.h"
#include "base/vector.h"
#include "certify/certify.h"
#include "certify/quantified.h"
#include "logic/terms/eval.h"
#include "logic/terms/print.h"

// A concrete interpreter with backtracking. The state is one array of values; what is left to run
// is a list of frames; assignments and consumed hints go onto a trail so that a failing assumption
// returns to the last choice that no hint decides.

// Statements whose effect was undone: a run that needs no search may be as long as it likes.
#define WASTE_LIMIT 1000000
#define FRAME_BYTES (1u << 20)

// What is left to run: the children of a sequence from `child` on (or one statement), then `after`.
struct frame {
    const struct statement *statement;
    uint32_t child; // of a sequence
    const struct frame *after;
};

struct undo {
    bool is_hint;
    uint32_t index; // of the variable or the hint
    struct value old;
};

struct choice_point {
    const struct statement *choice;
    uint32_t next_branch;
    const struct frame *after;
    size_t step, trail_count, event_count, hint_cursor;
};

struct replay {
    struct trace *trace;
    const struct model *model;
    struct evaluator *evaluator;
    struct value *state;
    struct arena frames;
    const struct frame *next;
    size_t step; // 0 = the initial action, i = trace.steps[i - 1]
    VECTOR(struct undo) trail;
    VECTOR(struct choice_point) points;
    VECTOR(struct trace_event) events;
    size_t *event_start; // per step, and one more
    size_t *hint_start;  // per step
    bool *hint_used;
    size_t hint_cursor;    // where to look first, within the step
    uint64_t wasted;       // statements run in vain
    size_t failure_events; // how far the furthest one came
    struct text failure;
};

static struct trace_step *step_at(struct trace *trace, size_t step)
{
    assert(step <= trace->step_count);
    return step == 0 ? &trace->initial : &trace->steps[step - 1];
}

static struct value lookup(void *context, const struct term *variable)
{
    const struct replay *replay = context;
    const struct variable *found = model_variable_of(replay->model, variable);
    return found != NULL && variable->u.var.index == 0 ? replay->state[found->index]
                                                       : VALUE_UNKNOWN;
}

static struct value default_value(struct trace *trace, const struct sort *sort)
{
    return term_value(term_default(trace->store, sort));
}

// Division by zero is an unknown function, but one and the same in the whole run.
static struct value divide_by_zero(void *context, enum term_kind kind, const struct sort *sort,
                                   struct value dividend)
{
    assert(kind == TERM_DIV || kind == TERM_MOD || kind == TERM_REM);
    struct trace *trace = ((struct replay *)context)->trace;
    if (!value_known(dividend))
        return VALUE_UNKNOWN;
    for (size_t i = 0; i < trace->division_count; i++) {
        const struct trace_division *division = &trace->divisions[i];
        if (division->kind == kind && division->sort == sort &&
            value_equal(division->dividend, dividend))
            return division->result;
    }
    struct value zero = default_value(trace, sort);
    trace_add_division(trace, kind, sort, dividend, zero);
    return zero;
}

static struct value evaluate(struct replay *replay, const struct term *term)
{
    struct value value = evaluator_run(replay->evaluator, term, lookup, replay);
    if (!value_known(value) && (term->flags & TERM_HAS_QUANTIFIER))
        value = quantified_value(replay->trace->store, term, lookup, replay);
    return value;
}

// Keeps the reason of the failure that came furthest.
static void fail(struct replay *replay, const struct statement *statement, const char *what)
{
    if (replay->failure.length > 0 && replay->events.count <= replay->failure_events)
        return;
    replay->failure_events = replay->events.count;
    text_clear(&replay->failure);
    struct text *out = &replay->failure;
    if (replay->step == 0)
        text_add(out, "initial action");
    else
        text_printf(out, "step %zu (%s)", replay->step,
                    step_at(replay->trace, replay->step)->edge->label);
    if (statement->source.line > 0)
        text_printf(out, ", line %u", statement->source.line);
    text_printf(out, ": %s", what);
    if (statement->expression == NULL)
        return;
    text_add(out, ": ");
    print_term(out, statement->expression, replay->model->dialect->terms);
}

static const struct frame *push_frame(struct replay *replay, const struct statement *statement,
                                      uint32_t child, const struct frame *after)
{
    assert(child == 0 || statement->kind == STATEMENT_SEQUENCE);
    struct frame *frame = arena_alloc(&replay->frames, sizeof *frame);
    *frame = (struct frame){statement, child, after};
    return frame;
}

static void assign(struct replay *replay, const struct variable *variable, struct value value)
{
    assert(value_known(value) && "the state of a run is known wholly");
    VECTOR_PUSH(&replay->trail,
                ((struct undo){false, variable->index, replay->state[variable->index]}));
    replay->state[variable->index] = value;
}

static void note(struct replay *replay, const struct statement *statement, struct value value)
{
    VECTOR_PUSH(&replay->events, ((struct trace_event){statement, value}));
}

// The next hint for this statement in this step; consumed.
static bool take_hint(struct replay *replay, const struct statement *statement, struct value *value)
{
    const struct trace_step *step = step_at(replay->trace, replay->step);
    bool *used = replay->hint_used + replay->hint_start[replay->step];
    for (size_t n = 0; n < step->hint_count; n++) {
        size_t i = (replay->hint_cursor + n) % step->hint_count;
        if (used[i] || step->hints[i].statement != statement)
            continue;
        used[i] = true;
        VECTOR_PUSH(&replay->trail,
                    ((struct undo){.is_hint = true,
                                   .index = (uint32_t)(replay->hint_start[replay->step] + i)}));
        replay->hint_cursor = i + 1;
        *value = step->hints[i].value;
        return true;
    }
    return false;
}

static void enter_branch(struct replay *replay, const struct statement *statement, uint32_t branch,
                         const struct frame *after)
{
    assert(statement->kind == STATEMENT_CHOICE && branch < statement->child_count);
    note(replay, statement, value_small(branch));
    replay->next = push_frame(replay, statement->child[branch], 0, after);
}

static bool run_choice(struct replay *replay, const struct statement *choice)
{
    struct value hint;
    if (take_hint(replay, choice, &hint)) {
        enter_branch(replay, choice, (uint32_t)value_small_get(hint), replay->next);
        return true;
    }
    if (choice->child_count > 1)
        VECTOR_PUSH(&replay->points, ((struct choice_point){
                                         choice, 1, replay->next, replay->step, replay->trail.count,
                                         replay->events.count, replay->hint_cursor}));
    enter_branch(replay, choice, 0, replay->next);
    return true;
}

static bool run_assume(struct replay *replay, const struct statement *assume)
{
    struct value holds = evaluate(replay, assume->expression);
    if (!value_is_true(holds)) {
        fail(replay, assume,
             value_known(holds) ? "the assumption does not hold"
                                : "the assumption cannot be evaluated");
        return false;
    }
    note(replay, assume, holds);
    return true;
}

static bool run_assign(struct replay *replay, const struct statement *assignment)
{
    struct value value = evaluate(replay, assignment->expression);
    if (!value_known(value)) {
        fail(replay, assignment, "the assigned expression cannot be evaluated");
        return false;
    }
    assign(replay, assignment->variable, value);
    note(replay, assignment, value);
    return true;
}

static bool run_if(struct replay *replay, const struct statement *statement)
{
    assert(statement->child_count == 2);
    struct value condition = evaluate(replay, statement->expression);
    if (!value_known(condition)) {
        fail(replay, statement, "the condition cannot be evaluated");
        return false;
    }
    note(replay, statement, condition);
    const struct statement *branch = statement->child[value_is_true(condition) ? 0 : 1];
    replay->next = push_frame(replay, branch, 0, replay->next);
    return true;
}

static bool run_havoc(struct replay *replay, const struct statement *havoc)
{
    struct value value;
    if (!take_hint(replay, havoc, &value))
        value = default_value(replay->trace, havoc->variable->sort);
    assign(replay, havoc->variable, value);
    note(replay, havoc, value);
    return true;
}

// Runs the first statement of what is left. False when it cannot run.
static bool run_statement(struct replay *replay)
{
    const struct frame *frame = replay->next;
    const struct statement *statement = frame->statement;
    replay->next = frame->after;
    switch (statement->kind) {
    case STATEMENT_SKIP:
        note(replay, statement, value_bool(true));
        return true;
    case STATEMENT_ASSIGN:
        return run_assign(replay, statement);
    case STATEMENT_ASSUME:
        return run_assume(replay, statement);
    case STATEMENT_HAVOC:
        return run_havoc(replay, statement);
    case STATEMENT_CHOICE:
        return run_choice(replay, statement);
    case STATEMENT_IF:
        return run_if(replay, statement);
    case STATEMENT_SEQUENCE:
        if (frame->child + 1 < statement->child_count)
            replay->next = push_frame(replay, statement, frame->child + 1, frame->after);
        if (frame->child < statement->child_count)
            replay->next = push_frame(replay, statement->child[frame->child], 0, replay->next);
        return true;
    }
    return false;
}

// Returns to the last undecided choice and takes its next branch.
static bool backtrack(struct replay *replay)
{
    if (replay->points.count == 0)
        return false;
    struct choice_point *point = &VECTOR_LAST(&replay->points);
    assert(point->step <= replay->step && point->event_count <= replay->events.count &&
           point->trail_count <= replay->trail.count);
    assert(point->next_branch > 0 && point->next_branch < point->choice->child_count);
    replay->wasted += replay->events.count - point->event_count;
    if (replay->wasted > WASTE_LIMIT) {
        text_clear(&replay->failure);
        text_printf(&replay->failure, "no run found within %d statements", WASTE_LIMIT);
        return false;
    }
    while (replay->trail.count > point->trail_count) {
        struct undo undo = VECTOR_POP(&replay->trail);
        if (undo.is_hint)
            replay->hint_used[undo.index] = false;
        else
            replay->state[undo.index] = undo.old;
    }
    replay->events.count = point->event_count;
    replay->step = point->step;
    replay->hint_cursor = point->hint_cursor;
    struct choice_point at = *point;
    if (++point->next_branch == at.choice->child_count)
        (void)VECTOR_POP(&replay->points);
    enter_branch(replay, at.choice, at.next_branch, at.after);
    return true;
}

static void begin_step(struct replay *replay, size_t step)
{
    assert(replay->next == NULL && "the step before ran to its end");
    const struct statement *action =
        step == 0 ? replay->model->initial_action : step_at(replay->trace, step)->edge->action;
    if (replay->points.count == 0 && replay->frames.bytes > FRAME_BYTES) {
        // Nothing will come back to what ran so far.
        arena_finish(&replay->frames);
        arena_init(&replay->frames);
        VECTOR_CLEAR(&replay->trail);
    }
    replay->step = step;
    replay->hint_cursor = 0;
    replay->event_start[step] = replay->events.count;
    replay->next = push_frame(replay, action, 0, NULL);
}

static void keep_state(struct replay *replay)
{
    struct trace_step *step = step_at(replay->trace, replay->step);
    size_t count = replay->model->variable_count;
    step->state = replay->trace->states + replay->step * count;
    if (count > 0)
        memcpy(step->state, replay->state, count * sizeof *step->state);
}

static bool search(struct replay *replay)
{
    begin_step(replay, 0);
    for (;;) {
        if (replay->next == NULL) {
            keep_state(replay);
            if (replay->step == replay->trace->step_count)
                return true;
            begin_step(replay, replay->step + 1);
            continue;
        }
        if (!run_statement(replay) && !backtrack(replay))
            return false;
    }
}

// Checking what the trace claims before running it.

static bool fits(const struct sort *sort, struct value value)
{
    if (!value_known(value))
        return false;
    if (!value_is_small(value)) {
        const struct term *literal = value_pointer_get(value);
        return term_is_literal(literal) && literal->sort == sort;
    }
    int64_t number = value_small_get(value);
    switch (sort->kind) {
    case SORT_BOOL:
        return number == 0 || number == 1;
    case SORT_INT:
        return true;
    case SORT_ENUM:
        return number >= 0 && number < (int64_t)sort->literal_count;
    case SORT_BV:
        return sort->width <= VALUE_BV_SMALL_WIDTH && number >= 0 &&
               (uint64_t)number >> sort->width == 0;
    default:
        return false;
    }
}

static bool check_hints(const struct trace_step *step, size_t number, struct text *why)
{
    for (size_t i = 0; i < step->hint_count; i++) {
        const struct trace_hint *hint = &step->hints[i];
        bool good = false;
        if (hint->statement->kind == STATEMENT_HAVOC)
            good = fits(hint->statement->variable->sort, hint->value);
        else if (hint->statement->kind == STATEMENT_CHOICE)
            good = value_is_small(hint->value) && value_small_get(hint->value) >= 0 &&
                   value_small_get(hint->value) < (int64_t)hint->statement->child_count;
        if (!good) {
            text_printf(why, "step %zu: hint %zu has no value of its statement", number, i);
            return false;
        }
    }
    return true;
}

static bool check_path(const struct trace *trace, struct text *why)
{
    const struct model *model = trace->model;
    const struct location *at = model->initial;
    for (size_t i = 0; i < trace->step_count; i++) {
        const struct edge *edge = trace->steps[i].edge;
        if (edge->id >= model->edge_count || model->edges[edge->id] != edge) {
            text_printf(why, "step %zu: its edge is not of this model", i + 1);
            return false;
        }
        if (edge->source != at) {
            text_printf(why, "step %zu: its edge starts in %s, but the run is in %s", i + 1,
                        edge->source->name, at->name);
            return false;
        }
        at = edge->target;
    }
    return true;
}

static bool check_end(const struct trace *trace, struct text *why)
{
    const struct location *end = trace_location_at(trace, trace->step_count);
    if (end == trace->model->error)
        return true;
    text_printf(why, "the run ends in %s, not in the error location", end->name);
    return false;
}

static bool check_claims(const struct trace *trace, struct text *why)
{
    for (uint32_t i = 0; i < trace->model->variable_count; i++)
        if (value_known(trace->start[i]) &&
            !fits(trace->model->variables[i]->sort, trace->start[i])) {
            text_printf(why, "the start value of %s is not of its sort",
                        trace->model->variables[i]->name);
            return false;
        }
    if (!check_hints(&trace->initial, 0, why))
        return false;
    for (size_t i = 0; i < trace->step_count; i++)
        if (!check_hints(&trace->steps[i], i + 1, why))
            return false;
    return check_path(trace, why);
}

static void init_replay(struct replay *replay, struct trace *trace)
{
    const struct model *model = trace->model;
    *replay = (struct replay){.trace = trace, .model = model};
    arena_init(&replay->frames);
    text_init(&replay->failure);
    replay->evaluator = evaluator_create(trace->store);
    evaluator_set_zero_division(replay->evaluator, divide_by_zero, replay);
    replay->state = memory_alloc((model->variable_count + 1) * sizeof *replay->state);
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const struct sort *sort = model->variables[i]->sort;
        replay->state[i] = value_known(trace->start[i]) ? trace_own(trace, sort, trace->start[i])
                                                        : default_value(trace, sort);
    }
    trace->states =
        memory_alloc(((trace->step_count + 1) * model->variable_count + 1) * sizeof *trace->states);
    replay->event_start = memory_zalloc((trace->step_count + 2) * sizeof(size_t));
    replay->hint_start = memory_zalloc((trace->step_count + 2) * sizeof(size_t));
    for (size_t i = 0; i <= trace->step_count; i++)
        replay->hint_start[i + 1] = replay->hint_start[i] + step_at(trace, i)->hint_count;
    assert(trace->initial.edge == NULL);
    replay->hint_used = memory_zalloc(replay->hint_start[trace->step_count + 1] + 1);
}

static void finish_replay(struct replay *replay)
{
    evaluator_destroy(replay->evaluator);
    arena_finish(&replay->frames);
    text_finish(&replay->failure);
    VECTOR_FINISH(&replay->trail);
    VECTOR_FINISH(&replay->points);
    VECTOR_FINISH(&replay->events);
    memory_free(replay->state);
    memory_free(replay->event_start);
    memory_free(replay->hint_start);
    memory_free(replay->hint_used);
}

static void keep_events(struct replay *replay)
{
    VECTOR_RESERVE(&replay->events, 1);
    replay->event_start[replay->trace->step_count + 1] = replay->events.count;
    for (size_t i = 0; i <= replay->trace->step_count; i++) {
        struct trace_step *step = step_at(replay->trace, i);
        step->event_count = replay->event_start[i + 1] - replay->event_start[i];
        assert(replay->event_start[i] <= replay->event_start[i + 1]);
        step->events = replay->events.data + replay->event_start[i];
    }
    replay->trace->events = replay->events.data;
    replay->events.data = NULL;
    replay->events.count = replay->events.capacity = 0;
}

// What is arbitrary in it is all that its judge needs, who runs the input.
static bool may_be_followed(struct trace *trace, struct text *why)
{
    const struct model_judge *judge = trace->model->judge;
    trace_take_hints(trace);
    if (judge != NULL && judge->follows)
        return true;
    text_add(why, "the trace leaves out rounds, which only a program's may");
    return false;
}

bool certify_replay(struct trace *trace, struct text *why)
{
    trace_forget_states(trace);
    if (trace->skips)
        return check_claims(trace, why) && check_end(trace, why) && may_be_followed(trace, why);
    return check_path(trace, why) && check_end(trace, why) && certify_replay_run(trace, why);
}

// Each step begins where the one before it ended, and has its state.
static bool is_connected(const struct trace *trace)
{
    const struct location *at = trace->model->initial;
    bool good = trace->initial.state != NULL;
    for (size_t i = 0; good && i < trace->step_count; i++) {
        const struct trace_step *step = &trace->steps[i];
        good = step->edge->source == at && step->state != NULL;
        at = step->edge->target;
    }
    return good;
}

bool certify_replay_run(struct trace *trace, struct text *why)
{
    trace_forget_states(trace);
    if (!check_claims(trace, why))
        return false;
    struct replay replay;
    init_replay(&replay, trace);
    bool found = search(&replay);
    if (found) {
        keep_events(&replay);
        ENSURE(is_connected(trace));
        for (uint32_t i = 0; i < trace->model->variable_count; i++)
            if (!value_known(trace->start[i]))
                trace->start[i] = default_value(trace, trace->model->variables[i]->sort);
    } else {
        trace_forget_states(trace);
        text_add(why, text_string(&replay.failure));
    }
    finish_replay(&replay);
    bool (*replay_again)(const struct trace *, struct text *) = trace->model->dialect->replay;
    if (found && replay_again != NULL && trace->model->source == NULL &&
        !replay_again(trace, why)) {
        trace_forget_states(trace);
        return false;
    }
    return found;
}
