#include "configs/space.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/vector.h"
#include "configs/config_file.h"
#include "configs/option_text.h"
#include "configs/plan.h"

enum { LEVELS_MOST = 100000 };

// While a file is read.
struct space_reader {
    struct space *space;
    const char *path;
    struct messages *messages;
    struct configuration_set set;
    char *text; // of the file, to find columns
};

const char *space_slot_name(int option)
{
    return option_describe((enum option)option)->name;
}

void space_print_value(struct text *out, int option, int64_t value)
{
    option_print_value(out, (enum option)option, value);
}

bool space_varies(const struct space_factor *factor)
{
    return factor->level_count > 1;
}

void space_configuration(struct configuration *out, const int64_t values[OPTION_COUNT])
{
    configuration_init(out, "");
    memcpy(out->values, values, sizeof out->values);
    configuration_seal(out);
    struct text text;
    text_init(&text);
    configuration_print(&text, out, false);
    memory_free(out->name);
    out->name = text_steal(&text);
}

// Levels.

struct levels {
    VECTOR(int64_t) list;
};

static void add_level(struct space_reader *r, struct levels *levels, int option, int64_t value,
                      struct position at)
{
    for (size_t i = 0; i < levels->list.count; i++)
        if (levels->list.data[i] == value) {
            struct text text;
            text_init(&text);
            space_print_value(&text, option, value);
            message_add(r->messages, MESSAGE_ERROR, at, "%s: %s is given twice",
                        space_slot_name(option), text_string(&text));
            text_finish(&text);
            return;
        }
    VECTOR_PUSH(&levels->list, value);
}

// "EXPL_*": all values of that form; false when there is none (or no star).
static bool add_matching(struct space_reader *r, struct levels *levels, int option,
                         const char *pattern, struct position at)
{
    bool any = false;
    if (strchr(pattern, '*') == NULL)
        return false;
    enum option_type type = option_describe((enum option)option)->type;
    if (type == OPTION_TYPE_SWITCH && strcmp(pattern, "*") == 0) {
        add_level(r, levels, option, 0, at);
        add_level(r, levels, option, 1, at);
        return true;
    }
    for (int v = 0; v < OPTION_VALUE_COUNT && type == OPTION_TYPE_ENUM; v++)
        if (option_value_option(v) == (enum option)option &&
            fnmatch(pattern, option_value_name(v), FNM_CASEFOLD) == 0)
            add_level(r, levels, option, v, at), any = true;
    return any;
}

static void read_level(struct space_reader *r, const config_setting_t *setting, int option,
                       struct levels *levels)
{
    struct position at = config_position(r->path, setting);
    int64_t value;
    if (config_setting_type(setting) == CONFIG_TYPE_STRING &&
        add_matching(r, levels, option, config_setting_get_string(setting), at))
        return;
    if (config_read_value(setting, (enum option)option, r->path, &value, r->messages))
        add_level(r, levels, option, value, at);
}

// A member of a range; `standard` when absent.
static int64_t read_bound(struct space_reader *r, const config_setting_t *range, const char *key,
                          int64_t standard)
{
    const config_setting_t *member = config_setting_get_member(range, key);
    if (member == NULL)
        return standard;
    int type = config_setting_type(member);
    if (type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64)
        return config_setting_get_int64(member);
    message_add(r->messages, MESSAGE_ERROR, config_position(r->path, member),
                "%s: found %s, expected a whole number", key, config_type_name(member));
    return standard;
}

static const char *const range_keys[] = {"from", "to", "step", "factor"};

static void read_range(struct space_reader *r, const config_setting_t *range, int option,
                       struct levels *levels)
{
    struct position at = config_position(r->path, range);
    if (option_describe((enum option)option)->type != OPTION_TYPE_NUMBER) {
        message_add(r->messages, MESSAGE_ERROR, at,
                    "%s: found a range, expected values: it is no number", space_slot_name(option));
        return;
    }
    config_check_keys(range, "a range", range_keys, 4, r->path, r->messages);
    size_t before = r->messages->errors;
    const struct option_description *d = option_describe((enum option)option);
    int64_t from = read_bound(r, range, "from", d->least);
    int64_t to = read_bound(r, range, "to", d->greatest);
    int64_t factor = read_bound(r, range, "factor", 0);
    int64_t step = read_bound(r, range, "step", factor ? 0 : 1);
    if (r->messages->errors != before)
        return;
    int64_t ignored;
    if (!option_read_number((enum option)option, from, at, &ignored, r->messages) ||
        !option_read_number((enum option)option, to, at, &ignored, r->messages))
        return;
    const char *wrong = from > to              ? "expected from <= to"
                        : factor && step       ? "expected step or factor, not both"
                        : factor && factor < 2 ? "expected a factor of 2 or more"
                        : factor && from < 1   ? "expected from of 1 or more with a factor"
                        : !factor && step < 1  ? "expected a step of 1 or more"
                        : !factor && (to - from) / step >= LEVELS_MOST
                            ? "too many values, expected "
                              "a larger step"
                            : NULL;
    if (wrong != NULL) {
        message_add(r->messages, MESSAGE_ERROR, at, "%s: %s", d->name, wrong);
        return;
    }
    assert(from >= d->least && to <= d->greatest);
    for (int64_t v = from; v <= to; v = factor ? v * factor : v + step)
        VECTOR_PUSH(&levels->list, v);
}

