#include "tracegen/follow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engines/cegar/feasibility.h"

// Depth-first search for a run through the trace's values; the solver keeps what two tries share. Where the
// values leave nothing open, a place that was left in vain is not entered again.

// Questions asked about one trace.
#define CHECK_LIMIT 20000
// Edges through hidden locations within one step.
#define HIDDEN_LIMIT 1000

struct pair {
    const struct variable *theirs, *ours;
};

struct attempt { // a node of the search
    const struct location *location;
    uint32_t next;  // edge to try
    size_t matched; // states of the trace
};

struct follower {
    struct follow_request request;
    struct term_store *store;
    struct configuration configuration;
    struct progress *progress;
    struct engine_environment environment;
    struct workspace workspace;
    struct feasibility feasibility;
    VECTOR(struct pair) pairs;
    bool by_name;    // locations match by name
    bool determined; // every variable of ours is compared
    // The trace at hand.
    VECTOR(const struct term *) wanted; // per shown state: the equations; NULL: cannot be
    VECTOR(const struct location *) places;
    VECTOR(const struct edge *) edges;
    VECTOR(const struct term *) states;
    VECTOR(struct attempt) stack;
    VECTOR(uint8_t) left; // per shown state and location: left in vain
    uint64_t checks;
};

// Values across models.

static bool sorts_fit(const struct sort *a, const struct sort *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == SORT_BV)
        return a->width == b->width;
    if (a->kind == SORT_ARRAY)
        return sorts_fit(a->key, b->key) && sorts_fit(a->element, b->element);
    return true;
}

static const struct term *translate(struct term_store *store, const struct sort *from,
                                    struct value value, const struct sort *to);

static const struct term *translate_array(struct term_store *store, const struct sort *from,
                                          const struct term *literal, const struct sort *to)
{
    const struct term **entries = memory_alloc(literal->child_count * sizeof *entries);
    const struct term *fallback =
        translate(store, from->element, term_value(literal->child[0]), to->element);
    bool good = fallback != NULL;
    for (uint32_t i = 1; i < literal->child_count && good; i++) {
        bool key = i % 2 == 1;
        entries[i - 1] = translate(store, key ? from->key : from->element,
                                   term_value(literal->child[i]), key ? to->key : to->element);
        good = entries[i - 1] != NULL;
    }
    const struct term *array =
        good ? term_array(store, to, fallback, entries, (literal->child_count - 1) / 2) : NULL;
    memory_free(entries);
    return array;
}

// The value as a literal of another model's sort; NULL when that has none.
static const struct term *translate(struct term_store *store, const struct sort *from,
                                    struct value value, const struct sort *to)
{
    if (from->kind == SORT_ENUM) {
        assert(value_small_get(value) < (int64_t)from->literal_count);
        const char *name = from->literals[value_small_get(value)];
        for (uint32_t i = 0; i < to->literal_count; i++)
            if (strcmp(to->literals[i], name) == 0)
                return term_enum(store, to, i);
        return NULL;
    }
    if (value_is_small(value))
        return term_of_value(store, to, value);
    const struct term *literal = value_pointer_get(value);
    switch (literal->kind) {
    case TERM_INT:
        return term_int_text(store, literal->u.text);
    case TERM_BV:
        return term_bv_text(store, to->width, literal->u.text);
    case TERM_RAT: {
        char *numerator = memory_strdup(literal->u.text);
        char *slash = strchr(numerator, '/');
        *slash = '\0';
        const struct term *rational = term_rat_text(store, numerator, slash + 1);
        memory_free(numerator);
        return rational;
    }
    default:
        return translate_array(store, from, literal, to);
    }
}

// What is compared.

static bool is_wanted(const struct follow_request *request, const struct variable *variable)
{
    if (variable->flags & VARIABLE_LOCAL)
        return false;
    for (size_t i = 0; request->variables != NULL && i < request->variable_count; i++)
        if (request->variables[i] == variable)
            return true;
    return request->variables == NULL;
}

