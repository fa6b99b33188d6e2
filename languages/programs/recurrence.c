#include "languages/programs/recurrence.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define MOST_TOLD ((uint64_t)1 << 23) // words

// Influence: what a run may branch on, is given to others, may end it, or is where an access goes, and what that comes
// from. Of variables that no pointer leads to only those that are loaded for it; all other memory has influence.

struct search {
    const struct flat *flat;
    const uint32_t *slot;
    const bool *exposed;
    struct recurrence *out;
    const struct instruction **made; // by value
    uint32_t *block;                 // by value: where it is made, plus 1
    bool *needed;                    // by value
    uint32_t *first_store;           // by value of an alloca, plus 1, in `stores`
    VECTOR(uint32_t) next_store;
    VECTOR(const struct operand *) stores; // what is stored
    VECTOR(uint32_t) todo;
};

// The alloca whose variable it is an address in, where all accesses name it, plus 1.
static uint32_t own_slot(const struct search *s, const struct operand *o)
{
    const uint32_t slot = o->kind == OPERAND_VALUE ? s->slot[o->number] : 0;
    return slot != 0 && !s->exposed[slot - 1] ? slot : 0;
}

static void need(struct search *s, const struct operand *o)
{
    if (o->kind != OPERAND_VALUE || s->needed[o->number])
        return;
    s->needed[o->number] = true;
    VECTOR_PUSH(&s->todo, o->number);
}

static void need_slot(struct search *s, uint32_t slot)
{
    if (slot == 0 || s->out->slots[slot - 1])
        return;
    assert(!s->exposed[slot - 1]);
    s->out->slots[slot - 1] = true;
    for (uint32_t n = s->first_store[slot - 1]; n != 0; n = s->next_store.data[n - 1])
        need(s, s->stores.data[n - 1]);
}

// It can do nothing but give its value.
static bool only_gives(const struct instruction *i)
{
    switch (i->op) {
    case OP_UDIV:
    case OP_SDIV:
    case OP_UREM:
    case OP_SREM:
    case OP_SHL:
    case OP_LSHR:
    case OP_ASHR:
    case OP_ALLOCA:
        return false;
    case OP_GEP:
    case OP_SELECT:
    case OP_ICMP:
    case OP_FCMP:
    case OP_PHI:
    case OP_FREEZE:
    case OP_EXTRACT:
        return true;
    default:
        return i->op >= OP_ADD && i->op <= OP_FPEXT;
    }
}

static void begin_with(struct search *s, const struct instruction *i)
{
    const bool life =
        i->op == OP_CALL && text_begins_with(flat_callee(s->flat, i), "llvm.lifetime.");
    if (only_gives(i) || life)
        return;
    if (i->op == OP_LOAD || i->op == OP_STORE) {
        const struct operand *address = &i->operands[i->op == OP_LOAD ? 0 : 1];
        need(s, address);
        if (i->op == OP_STORE && own_slot(s, address) == 0)
            need(s, &i->operands[0]);
        return;
    }
    for (uint32_t n = 0; n < i->operand_count; n++) {
        need(s, &i->operands[n]);
        need_slot(s, own_slot(s, &i->operands[n]));
    }
}

static void go_back(struct search *s, uint32_t value)
{
    const struct instruction *i = s->made[value];
    assert(s->needed[value]);
    if (i == NULL)
        return;
    if (i->op == OP_LOAD)
        need_slot(s, own_slot(s, &i->operands[0]));
    for (uint32_t n = 0; n < i->operand_count; n++)
        need(s, &i->operands[n]);
}

static void note(struct search *s, const struct instruction *i, size_t block)
{
    if (instruction_defines(i)) {
        s->made[i->result] = i;
        s->block[i->result] = (uint32_t)block + 1;
    }
    const uint32_t slot = i->op == OP_STORE ? own_slot(s, &i->operands[1]) : 0;
    if (slot == 0)
        return;
    VECTOR_PUSH(&s->stores, &i->operands[0]);
    VECTOR_PUSH(&s->next_store, s->first_store[slot - 1]);
    s->first_store[slot - 1] = (uint32_t)s->stores.count;
}

static void note_all(struct search *s)
{
    for (size_t b = 0; b < s->flat->block_count; b++)
        for (size_t k = 0; k < s->flat->blocks[b].count; k++)
            note(s, &s->flat->blocks[b].instructions[k], b);
}

