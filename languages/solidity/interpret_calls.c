#include <stdlib.h>
#include <string.h>

#include "languages/solidity/interpret_inside.h"

// Calls of other contracts, and of code that nobody knows.

// Calls.

static struct datum outside_call(struct machine *m, const struct sol_node *node,
                                 const struct sol_node *target, mpz_srcptr address,
                                 mpz_srcptr amount)
{
    bool quiet = (target->flags & SOL_IS_VIEW) != 0 && m->tree->minor >= 5;
    struct party party = {.callee = address, .caller = m->active->self->address, .value = amount},
                 *outer = m->party;
    m->party = &party;
    if (!quiet && target->kind == SOL_FUNCTION)
        machine_unknown_code(m, node);
    else
        machine_reading_code(m, node);
    m->party = outer;
    return machine_ended(m) ? (struct datum){0}
                            : machine_outside_value(m, sol_node_type(m->types, node), node);
}

static struct datum getter(struct machine *m, struct object *self, const struct sol_node *v,
                           const struct sol_node *node)
{
    if ((v->flags & SOL_IS_CONSTANT) && v->part[1] != NULL)
        return machine_as_type(m, v->part[1], sol_node_type(m->types, v));
    struct datum d = *machine_field(m, self, v);
    for (size_t i = 0; i < node->count && d.object != NULL && !machine_ended(m); i++) {
        const struct sol_type *key = d.object->type->kind == SOL_T_MAPPING
                                         ? d.object->type->key
                                         : sol_type_of(m->types, "uint256");
        struct datum index = machine_as_type(m, node->list[i], key);
        if (!machine_ended(m) && d.object->length != NULL &&
            mpz_cmp(index.number, d.object->length) >= 0)
            machine_stop(m, FLOW_REVERT, node, "an index out of bounds");
        if (!machine_ended(m))
            d = *machine_cell_at(m, d.object, index.number, d.object->type->value);
    }
    if (machine_ended(m) || d.object == NULL || d.object->type->kind != SOL_T_STRUCT)
        return d;
    const struct sol_node *members = d.object->type->node;
    struct datum all = {.type = sol_node_type(m->types, node)};
    all.items = arena_zalloc(&m->arena, (members->count + 1) * sizeof *all.items);
    for (size_t i = 0; i < members->count; i++) {
        const struct sol_type *type = sol_node_type(m->types, members->list[i]);
        mpz_t key;
        mpz_init_set_ui(key, i);
        if (type->kind != SOL_T_ARRAY && type->kind != SOL_T_MAPPING)
            all.items[all.count++] = *machine_cell_at(m, d.object, key, type);
        mpz_clear(key);
    }
    return all.count == 1 ? all.items[0] : all;
}

static struct object *contract_at(struct machine *m, mpz_srcptr address)
{
    struct object *o = m->contracts;
    while (o != NULL && mpz_cmp(o->address, address) != 0)
        o = o->next;
    return o;
}

static struct datum message(struct machine *m, const struct sol_node *function, struct object *self,
                            const struct sol_node *contract, mpz_ptr sender, mpz_ptr value,
                            const struct datum *arguments, const struct sol_node *at)
{
    struct activation *a = m->active;
    mpz_ptr data = a->data;
    bool fits = a->data_fits;
    const struct sol_node *called = a->called;
    if (m->reads_data)
        a->data = machine_outside(m, sol_type_of(m->types, "bytes memory"), at).number;
    a->data_fits = a->data != NULL && machine_data_fits(m, function, arguments, a->data);
    a->called = function;
    m->messages++;
    struct datum result =
        machine_ended(m) ? (struct datum){0}
                         : machine_call(m, function, self, contract, sender, value, arguments, at);
    m->messages--;
    a->data = data;
    a->data_fits = fits;
    a->called = called;
    return result;
}

