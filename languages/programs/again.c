#include "languages/programs/again.h"

#include <assert.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/vector.h"
#include "languages/programs/places.h"

// More are not remembered at one place: the oldest go.
#define MOST_FACTS 200
#define MOST_COPIED 256 // bytes of a copy that is looked into

// An instruction whose result (of a store: what it stored) would be the same if it were executed, as a load, now.
struct facts {
    const struct instruction **data; // in the order of execution where control does not meet
    size_t count, capacity;
};

struct entry {
    bool reached;
    bool changed; // since it was visited
    struct facts facts;
};

struct found {
    const struct instruction *again;
    struct operand value;
};

// Behind a copy of memory: what is known of the bytes that it copies is stored where it copies them to.
struct insertion {
    uint32_t block;
    size_t index; // of the copy
    int64_t offset;
    struct operand value;
    int64_t bytes;
};

struct finder {
    struct flat *flat;
    const struct instruction **definition; // by value
    uint32_t *defined_in;                  // by value: the block
    bool *is_private; // by value: of a variable whose address nobody else has, or an address in it
    bool variables_stay;
    bool *shares;          // by frame: it has a variable that is not private
    struct entry *entries; // by block
    VECTOR(struct found) found;
    VECTOR(struct insertion) insertions;
};

static bool same_operand(const struct operand *a, const struct operand *b)
{
    return a->kind == b->kind && a->number == b->number && a->offset == b->offset &&
           a->bits == b->bits && a->kind != OPERAND_UNDEFINED && a->kind != OPERAND_UNKNOWN;
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

static bool makes_block(const struct finder *f, const struct instruction *i)
{
    const char *name = i->op == OP_CALL ? flat_callee(f->flat, i) : "";
    return strcmp(name, "malloc") == 0 || strcmp(name, "calloc") == 0;
}

// One object, and another than those of other such operands.
static bool is_object(const struct finder *f, const struct operand *base)
{
    const struct instruction *d = definition_of(f, base);
    return base->kind == OPERAND_ADDRESS || is_variable(f, base) ||
           (d != NULL && makes_block(f, d));
}

static struct memory_place place_of(const struct finder *f, struct operand address)
{
    return flat_place_of(f->flat, f->definition, address);
}

static bool apart(const struct finder *f, const struct memory_place *a, int64_t a_bytes,
                  const struct memory_place *b, int64_t b_bytes)
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

static struct memory_place place_of_access(const struct finder *f, const struct instruction *i)
{
    return place_of(f, address_of(f, i));
}

// A store, copy or fill changes so many bytes there; -1: any number.
static void change(const struct finder *f, struct facts *facts, struct memory_place here,
                   int64_t bytes)
{
    size_t kept = 0;
    here.exact = here.exact && bytes >= 0;
    for (size_t k = 0; k < facts->count; k++) {
        const struct instruction *fact = facts->data[k];
        const struct memory_place there = is_memory(fact) ? place_of_access(f, fact) : here;
        if (!is_memory(fact) || apart(f, &there, fact->numbers[0], &here, bytes))
            facts->data[kept++] = fact;
    }
    facts->count = kept;
}

// What is in memory at `there` stays when this instruction, no store, was executed.
typedef bool (*survival)(const struct finder *f, const struct memory_place *there,
                         const struct instruction *i);

static void keep_if(const struct finder *f, struct facts *facts, const struct instruction *i,
                    survival survives)
{
    size_t kept = 0;
    for (size_t k = 0; k < facts->count; k++) {
        const struct instruction *fact = facts->data[k];
        struct memory_place there;
        if (is_memory(fact))
            there = place_of_access(f, fact);
        if (!is_memory(fact) || survives(f, &there, i))
            facts->data[kept++] = fact;
    }
    facts->count = kept;
}

static bool survives_call(const struct finder *f, const struct memory_place *there,
                          const struct instruction *call)
{
    (void)call;
    return is_private_variable(f, &there->base);
}

static bool survives_lifetime(const struct finder *f, const struct memory_place *there,
                              const struct instruction *call)
{
    const struct operand variable = flat_resolve(f->flat, call->operands[call->operand_count - 1]);
    return !same_operand(&there->base, &variable) &&
           (is_private_variable(f, &variable) ||
            (is_variable(f, &variable) && is_private_variable(f, &there->base)));
}

static bool survives_return(const struct finder *f, const struct memory_place *there,
                            const struct instruction *leave)
{
    if (is_variable(f, &there->base))
        return definition_of(f, &there->base)->frame != leave->frame;
    return there->base.kind == OPERAND_ADDRESS || !f->shares[leave->frame];
}

// The block gives it another value: in a loop. Facts end where the block begins already.
static bool is_renewed(const struct finder *f, const struct operand *o, uint32_t block)
{
    return o->kind == OPERAND_VALUE && f->defined_in[o->number] == block;
}

static void begin_block(const struct finder *f, struct facts *facts, uint32_t block)
{
    size_t kept = 0;
    for (size_t k = 0; k < facts->count; k++) {
        const struct instruction *fact = facts->data[k];
        bool renewed = fact->op != OP_STORE && f->defined_in[fact->result] == block;
        for (uint32_t n = 0; n < fact->operand_count && !renewed; n++) {
            const struct operand o = flat_resolve(f->flat, fact->operands[n]);
            renewed = is_renewed(f, &o, block);
        }
        if (!renewed && is_memory(fact)) {
            const struct memory_place there = place_of_access(f, fact);
            renewed = is_renewed(f, &there.base, block);
        }
        if (!renewed)
            facts->data[kept++] = fact;
    }
    facts->count = kept;
}

// An input, or a new block: what was there stays as it is.
static bool changes_nothing(const struct finder *f, const struct instruction *call)
{
    return makes_block(f, call) ||
           (call->operand_count == 1 && call->type.kind == PROGRAM_INTEGER &&
            strncmp(flat_callee(f->flat, call), "__VERIFIER_nondet_", 18) == 0);
}

static bool is_fact(const struct instruction *i)
{
    return i->op == OP_GEP || (is_memory(i) && i->extra == 0);
}

static void execute(const struct finder *f, struct facts *facts, const struct instruction *i)
{
    struct transfer transfer;
    if (i->op == OP_STORE)
        change(f, facts, place_of_access(f, i), i->numbers[0]);
    else if (flat_is_transfer(f->flat, i, &transfer))
        change(f, facts, place_of(f, flat_resolve(f->flat, *transfer.to)), transfer.bytes);
    else if (flat_is_lifetime(f->flat, i))
        keep_if(f, facts, i, survives_lifetime);
    else if (i->op == OP_COPY || i->op == OP_INVOKE || (i->op == OP_CALL && !changes_nothing(f, i)))
        keep_if(f, facts, i, survives_call);
    else if (i->op == OP_LEAVE)
        keep_if(f, facts, i, survives_return);
    if (!is_fact(i) ||
        (instruction_defines(i) && f->flat->alias[i->result].kind != OPERAND_UNKNOWN))
        return;
    if (facts->count == MOST_FACTS)
        memmove(facts->data, facts->data + 1, --facts->count * sizeof *facts->data);
    VECTOR_PUSH(facts, i);
}

static struct operand value_of(const struct finder *f, const struct instruction *fact)
{
    if (fact->op == OP_STORE)
        return flat_resolve(f->flat, fact->operands[0]);
    return (struct operand){.kind = OPERAND_VALUE, .type = fact->type, .number = fact->result};
}

static bool is_known(const struct operand *value)
{
    return value->kind != OPERAND_UNDEFINED && value->kind != OPERAND_UNKNOWN;
}

// Does this fact say what `i` gives?
static bool tells(const struct finder *f, const struct instruction *fact,
                  const struct instruction *i, struct operand *value)
{
    *value = value_of(f, fact);
    if (fact == i || !program_same_type(fact->type, i->type))
        return false;
    if (i->op == OP_LOAD && is_memory(fact)) {
        const struct operand there = address_of(f, fact), here = address_of(f, i);
        const struct memory_place a = place_of(f, there), b = place_of(f, here);
        const bool same =
            same_operand(&there, &here) ||
            (a.exact && b.exact && a.offset == b.offset && same_operand(&a.base, &b.base));
        return i->extra == 0 && fact->numbers[0] == i->numbers[0] && same && is_known(value);
    }
    bool same = i->op == OP_GEP && fact->op == OP_GEP && i->operand_count == fact->operand_count;
    for (uint32_t k = 0; same && k < i->operand_count; k++) {
        const struct operand there = flat_resolve(f->flat, fact->operands[k]),
                             here = flat_resolve(f->flat, i->operands[k]);
        same = same_operand(&there, &here) && program_same_type(there.type, here.type) &&
               fact->numbers[k] == i->numbers[k];
    }
    return same;
}

static void look(struct finder *f, const struct facts *facts, const struct instruction *i)
{
    struct found found = {.again = i};
    if ((i->op != OP_LOAD && i->op != OP_GEP) || f->flat->alias[i->result].kind != OPERAND_UNKNOWN)
        return;
    if (f->variables_stay && i->op == OP_LOAD && i->type.kind == PROGRAM_POINTER) {
        const struct memory_place place = place_of_access(f, i);
        if (place.base.kind == OPERAND_ADDRESS || is_variable(f, &place.base))
            return;
    }
    for (size_t k = 0; k < facts->count; k++) {
        if (tells(f, facts->data[k], i, &found.value)) {
            VECTOR_PUSH(&f->found, found);
            return;
        }
    }
}

// The store is there already, from a round before.
static bool is_inserted(const struct finder *f, const struct block *b, const struct insertion *n,
                        const struct memory_place *to)
{
    for (size_t k = n->index + 1; k < b->count; k++) {
        const struct instruction *i = &b->instructions[k];
        if (i->op != OP_GEP && i->op != OP_STORE)
            return false;
        if (i->op == OP_GEP)
            continue;
        const struct memory_place place = place_of_access(f, i);
        if (place.exact && place.offset == to->offset + n->offset && i->numbers[0] == n->bytes &&
            same_operand(&place.base, &to->base))
            return true;
    }
    return false;
}

// What a copy copies, as far as it is known.
static void look_into(struct finder *f, const struct facts *facts, uint32_t block, size_t index)
{
    const struct block *b = &f->flat->blocks[block];
    struct transfer t;
    if (!flat_is_transfer(f->flat, &b->instructions[index], &t) || t.from == NULL || t.bytes < 0 ||
        t.bytes > MOST_COPIED)
        return;
    const struct memory_place from = place_of(f, flat_resolve(f->flat, *t.from)),
                              to = place_of(f, flat_resolve(f->flat, *t.to));
    for (size_t k = 0; k < facts->count && from.exact && to.exact; k++) {
        const struct instruction *fact = facts->data[k];
        if (!is_memory(fact))
            continue;
        const struct memory_place place = place_of_access(f, fact);
        struct insertion n = {block, index, place.offset - from.offset, value_of(f, fact),
                              fact->numbers[0]};
        n.value.type = fact->type;
        if (!place.exact || !same_operand(&place.base, &from.base) || n.offset < 0 ||
            n.offset + n.bytes > t.bytes || !is_known(&n.value) || is_inserted(f, b, &n, &to))
            continue;
        bool twice = false;
        for (size_t m = 0; m < f->insertions.count; m++) {
            const struct insertion *o = &f->insertions.data[m];
            twice = twice || (o->block == block && o->index == index && o->offset == n.offset);
        }
        if (!twice)
            VECTOR_PUSH(&f->insertions, n);
    }
}

// No value of the plain program's: a copy of none.
static uint32_t new_value(struct flat *flat)
{
    const size_t count = flat->value_count + 1;
    flat->alias = memory_realloc(flat->alias, count * sizeof *flat->alias);
    flat->value_capacity = count;
    if (flat->origin == NULL)
        flat->first_copy = (uint32_t)flat->value_count;
    flat->origin = memory_realloc(flat->origin, (count - flat->first_copy) * sizeof *flat->origin);
    flat->origin[count - 1 - flat->first_copy] = 0;
    flat->alias[count - 1] = (struct operand){.kind = OPERAND_UNKNOWN};
    return (uint32_t)flat->value_count++;
}

static struct instruction made(struct flat *flat, const struct instruction *near, enum opcode op,
                               uint32_t operands)
{
    struct instruction i = {.op = op, .frame = near->frame, .at = near->at};
    i.result = new_value(flat);
    i.operand_count = operands;
    i.number_count = 1;
    i.operands = arena_zalloc(&flat->arena, operands * sizeof *i.operands);
    i.numbers = arena_zalloc(&flat->arena, sizeof *i.numbers);
    return i;
}

static void insert(struct finder *f, const struct insertion *n)
{
    struct flat *flat = f->flat;
    struct block *b = &flat->blocks[n->block];
    const struct instruction copy = b->instructions[n->index];
    assert(n->offset >= 0 && n->bytes > 0);
    struct transfer t;
    ENSURE(flat_is_transfer(f->flat, &copy, &t));
    struct instruction address = made(flat, &copy, OP_GEP, 1);
    address.type = (struct program_type){PROGRAM_POINTER, 0};
    address.operands[0] = *t.to;
    address.numbers[0] = n->offset;
    struct instruction store = made(flat, &copy, OP_STORE, 2);
    store.type = n->value.type;
    store.operands[0] = n->value;
    store.operands[1] =
        (struct operand){.kind = OPERAND_VALUE, .type = address.type, .number = address.result};
    store.numbers[0] = n->bytes;
    b->instructions = memory_realloc(b->instructions, (b->count + 2) * sizeof *b->instructions);
    memmove(b->instructions + n->index + 3, b->instructions + n->index + 1,
            (b->count - n->index - 1) * sizeof *b->instructions);
    b->instructions[n->index + 1] = address;
    b->instructions[n->index + 2] = store;
    b->count += 2;
    b->capacity = b->count;
}

// What holds on this way, too, stays. True when something changed.
static bool meet(struct entry *entry, const struct facts *facts)
{
    if (!entry->reached) {
        entry->reached = entry->changed = true;
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
    entry->changed = entry->changed || kept < before;
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
    f->entries[number].changed = false;
    begin_block(f, facts, number);
    for (size_t k = 0; k < b->count; k++) {
        if (last) {
            look(f, facts, &b->instructions[k]);
            look_into(f, facts, number, k);
        }
        execute(f, facts, &b->instructions[k]);
    }
    const size_t successors = flat_successors(b, NULL, 0);
    for (size_t k = 0; k < successors && !last; k++)
        changed = meet(&f->entries[b->instructions[b->count - 1].numbers[k]], facts) || changed;
    return changed;
}

static bool keeps_private(const struct finder *f, const struct instruction *i, uint32_t operand)
{
    struct transfer t;
    return (is_memory(i) && operand == (i->op == OP_STORE)) || (i->op == OP_GEP && operand == 0) ||
           flat_is_lifetime(f->flat, i) || flat_is_transfer(f->flat, i, &t);
}

static void find_private(struct finder *f)
{
    const struct flat *flat = f->flat;
    for (size_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct instruction *i = &flat->blocks[b].instructions[k];
            if (instruction_defines(i))
                f->defined_in[i->result] = (uint32_t)b;
            if (i->op == OP_ALLOCA || i->op == OP_GEP)
                f->is_private[i->result] = true;
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = 0; b < flat->block_count; b++) {
            for (size_t k = 0; k < flat->blocks[b].count; k++) {
                const struct instruction *i = &flat->blocks[b].instructions[k];
                for (uint32_t n = 0; n < i->operand_count; n++) {
                    const struct operand o = flat_resolve(flat, i->operands[n]);
                    if (o.kind != OPERAND_VALUE || !f->is_private[o.number] ||
                        (keeps_private(f, i, n) && (i->op != OP_GEP || f->is_private[i->result])))
                        continue;
                    f->is_private[o.number] = false;
                    changed = true;
                }
            }
        }
    }
}

static void find_sharing(struct finder *f)
{
    for (size_t b = 0; b < f->flat->block_count; b++)
        for (size_t k = 0; k < f->flat->blocks[b].count; k++) {
            const struct instruction *i = &f->flat->blocks[b].instructions[k];
            if (i->op == OP_ALLOCA && !f->is_private[i->result])
                f->shares[i->frame] = true;
        }
}

bool flat_find_loads_again(struct flat *flat, bool variables_stay)
{
    struct finder f = {.flat = flat, .variables_stay = variables_stay};
    struct facts facts = {0};
    f.definition = flat_definitions(flat);
    f.defined_in = memory_alloc((flat->value_count + 1) * sizeof *f.defined_in);
    memset(f.defined_in, 0xff, (flat->value_count + 1) * sizeof *f.defined_in);
    f.is_private = memory_zalloc(flat->value_count + 1);
    f.shares = memory_zalloc(flat->frame_count + 1);
    f.entries = memory_zalloc(flat->block_count * sizeof *f.entries);
    find_private(&f);
    find_sharing(&f);
    f.entries[0].reached = f.entries[0].changed = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < flat->block_count; b++)
            if (f.entries[b].changed && flat->blocks[b].count > 0)
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
    const bool found = f.found.count > 0 || f.insertions.count > 0;
    while (f.insertions.count > 0) { // from the last to the first: places before stay
        const struct insertion n = VECTOR_POP(&f.insertions);
        insert(&f, &n);
    }
    for (size_t b = 0; b < flat->block_count; b++)
        VECTOR_FINISH(&f.entries[b].facts);
    VECTOR_FINISH(&f.found);
    VECTOR_FINISH(&f.insertions);
    VECTOR_FINISH(&facts);
    memory_free(f.entries);
    memory_free(f.is_private);
    memory_free(f.shares);
    memory_free(f.defined_in);
    memory_free(f.definition);
    return found;
}
