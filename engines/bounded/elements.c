#include "engines/bounded/elements.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engines/bounded/affine_bits.h"
#include "engines/bounded/candidates.h"
#include "engines/bounded/settle.h"
#include "model/carried.h"

#define MOST_PATTERNS 16
#define MOST_NUMBERS 8   // of the state, ends of ranges
#define MOST_SUM 5       // terms in a sum that is one of them
#define MOST_LITERALS 4  // likewise
#define MOST_INSTANCES 8 // of one pattern in a step
#define MOST_CONDITIONS 4
#define MOST_BOUNDS 8
#define MOST_CHANGES 3 // of an element, one after the other
#define MOST_SINGLE 24 // facts about one element
#define MOST_PARTS 6   // of what is asked on a way, told in pairs, …
#define MOST_ASKED 40  // … of so many terms
#define MOST_FACTS 5000
#define MOST_CHECKS 150  // to settle them
#define MOST_WORK 400000 // variables and statements passed
#define MOST_NODES 2000  // of a term that is followed, as a tree

// What may hold of an element: over `each` and the state.
struct pattern {
    const struct term *each, *says;
    struct term_vector *
        instances; // by location: what steps from there put for `each`, over copies of the template
};

// Where ranges begin, apart from zero, or under which condition they hold.
enum begin { BEGIN_AT_ZERO, BEGIN_AT_STARTS, BEGIN_UNDER_CONDITION, BEGIN_AT_NUMBERS };

// An access at `key`, told with `each` for a number, is asked to be within the size of its block.
struct bound {
    const struct term *key, *each, *size;
};

struct elements {
    struct monolith *m;
    VECTOR(struct pattern) patterns;
    VECTOR(struct bound) bounds;
    struct term_vector numbers, literals; // ends of ranges
    uint32_t *matters;             // by location: a bit for each number that may still be read
    struct term_vector starts;     // literals above 0 that numbers begin with
    struct term_vector conditions; // under which something may hold of a range
    struct term_vector single;     // what may hold of one element, as it was stored or asked
    struct term_vector asked;      // on the edge that is looked at
    struct term_vector changes;    // elements, each with what it is changed to
    VECTOR(struct located_fact) facts;
    bool with_sign, without_sign; // how ends are compared
    uint32_t anything;            // terms made for what is not followed
    int64_t work;
};

static bool is_number(const struct term *t)
{
    return t->sort->kind == SORT_BV && t->sort->width > 1;
}

static const struct variable *state_variable(const struct elements *e, const struct term *t)
{
    const struct variable *v = t->kind == TERM_VAR ? model_variable_of(e->m->model, t) : NULL;
    return v != NULL && e->m->state[v->index] ? v : NULL;
}

