#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/vector.h"
#include "engines/domains/workspace.h"
#include "engines/petri/petri_inside.h"
#include "engines/petri/proof.h"
#include "languages/petri/translate.h"

// The solver proposes a marking with the goal that no fact known so far excludes; the conjunction of comparisons that
// it satisfies is refuted by a new fact, of the state equation or of a trap. When the solver has no proposal left, the
// facts are an invariant, each of them inductive by itself.

#define ROUNDS_MAX 3000

struct prover {
    struct petri_attempt *attempt;
    const struct petri_problem *problem;
    struct workspace workspace;
    struct smt *smt;
    struct arena arena;
    struct petri_facts facts;
    size_t asserted; // facts that the solver knows
    struct petri_rows rows;
    int64_t *marking; // the proposal
    double *tokens;
    uint8_t *used; // by place: in the goal or in a fact
    unsigned traps;
    bool siphon;
};

static const struct variable *const *places_of(const struct prover *p)
{
    return model_root(p->attempt->environment->model)->variables;
}

static const struct term *term_of(struct prover *p, const struct formula *f)
{
    return petri_formula_term(p->workspace.store, f, places_of(p));
}

// Places that a formula brings in hold at least 0 tokens.
static void use_places(struct prover *p, const struct formula *f, bool assert_them)
{
    struct term_store *store = p->workspace.store;
    for (uint32_t i = 0; f->kind == FORMULA_LINEAR && i < f->sum.count; i++) {
        uint32_t place = f->sum.data[i].place;
        if (p->used[place])
            continue;
        p->used[place] = 1;
        if (assert_them)
            smt_assert(p->smt, term_le(store, term_int(store, 0), places_of(p)[place]->term));
    }
    for (uint32_t i = 0; i < f->child_count; i++)
        use_places(p, f->child[i], assert_them);
}

static void assert_facts(struct prover *p)
{
    for (; p->asserted < p->facts.count; p->asserted++) {
        use_places(p, p->facts.data[p->asserted], true);
        smt_assert(p->smt, term_of(p, p->facts.data[p->asserted]));
    }
}

// The solver's numbers of tokens; false when it has one that is too large.
static bool read_proposal(struct prover *p)
{
    for (uint32_t i = 0; i < p->problem->net->place_count; i++) {
        p->marking[i] = 0;
        if (!p->used[i])
            continue;
        const struct term *value = smt_model_value(p->smt, places_of(p)[i]->term);
        if (value == NULL || !term_is_literal(value) || !value_is_small(term_value(value)))
            return false;
        p->marking[i] = value_small_get(term_value(value));
    }
    return true;
}

// Comparisons that hold in the proposal and imply the formula.
static void collect_rows(struct prover *p, const struct formula *f)
{
    if (f->kind == FORMULA_LINEAR)
        VECTOR_PUSH(&p->rows, f);
    for (uint32_t i = 0; f->kind == FORMULA_AND && i < f->child_count; i++)
        collect_rows(p, f->child[i]);
    for (uint32_t i = 0; f->kind == FORMULA_OR && i < f->child_count; i++) {
        if (!formula_holds(f->child[i], p->marking))
            continue;
        collect_rows(p, f->child[i]);
        return;
    }
}

static bool refute(struct prover *p)
{
    VECTOR_CLEAR(&p->rows);
    collect_rows(p, p->problem->goal);
    for (size_t i = 0; i < p->facts.count; i++)
        VECTOR_PUSH(&p->rows, p->facts.data[i]);
    enum petri_refutation result = petri_refute_rows(p->problem, &p->rows, &p->arena, &p->facts);
    if (result == PETRI_NOT_REFUTED) {
        struct petri_facts none = {0};
        result = petri_candidate(p->problem, &p->rows, &none, p->tokens);
        if (result == PETRI_NOT_REFUTED &&
            petri_refute_trap(p->problem->net, p->tokens, &p->arena, &p->facts)) {
            p->traps++;
            return true;
        }
        return false;
    }
    return result == PETRI_REFUTED;
}

