#include "configs/option_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    bool value;
} switch_names[] = {{"on", true},  {"off", false}, {"true", true}, {"false", false},
                    {"yes", true}, {"no", false},  {"1", true},    {"0", false}};

// As configuration_parse reads it back.
static void print_text(struct text *out, const char *string)
{
    const char *mark = string[strcspn(string, ", \t\n")] ? "\"" : "";
    text_printf(out, "%s%s%s", mark, string, mark);
}

void option_print_value(struct text *out, enum option option, int64_t value)
{
    switch (option_describe(option)->type) {
    case OPTION_TYPE_ENUM:
        text_add(out, option_value_name((enum option_value)value));
        return;
    case OPTION_TYPE_NUMBER:
        text_printf(out, "%" PRId64, value);
        return;
    case OPTION_TYPE_SWITCH:
        text_add(out, value ? "on" : "off");
        return;
    case OPTION_TYPE_TEXT:
        print_text(out, text_value(value));
        return;
    }
}

// The names of an option's values; returns how many.
static size_t value_names(enum option option, const char *names[OPTION_VALUE_COUNT])
{
    size_t count = 0;
    for (int i = 0; i < OPTION_VALUE_COUNT; i++)
        if (option_value_option(i) == option)
            names[count++] = option_value_name(i);
    return count;
}

static void add_expectation(struct text *text, enum option option)
{
    const struct option_description *d = option_describe(option);
    const char *names[OPTION_VALUE_COUNT];
    size_t count;
    int64_t number;
    const char *word;
    switch (d->type) {
    case OPTION_TYPE_ENUM:
        count = value_names(option, names);
        text_add(text, "expected one of");
        for (size_t i = 0; i < count; i++)
            text_printf(text, "%s %s", i ? "," : "", names[i]);
        return;
    case OPTION_TYPE_NUMBER:
        text_printf(text, "expected a whole number from %" PRId64 " to %" PRId64, d->least,
                    d->greatest);
        for (size_t i = 0; (word = option_word(option, i, &number)) != NULL; i++)
            text_printf(text, ", or %s for %" PRId64, word, number);
        return;
    case OPTION_TYPE_SWITCH:
        text_add(text, "expected on or off");
        return;
    case OPTION_TYPE_TEXT:
        text_printf(text, "expected %s", d->expected);
        return;
    }
}

void option_wrong_type(enum option option, const char *found, struct position at,
                       struct messages *messages)
{
    struct text text;
    text_init(&text);
    text_printf(&text, "%s: found %s, ", option_describe(option)->name, found);
    add_expectation(&text, option);
    message_add(messages, MESSAGE_ERROR, at, "%s", text_string(&text));
    text_finish(&text);
}

static bool refuse(enum option option, const char *string, struct position at,
                   struct messages *messages)
{
    struct text text;
    text_init(&text);
    text_printf(&text, "%s: found \"%s\", ", option_describe(option)->name, string);
    add_expectation(&text, option);
    const char *names[OPTION_VALUE_COUNT];
    size_t count = value_names(option, names);
    bool lower =
        count > 0 && islower((unsigned char)names[0][0]); // names of an option are of one case
    char same[64];
    size_t length = 0;
    for (; string[length] && length < sizeof same - 1; length++)
        same[length] = (char)(lower ? tolower((unsigned char)string[length])
                                    : toupper((unsigned char)string[length]));
    same[length] = '\0';
    const char *near = text_nearest(same, names, count);
    const char *hint = option_hint(option, string);
    if (hint != NULL)
        text_printf(&text, "; %s", hint);
    else if (near != NULL)
        text_printf(&text, "; did you mean \"%s\"?", near);
    message_add(messages, MESSAGE_ERROR, at, "%s", text_string(&text));
    text_finish(&text);
    return false;
}

bool option_read_number(enum option option, int64_t number, struct position at, int64_t *value,
                        struct messages *messages)
{
    const struct option_description *d = option_describe(option);
    if (number < d->least || number > d->greatest) {
        message_add(messages, MESSAGE_ERROR, at,
                    "%s: %" PRId64 " is out of range, expected a whole number from %" PRId64
                    " to %" PRId64,
                    d->name, number, d->least, d->greatest);
        return false;
    }
    *value = number;
    return true;
}

static bool read_number_text(enum option option, const char *string, struct position at,
                             int64_t *value, struct messages *messages)
{
    char *end;
    if (option_word_find(option, string, value))
        return true;
    errno = 0;
    long long number = strtoll(string, &end, 10);
    if (end == string || *end || isspace((unsigned char)*string) || errno == ERANGE)
        return refuse(option, string, at, messages);
    return option_read_number(option, number, at, value, messages);
}

static bool read_switch(enum option option, const char *string, struct position at, int64_t *value,
                        struct messages *messages)
{
    for (size_t i = 0; i < sizeof switch_names / sizeof *switch_names; i++)
        if (strcasecmp(switch_names[i].name, string) == 0) {
            *value = switch_names[i].value;
            return true;
        }
    return refuse(option, string, at, messages);
}

bool option_read_text(enum option option, const char *string, struct position at, int64_t *value,
                      struct messages *messages)
{
    int found;
    const char *kept;
    switch (option_describe(option)->type) {
    case OPTION_TYPE_NUMBER:
        return read_number_text(option, string, at, value, messages);
    case OPTION_TYPE_SWITCH:
        return read_switch(option, string, at, value, messages);
    case OPTION_TYPE_ENUM:
        found = option_value_find(option, string);
        if (found < 0)
            return refuse(option, string, at, messages);
        *value = found;
        return true;
    case OPTION_TYPE_TEXT:
        kept = option_describe(option)->read(string);
        if (kept == NULL)
            return refuse(option, string, at, messages);
        *value = text_value_keep(kept);
        return true;
    }
    return false;
}

enum { MOST_NAMES = 96 };

static void unknown(const char *what, const char *name, const char *const *names, size_t count,
                    struct position at, struct messages *messages)
{
    const char *near = text_nearest(name, names, count);
    if (near != NULL)
        message_add(messages, MESSAGE_ERROR, at, "unknown %s \"%s\", did you mean \"%s\"?", what,
                    name, near);
    else
        message_add(messages, MESSAGE_ERROR, at, "unknown %s \"%s\"", what, name);
}

_Static_assert(OPTION_COUNT + 8 <= MOST_NAMES, "room for every option and a few keys");

void option_unknown(const char *name, const char *const *others, size_t count, struct position at,
                    struct messages *messages)
{
    const char *names[MOST_NAMES];
    size_t n = 0;
    for (int i = 0; i < OPTION_COUNT; i++)
        names[n++] = option_describe(i)->name;
    for (size_t i = 0; i < count && n < MOST_NAMES; i++)
        names[n++] = others[i];
    unknown("option", name, names, n, at, messages);
}
