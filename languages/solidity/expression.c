#include <assert.h>
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/text.h"
#include "languages/solidity/translate.h"

// Expressions: what they are worth, and on the way what they do. The order is that of the legacy code generator: of an
// operator or an assignment the right side first, arguments and items from left to right, the places of a tuple are
// written from right to left.

struct sol_value sol_single(const struct sol_type *type, const struct term *term)
{
    return (struct sol_value){.type = type, .term = term};
}

static struct sol_value nothing(struct sol_translator *t)
{
    return sol_single(sol_type_of(t->types, "bool"), term_false(t->store));
}

const struct term *sol_any(struct sol_translator *t, const char *stem, const struct sol_type *type,
                           bool environment, const struct sol_node *at)
{
    const struct variable *v = sol_outside(t, stem, sol_sort(t, type), environment, at);
    sol_havoc(t, v, at);
    sol_assume_range(t, type, v->term, at);
    if (type->kind == SOL_T_STRING && environment) { // there is one empty string
        const struct term *zero = term_int(t->store, 0);
        sol_assume(t,
                   term_or2(t->store, term_eq(t->store, v->term, zero),
                            term_lt(t->store, zero, sol_string_length(t, v->term))),
                   at);
    }
    return v->term;
}

static bool is_pure_callee(const struct sol_node *callee)
{
    static const char *const pure[] = {"keccak256", "sha3",   "sha256", "ripemd160",
                                       "ecrecover", "addmod", "mulmod", "blockhash",
                                       "gasleft",   "sum",    "old",    "type"};
    if (callee->kind == SOL_MEMBER && callee->part[0]->kind == SOL_IDENTIFIER &&
        strcmp(callee->part[0]->name, "abi") == 0)
        return true;
    for (size_t i = 0; callee->kind == SOL_IDENTIFIER && callee->reference == 0 &&
                       i < sizeof pure / sizeof pure[0];
         i++)
        if (strcmp(callee->name, pure[i]) == 0)
            return true;
    return false;
}

bool sol_has_effects(const struct sol_translator *t, const struct sol_node *node)
{
    if (node == NULL)
        return false;
    if (node->kind == SOL_ASSIGNMENT || node->kind == SOL_NEW)
        return true;
    if (node->kind == SOL_UNARY &&
        (strcmp(node->name, "++") == 0 || strcmp(node->name, "--") == 0 ||
         strcmp(node->name, "delete") == 0))
        return true;
    if (node->kind == SOL_CALL && !(node->flags & (SOL_IS_CONVERSION | SOL_IS_STRUCT_MAKER)) &&
        !is_pure_callee(node->part[0]))
        return true;
    for (int i = 0; i < SOL_PARTS; i++)
        if (sol_has_effects(t, node->part[i]))
            return true;
    for (size_t i = 0; i < node->count; i++)
        if (sol_has_effects(t, node->list[i]))
            return true;
    return false;
}

// Literals.

static struct sol_value string_literal(struct sol_translator *t, const struct sol_node *node)
{
    mpz_t contents, code;
    mpz_init(contents);
    mpz_init(code);
    if (node->unit[0] == '\0' || mpz_set_str(contents, node->unit, 16) != 0)
        mpz_set_ui(contents, 0);
    mpz_mul_2exp(code, contents, 64);
    mpz_add_ui(code, code, strlen(node->unit) / 2);
    char *text = mpz_get_str(NULL, 10, code);
    struct sol_value value =
        sol_single(sol_type_of(t->types, "literal_string"), term_int_text(t->store, text));
    free(text);
    mpz_clear(contents);
    mpz_clear(code);
    return value;
}

// A literal string as bytesN: on the left.
static const struct term *string_bytes(struct sol_translator *t, const struct sol_node *node,
                                       const struct sol_type *type)
{
    mpz_t contents;
    mpz_init(contents);
    size_t length = strlen(node->unit) / 2;
    if (node->unit[0] != '\0')
        mpz_set_str(contents, node->unit, 16);
    if (length <= type->bits / 8)
        mpz_mul_2exp(contents, contents, type->bits - 8 * length);
    char *text = mpz_get_str(NULL, 10, contents);
    const struct term *term = sol_literal(t, type, text);
    free(text);
    mpz_clear(contents);
    return term;
}

static struct sol_value constant(struct sol_translator *t, const struct sol_node *node)
{
    const char *decimal = sol_constant(t, node);
    if (decimal != NULL)
        return sol_single(sol_type_of(t->types, "int_const"), term_int_text(t->store, decimal));
    sol_not_supported(t, node, "a constant that is no whole number");
    return nothing(t);
}

static struct sol_value literal(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_type *type = sol_node_type(t->types, node);
    if (strcmp(node->word, "bool") == 0)
        return sol_single(sol_type_of(t->types, "bool"), term_bool(t->store, node->name[0] == 't'));
    if (strcmp(node->word, "number") != 0)
        return string_literal(t, node);
    const char *decimal = sol_constant(t, node);
    if (decimal != NULL && sol_type_is_value(type))
        return sol_single(type, sol_literal(t, type, decimal));
    return constant(t, node);
}

// Names.

struct sol_binding *sol_find_binding(struct sol_translator *t, long id)
{
    for (struct sol_binding *b = t->frame != NULL ? t->frame->bindings : NULL; b != NULL;
         b = b->next)
        if (b->declaration->id == id)
            return b;
    return NULL;
}

