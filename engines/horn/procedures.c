#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "engines/domains/workspace.h"
#include "engines/horn/guessed.h"
#include "engines/horn/instance.h"
#include "engines/horn/integers.h"
#include "engines/horn/watch.h"
#include "model/procedures.h"

// A program with recursive procedures as Horn clauses (Hoder, Bjørner 2012; Komuravelli, Gurfinkel, Chaki 2014): a
// predicate for each location where paths are cut, that of a procedure's exit being its summary, a clause for each path
// between two of them, two for a call: what the procedure is entered with, and how the caller goes on. The latter has two
// predicates in its premise. An interpretation is the proof.

// A location that more paths lead to has a predicate of its own.
#define MOST_PATHS 8
// A reading of numbers that has not led anywhere after so many lemmas makes way for the next.
#define MOST_LEMMAS 400

struct path_end {
    uint32_t location;
    const struct term *formula;
    const uint32_t *after; // by variable: the index of its copy
};

struct system {
    bool descends; // what is asked is whether something becomes less: bounds matter
    struct workspace workspace;
    const struct procedures *view;
    const struct model *model;
    struct arena arena;
    const struct procedure_call **call_of; // by edge
    bool *left_out;                        // by edge: from outside into a procedure
    struct encoded_step start, *steps;     // by edge; before: all copies 0
    bool *cut;                             // by location
    struct term_vector *live;              // by location
    uint32_t *predicate_of;                // by location; SMT_HORN_NONE: none
    VECTOR(const struct location *) cuts;
    VECTOR(struct smt_horn_predicate) predicates;
    VECTOR(struct smt_horn_clause) clauses;
    VECTOR(struct encoded_step) encoded; // of paths
    struct engine_result result;
    struct horn_watch watch;
    uint64_t most_lemmas; // of the search at hand; 0: no limit
};

// ---- edges

static void encode(struct system *s)
{
    const struct model *m = s->model;
    uint32_t *zero = arena_zalloc(&s->arena, (m->variable_count + 1) * sizeof *zero);
    s->steps = arena_zalloc(&s->arena, (m->edge_count + 1) * sizeof *s->steps);
    s->call_of = arena_zalloc(&s->arena, (m->edge_count + 1) * sizeof(*s->call_of));
    s->left_out = arena_zalloc(&s->arena, m->edge_count + 1);
    encoder_step(s->workspace.encoder, &s->arena, m->initial_action, 0, zero, 0, &s->start);
    for (uint32_t e = 0; e < m->edge_count; e++)
        encoder_step(s->workspace.encoder, &s->arena, m->edges[e]->action, 0, zero, 0,
                     &s->steps[e]);
    for (size_t i = 0; i < s->view->call_count; i++)
        s->call_of[s->view->calls[i].edge->id] = &s->view->calls[i];
    for (size_t i = 0; i < s->view->count; i++)
        s->left_out[s->view->procedures[i].reset->id] = true;
}

// ---- where paths are cut

// Locations in reverse postorder from main's beginning and the procedures'; loops are cut at their heads.
struct order {
    const struct location **data;
    size_t count, capacity; // a VECTOR
};

static void visit(struct system *s, const struct location *from, uint8_t *state, struct order *post)
{
    struct order path = {0};
    uint32_t *next = memory_zalloc((s->model->location_count + 1) * sizeof *next);
    VECTOR_PUSH(&path, from);
    state[from->index] = 1;
    while (path.count > 0) {
        const struct location *at = VECTOR_LAST(&path);
        if (next[at->index] == at->out_count) {
            state[at->index] = 2;
            VECTOR_PUSH(post, at);
            path.count--;
            continue;
        }
        const struct edge *edge = at->out[next[at->index]++];
        uint32_t to = edge->target->index;
        if (s->left_out[edge->id])
            continue;
        if (state[to] == 1)
            s->cut[to] = true;
        if (state[to] != 0)
            continue;
        state[to] = 1;
        VECTOR_PUSH(&path, edge->target);
    }
    VECTOR_FINISH(&path);
    memory_free(next);
}

