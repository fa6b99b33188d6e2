#ifndef REGATTA_LANGUAGES_STS_STS_SYSTEM_H
#define REGATTA_LANGUAGES_STS_STS_SYSTEM_H

#include "languages/sts/sts_formula.h"
#include "languages/sts/sts_parse.h"
#include "model/model.h"

// One property of a specification with its system expanded and checked: variables and formulas, no
// syntax any more.

struct sts_variable {
    const char *name;
    const struct token *at;
    const struct term *now, *next; // x and x'; the same for a constant without a value
    bool fixed;
};

struct sts_variables {
    struct sts_variable *data;
    size_t count, capacity;
};

struct sts_formulas {
    struct sts_formula **data;
    size_t count, capacity;
};

struct sts_system {
    const char *name; // of the property
    const struct token *at;
    struct sts_variables variables;
    struct sts_formulas initial; // over now: `initial` and `invariant`
    struct sts_formulas step;    // over now and next: `transition`, and each `invariant` over next
    const struct term *property;
    const char *property_words; // as it is written
};

struct sts_reader {
    struct cfa_parser parser;
    struct cfa_checker checker;
    struct sts_file file;
    struct cfa_scope scope;         // of the specification
    struct sts_variables variables; // of the specification
    struct sts_formulas initial;    // from values of its variables
    size_t failures;                // in messages before we began
};

bool sts_failed(const struct sts_reader *reader);
// What the specification itself declares, and each system definition for itself.
void sts_check_file(struct sts_reader *reader);
// The caller has system zeroed and finishes it. False when there are errors.
bool sts_expand(struct sts_reader *reader, const struct sts_property *property,
                struct sts_system *system);
void sts_system_finish(struct sts_system *system);

// It holds, in the words of the source (sts_relation.c).
struct statement *sts_assume(struct sts_reader *reader, struct model_builder *builder,
                             const struct sts_formula *formula);
// The action of a step (sts_relation.c): for each variable x a local x' is made in the builder.
// `variables` are the model's, in the order of the system's.
struct statement *sts_relation(struct sts_reader *reader, const struct sts_system *system,
                               struct model_builder *builder,
                               const struct variable *const *variables);

#endif
