#include "engines/pdr/cube.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void facts_init(struct facts *facts, struct monolith *monolith)
{
    *facts = (struct facts){.monolith = monolith};
}

void facts_finish(struct facts *facts)
{
    VECTOR_FINISH(&facts->table);
    memory_free(facts->by_term);
}

bool facts_has(const struct facts *facts, const struct term *now)
{
    return now->id < facts->by_term_count && facts->by_term[now->id];
}

static const struct term *stand_in(struct facts *facts, const char *stem, uint32_t number)
{
    char name[32];
    snprintf(name, sizeof name, "!%s.%u", stem, number);
    struct term_store *store = facts->monolith->store;
    return term_var(store, name, sort_bool(store));
}

uint32_t facts_add(struct facts *facts, const struct term *now, uint32_t location)
{
    assert(now->sort->kind == SORT_BOOL && !(now->flags & TERM_HAS_QUANTIFIER));
    if (facts_has(facts, now))
        return facts->by_term[now->id] - 1;
    uint32_t number = (uint32_t)facts->table.count;
    const struct term *next = monolith_next(facts->monolith, now);
    struct fact fact = {
        .now = now,
        .next = next->kind == TERM_VAR ? next : stand_in(facts, "next", number),
        .mark = now->kind == TERM_VAR ? now : stand_in(facts, "now", number),
        .location = location,
    };
    VECTOR_PUSH(&facts->table, fact);
    if (now->id >= facts->by_term_count) {
        uint32_t wanted = 2 * now->id + 64;
        facts->by_term = memory_realloc(facts->by_term, wanted * sizeof *facts->by_term);
        memset(facts->by_term + facts->by_term_count, 0,
               (wanted - facts->by_term_count) * sizeof *facts->by_term);
        facts->by_term_count = wanted;
    }
    facts->by_term[now->id] = number + 1;
    return number;
}

void facts_define(struct facts *facts, struct smt *smt, uint32_t first, bool next)
{
    struct monolith *m = facts->monolith;
    for (size_t i = first; i < facts->table.count; i++) {
        const struct fact *f = &facts->table.data[i];
        const struct term *meaning = next ? monolith_next(m, f->now) : f->now;
        const struct term *variable = next ? f->next : f->mark;
        if (meaning != variable)
            smt_assert(smt, term_iff(m->store, variable, meaning));
    }
}

static const struct term *signed_as(const struct facts *facts, uint32_t literal,
                                    const struct term *positive)
{
    assert(literal / 2 < facts->table.count);
    return literal & 1 ? term_not(facts->monolith->store, positive) : positive;
}

const struct term *literal_now(const struct facts *facts, uint32_t literal)
{
    return signed_as(facts, literal, facts->table.data[literal / 2].now);
}

const struct term *literal_next(const struct facts *facts, uint32_t literal)
{
    return signed_as(facts, literal, facts->table.data[literal / 2].next);
}

const struct term *literal_mark(const struct facts *facts, uint32_t literal)
{
    return signed_as(facts, literal, facts->table.data[literal / 2].mark);
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

#ifndef NDEBUG
// Ascending, and no fact together with its negation.
static bool is_cube(const struct cube *cube)
{
    for (uint32_t i = 1; i < cube->count; i++)
        if (cube->literals[i - 1] / 2 >= cube->literals[i] / 2)
            return false;
    return true;
}
#endif

struct cube *cube_make(struct arena *arena, const uint32_t *literals, size_t count)
{
    struct cube *cube = arena_alloc(arena, sizeof *cube + count * sizeof *literals);
    cube->count = 0;
    if (count)
        memcpy(cube->literals, literals, count * sizeof *literals);
    qsort(cube->literals, count, sizeof *literals, ascending);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || cube->literals[i] != cube->literals[i - 1])
            cube->literals[cube->count++] = cube->literals[i];
    assert(is_cube(cube));
    return cube;
}

bool cube_subsumes(const struct cube *a, const struct cube *b)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < a->count; i++, j++) {
        while (j < b->count && b->literals[j] < a->literals[i])
            j++;
        if (j == b->count || b->literals[j] != a->literals[i])
            return false;
    }
    return true;
}

const struct term *cube_formula(const struct facts *facts, const struct cube *cube)
{
    struct term_vector parts = {0};
    for (uint32_t i = 0; i < cube->count; i++)
        VECTOR_PUSH(&parts, literal_now(facts, cube->literals[i]));
    const struct term *all = term_and(facts->monolith->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return all;
}