static void find_cuts(struct system *s)
{
    const struct model *m = s->model;
    uint8_t *state = memory_zalloc(m->location_count + 1);
    uint64_t *paths = memory_zalloc((m->location_count + 1) * sizeof *paths);
    struct order post = {0};
    s->cut = arena_zalloc(&s->arena, m->location_count + 1);
    s->cut[m->initial->index] = s->cut[m->error->index] = true;
    for (size_t i = 0; i < s->view->count; i++) {
        const struct procedure *p = &s->view->procedures[i];
        s->cut[p->entry->index] = s->cut[p->exit->index] = true;
        if (state[p->entry->index] == 0)
            visit(s, p->entry, state, &post);
    }
    if (state[m->initial->index] == 0)
        visit(s, m->initial, state, &post);
    for (size_t i = 0; i < s->view->call_count; i++) {
        const struct edge *edge = s->view->calls[i].edge;
        s->cut[edge->source->index] = s->cut[edge->target->index] = true;
    }
    for (size_t i = post.count; i-- > 0;) {
        const struct location *l = post.data[i];
        for (uint32_t k = 0; k < l->in_count; k++) {
            uint32_t from = l->in[k]->source->index;
            if (!s->left_out[l->in[k]->id])
                paths[l->index] += s->cut[from] ? 1 : paths[from];
        }
        s->cut[l->index] = s->cut[l->index] || paths[l->index] > MOST_PATHS;
    }
    for (size_t i = post.count; i-- > 0;)
        if (s->cut[post.data[i]->index])
            VECTOR_PUSH(&s->cuts, post.data[i]);
    // What nothing leads to has a predicate, too, where the checker asks for a formula.
    for (uint32_t l = 0; l < m->location_count; l++)
        if (s->cut[l] && state[l] == 0)
            VECTOR_PUSH(&s->cuts, m->locations[l]);
    VECTOR_FINISH(&post);
    memory_free(paths);
    memory_free(state);
}

// ---- live variables

static void note_read(struct system *s, const struct term *formula, bool *live)
{
    struct term_vector read = {0};
    rewrite_free_variables(formula, &read);
    for (size_t i = 0; i < read.count; i++) {
        const struct variable *v = model_variable_of(s->model, read.data[i]);
        if (v != NULL && read.data[i] == v->term)
            live[v->index] = true;
    }
    VECTOR_FINISH(&read);
}

static bool flow(struct system *s, const struct edge *edge, bool *live)
{
    assert(edge->id < s->model->edge_count && !s->left_out[edge->id]);
    size_t count = s->model->variable_count;
    bool *source = live + edge->source->index * count, *target = live + edge->target->index * count;
    bool changed = false;
    for (size_t v = 0; v < count; v++)
        if (target[v] && s->steps[edge->id].after[v] == 0 && !source[v])
            source[v] = changed = true;
    return changed;
}

static void note_calls(struct system *s, bool *live)
{
    size_t count = s->model->variable_count;
    for (size_t i = 0; i < s->view->call_count; i++) {
        const struct procedure_call *call = &s->view->calls[i];
        for (size_t k = 0; k < s->view->procedures[call->callee].input_count; k++)
            note_read(s, call->inputs[k], live + call->edge->source->index * count);
    }
}

// What a procedure is entered with and left with, and no more.
static void set_ends(struct system *s)
{
    for (size_t i = 0; i < s->view->count; i++) {
        const struct procedure *p = &s->view->procedures[i];
        VECTOR_CLEAR(&s->live[p->entry->index]);
        VECTOR_CLEAR(&s->live[p->exit->index]);
        for (size_t k = 0; k < p->input_count; k++) {
            VECTOR_PUSH(&s->live[p->entry->index], p->inputs[k]->term);
            VECTOR_PUSH(&s->live[p->exit->index], p->inputs[k]->term);
        }
        for (size_t k = 0; k < p->output_count; k++)
            VECTOR_PUSH(&s->live[p->exit->index], p->outputs[k]->term);
    }
}

