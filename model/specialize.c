#include "model/specialize.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/components.h"
#include "base/hash.h"
#include "base/memory.h"
#include "logic/terms/rewrite.h"
#include "model/model_memory.h"

#define MOST_COPIES 8000    // of locations
#define MOST_TERMS 300000   // that are looked at to find what is known
#define MOST_LIVE 40000000  // words of the sets of live variables, in all rounds
#define MOST_KNOWN 12000000 // variables of all copies
#define MOST_FLOW 100       // nodes of what is assigned, where it is looked at for counters

// By variable: the literal it is, or NULL.
typedef const struct term **valuation;

struct copy {
    const struct location *of;
    struct location *made;
    const struct term *const *known;
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
    VECTOR(struct copy) copies;
    struct hash_index index;
    struct arena arena;
    size_t terms_left;
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

// Which variables loops count with.

// How numbers go from variable to variable: where a sum with a literal, a copy or a choice of such is assigned.
struct flow {
    uint32_t from, to;
    bool adds;
};

struct counting {
    const struct model *model;
    VECTOR(struct flow) flows;
    bool *decides; // by variable: a condition in a loop speaks of it
};

static void note_flows(struct counting *c, uint32_t to, const struct term *t, bool adds)
{
    const struct variable *v;
    switch (t->kind) {
    case TERM_VAR:
        if ((v = model_variable_of(c->model, t)) != NULL)
            VECTOR_PUSH(&c->flows, ((struct flow){v->index, to, adds}));
        break;
    case TERM_ADD:
    case TERM_BV_ADD:
        for (uint32_t i = 0; i < t->child_count && t->child_count == 2; i++)
            if (term_is_literal(t->child[1 - i]))
                note_flows(c, to, t->child[i], true);
        break;
    case TERM_ITE:
        note_flows(c, to, t->child[1], adds);
        note_flows(c, to, t->child[2], adds);
        break;
    case TERM_BV_EXTRACT:
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        note_flows(c, to, t->child[0], adds);
        break;
    default:
        break;
    }
}

static void note_action(struct counting *c, const struct statement *action, bool in_loop)
{
    if (action->kind == STATEMENT_ASSIGN) {
        if (action->expression->tree_size <= MOST_FLOW)
            note_flows(c, action->variable->index, action->expression, false);
    } else if (action->expression != NULL && in_loop) {
        struct term_vector found = {0};
        rewrite_free_variables(action->expression, &found);
        for (size_t i = 0; i < found.count; i++) {
            const struct variable *v = model_variable_of(c->model, found.data[i]);
            if (v != NULL)
                c->decides[v->index] = true;
        }
        VECTOR_FINISH(&found);
    }
    for (uint32_t i = 0; i < action->child_count; i++)
        note_action(c, action->child[i], in_loop);
}

// Adds what flows into what is marked.
static void mark_sources(const struct counting *c, bool *marked)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < c->flows.count; i++) {
            const struct flow *f = &c->flows.data[i];
            changed = changed || (marked[f->to] && !marked[f->from]);
            marked[f->from] = marked[f->from] || marked[f->to];
        }
    }
}

