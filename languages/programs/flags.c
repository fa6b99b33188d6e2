#include "languages/programs/flags.h"

#include <string.h>

#include "base/memory.h"
#include "languages/programs/places.h"

enum role { OTHER, FROM_LOAD, FLAG, COPIED };

struct flags {
    const struct flat *flat;
    const struct instruction **definition; // by value
    uint32_t *slot;                        // by value: number of the slot + 1
    bool *global;                          // by number: holds _Bools only
    size_t slot_count, words;
    uint64_t *after; // by block: words; slots that hold a _Bool behind it
    bool *out;
};

static bool is_flag_value(const struct flags *f, const struct operand *o)
{
    if (o->kind == OPERAND_CONSTANT)
        return o->type.kind == PROGRAM_INTEGER && o->bits <= 1;
    const struct instruction *d = o->kind == OPERAND_VALUE ? f->definition[o->number] : NULL;
    return d != NULL && d->op == OP_ZEXT && d->operands[0].type.kind == PROGRAM_INTEGER &&
           d->operands[0].type.bits == 1;
}

// The address of a whole byte access: what kind of use is operand k of this instruction?
static bool is_access(const struct instruction *i, uint32_t k)
{
    bool load = i->op == OP_LOAD && k == 0, store = i->op == OP_STORE && k == 1;
    return (load || store) && i->numbers[0] == 1 && i->extra == 0;
}

static void forbid(struct flags *f, const struct operand *o)
{
    if (o->kind == OPERAND_VALUE)
        f->slot[o->number] = 0;
    else if (o->kind == OPERAND_ADDRESS)
        f->global[o->number] = false;
}

static void look_at_uses(struct flags *f, const struct instruction *i)
{
    for (uint32_t k = 0; k < i->operand_count; k++) {
        const struct operand *o = &i->operands[k];
        bool good = (is_access(i, k) && o->offset == 0) || flat_is_lifetime(f->flat, i);
        if (good && i->op == OP_STORE)
            good = is_flag_value(f, &i->operands[0]);
        if (!good)
            forbid(f, o);
    }
}

static void find_globals(struct flags *f)
{
    const struct program *p = f->flat->program;
    for (uint32_t g = 0; g < p->global_count; g++) {
        const struct global *global = &p->globals[g];
        f->global[g] = !global->external && global->bytes == 1;
        for (size_t d = 0; d < global->data_count; d++)
            f->global[g] = f->global[g] && is_flag_value(f, &global->data[d].value);
    }
    for (uint32_t g = 0; g < p->global_count; g++) {
        for (size_t d = 0; d < p->globals[g].data_count; d++)
            forbid(f, &p->globals[g].data[d].value);
    }
}

static void find_slots(struct flags *f)
{
    for (size_t b = 0; b < f->flat->block_count; b++) {
        for (size_t k = 0; k < f->flat->blocks[b].count; k++) {
            const struct instruction *i = &f->flat->blocks[b].instructions[k];
            f->slot[i->result] = i->op == OP_ALLOCA && i->extra == 1;
        }
    }
}

static void number_slots(struct flags *f)
{
    for (size_t v = 0; v < f->flat->value_count; v++) {
        if (f->slot[v] != 0)
            f->slot[v] = (uint32_t)++f->slot_count;
    }
    f->words = (f->slot_count + 63) / 64 + 1;
    f->after = memory_alloc((f->flat->block_count + 1) * f->words * sizeof *f->after);
    memset(f->after, 0xff, (f->flat->block_count + 1) * f->words * sizeof *f->after);
}

static void set_slot(uint64_t *known, uint32_t slot, bool value)
{
    uint64_t bit = (uint64_t)1 << (slot - 1) % 64;
    if (value)
        known[(slot - 1) / 64] |= bit;
    else
        known[(slot - 1) / 64] &= ~bit;
}

static uint32_t slot_of(const struct flags *f, const struct operand *o)
{
    return o->kind == OPERAND_VALUE ? f->slot[o->number] : 0;
}

static void pass(struct flags *f, const struct instruction *i, uint64_t *known)
{
    uint32_t slot;
    if (i->op == OP_ALLOCA && f->slot[i->result] != 0) {
        set_slot(known, f->slot[i->result], false);
    } else if (i->op == OP_STORE && (slot = slot_of(f, &i->operands[1])) != 0) {
        set_slot(known, slot, true);
    } else if (i->op == OP_LOAD) {
        const struct operand *o = &i->operands[0];
        slot = slot_of(f, o);
        f->out[i->result] = slot != 0 ? (known[(slot - 1) / 64] >> (slot - 1) % 64) & 1
                                      : o->kind == OPERAND_ADDRESS && f->global[o->number];
    } else if (flat_is_lifetime(f->flat, i) && i->operand_count > 2 &&
               (slot = slot_of(f, &i->operands[2])) != 0) {
        set_slot(known, slot, false);
    }
}

// Which blocks lead to a block.
struct leading {
    uint32_t *first; // by block, and one more: where its part of `from` begins
    uint32_t *from;
};

