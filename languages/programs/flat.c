#include "languages/programs/flat_inside.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/components.h"
#include "base/ensure.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/programs/again.h"
#include "languages/programs/jumps.h"
#include "languages/programs/meant.h"
#include "languages/programs/shared.h"
#include "languages/programs/simplify.h"
#include "languages/programs/threads.h"
#include "languages/programs/unroll.h"

#define MOST_ROUNDS 20    // of finding constants
#define MOST_INSTANCES 10 // of threads that begin at one place in a loop

struct exit_point {
    uint32_t block;
    struct operand value;
};

struct exits {
    struct exit_point *data;
    size_t count, capacity;
};

// Where a function's copy is being made.
struct copy {
    const struct function *function;
    uint32_t frame, base;
    uint32_t *first, *last; // by block of the function: first and last block of its copy
    struct exits exits;
    struct operand
        rest; // the address of the arguments behind the declared ones; UNKNOWN: none can be read
};

static const struct operand no_alias = {.kind = OPERAND_UNKNOWN};

uint32_t inliner_block(struct inliner *in)
{
    struct flat *f = in->flat;
    if (f->block_count == f->block_capacity) {
        f->block_capacity = 2 * f->block_capacity + 64;
        f->blocks = memory_realloc(f->blocks, f->block_capacity * sizeof *f->blocks);
    }
    f->blocks[f->block_count] = (struct block){0};
    return (uint32_t)f->block_count++;
}

void inliner_push(struct inliner *in, uint32_t block, const struct instruction *i)
{
    struct block *b = &in->flat->blocks[block];
    assert(b->count == 0 || !opcode_ends_block(b->instructions[b->count - 1].op));
    if (b->count == b->capacity) {
        b->capacity = 2 * b->capacity + 8;
        b->instructions = memory_realloc(b->instructions, b->capacity * sizeof *b->instructions);
    }
    b->instructions[b->count++] = *i;
    if (++in->instructions > in->options->most_instructions)
        in->too_large = true;
}

uint32_t inliner_values(struct inliner *in, uint32_t count)
{
    struct flat *f = in->flat;
    uint32_t base = (uint32_t)f->value_count;
    while (f->value_count + count > f->value_capacity) {
        f->value_capacity = 2 * f->value_capacity + 256;
        f->alias = memory_realloc(f->alias, f->value_capacity * sizeof *f->alias);
    }
    for (uint32_t i = 0; i < count; i++)
        f->alias[f->value_count++] = no_alias;
    return base;
}

struct operand *inliner_operands(struct inliner *in, size_t count)
{
    return arena_zalloc(&in->flat->arena, (count + 1) * sizeof(struct operand));
}

int64_t *inliner_numbers(struct inliner *in, size_t count)
{
    return arena_zalloc(&in->flat->arena, (count + 1) * sizeof(int64_t));
}

void inliner_jump(struct inliner *in, uint32_t from, uint32_t to, const struct instruction *why)
{
    struct instruction jump = {
        .op = OP_BRANCH, .at = why->at, .frame = why->frame, .number_count = 3};
    jump.numbers = inliner_numbers(in, 3);
    jump.numbers[0] = to;
    inliner_push(in, from, &jump);
}

static struct instruction renamed(struct inliner *in, const struct copy *c,
                                  const struct instruction *i)
{
    struct instruction out = *i;
    out.frame = c->frame;
    out.result = c->base + i->result;
    out.operands = inliner_operands(in, i->operand_count);
    assert(i->op == OP_CUT || i->result < c->function->value_count);
    for (uint32_t k = 0; k < i->operand_count; k++) {
        out.operands[k] = i->operands[k];
        if (out.operands[k].kind == OPERAND_VALUE)
            out.operands[k].number += c->base;
    }
    return out;
}

// Arguments as the function declares them; a call may pass more, or, without a prototype, fewer.
static bool arguments_fit(const struct function *f, const struct instruction *call)
{
    for (uint32_t i = 0; i < f->parameter_count && i + 1 < call->operand_count; i++) {
        if (!program_same_type(f->parameters[i], call->operands[i + 1].type))
            return false;
    }
    return call->type.kind == PROGRAM_VOID || program_same_type(call->type, f->result);
}

// A call by another type than the function has: C gives it no meaning, compilers for x86 do. An integer or a pointer that is passed
// or given back is in a register (or a place on the stack) of its own, of which the function reads as much as it
// declares: a narrower number is its lowest bits, the bits of a wider one are open, and so is what nobody passes or gives back. Not
// plain, and a bound, is what would shift other arguments or mixes the registers for floats with others, and which object
// a pointer means that nobody gives.

static uint32_t word_bits(const struct inliner *in, struct program_type type)
{
    const bool number = type.kind == PROGRAM_INTEGER && type.bits >= 8 && type.bits <= 64;
    return type.kind == PROGRAM_POINTER ? in->program->pointer_bits : number ? type.bits : 0;
}

static bool passes_as(const struct inliner *in, struct program_type given,
                      struct program_type taken)
{
    const uint32_t from = word_bits(in, given), to = word_bits(in, taken),
                   most = in->program->pointer_bits;
    return program_same_type(given, taken) || (from > 0 && to > 0 && from <= most && to <= most &&
                                               (taken.kind != PROGRAM_POINTER || from >= to));
}

static bool returns_as(const struct inliner *in, struct program_type given,
                       struct program_type taken)
{
    const uint32_t from = word_bits(in, given), to = word_bits(in, taken);
    if (taken.kind == PROGRAM_VOID || program_same_type(given, taken))
        return true;
    if (taken.kind == PROGRAM_POINTER)
        return from >= to;
    if (to > 0 && (from > 0 || given.kind == PROGRAM_VOID))
        return true;
    // each kind has a register, where neither is on the stack of the x87
    const bool float_given = given.kind == PROGRAM_FLOAT && given.bits <= 64,
               float_taken = taken.kind == PROGRAM_FLOAT && taken.bits <= 64;
    return in->program->pointer_bits == 64 && (to > 0 || float_taken) &&
           (from > 0 || float_given || given.kind == PROGRAM_VOID);
}

// Does the call mean what is said above, whatever types it has?
static bool has_plain_meaning(const struct inliner *in, const struct function *f,
                              const struct instruction *call)
{
    if (f->variadic || !returns_as(in, f->result, call->type))
        return false;
    for (uint32_t i = 0; i + 1 < call->operand_count; i++) {
        if (call->numbers[i] > 0 || (i < f->parameter_count &&
                                     !passes_as(in, call->operands[i + 1].type, f->parameters[i])))
            return false;
    }
    for (uint32_t i = call->operand_count - 1; i < f->parameter_count; i++) {
        if (word_bits(in, f->parameters[i]) == 0 || f->parameters[i].kind == PROGRAM_POINTER)
            return false;
    }
    return true;
}

struct operand inliner_unary(struct inliner *in, const struct instruction *call, uint32_t at,
                             enum opcode op, struct program_type type, struct operand value)
{
    struct instruction i = {.op = op, .type = type, .frame = call->frame, .at = call->at};
    i.result = inliner_values(in, 1);
    i.operand_count = 1;
    i.operands = inliner_operands(in, 1);
    i.operands[0] = value;
    inliner_push(in, at, &i);
    return (struct operand){.kind = OPERAND_VALUE, .type = type, .number = i.result};
}

static struct operand push_open(struct inliner *in, const struct instruction *call, uint32_t at,
                                struct program_type type)
{
    const struct operand any = {.kind = OPERAND_UNDEFINED, .type = type};
    const struct operand value = inliner_unary(in, call, at, OP_FREEZE, type, any);
    struct block *block = &in->flat->blocks[at];
    block->instructions[block->count - 1].extra = FREEZE_OPEN;
    in->flat->leaves_open = true;
    return value;
}

// What is found where a value of another type was left; of no kind: where nothing was.
static struct operand as_type(struct inliner *in, const struct instruction *call, uint32_t at,
                              struct operand value, struct program_type type)
{
    const uint32_t from = value.kind == OPERAND_UNKNOWN ? 0 : word_bits(in, value.type),
                   to = word_bits(in, type);
    if (value.kind != OPERAND_UNKNOWN && program_same_type(value.type, type))
        return value;
    if (from == 0 || to == 0 || from < to)
        return push_open(in, call, at, type);
    if (value.type.kind == PROGRAM_POINTER) {
        const struct program_type word = {PROGRAM_INTEGER, from};
        value = inliner_unary(in, call, at, OP_PTRTOINT, word, value);
    }
    const struct program_type lowest = {PROGRAM_INTEGER, to};
    if (from > to)
        value = inliner_unary(in, call, at, OP_TRUNC, lowest, value);
    return type.kind == PROGRAM_POINTER ? inliner_unary(in, call, at, OP_INTTOPTR, type, value)
                                        : value;
}

