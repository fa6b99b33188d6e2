#include "languages/solidity/question.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/text.h"
#include "languages/solidity/solidity.h"
#include "languages/solidity/translate.h"

// Questions, and the frames of their models: a function alone, or a whole contract.

static const struct dialect dialect = {
    .name = "solidity", .terms = PRINT_CFA, .replay = sol_confirm_trace};

static const char *const ARITHMETICS[SOL_ARITHMETIC_COUNT] = {"int", "bv", "mod", "mod-overflow"};

const char *sol_arithmetic_name(enum sol_arithmetic arithmetic)
{
    assert(arithmetic < SOL_ARITHMETIC_COUNT);
    return ARITHMETICS[arithmetic];
}

bool sol_arithmetic_parse(const char *name, enum sol_arithmetic *out)
{
    for (int i = 0; i < SOL_ARITHMETIC_COUNT; i++)
        if (strcmp(ARITHMETICS[i], name) == 0) {
            *out = (enum sol_arithmetic)i;
            return true;
        }
    return false;
}

bool sol_reentrancy_parse(const char *text, unsigned *out)
{
    *out = (unsigned)(text[0] - '0');
    return text[0] >= '0' && *out <= SOL_MOST_REENTRANCY && text[1] == '\0';
}

// Translators.

static void start(struct sol_translator *t, struct sol_input *input,
                  const struct sol_node *contract, const struct sol_node *function,
                  const struct sol_question_options *options, struct messages *messages)
{
    assert(contract != NULL && contract->kind == SOL_CONTRACT && options != NULL);
    *t = (struct sol_translator){.tree = input->tree,
                                 .types = input->types,
                                 .messages = messages,
                                 .options = options,
                                 .contract = contract,
                                 .function = function};
    arena_init(&t->arena);
    t->builder = model_builder_create(&dialect, contract->at.path, NULL);
    t->store = model_builder_store(t->builder);
}

static void finish(struct sol_translator *t)
{
    VECTOR_FINISH(&t->pending);
    VECTOR_FINISH(&t->roots);
    VECTOR_FINISH(&t->memory);
    VECTOR_FINISH(&t->scratch);
    VECTOR_FINISH(&t->annotations);
    if (t->by_anyone != NULL)
        sol_changes_finish(t->by_anyone);
    arena_finish(&t->arena);
}

static bool uses_instances(struct sol_translator *t, const struct sol_node *node)
{
    if (node == NULL)
        return false;
    if (node->kind == SOL_NEW && node->part[0] != NULL &&
        sol_node_type(t->types, node->part[0])->kind == SOL_T_CONTRACT)
        return true;
    const struct sol_node *target =
        node->kind == SOL_MEMBER ? sol_tree_node(t->tree, node->reference) : NULL;
    if (target != NULL && (target->kind == SOL_FUNCTION ||
                           (target->kind == SOL_VARIABLE && (target->flags & SOL_IS_STATE)))) {
        const struct sol_node *base = node->part[0];
        const struct sol_type *type = sol_node_type(t->types, base);
        bool own = base->kind == SOL_IDENTIFIER &&
                   (strcmp(base->name, "this") == 0 || strcmp(base->name, "super") == 0);
        if (type->kind == SOL_T_CONTRACT && !own &&
            !(type->node->flags & (SOL_IS_INTERFACE | SOL_IS_LIBRARY)))
            return true;
    }
    for (int i = 0; i < SOL_PARTS; i++)
        if (uses_instances(t, node->part[i]))
            return true;
    for (size_t i = 0; i < node->count; i++)
        if (uses_instances(t, node->list[i]))
            return true;
    return false;
}

static bool any_instances(struct sol_translator *t)
{
    for (size_t b = 0; b < t->contract->order_count; b++)
        if (uses_instances(t, sol_tree_node(t->tree, t->contract->order[b])))
            return true;
    return false;
}

static const struct variable *global(struct sol_translator *t, const char *name,
                                     const struct sort *sort)
{
    const struct variable *v = model_builder_variable(t->builder, name, sort, 0, t->contract->at);
    return v != NULL ? v : model_builder_fresh(t->builder, name, sort, 0, t->contract->at);
}

