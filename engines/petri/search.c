#include "engines/petri/search.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/heap.h"
#include "base/memory.h"
#include "base/vector.h"
#include "engines/engine.h"
#include "engines/petri/distance.h"
#include "engines/petri/stubborn.h"

// Expansions between two samples; a power of two, at least 64.
#define SAMPLE_STEPS 1024

struct parent {
    uint32_t marking, transition;
};

struct waiting {
    uint64_t distance;
    uint32_t marking;
};

struct search {
    const struct petri_problem *problem;
    const struct net *net;
    enum petri_order order;
    struct petri_distances *distances; // EQUATION_FIRST
    struct stubborn *stubborn;
    uint8_t *chosen;
    struct markings markings;
    VECTOR(struct parent) parents;
    VECTOR(struct waiting) waiting; // a stack, or a heap; BREADTH_FIRST needs none
    uint32_t next;                  // BREADTH_FIRST: the next marking to expand
    int64_t *now, *after;
    uint64_t fired, steps;
};

uint64_t petri_distance(const struct formula *f, const int64_t *marking)
{
    uint64_t best = UINT64_MAX, sum = 0;
    switch (f->kind) {
    case FORMULA_TRUE:
        return 0;
    case FORMULA_FALSE:
        return UINT64_MAX / 4;
    case FORMULA_LINEAR: {
        __int128 value = -f->bound;
        for (uint32_t i = 0; i < f->sum.count; i++)
            value += (__int128)f->sum.data[i].weight * marking[f->sum.data[i].place];
        return value <= 0 ? 0 : value > INT64_MAX / 4 ? UINT64_MAX / 8 : (uint64_t)value;
    }
    case FORMULA_AND:
        for (uint32_t i = 0; i < f->child_count && sum < UINT64_MAX / 8; i++)
            sum += petri_distance(f->child[i], marking);
        return sum;
    case FORMULA_OR:
        for (uint32_t i = 0; i < f->child_count && best > 0; i++) {
            uint64_t one = petri_distance(f->child[i], marking);
            best = one < best ? one : best;
        }
        return best;
    }
    return 0;
}

static bool before(const struct search *s, struct waiting a, struct waiting b)
{
    (void)s;
    return a.distance < b.distance || (a.distance == b.distance && a.marking < b.marking);
}

static void put(struct search *s, size_t position, struct waiting w)
{
    s->waiting.data[position] = w;
}

static void wait(struct search *s, uint32_t marking)
{
    struct waiting w = {0, marking};
    if (s->order >= PETRI_BEST_FIRST) {
        w.distance = s->distances != NULL ? petri_distances_from(s->distances, s->after)
                                          : petri_distance(s->problem->goal, s->after);
        HEAP_PUSH(&s->waiting, w, before, put, s);
    } else if (s->order == PETRI_DEPTH_FIRST) {
        VECTOR_PUSH(&s->waiting, w);
    }
}

static bool take(struct search *s, uint32_t *marking)
{
    if (s->order == PETRI_BREADTH_FIRST) {
        *marking = s->next++;
        return *marking < s->markings.count;
    }
    if (s->waiting.count == 0)
        return false;
    struct waiting first;
    if (s->order >= PETRI_BEST_FIRST)
        HEAP_TAKE(&s->waiting, &first, before, put, s);
    else
        first = VECTOR_POP(&s->waiting);
    *marking = first.marking;
    return true;
}

static void trace_back(struct search *s, uint32_t marking, struct petri_sequence *out)
{
    assert(marking < s->parents.count);
    for (uint32_t m = marking; s->parents.data[m].marking != MARKING_NONE;
         m = s->parents.data[m].marking)
        VECTOR_PUSH(out, s->parents.data[m].transition);
    for (size_t i = 0; i < out->count / 2; i++) {
        uint32_t swapped = out->data[i];
        out->data[i] = out->data[out->count - 1 - i];
        out->data[out->count - 1 - i] = swapped;
    }
}

// Adds s->after. True when it is a goal.
static bool arrive(struct search *s, struct parent parent, const char **why, uint32_t *number)
{
    bool is_new;
    *number = markings_add(&s->markings, s->after, &is_new);
    if (*number == MARKING_NONE)
        *why = "there are too many markings";
    if (!is_new || *why != NULL)
        return false;
    VECTOR_PUSH(&s->parents, parent);
    assert(s->parents.count == s->markings.count && *number + 1 == s->markings.count);
    wait(s, *number);
    return formula_holds(s->problem->goal, s->after);
}

