#include <assert.h>
#include <stdlib.h>

#include "engines/pdr/ic3.h"

// Blocked cubes with fewer literals: a literal is left out as long as no initial state comes in and the cube stays
// unreachable, those first that few blocked cubes had of late. Where a state outside of the frame's cubes would reach
// the larger cube, that counterexample to generalisation is blocked itself, one frame below, or else the cube's
// literals that it contradicts are left out as well (Hassan, Bradley, Somenzi 2013).

enum { MOST_FAILURES = 24 };      // literals that could not be left out, of one cube
static const double DECAY = 0.99; // of activity, with each blocked cube

static bool holds(const struct facts_literals *set, uint32_t literal)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->data[i] == literal)
            return true;
    return false;
}

static void copy(struct facts_literals *to, const uint32_t *literals, size_t count)
{
    VECTOR_CLEAR(to);
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(to, literals[i]);
}

enum frames_answer generalise_ask(struct ic3 *c, const struct cube *cube, uint32_t level,
                                  const struct facts_literals *apart)
{
    enum frames_answer answer =
        frames_reaches(&c->frames, cube->literals, cube->count, level, true, &c->core);
    for (size_t i = 0; i < apart->count && answer == FRAMES_NO; i++)
        if (!holds(&c->core, apart->data[i]))
            VECTOR_PUSH(&c->core, apart->data[i]);
    assert(answer != FRAMES_NO || c->core.count <= cube->count);
    return answer;
}

// Activity.

static double activity_of(const struct ic3 *c, uint32_t literal)
{
    return literal < c->activity.count ? c->activity.data[literal] : 0;
}

static void bump(struct ic3 *c, const struct cube *cube)
{
    c->bump /= DECAY;
    if (c->bump > 1e100) {
        for (size_t i = 0; i < c->activity.count; i++)
            c->activity.data[i] *= 1e-100;
        c->bump *= 1e-100;
    }
    for (uint32_t i = 0; i < cube->count; i++) {
        while (c->activity.count <= cube->literals[i])
            VECTOR_PUSH(&c->activity, 0);
        c->activity.data[cube->literals[i]] += c->bump;
    }
    assert(c->bump > 0 && c->bump < 1e101);
}

// The least active last; of equals the one with the greatest number.
static int by_activity(const void *left, const void *right, void *context)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    double x = activity_of(context, a), y = activity_of(context, b);
    return x != y ? (x > y ? -1 : 1) : (a > b) - (a < b);
}

// Counterexamples to generalisation.

static enum frames_answer shrink(struct ic3 *c, struct facts_literals *cube, uint32_t level,
                                 unsigned depth);

// Raises the level while the cube stays unreachable, and blocks it there. False: the attempt is over.
static bool push_and_block(struct ic3 *c, const struct facts_literals *literals, uint32_t *level)
{
    assert(*level > 0 && *level <= c->frames.top);
    const struct cube *cube = cube_make(&c->arena, literals->data, literals->count);
    while (*level < c->frames.top) {
        enum frames_answer answer =
            frames_reaches(&c->frames, cube->literals, cube->count, *level + 1, true, NULL);
        if (answer == FRAMES_STOPPED)
            return false;
        if (answer == FRAMES_YES)
            break;
        ++*level;
    }
    frames_block(&c->frames, cube, *level);
    bump(c, cube);
    return true;
}

// NO: the states of c->literals are blocked at the level.
static enum frames_answer block_states(struct ic3 *c, uint32_t level, unsigned depth)
{
    assert(depth <= c->depth);
    struct facts_literals apart = {0}, enough = {0};
    struct arena scratch;
    arena_init(&scratch);
    const struct cube *cube = cube_make(&scratch, c->literals.data, c->literals.count);
    enum frames_answer answer = frames_initial(&c->frames, cube->literals, cube->count, &apart);
    if (answer == FRAMES_NO)
        answer = generalise_ask(c, cube, level, &apart);
    if (answer == FRAMES_NO) {
        copy(&enough, c->core.data, c->core.count);
        answer = shrink(c, &enough, level, depth);
        if (answer == FRAMES_NO && !push_and_block(c, &enough, &level))
            answer = FRAMES_STOPPED;
        c->counterexamples += answer == FRAMES_NO;
    }
    VECTOR_FINISH(&apart);
    VECTOR_FINISH(&enough);
    arena_finish(&scratch);
    return answer;
}

