#include "engines/horn/runs.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

enum {
    RUNS = 80,
    MOST_DEPTH = 1200,
    MOST_STEPS = 20000,      // of one call of a procedure, or of main, without those that it calls
    MOST_SAMPLES = 150,      // of one predicate
    MOST_ENTRIES = 400,      // of all procedures
    MOST_WALKING = 3000000,  // nodes of terms that runs from main look at, …
    MOST_TABULATING = 60000, // that those for one row of a table do, …
    MOST_TABLES = 6000000,   // and those for all
    MOST_ROWS = 64,          // of one procedure
    LEAST_ROWS = 8,          // where one number varies
};

// States between a procedure's entry and its exit, of one call.
struct call_states {
    VECTOR(uint32_t) predicates;
    VECTOR(struct horn_state) states;
};

static const struct procedure_call *call_at(const struct horn_runs *r, const struct location *at)
{
    for (uint32_t i = 0; i < at->out_count; i++)
        if (r->call_of[at->out[i]->id] != NULL)
            return r->call_of[at->out[i]->id];
    return NULL;
}

static void note(struct horn_runs *r, const struct location *at, struct call_states *states)
{
    const uint32_t predicate = r->predicate_of[at->index];
    if (predicate == SMT_HORN_NONE)
        return;
    const struct smt_horn_predicate *p = &r->predicates[predicate];
    const bool keeps = r->sampling && r->met[predicate].count < MOST_SAMPLES;
    if (!keeps && states == NULL)
        return;
    struct value *values = arena_alloc(&r->arena, (p->count + 1) * sizeof *values);
    for (size_t i = 0; i < p->count; i++) {
        const struct variable *v = model_variable_of(r->view->model, p->parameters[i]);
        values[i] = v != NULL ? r->walk.now[v->index] : VALUE_UNKNOWN;
    }
    if (keeps)
        VECTOR_PUSH(&r->met[predicate], ((struct horn_state){values}));
    if (states == NULL)
        return;
    VECTOR_PUSH(&states->predicates, predicate);
    VECTOR_PUSH(&states->states, ((struct horn_state){values}));
}

static bool run_call(struct horn_runs *r, const struct procedure_call *call);

// From there to the exit (main: NULL). False: it did not come there.
static bool run(struct horn_runs *r, const struct location *at, const struct location *exit,
                struct call_states *states)
{
    for (unsigned steps = 0; at != NULL && steps < MOST_STEPS && r->walk.work >= 0; steps++) {
        note(r, at, states);
        if (at == exit)
            return true;
        if (at == r->view->model->error)
            return false;
        const struct procedure_call *call = call_at(r, at);
        if (call == NULL)
            at = walk_step(&r->walk, at);
        else
            at = run_call(r, call) ? call->edge->target : NULL;
    }
    return false;
}

static const struct horn_entry *find_entry(const struct horn_runs *r, uint32_t procedure,
                                           const struct value *inputs)
{
    const size_t size = r->view->procedures[procedure].input_count * sizeof *inputs;
    for (size_t i = r->entries.count; i-- > 0;)
        if (r->entries.data[i].procedure == procedure &&
            memcmp(r->entries.data[i].inputs, inputs, size) == 0)
            return &r->entries.data[i];
    return NULL;
}

static void keep_entry(struct horn_runs *r, uint32_t procedure, const struct value *inputs,
                       const struct value *outputs, struct call_states *states)
{
    const size_t count = states->states.count;
    struct horn_entry entry = {procedure, inputs, outputs, NULL, NULL, count};
    entry.predicates = arena_alloc(&r->arena, (count + 1) * sizeof *entry.predicates);
    entry.states = arena_alloc(&r->arena, (count + 1) * sizeof *entry.states);
    for (size_t i = 0; i < count; i++) {
        entry.predicates[i] = states->predicates.data[i];
        entry.states[i] = states->states.data[i];
    }
    VECTOR_PUSH(&r->entries, entry);
}

