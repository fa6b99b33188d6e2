#include "configs/sample.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

enum { CANDIDATES = 6 };

// The combinations of levels of each `strength` factors, numbered one after another.
struct cover {
    const struct space *space;
    unsigned strength;
    struct random *random;
    struct random_choice choice;
    size_t factor_count;
    size_t group_count;
    size_t *groups;     // `strength` ascending factors each
    size_t *offsets;    // where a group's combinations begin
    bool *done;         // covered, or found to be impossible
    size_t total, next; // no combination before `next` is left
    // Groups by factor: index into `groups`.
    size_t **of_factor, *of_factor_count;
};

static size_t level_count(const struct cover *c, size_t factor)
{
    return c->space->factors[factor].level_count;
}

static void list_groups(struct cover *c, size_t *group, unsigned depth, size_t first)
{
    if (depth == c->strength) {
        if (c->groups != NULL)
            memcpy(c->groups + c->group_count * c->strength, group, depth * sizeof *group);
        c->group_count++;
        return;
    }
    for (size_t f = first; f < c->factor_count; f++) {
        group[depth] = f;
        list_groups(c, group, depth + 1, f + 1);
    }
}

static void cover_init(struct cover *c)
{
    size_t *group = memory_alloc(c->strength * sizeof *group);
    list_groups(c, group, 0, 0);
    c->groups = memory_alloc(c->group_count * c->strength * sizeof *c->groups);
    c->offsets = memory_alloc(c->group_count * sizeof *c->offsets);
    c->group_count = 0;
    list_groups(c, group, 0, 0);
    memory_free(group);
    c->of_factor = memory_zalloc(c->factor_count * sizeof *c->of_factor);
    c->of_factor_count = memory_zalloc(c->factor_count * sizeof *c->of_factor_count);
    for (size_t f = 0; f < c->factor_count; f++)
        c->of_factor[f] = memory_alloc(c->group_count * sizeof **c->of_factor);
    for (size_t g = 0; g < c->group_count; g++) {
        c->offsets[g] = c->total;
        size_t combinations = 1;
        for (unsigned i = 0; i < c->strength; i++) {
            size_t f = c->groups[g * c->strength + i];
            combinations *= level_count(c, f);
            c->of_factor[f][c->of_factor_count[f]++] = g;
        }
        c->total += combinations;
    }
    c->done = memory_zalloc(c->total * sizeof *c->done);
}

static void cover_finish(struct cover *c)
{
    for (size_t f = 0; f < c->factor_count; f++)
        memory_free(c->of_factor[f]);
    memory_free(c->of_factor);
    memory_free(c->of_factor_count);
    memory_free(c->groups);
    memory_free(c->offsets);
    memory_free(c->done);
}

// The number of the combination that the point has for the group; SIZE_MAX when some factor of it has
// no level.
static size_t combination(const struct cover *c, size_t g, const size_t *point)
{
    size_t index = 0;
    for (unsigned i = 0; i < c->strength; i++) {
        size_t f = c->groups[g * c->strength + i];
        if (point[f] >= SPACE_IDLE)
            return SIZE_MAX;
        assert(point[f] < level_count(c, f));
        index = index * level_count(c, f) + point[f];
    }
    return c->offsets[g] + index;
}

// Combinations not yet covered that the point would cover with this factor's level.
static size_t gain(const struct cover *c, const size_t *point, size_t factor)
{
    size_t count = 0;
    for (size_t i = 0; i < c->of_factor_count[factor]; i++) {
        size_t index = combination(c, c->of_factor[factor][i], point);
        count += index != SIZE_MAX && !c->done[index];
    }
    return count;
}

static bool is_possible(const struct cover *c, const size_t *point, size_t *scratch)
{
    memcpy(scratch, point, c->factor_count * sizeof *scratch);
    return space_complete(c->space, scratch, NULL, NULL);
}

static void set_levels(const struct cover *c, size_t g, size_t index, size_t *point)
{
    for (unsigned i = c->strength; i-- > 0;) {
        size_t f = c->groups[g * c->strength + i];
        point[f] = index % level_count(c, f);
        index /= level_count(c, f);
    }
}

