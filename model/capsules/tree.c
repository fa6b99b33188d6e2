#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/capsules/capsules.h"

#define INSTANCES_MOST 4096

static const struct capsule_module *module_at(const struct capsules *c, uint32_t m)
{
    return &c->modules.data[m];
}

// The module that a path of parts leads to.
static uint32_t follow(const struct capsules *c, uint32_t module,
                       const struct capsule_numbers *path)
{
    for (size_t i = 0; i < path->count; i++) {
        assert(path->data[i] < module_at(c, module)->parts.count);
        module = module_at(c, module)->parts.data[path->data[i]].module;
    }
    return module;
}

static bool contains_itself(const struct capsules *c, uint32_t m, uint8_t *state)
{
    if (state[m] != 0)
        return state[m] == 1;
    state[m] = 1;
    for (size_t i = 0; i < module_at(c, m)->parts.count; i++)
        if (contains_itself(c, module_at(c, m)->parts.data[i].module, state))
            return true;
    state[m] = 2;
    return false;
}

static void check_connector(const struct capsules *c, uint32_t owner,
                            const struct capsule_connector *connector, struct messages *messages)
{
    const struct capsule_end *from = &connector->sender, *to = &connector->receiver;
    const struct capsule_signal *out =
        &module_at(c, follow(c, owner, &from->path))->signals.data[from->signal];
    const struct capsule_signal *in =
        &module_at(c, follow(c, owner, &to->path))->signals.data[to->signal];
    if (!out->out || in->out || in->external) {
        message_add(messages, MESSAGE_ERROR, connector->position,
                    "a connector leads from `%s` to `%s`, expected an out signal and an in signal "
                    "that is not external",
                    out->name, in->name);
        return;
    }
    bool fits = out->variables.count == in->variables.count;
    for (size_t i = 0; fits && i < out->variables.count; i++)
        fits = out->variables.data[i].term->sort == in->variables.data[i].term->sort;
    if (!fits)
        message_add(messages, MESSAGE_ERROR, connector->position,
                    "`%s` and `%s` have different variables", out->name, in->name);
}

static bool is_bool(const struct term *t)
{
    return t->sort->kind == SORT_BOOL;
}

// What readers promise of an effect, and what all that runs or translates it takes for granted.
static void look_at_case(const struct capsule_module *m, const struct capsule_case *c)
{
    ENSURE(is_bool(c->condition));
    for (size_t i = 0; i < c->assignments.count; i++) {
        const struct capsule_assignment *a = &c->assignments.data[i];
        ENSURE(a->attribute < m->attributes.count &&
               a->value->sort == m->attributes.data[a->attribute].term->sort);
    }
    for (size_t i = 0; i < c->outputs.count; i++) {
        const struct capsule_output *output = &c->outputs.data[i];
        ENSURE(output->signal < m->signals.count && m->signals.data[output->signal].out);
        const struct capsule_signal *signal = &m->signals.data[output->signal];
        ENSURE(output->arguments.count == signal->variables.count);
        for (size_t j = 0; j < output->arguments.count; j++)
            ENSURE(output->arguments.data[j]->sort == signal->variables.data[j].term->sort);
    }
    for (size_t i = 0; i < c->timers.count; i++)
        ENSURE(c->timers.data[i] < m->timers.count);
    for (size_t i = 0; i < c->created.count; i++)
        ENSURE(c->created.data[i] < m->parts.count);
    for (size_t i = 0; i < c->destroyed.count; i++)
        ENSURE(c->destroyed.data[i] < m->parts.count);
}

static void look_at_transition(const struct capsule_module *m, const struct capsule_transition *t)
{
    ENSURE(t->target < m->locations.count && is_bool(t->guard));
    ENSURE(t->kind == CAPSULE_INIT ? t->source == CAPSULE_NONE : t->source < m->locations.count);
    if (t->kind == CAPSULE_SIGNAL)
        ENSURE(t->trigger < m->signals.count && !m->signals.data[t->trigger].out);
    if (t->kind == CAPSULE_TIMER)
        ENSURE(t->trigger < m->timers.count);
    for (size_t i = 0; i < t->cases.count; i++)
        look_at_case(m, &t->cases.data[i]);
}

static void check_module(const struct capsules *c, uint32_t m, struct messages *messages)
{
    const struct capsule_module *module = module_at(c, m);
    for (size_t i = 0; i < module->connectors.count; i++)
        check_connector(c, m, &module->connectors.data[i], messages);
    for (size_t i = 0; i < module->transitions.count; i++)
        look_at_transition(module, &module->transitions.data[i]);
    for (size_t i = 0; i < module->attributes.count; i++) {
        const struct capsule_variable *v = &module->attributes.data[i];
        ENSURE(term_is_literal(v->initial) && v->initial->sort == v->term->sort);
    }
    if (module->initial == CAPSULE_NONE) {
        if (module->locations.count > 0)
            message_add(messages, MESSAGE_ERROR, module->position,
                        "module `%s` has locations, expected an initial transition", module->name);
        return;
    }
    assert(module->initial < module->transitions.count);
    const struct capsule_transition *initial = &module->transitions.data[module->initial];
    assert(initial->kind == CAPSULE_INIT);
    if (!term_is_true(initial->guard) || initial->cases.count != 1)
        message_add(messages, MESSAGE_ERROR, initial->position,
                    "the initial transition of `%s` has a guard or several cases, expected "
                    "neither",
                    module->name);
}

