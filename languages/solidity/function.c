#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/text.h"
#include "languages/solidity/keccak.h"
#include "languages/solidity/translate.h"
#include "logic/terms/print.h"

// Functions that nobody looks into: hashes, encodings, strings and their bytes. A string is a number, its contents and its
// length (docs/solidity.md); what has no exact counterpart is a table that is the same in the whole run.

static struct sol_value nothing(struct sol_translator *t)
{
    return sol_single(sol_type_of(t->types, "bool"), term_false(t->store));
}

static const struct sol_type *bytes_type(struct sol_translator *t)
{
    return sol_type_of(t->types, "bytes memory");
}

// Tables.

static const struct variable *table(struct sol_translator *t, const char *name,
                                    const struct sort *sort, const struct sol_node *at)
{
    const struct variable *known = model_builder_find(t->builder, name);
    if (known != NULL && known->sort == sort)
        return known;
    known = model_builder_variable(t->builder, name, sort, 0, at->at);
    return known != NULL ? known : model_builder_fresh(t->builder, name, sort, 0, at->at);
}

static const struct term *as_key(struct sol_translator *t, const struct term *term)
{
    return term->sort->kind == SORT_BOOL
               ? term_ite(t->store, term, term_int(t->store, 1), term_int(t->store, 0))
               : term;
}

// The same bytes are the same argument, wherever they are.
static const char *type_words(const struct sol_type *type)
{
    return type->kind == SOL_T_STRING ? "bytes" : type->text;
}

const struct term *sol_uninterpreted(struct sol_translator *t, const char *name,
                                     const struct sol_value *arguments, size_t count,
                                     const struct sol_type *result, bool environment,
                                     const struct sol_node *at)
{
    struct text words;
    const struct sort *sort = sol_sort(t, result);
    text_init(&words);
    text_printf(&words, "%s(", name);
    for (size_t i = 0; i < count; i++)
        text_printf(&words, "%s%s", i ? "," : "", type_words(arguments[i].type));
    text_printf(&words, ")%s", type_words(result));
    for (size_t i = count; i-- > 0;)
        sort = sort_array(t->store, as_key(t, arguments[i].term)->sort, sort);
    const struct term *value = table(t, text_string(&words), sort, at)->term;
    text_finish(&words);
    for (size_t i = 0; i < count; i++)
        value =
            term_select(t->store, value, as_key(t, sol_keep(t, "argument", arguments[i].term, at)));
    ENSURE(value->sort == sol_sort(t, result));
    if (!environment) {
        value = sol_keep(t, name, value, at);
        sol_assume_range(t, result, value, at);
        return value;
    }
    const struct term *told = sol_any(t, name, result, true, at);
    sol_assume(t, term_eq(t->store, told, value), at);
    return told;
}

// The arguments' values; false when one of them is no single word.
static bool arguments_of(struct sol_translator *t, const struct sol_node *const *list, size_t count,
                         struct sol_value *out)
{
    bool single = true;
    for (size_t i = 0; i < count && !t->failed; i++) {
        const struct sol_type *type = sol_node_type(t->types, list[i]);
        if (type->kind == SOL_T_CONSTANT)
            type = sol_type_of(t->types, "uint256");
        out[i] = sol_type_is_value(type) ? sol_single(type, sol_term_as(t, list[i], type))
                                         : sol_value_of(t, list[i]);
        if (t->failed)
            return false;
        single &= out[i].term != NULL &&
                  (sol_type_is_value(out[i].type) || out[i].type->kind == SOL_T_STRING);
        if (out[i].term != NULL)
            out[i].term = sol_keep(t, "argument", out[i].term, list[i]);
    }
    return single && !t->failed;
}

// Strings.

static const struct term *two_to_64(struct sol_translator *t)
{
    return term_int_text(t->store, "18446744073709551616");
}

const struct term *sol_string_length(struct sol_translator *t, const struct term *code)
{
    ENSURE(code->sort->kind == SORT_INT);
    return term_mod(t->store, code, two_to_64(t));
}

