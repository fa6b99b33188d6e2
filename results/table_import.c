#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "results/csv.h"
#include "results/fields.h"
#include "results/importing_inside.h"

// A column of a table is a field of the run, or one of these.
enum {
    COLUMN_IGNORED = -1,
    COLUMN_STATUS = -2,
    COLUMN_EXPECTED = -3,
    COLUMN_FORMALISM = -4, // becomes the folder of the task
    COLUMN_MEGABYTES = -5,
    COLUMN_CONFIGURATION = -6, // the options of the one attempt
    COLUMN_FEATURES = -7,      // "name=value name=value": facts of the model
};

struct table_column {
    int what; // a field's number, or one of the above
    size_t group;
};

// Columns that belong to one run: all of a plain table, or one run set of table-generator's.
struct table_group {
    char *tool, *plan;
};

struct table {
    struct importer importer;
    struct csv csv;
    const char *path, *prefix; // prefix: of all task names
    VECTOR(struct table_column) columns;
    VECTOR(struct table_group) groups;
    bool generated; // by table-generator
    bool own;       // by Regatta: columns are fields of the same name, verdict and status too
};

static const struct {
    const char *name;
    const char *field; // NULL: see `special`
    int special;
} SYNONYMS[] = {
    {"file", "task", 0},
    {"benchmark", "task", 0},
    {"instance", "task", 0},
    {"config", "plan", 0},
    {"configuration", "plan", 0},
    {"solver", "plan", 0},
    {"run set", "plan", 0},
    {"wall_s", "wall_seconds", 0},
    {"walltime", "wall_seconds", 0},
    {"walltime (s)", "wall_seconds", 0},
    {"time", "wall_seconds", 0},
    {"cpu_s", "cpu_seconds", 0},
    {"cputime", "cpu_seconds", 0},
    {"cputime (s)", "cpu_seconds", 0},
    {"limit_s", "time_limit_seconds", 0},
    {"timelimit", "time_limit_seconds", 0},
    {"memory (B)", "peak_bytes", 0},
    {"memory", "peak_bytes", 0},
    {"memory (MB)", NULL, COLUMN_MEGABYTES},
    {"verdict", NULL, COLUMN_STATUS},
    {"result", NULL, COLUMN_STATUS},
    {"answer", NULL, COLUMN_STATUS},
    {"status", NULL, COLUMN_STATUS},
    {"expected", NULL, COLUMN_EXPECTED},
    {"expected verdict", NULL, COLUMN_EXPECTED},
    {"formalism", NULL, COLUMN_FORMALISM},
};

// A field of the run, or what else our own tables may have.
static int field_number(const char *name)
{
    size_t field = run_field_find(name);
    if (field != FIELD_NONE)
        return (int)field;
    return strcmp(name, "configuration_text") == 0 ? COLUMN_CONFIGURATION
           : strcmp(name, "features") == 0         ? COLUMN_FEATURES
                                                   : COLUMN_IGNORED;
}

// What --columns says of a name: "THEIRS=OURS,…"; NULL when it does not.
static const char *mapped(const struct import_options *options, const char *name, size_t *length)
{
    size_t bytes = strlen(name);
    for (const char *c = options->columns; c != NULL && *c != '\0';) {
        const char *end = strchrnul(c, ','), *equals = memchr(c, '=', (size_t)(end - c));
        if (equals != NULL && (size_t)(equals - c) == bytes && strncmp(c, name, bytes) == 0) {
            *length = (size_t)(end - equals - 1);
            return equals + 1;
        }
        c = *end == ',' ? end + 1 : end;
    }
    return NULL;
}

static int meaning_of(const char *name)
{
    for (size_t i = 0; i < sizeof SYNONYMS / sizeof SYNONYMS[0]; i++)
        if (strcasecmp(SYNONYMS[i].name, name) == 0)
            return SYNONYMS[i].field != NULL ? field_number(SYNONYMS[i].field)
                                             : SYNONYMS[i].special;
    return field_number(name);
}

static void add_group(struct table *table, const char *tool, const char *plan)
{
    struct table_group group = {memory_strdup(tool), memory_strdup(plan)};
    VECTOR_PUSH(&table->groups, group);
}

