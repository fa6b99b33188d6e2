#include "engines/pdr/frames.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static const struct term *switch_of(struct frames *f, const char *stem, uint64_t number)
{
    char name[40];
    snprintf(name, sizeof name, "!%s.%llu", stem, (unsigned long long)number);
    return term_var(f->monolith->store, name, sort_bool(f->monolith->store));
}

static const struct term *frame_switch(struct frames *f, uint32_t level)
{
    return switch_of(f, "frame", level);
}

bool frames_init(struct frames *f, struct monolith *m, struct facts *facts, struct arena *arena)
{
    *f = (struct frames){.monolith = m, .facts = facts, .arena = arena};
    struct smt_context *context = workspace_solver(m->workspace);
    if (context == NULL)
        return false;
    f->step = smt_create(context);
    f->bad = smt_create(context);
    f->init = smt_create(context);
    f->now = smt_create(context);
    const struct term *start = monolith_initial_now(m);
    const struct term *begins = term_implies(m->store, frame_switch(f, 0), start);
    const struct term *somewhere = term_or(m->store, m->at, m->model->location_count);
    smt_assert(f->init, start);
    smt_assert(f->step, begins);
    smt_assert(f->step, somewhere);
    smt_assert(f->step, m->transition);
    smt_assert(f->bad, begins);
    smt_assert(f->bad, somewhere);
    smt_assert(f->bad, m->bad);
    VECTOR_PUSH(&f->levels, (struct cube_list){0});
    frames_learn(f);
    return true;
}

void frames_finish(struct frames *f)
{
    for (size_t i = 0; i < f->levels.count; i++)
        VECTOR_FINISH(&f->levels.data[i].cubes);
    VECTOR_FINISH(&f->levels);
    VECTOR_FINISH(&f->assumptions);
    VECTOR_FINISH(&f->core);
    smt_destroy(f->step);
    smt_destroy(f->bad);
    smt_destroy(f->init);
    smt_destroy(f->now);
}

void frames_open(struct frames *f)
{
    assert(f->levels.count == f->top + 1);
    f->top++;
    VECTOR_PUSH(&f->levels, (struct cube_list){0});
}

void frames_learn(struct frames *f)
{
    assert(f->told <= f->facts->table.count);
    facts_define(f->facts, f->step, f->told, true);
    facts_define(f->facts, f->init, f->told, false);
    facts_define(f->facts, f->now, f->told, false);
    f->told = (uint32_t)f->facts->table.count;
}

void frames_block(struct frames *f, const struct cube *cube, uint32_t level)
{
    assert(level > 0 && level <= f->top && "the initial states are what they are");
    struct term_store *store = f->monolith->store;
    for (uint32_t l = 1; l <= level; l++) {
        struct cube_list *list = &f->levels.data[l];
        size_t kept = 0;
        for (size_t i = 0; i < list->cubes.count; i++)
            if (!cube_subsumes(cube, list->cubes.data[i]))
                list->cubes.data[kept++] = list->cubes.data[i];
        list->cubes.count = kept;
    }
    VECTOR_PUSH(&f->levels.data[level].cubes, cube);
    const struct term *clause =
        term_implies(store, frame_switch(f, level), term_not(store, cube_formula(f->facts, cube)));
    smt_assert(f->step, clause);
    smt_assert(f->bad, clause);
}

bool frames_blocks(const struct frames *f, const struct cube *cube, uint32_t level)
{
    for (uint32_t l = level; l <= f->top; l++)
        for (size_t i = 0; i < f->levels.data[l].cubes.count; i++)
            if (cube_subsumes(f->levels.data[l].cubes.data[i], cube))
                return true;
    return false;
}

static enum frames_answer check(struct frames *f, struct smt *smt)
{
    assert(f->told == f->facts->table.count && "the solvers know all facts");
    struct workspace *ws = f->monolith->workspace;
    enum smt_result result = smt_check_assuming(smt, f->assumptions.data, f->assumptions.count);
    if (!workspace_step(ws, 1))
        return FRAMES_STOPPED;
    if (result == SMT_UNKNOWN) {
        if (workspace_tolerate(ws, smt))
            workspace_end(ws, END_UNKNOWN, "the solver could not decide a step");
        return FRAMES_STOPPED;
    }
    return result == SMT_SAT ? FRAMES_YES : FRAMES_NO;
}

