#include "engines/bounded/octagons.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engines/bounded/octagon_words.h"
#include "logic/smt/products.h"
#include "logic/smt/quotients.h"

#define MOST_WORK 4000000  // sides of octagons looked at, some ten times
#define MOST_VARIABLES 64  // that are looked at
#define MOST_PACKS 12      // each with an octagon of its own per location
#define MOST_LOCATIONS 200 // with more, there are no octagons
#define MOST_TERM 300      // nodes of one condition
#define MOST_TOGETHER 8    // variables of one condition
#define MOST_THRESHOLDS 80
#define WEIGHT 16       // of one condition or assignment, against that of one step
#define PATIENCE 3      // joins at a location before it is widened, …
#define MOST_WIDENED 30 // … and so often to the next threshold
#define NARROWINGS 3
#define MOST_CHECKS 40 // of a proof

struct octagons {
    struct monolith *m;
    const struct variable *variable[MOST_VARIABLES];
    uint32_t variables;
    uint32_t *index_of; // per variable of the model; MOST_VARIABLES: none
    uint32_t together[MOST_VARIABLES][MOST_VARIABLES];
    uint64_t seen;            // a bit for each variable of the action that is looked at
    int sign[MOST_VARIABLES]; // above 0: compared as a number with sign more often
    octagon_bound threshold[MOST_THRESHOLDS];
    size_t thresholds;
    bool *excluded; // per edge
    struct located_facts *facts;
    int64_t work;
};

// Which variables occur together.

struct occurrence {
    uint32_t variable[MOST_TOGETHER];
    uint32_t count;
    unsigned budget;
};

static bool is_word(const struct sort *sort)
{
    return sort->kind == SORT_BV && sort->width > 1 && sort->width <= OCTAGON_MOST_WIDTH;
}

static void note_threshold(struct octagons *g, octagon_bound value)
{
    for (size_t i = 0; i < g->thresholds; i++)
        if (g->threshold[i] == value)
            return;
    if (g->thresholds < MOST_THRESHOLDS)
        g->threshold[g->thresholds++] = value;
}

static void note_literal(struct octagons *g, const struct term *t)
{
    octagon_bound value = octagon_literal(t, true);
    for (int more = -1; more <= 1; more++) {
        note_threshold(g, value + more);
        note_threshold(g, more - value);
    }
}

static void note_variable(struct octagons *g, struct occurrence *o, const struct variable *v,
                          int sign)
{
    uint32_t index = v != NULL ? g->index_of[v->index] : MOST_VARIABLES;
    if (index == MOST_VARIABLES)
        return;
    g->sign[index] += sign;
    g->seen |= UINT64_C(1) << index;
    for (uint32_t i = 0; i < o->count; i++)
        if (o->variable[i] == index)
            return;
    if (o->count < MOST_TOGETHER)
        o->variable[o->count++] = index;
}

static void note_term(struct octagons *g, struct occurrence *o, const struct term *t, int sign)
{
    if (o->budget == 0)
        return;
    o->budget--;
    if (t->kind == TERM_VAR)
        note_variable(g, o, model_variable_of(g->m->model, t), sign);
    else if (t->kind == TERM_BV && is_word(t->sort))
        note_literal(g, t);
    else if (t->kind == TERM_BV_ZEXT || t->kind == TERM_BV_CONCAT)
        sign = -4;
    else if (t->kind == TERM_BV_SEXT)
        sign = 4;
    else if (t->kind == TERM_BV_ULT || t->kind == TERM_BV_ULE || t->kind == TERM_BV_UDIV ||
             t->kind == TERM_BV_UREM || t->kind == TERM_BV_LSHR)
        sign = -1;
    else if (t->kind == TERM_BV_SLT || t->kind == TERM_BV_SLE || t->kind == TERM_BV_SDIV ||
             t->kind == TERM_BV_SREM)
        sign = 1;
    else if (t->kind == TERM_EQ)
        sign = 0; // whatever is made of the outcome
    for (uint32_t i = 0; i < t->child_count; i++)
        note_term(g, o, t->child[i], sign);
}

static void note_together(struct octagons *g, const struct occurrence *o)
{
    for (uint32_t i = 0; i < o->count; i++)
        for (uint32_t j = 0; j < o->count; j++)
            g->together[o->variable[i]][o->variable[j]] += WEIGHT;
}

