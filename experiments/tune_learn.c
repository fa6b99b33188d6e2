#include "experiments/tune_learn.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "analysis/policies.h"
#include "base/output_file.h"
#include "base/say.h"
#include "experiments/tune_improve.h"
#include "experiments/tune_plan.h"
#include "experiments/tune_records.h"
#include "experiments/tune_rival.h"

// Contradictions first: what is learned from them is worth as much as they are.
static void print_alarms(FILE *out, const struct tune_table *tuning)
{
    const struct score *score = tuning->score;
    size_t wrong = 0, disputes = 0;
    for (size_t t = 0; t < tuning->task_count; t++) {
        assert(tuning->tasks[t] < score->task_count);
        for (size_t c = 0; c < tuning->configuration_count; c++)
            wrong += score_cell(score, tuning->rows[c], tuning->tasks[t])->outcome == OUTCOME_WRONG;
        disputes += score_rows_contradict(score, tuning->tasks[t]);
    }
    if (wrong + disputes > 0)
        say(out,
            "!!! %zu wrong verdicts in the records, %zu tasks with contradicting ones "
            "(regatta report names them) !!!\n",
            wrong, disputes);
}

static void print_sums(FILE *out, const char *what, const struct policy_sums *sums)
{
    struct text text;
    text_init(&text);
    policy_sums_print(&text, what, sums);
    say(out, "%s", text_string(&text));
    text_finish(&text);
}

static bool split(const struct tune_learn *how, const struct tune_table *tuning,
                  struct tune_part *known, struct tune_part *test, struct text *why)
{
    if (how->test != NULL) {
        if (!tune_part_read(tuning, how->test, test, known, why))
            return false;
    } else {
        struct tune_part all;
        tune_part_all(tuning, &all);
        if (how->share == 0) {
            *known = all;
            *test = (struct tune_part){0};
        } else {
            tune_part_split(tuning, &all, how->share, how->seed, test, known);
            tune_part_finish(&all);
        }
    }
    assert(known->count + test->count == tuning->task_count); // learned from, or scored
    if (known->count >= how->folds && (test->count > 0 || how->share == 0))
        return true;
    text_printf(why, "there are %zu tasks: too few to hold some out and validate on %u folds%s",
                tuning->task_count, how->folds,
                tuning->mixed ? "" : " with families kept apart (--apart tasks parts them too)");
    tune_part_finish(known);
    tune_part_finish(test);
    return false;
}

static void replay(const struct tune_learn *how, const struct tune_table *tuning,
                   const struct tune_part *known, const struct tune_part *test,
                   const struct tune_facts *facts, const struct tune_against *against)
{
    struct kinship *kinship = facts->facts.count > 0 ? kinship_make_by_facts(tuning, facts) : NULL;
    struct kinship *names = kinship_make(tuning);
    struct policy_sums validated = {0}, scored = {0};
    const struct policy_world world = {tuning,   facts,      kinship,    names,
                                       *against, how->cores, how->folds, how->seed};
    char head[80];
    policies_validate(&world, known, &validated);
    say(how->out, "%zu configurations, %g s a task, ", tuning->configuration_count,
        tuning->limit_seconds);
    if (how->cores == 1)
        say(how->out, "one core\n");
    else
        say(how->out, "%u cores\n", how->cores);
    snprintf(head, sizeof head, "training part, %u folds", how->folds);
    print_sums(how->out, head, &validated);
    if (test->count > 0) {
        policies_play(&world, known, test, &scored);
        print_sums(how->out, "test part", &scored);
    }
    if (facts->facts.count == 0)
        say(how->out, "no facts of models in these records (regatta bench keeps them): nothing is "
                      "chosen by facts\n");
    if (how->cores == 1)
        say(how->out, "by names (!): what names give away; a new model's name says nothing\n");
    kinship_destroy(kinship);
    kinship_destroy(names);
}

// What is not known of the plan is said, not guessed.
static void print_rival(const struct tune_learn *how, const struct tune_rival *rival)
{
    if (rival->missing.length > 0)
        say(how->notes,
            "regatta tune: note: on %zu tasks plan %s begins what has no records, and "
            "what is run in vain: %s\n",
            rival->tasks_with_missing, how->plan_name, text_string(&rival->missing));
    if (rival->tasks_without_facts > 0)
        say(how->notes,
            "regatta tune: note: of %zu tasks no facts are known: all that guards of plan %s see "
            "there is 0\n",
            rival->tasks_without_facts, how->plan_name);
}

// "out/mine.cfg" -> "mine"; what may not stand in a name becomes "-".
static char *plan_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = memory_strdup(slash != NULL ? slash + 1 : path), *dot = strrchr(name, '.');
    if (dot != NULL && dot != name)
        *dot = '\0';
    for (char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("-_.+", *c) == NULL)
            *c = '-';
    return name;
}

