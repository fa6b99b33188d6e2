#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "languages/programs/places.h"
#include "languages/programs/translate_inside.h"
#include "model/precision_text.h"

// Lists of any length (docs/definitions/blocks.md): which pointers lead to a tracked block, and to one another's blocks, through the one field
// that links the blocks of a list. Instrumentation predicates (Sagiv, Reps, Wilhelm 2002, section 4) of named blocks only: those that
// are tracked, and those that variables point to. They have the value that they have in the program's run, or where that is
// not known any.

#define MOST_NAMES 16 // variables of one chain
#define MOST_BLOCKS 6 // tracked blocks of one chain
#define MOST_CHAINS 4
#define MOST_GUESSED 6 // variables at one loop of which something is guessed

// A variable, or a value that other blocks use, that may point to blocks of the chain.
struct name {
    uint32_t object; // of the cell; 0: a value
    size_t cell;
    uint32_t value;
    const struct variable *blocks[MOST_BLOCKS]; // leads to the tracked block
    const struct variable *names[MOST_NAMES];   // leads to the block where that variable points
    const struct variable *ends;                // the link of the block where it points is null
    bool *needed; // by block of the program: what it is is looked at there, or later; NULL: always
    bool now;     // what is said of it is kept true at present
    unsigned changes; // since the translation began
};

// What is known of a pointer at present. Without `known` nothing is.
struct lead {
    const struct term *pointer;
    bool known, none; // none: it points to no block of the chain
    int32_t name;     // not negative: as of this one
    const struct term *blocks[MOST_BLOCKS], *to[MOST_NAMES], *from[MOST_NAMES], *ends;
};

// Of a value, as it was when so many changes had been made.
struct remembered {
    bool some;
    struct lead lead;
    unsigned changes;
};

struct chain {
    int64_t offset; // of the link
    bool *member;   // by object
    uint32_t blocks[MOST_BLOCKS];
    size_t block_count;
    struct name names[MOST_NAMES];
    size_t name_count;
    struct remembered *values; // by value
    struct lead latest;        // of what was just loaded or made
};

struct reach {
    struct chain chains[MOST_CHAINS];
    size_t count;
    unsigned changes; // of pointers, and of what is known of them
    const struct instruction **definitions;
};

static bool is_variable_like(const struct object *o)
{
    return o->kind == OBJECT_LOCAL || o->kind == OBJECT_GLOBAL ||
           (o->kind == OBJECT_HEAP && o->tracked == 0 && !o->summary);
}

static bool holds_member(const struct chain *c, const struct object *o, const struct cell *cell)
{
    for (size_t i = 0; i < o->holding_count; i++) {
        const struct holding *h = &o->holdings[i];
        const int64_t apart = (int64_t)cell->offset - h->offset;
        if (c->member[h->to.object] &&
            (h->stride == 0 ? apart == 0 : apart % (int64_t)h->stride == 0))
            return true;
    }
    return false;
}

// Which chains there are.

static bool links(const struct object *o, int64_t offset, const bool *member)
{
    for (size_t i = 0; i < o->holding_count; i++)
        if (o->holdings[i].stride == 0 && o->holdings[i].offset == offset &&
            member[o->holdings[i].to.object])
            return true;
    return false;
}

static bool is_linked(const struct objects *os, const bool *member, int64_t offset, uint32_t to)
{
    for (uint32_t n = 1; n < os->count; n++) {
        const struct object *o = &os->items[n];
        for (size_t i = 0; i < o->holding_count && member[n]; i++)
            if (o->holdings[i].stride == 0 && o->holdings[i].offset == offset &&
                o->holdings[i].to.object == to)
                return true;
    }
    return false;
}

// Pointers in the block are where they are always, and nothing else is there.
static bool is_plain(const struct translator *t, uint32_t number)
{
    const struct object *o = &t->objects->items[number];
    bool plain = o->kind == OBJECT_HEAP && o->sized && o->tracked <= 1 &&
                 (o->summary || o->layout == LAYOUT_CELLS) && lowering_pointers_apart(o);
    for (size_t i = 0; i < o->access_count; i++)
        plain = plain && !(o->accesses[i].pointer && o->accesses[i].stride != 0);
    for (size_t i = 0; i < o->holding_count; i++)
        plain = plain && o->holdings[i].stride == 0;
    return plain;
}

static void add_members(const struct translator *t, struct chain *c, uint32_t first)
{
    const struct objects *os = t->objects;
    c->member[first] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 1; n < os->count; n++) {
            const struct object *o = &os->items[n];
            // Of a site all objects or none.
            bool joins = links(o, c->offset, c->member) || is_linked(os, c->member, c->offset, n);
            if (o->kind == OBJECT_HEAP && !c->member[n] && joins) {
                const struct site *site = &os->sites[os->site_of[o->value]];
                for (uint32_t k = 0; k < site->count; k++)
                    c->member[site->first + k] = true;
                changed = true;
            }
        }
    }
}

static bool finish_members(const struct translator *t, struct chain *c)
{
    bool good = true;
    for (uint32_t n = 1; n < t->objects->count; n++) {
        if (!c->member[n])
            continue;
        good = good && is_plain(t, n);
        if (t->objects->items[n].summary)
            continue;
        if (c->block_count == MOST_BLOCKS)
            return false;
        c->blocks[c->block_count++] = n;
    }
    return good;
}

static bool find_names(const struct translator *t, struct chain *c)
{
    for (uint32_t n = 1; n < t->objects->count; n++) {
        const struct object *o = &t->objects->items[n];
        for (size_t i = 0; i < o->cell_count && !c->member[n] && is_variable_like(o); i++) {
            if (o->layout != LAYOUT_CELLS || !o->cells[i].pointer ||
                !holds_member(c, o, &o->cells[i]))
                continue;
            if (c->name_count == MOST_NAMES || o->cells[i].mixed)
                return false;
            c->names[c->name_count++] = (struct name){.object = n, .cell = i};
        }
    }
    return true;
}

