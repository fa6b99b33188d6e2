#include "logic/smt/bottom_up.h"

#include <assert.h>

#include "logic/smt/id_map.h"
#include "logic/terms/rewrite.h"

struct walk {
    bottom_up_skip skip;
    bottom_up_maker make;
    void *context;
    struct term_vector todo, children;
    struct id_map done;
};

static const struct term *finished(const struct walk *walk, const struct term *term)
{
    if (walk->skip != NULL && walk->skip(walk->context, term))
        return term;
    return id_map_get(&walk->done, term->id);
}

static bool push_children(struct walk *walk, const struct term *term)
{
    size_t before = walk->todo.count;
    for (uint32_t i = 0; i < term->child_count; i++)
        if (finished(walk, term->child[i]) == NULL)
            VECTOR_PUSH(&walk->todo, term->child[i]);
    return walk->todo.count > before;
}

static const struct term *run(struct walk *walk, const struct term *root)
{
    VECTOR_PUSH(&walk->todo, root);
    while (walk->todo.count > 0) {
        const struct term *top = VECTOR_LAST(&walk->todo);
        if (finished(walk, top) == NULL) {
            if (push_children(walk, top))
                continue;
            VECTOR_CLEAR(&walk->children);
            for (uint32_t i = 0; i < top->child_count; i++) {
                VECTOR_PUSH(&walk->children, finished(walk, top->child[i]));
                assert(VECTOR_LAST(&walk->children) != NULL && "children first");
            }
            const struct term *made = walk->make(walk->context, top, walk->children.data);
            if (made == NULL)
                return NULL;
            id_map_put(&walk->done, top->id, made);
        }
        walk->todo.count--;
    }
    return finished(walk, root);
}

const struct term *bottom_up(const struct term *root, bottom_up_skip skip, bottom_up_maker make,
                             void *context)
{
    struct walk walk = {.skip = skip, .make = make, .context = context};
    const struct term *result = run(&walk, root);
    VECTOR_FINISH(&walk.todo);
    VECTOR_FINISH(&walk.children);
    id_map_finish(&walk.done);
    return result;
}
