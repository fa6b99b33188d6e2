#include "base/markup.h"

void markup_add(struct text *out, const char *words)
{
    for (const char *c = words; *c != '\0'; c++)
        switch (*c) {
        case '<':
            text_add(out, "&lt;");
            break;
        case '>':
            text_add(out, "&gt;");
            break;
        case '&':
            text_add(out, "&amp;");
            break;
        case '"':
            text_add(out, "&quot;");
            break;
        default:
            text_add_char(out, *c);
        }
}
