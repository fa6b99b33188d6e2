#include <assert.h>
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "languages/expressions/check.h"

uint32_t cfa_number(const struct token *token, uint32_t limit)
{
    uint64_t n = 0;
    for (size_t i = 0; i < token->length && n <= limit; i++)
        n = 10 * n + (uint64_t)(token->text[i] - '0');
    return n <= limit ? (uint32_t)n : UINT32_MAX;
}

static const struct term *check_rational(struct cfa_checker *checker, const struct ast *node)
{
    const char *denominator = cfa_token_text(checker->parser, node->second);
    if (strspn(denominator, "0") == node->second->length) {
        lexer_error(&checker->parser->lexer, node->second,
                    "found a division by zero, expected another denominator");
        return NULL;
    }
    return term_rat_text(checker->parser->store, cfa_token_text(checker->parser, node->number),
                         denominator);
}

static bool are_digits(const char *text, int base)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    size_t count = base == 2 ? 2 : base == 10 ? 10 : 22;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (memchr(digits, *text, count) == NULL)
            return false;
    }
    return true;
}

// Does the number fit? Without a sign 0 … 2^w - 1, with one -2^(w-1) … 2^(w-1) - 1.
static bool fits(const mpz_t number, bool sign, uint32_t width)
{
    if (!sign)
        return mpz_sizeinbase(number, 2) <= width || mpz_sgn(number) == 0;
    mpz_t bound;
    mpz_init(bound);
    mpz_ui_pow_ui(bound, 2, width - 1);
    bool fine = mpz_cmp(number, bound) < 0;
    mpz_neg(bound, bound);
    fine = fine && mpz_cmp(number, bound) >= 0;
    mpz_clear(bound);
    return fine;
}

static const struct term *make_bit_vector(struct cfa_checker *checker, const struct ast *node,
                                          const char *digits, int base, uint32_t width)
{
    char sign = *digits == '-' || *digits == '+' ? *digits++ : '\0';
    if (!are_digits(digits, base)) {
        lexer_error(&checker->parser->lexer, node->at,
                    "found `%.*s`, expected %s digits after `'%c`", (int)node->at->length,
                    node->at->text,
                    base == 2    ? "binary"
                    : base == 10 ? "decimal"
                                 : "hexadecimal",
                    base == 2    ? 'b'
                    : base == 10 ? 'd'
                                 : 'x');
        return NULL;
    }
    mpz_t number, modulus;
    mpz_inits(number, modulus, NULL);
    mpz_set_str(number, digits, base);
    if (sign == '-')
        mpz_neg(number, number);
    const struct term *term = NULL;
    if (!fits(number, sign != '\0', width)) {
        lexer_error(&checker->parser->lexer, node->at,
                    "found a number that does not fit into %u bits", width);
    } else {
        mpz_ui_pow_ui(modulus, 2, width);
        mpz_mod(number, number, modulus);
        assert(mpz_sgn(number) >= 0 && mpz_sizeinbase(number, 2) <= width);
        char *decimal = mpz_get_str(NULL, 10, number);
        term = term_bv_text(checker->parser->store, width, decimal);
        free(decimal); // GMP's own allocation
    }
    mpz_clears(number, modulus, NULL);
    return term;
}

// width 'b digits, width 'd sign? digits, width 'x digits
static const struct term *check_bit_vector(struct cfa_checker *checker, const struct ast *node)
{
    const char *text = cfa_token_text(checker->parser, node->at);
    const char *quote = strchr(text, '\'');
    assert(quote && "the lexer saw one");
    struct token digits = *node->at;
    digits.length = (size_t)(quote - text);
    uint32_t width = cfa_number(&digits, CFA_MAX_WIDTH);
    if (width == 0) {
        lexer_error(&checker->parser->lexer, node->at, "found the width 0, expected at least 1");
        return NULL;
    }
    if (width == UINT32_MAX) {
        message_add(checker->parser->messages, MESSAGE_UNSUPPORTED,
                    lexer_position(&checker->parser->lexer, node->at),
                    "bit-vector of more than %d bits", CFA_MAX_WIDTH);
        return NULL;
    }
    int base = quote[1] == 'b' ? 2 : quote[1] == 'd' ? 10 : 16;
    if (base == 2 && strlen(quote + 2) > width) {
        lexer_error(&checker->parser->lexer, node->at, "found %zu digits, expected at most %u",
                    strlen(quote + 2), width);
        return NULL;
    }
    return make_bit_vector(checker, node, quote + 2, base, width);
}

