#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "languages/solidity/assembly.h"
#include "languages/solidity/interpret_inside.h"

// Statements, and whole runs.

// Statements.

static void run_declaration(struct machine *m, const struct sol_node *node)
{
    struct datum value = {0};
    if (node->part[0] != NULL)
        value = machine_evaluate(m, node->part[0]);
    for (size_t i = 0; i < node->count && !machine_ended(m); i++) {
        const struct sol_node *v = node->list[i];
        if (v == NULL)
            continue;
        const struct sol_type *type = sol_node_type(m->types, v);
        struct datum d = machine_initial(m, type, type->place != SOL_STORAGE);
        if (node->part[0] != NULL) {
            d = node->count > 1 ? (i < value.count ? value.items[i] : (struct datum){0}) : value;
            if (d.object != NULL && type->place != SOL_STORAGE && !d.object->in_memory)
                d = machine_copy(m, d, true);
            d = machine_converted(m, d, type, v);
        }
        machine_declare(m, v, d);
    }
}

static void run_return(struct machine *m, const struct sol_node *node)
{
    const struct sol_node *list = m->active->function != NULL ? m->active->function->part[1] : NULL;
    if (node->part[0] != NULL && list != NULL) {
        struct datum value = machine_evaluate(m, node->part[0]);
        for (size_t i = 0; i < list->count && !machine_ended(m); i++) {
            struct datum d = list->count == 1  ? value
                             : i < value.count ? value.items[i]
                                               : (struct datum){0};
            struct datum *to = machine_local_of(m, list->list[i]->id);
            if (d.object != NULL && !d.object->in_memory &&
                sol_node_type(m->types, list->list[i])->place != SOL_STORAGE)
                d = machine_copy(m, d, true);
            if (to != NULL && !machine_ended(m))
                *to = machine_converted(m, d, sol_node_type(m->types, list->list[i]), node);
        }
    }
    machine_check_overflow(m, node);
    if (!machine_ended(m))
        m->flow = FLOW_RETURN;
}

static void check_loop(struct machine *m, const struct sol_node *node)
{
    if (!machine_ended(m))
        machine_check_all(m, machine_annotations_of(m, m->contract, node), SOL_INVARIANT,
                          SOL_FAIL_LOOP, node);
}

static void run_loop(struct machine *m, const struct sol_node *node)
{
    bool first = node->kind == SOL_DO;
    if (node->kind == SOL_FOR && node->part[2] != NULL)
        machine_run(m, node->part[2]);
    machine_check_overflow(m, node);
    check_loop(m, node);
    while (!machine_ended(m)) {
        if (!first && node->part[0] != NULL) {
            bool go = machine_is_true(machine_evaluate(m, node->part[0]));
            machine_check_overflow(m, node);
            if (machine_ended(m) || !go)
                break;
        }
        first = false;
        machine_run(m, node->part[1]);
        machine_check_overflow(m, node);
        if (m->flow == FLOW_CONTINUE)
            m->flow = FLOW_ON;
        if (m->flow == FLOW_BREAK) {
            m->flow = FLOW_ON;
            break;
        }
        if (m->flow != FLOW_ON)
            break;
        if (node->kind == SOL_FOR && node->part[3] != NULL)
            machine_run(m, node->part[3]);
        machine_check_overflow(m, node);
        check_loop(m, node);
    }
}

static void run_clause(struct machine *m, const struct sol_node *clause, const struct datum *result)
{
    const struct sol_node *list = clause->part[0];
    for (size_t i = 0; list != NULL && i < list->count && !machine_ended(m); i++) {
        const struct sol_type *type = sol_node_type(m->types, list->list[i]);
        struct datum d = result == NULL ? machine_outside(m, type, list->list[i])
                         : result->items != NULL
                             ? i < result->count ? result->items[i] : (struct datum){0}
                             : *result;
        if (!machine_ended(m))
            machine_declare(m, list->list[i], machine_converted(m, d, type, clause));
    }
    machine_run(m, clause->part[1]);
}

static void run_try(struct machine *m, const struct sol_node *node)
{
    const struct sol_node *call = node->part[0], *callee = call->part[0];
    machine_check_overflow(m, node);
    bool fails = machine_is_true(machine_outside(m, sol_type_of(m->types, "bool"), node));
    if (!machine_ended(m) && !fails) {
        struct datum result = machine_evaluate(m, call);
        machine_check_overflow(m, node);
        if (!machine_ended(m))
            run_clause(m, node->list[0], &result);
        machine_check_overflow(m, node);
        return;
    }
    for (; callee != NULL && callee->kind == SOL_CALL_OPTIONS; callee = callee->part[0])
        for (size_t i = 0; i < callee->count && !machine_ended(m); i++)
            machine_evaluate(m, callee->list[i]);
    if (callee != NULL && callee->kind == SOL_MEMBER)
        machine_evaluate(m, callee->part[0]);
    for (size_t i = 0; i < call->count && !machine_ended(m); i++)
        machine_evaluate(m, call->list[i]);
    size_t which = 0;
    if (node->count > 2 && !machine_ended(m)) {
        struct datum chosen = machine_outside(m, sol_type_of(m->types, "uint8"), node);
        which = machine_ended(m) ? 0 : mpz_get_ui(chosen.number);
    }
    machine_check_overflow(m, node);
    if (!machine_ended(m) && which + 1 < node->count)
        run_clause(m, node->list[which + 1], NULL);
    machine_check_overflow(m, node);
}