// Each condition on its own; those that are terms of others, too.
static void note_conditions(struct octagons *g, const struct term *t, unsigned *budget)
{
    if (*budget == 0)
        return;
    --*budget;
    bool joins = t->kind == TERM_NOT || t->kind == TERM_AND || t->kind == TERM_OR ||
                 (t->kind == TERM_ITE && t->sort->kind == SORT_BOOL) ||
                 (t->kind == TERM_EQ && t->child[0]->sort->kind == SORT_BOOL);
    if (joins) {
        for (uint32_t i = 0; i < t->child_count; i++)
            note_conditions(g, t->child[i], budget);
        return;
    }
    struct occurrence o = {.budget = MOST_TERM};
    note_term(g, &o, t, 0);
    note_together(g, &o);
}

static void note_statement(struct octagons *g, const struct statement *s)
{
    unsigned budget = MOST_TERM;
    if (s->kind == STATEMENT_ASSIGN && g->index_of[s->variable->index] != MOST_VARIABLES) {
        struct occurrence o = {.budget = MOST_TERM};
        note_variable(g, &o, s->variable, 0);
        note_term(g, &o, s->expression, 0);
        note_together(g, &o);
    } else if (s->expression != NULL && s->expression->sort->kind == SORT_BOOL) {
        note_conditions(g, s->expression, &budget);
    }
    for (uint32_t i = 0; i < s->child_count; i++)
        note_statement(g, s->child[i]);
}

static void note_action(struct octagons *g, const struct statement *action)
{
    g->seen = 0;
    note_statement(g, action);
    for (uint32_t i = 0; i < g->variables; i++)
        for (uint32_t j = 0; j < g->variables; j++)
            g->together[i][j] += (uint32_t)(g->seen >> i & g->seen >> j & 1);
}

static int compare_bounds(const void *a, const void *b)
{
    octagon_bound x = *(const octagon_bound *)a, y = *(const octagon_bound *)b;
    return (x > y) - (x < y);
}

// States first: there may be too many.
static void note_all(struct octagons *g)
{
    const struct model *model = g->m->model;
    for (uint32_t v = 0; v < model->variable_count; v++)
        g->index_of[v] = MOST_VARIABLES;
    for (int state = 1; state >= 0; state--)
        for (uint32_t v = 0; v < model->variable_count && g->variables < MOST_VARIABLES; v++)
            if (is_word(model->variables[v]->sort) && g->m->state[v] == state) {
                g->index_of[v] = g->variables;
                g->variable[g->variables++] = model->variables[v];
            }
    note_threshold(g, 0);
    note_action(g, model->initial_action);
    for (uint32_t e = 0; e < model->edge_count; e++)
        note_action(g, model->edges[e]->action);
    qsort(g->threshold, g->thresholds, sizeof *g->threshold, compare_bounds);
}

// One pack: variables that occur together, in an octagon per location.

struct pack {
    struct octagons *g;
    struct octagon_words words;
    uint32_t *number_of, *boolean_of;
    struct octagon *at;   // per location; not closed
    struct octagon range; // any state
    unsigned *visits;     // per location
    bool *waits;
};

static void include(struct pack *p, uint32_t index, bool *packed)
{
    struct octagon_words *w = &p->words;
    const struct variable *v = p->g->variable[index];
    packed[index] = true;
    p->number_of[v->index] = w->numbers;
    w->number[w->numbers] = v;
    w->is_signed[w->numbers++] =
        p->g->sign[index] > 0 || (p->g->sign[index] == 0 && v->sort->width >= 32);
}

// What occurs most often with those that are in the pack; MOST_VARIABLES: nothing.
static uint32_t next_member(const struct pack *p, const bool *packed)
{
    uint32_t best = MOST_VARIABLES, weight = 0;
    for (uint32_t i = 0; i < p->g->variables; i++) {
        uint32_t here = 0;
        if (packed[i])
            continue;
        for (uint32_t k = 0; k < p->words.numbers; k++)
            here += p->g->together[i][p->g->index_of[p->words.number[k]->index]];
        if (here > weight) {
            best = i;
            weight = here;
        }
    }
    return best;
}

// False: no variable of the state is left.
static bool gather(struct pack *p, bool *packed)
{
    uint32_t seed = MOST_VARIABLES, weight = 0;
    for (uint32_t i = 0; i < p->g->variables; i++) {
        uint32_t here = 0;
        for (uint32_t k = 0; k < p->g->variables; k++)
            here += p->g->together[i][k];
        if (!packed[i] && p->g->m->state[p->g->variable[i]->index] && here > weight) {
            seed = i;
            weight = here;
        }
    }
    if (seed == MOST_VARIABLES)
        return false;
    for (; seed != MOST_VARIABLES && p->words.numbers < OCTAGON_NUMBERS;
         seed = next_member(p, packed))
        include(p, seed, packed);
    return true;
}

