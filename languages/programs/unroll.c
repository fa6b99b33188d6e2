#include "languages/programs/unroll.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/components.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "languages/programs/objects.h"
#include "languages/programs/places.h"
#include "languages/programs/simplify.h"
#include "languages/programs/unroll_inside.h"

#define MOST_MADE 40000      // instructions of all copies
#define MOST_FOLLOWED 400000 // instructions that are looked at, also for copies that were given up
#define MOST_MOVED 40000000  // cells of memory that are copied or compared
#define MOST_ROUNDS 5000     // of one loop
#define MANY_ROUNDS 64       // of one loop: one of more may be kept
#define MOST_BLOCKS 400      // of memory, made in copies
// Instructions of all copies, where cases of values are followed, if so many branch on what is not known or store it.
#define MOST_OF_CASES 6000
#define MOST_OPEN_OF_CASES 600
#define MOST_ATTEMPTS 3 // to find the values whose cases decide

static const struct operand unknown = {.kind = OPERAND_UNKNOWN};

// Memory.

static int compare_place(const struct cell_state *c, enum base_kind kind, uint32_t number,
                         int64_t offset)
{
    if (c->kind != kind)
        return c->kind < kind ? -1 : 1;
    if (c->number != number)
        return c->number < number ? -1 : 1;
    return c->offset < offset ? -1 : c->offset > offset;
}

static size_t first_at(const struct memory_state *s, const struct pointer *p, int64_t offset)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_place(&s->cells[middle], p->kind, p->number, offset) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool of_base(const struct cell_state *c, const struct pointer *p)
{
    return c->kind == p->kind && c->number == p->number;
}

static struct memory_state copy_state(struct unroller *u, const struct memory_state *s)
{
    size_t globals = u->f->program->global_count;
    struct memory_state out = {.count = s->count, .capacity = s->count + 16, .ranges = s->ranges};
    out.cells = memory_alloc(out.capacity * sizeof *out.cells);
    if (s->count > 0)
        memcpy(out.cells, s->cells, s->count * sizeof *out.cells);
    out.written = memory_alloc(globals + 1);
    memcpy(out.written, s->written, globals + 1);
    u->moved += s->count;
    return out;
}

static void finish_state(struct memory_state *s)
{
    memory_free(s->cells);
    memory_free(s->written);
    *s = (struct memory_state){0};
}

static bool same_operand(const struct operand *a, const struct operand *b)
{
    return a->kind == b->kind && a->number == b->number && a->offset == b->offset &&
           a->bits == b->bits && a->type.kind == b->type.kind && a->type.bits == b->type.bits;
}

// What both know.
static void join_state(struct unroller *u, struct memory_state *s, const struct memory_state *with)
{
    size_t kept = 0, k = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct cell_state *c = &s->cells[i];
        while (k < with->count && compare_place(&with->cells[k], c->kind, c->number, c->offset) < 0)
            k++;
        if (k < with->count && compare_place(&with->cells[k], c->kind, c->number, c->offset) == 0 &&
            with->cells[k].bytes == c->bytes && same_operand(&with->cells[k].value, &c->value))
            s->cells[kept++] = *c;
    }
    u->moved += s->count + with->count;
    assert(kept <= with->count && "what is known of a place is known once");
    s->count = kept;
    for (size_t g = 0; g < u->f->program->global_count; g++)
        s->written[g] |= with->written[g];
    ranges_join(&s->ranges, &with->ranges);
}

uint32_t unroll_old_value(const struct unroller *u, uint32_t number)
{
    return number < u->old_values ? number : u->origin.data[number - u->old_values];
}

static bool is_exposed(const struct unroller *u, enum base_kind kind, uint32_t number)
{
    assert(kind != BASE_UNKNOWN && "only what is known of a base is kept");
    if (kind == BASE_GLOBAL)
        return u->exposed_global[number];
    return u->exposed[unroll_old_value(u, number)];
}

// All that somebody with an unknown address may have written.
static void forget_exposed(struct unroller *u, struct memory_state *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!is_exposed(u, s->cells[i].kind, s->cells[i].number))
            s->cells[kept++] = s->cells[i];
    }
    u->moved += s->count;
    s->count = kept;
    for (size_t g = 0; g < u->f->program->global_count; g++)
        s->written[g] |= u->exposed_global[g];
}

static void forget_base(struct memory_state *s, const struct pointer *p)
{
    size_t kept = first_at(s, p, INT64_MIN), i = kept;
    while (i < s->count && of_base(&s->cells[i], p))
        i++;
    if (i < s->count)
        memmove(&s->cells[kept], &s->cells[i], (s->count - i) * sizeof *s->cells);
    s->count -= i - kept;
    if (p->kind == BASE_GLOBAL)
        s->written[p->number] = 1;
}

// All that another procedure may have written, or a caller before: every global, for procedures share them.
static void forget_shared(struct unroller *u, struct memory_state *s)
{
    size_t kept = 0;
    forget_exposed(u, s);
    for (size_t i = 0; i < s->count; i++) {
        if (s->cells[i].kind != BASE_GLOBAL)
            s->cells[kept++] = s->cells[i];
    }
    s->count = kept;
    memset(s->written, 1, u->f->program->global_count);
}

// No cell is longer than this.
#define LONGEST_CELL 16

static void forget_range(struct memory_state *s, const struct pointer *p, int64_t bytes)
{
    assert(p->exact && bytes >= 0);
    size_t kept = first_at(s, p, p->offset - LONGEST_CELL), i = kept;
    for (; i < s->count && of_base(&s->cells[i], p) && s->cells[i].offset < p->offset + bytes;
         i++) {
        if (s->cells[i].offset + s->cells[i].bytes <= p->offset)
            s->cells[kept++] = s->cells[i];
    }
    if (i < s->count)
        memmove(&s->cells[kept], &s->cells[i], (s->count - i) * sizeof *s->cells);
    s->count -= i - kept;
}

static void forget_pointed(struct unroller *u, struct memory_state *s, const struct pointer *p,
                           int64_t bytes)
{
    if (p->kind == BASE_UNKNOWN)
        forget_exposed(u, s);
    else if (!p->exact || bytes < 0 || bytes > 1 << 20 ||
             (p->kind == BASE_GLOBAL && s->written[p->number] == 0))
        forget_base(s, p); // what a global began with is known of all of it or of none
    else
        forget_range(s, p, bytes);
}

static void add_cell(struct memory_state *s, const struct pointer *p, int64_t bytes,
                     struct operand value)
{
    size_t at = first_at(s, p, p->offset);
    assert(p->exact && bytes > 0 && bytes <= LONGEST_CELL);
    if (s->count == s->capacity) {
        s->capacity = 2 * s->capacity + 16;
        s->cells = memory_realloc(s->cells, s->capacity * sizeof *s->cells);
    }
    memmove(&s->cells[at + 1], &s->cells[at], (s->count - at) * sizeof *s->cells);
    s->cells[at] = (struct cell_state){p->kind, p->number, p->offset, bytes, value};
    s->count++;
}

static bool may_be_kept(const struct operand *o)
{
    return o->kind == OPERAND_VALUE || o->kind == OPERAND_CONSTANT || o->kind == OPERAND_ADDRESS ||
           o->kind == OPERAND_FUNCTION || (o->kind == OPERAND_FIXED && o->offset == 0);
}

// Values.

static void grow_values(struct unroller *u, size_t count)
{
    while (u->points.count < count) {
        VECTOR_PUSH(&u->points, ((struct pointer){BASE_UNKNOWN, 0, false, 0}));
        VECTOR_PUSH(&u->pairs, unknown);
        VECTOR_PUSH(&u->frame_of, 0);
        VECTOR_PUSH(&u->known, unknown);
        VECTOR_PUSH(&u->operands, ((struct made_operands){0}));
    }
}

static uint32_t new_value(struct unroller *u, uint32_t origin)
{
    uint32_t number = u->old_values + (uint32_t)u->origin.count;
    VECTOR_PUSH(&u->origin, origin);
    grow_values(u, number + 1);
    // The number may have been one of a copy that was given up.
    u->points.data[number] = (struct pointer){BASE_UNKNOWN, 0, false, 0};
    u->pairs.data[number] = u->known.data[number] = unknown;
    u->frame_of.data[number] = 0;
    u->operands.data[number] = (struct made_operands){0};
    return number;
}

