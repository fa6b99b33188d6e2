#include "engines/capsules/replay.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/capsules/inside.h"

void capsule_path_finish(struct capsule_path *path)
{
    for (size_t i = 0; i < path->steps.count; i++)
        VECTOR_FINISH(&path->steps.data[i].values);
    VECTOR_FINISH(&path->steps);
}

struct search {
    uint32_t wanted;
    bool found;
    struct capsule_path_step step;
};

static struct capsule_path_step keep_step(const struct capsule_step *step)
{
    struct capsule_path_step kept = {.rule = step->rule,
                                     .instance = step->instance,
                                     .kind = step->kind,
                                     .trigger = step->trigger,
                                     .transition = step->transition,
                                     .which_case = step->which_case};
    for (size_t i = 0; i < step->value_count; i++)
        VECTOR_PUSH(&kept.values, step->words.data[i]);
    return kept;
}

static void find_step(void *context, const struct capsule_step *step, uint32_t target)
{
    struct search *s = context;
    if (s->found || target != s->wanted)
        return;
    s->found = true;
    s->step = keep_step(step);
}

// Which steps the run takes; the closing one of a lasso too.
bool capsule_path_find(struct capsule_kernel *k, const struct ctl_run *run,
                       struct capsule_path *path)
{
    path->loop = run->loop;
    assert(run->loop == SIZE_MAX || run->loop < run->states.count);
    size_t count = run->states.count - (run->loop == SIZE_MAX ? 1 : 0);
    for (size_t i = 0; i < count; i++) {
        struct search s = {.wanted = i + 1 < run->states.count ? run->states.data[i + 1]
                                                               : run->states.data[run->loop]};
        if (!capsule_kernel_steps(k, run->states.data[i], find_step, &s) || !s.found)
            return false;
        VECTOR_PUSH(&path->steps, s.step);
    }
    assert(path->steps.count == count && "a step between any two states");
    return true;
}

// Symbolic runs are followed once more with all symbols kept, and a solver chooses values.

struct pursuit {
    const struct capsule_path_step *wanted;
    bool found;
    uint32_t target;
    struct capsule_path_step step;
};

static void find_alike(void *context, const struct capsule_step *step, uint32_t target)
{
    struct pursuit *p = context;
    const struct capsule_path_step *w = p->wanted;
    if (p->found || step->rule != w->rule || step->instance != w->instance ||
        step->transition != w->transition || step->which_case != w->which_case ||
        (step->kind != CAPSULE_INIT && step->trigger != w->trigger))
        return;
    p->found = true;
    p->target = target;
    p->step = keep_step(step);
}

static void assert_condition(struct capsule_kernel *k, struct smt *solver, uint32_t state)
{
    size_t count;
    const uint32_t *tuple = interner_get(&k->states, state, &count);
    const uint32_t *words = component(k, tuple[0], &count);
    for (uint32_t i = 0; i < words[1]; i++)
        smt_assert(solver, (const struct term *)(uintptr_t)join_words(words + 2 + 2 * i));
}

// The two states are the same but for terms; those have to be equal in value. False: they are not even alike.
static bool assert_equal(struct capsule_kernel *k, struct smt *solver, uint32_t a, uint32_t b)
{
    for (uint32_t i = 1; i < k->width; i++) {
        size_t count, m, n;
        const uint32_t *x = component(k, interner_get(&k->states, a, &count)[i], &m);
        const uint32_t *y = component(k, interner_get(&k->states, b, &count)[i], &n);
        if (m != n)
            return false;
        size_t at = 0;
        while (at < m) {
            size_t header = i <= k->instances ? 3 : 2;
            size_t length = i <= k->instances ? m : element_words(k, x[at], x[at + 1]);
            if (m < header)
                header = m; // a part that is not there
            for (size_t j = 0; j < header && j < length; j++)
                if (x[at + j] != y[at + j])
                    return false;
            for (size_t j = header; j + 1 < length; j += 2)
                smt_assert(solver,
                           term_eq(k->store, (const struct term *)(uintptr_t)join_words(x + at + j),
                                   (const struct term *)(uintptr_t)join_words(y + at + j)));
            at += length;
        }
    }
    return true;
}

