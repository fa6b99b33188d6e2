#include "engines/cegar/path.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

bool path_init(struct path *path, struct workspace *workspace, const struct edge *const *edges,
               size_t edge_count)
{
    const struct model *model = workspace->model;
    *path = (struct path){
        .workspace = workspace,
        .edges = edges,
        .edge_count = edge_count,
        .step_count = edge_count + 1,
        .row_words = model->statement_count / 64 + 1,
    };
    arena_init(&path->arena);
    struct smt_context *context = workspace_solver(workspace);
    if (!context)
        return false;
    path->smt = smt_create(context);
    path->steps = arena_zalloc(&path->arena, path->step_count * sizeof *path->steps);
    path->core = arena_zalloc(&path->arena,
                              path->step_count * path->row_words * sizeof *path->core);
    uint32_t *index = arena_zalloc(&path->arena, (model->variable_count + 1) * sizeof *index);
    for (size_t k = 0; k < path->step_count; k++) {
        encoder_step(workspace->encoder, &path->arena, path_action(path, k), (uint32_t)k, index,
                     ENCODE_SELECTORS | ENCODE_TRACKED, &path->steps[k]);
        index = path->steps[k].after;
    }
    return true;
}

void path_finish(struct path *path)
{
    for (size_t k = 0; path->steps && k < path->step_count; k++)
        encoded_step_finish(&path->steps[k]);
    smt_destroy(path->smt);
    arena_finish(&path->arena);
}

const struct statement *path_action(const struct path *path, size_t step)
{
    return step ? path->edges[step - 1]->action : path->workspace->model->initial_action;
}

// Cores.


// Sets the bits of the trackers in `core`.
static void set_core(struct path *path, size_t first, size_t last,
                     const struct term_vector *core)
{
    memset(path->core, 0, path->step_count * path->row_words * sizeof *path->core);
    // Trackers are found again by identity: mark them by term id, in an array as long as ids go.
    uint32_t ids = term_store_next_id(path->workspace->store);
    uint8_t *marked = memory_zalloc(ids);
    for (size_t i = 0; i < core->count; i++)
        marked[core->data[i]->id] = 1;
    for (size_t k = first; k <= last; k++)
        for (size_t i = 0; i < path->steps[k].trackers.count; i++)
            if (marked[path->steps[k].trackers.data[i]->id]) {
                uint32_t id = path->steps[k].tracked[i]->id;
                path->core[k * path->row_words + id / 64] |= (uint64_t)1 << (id % 64);
            }
    memory_free(marked);
}

// Deletes members one by one as long as the rest stays unsatisfiable; at most `checks` checks.
static bool minimise_core(struct path *path, struct term_vector *core, unsigned checks)
{
    struct term_vector rest = {0}, smaller = {0};
    bool going = true;
    for (size_t i = 0; i < core->count && checks > 0 && going; checks--) {
        VECTOR_CLEAR(&rest);
        for (size_t j = 0; j < core->count; j++)
            if (j != i)
                VECTOR_PUSH(&rest, core->data[j]);
        VECTOR_CLEAR(&smaller);
        enum smt_result result = smt_check_assuming(path->smt, rest.data, rest.count);
        going = workspace_step(path->workspace, 1);
        if (result == SMT_UNSAT && smt_unsat_core(path->smt, &smaller)) {
            // Keep the order, so that the members before i need no second look.
            size_t kept = 0, before = 0;
            for (size_t j = 0; j < rest.count; j++)
                for (size_t s = 0; s < smaller.count; s++)
                    if (smaller.data[s] == rest.data[j]) {
                        before += j < i;
                        core->data[kept++] = rest.data[j];
                        break;
                    }
            core->count = kept;
            i = before;
        } else {
            i++;
        }
    }
    VECTOR_FINISH(&rest);
    VECTOR_FINISH(&smaller);
    return going;
}