static void find_pairs(struct follower *f)
{
    const struct model *leader = f->request.leader, *model = f->request.model;
    uint32_t compared = 0, own = 0;
    for (uint32_t v = 0; v < leader->variable_count; v++) {
        const struct variable *theirs = leader->variables[v];
        const struct variable *ours = model_find_variable(model, theirs->name);
        if (!is_wanted(&f->request, theirs) || ours == NULL || (ours->flags & VARIABLE_LOCAL) ||
            !sorts_fit(theirs->sort, ours->sort))
            continue;
        VECTOR_PUSH(&f->pairs, ((struct pair){theirs, ours}));
        compared++;
    }
    for (uint32_t v = 0; v < model->variable_count; v++)
        own += !(model->variables[v]->flags & VARIABLE_LOCAL);
    f->determined = compared == own;
}

static bool has_place(const struct model *model, const char *name)
{
    for (uint32_t l = 0; l < model->location_count; l++)
        if (model->locations[l]->observable && strcmp(model->locations[l]->name, name) == 0)
            return true;
    return false;
}

static bool has_places_of(const struct model *model, const struct model *other)
{
    for (uint32_t l = 0; l < other->location_count; l++)
        if (other->locations[l]->observable && other->locations[l] != other->error &&
            !has_place(model, other->locations[l]->name))
            return false;
    return true;
}

size_t follower_compared(const struct follower *f, struct text *left_out)
{
    const struct model *leader = f->request.leader;
    for (uint32_t v = 0; v < leader->variable_count; v++) {
        bool found = (leader->variables[v]->flags & VARIABLE_LOCAL) != 0;
        for (size_t i = 0; i < f->pairs.count && !found; i++)
            found = f->pairs.data[i].theirs == leader->variables[v];
        if (!found)
            text_printf(left_out, "%s%s", left_out->length > 0 ? ", " : "",
                        leader->variables[v]->name);
    }
    return f->pairs.count;
}

struct follower *follower_create(const struct follow_request *request)
{
    struct follower *f = memory_zalloc(sizeof *f);
    f->request = *request;
    f->store = term_store_create(request->model->store);
    f->progress = aligned_alloc(_Alignof(struct progress), sizeof *f->progress);
    memset(f->progress, 0, sizeof *f->progress);
    configuration_init(&f->configuration, "follow");
    configuration_seal(&f->configuration);
    f->environment = (struct engine_environment){
        .model = request->model,
        .configuration = &f->configuration,
        .seed = request->seed,
        .stop = request->stop,
        .progress = f->progress,
        .publish_solver = request->publish_solver,
        .observer = request->context,
        .store = f->store,
    };
    workspace_init(&f->workspace, &f->environment);
    feasibility_init(&f->feasibility, &f->workspace);
    find_pairs(f);
    f->by_name = has_places_of(request->model, request->leader) &&
                 has_places_of(request->leader, request->model);
    return f;
}

void follower_destroy(struct follower *f)
{
    if (f == NULL)
        return;
    feasibility_finish(&f->feasibility);
    workspace_finish(&f->workspace);
    configuration_finish(&f->configuration);
    free(f->progress);
    term_store_destroy(f->store);
    VECTOR_FINISH(&f->pairs);
    VECTOR_FINISH(&f->wanted);
    VECTOR_FINISH(&f->places);
    VECTOR_FINISH(&f->edges);
    VECTOR_FINISH(&f->states);
    VECTOR_FINISH(&f->stack);
    VECTOR_FINISH(&f->left);
    memory_free(f);
}

// One trace.

static const struct term *equations(struct follower *f, const struct value *state)
{
    struct term_vector all = {0};
    const struct term *formula = NULL;
    bool good = true;
    for (size_t i = 0; i < f->pairs.count && good; i++) {
        const struct pair *pair = &f->pairs.data[i];
        const struct term *value =
            translate(f->store, pair->theirs->sort, state[pair->theirs->index], pair->ours->sort);
        good = value != NULL;
        if (good)
            VECTOR_PUSH(&all, term_eq(f->store, pair->ours->term, value));
    }
    if (good)
        formula = term_and(f->store, all.data, all.count);
    VECTOR_FINISH(&all);
    return formula;
}

