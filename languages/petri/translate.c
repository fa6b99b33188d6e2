#include "languages/petri/translate.h"

#include <assert.h>

#include "base/memory.h"
#include "base/vector.h"
#include "languages/petri/bounds.h"
#include "languages/petri/counting.h"
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
    const struct net_form *form;
    struct model_builder *builder;
    struct term_store *store;
    const struct variable **places;
    VECTOR(struct statement *) statements;
};

static const struct term *variable_of(void *context, uint32_t place)
{
    const struct variable *const *places = context;
    return places[place]->term;
}

const struct term *petri_formula_term(struct term_store *store, const struct formula *formula,
                                      const struct variable *const *places)
{
    return counting_formula(store, formula, variable_of, (void *)(uintptr_t)places);
}

static bool is_boolean(const struct translation *t, uint32_t place)
{
    return net_form_is_boolean(t->form, place);
}

static void make_places(struct translation *t)
{
    for (uint32_t p = 0; p < t->net->place_count; p++) {
        const struct sort *sort = is_boolean(t, p) ? sort_bool(t->store) : sort_int(t->store);
        t->places[p] =
            model_builder_variable(t->builder, t->net->places[p].id, sort, 0, t->net->places[p].at);
    }
}

static struct statement *finish_sequence(struct translation *t, struct position at)
{
    struct statement *s = model_sequence(t->builder, t->statements.data, t->statements.count, at);
    VECTOR_CLEAR(&t->statements);
    return s;
}

static struct statement *make_start(struct translation *t)
{
    for (uint32_t p = 0; p < t->net->place_count; p++) {
        const struct net_place *place = &t->net->places[p];
        const struct term *value = is_boolean(t, p) ? term_bool(t->store, place->marking != 0)
                                                    : term_int(t->store, place->marking);
        VECTOR_PUSH(&t->statements, model_assign(t->builder, t->places[p], value, place->at));
    }
    return finish_sequence(t, (struct position){t->net->path, 0, 0});
}

static const struct term *holds_at_least(struct translation *t, uint32_t place, int64_t weight)
{
    const struct term *variable = t->places[place]->term;
    if (is_boolean(t, place))
        return weight == 1 ? variable : term_false(t->store);
    return term_le(t->store, term_int(t->store, weight), variable);
}

static const struct term *holds_less(struct translation *t, uint32_t place, int64_t weight)
{
    const struct term *variable = t->places[place]->term;
    if (is_boolean(t, place))
        return weight == 1 ? term_not(t->store, variable) : term_true(t->store);
    return term_lt(t->store, variable, term_int(t->store, weight));
}

// What is put fits.
static const struct term *has_room(struct translation *t, const struct net_arc *effect)
{
    int64_t most = t->form->most != NULL ? t->form->most[effect->place] : BOUND_NONE;
    if (most == BOUND_NONE || effect->weight < 0)
        return term_true(t->store);
    if (effect->weight > most)
        return term_false(t->store);
    return holds_less(t, effect->place, most - effect->weight + 1);
}

static const struct term *make_guard(struct translation *t, const struct net_transition *n)
{
    size_t most = (size_t)n->pre.count + n->inhibit.count + n->effect.count;
    const struct term **terms = memory_alloc((most + 1) * sizeof *terms);
    size_t count = 0;
    for (uint32_t i = 0; i < n->pre.count; i++)
        terms[count++] = holds_at_least(t, n->pre.data[i].place, n->pre.data[i].weight);
    for (uint32_t i = 0; i < n->inhibit.count; i++)
        terms[count++] = holds_less(t, n->inhibit.data[i].place, n->inhibit.data[i].weight);
    for (uint32_t i = 0; i < n->effect.count && t->form->most != NULL; i++)
        terms[count++] = has_room(t, &n->effect.data[i]);
    assert(count <= most);
    const struct term *guard = term_and(t->store, terms, count);
    memory_free(terms);
    return guard;
}

static const struct term *value_after(struct translation *t, const struct net_arc *effect)
{
    if (is_boolean(t, effect->place))
        return term_bool(t->store, effect->weight > 0);
    return term_add2(t->store, t->places[effect->place]->term, term_int(t->store, effect->weight));
}

static struct statement *make_transition(struct translation *t, const struct net_transition *n)
{
    if (n->pre.count + n->inhibit.count > 0 || t->form->most != NULL)
        VECTOR_PUSH(&t->statements, model_assume(t->builder, make_guard(t, n), n->at));
    for (uint32_t i = 0; i < n->effect.count; i++) {
        const struct net_arc *effect = &n->effect.data[i];
        VECTOR_PUSH(&t->statements, model_assign(t->builder, t->places[effect->place],
                                                 value_after(t, effect), n->at));
    }
    return finish_sequence(t, n->at);
}

static void make_transitions(struct translation *t, struct location *from, struct location *to)
{
    for (uint32_t i = 0; i < t->net->transition_count; i++) {
        const struct net_transition *n = &t->net->transitions[i];
        model_builder_edge(t->builder, from, to, make_transition(t, n), n->id, n->at);
    }
}

static void make_error(struct translation *t, struct location *const *from, size_t count,
                       const struct formula *goal)
{
    struct position nowhere = {t->net->path, 0, 0};
    struct location *reached = model_builder_location(t->builder, "reached", PHASE_NONE, true);
    const struct term *bad = petri_formula_term(t->store, goal, t->places);
    for (size_t i = 0; i < count; i++)
        model_builder_edge(t->builder, from[i], reached, model_assume(t->builder, bad, nowhere),
                           "reached", nowhere);
    model_builder_error(t->builder, reached);
    model_builder_property(t->builder, term_not(t->store, bad));
}

static void make_idle(struct translation *t, struct location *from, struct location *to,
                      const char *label)
{
    struct position nowhere = {t->net->path, 0, 0};
    model_builder_edge(t->builder, from, to, model_skip(t->builder, nowhere), label, nowhere);
}

static void make_loop(struct translation *t, const struct formula *goal)
{
    struct location *at[] = {
        model_builder_location(t->builder, "start", PHASE_START, true),
        model_builder_location(t->builder, "stable", PHASE_STABLE, true),
        model_builder_location(t->builder, "stimulated", PHASE_STIMULATED, true),
    };
    make_transitions(t, at[2], at[1]);
    make_error(t, at, 3, goal);
    make_idle(t, at[0], at[1], "init");
    make_idle(t, at[1], at[2], "env");
    model_builder_initial(t->builder, at[0], make_start(t));
}

static void make_plain(struct translation *t, const struct formula *goal)
{
    struct location *marking = model_builder_location(t->builder, "marking", PHASE_NONE, true);
    make_transitions(t, marking, marking);
    make_error(t, &marking, 1, goal);
    model_builder_initial(t->builder, marking, make_start(t));
}

void petri_translate_into(struct model_builder *builder, const struct net_view *view,
                          const struct net_form *form)
{
    const struct net *net = view->net;
    struct translation t = {.net = net, .form = form, .builder = builder};
    t.store = model_builder_store(builder);
    t.places = memory_alloc(((size_t)net->place_count + 1) * sizeof *t.places);
    make_places(&t);
    if (form->environment)
        make_loop(&t, view->goal);
    else
        make_plain(&t, view->goal);
    memory_free(t.places);
    VECTOR_FINISH(&t.statements);
}

struct model *petri_translate(struct net_view *view)
{
    struct model_builder *builder = model_builder_create(&dialect, view->net->path, NULL);
    petri_translate_into(builder, view, &(struct net_form){0});
    model_builder_view(builder, &view->base);
    return model_builder_finish(builder);
}
