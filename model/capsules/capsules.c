#include "model/capsules/capsules.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct capsules *capsules_create(const char *path)
{
    struct capsules *c = memory_zalloc(sizeof *c);
    arena_init(&c->arena);
    c->store = term_store_create(NULL);
    c->path = arena_strdup(&c->arena, path);
    return c;
}

struct capsules *capsules_share(const struct capsules *whole)
{
    assert(whole->instances.count > 0); // capsules_finish went well
    struct capsules *c = memory_alloc(sizeof *c);
    *c = *whole;
    arena_init(&c->arena);
    c->store = term_store_create(whole->store);
    c->borrowed = true;
    return c;
}

void capsule_case_finish(struct capsule_case *c)
{
    for (size_t i = 0; i < c->outputs.count; i++)
        VECTOR_FINISH(&c->outputs.data[i].arguments);
    VECTOR_FINISH(&c->assignments);
    VECTOR_FINISH(&c->outputs);
    VECTOR_FINISH(&c->timers);
    VECTOR_FINISH(&c->created);
    VECTOR_FINISH(&c->destroyed);
}

static struct capsule_numbers copy_numbers(const struct capsule_numbers *from)
{
    struct capsule_numbers to = {0};
    for (size_t i = 0; i < from->count; i++)
        VECTOR_PUSH(&to, from->data[i]);
    return to;
}

struct capsule_case capsule_case_copy(const struct capsule_case *c)
{
    struct capsule_case to = {
        .condition = c->condition, .bound_exceeded = c->bound_exceeded, .position = c->position};
    for (size_t i = 0; i < c->assignments.count; i++)
        VECTOR_PUSH(&to.assignments, c->assignments.data[i]);
    for (size_t i = 0; i < c->outputs.count; i++) {
        struct capsule_output output = {.signal = c->outputs.data[i].signal};
        for (size_t j = 0; j < c->outputs.data[i].arguments.count; j++)
            VECTOR_PUSH(&output.arguments, c->outputs.data[i].arguments.data[j]);
        VECTOR_PUSH(&to.outputs, output);
    }
    to.timers = copy_numbers(&c->timers);
    to.created = copy_numbers(&c->created);
    to.destroyed = copy_numbers(&c->destroyed);
    return to;
}

static void finish_module(struct capsule_module *m)
{
    for (size_t i = 0; i < m->signals.count; i++)
        VECTOR_FINISH(&m->signals.data[i].variables);
    for (size_t i = 0; i < m->connectors.count; i++) {
        VECTOR_FINISH(&m->connectors.data[i].sender.path);
        VECTOR_FINISH(&m->connectors.data[i].receiver.path);
    }
    for (size_t i = 0; i < m->transitions.count; i++) {
        for (size_t j = 0; j < m->transitions.data[i].cases.count; j++)
            capsule_case_finish(&m->transitions.data[i].cases.data[j]);
        VECTOR_FINISH(&m->transitions.data[i].cases);
    }
    for (size_t i = 0; i < m->composites.count; i++)
        VECTOR_FINISH(&m->composites.data[i].locations);
    VECTOR_FINISH(&m->attributes);
    VECTOR_FINISH(&m->signals);
    VECTOR_FINISH(&m->timers);
    VECTOR_FINISH(&m->locations);
    VECTOR_FINISH(&m->parts);
    VECTOR_FINISH(&m->connectors);
    VECTOR_FINISH(&m->transitions);
    VECTOR_FINISH(&m->composites);
}

void capsules_destroy(struct capsules *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; !c->borrowed && i < c->modules.count; i++)
        finish_module(&c->modules.data[i]);
    for (size_t i = 0; !c->borrowed && i < c->instances.count; i++) {
        struct capsule_instance *instance = &c->instances.data[i];
        for (size_t j = 0; j < instance->senders.count; j++)
            VECTOR_FINISH(&instance->senders.data[j]);
        VECTOR_FINISH(&instance->children);
        VECTOR_FINISH(&instance->routes);
        VECTOR_FINISH(&instance->senders);
    }
    if (!c->borrowed) {
        VECTOR_FINISH(&c->modules);
        VECTOR_FINISH(&c->instances);
    }
    term_store_destroy(c->store);
    arena_finish(&c->arena);
    memory_free(c);
}