static struct operand now(const struct unroller *u, struct operand o)
{
    o = flat_resolve(u->f, o);
    if (o.kind != OPERAND_VALUE || u->value_now[o.number].kind == OPERAND_UNKNOWN)
        return o;
    struct operand to = u->value_now[o.number];
    to.type = o.type;
    return to;
}

static struct pointer pointer_of(const struct unroller *u, const struct operand *o)
{
    if (o->kind == OPERAND_ADDRESS)
        return (struct pointer){BASE_GLOBAL, o->number, true, o->offset};
    if (o->kind == OPERAND_VALUE)
        return u->points.data[o->number];
    return (struct pointer){BASE_UNKNOWN, 0, false, 0};
}

static struct operand truth(const struct instruction *i, bool holds)
{
    return (struct operand){OPERAND_CONSTANT, i->type, 0, 0, holds};
}

static bool is_null(const struct operand *o)
{
    return o->kind == OPERAND_FIXED && o->offset == 0;
}

// One was made when the other's life was over, perhaps: then both may have been at one place.
static bool may_share_place(const struct unroller *u, const struct instruction *i,
                            const struct pointer *p, const struct pointer *q)
{
    if (p->kind != BASE_MADE || q->kind != BASE_MADE)
        return false;
    const uint32_t frame[] = {u->frame_of.data[p->number], u->frame_of.data[q->number]};
    if (frame[0] == 0 && frame[1] == 0)
        return u->late[unroll_old_value(u, p->number)] || u->late[unroll_old_value(u, q->number)];
    if (frame[0] == 0 || frame[1] == 0)
        return false; // no block lies where variables do
    return !flat_frame_is_inside(u->f, i->frame, frame[0] - 1) ||
           !flat_frame_is_inside(u->f, i->frame, frame[1] - 1);
}

// In bytes; 0 where that is not known.
static uint64_t size_of(const struct unroller *u, const struct pointer *p)
{
    if (p->kind == BASE_GLOBAL)
        return u->f->program->globals[p->number].bytes;
    const struct instruction *i = u->definition[unroll_old_value(u, p->number)];
    uint64_t bytes = i == NULL ? 0 : i->op == OP_ALLOCA ? i->extra : 1;
    for (uint32_t k = i != NULL && i->op == OP_CALL ? 1 : 0; bytes > 0 && k < i->operand_count; k++)
        bytes = i->operands[k].kind == OPERAND_CONSTANT ? bytes * (uint64_t)i->operands[k].bits : 0;
    return bytes;
}

static bool may_be_behind(const struct unroller *u, const struct pointer *p)
{
    const uint64_t bytes = size_of(u, p);
    return !p->exact || (bytes == 0 ? p->offset > 0 : p->offset == (int64_t)bytes);
}

// What is just behind one may be where the other begins.
static bool may_be_side_by_side(const struct unroller *u, const struct pointer *p,
                                const struct pointer *q)
{
    const bool begins[] = {!p->exact || p->offset == 0, !q->exact || q->offset == 0};
    return p->kind == q->kind &&
           ((begins[0] && may_be_behind(u, q)) || (begins[1] && may_be_behind(u, p)));
}

static bool compare_pointers(const struct unroller *u, const struct instruction *i,
                             const struct operand *a, const struct operand *b, struct operand *out)
{
    struct pointer p = pointer_of(u, a), q = pointer_of(u, b);
    bool has_p = p.kind != BASE_UNKNOWN, has_q = q.kind != BASE_UNKNOWN, equal;
    if (i->extra > COMPARE_NE)
        return false;
    if ((is_null(a) || a->kind == OPERAND_FUNCTION || has_p) &&
        (is_null(b) || b->kind == OPERAND_FUNCTION || has_q)) {
        if (has_p && has_q && p.kind == q.kind && p.number == q.number) {
            if (!p.exact || !q.exact)
                return false;
            equal = p.offset == q.offset;
        } else if (has_p && has_q &&
                   (may_share_place(u, i, &p, &q) || may_be_side_by_side(u, &p, &q))) {
            return false;
        } else {
            equal =
                !has_p && !has_q && a->kind == b->kind && (is_null(a) || a->number == b->number);
        }
        *out = truth(i, equal == (i->extra == COMPARE_EQ));
        return true;
    }
    return false;
}

bool unroll_evaluate(const struct unroller *u, const struct instruction *i, struct operand *out)
{
    const struct operand *a = &i->operands[0], *b = &i->operands[1];
    if (i->op == OP_SELECT && a->kind == OPERAND_CONSTANT) {
        *out = i->operands[(a->bits & 1) != 0 ? 1 : 2];
        return may_be_kept(out);
    }
    if (i->op == OP_EXTRACT && a->kind == OPERAND_VALUE) {
        const struct operand *pair = &u->pairs.data[a->number];
        *out = i->extra == 0 ? *pair : truth(i, pair->offset != 0);
        out->offset = 0;
        out->type = i->type;
        return pair->kind == OPERAND_CONSTANT;
    }
    if (i->op == OP_ICMP && a->kind == OPERAND_VALUE && b->kind == OPERAND_VALUE &&
        a->number == b->number) {
        *out =
            truth(i, i->extra == COMPARE_EQ || i->extra == COMPARE_UGE || i->extra == COMPARE_ULE ||
                         i->extra == COMPARE_SGE || i->extra == COMPARE_SLE);
        return a->type.kind == PROGRAM_INTEGER;
    }
    if (i->op == OP_ICMP && compare_pointers(u, i, a, b, out))
        return true;
    return i->operand_count > 0 && simplify_numbers(i, a, b, out);
}

static int64_t as_signed(const struct operand *o)
{
    return (int64_t)program_as_signed(o->bits, o->type.bits);
}

static bool is_number(const struct operand *o)
{
    return o->kind == OPERAND_CONSTANT && o->type.kind == PROGRAM_INTEGER && o->type.bits >= 1 &&
           o->type.bits <= 64;
}

static struct pointer moved_pointer(const struct unroller *u, const struct instruction *i)
{
    struct pointer p = pointer_of(u, &i->operands[0]);
    int64_t by = i->numbers[0], step;
    bool good = p.exact;
    for (uint32_t k = 1; k < i->operand_count && good; k++)
        good = is_number(&i->operands[k]) &&
               !__builtin_mul_overflow(as_signed(&i->operands[k]), i->numbers[k], &step) &&
               !__builtin_add_overflow(by, step, &by);
    good = good && !__builtin_add_overflow(p.offset, by, &by) && by >= -(1 << 30) && by <= 1 << 30;
    p.exact = good;
    p.offset = good ? by : 0;
    return p;
}

// An operation with its overflow, of known numbers.
static struct operand known_pair(const struct instruction *i, const char *name)
{
    const struct operand *a = &i->operands[1], *b = &i->operands[2];
    if (i->operand_count != 3 || !is_number(a) || !is_number(b) || a->type.bits > 64 ||
        !text_begins_with(name, "llvm.") || strlen(name) < 9)
        return unknown;
    const bool sign = name[5] == 's';
    const char *op = name + 6;
    uint32_t bits = a->type.bits;
    __int128 x = sign ? (__int128)as_signed(a) : (__int128)a->bits,
             y = sign ? (__int128)as_signed(b) : (__int128)b->bits, r;
    // Of 64 bits without a sign a product may be larger than 127 bits.
    if (text_begins_with(op, "add"))
        r = x + y;
    else if (text_begins_with(op, "sub"))
        r = x - y;
    else if (text_begins_with(op, "mul") && (sign || bits <= 32))
        r = x * y;
    else
        return unknown;
    __int128 high = sign ? ((__int128)1 << (bits - 1)) - 1 : ((__int128)1 << bits) - 1,
             low = sign ? -high - 1 : 0;
    uint64_t mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    return (struct operand){OPERAND_CONSTANT, i->type, 0, r < low || r > high, (uint64_t)r & mask};
}

// Loads and stores.

static bool load_value(const struct unroller *u, const struct memory_state *s,
                       const struct instruction *i, struct operand *out)
{
    struct pointer p = pointer_of(u, &i->operands[0]);
    if (p.kind == BASE_UNKNOWN || !p.exact || i->extra != 0)
        return false;
    assert(p.kind == BASE_GLOBAL ? p.number < u->f->program->global_count
                                 : p.number < u->old_values + u->origin.count);
    size_t at = first_at(s, &p, p.offset);
    if (at < s->count && compare_place(&s->cells[at], p.kind, p.number, p.offset) == 0) {
        *out = s->cells[at].value;
        bool same = s->cells[at].bytes == i->numbers[0] && program_same_type(out->type, i->type);
        out->type = i->type;
        return same;
    }
    return p.kind == BASE_GLOBAL && s->written[p.number] == 0 &&
           simplify_initial(u->f->program, &i->operands[0], i->type, (uint64_t)i->numbers[0],
                            out) &&
           may_be_kept(out);
}

