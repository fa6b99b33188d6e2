#include "engines/petri/cubes.h"

#include <assert.h>

#include "base/memory.h"
#include "base/vector.h"

static struct petri_rows copy_rows(const struct petri_rows *rows)
{
    struct petri_rows copy = {0};
    for (size_t i = 0; i < rows->count; i++)
        VECTOR_PUSH(&copy, rows->data[i]);
    return copy;
}

void petri_cubes_finish(struct petri_cubes *cubes)
{
    for (size_t i = 0; i < cubes->count; i++)
        VECTOR_FINISH(&cubes->data[i]);
    VECTOR_FINISH(cubes);
    *cubes = (struct petri_cubes){0};
}

// Each cube so far together with each of the formula's. False when there are too many.
static bool multiply(struct petri_cubes *cubes, const struct formula *f, size_t most)
{
    if (f->kind == FORMULA_TRUE)
        return true;
    if (f->kind == FORMULA_FALSE) {
        petri_cubes_finish(cubes);
        return true;
    }
    if (f->kind == FORMULA_LINEAR) {
        for (size_t i = 0; i < cubes->count; i++)
            VECTOR_PUSH(&cubes->data[i], f);
        return true;
    }
    if (f->kind == FORMULA_AND) {
        for (uint32_t i = 0; i < f->child_count; i++)
            if (!multiply(cubes, f->child[i], most))
                return false;
        return true;
    }
    assert(f->kind == FORMULA_OR);
    struct petri_cubes all = {0};
    bool good = true;
    for (uint32_t i = 0; i < f->child_count && good; i++) {
        struct petri_cubes one = {0};
        for (size_t k = 0; k < cubes->count; k++)
            VECTOR_PUSH(&one, copy_rows(&cubes->data[k]));
        good = multiply(&one, f->child[i], most) && all.count + one.count <= most;
        for (size_t k = 0; k < one.count && good; k++)
            VECTOR_PUSH(&all, one.data[k]);
        if (good)
            VECTOR_FINISH(&one);
        else
            petri_cubes_finish(&one);
    }
    petri_cubes_finish(cubes);
    *cubes = all;
    return good;
}

bool petri_cubes_make(const struct formula *goal, size_t most, struct petri_cubes *out)
{
    struct petri_rows empty = {0};
    *out = (struct petri_cubes){0};
    VECTOR_PUSH(out, empty);
    bool good = multiply(out, goal, most);
    assert(!good || out->count <= (most == 0 ? 1 : most));
    if (!good)
        petri_cubes_finish(out);
    return good;
}
