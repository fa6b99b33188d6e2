#include "engines/bounded/elements_inside.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "logic/smt/products.h"
#include "logic/terms/polynomial.h"
#include "logic/terms/rewrite.h"

#define MOST_SUM 6      // terms in a sum that is one of them
#define MOST_LITERALS 4 // likewise
#define MOST_CONDITIONS 4
#define MOST_COMPARISONS 100
#define MOST_BOUNDS 8
#define MOST_CHANGES 3 // of an element, one after the other
#define MOST_SINGLE 24 // facts about one element
#define MOST_PLACES 4
#define MOST_PARTS 6    // of what is asked on a way, told in pairs, …
#define MOST_ASKED 40   // … of so many terms
#define MOST_NODES 2000 // of a term that is followed, as a tree

bool elements_is_number(const struct term *t)
{
    return t->sort->kind == SORT_BV && t->sort->width > 1;
}

const struct variable *elements_variable(const struct elements *e, const struct term *t)
{
    const struct variable *v = t->kind == TERM_VAR ? model_variable_of(e->m->model, t) : NULL;
    return v != NULL && e->m->state[v->index] && !(e->aside != NULL && e->aside[v->index]) ? v
                                                                                           : NULL;
}

// All subterms of that kind; each once if the term is large.
void elements_subterms(const struct elements *e, const struct term *root, enum term_kind kind,
                       struct term_vector *out)
{
    struct term_vector todo = {0};
    uint8_t *seen =
        root->tree_size > MOST_NODES ? memory_zalloc(term_store_next_id(e->m->store) + 1) : NULL;
    VECTOR_PUSH(&todo, root);
    while (todo.count > 0) {
        const struct term *t = VECTOR_POP(&todo);
        if (seen != NULL && seen[t->id])
            continue;
        if (seen != NULL)
            seen[t->id] = 1;
        if (t->kind == kind)
            VECTOR_PUSH(out, t);
        for (uint32_t i = 0; i < t->child_count; i++)
            VECTOR_PUSH(&todo, t->child[i]);
    }
    memory_free(seen);
    VECTOR_FINISH(&todo);
}

// Patterns.

// A name that no language's variable has. One for each sort.
const struct term *elements_each_of(struct elements *e, const struct sort *sort)
{
    char name[32];
    snprintf(name, sizeof name, "each of %u bits", sort->width);
    return term_var(e->m->store, name, sort);
}

void elements_add_pattern(struct elements *e, const struct term *each, const struct term *says,
                          bool flat)
{
    if (term_is_literal(says) || e->patterns.count >= e->most_patterns ||
        !rewrite_contains(says, each) || !monolith_speaks_of_states(e->m, says, each))
        return;
    for (size_t i = 0; i < e->patterns.count; i++)
        if (e->patterns.data[i].says == says && e->patterns.data[i].flat == flat)
            return;
    struct pattern pattern = {.each = each, .says = says, .flat = flat};
    e->multiplies = e->multiplies || products_occur(e->m->store, says);
    VECTOR_PUSH(&e->patterns, pattern);
}

bool elements_is_of_no_state(const struct elements *e, const struct term *t)
{
    return t->kind == TERM_VAR && elements_variable(e, t) == NULL;
}

// Where something arbitrary is read if an index is out of bounds: what is read within them.
const struct term *elements_within_bounds(struct elements *e, const struct term *formula)
{
    struct term_vector choices = {0};
    elements_subterms(e, formula, TERM_ITE, &choices);
    for (size_t i = 0; i < choices.count; i++) {
        const struct term *c = choices.data[i];
        const struct term *then = c->child[1], *otherwise = c->child[2];
        if (elements_is_of_no_state(e, then) != elements_is_of_no_state(e, otherwise))
            formula = rewrite_replace(e->m->store, formula, c,
                                      elements_is_of_no_state(e, then) ? otherwise : then);
    }
    VECTOR_FINISH(&choices);
    return formula;
}