static void find_live(struct system *s)
{
    const struct model *m = s->model;
    size_t count = m->variable_count;
    bool *live = memory_zalloc(m->location_count * count + 1);
    for (uint32_t e = 0; e < m->edge_count; e++)
        note_read(s, s->steps[e].formula, live + m->edges[e]->source->index * count);
    note_calls(s, live);
    for (size_t i = 0; i < s->view->count; i++) {
        const struct procedure *p = &s->view->procedures[i];
        for (size_t k = 0; k < p->input_count; k++)
            live[p->exit->index * count + p->inputs[k]->index] = true;
        for (size_t k = 0; k < p->output_count; k++)
            live[p->exit->index * count + p->outputs[k]->index] = true;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = m->edge_count; e-- > 0;)
            changed = (!s->left_out[e] && flow(s, m->edges[e], live)) || changed;
    }
    s->live = memory_zalloc((m->location_count + 1) * sizeof *s->live);
    for (uint32_t l = 0; l < m->location_count; l++)
        for (size_t v = 0; v < count; v++)
            if (live[l * count + v])
                VECTOR_PUSH(&s->live[l], m->variables[v]->term);
    memory_free(live);
    set_ends(s);
}

// ---- clauses

static const struct term *const *arguments(struct system *s, const struct location *location,
                                           const uint32_t *after)
{
    const struct term_vector *live = &s->live[location->index];
    const struct term **out = arena_alloc(&s->arena, (live->count + 1) * sizeof(*out));
    for (size_t i = 0; i < live->count; i++) {
        const struct variable *v = model_variable_of(s->model, live->data[i]);
        out[i] = encoder_copy(s->workspace.encoder, v, after[v->index]);
    }
    return out;
}

static void make_predicates(struct system *s)
{
    s->predicate_of =
        arena_alloc(&s->arena, (s->model->location_count + 1) * sizeof *s->predicate_of);
    for (uint32_t l = 0; l < s->model->location_count; l++)
        s->predicate_of[l] = SMT_HORN_NONE;
    for (size_t i = 0; i < s->cuts.count; i++) {
        uint32_t l = s->cuts.data[i]->index;
        s->predicate_of[l] = (uint32_t)s->predicates.count;
        // The solver asks for a query without parameters.
        bool error = s->cuts.data[i] == s->model->error;
        VECTOR_PUSH(&s->predicates,
                    ((struct smt_horn_predicate){s->live[l].data, error ? 0 : s->live[l].count}));
    }
}

static void make_path_clauses(struct system *s, const struct location *from,
                              const struct location *at, const struct term *formula,
                              const uint32_t *indices)
{
    assert(s->cut[from->index] && (at == from || !s->cut[at->index]));
    for (uint32_t i = 0; i < at->out_count; i++) {
        const struct edge *edge = at->out[i];
        if (s->left_out[edge->id] || s->call_of[edge->id] != NULL)
            continue;
        struct encoded_step step;
        encoder_step(s->workspace.encoder, &s->arena, edge->action, 0, indices, 0, &step);
        VECTOR_PUSH(&s->encoded, step);
        const struct term *both = term_and2(s->workspace.store, formula, step.formula);
        if (term_is_false(both))
            continue;
        if (!s->cut[edge->target->index]) {
            make_path_clauses(s, from, edge->target, both, step.after);
            continue;
        }
        VECTOR_PUSH(&s->clauses, ((struct smt_horn_clause){
                                     .body = s->predicate_of[from->index],
                                     .head = s->predicate_of[edge->target->index],
                                     .body_arguments = s->live[from->index].data,
                                     .constraint = both,
                                     .head_arguments = arguments(s, edge->target, step.after),
                                 }));
    }
}

