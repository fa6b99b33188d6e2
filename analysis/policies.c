#include "analysis/policies.h"

#include <assert.h>
#include <math.h>

#include "base/memory.h"

const char *policy_name(enum policy policy)
{
    static const char *const names[] = {"single best",     "one schedule", "plan as tuned",
                                        "chosen by facts", "by names (!)", "plan as it is",
                                        "plan improved",   "virtual best"};
    return names[policy];
}

static void add(struct tune_sum *sum, const struct tune_sum *more)
{
    sum->tasks += more->tasks;
    sum->solved += more->solved;
    sum->wrong += more->wrong;
    sum->par2_seconds += more->par2_seconds;
}

static struct tune_sum play_chosen(const struct policy_world *world, const struct kinship *kinship,
                                   const struct tune_part *known, const struct tune_part *asked)
{
    struct chooser_settings settings = CHOOSER_SETTINGS_STANDARD;
    struct chooser *chooser = chooser_make(world->table, kinship, known, settings);
    struct tune_sum sum = {0};
    for (size_t i = 0; i < asked->count; i++) {
        struct tune_run run = chooser_play(chooser, asked->tasks[i]);
        tune_sum_add(&sum, &run, world->table->limit_seconds);
    }
    chooser_destroy(chooser);
    return sum;
}

static struct tune_sum play_slices(const struct policy_world *world, const struct tune_part *known,
                                   const struct tune_part *asked)
{
    struct slices slices;
    struct tune_sum sum = {0};
    slices_greedy(world->table, known, world->lanes, SLICES_MOST_STEPS, &slices);
    for (size_t i = 0; i < asked->count; i++) {
        struct tune_run run = slices_play(world->table, &slices, asked->tasks[i]);
        tune_sum_add(&sum, &run, world->table->limit_seconds);
    }
    return sum;
}

static struct tune_sum play_tuned(const struct policy_world *world, const struct tune_part *known,
                                  const struct tune_part *asked)
{
    struct tuned tuned;
    size_t folds = known->count < world->folds ? known->count : world->folds;
    if (folds < 2) // nothing to validate on
        return tune_sum_of(world->table, asked, tune_single_best(world->table, known));
    tuner_make(world->table, world->facts, known, world->lanes, folds, world->seed, &tuned);
    return tuned_sum(world->table, world->facts, &tuned, asked);
}

static struct tune_sum play_improved(const struct policy_world *world,
                                     const struct tune_part *known, const struct tune_part *asked)
{
    struct improver_plan *plan = memory_alloc(sizeof *plan);
    struct tune_sum sum = {0};
    *plan = *world->against.plan;
    improver_improve(world->table, known, plan);
    for (size_t i = 0; i < asked->count; i++) {
        struct tune_run run = improver_play(world->table, plan, asked->tasks[i]);
        tune_sum_add(&sum, &run, world->table->limit_seconds);
    }
    memory_free(plan);
    return sum;
}

void policies_play(const struct policy_world *world, const struct tune_part *known,
                   const struct tune_part *asked, struct policy_sums *out)
{
    const struct tune_table *table = world->table;
    struct tune_sum sums[POLICY_COUNT] = {
        [POLICY_SINGLE] = tune_sum_of(table, asked, tune_single_best(table, known)),
        [POLICY_SLICES] = play_slices(world, known, asked),
        [POLICY_TUNED] = play_tuned(world, known, asked),
        [POLICY_BEST] = tune_sum_best(table, asked),
    };
    if (world->kinship != NULL && world->lanes == 1)
        sums[POLICY_CHOSEN] = play_chosen(world, world->kinship, known, asked);
    if (world->names != NULL && world->lanes == 1)
        sums[POLICY_NAMED] = play_chosen(world, world->names, known, asked);
    if (world->against.runs != NULL)
        sums[POLICY_AGAINST] = tune_sum_runs(table, asked, world->against.runs);
    if (world->against.plan != NULL)
        sums[POLICY_IMPROVED] = play_improved(world, known, asked);
    for (int policy = 0; policy < POLICY_COUNT; policy++)
        add(&out->sums[policy], &sums[policy]);
}

void policies_validate(const struct policy_world *world, const struct tune_part *part,
                       struct policy_sums *out)
{
    for (size_t fold = 0; fold < world->folds; fold++) {
        struct tune_part left_out, others;
        tune_part_fold(world->table, part, fold, world->folds, world->seed, &left_out, &others);
        policies_play(world, &others, &left_out, out);
        tune_part_finish(&left_out);
        tune_part_finish(&others);
    }
}

double policy_gap_closed(const struct policy_sums *sums, enum policy from, enum policy policy)
{
    double begin = sums->sums[from].par2_seconds, best = sums->sums[POLICY_BEST].par2_seconds;
    return sums->sums[from].tasks > 0 && begin > best
               ? (begin - sums->sums[policy].par2_seconds) / (begin - best)
               : NAN;
}

static void print_gap(struct text *out, const struct policy_sums *sums, enum policy from,
                      enum policy policy)
{
    double gap = policy_gap_closed(sums, from, policy);
    if (isnan(gap))
        text_printf(out, " %14s", "-");
    else
        text_printf(out, " %12.1f %%", 100 * gap);
}

void policy_sums_print(struct text *out, const char *what, const struct policy_sums *sums)
{
    bool against = sums->sums[POLICY_AGAINST].tasks > 0;
    text_printf(out, "%s: %zu tasks\n  %-18s %8s %8s %14s %14s%s\n", what,
                sums->sums[POLICY_BEST].tasks, "policy", "solved", "wrong", "PAR-2 total s",
                "gap closed", against ? "  from the plan" : "");
    for (int policy = 0; policy < POLICY_COUNT; policy++) {
        const struct tune_sum *sum = &sums->sums[policy];
        if (sum->tasks == 0)
            continue;
        assert(sum->solved + sum->wrong <= sum->tasks);
        text_printf(out, "  %-18s %8zu %8zu %14.2f", policy_name((enum policy)policy), sum->solved,
                    sum->wrong, sum->par2_seconds);
        print_gap(out, sums, POLICY_SINGLE, (enum policy)policy);
        if (against)
            print_gap(out, sums, POLICY_AGAINST, (enum policy)policy);
        text_printf(out, "\n");
    }
}
