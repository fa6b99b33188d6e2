#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/text.h"
#include "languages/chc/chc.h"

// Linear clauses as a model. Each predicate is a location; its arguments live in slots, variables that all
// predicates share; a clause is an edge. A predicate takes over the slots of the values that a clause hands
// to it, so that most of an edge's assignments say nothing and are left out.
//
// In an edge, clause variables become what they are equal to, where an equation tells: a slot, a small term,
// or a local variable that is assigned. The others are havocked, and what is left of the constraints assumed.

struct slot {
    const struct variable *variable;
    uint32_t taken; // by this predicate + 1
};

struct statements {
    struct statement **data;
    size_t count, capacity; // a VECTOR
};

struct pending {
    const struct variable *slot;
    const struct term *value;
};

struct lowering {
    struct chc *c;
    VECTOR(struct slot) slots;
    VECTOR(const struct term *) meaning; // by id of the clause variable; NULL = not known yet
    struct term_vector known;            // clause variables with a meaning
    struct location *start, *error;
    // One clause.
    const struct chc_clause *clause;
    struct statements body;
    struct term_vector constraints;
    VECTOR(struct pending) pending; // assignments at the end, all at once
};

// Larger terms are assigned to a local variable once instead of written at every use.
enum { SMALL_TERM = 8 };

// ---- slots

static const struct variable *make_slot(struct lowering *l, const struct sort *sort)
{
    static const char *const STEMS[] = {
        [SORT_BOOL] = "bool", [SORT_INT] = "int",   [SORT_RAT] = "real",
        [SORT_BV] = "bits",   [SORT_ENUM] = "enum", [SORT_ARRAY] = "array"};
    char name[40];
    snprintf(name, sizeof name, "%s%zu", STEMS[sort->kind], l->slots.count);
    struct slot slot = {
        model_builder_variable(l->c->builder, name, sort, 0, (struct position){l->c->path, 0, 0}),
        0}; // slots come first, so the name is free
    VECTOR_PUSH(&l->slots, slot);
    return slot.variable;
}

// Marks the variable's slot as one of the predicate's; false when it is already.
static bool take(struct lowering *l, const struct variable *variable, uint32_t predicate)
{
    for (size_t i = 0; i < l->slots.count; i++)
        if (l->slots.data[i].variable == variable) {
            bool is_free = l->slots.data[i].taken != predicate + 1;
            l->slots.data[i].taken = predicate + 1;
            return is_free;
        }
    return false;
}

static const struct variable *some_slot(struct lowering *l, const struct sort *sort,
                                        uint32_t predicate)
{
    for (size_t i = 0; i < l->slots.count; i++)
        if (l->slots.data[i].variable->sort == sort && l->slots.data[i].taken != predicate + 1) {
            l->slots.data[i].taken = predicate + 1;
            return l->slots.data[i].variable;
        }
    const struct variable *variable = make_slot(l, sort);
    VECTOR_LAST(&l->slots).taken = predicate + 1;
    return variable;
}

// The slots of the predicate that the clause concludes.
static void choose_slots(struct lowering *l, const struct chc_clause *clause)
{
    struct chc *c = l->c;
    const struct chc_application *head = &c->applications.data[clause->head];
    const struct chc_application *body =
        clause->body == CHC_NONE ? NULL : &c->applications.data[clause->body];
    struct chc_predicate *to = &c->predicates.data[head->predicate];
    const struct chc_predicate *from = body != NULL ? &c->predicates.data[body->predicate] : NULL;
    size_t arity = to->parameters.count;
    to->slots = arena_zalloc(&c->arena, (arity + 1) * sizeof *to->slots);
    for (size_t i = 0; i < arity; i++)
        for (size_t k = 0; from != NULL && k < from->parameters.count && to->slots[i] == NULL; k++)
            if (body->arguments[k] == head->arguments[i] && chc_is_variable(head->arguments[i]) &&
                take(l, from->slots[k], head->predicate))
                to->slots[i] = from->slots[k];
    for (size_t i = 0; i < arity; i++)
        if (to->slots[i] == NULL && from != NULL && i < from->parameters.count &&
            from->slots[i]->sort == to->parameters.data[i]->sort &&
            take(l, from->slots[i], head->predicate))
            to->slots[i] = from->slots[i];
    for (size_t i = 0; i < arity; i++)
        if (to->slots[i] == NULL)
            to->slots[i] = some_slot(l, to->parameters.data[i]->sort, head->predicate);
}

