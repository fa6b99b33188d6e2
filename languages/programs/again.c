#include "languages/programs/again.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

// More are not remembered at one place: the oldest go.
#define MOST_FACTS 200

// An instruction whose result (of a store: what it stored) would be the same if it were executed, as a load, now.
struct facts {
    const struct instruction **data; // in the order of execution where control does not meet
    size_t count, capacity;
};

// What an access may touch.
struct place {
    struct operand base;
    int64_t offset;
    bool exact; // the offset is known
};

struct entry {
    bool reached;
    struct facts facts;
};

struct found {
    const struct instruction *again;
    struct operand value;
};

struct finder {
    struct flat *flat;
    const struct instruction **definition; // by value
    bool *is_private; // by value: of a variable whose address is only loaded from and stored to
    struct entry *entries; // by block
    VECTOR(struct found) found;
};

static bool same_operand(const struct operand *a, const struct operand *b)
{
    return a->kind == b->kind && a->number == b->number && a->offset == b->offset &&
           a->bits == b->bits && a->kind != OPERAND_UNDEFINED && a->kind != OPERAND_UNKNOWN;
}

static bool same_type(struct program_type a, struct program_type b)
{
    return a.kind == b.kind && (a.kind == PROGRAM_POINTER || a.bits == b.bits);
}

static struct operand address_of(const struct finder *f, const struct instruction *i)
{
    assert(i->op == OP_LOAD || i->op == OP_STORE);
    return flat_resolve(f->flat, i->operands[i->op == OP_STORE]);
}

static const struct instruction *definition_of(const struct finder *f, const struct operand *o)
{
    return o->kind == OPERAND_VALUE ? f->definition[o->number] : NULL;
}

static bool is_variable(const struct finder *f, const struct operand *base)
{
    const struct instruction *d = definition_of(f, base);
    return d != NULL && d->op == OP_ALLOCA;
}

static bool is_private_variable(const struct finder *f, const struct operand *base)
{
    return is_variable(f, base) && f->is_private[base->number];
}

static bool is_object(const struct finder *f, const struct operand *base)
{
    return base->kind == OPERAND_ADDRESS || is_variable(f, base);
}

static struct place place_of(const struct finder *f, struct operand address)
{
    struct place p = {.base = address, .exact = true};
    const struct instruction *d;
    while ((d = definition_of(f, &p.base)) != NULL && d->op == OP_GEP) {
        p.exact = p.exact && d->operand_count == 1 &&
                  !__builtin_add_overflow(p.offset, d->numbers[0], &p.offset);
        p.base = flat_resolve(f->flat, d->operands[0]);
    }
    if (p.base.kind == OPERAND_ADDRESS) {
        p.exact = p.exact && !__builtin_add_overflow(p.offset, p.base.offset, &p.offset);
        p.base.offset = 0;
    }
    return p;
}

static bool apart(const struct finder *f, const struct place *a, int64_t a_bytes,
                  const struct place *b, int64_t b_bytes)
{
    if (same_operand(&a->base, &b->base))
        return a->exact && b->exact &&
               (a->offset >= b->offset ? a->offset - b->offset >= b_bytes
                                       : b->offset - a->offset >= a_bytes);
    return (is_object(f, &a->base) && is_object(f, &b->base)) || is_private_variable(f, &a->base) ||
           is_private_variable(f, &b->base);
}

// Facts end.

static bool is_memory(const struct instruction *fact)
{
    return fact->op == OP_LOAD || fact->op == OP_STORE;
}

static void keep_if(const struct finder *f, struct facts *facts, const struct instruction *i,
                    bool (*keeps)(const struct finder *f, const struct instruction *fact,
                                  const struct instruction *i))
{
    size_t kept = 0;
    for (size_t k = 0; k < facts->count; k++)
        if (keeps(f, facts->data[k], i))
            facts->data[kept++] = facts->data[k];
    facts->count = kept;
}

static bool survives_store(const struct finder *f, const struct instruction *fact,
                           const struct instruction *store)
{
    if (!is_memory(fact))
        return true;
    const struct place there = place_of(f, address_of(f, fact)),
                       here = place_of(f, address_of(f, store));
    return apart(f, &there, fact->numbers[0], &here, store->numbers[0]);
}

