#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "languages/btor2/btor2.h"

// Operators and constants of BTOR2 as terms.

const struct term *btor2_bits(struct btor2 *b, const struct term *t)
{
    if (t->sort->kind != SORT_BOOL)
        return t;
    return term_ite(b->store, t, term_bv(b->store, 1, 1), term_bv(b->store, 1, 0));
}

const struct term *btor2_unbits(struct btor2 *b, const struct term *t)
{
    if (t->sort->kind != SORT_BV || t->sort->width != 1)
        return t;
    return term_eq(b->store, t, term_bv(b->store, 1, 1));
}

enum shape {
    UNARY,    // over vectors
    BINARY,   // two vectors of one width, the same back
    RELATION, // two vectors of one width, a bit back
    OTHER,
};

enum operation {
    OP_PLAIN,
    OP_SUB,
    OP_NAND,
    OP_NOR,
    OP_XNOR,
    OP_INC,
    OP_DEC,
    OP_REDAND,
    OP_REDOR,
    OP_REDXOR,
    OP_EQ,
    OP_NEQ,
    OP_SWAPPED, // > as < with the sides exchanged
    OP_UNSIGNED_OVERFLOW,
    OP_SIGNED_OVERFLOW,
    OP_UEXT,
    OP_SEXT,
    OP_SLICE,
    OP_CONCAT,
    OP_READ,
    OP_WRITE,
    OP_ITE,
    OP_IFF,
    OP_IMPLIES,
    OP_CONST,
    OP_CONSTD,
    OP_CONSTH,
    OP_ZERO,
    OP_ONE,
    OP_ONES,
};

