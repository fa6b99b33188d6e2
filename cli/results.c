#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/say.h"
#include "base/signals.h"
#include "cli/command.h"
#include "results/exporting.h"
#include "results/importing.h"
#include "results/query_print.h"
#include "results/verdict.h"

static struct {
    char *format, *output, *columns, *tool, *time;
    int cores;
} options;

static struct poptOption table[] = {
    {"format", 0, POPT_ARG_STRING, &options.format, 0,
     "export: csv, json (an object a line) or benchexec; query: text, csv or json", "FORMAT"},
    {"output", 'o', POPT_ARG_STRING, &options.output, 0,
     "export: the file to write (standard output)", "FILE"},
    {"columns", 0, POPT_ARG_STRING, &options.columns, 0,
     "import of tables: their columns and ours, e.g. name=task,secs=wall_seconds", "THEIRS=OURS,…"},
    {"tool", 0, POPT_ARG_STRING, &options.tool, 0,
     "import: the tool, where the file names none (the file's name)", "NAME"},
    {"time", 't', POPT_ARG_STRING, &options.time, 0,
     "import: the time limit, where the file names none; query: how long it may take (300s)",
     "TIME"},
    {"cores", 'c', POPT_ARG_INT, &options.cores, 0, "import: the cores, where the file names none",
     "N"},
    POPT_TABLEEND,
};

enum { QUERY_SECONDS = 300, MOST_ANSWER_BYTES = 1 << 30 };

static int complain(const struct text *why)
{
    say(stderr, "regatta results: %s\n", text_string(why));
    return EXIT_USAGE;
}

// Export

static bool export_to_file(struct store *store, bool json, struct text *why)
{
    FILE *out = options.output != NULL ? fopen(options.output, "we") : stdout;
    if (out == NULL) {
        text_printf(why, "%s: %s", options.output, strerror(errno));
        return false;
    }
    bool good = json ? export_runs_json(store, out, why) : export_runs_csv(store, out, why);
    if (fflush(out) != 0 || ferror(out) || (out != stdout && fclose(out) != 0)) {
        text_printf(why, "%s: %s", options.output != NULL ? options.output : "standard output",
                    strerror(errno));
        good = false;
    }
    return good;
}

static int run_export(struct store *store, struct text *why)
{
    const char *format = options.format != NULL ? options.format : "";
    if (strcmp(format, "csv") == 0 || strcmp(format, "json") == 0)
        return export_to_file(store, strcmp(format, "json") == 0, why) ? 0 : complain(why);
    struct text written;
    text_init(&written);
    bool good = export_runs_benchexec(store, options.output, &written, why);
    say(stdout, "%s", text_string(&written));
    text_finish(&written);
    return good ? 0 : complain(why);
}

// Import

static int run_import(struct store *store, const struct import_options *import,
                      const char *const *files, size_t count, struct text *why)
{
    for (size_t i = 0; i < count; i++) {
        struct import_counts counts;
        if (!import_file(store, files[i], import, &counts, why))
            return complain(why);
        say(stdout, "%s: %zu runs added, %zu known already, %zu cells without a result\n", files[i],
            counts.added, counts.known, counts.empty);
        if (counts.wrong != 0)
            say(stderr, "!!! %s: %zu of these answers are WRONG\n", files[i], counts.wrong);
    }
    return 0;
}

// Query

static int run_query(struct store *store, const char *sql, double seconds, struct text *why)
{
    const struct budget budget = {
        .deadline_ns = clock_wall_ns() + (int64_t)(seconds * 1e9),
        .stop = signals_flag(),
        .bytes = MOST_ANSWER_BYTES,
    };
    const char *name = options.format != NULL ? options.format : "text";
    enum query_format format = strcmp(name, "csv") == 0    ? QUERY_AS_CSV
                               : strcmp(name, "json") == 0 ? QUERY_AS_JSON
                                                           : QUERY_AS_TEXT;
    bool good;
    signals_attend();
    enum budget_end end = query_print(stdout, store, sql, format, &budget, &good, why);
    signals_attend_end();
    if (end != BUDGET_DONE) {
        say(stderr, "regatta results: query:1:1: ended: %s\n",
            end == BUDGET_STOPPED ? "interrupted"
            : end == BUDGET_TIME  ? "it took longer than --time allows"
                                  : "its answer is too large to be shown as a table");
        signals_leave(end == BUDGET_STOPPED ? signals_exit_code(*signals_flag()) : EXIT_UNKNOWN);
    }
    return good ? 0 : complain(why);
}

