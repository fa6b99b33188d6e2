#include "languages/programs/simplify.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "languages/programs/dominators.h"
#include "languages/programs/float_bits.h"
#include "languages/programs/places.h"

// What is known of a slot: all its uses are loads and stores of one type at its beginning.
struct slot {
    bool is_slot, escapes;
    uint32_t stores;
    uint32_t block, index; // of the store
    const struct instruction *store;
    struct program_type type;
    int64_t bytes;
};

struct simplifier {
    struct flat *flat;
    struct slot *slots;                    // by value
    const struct instruction **definition; // by value
    struct dominators dominators;
};

static bool is_number(const struct operand *o)
{
    return o->kind == OPERAND_CONSTANT && o->type.kind == PROGRAM_INTEGER && o->type.bits >= 1 &&
           o->type.bits <= 128;
}

static struct operand number(struct program_type type, program_word bits)
{
    return (struct operand){OPERAND_CONSTANT, type, 0, 0, program_low_bits(bits, type.bits)};
}

static bool has_value(const struct simplifier *s, const struct instruction *i)
{
    return s->flat->alias[i->result].kind != OPERAND_UNKNOWN;
}

static bool give(struct simplifier *s, const struct instruction *i, struct operand value)
{
    // What stands for it is known, and is not it.
    assert(value.kind != OPERAND_UNKNOWN &&
           (value.kind != OPERAND_VALUE || value.number != i->result));
    value.type = i->type;
    s->flat->alias[i->result] = value;
    return true;
}

// Folding. What has no meaning (a division by zero, a wide shift) stays an instruction.

static bool binary(const struct instruction *i, const struct operand *a, const struct operand *b,
                   struct operand *out)
{
    uint32_t w = a->type.bits;
    program_word x = a->bits, y = b->bits, r;
    if (!is_number(a) || !is_number(b))
        return false;
    switch (i->op) {
    case OP_ADD:
        r = x + y;
        break;
    case OP_SUB:
        r = x - y;
        break;
    case OP_MUL:
        r = x * y;
        break;
    case OP_AND:
        r = x & y;
        break;
    case OP_OR:
        r = x | y;
        break;
    case OP_XOR:
        r = x ^ y;
        break;
    case OP_SHL:
    case OP_LSHR:
    case OP_ASHR:
        if (y >= w)
            return false;
        r = i->op == OP_SHL    ? x << y
            : i->op == OP_LSHR ? x >> y
                               : (program_word)(program_as_signed(x, w) >> y);
        break;
    case OP_UDIV:
    case OP_UREM:
        if (y == 0)
            return false;
        r = i->op == OP_UDIV ? x / y : x % y;
        break;
    case OP_SDIV:
    case OP_SREM:
        if (y == 0 || program_as_signed(y, w) == -1)
            return false;
        r = i->op == OP_SDIV ? (program_word)(program_as_signed(x, w) / program_as_signed(y, w))
                             : (program_word)(program_as_signed(x, w) % program_as_signed(y, w));
        break;
    default:
        return false;
    }
    *out = number(i->type, r);
    return true;
}

static bool compare(uint64_t predicate, program_word a, program_word b, uint32_t w)
{
    __int128 x = program_as_signed(a, w), y = program_as_signed(b, w);
    switch (predicate) {
    case COMPARE_EQ:
        return a == b;
    case COMPARE_NE:
        return a != b;
    case COMPARE_UGT:
        return a > b;
    case COMPARE_UGE:
        return a >= b;
    case COMPARE_ULT:
        return a < b;
    case COMPARE_ULE:
        return a <= b;
    case COMPARE_SGT:
        return x > y;
    case COMPARE_SGE:
        return x >= y;
    case COMPARE_SLT:
        return x < y;
    default:
        return x <= y;
    }
}

static bool cast(const struct instruction *i, const struct operand *a, struct operand *out)
{
    if (!is_number(a) || i->type.kind != PROGRAM_INTEGER || i->type.bits > 128)
        return false;
    program_word r =
        i->op == OP_SEXT ? (program_word)program_as_signed(a->bits, a->type.bits) : a->bits;
    *out = number(i->type, r);
    return true;
}

