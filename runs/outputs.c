#include "runs/outputs.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/output_file.h"
#include "base/say.h"
#include "runs/evidence.h"

bool outputs_apart(const struct outputs *outputs, const char *input, struct text *why)
{
    const struct {
        const char *path, *what;
    } files[] = {
        {outputs->trace, "the trace"},  {outputs->witness, "the witness"},
        {outputs->test, "the test"},    {outputs->certificate, "the certificate"},
        {outputs->sarif, "the report"}, {outputs->attacks, "the tests"},
        {outputs->log, "the log"},      {outputs->events, "the events"},
        {outputs->store, "the store"},
    };
    bool apart = true;
    for (size_t i = 0; apart && i < sizeof files / sizeof files[0]; i++)
        apart = output_file_apart(files[i].path, files[i].what, input, why);
    return apart;
}

bool outputs_check(const struct outputs *outputs, const char *input, const char *property,
                   struct text *why)
{
    return output_file_check(outputs->trace, "the trace", why) &&
           output_file_check(outputs->witness, "the witness", why) &&
           output_file_check(outputs->test, "the test", why) &&
           output_file_check(outputs->certificate, "the certificate", why) &&
           outputs_apart(outputs, input, why) && outputs_apart(outputs, property, why);
}

static bool draws_page(const struct outputs *outputs, const struct model *model)
{
    return outputs->page != NULL && outputs->page->draws(model);
}

const char *outputs_lacking(const struct outputs *outputs, const struct model *model)
{
    const struct dialect *dialect = model->dialect;
    if (outputs->witness != NULL && dialect->print_witness == NULL)
        return "--witness: expected a circuit (AIGER, BTOR2) or a C program";
    if (outputs->test != NULL && dialect->print_test == NULL)
        return "--test: expected a C program";
    if (outputs->trace == NULL)
        return NULL;
    if (outputs->trace_format == TRACE_PAGE && dialect->print_page == NULL &&
        !draws_page(outputs, model))
        return "--trace-format=html: expected a program, a statechart, a net or capsules";
    if (outputs->trace_format == TRACE_DOT && dialect->print_dot == NULL)
        return "--trace-format=dot: expected a Petri net";
    return NULL;
}

bool outputs_write_file(const char *path, const struct text *text, const char *what,
                        struct text *notes)
{
    if (strcmp(path, "-") == 0) {
        say_data(stdout, text_string(text), text->length);
        return true; // what is lost is told at the end
    }
    bool good = output_file_write_text(path, text);
    if (!good)
        text_printf(notes, "%s: %s cannot be written: %s\n", path, what, strerror(errno));
    return good;
}

static bool write_page(const struct outputs *outputs, const struct trace *trace, struct text *notes)
{
    const char *path = strcmp(outputs->trace, "-") == 0 ? "/dev/stdout" : outputs->trace;
    struct text why;
    text_init(&why);
    bool good = outputs->page->write(trace, path, &why);
    if (!good)
        text_printf(notes, "%s: %s\n", path, text_string(&why));
    text_finish(&why);
    return good;
}

static bool write_trace(const struct outputs *outputs, const struct trace *trace,
                        struct text *notes)
{
    if (outputs->trace_format == TRACE_PAGE && draws_page(outputs, trace->model))
        return write_page(outputs, trace, notes);
    struct text text;
    text_init(&text);
    trace_print(&text, trace, outputs->trace_format);
    if (text.length == 0 || text.data[text.length - 1] != '\n')
        text_add_char(&text, '\n');
    bool good = outputs_write_file(outputs->trace, &text, "the trace", notes);
    text_finish(&text);
    return good;
}

// Only models with witnesses come here.
static bool write_witness(const struct outputs *outputs, const struct run *run,
                          const struct model *model, struct text *notes)
{
    if (outputs->witness == NULL)
        return true;
    struct text text;
    text_init(&text);
    bool good = true;
    if (evidence_print_witness(&text, run, model))
        good = outputs_write_file(outputs->witness, &text, "the witness", notes);
    else
        text_printf(notes, "%s: not written: %s has a witness\n", outputs->witness,
                    model->dialect->print_proof != NULL ? "only a verdict"
                                                        : "only an unsafe verdict");
    text_finish(&text);
    return good;
}

static bool write_test(const struct outputs *outputs, const struct run *run, struct text *notes)
{
    if (outputs->test == NULL)
        return true;
    if (run->trace == NULL || run->record.verdict != VERDICT_UNSAFE || run->record.contradiction) {
        text_printf(notes, "%s: not written: only an unsafe verdict has a test\n", outputs->test);
        return true;
    }
    struct text text;
    text_init(&text);
    assert(run->trace->model->dialect->print_test != NULL);
    run->trace->model->dialect->print_test(&text, run->trace);
    bool good = outputs_write_file(outputs->test, &text, "the test", notes);
    text_finish(&text);
    return good;
}

bool outputs_write_certificate(const struct outputs *outputs, const struct task *task,
                               const struct run *run, struct text *notes)
{
    if (outputs->certificate == NULL || run->record.verdict == VERDICT_UNKNOWN ||
        run->record.contradiction)
        return true;
    if (!evidence_has_certificate(run)) {
        text_printf(notes, "%s: not written: the winner gave no proof\n", outputs->certificate);
        return true;
    }
    struct text text;
    text_init(&text);
    evidence_print_certificate(&text, task, run);
    bool good = outputs_write_file(outputs->certificate, &text, "the certificate", notes);
    text_finish(&text);
    return good;
}

bool outputs_write(const struct outputs *outputs, const struct task *task, const struct run *run,
                   struct text *notes)
{
    bool good = true;
    if (run->trace != NULL && outputs->trace != NULL)
        good = write_trace(outputs, run->trace, notes);
    good = write_witness(outputs, run, run_decided(run, task)->model, notes) &&
           write_test(outputs, run, notes) && good;
    // Runs within bounds are runs of the task's own model.
    const struct task *about = run->bounded == NULL ? run_decided(run, task) : task;
    return outputs_write_certificate(outputs, about, run, notes) && good;
}

static const char *file_of(const char *path, const char *name)
{
    if (path == NULL || strcmp(path, "-") == 0)
        return path;
    assert(name != NULL);
    struct text text;
    text_init(&text);
    text_printf(&text, "%s.", path);
    for (const char *c = name; *c != '\0'; c++)
        text_add_char(&text, isalnum((unsigned char)*c) || strchr("-_.", *c) != NULL ? *c : '_');
    return text_steal(&text);
}

static void free_file(const char *file, const char *path)
{
    if (file != path)
        memory_free((char *)(uintptr_t)file);
}

struct outputs outputs_of_question(const struct outputs *outputs, const char *question)
{
    struct outputs own = *outputs;
    own.trace = file_of(outputs->trace, question);
    own.witness = file_of(outputs->witness, question);
    own.certificate = file_of(outputs->certificate, question);
    return own;
}

void outputs_of_question_finish(struct outputs *own, const struct outputs *outputs)
{
    free_file(own->trace, outputs->trace);
    free_file(own->witness, outputs->witness);
    free_file(own->certificate, outputs->certificate);
}
