#include "model/model.h"

static struct hash128 add_statement(struct hash128 h, const struct statement *s)
{
    h = hash128_add(h, s->kind);
    if (s->variable != NULL)
        h = hash128_add_hash(h, s->variable->term->hash);
    if (s->expression != NULL)
        h = hash128_add_hash(h, s->expression->hash);
    h = hash128_add(h, s->child_count);
    for (uint32_t i = 0; i < s->child_count; i++)
        h = add_statement(h, s->child[i]);
    return h;
}

struct hash128 model_digest(const struct model *model)
{
    struct hash128 h = hash128_seed(0x40de1);
    for (uint32_t v = 0; v < model->variable_count; v++)
        h = hash128_add_hash(h, model->variables[v]->term->hash);
    h = hash128_add_text(h, model->initial->name);
    h = hash128_add_text(h, model->error->name);
    h = add_statement(h, model->initial_action);
    for (uint32_t e = 0; e < model->edge_count; e++) {
        h = hash128_add_text(h, model->edges[e]->source->name);
        h = hash128_add_text(h, model->edges[e]->target->name);
        h = add_statement(h, model->edges[e]->action);
    }
    return h;
}
