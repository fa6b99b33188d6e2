#include <string.h>

#include "logic/terms/print_inside.h"
#include "logic/terms/read_inside.h"
#include "logic/terms/rewrite.h"

// Operators of SMT-LIB by name. The sorts of operands are checked here, because the makers take
// a wrong one for a mistake of the program.

struct operands {
    struct term_store *store;
    const struct term **data;
    size_t count;
};

static bool all_of(const struct operands *o, enum sort_kind kind)
{
    for (size_t i = 0; i < o->count; i++)
        if (o->data[i]->sort->kind != kind)
            return false;
    return true;
}

static bool same_sort(const struct operands *o)
{
    for (size_t i = 1; i < o->count; i++)
        if (o->data[i]->sort != o->data[0]->sort)
            return false;
    return true;
}

// Where an integer stands beside rationals it is meant as one.
static bool numbers(struct operands *o)
{
    bool rational = false;
    for (size_t i = 0; i < o->count; i++) {
        enum sort_kind kind = o->data[i]->sort->kind;
        if (kind != SORT_INT && kind != SORT_RAT)
            return false;
        rational = rational || kind == SORT_RAT;
    }
    for (size_t i = 0; i < o->count && rational; i++)
        if (o->data[i]->sort->kind == SORT_INT)
            o->data[i] = term_to_rat(o->store, o->data[i]);
    return o->count > 0;
}

typedef const struct term *(*binary)(struct term_store *store, const struct term *a,
                                     const struct term *b);

static const struct term *fold(const struct operands *o, binary make)
{
    const struct term *all = o->data[0];
    for (size_t i = 1; i < o->count; i++)
        all = make(o->store, all, o->data[i]);
    return all;
}

// a < b < c
static const struct term *chain(const struct operands *o, binary make, bool swapped)
{
    const struct term *all = term_true(o->store);
    for (size_t i = 1; i < o->count; i++) {
        const struct term *a = o->data[i - 1], *b = o->data[i];
        all = term_and2(o->store, all, swapped ? make(o->store, b, a) : make(o->store, a, b));
    }
    return all;
}

static const struct term *distinct(const struct operands *o)
{
    const struct term *all = term_true(o->store);
    for (size_t i = 0; i < o->count; i++)
        for (size_t k = i + 1; k < o->count; k++)
            all = term_and2(o->store, all,
                            term_not(o->store, term_eq(o->store, o->data[i], o->data[k])));
    return all;
}

static const struct term *implication(const struct operands *o)
{
    const struct term *all = o->data[o->count - 1];
    for (size_t i = o->count - 1; i > 0; i--)
        all = term_implies(o->store, o->data[i - 1], all);
    return all;
}

static bool is(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0;
}

static const struct term *core(const char *name, struct operands *o)
{
    struct term_store *store = o->store;
    bool booleans = all_of(o, SORT_BOOL);
    if (is(name, "not"))
        return booleans && o->count == 1 ? term_not(store, o->data[0]) : NULL;
    if (is(name, "and"))
        return booleans ? term_and(store, o->data, o->count) : NULL;
    if (is(name, "or"))
        return booleans ? term_or(store, o->data, o->count) : NULL;
    if (is(name, "=>"))
        return booleans && o->count >= 2 ? implication(o) : NULL;
    if (is(name, "xor"))
        return booleans && o->count >= 2 ? fold(o, term_xor) : NULL;
    if (is(name, "=") || is(name, "distinct")) {
        bool good = o->count >= 2 && (same_sort(o) || (numbers(o) && same_sort(o)));
        return !good ? NULL : is(name, "=") ? chain(o, term_eq, false) : distinct(o);
    }
    if (is(name, "ite")) {
        if (o->count != 3 || o->data[0]->sort->kind != SORT_BOOL)
            return NULL;
        struct operands sides = {store, o->data + 1, 2};
        if (!same_sort(&sides) && !numbers(&sides))
            return NULL;
        return term_ite(store, o->data[0], o->data[1], o->data[2]);
    }
    return NULL;
}