static void store_value(struct unroller *u, struct memory_state *s, const struct instruction *i)
{
    struct pointer p = pointer_of(u, &i->operands[1]);
    int64_t bytes = i->numbers[0];
    forget_pointed(u, s, &p, bytes);
    struct operand value = i->operands[0];
    value.type = i->type;
    bool plain = i->type.kind == PROGRAM_INTEGER || i->type.kind == PROGRAM_POINTER ||
                 i->type.kind == PROGRAM_FLOAT;
    if (p.kind != BASE_UNKNOWN && p.exact && i->extra == 0 && bytes > 0 && bytes <= LONGEST_CELL &&
        plain && may_be_kept(&value))
        add_cell(s, &p, bytes, value);
}

static void copy_cells(struct unroller *u, struct memory_state *s, const struct operand *to,
                       const struct operand *from, const struct operand *size)
{
    struct pointer p = pointer_of(u, to), q = pointer_of(u, from);
    int64_t bytes = is_number(size) && size->bits < 1 << 20 ? (int64_t)size->bits : -1;
    VECTOR(struct cell_state) kept = {0};
    bool exact =
        p.kind != BASE_UNKNOWN && p.exact && q.kind != BASE_UNKNOWN && q.exact && bytes > 0;
    for (size_t i = exact ? first_at(s, &q, q.offset) : s->count;
         i < s->count && of_base(&s->cells[i], &q); i++) {
        if (s->cells[i].offset + s->cells[i].bytes <= q.offset + bytes)
            VECTOR_PUSH(&kept, s->cells[i]);
    }
    forget_pointed(u, s, &p, bytes);
    for (size_t i = 0; i < kept.count; i++) {
        struct pointer place = p;
        place.offset = p.offset + (kept.data[i].offset - q.offset);
        add_cell(s, &place, kept.data[i].bytes, kept.data[i].value);
    }
    VECTOR_FINISH(&kept);
}

static void forget_frame(struct unroller *u, struct memory_state *s, uint32_t frame)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct cell_state *c = &s->cells[i];
        if (c->kind != BASE_MADE || u->frame_of.data[c->number] != frame + 1)
            s->cells[kept++] = *c;
    }
    u->moved += s->count;
    s->count = kept;
}

// A variable begins to live again: what was known to point to it points to its life before.
static void forget_pointers_to(struct unroller *u, struct memory_state *s, const struct pointer *p)
{
    size_t kept = 0;
    if (!is_exposed(u, p->kind, p->number))
        return;
    for (size_t i = 0; i < s->count; i++) {
        struct pointer held = pointer_of(u, &s->cells[i].value);
        if (held.kind != p->kind || held.number != p->number)
            s->cells[kept++] = s->cells[i];
    }
    u->moved += s->count;
    s->count = kept;
}

static bool touches_arguments_only(const char *name)
{
    return text_begins_with(name, "llvm.lifetime.") || text_begins_with(name, "llvm.memcpy.") ||
           text_begins_with(name, "llvm.memmove.") || text_begins_with(name, "llvm.memset.") ||
           strcmp(name, "free") == 0;
}

// calloc of more than there is.
static bool may_be_null(const struct instruction *i, const char *name)
{
    const struct operand *a = &i->operands[1], *b = &i->operands[2];
    return strcmp(name, "calloc") == 0 &&
           (i->operand_count < 3 || a->kind != OPERAND_CONSTANT || b->kind != OPERAND_CONSTANT ||
            a->bits >= 1u << 15 || b->bits >= 1u << 15);
}

static void call_effect(struct unroller *u, struct memory_state *s, const struct instruction *i)
{
    const char *name = flat_callee(u->f, i);
    if (objects_is_allocator(name)) {
        if (may_be_null(i, name))
            u->points.data[i->result] = (struct pointer){BASE_UNKNOWN, 0, false, 0};
        else
            u->points.data[i->result] = (struct pointer){BASE_MADE, i->result, true, 0};
        return;
    }
    if (strstr(name, ".with.overflow.") != NULL) {
        u->pairs.data[i->result] = known_pair(i, name);
        return;
    }
    if ((text_begins_with(name, "llvm.memcpy.") || text_begins_with(name, "llvm.memmove.") ||
         strcmp(name, MOVES_CONTENTS) == 0) &&
        i->operand_count > 3) {
        copy_cells(u, s, &i->operands[1], &i->operands[2], &i->operands[3]);
        return;
    }
    const bool single = touches_arguments_only(name);
    const bool begins = text_begins_with(name, "llvm.lifetime.start");
    bool any = i->operands[0].kind != OPERAND_FUNCTION;
    for (uint32_t k = 1; k < i->operand_count; k++) {
        if (i->operands[k].type.kind != PROGRAM_POINTER)
            continue;
        struct pointer p = pointer_of(u, &i->operands[k]);
        any = any || !single || p.kind == BASE_UNKNOWN;
        if (p.kind != BASE_UNKNOWN)
            forget_base(s, &p);
        if (p.kind != BASE_UNKNOWN && begins)
            forget_pointers_to(u, s, &p);
    }
    if (any)
        forget_exposed(u, s);
}

// Which loop a block is in, and those around it.

static bool is_inside(const struct unroller *u, uint32_t block, uint32_t loop)
{
    for (uint32_t l = u->loop_of[block]; l != NONE; l = u->loops.data[l].parent) {
        if (l == loop)
            return true;
    }
    return false;
}

static uint32_t frame_now(struct unroller *u, uint32_t frame)
{
    struct flat *f = u->f;
    uint32_t loop = u->frame_loop[frame];
    bool copied = u->cases > 0 && !u->entered[frame];
    for (uint32_t l = loop; l != NONE; l = u->loops.data[l].parent)
        copied = copied || u->loops.data[l].active;
    if (!copied)
        return frame;
    if (u->frame_now[frame] != NONE)
        return u->frame_now[frame];
    uint32_t parent = frame_now(u, f->frames[frame].parent);
    if (f->frame_count == f->frame_capacity) {
        f->frame_capacity = 2 * f->frame_capacity + 16;
        f->frames = memory_realloc(f->frames, f->frame_capacity * sizeof *f->frames);
    }
    uint32_t number = (uint32_t)f->frame_count++;
    char text[32];
    snprintf(text, sizeof text, ".%u", number);
    size_t room = strlen(f->frames[frame].name) + sizeof text;
    char *name = arena_alloc(&f->arena, room);
    snprintf(name, room, "%s%s", f->frames[frame].name, text);
    f->frames[number] = f->frames[frame];
    f->frames[number].parent = parent;
    f->frames[number].name = name;
    u->frame_now[frame] = number;
    return number;
}

// Making copies.

static void push_made(struct unroller *u, uint32_t block, const struct instruction *i)
{
    struct block *b = &u->made.data[block];
    if (b->count == b->capacity) {
        b->capacity = 2 * b->capacity + 8;
        b->instructions = memory_realloc(b->instructions, b->capacity * sizeof *b->instructions);
    }
    b->instructions[b->count++] = *i;
    u->instructions++;
}

static uint32_t place_of(struct unroller *u, uint32_t block)
{
    uint32_t loop = u->loop_of[block];
    if (loop != NONE && u->loops.data[loop].head == block && u->loops.data[loop].staying != NONE)
        return u->loops.data[loop].staying;
    if (u->place[block] == NONE) {
        u->place[block] = (uint32_t)u->made.count;
        VECTOR_PUSH(&u->made, (struct block){0});
    }
    return u->place[block];
}

// The state is taken.
static uint32_t enter_block(struct unroller *u, uint32_t to, uint32_t from_old, uint32_t from,
                            struct memory_state state)
{
    uint32_t loop = u->loop_of[to], place = place_of(u, to);
    if (loop != NONE && u->loops.data[loop].head == to && u->loops.data[loop].staying != NONE)
        finish_state(&state);
    else
        VECTOR_PUSH(&u->entries[to],
                    ((struct entry){.from_old = from_old, .from = from, .state = state}));
    return place;
}

