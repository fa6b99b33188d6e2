#include <assert.h>

#include "base/memory.h"
#include "languages/programs/translate_inside.h"
#include "logic/terms/rewrite.h"
#include "model/precision_text.h"

// What may hold of a model whose blocks are of any number, at its loops (docs/definitions/blocks.md): where pointers point, and what
// the program asks of a block holds, or not, of each that was taken. Engines guess it and keep what they can prove.

#define MOST_ASKED 14 // conditions about one block
#define MOST_PAIRED 7 // of them in pairs
#define MOST_LITERALS 5
#define MOST_PLAIN 12 // conditions about no block
#define MOST_LOADS 24
#define MOST_NUMBERS 12 // that may say how much room there is
#define MOST_SIZE 300   // nodes of a condition, or of what was loaded

struct guesses {
    struct translator *t;
    struct text *out;
};

static void add(struct guesses *g, const struct term *term)
{
    if (!term_is_literal(term))
        precision_text_add(g->out, g->t->store, &(struct precision_item){.predicate = term});
}

static void ask(struct translator *t, const struct term *condition)
{
    for (size_t i = 0; i < t->asked.count; i++)
        if (t->asked.data[i] == condition)
            return;
    if (t->asked.count < 400 && condition->tree_size <= MOST_SIZE)
        VECTOR_PUSH(&t->asked, condition);
}

static const struct term *loaded(void *context, const struct term *variable)
{
    const struct translator *t = context;
    for (size_t i = t->defined.count; i-- > 0;)
        if (t->defined.data[i].variable == variable)
            return t->defined.data[i].term;
    return variable;
}

void lowering_loads(struct translator *t, const struct variable *value, const struct term *term)
{
    const struct defined defined = {value->term, term};
    if (t->summaries != NULL && term->tree_size <= MOST_SIZE)
        VECTOR_PUSH(&t->defined, defined);
}

// As it is, and of what was loaded.
void lowering_asked(struct translator *t, const struct term *condition)
{
    if (t->summaries == NULL || condition->tree_size > MOST_SIZE)
        return;
    ask(t, condition);
    ask(t, rewrite_substitute(t->store, condition, loaded, t));
}

static bool may_hold(const struct object *o, uint32_t object)
{
    for (size_t i = 0; i < o->holding_count; i++)
        if (o->holdings[i].to.object == object)
            return true;
    return false;
}

// There are two tracked blocks for what is asked of both.
static bool follows_pairs(const struct translator *t, uint32_t object)
{
    const struct object *o = &t->objects->items[object];
    return o->tracked != 0 && t->objects->sites[t->objects->site_of[o->value]].tracked == 2 &&
           !lowering_tracks(t);
}

// Values that other blocks of the program use, likewise.
static size_t value_holders(struct translator *t, uint32_t object, const struct term **out,
                            size_t count)
{
    for (uint32_t v = 0; v < t->flat->value_count && count < LOWERING_HOLDERS; v++) {
        const struct variable *variable = t->variable_of[v];
        const struct targets *targets = &t->objects->targets[v];
        bool may = false;
        for (size_t i = 0; i < targets->count && variable != NULL; i++)
            may = may || targets->data[i].object == object;
        if (may && variable->sort->kind == SORT_BV && variable->sort->width == t->pointer_bits)
            out[count++] = variable->term;
    }
    return count;
}

size_t lowering_holders(struct translator *t, uint32_t object, const struct term **out)
{
    size_t count = 0;
    for (uint32_t n = 1; n < t->objects->count && count < LOWERING_HOLDERS; n++) {
        const struct object *o = &t->objects->items[n];
        bool is = (o->kind == OBJECT_LOCAL || o->kind == OBJECT_GLOBAL) &&
                  o->layout == LAYOUT_CELLS && o->cell_count == 1 && o->cells[0].pointer;
        if (is && may_hold(o, object))
            out[count++] = t->memory[n].cells[0]->term;
    }
    return follows_pairs(t, object) ? value_holders(t, object, out, count) : count;
}

