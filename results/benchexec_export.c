#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/output_file.h"
#include "base/libxml.h"
#include "base/memory.h"
#include "base/vector.h"
#include "results/exporting.h"

// BenchExec's result files: a `result` element with the limits as attributes and a `run` element a task, whose
// values are `column` elements.

struct sheet {
    char *tool, *version, *plan, *plan_digest;
    unsigned cores, repetition;
    double limit_seconds;
    uint64_t memory_bytes;
    xmlBufferPtr buffer;
    xmlTextWriterPtr writer;
};

struct benchexec_export {
    VECTOR(struct sheet) sheets;
};

// libxml2 wants UTF-8 without control characters; what is not so becomes "?".
static void set(xmlTextWriterPtr writer, const char *name, const char *value)
{
    char *copy = memory_strdup(value);
    bool good = libxml->xmlCheckUTF8((const xmlChar *)value) != 0;
    for (char *c = copy; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || (!good && (unsigned char)*c >= 0x80))
            *c = *c == '\n' || *c == '\t' ? ' ' : '?';
    libxml->xmlTextWriterWriteAttribute(writer, BAD_CAST name, BAD_CAST copy);
    memory_free(copy);
}

static void set_formatted(xmlTextWriterPtr writer, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void set_formatted(xmlTextWriterPtr writer, const char *name, const char *format, ...)
{
    va_list values;
    struct text text;
    text_init(&text);
    va_start(values, format);
    text_vprintf(&text, format, values);
    va_end(values);
    set(writer, name, text_string(&text));
    text_finish(&text);
}

static void open_element(xmlTextWriterPtr writer, const char *name)
{
    libxml->xmlTextWriterStartElement(writer, BAD_CAST name);
}

static void set_times(xmlTextWriterPtr writer, int64_t epoch_ms)
{
    char text[64];
    time_t seconds = (time_t)(epoch_ms / 1000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
    set(writer, "date", text);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &parts);
    set(writer, "starttime", text);
}

static void write_column(xmlTextWriterPtr writer, const char *title, const char *value, bool hidden)
{
    open_element(writer, "column");
    set(writer, "title", title);
    if (value != NULL)
        set(writer, "value", value);
    if (hidden)
        set(writer, "hidden", "true");
    libxml->xmlTextWriterEndElement(writer);
}

static const char *or_open(const char *known)
{
    return known[0] != '\0' ? known : "not recorded";
}

static void write_system(xmlTextWriterPtr writer, const struct run_record *run)
{
    open_element(writer, "systeminfo");
    set(writer, "hostname", run->host);
    open_element(writer, "os");
    set(writer, "name", or_open(run->machine_system));
    libxml->xmlTextWriterEndElement(writer);
    open_element(writer, "cpu");
    set(writer, "model", or_open(run->machine_cpu));
    set_formatted(writer, "cores", "%u", run->cores);
    set(writer, "frequency", "not recorded"); // table-generator stumbles where it is left out
    libxml->xmlTextWriterEndElement(writer);
    open_element(writer, "ram");
    if (run->machine_memory_bytes != 0)
        set_formatted(writer, "size", "%" PRIu64 "B", run->machine_memory_bytes);
    else
        set(writer, "size", "not recorded");
    libxml->xmlTextWriterEndElement(writer);
    open_element(writer, "environment");
    libxml->xmlTextWriterEndElement(writer);
    libxml->xmlTextWriterEndElement(writer);
}

static void begin_sheet(xmlTextWriterPtr writer, const struct run_record *run)
{
    static const char *const titles[] = {"status", "cputime", "walltime", "memory", "checked"};
    libxml->xmlTextWriterSetIndent(writer, 1);
    libxml->xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL);
    libxml->xmlTextWriterWriteDTD(
        writer, BAD_CAST "result", BAD_CAST "+//IDN sosy-lab.org//DTD BenchExec result 3.0//EN",
        BAD_CAST "https://www.sosy-lab.org/benchexec/result-3.0.dtd", NULL);
    open_element(writer, "result");
    if (run->repetition == 0)
        set(writer, "name", run->plan);
    else
        set_formatted(writer, "name", "%s (repetition %u)", run->plan, run->repetition + 1);
    set(writer, "benchmarkname", "regatta bench");
    set_times(writer, run->started_epoch_ms);
    set(writer, "tool", run->tool);
    set(writer, "toolmodule", run->tool);
    set(writer, "version", run->version);
    if (run->time_limit_seconds > 0)
        set_formatted(writer, "timelimit", "%gs", run->time_limit_seconds);
    if (run->memory_limit_bytes != 0)
        set_formatted(writer, "memlimit", "%" PRIu64 "B", run->memory_limit_bytes);
    if (run->cores != 0)
        set_formatted(writer, "cpuCores", "%u", run->cores);
    set(writer, "generator", "Regatta");
    open_element(writer, "columns");
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        write_column(writer, titles[i], NULL, false);
    libxml->xmlTextWriterEndElement(writer);
    write_system(writer, run);
}

