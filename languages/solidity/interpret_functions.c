#include <string.h>

#include "base/ensure.h"
#include "languages/solidity/interpret_inside.h"

// Functions and their calls inside of a contract.

// Functions.

const struct sol_node *machine_find(struct machine *m, const struct sol_node *contract,
                                    const struct sol_node *like, size_t skip)
{
    for (size_t b = skip; b < contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(m->tree, contract->order[b]);
        for (size_t i = 0; i < base->count; i++) {
            const struct sol_node *f = base->list[i];
            if (f == NULL || f->kind != like->kind || strcmp(f->name, like->name) != 0 ||
                f->part[2] == NULL || (f->flags & SOL_IS_CONSTRUCTOR) ||
                ((f->flags ^ like->flags) & (SOL_IS_FALLBACK | SOL_IS_RECEIVE)) != 0)
                continue;
            bool same = f->kind == SOL_MODIFIER || f->part[0]->count == like->part[0]->count;
            for (size_t p = 0; same && f->kind == SOL_FUNCTION && p < f->part[0]->count; p++)
                same = sol_type_same(sol_node_type(m->types, f->part[0]->list[p]),
                                     sol_node_type(m->types, like->part[0]->list[p]));
            if (same)
                return f;
        }
    }
    return NULL;
}

const struct sol_node *machine_resolve(struct machine *m, const struct sol_node *contract,
                                       const struct sol_node *function)
{
    const struct sol_node *owner = sol_node_contract(function);
    if (owner == NULL || (owner->flags & SOL_IS_LIBRARY) || strcmp(function->word, "private") == 0)
        return function;
    const struct sol_node *found = machine_find(m, contract, function, 0);
    return found != NULL ? found : function;
}

void machine_run_layer(struct machine *m)
{
    struct activation *a = m->active;
    size_t layer = a->layer;
    const struct sol_node *modifier = NULL, *invocation = NULL;
    while (a->layer < a->function->count && modifier == NULL) {
        invocation = a->function->list[a->layer++];
        modifier = sol_tree_node(m->tree, invocation->part[0]->reference);
        if (modifier != NULL && modifier->kind != SOL_MODIFIER)
            modifier = NULL;
    }
    if (modifier != NULL) {
        const struct sol_node *found = machine_find(m, a->contract, modifier, 0);
        modifier = found != NULL ? found : modifier;
        struct local *locals = a->locals;
        const struct sol_node *parameters = modifier->part[0];
        struct datum values[16];
        for (size_t i = 0;
             parameters != NULL && i < parameters->count && i < invocation->count && i < 16; i++)
            values[i] = machine_as_type(m, invocation->list[i],
                                        sol_node_type(m->types, parameters->list[i]));
        for (size_t i = 0;
             parameters != NULL && i < parameters->count && i < invocation->count && i < 16; i++)
            machine_declare(m, parameters->list[i], values[i]);
        machine_run(m, modifier->part[2]);
        if (!machine_ended(m))
            a->locals = locals; // results live further down
    } else {
        machine_run(m, a->function->part[2]);
    }
    ENSURE(machine_ended(m) || m->active == a);
    if (m->flow == FLOW_RETURN)
        m->flow = FLOW_ON;
    a->layer = layer;
}

static struct datum results(struct machine *m, const struct sol_node *function)
{
    const struct sol_node *list = function->part[1];
    struct datum all = {.type = sol_type_of(m->types, "machine_tuple()"),
                        .count = list != NULL ? list->count : 0};
    all.items = arena_zalloc(&m->arena, (all.count + 1) * sizeof *all.items);
    for (size_t i = 0; i < all.count; i++) {
        const struct datum *result = machine_local_of(m, list->list[i]->id);
        ENSURE(result != NULL);
        all.items[i] = *result;
    }
    return all.count == 1 ? all.items[0] : all;
}

void machine_enter(struct machine *m, struct activation *a)
{
    a->outer = m->active;
    m->active = a;
    m->depth++;
}

void machine_leave(struct machine *m)
{
    ENSURE(m->active != NULL && m->depth > 0);
    m->active = m->active->outer;
    m->depth--;
}

void machine_declare_results(struct machine *m, const struct sol_node *function)
{
    for (size_t i = 0; function->part[1] != NULL && i < function->part[1]->count; i++) {
        const struct sol_node *r = function->part[1]->list[i];
        machine_declare(m, r, machine_initial(m, sol_node_type(m->types, r), true));
    }
}

struct datum machine_call(struct machine *m, const struct sol_node *function, struct object *self,
                          const struct sol_node *contract, mpz_ptr sender, mpz_ptr value,
                          const struct datum *arguments, const struct sol_node *at)
{
    struct activation a = {.function = function,
                           .self = self,
                           .contract = contract,
                           .sender = sender,
                           .value = value,
                           .data = m->active->data,
                           .data_fits = m->active->data_fits,
                           .called = m->active->called};
    if (m->depth > 200 || function->part[2] == NULL) {
        machine_stop(m, FLOW_STUCK, at, "a call that the interpreter does not follow");
        return (struct datum){0};
    }
    machine_enter(m, &a);
    for (size_t i = 0; function->part[0] != NULL && i < function->part[0]->count; i++) {
        const struct sol_node *p = function->part[0]->list[i];
        const struct sol_type *type = sol_node_type(m->types, p);
        struct datum d = arguments[i];
        if (d.object != NULL && type->place != SOL_STORAGE && !d.object->in_memory)
            d = machine_copy(m, d, true);
        machine_declare(m, p, machine_converted(m, d, type, at));
    }
    machine_declare_results(m, function);
    struct sol_annotations notes = machine_annotations_of(m, m->contract, function);
    machine_check_all(m, notes, SOL_PRECONDITION, SOL_FAIL_PRECONDITION, at);
    for (size_t i = 0; i < notes.count; i++)
        machine_remember(m, notes.data[i].condition);
    if (!machine_ended(m))
        machine_run_layer(m);
    machine_check_overflow(m, function);
    machine_check_all(m, notes, SOL_POSTCONDITION, SOL_FAIL_POSTCONDITION, function);
    struct datum result = machine_ended(m) ? (struct datum){0} : results(m, function);
    machine_leave(m);
    return result;
}

struct datum *machine_arguments_of(struct machine *m, const struct sol_node *function,
                                   const struct datum *bound, const struct sol_node *node)
{
    const struct sol_node *parameters = function->part[0];
    size_t count = parameters != NULL ? parameters->count : 0, first = bound != NULL ? 1 : 0;
    struct datum *values = arena_zalloc(&m->arena, (count + 1) * sizeof *values);
    if (bound != NULL && count)
        values[0] = *bound;
    for (size_t i = first; i < count && !machine_ended(m); i++) {
        const struct sol_node *argument = i - first < node->count ? node->list[i - first] : NULL;
        for (size_t n = 0; n < node->name_count && n < node->count; n++)
            if (strcmp(node->names[n], parameters->list[i]->name) == 0)
                argument = node->list[n];
        if (argument == NULL)
            machine_stop(m, FLOW_STUCK, node, "a call with fewer arguments than parameters");
        else
            values[i] = machine_as_type(m, argument, sol_node_type(m->types, parameters->list[i]));
    }
    return values;
}
