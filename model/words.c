#include "model/words.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "model/words_inside.h"

#define MOST_DEPTH 2000 // of terms: they are walked by calling
#define FAR_LOOK 8      // from a comparison down to the variables

const struct words_recoding *words_recoding_of(const struct model *recoded)
{
    return (const struct words_recoding *)recode_of(recoded);
}

// With or without sign.

struct votes {
    const struct model *source;
    int64_t *with_sign; // by variable: more for, or more against
    bool *seen;         // by id of terms
};

static void vote(struct votes *v, const struct term *word, int64_t sign, unsigned depth)
{
    const struct variable *variable =
        word->kind == TERM_VAR ? model_variable_of(v->source, word) : NULL;
    if (variable != NULL)
        v->with_sign[variable->index] += sign;
    bool carries = word->kind == TERM_BV_ADD || word->kind == TERM_BV_MUL ||
                   word->kind == TERM_BV_NEG || word->kind == TERM_ITE;
    for (uint32_t i = 0; carries && depth < FAR_LOOK && i < word->child_count; i++)
        if (word->child[i]->sort->kind == SORT_BV)
            vote(v, word->child[i], sign, depth + 1);
}

static int64_t sign_of(enum term_kind kind)
{
    switch (kind) {
    case TERM_BV_SLT:
    case TERM_BV_SLE:
    case TERM_BV_SDIV:
    case TERM_BV_SREM:
    case TERM_BV_SMOD:
    case TERM_BV_SEXT:
    case TERM_BV_ASHR:
        return 1;
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_UDIV:
    case TERM_BV_UREM:
    case TERM_BV_ZEXT:
    case TERM_BV_LSHR:
    case TERM_BV_CONCAT:
    case TERM_BV_AND:
    case TERM_BV_OR:
    case TERM_BV_XOR:
        return -1;
    default:
        return 0;
    }
}

// As a number with sign it is below zero, and not far.
static bool is_small_negative(const struct term *term)
{
    if (term->kind != TERM_BV || term->sort->width > VALUE_BV_SMALL_WIDTH)
        return false;
    int64_t beyond = ((int64_t)1 << term->sort->width) - value_small_get(term->u.value);
    return beyond <= (int64_t)1 << (term->sort->width / 2);
}

static void vote_in(struct votes *v, const struct term *term)
{
    if (v->seen[term->id])
        return;
    v->seen[term->id] = true;
    int64_t sign = sign_of(term->kind);
    if (term->kind == TERM_EQ &&
        (is_small_negative(term->child[0]) || is_small_negative(term->child[1])))
        sign = 1;
    for (uint32_t i = 0; i < term->child_count; i++) {
        if (sign != 0)
            vote(v, term->child[i], sign, 0);
        vote_in(v, term->child[i]);
    }
}

static void vote_all(struct votes *v, const struct statement *s)
{
    if (s->expression != NULL)
        vote_in(v, s->expression);
    if (s->kind == STATEMENT_ASSIGN && is_small_negative(s->expression))
        v->with_sign[s->variable->index]++;
    for (uint32_t i = 0; i < s->child_count; i++)
        vote_all(v, s->child[i]);
}

static bool *choose_signs(const struct model *source)
{
    struct votes v = {.source = source};
    v.with_sign = memory_zalloc((source->variable_count + 1) * sizeof *v.with_sign);
    v.seen = memory_zalloc(term_store_next_id(source->store) + (size_t)1);
    vote_all(&v, source->initial_action);
    for (uint32_t e = 0; e < source->edge_count; e++)
        vote_all(&v, source->edges[e]->action);
    bool *with_sign = memory_zalloc(source->variable_count + 1);
    for (uint32_t i = 0; i < source->variable_count; i++)
        with_sign[i] = v.with_sign[i] > 0;
    memory_free(v.with_sign);
    memory_free(v.seen);
    return with_sign;
}

// The model.

