#include "base/memory.h"

#include <assert.h>
#include "base/random.h"
#include "base/vector.h"
#include "engines/petri/search.h"

// Enabled transitions are kept up from step to step: only those at places that changed are looked at again.

#define FIRST_LENGTH 200
#define LENGTH_MAX 1000000

struct walk {
    const struct petri_problem *problem;
    const struct net *net;
    struct random random;
    int64_t *marking;
    VECTOR(uint32_t) enabled;
    uint32_t *place_of; // by transition: its place in `enabled` + 1, 0 = not enabled
    bool greedy;
};

static void set_enabled(struct walk *w, uint32_t t, bool enabled)
{
    if (enabled == (w->place_of[t] != 0))
        return;
    if (enabled) {
        VECTOR_PUSH(&w->enabled, t);
        w->place_of[t] = (uint32_t)w->enabled.count;
        return;
    }
    uint32_t place = w->place_of[t] - 1, last = VECTOR_POP(&w->enabled);
    assert(last == t ? place == w->enabled.count : w->enabled.data[place] == t);
    w->place_of[t] = 0;
    if (last == t)
        return;
    w->enabled.data[place] = last;
    w->place_of[last] = place + 1;
}

static void restart(struct walk *w)
{
    const struct net *net = w->net;
    for (uint32_t p = 0; p < net->place_count; p++)
        w->marking[p] = net->places[p].marking;
    for (uint32_t t = 0; t < net->transition_count; t++)
        set_enabled(w, t, net_is_enabled(&net->transitions[t], w->marking));
}

static void fire(struct walk *w, uint32_t t)
{
    const struct net_transition *transition = &w->net->transitions[t];
    assert(w->place_of[t] != 0 && net_is_enabled(transition, w->marking));
    net_fire(transition, w->marking);
    for (uint32_t i = 0; i < transition->effect.count; i++) {
        const struct net_place *place = &w->net->places[transition->effect.data[i].place];
        for (uint32_t k = 0; k < place->user_count; k++)
            set_enabled(w, place->users[k],
                        net_is_enabled(&w->net->transitions[place->users[k]], w->marking));
    }
}

static uint64_t distance_after(struct walk *w, uint32_t t)
{
    const struct net_arcs *effect = &w->net->transitions[t].effect;
    net_fire(&w->net->transitions[t], w->marking);
    uint64_t distance = petri_distance(w->problem->goal, w->marking);
    for (uint32_t i = 0; i < effect->count; i++)
        w->marking[effect->data[i].place] -= effect->data[i].weight;
    return distance;
}

// Any enabled one; the nearest to the goal of a few in two of three steps of a greedy walk.
static uint32_t draw(struct walk *w)
{
    uint32_t count = (uint32_t)w->enabled.count;
    uint32_t best = w->enabled.data[random_below(&w->random, count)];
    if (!w->greedy || random_below(&w->random, 3) == 0)
        return best;
    uint64_t least = distance_after(w, best);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t other = w->enabled.data[random_below(&w->random, count)];
        uint64_t distance = distance_after(w, other);
        if (distance < least) {
            least = distance;
            best = other;
        }
    }
    return best;
}

static enum petri_answer walk_once(struct walk *w, size_t length, struct petri_sequence *out)
{
    VECTOR_CLEAR(out);
    restart(w);
    while (!formula_holds(w->problem->goal, w->marking)) {
        if (out->count == length || w->enabled.count == 0)
            return PETRI_UNDECIDED;
        uint32_t t = draw(w);
        fire(w, t);
        VECTOR_PUSH(out, t);
        if (!net_is_counted(&w->net->transitions[t], w->marking))
            return PETRI_UNDECIDED;
        if ((out->count & 63) == 0 && !w->problem->go_on(w->problem->context, 64))
            return PETRI_UNDECIDED;
    }
    return PETRI_REACHED;
}

static void begin(struct walk *w, const struct petri_problem *problem)
{
    const struct net *net = problem->net;
    *w = (struct walk){.problem = problem, .net = net};
    random_init(&w->random, problem->seed);
    w->marking = memory_alloc(((size_t)net->place_count + 1) * sizeof *w->marking);
    w->place_of = memory_zalloc(((size_t)net->transition_count + 1) * sizeof *w->place_of);
}

static void finish(struct walk *w)
{
    VECTOR_FINISH(&w->enabled);
    memory_free(w->marking);
    memory_free(w->place_of);
}

void petri_visit_walk(const struct petri_problem *problem, uint64_t count,
                      bool (*visit)(void *context, const int64_t *marking), void *context)
{
    struct walk w;
    begin(&w, problem);
    bool start = true, counted = true;
    for (uint64_t i = 0; i < count; i++) {
        if (start)
            restart(&w);
        if (!counted || !visit(context, w.marking))
            break;
        start = w.enabled.count == 0;
        if (start)
            continue;
        uint32_t t = draw(&w);
        fire(&w, t);
        counted = net_is_counted(&w.net->transitions[t], w.marking);
    }
    finish(&w);
}

enum petri_answer petri_walk(const struct petri_problem *problem, struct petri_sequence *out)
{
    struct walk w;
    enum petri_answer answer = PETRI_UNDECIDED;
    size_t length = FIRST_LENGTH;
    begin(&w, problem);
    for (uint64_t round = 0; answer == PETRI_UNDECIDED; round++) {
        w.greedy = round % 2 == 1;
        answer = walk_once(&w, length, out);
        if (answer == PETRI_UNDECIDED && !problem->go_on(problem->context, 1))
            break;
        if (round % 16 == 15 && length < LENGTH_MAX)
            length *= 2;
    }
    finish(&w);
    return answer;
}
