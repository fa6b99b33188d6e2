#include "engines/petri/equation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "engines/engine.h"
#include "engines/petri/equation_inside.h"

#define COUNT_MAX 1e9

struct terms {
    struct linear_term *data;
    size_t count, capacity;
};

// ---- The integer program

// row * (m0 + C x) <= bound, as terms over x and what is left of the bound.
static int64_t translate_row(const struct equation *e, const struct formula *row,
                             struct terms *terms)
{
    int64_t *weights = memory_zalloc(((size_t)e->net->place_count + 1) * sizeof *weights);
    int64_t bound = row->bound;
    VECTOR_CLEAR(terms);
    for (uint32_t i = 0; i < row->sum.count; i++) {
        weights[row->sum.data[i].place] = row->sum.data[i].weight;
        bound -= row->sum.data[i].weight * e->net->places[row->sum.data[i].place].marking;
    }
    for (uint32_t t = 0; t < e->net->transition_count; t++) {
        const struct net_arcs *effect = &e->net->transitions[t].effect;
        int64_t sum = 0;
        for (uint32_t i = 0; i < effect->count; i++)
            sum += weights[effect->data[i].place] * effect->data[i].weight;
        struct linear_term term = {t, (double)sum};
        if (sum != 0)
            VECTOR_PUSH(terms, term);
    }
    memory_free(weights);
    return bound;
}

// No place falls below 0.
static void add_places(const struct equation *e, struct linear *l)
{
    const struct net *net = e->net;
    struct terms *by_place = memory_zalloc(((size_t)net->place_count + 1) * sizeof *by_place);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const struct net_arcs *effect = &net->transitions[t].effect;
        for (uint32_t i = 0; i < effect->count; i++) {
            struct linear_term term = {t, (double)effect->data[i].weight};
            VECTOR_PUSH(&by_place[effect->data[i].place], term);
        }
    }
    for (uint32_t p = 0; p < net->place_count; p++) {
        bool falls = false;
        for (size_t i = 0; i < by_place[p].count; i++)
            falls = falls || by_place[p].data[i].weight < 0;
        if (falls)
            linear_row(l, by_place[p].data, by_place[p].count, LINEAR_AT_LEAST,
                       -(double)net->places[p].marking);
        VECTOR_FINISH(&by_place[p]);
    }
    memory_free(by_place);
}

static struct linear *make_program(struct equation *e, const struct constraint *const *constraints,
                                   size_t count)
{
    struct linear *l = linear_create(e->net->transition_count);
    struct terms terms = {0};
    add_places(e, l);
    for (size_t i = 0; i < e->rows->count; i++) {
        int64_t bound = translate_row(e, e->rows->data[i], &terms);
        linear_row(l, terms.data, terms.count, LINEAR_AT_MOST, (double)bound);
    }
    for (size_t i = 0; i < count; i++)
        linear_row(l, constraints[i]->terms, constraints[i]->count,
                   constraints[i]->jump ? LINEAR_AT_MOST : LINEAR_AT_LEAST,
                   (double)(constraints[i]->bound - constraints[i]->jump));
    assert(count == 0 || !constraints[0]->jump || constraints[0]->count == 1);
    linear_integers(l);
    VECTOR_FINISH(&terms);
    return l;
}

static bool holds(const struct constraint *c, const int64_t *x)
{
    __int128 sum = 0;
    for (uint32_t i = 0; i < c->count; i++)
        sum += (__int128)c->terms[i].weight * x[c->terms[i].column];
    return c->jump ? sum < c->bound : sum >= c->bound;
}

// In integers: the marking after x is one, has the rows, and x has the constraints.
static bool is_solution(const struct equation *e, const struct constraint *const *constraints,
                        size_t count, const int64_t *x)
{
    const struct net *net = e->net;
    int64_t *m = memory_alloc(((size_t)net->place_count + 1) * sizeof *m);
    bool good = true;
    for (uint32_t p = 0; p < net->place_count; p++)
        m[p] = net->places[p].marking;
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const struct net_arcs *effect = &net->transitions[t].effect;
        good = good && x[t] >= 0;
        for (uint32_t i = 0; i < effect->count; i++) {
            int64_t *tokens = &m[effect->data[i].place], change;
            good = good && !__builtin_mul_overflow(x[t], effect->data[i].weight, &change) &&
                   !__builtin_add_overflow(*tokens, change, tokens);
        }
    }
    // So much that no order of the firings comes to more than is counted.
    for (uint32_t p = 0; p < net->place_count; p++)
        good = good && m[p] >= 0 && m[p] <= NET_TOKENS_MAX;
    for (size_t i = 0; i < e->rows->count; i++)
        good = good && formula_holds(e->rows->data[i], m);
    for (size_t i = 0; i < count; i++)
        good = good && holds(constraints[i], x);
    memory_free(m);
    return good;
}

