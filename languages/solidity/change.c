#include <string.h>

#include "languages/solidity/assembly.h"
#include "languages/solidity/translate.h"

// Which variables a piece of code can change; calls are followed. An over-approximation: what is not understood may change
// everything.

static void add(struct sol_changes *out, const struct sol_node *declaration)
{
    for (size_t i = 0; i < out->variables.count; i++)
        if (out->variables.data[i] == declaration)
            return;
    VECTOR_PUSH(&out->variables, declaration);
}

static void add_target(struct sol_translator *t, const struct sol_node *node,
                       struct sol_changes *out)
{
    while (
        node->kind == SOL_INDEX ||
        (node->kind == SOL_MEMBER && sol_node_type(t->types, node->part[0])->kind != SOL_T_UNKNOWN))
        node = node->part[0];
    if (node->kind == SOL_TUPLE) {
        for (size_t i = 0; i < node->count; i++)
            if (node->list[i] != NULL)
                add_target(t, node->list[i], out);
        return;
    }
    const struct sol_node *declaration = sol_tree_node(t->tree, node->reference);
    if (declaration == NULL || declaration->kind != SOL_VARIABLE) {
        out->everything = true;
        return;
    }
    const struct sol_type *type = sol_node_type(t->types, declaration);
    if (!(declaration->flags & SOL_IS_STATE) &&
        sol_type_is_reference(type)) // what the pointer leads to
        *(type->place == SOL_MEMORY ? &out->memory : &out->everything) = true;
    add(out, declaration);
}

struct walk {
    struct sol_translator *t;
    bool closed; // what other code does by calling back is asked for anyway
    struct sol_changes *out;
    const struct sol_node *seen[200];
    size_t count;
};

static void walk(struct walk *w, const struct sol_node *node);

static void enter(struct walk *w, const struct sol_node *function)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->seen[i] == function)
            return;
    if (w->count == 200) {
        w->out->everything = w->out->balances = true;
        return;
    }
    w->seen[w->count++] = function;
    for (size_t i = 0; i < function->count; i++) {
        const struct sol_node *modifier =
            sol_tree_node(w->t->tree, function->list[i]->part[0]->reference);
        if (modifier != NULL && modifier->kind == SOL_MODIFIER) {
            const struct sol_node *found =
                sol_find_function(w->t, w->t->contract, modifier->name, modifier, 0);
            walk(w, (found != NULL ? found : modifier)->part[2]);
        }
        walk(w, function->list[i]);
    }
    if (function->part[2] == NULL) { // what a contract that derives from this one makes of it
        bool reads = (function->flags & SOL_IS_VIEW) && w->t->tree->minor >= 5;
        w->out->memory = true;
        w->out->everything |= !reads;
        w->out->balances |= !reads;
    }
    walk(w, function->part[2]);
}

// Which one `super` means depends on the contract: all of that name, base by base.
static void enter_all(struct walk *w, const struct sol_node *target)
{
    for (size_t b = 0; b < w->t->contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(w->t->tree, w->t->contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count; i++)
            if (base->list[i] != NULL && base->list[i]->kind == SOL_FUNCTION &&
                strcmp(base->list[i]->name, target->name) == 0)
                enter(w, base->list[i]);
    }
}