#ifndef NDEBUG
// Each parameter has a slot of its sort, of its own.
static bool slots_fit(const struct chc_predicate *p)
{
    for (size_t i = 0; i < p->parameters.count; i++) {
        if (p->slots[i]->sort != p->parameters.data[i]->sort)
            return false;
        for (size_t k = 0; k < i; k++)
            if (p->slots[k] == p->slots[i])
                return false;
    }
    return true;
}
#endif

static struct location *location(struct chc *c, const char *name)
{
    struct location *made = model_builder_location(c->builder, name, PHASE_NONE, true);
    return made != NULL ? made : model_builder_location(c->builder, NULL, PHASE_NONE, true);
}

// From the facts on; a predicate that no chain of clauses concludes stays without a location.
static void reach(struct lowering *l)
{
    struct chc *c = l->c;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < c->clauses.count; i++) {
            const struct chc_clause *clause = &c->clauses.data[i];
            if (clause->head == CHC_NONE)
                continue;
            struct chc_predicate *to =
                &c->predicates.data[c->applications.data[clause->head].predicate];
            if (to->reached ||
                (clause->body != CHC_NONE &&
                 !c->predicates.data[c->applications.data[clause->body].predicate].reached))
                continue;
            choose_slots(l, clause);
            assert(slots_fit(to));
            to->reached = changed = true;
            to->location = location(c, to->name);
            model_builder_location_state(c->builder, to->location, to->slots, to->parameters.count);
        }
    }
}

// ---- one clause

static const struct term *meaning(void *context, const struct term *variable)
{
    const struct lowering *l = context;
    const struct term *known =
        variable->id < l->meaning.count ? l->meaning.data[variable->id] : NULL;
    return known != NULL ? known : variable;
}

static const struct term *resolve(struct lowering *l, const struct term *term)
{
    return rewrite_substitute(l->c->store, term, meaning, l);
}

static void define(struct lowering *l, const struct term *variable, const struct term *value)
{
    while (l->meaning.count <= variable->id)
        VECTOR_PUSH(&l->meaning, NULL);
    assert(chc_is_variable(variable) && value->sort == variable->sort);
    assert(l->meaning.data[variable->id] == NULL); // once known, it is put in and met no more
    l->meaning.data[variable->id] = value;
    VECTOR_PUSH(&l->known, variable);
}

// Puts in what became known.
static void resolve_all(struct lowering *l)
{
    size_t count = l->constraints.count;
    struct term_vector all = {0};
    for (size_t i = 0; i < count; i++)
        rewrite_conjuncts(resolve(l, l->constraints.data[i]), &all);
    VECTOR_FINISH(&l->constraints);
    l->constraints = all;
    for (size_t i = 0; i < l->pending.count; i++)
        l->pending.data[i].value = resolve(l, l->pending.data[i].value);
}

static void say(struct lowering *l, struct statement *statement)
{
    VECTOR_PUSH(&l->body, statement);
}

// A local variable for a clause variable, with its name where that is free for this sort.
static const struct variable *local_for(struct lowering *l, const struct term *variable)
{
    struct model_builder *builder = l->c->builder;
    const char *name = variable->u.var.name + 1;
    struct text text;
    text_init(&text);
    text_add(&text, name);
    if (variable->u.var.index > 0)
        text_printf(&text, "!%u", variable->u.var.index);
    const struct variable *v = NULL;
    for (unsigned attempt = 1; v == NULL; attempt++) {
        const struct variable *taken = model_builder_find(builder, text_string(&text));
        if (taken != NULL && taken->sort == variable->sort && (taken->flags & VARIABLE_LOCAL))
            v = taken;
        else if (taken == NULL)
            v = model_builder_variable(builder, text_string(&text), variable->sort, VARIABLE_LOCAL,
                                       l->clause->at);
        else
            text_printf(&text, "!%u", attempt);
    }
    text_finish(&text);
    return v;
}

// The only clause variable without a meaning in the term; NULL when there is none or more.
static const struct term *only_unknown(const struct term *term, size_t *count)
{
    struct term_vector variables = {0};
    const struct term *found = NULL;
    *count = 0;
    rewrite_free_variables(term, &variables);
    for (size_t i = 0; i < variables.count; i++)
        if (chc_is_variable(variables.data[i])) {
            found = *count == 0 ? variables.data[i] : NULL;
            ++*count;
        }
    VECTOR_FINISH(&variables);
    return found;
}

