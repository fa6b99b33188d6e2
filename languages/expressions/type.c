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

static uint32_t number_of(const struct token *number)
{
    uint64_t n = 0;
    for (size_t i = 0; i < number->length && n <= CFA_MAX_WIDTH; i++)
        n = 10 * n + (uint64_t)(number->text[i] - '0');
    return (uint32_t)n;
}

bool cfa_format_fits(struct cfa_parser *parser, const struct token *at, struct float_format format)
{
    if (format.exponent < 2 || format.significand < 2) {
        lexer_error(&parser->lexer, at,
                    "found a float of %u and %u bits, expected at least 2 and 2", format.exponent,
                    format.significand);
        return false;
    }
    if (format.exponent <= FLOAT_MAX_EXPONENT && format.significand <= CFA_MAX_SIGNIFICAND)
        return true;
    message_add(parser->messages, MESSAGE_UNSUPPORTED, lexer_position(&parser->lexer, at),
                "float of more than %d bits of exponent or %d of significand", FLOAT_MAX_EXPONENT,
                CFA_MAX_SIGNIFICAND);
    return false;
}

bool cfa_parse_format(struct cfa_parser *parser, struct float_format *format)
{
    struct lexer *lexer = &parser->lexer;
    if (lexer_expect(lexer, CFA_LBRACKET) == NULL)
        return false;
    const struct token *exponent = lexer_expect(lexer, TOKEN_NUMBER), *significand = NULL;
    if (exponent != NULL &&
        (lexer_accept(lexer, CFA_COLON) != NULL || lexer_expect(lexer, CFA_COMMA) != NULL))
        significand = lexer_expect(lexer, TOKEN_NUMBER);
    if (significand == NULL || lexer_expect(lexer, CFA_RBRACKET) == NULL)
        return false;
    *format = (struct float_format){number_of(exponent), number_of(significand)};
    if (!cfa_format_fits(parser, exponent, *format))
        *format = (struct float_format){0, 0};
    return true;
}

void cfa_bit_vector_sort(struct cfa_parser *parser, const struct token *number,
                         const struct sort **sort)
{
    struct lexer *lexer = &parser->lexer;
    uint32_t width = number_of(number);
    *sort = NULL;
    if (width == 0)
        lexer_error(lexer, number, "found the width 0, expected at least 1");
    else if (width > CFA_MAX_WIDTH)
        message_add(parser->messages, MESSAGE_UNSUPPORTED, lexer_position(lexer, number),
                    "bit-vector of more than %d bits", CFA_MAX_WIDTH);
    else
        *sort = sort_bv(parser->store, width);
}

static bool parse_width(struct cfa_parser *parser, const struct sort **sort)
{
    struct lexer *lexer = &parser->lexer;
    if (lexer_expect_in(lexer, CFA_LBRACKET, "after `bv`") == NULL)
        return false;
    const struct token *number = lexer_expect(lexer, TOKEN_NUMBER);
    if (number == NULL || lexer_expect(lexer, CFA_RBRACKET) == NULL)
        return false;
    cfa_bit_vector_sort(parser, number, sort);
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
        message_add(parser->messages, MESSAGE_UNSUPPORTED, lexer_position(lexer, at),
                    "floats as elements, keys or arguments");
        return cfa_parse_format(parser, &(struct float_format){0, 0});
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
    *decl = (struct ast_decl){.name = lexer_expect(&parser->lexer, TOKEN_NAME)};
    if (decl->name == NULL || lexer_expect(&parser->lexer, CFA_COLON) == NULL)
        return false;
    if (lexer_accept(&parser->lexer, CFA_FP) == NULL)
        return cfa_parse_type(parser, &decl->sort);
    if (!cfa_parse_format(parser, &decl->format))
        return false;
    if (decl->format.exponent != 0)
        decl->sort = sort_bv(parser->store, decl->format.exponent + decl->format.significand);
    return true;
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
