#include <assert.h>
#include <stdio.h>

#include "base/memory.h"
#include "languages/programs/stored.h"
#include "languages/programs/translate_inside.h"
#include "model/precision_text.h"

// Any number of blocks of one allocation (docs/definitions/blocks.md): a summary stands for all but the tracked ones, which
// are arbitrary. What is loaded from a summary is any value; an error is asked only of runs whose tracked blocks are the right ones.

#define LAST_NONE 0
#define LAST_OTHER 1 // a block that is not the first tracked one of its site
#define LAST_FIRST 2 // + the site's number

struct tracking {
    const struct variable *taken[2];
    const struct variable
        *lost; // with two: the first one's pointer was last loaded out of a summary
};

struct summaries {
    struct stored *stored;         // what numbers their blocks hold
    struct tracking *sites;        // by site
    const struct variable ***kept; // by object, by holding: a pointer was stored there
    bool *pure;                    // by object: pointers share no bytes with other data
    const struct variable *last;   // which block was accessed last
    const struct variable
        *odd; // a pointer was stored into a summary that none of its holdings says
    const struct variable *freed; // some block of a summary was; MEMCLEANUP
};

static const struct site *site_of_object(const struct translator *t, uint32_t object,
                                         uint32_t *number)
{
    const struct object *o = &t->objects->items[object];
    if (o->tracked == 0 && !o->summary)
        return NULL;
    *number = (uint32_t)t->objects->site_of[o->value];
    return &t->objects->sites[*number];
}

static bool may_meet(int64_t a, uint64_t a_stride, uint64_t a_bytes, int64_t b, uint64_t b_stride,
                     uint64_t b_bytes)
{
    const int64_t step = (int64_t)stride_gcd(a_stride, b_stride);
    int64_t apart = b - a;
    if (step == 0)
        return apart < (int64_t)a_bytes && -apart < (int64_t)b_bytes;
    apart = (apart % step + step) % step;
    return apart < (int64_t)a_bytes || step - apart < (int64_t)b_bytes;
}

bool lowering_pointers_apart(const struct object *o)
{
    bool good = o->layout == LAYOUT_CELLS || o->layout == LAYOUT_FIELDS;
    for (size_t i = 0; i < o->access_count && good; i++) {
        const struct access *a = &o->accesses[i];
        for (size_t k = 0; k < o->access_count && good && a->pointer; k++) {
            const struct access *b = &o->accesses[k];
            good = b->pointer ||
                   !may_meet(a->offset, a->stride, a->bytes, b->offset, b->stride, b->bytes);
        }
    }
    return good;
}

void lowering_make_summaries(struct translator *t)
{
    const struct objects *os = t->objects;
    if (os->unwritten == 0)
        return;
    char name[600];
    struct summaries *s = memory_zalloc(sizeof *s);
    t->summaries = s;
    s->stored = stored_create(os);
    s->sites = memory_zalloc((os->site_count + 1) * sizeof *s->sites);
    s->kept = memory_zalloc(os->count * sizeof *s->kept);
    s->pure = memory_zalloc(os->count * sizeof *s->pure);
    uint32_t bits = 2;
    while ((1u << bits) < os->site_count + LAST_FIRST + 1)
        bits++;
    s->odd = model_builder_fresh(t->builder, "odd", sort_bool(t->store), 0, t->at);
    s->last = model_builder_fresh(t->builder, "accessed", sort_bv(t->store, bits), 0, t->at);
    if (t->question->property == PROPERTY_MEMCLEANUP)
        s->freed = model_builder_fresh(t->builder, "freed", sort_bool(t->store), 0, t->at);
    for (size_t i = 0; i < os->site_count; i++) {
        const struct object *first = &os->items[os->sites[i].first];
        for (uint32_t k = 0; k < os->sites[i].tracked; k++) {
            snprintf(name, sizeof name, "taken(%s)", first->name);
            s->sites[i].taken[k] =
                model_builder_fresh(t->builder, name, sort_bool(t->store), 0, first->at);
        }
        snprintf(name, sizeof name, "lost(%s)", first->name);
        if (os->sites[i].tracked > 1)
            s->sites[i].lost =
                model_builder_fresh(t->builder, name, sort_bool(t->store), 0, first->at);
    }
    for (size_t n = 0; n < os->count; n++) {
        const struct object *o = &os->items[n];
        if (!o->summary)
            continue;
        s->pure[n] = lowering_pointers_apart(o);
        s->kept[n] = memory_zalloc((o->holding_count + 1) * sizeof *s->kept[n]);
        snprintf(name, sizeof name, "kept(%s)", o->name);
        for (size_t i = 0; i < o->holding_count; i++)
            if (o->summary && os->items[o->holdings[i].to.object].tracked != 0)
                s->kept[n][i] =
                    model_builder_fresh(t->builder, name, sort_bool(t->store), 0, o->at);
    }
}