struct making {
    struct words_terms terms;
    struct model_builder *builder;
    struct location **location;
    bool *read;       // by variable of the source: an edge's action speaks of it
    bool *duty;       // by edge of the source: something in it has to be in range
    bool with_duties; // the edge at hand
    // Of an edge into the error that tells of a value out of range: whether there was one. NULL in other actions.
    const struct variable *wrapped;
};

static struct words_range range_of(const struct making *m, const struct variable *variable)
{
    return words_range(variable->sort->width, m->terms.with_sign[variable->index]);
}

// A word that became arbitrary, or is so from the start, is one all the same.
static struct statement *assume_word(struct making *m, const struct variable *variable,
                                     struct position at)
{
    const struct term *term = m->terms.variable[variable->index]->term;
    return model_assume(m->builder, words_between(m->terms.store, term, range_of(m, variable)), at);
}

// Once a value was out of range nothing that follows is to stop the run.
static struct statement *assume_unless_wrapped(struct making *m, const struct term *condition,
                                               struct position at)
{
    if (m->wrapped != NULL)
        condition = term_or2(m->terms.store, m->wrapped->term, condition);
    return model_assume(m->builder, condition, at);
}

// What is in range on ordinary edges, and is found out by those into the error.
static struct statement *take_duties(struct making *m, struct position at)
{
    struct words_terms *w = &m->terms;
    const struct term *all = term_and(w->store, w->duties.data, w->duties.count);
    m->with_duties = true;
    if (m->wrapped == NULL)
        return model_assume(m->builder, all, at);
    return model_assign(m->builder, m->wrapped,
                        term_or2(w->store, m->wrapped->term, term_not(w->store, all)), at);
}

// With what the statement rests on before it.
static struct statement *after_facts(struct making *m, struct statement *made)
{
    struct words_terms *w = &m->terms;
    VECTOR(struct statement *) parts = {0};
    for (size_t i = 0; i < w->fresh.count; i++)
        VECTOR_PUSH(&parts, model_havoc(m->builder, w->fresh.data[i], made->source));
    if (w->facts.count > 0)
        VECTOR_PUSH(&parts,
                    assume_unless_wrapped(m, term_and(w->store, w->facts.data, w->facts.count),
                                          made->source));
    if (w->duties.count > 0)
        VECTOR_PUSH(&parts, take_duties(m, made->source));
    VECTOR_PUSH(&parts, made);
    struct statement *all =
        parts.count == 1 ? made : model_sequence(m->builder, parts.data, parts.count, made->source);
    VECTOR_FINISH(&parts);
    return all;
}

static struct statement *translate(struct making *m, const struct statement *s);

static struct statement *havoc(struct making *m, const struct statement *s)
{
    struct statement *made =
        model_havoc(m->builder, m->terms.variable[s->variable->index], s->source);
    made->origin = s;
    if (s->variable->sort->kind != SORT_BV)
        return made;
    struct statement *parts[] = {made, assume_word(m, s->variable, s->source)};
    return model_sequence(m->builder, parts, 2, s->source);
}

static struct statement *assign(struct making *m, const struct statement *s)
{
    const struct term *value = words_value_for(&m->terms, s->variable, s->expression);
    if (m->terms.failed)
        return model_skip(m->builder, s->source);
    struct statement *made =
        model_assign(m->builder, m->terms.variable[s->variable->index], value, s->source);
    made->origin = s;
    return after_facts(m, made);
}

static struct statement *assume(struct making *m, const struct statement *s)
{
    const struct term *condition = words_translate(&m->terms, s->expression);
    if (m->terms.failed)
        return model_skip(m->builder, s->source);
    struct statement *made = assume_unless_wrapped(m, condition, s->source);
    made->origin = s;
    return after_facts(m, made);
}

static struct statement *branch(struct making *m, const struct statement *s)
{
    struct statement *then = translate(m, s->child[0]), *otherwise = translate(m, s->child[1]);
    words_terms_next(&m->terms);
    const struct term *condition = words_translate(&m->terms, s->expression);
    if (m->terms.failed)
        return model_skip(m->builder, s->source);
    struct statement *made = model_if(m->builder, condition, then, otherwise, s->source);
    made->origin = s;
    return after_facts(m, made);
}