static void find_needed(struct search *s)
{
    for (size_t b = 0; b < s->flat->block_count; b++)
        for (size_t k = 0; k < s->flat->blocks[b].count; k++)
            begin_with(s, &s->flat->blocks[b].instructions[k]);
    while (s->todo.count > 0)
        go_back(s, VECTOR_POP(&s->todo));
}

static void find_live(struct search *s)
{
    bool *live = memory_zalloc(s->flat->value_count + 1);
    for (size_t b = 0; b < s->flat->block_count; b++) {
        for (size_t k = 0; k < s->flat->blocks[b].count; k++) {
            const struct instruction *i = &s->flat->blocks[b].instructions[k];
            for (uint32_t n = 0; n < i->operand_count; n++) {
                const struct operand *o = &i->operands[n];
                const bool taken = o->kind == OPERAND_VALUE && s->needed[o->number] &&
                                   (i->op == OP_PHI || s->block[o->number] != b + 1);
                if (!taken || live[o->number])
                    continue;
                live[o->number] = true;
                VECTOR_PUSH(&s->out->live, o->number);
            }
        }
    }
    memory_free(live);
}

struct recurrence *recurrence_create(const struct flat *flat, const uint32_t *slot,
                                     const bool *exposed)
{
    struct recurrence *out = memory_zalloc(sizeof *out);
    struct search s = {.flat = flat, .slot = slot, .exposed = exposed, .out = out};
    out->slots = memory_zalloc(flat->value_count + 1);
    s.made = memory_zalloc((flat->value_count + 1) * sizeof(struct instruction *));
    s.block = memory_zalloc((flat->value_count + 1) * sizeof *s.block);
    s.needed = memory_zalloc(flat->value_count + 1);
    s.first_store = memory_zalloc((flat->value_count + 1) * sizeof *s.first_store);
    note_all(&s);
    find_needed(&s);
    find_live(&s);
    memory_free(s.made);
    memory_free(s.block);
    memory_free(s.needed);
    memory_free(s.first_store);
    VECTOR_FINISH(&s.next_store);
    VECTOR_FINISH(&s.stores);
    VECTOR_FINISH(&s.todo);
    out->blocks.next = out->calls.next = 1;
    return out;
}

void recurrence_destroy(struct recurrence *r)
{
    if (r == NULL)
        return;
    VECTOR_FINISH(&r->live);
    VECTOR_FINISH(&r->now);
    VECTOR_FINISH(&r->blocks.state);
    VECTOR_FINISH(&r->calls.state);
    memory_free(r->slots);
    memory_free(r);
}

// Sights.

enum recurrence_use recurrence_pass(struct recurrence *r, struct sight *sight, uint64_t a,
                                    uint64_t b)
{
    if (r->told > MOST_TOLD)
        return RECURRENCE_NONE;
    VECTOR_CLEAR(&r->now);
    if (++sight->passed >= sight->next) {
        sight->next = 2 * sight->passed;
        sight->place[0] = a;
        sight->place[1] = b;
        sight->kept = true;
        return RECURRENCE_KEEP;
    }
    return sight->kept && sight->place[0] == a && sight->place[1] == b ? RECURRENCE_COMPARE
                                                                       : RECURRENCE_NONE;
}

bool recurrence_settle(struct recurrence *r, struct sight *sight, enum recurrence_use use)
{
    assert(sight->kept && use != RECURRENCE_NONE);
    r->told += r->now.count;
    if (use == RECURRENCE_COMPARE)
        return r->now.count == sight->state.count &&
               memcmp(r->now.data, sight->state.data, r->now.count * sizeof *r->now.data) == 0;
    VECTOR_CLEAR(&sight->state);
    VECTOR_RESERVE(&sight->state, r->now.count + 1);
    memcpy(sight->state.data, r->now.data, r->now.count * sizeof *r->now.data);
    sight->state.count = r->now.count;
    return false;
}

void recurrence_tell(struct recurrence *r, uint64_t word)
{
    VECTOR_PUSH(&r->now, word);
}

void recurrence_tell_bytes(struct recurrence *r, const uint8_t *bytes, uint64_t count)
{
    for (uint64_t k = 0; k < count; k += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + k, count - k < 8 ? count - k : 8);
        VECTOR_PUSH(&r->now, word);
    }
}