static bool fail(const struct table *table, const struct csv_cell *cell, struct text *why,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

static bool fail(const struct table *table, const struct csv_cell *cell, struct text *why,
                 const char *format, ...)
{
    va_list values;
    text_printf(why, "%s:%u:%u: ", table->path, cell->line, cell->column);
    va_start(values, format);
    text_vprintf(why, format, values);
    va_end(values);
    return false;
}

static bool add_column(struct table *table, const struct csv_cell *cell, struct text *why)
{
    size_t length;
    const char *ours = mapped(table->importer.options, cell->text, &length);
    struct table_column column = {table->own ? field_number(cell->text) : meaning_of(cell->text),
                                  0};
    if (ours != NULL) {
        char *name = memory_strdup(ours);
        name[length] = '\0';
        column.what = meaning_of(name);
        memory_free(name);
        if (column.what == COLUMN_IGNORED)
            return fail(table, cell, why, "--columns: found \"%.*s\" for \"%s\", expected a field",
                        (int)length, ours, cell->text);
    }
    if (table->generated)
        column.group = table->groups.count - 1;
    VECTOR_PUSH(&table->columns, column);
    return true;
}

static bool has_column(const struct table *table, int what)
{
    for (size_t i = 0; i < table->columns.count; i++)
        if (table->columns.data[i].what == what)
            return true;
    return false;
}

static bool has_name(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->csv.row.count; i++)
        if (strcmp(table->csv.row.data[i].text, name) == 0)
            return true;
    return false;
}

static bool next(struct table *table, int *read, struct text *why)
{
    struct text reason;
    text_init(&reason);
    *read = csv_next(&table->csv, &reason);
    if (*read < 0)
        text_printf(why, "%s:%s", table->path, text_string(&reason));
    text_finish(&reason);
    return *read >= 0;
}

// table-generator's head: the rows "tool", "run set" and the columns. A cell is the same for all columns of a
// run set; a column's name that comes again begins the next one.
struct head {
    VECTOR(const char *) tools, plans;
};

static bool same_set(const struct head *head, size_t a, size_t b)
{
    return strcmp(head->tools.data[a], head->tools.data[b]) == 0 &&
           strcmp(head->plans.data[a], head->plans.data[b]) == 0;
}

static bool begins_set(const struct table *table, const struct head *head, size_t i,
                       size_t first_of_set)
{
    if (first_of_set == 0 || !same_set(head, i, i - 1))
        return true;
    return strcmp(table->csv.row.data[i].text, table->csv.row.data[first_of_set].text) == 0;
}

static bool read_generated_columns(struct table *table, const struct head *head, struct text *why)
{
    size_t first_of_set = 0;
    if (table->csv.row.count != head->tools.count || head->plans.count != head->tools.count)
        return fail(table, &table->csv.row.data[0], why,
                    "found %zu columns, expected the %zu of the first line", table->csv.row.count,
                    head->tools.count);
    table->prefix = table->csv.row.data[0].text;
    for (size_t i = 0; i < table->csv.row.count; i++) {
        const struct csv_cell *cell = &table->csv.row.data[i];
        bool id = head->tools.data[i][0] == '\0' && head->plans.data[i][0] == '\0';
        if (i == 0 || id) {
            struct table_column column = {i == 0 ? field_number("task") : COLUMN_EXPECTED, 0};
            VECTOR_PUSH(&table->columns, column);
            continue;
        }
        if (begins_set(table, head, i, first_of_set)) {
            first_of_set = i;
            add_group(table, head->tools.data[i], head->plans.data[i]);
        }
        if (!add_column(table, cell, why))
            return false;
    }
    return true;
}

