#include <string.h>

#include "base/memory.h"
#include "engines/cegar/path.h"

// Which variables matter where: two passes over the statements to blame.

struct flow {
    struct path *path;
    size_t step;
    uint32_t width;
    bool related; // what an assignment reads is constrained by it too
};

static void read_variables(const struct flow *f, const struct statement *s, bool *set)
{
    struct term_vector variables = {0};
    rewrite_free_variables(s->expression, &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const struct variable *x = model_variable_of(f->path->workspace->model, variables.data[i]);
        if (x != NULL)
            set[x->index] = true;
    }
    VECTOR_FINISH(&variables);
}

// Backwards: `set` holds the variables needed after s, then those needed before it.
static void needed(const struct flow *f, const struct statement *s, bool *set)
{
    switch (s->kind) {
    case STATEMENT_SKIP:
        return;
    case STATEMENT_HAVOC:
        set[s->variable->index] = false;
        return;
    case STATEMENT_ASSIGN: {
        bool wanted = set[s->variable->index];
        set[s->variable->index] = false;
        if (wanted && path_blames(f->path, f->step, s))
            read_variables(f, s, set);
        return;
    }
    case STATEMENT_ASSUME:
        if (path_blames(f->path, f->step, s))
            read_variables(f, s, set);
        return;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = s->child_count; i-- > 0;)
            needed(f, s->child[i], set);
        return;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        break;
    }
    bool *joined = memory_zalloc(f->width + 1), *branch = memory_alloc(f->width + 1);
    for (uint32_t i = 0; i < s->child_count; i++) {
        memcpy(branch, set, f->width);
        needed(f, s->child[i], branch);
        for (uint32_t v = 0; v < f->width; v++)
            joined[v] |= branch[v];
    }
    if (s->kind == STATEMENT_IF && path_blames(f->path, f->step, s))
        read_variables(f, s, joined);
    memcpy(set, joined, f->width);
    memory_free(joined);
    memory_free(branch);
}

// Forwards: `set` holds the variables that statements to blame have constrained.
static void constrained(const struct flow *f, const struct statement *s, bool *set)
{
    switch (s->kind) {
    case STATEMENT_SKIP:
        return;
    case STATEMENT_HAVOC:
        set[s->variable->index] = false;
        return;
    case STATEMENT_ASSIGN: {
        bool blamed = path_blames(f->path, f->step, s);
        if (blamed && f->related)
            read_variables(f, s, set);
        set[s->variable->index] = blamed;
        return;
    }
    case STATEMENT_ASSUME:
        if (path_blames(f->path, f->step, s))
            read_variables(f, s, set);
        return;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count; i++)
            constrained(f, s->child[i], set);
        return;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        break;
    }
    bool *joined = memory_zalloc(f->width + 1), *branch = memory_alloc(f->width + 1);
    if (s->kind == STATEMENT_IF && path_blames(f->path, f->step, s))
        read_variables(f, s, set);
    for (uint32_t i = 0; i < s->child_count; i++) {
        memcpy(branch, set, f->width);
        constrained(f, s->child[i], branch);
        for (uint32_t v = 0; v < f->width; v++)
            joined[v] |= branch[v];
    }
    memcpy(set, joined, f->width);
    memory_free(joined);
    memory_free(branch);
}

void path_blamed_variables(struct path *path, size_t node, bool related, struct term_vector *out)
{
    const struct model *model = path->workspace->model;
    struct flow f = {.path = path, .width = model->variable_count, .related = related};
    bool *before = memory_zalloc(f.width + 1), *after = memory_zalloc(f.width + 1);
    for (f.step = 0; f.step <= node; f.step++)
        constrained(&f, path_action(path, f.step), before);
    for (f.step = path->step_count - 1; f.step > node; f.step--)
        needed(&f, path_action(path, f.step), after);
    for (uint32_t v = 0; v < f.width; v++)
        if (before[v] && after[v])
            VECTOR_PUSH(out, model->variables[v]->term);
    memory_free(before);
    memory_free(after);
}