static const struct term *power_of_256(struct sol_translator *t, unsigned bytes)
{
    const struct term *power = term_int(t->store, 1), *base = term_int(t->store, 256);
    for (unsigned i = 0; i < bytes; i++)
        power = term_mul2(t->store, power, base);
    return power;
}

static const struct term *coded(struct sol_translator *t, const struct term *contents,
                                const struct term *length)
{
    return term_add2(t->store, term_mul2(t->store, contents, two_to_64(t)), length);
}

static unsigned packed_size(const struct sol_type *type)
{
    return type->kind == SOL_T_BOOL || type->kind == SOL_T_ENUM ? 1
           : type->kind == SOL_T_CONTRACT                       ? 20
                                                                : type->bits / 8;
}

// The bytes of a value as a number.
static const struct term *bytes_of(struct sol_translator *t, struct sol_value value, unsigned size)
{
    if (value.type->kind == SOL_T_BOOL)
        return as_key(t, value.term);
    if (value.type->kind == SOL_T_INT)
        return term_mod(t->store, value.term, power_of_256(t, size));
    if (value.type->kind == SOL_T_BYTES_N) // on the left
        return term_mul2(t->store, value.term, power_of_256(t, size - value.type->bits / 8));
    return value.term;
}

static bool all_values(const struct sol_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!sol_type_is_value(values[i].type))
            return false;
    return true;
}

// Values of fixed size, exact: behind a selector when there is one.
static struct sol_value encode_exactly(struct sol_translator *t, const struct sol_value *values,
                                       size_t count, bool packed, const struct term *selector)
{
    const struct term *contents = selector != NULL ? selector : term_int(t->store, 0);
    unsigned bytes = selector != NULL ? 4 : 0;
    for (size_t i = 0; i < count; i++) {
        unsigned size = packed ? packed_size(values[i].type) : 32;
        contents = term_add2(t->store, term_mul2(t->store, contents, power_of_256(t, size)),
                             bytes_of(t, values[i], size));
        bytes += size;
    }
    return sol_single(bytes_type(t), coded(t, contents, term_int(t->store, bytes)));
}

// Of strings and values one after another: how many bytes there are is known.
static struct sol_value packed_together(struct sol_translator *t, const struct sol_value *values,
                                        size_t count, const struct sol_node *at)
{
    const struct term *length = term_int(t->store, 0);
    if (count == 1)
        return sol_single(bytes_type(t), values[0].term);
    const struct term *code =
        sol_uninterpreted(t, "packed", values, count, bytes_type(t), false, at);
    for (size_t i = 0; i < count; i++)
        length = term_add2(t->store, length,
                           sol_type_is_value(values[i].type)
                               ? term_int(t->store, packed_size(values[i].type))
                               : sol_string_length(t, values[i].term));
    sol_assume(t, term_eq(t->store, sol_string_length(t, code), length), at);
    return sol_single(bytes_type(t), code);
}

static struct sol_value encode(struct sol_translator *t, const struct sol_node *call,
                               const struct sol_node *const *list, size_t count, const char *name,
                               const struct term *selector)
{
    struct sol_value *values = arena_zalloc(&t->arena, (count + 2) * sizeof *values);
    bool packed = strcmp(name, "encodePacked") == 0;
    bool single = arguments_of(t, list, count, values + 1);
    if (t->failed)
        return nothing(t);
    if (!single)
        return sol_single(bytes_type(t), sol_any(t, "encoding", bytes_type(t), false, call));
    if (all_values(values + 1, count) && count <= 8 && !sol_bits(t))
        return encode_exactly(t, values + 1, count, packed, selector);
    if (packed)
        return packed_together(t, values + 1, count, call);
    if (selector == NULL)
        return sol_single(bytes_type(t), sol_uninterpreted(t, name, values + 1, count,
                                                           bytes_type(t), false, call));
    values[0] = sol_single(sol_type_of(t->types, "bytes4"), selector);
    return sol_single(bytes_type(t), sol_uninterpreted(t, "encodeWithSelector", values, count + 1,
                                                       bytes_type(t), false, call));
}