// What a transaction fixes besides sender and value, as far as anything in the file reads it.
static void make_surroundings(struct sol_translator *t)
{
    t->surrounding_count = sol_tree_surroundings(t->tree, t->surroundings, SOL_MOST_SURROUNDINGS);
    for (size_t i = 0; i < t->surrounding_count; i++) {
        char name[100];
        sol_surrounding_name(t->surroundings[i], name, sizeof name);
        const struct sol_type *type = sol_node_type(t->types, t->surroundings[i]);
        if (sol_type_is_value(type) || type->kind == SOL_T_STRING)
            global(t, name, sol_sort(t, type));
    }
    t->reads_data = sol_tree_reads(t->tree, "msg", "data");
    t->reads_balances = sol_tree_reads(t->tree, NULL, "balance");
    t->forced = !sol_balance_is_annotated(t->tree);
    t->reads_balances |= !t->forced;
}

static void make_globals(struct sol_translator *t, bool modular)
{
    struct term_store *s = t->store;
    const struct sol_type *number = sol_type_of(t->types, "uint256"),
                          *address = sol_type_of(t->types, "address");
    t->modular = modular;
    t->has_instances = !modular && any_instances(t);
    if (t->options->arithmetic == SOL_ARITHMETIC_MOD_OVERFLOW)
        t->overflow = global(t, "overflow", sort_bool(s));
    t->balance = global(t, "balance", sort_array(s, sol_sort(t, address), sol_sort(t, number)));
    t->next_object = global(t, "next object", sort_int(s));
    t->hash = global(t, "keccak256",
                     sort_array(s, sort_int(s), sol_sort(t, sol_type_of(t->types, "bytes32"))));
    t->unhash = global(t, "preimage",
                       sort_array(s, sol_sort(t, sol_type_of(t->types, "bytes32")), sort_int(s)));
    make_surroundings(t);
    global(t, "now", sol_sort(t, number));
    global(t, "block", sol_sort(t, number));
    t->self = sol_literal(t, address, SOL_SELF);
    if (t->has_instances) {
        t->kinds = global(t, "kind", sort_array(s, sol_sort(t, address), sort_int(s)));
        global(t, "next address", sol_sort(t, address));
    }
    t->value = sol_default(t, number);
    t->sender = sol_default(t, address);
    t->error = model_builder_location(t->builder, "error", PHASE_NONE, true);
    model_builder_error(t->builder, t->error);
    ENSURE(t->self->sort == t->sender->sort && t->balance->sort->key == t->self->sort);
    ENSURE((t->overflow != NULL) == (t->options->arithmetic == SOL_ARITHMETIC_MOD_OVERFLOW));
}

// Sums that annotations ask for get their variables before anything is translated.

static void find_sums(struct sol_translator *t, const struct sol_node *node)
{
    if (node == NULL || t->failed)
        return;
    if (node->kind == SOL_CALL && node->part[0]->kind == SOL_IDENTIFIER &&
        strcmp(node->part[0]->name, "sum") == 0 && strcmp(node->type, "unbounded") == 0) {
        const struct sol_node *of = sol_tree_node(t->tree, node->list[0]->reference);
        if (of != NULL && of->kind == SOL_VARIABLE && (of->flags & SOL_IS_STATE)) {
            struct sol_slot *slot = sol_root(t, of);
            // Of bit-vectors there is none: it is refused where it stands, perhaps behind what reads an element.
            if (slot->sum == NULL && slot->element != NULL &&
                t->options->arithmetic != SOL_ARITHMETIC_BV)
                slot->sum = model_builder_fresh(t->builder, "sum", sort_int(t->store), 0, of->at);
        }
        return;
    }
    for (int i = 0; i < SOL_PARTS; i++)
        find_sums(t, node->part[i]);
    for (size_t i = 0; i < node->count; i++)
        find_sums(t, node->list[i]);
}

static void find_annotated_sums(struct sol_translator *t, const struct sol_node *node)
{
    if (node == NULL)
        return;
    if (node->kind == SOL_CONTRACT || node->kind == SOL_FUNCTION || node->kind == SOL_WHILE ||
        node->kind == SOL_FOR || node->kind == SOL_DO) {
        struct messages quiet;
        messages_init(&quiet);
        struct sol_annotations a = sol_annotations_of(t->tree, t->types, t->contract, node, &quiet);
        messages_finish(&quiet);
        for (size_t i = 0; i < a.count; i++)
            find_sums(t, a.data[i].condition);
    }
    for (int i = 0; i < SOL_PARTS; i++)
        find_annotated_sums(t, node->part[i]);
    for (size_t i = 0; i < node->count; i++)
        find_annotated_sums(t, node->list[i]);
}

