#include <assert.h>
#include <stdio.h>

#include "base/memory.h"
#include "engines/bounded/bounded.h"
#include "engines/bounded/candidates.h"
#include "engines/cegar/refute.h"
#include "engines/horn/watch.h"

// The model as linear Horn clauses (Grebenshchikov, Lopes, Popeea, Rybalchenko 2012): a predicate for each
// location over the variables that are live there, a clause for each edge. The Horn solver's interpretation
// is the proof; the clauses of its derivation are a path, whose concrete run is found by the solver of paths.
// Auxiliary invariants, when asked for, strengthen the premises. Where the derivation is not told (programs
// never do), longer and longer runs are looked at until one gets to the error.

struct horn {
    struct workspace workspace;
    const struct model *model;
    struct arena arena;
    struct refuter refuter;
    struct encoded_step start, *steps;     // per edge; before: all copies 0
    struct term_vector *live;              // per location: plain variables
    const struct term **aux;               // per location, or NULL
    struct smt_horn_predicate *predicates; // per location
    struct smt_horn_clause *clauses;       // 0: the initial action; e + 1: edge e
    struct engine_result result;
    struct horn_watch watch;
};

// ---- live variables

static void encode(struct horn *h)
{
    const struct model *model = h->model;
    uint32_t *zero = arena_zalloc(&h->arena, (model->variable_count + 1) * sizeof *zero);
    h->steps = arena_zalloc(&h->arena, (model->edge_count + 1) * sizeof *h->steps);
    encoder_step(h->workspace.encoder, &h->arena, model->initial_action, 0, zero, 0, &h->start);
    for (uint32_t e = 0; e < model->edge_count; e++)
        encoder_step(h->workspace.encoder, &h->arena, model->edges[e]->action, 0, zero, 0,
                     &h->steps[e]);
}

// Adds what the edge wants at its source; true when that is new.
static bool flow(struct horn *h, const struct edge *edge, bool *live)
{
    assert(edge->id < h->model->edge_count && h->steps != NULL);
    size_t count = h->model->variable_count;
    bool *source = live + edge->source->index * count, *target = live + edge->target->index * count;
    const struct encoded_step *step = &h->steps[edge->id];
    bool changed = false;
    for (size_t v = 0; v < count; v++)
        if (target[v] && step->after[v] == 0 && !source[v])
            source[v] = changed = true;
    return changed;
}

// Before the live variables: what it speaks of is live.
static void find_auxiliary(struct horn *h)
{
    struct monolith monolith;
    if (workspace_option(&h->workspace, OPTION_AUXILIARY) != AUXILIARY_SIMPLE)
        return;
    monolith_init(&monolith, &h->workspace);
    size_t proved;
    // Facts about elements of arrays hold Spacer up.
    h->aux = candidates_prove_simple(&monolith, NULL, false, &proved);
    monolith_finish(&monolith);
}

static void note_read(struct horn *h, const struct term *formula, bool *live)
{
    struct term_vector read = {0};
    rewrite_free_variables(formula, &read);
    for (size_t i = 0; i < read.count; i++) {
        const struct variable *v = model_variable_of(h->model, read.data[i]);
        if (v != NULL && read.data[i] == v->term)
            live[v->index] = true;
    }
    VECTOR_FINISH(&read);
}

static void find_live(struct horn *h)
{
    const struct model *model = h->model;
    size_t count = model->variable_count;
    bool *live = memory_zalloc(model->location_count * count + 1);
    for (uint32_t e = 0; e < model->edge_count; e++) {
        const struct location *source = model->edges[e]->source;
        note_read(h, h->steps[e].formula, live + source->index * count);
        if (h->aux != NULL)
            note_read(h, h->aux[source->index], live + source->index * count);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = model->edge_count; e-- > 0;)
            changed |= flow(h, model->edges[e], live);
    }
    h->live = memory_zalloc(model->location_count * sizeof *h->live);
    for (uint32_t l = 0; l < model->location_count; l++)
        for (size_t v = 0; v < count; v++)
            if (live[l * count + v])
                VECTOR_PUSH(&h->live[l], model->variables[v]->term);
    memory_free(live);
}

// ---- clauses

