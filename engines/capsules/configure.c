#include "engines/capsules/configure.h"

#include <fnmatch.h>
#include <string.h>

#include "base/memory.h"
#include "logic/terms/rewrite.h"

static const struct position NOWHERE = {NULL, 0, 0};

void capsule_setting_finish(struct capsule_setting *s)
{
    for (uint32_t i = 0; s->groups.of_location != NULL && i < s->instances; i++)
        memory_free(s->groups.of_location[i]);
    memory_free(s->groups.of_location);
    for (uint32_t m = 0; s->ignored != NULL && m < s->modules; m++)
        memory_free(s->ignored[m]);
    memory_free(s->ignored);
    memory_free(s->abstracted);
    memory_free(s->wanted);
}

static bool extract(const struct capsules *model, const char *text, struct capsule_setting *s,
                    struct messages *messages)
{
    const char *name = text + strlen("extract(");
    char *part = memory_strdup(name);
    part[strcspn(part, ")")] = '\0';
    uint32_t kept = capsules_find_instance(model, part);
    if (kept == CAPSULE_NONE)
        message_add(messages, MESSAGE_ERROR, NOWHERE, "abstract: no part `%s`", part);
    for (uint32_t i = 0; i < s->instances; i++)
        s->abstracted[i] = i != kept;
    memory_free(part);
    return kept != CAPSULE_NONE;
}

static bool abstract_one(const struct capsules *model, const char *pattern,
                         struct capsule_setting *s, struct messages *messages)
{
    bool found = false;
    uint32_t exact = capsules_find_instance(model, pattern);
    for (uint32_t i = 0; i < s->instances; i++)
        if (i == exact || fnmatch(pattern, model->instances.data[i].path, 0) == 0) {
            s->abstracted[i] = 1;
            found = true;
        }
    if (!found)
        message_add(messages, MESSAGE_ERROR, NOWHERE, "abstract: no part `%s`", pattern);
    return found;
}

static bool set_abstracted(const struct capsule_ask *ask, const char *text,
                           struct capsule_setting *s, struct messages *messages)
{
    if (strcmp(text, "auto") == 0) {
        for (uint32_t i = 0; i < s->instances; i++)
            s->abstracted[i] = !s->wanted[i];
        return true;
    }
    if (strncmp(text, "extract(", 8) == 0)
        return extract(ask->model, text, s, messages);
    char *copy = memory_strdup(text), *rest = copy;
    bool fine = true;
    for (char *word; fine && (word = strsep(&rest, ",|")) != NULL;)
        fine = abstract_one(ask->model, word, s, messages);
    memory_free(copy);
    return fine;
}

static uint32_t *new_groups(size_t locations)
{
    uint32_t *of = memory_alloc((locations + 1) * sizeof *of);
    memset(of, 0xff, locations * sizeof *of);
    return of;
}

static void group_composites(const struct capsules *model, struct capsule_setting *s)
{
    for (uint32_t i = 0; i < s->instances; i++) {
        const struct capsule_module *m = capsules_module_of(model, i);
        for (uint32_t c = 0; c < m->composites.count; c++) {
            uint32_t **of = &s->groups.of_location[i];
            if (*of == NULL)
                *of = new_groups(m->locations.count);
            for (size_t l = 0; l < m->composites.data[c].locations.count; l++)
                (*of)[m->composites.data[c].locations.data[l]] = c;
        }
    }
}

// part:{A,B} or part:Composite
static bool group_one(const struct capsules *model, char *text, uint32_t number,
                      struct capsule_setting *s, struct messages *messages)
{
    char *colon = strchr(text, ':');
    if (colon == NULL) {
        message_add(messages, MESSAGE_ERROR, NOWHERE,
                    "aggregate: found `%s`, expected `part:{location,location}`", text);
        return false;
    }
    *colon = '\0';
    uint32_t instance = capsules_find_instance(model, text);
    if (instance == CAPSULE_NONE) {
        message_add(messages, MESSAGE_ERROR, NOWHERE, "aggregate: no part `%s`", text);
        return false;
    }
    const struct capsule_module *m = capsules_module_of(model, instance);
    uint32_t **of = &s->groups.of_location[instance];
    if (*of == NULL)
        *of = new_groups(m->locations.count);
    char *rest = colon + 1;
    for (size_t c = 0; *rest != '{' && c < m->composites.count; c++)
        if (strcmp(m->composites.data[c].name, rest) == 0) {
            for (size_t l = 0; l < m->composites.data[c].locations.count; l++)
                (*of)[m->composites.data[c].locations.data[l]] = number;
            return true;
        }
    rest += *rest == '{';
    rest[strcspn(rest, "}")] = '\0';
    for (char *word; (word = strsep(&rest, ",|")) != NULL;) {
        uint32_t l = capsule_find_location(m, word);
        if (l == CAPSULE_NONE) {
            message_add(messages, MESSAGE_ERROR, NOWHERE, "aggregate: no location `%s` in `%s`",
                        word, m->name);
            return false;
        }
        (*of)[l] = number;
    }
    return true;
}

