#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "languages/programs/translate_inside.h"

// Memory as variables. An access looks at every place where its pointer may point: a choice by the pointer's value.
// A pointer to none of them is invalid: an error when memory safety is asked. Else such a load has an arbitrary value and
// such a store no effect, so that "safe" holds for more than the runs that C gives a meaning; a run to an error through
// there is refused by the judge.

#define MOST_PIECES 1100 // cells that one copy moves

// A place that an access may mean.
struct place {
    uint32_t object;
    const struct term *guard; // the pointer means this place
    int64_t offset;           // LAYOUT_CELLS
    const struct term *offset_term;
    struct target target; // in a summary: what the pointer means
    bool covered;         // `ranges` says that the pointer may mean it
};

struct places {
    struct place *data;
    size_t count, capacity;
    const struct term *ranges; // the pointer means one of the covered ones; NULL: there are none
};

static const struct term *offset_literal(struct translator *t, uint64_t n)
{
    return term_bv(t->store, t->offset_bits, n);
}

// Variables.

static const struct variable *new_variable(struct translator *t, const struct object *o,
                                           const char *name, const struct sort *sort)
{
    const struct variable *v = model_builder_variable(t->builder, name, sort, 0, o->at);
    return v != NULL ? v : model_builder_fresh(t->builder, name, sort, 0, o->at);
}

static void cell_name(const struct object *o, const struct cell *c, char *out, size_t room)
{
    bool even = o->cell_count > 1;
    for (size_t i = 0; i < o->cell_count; i++)
        even = even && o->cells[i].bytes == c->bytes && o->cells[i].offset % c->bytes == 0;
    if (o->cell_count == 1 && c->offset == 0)
        snprintf(out, room, "%s", o->name);
    else if (even)
        snprintf(out, room, "%s[%llu]", o->name, (unsigned long long)(c->offset / c->bytes));
    else
        snprintf(out, room, "%s+%llu", o->name, (unsigned long long)c->offset);
}

static const struct sort *cell_sort(struct translator *t, const struct cell *c)
{
    return sort_bv(t->store, c->pointer ? t->pointer_bits : (uint32_t)(8 * c->bytes));
}

static void make_contents(struct translator *t, const struct object *o, struct object_variables *v)
{
    char name[600];
    const struct sort *key = sort_bv(t->store, t->offset_bits);
    v->cells = memory_zalloc((o->cell_count + 1) * sizeof *v->cells);
    if (object_is_many(o) || o->given == GIVEN_WORDS)
        return;
    for (size_t i = 0; i < o->cell_count; i++) {
        const struct sort *sort = cell_sort(t, &o->cells[i]);
        cell_name(o, &o->cells[i], name, sizeof name);
        if (o->layout == LAYOUT_FIELDS)
            sort = sort_array(t->store, key, sort);
        v->cells[i] = new_variable(t, o, name, sort);
        lowering_mean(
            t, v->cells[i],
            (struct variable_meaning){ROLE_CELL, 0, (uint32_t)(o - t->objects->items), i});
    }
    if (o->layout == LAYOUT_BYTES &&
        (o->access_count > 0 || (o->given == GIVEN_TEXT && o->reached)))
        v->bytes = new_variable(t, o, o->name, sort_array(t->store, key, sort_bv(t->store, 8)));
    if (v->bytes != NULL)
        lowering_mean(
            t, v->bytes,
            (struct variable_meaning){ROLE_BYTES, 0, (uint32_t)(o - t->objects->items), 0});
}

void lowering_make_memory(struct translator *t)
{
    const struct objects *os = t->objects;
    char name[600];
    t->memory = memory_zalloc(os->count * sizeof *t->memory);
    t->counters = memory_zalloc((os->site_count + 1) * sizeof *t->counters);
    for (size_t i = 1; i < os->count; i++) {
        const struct object *o = &os->items[i];
        make_contents(t, o, &t->memory[i]);
        bool mortal = o->kind == OBJECT_HEAP ||
                      (o->kind == OBJECT_LOCAL && t->question->property == PROPERTY_MEMSAFETY);
        snprintf(name, sizeof name, "alive(%s)", o->name);
        if (mortal && (lowering_tracks(t) || o->watched) && !o->summary &&
            o->given == GIVEN_NOTHING)
            t->memory[i].alive = new_variable(t, o, name, sort_bool(t->store));
        snprintf(name, sizeof name, "size(%s)", o->name);
        if ((o->kind == OBJECT_HEAP || o->kind == OBJECT_LOCAL) && !o->sized && !object_is_many(o))
            t->memory[i].size = new_variable(t, o, name, sort_bv(t->store, t->offset_bits));
    }
    for (size_t i = 0; i < os->site_count; i++) {
        snprintf(name, sizeof name, "calls(%s)", os->items[os->sites[i].first].name);
        if (os->sites[i].count > 1 && os->sites[i].tracked == 0)
            t->counters[i] =
                new_variable(t, &os->items[os->sites[i].first], name, sort_bv(t->store, 8));
    }
}

// Places.

static const struct term *pointer_of(struct translator *t, const struct operand *address,
                                     int64_t offset)
{
    const struct term *p = lowering_operand(t, address);
    return offset == 0 ? p : lowering_move(t, p, offset_literal(t, (uint64_t)offset));
}

static void add_place(struct translator *t, struct places *out, struct place place)
{
    assert(place.object > 0 && place.object < t->objects->count);
    const struct variable *alive = t->memory[place.object].alive;
    if (t->question->property == PROPERTY_MEMSAFETY && alive != NULL)
        place.guard = term_and2(t->store, place.guard, alive->term);
    if (!term_is_false(place.guard))
        VECTOR_PUSH(out, place);
}

// An index that leads out of its array into a pointer, or a part of one: a bound.
static bool meets_pointer(const struct object *o, int64_t at, uint64_t bytes)
{
    for (size_t i = 0; i < o->cell_count; i++) {
        const struct cell *c = &o->cells[i];
        bool same = c->offset == (uint64_t)at && c->bytes == bytes;
        if (c->pointer && !same && c->offset < (uint64_t)at + bytes &&
            (uint64_t)at < c->offset + c->bytes)
            return true;
    }
    return false;
}

// Every place of a progression: a range of offsets is what engines find invariants about. False: it is not said so.
static bool cover_cells(struct translator *t, struct places *out, const struct target *target,
                        const struct term *pointer, uint64_t most)
{
    const struct object *o = &t->objects->items[target->object];
    const uint64_t step = target->stride;
    if (step == 0 || (step & (step - 1)) != 0 || o->crossed || most / step < 2)
        return false;
    const struct term *offset = lowering_offset_part(t, pointer);
    const struct term *rest =
        term_bv_binary(t->store, TERM_BV_AND, offset, offset_literal(t, step - 1));
    const struct term *in =
        term_and2(t->store, lowering_points_into(t, pointer, target->object),
                  term_bv_binary(t->store, TERM_BV_ULE, offset, offset_literal(t, most)));
    if (step > 1)
        in = term_and2(t->store, in,
                       term_eq(t->store, rest, offset_literal(t, (uint64_t)target->offset)));
    const struct variable *alive = t->memory[target->object].alive;
    if (t->question->property == PROPERTY_MEMSAFETY && alive != NULL)
        in = term_and2(t->store, in, alive->term);
    out->ranges = out->ranges == NULL ? in : term_or2(t->store, out->ranges, in);
    return true;
}

static void add_cells(struct translator *t, struct places *out, const struct target *target,
                      const struct operand *address, const struct term *pointer, uint64_t bytes)
{
    const struct object *o = &t->objects->items[target->object];
    if (bytes > o->bytes)
        return;
    const bool covered = cover_cells(t, out, target, pointer, o->bytes - bytes);
    int64_t most = (int64_t)(o->bytes - bytes),
            step = target->stride == 0 ? most + 1 : (int64_t)target->stride;
    int64_t at = target->offset;
    if (target->stride == 0 && at < 0)
        return;
    for (; at <= most; at += step) {
        const struct term *literal = lowering_pointer(t, target->object, at);
        if (o->crossed && target->stride > 0 && meets_pointer(o, at, bytes)) {
            const struct term *met = term_eq(t->store, pointer, literal);
            lowering_cut_blamed(
                t, met, term_and2(t->store, met, lowering_blame(t, address, pointer)),
                "an index that leads out of its array into a pointer is not followed");
            continue;
        }
        add_place(t, out,
                  (struct place){target->object, term_eq(t->store, pointer, literal), at, NULL,
                                 .covered = covered});
    }
}

// Which place of the period: the same for all that the target means.
static uint64_t place_in_period(const struct object *o, int64_t offset)
{
    int64_t period = (int64_t)o->period;
    return (uint64_t)((offset % period + period) % period);
}

// LAYOUT_FIELDS, and the pointer may mean fields in several places of the period: it means this one.
static const struct term *means_field(struct translator *t, const struct targets *targets,
                                      const struct target *target, int64_t moved,
                                      const struct term *offset)
{
    const struct object *o = &t->objects->items[target->object];
    uint64_t place = o->layout == LAYOUT_FIELDS ? place_in_period(o, target->offset) : 0;
    bool several = false;
    for (size_t i = 0; o->layout == LAYOUT_FIELDS && i < targets->count; i++)
        several = several || (targets->data[i].object == target->object &&
                              place_in_period(o, targets->data[i].offset + moved) != place);
    if (!several)
        return term_true(t->store);
    const struct term *rest =
        term_bv_binary(t->store, TERM_BV_UREM, offset, offset_literal(t, o->period));
    return term_eq(t->store, rest, offset_literal(t, place));
}

