#ifndef REGATTA_LANGUAGES_XSTS_XSTS_H
#define REGATTA_LANGUAGES_XSTS_XSTS_H

#include "base/arena.h"
#include "languages/language.h"

// Private to the XSTS front end. Text becomes a syntax tree (xsts_parse.c, xsts_parse_expr.c), the
// tree becomes typed actions over model variables (xsts_check.c, xsts_expr.c), and those become the
// model's statements and edges (xsts_loops.c decides which loops are unrolled, xsts_lower.c
// builds). Grammar and meaning: docs/definitions/formats.md sections 2 and 3.

// How deep expressions, statements and types may nest, so that no walk over them runs out of stack.
enum { XSTS_DEPTH_LIMIT = 2000 };

// Syntax. Everything lives in the arena given to the parser.

enum xsts_expr_kind {
    XSTS_TRUE,
    XSTS_FALSE,
    XSTS_NUMBER,
    XSTS_NAME,
    XSTS_ARRAY, // key, element, key, element, …, default
    XSTS_IF,
    XSTS_IFF,
    XSTS_IMPLY,
    XSTS_OR, // n children
    XSTS_XOR,
    XSTS_AND, // n children
    XSTS_NOT,
    XSTS_EQ,
    XSTS_NE,
    XSTS_LT,
    XSTS_LE,
    XSTS_GT,
    XSTS_GE,
    XSTS_SUM,     // n children; operators[i], i > 0: XSTS_PLUS or XSTS_MINUS
    XSTS_PRODUCT, // n children; operators[i], i > 0: XSTS_TIMES … XSTS_REM
    XSTS_PLUS,    // with one child: the sign
    XSTS_MINUS,
    XSTS_TIMES,
    XSTS_DIV,
    XSTS_MOD,
    XSTS_REM,
    XSTS_READ,  // array, key
    XSTS_WRITE, // array, key, element
};

struct xsts_type {
    enum { XSTS_BOOLEAN, XSTS_INTEGER, XSTS_MAP, XSTS_NAMED } kind;
    struct position at;
    const char *name;                      // XSTS_NAMED
    const struct xsts_type *key, *element; // XSTS_MAP
};

struct xsts_expr {
    enum xsts_expr_kind kind;
    uint32_t child_count;
    uint32_t depth;                   // 1 + that of the deepest child
    struct position at;               // where it starts
    const char *text;                 // XSTS_NAME, XSTS_NUMBER
    const struct xsts_type *key_type; // XSTS_ARRAY: as given, else NULL
    const struct xsts_expr *const *child;
    const enum xsts_expr_kind *operators;
    const char *written; // of a property that was parsed: its words; else NULL
};

enum xsts_stmt_kind {
    XSTS_BLOCK,
    XSTS_CHOICE,
    XSTS_BRANCH,    // if: one or two children
    XSTS_FOR,       // name, first, second (the bounds), one child
    XSTS_LOCAL,     // name, type, first (the initial value) or NULL
    XSTS_ASSIGN,    // name, first
    XSTS_ASSIGN_AT, // name, first (the key), second
    XSTS_HAVOC,
    XSTS_ASSUME,
};

struct xsts_stmt {
    enum xsts_stmt_kind kind;
    uint32_t child_count;
    struct position at;
    struct position name_at;
    const char *name;
    const struct xsts_type *type;
    const struct xsts_expr *first, *second;
    const char *written; // ASSIGN, ASSIGN_AT, ASSUME: its words; BRANCH: those of its condition
    const struct xsts_stmt *const *child;
};

struct xsts_name {
    const char *text;
    struct position at;
};

struct xsts_type_decl {
    struct xsts_name name;
    uint32_t literal_count;
    const struct xsts_name *literals;
};

struct xsts_var_decl {
    struct xsts_name name;
    bool control;
    const struct xsts_type *type;
    const struct xsts_expr *initial; // NULL when there is none
};

enum xsts_set { XSTS_TRANS, XSTS_INIT, XSTS_ENV, XSTS_SETS };

struct xsts_branches {
    uint32_t count;
    const struct xsts_stmt *const *branch;
};

struct xsts_syntax {
    uint32_t type_count, var_count;
    const struct xsts_type_decl *types;
    const struct xsts_var_decl *vars;
    struct xsts_branches sets[XSTS_SETS];
    const struct xsts_expr *property; // NULL when the model has none
    struct position end;              // of the file
};

// False (and errors) when the text is no XSTS. Errors are reported, never repaired.
bool xsts_parse_model(struct arena *arena, const char *path, const char *text, size_t bytes,
                      struct xsts_syntax *out, struct messages *messages);
// `prop { … }`, or with `bare` the expression alone. NULL on errors.
const struct xsts_expr *xsts_parse_property(struct arena *arena, const char *path, const char *text,
                                            size_t bytes, bool bare, struct messages *messages);

// Typed actions.

enum xsts_action_kind {
    XSTS_DO_SEQUENCE,
    XSTS_DO_CHOICE,
    XSTS_DO_IF, // two children, the second NULL when there is no `else`
    XSTS_DO_FOR,
    XSTS_DO_ASSIGN,
    XSTS_DO_HAVOC,
    XSTS_DO_ASSUME,
};

struct xsts_action {
    enum xsts_action_kind kind;
    uint32_t child_count;
    struct position at;
    const struct variable *variable; // ASSIGN, HAVOC
    const struct term *expression;   // ASSIGN, ASSUME, IF
    const char *written;             // the same in the words of the source; NULL: they are others
    // FOR: the loop variable's term. It becomes a model variable only when the loop is kept as one.
    const struct term *counter;
    const struct term *from, *to; // FOR
    bool kept;                    // FOR: not unrolled (xsts_loops_unroll)
    bool has_kept;                // this or something inside is a kept FOR
    bool has_loop;                // this or something inside is a FOR
    bool reached, ran;            // FOR: unrolled at least once; with at least one round
    struct xsts_action **child;
};

struct xsts_branch_list {
    uint32_t count;
    struct xsts_action **branch;
};

struct xsts_initial {
    const struct variable *variable;
    const struct term *value; // NULL: arbitrary
    struct position at;
};

struct xsts_checked {
    struct xsts_branch_list sets[XSTS_SETS];
    uint32_t initial_count;
    struct xsts_initial *initial; // one per declared variable, in order
    const struct term *property;
    struct position property_at;
    const char *property_written; // NULL: there are no words
};

// Declares the variables in `builder` and checks everything; false and errors when something is
// wrong. `property` replaces the model's own when not NULL.
bool xsts_check(struct arena *arena, const struct xsts_syntax *syntax,
                const struct xsts_expr *property, struct model_builder *builder,
                struct xsts_checked *out, struct messages *messages);

// Constant propagation inside each branch: replaces every loop whose bounds are constants by copies
// of its body, with the loop variable replaced by its value; marks the other loops as kept. Too
// large unrollings are not made.
void xsts_loops_unroll(struct arena *arena, struct xsts_checked *checked, struct term_store *store,
                       struct messages *messages);

// Locations, edges, initial action, property.
void xsts_lower(struct xsts_checked *checked, enum property_at property_at,
                struct model_builder *builder);

#endif
