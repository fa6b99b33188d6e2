#include "languages/programs/descend.h"

#include <assert.h>
#include <string.h>

#include "base/components.h"
#include "base/memory.h"
#include "base/vector.h"
#include "languages/programs/guess.h"
#include "languages/programs/instrument_inside.h"

#define MOST_PARAMETERS 6 // that orders are made of
#define MOST_PLACES 8     // parameters, what they point to, globals
#define MOST_ORDERS 600
#define MOST_INSTRUCTIONS 40000
#define MOST_DEPTH 12 // of recursion, for the runs that choose

enum order_kind { ORDER_ONE, ORDER_DIFFERENCE, ORDER_TWO };

// Whose value when a function is called counts.
enum place_kind { PLACE_PARAMETER, PLACE_TARGET, PLACE_GLOBAL };

struct place {
    enum place_kind kind;
    uint32_t number;          // of the parameter, or of the global
    int64_t offset;           // GLOBAL: into it
    struct program_type type; // GLOBAL: of what is there
};

struct order {
    enum order_kind kind;
    enum program_comparison less;
    uint32_t first, second; // places
    bool
        upwards; // where all is the same the function called is a later one of the program, else an earlier one
};

struct descent {
    struct program *program;
    uint32_t *component; // by function; which of them call one another
    bool *recursive;     // by function
    struct place places[MOST_PLACES];
    uint32_t place_count;
    struct order orders[MOST_ORDERS];
    uint32_t order_count;
    // By place: what it was when the function that is instrumented was called.
    struct operand had[MOST_PLACES];
    uint32_t chosen; // a global: the order that counts, …
    uint32_t only;   // … but where it is this one; NO_ORDER
    uint32_t check;
    VECTOR(uint32_t) callees;
};

static const struct program_type I1 = {PROGRAM_INTEGER, 1}, I32 = {PROGRAM_INTEGER, 32};

// Who calls whom.

static void find_components(struct descent *d)
{
    const struct program *p = d->program;
    uint32_t *first = memory_alloc((p->function_count + 1) * sizeof *first);
    d->component = memory_zalloc((p->function_count + 1) * sizeof *d->component);
    d->recursive = memory_zalloc(p->function_count + 1);
    for (uint32_t f = 0; f < p->function_count; f++) {
        const struct function *function = &p->functions[f];
        first[f] = (uint32_t)d->callees.count;
        for (size_t b = 0; b < function->block_count; b++) {
            for (size_t k = 0; k < function->blocks[b].count; k++) {
                const struct function *to = program_callee(p, &function->blocks[b].instructions[k]);
                if (to != NULL && to->defined)
                    VECTOR_PUSH(&d->callees, (uint32_t)(to - p->functions));
            }
        }
        for (size_t i = first[f]; i < d->callees.count; i++)
            d->recursive[f] = d->recursive[f] || d->callees.data[i] == f;
    }
    first[p->function_count] = (uint32_t)d->callees.count;
    VECTOR_RESERVE(&d->callees, d->callees.count + 1);
    struct components components;
    components_find(&components, (uint32_t)p->function_count, first, d->callees.data, NULL);
    for (uint32_t f = 0; f < p->function_count; f++) {
        const uint32_t c = components.of[f];
        d->component[f] = c;
        d->recursive[f] = d->recursive[f] || components.begin[c] - components.begin[c - 1] > 1;
    }
    components_finish(&components);
    memory_free(first);
}

static void finish(struct descent *d)
{
    memory_free(d->component);
    memory_free(d->recursive);
    VECTOR_FINISH(&d->callees);
}

// Loops.

struct visit {
    const struct function *function;
    uint8_t *colour; // by block: 1 being visited, 2 done
};

static bool goes_round(struct visit *v, uint32_t block)
{
    uint32_t next[64];
    if (v->colour[block] != 0)
        return v->colour[block] == 1;
    v->colour[block] = 1;
    const size_t count = flat_successors(&v->function->blocks[block], next, 64);
    bool round = count > 64;
    for (size_t i = 0; i < count && !round; i++)
        round = goes_round(v, next[i]);
    v->colour[block] = 2;
    return round;
}

