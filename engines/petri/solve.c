#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "engines/domains/workspace.h"
#include "engines/petri/cubes.h"
#include "engines/petri/equation.h"
#include "engines/petri/petri_inside.h"
#include "languages/petri/translate.h"

// The goal as a disjunction of conjunctions, each a question of its own. That the equations have no solution is
// confirmed by the SMT solver, in integers, before it is an answer; that the refinement found no further constraint
// is none.

#define CUBES_MAX 100

struct solver {
    struct petri_attempt *attempt;
    const struct petri_problem *problem;
    struct petri_cubes cubes;
    struct equation_result sum; // of all looks
    uint64_t repeated;          // in the last pass, which alone says how the attempt ends
    bool cut;
};

// One look at all alternatives.
struct pass {
    bool distant, wide;
    uint64_t limit; // of solutions; 0 = none
};

// Better markings on all ways: soon too many, but where they help a few solutions are enough.
#define WIDE_SOLUTIONS 16

static struct equation_options read_options(const struct petri_attempt *a, const struct pass *pass)
{
    uint64_t limit = (uint64_t)petri_option(a, OPTION_SOLUTIONS);
    static const enum equation_order ORDERS[] = {
        [EQUATION_SEARCH_DFS] = EQUATION_DFS,
        [EQUATION_SEARCH_BFS] = EQUATION_BFS,
        [EQUATION_SEARCH_HYBRID] = EQUATION_HYBRID,
    };
    static const enum equation_better BETTER[] = {
        [BETTER_OFF] = EQUATION_BETTER_OFF,
        [BETTER_ON] = EQUATION_BETTER_ON,
        [BETTER_GENERAL] = EQUATION_BETTER_GENERAL,
    };
    return (struct equation_options){
        .order = ORDERS[petri_option(a, OPTION_EQUATION_SEARCH)],
        .distant = pass->distant,
        .wide = pass->wide,
        .exclude_own = petri_option(a, OPTION_EXCLUDE_OWN),
        .filter = petri_option(a, OPTION_FILTER),
        .better = BETTER[petri_option(a, OPTION_BETTER)],
        .reduce = petri_option(a, OPTION_STUBBORN),
        .shuffle = petri_option(a, OPTION_SHUFFLE),
        .limit = pass->limit && (limit == 0 || pass->limit < limit) ? pass->limit : limit,
    };
}

static void add_result(struct equation_result *sum, const struct equation_result *one)
{
    sum->solutions += one->solutions;
    sum->partials += one->partials;
    sum->jumps += one->jumps;
    sum->increments += one->increments;
    sum->skipped += one->skipped;
    sum->repeated += one->repeated;
    sum->looks += one->looks;
}

static void publish(struct solver *s)
{
    struct progress *p = s->attempt->environment->progress;
    atomic_store_explicit(&p->iterations, s->sum.solutions, memory_order_relaxed);
    atomic_store_explicit(&p->refinements, s->sum.jumps + s->sum.increments, memory_order_relaxed);
}

// All cubes once. *impossible: none of their equations had a solution.
static bool try_cubes(struct solver *s, struct pass pass, bool *impossible)
{
    struct equation_options options = read_options(s->attempt, &pass);
    options.before = &s->sum;
    s->repeated = 0;
    s->cut = false;
    *impossible = true;
    for (size_t i = 0; i < s->cubes.count && s->attempt->reason == END_NONE; i++) {
        struct equation_result one;
        equation_solve(s->problem, &s->cubes.data[i], &options, &one);
        add_result(&s->sum, &one);
        s->repeated += one.repeated;
        s->cut = s->cut || one.cut;
        publish(s);
        *impossible = *impossible && one.answer == PETRI_UNREACHABLE;
        bool reached = one.answer == PETRI_REACHED;
        if (reached)
            petri_conclude_reached(s->attempt, &one.sequence);
        VECTOR_FINISH(&one.sequence);
        if (reached)
            return true;
    }
    return false;
}

