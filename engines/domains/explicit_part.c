#include "engines/domains/explicit_part.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

void explicit_part_init(struct explicit_part *part, struct workspace *workspace,
                        struct action_solvers *solvers)
{
    const struct model *model = workspace->model;
    *part = (struct explicit_part){
        .workspace = workspace,
        .solvers = solvers,
        .width = model->variable_count,
        .bit_words = variable_bits_words(model->variable_count),
        .maxenum = workspace_option(workspace, OPTION_MAXENUM),
        .local = workspace_option(workspace, OPTION_GRANULARITY) == GRANULARITY_LOCAL,
        .post = explicit_post_create(workspace),
    };
    size_t bytes = part->bit_words * sizeof(variable_bits);
    arena_init(&part->arena);
    state_table_init(&part->states);
    state_table_init(&part->classes);
    state_table_init(&part->keys);
    part->precision = arena_zalloc(&part->arena, model->location_count * sizeof *part->precision);
    for (uint32_t l = 0; l < model->location_count; l++)
        part->precision[l] =
            part->local || l == 0 ? arena_zalloc(&part->arena, bytes) : part->precision[0];
    part->scratch = arena_zalloc(&part->arena, (part->width + 1) * sizeof *part->scratch);
    part->scratch_bits = arena_zalloc(&part->arena, bytes);
    part->tracked = arena_zalloc(&part->arena, bytes);
}

void explicit_part_finish(struct explicit_part *part)
{
    explicit_post_destroy(part->post);
    valuation_set_finish(&part->set);
    state_table_finish(&part->states);
    state_table_finish(&part->classes);
    state_table_finish(&part->keys);
    for (uint32_t v = 0; part->values != NULL && v < part->width; v++)
        VECTOR_FINISH(&part->values[v]);
    memory_free(part->values);
    VECTOR_FINISH(&part->extra);
    VECTOR_FINISH(&part->memory);
    arena_finish(&part->arena);
}

size_t explicit_part_bytes(const struct explicit_part *part)
{
    return state_table_bytes(&part->states) + state_table_bytes(&part->classes) +
           state_table_bytes(&part->keys) + part->arena.bytes + explicit_post_bytes(part->post) +
           part->extra.capacity * sizeof *part->extra.data +
           part->memory.capacity * sizeof *part->memory.data;
}

// Precision.

bool explicit_part_track(struct explicit_part *part, uint32_t location,
                         const struct variable *variable)
{
    assert(variable->index < part->width);
    variable_bits *bits = part->precision[location];
    if (variable_bits_get(bits, variable->index))
        return false;
    variable_bits_set(bits, variable->index);
    part->precision_size++;
    return true;
}

bool explicit_part_untrack(struct explicit_part *part, uint32_t location,
                           const struct variable *variable)
{
    variable_bits *bits = part->precision[location];
    if (!variable_bits_get(bits, variable->index))
        return false;
    variable_bits_clear(bits, variable->index);
    assert(part->precision_size > 0);
    part->precision_size--;
    return true;
}

void explicit_part_track_everywhere(struct explicit_part *part, const struct variable *variable)
{
    for (uint32_t l = 0; l < (part->local ? part->workspace->model->location_count : 1); l++)
        explicit_part_track(part, l, variable);
}

void explicit_part_each(const struct explicit_part *part,
                        void (*take)(void *context, const struct precision_item *item),
                        void *context)
{
    const struct model *model = part->workspace->model;
    for (uint32_t l = 0; l < (part->local ? model->location_count : 1); l++)
        for (uint32_t v = 0; v < part->width; v++)
            if (variable_bits_get(part->precision[l], v))
                take(context, &(struct precision_item){
                                  .variable = model->variables[v],
                                  .location = part->local ? model->locations[l] : NULL,
                              });
}

void explicit_part_count_values(struct explicit_part *part, size_t limit)
{
    part->value_limit = limit;
    part->values = memory_zalloc((part->width + 1) * sizeof *part->values);
}

