#include "languages/programs/rounds.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/odd.h"
#include "base/text.h"

#define FIRST_ENTERED 64 // entries of a block before a round is recorded
#define AGAIN_ENTERED 8  // where rounds were skipped before
#define MOST_EVERY (1u << 30)
#define MOST_STEPS 3000 // of a round
#define MOST_CELLS 64
#define LEAST_ROUNDS 16 // fewer are run as quickly
#define NO_BOUND ((uint64_t)1 << 62)
#define MOST_BENT ((uint64_t)1 << 31) // rounds of a course that bends: exact numbers fit 128 bits

static uint64_t low_bits(uint64_t value, uint32_t width)
{
    return (uint64_t)program_low_bits(value, width);
}

static int64_t as_signed(uint64_t value, uint32_t width)
{
    return (int64_t)program_as_signed(value, width);
}

static uint32_t width_of(const struct rounds *r, struct program_type type)
{
    return type.kind == PROGRAM_POINTER ? r->flat->program->pointer_bits : type.bits;
}

struct rounds *rounds_create(const struct flat *flat)
{
    struct rounds *r = memory_zalloc(sizeof *r);
    r->flat = flat;
    r->left = memory_alloc((flat->block_count + 1) * sizeof *r->left);
    r->every = memory_alloc((flat->block_count + 1) * sizeof *r->every);
    for (size_t b = 0; b < flat->block_count; b++)
        r->left[b] = r->every[b] = FIRST_ENTERED;
    return r;
}

void rounds_destroy(struct rounds *r)
{
    if (r == NULL)
        return;
    memory_free(r->left);
    memory_free(r->every);
    memory_free(r->place_of);
    VECTOR_FINISH(&r->steps);
    VECTOR_FINISH(&r->operands);
    VECTOR_FINISH(&r->places);
    VECTOR_FINISH(&r->cells);
    VECTOR_FINISH(&r->losses);
    memory_free(r);
}

// Recording.

static void forget(struct rounds *r)
{
    for (size_t p = 0; p < r->places.count; p++) {
        if (!r->places.data[p].memory)
            r->place_of[r->places.data[p].at] = 0;
    }
    r->steps.count = r->operands.count = r->places.count = r->cells.count = r->losses.count = 0;
    r->recording = r->failed = false;
}

void rounds_give_up(struct rounds *r)
{
    uint32_t *every = &r->every[r->block];
    *every = *every > MOST_EVERY / 4 ? MOST_EVERY : 4 * *every;
    r->left[r->block] = *every;
    forget(r);
}

void rounds_skipped(struct rounds *r)
{
    r->every[r->block] = r->left[r->block] = AGAIN_ENTERED;
    forget(r);
}

bool rounds_enter(struct rounds *r, uint32_t before, uint32_t block)
{
    assert(block < r->flat->block_count);
    if (r->recording) {
        if (block == r->block && before == r->before)
            return true;
        if (block == r->block)
            rounds_give_up(r);
        return false;
    }
    if (--r->left[block] > 0)
        return false;
    r->block = block;
    r->before = before;
    r->recording = true;
    if (r->place_of == NULL)
        r->place_of = memory_zalloc((r->flat->value_count + 1) * sizeof *r->place_of);
    return false;
}

void rounds_note(struct rounds *r, const struct round_step *step, const uint64_t *values)
{
    assert(r->recording);
    if (r->steps.count == MOST_STEPS) {
        rounds_give_up(r);
        return;
    }
    struct round_step copy = *step;
    copy.operands = r->operands.count;
    for (uint32_t k = 0; k < step->instruction->operand_count; k++)
        VECTOR_PUSH(&r->operands, values[k]);
    VECTOR_PUSH(&r->steps, copy);
}

// Places.

static struct round_place *value_place(struct rounds *r, uint32_t value, uint32_t width)
{
    assert(value < r->flat->value_count);
    if (r->place_of[value] == 0) {
        VECTOR_PUSH(&r->places, ((struct round_place){.at = value, .width = width}));
        r->place_of[value] = (uint32_t)r->places.count;
    }
    return &r->places.data[r->place_of[value] - 1];
}

