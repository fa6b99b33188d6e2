#include "analysis/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/page_template.h"

// JSON: written by hand rather than with cJSON, because a tree of a hundred thousand cells would
// take a hundred megabytes, and because names may hold bytes that are no UTF-8.

static void put_text(struct text *out, const char *value)
{
    size_t left = strlen(value), length;
    text_add_char(out, '"');
    for (; left > 0; value += length, left -= length) {
        length = text_utf8_length(value, left);
        if (length == 0) {
            text_add(out, "\\ufffd");
            length = 1;
        } else if (length > 1) {
            text_add_bytes(out, value, length);
        } else if (*value < 0x20 || *value == 0x7f || strchr("\"\\<>&", *value) != NULL) {
            text_printf(out, "\\u%04x", *value);
        } else {
            text_add_char(out, *value);
        }
    }
    text_add_char(out, '"');
}

static void put_number(struct text *out, double value)
{
    if (isfinite(value))
        text_printf(out, "%.4g", value);
    else
        text_add(out, "null");
}

static void put_name(struct text *out, const char *name)
{
    text_printf(out, "\"%s\":", name);
}

static void put_names(struct text *out, const char *name, char *const *values, size_t count)
{
    put_name(out, name);
    text_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i != 0)
            text_add_char(out, ',');
        put_text(out, values[i]);
    }
    text_add(out, "],\n");
}

static void put_counts(struct text *out, const char *name, const size_t *values, size_t count)
{
    put_name(out, name);
    text_add_char(out, '[');
    for (size_t i = 0; i < count; i++)
        text_printf(out, i == 0 ? "%zu" : ",%zu", values[i]);
    text_add_char(out, ']');
}

static void put_reasons(struct text *out)
{
    put_name(out, "reasons");
    for (int r = 0; r <= END_INTERNAL; r++) {
        text_add(out, r == 0 ? "[[" : ",[");
        put_text(out, end_reason_name((enum end_reason)r));
        text_add_char(out, ',');
        put_text(out, end_reason_meaning((enum end_reason)r));
        text_add_char(out, ']');
    }
    text_add(out, "],\n");
}

static void put_explanation(struct text *out, const struct study *study)
{
    struct text lines;
    text_init(&lines);
    study_explain(&lines, study);
    put_name(out, "explanation");
    put_text(out, text_string(&lines));
    text_add(out, ",\n");
    text_finish(&lines);
}

static void put_row(struct text *out, const struct study *study, const struct score_row *row,
                    size_t r)
{
    bool real = r < study->score.row_count;
    text_add(out, r == 0 ? "\n{" : ",\n{");
    put_name(out, "label");
    put_text(out, row->label);
    text_printf(out, ",\"cores\":%u,\"portfolio\":%s,\"virtual\":%s", row->cores,
                row->portfolio ? "true" : "false", real ? "false" : "true");
    text_printf(out,
                ",\"solved\":%zu,\"safe\":%zu,\"unsafe\":%zu,\"correct\":%zu,\"wrong\":%zu,"
                "\"checked\":%zu,\"unchecked\":%zu,\"unknown\":%zu,\"errors\":%zu,\"missing\":%zu,"
                "\"points\":%ld,\"unique\":%zu,",
                row->solved, row->safe, row->unsafe, row->correct, row->wrong, row->checked,
                row->unchecked, row->unknown, row->errors, row->missing, row->points,
                real ? study->cover.unique[r] : 0);
    put_counts(out, "unknown_by", row->unknown_by, END_INTERNAL + 1);
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"limit", row->limit_seconds},
        {"total", row->total_seconds},
        {"median", row->solved != 0 ? row->median_seconds : NAN},
        {"par2", study->score.base_tasks != 0 ? row->par2_seconds : NAN},
        {"cpu", row->cpu_seconds},
        {"peak", (double)row->peak_bytes},
        {"latency", row->worst_stop_latency_seconds},
        {"gap", study_gap_closed(study, row)},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        text_add_char(out, ',');
        put_name(out, numbers[i].name);
        put_number(out, numbers[i].value);
    }
    text_add_char(out, '}');
}

static const struct score_cell *cell_of(const struct study *study, size_t row, size_t task)
{
    return row < study->score.row_count ? score_cell(&study->score, row, task)
                                        : &study->best_cells[task];
}