// Begins a point with a combination that is left; false when all are covered.
static bool seed_point(struct cover *c, size_t *point, size_t *scratch)
{
    for (; c->next < c->total; c->next++) {
        if (c->done[c->next])
            continue;
        size_t low = 0, high = c->group_count;
        while (high - low > 1) {
            size_t middle = (low + high) / 2;
            *(c->offsets[middle] <= c->next ? &low : &high) = middle;
        }
        for (size_t f = 0; f < c->factor_count; f++)
            point[f] = SPACE_FREE;
        set_levels(c, low, c->next - c->offsets[low], point);
        if (is_possible(c, point, scratch))
            return true;
        c->done[c->next] = true;
    }
    return false;
}

// Gives the factor the possible level with the largest gain, the first of several in a random order.
static void choose_level(struct cover *c, size_t *point, size_t factor, size_t *scratch)
{
    size_t count = level_count(c, factor), gains[256];
    size_t shift = (size_t)random_below(c->random, count);
    size_t shown = count < 256 ? count : 256;
    for (size_t i = 0; i < shown; i++) {
        point[factor] = (i + shift) % count;
        gains[i] = gain(c, point, factor) + 1;
    }
    for (;;) {
        size_t best = 0;
        for (size_t i = 1; i < shown; i++)
            if (gains[i] > gains[best])
                best = i;
        if (gains[best] == 0)
            break;
        point[factor] = (best + shift) % count;
        if (is_possible(c, point, scratch))
            return;
        gains[best] = 0;
    }
    point[factor] = SPACE_FREE; // without effect here, or one of the many further levels
}

static void complete_row(struct cover *c, size_t *point, size_t *order, size_t *scratch)
{
    for (size_t i = 0; i < c->factor_count; i++)
        order[i] = i;
    for (size_t i = c->factor_count; i-- > 0;) {
        size_t j = (size_t)random_below(c->random, i + 1), factor = order[j];
        order[j] = order[i];
        if (point[factor] == SPACE_FREE)
            choose_level(c, point, factor, scratch);
    }
    bool good = space_complete(c->space, point, random_choose, &c->choice);
    assert(good);
    (void)good;
}

static size_t whole_gain(const struct cover *c, const size_t *point)
{
    size_t count = 0;
    for (size_t g = 0; g < c->group_count; g++) {
        size_t index = combination(c, g, point);
        count += index != SIZE_MAX && !c->done[index];
    }
    return count;
}

static void mark(struct cover *c, const size_t *point)
{
    for (size_t g = 0; g < c->group_count; g++) {
        size_t index = combination(c, g, point);
        if (index != SIZE_MAX)
            c->done[index] = true;
    }
}

void sample_cover(const struct space *space, unsigned strength, struct random *random,
                  void (*add)(void *context, const size_t *point), void *context)
{
    size_t n = space->factor_count;
    struct cover c = {.space = space,
                      .strength = strength < n ? strength : (unsigned)n,
                      .random = random,
                      .factor_count = n};
    cover_init(&c);
    random_choice_init(&c.choice, space, random_next(random));
    size_t *seed = memory_alloc(n * sizeof *seed), *point = memory_alloc(n * sizeof *point);
    size_t *best = memory_alloc(n * sizeof *best), *order = memory_alloc(n * sizeof *order);
    size_t *scratch = memory_alloc(n * sizeof *scratch);
    while (seed_point(&c, seed, scratch)) {
        size_t best_gain = 0;
        for (unsigned i = 0; i < CANDIDATES; i++) {
            memcpy(point, seed, n * sizeof *point);
            complete_row(&c, point, order, scratch);
            size_t now = whole_gain(&c, point);
            if (now <= best_gain)
                continue;
            best_gain = now;
            memcpy(best, point, n * sizeof *best);
        }
        assert(best_gain > 0); // what it was begun with at least, or this would go on for ever
        mark(&c, best);
        add(context, best);
    }
    memory_free(scratch);
    memory_free(order);
    memory_free(best);
    memory_free(point);
    memory_free(seed);
    random_choice_finish(&c.choice);
    cover_finish(&c);
}