// With what words have.
static void take(const struct pack *p, uint32_t location, struct octagon *out)
{
    *out = p->at[location];
    for (uint32_t n = 0; n < out->numbers && !out->empty; n++) {
        octagon_bound greatest = 2 * octagon_greatest(&p->words, n);
        octagon_bound least = -2 * octagon_least(&p->words, n);
        octagon_bound *rising = &out->bound[2 * n][2 * n];
        octagon_bound *falling = &out->bound[2 * n + 1][2 * n + 1];
        *rising = *rising < greatest ? *rising : greatest;
        *falling = *falling < least ? *falling : least;
    }
    octagon_close(out);
}

// The runs through the action, all together.
static void pass_action(struct pack *p, struct octagon *o, const struct statement *action)
{
    struct octagon_cases cases = {0};
    if (!o->empty)
        VECTOR_PUSH(&cases, (struct octagon_case){.octagon = *o});
    octagon_words_pass(&p->words, &cases, action);
    o->empty = true;
    for (size_t i = 0; i < cases.count; i++)
        octagon_join(o, &cases.data[i].octagon);
    VECTOR_FINISH(&cases);
}

// What lives inside a step has no value between steps.
static void pass_edge(struct pack *p, struct octagon *o, const struct statement *action)
{
    pass_action(p, o, action);
    for (uint32_t n = 0; n < p->words.numbers; n++)
        if (!p->g->m->state[p->words.number[n]->index])
            octagon_words_forget(&p->words, o, n);
}

static void begin(struct pack *p, struct octagon *o)
{
    octagon_init(o, p->words.numbers);
    for (uint32_t n = 0; n < p->words.numbers; n++)
        octagon_words_forget(&p->words, o, n);
    p->range = *o;
    pass_edge(p, o, p->g->m->model->initial_action);
}

static void arrive(struct pack *p, uint32_t location, const struct octagon *o)
{
    struct octagon *at = &p->at[location];
    unsigned visits = p->visits[location];
    struct octagon joined = *at;
    octagon_join(&joined, o);
    // First nothing but the join; in the end no threshold.
    bool grown = visits < PATIENCE ? octagon_widen(at, &joined, &p->range, NULL, 0)
                                   : octagon_widen(at, &joined, &p->range, p->g->threshold,
                                                   visits < MOST_WIDENED ? p->g->thresholds : 0);
    if (grown && visits < PATIENCE)
        *at = joined;
    p->visits[location] += grown;
    p->waits[location] |= grown;
}

static bool may_go_on(const struct pack *p)
{
    return p->words.work > 0 && workspace_step(p->g->m->workspace, 0);
}

// False: too much work, or stopped.
static bool propagate(struct pack *p)
{
    const struct model *model = p->g->m->model;
    struct octagon *o = memory_alloc(2 * sizeof *o), *from = o + 1;
    begin(p, o);
    arrive(p, model->initial->index, o);
    for (bool going = true; going && may_go_on(p);) {
        going = false;
        for (uint32_t l = 0; l < model->location_count; l++) {
            const struct location *here = model->locations[l];
            if (!p->waits[l])
                continue;
            going = true;
            p->waits[l] = false;
            take(p, l, from);
            for (uint32_t i = 0; i < here->out_count && p->words.work > 0; i++) {
                *o = *from;
                p->words.work -= (int64_t)o->numbers * o->numbers;
                if (here->out[i]->target == model->error)
                    continue;
                pass_edge(p, o, here->out[i]->action);
                if (!o->empty)
                    arrive(p, here->out[i]->target->index, o);
            }
        }
    }
    memory_free(o);
    return may_go_on(p);
}

// One location again, from what is known where ways to it begin: it can only shrink.
static void narrow(struct pack *p, uint32_t location)
{
    const struct model *model = p->g->m->model;
    struct octagon *o = memory_alloc(2 * sizeof *o), *all = o + 1;
    octagon_init(all, p->words.numbers);
    all->empty = true;
    if (model->initial->index == location)
        begin(p, all);
    for (uint32_t i = 0; i < model->locations[location]->in_count; i++) {
        const struct edge *edge = model->locations[location]->in[i];
        take(p, edge->source->index, o);
        pass_edge(p, o, edge->action);
        octagon_join(all, o);
    }
    if (p->words.work > 0) {
        take(p, location, o);
        for (uint32_t a = 0; a < OCTAGON_SIDES && !all->empty; a++)
            for (uint32_t b = 0; b < OCTAGON_SIDES; b++)
                if (o->bound[a][b] < all->bound[a][b])
                    all->bound[a][b] = o->bound[a][b];
        p->at[location] = *all;
    }
    memory_free(o);
}