void lowering_nothing_written(struct translator *t, uint32_t object)
{
    const struct object *o = &t->objects->items[object];
    const struct object_variables *v = &t->memory[object];
    const struct term *nothing = lowering_pointer(t, t->objects->unwritten, 0);
    for (size_t i = 0; i < o->cell_count; i++) {
        if (!o->cells[i].pointer)
            continue;
        assert(o->layout == LAYOUT_CELLS || o->layout == LAYOUT_FIELDS);
        lowering_assign(t, v->cells[i],
                        o->layout == LAYOUT_CELLS
                            ? nothing
                            : term_array(t->store, v->cells[i]->sort, nothing, NULL, 0));
    }
}

void lowering_initial_summaries(struct translator *t)
{
    const struct summaries *s = t->summaries;
    if (s == NULL)
        return;
    lowering_assign(t, s->last, term_bv(t->store, s->last->sort->width, LAST_NONE));
    lowering_assign(t, s->odd, term_false(t->store));
    if (s->freed != NULL)
        lowering_assign(t, s->freed, term_false(t->store));
    for (size_t i = 0; i < t->objects->site_count; i++) {
        for (uint32_t k = 0; k < t->objects->sites[i].tracked; k++)
            lowering_assign(t, s->sites[i].taken[k], term_false(t->store));
        if (s->sites[i].lost != NULL)
            lowering_assign(t, s->sites[i].lost, term_false(t->store));
    }
    for (uint32_t n = 0; n < t->objects->count; n++) {
        for (size_t i = 0; s->kept[n] != NULL && i < t->objects->items[n].holding_count; i++)
            if (s->kept[n][i] != NULL)
                lowering_assign(t, s->kept[n][i], term_false(t->store));
        if (t->objects->items[n].tracked != 0)
            lowering_nothing_written(t, n);
    }
}

void lowering_finish_summaries(struct translator *t)
{
    if (t->summaries == NULL)
        return;
    for (size_t n = 0; n < t->objects->count; n++)
        memory_free(t->summaries->kept[n]);
    memory_free(t->summaries->kept);
    stored_destroy(t->summaries->stored);
    memory_free(t->summaries->sites);
    memory_free(t->summaries->pure);
    memory_free(t->summaries);
}

const struct term *lowering_take_tracked(struct translator *t, uint32_t number,
                                         const struct term **tracked)
{
    const struct site *site = &t->objects->sites[number];
    const struct term *pick = lowering_any(t, sort_bv(t->store, 2), "pick");
    const struct term *result = lowering_pointer(t, site->first + site->tracked, 0);
    assert(site->tracked > 0 && site->tracked <= 2);
    for (uint32_t k = 0; k < site->tracked; k++) {
        const struct variable *taken = t->summaries->sites[number].taken[k];
        tracked[k] = term_and2(t->store, term_eq(t->store, pick, term_bv(t->store, 2, k)),
                               term_not(t->store, taken->term));
        // As of now: it is about to change.
        const struct variable *now =
            model_builder_fresh(t->builder, "takes", sort_bool(t->store), 0, t->at);
        lowering_assign(t, now, tracked[k]);
        tracked[k] = now->term;
        lowering_assign(t, taken, term_or2(t->store, taken->term, now->term));
        result = term_ite(t->store, now->term, lowering_pointer(t, site->first + k, 0), result);
    }
    return result;
}

// Which runs count.

