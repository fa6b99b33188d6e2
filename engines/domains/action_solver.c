#include "engines/domains/action_solver.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

void action_solvers_init(struct action_solvers *s, struct workspace *workspace)
{
    *s = (struct action_solvers){.workspace = workspace, .count = workspace->model->edge_count + 1};
    arena_init(&s->arena);
    const char *solver = configuration_solver(workspace->configuration, OPTION_ABSTRACTION_SOLVER);
    s->is_inside = strcmp(solver, "z3") == 0 || strcmp(solver, "cvc5-lib") == 0;
    s->items = memory_zalloc(s->count * sizeof *s->items);
    if (workspace_option(workspace, OPTION_OPTIMIZE_STATEMENTS))
        s->specials = memory_zalloc(s->count * sizeof *s->specials);
    special_actions_init(&s->special_actions, workspace);
    s->footprints = memory_zalloc(s->count * sizeof *s->footprints);
}

static void finish_solver(struct action_solver *a)
{
    if (a->smt == NULL)
        return;
    smt_destroy(a->smt);
    encoded_step_finish(&a->step);
    memory_free(a->defined);
}

static void finish_solvers(struct action_solver *items, uint32_t count)
{
    for (uint32_t i = 0; items != NULL && i < count; i++)
        finish_solver(&items[i]);
    memory_free(items);
}

void action_solvers_finish(struct action_solvers *s)
{
    finish_solvers(s->items, s->count);
    finish_solvers(s->specials, s->count);
    for (uint32_t i = 0; i < SPECIAL_SOLVERS; i++)
        finish_solver(&s->own[i]);
    special_actions_finish(&s->special_actions);
    memory_free(s->footprints);
    arena_finish(&s->arena);
}

size_t action_solvers_bytes(const struct action_solvers *s)
{
    return s->arena.bytes + special_actions_bytes(&s->special_actions);
}

static struct action_solver *prepare(struct action_solvers *s, struct action_solver *a,
                                     const struct statement *action)
{
    assert(a->smt == NULL || a->step.action == action);
    struct workspace *ws = s->workspace;
    struct smt_context *context = workspace_solver(ws);
    if (a->smt != NULL || context == NULL)
        return context != NULL ? a : NULL;
    uint32_t *zero = memory_zalloc((ws->model->variable_count + 1) * sizeof *zero);
    encoder_step(ws->encoder, &s->arena, action, 0, zero, 0, &a->step);
    memory_free(zero);
    a->smt = smt_create(context);
    return a;
}

// What comes back is worth a solver that keeps it. The one before in its place loses it.
static struct action_solver *own_solver(struct action_solvers *s, struct special_action *special,
                                        const struct encoded_step *step)
{
    assert(special->solver <= SPECIAL_SOLVERS &&
           (special->solver == 0 || s->owner[special->solver - 1] == special));
    if (special->solver)
        return &s->own[special->solver - 1];
    uint32_t place = s->next;
    s->next = (place + 1) % SPECIAL_SOLVERS;
    struct action_solver *a = &s->own[place];
    if (s->owner[place] != NULL)
        s->owner[place]->solver = 0;
    assert((s->owner[place] != NULL) == (a->smt != NULL));
    finish_solver(a);
    s->owner[place] = special;
    special->solver = place + 1;
    *a = (struct action_solver){
        .smt = smt_create(workspace_solver(s->workspace)),
        .step = *step, // its arrays live in the arena, and it has no trackers
        .complete = true,
    };
    smt_assert(a->smt, special->formula);
    return a;
}

struct action_solver *action_solvers_get(struct action_solvers *s, const struct statement *action,
                                         uint32_t slot, const struct value *row,
                                         const struct special_action **special)
{
    *special = NULL;
    assert(slot < s->count && (slot == s->workspace->model->edge_count ||
                               s->workspace->model->edges[slot]->action == action));
    if (s->specials != NULL && row != NULL) {
        struct action_solver *a = prepare(s, &s->specials[slot], action);
        if (a == NULL)
            return NULL;
        struct special_action *found =
            special_actions_get(&s->special_actions, &a->step, slot,
                                action_solvers_footprint(s, action, slot)->read, row);
        if (found != NULL) {
            *special = found;
            bool again = found->asked;
            found->asked = true;
            return again && s->is_inside ? own_solver(s, found, &a->step) : a;
        }
    }
    struct action_solver *a = prepare(s, &s->items[slot], action);
    if (a != NULL && !a->complete) {
        smt_assert(a->smt, a->step.formula);
        a->complete = true;
    }
    return a;
}

void variable_bits_add_term(variable_bits *bits, const struct model *model, const struct term *term)
{
    struct term_vector variables = {0};
    rewrite_free_variables(term, &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const struct variable *x = model_variable_of(model, variables.data[i]);
        assert(x == NULL || x->index < model->variable_count);
        if (x != NULL)
            variable_bits_set(bits, x->index);
    }
    VECTOR_FINISH(&variables);
}

static void add_statement(const struct footprint *f, const struct model *model,
                          const struct statement *s)
{
    if (s->expression != NULL)
        variable_bits_add_term(f->read, model, s->expression);
    if (s->variable != NULL)
        variable_bits_set(f->written, s->variable->index);
    for (uint32_t i = 0; i < s->child_count; i++)
        add_statement(f, model, s->child[i]);
}

const struct footprint *action_solvers_footprint(struct action_solvers *s,
                                                 const struct statement *action, uint32_t slot)
{
    struct footprint *f = &s->footprints[slot];
    assert(slot < s->count);
    if (f->read != NULL)
        return f;
    const struct model *model = s->workspace->model;
    size_t words = variable_bits_words(model->variable_count);
    f->read = arena_zalloc(&s->arena, 3 * words * sizeof *f->read);
    f->written = f->read + words;
    f->touched = f->written + words;
    add_statement(f, model, action);
    for (size_t w = 0; w < words; w++)
        f->touched[w] = f->read[w] | f->written[w];
    assert(variable_bits_within(f->written, f->touched, words));
    return f;
}