// The live variables of a location as they are after a step.
static const struct term *const *arguments(struct horn *h, const struct location *location,
                                           const struct encoded_step *step)
{
    const struct term_vector *live = &h->live[location->index];
    const struct term **out = arena_alloc(&h->arena, (live->count + 1) * sizeof(*out));
    for (size_t i = 0; i < live->count; i++) {
        const struct variable *v = model_variable_of(h->model, live->data[i]);
        assert(v != NULL && v->term == live->data[i]);
        out[i] = encoder_copy(h->workspace.encoder, v, step->after[v->index]);
    }
    return out;
}

static void make_clauses(struct horn *h)
{
    const struct model *model = h->model;
    h->predicates = arena_zalloc(&h->arena, (model->location_count + 1) * sizeof *h->predicates);
    h->clauses = arena_zalloc(&h->arena, (model->edge_count + 1) * sizeof *h->clauses);
    for (uint32_t l = 0; l < model->location_count; l++) {
        h->predicates[l].parameters = h->live[l].data;
        h->predicates[l].count = h->live[l].count;
    }
    h->clauses[0] = (struct smt_horn_clause){
        .body = SMT_HORN_NONE,
        .head = model->initial->index,
        .constraint = h->start.formula,
        .head_arguments = arguments(h, model->initial, &h->start),
    };
    for (uint32_t e = 0; e < model->edge_count; e++) {
        const struct edge *edge = model->edges[e];
        h->clauses[e + 1] = (struct smt_horn_clause){
            .body = edge->source->index,
            .head = edge->target->index,
            .body_arguments = h->live[edge->source->index].data,
            .constraint = h->aux != NULL ? term_and2(h->workspace.store, h->steps[e].formula,
                                                     h->aux[edge->source->index])
                                         : h->steps[e].formula,
            .head_arguments = arguments(h, edge->target, &h->steps[e]),
        };
    }
}

// ---- the search

static void observe(void *context, const struct smt_horn_progress *progress)
{
    struct horn *h = context;
    if (!horn_watch(&h->watch, &h->workspace, progress))
        smt_interrupt(h->workspace.solver);
}

// Spacer drops a clause whose constraint cannot hold, then what no fact leads to any more, and says `true` of that: of
// a model with no way at all it would say so everywhere. Such locations have no states.
static void exclude_unreachable(struct horn *h, const struct term **invariant)
{
    const struct model *model = h->model;
    bool *reached = memory_zalloc(model->location_count + 1);
    for (uint32_t l = 0; l < model->location_count; l++)
        reached[l] = !term_is_true(invariant[l]);
    if (!reached[model->initial->index])
        reached[model->initial->index] = horn_can_run(&h->workspace, h->start.formula);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < model->edge_count; e++) {
            const struct edge *edge = model->edges[e];
            if (reached[edge->target->index] || !reached[edge->source->index] ||
                !horn_can_run(&h->workspace, h->steps[e].formula))
                continue;
            reached[edge->target->index] = changed = true;
        }
    }
    for (uint32_t l = 0; l < model->location_count; l++)
        if (!reached[l])
            invariant[l] = term_false(h->workspace.store);
    memory_free(reached);
}

static void give_up(struct horn *h, const struct smt_horn_answer *answer)
{
    if (answer->reason == SMT_REASON_ERROR)
        workspace_end_solver(&h->workspace, text_string(&answer->error));
    else
        workspace_end(&h->workspace, END_UNKNOWN, "the Horn solver gave up");
}

static void safe(struct horn *h, struct smt_horn_answer *answer)
{
    if (answer->interpretation == NULL && answer->reason != SMT_REASON_NONE) {
        give_up(h, answer);
        return;
    }
    if (answer->interpretation == NULL) {
        workspace_end(&h->workspace, END_UNKNOWN,
                      "the Horn solver's proof has no form that could be read");
        return;
    }
    h->result.verdict = VERDICT_SAFE;
    assert(h->result.trace == NULL);
    h->result.invariant = answer->interpretation;
    exclude_unreachable(h, h->result.invariant);
    for (uint32_t l = 0; h->aux != NULL && l < h->model->location_count; l++)
        h->result.invariant[l] = term_and2(h->workspace.store, h->result.invariant[l], h->aux[l]);
    answer->interpretation = NULL;
}

