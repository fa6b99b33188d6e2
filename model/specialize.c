#include "model/specialize.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/components.h"
#include "base/hash.h"
#include "base/memory.h"
#include "logic/terms/rewrite.h"
#include "model/choices.h"
#include "model/counting.h"
#include "model/elements.h"
#include "model/model_memory.h"
#include "model/ranges.h"
#include "model/small_words.h"

#define MOST_COPIES 8000    // of locations
#define MORE_COPIES 12000   // the same, where less was not enough
#define MOST_ROUNDS 1200    // of one loop on one way, likewise
#define MOST_TIMES 2        // of all locations, where loops stay
#define MOST_LIVE 40000000  // words of the sets of live variables, in all rounds
#define MOST_KNOWN 12000000 // variables of all copies

// What is known of the variables, somewhere.
struct valuation {
    const struct term **known; // by variable: the literal it is, or NULL
    struct range *ranges;      // by limit, where it is no literal
    uint8_t *same;             // by limit: the first of those that are the same number
    struct noted_word *noted;
};

struct copy {
    const struct location *of;
    struct location *made;
    struct valuation known;
    bool open; // on the way that is followed now
};

struct specializer {
    const struct model *model;
    struct model_builder *builder;
    struct term_store *store;
    const struct variable **variables; // by index
    uint64_t *live;                    // by location, a bit for each variable
    size_t words;                      // of one location
    const bool *tracked;               // by variable: what is known of it counts; NULL: of all
    bool ends;                         // and that a variable is 0, and where pointers point
    bool elements;                     // and what single elements of arrays are
    bool loops;                        // stay where they are not decided
    bool splits;             // where a pointer leads to one of few places, each is a way of its own
    struct choices *choices; // of the edge that is followed; NULL: no ways are told apart
    struct counted counted;
    uint32_t limit_count; // of those that count now
    VECTOR(struct copy) copies;
    struct hash_index index;
    struct arena arena;
    size_t terms_left, most_copies;
    size_t open_writes; // to arrays, of which it is not known whether they are made
    uint32_t *
        rounds; // by location: its copies on the way that is followed now; NULL: they are not counted
    bool tired; // they were too few
    bool failed;
};

// Which variables are read before they are written.

static void read_variables(const struct specializer *s, const struct term *t, uint64_t *live)
{
    struct term_vector found = {0};
    rewrite_free_variables(t, &found);
    for (size_t i = 0; i < found.count; i++) {
        const struct variable *v = model_variable_of(s->model, found.data[i]);
        if (v != NULL)
            live[v->index / 64] |= UINT64_C(1) << v->index % 64;
    }
    VECTOR_FINISH(&found);
}

// `live`: after the action; then before it.
static void live_before(struct specializer *s, const struct statement *action, uint64_t *live)
{
    switch (action->kind) {
    case STATEMENT_ASSIGN:
    case STATEMENT_HAVOC:
        live[action->variable->index / 64] &= ~(UINT64_C(1) << action->variable->index % 64);
        break;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = action->child_count; i-- > 0;)
            live_before(s, action->child[i], live);
        break;
    case STATEMENT_CHOICE:
    case STATEMENT_IF: {
        uint64_t *after = memory_alloc(2 * s->words * sizeof *after), *one = after + s->words;
        memcpy(after, live, s->words * sizeof *after);
        memset(live, 0, s->words * sizeof *live);
        for (uint32_t i = 0; i < action->child_count; i++) {
            memcpy(one, after, s->words * sizeof *one);
            live_before(s, action->child[i], one);
            for (size_t w = 0; w < s->words; w++)
                live[w] |= one[w];
        }
        memory_free(after);
        break;
    }
    default:
        break;
    }
    if (action->expression != NULL)
        read_variables(s, action->expression, live);
}

// What an edge makes of the variables that are live behind it: `from_none | (live & from_all)`.
struct effect {
    uint64_t *from_none, *from_all;
};

static struct effect effect_of(struct specializer *s, const struct edge *e)
{
    struct effect out = {arena_zalloc(&s->arena, s->words * sizeof *out.from_none),
                         arena_alloc(&s->arena, s->words * sizeof *out.from_all)};
    memset(out.from_all, 0xff, s->words * sizeof *out.from_all);
    live_before(s, e->action, out.from_none);
    live_before(s, e->action, out.from_all);
    return out;
}

