#include "languages/cfa/cfa_parse.h"

#include <assert.h>
#include <string.h>

#define AT(kind) lexer_at(&parser->lexer, kind)

static bool starts_statement(struct cfa_parser *parser)
{
    return AT(CFA_HAVOC) || AT(CFA_ASSUME) || AT(CFA_RETURN) ||
           (AT(TOKEN_NAME) && lexer_peek(&parser->lexer, 1)->kind == CFA_BECOMES);
}

static bool starts_location(struct cfa_parser *parser)
{
    return AT(CFA_INIT) || AT(CFA_FINAL) || AT(CFA_ERROR) || AT(CFA_LOC);
}

static bool starts_member(struct cfa_parser *parser)
{
    return AT(CFA_VAR) || starts_location(parser) ||
           (AT(TOKEN_NAME) && lexer_peek(&parser->lexer, 1)->kind == CFA_RARROW);
}

static bool starts_process(struct cfa_parser *parser)
{
    return AT(CFA_MAIN) || AT(CFA_PROCESS);
}

// Statements.

static bool parse_assignment(struct cfa_parser *parser, struct cfa_statement *statement)
{
    struct lexer *lexer = &parser->lexer;
    statement->kind = CFA_BECOMES;
    statement->name = lexer_expect(lexer, TOKEN_NAME);
    if (statement->name == NULL)
        return false;
    if (AT(CFA_LBRACKET))
        return lexer_unexpected(lexer, "`:=` (an array is written as `a := a[i <- e]`)");
    if (lexer_expect(lexer, CFA_BECOMES) == NULL)
        return false;
    statement->expression = cfa_parse_expr(parser);
    return statement->expression != NULL;
}

static bool parse_return(struct cfa_parser *parser)
{
    const struct token *at = lexer_next(&parser->lexer);
    message_add(parser->messages, MESSAGE_UNSUPPORTED, lexer_position(&parser->lexer, at),
                "statement `return`");
    return cfa_parse_expr(parser) != NULL;
}

// *statement is left with kind 0 when there is nothing to keep.
static bool parse_statement(struct cfa_parser *parser, struct cfa_statement *statement)
{
    struct lexer *lexer = &parser->lexer;
    *statement = (struct cfa_statement){.at = lexer_token(lexer)};
    switch (statement->at->kind) {
    case TOKEN_NAME:
        return parse_assignment(parser, statement);
    case CFA_HAVOC:
        lexer_next(lexer);
        statement->kind = CFA_HAVOC;
        statement->name = lexer_expect_in(lexer, TOKEN_NAME, "after `havoc`");
        return statement->name != NULL;
    case CFA_ASSUME:
        lexer_next(lexer);
        statement->kind = CFA_ASSUME;
        statement->expression = cfa_parse_expr(parser);
        return statement->expression != NULL;
    case CFA_RETURN:
        return parse_return(parser);
    default:
        return lexer_unexpected(lexer, "a statement or `}`");
    }
}

static void skip_statement(struct cfa_parser *parser)
{
    while (!starts_statement(parser) && !starts_member(parser) && !starts_process(parser) &&
           !AT(CFA_RBRACE) && !AT(TOKEN_END))
        lexer_next(&parser->lexer);
}

static bool parse_statements(struct cfa_parser *parser, struct cfa_edge *edge)
{
    VECTOR(struct cfa_statement) list = {0};
    while (!AT(CFA_RBRACE) && !AT(TOKEN_END) && !starts_process(parser) && !starts_member(parser)) {
        struct cfa_statement statement;
        size_t begin = parser->lexer.at;
        if (!parse_statement(parser, &statement)) {
            skip_statement(parser);
        } else if (statement.kind) {
            assert(begin < parser->lexer.at); // it has words of its own
            statement.written = lexer_words(&parser->lexer, begin, parser->lexer.at, parser->arena);
            VECTOR_PUSH(&list, statement);
        }
    }
    struct cfa_statement *copy = arena_alloc(parser->arena, (list.count + 1) * sizeof *copy);
    if (list.count > 0)
        memcpy(copy, list.data, list.count * sizeof *copy);
    edge->statements = copy;
    edge->count = list.count;
    VECTOR_FINISH(&list);
    return lexer_expect(&parser->lexer, CFA_RBRACE) != NULL;
}

// Members of a process.

// Kept without a type when that is wrong: its uses are not errors then.
static bool parse_variable(struct cfa_parser *parser, struct ast_decls *variables)
{
    struct ast_decl decl;
    bool fine = cfa_parse_decl(parser, &decl);
    if (decl.name != NULL)
        VECTOR_PUSH(variables, decl);
    return fine;
}