static void add_factor(struct space *space, int option, struct levels *levels)
{
    assert(levels->list.count > 0 && option >= 0 && option < OPTION_COUNT);
    space->factors =
        memory_realloc(space->factors, (space->factor_count + 1) * sizeof *space->factors);
    space->factors[space->factor_count++] =
        (struct space_factor){option, levels->list.data, levels->list.count};
}

static struct space_factor *find_factor(const struct space *space, int option)
{
    for (size_t i = 0; i < space->factor_count; i++)
        if (space->factors[i].option == option)
            return &space->factors[i];
    return NULL;
}

static void read_factor(struct space_reader *r, const config_setting_t *member)
{
    const char *key = config_setting_name(member);
    struct position at = config_position(r->path, member);
    int option = option_find(key);
    if (option < 0) {
        option_unknown(key, NULL, 0, at, r->messages);
        return;
    }
    if (find_factor(r->space, option) != NULL) {
        message_add(r->messages, MESSAGE_ERROR, at, "%s is given twice", key);
        return;
    }
    struct levels levels = {0};
    size_t before = r->messages->errors;
    if (config_is_list(member))
        for (int i = 0; i < config_setting_length(member); i++)
            read_level(r, config_setting_get_elem(member, (unsigned)i), option, &levels);
    else if (config_setting_type(member) == CONFIG_TYPE_GROUP)
        read_range(r, member, option, &levels);
    else
        read_level(r, member, option, &levels);
    if (levels.list.count == 0 && r->messages->errors == before)
        message_add(r->messages, MESSAGE_ERROR, at, "%s: found no value, expected some", key);
    if (levels.list.count > 0)
        add_factor(r->space, option, &levels);
}

// What is fixed, the constraints, the list.

static bool expect(struct space_reader *r, const config_setting_t *setting, bool good,
                   const char *expected)
{
    if (!good)
        message_add(r->messages, MESSAGE_ERROR, config_position(r->path, setting),
                    "%s: found %s, expected %s", config_setting_name(setting),
                    config_type_name(setting), expected);
    return good;
}

static const config_setting_t *group_of(struct space_reader *r, const config_setting_t *root,
                                        const char *key)
{
    const config_setting_t *member = config_setting_get_member(root, key);
    bool good =
        member != NULL &&
        expect(r, member, config_setting_type(member) == CONFIG_TYPE_GROUP, "a group: { … }");
    return good ? member : NULL;
}

static const config_setting_t *list_of(struct space_reader *r, const config_setting_t *root,
                                       const char *key)
{
    const config_setting_t *member = config_setting_get_member(root, key);
    bool good = member != NULL && expect(r, member, config_is_list(member), "a list: ( … )");
    return good ? member : NULL;
}

// Reads a group of options over `values`.
static void read_values(struct space_reader *r, const config_setting_t *group,
                        int64_t values[OPTION_COUNT])
{
    struct configuration c;
    space_configuration(&c, values);
    c.source = config_position(memory_strdup(r->path), group);
    config_read_settings(&r->set, &c, group, r->messages);
    memcpy(values, c.values, sizeof c.values);
    configuration_finish(&c);
}

// The column of a text in quotes on that line; 0 when it is not there as it is.
static unsigned column_of(const char *text, unsigned line, const char *quoted)
{
    for (unsigned l = 1; l < line; l++) {
        text = strchr(text, '\n');
        if (text == NULL)
            return 0;
        text++;
    }
    struct text search;
    text_init(&search);
    text_printf(&search, "\"%s\"", quoted);
    const char *found = strstr(text, text_string(&search));
    bool here = found != NULL && found < text + strcspn(text, "\n");
    text_finish(&search);
    return here ? (unsigned)(found - text) + 2 : 0;
}

