#include "base/memory.h"
#include "languages/programs/translate_inside.h"
#include "logic/terms/float_terms.h"

// Operands and operations as terms. i1 is a Boolean, a pointer one bit-vector (object, offset), a float its bits.

const struct sort *lowering_sort(struct translator *t, struct program_type type)
{
    switch (type.kind) {
    case PROGRAM_INTEGER:
        return type.bits == 1 ? sort_bool(t->store) : sort_bv(t->store, type.bits);
    case PROGRAM_POINTER:
        return sort_bv(t->store, t->pointer_bits);
    case PROGRAM_FLOAT:
        return sort_bv(t->store, type.bits);
    default:
        return NULL;
    }
}

static const struct term *wide(struct translator *t, uint32_t width, program_word bits)
{
    if (width <= 64)
        return term_bv(t->store, width, (uint64_t)bits);
    return term_bv_binary(t->store, TERM_BV_CONCAT,
                          term_bv(t->store, width - 64, (uint64_t)(bits >> 64)),
                          term_bv(t->store, 64, (uint64_t)bits));
}

const struct term *lowering_pointer(struct translator *t, uint32_t object, int64_t offset)
{
    return term_bv_binary(t->store, TERM_BV_CONCAT, term_bv(t->store, t->object_bits, object),
                          term_bv(t->store, t->offset_bits, (uint64_t)offset));
}

const struct term *lowering_object_part(struct translator *t, const struct term *pointer)
{
    return term_bv_extract(t->store, pointer, t->pointer_bits - 1, t->offset_bits);
}

const struct term *lowering_points_into(struct translator *t, const struct term *pointer,
                                        uint32_t object)
{
    return term_eq(t->store, lowering_object_part(t, pointer),
                   term_bv(t->store, t->object_bits, object));
}

const struct term *lowering_offset_part(struct translator *t, const struct term *pointer)
{
    return term_bv_extract(t->store, pointer, t->offset_bits - 1, 0);
}

const struct term *lowering_move(struct translator *t, const struct term *pointer,
                                 const struct term *by)
{
    const struct term *offset =
        term_bv_binary(t->store, TERM_BV_ADD, lowering_offset_part(t, pointer), by);
    return term_bv_binary(t->store, TERM_BV_CONCAT, lowering_object_part(t, pointer), offset);
}

const struct term *lowering_operand(struct translator *t, const struct operand *o)
{
    const struct sort *sort = lowering_sort(t, o->type);
    switch (o->kind) {
    case OPERAND_VALUE:
        if (t->value[o->number] != NULL)
            return t->value[o->number];
        if (sort != NULL)
            return lowering_any(t, sort, "undefined"); // no path comes here from where it is made
        break;
    case OPERAND_CONSTANT:
        if (sort != NULL && sort->kind == SORT_BOOL)
            return term_bool(t->store, o->bits & 1);
        if (sort != NULL)
            return wide(t, sort->width, o->bits);
        break;
    case OPERAND_ADDRESS:
        return lowering_pointer(t, t->objects->global_object[o->number], o->offset);
    case OPERAND_FUNCTION:
        return lowering_pointer(t, t->objects->function_object[o->number], 0);
    case OPERAND_FIXED:
        return lowering_pointer(t, 0, o->offset);
    case OPERAND_UNDEFINED:
        if (sort != NULL)
            return lowering_any(t, sort, "undefined");
        break;
    case OPERAND_UNKNOWN:
        break;
    }
    lowering_unsupported(t, "a value of this kind or width");
    return sort != NULL ? term_default(t->store, sort) : term_false(t->store);
}

// A pointer as a number: only whether it is null is known.
const struct term *lowering_pointer_number(struct translator *t, const struct term *pointer)
{
    pointer = lowering_settled(t, pointer);
    const struct term *object = lowering_object_part(t, pointer);
    const struct term *none = term_eq(t->store, object, term_bv(t->store, t->object_bits, 0));
    if (term_is_true(none))
        return lowering_offset_part(t, pointer);
    const struct sort *sort = sort_bv(t->store, t->offset_bits);
    const struct term *held = pointer;
    lowering_hold(t, &held);
    const struct term *any = lowering_any(t, sort, "address");
    lowering_release(t);
    none = lowering_points_into(t, held, 0);
    const struct term *zero = term_bv(t->store, t->offset_bits, 0);
    lowering_assume(t, term_implies(t->store, term_not(t->store, none),
                                    term_not(t->store, term_eq(t->store, any, zero))));
    return term_ite(t->store, none, lowering_offset_part(t, held), any);
}

const struct term *lowering_number_pointer(struct translator *t, const struct term *number)
{
    if (number->kind == TERM_BV)
        return term_bv_binary(t->store, TERM_BV_CONCAT, term_bv(t->store, t->object_bits, 0),
                              number);
    // A number that is not known: null when it is 0, else an address that nothing is known of.
    const struct term *zero = term_bv(t->store, t->offset_bits, 0);
    return term_ite(t->store, term_eq(t->store, number, zero), lowering_pointer(t, 0, 0),
                    lowering_any(t, sort_bv(t->store, t->pointer_bits), "address"));
}