void sol_each_root(struct sol_translator *t, const struct sol_node *contract, sol_root_user use)
{
    for (size_t b = 0; b < contract->order_count && !t->failed; b++) {
        const struct sol_node *base = sol_tree_node(t->tree, contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count && !t->failed; i++) {
            const struct sol_node *v = base->list[i];
            if (v != NULL && v->kind == SOL_VARIABLE && (v->flags & SOL_IS_STATE) &&
                !(v->flags & SOL_IS_CONSTANT) && sol_node_type(t->types, v)->kind != SOL_T_UNKNOWN)
                use(t, sol_root(t, v), v);
        }
    }
}

static void assume_sum(struct sol_translator *t, const struct sol_slot *slot,
                       const struct sol_node *at)
{
    if (slot->sum != NULL && slot->element->type->kind == SOL_T_UINT)
        sol_assume(t, term_le(t->store, term_int(t->store, 0), slot->sum->term), at);
}

// Values from outside, in the order in which the interpreter asks for them.

static void any_parameter(struct sol_translator *t, const struct sol_node *declaration,
                          struct sol_value *out);

struct sol_value sol_any_object(struct sol_translator *t, const struct sol_type *type,
                                const struct sol_node *at)
{
    struct sol_value object = sol_allocate(t, type, NULL, at);
    struct sol_lvalue place = sol_place_of(t, object, at);
    if (t->failed)
        return object;
    if (type->kind == SOL_T_STRUCT) {
        for (size_t i = 0; i < type->node->count && !t->failed; i++) {
            struct sol_value value;
            any_parameter(t, type->node->list[i], &value);
            if (!t->failed)
                sol_write(t, sol_place_member(t, place, i), value, at);
        }
        return object;
    }
    const struct sol_slot *element = place.slot->element;
    if (element->variable == NULL) {
        sol_not_supported(t, at, "a parameter of the type `%s`", type->text);
        return object;
    }
    if (!type->fixed)
        sol_store(t, place.slot->length, place.indices, 1,
                  sol_any(t, "length", sol_type_of(t->types, "uint256"), true, at), at);
    const struct variable *row =
        sol_outside(t, "elements", element->variable->sort->element, true, at);
    sol_havoc(t, row, at);
    sol_store(t, element->variable, place.indices, 1, row->term, at);
    return object;
}

static void any_parameter(struct sol_translator *t, const struct sol_node *declaration,
                          struct sol_value *out)
{
    const struct sol_type *type = sol_node_type(t->types, declaration);
    if (sol_type_is_value(type) || type->kind == SOL_T_STRING)
        *out = sol_single(type, sol_any(t, declaration->name[0] ? declaration->name : "argument",
                                        type, true, declaration));
    else if ((type->kind == SOL_T_ARRAY || type->kind == SOL_T_STRUCT) && type->place == SOL_MEMORY)
        *out = sol_any_object(t, type, declaration);
    else if (type->kind == SOL_T_STRUCT || type->kind == SOL_T_ARRAY)
        *out = sol_any_object(t, sol_type_place(t->types, type, SOL_MEMORY), declaration);
    else
        sol_not_supported(t, declaration, "a parameter of the type `%s`", type->text);
}

// Does storage that the parameter does not name, but may be, take part?
static bool may_be_another(const struct sol_translator *t, const struct sol_node *parameters,
                           const struct sol_node *parameter)
{
    bool another = !(t->contract->flags & SOL_IS_LIBRARY);
    for (size_t i = 0; i < parameters->count; i++) {
        const struct sol_type *type = sol_node_type(t->types, parameters->list[i]);
        another |= parameters->list[i] != parameter && sol_type_is_reference(type) &&
                   type->place == SOL_STORAGE;
    }
    return another;
}

// Of a library's function: some variable of whoever calls it.
static void bind_storage(struct sol_translator *t, const struct sol_node *parameters,
                         const struct sol_node *parameter)
{
    if (may_be_another(t, parameters, parameter)) {
        sol_not_supported(t, parameter,
                          "a parameter in storage that may be another variable of the function, "
                          "when it is taken alone");
        return;
    }
    struct sol_slot *slot = sol_root(t, parameter);
    const struct term **indices = arena_alloc(&t->arena, sizeof *indices);
    indices[0] = t->self;
    sol_forget(t, slot, parameter);
    const struct sol_value value = {.type = slot->type, .slot = slot, .indices = indices};
    if (!t->failed)
        sol_bind_pointer(t, sol_bind(t, parameter), value, parameter);
}

