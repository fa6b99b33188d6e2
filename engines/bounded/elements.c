#include "engines/bounded/elements_inside.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/components.h"
#include "base/memory.h"
#include "engines/bounded/affine_bits.h"
#include "engines/bounded/measures.h"
#include "engines/bounded/polynomials.h"
#include "engines/bounded/rates.h"
#include "engines/bounded/settle.h"
#include "logic/terms/polynomial.h"
#include "logic/terms/rewrite.h"
#include "model/carried.h"

#define MOST_INSTANCES 8 // of one pattern in a step, …
#define MOST_IN_ORDER 5  // … where there are many patterns
#define MOST_PATTERNS 16
#define MOST_PATTERNS_OF_WAYS 40 // those and further ones
#define MOST_FACTS 5000
#define MOST_KEPT 400
#define MOST_CHECKS 400  // to settle them
#define MOST_WORK 400000 // variables and statements passed

// Numbers that matter.

bool elements_may_write(const struct statement *s, const struct variable *v)
{
    if (s->kind == STATEMENT_ASSIGN || s->kind == STATEMENT_HAVOC)
        return s->variable == v;
    for (uint32_t i = 0; i < s->child_count; i++)
        if (elements_may_write(s->child[i], v))
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
            elements_may_write(model->edges[i]->action, v))
            return true;
    return false;
}

// Sums of numbers matter where all of these do.
static void sums_matter(struct elements *e)
{
    for (size_t k = 0; k < e->numbers.count; k++) {
        uint32_t parts = 0;
        if (elements_variable(e, e->numbers.data[k]) != NULL)
            continue;
        for (size_t i = 0; i < e->numbers.count; i++)
            if (elements_variable(e, e->numbers.data[i]) != NULL &&
                rewrite_contains(e->numbers.data[k], e->numbers.data[i]))
                parts |= UINT32_C(1) << i;
        for (uint32_t l = 0; l < e->m->model->location_count; l++)
            if ((e->matters[l] & parts) != parts)
                e->matters[l] &= ~(UINT32_C(1) << k);
    }
}

// Facts about numbers that nobody reads any more are not worth the work; but blocks may be as large as one that stays the same.
static void find_what_matters(struct elements *e)
{
    const struct model *model = e->m->model;
    bool *read = memory_alloc(model->variable_count + 1), changed = true;
    assert(e->numbers.count <= MOST_ENDS && MOST_ENDS < 32);
    memory_free(e->matters);
    e->matters = memory_zalloc((model->location_count + 1) * sizeof *e->matters);
    uint32_t always = 0;
    for (size_t k = 0; k < e->numbers.count; k++) {
        const struct variable *v = elements_variable(e, e->numbers.data[k]);
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
                const struct variable *v = elements_variable(e, e->numbers.data[k]);
                bool after = e->matters[edge->target->index] >> k & 1;
                if (v != NULL && (read[v->index] || (after && !is_written(edge->action, v))))
                    *from |= UINT32_C(1) << k;
            }
            changed |= *from != before;
        }
    }
    memory_free(read);
    sums_matter(e);
}

static bool matters(const struct elements *e, uint32_t location, size_t number)
{
    return e->matters[location] >> number & 1;
}

// Instances.

static size_t most_instances(const struct pattern *p)
{
    return p->part == PART_ANY ? MOST_INSTANCES : MOST_IN_ORDER;
}

