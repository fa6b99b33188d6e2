#include "languages/umlrt/property.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

void capsule_property_finish(struct capsule_property *property)
{
    memory_free(property->name);
    memory_free(property->formula);
}

void capsule_properties_finish(struct capsule_properties *list)
{
    for (size_t i = 0; i < list->count; i++)
        capsule_property_finish(&list->data[i]);
    VECTOR_FINISH(list);
}

// Without comments, each of which becomes a blank: positions stay.
static char *strip(const char *text)
{
    char *copy = memory_strdup(text);
    bool quoted = false;
    for (char *c = copy; *c != '\0'; c++) {
        if (*c == '"')
            quoted = !quoted;
        for (; !quoted && c[0] == '/' && c[1] == '/' && *c != '\n' && *c != '\0';)
            while (*c != '\n' && *c != '\0')
                *c++ = ' ';
        if (*c == '\0')
            break;
    }
    return copy;
}

// Where the question ends: at a `;` outside quotation marks, or at the end.
static char *end_of(char *from)
{
    bool quoted = false;
    for (; *from != '\0' && (quoted || *from != ';'); from++)
        if (*from == '"')
            quoted = !quoted;
    return from;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

// `NAME :` at the beginning; a formula has no colon.
static char *take_name(char **text)
{
    char *start = *text + strspn(*text, " \t\r\n"), *c = start;
    if (!isalpha((unsigned char)*c) && *c != '_')
        return NULL;
    while (isalnum((unsigned char)*c) || (*c != '\0' && strchr("_-.", *c) != NULL))
        c++;
    char *after = c + strspn(c, " \t\r\n");
    if (*after != ':')
        return NULL;
    *text = after + 1;
    char saved = *c;
    *c = '\0';
    char *name = memory_strdup(start);
    *c = saved;
    return name;
}

static const char *const SETTINGS[] = {"queue", "loops", "head"};

static int setting_at(const char *text)
{
    text += strspn(text, " \t\r\n");
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(SETTINGS[i]);
        if (strncmp(text, SETTINGS[i], length) == 0 && !isalnum((unsigned char)text[length]))
            return i;
    }
    return -1;
}

// `with` and a setting behind it, outside quotation marks; NULL when there is none.
static char *find_settings(char *text)
{
    bool quoted = false;
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '"')
            quoted = !quoted;
        if (!quoted && strncmp(c, "with", 4) == 0 && isspace((unsigned char)c[4]) &&
            (c == text || !isalnum((unsigned char)c[-1])) && setting_at(c + 4) >= 0)
            return c;
    }
    return NULL;
}

static bool read_number(char **at, long least, long most, unsigned *out)
{
    char *end;
    long number = strtol(*at, &end, 10);
    if (end == *at || number < least || number > most)
        return false;
    *out = (unsigned)number;
    *at = end;
    return true;
}

static bool read_settings(const char *path, char *text, struct capsule_property *out,
                          struct messages *messages)
{
    do {
        int setting = setting_at(text);
        text += strspn(text, " \t\r\n");
        bool fine = setting >= 0;
        if (fine)
            text += strlen(SETTINGS[setting]);
        if (setting == 0)
            fine = read_number(&text, 1, 1000, &out->queue_bound);
        else if (setting == 1)
            fine = read_number(&text, 0, 10000, &out->loop_bound);
        else
            out->head_only |= setting == 2;
        text += strspn(text, " \t\r\n");
        if (!fine || (*text != ',' && *text != '\0')) {
            message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0},
                        "found `%.40s` behind `with`, expected `queue` 1 to 1000, `loops` 0 to "
                        "10000, or `head`",
                        text);
            return false;
        }
    } while (*text++ == ',');
    return true;
}

// The text with as many lines and blanks before it as it has in the file, so that messages say where it is.
static char *in_place(const char *file, const char *text)
{
    struct text out = {0};
    assert(text >= file);
    for (const char *c = file; c < text; c++)
        text_add_char(&out, *c == '\n' ? '\n' : ' ');
    text_add(&out, text);
    return text_steal(&out);
}

static bool read_one(const char *path, const char *file, char *text, struct capsule_property *out,
                     struct messages *messages)
{
    *out = (struct capsule_property){.queue_bound = CAPSULE_QUEUE_BOUND,
                                     .loop_bound = CAPSULE_LOOP_BOUND};
    char *settings = find_settings(text);
    bool fine = settings == NULL || read_settings(path, settings + 4, out, messages);
    if (settings != NULL)
        *settings = '\0';
    out->name = take_name(&text);
    out->formula = in_place(file, text);
    return fine;
}