// What is known of it without running it.
static void run_assembly(struct machine *m, const struct sol_node *node)
{
    struct sol_assembly a;
    const struct sol_type *number = sol_type_of(m->types, "uint256");
    sol_assembly_read(m->tree, node, &a);
    bool known = a.refused[0] == '\0', size = known && a.form == SOL_ASSEMBLY_CODE_SIZE;
    struct datum *to = size ? machine_local_of(m, a.assigned[0]->id) : NULL,
                 *account = size ? machine_local_of(m, a.account->id) : NULL;
    if (known && a.form == SOL_ASSEMBLY_REVERTS)
        machine_stop(m, FLOW_REVERT, node, "it reverts");
    else if (to != NULL && account != NULL && account->number != NULL &&
             sol_type_same(sol_node_type(m->types, a.assigned[0]), number))
        *to = machine_code(m, "code size", account->number, number, node);
    else if (!known || a.stores || a.assigned_count > 0)
        machine_stop(m, FLOW_STUCK, node, "inline assembly that the interpreter does not know");
}

void machine_run(struct machine *m, const struct sol_node *node)
{
    if (m->flow != FLOW_ON || node == NULL)
        return;
    bool unchecked = m->active->unchecked;
    switch (node->kind) {
    case SOL_UNCHECKED:
    case SOL_BLOCK:
        m->active->unchecked |= node->kind == SOL_UNCHECKED;
        for (size_t i = 0; i < node->count && m->flow == FLOW_ON; i++)
            machine_run(m, node->list[i]);
        m->active->unchecked = unchecked;
        break;
    case SOL_DECLARATION:
        run_declaration(m, node);
        break;
    case SOL_EXPRESSION_STATEMENT:
        machine_evaluate(m, node->part[0]);
        break;
    case SOL_IF: {
        bool yes = machine_is_true(machine_evaluate(m, node->part[0]));
        machine_check_overflow(m, node);
        machine_run(m, yes ? node->part[1] : node->part[2]);
        machine_check_overflow(m, node);
        break;
    }
    case SOL_WHILE:
    case SOL_DO:
    case SOL_FOR:
        run_loop(m, node);
        break;
    case SOL_BREAK:
    case SOL_CONTINUE:
        machine_check_overflow(m, node);
        if (!machine_ended(m))
            m->flow = node->kind == SOL_BREAK ? FLOW_BREAK : FLOW_CONTINUE;
        break;
    case SOL_RETURN:
        run_return(m, node);
        break;
    case SOL_THROW:
    case SOL_REVERT:
        machine_stop(m, FLOW_REVERT, node, "it reverts");
        break;
    case SOL_EMIT:
        if (m->reads_only)
            machine_stop(m, FLOW_REVERT, node, "an event in a call that may change nothing");
        for (size_t i = 0; i < node->part[0]->count && !machine_ended(m); i++)
            machine_evaluate(m, node->part[0]->list[i]);
        break;
    case SOL_PLACEHOLDER:
        machine_run_layer(m);
        break;
    case SOL_TRY:
        run_try(m, node);
        break;
    case SOL_ASSEMBLY:
        run_assembly(m, node);
        break;
    default:
        machine_stop(m, FLOW_STUCK, node, "a statement that the interpreter does not know");
        break;
    }
}

// Runs.

