#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/capsules/inside.h"

// Limited exploration: only the wanted parts move, and the parts whose signals they wait for, until those have come.
//
// So that pulling never goes round in circles, a pull that is on the stack is not pushed again, and going back to the
// wanted parts ("remove all") keeps the stack until one of them has moved: as long as nothing moves, the stack only grows.

static size_t mask_words(const struct capsule_kernel *k)
{
    return (k->instances + 31) / 32;
}

static const uint32_t *mask_of(const struct capsule_kernel *k, const struct capsule_numbers *common)
{
    (void)k;
    return common->data + pull_words(common);
}

static bool in_mask(const uint32_t *mask, uint32_t instance)
{
    return (mask[instance / 32] >> instance % 32 & 1) != 0;
}

static void set_wanted(const struct capsule_kernel *k, uint32_t *mask)
{
    memset(mask, 0, mask_words(k) * sizeof *mask);
    for (uint32_t i = 0; i < k->instances; i++)
        if (k->options.wanted[i])
            mask[i / 32] |= (uint32_t)1 << i % 32;
}

static void set_only(const struct capsule_kernel *k, uint32_t *mask, uint32_t instance)
{
    assert(instance < k->instances);
    memset(mask, 0, mask_words(k) * sizeof *mask);
    mask[instance / 32] |= (uint32_t)1 << instance % 32;
}

static bool explores_wanted(const struct capsule_kernel *k, const uint32_t *mask)
{
    for (uint32_t i = 0; i < k->instances; i++)
        if (in_mask(mask, i) != (k->options.wanted[i] != 0))
            return false;
    return true;
}

void pull_start(struct capsule_kernel *k, struct capsule_numbers *common)
{
    size_t at = common->count;
    for (size_t i = 0; i < mask_words(k); i++)
        VECTOR_PUSH(common, 0);
    set_wanted(k, common->data + at);
}

bool pull_explored(const struct capsule_kernel *k, uint32_t instance)
{
    return !k->options.limited || in_mask(mask_of(k, &k->common), instance);
}

static size_t stack_begin(const struct capsule_kernel *k)
{
    return pull_words(&k->common) + mask_words(k);
}

static size_t stack_height(const struct capsule_kernel *k)
{
    assert(k->common.count >= stack_begin(k) && (k->common.count - stack_begin(k)) % 3 == 0);
    return (k->common.count - stack_begin(k)) / 3;
}

static struct pulls pull_at(const struct capsule_kernel *k, size_t i)
{
    assert(i < stack_height(k));
    const uint32_t *three = k->common.data + stack_begin(k) + 3 * i;
    return (struct pulls){three[0], three[1], three[2]};
}

static uint32_t location_word(const struct capsule_kernel *k, uint32_t instance)
{
    size_t count;
    return component(k, k->tuple[1 + instance], &count)[0];
}

static bool is_there(const struct capsule_kernel *k, uint32_t instance)
{
    if (location_word(k, instance) == WORD_DEAD)
        return false;
    for (uint32_t up = k->model->instances.data[instance].parent; up != CAPSULE_NONE;
         up = k->model->instances.data[up].parent)
        if (location_word(k, up) == WORD_INITIAL)
            return false;
    return true;
}

static bool is_queued(const struct capsule_kernel *k, uint32_t receiver, uint32_t signal)
{
    size_t count;
    uint32_t module = k->model->instances.data[receiver].module;
    const uint32_t *words = component(k, k->tuple[1 + k->instances + module], &count);
    for (size_t i = 0; i < count; i += element_words(k, words[i], words[i + 1]))
        if (words[i] == receiver && (signal == CAPSULE_NONE || words[i + 1] == signal))
            return true;
    return false;
}

static bool has_arrived(const struct capsule_kernel *k, const struct pulls *pull)
{
    if (pull->signal == CAPSULE_NONE)
        return is_there(k, pull->receiver);
    return is_queued(k, pull->receiver, pull->signal);
}

static void emit_pull(struct capsule_kernel *k, struct change *change, uint32_t instance)
{
    struct capsule_step *s = &k->step;
    s->rule = RULE_PULL;
    s->instance = instance;
    s->transition = CAPSULE_NONE;
    s->kind = CAPSULE_SIGNAL;
    s->trigger = s->which_case = s->lost = 0;
    s->value_count = 0;
    s->certain = s->total = true;
    VECTOR_CLEAR(&s->lost_at);
    VECTOR_CLEAR(&s->words);
    VECTOR_CLEAR(&s->outputs);
    change_emit(k, change);
}

