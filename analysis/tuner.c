#include "analysis/tuner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_LEAST = 8, QUANTILES = 8 };
static const size_t STEP_CHOICES[TUNER_STEP_CHOICES] = {1, 2, 3, 4, 6};
static const size_t LEAF_CHOICES[TUNER_LEAF_CHOICES] = {2, 3, 5, TUNED_MOST_LEAVES};
static const uint64_t EXACT_WORK = 200000000;

struct tuner {
    const struct tune_table *table;
    const struct tune_facts *facts;
    const struct tune_part *part;
    size_t lanes, folds;
    uint64_t seed;
};

// Split i parts leaf `leaf`: what is above the threshold becomes leaf i + 1.
struct split {
    size_t leaf;
    const struct tune_fact *fact;
    double threshold;
};

struct tree {
    struct split splits[TUNED_MOST_LEAVES - 1];
    size_t count;
};

// A fact that is not known of the task counts as 0, as a guard would see it.
static bool is_above(const struct tune_fact *fact, double threshold, size_t task)
{
    return fact->values[task] > threshold;
}

// With the first splits of the tree, so that there are `leaves` leaves.
static size_t leaf_of(const struct tree *tree, size_t leaves, size_t task)
{
    size_t leaf = 0;
    for (size_t i = 0; i < tree->count && i + 1 < leaves; i++)
        if (tree->splits[i].leaf == leaf &&
            is_above(tree->splits[i].fact, tree->splits[i].threshold, task))
            leaf = i + 1;
    assert(leaf < leaves && leaf <= tree->count);
    return leaf;
}

static struct tune_part new_part(const struct tuner *tuner)
{
    return (struct tune_part){
        memory_alloc((tuner->table->task_count + 1) * sizeof(*tuner->part->tasks)), 0};
}

static struct tune_part part_of(const struct tuner *tuner, const struct tree *tree, size_t leaves,
                                const struct tune_part *part, size_t leaf)
{
    struct tune_part out = new_part(tuner);
    for (size_t i = 0; i < part->count; i++)
        if (leaf_of(tree, leaves, part->tasks[i]) == leaf)
            out.tasks[out.count++] = part->tasks[i];
    return out;
}

static double greedy_total(const struct tuner *tuner, const struct tune_part *part,
                           size_t steps_most)
{
    struct slices slices;
    slices_greedy(tuner->table, part, tuner->lanes, steps_most, &slices);
    return slices_total(tuner->table, &slices, part);
}