static bool survives_call(const struct finder *f, const struct instruction *fact,
                          const struct instruction *call)
{
    (void)call;
    if (!is_memory(fact))
        return true;
    const struct place there = place_of(f, address_of(f, fact));
    return is_private_variable(f, &there.base);
}

// What begins or ends a variable's life; the operand is the variable.
static bool survives_life(const struct finder *f, const struct instruction *fact,
                          const struct instruction *call)
{
    const struct operand variable = flat_resolve(f->flat, call->operands[call->operand_count - 1]);
    if (!is_memory(fact))
        return true;
    const struct place there = place_of(f, address_of(f, fact));
    return is_private_variable(f, &there.base) && is_variable(f, &variable) &&
           !same_operand(&there.base, &variable);
}

static bool survives_return(const struct finder *f, const struct instruction *fact,
                            const struct instruction *leave)
{
    if (!is_memory(fact))
        return true;
    const struct place there = place_of(f, address_of(f, fact));
    const struct instruction *d = definition_of(f, &there.base);
    return there.base.kind == OPERAND_ADDRESS ||
           (is_variable(f, &there.base) && d->frame != leave->frame);
}

// Another value has the number now: in a loop.
static bool survives_definition(const struct finder *f, const struct instruction *fact,
                                const struct instruction *i)
{
    if (fact->op != OP_STORE && fact->result == i->result)
        return false;
    for (uint32_t k = 0; k < fact->operand_count; k++) {
        const struct operand o = flat_resolve(f->flat, fact->operands[k]);
        if (o.kind == OPERAND_VALUE && o.number == i->result)
            return false;
    }
    if (!is_memory(fact) || i->op != OP_ALLOCA)
        return true;
    const struct place there = place_of(f, address_of(f, fact));
    return there.base.kind != OPERAND_VALUE || there.base.number != i->result;
}

static bool is_input(const struct finder *f, const struct instruction *call)
{
    return call->operand_count == 1 && call->type.kind == PROGRAM_INTEGER &&
           strncmp(flat_callee(f->flat, call), "__VERIFIER_nondet_", 18) == 0;
}

static bool is_life(const struct finder *f, const struct instruction *call)
{
    return call->operand_count > 1 &&
           strncmp(flat_callee(f->flat, call), "llvm.lifetime.", 14) == 0;
}

static bool is_fact(const struct instruction *i)
{
    return i->op == OP_GEP || (is_memory(i) && i->extra == 0);
}

static bool defines(const struct instruction *i)
{
    return i->type.kind != PROGRAM_VOID && i->op != OP_STORE;
}

static void execute(const struct finder *f, struct facts *facts, const struct instruction *i)
{
    if (i->op == OP_STORE)
        keep_if(f, facts, i, survives_store);
    else if (i->op == OP_CALL && is_life(f, i))
        keep_if(f, facts, i, survives_life);
    else if (i->op == OP_COPY || i->op == OP_INVOKE || (i->op == OP_CALL && !is_input(f, i)))
        keep_if(f, facts, i, survives_call);
    else if (i->op == OP_LEAVE)
        keep_if(f, facts, i, survives_return);
    if (defines(i))
        keep_if(f, facts, i, survives_definition);
    if (!is_fact(i) || (defines(i) && f->flat->alias[i->result].kind != OPERAND_UNKNOWN))
        return;
    if (facts->count == MOST_FACTS)
        memmove(facts->data, facts->data + 1, --facts->count * sizeof *facts->data);
    VECTOR_PUSH(facts, i);
}

// Does this fact say what `i` gives?
static bool tells(const struct finder *f, const struct instruction *fact,
                  const struct instruction *i, struct operand *value)
{
    *value = (struct operand){.kind = OPERAND_VALUE, .type = fact->type, .number = fact->result};
    if (fact == i || !same_type(fact->type, i->type))
        return false;
    if (i->op == OP_LOAD && is_memory(fact)) {
        const struct operand there = address_of(f, fact), here = address_of(f, i);
        if (fact->op == OP_STORE)
            *value = flat_resolve(f->flat, fact->operands[0]);
        return i->extra == 0 && fact->numbers[0] == i->numbers[0] && same_operand(&there, &here) &&
               value->kind != OPERAND_UNDEFINED && value->kind != OPERAND_UNKNOWN;
    }
    bool same = i->op == OP_GEP && fact->op == OP_GEP && i->operand_count == fact->operand_count;
    for (uint32_t k = 0; same && k < i->operand_count; k++) {
        const struct operand there = flat_resolve(f->flat, fact->operands[k]),
                             here = flat_resolve(f->flat, i->operands[k]);
        same = same_operand(&there, &here) && same_type(there.type, here.type) &&
               fact->numbers[k] == i->numbers[k];
    }
    return same;
}

