#include <assert.h>

#include "base/memory.h"
#include "logic/terms/rewrite.h"
#include "base/components.h"
#include "base/memory.h"
#include "model/model_memory.h"

// Counting what a plan may ask about.

struct walk {
    struct model_features *features;
    uint32_t *depths; // of terms by id, from 1; 0 = not seen
};

// What terms of a kind are counted as; 0: as nothing but a term.
static uint32_t *count_of(struct model_features *f, const struct term *term)
{
    switch (term->kind) {
    case TERM_BOOL:
    case TERM_INT:
    case TERM_RAT:
    case TERM_BV:
    case TERM_ENUM:
    case TERM_ARRAY:
        return &f->literals;
    case TERM_NOT:
    case TERM_AND:
    case TERM_OR:
        return &f->connectives;
    case TERM_ITE:
        return &f->conditionals;
    case TERM_EQ:
        return &f->equations;
    case TERM_LE:
    case TERM_LT:
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_SLT:
    case TERM_BV_SLE:
        return &f->comparisons;
    case TERM_ADD:
    case TERM_BV_ADD:
    case TERM_BV_NEG:
        return &f->additions;
    case TERM_MUL:
    case TERM_BV_MUL:
        return &f->products;
    case TERM_DIV:
    case TERM_MOD:
    case TERM_REM:
    case TERM_BV_UDIV:
    case TERM_BV_SDIV:
    case TERM_BV_UREM:
    case TERM_BV_SREM:
    case TERM_BV_SMOD:
        return &f->divisions;
    case TERM_BV_NOT:
    case TERM_BV_AND:
    case TERM_BV_OR:
    case TERM_BV_XOR:
        return &f->bitwise;
    case TERM_BV_SHL:
    case TERM_BV_LSHR:
    case TERM_BV_ASHR:
    case TERM_BV_ROL:
    case TERM_BV_ROR:
        return &f->shifts;
    case TERM_BV_CONCAT:
    case TERM_BV_EXTRACT:
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        return &f->slices;
    case TERM_SELECT:
    case TERM_STORE:
    case TERM_CONST_ARRAY:
        return &f->accesses;
    case TERM_FORALL:
    case TERM_EXISTS:
        return &f->quantifiers;
    default:
        return NULL;
    }
}

static bool is_product(const struct term *term)
{
    unsigned factors = 0;
    for (uint32_t i = 0; i < term->child_count; i++)
        factors += !term_is_literal(term->child[i]);
    return factors >= 2;
}

static bool is_nonlinear(const struct term *term)
{
    switch (term->kind) {
    case TERM_MUL:
    case TERM_BV_MUL:
        return is_product(term);
    case TERM_DIV:
    case TERM_MOD:
    case TERM_REM:
    case TERM_BV_UDIV:
    case TERM_BV_SDIV:
    case TERM_BV_UREM:
    case TERM_BV_SREM:
    case TERM_BV_SMOD:
        return !term_is_literal(term->child[1]);
    default:
        return false;
    }
}

// Its children were counted.
static void count_term(struct walk *walk, const struct term *term)
{
    struct model_features *f = walk->features;
    uint32_t deepest = 0, *count = count_of(f, term);
    for (uint32_t i = 0; i < term->child_count; i++) {
        uint32_t depth = walk->depths[term->child[i]->id];
        deepest = depth > deepest ? depth : deepest;
    }
    walk->depths[term->id] = deepest + 1;
    f->nonlinear |= is_nonlinear(term);
    f->terms++;
    f->depth = f->depth > deepest + 1 ? f->depth : deepest + 1;
    if (count != NULL)
        (*count)++;
}

// Terms can be deep: no recursion.
static void walk_term(struct walk *walk, const struct term *root)
{
    struct term_vector todo = {0};
    VECTOR_PUSH(&todo, root);
    while (todo.count > 0) {
        const struct term *term = todo.data[todo.count - 1];
        size_t before = todo.count;
        for (uint32_t i = 0; i < term->child_count && walk->depths[term->id] == 0; i++)
            if (walk->depths[term->child[i]->id] == 0)
                VECTOR_PUSH(&todo, term->child[i]);
        if (todo.count > before)
            continue; // they come first
        if (walk->depths[term->id] == 0)
            count_term(walk, term);
        (void)VECTOR_POP(&todo);
    }
    VECTOR_FINISH(&todo);
}