// What the procedure gives; NULL: it did not come to its end. `now` is as it was.
static const struct value *call_procedure(struct horn_runs *r, uint32_t procedure,
                                          const struct value *inputs)
{
    assert(procedure < r->view->count && r->depth <= MOST_DEPTH);
    const struct procedure *p = &r->view->procedures[procedure];
    const struct horn_entry *known = find_entry(r, procedure, inputs);
    if (known != NULL)
        return known->outputs;
    if (r->depth == MOST_DEPTH)
        return NULL;
    struct value *saved = memory_alloc(walk_state_bytes(&r->walk) + 1);
    struct value *outputs = arena_alloc(&r->arena, (p->output_count + 1) * sizeof *outputs);
    struct call_states states = {0};
    memcpy(saved, r->walk.now, walk_state_bytes(&r->walk));
    for (size_t i = 0; i < p->input_count; i++)
        r->walk.now[p->inputs[i]->index] = inputs[i];
    r->depth++;
    const bool done = run(r, p->entry, p->exit, &states);
    r->depth--;
    for (size_t i = 0; i < p->output_count; i++)
        outputs[i] = r->walk.now[p->outputs[i]->index];
    memcpy(r->walk.now, saved, walk_state_bytes(&r->walk));
    if (done && r->entries.count < MOST_ENTRIES)
        keep_entry(r, procedure, inputs, outputs, &states);
    memory_free(saved);
    VECTOR_FINISH(&states.predicates);
    VECTOR_FINISH(&states.states);
    return done ? outputs : NULL;
}

static bool run_call(struct horn_runs *r, const struct procedure_call *call)
{
    const struct procedure *p = &r->view->procedures[call->callee];
    struct value *inputs = arena_alloc(&r->arena, (p->input_count + 1) * sizeof *inputs);
    for (size_t i = 0; i < p->input_count; i++) {
        inputs[i] = walk_evaluate(&r->walk, call->inputs[i]);
        if (!value_known(inputs[i]))
            return false;
    }
    const struct value *outputs = call_procedure(r, call->callee, inputs);
    for (size_t i = 0; i < p->output_count && outputs != NULL; i++)
        r->walk.now[call->outputs[i]->index] = outputs[i];
    return outputs != NULL;
}

struct horn_runs *horn_runs_create(const struct procedures *view,
                                   const struct smt_horn_predicate *predicates,
                                   size_t predicate_count, const uint32_t *predicate_of)
{
    const struct model *m = view->model;
    struct horn_runs *r = memory_zalloc(sizeof *r);
    *r = (struct horn_runs){.view = view,
                            .predicates = predicates,
                            .predicate_count = predicate_count,
                            .predicate_of = predicate_of};
    arena_init(&r->arena);
    walk_init(&r->walk, m, 23, MOST_WALKING);
    r->call_of = arena_zalloc(&r->arena, (m->edge_count + 1) * sizeof(*r->call_of));
    bool *left_out = arena_zalloc(&r->arena, m->edge_count + 1); // from outside into a procedure
    r->walk.left_out = left_out;
    r->varies = arena_zalloc(&r->arena, (view->count + 1) * sizeof *r->varies);
    for (size_t i = 0; i < view->count; i++)
        r->varies[i] = arena_zalloc(&r->arena, view->procedures[i].input_count + 1);
    r->met = arena_zalloc(&r->arena, (predicate_count + 1) * sizeof *r->met);
    for (size_t i = 0; i < view->call_count; i++)
        r->call_of[view->calls[i].edge->id] = &view->calls[i];
    for (size_t i = 0; i < view->count; i++)
        left_out[view->procedures[i].reset->id] = true;
    r->sampling = true;
    for (int i = 0; i < RUNS && r->walk.work >= 0; i++) {
        // What a procedure gave before, it need not give again where it has inputs of its own.
        r->entries.count = 0;
        if (walk_begin(&r->walk))
            run(r, m->initial, NULL, NULL);
    }
    r->entries.count = 0;
    r->sampling = false;
    return r;
}

void horn_runs_destroy(struct horn_runs *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->predicate_count; i++)
        VECTOR_FINISH(&r->met[i]);
    VECTOR_FINISH(&r->entries);
    walk_finish(&r->walk);
    arena_finish(&r->arena);
    memory_free(r);
}

// ---- guesses

struct looked_up {
    const struct smt_horn_predicate *predicate;
    const struct value *values;
};

static struct value look_up(void *context, const struct term *variable)
{
    const struct looked_up *l = context;
    for (size_t i = 0; i < l->predicate->count; i++)
        if (l->predicate->parameters[i] == variable)
            return l->values[i];
    return VALUE_UNKNOWN;
}

