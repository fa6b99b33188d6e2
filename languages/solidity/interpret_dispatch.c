#include <string.h>

#include "languages/solidity/interpret_inside.h"

// What a call means.

static struct datum call_member(struct machine *m, const struct sol_node *node,
                                const struct sol_node *callee, const struct sol_node *amount)
{
    const struct sol_node *base = callee->part[0],
                          *target = sol_tree_node(m->tree, callee->reference);
    const struct sol_node *owner =
        base->kind == SOL_IDENTIFIER ? sol_tree_node(m->tree, base->reference) : NULL;
    const struct sol_type *type = sol_node_type(m->types, base);
    struct activation *a = m->active;
    if (base->kind == SOL_IDENTIFIER && owner == NULL && strcmp(base->name, "abi") == 0) {
        return machine_abi(m, node, callee->name);
    }
    if (base->kind == SOL_ELEMENTARY && strcmp(callee->name, "concat") == 0)
        return machine_concatenate(m, node);
    if (owner != NULL && owner->kind == SOL_VALUE_TYPE && node->count == 1)
        return machine_as_type(m, node->list[0], sol_node_type(m->types, node));
    if (target != NULL && target->kind == SOL_FUNCTION) {
        const struct sol_node *home = sol_node_contract(target);
        if (base->kind == SOL_IDENTIFIER && owner == NULL && strcmp(base->name, "super") == 0) {
            const struct sol_node *lexical = sol_node_contract(node);
            size_t skip = 0;
            while (skip < a->contract->order_count && a->contract->order[skip] != lexical->id)
                skip++;
            const struct sol_node *found = machine_find(m, a->contract, target, skip + 1);
            target = found != NULL ? found : target;
            struct datum *values = machine_arguments_of(m, target, NULL, node);
            return machine_ended(m) ? (struct datum){0}
                                    : machine_call(m, target, a->self, a->contract, a->sender,
                                                   a->value, values, node);
        }
        if (owner != NULL && (owner->kind == SOL_CONTRACT || owner->kind == SOL_IMPORT)) {
            struct datum *values = machine_arguments_of(m, target, NULL, node);
            return machine_ended(m) ? (struct datum){0}
                                    : machine_call(m, target, a->self, a->contract, a->sender,
                                                   a->value, values, node);
        }
        if (home == NULL || (home->flags & SOL_IS_LIBRARY)) {
            struct datum bound = machine_evaluate(m, base);
            struct datum *values =
                machine_ended(m) ? NULL : machine_arguments_of(m, target, &bound, node);
            return machine_ended(m) ? (struct datum){0}
                                    : machine_call(m, target, a->self, a->contract, a->sender,
                                                   a->value, values, node);
        }
    }
    if ((type->kind == SOL_T_ARRAY || type->kind == SOL_T_STRING) &&
        (strcmp(callee->name, "push") == 0 || strcmp(callee->name, "pop") == 0))
        return machine_push(m, node, callee);
    if (target != NULL && (target->kind == SOL_FUNCTION || target->kind == SOL_VARIABLE) &&
        type->kind == SOL_T_CONTRACT)
        return machine_call_contract(m, node, callee, target, amount);
    if (type->kind == SOL_T_ADDRESS || type->kind == SOL_T_CONTRACT)
        return machine_low_level(m, node, callee, amount);
    if (target != NULL && target->kind == SOL_EVENT)
        return machine_truth(m, true);
    machine_stop(m, FLOW_STUCK, node, "a call that the interpreter does not know");
    return (struct datum){0};
}

static struct datum call_pointer(struct machine *m, const struct sol_node *node,
                                 const struct sol_node *callee)
{
    struct datum d = machine_evaluate(m, callee);
    struct activation *a = m->active;
    if (machine_ended(m))
        return d;
    const struct sol_node *function = d.number != NULL && mpz_fits_slong_p(d.number)
                                          ? sol_tree_node(m->tree, mpz_get_si(d.number))
                                          : NULL;
    if (function == NULL || function->kind != SOL_FUNCTION) {
        machine_stop(m, FLOW_REVERT, node, "a call of a pointer that leads to no function");
        return (struct datum){0};
    }
    struct datum *values = machine_arguments_of(m, function, NULL, node);
    return machine_ended(m)
               ? (struct datum){0}
               : machine_call(m, function, a->self, a->contract, a->sender, a->value, values, node);
}

struct datum machine_evaluate_call(struct machine *m, const struct sol_node *node)
{
    if (node->flags & SOL_IS_CONVERSION)
        return machine_as_type(m, node->list[0], sol_node_type(m->types, node));
    if (node->flags & SOL_IS_STRUCT_MAKER)
        return machine_make_struct(m, node);
    const struct sol_node *callee = node->part[0], *amount = NULL;
    for (bool more = true; more;) {
        more = false;
        if (callee->kind == SOL_CALL_OPTIONS) {
            for (size_t i = 0; i < callee->count && i < callee->name_count; i++)
                if (strcmp(callee->names[i], "value") == 0)
                    amount = callee->list[i];
            callee = callee->part[0];
            more = true;
        } else if (callee->kind == SOL_CALL && callee->part[0]->kind == SOL_MEMBER &&
                   callee->count == 1 &&
                   (strcmp(callee->part[0]->name, "value") == 0 ||
                    strcmp(callee->part[0]->name, "gas") == 0)) {
            if (callee->part[0]->name[0] == 'v')
                amount = callee->list[0];
            callee = callee->part[0]->part[0];
            more = true;
        }
    }
    if (callee->kind == SOL_NEW)
        return machine_make_new(m, node, amount);
    while (callee->kind == SOL_TUPLE && callee->count == 1 && callee->list[0] != NULL)
        callee = callee->list[0];
    const struct sol_node *named = sol_tree_node(m->tree, callee->reference);
    if (sol_node_type(m->types, callee)->kind == SOL_T_FUNCTION && callee->kind != SOL_NEW &&
        (named != NULL ? named->kind == SOL_VARIABLE
                       : callee->kind != SOL_IDENTIFIER && callee->kind != SOL_MEMBER))
        return call_pointer(m, node, callee);
    if (callee->kind == SOL_MEMBER)
        return call_member(m, node, callee, amount);
    const struct sol_node *target =
        callee->kind == SOL_IDENTIFIER ? sol_tree_node(m->tree, callee->reference) : NULL;
    if (callee->kind == SOL_IDENTIFIER && target == NULL)
        return machine_built_in(m, node, callee->name);
    if (target != NULL && target->kind == SOL_FUNCTION) {
        struct activation *a = m->active;
        target = machine_resolve(m, a->contract, target);
        struct datum *values = machine_arguments_of(m, target, NULL, node);
        return machine_ended(m) ? (struct datum){0}
                                : machine_call(m, target, a->self, a->contract, a->sender, a->value,
                                               values, node);
    }
    if (target != NULL && (target->kind == SOL_EVENT || target->kind == SOL_ERROR))
        return machine_truth(m, true);
    machine_stop(m, FLOW_STUCK, node, "a call that the interpreter does not know");
    return (struct datum){0};
}
