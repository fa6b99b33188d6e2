#include "languages/xsts/xsts_parse.h"

#include <assert.h>
#include <string.h>

#include "base/vector.h"

// Declarations and statements. After an error the parser goes on behind the next `;`, at a brace,
// or at the next declaration, so that one run reports several errors.

static const struct token_spelling KEYWORDS[] = {
    {"type", X_TYPE},       {"ctrl", X_CTRL},     {"var", X_VAR},         {"boolean", X_BOOLEAN},
    {"integer", X_INTEGER}, {"trans", X_TRANS},   {"init", X_INIT},       {"env", X_ENV},
    {"prop", X_PROP},       {"choice", X_CHOICE}, {"or", X_OR},           {"if", X_IF},
    {"else", X_ELSE},       {"then", X_THEN},     {"for", X_FOR},         {"from", X_FROM},
    {"to", X_TO},           {"do", X_DO},         {"local", X_LOCAL},     {"havoc", X_HAVOC},
    {"assume", X_ASSUME},   {"true", X_TRUE},     {"false", X_FALSE},     {"iff", X_IFF},
    {"xor", X_XOR},         {"rem", X_REM},       {"default", X_DEFAULT}, {NULL, 0},
};

static const struct token_spelling PUNCTUATION[] = {
    {"{", X_OPEN_BRACE},
    {"}", X_CLOSE_BRACE},
    {"(", X_OPEN},
    {")", X_CLOSE},
    {"[", X_OPEN_BRACKET},
    {"]", X_CLOSE_BRACKET},
    {":", X_COLON},
    {";", X_SEMICOLON},
    {",", X_COMMA},
    {":=", X_BECOMES},
    {"=", X_EQUALS},
    {"==", X_EQ},
    {"!=", X_NE},
    {"<", X_LT},
    {"<=", X_LE},
    {">", X_GT},
    {">=", X_GE},
    {"<-", X_ARROW},
    {"->", X_MAPS},
    {"=>", X_IMPLY},
    {"||", X_OR_ELSE},
    {"&&", X_AND_ALSO},
    {"!", X_NOT},
    {"+", X_PLUS},
    {"-", X_MINUS},
    {"*", X_TIMES},
    {"/", X_DIV},
    {"%", X_MOD},
    {NULL, 0},
};

const struct lexer_language xsts_language = {
    .keywords = KEYWORDS, .punctuation = PUNCTUATION, .name_start = "_$", .name_part = "_$."};

static const int DECLARATIONS[] = {X_TYPE, X_CTRL, X_VAR, X_TRANS, X_INIT, X_ENV, X_PROP};
enum { DECLARATION_COUNT = sizeof DECLARATIONS / sizeof *DECLARATIONS };

static const struct xsts_stmt *parse_statement(struct xsts_parser *parser);

static struct position here(const struct xsts_parser *parser)
{
    return lexer_position(&parser->lexer, lexer_token(&parser->lexer));
}

// What no block contains: its `}` is missing.
static bool at_section(const struct xsts_parser *parser)
{
    int kind = lexer_token(&parser->lexer)->kind;
    return kind == X_TRANS || kind == X_INIT || kind == X_ENV || kind == X_PROP ||
           kind == TOKEN_END;
}