static void bind_parameters(struct sol_translator *t, const struct sol_node *function)
{
    const struct sol_node *parameters = function != NULL ? function->part[0] : NULL;
    for (size_t i = 0; parameters != NULL && i < parameters->count && !t->failed; i++) {
        const struct sol_node *p = parameters->list[i];
        const struct sol_type *type = sol_node_type(t->types, p);
        if (sol_type_is_reference(type) && type->place == SOL_STORAGE) {
            bind_storage(t, parameters, p);
            continue;
        }
        struct sol_value value = {0};
        any_parameter(t, p, &value);
        // A second activation has variables of its own.
        struct sol_binding *hidden = t->frame->bindings;
        t->frame->bindings = NULL;
        struct sol_binding *binding = sol_bind(t, p);
        binding->next = hidden;
        t->frame->bindings = binding;
        if (!t->failed)
            sol_assign(t, binding->variable, value.term, p);
    }
}

static void later(struct sol_translator *t, const char *name, const struct sol_node *at)
{
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    const struct variable *clock = model_builder_find(t->builder, name);
    const struct term *next = sol_any(t, name, number, true, at);
    if (clock != NULL && clock->sort == next->sort) {
        sol_assume(t, sol_compare(t, "<=", number, clock->term, next, at), at);
        sol_assign(t, clock, next, at);
    }
}

static void add_value(struct sol_translator *t, const struct sol_node *at)
{
    struct term_store *s = t->store;
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    const struct term *old = term_select(s, t->balance->term, t->self);
    const struct term *sum =
        sol_bits(t) ? term_bv_binary(s, TERM_BV_ADD, old, t->value) : term_add2(s, old, t->value);
    // All Ether there is fits in a word.
    if (sol_bits(t))
        sol_assume(t, sol_compare(t, "<=", number, old, sum, at), at);
    else
        sol_assume(t, sol_in_range(t, number, sum), at);
    sol_assign(t, t->balance, term_store_at(s, t->balance->term, t->self, sum), at);
}

static const struct term *any_data(struct sol_translator *t, const struct sol_node *function,
                                   const struct sol_node *at)
{
    const struct term *data =
        sol_any(t, "msg.data", sol_type_of(t->types, "bytes memory"), true, at);
    const struct term *length = sol_string_length(t, data);
    bool receives = function != NULL && (function->flags & SOL_IS_RECEIVE);
    size_t count = function != NULL && function->part[0] != NULL ? function->part[0]->count : 0;
    if (receives || !t->deployed)
        sol_assume(t, term_eq(t->store, length, term_int(t->store, 0)), at);
    else if (function != NULL && !(function->flags & SOL_IS_FALLBACK))
        sol_assume(t, term_le(t->store, term_int(t->store, 4 + 32 * (int64_t)count), length), at);
    else if (count == 1 && t->frame->bindings != NULL &&
             t->frame->bindings->variable->sort == data->sort)
        sol_assume(t, term_eq(t->store, t->frame->bindings->variable->term, data), at);
    return data;
}

// The chain of a contract goes by the same name for ever; all else may be another with each transaction.
static void set_surroundings(struct sol_translator *t, const struct sol_node *at)
{
    for (size_t i = 0; i < t->surrounding_count; i++) {
        char name[100];
        sol_surrounding_name(t->surroundings[i], name, sizeof name);
        const struct variable *v = model_builder_find(t->builder, name);
        bool lasting = strcmp(name, "block.chainid") == 0 && t->deployed;
        if (v != NULL && !lasting)
            sol_assign(t, v,
                       sol_any(t, name, sol_node_type(t->types, t->surroundings[i]), true, at), at);
    }
}

// Ether that nobody asked for: before the contract is there, and with each call from outside. Other accounts have anything.
void sol_force_ether(struct sol_translator *t, const struct sol_node *at)
{
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    const struct term *self = sol_literal(t, sol_type_of(t->types, "address"), SOL_SELF),
                      *old = term_select(t->store, t->balance->term, self), *now = old;
    if (t->modular || (t->deployed && !t->reads_balances))
        return;
    if (!t->deployed)
        now = t->forced ? sol_any(t, "balance", number, true, at) : sol_default(t, number);
    else if (t->forced) {
        now = sol_any(t, "balance", number, true, at);
        sol_assume(t, sol_compare(t, "<=", number, old, now, at), at);
    }
    now = sol_keep(t, "own balance", now, at);
    sol_havoc(t, t->balance, at);
    sol_assign(t, t->balance, term_store_at(t->store, t->balance->term, self, now), at);
}

