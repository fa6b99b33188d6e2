#ifndef REGATTA_LOGIC_TERMS_SEXPR_H
#define REGATTA_LOGIC_TERMS_SEXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

// S-expressions as SMT-LIB 2.6 writes them: certificates, answers of solver processes.

enum sexpr_kind {
    SEXPR_LIST,
    SEXPR_SYMBOL,  // text without its bars
    SEXPR_KEYWORD, // text with its colon
    SEXPR_NUMERAL, // text: digits
    SEXPR_DECIMAL, // text: digits.digits
    SEXPR_HEX,     // text: what follows #x
    SEXPR_BINARY,  // text: what follows #b
    SEXPR_STRING,  // text without its quotes, "" inside made one
};

struct sexpr {
    enum sexpr_kind kind;
    bool quoted;           // SYMBOL: it was written in bars
    unsigned line, column; // from 1; where it begins
    const char *text;      // NULL for lists
    size_t count;          // of children
    const struct sexpr *const *child;
};

struct sexpr_reader {
    const char *at, *end;
    unsigned line;
    const char *line_start;            // NULL before the first call
    unsigned wrong_line, wrong_column; // after SEXPR_WRONG
};

enum sexpr_status { SEXPR_READ, SEXPR_END, SEXPR_WRONG };

// The next expression, in the arena. SEXPR_END: there is none; SEXPR_WRONG: `why` says what is wrong,
// the reader where. Nesting is limited by memory only.
enum sexpr_status sexpr_read(struct sexpr_reader *reader, struct arena *arena,
                             const struct sexpr **out, struct text *why);

// Is it the symbol (not in bars) or keyword `text`?
bool sexpr_is(const struct sexpr *e, const char *text);
// Is it a list that begins with the symbol `head` and has `count` children (0 = any number)?
bool sexpr_is_call(const struct sexpr *e, const char *head, size_t count);

#endif