// To a double where that has the number, so that no direction of rounding matters.
static bool to_double(const struct instruction *i, const struct operand *a, struct operand *out)
{
    double value;
    if (a->kind != OPERAND_CONSTANT || i->type.kind != PROGRAM_FLOAT || i->type.bits != 64 ||
        a->type.bits > 32)
        return false;
    if (i->op == OP_FPEXT)
        value = float_of_bits((uint64_t)a->bits);
    else if (i->op == OP_SITOFP)
        value = (double)(int64_t)program_as_signed(a->bits, a->type.bits);
    else
        value = (double)(uint64_t)a->bits;
    if (value != value || (i->op == OP_FPEXT && a->type.bits != 32))
        return false;
    *out =
        (struct operand){.kind = OPERAND_CONSTANT, .type = i->type, .bits = bits_of_double(value)};
    return true;
}

bool simplify_numbers(const struct instruction *i, const struct operand *a, const struct operand *b,
                      struct operand *out)
{
    if (i->op == OP_FPEXT || i->op == OP_SITOFP || i->op == OP_UITOFP)
        return to_double(i, a, out);
    if (i->op >= OP_ADD && i->op <= OP_XOR)
        return binary(i, a, b, out);
    if (i->op == OP_TRUNC || i->op == OP_ZEXT || i->op == OP_SEXT)
        return cast(i, a, out);
    if (i->op != OP_ICMP || !is_number(a) || !is_number(b))
        return false;
    *out = number(i->type, compare(i->extra, a->bits, b->bits, a->type.bits));
    return true;
}

static bool is_some_object(const struct simplifier *s, const struct operand *o)
{
    const struct instruction *d = o->kind == OPERAND_VALUE ? s->definition[o->number] : NULL;
    return (o->kind == OPERAND_ADDRESS && o->offset == 0) || o->kind == OPERAND_FUNCTION ||
           (d != NULL && d->op == OP_ALLOCA);
}

static bool is_null(const struct operand *o)
{
    return o->kind == OPERAND_FIXED && o->offset == 0;
}

static bool fold_comparison(struct simplifier *s, const struct instruction *i,
                            const struct operand *a, const struct operand *b)
{
    bool with_null = (is_null(a) && is_some_object(s, b)) || (is_null(b) && is_some_object(s, a));
    if (i->extra > COMPARE_NE || !(with_null || (is_null(a) && is_null(b))))
        return false;
    return give(s, i, number(i->type, with_null == (i->extra == COMPARE_NE)));
}

bool simplify_moves(const struct flat *flat, const struct instruction *gep, int64_t *offset)
{
    int64_t by = gep->numbers[0];
    for (uint32_t k = 1; k < gep->operand_count; k++) {
        struct operand index = flat_resolve(flat, gep->operands[k]);
        int64_t step;
        if (!is_number(&index) ||
            __builtin_mul_overflow(program_as_signed(index.bits, index.type.bits), gep->numbers[k],
                                   &step) ||
            __builtin_add_overflow(by, step, &by))
            return false;
    }
    return !__builtin_add_overflow(*offset, by, offset);
}

static bool fold_address(struct simplifier *s, const struct instruction *i)
{
    struct operand base = flat_resolve(s->flat, i->operands[0]);
    if (base.kind != OPERAND_ADDRESS || !simplify_moves(s->flat, i, &base.offset) ||
        base.offset < 0 || base.offset > INT32_MAX)
        return false;
    return give(s, i, base);
}

bool simplify_initial(const struct program *program, const struct operand *address,
                      struct program_type type, uint64_t bytes, struct operand *out)
{
    const struct global *g = &program->globals[address->number];
    if (g->external || address->offset < 0)
        return false;
    uint64_t from = (uint64_t)address->offset, to = from + bytes;
    for (size_t d = 0; d < g->data_count; d++) {
        const struct program_data *data = &g->data[d];
        if (data->offset == from && data->bytes == to - from &&
            program_same_type(data->value.type, type) && data->value.kind != OPERAND_UNDEFINED &&
            data->value.kind != OPERAND_UNKNOWN) {
            *out = data->value;
            return true;
        }
        if (data->offset < to && from < data->offset + data->bytes)
            return false;
    }
    *out = number(type, 0);
    return to <= g->bytes && type.kind == PROGRAM_INTEGER && type.bits <= 128;
}

static bool fold_load(struct simplifier *s, const struct instruction *i)
{
    struct operand a = flat_resolve(s->flat, i->operands[0]), value;
    return a.kind == OPERAND_ADDRESS && i->extra == 0 &&
           s->flat->program->globals[a.number].constant &&
           simplify_initial(s->flat->program, &a, i->type, (uint64_t)i->numbers[0], &value) &&
           give(s, i, value);
}

