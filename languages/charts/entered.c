#include "languages/charts/entered.h"

#include "base/memory.h"
#include "base/vector.h"

struct walk {
    bool *entered; // by index
    VECTOR(const struct chart_state *) open;
};

static void enter(struct walk *walk, const struct chart_state *state)
{
    for (; state != NULL && !walk->entered[state->index]; state = chart_parent(state)) {
        walk->entered[state->index] = true;
        VECTOR_PUSH(&walk->open, state);
    }
}

static void follow(struct walk *walk, const struct chart_transition *transition)
{
    for (uint32_t i = 0; i < transition->target_count; i++)
        enter(walk, transition->targets[i]);
}

// By default, or by what it remembers.
static void enter_region(struct walk *walk, const struct chart_region *region)
{
    if (region->history != NULL)
        enter(walk, region->history);
    if (region->initial != NULL)
        follow(walk, region->initial);
    else if (region->state_count > 0)
        enter(walk, region->states[0]);
}

static void close_under(struct walk *walk)
{
    for (size_t i = 0; i < walk->open.count; i++) {
        const struct chart_state *state = walk->open.data[i];
        for (uint32_t r = 0; r < state->region_count; r++)
            enter_region(walk, state->regions[r]);
        for (uint32_t t = 0; t < state->out_count; t++)
            follow(walk, state->out[t]);
    }
}

void chart_warn_of_unentered(const struct chart *chart, struct messages *messages)
{
    struct walk walk = {memory_zalloc(chart->state_count + 1), {0}};
    for (uint32_t i = 0; i < chart->region_count; i++) {
        if (chart->regions[i]->parent == NULL)
            enter_region(&walk, chart->regions[i]);
    }
    close_under(&walk);
    for (uint32_t i = 0; i < chart->state_count; i++) {
        const struct chart_state *state = chart->states[i], *parent = chart_parent(state);
        if (chart_can_be_active(state) && !walk.entered[i] &&
            (parent == NULL || walk.entered[parent->index]))
            message_add(messages, MESSAGE_WARNING, state->source,
                        "no default entry and no transition leads to the state `%s`", state->text);
    }
    VECTOR_FINISH(&walk.open);
    memory_free(walk.entered);
}
