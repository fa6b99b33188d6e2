#include "base/memory.h"
#include "engines/bounded/elements_inside.h"
#include "logic/terms/polynomial.h"
#include "logic/terms/rewrite.h"

#define MOST_VALUES 4 // that an element may have one of
#define MOST_CONJUNCTS 12
#define MOST_OF_NUMBERS 2
#define MOST_ENDS_THAT_ARE_LITERALS 12
#define LARGEST_ELEMENT 8 // bytes
#define MOST_NODES 200    // of what is generalised

struct passing {
    struct elements *e;
    const struct way *way;
    VECTOR(struct element_site) sites;
    struct term_vector conditions; // of the way, told over states: of elements, …
    struct term_vector of_numbers; // … and of numbers, which hold of some and not of the next
};

static bool reads_elements(const struct elements *e, const struct term *t)
{
    struct term_vector selects = {0};
    elements_subterms(e, t, TERM_SELECT, &selects);
    const bool some = selects.count > 0;
    VECTOR_FINISH(&selects);
    return some;
}

// What is arbitrary and was stored is what is there afterwards.
static const struct term *as_stored(struct passing *p, const struct term *t)
{
    struct term_store *store = p->e->m->store;
    for (size_t i = 0; i < p->sites.count; i++) {
        const struct element_site *site = &p->sites.data[i];
        if (elements_is_of_no_state(p->e, site->element))
            t = rewrite_replace(store, t, site->element,
                                term_select(store, site->array, site->key));
    }
    return t;
}

static void find_sites(struct passing *p)
{
    const struct model *model = p->e->m->model;
    for (uint32_t v = 0; v < model->variable_count; v++) {
        struct term_vector stores = {0};
        struct element_site site;
        if (model->variables[v]->sort->kind == SORT_ARRAY && p->e->m->state[v])
            elements_subterms(p->e, p->way->now[v], TERM_STORE, &stores);
        for (size_t i = 0; i < stores.count; i++)
            if (elements_find_site(p->e, stores.data[i], &site))
                VECTOR_PUSH(&p->sites, site);
        VECTOR_FINISH(&stores);
    }
}

// A number that something which was read is added to.
static void note_sums(struct passing *p)
{
    const struct model *model = p->e->m->model;
    for (uint32_t v = 0; v < model->variable_count && !p->e->adds; v++) {
        const struct term *before = model->variables[v]->term, *now = p->way->now[v];
        p->e->adds = p->e->m->state[v] && elements_is_number(before) && now != before &&
                     rewrite_contains(now, before) && reads_elements(p->e, now);
    }
}

// An equation, such as i % 2 == 0, or that there is none.
static bool is_of_some(const struct term *condition)
{
    const struct term *t = condition->kind == TERM_NOT ? condition->child[0] : condition;
    return t->kind == TERM_EQ && elements_is_number(t->child[0]);
}

static void find_conditions(struct passing *p)
{
    struct term_vector parts = {0};
    rewrite_conjuncts(p->way->condition, &parts);
    for (size_t i = 0; i < parts.count && p->conditions.count < MOST_CONJUNCTS; i++) {
        const struct term *told = parts.data[i]->tree_size <= MOST_NODES
                                      ? elements_within_bounds(p->e, as_stored(p, parts.data[i]))
                                      : NULL;
        if (told == NULL || !monolith_speaks_of_states(p->e->m, told, NULL))
            continue;
        if (reads_elements(p->e, told))
            term_vector_add_once(&p->conditions, told, MOST_CONJUNCTS);
        else if (is_of_some(told))
            term_vector_add_once(&p->of_numbers, told, MOST_OF_NUMBERS);
    }
    VECTOR_FINISH(&parts);
}

// The place in an array of more than one dimension, in elements: a sum of at least two products of numbers. NULL: it is none.
static const struct term *flat_index(struct elements *e, const struct term *key, uint32_t *scale)
{
    struct polynomial p;
    const struct term *out = NULL;
    size_t products = 0;
    if (key->sort->kind == SORT_BV && key->sort->width <= 64 &&
        polynomial_of(e->m->store, key, key->sort->width, &p)) {
        for (size_t i = 0; i < p.count; i++)
            products += p.data[i].degree > 0;
        for (*scale = LARGEST_ELEMENT; products > 1 && *scale > 1; *scale /= 2)
            if (polynomial_divide(&p, *scale))
                break;
        out = products > 1 ? polynomial_term(e->m->store, &p) : NULL;
        polynomial_finish(&p);
    }
    return out;
}