// Nothing is live in the error location, where runs end. False: it is too much work.
static bool find_live(struct specializer *s)
{
    const struct model *m = s->model;
    size_t work = 0;
    s->words = m->variable_count / 64 + 1;
    s->live = memory_zalloc(s->words * m->location_count * sizeof *s->live);
    struct effect *effects = memory_alloc((m->edge_count + 1) * sizeof *effects);
    for (uint32_t e = 0; e < m->edge_count; e++)
        effects[e] = effect_of(s, m->edges[e]);
    for (bool changed = true; changed && work < MOST_LIVE;) {
        changed = false;
        for (uint32_t e = m->edge_count; e-- > 0;) { // later ones mostly lead to earlier ones
            const struct location *from = m->edges[e]->source;
            uint64_t *before = s->live + s->words * from->index;
            const uint64_t *after = s->live + s->words * m->edges[e]->target->index;
            for (size_t w = 0; w < s->words && from != m->error; w++) {
                const uint64_t here = effects[e].from_none[w] | (after[w] & effects[e].from_all[w]);
                changed = changed || (here & ~before[w]) != 0;
                before[w] |= here;
            }
            work += s->words;
        }
    }
    memory_free(effects);
    return work < MOST_LIVE;
}

// By location: it is on a cycle; to be freed. NULL: none is.
static bool *find_cycles(const struct model *model)
{
    bool *on_cycle = memory_zalloc(model->location_count + 1), some = false;
    struct components components;
    model_components(model, &components);
    for (uint32_t l = 0; l < model->location_count; l++) {
        const uint32_t c = components.of[l];
        on_cycle[l] = components.begin[c] - components.begin[c - 1] > 1;
        for (uint32_t i = 0; i < model->locations[l]->out_count; i++)
            on_cycle[l] = on_cycle[l] || model->locations[l]->out[i]->target->index == l;
        some = some || on_cycle[l];
    }
    components_finish(&components);
    if (some)
        return on_cycle;
    memory_free(on_cycle);
    return NULL;
}

// 0: the variable is none that counts.
static uint32_t limit_number(const struct specializer *s, uint32_t variable)
{
    const uint32_t number = s->counted.limit_of[variable];
    return number > s->limit_count ? 0 : number;
}

// Actions, with what is known.

struct look {
    struct specializer *s;
    const struct valuation *known;
};

static const struct term *lookup(void *context, const struct term *variable)
{
    const struct look *look = context;
    const struct variable *v = model_variable_of(look->s->model, variable);
    return v != NULL && look->known->known[v->index] != NULL ? look->known->known[v->index]
                                                             : variable;
}

// What is known of elements has done what it could.
static const struct term *without_elements(struct specializer *s, const struct valuation *known,
                                           const struct term *before, const struct term *t)
{
    struct term_vector found = {0};
    if (s->elements && !term_is_literal(t))
        rewrite_free_variables(before, &found);
    for (size_t i = 0; i < found.count; i++) {
        const struct variable *v = model_variable_of(s->model, found.data[i]);
        if (v != NULL && counting_is_array(v) && known->known[v->index] != NULL &&
            !term_is_literal(known->known[v->index]))
            t = rewrite_replace(s->store, t, known->known[v->index], v->term);
    }
    VECTOR_FINISH(&found);
    return t;
}

static const struct term *evaluate(struct specializer *s, const struct valuation *known,
                                   const struct term *t)
{
    struct look look = {s, known};
    // An array that is written to stays what it is but there.
    if (s->elements && t->kind == TERM_STORE) {
        const struct term *key = evaluate(s, known, t->child[1]),
                          *element = evaluate(s, known, t->child[2]);
        return term_store_at(s->store, evaluate(s, known, t->child[0]), key, element);
    }
    if (s->elements && t->kind == TERM_ITE && t->sort->kind == SORT_ARRAY) {
        const struct term *condition = evaluate(s, known, t->child[0]);
        if (term_is_literal(condition))
            return evaluate(s, known, t->child[term_is_true(condition) ? 1 : 2]);
        const struct term *one = evaluate(s, known, t->child[1]);
        return term_ite(s->store, condition, one, evaluate(s, known, t->child[2]));
    }
    const struct term *out =
        s->failed ? NULL : rewrite_substitute_within(s->store, t, lookup, &look, &s->terms_left);
    s->tired = s->tired || (out == NULL && !s->failed);
    s->failed = s->failed || out == NULL;
    if (out == NULL)
        return t;
    return without_elements(s, known, t,
                            s->splits ? words_apply(s->store, known->noted, out) : out);
}

// Ranges of limits.

static uint32_t width_of(const struct specializer *s, uint32_t limit)
{
    return s->counted.limits[limit]->sort->width;
}

// It is no longer what it was, and nobody's equal.
static void part(const struct specializer *s, struct valuation *known, uint32_t limit)
{
    uint32_t first = s->limit_count;
    for (uint32_t l = 0; l < s->limit_count; l++) {
        if (l == limit || known->same[l] != limit)
            continue;
        first = first == s->limit_count ? l : first;
        known->same[l] = (uint8_t)first;
    }
    known->same[limit] = (uint8_t)limit;
}

static void unite(const struct specializer *s, struct valuation *known, uint32_t a, uint32_t b)
{
    const uint8_t x = known->same[a], y = known->same[b], first = x < y ? x : y;
    for (uint32_t l = 0; l < s->limit_count; l++)
        if (known->same[l] == x || known->same[l] == y)
            known->same[l] = first;
}

