#include "engines/domains/predicate_part.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/domains/hierarchy.h"

void predicate_part_init(struct predicate_part *part, struct workspace *workspace,
                         struct action_solvers *solvers, enum predicate_abstraction abstraction)
{
    uint32_t locations = workspace->model->location_count;
    *part = (struct predicate_part){
        .workspace = workspace,
        .solvers = solvers,
        .abstraction = abstraction,
        .local = workspace_option(workspace, OPTION_GRANULARITY) == GRANULARITY_LOCAL,
        .split = workspace_option(workspace, OPTION_PREDSPLIT),
        .precision = memory_zalloc((locations + 1) * sizeof *part->precision),
        .changed = memory_zalloc((locations + 1) * sizeof *part->changed),
    };
    predicate_table_init(&part->table, workspace);
    state_table_init(&part->cubes);
    state_table_init(&part->sets);
    state_table_init(&part->supports);
    state_table_init(&part->keys);
    state_table_init(&part->pairs);
}

void predicate_part_finish(struct predicate_part *part)
{
    predicate_memory_finish(part);
    if (part->entailment != NULL)
        smt_destroy(part->entailment);
    for (uint32_t l = 0; l < part->workspace->model->location_count; l++)
        VECTOR_FINISH(&part->precision[l]);
    memory_free(part->precision);
    memory_free(part->changed);
    for (size_t i = 0; i < part->extra.count; i++)
        memory_free(part->extra.data[i].implied);
    VECTOR_FINISH(&part->extra);
    VECTOR_FINISH(&part->touched);
    VECTOR_FINISH(&part->pair_answers);
    VECTOR_FINISH(&part->words);
    VECTOR_FINISH(&part->assumptions);
    VECTOR_FINISH(&part->found);
    predicate_table_finish(&part->table);
    state_table_finish(&part->cubes);
    state_table_finish(&part->sets);
    state_table_finish(&part->supports);
    state_table_finish(&part->keys);
    state_table_finish(&part->pairs);
}

size_t predicate_part_bytes(const struct predicate_part *part)
{
    return predicate_table_bytes(&part->table) + state_table_bytes(&part->cubes) +
           state_table_bytes(&part->sets) + state_table_bytes(&part->supports) +
           state_table_bytes(&part->keys) + state_table_bytes(&part->pairs) +
           part->extra.capacity * sizeof *part->extra.data + part->memory_bytes;
}

// Precision.

static bool list_insert(struct state_list *list, uint32_t number)
{
    size_t at = list->count;
    while (at > 0 && list->data[at - 1] > number)
        at--;
    if (at > 0 && list->data[at - 1] == number)
        return false;
    VECTOR_PUSH(list, number);
    memmove(list->data + at + 1, list->data + at, (list->count - 1 - at) * sizeof *list->data);
    list->data[at] = number;
    assert((at == 0 || list->data[at - 1] < number) &&
           (at + 1 == list->count || number < list->data[at + 1]));
    return true;
}

static void touch(struct predicate_part *part, uint32_t place, uint32_t number)
{
    assert(number < part->touched.count && part->version < UINT32_MAX);
    part->changed[place] = part->touched.data[number] = ++part->version;
}

bool predicate_part_add(struct predicate_part *part, const struct location *location,
                        const struct term *term)
{
    assert(term->sort->kind == SORT_BOOL);
    if (term_is_literal(term) || (term->flags & TERM_HAS_QUANTIFIER))
        return false;
    uint32_t number = predicate_table_number(&part->table, term);
    while (part->touched.count <= number)
        VECTOR_PUSH(&part->touched, 0);
    if (!list_insert(predicate_part_precision(part, location), number))
        return false;
    part->precision_size++;
    touch(part, part->local ? location->index : 0, number);
    return true;
}

void predicate_part_drop(struct predicate_part *part, uint32_t place, uint32_t number)
{
    struct state_list *list = &part->precision[place];
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->data[i] != number)
            list->data[kept++] = list->data[i];
    if (kept == list->count)
        return;
    assert(kept + 1 == list->count && "each is there once");
    list->count = kept;
    part->precision_size--;
    touch(part, place, number);
}

void predicate_split(const struct term *term, int64_t split, struct term_vector *parts)
{
    assert(split != PREDSPLIT_REGIONS && "hierarchy_split knows about regions");
    if (split == PREDSPLIT_ATOMS)
        rewrite_atoms(term, parts);
    else if (split == PREDSPLIT_CONJUNCTS)
        rewrite_conjuncts(term, parts);
    else
        VECTOR_PUSH(parts, term);
}

bool predicate_part_add_parts(struct predicate_part *part, const struct location *location,
                              const struct term *term, int64_t split)
{
    struct term_vector parts = {0};
    hierarchy_split(part->workspace, term, split, &parts);
    bool changed = false;
    for (size_t i = 0; i < parts.count; i++)
        changed |= predicate_part_add(part, location, parts.data[i]);
    VECTOR_FINISH(&parts);
    return changed;
}

void predicate_part_each(const struct predicate_part *part,
                         void (*take)(void *context, const struct precision_item *item),
                         void *context)
{
    const struct model *model = part->workspace->model;
    for (uint32_t l = 0; l < (part->local ? model->location_count : 1); l++)
        for (size_t i = 0; i < part->precision[l].count; i++)
            take(context, &(struct precision_item){
                              .predicate = predicate_table_term(
                                  &part->table, LITERAL(part->precision[l].data[i], 0)),
                              .location = part->local ? model->locations[l] : NULL,
                          });
}

static void each_assumption(const struct statement *s,
                            void (*take)(void *context, const struct term *term), void *context)
{
    if (s->kind == STATEMENT_ASSUME || s->kind == STATEMENT_IF)
        take(context, s->expression);
    for (uint32_t i = 0; i < s->child_count; i++)
        each_assumption(s->child[i], take, context);
}

void predicate_each_assumption(const struct model *model,
                               void (*take)(void *context, const struct term *term), void *context)
{
    for (uint32_t e = 0; e < model->edge_count; e++)
        each_assumption(model->edges[e]->action, take, context);
}
