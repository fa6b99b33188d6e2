#include "model/capsules/interpret.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "logic/terms/eval.h"

const char *capsule_rule_name(enum capsule_rule rule)
{
    static const char *const NAMES[] = {"default", "match",      "external", "timeout",
                                        "drop",    "abstracted", "pull"};
    return NAMES[rule];
}

struct plain_interpreter {
    const struct capsules *model;
    uint32_t queue_bound;
    bool head_only;
    struct term_store *store;
    struct evaluator *evaluator;
};

struct plain_interpreter *plain_interpreter_create(const struct capsules *model,
                                                   uint32_t queue_bound, bool head_only)
{
    assert(model->instances.count > 0);
    struct plain_interpreter *in = memory_zalloc(sizeof *in);
    in->model = model;
    in->queue_bound = queue_bound;
    in->head_only = head_only;
    in->store = term_store_create(model->store);
    in->evaluator = evaluator_create(in->store);
    return in;
}

void plain_interpreter_destroy(struct plain_interpreter *in)
{
    if (in == NULL)
        return;
    evaluator_destroy(in->evaluator);
    term_store_destroy(in->store);
    memory_free(in);
}

struct term_store *plain_interpreter_store(struct plain_interpreter *in)
{
    return in->store;
}

static void finish_part(struct plain_part *part)
{
    VECTOR_FINISH(&part->attributes);
    VECTOR_FINISH(&part->timers);
}

void plain_destroy(struct plain_state *state)
{
    if (state == NULL)
        return;
    for (size_t i = 0; i < state->parts.count; i++)
        finish_part(&state->parts.data[i]);
    for (size_t i = 0; i < state->queues.count; i++) {
        for (size_t j = 0; j < state->queues.data[i].elements.count; j++)
            VECTOR_FINISH(&state->queues.data[i].elements.data[j].values);
        VECTOR_FINISH(&state->queues.data[i].elements);
    }
    VECTOR_FINISH(&state->parts);
    VECTOR_FINISH(&state->queues);
    memory_free(state);
}

static struct plain_state *copy_state(const struct plain_state *from)
{
    struct plain_state *to = memory_zalloc(sizeof *to);
    for (size_t i = 0; i < from->parts.count; i++) {
        const struct plain_part *p = &from->parts.data[i];
        struct plain_part q = {p->alive, p->initial, p->location, {0}, {0}};
        for (size_t j = 0; j < p->attributes.count; j++)
            VECTOR_PUSH(&q.attributes, p->attributes.data[j]);
        for (size_t j = 0; j < p->timers.count; j++)
            VECTOR_PUSH(&q.timers, p->timers.data[j]);
        VECTOR_PUSH(&to->parts, q);
    }
    for (size_t i = 0; i < from->queues.count; i++) {
        struct plain_queue q = {0};
        for (size_t j = 0; j < from->queues.data[i].elements.count; j++) {
            const struct plain_element *e = &from->queues.data[i].elements.data[j];
            struct plain_element f = {.receiver = e->receiver, .signal = e->signal};
            for (size_t k = 0; k < e->values.count; k++)
                VECTOR_PUSH(&f.values, e->values.data[k]);
            VECTOR_PUSH(&q.elements, f);
        }
        VECTOR_PUSH(&to->queues, q);
    }
    return to;
}

static bool equal_parts(const struct plain_part *a, const struct plain_part *b)
{
    if (a->alive != b->alive)
        return false;
    if (!a->alive)
        return true;
    if (a->initial != b->initial || a->location != b->location)
        return false;
    for (size_t i = 0; i < a->attributes.count; i++)
        if (!value_equal(a->attributes.data[i], b->attributes.data[i]))
            return false;
    for (size_t i = 0; i < a->timers.count; i++)
        if (a->timers.data[i] != b->timers.data[i])
            return false;
    return true;
}

static bool equal_elements(const struct plain_element *a, const struct plain_element *b)
{
    if (a->receiver != b->receiver || a->signal != b->signal)
        return false;
    for (size_t i = 0; i < a->values.count; i++)
        if (!value_equal(a->values.data[i], b->values.data[i]))
            return false;
    return true;
}