static struct statement *compound(struct making *m, const struct statement *s)
{
    struct statement **children = memory_alloc((s->child_count + 1) * sizeof *children);
    for (uint32_t i = 0; i < s->child_count; i++)
        children[i] = translate(m, s->child[i]);
    struct statement *made = s->kind == STATEMENT_SEQUENCE
                                 ? model_sequence(m->builder, children, s->child_count, s->source)
                                 : model_choice(m->builder, children, s->child_count, s->source);
    made->origin = s;
    memory_free(children);
    return made;
}

static struct statement *translate(struct making *m, const struct statement *s)
{
    words_terms_next(&m->terms);
    struct statement *made = NULL;
    switch (s->kind) {
    case STATEMENT_SKIP:
        made = model_skip(m->builder, s->source);
        made->origin = s;
        break;
    case STATEMENT_ASSIGN:
        return assign(m, s);
    case STATEMENT_ASSUME:
        return assume(m, s);
    case STATEMENT_HAVOC:
        return havoc(m, s);
    case STATEMENT_SEQUENCE:
    case STATEMENT_CHOICE:
        return compound(m, s);
    case STATEMENT_IF:
        return branch(m, s);
    }
    return made;
}

static void note_reads(struct making *m, const struct statement *s, struct term_vector *found)
{
    if (s->expression != NULL)
        rewrite_free_variables(s->expression, found);
    for (uint32_t i = 0; i < s->child_count; i++)
        note_reads(m, s->child[i], found);
}

// The action, after assumptions that the words it reads are ones: so none has to be told by a proof.
static struct statement *action_of(struct making *m, const struct statement *action, bool all)
{
    const struct model *source = m->terms.source;
    struct term_vector found = {0};
    VECTOR(struct statement *) parts = {0};
    if (!all)
        note_reads(m, action, &found);
    memset(m->read, all, source->variable_count);
    for (size_t i = 0; i < found.count; i++) {
        const struct variable *v = model_variable_of(source, found.data[i]);
        if (v != NULL)
            m->read[v->index] = true;
    }
    for (uint32_t i = 0; i < source->variable_count; i++) {
        const struct variable *v = source->variables[i];
        if (m->read[i] && v->sort->kind == SORT_BV && (all || !(v->flags & VARIABLE_LOCAL)))
            VECTOR_PUSH(&parts, assume_word(m, v, action->source));
    }
    if (m->wrapped != NULL)
        VECTOR_PUSH(&parts, model_assign(m->builder, m->wrapped, term_false(m->terms.store),
                                         action->source));
    VECTOR_PUSH(&parts, translate(m, action));
    if (m->wrapped != NULL)
        VECTOR_PUSH(&parts, model_assume(m->builder, m->wrapped->term, action->source));
    struct statement *made =
        parts.count == 1 ? parts.data[0]
                         : model_sequence(m->builder, parts.data, parts.count, action->source);
    VECTOR_FINISH(&parts);
    VECTOR_FINISH(&found);
    return made;
}

static void make_variables(struct making *m)
{
    const struct model *source = m->terms.source;
    for (uint32_t i = 0; i < source->variable_count; i++) {
        const struct variable *v = source->variables[i];
        const struct sort *sort = words_sort(m->terms.store, v->sort);
        m->terms.failed |= sort == NULL;
        m->terms.variable[i] = model_builder_variable(
            m->builder, v->name, sort != NULL ? sort : v->sort, v->flags, v->source);
    }
}

