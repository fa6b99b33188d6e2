#ifndef REGATTA_LANGUAGES_EXPRESSIONS_CHECK_H
#define REGATTA_LANGUAGES_EXPRESSIONS_CHECK_H

#include "languages/expressions/expression.h"
#include "languages/expressions/scope.h"

// Expressions of CFA and STS: syntax tree to term, with all checks of names and sorts. An int is
// lifted to rat where the other side is rat.

// In which state names are read.
enum cfa_when {
    CFA_NOW,        // `'` is an error
    CFA_TRANSITION, // now, and what has a `'` next
    CFA_NEXT,       // all names next, `'` is an error
};

struct cfa_checker {
    struct cfa_parser *parser; // its store, arena, messages
    const struct cfa_scope *scope;
    enum cfa_when when;
    uint32_t deepest;     // the largest height of a symbol met; the caller resets it
    uint32_t bound_names; // made so far
    bool constants_only;  // STS: a variable is an error
};

// NULL when something is wrong or not supported; it is reported.
const struct term *cfa_check(struct cfa_checker *checker, const struct ast *node);
// The same, of this sort (after lifting). A NULL sort takes anything and gives NULL.
const struct term *cfa_check_sort(struct cfa_checker *checker, const struct ast *node,
                                  const struct sort *sort);
const struct term *cfa_check_bool(struct cfa_checker *checker, const struct ast *node);
// Two operands of one sort, numbers lifted to each other's; false when they have none (reported).
bool cfa_check_pair(struct cfa_checker *checker, const struct ast *left, const struct ast *right,
                    const struct term **a, const struct term **b);
// a as a term of that sort when it has it or can be lifted to it; else NULL, nothing reported.
const struct term *cfa_lift(struct cfa_checker *checker, const struct term *a,
                            const struct sort *sort);
void cfa_sort_error(struct cfa_checker *checker, const struct token *at, const struct sort *found,
                    const char *expected);
// The symbol of a name; NULL with an error when there is none.
struct cfa_symbol *cfa_resolve(struct cfa_checker *checker, const struct token *name);

// Literals (literal.c).
const struct term *cfa_check_literal(struct cfa_checker *checker, const struct ast *node);
const struct term *cfa_check_array(struct cfa_checker *checker, const struct ast *node);
// 0 … limit; more is UINT32_MAX.
uint32_t cfa_number(const struct token *token, uint32_t limit);
// Floats (float.c). What the tree alone says: is it one, and of which format (0 bits if not)?
bool cfa_is_float(const struct cfa_checker *checker, const struct ast *node,
                  struct float_format *format);
// The bits of a float of this format.
const struct term *cfa_check_float(struct cfa_checker *checker, const struct ast *node,
                                   struct float_format format);
// = /= < <= > >= of which the left side is a float of this format.
const struct term *cfa_check_float_relation(struct cfa_checker *checker, const struct ast *node,
                                            struct float_format format);
// Operators of floats whose result is none: fpisnan and fptobv, and what is wrong, since its operand is no float.
const struct term *cfa_check_float_test(struct cfa_checker *checker, const struct ast *node);
void cfa_float_error(struct cfa_checker *checker, const struct token *at, struct float_format found,
                     const char *expected);
// The value of a name, which may be a float.
const struct term *cfa_check_name(struct cfa_checker *checker, const struct ast *node);
// Bit-vector operators (bitvector.c).
const struct term *cfa_check_bv_unary(struct cfa_checker *checker, const struct ast *node);
const struct term *cfa_check_bv_binary(struct cfa_checker *checker, const struct token *op,
                                       const struct term *a, const struct ast *a_node,
                                       const struct ast *b_node);
const struct term *cfa_check_extract(struct cfa_checker *checker, const struct ast *node);
const struct term *cfa_check_extend(struct cfa_checker *checker, const struct ast *node);
// True (reported) when the operand is the literal zero.
bool cfa_zero_divisor(struct cfa_checker *checker, const struct ast *node,
                      const struct term *divisor);

#endif