static struct instruction renamed(struct unroller *u, const struct instruction *i)
{
    struct instruction out = *i;
    out.frame = frame_now(u, i->frame);
    out.operands = arena_zalloc(&u->f->arena, (i->operand_count + 1) * sizeof *out.operands);
    for (uint32_t k = 0; k < i->operand_count; k++)
        out.operands[k] = now(u, i->operands[k]);
    out.numbers = arena_zalloc(&u->f->arena, (i->number_count + 1) * sizeof *out.numbers);
    if (i->number_count > 0)
        memcpy(out.numbers, i->numbers, i->number_count * sizeof *out.numbers);
    if (u->copying > 0)
        out.result = new_value(u, i->result);
    return out;
}

static void copy_plain(struct unroller *u, const struct instruction *source, uint32_t block,
                       struct memory_state *s)
{
    struct instruction i = renamed(u, source);
    struct operand known = unknown;
    bool pure = (i.op == OP_LOAD && i.extra == 0) || i.op == OP_GEP || i.op == OP_SELECT ||
                i.op == OP_EXTRACT || (i.op >= OP_ADD && i.op <= OP_XOR) ||
                (i.op >= OP_TRUNC && i.op <= OP_SEXT) || i.op == OP_ICMP;
    if (instruction_defines(source)) {
        u->value_now[source->result] =
            ((struct operand){.kind = OPERAND_VALUE, .type = i.type, .number = i.result});
        u->operands.data[i.result] = (struct made_operands){i.operands, i.operand_count};
        ranges_define(&s->ranges, &i);
    }
    if (i.op == OP_ENTER && u->cases == 0)
        u->entered[source->frame] = true;
    bool good = false;
    if (i.op == OP_LOAD)
        good = load_value(u, s, &i, &known);
    else if (i.op == OP_STORE) {
        store_value(u, s, &i);
        u->open += i.operands[0].kind == OPERAND_VALUE;
    } else if (i.op == OP_ALLOCA) {
        u->points.data[i.result] = (struct pointer){BASE_MADE, i.result, true, 0};
        u->frame_of.data[i.result] = i.frame + 1;
        forget_base(s, &u->points.data[i.result]);
        forget_pointers_to(u, s, &u->points.data[i.result]);
    } else if (i.op == OP_GEP) {
        struct pointer p = moved_pointer(u, &i);
        u->points.data[i.result] = p;
        good = p.kind == BASE_GLOBAL && p.exact && p.offset >= 0;
        if (good)
            known = (struct operand){OPERAND_ADDRESS, i.type, p.number, p.offset, 0};
    } else if (i.op == OP_CALL) {
        if (i.operand_count > 1 && strcmp(flat_callee(u->f, &i), "__VERIFIER_assume") == 0)
            ranges_assume(u, &s->ranges, i.operands[1], true);
        call_effect(u, s, &i);
        if (instruction_defines(source) && u->points.data[i.result].kind == BASE_MADE)
            forget_base(s, &u->points.data[i.result]);
    } else if (i.op == OP_COPY)
        copy_cells(u, s, &i.operands[0], &i.operands[1], &i.operands[2]);
    else if (i.op == OP_INVOKE || i.op == OP_PROCEDURE)
        forget_shared(u, s);
    else if (i.op == OP_LEAVE)
        forget_frame(u, s, i.frame);
    else if (pure)
        good = unroll_evaluate(u, &i, &known);
    if (i.op == OP_ALLOCA || (i.op == OP_CALL && objects_is_allocator(flat_callee(u->f, &i))))
        u->memory_blocks += u->copying > 0;
    u->followed++;
    if (good && pure) {
        known.type = i.type;
        u->value_now[source->result] = known;
        u->known.data[i.result] = known;
        return;
    }
    push_made(u, block, &i);
}

static void copy_phi(struct unroller *u, const struct instruction *source,
                     const struct entries *entries, uint32_t block, struct operand *result)
{
    struct instruction i = renamed(u, source);
    uint32_t count = 0;
    i.operands = arena_zalloc(&u->f->arena, (entries->count + 1) * sizeof *i.operands);
    i.numbers = arena_zalloc(&u->f->arena, (entries->count + 1) * sizeof *i.numbers);
    for (size_t e = 0; e < entries->count; e++) {
        for (uint32_t n = 0; n < source->number_count; n++) {
            if ((uint32_t)source->numbers[n] != entries->data[e].from_old)
                continue;
            i.operands[count] = now(u, source->operands[n]);
            i.numbers[count++] = entries->data[e].from;
            break;
        }
    }
    i.operand_count = i.number_count = count;
    bool same = count > 0 && may_be_kept(&i.operands[0]);
    for (uint32_t n = 1; n < count; n++)
        same = same && same_operand(&i.operands[0], &i.operands[n]);
    *result = (struct operand){.kind = OPERAND_VALUE, .type = i.type, .number = i.result};
    u->failed = u->failed || count != entries->count;
    if (same) {
        *result = i.operands[0];
        result->type = i.type;
        u->known.data[i.result] = *result;
        return;
    }
    u->operands.data[i.result] = (struct made_operands){i.operands, i.operand_count};
    ranges_meet(u, &i, entries);
    push_made(u, block, &i);
}

// What a switch does with a known value.
static size_t switch_target(const struct instruction *i)
{
    for (uint32_t k = 1; k < i->operand_count; k++) {
        if (i->operands[k].bits == i->operands[0].bits)
            return k;
    }
    return 0;
}

// Does this end of a block lead out of a loop?
static bool may_leave(const struct unroller *u, const struct instruction *source, uint32_t old)
{
    const size_t count = source->op == OP_SWITCH ? source->number_count : source->operand_count + 1;
    for (uint32_t l = u->loop_of[old]; l != NONE; l = u->loops.data[l].parent) {
        for (size_t k = 0; k < count; k++) {
            if (!is_inside(u, (uint32_t)source->numbers[k], l))
                return true;
        }
    }
    return false;
}

static void copy_end(struct unroller *u, const struct instruction *source, uint32_t old,
                     uint32_t block, struct memory_state *s)
{
    struct instruction i = renamed(u, source);
    size_t count = i.op == OP_SWITCH ? i.number_count : i.op == OP_BRANCH ? i.operand_count + 1 : 0;
    bool decided = count > 1 && is_number(&i.operands[0]);
    u->open += count > 1 && !decided;
    if (decided) {
        size_t take = i.op == OP_SWITCH ? switch_target(&i) : (i.operands[0].bits & 1) != 0 ? 0 : 1;
        for (uint32_t l = u->loop_of[old]; l != NONE; l = u->loops.data[l].parent) {
            for (size_t k = 0; k < count; k++)
                u->loops.data[l].decided =
                    u->loops.data[l].decided || !is_inside(u, (uint32_t)source->numbers[k], l);
        }
        int64_t *numbers = arena_zalloc(&u->f->arena, 4 * sizeof *numbers);
        numbers[0] = source->numbers[take];
        if (i.op == OP_BRANCH && i.number_count > count + 1 && u->copying == 0) {
            numbers[1] = i.numbers[count];
            numbers[2] = i.numbers[count + 1];
        }
        i.op = OP_BRANCH;
        i.operand_count = 0;
        i.numbers = numbers;
        i.number_count = 3;
        count = 1;
    } else if (i.op == OP_BRANCH && u->copying > 0) {
        // A loop's place stands for all of its rounds, which this is not.
        for (size_t k = count; k < i.number_count; k++)
            i.numbers[k] = 0;
    }
    if (count > 1 && may_leave(u, source, old))
        ranges_need(u, i.operands[0], 0);
    for (size_t k = 0; k < count; k++) {
        uint32_t to = (uint32_t)i.numbers[k];
        bool again = false;
        for (size_t n = 0; n < k; n++)
            again = again || (decided ? false : source->numbers[n] == source->numbers[k]);
        if (again) {
            i.numbers[k] = place_of(u, to);
            continue;
        }
        struct memory_state state = count == 1 ? *s : copy_state(u, s);
        if (count == 1)
            *s = (struct memory_state){0};
        else if (i.op == OP_BRANCH)
            ranges_assume(u, &state.ranges, i.operands[0], k == 0);
        i.numbers[k] = enter_block(u, to, old, block, state);
    }
    push_made(u, block, &i);
    finish_state(s);
}

