#include "engines/bounded/images.h"
#include "engines/bounded/seek.h"

// Interpolation-based model checking: runs from the start, and images of the initial states (images.h).

// False: the attempt is over.
static bool look_for_fixpoint(struct images *i)
{
    const struct term **invariant;
    switch (images_look(i, i->bounded->base.length, &invariant)) {
    case IMAGES_SAFE:
        bounded_safe(i->bounded, invariant);
        return false;
    case IMAGES_LONGER:
        return true;
    case IMAGES_END:
        break;
    }
    return false;
}

// Where the bounded engines have a proof without invariant, interpolants may give one. False: the attempt is over.
static bool extend(struct images *i)
{
    struct bounded *b = i->bounded;
    if (bounded_extend_base(b))
        return true;
    if (b->result.verdict == VERDICT_SAFE && b->result.invariant == NULL) {
        const struct term **invariant = images_exhaust(i, b->base.length);
        if (invariant != NULL)
            bounded_safe(b, invariant);
        else
            bounded_safe_by_end(b);
    }
    return false;
}

static struct engine_result run(const struct engine_environment *environment)
{
    struct bounded b;
    struct images i = {0};
    if (bounded_init(&b, environment, true)) {
        images_init(&i, &b, NULL);
        while (bounded_round(&b) && bounded_check_base(&b) && look_for_fixpoint(&i) && extend(&i))
            continue;
    }
    images_finish(&i);
    interpolants_describe(&i.interpolants, b.result.notes, sizeof b.result.notes);
    struct engine_result result = bounded_finish(&b);
    seek_invariant(environment, &engine_imc, &result);
    return result;
}

const struct engine engine_imc = {
    .name = "imc",
    .description =
        "interpolation: images of the initial states over-approximated until nothing is new",
    .preparation = bounded_preparation,
    .run = run,
};