// Programs that compute with addresses: each object has one, which is arbitrary but for its alignment. What is there all the time
// lies apart from all else (with room between: pointers behind an object equal no other's, either); others may be where those of
// other times were.

#define MOST_MEANT 12

static const struct term *word(struct translator *t, uint64_t n)
{
    return term_bv(t->store, t->offset_bits, n);
}

static const struct term *subtract(struct translator *t, const struct term *a, const struct term *b)
{
    return term_bv_binary(t->store, TERM_BV_ADD, a, term_bv_unary(t->store, TERM_BV_NEG, b));
}

// The objects that an operand may point to; false when there are too many, or none.
static bool objects_meant(struct translator *t, const struct operand *operand, uint32_t *out,
                          size_t *count)
{
    struct targets targets = objects_of(t->objects, operand);
    bool good = true;
    *count = 0;
    for (size_t i = 0; i < targets.count && good; i++) {
        uint32_t object = targets.data[i].object;
        bool before = object == 0;
        for (size_t k = 0; k < *count; k++)
            before = before || out[k] == object;
        good = before || *count < MOST_MEANT;
        if (!before && good)
            out[(*count)++] = object;
    }
    memory_free(targets.data);
    return good && *count > 0;
}

static const struct term *size_of(struct translator *t, uint32_t number)
{
    const struct object *o = &t->objects->items[number];
    return t->memory[number].size != NULL ? t->memory[number].size->term
                                          : word(t, o->kind == OBJECT_FUNCTION ? 1 : o->bytes);
}

// A global, or a variable of main's outermost block.
static bool lives_always(const struct translator *t, const struct object *o)
{
    const struct flat_frame *frame = &t->flat->frames[o->frame];
    const struct function *f = &t->flat->program->functions[frame->function];
    if (o->kind == OBJECT_GLOBAL || o->kind == OBJECT_FUNCTION)
        return true;
    for (size_t i = 0; o->kind == OBJECT_LOCAL && o->frame == 0 && i < f->name_count; i++) {
        if (frame->value_base + f->names[i].value == o->value)
            return f->names[i].scope_line == 0;
    }
    return false;
}

static void assume_apart(struct translator *t, uint32_t a, uint32_t b)
{
    const struct object *os = t->objects->items;
    const struct term *x = t->memory[a].base->term, *y = t->memory[b].base->term;
    const struct term *behind_x = term_bv_binary(t->store, TERM_BV_ADD, x, size_of(t, a));
    const struct term *behind_y = term_bv_binary(t->store, TERM_BV_ADD, y, size_of(t, b));
    if (a != b && (lives_always(t, &os[a]) || lives_always(t, &os[b])))
        lowering_assume(t, term_or2(t->store, term_bv_binary(t->store, TERM_BV_ULT, behind_x, y),
                                    term_bv_binary(t->store, TERM_BV_ULT, behind_y, x)));
}

// Nobody has the first page and the last.
static const struct term *base_of(struct translator *t, uint32_t number)
{
    const struct object *o = &t->objects->items[number];
    struct object_variables *v = &t->memory[number];
    if (v->base == NULL) {
        v->base =
            model_builder_fresh(t->builder, "address", sort_bv(t->store, t->offset_bits), 0, o->at);
        if (t->based.count < MOST_MEANT)
            VECTOR_PUSH(&t->based, number);
    }
    const struct term *base = v->base->term;
    const struct term *low = term_bv_binary(t->store, TERM_BV_AND, base, word(t, o->alignment - 1));
    const struct term *most = subtract(t, word(t, (uint64_t)-4096), size_of(t, number));
    lowering_assume(t, term_eq(t->store, low, word(t, 0)));
    lowering_assume(t, term_bv_binary(t->store, TERM_BV_ULE, word(t, 4096), base));
    lowering_assume(t, term_bv_binary(t->store, TERM_BV_ULE, base, most));
    for (size_t i = 0; i < t->based.count; i++)
        assume_apart(t, number, t->based.data[i]);
    return base;
}

static const struct term *computed_number(struct translator *t, const struct operand *operand,
                                          const struct term *pointer)
{
    uint32_t meant[MOST_MEANT];
    size_t count;
    const struct term *held = pointer;
    lowering_hold(t, &held);
    const struct term *out = lowering_pointer_number(t, pointer);
    lowering_release(t);
    if (!objects_meant(t, operand, meant, &count))
        return out;
    for (size_t i = 0; i < count; i++) {
        if (object_is_many(&t->objects->items[meant[i]]))
            continue; // each of its blocks has an address of its own
        const struct term *is = lowering_points_into(t, held, meant[i]);
        const struct term *number = term_bv_binary(t->store, TERM_BV_ADD, base_of(t, meant[i]),
                                                   lowering_offset_part(t, held));
        out = term_ite(t->store, is, number, out);
    }
    return out;
}