const struct term *cfa_check_literal(struct cfa_checker *checker, const struct ast *node)
{
    switch (node->kind) {
    case AST_TRUE:
        return term_true(checker->parser->store);
    case AST_FALSE:
        return term_false(checker->parser->store);
    case AST_INT:
        return term_int_text(checker->parser->store, cfa_token_text(checker->parser, node->number));
    case AST_RAT:
        return check_rational(checker, node);
    default:
        return check_bit_vector(checker, node);
    }
}

// Arrays.

struct array_key {
    const struct term *term;
    const struct ast *node;
    uint32_t position;
};

static int compare_keys(const void *x, const void *y)
{
    const struct array_key *a = x, *b = y;
    if (a->term->id != b->term->id)
        return a->term->id < b->term->id ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

// Two equal constant keys are an error (docs/definitions/formats.md 2.2).
static bool keys_differ(struct cfa_checker *checker, const struct term *const *entries,
                        const struct ast *node, uint32_t count)
{
    struct array_key *keys = memory_alloc((count + 1) * sizeof *keys);
    uint32_t constant = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (term_is_literal(entries[2 * i]))
            keys[constant++] = (struct array_key){entries[2 * i], node->child[2 * i], i};
    }
    qsort(keys, constant, sizeof *keys, compare_keys);
    bool fine = true;
    for (uint32_t i = 1; i < constant; i++) {
        if (keys[i].term == keys[i - 1].term) {
            lexer_error(&checker->parser->lexer, keys[i].node->at,
                        "found a key that this array literal has already");
            fine = false;
        }
    }
    memory_free(keys);
    return fine;
}

static bool check_entries(struct cfa_checker *checker, const struct ast *node,
                          const struct term *value, const struct sort **key_sort,
                          const struct term **entries, uint32_t count)
{
    bool fine = value != NULL, variable = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct ast *key = node->child[2 * i];
        entries[2 * i] = *key_sort != NULL || i > 0 ? cfa_check_sort(checker, key, *key_sort)
                                                    : cfa_check(checker, key);
        if (i == 0 && entries[0] != NULL)
            *key_sort = entries[0]->sort;
        entries[2 * i + 1] =
            cfa_check_sort(checker, node->child[2 * i + 1], value != NULL ? value->sort : NULL);
        fine = fine && entries[2 * i] != NULL && entries[2 * i + 1] != NULL;
        variable =
            variable ||
            (fine && (!term_is_literal(entries[2 * i]) || !term_is_literal(entries[2 * i + 1])));
    }
    if (fine && variable && count > CFA_MAX_DEPTH) {
        message_add(checker->parser->messages, MESSAGE_UNSUPPORTED,
                    lexer_position(&checker->parser->lexer, node->at),
                    "array literal of more than %d entries that are not all constant",
                    CFA_MAX_DEPTH);
        return false;
    }
    return fine && keys_differ(checker, entries, node, count);
}

const struct term *cfa_check_array(struct cfa_checker *checker, const struct ast *node)
{
    uint32_t count = (node->child_count - 1) / 2;
    const struct term **entries = memory_alloc((2 * count + 1) * sizeof *entries);
    const struct term *value = cfa_check(checker, node->child[node->child_count - 1]);
    const struct sort *key_sort = node->sort;
    const struct term *result = NULL;
    if (check_entries(checker, node, value, &key_sort, entries, count))
        result = term_array(checker->parser->store,
                            sort_array(checker->parser->store, key_sort, value->sort), value,
                            entries, count);
    memory_free(entries);
    return result;
}
