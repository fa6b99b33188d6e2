#include "model/encode.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"

struct encoder {
    const struct model *model;
    struct term_store *store;
    const struct term **tracker; // per statement
    struct rewrite_cache *cache; // of shifts
};

// What one call of encoder_step collects.
struct collector {
    struct encoder *encoder;
    uint32_t occurrence;
    unsigned flags;
    uint32_t *index; // current indices
    struct term_vector trackers;
    VECTOR(const struct statement *) tracked;
    VECTOR(const struct statement *) havoc;
    VECTOR(const struct term *) havoc_copy;
};

struct encoder *encoder_create(const struct model *model, struct term_store *store)
{
    struct encoder *encoder = memory_zalloc(sizeof *encoder);
    encoder->model = model;
    encoder->store = store;
    encoder->cache = rewrite_cache_create(store);
    encoder->tracker = memory_zalloc(model->statement_count * sizeof *encoder->tracker);
    return encoder;
}

void encoder_destroy(struct encoder *encoder)
{
    if (encoder == NULL)
        return;
    rewrite_cache_destroy(encoder->cache);
    memory_free(encoder->tracker);
    memory_free(encoder);
}

const struct term *encoder_copy(struct encoder *encoder, const struct variable *variable,
                                uint32_t index)
{
    assert(encoder->model->variables[variable->index] == variable);
    return index ? term_var_copy(encoder->store, variable->term, index) : variable->term;
}

// Names with "!" cannot come from an input.
static const struct term *auxiliary(struct encoder *encoder, const char *stem, uint32_t statement,
                                    uint32_t branch, uint32_t occurrence)
{
    char name[64];
    snprintf(name, sizeof name, "!%s.%u.%u", stem, statement, branch);
    const struct term *plain = term_var(encoder->store, name, sort_bool(encoder->store));
    return occurrence ? term_var_copy(encoder->store, plain, occurrence) : plain;
}

const struct term *encoder_selector(struct encoder *encoder, const struct statement *statement,
                                    uint32_t branch, uint32_t occurrence)
{
    assert(branch < statement->child_count && statement->id < encoder->model->statement_count);
    return auxiliary(encoder, "branch", statement->id, branch, occurrence);
}

const struct term *encoder_tracker(struct encoder *encoder, const struct statement *statement,
                                   uint32_t occurrence)
{
    assert(statement->id < encoder->model->statement_count);
    const struct term **plain = &encoder->tracker[statement->id];
    if (*plain == NULL)
        *plain = auxiliary(encoder, "track", statement->id, 0, 0);
    return occurrence ? term_var_copy(encoder->store, *plain, occurrence) : *plain;
}

struct shift {
    struct encoder *encoder;
    const uint32_t *index; // NULL = back to 0
};

static const struct term *shift_variable(void *context, const struct term *term)
{
    struct shift *shift = context;
    const struct variable *variable = model_variable_of(shift->encoder->model, term);
    if (variable == NULL)
        return term;
    return encoder_copy(shift->encoder, variable,
                        shift->index != NULL ? shift->index[variable->index] : 0);
}

const struct term *encoder_shift(struct encoder *encoder, const struct term *formula,
                                 const uint32_t *index)
{
    struct shift shift = {encoder, index};
    return rewrite_substitute_cached(encoder->cache, formula, shift_variable, &shift);
}

const struct term *encoder_unshift(struct encoder *encoder, const struct term *formula)
{
    struct shift shift = {encoder, NULL};
    return rewrite_substitute(encoder->store, formula, shift_variable, &shift);
}

static const struct term *track(struct collector *c, const struct statement *statement,
                                const struct term *fact)
{
    if (!(c->flags & ENCODE_TRACKED) || term_is_true(fact))
        return fact;
    const struct term *tracker = encoder_tracker(c->encoder, statement, c->occurrence);
    if (c->trackers.count == 0 || VECTOR_LAST(&c->trackers) != tracker) {
        VECTOR_PUSH(&c->trackers, tracker);
        VECTOR_PUSH(&c->tracked, statement);
    }
    return term_implies(c->encoder->store, tracker, fact);
}

static const struct term *encode(struct collector *c, const struct statement *statement);

static const struct term *encode_assign(struct collector *c, const struct statement *s)
{
    struct encoder *e = c->encoder;
    const struct term *right = encoder_shift(e, s->expression, c->index);
    uint32_t index = ++c->index[s->variable->index];
    return track(c, s, term_eq(e->store, encoder_copy(e, s->variable, index), right));
}

