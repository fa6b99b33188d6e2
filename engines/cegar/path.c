#include "engines/cegar/path.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

// What becomes of a tracker in a formula, by its id in path->marks.
enum tracker_mark { MARK_NONE, MARK_TRUE, MARK_FALSE };

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
    struct smt_context *context = workspace_refutation_solver(workspace);
    if (context == NULL)
        return false;
    path->smt = smt_create(context);
    path->steps = arena_zalloc(&path->arena, path->step_count * sizeof *path->steps);
    path->core =
        arena_zalloc(&path->arena, path->step_count * path->row_words * sizeof *path->core);
    uint32_t *index = arena_zalloc(&path->arena, (model->variable_count + 1) * sizeof *index);
    for (size_t k = 0; k < path->step_count; k++) {
        encoder_step(workspace->encoder, &path->arena, path_action(path, k), (uint32_t)k, index,
                     ENCODE_SELECTORS | ENCODE_TRACKED, &path->steps[k]);
        index = path->steps[k].after;
    }
    path->mark_count = term_store_next_id(workspace->store);
    assert(path->steps[path->edge_count].occurrence == path->edge_count);
    path->marks = memory_zalloc(path->mark_count);
    return true;
}

void path_finish(struct path *path)
{
    for (size_t k = 0; path->steps != NULL && k < path->step_count; k++)
        encoded_step_finish(&path->steps[k]);
    smt_destroy(path->smt);
    memory_free(path->marks);
    arena_finish(&path->arena);
}

const struct statement *path_action(const struct path *path, size_t step)
{
    assert(step < path->step_count);
    return step ? path->edges[step - 1]->action : path->workspace->model->initial_action;
}

bool path_blames_step(const struct path *path, size_t step)
{
    for (size_t w = 0; w < path->row_words; w++)
        if (path->core[step * path->row_words + w])
            return true;
    return false;
}

// Cores.

// Sets the bits of the trackers in `core`.
static void set_core(struct path *path, size_t first, size_t last, const struct term_vector *core)
{
    assert(first <= last && last < path->step_count);
    memset(path->core, 0, path->step_count * path->row_words * sizeof *path->core);
    for (size_t i = 0; i < core->count; i++)
        path->marks[core->data[i]->id] = MARK_TRUE;
    for (size_t k = first; k <= last; k++)
        for (size_t i = 0; i < path->steps[k].trackers.count; i++)
            if (path->marks[path->steps[k].trackers.data[i]->id]) {
                uint32_t id = path->steps[k].tracked[i]->id;
                path->core[k * path->row_words + id / 64] |= (uint64_t)1 << (id % 64);
            }
    for (size_t i = 0; i < core->count; i++)
        path->marks[core->data[i]->id] = MARK_NONE;
}

// What a tracker becomes in a formula.
static const struct term *tracker_value(void *context, const struct term *variable)
{
    const struct path *path = context;
    struct term_store *store = path->workspace->store;
    switch (variable->id < path->mark_count ? path->marks[variable->id] : MARK_NONE) {
    case MARK_TRUE:
        return term_true(store);
    case MARK_FALSE:
        return term_false(store);
    default:
        return variable;
    }
}

// The step's formula with the trackers that are not to blame false, and the others as `blamed` says.
static const struct term *cut_formula(struct path *path, size_t step, enum tracker_mark blamed)
{
    const struct encoded_step *s = &path->steps[step];
    for (size_t i = 0; i < s->trackers.count; i++)
        path->marks[s->trackers.data[i]->id] =
            path_blames(path, step, s->tracked[i]) ? (uint8_t)blamed : MARK_FALSE;
    const struct term *formula =
        rewrite_substitute(path->workspace->store, s->formula, tracker_value, path);
    for (size_t i = 0; i < s->trackers.count; i++)
        path->marks[s->trackers.data[i]->id] = MARK_NONE;
    return formula;
}

const struct term *path_blamed_formula(struct path *path, size_t step)
{
    return cut_formula(path, step, MARK_TRUE);
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

// The trackers of the steps first … last, as assumptions.
static void collect_trackers(const struct path *path, size_t first, size_t last,
                             struct term_vector *out)
{
    for (size_t k = first; k <= last; k++)
        for (size_t i = 0; i < path->steps[k].trackers.count; i++)
            VECTOR_PUSH(out, path->steps[k].trackers.data[i]);
}

// The question that path_blame asks.
struct question {
    size_t first, last;
    const struct term *before, *after;
};

// With all statements, or with those to blame only: small enough to be asked often.
static void ask(struct path *path, const struct question *q, bool cut)
{
    struct encoder *encoder = path->workspace->encoder;
    smt_reset(path->smt);
    if (q->before != NULL)
        smt_assert(path->smt, encoder_shift(encoder, q->before, path->steps[q->first].before));
    for (size_t k = q->first; k <= q->last; k++)
        smt_assert(path->smt, cut ? cut_formula(path, k, MARK_NONE) : path->steps[k].formula);
    if (q->after != NULL)
        smt_assert(path->smt, encoder_shift(encoder, q->after, path->steps[q->last].after));
}

static enum path_result find_core(struct path *path, const struct question *q, unsigned minimise)
{
    struct term_vector core = {0};
    if (!smt_unsat_core(path->smt, &core)) { // then everything is to blame
        VECTOR_CLEAR(&core);
        collect_trackers(path, q->first, q->last, &core);
    }
    set_core(path, q->first, q->last, &core);
    // The solver's order means nothing: early statements are tried first.
    VECTOR_CLEAR(&core);
    for (size_t k = q->first; k <= q->last; k++)
        for (size_t i = 0; i < path->steps[k].trackers.count; i++)
            if (path_blames(path, k, path->steps[k].tracked[i]))
                VECTOR_PUSH(&core, path->steps[k].trackers.data[i]);
    bool going = true;
    if (minimise > 0 && core.count > 0) {
        ask(path, q, true);
        going = minimise_core(path, &core, minimise);
        set_core(path, q->first, q->last, &core);
    }
    VECTOR_FINISH(&core);
    return going ? PATH_INFEASIBLE : PATH_STOPPED;
}

enum path_result path_blame(struct path *path, size_t first, size_t last, const struct term *before,
                            const struct term *after, unsigned minimise)
{
    struct workspace *ws = path->workspace;
    struct question q = {first, last, before, after};
    struct term_vector trackers = {0};
    ask(path, &q, false);
    collect_trackers(path, first, last, &trackers);
    enum smt_result result = smt_check_assuming(path->smt, trackers.data, trackers.count);
    VECTOR_FINISH(&trackers);
    if (!workspace_step(ws, 1))
        return PATH_STOPPED;
    if (result == SMT_UNKNOWN)
        return workspace_tolerate(ws, path->smt) ? PATH_UNDECIDED : PATH_STOPPED;
    return result == SMT_SAT ? PATH_FEASIBLE : find_core(path, &q, minimise);
}