static void add_array(struct translator *t, struct places *out, const struct target *target,
                      const struct term *pointer, uint64_t bytes, const struct term *means)
{
    const struct object *o = &t->objects->items[target->object];
    const struct term *offset = lowering_offset_part(t, pointer);
    const struct term *guard = lowering_points_into(t, pointer, target->object);
    const struct variable *size = t->memory[target->object].size;
    const struct term *most = offset_literal(t, o->bytes - bytes);
    if (o->sized && bytes > o->bytes)
        return;
    if (size != NULL) {
        const struct term *n = offset_literal(t, bytes);
        most = term_bv_binary(t->store, TERM_BV_ADD, size->term,
                              term_bv_unary(t->store, TERM_BV_NEG, n));
        guard = term_and2(t->store, guard, term_bv_binary(t->store, TERM_BV_ULE, n, size->term));
    }
    guard = term_and2(t->store, guard, term_bv_binary(t->store, TERM_BV_ULE, offset, most));
    guard = term_and2(t->store, guard, means);
    for (size_t i = 0; i < out->count; i++) {
        if (out->data[i].object == target->object &&
            (o->layout != LAYOUT_FIELDS ||
             place_in_period(o, out->data[i].offset) == place_in_period(o, target->offset)))
            return; // another progression in the same array
    }
    add_place(t, out, (struct place){target->object, guard, target->offset, offset});
}

// Blocks that are not tracked: an access of theirs that is none is seen where the block is.
static void add_summary(struct translator *t, struct places *out, const struct target *target,
                        const struct term *pointer)
{
    const struct term *guard =
        target->stride == 0 && t->objects->items[target->object].summary
            ? term_eq(t->store, pointer, lowering_pointer(t, target->object, target->offset))
            : lowering_points_into(t, pointer, target->object);
    add_place(t, out, (struct place){target->object, guard, target->offset, NULL, *target});
}

// Pointers that main is given are read one by one.
static void add_word(struct translator *t, struct places *out, const struct target *target,
                     const struct operand *address, const struct term *pointer, uint64_t bytes,
                     bool writes)
{
    const struct term *odd;
    const struct term *guard = lowering_means_word(t, target->object, bytes, pointer, &odd);
    for (size_t i = 0; i < out->count; i++) {
        if (out->data[i].object == target->object)
            return; // another progression
    }
    odd = writes ? guard : odd;
    if (t->when != NULL)
        odd = term_and2(t->store, odd, t->when);
    lowering_cut_blamed(t, odd, term_and2(t->store, odd, lowering_blame(t, address, pointer)),
                        writes ? "a store among the pointers that main is given is not followed"
                               : "a part of a pointer that main is given is not followed");
    add_place(t, out, (struct place){target->object, guard, 0, lowering_offset_part(t, pointer)});
}

// String literals, and globals that are const: to write to them has no meaning in C.
static bool is_constant(const struct translator *t, const struct object *o)
{
    return o->kind == OBJECT_GLOBAL && t->flat->program->globals[o->number].constant;
}

static void know_texts(struct translator *t, const struct targets *targets)
{
    uint32_t last = 0;
    for (size_t i = 0; i < targets->count; i++) {
        const uint32_t object = targets->data[i].object;
        if (object != last && t->objects->items[object].given == GIVEN_TEXT)
            lowering_know_text(t, object);
        last = object;
    }
}

static struct places find_places(struct translator *t, const struct operand *address,
                                 int64_t offset, const struct term *pointer, uint64_t bytes,
                                 bool writes)
{
    struct places out = {0};
    struct targets targets = objects_of(t->objects, address);
    know_texts(t, &targets);
    for (size_t i = 0; i < targets.count; i++) {
        struct target target = targets.data[i];
        const struct object *o = &t->objects->items[target.object];
        target.offset += offset;
        if (target.stride > 0) {
            int64_t s = (int64_t)target.stride;
            target.offset = (target.offset % s + s) % s;
        }
        if (o->kind == OBJECT_FUNCTION || o->kind == OBJECT_NONE || (writes && is_constant(t, o)))
            continue;
        if (object_is_many(o))
            add_summary(t, &out, &target, pointer);
        else if (o->given == GIVEN_WORDS)
            add_word(t, &out, &target, address, pointer, bytes, writes);
        else if (o->layout == LAYOUT_MIXED)
            lowering_cut_if(t, term_true(t->store),
                            "pointers and other data in the same bytes are not followed");
        else if (o->layout == LAYOUT_CELLS && o->sized)
            add_cells(t, &out, &target, address, pointer, bytes);
        else if (o->layout == LAYOUT_FIELDS && target.stride % o->period != 0)
            lowering_unsupported(t, "a pointer to no one field of `%s`", o->name);
        else
            add_array(t, &out, &target, pointer, bytes,
                      means_field(t, &targets, &target, offset, lowering_offset_part(t, pointer)));
    }
    memory_free(targets.data);
    return out;
}

// An error that this pointer makes.
static void invalid(struct translator *t, const struct term *condition,
                    const struct operand *address, const struct term *pointer, const char *what)
{
    lowering_error_blamed(
        t, condition, term_and2(t->store, condition, lowering_blame(t, address, pointer)), what);
}

// The pointer means one of the places. A single place needs no guard where that is sure.
static const struct term *check_places(struct translator *t, struct places *p,
                                       const struct operand *address, const struct term *pointer)
{
    const struct term *valid = term_false(t->store);
    for (size_t i = 0; i < p->count; i++)
        if (!p->data[i].covered)
            valid = term_or2(t->store, valid, p->data[i].guard);
    if (p->ranges != NULL)
        valid = term_or2(t->store, valid, p->ranges);
    // The parts of a copy were checked as a whole.
    if (t->question->property == PROPERTY_MEMSAFETY && t->when == NULL) {
        if (t->question->deref)
            invalid(t, term_not(t->store, valid), address, pointer, "valid-deref");
        else
            lowering_assume(t, valid);
        valid = term_true(t->store);
    }
    if (p->count == 1 && term_is_true(valid))
        p->data[0].guard = valid;
    for (size_t i = 0; t->when != NULL && i < p->count; i++)
        p->data[i].guard = term_and2(t->store, p->data[i].guard, t->when);
    return valid;
}

// Cells.

static const struct term *extract(struct translator *t, const struct term *a, uint64_t from,
                                  uint64_t bytes)
{
    return term_bv_extract(t->store, a, (uint32_t)(8 * (from + bytes)) - 1, (uint32_t)(8 * from));
}

static const struct term *pair(struct translator *t, const struct term *low,
                               const struct term *high)
{
    return low == NULL ? high : term_bv_binary(t->store, TERM_BV_CONCAT, high, low);
}

// What a term is. A word is what a mixed cell holds: a pointer, or one into `numbers` that is a number.
enum unit { UNIT_NUMBER, UNIT_POINTER, UNIT_WORD };

static enum unit unit_of(bool pointer)
{
    return pointer ? UNIT_POINTER : UNIT_NUMBER;
}

static uint32_t unit_width(const struct translator *t, enum unit unit, uint64_t bytes)
{
    return unit == UNIT_NUMBER ? (uint32_t)(8 * bytes) : t->pointer_bits;
}

static enum unit cell_unit(const struct cell *c)
{
    return c->mixed ? UNIT_WORD : unit_of(c->pointer);
}

static const struct term *number_word(struct translator *t, const struct term *number)
{
    assert(number->sort->width == t->offset_bits && t->objects->numbers != 0);
    return number->kind == TERM_BV
               ? lowering_number_pointer(t, number)
               : term_bv_binary(t->store, TERM_BV_CONCAT,
                                term_bv(t->store, t->object_bits, t->objects->numbers), number);
}

static const struct term *word_number(struct translator *t, const struct term *word)
{
    const struct term *number = lowering_pointer_number(t, word);
    if (t->objects->unwritten != 0) // zero, too
        number = term_ite(t->store, lowering_points_into(t, word, t->objects->unwritten),
                          lowering_any(t, number->sort, "memory"), number);
    return term_ite(t->store, lowering_points_into(t, word, t->objects->numbers),
                    lowering_offset_part(t, word), number);
}

// A number that is read as a pointer may be any, which what leads where does not know of.
static const struct term *word_pointer(struct translator *t, const struct term *word,
                                       const struct term *guard)
{
    const struct term *number = lowering_offset_part(t, word);
    const struct term *is = lowering_points_into(t, word, t->objects->numbers);
    if (term_is_false(is))
        return word;
    if (lowering_follows_chains(t)) {
        const struct term *odd =
            term_not(t->store, term_eq(t->store, number, offset_literal(t, 0)));
        odd = term_and2(t->store, odd, term_and2(t->store, guard, is));
        lowering_cut_blamed(t, odd, odd, "a number that is read as a pointer");
    }
    return term_ite(t->store, is, lowering_number_pointer(t, number), word);
}

// `guard`: the place is meant.
static const struct term *convert(struct translator *t, const struct term *term, enum unit from,
                                  enum unit to, const struct term *guard)
{
    if (from == to || (from == UNIT_POINTER && to == UNIT_WORD))
        return term;
    if (from == UNIT_NUMBER)
        return to == UNIT_WORD ? number_word(t, term) : lowering_number_pointer(t, term);
    if (from == UNIT_POINTER)
        return lowering_pointer_number(t, term);
    return to == UNIT_NUMBER ? word_number(t, term) : word_pointer(t, term, guard);
}

// The number with other bytes from there on.
static const struct term *with_bytes(struct translator *t, const struct term *number, uint64_t from,
                                     const struct term *bytes)
{
    const uint64_t all = number->sort->width / 8, end = from + bytes->sort->width / 8;
    assert(end <= all);
    const struct term *out = from > 0 ? extract(t, number, 0, from) : NULL;
    out = pair(t, out, bytes);
    return end < all ? pair(t, out, extract(t, number, end, all - end)) : out;
}