static struct sheet *find_sheet(struct benchexec_export *export, const struct run_record *run)
{
    for (size_t i = 0; i < export->sheets.count; i++) {
        struct sheet *sheet = &export->sheets.data[i];
        if (strcmp(sheet->plan, run->plan) == 0 &&
            strcmp(sheet->plan_digest, run->plan_digest) == 0 &&
            strcmp(sheet->tool, run->tool) == 0 && strcmp(sheet->version, run->version) == 0 &&
            sheet->cores == run->cores && sheet->repetition == run->repetition &&
            sheet->limit_seconds == run->time_limit_seconds &&
            sheet->memory_bytes == run->memory_limit_bytes)
            return sheet;
    }
    struct sheet sheet = {
        .tool = memory_strdup(run->tool),
        .version = memory_strdup(run->version),
        .plan = memory_strdup(run->plan),
        .plan_digest = memory_strdup(run->plan_digest),
        .cores = run->cores,
        .repetition = run->repetition,
        .limit_seconds = run->time_limit_seconds,
        .memory_bytes = run->memory_limit_bytes,
        .buffer = libxml->xmlBufferCreate(),
    };
    sheet.writer = libxml->xmlNewTextWriterMemory(sheet.buffer, 0);
    begin_sheet(sheet.writer, run);
    VECTOR_PUSH(&export->sheets, sheet);
    return &VECTOR_LAST(&export->sheets);
}

static const char *status_of(const struct run_record *run)
{
    if (strcmp(run->status, RUN_STATUS_OK) != 0)
        return run->reason == END_UNSUPPORTED ? "ERROR (unsupported)" : "ERROR (input)";
    if (run->contradiction)
        return "ERROR (contradiction)";
    if (run->verdict != VERDICT_UNKNOWN)
        return run->verdict == VERDICT_SAFE ? "true" : "false";
    switch (run->reason) {
    case END_TIMEOUT:
        return "TIMEOUT";
    case END_MEMORY:
        return "OUT OF MEMORY";
    case END_CRASHED:
        return "ERROR (crashed)";
    case END_NOT_STARTED:
        return "ERROR (not started)";
    case END_INTERNAL:
        return "ERROR (internal)";
    case END_SOLVER:
        return "ERROR (solver)";
    case END_UNSUPPORTED:
        return "ERROR (unsupported)";
    default:
        return "unknown";
    }
}

static const char *category_of(const struct run_record *run)
{
    const char *status = status_of(run);
    if (run->verdict != VERDICT_UNKNOWN && !run->contradiction) {
        if (run->expected[0] == '\0')
            return "missing";
        return run_record_is_unexpected(run) ? "wrong" : "correct";
    }
    return strcmp(status, "unknown") == 0 ? "unknown" : "error";
}

static void write_value(xmlTextWriterPtr writer, const char *title, double value, const char *unit)
{
    struct text text;
    text_init(&text);
    text_printf(&text, "%.9f%s", value, unit); // readers know no exponents
    write_column(writer, title, text_string(&text), false);
    text_finish(&text);
}

static uint64_t memory_of(const struct run_record *run)
{
    uint64_t bytes = run->peak_bytes;
    for (size_t i = 0; i < run->attempt_count; i++)
        if (run->attempts[i].peak_bytes > bytes)
            bytes = run->attempts[i].peak_bytes;
    return bytes;
}