// Any number of its indices may be the one that varies, or none.
static void generalise(struct elements *e, const struct term *formula, bool negated_too)
{
    formula = elements_within_bounds(e, formula);
    if (!term_is_literal(formula) && monolith_speaks_of_states(e->m, formula, NULL))
        term_vector_add_once(&e->single, formula, MOST_SINGLE);
    struct term_vector selects = {0}, variables = {0};
    elements_subterms(e, formula, TERM_SELECT, &selects);
    for (size_t i = 0; i < selects.count; i++)
        rewrite_free_variables(selects.data[i]->child[1], &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const struct term *number = variables.data[i];
        if (!elements_is_number(number))
            continue;
        const struct term *each = elements_each_of(e, number->sort);
        const struct term *says = rewrite_replace(e->m->store, formula, number, each);
        elements_add_pattern(e, each, says, false);
        if (negated_too)
            elements_add_pattern(e, each, term_not(e->m->store, says), false);
        if (elements_variable(e, number) != NULL)
            term_vector_add_once(&e->numbers, number, MOST_NUMBERS);
    }
    VECTOR_FINISH(&selects);
    VECTOR_FINISH(&variables);
}

// What a step does, told over the state before it.

// The array in which something was stored, wherever that was: NULL if that may be one or the other.
static const struct term *base_of(const struct term *array)
{
    while (array->kind == TERM_STORE)
        array = array->child[0];
    if (array->kind != TERM_ITE)
        return array;
    const struct term *base = base_of(array->child[1]);
    return base != NULL && base == base_of(array->child[2]) ? base : NULL;
}

bool elements_find_site(const struct elements *e, const struct term *store,
                        struct element_site *out)
{
    const struct term *base = store->tree_size <= MOST_NODES ? base_of(store) : NULL;
    if (base == NULL)
        return false;
    *out = (struct element_site){base, store->child[1], store->child[2]};
    return elements_variable(e, base) != NULL;
}

// The state's only variable in it, if it is a number.
static const struct term *only_number(const struct elements *e, const struct term *t)
{
    struct term_vector variables = {0};
    rewrite_free_variables(t, &variables);
    const struct term *only = variables.count == 1 && elements_is_number(variables.data[0]) &&
                                      elements_variable(e, variables.data[0]) != NULL
                                  ? variables.data[0]
                                  : NULL;
    VECTOR_FINISH(&variables);
    return only;
}

static void harvest_bound(struct elements *e, const struct term *atom)
{
    const struct term *number = only_number(e, atom->child[0]);
    const struct term *size = only_number(e, atom->child[1]);
    if (number == NULL || size == NULL || number == atom->child[0] ||
        size->sort != atom->child[0]->sort || e->bounds.count >= MOST_BOUNDS)
        return;
    struct bound b = {.each = elements_each_of(e, number->sort), .size = size};
    b.key = rewrite_replace(e->m->store, atom->child[0], number, b.each);
    for (size_t i = 0; i < e->bounds.count; i++)
        if (e->bounds.data[i].key == b.key && e->bounds.data[i].size == size)
            return;
    VECTOR_PUSH(&e->bounds, b);
}

static void harvest_bounds(struct elements *e, const struct term *root)
{
    struct term_vector atoms = {0};
    elements_subterms(e, root, TERM_BV_ULE, &atoms);
    for (size_t i = 0; i < atoms.count; i++)
        harvest_bound(e, atoms.data[i]);
    VECTOR_FINISH(&atoms);
}

bool elements_reads(const struct elements *e, const struct term *t, const struct term *element)
{
    struct term_vector selects = {0};
    bool found = false;
    elements_subterms(e, t, TERM_SELECT, &selects);
    for (size_t i = 0; i < selects.count; i++)
        found = found || selects.data[i] == element;
    VECTOR_FINISH(&selects);
    return found;
}

// What was stored is there; what was stored twice is the same in both places.
static void harvest_stores(struct elements *e, const struct term *root)
{
    struct term_vector stores = {0};
    harvest_bounds(e, root);
    elements_subterms(e, root, TERM_STORE, &stores);
    for (size_t i = 0; i < stores.count; i++) {
        struct element_site site;
        if (!elements_find_site(e, stores.data[i], &site))
            continue;
        const struct term *there = term_select(e->m->store, site.array, site.key);
        if (elements_reads(e, site.element, there)) {
            VECTOR_PUSH(&e->changes, there);
            VECTOR_PUSH(&e->changes, elements_within_bounds(e, site.element));
        } else {
            generalise(e, term_eq(e->m->store, there, site.element), false);
        }
    }
    VECTOR_FINISH(&stores);
}

// The element that an equation gives a value: that value, or NULL.
static const struct term *value_given(const struct term *says, const struct term *element)
{
    if (says->kind != TERM_EQ)
        return NULL;
    return says->child[0] == element   ? says->child[1]
           : says->child[1] == element ? says->child[0]
                                       : NULL;
}