// What of a cell is accessed: bytes of the cell, and where they are in the access.
struct part {
    uint64_t in_cell, in_access, bytes;
};

// Cells are cut where accesses begin and end, so none lies across the end of one, but for mixed ones.
static bool inside(struct translator *t, const struct object *o, const struct cell *c,
                   const struct place *place, uint64_t bytes, struct part *out)
{
    uint64_t from = (uint64_t)place->offset, to = from + bytes, end = c->offset + c->bytes;
    if (c->offset >= to || end <= from)
        return false;
    const bool whole = c->offset >= from && end <= to;
    if (!whole && !c->mixed)
        lowering_unsupported(t, "accesses that overlap in `%s`", o->name);
    const uint64_t first = c->offset > from ? c->offset : from;
    *out = (struct part){first - c->offset, first - from, (end < to ? end : to) - first};
    return whole || c->mixed;
}

static const struct term *load_cells(struct translator *t, const struct place *place,
                                     uint64_t bytes, enum unit unit)
{
    const struct object *o = &t->objects->items[place->object];
    const struct object_variables *v = &t->memory[place->object];
    const struct term *out = NULL;
    for (size_t i = 0; i < o->cell_count; i++) {
        const struct cell *c = &o->cells[i];
        struct part part;
        if (!inside(t, o, c, place, bytes, &part))
            continue;
        const struct term *term = v->cells[i]->term;
        if (part.bytes == bytes && c->bytes == bytes)
            term = convert(t, term, cell_unit(c), unit, place->guard);
        else if (c->mixed)
            term = extract(t, word_number(t, term), part.in_cell, part.bytes);
        out = pair(t, out, term);
    }
    const uint32_t width = unit_width(t, unit, bytes);
    if (out != NULL && out->sort->width != width)
        lowering_unsupported(t, "memory of `%s` that is read in parts", o->name);
    // What nothing ever reads or writes otherwise.
    return out != NULL && out->sort->width == width
               ? out
               : lowering_any(t, sort_bv(t->store, width), "memory");
}

static const struct cell *field_of(const struct object *o, const struct place *place,
                                   uint64_t bytes, size_t *index)
{
    assert(o->layout == LAYOUT_FIELDS && o->period > 0);
    uint64_t at = place_in_period(o, place->offset);
    for (size_t i = 0; i < o->cell_count; i++) {
        *index = i;
        if (o->cells[i].offset == at && o->cells[i].bytes == bytes)
            return &o->cells[i];
    }
    return NULL;
}

static const struct term *byte_key(struct translator *t, const struct term *offset, uint64_t i)
{
    return term_bv_binary(t->store, TERM_BV_ADD, offset, offset_literal(t, i));
}

static const struct term *load_array(struct translator *t, const struct place *place,
                                     uint64_t bytes, enum unit unit)
{
    const struct object *o = &t->objects->items[place->object];
    const struct object_variables *v = &t->memory[place->object];
    size_t index;
    const uint32_t width = unit_width(t, unit, bytes);
    if (o->layout == LAYOUT_FIELDS || o->layout == LAYOUT_CELLS) {
        const struct cell *c =
            o->layout == LAYOUT_FIELDS ? field_of(o, place, bytes, &index) : NULL;
        if (c == NULL)
            return lowering_any(t, sort_bv(t->store, width), "memory");
        const struct term *element =
            term_select(t->store, v->cells[index]->term, place->offset_term);
        return convert(t, element, cell_unit(c), unit, place->guard);
    }
    const struct term *out = NULL;
    for (uint64_t i = 0; i < bytes; i++)
        out =
            pair(t, out, term_select(t->store, v->bytes->term, byte_key(t, place->offset_term, i)));
    return convert(t, out, UNIT_NUMBER, unit == UNIT_NUMBER ? unit : UNIT_POINTER, place->guard);
}

static const struct term *load_word(struct translator *t, const struct place *place, uint64_t bytes,
                                    enum unit unit)
{
    if (8 * bytes != t->offset_bits) // which was a bound
        return lowering_any(t, sort_bv(t->store, (uint32_t)(8 * bytes)), "given");
    return convert(t, lowering_load_word(t, place->object, place->offset_term), UNIT_POINTER, unit,
                   place->guard);
}

static const struct term *load_place(struct translator *t, const struct place *place,
                                     uint64_t bytes, enum unit unit)
{
    const uint32_t width = unit_width(t, unit, bytes);
    const bool pointer = unit != UNIT_NUMBER;
    if (t->objects->items[place->object].given == GIVEN_OTHERS)
        return lowering_any(t, sort_bv(t->store, width), "others");
    if (t->objects->items[place->object].given == GIVEN_WORDS)
        return load_word(t, place, bytes, unit);
    if (t->objects->items[place->object].summary)
        return lowering_load_summary(t, place->object, &place->target, place->guard, bytes,
                                     pointer);
    const struct term *out = place->offset_term == NULL ? load_cells(t, place, bytes, unit)
                                                        : load_array(t, place, bytes, unit);
    return pointer && t->objects->items[place->object].tracked != 0 ? lowering_settled(t, out)
                                                                    : out;
}

static bool is_cut_at(const struct object *o, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < o->cell_count; i++) {
        const struct cell *c = &o->cells[i];
        if (c->offset < to && c->offset + c->bytes > from &&
            (c->offset < from || c->offset + c->bytes > to || c->pointer))
            return false;
    }
    return true;
}

// What a load gives that is in no object as a whole: the bytes of one that it begins in, then anything.
static const struct term *load_outside(struct translator *t, const struct operand *address,
                                       int64_t offset, const struct term *pointer, uint64_t bytes,
                                       const struct term *any)
{
    struct targets targets = objects_of(t->objects, address);
    const struct term *out = any;
    assert(any->sort->width == 8 * bytes);
    for (size_t i = 0; i < targets.count; i++) {
        const struct target *target = &targets.data[i];
        const struct object *o = &t->objects->items[target->object];
        int64_t at = target->offset + offset;
        if (o->kind == OBJECT_FUNCTION || o->kind == OBJECT_NONE || o->layout != LAYOUT_CELLS ||
            !o->sized || o->summary || target->stride != 0 || at < 0 || (uint64_t)at >= o->bytes ||
            (uint64_t)at + bytes <= o->bytes || !is_cut_at(o, (uint64_t)at, o->bytes))
            continue;
        uint64_t there = o->bytes - (uint64_t)at;
        const struct place place = {target->object, NULL, at, NULL};
        const struct term *whole = pair(t, load_cells(t, &place, there, UNIT_NUMBER),
                                        extract(t, any, there, bytes - there));
        const struct term *means =
            term_eq(t->store, pointer, lowering_pointer(t, target->object, at));
        out = term_ite(t->store, means, whole, out);
    }
    memory_free(targets.data);
    return out;
}

static struct lead_places leads_of(const struct places *places)
{
    struct lead_places out = {0};
    for (size_t i = 0; i < places->count; i++) {
        const struct place *p = &places->data[i];
        const bool one = p->offset_term == NULL && p->target.stride == 0;
        const struct lead_place lead = {p->object, p->guard, one ? p->offset : -1};
        VECTOR_PUSH(&out, lead);
    }
    return out;
}

// An access through a pointer that points to nothing is a bound where a summary could be meant: null of another block would do for
// any. True, then.
static const struct term *require(struct translator *t, const struct term *valid,
                                  const struct operand *address, const struct term *p, bool always)
{
    if (t->summaries == NULL || t->when != NULL ||
        (!always && !lowering_may_be_summary(t, address)))
        return valid;
    const struct term *none = term_not(t->store, valid);
    lowering_cut_blamed(t, none, term_and2(t->store, none, lowering_blame(t, address, p)),
                        "an access where no block is");
    return term_true(t->store);
}

static const struct term *load_raw(struct translator *t, const struct operand *address,
                                   int64_t offset, uint64_t bytes, enum unit unit)
{
    const bool pointer = unit != UNIT_NUMBER;
    const struct term *p = pointer_of(t, address, offset);
    struct places places = find_places(t, address, offset, p, bytes, false);
    const struct term *valid = check_places(t, &places, address, p);
    const struct term *unwritten = term_false(t->store), *hit = unwritten, *some;
    valid = require(t, valid, address, p, pointer);
    const uint32_t width = unit_width(t, unit, bytes);
    const struct term *out = NULL;
    if (!term_is_true(valid)) {
        out = lowering_any(t, sort_bv(t->store, width), "invalid");
        out = pointer ? out : load_outside(t, address, offset, p, bytes, out);
    }
    for (size_t i = places.count; i-- > 0;) {
        const struct term *one = load_place(t, &places.data[i], bytes, unit);
        assert(out == NULL || out->sort == one->sort);
        out = out == NULL ? one : term_ite(t->store, places.data[i].guard, one, out);
        if (pointer && t->summaries != NULL) {
            unwritten = term_or2(
                t->store, unwritten,
                lowering_unwritten(t, places.data[i].object, places.data[i].guard, one, &some));
            hit = term_or2(t->store, hit, some);
        }
    }
    lowering_cut_blamed(t, unwritten, hit, "a pointer in a block is read that nobody has written");
    out = out != NULL ? out : term_default(t->store, sort_bv(t->store, width));
    if (pointer)
        lowering_loaded(t, address, p, out);
    lowering_accessed(t, address, p);
    if (pointer && t->when == NULL) {
        struct lead_places leads = leads_of(&places);
        lowering_reach_load(t, &leads, address, p, out);
        VECTOR_FINISH(&leads);
    }
    VECTOR_FINISH(&places);
    return out;
}