// Of a tracked block; also but for one that a variable points to, as it is while it is being made.
static void add_of_block(struct guesses *g, uint32_t object, const struct term *says)
{
    struct translator *t = g->t;
    const struct term *holder[LOWERING_HOLDERS];
    add(g, says);
    const size_t count =
        t->objects->items[object].tracked != 0 ? lowering_holders(t, object, holder) : 0;
    for (size_t i = 0; i < count; i++)
        add(g, term_or2(t->store, says, lowering_points_into(t, holder[i], object)));
}

// Lives of the two tracked blocks of a site, the second of which may point to the first.
static void guess_lives(struct guesses *g, uint32_t first)
{
    struct translator *t = g->t;
    const struct object *other = &t->objects->items[first + 1];
    const struct object *others = &t->objects->items[first + 2];
    assert(other->tracked == 2 && others->summary && "a site's objects lie side by side");
    const struct term *lost = lowering_lost(t, first), *holder[LOWERING_HOLDERS];
    const struct term *alive[] = {t->memory[first].alive->term, t->memory[first + 1].alive->term};
    const size_t count = lowering_holders(t, first, holder);
    add(g, term_not(t->store, lost));
    for (uint32_t k = 0; k < 2; k++) {
        const struct term *taken = lowering_taken(t, first + k);
        add(g, term_implies(t->store, taken, alive[k]));
        add(g, term_implies(t->store, alive[k], taken));
    }
    for (size_t i = 0; i < count; i++) {
        const struct term *is = lowering_points_into(t, holder[i], first);
        const struct term *is_other = lowering_points_into(t, holder[i], first + 1);
        add(g, term_implies(t->store, is, term_or2(t->store, alive[0], lost)));
        add(g, term_implies(t->store, is, alive[0]));
        add(g, term_implies(t->store, is_other, alive[1]));
        for (size_t h = 0; h < others->holding_count; h++) {
            const struct term *kept = lowering_kept(t, first + 2, h);
            if (others->holdings[h].to.object == first && kept != NULL)
                add(g, term_implies(t->store, is, term_not(t->store, kept)));
        }
    }
    for (size_t c = 0; c < other->cell_count && other->layout == LAYOUT_CELLS; c++) {
        if (!other->cells[c].pointer)
            continue;
        const struct term *points =
            lowering_points_into(t, t->memory[first + 1].cells[c]->term, first);
        const struct term *both = term_and2(t->store, points, alive[1]);
        add(g, term_implies(t->store, points, term_not(t->store, lost)));
        add(g, term_implies(t->store, both, alive[0]));
        for (size_t h = 0; h < others->holding_count; h++) {
            const struct term *kept = lowering_kept(t, first + 2, h);
            if (others->holdings[h].to.object == first && kept != NULL)
                add(g, term_implies(t->store, points, term_not(t->store, kept)));
        }
        for (size_t i = 0; i < count; i++)
            add(g, term_implies(t->store, lowering_points_into(t, holder[i], first),
                                term_not(t->store, both)));
    }
}

static bool cell_holds(const struct holding *h, const struct cell *c)
{
    if (h->stride == 0)
        return h->offset == (int64_t)c->offset;
    return ((int64_t)c->offset - h->offset) % (int64_t)h->stride == 0;
}

