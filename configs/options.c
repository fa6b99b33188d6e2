#include "configs/options.h"

#include <assert.h>
#include <stddef.h>
#include <strings.h>

static const struct option_description descriptions[OPTION_COUNT] = {
#define E(constant, option_name, default_value, text)                                              \
    [constant] = {.name = option_name,                                                             \
                  .type = OPTION_TYPE_ENUM,                                                        \
                  .help = text,                                                                    \
                  .standard = default_value,                                                       \
                  .least = 0,                                                                      \
                  .greatest = OPTION_VALUE_COUNT - 1},
#define N(constant, option_name, default_value, lowest, highest, text)                             \
    [constant] = {.name = option_name,                                                             \
                  .type = OPTION_TYPE_NUMBER,                                                      \
                  .help = text,                                                                    \
                  .standard = default_value,                                                       \
                  .least = lowest,                                                                 \
                  .greatest = highest},
#define B(constant, option_name, default_value, text)                                              \
    [constant] = {.name = option_name,                                                             \
                  .type = OPTION_TYPE_SWITCH,                                                      \
                  .help = text,                                                                    \
                  .standard = default_value,                                                       \
                  .least = 0,                                                                      \
                  .greatest = 1},
#define T(constant, option_name, default_value, reader, takes, text)                               \
    [constant] = {.name = option_name,                                                             \
                  .type = OPTION_TYPE_TEXT,                                                        \
                  .help = text,                                                                    \
                  .standard = default_value,                                                       \
                  .least = 0,                                                                      \
                  .greatest = INT64_MAX,                                                           \
                  .read = reader,                                                                  \
                  .expected = takes},
    OPTION_ENUMS(E) OPTION_NUMBERS(N) OPTION_SWITCHES(B) OPTION_TEXTS(T)
#undef E
#undef N
#undef B
#undef T
};

static const struct {
    enum option option;
    const char *name;
    const char *help;
} values[OPTION_VALUE_COUNT] = {
#define V(owner, constant, value_name, text) [constant] = {owner, value_name, text},
    OPTION_VALUES(V)
#undef V
};

static const struct {
    enum option option;
    const char *word;
    int64_t number;
} words[] = {
#define W(owner, text, stands_for) {owner, text, stands_for},
    OPTION_WORDS(W)
#undef W
};

static const struct {
    enum option option;
    const char *word, *hint;
} hints[] = {
#define H(owner, text, instead) {owner, text, instead},
    OPTION_HINTS(H)
#undef H
};

const struct option_description *option_describe(enum option option)
{
    assert((unsigned)option < OPTION_COUNT);
    return &descriptions[option];
}

int option_find(const char *name)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strcasecmp(descriptions[i].name, name) == 0)
            return i;
    return -1;
}

const char *option_value_name(enum option_value value)
{
    assert((unsigned)value < OPTION_VALUE_COUNT);
    return values[value].name;
}

const char *option_value_help(enum option_value value)
{
    assert((unsigned)value < OPTION_VALUE_COUNT);
    return values[value].help;
}

enum option option_value_option(enum option_value value)
{
    assert((unsigned)value < OPTION_VALUE_COUNT);
    return values[value].option;
}

int option_value_find(enum option option, const char *name)
{
    for (int i = 0; i < OPTION_VALUE_COUNT; i++)
        if (values[i].option == option && strcasecmp(values[i].name, name) == 0)
            return i;
    return -1;
}

const char *option_word(enum option option, size_t i, int64_t *number)
{
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (words[w].option == option && i-- == 0) {
            *number = words[w].number;
            return words[w].word;
        }
    return NULL;
}

bool option_word_find(enum option option, const char *word, int64_t *number)
{
    int64_t found;
    const char *known;
    for (size_t i = 0; (known = option_word(option, i, &found)) != NULL; i++)
        if (strcasecmp(known, word) == 0) {
            *number = found;
            return true;
        }
    return false;
}

const char *option_hint(enum option option, const char *word)
{
    for (size_t h = 0; h < sizeof hints / sizeof *hints; h++)
        if (hints[h].option == option && strcasecmp(hints[h].word, word) == 0)
            return hints[h].hint;
    return NULL;
}
