#include "analysis/report.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/export.h"
#include "analysis/figures.h"
#include "analysis/page.h"
#include "analysis/study.h"
#include "analysis/summary.h"
#include "base/output_file.h"
#include "base/say.h"
#include "cli/command.h"
#include "results/store.h"

static struct {
    char *baseline, *format, *output, *table, *between, *tasks;
    int csv, attempts, verbose;
} options;

static struct poptOption table[] = {
    {"output", 'o', POPT_ARG_STRING, &options.output, 0,
     "write to this file instead of standard output (svg, pdf: to this folder)", "FILE"},
    {"format", 0, POPT_ARG_STRING, &options.format, 0,
     "text, html, markdown, csv, latex, svg or pdf (as FILE ends, else text)", "FORMAT"},
    {"table", 0, POPT_ARG_STRING, &options.table, 0,
     "markdown, csv, latex: this table only: alarms, scores, unknowns, yardsticks, cover, "
     "families, "
     "attempts",
     "NAME"},
    {"between", 0, POPT_ARG_STRING, &options.between, 0,
     "svg, pdf: the two rows of the scatter plot, as numbers in the order of the scores (1,2)",
     "A,B"},
    {"tasks", 0, POPT_ARG_STRING, &options.tasks, 0,
     "the base of all figures: all tasks, or those that every row ran (all)", "all|common"},
    {"csv", 0, POPT_ARG_NONE, &options.csv, 0, "comma-separated values, one row a run", NULL},
    {"attempts", 0, POPT_ARG_NONE, &options.attempts, 0, "with --csv: one row an attempt", NULL},
    {"baseline", 0, POPT_ARG_STRING, &options.baseline, 0,
     "compare with another tool's results (CSV); text only", "FILE"},
    {"verbose", 'v', POPT_ARG_NONE, &options.verbose, 0,
     "list what was not solved and each task's ratio", NULL},
    POPT_TABLEEND,
};

enum format {
    FORMAT_TEXT,
    FORMAT_HTML,
    FORMAT_MARKDOWN,
    FORMAT_CSV,
    FORMAT_LATEX,
    FORMAT_SVG,
    FORMAT_PDF,
    FORMAT_COUNT,
};

static const struct {
    const char *name, *ending;
} formats[FORMAT_COUNT] = {
    {"text", ".txt"},  {"html", ".html"}, {"markdown", ".md"}, {"csv", ".csv"},
    {"latex", ".tex"}, {"svg", NULL},     {"pdf", NULL},
};

// -1 and the error said when the name is none.
static int choose_format(void)
{
    for (int f = 0; options.format != NULL && f < FORMAT_COUNT; f++)
        if (strcmp(options.format, formats[f].name) == 0)
            return f;
    if (options.format != NULL) {
        usage_error(&command_report,
                    "--format: '%s' is none of text, html, markdown, csv, latex, svg, pdf",
                    options.format);
        return -1;
    }
    const char *ending = options.output != NULL ? strrchr(options.output, '.') : NULL;
    for (int f = 0; ending != NULL && f < FORMAT_COUNT; f++)
        if (formats[f].ending != NULL && strcmp(ending, formats[f].ending) == 0)
            return f;
    return FORMAT_TEXT;
}

struct collection {
    struct study study;
    struct text csv;
};

static bool collect(void *context, const struct run_record *run)
{
    struct collection *collection = context;
    if (options.csv && options.attempts)
        export_csv_attempts(&collection->csv, run);
    else if (options.csv)
        export_csv_run(&collection->csv, run);
    else
        study_add(&collection->study, run);
    return true;
}

static bool read_stores(struct collection *collection, const char *const *paths, size_t count,
                        struct text *why)
{
    for (size_t i = 0; i < count; i++) {
        if (!store_each_in(paths[i], collect, collection, why))
            return false;
        study_add_file(&collection->study, paths[i]);
    }
    return true;
}

static void compose(struct text *out, const struct study *study, enum format format,
                    const struct baseline *baseline)
{
    assert(format < FORMAT_SVG && (baseline == NULL || format == FORMAT_TEXT));
    switch (format) {
    case FORMAT_HTML:
        page_print(out, study, REGATTA_VERSION);
        break;
    case FORMAT_MARKDOWN:
        summary_print(out, study, TABLE_MARKDOWN, options.table);
        break;
    case FORMAT_CSV:
        summary_print(out, study, TABLE_CSV, options.table);
        break;
    case FORMAT_LATEX:
        summary_print(out, study, TABLE_LATEX, options.table);
        break;
    default:
        report_print(out, study, baseline, options.verbose != 0);
        break;
    }
}