// What elements in it are given by patterns takes their place; multiplied out.
static const struct term *without_reads(struct elements *e, const struct term *t,
                                        const struct term *each)
{
    struct term_vector selects = {0};
    struct polynomial p;
    elements_subterms(e, t, TERM_SELECT, &selects);
    for (size_t i = 0; i < selects.count; i++)
        for (size_t k = 0; k < e->patterns.count; k++) {
            const struct term *value = e->patterns.data[k].each == each
                                           ? value_given(e->patterns.data[k].says, selects.data[i])
                                           : NULL;
            if (value == NULL || elements_reads(e, value, selects.data[i]))
                continue;
            t = rewrite_replace(e->m->store, t, selects.data[i], value);
            break;
        }
    VECTOR_FINISH(&selects);
    if (t->sort->kind != SORT_BV || t->sort->width > 64)
        return t;
    if (polynomial_of(e->m->store, t, t->sort->width, &p))
        t = polynomial_term(e->m->store, &p);
    polynomial_finish(&p);
    return t;
}

// What an element was is known by some pattern: what it is changed to, told by that.
static void compose(struct elements *e, const struct term *number, const struct term *there,
                    const struct term *element)
{
    const struct term *each = elements_each_of(e, number->sort);
    there = rewrite_replace(e->m->store, there, number, each);
    element = rewrite_replace(e->m->store, element, number, each);
    const size_t count = e->patterns.count;
    for (size_t i = 0; i < count; i++) {
        const struct pattern p = e->patterns.data[i];
        const struct term *before = p.each == each ? value_given(p.says, there) : NULL;
        if (before == NULL || elements_reads(e, before, there))
            continue;
        const struct term *after = rewrite_replace(e->m->store, element, there, before);
        elements_add_pattern(e, each, term_eq(e->m->store, there, after), false);
        elements_add_pattern(e, each, term_eq(e->m->store, there, without_reads(e, after, each)),
                             false);
    }
}

// Elements that are changed in place, by loops one after the other.
static void harvest_changes(struct elements *e)
{
    for (int round = 0; round < MOST_CHANGES; round++)
        for (size_t i = 0; i < e->changes.count; i += 2) {
            struct term_vector variables = {0};
            rewrite_free_variables(e->changes.data[i]->child[1], &variables);
            for (size_t k = 0; k < variables.count; k++)
                if (elements_is_number(variables.data[k]))
                    compose(e, variables.data[k], e->changes.data[i], e->changes.data[i + 1]);
            VECTOR_FINISH(&variables);
        }
}

// What a number was made of before a loop, of another width: the size of a block of n elements.
static void harvest_width(struct elements *e, const struct statement *s)
{
    const struct term *from = s->expression;
    if (s->kind != STATEMENT_ASSIGN || (from->kind != TERM_BV_ZEXT && from->kind != TERM_BV_SEXT))
        return;
    const struct term *is = term_eq(e->m->store, s->variable->term, from);
    if (from->tree_size <= MOST_SUM + 1 && !rewrite_contains(from, s->variable->term) &&
        monolith_speaks_of_states(e->m, is, NULL))
        term_vector_add_once(&e->single, is, MOST_SINGLE);
}

// What one place was given before a loop may be there all the time: the zero at the end of a text.
static void harvest_places(struct elements *e, const struct statement *s)
{
    struct term_vector stores = {0};
    harvest_width(e, s);
    if (s->kind == STATEMENT_ASSIGN && s->variable->sort->kind == SORT_ARRAY)
        elements_subterms(e, s->expression, TERM_STORE, &stores);
    for (size_t i = 0; i < stores.count; i++) {
        struct element_site site;
        if (!elements_find_site(e, stores.data[i], &site) || site.array != s->variable->term)
            continue;
        const struct term *is =
            term_eq(e->m->store, term_select(e->m->store, site.array, site.key), site.element);
        if (!term_is_literal(is) && monolith_speaks_of_states(e->m, is, NULL))
            term_vector_add_once(&e->single, is, MOST_SINGLE);
        if (term_is_literal(site.element))
            term_vector_add_once(&e->places, stores.data[i], MOST_PLACES);
    }
    VECTOR_FINISH(&stores);
    for (uint32_t i = 0; i < s->child_count; i++)
        harvest_places(e, s->child[i]);
}