// The call with arguments as the function declares them.
static struct instruction fitted(struct inliner *in, const struct function *f,
                                 const struct instruction *call, uint32_t at)
{
    struct instruction out = *call;
    out.operands = inliner_operands(in, call->operand_count);
    for (uint32_t k = 0; k < call->operand_count; k++) {
        const bool declared = k > 0 && k <= f->parameter_count;
        out.operands[k] = declared ? as_type(in, call, at, call->operands[k], f->parameters[k - 1])
                                   : call->operands[k];
    }
    return out;
}

// An argument that is passed by value in memory: the function gets the address of a copy.
static struct operand copy_argument(struct inliner *in, const struct instruction *call, uint32_t k,
                                    uint32_t at)
{
    assert(k > 0 && k < call->operand_count && call->numbers[k - 1] > 0);
    uint64_t bytes = (uint64_t)call->numbers[k - 1];
    uint32_t result = inliner_values(in, 1);
    struct instruction slot = {.op = OP_ALLOCA, .type = {PROGRAM_POINTER, 0}, .result = result};
    slot.frame = call->frame;
    slot.at = call->at;
    slot.extra = bytes;
    slot.operand_count = slot.number_count = 1;
    slot.operands = inliner_operands(in, 1);
    slot.operands[0] = (struct operand){OPERAND_CONSTANT, {PROGRAM_INTEGER, 32}, 0, 0, 1};
    slot.numbers = inliner_numbers(in, 1);
    inliner_push(in, at, &slot);
    struct operand address = {
        .kind = OPERAND_VALUE, .type = {PROGRAM_POINTER, 0}, .number = result};
    struct instruction copy = {
        .op = OP_COPY, .frame = call->frame, .at = call->at, .operand_count = 3};
    copy.result = inliner_values(in, 1);
    copy.operands = inliner_operands(in, 3);
    copy.operands[0] = address;
    copy.operands[1] = call->operands[k];
    copy.operands[2] = (struct operand){OPERAND_CONSTANT, {PROGRAM_INTEGER, 32}, 0, 0, bytes};
    copy.numbers = inliner_numbers(in, 0);
    inliner_push(in, at, &copy);
    return address;
}

static uint32_t new_frame(struct inliner *in, uint32_t function, const struct instruction *call,
                          uint32_t base)
{
    struct flat *f = in->flat;
    if (f->frame_count == f->frame_capacity) {
        f->frame_capacity = 2 * f->frame_capacity + 16;
        f->frames = memory_realloc(f->frames, f->frame_capacity * sizeof *f->frames);
    }
    uint32_t number = (uint32_t)f->frame_count++, parent = number == 0 ? 0 : call->frame;
    assert(number == 0 || parent < number); // who calls is there first
    const char *name = in->program->functions[function].name;
    char text[32];
    size_t room = strlen(name) + sizeof text;
    char *full = arena_alloc(&f->arena, room);
    if (++in->copies[function] == 1)
        snprintf(full, room, "%s", name);
    else
        snprintf(full, room, "%s.%u", name, in->copies[function]);
    f->frames[number] = (struct flat_frame){.function = function,
                                            .parent = parent,
                                            .thread = in->thread,
                                            .name = full,
                                            .value_base = base,
                                            .call = call->at};
    f->frames[number].depth = number == 0 ? 0 : f->frames[parent].depth + 1;
    return number;
}

static void bind_parameters(struct inliner *in, const struct function *f,
                            const struct instruction *call, uint32_t base, uint32_t at)
{
    assert(f->parameter_count <= f->value_count);
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        struct operand value = {.kind = OPERAND_UNDEFINED, .type = f->parameters[i]};
        if (f->parameters[i].kind == PROGRAM_POINTER && strcmp(f->name, "main") == 0)
            value = (struct operand){OPERAND_FIXED, f->parameters[i], 0, FLAT_ARGUMENTS, 0};
        if (i + 1 < call->operand_count)
            value =
                call->numbers[i] > 0 ? copy_argument(in, call, i + 1, at) : call->operands[i + 1];
        else if (value.kind == OPERAND_UNDEFINED && strcmp(f->name, "main") != 0)
            value = push_open(in, call, at, value.type);
        if (value.kind == OPERAND_UNDEFINED)
            value = inliner_unary(in, call, at, OP_FREEZE, value.type, value);
        in->flat->alias[base + i] = value;
    }
}

// Arguments behind the declared ones lie in an object of the caller, each at a multiple of a word, as the ABI of x86 has
// them in memory. The lists of LP64 say that there are none in registers.

struct operand inliner_number(uint32_t bits, uint64_t value)
{
    return (struct operand){OPERAND_CONSTANT, {PROGRAM_INTEGER, bits}, 0, 0, value};
}

struct operand inliner_operation(struct inliner *in, uint32_t at, struct instruction i,
                                 const struct operand *operands, uint32_t operand_count,
                                 int64_t number)
{
    i.result = inliner_values(in, 1);
    i.operands = inliner_operands(in, operand_count);
    memcpy(i.operands, operands, operand_count * sizeof *operands);
    i.operand_count = operand_count;
    i.numbers = inliner_numbers(in, 1);
    i.numbers[0] = number;
    i.number_count = 1;
    inliner_push(in, at, &i);
    return (struct operand){.kind = OPERAND_VALUE, .type = i.type, .number = i.result};
}

static void store_at(struct inliner *in, uint32_t at, const struct instruction *call,
                     struct operand address, int64_t offset, struct operand value)
{
    const struct program_type pointer = {PROGRAM_POINTER, 0};
    const struct instruction move = {
        .op = OP_GEP, .type = pointer, .frame = call->frame, .at = call->at};
    const struct instruction store = {
        .op = OP_STORE, .type = value.type, .frame = call->frame, .at = call->at};
    uint32_t bits =
        value.type.kind == PROGRAM_POINTER ? in->program->pointer_bits : value.type.bits;
    struct operand operands[2] = {value, inliner_operation(in, at, move, &address, 1, offset)};
    inliner_operation(in, at, store, operands, 2, bits / 8);
}

// The bytes of an argument that is a structure.
static void copy_to(struct inliner *in, uint32_t at, const struct instruction *call,
                    struct operand address, int64_t offset, uint32_t k)
{
    const struct program_type pointer = {PROGRAM_POINTER, 0};
    const struct instruction move = {
        .op = OP_GEP, .type = pointer, .frame = call->frame, .at = call->at};
    const struct instruction copy = {.op = OP_COPY, .frame = call->frame, .at = call->at};
    const struct operand operands[3] = {inliner_operation(in, at, move, &address, 1, offset),
                                        call->operands[k],
                                        inliner_number(32, (uint64_t)call->numbers[k - 1])};
    inliner_operation(in, at, copy, operands, 3, 0);
}

// The bytes that the argument takes; 0: it is none that is passed so.
static uint64_t argument_bytes(const struct inliner *in, const struct instruction *call, uint32_t k)
{
    assert(k > 0 && k < call->operand_count);
    const struct program_type type = call->operands[k].type;
    uint64_t word = in->program->pointer_bits / 8;
    if (call->numbers[k - 1] > 0) // a structure; whole words
        return ((uint64_t)call->numbers[k - 1] + word - 1) / word * word;
    if (type.kind == PROGRAM_POINTER)
        return word;
    if ((type.kind != PROGRAM_INTEGER && type.kind != PROGRAM_FLOAT) || type.bits % 8 != 0 ||
        type.bits > 64) // less than a word: of a structure
        return 0;
    return type.bits / 8 < word ? word : type.bits / 8;
}

static struct operand keep_rest(struct inliner *in, const struct function *f,
                                const struct instruction *call, uint32_t at)
{
    uint64_t bytes = 0, offset = 0;
    for (uint32_t k = f->parameter_count + 1; k < call->operand_count; k++) {
        if (argument_bytes(in, call, k) == 0)
            return no_alias;
        bytes += argument_bytes(in, call, k);
    }
    const struct instruction slot = {.op = OP_ALLOCA,
                                     .type = {PROGRAM_POINTER, 0},
                                     .frame = call->frame,
                                     .at = call->at,
                                     .extra = bytes > 0 ? bytes : 1};
    const struct operand one = inliner_number(32, 1);
    struct operand area = inliner_operation(in, at, slot, &one, 1, 0);
    for (uint32_t k = f->parameter_count + 1; k < call->operand_count; k++) {
        if (call->numbers[k - 1] > 0)
            copy_to(in, at, call, area, (int64_t)offset, k);
        else
            store_at(in, at, call, area, (int64_t)offset, call->operands[k]);
        offset += argument_bytes(in, call, k);
    }
    return area;
}

static void start_list(struct inliner *in, const struct copy *c, const struct instruction *call,
                       uint32_t at)
{
    struct operand list = call->operands[1];
    if (in->program->pointer_bits == 32) {
        store_at(in, at, call, list, 0, c->rest);
        return;
    }
    store_at(in, at, call, list, 0, inliner_number(32, 48));  // six registers of 8 bytes are read
    store_at(in, at, call, list, 4, inliner_number(32, 176)); // and eight of 16
    store_at(in, at, call, list, 8, c->rest);
}

