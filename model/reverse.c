#include "model/reverse.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "logic/terms/rewrite.h"
#include "model/carried.h"
#include "model/model_memory.h"

static const struct position NOWHERE = {0};

// Which part of the forward model an action is.
enum part {
    PART_STEP,
    PART_START, // the initial action: nothing comes before it, so the values before need not be kept
    PART_END,   // into the error: nothing comes after it, so the values after are no matter
};

// What an action does with a variable that steps carry.
enum role {
    ROLE_KEPT,    // it does not write it
    ROLE_ONCE,    // on every way, one statement writes it, and nothing reads it after that
    ROLE_CHANGED, // anything else
};

struct turn {
    const struct model *forward;
    struct model_builder *builder;
    struct term_store *store;
    struct rewrite_cache *cache; // circuits have one large term for all that is written
    bool *carried;               // by the forward model's variables, as all below
    // Of the reversed model: the same one; the value before a step; a copy that the action works on. Made when
    // first needed.
    const struct variable **same, **guess, **work;
    // The action at hand.
    enum part part;
    enum role *role;
    bool *guessed; // its value before the action may be asked for
    bool *inside;  // written, but not carried
    bool *later;   // written by what comes after the statement at hand
};

// Names.

static const struct variable *same_of(struct turn *t, const struct variable *v)
{
    return t->same[v->index];
}

static const struct variable *extra(struct turn *t, const struct variable **made, const char *stem,
                                    const struct variable *v)
{
    if (made[v->index] != NULL)
        return made[v->index];
    struct text name;
    text_init(&name);
    text_printf(&name, "%s!%s", v->name, stem);
    made[v->index] =
        model_builder_fresh(t->builder, text_string(&name), v->sort, VARIABLE_LOCAL, NOWHERE);
    text_finish(&name);
    return made[v->index];
}

static const struct variable *guess_of(struct turn *t, const struct variable *v)
{
    assert(t->carried[v->index] && "the others are not guessed");
    t->guessed[v->index] = true;
    return extra(t, t->guess, "before", v);
}

static const struct variable *work_of(struct turn *t, const struct variable *v)
{
    return extra(t, t->work, "during", v);
}

static const struct term *read_variable(void *context, const struct term *variable)
{
    struct turn *t = context;
    const struct variable *v = model_variable_of(t->forward, variable);
    if (v == NULL || !t->carried[v->index])
        return variable;
    switch (t->role[v->index]) {
    case ROLE_KEPT:
        break;
    case ROLE_ONCE:
        return t->part == PART_END ? variable : guess_of(t, v)->term;
    case ROLE_CHANGED:
        return work_of(t, v)->term;
    }
    return variable;
}

static const struct term *reads(struct turn *t, const struct term *expression)
{
    return rewrite_substitute_cached(t->cache, expression, read_variable, t);
}

// Roles.

struct writes {
    struct turn *turn;
    bool *read_after; // by variable: read behind a statement that writes it
};

static void note_reads(struct writes *w, const struct term *expression)
{
    struct term_vector found = {0};
    rewrite_free_variables(expression, &found);
    for (size_t i = 0; i < found.count; i++) {
        const struct variable *v = model_variable_of(w->turn->forward, found.data[i]);
        if (v != NULL && w->turn->role[v->index] != ROLE_KEPT)
            w->read_after[v->index] = true;
    }
    VECTOR_FINISH(&found);
}

// always: the statement is on every way through the action.
static void find_writes(struct writes *w, const struct statement *s, bool always)
{
    if (s->expression != NULL)
        note_reads(w, s->expression);
    if (s->kind == STATEMENT_ASSIGN || s->kind == STATEMENT_HAVOC) {
        enum role *role = &w->turn->role[s->variable->index];
        *role = always && *role == ROLE_KEPT ? ROLE_ONCE : ROLE_CHANGED;
    }
    for (uint32_t i = 0; i < s->child_count; i++)
        find_writes(w, s->child[i], always && s->kind == STATEMENT_SEQUENCE);
}

static void find_roles(struct turn *t, const struct statement *action)
{
    uint32_t count = t->forward->variable_count;
    struct writes writes = {t, memory_zalloc(count + 1)};
    for (uint32_t v = 0; v < count; v++) {
        t->role[v] = ROLE_KEPT;
        t->guessed[v] = t->later[v] = false;
    }
    find_writes(&writes, action, true);
    for (uint32_t v = 0; v < count; v++) {
        if (writes.read_after[v] && t->role[v] == ROLE_ONCE)
            t->role[v] = ROLE_CHANGED;
        t->inside[v] = !t->carried[v] && t->role[v] != ROLE_KEPT;
        if (!t->carried[v])
            t->role[v] = ROLE_KEPT; // of no matter outside of the step, so it stays as it is
    }
    memory_free(writes.read_after);
}

