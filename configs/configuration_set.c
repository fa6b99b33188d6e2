#include "configs/configuration.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "configs/config_file.h"
#include "configs/option_text.h"
#include "configs/plan.h"

void configuration_set_finish(struct configuration_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        configuration_finish(&set->items[i]);
    memory_free(set->items);
    *set = (struct configuration_set){0};
}

const struct configuration *configuration_set_find(const struct configuration_set *set,
                                                   const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->items[i].name, name) == 0)
            return &set->items[i];
    return NULL;
}

static void append(struct configuration_set *set, struct configuration configuration)
{
    if (set->count == set->capacity) {
        set->capacity = set->capacity ? 2 * set->capacity : 16;
        set->items = memory_realloc(set->items, set->capacity * sizeof *set->items);
    }
    assert(configuration_set_find(set, configuration.name) == NULL);
    set->items[set->count++] = configuration;
}

// One configuration of a file.

static const char *const own_keys[] = {"name", "description", "extends"};

enum { OWN_KEY_COUNT = sizeof own_keys / sizeof *own_keys };

static bool is_own_key(const char *key)
{
    for (size_t i = 0; i < OWN_KEY_COUNT; i++)
        if (strcmp(own_keys[i], key) == 0)
            return true;
    return false;
}

// Names appear in lists of options and in file names.
static bool good_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && strchr("-_.+", *c) == NULL)
            return false;
    return *name != '\0';
}

bool config_read_value(const config_setting_t *setting, enum option option, const char *path,
                       int64_t *value, struct messages *messages)
{
    struct position at = config_position(path, setting);
    enum option_type wanted = option_describe(option)->type;
    int found = config_setting_type(setting);
    bool whole = found == CONFIG_TYPE_INT || found == CONFIG_TYPE_INT64;
    if (found == CONFIG_TYPE_STRING && wanted == OPTION_TYPE_NUMBER &&
        option_word_find(option, config_setting_get_string(setting), value))
        return true;
    if (found == CONFIG_TYPE_STRING && wanted != OPTION_TYPE_NUMBER)
        return option_read_text(option, config_setting_get_string(setting), at, value, messages);
    if (whole && wanted == OPTION_TYPE_NUMBER)
        return option_read_number(option, config_setting_get_int64(setting), at, value, messages);
    if (found == CONFIG_TYPE_BOOL && wanted == OPTION_TYPE_SWITCH) {
        *value = config_setting_get_bool(setting) != 0;
        return true;
    }
    option_wrong_type(option, config_type_name(setting), at, messages);
    return false;
}

static void read_options(struct configuration *c, const config_setting_t *group,
                         struct messages *messages)
{
    bool given[OPTION_COUNT] = {false};
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *member = config_setting_get_elem(group, (unsigned)i);
        const char *key = config_setting_name(member);
        struct position at = config_position(c->source.path, member);
        if (key == NULL) { // the library does not look at what it allocates
            message_add(messages, MESSAGE_ERROR, at, "a setting was lost: no memory");
            continue;
        }
        if (is_own_key(key))
            continue;
        int option = option_find(key);
        if (option < 0) {
            option_unknown(key, own_keys, OWN_KEY_COUNT, at, messages);
            continue;
        }
        if (given[option])
            message_add(messages, MESSAGE_ERROR, at, "%s is given twice", key);
        given[option] = true;
        config_read_value(member, (enum option)option, c->source.path, &c->values[option],
                          messages);
    }
}

void config_read_settings(const struct configuration_set *set, struct configuration *c,
                          const config_setting_t *group, struct messages *messages)
{
    const char *path = c->source.path;
    const char *extends = config_string(group, "extends", path, messages);
    const char *description = config_string(group, "description", path, messages);
    if (extends != NULL) {
        const struct configuration *base = configuration_set_find(set, extends);
        struct position at = config_position(path, config_setting_get_member(group, "extends"));
        if (base != NULL)
            memcpy(c->values, base->values, sizeof c->values);
        else if (strcmp(extends, c->name) == 0)
            message_add(messages, MESSAGE_ERROR, at, "configuration \"%s\" extends itself",
                        c->name);
        else
            config_unknown_configuration(set, extends, at, messages);
    }
    if (description != NULL) {
        memory_free(c->description);
        c->description = memory_strdup(description);
    }
    read_options(c, group, messages);
}

static void read_configuration(struct configuration_set *set, const config_setting_t *group,
                               const char *path, struct messages *messages)
{
    struct position at = config_position(path, group);
    if (config_setting_type(group) != CONFIG_TYPE_GROUP) {
        message_add(messages, MESSAGE_ERROR, at, "found %s, expected a configuration: { … }",
                    config_type_name(group));
        return;
    }
    size_t before = messages->errors;
    const char *name = config_string(group, "name", path, messages);
    if (name == NULL) {
        if (messages->errors == before)
            message_add(messages, MESSAGE_ERROR, at, "a configuration has no name");
        return;
    }
    const config_setting_t *member = config_setting_get_member(group, "name");
    at = config_position(path, member);
    if (!good_name(name))
        message_add(messages, MESSAGE_ERROR, at,
                    "name: found \"%s\", expected letters, digits and - _ . + only", name);
    const struct configuration *other = configuration_set_find(set, name);
    if (other != NULL)
        message_add(messages, MESSAGE_ERROR, at, "configuration \"%s\" is there already, at %s:%u",
                    name, other->source.path, other->source.line);
    struct configuration c;
    configuration_init(&c, name);
    c.source = (struct position){memory_strdup(path), at.line, 0};
    config_read_settings(set, &c, group, messages);
    if (messages->errors == before)
        configuration_check(&c, messages);
    configuration_seal(&c);
    // A faulty one stays, so that whoever refers to it draws no second error.
    if (other != NULL)
        configuration_finish(&c);
    else
        append(set, c);
}