static const struct term *encode_sequence(struct collector *c, const struct statement *s)
{
    struct term_vector parts = {0};
    for (uint32_t i = 0; i < s->child_count; i++)
        VECTOR_PUSH(&parts, encode(c, s->child[i]));
    const struct term *all = term_and(c->encoder->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return all;
}

// Encodes one branch from the indices in `start`; leaves the branch's final indices in c->index.
static const struct term *encode_branch(struct collector *c, const struct statement *s,
                                        uint32_t branch, const uint32_t *start)
{
    struct encoder *e = c->encoder;
    memcpy(c->index, start, e->model->variable_count * sizeof *start);
    const struct term *guard = term_true(e->store);
    if (s->kind == STATEMENT_IF) {
        guard = encoder_shift(e, s->expression, start);
        if (branch == 1)
            guard = term_not(e->store, guard);
        guard = track(c, s, guard);
    }
    return term_and2(e->store, guard, encode(c, s->child[branch]));
}

static const struct term *join_indices(struct collector *c, const struct term *formula,
                                       const uint32_t *mine, const uint32_t *joined)
{
    const struct model *model = c->encoder->model;
    struct term_vector parts = {0};
    VECTOR_PUSH(&parts, formula);
    for (uint32_t v = 0; v < model->variable_count; v++)
        if (mine[v] != joined[v]) {
            const struct variable *x = model->variables[v];
            assert(mine[v] < joined[v] && "joined is the greatest");
            VECTOR_PUSH(&parts, term_eq(c->encoder->store, encoder_copy(c->encoder, x, joined[v]),
                                        encoder_copy(c->encoder, x, mine[v])));
        }
    const struct term *all = term_and(c->encoder->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return all;
}

// CHOICE and IF. The copies that the branches make share index numbers: under a model only the facts
// of a branch that was taken are needed.
static const struct term *encode_branches(struct collector *c, const struct statement *s)
{
    struct encoder *e = c->encoder;
    uint32_t variables = e->model->variable_count;
    size_t row = variables ? variables : 1;
    uint32_t *start = memory_alloc(row * sizeof *start);
    uint32_t *ends = memory_alloc(s->child_count * row * sizeof *ends);
    memcpy(start, c->index, variables * sizeof *start);

    struct term_vector parts = {0};
    for (uint32_t b = 0; b < s->child_count; b++) {
        VECTOR_PUSH(&parts, encode_branch(c, s, b, start));
        memcpy(ends + b * row, c->index, variables * sizeof *start);
    }
    for (uint32_t v = 0; v < variables; v++)
        for (uint32_t b = 0; b < s->child_count; b++)
            if (ends[b * row + v] > c->index[v])
                c->index[v] = ends[b * row + v];
    struct term_vector selectors = {0};
    for (uint32_t b = 0; b < s->child_count; b++) {
        parts.data[b] = join_indices(c, parts.data[b], ends + b * row, c->index);
        if (c->flags & (ENCODE_SELECTORS | ENCODE_TRACKED)) {
            const struct term *selector = encoder_selector(e, s, b, c->occurrence);
            VECTOR_PUSH(&selectors, selector);
            parts.data[b] = term_implies(e->store, selector, parts.data[b]);
        }
    }
    const struct term *result;
    if (selectors.count) {
        VECTOR_PUSH(&parts, term_or(e->store, selectors.data, selectors.count));
        result = term_and(e->store, parts.data, parts.count);
    } else {
        result = term_or(e->store, parts.data, parts.count);
    }
    VECTOR_FINISH(&selectors);
    VECTOR_FINISH(&parts);
    memory_free(start);
    memory_free(ends);
    return result;
}

static const struct term *encode(struct collector *c, const struct statement *s)
{
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSIGN:
        return encode_assign(c, s);
    case STATEMENT_ASSUME:
        return track(c, s, encoder_shift(c->encoder, s->expression, c->index));
    case STATEMENT_HAVOC:
        VECTOR_PUSH(&c->havoc, s);
        VECTOR_PUSH(&c->havoc_copy,
                    encoder_copy(c->encoder, s->variable, ++c->index[s->variable->index]));
        break;
    case STATEMENT_SEQUENCE:
        return encode_sequence(c, s);
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        return encode_branches(c, s);
    }
    return term_true(c->encoder->store);
}

static void *keep(struct arena *arena, const void *data, size_t bytes)
{
    void *copy = arena_alloc(arena, bytes ? bytes : 1);
    if (bytes)
        memcpy(copy, data, bytes);
    return copy;
}

void encoder_step(struct encoder *encoder, struct arena *arena, const struct statement *action,
                  uint32_t occurrence, const uint32_t *before, unsigned flags,
                  struct encoded_step *out)
{
    size_t bytes = encoder->model->variable_count * sizeof *before;
    struct collector c = {.encoder = encoder, .occurrence = occurrence, .flags = flags};
    *out = (struct encoded_step){.action = action, .occurrence = occurrence};
    out->before = keep(arena, before, bytes);
    out->after = c.index = keep(arena, before, bytes);
    out->formula = encode(&c, action);
    assert(c.trackers.count == c.tracked.count && c.havoc.count == c.havoc_copy.count);
    assert(out->formula->sort->kind == SORT_BOOL);
    out->trackers = c.trackers;
    out->tracked = keep(arena, c.tracked.data, c.tracked.count * sizeof *c.tracked.data);
    out->havoc_count = c.havoc.count;
    out->havoc = keep(arena, c.havoc.data, c.havoc.count * sizeof *c.havoc.data);
    out->havoc_copy =
        keep(arena, c.havoc_copy.data, c.havoc_copy.count * sizeof *c.havoc_copy.data);
    VECTOR_FINISH(&c.tracked);
    VECTOR_FINISH(&c.havoc);
    VECTOR_FINISH(&c.havoc_copy);
}

void encoded_step_finish(struct encoded_step *step)
{
    VECTOR_FINISH(&step->trackers);
}