struct sol_binding *sol_bind(struct sol_translator *t, const struct sol_node *declaration)
{
    struct sol_binding *binding = sol_find_binding(t, declaration->id);
    if (binding != NULL && binding->variable != NULL)
        return binding; // a loop comes by again
    binding = arena_zalloc(&t->arena, sizeof *binding);
    binding->declaration = declaration;
    binding->type = sol_node_type(t->types, declaration);
    bool pointer = sol_type_is_reference(binding->type) && binding->type->place == SOL_STORAGE;
    if (binding->type->kind == SOL_T_STRING && binding->type->place == SOL_STORAGE)
        sol_not_supported(t, declaration, "a pointer to a string in storage");
    else if (binding->type->kind == SOL_T_UNKNOWN || binding->type->kind == SOL_T_TUPLE)
        sol_not_supported(t, declaration, "a variable of the type `%s`", declaration->type);
    else if (!pointer) {
        binding->variable =
            model_builder_fresh(t->builder, declaration->name[0] ? declaration->name : "unnamed",
                                sol_sort(t, binding->type), VARIABLE_LOCAL, declaration->at);
        VECTOR_PUSH(&t->scratch, binding->variable);
    }
    binding->next = t->frame->bindings;
    t->frame->bindings = binding;
    return binding;
}

static struct sol_lvalue state_variable(struct sol_translator *t,
                                        const struct sol_node *declaration)
{
    struct sol_slot *slot = sol_root(t, declaration);
    const struct term **indices = arena_alloc(&t->arena, sizeof *indices);
    indices[0] = t->self;
    assert(slot->depth <= 1 && !slot->in_memory);
    return (struct sol_lvalue){.type = slot->type, .slot = slot, .indices = indices};
}

// A pointer to a function: its number in the tree; 0 = none.
static struct sol_value function_value(struct sol_translator *t, const struct sol_node *node,
                                       const struct sol_node *function)
{
    const struct sol_type *type = sol_node_type(t->types, node);
    if (type->kind == SOL_T_FUNCTION)
        return sol_single(type, sol_number(t, sol_sort(t, type), function->id));
    sol_not_supported(t, node, "the function `%s` as a value of the type `%s`", node->name,
                      node->type);
    return nothing(t);
}

static struct sol_value declared(struct sol_translator *t, const struct sol_node *node,
                                 const struct sol_node *declaration)
{
    if (declaration->kind == SOL_VARIABLE &&
        (declaration->flags & (SOL_IS_STATE | SOL_IS_CONSTANT))) {
        if (!(declaration->flags & SOL_IS_CONSTANT))
            return sol_read(t, state_variable(t, declaration), node);
        const struct sol_type *type = sol_node_type(t->types, declaration);
        if (declaration->part[1] != NULL)
            return sol_type_is_value(type)
                       ? sol_single(type, sol_term_as(t, declaration->part[1], type))
                       : sol_value_of(t, declaration->part[1]);
    }
    if (declaration->kind == SOL_VARIABLE) {
        struct sol_binding *binding = sol_find_binding(t, declaration->id);
        if (binding == NULL) { // declared behind its first use, as versions before 0.5 allow
            binding = sol_bind(t, declaration);
            if (binding->variable != NULL)
                sol_assign(t, binding->variable, sol_default(t, binding->type), node);
        }
        if (binding->variable != NULL)
            return sol_single(binding->type, binding->variable->term);
        if (binding->pointer.slot != NULL)
            return binding->pointer;
        sol_not_supported(t, node, "the pointer `%s` to storage before it is bound", node->name);
        return nothing(t);
    }
    if (declaration->kind == SOL_FUNCTION)
        return function_value(t, node, sol_resolve(t, t->frame->contract, declaration));
    sol_not_supported(t, node, "`%s` as a value", node->name);
    return nothing(t);
}

static struct sol_value identifier(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_node *declaration = sol_tree_node(t->tree, node->reference);
    if (declaration != NULL && declaration->kind != SOL_OTHER)
        return declared(t, node, declaration);
    const struct sol_type *address = sol_type_of(t->types, "address");
    if (strcmp(node->name, "this") == 0)
        return sol_single(sol_node_type(t->types, node)->kind == SOL_T_CONTRACT
                              ? sol_node_type(t->types, node)
                              : address,
                          t->self);
    if (strcmp(node->name, "now") == 0)
        return sol_single(sol_type_of(t->types, "uint256"),
                          model_builder_find(t->builder, "now")->term);
    sol_not_supported(t, node, "`%s` as a value", node->name);
    return nothing(t);
}

// Members.

static size_t member_index(const struct sol_type *type, const char *name)
{
    size_t i = 0;
    while (i < type->node->count && strcmp(type->node->list[i]->name, name) != 0)
        i++;
    return i;
}

static struct sol_value magic(struct sol_translator *t, const struct sol_node *node,
                              const char *base)
{
    const struct sol_type *number = sol_type_of(t->types, "uint256"),
                          *address = sol_type_of(t->types, "address");
    if (strcmp(base, "msg") == 0 && strcmp(node->name, "sender") == 0)
        return sol_single(address, t->sender);
    if (strcmp(base, "msg") == 0 && strcmp(node->name, "value") == 0)
        return sol_single(number, t->value);
    if (strcmp(base, "msg") == 0 && strcmp(node->name, "sig") == 0) {
        const struct sol_type *sig = sol_type_of(t->types, "bytes4");
        return sol_single(sig, t->selector != NULL ? t->selector
                                                   : sol_any(t, "msg.sig", sig, false, node));
    }
    if (strcmp(base, "msg") == 0 && strcmp(node->name, "data") == 0 && t->data != NULL) {
        if (t->selector != NULL && !sol_bits(t)) // it begins with the selector
            sol_assume(t,
                       term_eq(t->store,
                               sol_fixed_bytes(t, t->data, sol_type_of(t->types, "bytes4"), node),
                               t->selector),
                       node);
        return sol_single(sol_type_of(t->types, "bytes memory"), t->data);
    }
    if (strcmp(base, "msg") == 0 && strcmp(node->name, "gas") == 0)
        return sol_single(number, sol_any(t, "gasleft", number, true, node));
    if (strcmp(base, "block") == 0 && strcmp(node->name, "timestamp") == 0)
        return sol_single(number, model_builder_find(t->builder, "now")->term);
    if (strcmp(base, "block") == 0 && strcmp(node->name, "number") == 0)
        return sol_single(number, model_builder_find(t->builder, "block")->term);
    char name[100];
    sol_surrounding_name(node, name, sizeof name);
    const struct variable *known = model_builder_find(t->builder, name);
    if (known != NULL)
        return sol_single(sol_node_type(t->types, node), known->term);
    sol_not_supported(t, node, "`%s.%s`", base, node->name);
    return nothing(t);
}

