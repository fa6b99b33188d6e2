#include "monitors/monitor.h"

#include <assert.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "base/vector.h"

// Counterexample repetition (Ádám 2023, Algorithms 6.1 and 6.2, with the corrections of docs/definitions/monitors.md 3,
// 4 and 6): a counterexample that was refined before and comes back. The hash finds the candidate,
// the structure decides. Under full pruning the abstraction is a function of the precision, which
// only grows, so a known counterexample proves that the run repeats itself. Under lazy pruning the
// graph also depends on what was pruned, and of several counterexamples some may be left
// unrefined: there the precision joins the key. The ARG modes also ask for the same graph.
//
// The check modes end the attempt after some rounds in a row in which no counterexample is new; the
// mitigation modes let the search go on past each that is known.
//
// One such round would do if refinement were a function of the counterexample. It is not quite: a
// solver that has been used before may answer the same question with another core or interpolant,
// and some attempts are lucky with that, after up to three rounds where it was measured.

// Words kept at the most (4 bytes each), counterexamples and graphs together. Beyond it the oldest are
// dropped: detection then may come later, never wrongly, and what is said at the end names it.
#define WORD_LIMIT ((size_t)16 << 20)
// A graph up to this size is kept when its counterexample is seen first. A larger one is kept when
// counterexample, precision and the graph's hash come back, so that the next time decides.
#define SMALL_GRAPH 4096

struct known {
    uint32_t *words; // the counterexample's items, then the graph if it is kept
    size_t count, graph_count;
    struct hash128 hash, graph_hash;
    uint32_t precision_id;
    bool graph_kept;
};

struct repetition {
    bool precision_in_key, graph_in_key, mitigate;
    VECTOR(struct known) known; // oldest first
    size_t oldest;              // those before it were dropped
    size_t word_count;
    struct hash_index index;   // of known
    bool news;                 // one of this round's counterexamples so far was new
    int64_t stale, patience;   // rounds in a row without news
    struct engine_words graph; // of the counterexample at hand
    struct hash128 graph_hash;
};

static void *repetition_create(const struct configuration *configuration)
{
    const int64_t *values = configuration->values;
    int64_t mode = values[OPTION_MONITOR];
    if (mode == MONITOR_DISABLE)
        return NULL;
    struct repetition *r = memory_zalloc(sizeof *r);
    r->graph_in_key = mode == MONITOR_CHECK_ARG || mode == MONITOR_MITIGATE_ARG;
    r->mitigate = mode == MONITOR_MITIGATE || mode == MONITOR_MITIGATE_ARG;
    r->patience = values[OPTION_PATIENCE];
    r->precision_in_key =
        r->graph_in_key || values[OPTION_PRUNE] != PRUNE_FULL || values[OPTION_STOP] != STOP_FIRST;
    return r;
}

static void repetition_destroy(void *state)
{
    struct repetition *r = state;
    for (size_t i = r->oldest; i < r->known.count; i++)
        memory_free(r->known.data[i].words);
    VECTOR_FINISH(&r->known);
    VECTOR_FINISH(&r->graph);
    hash_index_finish(&r->index);
    memory_free(r);
}

static bool same_path(const struct repetition *r, const struct known *k,
                      const struct counterexample *c)
{
    return hash128_equal(k->hash, c->hash) && k->count == c->count &&
           (!r->precision_in_key || k->precision_id == c->precision_id) &&
           memcmp(k->words, c->items, c->count * sizeof *c->items) == 0;
}

static void drop_oldest(struct repetition *r)
{
    assert(r->oldest < r->known.count);
    struct known *k = &r->known.data[r->oldest++];
    r->word_count -= k->count + (k->graph_kept ? k->graph_count : 0);
    assert(r->word_count <= WORD_LIMIT && "it did not go below 0");
    memory_free(k->words);
    k->words = NULL;
}

static void keep_graph(struct repetition *r, struct known *k)
{
    assert(!k->graph_kept && k->graph_count == r->graph.count);
    if (r->word_count + r->graph.count > WORD_LIMIT)
        return;
    k->words = memory_realloc(k->words, (k->count + r->graph.count) * sizeof *k->words);
    memcpy(k->words + k->count, r->graph.data, r->graph.count * sizeof *k->words);
    k->graph_kept = true;
    r->word_count += k->graph_count;
}

// The path is the same: is the graph as well?
static bool same_graph(struct repetition *r, struct known *k)
{
    if (!r->graph_in_key)
        return true;
    if (!hash128_equal(k->graph_hash, r->graph_hash) || k->graph_count != r->graph.count)
        return false;
    if (!k->graph_kept) {
        keep_graph(r, k);
        return false;
    }
    return memcmp(k->words + k->count, r->graph.data, k->graph_count * sizeof *k->words) == 0;
}