static bool in_some(const struct reach *r, uint32_t object)
{
    for (size_t k = 0; k < r->count; k++)
        if (r->chains[k].member[object])
            return true;
    return false;
}

// A chain by a field in which blocks of a site point to blocks of it.
static void add_chain(struct translator *t, struct reach *r, uint32_t summary, int64_t offset)
{
    struct chain *c = &r->chains[r->count];
    *c = (struct chain){.offset = offset};
    c->member = memory_zalloc(t->objects->count * sizeof *c->member);
    add_members(t, c, summary);
    bool good = finish_members(t, c) && find_names(t, c);
    for (uint32_t n = 0; n < t->objects->count; n++)
        good = good && !(c->member[n] && in_some(r, n));
    if (!good) {
        memory_free(c->member);
        return;
    }
    c->values = memory_zalloc((t->flat->value_count + 1) * sizeof *c->values);
    r->count++;
}

static void find_chains(struct translator *t, struct reach *r)
{
    for (uint32_t n = 1; n < t->objects->count; n++) {
        const struct object *o = &t->objects->items[n];
        for (size_t i = 0; i < o->holding_count && o->summary; i++) {
            const struct holding *h = &o->holdings[i];
            if (r->count < MOST_CHAINS && h->to.object == n && h->stride == 0 && !in_some(r, n))
                add_chain(t, r, n, h->offset);
        }
    }
}

static const struct variable *predicate(struct translator *t, const char *what, const char *from,
                                        const char *to)
{
    char name[700];
    snprintf(name, sizeof name, "%s(%s%s%s)", what, from, *to == '\0' ? "" : ",", to);
    return model_builder_fresh(t->builder, name, sort_bool(t->store), 0, t->at);
}

static void name_text(const struct translator *t, const struct name *n, char *out, size_t room)
{
    if (n->object != 0)
        snprintf(out, room, "%s", t->objects->items[n->object].name);
    else
        snprintf(out, room, "value %u", n->value);
}

// The variables of the latest name.
static void make_predicates(struct translator *t, struct chain *c, size_t number)
{
    char own[300], other[300];
    struct name *n = &c->names[number];
    name_text(t, n, own, sizeof own);
    n->ends = predicate(t, "ends", own, "");
    for (size_t b = 0; b < c->block_count; b++)
        n->blocks[b] = predicate(t, "leads", own, t->objects->items[c->blocks[b]].name);
    for (size_t k = 0; k < number; k++) {
        name_text(t, &c->names[k], other, sizeof other);
        n->names[k] = predicate(t, "leads", own, other);
        c->names[k].names[number] = predicate(t, "leads", other, own);
    }
}

// The block that the address lies in is that of the pointer which it was computed from.
static const struct operand *base_of(const struct translator *t, const struct operand *o)
{
    while (o->kind == OPERAND_VALUE) {
        const struct instruction *d = t->reach->definitions[o->number];
        if (d == NULL || (d->op != OP_GEP && d->op != OP_BITCAST && d->op != OP_FREEZE) ||
            d->operands[0].type.kind != PROGRAM_POINTER)
            break;
        o = &d->operands[0];
    }
    return o;
}

// Where a name is looked at, or may be later, before it changes. Elsewhere what is said of it need not be true.

struct looks {
    bool reads, writes; // what comes first
};

// Does this instruction look at the name, or change it? False for `good`: it cannot be told.
static struct looks looks_at(const struct translator *t, const struct name *n, uint32_t variable,
                             const struct instruction *i, bool *good)
{
    struct looks out = {0};
    if (n->object == 0) {
        out.writes = instruction_defines(i) && i->result == n->value;
        for (uint32_t k = 0; k < i->operand_count && i->op != OP_PHI; k++) {
            const struct operand *base = base_of(t, &i->operands[k]);
            out.reads = out.reads || (base->kind == OPERAND_VALUE && base->number == n->value);
        }
        return out;
    }
    for (uint32_t k = 0; k < i->operand_count; k++) {
        if (i->operands[k].kind != OPERAND_VALUE || i->operands[k].number != variable)
            continue;
        const uint64_t bytes = t->objects->items[n->object].bytes;
        const bool whole = (i->op == OP_LOAD && k == 0) || (i->op == OP_STORE && k == 1);
        if (!whole || (uint64_t)i->numbers[0] != bytes)
            *good = *good && flat_is_lifetime(t->flat, i);
        else if (i->op == OP_LOAD)
            out.reads = true;
        else
            out.writes = true;
    }
    return out;
}

// The value is one that a phi of the block takes from there.
static bool feeds_phi(const struct translator *t, const struct name *n, uint32_t from,
                      const struct block *to)
{
    for (size_t k = 0; k < to->count && to->instructions[k].op == OP_PHI && n->object == 0; k++) {
        const struct instruction *phi = &to->instructions[k];
        for (uint32_t m = 0; m < phi->number_count; m++) {
            const struct operand *base = base_of(t, &phi->operands[m]);
            if ((uint32_t)phi->numbers[m] == from && base->kind == OPERAND_VALUE &&
                base->number == n->value)
                return true;
        }
    }
    return false;
}

static bool is_needed_behind(const struct translator *t, const struct name *n, uint32_t b,
                             const bool *before)
{
    uint32_t next[64];
    const struct block *block = &t->flat->blocks[b];
    const size_t count = flat_successors(block, next, 64);
    for (size_t k = 0; k < count; k++)
        if (k >= 64 || before[next[k]] || feeds_phi(t, n, b, &t->flat->blocks[next[k]]))
            return true;
    return false;
}

// Where the program is ended its variables still lead to blocks.
static bool ends_program(const struct translator *t, const struct name *n, uint32_t b)
{
    const struct block *block = &t->flat->blocks[b];
    const struct object *o = &t->objects->items[n->object];
    return n->object != 0 && t->question->property == PROPERTY_MEMSAFETY &&
           block->instructions[block->count - 1].op == OP_UNREACHABLE &&
           lowering_is_inside(t, block->instructions[0].frame, o->frame);
}