static const struct {
    const char *name;
    enum operation operation;
    enum shape shape;
    enum term_kind kind;
    unsigned words; // in all, without a symbol
} operators[] = {
    {"not", OP_PLAIN, UNARY, TERM_BV_NOT, 4},
    {"neg", OP_PLAIN, UNARY, TERM_BV_NEG, 4},
    {"inc", OP_INC, UNARY, TERM_BV_ADD, 4},
    {"dec", OP_DEC, UNARY, TERM_BV_ADD, 4},
    {"redand", OP_REDAND, UNARY, TERM_BV_AND, 4},
    {"redor", OP_REDOR, UNARY, TERM_BV_OR, 4},
    {"redxor", OP_REDXOR, UNARY, TERM_BV_XOR, 4},
    {"and", OP_PLAIN, BINARY, TERM_BV_AND, 5},
    {"nand", OP_NAND, BINARY, TERM_BV_AND, 5},
    {"or", OP_PLAIN, BINARY, TERM_BV_OR, 5},
    {"nor", OP_NOR, BINARY, TERM_BV_OR, 5},
    {"xor", OP_PLAIN, BINARY, TERM_BV_XOR, 5},
    {"xnor", OP_XNOR, BINARY, TERM_BV_XOR, 5},
    {"add", OP_PLAIN, BINARY, TERM_BV_ADD, 5},
    {"sub", OP_SUB, BINARY, TERM_BV_ADD, 5},
    {"mul", OP_PLAIN, BINARY, TERM_BV_MUL, 5},
    {"udiv", OP_PLAIN, BINARY, TERM_BV_UDIV, 5},
    {"sdiv", OP_PLAIN, BINARY, TERM_BV_SDIV, 5},
    {"urem", OP_PLAIN, BINARY, TERM_BV_UREM, 5},
    {"srem", OP_PLAIN, BINARY, TERM_BV_SREM, 5},
    {"smod", OP_PLAIN, BINARY, TERM_BV_SMOD, 5},
    {"sll", OP_PLAIN, BINARY, TERM_BV_SHL, 5},
    {"srl", OP_PLAIN, BINARY, TERM_BV_LSHR, 5},
    {"sra", OP_PLAIN, BINARY, TERM_BV_ASHR, 5},
    {"rol", OP_PLAIN, BINARY, TERM_BV_ROL, 5},
    {"ror", OP_PLAIN, BINARY, TERM_BV_ROR, 5},
    {"ult", OP_PLAIN, RELATION, TERM_BV_ULT, 5},
    {"ulte", OP_PLAIN, RELATION, TERM_BV_ULE, 5},
    {"ugt", OP_SWAPPED, RELATION, TERM_BV_ULT, 5},
    {"ugte", OP_SWAPPED, RELATION, TERM_BV_ULE, 5},
    {"slt", OP_PLAIN, RELATION, TERM_BV_SLT, 5},
    {"slte", OP_PLAIN, RELATION, TERM_BV_SLE, 5},
    {"sgt", OP_SWAPPED, RELATION, TERM_BV_SLT, 5},
    {"sgte", OP_SWAPPED, RELATION, TERM_BV_SLE, 5},
    {"uaddo", OP_UNSIGNED_OVERFLOW, RELATION, TERM_BV_ADD, 5},
    {"usubo", OP_PLAIN, RELATION, TERM_BV_ULT, 5},
    {"umulo", OP_UNSIGNED_OVERFLOW, RELATION, TERM_BV_MUL, 5},
    {"saddo", OP_SIGNED_OVERFLOW, RELATION, TERM_BV_ADD, 5},
    {"ssubo", OP_SIGNED_OVERFLOW, RELATION, TERM_BV_NEG, 5},
    {"smulo", OP_SIGNED_OVERFLOW, RELATION, TERM_BV_MUL, 5},
    {"sdivo", OP_SIGNED_OVERFLOW, RELATION, TERM_BV_SDIV, 5},
    {"eq", OP_EQ, OTHER, TERM_EQ, 5},
    {"neq", OP_NEQ, OTHER, TERM_EQ, 5},
    {"iff", OP_IFF, OTHER, TERM_EQ, 5},
    {"implies", OP_IMPLIES, OTHER, TERM_OR, 5},
    {"ite", OP_ITE, OTHER, TERM_ITE, 6},
    {"concat", OP_CONCAT, OTHER, TERM_BV_CONCAT, 5},
    {"slice", OP_SLICE, OTHER, TERM_BV_EXTRACT, 6},
    {"uext", OP_UEXT, OTHER, TERM_BV_ZEXT, 5},
    {"sext", OP_SEXT, OTHER, TERM_BV_SEXT, 5},
    {"read", OP_READ, OTHER, TERM_SELECT, 5},
    {"write", OP_WRITE, OTHER, TERM_STORE, 6},
    {"const", OP_CONST, OTHER, TERM_BV, 4},
    {"constd", OP_CONSTD, OTHER, TERM_BV, 4},
    {"consth", OP_CONSTH, OTHER, TERM_BV, 4},
    {"zero", OP_ZERO, OTHER, TERM_BV, 3},
    {"one", OP_ONE, OTHER, TERM_BV, 3},
    {"ones", OP_ONES, OTHER, TERM_BV, 3},
};

static const struct term *refuse(struct btor2 *b, const struct btor2_line *line, unsigned word,
                                 const char *expected)
{
    btor2_fail(b, line, word, expected);
    return NULL;
}

static bool is_vector(const struct term *t)
{
    return t->sort->kind == SORT_BOOL || t->sort->kind == SORT_BV;
}

static const struct term *vector_argument(struct btor2 *b, const struct btor2_line *line,
                                          unsigned word)
{
    const struct term *t = btor2_argument(b, line, word);
    if (t != NULL && !is_vector(t))
        return refuse(b, line, word, "a bit-vector");
    return t != NULL ? btor2_bits(b, t) : NULL;
}

static const struct term *bit_argument(struct btor2 *b, const struct btor2_line *line,
                                       unsigned word)
{
    const struct term *t = btor2_argument(b, line, word);
    return t != NULL && t->sort->kind != SORT_BOOL
               ? refuse(b, line, word, "a bit-vector of width 1")
               : t;
}

