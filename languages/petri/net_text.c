#include "languages/petri/net_text.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

// A line a declaration. The builder joins arcs and places at the end; places that no `pl` line declares are
// made there, empty.

struct reader {
    const char *path, *next, *end, *line_start;
    unsigned line;
    struct messages *messages;
    struct net_builder *builder;
    struct text word;
    bool failed;
};

static struct position here(const struct reader *r)
{
    return (struct position){r->path, r->line, (unsigned)(r->next - r->line_start) + 1};
}

static bool fail(struct reader *r, const char *expected)
{
    char found[24];
    size_t n = 0;
    for (const char *c = r->next; c < r->end && *c != '\n' && n + 1 < sizeof found; c++)
        found[n++] = isprint((unsigned char)*c) ? *c : '?';
    found[n] = '\0';
    if (!r->failed)
        message_add(r->messages, MESSAGE_ERROR, here(r), "found `%s`, expected %s",
                    n ? found : "the end of the line", expected);
    r->failed = true;
    return false;
}

static bool unsupported(struct reader *r, const char *what)
{
    if (!r->failed)
        message_add(r->messages, MESSAGE_UNSUPPORTED, here(r), "%s", what);
    r->failed = true;
    return false;
}

static void skip_blanks(struct reader *r)
{
    while (r->next < r->end && (*r->next == ' ' || *r->next == '\t' || *r->next == '\r'))
        r->next++;
    if (r->next < r->end && *r->next == '#')
        while (r->next < r->end && *r->next != '\n')
            r->next++;
}

static bool at_line_end(struct reader *r)
{
    skip_blanks(r);
    return r->next == r->end || *r->next == '\n';
}

static bool accept(struct reader *r, const char *word)
{
    skip_blanks(r);
    size_t length = strlen(word);
    if ((size_t)(r->end - r->next) < length || memcmp(r->next, word, length) != 0)
        return false;
    r->next += length;
    return true;
}

static bool is_name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '\'' || c == '.';
}

// A name into r->word.
static bool read_name(struct reader *r)
{
    skip_blanks(r);
    text_clear(&r->word);
    if (r->next < r->end && *r->next == '{') {
        const char *close = memchr(r->next, '}', (size_t)(r->end - r->next));
        const char *line = memchr(r->next, '\n', (size_t)(r->end - r->next));
        if (close == NULL || (line != NULL && line < close) || close == r->next + 1)
            return fail(r, "a name in braces");
        text_add_bytes(&r->word, r->next + 1, (size_t)(close - r->next) - 1);
        r->next = close + 1;
        return strlen(r->word.data) == r->word.length || fail(r, "a name without NULs");
    }
    while (r->next < r->end && is_name_byte(*r->next))
        text_add_char(&r->word, *r->next++);
    return r->word.length > 0 || fail(r, "a name");
}

// 3K are 3000.
static bool take_thousands(struct reader *r, int64_t *number)
{
    static const struct {
        const char *suffix;
        int64_t factor;
    } THOUSANDS[] = {{"K", 1000}, {"M", 1000000}, {"G", 1000000000}};
    for (size_t i = 0; i < sizeof THOUSANDS / sizeof *THOUSANDS; i++) {
        if (r->next == r->end || *r->next != *THOUSANDS[i].suffix)
            continue;
        if (*number > NET_NUMBER_MAX / THOUSANDS[i].factor)
            return unsupported(r, "numbers above 2^40");
        *number *= THOUSANDS[i].factor;
        r->next++;
        return true;
    }
    return true;
}

static bool read_number(struct reader *r, int64_t *out)
{
    skip_blanks(r);
    const char *start = r->next;
    char digits[32];
    size_t n = 0;
    while (r->next < r->end && isdigit((unsigned char)*r->next)) {
        if (n + 1 < sizeof digits)
            digits[n++] = *r->next;
        r->next++;
    }
    digits[n] = '\0';
    bool too_large = false;
    if (net_read_number(digits, out, &too_large))
        return take_thousands(r, out);
    r->next = start;
    return too_large ? unsupported(r, "numbers above 2^40") : fail(r, "a natural number");
}

