#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "analysis/compare.h"
#include "base/memory.h"
#include "base/say.h"
#include "cli/command.h"
#include "results/store.h"

static struct {
    char **plans;
    double alpha, tolerance;
    long long seed;
    int strict, verbose;
} options = {.alpha = 0.05, .tolerance = 5};

static struct poptOption table[] = {
    {"plan", 0, POPT_ARG_ARGV, &options.plans, 0,
     "plan or configuration, once for both files or once for each; twice for one file", "NAME"},
    {"alpha", 0, POPT_ARG_DOUBLE, &options.alpha, 0,
     "differences that are less likely by chance count (0.05)", "P"},
    {"tolerance", 0, POPT_ARG_DOUBLE, &options.tolerance, 0,
     "per cent of time that are no worsening (5)", "PERCENT"},
    {"strict", 0, POPT_ARG_NONE, &options.strict, 0, "worse also when any solved task is lost",
     NULL},
    {"seed", 0, POPT_ARG_LONGLONG, &options.seed, 0, "seed of the interval (0)", "N"},
    {"verbose", 'v', POPT_ARG_NONE, &options.verbose, 0, "all tasks that changed", NULL},
    POPT_TABLEEND,
};

static bool collect(void *context, const struct run_record *run)
{
    score_add(context, run);
    return true;
}

static bool read_score(struct score *score, const char *path)
{
    struct text why;
    text_init(&why);
    score_init(score);
    bool good = store_each_in(path, collect, score, &why);
    if (!good)
        say(stderr, "regatta compare: %s\n", text_string(&why));
    else
        score_compute(score);
    text_finish(&why);
    return good;
}

static bool is_called(const struct score_row *row, const char *name)
{
    return strcmp(row->label, name) == 0 || strcmp(row->plan, name) == 0;
}

// The row of this name; `found` counts them.
static size_t find_row(const struct score *score, const char *name, size_t *found)
{
    size_t at = 0;
    *found = 0;
    for (size_t i = 0; i < score->row_count; i++)
        if (is_called(&score->rows[i], name)) {
            at = i;
            ++*found;
        }
    return at;
}

static bool choose_row(const struct score *score, const char *path, const char *name, size_t *row)
{
    size_t found;
    *row = find_row(score, name, &found);
    if (found == 1)
        return true;
    say(stderr, "regatta compare: %s: %s \"%s\"; there are:\n", path,
        found == 0 ? "there is no plan or configuration" : "more than one is called", name);
    for (size_t i = 0; i < score->row_count; i++)
        say(stderr, "  %s\n", score->rows[i].label);
    return false;
}

static int compare_two(const struct score *a, size_t row_a, const struct score *b, size_t row_b)
{
    struct compare_options how = COMPARE_OPTIONS_STANDARD;
    struct comparison comparison;
    assert(row_a < a->row_count && row_b < b->row_count);
    struct text out;
    text_init(&out);
    how.alpha = options.alpha;
    how.tolerance = options.tolerance / 100;
    how.strict = options.strict != 0;
    how.seed = (uint64_t)options.seed;
    compare_rows(&comparison, a, row_a, b, row_b, &how);
    comparison_print(&out, &comparison, options.verbose != 0);
    say(stdout, "%s", text_string(&out));
    int code = comparison.wrong ? EXIT_CONTRADICTION : comparison.worse ? EXIT_WORSE : 0;
    if (comparison.pairs.count == 0) {
        say(stderr, "regatta compare: no task was run by both\n");
        code = EXIT_USAGE;
    }
    comparison_finish(&comparison);
    text_finish(&out);
    return code;
}

// The graver of two codes.
static int graver(int a, int b)
{
    return a > b ? a : b;
}

// Every row of the first that the second has too, under the same conditions.
static int compare_all(const struct score *a, const struct score *b)
{
    int code = 0;
    size_t compared = 0;
    for (size_t i = 0; i < a->row_count; i++)
        for (size_t k = 0; k < b->row_count; k++) {
            const struct score_row *x = &a->rows[i], *y = &b->rows[k];
            if (strcmp(x->plan, y->plan) != 0 || strcmp(x->tool, y->tool) != 0 ||
                x->cores != y->cores || x->limit_seconds != y->limit_seconds)
                continue;
            if (compared++ != 0)
                putchar('\n');
            code = graver(code, compare_two(a, i, b, k));
        }
    if (compared != 0)
        return code;
    say(stderr, "regatta compare: no plan or configuration is in both with the same cores and "
                "time limit; name two by --plan\n");
    return EXIT_USAGE;
}

static int compare_named(const char *const *paths, const struct score *a, const struct score *b,
                         const char *plan_a, const char *plan_b)
{
    size_t row_a, row_b;
    if (!choose_row(a, paths[0], plan_a, &row_a) || !choose_row(b, paths[1], plan_b, &row_b))
        return EXIT_USAGE;
    return compare_two(a, row_a, b, row_b);
}

static int run(const char *const *arguments, size_t count)
{
    size_t plans = 0;
    while (options.plans != NULL && options.plans[plans] != NULL)
        plans++;
    if (count < 1 || count > 2)
        return usage_error(&command_compare, "expected one or two files of records, got %zu",
                           count);
    if (count == 1 && plans != 2)
        return usage_error(&command_compare, "one file: expected --plan twice, got %zu", plans);
    if (plans > 2)
        return usage_error(&command_compare, "expected --plan twice at most, got %zu", plans);
    if (!(options.alpha > 0 && options.alpha < 1))
        return usage_error(&command_compare, "--alpha=%g: expected a number between 0 and 1",
                           options.alpha);
    if (!(options.tolerance >= 0 && options.tolerance < 1e6))
        return usage_error(&command_compare, "--tolerance=%g: expected a percentage",
                           options.tolerance);
    struct score a, b;
    const char *const paths[] = {arguments[0], arguments[count - 1]};
    score_init(&b);
    int code = EXIT_USAGE;
    if (read_score(&a, paths[0]) && (count == 1 || read_score(&b, paths[1]))) {
        const struct score *second = count == 1 ? &a : &b;
        code = plans == 0
                   ? compare_all(&a, second)
                   : compare_named(paths, &a, second, options.plans[0], options.plans[plans - 1]);
    }
    score_finish(&a);
    score_finish(&b);
    return code;
}

const struct command command_compare = {
    .name = "compare",
    .arguments = "DB [DB]",
    .summary = "what became better and worse",
    .description =
        "Compares the plans and configurations that two files of records have in common\n"
        "(those of the same name, cores and time limit), or two of one file: tasks lost\n"
        "and gained with a sign test; on the tasks that both solved, the ratio of wall\n"
        "times with a bootstrap interval and Wilcoxon's test. The exit code is 5 when the\n"
        "second is worse beyond chance, 30 when it has new wrong verdicts.\n"
        "\n"
        "  regatta compare before.db after.db\n"
        "  regatta compare runs.db --plan expl-seq --plan pred-seq\n",
    .options = table,
    .run = run,
};