static void copy_list(struct inliner *in, const struct instruction *call, uint32_t at)
{
    const struct instruction copy = {.op = OP_COPY, .frame = call->frame, .at = call->at};
    const struct operand operands[3] = {
        call->operands[1], call->operands[2],
        inliner_number(32, in->program->pointer_bits == 32 ? 4 : 24)};
    inliner_operation(in, at, copy, operands, 3, 0);
}

const char *inliner_callee(const struct inliner *in, const struct instruction *call)
{
    const struct operand *callee = &call->operands[0];
    return callee->kind == OPERAND_FUNCTION ? in->program->functions[callee->number].name : "";
}

static bool starts_list(const struct inliner *in, const struct instruction *i)
{
    return i->op == OP_CALL && strncmp(inliner_callee(in, i), "llvm.va_start", 13) == 0;
}

static bool reads_rest(const struct inliner *in, const struct function *f)
{
    for (size_t b = 0; f->variadic && b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            if (starts_list(in, &f->blocks[b].instructions[k]))
                return true;
        }
    }
    return false;
}

// The compiler's functions for lists of arguments. False when it is none of them, or none that is supported.
static bool place_list(struct inliner *in, const struct copy *c, const struct instruction *call,
                       uint32_t at)
{
    const char *name = inliner_callee(in, call);
    if (starts_list(in, call) && c->rest.kind == OPERAND_VALUE)
        start_list(in, c, call, at);
    else if (strncmp(name, "llvm.va_copy", 12) == 0)
        copy_list(in, call, at);
    else
        return strncmp(name, "llvm.va_end", 11) == 0;
    return true;
}

static void copy_numbers(struct inliner *in, const struct copy *c, struct instruction *i)
{
    int64_t *numbers = inliner_numbers(in, i->number_count);
    memcpy(numbers, i->numbers, i->number_count * sizeof *numbers);
    uint32_t targets = i->op == OP_SWITCH   ? i->number_count
                       : i->op == OP_BRANCH ? i->operand_count + 1
                                            : 0;
    for (uint32_t k = 0; k < targets; k++) {
        assert(i->numbers[k] >= 0 && (size_t)i->numbers[k] < c->function->block_count);
        numbers[k] = c->first[i->numbers[k]];
    }
    i->numbers = numbers;
}

static void copy_instruction(struct inliner *in, struct copy *c, const struct instruction *source,
                             uint32_t *at)
{
    struct instruction i = renamed(in, c, source);
    copy_numbers(in, c, &i);
    if (i.op == OP_CALL && place_list(in, c, &i, *at)) {
        return;
    } else if (i.op == OP_CALL) {
        in->caller = c->function;
        in->original = source;
        inliner_call(in, &i, at);
    } else if (i.op == OP_RETURN) {
        struct exit_point point = {*at, no_alias};
        if (i.operand_count > 0)
            point.value = i.operands[0];
        VECTOR_PUSH(&c->exits, point);
    } else {
        inliner_push(in, *at, &i);
    }
}

// phi instructions name blocks of the function; what they mean is the last block of those blocks' copies.
static void mend_phis(struct inliner *in, const struct copy *c)
{
    for (size_t b = 0; b < c->function->block_count; b++) {
        struct block *block = &in->flat->blocks[c->first[b]];
        for (size_t k = 0; k < block->count && block->instructions[k].op == OP_PHI; k++) {
            struct instruction *phi = &block->instructions[k];
            if (phi->frame != c->frame)
                continue;
            for (uint32_t n = 0; n < phi->number_count; n++) {
                assert(phi->numbers[n] >= 0 && (size_t)phi->numbers[n] < c->function->block_count);
                phi->numbers[n] = c->last[phi->numbers[n]];
            }
        }
    }
}

static void push_mark(struct inliner *in, enum opcode op, uint32_t block, uint32_t frame,
                      struct position at)
{
    struct instruction mark = {.op = op, .frame = frame, .at = at};
    mark.result = inliner_values(in, 1);
    inliner_push(in, block, &mark);
}

// Copies the body of a function; the caller jumps to the block that is returned.
static uint32_t copy_body(struct inliner *in, uint32_t function, const struct instruction *call,
                          uint32_t before, struct exits *exits)
{
    const struct function *f = &in->program->functions[function];
    assert(f->defined && f->block_count > 0);
    struct copy c = {.function = f, .base = inliner_values(in, f->value_count)};
    bind_parameters(in, f, call, c.base, before);
    c.rest = reads_rest(in, f) ? keep_rest(in, f, call, before) : no_alias;
    c.frame = new_frame(in, function, call, c.base);
    assert(in->calls.count == c.frame);
    VECTOR_PUSH(&in->calls, in->original);
    c.first = memory_alloc(f->block_count * sizeof *c.first);
    c.last = memory_alloc(f->block_count * sizeof *c.last);
    for (size_t b = 0; b < f->block_count; b++)
        c.first[b] = inliner_block(in);
    push_mark(in, OP_ENTER, c.first[0], c.frame, call->at);
    in->active[function]++;
    assert(in->active[function] <= in->depth_limit);
    for (size_t b = 0; b < f->block_count && !in->too_large; b++) {
        uint32_t at = c.first[b];
        for (size_t k = 0; k < f->blocks[b].count && !in->too_large; k++)
            copy_instruction(in, &c, &f->blocks[b].instructions[k], &at);
        c.last[b] = at;
    }
    in->active[function]--;
    if (!in->too_large)
        mend_phis(in, &c);
    for (size_t i = 0; i < c.exits.count; i++)
        push_mark(in, OP_LEAVE, c.exits.data[i].block, c.frame, call->at);
    *exits = c.exits;
    uint32_t entry = c.first[0];
    memory_free(c.first);
    memory_free(c.last);
    return entry;
}

static void push_cut(struct inliner *in, const struct instruction *call, const char *text,
                     uint32_t at)
{
    struct instruction cut = {.op = OP_CUT, .frame = call->frame, .at = call->at, .text = text};
    inliner_push(in, at, &cut);
}

static bool stays(const struct inliner *in, const struct function *f)
{
    return !f->defined || (in->options->stop != NULL && strcmp(f->name, in->options->stop) == 0);
}

static uint32_t procedure_of(struct inliner *in, uint32_t function)
{
    struct flat_procedures *all = &in->flat->procedures;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->data[i].function == function)
            return i;
    VECTOR_PUSH(all, ((struct flat_procedure){.function = function}));
    return (uint32_t)all->count - 1;
}

static struct operand push_invocation(struct inliner *in, const struct instruction *call,
                                      uint32_t function, uint32_t at)
{
    const struct function *f = &in->program->functions[function];
    struct instruction i = {.op = OP_INVOKE, .type = call->type, .frame = call->frame};
    i.at = call->at;
    i.extra = procedure_of(in, function);
    i.result = inliner_values(in, 1);
    i.operand_count = f->parameter_count;
    i.operands = inliner_operands(in, f->parameter_count);
    for (uint32_t k = 0; k < f->parameter_count; k++) {
        const bool given = k + 1 < call->operand_count;
        i.operands[k] = !given ? (struct operand){OPERAND_UNDEFINED, f->parameters[k], 0, 0, 0}
                        : call->numbers[k] > 0 ? copy_argument(in, call, k + 1, at)
                                               : call->operands[k + 1];
    }
    inliner_push(in, at, &i);
    return (struct operand){.kind = OPERAND_VALUE, .type = call->type, .number = i.result};
}

// One function at one call: its results are collected, control goes on in `next`.
static void place_function(struct inliner *in, const struct instruction *call, uint32_t function,
                           uint32_t at, uint32_t next, struct exits *results)
{
    assert(function < in->program->function_count);
    const struct function *f = &in->program->functions[function];
    if (stays(in, f)) {
        struct instruction direct = *call;
        direct.operands = inliner_operands(in, call->operand_count);
        memcpy(direct.operands, call->operands, call->operand_count * sizeof *call->operands);
        direct.operands[0] =
            (struct operand){.kind = OPERAND_FUNCTION, .type = {PROGRAM_POINTER, 0}};
        direct.operands[0].number = function;
        direct.result = inliner_values(in, 1);
        inliner_push(in, at, &direct);
        struct operand value = {.kind = OPERAND_VALUE, .type = call->type, .number = direct.result};
        VECTOR_PUSH(results, ((struct exit_point){at, value}));
        inliner_jump(in, at, next, call);
        return;
    }
    if (in->recursive != NULL && in->recursive[function] && arguments_fit(f, call)) {
        VECTOR_PUSH(results, ((struct exit_point){at, push_invocation(in, call, function, at)}));
        inliner_jump(in, at, next, call);
        return;
    }
    const bool fits = arguments_fit(f, call);
    const bool followed = fits || (in->recursive == NULL && has_plain_meaning(in, f, call));
    if (!followed || in->active[function] >= in->depth_limit) {
        push_cut(in, call,
                 followed ? "recursion goes deeper than it is followed"
                          : "a call with arguments of other types",
                 at);
        return;
    }
    struct exits exits = {0};
    const struct instruction as_declared = fits ? *call : fitted(in, f, call, at);
    uint32_t entry = copy_body(in, function, &as_declared, at, &exits);
    inliner_jump(in, at, entry, call);
    for (size_t i = 0; i < exits.count; i++) {
        struct exit_point *point = &exits.data[i];
        if (!fits && call->type.kind != PROGRAM_VOID && !in->too_large)
            point->value = as_type(in, call, point->block, point->value, call->type);
        inliner_jump(in, point->block, next, call);
        VECTOR_PUSH(results, *point);
    }
    VECTOR_FINISH(&exits);
}