static void make_call_clauses(struct system *s, const struct procedure_call *call)
{
    const struct procedure *callee = &s->view->procedures[call->callee];
    const struct edge *edge = call->edge;
    const struct encoded_step *step = &s->steps[edge->id];
    size_t count = callee->input_count + callee->output_count;
    const struct term **ends = arena_alloc(&s->arena, (count + 1) * sizeof(*ends));
    struct smt_horn_premise *summary = arena_alloc(&s->arena, sizeof *summary);
    for (size_t k = 0; k < callee->input_count; k++)
        ends[k] = call->inputs[k];
    for (size_t k = 0; k < callee->output_count; k++)
        ends[callee->input_count + k] = encoder_copy(s->workspace.encoder, call->outputs[k],
                                                     step->after[call->outputs[k]->index]);
    assert(s->predicate_of[callee->entry->index] != SMT_HORN_NONE &&
           s->predicate_of[callee->exit->index] != SMT_HORN_NONE && "ends are cuts");
    *summary = (struct smt_horn_premise){s->predicate_of[callee->exit->index], ends};
    struct smt_horn_clause enters = {
        .body = s->predicate_of[edge->source->index],
        .head = s->predicate_of[callee->entry->index],
        .body_arguments = s->live[edge->source->index].data,
        .constraint = term_true(s->workspace.store),
        .head_arguments = ends,
    };
    struct smt_horn_clause returns = {
        .body = enters.body,
        .head = s->predicate_of[edge->target->index],
        .body_arguments = enters.body_arguments,
        .constraint = step->formula,
        .head_arguments = arguments(s, edge->target, step->after),
        .others = summary,
        .other_count = 1,
    };
    VECTOR_PUSH(&s->clauses, enters);
    VECTOR_PUSH(&s->clauses, returns);
}

static void make_clauses(struct system *s)
{
    const struct model *m = s->model;
    uint32_t *zero = arena_zalloc(&s->arena, (m->variable_count + 1) * sizeof *zero);
    VECTOR_PUSH(&s->clauses, ((struct smt_horn_clause){
                                 .body = SMT_HORN_NONE,
                                 .head = s->predicate_of[m->initial->index],
                                 .constraint = s->start.formula,
                                 .head_arguments = arguments(s, m->initial, s->start.after),
                             }));
    for (size_t i = 0; i < s->cuts.count && workspace_step(&s->workspace, 0); i++)
        if (s->cuts.data[i] != m->error)
            make_path_clauses(s, s->cuts.data[i], s->cuts.data[i], term_true(s->workspace.store),
                              zero);
    for (size_t i = 0; i < s->view->call_count; i++)
        make_call_clauses(s, &s->view->calls[i]);
}

// ---- the search

static void observe(void *context, const struct smt_horn_progress *progress)
{
    struct system *s = context;
    bool enough = s->most_lemmas != 0 && progress->lemmas > s->most_lemmas;
    if (!horn_watch(&s->watch, &s->workspace, progress) || enough)
        smt_interrupt(s->workspace.solver);
}

// Spacer says `true` of what nothing leads to (horn.c).
static void exclude_unreachable(struct system *s, const struct term **formulas)
{
    bool *reached = memory_zalloc(s->predicates.count + 1);
    for (size_t i = 0; i < s->predicates.count; i++)
        reached[i] = !term_is_true(formulas[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < s->clauses.count; i++) {
            const struct smt_horn_clause *c = &s->clauses.data[i];
            bool may = c->body == SMT_HORN_NONE || reached[c->body];
            for (size_t k = 0; k < c->other_count; k++)
                may = may && reached[c->others[k].predicate];
            if (!may || reached[c->head] || !horn_can_run(&s->workspace, c->constraint))
                continue;
            reached[c->head] = changed = true;
        }
    }
    for (size_t i = 0; i < s->predicates.count; i++)
        if (!reached[i])
            formulas[i] = term_false(s->workspace.store);
    memory_free(reached);
}

static void safe(struct system *s, const struct term **formulas)
{
    assert(s->result.procedures == NULL && s->predicates.count == s->cuts.count);
    exclude_unreachable(s, formulas);
    const struct term **all = memory_zalloc((s->model->location_count + 1) * sizeof(*all));
    for (size_t i = 0; i < s->cuts.count; i++)
        all[s->cuts.data[i]->index] = formulas[i];
    s->result.verdict = VERDICT_SAFE;
    s->result.procedures = all;
}

static enum smt_result ask(struct system *s, struct smt_horn problem,
                           struct smt_horn_answer *answer)
{
    problem.observe = observe;
    problem.observer = s;
    s->watch = (struct horn_watch){0};
    atomic_store_explicit(&s->workspace.progress->phase, ENGINE_ABSTRACTING, memory_order_relaxed);
    return smt_horn(s->workspace.solver, &problem, answer);
}