static const char *element_string(struct space_reader *r, const config_setting_t *element,
                                  const char *what)
{
    if (config_setting_type(element) == CONFIG_TYPE_STRING)
        return config_setting_get_string(element);
    message_add(r->messages, MESSAGE_ERROR, config_position(r->path, element),
                "%s: found %s, expected a string", what, config_type_name(element));
    return NULL;
}

static void read_constraints(struct space_reader *r, const config_setting_t *list)
{
    struct space *space = r->space;
    size_t count = (size_t)config_setting_length(list);
    space->constraints = memory_zalloc((count + 1) * sizeof(struct constraint *));
    for (size_t i = 0; i < count; i++) {
        const config_setting_t *element = config_setting_get_elem(list, (unsigned)i);
        const char *text = element_string(r, element, "constraints");
        struct position at = config_position(r->path, element);
        if (text == NULL)
            continue;
        at.column = column_of(r->text, at.line, text);
        struct constraint *constraint = constraint_read(text, at, r->messages);
        if (constraint != NULL)
            space->constraints[space->constraint_count++] = constraint;
    }
}

static void read_listed(struct space_reader *r, const config_setting_t *list)
{
    struct space *space = r->space;
    size_t count = (size_t)config_setting_length(list);
    space->listed = memory_zalloc((count + 1) * sizeof *space->listed);
    for (size_t i = 0; i < count; i++) {
        const config_setting_t *element = config_setting_get_elem(list, (unsigned)i);
        const char *text = element_string(r, element, "listed");
        if (text == NULL)
            continue;
        struct messages inner;
        messages_init(&inner);
        config_read_single(&r->set, text, &space->listed[space->listed_count++], &inner);
        for (size_t m = 0; m < inner.count; m++) // they do not know where the text stands
            message_add(r->messages, inner.items[m].kind, config_position(r->path, element), "%s",
                        inner.items[m].text);
        messages_finish(&inner);
    }
}

// After all is read.

// Fixed options that have an effect only sometimes become factors of one level.
static void add_fixed_factors(struct space *space)
{
    for (int o = 0; o < OPTION_COUNT; o++) {
        bool conditional = legality_effect_options((enum option)o) != 0 &&
                           space->fixed[o] != option_describe((enum option)o)->standard;
        if (!conditional || find_factor(space, o) != NULL)
            continue;
        struct levels levels = {0};
        VECTOR_PUSH(&levels.list, space->fixed[o]);
        add_factor(space, o, &levels);
    }
}

// Factors behind those that their effect depends on; otherwise as written.
static void order_factors(struct space *space)
{
    OPTION_SET waiting = 0;
    for (size_t i = 0; i < space->factor_count; i++)
        waiting |= OPTION_BIT(space->factors[i].option);
    for (size_t placed = 0; placed < space->factor_count; placed++) {
        size_t next = placed;
        for (size_t i = placed; i < space->factor_count; i++) {
            int option = space->factors[i].option;
            OPTION_SET needs = legality_effect_options((enum option)option);
            if ((needs & waiting) == 0) {
                next = i;
                break;
            }
        }
        struct space_factor factor = space->factors[next];
        memmove(space->factors + placed + 1, space->factors + placed,
                (next - placed) * sizeof factor);
        space->factors[placed] = factor;
        waiting &= ~OPTION_BIT(factor.option);
    }
    assert(waiting == 0);
}

static void relate(struct space *space)
{
    space->related = legality_options();
    for (size_t i = 0; i < space->constraint_count; i++)
        space->related |= constraint_options(space->constraints[i]);
    for (size_t i = 0; i < space->factor_count; i++)
        space->related |= legality_effect_options((enum option)space->factors[i].option);
}

// What one constraint or rule, `part`, keeps out, which is a whole point without it.
static void add_kept_out(struct text *out, const struct space *space, size_t part,
                         const size_t *point)
{
    int64_t values[OPTION_COUNT];
    struct configuration configuration;
    struct messages messages;
    messages_init(&messages);
    space_values(space, point, values);
    space_configuration(&configuration, values);
    if (part < space->constraint_count)
        text_printf(out, "; only the constraint \"%s\" keeps out \"%s\"",
                    constraint_text(space->constraints[part]), configuration.name);
    else if (!configuration_check(&configuration, &messages))
        for (size_t i = 0; i < messages.count; i++)
            if (messages.items[i].kind == MESSAGE_ERROR)
                text_printf(out, "; %s", messages.items[i].text);
    configuration_finish(&configuration);
    messages_finish(&messages);
}

