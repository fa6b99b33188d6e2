#include "model/walk.h"

#include <string.h>

#include "base/memory.h"

enum {
    EVALUATION = 5, // what one evaluation costs besides, in nodes of terms
    MOST_TRIES = 4, // of one edge, with other random values
};

void walk_init(struct walk *w, const struct model *model, uint64_t seed, int64_t work)
{
    *w = (struct walk){.model = model, .store = term_store_create(model->store), .work = work};
    w->evaluator = evaluator_create(w->store);
    w->now = memory_zalloc(walk_state_bytes(w) + 1);
    w->before = memory_zalloc(walk_state_bytes(w) + 1);
    random_init(&w->random, seed);
}

void walk_finish(struct walk *w)
{
    memory_free(w->now);
    memory_free(w->before);
    evaluator_destroy(w->evaluator);
    term_store_destroy(w->store);
}

size_t walk_state_bytes(const struct walk *w)
{
    return w->model->variable_count * sizeof *w->now;
}

static struct value look_up(void *context, const struct term *variable)
{
    const struct walk *w = context;
    const struct variable *v = model_variable_of(w->model, variable);
    return v != NULL ? w->now[v->index] : VALUE_UNKNOWN;
}

struct value walk_evaluate(struct walk *w, const struct term *term)
{
    w->work -= (int64_t)term->tree_size + EVALUATION;
    return w->work < 0 ? VALUE_UNKNOWN : evaluator_run(w->evaluator, term, look_up, w);
}

struct value walk_any_value(struct walk *w, const struct sort *sort)
{
    uint64_t count = sort_value_count(sort, 64), small = random_below(&w->random, 12);
    if (sort->kind == SORT_BOOL || sort->kind == SORT_ENUM)
        return value_small((int64_t)random_below(&w->random, count > 0 ? count : 1));
    if (sort->kind == SORT_INT)
        return value_small((int64_t)small - 2);
    if (sort->kind == SORT_BV && sort->width <= VALUE_BV_SMALL_WIDTH) {
        uint64_t mask = ((uint64_t)1 << sort->width) - 1;
        // Near zero from both sides, or anything.
        uint64_t bits = small < 10 ? small - 2 : random_next(&w->random);
        if (small < 10 && w->scale > 1)
            bits = bits * w->scale + random_below(&w->random, w->scale);
        return value_small((int64_t)(bits & mask));
    }
    return term_value(term_default(w->store, sort));
}

// False: it was not passed with these choices.
static bool walk_statement(struct walk *w, const struct statement *s)
{
    bool passed = true;
    struct value condition;
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSIGN:
        w->now[s->variable->index] = walk_evaluate(w, s->expression);
        break;
    case STATEMENT_ASSUME:
        passed = value_is_true(walk_evaluate(w, s->expression));
        break;
    case STATEMENT_HAVOC:
        w->now[s->variable->index] = walk_any_value(w, s->variable->sort);
        break;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count && passed; i++)
            passed = walk_statement(w, s->child[i]);
        break;
    case STATEMENT_CHOICE:
        passed = walk_statement(w, s->child[random_below(&w->random, s->child_count)]);
        break;
    case STATEMENT_IF:
        condition = walk_evaluate(w, s->expression);
        passed = value_known(condition) && walk_statement(w, s->child[value_is_false(condition)]);
        break;
    }
    return passed;
}

bool walk_begin(struct walk *w)
{
    for (uint32_t i = 0; i < w->model->variable_count; i++)
        w->now[i] = walk_any_value(w, w->model->variables[i]->sort);
    return walk_statement(w, w->model->initial_action);
}

bool walk_edge(struct walk *w, const struct edge *edge)
{
    memcpy(w->before, w->now, walk_state_bytes(w));
    for (int tries = 0; tries < MOST_TRIES && w->work >= 0; tries++) {
        if (walk_statement(w, edge->action))
            return true;
        memcpy(w->now, w->before, walk_state_bytes(w));
        w->work -= w->model->variable_count;
    }
    return false;
}

// Begins with any edge, from there on round.
const struct location *walk_step(struct walk *w, const struct location *from)
{
    uint32_t first = from->out_count > 0 ? (uint32_t)random_below(&w->random, from->out_count) : 0;
    for (uint32_t i = 0; i < from->out_count; i++) {
        const struct edge *edge = from->out[(first + i) % from->out_count];
        if ((w->left_out == NULL || !w->left_out[edge->id]) && walk_edge(w, edge))
            return edge->target;
    }
    return NULL;
}
