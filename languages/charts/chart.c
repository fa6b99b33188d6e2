#include "languages/charts/chart.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

void chart_destroy(struct chart *chart)
{
    if (chart == NULL)
        return;
    struct arena arena = chart->arena;
    arena_finish(&arena); // the chart itself lives there
}

static const struct chart_action *with_memory(const struct chart *chart, const void *of,
                                              const struct chart_action *own)
{
    for (uint32_t i = 0; i < chart->memory_count; i++)
        if (chart->memories[i].of == of)
            return chart->memories[i].first;
    return own;
}

const struct chart_action *chart_action_of(const struct chart *chart,
                                           const struct chart_transition *transition)
{
    return with_memory(chart, transition, transition->action);
}

const struct chart_action *chart_exit_of(const struct chart *chart, const struct chart_state *state)
{
    return with_memory(chart, state, state->exit);
}

const struct chart_state *chart_parent(const struct chart_state *state)
{
    assert(state->parent != NULL);
    return state->parent->parent;
}

bool chart_is_below(const struct chart_state *state, const struct chart_state *above)
{
    if (above == NULL)
        return true;
    assert(state->last >= state->index && above->last >= above->index); // chart_finish was called
    return state->index > above->index && state->index <= above->last;
}

// Is `name` all of `text`, or what follows a dot in it?
static bool names(const char *name, const char *text)
{
    size_t length = strlen(name), all = strlen(text);
    if (length > all || strcmp(text + all - length, name) != 0)
        return false;
    return length == all || text[all - length - 1] == '.';
}

// The length of the part up to the next dot.
static size_t part(const char *name)
{
    return strcspn(name, ".");
}

// Parts of the state's whole name in their order, its own name last: others may be left out.
bool chart_is_named(const struct chart_state *state, const char *name)
{
    const char *text = state->text;
    if (!names(state->name, name))
        return false;
    while (*text != '\0' && *name != '\0') {
        if (part(text) == part(name) && strncmp(text, name, part(name)) == 0) {
            name += part(name);
            name += *name == '.';
        }
        text += part(text);
        text += *text == '.';
    }
    return *name == '\0';
}

const struct chart_state *chart_find_state(const struct chart *chart, const char *name,
                                           bool *several)
{
    const struct chart_state *found = NULL;
    *several = false;
    for (uint32_t i = 0; i < chart->state_count; i++) {
        const struct chart_state *state = chart->states[i];
        if (!chart_can_be_active(state) || !chart_is_named(state, name))
            continue;
        if (strcmp(state->text, name) == 0)
            return state;
        *several = *several || found != NULL;
        found = state;
    }
    return *several ? NULL : found;
}

const struct chart_variable *chart_find_variable(const struct chart *chart, const char *name,
                                                 bool *several)
{
    const struct chart_variable *found = NULL;
    *several = false;
    for (uint32_t i = 0; i < chart->variable_count; i++) {
        const struct chart_variable *variable = chart->variables[i];
        if (strcmp(variable->text, name) == 0 || strcmp(variable->name, name) == 0)
            return variable;
        if (variable->scratch || !names(name, variable->text))
            continue;
        *several = *several || found != NULL;
        found = variable;
    }
    return *several ? NULL : found;
}

const struct chart_event *chart_find_event(const struct chart *chart, const char *name)
{
    for (uint32_t i = 0; i < chart->event_count; i++) {
        if (strcmp(chart->events[i]->name, name) == 0)
            return chart->events[i];
    }
    return NULL;
}

bool chart_is_in(const struct chart_state *state, const struct chart_region *region)
{
    for (const struct chart_region *r = state->parent; r != NULL;
         r = r->parent == NULL ? NULL : r->parent->parent) {
        if (r == region)
            return true;
    }
    return false;
}

static bool all_in(const struct chart_transition *transition, const struct chart_region *region)
{
    for (uint32_t i = 0; i < transition->target_count; i++) {
        if (!chart_is_in(transition->targets[i], region))
            return false;
    }
    return true;
}

// A region of a parallel state of SCXML is one child, which no transition leaves alone.
static bool can_be_domain(const struct chart *chart, const struct chart_region *region)
{
    return chart->semantics != CHART_SCXML || region->parent == NULL || !region->parent->parallel;
}

const struct chart_region *chart_domain(const struct chart *chart,
                                        const struct chart_transition *transition)
{
    const struct chart_state *source = transition->source;
    if (transition->target_count == 0)
        return NULL;
    assert(source != NULL && "a region's first transition leaves nothing");
    if (transition->internal && source->region_count == 1 && !source->parallel &&
        all_in(transition, source->regions[0]))
        return source->regions[0];
    const struct chart_region *region = source->parent;
    while (region->parent != NULL && !(can_be_domain(chart, region) && all_in(transition, region)))
        region = region->parent->parent;
    assert(chart_is_in(source, region)); // it leaves what it begins in
    return region;
}