static bool within_memory(const struct search *s)
{
    uint64_t bytes = markings_bytes(&s->markings) + s->parents.capacity * sizeof *s->parents.data +
                     s->waiting.capacity * sizeof *s->waiting.data;
    return s->problem->memory_limit == 0 || bytes < s->problem->memory_limit;
}

// True when a goal was met.
static bool expand(struct search *s, uint32_t marking, const char **why, uint32_t *goal)
{
    size_t bytes = s->net->place_count * sizeof *s->now;
    assert(marking < s->parents.count);
    markings_get(&s->markings, marking, s->now);
    if (s->stubborn != NULL)
        stubborn_choose(s->stubborn, s->now, s->chosen);
    for (uint32_t t = 0; t < s->net->transition_count; t++) {
        const struct net_transition *transition = &s->net->transitions[t];
        if ((s->stubborn != NULL && !s->chosen[t]) || !net_is_enabled(transition, s->now))
            continue;
        memcpy(s->after, s->now, bytes);
        net_fire(transition, s->after);
        s->fired++;
        if (!net_is_counted(transition, s->after)) {
            *why = "a place holds more tokens than are counted";
            return false;
        }
        if (arrive(s, (struct parent){marking, t}, why, goal))
            return true;
        if (*why != NULL)
            return false;
    }
    return false;
}

static bool tell(struct search *s, enum engine_event_kind kind)
{
    struct engine_event event = {
        .kind = kind,
        .iteration = 1,
        .nodes = s->markings.count,
        .waiting = s->order == PETRI_BREADTH_FIRST ? s->markings.count - s->next : s->waiting.count,
        .created = s->markings.count,
        .expanded = s->steps,
        .successors = s->fired};
    return s->problem->tell == NULL || s->problem->tell(s->problem->context, &event);
}

static void run(struct search *s, struct petri_search_result *out)
{
    const char *why = NULL;
    uint32_t marking, goal;
    bool found = arrive(s, (struct parent){MARKING_NONE, 0}, &why, &goal);
    if (!tell(s, EVENT_ROUND))
        why = "stopped";
    while (!found && why == NULL && take(s, &marking)) {
        found = expand(s, marking, &why, &goal);
        if ((++s->steps & 63) == 0) {
            if (!s->problem->go_on(s->problem->context, 64))
                why = "stopped";
            else if (!within_memory(s))
                why = "the markings need more memory than there is";
            else if ((s->steps & (SAMPLE_STEPS - 1)) == 0 && !tell(s, EVENT_SAMPLE))
                why = "stopped";
        }
    }
    if (found)
        trace_back(s, goal, &out->sequence);
    out->answer = found ? PETRI_REACHED : why != NULL ? PETRI_UNDECIDED : PETRI_UNREACHABLE;
    ENSURE(out->answer != PETRI_UNREACHABLE || s->waiting.count == 0);
    out->why = found ? NULL : why;
}

void petri_search(const struct petri_problem *problem, enum petri_order order, bool stubborn,
                  struct petri_search_result *out)
{
    const struct net *net = problem->net;
    struct search s = {.problem = problem, .net = net, .order = order};
    size_t bytes = ((size_t)net->place_count + 1) * sizeof *s.now;
    *out = (struct petri_search_result){0};
    s.now = memory_alloc(bytes);
    s.after = memory_alloc(bytes);
    s.chosen = memory_alloc((size_t)net->transition_count + 1);
    s.distances = order == PETRI_EQUATION_FIRST ? petri_distances_create(problem) : NULL;
    s.stubborn = stubborn ? stubborn_create(net, problem->goal) : NULL;
    markings_init(&s.markings, net->place_count);
    for (uint32_t p = 0; p < net->place_count; p++)
        s.after[p] = net->places[p].marking;
    run(&s, out);
    out->markings = s.markings;
    out->fired = s.fired;
    petri_distances_destroy(s.distances);
    stubborn_destroy(s.stubborn);
    VECTOR_FINISH(&s.parents);
    VECTOR_FINISH(&s.waiting);
    memory_free(s.now);
    memory_free(s.after);
    memory_free(s.chosen);
}

void petri_search_finish(struct petri_search_result *result)
{
    VECTOR_FINISH(&result->sequence);
    markings_finish(&result->markings);
}