static void give_up(struct system *s, enum smt_result result, const struct smt_horn_answer *answer)
{
    if (result == SMT_SAT)
        workspace_end(&s->workspace, END_UNKNOWN,
                      "the clauses have a derivation; runs are for other engines to find");
    else if (answer->reason == SMT_REASON_ERROR)
        workspace_end_solver(&s->workspace, text_string(&answer->error));
    else if (workspace_step(&s->workspace, 0))
        workspace_end(&s->workspace, END_UNKNOWN, "the Horn solver gave up");
}

static void search_bits(struct system *s, const struct smt_horn *problem)
{
    struct smt_horn_answer answer = {0};
    enum smt_result result = ask(s, *problem, &answer);
    if (result == SMT_UNSAT && answer.interpretation != NULL)
        safe(s, answer.interpretation);
    else
        give_up(s, result, &answer);
    smt_horn_answer_finish(&answer);
}

// ---- by way of integers

static const struct term *apply(struct system *s, const struct term *const *formulas,
                                uint32_t predicate, const struct term *const *arguments)
{
    return horn_instance(s->workspace.store, &s->predicates.data[predicate], arguments,
                         formulas[predicate]);
}

// Does the interpretation make the clause true? Undecided counts as yes: others check it again.
static bool clause_holds(struct system *s, const struct smt_horn_clause *c,
                         const struct term *const *formulas)
{
    struct term_store *store = s->workspace.store;
    const struct term *bad = c->constraint;
    if (c->body != SMT_HORN_NONE)
        bad = term_and2(store, apply(s, formulas, c->body, c->body_arguments), bad);
    for (size_t i = 0; i < c->other_count; i++)
        bad = term_and2(store, apply(s, formulas, c->others[i].predicate, c->others[i].arguments),
                        bad);
    bad = term_and2(store, bad, term_not(store, apply(s, formulas, c->head, c->head_arguments)));
    if (term_is_false(bad))
        return true;
    struct smt *smt = smt_create(s->workspace.solver);
    smt_assert(smt, bad);
    bool holds = smt_check(smt) != SMT_SAT;
    smt_destroy(smt);
    return holds && workspace_step(&s->workspace, 1);
}

// The interpretation on the bits, where it holds there; else false.
static bool bring_back(struct system *s, struct integers *integers, const struct term **formulas)
{
    bool good = true;
    atomic_store_explicit(&s->workspace.progress->phase, ENGINE_CHECKING, memory_order_relaxed);
    for (size_t i = 0; good && i < s->predicates.count; i++) {
        formulas[i] = integers_to_bits(integers, formulas[i]);
        good = formulas[i] != NULL;
    }
    if (good)
        exclude_unreachable(s, formulas);
    for (size_t i = 0; good && i < s->clauses.count; i++)
        good = clause_holds(s, &s->clauses.data[i], formulas);
    return good;
}

// True: nothing more is to be done.
static bool search_integers(struct system *s, const struct smt_horn *problem,
                            enum integers_wrap wrap)
{
    struct smt_horn_answer answer = {0};
    struct integers *integers = integers_create(s->workspace.store, problem, wrap);
    if (integers == NULL)
        return false;
    s->most_lemmas = wrap != INTEGERS_WRAP ? MOST_LEMMAS : 0;
    enum smt_result result = ask(s, integers_problem(integers), &answer);
    s->most_lemmas = 0;
    bool proved = result == SMT_UNSAT && answer.interpretation != NULL &&
                  bring_back(s, integers, answer.interpretation);
    if (proved)
        safe(s, answer.interpretation);
    else if (result == SMT_SAT && wrap == INTEGERS_WRAP) // it says what the bits do
        give_up(s, result, &answer);
    smt_horn_answer_finish(&answer);
    integers_destroy(integers);
    return proved || (result == SMT_SAT && wrap == INTEGERS_WRAP) ||
           !workspace_step(&s->workspace, 0);
}

// True: nothing more is to be done.
static bool search_guesses(struct system *s, struct guesses *guesses, bool all)
{
    const struct term **formulas = memory_zalloc((s->predicates.count + 1) * sizeof(*formulas));
    bool proved = guesses_prove(guesses, all, formulas);
    if (proved)
        safe(s, formulas);
    memory_free(formulas);
    return proved || !workspace_step(&s->workspace, 0);
}