// The hash of a string that is known here, as many bytes as the type has; NULL when it is not known.
static const struct term *known_hash(struct sol_translator *t, const struct term *code,
                                     const struct sol_type *type)
{
    if (!term_is_literal(code) || code->sort->kind != SORT_INT)
        return NULL;
    struct text digits;
    mpz_t number;
    text_init(&digits);
    print_term(&digits, code, PRINT_CFA);
    mpz_init(number);
    const struct term *hash = NULL;
    if (mpz_set_str(number, text_string(&digits), 10) == 0 &&
        sol_keccak256_of_code(number, number)) {
        mpz_fdiv_q_2exp(number, number, 256 - type->bits);
        char *text = mpz_get_str(NULL, 10, number);
        hash = sol_literal(t, type, text);
        free(text);
    }
    mpz_clear(number);
    text_finish(&digits);
    return hash;
}

const struct term *sol_selector(struct sol_translator *t, const struct sol_node *function)
{
    if (function == NULL || function->unit[0] == '\0')
        return NULL;
    char digits[16];
    snprintf(digits, sizeof digits, "%lu", strtoul(function->unit, NULL, 16));
    return sol_literal(t, sol_type_of(t->types, "bytes4"), digits);
}

const struct term *sol_call_data(struct sol_translator *t, const struct sol_node *function)
{
    const struct sol_node *list = function->part[0];
    size_t count = list != NULL ? list->count : 0;
    struct sol_value values[8];
    const struct term *selector = sol_selector(t, function);
    if (selector == NULL || count > 8 || sol_bits(t))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const struct sol_binding *binding = sol_find_binding(t, list->list[i]->id);
        if (binding == NULL || binding->variable == NULL || !sol_type_is_value(binding->type))
            return NULL;
        values[i] = sol_single(binding->type, binding->variable->term);
    }
    return encode_exactly(t, values, count, false, selector).term;
}

// abi.encodeCall(f, (a, b))
static struct sol_value encode_call(struct sol_translator *t, const struct sol_node *call)
{
    if (call->count == 0) {
        sol_not_supported(t, call, "an encoded call of nothing");
        return nothing(t);
    }
    const struct sol_node *function = sol_tree_node(t->tree, call->list[0]->reference),
                          *arguments = call->count > 1 ? call->list[1] : NULL;
    const struct term *selector = sol_selector(t, function);
    if (selector == NULL || arguments == NULL) {
        sol_not_supported(t, call, "an encoded call of what has no selector");
        return nothing(t);
    }
    if (arguments->kind == SOL_TUPLE)
        return encode(t, call, arguments->list, arguments->count, "encode", selector);
    return encode(t, call, &arguments, 1, "encode", selector);
}

static struct sol_value decode_one(struct sol_translator *t, const struct sol_node *call,
                                   const struct sol_value *code, const struct sol_type *type,
                                   size_t index)
{
    char name[40];
    snprintf(name, sizeof name, "decode#%zu", index);
    if (type->kind == SOL_T_ARRAY || type->kind == SOL_T_STRUCT)
        return sol_any_object(t, sol_type_place(t->types, type, SOL_MEMORY), call);
    if (!sol_type_is_value(type) && type->kind != SOL_T_STRING) {
        sol_not_supported(t, call, "a decoded value of the type `%s`", type->text);
        return nothing(t);
    }
    struct sol_value key = *code;
    struct text words; // other types are decoded by another function
    text_init(&words);
    text_printf(&words, "%s%s", name, call->type);
    const struct term *value =
        sol_uninterpreted(t, text_string(&words), &key, 1, type, false, call);
    text_finish(&words);
    return sol_single(type, value);
}

static struct sol_value decode(struct sol_translator *t, const struct sol_node *call)
{
    struct sol_value code = sol_value_of(t, call->list[0]);
    const struct sol_type *type = sol_node_type(t->types, call);
    if (t->failed || code.term == NULL || code.type->kind != SOL_T_STRING) {
        sol_not_supported(t, call, "this decoding");
        return nothing(t);
    }
    code.type = bytes_type(t);
    code.term = sol_keep(t, "code", code.term, call);
    if (type->kind != SOL_T_TUPLE)
        return decode_one(t, call, &code, type, 0);
    struct sol_value all = {.type = type, .item_count = type->member_count};
    all.items = arena_zalloc(&t->arena, (all.item_count + 1) * sizeof *all.items);
    for (size_t i = 0; i < all.item_count && !t->failed; i++)
        all.items[i] = decode_one(t, call, &code, type->members[i], i);
    return all;
}

