#include "monitors/monitor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

// Divergence: counterexamples that unroll a loop again and again, the states being new each time
// (x = 0, x = 1, x = 2, …). Only the shape counts, that is, the edges. Two signs:
//
// - a counterexample is an earlier one with one more round of the same loop. Several such families may
//   take turns, so it is compared with a few before it;
// - where a loop has several ways round, there are exponentially many of each length, and the next is
//   seldom the last with one more. There: new counterexamples over the same set of edges that become
//   longer and longer, at a precision that stays. What was refined did not help against the loop.
//
// Both can be wrong: a real counterexample may come after all spurious ones that are shorter.
//
// Judged when the counterexample was refined: under mitigation the known ones come up before it.

#define FAMILIES 4
#define SETS 32
// Longer counterexamples are not looked at.
#define LENGTH_LIMIT 100000
// So many times a set's counterexamples have to become longer: twice is a loop, if any.
#define LEAST_GROWTH 2

struct shape {
    uint32_t *data;
    size_t count, capacity;
};

struct family {
    struct shape last;
    size_t period; // of the loop
    int64_t seen;  // times it was unrolled once more
};

// Counterexamples over one set of edges, at one precision.
struct edge_set {
    struct shape edges; // ascending
    uint32_t precision_id;
    size_t longest;
    int64_t seen, grown; // counterexamples after the first; those longer than all before
};

struct unrolling {
    int64_t limit;
    bool mitigate;
    struct family families[FAMILIES]; // the one that moved last comes first
    struct edge_set sets[SETS];       // the same
    struct shape now;    // of the counterexample that is being refined; empty: not looked at
    struct shape sorted; // scratch
    uint32_t precision_id;
};

static void *unrolling_create(const struct configuration *configuration)
{
    const int64_t *values = configuration->values;
    if (values[OPTION_STOP_UNROLLING] == 0)
        return NULL;
    struct unrolling *u = memory_zalloc(sizeof *u);
    u->limit = values[OPTION_STOP_UNROLLING];
    u->mitigate = values[OPTION_MONITOR] == MONITOR_MITIGATE ||
                  values[OPTION_MONITOR] == MONITOR_MITIGATE_ARG;
    return u;
}

static void unrolling_destroy(void *state)
{
    struct unrolling *u = state;
    for (size_t i = 0; i < FAMILIES; i++)
        VECTOR_FINISH(&u->families[i].last);
    for (size_t i = 0; i < SETS; i++)
        VECTOR_FINISH(&u->sets[i].edges);
    VECTOR_FINISH(&u->now);
    VECTOR_FINISH(&u->sorted);
    memory_free(u);
}

static void take_shape(struct shape *shape, const struct counterexample *c)
{
    VECTOR_CLEAR(shape);
    for (size_t i = 1; i < c->count && c->count <= LENGTH_LIMIT; i += 2)
        VECTOR_PUSH(shape, c->items[i]);
}

// One more round.

// `longer` is `shorter` with a block inserted that repeats the one before it: the block's length, or 0.
static size_t one_more_round(const struct shape *shorter, const struct shape *longer)
{
    if (longer->count <= shorter->count || shorter->count == 0)
        return 0;
    size_t period = longer->count - shorter->count, at = 0;
    while (at < shorter->count && shorter->data[at] == longer->data[at])
        at++;
    const uint32_t *block = longer->data + at;
    bool rest =
        memcmp(shorter->data + at, block + period, (shorter->count - at) * sizeof *block) == 0;
    bool again = at >= period && memcmp(block - period, block, period * sizeof *block) == 0;
    return rest && again ? period : 0;
}