// What matters at a location is what some edge out of it reads, or what matters behind the edge and is not written by it.
void explicit_part_look_ahead(struct explicit_part *part)
{
    assert(part->live == NULL);
    const struct model *model = part->workspace->model;
    size_t bytes = part->bit_words * sizeof(variable_bits);
    part->live = arena_alloc(&part->arena, model->location_count * sizeof *part->live);
    for (uint32_t l = 0; l < model->location_count; l++)
        part->live[l] = arena_zalloc(&part->arena, bytes);
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t e = model->edge_count; e-- > 0;) {
            const struct edge *edge = model->edges[e];
            memcpy(part->scratch_bits, part->live[edge->target->index], bytes);
            explicit_post_live(part->post, edge->action, part->scratch_bits);
            variable_bits *live = part->live[edge->source->index];
            for (size_t w = 0; w < part->bit_words; w++) {
                changed |= (part->scratch_bits[w] & ~live[w]) != 0;
                live[w] |= part->scratch_bits[w];
            }
        }
    }
    variable_bits *carried = arena_zalloc(&part->arena, bytes);
    for (uint32_t l = 0; l < model->location_count; l++)
        for (size_t w = 0; w < part->bit_words; w++)
            carried[w] |= part->live[l][w];
    explicit_post_split_inputs(part->post, carried);
}

static void count_value(struct explicit_part *part, uint32_t variable, struct value value)
{
    struct explicit_values *seen = &part->values[variable];
    if (seen->count > part->value_limit)
        return;
    for (size_t i = 0; i < seen->count; i++)
        if (value_equal(seen->data[i], value))
            return;
    VECTOR_PUSH(seen, value);
    assert(seen->count <= part->value_limit + 1);
}

// States.

static uint64_t row_hash(const struct value *row, uint32_t width)
{
    uint64_t hash = width;
    for (uint32_t v = 0; v < width; v++)
        hash = hash_mix(hash + value_hash(row[v]) * 0x9e3779b97f4a7c15u + v);
    return hash;
}

static uint32_t intern_bits(const struct explicit_part *part, struct state_table *table,
                            const variable_bits *bits)
{
    uint64_t hash = part->bit_words;
    for (size_t w = 0; w < part->bit_words; w++)
        hash = hash_mix(hash + bits[w] * 0x9e3779b97f4a7c15u);
    return state_table_intern(table, bits, (uint32_t)part->bit_words, hash);
}

uint32_t explicit_part_intern(struct explicit_part *part, const struct value *row)
{
    uint32_t id = state_table_intern(&part->states, (const uint64_t *)row, part->width,
                                     row_hash(row, part->width));
    if (id == part->extra.count) {
        memset(part->scratch_bits, 0, part->bit_words * sizeof *part->scratch_bits);
        for (uint32_t v = 0; v < part->width; v++) {
            if (!value_known(row[v]))
                continue;
            variable_bits_set(part->scratch_bits, v);
            if (part->value_limit)
                count_value(part, v, row[v]);
        }
        uint32_t class = intern_bits(part, &part->classes, part->scratch_bits);
        VECTOR_PUSH(&part->extra, ((struct explicit_extra){.class = class}));
    }
    assert(id < part->extra.count);
    return id;
}

uint32_t explicit_part_anything(struct explicit_part *part)
{
    memset(part->scratch, 0, part->width * sizeof *part->scratch);
    return explicit_part_intern(part, part->scratch);
}

static const struct value *cut_row(struct explicit_part *part, uint32_t state,
                                   const variable_bits *variables)
{
    const struct value *row = explicit_part_row(part, state);
    for (uint32_t v = 0; v < part->width; v++)
        part->scratch[v] = variable_bits_get(variables, v) ? row[v] : VALUE_UNKNOWN;
    return part->scratch;
}

uint32_t explicit_part_project(struct explicit_part *part, uint32_t state,
                               const variable_bits *variables)
{
    assert(state < part->extra.count);
    if (variable_bits_within(explicit_part_known(part, state), variables, part->bit_words))
        return state;
    return explicit_part_intern(part, cut_row(part, state, variables));
}

const struct value *explicit_part_row(const struct explicit_part *part, uint32_t state)
{
    return (const struct value *)state_table_get(&part->states, state)->words;
}

const variable_bits *explicit_part_known(const struct explicit_part *part, uint32_t state)
{
    return state_table_get(&part->classes, part->extra.data[state].class)->words;
}

