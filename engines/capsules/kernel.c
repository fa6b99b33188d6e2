#include "engines/capsules/kernel.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/capsules/inside.h"

static void make_classes(struct capsule_kernel *k, uint32_t instance)
{
    const struct capsule_module *m = capsules_module_of(k->model, instance);
    struct instance_info *info = &k->info[instance];
    const uint32_t *groups =
        k->options.groups != NULL ? k->options.groups->of_location[instance] : NULL;
    info->class_of = memory_alloc((m->locations.count + 1) * sizeof *info->class_of);
    for (uint32_t l = 0; l < m->locations.count; l++) {
        uint32_t class = (uint32_t)info->classes.count;
        for (uint32_t o = 0; groups != NULL && groups[l] != CAPSULE_NONE && o < l; o++)
            if (groups[o] == groups[l])
                class = info->class_of[o];
        if (class == info->classes.count)
            VECTOR_PUSH(&info->classes, (struct location_class){0});
        VECTOR_PUSH(&info->classes.data[class].members, l);
        assert(class < info->classes.count);
        info->class_of[l] = class;
    }
}

static void note_slot(struct capsule_kernel *k, const struct term *variable, uint32_t slot)
{
    assert(variable->id < k->slot_count);
    k->slots[variable->id] = slot;
}

static void make_slots(struct capsule_kernel *k)
{
    k->slot_count = term_store_next_id(k->model->store);
    k->slots = memory_alloc((k->slot_count + 1) * sizeof *k->slots);
    memset(k->slots, 0xff, k->slot_count * sizeof *k->slots);
    for (size_t i = 0; i < k->model->modules.count; i++) {
        const struct capsule_module *m = &k->model->modules.data[i];
        for (uint32_t a = 0; a < m->attributes.count; a++)
            note_slot(k, m->attributes.data[a].term, a);
        for (size_t s = 0; s < m->signals.count; s++)
            for (uint32_t v = 0; v < m->signals.data[s].variables.count; v++)
                note_slot(k, m->signals.data[s].variables.data[v].term, SLOT_TRIGGER + v);
    }
}

static bool from_abstracted(const struct capsule_kernel *k, uint32_t instance, uint32_t signal)
{
    const struct capsule_numbers *senders =
        &k->model->instances.data[instance].senders.data[signal];
    for (size_t i = 0; i < senders->count; i++)
        if (is_abstracted(k, senders->data[i]))
            return true;
    return false;
}

// Does the choice of inputs leave any out?
static bool finds_restricted(const struct capsule_kernel *k)
{
    if (k->options.symbolic)
        return false;
    for (uint32_t i = 0; i < k->instances; i++) {
        const struct capsule_module *m = capsules_module_of(k->model, i);
        for (size_t t = 0; t < m->transitions.count && !is_abstracted(k, i); t++) {
            if (m->transitions.data[t].kind != CAPSULE_SIGNAL)
                continue;
            const struct capsule_signal *s = &m->signals.data[m->transitions.data[t].trigger];
            if (!s->external && !from_abstracted(k, i, m->transitions.data[t].trigger))
                continue;
            for (size_t v = 0; v < s->variables.count; v++)
                if (s->variables.data[v].term->sort->kind == SORT_INT &&
                    !s->variables.data[v].ranged)
                    return true;
        }
    }
    return false;
}

struct capsule_kernel *capsule_kernel_create(const struct capsules *model,
                                             const struct capsule_options *options,
                                             const char **why)
{
    for (size_t i = 0; i < model->modules.count; i++)
        if (model->modules.data[i].timers.count > 64) {
            *why = "a module has more than 64 timers";
            return NULL;
        }
    struct capsule_kernel *k = memory_zalloc(sizeof *k);
    k->model = model;
    k->options = *options;
    k->store = term_store_create(model->store);
    k->evaluator = evaluator_create(k->store);
    k->instances = (uint32_t)model->instances.count;
    k->queues = (uint32_t)model->modules.count;
    k->width = 1 + k->instances + k->queues;
    k->info = memory_zalloc(k->instances * sizeof *k->info);
    k->tuple = memory_alloc(k->width * sizeof *k->tuple);
    for (uint32_t i = 0; i < k->instances; i++)
        make_classes(k, i);
    make_slots(k);
    k->restricted = finds_restricted(k);
    return k;
}

