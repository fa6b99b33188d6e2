#include "languages/programs/stored.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "languages/programs/dominators.h"
#include "languages/programs/places.h"

#define MOST_DEPTH 8  // of values that a value is made of
#define MOST_ROUNDS 3 // in which a range grows by what is seen

// No number when low > high.
struct range {
    __int128 low, high;
};

// What was found of a place of a summary.
struct answer {
    uint32_t summary;
    int64_t offset;
    uint64_t bytes;
    bool known;
    struct range range;
};

struct stored {
    const struct objects *objects;
    const struct flat *flat;
    const struct instruction **definition; // by value
    uint32_t *only_entry;                  // by block: what alone leads there; UINT32_MAX
    struct dominators dominators;
    VECTOR(struct answer) answers;
    // the place that is asked for
    const struct site *site;
    int64_t offset;
    uint64_t bytes;
    struct range current; // of what it holds
};

static const struct range nothing = {1, 0};

static struct range range_of_bits(uint32_t bits)
{
    assert(bits >= 1 && bits <= 64);
    const __int128 half = (__int128)1 << (bits - 1);
    return (struct range){-half, half - 1};
}

static bool is_empty(struct range r)
{
    return r.low > r.high;
}

static struct range hull(struct range a, struct range b)
{
    if (is_empty(a) || is_empty(b))
        return is_empty(a) ? b : a;
    return (struct range){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

static struct range both(struct range a, struct range b)
{
    return (struct range){a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}

static struct range fitting(struct range r, uint32_t bits)
{
    const struct range all = range_of_bits(bits);
    return r.low < all.low || r.high > all.high ? all : r;
}

// Places.

static bool in_site(const struct stored *s, uint32_t object)
{
    return object >= s->site->first && object < s->site->first + s->site->count;
}

enum meeting { APART, MEETS, IS };

// An access to what the operand points to, and the place that is asked for.
static enum meeting meets(const struct stored *s, const struct operand *address, uint64_t bytes)
{
    struct targets targets = objects_of(s->objects, address);
    bool some = false, all = true;
    for (size_t i = 0; i < targets.count; i++) {
        const struct target *t = &targets.data[i];
        const bool is =
            in_site(s, t->object) && t->stride == 0 && t->offset == s->offset && bytes == s->bytes;
        const bool apart = !in_site(s, t->object) ||
                           (t->stride == 0 && (t->offset >= s->offset + (int64_t)s->bytes ||
                                               s->offset >= t->offset + (int64_t)bytes));
        some = some || !apart;
        all = all && is;
    }
    memory_free(targets.data);
    return all && some ? IS : some ? MEETS : APART;
}

// Anything of a block of the site.
static bool may_reach(const struct stored *s, const struct operand *address)
{
    bool some = false;
    if (address->type.kind != PROGRAM_POINTER)
        return false;
    struct targets targets = objects_of(s->objects, address);
    for (size_t i = 0; i < targets.count; i++)
        some = some || in_site(s, targets.data[i].object);
    memory_free(targets.data);
    return some;
}

// Values.

static struct range range_of(const struct stored *s, const struct operand *o, uint32_t block,
                             uint32_t depth);

// What of a value with this range this comparison with a number lets through.
static struct range cut(uint64_t predicate, struct range r, const struct operand *number)
{
    const uint32_t bits = number->type.bits;
    assert(number->kind == OPERAND_CONSTANT && bits >= 1 && bits <= 64);
    const __int128 k = program_as_signed(number->bits, bits);
    const struct range all = range_of_bits(bits);
    // Below a number without sign that is not negative: not negative either.
    const bool small = k >= 0;
    switch (predicate) {
    case COMPARE_EQ:
        return both(r, (struct range){k, k});
    case COMPARE_NE:
        return (struct range){r.low + (r.low == k), r.high - (r.high == k)};
    case COMPARE_SGT:
        return both(r, (struct range){k + 1, all.high});
    case COMPARE_SGE:
        return both(r, (struct range){k, all.high});
    case COMPARE_SLT:
        return both(r, (struct range){all.low, k - 1});
    case COMPARE_SLE:
        return both(r, (struct range){all.low, k});
    case COMPARE_ULT:
        return small ? both(r, (struct range){0, k - 1}) : r;
    case COMPARE_ULE:
        return small ? both(r, (struct range){0, k}) : r;
    case COMPARE_UGT:
        return small && r.low >= 0 ? both(r, (struct range){k + 1, all.high}) : r;
    case COMPARE_UGE:
        return small && r.low >= 0 ? both(r, (struct range){k, all.high}) : r;
    default:
        return r;
    }
}

// By comparison: the one of the operands in turn, and the opposite.
static const struct {
    enum program_comparison turned, negated;
} others[] = {
    [COMPARE_EQ - COMPARE_EQ] = {COMPARE_EQ, COMPARE_NE},
    [COMPARE_NE - COMPARE_EQ] = {COMPARE_NE, COMPARE_EQ},
    [COMPARE_UGT - COMPARE_EQ] = {COMPARE_ULT, COMPARE_ULE},
    [COMPARE_UGE - COMPARE_EQ] = {COMPARE_ULE, COMPARE_ULT},
    [COMPARE_ULT - COMPARE_EQ] = {COMPARE_UGT, COMPARE_UGE},
    [COMPARE_ULE - COMPARE_EQ] = {COMPARE_UGE, COMPARE_UGT},
    [COMPARE_SGT - COMPARE_EQ] = {COMPARE_SLT, COMPARE_SLE},
    [COMPARE_SGE - COMPARE_EQ] = {COMPARE_SLE, COMPARE_SLT},
    [COMPARE_SLT - COMPARE_EQ] = {COMPARE_SGT, COMPARE_SGE},
    [COMPARE_SLE - COMPARE_EQ] = {COMPARE_SGE, COMPARE_SGT},
};

static const struct instruction *definition_of(const struct stored *s, const struct operand *o)
{
    return o->kind == OPERAND_VALUE ? s->definition[o->number] : NULL;
}

static bool is_value(const struct stored *s, const struct operand *o, uint32_t value)
{
    const struct instruction *d = definition_of(s, o);
    if (d != NULL && d->op == OP_SEXT) // the same number
        o = &d->operands[0];
    return o->kind == OPERAND_VALUE && o->number == value;
}

static bool is_number(const struct operand *o)
{
    return o->kind == OPERAND_CONSTANT && o->type.kind == PROGRAM_INTEGER && o->type.bits >= 1 &&
           o->type.bits <= 64;
}

// The branch at the end of `from`, which was taken to `to`, says this of the value.
static struct range branch_says(const struct stored *s, uint32_t from, uint32_t to, uint32_t value,
                                struct range r)
{
    const struct block *b = &s->flat->blocks[from];
    const struct instruction *end = &b->instructions[b->count - 1];
    if (end->op != OP_BRANCH || end->operand_count == 0 || end->numbers[0] == end->numbers[1])
        return r;
    const struct instruction *test = definition_of(s, &end->operands[0]);
    if (test == NULL || test->op != OP_ICMP)
        return r;
    const bool holds = (uint32_t)end->numbers[0] == to;
    const struct operand *x = &test->operands[0], *y = &test->operands[1];
    uint64_t predicate = test->extra;
    if (is_number(x)) {
        const struct operand *other = x;
        x = y;
        y = other;
        predicate = others[predicate - COMPARE_EQ].turned;
    }
    if (!is_number(y) || !is_value(s, x, value))
        return r;
    return cut(holds ? predicate : others[predicate - COMPARE_EQ].negated, r, y);
}

static struct range known_at(const struct stored *s, uint32_t value, uint32_t block, struct range r)
{
    for (uint32_t b = block;; b = s->dominators.nearest[b]) {
        if (s->only_entry[b] != UINT32_MAX)
            r = branch_says(s, s->only_entry[b], b, value, r);
        if (b == s->dominators.nearest[b])
            return r;
    }
}

static struct range combined(enum opcode op, struct range a, struct range b)
{
    // Of at most 64 bits each, so no operation here leaves its 128.
    assert(!is_empty(a) && !is_empty(b));
    if (op == OP_ADD)
        return (struct range){a.low + b.low, a.high + b.high};
    if (op == OP_SUB)
        return (struct range){a.low - b.high, a.high - b.low};
    const __int128 corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    struct range r = {corners[0], corners[0]};
    for (int k = 1; k < 4; k++)
        r = hull(r, (struct range){corners[k], corners[k]});
    return r;
}

enum step { GOES_ON, WRITTEN, READ };

// On each way from behind this instruction comes what `look` takes for WRITTEN before what it takes for READ.
static bool written_first(const struct stored *s, uint32_t block, size_t index,
                          enum step (*look)(const struct stored *s, const struct instruction *i,
                                            const struct instruction *made),
                          const struct instruction *made)
{
    bool *seen = memory_zalloc(s->flat->block_count);
    bool good = true;
    VECTOR(uint32_t) todo = {0};
    size_t first = index + 1;
    VECTOR_PUSH(&todo, block);
    while (todo.count > 0 && good) {
        const struct block *b = &s->flat->blocks[VECTOR_POP(&todo)];
        enum step step = GOES_ON;
        for (size_t k = first; k < b->count && step == GOES_ON; k++)
            step = look(s, &b->instructions[k], made);
        first = 0; // of all but the first
        good = step != READ;
        const size_t successors = step == GOES_ON ? flat_successors(b, NULL, 0) : 0;
        for (size_t k = 0; k < successors; k++) {
            const uint32_t to = (uint32_t)b->instructions[b->count - 1].numbers[k];
            if (!seen[to])
                VECTOR_PUSH(&todo, to);
            seen[to] = true;
        }
    }
    VECTOR_FINISH(&todo);
    memory_free(seen);
    return good;
}

static bool is_result(const struct operand *o, const struct instruction *made)
{
    return o->kind == OPERAND_VALUE && o->number == made->result;
}

static bool ends_or_begins(const struct stored *s, const struct instruction *i,
                           const struct instruction *slot)
{
    return flat_is_lifetime(s->flat, i) && is_result(&i->operands[i->operand_count - 1], slot);
}

// Of a variable: it is stored, or begins or ends to live; it is loaded.
static enum step look_at_variable(const struct stored *s, const struct instruction *i,
                                  const struct instruction *slot)
{
    if (i->op == OP_LOAD && is_result(&i->operands[0], slot))
        return READ;
    return (i->op == OP_STORE && is_result(&i->operands[1], slot)) || ends_or_begins(s, i, slot)
               ? WRITTEN
               : GOES_ON;
}

// What is loaded from a variable that is loaded and stored as a whole only, and in each of its lives stored first.
static struct range range_of_variable(const struct stored *s, const struct instruction *load,
                                      uint32_t depth)
{
    const struct range all = range_of_bits(load->type.bits);
    const struct instruction *slot = definition_of(s, &load->operands[0]);
    struct range r = nothing;
    if (slot == NULL || slot->op != OP_ALLOCA || load->extra != 0 || depth == 0)
        return all;
    for (uint32_t b = 0; b < s->flat->block_count; b++) {
        for (size_t k = 0; k < s->flat->blocks[b].count; k++) {
            const struct instruction *i = &s->flat->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++) {
                if (!is_result(&i->operands[n], slot) || ends_or_begins(s, i, slot))
                    continue;
                const bool access = (i->op == OP_LOAD && n == 0) || (i->op == OP_STORE && n == 1);
                if (!access || i->extra != 0 || i->type.kind != PROGRAM_INTEGER ||
                    i->type.bits != load->type.bits || i->numbers[0] != load->numbers[0] ||
                    s->dominators.nearest[b] == UINT32_MAX)
                    return all;
                if (i->op == OP_STORE)
                    r = hull(r, range_of(s, &i->operands[0], b, depth - 1));
            }
            if ((i == slot || ends_or_begins(s, i, slot)) &&
                !written_first(s, b, k, look_at_variable, slot))
                return all;
        }
    }
    return r;
}

static struct range range_of_operation(const struct stored *s, const struct instruction *i,
                                       uint32_t depth)
{
    const uint32_t bits = i->type.bits, block = s->flat->definition[i->result];
    const struct range all = range_of_bits(bits);
    struct range a, b;
    switch (i->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
        a = range_of(s, &i->operands[0], block, depth);
        b = range_of(s, &i->operands[1], block, depth);
        return is_empty(a) || is_empty(b) ? nothing : fitting(combined(i->op, a, b), bits);
    case OP_AND:
    case OP_UREM:
        if (!is_number(&i->operands[1]))
            return all;
        b.high = program_as_signed(i->operands[1].bits, bits) - (i->op == OP_UREM);
        return b.high >= 0 ? (struct range){0, b.high} : all;
    case OP_SREM:
        if (!is_number(&i->operands[1]))
            return all;
        b.high = program_as_signed(i->operands[1].bits, bits) - 1;
        a = range_of(s, &i->operands[0], block, depth);
        return b.high < 0 ? all : (struct range){a.low >= 0 ? 0 : -b.high, b.high};
    case OP_SEXT:
        return range_of(s, &i->operands[0], block, depth);
    case OP_TRUNC:
        return fitting(range_of(s, &i->operands[0], block, depth), bits);
    case OP_ZEXT:
        a = range_of(s, &i->operands[0], block, depth);
        return is_empty(a) || (a.low >= 0 && i->operands[0].type.bits > 1)
                   ? a
                   : (struct range){0, ((__int128)1 << i->operands[0].type.bits) - 1};
    case OP_SELECT:
        return hull(range_of(s, &i->operands[1], block, depth),
                    range_of(s, &i->operands[2], block, depth));
    case OP_PHI:
        a = nothing;
        for (uint32_t k = 0; k < i->operand_count; k++)
            a = hull(a, range_of(s, &i->operands[k], (uint32_t)i->numbers[k], depth));
        return a;
    case OP_LOAD: // of such a block: what was stored there
        if (i->extra == 0 && meets(s, &i->operands[0], (uint64_t)i->numbers[0]) == IS)
            return s->current;
        return range_of_variable(s, i, depth);
    default:
        return all;
    }
}

// The operand's, where this block begins.
static struct range range_of(const struct stored *s, const struct operand *o, uint32_t block,
                             uint32_t depth)
{
    if (is_number(o)) {
        const __int128 k = program_as_signed(o->bits, o->type.bits);
        return (struct range){k, k};
    }
    const uint32_t bits = o->type.bits;
    assert(o->type.kind == PROGRAM_INTEGER && bits >= 1 && bits <= 64);
    const struct instruction *d = definition_of(s, o);
    if (o->kind != OPERAND_VALUE || s->dominators.nearest[block] == UINT32_MAX)
        return range_of_bits(bits);
    if (d == NULL || depth == 0 || d->type.kind != PROGRAM_INTEGER)
        return known_at(s, o->number, block, range_of_bits(bits));
    for (uint32_t k = 0; k < d->operand_count; k++)
        if (d->op != OP_LOAD && d->op != OP_CALL &&
            (d->operands[k].type.kind != PROGRAM_INTEGER || d->operands[k].type.bits > 64 ||
             d->operands[k].type.bits == 0))
            return known_at(s, o->number, block, range_of_bits(bits));
    return known_at(s, o->number, block, range_of_operation(s, d, depth - 1));
}

// All stores.

static bool only_reads(const struct stored *s, const struct instruction *call)
{
    const char *name = flat_callee(s->flat, call);
    return strcmp(name, "free") == 0 || strcmp(name, "strlen") == 0 ||
           flat_is_lifetime(s->flat, call);
}

// What a copy puts in the place does not stay: stores of what is known of it follow (again.h).
static bool is_overwritten(const struct stored *s, const struct transfer *copy,
                           const struct block *b, size_t index)
{
    assert(index < b->count && copy->from != NULL);
    for (size_t k = index + 1; k < b->count; k++) {
        const struct instruction *i = &b->instructions[k];
        if (i->op == OP_GEP)
            continue;
        if (i->op != OP_STORE)
            return false;
        const struct instruction *at = definition_of(s, &i->operands[1]);
        if (at != NULL && at->op == OP_GEP && at->operand_count == 1 &&
            copy->to->kind == OPERAND_VALUE && at->operands[0].kind == OPERAND_VALUE &&
            at->operands[0].number == copy->to->number &&
            meets(s, &i->operands[1], (uint64_t)i->numbers[0]) == IS)
            return true;
    }
    return false;
}

// A fill with a known byte of all of the place, or of none of it.
static bool add_fill(const struct stored *s, const struct transfer *fill, struct range *r)
{
    struct targets targets = objects_of(s->objects, fill->to);
    const int64_t end = s->offset + (int64_t)s->bytes;
    bool known = is_number(fill->byte) && fill->bytes >= 0;
    for (size_t i = 0; i < targets.count && known; i++) {
        const struct target *t = &targets.data[i];
        if (!in_site(s, t->object) || fill->bytes == 0)
            continue;
        const bool apart = t->offset >= end || t->offset + fill->bytes <= s->offset;
        const bool all = t->offset <= s->offset && t->offset + fill->bytes >= end;
        known = t->stride == 0 && (apart || all);
    }
    memory_free(targets.data);
    uint64_t filled = 0;
    for (uint64_t k = 0; k < s->bytes && known; k++)
        filled = filled << 8 | (uint8_t)fill->byte->bits;
    const __int128 number = program_as_signed(filled, (uint32_t)(8 * s->bytes));
    *r = hull(*r, (struct range){number, number});
    return known;
}

// With what this instruction stores in the place while `current` is what it holds; false: any.
static bool add_stored(const struct stored *s, uint32_t block, size_t index, struct range *r)
{
    const struct block *b = &s->flat->blocks[block];
    const struct instruction *i = &b->instructions[index];
    struct transfer t;
    if (i->op == OP_STORE) {
        const enum meeting how = meets(s, &i->operands[1], (uint64_t)i->numbers[0]);
        if (how == APART)
            return true;
        if (how == MEETS || i->type.kind != PROGRAM_INTEGER || i->type.bits != 8 * s->bytes ||
            s->dominators.nearest[block] == UINT32_MAX)
            return false;
        *r = hull(*r, range_of(s, &i->operands[0], block, MOST_DEPTH));
        return true;
    }
    if (flat_is_transfer(s->flat, i, &t)) {
        if (!may_reach(s, t.to))
            return true;
        return t.from != NULL ? is_overwritten(s, &t, b, index) : add_fill(s, &t, r);
    }
    bool some = i->op == OP_INVOKE;
    for (uint32_t n = 1; i->op == OP_CALL && !only_reads(s, i) && n < i->operand_count; n++)
        some = some || may_reach(s, &i->operands[n]);
    return !some;
}

static bool add_all_stored(const struct stored *s, struct range *r)
{
    bool known = true;
    for (uint32_t b = 0; b < s->flat->block_count; b++)
        for (size_t k = 0; k < s->flat->blocks[b].count && known; k++)
            known = add_stored(s, b, k, r);
    return known;
}

// So many bytes from this address on are all of the place in the block that `made` has just made.
static bool is_all(const struct stored *s, const struct operand *address, int64_t bytes,
                   const struct instruction *made)
{
    const struct memory_place p = flat_place_of(s->flat, s->definition, *address);
    return p.exact && is_result(&p.base, made) && p.offset <= s->offset &&
           p.offset + bytes >= s->offset + (int64_t)s->bytes;
}

// Of the place in the block that `made` has just made.
static enum step look_at_place(const struct stored *s, const struct instruction *i,
                               const struct instruction *made)
{
    struct transfer t;
    const bool transfers = flat_is_transfer(s->flat, i, &t), copies = transfers && t.from != NULL;
    if ((i->op == OP_STORE && (uint64_t)i->numbers[0] == s->bytes &&
         is_all(s, &i->operands[1], i->numbers[0], made)) ||
        (transfers && !copies && is_all(s, t.to, t.bytes, made)))
        return WRITTEN;
    if (i == made || i->op == OP_INVOKE || (copies && may_reach(s, t.from)) ||
        (i->op == OP_LOAD && meets(s, &i->operands[0], (uint64_t)i->numbers[0]) != APART))
        return READ;
    for (uint32_t n = 1; i->op == OP_CALL && !copies && n < i->operand_count; n++)
        if (may_reach(s, &i->operands[n]))
            return READ;
    return GOES_ON;
}

// The number that the place has when its block is made.
static bool add_first(const struct stored *s, struct range *r)
{
    for (uint32_t b = 0; b < s->flat->block_count; b++) {
        for (size_t k = 0; k < s->flat->blocks[b].count; k++) {
            const struct instruction *i = &s->flat->blocks[b].instructions[k];
            if (i->op != OP_CALL || i->result != s->site->value || i->type.kind == PROGRAM_VOID)
                continue;
            const char *name = flat_callee(s->flat, i);
            if (strcmp(name, "malloc") == 0)
                return written_first(s, b, k, look_at_place, i);
            if (strcmp(name, "calloc") != 0)
                return false;
            *r = hull(*r, (struct range){0, 0});
            return true;
        }
    }
    return false;
}

// Growing, then all the way, then back (widening and narrowing, Cousot and Cousot).
static bool find_fixpoint(struct stored *s, struct range first, struct range *out)
{
    s->current = first;
    for (int round = 0; round < 2 * MOST_ROUNDS; round++) {
        struct range next = first;
        if (!add_all_stored(s, &next))
            return false;
        const struct range all = range_of_bits((uint32_t)(8 * s->bytes));
        const struct range grown = hull(s->current, next);
        const bool closed = grown.low == s->current.low && grown.high == s->current.high;
        if (closed && next.low == s->current.low && next.high == s->current.high)
            break;
        if (closed) // it holds more than it can
            s->current = next;
        else if (round < MOST_ROUNDS)
            s->current = grown;
        else
            s->current = (struct range){next.low < s->current.low ? all.low : s->current.low,
                                        next.high > s->current.high ? all.high : s->current.high};
    }
    struct range last = first;
    *out = s->current;
    add_all_stored(s, &last);
    return hull(last, *out).low == out->low && hull(last, *out).high == out->high;
}

static void find_entries(struct stored *s)
{
    const struct flat *f = s->flat;
    bool *entered = memory_zalloc(f->block_count + 1);
    for (uint32_t b = 0; b < f->block_count; b++)
        s->only_entry[b] = UINT32_MAX;
    for (uint32_t b = 0; b < f->block_count; b++) {
        const size_t successors = flat_successors(&f->blocks[b], NULL, 0);
        for (size_t k = 0; k < successors; k++) {
            const uint32_t to =
                (uint32_t)f->blocks[b].instructions[f->blocks[b].count - 1].numbers[k];
            s->only_entry[to] = entered[to] ? UINT32_MAX : b;
            entered[to] = true;
        }
    }
    memory_free(entered);
}

struct stored *stored_create(const struct objects *objects)
{
    struct stored *s = memory_zalloc(sizeof *s);
    s->objects = objects;
    s->flat = objects->flat;
    s->definition = flat_definitions(s->flat);
    s->only_entry = memory_alloc((s->flat->block_count + 1) * sizeof *s->only_entry);
    find_entries(s);
    dominators_find(&s->dominators, s->flat);
    return s;
}

void stored_destroy(struct stored *s)
{
    if (s == NULL)
        return;
    dominators_finish(&s->dominators);
    VECTOR_FINISH(&s->answers);
    memory_free(s->only_entry);
    memory_free(s->definition);
    memory_free(s);
}

static void find_answer(struct stored *s, struct answer *a)
{
    const struct object *o = &s->objects->items[a->summary];
    assert(o->summary && a->bytes > 0);
    if (a->bytes > 8 || s->objects->unfinished)
        return;
    s->site = &s->objects->sites[s->objects->site_of[o->value]];
    s->offset = a->offset;
    s->bytes = a->bytes;
    struct range r = nothing;
    const struct range all = range_of_bits((uint32_t)(8 * a->bytes));
    a->known = add_first(s, &r) && find_fixpoint(s, r, &a->range) && !is_empty(a->range) &&
               (a->range.low > all.low || a->range.high < all.high);
}

bool stored_range(struct stored *s, uint32_t summary, int64_t offset, uint64_t bytes, int64_t *low,
                  int64_t *high)
{
    struct answer a = {.summary = summary, .offset = offset, .bytes = bytes};
    const struct answer *found = NULL;
    for (size_t i = 0; i < s->answers.count && found == NULL; i++) {
        const struct answer *old = &s->answers.data[i];
        if (old->summary == summary && old->offset == offset && old->bytes == bytes)
            found = old;
    }
    if (found == NULL) {
        find_answer(s, &a);
        VECTOR_PUSH(&s->answers, a);
        found = &VECTOR_LAST(&s->answers);
    }
    *low = (int64_t)found->range.low;
    *high = (int64_t)found->range.high;
    return found->known;
}