struct sol_value sol_abi(struct sol_translator *t, const struct sol_node *call, const char *name)
{
    if (strcmp(name, "encodePacked") == 0 || strcmp(name, "encode") == 0)
        return encode(t, call, call->list, call->count, name, NULL);
    if (strcmp(name, "decode") == 0 && call->count == 2)
        return decode(t, call);
    if (strcmp(name, "encodeCall") == 0)
        return encode_call(t, call);
    if (strcmp(name, "encodeWithSelector") == 0 && call->count > 0) {
        const struct sol_type *type = sol_type_of(t->types, "bytes4");
        const struct term *selector = sol_term_as(t, call->list[0], type);
        return t->failed ? nothing(t)
                         : encode(t, call, call->list + 1, call->count - 1, "encode",
                                  sol_keep(t, "selector", selector, call));
    }
    if (strcmp(name, "encodeWithSignature") == 0 && call->count > 0) {
        struct sol_value text = sol_value_of(t, call->list[0]);
        if (t->failed || text.term == NULL)
            return nothing(t);
        text.type = bytes_type(t);
        const struct sol_type *four = sol_type_of(t->types, "bytes4");
        const struct term *selector = known_hash(t, text.term, four);
        if (selector == NULL)
            selector = sol_uninterpreted(t, "selector", &text, 1, four, false, call);
        return encode(t, call, call->list + 1, call->count - 1, "encode", selector);
    }
    sol_not_supported(t, call, "a call of `abi.%s`", name);
    return nothing(t);
}

struct sol_value sol_concatenate(struct sol_translator *t, const struct sol_node *call)
{
    struct sol_value *values = arena_zalloc(&t->arena, (call->count + 1) * sizeof *values);
    if (call->count == 0)
        return sol_single(bytes_type(t), term_int(t->store, 0));
    bool single = arguments_of(t, call->list, call->count, values);
    if (t->failed)
        return nothing(t);
    return single ? packed_together(t, values, call->count, call)
                  : sol_single(bytes_type(t), sol_any(t, "joined", bytes_type(t), false, call));
}

// Of an array: a new one of that length, with anything in it.
static struct sol_value array_slice(struct sol_translator *t, const struct sol_node *node,
                                    struct sol_value whole)
{
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    struct sol_lvalue place = sol_place_of(t, whole, node);
    const struct term *length = t->failed ? NULL : sol_length(t, place), *from, *to;
    from = node->part[1] != NULL ? sol_term_as(t, node->part[1], number) : term_int(t->store, 0);
    to = node->part[2] != NULL ? sol_term_as(t, node->part[2], number) : length;
    if (t->failed)
        return nothing(t);
    sol_assume(t, term_le(t->store, from, to), node);
    sol_assume(t, term_le(t->store, to, length), node);
    struct sol_value made = sol_allocate(
        t, whole.type, sol_keep(t, "length", term_sub(t->store, to, from), node), node);
    struct sol_lvalue out = sol_place_of(t, made, node);
    const struct sol_slot *element = t->failed ? NULL : out.slot->element;
    if (element == NULL || element->variable == NULL)
        return made;
    const struct variable *row = sol_fresh(t, "slice", element->variable->sort->element, node);
    sol_havoc(t, row, node);
    sol_store(t, element->variable, out.indices, 1, row->term, node);
    return made;
}

