#include "analysis/report.h"

#include <stdio.h>
#include <string.h>

#include "analysis/export.h"
#include "cli/command.h"
#include "results/store.h"

static struct {
    char *baseline;
    int csv, attempts, verbose;
} options;

static struct poptOption table[] = {
    {"csv", 0, POPT_ARG_NONE, &options.csv, 0, "comma-separated values, one row a run", NULL},
    {"attempts", 0, POPT_ARG_NONE, &options.attempts, 0, "with --csv: one row an attempt", NULL},
    {"baseline", 0, POPT_ARG_STRING, &options.baseline, 0,
     "compare with another tool's results (CSV)", "FILE"},
    {"verbose", 'v', POPT_ARG_NONE, &options.verbose, 0,
     "list what was not solved and each task's ratio", NULL},
    POPT_TABLEEND,
};

struct collection {
    struct score score;
    struct attempts attempts;
    struct text csv;
};

static bool collect(void *context, const struct run_record *run)
{
    struct collection *collection = context;
    if (options.csv && options.attempts)
        export_csv_attempts(&collection->csv, run);
    else if (options.csv)
        export_csv_run(&collection->csv, run);
    score_add(&collection->score, run);
    attempts_add(&collection->attempts, run);
    return true;
}

static void print_csv(const struct collection *collection)
{
    struct text head;
    text_init(&head);
    if (options.attempts)
        export_csv_attempts_head(&head);
    else
        export_csv_runs_head(&head);
    fputs(text_string(&head), stdout);
    fputs(text_string(&collection->csv), stdout);
    text_finish(&head);
}

static void print_report(struct collection *collection, const struct baseline *baseline)
{
    struct text out;
    text_init(&out);
    score_compute(&collection->score);
    attempts_sort(&collection->attempts);
    report_print(&out, &collection->score, &collection->attempts, baseline, options.verbose != 0);
    fputs(text_string(&out), stdout);
    text_finish(&out);
}

static int report(struct store *store, const struct baseline *baseline, struct text *why)
{
    struct collection collection;
    score_init(&collection.score);
    attempts_init(&collection.attempts);
    text_init(&collection.csv);
    bool good = store_each(store, collect, &collection, why);
    if (good && options.csv)
        print_csv(&collection);
    else if (good)
        print_report(&collection, baseline);
    score_finish(&collection.score);
    attempts_finish(&collection.attempts);
    text_finish(&collection.csv);
    return good ? 0 : EXIT_USAGE;
}

static int run(const char *const *arguments, size_t count)
{
    if (count != 1)
        return usage_error(&command_report, "expected one file of records, got %zu", count);
    if (options.csv && options.baseline != NULL)
        return usage_error(&command_report, "--csv and --baseline exclude each other");
    if (options.attempts && !options.csv)
        return usage_error(&command_report, "--attempts goes with --csv");
    struct baseline baseline = {0};
    struct text why;
    text_init(&why);
    int code = EXIT_USAGE;
    if (options.baseline == NULL || baseline_read(&baseline, options.baseline, &why)) {
        struct store *store = store_open(arguments[0], false, &why);
        if (store != NULL)
            code = report(store, options.baseline != NULL ? &baseline : NULL, &why);
        store_close(store);
    }
    if (code != 0)
        fprintf(stderr, "regatta report: %s\n", text_string(&why));
    baseline_finish(&baseline);
    text_finish(&why);
    return code;
}

const struct command command_report = {
    .name = "report",
    .arguments = "FILE",
    .summary = "what the records say",
    .description =
        "Reads a file of records made by verify --db or bench and prints, for each plan\n"
        "or configuration, what was solved, wrong and unknown, the times and the\n"
        "virtual best (on each task the fastest); wrong verdicts come first.\n",
    .options = table,
    .run = run,
};