static const struct term *reduce(struct btor2 *b, const struct term *a, enum operation operation)
{
    struct term_store *s = b->store;
    uint32_t width = a->sort->width;
    const struct term *zero = term_bv(s, width, 0);
    if (operation == OP_REDOR)
        return term_not(s, term_eq(s, a, zero));
    if (operation == OP_REDAND)
        return term_eq(s, a, term_bv_unary(s, TERM_BV_NOT, zero));
    const struct term *one = term_bv(s, 1, 1), *odd = term_false(s);
    for (uint32_t i = 0; i < width; i++)
        odd = term_xor(s, odd, term_eq(s, term_bv_extract(s, a, i, i), one));
    return odd;
}

static const struct term *unary(struct btor2 *b, const struct term *a, enum operation operation,
                                enum term_kind kind)
{
    struct term_store *s = b->store;
    const struct term *one = term_bv(s, a->sort->width, 1);
    switch (operation) {
    case OP_INC:
        return term_bv_binary(s, TERM_BV_ADD, a, one);
    case OP_DEC:
        return term_bv_binary(s, TERM_BV_ADD, a, term_bv_unary(s, TERM_BV_NEG, one));
    case OP_PLAIN:
        return term_bv_unary(s, kind, a);
    default:
        return reduce(b, a, operation);
    }
}

// On single bits, without a detour over vectors.
static const struct term *boolean(struct btor2 *b, const struct term *x, const struct term *y,
                                  enum operation operation, enum term_kind kind)
{
    struct term_store *s = b->store;
    const struct term *result = kind == TERM_BV_AND   ? term_and2(s, x, y)
                                : kind == TERM_BV_OR  ? term_or2(s, x, y)
                                : kind == TERM_BV_XOR ? term_xor(s, x, y)
                                                      : NULL;
    bool negated = operation == OP_NAND || operation == OP_NOR || operation == OP_XNOR;
    return result != NULL && negated ? term_not(s, result) : result;
}

// Is the exact result of x and y (TERM_BV_NEG: of x - y) none of their width?
static const struct term *overflow(struct btor2 *b, const struct term *x, const struct term *y,
                                   bool with_sign, enum term_kind kind)
{
    struct term_store *s = b->store;
    uint32_t width = x->sort->width, wide = kind == TERM_BV_MUL ? 2 * width : width + 1;
    enum term_kind extension = with_sign ? TERM_BV_SEXT : TERM_BV_ZEXT;
    const struct term *ones = term_bv_unary(s, TERM_BV_NOT, term_bv(s, width, 0));
    if (kind == TERM_BV_SDIV) { // the least number by -1
        const struct term *least =
            term_bv_binary(s, TERM_BV_SHL, term_bv(s, width, 1), term_bv(s, width, width - 1));
        return term_and2(s, term_eq(s, x, least), term_eq(s, y, ones));
    }
    x = term_bv_extend(s, extension, x, wide);
    y = term_bv_extend(s, extension, y, wide);
    const struct term *exact = kind == TERM_BV_NEG
                                   ? term_bv_binary(s, TERM_BV_ADD, x, term_bv_unary(s, kind, y))
                                   : term_bv_binary(s, kind, x, y);
    const struct term *kept = term_bv_extract(s, exact, width - 1, 0);
    return term_not(s, term_eq(s, exact, term_bv_extend(s, extension, kept, wide)));
}

static const struct term *binary(struct btor2 *b, const struct btor2_line *line,
                                 enum operation operation, enum term_kind kind)
{
    struct term_store *s = b->store;
    const struct term *p = btor2_argument(b, line, 3),
                      *q = p != NULL ? btor2_argument(b, line, 4) : NULL;
    if (q == NULL)
        return NULL;
    if (p->sort->kind == SORT_BOOL && q->sort->kind == SORT_BOOL) {
        const struct term *simple = boolean(b, p, q, operation, kind);
        if (simple != NULL)
            return simple;
    }
    const struct term *x = vector_argument(b, line, 3);
    const struct term *y = x != NULL ? vector_argument(b, line, 4) : NULL;
    if (y == NULL)
        return NULL;
    if (x->sort != y->sort)
        return refuse(b, line, 4, "a bit-vector as wide as the one before");
    switch (operation) {
    case OP_SWAPPED:
        return term_bv_binary(s, kind, y, x);
    case OP_UNSIGNED_OVERFLOW:
    case OP_SIGNED_OVERFLOW:
        return overflow(b, x, y, operation == OP_SIGNED_OVERFLOW, kind);
    case OP_SUB:
        return term_bv_binary(s, kind, x, term_bv_unary(s, TERM_BV_NEG, y));
    case OP_NAND:
    case OP_NOR:
    case OP_XNOR:
        return term_bv_unary(s, TERM_BV_NOT, term_bv_binary(s, kind, x, y));
    default:
        return term_bv_binary(s, kind, x, y);
    }
}