const struct term *lowering_counts(struct translator *t)
{
    const struct summaries *s = t->summaries;
    if (s == NULL)
        return lowering_text_counts(t);
    const uint32_t bits = s->last->sort->width;
    const struct term *out = term_eq(t->store, s->last->term, term_bv(t->store, bits, LAST_NONE));
    for (size_t i = 0; i < t->objects->site_count; i++) {
        if (t->objects->sites[i].tracked == 0)
            continue;
        const struct term *one =
            term_eq(t->store, s->last->term, term_bv(t->store, bits, LAST_FIRST + i));
        if (s->sites[i].lost != NULL)
            one = term_and2(t->store, one, term_not(t->store, s->sites[i].lost->term));
        out = term_or2(t->store, out, one);
    }
    return term_and2(t->store, out, lowering_text_counts(t));
}

const struct term *lowering_blame(struct translator *t, const struct operand *address,
                                  const struct term *pointer)
{
    const struct term *text = lowering_text_blame(t, address, pointer);
    if (t->summaries == NULL)
        return text;
    const struct term *out =
        term_not(t->store, lowering_points_into(t, pointer, t->objects->vague));
    struct targets targets = objects_of(t->objects, address);
    for (size_t i = 0; i < targets.count; i++) {
        const uint32_t object = targets.data[i].object;
        uint32_t number;
        if (site_of_object(t, object, &number) == NULL)
            continue;
        const struct variable *lost = t->summaries->sites[number].lost;
        // Of others, what is wrong is so where these are the first tracked ones.
        const struct term *mine = t->objects->items[object].tracked != 1 ? term_false(t->store)
                                  : lost == NULL                         ? term_true(t->store)
                                                 : term_not(t->store, lost->term);
        out = term_ite(t->store, lowering_points_into(t, pointer, object), mine, out);
    }
    memory_free(targets.data);
    return term_and2(t->store, out, text);
}

// Accesses.

static void assign_when(struct translator *t, const struct variable *v, const struct term *term)
{
    lowering_assign(t, v, t->when == NULL ? term : term_ite(t->store, t->when, term, v->term));
}

void lowering_accessed(struct translator *t, const struct operand *address,
                       const struct term *pointer)
{
    const struct summaries *s = t->summaries;
    lowering_text_accessed(t, address, pointer);
    if (s == NULL)
        return;
    const struct term *out = s->last->term;
    struct targets targets = objects_of(t->objects, address);
    for (size_t i = 0; i < targets.count; i++) {
        const uint32_t object = targets.data[i].object;
        uint32_t number;
        if (site_of_object(t, object, &number) == NULL)
            continue;
        const uint32_t now =
            t->objects->items[object].tracked == 1 ? LAST_FIRST + number : LAST_OTHER;
        out = term_ite(t->store, lowering_points_into(t, pointer, object),
                       term_bv(t->store, s->last->sort->width, now), out);
    }
    memory_free(targets.data);
    if (out != s->last->term)
        assign_when(t, s->last, out);
}

void lowering_freed(struct translator *t, const struct operand *address, const struct term *pointer)
{
    const struct summaries *s = t->summaries;
    if (s == NULL || s->freed == NULL)
        return;
    const struct term *out = s->freed->term;
    struct targets targets = objects_of(t->objects, address);
    for (size_t i = 0; i < targets.count; i++)
        if (t->objects->items[targets.data[i].object].summary)
            out = term_or2(t->store, out, lowering_points_into(t, pointer, targets.data[i].object));
    memory_free(targets.data);
    if (out != s->freed->term)
        lowering_assign(t, s->freed, out);
}

const struct term *lowering_left_counts(struct translator *t, const struct term *left)
{
    if (t->summaries == NULL || t->summaries->freed == NULL)
        return left;
    return term_and2(t->store, left,
                     term_or2(t->store, t->summaries->freed->term, lowering_counts(t)));
}

static bool may_hold(const struct translator *t, uint32_t summary, uint32_t object)
{
    const struct object *o = &t->objects->items[summary];
    for (size_t i = 0; i < o->holding_count; i++) {
        if (o->holdings[i].to.object == object)
            return true;
    }
    return false;
}