struct sol_value sol_slice(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    struct sol_value v[3] = {sol_value_of(t, node->part[0])};
    if (!t->failed && v[0].type != NULL && v[0].type->kind == SOL_T_ARRAY && !v[0].type->fixed &&
        !sol_bits(t))
        return array_slice(t, node, v[0]);
    if (t->failed || v[0].term == NULL || v[0].type->kind != SOL_T_STRING || sol_bits(t)) {
        sol_not_supported(t, node, "a slice of `%s`", node->part[0]->type);
        return nothing(t);
    }
    const struct term *length = sol_string_length(t, v[0].term);
    v[0].type = bytes_type(t);
    v[1] = sol_single(number, node->part[1] != NULL ? sol_term_as(t, node->part[1], number)
                                                    : term_int(t->store, 0));
    v[2] =
        sol_single(number, node->part[2] != NULL ? sol_term_as(t, node->part[2], number) : length);
    if (t->failed)
        return nothing(t);
    sol_assume(t, term_le(t->store, v[1].term, v[2].term), node);
    sol_assume(t, term_le(t->store, v[2].term, length), node);
    const struct term *code = sol_uninterpreted(t, "slice", v, 3, bytes_type(t), false, node);
    sol_assume(
        t, term_eq(t->store, sol_string_length(t, code), term_sub(t->store, v[2].term, v[1].term)),
        node);
    return sol_single(bytes_type(t), code);
}

// Single bytes of a string: a table from the string to its bytes, zero behind its end.

static const struct term *row_of(struct sol_translator *t, const struct term *code,
                                 const struct sol_node *at)
{
    const struct sort *row =
        sort_array(t->store, sol_index_sort(t), sol_sort(t, sol_type_of(t->types, "bytes1")));
    return term_select(
        t->store, table(t, "bytes", sort_array(t->store, sort_int(t->store), row), at)->term, code);
}

// Of bytes that fill a word at most the contents are looked at: what was written down, encoded or joined has no row.
static void assume_contents(struct sol_translator *t, const struct term *code,
                            const struct term *index, const struct term *byte,
                            const struct sol_node *at)
{
    struct term_store *s = t->store;
    const struct term *length = sol_string_length(t, code),
                      *contents = term_div(s, code, two_to_64(t)),
                      *behind = term_sub(s, length, index), *exact = term_int(s, 0);
    for (unsigned i = 0; i < 32; i++)
        exact = term_ite(s, term_eq(s, behind, term_int(s, i + 1)),
                         term_mod(s, term_div(s, contents, power_of_256(t, i)), power_of_256(t, 1)),
                         exact);
    sol_assume(t, term_or2(s, term_lt(s, term_int(s, 32), length), term_eq(s, byte, exact)), at);
}

const struct term *sol_byte_at(struct sol_translator *t, const struct term *code,
                               const struct term *index, const struct sol_node *at)
{
    const struct term *byte = term_select(t->store, row_of(t, code, at), index);
    byte = sol_keep(t, "byte", byte, at);
    sol_assume_range(t, sol_type_of(t->types, "bytes1"), byte, at);
    if (!sol_bits(t))
        assume_contents(t, code, index, byte, at);
    return byte;
}

static const struct term *new_string(struct sol_translator *t, const struct term *length,
                                     const struct term *row, const struct sol_node *at)
{
    const struct term *code = sol_any(t, "bytes", bytes_type(t), false, at);
    sol_assume(t, term_eq(t->store, sol_string_length(t, code), length), at);
    if (row != NULL)
        sol_assume(t, term_eq(t->store, row_of(t, code, at), row), at);
    return code;
}

const struct term *sol_with_byte(struct sol_translator *t, const struct term *code,
                                 const struct term *index, const struct term *byte, int longer,
                                 const struct sol_node *at)
{
    const struct term *length = sol_string_length(t, code);
    if (longer != 0)
        length = term_add2(t->store, length, term_int(t->store, longer));
    return new_string(t, length, term_store_at(t->store, row_of(t, code, at), index, byte), at);
}

const struct term *sol_zero_bytes(struct sol_translator *t, const struct term *length,
                                  const struct sol_node *at)
{
    return new_string(t, length, term_default(t->store, row_of(t, term_int(t->store, 0), at)->sort),
                      at);
}