const int64_t *equation_least(struct equation *e, const struct constraint *const *constraints,
                              size_t count, bool *infeasible)
{
    size_t transitions = e->net->transition_count;
    double *values = memory_zalloc((transitions + 1) * sizeof *values);
    int64_t *x = arena_zalloc(&e->arena, (transitions + 1) * sizeof *x);
    struct linear *l = make_program(e, constraints, count);
    enum linear_result result = linear_solve(l, values, e->problem->go_on, e->problem->context);
    bool good = result == LINEAR_SOLVED;
    *infeasible = result == LINEAR_INFEASIBLE;
    for (size_t t = 0; t < transitions && good; t++) {
        good = values[t] < COUNT_MAX;
        x[t] = good ? (int64_t)round(values[t]) : 0;
    }
    good = good && is_solution(e, constraints, count, x);
    e->result->cut = e->result->cut || (!good && !*infeasible);
    linear_destroy(l);
    memory_free(values);
    return good ? x : NULL;
}

// ---- What waits

static void push_front(struct equation *e, struct solution *s, struct partial *p)
{
    struct waiting_item item = {s, p};
    VECTOR_PUSH(&e->front, item);
}

// Breadth first along invariants: they wait behind all that waits already.
static void push_grown(struct equation *e, struct solution *s, struct partial *p)
{
    struct waiting_item item = {s, p};
    if (e->options->order == EQUATION_BFS)
        VECTOR_PUSH(&e->back, item);
    else
        VECTOR_PUSH(&e->front, item);
}

static bool take(struct equation *e, struct waiting_item *out)
{
    if (e->front.count > 0)
        *out = VECTOR_POP(&e->front);
    else if (e->back_next < e->back.count)
        *out = e->back.data[e->back_next++];
    else
        return false;
    assert((out->solution == NULL) != (out->partial == NULL));
    return true;
}

static bool same_constraint(const struct constraint *a, const struct constraint *b)
{
    if (a->jump != b->jump || a->count != b->count || a->bound != b->bound)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->terms[i].column != b->terms[i].column || a->terms[i].weight != b->terms[i].weight)
            return false;
    return true;
}

// False when it is there already.
static bool add_constraint(struct constraints *list, const struct constraint *c)
{
    for (size_t i = 0; i < list->count; i++)
        if (same_constraint(list->data[i], c))
            return false;
    VECTOR_PUSH(list, c);
    return true;
}

static bool is_under(const struct solution *s, const struct constraints *constraints)
{
    bool same = s->constraint_count == constraints->count;
    for (size_t k = 0; same && k < constraints->count; k++)
        same = same_constraint(s->constraints[k], constraints->data[k]);
    return same;
}

static struct solution *add_solution(struct equation *e, const int64_t *x,
                                     const struct constraints *constraints)
{
    struct solution *s = arena_zalloc(&e->arena, sizeof *s);
    const struct constraint **copy =
        arena_alloc(&e->arena, (constraints->count + 1) * sizeof *copy);
    if (constraints->count)
        memcpy(copy, constraints->data, constraints->count * sizeof *copy);
    int64_t *floor = arena_zalloc(&e->arena, (e->net->transition_count + 1) * sizeof *floor);
    for (size_t i = 0; i < constraints->count; i++) {
        const struct constraint *c = constraints->data[i];
        if (!c->jump && c->count == 1 && c->terms[0].weight == 1 &&
            floor[c->terms[0].column] < c->bound)
            floor[c->terms[0].column] = c->bound;
    }
    *s = (struct solution){
        .x = x, .constraints = copy, .constraint_count = constraints->count, .floor = floor};
    s->under = (uint32_t)e->solutions.count;
    for (uint32_t i = 0; i < e->solutions.count && s->under == e->solutions.count; i++)
        if (is_under(e->solutions.data[i], constraints))
            s->under = i;
    VECTOR_PUSH(&e->solutions, s);
    assert(s->under < e->solutions.count);
    e->result->solutions++;
    return s;
}