static const struct sol_node *enumeration_of(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_type *type = sol_node_type(t->types, node);
    return type->kind == SOL_T_ENUM && node->part[0]->kind != SOL_INDEX ? type->node : NULL;
}

static bool enum_value(struct sol_translator *t, const struct sol_node *node, struct sol_value *out)
{
    const struct sol_node *definition = enumeration_of(t, node);
    const struct sol_node *base =
        definition != NULL ? sol_tree_node(t->tree, node->part[0]->reference) : NULL;
    if (definition == NULL || base == NULL || base != definition)
        return false;
    for (size_t i = 0; i < definition->count; i++)
        if (strcmp(definition->list[i]->name, node->name) == 0) {
            const struct sol_type *type = sol_node_type(t->types, node);
            *out = sol_single(type, sol_number(t, sol_sort(t, type), (int64_t)i));
            return true;
        }
    return false;
}

static bool type_limit(struct sol_translator *t, const struct sol_node *node, struct sol_value *out)
{
    const struct sol_node *base = node->part[0];
    if (base->kind != SOL_CALL || base->part[0]->kind != SOL_IDENTIFIER ||
        strcmp(base->part[0]->name, "type") != 0)
        return false;
    const struct sol_type *type = sol_node_type(t->types, node);
    if (base->count == 0)
        return false;
    const struct sol_node *named = sol_tree_node(t->tree, base->list[0]->reference);
    if (strcmp(node->name, "name") == 0 && named != NULL) {
        struct sol_node *text = arena_zalloc(&t->arena, sizeof *text);
        char *digits = arena_zalloc(&t->arena, 2 * strlen(named->name) + 1);
        for (size_t i = 0; named->name[i]; i++)
            snprintf(digits + 2 * i, 3, "%02x", (unsigned char)named->name[i]);
        *text = *node;
        text->unit = digits;
        *out = string_literal(t, text);
        return true;
    }
    if (type->kind == SOL_T_STRING ||
        type->kind == SOL_T_BYTES_N) { // name, creationCode, interfaceId
        struct text words;
        text_init(&words);
        text_printf(&words, "%s of %s", node->name, base->list[0]->type);
        *out =
            sol_single(type, sol_uninterpreted(t, text_string(&words), NULL, 0, type, false, node));
        text_finish(&words);
        return true;
    }
    bool greatest = strcmp(node->name, "max") == 0;
    if (type->kind == SOL_T_ENUM) {
        int64_t value = greatest ? (int64_t)type->node->count - 1 : 0;
        *out = sol_single(type, sol_number(t, sol_sort(t, type), value));
        return true;
    }
    if (!sol_type_is_number(type))
        return false;
    mpz_t n;
    mpz_init(n);
    if (greatest || type->kind == SOL_T_INT)
        mpz_setbit(n, type->kind == SOL_T_INT ? type->bits - 1 : type->bits);
    if (greatest)
        mpz_sub_ui(n, n, 1);
    else
        mpz_neg(n, n);
    char *text = mpz_get_str(NULL, 10, n);
    *out = sol_single(type, sol_literal(t, type, text));
    free(text);
    mpz_clear(n);
    return true;
}

static const struct term *balance_of(struct sol_translator *t, const struct term *address)
{
    return term_select(t->store, t->balance->term, address);
}

// The size of the contract's own code: nothing until its constructor is through.
void sol_assume_code(struct sol_translator *t, const struct term *account, const struct term *size,
                     const struct sol_node *at)
{
    const struct sol_type *address = sol_type_of(t->types, "address"),
                          *number = sol_type_of(t->types, "uint256");
    const struct term *self = sol_literal(t, address, SOL_SELF), *zero = sol_default(t, number);
    if (t->modular || account->sort != self->sort || size->sort != zero->sort)
        return;
    const struct term *empty = term_eq(t->store, size, zero);
    sol_assume(t,
               term_or2(t->store, term_not(t->store, term_eq(t->store, account, self)),
                        sol_constructing(t) ? empty : term_not(t->store, empty)),
               at);
}

static struct sol_lvalue place_of_member(struct sol_translator *t, const struct sol_node *node)
{
    struct sol_value base = sol_value_of(t, node->part[0]);
    if (t->failed || base.type == NULL ||
        (base.type->kind != SOL_T_STRUCT && base.type->kind != SOL_T_ARRAY)) {
        sol_not_supported(t, node, "the member `%s` of `%s`", node->name, node->part[0]->type);
        return (struct sol_lvalue){0};
    }
    struct sol_lvalue place = sol_place_of(t, base, node);
    if (base.type->kind == SOL_T_ARRAY) {
        place.is_length = true;
        place.type = sol_type_of(t->types, "uint256");
        return place;
    }
    size_t i = member_index(base.type, node->name);
    if (i >= place.slot->member_count || place.slot->members[i] == NULL) {
        sol_not_supported(t, node, "the member `%s`", node->name);
        return (struct sol_lvalue){0};
    }
    return sol_place_member(t, place, i);
}