static void spread_needs(const struct translator *t, const struct name *n,
                         const struct looks *first, bool *before, bool at_ends)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = t->flat->block_count; b-- > 0;) {
            const bool behind =
                is_needed_behind(t, n, b, before) || (at_ends && ends_program(t, n, b));
            const bool now = first[b].reads || (!first[b].writes && behind);
            changed = changed || now != before[b];
            before[b] = now;
        }
    }
}

static bool *needed_blocks(const struct translator *t, const struct name *n)
{
    const struct flat *flat = t->flat;
    const uint32_t variable = n->object == 0 ? 0 : t->objects->items[n->object].value;
    if (n->object != 0 && (t->objects->items[n->object].kind != OBJECT_LOCAL ||
                           t->objects->items[n->object].cell_count != 1))
        return NULL;
    bool *before = memory_zalloc(flat->block_count * sizeof *before), good = true, loops = false;
    struct looks *first = memory_zalloc(flat->block_count * sizeof *first);
    for (uint32_t b = 0; b < flat->block_count; b++) {
        for (size_t k = 0; k < flat->blocks[b].count; k++) {
            const struct looks one =
                looks_at(t, n, variable, &flat->blocks[b].instructions[k], &good);
            if (!first[b].reads && !first[b].writes)
                first[b] = one;
        }
    }
    spread_needs(t, n, first, before, false);
    // What no loop keeps is seldom all that leads somewhere.
    for (uint32_t b = 0; b < flat->block_count; b++)
        loops = loops || (before[b] && t->loop_head[b]);
    if (loops)
        spread_needs(t, n, first, before, true);
    memory_free(first);
    if (good)
        return before;
    memory_free(before);
    return NULL;
}

static bool is_active(const struct translator *t, const struct name *n)
{
    const struct object *o = &t->objects->items[n->object];
    if (n->needed != NULL)
        return n->now;
    // Who has the address of a variable may use it when the function has returned, unless validity is asked.
    return n->object == 0 || o->kind != OBJECT_LOCAL || o->stays ||
           t->question->property != PROPERTY_MEMSAFETY || lowering_frame_is_active(t, o->frame);
}

static void enter_block(const struct translator *t, struct chain *c, uint32_t block)
{
    for (size_t k = 0; k < c->name_count; k++) {
        struct name *n = &c->names[k];
        const struct instruction *d = n->object == 0 ? t->reach->definitions[n->value] : NULL;
        const bool phi = d != NULL && d->op == OP_PHI && t->flat->definition[n->value] == block;
        n->now = n->needed == NULL || n->needed[block] || phi;
    }
}

// A pointer that may equal any, also one to a block that is made later.
static bool makes_any_pointer(const struct translator *t, const struct instruction *i)
{
    const bool nondet = i->op == OP_CALL && i->type.kind == PROGRAM_POINTER &&
                        strncmp(flat_callee(t->flat, i), "__VERIFIER_nondet", 17) == 0;
    bool some =
        i->op == OP_INTTOPTR || nondet || (i->op == OP_FREEZE && i->type.kind == PROGRAM_POINTER);
    for (uint32_t k = 0; k < i->operand_count; k++) {
        const struct operand *o = &i->operands[k];
        some = some || (o->type.kind == PROGRAM_POINTER &&
                        (o->kind == OPERAND_UNDEFINED || o->kind == OPERAND_UNKNOWN));
    }
    return some;
}

static bool has_any_pointer(const struct translator *t)
{
    for (uint32_t b = 0; b < t->flat->block_count; b++)
        for (size_t k = 0; k < t->flat->blocks[b].count; k++)
            if (makes_any_pointer(t, &t->flat->blocks[b].instructions[k]))
                return true;
    return false;
}

void lowering_make_reach(struct translator *t)
{
    const bool asked = t->question->property == PROPERTY_MEMCLEANUP ||
                       (t->question->property == PROPERTY_MEMSAFETY && t->question->track);
    if (t->summaries == NULL || !asked || has_any_pointer(t))
        return;
    struct reach *r = memory_zalloc(sizeof *r);
    find_chains(t, r);
    t->reach = r;
    r->definitions = flat_definitions(t->flat);
    for (size_t k = 0; k < r->count; k++)
        for (size_t n = 0; n < r->chains[k].name_count; n++) {
            make_predicates(t, &r->chains[k], n);
            r->chains[k].names[n].needed = needed_blocks(t, &r->chains[k].names[n]);
        }
}

bool lowering_follows_chains(const struct translator *t)
{
    return t->reach != NULL && t->reach->count > 0;
}

void lowering_initial_reach(struct translator *t)
{
    for (uint32_t n = 1; n < t->objects->count && lowering_follows_chains(t); n++) {
        const struct object *o = &t->objects->items[n];
        const bool external =
            o->kind == OBJECT_GLOBAL && t->flat->program->globals[o->number].external;
        if (external || (o->kind == OBJECT_HEAP && o->tracked == 0 && !o->summary))
            lowering_nothing_written(t, n);
    }
}

void lowering_finish_reach(struct translator *t)
{
    if (t->reach == NULL)
        return;
    for (size_t k = 0; k < t->reach->count; k++) {
        memory_free(t->reach->chains[k].member);
        memory_free(t->reach->chains[k].values);
        for (size_t n = 0; n < t->reach->chains[k].name_count; n++)
            memory_free(t->reach->chains[k].names[n].needed);
    }
    memory_free(t->reach->definitions);
    memory_free(t->reach);
}

void lowering_pointer_changes(struct translator *t)
{
    if (t->reach != NULL)
        t->reach->changes++;
}

// What predicates say.

static const struct term *in_chain(struct translator *t, const struct chain *c,
                                   const struct term *pointer)
{
    const struct term *out = term_false(t->store);
    for (uint32_t n = 1; n < t->objects->count; n++)
        if (c->member[n])
            out = term_or2(t->store, out, lowering_points_into(t, pointer, n));
    return out;
}

