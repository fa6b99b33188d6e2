#include <string.h>

#include "languages/solidity/interpret_inside.h"

// Expressions.

#define MOST_STEPS 2000000

// Expressions.

static struct datum surrounding(struct machine *m, const struct sol_node *node)
{
    char name[100], other[100];
    sol_surrounding_name(node, name, sizeof name);
    for (size_t i = 0; i < m->surrounding_count; i++) {
        sol_surrounding_name(m->surroundings[i], other, sizeof other);
        if (strcmp(name, other) == 0 && m->surrounding[i] != NULL)
            return machine_plain(sol_node_type(m->types, node), m->surrounding[i]);
    }
    machine_stop(m, FLOW_STUCK, node, "something of the chain that the interpreter does not know");
    return (struct datum){0};
}

// type(T).max and the like
static struct datum of_type(struct machine *m, const struct sol_node *node)
{
    const struct sol_type *result = sol_node_type(m->types, node);
    const struct sol_node *named = sol_tree_node(m->tree, node->part[0]->list[0]->reference);
    mpz_ptr n = machine_number(m);
    bool most = strcmp(node->name, "max") == 0;
    if (sol_type_is_number(result)) {
        if (most || result->kind == SOL_T_INT)
            mpz_setbit(n, result->kind == SOL_T_INT ? result->bits - 1 : result->bits);
        if (most)
            mpz_sub_ui(n, n, 1);
        else
            mpz_neg(n, n);
    } else if (result->kind == SOL_T_ENUM) {
        mpz_set_ui(n, most ? result->node->count - 1 : 0);
    } else if (strcmp(node->name, "name") == 0 && named != NULL) {
        for (const char *c = named->name; *c; c++) {
            mpz_mul_ui(n, n, 256);
            mpz_add_ui(n, n, (unsigned char)*c);
        }
        n = machine_string_of(m, n, strlen(named->name));
    } else {
        machine_stop(m, FLOW_STUCK, node, "something of a type that the interpreter does not know");
    }
    return machine_plain(result, n);
}

// A pointer to a function is its number in the tree.
static struct datum function_value(struct machine *m, const struct sol_node *node,
                                   const struct sol_node *function)
{
    const struct sol_type *type = sol_node_type(m->types, node);
    if (type->kind != SOL_T_FUNCTION)
        machine_stop(m, FLOW_STUCK, node, "a function that the interpreter does not know");
    return machine_plain(type, machine_number_of(m, function->id));
}