static bool has_loop(const struct function *f)
{
    struct visit v = {f, memory_zalloc(f->block_count + 1)};
    const bool round = f->block_count > MOST_INSTRUCTIONS || goes_round(&v, 0);
    memory_free(v.colour);
    return round;
}

static bool is_plain(const struct program *p, const struct instruction *i)
{
    const struct function *to = program_callee(p, i);
    return i->op != OP_CALL ||
           (to != NULL && strstr(to->name, "jmp") == NULL && strcmp(to->name, "signal") != 0 &&
            strcmp(to->name, "sigaction") != 0);
}

static bool is_suitable(const struct program *p, const struct function *f)
{
    bool good = f->block_count > 0 && !has_loop(f);
    for (size_t b = 0; b < f->block_count && good; b++) {
        for (size_t k = 0; k < f->blocks[b].count && good; k++)
            good = is_plain(p, &f->blocks[b].instructions[k]);
    }
    return good;
}

// All that main may call is.
static bool all_suitable(const struct program *p, bool *seen, uint32_t from)
{
    const struct function *f = &p->functions[from];
    if (seen[from])
        return true;
    seen[from] = true;
    bool good = is_suitable(p, f);
    for (size_t b = 0; b < f->block_count && good; b++) {
        for (size_t k = 0; k < f->blocks[b].count && good; k++) {
            const struct function *to = program_callee(p, &f->blocks[b].instructions[k]);
            if (to != NULL && to->defined)
                good = all_suitable(p, seen, (uint32_t)(to - p->functions));
        }
    }
    return good;
}

bool descend_is_possible(const struct program *program)
{
    const struct function *start = program_find_function(program, "main");
    if (start == NULL || !start->defined)
        return false;
    bool *seen = memory_zalloc(program->function_count + 1);
    bool good = all_suitable(program, seen, (uint32_t)(start - program->functions)), some = false;
    struct descent d = {.program = (struct program *)(uintptr_t)program};
    find_components(&d);
    for (uint32_t f = 0; f < program->function_count; f++)
        some = some || (seen[f] && d.recursive[f]);
    finish(&d);
    memory_free(seen);
    return good && some;
}

// Places.

// What this parameter points to, as the function looks at it; no bits: no number, or it is not plain.
static struct program_type target_type(const struct function *f, uint32_t parameter)
{
    bool *holds = memory_zalloc(f->value_count + 1), *is = memory_zalloc(f->value_count + 1);
    struct program_type out = {PROGRAM_VOID, 0};
    is[parameter] = true;
    // The parameter is stored in a variable of its own, loaded from there, and followed.
    for (int pass = 0; pass < 3; pass++)
        for (size_t b = 0; b < f->block_count; b++)
            for (size_t k = 0; k < f->blocks[b].count; k++) {
                const struct instruction *i = &f->blocks[b].instructions[k];
                const struct operand *o = i->operands;
                const bool load = i->op == OP_LOAD && o[0].kind == OPERAND_VALUE;
                if (pass == 0 && i->op == OP_STORE && o[0].kind == OPERAND_VALUE &&
                    o[1].kind == OPERAND_VALUE && o[0].number == parameter)
                    holds[o[1].number] = true;
                else if (pass == 1 && load && holds[o[0].number])
                    is[i->result] = true;
                else if (pass == 2 && load && is[o[0].number] && i->type.kind == PROGRAM_INTEGER)
                    out = i->type;
            }
    memory_free(holds);
    memory_free(is);
    return out;
}

static struct program_type place_type(const struct function *f, const struct place *place)
{
    static const struct program_type none = {PROGRAM_VOID, 0};
    if (place->kind == PLACE_GLOBAL)
        return place->type;
    if (place->number >= f->parameter_count)
        return none;
    const struct program_type type = f->parameters[place->number];
    return place->kind == PLACE_PARAMETER ? type
           : type.kind == PROGRAM_POINTER ? target_type(f, place->number)
                                          : none;
}

