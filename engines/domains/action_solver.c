#include "engines/domains/action_solver.h"

#include "base/memory.h"

void action_solvers_init(struct action_solvers *s, struct workspace *workspace)
{
    *s = (struct action_solvers){.workspace = workspace, .count = workspace->model->edge_count + 1};
    arena_init(&s->arena);
    s->items = memory_zalloc(s->count * sizeof *s->items);
    s->footprints = memory_zalloc(s->count * sizeof *s->footprints);
}

void action_solvers_finish(struct action_solvers *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->items[i].smt) {
            smt_destroy(s->items[i].smt);
            encoded_step_finish(&s->items[i].step);
            memory_free(s->items[i].defined);
        }
    memory_free(s->items);
    memory_free(s->footprints);
    arena_finish(&s->arena);
}

struct action_solver *action_solvers_get(struct action_solvers *s, const struct statement *action,
                                         uint32_t slot)
{
    struct workspace *ws = s->workspace;
    struct action_solver *a = &s->items[slot];
    struct smt_context *context = workspace_solver(ws);
    if (a->smt || !context)
        return context ? a : NULL;
    uint32_t *zero = memory_zalloc((ws->model->variable_count + 1) * sizeof *zero);
    encoder_step(ws->encoder, &s->arena, action, 0, zero, 0, &a->step);
    memory_free(zero);
    a->smt = smt_create(context);
    smt_assert(a->smt, a->step.formula);
    return a;
}

void variable_bits_add_term(variable_bits *bits, const struct model *model, const struct term *term)
{
    struct term_vector variables = {0};
    rewrite_free_variables(term, &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const struct variable *x = model_variable_of(model, variables.data[i]);
        if (x)
            variable_bits_set(bits, x->index);
    }
    VECTOR_FINISH(&variables);
}

static void add_statement(const struct footprint *f, const struct model *model,
                          const struct statement *s)
{
    if (s->expression)
        variable_bits_add_term(f->read, model, s->expression);
    if (s->variable)
        variable_bits_set(f->written, s->variable->index);
    for (uint32_t i = 0; i < s->child_count; i++)
        add_statement(f, model, s->child[i]);
}

const struct footprint *action_solvers_footprint(struct action_solvers *s,
                                                 const struct statement *action, uint32_t slot)
{
    struct footprint *f = &s->footprints[slot];
    if (f->read)
        return f;
    const struct model *model = s->workspace->model;
    size_t words = variable_bits_words(model->variable_count);
    f->read = arena_zalloc(&s->arena, 3 * words * sizeof *f->read);
    f->written = f->read + words;
    f->touched = f->written + words;
    add_statement(f, model, action);
    for (size_t w = 0; w < words; w++)
        f->touched[w] = f->read[w] | f->written[w];
    return f;
}