const struct term *lowering_load(struct translator *t, const struct operand *address,
                                 int64_t offset, uint64_t bytes, struct program_type type)
{
    const struct term *raw =
        load_raw(t, address, offset, bytes, unit_of(type.kind == PROGRAM_POINTER));
    const struct sort *sort = lowering_sort(t, type);
    if (type.kind == PROGRAM_POINTER)
        return raw;
    if (sort->kind == SORT_BOOL)
        return term_eq(t->store, term_bv_extract(t->store, raw, 0, 0), term_bv(t->store, 1, 1));
    return raw->sort->width == sort->width ? raw
                                           : term_bv_extract(t->store, raw, sort->width - 1, 0);
}

static const struct term *choose(struct translator *t, const struct term *guard,
                                 const struct term *a, const struct variable *otherwise)
{
    return term_ite(t->store, guard, a, otherwise->term);
}

void lowering_change(struct translator *t, struct changes *list, const struct variable *v,
                     const struct term *guard, const struct term *term)
{
    struct change *same = NULL;
    for (size_t k = 0; k < list->count; k++)
        same = list->data[k].variable == v ? &list->data[k] : same;
    if (same != NULL)
        same->term = term_ite(t->store, guard, term, same->term);
    else
        VECTOR_PUSH(list, ((struct change){v, choose(t, guard, term, v)}));
}

void lowering_make_changes(struct translator *t, struct changes *list)
{
    for (size_t i = list->count; i-- > 1;)
        lowering_hold(t, &list->data[i].term);
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0)
            lowering_release(t);
        lowering_assign(t, list->data[i].variable, list->data[i].term);
    }
    VECTOR_FINISH(list);
}

// What a cell holds when a part of it is stored, or the whole of it with other bytes.
static const struct term *stored_part(struct translator *t, const struct cell *c,
                                      const struct term *old, const struct part *part,
                                      const struct term *value)
{
    assert(part->bytes > 0 && part->in_cell + part->bytes <= c->bytes);
    const struct term *bytes = extract(t, value, part->in_access, part->bytes);
    if (!c->mixed)
        return bytes;
    return number_word(t, part->bytes == c->bytes
                              ? bytes
                              : with_bytes(t, word_number(t, old), part->in_cell, bytes));
}

static void store_cells(struct translator *t, const struct place *place, uint64_t bytes,
                        enum unit unit, const struct term *value, struct changes *out)
{
    const struct object *o = &t->objects->items[place->object];
    const struct object_variables *v = &t->memory[place->object];
    for (size_t i = 0; i < o->cell_count; i++) {
        const struct cell *c = &o->cells[i];
        struct part part;
        if (!inside(t, o, c, place, bytes, &part))
            continue;
        const bool same = part.bytes == bytes && c->bytes == bytes;
        const struct term *term =
            same ? convert(t, value, unit, cell_unit(c), place->guard)
                 : stored_part(t, c, v->cells[i]->term, &part,
                               convert(t, value, unit, UNIT_NUMBER, place->guard));
        lowering_change(t, out, v->cells[i], place->guard, term); // several places may be one cell
    }
}

static void store_array(struct translator *t, const struct place *place, uint64_t bytes,
                        enum unit unit, const struct term *value, struct changes *out)
{
    const struct object *o = &t->objects->items[place->object];
    const struct object_variables *v = &t->memory[place->object];
    size_t index;
    if (o->layout == LAYOUT_FIELDS) {
        const struct cell *c = field_of(o, place, bytes, &index);
        if (c == NULL)
            return;
        const struct term *element = convert(t, value, unit, cell_unit(c), place->guard);
        const struct term *all =
            term_store_at(t->store, v->cells[index]->term, place->offset_term, element);
        VECTOR_PUSH(
            out, ((struct change){v->cells[index], choose(t, place->guard, all, v->cells[index])}));
        lowering_kept_stored(t, place->object, index, place->guard, place->offset_term, element,
                             out);
    } else if (v->bytes != NULL) {
        const struct term *all = v->bytes->term;
        value = convert(t, value, unit, UNIT_NUMBER, place->guard);
        for (uint64_t i = 0; i < bytes; i++)
            all = term_store_at(t->store, all, byte_key(t, place->offset_term, i),
                                extract(t, value, i, 1));
        VECTOR_PUSH(out, ((struct change){v->bytes, choose(t, place->guard, all, v->bytes)}));
    }
}

static void keep_texts(struct translator *t, const struct places *places, const struct term *value)
{
    for (size_t i = 0; i < places->count; i++) {
        const struct place *p = &places->data[i];
        if (t->objects->items[p->object].given == GIVEN_TEXT)
            lowering_keep_text(t, p->object, p->guard, p->offset_term, value);
    }
}

static void store_raw(struct translator *t, const struct operand *address, int64_t offset,
                      uint64_t bytes, enum unit unit, const struct term *value,
                      const struct operand *source)
{
    const bool pointer = unit != UNIT_NUMBER;
    if (value->sort->kind == SORT_BOOL)
        value = term_ite(t->store, value, term_bv(t->store, 8, 1), term_bv(t->store, 8, 0));
    if (!pointer && value->sort->width < 8 * bytes)
        value = term_bv_extend(t->store, TERM_BV_ZEXT, value, (uint32_t)(8 * bytes));
    const struct term *p = pointer_of(t, address, offset);
    struct places places = find_places(t, address, offset, p, bytes, true);
    struct changes changes = {0};
    require(t, check_places(t, &places, address, p), address, p, false);
    lowering_accessed(t, address, p);
    keep_texts(t, &places, value);
    for (size_t i = 0; i < places.count; i++) {
        const struct object *o = &t->objects->items[places.data[i].object];
        if (o->given == GIVEN_OTHERS || o->given == GIVEN_WORDS)
            continue; // nothing is known there; that was a bound
        if (o->summary) {
            if (pointer)
                lowering_store_summary(t, places.data[i].object, &places.data[i].target,
                                       places.data[i].guard, bytes,
                                       convert(t, value, unit, UNIT_POINTER, places.data[i].guard));
        } else if (places.data[i].offset_term == NULL)
            store_cells(t, &places.data[i], bytes, unit, value, &changes);
        else
            store_array(t, &places.data[i], bytes, unit, value, &changes);
    }
    struct lead_places leads = leads_of(&places);
    lowering_reach_store(t, &leads, address, p, bytes, source, value, &changes);
    VECTOR_FINISH(&leads);
    lowering_make_changes(t, &changes);
    VECTOR_FINISH(&places);
}

void lowering_store(struct translator *t, const struct operand *address, int64_t offset,
                    uint64_t bytes, bool pointer, const struct term *value,
                    const struct operand *source)
{
    store_raw(t, address, offset, bytes, unit_of(pointer), value, source);
}

// Lifetimes.

static void forget_contents(struct translator *t, uint32_t object)
{
    const struct object *o = &t->objects->items[object];
    for (size_t i = 0; i < o->cell_count; i++)
        lowering_havoc(t, t->memory[object].cells[i]);
    if (t->memory[object].bytes != NULL)
        lowering_havoc(t, t->memory[object].bytes);
    if (lowering_follows_chains(t))
        lowering_nothing_written(t, object);
    lowering_reach_forget(t, object);
}

static void set_alive(struct translator *t, uint32_t object, bool alive)
{
    const struct variable *v = t->memory[object].alive;
    if (v != NULL)
        lowering_assign(t, v, term_bool(t->store, alive));
}

// A pointer to this object points to a life that is over.
static const struct term *outdated(struct translator *t, const struct term *pointer,
                                   uint32_t object)
{
    const struct term *is = lowering_points_into(t, pointer, object);
    const struct term *stale = term_bv(t->store, t->object_bits, t->objects->stale);
    return term_ite(
        t->store, is,
        term_bv_binary(t->store, TERM_BV_CONCAT, stale, lowering_offset_part(t, pointer)), pointer);
}

// Cells that may hold a pointer that was stored there. False: there are some that cannot be named one by one.
static bool outdate_cells(struct translator *t, const struct keeper *keeper)
{
    const struct object *o = &t->objects->items[keeper->place.object];
    const struct object_variables *v = &t->memory[keeper->place.object];
    if (o->layout != LAYOUT_CELLS || !o->sized || object_is_many(o))
        return o->access_count == 0; // nobody looks at it
    uint64_t word = t->offset_bits / 8;
    for (size_t i = 0; i < o->cell_count; i++) {
        const struct cell *c = &o->cells[i];
        int64_t from = keeper->place.offset, to = from + (int64_t)word;
        bool touched = keeper->place.stride > 0 ||
                       ((int64_t)c->offset < to && (int64_t)(c->offset + c->bytes) > from);
        if (touched && c->pointer)
            lowering_assign(t, v->cells[i], outdated(t, v->cells[i]->term, keeper->to));
    }
    return true;
}

static bool may_mean(const struct translator *t, uint32_t value, uint32_t object)
{
    const struct targets *targets = &t->objects->targets[value];
    for (size_t i = 0; i < targets->count; i++) {
        if (targets->data[i].object == object)
            return true;
    }
    return false;
}

static void find_outliving(struct translator *t)
{
    t->outlive_found = true;
    for (uint32_t n = 0; n < t->flat->value_count; n++) {
        const struct targets *targets = &t->objects->targets[n];
        bool some = false;
        for (size_t i = 0; i < targets->count; i++)
            some = some || t->objects->items[targets->data[i].object].lives_again;
        if (some)
            VECTOR_PUSH(&t->may_outlive, n);
    }
}