static struct sol_value member(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_node *base = node->part[0];
    struct sol_value value;
    static const char *const magics[] = {"msg", "block", "tx"};
    for (size_t i = 0; base->kind == SOL_IDENTIFIER && i < 3; i++)
        if (strcmp(base->name, magics[i]) == 0 && sol_tree_node(t->tree, base->reference) == NULL)
            return magic(t, node, magics[i]);
    if (enum_value(t, node, &value) || type_limit(t, node, &value))
        return value;
    const struct sol_node *declaration = sol_tree_node(t->tree, node->reference);
    const struct sol_node *owner = sol_tree_node(t->tree, base->reference);
    if (declaration != NULL && declaration->kind == SOL_VARIABLE &&
        (declaration->flags & SOL_IS_STATE) && owner != NULL && owner->kind == SOL_CONTRACT)
        return declared(t, node, declaration); // Base.x
    if (declaration != NULL && declaration->kind == SOL_FUNCTION && owner != NULL &&
        (owner->kind == SOL_CONTRACT || owner->kind == SOL_IMPORT))
        return function_value(t, node, declaration);
    const struct sol_type *type = sol_node_type(t->types, base);
    if (strcmp(node->name, "balance") == 0 &&
        (type->kind == SOL_T_ADDRESS || type->kind == SOL_T_CONTRACT)) {
        const struct sol_type *word = sol_type_of(t->types, "uint256");
        const struct term *address = sol_term_as(t, base, sol_type_of(t->types, "address"));
        if (t->failed || t->in_annotation || sol_node_is_self(t->tree, base))
            return t->failed ? nothing(t) : sol_single(word, balance_of(t, address));
        const struct term *told = sol_any(t, "balance", word, true, node);
        sol_assume(t, term_eq(t->store, told, balance_of(t, address)), node);
        return sol_single(word, told);
    }
    if (type->kind == SOL_T_ADDRESS &&
        (strcmp(node->name, "code") == 0 || strcmp(node->name, "codehash") == 0)) {
        const struct sol_type *result = sol_node_type(t->types, node);
        const struct term *account = sol_value_of(t, base).term;
        if (t->failed || account == NULL)
            return nothing(t);
        account = sol_keep(t, "account", account, node);
        const struct term *told = sol_any(t, node->name, result, true, node);
        if (result->kind == SOL_T_STRING && !sol_bits(t))
            sol_assume_code(t, account, sol_string_length(t, told), node);
        return sol_single(result, told);
    }
    const struct sol_node *named = sol_tree_node(t->tree, base->reference);
    if (strcmp(node->name, "selector") == 0 && named != NULL && named->kind == SOL_FUNCTION) {
        const struct sol_type *four = sol_type_of(t->types, "bytes4");
        const struct term *known = sol_selector(t, named);
        return sol_single(four, known != NULL ? known : sol_any(t, "selector", four, false, node));
    }
    if (strcmp(node->name, "length") == 0 && type->kind == SOL_T_BYTES_N) {
        const struct sol_type *byte = sol_type_of(t->types, "uint8");
        return sol_single(byte, sol_number(t, sol_sort(t, byte), type->bits / 8));
    }
    if (strcmp(node->name, "length") == 0 &&
        type->kind == SOL_T_STRING) { // the low half of the code
        const struct term *code = sol_term_as(t, base, type);
        if (!t->failed && !sol_bits(t))
            return sol_single(
                sol_type_of(t->types, "uint256"),
                term_mod(t->store, code, term_int_text(t->store, "18446744073709551616")));
    }
    struct sol_lvalue place = place_of_member(t, node);
    return t->failed ? nothing(t) : sol_read(t, place, node);
}

// Indices.

static struct sol_lvalue place_of_index(struct sol_translator *t, const struct sol_node *node)
{
    struct sol_value base = sol_value_of(t, node->part[0]);
    if (t->failed || node->part[1] == NULL || base.type == NULL ||
        (base.type->kind != SOL_T_MAPPING && base.type->kind != SOL_T_ARRAY)) {
        sol_not_supported(t, node, "an index of `%s`", node->part[0]->type);
        return (struct sol_lvalue){0};
    }
    struct sol_lvalue place = sol_place_of(t, base, node);
    const struct sol_type *key =
        base.type->kind == SOL_T_MAPPING ? base.type->key : sol_type_of(t->types, "uint256");
    const struct term *index = sol_type_is_value(key) ? sol_term_as(t, node->part[1], key)
                                                      : sol_value_of(t, node->part[1]).term;
    if (t->failed || index == NULL)
        return (struct sol_lvalue){0};
    if (base.type->kind == SOL_T_ARRAY && !t->in_annotation) {
        const struct term *length = sol_length(t, place), *zero = sol_number(t, index->sort, 0);
        sol_assume(t, sol_compare(t, "<", key, index, length, node), node);
        if (!sol_bits(t))
            sol_assume(t, term_le(t->store, zero, index), node);
    }
    return sol_place_element(t, place, index);
}

static const struct term *byte_number(struct sol_translator *t, const struct term *whole,
                                      unsigned low)
{
    mpz_t n;
    char power[100];
    mpz_init(n);
    mpz_setbit(n, low);
    mpz_get_str(power, 10, n);
    mpz_clear(n);
    return term_mod(t->store, term_div(t->store, whole, term_int_text(t->store, power)),
                    term_int(t->store, 256));
}

static struct sol_value byte_at_any_place(struct sol_translator *t, const struct sol_node *node,
                                          const struct sol_type *type, const struct term *whole)
{
    const struct term *index = sol_term_as(t, node->part[1], sol_type_of(t->types, "uint256"));
    if (t->failed)
        return nothing(t);
    unsigned count = type->bits / 8;
    index = sol_keep(t, "index", index, node);
    whole = sol_keep(t, "whole", whole, node);
    sol_assume(t, term_lt(t->store, index, term_int(t->store, (int64_t)count)), node);
    const struct term *byte = byte_number(t, whole, 0);
    for (unsigned i = 0; i + 1 < count; i++)
        byte = term_ite(t->store, term_eq(t->store, index, term_int(t->store, (int64_t)i)),
                        byte_number(t, whole, type->bits - 8 * (i + 1)), byte);
    return sol_single(sol_type_of(t->types, "bytes1"), sol_keep(t, "byte", byte, node));
}