// A call of itself is of the function that the data name. More bytes than the arguments need are looked at in proofs only.
static void assume_sent(struct sol_translator *t, const struct sol_node *function,
                        const struct sol_node *at)
{
    const struct term *selector = sol_selector(t, function), *fits = NULL,
                      *exact = t->options->strict ? NULL : sol_call_data(t, function);
    if (exact != NULL) {
        t->left_out = true;
        fits = term_eq(t->store, t->sent, exact);
    } else if (selector != NULL) {
        fits = term_eq(t->store, sol_fixed_bytes(t, t->sent, sol_type_of(t->types, "bytes4"), at),
                       selector);
    }
    if (fits != NULL)
        sol_assume(
            t, term_or2(t->store, term_not(t->store, term_eq(t->store, t->callee, t->self)), fits),
            at);
}

// The contract calls itself only where it calls the address that it has.
static void assume_caller(struct sol_translator *t, const struct sol_node *function,
                          const struct sol_node *at)
{
    const struct term *other = term_not(t->store, term_eq(t->store, t->sender, t->self));
    if (t->callbacks == 0 || (t->callee == NULL && !t->lent))
        sol_assume(t, other, at);
    else if (!t->lent)
        sol_assume(t,
                   term_ite(t->store, term_eq(t->store, t->callee, t->self),
                            term_eq(t->store, t->sender, t->caller), other),
                   at);
    if (t->callbacks > 0 && !t->lent && t->callee != NULL && t->sent != NULL && function != NULL &&
        !sol_bits(t))
        assume_sent(t, function, at);
}

static void set_sender(struct sol_translator *t, const struct sol_node *function,
                       const struct sol_node *at)
{
    const struct sol_type *address = sol_type_of(t->types, "address"),
                          *number = sol_type_of(t->types, "uint256");
    t->sender = sol_any(t, "msg.sender", address, true, at);
    sol_assume(t, term_not(t->store, term_eq(t->store, t->sender, sol_default(t, address))), at);
    assume_caller(t, function, at);
    bool payable = function != NULL && (function->flags & SOL_IS_PAYABLE) && !t->reads_only;
    t->value = payable ? sol_any(t, "msg.value", number, true, at) : sol_default(t, number);
    t->selector = sol_selector(t, function);
    if (t->reads_data)
        t->data = any_data(t, function, at);
    sol_force_ether(t, at);
    if (t->callbacks > 0)
        return; // in the same block
    later(t, "now", at);
    later(t, "block", at);
    set_surroundings(t, at);
}

static void use_annotations(struct sol_translator *t, struct sol_annotations a,
                            enum sol_annotation_kind kind, bool assumed, const char *what,
                            const struct sol_node *at)
{
    for (size_t i = 0; i < a.count && !t->failed && t->now != NULL; i++) {
        if (a.data[i].kind != kind)
            continue;
        const struct term *condition = sol_condition(t, a.data[i].condition, !assumed);
        if (assumed)
            sol_assume(t, condition, at);
        else
            sol_check(t, condition, what, at);
    }
}

static bool is_public(const struct sol_node *function)
{
    return sol_node_is_open(function) || (function->flags & SOL_IS_FALLBACK);
}

void sol_run_public(struct sol_translator *t, const struct sol_node *contract,
                    const struct sol_node *function)
{
    size_t scratch = t->scratch.count;
    const struct term *self = t->self;
    t->self = sol_literal(t, sol_type_of(t->types, "address"), SOL_SELF);
    sol_push(t, function, contract);
    bind_parameters(t, function);
    if (!t->failed)
        set_sender(t, function, function);
    struct sol_annotations annotations = sol_annotated(t, function);
    use_annotations(t, annotations, SOL_PRECONDITION, true, NULL, function);
    for (size_t i = 0; i < annotations.count && !t->failed; i++)
        sol_keep_olds(t, annotations.data[i].condition);
    if (t->modular && is_public(function))
        sol_assume_invariants(t, function);
    // Who breaks an invariant is who finds it whole.
    const struct term *held = t->held;
    if (!t->modular && t->function == function && !t->failed)
        t->held = sol_keep(t, "held", sol_invariants(t), function);
    if (!t->failed && (function->flags & SOL_IS_PAYABLE))
        add_value(t, function);
    if (!t->failed)
        sol_bind_results(t, function);
    struct sol_guards guards = {0};
    if (!t->failed && t->callbacks == 0 && (t->function == NULL || t->function == function))
        sol_guard(t, function, &annotations, &guards);
    struct location *outer_halt = t->halt;
    t->halt = sol_location(t);
    if (!t->failed)
        sol_body(t, function);
    if (!t->reads_only) {
        use_annotations(t, annotations, SOL_POSTCONDITION, false, SOL_FAIL_POSTCONDITION, function);
        sol_check_guards(t, &guards, function);
    }
    if (!t->failed && is_public(function) && !t->reads_only)
        sol_check_invariants(t, SOL_FAIL_INVARIANT, function);
    if (!t->failed) {
        sol_go(t, t->halt, function);
        t->now = t->halt;
    }
    t->halt = outer_halt;
    sol_pop(t);
    t->self = self;
    t->held = held;
    // What the transaction leaves behind in variables of its own means nothing any more.
    if (t->frame == NULL && !t->modular && !t->failed) {
        sol_flush(t, function);
        for (size_t i = scratch; i < t->scratch.count; i++)
            sol_assign(t, t->scratch.data[i], term_default(t->store, t->scratch.data[i]->sort),
                       function);
    }
}

