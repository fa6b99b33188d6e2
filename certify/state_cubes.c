#include "certify/state_cubes.h"

#include <assert.h>

#include "base/memory.h"
#include "base/vector.h"

// `variable = literal`, a Boolean variable or its negation. False: it is something else.
static bool read_literal(const struct model *model, struct term_store *store,
                         const struct term *term, const struct variable **variable,
                         const struct term **value)
{
    bool negated = term->kind == TERM_NOT;
    const struct term *atom = negated ? term->child[0] : term;
    if (atom->kind == TERM_VAR && atom->sort->kind == SORT_BOOL) {
        *variable = model_variable_of(model, atom);
        *value = negated ? term_false(store) : term_true(store);
        return *variable != NULL;
    }
    if (negated || term->kind != TERM_EQ)
        return false;
    for (int side = 0; side < 2; side++)
        if (term->child[side]->kind == TERM_VAR && term_is_literal(term->child[1 - side])) {
            *variable = model_variable_of(model, term->child[side]);
            *value = term->child[1 - side];
            return *variable != NULL;
        }
    return false;
}

// Something said twice of one variable goes to the rest, where it shows whether it agrees.
static bool read_cube(struct state_cube *cube, const struct model *model, struct term_store *store,
                      const struct term *formula)
{
    bool is_and = formula->kind == TERM_AND;
    uint32_t count = is_and ? formula->child_count : 1;
    bool any = false;
    *cube = (struct state_cube){memory_zalloc((model->variable_count + 1) * sizeof(*cube->values)),
                                term_true(store)};
    for (uint32_t i = 0; i < count; i++) {
        const struct term *conjunct = is_and ? formula->child[i] : formula, *value;
        const struct variable *variable;
        if (read_literal(model, store, conjunct, &variable, &value) &&
            cube->values[variable->index] == NULL) {
            assert(value->sort == variable->sort && term_is_literal(value));
            cube->values[variable->index] = value;
            any = true;
        } else {
            cube->rest = term_and2(store, cube->rest, conjunct);
        }
    }
    return any;
}

bool state_cubes_read(struct state_cubes *cubes, const struct model *model,
                      struct term_store *store, const struct term *formula, size_t least)
{
    *cubes = (struct state_cubes){0};
    if (formula->kind != TERM_OR || formula->child_count < least)
        return false;
    cubes->data = memory_zalloc(formula->child_count * sizeof *cubes->data);
    for (uint32_t i = 0; i < formula->child_count; i++) {
        bool good = read_cube(&cubes->data[cubes->count++], model, store, formula->child[i]);
        if (!good) {
            state_cubes_finish(cubes);
            return false;
        }
    }
    assert(cubes->count == formula->child_count && "no cube is lost");
    return true;
}

void state_cubes_finish(struct state_cubes *cubes)
{
    for (size_t i = 0; i < cubes->count; i++)
        memory_free(cubes->data[i].values);
    memory_free(cubes->data);
    *cubes = (struct state_cubes){0};
}

// Literals are hash-consed: two that are not the same differ.
static bool is_possible(const struct state_cube *cube, const struct model *model,
                        const struct term **now)
{
    for (uint32_t v = 0; v < model->variable_count; v++) {
        assert(cube->values[v] == NULL || cube->values[v]->sort == now[v]->sort);
        if (cube->values[v] != NULL && cube->values[v] != now[v] && term_is_literal(now[v]))
            return false;
    }
    return true;
}

const struct term *state_cubes_at(const struct state_cubes *cubes, const struct model *model,
                                  struct term_store *store, const struct term **now,
                                  const struct term *(*rest_at)(void *context,
                                                                const struct term *rest,
                                                                const struct term **now),
                                  void *context)
{
    assert(cubes->count > 0);
    VECTOR(const struct term *) left = {0};
    const struct term *all = term_false(store);
    for (size_t i = 0; i < cubes->count && !term_is_true(all); i++) {
        const struct state_cube *cube = &cubes->data[i];
        if (!is_possible(cube, model, now))
            continue;
        const struct term *open = rest_at(context, cube->rest, now);
        for (uint32_t v = 0; v < model->variable_count; v++)
            if (cube->values[v] != NULL && cube->values[v] != now[v])
                open = term_and2(store, open, term_eq(store, now[v], cube->values[v]));
        if (term_is_true(open))
            all = open;
        VECTOR_PUSH(&left, open);
    }
    if (!term_is_true(all) && left.count > 0)
        all = left.count == 1 ? left.data[0] : term_or(store, left.data, left.count);
    VECTOR_FINISH(&left);
    return all;
}
