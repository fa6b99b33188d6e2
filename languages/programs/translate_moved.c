#include <assert.h>

#include "languages/programs/translate_inside.h"

// What realloc keeps, where it is not known how much that is: all that the block before held goes at once to the block that was just
// made. An array beyond the end of its object holds anything, since nobody can write there, so whole arrays may be moved: what the new
// block has behind the end of the old one is any value, as it must be. Where that is not so (calloc's arrays are zero beyond their ends,
// and behind the new end of a block that becomes smaller is what was there) the new block holds any values, as it did when it was made;
// that is a bound where pointers are among them.

#define MOST_MOVED 72 // cells of the block before

static const struct term *size_of(struct translator *t, uint32_t number)
{
    const struct variable *size = t->memory[number].size;
    return size != NULL ? size->term
                        : term_bv(t->store, t->offset_bits, t->objects->items[number].bytes);
}

static bool same_cells(const struct object *a, const struct object *b)
{
    if (a->layout != b->layout || a->cell_count != b->cell_count ||
        (a->layout == LAYOUT_FIELDS && a->period != b->period))
        return false;
    for (size_t i = 0; i < a->cell_count; i++) {
        const struct cell *x = &a->cells[i], *y = &b->cells[i];
        if (x->offset != y->offset || x->bytes != y->bytes || x->pointer != y->pointer ||
            x->mixed != y->mixed)
            return false;
    }
    return true;
}

// The field of an array that this cell of an object is moved to; -1: none.
static int32_t field_for(const struct object *array, const struct cell *c)
{
    assert(array->layout == LAYOUT_FIELDS && array->period > 0);
    for (size_t i = 0; i < array->cell_count; i++) {
        const struct cell *f = &array->cells[i];
        if (f->offset == c->offset % array->period && f->bytes == c->bytes &&
            f->pointer == c->pointer && f->mixed == c->mixed)
            return (int32_t)i;
    }
    return -1;
}

static bool has_pointers(const struct object *o)
{
    bool some = o->layout == LAYOUT_MIXED;
    for (size_t i = 0; i < o->cell_count; i++)
        some = some || o->cells[i].pointer;
    return some;
}

static bool can_move(const struct translator *t, uint32_t to, uint32_t from)
{
    const struct object *a = &t->objects->items[to], *b = &t->objects->items[from];
    const bool arrays = a->layout == LAYOUT_FIELDS || a->layout == LAYOUT_BYTES;
    if (a->layout == LAYOUT_MIXED || b->layout == LAYOUT_MIXED || b->zeroed || object_is_many(a) ||
        object_is_many(b))
        return false;
    if (arrays && b->layout == a->layout)
        return same_cells(a, b) && (t->memory[to].bytes != NULL || t->memory[from].bytes == NULL);
    bool good = b->layout == LAYOUT_CELLS && b->sized && arrays && b->cell_count <= MOST_MOVED;
    for (size_t i = 0; i < b->cell_count && good; i++)
        good = a->layout == LAYOUT_FIELDS ? field_for(a, &b->cells[i]) >= 0
                                          : t->memory[to].bytes != NULL && !b->cells[i].pointer;
    return good;
}

static const struct term *offset(struct translator *t, uint64_t n)
{
    return term_bv(t->store, t->offset_bits, n);
}

// The array with the cells of the object that are moved there.
static const struct term *with_cells(struct translator *t, uint32_t to, int32_t field,
                                     uint32_t from)
{
    const struct object *a = &t->objects->items[to], *b = &t->objects->items[from];
    const bool bytes = a->layout == LAYOUT_BYTES;
    assert(bytes || (size_t)field < a->cell_count);
    const struct term *all = bytes ? t->memory[to].bytes->term : t->memory[to].cells[field]->term;
    for (size_t i = 0; i < b->cell_count; i++) {
        const struct cell *c = &b->cells[i];
        const struct term *value = t->memory[from].cells[i]->term;
        for (uint64_t k = 0; bytes && k < c->bytes; k++)
            all = term_store_at(
                t->store, all, offset(t, c->offset + k),
                term_bv_extract(t->store, value, (uint32_t)(8 * k) + 7, (uint32_t)(8 * k)));
        if (!bytes && field_for(a, c) == field)
            all = term_store_at(t->store, all, offset(t, c->offset), value);
    }
    return all;
}

static void move_contents(struct translator *t, uint32_t to, uint32_t from,
                          const struct term *guard, struct changes *out)
{
    const struct object *a = &t->objects->items[to], *b = &t->objects->items[from];
    const struct object_variables *x = &t->memory[to], *y = &t->memory[from];
    assert(to != from && a->layout != LAYOUT_MIXED && !object_is_many(a) && !object_is_many(b));
    const bool same = b->layout == a->layout;
    for (size_t i = 0; i < a->cell_count; i++) {
        lowering_change(t, out, x->cells[i], guard,
                        same ? y->cells[i]->term : with_cells(t, to, (int32_t)i, from));
        lowering_kept_moved(t, to, from, i, guard, out);
    }
    if (x->bytes != NULL)
        lowering_change(t, out, x->bytes, guard,
                        !same              ? with_cells(t, to, 0, from)
                        : y->bytes != NULL ? y->bytes->term
                                           : x->bytes->term);
}

void lowering_move_contents(struct translator *t, const struct operand *to,
                            const struct operand *from, const struct term *count)
{
    const struct term *p = lowering_operand(t, to), *q = lowering_operand(t, from);
    const struct term *moved = term_false(t->store);
    struct targets made = objects_of(t->objects, to), kept = objects_of(t->objects, from);
    struct changes changes = {0};
    for (size_t i = 0; i < made.count; i++) {
        for (size_t k = 0; k < kept.count; k++) {
            const uint32_t a = made.data[i].object, b = kept.data[k].object;
            const struct object *before = &t->objects->items[b];
            if (a == b || t->objects->items[a].kind != OBJECT_HEAP || before->kind != OBJECT_HEAP)
                continue;
            const bool moves = can_move(t, a, b);
            const struct term *all = term_eq(t->store, count, size_of(t, b));
            const struct term *means =
                term_and2(t->store, term_eq(t->store, p, lowering_pointer(t, a, 0)),
                          term_eq(t->store, q, lowering_pointer(t, b, 0)));
            if (moves)
                move_contents(t, a, b, term_and2(t->store, means, all), &changes);
            if (has_pointers(before))
                means = moves ? term_and2(t->store, means, all) : term_false(t->store);
            moved = term_or2(t->store, moved, means);
        }
    }
    memory_free(made.data);
    memory_free(kept.data);
    lowering_cut_if(
        t, term_not(t->store, moved),
        "realloc of a block of pointers that becomes smaller, or is used in other ways");
    lowering_make_changes(t, &changes);
    lowering_accessed(t, from, q);
    lowering_accessed(t, to, p);
}
