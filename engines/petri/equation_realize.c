#include <assert.h>

#include "base/components.h"
#include "base/memory.h"
#include "base/vector.h"
#include "engines/petri/equation.h"
#include "engines/petri/equation_firing.h"
#include "engines/petri/markings.h"
#include "languages/petri/linear.h"

// A sequence that fires a solution exactly. All that is left must still fire, so in each marking it is enough to try the
// enabled ones of a set that is closed (stubborn: Valmari; Schmidt 1999): with an enabled transition it has those that this one
// hinders, with a disabled one all that fill (empty) some place that holds it back. The first of the set in a sequence that
// fires everything is enabled now and can be moved to the front; and such a sequence has one, as everything fires.
// A closed set without an enabled transition never fires: then there is no such sequence.
//
// Where that is not soon decided, a linear program is asked about each transition that cannot fire at the start: do some of the
// counts together bring what it needs? Tokens that are sent round in vain are told apart by that, and by the search only after
// all ways to send them. Floating point numbers may only lose a sequence here, never make one up.

#define SUPPLY_AFTER 32 // markings
#define SUPPLY_PROGRAMS 8

struct level {
    size_t length;    // of the sequence when it was entered
    size_t next, end; // among the choices: those not yet tried
    size_t begin;
};

struct realization {
    struct firing firing;
    struct markings seen; // firings left: the marking follows from them
    VECTOR(struct level) levels;
    VECTOR(uint32_t) choices; // of the levels
    // Who must come with whom, among what is left.
    uint32_t *nodes, *number; // transition by node, node by transition
    uint32_t node_count;
    uint32_t *first;
    VECTOR(uint32_t) target;
    uint8_t *enabled; // by node
};

static void begin(struct realization *r, const struct petri_problem *problem, const int64_t *counts,
                  const uint32_t *order)
{
    size_t size = (size_t)problem->net->transition_count + 1;
    *r = (struct realization){.nodes = memory_alloc(size * sizeof *r->nodes),
                              .number = memory_alloc(size * sizeof *r->number),
                              .first = memory_alloc(size * sizeof *r->first),
                              .enabled = memory_alloc(size)};
    firing_begin(&r->firing, problem, counts, order);
    markings_init(&r->seen, problem->net->transition_count);
}

static void finish(struct realization *r)
{
    firing_finish(&r->firing);
    markings_finish(&r->seen);
    VECTOR_FINISH(&r->levels);
    VECTOR_FINISH(&r->choices);
    VECTOR_FINISH(&r->target);
    memory_free(r->nodes);
    memory_free(r->number);
    memory_free(r->first);
    memory_free(r->enabled);
}

static bool asks_go_on(struct firing *f, uint64_t every)
{
    if (++f->steps % every == 0 && !f->problem->go_on(f->problem->context, every))
        f->stopped = true;
    return !f->stopped;
}

// Fires what is harmless until nothing is.
static void advance(struct firing *f)
{
    for (bool again = true; again && f->total > 0 && !f->stopped;) {
        again = false;
        for (uint32_t i = 0; i < f->net->transition_count; i++) {
            uint32_t t = f->order[i];
            while (firing_can(f, t) && firing_is_harmless(f, t)) {
                firing_fire(f, t);
                again = true;
                if (!asks_go_on(f, 1024))
                    return;
            }
        }
    }
}

// What is left gives each place enough for the hungriest of what is left. Otherwise nothing fires all of it from here.
static bool may_finish(const struct firing *f)
{
    const struct net *net = f->net;
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const struct net_transition *transition = &net->transitions[t];
        for (uint32_t i = 0; f->left[t] > 0 && i < transition->pre.count; i++) {
            const struct net_arc *arc = &transition->pre.data[i];
            int64_t most = f->marking[arc->place];
            const struct net_place *place = &net->places[arc->place];
            for (uint32_t k = 0; k < place->user_count && most < arc->weight; k++) {
                uint32_t other = place->users[k];
                int64_t gain = f->left[other]
                                   ? net_arcs_weight(&net->transitions[other].effect, arc->place)
                                   : 0;
                // A transition that gives a token back after it took it does not help itself.
                most += gain > 0 ? gain * (f->left[other] - (other == t)) : 0;
            }
            if (most < arc->weight)
                return false;
        }
    }
    return true;
}

// ---- Closed sets

// Those left that fill the place (sign 1) or empty it (-1): how many, and where `to` is set as targets.
static uint32_t helpers(struct realization *r, uint32_t place, int sign, bool to)
{
    const struct firing *f = &r->firing;
    const struct net_place *p = &f->net->places[place];
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->user_count; k++) {
        uint32_t other = p->users[k];
        if (f->left[other] == 0 ||
            net_arcs_weight(&f->net->transitions[other].effect, place) * sign <= 0)
            continue;
        count++;
        if (to)
            VECTOR_PUSH(&r->target, r->number[other]);
    }
    return count;
}