static bool too_much(const struct unroller *u)
{
    return u->instructions > MOST_MADE || u->followed > MOST_FOLLOWED || u->moved > MOST_MOVED ||
           u->memory_blocks > MOST_BLOCKS;
}

static void take_entries(struct unroller *u, uint32_t block, struct entries *out,
                         struct memory_state *state)
{
    *out = u->entries[block];
    u->entries[block] = (struct entries){0};
    for (size_t e = 0; e < out->count; e++)
        out->data[e].ranges = out->data[e].state.ranges;
    *state = out->data[0].state;
    for (size_t e = 1; e < out->count; e++) {
        join_state(u, state, &out->data[e].state);
        finish_state(&out->data[e].state);
    }
}

static void copy_block(struct unroller *u, uint32_t old, struct entries *entries,
                       struct memory_state *s)
{
    const struct block *b = &u->f->blocks[old];
    uint32_t block = u->place[old];
    u->place[old] = NONE;
    VECTOR(struct operand) phis = {0};
    size_t k = 0;
    for (; k < b->count && b->instructions[k].op == OP_PHI; k++) {
        struct operand result;
        copy_phi(u, &b->instructions[k], entries, block, &result);
        VECTOR_PUSH(&phis, result);
    }
    for (size_t n = 0; n < phis.count; n++)
        u->value_now[b->instructions[n].result] = phis.data[n];
    for (; k + 1 < b->count; k++) {
        if (b->instructions[k].op == OP_PHI)
            u->failed = true; // they are where a block begins
        copy_plain(u, &b->instructions[k], block, s);
    }
    copy_end(u, &b->instructions[b->count - 1], old, block, s);
    VECTOR_FINISH(&phis);
}

// Loops.

static void follow_items(struct unroller *u, const struct item *items, size_t count);

static void follow_block(struct unroller *u, uint32_t block)
{
    struct entries entries;
    struct memory_state state;
    if (u->entries[block].count == 0)
        return;
    take_entries(u, block, &entries, &state);
    copy_block(u, block, &entries, &state);
    VECTOR_FINISH(&entries);
}

// Where everything was before a loop, to come back to.
struct mark {
    size_t made, origin, frames, instructions, memory_blocks, unrolled, open;
    uint32_t place;
    struct operand *value_now;
    uint32_t *frame_now;
};

static struct mark take_mark(struct unroller *u, uint32_t head)
{
    u->moved += u->old_values;
    struct mark m = {u->made.count,
                     u->origin.count,
                     u->f->frame_count,
                     u->instructions,
                     u->memory_blocks,
                     u->unrolled,
                     u->open,
                     u->place[head],
                     NULL,
                     NULL};
    m.value_now = memory_alloc((u->old_values + 1) * sizeof *m.value_now);
    memcpy(m.value_now, u->value_now, u->old_values * sizeof *m.value_now);
    m.frame_now = memory_alloc((u->old_frames + 1) * sizeof *m.frame_now);
    memcpy(m.frame_now, u->frame_now, u->old_frames * sizeof *m.frame_now);
    return m;
}

static void finish_mark(struct mark *m)
{
    memory_free(m->value_now);
    memory_free(m->frame_now);
}

static void go_back(struct unroller *u, const struct mark *m, uint32_t head)
{
    for (size_t b = m->made; b < u->made.count; b++)
        memory_free(u->made.data[b].instructions);
    u->made.count = m->made;
    u->made.data[m->place].count = 0;
    u->origin.count = m->origin;
    u->f->frame_count = m->frames;
    u->instructions = m->instructions;
    u->memory_blocks = m->memory_blocks;
    u->unrolled = m->unrolled;
    u->open = m->open;
    memcpy(u->value_now, m->value_now, u->old_values * sizeof *m->value_now);
    memcpy(u->frame_now, m->frame_now, u->old_frames * sizeof *m->frame_now);
    for (uint32_t b = 0; b < u->old_blocks; b++) {
        struct entries *e = &u->entries[b];
        size_t kept = 0;
        for (size_t i = 0; i < e->count; i++) {
            // The head's copy is an old number, but what it leads to is of this loop.
            bool gone = e->data[i].from >= m->made || e->data[i].from == m->place;
            if (gone)
                finish_state(&e->data[i].state);
            else
                e->data[kept++] = e->data[i];
        }
        e->count = kept;
        if (u->place[b] != NONE && u->place[b] >= m->made)
            u->place[b] = NONE;
    }
    u->place[head] = m->place;
}

static bool same_numbers(const struct memory_state *a, const struct memory_state *b)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a->count && a->cells[i].value.kind == OPERAND_VALUE)
            i++;
        while (k < b->count && b->cells[k].value.kind == OPERAND_VALUE)
            k++;
        if (i == a->count || k == b->count)
            return i == a->count && k == b->count;
        const struct cell_state *c = &b->cells[k];
        if (compare_place(&a->cells[i], c->kind, c->number, c->offset) != 0 ||
            !same_operand(&a->cells[i].value, &c->value))
            return false;
    }
}

static void begin_round(struct unroller *u, uint32_t loop)
{
    for (uint32_t fr = 0; fr < u->old_frames; fr++) {
        for (uint32_t l = u->frame_loop[fr]; l != NONE; l = u->loops.data[l].parent) {
            if (l == loop)
                u->frame_now[fr] = NONE;
        }
    }
    u->loops.data[loop].decided = false;
}

// Copies the loop's rounds; false: it is not decided how many there are.
static bool follow_rounds(struct unroller *u, uint32_t loop, struct entries *entries,
                          struct memory_state *begin)
{
    uint32_t head = u->loops.data[loop].head;
    struct memory_state before = {0};
    const size_t open = u->open;
    bool good = false, is_long = false;
    u->loops.data[loop].active = true;
    u->copying++;
    for (uint32_t round = 0; round < MOST_ROUNDS && !u->failed; round++) {
        struct entries here = {0};
        struct memory_state state;
        begin_round(u, loop);
        if (round == 0)
            state = copy_state(u, begin);
        else
            take_entries(u, head, &here, &state);
        bool stuck = round > 0 && same_numbers(&state, &before);
        finish_state(&before);
        before = copy_state(u, &state);
        if (stuck) {
            finish_state(&state);
            VECTOR_FINISH(&here);
            break;
        }
        copy_block(u, head, round == 0 ? entries : &here, &state);
        VECTOR_FINISH(&here);
        follow_items(u, u->loops.data[loop].items.data + 1, u->loops.data[loop].items.count - 1);
        is_long = round >= MANY_ROUNDS && u->open - open >= round;
        if (u->entries[head].count == 0) {
            good = true;
            break;
        }
        if (!u->loops.data[loop].decided || too_much(u) || (is_long && u->keeps_long))
            break;
    }
    u->copying--;
    u->loops.data[loop].active = false;
    finish_state(&before);
    good = good && !too_much(u);
    u->long_copies = u->long_copies || (good && is_long);
    return good;
}

// An address that is used in a loop, at its head. False: of an object that the loop itself makes.
static bool address_outside(const struct unroller *u, uint32_t loop, struct operand o,
                            struct pointer *out)
{
    const struct instruction *d = NULL;
    o = flat_resolve(u->f, o);
    while (o.kind == OPERAND_VALUE && u->defined[o.number] != NONE &&
           is_inside(u, u->defined[o.number], loop)) {
        d = u->definition[o.number];
        if (d->op != OP_GEP)
            break;
        o = flat_resolve(u->f, d->operands[0]);
        d = NULL;
    }
    *out = (struct pointer){BASE_UNKNOWN, 0, false, 0};
    if (d != NULL)
        return d->op != OP_ALLOCA;
    o = now(u, o);
    *out = pointer_of(u, &o);
    return true;
}

static void forget_address(struct unroller *u, uint32_t loop, struct operand o,
                           struct memory_state *s)
{
    struct pointer p;
    if (!address_outside(u, loop, o, &p))
        return;
    if (p.kind == BASE_UNKNOWN)
        forget_exposed(u, s);
    else
        forget_base(s, &p);
}

