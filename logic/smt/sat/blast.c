#include "logic/smt/sat/blast.h"

#include <assert.h>
#include <gmp.h>
#include <string.h>

#include "logic/smt/id_map.h"
#include "logic/smt/sat/blast_arith.h"
#include "logic/smt/sat/conjunction.h"

#define MOST_ARRAY_BITS 8192
#define MOST_GATES 20000000

void blast_init(struct blast *blast)
{
    *blast = (struct blast){0};
    gates_init(&blast->gates);
}

void blast_finish(struct blast *blast)
{
    gates_finish(&blast->gates);
    VECTOR_FINISH(&blast->at);
    VECTOR_FINISH(&blast->bits);
    VECTOR_FINISH(&blast->ranges);
    VECTOR_FINISH(&blast->todo);
    VECTOR_FINISH(&blast->uses);
    VECTOR_FINISH(&blast->expected);
}

static uint32_t bits_for(uint64_t count)
{
    uint32_t bits = 0;
    while (bits < 32 && (uint64_t)1 << bits < count)
        bits++;
    return bits;
}

// Keys of an array, 0 when there are too many.
static uint32_t key_count(const struct sort *array)
{
    return (uint32_t)sort_value_count(array->key, MOST_ARRAY_BITS);
}

uint32_t blast_width(const struct sort *sort)
{
    switch (sort->kind) {
    case SORT_BOOL:
        return 1;
    case SORT_BV:
        return sort->width;
    case SORT_ENUM:
        return bits_for(sort->literal_count);
    case SORT_ARRAY: {
        uint32_t keys = sort->key->kind == SORT_ARRAY ? 0 : key_count(sort);
        uint32_t element = blast_width(sort->element);
        bool fits = keys && element != UINT32_MAX && (uint64_t)keys * element <= MOST_ARRAY_BITS;
        return fits ? keys * element : UINT32_MAX;
    }
    case SORT_INT:
    case SORT_RAT:
        break;
    }
    return UINT32_MAX;
}

bool blast_known(const struct blast *b, const struct term *term, uint32_t *position)
{
    if (term->id >= b->at.count || !b->at.data[term->id])
        return false;
    *position = b->at.data[term->id] - 1;
    return true;
}

bool blast_fits(const struct term *term)
{
    struct id_map seen = {0};
    VECTOR(const struct term *) todo = {0};
    bool fits = true;
    VECTOR_PUSH(&todo, term);
    while (todo.count && fits) {
        const struct term *t = VECTOR_POP(&todo);
        if (id_map_get(&seen, t->id) != NULL)
            continue;
        id_map_put(&seen, t->id, t);
        fits =
            blast_width(t->sort) != UINT32_MAX && t->kind != TERM_FORALL && t->kind != TERM_EXISTS;
        for (uint32_t i = 0; i < t->child_count; i++)
            VECTOR_PUSH(&todo, t->child[i]);
    }
    VECTOR_FINISH(&todo);
    id_map_finish(&seen);
    return fits;
}

static void remember(struct blast *b, const struct term *term, uint32_t position)
{
    assert(position <= b->bits.count);
    if (term->id >= b->at.count) {
        size_t old = b->at.count;
        VECTOR_RESERVE(&b->at, (size_t)term->id + 1);
        b->at.count = b->at.capacity;
        memset(b->at.data + old, 0, (b->at.count - old) * sizeof *b->at.data);
    }
    b->at.data[term->id] = position + 1;
    b->made++;
}

static uint32_t position_of(const struct blast *b, const struct term *term)
{
    assert(term->id < b->at.count && b->at.data[term->id] != 0 && "children first");
    return b->at.data[term->id] - 1;
}

static const uint32_t *bits_of(const struct blast *b, const struct term *term)
{
    return b->bits.data + position_of(b, term);
}

// Literals and variables.

static void literal_bits(const struct term *literal, uint32_t width, uint32_t *out)
{
    if (value_is_small(term_value(literal))) {
        uint64_t number = (uint64_t)value_small_get(term_value(literal));
        for (uint32_t i = 0; i < width; i++)
            out[i] = i < 64 && number >> i & 1;
        return;
    }
    mpz_t number;
    mpz_init_set_str(number, literal->u.text, 10);
    for (uint32_t i = 0; i < width; i++)
        out[i] = (uint32_t)mpz_tstbit(number, i);
    mpz_clear(number);
}

static uint32_t key_number(const struct term *key)
{
    return (uint32_t)value_small_get(term_value(key));
}

static void array_bits(const struct blast *b, const struct term *array, uint32_t *out)
{
    uint32_t element = blast_width(array->sort->element), keys = key_count(array->sort);
    assert(array->child_count % 2 == 1 && keys > 0);
    for (uint32_t k = 0; k < keys; k++)
        memcpy(out + k * element, bits_of(b, array->child[0]), element * sizeof *out);
    for (uint32_t i = 1; i + 1 < array->child_count; i += 2)
        memcpy(out + key_number(array->child[i]) * element, bits_of(b, array->child[i + 1]),
               element * sizeof *out);
}