// The value of a call is what the copies return.
static void push_results(struct inliner *in, const struct instruction *call, uint32_t next,
                         const struct exits *results)
{
    if (call->type.kind == PROGRAM_VOID)
        return;
    struct instruction phi = {.op = OP_PHI, .type = call->type, .result = call->result};
    phi.frame = call->frame;
    phi.at = call->at;
    phi.operand_count = phi.number_count = (uint32_t)results->count;
    phi.operands = inliner_operands(in, results->count);
    phi.numbers = inliner_numbers(in, results->count);
    for (size_t i = 0; i < results->count; i++) {
        phi.operands[i] = results->data[i].value;
        if (phi.operands[i].kind == OPERAND_UNKNOWN)
            phi.operands[i].kind = OPERAND_UNDEFINED;
        phi.operands[i].type = call->type;
        phi.numbers[i] = results->data[i].block;
    }
    inliner_push(in, next, &phi);
}

struct operand inliner_equal(struct inliner *in, uint32_t at, const struct instruction *like,
                             struct operand a, struct operand b)
{
    const struct operand both[2] = {a, b};
    const struct instruction test = {.op = OP_ICMP,
                                     .type = {PROGRAM_INTEGER, 1},
                                     .extra = COMPARE_EQ,
                                     .frame = like->frame,
                                     .at = like->at};
    return inliner_operation(in, at, test, both, 2, 0);
}

void inliner_branch(struct inliner *in, uint32_t at, const struct instruction *like,
                    struct operand condition, uint32_t then, uint32_t otherwise)
{
    struct instruction branch = {.op = OP_BRANCH, .frame = like->frame, .at = like->at};
    branch.operand_count = 1;
    branch.operands = inliner_operands(in, 1);
    branch.operands[0] = condition;
    branch.number_count = 4;
    branch.numbers = inliner_numbers(in, 4);
    branch.numbers[0] = then;
    branch.numbers[1] = otherwise;
    inliner_push(in, at, &branch);
}

static uint32_t push_test(struct inliner *in, const struct instruction *call, struct operand meant,
                          uint32_t at, uint32_t *otherwise)
{
    const struct operand test = inliner_equal(in, at, call, call->operands[0], meant);
    const uint32_t then = inliner_block(in);
    *otherwise = inliner_block(in);
    inliner_branch(in, at, call, test, then, *otherwise);
    return then;
}

static bool may_be_meant(const struct function *f, const struct instruction *call)
{
    return f->address_taken && f->parameter_count + 1 <= call->operand_count &&
           arguments_fit(f, call) && strncmp(f->name, "llvm.", 5) != 0;
}

static const char none_fits[] = "a call through a pointer to none of the functions that fit";

// There is nothing where null points to: to call it looks there.
static void push_call_of_null(struct inliner *in, const struct instruction *call, uint32_t *at)
{
    const struct operand null = {.kind = OPERAND_FIXED, .type = {PROGRAM_POINTER, 0}};
    uint32_t otherwise, then = push_test(in, call, null, *at, &otherwise);
    const struct instruction look = {
        .op = OP_LOAD, .type = {PROGRAM_INTEGER, 8}, .frame = call->frame, .at = call->at};
    inliner_operation(in, then, look, &null, 1, 1);
    push_cut(in, call, none_fits, then);
    *at = otherwise;
}

static const bool *meaning_of(struct inliner *in)
{
    const uint64_t hash = hash_mix((uint64_t)(uintptr_t)in->original);
    struct hash_probe probe = hash_index_probe(&in->meaning_index, hash);
    for (uint32_t k; hash_index_next(&in->meaning_index, &probe, &k);)
        if (in->meanings.data[k].call == in->original)
            return in->meanings.data[k].functions;
    hash_index_add(&in->meaning_index, hash, (uint32_t)in->meanings.count);
    bool *functions = meant_functions(in->program, in->caller, in->original);
    VECTOR_PUSH(&in->meanings, ((struct meaning){in->original, functions}));
    return functions;
}

// By function, to be freed: those of the call's type, and those of others that it plainly means, or, where it means none of these, all
// that it could.
static bool *candidates_of(struct inliner *in, const struct instruction *call)
{
    const uint32_t count = (uint32_t)in->program->function_count;
    bool *out = memory_zalloc(count + 1), *plain = memory_zalloc(count + 1);
    bool some = false, others = false;
    for (uint32_t f = 0; f < count; f++) {
        const struct function *function = &in->program->functions[f];
        out[f] = may_be_meant(function, call);
        plain[f] = !out[f] && function->address_taken && !stays(in, function) &&
                   has_plain_meaning(in, function, call);
        some = some || out[f];
        others = others || plain[f];
    }
    const bool *meant = others ? meaning_of(in) : NULL;
    for (uint32_t f = 0; f < count && others; f++)
        some = some || (plain[f] && meant[f]);
    for (uint32_t f = 0; f < count && others; f++)
        out[f] = out[f] || (plain[f] && (!some || meant[f]));
    memory_free(plain);
    return out;
}

static void place_indirect(struct inliner *in, const struct instruction *call, uint32_t *at)
{
    struct exits results = {0};
    uint32_t next = inliner_block(in);
    bool *candidates = candidates_of(in, call);
    for (uint32_t f = 0; f < in->program->function_count && !in->too_large; f++) {
        if (!candidates[f])
            continue;
        const struct operand meant = {OPERAND_FUNCTION, {PROGRAM_POINTER, 0}, f, 0, 0};
        uint32_t otherwise, then = push_test(in, call, meant, *at, &otherwise);
        place_function(in, call, f, then, next, &results);
        *at = otherwise;
    }
    memory_free(candidates);
    push_call_of_null(in, call, at);
    push_cut(in, call, none_fits, *at);
    push_results(in, call, next, &results);
    VECTOR_FINISH(&results);
    *at = next;
}

// What setjmp and longjmp of the library call. The buffer gets this copy's number; a jump chooses among all copies by what it finds there.
static bool place_far_jump(struct inliner *in, const struct instruction *call, uint32_t *at)
{
    const char *name = inliner_callee(in, call);
    if (strcmp(name, "__regatta_mark") == 0 && call->operand_count > 1) {
        const uint32_t next = inliner_block(in);
        VECTOR_PUSH(&in->marks, ((struct mark){next, call->frame}));
        store_at(in, *at, call, call->operands[1], 0, inliner_number(32, in->marks.count));
        inliner_jump(in, *at, next, call);
        *at = next;
        return true;
    }
    if (strcmp(name, "__regatta_jump") != 0 || call->operand_count < 2)
        return false;
    VECTOR_PUSH(&in->far_jumps, ((struct far_jump){*at, *call}));
    *at = inliner_block(in); // nothing leads there
    return true;
}

static void push_call(struct inliner *in, uint32_t at, const struct instruction *why,
                      const struct instruction *call, const struct function *callee)
{
    struct instruction out = *call;
    out.frame = why->frame;
    out.at = why->at;
    out.result = inliner_values(in, 1);
    if (callee != NULL)
        out.operands[0].number = (uint32_t)(callee - in->program->functions);
    inliner_push(in, at, &out);
}

// Lives of variables of the function that called setjmp, and of blocks that are left: they end, or that is a bound.
static void end_lives(struct inliner *in, uint32_t at, const struct instruction *jump,
                      uint32_t frame, const struct instruction *mark,
                      const struct instruction *leaving)
{
    const struct flat_frame *around = &in->flat->frames[frame];
    const struct copy c = {.function = &in->program->functions[around->function],
                           .frame = frame,
                           .base = around->value_base};
    const struct function *end = program_find_function(in->program, "llvm.lifetime.end.p0");
    const struct function *open = program_find_function(in->program, LEAVES_FUNCTIONS);
    struct ended_lives ended;
    if (jump_ends_lives(in->program, c.function, mark, leaving, &ended) &&
        (ended.count == 0 || end != NULL)) {
        for (size_t k = 0; k < ended.count; k++) {
            const struct instruction life = renamed(in, &c, ended.data[k]);
            push_call(in, at, jump, &life, end);
        }
    } else if (open != NULL) {
        struct instruction call = {.op = OP_CALL, .operand_count = 1};
        call.operands = inliner_operands(in, 1);
        call.operands[0] = (struct operand){.kind = OPERAND_FUNCTION, .type = {PROGRAM_POINTER, 0}};
        push_call(in, at, jump, &call, open);
    }
    memory_free(ended.data);
}

static const char nobody_waits[] = "a jump to where no call of setjmp waits";