static const struct term *place_of_name(struct translator *t, const struct name *n)
{
    if (n->object != 0)
        return t->memory[n->object].cells[n->cell]->term;
    assert(t->variable_of[n->value] != NULL);
    return t->variable_of[n->value]->term;
}

static struct lead lead_of_name(struct translator *t, const struct chain *c, size_t number)
{
    const struct name *n = &c->names[number];
    struct lead out = {.pointer = place_of_name(t, n), .known = true, .name = (int32_t)number};
    out.ends = n->ends->term;
    for (size_t b = 0; b < c->block_count; b++)
        out.blocks[b] = n->blocks[b]->term;
    for (size_t k = 0; k < c->name_count; k++) {
        out.to[k] = k == number ? term_true(t->store) : n->names[k]->term;
        out.from[k] = k == number ? term_true(t->store) : c->names[k].names[number]->term;
    }
    return out;
}

static struct lead lead_to_none(struct translator *t, const struct term *pointer)
{
    struct lead out = {.pointer = pointer, .known = true, .none = true, .name = -1};
    out.ends = term_false(t->store);
    for (size_t b = 0; b < MOST_BLOCKS; b++)
        out.blocks[b] = term_false(t->store);
    for (size_t k = 0; k < MOST_NAMES; k++)
        out.to[k] = out.from[k] = term_false(t->store);
    return out;
}

// Any.
static struct lead lead_unknown(struct translator *t, const struct chain *c,
                                const struct term *pointer)
{
    struct lead out = {.pointer = pointer, .known = true, .name = -1};
    out.ends = lowering_choice(t, "ends");
    for (size_t b = 0; b < c->block_count; b++)
        out.blocks[b] = lowering_choice(t, "leads");
    for (size_t k = 0; k < c->name_count; k++) {
        out.to[k] = lowering_choice(t, "leads");
        out.from[k] = lowering_choice(t, "leads");
    }
    return out;
}

static const struct term *leads_to_block(struct translator *t, const struct chain *c,
                                         const struct lead *from, size_t block)
{
    return term_or2(t->store, lowering_points_into(t, from->pointer, c->blocks[block]),
                    term_and2(t->store, in_chain(t, c, from->pointer), from->blocks[block]));
}

// To the block where the other one points; one of the two is a name's.
static const struct term *leads(struct translator *t, const struct chain *c,
                                const struct lead *from, const struct lead *to)
{
    const struct term *out;
    if (from->none || to->none)
        return term_false(t->store);
    if (from->name >= 0 && from->name == to->name)
        return in_chain(t, c, from->pointer);
    if (to->name >= 0)
        out = from->to[to->name];
    else if (from->name >= 0)
        out = to->from[from->name];
    else
        out = lowering_choice(t, "leads");
    for (size_t b = 0; b < c->block_count; b++) {
        // What is behind there is behind here, and no block is behind itself.
        const struct term *here = lowering_points_into(t, from->pointer, c->blocks[b]);
        const struct term *there = lowering_points_into(t, to->pointer, c->blocks[b]);
        const struct term *lies_between =
            term_and2(t->store, leads_to_block(t, c, from, b), term_not(t->store, here));
        out = term_and2(t->store, out,
                        term_implies(t->store, leads_to_block(t, c, to, b),
                                     term_or2(t->store, there, lies_between)));
    }
    for (size_t b = 0; b < c->block_count; b++)
        out = term_ite(t->store, lowering_points_into(t, to->pointer, c->blocks[b]),
                       leads_to_block(t, c, from, b), out);
    return term_and2(
        t->store, out,
        term_and2(t->store, in_chain(t, c, from->pointer), in_chain(t, c, to->pointer)));
}

static int32_t name_of_value(const struct chain *c, uint32_t value)
{
    for (size_t k = 0; k < c->name_count; k++)
        if (c->names[k].object == 0 && c->names[k].value == value)
            return (int32_t)k;
    return -1;
}

static struct lead lead_of(struct translator *t, struct chain *c, const struct operand *operand,
                           const struct term *pointer)
{
    const struct operand *base = operand == NULL ? NULL : base_of(t, operand);
    struct lead out;
    if (term_is_false(in_chain(t, c, pointer)))
        return lead_to_none(t, pointer);
    if (base == NULL || base->kind != OPERAND_VALUE)
        return lead_unknown(t, c, pointer);
    const int32_t named = name_of_value(c, base->number);
    const struct remembered *r = &c->values[base->number];
    if (named >= 0)
        out = lead_of_name(t, c, (size_t)named);
    else if (r->some && r->lead.name >= 0 && c->names[r->lead.name].changes == r->changes)
        out = lead_of_name(t, c, (size_t)r->lead.name);
    else if (r->some && r->lead.name < 0 && r->changes == t->reach->changes)
        out = r->lead;
    else
        out = lead_unknown(t, c, pointer);
    out.pointer = pointer;
    return out;
}

// What changes.

static const struct term *is_null(struct translator *t, const struct term *pointer)
{
    return term_eq(t->store, lowering_settled(t, pointer), lowering_pointer(t, 0, 0));
}

// The link of the block where the pointer points is null; that of a tracked one is known.
static const struct term *ends(struct translator *t, const struct chain *c, const struct lead *lead)
{
    const struct term *out = lead->ends;
    for (size_t b = 0; b < c->block_count; b++) {
        const struct object *o = &t->objects->items[c->blocks[b]];
        for (size_t k = 0; k < o->cell_count; k++)
            if ((int64_t)o->cells[k].offset == c->offset)
                out = term_ite(t->store, lowering_points_into(t, lead->pointer, c->blocks[b]),
                               is_null(t, t->memory[c->blocks[b]].cells[k]->term), out);
    }
    return out;
}

