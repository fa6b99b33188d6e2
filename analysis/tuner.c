#include "analysis/tuner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_LEAST = 5, GUARDS_VALIDATED = 5, QUANTILES = 4 };
static const size_t STEP_CHOICES[TUNER_STEP_CHOICES] = {1, 2, 3, 4, 6};
static const uint64_t EXACT_WORK = 200000000;

struct tuner {
    const struct tune_table *table;
    const struct tune_part *part;
    size_t lanes, folds;
    uint64_t seed;
};

struct guard {
    const struct tune_fact *fact; // NULL = none
    double threshold;
    double total; // PAR-2 on what it was learned from
};

static void part_by_guard(const struct tuner *tuner, const struct guard *guard,
                          const struct tune_part *part, struct tune_part *low,
                          struct tune_part *high)
{
    low->tasks = memory_alloc(tuner->table->task_count * sizeof *low->tasks);
    high->tasks = memory_alloc(tuner->table->task_count * sizeof *high->tasks);
    low->count = high->count = 0;
    for (size_t i = 0; i < part->count; i++) {
        size_t task = part->tasks[i];
        bool is_low = guard->fact == NULL || guard->fact->values[task] <= guard->threshold;
        struct tune_part *side = is_low ? low : high;
        side->tasks[side->count++] = task;
    }
}

// Learns both sides greedily.
static void learn(const struct tuner *tuner, const struct guard *guard,
                  const struct tune_part *part, size_t steps_most, struct slices *low,
                  struct slices *high)
{
    struct tune_part low_part, high_part;
    part_by_guard(tuner, guard, part, &low_part, &high_part);
    slices_greedy(tuner->table, &low_part, tuner->lanes, steps_most, low);
    if (guard->fact != NULL)
        slices_greedy(tuner->table, &high_part, tuner->lanes, steps_most, high);
    tune_part_finish(&low_part);
    tune_part_finish(&high_part);
}

static double cost_of(const struct tuner *tuner, const struct guard *guard,
                      const struct slices *low, const struct slices *high, size_t task)
{
    bool is_low = guard->fact == NULL || guard->fact->values[task] <= guard->threshold;
    return slices_cost(tuner->table, is_low ? low : high, task);
}

// The cost of each task, learned from the other folds.
static void validate(const struct tuner *tuner, const struct guard *guard, size_t steps_most,
                     double *costs)
{
    for (size_t fold = 0; fold < tuner->folds; fold++) {
        struct tune_part left_out, others;
        struct slices low, high;
        tune_part_fold(tuner->table, tuner->part, fold, tuner->folds, tuner->seed, &left_out,
                       &others);
        learn(tuner, guard, &others, steps_most, &low, &high);
        for (size_t i = 0; i < left_out.count; i++)
            costs[left_out.tasks[i]] = cost_of(tuner, guard, &low, &high, left_out.tasks[i]);
        tune_part_finish(&left_out);
        tune_part_finish(&others);
    }
}

static double mean_of(const struct tuner *tuner, const double *costs)
{
    double sum = 0;
    for (size_t i = 0; i < tuner->part->count; i++)
        sum += costs[tuner->part->tasks[i]];
    return sum / (double)tuner->part->count;
}

// Mean of a - b over the tasks, and its standard error.
static double paired(const struct tuner *tuner, const double *a, const double *b, double *error)
{
    double n = (double)tuner->part->count, mean = mean_of(tuner, a) - mean_of(tuner, b);
    double squares = 0;
    for (size_t i = 0; i < tuner->part->count; i++) {
        size_t task = tuner->part->tasks[i];
        double off = a[task] - b[task] - mean;
        squares += off * off;
    }
    *error = sqrt(squares / (n * fmax(n - 1, 1)));
    return mean;
}

// The fewest steps that are not worse beyond the noise. `costs`: those of the choice.
static void choose_steps(const struct tuner *tuner, struct tuned *out, double *costs)
{
    const struct guard none = {NULL, 0, 0};
    size_t tasks = tuner->table->task_count, best = 0;
    double *all = memory_alloc(TUNER_STEP_CHOICES * tasks * sizeof *all);
    for (size_t i = 0; i < TUNER_STEP_CHOICES; i++) {
        validate(tuner, &none, STEP_CHOICES[i], all + i * tasks);
        out->choices[i].steps_most = STEP_CHOICES[i];
        out->choices[i].mean_seconds = mean_of(tuner, all + i * tasks);
        if (out->choices[i].mean_seconds < out->choices[best].mean_seconds)
            best = i;
    }
    size_t chosen = best;
    for (size_t i = TUNER_STEP_CHOICES; i-- > 0;) {
        struct tuner_fold_sum *choice = &out->choices[i];
        choice->above_seconds =
            paired(tuner, all + i * tasks, all + best * tasks, &choice->error_seconds);
        if (i < best && choice->above_seconds <= choice->error_seconds)
            chosen = i;
    }
    out->steps_most = STEP_CHOICES[chosen];
    memcpy(costs, all + chosen * tasks, tasks * sizeof *costs);
    memory_free(all);
}