// What is followed of a character: that it is one, that it is not 0.
static struct range coarse(const struct specializer *s, uint32_t limit, struct range range)
{
    const uint32_t width = width_of(s, limit);
    const int64_t most = (1 << CHARACTER_BITS) - 1, half = most / 2;
    struct range out = range_any(width), with = out;
    if (limit < s->counted.first_mark || range.most == 0)
        return range;
    if (width > CHARACTER_BITS && range.low >= -half - 1 && range.high <= half) {
        with.low = -half - 1;
        with.high = half;
    } else if (width > CHARACTER_BITS && range.low >= 0 && range.high <= most) {
        with.low = 0;
        with.high = most;
    }
    with.least = range.least > 0;
    (void)range_meet(&out, &with, width);
    return out;
}

// Nothing is known of the limit but its range, or all: a range of one number is one.
static void set_range(struct specializer *s, struct valuation *known, uint32_t limit,
                      struct range range)
{
    known->ranges[limit] = range_any(width_of(s, limit));
    known->known[s->counted.limits[limit]->index] = NULL;
    if (range_is_one(&range)) {
        known->known[s->counted.limits[limit]->index] =
            term_bv(s->store, width_of(s, limit), range.least);
        part(s, known, limit);
    } else {
        known->ranges[limit] = range;
    }
}

static const struct range *look_range(void *context, const struct term *variable)
{
    const struct look *look = context;
    const struct variable *v = model_variable_of(look->s->model, variable);
    const uint32_t limit = v == NULL ? 0 : limit_number(look->s, v->index);
    return limit == 0 ? NULL : &look->known->ranges[limit - 1];
}

// Those that are the same are so, too.
static bool narrow_range(void *context, const struct term *variable, const struct range *range)
{
    const struct look *look = context;
    struct valuation known = *look->known;
    const struct variable *v = model_variable_of(look->s->model, variable);
    const uint32_t limit = v == NULL ? 0 : limit_number(look->s, v->index);
    if (limit == 0 || look->known->known[v->index] != NULL)
        return true;
    const uint8_t same = known.same[limit - 1];
    bool members[COUNTING_LIMITS + COUNTING_MARKS];
    for (uint32_t l = 0; l < look->s->limit_count; l++)
        members[l] = known.same[l] == same;
    for (uint32_t l = 0; l < look->s->limit_count; l++) {
        struct range narrowed = known.ranges[l];
        if (!members[l])
            continue;
        if (!range_meet(&narrowed, range, v->sort->width))
            return false;
        set_range(look->s, &known, l, coarse(look->s, l, narrowed));
    }
    return true;
}

static struct range_view view_of(struct look *look)
{
    return (struct range_view){look_range, narrow_range, look};
}

// The condition as ranges tell it.
static const struct term *decided(struct specializer *s, struct valuation *known,
                                  const struct term *t)
{
    struct look look = {s, known};
    const struct range_view view = view_of(&look);
    const bool asks = s->limit_count > 0 && !term_is_literal(t) && t->tree_size <= COUNTING_ASKED;
    const int holds = asks ? range_decide(&view, t) : 0;
    return holds == 0 ? t : term_bool(s->store, holds > 0);
}

// What ranges become where it holds, or not. False: it cannot be so.
static bool suppose(struct specializer *s, struct valuation *known, const struct term *t,
                    bool holds)
{
    struct look look = {s, known};
    const struct range_view view = view_of(&look);
    return s->limit_count == 0 || t->tree_size > COUNTING_ASKED || range_suppose(&view, t, holds);
}

static void assign(struct specializer *s, struct valuation *known, const struct variable *v,
                   const struct term *t)
{
    const uint32_t limit = limit_number(s, v->index);
    struct look look = {s, known};
    const struct range_view view = view_of(&look);
    if (s->splits)
        words_forget(known->noted, v->term);
    if (limit != 0) {
        const struct range range =
            t == NULL ? range_any(v->sort->width) : range_of(&view, t); // before it is another
        part(s, known, limit - 1);
        set_range(s, known, limit - 1,
                  t != NULL && term_is_literal(t) ? range : coarse(s, limit - 1, range));
        const struct variable *from =
            t != NULL && t->kind == TERM_VAR ? model_variable_of(s->model, t) : NULL;
        if (from != NULL && from != v && limit_number(s, from->index) != 0 &&
            known->known[v->index] == NULL)
            unite(s, known, limit - 1, limit_number(s, from->index) - 1);
    } else if (s->elements && counting_is_array(v) && t != NULL) {
        known->known[v->index] = elements_after(s->store, v->term, t, lookup, &look);
    } else {
        known->known[v->index] = t != NULL && term_is_literal(t) ? t : NULL;
    }
}

// On which condition the word is this one of the literals that it may be.
static const struct term *when_taken(struct specializer *s, const struct term *word,
                                     const struct term *literal)
{
    if (word->kind != TERM_ITE)
        return term_bool(s->store, word == literal);
    return term_or2(s->store,
                    term_and2(s->store, word->child[0], when_taken(s, word->child[1], literal)),
                    term_and2(s->store, term_not(s->store, word->child[0]),
                              when_taken(s, word->child[2], literal)));
}

