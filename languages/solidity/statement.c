#include <string.h>

#include "base/ensure.h"
#include "languages/solidity/assembly.h"
#include "languages/solidity/translate.h"

// Statements: what runs do one after another, where they part and meet.

static void block(struct sol_translator *t, const struct sol_node *node)
{
    bool before = t->frame->unchecked;
    if (node->kind == SOL_UNCHECKED)
        t->frame->unchecked = true;
    for (size_t i = 0; i < node->count && t->now != NULL && !t->failed; i++)
        sol_statement(t, node->list[i]);
    t->frame->unchecked = before;
}

static void if_statement(struct sol_translator *t, const struct sol_node *node)
{
    const struct term *condition = sol_truth_of(t, node->part[0]);
    if (t->failed)
        return;
    if (t->overflow_pending)
        condition = sol_keep(t, "condition", condition, node);
    sol_check_overflow(t, node);
    struct location *yes = sol_location(t), *no = sol_location(t), *after = sol_location(t);
    sol_branch(t, condition, yes, no, node);
    t->now = yes;
    sol_statement(t, node->part[1]);
    sol_check_overflow(t, node);
    sol_go(t, after, node);
    t->now = no;
    if (node->part[2] != NULL && !t->failed)
        sol_statement(t, node->part[2]);
    sol_check_overflow(t, node);
    sol_go(t, after, node);
    t->now = after;
}

// Loops.

struct loop {
    const struct sol_node *node, *condition, *body, *step;
    bool test_last; // do … while
};

static void check_loop(struct sol_translator *t, struct sol_annotations annotations,
                       const struct sol_node *at)
{
    for (size_t i = 0; i < annotations.count && !t->failed && t->now != NULL; i++)
        sol_check(t, sol_condition(t, annotations.data[i].condition, true), SOL_FAIL_LOOP, at);
}

static void assume_loop(struct sol_translator *t, struct sol_annotations annotations,
                        const struct sol_node *at)
{
    for (size_t i = 0; i < annotations.count && !t->failed && t->now != NULL; i++)
        sol_assume(t, sol_condition(t, annotations.data[i].condition, false), at);
}

static const struct term *loop_condition(struct sol_translator *t, const struct loop *loop)
{
    const struct term *condition =
        loop->condition != NULL ? sol_truth_of(t, loop->condition) : term_true(t->store);
    if (t->overflow_pending && !t->failed)
        condition = sol_keep(t, "condition", condition, loop->node);
    return condition;
}

static void run_loop_body(struct sol_translator *t, const struct loop *loop, struct location *after)
{
    struct sol_frame *frame = t->frame;
    struct location *next = frame->next, *broken = frame->broken, *step = sol_location(t);
    frame->next = step;
    frame->broken = after;
    sol_statement(t, loop->body);
    ENSURE(t->frame == frame && frame->next == step && frame->broken == after);
    frame->next = next;
    frame->broken = broken;
    sol_check_overflow(t, loop->node);
    sol_go(t, step, loop->node);
    t->now = step;
    if (loop->step != NULL && !t->failed)
        sol_statement(t, loop->step);
    sol_check_overflow(t, loop->node);
}

// In a function alone it has a name, by which a proof's condition on the loop is found.
static struct location *loop_head(struct sol_translator *t, const struct sol_node *node)
{
    char name[80];
    snprintf(name, sizeof name, SOL_LOOP "%u:%u", node->at.line, node->at.column);
    bool alone = t->modular && t->frame != NULL && t->frame->outer == NULL;
    struct location *head =
        alone ? model_builder_location(t->builder, name, PHASE_NONE, true) : NULL;
    return head != NULL ? head : sol_location(t); // a body that runs twice has its name already
}

// The loop as it is: a cycle of locations.
static void run_cycle(struct sol_translator *t, const struct loop *loop,
                      struct sol_annotations annotations)
{
    struct location *head = loop_head(t, loop->node), *body = sol_location(t),
                    *after = sol_location(t);
    sol_check_overflow(t, loop->node);
    check_loop(t, annotations, loop->node);
    sol_go(t, loop->test_last ? body : head, loop->node);
    t->now = body;
    run_loop_body(t, loop, after);
    check_loop(t, annotations, loop->node);
    sol_go(t, head, loop->node);
    t->now = head;
    if (!t->failed) {
        const struct term *condition = loop_condition(t, loop);
        sol_check_overflow(t, loop->node);
        if (!t->failed)
            sol_branch(t, condition, body, after, loop->node);
    }
    t->now = after;
}

