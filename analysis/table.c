#include "analysis/table.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "results/csv.h"

enum { MOST_BYTES = 100 }; // of a cell on a page

void table_init(struct table *table, size_t columns)
{
    assert(columns > 0);
    *table = (struct table){.columns = columns};
    text_init(&table->cells);
}

void table_finish(struct table *table)
{
    text_finish(&table->cells);
}

void table_add(struct table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&table->cells, format, arguments);
    va_end(arguments);
    text_add_char(&table->cells, '\0');
    table->count++;
}

// What is shown of a cell: its characters, "?" for those that have no place in a line, until it is too
// long. Returns the bytes of the next one, 0 at the end.
static size_t next_character(const char *cell, size_t at, bool *printable)
{
    size_t left = strlen(cell + at);
    if (left == 0 || at >= MOST_BYTES)
        return 0;
    size_t length = text_printable_length(cell + at, left);
    *printable = length != 0;
    return length != 0 ? length : 1;
}

static size_t width_of(const char *cell)
{
    size_t width = 0, at = 0, length;
    bool printable;
    for (; (length = next_character(cell, at, &printable)) != 0; at += length)
        width++;
    return width + (cell[at] != '\0');
}

static void add_markdown(struct text *out, char c)
{
    if (strchr("\\`*_{}[]<>|#~&!", c) != NULL)
        text_add_char(out, '\\');
    text_add_char(out, c);
}

static void add_latex(struct text *out, char c)
{
    static const struct {
        char c;
        const char *text;
    } special[] = {
        {'\\', "\\textbackslash{}"},
        {'~', "\\textasciitilde{}"},
        {'^', "\\textasciicircum{}"},
        {'<', "\\textless{}"},
        {'>', "\\textgreater{}"},
        {'|', "\\textbar{}"},
        {'"', "\\char34{}"}, // the name of it is not in all encodings of fonts
        {'[', "{[}"},        // this and "*" after the end of a line would begin its options
        {']', "{]}"},
        {'*', "{*}"},
    };
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        if (special[i].c == c) {
            text_add(out, special[i].text);
            return;
        }
    }
    if (strchr("{}$&#_%", c) != NULL)
        text_add_char(out, '\\');
    text_add_char(out, c);
}

static void add_cell(struct text *out, const char *cell, enum table_format format)
{
    if (format == TABLE_CSV) {
        csv_add(out, cell);
        return;
    }
    size_t at = 0, length;
    bool printable;
    for (; (length = next_character(cell, at, &printable)) != 0; at += length) {
        if (!printable)
            text_add_char(out, '?');
        else if (length == 1 && format == TABLE_MARKDOWN)
            add_markdown(out, cell[at]);
        else if (length == 1 && format == TABLE_LATEX)
            add_latex(out, cell[at]);
        else
            text_add_bytes(out, cell + at, length);
    }
    if (cell[at] != '\0')
        text_add(out, format == TABLE_LATEX ? "\\ldots{}" : "…");
}

void table_add_name(struct text *out, const char *name)
{
    add_cell(out, name, TABLE_TEXT);
}

static void pad(struct text *out, size_t count)
{
    while (count-- > 0)
        text_add_char(out, ' ');
}

static void print_text(struct text *out, const struct table *table)
{
    size_t *width = memory_zalloc(table->columns * sizeof *width);
    const char *cell = text_string(&table->cells);
    for (size_t i = 0; i < table->count; i++, cell += strlen(cell) + 1)
        if (width[i % table->columns] < width_of(cell))
            width[i % table->columns] = width_of(cell);
    cell = text_string(&table->cells);
    for (size_t i = 0; i < table->count; i++, cell += strlen(cell) + 1) {
        size_t column = i % table->columns, gap = width[column] - width_of(cell);
        text_add(out, "  ");
        if (column != 0)
            pad(out, gap);
        add_cell(out, cell, TABLE_TEXT);
        if (column == 0)
            pad(out, gap);
        if (column + 1 == table->columns)
            text_add_char(out, '\n');
    }
    memory_free(width);
}

static void print_markdown(struct text *out, const struct table *table)
{
    const char *cell = text_string(&table->cells);
    for (size_t i = 0; i < table->count; i++, cell += strlen(cell) + 1) {
        text_add(out, i % table->columns == 0 ? "| " : " | ");
        add_cell(out, cell, TABLE_MARKDOWN);
        if ((i + 1) % table->columns != 0)
            continue;
        text_add(out, " |\n");
        for (size_t c = 0; i < table->columns && c < table->columns; c++)
            text_add(out, c == 0 ? "|:---|" : "---:|");
        if (i < table->columns)
            text_add_char(out, '\n');
    }
}

static void print_csv(struct text *out, const struct table *table)
{
    const char *cell = text_string(&table->cells);
    for (size_t i = 0; i < table->count; i++, cell += strlen(cell) + 1) {
        add_cell(out, cell, TABLE_CSV);
        text_add_char(out, (i + 1) % table->columns == 0 ? '\n' : ',');
    }
}

static void print_latex(struct text *out, const struct table *table, const char *title)
{
    text_add(out, "\\begin{table}\n\\centering\n");
    if (title != NULL) {
        text_add(out, "\\caption{");
        add_cell(out, title, TABLE_LATEX);
        text_add(out, "}\n");
    }
    text_add(out, "\\begin{tabular}{l");
    for (size_t c = 1; c < table->columns; c++)
        text_add_char(out, 'r');
    text_add(out, "}\n\\toprule\n");
    const char *cell = text_string(&table->cells);
    for (size_t i = 0; i < table->count; i++, cell += strlen(cell) + 1) {
        add_cell(out, cell, TABLE_LATEX);
        if ((i + 1) % table->columns != 0)
            text_add(out, " & ");
        else
            text_add(out, i < table->columns ? " \\\\\n\\midrule\n" : " \\\\\n");
    }
    text_add(out, "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
}

void table_print(struct text *out, const struct table *table, enum table_format format,
                 const char *title)
{
    assert(table->count % table->columns == 0);
    switch (format) {
    case TABLE_TEXT:
        if (title != NULL)
            text_printf(out, "%s\n", title);
        print_text(out, table);
        break;
    case TABLE_MARKDOWN:
        if (title != NULL)
            text_printf(out, "### %s\n\n", title);
        print_markdown(out, table);
        break;
    case TABLE_CSV:
        print_csv(out, table);
        break;
    case TABLE_LATEX:
        print_latex(out, table, title);
        break;
    }
}