bool plain_equal(const struct plain_state *a, const struct plain_state *b)
{
    assert(a->parts.count == b->parts.count && a->queues.count == b->queues.count);
    for (size_t i = 0; i < a->parts.count; i++)
        if (!equal_parts(&a->parts.data[i], &b->parts.data[i]))
            return false;
    for (size_t i = 0; i < a->queues.count; i++) {
        const struct plain_queue *p = &a->queues.data[i], *q = &b->queues.data[i];
        if (p->elements.count != q->elements.count)
            return false;
        for (size_t j = 0; j < p->elements.count; j++)
            if (!equal_elements(&p->elements.data[j], &q->elements.data[j]))
                return false;
    }
    return true;
}

struct names { // what variables stand for while an expression is evaluated
    const struct capsule_module *module;
    const struct value *attributes;
    const struct capsule_signal *signal;
    const struct value *values;
};

static struct value look_up(void *context, const struct term *variable)
{
    const struct names *n = context;
    for (size_t i = 0; i < n->module->attributes.count; i++)
        if (n->module->attributes.data[i].term == variable)
            return n->attributes[i];
    for (size_t i = 0; n->signal != NULL && i < n->signal->variables.count; i++)
        if (n->signal->variables.data[i].term == variable)
            return n->values[i];
    assert(false);
    return VALUE_UNKNOWN;
}

static struct value evaluate(struct plain_interpreter *in, struct names *names,
                             const struct term *t)
{
    return evaluator_run(in->evaluator, t, look_up, names);
}

static bool holds(struct plain_interpreter *in, struct names *names, const struct term *t)
{
    return value_is_true(evaluate(in, names, t));
}

static void create(struct plain_interpreter *in, struct plain_state *state, uint32_t instance)
{
    const struct capsule_instance *node = &in->model->instances.data[instance];
    const struct capsule_module *m = &in->model->modules.data[node->module];
    struct plain_part *part = &state->parts.data[instance];
    if (part->alive)
        return;
    part->alive = true;
    part->initial = m->initial != CAPSULE_NONE;
    part->location = CAPSULE_NONE;
    VECTOR_CLEAR(&part->attributes);
    VECTOR_CLEAR(&part->timers);
    for (size_t i = 0; i < m->attributes.count; i++)
        VECTOR_PUSH(&part->attributes, term_value(m->attributes.data[i].initial));
    for (size_t i = 0; i < m->timers.count; i++)
        VECTOR_PUSH(&part->timers, false);
    for (size_t i = 0; i < m->parts.count; i++)
        if (m->parts.data[i].fixed)
            create(in, state, node->children.data[i]);
}

static void remove_at(struct plain_queue *queue, size_t at)
{
    assert(at < queue->elements.count);
    VECTOR_FINISH(&queue->elements.data[at].values);
    memmove(queue->elements.data + at, queue->elements.data + at + 1,
            (queue->elements.count - at - 1) * sizeof *queue->elements.data);
    queue->elements.count--;
}

static void destroy(struct plain_interpreter *in, struct plain_state *state, uint32_t instance)
{
    const struct capsule_instance *node = &in->model->instances.data[instance];
    for (size_t i = 0; i < node->children.count; i++)
        destroy(in, state, node->children.data[i]);
    state->parts.data[instance].alive = false;
    struct plain_queue *queue = &state->queues.data[node->module];
    for (size_t i = queue->elements.count; i-- > 0;)
        if (queue->elements.data[i].receiver == instance)
            remove_at(queue, i);
}

struct plain_state *plain_interpreter_start(struct plain_interpreter *in)
{
    struct plain_state *state = memory_zalloc(sizeof *state);
    for (size_t i = 0; i < in->model->instances.count; i++)
        VECTOR_PUSH(&state->parts, (struct plain_part){0});
    for (size_t i = 0; i < in->model->modules.count; i++)
        VECTOR_PUSH(&state->queues, (struct plain_queue){0});
    create(in, state, 0);
    return state;
}

void plain_step_finish(struct plain_step *step)
{
    for (size_t i = 0; i < step->outputs.count; i++)
        VECTOR_FINISH(&step->outputs.data[i].values);
    VECTOR_FINISH(&step->outputs);
    VECTOR_FINISH(&step->values);
    VECTOR_FINISH(&step->lost_at);
}