static int ascending(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static bool is_known(const struct tune_fact *fact, const struct tune_part *part)
{
    for (size_t i = 0; i < part->count; i++)
        if (isnan(fact->values[part->tasks[i]]))
            return false;
    return true;
}

struct parting {
    double total;
    const struct tune_fact *fact; // NULL: none
    double threshold;
};

static void try_threshold(const struct tuner *tuner, const struct tune_part *part,
                          size_t steps_most, const struct tune_fact *fact, double threshold,
                          struct parting *best)
{
    struct tune_part low = new_part(tuner), high = new_part(tuner);
    for (size_t i = 0; i < part->count; i++) {
        struct tune_part *side = is_above(fact, threshold, part->tasks[i]) ? &high : &low;
        side->tasks[side->count++] = part->tasks[i];
    }
    if (low.count >= SIDE_LEAST && high.count >= SIDE_LEAST) {
        double total =
            greedy_total(tuner, &low, steps_most) + greedy_total(tuner, &high, steps_most);
        if (total < best->total)
            *best = (struct parting){total, fact, threshold};
    }
    tune_part_finish(&low);
    tune_part_finish(&high);
}

static void try_fact(const struct tuner *tuner, const struct tune_part *part, size_t steps_most,
                     const struct tune_fact *fact, struct parting *best)
{
    double *sorted = memory_alloc((part->count + 1) * sizeof *sorted), before = NAN;
    for (size_t i = 0; i < part->count; i++)
        sorted[i] = fact->values[part->tasks[i]];
    qsort(sorted, part->count, sizeof *sorted, ascending);
    for (size_t q = 1; q < QUANTILES; q++) {
        double threshold = floor(sorted[q * (part->count - 1) / QUANTILES]);
        if (threshold != before && threshold >= 0 && threshold <= INT32_MAX)
            try_threshold(tuner, part, steps_most, fact, threshold, best);
        before = threshold;
    }
    memory_free(sorted);
}

// The cheapest parting of a leaf; it must be cheaper than the leaf as it is.
static struct parting best_parting(const struct tuner *tuner, const struct tune_part *part,
                                   size_t steps_most)
{
    struct parting best = {greedy_total(tuner, part, steps_most), NULL, 0};
    for (size_t f = 0; f < tuner->facts->facts.count && part->count >= 2 * SIDE_LEAST; f++) {
        const struct tune_fact *fact = &tuner->facts->facts.data[f];
        if (!tune_fact_is_word(fact->name) && is_known(fact, tuner->part))
            try_fact(tuner, part, steps_most, fact, &best);
    }
    return best;
}

static void grow(const struct tuner *tuner, const struct tune_part *part, size_t steps_most,
                 struct tree *tree)
{
    double gains[TUNED_MOST_LEAVES];
    struct parting partings[TUNED_MOST_LEAVES];
    size_t fresh[2] = {0, 0}; // the leaves that were not looked at
    *tree = (struct tree){.count = 0};
    for (bool more = true; more && tree->count + 1 < TUNED_MOST_LEAVES;) {
        for (size_t k = 0; k < 2; k++) {
            if (k == 1 && tree->count == 0)
                break;
            size_t leaf = fresh[k];
            struct tune_part own = part_of(tuner, tree, tree->count + 1, part, leaf);
            double whole = greedy_total(tuner, &own, steps_most);
            partings[leaf] = best_parting(tuner, &own, steps_most);
            gains[leaf] = partings[leaf].fact != NULL ? whole - partings[leaf].total : 0;
            tune_part_finish(&own);
        }
        size_t best = 0;
        for (size_t leaf = 1; leaf <= tree->count; leaf++)
            if (gains[leaf] > gains[best])
                best = leaf;
        assert(best <= tree->count);
        more = gains[best] > 0;
        if (more) {
            tree->splits[tree->count++] =
                (struct split){best, partings[best].fact, partings[best].threshold};
            fresh[0] = best;
            fresh[1] = tree->count;
        }
    }
}

// What each leaf runs, greedily.
static void learn(const struct tuner *tuner, const struct tree *tree, size_t leaves,
                  const struct tune_part *part, size_t steps_most, struct slices *out)
{
    for (size_t leaf = 0; leaf < leaves && leaf <= tree->count; leaf++) {
        struct tune_part own = part_of(tuner, tree, leaves, part, leaf);
        slices_greedy(tuner->table, &own, tuner->lanes, steps_most, &out[leaf]);
        tune_part_finish(&own);
    }
}

// The cost of each task, learned from the other folds; of each number of leaves. costs[k * tasks + task].
static void validate(const struct tuner *tuner, const size_t *leaves, size_t count,
                     size_t steps_most, double *costs)
{
    struct slices *slices = memory_alloc(TUNED_MOST_LEAVES * sizeof *slices);
    for (size_t fold = 0; fold < tuner->folds; fold++) {
        struct tune_part left_out, others;
        struct tree tree = {.count = 0};
        tune_part_fold(tuner->table, tuner->part, fold, tuner->folds, tuner->seed, &left_out,
                       &others);
        assert(left_out.count + others.count == tuner->part->count);
        if (leaves[count - 1] > 1)
            grow(tuner, &others, steps_most, &tree);
        for (size_t k = 0; k < count; k++) {
            learn(tuner, &tree, leaves[k], &others, steps_most, slices);
            for (size_t i = 0; i < left_out.count; i++)
                costs[k * tuner->table->task_count + left_out.tasks[i]] =
                    slices_cost(tuner->table, &slices[leaf_of(&tree, leaves[k], left_out.tasks[i])],
                                left_out.tasks[i]);
        }
        tune_part_finish(&left_out);
        tune_part_finish(&others);
    }
    memory_free(slices);
}

static double mean_of(const struct tuner *tuner, const double *costs)
{
    double sum = 0;
    assert(tuner->part->count > 0);
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
    static const size_t ONE = 1;
    size_t tasks = tuner->table->task_count, best = 0;
    double *all = memory_alloc(TUNER_STEP_CHOICES * tasks * sizeof *all);
    for (size_t i = 0; i < TUNER_STEP_CHOICES; i++) {
        validate(tuner, &ONE, 1, STEP_CHOICES[i], all + i * tasks);
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

// The fewest leaves that are not worse than the best beyond the noise, if that gains more than twice the noise.
static size_t choose_leaves(const struct tuner *tuner, const double *without, struct tuned *out)
{
    size_t tasks = tuner->table->task_count, best = 0, chosen = 1;
    double *costs = memory_alloc(TUNER_LEAF_CHOICES * tasks * sizeof *costs);
    validate(tuner, LEAF_CHOICES, TUNER_LEAF_CHOICES, out->steps_most, costs);
    out->leaf_choice_count = TUNER_LEAF_CHOICES;
    for (size_t k = 0; k < TUNER_LEAF_CHOICES; k++) {
        struct tuner_leaf_sum *choice = &out->leaf_choices[k];
        choice->leaves_most = LEAF_CHOICES[k];
        choice->mean_seconds = mean_of(tuner, costs + k * tasks);
        choice->gain_seconds = paired(tuner, without, costs + k * tasks, &choice->error_seconds);
        if (choice->mean_seconds < out->leaf_choices[best].mean_seconds)
            best = k;
    }
    for (size_t k = 0; k <= best && chosen == 1; k++) {
        double error;
        double above = paired(tuner, costs + k * tasks, costs + best * tasks, &error);
        const struct tuner_leaf_sum *choice = &out->leaf_choices[k];
        if (above <= error && choice->gain_seconds > 2 * choice->error_seconds)
            chosen = LEAF_CHOICES[k];
    }
    memory_free(costs);
    return chosen;
}

// The conditions under which a task is in the leaf.
static void describe_leaf(const struct tree *tree, size_t leaves, size_t leaf,
                          struct tuned_leaf *out)
{
    for (size_t i = 0; i < tree->count && i + 1 < leaves; i++) {
        size_t held_by = leaf; // before split i
        while (held_by > i)
            held_by = tree->splits[held_by - 1].leaf;
        if (tree->splits[i].leaf != held_by)
            continue;
        size_t then = leaf; // after it
        while (then > i + 1)
            then = tree->splits[then - 1].leaf;
        assert(out->guard_count < sizeof out->guards / sizeof *out->guards);
        out->guards[out->guard_count++] = (struct tuned_guard){
            tree->splits[i].fact->name, (long long)tree->splits[i].threshold, then == i + 1};
    }
}

static bool has_facts(const struct tuner *tuner)
{
    for (size_t f = 0; f < tuner->facts->facts.count; f++)
        if (!tune_fact_is_word(tuner->facts->facts.data[f].name) &&
            is_known(&tuner->facts->facts.data[f], tuner->part))
            return tuner->part->count >= 2 * SIDE_LEAST;
    return false;
}

void tuner_make(const struct tune_table *table, const struct tune_facts *facts,
                const struct tune_part *part, size_t lanes, size_t folds, uint64_t seed,
                struct tuned *out)
{
    struct tuner tuner = {table, facts, part, lanes, folds, seed};
    double *costs = memory_alloc(table->task_count * sizeof *costs);
    struct tree tree = {.count = 0};
    size_t leaves = 1;
    *out = (struct tuned){0};
    choose_steps(&tuner, out, costs);
    if (has_facts(&tuner))
        leaves = choose_leaves(&tuner, costs, out);
    if (leaves > 1)
        grow(&tuner, part, out->steps_most, &tree);
    out->leaf_count = tree.count + 1 < leaves ? tree.count + 1 : leaves;
    for (size_t leaf = 0; leaf < out->leaf_count; leaf++) {
        struct tune_part own = part_of(&tuner, &tree, leaves, part, leaf);
        struct tuned_leaf *to = &out->leaves[leaf];
        describe_leaf(&tree, leaves, leaf, to);
        to->tasks = own.count;
        slices_greedy(table, &own, lanes, out->steps_most, &to->slices);
        to->exact = slices_exact(table, &own, lanes, out->steps_most, EXACT_WORK / out->leaf_count,
                                 &to->slices);
        tune_part_finish(&own);
    }
    memory_free(costs);
}

static double fact_value(const struct tune_facts *facts, const char *name, size_t task)
{
    for (size_t i = 0; i < facts->facts.count; i++)
        if (strcmp(facts->facts.data[i].name, name) == 0)
            return facts->facts.data[i].values[task];
    return NAN;
}

size_t tuned_leaf_of(const struct tune_facts *facts, const struct tuned *tuned, size_t task)
{
    assert(tuned->leaf_count > 0);
    for (size_t leaf = 0; leaf + 1 < tuned->leaf_count; leaf++) {
        const struct tuned_leaf *l = &tuned->leaves[leaf];
        bool holds = true;
        for (size_t g = 0; g < l->guard_count && holds; g++) {
            double value = fact_value(facts, l->guards[g].fact, task);
            holds =
                ((isnan(value) ? 0 : value) > (double)l->guards[g].threshold) == l->guards[g].above;
        }
        if (holds)
            return leaf;
    }
    return tuned->leaf_count - 1;
}

struct tune_run tuned_play(const struct tune_table *table, const struct tune_facts *facts,
                           const struct tuned *tuned, size_t task)
{
    return slices_play(table, &tuned->leaves[tuned_leaf_of(facts, tuned, task)].slices, task);
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