// A number inside of objects, or just behind, points to one of them. Any other is nowhere in them: where it is taken for a place
// of an object all the same (before it, further behind), that is the one whose address it is.
static const struct term *computed_pointer(struct translator *t, const struct operand *operand,
                                           const struct term *number)
{
    uint32_t meant[MOST_MEANT];
    size_t count;
    const struct term *pointer = lowering_number_pointer(t, number);
    const struct term *inside = term_false(t->store), *meets = term_false(t->store);
    const struct term *own = term_true(t->store);
    if (number->kind == TERM_BV || !objects_meant(t, operand, meant, &count))
        return pointer;
    for (size_t i = 0; i < count; i++) {
        if (object_is_many(&t->objects->items[meant[i]]))
            return pointer;
    }
    for (size_t i = 0; i < count; i++) {
        const struct term *offset = subtract(t, number, base_of(t, meant[i]));
        const struct term *here =
            term_bv_binary(t->store, TERM_BV_ULE, offset, size_of(t, meant[i]));
        const struct term *place = term_bv_binary(
            t->store, TERM_BV_CONCAT, term_bv(t->store, t->object_bits, meant[i]), offset);
        inside = term_or2(t->store, inside, here);
        const struct term *same = term_eq(t->store, pointer, place);
        const struct term *is = lowering_points_into(t, pointer, meant[i]);
        meets = term_or2(t->store, meets, term_and2(t->store, here, same));
        own = term_and2(t->store, own, term_implies(t->store, is, same));
    }
    lowering_assume(t, term_and2(t->store, term_implies(t->store, inside, meets), own));
    return pointer;
}

static bool is_number_of_pointer(const struct operand *o, const bool *number)
{
    return (o->kind == OPERAND_VALUE && number[o->number]) ||
           (o->kind == OPERAND_CONSTANT && o->bits == 0);
}

// What pointers can do, too: be compared for being the same, subtracted, and become pointers again.
void lowering_find_computed(struct translator *t)
{
    const struct flat *f = t->flat;
    bool *number = memory_zalloc(f->value_count + 1);
    t->computed = memory_zalloc(f->value_count + 1);
    for (size_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            if (i->op == OP_PTRTOINT)
                number[i->result] = i->type.bits >= t->offset_bits;
        }
    }
    for (size_t b = 0; b < f->block_count; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            bool two = i->op == OP_SUB || (i->op == OP_ICMP && i->extra <= COMPARE_NE);
            bool plain =
                i->op == OP_INTTOPTR || (two && is_number_of_pointer(&i->operands[0], number) &&
                                         is_number_of_pointer(&i->operands[1], number));
            for (uint32_t n = 0; n < i->operand_count && !plain; n++) {
                if (i->operands[n].kind == OPERAND_VALUE)
                    t->computed[i->operands[n].number] = true;
            }
        }
    }
    memory_free(number);
}

static const struct term *to_bits(struct translator *t, const struct term *term)
{
    if (term->sort->kind != SORT_BOOL)
        return term;
    return term_ite(t->store, term, term_bv(t->store, 1, 1), term_bv(t->store, 1, 0));
}

static const struct term *from_bits(struct translator *t, const struct term *term, bool boolean)
{
    return boolean ? term_eq(t->store, term, term_bv(t->store, 1, 1)) : term;
}

static const struct term *is_zero(struct translator *t, const struct term *term)
{
    return term_eq(t->store, term, wide(t, term->sort->width, 0));
}

// What has no result in C ends the path, as a trap would.
static void divide_check(struct translator *t, enum opcode op, const struct term *a,
                         const struct term *b)
{
    lowering_assume(t, term_not(t->store, is_zero(t, b)));
    if (op != OP_SDIV && op != OP_SREM)
        return;
    uint32_t w = a->sort->width;
    const struct term *one = term_bv(t->store, w, 1);
    const struct term *shift = wide(t, w, w - 1);
    const struct term *least = term_bv_binary(t->store, TERM_BV_SHL, one, shift);
    const struct term *minus = term_bv_unary(t->store, TERM_BV_NEG, one);
    const struct term *both =
        term_and2(t->store, term_eq(t->store, a, least), term_eq(t->store, b, minus));
    lowering_assume(t, term_not(t->store, both));
}

