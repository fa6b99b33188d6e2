#include <assert.h>

#include "base/memory.h"
#include "model/model_memory.h"

// Counting what a plan may ask about.

struct walk {
    struct model_features *features;
    bool *seen; // terms by id
};

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

static void walk_term(struct walk *walk, const struct term *term)
{
    if (walk->features->nonlinear || walk->seen[term->id])
        return;
    walk->seen[term->id] = true;
    walk->features->nonlinear = is_nonlinear(term);
    for (uint32_t i = 0; i < term->child_count; i++)
        walk_term(walk, term->child[i]);
}

static void walk_statement(struct walk *walk, const struct statement *statement)
{
    walk->features->statements++;
    walk->features->havocs += statement->kind == STATEMENT_HAVOC;
    walk->features->assumptions += statement->kind == STATEMENT_ASSUME;
    walk->features->choices +=
        statement->kind == STATEMENT_CHOICE || statement->kind == STATEMENT_IF;
    if (statement->expression)
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

// Edges that lead back to a location on the stack of a depth-first search.
static uint32_t count_back_edges(const struct model *model)
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
        back += state[target->index] == OPEN;
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
    struct walk walk = {f, memory_zalloc(term_store_next_id(model->store) + 1)};
    walk_statement(&walk, model->initial_action);
    for (uint32_t i = 0; i < model->edge_count; i++)
        walk_statement(&walk, model->edges[i]->action);
    memory_free(walk.seen);
    f->loops = count_back_edges(model);
    f->cyclomatic = model->edge_count + 2 > model->location_count
                        ? model->edge_count + 2 - model->location_count
                        : 0;
}