static const struct term *extend(struct btor2 *b, const struct btor2_line *line,
                                 enum term_kind kind)
{
    const struct term *a = vector_argument(b, line, 3);
    uint32_t more;
    if (a == NULL || !btor2_number(b, line, 4, 0, 1u << 20, &more))
        return NULL;
    return term_bv_extend(b->store, kind, a, a->sort->width + more);
}

static const struct term *slice(struct btor2 *b, const struct btor2_line *line)
{
    const struct term *a = vector_argument(b, line, 3);
    uint32_t high, low;
    if (a == NULL || !btor2_number(b, line, 4, 0, a->sort->width - 1, &high) ||
        !btor2_number(b, line, 5, 0, high, &low))
        return NULL;
    return term_bv_extract(b->store, a, high, low);
}

static const struct term *equal(struct btor2 *b, const struct btor2_line *line, bool negated)
{
    const struct term *x = btor2_argument(b, line, 3),
                      *y = x != NULL ? btor2_argument(b, line, 4) : NULL;
    if (y == NULL)
        return NULL;
    if (x->sort != y->sort)
        return refuse(b, line, 4, "something of the sort of the one before");
    const struct term *eq = term_eq(b->store, x, y);
    return negated ? term_not(b->store, eq) : eq;
}

static const struct term *conditional(struct btor2 *b, const struct btor2_line *line)
{
    const struct term *c = bit_argument(b, line, 3);
    const struct term *x = c != NULL ? btor2_argument(b, line, 4) : NULL;
    const struct term *y = x != NULL ? btor2_argument(b, line, 5) : NULL;
    if (y == NULL)
        return NULL;
    if (x->sort != y->sort)
        return refuse(b, line, 5, "something of the sort of the one before");
    return term_ite(b->store, c, x, y);
}

static const struct term *at_array(struct btor2 *b, const struct btor2_line *line, bool write)
{
    const struct term *array = btor2_argument(b, line, 3);
    if (array == NULL)
        return NULL;
    if (array->sort->kind != SORT_ARRAY)
        return refuse(b, line, 3, "an array");
    const struct term *key = btor2_argument(b, line, 4);
    if (key == NULL)
        return NULL;
    if (key->sort != array->sort->key)
        return refuse(b, line, 4, "an index of the array's sort");
    if (!write)
        return term_select(b->store, array, key);
    const struct term *element = btor2_argument(b, line, 5);
    if (element != NULL && element->sort != array->sort->element)
        return refuse(b, line, 5, "an element of the array's sort");
    return element != NULL ? term_store_at(b->store, array, key, element) : NULL;
}

#define ROOM 5 // bits above the sort's: for one digit more

// Digits of a base as a vector: high digits first. What the sort does not hold is refused.
static const struct term *digits(struct btor2 *b, const struct btor2_line *line, uint32_t width,
                                 unsigned base)
{
    struct term_store *s = b->store;
    const char *text = line->word[3];
    bool negative = base == 10 && *text == '-';
    if (base == 2 && strlen(text) != width)
        return refuse(b, line, 3, "as many binary digits as the sort is wide");
    const struct term *value = term_bv(s, width + ROOM, 0), *ten = term_bv(s, width + ROOM, base);
    text += negative;
    if (!*text)
        return refuse(b, line, 3, "digits");
    for (; *text; text++) {
        int c = tolower((unsigned char)*text);
        unsigned digit = isdigit(c)   ? (unsigned)(c - '0')
                         : isalpha(c) ? (unsigned)(c - 'a') + 10
                                      : 99;
        if (digit >= base)
            return refuse(b, line, 3, "digits of the base");
        value = term_bv_binary(s, TERM_BV_ADD, term_bv_binary(s, TERM_BV_MUL, value, ten),
                               term_bv(s, width + ROOM, digit));
        if (term_bv_extract(s, value, width + ROOM - 1, width) != term_bv(s, ROOM, 0))
            return refuse(b, line, 3, "a number that the sort holds");
    }
    value = term_bv_extract(s, value, width - 1, 0);
    if (!negative)
        return value;
    const struct term *minus = term_bv_unary(s, TERM_BV_NEG, value);
    const bool large = term_bv_extract(s, value, width - 1, width - 1) != term_bv(s, 1, 0);
    if (large && minus != value) // the least number is its own negative
        return refuse(b, line, 3, "a number that the sort holds");
    return minus;
}