static bool write_run(void *context, const struct run_record *run)
{
    if (strcmp(run->status, RUN_STATUS_INTERRUPTED) == 0)
        return true;
    xmlTextWriterPtr writer = find_sheet(context, run)->writer;
    open_element(writer, "run");
    set(writer, "name", run->task);
    set_formatted(writer, "files", "[%s]", run->task);
    set(writer, "properties", "unreach-call");
    if (run->expected[0] != '\0')
        set(writer, "expectedVerdict", strcmp(run->expected, "safe") == 0 ? "true" : "false");
    write_column(writer, "status", status_of(run), false);
    write_value(writer, "cputime", run->cpu_seconds, "s");
    write_value(writer, "walltime", run->load_seconds + run->wall_seconds, "s");
    uint64_t bytes = memory_of(run);
    if (bytes != 0) {
        struct text text;
        text_init(&text);
        text_printf(&text, "%" PRIu64 "B", bytes);
        write_column(writer, "memory", text_string(&text), false);
        text_finish(&text);
    }
    write_column(writer, "checked", check_name(run->checked), false);
    // What the statuses of the format do not tell apart, for the way back.
    write_column(writer, "regatta-reason", end_reason_name(run->reason), true);
    if (strcmp(run->status, RUN_STATUS_OK) != 0)
        write_column(writer, "regatta-status", run->status, true);
    write_column(writer, "category", category_of(run), true);
    write_column(writer, "host", run->host, true);
    libxml->xmlTextWriterEndElement(writer);
    return true;
}

// Files

static void add_word(struct text *path, const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        text_add_char(path, *c != '/' && (unsigned char)*c > ' ' ? *c : '_');
}

static void name_file(struct text *path, const char *base, const struct sheet *sheet, size_t number)
{
    size_t length = strlen(base);
    bool xml = length >= 4 && strcmp(base + length - 4, ".xml") == 0;
    text_add_bytes(path, base, xml ? length - 4 : length);
    text_add_char(path, '.');
    // Configurations are named by their options: long.
    struct text plan;
    text_init(&plan);
    add_word(&plan, sheet->plan);
    text_add_bytes(path, text_string(&plan), plan.length < 60 ? plan.length : 60);
    text_finish(&plan);
    if (number != 0)
        text_printf(path, ".%zu", number + 1);
    text_add(path, xml ? ".xml" : "");
}

static bool write_file(const char *path, xmlBufferPtr buffer, struct text *why)
{
    bool good = output_file_write(path, libxml->xmlBufferContent(buffer),
                                  (size_t)libxml->xmlBufferLength(buffer));
    if (!good)
        text_printf(why, "%s: %s", path, strerror(errno));
    return good;
}

// How many sheets before this one would have the same name.
static size_t same_before(const struct benchexec_export *export, size_t index)
{
    size_t same = 0;
    for (size_t i = 0; i < index; i++)
        same += strncmp(export->sheets.data[i].plan, export->sheets.data[index].plan, 60) == 0;
    return same;
}

static bool write_sheets(struct benchexec_export *export, const char *base, struct text *written,
                         struct text *why)
{
    bool good = true;
    for (size_t i = 0; i < export->sheets.count && good; i++) {
        struct sheet *sheet = &export->sheets.data[i];
        struct text path;
        text_init(&path);
        libxml->xmlTextWriterEndDocument(sheet->writer);
        libxml->xmlTextWriterFlush(sheet->writer);
        if (export->sheets.count == 1)
            text_add(&path, base);
        else
            name_file(&path, base, sheet, same_before(export, i));
        good = write_file(text_string(&path), sheet->buffer, why);
        if (good)
            text_printf(written, "%s\n", text_string(&path));
        text_finish(&path);
    }
    return good;
}

bool export_runs_benchexec(struct store *store, const char *path, struct text *written,
                           struct text *why)
{
    const char *missing = libxml_load();
    if (missing != NULL) {
        text_add(why, missing);
        return false;
    }
    struct benchexec_export export = {0};
    bool good = store_each(store, write_run, &export, why);
    if (good && export.sheets.count == 0) {
        text_add(why, "there is no finished run to export");
        good = false;
    }
    good = good && write_sheets(&export, path, written, why);
    for (size_t i = 0; i < export.sheets.count; i++) {
        struct sheet *sheet = &export.sheets.data[i];
        libxml->xmlFreeTextWriter(sheet->writer);
        libxml->xmlBufferFree(sheet->buffer);
        memory_free(sheet->tool);
        memory_free(sheet->version);
        memory_free(sheet->plan);
        memory_free(sheet->plan_digest);
    }
    VECTOR_FINISH(&export.sheets);
    return good;
}
