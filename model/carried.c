#include "model/carried.h"

#include <string.h>

#include "base/memory.h"
#include "logic/terms/rewrite.h"

struct search {
    const struct model *model;
    bool *carried;
};

static void read(struct search *search, const struct term *expression, const bool *written)
{
    struct term_vector found = {0};
    rewrite_free_variables(expression, &found);
    for (size_t i = 0; i < found.count; i++) {
        const struct variable *v = model_variable_of(search->model, found.data[i]);
        if (v != NULL && !written[v->index])
            search->carried[v->index] = true;
    }
    VECTOR_FINISH(&found);
}

static void look(struct search *search, const struct statement *s, bool *written);

// Written after a choice or an if: what every branch writes.
static void look_at_branches(struct search *search, const struct statement *s, bool *written)
{
    size_t count = search->model->variable_count, bytes = count * sizeof(bool);
    bool *all = memory_alloc(bytes + 1), *branch = memory_alloc(bytes + 1);
    memset(all, true, bytes);
    for (uint32_t i = 0; i < s->child_count; i++) {
        memcpy(branch, written, bytes);
        look(search, s->child[i], branch);
        for (size_t v = 0; v < count; v++)
            all[v] &= branch[v];
    }
    memcpy(written, all, bytes);
    memory_free(all);
    memory_free(branch);
}

static void look(struct search *search, const struct statement *s, bool *written)
{
    if (s->expression != NULL)
        read(search, s->expression, written);
    switch (s->kind) {
    case STATEMENT_SKIP:
    case STATEMENT_ASSUME:
        return;
    case STATEMENT_ASSIGN:
    case STATEMENT_HAVOC:
        written[s->variable->index] = true;
        return;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count; i++)
            look(search, s->child[i], written);
        return;
    case STATEMENT_IF:
    case STATEMENT_CHOICE:
        look_at_branches(search, s, written);
        return;
    }
}

void carried_into_action(const struct model *model, const struct statement *action, bool *carried)
{
    struct search search = {model, carried};
    bool *written = memory_zalloc(model->variable_count + 1);
    look(&search, action, written);
    memory_free(written);
}

void carried_between_steps(const struct model *model, bool *carried)
{
    for (uint32_t e = 0; e < model->edge_count; e++)
        carried_into_action(model, model->edges[e]->action, carried);
}