// What it says, as terms.

// Either side of a sum, two bits wider than the widest number.
static const struct term *side_term(const struct pack *p, uint32_t side, uint32_t width)
{
    struct term_store *store = p->g->m->store;
    uint32_t number = side / 2;
    const struct term *wide =
        term_bv_extend(store, p->words.is_signed[number] ? TERM_BV_SEXT : TERM_BV_ZEXT,
                       p->words.number[number]->term, width);
    return side % 2 == 0 ? wide : term_bv_unary(store, TERM_BV_NEG, wide);
}

static const struct term *number_term(struct term_store *store, octagon_bound value, uint32_t width)
{
    const struct term *low = term_bv(store, 64, (uint64_t)value);
    if (width <= 64)
        return term_bv(store, width, (uint64_t)value);
    const struct term *high = term_bv(store, width - 64, (uint64_t)(value >> 64));
    return term_bv_binary(store, TERM_BV_CONCAT, high, low);
}

static const struct term *bound_of_one(const struct pack *p, uint32_t side, octagon_bound most)
{
    struct term_store *store = p->g->m->store;
    const struct term *own = p->words.number[side / 2]->term;
    bool is_signed = p->words.is_signed[side / 2];
    enum term_kind kind = is_signed ? TERM_BV_SLE : TERM_BV_ULE;
    const struct term *limit = number_term(store, side % 2 == 0 ? most : -most, own->sort->width);
    return side % 2 == 0 ? term_bv_binary(store, kind, own, limit)
                         : term_bv_binary(store, kind, limit, own);
}

static const struct term *bound_of_two(const struct pack *p, uint32_t a, uint32_t b,
                                       octagon_bound most)
{
    struct term_store *store = p->g->m->store;
    const struct term *x = p->words.number[a / 2]->term, *y = p->words.number[b / 2]->term;
    bool is_signed = p->words.is_signed[a / 2];
    if (most == 0 && a % 2 != b % 2 && x->sort == y->sort && is_signed == p->words.is_signed[b / 2])
        return term_bv_binary(store, is_signed ? TERM_BV_SLE : TERM_BV_ULE, a % 2 == 0 ? x : y,
                              a % 2 == 0 ? y : x);
    uint32_t width = (x->sort->width > y->sort->width ? x->sort->width : y->sort->width) + 2;
    const struct term *sum =
        term_bv_binary(store, TERM_BV_ADD, side_term(p, a, width), side_term(p, b, width));
    return term_bv_binary(store, TERM_BV_SLE, sum, number_term(store, most, width));
}

static void tell(struct pack *p, uint32_t location, const struct term *fact)
{
    if (!term_is_true(fact))
        VECTOR_PUSH(p->g->facts, ((struct located_fact){location, fact, fact, fact, NULL}));
}

static void tell_location(struct pack *p, uint32_t location)
{
    struct octagon *o = memory_alloc(sizeof *o);
    take(p, location, o);
    if (o->empty)
        tell(p, location, term_false(p->g->m->store));
    else
        octagon_reduce(o);
    for (uint32_t a = 0; a < 2 * o->numbers && !o->empty; a++)
        for (uint32_t b = 0; b <= a; b++) {
            octagon_bound most = o->bound[a][b];
            if (most == OCTAGON_NONE || a == octagon_other(b))
                continue;
            if (a != b) {
                tell(p, location, bound_of_two(p, a, b, most));
                continue;
            }
            octagon_bound own =
                a % 2 == 0 ? octagon_greatest(&p->words, a / 2) : -octagon_least(&p->words, a / 2);
            if (most / 2 < own)
                tell(p, location, bound_of_one(p, a, most / 2));
        }
    memory_free(o);
}

static void note_excluded(struct pack *p)
{
    const struct model *model = p->g->m->model;
    struct octagon *o = memory_alloc(sizeof *o);
    for (uint32_t i = 0; i < model->error->in_count; i++) {
        const struct edge *edge = model->error->in[i];
        if (p->g->excluded[edge->id])
            continue;
        take(p, edge->source->index, o);
        pass_action(p, o, edge->action);
        p->g->excluded[edge->id] = o->empty && p->words.work > 0;
    }
    memory_free(o);
}

