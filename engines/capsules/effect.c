#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/capsules/inside.h"

void change_begin(struct capsule_kernel *k, struct change *change)
{
    change->tuple = memory_alloc(k->width * sizeof *change->tuple);
    assert(k->common.count >= 2);
    memcpy(change->tuple, k->tuple, k->width * sizeof *change->tuple);
    memset(&change->common, 0, sizeof change->common);
    VECTOR_RESERVE(&change->common, k->common.count);
    memcpy(change->common.data, k->common.data, k->common.count * sizeof *k->common.data);
    change->common.count = k->common.count;
}

void change_drop(struct change *change)
{
    memory_free(change->tuple);
    VECTOR_FINISH(&change->common);
}

static bool is_subset(const uint32_t *small, const uint32_t *large)
{
    for (uint32_t i = 0; i < small[1]; i++) {
        bool found = false;
        for (uint32_t j = 0; !found && j < large[1]; j++)
            found = join_words(small + 2 + 2 * i) == join_words(large + 2 + 2 * j);
        if (!found)
            return false;
    }
    return true;
}

// A state that is the same but for having fewer conjuncts stands for the new one too.
static uint32_t weaker_state(struct capsule_kernel *k, const uint32_t *tuple,
                             const struct capsule_numbers *common)
{
    struct capsule_numbers key = {0};
    for (size_t i = pull_words(common); i < common->count; i++)
        VECTOR_PUSH(&key, common->data[i]);
    for (uint32_t i = 1; i < k->width; i++)
        VECTOR_PUSH(&key, tuple[i]);
    uint32_t group = interner_add(&k->weak, key.data, key.count);
    VECTOR_FINISH(&key);
    if (group == k->first_weak.count)
        VECTOR_PUSH(&k->first_weak, CAPSULE_NONE);
    assert(group < k->first_weak.count);
    for (uint32_t s = k->first_weak.data[group]; s != CAPSULE_NONE; s = k->next_weak.data[s]) {
        size_t count;
        const uint32_t *other = interner_get(&k->states, s, &count);
        if (is_subset(component(k, other[0], &count), common->data))
            return s;
    }
    uint32_t state = interner_add(&k->states, tuple, k->width);
    assert(state + 1 == k->states.count && "a state of another group");
    while (k->next_weak.count <= state)
        VECTOR_PUSH(&k->next_weak, CAPSULE_NONE);
    k->next_weak.data[state] = k->first_weak.data[group];
    k->first_weak.data[group] = state;
    return state;
}

void change_emit(struct capsule_kernel *k, struct change *change)
{
    if (k->options.limited && k->step.rule != RULE_PULL)
        pull_settle(k, &change->common);
    if (k->options.symbolic)
        canonical_symbols(k, change->tuple, &change->common);
    change->tuple[0] = interner_add(&k->components, change->common.data, change->common.count);
    uint32_t target;
    if (k->options.symbolic && k->options.subsumption == SUBSUME_WEAK)
        target = weaker_state(k, change->tuple, &change->common);
    else
        target = interner_add(&k->states, change->tuple, k->width);
    k->counts.steps++;
    k->counts.lost += k->step.lost;
    k->counts.drops += k->step.rule == RULE_DROP;
    if (k->each != NULL)
        k->each(k->context, &k->step, target);
    change_drop(change);
}

static void set_part(struct capsule_kernel *k, struct change *change, uint32_t instance,
                     const struct capsule_numbers *words)
{
    assert(words->count ==
           3 + 2 * (size_t)capsules_module_of(k->model, instance)->attributes.count);
    change->tuple[1 + instance] = interner_add(&k->components, words->data, words->count);
}

static bool is_alive(const struct capsule_kernel *k, const struct change *change, uint32_t instance)
{
    size_t count;
    return component(k, change->tuple[1 + instance], &count)[0] != WORD_DEAD;
}

void create_part(struct capsule_kernel *k, struct change *change, uint32_t instance,
                 bool from_parent)
{
    const struct capsule_instance *node = &k->model->instances.data[instance];
    const struct capsule_module *m = &k->model->modules.data[node->module];
    if (is_abstracted(k, instance)) {
        // Below an abstracted part all that is not abstracted is there: nobody would create it.
        for (size_t i = 0; i < node->children.count; i++)
            create_part(k, change, node->children.data[i], false);
        return;
    }
    if (is_alive(k, change, instance)) {
        k->counts.created_again += from_parent;
        return;
    }
    struct capsule_numbers words = {0};
    VECTOR_PUSH(&words, m->initial == CAPSULE_NONE ? WORD_LOCATION : WORD_INITIAL);
    push_word(&words, 0);
    for (size_t i = 0; i < m->attributes.count; i++)
        push_word(&words, value_word(k, m->attributes.data[i].initial));
    set_part(k, change, instance, &words);
    VECTOR_FINISH(&words);
    for (size_t i = 0; i < node->children.count; i++) {
        uint32_t child = node->children.data[i];
        if (m->parts.data[i].fixed || is_abstracted(k, child))
            create_part(k, change, child, false);
    }
}

void remove_element(struct capsule_kernel *k, struct change *change, uint32_t queue, size_t at,
                    size_t words)
{
    size_t count;
    uint32_t *slot = &change->tuple[1 + k->instances + queue];
    const uint32_t *old = component(k, *slot, &count);
    assert(at + words <= count);
    struct capsule_numbers left = {0};
    for (size_t i = 0; i < count; i++)
        if (i < at || i >= at + words)
            VECTOR_PUSH(&left, old[i]);
    *slot = interner_add(&k->components, left.data, left.count);
    VECTOR_FINISH(&left);
}