struct datum machine_call_contract(struct machine *m, const struct sol_node *node,
                                   const struct sol_node *callee, const struct sol_node *target,
                                   const struct sol_node *amount_node)
{
    const struct sol_node *object = callee->part[0];
    bool own = sol_node_is_self(m->tree, object);
    struct datum address = machine_evaluate(m, object);
    mpz_ptr amount = machine_number_of(m, 0);
    if (amount_node != NULL)
        amount = machine_as_type(m, amount_node, sol_type_of(m->types, "uint256")).number;
    if (machine_ended(m))
        return (struct datum){0};
    if (own && target->kind == SOL_VARIABLE)
        return getter(m, m->active->self, target, node);
    struct datum *arguments =
        target->kind == SOL_FUNCTION ? machine_arguments_of(m, target, NULL, node) : NULL;
    if (machine_ended(m))
        return (struct datum){0};
    mpz_ptr self = m->active->self->address;
    if (own)
        return message(m, machine_resolve(m, m->active->contract, target), m->active->self,
                       m->active->contract, self, amount, arguments, node);
    struct object *there = contract_at(m, address.number);
    if (m->next_event < m->event_count && m->events[m->next_event].kind == SOL_EVENT_IS) {
        const struct sol_node *kind = sol_tree_node(m->tree, m->events[m->next_event++].id);
        if (kind != NULL && there == NULL) {
            there = machine_new_object(m, NULL, false);
            *there = (struct object){
                .contract = kind, .address = address.number, .next = m->contracts->next};
            m->contracts->next = there;
            char *hex = mpz_get_str(NULL, 16, address.number);
            text_printf(&m->out->transactions, "  (at 0x%s there is a %s)\n", hex, kind->name);
            free(hex);
        }
        if (kind == NULL)
            there = NULL;
    } else {
        there = NULL;
    }
    if (mpz_sgn(amount) > 0)
        machine_pay(m, self, address.number, amount, node);
    if (machine_ended(m) || there == NULL)
        return machine_ended(m) ? (struct datum){0}
                                : outside_call(m, node, target, address.number, amount);
    const struct sol_node *answer = sol_answering(m->tree, m->types, there->contract, target);
    if (answer == NULL || (answer->kind == SOL_FUNCTION && target->kind == SOL_VARIABLE)) {
        machine_stop(m, FLOW_STUCK, node, "a call that another function answers");
        return (struct datum){0};
    }
    if (answer->kind == SOL_VARIABLE)
        return getter(m, there, answer, node);
    return message(m, answer, there, there->contract, self, amount, arguments, node);
}

// Unknown code in the contract's own place writes what the trace says.
static void rewrite_storage(struct machine *m, const struct sol_node *at)
{
    const struct sol_node *contract = m->active->contract;
    for (size_t b = 0; b < contract->order_count && !machine_ended(m); b++) {
        const struct sol_node *base = sol_tree_node(m->tree, contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count && !machine_ended(m); i++) {
            const struct sol_node *v = base->list[i];
            if (v == NULL || v->kind != SOL_VARIABLE || !(v->flags & SOL_IS_STATE) ||
                (v->flags & (SOL_IS_CONSTANT | SOL_IS_IMMUTABLE)))
                continue;
            const struct sol_type *type = sol_node_type(m->types, v);
            if (sol_type_is_value(type) || type->kind == SOL_T_STRING)
                *machine_field(m, m->active->self, v) = machine_outside(m, type, v);
        }
    }
    machine_balance(m, m->active->self->address)->number =
        machine_outside(m, sol_type_of(m->types, "uint256"), at).number;
    m->bases = NULL;
}

struct datum machine_low_level(struct machine *m, const struct sol_node *node,
                               const struct sol_node *callee, const struct sol_node *amount_node)
{
    const char *name = callee->name;
    const struct sol_type *word = sol_type_of(m->types, "uint256");
    struct datum to = machine_evaluate(m, callee->part[0]);
    mpz_ptr amount = machine_number_of(m, 0);
    bool sends = strcmp(name, "transfer") == 0 || strcmp(name, "send") == 0;
    if (sends)
        amount = machine_as_type(m, node->list[0], word).number;
    else if (amount_node != NULL)
        amount = machine_as_type(m, amount_node, word).number;
    struct datum data = {0};
    for (size_t i = 0; !sends && i < node->count && !machine_ended(m); i++)
        data = machine_evaluate(m, node->list[i]);
    if (machine_ended(m))
        return (struct datum){0};
    bool known = node->count == 1 && data.type != NULL && data.type->kind == SOL_T_STRING;
    struct party party = {.callee = to.number,
                          .caller = m->active->self->address,
                          .value = amount,
                          .data = known ? data.number : NULL},
                 *outer = m->party;
    if (strcmp(name, "transfer") == 0) {
        machine_pay(m, m->active->self->address, to.number, amount, node);
        return machine_truth(m, true);
    }
    struct datum good = machine_outside(m, sol_type_of(m->types, "bool"), node);
    bool lends = strcmp(name, "delegatecall") == 0 || strcmp(name, "callcode") == 0;
    struct object *there = contract_at(m, to.number);
    if (!machine_ended(m) && machine_is_true(good) && there != NULL && there != m->main) {
        machine_stop(m, FLOW_STUCK, node, "a call of a contract of the file by its address");
        return (struct datum){0};
    }
    if (!machine_ended(m) && machine_is_true(good)) {
        machine_pay(m, m->active->self->address, to.number, amount, node);
        party.lent = lends;
        m->party = &party;
        if (!machine_ended(m) && (strcmp(name, "call") == 0 || lends))
            machine_unknown_code(m, node);
        if (strcmp(name, "staticcall") == 0)
            machine_reading_code(m, node);
        m->party = outer;
        if (!machine_ended(m) && lends && !m->reads_only)
            rewrite_storage(m, node);
    }
    if (strcmp(name, "send") == 0 || sol_node_type(m->types, node)->kind != SOL_T_TUPLE ||
        machine_ended(m))
        return good;
    struct datum both = {.type = sol_node_type(m->types, node), .count = 2};
    both.items = arena_zalloc(&m->arena, 2 * sizeof *both.items);
    both.items[0] = good;
    both.items[1] = machine_outside(m, sol_type_of(m->types, "bytes memory"), node);
    return both;
}

