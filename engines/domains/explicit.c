#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "engines/domains/domain.h"
#include "engines/domains/explicit_post.h"

// Explicit values ([Hajdu20] 2.2; cegar.md 2): a state gives a value to tracked variables; the others, and
// those whose value is not determined, are unknown. Successors are computed by evaluation; where that
// does not decide an action, a solver enumerates at most `maxenum` of them.

#define FAR_FROM_ZERO ((int64_t)1 << 40)

struct state_extra {
    uint32_t class;             // number of the set of known variables
    const struct term *formula; // NULL until asked for
};

// A solver with one action asserted, for enumeration.
struct action_solver {
    struct smt *smt; // NULL until needed
    struct encoded_step step;
};

struct domain {
    struct domain_head head;
    uint32_t width;
    size_t bit_words;
    int64_t maxenum;
    bool local;
    struct explicit_post *post;
    struct state_table states;
    VECTOR(struct state_extra) extra;
    struct state_table classes; // sets of known variables
    variable_bits **precision;  // per location; all the same pointer when global
    uint64_t precision_size;
    struct action_solver *solvers; // per edge, then the initial action
    struct arena arena;
    struct valuation_set set; // result of the last post
    struct value *scratch;    // one row
    variable_bits *scratch_bits;
};

static bool bit_test(const variable_bits *bits, uint32_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static bool bits_equal(const struct domain *d, const variable_bits *a, const variable_bits *b)
{
    return memcmp(a, b, d->bit_words * sizeof *a) == 0;
}

static bool track(struct domain *d, uint32_t location, const struct variable *variable)
{
    variable_bits *bits = d->precision[location];
    if (bit_test(bits, variable->index))
        return false;
    bits[variable->index / 64] |= (uint64_t)1 << (variable->index % 64);
    d->precision_size++;
    return true;
}

static void track_everywhere(struct domain *d, const struct variable *variable)
{
    for (uint32_t l = 0; l < (d->local ? d->head.workspace->model->location_count : 1); l++)
        track(d, l, variable);
}

static void initial_precision(struct domain *d)
{
    const struct workspace *ws = d->head.workspace;
    const struct model *model = ws->model;
    int64_t kind = workspace_option(ws, OPTION_INITPREC);
    bool control = kind == INITPREC_CTRL || kind == INITPREC_PROP_CTRL;
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct variable *x = model->variables[v];
        bool wanted = (kind == INITPREC_ALLVARS && !(x->flags & VARIABLE_LOCAL)) ||
                      (control && (x->flags & VARIABLE_CONTROL));
        if (wanted)
            track_everywhere(d, x);
    }
    if ((kind == INITPREC_PROP || kind == INITPREC_PROP_CTRL) && model->property) {
        struct term_vector variables = {0};
        rewrite_free_variables(model->property, &variables);
        for (size_t i = 0; i < variables.count; i++) {
            const struct variable *x = model_variable_of(model, variables.data[i]);
            if (x)
                track_everywhere(d, x);
        }
        VECTOR_FINISH(&variables);
    }
}

static struct domain *create(struct workspace *workspace)
{
    const struct model *model = workspace->model;
    struct domain *d = memory_zalloc(sizeof *d);
    d->head = (struct domain_head){.operations = &domain_explicit, .workspace = workspace};
    d->width = model->variable_count;
    d->bit_words = d->width / 64 + 1;
    d->maxenum = workspace_option(workspace, OPTION_MAXENUM);
    d->local = workspace_option(workspace, OPTION_GRANULARITY) == GRANULARITY_LOCAL;
    d->post = explicit_post_create(workspace);
    arena_init(&d->arena);
    state_table_init(&d->states);
    state_table_init(&d->classes);
    d->precision = arena_zalloc(&d->arena, model->location_count * sizeof *d->precision);
    for (uint32_t l = 0; l < model->location_count; l++)
        d->precision[l] = d->local || l == 0
                              ? arena_zalloc(&d->arena, d->bit_words * sizeof(variable_bits))
                              : d->precision[0];
    d->solvers = memory_zalloc((model->edge_count + 1) * sizeof *d->solvers);
    d->scratch = arena_zalloc(&d->arena, (d->width + 1) * sizeof *d->scratch);
    d->scratch_bits = arena_zalloc(&d->arena, d->bit_words * sizeof *d->scratch_bits);
    initial_precision(d);
    return d;
}

