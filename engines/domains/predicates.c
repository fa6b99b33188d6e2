#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/domains/domain.h"

// Predicates, Cartesian ([Hajdu20] 2.2; cegar.md 3): a state is a conjunction of literals over the
// predicates of its precision. A predicate and its negation are one entry. The post of a state keeps
// each literal that every successor satisfies.
//
// One solver per action holds the action's formula and, for each predicate p that was ever needed with it,
// b ↔ p before and b' ↔ p after; a state is then a set of assumptions and no formula is asserted
// twice. Each model of a query refutes the literals it falsifies, so most need no query of their own.

// A literal in a state: 2 * predicate + (negated).
#define LITERAL(predicate, negated) (2 * (uint64_t)(predicate) + (negated))

struct predicate {
    const struct term *term;     // over plain variables; the polarity that is not a TERM_NOT
    const struct term *negation;
    const struct term *before;   // Boolean variable: the predicate before the action
    const struct term *after;    // … and after it
};

// What is known of the post of a state by an action.
enum post_fact { POST_UNASKED, POST_MAYBE, POST_HOLDS, POST_FAILS };

struct post_memory {
    uint64_t key;       // state and slot, + 1; 0 = free
    uint8_t feasible;   // 0 = unasked, 1 = no, 2 = maybe
    uint8_t *facts;     // per predicate, enum post_fact; `count` of them
    uint32_t count;
};

struct action_solver {
    struct smt *smt;
    struct encoded_step step;
    uint8_t *defined;   // per predicate: 1 = before, 2 = after
    uint32_t defined_count;
};

struct domain {
    struct domain_head head;
    bool local;
    int64_t split;
    VECTOR(struct predicate) predicates;
    uint32_t *by_term;             // term id -> predicate + 1
    size_t by_term_count;
    struct state_table states;
    VECTOR(const struct term *) formulas; // per state, NULL until asked for
    struct state_list *precision;  // per location: predicates in order of number; [0] when global
    struct state_list fresh;       // scratch
    uint64_t precision_size;
    struct action_solver *solvers; // per edge, then the initial action
    struct post_memory *memory;
    size_t memory_size, memory_used;
    size_t fact_bytes;
    struct arena arena;
    VECTOR(uint64_t) literals;     // scratch
    struct term_vector assumptions; // scratch
};

static struct state_list *precision_at(const struct domain *d, const struct location *location)
{
    return &d->precision[d->local ? location->index : 0];
}

// Predicates.

static uint32_t predicate_number(struct domain *d, const struct term *term)
{
    struct workspace *ws = d->head.workspace;
    if (term->kind == TERM_NOT)
        term = term->child[0];
    if (term->id >= d->by_term_count) {
        size_t count = 2 * (size_t)term->id + 16;
        d->by_term = memory_realloc(d->by_term, count * sizeof *d->by_term);
        memset(d->by_term + d->by_term_count, 0,
               (count - d->by_term_count) * sizeof *d->by_term);
        d->by_term_count = count;
    }
    if (!d->by_term[term->id]) {
        uint32_t number = (uint32_t)d->predicates.count;
        const struct term *boolean = term_var(ws->store, "!predicate", sort_bool(ws->store));
        struct predicate p = {
            .term = term,
            .negation = term_not(ws->store, term),
            .before = term_var_copy(ws->store, boolean, 2 * number + 1),
            .after = term_var_copy(ws->store, boolean, 2 * number + 2),
        };
        VECTOR_PUSH(&d->predicates, p);
        d->by_term[term->id] = number + 1;
    }
    return d->by_term[term->id] - 1;
}

static bool list_insert(struct state_list *list, uint32_t number)
{
    size_t at = list->count;
    while (at > 0 && list->data[at - 1] > number)
        at--;
    if (at > 0 && list->data[at - 1] == number)
        return false;
    VECTOR_PUSH(list, number);
    memmove(list->data + at + 1, list->data + at, (list->count - 1 - at) * sizeof *list->data);
    list->data[at] = number;
    return true;
}

static bool add_predicate(struct domain *d, const struct location *location,
                          const struct term *term)
{
    if (term_is_literal(term) || (term->flags & TERM_HAS_QUANTIFIER))
        return false;
    uint32_t number = predicate_number(d, term);
    bool added = list_insert(precision_at(d, location), number);
    d->precision_size += added;
    return added;
}

static bool add_parts(struct domain *d, const struct location *location, const struct term *term,
                      int64_t split)
{
    struct term_vector parts = {0};
    if (split == PREDSPLIT_ATOMS)
        rewrite_atoms(term, &parts);
    else if (split == PREDSPLIT_CONJUNCTS)
        rewrite_conjuncts(term, &parts);
    else
        VECTOR_PUSH(&parts, term);
    bool changed = false;
    for (size_t i = 0; i < parts.count; i++)
        changed |= add_predicate(d, location, parts.data[i]);
    VECTOR_FINISH(&parts);
    return changed;
}