static const struct sol_node *constructor_of(const struct sol_node *contract)
{
    for (size_t i = 0; i < contract->count; i++)
        if (contract->list[i] != NULL && contract->list[i]->kind == SOL_FUNCTION &&
            (contract->list[i]->flags & SOL_IS_CONSTRUCTOR))
            return contract->list[i];
    return NULL;
}

static void construct(struct sol_translator *t, const struct sol_node *contract)
{
    const struct sol_node *constructor = constructor_of(contract);
    size_t scratch = t->scratch.count;
    sol_each_root(t, contract, sol_zero);
    sol_push(t, constructor, contract);
    bind_parameters(t, constructor);
    if (!t->failed)
        set_sender(t, constructor, contract);
    t->deployed = true;
    if (!t->failed && constructor != NULL && (constructor->flags & SOL_IS_PAYABLE))
        add_value(t, contract);
    if (!t->failed)
        sol_construct(t, contract, NULL, NULL);
    if (!t->failed)
        sol_check_overflow(t, contract);
    if (!t->failed && constructor != NULL)
        use_annotations(t, sol_annotated(t, constructor), SOL_POSTCONDITION, false,
                        SOL_FAIL_POSTCONDITION, contract);
    if (!t->failed)
        sol_check_invariants(t, SOL_FAIL_INVARIANT, constructor != NULL ? constructor : contract);
    sol_pop(t);
    for (size_t i = scratch; i < t->scratch.count && !t->modular && !t->failed; i++)
        sol_assign(t, t->scratch.data[i], term_default(t->store, t->scratch.data[i]->sort),
                   contract);
}

static void make_root(struct sol_translator *t, const struct sol_slot *slot,
                      const struct sol_node *at)
{
    (void)t;
    (void)slot;
    (void)at;
}

// All that contracts of the file have: who forgets what others keep must know it, also what is first used behind that.
static void make_all_roots(struct sol_translator *t)
{
    const struct sol_node *contracts[512];
    size_t count = sol_tree_contracts(t->tree, contracts, 512);
    for (size_t c = 0; c < count && c < 512 && !t->failed; c++)
        if (!(contracts[c]->flags & (SOL_IS_LIBRARY | SOL_IS_INTERFACE | SOL_IS_ABSTRACT)))
            sol_each_root(t, contracts[c], make_root);
}

static void begin(struct sol_translator *t)
{
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    struct location *first = model_builder_location(t->builder, "start", PHASE_NONE, true);
    model_builder_initial(t->builder, first, model_skip(t->builder, t->contract->at));
    t->now = first;
    find_annotated_sums(t, t->contract);
    for (size_t b = 1; b < t->contract->order_count; b++)
        find_annotated_sums(t, sol_tree_node(t->tree, t->contract->order[b]));
    if (t->overflow != NULL)
        sol_assign(t, t->overflow, term_false(t->store), t->contract);
    sol_assign(t, t->next_object, term_int(t->store, 1), t->contract);
    sol_assume_range(t, number, term_select(t->store, t->balance->term, t->self), t->contract);
    sol_assume_range(t, number, model_builder_find(t->builder, "now")->term, t->contract);
    sol_assume_range(t, number, model_builder_find(t->builder, "block")->term, t->contract);
    if (t->has_instances) {
        make_all_roots(t);
        const struct sol_type *address = sol_type_of(t->types, "address");
        const struct term *kinds =
            term_store_at(t->store, t->kinds->term, t->self, term_int(t->store, t->contract->id));
        kinds = term_store_at(t->store, kinds, sol_default(t, address), term_int(t->store, 0));
        sol_assign(t, t->kinds, kinds, t->contract);
        sol_assign(t, model_builder_find(t->builder, "next address"),
                   sol_literal(t, address, "1000000000000000000000000000000007"), t->contract);
    }
}