static struct leading find_leading(const struct flat *flat)
{
    struct leading l = {.first = memory_zalloc((flat->block_count + 2) * sizeof *l.first)};
    uint32_t edges = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t b = 0; b < flat->block_count; b++) {
            const struct block *block = &flat->blocks[b];
            size_t count = flat_successors(block, NULL, 0);
            for (size_t n = 0; n < count; n++) {
                uint32_t to = block->instructions[block->count - 1].numbers[n];
                if (pass == 0)
                    l.first[to + 1]++;
                else
                    l.from[--l.first[to + 1]] = (uint32_t)b;
            }
        }
        for (size_t b = 0; pass == 0 && b <= flat->block_count; b++)
            l.first[b + 1] += l.first[b];
        if (pass == 0) {
            edges = l.first[flat->block_count];
            l.from = memory_alloc((edges + 1) * sizeof *l.from);
        }
    }
    // The second pass moved the end of each part to where the part begins.
    memmove(l.first, l.first + 1, flat->block_count * sizeof *l.first);
    l.first[flat->block_count] = edges;
    return l;
}

// What holds behind all blocks that lead to each block holds before it: the greatest solution. A block sees what was found of
// earlier ones in the same round, so that a program without loops takes two.
static void solve(struct flags *f)
{
    const struct flat *flat = f->flat;
    struct leading leading = find_leading(flat);
    size_t bytes = f->words * sizeof(uint64_t);
    uint64_t *known = memory_alloc(bytes);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = 0; b < flat->block_count; b++) {
            memset(known, b == 0 ? 0 : 0xff, bytes);
            for (uint32_t n = leading.first[b]; n < leading.first[b + 1]; n++)
                for (size_t w = 0; w < f->words; w++)
                    known[w] &= f->after[leading.from[n] * f->words + w];
            for (size_t k = 0; k < flat->blocks[b].count; k++)
                pass(f, &flat->blocks[b].instructions[k], known);
            changed = changed || memcmp(known, f->after + b * f->words, bytes) != 0;
            memcpy(f->after + b * f->words, known, bytes);
        }
    }
    memory_free(known);
    memory_free(leading.first);
    memory_free(leading.from);
}

bool *flags_find(const struct flat *flat)
{
    struct flags f = {.flat = flat};
    f.definition = flat_definitions(flat);
    f.slot = memory_zalloc((flat->value_count + 1) * sizeof *f.slot);
    f.global = memory_zalloc(flat->program->global_count + 1);
    f.out = memory_zalloc(flat->value_count + 1);
    find_slots(&f);
    find_globals(&f);
    for (size_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++)
            look_at_uses(&f, &flat->blocks[b].instructions[k]);
    }
    number_slots(&f);
    solve(&f);
    memory_free(f.definition);
    memory_free(f.slot);
    memory_free(f.global);
    memory_free(f.after);
    return f.out;
}

// A _Bool of memory, or a copy that it was to become, as one bit.
static bool is_flag_read(const struct instruction *i, const uint8_t *role)
{
    const struct operand *o = &i->operands[0];
    return i->op == OP_TRUNC && i->type.bits == 1 && o->kind == OPERAND_VALUE &&
           o->type.bits == 8 && (role[o->number] == FROM_LOAD || role[o->number] == COPIED);
}

static bool decides(const struct instruction *i, uint32_t operand, const uint8_t *role)
{
    switch (i->op) {
    case OP_BRANCH:
    case OP_PHI:
    case OP_CALL: // an argument that nobody reads
        return true;
    case OP_SELECT:
        return operand == 0;
    case OP_XOR: // not
        return i->operands[1].kind == OPERAND_CONSTANT;
    case OP_ZEXT:
        return role[i->result] == COPIED;
    default:
        return false;
    }
}

// By value: where it comes from, and of numbers made of one bit whether they are stored as bytes, or made one bit again, if used at all.
static void find_roles(const struct flat *flat, uint8_t *role)
{
    for (size_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            if (i->op == OP_LOAD)
                role[i->result] = FROM_LOAD;
            else if (i->op == OP_ZEXT && i->operands[0].type.bits == 1)
                role[i->result] = COPIED;
        }
    }
    for (size_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++) {
                const struct operand *o = &i->operands[n];
                bool copied = (i->op == OP_STORE && n == 0 && i->numbers[0] == 1) ||
                              (i->op == OP_TRUNC && i->type.bits == 1);
                if (o->kind == OPERAND_VALUE && role[o->number] == COPIED && !copied)
                    role[o->number] = OTHER;
            }
        }
    }
    for (size_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            if (is_flag_read(i, role))
                role[i->result] = FLAG;
        }
    }
}

bool flags_only_decide(const struct flat *flat)
{
    uint8_t *role = memory_zalloc(flat->value_count + 1);
    bool good = true;
    find_roles(flat, role);
    for (size_t b = 0; b < flat->block_count && good; b++) {
        for (size_t k = 0; k < flat->blocks[b].count && good; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count && good; n++) {
                const struct operand *o = &i->operands[n];
                good = o->kind != OPERAND_VALUE || role[o->number] != FLAG || decides(i, n, role);
            }
        }
    }
    memory_free(role);
    return good;
}