// The facts, and that no place in them is below 0, which is part of what makes traps inductive.
static void conclude(struct prover *p)
{
    assert(p->asserted == p->facts.count && "the solver knew all that it is told of");
    const struct engine_environment *e = p->attempt->environment;
    struct term_store *store = e->store;
    VECTOR(const struct term *) terms = {0};
    for (size_t i = 0; i < p->facts.count; i++)
        VECTOR_PUSH(&terms, petri_formula_term(store, p->facts.data[i], places_of(p)));
    for (uint32_t i = 0; i < p->problem->net->place_count; i++)
        if (p->used[i])
            VECTOR_PUSH(&terms, term_le(store, term_int(store, 0), places_of(p)[i]->term));
    const struct term **invariant =
        memory_zalloc(((size_t)e->model->location_count + 1) * sizeof *invariant);
    for (uint32_t l = 0; l < e->model->location_count; l++)
        invariant[l] = term_false(store);
    ENSURE(e->model->initial->index < e->model->location_count);
    invariant[e->model->initial->index] = term_and(store, terms.data, terms.count);
    VECTOR_FINISH(&terms);
    p->attempt->result.verdict = VERDICT_SAFE;
    p->attempt->result.invariant = invariant;
    engine_note(p->attempt->result.notes, sizeof p->attempt->result.notes,
                "%zu linear facts, %u of them traps%s", p->facts.count, p->traps,
                p->siphon ? ", one a siphon" : "");
}

static void run_rounds(struct prover *p)
{
    // A place's variable is found by the place's number.
    ENSURE(model_root(p->attempt->environment->model)->variable_count ==
           p->problem->net->place_count);
    use_places(p, p->problem->goal, true);
    smt_assert(p->smt, term_of(p, p->problem->goal));
    const struct formula *siphon = petri_siphon_fact(p->problem->net, &p->arena);
    if (siphon != NULL)
        VECTOR_PUSH(&p->facts, siphon);
    p->siphon = siphon != NULL;
    for (unsigned round = 0; round < ROUNDS_MAX; round++) {
        assert_facts(p);
        if (!p->problem->go_on(p->problem->context, 1))
            return;
        enum smt_result answer = smt_check(p->smt);
        if (answer == SMT_UNSAT) {
            conclude(p);
            return;
        }
        if (answer == SMT_UNKNOWN || !read_proposal(p)) {
            p->attempt->result.why = "the solver gave up";
            return;
        }
        if (!refute(p)) {
            p->attempt->result.why = "the state equation and traps allow a marking with the goal";
            return;
        }
    }
    p->attempt->result.why = "the state equation and traps did not exclude the goal soon enough";
}

void petri_prove(struct petri_attempt *attempt)
{
    struct prover p = {.attempt = attempt, .problem = &attempt->problem};
    size_t places = (size_t)p.problem->net->place_count + 1;
    workspace_init(&p.workspace, attempt->environment);
    arena_init(&p.arena);
    p.marking = memory_zalloc(places * sizeof *p.marking);
    p.tokens = memory_zalloc(places * sizeof *p.tokens);
    p.used = memory_zalloc(places);
    if (workspace_solver(&p.workspace) != NULL) {
        p.smt = smt_create(p.workspace.solver);
        run_rounds(&p);
        workspace_publish_solver_statistics(&p.workspace);
        attempt->result.solver = smt_statistics(p.workspace.solver);
    } else {
        attempt->result.why = "the solver cannot be had";
    }
    VECTOR_FINISH(&p.facts);
    VECTOR_FINISH(&p.rows);
    memory_free(p.marking);
    memory_free(p.tokens);
    memory_free(p.used);
    arena_finish(&p.arena);
    workspace_finish(&p.workspace);
}
