#ifndef REGATTA_ANALYSIS_TUNE_TABLE_H
#define REGATTA_ANALYSIS_TUNE_TABLE_H

#include <stdint.h>

#include "analysis/score.h"
#include "base/text.h"

// What is known of configurations on tasks, for learning and for playing in virtual time: how and when each
// run ended. Times are wall seconds with loading; of tools that tell only CPU time, those.

enum tune_end {
    TUNE_UNSOLVED, // ended (or was stopped at the limit) without an answer
    TUNE_SOLVED,
    TUNE_WRONG, // an answer against the expected verdict
};

struct tune_run {
    enum tune_end end;
    double seconds; // when; INFINITY: it would have run on
};

struct tune_table {
    const struct score *score; // outlives the table
    size_t *rows;              // of the score: the configurations; portfolios are left out
    size_t configuration_count;
    size_t *tasks; // of the score: those that a configuration ran on
    size_t task_count;
    double limit_seconds; // for which all is known
    bool mixed; // folds and held out shares part families too; false: a family is on one side
    struct tune_run *runs; // a row a task
};

// Takes the configurations of a computed score. A run counts up to `limit_seconds` (0: the least limit of the
// records); a missing one counts as one that
// runs into the limit. False and the
// reason appended: no configurations, no limit, or a limit above that of the records.
bool tune_table_make(struct tune_table *table, const struct score *score, double limit_seconds,
                     struct text *why);
void tune_table_finish(struct tune_table *table);

static inline const struct tune_run *tune_run(const struct tune_table *table, size_t task,
                                              size_t configuration)
{
    return &table->runs[task * table->configuration_count + configuration];
}
const char *tune_task_name(const struct tune_table *table, size_t task);
// A family: tasks of one folder whose file names begin with the same letters. What is learned from one is not asked
// about another of the same family, unless `mixed`.
bool tune_task_akin(const struct tune_table *table, size_t a, size_t b);
const char *tune_configuration_name(const struct tune_table *table, size_t configuration);

// A set of tasks of the table.
struct tune_part {
    size_t *tasks;
    size_t count;
};
void tune_part_finish(struct tune_part *part);
// The tasks that share a name with one of the list: a task a line, up to the first tabulator or comma; other lines
// are passed over. The others go to `rest`. False and the reason appended when there is none of either.
bool tune_part_read(const struct tune_table *table, const char *path, struct tune_part *named,
                    struct tune_part *rest, struct text *why);
// `share` of the tasks at random: whole families, or, if mixed, of each family some.
void tune_part_split(const struct tune_table *table, const struct tune_part *all, double share,
                     uint64_t seed, struct tune_part *taken, struct tune_part *rest);
void tune_part_all(const struct tune_table *table, struct tune_part *all);
// Fold `fold` of `folds`: those left out and the others. Whole families, the largest first to the smallest fold; if
// mixed, some of each.
void tune_part_fold(const struct tune_table *table, const struct tune_part *all, size_t fold,
                    size_t folds, uint64_t seed, struct tune_part *left_out,
                    struct tune_part *others);

// What a way of choosing came to on a set of tasks.
struct tune_sum {
    size_t tasks, solved, wrong;
    double par2_seconds; // total: what is not solved, or wrongly, counts twice the limit
};
void tune_sum_add(struct tune_sum *sum, const struct tune_run *run, double limit_seconds);
// One configuration alone, the best of `part` by PAR-2.
size_t tune_single_best(const struct tune_table *table, const struct tune_part *part);
struct tune_sum tune_sum_of(const struct tune_table *table, const struct tune_part *part,
                            size_t configuration);
// Of a run for each task of the table, from wherever.
struct tune_sum tune_sum_runs(const struct tune_table *table, const struct tune_part *part,
                              const struct tune_run *runs);
struct tune_sum tune_sum_best(const struct tune_table *table, const struct tune_part *part);

#endif
