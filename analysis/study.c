#include "analysis/study.h"

#include <math.h>
#include <string.h>

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
    // Rows stand in order: the first that takes part is the best.
    while (study->single_best < score->row_count && study->configurations_only &&
           score->rows[study->single_best].portfolio)
        study->single_best++;
    cover_compute(&study->cover, score, study->configurations_only);
    families_compute(&study->families, score, study->best_cells);
}

double study_gap_closed(const struct study *study, const struct score_row *row)
{
    if (study->single_best >= study->score.row_count)
        return NAN;
    double single = study->score.rows[study->single_best].par2_seconds;
    double gap = single - study->best.par2_seconds;
    return gap > 0 ? (single - row->par2_seconds) / gap : NAN;
}