// byte i of bytesN
static struct sol_value byte_of(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_type *type = sol_node_type(t->types, node->part[0]),
                          *byte = sol_type_of(t->types, "bytes1");
    const char *index = sol_constant(t, node->part[1]);
    const struct term *whole = sol_term_as(t, node->part[0], type);
    if (t->failed)
        return nothing(t);
    if (index == NULL && !sol_bits(t))
        return byte_at_any_place(t, node, type, whole);
    unsigned long i = index != NULL ? strtoul(index, NULL, 10) : 99;
    if (i >= type->bits / 8)
        return sol_single(byte, sol_any(t, "byte", byte, false, node));
    unsigned low = type->bits - 8 * ((unsigned)i + 1);
    assert(low + 8 <= type->bits);
    if (sol_bits(t))
        return sol_single(byte, term_bv_extract(t->store, whole, low + 7, low));
    return sol_single(byte, byte_number(t, whole, low));
}

static const struct term *index_in_string(struct sol_translator *t, const struct term *code,
                                          const struct sol_node *node)
{
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    const struct term *index = sol_term_as(t, node->part[1], number);
    if (t->failed || sol_bits(t)) {
        sol_not_supported(t, node, "single bytes among bit-vectors");
        return NULL;
    }
    index = sol_keep(t, "index", index, node);
    sol_assume(t, term_lt(t->store, index, sol_string_length(t, code)), node);
    return index;
}

static struct sol_value byte_of_string(struct sol_translator *t, const struct sol_node *node)
{
    const struct term *code = sol_term_as(t, node->part[0], sol_node_type(t->types, node->part[0])),
                      *index = NULL;
    if (!t->failed)
        index = index_in_string(t, code, node);
    return t->failed
               ? nothing(t)
               : sol_single(sol_type_of(t->types, "bytes1"), sol_byte_at(t, code, index, node));
}

// Bytes in storage have no other name; in memory somebody else may hold the same object.
static struct sol_lvalue place_of_byte(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_node *base = node->part[0];
    if (sol_node_type(t->types, base)->place != SOL_STORAGE) {
        sol_not_supported(t, node, "a byte that is written in memory");
        return (struct sol_lvalue){0};
    }
    struct sol_lvalue whole = sol_lvalue_of(t, base), *kept;
    const struct term *index =
        t->failed ? NULL : index_in_string(t, sol_read(t, whole, node).term, node);
    if (t->failed)
        return (struct sol_lvalue){0};
    kept = arena_alloc(&t->arena, sizeof *kept);
    *kept = whole;
    const struct term **indices = arena_alloc(&t->arena, sizeof *indices);
    indices[0] = index;
    return (struct sol_lvalue){
        .type = sol_type_of(t->types, "bytes1"), .indices = indices, .string = kept};
}

static struct sol_value index_of(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_type *type = sol_node_type(t->types, node->part[0]);
    if (type->kind == SOL_T_BYTES_N)
        return byte_of(t, node);
    if (type->kind == SOL_T_STRING)
        return byte_of_string(t, node);
    struct sol_lvalue place = place_of_index(t, node);
    return t->failed ? nothing(t) : sol_read(t, place, node);
}

// Places.

struct sol_lvalue sol_lvalue_of(struct sol_translator *t, const struct sol_node *node)
{
    if (t->failed)
        return (struct sol_lvalue){0};
    if (node->kind == SOL_INDEX && sol_node_type(t->types, node->part[0])->kind != SOL_T_STRING)
        return place_of_index(t, node);
    if (node->kind == SOL_INDEX)
        return place_of_byte(t, node);
    if (node->kind == SOL_MEMBER) {
        const struct sol_node *declaration = sol_tree_node(t->tree, node->reference);
        if (declaration != NULL && declaration->kind == SOL_VARIABLE &&
            (declaration->flags & SOL_IS_STATE))
            return state_variable(t, declaration);
        return place_of_member(t, node);
    }
    if (node->kind == SOL_TUPLE) {
        if (node->count == 1 && node->list[0] != NULL)
            return sol_lvalue_of(t, node->list[0]);
        struct sol_lvalue tuple = {.item_count = node->count};
        tuple.items = arena_zalloc(&t->arena, (node->count + 1) * sizeof *tuple.items);
        for (size_t i = 0; i < node->count; i++)
            if (node->list[i] != NULL)
                tuple.items[i] = sol_lvalue_of(t, node->list[i]);
        return tuple;
    }
    const struct sol_node *declaration =
        node->kind == SOL_IDENTIFIER ? sol_tree_node(t->tree, node->reference) : NULL;
    if (declaration != NULL && declaration->kind == SOL_VARIABLE) {
        if (declaration->flags & SOL_IS_STATE)
            return state_variable(t, declaration);
        struct sol_binding *binding = sol_find_binding(t, declaration->id);
        if (binding == NULL)
            binding = sol_bind(t, declaration);
        return (struct sol_lvalue){.type = binding->type,
                                   .variable = binding->variable,
                                   .binding = binding->variable != NULL ? NULL : binding};
    }
    if (node->kind == SOL_CALL && !(node->flags & SOL_IS_CONVERSION)) { // a.push() = x, f(x).a = y
        if (sol_type_is_value(sol_node_type(t->types, node)))
            return sol_pushed(t, node);
        struct sol_value value = sol_value_of(t, node);
        if (!t->failed && sol_type_is_reference(value.type))
            return sol_place_of(t, value, node);
        sol_not_supported(t, node, "an assignment to the result of a call");
    } else
        sol_not_supported(t, node, "an assignment to this");
    return (struct sol_lvalue){0};
}

// Operators.