// By its invariant: one arbitrary round, then what follows the last one.
static void run_by_invariant(struct sol_translator *t, const struct loop *loop,
                             struct sol_annotations annotations)
{
    const struct sol_node *node = loop->node;
    struct sol_changes changes = {0};
    struct location *body = sol_location(t), *leave = sol_location(t), *after = sol_location(t);
    sol_check_overflow(t, node);
    if (loop->test_last) { // the body runs once before anything is asked
        struct location *tested = sol_location(t);
        run_loop_body(t, loop, after);
        sol_go(t, tested, node);
        t->now = tested;
    }
    check_loop(t, annotations, node);
    sol_changes_of(t, loop->body, &changes);
    if (loop->step != NULL)
        sol_changes_of(t, loop->step, &changes);
    if (loop->condition != NULL)
        sol_changes_of(t, loop->condition, &changes);
    sol_forget_changes(t, &changes, node);
    sol_changes_finish(&changes);
    assume_loop(t, annotations, node);
    const struct term *condition = t->failed ? NULL : loop_condition(t, loop);
    if (t->failed)
        return;
    sol_check_overflow(t, node);
    sol_branch(t, condition, body, leave, node);
    t->now = body;
    run_loop_body(t, loop, after);
    check_loop(t, annotations, node);
    sol_stop(t, node);
    t->now = leave;
    sol_go(t, after, node);
    t->now = after;
}

static void loop_statement(struct sol_translator *t, const struct sol_node *node)
{
    struct loop loop = {node, node->part[0], node->part[1],
                        node->kind == SOL_FOR ? node->part[3] : NULL, node->kind == SOL_DO};
    if (node->kind == SOL_FOR && node->part[2] != NULL)
        sol_statement(t, node->part[2]);
    struct sol_annotations annotations =
        t->failed ? (struct sol_annotations){0} : sol_annotated(t, node);
    if (t->failed)
        return;
    if (t->modular && annotations.count > 0)
        run_by_invariant(t, &loop, annotations);
    else
        run_cycle(t, &loop, annotations);
}

// Declarations.

static void declare(struct sol_translator *t, const struct sol_node *node)
{
    struct sol_value value = {0};
    if (node->part[0] != NULL) {
        const struct sol_type *type = node->count == 1 && node->list[0] != NULL
                                          ? sol_node_type(t->types, node->list[0])
                                          : NULL;
        value = type != NULL && sol_type_is_value(type)
                    ? sol_single(type, sol_term_as(t, node->part[0], type))
                    : sol_value_of(t, node->part[0]);
    }
    for (size_t i = 0; i < node->count && !t->failed; i++) {
        const struct sol_node *v = node->list[i];
        if (v == NULL)
            continue;
        struct sol_binding *binding = sol_bind(t, v);
        if (t->failed)
            return;
        struct sol_lvalue place = {.type = binding->type,
                                   .variable = binding->variable,
                                   .binding = binding->variable != NULL ? NULL : binding};
        if (node->part[0] != NULL && node->count > 1) {
            if (i >= value.item_count) {
                sol_not_supported(t, node, "a declaration of %zu variables from one value",
                                  node->count);
                return;
            }
            if (value.items[i].type != NULL)
                sol_write(t, place, value.items[i], v);
        } else if (node->part[0] != NULL) {
            if (binding->variable == NULL)
                binding->pointer = (struct sol_value){0};
            sol_write(t, place, value, v);
        } else if (binding->variable != NULL) {
            if (sol_type_is_reference(binding->type)) {
                struct sol_value made = sol_allocate(t, binding->type, NULL, v);
                if (!t->failed)
                    sol_assign(t, binding->variable, made.term, v);
            } else {
                sol_assign(t, binding->variable, sol_default(t, binding->type), v);
            }
        }
    }
}

static void return_statement(struct sol_translator *t, const struct sol_node *node)
{
    struct sol_frame *frame = t->frame;
    if (node->part[0] != NULL) {
        const struct sol_node *list = frame->function != NULL && frame->function->part[1] != NULL
                                          ? frame->function->part[1]
                                          : NULL;
        if (list == NULL || frame->result_count != list->count) {
            sol_not_supported(t, node, "a return with a value here");
            return;
        }
        struct sol_value value;
        const struct sol_type *first =
            frame->result_count == 1 ? sol_node_type(t->types, list->list[0]) : NULL;
        if (first != NULL && sol_type_is_value(first))
            value = sol_single(first, sol_term_as(t, node->part[0], first));
        else
            value = sol_value_of(t, node->part[0]);
        if (t->failed)
            return;
        struct sol_value *items = frame->result_count == 1 ? &value : value.items;
        if (items == value.items && value.item_count != frame->result_count) {
            sol_not_supported(t, node, "a return of another number of values");
            return;
        }
        for (size_t i = 0; i < frame->result_count && items != NULL && !t->failed; i++) {
            const struct sol_type *type = sol_node_type(t->types, list->list[i]);
            struct sol_lvalue place = {.type = type, .variable = frame->results[i]};
            if (place.variable == NULL)
                place.binding = frame->result_bindings[i];
            if (items[i].type != NULL)
                sol_write(t, place, items[i], node);
        }
    }
    sol_check_overflow(t, node);
    sol_go(t, frame->leave, node);
}