static uint32_t *changed_mask(const struct capsule_kernel *k, struct change *change)
{
    (void)k;
    return change->common.data + pull_words(&change->common);
}

static bool remove_pulled(struct capsule_kernel *k)
{
    size_t height = stack_height(k);
    if (height == 0 || explores_wanted(k, mask_of(k, &k->common)))
        return false;
    struct pulls top = pull_at(k, height - 1);
    if (!has_arrived(k, &top))
        return false;
    struct change change;
    change_begin(k, &change);
    change.common.count -= 3;
    if (height == 1)
        set_wanted(k, changed_mask(k, &change));
    else
        set_only(k, changed_mask(k, &change), pull_at(k, height - 2).sender);
    emit_pull(k, &change, top.receiver);
    return true;
}

static bool on_stack(const struct capsule_kernel *k, const struct pulls *pull)
{
    for (size_t i = 0; i < stack_height(k); i++) {
        struct pulls other = pull_at(k, i);
        if (other.signal == pull->signal && other.sender == pull->sender &&
            other.receiver == pull->receiver)
            return true;
    }
    return false;
}

static bool push(struct capsule_kernel *k, struct pulls pull)
{
    if (on_stack(k, &pull))
        return false;
    struct change change;
    change_begin(k, &change);
    VECTOR_PUSH(&change.common, pull.signal);
    VECTOR_PUSH(&change.common, pull.sender);
    VECTOR_PUSH(&change.common, pull.receiver);
    set_only(k, changed_mask(k, &change), pull.sender);
    if (stack_height(k) + 1 > k->counts.deepest_pull)
        k->counts.deepest_pull = (uint32_t)stack_height(k) + 1;
    emit_pull(k, &change, pull.receiver);
    return true;
}

// A part that is not there yet waits for its container.
static bool pull_default(struct capsule_kernel *k)
{
    for (uint32_t i = 1; i < k->instances; i++) {
        if (!pull_explored(k, i) || is_there(k, i))
            continue;
        uint32_t parent = k->model->instances.data[i].parent;
        if (!pull_explored(k, parent) && push(k, (struct pulls){CAPSULE_NONE, parent, i}))
            return true;
    }
    return false;
}

// The transitions that an explored part can take here, by signals of others.
static void pull_for(struct capsule_kernel *k, uint32_t instance, bool *remove_all)
{
    const struct capsule_module *m = capsules_module_of(k->model, instance);
    uint32_t word = location_word(k, instance);
    if (word < WORD_LOCATION || is_queued(k, instance, CAPSULE_NONE))
        return;
    const struct instance_info *info = &k->info[instance];
    for (size_t i = 0; i < m->transitions.count; i++) {
        const struct capsule_transition *t = &m->transitions.data[i];
        if (t->kind != CAPSULE_SIGNAL || info->class_of[t->source] != word - WORD_LOCATION)
            continue;
        const struct capsule_numbers *senders =
            &k->model->instances.data[instance].senders.data[t->trigger];
        for (size_t j = 0; j < senders->count; j++) {
            uint32_t sender = senders->data[j];
            if (k->options.wanted[sender])
                *remove_all = true;
            else if (!pull_explored(k, sender) && !is_abstracted(k, sender))
                push(k, (struct pulls){t->trigger, sender, instance});
        }
    }
}

bool pull_steps(struct capsule_kernel *k)
{
    if (remove_pulled(k) || pull_default(k))
        return true;
    bool remove_all = false;
    for (uint32_t i = 0; i < k->instances; i++)
        if (pull_explored(k, i))
            pull_for(k, i, &remove_all);
    if (remove_all && !explores_wanted(k, mask_of(k, &k->common))) {
        struct change change;
        change_begin(k, &change);
        set_wanted(k, changed_mask(k, &change));
        emit_pull(k, &change, 0);
    }
    return false;
}

void pull_settle(struct capsule_kernel *k, struct capsule_numbers *common)
{
    if (!explores_wanted(k, mask_of(k, common)))
        return;
    assert(common->count >= pull_words(common) + mask_words(k));
    common->count = pull_words(common) + mask_words(k);
}