// What the formula wants at places of the run. Atoms of the checker's formulas are local formulas of the question.
static void assert_needs(struct capsule_view *view, struct smt *solver,
                         const struct ctl_checker *checker, const struct ctl_formulas *formulas,
                         const struct ctl_run *run, const uint32_t *states)
{
    (void)checker;
    for (size_t i = 0; i < run->needs.count; i++) {
        const struct ctl_need *need = &run->needs.data[i];
        assert(need->position < run->states.count && need->formula < formulas->count);
        const struct ctl_node *n = &formulas->data[need->formula];
        if (n->kind != CTL_ATOM)
            continue;
        const struct term *t = capsule_view_term(view, states[need->position], n->left / 2, false);
        smt_assert(solver, need->truth ? t : term_not(view->kernel->store, t));
    }
}

static bool choose_values(struct capsule_kernel *k, struct smt *solver, struct capsule_path *path)
{
    for (size_t i = 0; i < path->steps.count; i++)
        for (size_t j = 0; j < path->steps.data[i].values.count; j++) {
            uint64_t *word = &path->steps.data[i].values.data[j];
            const struct term *t = (const struct term *)(uintptr_t)*word;
            const struct term *value = smt_model_value(solver, t);
            if (value == NULL)
                return false;
            *word = (uint64_t)(uintptr_t)value;
        }
    (void)k;
    return true;
}

static bool concretise(const struct capsule_ask *ask, const struct ctl_checker *checker,
                       const struct ctl_formulas *formulas, const struct ctl_run *run,
                       struct capsule_kernel *k, struct capsule_path *path)
{
    uint32_t *states = memory_alloc((path->steps.count + 2) * sizeof *states);
    states[0] = capsule_kernel_start(k);
    assert(k->options.keep_symbols);
    bool fine = true;
    for (size_t i = 0; fine && i < path->steps.count; i++) {
        struct pursuit p = {.wanted = &path->steps.data[i]};
        fine = capsule_kernel_steps(k, states[i], find_alike, &p) && p.found;
        if (!fine)
            break;
        states[i + 1] = p.target;
        VECTOR_FINISH(&path->steps.data[i].values);
        path->steps.data[i] = p.step;
    }
    if (fine) {
        struct capsule_view view = {.kernel = k, .question = ask->question};
        struct smt *solver = kernel_solver(k);
        fine = solver != NULL;
        if (fine) {
            smt_reset(solver);
            assert_condition(k, solver, states[path->steps.count]);
            assert_needs(&view, solver, checker, formulas, run, states);
            fine = path->loop == SIZE_MAX ||
                   assert_equal(k, solver, states[path->loop], states[path->steps.count]);
            fine = fine && smt_check(solver) == SMT_SAT && choose_values(k, solver, path);
        }
    }
    memory_free(states);
    return fine;
}

// The walk on the concrete semantics.

static struct plain_step wish_of(struct capsule_kernel *k, struct plain_interpreter *in,
                                 const struct capsule_path_step *step)
{
    struct plain_step wish = {.rule = step->rule,
                              .instance = step->instance,
                              .kind = step->kind,
                              .trigger = step->trigger,
                              .transition = step->transition,
                              .which_case = step->which_case};
    const struct capsule_module *m = capsules_module_of(k->model, step->instance);
    for (size_t i = 0; i < step->values.count; i++) {
        // Values of big numbers belong to a store each: they go over as text.
        const struct sort *sort = m->signals.data[step->trigger].variables.data[i].term->sort;
        const struct term *t = k->options.symbolic
                                   ? (const struct term *)(uintptr_t)step->values.data[i]
                                   : capsule_kernel_term(k, sort, step->values.data[i]);
        struct value v = term_value(t);
        if (!value_is_small(v))
            v = term_value(term_int_text(plain_interpreter_store(in), t->u.text));
        VECTOR_PUSH(&wish.values, v);
    }
    return wish;
}

static uint32_t first_initial(const struct plain_state *state, const struct capsule_path *path,
                              size_t from)
{
    for (size_t i = from; i < path->steps.count; i++)
        if (path->steps.data[i].rule == RULE_DEFAULT &&
            state->parts.data[path->steps.data[i].instance].alive &&
            state->parts.data[path->steps.data[i].instance].initial)
            return path->steps.data[i].instance;
    for (uint32_t i = 0; i < state->parts.count; i++)
        if (state->parts.data[i].alive && state->parts.data[i].initial)
            return i;
    return CAPSULE_NONE;
}