static void forget_called(struct unroller *u, uint32_t loop, const struct instruction *i,
                          struct memory_state *s)
{
    const char *name = flat_callee(u->f, i);
    if (objects_is_allocator(name) || strstr(name, ".with.overflow.") != NULL)
        return;
    bool any = i->operands[0].kind != OPERAND_FUNCTION;
    for (uint32_t n = 1; n < i->operand_count; n++) {
        if (i->operands[n].type.kind != PROGRAM_POINTER)
            continue;
        forget_address(u, loop, i->operands[n], s);
        any = any || !touches_arguments_only(name);
    }
    if (any)
        forget_exposed(u, s);
}

// What a round may write is not known at the loop's head.
static void forget_written(struct unroller *u, uint32_t loop, struct memory_state *to)
{
    const struct round_loop *l = &u->loops.data[loop];
    for (size_t b = 0; b < l->blocks.count; b++) {
        const struct block *block = &u->f->blocks[l->blocks.data[b]];
        for (size_t k = 0; k < block->count; k++) {
            const struct instruction *i = &block->instructions[k];
            if (i->op == OP_STORE)
                forget_address(u, loop, i->operands[1], to);
            else if (i->op == OP_COPY)
                forget_address(u, loop, i->operands[0], to);
            else if (i->op == OP_CALL)
                forget_called(u, loop, i, to);
            else if (i->op == OP_INVOKE)
                forget_shared(u, to);
        }
    }
    // Objects that the loop makes are new in each round.
    size_t kept = 0;
    for (size_t i = 0; i < to->count; i++) {
        const struct cell_state *c = &to->cells[i];
        uint32_t origin = c->kind != BASE_MADE        ? NONE
                          : c->number < u->old_values ? c->number
                                                      : u->origin.data[c->number - u->old_values];
        bool inside =
            origin != NONE && u->defined[origin] != NONE && is_inside(u, u->defined[origin], loop);
        if (!inside)
            to->cells[kept++] = *c;
    }
    to->count = kept;
}

static void stay(struct unroller *u, uint32_t loop, struct entries *entries,
                 struct memory_state *state)
{
    uint32_t head = u->loops.data[loop].head;
    const struct block *b = &u->f->blocks[head];
    u->stayed++;
    if ((b->count > 0 && b->instructions[0].op == OP_PHI) || u->split != NULL)
        u->failed = true; // what comes round is not known yet; cases are for loops that end
    forget_written(u, loop, state);
    uint32_t outer = u->loops.data[loop].staying;
    u->loops.data[loop].staying = u->place[head];
    copy_block(u, head, entries, state);
    follow_items(u, u->loops.data[loop].items.data + 1, u->loops.data[loop].items.count - 1);
    u->loops.data[loop].staying = outer;
}

static void follow_loop(struct unroller *u, uint32_t loop)
{
    struct entries entries;
    struct memory_state state;
    uint32_t head = u->loops.data[loop].head;
    if (u->entries[head].count == 0)
        return;
    take_entries(u, head, &entries, &state);
    bool done = false;
    if (!u->loops.data[loop].leaks && !u->loops.data[loop].hopeless && !too_much(u)) {
        struct mark m = take_mark(u, head);
        done = follow_rounds(u, loop, &entries, &state);
        if (done) {
            u->unrolled++;
        } else {
            u->loops.data[loop].hopeless = too_much(u);
            go_back(u, &m, head);
        }
        finish_mark(&m);
    }
    if (!done)
        stay(u, loop, &entries, &state); // takes the state
    else
        finish_state(&state);
    VECTOR_FINISH(&entries);
}

static uint32_t first_block(const struct unroller *u, const struct item *item)
{
    return item->loop != NONE ? u->loops.data[item->loop].head : item->block;
}

// Where the block was entered, what is known now of all ways together.
static struct ranges ranges_here(const struct unroller *u, uint32_t block)
{
    const struct entries *e = &u->entries[block];
    struct ranges out = {0};
    for (size_t k = 0; k < e->count; k++) {
        if (k == 0)
            out = e->data[k].state.ranges;
        else
            ranges_join(&out, &e->data[k].state.ranges);
    }
    return out;
}

// From here on the value is this number.
static void take_case(struct unroller *u, struct memory_state *s, uint32_t value, int64_t number)
{
    size_t kept = 0;
    for (uint32_t v = 0; v < u->old_values; v++)
        u->value_now[v] = ranges_known(u, u->value_now[v], value, number, 0);
    for (size_t i = 0; i < s->count; i++)
        s->cells[i].value = ranges_known(u, s->cells[i].value, value, number, 0);
    for (size_t i = 0; i < s->ranges.count; i++) {
        const uint32_t other = s->ranges.of[i].value;
        const struct operand o = {.kind = OPERAND_VALUE,
                                  .type = u->definition[unroll_old_value(u, other)]->type,
                                  .number = other};
        if (ranges_known(u, o, value, number, 0).kind == OPERAND_VALUE)
            s->ranges.of[kept++] = s->ranges.of[i];
    }
    s->ranges.count = kept;
    u->moved += u->old_values + s->count;
}

static uint32_t made_block(struct unroller *u)
{
    VECTOR_PUSH(&u->made, (struct block){0});
    return (uint32_t)u->made.count - 1;
}

// Each case of a value that has few from here on is followed by itself, to the end of the program. `items` begin with the block
// (or loop) that control enters here. False: there is no such value.
static bool follow_cases(struct unroller *u, const struct item *items, size_t count)
{
    const uint32_t block = first_block(u, items);
    const struct instruction *first = u->f->blocks[block].instructions;
    struct entries entries;
    struct memory_state state;
    const struct ranges ranges = ranges_here(u, block);
    struct range range;
    if (u->entries[block].count == 0 || first->op == OP_PHI || !ranges_choose(u, &ranges, &range))
        return false;
    take_entries(u, block, &entries, &state);
    VECTOR_FINISH(&entries);
    const uint32_t chooser = u->place[block], other = made_block(u);
    const size_t cases = (size_t)(range.high - range.low) + 1;
    const struct program_type type = u->definition[unroll_old_value(u, range.value)]->type;
    struct instruction choice = {.op = OP_SWITCH, .frame = frame_now(u, first->frame)};
    choice.at = first->at;
    choice.operand_count = choice.number_count = (uint32_t)cases + 1;
    choice.operands = arena_zalloc(&u->f->arena, (cases + 1) * sizeof *choice.operands);
    choice.numbers = arena_zalloc(&u->f->arena, (cases + 1) * sizeof *choice.numbers);
    choice.operands[0] = (struct operand){OPERAND_VALUE, type, range.value, 0, 0};
    choice.numbers[0] = other;
    struct instruction cut = {.op = OP_CUT, .frame = choice.frame, .at = choice.at};
    cut.text = "a value that has few cases here has another one";
    push_made(u, other, &cut);
    u->place[block] = NONE;
    uint32_t *frames = memory_alloc((u->old_frames + 1) * sizeof *frames);
    struct operand *values = memory_alloc((u->old_values + 1) * sizeof *values);
    memcpy(frames, u->frame_now, u->old_frames * sizeof *frames);
    memcpy(values, u->value_now, u->old_values * sizeof *values);
    u->cases++;
    u->copying++;
    u->splits++;
    // First what control comes to by other ways.
    follow_items(u, items + 1, count - 1);
    for (size_t k = 0; k < cases && !u->failed; k++) {
        const int64_t number = range.low + (int64_t)k;
        struct memory_state here = copy_state(u, &state);
        memcpy(u->frame_now, frames, u->old_frames * sizeof *frames);
        memcpy(u->value_now, values, u->old_values * sizeof *values);
        take_case(u, &here, range.value, number);
        choice.operands[k + 1] = (struct operand){OPERAND_CONSTANT, type, 0, 0,
                                                  program_low_bits((uint64_t)number, type.bits)};
        choice.numbers[k + 1] = enter_block(u, block, NONE, chooser, here);
        follow_items(u, items, count);
        u->failed = u->failed || too_much(u) ||
                    (u->instructions > MOST_OF_CASES && u->open > MOST_OPEN_OF_CASES);
    }
    u->cases--;
    u->copying--;
    push_made(u, chooser, &choice);
    finish_state(&state);
    memory_free(frames);
    memory_free(values);
    return true;
}

static void follow_items(struct unroller *u, const struct item *items, size_t count)
{
    for (size_t i = 0; i < count && !u->failed; i++) {
        const bool outside = items[i].loop != NONE ? u->loops.data[items[i].loop].parent == NONE
                                                   : u->loop_of[items[i].block] == NONE;
        if (outside) {
            const struct ranges ranges = ranges_here(u, first_block(u, &items[i]));
            ranges_note(u, &ranges);
        }
        if (outside && u->split != NULL && follow_cases(u, items + i, count - i))
            return;
        if (items[i].loop != NONE)
            follow_loop(u, items[i].loop);
        else
            follow_block(u, items[i].block);
    }
}