// The name points where the other one does.
static void becomes(struct translator *t, struct chain *c, size_t number, const struct term *when,
                    const struct lead *value, struct changes *out)
{
    const struct name *n = &c->names[number];
    for (size_t b = 0; b < c->block_count; b++)
        lowering_change(t, out, n->blocks[b], when, leads_to_block(t, c, value, b));
    lowering_change(t, out, n->ends, when, value->ends);
    for (size_t k = 0; k < c->name_count; k++) {
        if (k == number || !is_active(t, &c->names[k]))
            continue;
        const struct lead other = lead_of_name(t, c, k);
        lowering_change(t, out, n->names[k], when, leads(t, c, value, &other));
        lowering_change(t, out, c->names[k].names[number], when, leads(t, c, &other, value));
    }
    c->names[number].now = true;
}

// Nobody knows where the name points.
static void forget(struct translator *t, struct chain *c, size_t number, const struct term *when,
                   struct changes *out)
{
    const struct name *n = &c->names[number];
    for (size_t b = 0; b < c->block_count; b++)
        lowering_change(t, out, n->blocks[b], when, lowering_choice(t, "leads"));
    lowering_change(t, out, n->ends, when, lowering_choice(t, "ends"));
    for (size_t k = 0; k < c->name_count; k++) {
        if (k == number)
            continue;
        lowering_change(t, out, n->names[k], when, lowering_choice(t, "leads"));
        lowering_change(t, out, c->names[k].names[number], when, lowering_choice(t, "leads"));
    }
    c->names[number].now = true;
}

// The link of the block where `from` points leads to `to` now. What was behind that block is behind it no longer.
static void links_to(struct translator *t, struct chain *c, const struct term *when,
                     const struct lead *from, const struct lead *to, struct changes *out)
{
    for (size_t v = 0; v < c->name_count; v++) {
        const struct name *n = &c->names[v];
        if (!is_active(t, n))
            continue;
        const struct lead own = lead_of_name(t, c, v);
        const struct term *changes = term_and2(t->store, when, leads(t, c, &own, from));
        lowering_change(t, out, n->ends, term_and2(t->store, changes, leads(t, c, from, &own)),
                        is_null(t, to->pointer));
        for (size_t b = 0; b < c->block_count; b++) {
            const struct term *before =
                term_or2(t->store, lowering_points_into(t, from->pointer, c->blocks[b]),
                         term_not(t->store, leads_to_block(t, c, from, b)));
            before = term_and2(t->store, leads_to_block(t, c, &own, b), before);
            lowering_change(t, out, n->blocks[b], changes,
                            term_or2(t->store, before, leads_to_block(t, c, to, b)));
        }
        for (size_t u = 0; u < c->name_count; u++) {
            if (u == v || !is_active(t, &c->names[u]))
                continue;
            const struct lead other = lead_of_name(t, c, u);
            const struct term *before = term_or2(t->store, leads(t, c, &other, from),
                                                 term_not(t->store, leads(t, c, from, &other)));
            before = term_and2(t->store, leads(t, c, &own, &other), before);
            lowering_change(t, out, n->names[u], changes,
                            term_or2(t->store, before, leads(t, c, to, &other)));
        }
    }
    t->reach->changes++;
}

// A ring is a bound, asked where the block that closes it is tracked; so it may be assumed that there is none.
static void check_ring(struct translator *t, struct chain *c, const struct term *when,
                       const struct lead *from, const struct lead *to)
{
    const struct term *closes = term_false(t->store);
    for (size_t b = 0; b < c->block_count; b++)
        closes = term_or2(t->store, closes,
                          term_and2(t->store, lowering_points_into(t, from->pointer, c->blocks[b]),
                                    leads_to_block(t, c, to, b)));
    closes = term_and2(t->store, when, closes);
    lowering_cut_blamed(t, closes, closes, "blocks that form a ring");
    if (!t->dead && (from->name >= 0 || to->name >= 0))
        lowering_assume(t, term_not(t->store, term_and2(t->store, when, leads(t, c, to, from))));
}

// Bytes from a place on, which is one that is not known if it is negative.
static bool may_touch(int64_t offset, uint64_t bytes, uint64_t at, uint64_t width)
{
    return offset < 0 || ((int64_t)at < offset + (int64_t)bytes && offset < (int64_t)(at + width));
}

// The name of a cell that so many bytes touch; -1: none has one.
static int32_t name_of_cell(const struct translator *t, const struct chain *c,
                            const struct lead_place *p, uint64_t bytes, bool *exact)
{
    *exact = false;
    for (size_t k = 0; k < c->name_count; k++) {
        if (p->object == 0 || c->names[k].object != p->object)
            continue;
        const struct cell *cell = &t->objects->items[p->object].cells[c->names[k].cell];
        *exact = (int64_t)cell->offset == p->offset && cell->bytes == bytes;
        if (may_touch(p->offset, bytes, cell->offset, cell->bytes))
            return (int32_t)k;
    }
    return -1;
}

static bool is_link(const struct chain *c, const struct lead_place *p)
{
    return c->member[p->object] && p->offset == c->offset;
}

static const struct term *some_link(struct translator *t, const struct chain *c,
                                    const struct lead_places *places)
{
    const struct term *out = term_false(t->store);
    for (size_t i = 0; i < places->count; i++)
        if (is_link(c, &places->data[i]))
            out = term_or2(t->store, out, places->data[i].guard);
    return out;
}

// A store of other bytes than a whole link, or of no pointer, or where it is not known which: whatever leads anywhere may be another now.
static bool touches_link(const struct translator *t, const struct chain *c,
                         const struct lead_place *p, uint64_t bytes, bool is_pointer)
{
    const uint64_t word = t->offset_bits / 8;
    return c->member[p->object] && may_touch(p->offset, bytes, (uint64_t)c->offset, word) &&
           !(is_pointer && is_link(c, p) && bytes == word);
}