void lowering_loaded(struct translator *t, const struct operand *address,
                     const struct term *pointer, const struct term *value)
{
    const struct summaries *s = t->summaries;
    struct targets targets = objects_of(t->objects, address);
    for (size_t n = 0; n < t->objects->site_count && s != NULL; n++) {
        if (s->sites[n].lost == NULL)
            continue;
        const uint32_t first = t->objects->sites[n].first;
        const struct term *out = s->sites[n].lost->term;
        bool some = false;
        for (size_t i = 0; i < targets.count; i++) {
            const uint32_t object = targets.data[i].object;
            uint32_t number;
            const struct site *site = site_of_object(t, object, &number);
            if (site == NULL || !may_hold(t, site->first + site->tracked, first))
                continue;
            some = true;
            out = term_ite(t->store, lowering_points_into(t, pointer, object),
                           term_bool(t->store, t->objects->items[object].summary), out);
        }
        if (some)
            assign_when(t, s->sites[n].lost,
                        term_ite(t->store, lowering_points_into(t, value, first), out,
                                 s->sites[n].lost->term));
    }
    memory_free(targets.data);
}

// The pointer is one that the target says.
static const struct term *means(struct translator *t, const struct term *pointer,
                                const struct target *target)
{
    if (target->stride == 0)
        return term_eq(t->store, pointer, lowering_pointer(t, target->object, target->offset));
    return lowering_points_into(t, pointer, target->object);
}

// What the program stores in this place.
static void assume_range(struct translator *t, const struct term *value, uint32_t object,
                         int64_t offset, uint64_t bytes)
{
    int64_t least, most;
    if (!stored_range(t->summaries->stored, object, offset, bytes, &least, &most))
        return;
    const struct term *low = term_bv(t->store, value->sort->width, (uint64_t)least);
    const struct term *high = term_bv(t->store, value->sort->width, (uint64_t)most);
    lowering_assume(t, term_bv_binary(t->store, TERM_BV_SLE, low, value));
    lowering_assume(t, term_bv_binary(t->store, TERM_BV_SLE, value, high));
}

const struct term *lowering_load_summary(struct translator *t, uint32_t object,
                                         const struct target *from, const struct term *guard,
                                         uint64_t bytes, bool pointer)
{
    const struct object *o = &t->objects->items[object];
    const uint32_t width = pointer ? t->pointer_bits : (uint32_t)(8 * bytes);
    const struct term *out = lowering_any(t, sort_bv(t->store, width), "others");
    if (from->stride != 0 || !t->summaries->pure[object])
        return out;
    if (!pointer) {
        assume_range(t, out, object, from->offset, bytes);
        return out;
    }
    lowering_assume(t, term_not(t->store, lowering_points_into(t, out, t->objects->unwritten)));
    const struct term *known =
        term_or2(t->store, t->summaries->odd->term,
                 term_eq(t->store, out, lowering_pointer(t, t->objects->vague, 0)));
    for (size_t i = 0; i < o->holding_count; i++) {
        const struct holding *h = &o->holdings[i];
        const struct variable *kept = t->summaries->kept[object][i];
        if (!may_meet(h->offset, h->stride, bytes, from->offset, 0, bytes))
            continue;
        const struct term *one = means(t, out, &h->to);
        known =
            term_or2(t->store, known, kept == NULL ? one : term_and2(t->store, one, kept->term));
    }
    lowering_assume(t, term_implies(t->store, guard, known));
    return out;
}

void lowering_store_summary(struct translator *t, uint32_t object, const struct target *to,
                            const struct term *guard, uint64_t bytes, const struct term *value)
{
    const struct object *o = &t->objects->items[object];
    const struct term *known =
        term_eq(t->store, lowering_settled(t, value), lowering_pointer(t, 0, 0));
    lowering_hold(t, &value);
    lowering_hold(t, &guard);
    lowering_hold(t, &known);
    for (size_t i = 0; i < o->holding_count; i++) {
        const struct holding *h = &o->holdings[i];
        const struct variable *kept = t->summaries->kept[object][i];
        if (!may_meet(h->offset, h->stride, bytes, to->offset, to->stride, bytes))
            continue;
        const struct term *one = means(t, value, &h->to);
        known = term_or2(t->store, known, one);
        if (kept != NULL)
            lowering_assign(t, kept,
                            term_or2(t->store, kept->term, term_and2(t->store, guard, one)));
    }
    const struct term *odd = term_and2(t->store, guard, term_not(t->store, known));
    lowering_assign(t, t->summaries->odd, term_or2(t->store, t->summaries->odd->term, odd));
    lowering_release(t);
    lowering_release(t);
    lowering_release(t);
}

