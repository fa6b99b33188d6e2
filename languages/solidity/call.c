#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/text.h"
#include "languages/solidity/translate.h"

// Calls: conversions, built-in functions, functions of this file (put in place, or replaced by their annotations), other
// contracts, and code that nobody knows.

static struct sol_value nothing(struct sol_translator *t)
{
    return sol_single(sol_type_of(t->types, "bool"), term_false(t->store));
}

// Frames.

struct sol_frame *sol_push(struct sol_translator *t, const struct sol_node *function,
                           const struct sol_node *contract)
{
    struct sol_frame *frame = arena_zalloc(&t->arena, sizeof *frame);
    frame->outer = t->frame;
    frame->function = function;
    frame->contract = contract;
    frame->depth = t->frame != NULL ? t->frame->depth + 1 : 0;
    t->frame = frame;
    return frame;
}

void sol_pop(struct sol_translator *t)
{
    ENSURE(t->frame != NULL);
    t->frame = t->frame->outer;
}

static struct sol_binding *bind_anew(struct sol_translator *t, const struct sol_node *declaration)
{
    struct sol_binding *hidden = t->frame->bindings;
    t->frame->bindings = NULL;
    struct sol_binding *binding = sol_bind(t, declaration);
    binding->next = hidden;
    t->frame->bindings = binding;
    return binding;
}

void sol_bind_results(struct sol_translator *t, const struct sol_node *function)
{
    const struct sol_node *list = function->part[1];
    struct sol_frame *frame = t->frame;
    frame->result_count = list != NULL ? list->count : 0;
    frame->results = arena_zalloc(&t->arena, (frame->result_count + 1) * sizeof *frame->results);
    frame->result_bindings =
        arena_zalloc(&t->arena, (frame->result_count + 1) * sizeof *frame->result_bindings);
    for (size_t i = 0; i < frame->result_count && !t->failed; i++) {
        struct sol_binding *binding = bind_anew(t, list->list[i]);
        frame->result_bindings[i] = binding;
        frame->results[i] = binding->variable;
        if (binding->variable == NULL)
            continue;
        if (sol_type_is_reference(binding->type)) {
            struct sol_value made = sol_allocate(t, binding->type, NULL, list->list[i]);
            if (!t->failed)
                sol_assign(t, binding->variable, made.term, list->list[i]);
        } else {
            sol_assign(t, binding->variable, sol_default(t, binding->type), list->list[i]);
        }
    }
}

static struct sol_value results_of(struct sol_translator *t, const struct sol_frame *frame,
                                   const struct sol_node *function)
{
    const struct sol_node *list = function->part[1];
    if (t->failed || frame->result_count == 0)
        return (struct sol_value){.type = sol_type_of(t->types, "tuple()")};
    ENSURE(list != NULL && list->count == frame->result_count);
    struct sol_value all = {.type = sol_type_of(t->types, "tuple()"),
                            .item_count = frame->result_count};
    all.items = arena_zalloc(&t->arena, frame->result_count * sizeof *all.items);
    for (size_t i = 0; i < frame->result_count; i++)
        if (frame->results[i] != NULL)
            all.items[i] = sol_single(
                sol_type_place(t->types, sol_node_type(t->types, list->list[i]), SOL_MEMORY),
                frame->results[i]->term);
        else if (frame->result_bindings[i]->pointer.slot != NULL)
            all.items[i] = frame->result_bindings[i]->pointer;
        else
            sol_not_supported(t, list->list[i], "a result in storage that nothing is");
    return frame->result_count == 1 ? all.items[0] : all;
}

// Functions by name.

static bool same_parameters(struct sol_translator *t, const struct sol_node *a,
                            const struct sol_node *b)
{
    const struct sol_node *p = a->part[0], *q = b->part[0];
    if (p == NULL || q == NULL || p->count != q->count)
        return p == q;
    for (size_t i = 0; i < p->count; i++)
        if (!sol_type_same(sol_node_type(t->types, p->list[i]),
                           sol_node_type(t->types, q->list[i])))
            return false;
    return true;
}

const struct sol_node *sol_find_function(struct sol_translator *t, const struct sol_node *contract,
                                         const char *name, const struct sol_node *like, size_t skip)
{
    for (size_t b = skip; b < contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(t->tree, contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count; i++) {
            const struct sol_node *f = base->list[i];
            if (f != NULL && f->kind == like->kind && strcmp(f->name, name) == 0 &&
                f->part[2] != NULL && !(f->flags & SOL_IS_CONSTRUCTOR) &&
                ((f->flags ^ like->flags) & (SOL_IS_FALLBACK | SOL_IS_RECEIVE)) == 0 &&
                (f->kind == SOL_MODIFIER || same_parameters(t, f, like)))
                return f;
        }
    }
    return NULL;
}

const struct sol_node *sol_resolve(struct sol_translator *t, const struct sol_node *contract,
                                   const struct sol_node *function)
{
    const struct sol_node *owner = sol_node_contract(function);
    if (owner == NULL || (owner->flags & SOL_IS_LIBRARY) || strcmp(function->word, "private") == 0)
        return function;
    const struct sol_node *found = sol_find_function(t, contract, function->name, function, 0);
    return found != NULL ? found : function;
}

size_t sol_public_functions(struct sol_translator *t, const struct sol_node *contract,
                            const struct sol_node **out)
{
    size_t count = 0;
    for (size_t b = 0; b < contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(t->tree, contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count; i++) {
            const struct sol_node *f = base->list[i];
            bool open = f != NULL && f->kind == SOL_FUNCTION && f->part[2] != NULL &&
                        !(f->flags & SOL_IS_CONSTRUCTOR) && sol_node_is_open(f);
            if (!open || sol_find_function(t, contract, f->name, f, 0) != f)
                continue;
            if (count == SOL_MOST_PUBLIC) {
                sol_not_supported(t, f, "a contract with more than %d public functions",
                                  SOL_MOST_PUBLIC);
                return count;
            }
            out[count++] = f;
        }
    }
    assert(count <= SOL_MOST_PUBLIC);
    return count;
}

// Bodies.

static void run_modifier(struct sol_translator *t, const struct sol_node *invocation,
                         const struct sol_node *modifier)
{
    struct sol_frame *frame = t->frame;
    struct sol_binding *bindings = frame->bindings;
    const struct sol_node *found =
        sol_find_function(t, frame->contract, modifier->name, modifier, 0);
    if (found != NULL)
        modifier = found;
    const struct sol_node *parameters = modifier->part[0];
    size_t count = parameters != NULL ? parameters->count : 0;
    const struct term **values = arena_zalloc(&t->arena, (count + 1) * sizeof *values);
    for (size_t i = 0; i < count && i < invocation->count && !t->failed; i++)
        values[i] =
            sol_term_as(t, invocation->list[i], sol_node_type(t->types, parameters->list[i]));
    for (size_t i = 0; i < count && !t->failed; i++) {
        struct sol_binding *binding = bind_anew(t, parameters->list[i]);
        if (binding->variable == NULL || values[i] == NULL)
            sol_not_supported(t, parameters->list[i], "a parameter in storage of a modifier");
        else
            sol_assign(t, binding->variable, values[i], invocation);
    }
    sol_statement(t, modifier->part[2]);
    frame->bindings = bindings;
}

// The next modifier, or the body itself; ends where it leaves.
void sol_next_layer(struct sol_translator *t)
{
    struct sol_frame *frame = t->frame;
    struct location *outer_leave = frame->leave, *outer_next = frame->next,
                    *outer_broken = frame->broken;
    size_t layer = frame->layer;
    frame->leave = sol_location(t);
    const struct sol_node *modifier = NULL, *invocation = NULL;
    while (frame->layer < frame->function->count && modifier == NULL) {
        invocation = frame->function->list[frame->layer++];
        modifier = sol_tree_node(t->tree, invocation->part[0]->reference);
        if (modifier == NULL || modifier->kind != SOL_MODIFIER)
            modifier = NULL;
    }
    if (modifier != NULL)
        run_modifier(t, invocation, modifier);
    else
        sol_statement(t, frame->function->part[2]);
    ENSURE(t->frame == frame);
    sol_go(t, frame->leave, frame->function);
    t->now = frame->leave;
    frame->leave = outer_leave;
    frame->next = outer_next;
    frame->broken = outer_broken;
    frame->layer = layer;
}

static void any_results(struct sol_translator *t, const struct sol_node *function,
                        const struct sol_node *at)
{
    const struct sol_node *list = function->part[1];
    for (size_t i = 0; i < t->frame->result_count && !t->failed; i++) {
        if (t->frame->results[i] == NULL) {
            sol_not_supported(t, at, "a result in storage of a function by its annotations");
            return;
        }
        sol_havoc(t, t->frame->results[i], at);
        sol_assume_range(t, sol_node_type(t->types, list->list[i]), t->frame->results[i]->term, at);
    }
}