// NULL, and the round has failed: two accesses overlap, or there are too many.
static struct round_place *cell_place(struct rounds *r, uint64_t address, uint32_t bytes)
{
    for (size_t c = 0; c < r->cells.count; c++) {
        struct round_place *p = &r->places.data[r->cells.data[c]];
        if (p->at == address && p->bytes == bytes)
            return p;
        if (p->at < address + bytes && address < p->at + p->bytes)
            r->failed = true;
    }
    if (r->failed || r->cells.count == MOST_CELLS) {
        r->failed = true;
        return NULL;
    }
    VECTOR_PUSH(&r->cells, (uint32_t)r->places.count);
    VECTOR_PUSH(
        &r->places,
        ((struct round_place){.memory = true, .at = address, .bytes = bytes, .width = 8 * bytes}));
    return &VECTOR_LAST(&r->places);
}

static bool was_lost(const struct rounds *r, uint64_t address, uint32_t bytes)
{
    for (size_t l = 0; l < r->losses.count; l++) {
        const struct round_step *s = &r->steps.data[r->losses.data[l]];
        if (s->address < address + bytes && address < s->address + s->lost_bytes)
            return true;
    }
    return false;
}

static void read_place(struct rounds *r, struct round_place *p, uint64_t value)
{
    if (p == NULL)
        return;
    if (p->lost || (p->memory && !p->written && !p->first_read && was_lost(r, p->at, p->bytes)))
        r->failed = true; // each life may begin with something else
    if (p->written || p->first_read)
        return;
    p->first_read = true;
    p->before = p->after = value;
}

static void write_place(struct round_place *p, uint64_t value)
{
    if (p == NULL)
        return;
    p->written = true;
    p->lost = false;
    p->after = value;
}

static void lose_places(struct rounds *r, uint32_t step)
{
    const struct round_step *s = &r->steps.data[step];
    VECTOR_PUSH(&r->losses, step);
    for (size_t c = 0; c < r->cells.count; c++) {
        struct round_place *p = &r->places.data[r->cells.data[c]];
        if (p->at < s->address + s->lost_bytes && s->address < p->at + p->bytes)
            p->lost = true;
    }
}

static bool has_result(const struct instruction *i)
{
    return i->op != OP_STORE && i->type.kind != PROGRAM_VOID;
}

static void read_operands(struct rounds *r, const struct round_step *s)
{
    const struct instruction *i = s->instruction;
    for (uint32_t k = 0; k < i->operand_count; k++) {
        if (i->operands[k].kind == OPERAND_VALUE && (i->op != OP_PHI || k == s->chosen))
            read_place(r, value_place(r, i->operands[k].number, width_of(r, i->operands[k].type)),
                       r->operands.data[s->operands + k]);
    }
}

static void write_result(struct rounds *r, const struct round_step *s)
{
    const struct instruction *i = s->instruction;
    if (has_result(i))
        write_place(value_place(r, i->result, width_of(r, i->type)), s->result);
}

// The phi instructions of a block read before any of them changes.
static size_t phis_from(const struct rounds *r, size_t step)
{
    size_t count = 0;
    while (step + count < r->steps.count && r->steps.data[step + count].instruction->op == OP_PHI)
        count++;
    return count;
}

// What the round begins and ends with.
static void find_places(struct rounds *r)
{
    for (size_t n = 0; n < r->steps.count && !r->failed;) {
        size_t phis = phis_from(r, n);
        for (size_t k = 0; k < phis; k++)
            read_operands(r, &r->steps.data[n + k]);
        for (size_t k = 0; k < phis; k++)
            write_result(r, &r->steps.data[n + k]);
        n += phis;
        if (phis > 0)
            continue;
        const struct round_step *s = &r->steps.data[n];
        const struct instruction *i = s->instruction;
        read_operands(r, s);
        if (i->op == OP_LOAD)
            read_place(r, cell_place(r, s->address, (uint32_t)i->numbers[0]), s->result);
        else if (i->op == OP_STORE)
            write_place(cell_place(r, s->address, (uint32_t)i->numbers[0]),
                        r->operands.data[s->operands]);
        if (s->lost_bytes > 0)
            lose_places(r, (uint32_t)n);
        write_result(r, s);
        n++;
    }
    for (size_t p = 0; p < r->places.count; p++) {
        const struct round_place *place = &r->places.data[p];
        r->failed = r->failed || (place->first_read && place->lost);
    }
}