// A pointer, or the size of an array, depends on a number that is one of few: it is the one that is followed now. What is assumed is added to `before`, and the word with
// that number given; NULL: it cannot be so.
static const struct term *with_number(struct specializer *s, struct valuation *known,
                                      const struct term *t, const struct term **before)
{
    struct look look = {s, known};
    const struct range_view view = view_of(&look);
    for (const struct term *word; t->tree_size <= COUNTING_ASKED &&
                                  (word = words_small(&view, t, CHOICES_MOST_VALUES)) != NULL;) {
        const struct range range = range_of(&view, word);
        uint32_t taken;
        if (!choices_take(s->choices, (uint32_t)(range.most - range.least) + 1, &taken))
            break;
        const struct term *number = term_bv(s->store, word->sort->width, range.least + taken),
                          *here = term_eq(s->store, word, number);
        if (term_is_false(decided(s, known, here)) || !suppose(s, known, here, true))
            return NULL;
        *before = term_and2(s->store, *before, here);
        (void)words_note(known->noted, word, number);
        t = rewrite_replace(s->store, t, word, number);
    }
    return t;
}

// The one of the places it may lead to that is followed now.
static const struct term *with_place(struct specializer *s, struct valuation *known,
                                     const struct term *t, const struct term **before)
{
    struct look look = {s, known};
    const struct range_view view = view_of(&look);
    struct term_vector values = {0};
    uint32_t taken = 0;
    const struct term *value = NULL;
    if (counting_is_chosen(t) && choices_find(&view, t, &values) && values.count > 0 &&
        choices_take(s->choices, (uint32_t)values.count, &taken))
        value = values.data[taken];
    VECTOR_FINISH(&values);
    if (value == NULL)
        return t;
    const struct term *here = decided(s, known, when_taken(s, t, value));
    if (term_is_false(here) || !suppose(s, known, here, true))
        return NULL;
    *before = term_and2(s->store, *before, here);
    return value;
}

// NULL: it cannot be what is followed now.
static struct statement *assigned(struct specializer *s, struct valuation *known,
                                  const struct statement *action, const struct term *t)
{
    const struct variable *v = s->variables[action->variable->index];
    const struct term *before = term_true(s->store);
    if (s->choices != NULL &&
        (counting_is_pointer(t->sort) || s->counted.sizes[action->variable->index]))
        t = with_number(s, known, t, &before);
    if (s->choices != NULL && t != NULL)
        t = with_place(s, known, t, &before);
    if (t == NULL)
        return NULL;
    struct statement *both[2] = {model_assume(s->builder, before, action->source),
                                 model_assign(s->builder, v, t, action->source)};
    assign(s, known, action->variable, t);
    s->open_writes += t->kind == TERM_ITE && counting_is_array(action->variable);
    return term_is_true(before) ? both[1] : model_sequence(s->builder, both, 2, action->source);
}

static struct statement *specialized(struct specializer *s, struct valuation *known,
                                     const struct statement *action);

static size_t valuation_bytes(const struct specializer *s)
{
    return (s->model->variable_count + 1) * sizeof(const struct term *) +
           NOTED_WORDS * sizeof(struct noted_word) + s->limit_count * (sizeof(struct range) + 1);
}

static struct valuation valuation_at(const struct specializer *s, void *memory)
{
    struct valuation out = {.known = memory};
    out.noted = (struct noted_word *)(out.known + s->model->variable_count + 1);
    out.ranges = (struct range *)(out.noted + NOTED_WORDS);
    out.same = (uint8_t *)(out.ranges + s->limit_count);
    return out;
}

// To be freed by what is `known` in it.
static struct valuation copy_known(const struct specializer *s, const struct valuation *known)
{
    const size_t bytes = valuation_bytes(s);
    struct valuation out = valuation_at(s, memory_alloc(bytes));
    memcpy(out.known, known->known, bytes);
    return out;
}

// What both know.
static void join_known(const struct specializer *s, struct valuation *known,
                       const struct valuation *with)
{
    bool equal = true;
    for (uint32_t l = 0; l < s->limit_count; l++) {
        const uint32_t v = s->counted.limits[l]->index;
        struct range one = known->ranges[l], other = with->ranges[l];
        for (int k = 0; k < 2; k++) {
            const struct term *t = (k == 0 ? known : with)->known[v];
            if (t != NULL)
                *(k == 0 ? &one : &other) = range_of(&(struct range_view){NULL, NULL, NULL}, t);
        }
        range_join(&one, &other);
        known->ranges[l] = coarse(s, l, one);
        equal = equal && known->same[l] == with->same[l];
    }
    for (uint32_t v = 0; v < s->model->variable_count; v++)
        known->known[v] = known->known[v] == with->known[v] ? known->known[v] : NULL;
    words_join(known->noted, with->noted);
    for (uint32_t l = 0; l < s->limit_count; l++) {
        if (known->known[s->counted.limits[l]->index] != NULL)
            known->ranges[l] = range_any(width_of(s, l));
        known->same[l] = equal ? known->same[l] : (uint8_t)l;
    }
}