static void variable_bits(struct blast *b, const struct sort *sort, uint32_t *out)
{
    uint32_t width = blast_width(sort);
    if (sort->kind == SORT_ARRAY) {
        uint32_t element = blast_width(sort->element);
        for (uint32_t k = 0; k < key_count(sort); k++)
            variable_bits(b, sort->element, out + k * element);
        return;
    }
    bool limited = sort->kind == SORT_ENUM && (uint64_t)1 << width != sort->literal_count;
    assert(!limited || (width > 0 && width <= 32));
    uint32_t tag = limited ? (uint32_t)b->ranges.count + 1 : 0;
    for (uint32_t i = 0; i < width; i++)
        out[i] = gates_input(&b->gates, tag);
    if (limited) {
        uint32_t greatest[32];
        for (uint32_t i = 0; i < width; i++)
            greatest[i] = (sort->literal_count - 1) >> i & 1;
        struct blast_range range = {blast_compare(&b->gates, TERM_BV_ULE, width, out, greatest)};
        VECTOR_PUSH(&b->ranges, range);
    }
}

// Operators.

static uint32_t key_is(struct blast *b, const struct term *key, uint32_t number)
{
    uint32_t width = blast_width(key->sort), all = GATES_TRUE;
    for (uint32_t i = 0; i < width; i++) {
        uint32_t bit = bits_of(b, key)[i];
        all = gates_and(&b->gates, all, number >> i & 1 ? bit : gates_not(bit));
    }
    return all;
}

static void select_bits(struct blast *b, const struct term *t, uint32_t *out)
{
    const uint32_t *table = bits_of(b, t->child[0]);
    uint32_t element = blast_width(t->sort), keys = key_count(t->child[0]->sort);
    memcpy(out, table, element * sizeof *out);
    for (uint32_t k = 1; k < keys; k++)
        blast_choose(&b->gates, key_is(b, t->child[1], k), element, table + k * element, out, out);
}

static void store_bits(struct blast *b, const struct term *t, uint32_t *out)
{
    const uint32_t *table = bits_of(b, t->child[0]), *value = bits_of(b, t->child[2]);
    uint32_t element = blast_width(t->sort->element), keys = key_count(t->sort);
    for (uint32_t k = 0; k < keys; k++)
        blast_choose(&b->gates, key_is(b, t->child[1], k), element, value, table + k * element,
                     out + k * element);
}

static void bitwise(struct blast *b, const struct term *t, uint32_t width, uint32_t *out)
{
    const uint32_t *x = bits_of(b, t->child[0]);
    const uint32_t *y = t->child_count > 1 ? bits_of(b, t->child[1]) : NULL;
    for (uint32_t i = 0; i < width; i++)
        out[i] = t->kind == TERM_BV_NOT   ? gates_not(x[i])
                 : t->kind == TERM_BV_AND ? gates_and(&b->gates, x[i], y[i])
                 : t->kind == TERM_BV_OR  ? gates_or(&b->gates, x[i], y[i])
                                          : gates_xor(&b->gates, x[i], y[i]);
}

static void rewire(const struct blast *b, const struct term *t, uint32_t width, uint32_t *out)
{
    const uint32_t *x = bits_of(b, t->child[0]);
    uint32_t old = t->child[0]->sort->width;
    assert(t->kind != TERM_BV_EXTRACT || t->u.extract.low + width <= old);
    switch (t->kind) {
    case TERM_BV_CONCAT: {
        uint32_t low = t->child[1]->sort->width;
        memcpy(out, bits_of(b, t->child[1]), low * sizeof *out);
        memcpy(out + low, x, old * sizeof *out);
        return;
    }
    case TERM_BV_EXTRACT:
        memcpy(out, x + t->u.extract.low, width * sizeof *out);
        return;
    default:
        for (uint32_t i = 0; i < width; i++)
            out[i] = i < old ? x[i] : t->kind == TERM_BV_SEXT ? x[old - 1] : GATES_FALSE;
    }
}

