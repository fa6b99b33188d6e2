#ifndef REGATTA_LANGUAGES_CFA_CFA_PARSE_H
#define REGATTA_LANGUAGES_CFA_CFA_PARSE_H

#include "base/vector.h"
#include "languages/expressions/expression.h"

// The text of a control-flow automaton as a syntax tree (docs/definitions/formats.md 4.1), in the parser's arena.

struct cfa_statement {
    int kind; // CFA_BECOMES, CFA_HAVOC, CFA_ASSUME
    const struct token *at;
    const struct token *name;     // BECOMES, HAVOC
    const struct ast *expression; // BECOMES, ASSUME
    const char *written;          // the same statement's words
};

struct cfa_location {
    int kind; // CFA_INIT, CFA_FINAL, CFA_ERROR or 0
    const struct token *at, *name;
};

struct cfa_edge {
    const struct token *source, *target;
    const struct cfa_statement *statements;
    size_t count;
};

struct ast_decls {
    struct ast_decl *data;
    size_t count, capacity;
};

struct cfa_process {
    bool main;
    const struct token *name;
    struct ast_decls variables; // the parameters first
    VECTOR(struct cfa_location) locations;
    VECTOR(struct cfa_edge) edges;
};

struct cfa_file {
    struct ast_decls variables;
    VECTOR(struct cfa_process *) processes;
};

// All errors of syntax go to the parser's messages; what could be read is in the file.
void cfa_parse_file(struct cfa_parser *parser, struct cfa_file *file);
void cfa_file_finish(struct cfa_file *file);

#endif