static void destroy_view(struct model_view *view)
{
    memory_free(view);
}

static void add_view(struct sol_translator *t)
{
    struct sol_view *view = memory_zalloc(sizeof *view);
    view->base = (struct model_view){.kind = SOL_VIEW, .destroy = destroy_view};
    snprintf(view->asked, sizeof view->asked, "%s", t->options->asked);
    model_builder_view(t->builder, &view->base);
}

static struct model *end(struct sol_translator *t)
{
    struct model *model = NULL;
    if (!t->failed && t->options->asked != NULL && !t->modular)
        add_view(t);
    if (t->failed)
        model_builder_destroy(t->builder);
    else
        model = model_builder_finish(t->builder);
    finish(t);
    return model;
}

struct model *sol_function_model(struct sol_input *input, const struct sol_question *question,
                                 const struct sol_question_options *options,
                                 struct sol_notes *notes, struct messages *messages)
{
    struct sol_translator t;
    start(&t, input, question->contract, question->function, options, messages);
    make_globals(&t, true);
    begin(&t);
    const struct sol_node *function = question->function;
    t.function = NULL; // it alone runs
    if (function == NULL || (function->flags & SOL_IS_CONSTRUCTOR)) {
        construct(&t, question->contract);
    } else if (!t.failed) {
        sol_each_root(&t, question->contract, sol_forget);
        sol_each_root(&t, question->contract, assume_sum);
        sol_run_public(&t, question->contract, function);
    }
    if (!t.failed)
        sol_go(&t, model_builder_location(t.builder, "end", PHASE_NONE, true), question->contract);
    *notes = (struct sol_notes){.complete = true, .inexact = t.inexact};
    return end(&t);
}

static bool translate_contract(struct sol_translator *t, const struct sol_node *const *functions,
                               size_t count)
{
    make_globals(t, false);
    begin(t);
    construct(t, t->contract);
    struct location *rest =
        model_builder_location(t->builder, "between transactions", PHASE_NONE, true);
    if (!t->failed)
        sol_go(t, rest, t->contract);
    for (size_t i = 0; i < count && !t->failed; i++) {
        struct location *enter = sol_location(t);
        char label[160];
        snprintf(label, sizeof label, "call %.100s#%ld", functions[i]->name, functions[i]->id);
        model_builder_edge(t->builder, rest, enter, model_skip(t->builder, functions[i]->at), label,
                           functions[i]->at);
        t->now = enter;
        sol_run_public(t, t->contract, functions[i]);
        if (!t->failed)
            sol_go(t, rest, functions[i]);
    }
    return !t->failed;
}

// Is it supported with this one function?
static bool fits(struct sol_input *input, const struct sol_node *contract,
                 const struct sol_node *const *function, size_t count,
                 const struct sol_question_options *options, struct messages *messages)
{
    struct sol_translator t;
    start(&t, input, contract, NULL, options, messages);
    bool good = translate_contract(&t, function, count);
    model_builder_destroy(t.builder);
    finish(&t);
    return good;
}

static void note_left_out(struct sol_notes *notes, const struct messages *messages)
{
    for (size_t i = 0; i < messages->count && notes->left_out[0] == '\0'; i++) {
        const struct message *m = &messages->items[i];
        if (m->kind == MESSAGE_UNSUPPORTED || m->kind == MESSAGE_ERROR)
            snprintf(notes->left_out, sizeof notes->left_out, "%.100s:%u:%u: %.160s",
                     m->path != NULL ? m->path : "", m->line, m->column, m->text);
    }
}

