#include "engines/domains/special_action.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "logic/terms/rewrite.h"

// More than this are not kept: further states ask about the action as it is.
#define SPECIAL_LIMIT 8192
#define SPECIAL_LIMIT_BYTES ((size_t)64 << 20)

void special_actions_init(struct special_actions *s, struct workspace *workspace)
{
    *s = (struct special_actions){.workspace = workspace};
    arena_init(&s->arena);
    state_table_init(&s->keys);
}

void special_actions_finish(struct special_actions *s)
{
    state_table_finish(&s->keys);
    VECTOR_FINISH(&s->items);
    VECTOR_FINISH(&s->words);
    arena_finish(&s->arena);
}

size_t special_actions_bytes(const struct special_actions *s)
{
    return s->arena.bytes + state_table_bytes(&s->keys) + s->items.capacity * sizeof *s->items.data;
}

// What is known of a variable at a point of the action.
struct content {
    const struct term *name;  // a literal or a copy that holds its value
    const struct term *value; // the literal that the name stands for here; NULL = unknown
};

// One specialisation. The names of the action in between count up from its index after it, so that no name is
// both in between and after.
struct specialiser {
    struct workspace *workspace;
    uint32_t width;          // variables
    struct content *content; // per variable
    uint32_t *index;         // of the last copy, per variable
    bool total;              // of the part done last
};

static const struct term *current(const struct content *c)
{
    assert(c->value == NULL || term_is_literal(c->value));
    return c->value != NULL ? c->value : c->name;
}

static const struct term *look_up(void *context, const struct term *variable)
{
    const struct specialiser *s = context;
    const struct variable *x = model_variable_of(s->workspace->model, variable);
    return x != NULL ? current(&s->content[x->index]) : variable;
}

static const struct term *evaluate(struct specialiser *s, const struct term *term)
{
    return term_is_literal(term) ? term : rewrite_substitute(s->workspace->store, term, look_up, s);
}

static const struct term *fresh(struct specialiser *s, uint32_t variable)
{
    assert(variable < s->width && s->index[variable] < UINT32_MAX);
    return encoder_copy(s->workspace->encoder, s->workspace->model->variables[variable],
                        ++s->index[variable]);
}

static void set_value(struct specialiser *s, const struct term *name, const struct term *value)
{
    assert(term_is_literal(value) && value->sort == name->sort);
    for (uint32_t v = 0; v < s->width; v++)
        if (s->content[v].name == name)
            s->content[v].value = value;
}

// Takes over what a fact over copies says about single ones.
static void learn(struct specialiser *s, const struct term *fact)
{
    struct term_store *store = s->workspace->store;
    if (fact->kind == TERM_AND) {
        for (uint32_t i = 0; i < fact->child_count; i++)
            learn(s, fact->child[i]);
    } else if (fact->kind == TERM_VAR) {
        set_value(s, fact, term_true(store));
    } else if (fact->kind == TERM_NOT && fact->child[0]->kind == TERM_VAR) {
        set_value(s, fact->child[0], term_false(store));
    } else if (fact->kind == TERM_EQ) {
        for (unsigned side = 0; side < 2; side++)
            if (fact->child[side]->kind == TERM_VAR && term_is_literal(fact->child[1 - side]))
                set_value(s, fact->child[side], fact->child[1 - side]);
    }
}

static const struct term *specialise(struct specialiser *s, const struct statement *statement);

static const struct term *specialise_assign(struct specialiser *s, const struct statement *a)
{
    const struct term *right = evaluate(s, a->expression);
    struct content *c = &s->content[a->variable->index];
    bool literal = term_is_literal(right);
    if (literal || right->kind == TERM_VAR) {
        *c = (struct content){right, literal ? right : NULL};
        return term_true(s->workspace->store);
    }
    *c = (struct content){.name = fresh(s, a->variable->index)};
    return term_eq(s->workspace->store, c->name, right);
}

static const struct term *specialise_assume(struct specialiser *s, const struct term *condition)
{
    assert(condition->sort->kind == SORT_BOOL);
    const struct term *fact = evaluate(s, condition);
    s->total &= term_is_true(fact);
    learn(s, fact);
    return fact;
}