// True when the derivation is a run to the error.
static bool unsafe(struct horn *h, const struct smt_horn_answer *answer)
{
    if (answer->derivation_count < 2)
        return false;
    size_t count = answer->derivation_count - 1; // without the initial action
    assert(answer->derivation[0] == 0 && "a fact is the initial action");
    const struct edge **edges = memory_alloc(count * sizeof *edges);
    for (size_t i = 0; i < count; i++)
        edges[i] = h->model->edges[answer->derivation[i + 1] - 1];
    refuter_init(&h->refuter, &h->workspace);
    if (refute_check(&h->refuter, edges, count, &h->result.trace) == REFUTE_FEASIBLE)
        h->result.verdict = VERDICT_UNSAFE;
    refuter_finish(&h->refuter);
    memory_free(edges);
    return h->result.verdict == VERDICT_UNSAFE;
}

// True when runs have to be looked for.
static bool search(struct horn *h)
{
    struct smt_horn problem = {
        .predicates = h->predicates,
        .predicate_count = h->model->location_count,
        .clauses = h->clauses,
        .clause_count = h->model->edge_count + 1,
        .query = h->model->error->index,
        .observe = observe,
        .observer = h,
    };
    struct smt_horn_answer answer = {0};
    bool look = false;
    atomic_store_explicit(&h->workspace.progress->phase, ENGINE_ABSTRACTING, memory_order_relaxed);
    switch (smt_horn(h->workspace.solver, &problem, &answer)) {
    case SMT_UNSAT:
        safe(h, &answer);
        break;
    case SMT_SAT:
        atomic_store_explicit(&h->workspace.progress->phase, ENGINE_CHECKING, memory_order_relaxed);
        look = !unsafe(h, &answer) && workspace_step(&h->workspace, 0);
        break;
    case SMT_UNKNOWN:
        if (workspace_step(&h->workspace, 0)) // was not stopped
            give_up(h, &answer);
        break;
    }
    smt_horn_answer_finish(&answer);
    return look;
}

static void finish(struct horn *h)
{
    encoded_step_finish(&h->start);
    for (uint32_t e = 0; h->steps != NULL && e < h->model->edge_count; e++)
        encoded_step_finish(&h->steps[e]);
    for (uint32_t l = 0; h->live != NULL && l < h->model->location_count; l++)
        VECTOR_FINISH(&h->live[l]);
    memory_free(h->aux);
    memory_free(h->live);
    arena_finish(&h->arena);
    workspace_finish(&h->workspace);
}

static struct engine_result run(const struct engine_environment *environment)
{
    struct horn *h = memory_zalloc(sizeof *h);
    bool look = false;
    h->model = environment->model;
    workspace_init(&h->workspace, environment);
    arena_init(&h->arena);
    if (h->model->initial == h->model->error)
        workspace_end(&h->workspace, END_UNKNOWN, "the model starts in its error location");
    else if (workspace_solver(&h->workspace) != NULL) {
        find_auxiliary(h);
        encode(h);
        find_live(h);
        make_clauses(h);
        look = workspace_step(&h->workspace, 0) && search(h);
        workspace_publish_solver_statistics(&h->workspace);
        h->result.solver = smt_statistics(h->workspace.solver);
    }
    struct engine_result result = h->result;
    if (result.verdict != VERDICT_UNKNOWN && h->watch.levels > 0)
        snprintf(result.notes, sizeof result.notes, "%llu lemmas in %llu levels",
                 (unsigned long long)h->watch.lemmas, (unsigned long long)h->watch.levels);
    result.reason = result.verdict == VERDICT_UNKNOWN ? h->workspace.reason : END_SOLVED;
    result.why = result.verdict == VERDICT_UNKNOWN ? h->workspace.why : NULL;
    atomic_store_explicit(&h->workspace.progress->phase, ENGINE_DONE, memory_order_relaxed);
    finish(h);
    memory_free(h);
    return look ? engine_bmc.run(environment) : result;
}

const struct engine engine_horn = {
    .name = "horn",
    .description =
        "Horn clauses: a predicate for each location, solved by Z3's Spacer or another Horn solver",
    .preparation = bounded_preparation,
    .run = run,
};
