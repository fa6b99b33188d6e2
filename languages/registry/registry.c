#include "languages/registry/registry.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"

// Finds the reader by the file's extension and hands it the texts.

#define LIST(name) &language_##name,

static const struct language *const languages[] = {LANGUAGES(LIST) NULL};

const struct language *const *language_all(void)
{
    return languages;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

const struct language *language_for_path(const char *path)
{
    for (const struct language *const *f = languages; *f != NULL; f++) {
        if (ends_with(path, (*f)->extension))
            return *f;
    }
    return NULL;
}

// A file's contents; NULL and an error when it cannot be read.
static char *read_input(const char *path, size_t *bytes, struct messages *messages)
{
    struct position at = {path, 0, 0};
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        message_add(messages, MESSAGE_ERROR, at, "found a folder, expected a file");
        return NULL;
    }
    char *text = text_read_file(path, bytes);
    if (text == NULL)
        message_add(messages, MESSAGE_ERROR, at, "the file cannot be read: %s", strerror(errno));
    return text;
}

static void report_extension(const char *path, struct messages *messages)
{
    struct text known;
    text_init(&known);
    for (const struct language *const *f = languages; *f != NULL; f++)
        text_printf(&known, "%s%s", f == languages ? "" : ", ", (*f)->extension);
    message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0},
                "the file name has no known extension, expected one of %s", text_string(&known));
    text_finish(&known);
}

// "CHECK( … )": a file that says no more than that the error which the model itself names is
// unreachable.
static bool says_only_unreachable(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    if (strncmp(text, "CHECK", 5) != 0)
        return false;
    text += 5;
    while (isspace((unsigned char)*text))
        text++;
    return *text == '(';
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

// Fills in the property's fields of the request. *contents is what the caller has to free.
static bool load_property(const char *property, const struct language *language,
                          struct language_request *request, char **contents,
                          struct messages *messages)
{
    if (!is_file(property) && !ends_with(property, ".prop") && !ends_with(property, ".prp")) {
        request->property_text = property;
        request->property_bytes = strlen(property);
        request->property_inline = true;
        return true;
    }
    *contents = read_input(property, &request->property_bytes, messages);
    if (*contents == NULL)
        return false;
    if (!language->reads_checks && says_only_unreachable(*contents)) {
        request->property_bytes = 0;
        return true;
    }
    request->property_path = property;
    request->property_text = *contents;
    return true;
}

// PATH or PATH#NAME. The part of the name that is no path is split off where such a file exists.
static bool load_named(const char *property, const struct language *language,
                       struct language_request *request, char **contents, struct messages *messages)
{
    const char *sign = strrchr(property, '#');
    char *path = memory_strdup(property);
    if (sign != NULL)
        path[sign - property] = '\0';
    if (sign == NULL || is_file(property) || !is_file(path)) {
        memory_free(path);
        return load_property(property, language, request, contents, messages);
    }
    bool good = load_property(path, language, request, contents, messages);
    request->property_path = good && request->property_path != NULL ? property : NULL;
    request->question = sign + 1;
    memory_free(path);
    return good;
}

struct model *language_load(const char *model_path, const char *property,
                            enum property_at property_at, struct messages *messages)
{
    const struct language *language = language_for_path(model_path);
    if (language == NULL) {
        report_extension(model_path, messages);
        return NULL;
    }
    struct language_request request = {.model_path = model_path, .property_at = property_at};
    char *text = read_input(model_path, &request.model_bytes, messages);
    char *contents = NULL;
    struct model *model = NULL;
    request.model_text = text;
    if (text != NULL &&
        (property == NULL || load_named(property, language, &request, &contents, messages)))
        model = language->read(&request, messages);
    memory_free(text);
    memory_free(contents);
    return model;
}
