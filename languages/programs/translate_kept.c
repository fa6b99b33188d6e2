#include <assert.h>
#include <stdio.h>

#include "base/memory.h"
#include "languages/programs/translate_inside.h"

// Where loss of memory is asked and arrays hold pointers (a matrix of rows, a table of any size): for each such array and each block a variable says
// at which offset a pointer to the block was stored last. The array keeps the block if there is one there, within the object. One that is elsewhere,
// too, and was stored before is not seen when that place is overwritten: more seems lost than is, which no run confirms.

#define MOST_KEPT 240 // such variables

static bool keeps_pointers(const struct object *o, const struct cell *c)
{
    return o->layout == LAYOUT_FIELDS && c->pointer && !object_is_many(o) &&
           o->given == GIVEN_NOTHING;
}

size_t lowering_heap_blocks(const struct translator *t, uint32_t out[MOST_TRACKED])
{
    size_t count = 0;
    for (uint32_t o = 1; o < t->objects->count; o++) {
        // What holds of the first tracked block holds of all of its site.
        const struct object *object = &t->objects->items[o];
        if (object->kind == OBJECT_HEAP && object->tracked <= 1 && !object->summary &&
            ++count <= MOST_TRACKED)
            out[count - 1] = o;
    }
    return count;
}

void lowering_make_kept(struct translator *t)
{
    const struct objects *os = t->objects;
    uint32_t heap[MOST_TRACKED];
    size_t arrays = 0;
    char name[600];
    if (t->question->property != PROPERTY_MEMSAFETY || !t->question->track)
        return;
    const size_t blocks = lowering_heap_blocks(t, heap);
    for (size_t n = 1; n < os->count; n++)
        for (size_t c = 0; c < os->items[n].cell_count; c++)
            arrays += keeps_pointers(&os->items[n], &os->items[n].cells[c]);
    if (arrays == 0 || blocks == 0 || blocks > MOST_TRACKED || arrays * blocks > MOST_KEPT)
        return;
    for (size_t n = 1; n < os->count; n++) {
        const struct object *o = &os->items[n];
        for (size_t c = 0; c < o->cell_count; c++) {
            if (!keeps_pointers(o, &o->cells[c]))
                continue;
            if (t->memory[n].kept == NULL)
                t->memory[n].kept =
                    memory_zalloc(o->cell_count * os->count * sizeof *t->memory[n].kept);
            for (size_t b = 0; b < blocks; b++) {
                snprintf(name, sizeof name, "kept(%s,%s)", o->name, os->items[heap[b]].name);
                t->memory[n].kept[c * os->count + heap[b]] = model_builder_fresh(
                    t->builder, name, sort_bv(t->store, t->offset_bits), 0, o->at);
            }
        }
    }
}

void lowering_initial_kept(struct translator *t)
{
    for (size_t n = 0; n < t->objects->count; n++) {
        const size_t count = t->objects->items[n].cell_count * t->objects->count;
        for (size_t i = 0; t->memory[n].kept != NULL && i < count; i++)
            if (t->memory[n].kept[i] != NULL)
                lowering_assign(t, t->memory[n].kept[i], term_bv(t->store, t->offset_bits, 0));
    }
}

static const struct term *leads_to(struct translator *t, const struct term *pointer, uint32_t block)
{
    return term_eq(t->store, lowering_object_part(t, pointer),
                   term_bv(t->store, t->object_bits, block));
}

bool lowering_knows_kept(const struct translator *t, uint32_t object, size_t cell)
{
    return keeps_pointers(&t->objects->items[object], &t->objects->items[object].cells[cell]) &&
           t->memory[object].kept != NULL;
}

const struct term *lowering_keeps(struct translator *t, uint32_t object, uint32_t block)
{
    const struct object *o = &t->objects->items[object];
    const struct object_variables *v = &t->memory[object];
    const struct term *out = term_false(t->store);
    for (size_t c = 0; v->kept != NULL && c < o->cell_count; c++) {
        const struct variable *at = v->kept[c * t->objects->count + block];
        if (at == NULL)
            continue;
        // Behind the end may be what was there before the block became smaller.
        const struct term *bytes =
            v->size != NULL ? v->size->term : term_bv(t->store, t->offset_bits, o->bytes);
        const struct term *inside = term_bv_binary(t->store, TERM_BV_ULT, at->term, bytes);
        out = term_or2(
            t->store, out,
            term_and2(t->store, inside,
                      leads_to(t, term_select(t->store, v->cells[c]->term, at->term), block)));
    }
    return out;
}

void lowering_kept_stored(struct translator *t, uint32_t object, size_t cell,
                          const struct term *guard, const struct term *offset,
                          const struct term *pointer, struct changes *out)
{
    if (!lowering_knows_kept(t, object, cell))
        return;
    assert(pointer->sort->width == t->pointer_bits);
    for (uint32_t b = 0; b < t->objects->count; b++) {
        const struct variable *at = t->memory[object].kept[cell * t->objects->count + b];
        const struct term *means = at == NULL ? NULL : leads_to(t, pointer, b);
        if (means != NULL && !term_is_false(means))
            lowering_change(t, out, at, term_and2(t->store, guard, means), offset);
    }
}

void lowering_kept_moved(struct translator *t, uint32_t to, uint32_t from, size_t cell,
                         const struct term *guard, struct changes *out)
{
    const struct object *a = &t->objects->items[to], *b = &t->objects->items[from];
    if (!lowering_knows_kept(t, to, cell))
        return;
    if (b->layout == LAYOUT_FIELDS && lowering_knows_kept(t, from, cell)) {
        for (uint32_t k = 0; k < t->objects->count; k++) {
            const size_t i = cell * t->objects->count + k;
            if (t->memory[to].kept[i] != NULL)
                lowering_change(t, out, t->memory[to].kept[i], guard,
                                t->memory[from].kept[i]->term);
        }
        return;
    }
    // Of single cells.
    for (size_t c = 0; c < b->cell_count && b->layout == LAYOUT_CELLS; c++)
        if (b->cells[c].pointer && b->cells[c].offset % a->period == a->cells[cell].offset)
            lowering_kept_stored(t, to, cell, guard,
                                 term_bv(t->store, t->offset_bits, b->cells[c].offset),
                                 t->memory[from].cells[c]->term, out);
}

void lowering_finish_kept(struct translator *t)
{
    for (size_t n = 0; n < t->objects->count; n++)
        memory_free(t->memory[n].kept);
}
