#ifndef REGATTA_LANGUAGES_EXPRESSIONS_SCOPE_H
#define REGATTA_LANGUAGES_EXPRESSIONS_SCOPE_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vector.h"
#include "languages/text/lexer.h"
#include "logic/terms/float_terms.h"
#include "logic/terms/term.h"

// What a name in an expression of CFA or STS stands for. Scopes nest; an inner name hides an outer
// one. Symbols live in an arena, a scope's table until cfa_scope_finish.

struct cfa_symbol {
    const char *name; // interned nowhere: compare the text
    const struct token *at;
    const struct sort *sort;    // NULL: not supported, reported already; so are all uses
    struct float_format format; // of a float; else 0 bits
    const struct term *now;     // its value; NULL when an error was reported
    const struct term *next;    // its value after the step (STS); NULL: has none
    uint32_t height;            // of the tree that `now` was made from, with all it refers to
    uint32_t tag;               // for the owner: which variable it is
    bool fixed;                 // a constant: `'` makes no sense
};

struct cfa_scope {
    const struct cfa_scope *outer;
    VECTOR(struct cfa_symbol *) symbols;
    struct hash_index index; // by name
};

void cfa_scope_init(struct cfa_scope *scope, const struct cfa_scope *outer);
void cfa_scope_finish(struct cfa_scope *scope);
// False when the scope itself has the name already.
bool cfa_scope_add(struct cfa_scope *scope, struct cfa_symbol *symbol);
// The innermost symbol of that name; NULL when there is none.
struct cfa_symbol *cfa_scope_find(const struct cfa_scope *scope, const char *name, size_t length);
// A name in scope that is spelled like this one; NULL when none is.
const char *cfa_scope_nearest(const struct cfa_scope *scope, const char *name);

#endif
