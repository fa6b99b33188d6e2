#include "languages/programs/source.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

// Blanking.

struct blanking {
    const char *text;
    char *plain;
    size_t at, bytes;
    bool line_begins; // nothing but blanks since the line's start
};

static void blank(struct blanking *b)
{
    if (b->plain[b->at] != '\n')
        b->plain[b->at] = ' ';
    b->at++;
}

static bool here(const struct blanking *b, const char *word)
{
    size_t length = strlen(word);
    return b->bytes - b->at >= length && memcmp(b->text + b->at, word, length) == 0;
}

static void blank_line(struct blanking *b)
{
    while (b->at < b->bytes && b->text[b->at] != '\n') {
        bool continued = b->text[b->at] == '\\' && b->at + 1 < b->bytes;
        blank(b);
        if (continued)
            blank(b);
    }
}

static void blank_comment(struct blanking *b)
{
    blank(b);
    blank(b);
    while (b->at < b->bytes && !here(b, "*/"))
        blank(b);
    for (int i = 0; i < 2 && b->at < b->bytes; i++)
        blank(b);
}

// The quotes stay.
static void blank_literal(struct blanking *b)
{
    char quote = b->text[b->at++];
    while (b->at < b->bytes && b->text[b->at] != quote && b->text[b->at] != '\n') {
        bool escaped = b->text[b->at] == '\\' && b->at + 1 < b->bytes;
        blank(b);
        if (escaped)
            blank(b);
    }
    b->at += b->at < b->bytes && b->text[b->at] == quote;
}

static void blank_all(struct blanking *b)
{
    while (b->at < b->bytes) {
        char c = b->text[b->at];
        if (here(b, "/*"))
            blank_comment(b);
        else if (here(b, "//") || (c == '#' && b->line_begins))
            blank_line(b);
        else if (c == '"' || c == '\'')
            blank_literal(b);
        else {
            b->line_begins = c == '\n' || (b->line_begins && isspace((unsigned char)c));
            b->plain[b->at] = c == '\0' ? ' ' : c;
            b->at++;
        }
    }
}

// Where statements end.

struct bracket {
    char kind; // `(`, `[`, `{`, or `=` for the brace of an initialiser
    bool head; // a parenthesis behind if, while, for or switch
};

struct marking {
    struct source *source;
    VECTOR(struct bracket) open;
    char last;       // byte before, blanks aside
    size_t word;     // the last one
    bool questioned; // a `?` since the statement began
};

static bool inside(const struct marking *m)
{
    return m->open.count > 0 && VECTOR_LAST(&m->open).kind != '{';
}

static void mark(struct marking *m, size_t at)
{
    m->source->ends[at] = true;
    m->questioned = false;
}

static bool is_head(const struct marking *m)
{
    static const char *const words[] = {"if", "while", "for", "switch"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (m->word != SOURCE_NOWHERE && source_word(m->source, m->word, words[i]))
            return true;
    }
    return false;
}

static void open_bracket(struct marking *m, size_t at, char c)
{
    bool within = m->open.count > 0 && VECTOR_LAST(&m->open).kind == '=';
    bool initialiser = c == '{' && (m->last == '=' || within);
    bool head = c == '(' && in_word(m->last) && is_head(m);
    VECTOR_PUSH(&m->open, ((struct bracket){initialiser ? '=' : c, head}));
    if (c == '{' && !initialiser)
        mark(m, at);
}

static void close_bracket(struct marking *m, size_t at, char c)
{
    if (m->open.count == 0)
        return;
    struct bracket top = VECTOR_POP(&m->open);
    if ((c == '}' && top.kind == '{') || (c == ')' && top.head && !inside(m)))
        mark(m, at);
}

static void mark_byte(struct marking *m, size_t at)
{
    char c = m->source->plain[at];
    if (strchr("([{", c) != NULL)
        open_bracket(m, at, c);
    else if (strchr(")]}", c) != NULL)
        close_bracket(m, at, c);
    else if (c == ';' && !inside(m))
        mark(m, at);
    else if (c == '?')
        m->questioned = true;
    else if (c == ':' && !inside(m) && !m->questioned)
        mark(m, at);
}

static void mark_all(struct source *source)
{
    struct marking m = {.source = source, .word = SOURCE_NOWHERE};
    for (size_t at = 0; at < source->bytes; at++) {
        char c = source->plain[at];
        if (isspace((unsigned char)c))
            continue;
        bool word = in_word(c);
        if (word && (at == 0 || !in_word(source->plain[at - 1])))
            m.word = at;
        if (word && (source_word(source, at, "else") || source_word(source, at, "do")) &&
            m.word == at)
            mark(&m, at + (c == 'e' ? 3 : 1));
        else if (!word)
            mark_byte(&m, at);
        m.last = c;
    }
    VECTOR_FINISH(&m.open);
}