bool horn_runs_refute(struct horn_runs *r, uint32_t predicate, const struct term *formula)
{
    assert(predicate < r->predicate_count);
    for (size_t i = 0; i < r->met[predicate].count; i++) {
        struct looked_up l = {&r->predicates[predicate], r->met[predicate].data[i].values};
        if (value_is_false(evaluator_run(r->walk.evaluator, formula, look_up, &l)))
            return true;
    }
    return false;
}

struct value horn_runs_first(struct horn_runs *r, uint32_t predicate, const struct term *term)
{
    assert(predicate < r->predicate_count);
    if (r->met[predicate].count == 0)
        return VALUE_UNKNOWN;
    struct looked_up l = {&r->predicates[predicate], r->met[predicate].data[0].values};
    return evaluator_run(r->walk.evaluator, term, look_up, &l);
}

// ---- tables

static size_t parameter_of(const struct smt_horn_predicate *p, const struct variable *v)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->parameters[i] == v->term)
            return i;
    return p->count;
}

// What the first run called it with; whether another one did with something else.
static struct value first_input(const struct horn_runs *r, uint32_t predicate,
                                const struct variable *input, bool *varies)
{
    const struct smt_horn_predicate *p = &r->predicates[predicate];
    const size_t at = parameter_of(p, input);
    const struct horn_samples *met = &r->met[predicate];
    *varies = false;
    if (at == p->count) // nothing there reads it
        return value_small(0);
    for (size_t i = 1; i < met->count; i++)
        *varies = *varies || !value_equal(met->data[i].values[at], met->data[0].values[at]);
    *varies = *varies && input->sort->kind == SORT_BV && input->sort->width <= 32;
    return met->data[0].values[at];
}

// The inputs that vary count up, the last one fastest. False: all have been.
static bool next_inputs(struct value *inputs, const bool *varies, size_t count, int64_t most)
{
    for (size_t i = count; i-- > 0;) {
        if (!varies[i])
            continue;
        if (value_small_get(inputs[i]) < most) {
            inputs[i] = value_small(value_small_get(inputs[i]) + 1);
            return true;
        }
        inputs[i] = value_small(0);
    }
    return false;
}

static int64_t rows(int64_t numbers, size_t varying)
{
    int64_t out = 1;
    for (size_t i = 0; i < varying && out <= MOST_ROWS; i++)
        out *= numbers;
    return out;
}

static void tabulate(struct horn_runs *r, uint32_t procedure, int64_t largest)
{
    assert(!r->sampling && "what is tabulated need not be met");
    const struct procedure *p = &r->view->procedures[procedure];
    const uint32_t entry = r->predicate_of[p->entry->index];
    if (entry == SMT_HORN_NONE || r->met[entry].count == 0)
        return;
    struct value *inputs = memory_alloc((p->input_count + 1) * sizeof *inputs);
    bool *varies = r->varies[procedure], known = true;
    size_t varying = 0;
    for (size_t i = 0; i < p->input_count; i++) {
        inputs[i] = first_input(r, entry, p->inputs[i], &varies[i]);
        varying += varies[i];
        known = known && value_known(inputs[i]);
        if (varies[i])
            inputs[i] = value_small(0);
    }
    int64_t most = largest < LEAST_ROWS  ? LEAST_ROWS
                   : largest < MOST_ROWS ? largest
                                         : MOST_ROWS - 1;
    while (varying > 1 && rows(most + 1, varying) > MOST_ROWS)
        most--;
    int64_t left = MOST_TABLES;
    for (bool more = known && varying > 0; more && left > 0;
         more = next_inputs(inputs, varies, p->input_count, most)) {
        const int64_t all = left < MOST_TABULATING ? left : MOST_TABULATING;
        struct value *kept = arena_alloc(&r->arena, (p->input_count + 1) * sizeof *kept);
        memcpy(kept, inputs, p->input_count * sizeof *kept);
        r->walk.work = all;
        call_procedure(r, procedure, kept);
        left -= all - (r->walk.work < 0 ? 0 : r->walk.work);
    }
    memory_free(inputs);
}

void horn_runs_tabulate(struct horn_runs *r, int64_t largest)
{
    for (size_t i = 0; i < r->view->count; i++)
        tabulate(r, (uint32_t)i, largest);
}
