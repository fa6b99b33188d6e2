#include "languages/registry/registry.h"

#include <assert.h>
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

const struct language *language_for_path(const char *path)
{
    for (const struct language *const *f = languages; *f != NULL; f++) {
        if (text_ends_with(path, (*f)->extension))
            return *f;
    }
    return NULL;
}

// A file's contents; NULL and an error when it cannot be read.
static char *read_input(const char *path, size_t *bytes, struct messages *messages)
{
    struct position at = {path, 0, 0};
    char *text = text_read_file(path, bytes);
    if (text == NULL)
        message_add(messages, MESSAGE_ERROR, at, "the file cannot be read: %s",
                    text_read_error(errno));
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
    if (!is_file(property) && !text_ends_with(property, ".prop") &&
        !text_ends_with(property, ".prp")) {
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

// The texts of a request and the language that reads them; false with messages.
struct input {
    const struct language *language;
    struct language_request request;
    char *text, *contents;
    struct language_source *own; // parsed here, and nobody else wants it
};

static bool parse_input(struct input *input, struct language_source **source,
                        struct messages *messages)
{
    struct language_request *request = &input->request;
    if (source != NULL && *source != NULL) {
        assert(input->language->parse != NULL); // nobody else has sources
        request->source = *source;
        return true;
    }
    input->text = read_input(request->model_path, &request->model_bytes, messages);
    request->model_text = input->text;
    if (input->text == NULL || input->language->parse == NULL)
        return input->text != NULL;
    request->source = input->language->parse(request, messages);
    memory_free(input->text);
    request->model_text = input->text = NULL;
    *(source != NULL ? source : &input->own) = request->source;
    return request->source != NULL;
}

static bool open_input(struct input *input, const char *model_path, const char *property,
                       enum property_at property_at, struct language_source **source,
                       struct messages *messages)
{
    *input = (struct input){.language = language_for_path(model_path)};
    if (input->language == NULL) {
        report_extension(model_path, messages);
        return false;
    }
    input->request =
        (struct language_request){.model_path = model_path, .property_at = property_at};
    return parse_input(input, source, messages) &&
           (property == NULL ||
            load_named(property, input->language, &input->request, &input->contents, messages));
}

static void close_input(struct input *input)
{
    memory_free(input->text);
    memory_free(input->contents);
    language_source_release(input->own);
}

struct model *language_load(const char *model_path, const char *property,
                            enum property_at property_at, struct language_source **source,
                            struct messages *messages)
{
    struct input input;
    struct model *model = NULL;
    if (open_input(&input, model_path, property, property_at, source, messages))
        model = input.language->read(&input.request, messages);
    close_input(&input);
    return model;
}

bool language_ask(const char *model_path, const char *property, enum property_at property_at,
                  struct language_source **source, struct language_questions *out,
                  struct messages *messages)
{
    const struct language *language = language_for_path(model_path);
    // Where a property says no more than which error is meant, it has said that.
    if (language == NULL || language->questions == NULL ||
        (property != NULL && !language->reads_checks))
        return true;
    struct input input;
    unsigned before = messages->errors;
    if (open_input(&input, model_path, property, property_at, source, messages))
        language->questions(&input.request, out, messages);
    close_input(&input);
    return messages->errors == before;
}