// Whatever a contract that derives from this one has there. Bytes in memory that it is given would be others behind it.
static void any_body(struct sol_translator *t, const struct sol_node *function)
{
    const struct sol_node *list = function->part[0];
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct sol_type *type = sol_node_type(t->types, list->list[i]);
        if (!sol_type_is_value(type) &&
            (type->kind != SOL_T_ARRAY || !sol_type_is_value(type->value))) {
            sol_not_supported(t, function, "the function `%s` without a body", function->name);
            return;
        }
    }
    struct sol_changes changes = {0};
    sol_changes_of(t, function, &changes);
    sol_check_overflow(t, function);
    sol_forget_changes(t, &changes, function);
    sol_changes_finish(&changes);
    any_results(t, function, function);
}

void sol_body(struct sol_translator *t, const struct sol_node *function)
{
    if (function->part[2] == NULL) {
        if (t->modular)
            any_body(t, function);
        else
            sol_not_supported(t, function, "the function `%s` without a body", function->name);
        return;
    }
    if (++t->activations > SOL_MOST_ACTIVATIONS) {
        sol_not_supported(t, function,
                          "more than %d calls in one function when all are put in place",
                          SOL_MOST_ACTIVATIONS);
        return;
    }
    t->frame->layer = 0;
    sol_next_layer(t);
    sol_check_overflow(t, function);
}

// Calls inside this file.

static unsigned running(const struct sol_translator *t, const struct sol_node *function)
{
    unsigned count = 0;
    for (const struct sol_frame *f = t->frame; f != NULL; f = f->outer)
        count += f->function == function;
    return count;
}

// Values for the parameters, evaluated where the call is.
static struct sol_value *arguments_of(struct sol_translator *t, const struct sol_node *function,
                                      const struct sol_value *bound, const struct sol_node *call)
{
    const struct sol_node *parameters = function->part[0];
    size_t count = parameters != NULL ? parameters->count : 0, first = bound != NULL ? 1 : 0;
    struct sol_value *values = arena_zalloc(&t->arena, (count + 1) * sizeof *values);
    if (bound != NULL && count > 0)
        values[0] = *bound;
    for (size_t i = first; i < count && !t->failed; i++) {
        const struct sol_type *type = sol_node_type(t->types, parameters->list[i]);
        const struct sol_node *argument = i - first < call->count ? call->list[i - first] : NULL;
        for (size_t n = 0; n < call->name_count && n < call->count; n++)
            if (strcmp(call->names[n], parameters->list[i]->name) == 0)
                argument = call->list[n];
        if (argument == NULL) {
            sol_not_supported(t, call, "a call with fewer arguments than parameters");
        } else if (sol_type_is_value(type)) {
            values[i] = sol_single(type, sol_term_as(t, argument, type));
        } else {
            values[i] = sol_value_of(t, argument);
        }
        if (!t->failed && values[i].term != NULL)
            values[i].term = sol_keep(t, "argument", values[i].term, call);
    }
    return values;
}

static void bind_arguments(struct sol_translator *t, const struct sol_node *function,
                           struct sol_value *values, const struct sol_node *call)
{
    const struct sol_node *parameters = function->part[0];
    for (size_t i = 0; parameters != NULL && i < parameters->count && !t->failed; i++) {
        struct sol_binding *binding = bind_anew(t, parameters->list[i]);
        if (binding->variable != NULL) {
            struct sol_value value = sol_as(t, values[i], binding->type, call);
            if (!t->failed && value.term != NULL)
                sol_assign(t, binding->variable, value.term, call);
        } else if (values[i].slot != NULL) {
            sol_bind_pointer(t, binding, values[i], call);
        } else if (!t->failed) {
            sol_not_supported(t, call, "an argument of the type `%s`", parameters->list[i]->type);
        }
    }
}

// The callee's annotations instead of its body.
static void apply_annotations(struct sol_translator *t, const struct sol_node *function,
                              struct sol_annotations annotations, const struct sol_node *call)
{
    for (size_t i = 0; i < annotations.count && !t->failed; i++)
        if (annotations.data[i].kind == SOL_PRECONDITION)
            sol_check(t, sol_condition(t, annotations.data[i].condition, true),
                      SOL_FAIL_PRECONDITION, call);
    for (size_t i = 0; i < annotations.count && !t->failed; i++)
        sol_keep_olds(t, annotations.data[i].condition);
    struct sol_changes changes = {0};
    sol_changes_of(t, function, &changes);
    sol_forget_changes(t, &changes, call);
    sol_changes_finish(&changes);
    any_results(t, function, call);
    for (size_t i = 0; i < annotations.count && !t->failed; i++)
        if (annotations.data[i].kind == SOL_POSTCONDITION)
            sol_assume(t, sol_condition(t, annotations.data[i].condition, false), call);
}

static bool is_specified(const struct sol_annotations *annotations)
{
    bool found = false;
    for (size_t i = 0; i < annotations->count; i++)
        found |= annotations->data[i].kind != SOL_MODIFIES;
    return found;
}

static void check_kind(struct sol_translator *t, struct sol_annotations annotations,
                       enum sol_annotation_kind kind, const char *what, const struct sol_node *at)
{
    for (size_t i = 0; i < annotations.count && !t->failed; i++)
        if (annotations.data[i].kind == kind && t->now != NULL)
            sol_check(t, sol_condition(t, annotations.data[i].condition, true), what, at);
}

// Where no run comes back, the results are anything.
static struct sol_value no_results(struct sol_translator *t, const struct sol_node *function,
                                   const struct sol_node *call)
{
    const struct sol_node *list = function->part[1];
    struct sol_value all = {.type = sol_type_of(t->types, "tuple()"),
                            .item_count = list != NULL ? list->count : 0};
    all.items = arena_zalloc(&t->arena, (all.item_count + 1) * sizeof *all.items);
    for (size_t i = 0; i < all.item_count; i++) {
        const struct sol_type *type = sol_node_type(t->types, list->list[i]);
        if (sol_type_is_reference(type) && type->place == SOL_STORAGE)
            sol_not_supported(t, call, "a result in storage of a recursion");
        all.items[i] = sol_single(type, sol_default(t, type));
    }
    return all.item_count == 1 ? all.items[0] : all;
}

static struct sol_value run_function(struct sol_translator *t, const struct sol_node *function,
                                     const struct sol_node *contract, struct sol_value *values,
                                     const struct sol_node *call)
{
    unsigned nested = running(t, function);
    if (nested >= SOL_MOST_RECURSION || (t->frame != NULL && t->frame->depth >= SOL_MOST_DEPTH)) {
        t->left_out = true;
        sol_limit(t, "a recursion goes on", call);
        return no_results(t, function, call);
    }
    struct sol_frame *frame = sol_push(t, function, contract);
    bind_arguments(t, function, values, call);
    if (!t->failed)
        sol_bind_results(t, function);
    struct sol_annotations annotations =
        t->failed ? (struct sol_annotations){0} : sol_annotated(t, function);
    if (t->modular && is_specified(&annotations)) {
        sol_check_overflow(t, call);
        apply_annotations(t, function, annotations, call);
    } else if (!t->failed) {
        check_kind(t, annotations, SOL_PRECONDITION, SOL_FAIL_PRECONDITION, call);
        for (size_t i = 0; i < annotations.count && !t->failed; i++)
            sol_keep_olds(t, annotations.data[i].condition);
        sol_body(t, function);
        check_kind(t, annotations, SOL_POSTCONDITION, SOL_FAIL_POSTCONDITION, function);
    }
    struct sol_value result = results_of(t, frame, function);
    ENSURE(t->frame == frame);
    sol_pop(t);
    return result;
}

static struct sol_value call_internal(struct sol_translator *t, const struct sol_node *function,
                                      const struct sol_node *contract,
                                      const struct sol_value *bound, const struct sol_node *call)
{
    struct sol_value *values = arguments_of(t, function, bound, call);
    return t->failed ? nothing(t) : run_function(t, function, contract, values, call);
}

// A call from outside of `self`'s code, with `self` already set; sender and value are the terms given.
static struct sol_value run_as(struct sol_translator *t, const struct sol_node *function,
                               const struct sol_node *contract, struct sol_value *values,
                               const struct term *self, const struct term *sender,
                               const struct term *value, const struct sol_node *call)
{
    const struct term *old_self = t->self, *old_sender = t->sender, *old_value = t->value,
                      *old_data = t->data, *old_selector = t->selector;
    t->selector = sol_selector(t, function);
    if (t->reads_data)
        t->data = sol_any(t, "msg.data", sol_type_of(t->types, "bytes memory"), true, call);
    t->self = self;
    t->sender = sender;
    t->value = value;
    t->outer_calls++;
    struct sol_value result = run_function(t, function, contract, values, call);
    t->outer_calls--;
    t->self = old_self;
    t->sender = old_sender;
    t->value = old_value;
    t->data = old_data;
    t->selector = old_selector;
    return result;
}

// Balances.

static void set_balance(struct sol_translator *t, const struct term *address,
                        const struct term *amount, bool add, const struct sol_node *at)
{
    struct term_store *s = t->store;
    const struct term *old = term_select(s, t->balance->term, address);
    const struct term *now;
    if (sol_bits(t))
        now = term_bv_binary(s, TERM_BV_ADD, old,
                             add ? amount : term_bv_unary(s, TERM_BV_NEG, amount));
    else
        now = add ? term_add2(s, old, amount) : term_sub(s, old, amount);
    sol_assign(t, t->balance, term_store_at(s, t->balance->term, address, now), at);
}