void capsule_kernel_destroy(struct capsule_kernel *k)
{
    if (k == NULL)
        return;
    for (uint32_t i = 0; i < k->instances; i++) {
        for (size_t c = 0; c < k->info[i].classes.count; c++)
            VECTOR_FINISH(&k->info[i].classes.data[c].members);
        VECTOR_FINISH(&k->info[i].classes);
        memory_free(k->info[i].class_of);
    }
    memory_free(k->info);
    memory_free(k->tuple);
    memory_free(k->slots);
    interner_finish(&k->components);
    interner_finish(&k->states);
    interner_finish(&k->weak);
    interner_finish(&k->asked);
    interner_finish(&k->symbols);
    VECTOR_FINISH(&k->symbols_at);
    VECTOR_FINISH(&k->next_weak);
    VECTOR_FINISH(&k->first_weak);
    VECTOR_FINISH(&k->answers);
    VECTOR_FINISH(&k->common);
    VECTOR_FINISH(&k->scratch);
    VECTOR_FINISH(&k->step.words);
    VECTOR_FINISH(&k->step.outputs);
    VECTOR_FINISH(&k->step.lost_at);
    smt_destroy(k->solver);
    smt_context_destroy(k->smt);
    evaluator_destroy(k->evaluator);
    term_store_destroy(k->store);
    memory_free(k);
}

uint32_t capsule_kernel_start(struct capsule_kernel *k)
{
    if (k->states.count != 0)
        return 0;
    static const uint32_t DEAD = WORD_DEAD;
    for (uint32_t i = 0; i < k->instances; i++)
        k->tuple[1 + i] = interner_add(&k->components, &DEAD, 1);
    for (uint32_t q = 0; q < k->queues; q++)
        k->tuple[1 + k->instances + q] = interner_add(&k->components, NULL, 0);
    VECTOR_CLEAR(&k->common);
    VECTOR_PUSH(&k->common, 0);
    VECTOR_PUSH(&k->common, 0);
    if (k->options.limited)
        pull_start(k, &k->common);
    struct change change;
    change_begin(k, &change);
    create_part(k, &change, 0, false);
    k->each = NULL;
    k->step.lost = 0;
    change_emit(k, &change);
    assert(k->states.count == 1 && "the first state has number 0");
    return 0;
}

size_t element_words(const struct capsule_kernel *k, uint32_t receiver, uint32_t signal)
{
    return 2 + 2 * capsules_module_of(k->model, receiver)->signals.data[signal].variables.count;
}

bool first_element(const struct capsule_kernel *k, uint32_t instance, size_t *at, uint32_t *signal)
{
    uint32_t module = k->model->instances.data[instance].module;
    size_t count;
    const uint32_t *words = component(k, k->tuple[1 + k->instances + module], &count);
    for (size_t i = 0; i < count; i += element_words(k, words[i], words[i + 1])) {
        if (words[i] == instance) {
            *at = i;
            *signal = words[i + 1];
            return true;
        }
        if (k->options.head_only)
            return false;
    }
    return false;
}

static const uint32_t *part_words(const struct capsule_kernel *k, uint32_t instance)
{
    size_t count;
    return component(k, k->tuple[1 + instance], &count);
}

// One way to take a transition: from which rule, with which values, and what to take from where.
struct firing {
    enum capsule_rule rule;
    uint32_t instance;
    uint32_t transition;
    const uint64_t *values;
    size_t value_count;
    size_t element;                       // match: its place in the queue
    const struct capsule_numbers *common; // symbolic inputs add to it
};