// What ends on the way to a mark: the functions inside of the one that called setjmp, blocks of that one.
static uint32_t leave_for(struct inliner *in, const struct instruction *jump,
                          const struct mark *mark)
{
    const uint32_t out = inliner_block(in), around = in->flat->frames[mark->frame].parent;
    uint32_t frame = jump->frame, inside = frame;
    if (!flat_frame_is_inside(in->flat, frame, around)) {
        push_cut(in, jump, nobody_waits, out);
        return out;
    }
    for (; frame != around; frame = in->flat->frames[frame].parent) {
        inside = frame;
        push_mark(in, OP_LEAVE, out, frame, jump->at);
    }
    end_lives(in, out, jump, around, in->calls.data[mark->frame], in->calls.data[inside]);
    inliner_jump(in, out, mark->block, jump);
    return out;
}

static void end_far_jumps(struct inliner *in)
{
    for (size_t j = 0; j < in->far_jumps.count; j++) {
        const struct far_jump jump = in->far_jumps.data[j];
        const uint32_t nowhere = inliner_block(in);
        struct instruction choice = {.op = OP_SWITCH, .at = jump.call.at, .frame = jump.call.frame};
        choice.operand_count = choice.number_count = (uint32_t)in->marks.count + 1;
        choice.operands = inliner_operands(in, choice.operand_count);
        choice.numbers = inliner_numbers(in, choice.number_count);
        choice.operands[0] = jump.call.operands[1];
        choice.numbers[0] = nowhere;
        for (uint32_t m = 1; m < choice.operand_count; m++) {
            choice.operands[m] = inliner_number(32, m);
            choice.numbers[m] = leave_for(in, &jump.call, &in->marks.data[m - 1]);
        }
        inliner_push(in, jump.block, &choice);
        push_cut(in, &jump.call, nobody_waits, nowhere);
    }
}

// llvm.memcpy and its like have one argument more than the loops, and no result.
static void call_loop_instead(struct inliner *in, struct instruction *call)
{
    static const char *const loops[][2] = {{"llvm.memcpy.", "__regatta_copy_bytes"},
                                           {"llvm.memmove.", "__regatta_move_bytes"},
                                           {"llvm.memset.", "__regatta_fill_bytes"}};
    if (!in->options->copy_by_loops || call->operand_count < 4 ||
        call->operands[3].kind == OPERAND_CONSTANT)
        return;
    const char *name = inliner_callee(in, call);
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        const struct function *loop = program_find_function(in->program, loops[i][1]);
        if (!text_begins_with(name, loops[i][0]) || loop == NULL || !loop->defined)
            continue;
        call->operands[0].number = (uint32_t)(loop - in->program->functions);
        call->operand_count = 4;
        call->number_count = call->number_count < 3 ? call->number_count : 3;
        return;
    }
}

void inliner_call(struct inliner *in, struct instruction *call, uint32_t *at)
{
    call_loop_instead(in, call);
    const struct operand *callee = &call->operands[0];
    if (callee->kind == OPERAND_VALUE) {
        place_indirect(in, call, at);
        return;
    }
    if (place_far_jump(in, call, at) || inliner_fork(in, call, at))
        return;
    if (callee->kind != OPERAND_FUNCTION || stays(in, &in->program->functions[callee->number])) {
        inliner_push(in, *at, call);
        return;
    }
    struct exits results = {0};
    uint32_t next = inliner_block(in);
    place_function(in, call, callee->number, *at, next, &results);
    push_results(in, call, next, &results);
    VECTOR_FINISH(&results);
    *at = next;
}

// Making blocks long.

size_t flat_successors(const struct block *block, uint32_t *out, size_t most)
{
    if (block->count == 0)
        return 0;
    const struct instruction *last = &block->instructions[block->count - 1];
    size_t count = last->op == OP_SWITCH   ? last->number_count
                   : last->op == OP_BRANCH ? last->operand_count + 1
                                           : 0;
    for (size_t i = 0; i < count && i < most; i++)
        out[i] = (uint32_t)last->numbers[i];
    return count;
}

struct operand flat_resolve(const struct flat *f, struct operand o)
{
    for (uint32_t steps = 0; o.kind == OPERAND_VALUE && steps < f->value_count; steps++) {
        assert(o.number < f->value_count);
        const struct operand *to = &f->alias[o.number];
        if (to->kind == OPERAND_UNKNOWN)
            break;
        struct program_type type = o.type;
        o = *to;
        if (o.type.kind == PROGRAM_OTHER)
            o.type = type;
    }
    return o;
}

bool flat_frame_is_inside(const struct flat *flat, uint32_t frame, uint32_t outer)
{
    while (frame != outer && frame != 0)
        frame = flat->frames[frame].parent;
    return frame == outer;
}

static void mark_reachable(const struct flat *f, bool *reached)
{
    VECTOR(uint32_t) stack = {0};
    VECTOR_PUSH(&stack, 0);
    reached[0] = true;
    while (stack.count > 0) {
        const struct block *b = &f->blocks[VECTOR_POP(&stack)];
        size_t count = flat_successors(b, NULL, 0);
        const int64_t *targets = count > 0 ? b->instructions[b->count - 1].numbers : NULL;
        for (size_t i = 0; i < count; i++) {
            if (!reached[targets[i]]) {
                reached[targets[i]] = true;
                VECTOR_PUSH(&stack, (uint32_t)targets[i]);
            }
        }
    }
    VECTOR_FINISH(&stack);
}

// A branch whose condition is known, or whose targets agree, is a jump.
static bool decide_branch(struct flat *f, struct block *b)
{
    struct instruction *last = b->count > 0 ? &b->instructions[b->count - 1] : NULL;
    if (last == NULL || last->op != OP_BRANCH || last->operand_count == 0)
        return false;
    struct operand condition = flat_resolve(f, last->operands[0]);
    bool agree = last->numbers[0] == last->numbers[1];
    if (condition.kind != OPERAND_CONSTANT && !agree)
        return false;
    if (!agree && (condition.bits & 1) == 0)
        last->numbers[0] = last->numbers[1];
    last->numbers[1] = last->numbers[2];
    last->numbers[2] = last->numbers[3];
    last->operand_count = 0;
    last->number_count = 3;
    return true;
}

static void drop_operand(struct instruction *phi, uint32_t k)
{
    assert(k < phi->operand_count && phi->operand_count == phi->number_count);
    for (uint32_t n = k; n + 1 < phi->operand_count; n++) {
        phi->operands[n] = phi->operands[n + 1];
        phi->numbers[n] = phi->numbers[n + 1];
    }
    phi->operand_count--;
    phi->number_count--;
}

static bool leads_to(const struct block *b, uint32_t target)
{
    size_t count = flat_successors(b, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        if (b->instructions[b->count - 1].numbers[i] == target)
            return true;
    }
    return false;
}

// phi operands from blocks that do not come here any more go.
static bool clean_phis(struct flat *f, const bool *reached, uint32_t number)
{
    struct block *b = &f->blocks[number];
    bool changed = false;
    for (size_t k = 0; k < b->count; k++) {
        struct instruction *phi = &b->instructions[k];
        if (phi->op != OP_PHI)
            continue;
        for (uint32_t n = phi->operand_count; n-- > 0;) {
            uint32_t from = (uint32_t)phi->numbers[n];
            assert(from < f->block_count);
            if (!reached[from] || !leads_to(&f->blocks[from], number))
                drop_operand(phi, n);
        }
        struct operand only =
            phi->operand_count == 1 ? flat_resolve(f, phi->operands[0]) : no_alias;
        if (phi->operand_count == 1 && only.kind != OPERAND_UNDEFINED &&
            only.kind != OPERAND_UNKNOWN &&
            !(only.kind == OPERAND_VALUE && only.number == phi->result)) {
            f->alias[phi->result] = only;
            memmove(phi, phi + 1, (b->count - k - 1) * sizeof *phi);
            b->count--;
            k--;
            changed = true;
        }
    }
    return changed;
}

// Block `from` now ends where `to` did: phi operands follow.
static void move_phis(struct flat *f, uint32_t from, uint32_t to)
{
    const struct block *b = &f->blocks[from];
    size_t count = flat_successors(b, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        struct block *s = &f->blocks[b->instructions[b->count - 1].numbers[i]];
        for (size_t k = 0; k < s->count; k++) {
            struct instruction *phi = &s->instructions[k];
            for (uint32_t n = 0; phi->op == OP_PHI && n < phi->number_count; n++) {
                if (phi->numbers[n] == to)
                    phi->numbers[n] = from;
            }
        }
    }
}

static bool join_next(struct inliner *in, const uint32_t *entries, uint32_t number)
{
    struct flat *f = in->flat;
    struct block *b = &f->blocks[number];
    uint32_t next;
    if (flat_successors(b, &next, 1) != 1 || next == number || next == 0 || entries[next] != 1 ||
        b->instructions[b->count - 1].op != OP_BRANCH)
        return false;
    struct block *s = &f->blocks[next];
    if (s->count > 0 && s->instructions[0].op == OP_PHI)
        return false; // gone in the next round, or it has no value
    b->count--;
    for (size_t k = 0; k < s->count; k++)
        inliner_push(in, number, &s->instructions[k]);
    f->blocks[next].count = 0;
    move_phis(f, number, next);
    return true;
}

