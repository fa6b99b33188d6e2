#include "tracegen/charts/chart_compare.h"

#include <string.h>

#include "base/memory.h"

#define MOST_WAYS 4096

struct comparing {
    const struct chart *chart, *other;
    const struct chart_step *step;
    VECTOR(int64_t *) now; // configurations in which the other chart may be
};

static const struct chart_state *same_state(const struct chart *chart,
                                            const struct chart_state *state)
{
    for (uint32_t i = 0; i < chart->state_count; i++) {
        const struct chart_state *own = chart->states[i];
        if (chart_can_be_active(own) && strcmp(own->text, state->text) == 0)
            return own;
    }
    return NULL;
}

static const struct chart_variable *same_variable(const struct chart *chart,
                                                  const struct chart_variable *variable)
{
    for (uint32_t i = 0; i < chart->variable_count; i++) {
        const struct chart_variable *own = chart->variables[i];
        if (strcmp(own->text, variable->text) == 0 && own->type->kind == variable->type->kind)
            return own;
    }
    return NULL;
}

// ---- one step ----------------------------------------------------------------------------------

static int64_t give(void *context, const struct chart_variable *variable)
{
    const struct comparing *c = context;
    for (size_t i = 0; i < c->step->inputs.count; i++) {
        if (strcmp(c->step->inputs.data[i].variable->text, variable->text) == 0)
            return c->step->inputs.data[i].value;
    }
    return 0;
}

// Does the other chart's configuration agree? If not, the first difference is told.
static bool agrees(const struct comparing *c, const int64_t *cells, struct text *why)
{
    for (uint32_t i = 0; i < c->chart->state_count; i++) {
        const struct chart_state *state = c->chart->states[i];
        if (!chart_can_be_active(state))
            continue;
        const struct chart_state *own = same_state(c->other, state);
        bool here = interpreter_is_active(c->chart, c->step->cells, state);
        bool there = own != NULL && interpreter_is_active(c->other, cells, own);
        if (own == NULL ? here : here != there) {
            text_printf(why, "%s is %s there", state->text,
                        own == NULL ? "no state"
                        : there     ? "active"
                                    : "not active");
            return false;
        }
    }
    for (uint32_t i = 0; i < c->chart->variable_count; i++) {
        const struct chart_variable *variable = c->chart->variables[i];
        const struct chart_variable *own =
            variable->scratch ? NULL : same_variable(c->other, variable);
        if (own == NULL)
            continue;
        int64_t here = c->step->cells[interpreter_variable_cell(c->chart, variable)],
                there = cells[interpreter_variable_cell(c->other, own)];
        if (here != there) {
            text_printf(why, "%s is %lld, there %lld", variable->text, (long long)here,
                        (long long)there);
            return false;
        }
    }
    return true;
}

static bool is_known(const struct comparing *c, const int64_t *cells, size_t bytes)
{
    for (size_t i = 0; i < c->now.count; i++) {
        if (memcmp(c->now.data[i], cells, bytes) == 0)
            return true;
    }
    return false;
}

// All ways of the other chart from one of its configurations, of which those that agree are kept.
static void follow(struct comparing *c, struct interpreter *interpreter, const int64_t *from,
                   struct text *why)
{
    size_t bytes = interpreter_cell_count(c->other) * sizeof *from;
    const struct chart_event *event =
        c->step->event == NULL ? NULL : chart_find_event(c->other, c->step->event->name);
    struct interpreter_observer observer = {.context = c, .havoc = give};
    struct interpreter_choices choices = {0};
    int64_t *next = memory_alloc(bytes + 1);
    // An event that the other chart does not know changes nothing there.
    bool unknown = c->step->event != NULL && event == NULL;
    do {
        enum interpreter_outcome outcome = INTERPRETER_DONE;
        if (unknown && from != NULL)
            memcpy(next, from, bytes);
        else
            outcome = from == NULL
                          ? interpreter_start(interpreter, &choices, &observer, next)
                          : interpreter_step(interpreter, from, event, &choices, &observer, next);
        struct text difference;
        text_init(&difference);
        if (outcome != INTERPRETER_DONE)
            text_add(&difference, "it cannot go on there");
        if (outcome == INTERPRETER_DONE && agrees(c, next, &difference) &&
            !is_known(c, next, bytes)) {
            int64_t *kept = memory_alloc(bytes + 1);
            memcpy(kept, next, bytes);
            VECTOR_PUSH(&c->now, kept);
        }
        if (why->length == 0)
            text_add(why, text_string(&difference));
        text_finish(&difference);
    } while (!unknown && c->now.count < MOST_WAYS && interpreter_next(&choices));
    interpreter_choices_finish(&choices);
    memory_free(next);
}

size_t chart_compare_run(const struct chart *chart, const struct chart_run *run,
                         const struct chart *other, struct text *why)
{
    struct comparing c = {.chart = chart, .other = other};
    struct interpreter *interpreter = interpreter_create(other);
    size_t failed = SIZE_MAX;
    for (size_t i = 0; i < run->count && failed == SIZE_MAX; i++) {
        int64_t **before = c.now.data;
        size_t count = c.now.count;
        memset(&c.now, 0, sizeof c.now);
        c.step = &run->data[i];
        text_clear(why);
        for (size_t k = 0; k < (i == 0 ? 1 : count); k++)
            follow(&c, interpreter, i == 0 ? NULL : before[k], why);
        for (size_t k = 0; k < count; k++)
            memory_free(before[k]);
        memory_free(before);
        if (c.now.count == 0)
            failed = i;
    }
    for (size_t k = 0; k < c.now.count; k++)
        memory_free(c.now.data[k]);
    VECTOR_FINISH(&c.now);
    interpreter_destroy(interpreter);
    return failed;
}

// ---- parts -------------------------------------------------------------------------------------

static bool has_transition(const struct chart *chart, const struct chart_transition *transition)
{
    for (uint32_t i = 0; i < chart->transition_count; i++) {
        const struct chart_transition *own = chart->transitions[i];
        if (strcmp(own->source->text, transition->source->text) == 0 &&
            strcmp(own->text, transition->text) == 0)
            return true;
    }
    return false;
}

static void only_in(const struct chart *one, const struct chart *two, const char *mark,
                    struct text *out)
{
    for (uint32_t i = 0; i < one->state_count; i++) {
        const struct chart_state *state = one->states[i];
        if (chart_can_be_active(state) && same_state(two, state) == NULL)
            text_printf(out, "%s state %s\n", mark, state->text);
    }
    for (uint32_t i = 0; i < one->transition_count; i++) {
        if (!has_transition(two, one->transitions[i]))
            text_printf(out, "%s transition %s\n", mark, one->transitions[i]->text);
    }
    for (uint32_t i = 0; i < one->variable_count; i++) {
        const struct chart_variable *variable = one->variables[i];
        if (!variable->scratch && same_variable(two, variable) == NULL)
            text_printf(out, "%s variable %s\n", mark, variable->text);
    }
}

void chart_compare_parts(const struct chart *one, const struct chart *two, struct text *out)
{
    only_in(one, two, "-", out);
    only_in(two, one, "+", out);
}