// Firing counts and the marking after them, over integers, as the solver's variables.
static void assert_equation(struct smt *smt, struct term_store *store, const struct net *net,
                            const struct variable *const *places)
{
    const struct sort *sort = sort_int(store);
    const struct term *zero = term_int(store, 0);
    const struct term **after = memory_alloc(((size_t)net->place_count + 1) * sizeof *after);
    for (uint32_t p = 0; p < net->place_count; p++)
        after[p] = term_int(store, net->places[p].marking);
    for (uint32_t t = 0; t < net->transition_count; t++) {
        char name[40];
        snprintf(name, sizeof name, "firings of %u", t);
        const struct term *x = term_var(store, name, sort);
        const struct net_arcs *effect = &net->transitions[t].effect;
        smt_assert(smt, term_le(store, zero, x));
        for (uint32_t i = 0; i < effect->count; i++)
            after[effect->data[i].place] =
                term_add2(store, after[effect->data[i].place],
                          term_mul2(store, term_int(store, effect->data[i].weight), x));
    }
    for (uint32_t p = 0; p < net->place_count; p++) {
        smt_assert(smt, term_le(store, zero, places[p]->term));
        smt_assert(smt, term_eq(store, places[p]->term, after[p]));
    }
    memory_free(after);
}

static void confirm_impossible(struct solver *s)
{
    struct workspace w;
    struct petri_attempt *a = s->attempt;
    workspace_init(&w, a->environment);
    if (workspace_solver(&w) != NULL) {
        const struct variable *const *places = model_root(a->environment->model)->variables;
        struct smt *smt = smt_create(w.solver);
        assert_equation(smt, w.store, s->problem->net, places);
        smt_assert(smt, petri_formula_term(w.store, s->problem->goal, places));
        if (smt_check(smt) == SMT_UNSAT) {
            a->result.verdict = VERDICT_SAFE;
            a->result.checked =
                "the state equation has no solution in integers, as the SMT solver confirmed";
        }
        a->result.solver = smt_statistics(w.solver);
    }
    workspace_finish(&w);
}

static void conclude(struct solver *s, bool impossible)
{
    struct petri_attempt *a = s->attempt;
    if (a->result.verdict == VERDICT_UNKNOWN && impossible && a->reason == END_NONE) {
        petri_prove(a); // an invariant is worth more
        if (a->result.verdict == VERDICT_UNKNOWN && a->reason == END_NONE)
            confirm_impossible(s);
    }
    if (a->result.verdict == VERDICT_UNKNOWN && a->reason == END_NONE) {
        bool loop = s->repeated > 0 && !s->cut;
        a->result.why = loop ? "exact loop: the refinement of the state equation repeats itself"
                             : "the refinement of the state equation is exhausted";
        if (loop)
            a->result.reason = END_STALLED;
    }
    engine_note(a->result.notes, sizeof a->result.notes,
                "%llu solutions, %llu partial ones, %llu jumps, %llu increments, %llu skipped, "
                "%llu repeated",
                (unsigned long long)s->sum.solutions, (unsigned long long)s->sum.partials,
                (unsigned long long)s->sum.jumps, (unsigned long long)s->sum.increments,
                (unsigned long long)s->sum.skipped, (unsigned long long)s->sum.repeated);
}

void petri_solve_equation(struct petri_attempt *attempt)
{
    struct solver s = {.attempt = attempt, .problem = &attempt->problem};
    int64_t distant = petri_option(attempt, OPTION_DISTANT);
    bool impossible = false;
    if (!petri_cubes_make(s.problem->goal, CUBES_MAX, &s.cubes)) {
        attempt->result.why = "the goal has too many alternatives for the state equation";
    } else {
        struct pass wide = {.wide = true, .limit = WIDE_SOLUTIONS};
        struct pass deep = {.distant = distant != DISTANT_OFF};
        bool is_wide = distant != DISTANT_ON && petri_option(attempt, OPTION_BETTER) != BETTER_OFF;
        bool found = is_wide && try_cubes(&s, wide, &impossible);
        if (!found && !impossible)
            try_cubes(&s, deep, &impossible);
        conclude(&s, impossible);
    }
    petri_cubes_finish(&s.cubes);
}
