#include "experiments/tune_plan.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "configs/configuration.h"
#include "configs/space.h"
#include "results/csv.h"

void tuned_configurations_add(struct tuned_configurations *configurations,
                              const struct run_record *run)
{
    if (run->attempt_count == 0 || strcmp(run->attempts[0].configuration, run->plan) != 0)
        return;
    for (size_t i = 0; i < configurations->items.count; i++)
        if (strcmp(configurations->items.data[i].plan_digest, run->plan_digest) == 0 &&
            strcmp(configurations->items.data[i].plan, run->plan) == 0)
            return;
    struct tuned_configuration one = {memory_strdup(run->plan), memory_strdup(run->plan_digest),
                                      memory_strdup(run->attempts[0].configuration_text)};
    VECTOR_PUSH(&configurations->items, one);
}

void tuned_configurations_finish(struct tuned_configurations *configurations)
{
    for (size_t i = 0; i < configurations->items.count; i++) {
        memory_free(configurations->items.data[i].plan);
        memory_free(configurations->items.data[i].plan_digest);
        memory_free(configurations->items.data[i].text);
    }
    VECTOR_FINISH(&configurations->items);
}

// Evidence

enum { RECORDED_SHOWN = 5 };

// What would break a line or reach the terminal becomes "?".
static void add_shown(struct text *out, const char *name)
{
    size_t left = strlen(name), length;
    for (; left > 0; name += length, left -= length) {
        length = text_printable_length(name, left);
        if (length > 0)
            text_add_bytes(out, name, length);
        else
            text_add_char(out, '?');
        length = length > 0 ? length : 1;
    }
}

void tune_add_sum(struct text *out, const char *name, const struct tune_sum *sum)
{
    text_printf(out, "  %-26s %zu of %zu solved, %zu wrong, PAR-2 %.3f s a task\n", name,
                sum->solved, sum->tasks, sum->wrong,
                sum->par2_seconds / (double)(sum->tasks > 0 ? sum->tasks : 1));
}

static struct tune_sum recorded_sum(const struct tune_table *table, size_t row,
                                    const struct tune_part *test)
{
    struct tune_sum sum = {0};
    for (size_t i = 0; i < test->count; i++) {
        assert(test->tasks[i] < table->task_count);
        const struct score_cell *cell = score_cell(table->score, row, table->tasks[test->tasks[i]]);
        enum tune_end end = outcome_solved(cell->outcome)    ? TUNE_SOLVED
                            : cell->outcome == OUTCOME_WRONG ? TUNE_WRONG
                                                             : TUNE_UNSOLVED;
        struct tune_run run = {end, cell->wall_seconds};
        if (cell->outcome != OUTCOME_MISSING)
            tune_sum_add(&sum, &run, table->limit_seconds);
    }
    return sum;
}

// What recorded plans came to on the same tasks, with the same cores and limit: the first few, which are the
// best on all tasks.
static void add_recorded(struct text *out, const struct tune_table *table, size_t lanes,
                         const struct tune_part *test)
{
    const struct score *score = table->score;
    size_t shown = 0;
    for (size_t r = 0; r < score->row_count && shown < RECORDED_SHOWN; r++) {
        const struct score_row *row = &score->rows[r];
        if (!row->portfolio || row->cores != lanes || row->limit_seconds != table->limit_seconds)
            continue;
        struct tune_sum sum = recorded_sum(table, r, test);
        struct text name;
        text_init(&name);
        text_add(&name, "plan ");
        add_shown(&name, row->plan);
        text_add(&name, ", as recorded");
        if (sum.tasks > 0)
            tune_add_sum(out, text_string(&name), &sum);
        shown += sum.tasks > 0;
        text_finish(&name);
    }
}

static void tune_add_guard(struct text *out, const struct tuned_leaf *leaf)
{
    for (size_t g = 0; g < leaf->guard_count; g++)
        text_printf(out, "%s%s %s %lld", g > 0 ? " && " : "", leaf->guards[g].fact,
                    leaf->guards[g].above ? ">" : "<=", leaf->guards[g].threshold);
}

