#ifndef REGATTA_ANALYSIS_SCORE_H
#define REGATTA_ANALYSIS_SCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash_index.h"
#include "results/record.h"

// Compares plans and configurations over many tasks.
//
// A row is a plan or configuration as it was run: one tool, plan digest, core count and time limit. A
// cell is a row on a task; when the task was repeated (other seeds), the median run by PAR-2 stands
// for the cell, but one wrong run makes the cell wrong. Interrupted runs do not count.
//
// The base: the tasks over which all rows are added up, one for all of them. With SCORE_ALL these are the tasks that
// some row could read: what a row did not run, or could not read, it did not solve. With SCORE_COMMON they are those
// that every row ran; all others are left out of the score, with their cells.
// PAR-2 (penalised average run time; SAT competitions since 2017): a task that is solved costs its
// wall time (loading included), any other twice the time limit; the mean over the base.
// Virtual best: on each task the fastest of the rows that solved it.
// Single best: the row of least PAR-2.
// Points: as in SV-COMP, for tasks with an expected verdict: 2 for a right "safe", 1 for a right
// "unsafe", -32 for a wrong "safe", -16 for a wrong "unsafe".

enum outcome {
    OUTCOME_MISSING,  // not run
    OUTCOME_ERROR,    // the task could not be read
    OUTCOME_UNSOLVED, // no answer
    OUTCOME_SOLVED,   // an answer; what is right is not known
    OUTCOME_CORRECT,
    OUTCOME_WRONG, // against the expected verdict, or attempts contradicted each other
};

enum score_base { SCORE_ALL, SCORE_COMMON };

struct score_task {
    char *digest;
    char *path;     // as given to the first run
    char *name;     // folder and file without ending: "xsts/on-off"
    char *expected; // "safe", "unsafe" or ""
    char *family;   // "other" when it has none
    bool counts;    // it is in the base: some row could read it
    size_t added;   // private: its place in order of adding
};

struct score_cell {
    enum outcome outcome;
    enum verdict verdict;
    double wall_seconds, cpu_seconds;
    uint64_t peak_bytes;    // of the process, else of the attempts' structures; 0 = not known
    enum end_reason reason; // OUTCOME_UNSOLVED: why; else END_NONE
    char *status;           // OUTCOME_ERROR: the message; else NULL
    bool contradiction;
    enum check checked;
    size_t runs;
};

struct score_row {
    char *label; // plan name, with cores and limit when the name alone is ambiguous
    char *plan, *plan_digest, *tool;
    unsigned cores;
    double limit_seconds; // 0 = none
    bool portfolio;       // several configurations; false: one configuration alone

    size_t solved;       // correct + solved without expectation
    size_t safe, unsafe; // of the solved
    size_t checked;      // of the solved: by somebody else than who answered, on the model as given
    size_t unchecked;    // of the solved: known not to be so; of the others nobody wrote it down
    size_t correct, wrong, unknown, errors, missing;
    size_t unknown_by[END_INTERNAL + 1]; // by enum end_reason
    long points;
    double total_seconds;  // wall time of the solved tasks
    double median_seconds; // of the solved tasks; 0 when there is none
    double par2_seconds;   // over the base
    double cpu_seconds;    // of all runs
    double worst_stop_latency_seconds;
    uint64_t peak_bytes; // the largest of a run
    size_t added;        // private: its place in order of adding
};

struct score_run; // private

struct score {
    enum score_base base;     // may be set before score_compute
    size_t base_tasks;        // tasks that count
    size_t left_out;          // tasks that some row ran and not all did, with SCORE_COMMON
    struct score_task *tasks; // by name
    size_t task_count;
    struct score_row *rows; // by solved tasks, then PAR-2
    size_t row_count;
    struct score_cell *cells; // cells[row * task_count + task]
    struct score_run *runs;
    size_t run_count, run_capacity, task_capacity, row_capacity;
    struct hash_index index; // private: where a task is, by its digest
};

void score_init(struct score *score);
void score_finish(struct score *score);
void score_add(struct score *score, const struct run_record *run); // copies what it needs
void score_compute(struct score *score);                           // once, after the last score_add

const struct score_cell *score_cell(const struct score *score, size_t row, size_t task);
bool outcome_solved(enum outcome outcome);
const char *outcome_name(enum outcome outcome);
enum outcome score_outcome(const struct run_record *run); // of one run
// The virtual best, of all rows or of those that are no portfolios. The caller ends `out` with
// score_row_finish. `cells` may be NULL; else room for task_count cells, whose texts are those of the
// score. False when there is no such row (`out` is then the virtual best of nothing).
bool score_virtual_best(const struct score *score, bool configurations_only, struct score_row *out,
                        struct score_cell *cells);
void score_row_finish(struct score_row *row);
// Tasks that row a solved and row b did not.
size_t score_unique(const struct score *score, size_t a, size_t b);

// Does one row say safe and another unsafe? Then one of them is wrong, whoever it is.
bool score_rows_contradict(const struct score *score, size_t task);

// Median of n > 0 numbers (mean of the middle two when n is even); sorts them.
double score_median(double *numbers, size_t n);

#endif