static void begin_step(struct capsule_kernel *k, enum capsule_rule rule, uint32_t instance,
                       const uint64_t *values, size_t count)
{
    assert(instance < k->instances);
    struct capsule_step *s = &k->step;
    s->rule = rule;
    s->instance = instance;
    s->lost = 0;
    s->certain = s->total = true;
    s->beyond = false;
    VECTOR_CLEAR(&s->lost_at);
    s->value_count = count;
    VECTOR_CLEAR(&s->words);
    VECTOR_CLEAR(&s->outputs);
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&s->words, values[i]);
}

static void take_common(struct change *change, const struct capsule_numbers *common)
{
    if (common == NULL)
        return;
    VECTOR_CLEAR(&change->common);
    for (size_t i = 0; i < common->count; i++)
        VECTOR_PUSH(&change->common, common->data[i]);
}

static void take_trigger(struct capsule_kernel *k, struct change *change, const struct firing *f,
                         const struct capsule_transition *t)
{
    if (f->rule == RULE_MATCH)
        remove_element(k, change, k->model->instances.data[f->instance].module, f->element,
                       element_words(k, f->instance, t->trigger));
    if (f->rule == RULE_TIMEOUT) {
        size_t count;
        const uint32_t *old = component(k, change->tuple[1 + f->instance], &count);
        struct capsule_numbers words = {0};
        for (size_t i = 0; i < count; i++)
            VECTOR_PUSH(&words, old[i]);
        assert(t->trigger < 64 && (join_words(words.data + 1) >> t->trigger & 1) != 0 &&
               "what runs out was set");
        words.data[1 + t->trigger / 32] &= ~((uint32_t)1 << t->trigger % 32);
        change->tuple[1 + f->instance] = interner_add(&k->components, words.data, words.count);
        VECTOR_FINISH(&words);
    }
}

// Can it happen, and under which condition? Symbolic: the part's words may move, so they are copied.
static bool may_happen(struct capsule_kernel *k, const struct firing *f, const struct term *guard,
                       const struct term *condition, const struct term **join)
{
    *join = NULL;
    if (term_is_true(guard) && term_is_true(condition))
        return true;
    struct valuation v = {k, part_words(k, f->instance) + 3, f->values};
    if (!k->options.symbolic)
        return value_is_true((struct value){evaluate(&v, guard)}) &&
               value_is_true((struct value){evaluate(&v, condition)});
    *join = term_and2(k->store, evaluate_term(&v, guard), evaluate_term(&v, condition));
    const struct capsule_numbers *common = f->common != NULL ? f->common : &k->common;
    enum smt_result result = condition_feasible(k, common, *join);
    return result != SMT_UNSAT;
}

// Whatever the values, some case of the transition can be taken.
static bool always_goes(struct capsule_kernel *k, const struct capsule_transition *t)
{
    const struct term *some = term_false(k->store);
    for (size_t i = 0; i < t->cases.count; i++)
        some = term_or2(k->store, some, t->cases.data[i].condition);
    return term_is_true(t->guard) && term_is_true(some);
}

// Has everything that the state stands for this step? Where only values from outside decide, some of them do it for all.
static bool is_certain(struct capsule_kernel *k, const struct firing *f, const struct term *join)
{
    if (join == NULL || term_is_true(join))
        return true;
    if (!k->options.certainty)
        return false;
    const struct capsule_numbers *common = f->common != NULL ? f->common : &k->common;
    if (f->common != NULL && only_fresh(k, join, k->common.data[0]))
        return true;
    return condition_feasible(k, common, term_not(k->store, join)) == SMT_UNSAT;
}

