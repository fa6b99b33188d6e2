#include "base/say.h"

#include <string.h>
#include <unistd.h>

static void add_shown(struct text *out, const char *data, size_t bytes, const char *also)
{
    for (size_t length; bytes > 0; data += length, bytes -= length) {
        length = text_printable_length(data, bytes);
        if (length == 0 && *data != '\0' && strchr(also, *data) != NULL)
            length = 1;
        if (length != 0) {
            text_add_bytes(out, data, length);
            continue;
        }
        length = 1;
        text_printf(out, "\\x%02x", (unsigned char)*data);
    }
}

void text_add_shown(struct text *out, const char *data, size_t bytes)
{
    add_shown(out, data, bytes, "\n\t");
}

void text_add_name(struct text *out, const char *name)
{
    add_shown(out, name, strlen(name), "");
}

static void put_shown(FILE *out, const char *data, size_t bytes)
{
    struct text shown;
    text_init(&shown);
    text_add_shown(&shown, data, bytes);
    fwrite(text_string(&shown), 1, shown.length, out);
    text_finish(&shown);
}

void say(FILE *out, const char *format, ...)
{
    struct text text;
    va_list arguments;
    text_init(&text);
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    put_shown(out, text_string(&text), text.length);
    text_finish(&text);
}

void say_data(FILE *out, const char *data, size_t bytes)
{
    if (isatty(fileno(out)))
        put_shown(out, data, bytes);
    else
        fwrite(data, 1, bytes, out);
}

void text_add_json(struct text *out, const char *printed)
{
    size_t left = strlen(printed), length;
    for (; left > 0; printed += length, left -= length) {
        length = text_printable_length(printed, left);
        if (length == 0 && strchr("\n\t", *printed) != NULL)
            length = 1;
        if (length != 0) {
            text_add_bytes(out, printed, length);
            continue;
        }
        // Beyond ASCII, so within a string: other control characters the library has escaped.
        length = text_utf8_length(printed, left);
        const unsigned char *s = (const unsigned char *)printed;
        unsigned code = length == 1   ? s[0]
                        : length == 2 ? (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu)
                        : length == 3 ? (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu)
                                      : 0xfffd;
        text_printf(out, "\\u%04x", code);
        length += length == 0;
    }
}

void say_json(FILE *out, const char *printed)
{
    struct text line;
    text_init(&line);
    text_add_json(&line, printed);
    text_add_char(&line, '\n');
    fwrite(line.data, 1, line.length, out);
    text_finish(&line);
}