static void store_at(struct translator *t, struct chain *c, const struct lead_place *p,
                     uint64_t bytes, const struct lead *to, struct changes *out)
{
    const bool all = touches_link(t, c, p, bytes, to != NULL);
    t->reach->changes += all; // values are looked at afresh, whatever has a name
    for (size_t k = 0; k < c->name_count; k++) {
        const struct name *n = &c->names[k];
        const struct cell *cell = &t->objects->items[n->object].cells[n->cell];
        const bool touched = p->object != 0 && n->object == p->object &&
                             may_touch(p->offset, bytes, cell->offset, cell->bytes);
        if (!touched && !all)
            continue;
        if (!all && to != NULL && (int64_t)cell->offset == p->offset && cell->bytes == bytes)
            becomes(t, c, k, p->guard, to, out);
        else
            forget(t, c, k, p->guard, out);
        c->names[k].changes++;
        t->reach->changes++;
    }
}

static bool touches_something(const struct translator *t, const struct chain *c,
                              const struct lead_place *p, uint64_t bytes, bool is_pointer)
{
    bool exact;
    return touches_link(t, c, p, bytes, is_pointer) || name_of_cell(t, c, p, bytes, &exact) >= 0;
}

static void store(struct translator *t, struct chain *c, const struct lead_places *places,
                  const struct operand *address, const struct term *pointer, uint64_t bytes,
                  const struct operand *source, const struct term *value, struct changes *out)
{
    const struct term *linked = some_link(t, c, places);
    const bool is_pointer = value->sort->width == t->pointer_bits;
    bool some = !term_is_false(linked);
    for (size_t i = 0; i < places->count; i++)
        some = some || touches_something(t, c, &places->data[i], bytes, is_pointer);
    if (!some)
        return;
    struct lead to = {0};
    if (is_pointer)
        to = lead_of(t, c, source, value);
    if (!term_is_false(linked) && is_pointer) {
        const struct lead from = lead_of(t, c, address, pointer);
        check_ring(t, c, linked, &from, &to);
        links_to(t, c, linked, &from, &to, out);
    }
    for (size_t i = 0; i < places->count; i++)
        store_at(t, c, &places->data[i], bytes, is_pointer ? &to : NULL, out);
}

void lowering_reach_store(struct translator *t, const struct lead_places *places,
                          const struct operand *address, const struct term *pointer, uint64_t bytes,
                          const struct operand *source, const struct term *value,
                          struct changes *out)
{
    for (size_t k = 0; t->reach != NULL && k < t->reach->count; k++)
        store(t, &t->reach->chains[k], places, address, pointer, bytes, source, value, out);
}

// What was loaded out of the link of the block where `from` points.
static struct lead lead_of_link(struct translator *t, struct chain *c, const struct term *when,
                                const struct lead *from, const struct term *value)
{
    struct lead out = {.pointer = value, .known = true, .name = -1};
    const struct term *goes_on = term_false(t->store);
    out.ends = lowering_choice(t, "ends");
    for (size_t b = 0; b < c->block_count; b++) {
        const struct term *here = lowering_points_into(t, from->pointer, c->blocks[b]);
        out.blocks[b] =
            term_and2(t->store, leads_to_block(t, c, from, b), term_not(t->store, here));
        goes_on = term_or2(t->store, goes_on, out.blocks[b]);
        // It is the block itself only if that is behind.
        lowering_assume(
            t, term_implies(t->store,
                            term_and2(t->store, when, lowering_points_into(t, value, c->blocks[b])),
                            out.blocks[b]));
    }
    for (size_t k = 0; k < c->name_count; k++) {
        if (!is_active(t, &c->names[k])) {
            out.to[k] = out.from[k] = term_false(t->store);
            continue;
        }
        const struct lead other = lead_of_name(t, c, k);
        const struct term *back = leads(t, c, &other, from);
        out.to[k] = term_and2(t->store, leads(t, c, from, &other), term_not(t->store, back));
        goes_on = term_or2(t->store, goes_on, out.to[k]);
        // Who points to the same block knows the same link.
        const struct term *same = term_and2(t->store, when, leads(t, c, from, &other));
        lowering_assume(t, term_implies(t->store, term_and2(t->store, same, back),
                                        term_eq(t->store, ends(t, c, &other), is_null(t, value))));
        // Others that point there; not who leads to less.
        const struct term *joins = lowering_choice(t, "joins");
        for (size_t b = 0; b < c->block_count; b++)
            joins =
                term_and2(t->store, joins,
                          term_implies(t->store, out.blocks[b], leads_to_block(t, c, &other, b)));
        out.from[k] = term_or2(t->store, back, joins);
    }
    lowering_assume(
        t, term_implies(t->store, term_and2(t->store, when, goes_on), in_chain(t, c, value)));
    const struct term *known = term_eq(t->store, ends(t, c, from), is_null(t, value));
    const struct term *here = term_and2(t->store, when, in_chain(t, c, from->pointer));
    lowering_assume(t, term_implies(t->store, here, known));
    return out;
}

static void choose_lead(struct translator *t, const struct chain *c, const struct term *when,
                        const struct lead *one, struct lead *out)
{
    out->ends = term_ite(t->store, when, one->ends, out->ends);
    for (size_t b = 0; b < c->block_count; b++)
        out->blocks[b] = term_ite(t->store, when, one->blocks[b], out->blocks[b]);
    for (size_t k = 0; k < c->name_count; k++) {
        out->to[k] = term_ite(t->store, when, one->to[k], out->to[k]);
        out->from[k] = term_ite(t->store, when, one->from[k], out->from[k]);
    }
}

static struct lead load(struct translator *t, struct chain *c, const struct lead_places *places,
                        const struct operand *address, const struct term *pointer,
                        const struct term *value)
{
    const uint64_t word = t->offset_bits / 8;
    const struct term *linked = some_link(t, c, places);
    bool exact;
    if (term_is_false(in_chain(t, c, value)))
        return lead_to_none(t, value);
    if (places->count == 1) {
        const int32_t name = name_of_cell(t, c, &places->data[0], word, &exact);
        if (name >= 0 && exact)
            return lead_of_name(t, c, (size_t)name);
    }
    struct lead out = term_is_true(linked) ? lead_to_none(t, value) : lead_unknown(t, c, value);
    if (!term_is_false(linked)) {
        const struct lead from = lead_of(t, c, address, pointer);
        const struct lead one = lead_of_link(t, c, linked, &from, value);
        choose_lead(t, c, linked, &one, &out);
    }
    for (size_t i = 0; i < places->count; i++) {
        const int32_t name = name_of_cell(t, c, &places->data[i], word, &exact);
        if (name < 0 || !exact)
            continue;
        const struct lead one = lead_of_name(t, c, (size_t)name);
        choose_lead(t, c, places->data[i].guard, &one, &out);
    }
    out.none = false;
    return out;
}

