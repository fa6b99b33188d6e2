#include "languages/petri/translate.h"

#include "base/memory.h"
#include "base/vector.h"
#include "languages/petri/told.h"

static const struct dialect dialect = {
    .name = "petri",
    .terms = PRINT_CFA,
    .print_readable = told_readable,
    .print_page = told_page,
    .print_dot = told_dot,
    .replay = told_replay,
};

struct translation {
    const struct net *net;
    struct model_builder *builder;
    struct term_store *store;
    const struct variable **places;
    VECTOR(struct statement *) statements;
};

static const struct term *sum_term(struct term_store *store, const struct net_arcs *sum,
                                   const struct variable *const *places)
{
    const struct term **terms = memory_alloc((sum->count + 1) * sizeof *terms);
    for (uint32_t i = 0; i < sum->count; i++)
        terms[i] = term_mul2(store, term_int(store, sum->data[i].weight),
                             places[sum->data[i].place]->term);
    const struct term *t = sum->count == 0   ? term_int(store, 0)
                           : sum->count == 1 ? terms[0]
                                             : term_add(store, terms, sum->count);
    memory_free(terms);
    return t;
}

static const struct term *join(struct term_store *store, const struct formula *formula,
                               const struct variable *const *places)
{
    const struct term **terms = memory_alloc(formula->child_count * sizeof *terms);
    for (uint32_t i = 0; i < formula->child_count; i++)
        terms[i] = petri_formula_term(store, formula->child[i], places);
    const struct term *t = formula->kind == FORMULA_AND
                               ? term_and(store, terms, formula->child_count)
                               : term_or(store, terms, formula->child_count);
    memory_free(terms);
    return t;
}

const struct term *petri_formula_term(struct term_store *store, const struct formula *formula,
                                      const struct variable *const *places)
{
    switch (formula->kind) {
    case FORMULA_TRUE:
    case FORMULA_FALSE:
        return term_bool(store, formula->kind == FORMULA_TRUE);
    case FORMULA_LINEAR:
        return term_le(store, sum_term(store, &formula->sum, places),
                       term_int(store, formula->bound));
    case FORMULA_AND:
    case FORMULA_OR:
        break;
    }
    return join(store, formula, places);
}

static void make_places(struct translation *t)
{
    const struct sort *sort = sort_int(t->store);
    for (uint32_t p = 0; p < t->net->place_count; p++)
        t->places[p] =
            model_builder_variable(t->builder, t->net->places[p].id, sort, 0, t->net->places[p].at);
}

static struct statement *finish_sequence(struct translation *t, struct position at)
{
    struct statement *s = model_sequence(t->builder, t->statements.data, t->statements.count, at);
    VECTOR_CLEAR(&t->statements);
    return s;
}

static struct statement *make_start(struct translation *t)
{
    for (uint32_t p = 0; p < t->net->place_count; p++)
        VECTOR_PUSH(&t->statements, model_assign(t->builder, t->places[p],
                                                 term_int(t->store, t->net->places[p].marking),
                                                 t->net->places[p].at));
    return finish_sequence(t, (struct position){t->net->path, 0, 0});
}

static const struct term *make_guard(struct translation *t, const struct net_transition *n)
{
    const struct term **terms =
        memory_alloc(((size_t)n->pre.count + n->inhibit.count + 1) * sizeof *terms);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->pre.count; i++)
        terms[count++] = term_le(t->store, term_int(t->store, n->pre.data[i].weight),
                                 t->places[n->pre.data[i].place]->term);
    for (uint32_t i = 0; i < n->inhibit.count; i++)
        terms[count++] = term_lt(t->store, t->places[n->inhibit.data[i].place]->term,
                                 term_int(t->store, n->inhibit.data[i].weight));
    const struct term *guard = term_and(t->store, terms, count);
    memory_free(terms);
    return guard;
}

static struct statement *make_transition(struct translation *t, const struct net_transition *n)
{
    if (n->pre.count + n->inhibit.count > 0)
        VECTOR_PUSH(&t->statements, model_assume(t->builder, make_guard(t, n), n->at));
    for (uint32_t i = 0; i < n->effect.count; i++) {
        const struct variable *place = t->places[n->effect.data[i].place];
        const struct term *value =
            term_add2(t->store, place->term, term_int(t->store, n->effect.data[i].weight));
        VECTOR_PUSH(&t->statements, model_assign(t->builder, place, value, n->at));
    }
    return finish_sequence(t, n->at);
}

struct model *petri_translate(struct net_view *view)
{
    const struct net *net = view->net;
    struct translation t = {.net = net};
    t.builder = model_builder_create(&dialect, net->path, NULL);
    t.store = model_builder_store(t.builder);
    t.places = memory_alloc(((size_t)net->place_count + 1) * sizeof *t.places);
    make_places(&t);
    struct location *marking = model_builder_location(t.builder, "marking", PHASE_NONE, true);
    struct location *reached = model_builder_location(t.builder, "reached", PHASE_NONE, true);
    for (uint32_t i = 0; i < net->transition_count; i++)
        model_builder_edge(t.builder, marking, marking, make_transition(&t, &net->transitions[i]),
                           net->transitions[i].id, net->transitions[i].at);
    const struct term *bad = petri_formula_term(t.store, view->goal, t.places);
    struct position nowhere = {net->path, 0, 0};
    model_builder_edge(t.builder, marking, reached, model_assume(t.builder, bad, nowhere),
                       "reached", nowhere);
    model_builder_initial(t.builder, marking, make_start(&t));
    model_builder_error(t.builder, reached);
    model_builder_property(t.builder, term_not(t.store, bad));
    model_builder_view(t.builder, &view->base);
    memory_free(t.places);
    VECTOR_FINISH(&t.statements);
    return model_builder_finish(t.builder);
}