static void add_choices(struct text *out, const struct tuned *tuned)
{
    text_add(out, "cross-validated PAR-2 of a task, by the most steps of a lane:\n");
    for (size_t i = 0; i < TUNER_STEP_CHOICES; i++) {
        const struct tuner_fold_sum *choice = &tuned->choices[i];
        text_printf(out, "  %zu: %.3f s, %.3f +- %.3f above the least%s\n", choice->steps_most,
                    choice->mean_seconds, choice->above_seconds, choice->error_seconds,
                    choice->steps_most == tuned->steps_most ? " (taken)" : "");
    }
    for (size_t i = 0; i < tuned->leaf_choice_count; i++) {
        const struct tuner_leaf_sum *choice = &tuned->leaf_choices[i];
        text_printf(out, "  up to %zu kinds of tasks: %.3f s, gains %.3f +- %.3f\n",
                    choice->leaves_most, choice->mean_seconds, choice->gain_seconds,
                    choice->error_seconds);
    }
    if (tuned->leaf_choice_count == 0)
        text_add(out, "no guard to try: too few tasks, or no facts of their models\n");
    else if (tuned->leaf_count == 1)
        text_add(out, "one schedule for all: guards gain nothing beyond the noise\n");
    for (size_t l = 0; l < tuned->leaf_count && tuned->leaf_count > 1; l++) {
        text_printf(out, "kind %zu, %zu tasks: ", l + 1, tuned->leaves[l].tasks);
        tune_add_guard(out, &tuned->leaves[l]);
        text_add_char(out, '\n');
    }
    bool exact = true;
    for (size_t l = 0; l < tuned->leaf_count; l++)
        exact &= tuned->leaves[l].exact;
    text_add(out, exact ? "search: proved to be the best of its size on the tasks learned from\n"
                        : "search: the best found; too many plans to look at them all\n");
}

static void add_rival(struct text *out, const struct tune_table *table,
                      const struct tune_against *against, const struct tune_part *part)
{
    struct text name;
    if (against->runs == NULL)
        return;
    struct tune_sum sum = tune_sum_runs(table, part, against->runs);
    text_init(&name);
    text_printf(&name, "plan %s, played", against->name);
    tune_add_sum(out, text_string(&name), &sum);
    text_finish(&name);
}

void tune_evidence(struct text *out, const struct tune_table *table, const struct tune_facts *facts,
                   const struct tuned *tuned, const struct tune_against *against,
                   const struct tune_part *known, const struct tune_part *test)
{
    assert(tuned->leaf_count > 0);
    size_t lanes = tuned->leaves[0].slices.lane_count, single = tune_single_best(table, known);
    struct tune_sum learned = tuned_sum(table, facts, tuned, known),
                    scored = tuned_sum(table, facts, tuned, test),
                    alone = tune_sum_of(table, test, single), best = tune_sum_best(table, test);
    text_printf(out, "for %zu core%s and %g s, from records of %zu configurations\n", lanes,
                lanes == 1 ? "" : "s", table->limit_seconds, table->configuration_count);
    add_choices(out, tuned);
    text_add(out, "on the tasks learned from:\n");
    add_rival(out, table, against, known);
    tune_add_sum(out, "this plan", &learned);
    text_add(out, "on the tasks held out:\n");
    struct text name;
    text_init(&name);
    add_shown(&name, tune_configuration_name(table, single));
    text_add(&name, " alone");
    tune_add_sum(out, text_string(&name), &alone);
    text_finish(&name);
    add_recorded(out, table, lanes, test);
    add_rival(out, table, against, test);
    tune_add_sum(out, "this plan", &scored);
    tune_add_sum(out, "virtual best", &best);
}

// The plan

const char *tuned_configuration_text(const struct tune_table *table, size_t configuration,
                                     const struct tuned_configurations *known)
{
    const struct score_row *row = &table->score->rows[table->rows[configuration]];
    for (size_t i = 0; i < known->items.count; i++)
        if (strcmp(known->items.data[i].plan, row->plan) == 0 &&
            strcmp(known->items.data[i].plan_digest, row->plan_digest) == 0)
            return known->items.data[i].text;
    return "";
}

