#ifndef REGATTA_LANGUAGES_STS_STS_FORMULA_H
#define REGATTA_LANGUAGES_STS_STS_FORMULA_H

#include "languages/expressions/check.h"

// A boolean expression of STS as far as its structure matters: junctions and case distinctions with
// negation pushed inwards, and which leaves say `variable = value`.

enum sts_formula_kind {
    STS_FORMULA_LEAF,
    STS_FORMULA_AND,
    STS_FORMULA_OR,
    STS_FORMULA_IF, // children: condition, then, else; `a imply b` is `if a then b else true`
};

struct formula_equation {
    const struct term *variable;
    const struct term *value; // of the same sort
    uint32_t index;           // for the owner: which variable
    const uint64_t *needs;    // for the owner: the variables in the value
};

struct sts_formula {
    enum sts_formula_kind kind;
    const struct token *at;
    size_t first, past;      // the tokens it was written with; 0 0: none
    bool negated;            // it says that these do not hold
    bool invariant;          // of the state after a step
    const struct term *term; // all of it
    uint32_t equation_count; // of a leaf: it is equivalent to each of these
    struct formula_equation equation[2];
    const uint64_t *next; // for the owner: the variables in it
    uint32_t child_count;
    struct sts_formula **child;
};

// NULL when something is wrong (reported). In the checker's arena.
struct sts_formula *formula_make(struct cfa_checker *checker, const struct ast *node);
// The formula "that variable = this value".
struct sts_formula *formula_equal(struct cfa_checker *checker, const struct token *at,
                                  const struct term *variable, const struct term *value);
// "x > 1", "not (x > 1)", "invariant x > 1": in the checker's arena; NULL when nobody wrote it, or so much that nobody reads it.
const char *formula_words(struct cfa_checker *checker, const struct sts_formula *formula);

#endif
