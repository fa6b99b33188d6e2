#include <bzlib.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "base/libxml.h"
#include "base/memory.h"
#include "results/importing_inside.h"

// Read as a stream: result files of competitions have hundreds of megabytes.

struct benchexec_import {
    struct importer importer;
    const char *path;
    BZFILE *bzip2; // one of the two, or neither
    gzFile gzip;
    xmlTextReaderPtr reader;
    struct run_record sheet; // what the `result` element says of all runs
    struct run_record run;
    struct text status;
    char *own_status; // of a run that Regatta exported; NULL = it went well, or another tool's
    enum end_reason own_reason; // likewise; END_NONE = not told
    bool wrong, right;          // as the file itself judges it
    bool in_result, in_run, bad;
    bool broken; // the compressed file
    struct text *why;
};

static int read_bytes(void *context, char *bytes, int length)
{
    struct benchexec_import *import = context;
    int read = import->gzip != NULL ? gzread(import->gzip, bytes, (unsigned)length)
                                    : BZ2_bzread(import->bzip2, bytes, length);
    if (read < 0)
        import->broken = true;
    return read;
}

static int close_bytes(void *context)
{
    (void)context; // closed by import_benchexec
    return 0;
}

static void fail_at(struct benchexec_import *import, int line, int column, const char *what)
{
    if (!import->bad)
        text_printf(import->why, "%s:%d:%d: %s", import->path, line, column,
                    !import->broken        ? what
                    : import->gzip != NULL ? "gzip cannot read on from here"
                                           : "bzip2 cannot read on from here");
    import->bad = true;
}

static void fail(struct benchexec_import *import, const char *what)
{
    fail_at(import, libxml->xmlTextReaderGetParserLineNumber(import->reader),
            libxml->xmlTextReaderGetParserColumnNumber(import->reader), what);
}

static void hear_error(void *context, xmlErrorPtr error)
{
    struct text what;
    text_init(&what);
    text_add(&what, error->message != NULL ? error->message : "no XML");
    while (what.length > 0 && what.data[what.length - 1] == '\n')
        what.data[--what.length] = '\0';
    if (error->level >= XML_ERR_ERROR)
        fail_at(context, error->line, error->int2, text_string(&what));
    text_finish(&what);
}

// Attributes. The result is to be freed by xmlFree; NULL when it is not there.
static char *attribute(struct benchexec_import *import, const char *name)
{
    return (char *)libxml->xmlTextReaderGetAttribute(import->reader, BAD_CAST name);
}

static void take_text(struct benchexec_import *import, const char *name, char **field)
{
    char *value = attribute(import, name);
    if (value != NULL) {
        memory_free(*field);
        *field = memory_strdup(value);
    }
    libxml_free(value);
}

// "15 GB", "15000000000B", "1.5s": blanks between number and unit are BenchExec's of old.
static void without_blanks(char *text)
{
    char *out = text;
    for (const char *c = text; *c != '\0'; c++)
        if (*c != ' ')
            *out++ = *c;
    *out = '\0';
}

static void read_duration(struct benchexec_import *import, const char *what, char *text,
                          double *seconds)
{
    without_blanks(text);
    double value;
    if (text_parse_duration(text, &value) && value >= 0 && value < 1e12) {
        *seconds = value;
        return;
    }
    struct text message;
    text_init(&message);
    text_printf(&message, "%s: found \"%.60s\", expected a time such as 1.5s", what, text);
    fail(import, text_string(&message));
    text_finish(&message);
}

static void read_size(struct benchexec_import *import, const char *what, char *text,
                      uint64_t *bytes)
{
    without_blanks(text);
    if (text_parse_size(text, bytes))
        return;
    struct text message;
    text_init(&message);
    text_printf(&message, "%s: found \"%.60s\", expected a size such as 1000B", what, text);
    fail(import, text_string(&message));
    text_finish(&message);
}