// The same solution under the same constraints, which was looked at already: nothing new would come of it.
static bool is_known(const struct equation *e, const int64_t *x,
                     const struct constraints *constraints)
{
    size_t bytes = e->net->transition_count * sizeof *x;
    for (size_t i = 0; i < e->solutions.count; i++) {
        const struct solution *s = e->solutions.data[i];
        if (memcmp(s->x, x, bytes) == 0 && is_under(s, constraints))
            return true;
    }
    return false;
}

// ---- What others are told: a solution is a round, each of its partial solutions a counterexample that cannot be fired, the
// constraints a precision. A constraint that was there, or a solution known under the same constraints, is a refinement that
// changed nothing.

static bool tell(struct equation *e, struct engine_event *event)
{
    static const struct equation_result nothing = {0};
    const struct equation_result *before = e->options->before ? e->options->before : &nothing;
    event->iteration = before->solutions + e->result->solutions;
    event->nodes = event->created = before->partials + e->result->partials;
    event->expanded = event->iteration;
    event->waiting = e->front.count + e->back.count - e->back_next;
    return e->problem->tell == NULL || e->problem->tell(e->problem->context, event);
}

// The solution, and what of it cannot be fired, by their numbers, which begin anew with each look: so the look's own is
// between them.
static bool tell_partial(struct equation *e, const struct solution *s, const int64_t *remainder,
                         size_t index, size_t count)
{
    assert(index < count);
    bool is_new;
    uint32_t items[3] = {markings_add(&e->vectors, s->x, &is_new),
                         e->options->before ? e->options->before->looks : 0,
                         markings_add(&e->vectors, remainder, &is_new)};
    struct counterexample counterexample = {
        .items = items,
        .count = 3,
        .hash =
            hash128_add(hash128_add(hash128_add(hash128_seed(3), items[0]), items[1]), items[2]),
        .precision_id = s->under};
    struct engine_event event = {.kind = EVENT_COUNTEREXAMPLE,
                                 .counterexample = &counterexample,
                                 .index = index,
                                 .count = count,
                                 .precision_size = s->constraint_count};
    return tell(e, &event);
}

static bool tell_partials(struct equation *e, const struct solution *s)
{
    struct engine_event event = {.kind = EVENT_ROUND};
    bool go_on = tell(e, &event);
    for (size_t i = 0; i < s->partials.count && go_on; i++)
        go_on = tell_partial(e, s, s->partials.data[i]->remainder, i, s->partials.count);
    return go_on;
}

static bool tell_refined(struct equation *e, bool changed, size_t constraints)
{
    struct engine_event event = {
        .kind = EVENT_REFINED, .precision_changed = changed, .precision_size = constraints};
    return tell(e, &event);
}

static struct solution *solve_with(struct equation *e, const struct constraints *constraints,
                                   bool *infeasible)
{
    const int64_t *x = equation_least(e, constraints->data, constraints->count, infeasible);
    if (x == NULL)
        return NULL;
    if (is_known(e, x, constraints)) {
        e->result->repeated++;
        tell_refined(e, false, constraints->count);
        return NULL;
    }
    return add_solution(e, x, constraints);
}

// ---- 1.2 and 1.3

static const struct constraint *one_transition(struct equation *e, bool jump, uint32_t t,
                                               int64_t bound)
{
    struct constraint *c = arena_zalloc(&e->arena, sizeof *c);
    struct linear_term *term = arena_alloc(&e->arena, sizeof *term);
    *term = (struct linear_term){t, 1};
    *c = (struct constraint){.jump = jump, .count = 1, .terms = term, .bound = bound};
    return c;
}