static void add_end(struct elements *e, const struct term *end, bool flat)
{
    if (term_is_literal(end))
        term_vector_add_once(&e->literals, end, MOST_ENDS_THAT_ARE_LITERALS);
    else if (end->tree_size <= MOST_NODES && monolith_speaks_of_states(e->m, end, NULL))
        term_vector_add_once(&e->numbers, end, MOST_ENDS);
    for (size_t i = 0; i < e->numbers.count && flat; i++)
        if (e->numbers.data[i] == end)
            e->flat |= UINT32_C(1) << i;
}

// How far whole rows went: the place with the number that moves along a row at 0, and then with literals for the others.
static void add_rows(struct elements *e, const struct term *index)
{
    struct term_store *store = e->m->store;
    struct term_vector numbers = {0};
    rewrite_free_variables(index, &numbers);
    for (size_t i = 0; i < numbers.count; i++) {
        const struct sort *sort = numbers.data[i]->sort;
        const struct term *begin =
            rewrite_replace(store, index, numbers.data[i], term_bv(store, sort->width, 0));
        add_end(e, begin, true);
        for (size_t k = 0; k < numbers.count; k++)
            for (size_t l = 0; l < e->compared && k != i; l++)
                if (e->literals.data[l]->sort == numbers.data[k]->sort)
                    add_end(e, rewrite_replace(store, begin, numbers.data[k], e->literals.data[l]),
                            true);
    }
    VECTOR_FINISH(&numbers);
}

// With the whole place as what varies.
static void generalise_flat(struct elements *e, const struct term *formula)
{
    struct term_vector selects = {0};
    elements_subterms(e, formula, TERM_SELECT, &selects);
    for (size_t i = 0; i < selects.count; i++) {
        const struct term *key = selects.data[i]->child[1];
        uint32_t scale;
        const struct term *index = flat_index(e, key, &scale);
        if (index == NULL)
            continue;
        const struct term *each = elements_each_of(e, key->sort);
        const struct term *times = term_bv_binary(e->m->store, TERM_BV_MUL, each,
                                                  term_bv(e->m->store, key->sort->width, scale));
        elements_add_pattern(e, each, rewrite_replace(e->m->store, formula, key, times), true);
        add_end(e, index, true);
        add_rows(e, index);
    }
    VECTOR_FINISH(&selects);
}

// What is stored on a way on which something holds of elements.
static void generalise_stores(struct passing *p, bool all)
{
    struct term_store *store = p->e->m->store;
    for (size_t i = 0; i < p->sites.count; i++) {
        const struct element_site *site = &p->sites.data[i];
        const struct term *there = term_select(store, site->array, site->key);
        const struct term *is = as_stored(p, elements_within_bounds(p->e, site->element));
        if (is == there || is->tree_size > MOST_NODES || elements_reads(p->e, is, there))
            continue;
        generalise_flat(p->e, term_eq(store, there, is));
        if (is != site->element)
            elements_generalise(p->e, term_eq(store, there, is));
        for (size_t k = 0; k < p->of_numbers.count; k++)
            elements_generalise(
                p->e, term_implies(store, p->of_numbers.data[k], term_eq(store, there, is)));
        for (size_t k = 0; k < p->conditions.count && all; k++)
            elements_generalise(
                p->e, term_implies(store, p->conditions.data[k], term_eq(store, there, is)));
    }
}

// An element is at most a number: of another, too.
static void generalise_orders(struct passing *p, const struct term *condition)
{
    struct elements *e = p->e;
    struct term_vector atoms = {0};
    rewrite_atoms(condition, &atoms);
    for (size_t i = 0; i < atoms.count; i++)
        for (uint32_t c = 0; c < atoms.data[i]->child_count; c++) {
            const struct term *atom = atoms.data[i], *limit = atom->child[c];
            if (atom->kind == TERM_EQ || atom->child_count != 2 || !elements_is_number(limit) ||
                (elements_variable(e, limit) == NULL && !term_is_literal(limit)) ||
                !reads_elements(e, atom->child[1 - c]))
                continue;
            for (size_t n = 0; n < e->numbers.count; n++)
                if (e->numbers.data[n]->sort == limit->sort && e->numbers.data[n] != limit) {
                    const struct term *other =
                        rewrite_replace(e->m->store, atom, limit, e->numbers.data[n]);
                    elements_generalise(e, other);
                    elements_generalise(e, term_not(e->m->store, other));
                }
        }
    VECTOR_FINISH(&atoms);
}