static void look(struct finder *f, const struct facts *facts, const struct instruction *i)
{
    struct found found = {.again = i};
    if ((i->op != OP_LOAD && i->op != OP_GEP) || f->flat->alias[i->result].kind != OPERAND_UNKNOWN)
        return;
    for (size_t k = 0; k < facts->count; k++) {
        if (tells(f, facts->data[k], i, &found.value)) {
            VECTOR_PUSH(&f->found, found);
            return;
        }
    }
}

// What holds on this way, too, stays. True when something changed.
static bool meet(struct entry *entry, const struct facts *facts)
{
    if (!entry->reached) {
        entry->reached = true;
        for (size_t k = 0; k < facts->count; k++)
            VECTOR_PUSH(&entry->facts, facts->data[k]);
        return true;
    }
    const size_t before = entry->facts.count;
    size_t kept = 0;
    for (size_t k = 0; k < before; k++) {
        bool stays = false;
        for (size_t n = 0; n < facts->count && !stays; n++)
            stays = facts->data[n] == entry->facts.data[k];
        if (stays)
            entry->facts.data[kept++] = entry->facts.data[k];
    }
    entry->facts.count = kept;
    return kept < before;
}

// True when what is known where a successor begins has changed.
static bool visit(struct finder *f, uint32_t number, bool last, struct facts *facts)
{
    const struct block *b = &f->flat->blocks[number];
    bool changed = false;
    facts->count = 0;
    for (size_t k = 0; k < f->entries[number].facts.count; k++)
        VECTOR_PUSH(facts, f->entries[number].facts.data[k]);
    for (size_t k = 0; k < b->count; k++) {
        if (last)
            look(f, facts, &b->instructions[k]);
        execute(f, facts, &b->instructions[k]);
    }
    const size_t successors = flat_successors(b, NULL, 0);
    for (size_t k = 0; k < successors && !last; k++)
        changed = meet(&f->entries[b->instructions[b->count - 1].numbers[k]], facts) || changed;
    return changed;
}

static void find_private(struct finder *f)
{
    const struct flat *flat = f->flat;
    for (size_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            if (defines(i))
                f->definition[i->result] = i;
            if (i->op == OP_ALLOCA)
                f->is_private[i->result] = true;
        }
    }
    for (size_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            const bool life = i->op == OP_CALL && is_life(f, i);
            for (uint32_t n = 0; n < i->operand_count; n++) {
                const struct operand o = flat_resolve(flat, i->operands[n]);
                const bool accessed = is_memory(i) && n == (i->op == OP_STORE);
                if (o.kind == OPERAND_VALUE && !accessed && !life)
                    f->is_private[o.number] = false;
            }
        }
    }
}

bool flat_find_loads_again(struct flat *flat)
{
    struct finder f = {.flat = flat};
    struct facts facts = {0};
    f.definition = memory_zalloc((flat->value_count + 1) * sizeof *f.definition);
    f.is_private = memory_zalloc(flat->value_count + 1);
    f.entries = memory_zalloc(flat->block_count * sizeof *f.entries);
    find_private(&f);
    f.entries[0].reached = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < flat->block_count; b++)
            if (f.entries[b].reached && flat->blocks[b].count > 0)
                changed = visit(&f, b, false, &facts) || changed;
    }
    for (uint32_t b = 0; b < flat->block_count; b++)
        if (f.entries[b].reached && flat->blocks[b].count > 0)
            visit(&f, b, true, &facts);
    for (size_t k = 0; k < f.found.count; k++) {
        struct operand value = f.found.data[k].value;
        value.type = f.found.data[k].again->type;
        flat->alias[f.found.data[k].again->result] = value;
    }
    const bool found = f.found.count > 0;
    for (size_t b = 0; b < flat->block_count; b++)
        VECTOR_FINISH(&f.entries[b].facts);
    VECTOR_FINISH(&f.found);
    VECTOR_FINISH(&facts);
    memory_free(f.entries);
    memory_free(f.is_private);
    memory_free(f.definition);
    return found;
}