// Statements. Each has the forward one as its origin, for the way back.

static struct statement *turn_statement(struct turn *t, const struct statement *s);

static struct statement *turn_assign(struct turn *t, const struct statement *s)
{
    const struct variable *v = s->variable;
    const struct term *value = reads(t, s->expression);
    enum role role = t->role[v->index];
    t->later[v->index] = true;
    if (role == ROLE_CHANGED)
        return model_assign(t->builder, work_of(t, v), value, s->source);
    if (role == ROLE_KEPT) // not carried
        return model_assign(t->builder, same_of(t, v), value, s->source);
    assert(role == ROLE_ONCE);
    if (t->part == PART_END)
        return model_skip(t->builder, s->source);
    return model_assume(t->builder, term_eq(t->store, value, same_of(t, v)->term), s->source);
}

// Where nothing writes it later, the arbitrary value is the one that it has now.
static struct statement *turn_havoc(struct turn *t, const struct statement *s)
{
    const struct variable *v = s->variable;
    enum role role = t->role[v->index];
    bool last = !t->later[v->index] && t->part != PART_END;
    t->later[v->index] = true;
    if (role == ROLE_KEPT) // not carried
        return model_havoc(t->builder, same_of(t, v), s->source);
    if (role == ROLE_ONCE)
        return model_skip(t->builder, s->source);
    if (last)
        return model_assign(t->builder, work_of(t, v), same_of(t, v)->term, s->source);
    return model_havoc(t->builder, work_of(t, v), s->source);
}

// From the last to the first, for `later`.
static struct statement *turn_sequence(struct turn *t, const struct statement *s)
{
    struct statement **children = memory_alloc((s->child_count + 1) * sizeof *children);
    for (uint32_t i = s->child_count; i-- > 0;)
        children[i] = turn_statement(t, s->child[i]);
    struct statement *made = model_sequence(t->builder, children, s->child_count, s->source);
    memory_free(children);
    return made;
}

static struct statement *turn_branches(struct turn *t, const struct statement *s)
{
    size_t bytes = t->forward->variable_count * sizeof(bool);
    struct statement **children = memory_alloc((s->child_count + 1) * sizeof *children);
    bool *behind = memory_alloc(bytes + 1), *all = memory_alloc(bytes + 1);
    memcpy(behind, t->later, bytes);
    memcpy(all, t->later, bytes);
    for (uint32_t i = 0; i < s->child_count; i++) {
        memcpy(t->later, behind, bytes);
        children[i] = turn_statement(t, s->child[i]);
        for (uint32_t v = 0; v < t->forward->variable_count; v++)
            all[v] |= t->later[v];
    }
    memcpy(t->later, all, bytes);
    struct statement *made =
        s->kind == STATEMENT_CHOICE
            ? model_choice(t->builder, children, s->child_count, s->source)
            : model_if(t->builder, reads(t, s->expression), children[0], children[1], s->source);
    memory_free(children);
    memory_free(behind);
    memory_free(all);
    return made;
}

static struct statement *turn_statement(struct turn *t, const struct statement *s)
{
    struct statement *made = NULL;
    switch (s->kind) {
    case STATEMENT_SKIP:
        made = model_skip(t->builder, s->source);
        break;
    case STATEMENT_ASSUME:
        made = model_assume(t->builder, reads(t, s->expression), s->source);
        break;
    case STATEMENT_ASSIGN:
        made = turn_assign(t, s);
        break;
    case STATEMENT_HAVOC:
        made = turn_havoc(t, s);
        break;
    case STATEMENT_SEQUENCE:
        made = turn_sequence(t, s);
        break;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        made = turn_branches(t, s);
        break;
    }
    made->origin = s;
    return made;
}

// Actions.

struct statements {
    struct statement **data;
    size_t count, capacity; // a VECTOR
};

static struct statement *as_one(struct turn *t, struct statements *parts)
{
    assert(parts->count > 0 || parts->data == NULL);
    struct statement *made = parts->count == 1
                                 ? parts->data[0]
                                 : model_sequence(t->builder, parts->data, parts->count, NOWHERE);
    VECTOR_FINISH(parts);
    return made;
}

// What no step carries has the same value after each: then it may be put for it in what is said of states, and no two
// states differ in it.
static void reset(struct turn *t, const struct variable *v, struct statements *out)
{
    VECTOR_PUSH(out, model_assign(t->builder, v, term_default(t->store, v->sort), NOWHERE));
}