static const struct term *absolute(struct term_store *store, const struct term *a)
{
    const struct term *zero =
        a->sort->kind == SORT_INT ? term_int(store, 0) : term_rat(store, 0, 1);
    return term_ite(store, term_le(store, zero, a), a, term_neg(store, a));
}

static const struct term *exact_quotient(struct operands *o)
{
    for (size_t i = 0; i < o->count; i++)
        if (o->data[i]->sort->kind == SORT_INT)
            o->data[i] = term_to_rat(o->store, o->data[i]);
    return fold(o, term_div);
}

static const struct term *arithmetic(const char *name, struct operands *o)
{
    struct term_store *store = o->store;
    if (!numbers(o))
        return NULL;
    if (is(name, "+"))
        return term_add(store, o->data, o->count);
    if (is(name, "*"))
        return term_mul(store, o->data, o->count);
    if (is(name, "-"))
        return o->count == 1 ? term_neg(store, o->data[0]) : fold(o, term_sub);
    if (is(name, "abs") && o->count == 1)
        return absolute(store, o->data[0]);
    if (is(name, "to_real") && o->count == 1)
        return o->data[0]->sort->kind == SORT_INT ? term_to_rat(store, o->data[0]) : o->data[0];
    if (o->count < 2)
        return NULL;
    if (is(name, "<="))
        return chain(o, term_le, false);
    if (is(name, "<"))
        return chain(o, term_lt, false);
    if (is(name, ">="))
        return chain(o, term_le, true);
    if (is(name, ">"))
        return chain(o, term_lt, true);
    if (is(name, "/"))
        return exact_quotient(o);
    if (is(name, "div") && all_of(o, SORT_INT))
        return fold(o, term_div);
    if (is(name, "mod") && all_of(o, SORT_INT) && o->count == 2)
        return term_mod(store, o->data[0], o->data[1]);
    return NULL;
}

static const struct term *bits_by_kind(enum term_kind kind, const struct operands *o)
{
    if (kind == TERM_BV_NOT || kind == TERM_BV_NEG)
        return o->count == 1 ? term_bv_unary(o->store, kind, o->data[0]) : NULL;
    if (o->count < 2 || !same_sort(o) || kind == TERM_BV_ROL || kind == TERM_BV_ROR)
        return NULL;
    const struct term *all = o->data[0];
    bool associative = kind == TERM_BV_AND || kind == TERM_BV_OR || kind == TERM_BV_XOR ||
                       kind == TERM_BV_ADD || kind == TERM_BV_MUL;
    if (o->count > 2 && !associative)
        return NULL;
    for (size_t i = 1; i < o->count; i++)
        all = term_bv_binary(o->store, kind, all, o->data[i]);
    return all;
}

static const struct term *concatenation(const struct operands *o)
{
    const struct term *all = o->data[0];
    for (size_t i = 1; i < o->count; i++)
        all = term_bv_binary(o->store, TERM_BV_CONCAT, all, o->data[i]);
    return all;
}

static const struct term *bits(const char *name, const struct operands *o)
{
    static const struct {
        const char *name;
        enum term_kind kind;
    } swapped[] = {{"bvugt", TERM_BV_ULT},
                   {"bvuge", TERM_BV_ULE},
                   {"bvsgt", TERM_BV_SLT},
                   {"bvsge", TERM_BV_SLE}};
    struct term_store *store = o->store;
    if (!all_of(o, SORT_BV) || o->count == 0)
        return NULL;
    if (is(name, "concat"))
        return concatenation(o);
    for (int kind = TERM_BV_NOT; kind <= TERM_BV_SLE; kind++) {
        const char *known = print_bits_name((enum term_kind)kind);
        if (known != NULL && is(name, known))
            return bits_by_kind((enum term_kind)kind, o);
    }
    if (o->count != 2 || !same_sort(o))
        return NULL;
    const struct term *a = o->data[0], *b = o->data[1];
    for (size_t i = 0; i < sizeof swapped / sizeof *swapped; i++)
        if (is(name, swapped[i].name))
            return term_bv_binary(store, swapped[i].kind, b, a);
    if (is(name, "bvsub"))
        return term_bv_binary(store, TERM_BV_ADD, a, term_bv_unary(store, TERM_BV_NEG, b));
    if (is(name, "bvnand"))
        return term_bv_unary(store, TERM_BV_NOT, term_bv_binary(store, TERM_BV_AND, a, b));
    if (is(name, "bvnor"))
        return term_bv_unary(store, TERM_BV_NOT, term_bv_binary(store, TERM_BV_OR, a, b));
    if (is(name, "bvxnor"))
        return term_bv_unary(store, TERM_BV_NOT, term_bv_binary(store, TERM_BV_XOR, a, b));
    if (is(name, "bvcomp"))
        return term_ite(store, term_eq(store, a, b), term_bv(store, 1, 1), term_bv(store, 1, 0));
    return NULL;
}