// Courses.

static bool is_fixed(const struct course *c)
{
    return c->step == 0 && c->bend == 0;
}

static struct course fixed(uint64_t value)
{
    return (struct course){value, 0, 0};
}

static struct course low_course(struct course c, uint32_t width)
{
    return (struct course){low_bits(c.start, width), low_bits(c.step, width),
                           low_bits(c.bend, width)};
}

static uint64_t course_at(const struct course *c, uint64_t k, uint32_t width)
{
    uint64_t pairs = k % 2 == 0 ? k / 2 * (k - 1) : (k - 1) / 2 * k;
    return low_bits(c->start + k * c->step + pairs * c->bend, width);
}

static struct course add_courses(const struct course *a, const struct course *b)
{
    return (struct course){a->start + b->start, a->step + b->step, a->bend + b->bend};
}

static struct course scaled(const struct course *c, uint64_t factor)
{
    return (struct course){c->start * factor, c->step * factor, c->bend * factor};
}

static void at_most(struct rounds *r, uint64_t rounds)
{
    if (rounds < r->most)
        r->most = rounds;
}

// A course of whole numbers, not of words.
struct exact {
    __int128 start, step, bend;
};

// It is between the two (both included) in the round 0, and in how many rounds more?
static void keep_between(struct rounds *r, const struct exact *c, __int128 low, __int128 high)
{
    if (c->start < low || c->start > high) {
        r->failed = true;
        return;
    }
    if (c->bend == 0) {
        if (c->step != 0) {
            __int128 rounds =
                c->step > 0 ? (high - c->start) / c->step : (c->start - low) / -c->step;
            at_most(r, rounds > (__int128)NO_BOUND ? NO_BOUND : (uint64_t)rounds);
        }
        return;
    }
    if ((c->step > 0 && c->bend < 0) || (c->step < 0 && c->bend > 0)) {
        at_most(r, 0); // it turns round somewhere
        return;
    }
    uint64_t good = 0, bad = MOST_BENT;
    while (good + 1 < bad) {
        const uint64_t k = good + (bad - good) / 2;
        const __int128 n = (__int128)k, value = c->start + n * c->step + n * (n - 1) / 2 * c->bend;
        if (value < low || value > high)
            bad = k;
        else
            good = k;
    }
    at_most(r, good);
}

static struct exact exact_of(const struct course *c, uint32_t width, bool sign)
{
    return (struct exact){sign ? as_signed(c->start, width) : (__int128)low_bits(c->start, width),
                          as_signed(c->step, width), as_signed(c->bend, width)};
}

// The words are these whole numbers as long as they stay within their range.
static struct exact keep_range(struct rounds *r, const struct course *c, uint32_t width, bool sign)
{
    struct exact out = exact_of(c, width, sign);
    __int128 one = 1;
    if (!is_fixed(c))
        keep_between(r, &out, sign ? -(one << (width - 1)) : 0,
                     sign ? (one << (width - 1)) - 1 : (one << width) - 1);
    return out;
}

static void keep_equality(struct rounds *r, const struct course *a, const struct course *b,
                          uint32_t width)
{
    const struct course d = low_course(
        (struct course){a->start - b->start, a->step - b->step, a->bend - b->bend}, width);
    if (is_fixed(&d))
        return;
    if (d.start == 0 || d.bend != 0) {
        at_most(r, 0);
        return;
    }
    const uint32_t zeros = (uint32_t)__builtin_ctzll(d.step);
    if (low_bits(d.start, zeros) != 0)
        return; // it steps over it, all around
    // From 1 on: the first round in which they are equal.
    const uint64_t meet =
        low_bits((0 - (d.start >> zeros)) * odd_inverse(d.step >> zeros), width - zeros);
    assert(meet > 0 && course_at(&d, meet, width) == 0);
    at_most(r, meet - 1);
}