static void load_trace(struct follower *f, const struct trace *trace)
{
    VECTOR_CLEAR(&f->wanted);
    VECTOR_CLEAR(&f->places);
    for (size_t i = 0; i <= trace->step_count; i++)
        if (trace_shows(trace, i)) {
            VECTOR_PUSH(&f->wanted, equations(f, trace_step_at(trace, i)->state));
            VECTOR_PUSH(&f->places, trace_location_at(trace, i));
        }
    assert(f->wanted.count == f->places.count);
    VECTOR_CLEAR(&f->left);
    for (size_t i = 0; i < f->wanted.count * f->request.model->location_count; i++)
        VECTOR_PUSH(&f->left, 0);
    VECTOR_CLEAR(&f->edges);
    VECTOR_CLEAR(&f->states);
    VECTOR_CLEAR(&f->stack);
    f->checks = 0;
}

static bool matches(const struct follower *f, const struct location *ours,
                    const struct location *theirs)
{
    if (f->request.model->dialect->phases && f->request.leader->dialect->phases &&
        ours->phase != PHASE_NONE)
        return ours->phase == theirs->phase;
    return !f->by_name || strcmp(ours->name, theirs->name) == 0;
}

// Steps from the top of the stack along an edge (NULL: the initial action). *entered: it can be done.
static enum path_result enter(struct follower *f, const struct edge *edge, bool *entered)
{
    assert(f->edges.count == f->stack.count && f->states.count == f->stack.count);
    const struct model *model = f->request.model;
    const struct location *to = edge != NULL ? edge->target : model->initial;
    size_t matched = f->stack.count ? VECTOR_LAST(&f->stack).matched : 0;
    const struct term *state = NULL;
    uint8_t *left = NULL;
    *entered = false;
    if (to->observable) {
        if (matched == f->wanted.count || !matches(f, to, f->places.data[matched]) ||
            (state = f->wanted.data[matched]) == NULL)
            return PATH_INFEASIBLE;
        left = &f->left.data[matched * model->location_count + to->index];
        if (*left && f->determined)
            return PATH_INFEASIBLE;
    } else if (f->stack.count > HIDDEN_LIMIT * (matched + 1)) {
        return PATH_UNDECIDED;
    }
    VECTOR_PUSH(&f->edges, edge);
    VECTOR_PUSH(&f->states, state);
    enum path_result result = PATH_STOPPED;
    f->checks++;
    if (feasibility_load_through(&f->feasibility, f->edges.data + 1, f->edges.count - 1,
                                 f->states.data))
        result = feasibility_check(&f->feasibility);
    if (result == PATH_FEASIBLE) {
        *entered = true;
        if (left != NULL)
            *left = 1;
        VECTOR_PUSH(&f->stack,
                    ((struct attempt){.location = to, .matched = matched + to->observable}));
    } else {
        f->edges.count--;
        f->states.count--;
    }
    return result;
}

enum follow_answer follower_try(struct follower *f, const struct trace *trace, size_t *states)
{
    const struct model *model = f->request.model;
    bool entered, doubt = false;
    load_trace(f, trace);
    *states = 0;
    enum path_result result = enter(f, NULL, &entered);
    doubt = result != PATH_FEASIBLE && result != PATH_INFEASIBLE;
    while (f->stack.count > 0 && f->checks < CHECK_LIMIT && result != PATH_STOPPED) {
        struct attempt *top = &VECTOR_LAST(&f->stack);
        if (top->matched > *states)
            *states = top->matched;
        assert(top->matched <= f->wanted.count && f->edges.count == f->stack.count);
        if (top->matched == f->wanted.count)
            return FOLLOW_YES;
        if (top->next == top->location->out_count) {
            f->stack.count--;
            f->edges.count--;
            f->states.count--;
            continue;
        }
        const struct edge *edge = top->location->out[top->next++];
        if (trace_only_tests(model, edge))
            continue;
        result = enter(f, edge, &entered);
        doubt |= result == PATH_UNDECIDED || result == PATH_STOPPED;
    }
    return doubt || f->checks >= CHECK_LIMIT ? FOLLOW_UNDECIDED : FOLLOW_NO;
}
