#include "tracegen/capsules/capsule_cover.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/memory.h"

// ---- numbers -----------------------------------------------------------------------------------

#define FAR 64

struct range {
    int64_t low, high;
    bool all;
};

static void note_numbers(struct range *r, const struct term *t, int depth)
{
    if (term_is_literal(t) && t->sort->kind == SORT_INT) {
        struct value v = term_value(t);
        if (!value_is_small(v) || value_small_get(v) > FAR || value_small_get(v) < -FAR) {
            r->all = false;
            return;
        }
        int64_t n = value_small_get(v);
        r->low = n - 1 < r->low ? n - 1 : r->low;
        r->high = n + 1 > r->high ? n + 1 : r->high;
    }
    for (uint32_t i = 0; depth < 200 && i < t->child_count; i++)
        note_numbers(r, t->child[i], depth + 1);
}

void capsule_cover_range(const struct capsules *model, int64_t *low, int64_t *high, bool *all)
{
    struct range r = {-1, 1, true};
    for (size_t m = 0; m < model->modules.count; m++)
        for (size_t i = 0; i < model->modules.data[m].transitions.count; i++) {
            const struct capsule_transition *t = &model->modules.data[m].transitions.data[i];
            note_numbers(&r, t->guard, 0);
            for (size_t c = 0; c < t->cases.count; c++)
                note_numbers(&r, t->cases.data[c].condition, 0);
        }
    assert(r.low <= -1 && r.high >= 1); // around zero at least
    *low = r.low;
    *high = r.high;
    *all = r.all;
}

// ---- what is reached ---------------------------------------------------------------------------

#define NOWHERE UINT32_MAX

struct node {
    struct plain_state *state;
    uint32_t parent;
    struct plain_step step; // what led here; without outputs
};

// How a goal is reached first: the step from a node.
struct way {
    uint32_t from; // NOWHERE: not at all
    size_t length;
    struct plain_step step;
};

struct search {
    const struct capsules *model;
    struct capsule_suite *suite;
    const struct capsule_cover_limits *limits;
    VECTOR(struct node) nodes;
    struct hash_index index; // nodes by their states
    uint32_t at;
    size_t *length; // of the way to each node; grows with nodes
    size_t lengths;
    struct way **location, **transition; // by instance
    int64_t begin_ns;
    bool full;
};

static uint64_t hash_word(uint64_t h, uint64_t word)
{
    return hash_mix(h * 3 + word);
}

static uint64_t hash_state(const struct plain_state *s)
{
    uint64_t h = 1;
    for (size_t i = 0; i < s->parts.count; i++) {
        const struct plain_part *p = &s->parts.data[i];
        h = hash_word(h, p->alive ? 2 + p->initial + ((uint64_t)p->location << 2) : 1);
        for (size_t a = 0; p->alive && a < p->attributes.count; a++)
            h = hash_word(h, p->attributes.data[a].bits);
        for (size_t t = 0; p->alive && t < p->timers.count; t++)
            h = hash_word(h, p->timers.data[t]);
    }
    for (size_t q = 0; q < s->queues.count; q++)
        for (size_t e = 0; e < s->queues.data[q].elements.count; e++) {
            const struct plain_element *x = &s->queues.data[q].elements.data[e];
            h = hash_word(h, (uint64_t)x->receiver << 32 | x->signal);
            for (size_t v = 0; v < x->values.count; v++)
                h = hash_word(h, x->values.data[v].bits);
        }
    return h;
}

static bool is_known(const struct search *s, const struct plain_state *state, uint64_t hash)
{
    struct hash_probe probe = hash_index_probe(&s->index, hash);
    for (uint32_t i; hash_index_next(&s->index, &probe, &i);)
        if (plain_equal(s->nodes.data[i].state, state))
            return true;
    return false;
}

static struct plain_step wish_of(const struct plain_step *step)
{
    struct plain_step wish = {.rule = step->rule,
                              .instance = step->instance,
                              .kind = step->kind,
                              .trigger = step->trigger,
                              .transition = step->transition,
                              .which_case = step->which_case};
    for (size_t i = 0; i < step->values.count; i++)
        VECTOR_PUSH(&wish.values, step->values.data[i]);
    return wish;
}

