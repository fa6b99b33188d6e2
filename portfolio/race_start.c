#include <assert.h>

#include "base/memory.h"
#include "base/random.h"
#include "portfolio/race_inside.h"

// Starting attempts: their seeds, cores, limits and carriers.

// Same numbers for the same task wherever it is and whoever else runs: from the run's seed, the task
// and the configuration.
uint64_t race_task_seed(uint64_t seed, const struct model *model)
{
    struct hash128 h = hash128_add(hash128_seed(0x7a5c), model->location_count);
    h = hash128_add(h, model->edge_count);
    for (uint32_t i = 0; i < model->variable_count; i++)
        h = hash128_add_text(h, model->variables[i]->name);
    if (model->property != NULL)
        h = hash128_add_hash(h, model->property->hash);
    char digits[33];
    hash128_print(h, digits);
    return random_derive(seed, digits);
}

static uint64_t attempt_seed(const struct race *race, const struct configuration *configuration)
{
    char digits[33];
    hash128_print(configuration->fingerprint, digits);
    return random_derive(race->task_seed, digits);
}

static unsigned take_slot(struct race *race, unsigned wanted)
{
    unsigned slot = wanted;
    if (slot >= race->slot_count || race->slot_taken[slot])
        for (slot = 0; slot < race->slot_count && race->slot_taken[slot]; slot++)
            continue;
    assert(slot < race->slot_count && "the schedule starts no more than there are cores");
    race->slot_taken[slot] = true;
    return slot;
}

// As many as the step wants: the lane's own slot and those after it when they are free, else the first
// free ones.
static void take_slots(struct race *race, struct attempt *a, const struct plan_step *step)
{
    unsigned count = step->cores > 0 ? step->cores : 1;
    a->slot_count = count < race->slot_count ? count : race->slot_count;
    a->slot_indices = memory_alloc(a->slot_count * sizeof *a->slot_indices);
    for (unsigned i = 0; i < a->slot_count; i++)
        a->slot_indices[i] = take_slot(race, a->lane + i);
    a->slot = race->slots[a->slot_indices[0]];
    for (unsigned i = 1; i < a->slot_count; i++)
        slot_join(&a->slot, &race->slots[a->slot_indices[i]]);
}

static uint64_t memory_of(const struct race *race, const struct plan_step *step)
{
    assert(race->slot_count > 0);
    uint64_t run = race->options->memory_limit_bytes;
    if (step->memory_share > 0)
        return (uint64_t)(step->memory_share * (double)run);
    if (step->memory_bytes)
        return run && run < step->memory_bytes ? run : step->memory_bytes;
    return run / race->slot_count;
}

static bool in_process(const struct race *race, const struct plan_step *step)
{
    enum isolation isolation =
        step->isolation != ISOLATION_AUTO ? step->isolation : race->options->isolation;
    if (isolation == ISOLATION_AUTO)
        return (step->memory_bytes > 0 || step->memory_share > 0) && race->options->worker != NULL;
    return isolation == ISOLATION_PROCESS;
}

// May some step that follows want its precision?
static bool leaves_precision(const struct plan_step *step)
{
    for (int o = 0; o < ON_COUNT; o++)
        if (step->on[o].keeps_precision)
            return true;
    return false;
}

// What the ended attempt left; NULL when it left nothing, or may still be at work.
static char *precision_of(const struct race *race, int attempt)
{
    if (attempt < 0 || race->attempts.data[attempt]->stuck)
        return NULL;
    assert(race->attempts.data[attempt]->reported && "it has ended");
    const struct text *precision = &race->attempts.data[attempt]->outcome.precision;
    return precision->length ? memory_strdup(text_string(precision)) : NULL;
}

void race_start_attempt(struct race *race, const struct schedule_action *action)
{
    const struct plan_step *step = &race->variant->lanes[action->lane].steps[action->step];
    struct attempt *a = attempt_create(race->shared, step->configuration);
    assert(action->attempt == race->attempts.count);
    a->number = action->attempt;
    a->lane = action->lane;
    a->step = action->step;
    take_slots(race, a, step);
    a->seed = attempt_seed(race, step->configuration);
    a->step_limit = action->step_limit;
    a->deadline_ns = action->deadline_ns;
    a->cpu_limit_ns = (int64_t)(step->cpu_seconds * 1e9);
    a->memory_limit = memory_of(race, step);
    a->precision_in = precision_of(race, action->precision_of);
    a->leaves_precision = leaves_precision(step);
    a->carrier = in_process(race, step) ? &carrier_process : &carrier_thread;
    assert(a->slot_count > 0 && a->slot_count <= race->slot_count);
    VECTOR_PUSH(&race->attempts, a);
    attempt_start(a);
    race_observe_attempt(race, RACE_STARTED, a);
}
