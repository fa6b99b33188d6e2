#include "analysis/score_inside.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

void score_init(struct score *score)
{
    *score = (struct score){0};
}

void score_row_finish(struct score_row *row)
{
    memory_free(row->label);
    memory_free(row->plan);
    memory_free(row->plan_digest);
    memory_free(row->tool);
}

static void task_finish(struct score_task *task)
{
    memory_free(task->digest);
    memory_free(task->path);
    memory_free(task->name);
    memory_free(task->expected);
    memory_free(task->family);
}

void score_finish(struct score *score)
{
    for (size_t i = 0; i < score->task_count; i++)
        task_finish(&score->tasks[i]);
    for (size_t i = 0; i < score->row_count; i++)
        score_row_finish(&score->rows[i]);
    for (size_t i = 0; i < score->run_count; i++)
        memory_free(score->runs[i].status);
    memory_free(score->tasks);
    hash_index_finish(&score->index);
    memory_free(score->rows);
    memory_free(score->runs);
    memory_free(score->cells); // the texts in cells are those of runs
    score_init(score);
}

bool outcome_solved(enum outcome outcome)
{
    return outcome == OUTCOME_SOLVED || outcome == OUTCOME_CORRECT;
}

const char *outcome_name(enum outcome outcome)
{
    static const char *const names[] = {"missing", "error",   "unknown",
                                        "solved",  "correct", "wrong"};
    return names[outcome];
}

enum outcome score_outcome(const struct run_record *run)
{
    if (run->contradiction)
        return OUTCOME_WRONG;
    if (strcmp(run->status, RUN_STATUS_INTERRUPTED) == 0)
        return OUTCOME_MISSING;
    if (strcmp(run->status, RUN_STATUS_OK) != 0)
        return OUTCOME_ERROR;
    if (run->verdict == VERDICT_UNKNOWN)
        return OUTCOME_UNSOLVED;
    return run->expected[0] == '\0'        ? OUTCOME_SOLVED
           : run_record_is_unexpected(run) ? OUTCOME_WRONG
                                           : OUTCOME_CORRECT;
}

// Tasks are found by digest and name: two that ask the same are two. One that could not be read has no digest and is
// known by its path.
static bool is_task(const struct score_task *task, const struct run_record *run)
{
    if (strcmp(task->digest, run->task_digest) != 0)
        return false;
    return task->digest[0] != '\0' ? task_is_same(task->path, run->task)
                                   : strcmp(task->path, run->task) == 0;
}

static uint64_t key(const char *digest, const char *path)
{
    return hash128_add_text(hash128_seed(0), digest[0] != '\0' ? digest : path).low;
}

static char *family_of(const struct run_record *run)
{
    char *family = run->family[0] != '\0' ? memory_strdup(run->family) : task_family(run->task);
    if (family[0] != '\0')
        return family;
    memory_free(family);
    return memory_strdup("other");
}

static size_t find_task(struct score *score, const struct run_record *run)
{
    uint64_t hash = key(run->task_digest, run->task);
    struct hash_probe probe = hash_index_probe(&score->index, hash);
    for (uint32_t i; hash_index_next(&score->index, &probe, &i);) {
        struct score_task *task = &score->tasks[i];
        if (!is_task(task, run))
            continue;
        if (task->expected[0] == '\0' && run->expected[0] != '\0') {
            memory_free(task->expected);
            task->expected = memory_strdup(run->expected);
        }
        return i;
    }
    if (score->task_count == score->task_capacity) {
        score->task_capacity = score->task_capacity != 0 ? 2 * score->task_capacity : 64;
        score->tasks = memory_realloc(score->tasks, score->task_capacity * sizeof *score->tasks);
    }
    score->tasks[score->task_count] = (struct score_task){
        .digest = memory_strdup(run->task_digest),
        .path = memory_strdup(run->task),
        .name = task_name(run->task),
        .expected = memory_strdup(run->expected),
        .family = family_of(run),
        .added = score->task_count,
    };
    hash_index_add(&score->index, hash, (uint32_t)score->task_count++);
    return score->task_count - 1;
}

static size_t find_row(struct score *score, const struct run_record *run)
{
    for (size_t i = 0; i < score->row_count; i++) {
        const struct score_row *row = &score->rows[i];
        if (strcmp(row->plan_digest, run->plan_digest) == 0 && strcmp(row->plan, run->plan) == 0 &&
            strcmp(row->tool, run->tool) == 0 && row->cores == run->cores &&
            row->limit_seconds == run->time_limit_seconds)
            return i;
    }
    if (score->row_count == score->row_capacity) {
        score->row_capacity = score->row_capacity != 0 ? 2 * score->row_capacity : 16;
        score->rows = memory_realloc(score->rows, score->row_capacity * sizeof *score->rows);
    }
    score->rows[score->row_count] = (struct score_row){
        .plan = memory_strdup(run->plan),
        .plan_digest = memory_strdup(run->plan_digest),
        .tool = memory_strdup(run->tool),
        .cores = run->cores,
        .limit_seconds = run->time_limit_seconds,
        .added = score->row_count,
    };
    return score->row_count++;
}