// A vector's elements, copied to the arena.
static void *keep(struct xsts_parser *parser, const void *data, size_t bytes)
{
    void *copy = arena_alloc(parser->arena, bytes > 0 ? bytes : 1);
    if (bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

static bool parse_name(struct xsts_parser *parser, struct xsts_name *out, const char *context)
{
    const struct token *token = lexer_expect_in(&parser->lexer, TOKEN_NAME, context);
    if (token == NULL)
        return false;
    *out = (struct xsts_name){xsts_copy(parser, token), lexer_position(&parser->lexer, token)};
    return true;
}

// Statements.

static void set_children(struct xsts_parser *parser, struct xsts_stmt *stmt,
                         const struct xsts_stmt **child, size_t count)
{
    stmt->child = keep(parser, child, count * sizeof(struct xsts_stmt *));
    stmt->child_count = (uint32_t)count;
}

// S1 or … or Sn, the first not read yet.
static bool parse_alternatives(struct xsts_parser *parser, const struct xsts_stmt ***out,
                               uint32_t *count)
{
    VECTOR(const struct xsts_stmt *) list = {0};
    bool good = true;
    do {
        const struct xsts_stmt *stmt = parse_statement(parser);
        good = good && stmt != NULL;
        VECTOR_PUSH(&list, stmt);
    } while (lexer_accept(&parser->lexer, X_OR) != NULL);
    *out = keep(parser, list.data, list.count * sizeof(struct xsts_stmt *));
    *count = (uint32_t)list.count;
    VECTOR_FINISH(&list);
    return good;
}

static bool parse_choice(struct xsts_parser *parser, struct xsts_stmt *stmt)
{
    lexer_next(&parser->lexer);
    stmt->kind = XSTS_CHOICE;
    const struct xsts_stmt **list;
    bool good = parse_alternatives(parser, &list, &stmt->child_count);
    stmt->child = list;
    return good;
}

// Behind an error inside a block: to the next statement.
static void recover_statement(struct xsts_parser *parser)
{
    static const int stops[] = {X_SEMICOLON, X_CLOSE_BRACE, X_TRANS,  X_INIT,   X_ENV, X_PROP,
                                X_LOCAL,     X_HAVOC,       X_ASSUME, X_CHOICE, X_FOR};
    lexer_skip_to(&parser->lexer, stops, sizeof stops / sizeof *stops, true);
    lexer_accept(&parser->lexer, X_SEMICOLON);
}

static bool parse_block(struct xsts_parser *parser, struct xsts_stmt *stmt)
{
    struct lexer *lexer = &parser->lexer;
    lexer_next(lexer);
    stmt->kind = XSTS_BLOCK;
    VECTOR(const struct xsts_stmt *) list = {0};
    bool good = true, after_choice = false;
    while (!lexer_at(lexer, X_CLOSE_BRACE) && !at_section(parser)) {
        if (lexer_at(lexer, X_ELSE) && after_choice)
            lexer_unexpected(lexer, "`or`, a statement or `}` (a `choice` has no `else`)");
        size_t before = lexer->at;
        const struct xsts_stmt *child = parse_statement(parser);
        VECTOR_PUSH(&list, child);
        after_choice = child != NULL && child->kind == XSTS_CHOICE;
        if (child == NULL) {
            good = false;
            recover_statement(parser);
            if (lexer->at == before) // an `else` or the like: nothing was consumed
                lexer_next(lexer);
        }
    }
    set_children(parser, stmt, list.data, list.count);
    VECTOR_FINISH(&list);
    if (lexer_accept(lexer, X_CLOSE_BRACE) != NULL)
        return good;
    return lexer_unexpected(lexer, "a statement or `}`");
}

static bool parse_branch(struct xsts_parser *parser, struct xsts_stmt *stmt)
{
    struct lexer *lexer = &parser->lexer;
    const struct xsts_stmt *child[2] = {NULL, NULL};
    lexer_next(lexer);
    stmt->kind = XSTS_BRANCH;
    if (lexer_expect_in(lexer, X_OPEN, "after `if`") == NULL)
        return false;
    size_t begin = lexer->at;
    if ((stmt->first = xsts_parse_expr(parser)) == NULL)
        return false;
    stmt->written = lexer_words(lexer, begin, lexer->at, parser->arena);
    if (lexer_expect_in(lexer, X_CLOSE, "or an operator") == NULL ||
        (child[0] = parse_statement(parser)) == NULL)
        return false;
    size_t count = 1;
    if (lexer_accept(lexer, X_ELSE) != NULL) {
        count = 2;
        if ((child[1] = parse_statement(parser)) == NULL)
            return false;
    }
    set_children(parser, stmt, child, count);
    return true;
}

static bool parse_named(struct xsts_parser *parser, struct xsts_stmt *stmt, const char *context)
{
    struct xsts_name name;
    if (!parse_name(parser, &name, context))
        return false;
    stmt->name = name.text;
    stmt->name_at = name.at;
    return true;
}

static bool parse_for(struct xsts_parser *parser, struct xsts_stmt *stmt)
{
    struct lexer *lexer = &parser->lexer;
    const struct xsts_stmt *body = NULL;
    lexer_next(lexer);
    stmt->kind = XSTS_FOR;
    if (!parse_named(parser, stmt, "after `for`") || lexer_expect(lexer, X_FROM) == NULL ||
        (stmt->first = xsts_parse_expr(parser)) == NULL || lexer_expect(lexer, X_TO) == NULL ||
        (stmt->second = xsts_parse_expr(parser)) == NULL || lexer_expect(lexer, X_DO) == NULL ||
        (body = parse_statement(parser)) == NULL)
        return false;
    set_children(parser, stmt, &body, 1);
    return true;
}

static bool parse_semicolon(struct xsts_parser *parser)
{
    if (lexer_at(&parser->lexer, X_EQUALS))
        return lexer_unexpected(&parser->lexer, "`;` or an operator (equality is written `==`)");
    return lexer_expect_in(&parser->lexer, X_SEMICOLON, "at the end of the statement") != NULL;
}

static bool parse_local(struct xsts_parser *parser, struct xsts_stmt *stmt)
{
    struct lexer *lexer = &parser->lexer;
    lexer_next(lexer);
    stmt->kind = XSTS_LOCAL;
    if (lexer_at(lexer, X_CTRL))
        return lexer_unexpected(lexer, "`var` (a local variable cannot be `ctrl`)");
    if (lexer_expect_in(lexer, X_VAR, "after `local`") == NULL ||
        !parse_named(parser, stmt, "after `var`") || lexer_expect(lexer, X_COLON) == NULL ||
        (stmt->type = xsts_parse_type(parser)) == NULL)
        return false;
    if (lexer_accept(lexer, X_EQUALS) != NULL && (stmt->first = xsts_parse_expr(parser)) == NULL)
        return false;
    if (lexer_at(lexer, X_BECOMES))
        return lexer_unexpected(lexer, "`=` or `;` (an initial value is given with `=`)");
    return parse_semicolon(parser);
}

static bool parse_assignment(struct xsts_parser *parser, struct xsts_stmt *stmt)
{
    struct lexer *lexer = &parser->lexer;
    parse_named(parser, stmt, NULL);
    const struct xsts_expr **value = &stmt->first;
    stmt->kind = XSTS_ASSIGN;
    if (lexer_accept(lexer, X_OPEN_BRACKET) != NULL) {
        stmt->kind = XSTS_ASSIGN_AT;
        value = &stmt->second;
        parser->in_bracket = true;
        stmt->first = xsts_parse_expr(parser);
        parser->in_bracket = false;
        if (stmt->first == NULL ||
            lexer_expect_in(lexer, X_CLOSE_BRACKET, "after the index") == NULL)
            return false;
    }
    if (lexer_at(lexer, X_EQUALS))
        return lexer_unexpected(lexer, "`:=` (an assignment is written `:=`)");
    if (stmt->kind == XSTS_ASSIGN && !lexer_at(lexer, X_BECOMES))
        return lexer_unexpected(lexer, "`:=` or `[`");
    if (lexer_expect(lexer, X_BECOMES) == NULL || (*value = xsts_parse_expr(parser)) == NULL)
        return false;
    return parse_semicolon(parser);
}

static bool parse_simple(struct xsts_parser *parser, struct xsts_stmt *stmt)
{
    struct lexer *lexer = &parser->lexer;
    if (lexer_accept(lexer, X_HAVOC) != NULL) {
        stmt->kind = XSTS_HAVOC;
        return parse_named(parser, stmt, "after `havoc`") && parse_semicolon(parser);
    }
    if (lexer_accept(lexer, X_ASSUME) != NULL) {
        stmt->kind = XSTS_ASSUME;
        stmt->first = xsts_parse_expr(parser);
        return stmt->first != NULL && parse_semicolon(parser);
    }
    if (lexer_at(lexer, X_VAR))
        return lexer_unexpected(lexer, "a statement (write `local var` for a local variable)");
    return lexer_unexpected(lexer, "a statement");
}

static const struct xsts_stmt *parse_statement(struct xsts_parser *parser)
{
    if (!xsts_enter(parser))
        return NULL;
    struct xsts_stmt *stmt = arena_zalloc(parser->arena, sizeof *stmt);
    stmt->at = here(parser);
    size_t begin = parser->lexer.at;
    bool good;
    switch (lexer_token(&parser->lexer)->kind) {
    case X_OPEN_BRACE:
        good = parse_block(parser, stmt);
        break;
    case X_CHOICE:
        good = parse_choice(parser, stmt);
        break;
    case X_IF:
        good = parse_branch(parser, stmt);
        break;
    case X_FOR:
        good = parse_for(parser, stmt);
        break;
    case X_LOCAL:
        good = parse_local(parser, stmt);
        break;
    case TOKEN_NAME:
        good = parse_assignment(parser, stmt);
        break;
    default:
        good = parse_simple(parser, stmt);
    }
    bool told =
        stmt->kind == XSTS_ASSIGN || stmt->kind == XSTS_ASSIGN_AT || stmt->kind == XSTS_ASSUME;
    if (good && told) // without the semicolon
        stmt->written = lexer_words(&parser->lexer, begin, parser->lexer.at - 1, parser->arena);
    xsts_leave(parser);
    return good ? stmt : NULL;
}

// Declarations.

static void recover_declaration(struct xsts_parser *parser)
{
    lexer_skip_to(&parser->lexer, DECLARATIONS, DECLARATION_COUNT, false);
}

static bool parse_type_decl(struct xsts_parser *parser, struct xsts_type_decl *out)
{
    struct lexer *lexer = &parser->lexer;
    VECTOR(struct xsts_name) literals = {0};
    lexer_next(lexer);
    bool good = parse_name(parser, &out->name, "after `type`") &&
                lexer_expect(lexer, X_COLON) != NULL && lexer_expect(lexer, X_OPEN_BRACE) != NULL;
    while (good) {
        struct xsts_name literal;
        good = parse_name(parser, &literal, "of a literal");
        if (!good)
            break;
        VECTOR_PUSH(&literals, literal);
        if (lexer_accept(lexer, X_CLOSE_BRACE) != NULL)
            break;
        good = lexer_expect_in(lexer, X_COMMA, "or `}` after a literal") != NULL;
    }
    out->literals = keep(parser, literals.data, literals.count * sizeof *literals.data);
    out->literal_count = (uint32_t)literals.count;
    VECTOR_FINISH(&literals);
    return good;
}

static bool parse_var_decl(struct xsts_parser *parser, struct xsts_var_decl *out)
{
    struct lexer *lexer = &parser->lexer;
    *out = (struct xsts_var_decl){.control = lexer_accept(lexer, X_CTRL) != NULL};
    if (lexer_expect_in(lexer, X_VAR, out->control ? "after `ctrl`" : NULL) == NULL ||
        !parse_name(parser, &out->name, "after `var`") || lexer_expect(lexer, X_COLON) == NULL ||
        (out->type = xsts_parse_type(parser)) == NULL)
        return false;
    if (lexer_accept(lexer, X_EQUALS) != NULL && (out->initial = xsts_parse_expr(parser)) == NULL)
        return false;
    if (lexer_at(lexer, X_SEMICOLON))
        return lexer_unexpected(lexer, "the next declaration (a global one ends without `;`)");
    if (lexer_at(lexer, X_BECOMES))
        return lexer_unexpected(lexer, "`=` (an initial value is given with `=`)");
    return true;
}

static void parse_declarations(struct xsts_parser *parser, struct xsts_syntax *out)
{
    struct lexer *lexer = &parser->lexer;
    VECTOR(struct xsts_type_decl) types = {0};
    VECTOR(struct xsts_var_decl) vars = {0};
    while (lexer_at(lexer, X_TYPE) || lexer_at(lexer, X_VAR) || lexer_at(lexer, X_CTRL)) {
        struct xsts_type_decl type;
        struct xsts_var_decl var;
        bool good;
        if (lexer_at(lexer, X_TYPE)) {
            if (vars.count > 0)
                lexer_unexpected(lexer, "`var` or `trans` (types come before variables)");
            good = parse_type_decl(parser, &type);
            if (good)
                VECTOR_PUSH(&types, type);
        } else {
            good = parse_var_decl(parser, &var);
            if (good)
                VECTOR_PUSH(&vars, var);
        }
        if (!good)
            recover_declaration(parser);
    }
    out->types = keep(parser, types.data, types.count * sizeof *types.data);
    out->type_count = (uint32_t)types.count;
    out->vars = keep(parser, vars.data, vars.count * sizeof *vars.data);
    out->var_count = (uint32_t)vars.count;
    VECTOR_FINISH(&types);
    VECTOR_FINISH(&vars);
}

// What to say when the keyword of a set is not there.
static void report_missing_set(struct xsts_parser *parser, enum xsts_set set, bool after_branch)
{
    static const char *const NAMES[] = {"`trans`", "`init`", "`env`"};
    struct lexer *lexer = &parser->lexer;
    char expected[120];
    if (set == XSTS_TRANS && token_is(lexer_token(lexer), "tran"))
        snprintf(expected, sizeof expected, "`trans` (did you mean that?)");
    else if (set == XSTS_TRANS)
        snprintf(expected, sizeof expected, "a declaration or `trans`");
    else
        snprintf(expected, sizeof expected, "%s%s", after_branch ? "`or` or " : "", NAMES[set]);
    lexer_unexpected(lexer, expected);
}

static void parse_sets(struct xsts_parser *parser, struct xsts_syntax *out)
{
    static const int KEYWORD[] = {X_TRANS, X_INIT, X_ENV};
    struct lexer *lexer = &parser->lexer;
    bool in_step = true; // the set before was there, so that a missing one is worth a message
    for (enum xsts_set set = XSTS_TRANS; set < XSTS_SETS; set++) {
        if (!lexer_at(lexer, KEYWORD[set])) {
            if (in_step)
                report_missing_set(parser, set, set != XSTS_TRANS);
            in_step = false;
            // `tran {` is read as the set that it was meant to be.
            bool misspelt = set == XSTS_TRANS && token_is(lexer_token(lexer), "tran");
            if (!misspelt)
                recover_declaration(parser);
            if (!misspelt && !lexer_at(lexer, KEYWORD[set]))
                continue;
        }
        in_step = true;
        lexer_next(lexer);
        const struct xsts_stmt **list;
        in_step = parse_alternatives(parser, &list, &out->sets[set].count);
        out->sets[set].branch = list;
        if (!in_step)
            recover_declaration(parser);
    }
}

// The expression of a property, with its words.
static const struct xsts_expr *parse_invariant(struct xsts_parser *parser)
{
    size_t begin = parser->lexer.at;
    const struct xsts_expr *expression = xsts_parse_expr(parser);
    if (expression == NULL)
        return NULL;
    struct xsts_expr *property = arena_alloc(parser->arena, sizeof *property);
    *property = *expression;
    property->written = lexer_words(&parser->lexer, begin, parser->lexer.at, parser->arena);
    return property;
}

static const struct xsts_expr *parse_prop(struct xsts_parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    const struct xsts_expr *property = NULL;
    if (lexer_expect(lexer, X_PROP) == NULL ||
        lexer_expect_in(lexer, X_OPEN_BRACE, "after `prop`") == NULL ||
        (property = parse_invariant(parser)) == NULL ||
        lexer_expect_in(lexer, X_CLOSE_BRACE, "or an operator") == NULL)
        return NULL;
    return property;
}

static void parser_start(struct xsts_parser *parser, struct arena *arena, const char *path,
                         const char *text, size_t bytes, struct messages *messages)
{
    *parser = (struct xsts_parser){.arena = arena};
    lexer_init(&parser->lexer, &xsts_language, path, text, bytes, messages);
}

bool xsts_parse_model(struct arena *arena, const char *path, const char *text, size_t bytes,
                      struct xsts_syntax *out, struct messages *messages)
{
    size_t errors = messages->errors;
    struct xsts_parser parser;
    *out = (struct xsts_syntax){0};
    parser_start(&parser, arena, path, text, bytes, messages);
    struct lexer *lexer = &parser.lexer;
    parse_declarations(&parser, out);
    parse_sets(&parser, out);
    if (lexer_at(lexer, X_PROP))
        out->property = parse_prop(&parser);
    if (messages->errors == errors && !lexer_at(lexer, TOKEN_END))
        lexer_unexpected(lexer,
                         out->property != NULL ? "end of file" : "`or`, `prop` or end of file");
    assert(parser.depth == 0);
    out->end = lexer_position(lexer, lexer_peek(lexer, lexer->count));
    lexer_finish(lexer);
    return messages->errors == errors;
}

const struct xsts_expr *xsts_parse_property(struct arena *arena, const char *path, const char *text,
                                            size_t bytes, bool bare, struct messages *messages)
{
    size_t errors = messages->errors;
    struct xsts_parser parser;
    parser_start(&parser, arena, path, text, bytes, messages);
    const struct xsts_expr *property =
        bare && !lexer_at(&parser.lexer, X_PROP) ? parse_invariant(&parser) : parse_prop(&parser);
    if (property != NULL && !lexer_at(&parser.lexer, TOKEN_END))
        lexer_unexpected(&parser.lexer, "end of file after the property");
    lexer_finish(&parser.lexer);
    return messages->errors == errors ? property : NULL;
}