// Where that was may be told by another number: the last element of a block of that size.
static void harvest_last(struct elements *e)
{
    for (size_t i = 0; i < e->places.count; i++) {
        const struct term *store = e->places.data[i], *array = base_of(store);
        for (size_t k = 0; k < e->numbers.count; k++)
            if (e->numbers.data[k]->sort == store->child[1]->sort)
                term_vector_add_once(&e->single,
                                     term_eq(e->m->store,
                                             term_select(e->m->store, array, e->numbers.data[k]),
                                             store->child[2]),
                                     MOST_SINGLE);
    }
}

// An array that holds one value everywhere at first: its elements have it, as patterns speak of them.
static void harvest_initial(struct elements *e, const struct statement *s)
{
    const size_t count = e->patterns.count;
    for (uint32_t i = 0; i < s->child_count; i++)
        harvest_initial(e, s->child[i]);
    if (s->kind != STATEMENT_ASSIGN || s->expression->child_count != 1 ||
        (s->expression->kind != TERM_CONST_ARRAY && s->expression->kind != TERM_ARRAY))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct pattern p = e->patterns.data[i];
        struct term_vector selects = {0};
        elements_subterms(e, p.says, TERM_SELECT, &selects);
        for (size_t k = 0; k < selects.count; k++)
            if (selects.data[k]->child[0] == s->variable->term &&
                selects.data[k]->sort == s->expression->child[0]->sort)
                elements_add_pattern(e, p.each,
                                     term_eq(e->m->store, selects.data[k], s->expression->child[0]),
                                     p.flat);
        VECTOR_FINISH(&selects);
    }
}

static void harvest_same(struct elements *e, const struct term *const *now)
{
    const struct model *model = e->m->model;
    VECTOR(struct element_site) sites = {0};
    for (uint32_t v = 0; v < model->variable_count; v++) {
        struct term_vector stores = {0};
        if (model->variables[v]->sort->kind == SORT_ARRAY)
            elements_subterms(e, now[v], TERM_STORE, &stores);
        for (size_t i = 0; i < stores.count; i++) {
            struct element_site site;
            if (elements_find_site(e, stores.data[i], &site))
                VECTOR_PUSH(&sites, site);
        }
        VECTOR_FINISH(&stores);
    }
    for (size_t i = 0; i < sites.count && e->patterns.count < e->most_patterns; i++)
        for (size_t k = 0; k < i; k++) {
            const struct element_site *a = &sites.data[i], *b = &sites.data[k];
            if (a->element != b->element || term_is_literal(a->element))
                continue;
            generalise(e,
                       term_eq(e->m->store, term_select(e->m->store, a->array, a->key),
                               term_select(e->m->store, b->array, b->key)),
                       false);
        }
    VECTOR_FINISH(&sites);
}

// The number that `side` is below, or not, where it is compared with the other one.
static const struct term *limit_of(const struct elements *e, const struct term *atom,
                                   const struct term *side, const struct term *other)
{
    const bool reached =
        (atom->kind == TERM_BV_SLE || atom->kind == TERM_BV_ULE)
            ? atom->child[0] == side
            : (atom->kind == TERM_BV_SLT || atom->kind == TERM_BV_ULT) && atom->child[1] == side;
    if (!reached || other->kind != TERM_BV)
        return other;
    return term_bv_binary(e->m->store, TERM_BV_ADD, other,
                          term_bv(e->m->store, other->sort->width, 1));
}

// That or more, and no negative number.
static bool is_at_least(uint64_t least, const struct term *t)
{
    return t->kind == TERM_BV && t->sort->width <= 64 && term_bv_number(t) >= least &&
           term_bv_number(t) < UINT64_C(1) << (t->sort->width - 1);
}

// It is the size of a block, which says nothing of how far a loop is.
static bool is_size(const struct elements *e, const struct term *t)
{
    for (size_t i = 0; i < e->bounds.count; i++)
        if (e->bounds.data[i].size == t)
            return true;
    return false;
}

// Where a loop ends that looks at each element and the next, say, or at several at once: a sum or a multiple of numbers of the state.
static bool is_end(const struct elements *e, const struct term *t)
{
    return (t->kind == TERM_BV_ADD || t->kind == TERM_BV_MUL) && t->tree_size <= MOST_SUM &&
           monolith_speaks_of_states(e->m, t, NULL);
}

