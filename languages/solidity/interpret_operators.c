#include <stdlib.h>
#include <string.h>

#include "languages/solidity/interpret_inside.h"

// Constants and operators.

// Constants.

static mpz_ptr literal_number(struct machine *m, const struct sol_node *node)
{
    static const struct {
        const char *unit;
        unsigned long factor;
    } units[] = {{"gwei", 1000000000},
                 {"szabo", 1000000000000},
                 {"finney", 1000000000000000},
                 {"ether", 1000000000000000000},
                 {"minutes", 60},
                 {"hours", 3600},
                 {"days", 86400},
                 {"weeks", 604800},
                 {"years", 31536000}};
    char digits[300];
    size_t count = 0;
    long scale = 0;
    bool fraction = false, hexadecimal = node->name[0] == '0' && (node->name[1] | 32) == 'x';
    mpz_ptr n = machine_number(m);
    const char *c = node->name + (hexadecimal ? 2 : 0);
    for (; *c && count < sizeof digits - 1 && (hexadecimal || (*c | 32) != 'e'); c++) {
        if (*c == '.')
            fraction = true;
        else if (*c != '_') {
            digits[count++] = *c;
            scale -= fraction;
        }
    }
    digits[count] = '\0';
    mpz_set_str(n, count ? digits : "0", hexadecimal ? 16 : 10);
    if (!hexadecimal && *c)
        scale += sol_exponent(c + 1);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].unit, node->unit) == 0)
            mpz_mul_ui(n, n, units[i].factor);
    mpz_t ten;
    mpz_init(ten);
    if (labs(scale) > 4000)
        machine_stop(m, FLOW_STUCK, node, "a constant beyond the interpreter");
    mpz_ui_pow_ui(ten, 10, labs(scale) <= 4000 ? (unsigned long)labs(scale) : 0);
    if (scale > 0)
        mpz_mul(n, n, ten);
    else
        mpz_tdiv_q(n, n, ten);
    mpz_clear(ten);
    return n;
}

struct datum machine_literal(struct machine *m, const struct sol_node *node)
{
    if (strcmp(node->word, "bool") == 0)
        return machine_truth(m, node->name[0] == 't');
    const struct sol_type *type = sol_node_type(m->types, node);
    if (strcmp(node->word, "number") == 0)
        return machine_plain(type->kind == SOL_T_UNKNOWN ? sol_type_of(m->types, "int_const")
                                                         : type,
                             literal_number(m, node));
    mpz_ptr n = machine_number(m);
    if (node->unit[0])
        mpz_set_str(n, node->unit, 16);
    mpz_mul_2exp(n, n, 64);
    mpz_add_ui(n, n, strlen(node->unit) / 2);
    return machine_plain(sol_type_of(m->types, "literal_string"), n);
}

// Operators.

struct datum machine_as_type(struct machine *m, const struct sol_node *node,
                             const struct sol_type *type)
{
    struct datum d = machine_evaluate(m, node);
    return machine_ended(m) ? d : machine_converted(m, d, type, node);
}

static bool is_shift(const char *o)
{
    return strncmp(o, "<<", 2) == 0 || strncmp(o, ">>", 2) == 0 || strncmp(o, "**", 2) == 0;
}

static struct datum compare(struct machine *m, const char *o, mpz_srcptr a, mpz_srcptr b)
{
    int c = mpz_cmp(a, b);
    bool value = strcmp(o, "==") == 0   ? c == 0
                 : strcmp(o, "!=") == 0 ? c != 0
                 : strcmp(o, "<=") == 0 ? c <= 0
                 : strcmp(o, ">=") == 0 ? c >= 0
                 : *o == '<'            ? c < 0
                                        : c > 0;
    return machine_truth(m, value);
}

static struct datum call_operator(struct machine *m, const struct sol_node *node,
                                  const struct sol_node *function)
{
    struct datum values[2] = {{0}};
    for (size_t i = 0; i < function->part[0]->count && i < 2; i++)
        values[i] =
            machine_as_type(m, node->part[i], sol_node_type(m->types, function->part[0]->list[i]));
    struct activation *a = m->active;
    return machine_ended(m)
               ? (struct datum){0}
               : machine_call(m, function, a->self, a->contract, a->sender, a->value, values, node);
}

