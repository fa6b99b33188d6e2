#include <string.h>

#include "base/vector.h"
#include "languages/expressions/expression.h"

// Types, declarations, and what all parsing of CFA and STS needs.

const char *cfa_token_text(struct cfa_parser *parser, const struct token *token)
{
    return arena_strndup(parser->arena, token->text, token->length);
}

bool cfa_too_deep(struct cfa_parser *parser, const struct token *at)
{
    // The next error at this token would only repeat it.
    lexer_error(&parser->lexer, at, "found more than %d levels of nesting", CFA_MAX_DEPTH);
    parser->lexer.last_error = parser->lexer.at + 1;
    return false;
}

bool cfa_enter(struct cfa_parser *parser)
{
    if (parser->depth >= CFA_MAX_DEPTH)
        return cfa_too_deep(parser, lexer_token(&parser->lexer));
    parser->depth++;
    return true;
}

const void *cfa_copy(struct cfa_parser *parser, const void *items, size_t bytes)
{
    void *block = arena_alloc(parser->arena, bytes);
    if (bytes > 0)
        memcpy(block, items, bytes);
    return block;
}

void cfa_report_float(struct cfa_parser *parser, const struct token *at, const char *what)
{
    if (!parser->float_reported)
        message_add(parser->messages, MESSAGE_UNSUPPORTED, lexer_position(&parser->lexer, at),
                    "floating point %s `%.*s`", what, (int)at->length, at->text);
    parser->float_reported = true;
}

bool cfa_skip_brackets(struct cfa_parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    static const int end[] = {CFA_RBRACKET, CFA_LBRACE, CFA_RBRACE};
    while (lexer_accept(lexer, CFA_LBRACKET) != NULL) {
        lexer_skip_to(lexer, end, 3, false);
        if (lexer_expect(lexer, CFA_RBRACKET) == NULL)
            return false;
    }
    return true;
}

static bool parse_width(struct cfa_parser *parser, const struct sort **sort)
{
    struct lexer *lexer = &parser->lexer;
    if (lexer_expect_in(lexer, CFA_LBRACKET, "after `bv`") == NULL)
        return false;
    const struct token *number = lexer_expect(lexer, TOKEN_NUMBER);
    if (number == NULL || lexer_expect(lexer, CFA_RBRACKET) == NULL)
        return false;
    uint64_t width = 0;
    for (size_t i = 0; i < number->length && width <= CFA_MAX_WIDTH; i++)
        width = 10 * width + (uint64_t)(number->text[i] - '0');
    *sort = NULL;
    if (width == 0)
        lexer_error(lexer, number, "found the width 0, expected at least 1");
    else if (width > CFA_MAX_WIDTH)
        message_add(parser->messages, MESSAGE_UNSUPPORTED, lexer_position(lexer, number),
                    "bit-vector of more than %d bits", CFA_MAX_WIDTH);
    else
        *sort = sort_bv(parser->store, (uint32_t)width);
    return true;
}

// [K, …] -> V and (A, …) -> V, both as nested arrays.
static bool parse_map_type(struct cfa_parser *parser, int closing, const struct sort **sort)
{
    VECTOR(const struct sort *) keys = {0};
    const struct sort *key, *value = NULL;
    bool fine, known = true;
    do {
        fine = cfa_parse_type(parser, &key);
        known = known && fine && key != NULL;
        VECTOR_PUSH(&keys, key);
    } while (fine && lexer_accept(&parser->lexer, CFA_COMMA) != NULL);
    fine = fine && lexer_expect(&parser->lexer, closing) != NULL &&
           lexer_expect(&parser->lexer, CFA_RARROW) != NULL && cfa_parse_type(parser, &value);
    known = known && fine && value != NULL;
    for (size_t i = keys.count; known && i-- > 0;)
        value = sort_array(parser->store, keys.data[i], value);
    *sort = known ? value : NULL;
    VECTOR_FINISH(&keys);
    return fine;
}

static bool parse_type_inside(struct cfa_parser *parser, const struct sort **sort)
{
    struct lexer *lexer = &parser->lexer;
    const struct token *at = lexer_token(lexer);
    switch (at->kind) {
    case CFA_BOOL:
        *sort = sort_bool(parser->store);
        break;
    case CFA_INT:
        *sort = sort_int(parser->store);
        break;
    case CFA_RAT:
        *sort = sort_rat(parser->store);
        break;
    case CFA_BV:
        lexer_next(lexer);
        return parse_width(parser, sort);
    case CFA_FP:
        lexer_next(lexer);
        cfa_report_float(parser, at, "type");
        *sort = NULL;
        return cfa_skip_brackets(parser);
    case CFA_LBRACKET:
        lexer_next(lexer);
        return parse_map_type(parser, CFA_RBRACKET, sort);
    case CFA_LPAREN:
        lexer_next(lexer);
        return parse_map_type(parser, CFA_RPAREN, sort);
    default:
        return lexer_unexpected(lexer, "a type");
    }
    lexer_next(lexer);
    return true;
}

bool cfa_parse_type(struct cfa_parser *parser, const struct sort **sort)
{
    *sort = NULL;
    if (!cfa_enter(parser))
        return false;
    bool fine = parse_type_inside(parser, sort);
    parser->depth--;
    return fine;
}

bool cfa_parse_decl(struct cfa_parser *parser, struct ast_decl *decl)
{
    decl->sort = NULL;
    decl->name = lexer_expect(&parser->lexer, TOKEN_NAME);
    return decl->name != NULL && lexer_expect(&parser->lexer, CFA_COLON) != NULL &&
           cfa_parse_type(parser, &decl->sort);
}

bool cfa_parse_decls(struct cfa_parser *parser, bool empty, const struct ast_decl **decls,
                     uint32_t *count)
{
    VECTOR(struct ast_decl) list = {0};
    bool fine = true;
    if (!empty || !lexer_at(&parser->lexer, CFA_RPAREN)) {
        do {
            struct ast_decl decl;
            fine = cfa_parse_decl(parser, &decl);
            if (fine)
                VECTOR_PUSH(&list, decl);
        } while (fine && lexer_accept(&parser->lexer, CFA_COMMA) != NULL);
    }
    *decls = cfa_copy(parser, list.data, list.count * sizeof *list.data);
    *count = (uint32_t)list.count;
    VECTOR_FINISH(&list);
    return fine && lexer_expect(&parser->lexer, CFA_RPAREN) != NULL;
}
