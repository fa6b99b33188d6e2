#include "engines/bounded/refining.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engines/bounded/tracking.h"

struct spurious {
    const struct edge **edges;
    const struct term **states; // per node: what was seen, as a formula over plain variables
    uint32_t *ids;              // per node: the state, interned
    uint32_t length;            // edges
};

// Reading a run.

static const struct term *seen_at(struct refining *r, struct smt *smt, size_t tracked,
                                  uint32_t state)
{
    struct monolith *m = r->monolith;
    return smt_model_value(smt, term_var_copy(m->store, m->tracked.data[tracked].seen, state));
}

static void read_state(struct refining *r, struct smt *smt, struct spurious *s, uint32_t state)
{
    struct monolith *m = r->monolith;
    struct term_vector parts = {0};
    VECTOR_CLEAR(&r->words);
    VECTOR_PUSH(&r->words, s->edges[state]->source->index);
    for (size_t i = 0; i < m->tracked.count; i++) {
        const struct term *value = seen_at(r, smt, i, state);
        if (value == NULL)
            continue; // so the formula says less
        VECTOR_PUSH(&r->words, (uint64_t)i << 32 | value->id);
        VECTOR_PUSH(&parts, term_eq(m->store, m->tracked.data[i].term, value));
    }
    struct hash128 hash = hash128_seed(0xab5);
    for (size_t i = 0; i < r->words.count; i++)
        hash = hash128_add(hash, r->words.data[i]);
    s->ids[state] =
        state_table_intern(&r->states, r->words.data, (uint32_t)r->words.count, hash.low);
    s->states[state] = term_and(m->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
}

static void spurious_init(struct spurious *s, uint32_t length)
{
    *s = (struct spurious){
        .edges = memory_zalloc((length + 1) * sizeof *s->edges),
        .states = memory_zalloc((length + 1) * sizeof *s->states),
        .ids = memory_zalloc((length + 1) * sizeof *s->ids),
        .length = length,
    };
}

static void spurious_finish(struct spurious *s)
{
    memory_free(s->edges);
    memory_free(s->states);
    memory_free(s->ids);
}

// False when the model does not tell.
static bool read_run(struct refining *r, struct smt *smt, struct spurious *s)
{
    for (uint32_t k = 0; k < s->length; k++) {
        s->edges[k] = monolith_edge_taken(r->monolith, smt, k + 1, k + 1 == s->length);
        if (s->edges[k] == NULL)
            return false;
        assert(s->edges[k]->source ==
               (k == 0 ? r->monolith->model->initial : s->edges[k - 1]->target));
        read_state(r, smt, s, k);
    }
    // Nothing is seen of the error location.
    uint64_t end = r->monolith->model->error->index;
    s->ids[s->length] =
        state_table_intern(&r->states, &end, 1, hash128_add(hash128_seed(0xab5), end).low);
    s->states[s->length] = term_true(r->monolith->store);
    return true;
}

// Events.

static void tell(struct refining *r, struct engine_event event)
{
    struct workspace *ws = r->monolith->workspace;
    event.iteration = r->iteration;
    event.precision_size = r->monolith->tracked.count;
    workspace_tell(ws, &event);
}

// Advice to look for another counterexample is taken as advice to refine: that one is then gone.
static void tell_counterexample(struct refining *r, const struct spurious *s)
{
    VECTOR_CLEAR(&r->items);
    struct hash128 hash = hash128_seed(0xcec);
    for (uint32_t i = 0; i <= s->length; i++) {
        VECTOR_PUSH(&r->items, s->ids[i]);
        if (i < s->length)
            VECTOR_PUSH(&r->items, s->edges[i]->id);
    }
    for (size_t i = 0; i < r->items.count; i++)
        hash = hash128_add(hash, r->items.data[i]);
    assert(r->items.count == 2 * (size_t)s->length + 1);
    struct counterexample counterexample = {
        .items = r->items.data,
        .count = r->items.count,
        .hash = hash,
        .precision_id = r->precision_id,
    };
    tell(r, (struct engine_event){
                .kind = EVENT_COUNTEREXAMPLE, .counterexample = &counterexample, .count = 1});
}

// Refining.

static bool track_refutation(struct refining *r, const struct refutation *refutation)
{
    bool added = false;
    for (size_t k = 0; k < refutation->node_count; k++) {
        if (refutation->interpolant[k] != NULL)
            added |= tracking_add(r, refutation->interpolant[k]);
        for (size_t i = 0; i < refutation->variables[k].count; i++)
            added |= monolith_track(r->monolith, refutation->variables[k].data[i]);
    }
    r->precision_id += added;
    return added;
}

static uint64_t largest_element(const struct refutation *refutation)
{
    uint64_t largest = 0;
    for (size_t k = 0; k < refutation->node_count; k++)
        if (refutation->interpolant[k] != NULL && refutation->interpolant[k]->tree_size > largest)
            largest = refutation->interpolant[k]->tree_size;
    return largest;
}

static enum refining_answer refine(struct refining *r, const struct spurious *s)
{
    struct workspace *ws = r->monolith->workspace;
    struct refutation refutation;
    if (refute(&r->refuter, s->edges, s->length, s->states, &refutation) != REFUTE_SPURIOUS)
        return REFINING_END;
    assert(refutation.node_count == s->length + 1u);
    bool added = track_refutation(r, &refutation);
    uint64_t largest = largest_element(&refutation);
    refutation_finish(&refutation);
    r->refinements++;
    atomic_store_explicit(&ws->progress->refinements, r->refinements, memory_order_relaxed);
    atomic_store_explicit(&ws->progress->precision, r->monolith->tracked.count,
                          memory_order_relaxed);
    tell(r, (struct engine_event){
                .kind = EVENT_REFINED, .precision_changed = added, .element_size = largest});
    if (!added)
        workspace_end(ws, END_UNKNOWN, "a refinement found nothing new to track");
    return workspace_step(ws, 1) ? REFINING_REFINED : REFINING_END;
}

static enum refining_answer treat(struct refining *r, const struct spurious *s,
                                  struct trace **trace)
{
    struct workspace *ws = r->monolith->workspace;
    tell_counterexample(r, s);
    if (!workspace_step(ws, 1))
        return REFINING_END;
    switch (refute_check(&r->refuter, s->edges, s->length, trace)) {
    case REFUTE_FEASIBLE:
        return REFINING_CONCRETE;
    case REFUTE_SPURIOUS:
        return refine(r, s);
    case REFUTE_FAILED:
    case REFUTE_STOPPED:
        break;
    }
    return REFINING_END;
}

enum refining_answer refining_treat(struct refining *r, struct smt *smt, uint32_t length,
                                    struct trace **trace)
{
    struct workspace *ws = r->monolith->workspace;
    struct spurious s;
    enum refining_answer answer = REFINING_END;
    atomic_store_explicit(&ws->progress->phase, ENGINE_REFINING, memory_order_relaxed);
    spurious_init(&s, length);
    if (read_run(r, smt, &s))
        answer = treat(r, &s, trace);
    else
        workspace_end(ws, END_UNKNOWN,
                      "the solver's model of a run to the error could not be read");
    spurious_finish(&s);
    atomic_store_explicit(&ws->progress->phase, ENGINE_ABSTRACTING, memory_order_relaxed);
    return answer;
}

void refining_init(struct refining *r, struct monolith *m)
{
    *r = (struct refining){
        .monolith = m,
        .variables = workspace_option(m->workspace, OPTION_ABSTRACTION) == ABSTRACTION_VARIABLES,
        .split = workspace_option(m->workspace, OPTION_PREDSPLIT),
    };
    refuter_init(&r->refuter, m->workspace);
    state_table_init(&r->states);
    monolith_abstract(m);
    tracking_begin(r);
    assert(m->abstract);
}

void refining_finish(struct refining *r, bool decided)
{
    if (!decided)
        tracking_leave(r);
    refuter_finish(&r->refuter);
    state_table_finish(&r->states);
    VECTOR_FINISH(&r->words);
    VECTOR_FINISH(&r->items);
}

void refining_describe(const struct refining *r, char *notes, size_t bytes)
{
    char refutations[256];
    struct text tracked;
    refuter_describe(&r->refuter, refutations, sizeof refutations);
    if (*refutations)
        engine_note(notes, bytes, "%s", refutations);
    text_init(&tracked);
    text_printf(&tracked, "%zu %s tracked", r->monolith->tracked.count,
                r->variables ? "variables" : "predicates");
    if (r->handed_on)
        text_printf(&tracked, ", %" PRIu64 " to begin with", r->handed_on);
    if (r->taken)
        text_printf(&tracked, ", %" PRIu64 " of others", r->taken);
    engine_note(notes, bytes, "%s", text_string(&tracked));
    text_finish(&tracked);
}
