#include "analysis/policies.h"

#include <math.h>

const char *policy_name(enum policy policy)
{
    static const char *const names[] = {"single best", "one schedule", "chosen by facts",
                                        "by names (!)", "virtual best"};
    return names[policy];
}

static void add(struct tune_sum *sum, const struct tune_sum *more)
{
    sum->tasks += more->tasks;
    sum->solved += more->solved;
    sum->wrong += more->wrong;
    sum->par2_seconds += more->par2_seconds;
}

static struct tune_sum play_chosen(const struct tune_table *table, const struct kinship *kinship,
                                   const struct tune_part *known, const struct tune_part *asked)
{
    struct chooser_settings settings = CHOOSER_SETTINGS_STANDARD;
    struct chooser *chooser = chooser_make(table, kinship, known, settings);
    struct tune_sum sum = {0};
    for (size_t i = 0; i < asked->count; i++) {
        struct tune_run run = chooser_play(chooser, asked->tasks[i]);
        tune_sum_add(&sum, &run, table->limit_seconds);
    }
    chooser_destroy(chooser);
    return sum;
}

static struct tune_sum play_slices(const struct tune_table *table, const struct tune_part *known,
                                   const struct tune_part *asked)
{
    struct slices slices;
    struct tune_sum sum = {0};
    slices_greedy(table, known, 1, SLICES_MOST_STEPS, &slices);
    for (size_t i = 0; i < asked->count; i++) {
        struct tune_run run = slices_play(table, &slices, asked->tasks[i]);
        tune_sum_add(&sum, &run, table->limit_seconds);
    }
    return sum;
}

void policies_play(const struct tune_table *table, const struct kinship *kinship,
                   const struct kinship *names, const struct tune_part *known,
                   const struct tune_part *asked, struct policy_sums *out)
{
    struct tune_sum single = tune_sum_of(table, asked, tune_single_best(table, known)),
                    slices = play_slices(table, known, asked), best = tune_sum_best(table, asked);
    struct tune_sum chosen = {0}, named = {0};
    if (kinship != NULL)
        chosen = play_chosen(table, kinship, known, asked);
    if (names != NULL)
        named = play_chosen(table, names, known, asked);
    add(&out->sums[POLICY_SINGLE], &single);
    add(&out->sums[POLICY_SLICES], &slices);
    add(&out->sums[POLICY_CHOSEN], &chosen);
    add(&out->sums[POLICY_NAMED], &named);
    add(&out->sums[POLICY_BEST], &best);
}

void policies_validate(const struct tune_table *table, const struct kinship *kinship,
                       const struct kinship *names, const struct tune_part *part, size_t folds,
                       uint64_t seed, struct policy_sums *out)
{
    for (size_t fold = 0; fold < folds; fold++) {
        struct tune_part left_out, others;
        tune_part_fold(table, part, fold, folds, seed, &left_out, &others);
        policies_play(table, kinship, names, &others, &left_out, out);
        tune_part_finish(&left_out);
        tune_part_finish(&others);
    }
}

double policy_gap_closed(const struct policy_sums *sums, enum policy policy)
{
    double single = sums->sums[POLICY_SINGLE].par2_seconds,
           best = sums->sums[POLICY_BEST].par2_seconds;
    return single > best ? (single - sums->sums[policy].par2_seconds) / (single - best) : NAN;
}
