#ifndef REGATTA_LANGUAGES_STS_STS_PARSE_H
#define REGATTA_LANGUAGES_STS_STS_PARSE_H

#include "base/vector.h"
#include "languages/expressions/expression.h"

// The text of a symbolic transition system as a syntax tree (docs/definitions/formats.md 5), in the parser's arena.

struct sts_decl {
    bool constant;
    struct ast_decl decl;
    const struct ast *value; // NULL: none
};

struct sts_decls {
    struct sts_decl *data;
    size_t count, capacity;
};

struct sts_clause {
    int kind; // STS_INVARIANT, STS_INITIAL, STS_TRANSITION
    const struct ast *formula;
};

// Either a block or a reference to a definition.
struct sts_body {
    const struct token *reference;
    const struct ast *const *arguments;
    uint32_t argument_count;
    struct sts_decls decls;
    VECTOR(struct sts_clause) clauses;
};

struct sts_definition {
    const struct token *name;
    const struct ast_decl *parameters;
    uint32_t parameter_count;
    struct sts_body body;
    bool open; // being expanded
};

struct sts_property {
    const struct token *name;
    struct sts_body body;
    const struct ast *invariant;
};

struct sts_file {
    const struct token *name; // of the specification
    const struct ast_decl *parameters;
    uint32_t parameter_count;
    struct sts_decls decls;
    VECTOR(struct sts_definition *) definitions;
    VECTOR(struct sts_property *) properties;
};

// All errors of syntax go to the parser's messages; what could be read is in the file.
void sts_parse_file(struct cfa_parser *parser, struct sts_file *file);
void sts_file_finish(struct sts_file *file);

#endif