static const struct term *binary(struct translator *t, enum opcode op, const struct term *a,
                                 const struct term *b)
{
    static const enum term_kind kinds[] = {
        [OP_ADD] = TERM_BV_ADD,   [OP_MUL] = TERM_BV_MUL,   [OP_UDIV] = TERM_BV_UDIV,
        [OP_SDIV] = TERM_BV_SDIV, [OP_UREM] = TERM_BV_UREM, [OP_SREM] = TERM_BV_SREM,
        [OP_SHL] = TERM_BV_SHL,   [OP_LSHR] = TERM_BV_LSHR, [OP_ASHR] = TERM_BV_ASHR,
        [OP_AND] = TERM_BV_AND,   [OP_OR] = TERM_BV_OR,     [OP_XOR] = TERM_BV_XOR,
    };
    if (op == OP_SUB)
        return term_bv_binary(t->store, TERM_BV_ADD, a, term_bv_unary(t->store, TERM_BV_NEG, b));
    return term_bv_binary(t->store, kinds[op], a, b);
}

static const struct term *boolean_operation(struct translator *t, enum opcode op,
                                            const struct term *a, const struct term *b)
{
    return op == OP_AND   ? term_and2(t->store, a, b)
           : op == OP_OR  ? term_or2(t->store, a, b)
           : op == OP_XOR ? term_xor(t->store, a, b)
                          : NULL;
}

// Two lives that are over are one object here, and so are two blocks that a summary stands for.
static const struct term *one_life(struct translator *t, const struct term *pointer,
                                   const struct term *same)
{
    same = term_and2(t->store, same, term_not(t->store, lowering_is_summary(t, pointer)));
    if (t->objects->stale == 0)
        return same;
    const struct term *stale = term_bv(t->store, t->object_bits, t->objects->stale);
    return term_and2(
        t->store, same,
        term_not(t->store, term_eq(t->store, lowering_object_part(t, pointer), stale)));
}

// Both integers are numbers of pointers: their difference is known within one object.
static const struct term *pointer_difference(struct translator *t, const struct instruction *i)
{
    const struct operand *a = &i->operands[0], *b = &i->operands[1];
    const struct term *p = a->kind == OPERAND_VALUE ? t->address[a->number] : NULL;
    const struct term *q = b->kind == OPERAND_VALUE ? t->address[b->number] : NULL;
    if (i->op != OP_SUB || p == NULL || q == NULL)
        return NULL;
    const struct term *same =
        term_eq(t->store, lowering_object_part(t, p), lowering_object_part(t, q));
    const struct term *difference =
        binary(t, OP_SUB, lowering_offset_part(t, p), lowering_offset_part(t, q));
    same = one_life(t, p, same);
    if (term_is_true(same))
        return difference;
    lowering_hold(t, &same);
    lowering_hold(t, &difference);
    const struct term *any = lowering_any(t, difference->sort, "difference");
    lowering_release(t);
    lowering_release(t);
    return term_ite(t->store, same, difference, any);
}

// A shift by the width or more is undefined; its exact result would not fit where the operand is signed, which is not told
// here: no proof that nothing overflows rests on it.
static void shift_check(struct translator *t, enum opcode op, const struct term *distance)
{
    uint32_t width = distance->sort->width;
    const struct term *small =
        term_bv_binary(t->store, TERM_BV_ULT, distance, wide(t, width, width));
    if (op == OP_SHL && t->question->property == PROPERTY_OVERFLOW)
        lowering_cut_if(t, term_not(t->store, small), "a left shift by the width or more");
    else
        lowering_assume(t, small);
}

static void define_binary(struct translator *t, const struct instruction *i)
{
    const struct term *result = pointer_difference(t, i);
    const struct term *a = lowering_operand(t, &i->operands[0]);
    lowering_hold(t, &a);
    const struct term *b = lowering_operand(t, &i->operands[1]);
    lowering_release(t);
    bool boolean = a->sort->kind == SORT_BOOL;
    if (result == NULL && boolean)
        result = boolean_operation(t, i->op, a, b);
    if (result == NULL) {
        a = to_bits(t, a);
        b = to_bits(t, b);
        if (i->op >= OP_UDIV && i->op <= OP_SREM)
            divide_check(t, i->op, a, b);
        if (i->op >= OP_SHL && i->op <= OP_ASHR)
            shift_check(t, i->op, b);
        result = from_bits(t, binary(t, i->op, a, b), boolean);
    }
    lowering_define(t, i, result);
}

static const struct term *compare_numbers(struct translator *t, uint64_t predicate,
                                          const struct term *a, const struct term *b)
{
    switch (predicate) {
    case COMPARE_UGT:
        return term_bv_binary(t->store, TERM_BV_ULT, b, a);
    case COMPARE_UGE:
        return term_bv_binary(t->store, TERM_BV_ULE, b, a);
    case COMPARE_ULT:
        return term_bv_binary(t->store, TERM_BV_ULT, a, b);
    case COMPARE_ULE:
        return term_bv_binary(t->store, TERM_BV_ULE, a, b);
    case COMPARE_SGT:
        return term_bv_binary(t->store, TERM_BV_SLT, b, a);
    case COMPARE_SGE:
        return term_bv_binary(t->store, TERM_BV_SLE, b, a);
    case COMPARE_SLT:
        return term_bv_binary(t->store, TERM_BV_SLT, a, b);
    default:
        return term_bv_binary(t->store, TERM_BV_SLE, a, b);
    }
}

