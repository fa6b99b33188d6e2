#include "analysis/baseline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FORMALISM, TASK, CONFIG, VERDICT, WALL, COLUMNS, MOST_FIELDS = 64 };

static const char *const COLUMN_NAMES[COLUMNS] = {"formalism", "task", "config", "verdict",
                                                  "wall_s"};

// Splits a line in place at its commas; a field in double quotes may hold commas, and "" for one
// quote.
static size_t split(char *line, char *fields[MOST_FIELDS])
{
    size_t count = 0;
    char *read = line;
    while (count < MOST_FIELDS) {
        char *write = read;
        fields[count++] = write;
        bool quoted = *read == '"';
        if (quoted)
            read++;
        while (*read != '\0' && (quoted || *read != ',')) {
            if (quoted && *read == '"') {
                if (read[1] != '"') {
                    quoted = false;
                    read++;
                    continue;
                }
                read++;
            }
            *write++ = *read++;
        }
        bool more = *read == ',';
        *write = '\0';
        if (!more)
            break;
        read++;
    }
    return count;
}

static bool find_columns(char *line, size_t at[COLUMNS], struct text *why)
{
    char *fields[MOST_FIELDS];
    size_t count = split(line, fields);
    for (size_t c = 0; c < COLUMNS; c++) {
        at[c] = count;
        for (size_t f = 0; f < count; f++)
            if (strcmp(fields[f], COLUMN_NAMES[c]) == 0)
                at[c] = f;
        if (at[c] == count) {
            text_printf(why, "1: no column '%s'", COLUMN_NAMES[c]);
            return false;
        }
    }
    return true;
}

static void add_row(struct baseline *baseline, char *const *fields, const size_t at[COLUMNS],
                    double wall)
{
    if (baseline->count == baseline->capacity) {
        baseline->capacity = baseline->capacity != 0 ? 2 * baseline->capacity : 64;
        baseline->rows =
            memory_realloc(baseline->rows, baseline->capacity * sizeof *baseline->rows);
    }
    struct text task;
    text_init(&task);
    text_printf(&task, "%s/%s", fields[at[FORMALISM]], fields[at[TASK]]);
    baseline->rows[baseline->count++] = (struct baseline_row){
        .task = text_steal(&task),
        .configuration = memory_strdup(fields[at[CONFIG]]),
        .verdict = memory_strdup(fields[at[VERDICT]]),
        .wall_seconds = wall,
    };
}

static bool read_row(struct baseline *baseline, char *line, unsigned number,
                     const size_t at[COLUMNS], struct text *why)
{
    char *fields[MOST_FIELDS];
    size_t count = split(line, fields);
    for (size_t c = 0; c < COLUMNS; c++) {
        if (at[c] >= count) {
            text_printf(why, "%u: %zu fields, the column '%s' is missing", number, count,
                        COLUMN_NAMES[c]);
            return false;
        }
    }
    char *end;
    double wall = strtod(fields[at[WALL]], &end);
    if (end == fields[at[WALL]] || *end != '\0') {
        text_printf(why, "%u: '%s' is not a number of seconds", number, fields[at[WALL]]);
        return false;
    }
    add_row(baseline, fields, at, wall);
    return true;
}

static bool read_lines(struct baseline *baseline, char *text, struct text *why)
{
    size_t at[COLUMNS];
    unsigned number = 0;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        number++;
        line[strcspn(line, "\r")] = '\0';
        if (number == 1) {
            if (!find_columns(line, at, why))
                return false;
        } else if (line[0] != '\0' && !read_row(baseline, line, number, at, why)) {
            return false;
        }
    }
    return true;
}

bool baseline_read(struct baseline *baseline, const char *path, struct text *why)
{
    *baseline = (struct baseline){0};
    char *text = text_read_file(path, NULL);
    if (text == NULL) {
        text_printf(why, "%s: %s", path, text_read_error(errno));
        return false;
    }
    struct text reason;
    text_init(&reason);
    bool good = read_lines(baseline, text, &reason);
    if (!good)
        text_printf(why, "%s:%s", path, text_string(&reason));
    text_finish(&reason);
    memory_free(text);
    if (!good)
        baseline_finish(baseline);
    return good;
}

void baseline_finish(struct baseline *baseline)
{
    for (size_t i = 0; i < baseline->count; i++) {
        memory_free(baseline->rows[i].task);
        memory_free(baseline->rows[i].configuration);
        memory_free(baseline->rows[i].verdict);
    }
    memory_free(baseline->rows);
    *baseline = (struct baseline){0};
}

bool baseline_knows(const struct baseline *baseline, const char *task)
{
    for (size_t i = 0; i < baseline->count; i++)
        if (strcmp(baseline->rows[i].task, task) == 0)
            return true;
    return false;
}

static bool answers(const struct baseline_row *row, const char *expected)
{
    if (expected[0] != '\0')
        return strcmp(row->verdict, expected) == 0;
    return strcmp(row->verdict, "safe") == 0 || strcmp(row->verdict, "unsafe") == 0;
}

const struct baseline_row *baseline_best(const struct baseline *baseline, const char *task,
                                         const char *expected)
{
    const struct baseline_row *best = NULL;
    for (size_t i = 0; i < baseline->count; i++) {
        const struct baseline_row *row = &baseline->rows[i];
        if (strcmp(row->task, task) == 0 && answers(row, expected) &&
            (best == NULL || row->wall_seconds < best->wall_seconds))
            best = row;
    }
    return best;
}
