#include "languages/sts/sts_parse.h"

#define AT(kind) lexer_at(&parser->lexer, kind)

static bool starts_decl(struct cfa_parser *parser)
{
    return AT(STS_CONST) || AT(CFA_VAR);
}

static bool starts_clause(struct cfa_parser *parser)
{
    return AT(STS_INVARIANT) || AT(STS_INITIAL) || AT(STS_TRANSITION);
}

static bool starts_member(struct cfa_parser *parser)
{
    return starts_decl(parser) || AT(STS_SYSTEM) || AT(STS_PROPERTY);
}

static bool parse_decl(struct cfa_parser *parser, struct sts_decls *decls)
{
    struct sts_decl decl = {.constant = lexer_next(&parser->lexer)->kind == STS_CONST};
    bool fine = cfa_parse_decl(parser, &decl.decl);
    if (fine && lexer_accept(&parser->lexer, CFA_BECOMES) != NULL) {
        decl.value = cfa_parse_expr(parser);
        fine = decl.value != NULL;
    }
    if (decl.decl.name != NULL)
        VECTOR_PUSH(decls, decl);
    return fine;
}

static bool parse_clause(struct cfa_parser *parser, struct sts_body *body)
{
    struct sts_clause clause = {.kind = lexer_next(&parser->lexer)->kind};
    clause.formula = cfa_parse_expr(parser);
    if (clause.formula != NULL)
        VECTOR_PUSH(&body->clauses, clause);
    return clause.formula != NULL;
}

static bool parse_block(struct cfa_parser *parser, struct sts_body *body)
{
    while (!AT(CFA_RBRACE) && !AT(TOKEN_END) && !AT(STS_SYSTEM) && !AT(STS_PROPERTY)) {
        bool fine = starts_decl(parser) ? parse_decl(parser, &body->decls)
                    : starts_clause(parser)
                        ? parse_clause(parser, body)
                        : lexer_unexpected(&parser->lexer, "`var`, `const`, `invariant`, "
                                                           "`initial`, `transition` or `}`");
        while (!fine && !starts_clause(parser) && !starts_member(parser) && !AT(CFA_RBRACE) &&
               !AT(TOKEN_END))
            lexer_next(&parser->lexer);
    }
    return lexer_expect_in(&parser->lexer, CFA_RBRACE, "at the end of the system") != NULL;
}

static bool parse_body(struct cfa_parser *parser, struct sts_body *body)
{
    if (lexer_accept(&parser->lexer, CFA_LBRACE) != NULL)
        return parse_block(parser, body);
    if (!AT(TOKEN_NAME))
        return lexer_unexpected(&parser->lexer, "`{` or the name of a system");
    body->reference = lexer_next(&parser->lexer);
    return lexer_accept(&parser->lexer, CFA_LPAREN) == NULL ||
           cfa_parse_arguments(parser, &body->arguments, &body->argument_count);
}

static bool parse_parameters(struct cfa_parser *parser, const struct ast_decl **decls,
                             uint32_t *count)
{
    return lexer_accept(&parser->lexer, CFA_LPAREN) == NULL ||
           cfa_parse_decls(parser, true, decls, count);
}

static bool parse_definition(struct cfa_parser *parser, struct sts_file *file)
{
    lexer_next(&parser->lexer);
    struct sts_definition *definition = arena_zalloc(parser->arena, sizeof *definition);
    definition->name = lexer_expect_in(&parser->lexer, TOKEN_NAME, "after `system`");
    if (definition->name == NULL)
        return false;
    VECTOR_PUSH(&file->definitions, definition);
    return parse_parameters(parser, &definition->parameters, &definition->parameter_count) &&
           lexer_expect(&parser->lexer, CFA_BECOMES) != NULL &&
           parse_body(parser, &definition->body);
}

static bool parse_property(struct cfa_parser *parser, struct sts_file *file)
{
    struct lexer *lexer = &parser->lexer;
    lexer_next(lexer);
    struct sts_property *property = arena_zalloc(parser->arena, sizeof *property);
    property->name = lexer_expect_in(lexer, TOKEN_NAME, "after `property`");
    if (property->name == NULL)
        return false;
    VECTOR_PUSH(&file->properties, property);
    if (lexer_expect(lexer, CFA_COLON) == NULL || !parse_body(parser, &property->body) ||
        lexer_expect(lexer, STS_MODELS) == NULL)
        return false;
    if (!AT(TOKEN_NAME) || !token_is(lexer_token(lexer), "G"))
        return lexer_unexpected(lexer, "`G(…)` after `models`");
    lexer_next(lexer);
    if (lexer_expect_in(lexer, CFA_LPAREN, "after `G`") == NULL)
        return false;
    property->invariant = cfa_parse_expr(parser);
    return property->invariant != NULL && lexer_expect(lexer, CFA_RPAREN) != NULL;
}

static bool parse_member(struct cfa_parser *parser, struct sts_file *file)
{
    if (starts_decl(parser))
        return parse_decl(parser, &file->decls);
    if (AT(STS_SYSTEM))
        return parse_definition(parser, file);
    if (AT(STS_PROPERTY))
        return parse_property(parser, file);
    return lexer_unexpected(&parser->lexer, "`var`, `const`, `system`, `property` or `}`");
}

static void skip_member(struct cfa_parser *parser)
{
    static const int closing[] = {CFA_RBRACE};
    while (!starts_member(parser) && !AT(CFA_RBRACE) && !AT(TOKEN_END)) {
        if (lexer_accept(&parser->lexer, CFA_LBRACE) != NULL) {
            lexer_skip_to(&parser->lexer, closing, 1, true);
            lexer_accept(&parser->lexer, CFA_RBRACE);
        } else {
            lexer_next(&parser->lexer);
        }
    }
}

static bool parse_header(struct cfa_parser *parser, struct sts_file *file)
{
    if (lexer_expect(&parser->lexer, STS_SPECIFICATION) == NULL)
        return false;
    file->name = lexer_expect_in(&parser->lexer, TOKEN_NAME, "after `specification`");
    return file->name != NULL &&
           parse_parameters(parser, &file->parameters, &file->parameter_count) &&
           lexer_expect(&parser->lexer, CFA_LBRACE) != NULL;
}

void sts_parse_file(struct cfa_parser *parser, struct sts_file *file)
{
    if (!parse_header(parser, file))
        return;
    while (!AT(CFA_RBRACE) && !AT(TOKEN_END)) {
        if (!parse_member(parser, file))
            skip_member(parser);
    }
    if (lexer_expect_in(&parser->lexer, CFA_RBRACE, "at the end of the specification") != NULL)
        lexer_expect(&parser->lexer, TOKEN_END);
}

static void finish_body(struct sts_body *body)
{
    VECTOR_FINISH(&body->decls);
    VECTOR_FINISH(&body->clauses);
}

void sts_file_finish(struct sts_file *file)
{
    for (size_t i = 0; i < file->definitions.count; i++)
        finish_body(&file->definitions.data[i]->body);
    for (size_t i = 0; i < file->properties.count; i++)
        finish_body(&file->properties.data[i]->body);
    VECTOR_FINISH(&file->decls);
    VECTOR_FINISH(&file->definitions);
    VECTOR_FINISH(&file->properties);
}