static bool parse_edge(struct cfa_parser *parser, struct cfa_process *process)
{
    struct lexer *lexer = &parser->lexer;
    struct cfa_edge edge = {.source = lexer_next(lexer)};
    if (AT(CFA_BECOMES)) {
        lexer_error(lexer, edge.source, "found a statement outside an edge");
        return false;
    }
    if (lexer_expect(lexer, CFA_RARROW) == NULL)
        return false;
    edge.target = lexer_expect_in(lexer, TOKEN_NAME, "after `->`");
    if (edge.target == NULL)
        return false;
    bool fine = lexer_accept(lexer, CFA_LBRACE) == NULL || parse_statements(parser, &edge);
    VECTOR_PUSH(&process->edges, edge);
    return fine;
}

static bool parse_location(struct cfa_parser *parser, struct cfa_process *process)
{
    struct cfa_location location = {.at = lexer_token(&parser->lexer)};
    if (!AT(CFA_LOC))
        location.kind = lexer_next(&parser->lexer)->kind;
    if (lexer_expect(&parser->lexer, CFA_LOC) == NULL)
        return false;
    location.name = lexer_expect_in(&parser->lexer, TOKEN_NAME, "after `loc`");
    if (location.name != NULL)
        VECTOR_PUSH(&process->locations, location);
    return location.name != NULL;
}

static bool parse_member(struct cfa_parser *parser, struct cfa_process *process)
{
    struct lexer *lexer = &parser->lexer;
    if (lexer_accept(lexer, CFA_VAR) != NULL)
        return parse_variable(parser, &process->variables);
    if (starts_location(parser))
        return parse_location(parser, process);
    if (AT(TOKEN_NAME))
        return parse_edge(parser, process);
    if (AT(CFA_ASSUME) || AT(CFA_HAVOC) || AT(CFA_RETURN)) {
        lexer_error(lexer, lexer_next(lexer), "found a statement outside an edge");
        return false;
    }
    return lexer_unexpected(lexer, "`var`, a location, an edge or `}`");
}

static void skip_member(struct cfa_parser *parser)
{
    while (!starts_member(parser) && !starts_process(parser) && !AT(CFA_RBRACE) && !AT(TOKEN_END)) {
        static const int closing[] = {CFA_RBRACE};
        if (lexer_accept(&parser->lexer, CFA_LBRACE) != NULL) {
            lexer_skip_to(&parser->lexer, closing, 1, true);
            lexer_accept(&parser->lexer, CFA_RBRACE);
        } else {
            lexer_next(&parser->lexer);
        }
    }
}

static bool parse_header(struct cfa_parser *parser, struct cfa_process *process)
{
    struct lexer *lexer = &parser->lexer;
    process->main = lexer_accept(lexer, CFA_MAIN) != NULL;
    if (lexer_expect(lexer, CFA_PROCESS) == NULL)
        return false;
    process->name = lexer_expect_in(lexer, TOKEN_NAME, "after `process`");
    if (process->name == NULL)
        return false;
    if (lexer_accept(lexer, CFA_LPAREN) != NULL) {
        const struct ast_decl *decls;
        uint32_t count;
        if (!cfa_parse_decls(parser, true, &decls, &count))
            return false;
        for (uint32_t i = 0; i < count; i++)
            VECTOR_PUSH(&process->variables, decls[i]);
    }
    return lexer_expect(lexer, CFA_LBRACE) != NULL;
}

static bool parse_process(struct cfa_parser *parser, struct cfa_file *file)
{
    struct cfa_process *process = arena_zalloc(parser->arena, sizeof *process);
    VECTOR_PUSH(&file->processes, process);
    if (!parse_header(parser, process))
        return false;
    while (!AT(CFA_RBRACE) && !AT(TOKEN_END) && !starts_process(parser)) {
        if (!parse_member(parser, process))
            skip_member(parser);
    }
    return lexer_expect_in(&parser->lexer, CFA_RBRACE, "at the end of the process") != NULL;
}

void cfa_parse_file(struct cfa_parser *parser, struct cfa_file *file)
{
    static const int starts[] = {CFA_VAR, CFA_MAIN, CFA_PROCESS};
    struct lexer *lexer = &parser->lexer;
    while (!AT(TOKEN_END)) {
        bool fine;
        if (starts_process(parser))
            fine = parse_process(parser, file);
        else if (lexer_accept(lexer, CFA_VAR) != NULL)
            fine = parse_variable(parser, &file->variables);
        else
            fine = lexer_unexpected(lexer, "`var` or `process`");
        if (!fine && !starts_process(parser))
            lexer_skip_to(lexer, starts, 3, false);
    }
}

void cfa_file_finish(struct cfa_file *file)
{
    for (size_t i = 0; i < file->processes.count; i++) {
        VECTOR_FINISH(&file->processes.data[i]->variables);
        VECTOR_FINISH(&file->processes.data[i]->locations);
        VECTOR_FINISH(&file->processes.data[i]->edges);
    }
    VECTOR_FINISH(&file->variables);
    VECTOR_FINISH(&file->processes);
}