static void move(struct sol_translator *t, const struct term *from, const struct term *to,
                 const struct term *amount, const struct sol_node *at)
{
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    const struct term *there = term_select(t->store, t->balance->term, from);
    sol_assume(t, sol_compare(t, "<=", number, amount, there, at), at);
    set_balance(t, from, amount, false, at);
    set_balance(t, to, amount, true, at);
}

// Code that nobody knows.

// It may use what the contract has made. Proofs reckon with anything there; no run is looked for.
static void forget_others(struct sol_translator *t, const struct sol_node *at)
{
    t->left_out |= t->has_instances;
    for (size_t i = 0; t->has_instances && t->options->strict && i < t->roots.count && !t->failed;
         i++)
        sol_forget_other_rows(t, t->roots.data[i].slot, at);
}

static void choose_callback(struct sol_translator *t, const struct sol_node *function,
                            struct location *after, const struct sol_node *at)
{
    t->callbacks++;
    sol_run_public(t, t->contract, function);
    t->callbacks--;
    forget_others(t, at);
    sol_go(t, after, at);
}

bool sol_constructing(const struct sol_translator *t)
{
    const struct sol_frame *first = t->frame;
    while (first->outer != NULL)
        first = first->outer;
    return first->function == NULL || (first->function->flags & SOL_IS_CONSTRUCTOR) != 0;
}

static void forget_root(struct sol_translator *t, const struct sol_slot *slot,
                        const struct sol_node *at)
{
    if ((at->flags & SOL_IS_IMMUTABLE) || (!t->has_instances && !sol_anyone_changes(t, at)))
        return;
    const struct term *before = !t->has_instances && slot->variable != NULL
                                    ? sol_keep(t, "before", slot->variable->term, at)
                                    : NULL;
    sol_forget(t, slot, at);
    if (before != NULL && !t->failed)
        sol_assume(t, sol_possible_change(t, at, before, slot->variable->term), at);
}

static void forget_all(struct sol_translator *t, const struct sol_node *at)
{
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    sol_each_root(t, t->contract, forget_root);
    for (size_t i = 0; t->has_instances && i < t->roots.count; i++)
        sol_forget_rows(t, t->roots.data[i].slot, at);
    sol_havoc(t, t->balance, at);
    sol_assume_range(t, number, term_select(t->store, t->balance->term, t->self), at);
}

static void call_back(struct sol_translator *t, const struct sol_node *at)
{
    sol_force_ether(t, at);
    if (sol_constructing(t))
        return; // there is no code yet that could be called
    if (t->callbacks >= t->options->reentrancy) {
        t->left_out = true;
        if (t->options->strict) // whatever happens deeper leaves anything behind
            forget_all(t, at);
        return;
    }
    const struct sol_node *functions[SOL_MOST_PUBLIC];
    size_t count = sol_public_functions(t, t->contract, functions);
    sol_flush(t, at);
    struct location *begin = t->now, *after = sol_location(t);
    const struct term *self = t->self, *sender = t->sender, *value = t->value, *data = t->data,
                      *selector = t->selector;
    if (begin == NULL)
        return;
    model_builder_edge(t->builder, begin, after, model_skip(t->builder, at->at), "no call back",
                       at->at);
    for (size_t i = 0; i < count && !t->failed; i++) {
        char label[160];
        struct location *enter = sol_location(t);
        snprintf(label, sizeof label, "call back %.100s#%ld", functions[i]->name, functions[i]->id);
        model_builder_edge(t->builder, begin, enter, model_skip(t->builder, at->at), label, at->at);
        t->now = enter;
        choose_callback(t, functions[i], begin, at); // and again, or not
        t->self = self;
        t->sender = sender;
        t->value = value;
        t->data = data;
        t->selector = selector;
    }
    t->now = after;
}

// Code that nobody knows, by a call that may change nothing: from an assertion that fails in what it calls back, no run comes
// back, and what fails deeper fails here as well, as the state is the same.
static void call_back_reading(struct sol_translator *t, const struct sol_node *at)
{
    const struct sol_node *functions[SOL_MOST_PUBLIC];
    if (t->modular || t->reads_only || t->failed || t->now == NULL || sol_constructing(t))
        return;
    size_t count = sol_public_functions(t, t->contract, functions);
    const struct term *self = t->self, *sender = t->sender, *value = t->value, *data = t->data,
                      *selector = t->selector;
    struct location *begin = NULL;
    for (size_t i = 0; i < count && !t->failed; i++) {
        if (!sol_asserts(t, functions[i]))
            continue;
        if (begin == NULL) {
            sol_check_overflow(t, at);
            sol_flush(t, at);
            begin = t->now;
        }
        char label[160];
        struct location *enter = sol_location(t);
        snprintf(label, sizeof label, "read back %.100s#%ld", functions[i]->name, functions[i]->id);
        model_builder_edge(t->builder, begin, enter, model_skip(t->builder, at->at), label, at->at);
        t->now = enter;
        t->callbacks++;
        t->reads_only = true;
        sol_run_public(t, t->contract, functions[i]);
        t->reads_only = false;
        t->callbacks--;
        sol_stop(t, at);
        t->self = self;
        t->sender = sender;
        t->value = value;
        t->data = data;
        t->selector = selector;
    }
    if (begin != NULL)
        t->now = begin;
}

void sol_external(struct sol_translator *t, const struct sol_node *at)
{
    if (t->now == NULL || t->failed || t->reads_only)
        return;
    sol_check_overflow(t, at);
    sol_check_invariants(t, SOL_FAIL_INVARIANT " before a call", at);
    if (!t->modular) {
        forget_others(t, at);
        call_back(t, at);
        return;
    }
    struct sol_changes everything = {.everything = true, .balances = true};
    sol_forget_changes(t, &everything, at);
    sol_assume_invariants(t, at);
}

// Who calls whom while unknown code runs.
struct party {
    const struct term *callee, *caller, *sent;
    bool lent;
};

static struct party set_party(struct sol_translator *t, const struct term *callee,
                              const struct term *sent, bool lent)
{
    struct party outer = {t->callee, t->caller, t->sent, t->lent};
    t->callee = callee;
    t->caller = t->self;
    t->sent = sent;
    t->lent = lent;
    return outer;
}

static void restore_party(struct sol_translator *t, struct party party)
{
    t->callee = party.callee;
    t->caller = party.caller;
    t->sent = party.sent;
    t->lent = party.lent;
}

// Options of a call.

struct options {
    const struct sol_node *callee, *value;
};

static struct options options_of(const struct sol_node *callee)
{
    struct options options = {callee, NULL};
    while (true) {
        const struct sol_node *c = options.callee;
        if (c->kind == SOL_CALL_OPTIONS) {
            for (size_t i = 0; i < c->count && i < c->name_count; i++)
                if (strcmp(c->names[i], "value") == 0)
                    options.value = c->list[i];
            options.callee = c->part[0];
        } else if (c->kind == SOL_CALL && c->part[0]->kind == SOL_MEMBER && c->count == 1 &&
                   (strcmp(c->part[0]->name, "value") == 0 ||
                    strcmp(c->part[0]->name, "gas") == 0) &&
                   strncmp(c->part[0]->part[0]->type, "function", 8) == 0) {
            if (strcmp(c->part[0]->name, "value") == 0)
                options.value = c->list[0];
            options.callee = c->part[0]->part[0];
        } else {
            return options;
        }
    }
}

static void run_arguments(struct sol_translator *t, const struct sol_node *call)
{
    for (size_t i = 0; i < call->count && !t->failed; i++)
        sol_value_of(t, call->list[i]);
}

static struct sol_value any_value(struct sol_translator *t, const char *stem, const char *words,
                                  const struct sol_node *at)
{
    const struct sol_type *type = sol_type_of(t->types, words);
    if (type->kind == SOL_T_TUPLE) {
        struct sol_value all = {.type = type, .item_count = type->member_count};
        all.items = arena_zalloc(&t->arena, (type->member_count + 1) * sizeof *all.items);
        for (size_t i = 0; i < type->member_count && !t->failed; i++)
            all.items[i] = any_value(t, stem, type->members[i]->text, at);
        return all.item_count == 1 ? all.items[0] : all;
    }
    if ((type->kind == SOL_T_ARRAY || type->kind == SOL_T_STRUCT) && !sol_bits(t))
        return sol_any_object(t, sol_type_place(t->types, type, SOL_MEMORY), at);
    if (!sol_type_is_value(type) && type->kind != SOL_T_STRING) {
        sol_not_supported(t, at, "a result of the type `%s` from unknown code", words);
        return nothing(t);
    }
    return sol_single(type, sol_any(t, stem, type, true, at));
}

