#include "results/csv.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

// Cells are decoded in place: what is decoded is never longer than what was read.

static char find_separator(const char *text, size_t bytes)
{
    static const char candidates[] = "\t,;";
    size_t counts[3] = {0}, best = 1;
    for (size_t i = 0; i < bytes && text[i] != '\n'; i++) {
        const char *found = text[i] != '\0' ? strchr(candidates, text[i]) : NULL;
        if (found != NULL)
            counts[found - candidates]++;
    }
    for (size_t i = 0; i < 3; i++)
        if (counts[i] > counts[best])
            best = i;
    return candidates[best];
}

bool csv_open(struct csv *csv, const char *path, struct text *why)
{
    *csv = (struct csv){.line = 1};
    csv->text = text_read_file(path, &csv->bytes);
    if (csv->text == NULL) {
        text_add(why, text_read_error(errno));
        return false;
    }
    if (csv->bytes >= 3 && memcmp(csv->text, "\xef\xbb\xbf", 3) == 0)
        csv->next = 3;
    assert(csv->next <= csv->bytes && csv->text[csv->bytes] == '\0');
    csv->separator = find_separator(csv->text + csv->next, csv->bytes - csv->next);
    return true;
}

void csv_close(struct csv *csv)
{
    memory_free(csv->text);
    VECTOR_FINISH(&csv->row);
    *csv = (struct csv){0};
}

// Where reading is; the text has a NUL behind its end.
struct csv_place {
    size_t at, begin_of_line;
    unsigned line;
};

static bool at_end_of_row(const struct csv *csv, size_t at)
{
    return at >= csv->bytes || csv->text[at] == '\n' ||
           (csv->text[at] == '\r' && csv->text[at + 1] == '\n');
}

// Behind the opening quote. False when the quotes do not end.
static bool read_quoted(struct csv *csv, struct csv_place *place, size_t *out)
{
    while (place->at < csv->bytes) {
        char c = csv->text[place->at++];
        if (c == '"' && csv->text[place->at] != '"')
            return true;
        if (c == '"')
            place->at++;
        if (c == '\n') {
            place->line++;
            place->begin_of_line = place->at;
        }
        assert(*out < place->at && "what is decoded is no longer than what was read");
        csv->text[(*out)++] = c;
    }
    return false;
}

static bool fail(struct text *why, const struct csv_cell *cell, const char *what)
{
    text_printf(why, "%u:%u: %s", cell->line, cell->column, what);
    return false;
}

// One cell; place->at is then at what ends it.
static bool read_cell(struct csv *csv, struct csv_place *place, struct csv_cell *cell, size_t *end,
                      struct text *why)
{
    *cell = (struct csv_cell){csv->text + place->at, place->line,
                              (unsigned)(place->at - place->begin_of_line) + 1};
    size_t out = place->at;
    if (csv->text[place->at] == '"' && place->at < csv->bytes) {
        place->at++;
        if (!read_quoted(csv, place, &out))
            return fail(why, cell, "found the end of the file within quotes, expected \"");
        if (!at_end_of_row(csv, place->at) && csv->text[place->at] != csv->separator)
            return fail(why, cell, "found text behind the closing quotes, expected a separator");
    } else {
        while (!at_end_of_row(csv, place->at) && csv->text[place->at] != csv->separator)
            place->at++;
        out = place->at;
    }
    if (memchr(cell->text, '\0', (size_t)(csv->text + out - cell->text)) != NULL)
        return fail(why, cell, "found a NUL, expected text");
    *end = out;
    return true;
}

int csv_next(struct csv *csv, struct text *why)
{
    VECTOR_CLEAR(&csv->row);
    while (csv->next < csv->bytes && at_end_of_row(csv, csv->next)) {
        csv->next += csv->text[csv->next] == '\r' ? 2 : 1;
        csv->line++;
    }
    if (csv->next >= csv->bytes)
        return 0;
    struct csv_place place = {csv->next, csv->next, csv->line};
    for (bool more = true; more;) {
        struct csv_cell cell;
        size_t end;
        if (!read_cell(csv, &place, &cell, &end, why))
            return -1;
        more = place.at < csv->bytes && csv->text[place.at] == csv->separator;
        if (!more && place.at < csv->bytes && csv->text[place.at] == '\r')
            place.at++;
        place.at++;
        assert(end < place.at);
        csv->text[end] = '\0'; // on what ends the cell, or before it
        VECTOR_PUSH(&csv->row, cell);
    }
    csv->next = place.at;
    csv->line = place.line + 1;
    return 1;
}

// A spreadsheet takes such a cell for a formula.
static bool is_formula(const char *cell)
{
    if (*cell != '+' && *cell != '-')
        return *cell == '=' || *cell == '@';
    return cell[strspn(cell, "+-.0123456789eE%")] != '\0';
}

void csv_add(struct text *out, const char *cell)
{
    if (is_formula(cell)) {
        struct text plain;
        text_init(&plain);
        text_printf(&plain, "'%s", cell);
        csv_add(out, text_string(&plain));
        text_finish(&plain);
        return;
    }
    if (strpbrk(cell, ",\"\r\n\t;") == NULL) {
        text_add(out, cell);
        return;
    }
    text_add_char(out, '"');
    for (const char *c = cell; *c != '\0'; c++) {
        if (*c == '"')
            text_add_char(out, '"');
        text_add_char(out, *c);
    }
    text_add_char(out, '"');
}
