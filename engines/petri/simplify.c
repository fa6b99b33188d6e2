#include "engines/petri/simplify.h"

#include <assert.h>

#include "base/memory.h"
#include "base/vector.h"
#include "engines/petri/proof.h"
#include "engines/petri/reduce.h"
#include "engines/petri/search.h"

// Two linear programs a comparison: only where there are few, and the net is small.
#define COMPARISONS_MAX 40
#define ARCS_MAX 20000
// Markings of random runs to look at before: most comparisons hold in one of them and fail in another, and a marking costs a
// thousandth of a linear program.
#define MARKINGS_SEEN 500

struct sight {
    const struct formula *comparison;
    bool held, failed;
};

struct simplifier {
    const struct petri_problem *problem;
    VECTOR(struct sight) sights; // a comparison each
    struct arena *arena;
    struct petri_facts facts; // what was found, and nobody needs any more
    struct simplification *result;
};

static size_t count_comparisons(const struct formula *f)
{
    size_t count = f->kind == FORMULA_LINEAR;
    for (uint32_t i = 0; i < f->child_count && count <= COMPARISONS_MAX; i++)
        count += count_comparisons(f->child[i]);
    return count;
}

static size_t count_arcs(const struct net *net)
{
    size_t count = 0;
    for (uint32_t t = 0; t < net->transition_count; t++)
        count += net->transitions[t].effect.count;
    return count;
}

struct fraction {
    __int128 over, under; // under > 0
};

// fact + factor * comparison says that a sum of no negative weights is negative: no marking has both.
static bool is_contradiction(const struct formula *fact, const struct formula *comparison,
                             struct fraction factor)
{
    assert(factor.under > 0 && factor.over >= 0 && "or an inequality turns round");
    const struct net_arcs *a = &fact->sum, *b = &comparison->sum;
    for (uint32_t i = 0, k = 0; i < a->count || k < b->count;) {
        uint32_t p = i < a->count ? a->data[i].place : UINT32_MAX;
        uint32_t q = k < b->count ? b->data[k].place : UINT32_MAX;
        __int128 weight = 0;
        if (p <= q)
            weight += factor.under * a->data[i++].weight;
        if (q <= p)
            weight += factor.over * b->data[k++].weight;
        if (weight < 0)
            return false;
    }
    return factor.under * fact->bound + factor.over * comparison->bound < 0;
}

// Some multiple of the comparison contradicts the fact: if any does, one that brings a place's weight or the bound to just what
// is allowed.
static bool contradict(const struct formula *fact, const struct formula *comparison)
{
    const struct net_arcs *sum = &comparison->sum;
    for (uint32_t i = 0; i < sum->count; i++) {
        int64_t own = sum->data[i].weight, other = net_arcs_weight(&fact->sum, sum->data[i].place);
        assert(own != 0);
        struct fraction factor = {own > 0 ? -(__int128)other : other,
                                  own > 0 ? own : -(__int128)own};
        if (factor.over >= 0 && is_contradiction(fact, comparison, factor))
            return true;
    }
    struct fraction more = {(__int128)(fact->bound > 0 ? fact->bound : 0) + 1, 1};
    return is_contradiction(fact, comparison, more);
}

// No reachable marking has it, as the state equation shows. The linear program only proposes the fact.
static bool is_refuted(struct simplifier *s, const struct formula *comparison)
{
    struct petri_rows rows = {0};
    size_t known = s->facts.count;
    VECTOR_PUSH(&rows, comparison);
    bool refuted = petri_refute_rows(s->problem, &rows, s->arena, &s->facts) == PETRI_REFUTED &&
                   s->facts.count > known && contradict(VECTOR_LAST(&s->facts), comparison);
    VECTOR_FINISH(&rows);
    return refuted;
}

// ---- What random runs show: a comparison that held in a reachable marking is no false one, and the other way round

static void collect_comparisons(struct simplifier *s, const struct formula *f)
{
    struct sight sight = {.comparison = f};
    if (f->kind == FORMULA_LINEAR)
        VECTOR_PUSH(&s->sights, sight);
    for (uint32_t i = 0; i < f->child_count; i++)
        collect_comparisons(s, f->child[i]);
}

// False when nothing is left to be seen.
static bool look(void *context, const int64_t *marking)
{
    struct simplifier *s = context;
    bool open = false;
    for (size_t i = 0; i < s->sights.count; i++) {
        struct sight *sight = &s->sights.data[i];
        if (sight->held && sight->failed)
            continue;
        bool holds = formula_holds(sight->comparison, marking);
        sight->held = sight->held || holds;
        sight->failed = sight->failed || !holds;
        open = open || !sight->held || !sight->failed;
    }
    return open;
}

static struct sight sight_of(const struct simplifier *s, const struct formula *comparison)
{
    for (size_t i = 0; i < s->sights.count; i++)
        if (s->sights.data[i].comparison == comparison)
            return s->sights.data[i];
    assert(false && "all were collected");
    return (struct sight){.comparison = comparison};
}

// ---- The goal

static const struct formula *simplify(struct simplifier *s, const struct formula *f);

static const struct formula *join(struct simplifier *s, const struct formula *f)
{
    const struct formula **children = memory_alloc(f->child_count * sizeof *children);
    for (uint32_t i = 0; i < f->child_count; i++)
        children[i] = simplify(s, f->child[i]);
    const struct formula *joined = formula_join(s->arena, f->kind, children, f->child_count);
    memory_free(children);
    return joined;
}

static const struct formula *simplify(struct simplifier *s, const struct formula *f)
{
    if (f->kind == FORMULA_AND || f->kind == FORMULA_OR)
        return join(s, f);
    if (f->kind != FORMULA_LINEAR || !s->problem->go_on(s->problem->context, 1))
        return f;
    struct sight sight = sight_of(s, f);
    if (!sight.held && is_refuted(s, f)) {
        s->result->never++;
        return formula_constant(s->arena, false);
    }
    if (sight.failed)
        return f;
    const struct formula *opposite = formula_not(s->arena, f);
    if (opposite->kind == FORMULA_LINEAR && is_refuted(s, opposite)) {
        s->result->always++;
        return formula_constant(s->arena, true);
    }
    return f;
}

void petri_simplify(const struct petri_problem *problem, struct arena *arena,
                    struct simplification *out)
{
    struct simplifier s = {.problem = problem, .arena = arena, .result = out};
    *out = (struct simplification){.goal = problem->goal};
    if (count_comparisons(problem->goal) > COMPARISONS_MAX || count_arcs(problem->net) > ARCS_MAX ||
        reduction_is_deadlock(problem->net, problem->goal))
        return;
    collect_comparisons(&s, problem->goal);
    petri_visit_walk(problem, MARKINGS_SEEN, look, &s);
    out->goal = simplify(&s, problem->goal);
    VECTOR_FINISH(&s.sights);
    VECTOR_FINISH(&s.facts);
}