// The value of `node` where `condition` holds; what it does is done there only. `otherwise`: the value elsewhere.
static const struct term *guarded(struct sol_translator *t, const struct term *condition,
                                  const struct sol_node *node, const struct sol_type *type,
                                  const struct term *otherwise)
{
    if (sol_has_effects(t, node)) {
        const struct variable *result = sol_fresh(t, "result", otherwise->sort, node);
        struct location *yes = sol_location(t), *no = sol_location(t), *after = sol_location(t);
        sol_branch(t, condition, yes, no, node);
        t->now = yes;
        const struct term *value = sol_term_as(t, node, type);
        if (!t->failed)
            sol_assign(t, result, value, node);
        sol_go(t, after, node);
        t->now = no;
        sol_assign(t, result, otherwise, node);
        sol_go(t, after, node);
        t->now = after;
        return result->term;
    }
    struct sol_statements outer = sol_collect(t);
    const struct term *value = sol_term_as(t, node, type);
    bool empty;
    struct statement *action = sol_collected(t, outer, &empty, node);
    if (!empty && t->now != NULL && !t->failed)
        sol_emit(
            t, model_if(t->builder, condition, action, model_skip(t->builder, node->at), node->at));
    ENSURE(t->failed || value->sort == otherwise->sort);
    return t->failed ? otherwise : term_ite(t->store, condition, value, otherwise);
}

static struct sol_value logical(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_type *type = sol_type_of(t->types, "bool");
    bool both = strcmp(node->name, "&&") == 0;
    const struct term *left = sol_truth_of(t, node->part[0]);
    if (t->failed)
        return nothing(t);
    if (sol_has_effects(t, node->part[1]))
        left = sol_keep(t, "operand", left, node);
    const struct term *when = both ? left : term_not(t->store, left);
    const struct term *value = guarded(t, when, node->part[1], type, term_bool(t->store, !both));
    return sol_single(type, value);
}

static void keep_items(struct sol_translator *t, const struct sol_node *node,
                       const struct variable **results, struct sol_value *all)
{
    struct sol_value value = sol_value_of(t, node);
    if (!t->failed && value.item_count != all->item_count)
        sol_not_supported(t, node, "a choice between tuples of different sizes");
    for (size_t i = 0; i < all->item_count && !t->failed; i++) {
        const struct sol_type *type = all->type->members[i];
        if (type->kind == SOL_T_CONSTANT || type->kind == SOL_T_UNKNOWN)
            type = value.items[i].type;
        if (type->kind == SOL_T_CONSTANT)
            type = sol_type_of(t->types, "uint256");
        const struct term *term =
            value.items[i].type != NULL ? sol_as(t, value.items[i], type, node).term : NULL;
        if (term == NULL || t->failed) {
            sol_not_supported(t, node, "a choice between tuples of these types");
            return;
        }
        if (results[i] == NULL)
            results[i] = sol_fresh(t, "chosen", term->sort, node);
        if (!sol_is_sort(t, term, results[i]->sort, node))
            return;
        all->items[i] = sol_single(type, results[i]->term);
        sol_assign(t, results[i], term, node);
    }
}

static struct sol_value choose_tuple(struct sol_translator *t, const struct sol_node *node,
                                     const struct term *condition)
{
    struct sol_value all = {.type = sol_node_type(t->types, node)};
    struct location *yes = sol_location(t), *no = sol_location(t), *after = sol_location(t);
    all.item_count = all.type->member_count;
    all.items = arena_zalloc(&t->arena, (all.item_count + 1) * sizeof *all.items);
    const struct variable **results =
        arena_zalloc(&t->arena, (all.item_count + 1) * sizeof *results);
    sol_branch(t, condition, yes, no, node);
    t->now = yes;
    keep_items(t, node->part[1], results, &all);
    sol_go(t, after, node);
    t->now = no;
    if (!t->failed)
        keep_items(t, node->part[2], results, &all);
    sol_go(t, after, node);
    t->now = after;
    return all;
}

static struct sol_value conditional(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_type *type = sol_node_type(t->types, node);
    const struct term *condition = sol_truth_of(t, node->part[0]);
    if (!t->failed && type->kind == SOL_T_TUPLE)
        return choose_tuple(t, node, condition);
    if (t->failed || (sol_type_is_reference(type) && type->place == SOL_STORAGE)) {
        sol_not_supported(t, node, "a choice between `%s`", node->type);
        return nothing(t);
    }
    if (type->kind == SOL_T_CONSTANT && type->bits == 0)
        type = sol_type_of(t->types, "uint256");
    if (sol_has_effects(t, node->part[1]) || sol_has_effects(t, node->part[2]))
        condition = sol_keep(t, "operand", condition, node);
    const struct term *no =
        guarded(t, term_not(t->store, condition), node->part[2], type, sol_default(t, type));
    if (!t->failed && sol_has_effects(t, node->part[1]))
        no = sol_keep(t, "operand", no, node);
    return sol_single(type, guarded(t, condition, node->part[1], type, no));
}

static bool is_shift(const char *operator)
{
    return strncmp(operator, "<<", 2) == 0 || strncmp(operator, ">>", 2) == 0 ||
           strncmp(operator, "**", 2) == 0;
}

static const struct sol_type *operand_type(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_type *type = sol_type_of(t->types, node->common);
    if (is_shift(node->name) || type->kind == SOL_T_UNKNOWN)
        type = sol_node_type(t->types, is_shift(node->name) ? node : node->part[0]);
    return type;
}

static struct sol_value binary(struct sol_translator *t, const struct sol_node *node)
{
    if (strcmp(node->name, "&&") == 0 || strcmp(node->name, "||") == 0)
        return logical(t, node);
    const struct sol_type *result = sol_node_type(t->types, node);
    const struct sol_node *operator= sol_tree_node(t->tree, node->reference);
    if (operator!= NULL && operator->kind == SOL_FUNCTION)
        return sol_call_operator(t, node);
    if (result->kind == SOL_T_CONSTANT && result->bits == 0)
        return constant(t, node);
    const struct sol_type *type = operand_type(t, node);
    if (type->kind == SOL_T_CONSTANT && type->bits == 0) { // a comparison of constants
        struct sol_value a = constant(t, node->part[0]), b = constant(t, node->part[1]);
        return t->failed
                   ? a
                   : sol_single(result, sol_compare(t, node->name, sol_type_of(t->types, "int256"),
                                                    a.term, b.term, node));
    }
    const struct sol_type *right_type = type;
    if (is_shift(node->name)) {
        right_type = sol_node_type(t->types, node->part[1]);
        if (right_type->kind == SOL_T_CONSTANT)
            right_type = sol_type_of(t->types, "uint256");
    }
    const struct term *right = sol_term_as(t, node->part[1], right_type);
    if (!t->failed && sol_has_effects(t, node->part[0]))
        right = sol_keep(t, "operand", right, node);
    const struct term *left = sol_term_as(t, node->part[0], type);
    if (t->failed)
        return nothing(t);
    if (result->kind == SOL_T_BOOL)
        return sol_single(result, sol_compare(t, node->name, type, left, right, node));
    return sol_single(type, sol_arithmetic(t, node->name, type, left, right, node));
}

