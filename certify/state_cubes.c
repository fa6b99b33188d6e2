#include "certify/state_cubes.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

// Each costs a walk over all cubes and a few words for each.
enum { INDEXES_MOST = 8 };

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

// Conjuncts of the formula, but for `without`. Something said twice of one variable goes to the rest, where it shows
// whether it agrees. True when a value was found.
static bool read_conjuncts(struct state_cube *cube, const struct model *model,
                           struct term_store *store, const struct term *formula,
                           const struct term *without)
{
    bool is_and = formula->kind == TERM_AND;
    uint32_t count = is_and ? formula->child_count : 1;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct term *conjunct = is_and ? formula->child[i] : formula, *value;
        const struct variable *variable;
        if (conjunct == without)
            continue;
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

const struct term *state_cubes_disjunction(const struct term *formula, size_t least)
{
    if (formula->kind == TERM_OR)
        return formula->child_count >= least ? formula : NULL;
    const struct term *found = NULL;
    for (uint32_t i = 0; formula->kind == TERM_AND && i < formula->child_count; i++) {
        const struct term *child = formula->child[i];
        if (child->kind == TERM_OR && child->child_count >= least &&
            (found == NULL || child->child_count > found->child_count))
            found = child;
    }
    return found;
}

static void find_fixed(struct state_cubes *cubes, const struct model *model)
{
    cubes->fixed = memory_alloc((model->variable_count + 1) * sizeof *cubes->fixed);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        size_t with = 0;
        while (with < cubes->count && cubes->data[with].values[v] != NULL)
            with++;
        if (with == cubes->count)
            cubes->fixed[cubes->fixed_count++] = v;
    }
}

bool state_cubes_read(struct state_cubes *cubes, const struct model *model,
                      struct term_store *store, const struct term *formula, size_t least)
{
    *cubes = (struct state_cubes){0};
    const struct term *disjunction = state_cubes_disjunction(formula, least);
    if (disjunction == NULL)
        return false;
    cubes->data = memory_zalloc(disjunction->child_count * sizeof *cubes->data);
    for (uint32_t i = 0; i < disjunction->child_count; i++) {
        struct state_cube *cube = &cubes->data[cubes->count++];
        *cube = (struct state_cube){
            memory_zalloc((model->variable_count + 1) * sizeof(*cube->values)), term_true(store)};
        bool good = read_conjuncts(cube, model, store, disjunction->child[i], NULL);
        if (good && formula != disjunction)
            read_conjuncts(cube, model, store, formula, disjunction);
        if (!good) {
            state_cubes_finish(cubes);
            return false;
        }
    }
    assert(cubes->count == disjunction->child_count && "no cube is lost");
    find_fixed(cubes, model);
    return true;
}

void state_cubes_finish(struct state_cubes *cubes)
{
    for (size_t i = 0; i < cubes->count; i++)
        memory_free(cubes->data[i].values);
    memory_free(cubes->data);
    memory_free(cubes->fixed);
    for (size_t i = 0; i < cubes->indexes.count; i++) {
        memory_free((void *)cubes->indexes.data[i].variables);
        hash_index_finish(&cubes->indexes.data[i].by_values);
    }
    VECTOR_FINISH(&cubes->indexes);
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

// Literals are hash-consed, so a value is its address. The order of cubes does not depend on it: those of one hash come as
// they were added.
static uint64_t hash_values(const struct cube_index *index, const struct term *const *values)
{
    struct hash128 hash = hash128_seed(0x5c0b);
    for (uint32_t i = 0; i < index->variable_count; i++)
        hash = hash128_add(hash, (uint64_t)(uintptr_t)values[index->variables[i]]);
    return hash.low;
}

// The index over those of the fixed variables whose values are known; NULL when there is none.
static const struct cube_index *index_for(struct state_cubes *cubes, const struct term **now)
{
    uint32_t *known = memory_alloc((cubes->fixed_count + 1) * sizeof *known);
    uint32_t count = 0;
    for (uint32_t i = 0; i < cubes->fixed_count; i++)
        if (term_is_literal(now[cubes->fixed[i]]))
            known[count++] = cubes->fixed[i];
    struct cube_index *found = NULL;
    for (size_t i = 0; i < cubes->indexes.count && found == NULL; i++) {
        struct cube_index *index = &cubes->indexes.data[i];
        if (index->variable_count == count &&
            memcmp(index->variables, known, count * sizeof *known) == 0)
            found = index;
    }
    if (count == 0 || found != NULL || cubes->indexes.count == INDEXES_MOST) {
        memory_free(known);
        return found;
    }
    VECTOR_PUSH(&cubes->indexes,
                ((struct cube_index){.variables = known, .variable_count = count}));
    found = &cubes->indexes.data[cubes->indexes.count - 1];
    for (size_t i = 0; i < cubes->count; i++)
        hash_index_add(&found->by_values, hash_values(found, cubes->data[i].values), (uint32_t)i);
    return found;
}

const struct term *state_cubes_at(struct state_cubes *cubes, const struct model *model,
                                  struct term_store *store, const struct term **now,
                                  const struct term *(*rest_at)(void *context,
                                                                const struct term *rest,
                                                                const struct term **now),
                                  void *context)
{
    assert(cubes->count > 0);
    VECTOR(const struct term *) left = {0};
    const struct term *all = term_false(store);
    const struct cube_index *index = index_for(cubes, now);
    struct hash_probe probe = {0};
    if (index != NULL)
        probe = hash_index_probe(&index->by_values, hash_values(index, now));
    for (uint32_t i = 0; !term_is_true(all); i++) {
        if (index != NULL ? !hash_index_next(&index->by_values, &probe, &i) : i == cubes->count)
            break;
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