// Of the places that hold the transition back, one that the fewest can mend.
static void add_helpers(struct realization *r, const struct net_transition *t)
{
    const int64_t *marking = r->firing.marking;
    uint32_t fewest = UINT32_MAX, best = 0;
    int best_sign = 1;
    for (uint32_t i = 0; i < t->pre.count + t->inhibit.count; i++) {
        bool fills = i < t->pre.count;
        const struct net_arc *arc = fills ? &t->pre.data[i] : &t->inhibit.data[i - t->pre.count];
        if (fills == (marking[arc->place] >= arc->weight))
            continue;
        uint32_t count = helpers(r, arc->place, fills ? 1 : -1, false);
        if (count < fewest) {
            fewest = count;
            best = arc->place;
            best_sign = fills ? 1 : -1;
        }
    }
    assert(fewest != UINT32_MAX && "something holds back what is not enabled");
    helpers(r, best, best_sign, true);
}

static void add_hindered(struct realization *r, uint32_t t)
{
    const struct firing *f = &r->firing;
    const struct net_arcs *effect = &f->net->transitions[t].effect;
    for (uint32_t i = 0; i < effect->count; i++) {
        const struct net_place *place = &f->net->places[effect->data[i].place];
        for (uint32_t k = 0; k < place->user_count; k++)
            if (firing_hinders(f, t, place->users[k]))
                VECTOR_PUSH(&r->target, r->number[place->users[k]]);
    }
}

static void make_graph(struct realization *r)
{
    const struct firing *f = &r->firing;
    r->node_count = 0;
    for (uint32_t i = 0; i < f->net->transition_count; i++) {
        uint32_t t = f->order[i];
        if (f->left[t] > 0) {
            r->number[t] = r->node_count;
            r->nodes[r->node_count++] = t;
        }
    }
    VECTOR_CLEAR(&r->target);
    assert(r->node_count > 0);
    for (uint32_t n = 0; n < r->node_count; n++) {
        uint32_t t = r->nodes[n];
        r->first[n] = (uint32_t)r->target.count;
        r->enabled[n] = firing_can(f, t);
        if (r->enabled[n])
            add_hindered(r, t);
        else
            add_helpers(r, &f->net->transitions[t]);
    }
    r->first[r->node_count] = (uint32_t)r->target.count;
}

// The component with the fewest enabled ones of those that lead nowhere else: they are the least closed sets. 0: from some
// transition no enabled one is met.
static uint32_t least_closed(const struct realization *r, const struct components *c)
{
    uint8_t *fires = memory_zalloc((size_t)c->count + 1); // it, or what it leads to
    uint32_t best = 0, fewest = UINT32_MAX;
    bool all = true;
    for (uint32_t id = 1; id <= c->count && all; id++) {
        uint32_t enabled = 0;
        bool leads_on = false;
        for (uint32_t m = c->begin[id - 1]; m < c->begin[id]; m++) {
            uint32_t n = c->members[m];
            enabled += r->enabled[n];
            for (uint32_t k = r->first[n]; k < r->first[n + 1]; k++) {
                uint32_t to = c->of[r->target.data[k]];
                assert(to <= id && "what a component leads to comes before it");
                leads_on = leads_on || to != id;
                fires[id] |= fires[to];
            }
        }
        fires[id] |= enabled > 0;
        all = fires[id];
        if (!leads_on && enabled < fewest) {
            fewest = enabled;
            best = id;
        }
    }
    memory_free(fires);
    return all ? best : 0;
}

// Appends what must be tried here, in the order of transitions; nothing when not all of it can fire.
static void choose(struct realization *r)
{
    struct components c;
    make_graph(r);
    components_find(&c, r->node_count, r->first, r->target.data, NULL);
    uint32_t best = least_closed(r, &c);
    for (uint32_t n = 0; n < r->node_count && best != 0; n++)
        if (c.of[n] == best && r->enabled[n])
            VECTOR_PUSH(&r->choices, r->nodes[n]);
    components_finish(&c);
}

// ---- What the counts can bring