// One equation that tells a variable from known ones.
static bool solve_one(struct lowering *l)
{
    for (size_t i = 0; i < l->constraints.count; i++) {
        const struct term *part = l->constraints.data[i];
        size_t unknown;
        if (part->kind != TERM_EQ && part->kind != TERM_NOT && part->kind != TERM_VAR)
            continue;
        const struct term *variable = only_unknown(part, &unknown);
        const struct term *value =
            variable != NULL ? rewrite_solve(l->c->store, part, variable) : NULL;
        if (value == NULL)
            continue;
        if (value->tree_size > SMALL_TERM) {
            const struct variable *local = local_for(l, variable);
            say(l, model_assign(l->c->builder, local, value, l->clause->at));
            value = local->term;
        }
        define(l, variable, value);
        l->constraints.data[i] = term_true(l->c->store);
        return true;
    }
    return false;
}

// Assumes what speaks of known variables only.
static void assume_known(struct lowering *l)
{
    size_t kept = 0, unknown;
    for (size_t i = 0; i < l->constraints.count; i++) {
        const struct term *part = l->constraints.data[i];
        only_unknown(part, &unknown);
        if (unknown > 0)
            l->constraints.data[kept++] = part;
        else
            say(l, model_assume(l->c->builder, part, l->clause->at));
    }
    l->constraints.count = kept;
}

static bool is_read(const struct lowering *l, const struct variable *slot)
{
    for (size_t i = 0; i < l->constraints.count; i++)
        if (rewrite_contains(l->constraints.data[i], slot->term))
            return true;
    for (size_t i = 0; i < l->pending.count; i++)
        if (rewrite_contains(l->pending.data[i].value, slot->term))
            return true;
    return false;
}

// The variable becomes arbitrary: in its slot when it is wanted in one that nobody reads any more.
static void havoc(struct lowering *l, const struct term *variable)
{
    const struct variable *where = NULL;
    for (size_t i = 0; i < l->pending.count && where == NULL; i++)
        if (l->pending.data[i].value == variable && !is_read(l, l->pending.data[i].slot))
            where = l->pending.data[i].slot;
    if (where == NULL)
        where = local_for(l, variable);
    say(l, model_havoc(l->c->builder, where, l->clause->at));
    define(l, variable, where->term);
}

// Any variable that has no meaning yet.
static const struct term *next_unknown(const struct lowering *l)
{
    struct term_vector variables = {0};
    const struct term *found = NULL;
    for (size_t i = 0; i < l->constraints.count; i++)
        rewrite_free_variables(l->constraints.data[i], &variables);
    for (size_t i = 0; i < l->pending.count && l->constraints.count == 0; i++)
        rewrite_free_variables(l->pending.data[i].value, &variables);
    for (size_t i = 0; i < variables.count && found == NULL; i++)
        if (chc_is_variable(variables.data[i]))
            found = variables.data[i];
    VECTOR_FINISH(&variables);
    return found;
}

static void solve_all(struct lowering *l)
{
    const struct term *unknown;
    resolve_all(l);
    do {
        while (solve_one(l))
            resolve_all(l);
        assume_known(l);
        unknown = next_unknown(l);
        if (unknown != NULL) {
            havoc(l, unknown);
            resolve_all(l);
        }
    } while (unknown != NULL);
}

// The pending assignments one after another, each after all that read what it overwrites; a circle is
// opened with a local variable.
static void assign_all(struct lowering *l)
{
    struct chc *c = l->c;
    VECTOR(uint32_t) reads = {0}; // by id of the slot's term: how many pending values read it
    struct term_vector *sources = memory_zalloc((l->pending.count + 1) * sizeof *sources);
    size_t count = 0, done = 0;
    for (size_t i = 0; i < l->pending.count; i++)
        if (l->pending.data[i].value != l->pending.data[i].slot->term)
            l->pending.data[count++] = l->pending.data[i];
    l->pending.count = count;
    for (size_t i = 0; i < count; i++) {
        rewrite_free_variables(l->pending.data[i].value, &sources[i]);
        for (size_t k = 0; k < sources[i].count; k++) {
            while (reads.count <= sources[i].data[k]->id)
                VECTOR_PUSH(&reads, 0);
            // What it reads of itself does not matter.
            reads.data[sources[i].data[k]->id] +=
                sources[i].data[k] != l->pending.data[i].slot->term;
        }
    }
    while (done < count) {
        size_t next = count;
        for (size_t i = 0; i < count && next == count; i++) {
            const struct variable *slot = l->pending.data[i].slot;
            if (slot != NULL && (slot->term->id >= reads.count || reads.data[slot->term->id] == 0))
                next = i;
        }
        if (next == count) { // a circle: all readers of one slot read a copy of it
            for (next = 0; l->pending.data[next].slot == NULL; next++)
                ;
            const struct variable *slot = l->pending.data[next].slot;
            assert(slot->term->id < reads.count && reads.data[slot->term->id] > 0);
            const struct variable *copy = model_builder_fresh(c->builder, slot->name, slot->sort,
                                                              VARIABLE_LOCAL, l->clause->at);
            say(l, model_assign(c->builder, copy, slot->term, l->clause->at));
            for (size_t i = 0; i < count; i++)
                if (l->pending.data[i].slot != NULL && i != next)
                    l->pending.data[i].value =
                        rewrite_replace(c->store, l->pending.data[i].value, slot->term, copy->term);
            reads.data[slot->term->id] = 0;
        }
        const struct variable *slot = l->pending.data[next].slot;
        say(l, model_assign(c->builder, slot, l->pending.data[next].value, l->clause->at));
        for (size_t k = 0; k < sources[next].count; k++) {
            uint32_t *left = &reads.data[sources[next].data[k]->id];
            *left -= *left > 0 && sources[next].data[k] != slot->term;
        }
        l->pending.data[next].slot = NULL;
        done++;
    }
    for (size_t i = 0; i < l->pending.count; i++)
        VECTOR_FINISH(&sources[i]);
    memory_free(sources);
    VECTOR_FINISH(&reads);
}

