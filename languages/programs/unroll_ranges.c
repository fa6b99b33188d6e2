#include <assert.h>
#include <string.h>

#include "languages/programs/unroll_inside.h"

// Values of few cases: between which numbers they lie at a place, as the conditions on the way there say, and which of them decide how
// often loops go round. A range that is wrong costs a bound (flat_unroll puts it behind the cases), not a proof.

#define MOST_CASES 12
#define MOST_DEPTH 8
#define MOST_FACTS_SEEN 64

static bool is_number(const struct operand *o)
{
    return o->kind == OPERAND_CONSTANT && o->type.kind == PROGRAM_INTEGER && o->type.bits >= 1 &&
           o->type.bits <= 64;
}

static int64_t as_signed(const struct operand *o)
{
    return (int64_t)program_as_signed(o->bits, o->type.bits);
}

static int64_t greatest(uint32_t bits)
{
    assert(bits >= 1 && bits <= 64);
    return bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
}

static struct range *find(const struct ranges *r, uint32_t value)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->of[i].value == value)
            return (struct range *)&r->of[i];
    }
    return NULL;
}

static uint64_t width(const struct range *r)
{
    return r->low > r->high ? 0 : (uint64_t)r->high - (uint64_t)r->low;
}

static void narrow(struct ranges *r, uint32_t value, int64_t low, int64_t high)
{
    const struct range made = {value, low, high};
    struct range *known = find(r, value), *widest = &r->of[0];
    if (known != NULL) {
        known->low = known->low < low ? low : known->low;
        known->high = known->high > high ? high : known->high;
        return;
    }
    if (r->count < MOST_RANGES) {
        r->of[r->count++] = made;
        return;
    }
    for (size_t i = 1; i < r->count; i++) {
        if (width(&r->of[i]) > width(widest))
            widest = &r->of[i];
    }
    if (width(widest) > width(&made))
        *widest = made;
}

void ranges_join(struct ranges *r, const struct ranges *with)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct range *other = find(with, r->of[i].value);
        if (other == NULL)
            continue;
        struct range both = r->of[i];
        both.low = other->low < both.low ? other->low : both.low;
        both.high = other->high > both.high ? other->high : both.high;
        r->of[kept++] = both;
    }
    r->count = kept;
}

static const struct instruction *made_by(const struct unroller *u, const struct operand *o,
                                         const struct operand **operands)
{
    if (o->kind != OPERAND_VALUE || u->operands.data[o->number].count == 0)
        return NULL;
    *operands = u->operands.data[o->number].data;
    return u->definition[unroll_old_value(u, o->number)];
}

// Numbers are widened, and cut where that loses nothing.
static void narrow_value(const struct unroller *u, struct ranges *r, const struct operand *o,
                         int64_t low, int64_t high)
{
    const struct operand *from;
    for (unsigned depth = 0; depth < MOST_DEPTH && o->kind == OPERAND_VALUE; depth++) {
        narrow(r, o->number, low, high);
        const struct instruction *d = made_by(u, o, &from);
        if (d == NULL || (d->op != OP_ZEXT && d->op != OP_SEXT))
            return;
        if (d->op == OP_ZEXT && low < 0)
            low = 0;
        const uint32_t bits = from->type.bits;
        if (from->type.kind != PROGRAM_INTEGER || bits < 2 || bits > 64 ||
            (d->op == OP_ZEXT && high > greatest(bits)))
            return;
        if (low < -greatest(bits) - 1)
            low = -greatest(bits) - 1;
        if (high > greatest(bits))
            high = greatest(bits);
        o = from;
    }
}

static uint64_t negated(uint64_t comparison)
{
    static const uint64_t others[] = {COMPARE_NE,  COMPARE_EQ,  COMPARE_ULE, COMPARE_ULT,
                                      COMPARE_UGE, COMPARE_UGT, COMPARE_SLE, COMPARE_SLT,
                                      COMPARE_SGE, COMPARE_SGT};
    return others[comparison - COMPARE_EQ];
}

static uint64_t turned(uint64_t comparison)
{
    static const uint64_t others[] = {COMPARE_EQ,  COMPARE_NE,  COMPARE_ULT, COMPARE_ULE,
                                      COMPARE_UGT, COMPARE_UGE, COMPARE_SLT, COMPARE_SLE,
                                      COMPARE_SGT, COMPARE_SGE};
    return others[comparison - COMPARE_EQ];
}