static void fire(struct capsule_kernel *k, const struct firing *f)
{
    const struct capsule_module *m = capsules_module_of(k->model, f->instance);
    const struct capsule_transition *t = &m->transitions.data[f->transition];
    assert(f->rule != RULE_MATCH || t->kind == CAPSULE_SIGNAL);
    for (uint32_t i = 0; i < t->cases.count; i++) {
        const struct term *join;
        if (!may_happen(k, f, t->guard, t->cases.data[i].condition, &join))
            continue;
        begin_step(k, f->rule, f->instance, f->values, f->value_count);
        k->step.kind = t->kind;
        k->step.trigger = t->trigger;
        k->step.transition = f->transition;
        k->step.which_case = i;
        k->step.beyond = t->cases.data[i].bound_exceeded;
        k->step.certain = is_certain(k, f, join);
        k->step.total = f->rule == RULE_MATCH || always_goes(k, t);
        struct change change;
        change_begin(k, &change);
        take_common(&change, f->common);
        if (join != NULL)
            condition_add(k, &change.common, join);
        take_trigger(k, &change, f, t);
        apply_case(k, &change, f->instance, t, &t->cases.data[i], f->values);
        change_emit(k, &change);
    }
}

static const struct location_class *class_here(const struct capsule_kernel *k, uint32_t instance)
{
    uint32_t word = part_words(k, instance)[0];
    const struct instance_info *info = &k->info[instance];
    assert(word != WORD_DEAD);
    if (word < WORD_LOCATION || word - WORD_LOCATION >= info->classes.count)
        return NULL;
    return &info->classes.data[word - WORD_LOCATION];
}

static bool leaves(const struct location_class *class, const struct capsule_transition *t)
{
    for (size_t i = 0; i < class->members.count; i++)
        if (t->source == class->members.data[i])
            return true;
    return false;
}

// The condition under which nothing is triggered from one location.
static bool may_drop_at(struct capsule_kernel *k, const struct firing *f, uint32_t location,
                        uint32_t signal, const struct term **join)
{
    const struct capsule_module *m = capsules_module_of(k->model, f->instance);
    *join = term_true(k->store);
    for (size_t i = 0; i < m->transitions.count; i++) {
        const struct capsule_transition *t = &m->transitions.data[i];
        if (t->source != location || t->kind != CAPSULE_SIGNAL || t->trigger != signal)
            continue;
        struct valuation v = {k, part_words(k, f->instance) + 3, f->values};
        const struct term *enabled = term_false(k->store);
        for (size_t c = 0; c < t->cases.count; c++)
            enabled = term_or2(k->store, enabled, t->cases.data[c].condition);
        const struct term *guard = term_and2(k->store, t->guard, enabled);
        if (k->options.symbolic)
            *join = term_and2(k->store, *join, term_not(k->store, evaluate_term(&v, guard)));
        else if (value_is_true((struct value){evaluate(&v, guard)}))
            *join = term_false(k->store);
    }
    if (term_is_false(*join))
        return false;
    return !k->options.symbolic || condition_feasible(k, &k->common, *join) != SMT_UNSAT;
}

static void drop(struct capsule_kernel *k, const struct firing *f, uint32_t signal,
                 const struct location_class *class)
{
    bool concrete_done = false;
    size_t members = class != NULL ? class->members.count : 1;
    for (size_t i = 0; i < members && !concrete_done; i++) {
        const struct term *join;
        uint32_t location = class != NULL ? class->members.data[i] : CAPSULE_NONE - 1;
        if (!may_drop_at(k, f, location, signal, &join))
            continue;
        begin_step(k, RULE_DROP, f->instance, f->values, f->value_count);
        k->step.kind = CAPSULE_SIGNAL;
        k->step.trigger = signal;
        k->step.transition = CAPSULE_NONE;
        k->step.which_case = 0;
        k->step.certain = is_certain(k, f, join);
        struct change change;
        change_begin(k, &change);
        condition_add(k, &change.common, join);
        remove_element(k, &change, k->model->instances.data[f->instance].module, f->element,
                       element_words(k, f->instance, signal));
        change_emit(k, &change);
        concrete_done = !k->options.symbolic || term_is_true(join);
    }
}