static void keep_order(struct rounds *r, uint64_t predicate, const struct course *a,
                       const struct course *b, uint32_t width, bool holds)
{
    const bool sign = predicate >= COMPARE_SGT;
    if (is_fixed(a) && is_fixed(b))
        return;
    const struct exact x = keep_range(r, a, width, sign), y = keep_range(r, b, width, sign);
    const struct exact d = {x.start - y.start, x.step - y.step, x.bend - y.bend};
    const __int128 far = (__int128)1 << 100;
    bool less = predicate == COMPARE_ULT || predicate == COMPARE_ULE || predicate == COMPARE_SLT ||
                predicate == COMPARE_SLE;
    bool equal = predicate == COMPARE_UGE || predicate == COMPARE_ULE || predicate == COMPARE_SGE ||
                 predicate == COMPARE_SLE;
    if (!holds) { // then the opposite does
        less = !less;
        equal = !equal;
    }
    const __int128 gap = equal ? 0 : 1;
    keep_between(r, &d, less ? -far : gap, less ? -gap : far);
}

// What an instruction computes.

static struct course course_of(struct rounds *r, const struct round_step *s, uint32_t k)
{
    const struct operand *o = &s->instruction->operands[k];
    if (o->kind != OPERAND_VALUE)
        return fixed(r->operands.data[s->operands + k]);
    return value_place(r, o->number, width_of(r, o->type))->now;
}

static bool all_fixed(struct rounds *r, const struct round_step *s)
{
    for (uint32_t k = 0; k < s->instruction->operand_count; k++) {
        struct course c = course_of(r, s, k);
        if (!is_fixed(&c))
            return false;
    }
    return true;
}

static struct course product(struct rounds *r, const struct course *a, const struct course *b)
{
    if (is_fixed(a) || is_fixed(b))
        return is_fixed(a) ? scaled(b, a->start) : scaled(a, b->start);
    if (a->bend != 0 || b->bend != 0)
        r->failed = true;
    // k * k = k + 2 * (k * (k - 1) / 2)
    const uint64_t square = a->step * b->step;
    return (struct course){a->start * b->start, a->start * b->step + b->start * a->step + square,
                           2 * square};
}

static struct course remainder_of(struct rounds *r, const struct round_step *s,
                                  const struct course *a, const struct course *b, uint32_t width)
{
    const bool sign = s->instruction->op == OP_SREM;
    const struct exact d = keep_range(r, b, width, sign);
    struct exact x = keep_range(r, a, width, sign);
    if (!is_fixed(b) || a->bend != 0 || d.start == 0 || x.step % d.start != 0)
        r->failed = true;
    else if (sign && d.start == -1)
        r->failed = true; // of the least number it has no meaning
    else if (sign) {      // rounded towards 0
        const __int128 far = (__int128)1 << 100;
        keep_between(r, &x, x.start < 0 ? -far : 0, x.start < 0 ? 0 : far);
    }
    return fixed(s->result);
}

static struct course masked(struct rounds *r, const struct round_step *s, const struct course *a,
                            const struct course *b)
{
    const struct course *mask = is_fixed(b) ? b : a, *other = is_fixed(b) ? a : b;
    const uint64_t changes = other->step | other->bend;
    // Bits below the lowest that changes stay.
    if (!is_fixed(mask) || (mask->start & ~((changes & -changes) - 1)) != 0)
        r->failed = true;
    return fixed(s->result);
}

static struct course arithmetic(struct rounds *r, const struct round_step *s)
{
    const struct instruction *i = s->instruction;
    const struct course a = course_of(r, s, 0), b = course_of(r, s, 1);
    const uint32_t width = width_of(r, i->type);
    const struct course minus = scaled(&b, UINT64_MAX);
    const uint64_t ones = low_bits(UINT64_MAX, width);
    const struct course *c = is_fixed(&a) ? &b : &a;
    if (is_fixed(&a) && is_fixed(&b))
        return fixed(s->result);
    switch (i->op) {
    case OP_ADD:
        return add_courses(&a, &b);
    case OP_SUB:
        return add_courses(&a, &minus);
    case OP_MUL:
        return product(r, &a, &b);
    case OP_SHL:
        r->failed = r->failed || !is_fixed(&b) || b.start >= width;
        return r->failed ? a : scaled(&a, (uint64_t)1 << b.start);
    case OP_UREM:
    case OP_SREM:
        return remainder_of(r, s, &a, &b, width);
    case OP_AND:
        return masked(r, s, &a, &b);
    case OP_XOR: // the complement
        r->failed = r->failed || (is_fixed(&a) ? a.start : b.start) != ones ||
                    (!is_fixed(&a) && !is_fixed(&b));
        return (struct course){ones - c->start, 0 - c->step, 0 - c->bend};
    default:
        r->failed = true;
        return a;
    }
}