// A plan races or chains several configurations; a configuration run alone has attempts of its own
// name only.
static bool is_portfolio(const struct run_record *run)
{
    for (size_t i = 0; i < run->attempt_count; i++)
        if (strcmp(run->attempts[i].configuration, run->plan) != 0)
            return true;
    return false;
}

// Why there is no answer. Where the run does not say: what says most about it, in this order.
static enum end_reason why_unknown(const struct run_record *run)
{
    if (run->reason != END_NONE && run->reason != END_SOLVED)
        return run->reason;
    static const enum end_reason order[] = {END_INTERNAL, END_CRASHED, END_NOT_STARTED, END_TIMEOUT,
                                            END_MEMORY,   END_STEPS,   END_SOLVER,      END_STALLED,
                                            END_UNKNOWN,  END_BEYOND,  END_UNSUPPORTED};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        for (size_t a = 0; a < run->attempt_count; a++)
            if (run->attempts[a].reason == order[i])
                return order[i];
    if (run->time_limit_seconds > 0 && run->wall_seconds >= run->time_limit_seconds)
        return END_TIMEOUT;
    return END_UNKNOWN;
}

// Of the process; where that is not known, of the attempts' own structures. Attempts of a race stand in
// memory together, those of one lane one after another: the sum over lanes of each lane's largest.
static uint64_t peak_bytes(const struct run_record *run)
{
    if (run->peak_bytes != 0)
        return run->peak_bytes;
    uint64_t sum = 0;
    for (size_t a = 0; a < run->attempt_count; a++) {
        const struct record *record = &run->attempts[a];
        uint64_t most = 0;
        bool first = true;
        for (size_t b = 0; b < run->attempt_count; b++) {
            if (run->attempts[b].lane != record->lane)
                continue;
            first &= b >= a;
            if (most < run->attempts[b].peak_bytes)
                most = run->attempts[b].peak_bytes;
        }
        sum += first ? most : 0;
    }
    return sum;
}

void score_add(struct score *score, const struct run_record *run)
{
    assert(score->cells == NULL);
    enum outcome outcome = score_outcome(run);
    if (outcome == OUTCOME_MISSING)
        return;
    if (score->run_count == score->run_capacity) {
        score->run_capacity = score->run_capacity != 0 ? 2 * score->run_capacity : 64;
        score->runs = memory_realloc(score->runs, score->run_capacity * sizeof *score->runs);
    }
    size_t task = find_task(score, run), row = find_row(score, run);
    assert(task < score->task_count && row < score->row_count);
    double wall = run->load_seconds + run->wall_seconds;
    score->rows[row].portfolio |= is_portfolio(run);
    score->runs[score->run_count++] = (struct score_run){
        .task = task,
        .row = row,
        .outcome = outcome,
        .verdict = run->verdict,
        .wall_seconds = wall,
        .cpu_seconds = run->cpu_seconds,
        .stop_latency_seconds = run->stop_latency_seconds,
        .par2_seconds = score_par2(outcome, wall, run->time_limit_seconds),
        .peak_bytes = peak_bytes(run),
        .reason = outcome == OUTCOME_UNSOLVED ? why_unknown(run) : END_NONE,
        .status = outcome == OUTCOME_ERROR ? memory_strdup(run->status) : NULL,
        .contradiction = run->contradiction,
        .checked = run->checked,
    };
}

static bool is_foreign(const struct score_row *row)
{
    return row->tool[0] != '\0' && strcmp(row->tool, RUN_TOOL) != 0;
}

// The name, and what tells it from others of that name. Another tool's is named where ours stands beside
// it.
static void label_row(struct score *score, struct score_row *row)
{
    bool cores = false, limit = false, digest = false, tool = false;
    for (size_t i = 0; i < score->row_count; i++) {
        const struct score_row *other = &score->rows[i];
        bool other_tool = strcmp(other->tool, row->tool) != 0;
        tool |= other_tool && (!is_foreign(other) || strcmp(other->plan, row->plan) == 0);
        if (other_tool || other == row || strcmp(other->plan, row->plan) != 0)
            continue;
        bool apart = other->cores != row->cores || other->limit_seconds != row->limit_seconds;
        cores |= other->cores != row->cores;
        limit |= other->limit_seconds != row->limit_seconds;
        digest |= !apart;
    }
    struct text label;
    text_init(&label);
    if (tool && is_foreign(row))
        text_printf(&label, "%s: ", row->tool);
    text_add(&label, row->plan);
    if (cores)
        text_printf(&label, " %u cores", row->cores);
    if (limit)
        text_printf(&label, " %g s", row->limit_seconds);
    if (digest)
        text_printf(&label, " #%.6s", row->plan_digest);
    row->label = text_steal(&label);
}