static void count_entries(const struct flat *f, const bool *reached, uint32_t *entries)
{
    memset(entries, 0, f->block_count * sizeof *entries);
    for (size_t b = 0; b < f->block_count; b++) {
        size_t count = reached[b] ? flat_successors(&f->blocks[b], NULL, 0) : 0;
        for (size_t i = 0; i < count; i++)
            entries[f->blocks[b].instructions[f->blocks[b].count - 1].numbers[i]]++;
    }
}

static void straighten(struct inliner *in)
{
    struct flat *f = in->flat;
    bool *reached = memory_zalloc(f->block_count * sizeof *reached);
    uint32_t *entries = memory_alloc(f->block_count * sizeof *entries);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = 0; b < f->block_count; b++)
            changed = decide_branch(f, &f->blocks[b]) || changed;
        memset(reached, 0, f->block_count * sizeof *reached);
        mark_reachable(f, reached);
        for (uint32_t b = 0; b < f->block_count; b++)
            changed = (reached[b] && clean_phis(f, reached, b)) || changed;
        count_entries(f, reached, entries);
        for (uint32_t b = 0; b < f->block_count; b++) {
            while (reached[b] && join_next(in, entries, b))
                changed = true;
        }
    }
    for (size_t b = 0; b < f->block_count; b++) {
        if (!reached[b])
            f->blocks[b].count = 0;
    }
    memory_free(reached);
    memory_free(entries);
}

// What was found to be a constant need not be computed.
static void drop_known(struct flat *f)
{
    for (size_t b = 0; b < f->block_count; b++) {
        struct block *block = &f->blocks[b];
        size_t kept = 0;
        for (size_t k = 0; k < block->count; k++) {
            const struct instruction *i = &block->instructions[k];
            bool pure = (i->op == OP_LOAD && i->extra == 0) || i->op == OP_GEP ||
                        (i->op >= OP_ADD && i->op <= OP_XOR) ||
                        (i->op >= OP_TRUNC && i->op <= OP_SEXT) || i->op == OP_ICMP;
            if (!pure || f->alias[i->result].kind == OPERAND_UNKNOWN)
                block->instructions[kept++] = *i;
        }
        block->count = kept;
    }
}

// Empty blocks go, numbers follow.
static void compact(struct flat *f)
{
    uint32_t *now = memory_alloc(f->block_count * sizeof *now), count = 0;
    for (size_t b = 0; b < f->block_count; b++)
        now[b] = f->blocks[b].count > 0 ? count++ : 0;
    for (size_t b = 0, to = 0; b < f->block_count; b++) {
        if (f->blocks[b].count == 0) {
            memory_free(f->blocks[b].instructions);
            continue;
        }
        f->blocks[to++] = f->blocks[b];
    }
    assert(count > 0 && now[0] == 0); // where the program begins stays
    f->block_count = count;
    for (size_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            struct instruction *i = &f->blocks[b].instructions[k];
            size_t targets =
                k + 1 == f->blocks[b].count ? flat_successors(&f->blocks[b], NULL, 0) : 0;
            if (i->op == OP_PHI)
                targets = i->number_count;
            for (size_t n = 0; n < targets; n++)
                i->numbers[n] = now[i->numbers[n]];
        }
    }
    memory_free(now);
}

static void resolve_operands(struct flat *f)
{
    f->definition = memory_alloc((f->value_count + 1) * sizeof *f->definition);
    for (size_t v = 0; v < f->value_count; v++)
        f->definition[v] = UINT32_MAX;
    for (uint32_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            struct instruction *i = &f->blocks[b].instructions[k];
            if (instruction_defines(i)) {
                assert(f->definition[i->result] == UINT32_MAX); // one instruction computes it
                f->definition[i->result] = b;
            }
            for (uint32_t n = 0; n < i->operand_count; n++)
                i->operands[n] = flat_resolve(f, i->operands[n]);
        }
    }
}

static void find_cycles(struct flat *f)
{
    VECTOR(uint32_t) targets = {0};
    uint32_t *first = memory_alloc((f->block_count + 1) * sizeof *first);
    struct components components;
    f->in_cycle = memory_zalloc((f->block_count + 1) * sizeof *f->in_cycle);
    for (uint32_t b = 0; b < f->block_count; b++) {
        size_t count = flat_successors(&f->blocks[b], NULL, 0);
        first[b] = (uint32_t)targets.count;
        VECTOR_RESERVE(&targets, targets.count + count + 1); // there is memory, also for none
        flat_successors(&f->blocks[b], targets.data + targets.count, count);
        targets.count += count;
        for (size_t i = first[b]; i < targets.count; i++)
            f->in_cycle[b] = f->in_cycle[b] || targets.data[i] == b;
    }
    first[f->block_count] = (uint32_t)targets.count;
    components_find(&components, f->block_count, first, targets.data, NULL);
    for (uint32_t b = 0; b < f->block_count; b++) {
        uint32_t c = components.of[b];
        assert(c > 0);
        f->in_cycle[b] = f->in_cycle[b] || components.begin[c] - components.begin[c - 1] > 1;
    }
    components_finish(&components);
    VECTOR_FINISH(&targets);
    memory_free(first);
}

// What atexit was given runs when main has returned.
static void end_program(struct inliner *in, uint32_t at)
{
    const struct function *handlers = program_find_function(in->program, "__regatta_run_handlers");
    const struct instruction end = {.op = OP_RETURN};
    struct exits exits = {0};
    if (handlers == NULL || !handlers->defined) {
        inliner_push(in, at, &end);
        return;
    }
    struct instruction call = {.op = OP_CALL, .operand_count = 1};
    uint32_t entry =
        copy_body(in, (uint32_t)(handlers - in->program->functions), &call, at, &exits);
    inliner_jump(in, at, entry, &call);
    for (size_t i = 0; i < exits.count; i++)
        inliner_push(in, exits.data[i].block, &end);
    VECTOR_FINISH(&exits);
}

#ifndef NDEBUG
static bool instruction_is_consistent(const struct flat *f, const struct instruction *i)
{
    for (uint32_t k = 0; k < i->operand_count; k++)
        if (i->operands[k].kind == OPERAND_VALUE && i->operands[k].number >= f->value_count)
            return false;
    for (uint32_t k = 0; i->op == OP_PHI && k < i->number_count; k++)
        if (i->operand_count != i->number_count || i->numbers[k] < 0 ||
            (size_t)i->numbers[k] >= f->block_count)
            return false;
    return i->frame < f->frame_count;
}

// Each block ends once, at its end, and leads to blocks that are there; operands are values that are there.
static bool flat_is_consistent(const struct flat *f)
{
    for (size_t b = 0; b < f->block_count; b++) {
        const struct block *block = &f->blocks[b];
        size_t successors = flat_successors(block, NULL, 0);
        for (size_t k = 0; k < block->count; k++)
            if (!instruction_is_consistent(f, &block->instructions[k]) ||
                opcode_ends_block(block->instructions[k].op) != (k + 1 == block->count))
                return false;
        for (size_t k = 0; k < successors; k++)
            if ((size_t)block->instructions[block->count - 1].numbers[k] >= f->block_count)
                return false;
        if (block->count == 0)
            return false;
    }
    return f->block_count > 0 && f->frame_count > 0;
}
#endif

// From its entry to its ends.
static uint32_t copy_procedure(struct inliner *in, uint32_t number)
{
    const uint32_t function = in->flat->procedures.data[number].function, entry = inliner_block(in);
    in->flat->procedures.data[number].first_value = (uint32_t)in->flat->value_count;
    const struct function *f = &in->program->functions[function];
    struct instruction call = {.op = OP_CALL, .operand_count = f->parameter_count + 1};
    call.at = f->blocks[0].instructions[0].at;
    call.operands = inliner_operands(in, call.operand_count);
    call.numbers = inliner_numbers(in, call.operand_count);
    struct instruction begin = {.op = OP_PROCEDURE, .at = call.at, .extra = number};
    begin.result = inliner_values(in, 1);
    inliner_push(in, entry, &begin);
    for (uint32_t k = 0; k < f->parameter_count; k++) {
        struct instruction input = {.op = OP_INPUT, .at = call.at, .extra = k};
        input.type = f->parameters[k];
        input.result = inliner_values(in, 1);
        inliner_push(in, entry, &input);
        call.operands[k + 1] =
            (struct operand){.kind = OPERAND_VALUE, .type = input.type, .number = input.result};
    }
    struct exits exits = {0};
    uint32_t body = copy_body(in, function, &call, entry, &exits);
    inliner_jump(in, entry, body, &call);
    for (size_t i = 0; i < exits.count && !in->too_large; i++) {
        struct instruction result = {.op = OP_RESULT, .at = call.at, .extra = number};
        result.result = inliner_values(in, 1);
        result.operands = inliner_operands(in, 1);
        result.operands[0] = exits.data[i].value;
        result.operand_count = exits.data[i].value.kind != OPERAND_UNKNOWN;
        inliner_push(in, exits.data[i].block, &result);
    }
    VECTOR_FINISH(&exits);
    in->flat->procedures.data[number].value_end = (uint32_t)in->flat->value_count;
    return entry;
}

