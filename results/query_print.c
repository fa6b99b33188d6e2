#include "results/query_print.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <string.h>

#include "base/memory.h"
#include "base/say.h"
#include "base/vector.h"
#include "results/csv.h"
#include "results/query.h"

struct printer {
    FILE *out;
    enum query_format format;
    VECTOR(char *) cells; // QUERY_AS_TEXT: all, row by row; QUERY_AS_JSON: the names
    VECTOR(bool) numbers; // QUERY_AS_TEXT: as cells
    size_t columns;
};

static void print_object(const struct printer *printer, const struct query_value *values)
{
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < printer->columns; i++) {
        const char *name = printer->cells.data[i];
        if (values[i].kind == QUERY_NULL)
            cJSON_AddNullToObject(object, name);
        else if (values[i].kind == QUERY_NUMBER)
            cJSON_AddRawToObject(object, name, values[i].text);
        else
            cJSON_AddStringToObject(object, name, values[i].text);
    }
    char *line = cJSON_PrintUnformatted(object);
    if (line != NULL)
        say_json(printer->out, line);
    cJSON_free(line);
    cJSON_Delete(object);
}

static bool take_row(void *context, const struct query_value *values, size_t count)
{
    struct printer *printer = context;
    bool names = printer->columns == 0;
    assert(names || count == printer->columns);
    printer->columns = count;
    if (printer->format == QUERY_AS_CSV) {
        struct text line;
        text_init(&line);
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                text_add_char(&line, ',');
            csv_add(&line, values[i].text);
        }
        say(printer->out, "%s\n", text_string(&line));
        text_finish(&line);
    } else if (printer->format == QUERY_AS_JSON && !names) {
        print_object(printer, values);
    } else {
        for (size_t i = 0; i < count; i++) {
            VECTOR_PUSH(&printer->cells, memory_strdup(values[i].text));
            VECTOR_PUSH(&printer->numbers, values[i].kind == QUERY_NUMBER);
        }
    }
    return true;
}

// Columns as wide as their widest cell, two blanks between; numbers to the right.
static void print_table(const struct printer *printer)
{
    size_t columns = printer->columns;
    assert(printer->numbers.count == printer->cells.count);
    assert(columns == 0 ? printer->cells.count == 0 : printer->cells.count % columns == 0);
    size_t *widths = memory_zalloc((columns + 1) * sizeof *widths);
    for (size_t i = 0; i < printer->cells.count; i++)
        if (strlen(printer->cells.data[i]) > widths[i % columns])
            widths[i % columns] = strlen(printer->cells.data[i]);
    for (size_t i = 0; i < printer->cells.count; i++) {
        bool last = i % columns == columns - 1;
        int width = (int)widths[i % columns];
        if (printer->numbers.data[i])
            say(printer->out, "%*s", width, printer->cells.data[i]);
        else
            say(printer->out, "%-*s", last ? 0 : width, printer->cells.data[i]);
        say(printer->out, "%s", last ? "\n" : "  ");
    }
    memory_free(widths);
}

struct query {
    struct store *store;
    const char *sql;
    struct printer *printer;
    const struct budget *budget;
    struct text *why;
    bool good;
};

static void ask(void *context)
{
    struct query *q = context;
    q->good = store_query(q->store, q->sql, take_row, q->printer, q->budget, q->why);
    if (q->good && q->printer->format == QUERY_AS_TEXT)
        print_table(q->printer);
}

enum budget_end query_print(FILE *out, struct store *store, const char *sql,
                            enum query_format format, const struct budget *budget, bool *good,
                            struct text *why)
{
    struct printer printer = {.out = out, .format = format};
    struct query query = {store, sql, &printer, budget, why, false};
    enum budget_end end = budget_run(budget, ask, &query);
    if (end == BUDGET_DONE && !query.good)
        end = budget_judge(budget); // the database was told to stop
    if (end != BUDGET_DONE)
        return end;
    for (size_t i = 0; i < printer.cells.count; i++)
        memory_free(printer.cells.data[i]);
    VECTOR_FINISH(&printer.cells);
    VECTOR_FINISH(&printer.numbers);
    *good = query.good;
    return end;
}