struct datum machine_make_new(struct machine *m, const struct sol_node *node,
                              const struct sol_node *amount_node)
{
    const struct sol_type *type = sol_node_type(m->types, node);
    if (type->kind == SOL_T_STRING && node->count == 1) {
        struct datum length = machine_as_type(m, node->list[0], sol_type_of(m->types, "uint256"));
        if (!machine_ended(m) && mpz_cmp_ui(length.number, LONGEST_STRING) > 0)
            machine_stop(m, FLOW_STUCK, node, "a string that is too long for the interpreter");
        return machine_ended(m) ? length
                                : machine_plain(type, machine_string_of(m, machine_number_of(m, 0),
                                                                        mpz_get_ui(length.number)));
    }
    if (type->kind == SOL_T_ARRAY && node->count == 1) {
        struct datum length = machine_as_type(m, node->list[0], sol_type_of(m->types, "uint256"));
        struct datum d = machine_initial(m, type, true);
        if (!machine_ended(m))
            d.object->length = length.number;
        return d;
    }
    if (type->kind != SOL_T_CONTRACT || m->reads_only) {
        machine_stop(m, FLOW_STUCK, node, "something new that the interpreter does not know");
        return (struct datum){0};
    }
    const struct sol_node *constructor = machine_constructor_of(type->node);
    mpz_ptr amount = machine_number_of(m, 0);
    if (amount_node != NULL)
        amount = machine_as_type(m, amount_node, sol_type_of(m->types, "uint256")).number;
    if (machine_ended(m))
        return (struct datum){0};
    struct datum *arguments =
        constructor != NULL ? machine_arguments_of(m, constructor, NULL, node) : NULL;
    if (machine_ended(m))
        return (struct datum){0};
    mpz_ptr address = machine_number(m), next = machine_number(m);
    mpz_set(address, m->next_address);
    mpz_add_ui(next, address, 1);
    m->next_address = next;
    struct object *made = machine_new_object(m, NULL, false);
    *made = (struct object){.contract = type->node, .address = address, .next = m->contracts->next};
    m->contracts->next = made;
    if (mpz_sgn(amount) > 0)
        machine_pay(m, m->active->self->address, address, amount, node);
    if (machine_ended(m))
        return (struct datum){0};
    struct activation a = {.function = constructor,
                           .self = made,
                           .contract = type->node,
                           .sender = m->active->self->address,
                           .value = amount};
    struct activation *outer = m->active;
    machine_enter(m, &a);
    for (size_t i = 0; constructor != NULL && i < constructor->part[0]->count; i++)
        machine_declare(m, constructor->part[0]->list[i], arguments[i]);
    machine_construct(m, type->node, &a);
    m->active = outer;
    m->depth--;
    return machine_plain(type, address);
}

struct datum machine_make_struct(struct machine *m, const struct sol_node *node)
{
    const struct sol_type *type = sol_node_type(m->types, node);
    struct datum d = machine_initial(m, type, true);
    size_t next = 0;
    for (size_t i = 0; type->node != NULL && i < type->node->count && !machine_ended(m); i++) {
        const struct sol_type *member = sol_node_type(m->types, type->node->list[i]);
        if (member->kind == SOL_T_MAPPING)
            continue;
        const struct sol_node *argument = next < node->count ? node->list[next] : NULL;
        for (size_t n = 0; n < node->name_count; n++)
            if (strcmp(node->names[n], type->node->list[i]->name) == 0)
                argument = node->list[n];
        next++;
        if (argument == NULL)
            continue;
        mpz_t key;
        mpz_init_set_ui(key, i);
        struct datum value = machine_as_type(m, argument, member);
        if (!machine_ended(m))
            machine_assign(m, machine_cell_at(m, d.object, key, member), value, member, true);
        mpz_clear(key);
    }
    return d;
}
