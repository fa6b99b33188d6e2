#ifndef REGATTA_MODEL_DIALECT_H
#define REGATTA_MODEL_DIALECT_H

#include <stdbool.h>

#include "base/text.h"
#include "logic/terms/print.h"

struct model;
struct trace;

// The words of the language that a model was written in: all that those who print, replay or compare runs need to know of
// it. One static object a language, in the language's folder; a model points at it.
struct dialect {
    const char *name; // of the language: in JSON, and `language == 'NAME'` in the guards of plans
    enum print_language terms; // how terms are written
    // Observable locations are phases of a cycle (location.phase), the same in every model; some steps are the
    // environment's.
    bool phases;
    // A replayed run of a source model, in other words than those of model/trace_print.c; NULL: in those.
    void (*print_readable)(struct text *out, const struct trace *trace);
    // The same as an S-expression (docs/definitions/formats.md 8); NULL: as CFA does it.
    void (*print_sexpr)(struct text *out, const struct trace *trace);
    // The same as JSON; NULL: as model/trace_json.c does it.
    void (*print_json)(struct text *out, const struct trace *trace);
    // The same as a page for a browser, in one file; NULL: there is none.
    void (*print_page)(struct text *out, const struct trace *trace);
    // The same drawn into a graph of the model, for Graphviz; NULL: there is none.
    void (*print_dot)(struct text *out, const struct trace *trace);
    // A witness as the language's own simulators read it; NULL: there is none.
    void (*print_witness)(struct text *out, const struct trace *trace);
    // The same for a proof: `certificate` as certify/certificate.h writes it, of this source model.
    void (*print_proof)(struct text *out, const struct model *model, const char *certificate);
    // A test in the language that shows the error of a replayed trace; NULL: there is none.
    void (*print_test)(struct text *out, const struct trace *trace);
    // Which of the property's parts a replayed trace violates, by the name that competitions give it, and what a reader should
    // know of it besides, if anything. NULL: it has no parts.
    void (*print_violated)(struct text *out, struct text *note, const struct trace *trace);
    // Runs a replayed trace once more by the rules of the language itself, with an interpreter that knows nothing of the
    // translation. False with the reason appended: the translation is wrong, the verdict does not count. NULL: the
    // model is the language's meaning.
    bool (*replay)(const struct trace *trace, struct text *why);
};

// Of models that no language made: tests, and models that programs build.
extern const struct dialect dialect_plain;

#endif
