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

static const char *const engine_names[] = {
#define X(name) name,
    OPTION_ENGINES(X)
#undef X
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

const char *option_engine_name(size_t index)
{
    return index < sizeof engine_names / sizeof *engine_names ? engine_names[index] : NULL;
}