static void compare(const struct unroller *u, struct ranges *r, uint64_t how,
                    const struct operand *a, int64_t c)
{
    const int64_t most = greatest(a->type.bits), least = -most - 1;
    const struct range *known = a->kind == OPERAND_VALUE ? find(r, a->number) : NULL;
    const bool positive = known != NULL && known->low >= 0;
    if (how == COMPARE_EQ)
        narrow_value(u, r, a, c, c);
    else if (how == COMPARE_NE && known != NULL && known->low == c && c < most)
        narrow_value(u, r, a, c + 1, most);
    else if (how == COMPARE_NE && known != NULL && known->high == c && c > least)
        narrow_value(u, r, a, least, c - 1);
    else if ((how == COMPARE_SGT || (how == COMPARE_UGT && positive && c >= 0)) && c < most)
        narrow_value(u, r, a, c + 1, most);
    else if (how == COMPARE_SGE || (how == COMPARE_UGE && positive && c >= 0))
        narrow_value(u, r, a, c, most);
    else if (how == COMPARE_SLT && c > least)
        narrow_value(u, r, a, least, c - 1);
    else if (how == COMPARE_SLE)
        narrow_value(u, r, a, least, c);
    else if (how == COMPARE_ULT && c > 0)
        narrow_value(u, r, a, 0, c - 1);
    else if (how == COMPARE_ULE && c >= 0)
        narrow_value(u, r, a, 0, c);
}

static void assume(const struct unroller *u, struct ranges *r, const struct operand *o, bool holds,
                   unsigned depth)
{
    const struct operand *from, *inner;
    if (depth > MOST_DEPTH || o->kind != OPERAND_VALUE || o->type.kind != PROGRAM_INTEGER)
        return;
    for (size_t i = 0; i < u->facts.count && i < MOST_FACTS_SEEN; i++) {
        const struct fact *f = &u->facts.data[u->facts.count - 1 - i];
        for (size_t k = 0; f->value == o->number && k < f->when[holds].count; k++)
            narrow(r, f->when[holds].of[k].value, f->when[holds].of[k].low,
                   f->when[holds].of[k].high);
    }
    const struct instruction *d = made_by(u, o, &from);
    if (!holds && o->type.bits > 1)
        narrow_value(u, r, o, 0, 0);
    if (d == NULL || from->type.kind != PROGRAM_INTEGER || from->type.bits > 64)
        return;
    if (d->op == OP_ZEXT || d->op == OP_SEXT) {
        assume(u, r, from, holds, depth + 1);
    } else if (d->op == OP_TRUNC && d->type.bits == 1) {
        const struct instruction *widened = made_by(u, from, &inner);
        if (widened != NULL && widened->op == OP_ZEXT && inner->type.bits == 1)
            assume(u, r, inner, holds, depth + 1);
    } else if (d->op == OP_XOR && o->type.bits == 1 && is_number(&from[1])) {
        assume(u, r, from, holds != ((from[1].bits & 1) != 0), depth + 1);
    } else if (o->type.bits == 1 && ((d->op == OP_AND && holds) || (d->op == OP_OR && !holds))) {
        assume(u, r, &from[0], holds, depth + 1);
        assume(u, r, &from[1], holds, depth + 1);
    } else if (d->op == OP_ICMP && is_number(&from[1])) {
        compare(u, r, holds ? d->extra : negated(d->extra), from, as_signed(&from[1]));
        if (from[1].bits == 0 && (d->extra == COMPARE_EQ || d->extra == COMPARE_NE))
            assume(u, r, from, (d->extra == COMPARE_NE) == holds, depth + 1);
    } else if (d->op == OP_ICMP && is_number(&from[0])) {
        compare(u, r, turned(holds ? d->extra : negated(d->extra)), &from[1], as_signed(&from[0]));
    }
}

void ranges_assume(const struct unroller *u, struct ranges *r, struct operand condition, bool holds)
{
    assume(u, r, &condition, holds, 0);
}

void ranges_define(struct ranges *r, const struct instruction *i)
{
    const struct operand *a = &i->operands[0], *b = &i->operands[1];
    const uint32_t bits = i->type.bits;
    if (i->type.kind != PROGRAM_INTEGER || bits < 2 || bits > 64)
        return;
    if (i->op == OP_AND && is_number(b) && as_signed(b) >= 0)
        narrow(r, i->result, 0, as_signed(b));
    else if (i->op == OP_UREM && is_number(b) && as_signed(b) > 0)
        narrow(r, i->result, 0, as_signed(b) - 1);
    else if (i->op == OP_SREM && is_number(b) && as_signed(b) > 0)
        narrow(r, i->result, 1 - as_signed(b), as_signed(b) - 1);
    else if (i->op == OP_ZEXT && a->type.kind == PROGRAM_INTEGER && a->type.bits == 1)
        narrow(r, i->result, 0, 1);
    if ((i->op != OP_ZEXT && i->op != OP_SEXT && i->op != OP_TRUNC) || a->kind != OPERAND_VALUE)
        return;
    const struct range *known = find(r, a->number);
    if (known != NULL && known->low >= (i->op == OP_SEXT ? INT64_MIN : 0) &&
        known->high <= greatest(bits))
        narrow(r, i->result, known->low, known->high);
}