static void send(struct plain_interpreter *in, struct plain_state *state, uint32_t instance,
                 const struct capsule_output *output, struct names *names, struct plain_step *step)
{
    struct plain_output told = {.signal = output->signal};
    struct capsule_route route = in->model->instances.data[instance].routes.data[output->signal];
    struct plain_element element = {.receiver = route.receiver, .signal = route.signal};
    for (size_t i = 0; i < output->arguments.count; i++) {
        struct value v = evaluate(in, names, output->arguments.data[i]);
        VECTOR_PUSH(&told.values, v);
        VECTOR_PUSH(&element.values, v);
    }
    VECTOR_PUSH(&step->outputs, told);
    if (route.receiver != CAPSULE_NONE) {
        uint32_t module = in->model->instances.data[route.receiver].module;
        struct plain_queue *queue = &state->queues.data[module];
        if (queue->elements.count < in->queue_bound) {
            VECTOR_PUSH(&queue->elements, element);
            return;
        }
        VECTOR_PUSH(&step->lost_at, module);
    }
    VECTOR_FINISH(&element.values);
}

// Section 3's eval: new values from old ones, all at once; create; send; destroy.
static void perform(struct plain_interpreter *in, const struct plain_state *before,
                    struct plain_state *state, uint32_t instance,
                    const struct capsule_transition *t, const struct capsule_case *c,
                    const struct value *values, struct plain_step *step)
{
    const struct capsule_instance *node = &in->model->instances.data[instance];
    const struct capsule_module *m = &in->model->modules.data[node->module];
    struct names names = {m, before->parts.data[instance].attributes.data, NULL, values};
    ENSURE(before->parts.data[instance].alive && t->target < m->locations.count);
    if (t->kind == CAPSULE_SIGNAL)
        names.signal = &m->signals.data[t->trigger];
    struct plain_part *part = &state->parts.data[instance];
    for (size_t i = 0; i < c->assignments.count; i++)
        part->attributes.data[c->assignments.data[i].attribute] =
            evaluate(in, &names, c->assignments.data[i].value);
    for (size_t i = 0; i < c->timers.count; i++)
        part->timers.data[c->timers.data[i]] = true;
    part->initial = false;
    part->location = t->target;
    for (size_t i = 0; i < c->created.count; i++)
        create(in, state, node->children.data[c->created.data[i]]);
    for (size_t i = 0; i < c->outputs.count; i++)
        send(in, state, instance, &c->outputs.data[i], &names, step);
    for (size_t i = 0; i < c->destroyed.count; i++)
        destroy(in, state, node->children.data[c->destroyed.data[i]]);
}

struct enumeration {
    struct plain_interpreter *in;
    const struct plain_state *state;
    int64_t low, high;
    void (*each)(void *context, const struct plain_step *step, struct plain_state *next);
    void *context;
};

static void set_values(struct plain_step *step, const struct value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&step->values, values[i]);
}

// All cases of one transition that are true. Returns how many.
static size_t take(struct enumeration *e, enum capsule_rule rule, uint32_t instance,
                   uint32_t transition, const struct value *values, size_t count, size_t element)
{
    const struct capsule_module *m = capsules_module_of(e->in->model, instance);
    const struct capsule_transition *t = &m->transitions.data[transition];
    struct names names = {m, e->state->parts.data[instance].attributes.data, NULL, values};
    if (t->kind == CAPSULE_SIGNAL)
        names.signal = &m->signals.data[t->trigger];
    if (!holds(e->in, &names, t->guard))
        return 0;
    size_t taken = 0;
    for (uint32_t i = 0; i < t->cases.count; i++) {
        if (!holds(e->in, &names, t->cases.data[i].condition))
            continue;
        taken++;
        struct plain_step step = {.rule = rule,
                                  .instance = instance,
                                  .kind = t->kind,
                                  .trigger = t->trigger,
                                  .transition = transition,
                                  .which_case = i,
                                  .beyond = t->cases.data[i].bound_exceeded};
        set_values(&step, values, count);
        struct plain_state *next = copy_state(e->state);
        if (rule == RULE_MATCH)
            remove_at(&next->queues.data[e->in->model->instances.data[instance].module], element);
        if (rule == RULE_TIMEOUT)
            next->parts.data[instance].timers.data[t->trigger] = false;
        perform(e->in, e->state, next, instance, t, &t->cases.data[i], values, &step);
        e->each(e->context, &step, next);
        plain_step_finish(&step);
    }
    return taken;
}

