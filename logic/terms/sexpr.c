#include "logic/terms/sexpr.h"

#include <string.h>

#include "base/budget.h"
#include "base/vector.h"

struct sexpr_vector {
    const struct sexpr **data;
    size_t count, capacity;
};

// At a line's end.
static void new_line(struct sexpr_reader *r)
{
    r->line++;
    r->line_start = r->at + 1;
}

static void skip_blanks(struct sexpr_reader *r)
{
    for (; r->at < r->end; r->at++) {
        if (*r->at == '\n')
            new_line(r);
        else if (*r->at == ';')
            while (r->at + 1 < r->end && r->at[1] != '\n')
                r->at++;
        else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r')
            return;
    }
}

static bool is_symbol_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("~!@$%^&*_-+=<>.?/:", c) != NULL);
}

// Begins here.
static struct sexpr *make(const struct sexpr_reader *r, struct arena *arena, enum sexpr_kind kind)
{
    struct sexpr *e = arena_zalloc(arena, sizeof *e);
    e->kind = kind;
    e->line = r->line;
    e->column = (unsigned)(r->at - r->line_start) + 1;
    return e;
}

// The fault is at e, or here when that is NULL.
static void wrong(struct sexpr_reader *r, const struct sexpr *e)
{
    r->wrong_line = e != NULL ? e->line : r->line;
    r->wrong_column = e != NULL ? e->column : (unsigned)(r->at - r->line_start) + 1;
}

// Up to the closing bar or quote.
static const struct sexpr *read_delimited(struct sexpr_reader *r, struct arena *arena,
                                          struct text *why)
{
    char delimiter = *r->at;
    struct sexpr *e = make(r, arena, delimiter == '|' ? SEXPR_SYMBOL : SEXPR_STRING);
    struct text text;
    text_init(&text);
    for (r->at++; r->at < r->end; r->at++) {
        if (*r->at == delimiter) {
            bool doubled = delimiter == '"' && r->at + 1 < r->end && r->at[1] == '"';
            if (!doubled)
                break;
            r->at++;
        }
        if (*r->at == '\n')
            new_line(r);
        text_add_char(&text, *r->at);
    }
    e->quoted = delimiter == '|';
    e->text = arena_strdup(arena, text_string(&text));
    text_finish(&text);
    if (r->at == r->end) {
        wrong(r, e);
        text_printf(why, "found no closing %c, expected one", delimiter);
        return NULL;
    }
    r->at++;
    return e;
}

static enum sexpr_kind kind_of(const char *text, size_t length)
{
    if (text[0] == ':')
        return SEXPR_KEYWORD;
    if (text[0] < '0' || text[0] > '9')
        return SEXPR_SYMBOL;
    size_t digits = strspn(text, "0123456789");
    if (digits == length)
        return SEXPR_NUMERAL;
    size_t fraction = text[digits] == '.' ? strspn(text + digits + 1, "0123456789") : 0;
    return fraction > 0 && digits + 1 + fraction == length ? SEXPR_DECIMAL : SEXPR_LIST;
}

static const struct sexpr *read_based(struct sexpr_reader *r, struct arena *arena, struct text *why)
{
    char base = r->at + 1 < r->end ? r->at[1] : '\0';
    const char *digits = base == 'x' ? "0123456789abcdefABCDEF" : base == 'b' ? "01" : "";
    size_t length = 0;
    while (r->at + 2 + length < r->end && r->at[2 + length] != '\0' &&
           strchr(digits, r->at[2 + length]) != NULL)
        length++;
    if (length == 0) {
        wrong(r, NULL);
        text_add(why, "found '#', expected a number after it");
        return NULL;
    }
    struct sexpr *e = make(r, arena, base == 'x' ? SEXPR_HEX : SEXPR_BINARY);
    e->text = arena_strndup(arena, r->at + 2, length);
    r->at += 2 + length;
    return e;
}