static void analyse(struct pack *p)
{
    const struct model *model = p->g->m->model;
    for (uint32_t l = 0; l < model->location_count; l++) {
        octagon_init(&p->at[l], p->words.numbers);
        p->at[l].empty = true;
    }
    p->words.work = p->g->work;
    if (propagate(p)) {
        for (int round = 0; round < NARROWINGS; round++)
            for (uint32_t l = 0; l < model->location_count && may_go_on(p); l++)
                if (model->locations[l] != model->error)
                    narrow(p, l);
        for (uint32_t l = 0; l < model->location_count; l++)
            if (model->locations[l] != model->error)
                tell_location(p, l);
        note_excluded(p);
    }
    p->g->work = p->words.work;
}

// False: there is no further one.
static bool analyse_next(struct octagons *g, bool *packed)
{
    const struct model *model = g->m->model;
    size_t locations = model->location_count + 1;
    struct pack p = {.g = g, .words = {.model = model}};
    p.number_of = memory_alloc((model->variable_count + 1) * sizeof *p.number_of);
    p.boolean_of = memory_alloc((model->variable_count + 1) * sizeof *p.boolean_of);
    for (uint32_t v = 0, booleans = 0; v < model->variable_count; v++) {
        bool follows = model->variables[v]->sort->kind == SORT_BOOL && booleans < OCTAGON_BOOLEANS;
        p.number_of[v] = OCTAGON_NUMBERS;
        p.boolean_of[v] = follows ? booleans++ : OCTAGON_BOOLEANS;
    }
    p.words.number_of = p.number_of;
    p.words.boolean_of = p.boolean_of;
    bool found = gather(&p, packed);
    if (found) {
        p.at = memory_alloc(locations * sizeof *p.at);
        p.visits = memory_zalloc(locations * sizeof *p.visits);
        p.waits = memory_zalloc(locations * sizeof *p.waits);
        analyse(&p);
    }
    VECTOR_FINISH(&p.words.decided);
    memory_free(p.number_of);
    memory_free(p.boolean_of);
    memory_free(p.at);
    memory_free(p.visits);
    memory_free(p.waits);
    return found;
}

bool octagons_find(struct monolith *m, struct located_facts *facts)
{
    const struct model *model = m->model;
    if (model->location_count > MOST_LOCATIONS)
        return false;
    struct octagons *g = memory_zalloc(sizeof *g);
    bool packed[MOST_VARIABLES] = {0}, all = true;
    g->m = m;
    g->facts = facts;
    g->work = MOST_WORK;
    g->index_of = memory_alloc((model->variable_count + 1) * sizeof *g->index_of);
    g->excluded = memory_zalloc(model->edge_count + 1);
    note_all(g);
    for (int i = 0; i < MOST_PACKS && g->work > 0 && analyse_next(g, packed); i++)
        continue;
    for (uint32_t i = 0; i < model->error->in_count; i++)
        all = all && g->excluded[model->error->in[i]->id];
    memory_free(g->index_of);
    memory_free(g->excluded);
    memory_free(g);
    return all;
}

// The proof.

static bool excludes(struct monolith *m, const struct term *const *known)
{
    struct smt_context *context = workspace_solver(m->workspace);
    const struct term *parts[] = {monolith_some_location(m), monolith_everywhere(m, known), m->bad,
                                  quotients_facts(m->store, m->bad)};
    const struct term *asked = term_and(m->store, parts, 4);
    if (context == NULL || products_occur(m->store, asked))
        return false; // polynomials.h looks at these
    struct smt *smt = smt_create(context);
    smt_assert(smt, asked);
    enum smt_result result = smt_check(smt);
    smt_destroy(smt);
    return workspace_step(m->workspace, 1) && result == SMT_UNSAT;
}

const struct term **octagons_prove(struct monolith *m, const struct located_facts *facts,
                                   const struct term *const *known, size_t *proved, bool *safe)
{
    const struct model *model = m->model;
    bool *held = memory_zalloc(facts->count + 1);
    const struct term **out = NULL;
    if (candidates_settle(m, facts->data, facts->count, known, MOST_CHECKS, held)) {
        out = memory_alloc((model->location_count + 1) * sizeof *out);
        for (uint32_t l = 0; l < model->location_count; l++)
            out[l] = model->locations[l] == model->error ? term_false(m->store)
                     : known != NULL                     ? known[l]
                                                         : term_true(m->store);
    }
    *proved = 0;
    for (size_t i = 0; i < facts->count; i++) {
        uint32_t l = facts->data[i].location;
        *proved += held[i];
        if (held[i])
            out[l] = term_and2(m->store, out[l], facts->data[i].fact);
    }
    memory_free(held);
    *safe = out != NULL && excludes(m, out);
    return out;
}