static void find_instances_in(struct elements *e, const struct pattern *p,
                              const struct term *formula, enum term_kind kind,
                              struct term_vector *out)
{
    struct term_vector keys = {0}, accesses = {0};
    elements_subterms(e, p->says, TERM_SELECT, &keys);
    elements_subterms(e, formula, kind, &accesses);
    for (size_t k = 0; k < keys.count; k++)
        for (size_t i = 0; i < accesses.count; i++) {
            const struct term *key = keys.data[k]->child[1];
            const struct term *found =
                rewrite_contains(key, p->each)
                    ? rewrite_match(e->m->store, key, p->each, accesses.data[i]->child[1])
                    : NULL;
            if (found != NULL)
                term_vector_add_once(out, found, most_instances(p));
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
    term_vector_add_once(out, arbitrary_of(e, p->each), most_instances(p));
    for (uint32_t i = 0; i < from->out_count; i++) {
        const struct term *step = e->m->steps[from->out[i]->id].formula;
        find_instances_in(e, p, step, TERM_SELECT, out);
        find_instances_in(e, p, step, TERM_STORE, out);
    }
    for (size_t i = 0; i < e->numbers.count; i++)
        if (e->numbers.data[i]->sort == p->each->sort && matters(e, from->index, i))
            term_vector_add_once(out, e->numbers.data[i], most_instances(p));
}

static void finish_instances(struct elements *e, struct pattern *p)
{
    for (uint32_t l = 0; p->instances != NULL && l < e->m->model->location_count; l++)
        VECTOR_FINISH(&p->instances[l]);
    memory_free(p->instances);
    p->instances = NULL;
}

static void find_instances(struct elements *e, struct pattern *p)
{
    const struct model *model = e->m->model;
    finish_instances(e, p);
    p->instances = memory_zalloc((model->location_count + 1) * sizeof *p->instances);
    for (uint32_t l = 0; l < model->location_count; l++)
        find_instances_at(e, p, model->locations[l]);
}

// Facts.

static bool is_aside(const struct elements *e, const struct term *fact)
{
    struct term_vector variables = {0};
    bool aside = false;
    if (e->aside != NULL)
        rewrite_free_variables(fact, &variables);
    for (size_t i = 0; i < variables.count && !aside; i++) {
        const struct variable *v = model_variable_of(e->m->model, variables.data[i]);
        aside = v != NULL && e->aside[v->index];
    }
    VECTOR_FINISH(&variables);
    return aside;
}

static void add_fact(struct elements *e, uint32_t location, const struct term *fact)
{
    struct located_fact f = {location, fact, fact, fact, NULL};
    if (e->facts.count < MOST_FACTS && !term_is_literal(fact) && !is_aside(e, fact))
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
        // Walks are too short for whole rows.
        .range = p->flat ? NULL : rewrite_replace(store, range, p->each, arbitrary_of(e, p->each)),
    };
    VECTOR_FINISH(&parts);
    VECTOR_PUSH(&e->facts, f);
}

static const struct term *compare(struct elements *e, enum term_kind kind, const struct term *a,
                                  const struct term *b)
{
    return term_bv_binary(e->m->store, kind, a, b);
}

// Numbers of the state that matter there, then literals; of the sort of what varies, and places where that is one.
static const struct term *end_at(const struct elements *e, uint32_t location, size_t i,
                                 const struct pattern *p)
{
    const struct sort *sort = p->each->sort;
    if (i < e->numbers.count && (!matters(e, location, i) || p->flat != ((e->flat >> i & 1) != 0)))
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
        const struct term *end = end_at(e, location, i, p);
        if (end == NULL)
            continue;
        if (e->without_sign || i >= e->numbers.count)
            add_range(e, location, p, compare(e, TERM_BV_ULT, each, end));
        else
            add_range(e, location, p,
                      term_and2(e->m->store, positive, compare(e, TERM_BV_SLT, each, end)));
    }
}

// A range between them would be empty, or always as long.
static bool differ_by_literal(struct elements *e, const struct term *from, const struct term *to)
{
    struct polynomial p;
    bool literal = polynomial_of_difference(e->m->store, to, from, &p);
    for (size_t i = 0; i < p.count && literal; i++)
        literal = p.data[i].degree == 0;
    polynomial_finish(&p);
    return literal;
}

// From `from` up to `to`; closed: beyond `from`, and up to and with `to`, too.
static void add_between(struct elements *e, uint32_t location, const struct pattern *p,
                        const struct term *from, const struct term *to, bool closed)
{
    static const enum term_kind less[] = {TERM_BV_SLT, TERM_BV_ULT};
    static const enum term_kind most[] = {TERM_BV_SLE, TERM_BV_ULE};
    for (int i = e->with_sign ? 0 : 1; i < (e->without_sign && closed ? 2 : 1 + !e->with_sign);
         i++) {
        const struct term *begun = compare(e, most[i], from, p->each);
        const struct term *below = compare(e, less[i], p->each, to);
        add_range(e, location, p, term_and2(e->m->store, begun, below));
        if (to->kind != TERM_BV && closed)
            add_range(e, location, p,
                      term_and2(e->m->store, begun, compare(e, most[i], p->each, to)));
        if (from->kind != TERM_BV && closed)
            add_range(e, location, p,
                      term_and2(e->m->store, compare(e, less[i], from, p->each), below));
    }
}