static bool is_harmless(const struct sol_node *callee, const char *name)
{
    static const char *const names[] = {
        "require", "assert", "revert",    "keccak256", "sha3", "sha256", "ripemd160", "ecrecover",
        "addmod",  "mulmod", "blockhash", "gasleft",   "type", "sum",    "old"};
    for (size_t i = 0; callee->kind == SOL_IDENTIFIER && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return callee->kind == SOL_MEMBER && callee->part[0]->kind == SOL_IDENTIFIER &&
           strcmp(callee->part[0]->name, "abi") == 0;
}

// Does the call run code of somebody else in a place of its own?
static bool leaves(struct sol_translator *t, const struct sol_node *callee)
{
    callee = sol_node_without_options(callee);
    if (callee->kind == SOL_NEW)
        return true;
    if (callee->kind == SOL_CALL)
        return leaves(t, callee->part[0]);
    if (callee->kind != SOL_MEMBER || strcmp(callee->name, "delegatecall") == 0 ||
        strcmp(callee->name, "callcode") == 0)
        return false;
    if (callee->part[0]->kind == SOL_MEMBER &&
        (strcmp(callee->name, "value") == 0 || strcmp(callee->name, "gas") == 0))
        return leaves(t, callee->part[0]);
    enum sol_type_kind kind = sol_node_type(t->types, callee->part[0])->kind;
    return kind == SOL_T_ADDRESS || kind == SOL_T_CONTRACT;
}

static void call(struct walk *w, const struct sol_node *node)
{
    struct sol_translator *t = w->t;
    const struct sol_node *callee = node->part[0];
    const struct sol_node *target = sol_tree_node(t->tree, callee->reference);
    if (node->flags & (SOL_IS_CONVERSION | SOL_IS_STRUCT_MAKER))
        return;
    if (target != NULL && target->kind == SOL_EVENT)
        return;
    if (target != NULL && target->kind == SOL_FUNCTION && callee->kind == SOL_MEMBER &&
        callee->part[0] != NULL && callee->part[0]->kind == SOL_IDENTIFIER &&
        strcmp(callee->part[0]->name, "super") == 0) {
        enter_all(w, target);
        return;
    }
    if (target != NULL && target->kind == SOL_FUNCTION &&
        (callee->kind == SOL_IDENTIFIER || callee->part[0] == NULL ||
         sol_node_type(t->types, callee->part[0])->kind != SOL_T_CONTRACT)) {
        enter(w, callee->kind == SOL_IDENTIFIER ? sol_resolve(t, t->contract, target) : target);
        return;
    }
    if (target == NULL && is_harmless(callee, callee->name))
        return;
    if (callee->kind == SOL_MEMBER &&
        (strcmp(callee->name, "push") == 0 || strcmp(callee->name, "pop") == 0)) {
        add_target(t, callee->part[0], w->out);
        return;
    }
    if (callee->kind == SOL_MEMBER &&
        (strcmp(callee->name, "transfer") == 0 || strcmp(callee->name, "send") == 0) &&
        sol_node_type(t->types, callee->part[0])->kind == SOL_T_ADDRESS) {
        w->out->balances = true;
        return;
    }
    if (callee->kind == SOL_NEW && sol_node_type(t->types, node)->kind != SOL_T_CONTRACT)
        return;
    w->out->balances = true;
    if (w->closed && leaves(t, callee))
        return;
    w->out->everything = w->out->balances = true;
}

static void assembly(struct walk *w, const struct sol_node *node)
{
    struct sol_assembly a;
    sol_assembly_read(w->t->tree, node, &a);
    bool known = a.refused[0] == '\0';
    w->out->everything |= !known || a.stores;
    w->out->memory |= !known;
    w->out->balances |= !known;
    for (size_t i = 0; i < a.assigned_count; i++)
        add(w->out, a.assigned[i]);
}

static void walk(struct walk *w, const struct sol_node *node)
{
    if (node == NULL)
        return;
    if (node->kind == SOL_ASSIGNMENT)
        add_target(w->t, node->part[0], w->out);
    if (node->kind == SOL_UNARY &&
        (strcmp(node->name, "++") == 0 || strcmp(node->name, "--") == 0 ||
         strcmp(node->name, "delete") == 0))
        add_target(w->t, node->part[0], w->out);
    if (node->kind == SOL_ASSEMBLY)
        assembly(w, node);
    if (node->kind == SOL_CALL)
        call(w, node);
    for (int i = 0; i < SOL_PARTS; i++)
        walk(w, node->part[i]);
    for (size_t i = 0; i < node->count; i++)
        walk(w, node->list[i]);
}

static void find_changes(struct sol_translator *t, const struct sol_node *node, bool closed,
                         struct sol_changes *out)
{
    struct walk *w = memory_zalloc(sizeof *w);
    w->t = t;
    w->closed = closed;
    w->out = out;
    if (node->kind == SOL_FUNCTION)
        enter(w, node);
    else
        walk(w, node);
    memory_free(w);
}

void sol_changes_of(struct sol_translator *t, const struct sol_node *node, struct sol_changes *out)
{
    find_changes(t, node, false, out);
}

static bool asserts(struct sol_translator *t, const struct sol_node *node, unsigned *steps)
{
    if (node == NULL || *steps == 0)
        return node != NULL; // too much to look at: it may
    --*steps;
    if (node->kind == SOL_CALL && node->part[0]->kind == SOL_IDENTIFIER &&
        strcmp(node->part[0]->name, "assert") == 0)
        return true;
    const struct sol_node *called = sol_tree_node(t->tree, node->reference);
    bool code = called != NULL && (called->kind == SOL_FUNCTION || called->kind == SOL_MODIFIER) &&
                (node->kind == SOL_IDENTIFIER || node->kind == SOL_MEMBER) &&
                called != node->parent;
    if (code && called->kind == SOL_FUNCTION)
        called = sol_resolve(t, t->contract, called);
    bool found = code && asserts(t, called->part[2], steps);
    for (int i = 0; i < SOL_PARTS && !found; i++)
        found = asserts(t, node->part[i], steps);
    for (size_t i = 0; i < node->count && !found; i++)
        found = asserts(t, node->list[i], steps);
    return found;
}

bool sol_asserts(struct sol_translator *t, const struct sol_node *function)
{
    unsigned steps = 20000;
    return asserts(t, function, &steps);
}

// May what the node itself does revert in the way that `catch Error` or `catch Panic` takes? What other contracts answer is
// handed on, so calls of them may.
static bool reverts_here(struct sol_translator *t, const struct sol_node *node, bool panics)
{
    const char *o = node->name;
    const struct sol_node *callee =
        node->kind == SOL_CALL ? sol_node_without_options(node->part[0]) : NULL;
    bool built_in = callee != NULL && callee->kind == SOL_IDENTIFIER &&
                    sol_tree_node(t->tree, callee->reference) == NULL;
    if (node->kind == SOL_ASSEMBLY || node->kind == SOL_NEW)
        return true;
    if (callee != NULL && callee->kind == SOL_MEMBER) {
        enum sol_type_kind kind = sol_node_type(t->types, callee->part[0])->kind;
        return kind == SOL_T_CONTRACT || kind == SOL_T_ADDRESS ||
               (panics && strcmp(callee->name, "pop") == 0);
    }
    if (callee != NULL && !built_in && !(node->flags & SOL_IS_CONVERSION) &&
        callee->kind != SOL_IDENTIFIER)
        return true; // by a pointer, or in another way
    const struct sol_node *named =
        callee != NULL ? sol_tree_node(t->tree, callee->reference) : NULL;
    if (named != NULL && named->kind == SOL_VARIABLE)
        return true;
    if (!panics)
        return built_in && ((strcmp(callee->name, "require") == 0 && node->count > 1) ||
                            (strcmp(callee->name, "revert") == 0 && node->count > 0));
    return (built_in && strcmp(callee->name, "assert") == 0) || node->kind == SOL_INDEX ||
           ((node->flags & SOL_IS_CONVERSION) && node->kind == SOL_CALL &&
            sol_node_type(t->types, node)->kind == SOL_T_ENUM) ||
           (node->kind == SOL_BINARY && strchr("+-*/%", *o) != NULL) ||
           (node->kind == SOL_UNARY && (*o == '+' || *o == '-')) ||
           (node->kind == SOL_ASSIGNMENT && *o != '=' && strchr("+-*/%", *o) != NULL);
}

static bool reverts(struct sol_translator *t, const struct sol_node *node, bool panics,
                    unsigned *steps)
{
    if (node == NULL || *steps == 0)
        return node != NULL; // too much to look at: it may
    --*steps;
    if (reverts_here(t, node, panics))
        return true;
    const struct sol_node *called = sol_tree_node(t->tree, node->reference);
    bool code = called != NULL && (called->kind == SOL_FUNCTION || called->kind == SOL_MODIFIER) &&
                (node->kind == SOL_IDENTIFIER || node->kind == SOL_MEMBER);
    if (code) {
        const struct sol_node *found =
            called->kind == SOL_FUNCTION
                ? sol_resolve(t, t->contract, called)
                : sol_find_function(t, t->contract, called->name, called, 0);
        called = found != NULL ? found : called;
        if (called->part[2] == NULL || reverts(t, called, panics, steps))
            return true;
    }
    for (int i = 0; i < SOL_PARTS; i++)
        if (reverts(t, node->part[i], panics, steps))
            return true;
    for (size_t i = 0; i < node->count; i++)
        if (reverts(t, node->list[i], panics, steps))
            return true;
    return false;
}

bool sol_may_revert(struct sol_translator *t, const struct sol_node *function, const char *clause)
{
    unsigned steps = 20000;
    bool panics = strcmp(clause, "Panic") == 0;
    if (!panics && strcmp(clause, "Error") != 0)
        return true;
    return function->part[2] == NULL || reverts(t, function, panics, &steps);
}

static void find_changes_by_anyone(struct sol_translator *t)
{
    const struct sol_node *functions[SOL_MOST_PUBLIC];
    size_t count = sol_public_functions(t, t->contract, functions);
    t->by_anyone = arena_zalloc(&t->arena, sizeof *t->by_anyone);
    for (size_t i = 0; i < count; i++)
        find_changes(t, functions[i], true, t->by_anyone);
}

bool sol_anyone_changes(struct sol_translator *t, const struct sol_node *variable)
{
    if (t->by_anyone == NULL)
        find_changes_by_anyone(t);
    for (size_t i = 0; i < t->by_anyone->variables.count; i++)
        if (t->by_anyone->variables.data[i] == variable)
            return true;
    return t->by_anyone->everything;
}

static bool names(const struct sol_node *place, const struct sol_node *variable)
{
    if (place->kind == SOL_IDENTIFIER)
        return place->reference == variable->id;
    bool found = false;
    for (int i = 0; i < SOL_PARTS; i++)
        found |= place->part[i] != NULL && names(place->part[i], variable);
    for (size_t i = 0; i < place->count; i++)
        found |= place->list[i] != NULL && names(place->list[i], variable);
    return found;
}

// What is written to a variable, as far as the text of each assignment says it.
struct writes {
    const struct sol_node *variable;
    bool grow;                          // each adds something, and reverts where that does not fit
    bool constants;                     // each is of a literal
    const struct sol_node *literals[8]; // those
    size_t count;
};

static bool is_literal(const struct sol_node *node)
{
    return node->kind == SOL_LITERAL &&
           (strcmp(node->word, "number") == 0 || strcmp(node->word, "bool") == 0);
}

static bool is_variable(const struct sol_node *node, const struct sol_node *variable)
{
    return node != NULL && node->kind == SOL_IDENTIFIER && node->reference == variable->id;
}

static void note_assignment(struct writes *w, const struct sol_node *node, bool checked)
{
    const struct sol_node *right = node->part[1];
    bool plain = is_variable(node->part[0], w->variable), set = strcmp(node->name, "=") == 0;
    bool adds = strcmp(node->name, "+=") == 0 ||
                (set && right->kind == SOL_BINARY && strcmp(right->name, "+") == 0 &&
                 is_variable(right->part[0], w->variable));
    w->grow = w->grow && plain && checked && adds;
    w->constants = w->constants && plain && set && is_literal(right) &&
                   w->count < sizeof w->literals / sizeof w->literals[0];
    if (w->constants)
        w->literals[w->count++] = right;
}

static void note_writes(struct writes *w, const struct sol_node *node, bool checked)
{
    if (node == NULL)
        return;
    checked = checked && node->kind != SOL_UNCHECKED;
    if (node->kind == SOL_ASSIGNMENT && names(node->part[0], w->variable))
        note_assignment(w, node, checked);
    bool steps = node->kind == SOL_UNARY &&
                 (strcmp(node->name, "++") == 0 || strcmp(node->name, "--") == 0 ||
                  strcmp(node->name, "delete") == 0);
    if (steps && names(node->part[0], w->variable)) {
        w->constants = false;
        w->grow = w->grow && checked && strcmp(node->name, "++") == 0 &&
                  is_variable(node->part[0], w->variable);
    }
    for (int i = 0; i < SOL_PARTS; i++)
        note_writes(w, node->part[i], checked);
    for (size_t i = 0; i < node->count; i++)
        note_writes(w, node->list[i], checked);
}

// By all functions and modifiers but constructors. False: there may be others.
static bool find_writes(struct sol_translator *t, struct writes *w)
{
    if (t->by_anyone == NULL)
        find_changes_by_anyone(t);
    if (t->by_anyone->everything)
        return false;
    for (size_t b = 0; b < t->contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(t->tree, t->contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count; i++) {
            const struct sol_node *f = base->list[i];
            if (f != NULL && !(f->flags & SOL_IS_CONSTRUCTOR) && f->kind != SOL_VARIABLE)
                note_writes(w, f, t->tree->minor >= 8);
        }
    }
    return true;
}

const struct term *sol_possible_change(struct sol_translator *t, const struct sol_node *variable,
                                       const struct term *before, const struct term *after)
{
    const struct sol_type *type = sol_node_type(t->types, variable);
    struct writes w = {.variable = variable,
                       .grow = type->kind == SOL_T_UINT,
                       .constants = type->kind == SOL_T_UINT || type->kind == SOL_T_BOOL};
    if (!sol_type_is_value(type) || !find_writes(t, &w))
        return term_true(t->store);
    if (w.grow)
        return sol_compare(t, "<=", type, before, after, variable);
    const struct term *known = term_eq(t->store, before, after);
    for (size_t i = 0; w.constants && i < w.count; i++)
        known = term_or2(t->store, known,
                         term_eq(t->store, after, sol_term_as(t, w.literals[i], type)));
    return w.constants ? known : term_true(t->store);
}

void sol_changes_finish(struct sol_changes *changes)
{
    VECTOR_FINISH(&changes->variables);
}

static void forget_memory(struct sol_translator *t, const struct sol_node *at)
{
    for (size_t i = 0; i < t->memory.count; i++) {
        const struct sol_slot *slot = t->memory.data[i].slot;
        struct sol_slot copy = *slot;
        bool instances = t->has_instances;
        t->has_instances = false;
        sol_forget(t, &copy, at);
        t->has_instances = instances;
    }
}

void sol_forget_changes(struct sol_translator *t, const struct sol_changes *changes,
                        const struct sol_node *at)
{
    for (size_t b = 0; changes->everything && b < t->contract->order_count; b++) {
        const struct sol_node *base = sol_tree_node(t->tree, t->contract->order[b]);
        for (size_t i = 0; base != NULL && i < base->count; i++) {
            const struct sol_node *v = base->list[i];
            if (v != NULL && v->kind == SOL_VARIABLE && (v->flags & SOL_IS_STATE) &&
                !(v->flags & SOL_IS_CONSTANT))
                sol_forget(t, sol_root(t, v), at);
        }
    }
    for (size_t i = 0; changes->everything && i < t->roots.count; i++)
        if (!(t->roots.data[i].declaration->flags & SOL_IS_STATE)) // a parameter of a library
            sol_forget(t, t->roots.data[i].slot, at);
    if (changes->everything || changes->memory)
        forget_memory(t, at);
    for (size_t i = 0; i < changes->variables.count && !t->failed; i++) {
        const struct sol_node *v = changes->variables.data[i];
        if (v->flags & SOL_IS_STATE) {
            if (!changes->everything && !(v->flags & SOL_IS_CONSTANT))
                sol_forget(t, sol_root(t, v), at);
            continue;
        }
        for (struct sol_binding *binding = t->frame->bindings; binding != NULL;
             binding = binding->next)
            if (binding->declaration == v && binding->variable != NULL) {
                sol_havoc(t, binding->variable, at);
                if (!sol_type_is_reference(binding->type))
                    sol_assume_range(t, binding->type, binding->variable->term, at);
            }
    }
    if (changes->balances) {
        sol_havoc(t, t->balance, at);
        sol_assume_range(t, sol_type_of(t->types, "uint256"),
                         term_select(t->store, t->balance->term, t->self), at);
    }
}