// Known afterwards is what all ways agree on that can be gone. NULL: none can.
static struct statement *specialized_ways(struct specializer *s, struct valuation *known,
                                          const struct statement *action,
                                          const struct term *condition)
{
    struct statement **ways = memory_alloc((action->child_count + 1) * sizeof *ways), *made = NULL;
    struct valuation before = copy_known(s, known);
    uint32_t way_count = 0, possible = 0; // the last of these
    for (uint32_t i = 0; i < action->child_count; i++) {
        struct valuation here = copy_known(s, &before);
        const bool can = condition == NULL || suppose(s, &here, condition, i == 0);
        ways[way_count] = can ? specialized(s, &here, action->child[i]) : NULL;
        if (ways[way_count] != NULL && way_count == 0)
            memcpy(known->known, here.known, valuation_bytes(s));
        else if (ways[way_count] != NULL)
            join_known(s, known, &here);
        if (ways[way_count] != NULL) {
            possible = i;
            way_count++;
        }
        memory_free(here.known);
    }
    if (condition == NULL && way_count > 0) {
        made = model_choice(s->builder, ways, way_count, action->source);
    } else if (way_count == 2) {
        made = model_if(s->builder, condition, ways[0], ways[1], action->source);
    } else if (way_count == 1) {
        struct statement *both[2] = {
            model_assume(s->builder, possible == 0 ? condition : term_not(s->store, condition),
                         action->source),
            ways[0]};
        made = model_sequence(s->builder, both, 2, action->source);
    }
    memory_free(before.known);
    memory_free(ways);
    return made;
}

static struct statement *specialized_sequence(struct specializer *s, struct valuation *known,
                                              const struct statement *action)
{
    struct statement **parts = memory_alloc((action->child_count + 1) * sizeof *parts), *made;
    uint32_t count = 0;
    bool possible = true;
    for (uint32_t i = 0; i < action->child_count && possible; i++) {
        parts[count] = specialized(s, known, action->child[i]);
        possible = parts[count++] != NULL;
    }
    made = possible ? model_sequence(s->builder, parts, count, action->source) : NULL;
    memory_free(parts);
    return made;
}

// NULL: no run gets through it. `known`: before it; then after it.
static struct statement *specialized(struct specializer *s, struct valuation *known,
                                     const struct statement *action)
{
    struct statement *made;
    const struct term *t =
        action->expression != NULL ? evaluate(s, known, action->expression) : NULL;
    if (action->kind == STATEMENT_ASSUME || action->kind == STATEMENT_IF)
        t = decided(s, known, t);
    switch (action->kind) {
    case STATEMENT_ASSIGN:
        made = assigned(s, known, action, t);
        if (made == NULL)
            return NULL;
        break;
    case STATEMENT_HAVOC:
        assign(s, known, action->variable, NULL);
        return model_havoc(s->builder, s->variables[action->variable->index], action->source);
    case STATEMENT_ASSUME:
        if (term_is_false(t))
            return NULL;
        if (term_is_true(t))
            return model_skip(s->builder, action->source);
        if (!suppose(s, known, t, true))
            return NULL;
        made = model_assume(s->builder, t, action->source);
        break;
    case STATEMENT_IF:
        if (term_is_literal(t))
            return specialized(s, known, action->child[term_is_true(t) ? 0 : 1]);
        return specialized_ways(s, known, action, t);
    case STATEMENT_CHOICE:
        return specialized_ways(s, known, action, NULL);
    case STATEMENT_SEQUENCE:
        return specialized_sequence(s, known, action);
    default:
        return model_skip(s->builder, action->source);
    }
    if (action->written != NULL)
        model_statement_written(s->builder, made, action->written);
    return made;
}

// Copies of locations.

static uint64_t hash_of(const struct specializer *s, const struct location *of,
                        const struct valuation *known)
{
    uint64_t hash = hash_mix(of->index + UINT64_C(1));
    for (uint32_t v = 0; v < s->model->variable_count; v++)
        if (known->known[v] != NULL)
            hash = hash_mix(hash ^ ((uint64_t)v << 32 | known->known[v]->id));
    for (size_t i = 0; i < NOTED_WORDS && known->noted[i].word != NULL; i++)
        hash = hash_mix(hash ^
                        ((uint64_t)known->noted[i].word->id << 32 | known->noted[i].literal->id));
    for (uint32_t l = 0; l < s->limit_count; l++) {
        const struct range *r = &known->ranges[l];
        hash = hash_mix(hash ^ (uint64_t)r->low) + hash_mix(hash + (uint64_t)r->high);
        hash = hash_mix(hash ^ r->least) + hash_mix(hash + r->most + known->same[l]);
    }
    return hash;
}

