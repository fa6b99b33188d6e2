#include <assert.h>

#include "base/memory.h"
#include "languages/programs/translate_inside.h"
#include "logic/terms/rewrite.h"
#include "model/precision_text.h"

// What may hold of a model whose blocks are of any number, at its loops (docs/definitions/blocks.md): where pointers point, and what
// the program asks of a block holds, or not, of each that was taken. Engines guess it and keep what they can prove.

#define MOST_ASKED 14 // conditions about one block
#define MOST_PAIRED 7 // of them in pairs

struct guesses {
    struct translator *t;
    struct text *out;
};

static void add(struct guesses *g, const struct term *term)
{
    if (!term_is_literal(term))
        precision_text_add(g->out, g->t->store, &(struct precision_item){.predicate = term});
}

void lowering_asked(struct translator *t, const struct term *condition)
{
    if (t->summaries == NULL || condition->tree_size > 300)
        return;
    for (size_t i = 0; i < t->asked.count; i++)
        if (t->asked.data[i] == condition)
            return;
    if (t->asked.count < 400)
        VECTOR_PUSH(&t->asked, condition);
}

static const struct term *object_is(struct translator *t, const struct term *pointer,
                                    uint32_t object)
{
    return term_eq(t->store, lowering_object_part(t, pointer),
                   term_bv(t->store, t->object_bits, object));
}

static bool cell_holds(const struct holding *h, const struct cell *c)
{
    if (h->stride == 0)
        return h->offset == (int64_t)c->offset;
    return ((int64_t)c->offset - h->offset) % (int64_t)h->stride == 0;
}

// Where a pointer in this cell points; `when` guards it.
static void guess_pointer(struct guesses *g, const struct object *o, size_t cell,
                          const struct term *value, const struct term *when)
{
    struct translator *t = g->t;
    const struct term *known =
        term_or2(t->store, term_eq(t->store, value, lowering_pointer(t, 0, 0)),
                 term_eq(t->store, value, lowering_pointer(t, t->objects->vague, 0)));
    for (size_t i = 0; i < o->holding_count; i++) {
        const struct target *to = &o->holdings[i].to;
        if (!cell_holds(&o->holdings[i], &o->cells[cell]))
            continue;
        known = term_or2(t->store, known,
                         to->stride == 0
                             ? term_eq(t->store, value, lowering_pointer(t, to->object, to->offset))
                             : object_is(t, value, to->object));
        const struct term *taken = lowering_taken(t, to->object);
        if (taken != NULL)
            add(g, term_or2(t->store, taken, term_not(t->store, object_is(t, value, to->object))));
    }
    add(g, term_implies(t->store, when, known));
}

// The part of a term that is about this object: choices by pointers are made so.
static const struct term *about(struct translator *t, const struct term *term,
                                const struct term *const *cells, size_t count)
{
    for (bool changed = true; changed;) {
        struct term_vector todo = {0};
        changed = false;
        VECTOR_PUSH(&todo, term);
        while (todo.count > 0 && !changed) {
            const struct term *one = VECTOR_POP(&todo);
            for (uint32_t k = 1; k < 3 && one->kind == TERM_ITE && !changed; k++) {
                for (size_t c = 0; c < count && !changed; c++) {
                    if (!rewrite_contains(one->child[k], cells[c]))
                        continue;
                    term = rewrite_replace(t->store, term, one, one->child[k]);
                    changed = true;
                }
            }
            for (uint32_t k = 0; k < one->child_count; k++)
                VECTOR_PUSH(&todo, one->child[k]);
        }
        VECTOR_FINISH(&todo);
    }
    return term;
}

static bool has_meaning(struct translator *t, const struct term *variable)
{
    for (size_t n = 1; n < t->objects->count; n++) {
        const struct object *o = &t->objects->items[n];
        for (size_t c = 0; c < o->cell_count && !o->summary; c++)
            if (t->memory[n].cells[c]->term == variable)
                return true;
    }
    return false;
}

static void guess_asked(struct guesses *g, uint32_t object)
{
    struct translator *t = g->t;
    const struct object *o = &t->objects->items[object];
    const struct term *taken = lowering_taken(t, object), *asked[MOST_ASKED];
    const struct term **cells = memory_zalloc((o->cell_count + 1) * sizeof(const struct term *));
    size_t count = 0, used = 0;
    for (size_t c = 0; c < o->cell_count; c++)
        cells[count++] = t->memory[object].cells[c]->term;
    for (size_t i = 0; i < t->asked.count && used < MOST_ASKED; i++) {
        const struct term *one = about(t, t->asked.data[i], cells, count);
        while (one->kind == TERM_NOT)
            one = one->child[0];
        struct term_vector variables = {0};
        rewrite_free_variables(one, &variables);
        bool good = false, fine = true;
        for (size_t v = 0; v < variables.count; v++) {
            fine = fine && has_meaning(t, variables.data[v]);
            for (size_t c = 0; c < count; c++)
                good = good || variables.data[v] == cells[c];
        }
        VECTOR_FINISH(&variables);
        for (size_t k = 0; k < used; k++)
            good = good && asked[k] != one;
        if (good && fine)
            asked[used++] = one;
    }
    for (size_t i = 0; i < used; i++) {
        const struct term *no = term_not(t->store, asked[i]);
        add(g, term_implies(t->store, taken, asked[i]));
        add(g, term_implies(t->store, taken, no));
        for (size_t k = 0; k < i && i < MOST_PAIRED; k++) {
            const struct term *other = term_not(t->store, asked[k]);
            add(g, term_implies(t->store, taken, term_or2(t->store, asked[i], asked[k])));
            add(g, term_implies(t->store, taken, term_or2(t->store, asked[i], other)));
            add(g, term_implies(t->store, taken, term_or2(t->store, no, asked[k])));
            add(g, term_implies(t->store, taken, term_or2(t->store, no, other)));
        }
    }
    memory_free(cells);
}

void lowering_guesses(struct translator *t, struct text *out)
{
    struct guesses g = {t, out};
    if (t->summaries == NULL)
        return;
    lowering_guess_summaries(t, out);
    for (uint32_t n = 1; n < t->objects->count; n++) {
        const struct object *o = &t->objects->items[n];
        const struct term *taken = o->tracked != 0 ? lowering_taken(t, n) : term_true(t->store);
        for (size_t c = 0; c < o->cell_count && o->layout == LAYOUT_CELLS && !o->summary; c++)
            if (o->cells[c].pointer)
                guess_pointer(&g, o, c, t->memory[n].cells[c]->term, taken);
        if (o->tracked != 0 && o->layout == LAYOUT_CELLS)
            guess_asked(&g, n);
    }
}