// What unknown code writes into the storage of the contract that lends it.
static void rewrite_root(struct sol_translator *t, const struct sol_slot *slot,
                         const struct sol_node *at)
{
    if (at->flags & SOL_IS_IMMUTABLE)
        return;
    if (slot->variable == NULL) {
        sol_forget(t, slot, at);
        return;
    }
    const struct term **indices = arena_alloc(&t->arena, sizeof *indices);
    indices[0] = t->self;
    struct sol_lvalue place = {.type = slot->type, .slot = slot, .indices = indices};
    sol_write(t, place, sol_single(slot->type, sol_any(t, slot->name, slot->type, true, at)), at);
}

static void rewrite_storage(struct sol_translator *t, const struct sol_node *call)
{
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    sol_each_root(t, t->frame->contract, rewrite_root);
    const struct term *left = sol_any(t, "balance", number, true, call);
    sol_havoc(t, t->balance, call);
    sol_assign(t, t->balance, term_store_at(t->store, t->balance->term, t->self, left), call);
}

// selfdestruct: what there is goes to the heir. Contracts of old are gone then; since Cancun only the transaction ends.
static struct sol_value destroy(struct sol_translator *t, const struct sol_node *call)
{
    const struct term *heir = sol_term_as(t, call->list[0], sol_type_of(t->types, "address"));
    struct sol_value none = {.type = sol_type_of(t->types, "tuple()")};
    if (t->failed)
        return none;
    if (t->reads_only) {
        sol_stop(t, call);
        return none;
    }
    move(t, t->self, sol_keep(t, "heir", heir, call),
         sol_keep(t, "amount", term_select(t->store, t->balance->term, t->self), call), call);
    sol_check_overflow(t, call);
    if (t->outer_calls > 0 || t->callbacks > 0 || t->halt == NULL) {
        t->left_out = true;
        sol_limit(t, "a contract destroys itself while others wait for it", call);
    } else if (t->tree->minor >= 8) {
        sol_go(t, t->halt, call);
    } else {
        sol_stop(t, call);
    }
    return none;
}

// What a contract of the file does when it is called by its address is anything in proofs, and not looked at in runs.
static void leave_out_instance(struct sol_translator *t, const struct term *to,
                               const struct sol_node *at)
{
    if (!t->has_instances || t->modular)
        return;
    struct term_store *s = t->store;
    const struct term *none = term_eq(s, term_select(s, t->kinds->term, to), term_int(s, 0));
    t->left_out = true;
    if (!t->options->strict)
        sol_assume(t, term_or2(s, none, term_eq(s, to, t->self)), at);
}

// call, send, transfer, …: `move` happens when it succeeds; unknown code runs unless it has too little gas.
static struct sol_value low_level(struct sol_translator *t, const struct sol_node *call,
                                  const struct options *options)
{
    const char *name = options->callee->name;
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    const struct term *to = sol_term_as(t, options->callee->part[0],
                                        sol_type_of(t->types, "address")),
                      *amount = NULL;
    bool plain = strcmp(name, "transfer") == 0 || strcmp(name, "send") == 0;
    if (plain && call->count == 0)
        sol_not_supported(t, call, "`%s` of nothing", name);
    if (!t->failed && plain)
        amount = sol_keep(t, "amount", sol_term_as(t, call->list[0], number), call);
    else if (!t->failed && options->value != NULL)
        amount = sol_keep(t, "amount", sol_term_as(t, options->value, number), call);
    const struct term *sent = NULL;
    if (!plain && call->count == 1 &&
        sol_node_type(t->types, call->list[0])->kind == SOL_T_STRING) {
        sent = sol_value_of(t, call->list[0]).term;
        sent = !t->failed && sent != NULL ? sol_keep(t, "data", sent, call) : NULL;
    } else if (!plain)
        run_arguments(t, call);
    if (t->failed)
        return nothing(t);
    to = sol_keep(t, "receiver", to, call);
    if (strcmp(name, "transfer") == 0) {
        leave_out_instance(t, to, call);
        move(t, t->self, to, amount, call);
        return (struct sol_value){.type = sol_type_of(t->types, "tuple()")};
    }
    bool own_storage = strcmp(name, "delegatecall") == 0 || strcmp(name, "callcode") == 0;
    const struct term *good = sol_any(t, name, sol_type_of(t->types, "bool"), true, call);
    struct location *yes = sol_location(t), *no = sol_location(t), *after = sol_location(t);
    sol_branch(t, good, yes, no, call);
    t->now = yes;
    leave_out_instance(t, to, call);
    if (amount != NULL)
        move(t, t->self, to, amount, call);
    struct party outer = set_party(t, to, sent, own_storage);
    if (strcmp(name, "call") == 0 || own_storage)
        sol_external(t, call);
    if (strcmp(name, "staticcall") == 0)
        call_back_reading(t, call);
    restore_party(t, outer);
    if (own_storage && !t->reads_only)
        rewrite_storage(t, call);
    sol_go(t, after, call);
    t->now = no;
    sol_go(t, after, call);
    t->now = after;
    struct sol_value result = sol_single(sol_type_of(t->types, "bool"), good);
    if (strcmp(name, "send") == 0 || sol_node_type(t->types, call)->kind != SOL_T_TUPLE)
        return result;
    struct sol_value both = {.type = sol_node_type(t->types, call), .item_count = 2};
    both.items = arena_zalloc(&t->arena, 2 * sizeof *both.items);
    both.items[0] = result;
    both.items[1] = any_value(t, "answer", "bytes memory", call);
    return both;
}

// Other contracts.

static bool derives(const struct sol_node *contract, const struct sol_node *base)
{
    for (size_t i = 0; i < contract->order_count; i++)
        if (contract->order[i] == base->id)
            return true;
    return false;
}

// A struct's members one by one; arrays and mappings are left out.
static struct sol_value struct_getter(struct sol_translator *t, struct sol_lvalue place,
                                      const struct sol_node *call)
{
    struct sol_value all = {.type = sol_node_type(t->types, call)};
    all.items = arena_zalloc(&t->arena, (place.slot->member_count + 1) * sizeof *all.items);
    for (size_t i = 0; i < place.slot->member_count; i++) {
        enum sol_type_kind kind = place.slot->members[i]->type->kind;
        if (kind != SOL_T_ARRAY && kind != SOL_T_MAPPING)
            all.items[all.item_count++] = sol_read(t, sol_place_member(t, place, i), call);
    }
    return all.item_count == 1 ? all.items[0] : all;
}

static struct sol_value getter(struct sol_translator *t, const struct sol_node *variable,
                               const struct term *of, const struct sol_node *call)
{
    if ((variable->flags & SOL_IS_CONSTANT) && variable->part[1] != NULL) {
        const struct sol_type *type = sol_node_type(t->types, variable);
        return sol_type_is_value(type) ? sol_single(type, sol_term_as(t, variable->part[1], type))
                                       : sol_value_of(t, variable->part[1]);
    }
    struct sol_slot *slot = sol_root(t, variable);
    const struct term **indices = arena_alloc(&t->arena, sizeof *indices);
    indices[0] = of;
    struct sol_lvalue place = {.type = slot->type, .slot = slot, .indices = indices};
    for (size_t i = 0; i < call->count && !t->failed; i++) {
        if (place.slot->element == NULL) {
            sol_not_supported(t, call, "this getter");
            break;
        }
        const struct sol_type *key =
            place.type->kind == SOL_T_MAPPING ? place.type->key : sol_type_of(t->types, "uint256");
        const struct term *index = sol_type_is_value(key) ? sol_term_as(t, call->list[i], key)
                                                          : sol_value_of(t, call->list[i]).term;
        if (place.type->kind == SOL_T_ARRAY && !t->failed)
            sol_assume(t, sol_compare(t, "<", key, index, sol_length(t, place), call), call);
        if (!t->failed)
            place = sol_place_element(t, place, index);
    }
    if (!t->failed && place.type->kind == SOL_T_STRUCT)
        return struct_getter(t, place, call);
    return t->failed ? nothing(t) : sol_read(t, place, call);
}

// Unknown code behind a known signature.
static struct sol_value call_unknown(struct sol_translator *t, const struct sol_node *target,
                                     const struct term *object, const struct sol_node *call)
{
    bool quiet = (target->flags & SOL_IS_VIEW) != 0 && t->tree->minor >= 5;
    struct party outer = set_party(t, object, NULL, false);
    if (!quiet && target->kind == SOL_FUNCTION)
        sol_external(t, call);
    else if (t->tree->minor >= 5)
        call_back_reading(t, call);
    restore_party(t, outer);
    return any_value(t, target->name[0] ? target->name : "answer", call->type, call);
}