// try f(…) returns (…) { … } catch … { … }. The call fails whenever it likes: nobody knows how much gas it is given. Functions of the
// contract itself give only reasons that are written in them.

// The function of the contract itself that is called; NULL = something else.
static const struct sol_node *own_callee(struct sol_translator *t, const struct sol_node *call)
{
    const struct sol_node *callee = sol_node_without_options(call->part[0]);
    if (callee == NULL || callee->kind != SOL_MEMBER || !sol_node_is_self(t->tree, callee->part[0]))
        return NULL;
    const struct sol_node *target = sol_tree_node(t->tree, callee->reference);
    bool known = target != NULL && target->kind == SOL_FUNCTION;
    return known ? sol_resolve(t, t->frame->contract, target) : NULL;
}

static void bind_results_of_try(struct sol_translator *t, const struct sol_node *list,
                                struct sol_value value, const struct sol_node *at)
{
    for (size_t i = 0; list != NULL && i < list->count && !t->failed; i++) {
        struct sol_binding *binding = sol_bind(t, list->list[i]);
        struct sol_value item = list->count == 1 && value.items == NULL ? value
                                : i < value.item_count                  ? value.items[i]
                                                                        : (struct sol_value){0};
        if (binding->variable == NULL || item.type == NULL) {
            sol_not_supported(t, at, "this result of a call that is tried");
            return;
        }
        sol_write(t, (struct sol_lvalue){.type = binding->type, .variable = binding->variable},
                  item, at);
    }
}

static void run_catch(struct sol_translator *t, const struct sol_node *clause)
{
    const struct sol_node *list = clause->part[0];
    for (size_t i = 0; list != NULL && i < list->count && !t->failed; i++) {
        struct sol_binding *binding = sol_bind(t, list->list[i]);
        if (!t->failed)
            sol_assign(t, binding->variable,
                       sol_any(t, "reason", binding->type, true, list->list[i]), list->list[i]);
    }
    sol_statement(t, clause->part[1]);
}

// What is worked out before the call is made.
static void run_operands(struct sol_translator *t, const struct sol_node *call)
{
    const struct sol_node *callee = call->part[0];
    for (; callee != NULL && callee->kind == SOL_CALL_OPTIONS; callee = callee->part[0])
        for (size_t i = 0; i < callee->count && !t->failed; i++)
            sol_value_of(t, callee->list[i]);
    if (callee != NULL && callee->kind == SOL_MEMBER)
        sol_value_of(t, callee->part[0]);
    for (size_t i = 0; i < call->count && !t->failed; i++)
        sol_value_of(t, call->list[i]);
}

static void try_statement(struct sol_translator *t, const struct sol_node *node)
{
    const struct sol_node *call = node->part[0];
    const struct sol_type *number = sol_type_of(t->types, "uint8");
    if (call->kind != SOL_CALL || node->count < 2) {
        sol_not_supported(t, node, "this try statement");
        return;
    }
    sol_check_overflow(t, node);
    const struct sol_node *own = own_callee(t, call);
    const struct term *fails = sol_any(t, "fails", sol_type_of(t->types, "bool"), true, node);
    struct location *yes = sol_location(t), *no = sol_location(t), *after = sol_location(t);
    sol_branch(t, fails, yes, no, node);
    t->now = no;
    struct sol_value value = sol_value_of(t, call);
    if (!t->failed)
        bind_results_of_try(t, node->list[0]->part[0], value, node);
    sol_check_overflow(t, node);
    if (!t->failed)
        sol_statement(t, node->list[0]->part[1]);
    sol_check_overflow(t, node);
    sol_go(t, after, node);
    t->now = yes;
    if (!t->failed)
        run_operands(t, call);
    const struct term *which = node->count > 2 && !t->failed
                                   ? sol_any(t, "clause", number, true, node)
                                   : sol_default(t, number);
    sol_check_overflow(t, node);
    for (size_t i = 1; i < node->count && !t->failed; i++) {
        struct location *enter = sol_location(t), *next = sol_location(t);
        bool last = i + 1 == node->count;
        sol_branch(t, term_eq(t->store, which, sol_number(t, which->sort, (int64_t)i - 1)), enter,
                   next, node);
        t->now = enter;
        if (own != NULL && !sol_may_revert(t, own, node->list[i]->name))
            sol_stop(t, node);
        run_catch(t, node->list[i]);
        sol_check_overflow(t, node);
        sol_go(t, after, node);
        t->now = next;
        if (last)
            sol_stop(t, node);
    }
    t->now = after;
}