// Sorting renumbers tasks and rows: each carries its number of before.

static int compare_tasks(const void *a, const void *b)
{
    const struct score_task *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0)
        order = strcmp(x->digest, y->digest);
    return order != 0 ? order : (x->added > y->added) - (x->added < y->added);
}

static void sort_tasks(struct score *score)
{
    size_t count = score->task_count;
    if (count != 0)
        qsort(score->tasks, count, sizeof *score->tasks, compare_tasks);
    size_t *to = memory_alloc((count + 1) * sizeof *to);
    for (size_t i = 0; i < count; i++) {
        assert(score->tasks[i].added < count);
        to[score->tasks[i].added] = i;
    }
    for (size_t i = 0; i < score->run_count; i++)
        score->runs[i].task = to[score->runs[i].task];
    memory_free(to);
}

static int compare_rows(const void *a, const void *b)
{
    const struct score_row *x = a, *y = b;
    if (x->wrong != y->wrong)
        return x->wrong < y->wrong ? -1 : 1;
    if (x->solved != y->solved)
        return x->solved > y->solved ? -1 : 1;
    int order = score_compare_doubles(&x->par2_seconds, &y->par2_seconds);
    return order != 0 ? order : strcmp(x->label, y->label);
}

static void sort_rows(struct score *score)
{
    size_t count = score->row_count;
    if (count != 0)
        qsort(score->rows, count, sizeof *score->rows, compare_rows);
    struct score_cell *cells = memory_zalloc((count * score->task_count + 1) * sizeof *cells);
    for (size_t i = 0; i < count; i++)
        memcpy(cells + i * score->task_count,
               score->cells + score->rows[i].added * score->task_count,
               score->task_count * sizeof *cells);
    memory_free(score->cells);
    score->cells = cells;
}

// Drops the tasks that some row did not run, and the runs on them.
static void keep_common(struct score *score)
{
    size_t tasks = score->task_count, kept = 0, runs = 0;
    bool *ran = memory_zalloc(score->row_count * tasks + 1);
    for (size_t i = 0; i < score->run_count; i++)
        ran[score->runs[i].row * tasks + score->runs[i].task] = true;
    size_t *to = memory_alloc((tasks + 1) * sizeof *to);
    for (size_t t = 0; t < tasks; t++) {
        bool common = true;
        for (size_t r = 0; r < score->row_count; r++)
            common &= ran[r * tasks + t];
        to[t] = common ? kept : SIZE_MAX;
        if (!common) {
            task_finish(&score->tasks[t]);
            continue;
        }
        score->tasks[kept] = score->tasks[t];
        score->tasks[kept].added = kept;
        kept++;
    }
    for (size_t i = 0; i < score->run_count; i++) {
        size_t task = to[score->runs[i].task];
        if (task == SIZE_MAX) {
            memory_free(score->runs[i].status);
            continue;
        }
        score->runs[runs] = score->runs[i];
        score->runs[runs++].task = task;
    }
    assert(kept <= tasks && runs <= score->run_count);
    score->left_out = tasks - kept;
    score->task_count = kept;
    score->run_count = runs;
    memory_free(ran);
    memory_free(to);
}

static void choose_base(struct score *score)
{
    for (size_t t = 0; t < score->task_count; t++) {
        struct score_task *task = &score->tasks[t];
        for (size_t r = 0; r < score->row_count && !task->counts; r++) {
            enum outcome outcome = score_cell(score, r, t)->outcome;
            task->counts = outcome != OUTCOME_MISSING && outcome != OUTCOME_ERROR;
        }
        score->base_tasks += task->counts;
    }
    assert(score->base_tasks <= score->task_count);
}

void score_compute(struct score *score)
{
    assert(score->cells == NULL);
    for (size_t r = 0; r < score->row_count; r++)
        label_row(score, &score->rows[r]);
    for (size_t i = 0; i < score->run_count; i++) {
        const struct score_run *run = &score->runs[i];
        struct score_row *row = &score->rows[run->row];
        if (row->worst_stop_latency_seconds < run->stop_latency_seconds)
            row->worst_stop_latency_seconds = run->stop_latency_seconds;
    }
    if (score->base == SCORE_COMMON)
        keep_common(score);
    sort_tasks(score);
    score_fill_cells(score);
    choose_base(score);
    for (size_t r = 0; r < score->row_count; r++)
        score_sum_row(score, &score->rows[r], score->cells + r * score->task_count);
    sort_rows(score);
}

const struct score_cell *score_cell(const struct score *score, size_t row, size_t task)
{
    assert(row < score->row_count && task < score->task_count);
    return &score->cells[row * score->task_count + task];
}