static int64_t read_time(const char *text)
{
    struct tm parts = {0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (rest == NULL)
        return 0;
    while (*rest == '.' || (*rest >= '0' && *rest <= '9'))
        rest++;
    int hours = 0, minutes = 0;
    char sign = '+';
    if (sscanf(rest, "%c%2d:%2d", &sign, &hours, &minutes) != 3)
        hours = minutes = 0;
    int64_t offset = (hours * 60 + minutes) * 60;
    return ((int64_t)timegm(&parts) - (sign == '-' ? -offset : offset)) * 1000;
}

static void open_result(struct benchexec_import *import)
{
    struct run_record *sheet = &import->sheet;
    import->in_result = true;
    take_text(import, "tool", &sheet->tool);
    take_text(import, "version", &sheet->version);
    take_text(import, "benchmarkname", &sheet->plan);
    take_text(import, "name", &sheet->plan);
    char *limit = attribute(import, "timelimit"), *memory = attribute(import, "memlimit");
    char *cores = attribute(import, "cpuCores"), *start = attribute(import, "starttime");
    if (limit != NULL && strcmp(limit, "None") != 0)
        read_duration(import, "timelimit", limit, &sheet->time_limit_seconds);
    if (memory != NULL && strcmp(memory, "None") != 0)
        read_size(import, "memlimit", memory, &sheet->memory_limit_bytes);
    if (cores != NULL && strcmp(cores, "None") != 0)
        sheet->cores = (unsigned)strtoul(cores, NULL, 10);
    if (start != NULL)
        sheet->started_epoch_ms = read_time(start);
    libxml_free(limit);
    libxml_free(memory);
    libxml_free(cores);
    libxml_free(start);
}

static void copy(char **to, const char *from)
{
    memory_free(*to);
    *to = memory_strdup(from);
}

static void open_run(struct benchexec_import *import)
{
    struct run_record *run = &import->run;
    const struct run_record *sheet = &import->sheet;
    run_record_finish(run);
    run_record_init(run);
    text_clear(&import->status);
    memory_free(import->own_status);
    import->own_status = NULL;
    import->own_reason = END_NONE;
    import->wrong = import->right = false;
    copy(&run->tool, sheet->tool);
    copy(&run->version, sheet->version);
    copy(&run->plan, sheet->plan);
    run->time_limit_seconds = sheet->time_limit_seconds;
    run->memory_limit_bytes = sheet->memory_limit_bytes;
    run->cores = sheet->cores;
    run->started_epoch_ms = sheet->started_epoch_ms;
    char *name = attribute(import, "name"), *expected = attribute(import, "expectedVerdict");
    if (name == NULL || *name == '\0')
        fail(import, "found a run without a name");
    else
        copy(&run->task, name);
    if (expected != NULL)
        copy(&run->expected, import_expected(expected));
    take_text(import, "propertyFile", &run->property);
    libxml_free(name);
    libxml_free(expected);
    import->in_run = true;
}

// What only Regatta writes.
static void read_own_column(struct benchexec_import *import, const char *title, const char *value)
{
    int known;
    if (strcmp(title, "checked") == 0 && (known = check_parse(value)) >= 0)
        import->run.checked = (enum check)known;
    else if (strcmp(title, "regatta-reason") == 0 && (known = end_reason_parse(value)) >= 0)
        import->own_reason = (enum end_reason)known;
    else if (strcmp(title, "regatta-status") == 0)
        copy(&import->own_status, value);
}

// Many files name no expected verdict and yet judge: what they call wrong must not come in as an answer like any other.
static void take_judgement(struct benchexec_import *import)
{
    struct run_record *run = &import->run;
    if (run->verdict == VERDICT_UNKNOWN || run->expected[0] != '\0')
        return;
    bool safe = (run->verdict == VERDICT_SAFE) != import->wrong;
    if (import->wrong || import->right)
        copy(&run->expected, verdict_name(safe ? VERDICT_SAFE : VERDICT_UNSAFE));
}

static void take_own(struct benchexec_import *import)
{
    struct run_record *run = &import->run;
    if (run->verdict == VERDICT_UNKNOWN && import->own_reason != END_NONE)
        run->reason = import->own_reason;
    if (import->own_status != NULL) {
        copy(&run->status, import->own_status);
        run->reason = import->own_reason;
    }
}

static void read_column(struct benchexec_import *import)
{
    char *title = attribute(import, "title"), *value = attribute(import, "value");
    if (title != NULL && value != NULL && *value != '\0') {
        if (strcmp(title, "status") == 0)
            text_add(&import->status, value);
        else if (strcmp(title, "cputime") == 0)
            read_duration(import, title, value, &import->run.cpu_seconds);
        else if (strcmp(title, "walltime") == 0)
            read_duration(import, title, value, &import->run.wall_seconds);
        else if (strcmp(title, "memory") == 0 || strcmp(title, "memUsage") == 0)
            read_size(import, title, value, &import->run.peak_bytes);
        else if (strcmp(title, "host") == 0)
            copy(&import->run.host, value);
        else if (strcmp(title, "category") == 0) {
            import->wrong = strncmp(value, "wrong", 5) == 0;
            import->right = strncmp(value, "correct", 7) == 0;
        } else
            read_own_column(import, title, value);
    }
    libxml_free(title);
    libxml_free(value);
}

static void close_run(struct benchexec_import *import)
{
    import->in_run = false;
    if (import->bad)
        return;
    struct text why;
    text_init(&why);
    if (!import_status(&import->run, text_string(&import->status)))
        import->importer.counts.empty++;
    else {
        take_judgement(import);
        take_own(import);
        if (!importer_add(&import->importer, &import->run, text_string(&import->status), &why))
            fail(import, text_string(&why));
    }
    text_finish(&why);
}

static void look_at_node(struct benchexec_import *import)
{
    int type = libxml->xmlTextReaderNodeType(import->reader);
    const char *name = (const char *)libxml->xmlTextReaderConstName(import->reader);
    if (name == NULL)
        return;
    bool begins = type == XML_READER_TYPE_ELEMENT, ends = type == XML_READER_TYPE_END_ELEMENT;
    int depth = libxml->xmlTextReaderDepth(import->reader);
    if (begins && depth == 0 && strcmp(name, "result") != 0)
        fail(import, "found another root element, expected BenchExec's \"result\"");
    else if (begins && depth == 0)
        open_result(import);
    else if (begins && depth == 1 && strcmp(name, "run") == 0) {
        bool empty = libxml->xmlTextReaderIsEmptyElement(import->reader) == 1;
        open_run(import);
        if (empty)
            close_run(import);
    } else if (begins && depth == 2 && import->in_run && strcmp(name, "column") == 0)
        read_column(import);
    else if (ends && depth == 1 && import->in_run)
        close_run(import);
}

static bool read_all(struct benchexec_import *import)
{
    int read;
    while (!import->bad && (read = libxml->xmlTextReaderRead(import->reader)) == 1)
        look_at_node(import);
    if (!import->bad && read != 0)
        fail(import, "found no XML");
    if (!import->bad && !import->in_result)
        fail(import, "found the end, expected BenchExec's \"result\"");
    return !import->bad;
}

static bool begins_with(const char *path, const char *magic, size_t length)
{
    char head[4] = {0};
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool same = fread(head, 1, length, file) == length && memcmp(head, magic, length) == 0;
    fclose(file);
    return same;
}

static bool open_reader(struct benchexec_import *import)
{
    // No network, no files of others; entities are limited by libxml2.
    enum { OPTIONS = XML_PARSE_NONET | XML_PARSE_NOCDATA };
    if (begins_with(import->path, "BZh", 3))
        import->bzip2 = BZ2_bzopen(import->path, "r");
    else if (begins_with(import->path, "\x1f\x8b", 2))
        import->gzip = gzopen(import->path, "re");
    if (import->bzip2 != NULL || import->gzip != NULL)
        import->reader =
            libxml->xmlReaderForIO(read_bytes, close_bytes, import, import->path, NULL, OPTIONS);
    else
        import->reader = libxml->xmlReaderForFile(import->path, NULL, OPTIONS);
    if (import->reader == NULL)
        text_printf(import->why, "%s: %s", import->path, strerror(errno));
    else
        libxml->xmlTextReaderSetStructuredErrorHandler(import->reader, hear_error, import);
    return import->reader != NULL;
}

bool import_benchexec(struct store *store, const char *path, const struct import_options *options,
                      struct import_counts *counts, struct text *why)
{
    const char *missing = libxml_load();
    if (missing != NULL) {
        text_add(why, missing);
        return false;
    }
    struct benchexec_import import = {.path = path, .why = why};
    run_record_init(&import.sheet);
    run_record_init(&import.run);
    text_init(&import.status);
    if (options->tool != NULL)
        copy(&import.sheet.tool, options->tool);
    bool good = open_reader(&import);
    if (good) {
        good = importer_begin(&import.importer, store, options, why) && read_all(&import);
        good = importer_finish(&import.importer, good, why) && good;
    }
    if (good)
        *counts = import.importer.counts;
    if (import.reader != NULL)
        libxml->xmlFreeTextReader(import.reader);
    if (import.bzip2 != NULL)
        BZ2_bzclose(import.bzip2);
    if (import.gzip != NULL)
        gzclose(import.gzip);
    memory_free(import.own_status);
    run_record_finish(&import.sheet);
    run_record_finish(&import.run);
    text_finish(&import.status);
    return good;
}