static void match(struct capsule_kernel *k, uint32_t instance, struct capsule_value_words *values)
{
    const struct capsule_module *m = capsules_module_of(k->model, instance);
    size_t at, count;
    uint32_t signal;
    if (!first_element(k, instance, &at, &signal))
        return;
    uint32_t module = k->model->instances.data[instance].module;
    const uint32_t *words = component(k, k->tuple[1 + k->instances + module], &count);
    VECTOR_CLEAR(values);
    for (size_t i = 0; i < m->signals.data[signal].variables.count; i++)
        VECTOR_PUSH(values, join_words(words + at + 2 + 2 * i));
    struct firing f = {.rule = RULE_MATCH,
                       .instance = instance,
                       .values = values->data,
                       .value_count = values->count,
                       .element = at};
    const struct location_class *class = class_here(k, instance);
    for (uint32_t i = 0; class != NULL && i < m->transitions.count; i++) {
        const struct capsule_transition *t = &m->transitions.data[i];
        f.transition = i;
        if (t->kind == CAPSULE_SIGNAL && t->trigger == signal && leaves(class, t))
            fire(k, &f);
    }
    drop(k, &f, signal, class);
}

static void timeouts(struct capsule_kernel *k, uint32_t instance)
{
    const struct capsule_module *m = capsules_module_of(k->model, instance);
    const struct location_class *class = class_here(k, instance);
    for (uint32_t i = 0; class != NULL && i < m->transitions.count; i++) {
        const struct capsule_transition *t = &m->transitions.data[i];
        if (t->kind != CAPSULE_TIMER || !leaves(class, t))
            continue;
        if ((join_words(part_words(k, instance) + 1) >> t->trigger & 1) == 0)
            continue;
        fire(k, &(struct firing){.rule = RULE_TIMEOUT, .instance = instance, .transition = i});
    }
}

static void symbolic_input(struct capsule_kernel *k, struct firing *f,
                           const struct capsule_signal *signal, struct capsule_value_words *values)
{
    struct capsule_numbers common = {0};
    for (size_t i = 0; i < k->common.count; i++)
        VECTOR_PUSH(&common, k->common.data[i]);
    for (size_t i = 0; i < signal->variables.count; i++) {
        const struct capsule_variable *v = &signal->variables.data[i];
        const struct term *s = fresh_symbol(k, &common, v->term->sort->kind == SORT_BOOL);
        VECTOR_PUSH(values, (uint64_t)(uintptr_t)s);
        if (v->ranged && f->rule == RULE_EXTERNAL)
            condition_add(k, &common,
                          term_and2(k->store, term_le(k->store, term_int(k->store, v->low), s),
                                    term_le(k->store, s, term_int(k->store, v->high))));
    }
    assert(values->count == signal->variables.count);
    f->values = values->data;
    f->value_count = values->count;
    f->common = &common;
    fire(k, f);
    VECTOR_FINISH(&common);
}

static void concrete_inputs(struct capsule_kernel *k, struct firing *f,
                            const struct capsule_signal *signal, struct capsule_value_words *values)
{
    size_t at = values->count;
    if (at == signal->variables.count) {
        f->values = values->data;
        f->value_count = values->count;
        fire(k, f);
        return;
    }
    const struct capsule_variable *v = &signal->variables.data[at];
    assert(at < signal->variables.count && !k->options.symbolic);
    bool boolean = v->term->sort->kind == SORT_BOOL;
    bool ranged = v->ranged && f->rule == RULE_EXTERNAL;
    int64_t low = boolean ? 0 : ranged ? v->low : k->options.low;
    int64_t high = boolean ? 1 : ranged ? v->high : k->options.high;
    for (int64_t i = low; i <= high; i++) {
        VECTOR_PUSH(values, value_small(i).bits);
        concrete_inputs(k, f, signal, values);
        values->count = at;
    }
}