static struct course extended(struct rounds *r, const struct round_step *s)
{
    const struct course a = course_of(r, s, 0);
    const uint32_t from = width_of(r, s->instruction->operands[0].type);
    const struct exact x = keep_range(r, &a, from, s->instruction->op == OP_SEXT);
    return (struct course){(uint64_t)x.start, (uint64_t)x.step, (uint64_t)x.bend};
}

static struct course address_of(struct rounds *r, const struct round_step *s)
{
    const struct instruction *i = s->instruction;
    const struct course base = course_of(r, s, 0), offset = fixed((uint64_t)i->numbers[0]);
    struct course out = add_courses(&base, &offset);
    for (uint32_t k = 1; k < i->operand_count; k++) {
        const struct course index = course_of(r, s, k);
        const struct exact x = keep_range(r, &index, width_of(r, i->operands[k].type), true);
        const struct course wide = {(uint64_t)x.start, (uint64_t)x.step, (uint64_t)x.bend},
                            scale = scaled(&wide, (uint64_t)i->numbers[k]);
        out = add_courses(&out, &scale);
    }
    return out;
}

// llvm.sadd.with.overflow and its like, where nothing overflows.
static struct course checked(struct rounds *r, const struct round_step *s, const char *name)
{
    const struct instruction *i = s->instruction;
    const uint32_t width = width_of(r, i->operands[1].type);
    const bool sign = name[5] == 's', multiplies = text_begins_with(name + 6, "mul"),
               subtracts = text_begins_with(name + 6, "sub");
    const struct course a = course_of(r, s, 1), b = course_of(r, s, 2);
    if (is_fixed(&a) && is_fixed(&b))
        return fixed(s->result);
    struct exact x = keep_range(r, &a, width, sign), y = keep_range(r, &b, width, sign), out;
    if (multiplies) {
        const __int128 factor = is_fixed(&a) ? x.start : y.start;
        const struct exact *c = is_fixed(&a) ? &y : &x;
        r->failed = r->failed || width > 32 || (!is_fixed(&a) && !is_fixed(&b));
        out = (struct exact){c->start * factor, c->step * factor, c->bend * factor};
    } else {
        const __int128 by = subtracts ? -1 : 1;
        out = (struct exact){x.start + by * y.start, x.step + by * y.step, x.bend + by * y.bend};
    }
    const __int128 one = 1;
    keep_between(r, &out, sign ? -(one << (width - 1)) : 0,
                 sign ? (one << (width - 1)) - 1 : (one << width) - 1);
    return (struct course){(uint64_t)out.start, (uint64_t)out.step, (uint64_t)out.bend};
}

static struct course called(struct rounds *r, const struct round_step *s)
{
    const char *name = flat_callee(r->flat, s->instruction);
    if (strstr(name, ".with.overflow.") != NULL)
        return checked(r, s, name);
    if (text_begins_with(name, "llvm.expect."))
        return course_of(r, s, 1);
    r->failed = r->failed || !all_fixed(r, s);
    return fixed(s->result);
}

static void switched(struct rounds *r, const struct round_step *s)
{
    const struct instruction *i = s->instruction;
    const struct course value = course_of(r, s, 0);
    for (uint32_t k = 1; k < i->operand_count; k++) {
        const struct course c = course_of(r, s, k);
        keep_equality(r, &value, &c, width_of(r, i->operands[0].type));
    }
}

static struct course accessed(struct rounds *r, const struct round_step *s)
{
    const struct instruction *i = s->instruction;
    struct round_place *p = cell_place(r, s->address, (uint32_t)i->numbers[0]);
    const bool loads = i->op == OP_LOAD;
    const struct course address = course_of(r, s, loads ? 0 : 1);
    if (p == NULL || !is_fixed(&address)) {
        r->failed = true;
        return fixed(s->result);
    }
    if (!loads)
        p->now = course_of(r, s, 0);
    const uint32_t width = width_of(r, loads ? i->type : i->operands[0].type);
    r->failed = r->failed || (width != p->width && !is_fixed(&p->now));
    return p->now;
}