// One edge a contract that the object may be.
static struct sol_value dispatch(struct sol_translator *t, const struct sol_node *target,
                                 const struct term *object, struct sol_value *values,
                                 const struct term *amount, const struct sol_node *call)
{
    const struct sol_node *all[512];
    size_t count = sol_tree_contracts(t->tree, all, 512);
    const struct term *kind = term_select(t->store, t->kinds->term, object);
    sol_flush(t, call);
    struct location *begin = t->now, *after = sol_location(t);
    const struct variable **results = NULL;
    struct sol_value shape = {0};
    if (begin == NULL)
        return nothing(t);
    const struct term *known =
        term_eq(t->store, kind, term_int(t->store, 0)); // no code: it reverts
    for (size_t c = 0; c < count && c < 512 && !t->failed; c++) {
        const struct sol_node *contract = all[c];
        if (contract->flags & (SOL_IS_LIBRARY | SOL_IS_INTERFACE | SOL_IS_ABSTRACT))
            continue;
        const struct term *is = term_eq(t->store, kind, term_int(t->store, contract->id));
        const struct sol_node *answer = sol_answering(t->tree, t->types, contract, target);
        known = term_or2(t->store, known, is);
        if (answer == NULL && sol_fallback_of(t->tree, contract) == NULL &&
            !sol_may_answer(t->tree, contract, target))
            continue; // it reverts
        struct location *enter = sol_location(t);
        char label[160];
        snprintf(label, sizeof label, "is %.100s#%ld", contract->name, contract->id);
        model_builder_edge(t->builder, begin, enter, model_assume(t->builder, is, call->at), label,
                           call->at);
        t->now = enter;
        if (answer == NULL || (answer->kind == SOL_FUNCTION && target->kind == SOL_VARIABLE)) {
            t->left_out = true;
            sol_limit(t, "another function answers a call", call);
            continue;
        }
        if (amount != NULL)
            move(t, t->self, object, amount, call);
        struct sol_value result;
        if (answer->kind == SOL_VARIABLE)
            result = getter(t, answer, object, call);
        else
            result = run_as(
                t, answer, contract, values, object, t->self,
                amount != NULL ? amount : sol_default(t, sol_type_of(t->types, "uint256")), call);
        size_t items = t->failed              ? 0
                       : result.items != NULL ? result.item_count
                       : result.term != NULL  ? 1
                                              : 0;
        if (results == NULL) {
            results = arena_zalloc(&t->arena, (items + 1) * sizeof *results);
            shape = result;
        }
        if (items > (shape.items != NULL ? shape.item_count : shape.term != NULL)) {
            sol_not_supported(t, call, "answers of different sizes");
            break;
        }
        for (size_t i = 0; i < items; i++) {
            const struct term *term = result.items != NULL ? result.items[i].term : result.term;
            if (results[i] == NULL)
                results[i] = sol_fresh(t, "answer", term->sort, call);
            sol_assign(t, results[i], term, call);
        }
        sol_go(t, after, call);
    }
    // Code of somebody else.
    struct location *enter = sol_location(t);
    model_builder_edge(t->builder, begin, enter,
                       model_assume(t->builder, term_not(t->store, known), call->at), "is unknown",
                       call->at);
    t->now = enter;
    if (amount != NULL)
        move(t, t->self, object, amount, call);
    struct sol_value result = call_unknown(t, target, object, call);
    size_t items = t->failed              ? 0
                   : result.items != NULL ? result.item_count
                   : result.term != NULL  ? 1
                                          : 0;
    if (results == NULL) {
        sol_go(t, after, call);
        t->now = after;
        return result;
    }
    if (items > (shape.items != NULL ? shape.item_count : shape.term != NULL))
        sol_not_supported(t, call, "answers of different sizes");
    for (size_t i = 0; i < items && !t->failed; i++)
        if (results[i] != NULL)
            sol_assign(t, results[i], result.items != NULL ? result.items[i].term : result.term,
                       call);
    sol_go(t, after, call);
    t->now = after;
    if (shape.items != NULL) {
        for (size_t i = 0; i < shape.item_count; i++)
            shape.items[i].term = results[i]->term;
    } else if (shape.term != NULL) {
        shape.term = results[0]->term;
    }
    return shape;
}

static struct sol_value call_contract(struct sol_translator *t, const struct sol_node *call,
                                      const struct options *options, const struct sol_node *target)
{
    const struct sol_node *object = options->callee->part[0];
    const struct sol_type *type = sol_node_type(t->types, object),
                          *number = sol_type_of(t->types, "uint256");
    bool own = object->kind == SOL_IDENTIFIER && strcmp(object->name, "this") == 0;
    const struct term *address = sol_term_as(t, object, sol_type_of(t->types, "address")),
                      *amount = NULL;
    if (t->failed)
        return nothing(t);
    address = sol_keep(t, "contract", address, call);
    if (options->value != NULL)
        amount = sol_keep(t, "amount", sol_term_as(t, options->value, number), call);
    own = own || (sol_node_is_self(t->tree, object));
    if (own && target->kind == SOL_VARIABLE)
        return getter(t, target, t->self, call);
    struct sol_value *values =
        target->kind == SOL_FUNCTION ? arguments_of(t, target, NULL, call) : NULL;
    if (t->failed)
        return nothing(t);
    if (own) {
        const struct sol_node *function = sol_resolve(t, t->frame->contract, target);
        return run_as(t, function, t->frame->contract, values, t->self, t->self,
                      amount != NULL ? amount : sol_default(t, number), call);
    }
    if (t->has_instances && !t->modular && type->node != NULL)
        return dispatch(t, target, address, values, amount, call);
    if (amount != NULL)
        move(t, t->self, address, amount, call);
    return call_unknown(t, target, address, call);
}

static const struct sol_node *constructor_of(const struct sol_node *contract)
{
    for (size_t i = 0; i < contract->count; i++)
        if (contract->list[i] != NULL && contract->list[i]->kind == SOL_FUNCTION &&
            (contract->list[i]->flags & SOL_IS_CONSTRUCTOR))
            return contract->list[i];
    return NULL;
}

// new C(…): an address that nothing had before.
static struct sol_value create(struct sol_translator *t, const struct sol_node *contract,
                               const struct sol_node *value_node, const struct sol_node *call)
{
    const struct variable *next = model_builder_find(t->builder, "next address");
    const struct sol_type *type = sol_node_type(t->types, call);
    if (!t->has_instances || next == NULL || t->modular) {
        if (value_node != NULL)
            sol_value_of(t, value_node);
        run_arguments(t, call);
        return t->failed ? nothing(t) : sol_single(type, sol_any(t, "created", type, true, call));
    }
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    const struct term *amount = sol_default(t, number);
    if (value_node != NULL)
        amount = sol_term_as(t, value_node, number);
    if (t->failed)
        return nothing(t);
    amount = sol_keep(t, "amount", amount, call);
    const struct sol_node *constructor = constructor_of(contract);
    struct sol_value *values = NULL; // evaluated by who makes it
    if (constructor != NULL && constructor->part[0] != NULL)
        values = arguments_of(t, constructor, NULL, call);
    if (t->failed)
        return nothing(t);
    const struct term *address = sol_keep(t, "created", next->term, call);
    const struct term *one = sol_number(t, address->sort, 1);
    sol_assign(t, next,
               sol_bits(t) ? term_bv_binary(t->store, TERM_BV_ADD, next->term, one)
                           : term_add2(t->store, next->term, one),
               call);
    sol_assign(t, t->kinds,
               term_store_at(t->store, t->kinds->term, address, term_int(t->store, contract->id)),
               call);
    const struct term *self = t->self, *sender = t->sender, *value = t->value;
    if (value_node != NULL)
        move(t, t->self, address, amount, call);
    t->sender = t->self;
    t->self = address;
    t->value = amount;
    sol_construct(t, contract, values, call);
    t->self = self;
    t->sender = sender;
    t->value = value;
    return sol_single(type, address);
}

struct sol_value sol_new(struct sol_translator *t, const struct sol_node *value_node,
                         const struct sol_node *call)
{
    const struct sol_type *type = sol_node_type(t->types, call);
    if (type->kind == SOL_T_CONTRACT)
        return create(t, type->node, value_node, call);
    if (type->kind == SOL_T_ARRAY && call->count == 1) {
        const struct term *length = sol_term_as(t, call->list[0], sol_type_of(t->types, "uint256"));
        return t->failed ? nothing(t)
                         : sol_allocate(t, type, sol_keep(t, "length", length, call), call);
    }
    if (type->kind == SOL_T_STRING && call->count == 1) {
        const struct term *length = sol_term_as(t, call->list[0], sol_type_of(t->types, "uint256"));
        if (t->failed || sol_bits(t))
            return t->failed ? nothing(t) : any_value(t, "bytes", "bytes memory", call);
        sol_assume(t, term_lt(t->store, length, term_int(t->store, 1L << 40)), call); // no gas
        return sol_single(type, sol_zero_bytes(t, sol_keep(t, "length", length, call), call));
    }
    sol_not_supported(t, call, "new `%s`", call->type);
    return nothing(t);
}

// Constructors. Parameters are bound from the most derived contract on, since bases are given what it computes; bodies run
// from the bases on.

// Where the arguments for `base` stand: an inheritance specifier or an invocation behind a constructor; `frame` becomes
// that of the contract that they stand in.
static const struct sol_node *base_arguments(struct sol_translator *t,
                                             const struct sol_node *contract,
                                             const struct sol_node *base,
                                             struct sol_frame *const *frames, size_t *at)
{
    (void)frames;
    for (size_t b = 0; b < contract->order_count; b++) {
        const struct sol_node *c = sol_tree_node(t->tree, contract->order[b]),
                              *constructor = c != NULL ? constructor_of(c) : NULL;
        *at = b;
        for (size_t i = 0; constructor != NULL && i < constructor->count; i++)
            if (constructor->list[i]->part[0]->reference == base->id)
                return constructor->list[i];
        for (size_t i = 0; c != NULL && i < c->more_count; i++) {
            const struct sol_node *name = c->more[i]->part[0];
            long reference = name != NULL ? name->reference : 0;
            if (reference == 0 && name != NULL && name->part[0] != NULL)
                reference = name->part[0]->reference;
            if (reference == base->id && c->more[i]->count > 0)
                return c->more[i];
        }
    }
    return NULL;
}