static void make_locations(struct making *m)
{
    const struct model *source = m->terms.source;
    for (uint32_t i = 0; i < source->location_count; i++) {
        const struct location *l = source->locations[i];
        m->location[i] = model_builder_location(m->builder, l->name, l->phase, l->observable);
        m->location[i]->origin = l;
        if (l->arguments == NULL)
            continue;
        const struct variable **arguments =
            memory_alloc((l->argument_count + 1) * sizeof(*arguments));
        for (uint32_t k = 0; k < l->argument_count; k++)
            arguments[k] = m->terms.variable[l->arguments[k]->index];
        model_builder_location_state(m->builder, m->location[i], arguments, l->argument_count);
        memory_free(arguments);
    }
    model_builder_error(m->builder, m->location[source->error->index]);
}

// Into the error, when a value of the edge's action is out of range.
static void make_guarding_edge(struct making *m, const struct edge *e)
{
    if (m->wrapped == NULL)
        m->wrapped = model_builder_fresh(m->builder, "wrapped", sort_bool(m->terms.store),
                                         VARIABLE_LOCAL, e->position);
    model_builder_edge(m->builder, m->location[e->source->index],
                       m->location[m->terms.source->error->index], action_of(m, e->action, false),
                       e->label, e->position);
}

// Edges of the source first, with its numbers.
static void make_edges(struct making *m, bool checked, const _Atomic bool *given_up)
{
    const struct model *source = m->terms.source;
    model_builder_initial(m->builder, m->location[source->initial->index],
                          action_of(m, source->initial_action, true));
    m->terms.checked = checked;
    for (uint32_t i = 0; i < source->edge_count && !m->terms.failed; i++) {
        const struct edge *e = source->edges[i];
        m->terms.failed |= given_up != NULL && *given_up;
        m->with_duties = false;
        struct edge *made = model_builder_edge(
            m->builder, m->location[e->source->index], m->location[e->target->index],
            action_of(m, e->action, false), e->label, e->position);
        model_builder_limit(made, e->limit);
        m->duty[i] = m->with_duties;
    }
    for (uint32_t i = 0; i < source->edge_count && !m->terms.failed; i++)
        if (m->duty[i])
            make_guarding_edge(m, source->edges[i]);
}

// Ways back.

static const struct term *word_literal(struct term_store *store, const struct sort *sort,
                                       const struct term *number)
{
    const struct term *own = value_is_small(term_value(number))
                                 ? term_int(store, value_small_get(term_value(number)))
                                 : term_int_text(store, number->u.text);
    const struct term *rest =
        term_mod(store, own, words_constant(store, (words_wide)1 << sort->width));
    assert(rest->kind == TERM_INT);
    return value_is_small(rest->u.value)
               ? term_bv(store, sort->width, (uint64_t)value_small_get(rest->u.value))
               : term_bv_text(store, sort->width, rest->u.text);
}

static struct value map_value(struct trace *to, const struct sort *sort, struct value value);

// Is it a word without sign? Keys that are none say nothing of the source.
static bool is_key(const struct sort *sort, const struct term *number)
{
    struct value value = term_value(number);
    if (value_is_small(value))
        return value_small_get(value) >= 0 &&
               (words_wide)value_small_get(value) < (words_wide)1 << sort->width;
    return sort->width == WORDS_WIDEST && number->u.text[0] != '-';
}

static struct value map_array(struct trace *to, const struct sort *sort, const struct term *array)
{
    struct term_vector entries = {0};
    assert(array->kind == TERM_ARRAY);
    for (uint32_t i = 1; i + 1 < array->child_count; i += 2) {
        if (sort->key->kind == SORT_BV && !is_key(sort->key, array->child[i]))
            continue;
        struct value key = map_value(to, sort->key, term_value(array->child[i]));
        struct value element = map_value(to, sort->element, term_value(array->child[i + 1]));
        VECTOR_PUSH(&entries, term_of_value(to->store, sort->key, key));
        VECTOR_PUSH(&entries, term_of_value(to->store, sort->element, element));
    }
    struct value other = map_value(to, sort->element, term_value(array->child[0]));
    const struct term *made =
        term_array(to->store, sort, term_of_value(to->store, sort->element, other), entries.data,
                   entries.count / 2);
    VECTOR_FINISH(&entries);
    return term_value(made);
}

