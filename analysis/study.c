#include "analysis/study.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/table.h"
#include "base/memory.h"

enum {
    TIMELINE_RUNS = 300,
    MOST_NAMES = 50, // hosts, versions: a report names no more
};

void study_init(struct study *study)
{
    *study = (struct study){0};
    score_init(&study->score);
    attempts_init(&study->attempts);
    timeline_init(&study->timeline, TIMELINE_RUNS);
}

void study_finish(struct study *study)
{
    for (size_t i = 0; i < study->files.count; i++)
        memory_free(study->files.data[i]);
    for (size_t i = 0; i < study->hosts.count; i++)
        memory_free(study->hosts.data[i]);
    for (size_t i = 0; i < study->versions.count; i++)
        memory_free(study->versions.data[i]);
    VECTOR_FINISH(&study->files);
    VECTOR_FINISH(&study->hosts);
    VECTOR_FINISH(&study->versions);
    score_finish(&study->score);
    attempts_finish(&study->attempts);
    timeline_finish(&study->timeline);
    score_row_finish(&study->best);
    memory_free(study->best_cells);
    cover_finish(&study->cover);
    families_finish(&study->families);
}

void study_add_file(struct study *study, const char *name)
{
    VECTOR_PUSH(&study->files, memory_strdup(name));
}

#define ADD_NEW(names, name)                                                                       \
    do {                                                                                           \
        size_t at_ = 0;                                                                            \
        while (at_ < (names)->count && strcmp((names)->data[at_], (name)) != 0)                    \
            at_++;                                                                                 \
        if (at_ == (names)->count && at_ < MOST_NAMES && (name)[0] != '\0')                        \
            VECTOR_PUSH(names, memory_strdup(name));                                               \
    } while (0)

static bool took(double seconds, double wall_seconds)
{
    return seconds >= 0.05 && seconds >= 0.05 * wall_seconds;
}

static void add_disturbance(struct study_disturbance *sum, const struct run_record *run)
{
    const struct disturbance *seen = &run->disturbance;
    sum->known += seen->foreign_cpu_seconds >= 0 || seen->stolen_seconds >= 0 ||
                  seen->swapped_pages >= 0 || seen->throttle_events >= 0;
    sum->foreign += took(seen->foreign_cpu_seconds, run->wall_seconds);
    sum->stolen += took(seen->stolen_seconds, run->wall_seconds);
    sum->swapped += seen->swapped_pages > 0;
    sum->throttled += seen->throttle_events > 0;
}

void study_add(struct study *study, const struct run_record *run)
{
    score_add(&study->score, run);
    attempts_add(&study->attempts, run);
    timeline_add(&study->timeline, run);
    ADD_NEW(&study->hosts, run->host);
    ADD_NEW(&study->versions, run->version);
    add_disturbance(&study->disturbance, run);
    study->runs++;
    if (run->started_epoch_ms <= 0)
        return;
    if (study->first_epoch_ms == 0 || run->started_epoch_ms < study->first_epoch_ms)
        study->first_epoch_ms = run->started_epoch_ms;
    if (study->last_epoch_ms < run->started_epoch_ms)
        study->last_epoch_ms = run->started_epoch_ms;
}

// The least PAR-2, as what is learned from records has it; of equals the first of the table.
static size_t find_single_best(const struct study *study)
{
    const struct score *score = &study->score;
    size_t best = score->row_count;
    for (size_t r = 0; r < score->row_count; r++)
        if (!(study->configurations_only && score->rows[r].portfolio) &&
            (best == score->row_count ||
             score->rows[r].par2_seconds < score->rows[best].par2_seconds))
            best = r;
    return best;
}

void study_compute(struct study *study)
{
    struct score *score = &study->score;
    score_compute(score);
    attempts_sort(&study->attempts);
    timeline_sort(&study->timeline);
    for (size_t r = 0; r < score->row_count; r++)
        study->configurations_only |= !score->rows[r].portfolio;
    study->best_cells = memory_zalloc((score->task_count + 1) * sizeof *study->best_cells);
    score_virtual_best(score, study->configurations_only, &study->best, study->best_cells);
    study->single_best = find_single_best(study);
    cover_compute(&study->cover, score, study->configurations_only);
    families_compute(&study->families, score, study->best_cells);
}

static void explain_base(struct text *out, const struct score *score)
{
    assert(score->base_tasks <= score->task_count);
    size_t unread = score->task_count - score->base_tasks;
    if (score->base == SCORE_COMMON)
        text_printf(out,
                    "base: the %zu tasks that every row ran; %zu that some did not run are left "
                    "out (--tasks all takes them in)\n",
                    score->task_count, score->left_out);
    else
        text_printf(out,
                    "base: all %zu tasks, for each row; what a row did not run it did not solve "
                    "(--tasks common: only those that every row ran)\n",
                    score->task_count);
    text_add(out, "PAR-2: mean over the base of the wall time with loading, or of twice the limit "
                  "where there is no right answer");
    if (unread != 0)
        text_printf(out, "; without the %zu that nobody could read", unread);
    text_add(out, "\ntotal and median: wall time of solved tasks, with loading\n");
}

static void explain_yardsticks(struct text *out, const struct study *study)
{
    const struct score *score = &study->score;
    text_printf(out, "virtual best: on each task the fastest right answer of %s\n",
                study->configurations_only ? "the configurations (not of plans)" : "all rows");
    if (study->single_best >= score->row_count || score->row_count < 2)
        return;
    text_add(out, "single best, by PAR-2: ");
    table_add_name(out, score->rows[study->single_best].label);
    text_add_char(out, '\n');
    bool any = false, above = false;
    for (size_t r = 0; r < score->row_count; r++) {
        double gap = study_gap_closed(study, &score->rows[r]);
        if (!score->rows[r].portfolio || !study->configurations_only || isnan(gap))
            continue;
        text_add(out, "gap closed by ");
        table_add_name(out, score->rows[r].label);
        text_printf(out, ": %.1f %%\n", 100 * gap);
        any = true;
        above |= gap > 1;
    }
    if (any)
        text_add(out, "gap closed: of the way in PAR-2 from the single best to the virtual best; "
                      "below 0 is worse than the single best\n");
    if (above)
        text_add(out, "above 100 %: a plan can be faster than all configurations that were "
                      "recorded alone; it may run others, and times vary\n");
}

static void explain_checks(struct text *out, const struct score *score)
{
    size_t checked = 0, unchecked = 0, solved = 0;
    for (size_t r = 0; r < score->row_count; r++) {
        checked += score->rows[r].checked;
        unchecked += score->rows[r].unchecked;
        solved += score->rows[r].solved;
    }
    if (checked + unchecked == 0)
        return;
    text_printf(out, "checked: %zu of %zu verdicts were checked on the model as given", checked,
                solved);
    if (unchecked != 0)
        text_printf(out, ", %zu were not", unchecked);
    if (checked + unchecked < solved)
        text_printf(out, "; of %zu it was not recorded", solved - checked - unchecked);
    text_add_char(out, '\n');
}

void study_explain(struct text *out, const struct study *study)
{
    explain_base(out, &study->score);
    explain_yardsticks(out, study);
    explain_checks(out, &study->score);
}

double study_gap_closed(const struct study *study, const struct score_row *row)
{
    if (study->single_best >= study->score.row_count)
        return NAN;
    double single = study->score.rows[study->single_best].par2_seconds;
    double gap = single - study->best.par2_seconds;
    return gap > 0 ? (single - row->par2_seconds) / gap : NAN;
}