// Offsets within one object decide; C says nothing of two.
static const struct term *compare_pointers(struct translator *t, uint64_t predicate,
                                           const struct term *a, const struct term *b)
{
    const struct term *same =
        term_eq(t->store, lowering_object_part(t, a), lowering_object_part(t, b));
    // Offsets into an object may be negative, addresses are not.
    uint64_t by_sign = predicate <= COMPARE_ULE ? predicate + 4 : predicate;
    const struct term *x = lowering_offset_part(t, a), *y = lowering_offset_part(t, b);
    const struct term *none = lowering_points_into(t, a, 0);
    const struct term *inside = term_ite(t->store, none, compare_numbers(t, predicate, x, y),
                                         compare_numbers(t, by_sign, x, y));
    same = one_life(t, a, same);
    if (term_is_true(same))
        return inside;
    lowering_hold(t, &same);
    lowering_hold(t, &inside);
    const struct term *any = lowering_any(t, sort_bool(t->store), "order");
    lowering_release(t);
    lowering_release(t);
    return term_ite(t->store, same, inside, any);
}

// Whether two are the same is open there, elsewhere known.
static const struct term *open_where(struct translator *t, const struct term *open,
                                     const struct term *equal)
{
    if (term_is_false(open))
        return equal;
    lowering_hold(t, &open);
    lowering_hold(t, &equal);
    const struct term *any = lowering_any(t, sort_bool(t->store), "same");
    lowering_release(t);
    lowering_release(t);
    return term_ite(t->store, open, any, equal);
}

// Two blocks that a summary stands for may be the same.
static const struct term *compare_summaries(struct translator *t, const struct instruction *i,
                                            const struct term *a, const struct term *equal)
{
    if (a->sort->kind != SORT_BV || a->sort->width != t->pointer_bits ||
        !lowering_may_be_summary(t, &i->operands[0]) ||
        !lowering_may_be_summary(t, &i->operands[1]))
        return equal;
    const struct term *open = term_and2(t->store, equal, lowering_is_summary(t, a));
    return open_where(t, open, equal);
}

// Where pointers to two objects may be the same though the objects are not: one side meets the condition for the first of them, the
// other that for the second.
struct meeting {
    bool (*may_be_first)(const struct translator *t, const struct target *first);
    bool (*may_be_second)(const struct translator *t, const struct target *second,
                          const struct target *first);
    const struct term *(*is_first)(struct translator *t, const struct term *pointer,
                                   uint32_t object);
    const struct term *(*is_second)(struct translator *t, const struct term *pointer,
                                    uint32_t object);
};

static const struct term *meets(struct translator *t, const struct meeting *meeting,
                                const struct targets means[2], const struct term *const *side)
{
    const struct term *out = term_false(t->store);
    for (int k = 0; k < 2; k++) {
        for (size_t m = 0; m < means[k].count; m++) {
            const struct target *first = &means[k].data[m];
            const struct term *other = term_false(t->store);
            for (size_t n = 0; meeting->may_be_first(t, first) && n < means[1 - k].count; n++) {
                const struct target *second = &means[1 - k].data[n];
                if (meeting->may_be_second(t, second, first))
                    other = term_or2(t->store, other,
                                     meeting->is_second(t, side[1 - k], second->object));
            }
            if (!term_is_false(other))
                out = term_or2(
                    t->store, out,
                    term_and2(t->store, other, meeting->is_first(t, side[k], first->object)));
        }
    }
    return out;
}

// One side points to an object whose life is over and the other to one whose life began then: the two may lie at one place.

static bool begins_again(const struct translator *t, uint32_t number)
{
    return t->objects->items[number].begins && t->memory[number].alive != NULL;
}

static bool may_have_ended(const struct translator *t, const struct target *target)
{
    const struct object *o = &t->objects->items[target->object];
    return o->kind == OBJECT_HEAP
               ? o->freed
               : o->kind == OBJECT_LOCAL && !o->stays &&
                     (begins_again(t, target->object) || !lowering_frame_is_active(t, o->frame));
}

static bool may_follow(const struct translator *t, const struct target *target,
                       const struct target *ended)
{
    const struct object *o = &t->objects->items[target->object],
                        *before = &t->objects->items[ended->object];
    if (target->object == ended->object || o->kind != before->kind)
        return false; // no block lies where variables do
    return o->kind == OBJECT_HEAP
               ? o->late
               : begins_again(t, target->object) || !lowering_is_inside(t, before->frame, o->frame);
}

static const struct term *has_ended(struct translator *t, const struct term *pointer,
                                    uint32_t number)
{
    const struct variable *alive = t->memory[number].alive;
    const struct term *in = lowering_points_into(t, pointer, number);
    return alive == NULL ? in : term_and2(t->store, in, term_not(t->store, alive->term));
}