static int ascending(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static int cheapest_first(const void *left, const void *right)
{
    const struct guard *a = left, *b = right;
    return (a->total > b->total) - (a->total < b->total);
}

struct guards {
    VECTOR(struct guard) all;
};

// Thresholds at the quartiles; a guard needs enough tasks on both sides, and to know the fact of all.
static void add_guards(const struct tuner *tuner, const struct tune_fact *fact,
                       struct guards *guards)
{
    size_t count = tuner->part->count;
    double *sorted = memory_alloc(count * sizeof *sorted);
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = fact->values[tuner->part->tasks[i]];
        known = known && !isnan(sorted[i]);
    }
    double before = NAN;
    if (known)
        qsort(sorted, count, sizeof *sorted, ascending);
    for (size_t q = 1; known && q < QUANTILES; q++) {
        double threshold = floor(sorted[q * count / QUANTILES - (q * count >= QUANTILES)]);
        if (threshold >= sorted[count - 1]) // of few distinct values: below the greatest
            threshold = sorted[0];
        size_t low = 0;
        while (low < count && sorted[low] <= threshold)
            low++;
        if (threshold != before && fabs(threshold) <= INT32_MAX && threshold >= 0 &&
            low >= SIDE_LEAST * tuner->folds / 2 && count - low >= SIDE_LEAST * tuner->folds / 2) {
            struct guard guard = {fact, threshold, 0};
            VECTOR_PUSH(&guards->all, guard);
        }
        before = threshold;
    }
    memory_free(sorted);
}

static void rank_guards(const struct tuner *tuner, size_t steps_most, struct guards *guards)
{
    for (size_t g = 0; g < guards->all.count; g++) {
        struct guard *guard = &guards->all.data[g];
        struct slices low, high;
        learn(tuner, guard, tuner->part, steps_most, &low, &high);
        for (size_t i = 0; i < tuner->part->count; i++)
            guard->total += cost_of(tuner, guard, &low, &high, tuner->part->tasks[i]);
    }
    if (guards->all.count > 0)
        qsort(guards->all.data, guards->all.count, sizeof *guards->all.data, cheapest_first);
}

// Those that fit best are validated; the best of these is taken if it is better beyond the noise.
static struct guard choose_guard(const struct tuner *tuner, const struct tune_facts *facts,
                                 const double *without, struct tuned *out)
{
    struct guard best = {NULL, 0, 0};
    struct guards guards = {0};
    double *costs = memory_alloc(tuner->table->task_count * sizeof *costs);
    for (size_t i = 0; i < facts->facts.count; i++)
        add_guards(tuner, &facts->facts.data[i], &guards);
    rank_guards(tuner, out->steps_most, &guards);
    for (size_t g = 0; g < guards.all.count && g < GUARDS_VALIDATED; g++) {
        double error;
        validate(tuner, &guards.all.data[g], out->steps_most, costs);
        double gain = paired(tuner, without, costs, &error);
        if (best.fact == NULL || gain > out->gain_seconds) {
            best = guards.all.data[g];
            out->gain_seconds = gain;
            out->gain_error_seconds = error;
        }
    }
    if (best.fact != NULL) {
        out->fact = best.fact->name;
        out->threshold = (long long)best.threshold;
        out->guarded = out->gain_seconds > 2 * out->gain_error_seconds;
    }
    memory_free(costs);
    VECTOR_FINISH(&guards.all);
    return out->guarded ? best : (struct guard){NULL, 0, 0};
}

static bool search(const struct tuner *tuner, const struct tune_part *part, size_t steps_most,
                   struct slices *out)
{
    slices_greedy(tuner->table, part, tuner->lanes, steps_most, out);
    return slices_exact(tuner->table, part, tuner->lanes, steps_most, EXACT_WORK, out);
}

void tuner_make(const struct tune_table *table, const struct tune_facts *facts,
                const struct tune_part *part, size_t lanes, size_t folds, uint64_t seed,
                struct tuned *out)
{
    struct tuner tuner = {table, part, lanes, folds, seed};
    double *costs = memory_alloc(table->task_count * sizeof *costs);
    *out = (struct tuned){0};
    choose_steps(&tuner, out, costs);
    struct guard guard = choose_guard(&tuner, facts, costs, out);
    struct tune_part low, high;
    part_by_guard(&tuner, &guard, part, &low, &high);
    out->low_exact = search(&tuner, &low, out->steps_most, &out->low);
    if (out->guarded)
        out->high_exact = search(&tuner, &high, out->steps_most, &out->high);
    tune_part_finish(&low);
    tune_part_finish(&high);
    memory_free(costs);
}

static double fact_value(const struct tune_facts *facts, const char *name, size_t task)
{
    for (size_t i = 0; i < facts->facts.count; i++)
        if (strcmp(facts->facts.data[i].name, name) == 0)
            return facts->facts.data[i].values[task];
    return NAN;
}

// A fact that is not known of the task counts as 0, as a guard would see it.
struct tune_run tuned_play(const struct tune_table *table, const struct tune_facts *facts,
                           const struct tuned *tuned, size_t task)
{
    bool high = tuned->guarded && fact_value(facts, tuned->fact, task) > (double)tuned->threshold;
    return slices_play(table, high ? &tuned->high : &tuned->low, task);
}

struct tune_sum tuned_sum(const struct tune_table *table, const struct tune_facts *facts,
                          const struct tuned *tuned, const struct tune_part *part)
{
    struct tune_sum sum = {0};
    for (size_t i = 0; i < part->count; i++) {
        struct tune_run run = tuned_play(table, facts, tuned, part->tasks[i]);
        tune_sum_add(&sum, &run, table->limit_seconds);
    }
    return sum;
}