static struct datum member(struct machine *m, const struct sol_node *node)
{
    const struct sol_node *base = node->part[0],
                          *declaration = sol_tree_node(m->tree, node->reference);
    const struct sol_node *owner =
        base->kind == SOL_IDENTIFIER ? sol_tree_node(m->tree, base->reference) : NULL;
    const struct sol_type *word = sol_type_of(m->types, "uint256"),
                          *type = sol_node_type(m->types, base);
    if (base->kind == SOL_IDENTIFIER && owner == NULL) {
        if (strcmp(base->name, "msg") == 0 && strcmp(node->name, "sender") == 0)
            return machine_plain(sol_type_of(m->types, "address"), m->active->sender);
        if (strcmp(base->name, "msg") == 0 && strcmp(node->name, "value") == 0)
            return machine_plain(word, m->active->value);
        if (strcmp(base->name, "block") == 0 && strcmp(node->name, "timestamp") == 0)
            return machine_plain(word, m->now);
        if (strcmp(base->name, "block") == 0 && strcmp(node->name, "number") == 0)
            return machine_plain(word, m->block);
        if (strcmp(base->name, "msg") == 0 && strcmp(node->name, "data") == 0 &&
            m->active->data != NULL) {
            if (!m->active->data_fits)
                machine_stop(m, FLOW_STUCK, node, "data that are not those of the call");
            return machine_plain(sol_type_of(m->types, "bytes memory"), m->active->data);
        }
        if (strcmp(base->name, "msg") == 0 && strcmp(node->name, "sig") == 0)
            return machine_plain(sol_type_of(m->types, "bytes4"),
                                 machine_selector_of(m, m->active->called, node));
        if (strcmp(base->name, "msg") == 0 && strcmp(node->name, "gas") == 0)
            return machine_gas_left(m, node);
        if (strcmp(base->name, "msg") == 0 || strcmp(base->name, "block") == 0 ||
            strcmp(base->name, "tx") == 0)
            return surrounding(m, node);
    }
    const struct sol_type *result = sol_node_type(m->types, node);
    for (size_t i = 0; result->kind == SOL_T_ENUM && owner == result->node && i < owner->count; i++)
        if (strcmp(owner->list[i]->name, node->name) == 0)
            return machine_plain(result, machine_number_of(m, (long)i));
    if (base->kind == SOL_CALL && base->part[0]->kind == SOL_IDENTIFIER &&
        strcmp(base->part[0]->name, "type") == 0)
        return of_type(m, node);
    if (declaration != NULL && declaration->kind == SOL_VARIABLE &&
        (declaration->flags & SOL_IS_CONSTANT) && declaration->part[1] != NULL)
        return machine_as_type(m, declaration->part[1], sol_node_type(m->types, declaration));
    if (declaration != NULL && declaration->kind == SOL_FUNCTION && owner != NULL &&
        (owner->kind == SOL_CONTRACT || owner->kind == SOL_IMPORT))
        return function_value(m, node, declaration);
    if (strcmp(node->name, "balance") == 0 &&
        (type->kind == SOL_T_ADDRESS || type->kind == SOL_T_CONTRACT)) {
        struct datum address = machine_evaluate(m, base);
        if (machine_ended(m))
            return address;
        if (sol_node_is_self(m->tree, base))
            return machine_plain(word, machine_balance(m, address.number)->number);
        if (m->annotation)
            machine_stop(m, FLOW_STUCK, node, "the balance of another account in an annotation");
        return machine_plain(word, machine_told_balance(m, address.number, node));
    }
    if (type->kind == SOL_T_ADDRESS &&
        (strcmp(node->name, "code") == 0 || strcmp(node->name, "codehash") == 0)) {
        mpz_ptr key = machine_evaluate(m, base).number;
        return machine_ended(m)
                   ? (struct datum){0}
                   : machine_code(m, node->name, key, sol_node_type(m->types, node), node);
    }
    const struct sol_node *named = sol_tree_node(m->tree, base->reference);
    if (strcmp(node->name, "selector") == 0 && named != NULL && named->kind == SOL_FUNCTION)
        return machine_plain(result, machine_selector_of(m, named, node));
    if (strcmp(node->name, "length") == 0 && type->kind == SOL_T_STRING) {
        struct datum d = machine_evaluate(m, base);
        mpz_ptr n = machine_number(m);
        if (!machine_ended(m))
            mpz_fdiv_r_2exp(n, d.number, 64);
        return machine_plain(word, n);
    }
    if (strcmp(node->name, "length") == 0 && type->kind == SOL_T_BYTES_N)
        return machine_plain(word, machine_number_of(m, (long)type->bits / 8));
    return machine_read_place(m, machine_place_of(m, node));
}

static struct datum index_of(struct machine *m, const struct sol_node *node)
{
    const struct sol_type *type = sol_node_type(m->types, node->part[0]);
    if (type->kind == SOL_T_STRING) {
        struct datum whole = machine_evaluate(m, node->part[0]),
                     index = machine_as_type(m, node->part[1], sol_type_of(m->types, "uint256"));
        if (machine_ended(m) || !machine_is_index(m, whole.number, index.number, node))
            return (struct datum){0};
        return machine_plain(sol_type_of(m->types, "bytes1"),
                             machine_byte_at(m, whole.number, index.number));
    }
    if (type->kind != SOL_T_BYTES_N)
        return machine_read_place(m, machine_place_of(m, node));
    struct datum d = machine_evaluate(m, node->part[0]), i = machine_evaluate(m, node->part[1]);
    if (machine_ended(m))
        return d;
    if (mpz_cmp_ui(i.number, type->bits / 8) >= 0) {
        machine_stop(m, FLOW_REVERT, node, "an index out of bounds");
        return d;
    }
    mpz_ptr n = machine_number(m);
    mpz_fdiv_q_2exp(n, d.number, type->bits - 8 * (mpz_get_ui(i.number) + 1));
    mpz_fdiv_r_2exp(n, n, 8);
    return machine_plain(sol_type_of(m->types, "bytes1"), n);
}