static void reach(struct search *s, struct way *way, const struct plain_step *step)
{
    if (way->from != NOWHERE)
        return;
    way->from = s->at;
    way->length = s->length[s->at] + 1;
    way->step = wish_of(step);
}

// Is the part in a location?
static bool is_somewhere(const struct capsules *model, uint32_t instance,
                         const struct plain_part *part)
{
    return part->alive && !part->initial &&
           part->location < capsules_module_of(model, instance)->locations.count;
}

// Inner parts start together with their container, in a step of that.
static void note_parts(struct search *s, const struct plain_step *step,
                       const struct plain_state *next)
{
    for (uint32_t i = 0; i < s->model->instances.count; i++) {
        const struct plain_part *before = &s->nodes.data[s->at].state->parts.data[i];
        const struct plain_part *part = &next->parts.data[i];
        if (!is_somewhere(s->model, i, part))
            continue;
        reach(s, &s->location[i][part->location], step);
        if (!is_somewhere(s->model, i, before))
            reach(s, &s->transition[i][capsules_module_of(s->model, i)->initial], step);
    }
}

static void add_node(struct search *s, struct plain_state *state, uint32_t parent,
                     struct plain_step step)
{
    if (s->nodes.count == s->lengths) {
        s->lengths = s->lengths == 0 ? 1024 : 2 * s->lengths;
        s->length = memory_realloc(s->length, s->lengths * sizeof *s->length);
    }
    assert(parent == NOWHERE ? s->nodes.count == 0 : parent < s->nodes.count);
    hash_index_add(&s->index, hash_state(state), (uint32_t)s->nodes.count);
    s->length[s->nodes.count] = parent == NOWHERE ? 0 : s->length[parent] + 1;
    VECTOR_PUSH(&s->nodes, ((struct node){state, parent, step}));
}

static void each_step(void *context, const struct plain_step *step, struct plain_state *next)
{
    struct search *s = context;
    s->suite->steps++;
    if (step->beyond || step->lost_at.count > 0)
        s->suite->complete = false;
    if (step->beyond) {
        plain_destroy(next);
        return;
    }
    if (step->transition != CAPSULE_NONE)
        reach(s, &s->transition[step->instance][step->transition], step);
    note_parts(s, step, next);
    bool known = is_known(s, next, hash_state(next));
    bool room = s->limits->states == 0 || s->nodes.count < s->limits->states;
    if (known || !room) {
        s->full |= !known;
        plain_destroy(next);
        return;
    }
    add_node(s, next, s->at, wish_of(step));
}

static bool must_end(const struct search *s)
{
    const struct capsule_cover_limits *l = s->limits;
    if (l->stop != NULL && atomic_load_explicit(l->stop, memory_order_relaxed) != 0)
        return true;
    return l->seconds > 0 && s->at % 64 == 0 &&
           (double)(clock_wall_ns() - s->begin_ns) / 1e9 > l->seconds;
}

static void explore(struct search *s, struct plain_interpreter *in)
{
    struct plain_state *start = plain_interpreter_start(in);
    s->begin_ns = clock_wall_ns();
    add_node(s, start, NOWHERE, (struct plain_step){0});
    bool ended = false;
    for (s->at = 0; !ended && s->at < s->nodes.count; s->at++) {
        plain_interpreter_steps(in, s->nodes.data[s->at].state, s->limits->low, s->limits->high,
                                each_step, s);
        ended = must_end(s) && s->at + 1 < s->nodes.count;
    }
    s->suite->states = s->nodes.count;
    s->suite->complete &= !ended && !s->full;
}

// ---- runs --------------------------------------------------------------------------------------

struct target {
    struct way *way;
    bool *covered;
    size_t number;
};