static bool read_generated_head(struct table *table, struct text *why)
{
    struct head head = {0};
    int read;
    table->generated = true;
    for (size_t i = 0; i < table->csv.row.count; i++)
        VECTOR_PUSH(&head.tools, table->csv.row.data[i].text);
    bool good = next(table, &read, why);
    if (good && (read == 0 || strcmp(table->csv.row.data[0].text, "run set") != 0)) {
        struct csv_cell here = {"", table->csv.line, 1};
        good = fail(table, &here, why, "expected the line \"run set\" of table-generator");
    }
    for (size_t i = 0; good && i < table->csv.row.count; i++)
        VECTOR_PUSH(&head.plans, table->csv.row.data[i].text);
    good = good && next(table, &read, why);
    if (good && read == 0) {
        struct csv_cell here = {"", table->csv.line, 1};
        good = fail(table, &here, why, "found the end, expected the line with the columns");
    }
    good = good && read_generated_columns(table, &head, why);
    VECTOR_FINISH(&head.tools);
    VECTOR_FINISH(&head.plans);
    return good;
}

static bool read_plain_head(struct table *table, struct text *why)
{
    add_group(table, "", "");
    bool good = true;
    table->own = has_name(table, "task_digest") && has_name(table, "plan_digest");
    for (size_t i = 0; good && i < table->csv.row.count; i++)
        good = add_column(table, &table->csv.row.data[i], why);
    if (good && !has_column(table, field_number("task")))
        good = fail(table, &table->csv.row.data[0], why,
                    "found no column of tasks, expected one named task (or --columns NAME=task)");
    if (good && !table->own && !has_column(table, COLUMN_STATUS))
        good = fail(table, &table->csv.row.data[0], why,
                    "found no column of verdicts, expected one named verdict or status (or "
                    "--columns NAME=verdict)");
    return good;
}

static bool read_head(struct table *table, struct text *why)
{
    int read;
    if (!next(table, &read, why))
        return false;
    if (read == 0) {
        text_printf(why, "%s:1:1: found the end, expected a line with the names of the columns",
                    table->path);
        return false;
    }
    return strcmp(table->csv.row.data[0].text, "tool") == 0 && table->csv.row.count > 1
               ? read_generated_head(table, why)
               : read_plain_head(table, why);
}

// Rows

static void set_text(char **field, const char *text)
{
    memory_free(*field);
    *field = memory_strdup(text);
}

// The name of the file without folder and ending stands for a tool that the table does not name.
static void set_tool(struct run_record *run, const struct table *table,
                     const struct table_group *group)
{
    if (group->tool[0] != '\0') {
        set_text(&run->tool, group->tool);
    } else if (table->importer.options->tool != NULL) {
        set_text(&run->tool, table->importer.options->tool);
    } else {
        const char *slash = strrchr(table->path, '/');
        set_text(&run->tool, slash != NULL ? slash + 1 : table->path);
        char *dot = strrchr(run->tool, '.');
        if (dot != NULL && dot != run->tool)
            *dot = '\0';
    }
    if (group->plan[0] != '\0')
        set_text(&run->plan, group->plan);
    else
        set_text(&run->plan, run->tool);
}

static bool take_features(struct run_record *run, const char *text)
{
    while (*(text += strspn(text, " ")) != '\0') {
        size_t length = strcspn(text, " "), name = strcspn(text, "= ");
        char *end, *word = memory_strdup(text);
        bool good = name > 0 && name + 1 < length;
        word[length] = '\0';
        double value = good ? strtod(word + name + 1, &end) : 0;
        good = good && *end == '\0' && value >= -1e18 && value <= 1e18; // nor NaN
        if (good) {
            word[name] = '\0';
            run_record_add_feature(run, word, value);
        }
        memory_free(word);
        if (!good)
            return false;
        text += length;
    }
    return true;
}