void tune_plan_add_quoted(struct text *out, const char *string)
{
    text_add_char(out, '"');
    for (; *string != '\0'; string++) {
        if (*string == '"' || *string == '\\')
            text_add_char(out, '\\');
        text_add_char(out, *string == '\n' ? ' ' : *string);
    }
    text_add_char(out, '"');
}

// The name of the records where it may stand in a plan and is one alone; else a number.
void tune_plan_add_name(struct text *out, const struct tune_table *table, size_t configuration)
{
    const char *name = tune_configuration_name(table, configuration);
    bool good = *name != '\0';
    for (const char *c = name; *c != '\0'; c++)
        good = good && (isalnum((unsigned char)*c) || strchr("-_.+", *c) != NULL);
    for (size_t c = 0; c < table->configuration_count; c++)
        good = good && (c == configuration || strcmp(tune_configuration_name(table, c), name) != 0);
    if (good)
        text_add(out, name);
    else
        text_printf(out, "configuration-%zu", configuration + 1);
}

static void add_values(struct text *out, const struct configuration *configuration)
{
    for (int o = 0; o < OPTION_COUNT; o++) {
        const struct option_description *option = option_describe(o);
        int64_t value = configuration->values[o];
        if (o == OPTION_ENGINE || value == option->standard)
            continue;
        struct text printed;
        text_init(&printed);
        text_printf(out, " %s = ", option->name);
        if (option->type == OPTION_TYPE_TEXT)
            text_add(&printed, text_value(value));
        else
            space_print_value(&printed, o, value);
        if (option->type == OPTION_TYPE_NUMBER)
            text_add(out, text_string(&printed));
        else
            tune_plan_add_quoted(out, text_string(&printed));
        text_add_char(out, ';');
        text_finish(&printed);
    }
}

void tune_plan_add_configuration(struct text *out, const struct configuration *configuration,
                                 bool *first)
{
    text_printf(out, "%s  { name = \"%s\"; engine = \"%s\";", *first ? "" : ",\n",
                configuration->name, configuration_engine(configuration));
    *first = false;
    add_values(out, configuration);
    text_add(out, " }");
}

bool tune_plan_read_configuration(const struct tune_table *table, size_t index,
                                  const struct tuned_configurations *known,
                                  struct configuration *out, struct text *why)
{
    const char *text = tuned_configuration_text(table, index, known);
    struct messages messages;
    messages_init(&messages);
    bool good = *text != '\0' && configuration_parse(out, text, &messages);
    if (!good) {
        add_shown(why, tune_configuration_name(table, index));
        text_printf(why, " is not a configuration that a plan can hold%s%s",
                    messages.count > 0 ? ": " : "",
                    messages.count > 0 ? messages.items[0].text : "");
    }
    messages_finish(&messages);
    return good;
}

static bool add_configuration(struct text *out, const struct tune_table *table, size_t index,
                              const struct tuned_configurations *known, bool *first,
                              struct text *why)
{
    struct configuration configuration;
    struct text name;
    text_init(&name);
    tune_plan_add_name(&name, table, index);
    configuration_init(&configuration, text_string(&name));
    bool good = tune_plan_read_configuration(table, index, known, &configuration, why);
    if (good)
        tune_plan_add_configuration(out, &configuration, first);
    configuration_finish(&configuration);
    text_finish(&name);
    return good;
}

static void add_steps(struct text *out, const struct tune_table *table,
                      const struct slice_lane *lane, const char *when, const char *before)
{
    for (size_t i = 0; i < lane->count; i++) {
        text_printf(out, "%s          { configuration = \"", i == 0 ? before : ",\n");
        tune_plan_add_name(out, table, lane->steps[i].configuration);
        text_add(out, "\";");
        if (lane->steps[i].share < 1)
            text_printf(out, " budget = \"%g%%\";", 100 * lane->steps[i].share);
        if (*when != '\0')
            text_printf(out, " when = \"%s\";", when);
        text_add(out, " }");
    }
}