static struct datum identifier(struct machine *m, const struct sol_node *node)
{
    const struct sol_node *declaration = sol_tree_node(m->tree, node->reference);
    if (declaration != NULL && declaration->kind == SOL_VARIABLE) {
        if ((declaration->flags & SOL_IS_CONSTANT) && declaration->part[1] != NULL)
            return machine_as_type(m, declaration->part[1], sol_node_type(m->types, declaration));
        return machine_read_place(m, machine_place_of(m, node));
    }
    if (declaration != NULL && declaration->kind == SOL_FUNCTION)
        return function_value(m, node, machine_resolve(m, m->active->contract, declaration));
    if (strcmp(node->name, "this") == 0)
        return machine_plain(sol_type_of(m->types, "address"), m->active->self->address);
    if (strcmp(node->name, "now") == 0)
        return machine_plain(sol_type_of(m->types, "uint256"), m->now);
    machine_stop(m, FLOW_STUCK, node, "a name that the interpreter does not know");
    return (struct datum){0};
}

struct datum machine_tuple(struct machine *m, const struct sol_node *node)
{
    if (node->flags & SOL_IS_INLINE_ARRAY) {
        const struct sol_type *type = sol_node_type(m->types, node);
        struct datum d = machine_initial(m, type, true);
        for (size_t i = 0; i < node->count && !machine_ended(m); i++) {
            mpz_t key;
            mpz_init_set_ui(key, i);
            struct datum value = machine_as_type(m, node->list[i], type->value);
            if (!machine_ended(m))
                machine_assign(m, machine_cell_at(m, d.object, key, type->value), value,
                               type->value, true);
            mpz_clear(key);
        }
        return d;
    }
    if (node->count == 1 && node->list[0] != NULL)
        return machine_evaluate(m, node->list[0]);
    struct datum all = {.type = sol_node_type(m->types, node), .count = node->count};
    all.items = arena_zalloc(&m->arena, (node->count + 1) * sizeof *all.items);
    for (size_t i = 0; i < node->count && !machine_ended(m); i++)
        if (node->list[i] != NULL)
            all.items[i] = machine_evaluate(m, node->list[i]);
    return all;
}

struct datum machine_evaluate(struct machine *m, const struct sol_node *node)
{
    if (machine_ended(m) || node == NULL)
        return (struct datum){0};
    if (++m->steps > MOST_STEPS) {
        machine_stop(m, FLOW_STUCK, node, "the run is longer than the interpreter follows");
        return (struct datum){0};
    }
    switch (node->kind) {
    case SOL_LITERAL:
        return machine_literal(m, node);
    case SOL_IDENTIFIER:
        return identifier(m, node);
    case SOL_MEMBER:
        return member(m, node);
    case SOL_INDEX:
        return index_of(m, node);
    case SOL_UNARY:
        return machine_unary(m, node);
    case SOL_BINARY:
        return machine_binary(m, node);
    case SOL_CONDITIONAL: {
        bool yes = machine_is_true(machine_evaluate(m, node->part[0]));
        const struct sol_type *type = sol_node_type(m->types, node);
        struct datum d = machine_evaluate(m, node->part[yes ? 1 : 2]);
        return machine_ended(m) ? d : machine_converted(m, d, type, node);
    }
    case SOL_ASSIGNMENT:
        return machine_assignment(m, node);
    case SOL_TUPLE:
        return machine_tuple(m, node);
    case SOL_CALL:
        return machine_evaluate_call(m, node);
    case SOL_SLICE:
        return machine_slice(m, node);
    default:
        machine_stop(m, FLOW_STUCK, node, "an expression that the interpreter does not know");
        return (struct datum){0};
    }
}