static const struct sexpr *read_atom(struct sexpr_reader *r, struct arena *arena, struct text *why)
{
    if (*r->at == '|' || *r->at == '"')
        return read_delimited(r, arena, why);
    if (*r->at == '#')
        return read_based(r, arena, why);
    size_t length = 0;
    while (r->at + length < r->end && is_symbol_char(r->at[length]))
        length++;
    if (length == 0) {
        wrong(r, NULL);
        unsigned char c = (unsigned char)*r->at;
        text_printf(why,
                    c > ' ' && c < 127 ? "found character '%c', expected an expression"
                                       : "found byte %u, expected an expression",
                    c);
        return NULL;
    }
    const char *text = arena_strndup(arena, r->at, length);
    struct sexpr *e = make(r, arena, kind_of(text, length));
    r->at += length;
    e->text = text;
    if (e->kind != SEXPR_LIST)
        return e;
    wrong(r, e);
    text_printf(why, "found '%.60s', expected a number or a name", text);
    return NULL;
}

static const struct sexpr *close_list(struct arena *arena, struct sexpr *list,
                                      const struct sexpr_vector *items, size_t first)
{
    size_t count = items->count - first;
    const struct sexpr **copy = arena_alloc(arena, (count + 1) * sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = items->data[first + i];
    list->child = copy;
    list->count = count;
    return list;
}

// Lists that are open, and where their children begin in `items`.
struct open_list {
    struct sexpr *list;
    size_t first;
};

struct reading {
    struct sexpr_vector items;
    VECTOR(struct open_list) open;
};

// One step. SEXPR_READ: an expression of the outermost level is complete, as the only item.
static enum sexpr_status read_step(struct sexpr_reader *r, struct arena *arena,
                                   struct reading *reading, struct text *why)
{
    budget_look();
    skip_blanks(r);
    if (r->at >= r->end) {
        if (reading->open.count == 0)
            return SEXPR_END;
        wrong(r, VECTOR_LAST(&reading->open).list);
        text_add(why, "found no end of the list that begins here, expected ')'");
        return SEXPR_WRONG;
    }
    if (*r->at == '(') {
        struct open_list open = {make(r, arena, SEXPR_LIST), reading->items.count};
        VECTOR_PUSH(&reading->open, open);
        r->at++;
        return SEXPR_END;
    }
    const struct sexpr *e;
    if (*r->at == ')') {
        if (reading->open.count == 0) {
            wrong(r, NULL);
            text_add(why, "found ')', expected an expression");
            return SEXPR_WRONG;
        }
        struct open_list open = VECTOR_POP(&reading->open);
        e = close_list(arena, open.list, &reading->items, open.first);
        reading->items.count = open.first;
        r->at++;
    } else {
        e = read_atom(r, arena, why);
    }
    if (e == NULL)
        return SEXPR_WRONG;
    VECTOR_PUSH(&reading->items, e);
    return reading->open.count == 0 ? SEXPR_READ : SEXPR_END;
}

enum sexpr_status sexpr_read(struct sexpr_reader *reader, struct arena *arena,
                             const struct sexpr **out, struct text *why)
{
    struct reading reading = {0};
    if (reader->line_start == NULL)
        reader->line_start = reader->at;
    enum sexpr_status status;
    do {
        status = read_step(reader, arena, &reading, why);
    } while (status == SEXPR_END && (reading.open.count > 0 || reader->at < reader->end));
    if (status == SEXPR_READ)
        *out = reading.items.data[0];
    VECTOR_FINISH(&reading.items);
    VECTOR_FINISH(&reading.open);
    return status;
}

bool sexpr_is(const struct sexpr *e, const char *text)
{
    return (e->kind == SEXPR_SYMBOL || e->kind == SEXPR_KEYWORD) && !e->quoted &&
           strcmp(e->text, text) == 0;
}

bool sexpr_is_call(const struct sexpr *e, const char *head, size_t count)
{
    return e->kind == SEXPR_LIST && e->count > 0 && (count == 0 || e->count == count) &&
           sexpr_is(e->child[0], head);
}
