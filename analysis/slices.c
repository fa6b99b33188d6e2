#include "analysis/slices.h"

#include <math.h>

#include "base/memory.h"

const double SLICE_SHARES[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2,
                               0.25,  0.3,   0.35,  0.4,  0.5,  0.6,  0.7,  0.8,  0.9, 1};
const size_t SLICE_SHARE_COUNT = sizeof SLICE_SHARES / sizeof SLICE_SHARES[0];

static struct tune_run play_lane(const struct tune_table *table, const struct slice_lane *lane,
                                 size_t task)
{
    double spent = 0, limit = table->limit_seconds;
    for (size_t i = 0; i < lane->count; i++) {
        const struct tune_run *run = tune_run(table, task, lane->steps[i].configuration);
        double seconds = (limit - spent) * lane->steps[i].share;
        if (run->seconds <= seconds && run->end != TUNE_UNSOLVED)
            return (struct tune_run){run->end, spent + run->seconds};
        spent += fmin(run->seconds, seconds);
    }
    return (struct tune_run){TUNE_UNSOLVED, INFINITY};
}

struct tune_run slices_play(const struct tune_table *table, const struct slices *slices,
                            size_t task)
{
    struct tune_run first = {TUNE_UNSOLVED, INFINITY};
    for (size_t l = 0; l < slices->lane_count; l++) {
        struct tune_run run = play_lane(table, &slices->lanes[l], task);
        if (run.seconds < first.seconds)
            first = run;
    }
    return first;
}

double slices_cost(const struct tune_table *table, const struct slices *slices, size_t task)
{
    struct tune_run run = slices_play(table, slices, task);
    return run.end == TUNE_SOLVED ? run.seconds : 2 * table->limit_seconds;
}

double slices_total(const struct tune_table *table, const struct slices *slices,
                    const struct tune_part *part)
{
    double total = 0;
    for (size_t i = 0; i < part->count; i++)
        total += slices_cost(table, slices, part->tasks[i]);
    return total;
}

// Greedy

// Time that a lane has used up when nothing ends early.
static double lane_end(const struct slice_lane *lane)
{
    double left = 1;
    for (size_t i = 0; i < lane->count; i++)
        left *= 1 - lane->steps[i].share;
    return 1 - left;
}

static size_t free_first(const struct slices *slices, size_t steps_most)
{
    size_t lane = SLICES_MOST_LANES;
    for (size_t l = 0; l < slices->lane_count; l++)
        if (slices->lanes[l].count + 1 < steps_most &&
            (lane == SLICES_MOST_LANES ||
             lane_end(&slices->lanes[l]) < lane_end(&slices->lanes[lane])))
            lane = l;
    return lane;
}

static size_t solved_of(const struct tune_table *table, const struct slices *slices,
                        const struct tune_part *part)
{
    size_t solved = 0;
    for (size_t i = 0; i < part->count; i++)
        solved += slices_play(table, slices, part->tasks[i]).end == TUNE_SOLVED;
    return solved;
}

// False when no slice would solve more.
static bool add_slice(const struct tune_table *table, const struct tune_part *part,
                      struct slices *slices, size_t lane)
{
    struct slice_lane *to = &slices->lanes[lane];
    double left = 1 - lane_end(to), most = 0;
    size_t before = solved_of(table, slices, part);
    struct slice best = {0, 0}, *last = &to->steps[to->count++];
    for (size_t c = 0; c < table->configuration_count; c++)
        for (size_t s = 0; s + 1 < SLICE_SHARE_COUNT; s++) {
            *last = (struct slice){c, SLICE_SHARES[s]};
            size_t solved = solved_of(table, slices, part);
            double gain =
                solved > before ? (double)(solved - before) / (left * SLICE_SHARES[s]) : 0;
            if (gain > most) {
                most = gain;
                best = *last;
            }
        }
    *last = best;
    to->count -= most == 0;
    return most > 0;
}

bool slices_use(const struct slices *slices, size_t configuration)
{
    for (size_t l = 0; l < slices->lane_count; l++)
        for (size_t i = 0; i < slices->lanes[l].count; i++)
            if (slices->lanes[l].steps[i].configuration == configuration)
                return true;
    return false;
}

// What takes all that is left of each lane. Of configurations that come to the same, what is not yet in the plan and
// is best alone: other tasks may need it.
static void close_lanes(const struct tune_table *table, const struct tune_part *part,
                        struct slices *slices)
{
    for (size_t l = 0; l < slices->lane_count; l++) {
        struct slice_lane *lane = &slices->lanes[l];
        double least = INFINITY, least_alone = INFINITY;
        struct slice best = {0, 1};
        for (size_t c = 0; c < table->configuration_count; c++) {
            double alone =
                slices_use(slices, c) ? INFINITY : tune_sum_of(table, part, c).par2_seconds;
            lane->steps[lane->count++] = (struct slice){c, 1};
            double total = slices_total(table, slices, part);
            lane->count--;
            if (total < least || (total == least && alone < least_alone)) {
                least = total;
                least_alone = alone;
                best.configuration = c;
            }
        }
        lane->steps[lane->count++] = best;
    }
}

static bool improve(const struct tune_table *table, const struct tune_part *part,
                    struct slices *slices, struct slice *step, double *total)
{
    struct slice best = *step;
    bool last = step->share == 1, better = false;
    for (size_t c = 0; c < table->configuration_count; c++)
        for (size_t s = last ? SLICE_SHARE_COUNT - 1 : 0; s + !last < SLICE_SHARE_COUNT; s++) {
            *step = (struct slice){c, SLICE_SHARES[s]};
            double changed = slices_total(table, slices, part);
            if (changed < *total * (1 - 1e-9)) {
                *total = changed;
                best = *step;
                better = true;
            }
        }
    *step = best;
    return better;
}

void slices_greedy(const struct tune_table *table, const struct tune_part *part, size_t lanes,
                   size_t steps_most, struct slices *out)
{
    size_t lane;
    *out = (struct slices){.lane_count = lanes};
    while ((lane = free_first(out, steps_most)) < SLICES_MOST_LANES &&
           add_slice(table, part, out, lane))
        continue;
    close_lanes(table, part, out);
    double total = slices_total(table, out, part);
    bool better = true;
    while (better) {
        better = false;
        for (size_t l = 0; l < lanes; l++)
            for (size_t i = 0; i < out->lanes[l].count; i++)
                better |= improve(table, part, out, &out->lanes[l].steps[i], &total);
    }
}