static int by_source(const void *a, const void *b)
{
    const struct flow *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

// Those that come back to themselves with something added.
static void mark_counters(struct counting *c, bool *counters)
{
    const uint32_t count = c->model->variable_count;
    uint32_t *first = memory_alloc((count + 1) * sizeof *first);
    uint32_t *targets = memory_alloc((c->flows.count + 1) * sizeof *targets);
    struct components components;
    if (c->flows.count > 0)
        qsort(c->flows.data, c->flows.count, sizeof *c->flows.data, by_source);
    size_t at = 0;
    for (uint32_t v = 0; v <= count; v++) {
        first[v] = (uint32_t)at;
        for (; at < c->flows.count && c->flows.data[at].from == v; at++)
            targets[at] = c->flows.data[at].to;
    }
    components_find(&components, count, first, targets, NULL);
    for (size_t i = 0; i < c->flows.count; i++) {
        const struct flow *f = &c->flows.data[i];
        const uint32_t component = components.of[f->to];
        if (!f->adds || component != components.of[f->from])
            continue;
        for (uint32_t k = components.begin[component - 1]; k < components.begin[component]; k++)
            counters[components.members[k]] = true;
    }
    components_finish(&components);
    memory_free(targets);
    memory_free(first);
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

static bool is_truth(const struct variable *v)
{
    return v->sort->kind == SORT_BOOL || (v->sort->kind == SORT_BV && v->sort->width == 1);
}

// By variable, to be freed: loops decide by it and count with it, or it gives such a variable its value. NULL: there is none.
static bool *find_counting(const struct model *model, const bool *on_cycle)
{
    const uint32_t count = model->variable_count;
    struct counting c = {.model = model, .decides = memory_zalloc(count + 1)};
    bool *counters = memory_zalloc(count + 1), some = false;
    note_action(&c, model->initial_action, false);
    for (uint32_t e = 0; e < model->edge_count; e++)
        note_action(&c, model->edges[e]->action, on_cycle[model->edges[e]->source->index]);
    mark_counters(&c, counters);
    mark_sources(&c, c.decides);
    for (uint32_t v = 0; v < count; v++) {
        counters[v] = counters[v] && c.decides[v];
        some = some || counters[v];
        counters[v] = counters[v] || (c.decides[v] && is_truth(model->variables[v]));
    }
    mark_sources(&c, counters);
    VECTOR_FINISH(&c.flows);
    memory_free(c.decides);
    if (some)
        return counters;
    memory_free(counters);
    return NULL;
}

// Actions, with what is known.

struct look {
    struct specializer *s;
    valuation known;
};

static const struct term *lookup(void *context, const struct term *variable)
{
    const struct look *look = context;
    const struct variable *v = model_variable_of(look->s->model, variable);
    return v != NULL && look->known[v->index] != NULL ? look->known[v->index] : variable;
}

static const struct term *evaluate(struct specializer *s, valuation known, const struct term *t)
{
    struct look look = {s, known};
    const struct term *out =
        s->failed ? NULL : rewrite_substitute_within(s->store, t, lookup, &look, &s->terms_left);
    s->failed = s->failed || out == NULL;
    return out != NULL ? out : t;
}

static struct statement *specialized(struct specializer *s, valuation known,
                                     const struct statement *action);

static valuation copy_known(const struct specializer *s, const struct term *const *known)
{
    valuation out = memory_alloc((s->model->variable_count + 1) * sizeof *out);
    memcpy(out, known, s->model->variable_count * sizeof *out);
    return out;
}

// Known afterwards is what all ways agree on that can be gone. NULL: none can.
static struct statement *specialized_ways(struct specializer *s, valuation known,
                                          const struct statement *action,
                                          const struct term *condition)
{
    const uint32_t count = s->model->variable_count;
    struct statement **ways = memory_alloc((action->child_count + 1) * sizeof *ways), *made = NULL;
    valuation before = copy_known(s, known);
    uint32_t way_count = 0, possible = 0; // the last of these
    for (uint32_t i = 0; i < action->child_count; i++) {
        valuation here = copy_known(s, before);
        ways[way_count] = specialized(s, here, action->child[i]);
        for (uint32_t v = 0; v < count && ways[way_count] != NULL; v++)
            known[v] = way_count == 0 || known[v] == here[v] ? here[v] : NULL;
        if (ways[way_count] != NULL) {
            possible = i;
            way_count++;
        }
        memory_free(here);
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
    memory_free(before);
    memory_free(ways);
    return made;
}

static struct statement *specialized_sequence(struct specializer *s, valuation known,
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
static struct statement *specialized(struct specializer *s, valuation known,
                                     const struct statement *action)
{
    struct statement *made;
    const struct term *t =
        action->expression != NULL ? evaluate(s, known, action->expression) : NULL;
    switch (action->kind) {
    case STATEMENT_ASSIGN:
        made = model_assign(s->builder, s->variables[action->variable->index], t, action->source);
        known[action->variable->index] = term_is_literal(t) ? t : NULL;
        break;
    case STATEMENT_HAVOC:
        known[action->variable->index] = NULL;
        return model_havoc(s->builder, s->variables[action->variable->index], action->source);
    case STATEMENT_ASSUME:
        if (term_is_false(t))
            return NULL;
        if (term_is_true(t))
            return model_skip(s->builder, action->source);
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

static uint64_t hash_of(const struct specializer *s, const struct location *of, valuation known)
{
    uint64_t hash = hash_mix(of->index + UINT64_C(1));
    for (uint32_t v = 0; v < s->model->variable_count; v++)
        if (known[v] != NULL)
            hash = hash_mix(hash ^ ((uint64_t)v << 32 | known[v]->id));
    return hash;
}

static uint32_t new_copy(struct specializer *s, const struct location *of, valuation known,
                         uint64_t hash)
{
    const size_t bytes = (s->model->variable_count + 1) * sizeof *known;
    const struct term **kept = arena_alloc(&s->arena, bytes);
    const bool first = of == s->model->error;
    struct copy copy = {.of = of, .known = kept};
    memcpy(kept, known, bytes - sizeof *known);
    copy.made =
        model_builder_location(s->builder, first ? of->name : NULL, of->phase, of->observable);
    hash_index_add(&s->index, hash, (uint32_t)s->copies.count);
    VECTOR_PUSH(&s->copies, copy);
    s->failed = s->failed || s->copies.count > MOST_COPIES ||
                s->copies.count * s->model->variable_count > MOST_KNOWN;
    return (uint32_t)s->copies.count - 1;
}

// Only what is live there tells copies apart. `known` is cleaned of the rest. True: it is new.
static bool find_copy(struct specializer *s, const struct location *of, valuation known,
                      uint32_t *number)
{
    const uint32_t count = s->model->variable_count;
    const uint64_t *live = s->live + s->words * of->index;
    for (uint32_t v = 0; v < count; v++)
        if ((live[v / 64] >> v % 64 & 1) == 0 || (s->tracked != NULL && !s->tracked[v]))
            known[v] = NULL;
    const uint64_t hash = hash_of(s, of, known);
    struct hash_probe probe = hash_index_probe(&s->index, hash);
    for (uint32_t i; hash_index_next(&s->index, &probe, &i);) {
        const struct copy *c = &s->copies.data[i];
        if (c->of == of && memcmp(c->known, known, count * sizeof *known) == 0) {
            *number = i;
            return false;
        }
    }
    *number = new_copy(s, of, known, hash);
    return true;
}

struct visit {
    uint32_t copy, next; // of the location's edges
};

// Depth first, for a way that comes back to where it was is a loop that stays. False: one does.
static bool follow(struct specializer *s, uint32_t first)
{
    VECTOR(struct visit) path = {0};
    VECTOR_PUSH(&path, ((struct visit){first, 0}));
    s->copies.data[first].open = true;
    while (path.count > 0 && !s->failed) {
        struct visit *top = &VECTOR_LAST(&path);
        const struct copy from = s->copies.data[top->copy];
        if (top->next == from.of->out_count || from.of == s->model->error) { // where runs end
            s->copies.data[top->copy].open = false;
            (void)VECTOR_POP(&path);
            continue;
        }
        const struct edge *e = from.of->out[top->next++];
        valuation known = copy_known(s, from.known);
        struct statement *action = specialized(s, known, e->action);
        uint32_t to;
        if (action != NULL && !s->failed) {
            const bool is_new = find_copy(s, e->target, known, &to);
            struct copy *c = &s->copies.data[to];
            struct edge *made =
                model_builder_edge(s->builder, from.made, c->made, action, e->label, e->position);
            if (e->limit != NULL)
                model_builder_limit(made, e->limit);
            s->failed = s->failed || c->open;
            if (is_new) {
                c->open = true;
                VECTOR_PUSH(&path, ((struct visit){to, 0}));
            }
        }
        memory_free(known);
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
    valuation known = memory_zalloc((m->variable_count + 1) * sizeof *known);
    uint32_t first, error;
    make_variables(s);
    find_copy(s, m->error, known, &error); // before others, or its name may be taken
    model_builder_error(s->builder, s->copies.data[error].made);
    struct statement *action = specialized(s, known, m->initial_action);
    bool good = action != NULL && !s->failed;
    if (good) {
        find_copy(s, m->initial, known, &first);
        model_builder_initial(s->builder, s->copies.data[first].made, action);
        model_builder_property(s->builder, m->property);
        model_builder_bad_number(s->builder, m->bad_number);
        good = follow(s, first);
    }
    memory_free(known);
    return good;
}

// With what is known of the variables that are tracked. NULL: some cycle is left, or it is too much.
static struct model *specialized_by(struct specializer *s, const bool *tracked)
{
    const struct model *m = s->model;
    s->tracked = tracked;
    s->builder = model_builder_create(m->dialect, m->path, m->store);
    s->store = model_builder_store(s->builder);
    s->terms_left = MOST_TERMS;
    s->failed = false;
    const bool good = make(s);
    memory_free(s->variables);
    VECTOR_FINISH(&s->copies);
    hash_index_finish(&s->index);
    if (good)
        return model_builder_finish(s->builder);
    model_builder_destroy(s->builder);
    return NULL;
}

struct model *specialize_model(struct model *model)
{
    assert(model->source == NULL && model->view == NULL);
    bool *on_cycle = find_cycles(model);
    if (on_cycle == NULL)
        return model;
    struct specializer s = {.model = model};
    struct model *made = NULL;
    arena_init(&s.arena);
    if (find_live(&s)) {
        bool *tracked = find_counting(model, on_cycle);
        made = tracked != NULL ? specialized_by(&s, tracked) : NULL;
        if (made == NULL)
            made = specialized_by(&s, NULL);
        memory_free(tracked);
    }
    memory_free(s.live);
    arena_finish(&s.arena);
    memory_free(on_cycle);
    if (made == NULL)
        return model;
    made->judge = model->judge;
    model->judge = NULL;
    made->property_kind = model->property_kind;
    made->memory->recoded = model; // whose terms it uses
    return made;
}