static void match_or_drop(struct enumeration *e, uint32_t instance)
{
    const struct capsule_module *m = capsules_module_of(e->in->model, instance);
    uint32_t module = e->in->model->instances.data[instance].module;
    const struct plain_queue *queue = &e->state->queues.data[module];
    size_t at = 0;
    while (at < queue->elements.count && queue->elements.data[at].receiver != instance)
        at++;
    if (at == queue->elements.count || (e->in->head_only && at > 0))
        return;
    const struct plain_element *element = &queue->elements.data[at];
    size_t taken = 0;
    for (uint32_t i = 0; i < m->transitions.count; i++)
        if (m->transitions.data[i].kind == CAPSULE_SIGNAL &&
            m->transitions.data[i].trigger == element->signal &&
            m->transitions.data[i].source == e->state->parts.data[instance].location)
            taken +=
                take(e, RULE_MATCH, instance, i, element->values.data, element->values.count, at);
    if (taken > 0)
        return;
    struct plain_step step = {.rule = RULE_DROP,
                              .instance = instance,
                              .kind = CAPSULE_SIGNAL,
                              .trigger = element->signal,
                              .transition = CAPSULE_NONE};
    set_values(&step, element->values.data, element->values.count);
    struct plain_state *next = copy_state(e->state);
    remove_at(&next->queues.data[module], at);
    e->each(e->context, &step, next);
    plain_step_finish(&step);
}

static void from_outside(struct enumeration *e, uint32_t instance, uint32_t transition,
                         const struct capsule_signal *signal, struct value *values, size_t count)
{
    if (count == signal->variables.count) {
        take(e, RULE_EXTERNAL, instance, transition, values, count, 0);
        return;
    }
    const struct capsule_variable *v = &signal->variables.data[count];
    bool boolean = v->term->sort->kind == SORT_BOOL;
    int64_t low = boolean ? 0 : v->ranged ? v->low : e->low;
    int64_t high = boolean ? 1 : v->ranged ? v->high : e->high;
    for (int64_t i = low; i <= high; i++) {
        values[count] = value_small(i);
        from_outside(e, instance, transition, signal, values, count + 1);
    }
}

static void initialise(struct enumeration *e, struct plain_state *next, uint32_t instance,
                       struct plain_step *step)
{
    const struct capsule_instance *node = &e->in->model->instances.data[instance];
    for (size_t i = 0; i < node->children.count; i++) {
        const struct plain_part *child = &e->state->parts.data[node->children.data[i]];
        if (child->alive && child->initial)
            initialise(e, next, node->children.data[i], step);
    }
    for (size_t i = 0; i < step->outputs.count; i++)
        VECTOR_FINISH(&step->outputs.data[i].values);
    VECTOR_CLEAR(&step->outputs);
    const struct capsule_module *m = capsules_module_of(e->in->model, instance);
    const struct capsule_transition *t = &m->transitions.data[m->initial];
    step->beyond |= t->cases.data[0].bound_exceeded;
    perform(e->in, e->state, next, instance, t, &t->cases.data[0], NULL, step);
}

static bool below_initial(const struct enumeration *e, uint32_t instance)
{
    uint32_t up = e->in->model->instances.data[instance].parent;
    if (up == CAPSULE_NONE)
        return false;
    return e->state->parts.data[up].initial || below_initial(e, up);
}

static bool some_initial(const struct plain_state *state)
{
    for (size_t i = 0; i < state->parts.count; i++)
        if (state->parts.data[i].alive && state->parts.data[i].initial)
            return true;
    return false;
}

static void steps_of(struct enumeration *e, uint32_t instance)
{
    const struct plain_part *part = &e->state->parts.data[instance];
    const struct capsule_module *m = capsules_module_of(e->in->model, instance);
    match_or_drop(e, instance);
    for (uint32_t i = 0; i < m->transitions.count; i++) {
        const struct capsule_transition *t = &m->transitions.data[i];
        if (t->source != part->location || t->source == CAPSULE_NONE)
            continue;
        if (t->kind == CAPSULE_TIMER && part->timers.data[t->trigger])
            take(e, RULE_TIMEOUT, instance, i, NULL, 0, 0);
        if (t->kind == CAPSULE_SIGNAL && m->signals.data[t->trigger].external) {
            const struct capsule_signal *signal = &m->signals.data[t->trigger];
            struct value *values = memory_alloc((signal->variables.count + 1) * sizeof *values);
            from_outside(e, instance, i, signal, values, 0);
            memory_free(values);
        }
    }
}