struct model *sol_contract_model(struct sol_input *input, const struct sol_node *contract,
                                 const struct sol_node *function,
                                 const struct sol_question_options *options,
                                 struct sol_notes *notes, struct messages *messages)
{
    const struct sol_node *functions[SOL_MOST_PUBLIC];
    struct sol_translator t;
    struct messages quiet;
    start(&t, input, contract, function, options, messages);
    messages_init(&quiet);
    t.messages = &quiet;
    size_t count = sol_public_functions(&t, contract, functions), kept = 0;
    bool whole = translate_contract(&t, functions, count);
    *notes = (struct sol_notes){.complete = whole && (options->strict || !t.left_out)};
    note_left_out(notes, &quiet);
    t.messages = messages;
    if (!whole && options->strict) { // say why
        for (size_t i = 0; i < quiet.count; i++)
            message_add(
                messages, quiet.items[i].kind,
                (struct position){quiet.items[i].path, quiet.items[i].line, quiet.items[i].column},
                "%s", quiet.items[i].text);
    } else if (!whole) {
        model_builder_destroy(t.builder);
        finish(&t);
        messages_finish(&quiet);
        messages_init(&quiet);
        if (!fits(input, contract, NULL, 0, options, messages)) {
            messages_finish(&quiet);
            return NULL;
        }
        for (size_t i = 0; i < count; i++)
            if (fits(input, contract, &functions[i], 1, options, &quiet))
                functions[kept++] = functions[i];
        start(&t, input, contract, function, options, messages);
        translate_contract(&t, functions, kept);
    }
    messages_finish(&quiet);
    ENSURE(whole || !notes->complete);
    notes->inexact = t.inexact;
    return end(&t);
}

// Inputs.

static bool is_question(const struct sol_node *function)
{
    return function != NULL && function->kind == SOL_FUNCTION && function->part[2] != NULL;
}

static const char *question_name(struct sol_input *input, const struct sol_node *contract,
                                 const struct sol_node *function)
{
    struct text text;
    text_init(&text);
    const char *name = function == NULL || (function->flags & SOL_IS_CONSTRUCTOR) ? "constructor"
                       : function->name[0] == '\0'                                ? "fallback"
                                                                                  : function->name;
    text_printf(&text, "%s.%s", contract->name, name);
    size_t same = 0;
    for (size_t i = 0; function != NULL && i < contract->count; i++)
        same +=
            is_question(contract->list[i]) && strcmp(contract->list[i]->name, function->name) == 0;
    if (same > 1 && function->part[0] != NULL) {
        text_add_char(&text, '(');
        for (size_t i = 0; i < function->part[0]->count; i++)
            text_printf(&text, "%s%s", i ? "," : "", function->part[0]->list[i]->type);
        text_add_char(&text, ')');
    }
    const char *kept = arena_strdup(&input->arena, text_string(&text));
    text_finish(&text);
    return kept;
}

static void add_question(struct sol_input *input, const struct sol_node *contract,
                         const struct sol_node *function)
{
    struct sol_question *q = &input->questions[input->question_count++];
    *q = (struct sol_question){question_name(input, contract, function), contract, function};
}

static void find_questions(struct sol_input *input)
{
    const struct sol_node *contracts[512];
    size_t count = sol_tree_contracts(input->tree, contracts, 512), most = 0;
    for (size_t c = 0; c < count && c < 512; c++)
        most += contracts[c]->count + 1; // its functions, and the constructor that nobody wrote
    input->questions = arena_zalloc(&input->arena, (most + 1) * sizeof *input->questions);
    for (size_t c = 0; c < count && c < 512; c++) {
        const struct sol_node *contract = contracts[c];
        if (contract->flags & SOL_IS_INTERFACE)
            continue;
        if (constructor_of(contract) == NULL && !(contract->flags & SOL_IS_LIBRARY) &&
            sol_annotation(&input->arena, contract->comment, "invariant", 0) != NULL)
            add_question(input, contract, NULL);
        for (size_t i = 0; i < contract->count; i++)
            if (is_question(contract->list[i]))
                add_question(input, contract, contract->list[i]);
    }
    assert(input->question_count <= most);
}

struct sol_input *sol_input_of_tree(struct sol_tree *tree)
{
    struct sol_input *input = memory_zalloc(sizeof *input);
    arena_init(&input->arena);
    input->tree = tree;
    input->types = sol_types_create(tree);
    find_questions(input);
    return input;
}

struct sol_input *sol_input_open(const char *path, struct messages *messages)
{
    struct sol_tree *tree = sol_tree_read(path, messages);
    return tree != NULL ? sol_input_of_tree(tree) : NULL;
}

void sol_input_close(struct sol_input *input)
{
    if (input == NULL)
        return;
    sol_types_destroy(input->types);
    sol_tree_destroy(input->tree);
    arena_finish(&input->arena);
    memory_free(input);
}