enum path_result path_check(struct path *path, size_t first, size_t last,
                            const struct term *before, const struct term *after,
                            unsigned minimise)
{
    struct workspace *ws = path->workspace;
    struct term_vector trackers = {0}, core = {0};
    smt_reset(path->smt);
    if (before)
        smt_assert(path->smt, encoder_shift(ws->encoder, before, path->steps[first].before));
    for (size_t k = first; k <= last; k++) {
        smt_assert(path->smt, path->steps[k].formula);
        for (size_t i = 0; i < path->steps[k].trackers.count; i++)
            VECTOR_PUSH(&trackers, path->steps[k].trackers.data[i]);
    }
    if (after)
        smt_assert(path->smt, encoder_shift(ws->encoder, after, path->steps[last].after));
    enum path_result answer = PATH_UNDECIDED;
    enum smt_result result = smt_check_assuming(path->smt, trackers.data, trackers.count);
    if (!workspace_step(ws, 1)) {
        answer = PATH_STOPPED;
    } else if (result == SMT_SAT) {
        answer = PATH_FEASIBLE;
    } else if (result == SMT_UNKNOWN) {
        answer = workspace_tolerate(ws, path->smt) ? PATH_UNDECIDED : PATH_STOPPED;
    } else {
        if (!smt_unsat_core(path->smt, &core)) { // then everything is to blame
            VECTOR_CLEAR(&core);
            for (size_t i = 0; i < trackers.count; i++)
                VECTOR_PUSH(&core, trackers.data[i]);
        }
        answer = minimise_core(path, &core, minimise) ? PATH_INFEASIBLE : PATH_STOPPED;
        set_core(path, first, last, &core);
    }
    VECTOR_FINISH(&trackers);
    VECTOR_FINISH(&core);
    return answer;
}

// Which tracker stays: those to blame become true, the others false.
struct blamed {
    struct path *path;
    size_t step;
};

static const struct term *tracker_value(void *context, const struct term *variable)
{
    struct blamed *b = context;
    const struct encoded_step *step = &b->path->steps[b->step];
    for (size_t i = 0; i < step->trackers.count; i++)
        if (step->trackers.data[i] == variable)
            return term_bool(b->path->workspace->store,
                             path_blames(b->path, b->step, step->tracked[i]));
    return variable;
}

const struct term *path_blamed_formula(struct path *path, size_t step)
{
    struct blamed b = {path, step};
    return rewrite_substitute(path->workspace->store, path->steps[step].formula, tracker_value,
                              &b);
}

// Which variables matter where: two passes over the statements to blame.

struct flow {
    struct path *path;
    size_t step;
    uint32_t width;
};

static void read_variables(const struct flow *f, const struct statement *s, bool *set)
{
    struct term_vector variables = {0};
    rewrite_free_variables(s->expression, &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const struct variable *x =
            model_variable_of(f->path->workspace->model, variables.data[i]);
        if (x)
            set[x->index] = true;
    }
    VECTOR_FINISH(&variables);
}

// Backwards: `set` holds the variables needed after s, then those needed before it.
static void needed(const struct flow *f, const struct statement *s, bool *set)
{
    switch (s->kind) {
    case STATEMENT_SKIP:
        return;
    case STATEMENT_HAVOC:
        set[s->variable->index] = false;
        return;
    case STATEMENT_ASSIGN: {
        bool wanted = set[s->variable->index];
        set[s->variable->index] = false;
        if (wanted && path_blames(f->path, f->step, s))
            read_variables(f, s, set);
        return;
    }
    case STATEMENT_ASSUME:
        if (path_blames(f->path, f->step, s))
            read_variables(f, s, set);
        return;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = s->child_count; i-- > 0;)
            needed(f, s->child[i], set);
        return;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        break;
    }
    bool *joined = memory_zalloc(f->width + 1), *branch = memory_alloc(f->width + 1);
    for (uint32_t i = 0; i < s->child_count; i++) {
        memcpy(branch, set, f->width);
        needed(f, s->child[i], branch);
        for (uint32_t v = 0; v < f->width; v++)
            joined[v] |= branch[v];
    }
    if (s->kind == STATEMENT_IF && path_blames(f->path, f->step, s))
        read_variables(f, s, joined);
    memcpy(set, joined, f->width);
    memory_free(joined);
    memory_free(branch);
}

// Forwards: `set` holds the variables that statements to blame have constrained.
static void constrained(const struct flow *f, const struct statement *s, bool *set)
{
    switch (s->kind) {
    case STATEMENT_SKIP:
        return;
    case STATEMENT_HAVOC:
        set[s->variable->index] = false;
        return;
    case STATEMENT_ASSIGN:
        set[s->variable->index] = path_blames(f->path, f->step, s);
        return;
    case STATEMENT_ASSUME:
        if (path_blames(f->path, f->step, s))
            read_variables(f, s, set);
        return;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count; i++)
            constrained(f, s->child[i], set);
        return;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        break;
    }
    bool *joined = memory_zalloc(f->width + 1), *branch = memory_alloc(f->width + 1);
    if (s->kind == STATEMENT_IF && path_blames(f->path, f->step, s))
        read_variables(f, s, set);
    for (uint32_t i = 0; i < s->child_count; i++) {
        memcpy(branch, set, f->width);
        constrained(f, s->child[i], branch);
        for (uint32_t v = 0; v < f->width; v++)
            joined[v] |= branch[v];
    }
    memcpy(set, joined, f->width);
    memory_free(joined);
    memory_free(branch);
}