static void destroy(struct domain *d)
{
    if (!d)
        return;
    for (uint32_t e = 0; e <= d->head.workspace->model->edge_count; e++)
        if (d->solvers[e].smt) {
            smt_destroy(d->solvers[e].smt);
            encoded_step_finish(&d->solvers[e].step);
        }
    memory_free(d->solvers);
    explicit_post_destroy(d->post);
    valuation_set_finish(&d->set);
    state_table_finish(&d->states);
    state_table_finish(&d->classes);
    VECTOR_FINISH(&d->extra);
    arena_finish(&d->arena);
    memory_free(d);
}

// States.

static uint64_t row_hash(const struct value *row, uint32_t width)
{
    uint64_t hash = width;
    for (uint32_t v = 0; v < width; v++)
        hash = hash_mix(hash + value_hash(row[v]) * 0x9e3779b97f4a7c15u + v);
    return hash;
}

static uint64_t bits_hash(const variable_bits *bits, size_t words)
{
    uint64_t hash = words;
    for (size_t w = 0; w < words; w++)
        hash = hash_mix(hash + bits[w] * 0x9e3779b97f4a7c15u);
    return hash;
}

static uint32_t intern_row(struct domain *d, const struct value *row)
{
    uint32_t id =
        state_table_intern(&d->states, (const uint64_t *)row, d->width, row_hash(row, d->width));
    if (id == d->extra.count) {
        memset(d->scratch_bits, 0, d->bit_words * sizeof *d->scratch_bits);
        for (uint32_t v = 0; v < d->width; v++)
            if (value_known(row[v]))
                d->scratch_bits[v / 64] |= (uint64_t)1 << (v % 64);
        uint32_t class = state_table_intern(&d->classes, d->scratch_bits, (uint32_t)d->bit_words,
                                            bits_hash(d->scratch_bits, d->bit_words));
        VECTOR_PUSH(&d->extra, ((struct state_extra){.class = class}));
    }
    return id;
}

static const struct value *state_row(const struct domain *d, uint32_t state)
{
    return (const struct value *)state_table_get(&d->states, state)->words;
}