// A word of the same width in every recursive function.
static void add_place(struct descent *d, struct place place)
{
    struct program_type type = {PROGRAM_VOID, 0};
    bool good = d->place_count < MOST_PLACES;
    for (uint32_t f = 0; f < d->program->function_count && good; f++) {
        if (!d->recursive[f])
            continue;
        const struct program_type here = place_type(&d->program->functions[f], &place);
        good =
            here.kind == PROGRAM_INTEGER && here.bits > 0 && here.bits <= 64 &&
            (type.kind == PROGRAM_VOID || type.bits == here.bits || place.kind == PLACE_PARAMETER);
        type = here;
    }
    if (good && type.kind == PROGRAM_INTEGER)
        d->places[d->place_count++] = place;
}

// Globals, and parts of them, that the function stores to.
static void add_globals(struct descent *d, const struct function *f)
{
    for (size_t b = 0; b < f->block_count; b++)
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            if (i->op != OP_STORE || i->operands[1].kind != OPERAND_ADDRESS)
                continue;
            const struct place place = {PLACE_GLOBAL, i->operands[1].number, i->operands[1].offset,
                                        i->type};
            bool known = false;
            for (uint32_t n = 0; n < d->place_count; n++)
                known = known ||
                        (d->places[n].kind == PLACE_GLOBAL && d->places[n].number == place.number &&
                         d->places[n].offset == place.offset);
            if (!known)
                add_place(d, place);
        }
}

static void find_places(struct descent *d)
{
    const struct program *p = d->program;
    for (uint32_t k = 0; k < MOST_PARAMETERS; k++)
        add_place(d, (struct place){.kind = PLACE_PARAMETER, .number = k});
    for (uint32_t k = 0; k < MOST_PARAMETERS; k++)
        add_place(d, (struct place){.kind = PLACE_TARGET, .number = k});
    for (uint32_t f = 0; f < p->function_count; f++)
        if (d->recursive[f])
            add_globals(d, &p->functions[f]);
}

// Orders.

static void add_order(struct descent *d, struct order order)
{
    if (d->order_count < MOST_ORDERS)
        d->orders[d->order_count++] = order;
}

static void make_orders(struct descent *d)
{
    static const enum program_comparison downwards[] = {COMPARE_ULT, COMPARE_SLT},
                                         all[] = {COMPARE_ULT, COMPARE_SLT, COMPARE_UGT,
                                                  COMPARE_SGT};
    const uint32_t count = d->place_count;
    uint32_t functions = 0;
    for (uint32_t f = 0; f < d->program->function_count; f++)
        functions += d->recursive[f];
    for (int up = 0; up < (functions > 1 ? 2 : 1); up++) {
        for (uint32_t i = 0; i < count; i++)
            for (int k = 0; k < 4; k++)
                add_order(d, (struct order){ORDER_ONE, all[k], i, 0, up != 0});
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < count; j++)
                for (int k = 0; k < 2 && i != j; k++) {
                    add_order(d, (struct order){ORDER_DIFFERENCE, downwards[k], i, j, up != 0});
                    add_order(d, (struct order){ORDER_TWO, downwards[k], i, j, up != 0});
                }
    }
}

static struct operand emit_compare(const struct expression_place *place, struct block *code,
                                   enum program_comparison how, struct operand a, struct operand b)
{
    struct operand out = program_emit(place, code, OP_ICMP, I1, (struct operand[]){a, b}, 2);
    code->instructions[code->count - 1].extra = how;
    return out;
}

static struct operand emit_two(const struct expression_place *place, struct block *code,
                               enum opcode op, struct operand a, struct operand b)
{
    return program_emit(place, code, op, a.type, (struct operand[]){a, b}, 2);
}

static bool are_words(const struct operand *a, const struct operand *b)
{
    return a->type.kind == PROGRAM_INTEGER && b->type.kind == PROGRAM_INTEGER &&
           a->type.bits == b->type.bits && a->type.bits <= 64;
}

static struct operand emit_load(const struct expression_place *place, struct block *code,
                                const struct descent *d, const struct place *of,
                                const struct operand *pointer)
{
    const struct operand global = {.kind = OPERAND_ADDRESS,
                                   .type = {PROGRAM_POINTER, d->program->pointer_bits},
                                   .number = of->number,
                                   .offset = of->offset};
    return program_emit(place, code, OP_LOAD, place_type(place->function, of),
                        of->kind == PLACE_GLOBAL ? &global : pointer, 1);
}

