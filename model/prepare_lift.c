#include <assert.h>
#include <string.h>

#include "logic/terms/rewrite.h"
#include "model/prepare_draft.h"
#include "model/reverse.h"

// Back from an invariant of a prepared model to one of its source. What preparation knew when it
// left something out is part of the proof: constants are conjuncts, locations that nothing reaches
// are false, those that lead nowhere keep what was known of them, and those inside a block have no
// formula of their own, because what lies around them decides.
//
// Facts of a later round may rest on those of earlier ones, never the other way round, so all of
// them together with the engine's invariant are inductive.

void lift_init(struct draft_graph *graph)
{
    graph->lift = arena_zalloc(&graph->builder->memory->arena,
                               (graph->source->location_count + 1) * sizeof *graph->lift);
}

void lift_settle(struct draft_graph *graph, uint32_t location, enum location_fate fate)
{
    if (graph->lift[location].fate == FATE_LIVE)
        graph->lift[location].fate = fate;
}

static bool is_known(const struct lift *lift, const struct term *variable)
{
    for (const struct constant_fact *fact = lift->facts; fact != NULL; fact = fact->next)
        if (fact->variable == variable)
            return true;
    return false;
}

void lift_learn(struct draft_graph *graph, uint32_t location, const struct draft_fact *known,
                size_t count)
{
    struct lift *lift = &graph->lift[location];
    if (lift->fate != FATE_LIVE)
        return;
    const struct lift before = *lift;
    for (size_t i = 0; i < count; i++) {
        const struct term *variable = graph->source->variables[known[i].variable]->term;
        const struct term *literal = known[i].literal;
        if (is_known(&before, variable))
            continue;
        assert(term_is_literal(literal) && literal->sort == variable->sort);
        struct constant_fact *fact = arena_alloc(&graph->builder->memory->arena, sizeof *fact);
        *fact = (struct constant_fact){variable, literal, lift->facts};
        lift->facts = fact;
    }
}

static const struct term *facts_of(struct term_store *store, const struct lift *lift)
{
    struct term_vector conjuncts = {0};
    for (const struct constant_fact *fact = lift->facts; fact != NULL; fact = fact->next)
        VECTOR_PUSH(&conjuncts, term_eq(store, fact->variable, fact->literal));
    const struct term *all = term_and(store, conjuncts.data, conjuncts.count);
    VECTOR_FINISH(&conjuncts);
    return all;
}

const struct term **prepare_lift_invariant(const struct model *prepared, struct term_store *store,
                                           const struct term *const *invariant)
{
    if (recode_of(prepared) != NULL)
        return recode_of(prepared)->lift_invariant(prepared, store, invariant);
    if (reverse_is(prepared))
        return reverse_lift_invariant(prepared, store, invariant);
    const struct model *source = prepared->source;
    const struct lift *lift = prepared->memory->lift;
    const struct term **lifted = memory_zalloc((source->location_count + 1) * sizeof(*lifted));
    for (uint32_t l = 0; l < source->location_count; l++) {
        if (lift[l].fate == FATE_UNREACHABLE)
            lifted[l] = term_false(store);
        else if (lift[l].fate != FATE_INNER)
            lifted[l] = facts_of(store, &lift[l]);
    }
    for (uint32_t i = 0; i < prepared->location_count; i++) {
        if (prepared->locations[i]->origin == NULL)
            continue; // between the pieces of an edge
        uint32_t l = prepared->locations[i]->origin->index;
        assert(lift[l].fate != FATE_INNER && "it would be inside of a block");
        // A dead location may be there as the initial one, without the edges that lead back to it.
        if (lift[l].fate == FATE_LIVE && invariant[i] != NULL)
            lifted[l] = term_and2(store, lifted[l], invariant[i]);
    }
    lifted[source->error->index] = term_false(store);
    return lifted;
}