// One letter a task; page/data.js reads them.
static char outcome_letter(const struct score_cell *cell)
{
    switch (cell->outcome) {
    case OUTCOME_MISSING:
        return '.';
    case OUTCOME_ERROR:
        return '!';
    case OUTCOME_UNSOLVED:
        return (char)('A' + cell->reason);
    case OUTCOME_WRONG:
        return cell->contradiction ? '3' : cell->verdict == VERDICT_SAFE ? '1' : '2';
    default:
        return cell->verdict == VERDICT_SAFE ? 's' : 'u';
    }
}

static void put_cells(struct text *out, const struct study *study, size_t row)
{
    size_t count = study->score.task_count;
    text_add(out, row == 0 ? "\n{\"outcome\":\"" : ",\n{\"outcome\":\"");
    for (size_t t = 0; t < count; t++)
        text_add_char(out, outcome_letter(cell_of(study, row, t)));
    for (int what = 0; what < 3; what++) {
        text_add(out, what == 0 ? "\",\"wall\":[" : what == 1 ? "],\"cpu\":[" : "],\"peak\":[");
        for (size_t t = 0; t < count; t++) {
            const struct score_cell *cell = cell_of(study, row, t);
            double value = what == 0   ? cell->wall_seconds
                           : what == 1 ? cell->cpu_seconds
                                       : (double)cell->peak_bytes;
            if (t != 0)
                text_add_char(out, ',');
            if (cell->outcome != OUTCOME_MISSING && isfinite(value))
                text_printf(out, "%.3g", value);
            else
                text_add_char(out, '0');
        }
    }
    text_add(out, "]}");
}

static void put_tasks(struct text *out, const struct study *study)
{
    const struct score *score = &study->score;
    put_name(out, "tasks");
    text_add_char(out, '[');
    for (size_t t = 0; t < score->task_count; t++) {
        const char *status = NULL;
        for (size_t r = 0; r < score->row_count && status == NULL; r++)
            status = score_cell(score, r, t)->status;
        text_add(out, t == 0 ? "\n[" : ",\n[");
        put_text(out, score->tasks[t].name);
        text_add_char(out, ',');
        put_text(out, score->tasks[t].expected);
        text_printf(out, ",%zu,", study->families.of_task[t]);
        put_text(out, status != NULL ? status : "");
        text_add_char(out, ']');
    }
    text_add(out, "],\n");
}

static void put_families(struct text *out, const struct study *study)
{
    const struct families *families = &study->families;
    put_name(out, "families");
    text_add_char(out, '[');
    for (size_t f = 0; f < families->count; f++) {
        if (f != 0)
            text_add_char(out, ',');
        put_text(out, families->names[f]);
    }
    text_add(out, "],\n\"family_cells\":[");
    for (size_t r = 0; r < families->row_count; r++) {
        text_add(out, r == 0 ? "\n[" : ",\n[");
        for (size_t f = 0; f < families->count; f++) {
            const struct family_cell *cell = families_cell(families, r, f);
            text_printf(out, "%s[%zu,%zu,%.4g,%.4g]", f == 0 ? "" : ",", cell->tasks, cell->solved,
                        cell->wall_seconds, (double)cell->peak_bytes);
        }
        text_add_char(out, ']');
    }
    text_add(out, "],\n");
}

static void put_attempts(struct text *out, const struct attempts *attempts)
{
    put_name(out, "stall_edges");
    for (size_t b = 0; b <= STALL_BINS; b++)
        text_printf(out, b == 0 ? "[%.4g" : ",%.4g", attempts_bin_seconds(b));
    text_add(out, "],\n\"attempts\":[");
    for (size_t i = 0; i < attempts->count; i++) {
        const struct attempts_row *row = &attempts->rows[i];
        text_add(out, i == 0 ? "\n{\"configuration\":" : ",\n{\"configuration\":");
        put_text(out, row->configuration);
        text_printf(out, ",\"started\":%zu,\"won\":%zu,\"wall\":%.4g,\"cpu\":%.4g,\"solver\":%.4g,",
                    row->started, row->won, row->wall_seconds, row->cpu_seconds,
                    row->solver_seconds);
        text_printf(out, "\"monitors\":%.4g,\"spared\":%.4g,", row->monitor_seconds,
                    row->spared_seconds);
        put_counts(out, "ended", row->ended, END_INTERNAL + 1);
        text_add_char(out, ',');
        put_counts(out, "stalls", row->stalls, STALL_BINS);
        text_add_char(out, '}');
    }
    text_add(out, "],\n");
}

