#include "tracegen/suite_conclude.h"

#include <assert.h>

#include "base/memory.h"
#include "base/say.h"

static bool write_chosen(struct trace_files *files, const struct suite_report *report)
{
    bool good = true;
    assert(report->shown != NULL || report->shown_count == report->suite->traces.count);
    for (size_t i = 0; report->shown != NULL && i < report->suite->traces.count && good; i++)
        good = !report->shown[i] || trace_files_write_trace(files, report->suite, i);
    return good && trace_files_write_suite(files, report);
}

bool suite_conclude(const struct suite *suite, const struct suite_conclusion *how, FILE *stream,
                    struct trace_files *files, bool *covered)
{
    struct text selection, out;
    text_init(&selection);
    text_init(&out);
    struct suite_report report = {
        .suite = suite, .model = how->model, .shown_count = suite->traces.count};
    bool *shown = NULL;
    if (how->minimal) {
        shown = suite_select(suite, &how->selection, &report.shown_count, &selection);
        report.selection = text_string(&selection);
    }
    report.shown = shown;
    struct coverage *coverage = coverage_create(suite->model, suite);
    for (size_t i = 0; i < suite->traces.count; i++)
        if (suite_shows(&report, i))
            coverage_add(coverage, &suite->traces.data[i], NULL, 0);
    report.coverage = coverage;
    *covered = suite_is_covered(&report);
    suite_print_text(&out, &report);
    text_add(&out, "time: ");
    text_add_duration(&out, suite->seconds);
    text_add_char(&out, '\n');
    say(stream, "%s", text_string(&out));
    bool good = files == NULL || write_chosen(files, &report);
    memory_free(shown);
    coverage_destroy(coverage);
    text_finish(&selection);
    text_finish(&out);
    return good;
}