// The model initialises all parts before anything else happens; limited exploration only those it looks at. Does what it has
// put off, the parts first that the path itself initialises later.
static bool catch_up(struct plain_interpreter *in, const struct capsules *model,
                     const struct capsule_path *path, size_t from, struct capsule_run *out)
{
    for (;;) {
        uint32_t i = first_initial(VECTOR_LAST(&out->states), path, from);
        if (i == CAPSULE_NONE)
            return true;
        assert(i < model->instances.count);
        struct plain_step done = {0};
        struct plain_step wish = {.rule = RULE_DEFAULT,
                                  .instance = i,
                                  .kind = CAPSULE_INIT,
                                  .transition = capsules_module_of(model, i)->initial};
        struct plain_state *next =
            plain_interpreter_follow(in, VECTOR_LAST(&out->states), &wish, &done);
        if (next == NULL)
            return false;
        VECTOR_PUSH(&out->steps, done);
        VECTOR_PUSH(&out->states, next);
    }
}

static bool walk(struct plain_interpreter *in, struct capsule_kernel *k,
                 const struct capsule_path *path, struct capsule_run *out)
{
    out->loop = SIZE_MAX;
    VECTOR_PUSH(&out->states, plain_interpreter_start(in));
    for (size_t i = 0; i < path->steps.count; i++) {
        if (i == path->loop)
            out->loop = out->states.count - 1;
        if (path->steps.data[i].rule == RULE_PULL)
            continue;
        if (k->options.limited && path->steps.data[i].rule == RULE_DEFAULT &&
            !VECTOR_LAST(&out->states)->parts.data[path->steps.data[i].instance].initial)
            continue; // done before
        if (k->options.limited && path->steps.data[i].rule != RULE_DEFAULT &&
            !catch_up(in, k->model, path, i, out))
            return false;
        struct plain_step wish = wish_of(k, in, &path->steps.data[i]), done = {0};
        struct plain_state *next =
            plain_interpreter_follow(in, VECTOR_LAST(&out->states), &wish, &done);
        plain_step_finish(&wish);
        if (next == NULL)
            return false;
        VECTOR_PUSH(&out->steps, done);
        VECTOR_PUSH(&out->states, next);
    }
    assert(out->states.count == out->steps.count + 1);
    if (path->loop == SIZE_MAX)
        return true;
    return out->loop + 1 < out->states.count &&
           plain_equal(out->states.data[out->loop], VECTOR_LAST(&out->states));
}

bool capsule_replay_in(const struct capsule_ask *ask, const struct capsule_options *options,
                       struct capsule_kernel *k, const struct ctl_checker *checker,
                       const struct ctl_run *run, struct capsule_answer *answer)
{
    struct capsule_path path = {.loop = SIZE_MAX};
    bool fine = capsule_path_find(k, run, &path);
    struct capsule_kernel *fresh = NULL;
    if (fine && options->symbolic) {
        struct capsule_options keeping = *options;
        const char *why;
        keeping.keep_symbols = true;
        keeping.subsumption = SUBSUME_EQUAL;
        k = fresh = capsule_kernel_create(ask->model, &keeping, &why);
        fine = k != NULL && concretise(ask, checker, ctl_checker_formulas(checker), run, k, &path);
    }
    memset(&answer->run, 0, sizeof answer->run);
    answer->run.interpreter =
        plain_interpreter_create(ask->model, options->queue_bound, options->head_only);
    fine = fine && walk(answer->run.interpreter, k, &path, &answer->run);
    answer->run.deadlock = run->deadlock;
    struct capsule_range range = {options->low, options->high};
    fine = fine && capsule_run_shows(ask->model, ask->question, range, &answer->run,
                                     answer->claim == CTL_TRUE);
    if (!fine) {
        capsule_run_finish(&answer->run);
        memset(&answer->run, 0, sizeof answer->run);
    }
    capsule_kernel_destroy(fresh);
    capsule_path_finish(&path);
    return fine;
}

bool capsule_replay(const struct capsule_ask *ask, struct capsule_view *view,
                    const struct ctl_checker *checker, const struct ctl_run *run,
                    struct capsule_answer *answer)
{
    if (ask->options.abstracted != NULL || ask->options.groups != NULL)
        return capsule_replay_guided(ask, view, checker, run, answer);
    return capsule_replay_in(ask, &ask->options, view->kernel, checker, run, answer);
}