static void add_ranges_between(struct elements *e, uint32_t location, const struct pattern *p,
                               bool closed)
{
    for (size_t i = 0; i < e->numbers.count; i++)
        for (size_t k = 0; k < e->numbers.count + e->literals.count; k++) {
            const struct term *from = end_at(e, location, i, p);
            const struct term *to = end_at(e, location, k, p);
            if (i != k && from != NULL && to != NULL && !differ_by_literal(e, from, to))
                add_between(e, location, p, from, to, closed);
        }
}

static void add_ranges_from_starts(struct elements *e, uint32_t location, const struct pattern *p)
{
    for (size_t i = 0; i < e->starts.count; i++)
        for (size_t k = 0; k < e->numbers.count + e->literals.count; k++) {
            const struct term *from = e->starts.data[i], *to = end_at(e, location, k, p);
            if (from->sort == p->each->sort && to != NULL && from != to)
                add_between(e, location, p, from, to, true);
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
        add_ranges_from_starts(e, location, &under);
    }
}

// Signs and order of the ends themselves.
static void add_support(struct elements *e, uint32_t location)
{
    const size_t plain = e->plain > 0 ? e->plain : e->numbers.count;
    for (size_t i = 0; i < plain; i++) {
        const struct term *a = e->numbers.data[i];
        const struct pattern alike = {.each = a, .flat = (e->flat >> i & 1) != 0};
        if (!matters(e, location, i))
            continue;
        if (e->with_sign)
            add_fact(e, location,
                     compare(e, TERM_BV_SLE, term_bv(e->m->store, a->sort->width, 0), a));
        for (size_t k = 0; k < e->numbers.count + e->literals.count; k++) {
            const struct term *b = end_at(e, location, k, &alike);
            if (b == NULL || i == k || (k >= plain && k < e->numbers.count))
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

// What loops add up of elements, beside what is known of these.
static void add_sums(struct elements *e)
{
    if (e->sums.count == 0) {
        polynomials_guess(e->m, &e->sums);
        rates_guess(e->m, &e->sums);
    }
    for (size_t i = 0; i < e->kept.count; i++)
        VECTOR_PUSH(&e->facts, e->kept.data[i]);
    for (size_t i = 0; i < e->sums.count; i++)
        VECTOR_PUSH(&e->facts, e->sums.data[i]);
}

// The error is one step away.
static bool may_fail(const struct elements *e, uint32_t location)
{
    const struct location *from = e->m->model->locations[location];
    for (uint32_t i = 0; i < from->out_count; i++)
        if (from->out[i]->target == e->m->model->error)
            return true;
    return false;
}

// Between plain numbers, and beside these only from `at` on, or up to it; what lies between may also begin, or end, next to one.
static void add_ranges_in_order(struct elements *e, uint32_t location, const struct pattern *p)
{
    const struct term *zero = term_bv(e->m->store, p->each->sort->width, 0);
    const bool within = p->part == PART_WITHIN;
    size_t at = 0;
    while (!within && at < e->numbers.count && e->numbers.data[at] != p->at)
        at++;
    if (!within && (!matters(e, location, at) || may_fail(e, location)))
        return;
    for (size_t k = 0; k < (within ? e->numbers.count : e->plain); k++) {
        const struct term *to = end_at(e, location, k, p);
        if (to == NULL)
            continue;
        if (within || (p->part == PART_BELOW && at < e->plain))
            add_between(e, location, p, zero, to, false);
        for (size_t i = 0; i < e->numbers.count && p->part != PART_BELOW && k < e->plain; i++) {
            const struct term *from = end_at(e, location, i, p);
            if ((within || i == at || (i < e->plain && at < e->plain)) && from != NULL &&
                from != e->limit && i != k && !differ_by_literal(e, from, to))
                add_between(e, location, p, from, to, false);
        }
    }
    if (p->part == PART_BELOW)
        add_between(e, location, p, zero, p->at, false);
}

static void add_all_ranges(struct elements *e, uint32_t location, const struct pattern *p,
                           enum begin begin)
{
    if (p->part != PART_ANY) {
        add_ranges_in_order(e, location, p);
        return;
    }
    add_ranges(e, location, p);
    if (begin == BEGIN_AT_STARTS || begin == BEGIN_BESIDE_SUMS)
        add_ranges_from_starts(e, location, p);
    else if (begin == BEGIN_UNDER_CONDITION)
        add_ranges_under_conditions(e, location, p);
    else if (begin == BEGIN_AT_NUMBERS || begin == BEGIN_BESIDE_NUMBERS)
        add_ranges_between(e, location, p, begin == BEGIN_BESIDE_NUMBERS);
}

// Those that have no quantifier.
static void add_single_facts(struct elements *e)
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
}

static bool is_asked(const struct elements *e, const struct pattern *p, enum begin begin)
{
    return (p->part != PART_ANY) == (begin == BEGIN_IN_ORDER) && p->flat == e->only_flat;
}

static void add_facts(struct elements *e, enum begin begin)
{
    const struct model *model = e->m->model;
    add_single_facts(e);
    if (begin == BEGIN_WITH_SUMS || begin == BEGIN_BESIDE_SUMS)
        add_sums(e);
    if (begin == BEGIN_WITH_SUMS)
        return;
    for (size_t i = 0; i < e->kept.count && begin == BEGIN_IN_ORDER; i++)
        VECTOR_PUSH(&e->facts, e->kept.data[i]);
    for (size_t i = 0; i < e->patterns.count; i++)
        for (uint32_t l = 0; l < model->location_count; l++)
            if (model->locations[l] != model->error && is_asked(e, &e->patterns.data[i], begin))
                add_all_ranges(e, l, &e->patterns.data[i], begin);
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

// Facts about elements that are inductive: later ones may need them.
static void keep(struct elements *e, const bool *held)
{
    for (size_t i = 0; i < e->facts.count; i++) {
        const struct located_fact *f = &e->facts.data[i];
        bool new = held[i] && f->fact != f->shown && e->kept.count < MOST_KEPT;
        for (size_t k = 0; k < e->kept.count && new; k++)
            new = e->kept.data[k].fact != f->fact || e->kept.data[k].location != f->location;
        if (new)
            VECTOR_PUSH(&e->kept, *f);
    }
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
    if (out == NULL)
        keep(e, held);
    memory_free(held);
    return out;
}

// For patterns and numbers that are new.
static void prepare(struct elements *e)
{
    find_what_matters(e);
    for (size_t i = 0; i < e->patterns.count; i++)
        find_instances(e, &e->patterns.data[i]);
}

// From `first` on. *more: the attempt may go on.
static const struct term **prove_from(struct elements *e, const struct term *const *known,
                                      enum begin first, enum begin last, bool *more)
{
    const struct term **out = NULL;
    for (enum begin begin = first; begin <= last && out == NULL && *more; begin++) {
        if ((begin == BEGIN_AT_STARTS && e->starts.count == 0) ||
            (begin == BEGIN_UNDER_CONDITION && e->conditions.count == 0))
            continue;
        out = prove_with(e, known, begin, more);
        *more = *more && workspace_step(e->m->workspace, 1);
    }
    return out;
}

// Facts of arrays in order, if that is asked.
static const struct term **prove_order(struct elements *e, const struct term *const *known,
                                       bool *more)
{
    const size_t patterns = e->patterns.count, kept = e->kept.count;
    struct term_vector numbers = {0};
    const struct term **out = NULL;
    for (size_t i = 0; i < e->numbers.count; i++)
        VECTOR_PUSH(&numbers, e->numbers.data[i]);
    if (elements_harvest_order(e)) {
        prepare(e);
        out = prove_from(e, known, BEGIN_IN_ORDER, BEGIN_IN_ORDER, more);
    }
    while (e->patterns.count > patterns)
        finish_instances(e, &e->patterns.data[--e->patterns.count]);
    VECTOR_FINISH(&e->numbers);
    e->numbers = numbers;
    e->plain = 0;
    e->kept.count = kept;
    prepare(e);
    return out;
}

// What ways tell, all of it or some. True: there is something new.
static bool heed_ways(struct elements *e, bool all)
{
    const size_t patterns = e->patterns.count, numbers = e->numbers.count;
    e->most_patterns = MOST_PATTERNS_OF_WAYS;
    elements_harvest_ways(e, all);
    if (e->patterns.count == patterns && e->numbers.count == numbers)
        return false;
    prepare(e);
    return true;
}

// What is cheap first, and with equations alone.
static const struct term **prove(struct elements *e, const struct term *const *equations,
                                 const struct term *const *known)
{
    bool more = true, again = true;
    prepare(e);
    const struct term **out = prove_from(e, equations, BEGIN_AT_ZERO, BEGIN_UNDER_CONDITION, &more);
    if (out == NULL && more)
        out = prove_order(e, known, &more);
    if (out == NULL && more && heed_ways(e, false)) {
        e->only_flat = e->flat != 0;
        out = e->only_flat ? prove_from(e, known, BEGIN_AT_ZERO, BEGIN_AT_ZERO, &more) : NULL;
        e->only_flat = false;
        if (out == NULL && more)
            out = prove_from(e, known, BEGIN_AT_ZERO, BEGIN_AT_ZERO, &more);
    }
    if (out == NULL && more && (e->adds || e->multiplies))
        out = prove_from(e, known, BEGIN_WITH_SUMS,
                         e->multiplies ? BEGIN_BESIDE_SUMS : BEGIN_WITH_SUMS, &more);
    if (out == NULL && more)
        out = prove_from(e, known, BEGIN_AT_NUMBERS, BEGIN_BESIDE_NUMBERS, &more);
    if (out == NULL && more && heed_ways(e, true))
        out = prove_from(e, known, BEGIN_AT_ZERO, BEGIN_BESIDE_NUMBERS, &more);
    if (out == NULL && workspace_step(e->m->workspace, 1))
        out = prove_from(e, known, BEGIN_WITH_SUMS, BEGIN_BESIDE_SUMS, &again);
    return out;
}

static struct elements begin(struct monolith *m)
{
    assert(!m->abstract);
    return (struct elements){.m = m, .work = MOST_WORK, .most_patterns = MOST_PATTERNS};
}

static void finish(struct elements *e)
{
    for (size_t i = 0; i < e->patterns.count; i++)
        finish_instances(e, &e->patterns.data[i]);
    VECTOR_FINISH(&e->patterns);
    VECTOR_FINISH(&e->numbers);
    memory_free(e->matters);
    for (uint32_t i = 0; e->ways != NULL && i < e->m->model->edge_count; i++)
        ways_finish(&e->ways[i]);
    memory_free(e->ways);
    VECTOR_FINISH(&e->literals);
    VECTOR_FINISH(&e->starts);
    VECTOR_FINISH(&e->bounds);
    VECTOR_FINISH(&e->conditions);
    VECTOR_FINISH(&e->comparisons);
    VECTOR_FINISH(&e->single);
    VECTOR_FINISH(&e->places);
    VECTOR_FINISH(&e->asked);
    VECTOR_FINISH(&e->changes);
    VECTOR_FINISH(&e->facts);
    VECTOR_FINISH(&e->kept);
    VECTOR_FINISH(&e->sums);
    memory_free(e->aside);
}

const struct term **elements_prove(struct monolith *m, const struct term *const *known)
{
    struct elements e = begin(m);
    const struct term **out = NULL;
    if (!monolith_has_arrays(m))
        return NULL;
    elements_harvest(&e);
    if (e.patterns.count + e.single.count > 0) {
        const struct term **equations = affine_bits_prove(m, NULL),
                          **all = candidates_both(m, known, equations);
        out = prove(&e, equations, all);
        memory_free(all);
        memory_free(equations);
    }
    finish(&e);
    return out;
}

// What is kept to be come back to says no more of the loop than what it is kept of does.
static void put_kept_aside(struct elements *e)
{
    const struct model *model = e->m->model;
    struct components components;
    e->aside = memory_zalloc(model->variable_count + 1);
    model_components(model, &components);
    for (uint32_t c = 1; c <= components.count; c++) {
        struct returning part;
        (void)returning_init(&part, e->m, components.of, c);
        for (uint32_t v = 0; v < model->variable_count; v++)
            if (part.kept[v] != NULL)
                e->aside[model_variable_of(model, part.kept[v])->index] = true;
        returning_finish(&part);
    }
    components_finish(&components);
}

const struct term **elements_know(struct monolith *m, const struct term *const *known)
{
    struct elements e = begin(m);
    const struct term **out = NULL;
    if (!monolith_has_arrays(m))
        return NULL;
    put_kept_aside(&e);
    elements_harvest(&e);
    find_what_matters(&e);
    add_single_facts(&e);
    bool *held = memory_zalloc(e.facts.count + 1);
    if (e.single.count > 0 &&
        candidates_settle(m, e.facts.data, e.facts.count, known, MOST_CHECKS, held))
        out = together(&e, known, held);
    memory_free(held);
    finish(&e);
    return out;
}