static uint32_t new_copy(struct specializer *s, const struct location *of,
                         const struct valuation *known, uint64_t hash)
{
    const size_t bytes = valuation_bytes(s);
    const bool first = of == s->model->error;
    struct copy copy = {.of = of, .known = valuation_at(s, arena_alloc(&s->arena, bytes))};
    memcpy(copy.known.known, known->known, bytes);
    copy.made =
        model_builder_location(s->builder, first ? of->name : NULL, of->phase, of->observable);
    hash_index_add(&s->index, hash, (uint32_t)s->copies.count);
    VECTOR_PUSH(&s->copies, copy);
    s->failed = s->failed || s->copies.count > s->most_copies ||
                s->copies.count * s->model->variable_count > MOST_KNOWN;
    return (uint32_t)s->copies.count - 1;
}

// What lists and texts end by, and what leads from block to block.
static bool ends(const struct term *literal)
{
    return counting_is_pointer(literal->sort) ||
           (range_is_for(literal->sort) && term_bv_number(literal) == 0);
}

static void keep_if_live(const struct specializer *s, struct valuation *known, const uint64_t *live,
                         const struct term *word)
{
    struct term_vector found = {0};
    rewrite_free_variables(word, &found);
    for (size_t i = 0; i < found.count; i++) {
        const struct variable *v = model_variable_of(s->model, found.data[i]);
        if (v == NULL || (live[v->index / 64] >> v->index % 64 & 1) == 0) {
            words_forget(known->noted, found.data[i]);
            break;
        }
    }
    VECTOR_FINISH(&found);
}

// Only what is live there tells copies apart. `known` is cleaned of the rest. True: it is new.
static bool find_copy(struct specializer *s, const struct location *of, struct valuation *known,
                      uint32_t *number)
{
    const uint32_t count = s->model->variable_count;
    const uint64_t *live = s->live + s->words * of->index;
    for (uint32_t v = 0; v < count; v++) {
        const bool is_live = (live[v / 64] >> v % 64 & 1) != 0;
        const uint32_t limit = limit_number(s, v);
        const struct term *literal = known->known[v];
        if (!is_live && limit != 0)
            assign(s, known, s->model->variables[v], NULL);
        else if (limit > s->counted.first_mark && literal != NULL && s->tracked != NULL &&
                 !s->tracked[v] && !ends(literal))
            set_range(
                s, known, limit - 1,
                coarse(s, limit - 1, range_of(&(struct range_view){NULL, NULL, NULL}, literal)));
        else if (!is_live || (s->tracked != NULL && !s->tracked[v] &&
                              !(s->ends && known->known[v] != NULL && ends(known->known[v]))))
            known->known[v] = NULL;
    }
    for (size_t i = NOTED_WORDS; i-- > 0;)
        if (known->noted[i].word != NULL)
            keep_if_live(s, known, live, known->noted[i].word);
    const uint64_t hash = hash_of(s, of, known);
    struct hash_probe probe = hash_index_probe(&s->index, hash);
    for (uint32_t i; hash_index_next(&s->index, &probe, &i);) {
        const struct copy *c = &s->copies.data[i];
        if (c->of == of && memcmp(c->known.known, known->known, valuation_bytes(s)) == 0) {
            *number = i;
            return false;
        }
    }
    *number = new_copy(s, of, known, hash);
    return true;
}

struct visit {
    uint32_t copy, next; // of the location's edges
    struct choices choices;
};

// Depth first, for a way that comes back to where it was is a loop that stays. False: one does.
static bool follow(struct specializer *s, uint32_t first)
{
    VECTOR(struct visit) path = {0};
    VECTOR_PUSH(&path, ((struct visit){.copy = first}));
    s->copies.data[first].open = true;
    if (s->rounds != NULL)
        s->rounds[s->copies.data[first].of->index]++;
    while (path.count > 0 && !s->failed) {
        struct visit *top = &VECTOR_LAST(&path);
        const struct copy from = s->copies.data[top->copy];
        if (top->next == from.of->out_count || from.of == s->model->error) { // where runs end
            s->copies.data[top->copy].open = false;
            if (s->rounds != NULL)
                s->rounds[from.of->index]--;
            (void)VECTOR_POP(&path);
            continue;
        }
        const struct edge *e = from.of->out[top->next];
        struct valuation known = copy_known(s, &from.known);
        top->choices.at = 0;
        s->choices = s->splits ? &top->choices : NULL;
        struct statement *action = specialized(s, &known, e->action);
        s->choices = NULL;
        top->next += !choices_next(&top->choices);
        uint32_t to;
        if (action != NULL && !s->failed) {
            const bool is_new = find_copy(s, e->target, &known, &to);
            struct copy *c = &s->copies.data[to];
            struct edge *made =
                model_builder_edge(s->builder, from.made, c->made, action, e->label, e->position);
            if (e->limit != NULL)
                model_builder_limit(made, e->limit);
            s->failed = s->failed || (c->open && !s->loops);
            if (is_new) {
                c->open = true;
                if (s->rounds != NULL)
                    s->failed = s->failed || ++s->rounds[e->target->index] > MOST_ROUNDS;
                VECTOR_PUSH(&path, ((struct visit){.copy = to}));
            }
        }
        memory_free(known.known);
    }
    VECTOR_FINISH(&path);
    return !s->failed;
}