static void jump(struct equation *e, struct solution *s)
{
    struct constraints list = {0};
    bool infeasible;
    for (uint32_t t = 0; s->jumped_from != NULL && t < e->net->transition_count; t++)
        if (s->floor[t] < s->jumped_from->floor[t])
            s->floor[t] = s->jumped_from->floor[t]; // whose constraints it has too
    for (uint32_t i = 0; i < e->net->transition_count; i++) {
        uint32_t t = e->order[i];
        if (s->x[t] <= s->floor[t] || !e->problem->go_on(e->problem->context, 1))
            continue;
        VECTOR_CLEAR(&list);
        for (size_t k = 0; k < s->constraint_count; k++)
            VECTOR_PUSH(&list, s->constraints[k]);
        add_constraint(&list, one_transition(e, true, t, s->x[t]));
        struct solution *next = solve_with(e, &list, &infeasible);
        if (infeasible)
            s->floor[t] = s->x[t];
        if (next == NULL)
            continue;
        assert(next->x[t] < s->x[t] && next->grown_from == NULL);
        next->jumped_from = s;
        e->result->jumps++;
        push_front(e, next, NULL);
    }
    VECTOR_FINISH(&list);
}

// The increments that the solution has, and at least as many firings of each transition.
static void replace_jumps(struct equation *e, const struct solution *s, struct constraints *out)
{
    for (size_t i = 0; i < s->constraint_count; i++)
        if (!s->constraints[i]->jump)
            add_constraint(out, s->constraints[i]);
    for (uint32_t t = 0; t < e->net->transition_count; t++)
        if (s->x[t] > 0)
            add_constraint(out, one_transition(e, false, t, s->x[t]));
}

// ---- 1.5, 1.10: filters

static const struct solution *parent_of(const struct solution *s)
{
    return s->jumped_from != NULL  ? s->jumped_from
           : s->grown_from != NULL ? s->grown_from->solution
                                   : NULL;
}

static bool difference_is_invariant(const struct equation *e, const int64_t *a, const int64_t *b,
                                    int64_t *out)
{
    for (uint32_t t = 0; t < e->net->transition_count; t++)
        out[t] = a[t] - b[t];
    return equation_is_invariant(e, out);
}

// The nearest ancestor's partial solution for which this one is skipped; NULL when there is none.
static struct partial *find_same(struct equation *e, const struct partial *p, bool distant)
{
    size_t bytes = e->net->transition_count * sizeof *p->fired;
    int64_t *y = memory_alloc(bytes + 1);
    struct partial *found = NULL;
    for (const struct solution *s = parent_of(p->solution); s != NULL && found == NULL;
         s = parent_of(s))
        for (size_t i = 0; i < s->partials.count && found == NULL; i++) {
            struct partial *other = s->partials.data[i];
            bool same = distant ? other->skipped && memcmp(other->fired, p->fired, bytes) == 0 &&
                                      difference_is_invariant(e, p->remainder, other->remainder, y)
                                : memcmp(other->remainder, p->remainder, bytes) == 0 &&
                                      difference_is_invariant(e, p->fired, other->fired, y);
            found = same ? other : NULL;
        }
    memory_free(y);
    return found;
}

// ---- 1.6: better intermediate markings

static bool is_better(struct equation *e, const struct partial *p, const int64_t *marking)
{
    const struct net *net = e->net;
    const int64_t *most = e->options->better == EQUATION_BETTER_GENERAL ? p->filtered : NULL;
    for (uint32_t t = 0; t < net->transition_count; t++) {
        const struct net_transition *n = &net->transitions[t];
        for (uint32_t i = 0; i < n->pre.count && p->remainder[t] > 0; i++) {
            uint32_t place = n->pre.data[i].place;
            if (p->marking[place] < n->pre.data[i].weight && marking[place] > p->marking[place])
                return true;
        }
        for (uint32_t i = 0; i < n->inhibit.count && p->remainder[t] > 0; i++) {
            uint32_t place = n->inhibit.data[i].place;
            if (p->marking[place] >= n->inhibit.data[i].weight &&
                marking[place] < p->marking[place])
                return true;
        }
    }
    // Generalised: places of the invariant that it was skipped for, with more tokens than at its end.
    for (uint32_t t = 0; most != NULL && t < net->transition_count; t++) {
        const struct net_transition *n = &net->transitions[t];
        for (uint32_t i = 0; i < n->post.count && most[t] > 0; i++)
            if (marking[n->post.data[i].place] > p->marking[n->post.data[i].place])
                return true;
    }
    return false;
}

// Prefixes that fire the same ask for the same constraints: one of them is enough.
static bool has_prefix(const struct equation *e, const struct solution *s, const int64_t *fired)
{
    size_t bytes = e->net->transition_count * sizeof *fired;
    for (size_t i = 0; i < s->partials.count; i++)
        if (s->partials.data[i]->prefix && memcmp(s->partials.data[i]->fired, fired, bytes) == 0)
            return true;
    return false;
}

