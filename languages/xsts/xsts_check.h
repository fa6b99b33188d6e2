#ifndef REGATTA_LANGUAGES_XSTS_XSTS_CHECK_H
#define REGATTA_LANGUAGES_XSTS_XSTS_CHECK_H

#include "languages/xsts/xsts.h"
#include "languages/xsts/xsts_symbols.h"

// What the checks of declarations, statements (xsts_check.c) and expressions (xsts_expr.c) share.

struct xsts_checker {
    struct arena *arena;
    struct model_builder *builder;
    struct term_store *store;
    struct messages *messages;
    struct symbols types, values;
    size_t scope; // number of the first symbol of the innermost block
    // Locals that became `written`, by number in `values`, in order; a branch forgets its own part
    // at its end and all branches together put it back (see xsts_check.c).
    VECTOR(uint32_t) writes;
    VECTOR(const struct xsts_action *) loops; // open ones, from the outside
    VECTOR(bool) assigned;                    // by index of the variable
    uint32_t counters;                        // loops met so far
    bool read_variable;                       // an expression looked at a variable
};

// All return NULL after an error.

const struct sort *xsts_check_type(struct xsts_checker *checker, const struct xsts_type *type);
// `expected` NULL: any sort.
const struct term *xsts_check_expr(struct xsts_checker *checker, const struct xsts_expr *expr,
                                   const struct sort *expected);
void xsts_report_unknown(struct xsts_checker *checker, const struct symbols *where,
                         const char *what, const char *name, struct position at);
// Warns when the local variable `number` has not been written on any path to here.
void xsts_note_read(struct xsts_checker *checker, uint32_t number, struct position at);

#endif