// Slots.

static void note_use(struct simplifier *s, const struct instruction *i, uint32_t block,
                     uint32_t index, uint32_t k)
{
    struct operand o = flat_resolve(s->flat, i->operands[k]);
    struct slot *slot = o.kind == OPERAND_VALUE ? &s->slots[o.number] : NULL;
    if (slot == NULL || !slot->is_slot)
        return;
    bool access = i->extra == 0 && ((i->op == OP_LOAD && k == 0) || (i->op == OP_STORE && k == 1));
    bool typed = access && (slot->bytes == 0 || (program_same_type(slot->type, i->type) &&
                                                 slot->bytes == i->numbers[0]));
    if (!typed) {
        slot->escapes = slot->escapes || !flat_is_lifetime(s->flat, i);
        return;
    }
    slot->type = i->type;
    slot->bytes = i->numbers[0];
    if (i->op == OP_STORE) {
        slot->stores++;
        slot->store = i;
        slot->block = block;
        slot->index = index;
    }
}

static void find_slots(struct simplifier *s)
{
    const struct flat *f = s->flat;
    for (uint32_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            if (i->op == OP_ALLOCA)
                s->slots[i->result].is_slot = true;
        }
    }
    for (uint32_t b = 0; b < f->block_count; b++) {
        for (uint32_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++)
                note_use(s, i, b, k, n);
        }
    }
}

// The same whenever it is looked at.
static bool never_changes(const struct simplifier *s, const struct operand *o)
{
    const struct instruction *d = o->kind == OPERAND_VALUE ? s->definition[o->number] : NULL;
    if (o->kind == OPERAND_CONSTANT)
        return o->type.kind == PROGRAM_INTEGER || o->type.kind == PROGRAM_FLOAT;
    return o->kind == OPERAND_ADDRESS || o->kind == OPERAND_FUNCTION || o->kind == OPERAND_FIXED ||
           (d != NULL && d->op == OP_ALLOCA && d->number_count == 1);
}

static bool forward(struct simplifier *s, const struct instruction *i, uint32_t block,
                    uint32_t index)
{
    struct operand a = flat_resolve(s->flat, i->operands[0]);
    const struct slot *slot = a.kind == OPERAND_VALUE ? &s->slots[a.number] : NULL;
    if (slot == NULL || !slot->is_slot || slot->escapes || slot->stores != 1)
        return false;
    bool before = slot->block == block ? slot->index < index
                                       : dominators_has(&s->dominators, slot->block, block);
    struct operand value = flat_resolve(s->flat, slot->store->operands[0]);
    return before && program_same_type(slot->type, i->type) && never_changes(s, &value) &&
           give(s, i, value);
}

static bool simplify_instruction(struct simplifier *s, const struct instruction *i, uint32_t block,
                                 uint32_t index)
{
    if (i->type.kind == PROGRAM_VOID || i->op == OP_STORE || has_value(s, i))
        return false;
    struct operand a = {0}, b = {0};
    if (i->operand_count > 0)
        a = flat_resolve(s->flat, i->operands[0]);
    if (i->operand_count > 1)
        b = flat_resolve(s->flat, i->operands[1]);
    struct operand known;
    if (simplify_numbers(i, &a, &b, &known))
        return give(s, i, known);
    if (i->op == OP_ICMP)
        return fold_comparison(s, i, &a, &b);
    if (i->op == OP_GEP)
        return fold_address(s, i);
    if (i->op == OP_LOAD)
        return forward(s, i, block, index) || fold_load(s, i);
    return false;
}

bool flat_simplify(struct flat *flat)
{
    struct simplifier s = {.flat = flat};
    bool changed = false;
    s.slots = memory_zalloc((flat->value_count + 1) * sizeof *s.slots);
    s.definition = flat_definitions(flat);
    find_slots(&s);
    dominators_find(&s.dominators, flat);
    for (uint32_t b = 0; b < flat->block_count; b++) {
        for (uint32_t k = 0; k < flat->blocks[b].count; k++)
            changed = simplify_instruction(&s, &flat->blocks[b].instructions[k], b, k) || changed;
    }
    memory_free(s.slots);
    memory_free(s.definition);
    dominators_finish(&s.dominators);
    return changed;
}