// What the place is where the function begins.
static struct operand emit_had(const struct descent *d, const struct expression_place *place,
                               struct block *code, const struct place *of)
{
    if (of->kind == PLACE_GLOBAL)
        return emit_load(place, code, d, of, NULL);
    const struct operand parameter = {.kind = OPERAND_VALUE,
                                      .type = place->function->parameters[of->number],
                                      .number = of->number};
    return of->kind == PLACE_TARGET ? emit_load(place, code, d, of, &parameter) : parameter;
}

// What it is for the function that is called; false: the call does not say.
static bool emit_given(const struct descent *d, const struct expression_place *place,
                       struct block *code, const struct instruction *call, const struct place *of,
                       struct operand *out)
{
    const struct function *callee = program_callee(d->program, call);
    const struct operand *argument =
        of->kind == PLACE_GLOBAL ? NULL : &call->operands[of->number + 1];
    assert(callee != NULL);
    if (argument != NULL &&
        (of->number + 1 >= call->operand_count || of->number >= callee->parameter_count ||
         !program_same_type(argument->type, callee->parameters[of->number])))
        return false; // called by another type
    *out = of->kind == PLACE_PARAMETER ? *argument : emit_load(place, code, d, of, argument);
    return true;
}

// Is what is given less than what the caller was given, by this order? An i1. Where it is the same, the function that is called comes
// before the caller, or behind it: of these, too, there are not many.
static struct operand emit_order(const struct descent *d, const struct expression_place *place,
                                 struct block *code, const struct order *o,
                                 const struct instruction *call)
{
    struct operand given[2], had[2];
    const uint32_t places[2] = {o->first, o->second};
    const struct function *callee = program_callee(d->program, call);
    assert(callee != NULL && d->component[callee - d->program->functions] ==
                                 d->component[place->function - d->program->functions]);
    const bool falls = o->upwards ? callee > place->function : callee < place->function;
    for (int n = 0; n < (o->kind == ORDER_ONE ? 1 : 2); n++) {
        had[n] = d->had[places[n]];
        if (!emit_given(d, place, code, call, &d->places[places[n]], &given[n]) ||
            !are_words(&given[n], &had[n]))
            return program_number(1, 0);
    }
    if (o->kind == ORDER_DIFFERENCE) {
        if (!are_words(&given[0], &given[1]))
            return program_number(1, 0);
        given[0] = emit_two(place, code, OP_SUB, given[0], given[1]);
        had[0] = emit_two(place, code, OP_SUB, had[0], had[1]);
    }
    struct operand less = emit_compare(place, code, o->less, given[0], had[0]);
    if (o->kind != ORDER_TWO && !falls)
        return less;
    const struct operand same = emit_compare(place, code, COMPARE_EQ, given[0], had[0]);
    if (o->kind != ORDER_TWO)
        return emit_two(place, code, OP_OR, less, same);
    less = emit_two(
        place, code, OP_OR, less,
        emit_two(place, code, OP_AND, same, emit_compare(place, code, o->less, given[1], had[1])));
    if (!falls)
        return less;
    const struct operand both = emit_two(place, code, OP_AND, same,
                                         emit_compare(place, code, COMPARE_EQ, given[1], had[1]));
    return emit_two(place, code, OP_OR, less, both);
}

static void check_call(struct descent *d, uint32_t function, struct block *block, size_t index)
{
    const struct instruction call = block->instructions[index];
    struct block code = {0};
    const struct expression_place place = {
        .program = d->program, .function = &d->program->functions[function], .at = call.at};
    const struct operand address = {.kind = OPERAND_ADDRESS,
                                    .type = {PROGRAM_POINTER, d->program->pointer_bits},
                                    .number = d->chosen};
    struct operand less = program_number(1, 0), chosen = less;
    if (d->only == NO_ORDER)
        chosen = program_emit(&place, &code, OP_LOAD, I32, &address, 1);
    for (uint32_t i = 0; i < d->order_count && d->only == NO_ORDER; i++) {
        const struct operand here =
            emit_compare(&place, &code, COMPARE_EQ, chosen, program_number(32, i));
        const struct operand holds = emit_order(d, &place, &code, &d->orders[i], &call);
        less = program_emit(&place, &code, OP_SELECT, I1, (struct operand[]){here, holds, less}, 3);
    }
    if (d->only != NO_ORDER)
        less = emit_order(d, &place, &code, &d->orders[d->only], &call);
    instrument_call(&place, &code, d->check, less);
    instrument_splice(block, index, &code);
    memory_free(code.instructions);
}