enum finding { NEW, SUSPECT, KNOWN }; // SUSPECT: known, but the proof is not complete yet

static enum finding find(struct repetition *r, const struct counterexample *c)
{
    enum finding found = NEW;
    struct hash_probe probe = hash_index_probe(&r->index, c->hash.low);
    for (uint32_t index; hash_index_next(&r->index, &probe, &index);) {
        struct known *k = &r->known.data[index];
        assert(index < r->known.count);
        if (index < r->oldest || !same_path(r, k, c))
            continue;
        bool suspect = !k->graph_kept && k->graph_count == r->graph.count &&
                       hash128_equal(k->graph_hash, r->graph_hash);
        if (same_graph(r, k))
            return KNOWN;
        if (suspect)
            found = SUSPECT;
    }
    return found;
}

static void remember(struct repetition *r, const struct counterexample *c)
{
    bool keep = r->graph.count <= SMALL_GRAPH; // 0 without graphs
    size_t need = c->count + (keep ? r->graph.count : 0);
    if (need > WORD_LIMIT)
        return;
    while (r->oldest < r->known.count && r->word_count + need > WORD_LIMIT)
        drop_oldest(r);
    struct known k = {
        .words = memory_alloc(need * sizeof *k.words),
        .count = c->count,
        .graph_count = r->graph.count,
        .hash = c->hash,
        .graph_hash = r->graph_hash,
        .precision_id = c->precision_id,
        .graph_kept = keep,
    };
    memcpy(k.words, c->items, c->count * sizeof *k.words);
    if (keep && r->graph.count)
        memcpy(k.words + c->count, r->graph.data, r->graph.count * sizeof *k.words);
    r->word_count += need;
    VECTOR_PUSH(&r->known, k);
    hash_index_add(&r->index, c->hash.low, (uint32_t)r->known.count - 1);
    assert(r->word_count <= WORD_LIMIT && r->index.count == r->known.count);
}

static void take_graph(struct repetition *r, const struct counterexample *c)
{
    VECTOR_CLEAR(&r->graph);
    if (!r->graph_in_key || c->encode_graph == NULL)
        return;
    c->encode_graph(c->graph, &r->graph);
    r->graph_hash = hash128_seed(0x9a9);
    if (r->graph.count > SMALL_GRAPH) // a small one is kept, and compared itself
        r->graph_hash =
            hash128_add_bytes(r->graph_hash, r->graph.data, r->graph.count * sizeof(uint32_t));
}

static struct advice repetition_judge(void *state, const struct engine_event *event)
{
    struct repetition *r = state;
    if (event->kind != EVENT_COUNTEREXAMPLE)
        return (struct advice){.kind = ADVICE_GO_ON};
    assert(event->index < event->count);
    if (event->index == 0) {
        r->news = false;
        take_graph(r, event->counterexample); // one graph for all of a round
    }
    enum finding finding = find(r, event->counterexample);
    if (finding == NEW)
        remember(r, event->counterexample);
    if (r->mitigate)
        return (struct advice){.kind = finding == KNOWN ? ADVICE_KEEP_SEARCHING : ADVICE_GO_ON};
    r->news |= finding != KNOWN;
    if (event->index + 1 < event->count)
        return (struct advice){.kind = ADVICE_GO_ON};
    r->stale = r->news ? 0 : r->stale + 1;
    if (r->stale < r->patience)
        return (struct advice){.kind = ADVICE_GO_ON};
#define FORGOT " (the oldest were forgotten: they took too much memory)"
    static const char *const whys[2][3] = {
        {"exact loop: a spurious counterexample came back in the same graph",
         "probable loop: a spurious counterexample came back at the same precision",
         "exact loop: the same spurious counterexample came back"},
        {"exact loop: a spurious counterexample came back in the same graph" FORGOT,
         "probable loop: a spurious counterexample came back at the same precision" FORGOT,
         "exact loop: the same spurious counterexample came back" FORGOT},
    };
    int which = r->graph_in_key ? 0 : r->precision_in_key ? 1 : 2;
    return (struct advice){ADVICE_STOP, END_STALLED, whys[r->oldest > 0][which]};
}

const struct monitor monitor_repetition = {
    .name = "repetition",
    .description = "a spurious counterexample that was refined before comes back",
    .option = OPTION_MONITOR,
    .typical = MONITOR_CHECK,
    .create = repetition_create,
    .destroy = repetition_destroy,
    .judge = repetition_judge,
};
