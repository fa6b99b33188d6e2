#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "languages/programs/translate_inside.h"

// Memory as variables. An access looks at every place where its pointer may point: a choice by the pointer's value.
// A pointer to none of them is invalid: an error when memory safety is asked. Else such a load has an arbitrary value and
// such a store no effect, so that "safe" holds for more than the runs that C gives a meaning; a run to an error through
// there is refused by the judge.

#define MOST_PIECES 300 // cells that one copy moves
#define MOST_TRACKED 24 // blocks of the heap whose loss is decided

// A place that an access may mean.
struct place {
    uint32_t object;
    const struct term *guard; // the pointer means this place
    int64_t offset;           // LAYOUT_CELLS
    const struct term *offset_term;
};

struct places {
    struct place *data;
    size_t count, capacity;
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
    if (o->layout == LAYOUT_BYTES && o->access_count > 0)
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
        if (mortal && lowering_tracks(t))
            t->memory[i].alive = new_variable(t, o, name, sort_bool(t->store));
        snprintf(name, sizeof name, "size(%s)", o->name);
        if ((o->kind == OBJECT_HEAP || o->kind == OBJECT_LOCAL) && !o->sized)
            t->memory[i].size = new_variable(t, o, name, sort_bv(t->store, t->offset_bits));
    }
    for (size_t i = 0; i < os->site_count; i++) {
        snprintf(name, sizeof name, "calls(%s)", os->items[os->sites[i].first].name);
        if (os->sites[i].count > 1)
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
    const struct variable *alive = t->memory[place.object].alive;
    if (t->question->property == PROPERTY_MEMSAFETY && alive != NULL)
        place.guard = term_and2(t->store, place.guard, alive->term);
    if (!term_is_false(place.guard))
        VECTOR_PUSH(out, place);
}

static void add_cells(struct translator *t, struct places *out, const struct target *target,
                      const struct term *pointer, uint64_t bytes)
{
    const struct object *o = &t->objects->items[target->object];
    if (bytes > o->bytes)
        return;
    int64_t most = (int64_t)(o->bytes - bytes),
            step = target->stride == 0 ? most + 1 : (int64_t)target->stride;
    int64_t at = target->offset;
    if (target->stride == 0 && at < 0)
        return;
    for (; at <= most; at += step) {
        const struct term *literal = lowering_pointer(t, target->object, at);
        add_place(t, out,
                  (struct place){target->object, term_eq(t->store, pointer, literal), at, NULL});
    }
}

static void add_array(struct translator *t, struct places *out, const struct target *target,
                      const struct term *pointer, uint64_t bytes)
{
    const struct object *o = &t->objects->items[target->object];
    const struct term *offset = lowering_offset_part(t, pointer);
    const struct term *guard = term_eq(t->store, lowering_object_part(t, pointer),
                                       term_bv(t->store, t->object_bits, target->object));
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
    for (size_t i = 0; i < out->count; i++) {
        if (out->data[i].object == target->object)
            return; // another progression in the same array
    }
    add_place(t, out, (struct place){target->object, guard, target->offset, offset});
}

static struct places find_places(struct translator *t, const struct operand *address,
                                 int64_t offset, const struct term *pointer, uint64_t bytes)
{
    struct places out = {0};
    struct targets targets = objects_of(t->objects, address);
    for (size_t i = 0; i < targets.count; i++) {
        struct target target = targets.data[i];
        const struct object *o = &t->objects->items[target.object];
        target.offset += offset;
        if (target.stride > 0) {
            int64_t s = (int64_t)target.stride;
            target.offset = (target.offset % s + s) % s;
        }
        if (o->kind == OBJECT_FUNCTION || o->kind == OBJECT_NONE)
            continue;
        if (o->layout == LAYOUT_MIXED)
            lowering_unsupported(t, "pointers and other data in the same bytes of `%s`", o->name);
        else if (o->layout == LAYOUT_CELLS && o->sized)
            add_cells(t, &out, &target, pointer, bytes);
        else
            add_array(t, &out, &target, pointer, bytes);
    }
    memory_free(targets.data);
    return out;
}