// The command line

static bool one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int check_options(const char *action, size_t count, struct import_options *import)
{
    bool exports = strcmp(action, "export") == 0, imports = strcmp(action, "import") == 0;
    bool queries = strcmp(action, "query") == 0;
    const struct command *me = &command_results;
    if (!exports && !imports && !queries)
        return usage_error(me, "found \"%s\", expected export, import or query", action);
    if (exports && count != 2)
        return usage_error(me, "export: expected one file of records");
    if (queries && count != 3)
        return usage_error(me, "query: expected a file of records and a statement");
    if (imports && count < 3)
        return usage_error(me, "import: expected a file of records and files to import");
    if (exports && (options.format == NULL || !one_of(options.format, "csv", "json", "benchexec")))
        return usage_error(me, "export: --format=%s: expected csv, json or benchexec",
                           options.format != NULL ? options.format : "");
    if (exports && strcmp(options.format, "benchexec") == 0 && options.output == NULL)
        return usage_error(me, "export: benchexec needs --output=FILE");
    if (queries && options.format != NULL && !one_of(options.format, "text", "csv", "json"))
        return usage_error(me, "query: --format=%s: expected text, csv or json", options.format);
    if (imports && options.format != NULL)
        return usage_error(me, "import: the format is told by the file, --format is of export");
    if (!exports && options.output != NULL)
        return usage_error(me, "%s: --output is of export", action);
    if (!imports && (options.columns != NULL || options.tool != NULL || options.cores ||
                     (options.time != NULL && !queries)))
        return usage_error(me, "%s: --columns, --tool, --time and --cores are of import", action);
    if (options.time != NULL && (!text_parse_duration(options.time, &import->time_limit_seconds) ||
                                 import->time_limit_seconds < 0))
        return usage_error(me, "--time=%s: expected a time such as 60s or 15m", options.time);
    if (options.cores < 0)
        return usage_error(me, "--cores=%d: expected 1 or more", options.cores);
    import->cores = (unsigned)options.cores;
    import->columns = options.columns;
    import->tool = options.tool;
    return 0;
}

static int run(const char *const *arguments, size_t count)
{
    struct import_options import = {0};
    if (count == 0)
        return usage_error(&command_results, "expected export, import or query");
    int code = check_options(arguments[0], count, &import);
    if (code != 0)
        return code;
    struct text why;
    text_init(&why);
    bool imports = strcmp(arguments[0], "import") == 0;
    struct store *store = store_open(arguments[1], imports, &why);
    if (store == NULL)
        code = complain(&why);
    else if (imports)
        code = run_import(store, &import, arguments + 2, count - 2, &why);
    else if (strcmp(arguments[0], "export") == 0)
        code = run_export(store, &why);
    else
        code = run_query(store, arguments[2],
                         options.time != NULL ? import.time_limit_seconds : QUERY_SECONDS, &why);
    store_close(store);
    text_finish(&why);
    return code;
}

const struct command command_results = {
    .name = "results",
    .arguments = "export DB | import DB FILE… | query DB SQL",
    .summary = "records in other formats and back; questions in SQL",
    .description =
        "export writes all records as CSV, as JSON lines or as BenchExec's result files, which\n"
        "its table-generator reads. import adds results of other tools, so that they stand in\n"
        "the same report: BenchExec's result files (also compressed by gzip or bzip2) and tables "
        "with\n"
        "separators. query asks in SQL, reading only. docs/results.md has the tables.\n"
        "\n"
        "  regatta results export runs.db --format benchexec -o runs.xml\n"
        "  regatta results import runs.db other.results.xml.bz2 table.csv --time 900s\n"
        "  regatta results query runs.db 'select plan, count(*) from run group by 1'\n",
    .options = table,
    .run = run,
};