void plain_interpreter_steps(struct plain_interpreter *in, const struct plain_state *state,
                             int64_t low, int64_t high,
                             void (*each)(void *context, const struct plain_step *step,
                                          struct plain_state *next),
                             void *context)
{
    struct enumeration e = {in, state, low, high, each, context};
    bool initial = some_initial(state);
    for (uint32_t i = 0; i < state->parts.count; i++) {
        const struct plain_part *part = &state->parts.data[i];
        if (!part->alive)
            continue;
        if (!initial) {
            steps_of(&e, i);
        } else if (part->initial && !below_initial(&e, i)) {
            struct plain_step step = {.rule = RULE_DEFAULT,
                                      .instance = i,
                                      .kind = CAPSULE_INIT,
                                      .transition = capsules_module_of(in->model, i)->initial};
            struct plain_state *next = copy_state(state);
            initialise(&e, next, i, &step);
            each(context, &step, next);
            plain_step_finish(&step);
        }
    }
}

struct following {
    const struct plain_step *wish;
    struct plain_state *found;
    struct plain_step *done;
};

static void follow(void *context, const struct plain_step *step, struct plain_state *next)
{
    struct following *f = context;
    bool same = f->found == NULL && !step->beyond && step->rule == f->wish->rule &&
                step->instance == f->wish->instance && step->kind == f->wish->kind &&
                (step->kind == CAPSULE_INIT || step->trigger == f->wish->trigger) &&
                step->transition == f->wish->transition &&
                step->which_case == f->wish->which_case &&
                step->values.count == f->wish->values.count;
    for (size_t i = 0; same && i < step->values.count; i++)
        same = value_equal(step->values.data[i], f->wish->values.data[i]);
    if (!same) {
        plain_destroy(next);
        return;
    }
    f->found = next;
    if (f->done == NULL)
        return;
    *f->done = *step;
    memset(&f->done->values, 0, sizeof f->done->values);
    memset(&f->done->outputs, 0, sizeof f->done->outputs);
    memset(&f->done->lost_at, 0, sizeof f->done->lost_at);
    for (size_t i = 0; i < step->lost_at.count; i++)
        VECTOR_PUSH(&f->done->lost_at, step->lost_at.data[i]);
    set_values(f->done, step->values.data, step->values.count);
    for (size_t i = 0; i < step->outputs.count; i++) {
        struct plain_output o = {.signal = step->outputs.data[i].signal};
        for (size_t j = 0; j < step->outputs.data[i].values.count; j++)
            VECTOR_PUSH(&o.values, step->outputs.data[i].values.data[j]);
        VECTOR_PUSH(&f->done->outputs, o);
    }
}

static bool in_range(const struct capsule_signal *signal, const struct plain_step *wish)
{
    for (size_t i = 0; i < signal->variables.count; i++) {
        const struct capsule_variable *v = &signal->variables.data[i];
        struct value x = wish->values.data[i];
        if (v->ranged &&
            (!value_is_small(x) || value_small_get(x) < v->low || value_small_get(x) > v->high))
            return false;
    }
    return true;
}

struct plain_state *plain_interpreter_follow(struct plain_interpreter *in,
                                             const struct plain_state *state,
                                             const struct plain_step *wish, struct plain_step *done)
{
    struct following f = {wish, NULL, done};
    if (wish->rule != RULE_EXTERNAL) {
        // An empty choice of inputs: external steps are not wanted, so none is made.
        plain_interpreter_steps(in, state, 0, -1, follow, &f);
        return f.found;
    }
    const struct plain_part *part = &state->parts.data[wish->instance];
    const struct capsule_module *m = capsules_module_of(in->model, wish->instance);
    const struct capsule_transition *t = &m->transitions.data[wish->transition];
    const struct capsule_signal *signal = &m->signals.data[t->trigger];
    if (some_initial(state) || !part->alive || t->source != part->location || !signal->external ||
        wish->values.count != signal->variables.count || !in_range(signal, wish))
        return NULL;
    struct enumeration e = {in, state, 0, -1, follow, &f};
    take(&e, RULE_EXTERNAL, wish->instance, wish->transition, wish->values.data, wish->values.count,
         0);
    return f.found;
}

static bool same_values(const struct capsule_pattern *p, const struct value *values)
{
    for (size_t i = 0; i < p->values.count; i++)
        if (!value_equal(term_value(p->values.data[i].value), values[p->values.data[i].variable]))
            return false;
    return true;
}