static int by_id(const void *a, const void *b)
{
    const struct term *x = *(const struct term *const *)a, *y = *(const struct term *const *)b;
    return (x->id > y->id) - (x->id < y->id);
}

static bool in_core(const struct frames *f, const struct term *assumption)
{
    return f->core.count &&
           bsearch(&assumption, f->core.data, f->core.count, sizeof assumption, by_id) != NULL;
}

// The literals whose assumption is in the solver's core; all of them when it has none.
static void read_core(struct frames *f, struct smt *smt, const uint32_t *literals, size_t count,
                      bool next, struct facts_literals *core)
{
    if (core == NULL)
        return;
    VECTOR_CLEAR(&f->core);
    bool known = smt_unsat_core(smt, &f->core);
    if (f->core.count)
        qsort(f->core.data, f->core.count, sizeof *f->core.data, by_id);
    VECTOR_CLEAR(core);
    for (size_t i = 0; i < count; i++)
        if (!known || in_core(f, next ? literal_next(f->facts, literals[i])
                                      : literal_mark(f->facts, literals[i])))
            VECTOR_PUSH(core, literals[i]);
    assert(core->count <= count);
}

static void assume_frame(struct frames *f, uint32_t level)
{
    VECTOR_CLEAR(&f->assumptions);
    if (level == 0)
        VECTOR_PUSH(&f->assumptions, frame_switch(f, 0));
    for (uint32_t l = level; l > 0 && l <= f->top; l++)
        VECTOR_PUSH(&f->assumptions, frame_switch(f, l));
}

enum frames_answer frames_initial(struct frames *f, const uint32_t *literals, size_t count,
                                  struct facts_literals *core)
{
    VECTOR_CLEAR(&f->assumptions);
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&f->assumptions, literal_mark(f->facts, literals[i]));
    enum frames_answer answer = check(f, f->init);
    if (answer == FRAMES_NO)
        read_core(f, f->init, literals, count, false, core);
    return answer;
}

bool frames_imply(struct frames *f, const uint32_t *literals, size_t count,
                  const struct term *condition, struct facts_literals *enough)
{
    VECTOR_CLEAR(&f->assumptions);
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&f->assumptions, literal_mark(f->facts, literals[i]));
    VECTOR_PUSH(&f->assumptions, term_not(f->monolith->store, condition));
    if (check(f, f->now) != FRAMES_NO)
        return false;
    read_core(f, f->now, literals, count, false, enough);
    return true;
}

enum frames_answer frames_reaches(struct frames *f, const uint32_t *literals, size_t count,
                                  uint32_t level, bool relative, struct facts_literals *core)
{
    assert(level > 0 && level <= f->top);
    struct term_store *store = f->monolith->store;
    const struct term *question = NULL;
    if (f->asked != NULL) // not at once: that would have cost the model
        smt_assert(f->step, term_not(store, f->asked));
    assume_frame(f, level - 1);
    if (relative && level > 1) { // initial states are not in the cube
        struct term_vector outside = {0};
        for (size_t i = 0; i < count; i++)
            VECTOR_PUSH(&outside, term_not(store, literal_now(f->facts, literals[i])));
        question = switch_of(f, "ask", f->questions++);
        smt_assert(f->step,
                   term_implies(store, question, term_or(store, outside.data, outside.count)));
        VECTOR_PUSH(&f->assumptions, question);
        VECTOR_FINISH(&outside);
    }
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&f->assumptions, literal_next(f->facts, literals[i]));
    enum frames_answer answer = check(f, f->step);
    if (answer == FRAMES_NO)
        read_core(f, f->step, literals, count, true, core);
    f->asked = question;
    return answer;
}

enum frames_answer frames_bad(struct frames *f, uint32_t level)
{
    assert(level <= f->top);
    assume_frame(f, level);
    return check(f, f->bad);
}