static bool is_used(const struct descent *d, uint32_t place)
{
    const struct order *o = d->only == NO_ORDER ? NULL : &d->orders[d->only];
    return o == NULL || o->first == place || (o->kind != ORDER_ONE && o->second == place);
}

static void check_calls(struct descent *d, uint32_t function)
{
    struct function *f = &d->program->functions[function];
    struct block begin = {0};
    const struct expression_place place = {
        .program = d->program, .function = f, .at = f->blocks[0].instructions[0].at};
    for (uint32_t i = 0; i < d->place_count; i++)
        if (is_used(d, i))
            d->had[i] = emit_had(d, &place, &begin, &d->places[i]);
    for (size_t b = 0; b < f->block_count; b++) {
        for (size_t k = f->blocks[b].count; k-- > 0;) {
            const struct function *to = program_callee(d->program, &f->blocks[b].instructions[k]);
            if (to != NULL && to->defined &&
                d->component[to - d->program->functions] == d->component[function])
                check_call(d, function, &f->blocks[b], k);
        }
    }
    instrument_splice(&f->blocks[0], 0, &begin);
    memory_free(begin.instructions);
}

// The order that counts, as a constant.

static uint32_t add_choice(struct program *p)
{
    struct program_data *data = memory_zalloc(sizeof *data);
    *data = (struct program_data){0, 4, program_number(32, 0)};
    struct global g = {.name = "__regatta_order",
                       .bytes = 4,
                       .alignment = 4,
                       .constant = true,
                       .type = I32,
                       .data = data,
                       .data_count = 1,
                       .data_capacity = 1};
    return instrument_add_global(p, g);
}

// The program as runs go that contradict an order, or not; NULL: it is too large.
static struct flat *runs_of(const struct descent *d, const struct program_question *question)
{
    const struct flat_options options = {.stop = question->name,
                                         .most_depth = MOST_DEPTH,
                                         .most_instructions = MOST_INSTRUCTIONS,
                                         .plain = true};
    struct messages messages;
    messages_init(&messages);
    struct flat *flat = flat_create_deep(d->program, &options, false);
    if (flat == NULL)
        flat = flat_create(d->program, &options, &messages);
    messages_finish(&messages);
    return flat;
}

// Does a run contradict the order that the global says?
static bool is_contradicted(const struct flat *runs, const struct program_question *question)
{
    struct run_result run = {0};
    return interpret_closed(runs, question, MOST_INSTRUCTIONS).end == RUN_VIOLATION ||
           guess_violation(runs, question, &run) != 0;
}

// With checks of the one order, or of the one that the global says.
static void instrument(struct descent *d, struct program_question *question)
{
    assert(descend_is_possible(d->program));
    find_components(d);
    find_places(d);
    make_orders(d);
    if (d->only == NO_ORDER)
        d->chosen = add_choice(d->program);
    const uint32_t functions = (uint32_t)d->program->function_count;
    d->check = instrument_add_check(d->program);
    for (uint32_t f = 0; f < functions; f++) {
        if (d->recursive[f])
            check_calls(d, f);
    }
    finish(d);
    *question = (struct program_question){.property = PROPERTY_CALL, .name = INSTRUMENT_FAILURE};
}

uint32_t descend_choose(struct program *program)
{
    struct descent d = {.program = program, .only = NO_ORDER};
    struct program_question question;
    instrument(&d, &question);
    struct flat *runs = runs_of(&d, &question);
    uint32_t found = NO_ORDER;
    for (uint32_t order = 0; order < d.order_count && runs != NULL && found == NO_ORDER; order++) {
        program->globals[d.chosen].data[0].value = program_number(32, order);
        if (!is_contradicted(runs, &question))
            found = order;
    }
    flat_destroy(runs);
    return found;
}

void descend_instrument(struct program *program, uint32_t order, struct program_question *question)
{
    struct descent d = {.program = program, .only = order};
    assert(order != NO_ORDER);
    instrument(&d, question);
}