// What of the counts may fire before the transition does: no place falls below 0 and the transition has its tokens.
static bool can_supply(const struct petri_problem *problem, const int64_t *counts, uint32_t t)
{
    assert(counts[t] > 0);
    const struct net *net = problem->net;
    int64_t *needed = memory_zalloc(((size_t)net->place_count + 1) * sizeof *needed);
    double *values = memory_zalloc(((size_t)net->transition_count + 1) * sizeof *values);
    struct linear_term *terms = memory_alloc(((size_t)net->transition_count + 1) * sizeof *terms);
    struct linear *l = linear_create(net->transition_count);
    const struct net_arcs *pre = &net->transitions[t].pre;
    for (uint32_t i = 0; i < pre->count; i++)
        needed[pre->data[i].place] = pre->data[i].weight;
    for (uint32_t p = 0; p < net->place_count; p++) {
        size_t count = 0;
        for (uint32_t k = 0; k < net->places[p].user_count; k++) {
            uint32_t user = net->places[p].users[k];
            int64_t effect = net_arcs_weight(&net->transitions[user].effect, p);
            if (counts[user] > 0 && effect != 0)
                terms[count++] = (struct linear_term){user, (double)effect};
        }
        linear_row(l, terms, count, LINEAR_AT_LEAST, (double)(needed[p] - net->places[p].marking));
    }
    for (uint32_t u = 0; u < net->transition_count; u++)
        linear_upper(l, u, (double)(counts[u] - (u == t)));
    bool can = linear_solve(l, values, problem->go_on, problem->context) != LINEAR_INFEASIBLE;
    linear_destroy(l);
    memory_free(needed);
    memory_free(values);
    memory_free(terms);
    return can;
}

static int64_t tokens_lacking(const struct net *net, uint32_t t)
{
    const struct net_arcs *pre = &net->transitions[t].pre;
    int64_t sum = 0;
    for (uint32_t i = 0; i < pre->count; i++)
        if (net->places[pre->data[i].place].marking < pre->data[i].weight)
            sum += pre->data[i].weight - net->places[pre->data[i].place].marking;
    return sum;
}

// The transitions that lack the most come first; false: one of them will never fire.
static bool are_supplied(const struct petri_problem *problem, const int64_t *counts)
{
    const struct net *net = problem->net;
    uint8_t *asked = memory_zalloc((size_t)net->transition_count + 1);
    bool supplied = true;
    for (uint32_t i = 0; i < SUPPLY_PROGRAMS && supplied; i++) {
        uint32_t best = 0;
        int64_t most = 0;
        for (uint32_t t = 0; t < net->transition_count; t++) {
            int64_t lacking = counts[t] > 0 && !asked[t] ? tokens_lacking(net, t) : 0;
            if (lacking > most) {
                most = lacking;
                best = t;
            }
        }
        if (most == 0)
            break;
        asked[best] = 1;
        supplied = can_supply(problem, counts, best);
    }
    memory_free(asked);
    return supplied;
}

// ---- The search

// Fires what leaves no choice, and makes a level of the first choice that there is.
static void settle(struct realization *r)
{
    struct firing *f = &r->firing;
    size_t begin = r->choices.count;
    while (true) {
        bool is_new;
        advance(f);
        if (f->total == 0 || !asks_go_on(f, 64))
            return;
        markings_add(&r->seen, f->left, &is_new);
        if (!is_new || !may_finish(f))
            return;
        choose(r);
        if (r->choices.count != begin + 1)
            break;
        firing_fire(f, VECTOR_POP(&r->choices));
    }
    if (r->choices.count > begin)
        VECTOR_PUSH(&r->levels,
                    ((struct level){f->sequence.count, begin, r->choices.count, begin}));
}

// Back to the last level; true when it has something left to try, which is fired.
static bool step(struct realization *r)
{
    struct level *top = &VECTOR_LAST(&r->levels);
    assert(top->begin <= top->next && top->next <= top->end);
    while (r->firing.sequence.count > top->length)
        firing_take_back(&r->firing);
    if (top->next < top->end) {
        firing_fire(&r->firing, r->choices.data[top->next++]);
        return true;
    }
    r->choices.count = top->begin;
    r->levels.count--;
    return false;
}

// On from where it is, until all is fired, nothing is left to try, or there are more markings than that.
static void search(struct realization *r, uint64_t markings)
{
    const struct firing *f = &r->firing;
    while (f->total > 0 && !f->stopped && r->levels.count > 0 && r->seen.count <= markings)
        if (step(r))
            settle(r);
}

bool equation_realize(const struct petri_problem *problem, const int64_t *counts,
                      const uint32_t *order, uint64_t limit, struct petri_sequence *out, bool *cut)
{
    struct realization r;
    struct firing *f = &r.firing;
    begin(&r, problem, counts, order);
    settle(&r);
    search(&r, SUPPLY_AFTER);
    if (r.seen.count > SUPPLY_AFTER && f->total > 0 && are_supplied(problem, counts))
        search(&r, limit);
    bool found = f->total == 0;
    *cut = *cut || (!found && (f->stopped || r.seen.count > limit));
    assert(!found || r.levels.count <= f->sequence.count + 1);
    for (size_t i = 0; found && i < f->sequence.count; i++)
        VECTOR_PUSH(out, f->sequence.data[i]);
    finish(&r);
    return found;
}