// The values that the action begins with, in place.
static void prepare(struct turn *t, struct statements *out)
{
    for (uint32_t i = 0; i < t->forward->variable_count; i++)
        if (t->guessed[i])
            VECTOR_PUSH(out, model_havoc(t->builder, t->guess[i], NOWHERE));
    for (uint32_t i = 0; i < t->forward->variable_count; i++) {
        const struct variable *v = t->forward->variables[i];
        if (t->role[i] != ROLE_CHANGED)
            continue;
        const struct variable *from = t->part == PART_END ? same_of(t, v) : guess_of(t, v);
        VECTOR_PUSH(out, model_assign(t->builder, work_of(t, v), from->term, NOWHERE));
    }
}

// What came out is what is there; what was guessed takes its place.
static void conclude(struct turn *t, struct statements *out)
{
    uint32_t count = t->forward->variable_count;
    for (uint32_t i = 0; i < count && t->part != PART_END; i++) {
        const struct variable *v = t->forward->variables[i];
        if (t->role[i] == ROLE_CHANGED)
            VECTOR_PUSH(out,
                        model_assume(t->builder,
                                     term_eq(t->store, work_of(t, v)->term, same_of(t, v)->term),
                                     NOWHERE));
    }
    for (uint32_t i = 0; i < count && t->part != PART_START; i++) {
        const struct variable *v = t->forward->variables[i];
        if (t->part == PART_STEP && t->role[i] != ROLE_KEPT)
            VECTOR_PUSH(out,
                        model_assign(t->builder, same_of(t, v), guess_of(t, v)->term, NOWHERE));
        if (t->guessed[i])
            reset(t, t->guess[i], out);
        if (t->role[i] == ROLE_CHANGED)
            reset(t, t->work[i], out);
        if (t->inside[i])
            reset(t, same_of(t, v), out);
    }
}

static struct statement *turn_action(struct turn *t, const struct statement *action, enum part part)
{
    struct statements parts = {0};
    t->part = part;
    find_roles(t, action);
    struct statement *body = turn_statement(t, action);
    for (uint32_t i = 0; i < t->forward->variable_count; i++)
        if ((part == PART_STEP && t->role[i] != ROLE_KEPT) ||
            (part == PART_START && t->role[i] == ROLE_CHANGED))
            (void)guess_of(t, t->forward->variables[i]);
    prepare(t, &parts);
    VECTOR_PUSH(&parts, body);
    conclude(t, &parts);
    return as_one(t, &parts);
}

// The graph.

static bool is_error_edge(const struct model *forward, const struct edge *edge)
{
    return edge->target == forward->error && edge->source != forward->error;
}

// The one location that all error edges leave, if it may take the place of the error location as the first.
static const struct location *only_entry(const struct model *forward)
{
    const struct location *entry = NULL;
    for (uint32_t e = 0; e < forward->edge_count; e++) {
        const struct edge *edge = forward->edges[e];
        if (!is_error_edge(forward, edge))
            continue;
        if (entry != NULL && entry != edge->source)
            return NULL;
        entry = edge->source;
    }
    return forward->initial == forward->error ? NULL : entry;
}

static void add_edge(struct turn *t, struct location *source, struct location *target,
                     const struct edge *forward)
{
    assert(forward->source != t->forward->error);
    enum part part = is_error_edge(t->forward, forward) ? PART_END : PART_STEP;
    struct edge *made =
        model_builder_edge(t->builder, source, target, turn_action(t, forward->action, part),
                           forward->label, forward->position);
    const struct edge **origin = arena_alloc(&t->builder->memory->arena, sizeof *origin);
    *origin = forward;
    made->origin = origin;
    made->origin_count = 1;
}

// All error edges as one choice; which is which, in the order of its branches, goes to the reversal.
static struct statement *entries_as_choice(struct turn *t, struct reversal *reversal)
{
    struct statements branches = {0};
    const struct edge **edges =
        arena_alloc(&t->builder->memory->arena, (t->forward->edge_count + 1) * sizeof *edges);
    for (uint32_t e = 0; e < t->forward->edge_count; e++)
        if (is_error_edge(t->forward, t->forward->edges[e])) {
            edges[branches.count] = t->forward->edges[e];
            VECTOR_PUSH(&branches, turn_action(t, t->forward->edges[e]->action, PART_END));
        }
    assert(branches.count > 0);
    reversal->entries = edges;
    reversal->entry_count = (uint32_t)branches.count;
    reversal->entry_choice = model_choice(t->builder, branches.data, branches.count, NOWHERE);
    VECTOR_FINISH(&branches);
    return (struct statement *)(uintptr_t)reversal->entry_choice;
}

