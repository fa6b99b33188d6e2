#include "engines/domains/autoexpl.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

struct autoexpl {
    struct workspace *workspace;
    struct explicit_part *values;
    int64_t rule;
    size_t words;
    variable_bits *explicit;
    // The model's atoms, and pairs of a variable and an operand next to it, as words of term ids.
    struct state_table atoms, neighbours;
    bool learning; // atoms and neighbours are the model's now, and are to be kept
    bool changed;
};

static void make_explicit(struct autoexpl *x, const struct term *variable)
{
    assert(!x->learning && "the model's own invent nothing");
    const struct variable *v = model_variable_of(x->workspace->model, variable);
    if (v == NULL || variable_bits_get(x->explicit, v->index))
        return;
    variable_bits_set(x->explicit, v->index);
    x->changed = true;
}

// Is the pair among the model's? While learning it becomes one.
static bool is_known(struct autoexpl *x, struct state_table *table, const struct term *a,
                     const struct term *b)
{
    uint64_t key[2] = {a->id, b != NULL ? b->id : UINT64_MAX};
    uint64_t hash = hash_mix(key[0] * 0x9e3779b97f4a7c15u + hash_mix(key[1]));
    if (x->learning)
        state_table_intern(table, key, 2, hash);
    return state_table_find(table, key, 2, hash) != STATE_NONE;
}

// The operands of an atom's comparison or sum side by side: factors do not count, and the two sides of a
// linear comparison are one list, because equations are kept as sum = literal.
static void operands(const struct term *t, struct term_vector *out)
{
    bool sum =
        t->kind == TERM_ADD || t->kind == TERM_LE || t->kind == TERM_LT || t->kind == TERM_EQ;
    assert(t->kind != TERM_MUL || t->child_count >= 2);
    if (sum) {
        for (uint32_t i = 0; i < t->child_count; i++)
            operands(t->child[i], out);
    } else if (t->kind == TERM_MUL && term_is_literal(t->child[0]) && t->child_count == 2) {
        operands(t->child[1], out);
    } else {
        VECTOR_PUSH(out, t);
    }
}

static void neighbours_of(struct autoexpl *x, const struct term *t);

// Operands side by side: each variable among them meets all others.
static void meet(struct autoexpl *x, const struct term_vector *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct term *a = list->data[i];
        for (size_t k = 0; a->kind == TERM_VAR && k < list->count; k++)
            if (list->data[k] != a && !is_known(x, &x->neighbours, a, list->data[k]))
                make_explicit(x, a);
        neighbours_of(x, a);
    }
}

static void neighbours_of(struct autoexpl *x, const struct term *t)
{
    if (!t->child_count)
        return;
    struct term_vector list = {0};
    operands(t, &list);
    if (list.count == 1 && list.data[0] == t) { // another operator: its children stand together
        VECTOR_CLEAR(&list);
        for (uint32_t i = 0; i < t->child_count; i++)
            VECTOR_PUSH(&list, t->child[i]);
    }
    meet(x, &list);
    VECTOR_FINISH(&list);
}

static void look_at_atom(struct autoexpl *x, const struct term *atom)
{
    if (x->rule == AUTOEXPL_NEWOPERANDS || x->learning)
        neighbours_of(x, atom);
    if (is_known(x, &x->atoms, atom, NULL) || x->rule != AUTOEXPL_NEWATOMS || x->learning)
        return;
    struct term_vector variables = {0};
    rewrite_free_variables(atom, &variables);
    for (size_t i = 0; i < variables.count; i++)
        make_explicit(x, variables.data[i]);
    VECTOR_FINISH(&variables);
}

static void look_at(struct autoexpl *x, const struct term *formula)
{
    struct term_vector atoms = {0};
    rewrite_atoms(formula, &atoms);
    for (size_t i = 0; i < atoms.count; i++)
        look_at_atom(x, atoms.data[i]);
    VECTOR_FINISH(&atoms);
}

// An assignment counts as the equation of its two sides, written out: x = x + 1 puts x next to 1.
static void learn_assignment(struct autoexpl *x, const struct statement *s)
{
    struct term_vector list = {0};
    VECTOR_PUSH(&list, s->variable->term);
    operands(s->expression, &list);
    meet(x, &list);
    VECTOR_FINISH(&list);
    look_at(x, term_eq(x->workspace->store, s->variable->term, s->expression));
}

static void learn_statement(struct autoexpl *x, const struct statement *s)
{
    if (s->kind == STATEMENT_ASSIGN)
        learn_assignment(x, s);
    else if (s->expression != NULL)
        look_at(x, s->expression);
    for (uint32_t i = 0; i < s->child_count; i++)
        learn_statement(x, s->child[i]);
}

static void learn_model(struct autoexpl *x)
{
    const struct model *model = x->workspace->model;
    x->learning = true;
    learn_statement(x, model->initial_action);
    for (uint32_t e = 0; e < model->edge_count; e++)
        learn_statement(x, model->edges[e]->action);
    if (model->property != NULL)
        look_at(x, model->property);
    x->learning = false;
    assert(!x->changed);
}

struct autoexpl *autoexpl_create(struct workspace *workspace, struct explicit_part *values)
{
    const struct model *model = workspace->model;
    struct autoexpl *x = memory_zalloc(sizeof *x);
    *x = (struct autoexpl){
        .workspace = workspace,
        .values = values,
        .rule = workspace_option(workspace, OPTION_AUTOEXPL),
        .words = variable_bits_words(model->variable_count),
    };
    state_table_init(&x->atoms);
    state_table_init(&x->neighbours);
    x->explicit = memory_zalloc(x->words * sizeof *x->explicit);
    bool all = x->rule == AUTOEXPL_VALUES ||
               workspace_option(workspace, OPTION_INITPREC) == INITPREC_ALLVARS;
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct variable *variable = model->variables[v];
        if (all || (variable->flags & VARIABLE_CONTROL) || variable->sort->kind == SORT_BOOL)
            variable_bits_set(x->explicit, v);
    }
    if (x->rule == AUTOEXPL_VALUES)
        explicit_part_count_values(values,
                                   (size_t)workspace_option(workspace, OPTION_AUTOEXPL_VALUES));
    if (x->rule == AUTOEXPL_NEWATOMS || x->rule == AUTOEXPL_NEWOPERANDS)
        learn_model(x);
    return x;
}

void autoexpl_destroy(struct autoexpl *x)
{
    if (x == NULL)
        return;
    state_table_finish(&x->atoms);
    state_table_finish(&x->neighbours);
    memory_free(x->explicit);
    memory_free(x);
}

const variable_bits *autoexpl_explicit(const struct autoexpl *x)
{
    return x->explicit;
}

// Control variables keep their values whatever they are.
static void take_values_away(struct autoexpl *x)
{
    assert(x->values->values != NULL && "they are counted from the beginning");
    const struct model *model = x->workspace->model;
    for (uint32_t v = 0; v < model->variable_count; v++)
        if (variable_bits_get(x->explicit, v) && !(model->variables[v]->flags & VARIABLE_CONTROL) &&
            x->values->values[v].count > x->values->value_limit) {
            variable_bits_clear(x->explicit, v);
            x->changed = true;
        }
}

bool autoexpl_observe(struct autoexpl *x, const struct term *interpolant)
{
    assert(interpolant->sort->kind == SORT_BOOL);
    x->changed = false;
    if (x->rule == AUTOEXPL_VALUES)
        take_values_away(x);
    else if (x->rule != AUTOEXPL_STATIC)
        look_at(x, interpolant);
    return x->changed;
}