bool capsule_properties_read(const char *path, const char *text, struct capsule_properties *out,
                             struct messages *messages)
{
    char *copy = strip(text);
    bool fine = true;
    for (char *at = copy; fine && *at != '\0';) {
        char *end = end_of(at);
        bool last = *end == '\0';
        *end = '\0';
        if (!is_blank(at)) {
            struct capsule_property one;
            fine = read_one(path, copy, at, &one, messages);
            VECTOR_PUSH(out, one);
        }
        at = last ? end : end + 1;
    }
    memory_free(copy);
    return fine;
}

void capsule_property_print(const struct capsule_property *p, struct text *out)
{
    const char *separator = " with ";
    const char *formula = p->formula + strspn(p->formula, " \t\r\n");
    size_t length = strlen(formula);
    while (length > 0 && isspace((unsigned char)formula[length - 1]))
        length--;
    text_add_bytes(out, formula, length);
    if (p->queue_bound != CAPSULE_QUEUE_BOUND) {
        text_printf(out, "%squeue %u", separator, p->queue_bound);
        separator = ", ";
    }
    if (p->loop_bound != CAPSULE_LOOP_BOUND) {
        text_printf(out, "%sloops %u", separator, p->loop_bound);
        separator = ", ";
    }
    if (p->head_only)
        text_printf(out, "%shead", separator);
}

// What is asked of a model when nobody says what.
static const char BUILT_IN[] =
    "deadlock: EF deadlock; dropped: EF dropped(); overflow: EF overflow()";

static bool read_all(const struct language_request *request, struct capsule_properties *list,
                     struct messages *messages)
{
    bool given = request->property_text != NULL;
    const char *path = request->property_path;
    if (!capsule_properties_read(path, given ? request->property_text : BUILT_IN, list, messages))
        return false;
    if (list->count == 0)
        message_add(messages, MESSAGE_ERROR, (struct position){path, 0, 0},
                    "found no formula, expected one");
    return list->count > 0;
}

static void name_of(const struct capsule_properties *list, size_t i, struct text *out)
{
    if (list->data[i].name != NULL)
        text_add(out, list->data[i].name);
    else
        text_printf(out, "q%zu", i + 1);
}

// Its place in the list; `count` when there is none.
static size_t find(const struct capsule_properties *list, const char *wanted)
{
    size_t i = 0;
    for (bool found = false; i < list->count; i++) {
        struct text name = {0};
        name_of(list, i, &name);
        found = strcmp(text_string(&name), wanted) == 0;
        text_finish(&name);
        if (found)
            break;
    }
    return i;
}

bool capsule_property_of(const struct language_request *request, struct capsule_property *out,
                         struct messages *messages)
{
    struct capsule_properties list = {0};
    bool fine = read_all(request, &list, messages);
    size_t wanted = 0;
    if (fine && request->question != NULL) {
        wanted = find(&list, request->question);
        fine = wanted < list.count;
        if (!fine)
            message_add(messages, MESSAGE_ERROR, (struct position){request->property_path, 0, 0},
                        "found no question `%.80s`", request->question);
    } else if (fine && list.count > 1) {
        fine = false;
        message_add(messages, MESSAGE_ERROR, (struct position){request->property_path, 0, 0},
                    "found %zu questions, expected one, or PATH#NAME", list.count);
    }
    if (fine) {
        *out = list.data[wanted];
        list.data[wanted] = (struct capsule_property){0};
        ENSURE(out->queue_bound > 0 && out->formula != NULL);
    }
    capsule_properties_finish(&list);
    return fine;
}

void capsule_property_questions(const struct language_request *request,
                                struct language_questions *out, struct messages *messages)
{
    struct capsule_properties list = {0};
    if (request->property_at != PROPERTY_AT_NONE && request->question == NULL &&
        read_all(request, &list, messages) && list.count > 1)
        for (size_t i = 0; i < list.count; i++) {
            struct text name = {0}, property = {0};
            name_of(&list, i, &name);
            capsule_property_print(&list.data[i], &property);
            language_questions_add(out, text_string(&name), text_string(&property));
            text_finish(&name);
            text_finish(&property);
        }
    capsule_properties_finish(&list);
}