// Where a pointer in this cell points; `when` guards it.
static void guess_pointer(struct guesses *g, uint32_t object, size_t cell, const struct term *value,
                          const struct term *when)
{
    struct translator *t = g->t;
    const struct object *o = &t->objects->items[object];
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
                             : lowering_points_into(t, value, to->object));
        const struct term *taken = lowering_taken(t, to->object);
        if (taken != NULL)
            add(g, term_or2(t->store, taken,
                            term_not(t->store, lowering_points_into(t, value, to->object))));
    }
    add_of_block(g, object, term_implies(t->store, when, known));
    add_of_block(
        g, object,
        term_implies(t->store, when,
                     term_not(t->store, term_eq(t->store, value, lowering_pointer(t, 0, 0)))));
    if (o->tracked == 0)
        return;
    add(g, term_not(t->store, lowering_points_into(t, value, object)));
    add_of_block(
        g, object,
        term_implies(t->store, when,
                     term_not(t->store, lowering_points_into(t, value, t->objects->vague))));
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
            // A cell itself first, then what has one in it: the second, where the first is null of some block.
            for (uint32_t k = 0; k < 4 && one->kind == TERM_ITE && !changed; k++) {
                const struct term *branch = one->child[2 - k % 2];
                for (size_t c = 0; c < count && !changed; c++) {
                    if (k < 2 ? branch != cells[c] : !rewrite_contains(branch, cells[c]))
                        continue;
                    term = rewrite_replace(t->store, term, one, branch);
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
    for (size_t v = 0; v < t->flat->value_count; v++)
        if (t->variable_of[v] != NULL && t->variable_of[v]->term == variable)
            return true;
    return false;
}

// Numbers that conditions name: a cell is such a one, at most, or at least.
static void guess_literals(struct guesses *g, uint32_t object, const struct term *cell,
                           const struct term *taken)
{
    struct translator *t = g->t;
    struct term_vector found = {0}, todo = {0};
    for (size_t i = 0; i < t->asked.count; i++)
        VECTOR_PUSH(&todo, t->asked.data[i]);
    for (size_t work = 0; todo.count > 0 && found.count < MOST_LITERALS && work < 4000; work++) {
        const struct term *one = VECTOR_POP(&todo);
        bool is = one->kind == TERM_BV && one->sort == cell->sort;
        for (size_t i = 0; i < found.count; i++)
            is = is && found.data[i] != one;
        if (is)
            VECTOR_PUSH(&found, one);
        for (uint32_t k = 0; k < one->child_count; k++)
            VECTOR_PUSH(&todo, one->child[k]);
    }
    for (size_t i = 0; i < found.count; i++) {
        const struct term *k = found.data[i];
        const struct term *says[] = {term_eq(t->store, cell, k),
                                     term_bv_binary(t->store, TERM_BV_SLE, cell, k),
                                     term_bv_binary(t->store, TERM_BV_SLE, k, cell)};
        for (size_t n = 0; n < 3; n++)
            add_of_block(g, object, term_implies(t->store, taken, says[n]));
    }
    VECTOR_FINISH(&found);
    VECTOR_FINISH(&todo);
}

// Where a variable points to the block a condition holds, or not, or the two numbers that it compares are the same.
static void add_where_held(struct guesses *g, uint32_t object, const struct term *says)
{
    struct translator *t = g->t;
    const struct term *holder[LOWERING_HOLDERS];
    const size_t count = lowering_holders(t, object, holder);
    const bool compares = says->kind == TERM_BV_SLE || says->kind == TERM_BV_SLT ||
                          says->kind == TERM_BV_ULE || says->kind == TERM_BV_ULT;
    for (size_t i = 0; i < count; i++) {
        const struct term *is = lowering_points_into(t, holder[i], object);
        add(g, term_implies(t->store, is, says));
        add(g, term_implies(t->store, is, term_not(t->store, says)));
        if (compares)
            add(g, term_implies(t->store, is, term_eq(t->store, says->child[0], says->child[1])));
    }
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
    for (size_t c = 0; c < count; c++)
        if (!o->cells[c].pointer)
            guess_literals(g, object, cells[c], taken);
    for (size_t i = 0; i < used; i++) {
        const struct term *no = term_not(t->store, asked[i]);
        add_of_block(g, object, term_implies(t->store, taken, asked[i]));
        add_of_block(g, object, term_implies(t->store, taken, no));
        for (size_t k = 0; k < i && i < MOST_PAIRED; k++) {
            const struct term *other = term_not(t->store, asked[k]);
            add(g, term_implies(t->store, taken, term_or2(t->store, asked[i], asked[k])));
            add(g, term_implies(t->store, taken, term_or2(t->store, asked[i], other)));
            add(g, term_implies(t->store, taken, term_or2(t->store, no, asked[k])));
            add(g, term_implies(t->store, taken, term_or2(t->store, no, other)));
        }
    }
    if (follows_pairs(t, object))
        for (size_t i = 0; i < used; i++)
            add_where_held(g, object, asked[i]);
    memory_free(cells);
}

static bool is_plain(struct translator *t, const struct term *condition)
{
    struct term_vector variables = {0};
    rewrite_free_variables(condition, &variables);
    bool plain = variables.count > 0;
    for (size_t v = 0; v < variables.count; v++)
        plain = plain && has_meaning(t, variables.data[v]);
    for (size_t n = 1; n < t->objects->count; n++) {
        const struct object *o = &t->objects->items[n];
        for (size_t c = 0; c < o->cell_count && o->tracked != 0; c++)
            for (size_t v = 0; v < variables.count; v++)
                plain = plain && variables.data[v] != t->memory[n].cells[c]->term;
    }
    VECTOR_FINISH(&variables);
    return plain;
}

// Numbers that are compared for being the same: one may be at most the other.
static void add_orders(struct guesses *g, const struct term *condition)
{
    struct term_store *store = g->t->store;
    if (condition->kind == TERM_NOT)
        condition = condition->child[0];
    if (condition->kind != TERM_EQ || condition->child[0]->sort->kind != SORT_BV)
        return;
    for (int k = 0; k < 2; k++) {
        const struct term *a = condition->child[k], *b = condition->child[1 - k];
        if (a->kind == TERM_BV || b->kind == TERM_BV)
            continue;
        add(g, term_bv_binary(store, TERM_BV_SLE, a, b));
        add(g, term_bv_binary(store, TERM_BV_ULE, a, b));
    }
}

// What the program asks of its variables: what is known of these where a block is made.
static void guess_plain(struct guesses *g)
{
    struct translator *t = g->t;
    size_t used = 0;
    for (size_t i = 0; i < t->asked.count && used < MOST_PLAIN; i++) {
        const struct term *one = t->asked.data[i];
        if (!is_plain(t, one))
            continue;
        add(g, one); // or its negation
        add_orders(g, one);
        used++;
    }
}

// What was loaded from a variable is there still.
static void guess_loads(struct guesses *g)
{
    struct translator *t = g->t;
    for (size_t i = 0; i < t->defined.count && i < MOST_LOADS; i++) {
        const struct defined *d = &t->defined.data[i];
        if (has_meaning(t, d->term))
            add(g, term_eq(t->store, d->variable, d->term));
    }
}

// Where arrays have as much room as some variable says: who points to the block points to its beginning, finds it alive, and its size is
// so many times a number of the program.

static bool is_variable(const struct object *o)
{
    return (o->kind == OBJECT_LOCAL || o->kind == OBJECT_GLOBAL) && o->layout == LAYOUT_CELLS &&
           o->given == GIVEN_NOTHING;
}

// Numbers in the program's variables, of at most a pointer's width.
static size_t room_numbers(struct translator *t, const struct term **out)
{
    size_t count = 0;
    for (uint32_t n = 1; n < t->objects->count; n++) {
        const struct object *o = &t->objects->items[n];
        for (size_t c = 0; c < o->cell_count && is_variable(o) && count < MOST_NUMBERS; c++)
            if (!o->cells[c].pointer && o->cells[c].bytes >= 4 &&
                8 * o->cells[c].bytes <= t->offset_bits)
                out[count++] = term_bv_extend(t->store, TERM_BV_ZEXT, t->memory[n].cells[c]->term,
                                              t->offset_bits);
    }
    return count;
}

static void guess_room(struct guesses *g, uint32_t object, const struct term *holder,
                       const struct term *const *numbers, size_t number_count)
{
    struct translator *t = g->t;
    const struct object *o = &t->objects->items[object];
    const struct object_variables *v = &t->memory[object];
    const struct term *is = lowering_points_into(t, holder, object);
    const struct term *size =
        v->size != NULL ? v->size->term : term_bv(t->store, t->offset_bits, o->bytes);
    const uint64_t element = o->layout == LAYOUT_FIELDS ? o->period
                             : o->cell_count > 0        ? o->cells[0].bytes
                                                        : 1;
    const uint64_t factors[] = {1, element};
    assert(element > 0 && o->kind == OBJECT_HEAP);
    add(g, term_implies(t->store, is, term_eq(t->store, holder, lowering_pointer(t, object, 0))));
    if (v->alive != NULL) {
        add(g, term_implies(t->store, is, v->alive->term));
        add(g, term_implies(t->store, v->alive->term, is)); // nobody else has it
    }
    for (size_t i = 0; i < number_count; i++)
        for (size_t k = 0; k < (element > 1 ? 2 : 1); k++) {
            const struct term *room = term_bv_binary(t->store, TERM_BV_MUL, numbers[i],
                                                     term_bv(t->store, t->offset_bits, factors[k]));
            add(g, term_implies(t->store, is, term_eq(t->store, size, room)));
        }
}

static void guess_rooms(struct guesses *g)
{
    struct translator *t = g->t;
    const struct term *numbers[MOST_NUMBERS];
    const size_t number_count = room_numbers(t, numbers);
    bool arrays = false;
    for (uint32_t n = 1; n < t->objects->count; n++)
        arrays = arrays || (t->objects->items[n].tracked != 0 && t->memory[n].size != NULL);
    for (uint32_t n = 1; n < t->objects->count && arrays; n++) {
        const struct object *block = &t->objects->items[n];
        size_t used = 0;
        if (block->kind != OBJECT_HEAP || block->summary ||
            (block->cell_count == 0 && t->memory[n].bytes == NULL))
            continue;
        for (uint32_t h = 1; h < t->objects->count; h++) {
            const struct object *o = &t->objects->items[h];
            for (size_t c = 0; c < o->cell_count && is_variable(o) && used < LOWERING_HOLDERS;
                 c++) {
                if (!o->cells[c].pointer || !may_hold(o, n))
                    continue;
                guess_room(g, n, t->memory[h].cells[c]->term, numbers, number_count);
                used++;
            }
        }
    }
}

void lowering_guesses(struct translator *t, struct text *out)
{
    struct guesses g = {t, out};
    if (t->summaries == NULL)
        return;
    lowering_guess_summaries(t, out);
    lowering_reach_guess(t, out);
    if (!lowering_tracks(t))
        lowering_guess_pairs(t, out);
    guess_plain(&g);
    guess_loads(&g);
    guess_rooms(&g);
    for (uint32_t n = 1; n < t->objects->count; n++) {
        const struct object *o = &t->objects->items[n];
        const bool made = o->kind == OBJECT_HEAP && o->tracked == 0 && t->memory[n].alive != NULL;
        const struct term *taken = o->tracked != 0 ? lowering_taken(t, n)
                                   : made          ? t->memory[n].alive->term
                                                   : term_true(t->store);
        for (size_t c = 0; c < o->cell_count && o->layout == LAYOUT_CELLS && !o->summary; c++)
            if (o->cells[c].pointer)
                guess_pointer(&g, n, c, t->memory[n].cells[c]->term, taken);
        if (o->tracked != 0 && o->layout == LAYOUT_CELLS)
            guess_asked(&g, n);
        if (o->tracked == 1 && t->objects->items[n + 1].tracked == 2 && lowering_tracks(t))
            guess_lives(&g, n);
    }
}
