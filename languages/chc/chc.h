#ifndef REGATTA_LANGUAGES_CHC_CHC_H
#define REGATTA_LANGUAGES_CHC_CHC_H

#include "base/arena.h"
#include "base/vector.h"
#include "languages/language.h"
#include "logic/terms/read_smtlib.h"
#include "logic/terms/rewrite.h"

// Constrained Horn clauses in SMT-LIB 2.6, logic HORN, as CHC-COMP writes them; private to the front end.
//
//   chc.c         commands
//   chc_clause.c  one assertion: formula in, clauses out
//   chc_lower.c   linear clauses in, model out: a location for each predicate, an edge for each clause
//
// While reading, an application of a predicate is a Boolean variable, its mark, and a clause variable has
// `|` in front of its name, so that it is nobody else's. Neither is left in the model.

#define CHC_NONE UINT32_MAX

struct chc_predicate {
    const char *name;
    struct term_vector parameters; // for their sorts
    struct position at;
    // Lowering.
    bool reached;
    struct location *location;
    const struct variable **slots; // of the parameters; in the arena
};

struct chc_application {
    uint32_t predicate;
    const struct term *const *arguments;
    const struct term *mark;
    struct position at;
};

// (define-fun name (parameters) sort body)
struct chc_macro {
    struct term_vector parameters;
    const struct term *body;
};

// body and constraints imply head; all variables universal.
struct chc_clause {
    uint32_t body, head; // applications; CHC_NONE: `true`, `false`
    const struct term **constraints;
    size_t constraint_count;
    struct position at;
};

enum chc_name { CHC_UNKNOWN, CHC_PREDICATE, CHC_MACRO, CHC_MARK };

struct chc {
    struct messages *messages;
    const char *path;
    struct arena arena;
    struct model_builder *builder;
    struct term_store *store;
    struct smtlib_reader *reader;
    VECTOR(struct chc_predicate) predicates;
    VECTOR(struct chc_macro) macros;
    VECTOR(struct chc_application) applications;
    VECTOR(struct chc_clause) clauses;
    // By the id of the term that stands for a name or is a mark.
    VECTOR(struct {
        enum chc_name kind;
        uint32_t number;
    })
    names;
    size_t first_application; // of the assertion that is being read
    uint32_t quantifiers;     // met in it so far
    unsigned depth;           // of the recursion
    bool unsupported;         // why reading fails: no error, but nothing that is handled
    bool cut;                 // a command is not supported, and what follows may rest on it
    bool checked;             // (check-sat) was seen
};

struct position chc_at(const struct chc *c, const struct sexpr *e);
// Reports what smtlib_reader said. Always false.
bool chc_blame(struct chc *c, const struct sexpr *e, const struct text *why);
// "found `…`, expected …". Always false.
bool chc_fail(struct chc *c, const struct sexpr *e, const char *expected);

// The parameters ((name sort) …) as clause variables, bound. False with a message.
bool chc_bind_variables(struct chc *c, const struct sexpr *list, struct term_vector *out);
// What smtlib_reader asks for.
const struct term *chc_call(void *context, const struct sexpr *name,
                            const struct term *const *arguments, size_t count, struct text *why);
// What a declared name, or a mark, is.
enum chc_name chc_find(const struct chc *c, const struct term *term, uint32_t *number);
void chc_note(struct chc *c, const struct term *term, enum chc_name kind, uint32_t number);
// The term that stands for a declared name.
const struct term *chc_name_term(struct chc *c, const char *name);
const struct term *chc_apply(struct chc *c, uint32_t predicate, const struct term *const *arguments,
                             struct position at);
static inline bool chc_is_variable(const struct term *term)
{
    return term->kind == TERM_VAR && term->u.var.name[0] == '|';
}

// (assert formula): adds its clauses. False with a message.
bool chc_read_assertion(struct chc *c, const struct sexpr *formula);

// All clauses are linear. The builder gets everything.
void chc_lower(struct chc *c);

#endif
