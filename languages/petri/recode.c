#include "languages/petri/recode.h"

#include "base/memory.h"
#include "languages/petri/bounds.h"
#include "languages/petri/net_view.h"
#include "languages/petri/translate.h"
#include "logic/terms/rewrite.h"

struct net_recoding {
    struct recoding base;
    struct net_bounds bounds;
    struct net_form form;
};

static const struct net_recoding *recoding_of(const struct model *recoded)
{
    return (const struct net_recoding *)recode_of(recoded);
}

// The source's edge for one of the other form, or NULL: steps that change nothing.
static const struct edge *edge_of(const struct model *recoded, const struct edge *edge)
{
    const struct model *source = recoded->source;
    uint32_t transitions = source->edge_count - 1; // the last one leads into the error
    if (edge->target == recoded->error)
        return source->edges[transitions];
    return edge->id < transitions ? source->edges[edge->id] : NULL;
}

static struct trace *map_trace(const struct trace *trace)
{
    struct trace *mapped = trace_create(trace->model->source);
    for (size_t i = 0; i < trace->step_count; i++) {
        const struct edge *edge = edge_of(trace->model, trace->steps[i].edge);
        if (edge != NULL)
            trace_add_step(mapped, edge);
    }
    return mapped;
}

struct lifting {
    const struct model *recoded;
    const struct net_form *form;
    struct term_store *store;
};

static const struct term *lift_variable(void *context, const struct term *variable)
{
    const struct lifting *l = context;
    const struct variable *v = model_variable_of(l->recoded, variable);
    if (v == NULL || !net_form_is_boolean(l->form, v->index))
        return variable;
    const struct term *tokens = l->recoded->source->variables[v->index]->term;
    return term_le(l->store, term_int(l->store, 1), tokens);
}

// Every run comes by each location of the loop between two transitions; but for the start, the states of one are those of
// all.
static const struct term *states_of(const struct model *recoded,
                                    const struct term *const *invariant)
{
    for (uint32_t i = recoded->location_count; i-- > 0;)
        if (recoded->locations[i] != recoded->error && invariant[i] != NULL)
            return invariant[i];
    return NULL;
}

static void add_facts(const struct lifting *l, const struct net_recoding *recoding,
                      struct term_vector *conjuncts)
{
    const struct model *source = l->recoded->source;
    bool *used = memory_zalloc((size_t)source->variable_count + 1);
    for (size_t i = 0; i < recoding->bounds.facts.count; i++) {
        const struct formula *fact = recoding->bounds.facts.data[i];
        VECTOR_PUSH(conjuncts, petri_formula_term(l->store, fact, source->variables));
        for (uint32_t k = 0; k < fact->sum.count; k++)
            used[fact->sum.data[k].place] = true;
    }
    for (uint32_t p = 0; p < source->variable_count; p++)
        if (used[p])
            VECTOR_PUSH(conjuncts,
                        term_le(l->store, term_int(l->store, 0), source->variables[p]->term));
    memory_free(used);
}

static const struct term **lift_invariant(const struct model *recoded, struct term_store *store,
                                          const struct term *const *invariant)
{
    const struct net_recoding *recoding = recoding_of(recoded);
    const struct model *source = recoded->source;
    struct lifting lifting = {recoded, &recoding->form, store};
    const struct term **lifted = memory_zalloc((source->location_count + 1) * sizeof *lifted);
    const struct term *states = states_of(recoded, invariant);
    struct term_vector conjuncts = {0};
    if (states != NULL) {
        VECTOR_PUSH(&conjuncts, rewrite_substitute(store, states, lift_variable, &lifting));
        add_facts(&lifting, recoding, &conjuncts);
        lifted[source->initial->index] = term_and(store, conjuncts.data, conjuncts.count);
    }
    lifted[source->error->index] = term_false(store);
    VECTOR_FINISH(&conjuncts);
    return lifted;
}

static void destroy(struct recoding *base)
{
    struct net_recoding *recoding = (struct net_recoding *)base;
    net_bounds_finish(&recoding->bounds);
    memory_free(recoding);
}

struct model *petri_recode(const struct model *source, const struct recode_options *options,
                           const _Atomic bool *given_up)
{
    const struct net_view *view = net_view_of(source);
    struct net_recoding *recoding = memory_zalloc(sizeof *recoding);
    recoding->base = (struct recoding){map_trace, lift_invariant, destroy};
    recoding->form.environment = options->environment;
    if (options->places != RECODE_PLAIN) {
        net_bounds_find(view->net, given_up, &recoding->bounds);
        recoding->form.most = recoding->bounds.most;
        recoding->form.booleans = options->places == RECODE_BOOLEANS;
    }
    struct model_builder *builder = recode_builder(source, &recoding->base);
    petri_translate_into(builder, view, &recoding->form);
    return model_builder_finish(builder);
}