static void inputs(struct capsule_kernel *k, uint32_t instance, struct capsule_value_words *values)
{
    const struct capsule_module *m = capsules_module_of(k->model, instance);
    const struct location_class *class = class_here(k, instance);
    for (uint32_t i = 0; class != NULL && i < m->transitions.count; i++) {
        const struct capsule_transition *t = &m->transitions.data[i];
        if (t->kind != CAPSULE_SIGNAL || !leaves(class, t))
            continue;
        const struct capsule_signal *signal = &m->signals.data[t->trigger];
        bool abstracted = from_abstracted(k, instance, t->trigger);
        if (!signal->external && !abstracted)
            continue;
        struct firing f = {.rule = signal->external ? RULE_EXTERNAL : RULE_ABSTRACTED,
                           .instance = instance,
                           .transition = i};
        VECTOR_CLEAR(values);
        if (k->options.symbolic)
            symbolic_input(k, &f, signal, values);
        else
            concrete_inputs(k, &f, signal, values);
    }
}

static bool is_initial(const struct capsule_kernel *k, uint32_t instance)
{
    return part_words(k, instance)[0] == WORD_INITIAL;
}

static bool may_move(const struct capsule_kernel *k, uint32_t instance)
{
    return part_words(k, instance)[0] != WORD_DEAD && pull_explored(k, instance);
}

static void initialise(struct capsule_kernel *k, struct change *change, uint32_t instance)
{
    const struct capsule_instance *node = &k->model->instances.data[instance];
    for (size_t i = 0; i < node->children.count; i++)
        if (is_initial(k, node->children.data[i]) && pull_explored(k, node->children.data[i]))
            initialise(k, change, node->children.data[i]);
    const struct capsule_module *m = &k->model->modules.data[node->module];
    const struct capsule_transition *t = &m->transitions.data[m->initial];
    // The label says what the part itself sends.
    assert(m->initial < m->transitions.count && t->cases.count > 0);
    VECTOR_CLEAR(&k->step.outputs);
    k->step.beyond |= t->cases.data[0].bound_exceeded;
    apply_case(k, change, instance, t, &t->cases.data[0], NULL);
}

static bool has_initial_ancestor(const struct capsule_kernel *k, uint32_t instance)
{
    for (uint32_t up = k->model->instances.data[instance].parent; up != CAPSULE_NONE;
         up = k->model->instances.data[up].parent)
        if (is_initial(k, up))
            return true;
    return false;
}

static bool defaults(struct capsule_kernel *k)
{
    bool some = false;
    for (uint32_t i = 0; i < k->instances; i++) {
        if (!may_move(k, i) || !is_initial(k, i))
            continue;
        some = true;
        if (has_initial_ancestor(k, i))
            continue;
        begin_step(k, RULE_DEFAULT, i, NULL, 0);
        k->step.kind = CAPSULE_INIT;
        k->step.trigger = 0;
        k->step.transition = capsules_module_of(k->model, i)->initial;
        k->step.which_case = 0;
        struct change change;
        change_begin(k, &change);
        initialise(k, &change, i);
        change_emit(k, &change);
    }
    return some;
}

static void load(struct capsule_kernel *k, uint32_t state)
{
    size_t count;
    const uint32_t *tuple = interner_get(&k->states, state, &count);
    assert(count == k->width);
    memcpy(k->tuple, tuple, count * sizeof *tuple);
    const uint32_t *common = component(k, k->tuple[0], &count);
    VECTOR_CLEAR(&k->common);
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&k->common, common[i]);
    assert(k->common.count >= pull_words(&k->common));
}

bool capsule_kernel_steps(struct capsule_kernel *k, uint32_t state, capsule_each each,
                          void *context)
{
    load(k, state);
    k->each = each;
    k->context = context;
    if (k->options.limited && pull_steps(k))
        return true;
    if (!defaults(k)) {
        struct capsule_value_words values = {0};
        for (uint32_t i = 0; i < k->instances; i++) {
            if (!may_move(k, i))
                continue;
            match(k, i, &values);
            timeouts(k, i);
            inputs(k, i, &values);
        }
        VECTOR_FINISH(&values);
    }
    bool stopped =
        k->options.stop != NULL && atomic_load_explicit(k->options.stop, memory_order_relaxed) != 0;
    return !stopped;
}