// One side points just behind an object and the other to where another of its kind begins: the two may be one place.

static bool may_have_offset(const struct target *target, uint64_t offset)
{
    const uint64_t away = offset - (uint64_t)target->offset;
    return target->stride == 0 ? away == 0 : (int64_t)away % (int64_t)target->stride == 0;
}

static bool may_be_behind(const struct translator *t, const struct target *target)
{
    const struct object *o = &t->objects->items[target->object];
    const bool memory =
        o->kind == OBJECT_GLOBAL || o->kind == OBJECT_LOCAL || o->kind == OBJECT_HEAP;
    return memory && (o->sized ? may_have_offset(target, o->bytes)
                               : target->stride > 0 || target->offset > 0);
}

static bool may_begin_there(const struct translator *t, const struct target *target,
                            const struct target *before)
{
    return target->object != before->object && may_have_offset(target, 0) &&
           t->objects->items[target->object].kind == t->objects->items[before->object].kind;
}

static const struct term *is_behind(struct translator *t, const struct term *pointer,
                                    uint32_t number)
{
    const struct object *o = &t->objects->items[number];
    const struct variable *size = t->memory[number].size;
    const struct term *in = lowering_points_into(t, pointer, number);
    if (!o->sized && size == NULL)
        return in;
    const struct term *bytes = o->sized ? wide(t, t->offset_bits, o->bytes) : size->term;
    return term_and2(t->store, in, term_eq(t->store, lowering_offset_part(t, pointer), bytes));
}

static const struct term *is_beginning(struct translator *t, const struct term *pointer,
                                       uint32_t number)
{
    return term_eq(t->store, pointer, lowering_pointer(t, number, 0));
}

static const struct term *may_be_one_place(struct translator *t, const struct instruction *i,
                                           const struct term *const *side)
{
    static const struct meeting taken_again = {may_have_ended, may_follow, has_ended,
                                               lowering_points_into},
                                side_by_side = {may_be_behind, may_begin_there, is_behind,
                                                is_beginning};
    const struct targets means[] = {objects_of(t->objects, &i->operands[0]),
                                    objects_of(t->objects, &i->operands[1])};
    const struct term *out = term_or2(t->store, meets(t, &taken_again, means, side),
                                      meets(t, &side_by_side, means, side));
    memory_free(means[0].data);
    memory_free(means[1].data);
    return out;
}

// A life that is over was where the next one is, or elsewhere: only that it is not null is known.
static const struct term *compare_stale(struct translator *t, const struct instruction *i,
                                        const struct term *a, const struct term *b)
{
    const struct term *equal = compare_summaries(t, i, a, term_eq(t->store, a, b));
    if (a->sort->kind != SORT_BV || a->sort->width != t->pointer_bits)
        return equal;
    lowering_hold(t, &a);
    lowering_hold(t, &b);
    const struct term *const both[] = {a, b};
    equal = open_where(t, may_be_one_place(t, i, both), equal);
    lowering_release(t);
    lowering_release(t);
    if (t->objects->stale == 0)
        return equal;
    const struct term *side[] = {lowering_object_part(t, a), lowering_object_part(t, b)};
    const struct term *stale = term_bv(t->store, t->object_bits, t->objects->stale);
    const struct term *none = term_bv(t->store, t->object_bits, 0);
    const struct term *open = term_false(t->store);
    for (int k = 0; k < 2; k++)
        open = term_or2(t->store, open,
                        term_and2(t->store, term_eq(t->store, side[k], stale),
                                  term_not(t->store, term_eq(t->store, side[1 - k], none))));
    return open_where(t, open, equal);
}

// A test of a pointer's number for being zero, or of two for being the same.
static const struct term *compare_addresses(struct translator *t, const struct instruction *i)
{
    const struct term *side[2];
    bool any = false;
    for (int k = 0; k < 2; k++) {
        const struct operand *o = &i->operands[k];
        side[k] = o->kind == OPERAND_VALUE ? t->address[o->number] : NULL;
        any = any || side[k] != NULL;
        if (side[k] != NULL)
            side[k] = lowering_settled(t, side[k]);
        if (o->kind == OPERAND_CONSTANT && o->type.bits == t->offset_bits)
            side[k] = lowering_pointer(t, 0, (int64_t)o->bits);
    }
    return any && side[0] != NULL && side[1] != NULL && i->extra <= COMPARE_NE
               ? compare_stale(t, i, side[0], side[1])
               : NULL;
}