// Numbers of the state that are compared, and what numbers are compared with.
static void harvest_ends(struct elements *e, const struct term *atom)
{
    for (uint32_t i = 0; i < atom->child_count && atom->child_count == 2; i++) {
        const struct term *side = atom->child[i], *other = atom->child[1 - i];
        if (!elements_is_number(side) || side->kind != TERM_VAR || is_size(e, side))
            continue; // a bound of an access, say
        if (elements_variable(e, side) != NULL)
            term_vector_add_once(&e->numbers, side, MOST_NUMBERS);
        const struct term *limit = limit_of(e, atom, side, other);
        if (is_at_least(2, limit))
            term_vector_add_once(&e->literals, limit, MOST_LITERALS);
        if (is_end(e, other))
            term_vector_add_once(&e->numbers, other, MOST_NUMBERS);
        term_vector_add_once(&e->comparisons, atom, MOST_COMPARISONS);
    }
}

// Sizes of blocks that were not known as such before, and how what is left is compared.
static void drop_sizes(struct elements *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < e->numbers.count; i++)
        if (!is_size(e, e->numbers.data[i]))
            e->numbers.data[kept++] = e->numbers.data[i];
    e->numbers.count = kept;
    for (size_t i = 0; i < e->comparisons.count; i++) {
        const struct term *atom = e->comparisons.data[i];
        if (is_size(e, atom->child[0]) || is_size(e, atom->child[1]))
            continue;
        e->with_sign |= atom->kind == TERM_BV_SLT || atom->kind == TERM_BV_SLE;
        e->without_sign |= atom->kind == TERM_BV_ULT || atom->kind == TERM_BV_ULE;
    }
}

// A flag that a loop sets, say, which is asked behind it.
static bool is_condition(const struct elements *e, const struct term *atom)
{
    if (atom->kind != TERM_EQ)
        return elements_variable(e, atom) != NULL;
    const struct term *a = atom->child[0], *b = atom->child[1];
    return (term_is_literal(a) && elements_variable(e, b) != NULL) ||
           (term_is_literal(b) && elements_variable(e, a) != NULL);
}

static void harvest_condition(struct elements *e, const struct term *condition)
{
    struct term_vector atoms = {0};
    harvest_bounds(e, condition);
    rewrite_atoms(condition, &atoms);
    for (size_t i = 0; i < atoms.count; i++) {
        struct term_vector selects = {0};
        elements_subterms(e, atoms.data[i], TERM_SELECT, &selects);
        if (selects.count > 0)
            generalise(e, atoms.data[i], true);
        else if (is_condition(e, atoms.data[i]))
            term_vector_add_once(&e->conditions, atoms.data[i], MOST_CONDITIONS);
        if (selects.count == 0)
            harvest_ends(e, atoms.data[i]);
        VECTOR_FINISH(&selects);
    }
    VECTOR_FINISH(&atoms);
}

static void ask(struct elements *e, const struct term *condition)
{
    harvest_condition(e, condition);
    condition = elements_within_bounds(e, condition);
    const bool all = condition->kind == TERM_AND;
    for (uint32_t i = 0; i < (all ? condition->child_count : 1); i++) {
        const struct term *part = all ? condition->child[i] : condition;
        if (!term_is_literal(part) && part->tree_size <= MOST_ASKED &&
            monolith_speaks_of_states(e->m, part, NULL))
            term_vector_add_once(&e->asked, part, MOST_PARTS);
    }
}

static const struct term *held(void *context, const struct term *variable)
{
    void **pair = context;
    const struct variable *found = model_variable_of(pair[0], variable);
    return found != NULL ? ((const struct term **)pair[1])[found->index] : variable;
}

static const struct term *anything(struct elements *e, const struct sort *sort)
{
    char name[32];
    snprintf(name, sizeof name, "anything %u", e->anything++);
    return term_var(e->m->store, name, sort);
}

static const struct term *at(struct elements *e, const struct term *term, const struct term **now)
{
    void *pair[] = {(void *)(uintptr_t)e->m->model, now};
    const struct term *out = rewrite_substitute(e->m->store, term, held, pair);
    bool small = out->tree_size <= MOST_NODES;
    e->work -= small ? out->tree_size : MOST_NODES;
    assert(out->sort == term->sort);
    return small ? out : anything(e, term->sort);
}

static void pass(struct elements *e, const struct statement *s, const struct term **now);