static void put_timeline_run(struct text *out, const struct timeline_run *run)
{
    text_add(out, "{\"task\":");
    put_text(out, run->task);
    text_add(out, ",\"plan\":");
    put_text(out, run->plan);
    text_printf(out, ",\"cores\":%u,\"verdict\":\"%s\",\"contradiction\":%s,\"wall\":%.4g",
                run->cores, verdict_name(run->verdict), run->contradiction ? "true" : "false",
                run->wall_seconds);
    text_add(out, ",\"attempts\":[");
    for (size_t i = 0; i < run->attempt_count; i++) {
        const struct timeline_attempt *attempt = &run->attempts[i];
        text_add(out, i == 0 ? "[" : ",[");
        put_text(out, attempt->configuration);
        text_add_char(out, ',');
        put_text(out, attempt->cpus);
        text_add_char(out, ',');
        put_text(out, attempt->why);
        text_printf(out, ",%u,%d,%d,%.5g,%.4g,%.3g]", attempt->lane, (int)attempt->reason,
                    attempt->winner, attempt->start_seconds, attempt->wall_seconds,
                    attempt->stop_latency_seconds);
    }
    text_add(out, "]}");
}

static void put_timeline(struct text *out, const struct timeline *timeline)
{
    text_printf(out, "\"timeline\":{\"seen\":%zu,\"runs\":[", timeline->seen);
    for (size_t i = 0; i < timeline->count; i++) {
        text_add(out, i == 0 ? "\n" : ",\n");
        put_timeline_run(out, &timeline->runs[i]);
    }
    text_add(out, "]}");
}

void page_data(struct text *out, const struct study *study, const char *version)
{
    const struct score *score = &study->score;
    text_add(out, "{\"version\":");
    put_text(out, version);
    text_printf(out, ",\"runs\":%zu,\"from\":%" PRId64 ",\"to\":%" PRId64 ",\n", study->runs,
                study->first_epoch_ms, study->last_epoch_ms);
    text_printf(out,
                "\"disturbance\":{\"known\":%zu,\"foreign\":%zu,\"stolen\":%zu,\"swapped\":%zu,"
                "\"throttled\":%zu},\n",
                study->disturbance.known, study->disturbance.foreign, study->disturbance.stolen,
                study->disturbance.swapped, study->disturbance.throttled);
    put_names(out, "files", study->files.data, study->files.count);
    put_names(out, "hosts", study->hosts.data, study->hosts.count);
    put_names(out, "versions", study->versions.data, study->versions.count);
    put_reasons(out);
    put_explanation(out, study);
    text_printf(out, "\"configurations_only\":%s,\"single_best\":%zu,\n",
                study->configurations_only ? "true" : "false", study->single_best);
    put_name(out, "rows");
    text_add_char(out, '[');
    for (size_t r = 0; r < score->row_count; r++)
        put_row(out, study, &score->rows[r], r);
    put_row(out, study, &study->best, score->row_count);
    text_add(out, "],\n\"cells\":[");
    for (size_t r = 0; r <= score->row_count; r++)
        put_cells(out, study, r);
    text_add(out, "],\n");
    put_tasks(out, study);
    put_families(out, study);
    text_printf(out, "\"cover\":{\"tasks\":%zu,\"at_least\":%zu,", study->cover.tasks,
                study->cover.at_least);
    put_counts(out, "rows", study->cover.rows, study->cover.count);
    text_add_char(out, ',');
    put_counts(out, "adds", study->cover.adds, study->cover.count);
    text_add(out, "},\n");
    put_attempts(out, &study->attempts);
    put_timeline(out, &study->timeline);
    text_add(out, "}\n");
}

void page_print(struct text *out, const struct study *study, const char *version)
{
    text_add_bytes(out, PAGE_HEAD, PAGE_HEAD_BYTES);
    page_data(out, study, version);
    text_add_bytes(out, PAGE_TAIL, PAGE_TAIL_BYTES);
}