static void define_comparison(struct translator *t, const struct instruction *i)
{
    const struct term *result = compare_addresses(t, i);
    const struct term *a = lowering_operand(t, &i->operands[0]);
    lowering_hold(t, &a);
    const struct term *b = lowering_operand(t, &i->operands[1]);
    lowering_release(t);
    if (i->operands[0].type.kind == PROGRAM_POINTER) {
        a = lowering_settled(t, a);
        b = lowering_settled(t, b);
    }
    if (result == NULL && i->extra <= COMPARE_NE)
        result = i->operands[0].type.kind == PROGRAM_POINTER ? compare_stale(t, i, a, b)
                                                             : term_eq(t->store, a, b);
    if (result != NULL)
        result = i->extra == COMPARE_EQ ? result : term_not(t->store, result);
    else if (i->operands[0].type.kind == PROGRAM_POINTER)
        result = compare_pointers(t, i->extra, a, b);
    else
        result = compare_numbers(t, i->extra, to_bits(t, a), to_bits(t, b));
    lowering_define(t, i, result);
}

static const struct term *resize(struct translator *t, const struct term *a, uint32_t width,
                                 bool sign)
{
    if (width <= a->sort->width)
        return width == a->sort->width ? a : term_bv_extract(t->store, a, width - 1, 0);
    return term_bv_extend(t->store, sign ? TERM_BV_SEXT : TERM_BV_ZEXT, a, width);
}

// A _Bool that nobody wrote may be neither 0 nor 1: what a program makes of such a number is not followed.
static void flag_check(struct translator *t, const struct instruction *i)
{
    const struct operand *o = &i->operands[0];
    bool flag = i->op == OP_TRUNC && i->type.bits == 1 && o->kind == OPERAND_VALUE &&
                o->type.bits == 8 && t->loaded[o->number] && !t->flag[o->number] &&
                !t->flags_decide;
    if (!flag)
        return;
    const struct term *neither =
        term_bv_binary(t->store, TERM_BV_ULT, term_bv(t->store, 8, 1), lowering_operand(t, o));
    lowering_cut_if(t, neither, "a _Bool that is neither 0 nor 1");
}

static void define_cast(struct translator *t, const struct instruction *i)
{
    flag_check(t, i);
    const struct term *a = lowering_operand(t, &i->operands[0]);
    const struct term *pointer = NULL;
    const struct operand *o = &i->operands[0];
    const struct sort *sort = lowering_sort(t, i->type);
    if (i->op == OP_PTRTOINT) {
        pointer = i->type.bits >= t->offset_bits ? a : NULL;
        a = t->computed[i->result] ? computed_number(t, o, a) : lowering_pointer_number(t, a);
    } else if (i->op == OP_INTTOPTR) {
        const struct term *known = o->kind == OPERAND_VALUE ? t->address[o->number] : NULL;
        lowering_define(
            t, i,
            known != NULL ? known
            : a->sort->kind != SORT_BOOL && a->sort->width == t->offset_bits
                ? computed_pointer(t, o, a)
            : a->sort->kind == SORT_BOOL
                ? lowering_number_pointer(t, resize(t, to_bits(t, a), t->offset_bits, false))
                : lowering_number_pointer(t, resize(t, a, t->offset_bits, false)));
        return;
    } else if (i->op != OP_TRUNC && o->kind == OPERAND_VALUE) {
        pointer = t->address[o->number]; // widening keeps the number
    }
    if (i->op == OP_BITCAST || i->op == OP_FREEZE)
        lowering_define(t, i, a);
    else
        lowering_define(t, i,
                        from_bits(t, resize(t, to_bits(t, a), i->type.bits, i->op == OP_SEXT),
                                  sort->kind == SORT_BOOL));
    t->address[i->result] = pointer;
}

static void define_gep(struct translator *t, const struct instruction *i)
{
    const struct term *pointer = lowering_operand(t, &i->operands[0]);
    lowering_hold(t, &pointer);
    const struct term *by = term_bv(t->store, t->offset_bits, (uint64_t)i->numbers[0]);
    for (uint32_t k = 1; k < i->operand_count; k++) {
        const struct term *index =
            resize(t, to_bits(t, lowering_operand(t, &i->operands[k])), t->offset_bits, true);
        const struct term *scale = term_bv(t->store, t->offset_bits, (uint64_t)i->numbers[k]);
        by = binary(t, OP_ADD, by, binary(t, OP_MUL, index, scale));
    }
    lowering_release(t);
    lowering_define(t, i,
                    lowering_move(t, pointer, lowering_text_step(t, &i->operands[0], pointer, by)));
}

static void define_select(struct translator *t, const struct instruction *i)
{
    const struct term *part[3];
    for (int k = 0; k < 3; k++) {
        part[k] = lowering_operand(t, &i->operands[k]);
        lowering_hold(t, &part[k]);
    }
    for (int k = 0; k < 3; k++)
        lowering_release(t);
    lowering_define(t, i, term_ite(t->store, part[0], part[1], part[2]));
}

static bool float_known(struct program_type type)
{
    return type.kind == PROGRAM_INTEGER ||
           (type.kind == PROGRAM_FLOAT && float_width_known(type.bits));
}

