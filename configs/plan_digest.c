#include "configs/plan.h"

#include <assert.h>

static struct hash128 add_part(struct hash128 h, uint64_t mark, double amount)
{
    return amount > 0 ? hash128_add(hash128_add(h, mark), (uint64_t)(amount * 1e6 + 0.5)) : h;
}

static struct hash128 add_number(struct hash128 h, uint64_t mark, uint64_t number)
{
    return number > 0 ? hash128_add(hash128_add(h, mark), number) : h;
}

static struct hash128 add_reaction(struct hash128 h, int outcome, const struct plan_reaction *on)
{
    if (on->kind != REACTION_NEXT)
        h = hash128_add(hash128_add(h, 0x1000 + 16 * (uint64_t)outcome + on->kind), on->target);
    return add_number(h, 0x2000 + (uint64_t)outcome, on->keeps_precision);
}

// What a step does not say adds nothing: something new to say must not change the digests of plans without it.
static struct hash128 add_step(struct hash128 h, const struct plan_step *step)
{
    assert(step->configuration != NULL && step->amount >= 0);
    h = hash128_add_hash(h, step->configuration->fingerprint);
    h = hash128_add(h, step->budget);
    h = hash128_add(h, (uint64_t)(step->amount * 1e6 + 0.5));
    h = add_number(h, 1, step->isolation != ISOLATION_AUTO ? 1 + (uint64_t)step->isolation : 0);
    h = add_number(h, 2, step->memory_bytes);
    h = add_part(h, 3, step->memory_share);
    h = add_part(h, 4, step->cpu_seconds);
    h = add_number(h, 5, step->cores > 1 ? step->cores : 0);
    h = add_part(h, 6, step->extend);
    h = add_number(h, 7, step->retry_of);
    if (step->when_text != NULL)
        h = hash128_add_text(hash128_add(h, 8), step->when_text);
    for (int o = 0; o < ON_COUNT; o++)
        h = add_reaction(h, o, &step->on[o]);
    return h;
}

struct hash128 plan_variant_hash(const struct plan_variant *variant)
{
    struct hash128 h = hash128_add(hash128_seed(0x91a4), variant->lane_count);
    if (variant->share > 1) // what has none keeps the digest that records know
        h = hash128_add(h, variant->share);
    for (size_t l = 0; l < variant->lane_count; l++) {
        const struct plan_lane *lane = &variant->lanes[l];
        h = hash128_add(h, lane->step_count);
        for (size_t i = 0; i < lane->step_count; i++)
            h = add_step(h, &lane->steps[i]);
    }
    return h;
}

void plan_variant_digest(const struct plan_variant *variant, char out[33])
{
    hash128_print(plan_variant_hash(variant), out);
}
