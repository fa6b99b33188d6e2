#include <stdio.h>

#include "engines/domains/sharing.h"
#include "engines/pdr/ic3.h"
#include "model/precision_text.h"

// IC3 in company (engine_environment.share, .hear). It gives away the clauses that have come farthest, each whole (for
// who looks for invariants) and as atoms (for who looks for predicates). With cubes over predicates it takes up what
// others gave as further predicates. Neither is believed: a predicate says what cubes may speak of.

enum { FIRST_ROUND = 3 }; // frames and refinements before; most tasks need no more

static void give_predicate(struct ic3 *c, struct text *out, const struct term *predicate,
                           const struct location *location)
{
    struct precision_item item = {.predicate = predicate, .location = location};
    if (predicate->tree_size > SHARING_LARGEST || term_is_literal(predicate) ||
        c->given >= SHARING_MOST_GIVEN)
        return;
    c->given++;
    precision_text_add(out, c->workspace.store, &item);
}

// The literals but that for the location, which is returned, NULL = any.
static const struct location *parts_of(struct ic3 *c, const struct cube *cube,
                                       struct term_vector *parts)
{
    const struct location *location = NULL;
    VECTOR_CLEAR(parts);
    for (uint32_t i = 0; i < cube->count; i++) {
        const struct fact *fact = &c->facts.table.data[cube->literals[i] / 2];
        if (fact->location == UINT32_MAX)
            VECTOR_PUSH(parts, literal_now(&c->facts, cube->literals[i]));
        else if (!(cube->literals[i] & 1))
            location = c->workspace.model->locations[fact->location];
    }
    return location;
}

static void give_cube(struct ic3 *c, struct text *out, const struct cube *cube)
{
    struct term_store *store = c->workspace.store;
    struct term_vector parts = {0};
    const struct location *location = parts_of(c, cube, &parts);
    if (parts.count) {
        give_predicate(c, out, term_not(store, term_and(store, parts.data, parts.count)), location);
        for (size_t i = 0; i < parts.count; i++) {
            const struct term *part = parts.data[i];
            give_predicate(c, out, part->kind == TERM_NOT ? part->child[0] : part, location);
        }
    }
    VECTOR_FINISH(&parts);
}

// Clauses that hold for the most steps first; those of the first frame have not lasted.
static void give(struct ic3 *c)
{
    const struct engine_environment *e = c->workspace.environment;
    struct text out;
    text_init(&out);
    for (uint32_t k = c->frames.top; k-- > 2 && c->given < SHARING_MOST_GIVEN;)
        for (size_t i = 0; i < c->frames.levels.data[k].cubes.count; i++)
            give_cube(c, &out, c->frames.levels.data[k].cubes.data[i]);
    if (out.length)
        e->share(e->observer, text_string(&out));
    text_finish(&out);
}

static void take_item(void *context, const struct precision_item *item)
{
    struct ic3 *c = context;
    size_t before = c->facts.table.count;
    bool added = false;
    if (item->predicate == NULL || item->elsewhere ||
        item->predicate->tree_size > SHARING_LARGEST || c->taken >= SHARING_MOST_TAKEN)
        return;
    states_add_predicates(c, item->predicate, &added);
    c->taken += c->facts.table.count - before;
}

static void take(struct ic3 *c)
{
    const struct engine_environment *e = c->workspace.environment;
    const char *text = e->hear(e->observer);
    if (!*text)
        return;
    precision_text_read(text, e->model, e->store, take_item, c);
    frames_learn(&c->frames);
}

void company_share(struct ic3 *c)
{
    const struct engine_environment *e = c->workspace.environment;
    uint64_t round = c->frames.top + c->refinements;
    if (round < FIRST_ROUND || round < c->next_sharing)
        return;
    c->next_sharing = round + 1 + round / 4; // most of it has been given before: ever more seldom
    c->given = 0;
    if (e->share != NULL)
        give(c);
    if (e->hear != NULL && !c->values && c->taken < SHARING_MOST_TAKEN)
        take(c);
}

void company_describe(const struct ic3 *c, char *notes, size_t bytes)
{
    if (c->taken)
        snprintf(notes, bytes, "took up %zu elements of others", c->taken);
}
