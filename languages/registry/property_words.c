#include "languages/registry/property_words.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "languages/registry/task.h"

// The input is FILE or FILE#QUESTION with this ending.
static bool has_ending(const char *path, const char *ending)
{
    const char *sign = strrchr(path, '#');
    size_t length = sign != NULL ? (size_t)(sign - path) : strlen(path), end = strlen(ending);
    return length > end && strncmp(path + length - end, ending, end) == 0;
}

static bool add_environment(const char *environment, const char *path, const char *property,
                            struct text *out, struct text *why)
{
    if (!has_ending(path, ".scxml")) {
        text_add(why, "--environment: expected a statechart in SCXML");
        return false;
    }
    char *content = property != NULL ? text_read_file(property, NULL) : NULL;
    text_printf(out, "events %s; ", environment);
    if (property != NULL)
        text_add(out, content != NULL ? content : property);
    memory_free(content);
    return true;
}

static void add_item(struct text *out, const char *name, const char *value)
{
    text_printf(out, "%s%s", strchr(text_string(out), '#') != NULL ? "," : "#", name);
    for (; *value != '\0'; value++) {
        if (*value == ',' || *value == '\\')
            text_add_char(out, '\\');
        text_add_char(out, *value);
    }
}

static void add_items(struct text *out, const char *name, char *const *values)
{
    for (; values != NULL && *values != NULL; values++)
        add_item(out, name, *values);
}

static bool add_of_program(const struct property_words *words, const char *path,
                           const char *property, struct text *out, struct text *why)
{
    const char *model = words->data_model;
    if (!task_is_program(path) || task_is_definition(path)) {
        text_add(why, "--data-model, --include, --define, --with: expected a file of a C program");
        return false;
    }
    if (model != NULL && strcmp(model, "ILP32") != 0 && strcmp(model, "LP64") != 0) {
        text_printf(why, "--data-model=%s: expected ILP32 or LP64", model);
        return false;
    }
    text_add(out, property != NULL ? property : "unreach-call");
    if (model != NULL)
        add_item(out, *model == 'L' ? "lp64" : "ilp32", "");
    add_items(out, "clang=-I", words->includes);
    add_items(out, "clang=-D", words->defines);
    add_items(out, "with=", words->with);
    assert(strchr(text_string(out), '#') != NULL); // so it is another question than without
    return true;
}

bool property_words_add(const struct property_words *words, const char *path, const char *property,
                        struct text *out, struct text *why)
{
    bool of_program = words->data_model != NULL || words->includes != NULL ||
                      words->defines != NULL || words->with != NULL;
    if (of_program && !add_of_program(words, path, property, out, why))
        return false;
    return words->environment == NULL ||
           add_environment(words->environment, path, property, out, why);
}