static const struct term *indexed(const struct sexpr *head, const struct operands *o)
{
    uint32_t first, second;
    if (o->count != 1 || o->data[0]->sort->kind != SORT_BV || head->count < 3 ||
        head->child[1]->kind != SEXPR_SYMBOL || !smtlib_index(head->child[2], &first))
        return NULL;
    const char *name = head->child[1]->text;
    const struct term *a = o->data[0];
    uint32_t width = a->sort->width;
    if (is(name, "extract") && head->count == 4 && smtlib_index(head->child[3], &second))
        return first < width && second <= first ? term_bv_extract(o->store, a, first, second)
                                                : NULL;
    if (head->count != 3 || first > 1u << 20)
        return NULL;
    if (is(name, "zero_extend"))
        return term_bv_extend(o->store, TERM_BV_ZEXT, a, width + first);
    if (is(name, "sign_extend"))
        return term_bv_extend(o->store, TERM_BV_SEXT, a, width + first);
    if (is(name, "rotate_left"))
        return term_bv_binary(o->store, TERM_BV_ROL, a, term_bv(o->store, width, first % width));
    if (is(name, "rotate_right"))
        return term_bv_binary(o->store, TERM_BV_ROR, a, term_bv(o->store, width, first % width));
    return NULL;
}

// The operand at `i` as one of that sort; NULL when it is of another.
static const struct term *as_sort(const struct operands *o, size_t i, const struct sort *sort)
{
    const struct term *term = o->data[i];
    if (sort->kind == SORT_RAT && term->sort->kind == SORT_INT)
        term = term_to_rat(o->store, term);
    return term->sort == sort ? term : NULL;
}

static const struct term *array(const char *name, const struct operands *o)
{
    if (o->count < 2 || o->data[0]->sort->kind != SORT_ARRAY)
        return NULL;
    const struct sort *sort = o->data[0]->sort;
    const struct term *key = as_sort(o, 1, sort->key);
    if (key != NULL && is(name, "select") && o->count == 2)
        return term_select(o->store, o->data[0], key);
    const struct term *element = o->count == 3 ? as_sort(o, 2, sort->element) : NULL;
    return key != NULL && element != NULL && is(name, "store")
               ? term_store_at(o->store, o->data[0], key, element)
               : NULL;
}

const struct term *read_constant_array(struct term_store *store, const struct sort *sort,
                                       const struct term *element)
{
    struct operands o = {store, &element, 1};
    if (sort->kind != SORT_ARRAY)
        return NULL;
    element = as_sort(&o, 0, sort->element);
    return element != NULL ? term_array(store, sort, element, NULL, 0) : NULL;
}

const struct term *read_operator(struct term_store *store, const struct sexpr *head,
                                 const struct term *const *arguments, size_t count)
{
    struct term_vector copy = {0};
    for (size_t i = 0; i < count; i++)
        VECTOR_PUSH(&copy, arguments[i]);
    struct operands o = {store, copy.data, count};
    const struct term *made = NULL;
    if (sexpr_is_call(head, "_", 0)) {
        made = indexed(head, &o);
    } else if (head->kind == SEXPR_SYMBOL && !head->quoted && count > 0) {
        made = core(head->text, &o);
        if (made == NULL)
            made = bits(head->text, &o);
        if (made == NULL)
            made = array(head->text, &o);
        if (made == NULL)
            made = arithmetic(head->text, &o);
    }
    VECTOR_FINISH(&copy);
    return made;
}