static void add_everywhere(struct domain *d, const struct term *term)
{
    const struct model *model = d->head.workspace->model;
    for (uint32_t l = 0; l < (d->local ? model->location_count : 1); l++)
        add_parts(d, model->locations[l], term, PREDSPLIT_ATOMS);
}

static void add_assumptions(struct domain *d, const struct statement *s)
{
    if (s->kind == STATEMENT_ASSUME || s->kind == STATEMENT_IF)
        add_everywhere(d, s->expression);
    for (uint32_t i = 0; i < s->child_count; i++)
        add_assumptions(d, s->child[i]);
}

static struct domain *create(struct workspace *workspace)
{
    const struct model *model = workspace->model;
    struct domain *d = memory_zalloc(sizeof *d);
    d->head = (struct domain_head){.operations = &domain_predicates, .workspace = workspace};
    d->local = workspace_option(workspace, OPTION_GRANULARITY) == GRANULARITY_LOCAL;
    d->split = workspace_option(workspace, OPTION_PREDSPLIT);
    arena_init(&d->arena);
    state_table_init(&d->states);
    d->precision = memory_zalloc((model->location_count + 1) * sizeof *d->precision);
    d->solvers = memory_zalloc((model->edge_count + 1) * sizeof *d->solvers);
    int64_t kind = workspace_option(workspace, OPTION_INITPREC);
    if ((kind == INITPREC_PROP || kind == INITPREC_PROP_CTRL) && model->property)
        add_everywhere(d, model->property);
    if (kind == INITPREC_ALLASSUMES)
        for (uint32_t e = 0; e < model->edge_count; e++)
            add_assumptions(d, model->edges[e]->action);
    return d;
}

static void destroy(struct domain *d)
{
    if (!d)
        return;
    const struct model *model = d->head.workspace->model;
    for (uint32_t e = 0; e <= model->edge_count; e++)
        if (d->solvers[e].smt) {
            smt_destroy(d->solvers[e].smt);
            encoded_step_finish(&d->solvers[e].step);
            memory_free(d->solvers[e].defined);
        }
    memory_free(d->solvers);
    for (uint32_t l = 0; l < model->location_count; l++)
        VECTOR_FINISH(&d->precision[l]);
    memory_free(d->precision);
    for (size_t i = 0; i < d->memory_size; i++)
        memory_free(d->memory[i].facts);
    memory_free(d->memory);
    memory_free(d->by_term);
    VECTOR_FINISH(&d->predicates);
    VECTOR_FINISH(&d->formulas);
    VECTOR_FINISH(&d->fresh);
    VECTOR_FINISH(&d->literals);
    VECTOR_FINISH(&d->assumptions);
    state_table_finish(&d->states);
    arena_finish(&d->arena);
    memory_free(d);
}

// States.

static uint32_t intern(struct domain *d, const uint64_t *literals, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = hash_mix(hash + (literals[i] + 1) * 0x9e3779b97f4a7c15u);
    uint32_t id = state_table_intern(&d->states, literals, (uint32_t)count, hash);
    if (id == d->formulas.count)
        VECTOR_PUSH(&d->formulas, NULL);
    return id;
}

static const struct term *literal_term(const struct domain *d, uint64_t literal)
{
    const struct predicate *p = &d->predicates.data[literal / 2];
    return literal & 1 ? p->negation : p->term;
}

static const struct term *formula(struct domain *d, uint32_t state)
{
    if (d->formulas.data[state])
        return d->formulas.data[state];
    struct workspace *ws = d->head.workspace;
    const struct state_entry *entry = state_table_get(&d->states, state);
    struct term_vector parts = {0};
    for (uint32_t i = 0; i < entry->count; i++)
        VECTOR_PUSH(&parts, literal_term(d, entry->words[i]));
    d->formulas.data[state] = term_and(ws->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return d->formulas.data[state];
}

// The literals of the larger state are among those of the smaller one. For states of one precision this
// is implication, because a post keeps every literal that its conjunction implies.
static bool covers(struct domain *d, uint32_t larger, uint32_t smaller)
{
    const struct state_entry *l = state_table_get(&d->states, larger);
    const struct state_entry *s = state_table_get(&d->states, smaller);
    uint32_t at = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        while (at < s->count && s->words[at] < l->words[i])
            at++;
        if (at == s->count || s->words[at] != l->words[i])
            return false;
    }
    return true;
}

static uint32_t class_of(struct domain *d, uint32_t state)
{
    (void)d;
    return state;
}

static uint32_t coverer_in_class(struct domain *d, uint32_t state, uint32_t class)
{
    return covers(d, class, state) ? class : STATE_NONE;
}