static void initialise(struct sol_translator *t, const struct sol_node *contract)
{
    for (size_t i = 0; i < contract->count && !t->failed; i++) {
        const struct sol_node *v = contract->list[i];
        if (v == NULL || v->kind != SOL_VARIABLE || v->part[1] == NULL ||
            (v->flags & SOL_IS_CONSTANT))
            continue;
        struct sol_slot *slot = sol_root(t, v);
        const struct term **indices = arena_alloc(&t->arena, sizeof *indices);
        indices[0] = t->self;
        struct sol_lvalue place = {.type = slot->type, .slot = slot, .indices = indices};
        struct sol_value value =
            sol_type_is_value(slot->type)
                ? sol_single(slot->type, sol_term_as(t, v->part[1], slot->type))
                : sol_value_of(t, v->part[1]);
        if (!t->failed)
            sol_write(t, place, value, v);
    }
}

static void bind_constructor(struct sol_translator *t, const struct sol_node *entry,
                             const struct sol_node *constructor, struct sol_frame **frames,
                             size_t b, const struct sol_node *call)
{
    const struct sol_node *parameters = constructor->part[0];
    size_t giver = 0;
    const struct sol_node *given =
        b == 0 ? call : base_arguments(t, entry, sol_node_contract(constructor), frames, &giver);
    struct sol_value *values = arena_zalloc(&t->arena, (parameters->count + 1) * sizeof *values);
    if (given != NULL && b > 0 && frames[giver] != NULL)
        t->frame = frames[giver]; // its parameters may be named
    for (size_t i = 0; given != NULL && i < parameters->count && i < given->count && !t->failed;
         i++) {
        const struct sol_type *type = sol_node_type(t->types, parameters->list[i]);
        values[i] = sol_type_is_value(type) ? sol_single(type, sol_term_as(t, given->list[i], type))
                                            : sol_value_of(t, given->list[i]);
    }
    t->frame = frames[b];
    for (size_t i = 0; i < parameters->count && !t->failed; i++)
        if (values[i].type ==
            NULL) { // of the entry contract: anything; of a base that nobody gave any: nothing
            const struct sol_type *type = sol_node_type(t->types, parameters->list[i]);
            values[i] = sol_single(type, sol_default(t, type));
            if (sol_type_is_reference(type))
                values[i] = sol_allocate(t, type, NULL, parameters->list[i]);
        }
    bind_arguments(t, constructor, values, call != NULL ? call : constructor);
}

// call: `new C(…)`; NULL when the parameters of the constructor itself are bound already, in the frame at the top.
void sol_construct(struct sol_translator *t, const struct sol_node *contract,
                   struct sol_value *values, const struct sol_node *call)
{
    size_t count = contract->order_count;
    struct sol_frame *outer = t->frame,
                     **frames = arena_zalloc(&t->arena, (count + 1) * sizeof *frames);
    for (const struct sol_frame *f = outer; f != NULL; f = f->outer)
        if (f->depth > 20) {
            sol_not_supported(t, contract, "constructors that make contracts without end");
            return;
        }
    for (size_t b = 0; b < count && !t->failed; b++) {
        const struct sol_node *base = sol_tree_node(t->tree, contract->order[b]),
                              *constructor = constructor_of(base);
        for (size_t i = 0; i < base->count && call != NULL; i++)
            if (base->list[i] != NULL && base->list[i]->kind == SOL_VARIABLE &&
                (base->list[i]->flags & SOL_IS_STATE) && !(base->list[i]->flags & SOL_IS_CONSTANT))
                sol_zero(t, sol_root(t, base->list[i]), call);
        if (b == 0 && call == NULL) {
            frames[0] = outer;
            continue;
        }
        frames[b] = sol_push(t, constructor, contract);
        if (constructor != NULL && constructor->part[0] != NULL) {
            if (b == 0)
                bind_arguments(t, constructor, values, call);
            else
                bind_constructor(t, contract, constructor, frames, b, call);
        }
        t->frame = frames[b];
    }
    // The variables of all, then the bodies, as a compiler without its intermediate language has them.
    for (size_t b = count; b-- > 0 && !t->failed;) {
        t->frame = frames[b];
        initialise(t, sol_tree_node(t->tree, contract->order[b]));
    }
    for (size_t b = count; b-- > 0 && !t->failed;) {
        const struct sol_node *constructor =
            constructor_of(sol_tree_node(t->tree, contract->order[b]));
        t->frame = frames[b];
        if (constructor != NULL && constructor->part[2] != NULL && !t->failed)
            sol_body(t, constructor);
    }
    t->frame = outer;
}

// Built-in functions.

static struct sol_value wide(struct sol_translator *t, const struct sol_node *call,
                             const char *operator)
{
    const struct sol_type *type = sol_type_of(t->types, "uint256");
    const struct term *a = sol_term_as(t, call->list[0], type),
                      *b = sol_term_as(t, call->list[1], type);
    const struct term *m = sol_term_as(t, call->list[2], type);
    if (t->failed || sol_bits(t)) {
        sol_not_supported(t, call, "addmod and mulmod of bit-vectors");
        return nothing(t);
    }
    struct term_store *s = t->store;
    sol_assume(t, term_not(s, term_eq(s, m, term_int(s, 0))), call);
    const struct term *x = *operator== '+' ? term_add2(s, a, b) : term_mul2(s, a, b);
    return sol_single(type, term_mod(s, x, m));
}

static struct sol_value special(struct sol_translator *t, const struct sol_node *call)
{
    const struct sol_node *condition = call->part[0];
    if (strcmp(condition->name, "old") == 0) {
        for (struct sol_old *old = t->frame->olds; old != NULL; old = old->next)
            if (old->node == call)
                return sol_single(sol_node_type(t->types, call), old->value->term);
        return sol_value_of(t, call->list[0]);
    }
    const struct sol_node *declaration = sol_tree_node(t->tree, call->list[0]->reference);
    if (call->list[0]->kind != SOL_IDENTIFIER || declaration == NULL ||
        !(declaration->flags & SOL_IS_STATE) || sol_bits(t)) {
        sol_not_supported(
            t, call,
            "a sum of something that is no mapping or array of the contract, or of bit-vectors");
        return nothing(t);
    }
    struct sol_slot *slot = sol_root(t, declaration);
    if (slot->element == NULL || slot->element->variable == NULL ||
        !sol_type_is_number(slot->element->type) || t->has_instances) {
        sol_not_supported(t, call, "a sum of what are no numbers, or among several contracts");
        return nothing(t);
    }
    if (slot->sum == NULL) {
        sol_not_supported(
            t, call, "a sum that no contract invariant, or annotation of a function, asks for");
        return nothing(t);
    }
    return sol_single(sol_type_of(t->types, "unbounded"), slot->sum->term);
}

static size_t fewest_arguments(const char *name)
{
    static const struct {
        const char *name;
        size_t count;
    } known[] = {{"require", 1}, {"assert", 1}, {"sum", 1},          {"old", 1},
                 {"addmod", 3},  {"mulmod", 3}, {"selfdestruct", 1}, {"suicide", 1}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].count;
    return 0;
}

static struct sol_value built_in(struct sol_translator *t, const struct sol_node *call,
                                 const char *name)
{
    const struct sol_type *boolean = sol_type_of(t->types, "bool");
    struct sol_value none = {.type = sol_type_of(t->types, "tuple()")};
    if (call->count < fewest_arguments(name)) {
        sol_not_supported(t, call, "`%s` of %zu arguments", name, call->count);
        return none;
    }
    if (t->in_annotation && (strcmp(name, "sum") == 0 || strcmp(name, "old") == 0))
        return special(t, call);
    if (strcmp(name, "require") == 0 || strcmp(name, "assert") == 0) {
        const struct term *condition = sol_term_as(t, call->list[0], boolean);
        if (t->failed)
            return none;
        if (name[0] == 'a') {
            sol_check(t, condition, SOL_FAIL_ASSERTION, call);
            return none;
        }
        for (size_t i = 1; i < call->count; i++)
            if (sol_has_effects(t, call->list[i]))
                sol_value_of(t, call->list[i]);
        sol_assume(t, condition, call);
        return none;
    }
    if (strcmp(name, "revert") == 0) {
        sol_stop(t, call);
        return none;
    }
    if (strcmp(name, "keccak256") == 0 || strcmp(name, "sha3") == 0)
        return sol_hash_of(t, call);
    if (strcmp(name, "addmod") == 0)
        return wide(t, call, "+");
    if (strcmp(name, "mulmod") == 0)
        return wide(t, call, "*");
    if (strcmp(name, "selfdestruct") == 0 || strcmp(name, "suicide") == 0) {
        return destroy(t, call);
    }
    struct sol_value value;
    if (sol_opaque(t, call, name, &value))
        return value;
    sol_not_supported(t, call, "a call of `%s`", name);
    return none;
}

