#include "configs/configuration.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "configs/option_text.h"

void configuration_init(struct configuration *configuration, const char *name)
{
    *configuration = (struct configuration){
        .name = memory_strdup(name),
        .description = memory_strdup(""),
    };
    for (int i = 0; i < OPTION_COUNT; i++)
        configuration->values[i] = option_describe(i)->standard;
    configuration_seal(configuration);
}

void configuration_finish(struct configuration *configuration)
{
    memory_free(configuration->name);
    memory_free(configuration->description);
    memory_free((char *)configuration->source.path);
    *configuration = (struct configuration){0};
}

void configuration_copy(struct configuration *to, const struct configuration *from)
{
    *to = *from;
    to->name = memory_strdup(from->name);
    to->description = memory_strdup(from->description);
    to->source.path = from->source.path != NULL ? memory_strdup(from->source.path) : NULL;
}

void configuration_seal(struct configuration *configuration)
{
    // Names, not numbers, and of options that differ from their default only: neither a new value nor a new option
    // must change old fingerprints, or runs of before would not be found again.
    struct hash128 h = hash128_add_text(hash128_seed(0xc0f17), configuration_engine(configuration));
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (i == OPTION_ENGINE || configuration->values[i] == option_describe(i)->standard)
            continue;
        assert(option_describe(i)->type != OPTION_TYPE_ENUM ||
               option_value_option((int)configuration->values[i]) == (enum option)i);
        h = hash128_add_text(h, option_describe(i)->name);
        struct text value;
        text_init(&value);
        option_print_value(&value, i, configuration->values[i]);
        h = hash128_add_text(h, text_string(&value));
        text_finish(&value);
    }
    configuration->fingerprint = h;
}

const char *configuration_engine(const struct configuration *configuration)
{
    return option_value_name((enum option_value)configuration->values[OPTION_ENGINE]);
}

void configuration_print(struct text *out, const struct configuration *configuration, bool all)
{
    text_printf(out, "engine=%s", configuration_engine(configuration));
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_description *option = option_describe(i);
        if (i == OPTION_ENGINE || (!all && configuration->values[i] == option->standard))
            continue;
        text_printf(out, " %s=", option->name);
        option_print_value(out, i, configuration->values[i]);
    }
}

const char *configuration_solver(const struct configuration *configuration, enum option role)
{
    int64_t own = configuration->values[role];
    return text_value(own == TEXT_VALUE_NONE ? configuration->values[OPTION_SOLVER] : own);
}

// What a text sets, before it is known that all of it is good.
struct setting_text {
    int64_t values[OPTION_COUNT];
    bool given[OPTION_COUNT];
    int last; // the option read last, -1 = none
};

static void refuse_item(const struct setting_text *s, const char *item, struct messages *messages)
{
    const char *hint = "";
    if (s->last >= 0 && option_describe((enum option)s->last)->type == OPTION_TYPE_TEXT)
        hint = "; a text with blanks or commas stands in double quotes: solver=\"smtlib:z3 -in\"";
    message_add(messages, MESSAGE_ERROR, (struct position){0},
                "found \"%s\", expected option=value%s", item, hint);
}

static void parse_item(struct setting_text *s, char *item, struct messages *messages)
{
    struct position nowhere = {0};
    char *equals = strchr(item, '=');
    if (equals == NULL) {
        refuse_item(s, item, messages);
        return;
    }
    *equals = '\0';
    int option = s->last = option_find(item);
    if (option < 0) {
        option_unknown(item, NULL, 0, nowhere, messages);
        return;
    }
    if (s->given[option])
        message_add(messages, MESSAGE_ERROR, nowhere, "%s is given twice", item);
    s->given[option] = true;
    option_read_text(option, equals + 1, nowhere, &s->values[option], messages);
}

// The next item, ended by a blank or comma outside quotation marks, without these; NULL at the end.
static char *next_item(char **rest, struct messages *messages)
{
    char *start = *rest, *to = start;
    bool quoted = false;
    if (start == NULL)
        return NULL;
    for (char *c = start;; c++) {
        bool blank = *c == ',' || *c == ' ' || *c == '\t' || *c == '\n';
        if (!*c && quoted)
            message_add(messages, MESSAGE_ERROR, (struct position){0},
                        "found \"%s\", expected a quotation mark at its end", start);
        if (!*c || (blank && !quoted)) {
            *rest = *c ? c + 1 : NULL;
            *to = '\0';
            return start;
        }
        if (*c == '"')
            quoted = !quoted;
        else
            *to++ = *c;
    }
}

bool configuration_parse(struct configuration *configuration, const char *text,
                         struct messages *messages)
{
    size_t before = messages->errors;
    struct setting_text s = {.last = -1};
    char *copy = memory_strdup(text), *rest = copy;
    for (char *item; (item = next_item(&rest, messages)) != NULL;)
        if (*item)
            parse_item(&s, item, messages);
    memory_free(copy);
    if (messages->errors != before)
        return false;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (s.given[i])
            configuration->values[i] = s.values[i];
    configuration_seal(configuration);
    return true;
}