// False for an operator that has no circuit.
static bool operate(struct blast *b, const struct term *t, uint32_t width, uint32_t *out)
{
    struct gates *g = &b->gates;
    const uint32_t *x = t->child_count ? bits_of(b, t->child[0]) : NULL;
    const uint32_t *y = t->child_count > 1 ? bits_of(b, t->child[1]) : NULL;
    switch ((enum term_kind)t->kind) {
    case TERM_BOOL:
    case TERM_BV:
    case TERM_ENUM:
        literal_bits(t, width, out);
        return true;
    case TERM_ARRAY:
    case TERM_CONST_ARRAY:
        array_bits(b, t, out);
        return true;
    case TERM_VAR:
        variable_bits(b, t->sort, out);
        return true;
    case TERM_NOT:
        *out = gates_not(*x);
        return true;
    case TERM_AND:
    case TERM_OR:
        *out = conjunction_literal(b, t);
        return true;
    case TERM_EQ:
        *out = blast_equal(g, blast_width(t->child[0]->sort), x, y);
        return true;
    case TERM_ITE:
        blast_choose(g, *x, width, y, bits_of(b, t->child[2]), out);
        return true;
    case TERM_BV_NOT:
    case TERM_BV_AND:
    case TERM_BV_OR:
    case TERM_BV_XOR:
        bitwise(b, t, width, out);
        return true;
    case TERM_BV_NEG:
        blast_negate(g, width, x, out);
        return true;
    case TERM_BV_ADD:
        blast_add(g, width, x, y, GATES_FALSE, out);
        return true;
    case TERM_BV_MUL:
        blast_multiply(g, width, x, y, out);
        return true;
    case TERM_BV_UDIV:
    case TERM_BV_SDIV:
    case TERM_BV_UREM:
    case TERM_BV_SREM:
    case TERM_BV_SMOD:
        blast_divide(g, t->kind, width, x, y, out);
        return true;
    case TERM_BV_SHL:
    case TERM_BV_LSHR:
    case TERM_BV_ASHR:
    case TERM_BV_ROL:
    case TERM_BV_ROR:
        blast_shift(g, t->kind, width, x, y, out);
        return true;
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_SLT:
    case TERM_BV_SLE:
        *out = blast_compare(g, t->kind, t->child[0]->sort->width, x, y);
        return true;
    case TERM_BV_CONCAT:
    case TERM_BV_EXTRACT:
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        rewire(b, t, width, out);
        return true;
    case TERM_SELECT:
        select_bits(b, t, out);
        return true;
    case TERM_STORE:
        store_bits(b, t, out);
        return true;
    default:
        return false;
    }
}

#ifndef NDEBUG
static bool are_literals(const struct blast *b, uint32_t position, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if (b->bits.data[position + i] / 2 >= b->gates.nodes.count)
            return false;
    return true;
}
#endif

// All children are made.
static bool make(struct blast *b, const struct term *t)
{
    uint32_t width = blast_width(t->sort);
    uint32_t position = (uint32_t)b->bits.count;
    if (width == UINT32_MAX || b->gates.nodes.count > MOST_GATES)
        return false;
    VECTOR_RESERVE(&b->bits, b->bits.count + width + 1); // so that no argument moves
    if (!operate(b, t, width, b->bits.data + position))
        return false;
    b->bits.count += width;
    assert(are_literals(b, position, width));
    remember(b, t, position);
    return true;
}

bool blast_term(struct blast *b, const struct term *term, uint32_t *position)
{
    VECTOR_CLEAR(&b->todo);
    if (blast_known(b, term, position)) {
        b->found++;
        return true;
    }
    conjunction_expect(b, term);
    VECTOR_PUSH(&b->todo, term);
    while (b->todo.count) {
        const struct term *t = VECTOR_LAST(&b->todo);
        size_t before = b->todo.count;
        if (blast_known(b, t, position)) {
            b->todo.count--;
            continue;
        }
        if (blast_width(t->sort) == UINT32_MAX || t->flags & TERM_HAS_QUANTIFIER)
            return false;
        for (uint32_t i = 0; i < t->child_count; i++)
            if (!blast_known(b, t->child[i], position))
                VECTOR_PUSH(&b->todo, t->child[i]);
        if (b->todo.count > before)
            continue;
        if (!make(b, t))
            return false;
        b->todo.count--;
    }
    return blast_known(b, term, position);
}

const struct term *blast_literal(struct term_store *store, const struct sort *sort,
                                 const bool *bits)
{
    uint32_t width = blast_width(sort);
    switch (sort->kind) {
    case SORT_BOOL:
        return term_bool(store, bits[0]);
    case SORT_ENUM: {
        uint32_t number = 0;
        for (uint32_t i = 0; i < width; i++)
            number |= (uint32_t)bits[i] << i;
        return number < sort->literal_count ? term_enum(store, sort, number) : NULL;
    }
    case SORT_BV: {
        if (width <= 64) {
            uint64_t number = 0;
            for (uint32_t i = 0; i < width; i++)
                number |= (uint64_t)bits[i] << i;
            return term_bv(store, width, number);
        }
        mpz_t number;
        mpz_init(number);
        for (uint32_t i = 0; i < width; i++)
            if (bits[i])
                mpz_setbit(number, i);
        char *decimal = memory_alloc(mpz_sizeinbase(number, 10) + 2);
        const struct term *literal = term_bv_text(store, width, mpz_get_str(decimal, 10, number));
        memory_free(decimal);
        mpz_clear(number);
        return literal;
    }
    case SORT_ARRAY: {
        uint32_t keys = key_count(sort), element = blast_width(sort->element);
        const struct term **entries = memory_alloc(2 * (size_t)keys * sizeof *entries);
        bool good = true;
        for (uint32_t k = 0; k < keys && good; k++) {
            entries[2 * k] = term_of_value(store, sort->key,
                                           sort->key->kind == SORT_BOOL ? value_bool(k)
                                                                        : value_small((int64_t)k));
            entries[2 * k + 1] = blast_literal(store, sort->element, bits + k * element);
            good = entries[2 * k + 1] != NULL;
        }
        const struct term *literal =
            good ? term_array(store, sort, entries[1], entries, keys) : NULL;
        memory_free(entries);
        return literal;
    }
    case SORT_INT:
    case SORT_RAT:
        break;
    }
    return NULL;
}