static struct sol_value make_struct(struct sol_translator *t, const struct sol_node *call)
{
    const struct sol_type *type =
        sol_type_place(t->types, sol_node_type(t->types, call), SOL_MEMORY);
    const struct sol_node *definition = type->node;
    if (definition == NULL) {
        sol_not_supported(t, call, "a struct of the type `%s`", call->type);
        return nothing(t);
    }
    struct sol_value object = sol_allocate(t, type, NULL, call);
    size_t next = 0;
    for (size_t i = 0; i < definition->count && !t->failed; i++) {
        const struct sol_type *member = sol_node_type(t->types, definition->list[i]);
        if (member->kind == SOL_T_MAPPING)
            continue;
        const struct sol_node *argument = next < call->count ? call->list[next] : NULL;
        for (size_t n = 0; n < call->name_count; n++)
            if (strcmp(call->names[n], definition->list[i]->name) == 0)
                argument = call->list[n];
        next++;
        if (argument == NULL)
            continue;
        struct sol_value value = sol_type_is_value(member)
                                     ? sol_single(member, sol_term_as(t, argument, member))
                                     : sol_value_of(t, argument);
        if (!t->failed)
            sol_write(t, sol_place_member(t, sol_place_of(t, object, call), i), value, call);
    }
    return object;
}

// `pushed`, when it is asked for: the place of the new element.
static struct sol_value push(struct sol_translator *t, const struct sol_node *call,
                             const struct sol_node *callee, struct sol_lvalue *pushed)
{
    struct sol_value none = {.type = sol_type_of(t->types, "tuple()")};
    struct sol_value base = sol_value_of(t, callee->part[0]);
    if (t->failed)
        return none;
    if (base.type->kind != SOL_T_ARRAY || base.slot == NULL || base.slot->length == NULL) {
        sol_not_supported(t, call, "push and pop on `%s`", callee->part[0]->type);
        return none;
    }
    struct sol_lvalue place = sol_place_of(t, base, call), length = place;
    length.is_length = true;
    const struct term *count = sol_keep(t, "length", sol_length(t, place), call);
    const struct term *one = sol_number(t, count->sort, 1);
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    if (callee->name[1] == 'o') { // pop
        sol_assume(t, sol_compare(t, ">=", number, count, one, call), call);
        const struct term *last = sol_bits(t)
                                      ? term_bv_binary(t->store, TERM_BV_ADD, count,
                                                       term_bv_unary(t->store, TERM_BV_NEG, one))
                                      : term_sub(t->store, count, one);
        sol_clear(t, sol_place_element(t, place, last), call);
        length.type = number;
        sol_write(t, length, sol_single(number, last), call);
        return none;
    }
    struct sol_lvalue element = sol_place_element(t, place, count);
    if (pushed != NULL)
        *pushed = element;
    const struct sol_type *type = base.type->value;
    struct sol_value value = none;
    if (call->count == 1)
        value = sol_type_is_value(type) ? sol_single(type, sol_term_as(t, call->list[0], type))
                                        : sol_value_of(t, call->list[0]);
    const struct term *more = sol_bits(t) ? term_bv_binary(t->store, TERM_BV_ADD, count, one)
                                          : term_add2(t->store, count, one);
    if (!t->failed) {
        length.type = number;
        sol_write(t, length, sol_single(number, more), call);
        if (call->count == 1)
            sol_write(t, element, value, call);
        else
            sol_clear(t, element, call);
    }
    return call->count == 0 && !t->failed && t->tree->minor >= 6 ? sol_read(t, element, call)
                                                                 : sol_single(number, more);
}

struct sol_lvalue sol_pushed(struct sol_translator *t, const struct sol_node *call)
{
    const struct sol_node *callee = call->part[0];
    struct sol_lvalue place = {0};
    if (callee->kind != SOL_MEMBER || strcmp(callee->name, "push") != 0 || call->count != 0 ||
        sol_node_type(t->types, callee->part[0])->kind != SOL_T_ARRAY)
        sol_not_supported(t, call, "an assignment to the result of a call");
    else
        push(t, call, callee, &place);
    return place;
}

// push and pop of bytes in storage
static struct sol_value push_byte(struct sol_translator *t, const struct sol_node *call,
                                  const struct sol_node *callee)
{
    const struct sol_type *byte = sol_type_of(t->types, "bytes1");
    struct sol_value none = {.type = sol_type_of(t->types, "tuple()")};
    struct sol_lvalue place = sol_lvalue_of(t, callee->part[0]);
    const struct term *value = sol_default(t, byte);
    if (!t->failed && call->count == 1)
        value = sol_term_as(t, call->list[0], byte);
    if (t->failed)
        return none;
    struct sol_value whole = sol_read(t, place, call);
    const struct term *length = sol_string_length(t, whole.term);
    bool shorter = callee->name[1] == 'o';
    const struct term *index = length;
    if (shorter) {
        sol_assume(t, term_lt(t->store, term_int(t->store, 0), length), call);
        index = term_sub(t->store, length, term_int(t->store, 1));
    } else {
        sol_assume(t, term_lt(t->store, length, term_int(t->store, 1L << 62)), call); // no gas
    }
    whole.term = sol_with_byte(t, whole.term, index, value, shorter ? -1 : 1, call);
    sol_write(t, place, whole, call);
    return none;
}

static struct sol_value convert(struct sol_translator *t, const struct sol_node *call)
{
    const struct sol_type *type = sol_node_type(t->types, call);
    if (call->count == 1 && (sol_type_is_value(type)))
        return sol_single(type, sol_term_as(t, call->list[0], type));
    if (call->count == 1 && type->kind == SOL_T_STRING) {
        struct sol_value value = sol_value_of(t, call->list[0]);
        value.type = type;
        return value;
    }
    sol_not_supported(t, call, "a conversion to `%s`", call->type);
    return nothing(t);
}

static struct sol_value call_member(struct sol_translator *t, const struct sol_node *call,
                                    const struct options *options)
{
    const struct sol_node *callee = options->callee, *base = callee->part[0];
    const struct sol_node *target = sol_tree_node(t->tree, callee->reference);
    const struct sol_node *owner =
        base->kind == SOL_IDENTIFIER ? sol_tree_node(t->tree, base->reference) : NULL;
    const struct sol_type *type = sol_node_type(t->types, base);
    const char *name = callee->name;
    if (base->kind == SOL_IDENTIFIER && strcmp(base->name, "abi") == 0 && owner == NULL)
        return sol_abi(t, call, name);
    if (base->kind == SOL_ELEMENTARY && strcmp(name, "concat") == 0)
        return sol_concatenate(t, call);
    if (owner != NULL && owner->kind == SOL_VALUE_TYPE && call->count == 1 &&
        (strcmp(name, "wrap") == 0 || strcmp(name, "unwrap") == 0)) {
        const struct sol_type *kept = sol_node_type(t->types, call);
        return sol_single(kept, sol_term_as(t, call->list[0], kept));
    }
    if (target != NULL && target->kind == SOL_EVENT) {
        run_arguments(t, call);
        return (struct sol_value){.type = sol_type_of(t->types, "tuple()")};
    }
    if (target != NULL && target->kind == SOL_FUNCTION) {
        const struct sol_node *home = sol_node_contract(target);
        if (base->kind == SOL_IDENTIFIER && strcmp(base->name, "super") == 0 && owner == NULL) {
            const struct sol_node *lexical = sol_node_contract(call);
            size_t skip = 0;
            while (skip < t->frame->contract->order_count && lexical != NULL &&
                   t->frame->contract->order[skip] != lexical->id)
                skip++;
            const struct sol_node *found =
                sol_find_function(t, t->frame->contract, target->name, target, skip + 1);
            return call_internal(t, found != NULL ? found : target, t->frame->contract, NULL, call);
        }
        if (owner != NULL && (owner->kind == SOL_CONTRACT || owner->kind == SOL_IMPORT))
            return call_internal(t, target, t->frame->contract, NULL, call);
        if (home == NULL || (home->flags & SOL_IS_LIBRARY)) {
            if (target->part[0]->count == 0) {
                sol_not_supported(t, call, "a call of `%s` on something", name);
                return nothing(t);
            }
            const struct sol_type *first = sol_node_type(t->types, target->part[0]->list[0]);
            struct sol_value bound = sol_type_is_value(first)
                                         ? sol_single(first, sol_term_as(t, base, first))
                                         : sol_value_of(t, base);
            if (!t->failed && bound.term != NULL)
                bound.term = sol_keep(t, "argument", bound.term, call);
            return t->failed ? nothing(t)
                             : call_internal(t, target, t->frame->contract, &bound, call);
        }
    }
    if (type->kind == SOL_T_ARRAY && (strcmp(name, "push") == 0 || strcmp(name, "pop") == 0))
        return push(t, call, callee, NULL);
    if (type->kind == SOL_T_STRING && type->is_bytes && !sol_bits(t) &&
        (strcmp(name, "push") == 0 || strcmp(name, "pop") == 0))
        return push_byte(t, call, callee);
    if (target != NULL && (target->kind == SOL_FUNCTION || target->kind == SOL_VARIABLE) &&
        type->kind == SOL_T_CONTRACT)
        return call_contract(t, call, options, target);
    if ((type->kind == SOL_T_ADDRESS || type->kind == SOL_T_CONTRACT) &&
        (strcmp(name, "transfer") == 0 || strcmp(name, "send") == 0 || strcmp(name, "call") == 0 ||
         strcmp(name, "staticcall") == 0 || strcmp(name, "delegatecall") == 0 ||
         strcmp(name, "callcode") == 0))
        return low_level(t, call, options);
    sol_not_supported(t, call, "a call of `%s`", name);
    return nothing(t);
}