// The literals of the cube that are true in the solver's model. False when it cannot be read.
static bool join(struct ic3 *c, const struct cube *cube, struct facts_literals *out)
{
    VECTOR_CLEAR(out);
    for (uint32_t i = 0; i < cube->count; i++) {
        const struct term *value =
            smt_model_value(c->frames.step, literal_now(&c->facts, cube->literals[i]));
        if (value == NULL)
            return false;
        if (term_is_true(value))
            VECTOR_PUSH(out, cube->literals[i]);
    }
    return true;
}

static bool all_hold(const struct facts_literals *set, const struct facts_literals *these)
{
    for (size_t i = 0; i < these->count; i++)
        if (!holds(set, these->data[i]))
            return false;
    return true;
}

// After the cube turned out to be reachable: what can be done about the step that the solver found. NO: one may ask
// again, for what *literals are now.
static enum frames_answer counter(struct ic3 *c, const struct cube *cube,
                                  struct facts_literals *literals,
                                  const struct facts_literals *needed, uint32_t level,
                                  unsigned depth, unsigned *blocked)
{
    const struct edge *edge = monolith_edge_taken(&c->monolith, c->frames.step, 0, false);
    struct facts_literals rest = {0};
    enum frames_answer answer = FRAMES_YES;
    bool good = join(c, cube, &rest);
    if (level > 1 && *blocked < c->count && good) {
        good = states_read(c, c->frames.step, edge, cube);
        frames_learn(&c->frames);
        answer = good ? block_states(c, level - 1, depth + 1) : FRAMES_STOPPED;
        *blocked += answer == FRAMES_NO;
    }
    if (answer == FRAMES_YES && good && rest.count && rest.count < literals->count &&
        all_hold(&rest, needed)) {
        copy(literals, rest.data, rest.count);
        *blocked = 0;
        answer = FRAMES_NO;
    }
    VECTOR_FINISH(&rest);
    return answer;
}

// Is there a cube among *literals, with those that are needed, that has no initial state and is unreachable? NO:
// *literals are one.
static enum frames_answer down(struct ic3 *c, struct facts_literals *literals,
                               const struct facts_literals *needed, uint32_t level, unsigned depth)
{
    struct facts_literals apart = {0};
    struct arena scratch;
    arena_init(&scratch);
    enum frames_answer answer;
    unsigned blocked = 0;
    for (;;) {
        const struct cube *cube = cube_make(&scratch, literals->data, literals->count);
        answer = frames_initial(&c->frames, cube->literals, cube->count, &apart);
        if (answer != FRAMES_NO)
            break;
        answer = generalise_ask(c, cube, level, &apart);
        if (answer == FRAMES_NO)
            copy(literals, c->core.data, c->core.count);
        if (answer != FRAMES_YES || depth >= c->depth)
            break;
        answer = counter(c, cube, literals, needed, level, depth, &blocked);
        if (answer != FRAMES_NO)
            break;
    }
    VECTOR_FINISH(&apart);
    arena_finish(&scratch);
    return answer;
}

// Tries to do without each literal of a cube that is unreachable at the level. NO: done.
static enum frames_answer shrink(struct ic3 *c, struct facts_literals *cube, uint32_t level,
                                 unsigned depth)
{
    struct facts_literals order = {0}, fewer = {0}, needed = {0};
    enum frames_answer answer = FRAMES_NO;
    unsigned failures = 0;
    copy(&order, cube->data, cube->count);
    if (order.count) // where nothing is tracked yet a cube is empty
        qsort_r(order.data, order.count, sizeof *order.data, by_activity, c);
    for (size_t i = order.count; i-- > 0 && cube->count > 1 && failures < MOST_FAILURES;) {
        if (!holds(cube, order.data[i]))
            continue;
        VECTOR_CLEAR(&fewer);
        for (size_t k = 0; k < cube->count; k++)
            if (cube->data[k] != order.data[i])
                VECTOR_PUSH(&fewer, cube->data[k]);
        answer = down(c, &fewer, &needed, level, depth);
        if (answer == FRAMES_STOPPED)
            break;
        if (answer == FRAMES_NO) {
            copy(cube, fewer.data, fewer.count);
        } else {
            VECTOR_PUSH(&needed, order.data[i]);
            failures++;
        }
    }
    assert(cube->count <= order.count);
    VECTOR_FINISH(&order);
    VECTOR_FINISH(&fewer);
    VECTOR_FINISH(&needed);
    return answer == FRAMES_STOPPED ? FRAMES_STOPPED : FRAMES_NO;
}

bool generalise_and_block(struct ic3 *c, uint32_t *level)
{
    struct facts_literals cube = {0};
    copy(&cube, c->core.data, c->core.count);
    bool good = shrink(c, &cube, *level, 0) == FRAMES_NO && push_and_block(c, &cube, level);
    VECTOR_FINISH(&cube);
    return good;
}