struct datum machine_binary(struct machine *m, const struct sol_node *node)
{
    const char *o = node->name;
    if (strcmp(o, "&&") == 0 || strcmp(o, "||") == 0) {
        bool left = machine_is_true(machine_evaluate(m, node->part[0]));
        if (machine_ended(m) || left == (*o == '|'))
            return machine_truth(m, left);
        return machine_truth(m, machine_is_true(machine_evaluate(m, node->part[1])));
    }
    const struct sol_type *result = sol_node_type(m->types, node),
                          *type = sol_type_of(m->types, node->common);
    if (is_shift(o) || type->kind == SOL_T_UNKNOWN)
        type = is_shift(o) ? result : sol_node_type(m->types, node->part[0]);
    const struct sol_node *function = sol_tree_node(m->tree, node->reference);
    if (function != NULL && function->kind == SOL_FUNCTION)
        return call_operator(m, node, function);
    struct datum b =
        is_shift(o) ? machine_evaluate(m, node->part[1]) : machine_as_type(m, node->part[1], type);
    struct datum a = machine_ended(m) ? (struct datum){0} : machine_as_type(m, node->part[0], type);
    if (machine_ended(m) || a.number == NULL || b.number == NULL) {
        machine_stop(m, FLOW_STUCK, node, "operands that the interpreter does not know");
        return machine_truth(m, false);
    }
    if (result->kind == SOL_T_BOOL)
        return compare(m, o, a.number, b.number);
    return machine_plain(type, machine_arithmetic(m, o, type, a.number, b.number, node));
}

struct datum machine_unary(struct machine *m, const struct sol_node *node)
{
    const char *o = node->name;
    const struct sol_type *type = sol_node_type(m->types, node);
    const struct sol_node *function = sol_tree_node(m->tree, node->reference);
    if (function != NULL && function->kind == SOL_FUNCTION)
        return call_operator(m, node, function);
    if (strcmp(o, "++") == 0 || strcmp(o, "--") == 0) {
        struct place p = machine_place_of(m, node->part[0]);
        struct datum old = machine_read_place(m, p);
        if (machine_ended(m))
            return old;
        const char op[2] = {o[0], '\0'};
        struct datum value = machine_plain(
            p.type, machine_arithmetic(m, op, p.type, old.number, machine_number_of(m, 1), node));
        machine_write_place(m, p, value, node->part[0]);
        return (node->flags & SOL_IS_PREFIX) ? value : old;
    }
    if (strcmp(o, "delete") == 0) {
        struct place p = machine_place_of(m, node->part[0]);
        if (!machine_ended(m) && p.string != NULL)
            machine_write_place(m, p, machine_plain(p.type, machine_number_of(m, 0)),
                                node->part[0]);
        else if (!machine_ended(m) && p.datum != NULL && p.datum->object != NULL &&
                 !p.datum->object->in_memory)
            machine_reset(m, p.datum);
        else if (!machine_ended(m) && p.datum != NULL)
            *p.datum = machine_initial(m, p.type, p.type->place == SOL_MEMORY);
        return machine_truth(m, false);
    }
    struct datum d = type->kind == SOL_T_CONSTANT ? machine_evaluate(m, node->part[0])
                                                  : machine_as_type(m, node->part[0], type);
    if (machine_ended(m))
        return d;
    mpz_ptr n = machine_number(m);
    if (*o == '!')
        return machine_truth(m, !machine_is_true(d));
    if (*o == '-') {
        mpz_neg(n, d.number);
        return machine_plain(d.type, machine_settle(m, n, d.type, node));
    }
    if (*o == '~') {
        mpz_com(n, d.number);
        if (!machine_is_int_mode(m))
            machine_wrap(n, type);
        return machine_plain(type, n);
    }
    return d;
}

struct datum machine_assignment(struct machine *m, const struct sol_node *node)
{
    const struct sol_node *left = node->part[0];
    const struct sol_type *type = sol_node_type(m->types, left);
    bool simple = strcmp(node->name, "=") == 0;
    char o[3] = {node->name[0], node->name[1] != '=' ? node->name[1] : '\0', '\0'};
    struct datum value = sol_type_is_value(type) && !(!simple && is_shift(o))
                             ? machine_as_type(m, node->part[1], type)
                             : machine_evaluate(m, node->part[1]);
    if (machine_ended(m))
        return value;
    if (left->kind == SOL_TUPLE && left->count != 1) {
        struct place *places = arena_zalloc(&m->arena, (left->count + 1) * sizeof *places);
        for (size_t i = 0; i < left->count; i++)
            if (left->list[i] != NULL)
                places[i] = machine_place_of(m, left->list[i]);
        for (size_t i = left->count < value.count ? left->count : value.count;
             i-- > 0 && !machine_ended(m);)
            if (left->list[i] != NULL && value.items[i].type != NULL)
                machine_write_place(m, places[i],
                                    machine_converted(m, value.items[i], places[i].type, node),
                                    left->list[i]);
        return value;
    }
    struct place p = machine_place_of(m, left);
    if (machine_ended(m))
        return value;
    if (!simple)
        value = machine_plain(type, machine_arithmetic(m, o, type, machine_read_place(m, p).number,
                                                       value.number, node));
    machine_write_place(m, p, value, left);
    return machine_ended(m) ? value : machine_read_place(m, p);
}