static bool add_instance(struct capsules *c, uint32_t module, uint32_t parent, const char *name,
                         bool fixed)
{
    if (c->instances.count == INSTANCES_MOST)
        return false;
    struct text path = {0};
    if (parent != CAPSULE_NONE)
        text_printf(&path, "%s.", c->instances.data[parent].path);
    text_add(&path, name);
    struct capsule_instance instance = {.path = arena_strdup(&c->arena, text_string(&path)),
                                        .module = module,
                                        .parent = parent,
                                        .fixed = fixed};
    text_finish(&path);
    uint32_t own = (uint32_t)c->instances.count;
    VECTOR_PUSH(&c->instances, instance);
    const struct capsule_module *m = module_at(c, module);
    for (size_t i = 0; i < m->parts.count; i++) {
        const struct capsule_part *part = &m->parts.data[i];
        VECTOR_PUSH(&c->instances.data[own].children, (uint32_t)c->instances.count);
        if (!add_instance(c, part->module, own, part->name, part->fixed))
            return false;
    }
    assert(c->instances.data[own].children.count == m->parts.count);
    return true;
}

static uint32_t descend(const struct capsules *c, uint32_t instance,
                        const struct capsule_numbers *path)
{
    for (size_t i = 0; i < path->count; i++)
        instance = c->instances.data[instance].children.data[path->data[i]];
    return instance;
}

// Section 3's target: walks up until a module on the way has a connector from there.
static struct capsule_route find_route(const struct capsules *c, uint32_t sender, uint32_t signal)
{
    for (uint32_t context = sender; context != CAPSULE_NONE;
         context = c->instances.data[context].parent) {
        const struct capsule_module *m = capsules_module_of(c, context);
        for (size_t i = 0; i < m->connectors.count; i++) {
            const struct capsule_connector *connector = &m->connectors.data[i];
            if (connector->sender.signal == signal &&
                descend(c, context, &connector->sender.path) == sender)
                return (struct capsule_route){descend(c, context, &connector->receiver.path),
                                              connector->receiver.signal};
        }
    }
    return (struct capsule_route){CAPSULE_NONE, CAPSULE_NONE};
}

static void find_routes(struct capsules *c)
{
    for (size_t i = 0; i < c->instances.count; i++) {
        const struct capsule_module *m = capsules_module_of(c, (uint32_t)i);
        for (size_t s = 0; s < m->signals.count; s++) {
            VECTOR_PUSH(&c->instances.data[i].senders, (struct capsule_numbers){0});
            VECTOR_PUSH(&c->instances.data[i].routes,
                        m->signals.data[s].out
                            ? find_route(c, (uint32_t)i, (uint32_t)s)
                            : ((struct capsule_route){CAPSULE_NONE, CAPSULE_NONE}));
        }
    }
    for (size_t i = 0; i < c->instances.count; i++)
        for (size_t s = 0; s < c->instances.data[i].routes.count; s++) {
            struct capsule_route route = c->instances.data[i].routes.data[s];
            if (route.receiver == CAPSULE_NONE)
                continue;
            ENSURE(!capsules_module_of(c, route.receiver)->signals.data[route.signal].out);
            VECTOR_PUSH(&c->instances.data[route.receiver].senders.data[route.signal], (uint32_t)i);
        }
}

bool capsules_finish(struct capsules *c, const char *top, const char *top_name,
                     struct position position, struct messages *messages)
{
    c->top = capsules_find_module(c, top);
    if (c->top == CAPSULE_NONE) {
        message_add(messages, MESSAGE_ERROR, position, "no module `%s`", top);
        return false;
    }
    c->top_name = arena_strdup(&c->arena, top_name);
    uint8_t *state = memory_zalloc(c->modules.count);
    bool cyclic = false;
    for (uint32_t m = 0; m < c->modules.count && !cyclic; m++) {
        cyclic = contains_itself(c, m, state);
        if (cyclic)
            message_add(messages, MESSAGE_ERROR, module_at(c, m)->position,
                        "module `%s` contains itself, expected containment without cycles",
                        module_at(c, m)->name);
    }
    memory_free(state);
    if (cyclic)
        return false;
    for (uint32_t m = 0; m < c->modules.count; m++)
        check_module(c, m, messages);
    if (messages_failed(messages))
        return false;
    if (!add_instance(c, c->top, CAPSULE_NONE, c->top_name, true)) {
        message_add(messages, MESSAGE_UNSUPPORTED, position, "more than %d parts", INSTANCES_MOST);
        return false;
    }
    find_routes(c);
    for (size_t m = 0; m < c->modules.count; m++)
        for (size_t t = 0; t < c->modules.data[m].transitions.count; t++)
            for (size_t k = 0; k < c->modules.data[m].transitions.data[t].cases.count; k++)
                c->bounded_loops |=
                    c->modules.data[m].transitions.data[t].cases.data[k].bound_exceeded;
    return true;
}