// The nest of loops.

static bool has_other_entry(const struct unroller *u, const struct components *c, uint32_t number,
                            const uint8_t *in, uint32_t *head)
{
    // By way of all edges of the region into the component.
    *head = NONE;
    bool other = false;
    for (uint32_t b = 0; b < u->old_blocks; b++) {
        if (in[b] == 0 || c->of[b] == number)
            continue;
        const struct block *block = &u->f->blocks[b];
        size_t count = flat_successors(block, NULL, 0);
        for (size_t k = 0; k < count; k++) {
            uint32_t to = (uint32_t)block->instructions[block->count - 1].numbers[k];
            if (in[to] == 0 || c->of[to] != number)
                continue;
            other = other || (*head != NONE && *head != to);
            *head = to;
        }
    }
    return other;
}

// Components of the blocks `in`, without edges to `cut`; what they are in, and what is in them.
static bool find_region(struct unroller *u, const uint8_t *in, uint32_t cut, uint32_t parent,
                        unsigned depth)
{
    uint32_t n = u->old_blocks;
    uint32_t *first = memory_alloc((n + 1) * sizeof *first);
    VECTOR(uint32_t) targets = {0};
    VECTOR_RESERVE(&targets, 1);
    for (uint32_t b = 0; b < n; b++) {
        first[b] = (uint32_t)targets.count;
        const struct block *block = &u->f->blocks[b];
        size_t count = in[b] != 0 ? flat_successors(block, NULL, 0) : 0;
        for (size_t k = 0; k < count; k++) {
            uint32_t to = (uint32_t)block->instructions[block->count - 1].numbers[k];
            if (to != cut)
                VECTOR_PUSH(&targets, to);
        }
    }
    first[n] = (uint32_t)targets.count;
    struct components c;
    components_find(&c, n, first, targets.data, in);
    bool good = depth < 200 && u->loops.count < 2000;
    for (uint32_t number = c.count; number > 0 && good; number--) {
        uint32_t begin = c.begin[number - 1], end = c.begin[number], member = c.members[begin];
        bool self = false;
        for (uint32_t k = first[member]; k < first[member + 1]; k++)
            self = self || targets.data[k] == member;
        struct item item = {member, NONE};
        if (end - begin > 1 || self) {
            uint32_t head, loop = (uint32_t)u->loops.count;
            // The first block of all is entered from nowhere, and a region's head comes first in it.
            good = !has_other_entry(u, &c, number, in, &head) && head != NONE;
            item = (struct item){NONE, loop};
            VECTOR_PUSH(&u->loops, ((struct round_loop){.head = head, .parent = parent}));
            u->loops.data[loop].staying = NONE;
            uint8_t *inside = memory_zalloc(n + 1);
            for (uint32_t k = begin; k < end; k++) {
                inside[c.members[k]] = 1;
                u->loop_of[c.members[k]] = loop;
                VECTOR_PUSH(&u->loops.data[loop].blocks, c.members[k]);
            }
            good = good && find_region(u, inside, head, loop, depth + 1);
            memory_free(inside);
        }
        if (parent == NONE)
            VECTOR_PUSH(&u->top, item);
        else
            VECTOR_PUSH(&u->loops.data[parent].items, item);
    }
    components_finish(&c);
    VECTOR_FINISH(&targets);
    memory_free(first);
    return good;
}

static bool find_loops(struct unroller *u)
{
    const struct flat *f = u->f;
    uint8_t *in = memory_zalloc(u->old_blocks + 1);
    for (uint32_t b = 0; b < u->old_blocks; b++)
        in[b] = f->blocks[b].count > 0;
    bool good = find_region(u, in, NONE, NONE, 0);
    memory_free(in);
    for (uint32_t l = 0; l < u->loops.count && good; l++) {
        const struct round_loop *loop = &u->loops.data[l];
        good = loop->items.count > 0 && loop->items.data[0].block == loop->head;
    }
    return good;
}

static void note_leaks(struct unroller *u)
{
    for (uint32_t b = 0; b < u->old_blocks; b++) {
        const struct block *block = &u->f->blocks[b];
        for (size_t k = 0; k < block->count; k++) {
            const struct instruction *i = &block->instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++) {
                struct operand o = flat_resolve(u->f, i->operands[n]);
                uint32_t at = o.kind == OPERAND_VALUE ? u->defined[o.number] : NONE;
                for (uint32_t l = at == NONE ? NONE : u->loop_of[at]; l != NONE;
                     l = u->loops.data[l].parent)
                    u->loops.data[l].leaks = u->loops.data[l].leaks || !is_inside(u, b, l);
            }
        }
    }
}

// Whose address may be known elsewhere: it is used for more than loads, stores and addresses that are.

static void expose(struct unroller *u, const uint32_t *root, struct operand o)
{
    o = flat_resolve(u->f, o);
    if (o.kind == OPERAND_ADDRESS)
        u->exposed_global[o.number] = true;
    else if (o.kind == OPERAND_VALUE && root[o.number] != NONE) {
        if (root[o.number] < u->old_values)
            u->exposed[root[o.number]] = true;
        else
            u->exposed_global[root[o.number] - u->old_values] = true;
    }
}

static void find_exposed(struct unroller *u)
{
    const struct flat *f = u->f;
    uint32_t *root = memory_alloc((u->old_values + 1) * sizeof *root);
    for (uint32_t v = 0; v < u->old_values; v++)
        root[v] = NONE;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < u->old_blocks; b++) {
            for (size_t k = 0; k < f->blocks[b].count; k++) {
                const struct instruction *i = &f->blocks[b].instructions[k];
                if (!instruction_defines(i) || root[i->result] != NONE)
                    continue;
                uint32_t found = NONE;
                if (i->op == OP_ALLOCA ||
                    (i->op == OP_CALL && objects_is_allocator(flat_callee(f, i))))
                    found = i->result;
                if (i->op == OP_GEP) {
                    struct operand o = flat_resolve(f, i->operands[0]);
                    found = o.kind == OPERAND_VALUE     ? root[o.number]
                            : o.kind == OPERAND_ADDRESS ? u->old_values + o.number
                                                        : NONE;
                }
                root[i->result] = found;
                changed = changed || found != NONE;
            }
        }
    }
    for (uint32_t b = 0; b < u->old_blocks; b++) {
        for (size_t k = 0; k < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++) {
                bool access = ((i->op == OP_LOAD || i->op == OP_GEP) && n == 0) ||
                              (i->op == OP_STORE && n == 1) || i->op == OP_ICMP;
                if (!access && !flat_is_lifetime(f, i))
                    expose(u, root, i->operands[n]);
            }
        }
    }
    const struct program *p = f->program;
    for (size_t g = 0; g < p->global_count; g++) {
        u->exposed_global[g] = u->exposed_global[g] || p->globals[g].external;
        for (size_t d = 0; d < p->globals[g].data_count; d++)
            expose(u, root, p->globals[g].data[d].value);
    }
    memory_free(root);
}

static void find_definitions(struct unroller *u)
{
    for (uint32_t v = 0; v < u->old_values; v++)
        u->defined[v] = NONE;
    for (uint32_t b = 0; b < u->old_blocks; b++) {
        const struct block *block = &u->f->blocks[b];
        for (size_t k = 0; k < block->count; k++) {
            const struct instruction *i = &block->instructions[k];
            if (instruction_defines(i)) {
                u->defined[i->result] = b;
                u->definition[i->result] = i;
            }
            if (i->op == OP_ENTER && i->frame < u->old_frames)
                u->frame_loop[i->frame] = u->loop_of[b];
        }
    }
}

static void replace(struct unroller *u)
{
    struct flat *f = u->f;
    for (size_t b = 0; b < f->block_count; b++)
        memory_free(f->blocks[b].instructions);
    memory_free(f->blocks);
    f->blocks = u->made.data;
    f->block_count = u->made.count;
    f->block_capacity = u->made.capacity;
    size_t values = u->old_values + u->origin.count;
    f->alias = memory_realloc(f->alias, (values + 1) * sizeof *f->alias);
    f->value_count = f->value_capacity = values;
    for (size_t v = u->old_values; v < values; v++)
        f->alias[v] = unknown;
    for (size_t v = 0; v < values; v++) {
        if (u->known.data[v].kind != OPERAND_UNKNOWN)
            f->alias[v] = u->known.data[v];
    }
    f->first_copy = u->old_values;
    f->origin = u->origin.data;
    u->made.data = NULL;
    u->origin.data = NULL;
}