static void outdate_values(struct translator *t, uint32_t object)
{
    if (!t->outlive_found)
        find_outliving(t);
    for (size_t i = 0; i < t->may_outlive.count; i++) {
        uint32_t n = t->may_outlive.data[i];
        const struct variable *v = t->variable_of[n];
        if (v != NULL && v->sort->kind == SORT_BV && v->sort->width == t->pointer_bits &&
            may_mean(t, n, object))
            lowering_assign(t, v, outdated(t, v->term, object));
    }
    for (size_t i = 0; i < t->pending.count; i++) {
        uint32_t n = t->pending.data[i];
        const struct term *value = t->value[n];
        if (t->uses_left[n] > 0 && t->variable_of[n] == NULL && value != NULL &&
            value->sort->kind == SORT_BV && value->sort->width == t->pointer_bits &&
            may_mean(t, n, object))
            t->value[n] = outdated(t, value, object);
    }
}

// A variable begins to live: pointers to a life of it before are none to this one.
static void live_again(struct translator *t, uint32_t object)
{
    const struct object *o = &t->objects->items[object];
    if (t->question->property != PROPERTY_MEMSAFETY || !o->lives_again || t->objects->stale == 0)
        return;
    bool good = true;
    outdate_values(t, object);
    for (size_t i = 0; i < t->objects->keeper_count; i++) {
        if (t->objects->keepers[i].to == object)
            good = outdate_cells(t, &t->objects->keepers[i]) && good;
    }
    if (!good)
        lowering_cut_if(t, term_true(t->store),
                        "a variable lives again while pointers to it may be left");
}

void lowering_leave(struct translator *t, uint32_t frame)
{
    for (uint32_t o = 1; o < t->objects->count; o++) {
        const struct object *object = &t->objects->items[o];
        if (object->kind == OBJECT_LOCAL && object->frame == frame && !object->stays)
            set_alive(t, o, false);
    }
}

// Of all objects that an alloca makes in a scope at most one is alive at its end.
static bool end_site(struct translator *t, const struct operand *address)
{
    int32_t number = address->kind == OPERAND_VALUE ? t->objects->site_of[address->number] : -1;
    const struct site *site = number < 0 ? NULL : &t->objects->sites[number];
    if (site == NULL || site->count < 2)
        return false;
    for (uint32_t i = 0; i < site->count; i++)
        set_alive(t, site->first + i, false);
    return true;
}

void lowering_lifetime(struct translator *t, const struct operand *address, bool alive)
{
    if (!alive && end_site(t, address))
        return;
    struct targets targets = objects_of(t->objects, address);
    if (targets.count == 1 && t->objects->items[targets.data[0].object].kind == OBJECT_LOCAL) {
        if (alive)
            live_again(t, targets.data[0].object);
        set_alive(t, targets.data[0].object, alive);
        if (alive)
            forget_contents(t, targets.data[0].object);
    }
    memory_free(targets.data);
}

void lowering_may_live_again(struct translator *t, const struct operand *address)
{
    bool kept = false;
    struct targets targets = objects_of(t->objects, address);
    for (size_t i = 0; i < targets.count; i++) {
        for (size_t k = 0; k < t->objects->keeper_count; k++)
            kept = kept || t->objects->keepers[k].to == targets.data[i].object;
    }
    memory_free(targets.data);
    if (t->question->property == PROPERTY_MEMSAFETY && kept)
        lowering_cut_if(t, term_true(t->store),
                        "a variable may live again while pointers to it may be left");
}

// The heap.

static void zero_contents(struct translator *t, uint32_t object, const struct term *guard)
{
    const struct object *o = &t->objects->items[object];
    const struct object_variables *v = &t->memory[object];
    for (size_t i = 0; i < o->cell_count; i++)
        lowering_assign(t, v->cells[i],
                        choose(t, guard, term_default(t->store, v->cells[i]->sort), v->cells[i]));
    if (v->bytes != NULL)
        lowering_assign(t, v->bytes,
                        choose(t, guard, term_default(t->store, v->bytes->sort), v->bytes));
}

static const struct term *as_offset(struct translator *t, const struct term *n)
{
    uint32_t w = t->offset_bits;
    return n->sort->width < w   ? term_bv_extend(t->store, TERM_BV_ZEXT, n, w)
           : n->sort->width > w ? term_bv_extract(t->store, n, w - 1, 0)
                                : n;
}

static const struct term *asked_size(struct translator *t, const struct instruction *i,
                                     const char *name)
{
    const struct term *size = as_offset(t, lowering_operand(t, &i->operands[1]));
    if (strcmp(name, "calloc") == 0)
        size = term_bv_binary(t->store, TERM_BV_MUL, size,
                              as_offset(t, lowering_operand(t, &i->operands[2])));
    return size;
}

// calloc gives null where no size is as large as the product.
static const struct term *asked_too_much(struct translator *t, const struct instruction *i,
                                         const char *name)
{
    uint32_t w = t->offset_bits;
    if (strcmp(name, "calloc") != 0)
        return term_false(t->store);
    const struct term *factors[] = {as_offset(t, lowering_operand(t, &i->operands[1])),
                                    as_offset(t, lowering_operand(t, &i->operands[2]))};
    for (int k = 1; k >= 0; k--) {
        uint64_t known = (uint64_t)program_low_bits(i->operands[1 + k].bits, w);
        if (i->operands[1 + k].kind == OPERAND_CONSTANT)
            return known == 0 ? term_false(t->store)
                              : lowering_product_overflow(t, factors[1 - k], known, false);
    }
    for (int k = 0; k < 2; k++)
        factors[k] = term_bv_extend(t->store, TERM_BV_ZEXT, factors[k], 2 * w);
    const struct term *high = term_bv_extract(
        t->store, term_bv_binary(t->store, TERM_BV_MUL, factors[0], factors[1]), 2 * w - 1, w);
    return term_not(t->store, term_eq(t->store, high, term_default(t->store, high->sort)));
}

// A block of its own for each time, in order; no block is ever used again. With `none` it is null.
static void take_block(struct translator *t, const struct instruction *i, const struct term *size,
                       const struct term *none)
{
    int32_t number = t->objects->site_of[i->result];
    assert(number >= 0);
    const struct site *site = &t->objects->sites[number];
    const struct variable *counter = t->counters[number];
    assert(site->count > 0 && site->count < 256); // a counter has 8 bits
    assert(site->tracked == 0 || counter == NULL);
    const struct term *tracked[2];
    lowering_hold(t, &size);
    lowering_hold(t, &none);
    if (counter != NULL)
        lowering_cut_if(t, term_eq(t->store, counter->term, term_bv(t->store, 8, site->count)),
                        "this allocation happens more often than it is followed");
    const struct term *result = site->tracked > 0
                                    ? lowering_take_tracked(t, (uint32_t)number, tracked)
                                    : lowering_pointer(t, site->first, 0);
    for (uint32_t c = 0; c < (site->tracked > 0 ? site->tracked : site->count); c++) {
        uint32_t object = site->first + c;
        const struct object_variables *v = &t->memory[object];
        const struct term *guard = site->tracked > 0 ? tracked[c]
                                   : counter == NULL
                                       ? term_true(t->store)
                                       : term_eq(t->store, counter->term, term_bv(t->store, 8, c));
        if (c > 0 && site->tracked == 0)
            result = term_ite(t->store, guard, lowering_pointer(t, object, 0), result);
        if (v->alive != NULL)
            lowering_assign(t, v->alive,
                            choose(t, guard,
                                   term_or2(t->store, term_not(t->store, none), v->alive->term),
                                   v->alive));
        if (v->size != NULL)
            lowering_assign(t, v->size, choose(t, guard, size, v->size));
        if (t->objects->items[object].zeroed)
            zero_contents(t, object, guard);
    }
    result = term_ite(t->store, none, lowering_pointer(t, 0, 0), result);
    lowering_hold(t, &result);
    if (counter != NULL)
        lowering_assign(
            t, counter,
            term_bv_binary(t->store, TERM_BV_ADD, counter->term, term_bv(t->store, 8, 1)));
    lowering_release(t);
    lowering_release(t);
    lowering_release(t);
    lowering_reach_fresh(t, result, t->objects->items[site->first].zeroed);
    lowering_define(t, i, result);
}

void lowering_allocate(struct translator *t, const struct instruction *i, const char *name)
{
    if (t->objects->site_of[i->result] < 0)
        lowering_unsupported(t, "the function `%s`", name);
    else
        take_block(t, i, asked_size(t, i, name), asked_too_much(t, i, name));
}

// An array that no memory has room for is none that a run has.
static const struct term *slot_size(struct translator *t, const struct instruction *i)
{
    const struct term *count = as_offset(t, lowering_operand(t, &i->operands[0]));
    const uint64_t all = t->offset_bits >= 64 ? UINT64_MAX : ((uint64_t)1 << t->offset_bits) - 1;
    if (i->extra > 1)
        lowering_assume(
            t, term_bv_binary(t->store, TERM_BV_ULE, count, offset_literal(t, all / i->extra)));
    return term_bv_binary(t->store, TERM_BV_MUL, as_offset(t, lowering_operand(t, &i->operands[0])),
                          offset_literal(t, i->extra));
}

void lowering_alloca(struct translator *t, const struct instruction *i)
{
    assert(t->objects->site_of[i->result] >= 0);
    const struct site *site = &t->objects->sites[t->objects->site_of[i->result]];
    const struct object *o = &t->objects->items[site->first];
    const struct term *pointer = lowering_pointer(t, site->first, 0);
    if (site->count > 1) {
        take_block(t, i, slot_size(t, i), term_false(t->store));
        return;
    }
    if (!o->begins)
        live_again(t, site->first);
    forget_contents(t, site->first);
    if (!o->sized)
        lowering_assign(t, t->memory[site->first].size, slot_size(t, i));
    set_alive(t, site->first, true);
    lowering_define(t, i, pointer);
}