// By way of simple facts and of integers. True: nothing more is to be done.
static bool search_numbers(struct system *s, const struct smt_horn *problem)
{
    struct horn_runs *runs =
        horn_runs_create(s->view, s->predicates.data, s->predicates.count, s->predicate_of);
    struct guesses *guesses = guesses_create(&s->workspace, problem, runs, s->descends);
    bool done = search_guesses(s, guesses, false) ||
                search_integers(s, problem, INTEGERS_UNBOUNDED) ||
                search_integers(s, problem, INTEGERS_WRAP_IS_ERROR) ||
                search_guesses(s, guesses, true) || search_integers(s, problem, INTEGERS_WRAP);
    guesses_destroy(guesses);
    horn_runs_destroy(runs);
    return done;
}

static void search(struct system *s)
{
    const struct smt_horn problem = {
        .predicates = s->predicates.data,
        .predicate_count = s->predicates.count,
        .clauses = s->clauses.data,
        .clause_count = s->clauses.count,
        .query = s->predicate_of[s->model->error->index],
    };
    if (!workspace_option(&s->workspace, OPTION_INTEGERS) || !search_numbers(s, &problem))
        search_bits(s, &problem);
}

static void finish(struct system *s)
{
    encoded_step_finish(&s->start);
    for (uint32_t e = 0; s->steps != NULL && e < s->model->edge_count; e++)
        encoded_step_finish(&s->steps[e]);
    for (size_t i = 0; i < s->encoded.count; i++)
        encoded_step_finish(&s->encoded.data[i]);
    for (uint32_t l = 0; s->live != NULL && l < s->model->location_count; l++)
        VECTOR_FINISH(&s->live[l]);
    memory_free(s->live);
    VECTOR_FINISH(&s->encoded);
    VECTOR_FINISH(&s->cuts);
    VECTOR_FINISH(&s->predicates);
    VECTOR_FINISH(&s->clauses);
    arena_finish(&s->arena);
    workspace_finish(&s->workspace);
}

static struct engine_result run(const struct engine_environment *environment)
{
    struct system *s = memory_zalloc(sizeof *s);
    s->view = procedures_of(environment->model);
    assert(s->view != NULL && "the engine names the view that it needs");
    s->model = s->view->model;
    const struct model_judge *judge = model_root(environment->model)->judge;
    s->descends = judge != NULL && judge->wide;
    // The view's model is another one, and so are its terms.
    struct engine_environment of_view = *environment;
    of_view.model = s->model;
    of_view.store = s->result.procedures_store = term_store_create(s->model->store);
    workspace_init(&s->workspace, &of_view);
    arena_init(&s->arena);
    if (workspace_solver(&s->workspace) != NULL) {
        encode(s);
        find_cuts(s);
        find_live(s);
        make_predicates(s);
        make_clauses(s);
        if (workspace_step(&s->workspace, 0))
            search(s);
        workspace_publish_solver_statistics(&s->workspace);
        s->result.solver = smt_statistics(s->workspace.solver);
    }
    struct engine_result result = s->result;
    if (result.verdict == VERDICT_SAFE)
        snprintf(result.notes, sizeof result.notes, "%zu procedures, %zu clauses", s->view->count,
                 s->clauses.count);
    result.reason = result.verdict == VERDICT_UNKNOWN ? s->workspace.reason : END_SOLVED;
    // Its words may be of a store that goes.
    result.why = result.verdict == VERDICT_UNKNOWN && s->workspace.why != NULL
                     ? term_store_text(environment->store, s->workspace.why)
                     : NULL;
    atomic_store_explicit(&s->workspace.progress->phase, ENGINE_DONE, memory_order_relaxed);
    finish(s);
    memory_free(s);
    return result;
}

// The model itself is of no use here.
static void preparation(const struct configuration *configuration, struct prepare_options *out)
{
    (void)configuration;
    *out = (struct prepare_options){.encoding = PREPARE_SINGLE_BLOCK};
}

const struct engine engine_procedures = {
    .name = "procedures",
    .description = "programs with recursive procedures as Horn clauses: summaries by Z3's Spacer",
    .preparation = preparation,
    .run = run,
    .view = PROCEDURES_VIEW,
};