static void deploy(struct machine *m)
{
    mpz_ptr address = machine_number(m);
    mpz_set_str(address, ADDRESS_OF_CONTRACT, 10);
    const struct sol_node *constructor = machine_constructor_of(m->contract);
    struct activation a = {.function = constructor,
                           .self = machine_new_contract(m, m->contract, address),
                           .contract = m->contract};
    char name[200];
    snprintf(name, sizeof name, "new %s", m->contract->name);
    m->main = a.self;
    machine_enter(m, &a);
    machine_take_transaction(m, &a, false, m->contract);
    m->deployed = true;
    if (!machine_ended(m)) {
        char callee[160];
        snprintf(callee, sizeof callee, "%s c = new %s", m->contract->name, m->contract->name);
        machine_show(m, &a, name);
        machine_show_test(m, &a, callee, false);
        m->constructing = true;
        machine_construct(m, m->contract, &a);
        m->constructing = false;
    }
    if (m->flow == FLOW_HALT) {
        m->flow = FLOW_ON;
        machine_stop(m, FLOW_STUCK, m->contract, "the constructor destroys the contract");
    }
    machine_check_overflow(m, m->contract);
    if (!machine_ended(m) && constructor != NULL)
        machine_check_all(m, machine_annotations_of(m, m->contract, constructor), SOL_POSTCONDITION,
                          SOL_FAIL_POSTCONDITION, m->contract);
    if (!machine_ended(m))
        machine_check_invariants(m, SOL_FAIL_INVARIANT,
                                 constructor != NULL ? constructor : m->contract);
    m->active = NULL;
    m->depth = 0;
}

void sol_replay_run(struct sol_replay *out, struct sol_input *input,
                    const struct sol_node *contract, const struct sol_node *function,
                    const struct sol_question_options *options, const struct sol_event *events,
                    size_t count)
{
    assert(contract->kind == SOL_CONTRACT && (count == 0 || events != NULL));
    *out = (struct sol_replay){0};
    struct machine m = {.input = input,
                        .tree = input->tree,
                        .types = input->types,
                        .options = options,
                        .contract = contract,
                        .function = function,
                        .events = events,
                        .event_count = count,
                        .out = out};
    arena_init(&m.arena);
    text_init(&out->transactions);
    text_init(&out->test);
    text_init(&out->why);
    m.surrounding_count = sol_tree_surroundings(m.tree, m.surroundings, SOL_MOST_SURROUNDINGS);
    m.reads_data = sol_tree_reads(m.tree, "msg", "data");
    m.forced = !sol_balance_is_annotated(m.tree);
    m.reads_balances = sol_tree_reads(m.tree, NULL, "balance") || !m.forced;
    m.next_address = machine_number(&m);
    mpz_set_str(m.next_address, "1000000000000000000000000000000007", 10);
    deploy(&m);
    while (m.flow == FLOW_ON && m.next_event < m.event_count) {
        const struct sol_event *event = machine_next_event(&m, SOL_EVENT_CALL, contract);
        const struct sol_node *called = event != NULL ? sol_tree_node(m.tree, event->id) : NULL;
        if (called != NULL)
            machine_run_public(&m, called, "");
    }
    if (m.flow == FLOW_HALT)
        text_add(&out->why, "the contract is gone");
    out->violated = m.flow == FLOW_VIOLATED;
    ENSURE(m.next_event <= count && (!out->violated || out->what != NULL));
    if (!out->violated && out->why.length == 0)
        text_add(&out->why, "nothing fails");
    for (size_t i = 0; i < m.numbers.count; i++)
        mpz_clear(m.numbers.data[i]);
    VECTOR_FINISH(&m.numbers);
    arena_finish(&m.arena);
}

void sol_replay_finish(struct sol_replay *replay)
{
    text_finish(&replay->transactions);
    text_finish(&replay->test);
    text_finish(&replay->why);
}

// Traces.

static bool edge_event(const struct edge *edge, struct sol_event *out)
{
    const char *hash = strrchr(edge->label, '#');
    out->id = hash != NULL ? strtol(hash + 1, NULL, 10) : 0;
    if (strncmp(edge->label, "call back ", 10) == 0 || strcmp(edge->label, "no call back") == 0)
        out->kind = SOL_EVENT_BACK;
    else if (strncmp(edge->label, "read back ", 10) == 0)
        out->kind = SOL_EVENT_READ;
    else if (strncmp(edge->label, "call ", 5) == 0)
        out->kind = SOL_EVENT_CALL;
    else if (strncmp(edge->label, "is ", 3) == 0)
        out->kind = SOL_EVENT_IS;
    else
        return false;
    return true;
}

struct sol_event *sol_events_of(const struct trace *trace, size_t *count)
{
    VECTOR(struct sol_event) events = {0};
    for (size_t s = 0; s < trace->step_count; s++) {
        const struct trace_step *step = &trace->steps[s];
        struct sol_event event = {0};
        if (edge_event(step->edge, &event))
            VECTOR_PUSH(&events, event);
        for (size_t i = 0; i < step->event_count; i++) {
            const struct statement *statement = step->events[i].statement;
            if (statement->kind != STATEMENT_HAVOC ||
                !(statement->variable->flags & VARIABLE_INPUT))
                continue;
            event = (struct sol_event){SOL_EVENT_VALUE, 0, statement->variable->name,
                                       statement->variable->sort, step->events[i].value};
            VECTOR_PUSH(&events, event);
        }
    }
    *count = events.count;
    return events.data;
}