static void jump(struct sol_translator *t, struct location *target, const struct sol_node *node)
{
    sol_check_overflow(t, node);
    if (target != NULL)
        sol_go(t, target, node);
}

// Inline assembly.

static void assign_anything(struct sol_translator *t, const struct sol_node *variable,
                            const struct sol_node *node)
{
    struct sol_binding *binding = sol_find_binding(t, variable->id);
    if (binding == NULL || binding->variable == NULL || !sol_type_is_value(binding->type)) {
        sol_not_supported(t, node, "inline assembly that assigns `%s`", variable->name);
        return;
    }
    sol_havoc(t, binding->variable, node);
    sol_assume_range(t, binding->type, binding->variable->term, node);
}

static void assign_code_size(struct sol_translator *t, const struct sol_assembly *a,
                             const struct sol_node *node)
{
    const struct sol_type *number = sol_type_of(t->types, "uint256");
    struct sol_binding *to = sol_find_binding(t, a->assigned[0]->id),
                       *of = sol_find_binding(t, a->account->id);
    bool plain = to != NULL && of != NULL && to->variable != NULL && of->variable != NULL &&
                 sol_type_same(to->type, number) &&
                 (of->type->kind == SOL_T_ADDRESS || of->type->kind == SOL_T_CONTRACT);
    if (!plain) {
        assign_anything(t, a->assigned[0], node);
        return;
    }
    const struct term *size = sol_any(t, "code size", number, true, node);
    sol_assume_code(t, of->variable->term, size, node);
    sol_assign(t, to->variable, size, node);
}

static void assembly(struct sol_translator *t, const struct sol_node *node)
{
    struct sol_assembly a;
    sol_assembly_read(t->tree, node, &a);
    if (a.refused[0] != '\0') {
        sol_not_supported(t, node, "inline assembly with `%s`", a.refused);
        return;
    }
    if (a.form == SOL_ASSEMBLY_REVERTS) {
        sol_stop(t, node);
        return;
    }
    if (a.form == SOL_ASSEMBLY_CODE_SIZE) {
        assign_code_size(t, &a, node);
        return;
    }
    struct sol_changes changes = {.everything = a.stores};
    sol_forget_changes(t, &changes, node);
    for (size_t i = 0; i < a.assigned_count && !t->failed; i++)
        assign_anything(t, a.assigned[i], node);
}

void sol_statement(struct sol_translator *t, const struct sol_node *node)
{
    if (t->now == NULL || t->failed || node == NULL)
        return;
    switch (node->kind) {
    case SOL_BLOCK:
    case SOL_UNCHECKED:
        block(t, node);
        break;
    case SOL_DECLARATION:
        declare(t, node);
        break;
    case SOL_EXPRESSION_STATEMENT:
        sol_value_of(t, node->part[0]);
        break;
    case SOL_IF:
        if_statement(t, node);
        break;
    case SOL_WHILE:
    case SOL_DO:
    case SOL_FOR:
        loop_statement(t, node);
        break;
    case SOL_BREAK:
        jump(t, t->frame->broken, node);
        break;
    case SOL_CONTINUE:
        jump(t, t->frame->next, node);
        break;
    case SOL_RETURN:
        return_statement(t, node);
        break;
    case SOL_THROW:
        sol_stop(t, node);
        break;
    case SOL_REVERT:
        sol_stop(t, node);
        break;
    case SOL_EMIT:
        for (size_t i = 0; i < node->part[0]->count && !t->failed; i++)
            sol_value_of(t, node->part[0]->list[i]);
        if (t->reads_only)
            sol_stop(t, node);
        break;
    case SOL_PLACEHOLDER:
        sol_next_layer(t);
        break;
    case SOL_ASSEMBLY:
        assembly(t, node);
        break;
    case SOL_TRY:
        try_statement(t, node);
        break;
    default:
        sol_not_supported(t, node, "this statement%s%s", node->kind == SOL_OTHER ? ": " : "",
                          node->kind == SOL_OTHER ? node->name : "");
        break;
    }
}