// Whole files.

static bool same_file(const char *a, const char *b)
{
    char *real_a = realpath(a, NULL), *real_b = realpath(b, NULL);
    bool same = real_a != NULL && real_b != NULL ? strcmp(real_a, real_b) == 0 : strcmp(a, b) == 0;
    free(real_a);
    free(real_b);
    return same;
}

static bool in_circle(const struct config_chain *chain, const char *path)
{
    for (; chain != NULL; chain = chain->outer)
        if (same_file(chain->path, path))
            return true;
    return false;
}

static bool already_read(const struct configuration_set *set, const char *path)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i].source.path != NULL && same_file(set->items[i].source.path, path))
            return true;
    return false;
}

static const char *const file_keys[] = {"include", "configurations"};

static void read_file(struct configuration_set *set, const char *path,
                      const struct config_chain *outer, struct messages *messages)
{
    struct config_file file;
    if (!config_file_read(&file, path, messages))
        return;
    const config_setting_t *root = config_root_setting(&file.config);
    struct config_chain link = {path, outer};
    config_check_keys(root, "a file of configurations", file_keys, 2, path, messages);
    config_read_configurations(set, root, &link, messages);
    config_file_finish(&file);
}

// "x.cfg" beside the including file, else in the configuration folders.
static bool find_included(const char *from, const char *name, struct text *path)
{
    const char *slash = strrchr(from, '/');
    if (*name != '/' && slash != NULL)
        text_add_bytes(path, from, (size_t)(slash - from) + 1);
    text_add(path, name);
    char *real = realpath(text_string(path), NULL);
    free(real);
    if (real != NULL)
        return true;
    text_clear(path);
    return configs_locate(name, path);
}

static void read_include(struct configuration_set *set, const config_setting_t *member,
                         const struct config_chain *chain, struct messages *messages)
{
    struct position at = config_position(chain->path, member);
    if (config_setting_type(member) != CONFIG_TYPE_STRING) {
        message_add(messages, MESSAGE_ERROR, at, "include: found %s, expected a file name",
                    config_type_name(member));
        return;
    }
    const char *name = config_setting_get_string(member);
    struct text path;
    text_init(&path);
    if (!find_included(chain->path, name, &path))
        message_add(messages, MESSAGE_ERROR, at, "the included file \"%s\" was not found", name);
    else if (in_circle(chain, text_string(&path)))
        message_add(messages, MESSAGE_ERROR, at, "\"%s\" is included in a circle", name);
    else if (!already_read(set, text_string(&path)))
        read_file(set, text_string(&path), chain, messages);
    text_finish(&path);
}

bool config_is_list(const config_setting_t *setting)
{
    int type = config_setting_type(setting);
    return type == CONFIG_TYPE_LIST || type == CONFIG_TYPE_ARRAY;
}

void config_read_configurations(struct configuration_set *set, const config_setting_t *root,
                                const struct config_chain *chain, struct messages *messages)
{
    const config_setting_t *include = config_setting_get_member(root, "include");
    if (include != NULL && config_is_list(include))
        for (int i = 0; i < config_setting_length(include); i++)
            read_include(set, config_setting_get_elem(include, (unsigned)i), chain, messages);
    else if (include != NULL)
        read_include(set, include, chain, messages);
    const config_setting_t *list = config_setting_get_member(root, "configurations");
    if (list == NULL)
        return;
    if (!config_is_list(list)) {
        message_add(messages, MESSAGE_ERROR, config_position(chain->path, list),
                    "configurations: found %s, expected a list: ( { … }, { … } )",
                    config_type_name(list));
        return;
    }
    for (int i = 0; i < config_setting_length(list); i++)
        read_configuration(set, config_setting_get_elem(list, (unsigned)i), chain->path, messages);
}

bool configuration_set_read(struct configuration_set *set, const char *path,
                            struct messages *messages)
{
    size_t before = messages->errors;
    read_file(set, path, NULL, messages);
    return messages->errors == before;
}

bool config_read_single(const struct configuration_set *set, const char *text,
                        struct configuration *out, struct messages *messages)
{
    size_t head = strcspn(text, ", \t");
    const char *rest = text;
    configuration_init(out, text);
    if (memchr(text, '=', head) == NULL) {
        char *name = memory_strdup(text);
        name[head] = '\0';
        const struct configuration *base = configuration_set_find(set, name);
        if (base != NULL) {
            configuration_finish(out);
            configuration_copy(out, base);
            memory_free(out->name);
            out->name = memory_strdup(text);
        } else {
            config_unknown_configuration(set, name, (struct position){0}, messages);
        }
        memory_free(name);
        if (base == NULL)
            return false;
        rest = text + head;
    }
    return configuration_parse(out, rest, messages) && configuration_check(out, messages);
}