void lowering_reach_load(struct translator *t, const struct lead_places *places,
                         const struct operand *address, const struct term *pointer,
                         const struct term *value)
{
    for (size_t k = 0; t->reach != NULL && k < t->reach->count; k++) {
        struct chain *c = &t->reach->chains[k];
        c->latest = load(t, c, places, address, pointer, value);
    }
}

void lowering_reach_fresh(struct translator *t, const struct term *value, bool zeroed)
{
    for (size_t k = 0; t->reach != NULL && k < t->reach->count; k++) {
        struct chain *c = &t->reach->chains[k];
        c->latest = lead_to_none(t, value); // but to itself
        c->latest.none = false;
        c->latest.ends = zeroed ? term_true(t->store) : lowering_choice(t, "ends");
    }
}

static bool may_point(const struct translator *t, const struct chain *c, uint32_t value)
{
    const struct targets *targets = &t->objects->targets[value];
    for (size_t i = 0; i < targets->count; i++)
        if (c->member[targets->data[i].object])
            return true;
    return false;
}

// The name of a value that other blocks use; -1: it has none.
static int32_t name_value(struct translator *t, struct chain *c, uint32_t value)
{
    int32_t name = name_of_value(c, value);
    if (name >= 0 || c->name_count == MOST_NAMES || t->variable_of[value] == NULL)
        return name;
    c->names[c->name_count] = (struct name){.value = value};
    c->names[c->name_count].needed = needed_blocks(t, &c->names[c->name_count]);
    make_predicates(t, c, c->name_count++);
    t->reach->changes++;
    return (int32_t)c->name_count - 1;
}

void lowering_reach_define(struct translator *t, const struct instruction *i)
{
    const bool derived = i->op == OP_GEP || i->op == OP_BITCAST || i->op == OP_FREEZE;
    for (size_t k = 0; t->reach != NULL && k < t->reach->count; k++) {
        struct chain *c = &t->reach->chains[k];
        struct lead lead = c->latest;
        c->latest = (struct lead){0};
        if (derived || !instruction_defines(i) || i->type.kind != PROGRAM_POINTER ||
            t->value[i->result] == NULL || !may_point(t, c, i->result))
            continue;
        if (t->used_elsewhere[i->result] && t->variable_of[i->result] != NULL) {
            struct changes changes = {0};
            if (!lead.known)
                lead = lead_unknown(t, c, t->value[i->result]);
            lead.pointer = t->value[i->result];
            // Before it is a name: what the other ones say is complete.
            const int32_t name = name_value(t, c, i->result);
            if (name < 0)
                continue;
            if (lead.name < 0)
                lead.to[name] = lead.from[name] = term_false(t->store);
            becomes(t, c, (size_t)name, term_true(t->store), &lead, &changes);
            lowering_make_changes(t, &changes);
            t->reach->changes++;
        } else {
            const unsigned changes =
                lead.name >= 0 ? c->names[lead.name].changes : t->reach->changes;
            c->values[i->result] = (struct remembered){lead.known, lead, changes};
        }
    }
}

// A block of the program begins: others lead there, too.
void lowering_reach_block(struct translator *t)
{
    for (size_t k = 0; t->reach != NULL && k < t->reach->count; k++) {
        struct chain *c = &t->reach->chains[k];
        c->latest = (struct lead){0};
        enter_block(t, c, t->number);
        for (size_t n = 0; n < c->name_count; n++)
            c->names[n].changes++;
    }
    lowering_pointer_changes(t);
}

void lowering_reach_phis(struct translator *t, const struct block *to, uint32_t from,
                         struct changes *out)
{
    for (size_t k = 0; t->reach != NULL && k < t->reach->count; k++) {
        struct chain *c = &t->reach->chains[k];
        size_t count = 0;
        for (size_t n = 0; n < to->count && to->instructions[n].op == OP_PHI; n++)
            count += may_point(t, c, to->instructions[n].result);
        for (size_t n = 0; n < to->count && to->instructions[n].op == OP_PHI; n++) {
            const struct instruction *phi = &to->instructions[n];
            const int32_t name = may_point(t, c, phi->result) ? name_value(t, c, phi->result) : -1;
            for (uint32_t m = 0; m < phi->number_count && name >= 0; m++) {
                if ((uint32_t)phi->numbers[m] != from)
                    continue;
                const struct term *value = lowering_operand(t, &phi->operands[m]);
                const struct lead lead = lead_of(t, c, &phi->operands[m], value);
                if (count == 1)
                    becomes(t, c, (size_t)name, term_true(t->store), &lead, out);
                else
                    forget(t, c, (size_t)name, term_true(t->store), out);
                break;
            }
        }
    }
}

// Its cells hold anything.
void lowering_reach_forget(struct translator *t, uint32_t object)
{
    for (size_t k = 0; t->reach != NULL && k < t->reach->count; k++) {
        struct chain *c = &t->reach->chains[k];
        struct changes changes = {0};
        for (size_t n = 0; n < c->name_count; n++) {
            if (c->names[n].object != object)
                continue;
            forget(t, c, n, term_true(t->store), &changes);
            c->names[n].changes++;
        }
        lowering_make_changes(t, &changes);
        t->reach->changes++;
    }
}