static bool write_out(const struct text *out, struct text *why)
{
    bool good = options.output != NULL
                    ? output_file_write_text(options.output, out)
                    : fwrite(text_string(out), 1, out->length, stdout) == out->length;
    if (!good)
        text_printf(why, "%s: %s", options.output != NULL ? options.output : "standard output",
                    strerror(errno));
    return good;
}

static bool write_figures(const struct study *study, enum format format, struct text *why)
{
    size_t a = 0, b = 1;
    assert(options.output != NULL && format >= FORMAT_SVG);
    if (options.between != NULL && !figures_parse_pair(study, options.between, &a, &b, why))
        return false;
    return figures_write(study, options.output, format == FORMAT_PDF ? FIGURES_PDF : FIGURES_SVG, a,
                         b, why);
}

static bool report(struct collection *collection, enum format format,
                   const struct baseline *baseline, struct text *why)
{
    struct text out;
    text_init(&out);
    if (options.csv) {
        if (options.attempts)
            export_csv_attempts_head(&out);
        else
            export_csv_runs_head(&out);
        text_add(&out, text_string(&collection->csv));
    } else {
        if (options.tasks != NULL && strcmp(options.tasks, "common") == 0)
            collection->study.score.base = SCORE_COMMON;
        study_compute(&collection->study);
        if (format == FORMAT_SVG || format == FORMAT_PDF) {
            text_finish(&out);
            return write_figures(&collection->study, format, why);
        }
        compose(&out, &collection->study, format, baseline);
    }
    bool good = write_out(&out, why);
    text_finish(&out);
    return good;
}

static bool is_table(const char *name)
{
    for (const char *const *names = summary_names(); *names != NULL; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

// 0, or the exit code of a usage error that was said.
static int check_options(size_t files, int format)
{
    bool tables = format == FORMAT_MARKDOWN || format == FORMAT_CSV || format == FORMAT_LATEX;
    bool figures = format == FORMAT_SVG || format == FORMAT_PDF;
    if (files == 0)
        return usage_error(&command_report, "expected a file of records, got none");
    if (options.csv && (options.baseline != NULL || options.format != NULL))
        return usage_error(&command_report, "--csv excludes --baseline and --format");
    if (options.tasks != NULL && strcmp(options.tasks, "all") != 0 &&
        strcmp(options.tasks, "common") != 0)
        return usage_error(&command_report, "--tasks=%s: expected all or common", options.tasks);
    if (options.csv && options.tasks != NULL)
        return usage_error(&command_report, "--csv has all runs: --tasks has no say there");
    if (options.attempts && !options.csv)
        return usage_error(&command_report, "--attempts goes with --csv");
    if ((options.baseline != NULL || options.verbose) && format != FORMAT_TEXT)
        return usage_error(&command_report, "--baseline and --verbose go with --format text");
    if (options.table != NULL && !tables)
        return usage_error(&command_report, "--table goes with --format markdown, csv or latex");
    if (options.table != NULL && !is_table(options.table))
        return usage_error(&command_report, "--table: there is no table '%s'", options.table);
    if (options.between != NULL && !figures)
        return usage_error(&command_report, "--between goes with --format svg or pdf");
    if (figures && options.output == NULL)
        return usage_error(&command_report, "--format %s needs a folder: -o FOLDER",
                           options.format);
    return 0;
}

static int run(const char *const *arguments, size_t count)
{
    int format = choose_format();
    if (format < 0)
        return EXIT_USAGE;
    int wrong = check_options(count, format);
    if (wrong != 0)
        return wrong;
    struct baseline baseline = {0};
    struct collection collection;
    struct text why;
    study_init(&collection.study);
    text_init(&collection.csv);
    text_init(&why);
    bool good =
        (options.baseline == NULL || baseline_read(&baseline, options.baseline, &why)) &&
        read_stores(&collection, arguments, count, &why) &&
        report(&collection, (enum format)format, options.baseline != NULL ? &baseline : NULL, &why);
    if (!good)
        say(stderr, "regatta report: %s\n", text_string(&why));
    study_finish(&collection.study);
    baseline_finish(&baseline);
    text_finish(&collection.csv);
    text_finish(&why);
    return good ? 0 : EXIT_USAGE;
}

const struct command command_report = {
    .name = "report",
    .arguments = "FILE…",
    .summary = "what the records say",
    .description =
        "Reads files of records made by verify --db or bench and says, for each plan or\n"
        "configuration, what was solved, wrong and unknown, the times and the virtual\n"
        "best (on each task the fastest); wrong verdicts come first.\n\n"
        "  regatta report runs.db                         a text for the terminal\n"
        "  regatta report runs.db -o report.html          one page, tables and figures\n"
        "  regatta report runs.db --format latex --table scores\n"
        "  regatta report runs.db --format pdf -o figures  (needs gnuplot)\n",
    .options = table,
    .run = run,
};
