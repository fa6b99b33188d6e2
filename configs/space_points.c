#include "configs/space.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

// Searching the points of a space: factor by factor, back when a rule or constraint cannot hold any
// more. Since what decides about a factor's effect comes before it, effects are known in time; a factor
// on which nothing depends is never tried again with another level.

enum { NODES_MOST = 20 * 1000 * 1000 };

struct search {
    const struct space *space;
    size_t *point;
    int64_t values[OPTION_COUNT];
    bool known[OPTION_COUNT];
    space_choice *choose;
    bool (*visit)(void *context, const size_t *point);
    void *context;
    uint64_t visits, nodes;
    bool over;      // `visit` said so
    size_t without; // a constraint or, behind these, a legal rule; SIZE_MAX = none
};

static void begin(struct search *search, const struct space *space, size_t *point)
{
    *search = (struct search){.space = space, .point = point, .without = SIZE_MAX};
    memcpy(search->values, space->fixed, sizeof search->values);
    memset(search->known, true, sizeof search->known);
    for (size_t i = 0; i < space->factor_count; i++)
        search->known[space->factors[i].option] = false;
}

static bool has_effect(const struct search *search, int option)
{
    enum truth effect = legality_effect((enum option)option, search->values, search->known);
    assert(effect != TRUTH_UNKNOWN);
    return effect == TRUTH_TRUE;
}

// Can what is known be a part of a point, as far as options in `about` decide that?
static bool can_hold(const struct search *search, OPTION_SET about)
{
    size_t constraints = search->space->constraint_count;
    size_t rule = search->without == SIZE_MAX || search->without < constraints
                      ? LEGALITY_ALL
                      : search->without - constraints;
    if (legality_holds(about, rule, search->values, search->known) == TRUTH_FALSE)
        return false;
    for (size_t i = 0; i < constraints; i++) {
        const struct constraint *constraint = search->space->constraints[i];
        if (i != search->without && constraint_options(constraint) & about &&
            constraint_truth(constraint, search->values, search->known) == TRUTH_FALSE)
            return false;
    }
    return true;
}

static bool is_related(const struct space *space, int option)
{
    return space->related >> option & 1;
}

static bool search_from(struct search *search, size_t k);

static bool search_level(struct search *search, size_t k, size_t level)
{
    const struct space_factor *factor = &search->space->factors[k];
    assert(level == SPACE_IDLE || level < factor->level_count);
    search->point[k] = level;
    search->values[factor->option] = level == SPACE_IDLE
                                         ? option_describe((enum option)factor->option)->standard
                                         : factor->levels[level];
    search->known[factor->option] = true;
    bool good = (!is_related(search->space, factor->option) ||
                 can_hold(search, OPTION_BIT(factor->option))) &&
                search_from(search, k + 1);
    search->known[factor->option] = false;
    return good;
}

// True when a whole point was found and no more are wanted.
static bool search_from(struct search *search, size_t k)
{
    const struct space *space = search->space;
    search->nodes++;
    if (k == space->factor_count) {
        search->visits++;
        return search->visit == NULL || !search->visit(search->context, search->point);
    }
    size_t chosen = search->point[k];
    const struct space_factor *factor = &space->factors[k];
    if (!has_effect(search, factor->option)) {
        bool good = chosen >= SPACE_IDLE && search_level(search, k, SPACE_IDLE);
        search->point[k] = good ? SPACE_IDLE : chosen;
        return good;
    }
    if (chosen < factor->level_count)
        return search_level(search, k, chosen);
    for (size_t turn = 0; turn < factor->level_count && chosen == SPACE_FREE; turn++) {
        size_t level = search->choose != NULL ? search->choose(search->context, k, turn) : turn;
        if (search_level(search, k, level))
            return true;
        // Nothing looks at this one, so it is not why the rest failed.
        if (search->visit == NULL && !is_related(space, factor->option))
            break;
    }
    search->point[k] = chosen;
    return false;
}

bool space_complete(const struct space *space, size_t *point, space_choice *choose, void *context)
{
    struct search search;
    begin(&search, space, point);
    search.choose = choose;
    search.context = context;
    return can_hold(&search, OPTION_ALL) && search_from(&search, 0);
}

bool space_complete_without(const struct space *space, size_t part, size_t *point)
{
    struct search search;
    begin(&search, space, point);
    search.without = part;
    return can_hold(&search, OPTION_ALL) && search_from(&search, 0);
}

uint64_t space_visit(const struct space *space, bool (*visit)(void *context, const size_t *point),
                     void *context)
{
    size_t *point = memory_alloc((space->factor_count + 1) * sizeof *point);
    for (size_t i = 0; i < space->factor_count; i++)
        point[i] = SPACE_FREE;
    struct search search;
    begin(&search, space, point);
    search.visit = visit;
    search.context = context;
    if (space->factor_count > 0 && can_hold(&search, OPTION_ALL))
        search_from(&search, 0);
    memory_free(point);
    return search.visits;
}

void space_values(const struct space *space, const size_t *point, int64_t values[OPTION_COUNT])
{
    memcpy(values, space->fixed, sizeof space->fixed);
    for (size_t i = 0; i < space->factor_count; i++) {
        const struct space_factor *factor = &space->factors[i];
        assert(point[i] == SPACE_IDLE || point[i] < factor->level_count);
        values[factor->option] = point[i] == SPACE_IDLE
                                     ? option_describe((enum option)factor->option)->standard
                                     : factor->levels[point[i]];
    }
}

// Counting: the levels of a factor that nothing looks at are counted once and multiplied.

static uint64_t times(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t count_from(struct search *search, size_t k);

static uint64_t count_level(struct search *search, size_t k, int64_t value)
{
    int option = search->space->factors[k].option;
    assert(!search->known[option]);
    search->values[option] = value;
    search->known[option] = true;
    uint64_t count = is_related(search->space, option) && !can_hold(search, OPTION_BIT(option))
                         ? 0
                         : count_from(search, k + 1);
    search->known[option] = false;
    return count;
}

static uint64_t count_from(struct search *search, size_t k)
{
    if (k == search->space->factor_count)
        return 1;
    if (++search->nodes > NODES_MOST)
        return 0;
    const struct space_factor *factor = &search->space->factors[k];
    if (!has_effect(search, factor->option))
        return count_level(search, k, option_describe((enum option)factor->option)->standard);
    if (!is_related(search->space, factor->option))
        return times(factor->level_count, count_level(search, k, factor->levels[0]));
    uint64_t sum = 0;
    for (size_t i = 0; i < factor->level_count; i++) {
        uint64_t one = count_level(search, k, factor->levels[i]);
        sum = sum > UINT64_MAX - one ? UINT64_MAX : sum + one;
    }
    return sum;
}

bool space_count(const struct space *space, uint64_t *count)
{
    struct search search;
    begin(&search, space, NULL);
    *count = space->factor_count > 0 && can_hold(&search, OPTION_ALL) ? count_from(&search, 0) : 0;
    return search.nodes <= NODES_MOST;
}