static void make_variables(struct specializer *s)
{
    const struct model *m = s->model;
    s->variables = memory_alloc((m->variable_count + 1) * sizeof *s->variables);
    for (uint32_t i = 0; i < m->variable_count; i++) {
        const struct variable *v = m->variables[i];
        s->variables[i] = model_builder_variable(s->builder, v->name, v->sort, v->flags, v->source);
        assert(s->variables[i]->term == v->term);
        if (v->float_exponent != 0)
            model_builder_float(s->builder, s->variables[i], v->float_exponent);
    }
}

static bool make(struct specializer *s)
{
    const struct model *m = s->model;
    struct valuation known = valuation_at(s, memory_zalloc(valuation_bytes(s)));
    uint32_t first, error;
    for (uint32_t l = 0; l < s->limit_count; l++) {
        known.ranges[l] = range_any(width_of(s, l));
        known.same[l] = (uint8_t)l;
    }
    make_variables(s);
    find_copy(s, m->error, &known, &error); // before others, or its name may be taken
    model_builder_error(s->builder, s->copies.data[error].made);
    struct statement *action = specialized(s, &known, m->initial_action);
    bool good = action != NULL && !s->failed;
    if (good) {
        find_copy(s, m->initial, &known, &first);
        model_builder_initial(s->builder, s->copies.data[first].made, action);
        model_builder_property(s->builder, m->property);
        model_builder_bad_number(s->builder, m->bad_number);
        good = follow(s, first);
    }
    memory_free(known.known);
    return good;
}

// What is followed: the little that may do, then all literals, before what is followed of ranges makes more copies of the same.
struct attempt {
    bool tracked, ends, marks;
    size_t most_terms; // that are looked at to find what is known
    bool elements, splits, loops;
    bool more; // copies
};

static const struct attempt attempts[] = {{true, false, false, 300000, false, false},
                                          {false, false, false, 600000, false, false},
                                          {true, true, false, 600000, false, false},
                                          {true, true, true, 600000, false, false}};
// Once more, with more of them, where they were too few: for the one with all literals.
static const struct attempt again = {.most_terms = 6000000, .more = true};
// Last, with elements of arrays, and ways that are told apart by where pointers lead.
static const struct attempt late[] = {
    {.most_terms = 2000000, .elements = true, .more = true},
    {.most_terms = 2000000, .elements = true, .splits = true, .more = true},
    {true, true, true, 2000000, .elements = true, .more = true},
    {true, true, true, 2000000, .elements = true, .splits = true, .more = true}};
// Loops stay, and differ by where pointers lead that do not change in them.
static const struct attempt by_places = {
    .tracked = true, .most_terms = 300000, .splits = true, .loops = true};

// NULL: some cycle is left, or it is too much.
static struct model *specialized_by(struct specializer *s, const bool *tracked,
                                    const struct attempt *attempt)
{
    const struct model *m = s->model;
    if (attempt->elements || attempt->splits ? attempt->tracked && tracked == NULL
        : attempt->marks                     ? s->counted.mark_end == s->counted.first_mark
                                             : attempt->tracked && tracked == NULL)
        return NULL; // that is no other than the next
    arena_init(&s->arena);
    s->tracked = attempt->tracked ? tracked : NULL;
    s->ends = attempt->ends;
    s->elements = attempt->elements;
    s->splits = attempt->splits;
    s->loops = attempt->loops;
    s->limit_count = attempt->loops   ? 0
                     : attempt->marks ? s->counted.mark_end
                                      : s->counted.first_mark;
    s->builder = model_builder_create(m->dialect, m->path, m->store);
    s->store = model_builder_store(s->builder);
    s->terms_left = attempt->most_terms;
    s->most_copies = attempt->loops  ? MOST_TIMES * m->location_count
                     : attempt->more ? MORE_COPIES
                                     : MOST_COPIES;
    s->rounds = attempt->more ? memory_zalloc((m->location_count + 1) * sizeof *s->rounds) : NULL;
    s->failed = s->tired = false;
    s->open_writes = 0;
    // Where no location is more than one nothing is gained.
    const bool good = make(s) && (!s->loops || s->copies.count > m->location_count);
    memory_free(s->rounds);
    memory_free(s->variables);
    VECTOR_FINISH(&s->copies);
    hash_index_finish(&s->index);
    arena_finish(&s->arena);
    if (good)
        return model_builder_finish(s->builder);
    model_builder_destroy(s->builder);
    return NULL;
}