// How far stores went, as the places that patterns speak of are told.
static void add_ends(struct passing *p)
{
    struct elements *e = p->e;
    for (size_t i = 0; i < p->sites.count; i++)
        for (size_t k = 0; k < e->patterns.count; k++) {
            const struct pattern *pattern = &e->patterns.data[k];
            struct term_vector selects = {0};
            if (pattern->flat)
                continue;
            elements_subterms(e, pattern->says, TERM_SELECT, &selects);
            for (size_t s = 0; s < selects.count; s++) {
                const struct term *key = selects.data[s]->child[1];
                const struct term *end =
                    selects.data[s]->child[0] == p->sites.data[i].array &&
                            rewrite_contains(key, pattern->each)
                        ? rewrite_match(e->m->store, key, pattern->each, p->sites.data[i].key)
                        : NULL;
                if (end != NULL && end->kind != TERM_VAR && !term_is_literal(end))
                    add_end(e, end, false);
            }
            VECTOR_FINISH(&selects);
        }
}

static void add_patterns(struct passing *p, const struct edge *edge, bool all)
{
    struct term_store *store = p->e->m->store;
    find_conditions(p);
    note_sums(p);
    if (edge->target == p->e->m->model->error && p->conditions.count > 0) {
        const struct term *asked = term_and(store, p->conditions.data, p->conditions.count);
        elements_generalise(p->e, term_not(store, asked));
        generalise_flat(p->e, term_not(store, asked));
        if (all)
            generalise_orders(p, asked);
    } else {
        for (size_t i = 0; i < p->conditions.count && all; i++)
            elements_generalise(p->e, p->conditions.data[i]);
        generalise_stores(p, all);
    }
}

enum wanted { SOME_PATTERNS, ALL_PATTERNS, ENDS };

static void pass(struct elements *e, const struct edge *edge, const struct way *way,
                 enum wanted wanted)
{
    struct passing p = {.e = e, .way = way};
    find_sites(&p);
    if (wanted == ENDS)
        add_ends(&p);
    else
        add_patterns(&p, edge, wanted == ALL_PATTERNS);
    VECTOR_FINISH(&p.sites);
    VECTOR_FINISH(&p.conditions);
    VECTOR_FINISH(&p.of_numbers);
}

static void find_ways(struct elements *e)
{
    const struct model *model = e->m->model;
    uint32_t copies = 0;
    e->ways = memory_zalloc((model->edge_count + 1) * sizeof *e->ways);
    for (uint32_t i = 0; i < model->edge_count; i++)
        if (!ways_find(e->m, model->edges[i]->action, &copies, &e->ways[i]))
            ways_finish(&e->ways[i]);
}

static void pass_edges(struct elements *e, enum wanted wanted)
{
    const struct model *model = e->m->model;
    for (uint32_t i = 0; i < model->edge_count; i++) {
        const struct edge *edge = model->edges[i];
        if (wanted == SOME_PATTERNS && edge->target != model->error && edge->source != edge->target)
            continue;
        for (size_t w = 0; w < e->ways[i].count; w++)
            pass(e, edge, &e->ways[i].data[w], wanted);
    }
}

// What is given one of several values has one of them.
static void join_values(struct elements *e)
{
    struct term_store *store = e->m->store;
    const size_t count = e->patterns.count;
    for (size_t i = 0; i < count; i++) {
        const struct term *there = elements_place_given(e->patterns.data[i].says);
        struct term_vector same = {0};
        for (size_t k = 0; k < count && there != NULL; k++)
            if (elements_place_given(e->patterns.data[k].says) == there)
                VECTOR_PUSH(&same, e->patterns.data[k].says);
        if (same.count > 1 && same.count <= MOST_VALUES && same.data[0] == e->patterns.data[i].says)
            elements_add_pattern(e, e->patterns.data[i].each, term_or(store, same.data, same.count),
                                 e->patterns.data[i].flat);
        VECTOR_FINISH(&same);
    }
}

void elements_harvest_ways(struct elements *e, bool all)
{
    if (e->ways == NULL)
        find_ways(e);
    if (all)
        join_values(e);
    pass_edges(e, all ? ALL_PATTERNS : SOME_PATTERNS);
    pass_edges(e, ENDS);
}
