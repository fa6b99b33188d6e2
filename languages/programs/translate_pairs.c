#include "languages/programs/translate_inside.h"
#include "model/precision_text.h"

#define MOST_TARGETS 8 // of a value of which it is said that it points to one of them

// What may hold of two blocks of an allocation, or one of them and a block or variable that there is once, the first of which points to
// the second (docs/definitions/blocks.md, "Two blocks"): a pointer leads back, numbers in the same place are in order.

static void add(struct translator *t, struct text *out, const struct term *when,
                const struct term *says)
{
    const struct term *term = term_implies(t->store, when, says);
    if (!term_is_literal(term))
        precision_text_add(out, t->store, &(struct precision_item){.predicate = term});
}

static bool may_point(const struct object *o, const struct cell *cell, uint32_t object)
{
    for (size_t i = 0; i < o->holding_count && cell->pointer; i++)
        if (o->holdings[i].to.object == object && o->holdings[i].stride == 0 &&
            o->holdings[i].offset == (int64_t)cell->offset)
            return true;
    return false;
}

static void guess_orders(struct translator *t, struct text *out, const struct term *points,
                         const struct term *here, const struct term *there)
{
    if (here->sort != there->sort || here->sort->kind != SORT_BV)
        return;
    add(t, out, points, term_eq(t->store, here, there));
    add(t, out, points, term_bv_binary(t->store, TERM_BV_SLE, here, there));
    add(t, out, points, term_bv_binary(t->store, TERM_BV_SLE, there, here));
}

// `points`: where the first does.
static void guess_where(struct translator *t, struct text *out, uint32_t from, uint32_t to,
                        const struct term *points)
{
    const struct object *a = &t->objects->items[from], *b = &t->objects->items[to];
    for (size_t c = 0; c < b->cell_count; c++) {
        const struct term *there = t->memory[to].cells[c]->term;
        if (may_point(b, &b->cells[c], from))
            add(t, out, points, lowering_points_into(t, there, from));
        for (size_t d = 0; d < a->cell_count; d++)
            if (!a->cells[d].pointer && !b->cells[c].pointer &&
                a->cells[d].offset == b->cells[c].offset)
                guess_orders(t, out, points, t->memory[from].cells[d]->term, there);
    }
}

static void guess_pair(struct translator *t, struct text *out, uint32_t from, uint32_t to)
{
    const struct object *a = &t->objects->items[from], *b = &t->objects->items[to];
    if (a->layout != LAYOUT_CELLS || b->layout != LAYOUT_CELLS || a->summary || b->summary)
        return;
    for (size_t f = 0; f < a->cell_count; f++)
        if (may_point(a, &a->cells[f], to))
            guess_where(t, out, from, to,
                        lowering_points_into(t, t->memory[from].cells[f]->term, to));
}

// A variable, or value, points to a block: it was made. And no other leads to it: it was just made, or is taken out.
static void guess_apart(struct translator *t, struct text *out, uint32_t first, uint32_t k)
{
    const uint32_t object = first + k, other = first + 1 - k;
    const struct object *o = &t->objects->items[other], *others = &t->objects->items[first + 2];
    const struct term *holder[LOWERING_HOLDERS];
    const size_t count = lowering_holders(t, object, holder);
    for (size_t i = 0; i < count; i++) {
        const struct term *is = lowering_points_into(t, holder[i], object);
        add(t, out, is, lowering_taken(t, object));
        for (size_t c = 0; c < o->cell_count && o->layout == LAYOUT_CELLS; c++)
            if (may_point(o, &o->cells[c], object))
                add(t, out, is,
                    term_not(t->store,
                             lowering_points_into(t, t->memory[other].cells[c]->term, object)));
        for (size_t h = 0; h < others->holding_count; h++) {
            const struct term *kept = lowering_kept(t, first + 2, h);
            if (others->holdings[h].to.object == object && kept != NULL)
                add(t, out, is, term_not(t->store, kept));
        }
    }
}

// Values that other blocks of the program use point where they may, or are null, or not.
static void guess_values(struct translator *t, struct text *out)
{
    const struct term *null = lowering_pointer(t, 0, 0);
    const struct term *vague = lowering_pointer(t, t->objects->vague, 0);
    for (uint32_t v = 0; v < t->flat->value_count; v++) {
        const struct variable *variable = t->variable_of[v];
        const struct targets *targets = &t->objects->targets[v];
        if (variable == NULL || targets->count == 0 || targets->count > MOST_TARGETS ||
            variable->sort->kind != SORT_BV || variable->sort->width != t->pointer_bits)
            continue;
        const struct term *p = variable->term;
        const struct term *none =
            term_or2(t->store, term_eq(t->store, p, null), term_eq(t->store, p, vague));
        const struct term *known = term_false(t->store);
        for (size_t i = 0; i < targets->count; i++) {
            const struct target *to = &targets->data[i];
            known = term_or2(t->store, known,
                             to->stride == 0
                                 ? term_eq(t->store, p, lowering_pointer(t, to->object, to->offset))
                                 : lowering_points_into(t, p, to->object));
        }
        add(t, out, term_true(t->store), known);
        add(t, out, term_true(t->store), term_or2(t->store, known, none));
    }
}

void lowering_guess_pairs(struct translator *t, struct text *out)
{
    bool some = false;
    for (size_t s = 0; s < t->objects->site_count; s++) {
        const uint32_t first = t->objects->sites[s].first;
        if (t->objects->sites[s].tracked != 2)
            continue;
        if (!some)
            guess_values(t, out);
        some = true;
        add(t, out, term_true(t->store), term_not(t->store, lowering_lost(t, first)));
        for (uint32_t k = 0; k < 2; k++)
            guess_apart(t, out, first, k);
        for (uint32_t n = 1; n < t->objects->count; n++)
            for (uint32_t k = 0; k < 2; k++) {
                if (n == first + k)
                    continue;
                guess_pair(t, out, first + k, n);
                if (t->objects->items[n].tracked == 0)
                    guess_pair(t, out, n, first + k);
            }
    }
}