void lowering_reach_free(struct translator *t, const struct operand *address,
                         const struct term *pointer)
{
    for (size_t k = 0; t->reach != NULL && k < t->reach->count; k++) {
        struct chain *c = &t->reach->chains[k];
        const struct term *some = in_chain(t, c, pointer);
        // What a dead block holds tracks nothing. Where validity is not asked it is memory like any other.
        if (term_is_false(some) || t->question->property != PROPERTY_MEMSAFETY)
            continue;
        struct changes changes = {0};
        const struct lead from = lead_of(t, c, address, pointer);
        const struct lead none = lead_to_none(t, lowering_pointer(t, 0, 0));
        links_to(t, c, some, &from, &none, &changes);
        lowering_make_changes(t, &changes);
    }
}

const struct term *lowering_leads(struct translator *t, uint32_t holder, uint32_t block)
{
    const struct term *out = term_false(t->store);
    for (size_t k = 0; t->reach != NULL && k < t->reach->count; k++) {
        struct chain *c = &t->reach->chains[k];
        for (size_t n = 0; n < c->name_count; n++) {
            const struct lead lead = lead_of_name(t, c, n);
            const bool is = c->names[n].object == holder && is_active(t, &c->names[n]);
            for (size_t b = 0; b < c->block_count && is; b++)
                if (c->blocks[b] == block)
                    out = term_or2(t->store, out, leads_to_block(t, c, &lead, b));
        }
    }
    return out;
}

// Guesses.

struct guessing {
    struct translator *t;
    struct text *out;
    const struct location *location; // NULL: everywhere
};

static void guess(struct guessing *g, const struct term *term)
{
    const struct precision_item item = {.predicate = term, .location = g->location};
    if (!term_is_literal(term))
        precision_text_add(g->out, g->t->store, &item);
}

static void guess_if(struct guessing *g, const struct term *when, const struct term *then)
{
    guess(g, term_implies(g->t->store, when, then));
}

static const struct term *either(struct guessing *g, const struct term *a, const struct term *b)
{
    return term_or2(g->t->store, a, b);
}

// What leads to the block: so its life, and one another.
static void guess_block(struct guessing *g, struct chain *c, size_t b, const struct lead *names,
                        size_t count)
{
    struct translator *t = g->t;
    const struct term *alive = t->memory[c->blocks[b]].alive->term;
    const struct term *to[MOST_NAMES], *in[MOST_NAMES], *at[MOST_NAMES];
    for (size_t n = 0; n < count; n++) {
        to[n] = leads_to_block(t, c, &names[n], b);
        in[n] = in_chain(t, c, names[n].pointer);
        at[n] = lowering_points_into(t, names[n].pointer, c->blocks[b]);
    }
    for (size_t n = 0; n < count; n++) {
        guess_if(g, alive, to[n]);
        guess_if(g, to[n], alive);
        guess(g, term_not(t->store, to[n]));
        guess_if(g, to[n], at[n]);
        for (size_t m = 0; m < count; m++) {
            if (m == n)
                continue;
            guess_if(g, to[m], to[n]);
            guess_if(g, to[m], either(g, at[m], to[n]));
            guess_if(g, term_and2(t->store, to[m], in[n]), to[n]);
            for (size_t l = 0; l < count; l++)
                if (l != m && l != n)
                    guess_if(g, to[m], either(g, in[l], to[n]));
            if (m > n)
                continue;
            guess_if(g, alive, either(g, to[m], to[n]));
            guess(g, term_not(t->store, term_and2(t->store, to[m], to[n])));
            for (size_t l = 0; l < m; l++)
                guess_if(g, alive, either(g, to[l], either(g, to[m], to[n])));
        }
    }
}

// What leads to blocks of one another.
static void guess_names(struct guessing *g, struct chain *c, const struct lead *names, size_t count)
{
    struct translator *t = g->t;
    for (size_t n = 0; n < count; n++) {
        const struct term *from = in_chain(t, c, names[n].pointer);
        guess_if(g, from, ends(t, c, &names[n]));
        for (size_t m = 0; m < count; m++) {
            if (m == n)
                continue;
            const struct term *is = leads(t, c, &names[n], &names[m]);
            const struct term *back = leads(t, c, &names[m], &names[n]);
            const struct term *to = in_chain(t, c, names[m].pointer);
            guess_if(g, from, to);
            guess(g, term_not(t->store, is));
            guess_if(g, to, is);
            guess_if(g, from, is);
            guess_if(g, term_and2(t->store, from, to), is);
            guess_if(g, is, back);
            for (size_t l = 0; l < count; l++)
                if (l != m && l != n)
                    guess_if(g, to, either(g, in_chain(t, c, names[l].pointer), is));
        }
    }
}

static void guess_here(struct guessing *g, struct chain *c, uint32_t block)
{
    struct translator *t = g->t;
    struct lead names[MOST_NAMES];
    size_t count = 0;
    t->frame = t->flat->blocks[block].instructions[0].frame;
    enter_block(t, c, block);
    for (size_t n = 0; n < c->name_count && count < MOST_GUESSED; n++)
        if (is_active(t, &c->names[n]))
            names[count++] = lead_of_name(t, c, n);
    for (size_t b = 0; b < c->block_count; b++)
        guess_block(g, c, b, names, count);
    guess_names(g, c, names, count);
}

void lowering_reach_guess(struct translator *t, struct text *out)
{
    struct guessing g = {.t = t, .out = out};
    for (size_t k = 0; t->reach != NULL && k < t->reach->count; k++) {
        struct chain *c = &t->reach->chains[k];
        g.location = NULL;
        for (size_t b = 0; b < c->block_count; b++) {
            const struct term *taken = lowering_taken(t, c->blocks[b]);
            guess(&g, t->memory[c->blocks[b]].alive->term);
            if (taken != NULL) {
                guess(&g, taken);
                guess_if(&g, t->memory[c->blocks[b]].alive->term, taken);
            }
        }
        for (uint32_t n = 0; n < t->flat->block_count; n++) {
            g.location = t->locations[n];
            if (t->loop_head[n])
                guess_here(&g, c, n);
        }
    }
}
