#ifndef REGATTA_LANGUAGES_AIGER_AIGER_H
#define REGATTA_LANGUAGES_AIGER_AIGER_H

#include "base/arena.h"
#include "languages/language.h"

// And-inverter graphs (Biere, Heljanko, Wieringa 2011: AIGER 1.9), ASCII and binary; private to the front
// end. Literal 2k is variable k, 2k + 1 its negation; variable 0 is false.

enum aiger_kind { AIGER_UNDEFINED, AIGER_CONSTANT, AIGER_INPUT, AIGER_LATCH, AIGER_AND };

struct aiger_variable {
    enum aiger_kind kind;
    uint32_t number;      // among its kind
    uint32_t left, right; // AND: its arguments; LATCH: next state and reset
};

struct aiger_literal {
    uint32_t literal;
    struct position at;
};

struct aiger {
    struct language_source source;
    struct arena arena;
    uint32_t greatest, input_count, latch_count, output_count, and_count;
    uint32_t bad_count, constraint_count, justice_count, fairness_count;
    struct aiger_variable *variables;       // greatest + 1
    struct aiger_literal *inputs, *latches; // their own literals
    struct aiger_literal *outputs, *bads, *constraints;
    const char **input_names, **latch_names; // NULL when not given
};

// For struct language.parse: the `source` of a struct aiger. Of its positions lines and columns live on, not the path.
struct language_source *aiger_parse(const struct language_request *request,
                                    struct messages *messages);

#endif