static bool queue_matches(const struct capsule_atom *atom, const struct plain_queue *queue)
{
    if (queue->elements.count != atom->sequence.count)
        return false;
    for (size_t i = 0; i < atom->sequence.count; i++) {
        const struct capsule_pattern *p = &atom->sequence.data[i];
        const struct plain_element *e = &queue->elements.data[i];
        if (p->kind != PATTERN_ANY && (e->signal != p->number || !same_values(p, e->values.data)))
            return false;
    }
    return true;
}

struct labels {
    const struct capsules *model;
    const struct capsule_atom *atom;
    size_t steps;
    bool found;
};

static bool label_matches(const struct capsule_atom *atom, const struct plain_step *step)
{
    const struct capsule_pattern *t = &atom->trigger;
    if (step->instance != atom->instance || step->outputs.count != atom->sequence.count)
        return false;
    if (t->kind != PATTERN_ANY &&
        (step->kind != (t->kind == PATTERN_TIMER ? CAPSULE_TIMER : CAPSULE_SIGNAL) ||
         step->trigger != t->number || !same_values(t, step->values.data)))
        return false;
    for (size_t i = 0; i < atom->sequence.count; i++) {
        const struct capsule_pattern *p = &atom->sequence.data[i];
        if (p->kind != PATTERN_ANY && (p->number != step->outputs.data[i].signal ||
                                       !same_values(p, step->outputs.data[i].values.data)))
            return false;
    }
    return true;
}

static void look_at_label(void *context, const struct plain_step *step, struct plain_state *next)
{
    struct labels *l = context;
    plain_destroy(next);
    l->steps++;
    const struct capsule_module *m = capsules_module_of(l->model, step->instance);
    if (l->atom->kind == ATOM_DROPPED && step->rule == RULE_DROP)
        l->found |= l->atom->signal == NULL ||
                    capsule_signal_named(m->signals.data[step->trigger].name, l->atom->signal);
    if (l->atom->kind == ATOM_LABEL)
        l->found |= label_matches(l->atom, step);
    if (l->atom->kind == ATOM_BOUNDED)
        l->found |= step->beyond || step->lost_at.count > 0;
    for (size_t i = 0; l->atom->kind == ATOM_OVERFLOW && i < step->lost_at.count; i++)
        l->found |=
            l->atom->signal == NULL ||
            strcmp(l->model->modules.data[step->lost_at.data[i]].name, l->atom->signal) == 0;
}

bool plain_interpreter_atom(struct plain_interpreter *in, const struct capsule_question *question,
                            uint32_t number, const struct plain_state *state, int64_t low,
                            int64_t high)
{
    ENSURE(number < question->atoms.count);
    const struct capsule_atom *atom = &question->atoms.data[number];
    assert(atom->instance < state->parts.count);
    const struct plain_part *part = &state->parts.data[atom->instance];
    switch (atom->kind) {
    case ATOM_LOCATION:
        return part->alive && !part->initial && part->location == atom->location;
    case ATOM_CONSTRAINT: {
        struct names names = {capsules_module_of(in->model, atom->instance), part->attributes.data,
                              NULL, NULL};
        return part->alive && holds(in, &names, atom->term);
    }
    case ATOM_QUEUE:
        return queue_matches(atom,
                             &state->queues.data[in->model->instances.data[atom->instance].module]);
    default: {
        struct labels l = {in->model, atom, 0, false};
        plain_interpreter_steps(in, state, low, high, look_at_label, &l);
        return atom->kind == ATOM_DEADLOCK ? l.steps == 0 : l.found;
    }
    }
}

bool plain_interpreter_local(struct plain_interpreter *in, const struct capsule_question *question,
                             uint32_t formula, const struct plain_state *state, int64_t low,
                             int64_t high)
{
    const struct ctl_node *n = &question->formulas.data[formula];
    switch (n->kind) {
    case CTL_CONSTANT:
        return n->left != 0;
    case CTL_ATOM:
        return plain_interpreter_atom(in, question, n->left, state, low, high);
    case CTL_NOT:
        return !plain_interpreter_local(in, question, n->left, state, low, high);
    case CTL_AND:
        return plain_interpreter_local(in, question, n->left, state, low, high) &&
               plain_interpreter_local(in, question, n->right, state, low, high);
    case CTL_OR:
        return plain_interpreter_local(in, question, n->left, state, low, high) ||
               plain_interpreter_local(in, question, n->right, state, low, high);
    default:
        assert(false);
        return false;
    }
}