// All subterms of that kind; each once if the term is large.
static void subterms(const struct elements *e, const struct term *root, enum term_kind kind,
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
static const struct term *each_of(struct elements *e, const struct sort *sort)
{
    char name[32];
    snprintf(name, sizeof name, "each of %u bits", sort->width);
    return term_var(e->m->store, name, sort);
}

static void add_pattern(struct elements *e, const struct term *each, const struct term *says)
{
    if (term_is_literal(says) || e->patterns.count >= MOST_PATTERNS ||
        !rewrite_contains(says, each) || !monolith_speaks_of_states(e->m, says, each))
        return;
    for (size_t i = 0; i < e->patterns.count; i++)
        if (e->patterns.data[i].says == says)
            return;
    struct pattern pattern = {.each = each, .says = says};
    VECTOR_PUSH(&e->patterns, pattern);
}

static bool is_of_no_state(const struct elements *e, const struct term *t)
{
    return t->kind == TERM_VAR && state_variable(e, t) == NULL;
}

// Where something arbitrary is read if an index is out of bounds: what is read within them.
static const struct term *within_bounds(struct elements *e, const struct term *formula)
{
    struct term_vector choices = {0};
    subterms(e, formula, TERM_ITE, &choices);
    for (size_t i = 0; i < choices.count; i++) {
        const struct term *c = choices.data[i];
        const struct term *then = c->child[1], *otherwise = c->child[2];
        if (is_of_no_state(e, then) != is_of_no_state(e, otherwise))
            formula = rewrite_replace(e->m->store, formula, c,
                                      is_of_no_state(e, then) ? otherwise : then);
    }
    VECTOR_FINISH(&choices);
    return formula;
}

// Any number of its indices may be the one that varies, or none.
static void generalise(struct elements *e, const struct term *formula, bool negated_too)
{
    formula = within_bounds(e, formula);
    if (!term_is_literal(formula) && monolith_speaks_of_states(e->m, formula, NULL))
        term_vector_add_once(&e->single, formula, MOST_SINGLE);
    struct term_vector selects = {0}, variables = {0};
    subterms(e, formula, TERM_SELECT, &selects);
    for (size_t i = 0; i < selects.count; i++)
        rewrite_free_variables(selects.data[i]->child[1], &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const struct term *number = variables.data[i];
        if (!is_number(number))
            continue;
        const struct term *each = each_of(e, number->sort);
        const struct term *says = rewrite_replace(e->m->store, formula, number, each);
        add_pattern(e, each, says);
        if (negated_too)
            add_pattern(e, each, term_not(e->m->store, says));
        if (state_variable(e, number) != NULL)
            term_vector_add_once(&e->numbers, number, MOST_NUMBERS);
    }
    VECTOR_FINISH(&selects);
    VECTOR_FINISH(&variables);
}

// What a step does, told over the state before it.

struct site {
    const struct term *array, *key, *element;
};

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

static bool find_site(const struct elements *e, const struct term *store, struct site *out)
{
    const struct term *base = store->tree_size <= MOST_NODES ? base_of(store) : NULL;
    if (base == NULL)
        return false;
    *out = (struct site){base, store->child[1], store->child[2]};
    return state_variable(e, base) != NULL;
}

// The state's only variable in it, if it is a number.
static const struct term *only_number(const struct elements *e, const struct term *t)
{
    struct term_vector variables = {0};
    rewrite_free_variables(t, &variables);
    const struct term *only = variables.count == 1 && is_number(variables.data[0]) &&
                                      state_variable(e, variables.data[0]) != NULL
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
    struct bound b = {.each = each_of(e, number->sort), .size = size};
    b.key = rewrite_replace(e->m->store, atom->child[0], number, b.each);
    for (size_t i = 0; i < e->bounds.count; i++)
        if (e->bounds.data[i].key == b.key && e->bounds.data[i].size == size)
            return;
    VECTOR_PUSH(&e->bounds, b);
}

static void harvest_bounds(struct elements *e, const struct term *root)
{
    struct term_vector atoms = {0};
    subterms(e, root, TERM_BV_ULE, &atoms);
    for (size_t i = 0; i < atoms.count; i++)
        harvest_bound(e, atoms.data[i]);
    VECTOR_FINISH(&atoms);
}

static bool reads(const struct elements *e, const struct term *t, const struct term *element)
{
    struct term_vector selects = {0};
    bool found = false;
    subterms(e, t, TERM_SELECT, &selects);
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
    subterms(e, root, TERM_STORE, &stores);
    for (size_t i = 0; i < stores.count; i++) {
        struct site site;
        if (!find_site(e, stores.data[i], &site))
            continue;
        const struct term *there = term_select(e->m->store, site.array, site.key);
        if (reads(e, site.element, there)) {
            VECTOR_PUSH(&e->changes, there);
            VECTOR_PUSH(&e->changes, within_bounds(e, site.element));
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

// What an element was is known by some pattern: what it is changed to, told by that.
static void compose(struct elements *e, const struct term *number, const struct term *there,
                    const struct term *element)
{
    const struct term *each = each_of(e, number->sort);
    there = rewrite_replace(e->m->store, there, number, each);
    element = rewrite_replace(e->m->store, element, number, each);
    const size_t count = e->patterns.count;
    for (size_t i = 0; i < count; i++) {
        const struct pattern p = e->patterns.data[i];
        const struct term *before = p.each == each ? value_given(p.says, there) : NULL;
        if (before != NULL && !reads(e, before, there))
            add_pattern(
                e, each,
                term_eq(e->m->store, there, rewrite_replace(e->m->store, element, there, before)));
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
                if (is_number(variables.data[k]))
                    compose(e, variables.data[k], e->changes.data[i], e->changes.data[i + 1]);
            VECTOR_FINISH(&variables);
        }
}

// What one place was given before a loop may be there all the time: the zero at the end of a text.
static void harvest_places(struct elements *e, const struct statement *s)
{
    struct term_vector stores = {0};
    if (s->kind == STATEMENT_ASSIGN && s->variable->sort->kind == SORT_ARRAY)
        subterms(e, s->expression, TERM_STORE, &stores);
    for (size_t i = 0; i < stores.count; i++) {
        struct site site;
        if (!find_site(e, stores.data[i], &site) || site.array != s->variable->term)
            continue;
        const struct term *is =
            term_eq(e->m->store, term_select(e->m->store, site.array, site.key), site.element);
        if (!term_is_literal(is) && monolith_speaks_of_states(e->m, is, NULL))
            term_vector_add_once(&e->single, is, MOST_SINGLE);
    }
    VECTOR_FINISH(&stores);
    for (uint32_t i = 0; i < s->child_count; i++)
        harvest_places(e, s->child[i]);
}

static void harvest_same(struct elements *e, const struct term *const *now)
{
    const struct model *model = e->m->model;
    VECTOR(struct site) sites = {0};
    for (uint32_t v = 0; v < model->variable_count; v++) {
        struct term_vector stores = {0};
        if (model->variables[v]->sort->kind == SORT_ARRAY)
            subterms(e, now[v], TERM_STORE, &stores);
        for (size_t i = 0; i < stores.count; i++) {
            struct site site;
            if (find_site(e, stores.data[i], &site))
                VECTOR_PUSH(&sites, site);
        }
        VECTOR_FINISH(&stores);
    }
    for (size_t i = 0; i < sites.count && e->patterns.count < MOST_PATTERNS; i++)
        for (size_t k = 0; k < i; k++) {
            const struct site *a = &sites.data[i], *b = &sites.data[k];
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

// Where a loop ends that looks at each element and the next, say: a sum of numbers of the state.
static bool is_end(const struct elements *e, const struct term *t)
{
    return t->kind == TERM_BV_ADD && t->tree_size <= MOST_SUM &&
           monolith_speaks_of_states(e->m, t, NULL);
}

// Numbers of the state that are compared, and what numbers are compared with.
static void harvest_ends(struct elements *e, const struct term *atom)
{
    for (uint32_t i = 0; i < atom->child_count && atom->child_count == 2; i++) {
        const struct term *side = atom->child[i], *other = atom->child[1 - i];
        if (!is_number(side) || side->kind != TERM_VAR || is_size(e, side))
            continue; // a bound of an access, say
        if (state_variable(e, side) != NULL)
            term_vector_add_once(&e->numbers, side, MOST_NUMBERS);
        const struct term *limit = limit_of(e, atom, side, other);
        if (is_at_least(2, limit))
            term_vector_add_once(&e->literals, limit, MOST_LITERALS);
        if (is_end(e, other))
            term_vector_add_once(&e->numbers, other, MOST_NUMBERS);
        e->with_sign |= atom->kind == TERM_BV_SLT || atom->kind == TERM_BV_SLE;
        e->without_sign |= atom->kind == TERM_BV_ULT || atom->kind == TERM_BV_ULE;
    }
}

// A flag that a loop sets, say, which is asked behind it.
static bool is_condition(const struct elements *e, const struct term *atom)
{
    if (atom->kind != TERM_EQ)
        return state_variable(e, atom) != NULL;
    const struct term *a = atom->child[0], *b = atom->child[1];
    return (term_is_literal(a) && state_variable(e, b) != NULL) ||
           (term_is_literal(b) && state_variable(e, a) != NULL);
}

static void harvest_condition(struct elements *e, const struct term *condition)
{
    struct term_vector atoms = {0};
    harvest_bounds(e, condition);
    rewrite_atoms(condition, &atoms);
    for (size_t i = 0; i < atoms.count; i++) {
        struct term_vector selects = {0};
        subterms(e, atoms.data[i], TERM_SELECT, &selects);
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
    condition = within_bounds(e, condition);
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
        subterms(e, e->asked.data[i], TERM_SELECT, &selects);
        for (size_t k = 0; k < e->asked.count && selects.count > 0; k++)
            if (k != i)
                term_vector_add_once(&e->single,
                                     term_or2(store, term_not(store, e->asked.data[i]),
                                              term_not(store, e->asked.data[k])),
                                     MOST_SINGLE);
        VECTOR_FINISH(&selects);
    }
    VECTOR_CLEAR(&e->asked);
}

// The error's edges first: what is asked there matters most.
static void harvest(struct elements *e)
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
    harvest_changes(e);
    memory_free(now);
}

// Numbers that matter.

// On some way through it.
static bool may_write(const struct statement *s, const struct variable *v)
{
    if (s->kind == STATEMENT_ASSIGN || s->kind == STATEMENT_HAVOC)
        return s->variable == v;
    for (uint32_t i = 0; i < s->child_count; i++)
        if (may_write(s->child[i], v))
            return true;
    return false;
}

// On every way through it.
static bool is_written(const struct statement *s, const struct variable *v)
{
    if (s->kind == STATEMENT_ASSIGN || s->kind == STATEMENT_HAVOC)
        return s->variable == v;
    bool all = s->kind == STATEMENT_CHOICE || s->kind == STATEMENT_IF, some = false;
    for (uint32_t i = 0; i < s->child_count; i++) {
        bool written = is_written(s->child[i], v);
        some |= written;
        all = all && written;
    }
    return s->kind == STATEMENT_SEQUENCE ? some : all && s->child_count > 0;
}

// A round of some loop changes it.
static bool changes_in_loop(const struct elements *e, const struct variable *v)
{
    const struct model *model = e->m->model;
    for (uint32_t i = 0; i < model->edge_count; i++)
        if (model->edges[i]->source == model->edges[i]->target &&
            may_write(model->edges[i]->action, v))
            return true;
    return false;
}

// Facts about numbers that nobody reads any more are not worth the work; but blocks may be as large as one that stays the same.
static void find_what_matters(struct elements *e)
{
    const struct model *model = e->m->model;
    bool *read = memory_alloc(model->variable_count + 1), changed = true;
    assert(e->numbers.count <= MOST_NUMBERS && MOST_NUMBERS < 32);
    e->matters = memory_zalloc((model->location_count + 1) * sizeof *e->matters);
    uint32_t always = 0;
    for (size_t k = 0; k < e->numbers.count; k++) {
        const struct variable *v = state_variable(e, e->numbers.data[k]);
        if (v == NULL || !changes_in_loop(e, v))
            always |= UINT32_C(1) << k;
    }
    for (uint32_t l = 0; l < model->location_count; l++)
        e->matters[l] = always;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < model->edge_count; i++) {
            const struct edge *edge = model->edges[i];
            uint32_t *from = &e->matters[edge->source->index], before = *from;
            memset(read, false, model->variable_count);
            carried_into_action(model, edge->action, read);
            for (size_t k = 0; k < e->numbers.count; k++) {
                const struct variable *v = state_variable(e, e->numbers.data[k]);
                bool after = e->matters[edge->target->index] >> k & 1;
                if (v != NULL && (read[v->index] || (after && !is_written(edge->action, v))))
                    *from |= UINT32_C(1) << k;
            }
            changed |= *from != before;
        }
    }
    memory_free(read);
}

static bool matters(const struct elements *e, uint32_t location, size_t number)
{
    return e->matters[location] >> number & 1;
}

// Instances.

static void find_instances_in(struct elements *e, const struct pattern *p,
                              const struct term *formula, enum term_kind kind,
                              struct term_vector *out)
{
    struct term_vector keys = {0}, accesses = {0};
    subterms(e, p->says, TERM_SELECT, &keys);
    subterms(e, formula, kind, &accesses);
    for (size_t k = 0; k < keys.count; k++)
        for (size_t i = 0; i < accesses.count; i++) {
            const struct term *key = keys.data[k]->child[1];
            const struct term *found =
                rewrite_contains(key, p->each)
                    ? rewrite_match(e->m->store, key, p->each, accesses.data[i]->child[1])
                    : NULL;
            if (found != NULL)
                term_vector_add_once(out, found, MOST_INSTANCES);
        }
    VECTOR_FINISH(&keys);
    VECTOR_FINISH(&accesses);
}

static const struct term *arbitrary_of(struct elements *e, const struct term *each)
{
    return term_var(e->m->store, "an arbitrary one", each->sort);
}

static void find_instances_at(struct elements *e, const struct pattern *p,
                              const struct location *from)
{
    struct term_vector *out = &p->instances[from->index];
    term_vector_add_once(out, arbitrary_of(e, p->each), MOST_INSTANCES);
    for (uint32_t i = 0; i < from->out_count; i++) {
        const struct term *step = e->m->steps[from->out[i]->id].formula;
        find_instances_in(e, p, step, TERM_SELECT, out);
        find_instances_in(e, p, step, TERM_STORE, out);
    }
    for (size_t i = 0; i < e->numbers.count; i++)
        if (e->numbers.data[i]->sort == p->each->sort && matters(e, from->index, i))
            term_vector_add_once(out, e->numbers.data[i], MOST_INSTANCES);
}

static void find_instances(struct elements *e, struct pattern *p)
{
    const struct model *model = e->m->model;
    p->instances = memory_zalloc((model->location_count + 1) * sizeof *p->instances);
    for (uint32_t l = 0; l < model->location_count; l++)
        find_instances_at(e, p, model->locations[l]);
}

// Facts.

static void add_fact(struct elements *e, uint32_t location, const struct term *fact)
{
    struct located_fact f = {location, fact, fact, fact, NULL};
    if (e->facts.count < MOST_FACTS && !term_is_literal(fact))
        VECTOR_PUSH(&e->facts, f);
}

static void add_range(struct elements *e, uint32_t location, const struct pattern *p,
                      const struct term *range)
{
    struct term_store *store = e->m->store;
    const struct term *body = term_implies(store, range, p->says);
    if (e->facts.count >= MOST_FACTS || term_is_literal(body))
        return;
    struct term_vector parts = {0};
    const struct term_vector *instances = &p->instances[location];
    for (size_t i = 0; i < instances->count; i++)
        VECTOR_PUSH(&parts, rewrite_replace(store, body, p->each, instances->data[i]));
    struct located_fact f = {
        .location = location,
        .fact = term_quantifier(store, TERM_FORALL, &p->each, 1, body),
        .assumed = term_and(store, parts.data, parts.count),
        .shown = rewrite_replace(store, body, p->each, arbitrary_of(e, p->each)),
        .range = rewrite_replace(store, range, p->each, arbitrary_of(e, p->each)),
    };
    VECTOR_FINISH(&parts);
    VECTOR_PUSH(&e->facts, f);
}

static const struct term *compare(struct elements *e, enum term_kind kind, const struct term *a,
                                  const struct term *b)
{
    return term_bv_binary(e->m->store, kind, a, b);
}

// Numbers of the state that matter there, then literals; of that sort.
static const struct term *end_at(const struct elements *e, uint32_t location, size_t i,
                                 const struct sort *sort)
{
    if (i < e->numbers.count && !matters(e, location, i))
        return NULL;
    const struct term *end =
        i < e->numbers.count ? e->numbers.data[i] : e->literals.data[i - e->numbers.count];
    return end->sort == sort ? end : NULL;
}

static void add_ranges(struct elements *e, uint32_t location, const struct pattern *p)
{
    const struct term *each = p->each;
    const struct term *zero = term_bv(e->m->store, each->sort->width, 0);
    const struct term *positive = compare(e, TERM_BV_SLE, zero, each);
    add_range(e, location, p, term_true(e->m->store));
    for (size_t i = 0; i < e->numbers.count + e->literals.count; i++) {
        const struct term *end = end_at(e, location, i, each->sort);
        if (end == NULL)
            continue;
        if (e->without_sign || i >= e->numbers.count)
            add_range(e, location, p, compare(e, TERM_BV_ULT, each, end));
        else
            add_range(e, location, p,
                      term_and2(e->m->store, positive, compare(e, TERM_BV_SLT, each, end)));
    }
}

// Beyond `from`, or at it.
static void add_between(struct elements *e, uint32_t location, const struct pattern *p,
                        const struct term *from, const struct term *to)
{
    static const enum term_kind less[] = {TERM_BV_SLT, TERM_BV_ULT};
    static const enum term_kind most[] = {TERM_BV_SLE, TERM_BV_ULE};
    for (int i = e->with_sign ? 0 : 1; i < (e->without_sign ? 2 : 1); i++) {
        const struct term *begun = compare(e, most[i], from, p->each);
        const struct term *below = compare(e, less[i], p->each, to);
        add_range(e, location, p, term_and2(e->m->store, begun, below));
        if (to->kind != TERM_BV)
            add_range(e, location, p,
                      term_and2(e->m->store, begun, compare(e, most[i], p->each, to)));
        if (from->kind != TERM_BV)
            add_range(e, location, p,
                      term_and2(e->m->store, compare(e, less[i], from, p->each), below));
    }
}

static void add_ranges_between(struct elements *e, uint32_t location, const struct pattern *p)
{
    for (size_t i = 0; i < e->numbers.count; i++)
        for (size_t k = 0; k < e->numbers.count + e->literals.count; k++) {
            const struct term *from = end_at(e, location, i, p->each->sort);
            const struct term *to = end_at(e, location, k, p->each->sort);
            if (i != k && from != NULL && to != NULL)
                add_between(e, location, p, from, to);
        }
}

static void add_ranges_from_starts(struct elements *e, uint32_t location, const struct pattern *p)
{
    for (size_t i = 0; i < e->starts.count; i++)
        for (size_t k = 0; k < e->numbers.count + e->literals.count; k++) {
            const struct term *from = e->starts.data[i],
                              *to = end_at(e, location, k, p->each->sort);
            if (from->sort == p->each->sort && to != NULL && from != to)
                add_between(e, location, p, from, to);
        }
}

// Patterns that only hold, in a range, where a condition does or does not.
static void add_ranges_under_conditions(struct elements *e, uint32_t location,
                                        const struct pattern *p)
{
    for (size_t i = 0; i < 2 * e->conditions.count; i++) {
        const struct term *condition = e->conditions.data[i / 2];
        struct pattern under = *p;
        if (i % 2 == 1)
            condition = term_not(e->m->store, condition);
        under.says = term_implies(e->m->store, condition, p->says);
        add_ranges(e, location, &under);
    }
}

// Signs and order of the ends themselves.
static void add_support(struct elements *e, uint32_t location)
{
    for (size_t i = 0; i < e->numbers.count; i++) {
        const struct term *a = e->numbers.data[i];
        if (!matters(e, location, i))
            continue;
        if (e->with_sign)
            add_fact(e, location,
                     compare(e, TERM_BV_SLE, term_bv(e->m->store, a->sort->width, 0), a));
        for (size_t k = 0; k < e->numbers.count + e->literals.count; k++) {
            const struct term *b = end_at(e, location, k, a->sort);
            if (b == NULL || i == k)
                continue;
            if (e->with_sign)
                add_fact(e, location, compare(e, TERM_BV_SLE, a, b));
            if (e->with_sign)
                add_fact(e, location, compare(e, TERM_BV_SLT, a, b));
            if (e->without_sign)
                add_fact(e, location, compare(e, TERM_BV_ULE, a, b));
            if (e->without_sign && b->kind != TERM_BV)
                add_fact(e, location, compare(e, TERM_BV_ULT, a, b));
        }
        for (size_t k = 0; k < e->bounds.count; k++) {
            const struct bound *b = &e->bounds.data[k];
            if (b->each->sort == a->sort)
                add_fact(e, location,
                         compare(e, TERM_BV_ULE, rewrite_replace(e->m->store, b->key, b->each, a),
                                 b->size));
        }
        for (size_t k = 0; k < e->starts.count; k++)
            if (e->starts.data[k]->sort == a->sort)
                add_fact(
                    e, location,
                    compare(e, e->with_sign ? TERM_BV_SLE : TERM_BV_ULE, e->starts.data[k], a));
    }
}

static void add_facts(struct elements *e, enum begin begin)
{
    const struct model *model = e->m->model;
    VECTOR_CLEAR(&e->facts);
    for (uint32_t l = 0; l < model->location_count; l++) {
        if (model->locations[l] == model->error)
            continue;
        add_support(e, l);
        for (size_t i = 0; i < e->single.count; i++)
            add_fact(e, l, e->single.data[i]);
    }
    for (size_t i = 0; i < e->patterns.count; i++)
        for (uint32_t l = 0; l < model->location_count; l++) {
            if (model->locations[l] == model->error)
                continue;
            add_ranges(e, l, &e->patterns.data[i]);
            if (begin == BEGIN_AT_STARTS)
                add_ranges_from_starts(e, l, &e->patterns.data[i]);
            else if (begin == BEGIN_UNDER_CONDITION)
                add_ranges_under_conditions(e, l, &e->patterns.data[i]);
            else if (begin == BEGIN_AT_NUMBERS)
                add_ranges_between(e, l, &e->patterns.data[i]);
        }
}

// Drops what neither excludes the error nor is needed to keep what does. False: the error is not excluded, or the solver gave up.
static bool drop_idle(struct elements *e, const struct term *const *known, bool *held)
{
    const struct located_fact **facts = memory_alloc((e->facts.count + 1) * sizeof *facts);
    for (size_t i = 0; i < e->facts.count; i++)
        facts[i] = &e->facts.data[i];
    bool out = settle_needed(e->m, facts, e->facts.count, known, held);
    memory_free(facts);
    return out;
}

static const struct term **together(struct elements *e, const struct term *const *known,
                                    const bool *held)
{
    const struct model *model = e->m->model;
    const struct term **out = memory_alloc((model->location_count + 1) * sizeof *out);
    for (uint32_t l = 0; l < model->location_count; l++)
        out[l] = model->locations[l] == model->error ? term_false(e->m->store)
                 : known != NULL                     ? known[l]
                                                     : term_true(e->m->store);
    for (size_t i = 0; i < e->facts.count; i++) {
        uint32_t l = e->facts.data[i].location;
        if (held[i])
            out[l] = term_and2(e->m->store, out[l], e->facts.data[i].fact);
    }
    return out;
}

// *settled: it was decided which of the facts are inductive.
static const struct term **prove_with(struct elements *e, const struct term *const *known,
                                      enum begin begin, bool *settled)
{
    add_facts(e, begin);
    bool *held = memory_zalloc(e->facts.count + 1);
    *settled = candidates_settle(e->m, e->facts.data, e->facts.count, known, MOST_CHECKS, held);
    const struct term **out =
        *settled && drop_idle(e, known, held) ? together(e, known, held) : NULL;
    memory_free(held);
    return out;
}

static const struct term **prove(struct elements *e)
{
    find_what_matters(e);
    for (size_t i = 0; i < e->patterns.count; i++)
        find_instances(e, &e->patterns.data[i]);
    const struct term **known = affine_bits_prove(e->m, NULL);
    const struct term **out = NULL;
    bool settled;
    for (enum begin begin = BEGIN_AT_ZERO; begin <= BEGIN_AT_NUMBERS; begin++) {
        if ((begin == BEGIN_AT_STARTS && e->starts.count == 0) ||
            (begin == BEGIN_UNDER_CONDITION && e->conditions.count == 0))
            continue;
        if (begin != BEGIN_AT_ZERO && !workspace_step(e->m->workspace, 1))
            break;
        out = prove_with(e, known, begin, &settled);
        if (out != NULL || !settled)
            break;
    }
    memory_free(known);
    return out;
}

static void finish_patterns(struct elements *e)
{
    for (size_t i = 0; i < e->patterns.count; i++) {
        struct term_vector *instances = e->patterns.data[i].instances;
        for (uint32_t l = 0; instances != NULL && l < e->m->model->location_count; l++)
            VECTOR_FINISH(&instances[l]);
        memory_free(instances);
    }
    VECTOR_FINISH(&e->patterns);
}

const struct term **elements_prove(struct monolith *m)
{
    struct elements e = {.m = m, .work = MOST_WORK};
    assert(!m->abstract);
    if (!monolith_has_arrays(m))
        return NULL;
    harvest(&e);
    const struct term **out = e.patterns.count + e.single.count > 0 ? prove(&e) : NULL;
    finish_patterns(&e);
    VECTOR_FINISH(&e.numbers);
    memory_free(e.matters);
    VECTOR_FINISH(&e.literals);
    VECTOR_FINISH(&e.starts);
    VECTOR_FINISH(&e.bounds);
    VECTOR_FINISH(&e.conditions);
    VECTOR_FINISH(&e.single);
    VECTOR_FINISH(&e.asked);
    VECTOR_FINISH(&e.changes);
    VECTOR_FINISH(&e.facts);
    return out;
}