// A pointer was loaded from this place: nobody has written it, and if that is the fault of a run that counts.
const struct term *lowering_unwritten(struct translator *t, uint32_t object,
                                      const struct term *guard, const struct term *value,
                                      const struct term **hit)
{
    uint32_t number;
    const struct site *site = site_of_object(t, object, &number);
    const struct object *o = &t->objects->items[object];
    *hit = term_false(t->store);
    if (site == NULL && lowering_follows_chains(t)) {
        *hit = term_and2(t->store, guard, lowering_points_into(t, value, t->objects->unwritten));
        return *hit;
    }
    if (site == NULL || o->summary || !t->summaries->pure[site->first + site->tracked])
        return *hit;
    const struct term *unwritten =
        term_and2(t->store, guard, lowering_points_into(t, value, t->objects->unwritten));
    const struct variable *lost = t->summaries->sites[number].lost;
    if (o->tracked == 1)
        *hit = lost == NULL ? unwritten
                            : term_and2(t->store, unwritten, term_not(t->store, lost->term));
    return unwritten;
}

const struct term *lowering_settled(struct translator *t, const struct term *pointer)
{
    if (t->summaries == NULL)
        return pointer;
    const struct term *null =
        term_bv_binary(t->store, TERM_BV_CONCAT, term_bv(t->store, t->object_bits, 0),
                       lowering_offset_part(t, pointer));
    return term_ite(t->store, lowering_points_into(t, pointer, t->objects->vague), null, pointer);
}

const struct term *lowering_taken(struct translator *t, uint32_t object)
{
    const struct object *o = &t->objects->items[object];
    return o->tracked == 0
               ? NULL
               : t->summaries->sites[t->objects->site_of[o->value]].taken[o->tracked - 1]->term;
}

const struct term *lowering_lost(struct translator *t, uint32_t object)
{
    const struct object *o = &t->objects->items[object];
    return t->summaries->sites[t->objects->site_of[o->value]].lost->term;
}

const struct term *lowering_kept(struct translator *t, uint32_t summary, size_t holding)
{
    const struct variable *kept = t->summaries->kept[summary][holding];
    return kept == NULL ? NULL : kept->term;
}

static void guess(struct translator *t, struct text *out, const struct term *term)
{
    precision_text_add(out, t->store, &(struct precision_item){.predicate = term});
}

void lowering_guess_summaries(struct translator *t, struct text *out)
{
    guess(t, out, term_not(t->store, t->summaries->odd->term));
    for (uint32_t n = 0; n < t->objects->count; n++) {
        const struct object *o = &t->objects->items[n];
        for (size_t i = 0; i < o->holding_count && o->summary; i++) {
            const struct variable *kept = t->summaries->kept[n][i];
            if (kept != NULL)
                guess(t, out,
                      term_implies(t->store, kept->term,
                                   lowering_taken(t, o->holdings[i].to.object)));
        }
    }
}

const struct term *lowering_is_summary(struct translator *t, const struct term *pointer)
{
    const struct term *out = term_false(t->store);
    for (uint32_t n = 0; n < t->objects->count; n++) {
        if (object_is_many(&t->objects->items[n]))
            out = term_or2(t->store, out, lowering_points_into(t, pointer, n));
    }
    return out;
}

bool lowering_may_be_summary(const struct translator *t, const struct operand *operand)
{
    if (t->summaries == NULL && t->other_text == NULL)
        return false;
    struct targets targets = objects_of(t->objects, operand);
    bool some = false;
    for (size_t i = 0; i < targets.count; i++)
        some = some || object_is_many(&t->objects->items[targets.data[i].object]);
    memory_free(targets.data);
    return some;
}