static void add_lanes(struct text *out, const struct tune_table *table, const struct tuned *tuned)
{
    for (size_t k = 1; k < tuned->leaf_count; k++) // a lane has steps of every kind of task
        assert(tuned->leaves[k].slices.lane_count == tuned->leaves[0].slices.lane_count);
    for (size_t l = 0; l < tuned->leaves[0].slices.lane_count; l++) {
        text_add(out, l == 0 ? "      { steps = (\n" : ",\n      { steps = (\n");
        for (size_t k = 0; k < tuned->leaf_count; k++) {
            struct text when;
            text_init(&when);
            tune_add_guard(&when, &tuned->leaves[k]);
            add_steps(out, table, &tuned->leaves[k].slices.lanes[l], text_string(&when),
                      k > 0 ? ",\n" : "");
            text_finish(&when);
        }
        text_add(out, " ); }");
    }
}

static bool uses(const struct tuned *tuned, size_t configuration)
{
    bool used = false;
    for (size_t l = 0; l < tuned->leaf_count; l++)
        used |= slices_use(&tuned->leaves[l].slices, configuration);
    return used;
}

// A row for a step: of a kind of tasks, or of a task.
static void add_table_rows(struct text *out, const struct tune_table *table, const char *task,
                           const struct tuned_leaf *leaf)
{
    struct text when;
    text_init(&when);
    tune_add_guard(&when, leaf);
    for (size_t l = 0; l < leaf->slices.lane_count; l++) {
        double left = table->limit_seconds;
        for (size_t i = 0; i < leaf->slices.lanes[l].count; i++) {
            const struct slice *step = &leaf->slices.lanes[l].steps[i];
            assert(step->configuration < table->configuration_count && step->share <= 1);
            csv_add(out, task);
            text_add_char(out, ',');
            csv_add(out, text_string(&when));
            text_printf(out, ",%zu,%zu,", l, i);
            csv_add(out, tune_configuration_name(table, step->configuration));
            text_printf(out, ",%.6g\n", left * step->share);
            left -= left * step->share;
        }
    }
    text_finish(&when);
}

void tune_table_print(struct text *out, const struct tune_table *table,
                      const struct tune_facts *facts, const struct tuned *tuned)
{
    text_add(out, "task,when,lane,step,configuration,seconds\n");
    for (size_t l = 0; l < tuned->leaf_count; l++)
        add_table_rows(out, table, "*", &tuned->leaves[l]);
    for (size_t t = 0; t < table->task_count; t++)
        add_table_rows(out, table, tune_task_name(table, t),
                       &tuned->leaves[tuned_leaf_of(facts, tuned, t)]);
}

bool tune_plan_possible(const struct tune_table *table, const struct tuned *tuned,
                        const struct tuned_configurations *configurations)
{
    struct text out, why;
    bool first = true, good = true;
    text_init(&out);
    text_init(&why);
    for (size_t c = 0; c < table->configuration_count && good; c++)
        good = !uses(tuned, c) || add_configuration(&out, table, c, configurations, &first, &why);
    text_finish(&out);
    text_finish(&why);
    return good;
}

void tune_plan_add_head(struct text *out, const char *name, size_t lanes, double seconds,
                        const char *evidence)
{
    text_add(out, "# Made by regatta tune " REGATTA_VERSION ".\n#\n");
    for (const char *line = evidence, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        text_printf(out, "# %.*s\n", (int)(end - line), line);
    text_add(out, "\nname = ");
    tune_plan_add_quoted(out, name);
    text_printf(out, ";\ndescription = \"tuned for %zu core%s and %g s\";\nconfigurations = (\n",
                lanes, lanes == 1 ? "" : "s", seconds);
}

bool tune_plan_print(struct text *out, const char *name, const struct tune_table *table,
                     const struct tuned *tuned, const struct tuned_configurations *configurations,
                     const char *evidence, struct text *why)
{
    tune_plan_add_head(out, name, tuned->leaves[0].slices.lane_count, table->limit_seconds,
                       evidence);
    bool first = true;
    for (size_t c = 0; c < table->configuration_count; c++)
        if (uses(tuned, c) && !add_configuration(out, table, c, configurations, &first, why))
            return false;
    text_add(out, "\n);\nvariants = (\n  { cores = 1;\n    lanes = (\n");
    add_lanes(out, table, tuned);
    text_add(out, "\n    ); }\n);\n");
    return true;
}