static void find_lines(struct source *source)
{
    VECTOR(size_t) lines = {0};
    VECTOR_PUSH(&lines, 0);
    for (size_t at = 0; at < source->bytes; at++) {
        if (source->text[at] == '\n')
            VECTOR_PUSH(&lines, at + 1);
    }
    source->lines = lines.data;
    source->line_count = lines.count;
}

struct source *source_of(const char *path, const char *text, size_t bytes)
{
    struct source *source = memory_zalloc(sizeof *source);
    source->path = memory_strdup(path);
    source->bytes = bytes;
    source->text = memory_zalloc(bytes + 1);
    source->plain = memory_zalloc(bytes + 1);
    source->ends = memory_zalloc((bytes + 1) * sizeof *source->ends);
    memcpy(source->text, text, bytes);
    memcpy(source->plain, text, bytes);
    struct blanking b = {source->text, source->plain, 0, bytes, true};
    blank_all(&b);
    find_lines(source);
    mark_all(source);
    return source;
}

struct source *source_open(const char *path)
{
    size_t bytes;
    char *text = text_read_file(path, &bytes);
    struct source *source = text == NULL ? NULL : source_of(path, text, bytes);
    memory_free(text);
    return source;
}

void source_destroy(struct source *source)
{
    if (source == NULL)
        return;
    memory_free(source->path);
    memory_free(source->text);
    memory_free(source->plain);
    memory_free(source->ends);
    memory_free(source->lines);
    memory_free(source);
}

bool source_word(const struct source *source, size_t offset, const char *word)
{
    size_t length = strlen(word);
    return offset <= source->bytes && source->bytes - offset >= length &&
           memcmp(source->plain + offset, word, length) == 0 &&
           !in_word(source->plain[offset + length]) &&
           (offset == 0 || !in_word(source->plain[offset - 1]));
}

size_t source_offset(const struct source *source, unsigned line, unsigned column)
{
    if (line == 0 || line > source->line_count)
        return SOURCE_NOWHERE;
    size_t at = source->lines[line - 1];
    size_t end = line < source->line_count ? source->lines[line] - 1 : source->bytes;
    if (column == 0) {
        while (at < end && isspace((unsigned char)source->plain[at]))
            at++;
        return at < end ? at : SOURCE_NOWHERE;
    }
    return column - 1 < end - at ? at + column - 1 : SOURCE_NOWHERE;
}

void source_position(const struct source *source, size_t offset, unsigned *line, unsigned *column)
{
    size_t low = 0, high = source->line_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (source->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    *line = (unsigned)low + 1;
    *column = (unsigned)(offset - source->lines[low]) + 1;
}

bool source_statement(const struct source *source, size_t offset, size_t *start, size_t *end)
{
    if (offset >= source->bytes)
        return false;
    // A bracket that ends a block is no statement; what stands before it is.
    size_t from = offset, to = offset;
    while (from > 0 && !source->ends[from - 1])
        from--;
    while (to < source->bytes && !source->ends[to])
        to++;
    while (from < to && isspace((unsigned char)source->plain[from]))
        from++;
    if (to >= source->bytes || from > to)
        return false;
    *start = from;
    *end = to + 1;
    return true;
}

static size_t match(const struct source *source, size_t open)
{
    static const char opening[] = "([{", closing[] = ")]}";
    size_t depth = 0;
    for (size_t at = open; at < source->bytes; at++) {
        char c = source->plain[at];
        if (c != '\0' && strchr(opening, c) != NULL)
            depth++;
        else if (c != '\0' && strchr(closing, c) != NULL && --depth == 0)
            return at;
    }
    return SOURCE_NOWHERE;
}

static size_t skip_blanks(const struct source *source, size_t at)
{
    while (at < source->bytes && isspace((unsigned char)source->plain[at]))
        at++;
    return at;
}

size_t source_call_end(const struct source *source, size_t offset, const char *name)
{
    if (!source_word(source, offset, name))
        return SOURCE_NOWHERE;
    size_t open = skip_blanks(source, offset + strlen(name));
    return open < source->bytes && source->plain[open] == '(' ? match(source, open)
                                                              : SOURCE_NOWHERE;
}

// Behind the head of a for: its body is a block or one statement, perhaps with heads of its own.
static size_t body_end(const struct source *source, size_t at)
{
    for (unsigned heads = 0; heads < 64; heads++) {
        at = skip_blanks(source, at);
        if (at >= source->bytes)
            return SOURCE_NOWHERE;
        if (source->plain[at] == '{')
            return match(source, at);
        size_t start, end;
        if (!source_statement(source, at, &start, &end))
            return SOURCE_NOWHERE;
        if (source->plain[end - 1] == ';')
            return end - 1;
        at = end;
    }
    return SOURCE_NOWHERE;
}

size_t source_scope_end(const struct source *source, size_t offset)
{
    if (offset >= source->bytes)
        return SOURCE_NOWHERE;
    if (source->plain[offset] == '{')
        return match(source, offset);
    size_t start, end;
    if (!source_statement(source, offset, &start, &end))
        return SOURCE_NOWHERE;
    return source->plain[end - 1] == ';' ? end - 1 : body_end(source, end);
}
