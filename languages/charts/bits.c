#include "languages/charts/bits.h"

#include <assert.h>
#include <string.h>

static uint32_t width_of(uint32_t states)
{
    uint32_t width = 0;
    while (width < 32 && (UINT64_C(1) << width) < states)
        width++;
    return width;
}

// Bits of a region from `base` on.
static uint32_t place_region(const struct chart_region *region, uint32_t base,
                             struct chart_code *codes)
{
    struct chart_code *code = &codes[region->index];
    uint32_t shared = 0;
    code->first = base;
    code->width = width_of(region->active_count);
    for (uint32_t i = 0; i < region->active_count; i++) {
        const struct chart_state *state = region->states[i];
        uint32_t used = 0;
        for (uint32_t j = 0; j < state->region_count; j++)
            used += place_region(state->regions[j], base + code->width + used, codes);
        shared = used > shared ? used : shared;
    }
    code->area = code->width + shared;
    assert(code->width == 32 || region->active_count <= UINT64_C(1) << code->width);
    return code->area;
}

uint32_t chart_bits_layout(const struct chart *chart, struct chart_code *codes)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < chart->region_count; i++) {
        if (chart->regions[i]->parent == NULL)
            count += place_region(chart->regions[i], count, codes);
    }
    return count;
}

void chart_bits_of(const struct chart *chart, const struct chart_code *codes, const int64_t *places,
                   bool *bits)
{
    for (uint32_t i = 0; i < chart->region_count; i++) {
        if (chart->regions[i]->parent == NULL)
            memset(bits + codes[i].first, 0, codes[i].area);
    }
    for (uint32_t i = 0; i < chart->region_count; i++) {
        for (uint32_t b = 0; places[i] >= 0 && b < codes[i].width; b++)
            bits[codes[i].first + b] |= (places[i] >> b) & 1;
    }
}

static bool asks(const struct chart_expression *e)
{
    return e != NULL &&
           (e->op == CHART_ACTIVE || asks(e->child[0]) || asks(e->child[1]) || asks(e->child[2]));
}

static bool actions_ask(const struct chart_action *list)
{
    for (const struct chart_action *a = list; a != NULL; a = a->next) {
        if (asks(a->expression) || actions_ask(a->then) || actions_ask(a->otherwise))
            return true;
    }
    return false;
}

bool chart_bits_suffice(const struct chart *chart)
{
    for (uint32_t i = 0; i < chart->state_count; i++) {
        const struct chart_state *state = chart->states[i];
        bool choice = state->kind == CHART_CHOICE; // leaves what is not yet entered
        if (choice || actions_ask(state->entry) || actions_ask(state->exit) ||
            state->all_done != NULL)
            return false;
    }
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        const struct chart_transition *t = chart->transitions[i];
        bool inside = !chart_can_be_active(t->source);
        if (actions_ask(t->action) || (inside && (asks(t->guard) || asks(t->trigger))))
            return false;
    }
    for (uint32_t i = 0; i < chart->region_count; i++) {
        const struct chart_transition *initial = chart->regions[i]->initial;
        if (initial != NULL && actions_ask(initial->action))
            return false;
    }
    return true;
}
