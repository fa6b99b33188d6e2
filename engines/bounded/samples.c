#include "engines/bounded/samples.h"

#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "model/walk.h"

enum {
    WALKS = 40,
    MANY_VISITS = 30, // of a location: a range that was empty then is thought to be empty
    MOST_STEPS = 60,
    MOST_WALKING = 300000, // nodes of terms that the walks look at
    MOST_ASKING = 5000000, // and those that facts look at
    ARBITRARY = 8,         // values of what is arbitrary: from 0 on
    LARGE = 2000,          // places of a state beyond which it is not worth copying
};

struct samples {
    struct walk walk;
    struct sampled_fact *facts;
    uint32_t *first, *order; // facts by location
    uint32_t *visits;        // by location
    bool *used;              // by fact: its range was met
    int64_t work;
    uint64_t arbitrary;
    bool has_arbitrary; // the last fact looked at such a variable
};

static struct value look_up(void *context, const struct term *variable)
{
    struct samples *s = context;
    const struct variable *v = model_variable_of(s->walk.model, variable);
    if (v != NULL)
        return s->walk.now[v->index];
    const struct sort *sort = variable->sort;
    s->has_arbitrary = true;
    if (sort->kind == SORT_INT ||
        (sort->kind == SORT_BV && sort->width <= VALUE_BV_SMALL_WIDTH && sort->width > 2))
        return value_small((int64_t)s->arbitrary);
    return VALUE_UNKNOWN;
}

// With some value of what is arbitrary.
static bool may_be(struct samples *s, const struct term *says, bool wanted)
{
    for (s->arbitrary = 0; s->arbitrary < ARBITRARY; s->arbitrary++) {
        s->has_arbitrary = false;
        s->work -= says->tree_size;
        if (s->work < 0)
            return false;
        struct value is = evaluator_run(s->walk.evaluator, says, look_up, s);
        if (wanted ? value_is_true(is) : value_is_false(is))
            return true;
        if (!s->has_arbitrary)
            return false;
    }
    return false;
}

// Facts that fail there leave the list of their location.
static void ask(struct samples *s, uint32_t location)
{
    uint32_t *next = &s->first[2 * location + 1], i = s->first[2 * location];
    s->visits[location]++;
    while (i < *next && s->work >= 0) {
        struct sampled_fact *f = &s->facts[s->order[i]];
        bool *used = &s->used[s->order[i]];
        *used = *used || f->range == NULL || may_be(s, f->range, true);
        f->fails = *used && may_be(s, f->says, false);
        if (f->fails)
            s->order[i] = s->order[--*next];
        else
            i++;
    }
}

static void sort_by_location(struct samples *s, uint32_t locations, size_t count)
{
    s->first = memory_zalloc((2 * (size_t)locations + 2) * sizeof *s->first);
    s->order = memory_alloc((count + 1) * sizeof *s->order);
    for (size_t i = 0; i < count; i++)
        s->first[2 * s->facts[i].location + 1]++;
    uint32_t begin = 0;
    for (uint32_t l = 0; l < locations; l++) {
        uint32_t here = s->first[2 * l + 1];
        s->first[2 * l] = s->first[2 * l + 1] = begin;
        begin += here;
    }
    for (size_t i = 0; i < count; i++)
        s->order[s->first[2 * s->facts[i].location + 1]++] = (uint32_t)i;
}

void samples_refute(const struct model *model, struct sampled_fact *facts, size_t count)
{
    if (model->variable_count > LARGE || count == 0)
        return;
    struct samples s = {.facts = facts, .work = MOST_ASKING};
    walk_init(&s.walk, model, 11, MOST_WALKING);
    sort_by_location(&s, model->location_count, count);
    s.visits = memory_zalloc((model->location_count + 1) * sizeof *s.visits);
    s.used = memory_zalloc(count + 1);
    for (int walk = 0; walk < WALKS && s.walk.work >= 0 && s.work >= 0; walk++) {
        const struct location *at = model->initial;
        if (!walk_begin(&s.walk))
            continue;
        ask(&s, at->index);
        for (int step = 0; step < MOST_STEPS; step++) {
            at = walk_step(&s.walk, at);
            if (at == NULL || at == model->error)
                break;
            ask(&s, at->index);
        }
    }
    for (size_t i = 0; i < count; i++)
        facts[i].fails = facts[i].fails || (!s.used[i] && s.work >= 0 && facts[i].range != NULL &&
                                            s.visits[facts[i].location] >= MANY_VISITS);
    walk_finish(&s.walk);
    memory_free(s.visits);
    memory_free(s.used);
    memory_free(s.first);
    memory_free(s.order);
}