// Towards zero.
static const struct term *float_to_number(struct translator *t, const struct instruction *i,
                                          const struct term *a)
{
    const struct term *fits,
        *result = float_to_integer(t->store, a, i->op == OP_FPTOSI, i->type.bits, &fits);
    // What the integer's type does not have is no violation, but nothing is known of the result.
    lowering_hold(t, &result);
    lowering_hold(t, &fits);
    const struct term *any = lowering_any(t, sort_bv(t->store, i->type.bits), "float");
    lowering_release(t);
    lowering_release(t);
    result = term_ite(t->store, fits, result, any);
    return from_bits(t, result, i->type.bits == 1);
}

static const struct term *float_rounded(struct translator *t, const struct instruction *i,
                                        enum float_rounding mode, const struct term *a,
                                        const struct term *b)
{
    switch (i->op) {
    case OP_FADD:
        return float_binary(t->store, mode, FLOAT_ADD, a, b);
    case OP_FSUB:
        return float_binary(t->store, mode, FLOAT_SUB, a, b);
    case OP_FMUL:
        return float_binary(t->store, mode, FLOAT_MUL, a, b);
    case OP_FDIV:
        return float_binary(t->store, mode, FLOAT_DIV, a, b);
    case OP_FPTRUNC:
        return float_resize(t->store, mode, a, i->type.bits);
    default:
        assert(i->op == OP_UITOFP || i->op == OP_SITOFP);
        return float_from_integer(t->store, mode, to_bits(t, a), i->op == OP_SITOFP, i->type.bits);
    }
}

// By the mode that the program chose.
static const struct term *float_by_mode(struct translator *t, const struct instruction *i,
                                        const struct term *mode, const struct term *a,
                                        const struct term *b)
{
    static const struct {
        enum program_rounding number;
        enum float_rounding mode;
    } modes[] = {{ROUND_DOWNWARDS, FLOAT_DOWNWARDS},
                 {ROUND_UPWARDS, FLOAT_UPWARDS},
                 {ROUND_TO_ZERO, FLOAT_TO_ZERO}};
    assert(opcode_rounds(i->op) && mode->sort->kind == SORT_BV);
    const struct term *out = float_rounded(t, i, FLOAT_NEAREST_EVEN, a, b);
    for (size_t k = 0; k < sizeof modes / sizeof modes[0]; k++) {
        const struct term *number = term_bv(t->store, mode->sort->width, modes[k].number);
        const struct term *is = term_eq(t->store, mode, number);
        if (is != term_false(t->store))
            out = term_ite(t->store, is, float_rounded(t, i, modes[k].mode, a, b), out);
    }
    return out;
}

static const struct term *float_result(struct translator *t, const struct instruction *i)
{
    const struct operand *by = instruction_rounding(i);
    const bool two = i->op <= OP_FREM || i->op == OP_FCMP;
    const struct term *a = lowering_operand(t, &i->operands[0]), *b = NULL, *mode = NULL;
    lowering_hold(t, &a);
    if (two)
        b = lowering_operand(t, &i->operands[1]);
    if (two)
        lowering_hold(t, &b);
    if (by != NULL)
        mode = lowering_operand(t, by);
    if (two)
        lowering_release(t);
    lowering_release(t);
    if (mode != NULL)
        return float_by_mode(t, i, mode, a, b);
    switch (i->op) {
    case OP_FNEG:
        return float_negate(t->store, a);
    case OP_FCMP:
        return float_compare(t->store, i->extra, a, b);
    case OP_FPEXT: // exact
        return float_resize(t->store, FLOAT_NEAREST_EVEN, a, i->type.bits);
    case OP_FPTOUI:
    case OP_FPTOSI:
        return float_to_number(t, i, a);
    default:
        return float_rounded(t, i, FLOAT_NEAREST_EVEN, a, b);
    }
}

static void define_float(struct translator *t, const struct instruction *i)
{
    bool known = float_known(i->operands[0].type) && float_known(i->type) && i->op != OP_FREM;
    if (!known) {
        lowering_define(t, i, lowering_any(t, lowering_sort(t, i->type), "float"));
        return;
    }
    lowering_define(t, i, float_result(t, i));
}

void lowering_value(struct translator *t, const struct instruction *i)
{
    if (lowering_sort(t, i->type) == NULL) {
        lowering_unsupported(t, "values of this type");
        return;
    }
    if (i->op >= OP_ADD && i->op <= OP_XOR)
        define_binary(t, i);
    else if ((i->op >= OP_FADD && i->op <= OP_FNEG) || (i->op >= OP_FPTOUI && i->op <= OP_FPEXT) ||
             i->op == OP_FCMP)
        define_float(t, i);
    else if (i->op >= OP_TRUNC && i->op <= OP_FREEZE)
        define_cast(t, i);
    else if (i->op == OP_ICMP)
        define_comparison(t, i);
    else if (i->op == OP_GEP)
        define_gep(t, i);
    else
        define_select(t, i);
}