static void pass_any(struct elements *e, const struct statement *s, const struct term **now)
{
    uint32_t count = e->m->model->variable_count;
    const struct term **branch = memory_alloc((count + 1) * 2 * sizeof *branch);
    const struct term **joined = branch + count + 1;
    for (uint32_t i = 0; i < s->child_count && e->work > 0; i++) {
        memcpy(branch, now, count * sizeof *branch);
        pass(e, s->child[i], branch);
        for (uint32_t v = 0; v < count; v++)
            if (i == 0)
                joined[v] = branch[v];
            else if (joined[v] != branch[v])
                joined[v] = anything(e, e->m->model->variables[v]->sort);
        e->work -= count;
    }
    if (s->child_count > 0 && e->work > 0)
        memcpy(now, joined, count * sizeof *now);
    memory_free(branch);
}

static void pass(struct elements *e, const struct statement *s, const struct term **now)
{
    if (--e->work <= 0)
        return;
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSUME:
        ask(e, at(e, s->expression, now));
        break;
    case STATEMENT_ASSIGN:
        now[s->variable->index] = at(e, s->expression, now);
        if (s->variable->sort->kind == SORT_ARRAY)
            harvest_stores(e, now[s->variable->index]);
        else if (s->variable->sort->kind == SORT_BOOL)
            harvest_condition(e, now[s->variable->index]);
        break;
    case STATEMENT_HAVOC:
        now[s->variable->index] = anything(e, s->variable->sort);
        break;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count; i++)
            pass(e, s->child[i], now);
        break;
    case STATEMENT_IF:
        harvest_condition(e, at(e, s->expression, now));
        pass_any(e, s, now);
        break;
    case STATEMENT_CHOICE:
        pass_any(e, s, now);
        break;
    }
}

static void harvest_starts(struct elements *e, const struct term *const *now)
{
    for (uint32_t v = 0; v < e->m->model->variable_count; v++)
        if (is_at_least(1, now[v]))
            term_vector_add_once(&e->starts, now[v], MOST_LITERALS);
}

// What keeps the error away may hold long before it is asked, of places that do not change, and what ends a loop, behind it: the negation of what
// is asked of an element on a way to the error or round the loop, or that of one other thing that is asked there.
static void harvest_asked(struct elements *e)
{
    struct term_store *store = e->m->store;
    for (size_t i = 0; i < e->asked.count; i++) {
        struct term_vector selects = {0};
        elements_subterms(e, e->asked.data[i], TERM_SELECT, &selects);
        for (size_t k = 0; k < e->asked.count && selects.count > 0; k++) {
            const struct term *one = term_or2(store, term_not(store, e->asked.data[i]),
                                              term_not(store, e->asked.data[k]));
            if (k != i && !term_is_literal(one))
                term_vector_add_once(&e->single, one, MOST_SINGLE);
        }
        VECTOR_FINISH(&selects);
    }
    VECTOR_CLEAR(&e->asked);
}

// The error's edges first: what is asked there matters most.
void elements_generalise(struct elements *e, const struct term *formula)
{
    generalise(e, formula, false);
}

// The element that is given a literal by it, or NULL.
const struct term *elements_place_given(const struct term *says)
{
    if (says->kind != TERM_EQ)
        return NULL;
    const struct term *a = says->child[0], *b = says->child[1];
    return a->kind == TERM_SELECT && term_is_literal(b)   ? a
           : b->kind == TERM_SELECT && term_is_literal(a) ? b
                                                          : NULL;
}

void elements_harvest(struct elements *e)
{
    const struct model *model = e->m->model;
    const struct term **now = memory_alloc((model->variable_count + 1) * sizeof *now);
    for (int error = 1; error >= 0; error--)
        for (uint32_t i = 0; i < model->edge_count && e->work > 0; i++) {
            if ((model->edges[i]->target == model->error) != error)
                continue;
            for (uint32_t v = 0; v < model->variable_count; v++)
                now[v] = model->variables[v]->term;
            pass(e, model->edges[i]->action, now);
            harvest_same(e, now);
            harvest_starts(e, now);
            if (model->edges[i]->source != model->edges[i]->target)
                harvest_places(e, model->edges[i]->action);
            if (error == 1 || model->edges[i]->source == model->edges[i]->target)
                harvest_asked(e);
            VECTOR_CLEAR(&e->asked);
        }
    harvest_places(e, model->initial_action);
    harvest_initial(e, model->initial_action);
    harvest_last(e);
    harvest_changes(e);
    drop_sizes(e);
    e->compared = e->literals.count;
    memory_free(now);
}