struct sol_value sol_call_operator(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_node *function = sol_tree_node(t->tree, node->reference),
                          *parameters = function->part[0];
    struct sol_value *values = arena_zalloc(&t->arena, (parameters->count + 1) * sizeof *values);
    for (size_t i = 0; i < parameters->count && i < 2 && !t->failed; i++) {
        const struct sol_type *type = sol_node_type(t->types, parameters->list[i]);
        values[i] = sol_single(
            type, sol_term_as(t, node->part[i] != NULL ? node->part[i] : node->part[0], type));
        if (!t->failed)
            values[i].term = sol_keep(t, "operand", values[i].term, node);
    }
    return t->failed ? nothing(t) : run_function(t, function, t->frame->contract, values, node);
}

// Does anything in the file take the function as a value?
static bool is_taken(struct sol_translator *t, const struct sol_node *function)
{
    for (size_t i = 0; i < t->tree->node_count; i++) {
        const struct sol_node *name = t->tree->nodes[i],
                              *taken =
                                  name != NULL ? sol_tree_node(t->tree, name->reference) : NULL;
        if (taken == NULL || taken->kind != SOL_FUNCTION ||
            (name->kind != SOL_IDENTIFIER && name->kind != SOL_MEMBER) ||
            (name->parent != NULL && name->parent->kind == SOL_CALL &&
             name->parent->part[0] == name) ||
            (name->parent != NULL && name->parent->kind == SOL_MEMBER))
            continue;
        if (taken == function || sol_resolve(t, t->frame->contract, taken) == function)
            return true;
    }
    return false;
}

// Is it a function that a pointer of that type may lead to, here?
static bool may_be_pointed_to(struct sol_translator *t, const struct sol_node *f,
                              const struct sol_type *type)
{
    const struct sol_node *owner = f != NULL ? sol_node_contract(f) : NULL;
    if (f == NULL || f->kind != SOL_FUNCTION || f->part[2] == NULL ||
        strcmp(f->word, "external") == 0 || (f->flags & (SOL_IS_CONSTRUCTOR | SOL_IS_FALLBACK)) ||
        (owner != NULL && !(owner->flags & SOL_IS_LIBRARY) &&
         !derives(t->frame->contract, owner)) ||
        f->part[0]->count != type->member_count || f->part[1]->count != type->value->member_count)
        return false;
    for (size_t i = 0; i < type->member_count; i++)
        if (!sol_type_same(sol_node_type(t->types, f->part[0]->list[i]), type->members[i]))
            return false;
    for (size_t i = 0; i < type->value->member_count; i++)
        if (!sol_type_same(sol_node_type(t->types, f->part[1]->list[i]), type->value->members[i]))
            return false;
    return is_taken(t, f);
}

// The results of one of several functions, in variables that all of them share.
struct shared {
    struct sol_value value; // type NULL: no run has come back yet
    const struct variable **variables;
};

static void make_shared(struct sol_translator *t, struct shared *shared, struct sol_value result,
                        size_t items, const struct sol_node *call)
{
    shared->value = (struct sol_value){.type = result.type, .item_count = items};
    shared->value.items = arena_zalloc(&t->arena, (items + 1) * sizeof *shared->value.items);
    shared->variables = arena_zalloc(&t->arena, (items + 1) * sizeof *shared->variables);
    for (size_t i = 0; i < items; i++) {
        struct sol_value item = result.items != NULL ? result.items[i] : result;
        if (item.slot != NULL || item.term == NULL) {
            sol_not_supported(t, call, "a result in storage of a function behind a pointer");
            return;
        }
        shared->variables[i] = sol_fresh(t, "answer", item.term->sort, call);
        shared->value.items[i] = sol_single(item.type, shared->variables[i]->term);
    }
}

static void share_results(struct sol_translator *t, struct shared *shared, struct sol_value result,
                          const struct sol_node *call)
{
    size_t items = result.items != NULL                         ? result.item_count
                   : result.term != NULL || result.slot != NULL ? 1
                                                                : 0;
    if (shared->value.type == NULL)
        make_shared(t, shared, result, items, call);
    if (items != shared->value.item_count)
        sol_not_supported(t, call, "answers of different sizes");
    for (size_t i = 0; i < items && !t->failed; i++)
        sol_assign(t, shared->variables[i],
                   result.items != NULL ? result.items[i].term : result.term, call);
}

// Types that cannot be compared would leave out functions.
static bool is_known(const struct sol_type *type)
{
    if (type->kind == SOL_T_UNKNOWN)
        return false;
    for (size_t i = 0; i < type->member_count; i++)
        if (!is_known(type->members[i]))
            return false;
    return (type->value == NULL || is_known(type->value)) &&
           (type->key == NULL || is_known(type->key));
}

// A call of what a pointer leads to: an edge a function that it may be; of none, it reverts.
static struct sol_value call_pointer(struct sol_translator *t, const struct sol_node *call,
                                     const struct sol_node *callee)
{
    const struct sol_type *type = sol_node_type(t->types, callee);
    if (!is_known(type))
        sol_not_supported(t, call, "a call by a pointer of the type `%s`", callee->type);
    const struct term *pointer = sol_keep(t, "function", sol_term_as(t, callee, type), call);
    struct sol_value *values = NULL;
    struct shared shared = {0};
    struct location *begin = NULL, *after = sol_location(t);
    for (size_t i = 0; i < t->tree->node_count && !t->failed; i++) {
        const struct sol_node *f = t->tree->nodes[i];
        if (!may_be_pointed_to(t, f, type))
            continue;
        if (values == NULL) {
            values = arguments_of(t, f, NULL, call);
            sol_flush(t, call);
            begin = t->now;
        }
        if (begin == NULL || t->failed)
            break;
        struct location *enter = sol_location(t);
        const struct term *is = term_eq(t->store, pointer, sol_number(t, pointer->sort, f->id));
        model_builder_edge(t->builder, begin, enter, model_assume(t->builder, is, call->at), NULL,
                           call->at);
        t->now = enter;
        struct sol_value result = run_function(t, f, t->frame->contract, values, call);
        if (!t->failed && t->now != NULL)
            share_results(t, &shared, result, call);
        sol_go(t, after, call);
    }
    if (t->failed)
        return nothing(t);
    if (values == NULL)
        sol_stop(t, call);
    t->now = values != NULL ? after : NULL;
    if (shared.value.type == NULL) // none, or none that comes back
        return any_value(t, "answer", call->type, call);
    return shared.value.item_count == 1 ? shared.value.items[0] : shared.value;
}

struct sol_value sol_call(struct sol_translator *t, const struct sol_node *call)
{
    if (call->flags & SOL_IS_CONVERSION)
        return convert(t, call);
    if (call->flags & SOL_IS_STRUCT_MAKER)
        return make_struct(t, call);
    struct options options = options_of(call->part[0]);
    const struct sol_node *callee = options.callee;
    while (callee->kind == SOL_TUPLE && callee->count == 1 && callee->list[0] != NULL)
        callee = options.callee = callee->list[0];
    if (callee->kind == SOL_NEW)
        return sol_new(t, options.value, call);
    const struct sol_node *named = sol_tree_node(t->tree, callee->reference);
    bool pointer = sol_node_type(t->types, callee)->kind == SOL_T_FUNCTION &&
                   callee->kind != SOL_NEW && (named == NULL || named->kind == SOL_VARIABLE);
    if (pointer &&
        (named != NULL || (callee->kind != SOL_IDENTIFIER && callee->kind != SOL_MEMBER)))
        return call_pointer(t, call, callee);
    if (callee->kind == SOL_MEMBER)
        return call_member(t, call, &options);
    if (callee->kind == SOL_IDENTIFIER) {
        const struct sol_node *target = sol_tree_node(t->tree, callee->reference);
        if (target == NULL)
            return built_in(t, call, callee->name);
        if (target->kind == SOL_FUNCTION)
            return call_internal(t, sol_resolve(t, t->frame->contract, target), t->frame->contract,
                                 NULL, call);
        if (target->kind == SOL_EVENT || target->kind == SOL_ERROR) {
            run_arguments(t, call);
            return (struct sol_value){.type = sol_type_of(t->types, "tuple()")};
        }
    }
    sol_not_supported(t, call, "a call of this");
    return nothing(t);
}