// The memory of posts: what a state and an action were found to imply stays true when the precision grows.

static struct post_memory *memory_slot(struct post_memory *table, size_t size, uint64_t key)
{
    size_t at = hash_mix(key) & (size - 1);
    while (table[at].key && table[at].key != key)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static struct post_memory *recall(struct domain *d, uint32_t state, uint32_t slot)
{
    uint64_t key = ((uint64_t)slot << 32 | state) + 1;
    if (2 * (d->memory_used + 1) > d->memory_size) {
        size_t size = d->memory_size ? 2 * d->memory_size : 256;
        struct post_memory *bigger = memory_zalloc(size * sizeof *bigger);
        for (size_t i = 0; i < d->memory_size; i++)
            if (d->memory[i].key)
                *memory_slot(bigger, size, d->memory[i].key) = d->memory[i];
        memory_free(d->memory);
        d->memory = bigger;
        d->memory_size = size;
    }
    struct post_memory *m = memory_slot(d->memory, d->memory_size, key);
    d->memory_used += !m->key;
    m->key = key;
    uint32_t predicates = (uint32_t)d->predicates.count;
    if (m->count < predicates) {
        m->facts = memory_realloc(m->facts, predicates);
        memset(m->facts + m->count, POST_UNASKED, predicates - m->count);
        d->fact_bytes += predicates - m->count;
        m->count = predicates;
    }
    return m;
}

// Queries.

static struct action_solver *action_solver(struct domain *d, const struct statement *action,
                                           uint32_t slot)
{
    struct workspace *ws = d->head.workspace;
    struct action_solver *a = &d->solvers[slot];
    struct smt_context *context = workspace_solver(ws);
    if (!context)
        return NULL;
    if (!a->smt) {
        uint32_t *zero = memory_zalloc((ws->model->variable_count + 1) * sizeof *zero);
        encoder_step(ws->encoder, &d->arena, action, 0, zero, 0, &a->step);
        memory_free(zero);
        a->smt = smt_create(context);
        smt_assert(a->smt, a->step.formula);
    }
    uint32_t predicates = (uint32_t)d->predicates.count;
    if (a->defined_count < predicates) {
        a->defined = memory_realloc(a->defined, predicates);
        memset(a->defined + a->defined_count, 0, predicates - a->defined_count);
        a->defined_count = predicates;
    }
    return a;
}

// side: 1 = before the action, 2 = after it.
static const struct term *boolean_for(struct domain *d, struct action_solver *a, uint32_t number,
                                      uint8_t side)
{
    struct workspace *ws = d->head.workspace;
    const struct predicate *p = &d->predicates.data[number];
    const struct term *boolean = side == 1 ? p->before : p->after;
    if (!(a->defined[number] & side)) {
        const uint32_t *index = side == 1 ? a->step.before : a->step.after;
        smt_assert(a->smt, term_iff(ws->store, boolean, encoder_shift(ws->encoder, p->term, index)));
        a->defined[number] |= side;
    }
    return boolean;
}

// The current model refutes the literals that it falsifies.
static void learn_from_model(struct domain *d, struct action_solver *a,
                             const struct state_list *precision, struct post_memory *m,
                             uint8_t *seen)
{
    for (size_t i = 0; i < precision->count; i++) {
        uint32_t p = precision->data[i];
        if (m->facts[p] != POST_UNASKED)
            continue;
        const struct term *value = smt_model_value(a->smt, d->predicates.data[p].after);
        if (!value)
            seen[i] = 3;
        else
            seen[i] |= term_is_true(value) ? 1 : 2;
        if (seen[i] == 3)
            m->facts[p] = POST_MAYBE;
    }
}

// Is the predicate, seen with one sign only so far, implied with that sign?
static bool decide(struct domain *d, struct action_solver *a, const struct state_list *precision,
                   struct post_memory *m, uint8_t *seen, size_t i)
{
    struct workspace *ws = d->head.workspace;
    uint32_t p = precision->data[i];
    bool sign = seen[i] == 1;
    const struct term *after = d->predicates.data[p].after;
    VECTOR_PUSH(&d->assumptions, sign ? term_not(ws->store, after) : after);
    enum smt_result result =
        smt_check_assuming(a->smt, d->assumptions.data, d->assumptions.count);
    (void)VECTOR_POP(&d->assumptions);
    if (!workspace_step(ws, 1))
        return false;
    if (result == SMT_UNSAT) {
        m->facts[p] = sign ? POST_HOLDS : POST_FAILS;
        return true;
    }
    m->facts[p] = POST_MAYBE;
    if (result == SMT_UNKNOWN)
        return workspace_tolerate(ws, a->smt);
    learn_from_model(d, a, precision, m, seen);
    return true;
}

// Fills m->facts for the whole precision. False when the attempt has to end.
static bool ask(struct domain *d, const struct statement *action, uint32_t slot, uint32_t state,
                const struct state_list *precision, struct post_memory *m)
{
    struct workspace *ws = d->head.workspace;
    struct action_solver *a = action_solver(d, action, slot);
    if (!a)
        return false;
    const struct state_entry *entry = state_table_get(&d->states, state);
    VECTOR_CLEAR(&d->assumptions);
    for (uint32_t i = 0; i < entry->count; i++) {
        const struct term *b = boolean_for(d, a, (uint32_t)(entry->words[i] / 2), 1);
        VECTOR_PUSH(&d->assumptions, entry->words[i] & 1 ? term_not(ws->store, b) : b);
    }
    for (size_t i = 0; i < precision->count; i++)
        boolean_for(d, a, precision->data[i], 2);
    enum smt_result result =
        smt_check_assuming(a->smt, d->assumptions.data, d->assumptions.count);
    if (!workspace_step(ws, 1))
        return false;
    m->feasible = result == SMT_UNSAT ? 1 : 2;
    if (result == SMT_UNSAT)
        return true;
    uint8_t *seen = memory_zalloc(precision->count + 1);
    bool going = true;
    if (result == SMT_SAT) {
        learn_from_model(d, a, precision, m, seen);
    } else {
        going = workspace_tolerate(ws, a->smt);
        for (size_t i = 0; i < precision->count; i++)
            if (m->facts[precision->data[i]] == POST_UNASKED)
                m->facts[precision->data[i]] = POST_MAYBE;
    }
    for (size_t i = 0; going && i < precision->count; i++)
        if (m->facts[precision->data[i]] == POST_UNASKED)
            going = decide(d, a, precision, m, seen, i);
    memory_free(seen);
    return going;
}

static bool transfer(struct domain *d, const struct statement *action, uint32_t slot,
                     uint32_t state, const struct location *target, struct state_list *out)
{
    struct workspace *ws = d->head.workspace;
    const struct state_list *precision = precision_at(d, target);
    bool error = target == ws->model->error; // there is nothing to know beyond it
    static const struct state_list nothing;
    if (error)
        precision = &nothing;
    struct post_memory *m = recall(d, state, slot);
    bool known = m->feasible != 0;
    for (size_t i = 0; known && m->feasible == 2 && i < precision->count; i++)
        known = m->facts[precision->data[i]] != POST_UNASKED;
    atomic_fetch_add_explicit(&ws->progress->cache_lookups, 1, memory_order_relaxed);
    if (known)
        atomic_fetch_add_explicit(&ws->progress->cache_hits, 1, memory_order_relaxed);
    else if (!ask(d, action, slot, state, precision, m))
        return false;
    if (m->feasible == 1)
        return workspace_step(ws, 1);
    VECTOR_CLEAR(&d->literals);
    for (size_t i = 0; i < precision->count; i++) {
        uint32_t p = precision->data[i];
        if (m->facts[p] == POST_HOLDS || m->facts[p] == POST_FAILS)
            VECTOR_PUSH(&d->literals, LITERAL(p, m->facts[p] == POST_FAILS));
    }
    VECTOR_PUSH(out, intern(d, d->literals.data, d->literals.count));
    return workspace_step(ws, 1);
}

static bool initial(struct domain *d, struct state_list *out)
{
    const struct model *model = d->head.workspace->model;
    return transfer(d, model->initial_action, model->edge_count, intern(d, NULL, 0),
                    model->initial, out);
}

static bool successors(struct domain *d, uint32_t state, const struct edge *edge,
                       struct state_list *out)
{
    return transfer(d, edge->action, edge->id, state, edge->target, out);
}

static bool refine(struct domain *d, const struct location *location,
                   const struct term *interpolant, const struct term *const *variables,
                   size_t variable_count)
{
    (void)variables;
    (void)variable_count;
    bool changed = interpolant && add_parts(d, location, interpolant, d->split);
    d->head.precision_id += changed;
    return changed;
}

static uint64_t precision_size(const struct domain *d)
{
    return d->precision_size;
}

static size_t bytes(const struct domain *d)
{
    return state_table_bytes(&d->states) + d->arena.bytes + d->fact_bytes +
           d->memory_size * sizeof *d->memory +
           d->predicates.capacity * sizeof *d->predicates.data;
}

const struct domain_operations domain_predicates = {
    .name = "PRED_CART",
    .create = create,
    .destroy = destroy,
    .initial = initial,
    .successors = successors,
    .covers = covers,
    .class_of = class_of,
    .coverer_in_class = coverer_in_class,
    .formula = formula,
    .refine = refine,
    .precision_size = precision_size,
    .bytes = bytes,
};