static void end_blocks(struct translator *t, const struct targets *targets, const struct term *p)
{
    lowering_hold(t, &p);
    for (size_t i = 0; i < targets->count; i++) {
        uint32_t o = targets->data[i].object;
        const struct variable *alive = t->memory[o].alive;
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen = seen || targets->data[k].object == o;
        if (t->objects->items[o].kind != OBJECT_HEAP || seen || alive == NULL)
            continue;
        const struct term *hit = term_eq(t->store, p, lowering_pointer(t, o, 0));
        lowering_assign(t, alive, term_and2(t->store, alive->term, term_not(t->store, hit)));
    }
    lowering_release(t);
}

// To free what is no block has a meaning only where that is asked for.
static void free_validly(struct translator *t, const struct operand *address,
                         const struct targets *targets, const struct term *p)
{
    const struct term *good = term_eq(t->store, p, lowering_pointer(t, 0, 0));
    for (size_t i = 0; i < targets->count; i++) {
        uint32_t o = targets->data[i].object;
        const struct term *hit = term_eq(t->store, p, lowering_pointer(t, o, 0));
        if (t->objects->items[o].kind == OBJECT_HEAP && !t->objects->items[o].summary)
            hit = term_and2(t->store, t->memory[o].alive->term, hit);
        if (t->objects->items[o].kind == OBJECT_HEAP)
            good = term_or2(t->store, good, hit);
    }
    if (t->question->property == PROPERTY_MEMSAFETY && t->question->free)
        invalid(t, term_not(t->store, good), address, p, "valid-free");
    else
        lowering_assume(t, good);
}

void lowering_free(struct translator *t, const struct operand *address)
{
    const struct term *p = lowering_settled(t, lowering_operand(t, address));
    struct targets targets = objects_of(t->objects, address);
    lowering_hold(t, &p);
    if (lowering_tracks(t))
        free_validly(t, address, &targets, p);
    end_blocks(t, &targets, p);
    lowering_freed(t, address, p);
    if (lowering_tracks(t))
        lowering_reach_free(t, address, p);
    lowering_release(t);
    memory_free(targets.data);
}

// Loss. A block is tracked when a pointer into it is in a global, in a slot of a function that has not returned, or
// in a block that is tracked.

bool lowering_is_inside(const struct translator *t, uint32_t frame, uint32_t outer)
{
    for (uint32_t f = frame;; f = t->flat->frames[f].parent) {
        if (f == outer)
            return true;
        if (f == 0)
            return false;
    }
}

bool lowering_frame_is_active(const struct translator *t, uint32_t frame)
{
    return lowering_is_inside(t, t->frame, frame);
}

static bool is_root(const struct translator *t, const struct object *o)
{
    return o->kind == OBJECT_GLOBAL ||
           (o->kind == OBJECT_LOCAL && lowering_frame_is_active(t, o->frame));
}

// Some cell of `from` points into `to`.
static const struct term *refers(struct translator *t, uint32_t from, uint32_t to)
{
    const struct object *o = &t->objects->items[from];
    const struct term *out =
        term_or2(t->store, lowering_leads(t, from, to), lowering_keeps(t, from, to));
    for (size_t i = 0; i < o->cell_count && o->layout == LAYOUT_CELLS; i++) {
        if (!o->cells[i].pointer)
            continue;
        const struct term *part = lowering_object_part(t, t->memory[from].cells[i]->term);
        out =
            term_or2(t->store, out, term_eq(t->store, part, term_bv(t->store, t->object_bits, to)));
    }
    return out;
}

static bool pointers_in_arrays(const struct translator *t)
{
    for (uint32_t o = 1; o < t->objects->count; o++) {
        const struct object *object = &t->objects->items[o];
        for (size_t i = 0; i < object->cell_count; i++) {
            if (object->layout != LAYOUT_CELLS && object->cells[i].pointer &&
                !lowering_knows_kept(t, o, i))
                return true;
        }
    }
    return false;
}

static const struct term *some_lost(struct translator *t, const uint32_t *heap, size_t count,
                                    bool after_main)
{
    const struct term *tracked[MOST_TRACKED], *link[MOST_TRACKED][MOST_TRACKED];
    for (size_t i = 0; i < count; i++) {
        tracked[i] = term_false(t->store);
        for (uint32_t o = 1; o < t->objects->count; o++) {
            const struct object *root = &t->objects->items[o];
            if (is_root(t, root) && !(after_main && root->kind == OBJECT_LOCAL))
                tracked[i] = term_or2(t->store, tracked[i], refers(t, o, heap[i]));
        }
        for (size_t k = 0; k < count; k++)
            link[k][i] =
                term_and2(t->store, t->memory[heap[k]].alive->term, refers(t, heap[k], heap[i]));
    }
    // Warshall's order: after round m, everything that is reached through the first m blocks.
    for (size_t m = 0; m < count; m++) {
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0; k < count; k++)
                link[i][k] =
                    term_or2(t->store, link[i][k], term_and2(t->store, link[i][m], link[m][k]));
        }
    }
    const struct term *lost = term_false(t->store);
    for (size_t i = 0; i < count; i++) {
        const struct term *reached = tracked[i];
        for (size_t k = 0; k < count; k++)
            reached = term_or2(t->store, reached, term_and2(t->store, tracked[k], link[k][i]));
        const struct term *alive = t->memory[heap[i]].alive->term;
        lost = term_or2(t->store, lost, term_and2(t->store, alive, term_not(t->store, reached)));
    }
    return lost;
}

// Nothing may be lost here. When main has returned, its variables track nothing any more.
static void check_lost(struct translator *t, bool after_main)
{
    uint32_t heap[MOST_TRACKED];
    if (t->question->property != PROPERTY_MEMSAFETY || !t->question->track)
        return;
    size_t count = lowering_heap_blocks(t, heap);
    if (count == 0)
        return;
    const struct term *always = term_true(t->store);
    if (count > MOST_TRACKED || pointers_in_arrays(t)) {
        lowering_cut_blamed(t, always, always, "whether memory is lost is not followed here");
        return;
    }
    const struct term *lost = some_lost(t, heap, count, after_main);
    lowering_error_blamed(t, lost, lost, "valid-memtrack");
}

void lowering_lost_memory(struct translator *t)
{
    check_lost(t, false);
}

static const struct term *some_left(struct translator *t)
{
    const struct term *left = term_false(t->store);
    for (uint32_t o = 1; o < t->objects->count; o++) {
        const struct object *object = &t->objects->items[o];
        // What holds of the first tracked block holds of all of its site.
        if (object->kind == OBJECT_HEAP && object->tracked <= 1 && !object->summary)
            left = term_or2(t->store, left, t->memory[o].alive->term);
    }
    return left;
}

void lowering_end_of_memory(struct translator *t, bool after_main)
{
    check_lost(t, after_main);
    if (t->question->property != PROPERTY_MEMCLEANUP)
        return;
    const struct term *left = some_left(t);
    lowering_error_blamed(t, left, left, "valid-memcleanup");
}

void lowering_sudden_end_of_memory(struct translator *t)
{
    lowering_lost_memory(t);
    if (t->question->property != PROPERTY_MEMCLEANUP)
        return;
    const struct term *left = some_left(t);
    lowering_cut_blamed(t, left, lowering_left_counts(t, left),
                        "memory that is left when the program is aborted");
}

// Copies.

// How many bytes a copy moves: a term, and a constant when it is known.
struct extent {
    const struct term *count;
    uint64_t most; // pieces up to here
    bool known;
};

static bool find_extent(struct translator *t, const struct operand *bytes,
                        const struct operand *const *addresses, size_t address_count,
                        struct extent *out)
{
    out->count = as_offset(t, lowering_operand(t, bytes));
    out->known = out->count->kind == TERM_BV;
    out->most = out->known ? term_bv_number(out->count) : 0;
    if (out->known)
        return true;
    for (size_t k = 0; k < address_count; k++) {
        struct targets targets = objects_of(t->objects, addresses[k]);
        uint64_t most = 0;
        for (size_t i = 0; i < targets.count; i++) {
            const struct object *o = &t->objects->items[targets.data[i].object];
            most = !o->sized && o->kind != OBJECT_FUNCTION && o->kind != OBJECT_NONE ? UINT64_MAX
                   : o->bytes > most                                                 ? o->bytes
                                                                                     : most;
        }
        memory_free(targets.data);
        out->most = k == 0 || most < out->most ? most : out->most;
    }
    return out->most <= MOST_PIECES * 8;
}

// All of the bytes from the pointer on are in one object that is alive, and may be written where they are.
static void check_range(struct translator *t, const struct operand *address,
                        const struct term *count, bool writes)
{
    if (t->question->property != PROPERTY_MEMSAFETY)
        return;
    const struct term *p = lowering_operand(t, address);
    const struct term *offset = lowering_offset_part(t, p), *object = lowering_object_part(t, p);
    const struct term *good = term_eq(t->store, count, offset_literal(t, 0));
    struct targets targets = objects_of(t->objects, address);
    for (size_t i = 0; i < targets.count; i++) {
        uint32_t number = targets.data[i].object;
        const struct object *o = &t->objects->items[number];
        bool seen =
            o->kind == OBJECT_FUNCTION || o->kind == OBJECT_NONE || (writes && is_constant(t, o));
        for (size_t k = 0; k < i; k++)
            seen = seen || targets.data[k].object == number;
        if (seen)
            continue;
        const struct variable *size = t->memory[number].size, *alive = t->memory[number].alive;
        const struct term *bytes = size != NULL ? size->term : offset_literal(t, o->bytes);
        const struct term *rest = term_bv_binary(t->store, TERM_BV_ADD, bytes,
                                                 term_bv_unary(t->store, TERM_BV_NEG, count));
        const struct term *inside =
            term_eq(t->store, object, term_bv(t->store, t->object_bits, number));
        if (object_is_many(o)) {
            good = term_or2(t->store, good, inside);
            continue;
        }
        inside = term_and2(t->store, inside, term_bv_binary(t->store, TERM_BV_ULE, count, bytes));
        inside = term_and2(t->store, inside, term_bv_binary(t->store, TERM_BV_ULE, offset, rest));
        if (alive != NULL)
            inside = term_and2(t->store, inside, alive->term);
        good = term_or2(t->store, good, inside);
    }
    memory_free(targets.data);
    if (t->question->deref)
        invalid(t, term_not(t->store, good), address, p, "valid-deref");
    else
        lowering_assume(t, good);
}

