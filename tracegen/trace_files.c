#include "tracegen/trace_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file.h"
#include "base/graphviz.h"
#include "base/memory.h"
#include "base/say.h"

// Graphs with more states are not drawn, and a drawing may take that long.
#define STATES_DRAWN 400
#define DRAW_SECONDS 20

static const struct form {
    const char *name, *ending;
    enum trace_file bit;
} FORMS[] = {
    {"readable", ".txt", TRACE_FILE_READABLE},
    {"sexpr", ".cex", TRACE_FILE_SEXPR},
    {"json", ".json", TRACE_FILE_JSON},
    {"sequence", "-sequence.puml", TRACE_FILE_SEQUENCE},
    {"states", "-states.puml", TRACE_FILE_STATES},
    {"dot", ".dot", TRACE_FILE_DOT},
};
#define FORM_COUNT (sizeof FORMS / sizeof FORMS[0])

unsigned trace_files_forms(const char *words)
{
    unsigned forms = 0;
    while (*words != '\0') {
        size_t length = strcspn(words, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < FORM_COUNT; i++)
            if (strlen(FORMS[i].name) == length && memcmp(FORMS[i].name, words, length) == 0)
                bit = FORMS[i].bit;
        if (bit == 0)
            return 0;
        forms |= bit;
        words += length + (words[length] == ',');
    }
    return forms;
}

static bool fail(struct trace_files *files, const char *path, const char *what)
{
    if (files->failure.length == 0)
        text_printf(&files->failure, "%s: %s", path, what);
    return false;
}

static bool is_empty(const char *folder)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    bool empty = directory != NULL;
    while (empty && (entry = readdir(directory)) != NULL)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (directory != NULL)
        closedir(directory);
    return empty;
}

bool trace_files_open(struct trace_files *files, const char *folder, unsigned forms)
{
    *files = (struct trace_files){.folder = memory_strdup(folder), .forms = forms};
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fail(files, folder, strerror(errno));
    if (!is_empty(folder))
        return fail(files, folder, "expected a folder without files, or none yet");
    return true;
}

bool trace_files_make_folder(const char *folder)
{
    struct trace_files files;
    bool good = trace_files_open(&files, folder, 0);
    if (!good)
        say(stderr, "regatta trace: %s\n", text_string(&files.failure));
    trace_files_close(&files);
    return good;
}

bool trace_files_put(const char *folder, const char *name, const struct text *text,
                     struct text *why)
{
    struct text path;
    text_init(&path);
    text_printf(&path, "%s/%s", folder, name);
    bool good = output_file_write_text(text_string(&path), text);
    if (!good)
        text_printf(why, "%s cannot be written: %s", text_string(&path), strerror(errno));
    text_finish(&path);
    return good;
}

void trace_files_close(struct trace_files *files)
{
    text_finish(&files->failure);
    memory_free(files->folder);
    files->folder = NULL;
}

static bool write_file(struct trace_files *files, const char *name, const struct text *content)
{
    struct text path;
    text_init(&path);
    text_printf(&path, "%s/%s", files->folder, name);
    bool good = output_file_write_text(text_string(&path), content);
    if (!good)
        fail(files, text_string(&path), strerror(errno));
    text_finish(&path);
    return good;
}

static void print_form(struct text *out, const struct suite *suite, size_t number,
                       enum trace_file bit)
{
    const struct trace *trace = suite->traces.data[number].trace;
    struct text title;
    text_init(&title);
    suite_trace_name(&title, number);
    switch (bit) {
    case TRACE_FILE_READABLE:
        trace_print(out, trace, TRACE_READABLE);
        break;
    case TRACE_FILE_SEXPR:
        trace_print(out, trace, TRACE_SEXPR);
        break;
    case TRACE_FILE_JSON:
        trace_print(out, trace, TRACE_JSON);
        break;
    case TRACE_FILE_SEQUENCE:
        trace_print_sequence(out, trace, text_string(&title));
        break;
    case TRACE_FILE_STATES:
        trace_print_state_diagram(out, trace, text_string(&title));
        break;
    case TRACE_FILE_DOT:
        trace_print(out, trace, TRACE_DOT);
        break;
    }
    text_finish(&title);
}

bool trace_files_write_trace(struct trace_files *files, const struct suite *suite, size_t trace)
{
    struct text content, name;
    bool good = true;
    if ((files->forms & TRACE_FILE_DOT) && suite->model->dialect->print_dot == NULL)
        return fail(files, files->folder, "--format=dot: only traces of nets are drawn");
    text_init(&content);
    text_init(&name);
    for (size_t i = 0; i < FORM_COUNT && good; i++) {
        if (!(files->forms & FORMS[i].bit))
            continue;
        text_clear(&content);
        text_clear(&name);
        suite_trace_name(&name, trace);
        text_add(&name, FORMS[i].ending);
        print_form(&content, suite, trace, FORMS[i].bit);
        good = write_file(files, text_string(&name), &content);
    }
    text_finish(&content);
    text_finish(&name);
    return good;
}

void trace_files_clear(struct trace_files *files, size_t traces)
{
    struct text path;
    text_init(&path);
    for (size_t t = 0; t < traces; t++)
        for (size_t i = 0; i < FORM_COUNT; i++) {
            if (!(files->forms & FORMS[i].bit))
                continue;
            text_clear(&path);
            text_printf(&path, "%s/", files->folder);
            suite_trace_name(&path, t);
            text_add(&path, FORMS[i].ending);
            unlink(text_string(&path));
        }
    text_finish(&path);
}

// The graph as text for the page; caller frees. NULL with the reason.
static char *draw(struct trace_files *files, const struct suite *suite, const char **why)
{
    struct text dot, svg;
    char *drawn = NULL;
    text_init(&dot);
    text_init(&svg);
    text_printf(&dot, "%s/graph.dot", files->folder);
    text_printf(&svg, "%s/graph.svg", files->folder);
    *why = "it has too many states";
    if (suite->states.count <= STATES_DRAWN &&
        graphviz_draw(text_string(&dot), text_string(&svg), DRAW_SECONDS, why))
        drawn = text_read_file(text_string(&svg), NULL);
    text_finish(&dot);
    text_finish(&svg);
    return drawn;
}

// The model itself, as a run without steps, where the language draws runs.
static bool write_model(struct trace_files *files, const struct model *model)
{
    if (model->dialect->print_dot == NULL)
        return true;
    struct text content;
    struct trace *trace = trace_create(model);
    text_init(&content);
    model->dialect->print_dot(&content, trace);
    bool good = write_file(files, "model.dot", &content);
    text_finish(&content);
    trace_destroy(trace);
    return good;
}

bool trace_files_write_suite(struct trace_files *files, const struct suite_report *report)
{
    struct text content;
    const char *why_not;
    text_init(&content);
    suite_print_text(&content, report);
    bool good = write_file(files, "suite.txt", &content);
    text_clear(&content);
    suite_print_json(&content, report);
    good = good && write_file(files, "suite.json", &content);
    text_clear(&content);
    suite_print_dot(&content, report->suite);
    good = good && write_file(files, "graph.dot", &content) &&
           write_model(files, report->suite->model);
    text_clear(&content);
    if (good) {
        char *svg = draw(files, report->suite, &why_not);
        suite_print_html(&content, report, svg, why_not);
        memory_free(svg);
        good = write_file(files, "index.html", &content);
    }
    text_finish(&content);
    return good;
}