static void begin_clause(struct lowering *l, const struct chc_clause *clause)
{
    struct chc *c = l->c;
    l->clause = clause;
    VECTOR_CLEAR(&l->body);
    VECTOR_CLEAR(&l->constraints);
    VECTOR_CLEAR(&l->pending);
    for (size_t i = 0; i < l->known.count; i++)
        l->meaning.data[l->known.data[i]->id] = NULL;
    VECTOR_CLEAR(&l->known);
    for (size_t i = 0; i < clause->constraint_count; i++)
        VECTOR_PUSH(&l->constraints, clause->constraints[i]);
    if (clause->body != CHC_NONE) {
        const struct chc_application *body = &c->applications.data[clause->body];
        const struct chc_predicate *from = &c->predicates.data[body->predicate];
        for (size_t i = 0; i < from->parameters.count; i++) {
            const struct term *argument = body->arguments[i];
            if (chc_is_variable(argument) && meaning(l, argument) == argument)
                define(l, argument, from->slots[i]->term);
            else
                VECTOR_PUSH(&l->constraints, term_eq(c->store, argument, from->slots[i]->term));
        }
    }
    if (clause->head == CHC_NONE)
        return;
    const struct chc_application *head = &c->applications.data[clause->head];
    const struct chc_predicate *to = &c->predicates.data[head->predicate];
    for (size_t i = 0; i < to->parameters.count; i++) {
        struct pending pending = {to->slots[i], head->arguments[i]};
        VECTOR_PUSH(&l->pending, pending);
    }
}

static void lower_clause(struct lowering *l, const struct chc_clause *clause, size_t number)
{
    struct chc *c = l->c;
    struct location *from = l->start, *to = l->error;
    if (clause->body != CHC_NONE)
        from = c->predicates.data[c->applications.data[clause->body].predicate].location;
    if (clause->head != CHC_NONE)
        to = c->predicates.data[c->applications.data[clause->head].predicate].location;
    if (from == NULL)
        return; // nothing derives its premise
    begin_clause(l, clause);
    solve_all(l);
    ENSURE(l->constraints.count == 0); // each is an assumption or a definition now
    assign_all(l);
    char label[40];
    snprintf(label, sizeof label, "clause %zu", number);
    model_builder_edge(c->builder, from, to,
                       model_sequence(c->builder, l->body.data, l->body.count, clause->at), label,
                       clause->at);
}

void chc_lower(struct chc *c)
{
    struct lowering l = {.c = c};
    l.start = location(c, "true");
    l.error = location(c, "false");
    model_builder_location_state(c->builder, l.start, NULL, 0);
    model_builder_location_state(c->builder, l.error, NULL, 0);
    reach(&l);
    for (size_t i = 0; i < c->clauses.count; i++)
        lower_clause(&l, &c->clauses.data[i], i + 1);
    model_builder_initial(c->builder, l.start,
                          model_skip(c->builder, (struct position){c->path, 0, 0}));
    model_builder_error(c->builder, l.error);
    VECTOR_FINISH(&l.slots);
    VECTOR_FINISH(&l.meaning);
    VECTOR_FINISH(&l.known);
    VECTOR_FINISH(&l.body);
    VECTOR_FINISH(&l.constraints);
    VECTOR_FINISH(&l.pending);
}
