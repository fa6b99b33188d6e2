#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/slices.h"
#include "base/memory.h"

// A plan is built in the order of time: the lane that is free first gets the next slice.

struct search {
    const struct tune_table *table;
    const struct tune_part *part;
    size_t steps_most;
    uint64_t work;   // left
    double *fastest; // of each task: by the fastest configuration; INFINITY when none solves it
    struct slices *best;
    double least; // total of `best`
    struct slices current;
};

// After each slice: when each task is answered first, and what each lane has spent on it.
struct search_state {
    struct tune_run *answers;       // one a task of the part
    double *spent;                  // lanes of a task side by side
    double ends[SLICES_MOST_LANES]; // as shares of the limit, when nothing ends early
};

static void state_init(const struct search *search, struct search_state *state)
{
    size_t tasks = search->part->count, lanes = search->current.lane_count;
    state->answers = memory_alloc(tasks * sizeof *state->answers);
    state->spent = memory_zalloc(tasks * lanes * sizeof *state->spent);
    memset(state->ends, 0, sizeof state->ends);
    for (size_t i = 0; i < tasks; i++)
        state->answers[i] = (struct tune_run){TUNE_UNSOLVED, INFINITY};
}

static void state_finish(struct search_state *state)
{
    memory_free(state->answers);
    memory_free(state->spent);
}

static void state_copy(const struct search *search, struct search_state *to,
                       const struct search_state *from)
{
    size_t tasks = search->part->count, lanes = search->current.lane_count;
    memcpy(to->answers, from->answers, tasks * sizeof *to->answers);
    memcpy(to->spent, from->spent, tasks * lanes * sizeof *to->spent);
    memcpy(to->ends, from->ends, sizeof to->ends);
}

static void run_slice(const struct search *search, struct search_state *state, size_t lane,
                      struct slice slice)
{
    size_t lanes = search->current.lane_count;
    double limit = search->table->limit_seconds;
    for (size_t i = 0; i < search->part->count; i++) {
        const struct tune_run *run =
            tune_run(search->table, search->part->tasks[i], slice.configuration);
        double *spent = &state->spent[i * lanes + lane];
        double seconds = (limit - *spent) * slice.share;
        bool answers = run->end != TUNE_UNSOLVED && run->seconds <= seconds;
        if (answers && *spent + run->seconds < state->answers[i].seconds)
            state->answers[i] = (struct tune_run){run->end, *spent + run->seconds};
        // A lane that answered is over.
        *spent = answers ? INFINITY : *spent + fmin(run->seconds, seconds);
    }
    state->ends[lane] += (1 - state->ends[lane]) * slice.share;
}

// No plan that begins so is better: from now on each open lane at best runs the fastest configuration at once.
static double bound(const struct search *search, const struct search_state *state)
{
    size_t lanes = search->current.lane_count;
    double limit = search->table->limit_seconds, total = 0;
    for (size_t i = 0; i < search->part->count; i++) {
        double cost = state->answers[i].end == TUNE_SOLVED ? state->answers[i].seconds : 2 * limit;
        for (size_t l = 0; l < lanes; l++) {
            double soonest = state->spent[i * lanes + l] + search->fastest[i];
            if (state->ends[l] < 1 && soonest <= limit && soonest < cost)
                cost = soonest;
        }
        total += cost;
    }
    return total;
}

static size_t next_lane(const struct search *search, const struct search_state *state)
{
    size_t lane = SLICES_MOST_LANES;
    for (size_t l = 0; l < search->current.lane_count; l++)
        if (state->ends[l] < 1 && (lane == SLICES_MOST_LANES || state->ends[l] < state->ends[lane]))
            lane = l;
    return lane;
}

static bool comes_already(const struct slice_lane *lane, size_t configuration)
{
    for (size_t i = 0; i < lane->count; i++)
        if (lane->steps[i].configuration == configuration)
            return true;
    return false;
}

static void extend(struct search *search, const struct search_state *state, double lowest);

static void try_slice(struct search *search, const struct search_state *state,
                      struct search_state *after, size_t lane, struct slice slice)
{
    struct slice_lane *to = &search->current.lanes[lane];
    uint64_t work = search->part->count;
    if (search->work < work) {
        search->work = 0;
        return;
    }
    search->work -= work;
    state_copy(search, after, state);
    run_slice(search, after, lane, slice);
    double lowest = bound(search, after);
    if (lowest >= search->least * (1 - 1e-9))
        return;
    assert(to->count < search->steps_most && state->ends[lane] < 1);
    to->steps[to->count++] = slice;
    extend(search, after, lowest);
    to->count--;
}

static void extend(struct search *search, const struct search_state *state, double lowest)
{
    size_t lane = next_lane(search, state);
    if (lane == SLICES_MOST_LANES) { // all lanes are closed: the bound is the cost
        assert(lowest < search->least);
        *search->best = search->current;
        search->least = lowest;
        return;
    }
    struct search_state after;
    state_init(search, &after);
    const struct slice_lane *to = &search->current.lanes[lane];
    size_t first = to->count + 1 < search->steps_most ? 0 : SLICE_SHARE_COUNT - 1;
    for (size_t c = 0; c < search->table->configuration_count; c++)
        for (size_t s = first; s < SLICE_SHARE_COUNT && search->work > 0; s++)
            if (!comes_already(to, c))
                try_slice(search, state, &after, lane, (struct slice){c, SLICE_SHARES[s]});
    state_finish(&after);
}

static double *fastest_of(const struct tune_table *table, const struct tune_part *part)
{
    double *fastest = memory_alloc(part->count * sizeof *fastest);
    for (size_t i = 0; i < part->count; i++) {
        fastest[i] = INFINITY;
        for (size_t c = 0; c < table->configuration_count; c++) {
            const struct tune_run *run = tune_run(table, part->tasks[i], c);
            if (run->end == TUNE_SOLVED)
                fastest[i] = fmin(fastest[i], run->seconds);
        }
    }
    return fastest;
}

bool slices_exact(const struct tune_table *table, const struct tune_part *part, size_t lanes,
                  size_t steps_most, uint64_t work, struct slices *best)
{
    struct search search = {
        .table = table,
        .part = part,
        .steps_most = steps_most,
        .work = work,
        .fastest = fastest_of(table, part),
        .best = best,
        .least = slices_total(table, best, part),
        .current = {.lane_count = lanes},
    };
    struct search_state state;
    state_init(&search, &state);
    extend(&search, &state, bound(&search, &state));
    state_finish(&state);
    memory_free(search.fastest);
    return search.work > 0;
}