// too_much: what is followed later would be, too.
static struct model *specialized_early(struct specializer *s, const bool *on_cycle, bool *too_much)
{
    bool *tracked = counting_find(s->model, on_cycle, false, &s->counted), too_few = false;
    struct model *made = NULL;
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0] && made == NULL; i++) {
        made = specialized_by(s, tracked, &attempts[i]);
        too_few = too_few || (!attempts[i].tracked && s->tired);
    }
    if (made == NULL && too_few)
        made = specialized_by(s, tracked, &again);
    *too_much = made == NULL && too_few && s->tired;
    memory_free(tracked);
    return made;
}

// With what is known of elements; ways are told apart by sizes of arrays, too, where more is known then.
static struct model *specialized_by_elements(struct specializer *s, const bool *tracked)
{
    if (!model_has_arrays(s->model))
        return NULL;
    struct model *made = specialized_by(s, tracked, &late[0]);
    const size_t open = s->open_writes;
    struct model *other = made != NULL && open > 0 ? specialized_by(s, tracked, &late[1]) : NULL;
    if (other == NULL)
        return made;
    const bool better = s->open_writes < open;
    model_destroy(better ? made : other);
    return better ? other : made;
}

// made: without that, or NULL.
static struct model *specialized_late(struct specializer *s, const bool *on_cycle,
                                      struct model *made)
{
    memset(s->counted.limit_of, 0, s->model->variable_count * sizeof *s->counted.limit_of);
    bool *tracked = counting_find(s->model, on_cycle, true, &s->counted);
    struct model *simpler = specialized_by_elements(s, tracked);
    for (size_t i = 1; i < sizeof late / sizeof late[0] && made == NULL && simpler == NULL; i++)
        if (late[i].splits || model_has_arrays(s->model))
            simpler = specialized_by(s, tracked, &late[i]);
    memory_free(tracked);
    if (simpler != NULL && made != NULL && simpler->location_count / 4 > made->location_count) {
        model_destroy(simpler);
        simpler = NULL;
    }
    if (simpler != NULL)
        model_destroy(made);
    return simpler != NULL ? simpler : made;
}

// Assigned where no loop is, and in none: then loops may differ by them.
static void note_places(const struct statement *action, bool in_loop, bool *outside, bool *inside)
{
    if (action->variable != NULL && counting_is_pointer(action->variable->sort))
        (in_loop ? inside : outside)[action->variable->index] = true;
    for (uint32_t i = 0; i < action->child_count; i++)
        note_places(action->child[i], in_loop, outside, inside);
}

// With loops left, for nothing else does.
static struct model *specialized_by_places(struct specializer *s, const bool *on_cycle)
{
    const struct model *m = s->model;
    bool *outside = memory_zalloc(m->variable_count + 1),
         *inside = memory_zalloc(m->variable_count + 1), some = false;
    struct components components;
    model_components(m, &components);
    note_places(m->initial_action, false, outside, inside);
    for (uint32_t e = 0; e < m->edge_count; e++) {
        const struct edge *edge = m->edges[e];
        const uint32_t from = edge->source->index, to = edge->target->index;
        note_places(edge->action, on_cycle[from] && components.of[from] == components.of[to],
                    outside, inside);
    }
    components_finish(&components);
    for (uint32_t v = 0; v < m->variable_count; v++) {
        outside[v] = outside[v] && !inside[v];
        for (uint32_t l = 0; l < m->location_count && outside[v]; l++)
            some = some || (on_cycle[l] && (s->live[s->words * l + v / 64] >> v % 64 & 1) != 0);
    }
    struct model *made = some ? specialized_by(s, outside, &by_places) : NULL;
    memory_free(outside);
    memory_free(inside);
    return made;
}

struct model *specialize_model(struct model *model, bool loops_stay)
{
    assert(model->source == NULL && model->view == NULL);
    bool *on_cycle = find_cycles(model);
    if (on_cycle == NULL)
        return model;
    struct specializer s = {.model = model,
                            .counted = {.limit_of = memory_zalloc(model->variable_count + 1),
                                        .sizes = memory_zalloc(model->variable_count + 1)}};
    struct model *made = NULL;
    arena_init(&s.arena);
    const bool is_small = find_live(&s);
    bool too_much = false;
    arena_finish(&s.arena);
    if (is_small)
        made = specialized_early(&s, on_cycle, &too_much);
    if (is_small && !too_much && (made == NULL || model_has_arrays(model)))
        made = specialized_late(&s, on_cycle, made);
    if (is_small && made == NULL && loops_stay)
        made = specialized_by_places(&s, on_cycle);
    memory_free(s.live);
    memory_free(s.counted.limit_of);
    memory_free(s.counted.sizes);
    memory_free(on_cycle);
    if (made == NULL)
        return model;
    made->judge = model->judge;
    model->judge = NULL;
    made->property_kind = model->property_kind;
    made->memory->recoded = model; // whose terms it uses
    return made;
}