void path_blamed_variables(struct path *path, size_t node, struct term_vector *out)
{
    const struct model *model = path->workspace->model;
    struct flow f = {.path = path, .width = model->variable_count};
    bool *before = memory_zalloc(f.width + 1), *after = memory_zalloc(f.width + 1);
    for (f.step = 0; f.step <= node; f.step++)
        constrained(&f, path_action(path, f.step), before);
    for (f.step = path->step_count - 1; f.step > node; f.step--)
        needed(&f, path_action(path, f.step), after);
    for (uint32_t v = 0; v < f.width; v++)
        if (before[v] && after[v])
            VECTOR_PUSH(out, model->variables[v]->term);
    memory_free(before);
    memory_free(after);
}

// Traces.

static bool model_value(struct path *path, const struct term *term, struct value *value)
{
    const struct term *literal = smt_model_value(path->smt, term);
    if (literal)
        *value = term_value(literal);
    return literal != NULL;
}

static const struct term *havoc_copy(const struct encoded_step *step, const struct statement *s)
{
    for (size_t i = 0; i < step->havoc_count; i++)
        if (step->havoc[i] == s)
            return step->havoc_copy[i];
    assert(!"a havoc was not encoded");
    return NULL;
}

// Walks the branches that the model took and notes choices and havocs. -1: none was taken (a bug).
static int taken_branch(struct path *path, const struct statement *s, size_t k)
{
    for (uint32_t b = 0; b < s->child_count; b++) {
        struct value v;
        const struct term *selector =
            encoder_selector(path->workspace->encoder, s, b, (uint32_t)k);
        if (model_value(path, selector, &v) && value_is_true(v))
            return (int)b;
    }
    return -1;
}

static bool add_hints(struct path *path, struct trace *trace, struct trace_step *to, size_t k,
                      const struct statement *s)
{
    switch (s->kind) {
    case STATEMENT_SKIP:
    case STATEMENT_ASSIGN:
    case STATEMENT_ASSUME:
        return true;
    case STATEMENT_HAVOC: {
        struct value v;
        if (!model_value(path, havoc_copy(&path->steps[k], s), &v))
            return false;
        trace_add_hint(trace, to, s, s->variable->sort, v);
        return true;
    }
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count; i++)
            if (!add_hints(path, trace, to, k, s->child[i]))
                return false;
        return true;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        break;
    }
    int branch = taken_branch(path, s, k);
    if (branch < 0)
        return false;
    if (s->kind == STATEMENT_CHOICE)
        trace_add_hint(trace, to, s, sort_int(trace->store), value_small(branch));
    return add_hints(path, trace, to, k, s->child[branch]);
}

// Notes what divisions by zero yielded. Visits each subterm once.
static bool add_divisions(struct path *path, struct trace *trace, const struct term *term,
                          uint8_t *seen)
{
    if (!(term->flags & TERM_HAS_DIVISION) || seen[term->id])
        return true;
    seen[term->id] = 1;
    for (uint32_t i = 0; i < term->child_count; i++)
        if (!add_divisions(path, trace, term->child[i], seen))
            return false;
    if (term->kind != TERM_DIV && term->kind != TERM_MOD && term->kind != TERM_REM)
        return true;
    const struct term *divisor = smt_model_value(path->smt, term->child[1]);
    struct value dividend, result;
    if (!divisor)
        return false;
    const struct term *zero = term_default(path->workspace->store, divisor->sort);
    if (divisor != zero)
        return true;
    if (!model_value(path, term->child[0], &dividend) || !model_value(path, term, &result))
        return false;
    trace_add_division(trace, term->kind, term->sort, dividend, result);
    return true;
}

static bool fill_trace(struct path *path, struct trace *trace)
{
    const struct model *model = path->workspace->model;
    for (uint32_t v = 0; v < model->variable_count; v++) {
        struct value value;
        if (!model_value(path, model->variables[v]->term, &value))
            return false;
        trace->start[v] = trace_own(trace, model->variables[v]->sort, value);
    }
    uint8_t *seen = memory_zalloc(term_store_next_id(path->workspace->store) + 1);
    bool good = true;
    for (size_t k = 0; k < path->step_count && good; k++) {
        struct trace_step *to =
            k ? trace_add_step(trace, path->edges[k - 1]) : &trace->initial;
        good = add_hints(path, trace, to, k, path_action(path, k)) &&
               add_divisions(path, trace, path->steps[k].formula, seen);
    }
    memory_free(seen);
    return good;
}

struct trace *path_trace(struct path *path)
{
    struct trace *trace = trace_create(path->workspace->model);
    if (fill_trace(path, trace))
        return trace;
    trace_destroy(trace);
    return NULL;
}