static bool add_piece(struct object *out, struct cell cell)
{
    for (size_t k = 0; k < out->cell_count; k++) {
        struct cell *c = &out->cells[k];
        if (c->offset == cell.offset) {
            c->mixed = c->mixed && cell.mixed;
            return c->bytes == cell.bytes;
        }
        if (c->offset < cell.offset + cell.bytes && cell.offset < c->offset + c->bytes)
            return false;
    }
    VECTOR(struct cell) list = {out->cells, out->cell_count, out->cell_capacity};
    VECTOR_PUSH(&list, cell);
    out->cells = list.data;
    out->cell_count = list.count;
    out->cell_capacity = list.capacity;
    return list.count <= MOST_PIECES;
}

// The cells of one target in the next bytes, relative to the pointer. False when some lie across the end.
static bool pieces_of_cells(const struct object *o, const struct target *target,
                            const struct extent *extent, struct object *out)
{
    uint64_t period = o->layout == LAYOUT_FIELDS ? o->period : o->bytes;
    if (o->layout == LAYOUT_FIELDS && extent->most / period > MOST_PIECES)
        return false;
    // A pointer into cells may be at each of its places.
    uint64_t last = target->stride != 0 && o->layout == LAYOUT_CELLS ? o->bytes : 1;
    for (uint64_t move = 0; move < last; move += target->stride == 0 ? last : target->stride) {
        int64_t start = target->offset + (int64_t)move;
        if (o->layout == LAYOUT_FIELDS)
            start %= (int64_t)period;
        for (uint64_t base = 0; base < extent->most + period && period > 0; base += period) {
            for (size_t c = 0; c < o->cell_count; c++) {
                struct cell cell = o->cells[c];
                int64_t at = (int64_t)(cell.offset + base) - start;
                int64_t end = at + (int64_t)cell.bytes;
                cell.offset = (uint64_t)at;
                if (end <= 0 || at >= (int64_t)extent->most)
                    continue;
                if (at < 0 || (extent->known && end > (int64_t)extent->most) ||
                    !add_piece(out, cell))
                    return false;
            }
            if (o->layout == LAYOUT_CELLS)
                break;
        }
    }
    return true;
}

static bool find_pieces(struct translator *t, const struct operand *address,
                        const struct extent *extent, struct object *out, bool *bytes)
{
    struct targets targets = objects_of(t->objects, address);
    bool good = true;
    for (size_t i = 0; i < targets.count && good; i++) {
        const struct object *o = &t->objects->items[targets.data[i].object];
        const bool memory = o->kind != OBJECT_FUNCTION && o->kind != OBJECT_NONE;
        if (!memory || (o->access_count == 0 && o->given != GIVEN_WORDS))
            continue;
        if (o->layout == LAYOUT_MIXED)
            good = false;
        else if (o->layout == LAYOUT_BYTES)
            *bytes = true;
        else
            good = pieces_of_cells(o, &targets.data[i], extent, out);
    }
    memory_free(targets.data);
    return good;
}

// Arrays of bytes on all sides are moved byte by byte; beside cells they can be read and written as those are.
static bool byte_pieces(const struct extent *extent, struct object *out)
{
    if (extent->most > MOST_PIECES * 8)
        return false;
    bool *covered = memory_zalloc(extent->most + 1), good = true;
    for (size_t i = 0; i < out->cell_count; i++) {
        for (uint64_t k = 0; k < out->cells[i].bytes; k++) {
            if (out->cells[i].offset + k < extent->most)
                covered[out->cells[i].offset + k] = true;
        }
    }
    for (uint64_t at = 0; at < extent->most && good; at++)
        good = covered[at] || add_piece(out, (struct cell){at, 1, false, false});
    memory_free(covered);
    return good;
}

// The piece is among the bytes that are moved. One that lies across the end is not followed.
static const struct term *piece_guard(struct translator *t, const struct term *count,
                                      const struct cell *c)
{
    const struct term *end = offset_literal(t, c->offset + c->bytes);
    return term_bv_binary(t->store, TERM_BV_ULE, end, count);
}

static void cut_across(struct translator *t, const struct extent *extent,
                       const struct object *pieces)
{
    const struct term *across = term_false(t->store);
    for (size_t i = 0; i < pieces->cell_count && !extent->known; i++) {
        const struct cell *c = &pieces->cells[i];
        const struct term *begins =
            term_bv_binary(t->store, TERM_BV_ULT, offset_literal(t, c->offset), extent->count);
        if (c->bytes > 1)
            across = term_or2(
                t->store, across,
                term_and2(t->store, begins, term_not(t->store, piece_guard(t, extent->count, c))));
    }
    lowering_cut_if(t, across, "a copy that ends inside of a number");
}

// The one object that a pointer means, from its beginning and wholly: NULL when it is not like that.
static const struct object *whole_object(struct translator *t, const struct operand *address,
                                         const struct extent *extent, uint32_t *number)
{
    struct targets targets = objects_of(t->objects, address);
    const struct target *only = targets.count == 1 ? &targets.data[0] : NULL;
    const struct object *o = only == NULL ? NULL : &t->objects->items[only->object];
    bool whole = o != NULL && !o->summary && !o->moved && o->tracked == 0 && only->stride == 0 &&
                 only->offset == 0 && o->sized && extent->known && extent->most == o->bytes &&
                 (o->layout == LAYOUT_FIELDS || o->layout == LAYOUT_BYTES);
    *number = whole ? only->object : 0;
    memory_free(targets.data);
    return whole ? o : NULL;
}

static bool copy_arrays(struct translator *t, const struct operand *to, const struct operand *from,
                        const struct extent *extent)
{
    uint32_t target, source;
    const struct object *a = whole_object(t, to, extent, &target);
    const struct object *b = whole_object(t, from, extent, &source);
    if (a == NULL || b == NULL || is_constant(t, a) || a->layout != b->layout ||
        a->cell_count != b->cell_count || (a->layout == LAYOUT_FIELDS && a->period != b->period))
        return false;
    for (size_t i = 0; i < a->cell_count; i++) {
        if (a->cells[i].offset != b->cells[i].offset || a->cells[i].bytes != b->cells[i].bytes ||
            a->cells[i].pointer != b->cells[i].pointer || a->cells[i].mixed != b->cells[i].mixed)
            return false;
    }
    const struct object_variables *x = &t->memory[target], *y = &t->memory[source];
    if ((x->bytes == NULL) != (y->bytes == NULL))
        return false;
    struct changes changes = {0};
    for (size_t i = 0; i < a->cell_count; i++) {
        lowering_assign(t, x->cells[i], y->cells[i]->term);
        lowering_kept_moved(t, target, source, i, term_true(t->store), &changes);
    }
    lowering_make_changes(t, &changes);
    if (x->bytes != NULL)
        lowering_assign(t, x->bytes, y->bytes->term);
    return true;
}

static void copy_pieces(struct translator *t, const struct operand *to, const struct operand *from,
                        struct extent *extent, const struct object *pieces)
{
    const struct term **moved = memory_zalloc((pieces->cell_count + 1) * sizeof *moved);
    lowering_hold(t, &extent->count);
    for (size_t i = 0; i < pieces->cell_count; i++) {
        const struct cell *c = &pieces->cells[i];
        t->when = piece_guard(t, extent->count, c);
        moved[i] = load_raw(t, from, (int64_t)c->offset, c->bytes, cell_unit(c));
        lowering_hold(t, &moved[i]);
    }
    for (size_t i = 0; i < pieces->cell_count; i++) {
        const struct cell *c = &pieces->cells[i];
        t->when = piece_guard(t, extent->count, c);
        store_raw(t, to, (int64_t)c->offset, c->bytes, cell_unit(c), moved[i], NULL);
    }
    t->when = NULL;
    for (size_t i = 0; i < pieces->cell_count; i++)
        lowering_release(t);
    lowering_release(t);
    memory_free(moved);
}

static void copy(struct translator *t, const struct operand *to, const struct operand *from,
                 const struct operand *bytes, bool is_new)
{
    const struct operand *const both[] = {to, from};
    struct extent extent;
    struct object pieces = {0};
    bool in_bytes = false;
    bool known = find_extent(t, bytes, both, 2, &extent);
    check_range(t, from, extent.count, false);
    check_range(t, to, extent.count, true);
    if (known && copy_arrays(t, to, from, &extent))
        return;
    if (known && find_pieces(t, to, &extent, &pieces, &in_bytes) &&
        find_pieces(t, from, &extent, &pieces, &in_bytes) &&
        (!in_bytes || byte_pieces(&extent, &pieces))) {
        cut_across(t, &extent, &pieces);
        copy_pieces(t, to, from, &extent, &pieces);
    } else if (is_new) {
        lowering_move_contents(t, to, from, extent.count);
    } else {
        t->result->has_open_copies = true;
        lowering_cut_if(t, term_true(t->store), "a copy of this kind is not followed");
    }
    memory_free(pieces.cells);
}

void lowering_copy(struct translator *t, const struct operand *to, const struct operand *from,
                   const struct operand *bytes)
{
    copy(t, to, from, bytes, false);
}

void lowering_copy_to_new(struct translator *t, const struct operand *to,
                          const struct operand *from, const struct operand *bytes)
{
    copy(t, to, from, bytes, true);
}