static const struct term *constant(struct btor2 *b, const struct btor2_line *line,
                                   enum operation operation)
{
    const struct sort *sort = btor2_sort(b, line, 2);
    if (sort == NULL)
        return NULL;
    if (sort->kind == SORT_ARRAY)
        return refuse(b, line, 2, "a sort of bit-vectors");
    uint32_t width = sort->kind == SORT_BOOL ? 1 : sort->width;
    switch (operation) {
    case OP_CONST:
        return digits(b, line, width, 2);
    case OP_CONSTD:
        return digits(b, line, width, 10);
    case OP_CONSTH:
        return digits(b, line, width, 16);
    case OP_ONE:
        return term_bv(b->store, width, 1);
    case OP_ONES:
        return term_bv_unary(b->store, TERM_BV_NOT, term_bv(b->store, width, 0));
    default:
        return term_bv(b->store, width, 0);
    }
}

static const struct term *other(struct btor2 *b, const struct btor2_line *line,
                                enum operation operation)
{
    const struct term *x, *y;
    switch (operation) {
    case OP_EQ:
    case OP_NEQ:
        return equal(b, line, operation == OP_NEQ);
    case OP_IFF:
    case OP_IMPLIES:
        x = bit_argument(b, line, 3);
        y = x != NULL ? bit_argument(b, line, 4) : NULL;
        return y == NULL             ? NULL
               : operation == OP_IFF ? term_iff(b->store, x, y)
                                     : term_implies(b->store, x, y);
    case OP_ITE:
        return conditional(b, line);
    case OP_CONCAT:
        x = vector_argument(b, line, 3);
        y = x != NULL ? vector_argument(b, line, 4) : NULL;
        return y != NULL ? term_bv_binary(b->store, TERM_BV_CONCAT, x, y) : NULL;
    case OP_SLICE:
        return slice(b, line);
    case OP_UEXT:
        return extend(b, line, TERM_BV_ZEXT);
    case OP_SEXT:
        return extend(b, line, TERM_BV_SEXT);
    case OP_READ:
    case OP_WRITE:
        return at_array(b, line, operation == OP_WRITE);
    default:
        return constant(b, line, operation);
    }
}

const struct term *btor2_operator(struct btor2 *b, const struct btor2_line *line, bool *known)
{
    size_t i = 0, count = sizeof operators / sizeof *operators;
    while (i < count && strcmp(operators[i].name, line->word[1]) != 0)
        i++;
    *known = i < count;
    if (!*known)
        return NULL;
    if (line->count < operators[i].words)
        return refuse(b, line, line->count, "one more argument");
    const struct sort *sort = btor2_sort(b, line, 2);
    const struct term *a, *result = NULL;
    if (sort == NULL)
        return NULL;
    switch (operators[i].shape) {
    case UNARY:
        a = vector_argument(b, line, 3);
        result = a != NULL ? unary(b, a, operators[i].operation, operators[i].kind) : NULL;
        break;
    case BINARY:
    case RELATION:
        result = binary(b, line, operators[i].operation, operators[i].kind);
        break;
    case OTHER:
        result = other(b, line, operators[i].operation);
        break;
    }
    result = result != NULL ? btor2_unbits(b, result) : NULL;
    if (result != NULL && result->sort != sort)
        return refuse(b, line, 2, "the sort that the operator gives");
    return result;
}