// More procedures may come to light while those known are copied.
static void copy_procedures(struct inliner *in, uint32_t start, uint32_t entry)
{
    struct flat *f = in->flat;
    VECTOR(uint32_t) entries = {0};
    for (uint32_t i = 0; i < f->procedures.count && !in->too_large; i++) {
        uint32_t made = copy_procedure(in, i);
        VECTOR_PUSH(&entries, made);
    }
    struct instruction any = {.op = OP_FREEZE, .type = {PROGRAM_INTEGER, 32}};
    any.result = inliner_values(in, 1);
    any.operand_count = 1;
    any.operands = inliner_operands(in, 1);
    any.operands[0] = (struct operand){.kind = OPERAND_UNDEFINED, .type = any.type};
    inliner_push(in, start, &any);
    struct instruction choice = {.op = OP_SWITCH};
    choice.operand_count = choice.number_count = (uint32_t)entries.count + 1;
    choice.operands = inliner_operands(in, choice.operand_count);
    choice.numbers = inliner_numbers(in, choice.number_count);
    choice.operands[0] =
        (struct operand){.kind = OPERAND_VALUE, .type = any.type, .number = any.result};
    choice.numbers[0] = entry;
    for (uint32_t i = 0; i < entries.count; i++) {
        choice.operands[i + 1] = inliner_number(32, i + 1);
        choice.numbers[i + 1] = entries.data[i];
    }
    inliner_push(in, start, &choice);
    VECTOR_FINISH(&entries);
}

// How far is followed what may go on for ever.
struct reach {
    uint32_t depth;     // copies of a function inside one another
    uint32_t instances; // of threads that begin at one place in a loop
    bool counts;        // counters of threads' loops are told apart
    bool open;          // loops around threads that nobody knows the rounds of are copied
};

// What became of an attempt.
struct attempt {
    const char *refused; // why threads are not followed
    bool interleaved;    // the copies were small enough for that
    bool fork_in_loop;   // fewer instances make it smaller
    bool open_ended;     // and few are enough
    bool open_loops;     // which `open` of a reach is about, and races are not known
};

static void find_constants(struct inliner *in)
{
    for (int round = 0; round < MOST_ROUNDS && flat_simplify(in->flat); round++)
        straighten(in);
}

// With `recursive`: these functions as procedures. NULL: it is too large, or refused.
static struct flat *try_reach(const struct program *program, const struct flat_options *options,
                              struct reach reach, bool *recursive, struct attempt *attempt)
{
    const struct function *main = program_find_function(program, "main");
    struct flat *f = memory_zalloc(sizeof *f);
    f->program = program;
    f->recursion = reach.depth;
    f->instances = reach.instances;
    f->counts = reach.counts;
    f->copies_open = reach.open;
    arena_init(&f->arena);
    struct inliner in = {.flat = f,
                         .program = program,
                         .options = options,
                         .depth_limit = reach.depth,
                         .instances = reach.instances,
                         .copies_open = reach.open,
                         .recursive = recursive};
    in.active = memory_zalloc((program->function_count + 1) * sizeof *in.active);
    in.copies = memory_zalloc((program->function_count + 1) * sizeof *in.copies);
    uint32_t start = inliner_block(&in);
    const struct instruction call = {.op = OP_CALL, .operand_count = 1};
    struct exits exits = {0};
    uint32_t entry = copy_body(&in, (uint32_t)(main - program->functions), &call, start, &exits);
    if (recursive == NULL)
        inliner_jump(&in, start, entry, &call);
    for (size_t i = 0; i < exits.count && !in.too_large; i++)
        end_program(&in, exits.data[i].block);
    if (recursive != NULL && !in.too_large)
        copy_procedures(&in, start, entry);
    if (!in.too_large && recursive == NULL)
        inliner_end_forks(&in);
    if (!in.too_large)
        end_far_jumps(&in);
    // A procedure ends where it returns, and nobody else runs meanwhile.
    const bool is_no_procedure =
        recursive != NULL && (in.far_jumps.count > 0 || in.forks.count > 0);
    *attempt = (struct attempt){.fork_in_loop = in.fork_in_loop};
    if (!in.too_large && in.forks.count > 0 && !is_no_procedure) {
        // In a plain program too: its threads are asked as often, and in the same order.
        straighten(&in);
        find_constants(&in);
        drop_known(f);
        attempt->refused = threads_interleave(&in, reach.counts);
        attempt->interleaved = true;
        attempt->open_ended = in.open_ended;
        attempt->open_loops = in.open_loops && !in.raceless;
    }
    if (!in.too_large && f->threads == 0)
        inliner_number_thread(&in);
    VECTOR_FINISH(&exits);
    VECTOR_FINISH(&in.marks);
    VECTOR_FINISH(&in.far_jumps);
    VECTOR_FINISH(&in.forks);
    VECTOR_FINISH(&in.calls);
    if (in.too_large || is_no_procedure || attempt->refused != NULL) {
        flat_destroy(f);
        f = NULL;
    } else {
        struct flat_options unlimited = *options;
        unlimited.most_instructions = SIZE_MAX;
        in.options = &unlimited;
        straighten(&in);
        if (!options->plain)
            find_constants(&in);
        if (!options->plain) {
            const bool unrolled = flat_unroll(f, options->keeps_long);
            straighten(&in);
            if (unrolled)
                find_constants(&in);
            int round = 0;
            while (options->loads_again && round < MOST_ROUNDS &&
                   flat_find_loads_again(f, options->variables_stay))
                round++;
            drop_known(f);
        }
        compact(f);
        resolve_operands(f);
        find_cycles(f);
    }
    assert(f == NULL || flat_is_consistent(f));
    for (size_t i = 0; i < in.meanings.count; i++)
        memory_free(in.meanings.data[i].functions);
    VECTOR_FINISH(&in.meanings);
    hash_index_finish(&in.meaning_index);
    memory_free(in.active);
    memory_free(in.copies);
    return f;
}

// A program of many instructions whose functions are copied once each is as large as it was; what is to be limited is what the
// copies add.
#define MOST_OWN 400000

static size_t allowed_instructions(const struct program *program, size_t most)
{
    size_t own = 0;
    for (size_t f = 0; f < program->function_count; f++)
        for (size_t b = 0; b < program->functions[f].block_count; b++)
            own += program->functions[f].blocks[b].count;
    size_t twice = 2 * (own < MOST_OWN / 2 ? own : MOST_OWN / 2);
    return most > twice ? most : twice;
}

struct flat *flat_create(const struct program *program, const struct flat_options *asked,
                         struct messages *messages)
{
    struct flat_options allowed = *asked, *options = &allowed;
    allowed.most_instructions = allowed_instructions(program, asked->most_instructions);
    const struct function *start = program_find_function(program, "main");
    struct position whole = {program->file_count > 0 ? program->files[0] : NULL, 0, 0};
    if (start == NULL || !start->defined) {
        message_add(messages, MESSAGE_ERROR, whole, "found no function `main`, expected one");
        return NULL;
    }
    struct attempt last = {0};
    // Without open copies it is asked first whether there are races at all, however many threads begin.
    struct reach reach = {options->most_depth, MOST_INSTANCES, true, !options->races};
    struct flat *kept = NULL;
    while (reach.depth > 0 && last.refused == NULL) {
        struct flat *f = try_reach(program, options, reach, NULL, &last);
        if (f != NULL && last.open_loops && !reach.open) {
            kept = f;
            reach = (struct reach){options->most_depth, MOST_INSTANCES, true, true};
            continue;
        }
        if (f != NULL) {
            flat_destroy(kept);
            return f;
        }
        if (last.open_ended)
            reach.instances = THREADS_FEW;
        else if (last.interleaved && reach.counts)
            reach.counts = false;
        else if (last.fork_in_loop && reach.instances > 1)
            reach = (struct reach){reach.depth, (reach.instances + 1) / 2, true, reach.open};
        else
            reach = (struct reach){reach.depth / 2, MOST_INSTANCES, true, reach.open};
    }
    if (kept != NULL)
        return kept;
    if (last.refused != NULL) {
        message_add(messages, MESSAGE_UNSUPPORTED, whole, "%s", last.refused);
        return NULL;
    }
    message_add(messages, MESSAGE_UNSUPPORTED, whole,
                last.interleaved
                    ? "a program with too many interleavings of its threads (more than "
                      "%zu instructions)"
                    : "a program of more than %zu instructions after copying "
                      "functions to their calls",
                last.interleaved ? THREADS_LARGER * options->most_instructions
                                 : options->most_instructions);
    return NULL;
}