static const struct term *formula_at(struct domain *d, const struct value *row,
                                     const uint32_t *index)
{
    struct workspace *ws = d->head.workspace;
    struct term_vector parts = {0};
    for (uint32_t v = 0; v < d->width; v++)
        if (value_known(row[v])) {
            const struct variable *x = ws->model->variables[v];
            const struct term *copy = encoder_copy(ws->encoder, x, index ? index[v] : 0);
            VECTOR_PUSH(&parts,
                        term_eq(ws->store, copy, term_of_value(ws->store, x->sort, row[v])));
        }
    const struct term *all = term_and(ws->store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    return all;
}

static const struct term *formula(struct domain *d, uint32_t state)
{
    struct state_extra *extra = &d->extra.data[state];
    if (!extra->formula)
        extra->formula = formula_at(d, state_row(d, state), NULL);
    return extra->formula;
}

static bool covers(struct domain *d, uint32_t larger, uint32_t smaller)
{
    const struct value *l = state_row(d, larger), *s = state_row(d, smaller);
    for (uint32_t v = 0; v < d->width; v++)
        if (value_known(l[v]) && !value_equal(l[v], s[v]))
            return false;
    return true;
}

static uint32_t class_of(struct domain *d, uint32_t state)
{
    return d->extra.data[state].class;
}

// The state cut down to the class's variables, if it knows them all and has been seen.
static uint32_t coverer_in_class(struct domain *d, uint32_t state, uint32_t class)
{
    uint32_t mine = d->extra.data[state].class;
    if (mine == class)
        return state;
    const variable_bits *want = state_table_get(&d->classes, class)->words;
    const variable_bits *have = state_table_get(&d->classes, mine)->words;
    for (size_t w = 0; w < d->bit_words; w++)
        if (want[w] & ~have[w])
            return STATE_NONE;
    const struct value *row = state_row(d, state);
    for (uint32_t v = 0; v < d->width; v++)
        d->scratch[v] = bit_test(want, v) ? row[v] : VALUE_UNKNOWN;
    return state_table_find(&d->states, (const uint64_t *)d->scratch, d->width,
                            row_hash(d->scratch, d->width));
}

// Enumeration by a solver.

static struct action_solver *action_solver(struct domain *d, const struct statement *action,
                                           uint32_t slot)
{
    struct workspace *ws = d->head.workspace;
    struct action_solver *a = &d->solvers[slot];
    struct smt_context *context = workspace_solver(ws);
    if (a->smt || !context)
        return context ? a : NULL;
    uint32_t *zero = memory_zalloc((d->width + 1) * sizeof *zero);
    encoder_step(ws->encoder, &d->arena, action, 0, zero, 0, &a->step);
    memory_free(zero);
    a->smt = smt_create(context);
    smt_assert(a->smt, a->step.formula);
    return a;
}

// Reads the tracked part of the solver's model into d->scratch and excludes it from now on. False: a value
// could not be had.
static bool take_model(struct domain *d, struct action_solver *a, const variable_bits *tracked)
{
    struct workspace *ws = d->head.workspace;
    struct term_vector differ = {0};
    bool complete = true;
    memset(d->scratch, 0, d->width * sizeof *d->scratch);
    for (uint32_t v = 0; v < d->width && complete; v++) {
        if (!bit_test(tracked, v))
            continue;
        const struct term *copy =
            encoder_copy(ws->encoder, ws->model->variables[v], a->step.after[v]);
        const struct term *literal = smt_model_value(a->smt, copy);
        if (literal) {
            d->scratch[v] = term_value(literal);
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
static const struct term *far_value(struct domain *d, struct action_solver *a, uint32_t row,
                                    const variable_bits *tracked)
{
    struct workspace *ws = d->head.workspace;
    const struct term *far = term_int(ws->store, FAR_FROM_ZERO);
    struct term_vector cases = {0};
    for (uint32_t v = 0; v < d->width; v++) {
        const struct variable *x = ws->model->variables[v];
        if (!bit_test(tracked, v) || value_known(state_row(d, row)[v]) || x->sort->kind != SORT_INT)
            continue;
        const struct term *copy = encoder_copy(ws->encoder, x, a->step.after[v]);
        VECTOR_PUSH(&cases, term_lt(ws->store, far, copy));
        VECTOR_PUSH(&cases, term_lt(ws->store, copy, term_neg(ws->store, far)));
    }
    const struct term *any = term_or(ws->store, cases.data, cases.count);
    VECTOR_FINISH(&cases);
    return any;
}

enum enumeration { ENUMERATED, TOO_MANY, GAVE_UP, STOPPED };

// Before completions are enumerated: is there hope that they are few?
static bool is_unbounded(struct domain *d, struct action_solver *a, uint32_t row,
                         const variable_bits *tracked)
{
    if (d->maxenum <= 0)
        return false;
    const struct term *far = far_value(d, a, row, tracked);
    if (term_is_false(far))
        return false;
    smt_push(a->smt);
    smt_assert(a->smt, far);
    enum smt_result result = smt_check(a->smt);
    smt_pop(a->smt, 1);
    return result == SMT_SAT;
}

// Asks the solver about the doubtful rows of d->set: a row whose tracked variables are all known is a
// successor or not, which takes one check; of the others all completions are wanted. In all at most maxenum
// successors (0 = any number).
static enum enumeration enumerate(struct domain *d, struct action_solver *a, uint32_t state,
                                  const variable_bits *tracked, struct state_list *out)
{
    struct workspace *ws = d->head.workspace;
    enum enumeration result = ENUMERATED;
    size_t first = out->count;
    smt_push(a->smt);
    smt_assert(a->smt, formula_at(d, state_row(d, state), a->step.before));
    for (size_t i = 0; i < d->set.count && result == ENUMERATED; i++) {
        uint32_t row = intern_row(d, valuation_row(&d->set, i));
        if (!d->set.doubtful[i]) {
            VECTOR_PUSH(out, row);
            continue;
        }
        bool complete =
            bits_equal(d, state_table_get(&d->classes, class_of(d, row))->words, tracked);
        smt_push(a->smt);
        smt_assert(a->smt, formula_at(d, state_row(d, row), a->step.after));
        if (!complete && is_unbounded(d, a, row, tracked))
            result = TOO_MANY;
        while (result == ENUMERATED) {
            enum smt_result sat = smt_check(a->smt);
            if (!workspace_step(ws, 1))
                result = STOPPED;
            else if (sat == SMT_UNKNOWN)
                result = workspace_tolerate(ws, a->smt) ? GAVE_UP : STOPPED;
            else if (sat == SMT_SAT && d->maxenum > 0 && out->count - first >= (size_t)d->maxenum)
                result = TOO_MANY;
            else if (sat == SMT_SAT && complete)
                VECTOR_PUSH(out, row);
            else if (sat == SMT_SAT && take_model(d, a, tracked)) {
                VECTOR_PUSH(out, intern_row(d, d->scratch));
                continue;
            } else if (sat == SMT_SAT)
                result = GAVE_UP;
            break;
        }
        smt_pop(a->smt, 1);
    }
    smt_pop(a->smt, 1);
    if (result != ENUMERATED)
        out->count = first;
    return result;
}

static void take_set(struct domain *d, struct state_list *out)
{
    for (size_t i = 0; i < d->set.count; i++)
        VECTOR_PUSH(out, intern_row(d, valuation_row(&d->set, i)));
}

static bool is_exact(const struct domain *d)
{
    for (size_t i = 0; i < d->set.count; i++)
        if (d->set.doubtful[i])
            return false;
    return true;
}

static bool transfer(struct domain *d, const struct statement *action, uint32_t slot,
                     uint32_t state, const struct location *target, struct state_list *out)
{
    struct workspace *ws = d->head.workspace;
    const variable_bits *tracked = d->precision[target->index];
    memcpy(d->scratch, state_row(d, state), d->width * sizeof *d->scratch);
    bool branched;
    if (!explicit_post_run(d->post, action, d->scratch, tracked, d->maxenum >= 0, &d->set,
                           &branched))
        return false;
    bool few = d->maxenum <= 0 || d->set.count <= (size_t)d->maxenum;
    bool exact = is_exact(d);
    if ((exact && (few || !branched)) || d->maxenum < 0) {
        take_set(d, out);
        return true;
    }
    if (!exact) {
        struct action_solver *a = action_solver(d, action, slot);
        enum enumeration result = a ? enumerate(d, a, state, tracked, out) : STOPPED;
        if (result == ENUMERATED || result == STOPPED)
            return result == ENUMERATED;
    }
    // Too many: one coarse step in which unknown conditions count as possible.
    memcpy(d->scratch, state_row(d, state), d->width * sizeof *d->scratch);
    if (!explicit_post_run(d->post, action, d->scratch, tracked, false, &d->set, &branched))
        return false;
    take_set(d, out);
    return workspace_step(ws, 0);
}

static bool initial(struct domain *d, struct state_list *out)
{
    const struct model *model = d->head.workspace->model;
    memset(d->scratch, 0, d->width * sizeof *d->scratch);
    uint32_t anything = intern_row(d, d->scratch);
    return transfer(d, model->initial_action, model->edge_count, anything, model->initial, out);
}

static bool successors(struct domain *d, uint32_t state, const struct edge *edge,
                       struct state_list *out)
{
    return transfer(d, edge->action, edge->id, state, edge->target, out);
}

static bool refine(struct domain *d, const struct location *location,
                   const struct term *interpolant, const struct term *const *variables,
                   size_t variable_count)
{
    const struct model *model = d->head.workspace->model;
    struct term_vector all = {0};
    if (interpolant)
        rewrite_free_variables(interpolant, &all);
    for (size_t i = 0; i < variable_count; i++)
        VECTOR_PUSH(&all, variables[i]);
    bool changed = false;
    for (size_t i = 0; i < all.count; i++) {
        const struct variable *x = model_variable_of(model, all.data[i]);
        changed |= x && track(d, d->local ? location->index : 0, x);
    }
    VECTOR_FINISH(&all);
    d->head.precision_id += changed;
    return changed;
}

static uint64_t precision_size(const struct domain *d)
{
    return d->precision_size;
}

static size_t bytes(const struct domain *d)
{
    return state_table_bytes(&d->states) + state_table_bytes(&d->classes) + d->arena.bytes +
           explicit_post_bytes(d->post) + d->extra.capacity * sizeof *d->extra.data;
}

const struct domain_operations domain_explicit = {
    .name = "EXPL",
    .create = create,
    .destroy = destroy,
    .initial = initial,
    .successors = successors,
    .covers = covers,
    .class_of = class_of,
    .coverer_in_class = coverer_in_class,
    .formula = formula,
    .refine = refine,
    .precision_size = precision_size,
    .bytes = bytes,
};