static struct sol_value step(struct sol_translator *t, const struct sol_node *node)
{
    struct sol_lvalue place = sol_lvalue_of(t, node->part[0]);
    if (t->failed)
        return nothing(t);
    struct sol_value old = sol_read(t, place, node);
    if (old.term == NULL || old.term->sort->kind == SORT_BOOL) {
        sol_not_supported(t, node, "the operator `%s` for this", node->name);
        return nothing(t);
    }
    bool prefix = (node->flags & SOL_IS_PREFIX) != 0;
    const char operator[2] = {node->name[0], '\0'};
    old.term = prefix ? old.term : sol_keep(t, "before", old.term, node);
    const struct term *one = sol_number(t, old.term->sort, 1);
    struct sol_value value =
        sol_single(place.type, sol_arithmetic(t, operator, place.type, old.term, one, node));
    if (place.is_length && node->name[0] == '-') {
        value.term = sol_keep(t, "length", value.term, node);
        sol_cut(t, place, value.term, node);
    }
    sol_write(t, place, value, node);
    return prefix ? sol_read(t, place, node) : old;
}

static struct sol_value unary(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_type *type = sol_node_type(t->types, node);
    const struct sol_node *function = sol_tree_node(t->tree, node->reference);
    if (function != NULL && function->kind == SOL_FUNCTION)
        return sol_call_operator(t, node);
    if (strcmp(node->name, "++") == 0 || strcmp(node->name, "--") == 0)
        return step(t, node);
    if (strcmp(node->name, "delete") == 0) {
        struct sol_lvalue place = sol_lvalue_of(t, node->part[0]);
        if (!t->failed)
            sol_clear(t, place, node);
        return nothing(t);
    }
    if (type->kind == SOL_T_CONSTANT && type->bits == 0)
        return constant(t, node);
    if (strcmp(node->name, "!") == 0) {
        const struct term *value = sol_truth_of(t, node->part[0]);
        return t->failed ? nothing(t)
                         : sol_single(sol_type_of(t->types, "bool"), term_not(t->store, value));
    }
    const struct term *value = sol_term_as(t, node->part[0], type);
    if (t->failed)
        return nothing(t);
    if (strcmp(node->name, "-") == 0)
        return sol_single(type, sol_negate(t, type, value, node));
    if (strcmp(node->name, "~") == 0) {
        if (sol_bits(t))
            return sol_single(type, term_bv_unary(t->store, TERM_BV_NOT, value));
        if (type->kind == SOL_T_INT)
            return sol_single(type, term_sub(t->store, term_int(t->store, -1), value));
        if (t->options->arithmetic != SOL_ARITHMETIC_INT) {
            mpz_t n;
            mpz_init(n);
            mpz_setbit(n, type->bits);
            mpz_sub_ui(n, n, 1);
            char *text = mpz_get_str(NULL, 10, n);
            const struct term *all = term_int_text(t->store, text);
            free(text);
            mpz_clear(n);
            return sol_single(type, term_sub(t->store, all, value));
        }
    }
    if (strcmp(node->name, "+") == 0)
        return sol_single(type, value);
    sol_not_supported(t, node, "the operator `%s`", node->name);
    return nothing(t);
}

void sol_assign_tuple(struct sol_translator *t, struct sol_lvalue to, struct sol_value value,
                      const struct sol_node *at)
{
    if (t->failed)
        return;
    if (to.items == NULL) {
        sol_write(t, to, value, at);
        return;
    }
    if (to.item_count != value.item_count) {
        sol_not_supported(t, at, "an assignment of %zu values to %zu places", value.item_count,
                          to.item_count);
        return;
    }
    for (size_t i = 0; i < value.item_count; i++)
        if (value.items[i].term != NULL)
            value.items[i].term = sol_keep(t, "item", value.items[i].term, at);
    for (size_t i = to.item_count; i-- > 0;)
        if (to.items[i].type != NULL)
            sol_write(t, to.items[i], value.items[i], at);
}

// `a.length = 0` empties.
static bool empties(struct sol_translator *t, const struct sol_node *node, struct sol_lvalue place)
{
    const char *constant = place.is_length ? sol_constant(t, node->part[1]) : NULL;
    if (constant == NULL || strcmp(node->name, "=") != 0 || strcmp(constant, "0") != 0)
        return false;
    place.is_length = false;
    place.type = place.slot->type;
    sol_clear(t, place, node);
    return true;
}

static struct sol_value assignment(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_node *left = node->part[0], *right = node->part[1];
    const struct sol_type *type = sol_node_type(t->types, left);
    bool simple = strcmp(node->name, "=") == 0;
    char operator[3] = {node->name[0], node->name[1] != '=' ? node->name[1] : '\0', '\0'};
    struct sol_value value;
    if (!simple && is_shift(operator)) {
        const struct sol_type *by = sol_node_type(t->types, right);
        value = sol_single(
            type, sol_term_as(t, right,
                              by->kind == SOL_T_CONSTANT ? sol_type_of(t->types, "uint256") : by));
    } else if (sol_type_is_value(type)) {
        value = sol_single(type, sol_term_as(t, right, type));
    } else {
        value = sol_value_of(t, right);
    }
    if (t->failed)
        return nothing(t);
    if (value.term != NULL && sol_has_effects(t, left))
        value.term = sol_keep(t, "operand", value.term, node);
    struct sol_lvalue place = sol_lvalue_of(t, left);
    if (t->failed || empties(t, node, place))
        return nothing(t);
    if (!simple)
        value = sol_single(type, sol_arithmetic(t, operator, type, sol_read(t, place, node).term,
                                                value.term, node));
    if (place.is_length && strcmp(node->name, "+=") != 0 && !t->failed) {
        value.term = sol_keep(t, "length", value.term, node);
        sol_cut(t, place, value.term, node);
    }
    if (place.items != NULL)
        sol_assign_tuple(t, place, value, node);
    else
        sol_write(t, place, value, node);
    return place.items != NULL || t->failed ? nothing(t) : sol_read(t, place, node);
}