struct flat *flat_create_plain(const struct flat *flat, const struct flat_options *options)
{
    struct attempt ignored;
    struct flat_options plain = *options;
    plain.plain = true;
    plain.most_instructions = SIZE_MAX; // it was small enough before
    struct flat *made =
        try_reach(flat->program, &plain,
                  (struct reach){flat->recursion, flat->instances, flat->counts, flat->copies_open},
                  NULL, &ignored);
    assert(made != NULL);
    return made;
}

// Procedures.

struct function_list {
    uint32_t *data;
    size_t count, capacity;
};

// The functions that a call may mean, each a number of one that has a body.
static void add_callees(const struct program *program, const struct flat_options *options,
                        const struct instruction *call, struct function_list *out)
{
    const struct operand *callee = &call->operands[0];
    const struct inliner in = {.program = program, .options = options};
    for (uint32_t f = 0; f < program->function_count; f++) {
        const struct function *function = &program->functions[f];
        bool meant =
            callee->kind == OPERAND_FUNCTION ? callee->number == f : function->address_taken;
        if (meant && !stays(&in, function))
            VECTOR_PUSH(out, f);
    }
}

// By function: it may call itself, directly or through others.
static bool *find_recursive(const struct program *program, const struct flat_options *options)
{
    struct function_list callees = {0};
    uint32_t *first = memory_alloc((program->function_count + 1) * sizeof *first);
    bool *recursive = memory_zalloc(program->function_count + 1);
    for (uint32_t f = 0; f < program->function_count; f++) {
        const struct function *function = &program->functions[f];
        first[f] = (uint32_t)callees.count;
        for (size_t b = 0; b < function->block_count; b++)
            for (size_t k = 0; k < function->blocks[b].count; k++)
                if (function->blocks[b].instructions[k].op == OP_CALL)
                    add_callees(program, options, &function->blocks[b].instructions[k], &callees);
        for (size_t i = first[f]; i < callees.count; i++)
            recursive[f] = recursive[f] || callees.data[i] == f;
    }
    first[program->function_count] = (uint32_t)callees.count;
    VECTOR_RESERVE(&callees, callees.count + 1); // there is memory, also for none
    struct components components;
    components_find(&components, program->function_count, first, callees.data, NULL);
    for (uint32_t f = 0; f < program->function_count; f++) {
        uint32_t c = components.of[f];
        recursive[f] = recursive[f] || components.begin[c] - components.begin[c - 1] > 1;
    }
    components_finish(&components);
    VECTOR_FINISH(&callees);
    memory_free(first);
    return recursive;
}

static bool is_number(struct program_type type)
{
    return type.kind == PROGRAM_INTEGER || type.kind == PROGRAM_FLOAT;
}

// A function that is a list's reader, or has no body, is no procedure, whatever runs or proofs could do with it.
static bool can_be_called(const struct function *f)
{
    return !f->variadic && f->block_count > 0 && f->blocks[0].count > 0;
}

static bool can_be_procedure(const struct function *f)
{
    bool good = can_be_called(f) && (f->result.kind == PROGRAM_VOID || is_number(f->result));
    for (uint32_t k = 0; k < f->parameter_count; k++)
        good = good && is_number(f->parameters[k]);
    return good;
}

// `all`: of those that are not recursive whichever suit.
static struct flat *create_procedures(const struct program *program,
                                      const struct flat_options *options,
                                      bool (*suits)(const struct function *f), bool all)
{
    const struct function *start = program_find_function(program, "main");
    if (start == NULL || !start->defined)
        return NULL;
    bool *chosen = find_recursive(program, options), any = false;
    for (uint32_t i = 0; i < program->function_count; i++) {
        const struct function *f = &program->functions[i];
        chosen[i] = chosen[i] || (all && f != start && f->defined && suits(f));
        any = any || chosen[i];
    }
    struct attempt ignored;
    struct flat *f =
        any ? try_reach(program, options, (struct reach){1, 1, false, false}, chosen, &ignored)
            : NULL;
    bool good = f != NULL && f->procedures.count > 0;
    for (size_t i = 0; good && i < f->procedures.count; i++)
        good = suits(&program->functions[f->procedures.data[i].function]);
    memory_free(chosen);
    if (good)
        return f;
    flat_destroy(f);
    return NULL;
}

struct flat *flat_create_procedures(const struct program *program,
                                    const struct flat_options *options)
{
    struct arena *arena = memory_zalloc(sizeof *arena);
    arena_init(arena);
    bool *recursive = find_recursive(program, options);
    const struct program *shared = program_share(program, recursive, arena);
    struct flat *f = create_procedures(shared, options, can_be_procedure, false);
    memory_free(recursive);
    if (f != NULL && shared != program) {
        f->shared = arena;
        return f;
    }
    arena_finish(arena);
    memory_free(arena);
    return f;
}

// Is the value of this block looked at behind a call that returns?
static bool *find_kept(const struct flat *f)
{
    bool *kept = memory_zalloc(f->value_count + 1);
    uint32_t *made = memory_zalloc((f->value_count + 1) * sizeof *made);
    for (uint32_t b = 0; b < f->block_count; b++) {
        uint32_t calls = 0; // so far in this block
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++) {
                const struct operand *o = &i->operands[n];
                if (o->kind == OPERAND_VALUE &&
                    (i->op == OP_PHI || f->definition[o->number] != b || made[o->number] != calls))
                    kept[o->number] = true;
            }
            calls += i->op == OP_INVOKE;
            if (instruction_defines(i))
                made[i->result] = calls;
            if (i->op == OP_ALLOCA)
                kept[i->result] = true; // who asks whose variable it is looks there
        }
    }
    memory_free(made);
    return kept;
}

static void list_kept(struct flat *f)
{
    bool *kept = find_kept(f);
    for (size_t p = 0; p < f->procedures.count; p++) {
        struct flat_procedure *procedure = &f->procedures.data[p];
        const uint32_t count = procedure->value_end - procedure->first_value;
        procedure->kept = arena_alloc(&f->arena, (count + 1) * sizeof *procedure->kept);
        for (uint32_t v = procedure->first_value; v < procedure->value_end; v++) {
            if (kept[v])
                procedure->kept[procedure->kept_count++] = v;
        }
    }
    memory_free(kept);
}

struct flat *flat_create_deep(const struct program *program, const struct flat_options *options,
                              bool all)
{
    struct flat_options plain = *options;
    plain.plain = true;
    plain.most_instructions = allowed_instructions(program, options->most_instructions);
    struct flat *f = create_procedures(program, &plain, can_be_called, all);
    if (f != NULL)
        list_kept(f);
    return f;
}

uint32_t flat_entry(const struct flat *flat, uint32_t procedure)
{
    const struct block *b = &flat->blocks[0];
    const struct instruction *choice = &b->instructions[b->count - 1];
    assert(choice->op == OP_SWITCH && procedure + 1 < choice->number_count);
    return (uint32_t)choice->numbers[procedure + 1];
}

uint32_t flat_start(const struct flat *flat)
{
    const struct block *b = &flat->blocks[0];
    return flat->procedures.count == 0 ? 0 : (uint32_t)b->instructions[b->count - 1].numbers[0];
}

const char *flat_callee(const struct flat *flat, const struct instruction *call)
{
    const struct operand *callee = &call->operands[0];
    return callee->kind == OPERAND_FUNCTION ? flat->program->functions[callee->number].name : "";
}

uint32_t flat_origin(const struct flat *flat, uint32_t value)
{
    return flat->origin == NULL || value < flat->first_copy
               ? value
               : flat->origin[value - flat->first_copy];
}

static bool holds(const struct block *b, const struct instruction *i)
{
    return i >= b->instructions && i < b->instructions + b->count;
}

static const struct operand *first_shifted(const struct block *b)
{
    for (size_t k = 0; k < b->count; k++) {
        if (b->instructions[k].op == OP_SHL)
            return &b->instructions[k].operands[0];
    }
    return NULL;
}

// clang branches on its check: to the shift, or to the trap.
const struct operand *flat_shifted(const struct flat *flat, const struct instruction *trap)
{
    uint32_t next[2];
    for (size_t b = 0; b < flat->block_count; b++) {
        if (flat_successors(&flat->blocks[b], next, 2) != 2)
            continue;
        for (int k = 0; k < 2; k++) {
            if (holds(&flat->blocks[next[k]], trap))
                return first_shifted(&flat->blocks[next[1 - k]]);
        }
    }
    return NULL;
}

void flat_destroy(struct flat *flat)
{
    if (flat == NULL)
        return;
    for (size_t b = 0; b < flat->block_count; b++)
        memory_free(flat->blocks[b].instructions);
    memory_free(flat->blocks);
    memory_free(flat->frames);
    VECTOR_FINISH(&flat->procedures);
    memory_free(flat->alias);
    memory_free(flat->origin);
    memory_free(flat->definition);
    memory_free(flat->in_cycle);
    arena_finish(&flat->arena);
    if (flat->shared != NULL)
        arena_finish(flat->shared);
    memory_free(flat->shared);
    memory_free(flat);
}