static int by_length(const void *a, const void *b)
{
    const struct target *x = a, *y = b;
    if (x->way->length != y->way->length)
        return x->way->length < y->way->length ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

// Values of the exploration's interpreter as those of another: big numbers belong to a store each.
static void carry_values(struct plain_step *wish, struct plain_interpreter *in)
{
    for (size_t i = 0; i < wish->values.count; i++) {
        struct value *v = &wish->values.data[i];
        if (value_known(*v) && !value_is_small(*v))
            *v = term_value(
                term_int_text(plain_interpreter_store(in), value_pointer_get(*v)->u.text));
    }
}

static bool follow(const struct plain_step *step, struct capsule_run *run)
{
    struct plain_step wish = wish_of(step), done = {0};
    carry_values(&wish, run->interpreter);
    struct plain_state *next = plain_interpreter_follow(
        run->interpreter, run->states.data[run->states.count - 1], &wish, &done);
    plain_step_finish(&wish);
    if (next == NULL)
        return false;
    VECTOR_PUSH(&run->steps, done);
    VECTOR_PUSH(&run->states, next);
    assert(run->states.count == run->steps.count + 1);
    return true;
}

// The run to where the goal is reached, done once more from the start.
static bool make_run(const struct search *s, const struct way *way, struct capsule_run *run)
{
    struct capsule_numbers nodes = {0};
    *run = (struct capsule_run){.loop = SIZE_MAX};
    run->interpreter =
        plain_interpreter_create(s->model, s->limits->queue_bound, s->limits->head_only);
    VECTOR_PUSH(&run->states, plain_interpreter_start(run->interpreter));
    for (uint32_t n = way->from; s->nodes.data[n].parent != NOWHERE; n = s->nodes.data[n].parent)
        VECTOR_PUSH(&nodes, n);
    bool fine = true;
    for (size_t i = nodes.count; fine && i-- > 0;)
        fine = follow(&s->nodes.data[nodes.data[i]].step, run);
    fine = fine && follow(&way->step, run);
    VECTOR_FINISH(&nodes);
    return fine;
}

struct marks {
    bool **location, **transition; // by instance
};

static void mark(const struct capsules *model, const struct capsule_run *run, struct marks *marks)
{
    for (size_t i = 0; i < run->steps.count; i++) {
        const struct plain_step *step = &run->steps.data[i];
        if (step->transition != CAPSULE_NONE)
            marks->transition[step->instance][step->transition] = true;
        for (uint32_t p = 0; p < model->instances.count; p++) {
            const struct plain_part *part = &run->states.data[i + 1]->parts.data[p];
            if (!is_somewhere(model, p, part))
                continue;
            marks->location[p][part->location] = true;
            if (!is_somewhere(model, p, &run->states.data[i]->parts.data[p]))
                marks->transition[p][capsules_module_of(model, p)->initial] = true;
        }
    }
}

static size_t count_of(const struct capsules *model, uint32_t instance, bool locations)
{
    const struct capsule_module *m = capsules_module_of(model, instance);
    return locations ? m->locations.count : m->transitions.count;
}

// The goals of one kind, from the farthest: what lies on the way to them needs no run of its own.
static void make_runs(struct search *s, struct marks *marks, bool locations)
{
    VECTOR(struct target) targets = {0};
    for (uint32_t i = 0; i < s->model->instances.count; i++)
        for (size_t k = 0; k < count_of(s->model, i, locations); k++) {
            struct way *way = locations ? &s->location[i][k] : &s->transition[i][k];
            if (way->from != NOWHERE)
                VECTOR_PUSH(&targets,
                            ((struct target){
                                way, locations ? &marks->location[i][k] : &marks->transition[i][k],
                                targets.count}));
        }
    if (targets.count > 1)
        qsort(targets.data, targets.count, sizeof *targets.data, by_length);
    for (size_t i = 0; i < targets.count; i++) {
        struct capsule_run run;
        if (*targets.data[i].covered)
            continue;
        if (make_run(s, targets.data[i].way, &run)) {
            mark(s->model, &run, marks);
            VECTOR_PUSH(&s->suite->runs, run);
        } else {
            capsule_run_finish(&run);
        }
    }
    VECTOR_FINISH(&targets);
}

static void count_goals(struct search *s, const struct marks *marks)
{
    struct capsule_suite *out = s->suite;
    for (uint32_t i = 0; i < s->model->instances.count; i++) {
        const struct capsule_module *m = capsules_module_of(s->model, i);
        for (uint32_t l = 0; l < m->locations.count; l++) {
            out->location_total++;
            out->locations += marks->location[i][l];
            if (!marks->location[i][l])
                VECTOR_PUSH(&out->missed_locations, ((struct capsule_goal){i, l}));
        }
        for (uint32_t t = 0; t < m->transitions.count; t++) {
            out->transition_total++;
            out->transitions += marks->transition[i][t];
            if (!marks->transition[i][t])
                VECTOR_PUSH(&out->missed_transitions, ((struct capsule_goal){i, t}));
        }
    }
}

static struct way **make_ways(const struct capsules *model, bool locations)
{
    struct way **ways = memory_zalloc((model->instances.count + 1) * sizeof *ways);
    for (uint32_t i = 0; i < model->instances.count; i++) {
        size_t count = count_of(model, i, locations);
        ways[i] = memory_zalloc((count + 1) * sizeof *ways[i]);
        for (size_t k = 0; k < count; k++)
            ways[i][k].from = NOWHERE;
    }
    return ways;
}

static void free_ways(const struct capsules *model, struct way **ways, bool locations)
{
    for (uint32_t i = 0; i < model->instances.count; i++) {
        for (size_t k = 0; k < count_of(model, i, locations); k++)
            plain_step_finish(&ways[i][k].step);
        memory_free(ways[i]);
    }
    memory_free(ways);
}

static bool **make_marks(const struct capsules *model, bool locations)
{
    bool **marks = memory_zalloc((model->instances.count + 1) * sizeof *marks);
    for (uint32_t i = 0; i < model->instances.count; i++)
        marks[i] = memory_zalloc((count_of(model, i, locations) + 1) * sizeof *marks[i]);
    return marks;
}

static void free_marks(const struct capsules *model, bool **marks)
{
    for (uint32_t i = 0; i < model->instances.count; i++)
        memory_free(marks[i]);
    memory_free(marks);
}

void capsule_suite_make(struct capsule_suite *suite, const struct capsules *model, unsigned what,
                        const struct capsule_cover_limits *limits)
{
    *suite = (struct capsule_suite){.complete = true};
    struct search s = {.model = model,
                       .suite = suite,
                       .limits = limits,
                       .location = make_ways(model, true),
                       .transition = make_ways(model, false)};
    struct marks marks = {make_marks(model, true), make_marks(model, false)};
    struct plain_interpreter *in =
        plain_interpreter_create(model, limits->queue_bound, limits->head_only);
    explore(&s, in);
    if ((what & CAPSULE_COVER_TRANSITIONS) != 0)
        make_runs(&s, &marks, false);
    if ((what & CAPSULE_COVER_LOCATIONS) != 0)
        make_runs(&s, &marks, true);
    count_goals(&s, &marks);
    for (size_t i = 0; i < s.nodes.count; i++) {
        plain_destroy(s.nodes.data[i].state);
        plain_step_finish(&s.nodes.data[i].step);
    }
    VECTOR_FINISH(&s.nodes);
    hash_index_finish(&s.index);
    memory_free(s.length);
    assert(suite->locations + suite->missed_locations.count == suite->location_total);
    assert(suite->transitions + suite->missed_transitions.count == suite->transition_total);
    free_ways(model, s.location, true);
    free_ways(model, s.transition, false);
    free_marks(model, marks.location);
    free_marks(model, marks.transition);
    plain_interpreter_destroy(in);
}

void capsule_suite_finish(struct capsule_suite *suite)
{
    for (size_t i = 0; i < suite->runs.count; i++)
        capsule_run_finish(&suite->runs.data[i]);
    VECTOR_FINISH(&suite->runs);
    VECTOR_FINISH(&suite->missed_locations);
    VECTOR_FINISH(&suite->missed_transitions);
}