// The pointer means one of the places. A single place needs no guard where that is sure.
static const struct term *check_places(struct translator *t, struct places *p)
{
    const struct term *valid = term_false(t->store);
    for (size_t i = 0; i < p->count; i++)
        valid = term_or2(t->store, valid, p->data[i].guard);
    if (t->question->property == PROPERTY_MEMSAFETY) {
        if (t->question->deref)
            lowering_error_if(t, term_not(t->store, valid), "valid-deref");
        else
            lowering_assume(t, valid);
        valid = term_true(t->store);
    }
    if (p->count == 1 && term_is_true(valid))
        p->data[0].guard = valid;
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

static const struct term *cell_as(struct translator *t, const struct term *cell, bool is_pointer,
                                  bool as_pointer)
{
    if (is_pointer == as_pointer)
        return cell;
    return is_pointer ? lowering_pointer_number(t, cell) : lowering_number_pointer(t, cell);
}

// Cells are cut where accesses begin and end, so none lies across the end of one.
static bool inside(struct translator *t, const struct object *o, const struct cell *c,
                   const struct place *place, uint64_t bytes)
{
    uint64_t from = (uint64_t)place->offset, to = from + bytes;
    if (c->offset >= to || c->offset + c->bytes <= from)
        return false;
    if (c->offset < from || c->offset + c->bytes > to)
        lowering_unsupported(t, "accesses that overlap in `%s`", o->name);
    return c->offset >= from && c->offset + c->bytes <= to;
}

static const struct term *load_cells(struct translator *t, const struct place *place,
                                     uint64_t bytes, bool pointer)
{
    const struct object *o = &t->objects->items[place->object];
    const struct object_variables *v = &t->memory[place->object];
    const struct term *out = NULL;
    for (size_t i = 0; i < o->cell_count; i++) {
        const struct cell *c = &o->cells[i];
        if (!inside(t, o, c, place, bytes))
            continue;
        const struct term *part = v->cells[i]->term;
        out = pair(t, out, c->bytes == bytes ? cell_as(t, part, c->pointer, pointer) : part);
    }
    uint32_t width = pointer ? t->pointer_bits : (uint32_t)(8 * bytes);
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
    int64_t period = (int64_t)o->period;
    uint64_t at = (uint64_t)((place->offset % period + period) % period);
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
                                     uint64_t bytes, bool pointer)
{
    const struct object *o = &t->objects->items[place->object];
    const struct object_variables *v = &t->memory[place->object];
    size_t index;
    uint32_t width = pointer ? t->pointer_bits : (uint32_t)(8 * bytes);
    if (o->layout == LAYOUT_FIELDS || o->layout == LAYOUT_CELLS) {
        const struct cell *c =
            o->layout == LAYOUT_FIELDS ? field_of(o, place, bytes, &index) : NULL;
        if (c == NULL)
            return lowering_any(t, sort_bv(t->store, width), "memory");
        const struct term *element =
            term_select(t->store, v->cells[index]->term, place->offset_term);
        return cell_as(t, element, c->pointer, pointer);
    }
    const struct term *out = NULL;
    for (uint64_t i = 0; i < bytes; i++)
        out =
            pair(t, out, term_select(t->store, v->bytes->term, byte_key(t, place->offset_term, i)));
    return pointer ? lowering_number_pointer(t, out) : out;
}

static const struct term *load_place(struct translator *t, const struct place *place,
                                     uint64_t bytes, bool pointer)
{
    return place->offset_term == NULL ? load_cells(t, place, bytes, pointer)
                                      : load_array(t, place, bytes, pointer);
}

static const struct term *load_raw(struct translator *t, const struct operand *address,
                                   int64_t offset, uint64_t bytes, bool pointer)
{
    const struct term *p = pointer_of(t, address, offset);
    struct places places = find_places(t, address, offset, p, bytes);
    const struct term *valid = check_places(t, &places);
    uint32_t width = pointer ? t->pointer_bits : (uint32_t)(8 * bytes);
    const struct term *out = NULL;
    if (!term_is_true(valid))
        out = lowering_any(t, sort_bv(t->store, width), "invalid");
    for (size_t i = places.count; i-- > 0;) {
        const struct term *one = load_place(t, &places.data[i], bytes, pointer);
        out = out == NULL ? one : term_ite(t->store, places.data[i].guard, one, out);
    }
    VECTOR_FINISH(&places);
    return out != NULL ? out : term_default(t->store, sort_bv(t->store, width));
}

const struct term *lowering_load(struct translator *t, const struct operand *address,
                                 int64_t offset, uint64_t bytes, struct program_type type)
{
    const struct term *raw = load_raw(t, address, offset, bytes, type.kind == PROGRAM_POINTER);
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

// What one instruction assigns: all terms are about the values before it.
struct change {
    const struct variable *variable;
    const struct term *term;
};

struct changes {
    struct change *data;
    size_t count, capacity;
};

static void make_changes(struct translator *t, struct changes *list)
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

static void store_cells(struct translator *t, const struct place *place, uint64_t bytes,
                        bool pointer, const struct term *value, struct changes *out)
{
    const struct object *o = &t->objects->items[place->object];
    const struct object_variables *v = &t->memory[place->object];
    for (size_t i = 0; i < o->cell_count; i++) {
        const struct cell *c = &o->cells[i];
        uint64_t from = c->offset - (uint64_t)place->offset;
        if (!inside(t, o, c, place, bytes))
            continue;
        const struct term *part = c->bytes == bytes ? cell_as(t, value, pointer, c->pointer)
                                                    : extract(t, value, from, c->bytes);
        // Several places of a pointer may be the same cell.
        struct change *same = NULL;
        for (size_t k = 0; k < out->count; k++)
            same = out->data[k].variable == v->cells[i] ? &out->data[k] : same;
        if (same != NULL)
            same->term = term_ite(t->store, place->guard, part, same->term);
        else
            VECTOR_PUSH(out,
                        ((struct change){v->cells[i], choose(t, place->guard, part, v->cells[i])}));
    }
}

static void store_array(struct translator *t, const struct place *place, uint64_t bytes,
                        bool pointer, const struct term *value, struct changes *out)
{
    const struct object *o = &t->objects->items[place->object];
    const struct object_variables *v = &t->memory[place->object];
    size_t index;
    if (o->layout == LAYOUT_FIELDS) {
        const struct cell *c = field_of(o, place, bytes, &index);
        if (c == NULL)
            return;
        const struct term *element = cell_as(t, value, pointer, c->pointer);
        const struct term *all =
            term_store_at(t->store, v->cells[index]->term, place->offset_term, element);
        VECTOR_PUSH(
            out, ((struct change){v->cells[index], choose(t, place->guard, all, v->cells[index])}));
    } else if (v->bytes != NULL) {
        const struct term *all = v->bytes->term;
        if (pointer)
            value = lowering_pointer_number(t, value);
        for (uint64_t i = 0; i < bytes; i++)
            all = term_store_at(t->store, all, byte_key(t, place->offset_term, i),
                                extract(t, value, i, 1));
        VECTOR_PUSH(out, ((struct change){v->bytes, choose(t, place->guard, all, v->bytes)}));
    }
}

void lowering_store(struct translator *t, const struct operand *address, int64_t offset,
                    uint64_t bytes, bool pointer, const struct term *value)
{
    if (value->sort->kind == SORT_BOOL)
        value = term_ite(t->store, value, term_bv(t->store, 8, 1), term_bv(t->store, 8, 0));
    if (!pointer && value->sort->width < 8 * bytes)
        value = term_bv_extend(t->store, TERM_BV_ZEXT, value, (uint32_t)(8 * bytes));
    const struct term *p = pointer_of(t, address, offset);
    struct places places = find_places(t, address, offset, p, bytes);
    struct changes changes = {0};
    check_places(t, &places);
    for (size_t i = 0; i < places.count; i++) {
        if (places.data[i].offset_term == NULL)
            store_cells(t, &places.data[i], bytes, pointer, value, &changes);
        else
            store_array(t, &places.data[i], bytes, pointer, value, &changes);
    }
    make_changes(t, &changes);
    VECTOR_FINISH(&places);
}

// Lifetimes.

static void forget_contents(struct translator *t, uint32_t object)
{
    const struct object *o = &t->objects->items[object];
    for (size_t i = 0; i < o->cell_count; i++)
        lowering_havoc(t, t->memory[object].cells[i]);
    if (t->memory[object].bytes != NULL)
        lowering_havoc(t, t->memory[object].bytes);
}

static void set_alive(struct translator *t, uint32_t object, bool alive)
{
    const struct variable *v = t->memory[object].alive;
    if (v != NULL)
        lowering_assign(t, v, term_bool(t->store, alive));
}

// Pointers to the life before could not be told from those to this one.
static void live_again(struct translator *t, const struct object *o, bool kept)
{
    if (t->question->property == PROPERTY_MEMSAFETY && kept && o->kind == OBJECT_LOCAL &&
        t->flat->in_cycle[t->number])
        lowering_cut_if(t, term_true(t->store),
                        "a variable lives again while pointers to it may be left");
}

void lowering_alloca(struct translator *t, const struct instruction *i)
{
    const struct site *site = &t->objects->sites[t->objects->site_of[i->result]];
    const struct object *o = &t->objects->items[site->first];
    const struct term *pointer = lowering_pointer(t, site->first, 0);
    live_again(t, o, o->kept_outside);
    forget_contents(t, site->first);
    if (!o->sized) {
        const struct term *count = lowering_operand(t, &i->operands[0]);
        uint32_t w = t->offset_bits;
        count = count->sort->width < w   ? term_bv_extend(t->store, TERM_BV_ZEXT, count, w)
                : count->sort->width > w ? term_bv_extract(t->store, count, w - 1, 0)
                                         : count;
        lowering_assign(t, t->memory[site->first].size,
                        term_bv_binary(t->store, TERM_BV_MUL, count, offset_literal(t, i->extra)));
    }
    set_alive(t, site->first, true);
    lowering_define(t, i, pointer);
}

void lowering_leave(struct translator *t, uint32_t frame)
{
    for (uint32_t o = 1; o < t->objects->count; o++) {
        if (t->objects->items[o].kind == OBJECT_LOCAL && t->objects->items[o].frame == frame)
            set_alive(t, o, false);
    }
}

void lowering_lifetime(struct translator *t, const struct operand *address, bool alive)
{
    struct targets targets = objects_of(t->objects, address);
    if (targets.count == 1 && t->objects->items[targets.data[0].object].kind == OBJECT_LOCAL) {
        const struct object *o = &t->objects->items[targets.data[0].object];
        if (alive)
            live_again(t, o, o->kept_outside || o->kept_inside);
        set_alive(t, targets.data[0].object, alive);
        if (alive)
            forget_contents(t, targets.data[0].object);
    }
    memory_free(targets.data);
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

// A block of its own for each time, in order; no block is ever used again.
void lowering_allocate(struct translator *t, const struct instruction *i, const char *name)
{
    int32_t number = t->objects->site_of[i->result];
    if (strcmp(name, "realloc") == 0 || number < 0) {
        lowering_unsupported(t, "the function `%s`", name);
        return;
    }
    const struct site *site = &t->objects->sites[number];
    const struct variable *counter = t->counters[number];
    const struct term *size = asked_size(t, i, name);
    lowering_hold(t, &size);
    if (counter != NULL)
        lowering_cut_if(t, term_eq(t->store, counter->term, term_bv(t->store, 8, site->count)),
                        "this allocation happens more often than it is followed");
    const struct term *result = lowering_pointer(t, site->first, 0);
    for (uint32_t c = 0; c < site->count; c++) {
        uint32_t object = site->first + c;
        const struct object_variables *v = &t->memory[object];
        const struct term *guard = counter == NULL
                                       ? term_true(t->store)
                                       : term_eq(t->store, counter->term, term_bv(t->store, 8, c));
        result =
            c == 0 ? result : term_ite(t->store, guard, lowering_pointer(t, object, 0), result);
        if (v->alive != NULL)
            lowering_assign(t, v->alive, choose(t, guard, term_true(t->store), v->alive));
        if (v->size != NULL)
            lowering_assign(t, v->size, choose(t, guard, size, v->size));
        if (t->objects->items[object].zeroed)
            zero_contents(t, object, guard);
    }
    lowering_hold(t, &result);
    if (counter != NULL)
        lowering_assign(
            t, counter,
            term_bv_binary(t->store, TERM_BV_ADD, counter->term, term_bv(t->store, 8, 1)));
    lowering_release(t);
    lowering_release(t);
    lowering_define(t, i, result);
}

void lowering_free(struct translator *t, const struct operand *address)
{
    const struct term *p = lowering_operand(t, address);
    if (!lowering_tracks(t))
        return;
    const struct term *good = term_eq(t->store, p, lowering_pointer(t, 0, 0));
    struct targets targets = objects_of(t->objects, address);
    for (size_t i = 0; i < targets.count; i++) {
        uint32_t o = targets.data[i].object;
        if (t->objects->items[o].kind == OBJECT_HEAP)
            good = term_or2(t->store, good,
                            term_and2(t->store, t->memory[o].alive->term,
                                      term_eq(t->store, p, lowering_pointer(t, o, 0))));
    }
    if (t->question->property == PROPERTY_MEMSAFETY && t->question->free)
        lowering_error_if(t, term_not(t->store, good), "valid-free");
    else
        lowering_assume(t, good);
    lowering_hold(t, &p);
    for (size_t i = 0; i < targets.count; i++) {
        uint32_t o = targets.data[i].object;
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen = seen || targets.data[k].object == o;
        if (t->objects->items[o].kind != OBJECT_HEAP || seen)
            continue;
        const struct variable *alive = t->memory[o].alive;
        const struct term *hit = term_eq(t->store, p, lowering_pointer(t, o, 0));
        lowering_assign(t, alive, term_and2(t->store, alive->term, term_not(t->store, hit)));
    }
    lowering_release(t);
    memory_free(targets.data);
}

// Loss. A block is tracked when a pointer into it is in a global, in a slot of a function that has not returned, or
// in a block that is tracked.

static bool frame_is_active(const struct translator *t, uint32_t frame)
{
    for (uint32_t f = t->frame;; f = t->flat->frames[f].parent) {
        if (f == frame)
            return true;
        if (f == 0)
            return false;
    }
}

static bool is_root(const struct translator *t, const struct object *o)
{
    return o->kind == OBJECT_GLOBAL || (o->kind == OBJECT_LOCAL && frame_is_active(t, o->frame));
}

// Some cell of `from` points into `to`.
static const struct term *refers(struct translator *t, uint32_t from, uint32_t to)
{
    const struct object *o = &t->objects->items[from];
    const struct term *out = term_false(t->store);
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
            if (object->layout != LAYOUT_CELLS && object->cells[i].pointer)
                return true;
        }
    }
    return false;
}

static size_t heap_blocks(const struct translator *t, uint32_t *out)
{
    size_t count = 0;
    for (uint32_t o = 1; o < t->objects->count; o++) {
        if (t->objects->items[o].kind == OBJECT_HEAP && ++count <= MOST_TRACKED)
            out[count - 1] = o;
    }
    return count;
}

static const struct term *some_lost(struct translator *t, const uint32_t *heap, size_t count)
{
    const struct term *tracked[MOST_TRACKED], *link[MOST_TRACKED][MOST_TRACKED];
    for (size_t i = 0; i < count; i++) {
        tracked[i] = term_false(t->store);
        for (uint32_t o = 1; o < t->objects->count; o++) {
            if (is_root(t, &t->objects->items[o]))
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

void lowering_lost_memory(struct translator *t)
{
    uint32_t heap[MOST_TRACKED];
    if (t->question->property != PROPERTY_MEMSAFETY || !t->question->track)
        return;
    size_t count = heap_blocks(t, heap);
    if (count == 0)
        return;
    if (count > MOST_TRACKED || pointers_in_arrays(t))
        lowering_cut_if(t, term_true(t->store), "whether memory is lost is not followed here");
    else
        lowering_error_if(t, some_lost(t, heap, count), "valid-memtrack");
}

void lowering_end_of_memory(struct translator *t)
{
    if (t->question->property == PROPERTY_MEMSAFETY)
        lowering_lost_memory(t);
    if (t->question->property != PROPERTY_MEMCLEANUP)
        return;
    const struct term *left = term_false(t->store);
    for (uint32_t o = 1; o < t->objects->count; o++) {
        if (t->objects->items[o].kind == OBJECT_HEAP)
            left = term_or2(t->store, left, t->memory[o].alive->term);
    }
    lowering_error_if(t, left, "valid-memcleanup");
}

// Copies.

static bool constant_bytes(const struct operand *o, uint64_t *out)
{
    *out = o->bits;
    return o->kind == OPERAND_CONSTANT;
}

// The cells that a pointer's targets have in the next `bytes`, relative to it.
static bool find_pieces(struct translator *t, const struct operand *address, uint64_t bytes,
                        struct object *out)
{
    struct targets targets = objects_of(t->objects, address);
    bool good = true;
    for (size_t i = 0; i < targets.count && good; i++) {
        const struct object *o = &t->objects->items[targets.data[i].object];
        uint64_t period = o->layout == LAYOUT_FIELDS ? o->period : o->bytes;
        if (o->kind == OBJECT_FUNCTION || o->layout == LAYOUT_BYTES || o->layout == LAYOUT_MIXED ||
            (targets.data[i].stride != 0 && o->layout == LAYOUT_CELLS && targets.count > 4)) {
            good = o->kind == OBJECT_FUNCTION || o->access_count == 0;
            continue;
        }
        for (uint64_t base = 0; base < bytes + period && period > 0 && good; base += period) {
            for (size_t c = 0; c < o->cell_count && good; c++) {
                int64_t start = targets.data[i].offset;
                if (o->layout == LAYOUT_FIELDS)
                    start %= (int64_t)period;
                int64_t at = (int64_t)(o->cells[c].offset + base) - start;
                if (at < 0 || (uint64_t)at + o->cells[c].bytes > bytes)
                    continue;
                bool known = false;
                for (size_t k = 0; k < out->cell_count; k++)
                    known = known || out->cells[k].offset == (uint64_t)at;
                if (known)
                    continue;
                VECTOR(struct cell) list = {out->cells, out->cell_count, out->cell_capacity};
                VECTOR_PUSH(&list,
                            ((struct cell){(uint64_t)at, o->cells[c].bytes, o->cells[c].pointer}));
                out->cells = list.data;
                out->cell_count = list.count;
                out->cell_capacity = list.capacity;
                good = list.count <= MOST_PIECES;
            }
            if (o->layout == LAYOUT_CELLS)
                break;
        }
    }
    memory_free(targets.data);
    return good;
}

void lowering_copy(struct translator *t, const struct operand *to, const struct operand *from,
                   const struct operand *bytes)
{
    uint64_t count;
    struct object pieces = {0};
    if (!constant_bytes(bytes, &count) || !find_pieces(t, to, count, &pieces) ||
        !find_pieces(t, from, count, &pieces)) {
        lowering_cut_if(t, term_true(t->store), "a copy of this kind is not followed");
        memory_free(pieces.cells);
        return;
    }
    const struct term **moved = memory_zalloc((pieces.cell_count + 1) * sizeof *moved);
    for (size_t i = 0; i < pieces.cell_count; i++) {
        const struct cell *c = &pieces.cells[i];
        moved[i] = load_raw(t, from, (int64_t)c->offset, c->bytes, c->pointer);
        lowering_hold(t, &moved[i]);
    }
    for (size_t i = 0; i < pieces.cell_count; i++) {
        const struct cell *c = &pieces.cells[i];
        lowering_store(t, to, (int64_t)c->offset, c->bytes, c->pointer, moved[i]);
    }
    for (size_t i = 0; i < pieces.cell_count; i++)
        lowering_release(t);
    memory_free(moved);
    memory_free(pieces.cells);
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
                        uint64_t count)
{
    struct targets targets = objects_of(t->objects, to);
    const struct target *only = targets.count == 1 ? &targets.data[0] : NULL;
    const struct object *o = only == NULL ? NULL : &t->objects->items[only->object];
    bool whole = o != NULL && only->stride == 0 && only->offset == 0 && o->sized &&
                 count == o->bytes && (o->layout == LAYOUT_FIELDS || o->layout == LAYOUT_BYTES) &&
                 (byte->kind == TERM_BV);
    for (size_t i = 0; whole && i < o->cell_count; i++)
        whole = !o->cells[i].pointer || value_small_get(byte->u.value) == 0;
    if (whole) {
        struct place place = {only->object, term_true(t->store), 0, NULL};
        for (size_t i = 0; i < o->cell_count; i++) {
            const struct variable *v = t->memory[place.object].cells[i];
            const struct term *element = o->cells[i].pointer ? lowering_pointer(t, 0, 0)
                                                             : repeated(t, byte, o->cells[i].bytes);
            lowering_assign(t, v, term_array(t->store, v->sort, element, NULL, 0));
        }
        const struct variable *v = t->memory[place.object].bytes;
        if (v != NULL)
            lowering_assign(t, v, term_array(t->store, v->sort, byte, NULL, 0));
    }
    memory_free(targets.data);
    return whole;
}

void lowering_fill(struct translator *t, const struct operand *to, const struct operand *byte,
                   const struct operand *bytes)
{
    uint64_t count;
    struct object pieces = {0};
    const struct term *value = lowering_operand(t, byte);
    value = value->sort->width > 8 ? term_bv_extract(t->store, value, 7, 0) : value;
    if (constant_bytes(bytes, &count) && fill_arrays(t, to, value, count))
        return;
    if (!constant_bytes(bytes, &count) || !find_pieces(t, to, count, &pieces)) {
        lowering_cut_if(t, term_true(t->store), "filling memory of this kind is not followed");
        memory_free(pieces.cells);
        return;
    }
    lowering_hold(t, &value);
    for (size_t i = 0; i < pieces.cell_count; i++) {
        const struct cell *c = &pieces.cells[i];
        const struct term *all = repeated(t, value, c->bytes);
        if (c->pointer)
            all = lowering_number_pointer(t, all);
        lowering_store(t, to, (int64_t)c->offset, c->bytes, c->pointer, all);
    }
    lowering_release(t);
    memory_free(pieces.cells);
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

static const struct term *initial_cell(struct translator *t, const struct global *g,
                                       const struct cell *c)
{
    const struct term *out = term_default(t->store, cell_sort(t, c));
    for (size_t i = 0; i < g->data_count; i++) {
        const struct program_data *d = &g->data[i];
        if (d->offset == c->offset && d->bytes == c->bytes) {
            const struct term *v = initial_value(t, d);
            return cell_as(t, v, d->value.type.kind == PROGRAM_POINTER, c->pointer);
        }
        if (d->offset <= c->offset && c->offset + c->bytes <= d->offset + d->bytes && !c->pointer &&
            d->value.type.kind != PROGRAM_POINTER)
            return extract(t, initial_value(t, d), c->offset - d->offset, c->bytes);
        if (d->offset < c->offset + c->bytes && c->offset < d->offset + d->bytes)
            refuse_initial(t, g);
    }
    return out;
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
        VECTOR_PUSH(&entries, cell_as(t, v, d->value.type.kind == PROGRAM_POINTER, c->pointer));
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