static bool take_cell(struct table *table, struct run_record *run, int what,
                      const struct csv_cell *cell, const char **formalism, struct text *why)
{
    uint64_t bytes = run->peak_bytes;
    struct text size;
    switch (what) {
    case COLUMN_IGNORED:
    case COLUMN_STATUS:
        return true;
    case COLUMN_EXPECTED:
        set_text(&run->expected, import_expected(cell->text));
        return true;
    case COLUMN_FORMALISM:
        *formalism = cell->text;
        return true;
    case COLUMN_CONFIGURATION:
        table->importer.configuration = cell->text;
        return true;
    case COLUMN_FEATURES:
        return take_features(run, cell->text) ||
               fail(table, cell, why, "found \"%.60s\", expected facts as NAME=VALUE NAME=VALUE",
                    cell->text);
    case COLUMN_MEGABYTES:
        text_init(&size);
        text_printf(&size, "%sMB", cell->text);
        if (cell->text[0] != '\0' && !text_parse_size(text_string(&size), &bytes))
            fail(table, cell, why, "found \"%.60s\", expected a size in MB", cell->text);
        run->peak_bytes = bytes;
        text_finish(&size);
        return why->length == 0;
    default:
        if (cell->text[0] == '\0' || run_field_set(run, (size_t)what, cell->text))
            return true;
        return fail(table, cell, why, "found \"%.60s\", expected a value of %s", cell->text,
                    run_field(run, (size_t)what).name);
    }
}

static const struct csv_cell *status_cell(const struct table *table, size_t group)
{
    for (size_t i = 0; i < table->columns.count; i++)
        if (table->columns.data[i].what == COLUMN_STATUS && table->columns.data[i].group == group)
            return &table->csv.row.data[i];
    return NULL;
}

static void join_task(struct run_record *run, const char *folder, const char *between)
{
    struct text path;
    text_init(&path);
    text_printf(&path, "%s%s%s", folder, between, run->task);
    memory_free(run->task);
    run->task = text_steal(&path);
}

static bool fill_run(struct table *table, struct run_record *run, size_t group, struct text *why)
{
    const char *formalism = NULL;
    table->importer.configuration = "";
    set_tool(run, table, &table->groups.data[group]);
    for (size_t i = 0; i < table->columns.count; i++) {
        const struct table_column *column = &table->columns.data[i];
        bool of_all = i == 0 || column->what == COLUMN_EXPECTED;
        if ((column->group == group || (table->generated && of_all)) &&
            !take_cell(table, run, column->what, &table->csv.row.data[i], &formalism, why))
            return false;
    }
    if (run->task[0] == '\0')
        return fail(table, &table->csv.row.data[0], why, "found no task in this row");
    if (table->generated)
        join_task(run, table->prefix, "");
    else if (formalism != NULL && *formalism != '\0')
        join_task(run, formalism, "/");
    return true;
}

static bool read_row(struct table *table, struct text *why)
{
    if (table->csv.row.count != table->columns.count)
        return fail(table, &table->csv.row.data[0], why, "found %zu cells, expected %zu",
                    table->csv.row.count, table->columns.count);
    bool good = true;
    for (size_t g = 0; g < table->groups.count && good; g++) {
        const struct csv_cell *status = status_cell(table, g);
        struct run_record run;
        run_record_init(&run);
        good = fill_run(table, &run, g, why);
        const char *words = status != NULL ? status->text : "";
        if (good && !table->own && !import_status(&run, words))
            table->importer.counts.empty++;
        else if (good)
            good = importer_add(&table->importer, &run, words, why);
        run_record_finish(&run);
    }
    return good;
}

static bool read_rows(struct table *table, struct text *why)
{
    int read;
    for (;;) {
        if (!next(table, &read, why))
            return false;
        if (read == 0)
            return true;
        if (!read_row(table, why))
            return false;
    }
}

bool import_table(struct store *store, const char *path, const struct import_options *options,
                  struct import_counts *counts, struct text *why)
{
    struct table table = {.path = path};
    struct text reason;
    text_init(&reason);
    bool good = csv_open(&table.csv, path, &reason);
    if (!good) {
        text_printf(why, "%s: %s", path, text_string(&reason));
    } else {
        good = importer_begin(&table.importer, store, options, why) && read_head(&table, why) &&
               read_rows(&table, why);
        good = importer_finish(&table.importer, good, why) && good;
    }
    if (good)
        *counts = table.importer.counts;
    for (size_t i = 0; i < table.groups.count; i++) {
        memory_free(table.groups.data[i].tool);
        memory_free(table.groups.data[i].plan);
    }
    VECTOR_FINISH(&table.groups);
    VECTOR_FINISH(&table.columns);
    csv_close(&table.csv);
    text_finish(&reason);
    return good;
}