const char *capsules_name(struct capsules *c, const char *text, size_t length)
{
    return arena_strndup(&c->arena, text, length);
}

struct capsule_module *capsules_add_module(struct capsules *c, const char *name,
                                           struct position position)
{
    struct capsule_module module = {.name = name, .initial = CAPSULE_NONE, .position = position};
    VECTOR_PUSH(&c->modules, module);
    return &VECTOR_LAST(&c->modules);
}

struct capsule_signal *capsules_add_signal(struct capsule_module *module, const char *name,
                                           bool out, bool external, struct position position)
{
    assert(!out || !external);
    struct capsule_signal signal = {
        .name = name, .out = out, .external = external, .position = position};
    VECTOR_PUSH(&module->signals, signal);
    return &VECTOR_LAST(&module->signals);
}

struct capsule_variable capsules_variable(struct capsules *c, const char *owner, const char *name,
                                          bool boolean, struct position position)
{
    struct text full = {0};
    text_printf(&full, "%s.%s", owner, name);
    const struct sort *sort = boolean ? sort_bool(c->store) : sort_int(c->store);
    struct capsule_variable v = {.name = name,
                                 .term = term_var(c->store, text_string(&full), sort),
                                 .initial = term_default(c->store, sort),
                                 .position = position};
    text_finish(&full);
    return v;
}

#define FIND(vector, wanted)                                                                       \
    do {                                                                                           \
        for (size_t find_ = 0; find_ < (vector).count; find_++)                                    \
            if (strcmp((vector).data[find_].name, wanted) == 0)                                    \
                return (uint32_t)find_;                                                            \
        return CAPSULE_NONE;                                                                       \
    } while (0)

uint32_t capsules_find_module(const struct capsules *c, const char *name)
{
    FIND(c->modules, name);
}

uint32_t capsule_find_attribute(const struct capsule_module *module, const char *name)
{
    FIND(module->attributes, name);
}

uint32_t capsule_find_signal(const struct capsule_module *module, const char *name)
{
    FIND(module->signals, name);
}

uint32_t capsule_find_timer(const struct capsule_module *module, const char *name)
{
    FIND(module->timers, name);
}

uint32_t capsule_find_location(const struct capsule_module *module, const char *name)
{
    FIND(module->locations, name);
}

uint32_t capsule_find_part(const struct capsule_module *module, const char *name)
{
    FIND(module->parts, name);
}

uint32_t capsules_find_instance(const struct capsules *c, const char *path)
{
    for (size_t i = 0; i < c->instances.count; i++)
        if (strcmp(c->instances.data[i].path, path) == 0)
            return (uint32_t)i;
    // The top's own name may be left out, or the last word alone be enough when it is the only one.
    uint32_t found = CAPSULE_NONE;
    for (size_t i = 0; i < c->instances.count; i++) {
        const char *full = c->instances.data[i].path;
        size_t all = strlen(full), tail = strlen(path);
        if (all > tail && full[all - tail - 1] == '.' && strcmp(full + all - tail, path) == 0) {
            if (found != CAPSULE_NONE)
                return CAPSULE_NONE;
            found = (uint32_t)i;
        }
    }
    // A model of one capsule is also known by the capsule's name.
    if (found == CAPSULE_NONE && c->instances.count == 1 &&
        strcmp(c->modules.data[c->top].name, path) == 0)
        found = 0;
    return found;
}

bool capsules_is_open(const struct capsules *model)
{
    for (size_t m = 0; m < model->modules.count; m++)
        for (size_t s = 0; s < model->modules.data[m].signals.count; s++) {
            const struct capsule_signal *signal = &model->modules.data[m].signals.data[s];
            for (size_t v = 0; signal->external && v < signal->variables.count; v++)
                if (signal->variables.data[v].term->sort->kind == SORT_INT &&
                    !signal->variables.data[v].ranged)
                    return true;
        }
    return false;
}