static void walk_statement(struct walk *walk, const struct statement *statement)
{
    walk->features->statements++;
    walk->features->havocs += statement->kind == STATEMENT_HAVOC;
    walk->features->assumptions += statement->kind == STATEMENT_ASSUME;
    walk->features->choices +=
        statement->kind == STATEMENT_CHOICE || statement->kind == STATEMENT_IF;
    if (statement->expression != NULL)
        walk_term(walk, statement->expression);
    for (uint32_t i = 0; i < statement->child_count; i++)
        walk_statement(walk, statement->child[i]);
}

static void count_sorts(struct model *model)
{
    struct model_features *f = &model->features;
    for (uint32_t i = 0; i < model->variable_count; i++) {
        f->control_variables += (model->variables[i]->flags & VARIABLE_CONTROL) != 0;
        switch (model->variables[i]->sort->kind) {
        case SORT_BOOL:
            f->booleans++;
            break;
        case SORT_INT:
            f->integers++;
            break;
        case SORT_RAT:
            f->rationals++;
            break;
        case SORT_BV:
            f->bitvectors++;
            break;
        case SORT_ENUM:
            f->enumerations++;
            break;
        case SORT_ARRAY:
            f->arrays++;
            break;
        }
    }
}

static uint32_t bits_of(const struct sort *sort)
{
    uint32_t bits = 0;
    if (sort->kind == SORT_BV)
        return sort->width;
    if (sort->kind == SORT_BOOL)
        return 1;
    for (uint32_t values = sort->kind == SORT_ENUM ? sort->literal_count : 0; values > 1;
         values = (values + 1) / 2)
        bits++;
    return bits;
}

static void count_bits(struct model *model)
{
    struct model_features *f = &model->features;
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const struct sort *sort = model->variables[i]->sort;
        f->bits += bits_of(sort);
        if (sort->kind == SORT_BV && sort->width > f->width)
            f->width = sort->width;
    }
}

void model_components(const struct model *model, struct components *out)
{
    uint32_t *first = memory_alloc((model->location_count + 1) * sizeof *first);
    uint32_t *target = memory_alloc((model->edge_count + 1) * sizeof *target);
    uint32_t count = 0;
    for (uint32_t l = 0; l < model->location_count; l++) {
        first[l] = count;
        for (uint32_t e = 0; e < model->locations[l]->out_count; e++)
            target[count++] = model->locations[l]->out[e]->target->index;
    }
    first[model->location_count] = count;
    components_find(out, model->location_count, first, target, NULL);
    memory_free(first);
    memory_free(target);
}

uint32_t model_back_edges(const struct model *model, bool *targets)
{
    enum { NEW, OPEN, DONE };
    uint8_t *state = memory_zalloc(model->location_count);
    uint32_t *next = memory_zalloc(model->location_count * sizeof *next);
    const struct location **stack = memory_alloc(model->location_count * sizeof(*stack));
    size_t depth = 0;
    uint32_t back = 0;
    stack[depth++] = model->initial;
    state[model->initial->index] = OPEN;
    while (depth > 0) {
        const struct location *top = stack[depth - 1];
        if (next[top->index] == top->out_count) {
            state[top->index] = DONE;
            depth--;
            continue;
        }
        const struct location *target = top->out[next[top->index]++]->target;
        if (state[target->index] == OPEN) {
            back++;
            if (targets != NULL)
                targets[target->index] = true;
        }
        if (state[target->index] == NEW) {
            state[target->index] = OPEN;
            stack[depth++] = target;
        }
    }
    memory_free(state);
    memory_free(next);
    memory_free(stack);
    return back;
}

void model_compute_features(struct model *model)
{
    struct model_features *f = &model->features;
    *f = (struct model_features){.locations = model->location_count,
                                 .edges = model->edge_count,
                                 .variables = model->variable_count};
    count_sorts(model);
    count_bits(model);
    struct walk walk = {f,
                        memory_zalloc((term_store_next_id(model->store) + 1) * sizeof(uint32_t))};
    walk_statement(&walk, model->initial_action);
    for (uint32_t i = 0; i < model->edge_count; i++)
        walk_statement(&walk, model->edges[i]->action);
    memory_free(walk.depths);
    model_measure_cone(model);
    f->loops = model_back_edges(model, NULL);
    f->cyclomatic = model->edge_count + 2 > model->location_count
                        ? model->edge_count + 2 - model->location_count
                        : 0;
}
