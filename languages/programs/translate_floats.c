#include <assert.h>

#include "base/memory.h"
#include "languages/programs/translate_inside.h"
#include "logic/terms/float_terms.h"
#include "model/precision_text.h"

// Bounds that floats may have where loops begin: the numbers that the program names, and their negatives. A filter, a limited rate or
// a sum that is cut off stays within them, and a comparison with a number says that it is none that is not one. Engines guess
// these, and keep what they can show of the exact floats.

#define MOST_FLOATS 10 // variables
#define MOST_BOUNDS 10 // of each width, and as many negatives
#define MOST_PAIRED 5  // variables that are compared with one another

// Of fcmp: less or equal; false of what is no number.
#define AT_MOST 5

struct bounds {
    struct translator *t;
    struct text *out;
    const struct variable *number[MOST_FLOATS];
    size_t numbers;
    uint64_t bound[MOST_BOUNDS]; // magnitudes of the width at hand
    size_t bound_count;
};

static bool is_followed(struct program_type type)
{
    return type.kind == PROGRAM_FLOAT && (type.bits == 32 || type.bits == 64);
}

static void note_variable(struct bounds *b, const struct variable *v)
{
    for (size_t i = 0; i < b->numbers; i++)
        if (b->number[i] == v)
            return;
    if (b->numbers < MOST_FLOATS)
        b->number[b->numbers++] = v;
}

// The variables that an access of this type may mean.
static void note_access(struct bounds *b, const struct operand *address, struct program_type type)
{
    struct translator *t = b->t;
    struct targets to = objects_of(t->objects, address);
    for (size_t i = 0; i < to.count; i++) {
        const struct object *o = &t->objects->items[to.data[i].object];
        for (size_t c = 0; o->layout == LAYOUT_CELLS && c < o->cell_count; c++) {
            const int64_t away = (int64_t)o->cells[c].offset - to.data[i].offset;
            const int64_t stride = (int64_t)to.data[i].stride;
            if (o->cells[c].bytes * 8 != type.bits || o->cells[c].pointer ||
                (stride == 0 ? away != 0 : away % stride != 0))
                continue;
            note_variable(b, t->memory[to.data[i].object].cells[c]);
        }
    }
    memory_free(to.data);
}

// What is stored where blocks are passed again and again: the rest says nothing at a loop that it did not say before.
static void find_variables(struct bounds *b)
{
    const struct flat *flat = b->t->flat;
    for (size_t n = 0; n < flat->block_count; n++)
        for (size_t i = 0; flat->in_cycle[n] && i < flat->blocks[n].count; i++) {
            const struct instruction *one = &flat->blocks[n].instructions[i];
            if (one->op == OP_STORE && is_followed(one->type))
                note_access(b, &one->operands[1], one->type);
        }
}

static void note_bound(struct bounds *b, uint64_t magnitude)
{
    for (size_t i = 0; i < b->bound_count; i++)
        if (b->bound[i] == magnitude)
            return;
    if (b->bound_count < MOST_BOUNDS)
        b->bound[b->bound_count++] = magnitude;
}

static void note_constants(struct bounds *b, uint32_t bits, bool compared)
{
    const struct flat *flat = b->t->flat;
    for (size_t n = 0; n < flat->block_count; n++)
        for (size_t i = 0; i < flat->blocks[n].count; i++) {
            const struct instruction *one = &flat->blocks[n].instructions[i];
            for (uint32_t k = 0; k < one->operand_count; k++) {
                const struct operand *o = &one->operands[k];
                if ((one->op == OP_FCMP) == compared && o->kind == OPERAND_CONSTANT &&
                    is_followed(o->type) && o->type.bits == bits)
                    note_bound(b, (uint64_t)o->bits & ~(UINT64_C(1) << (bits - 1)));
            }
        }
}

// Constants of this width, without their signs; 0 first, then those that numbers are compared with.
static void find_bounds(struct bounds *b, uint32_t bits)
{
    b->bound_count = 0;
    note_bound(b, 0);
    note_constants(b, bits, true);
    note_constants(b, bits, false);
}

static void add(struct bounds *b, const struct term *term)
{
    if (!term_is_literal(term))
        precision_text_add(b->out, b->t->store, &(struct precision_item){.predicate = term});
}

static void guess_bounds(struct bounds *b, const struct term *x)
{
    struct term_store *store = b->t->store;
    assert(float_width_known(x->sort->width));
    for (size_t i = 0; i < b->bound_count; i++) {
        const struct term *bound = term_bv(store, x->sort->width, b->bound[i]);
        const struct term *negative = float_negate(store, bound);
        add(b, float_compare(store, AT_MOST, x, bound));
        add(b, float_compare(store, AT_MOST, negative, x));
        add(b, float_compare(store, AT_MOST, bound, x));
        add(b, float_compare(store, AT_MOST, x, negative));
    }
}

static void guess_orders(struct bounds *b, size_t number)
{
    struct term_store *store = b->t->store;
    const struct term *x = b->number[number]->term;
    for (size_t i = 0; i < b->numbers && i < MOST_PAIRED; i++)
        if (i != number && number < MOST_PAIRED && b->number[i]->sort == x->sort)
            add(b, float_compare(store, AT_MOST, x, b->number[i]->term));
}

void lowering_guess_floats(struct translator *t, struct text *out)
{
    struct bounds b = {.t = t, .out = out};
    if (t->flat->in_cycle == NULL)
        return;
    find_variables(&b);
    for (uint32_t bits = 32; bits <= 64 && b.numbers > 0; bits += 32) {
        find_bounds(&b, bits);
        for (size_t i = 0; i < b.numbers; i++) {
            if (b.number[i]->sort->width != bits)
                continue;
            guess_bounds(&b, b.number[i]->term);
            guess_orders(&b, i);
        }
    }
}