void ranges_meet(struct unroller *u, const struct instruction *phi, const struct entries *entries)
{
    struct fact f = {.value = phi->result};
    if (phi->type.kind != PROGRAM_INTEGER || phi->type.bits != 1)
        return;
    assert(phi->operand_count <= entries->count);
    for (unsigned holds = 0; holds < 2; holds++) {
        bool first = true;
        for (uint32_t e = 0; e < phi->operand_count; e++) {
            const struct operand *o = &phi->operands[e];
            struct ranges here = entries->data[e].ranges;
            if (is_number(o) && (o->bits & 1) != holds)
                continue;
            assume(u, &here, o, holds != 0, 0);
            if (first)
                f.when[holds] = here;
            else
                ranges_join(&f.when[holds], &here);
            first = false;
        }
    }
    VECTOR_PUSH(&u->facts, f);
}

bool ranges_wants(const struct wanted *wanted, uint32_t value)
{
    for (size_t i = 0; i < wanted->count; i++) {
        if (wanted->values[i] == value)
            return true;
    }
    return false;
}

bool ranges_add(struct wanted *to, const struct wanted *more)
{
    const size_t before = to->count;
    for (size_t i = 0; i < more->count && to->count < MOST_WANTED; i++) {
        if (!ranges_wants(to, more->values[i]))
            to->values[to->count++] = more->values[i];
    }
    return to->count > before;
}

static bool has_few_cases(const struct range *r)
{
    return r->low <= r->high && width(r) < MOST_CASES;
}

bool ranges_choose(const struct unroller *u, const struct ranges *r, struct range *out)
{
    for (size_t i = 0; u->split != NULL && i < r->count; i++) {
        const uint32_t old = unroll_old_value(u, r->of[i].value);
        if (!ranges_wants(u->split, old) || !has_few_cases(&r->of[i]) || u->definition[old] == NULL)
            continue;
        *out = r->of[i];
        return true;
    }
    return false;
}

void ranges_note(struct unroller *u, const struct ranges *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct wanted one = {{unroll_old_value(u, r->of[i].value)}, 1};
        if (has_few_cases(&r->of[i]))
            ranges_add(&u->few, &one);
    }
}

struct operand ranges_known(const struct unroller *u, struct operand o, uint32_t value,
                            int64_t number, unsigned depth)
{
    const struct operand *from;
    struct operand known[3], out;
    if (o.kind != OPERAND_VALUE || o.type.kind != PROGRAM_INTEGER || o.type.bits > 64)
        return o;
    if (o.number == value)
        return (struct operand){OPERAND_CONSTANT, o.type, 0, 0,
                                program_low_bits((uint64_t)number, o.type.bits)};
    const struct instruction *d = made_by(u, &o, &from);
    const uint32_t count = d == NULL ? 0 : u->operands.data[o.number].count;
    const bool computes = d != NULL && ((d->op >= OP_ADD && d->op <= OP_XOR) ||
                                        (d->op >= OP_TRUNC && d->op <= OP_SEXT) ||
                                        d->op == OP_ICMP || d->op == OP_SELECT);
    if (!computes || count > 3 || depth > MOST_DEPTH)
        return o;
    struct instruction i = *d;
    i.operands = known;
    for (uint32_t k = 0; k < count; k++) {
        known[k] = ranges_known(u, from[k], value, number, depth + 1);
        if (known[k].kind != OPERAND_CONSTANT)
            return o;
    }
    if (!unroll_evaluate(u, &i, &out) || out.kind != OPERAND_CONSTANT)
        return o;
    out.type = o.type;
    return out;
}

void ranges_need(struct unroller *u, struct operand condition, unsigned depth)
{
    if (condition.kind != OPERAND_VALUE || depth > MOST_DEPTH)
        return;
    const struct wanted one = {{unroll_old_value(u, condition.number)}, 1};
    if (!ranges_add(&u->needed, &one))
        return;
    const struct made_operands *m = &u->operands.data[condition.number];
    for (uint32_t k = 0; k < m->count; k++)
        ranges_need(u, m->data[k], depth + 1);
}