// Made last, when all variables are there.
static struct statement *turn_beginning(struct turn *t, const struct location *entry,
                                        struct reversal *reversal)
{
    struct statements parts = {0};
    if (entry != NULL)
        VECTOR_PUSH(&parts, entries_as_choice(t, reversal));
    for (uint32_t i = 0; i < t->forward->variable_count; i++) {
        if (t->guess[i] != NULL)
            reset(t, t->guess[i], &parts);
        if (t->work[i] != NULL)
            reset(t, t->work[i], &parts);
        if (!t->carried[i])
            reset(t, t->same[i], &parts);
    }
    return as_one(t, &parts);
}

static void turn_graph(struct turn *t, struct reversal *reversal)
{
    const struct model *forward = t->forward;
    const struct location *entry = only_entry(forward);
    struct location **made = memory_zalloc((forward->location_count + 1) * sizeof *made);
    for (uint32_t l = 0; l < forward->location_count; l++) {
        const struct location *location = forward->locations[l];
        if (entry != NULL && location == forward->error)
            continue;
        made[l] = model_builder_location(t->builder, location->name, location->phase,
                                         location->observable);
        made[l]->origin = location;
    }
    struct location *error = model_builder_location(t->builder, NULL, PHASE_NONE, false);
    model_builder_error(t->builder, error);
    for (uint32_t e = 0; e < forward->edge_count; e++) {
        const struct edge *edge = forward->edges[e];
        // What comes after the error is no part of a run to it.
        if (edge->source != forward->error && !(entry != NULL && is_error_edge(forward, edge)))
            add_edge(t, made[edge->target->index], made[edge->source->index], edge);
    }
    model_builder_edge(t->builder, made[forward->initial->index], error,
                       turn_action(t, forward->initial_action, PART_START), "initial action",
                       NOWHERE);
    model_builder_initial(t->builder, made[entry != NULL ? entry->index : forward->error->index],
                          turn_beginning(t, entry, reversal));
    memory_free(made);
}

static void turn_variables(struct turn *t)
{
    uint32_t count = t->forward->variable_count;
    t->carried = memory_zalloc(count + 1);
    carried_between_steps(t->forward, t->carried);
    carried_into_action(t->forward, t->forward->initial_action, t->carried);
    t->same = memory_zalloc((count + 1) * sizeof *t->same);
    t->guess = memory_zalloc((count + 1) * sizeof *t->guess);
    t->work = memory_zalloc((count + 1) * sizeof *t->work);
    t->role = memory_zalloc((count + 1) * sizeof *t->role);
    t->guessed = memory_zalloc(count + 1);
    t->inside = memory_zalloc(count + 1);
    t->later = memory_zalloc(count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct variable *v = t->forward->variables[i];
        t->same[i] = model_builder_variable(t->builder, v->name, v->sort, v->flags, v->source);
        assert(t->same[i] != NULL && t->same[i]->index == i);
    }
}

static void finish(struct turn *t)
{
    rewrite_cache_destroy(t->cache);
    memory_free(t->carried);
    memory_free(t->same);
    memory_free(t->guess);
    memory_free(t->work);
    memory_free(t->role);
    memory_free(t->guessed);
    memory_free(t->inside);
    memory_free(t->later);
}

struct model *reverse_model(struct model *forward)
{
    struct turn t = {.forward = forward, .builder = model_builder_prepare(forward)};
    struct model_memory *memory = t.builder->memory;
    struct reversal *reversal = arena_zalloc(&memory->arena, sizeof *reversal);
    t.store = model_builder_store(t.builder);
    t.cache = rewrite_cache_create(t.store);
    turn_variables(&t);
    turn_graph(&t, reversal);
    size_t total = t.builder->variables.count;
    const struct variable **guesses = arena_zalloc(&memory->arena, (total + 1) * sizeof *guesses);
    for (uint32_t i = 0; i < forward->variable_count; i++)
        if (t.guess[i] != NULL)
            guesses[t.guess[i]->index] = forward->variables[i];
    reversal->guesses = guesses;
    bool *carried = arena_alloc(&memory->arena, forward->variable_count + 1);
    memcpy(carried, t.carried, forward->variable_count);
    reversal->carried = carried;
    reversal->forward = forward;
    memory->reversal = reversal;
    finish(&t);
    return model_builder_finish(t.builder);
}