static void push_prefix(struct equation *e, const struct partial *p, const uint32_t *sequence,
                        size_t length)
{
    const struct net *net = e->net;
    int64_t *fired = memory_zalloc(((size_t)net->transition_count + 1) * sizeof *fired);
    for (size_t i = 0; i < length; i++)
        fired[sequence[i]]++;
    if (!has_prefix(e, p->solution, fired)) {
        struct partial *prefix = equation_partial(e, p->solution, sequence, length);
        prefix->prefix = true;
        push_grown(e, NULL, prefix);
    }
    memory_free(fired);
}

// Prefixes of the sequence. How many there are.
static size_t push_own(struct equation *e, const struct partial *p)
{
    const struct net *net = e->net;
    int64_t *marking = memory_alloc(((size_t)net->place_count + 1) * sizeof *marking);
    size_t count = 0;
    for (uint32_t i = 0; i < net->place_count; i++)
        marking[i] = net->places[i].marking;
    for (size_t length = 0; length < p->length; length++) {
        if (is_better(e, p, marking)) {
            count++;
            push_prefix(e, p, p->sequence, length);
        }
        net_fire(&net->transitions[p->sequence[length]], marking);
    }
    memory_free(marking);
    return count;
}

static size_t push_better(struct equation *e, const struct partial *p)
{
    if (!e->options->wide)
        return push_own(e, p);
    struct equation_prefixes found = {0};
    equation_collect_prefixes(e, p, is_better, &found);
    for (size_t i = 0; i < found.count; i++)
        push_prefix(e, p, found.data[i].sequence, found.data[i].length);
    size_t count = found.count;
    VECTOR_FINISH(&found);
    return count;
}

// ---- Section 7: distant invariants

static void push_distant(struct equation *e, struct partial *p, const struct partial *because,
                         size_t better)
{
    size_t count = e->net->transition_count;
    int64_t *z = arena_alloc(&e->arena, (count + 1) * sizeof *z);
    const int64_t **chain = arena_alloc(&e->arena, (because->chain_count + 1) * sizeof *chain);
    struct constraints list = {0};
    for (size_t t = 0; t < count; t++)
        z[t] = p->solution->x[t] - because->solution->x[t];
    for (size_t i = 0; i < because->chain_count; i++)
        chain[i] = because->chain[i];
    replace_jumps(e, p->solution, &list);
    size_t before = list.count;
    p->chain = chain;
    if (because->chain_count > 0 && better > 0) {
        p->chain_count = because->chain_count;
        for (size_t i = 1; i <= p->chain_count; i++)
            equation_distant(e, p, p->chain, i, &list);
    } else if (because->chain_count == 0 ||
               equation_is_distant(e, z, because->chain, because->chain_count)) {
        chain[because->chain_count] = z;
        p->chain_count = because->chain_count + 1;
        equation_distant(e, p, p->chain, p->chain_count, &list);
    }
    assert(p->chain_count <= because->chain_count + 1);
    bool infeasible;
    struct solution *next = list.count > before ? solve_with(e, &list, &infeasible) : NULL;
    if (next != NULL) {
        next->grown_from = p;
        push_grown(e, next, NULL);
    }
    VECTOR_FINISH(&list);
}

// ---- 1.7

static void treat_partial(struct equation *e, struct partial *p)
{
    struct constraints list = {0};
    struct partial *because = e->options->filter ? find_same(e, p, false) : NULL;
    if (because != NULL) {
        p->skipped = true;
        e->result->skipped++;
        int64_t *y = arena_alloc(&e->arena, (e->net->transition_count + 1) * sizeof *y);
        for (uint32_t t = 0; t < e->net->transition_count; t++)
            y[t] = p->fired[t] - because->fired[t];
        p->filtered = y;
    } else if (e->options->filter && e->options->distant) {
        because = find_same(e, p, true);
        e->result->skipped += because != NULL;
    }
    if (because != NULL) {
        size_t better = e->options->better == EQUATION_BETTER_OFF ? 0 : push_better(e, p);
        if (e->options->distant && !e->net->has_inhibitors)
            push_distant(e, p, because, better);
        return;
    }
    struct constraints added = {0};
    replace_jumps(e, p->solution, &list);
    equation_increment(e, p, &added);
    bool new = false;
    for (size_t i = 0; i < added.count; i++)
        new = add_constraint(&list, added.data[i]) || new;
    bool infeasible;
    struct solution *next = new ? solve_with(e, &list, &infeasible) : NULL;
    if (next != NULL) {
        next->grown_from = p;
        e->result->increments++;
        push_grown(e, next, NULL);
    }
    if (!new || next != NULL)
        tell_refined(e, new, list.count);
    VECTOR_FINISH(&list);
    VECTOR_FINISH(&added);
}