// Why no combination is possible, as far as one constraint or rule is to blame. `point`: nothing chosen.
static void report_empty(struct space_reader *r, size_t *point)
{
    struct text text;
    text_init(&text);
    text_add(&text, "no combination is legal and meets the constraints");
    size_t parts = r->space->constraint_count + legality_count();
    for (size_t part = 0; part < parts; part++)
        if (space_complete_without(r->space, part, point)) {
            add_kept_out(&text, r->space, part, point);
            break;
        }
    message_add(r->messages, MESSAGE_ERROR, (struct position){r->path, 0, 0}, "%s",
                text_string(&text));
    text_finish(&text);
}

static void check(struct space_reader *r)
{
    struct space *space = r->space;
    struct position whole = {r->path, 0, 0};
    if (space->factor_count == 0 && space->listed_count == 0) {
        message_add(r->messages, MESSAGE_ERROR, whole,
                    "found neither options nor listed, expected configurations");
        return;
    }
    if (space->factor_count == 0)
        return;
    add_fixed_factors(space);
    order_factors(space);
    relate(space);
    size_t *point = memory_alloc(space->factor_count * sizeof *point);
    for (size_t i = 0; i < space->factor_count; i++)
        point[i] = SPACE_FREE;
    if (!space_complete(space, point, NULL, NULL))
        report_empty(r, point);
    memory_free(point);
}

static const char *const space_keys[] = {"description", "include",     "configurations", "fixed",
                                         "options",     "constraints", "base",           "listed"};

static void read_root(struct space_reader *r, const config_setting_t *root)
{
    struct space *space = r->space;
    const config_setting_t *part;
    config_check_keys(root, "a space", space_keys, sizeof space_keys / sizeof *space_keys, r->path,
                      r->messages);
    const char *description = config_string(root, "description", r->path, r->messages);
    space->description = memory_strdup(description != NULL ? description : "");
    struct config_chain chain = {r->path, NULL};
    config_read_configurations(&r->set, root, &chain, r->messages);
    if ((part = group_of(r, root, "fixed")) != NULL)
        read_values(r, part, space->fixed);
    memcpy(space->base, space->fixed, sizeof space->base);
    if ((part = group_of(r, root, "base")) != NULL)
        read_values(r, part, space->base);
    if ((part = group_of(r, root, "options")) != NULL)
        for (int i = 0; i < config_setting_length(part); i++)
            read_factor(r, config_setting_get_elem(part, (unsigned)i));
    if ((part = list_of(r, root, "constraints")) != NULL)
        read_constraints(r, part);
    if ((part = list_of(r, root, "listed")) != NULL)
        read_listed(r, part);
}

static struct space *read_space(const char *path, struct messages *messages)
{
    struct config_file file;
    if (!config_file_read(&file, path, messages))
        return NULL;
    struct space *space = memory_zalloc(sizeof *space);
    struct space_reader r = {.space = space, .path = path, .messages = messages};
    r.text = text_read_own_file(path, NULL);
    if (r.text == NULL)
        r.text = memory_strdup("");
    space->name = config_stem(path);
    space->path = memory_strdup(path);
    struct configuration standard;
    configuration_init(&standard, "");
    memcpy(space->fixed, standard.values, sizeof space->fixed);
    configuration_finish(&standard);
    size_t before = messages->errors;
    read_root(&r, config_root_setting(&file.config));
    if (messages->errors == before)
        check(&r);
    configuration_set_finish(&r.set);
    config_file_finish(&file);
    memory_free(r.text);
    if (messages->errors == before)
        return space;
    space_destroy(space);
    return NULL;
}

struct space *space_load(const char *name_or_path, struct messages *messages)
{
    struct text path;
    text_init(&path);
    struct space *space = NULL;
    if (config_find_file("space", name_or_path, &path, messages))
        space = read_space(text_string(&path), messages);
    text_finish(&path);
    return space;
}

void space_destroy(struct space *space)
{
    if (space == NULL)
        return;
    for (size_t i = 0; i < space->factor_count; i++)
        memory_free(space->factors[i].levels);
    for (size_t i = 0; i < space->constraint_count; i++)
        constraint_destroy(space->constraints[i]);
    for (size_t i = 0; i < space->listed_count; i++)
        configuration_finish(&space->listed[i]);
    memory_free(space->factors);
    memory_free(space->constraints);
    memory_free(space->listed);
    memory_free(space->name);
    memory_free(space->description);
    memory_free(space->path);
    memory_free(space);
}