static struct course computed(struct rounds *r, const struct round_step *s)
{
    const struct instruction *i = s->instruction;
    struct course c = fixed(s->result);
    switch (i->op) {
    case OP_LOAD:
    case OP_STORE:
        return accessed(r, s);
    case OP_PHI:
        return course_of(r, s, s->chosen);
    case OP_SELECT:
        c = course_of(r, s, 0);
        r->failed = r->failed || !is_fixed(&c);
        return course_of(r, s, s->chosen);
    case OP_GEP:
        return address_of(r, s);
    case OP_ZEXT:
    case OP_SEXT:
        return extended(r, s);
    case OP_TRUNC:
    case OP_FREEZE:
        return course_of(r, s, 0);
    case OP_CALL:
        return called(r, s);
    case OP_SWITCH:
        switched(r, s);
        return c;
    case OP_EXTRACT:
        return i->extra == 0 ? course_of(r, s, 0) : c;
    case OP_ICMP: {
        const struct course a = course_of(r, s, 0), b = course_of(r, s, 1);
        const uint32_t width = width_of(r, i->operands[0].type);
        if (i->extra <= COMPARE_NE)
            keep_equality(r, &a, &b, width);
        else
            keep_order(r, i->extra, &a, &b, width, s->result != 0);
        return c;
    }
    default:
        if (i->op >= OP_ADD && i->op <= OP_XOR)
            return arithmetic(r, s);
        r->failed = r->failed || !all_fixed(r, s);
        return c;
    }
}

static void follow_step(struct rounds *r, const struct round_step *s, struct course *out)
{
    *out = computed(r, s);
    if (!has_result(s->instruction))
        return;
    *out = low_course(*out, width_of(r, s->instruction->type));
    r->failed = r->failed || out->start != s->result; // it is the round that was run
}

static void follow_round(struct rounds *r)
{
    struct course out[MOST_STEPS];
    r->most = NO_BOUND;
    for (size_t p = 0; p < r->places.count; p++)
        r->places.data[p].now = r->places.data[p].head;
    for (size_t n = 0; n < r->steps.count && !r->failed;) {
        size_t count = phis_from(r, n);
        count = count == 0 ? 1 : count;
        for (size_t k = 0; k < count; k++)
            follow_step(r, &r->steps.data[n + k], &out[k]);
        for (size_t k = 0; k < count; k++) {
            const struct instruction *i = r->steps.data[n + k].instruction;
            if (has_result(i))
                value_place(r, i->result, width_of(r, i->type))->now = out[k];
        }
        n += count;
    }
}

// What the round ends with is what the next one begins with. A course that turns out to bend is followed again.
static bool is_settled(struct rounds *r)
{
    bool settled = true;
    for (size_t p = 0; p < r->places.count; p++) {
        struct round_place *place = &r->places.data[p];
        if (!place->first_read || !place->written)
            continue;
        const uint64_t bend = low_bits(place->now.step - place->head.step, place->width);
        if (place->head.bend == bend && place->now.bend == bend)
            continue;
        settled = false;
        place->head.bend = bend;
    }
    return settled;
}

uint64_t rounds_count(struct rounds *r)
{
    assert(r->recording);
    find_places(r);
    for (size_t p = 0; p < r->places.count; p++) {
        struct round_place *place = &r->places.data[p];
        place->head = low_course(
            (struct course){place->before,
                            place->first_read && place->written ? place->after - place->before : 0,
                            0},
            place->width);
    }
    bool settled = false;
    for (unsigned tries = 0; tries < 3 && !settled && !r->failed; tries++) {
        follow_round(r);
        settled = !r->failed && is_settled(r);
    }
    return settled && r->most >= LEAST_ROUNDS && r->most < NO_BOUND ? r->most : 0;
}

uint64_t rounds_leave(const struct round_place *place, uint64_t count)
{
    assert(place->written);
    return course_at(&place->now, count, place->width);
}