static const struct term *specialise_sequence(struct specialiser *s,
                                              const struct statement *sequence)
{
    struct term_store *store = s->workspace->store;
    struct term_vector parts = {0};
    bool dead = false, total = true;
    for (uint32_t i = 0; i < sequence->child_count && !dead; i++) {
        VECTOR_PUSH(&parts, specialise(s, sequence->child[i]));
        dead = term_is_false(VECTOR_LAST(&parts));
        total &= s->total;
    }
    s->total = total && !dead;
    const struct term *all = dead ? term_false(store) : term_and(store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return all;
}

// Branches that can run, with what is known at their ends.
struct branches {
    uint32_t count;
    const struct term **formula;
    struct content *content; // a row of all variables for each
};

// One variable where the branches meet.
static void join_variable(struct specialiser *s, struct branches *b, uint32_t v)
{
    struct term_store *store = s->workspace->store;
    const struct content *first = &b->content[v];
    bool same_name = true, same_value = first->value != NULL;
    for (uint32_t i = 1; i < b->count; i++) {
        const struct content *c = &b->content[(size_t)i * s->width + v];
        same_name &= c->name == first->name;
        same_value &= c->value == first->value;
    }
    struct content joined = {same_name ? first->name : first->value,
                             same_value ? first->value : NULL};
    assert(!same_name || first->name != NULL);
    if (!same_name && !same_value) {
        joined.name = fresh(s, v);
        for (uint32_t i = 0; i < b->count; i++)
            b->formula[i] = term_and2(
                store, b->formula[i],
                term_eq(store, joined.name, current(&b->content[(size_t)i * s->width + v])));
    }
    s->content[v] = joined;
}

static const struct term *join(struct specialiser *s, struct branches *b)
{
    struct term_store *store = s->workspace->store;
    if (!b->count)
        return term_false(store);
    for (uint32_t v = 0; v < s->width; v++)
        join_variable(s, b, v);
    return term_or(store, b->formula, b->count);
}

// The sides of an IF are branches that begin with the condition or its negation.
static const struct term *specialise_side(struct specialiser *s, const struct statement *statement,
                                          uint32_t side, const struct term *condition)
{
    struct term_store *store = s->workspace->store;
    if (condition == NULL)
        return specialise(s, statement->child[side]);
    const struct term *guard = side ? term_not(store, condition) : condition;
    if (term_is_false(guard))
        return guard;
    learn(s, guard);
    return term_and2(store, guard, specialise(s, statement->child[side]));
}

// CHOICE and IF. As in the encoder the branches share the names that they make: what a name stands for is a
// matter of the branch, and behind the join only names that hold in each are left.
static const struct term *specialise_branches(struct specialiser *s,
                                              const struct statement *statement)
{
    bool is_if = statement->kind == STATEMENT_IF;
    const struct term *condition = is_if ? evaluate(s, statement->expression) : NULL;
    size_t row = s->width + 1u;
    struct content *start = memory_alloc(row * sizeof *start);
    uint32_t *index = memory_alloc(2 * row * sizeof *index), *greatest = index + row;
    struct branches b = {
        .formula = memory_alloc(statement->child_count * sizeof *b.formula),
        .content = memory_alloc(statement->child_count * row * sizeof *b.content),
    };
    memcpy(start, s->content, s->width * sizeof *start);
    memcpy(index, s->index, s->width * sizeof *index);
    memcpy(greatest, s->index, s->width * sizeof *index);
    bool all_total = true, one_total = false;
    for (uint32_t i = 0; i < statement->child_count; i++) {
        memcpy(s->content, start, s->width * sizeof *start);
        memcpy(s->index, index, s->width * sizeof *index);
        s->total = true;
        const struct term *formula = specialise_side(s, statement, i, condition);
        for (uint32_t v = 0; v < s->width; v++)
            greatest[v] = s->index[v] > greatest[v] ? s->index[v] : greatest[v];
        if (condition != NULL && term_is_literal(condition) && term_is_true(condition) != (i == 0))
            continue; // this side is not meant
        bool total = s->total && !term_is_false(formula);
        all_total &= total;
        one_total |= total;
        if (term_is_false(formula))
            continue;
        memcpy(b.content + (size_t)b.count * s->width, s->content, s->width * sizeof *start);
        b.formula[b.count++] = formula;
        assert(b.count <= statement->child_count);
    }
    assert(!is_if || statement->child_count == 2);
    memcpy(s->index, greatest, s->width * sizeof *index);
    const struct term *all = join(s, &b);
    s->total = is_if ? all_total : one_total;
    memory_free(start);
    memory_free(index);
    memory_free(b.formula);
    memory_free(b.content);
    return all;
}

static const struct term *specialise(struct specialiser *s, const struct statement *statement)
{
    s->total = true;
    switch (statement->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSIGN:
        return specialise_assign(s, statement);
    case STATEMENT_ASSUME:
        return specialise_assume(s, statement->expression);
    case STATEMENT_HAVOC: {
        uint32_t v = statement->variable->index;
        s->content[v] = (struct content){.name = fresh(s, v)};
        break;
    }
    case STATEMENT_SEQUENCE:
        return specialise_sequence(s, statement);
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        return specialise_branches(s, statement);
    }
    return term_true(s->workspace->store);
}

// Ties the copies after the action to what is known at its end.
static void keep_end(struct special_actions *actions, const struct specialiser *s,
                     const struct encoded_step *step, const struct term *formula,
                     struct special_action *out)
{
    struct workspace *ws = s->workspace;
    struct term_vector parts = {0};
    VECTOR_PUSH(&parts, formula);
    out->after = arena_alloc(&actions->arena, (s->width + 1) * sizeof *out->after);
    out->written =
        arena_zalloc(&actions->arena, variable_bits_words(s->width) * sizeof *out->written);
    for (uint32_t v = 0; v < s->width; v++) {
        const struct variable *x = ws->model->variables[v];
        const struct term *value = out->after[v] = current(&s->content[v]);
        assert(value->sort == x->sort);
        if (s->content[v].name != x->term)
            variable_bits_set(out->written, v);
        if (step->after[v] != step->before[v])
            VECTOR_PUSH(&parts,
                        term_eq(ws->store, encoder_copy(ws->encoder, x, step->after[v]), value));
    }
    out->formula = term_and(ws->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
}

static struct special_action *make(struct special_actions *actions, const struct encoded_step *step,
                                   const variable_bits *read, const struct value *row)
{
    struct workspace *ws = actions->workspace;
    struct specialiser s = {.workspace = ws, .width = ws->model->variable_count};
    s.content = memory_alloc((s.width + 1) * sizeof *s.content);
    s.index = memory_alloc((s.width + 1) * sizeof *s.index);
    for (uint32_t v = 0; v < s.width; v++) {
        const struct variable *x = ws->model->variables[v];
        bool known = variable_bits_get(read, v) && value_known(row[v]);
        s.content[v] = (struct content){
            .name = x->term,
            .value = known ? term_of_value(ws->store, x->sort, row[v]) : NULL,
        };
        s.index[v] = step->after[v];
    }
    struct special_action *out = arena_zalloc(&actions->arena, sizeof *out);
    const struct term *formula = specialise(&s, step->action);
    out->total = s.total;
    keep_end(actions, &s, step, formula, out);
    memory_free(s.content);
    memory_free(s.index);
    return out;
}

struct special_action *special_actions_get(struct special_actions *actions,
                                           const struct encoded_step *step, uint32_t slot,
                                           const variable_bits *read, const struct value *row)
{
    struct workspace *ws = actions->workspace;
    uint64_t hash = hash_mix(slot + 1);
    bool any = false;
    VECTOR_CLEAR(&actions->words);
    VECTOR_PUSH(&actions->words, slot);
    for (uint32_t v = 0; v < ws->model->variable_count; v++)
        if (variable_bits_get(read, v)) {
            any |= value_known(row[v]);
            hash = hash_mix(hash + value_hash(row[v]) * 0x9e3779b97f4a7c15u);
            VECTOR_PUSH(&actions->words, row[v].bits);
        }
    if (!any)
        return NULL;
    uint32_t count = (uint32_t)actions->words.count;
    uint32_t id = state_table_find(&actions->keys, actions->words.data, count, hash);
    if (workspace_looked_up(ws, CACHE_ACTIONS, id != STATE_NONE))
        return actions->items.data[id];
    if (actions->items.count == SPECIAL_LIMIT || actions->arena.bytes > SPECIAL_LIMIT_BYTES)
        return NULL;
    state_table_intern(&actions->keys, actions->words.data, count, hash);
    assert(actions->keys.entries.count == actions->items.count + 1);
    VECTOR_PUSH(&actions->items, make(actions, step, read, row));
    return VECTOR_LAST(&actions->items);
}

struct application {
    const struct special_actions *actions;
    const struct special_action *action;
    const struct value *row;
};

static const struct term *value_after(void *context, const struct term *variable)
{
    const struct application *a = context;
    const struct workspace *ws = a->actions->workspace;
    const struct variable *x = model_variable_of(ws->model, variable);
    if (x == NULL)
        return variable;
    const struct term *after = a->action->after[x->index];
    assert(after->sort == x->sort);
    // A value from before, of this variable or another, may be known though the action does not read it.
    const struct variable *from =
        after->kind == TERM_VAR ? model_variable_of(ws->model, after) : NULL;
    if (from != NULL && from->term == after && value_known(a->row[from->index]))
        return term_of_value(ws->store, from->sort, a->row[from->index]);
    return after;
}

const struct term *special_action_apply(struct special_actions *actions,
                                        const struct special_action *action,
                                        const struct value *row, const struct term *formula)
{
    struct application a = {actions, action, row};
    return rewrite_substitute(actions->workspace->store, formula, value_after, &a);
}
