#include "base/message.h"

#include <stdarg.h>

#include "base/memory.h"
#include "base/say.h"
#include "base/text.h"
#include "base/vector.h"

enum { MOST_ERRORS = 50 };

void messages_init(struct messages *messages)
{
    *messages = (struct messages){0};
}

void messages_finish(struct messages *messages)
{
    for (size_t i = 0; i < messages->count; i++) {
        memory_free(messages->items[i].path);
        memory_free(messages->items[i].text);
    }
    memory_free(messages->items);
    messages_init(messages);
}

static void append(struct messages *messages, enum message_kind kind, struct position at,
                   char *text)
{
    if (messages->count == messages->capacity) {
        size_t capacity = messages->capacity != 0 ? 2 * messages->capacity : 8;
        messages->items = memory_realloc(messages->items, capacity * sizeof *messages->items);
        messages->capacity = capacity;
    }
    // Counted when it is whole: an allocation may jump away.
    char *path = at.path != NULL ? memory_strdup(at.path) : NULL;
    messages->items[messages->count] = (struct message){
        kind, path, at.line, at.path != NULL || at.line != 0 ? at.column : 0, text};
    messages->count++;
}

void message_add(struct messages *messages, enum message_kind kind, struct position at,
                 const char *format, ...)
{
    if (kind == MESSAGE_ERROR) {
        messages->errors++;
        if (messages->errors == MOST_ERRORS + 1)
            append(messages, MESSAGE_NOTE, (struct position){at.path, 0, 0},
                   memory_strdup("too many errors, the rest is left out"));
        if (messages->errors > MOST_ERRORS)
            return;
    } else if (kind == MESSAGE_UNSUPPORTED) {
        messages->unsupported++;
    }
    struct text text;
    text_init(&text);
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    append(messages, kind, at, text_steal(&text));
}

static void print_message(const struct message *message, FILE *out)
{
    static const char *const kinds[] = {"note", "warning", "error", "not supported"};
    struct text line;
    text_init(&line);
    if (message->path != NULL) {
        text_add_name(&line, message->path);
        text_add_char(&line, ':');
    }
    if (message->line != 0)
        text_printf(&line, "%u:", message->line);
    if (message->line != 0 && message->column != 0)
        text_printf(&line, "%u:", message->column);
    if (message->path != NULL || message->line != 0)
        text_add_char(&line, ' ');
    say(out, "%s%s: %s\n", text_string(&line), kinds[message->kind], message->text);
    text_finish(&line);
}

void messages_print(const struct messages *messages, FILE *out)
{
    for (size_t i = 0; i < messages->count; i++)
        print_message(&messages->items[i], out);
}