// Groups are parted by `;`.
static bool set_groups(const struct capsule_ask *ask, const char *text, struct capsule_setting *s,
                       struct messages *messages)
{
    s->groups.of_location = memory_zalloc(s->instances * sizeof *s->groups.of_location);
    if (strcmp(text, "composite") == 0) {
        group_composites(ask->model, s);
        return true;
    }
    char *copy = memory_strdup(text), *rest = copy;
    bool fine = true;
    uint32_t number = 0;
    for (char *word; fine && (word = strsep(&rest, ";")) != NULL; number++)
        fine = group_one(ask->model, word, number, s, messages);
    memory_free(copy);
    return fine;
}

// Marks the attributes of a module that a term mentions as needed. True when one was not before.
static bool need(const struct capsule_module *m, const struct term *t, uint8_t *ignored)
{
    bool changed = false;
    for (size_t a = 0; a < m->attributes.count; a++)
        if (ignored[a] && rewrite_contains(t, m->attributes.data[a].term)) {
            ignored[a] = 0;
            changed = true;
        }
    return changed;
}

static bool need_of_case(const struct capsule_module *m, const struct capsule_case *c,
                         uint8_t *ignored)
{
    bool changed = need(m, c->condition, ignored);
    for (size_t i = 0; i < c->outputs.count; i++)
        for (size_t j = 0; j < c->outputs.data[i].arguments.count; j++)
            changed |= need(m, c->outputs.data[i].arguments.data[j], ignored);
    for (size_t i = 0; i < c->assignments.count; i++)
        if (!ignored[c->assignments.data[i].attribute])
            changed |= need(m, c->assignments.data[i].value, ignored);
    return changed;
}

static void need_of_module(const struct capsule_module *m, uint8_t *ignored)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t t = 0; t < m->transitions.count; t++) {
            changed |= need(m, m->transitions.data[t].guard, ignored);
            for (size_t c = 0; c < m->transitions.data[t].cases.count; c++)
                changed |= need_of_case(m, &m->transitions.data[t].cases.data[c], ignored);
        }
    }
}

static void find_ignored(const struct capsule_ask *ask, struct capsule_setting *s)
{
    s->modules = (uint32_t)ask->model->modules.count;
    s->ignored = memory_zalloc((s->modules + 1) * sizeof *s->ignored);
    for (uint32_t i = 0; i < s->modules; i++) {
        const struct capsule_module *m = &ask->model->modules.data[i];
        s->ignored[i] = memory_alloc(m->attributes.count + 1);
        memset(s->ignored[i], 1, m->attributes.count + 1);
    }
    for (size_t i = 0; i < ask->question->atoms.count; i++) {
        const struct capsule_atom *atom = &ask->question->atoms.data[i];
        if (atom->kind == ATOM_CONSTRAINT)
            need(capsules_module_of(ask->model, atom->instance), atom->term,
                 s->ignored[ask->model->instances.data[atom->instance].module]);
    }
    for (uint32_t i = 0; i < s->modules; i++)
        need_of_module(&ask->model->modules.data[i], s->ignored[i]);
}

bool capsule_setting_make(struct capsule_ask *ask, const char *abstract, const char *aggregate,
                          struct capsule_setting *s, struct messages *messages)
{
    memset(s, 0, sizeof *s);
    s->instances = (uint32_t)ask->model->instances.count;
    s->abstracted = memory_zalloc(s->instances);
    s->wanted = memory_zalloc(s->instances);
    capsule_wanted(ask->model, ask->question, s->wanted);
    ask->options.wanted = s->wanted;
    find_ignored(ask, s);
    if (!ask->options.keep_attributes)
        ask->options.ignored = (const uint8_t *const *)s->ignored;
    bool fine = true;
    if (abstract != NULL && strcmp(abstract, "none") != 0) {
        fine = set_abstracted(ask, abstract, s, messages);
        ask->options.abstracted = s->abstracted;
    }
    if (fine && aggregate != NULL && strcmp(aggregate, "none") != 0) {
        fine = set_groups(ask, aggregate, s, messages);
        ask->options.groups = &s->groups;
    }
    return fine;
}