// ps1 < ps2: more is left of it nowhere less.
static bool has_more_left(const struct equation *e, const struct partial *a,
                          const struct partial *b)
{
    bool more = false;
    for (uint32_t t = 0; t < e->net->transition_count; t++) {
        if (a->remainder[t] < b->remainder[t])
            return false;
        more = more || a->remainder[t] > b->remainder[t];
    }
    return more;
}

// HYBRID: only those with the smallest and the largest remainders.
static bool is_extreme(const struct equation *e, const struct partials *all, size_t i)
{
    assert(i < all->count);
    bool least = true, most = true;
    for (size_t k = 0; k < all->count; k++) {
        least = least && !has_more_left(e, all->data[i], all->data[k]);
        most = most && !has_more_left(e, all->data[k], all->data[i]);
    }
    return least || most;
}

static bool treat_solution(struct equation *e, struct solution *s)
{
    struct partials found = {0};
    if (equation_partials(e, s, &found)) {
        const struct partial *full = found.data[0];
        assert(found.count == 1 && "one that fires everything comes alone");
        for (size_t i = 0; i < full->length; i++)
            VECTOR_PUSH(&e->result->sequence, full->sequence[i]);
        VECTOR_FINISH(&found);
        return true;
    }
    tell_partials(e, s);
    jump(e, s);
    for (size_t i = found.count; i > 0; i--)
        if (e->options->order != EQUATION_HYBRID || is_extreme(e, &found, i - 1))
            push_grown(e, NULL, found.data[i - 1]);
    VECTOR_FINISH(&found);
    return false;
}

static void run(struct equation *e)
{
    struct constraints none = {0};
    struct waiting_item item;
    bool infeasible;
    const int64_t *x = equation_least(e, none.data, 0, &infeasible);
    if (infeasible)
        e->result->answer = PETRI_UNREACHABLE;
    if (x == NULL)
        return;
    push_front(e, add_solution(e, x, &none), NULL);
    while (take(e, &item)) {
        if (!e->problem->go_on(e->problem->context, 1) ||
            (e->options->limit && e->result->solutions > e->options->limit)) {
            e->result->cut = true;
            return;
        }
        if (item.partial != NULL) {
            treat_partial(e, item.partial);
        } else if (treat_solution(e, item.solution)) {
            e->result->answer = PETRI_REACHED;
            return;
        }
    }
}

static void make_order(struct equation *e)
{
    uint32_t count = e->net->transition_count;
    struct random random;
    random_init(&random, e->problem->seed);
    e->order = memory_alloc(((size_t)count + 1) * sizeof *e->order);
    for (uint32_t t = 0; t < count; t++)
        e->order[t] = t;
    for (uint32_t t = count; e->options->shuffle && t > 1; t--) {
        uint32_t k = (uint32_t)random_below(&random, t), swapped = e->order[k];
        e->order[k] = e->order[t - 1];
        e->order[t - 1] = swapped;
    }
}

void equation_solve(const struct petri_problem *problem, const struct petri_rows *rows,
                    const struct equation_options *options, struct equation_result *out)
{
    struct equation e = {
        .problem = problem, .net = problem->net, .rows = rows, .options = options, .result = out};
    *out = (struct equation_result){.looks = 1};
    arena_init(&e.arena);
    markings_init(&e.vectors, problem->net->transition_count);
    make_order(&e);
    run(&e);
    for (size_t i = 0; i < e.solutions.count; i++)
        VECTOR_FINISH(&e.solutions.data[i]->partials);
    VECTOR_FINISH(&e.solutions);
    VECTOR_FINISH(&e.front);
    VECTOR_FINISH(&e.back);
    memory_free(e.order);
    markings_finish(&e.vectors);
    arena_finish(&e.arena);
}