static struct sol_value tuple(struct sol_translator *t, const struct sol_node *node)
{
    if (node->flags & SOL_IS_INLINE_ARRAY) {
        const struct sol_type *type = sol_node_type(t->types, node);
        struct sol_value array = sol_allocate(t, type, NULL, node);
        for (size_t i = 0; i < node->count && !t->failed; i++) {
            struct sol_lvalue place = sol_place_element(
                t, sol_place_of(t, array, node), sol_number(t, sol_index_sort(t), (int64_t)i));
            struct sol_value value =
                sol_type_is_value(type->value)
                    ? sol_single(type->value, sol_term_as(t, node->list[i], type->value))
                    : sol_value_of(t, node->list[i]);
            if (!t->failed)
                sol_write(t, place, value, node);
        }
        return array;
    }
    if (node->count == 1 && node->list[0] != NULL)
        return sol_value_of(t, node->list[0]);
    struct sol_value value = {.type = sol_node_type(t->types, node), .item_count = node->count};
    value.items = arena_zalloc(&t->arena, (node->count + 1) * sizeof *value.items);
    for (size_t i = 0; i < node->count && !t->failed; i++)
        if (node->list[i] != NULL) {
            value.items[i] = sol_value_of(t, node->list[i]);
            if (value.items[i].term != NULL)
                value.items[i].term = sol_keep(t, "item", value.items[i].term, node);
        }
    return value;
}

static struct sol_value evaluate(struct sol_translator *t, const struct sol_node *node)
{
    switch (node->kind) {
    case SOL_LITERAL:
        return literal(t, node);
    case SOL_IDENTIFIER:
        return identifier(t, node);
    case SOL_MEMBER:
        return member(t, node);
    case SOL_INDEX:
        return index_of(t, node);
    case SOL_UNARY:
        return unary(t, node);
    case SOL_BINARY:
        return binary(t, node);
    case SOL_CONDITIONAL:
        return conditional(t, node);
    case SOL_ASSIGNMENT:
        return assignment(t, node);
    case SOL_TUPLE:
        return tuple(t, node);
    case SOL_CALL:
        return sol_call(t, node);
    case SOL_SLICE:
        return sol_slice(t, node);
    default:
        sol_not_supported(t, node, "this expression%s%s", node->kind == SOL_OTHER ? ": " : "",
                          node->kind == SOL_OTHER ? node->name : "");
        return nothing(t);
    }
}

// Is the value what its type says? With a compiler's tree it is.
static bool is_whole(struct sol_translator *t, struct sol_value value)
{
    if (value.type == NULL)
        return false;
    if (value.slot != NULL)
        return value.slot->type->kind == value.type->kind;
    if (value.type->kind == SOL_T_TUPLE)
        return true;
    return value.term != NULL && value.term->sort == sol_sort(t, value.type);
}

struct sol_value sol_value_of(struct sol_translator *t, const struct sol_node *node)
{
    if (t->failed || node == NULL)
        return nothing(t);
    struct sol_value value = evaluate(t, node);
    if (!t->failed && !is_whole(t, value))
        sol_not_supported(t, node, "a value that is no `%s`", node->type);
    return t->failed ? nothing(t) : value;
}

const struct term *sol_truth_of(struct sol_translator *t, const struct sol_node *node)
{
    return sol_term_as(t, node, sol_type_of(t->types, "bool"));
}

const struct term *sol_term_of(struct sol_translator *t, const struct sol_node *node)
{
    struct sol_value value = sol_value_of(t, node);
    if (!t->failed && value.term == NULL) {
        if (value.item_count == 1 && value.items[0].term != NULL)
            return value.items[0].term;
        sol_not_supported(t, node, "`%s` as an operand", node->type);
    }
    return t->failed ? term_false(t->store) : value.term;
}

static const struct sol_node *bare(const struct sol_node *node)
{
    while (node->kind == SOL_TUPLE && node->count == 1 && node->list[0] != NULL &&
           !(node->flags & SOL_IS_INLINE_ARRAY))
        node = node->list[0];
    return node;
}

const struct term *sol_term_as(struct sol_translator *t, const struct sol_node *node,
                               const struct sol_type *type)
{
    node = bare(node);
    const struct sol_type *from = sol_node_type(t->types, node);
    if (from->kind == SOL_T_CONSTANT && from->bits == 0 &&
        (sol_type_is_value(type) || type->kind == SOL_T_CONSTANT) && type->kind != SOL_T_BOOL) {
        const char *decimal = sol_constant(t, node);
        if (decimal != NULL)
            return sol_literal(t, type, decimal);
    }
    if (node->kind == SOL_LITERAL && from->kind == SOL_T_STRING && type->kind == SOL_T_BYTES_N)
        return string_bytes(t, node, type);
    struct sol_value value = sol_value_of(t, node);
    if (t->failed)
        return sol_default(t, type);
    value = sol_as(t, value, type, node);
    if (!t->failed && value.term == NULL)
        sol_not_supported(t, node, "`%s` as an operand", node->type);
    if (!t->failed)
        sol_is_sort(t, value.term, sol_sort(t, type), node);
    ENSURE(t->failed || value.term->sort == sol_sort(t, type));
    return t->failed ? sol_default(t, type) : value.term;
}