static bool inside(const struct capsules *model, uint32_t instance, uint32_t container)
{
    while (instance != CAPSULE_NONE && instance != container)
        instance = model->instances.data[instance].parent;
    return instance == container;
}

// With all that it contains, what is queued for those, and their timers.
static void destroy_part(struct capsule_kernel *k, struct change *change, uint32_t instance)
{
    static const uint32_t DEAD = WORD_DEAD;
    for (uint32_t i = instance; i < k->instances; i++)
        if (inside(k->model, i, instance))
            change->tuple[1 + i] = interner_add(&k->components, &DEAD, 1);
    for (uint32_t q = 0; q < k->queues; q++) {
        for (size_t at = 0;;) {
            size_t count;
            const uint32_t *words = component(k, change->tuple[1 + k->instances + q], &count);
            if (at >= count)
                break;
            size_t length = element_words(k, words[at], words[at + 1]);
            if (inside(k->model, words[at], instance))
                remove_element(k, change, q, at, length);
            else
                at += length;
        }
    }
}

static size_t queue_length(const struct capsule_kernel *k, uint32_t number)
{
    size_t count, length = 0;
    const uint32_t *words = component(k, number, &count);
    for (size_t i = 0; i < count; length++)
        i += element_words(k, words[i], words[i + 1]);
    return length;
}

static void send(struct capsule_kernel *k, struct change *change, uint32_t instance,
                 const struct capsule_output *output, struct valuation *v)
{
    struct capsule_step *step = &k->step;
    struct capsule_step_output told = {output->signal, step->words.count, output->arguments.count};
    for (size_t i = 0; i < output->arguments.count; i++)
        VECTOR_PUSH(&step->words, evaluate(v, output->arguments.data[i]));
    VECTOR_PUSH(&step->outputs, told);
    struct capsule_route route = k->model->instances.data[instance].routes.data[output->signal];
    if (route.receiver == CAPSULE_NONE || is_abstracted(k, route.receiver))
        return;
    uint32_t *slot =
        &change->tuple[1 + k->instances + k->model->instances.data[route.receiver].module];
    if (queue_length(k, *slot) >= k->options.queue_bound) {
        step->lost++;
        VECTOR_PUSH(&step->lost_at, k->model->instances.data[route.receiver].module);
        return;
    }
    assert(element_words(k, route.receiver, route.signal) == 2 + 2 * told.count);
    size_t count;
    const uint32_t *old = component(k, *slot, &count);
    struct capsule_numbers words = {0};
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&words, old[i]);
    VECTOR_PUSH(&words, route.receiver);
    VECTOR_PUSH(&words, route.signal);
    for (size_t i = 0; i < told.count; i++)
        push_word(&words, step->words.data[told.first + i]);
    *slot = interner_add(&k->components, words.data, words.count);
    VECTOR_FINISH(&words);
}

static void move_part(struct capsule_kernel *k, struct change *change, uint32_t instance,
                      const struct capsule_transition *t, const struct capsule_case *c,
                      struct valuation *v)
{
    struct capsule_numbers words = {0};
    size_t count;
    const uint32_t *old = component(k, change->tuple[1 + instance], &count);
    assert(old[0] != WORD_DEAD && "who is not there does not move");
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&words, old[i]);
    words.data[0] = WORD_LOCATION + k->info[instance].class_of[t->target];
    uint64_t timers = join_words(words.data + 1);
    for (size_t i = 0; i < c->timers.count; i++)
        timers |= (uint64_t)1 << c->timers.data[i];
    words.data[1] = (uint32_t)timers;
    words.data[2] = (uint32_t)(timers >> 32);
    const uint8_t *ignored = k->options.ignored != NULL
                                 ? k->options.ignored[k->model->instances.data[instance].module]
                                 : NULL;
    for (size_t i = 0; i < c->assignments.count; i++) {
        if (ignored != NULL && ignored[c->assignments.data[i].attribute])
            continue;
        uint64_t word = evaluate(v, c->assignments.data[i].value);
        uint32_t a = c->assignments.data[i].attribute;
        assert(4 + 2 * (size_t)a < words.count);
        words.data[3 + 2 * a] = (uint32_t)word;
        words.data[4 + 2 * a] = (uint32_t)(word >> 32);
    }
    set_part(k, change, instance, &words);
    VECTOR_FINISH(&words);
}

void apply_case(struct capsule_kernel *k, struct change *change, uint32_t instance,
                const struct capsule_transition *t, const struct capsule_case *c,
                const uint64_t *values)
{
    // The old values, kept aside: components move when new ones are added.
    size_t count;
    const uint32_t *now = component(k, change->tuple[1 + instance], &count);
    uint32_t *old = memory_alloc(count * sizeof *old);
    memcpy(old, now, count * sizeof *old);
    struct valuation v = {k, old + 3, values};
    const struct capsule_instance *node = &k->model->instances.data[instance];
    assert(count >= 3 && t->target < capsules_module_of(k->model, instance)->locations.count);
    move_part(k, change, instance, t, c, &v);
    for (size_t i = 0; i < c->created.count; i++)
        create_part(k, change, node->children.data[c->created.data[i]], true);
    for (size_t i = 0; i < c->outputs.count; i++)
        send(k, change, instance, &c->outputs.data[i], &v);
    for (size_t i = 0; i < c->destroyed.count; i++)
        if (!is_abstracted(k, node->children.data[c->destroyed.data[i]]))
            destroy_part(k, change, node->children.data[c->destroyed.data[i]]);
    k->counts.beyond_bound |= c->bound_exceeded;
    memory_free(old);
}