static bool write_file(const char *path, const struct text *content, struct text *why)
{
    bool good = output_file_write_text(path, content);
    if (!good)
        text_printf(why, "%s: %s", path, strerror(errno));
    return good;
}

static bool make_plan(const struct tune_learn *how, const struct tune_records *records,
                      const struct tune_table *tuning, const struct tune_facts *facts,
                      const struct tune_against *against, const struct tune_part *known,
                      const struct tune_part *test, struct text *why)
{
    struct tuned tuned;
    struct text evidence, plan;
    bool good = true;
    text_init(&evidence);
    text_init(&plan);
    tuner_make(tuning, facts, known, how->cores, how->folds, how->seed, &tuned);
    text_printf(&evidence, "learned from %zu tasks, %zu held out; %u folds, seed %lld\n",
                known->count, test->count, how->folds, (long long)how->seed);
    tune_evidence(&evidence, tuning, facts, &tuned, against, known, test);
    if (how->output != NULL) {
        char *name = plan_name(how->output);
        if (tune_plan_possible(tuning, &tuned, &records->configurations)) {
            good = tune_plan_print(&plan, name, tuning, &tuned, &records->configurations,
                                   text_string(&evidence), why);
        } else {
            say(how->notes,
                "regatta tune: note: these are configurations of others, which no plan "
                "can hold: %s is a table of what to run\n",
                how->output);
            tune_table_print(&plan, tuning, facts, &tuned);
        }
        good = good && write_file(how->output, &plan, why);
        memory_free(name);
    }
    if (good)
        say(how->out, "%s", text_string(&evidence));
    text_finish(&evidence);
    text_finish(&plan);
    return good;
}

static bool improve_plan(const struct tune_learn *how, const struct tune_improve *improve,
                         const struct tune_table *tuning, const struct tune_part *known,
                         const struct tune_part *test, struct text *why)
{
    struct improver_plan *better = memory_alloc(sizeof *better);
    struct text evidence, plan;
    bool good = true;
    text_init(&evidence);
    text_init(&plan);
    *better = improve->now;
    improver_improve(tuning, known, better);
    text_printf(&evidence, "learned from %zu tasks, %zu held out; seed %lld\n", known->count,
                test->count, (long long)how->seed);
    tune_improve_evidence(&evidence, improve, tuning, better, known, test);
    if (how->output != NULL) {
        char *name = plan_name(how->output);
        tune_improve_print(&plan, name, improve, tuning, better, text_string(&evidence));
        good = write_file(how->output, &plan, why);
        memory_free(name);
    }
    if (good)
        say(how->out, "%s", text_string(&evidence));
    memory_free(better);
    text_finish(&evidence);
    text_finish(&plan);
    return good;
}

static bool learn(const struct tune_learn *how, const struct tune_records *records,
                  const struct tune_table *tuning, struct text *why)
{
    struct tune_part known, test;
    struct tune_facts facts;
    struct tune_rival rival;
    struct tune_improve improve = {0};
    struct tune_against against = {.name = how->plan_name};
    if (!split(how, tuning, &known, &test, why))
        return false;
    tune_facts_init(&facts, tuning);
    print_alarms(how->out, tuning);
    bool good = tune_records_read_facts(&facts, tuning, how->paths, how->path_count, why);
    if (good && how->plan != NULL) {
        tune_rival_play(&rival, tuning, &facts, &records->configurations, how->plan, how->cores);
        print_rival(how, &rival);
        against.runs = rival.runs;
    }
    if (good && how->improve) {
        good = tune_improve_init(&improve, tuning, &facts, &records->configurations, how->plan,
                                 how->cores, why);
        against.plan = &improve.now;
    }
    if (good && how->replay)
        replay(how, tuning, &known, &test, &facts, &against);
    else if (good && how->improve)
        good = improve_plan(how, &improve, tuning, &known, &test, why);
    else
        good = good && make_plan(how, records, tuning, &facts, &against, &known, &test, why);
    if (against.runs != NULL)
        tune_rival_finish(&rival);
    tune_improve_finish(&improve);
    tune_facts_finish(&facts);
    tune_part_finish(&known);
    tune_part_finish(&test);
    return good;
}

bool tune_learn(const struct tune_learn *how, struct text *why)
{
    struct tune_records records;
    struct tune_table tuning = {0};
    bool good = tune_records_read(&records, how->paths, how->path_count, why) &&
                tune_table_make(&tuning, &records.score, how->limit_seconds, why);
    tuning.mixed = how->mixed;
    good = good && learn(how, &records, &tuning, why);
    tune_table_finish(&tuning);
    tune_records_finish(&records);
    return good;
}