static const struct term *formula_at(struct explicit_part *part, const struct value *row,
                                     const uint32_t *index)
{
    struct workspace *ws = part->workspace;
    struct term_vector parts = {0};
    for (uint32_t v = 0; v < part->width; v++)
        if (value_known(row[v])) {
            const struct variable *x = ws->model->variables[v];
            const struct term *copy = encoder_copy(ws->encoder, x, index != NULL ? index[v] : 0);
            VECTOR_PUSH(&parts,
                        term_eq(ws->store, copy, term_of_value(ws->store, x->sort, row[v])));
        }
    const struct term *all = term_and(ws->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return all;
}

const struct term *explicit_part_formula(struct explicit_part *part, uint32_t state)
{
    struct explicit_extra *extra = &part->extra.data[state];
    if (extra->formula == NULL)
        extra->formula = formula_at(part, explicit_part_row(part, state), NULL);
    return extra->formula;
}

bool explicit_part_covers(const struct explicit_part *part, uint32_t larger, uint32_t smaller)
{
    const struct value *l = explicit_part_row(part, larger);
    const struct value *s = explicit_part_row(part, smaller);
    for (uint32_t v = 0; v < part->width; v++)
        if (value_known(l[v]) && !value_equal(l[v], s[v]))
            return false;
    return true;
}

// The state cut down to the class's variables, if it knows them all and has been seen.
uint32_t explicit_part_coverer(struct explicit_part *part, uint32_t state, uint32_t class)
{
    if (part->extra.data[state].class == class)
        return state;
    const variable_bits *want = state_table_get(&part->classes, class)->words;
    if (!variable_bits_within(want, explicit_part_known(part, state), part->bit_words))
        return STATE_NONE;
    assert(class < part->classes.entries.count);
    const struct value *row = cut_row(part, state, want);
    return state_table_find(&part->states, (const uint64_t *)row, part->width,
                            row_hash(row, part->width));
}

// Enumeration by a solver.

#define FAR_FROM_ZERO ((int64_t)1 << 40)

// Reads the tracked part of the solver's model into part->scratch and excludes it from now on. False: a
// value could not be had.
static bool take_model(struct explicit_part *part, struct action_solver *a)
{
    struct workspace *ws = part->workspace;
    struct term_vector differ = {0};
    bool complete = true;
    memset(part->scratch, 0, part->width * sizeof *part->scratch);
    for (uint32_t v = 0; v < part->width && complete; v++) {
        if (!variable_bits_get(part->tracked, v))
            continue;
        const struct term *copy =
            encoder_copy(ws->encoder, ws->model->variables[v], a->step.after[v]);
        const struct term *literal = smt_model_value(a->smt, copy);
        assert(literal == NULL || literal->sort == copy->sort);
        if (literal != NULL) {
            part->scratch[v] = term_value(literal);
            VECTOR_PUSH(&differ, term_not(ws->store, term_eq(ws->store, copy, literal)));
        }
        complete = literal != NULL;
    }
    if (complete)
        smt_assert(a->smt, term_or(ws->store, differ.data, differ.count));
    VECTOR_FINISH(&differ);
    return complete;
}

// "Some unknown tracked number of the row is far from zero." If that is possible the number has no small
// range, and enumerating would only find out by running into the limit.
static const struct term *far_value(struct explicit_part *part, struct action_solver *a,
                                    uint32_t row)
{
    struct workspace *ws = part->workspace;
    const struct term *far = term_int(ws->store, FAR_FROM_ZERO);
    struct term_vector cases = {0};
    for (uint32_t v = 0; v < part->width; v++) {
        const struct variable *x = ws->model->variables[v];
        if (!variable_bits_get(part->tracked, v) || value_known(explicit_part_row(part, row)[v]) ||
            x->sort->kind != SORT_INT)
            continue;
        const struct term *copy = encoder_copy(ws->encoder, x, a->step.after[v]);
        VECTOR_PUSH(&cases, term_lt(ws->store, far, copy));
        VECTOR_PUSH(&cases, term_lt(ws->store, copy, term_neg(ws->store, far)));
    }
    const struct term *any = term_or(ws->store, cases.data, cases.count);
    VECTOR_FINISH(&cases);
    return any;
}

// Before completions are enumerated: is there hope that they are few?
static bool is_unbounded(struct explicit_part *part, struct action_solver *a, uint32_t row)
{
    if (part->maxenum <= 0)
        return false;
    const struct term *far = far_value(part, a, row);
    if (term_is_false(far))
        return false;
    smt_push(a->smt);
    smt_assert(a->smt, far);
    enum smt_result result = smt_check(a->smt);
    smt_pop(a->smt, 1);
    return result == SMT_SAT;
}

enum enumeration { ENUMERATED, TOO_MANY, GAVE_UP, STOPPED };

// The successors that one doubtful row stands for, in an open level.
static enum enumeration complete_row(struct explicit_part *part, struct action_solver *a,
                                     uint32_t row, bool complete, size_t room,
                                     struct state_list *out)
{
    struct workspace *ws = part->workspace;
    if (!complete && is_unbounded(part, a, row))
        return TOO_MANY;
    for (;;) {
        enum smt_result sat = smt_check(a->smt);
        if (!workspace_step(ws, 1))
            return STOPPED;
        if (sat == SMT_UNKNOWN)
            return workspace_tolerate(ws, a->smt) ? GAVE_UP : STOPPED;
        if (sat == SMT_UNSAT)
            return ENUMERATED;
        if (part->maxenum > 0 && room-- == 0)
            return TOO_MANY;
        if (complete) {
            VECTOR_PUSH(out, row);
            return ENUMERATED;
        }
        if (!take_model(part, a))
            return GAVE_UP;
        VECTOR_PUSH(out, explicit_part_intern(part, part->scratch));
    }
}

static bool is_complete(const struct explicit_part *part, uint32_t row)
{
    return memcmp(explicit_part_known(part, row), part->tracked,
                  part->bit_words * sizeof *part->tracked) == 0;
}

// Asks the solver about the doubtful rows of part->set: a row whose tracked variables are all known is a
// successor or not, which takes one check; of the others all completions are wanted. In all at most maxenum
// successors (0 = any number).
static enum enumeration enumerate(struct explicit_part *part, const struct explicit_query *q,
                                  struct state_list *out)
{
    struct workspace *ws = part->workspace;
    const struct special_action *special;
    struct action_solver *a = action_solvers_get(part->solvers, q->action, q->slot,
                                                 explicit_part_row(part, q->state), &special);
    if (a == NULL)
        return STOPPED;
    assert(a->complete || special != NULL);
    enum enumeration result = ENUMERATED;
    size_t first = out->count;
    smt_push(a->smt);
    if (!a->complete)
        smt_assert(a->smt, special->formula);
    smt_assert(a->smt, formula_at(part, explicit_part_row(part, q->state), a->step.before));
    if (q->constraint != NULL)
        smt_assert(a->smt, encoder_shift(ws->encoder, q->constraint, a->step.before));
    for (size_t i = 0; i < part->set.count && result == ENUMERATED; i++) {
        uint32_t row = explicit_part_intern(part, valuation_row(&part->set, i));
        bool complete = is_complete(part, row);
        if (!part->set.doubtful[i] || (complete && q->caller_checks)) {
            VECTOR_PUSH(out, row);
            continue;
        }
        size_t found = out->count - first, limit = (size_t)part->maxenum;
        smt_push(a->smt);
        smt_assert(a->smt, formula_at(part, explicit_part_row(part, row), a->step.after));
        result = complete_row(part, a, row, complete, found < limit ? limit - found : 0, out);
        smt_pop(a->smt, 1);
    }
    smt_pop(a->smt, 1);
    if (result != ENUMERATED)
        out->count = first;
    return result;
}

static void take_set(struct explicit_part *part, struct state_list *out)
{
    for (size_t i = 0; i < part->set.count; i++)
        VECTOR_PUSH(out, explicit_part_intern(part, valuation_row(&part->set, i)));
}

static bool is_exact(const struct explicit_part *part)
{
    for (size_t i = 0; i < part->set.count; i++)
        if (part->set.doubtful[i])
            return false;
    return true;
}

// Doubt that the caller takes care of.
static bool is_left_to_caller(struct explicit_part *part, const struct explicit_query *q)
{
    if (!q->caller_checks && !(q->caller_checks_only && part->set.count == 1))
        return false;
    for (size_t i = 0; i < part->set.count; i++)
        if (part->set.doubtful[i] &&
            !is_complete(part, explicit_part_intern(part, valuation_row(&part->set, i))))
            return false;
    return true;
}

static bool run(struct explicit_part *part, const struct explicit_query *q, bool split,
                bool *branched)
{
    memcpy(part->scratch, explicit_part_row(part, q->state), part->width * sizeof *part->scratch);
    return explicit_post_run(part->post, q->action, part->scratch, part->tracked, split, &part->set,
                             branched);
}

static bool ask(struct explicit_part *part, const struct explicit_query *q, bool exact,
                struct state_list *out, bool *certain)
{
    if (!exact) {
        *certain = !q->caller_checks;
        enum enumeration result = enumerate(part, q, out);
        if (result == ENUMERATED || result == STOPPED)
            return result == ENUMERATED;
    }
    // Too many: one coarse step in which unknown conditions count as possible.
    bool branched;
    *certain = false;
    if (!run(part, q, false, &branched))
        return false;
    take_set(part, out);
    return workspace_step(part->workspace, 0);
}

// A variable that the state does not know and the action does not touch stays unknown.
static void effective_precision(struct explicit_part *part, const struct explicit_query *q)
{
    const variable_bits *tracked = part->precision[q->target->index];
    const variable_bits *known = explicit_part_known(part, q->state);
    const struct footprint *f = action_solvers_footprint(part->solvers, q->action, q->slot);
    for (size_t w = 0; w < part->bit_words; w++)
        part->tracked[w] = tracked[w] & (known[w] | f->touched[w]) &
                           (part->live != NULL ? part->live[q->target->index][w] : ~(uint64_t)0);
    assert(variable_bits_within(part->tracked, tracked, part->bit_words));
}

static uint32_t memory_key(struct explicit_part *part, const struct explicit_query *q)
{
    uint64_t key[2] = {(uint64_t)q->slot << 32 | q->state,
                       (uint64_t)q->constraint_id << 32 |
                           intern_bits(part, &part->classes, part->tracked)};
    return state_table_intern(&part->keys, key, 2,
                              hash_mix(key[0] * 0x9e3779b97f4a7c15u + hash_mix(key[1])));
}

static bool remember(struct explicit_part *part, const struct explicit_query *q, bool exact,
                     struct state_list *out, bool *certain)
{
    uint32_t key = memory_key(part, q);
    if (workspace_looked_up(part->workspace, CACHE_VALUES,
                            key < part->memory.count && part->memory.data[key].states != NULL)) {
        const struct explicit_memory *m = &part->memory.data[key];
        for (uint32_t i = 0; i < m->count; i++)
            VECTOR_PUSH(out, m->states[i]);
        *certain = m->certain;
        return true;
    }
    size_t first = out->count;
    if (!ask(part, q, exact, out, certain))
        return false;
    struct explicit_memory m = {.count = (uint32_t)(out->count - first), .certain = *certain};
    m.states = arena_alloc(&part->arena, (m.count + 1) * sizeof *m.states);
    if (m.count)
        memcpy(m.states, out->data + first, m.count * sizeof *m.states);
    while (part->memory.count <= key)
        VECTOR_PUSH(&part->memory, ((struct explicit_memory){0}));
    part->memory.data[key] = m;
    return true;
}

bool explicit_part_post(struct explicit_part *part, const struct explicit_query *q,
                        struct state_list *out, bool *certain)
{
    assert((q->constraint == NULL) == (q->constraint_id == 0));
    effective_precision(part, q);
    bool branched;
    if (!run(part, q, part->maxenum >= 0, &branched))
        return false;
    bool few = part->maxenum <= 0 || part->set.count <= (size_t)part->maxenum;
    bool exact = is_exact(part);
    *certain = exact;
    if ((exact && (few || !branched)) || part->maxenum < 0 || (few && is_left_to_caller(part, q))) {
        take_set(part, out);
        return true;
    }
    return remember(part, q, exact, out, certain);
}