struct capsule_counts capsule_kernel_counts(const struct capsule_kernel *k)
{
    return k->counts;
}

size_t capsule_kernel_bytes(const struct capsule_kernel *k)
{
    return interner_bytes(&k->components) + interner_bytes(&k->states) + interner_bytes(&k->weak) +
           interner_bytes(&k->asked) + interner_bytes(&k->symbols) +
           k->symbols_at.capacity * sizeof *k->symbols_at.data + term_store_bytes(k->store);
}

bool capsule_kernel_restricted(const struct capsule_kernel *k)
{
    return k->restricted;
}

static const uint32_t *words_of(const struct capsule_kernel *k, uint32_t state, uint32_t which,
                                size_t *count)
{
    size_t width;
    return component(k, interner_get(&k->states, state, &width)[which], count);
}

struct capsule_part_view capsule_kernel_part(const struct capsule_kernel *k, uint32_t state,
                                             uint32_t instance)
{
    size_t count;
    const uint32_t *words = words_of(k, state, 1 + instance, &count);
    assert(instance < k->instances && count > 0);
    struct capsule_part_view view = {.location = CAPSULE_NONE};
    if (words[0] == WORD_DEAD)
        return view;
    view.alive = true;
    view.initial = words[0] == WORD_INITIAL;
    view.timers = join_words(words + 1);
    const struct instance_info *info = &k->info[instance];
    if (!view.initial && words[0] - WORD_LOCATION < info->classes.count)
        view.location = info->classes.data[words[0] - WORD_LOCATION].members.data[0];
    return view;
}

const struct term *capsule_kernel_evaluate(struct capsule_kernel *k, uint32_t state,
                                           uint32_t instance, const struct term *expression)
{
    size_t count;
    const uint32_t *words = words_of(k, state, 1 + instance, &count);
    struct valuation v = {k, words + 3, NULL};
    return evaluate_term(&v, expression);
}

// Where an element's words begin.
static size_t element_at(const struct capsule_kernel *k, const uint32_t *words, size_t at)
{
    size_t i = 0;
    while (at-- > 0)
        i += element_words(k, words[i], words[i + 1]);
    return i;
}

size_t capsule_kernel_queue_length(const struct capsule_kernel *k, uint32_t state, uint32_t module)
{
    size_t count, length = 0;
    const uint32_t *words = words_of(k, state, 1 + k->instances + module, &count);
    for (size_t i = 0; i < count; length++)
        i += element_words(k, words[i], words[i + 1]);
    assert(length <= k->options.queue_bound);
    return length;
}

struct capsule_element_view capsule_kernel_element(const struct capsule_kernel *k, uint32_t state,
                                                   uint32_t module, size_t at)
{
    size_t count;
    const uint32_t *words = words_of(k, state, 1 + k->instances + module, &count);
    size_t i = element_at(k, words, at);
    return (struct capsule_element_view){words[i], words[i + 1]};
}

const struct term *capsule_kernel_argument(struct capsule_kernel *k, uint32_t state,
                                           uint32_t module, size_t at, uint32_t variable)
{
    size_t count;
    const uint32_t *words = words_of(k, state, 1 + k->instances + module, &count);
    size_t i = element_at(k, words, at);
    const struct capsule_module *m = capsules_module_of(k->model, words[i]);
    assert(variable < m->signals.data[words[i + 1]].variables.count);
    const struct sort *sort = m->signals.data[words[i + 1]].variables.data[variable].term->sort;
    return capsule_kernel_term(k, sort, join_words(words + i + 2 + 2 * variable));
}

enum smt_result capsule_kernel_feasible(struct capsule_kernel *k, uint32_t state,
                                        const struct term *formula)
{
    size_t count;
    const uint32_t *words = words_of(k, state, 0, &count);
    struct capsule_numbers common = {0};
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&common, words[i]);
    enum smt_result result = condition_feasible(k, &common, formula);
    VECTOR_FINISH(&common);
    return result;
}