// Enters the shape at hand: into the family that it continues, or in place of the oldest one. Its
// family comes first then.
static const struct family *enter_family(struct unrolling *u)
{
    size_t at = 0, period = 0;
    while (at < FAMILIES && (period = one_more_round(&u->families[at].last, &u->now)) == 0)
        at++;
    size_t place = at < FAMILIES ? at : FAMILIES - 1;
    assert(u->now.count > 0 && (period == 0 || period < u->now.count));
    struct family family = u->families[place];
    family.seen = period == 0 ? 0 : period == family.period ? family.seen + 1 : 1;
    family.period = period;
    struct shape last = family.last;
    family.last = u->now;
    u->now = last;
    memmove(u->families + 1, u->families, place * sizeof *u->families);
    u->families[0] = family;
    return &u->families[0];
}

// The same edges.

static int compare_edges(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_edges(struct unrolling *u)
{
    VECTOR_CLEAR(&u->sorted);
    for (size_t i = 0; i < u->now.count; i++)
        VECTOR_PUSH(&u->sorted, u->now.data[i]);
    qsort(u->sorted.data, u->sorted.count, sizeof *u->sorted.data, compare_edges);
    size_t kept = 0;
    for (size_t i = 0; i < u->sorted.count; i++)
        if (kept == 0 || u->sorted.data[kept - 1] != u->sorted.data[i])
            u->sorted.data[kept++] = u->sorted.data[i];
    u->sorted.count = kept;
    assert(u->now.count == 0 || (kept > 0 && kept <= u->now.count));
}

static bool is_set(const struct edge_set *set, const struct shape *sorted)
{
    return set->edges.count == sorted->count &&
           memcmp(set->edges.data, sorted->data, sorted->count * sizeof *sorted->data) == 0;
}

// As enter_family. The shape at hand stays.
static const struct edge_set *enter_set(struct unrolling *u)
{
    size_t at = 0;
    sort_edges(u);
    while (at < SETS && !is_set(&u->sets[at], &u->sorted))
        at++;
    size_t place = at < SETS ? at : SETS - 1;
    struct edge_set set = u->sets[place];
    assert(at == SETS || set.grown <= set.seen);
    if (at == SETS || set.precision_id != u->precision_id) {
        set.precision_id = u->precision_id;
        set.longest = u->now.count;
        set.seen = set.grown = 0;
    } else {
        set.seen++;
        set.grown += u->now.count > set.longest;
        set.longest = u->now.count > set.longest ? u->now.count : set.longest;
    }
    struct shape edges = set.edges;
    set.edges = u->sorted;
    u->sorted = edges;
    memmove(u->sets + 1, u->sets, place * sizeof *u->sets);
    u->sets[0] = set;
    return &u->sets[0];
}

static struct advice stop(const char *why)
{
    return (struct advice){.kind = ADVICE_STOP, .reason = END_STALLED, .why = why};
}

static struct advice unrolling_judge(void *state, const struct engine_event *event)
{
    struct unrolling *u = state;
    const struct counterexample *c = event->counterexample;
    if (event->kind == EVENT_COUNTEREXAMPLE && (u->mitigate || event->index == 0)) {
        take_shape(&u->now, c);
        u->precision_id = c->precision_id;
    }
    if (event->kind != EVENT_REFINED || u->now.count == 0)
        return (struct advice){.kind = ADVICE_GO_ON};
    const struct edge_set *set = enter_set(u);
    const struct family *family = enter_family(u);
    VECTOR_CLEAR(&u->now);
    if (family->seen >= u->limit)
        return stop("divergence: each counterexample unrolls the same loop once more");
    if (set->seen >= u->limit && set->grown >= LEAST_GROWTH)
        return stop("divergence: longer and longer counterexamples over the same edges, at a "
                    "precision that stays");
    return (struct advice){.kind = ADVICE_GO_ON};
}

const struct monitor monitor_unrolling = {
    .name = "unrolling",
    .description = "counterexamples unroll the same loop again and again",
    .option = OPTION_STOP_UNROLLING,
    .typical = 16,
    .create = unrolling_create,
    .destroy = unrolling_destroy,
    .judge = unrolling_judge,
};