static struct value map_value(struct trace *to, const struct sort *sort, struct value value)
{
    if (!value_known(value))
        return value;
    if (sort->kind == SORT_BV) {
        const struct term *number = value_is_small(value)
                                        ? term_int(to->store, value_small_get(value))
                                        : value_pointer_get(value);
        return term_value(word_literal(to->store, sort, number));
    }
    if (sort->kind == SORT_ARRAY && !value_is_small(value))
        return map_array(to, sort, value_pointer_get(value));
    return trace_own(to, sort, value);
}

static void map_hints(struct trace *to, struct trace_step *step, const struct trace_step *of)
{
    assert(of->events == NULL && "it comes from a prepared model's trace");
    for (size_t i = 0; i < of->hint_count; i++) {
        const struct statement *origin = of->hints[i].statement->origin;
        if (origin == NULL)
            continue; // what is no word's
        const struct sort *sort = origin->variable != NULL ? origin->variable->sort : NULL;
        struct value value = of->hints[i].value;
        trace_add_hint(to, step, origin, sort, sort != NULL ? map_value(to, sort, value) : value);
    }
}

static struct trace *map_trace(const struct trace *trace)
{
    const struct model *source = trace->model->source;
    struct trace *to = trace_create(source);
    to->skips = trace->skips;
    for (uint32_t i = 0; i < source->variable_count; i++)
        to->start[i] = map_value(to, source->variables[i]->sort, trace->start[i]);
    map_hints(to, &to->initial, &trace->initial);
    for (size_t i = 0; i < trace->step_count; i++) {
        const struct trace_step *step = &trace->steps[i];
        if (step->edge->id >= source->edge_count)
            break; // a value is out of range: no run of the source's
        map_hints(to, trace_add_step(to, source->edges[step->edge->id]), step);
    }
    return to;
}

static void destroy(struct recoding *base)
{
    struct words_recoding *recoding = (struct words_recoding *)base;
    memory_free(recoding->with_sign);
    memory_free(recoding);
}

static bool speaks_of_words(const struct sort *sort, bool *too_wide)
{
    if (sort->kind == SORT_ARRAY) {
        bool key = speaks_of_words(sort->key, too_wide);
        return speaks_of_words(sort->element, too_wide) || key;
    }
    *too_wide |= sort->kind == SORT_BV && sort->width > WORDS_WIDEST;
    return sort->kind == SORT_BV;
}

bool words_are_possible(const struct model *source)
{
    bool some = false, too_wide = source->features.depth > MOST_DEPTH;
    for (uint32_t i = 0; i < source->variable_count; i++)
        some |= speaks_of_words(source->variables[i]->sort, &too_wide);
    return some && !too_wide;
}

struct model *words_recode(const struct model *source, bool checked, const _Atomic bool *given_up)
{
    if (!words_are_possible(source))
        return NULL;
    struct words_recoding *recoding = memory_zalloc(sizeof *recoding);
    recoding->base = (struct recoding){map_trace, words_lift_invariant, destroy};
    recoding->with_sign = choose_signs(source);
    struct making m = {.builder = recode_builder(source, &recoding->base)};
    words_terms_init(&m.terms, source, m.builder, recoding->with_sign);
    m.location = memory_zalloc((source->location_count + 1) * sizeof(*m.location));
    m.read = memory_zalloc(source->variable_count + (size_t)1);
    m.duty = memory_zalloc(source->edge_count + (size_t)1);
    make_variables(&m);
    if (!m.terms.failed) {
        make_locations(&m);
        make_edges(&m, checked, given_up);
    }
    bool failed = m.terms.failed;
    words_terms_finish(&m.terms);
    memory_free(m.location);
    memory_free(m.read);
    memory_free(m.duty);
    if (!failed)
        return model_builder_finish(m.builder);
    model_builder_destroy(m.builder);
    return NULL;
}