// Bytes as a value of fixed size: the first of them, zeros behind the last. Exact up to that size, and for longer ones
// of whole words, with a selector before them or without.
const struct term *sol_fixed_bytes(struct sol_translator *t, const struct term *code,
                                   const struct sol_type *type, const struct sol_node *at)
{
    const struct sol_value string = sol_single(bytes_type(t), sol_keep(t, "bytes", code, at));
    const struct term *value = sol_uninterpreted(t, "first", &string, 1, type, false, at);
    if (sol_bits(t))
        return value;
    unsigned size = type->bits / 8;
    const struct term *length = sol_string_length(t, string.term),
                      *contents = term_div(t->store, string.term, two_to_64(t));
    for (unsigned word = 1; word <= 8; word++)
        for (unsigned bytes = 32 * word; bytes <= 32 * word + 4; bytes += 4)
            if (bytes > size)
                value = term_ite(
                    t->store, term_eq(t->store, length, term_int(t->store, (int64_t)bytes)),
                    term_div(t->store, contents, power_of_256(t, bytes - size)), value);
    for (unsigned bytes = 0; bytes <= size; bytes++)
        value = term_ite(t->store, term_eq(t->store, length, term_int(t->store, (int64_t)bytes)),
                         term_mul2(t->store, contents, power_of_256(t, size - bytes)), value);
    return sol_keep(t, "first", value, at);
}

// Hashes and other functions of the chain.

struct sol_value sol_hash_of(struct sol_translator *t, const struct sol_node *call)
{
    const struct sol_type *type = sol_type_of(t->types, "bytes32");
    struct sol_value code = {0};
    bool packs = call->count != 1,
         constants = false; // of old: several arguments, one behind the other
    for (size_t i = 0; i < call->count; i++) {
        enum sol_type_kind kind = sol_node_type(t->types, call->list[i])->kind;
        packs |= kind != SOL_T_STRING;
        constants |= kind == SOL_T_CONSTANT;
    }
    if (packs && !constants && call->count > 0)
        code = encode(t, call, call->list, call->count, "encodePacked", NULL);
    for (size_t i = 0; i < call->count && !t->failed && (!packs || constants); i++)
        code = sol_value_of(t, call->list[i]);
    if (t->failed)
        return nothing(t);
    if (constants || call->count == 0 || code.term == NULL || code.type->kind != SOL_T_STRING)
        return sol_single(type, sol_any(t, "hash", type, false, call));
    const struct term *kept = sol_keep(t, "code", code.term, call);
    const struct term *hash = term_select(t->store, t->hash->term, kept);
    sol_assume_range(t, type, hash, call);
    sol_assume(t, term_eq(t->store, term_select(t->store, t->unhash->term, hash), kept),
               call); // nothing collides
    const struct term *known = known_hash(t, kept, type);
    if (known != NULL)
        sol_assume(t, term_eq(t->store, hash, known), call);
    return sol_single(type, known != NULL ? known : hash);
}

bool sol_opaque(struct sol_translator *t, const struct sol_node *call, const char *name,
                struct sol_value *out)
{
    static const struct {
        const char *name, *result;
    } opaque[] = {{"sha256", "bytes32"},    {"ripemd160", "bytes20"}, {"ecrecover", "address"},
                  {"blockhash", "bytes32"}, {"blobhash", "bytes32"},  {"gasleft", "uint256"}};
    for (size_t i = 0; i < sizeof opaque / sizeof opaque[0]; i++) {
        if (strcmp(name, opaque[i].name) != 0)
            continue;
        struct sol_value *values = arena_zalloc(&t->arena, (call->count + 1) * sizeof *values);
        const struct sol_type *result = sol_type_of(t->types, opaque[i].result);
        bool single = arguments_of(t, call->list, call->count, values);
        if (t->failed)
            *out = nothing(t);
        else if (call->count == 0 || strncmp(name, "bl", 2) == 0) // not the same for ever
            *out = sol_single(result, sol_any(t, name, result, true, call));
        else if (!single)
            *out = sol_single(result, sol_any(t, name, result, false, call));
        else
            *out = sol_single(result,
                              sol_uninterpreted(t, name, values, call->count, result, true, call));
        return true;
    }
    return false;
}