// A block ends where something is assumed, or a value that has few cases is computed: they begin behind it.
static void end_before_cases(struct flat *f, const struct wanted *split)
{
    for (uint32_t b = 0; b < f->block_count; b++) {
        size_t k = 0;
        for (; k + 2 < f->blocks[b].count; k++) {
            const struct instruction *i = &f->blocks[b].instructions[k];
            bool ends = i->op == OP_CALL && strcmp(flat_callee(f, i), "__VERIFIER_assume") == 0;
            for (size_t n = 0; n < split->count; n++)
                ends = ends || (i->op >= OP_UREM && i->op <= OP_SEXT && instruction_defines(i) &&
                                i->result == split->values[n]);
            if (ends && f->blocks[b].instructions[k + 1].op != OP_PHI)
                break;
        }
        if (k + 2 >= f->blocks[b].count)
            continue;
        if (f->block_count == f->block_capacity) {
            f->block_capacity = 2 * f->block_capacity + 16;
            f->blocks = memory_realloc(f->blocks, f->block_capacity * sizeof *f->blocks);
        }
        const uint32_t behind = (uint32_t)f->block_count++;
        struct block *from = &f->blocks[b], *to = &f->blocks[behind];
        to->count = to->capacity = from->count - (k + 1);
        to->instructions = memory_alloc(to->capacity * sizeof *to->instructions);
        memcpy(to->instructions, from->instructions + k + 1, to->count * sizeof *to->instructions);
        struct instruction jump = {.op = OP_BRANCH, .number_count = 3};
        jump.frame = to->instructions[0].frame;
        jump.at = to->instructions[0].at;
        jump.numbers = arena_zalloc(&f->arena, 4 * sizeof *jump.numbers);
        jump.numbers[0] = behind;
        from->instructions[k + 1] = jump;
        from->count = k + 2;
        const struct instruction *last = &to->instructions[to->count - 1];
        const size_t next = flat_successors(to, NULL, 0);
        for (size_t n = 0; n < next; n++) {
            struct block *target = &f->blocks[last->numbers[n]];
            for (size_t p = 0; p < target->count && target->instructions[p].op == OP_PHI; p++) {
                struct instruction *phi = &target->instructions[p];
                for (uint32_t m = 0; m < phi->number_count; m++)
                    phi->numbers[m] = phi->numbers[m] == b ? behind : phi->numbers[m];
            }
        }
    }
}

// What decides loops and has few cases.
static struct wanted deciding(const struct unroller *u)
{
    struct wanted out = {0};
    for (size_t i = 0; i < u->needed.count; i++) {
        if (ranges_wants(&u->few, u->needed.values[i]))
            out.values[out.count++] = u->needed.values[i];
    }
    return out;
}

enum outcome { NOTHING, UNROLLED, LOOPS_LEFT };

// split: the values whose cases are followed by themselves; NULL: none. needed: what decides the loops that are left, if there are some, for
// which nothing is changed then; may be NULL.
static enum outcome unroll(struct flat *f, bool keeps_long, const struct wanted *split,
                           struct wanted *needed)
{
    if (split != NULL)
        end_before_cases(f, split);
    struct unroller u = {.f = f,
                         .keeps_long = keeps_long,
                         .split = split,
                         .old_blocks = (uint32_t)f->block_count,
                         .old_values = (uint32_t)f->value_count,
                         .old_frames = (uint32_t)f->frame_count};
    size_t blocks = f->block_count + 1, values = f->value_count + 1, frames = f->frame_count + 1;
    u.loop_of = memory_alloc(blocks * sizeof *u.loop_of);
    u.place = memory_alloc(blocks * sizeof *u.place);
    u.entries = memory_zalloc(blocks * sizeof *u.entries);
    u.defined = memory_alloc(values * sizeof *u.defined);
    u.definition = memory_zalloc(values * sizeof *u.definition);
    u.late = objects_find_late(f);
    u.exposed = memory_zalloc(values * sizeof *u.exposed);
    u.exposed_global = memory_zalloc((f->program->global_count + 1) * sizeof *u.exposed_global);
    u.value_now = memory_alloc(values * sizeof *u.value_now);
    u.frame_now = memory_alloc(frames * sizeof *u.frame_now);
    u.frame_loop = memory_alloc(frames * sizeof *u.frame_loop);
    u.entered = memory_zalloc(frames * sizeof *u.entered);
    u.entered[0] = true;
    enum outcome outcome = NOTHING;
    for (size_t b = 0; b < blocks; b++)
        u.loop_of[b] = u.place[b] = NONE;
    for (size_t v = 0; v < values; v++)
        u.value_now[v] = unknown;
    for (size_t fr = 0; fr < frames; fr++)
        u.frame_now[fr] = u.frame_loop[fr] = NONE;
    bool done = find_loops(&u);
    if (done) {
        find_definitions(&u);
        note_leaks(&u);
        find_exposed(&u);
        grow_values(&u, f->value_count);
        struct memory_state begin = {.written = memory_zalloc(f->program->global_count + 1)};
        for (size_t g = 0; g < f->program->global_count; g++)
            begin.written[g] = f->program->globals[g].external;
        enter_block(&u, 0, NONE, NONE, begin);
        follow_items(&u, u.top.data, u.top.count);
        // In loops that stay, a proof's words are better those of the program.
        done = !u.failed && (u.unrolled > 0 || u.loops.count == 0);
        if (split != NULL)
            done = done && u.splits > 0 && u.stayed == 0;
        const struct wanted others = deciding(&u);
        if (needed != NULL && u.stayed > 0 && others.count > 0) {
            *needed = others;
            outcome = LOOPS_LEFT;
        } else if (done)
            outcome = UNROLLED;
        f->long_copies = outcome == UNROLLED && (u.long_copies || u.splits > 0);
        if (outcome == UNROLLED)
            replace(&u);
        else
            f->frame_count = u.old_frames;
    }
    for (size_t b = 0; b < u.old_blocks; b++) {
        for (size_t e = 0; e < u.entries[b].count; e++)
            finish_state(&u.entries[b].data[e].state);
        VECTOR_FINISH(&u.entries[b]);
    }
    for (size_t b = 0; u.made.data != NULL && b < u.made.count; b++)
        memory_free(u.made.data[b].instructions);
    for (size_t l = 0; l < u.loops.count; l++) {
        VECTOR_FINISH(&u.loops.data[l].items);
        VECTOR_FINISH(&u.loops.data[l].blocks);
    }
    memory_free(u.made.data);
    memory_free(u.origin.data);
    VECTOR_FINISH(&u.loops);
    VECTOR_FINISH(&u.top);
    VECTOR_FINISH(&u.points);
    VECTOR_FINISH(&u.pairs);
    VECTOR_FINISH(&u.frame_of);
    VECTOR_FINISH(&u.known);
    VECTOR_FINISH(&u.operands);
    VECTOR_FINISH(&u.facts);
    memory_free(u.entered);
    memory_free(u.loop_of);
    memory_free(u.place);
    memory_free(u.entries);
    memory_free(u.defined);
    memory_free(u.definition);
    memory_free(u.late);
    memory_free(u.exposed);
    memory_free(u.exposed_global);
    memory_free(u.value_now);
    memory_free(u.frame_now);
    memory_free(u.frame_loop);
    return outcome;
}

bool flat_unroll(struct flat *f, bool keeps_long)
{
    const bool cases = !keeps_long && f->threads == 0 && f->procedures.count == 0;
    struct wanted wanted = {0}, more = {0};
    enum outcome outcome = unroll(f, keeps_long, NULL, cases ? &more : NULL);
    for (int attempt = 0;
         outcome == LOOPS_LEFT && attempt < MOST_ATTEMPTS && ranges_add(&wanted, &more);
         attempt++) {
        more.count = 0;
        if (unroll(f, keeps_long, &wanted, &more) == UNROLLED)
            return true;
    }
    if (outcome == LOOPS_LEFT)
        outcome = unroll(f, keeps_long, NULL, NULL);
    return outcome == UNROLLED;
}