static const struct term *repeated(struct translator *t, const struct term *byte, uint64_t bytes)
{
    const struct term *out = byte;
    for (uint64_t i = 1; i < bytes; i++)
        out = term_bv_binary(t->store, TERM_BV_CONCAT, byte, out);
    return out;
}

// Whole arrays are filled at once.
static bool fill_arrays(struct translator *t, const struct operand *to, const struct term *byte,
                        const struct extent *extent)
{
    uint32_t number;
    const struct object *o = whole_object(t, to, extent, &number);
    bool whole = o != NULL && !is_constant(t, o) && byte->kind == TERM_BV;
    for (size_t i = 0; whole && i < o->cell_count; i++)
        whole = !o->cells[i].pointer || value_small_get(byte->u.value) == 0;
    if (!whole)
        return false;
    for (size_t i = 0; i < o->cell_count; i++) {
        const struct variable *v = t->memory[number].cells[i];
        const struct term *element =
            o->cells[i].pointer ? lowering_pointer(t, 0, 0) : repeated(t, byte, o->cells[i].bytes);
        lowering_assign(t, v, term_array(t->store, v->sort, element, NULL, 0));
    }
    const struct variable *v = t->memory[number].bytes;
    if (v != NULL)
        lowering_assign(t, v, term_array(t->store, v->sort, byte, NULL, 0));
    return true;
}

static void fill_pieces(struct translator *t, const struct operand *to, const struct term *value,
                        struct extent *extent, const struct object *pieces)
{
    lowering_hold(t, &value);
    lowering_hold(t, &extent->count);
    for (size_t i = 0; i < pieces->cell_count; i++) {
        const struct cell *c = &pieces->cells[i];
        const enum unit unit = cell_unit(c) == UNIT_POINTER ? UNIT_POINTER : UNIT_NUMBER;
        const struct term *all =
            convert(t, repeated(t, value, c->bytes), UNIT_NUMBER, unit, term_true(t->store));
        t->when = piece_guard(t, extent->count, c);
        store_raw(t, to, (int64_t)c->offset, c->bytes, unit, all, NULL);
        t->when = NULL;
    }
    lowering_release(t);
    lowering_release(t);
}

void lowering_fill(struct translator *t, const struct operand *to, const struct operand *byte,
                   const struct operand *bytes)
{
    const struct operand *const one[] = {to};
    struct extent extent;
    struct object pieces = {0};
    bool in_bytes = false;
    const struct term *value = lowering_operand(t, byte);
    value = value->sort->width > 8 ? term_bv_extract(t->store, value, 7, 0) : value;
    bool known = find_extent(t, bytes, one, 1, &extent);
    check_range(t, to, extent.count, true);
    if (known && fill_arrays(t, to, value, &extent))
        return;
    if (known && find_pieces(t, to, &extent, &pieces, &in_bytes) &&
        (!in_bytes || byte_pieces(&extent, &pieces))) {
        cut_across(t, &extent, &pieces);
        fill_pieces(t, to, value, &extent, &pieces);
    } else {
        t->result->has_open_copies = true;
        lowering_cut_if(t, term_true(t->store), "filling memory of this kind is not followed");
    }
    memory_free(pieces.cells);
}

// The size of the block that begins here; what is no such block cannot be given back.
const struct term *lowering_block_size(struct translator *t, const struct operand *address)
{
    const struct term *p = lowering_operand(t, address);
    const struct term *good = term_false(t->store), *out = offset_literal(t, 0);
    struct targets targets = objects_of(t->objects, address);
    for (size_t i = 0; i < targets.count; i++) {
        uint32_t number = targets.data[i].object;
        const struct object *o = &t->objects->items[number];
        if (o->kind != OBJECT_HEAP)
            continue;
        const struct object_variables *v = &t->memory[number];
        const struct term *hit = term_eq(t->store, p, lowering_pointer(t, number, 0));
        const struct term *size = v->size != NULL ? v->size->term : offset_literal(t, o->bytes);
        if (o->summary && !o->sized)
            size = lowering_any(t, sort_bv(t->store, t->offset_bits), "size");
        out = term_ite(t->store, hit, size, out);
        if (v->alive != NULL && lowering_tracks(t))
            hit = term_and2(t->store, hit, v->alive->term);
        good = term_or2(t->store, good, hit);
    }
    memory_free(targets.data);
    lowering_hold(t, &out);
    if (t->question->property == PROPERTY_MEMSAFETY && t->question->free)
        invalid(t, term_not(t->store, good), address, p, "valid-free");
    else
        lowering_assume(t, good);
    lowering_release(t);
    return out;
}

// What globals hold at the start.

static const struct term *initial_value(struct translator *t, const struct program_data *data)
{
    return lowering_operand(t, &data->value);
}

static void refuse_initial(struct translator *t, const struct global *g)
{
    lowering_unsupported(
        t, "an initialiser of `%s` that is read in other units than it was written", g->name);
}

// Numbers in parts of a mixed cell, or across its ends.
static const struct term *initial_word(struct translator *t, const struct global *g,
                                       const struct cell *c)
{
    const struct place place = {0, NULL, (int64_t)c->offset, NULL};
    const struct term *out = term_bv(t->store, (uint32_t)(8 * c->bytes), 0);
    for (size_t i = 0; i < g->data_count; i++) {
        const struct program_data *d = &g->data[i];
        const struct cell data = {d->offset, d->bytes, false, true};
        struct part part;
        if (!inside(t, NULL, &data, &place, c->bytes, &part))
            continue;
        if (d->value.type.kind == PROGRAM_POINTER)
            refuse_initial(t, g);
        else
            out = with_bytes(t, out, part.in_access,
                             extract(t, initial_value(t, d), part.in_cell, part.bytes));
    }
    return number_word(t, out);
}

static const struct term *initial_cell(struct translator *t, const struct global *g,
                                       const struct cell *c)
{
    const struct term *out = term_default(t->store, cell_sort(t, c));
    for (size_t i = 0; i < g->data_count; i++) {
        const struct program_data *d = &g->data[i];
        if (d->offset == c->offset && d->bytes == c->bytes) {
            const struct term *v = initial_value(t, d);
            return convert(t, v, unit_of(d->value.type.kind == PROGRAM_POINTER), cell_unit(c),
                           term_true(t->store));
        }
        if (c->mixed)
            continue;
        if (d->offset <= c->offset && c->offset + c->bytes <= d->offset + d->bytes && !c->pointer &&
            d->value.type.kind != PROGRAM_POINTER)
            return extract(t, initial_value(t, d), c->offset - d->offset, c->bytes);
        if (d->offset < c->offset + c->bytes && c->offset < d->offset + d->bytes)
            refuse_initial(t, g);
    }
    return c->mixed ? initial_word(t, g, c) : out;
}

static const struct term *initial_array(struct translator *t, const struct global *g,
                                        const struct object *o, const struct cell *c,
                                        const struct sort *sort)
{
    VECTOR(const struct term *) entries = {0};
    for (size_t i = 0; i < g->data_count; i++) {
        const struct program_data *d = &g->data[i];
        uint64_t at = d->offset % o->period;
        if (at >= c->offset + c->bytes || c->offset >= at + d->bytes)
            continue;
        if (at != c->offset || d->bytes != c->bytes) {
            refuse_initial(t, g);
            continue;
        }
        const struct term *v = initial_value(t, d);
        VECTOR_PUSH(&entries, offset_literal(t, d->offset));
        VECTOR_PUSH(&entries, convert(t, v, unit_of(d->value.type.kind == PROGRAM_POINTER),
                                      cell_unit(c), term_true(t->store)));
    }
    const struct term *out = term_array(t->store, sort, term_default(t->store, sort->element),
                                        entries.data, entries.count / 2);
    VECTOR_FINISH(&entries);
    return out;
}

static const struct term *initial_bytes(struct translator *t, const struct global *g,
                                        const struct sort *sort)
{
    VECTOR(const struct term *) entries = {0};
    for (size_t i = 0; i < g->data_count; i++) {
        const struct program_data *d = &g->data[i];
        if (d->value.type.kind == PROGRAM_POINTER) {
            lowering_unsupported(t, "an address among the bytes of `%s`", g->name);
            continue;
        }
        const struct term *v = initial_value(t, d);
        for (uint64_t k = 0; k < d->bytes; k++) {
            VECTOR_PUSH(&entries, offset_literal(t, d->offset + k));
            VECTOR_PUSH(&entries, extract(t, v, k, 1));
        }
    }
    const struct term *out = term_array(t->store, sort, term_default(t->store, sort->element),
                                        entries.data, entries.count / 2);
    VECTOR_FINISH(&entries);
    return out;
}

static void initial_global(struct translator *t, uint32_t object)
{
    const struct object *o = &t->objects->items[object];
    const struct global *g = &t->flat->program->globals[o->number];
    const struct object_variables *v = &t->memory[object];
    if (g->external)
        return; // any value
    for (size_t i = 0; i < o->cell_count; i++)
        lowering_assign(t, v->cells[i],
                        o->layout == LAYOUT_FIELDS
                            ? initial_array(t, g, o, &o->cells[i], v->cells[i]->sort)
                            : initial_cell(t, g, &o->cells[i]));
    if (v->bytes != NULL)
        lowering_assign(t, v->bytes, initial_bytes(t, g, v->bytes->sort));
}

void lowering_initial_memory(struct translator *t)
{
    for (uint32_t o = 1; o < t->objects->count; o++) {
        if (t->objects->items[o].kind == OBJECT_GLOBAL)
            initial_global(t, o);
        else
            set_alive(t, o, false);
    }
    for (size_t i = 0; i < t->objects->site_count; i++) {
        if (t->counters[i] != NULL)
            lowering_assign(t, t->counters[i], term_bv(t->store, 8, 0));
    }
}
