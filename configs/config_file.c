#include "configs/config_file.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/signals.h"

// libconfig 1.5 reads an integer with atoi: longer ones lose their high bits without a word.
enum { SAFE_DIGITS = 9 };

struct scan {
    const char *at;
    unsigned line;
    bool line_start; // only blanks so far
};

static void skip_string(struct scan *scan)
{
    for (scan->at++; *scan->at && *scan->at != '"'; scan->at++) {
        if (*scan->at == '\n')
            scan->line++;
        if (*scan->at == '\\' && scan->at[1])
            scan->at++;
    }
    if (*scan->at)
        scan->at++;
}

static void skip_comment(struct scan *scan)
{
    if (scan->at[0] != '/' || scan->at[1] != '*') {
        while (*scan->at && *scan->at != '\n')
            scan->at++;
        return;
    }
    for (scan->at += 2; *scan->at && !(scan->at[0] == '*' && scan->at[1] == '/'); scan->at++)
        if (*scan->at == '\n')
            scan->line++;
    if (*scan->at)
        scan->at += 2;
}

// A word: a name or a number.
static void check_word(struct scan *scan, const char *path, struct messages *messages)
{
    const char *start = scan->at;
    bool integer = isdigit((unsigned char)*start);
    for (; isalnum((unsigned char)*scan->at) || *scan->at == '_' || *scan->at == '.'; scan->at++)
        integer = integer && *scan->at != '.';
    size_t digits = (size_t)(scan->at - start);
    if (integer && digits > SAFE_DIGITS)
        message_add(messages, MESSAGE_ERROR, (struct position){path, scan->line, 0},
                    "the number %.*s is out of range, expected at most %d digits",
                    digits > 40 ? 40 : (int)digits, start, SAFE_DIGITS);
}

static void scan_step(struct scan *scan, const char *path, struct messages *messages)
{
    char c = *scan->at;
    if (c == '\n') {
        scan->line++;
        scan->line_start = true;
        scan->at++;
        return;
    }
    if (isspace((unsigned char)c)) {
        scan->at++;
        return;
    }
    if (scan->line_start && strncmp(scan->at, "@include", 8) == 0)
        message_add(messages, MESSAGE_ERROR, (struct position){path, scan->line, 0},
                    "\"@include\" is not allowed here, expected: include = \"file.cfg\";");
    scan->line_start = false;
    if (c == '"')
        skip_string(scan);
    else if (c == '#' || (c == '/' && (scan->at[1] == '/' || scan->at[1] == '*')))
        skip_comment(scan);
    else if (isalnum((unsigned char)c))
        check_word(scan, path, messages);
    else
        scan->at++;
}

static bool scan_text(const char *text, const char *path, struct messages *messages)
{
    size_t before = messages->errors;
    struct scan scan = {text, 1, true};
    while (*scan.at)
        scan_step(&scan, path, messages);
    return messages->errors == before;
}

bool config_file_read(struct config_file *file, const char *path, struct messages *messages)
{
    struct position whole = {path, 0, 0};
    size_t bytes;
    char *text = text_read_own_file(path, &bytes);
    if (text == NULL) {
        message_add(messages, MESSAGE_ERROR, whole, "cannot be read: %s", text_read_error(errno));
        return false;
    }
    bool good = strlen(text) == bytes;
    if (!good)
        message_add(messages, MESSAGE_ERROR, whole, "contains a NUL byte, expected text");
    good = good && scan_text(text, path, messages);
    if (!good) {
        memory_free(text);
        return false;
    }
    signals_guard("libconfig");
    config_init(&file->config);
    int parsed = config_read_string(&file->config, text);
    signals_guard(NULL);
    memory_free(text);
    if (!parsed) {
        struct position at = {path, (unsigned)config_error_line(&file->config), 0};
        message_add(messages, MESSAGE_ERROR, at, "%s", config_error_text(&file->config));
        config_destroy(&file->config);
        return false;
    }
    file->path = memory_strdup(path);
    return true;
}

void config_file_finish(struct config_file *file)
{
    config_destroy(&file->config);
    memory_free(file->path);
}

struct position config_position(const char *path, const config_setting_t *setting)
{
    return (struct position){path, (unsigned)config_setting_source_line(setting), 0};
}

const char *config_type_name(const config_setting_t *setting)
{
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_GROUP:
        return "a group";
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        return "a whole number";
    case CONFIG_TYPE_FLOAT:
        return "a number with a fraction";
    case CONFIG_TYPE_STRING:
        return "a string";
    case CONFIG_TYPE_BOOL:
        return "true or false";
    case CONFIG_TYPE_ARRAY:
        return "an array";
    default:
        return "a list";
    }
}

void config_suggest(struct text *text, const char *word, const char *const *candidates,
                    size_t count)
{
    const char *near = text_nearest(word, candidates, count);
    if (near != NULL)
        text_printf(text, ", did you mean \"%s\"?", near);
}

void config_check_keys(const config_setting_t *group, const char *what, const char *const *known,
                       size_t count, const char *path, struct messages *messages)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *member = config_setting_get_elem(group, (unsigned)i);
        const char *key = config_setting_name(member);
        bool found = false;
        for (size_t k = 0; k < count && !found; k++)
            found = strcmp(known[k], key) == 0;
        if (found)
            continue;
        struct text text;
        text_init(&text);
        text_printf(&text, "unknown key \"%s\" in %s", key, what);
        config_suggest(&text, key, known, count);
        message_add(messages, MESSAGE_ERROR, config_position(path, member), "%s",
                    text_string(&text));
        text_finish(&text);
    }
}

const char *config_string(const config_setting_t *group, const char *key, const char *path,
                          struct messages *messages)
{
    const config_setting_t *member = config_setting_get_member(group, key);
    if (member == NULL)
        return NULL;
    if (config_setting_type(member) != CONFIG_TYPE_STRING) {
        message_add(messages, MESSAGE_ERROR, config_position(path, member),
                    "%s: found %s, expected a string", key, config_type_name(member));
        return NULL;
    }
    return config_setting_get_string(member);
}

bool config_switch(const config_setting_t *group, const char *key, const char *path,
                   struct messages *messages)
{
    const config_setting_t *member = config_setting_get_member(group, key);
    if (member == NULL)
        return false;
    if (config_setting_type(member) != CONFIG_TYPE_BOOL)
        message_add(messages, MESSAGE_ERROR, config_position(path, member),
                    "%s: found %s, expected true or false", key, config_type_name(member));
    return config_setting_get_bool(member) != 0;
}

void config_unknown_configuration(const struct configuration_set *set, const char *name,
                                  struct position at, struct messages *messages)
{
    const char **names = memory_alloc(set->count * sizeof *names);
    for (size_t i = 0; i < set->count; i++)
        names[i] = set->items[i].name;
    struct text text;
    text_init(&text);
    text_printf(&text, "unknown configuration \"%s\"", name);
    config_suggest(&text, name, names, set->count);
    if (set->count == 0)
        config_add_folders(&text,
                           "; the file has none and includes none (include = "
                           "\"configurations.cfg\"; brings those of the program), looked in ");
    message_add(messages, MESSAGE_ERROR, at, "%s", text_string(&text));
    text_finish(&text);
    memory_free(names);
}