static bool read_place(struct reader *r)
{
    struct position at = here(r);
    int64_t marking = 0;
    if (!read_name(r))
        return false;
    char *name = memory_strdup(text_string(&r->word));
    bool good = !accept(r, ":") || read_name(r); // a label
    if (good && accept(r, "("))
        good = read_number(r, &marking) && (accept(r, ")") || fail(r, "`)`"));
    if (good && !net_builder_place(r->builder, name, NULL, marking, at)) {
        message_add(r->messages, MESSAGE_ERROR, at, "found `%.60s` a second time, expected it once",
                    name);
        r->failed = true;
        good = false;
    }
    memory_free(name);
    return good;
}

static bool add_arc(struct reader *r, const char *transition, const char *place, bool input,
                    struct position at)
{
    enum net_arc_kind kind = NET_ARC_NORMAL;
    int64_t weight = 1;
    if (accept(r, "?-"))
        kind = NET_ARC_INHIBITOR;
    else if (accept(r, "?"))
        kind = NET_ARC_READ;
    if (kind != NET_ARC_NORMAL && !input)
        return fail(r, "`?` before `->` only");
    if ((kind != NET_ARC_NORMAL || accept(r, "*")) && !read_number(r, &weight))
        return false;
    if (weight == 0)
        return fail(r, "a weight of 1 or more");
    net_builder_arc(r->builder, input ? place : transition, input ? transition : place, kind,
                    weight, at);
    return true;
}

static bool read_arcs(struct reader *r, const char *transition, bool input)
{
    while (!r->failed && !at_line_end(r)) {
        struct position at = here(r);
        if (input && accept(r, "->"))
            return true;
        if (!read_name(r))
            return false;
        char *place = memory_strdup(text_string(&r->word));
        bool good = add_arc(r, transition, place, input, at);
        memory_free(place);
        if (!good)
            return false;
    }
    return !input || fail(r, "`->`");
}

static bool read_transition(struct reader *r)
{
    struct position at = here(r);
    if (!read_name(r))
        return false;
    char *id = memory_strdup(text_string(&r->word));
    bool good = true;
    if (accept(r, ":"))
        good = read_name(r);
    accept(r, "[0,w["); // at any time
    skip_blanks(r);
    if (good && r->next < r->end && (*r->next == '[' || *r->next == ']'))
        good = unsupported(r, "transitions with time");
    if (good && !net_builder_transition(r->builder, id, text_string(&r->word), at)) {
        message_add(r->messages, MESSAGE_ERROR, at, "found `%.60s` a second time, expected it once",
                    id);
        r->failed = true;
        good = false;
    }
    good = good && read_arcs(r, id, true) && read_arcs(r, id, false);
    memory_free(id);
    return good;
}

static bool read_line(struct reader *r)
{
    if (at_line_end(r))
        return true;
    if (accept(r, "pl ") || accept(r, "pl\t"))
        return read_place(r);
    if (accept(r, "tr ") || accept(r, "tr\t"))
        return read_transition(r);
    if (accept(r, "net ") || accept(r, "net\t")) {
        if (!read_name(r))
            return false;
        net_builder_name(r->builder, text_string(&r->word));
        return true;
    }
    if (accept(r, "nt ") || accept(r, "lb ")) {
        while (r->next < r->end && *r->next != '\n')
            r->next++;
        return true;
    }
    if (accept(r, "pr "))
        return unsupported(r, "priorities");
    return fail(r, "`net`, `pl` or `tr`");
}

static void read_lines(struct reader *r)
{
    while (!r->failed && r->next < r->end) {
        if (!read_line(r))
            return;
        if (!at_line_end(r)) {
            fail(r, "the end of the line");
            return;
        }
        if (r->next < r->end) {
            r->line_start = ++r->next;
            r->line++;
        }
    }
}

struct net *net_text_read(const char *path, const char *text, size_t bytes,
                          struct messages *messages)
{
    struct reader r = {
        .path = path,
        .next = text,
        .end = text + bytes,
        .line_start = text,
        .line = 1,
        .messages = messages,
        .builder = net_builder_create(path),
    };
    read_lines(&r);
    text_finish(&r.word);
    if (r.failed) {
        net_builder_destroy(r.builder);
        return NULL;
    }
    net_builder_declare_places(r.builder);
    return net_builder_finish(r.builder, messages);
}
