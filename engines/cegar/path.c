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
    path->core =
        arena_zalloc(&path->arena, path->step_count * path->row_words * sizeof *path->core);
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

// The trackers of the steps first … last, as assumptions.
static void collect_trackers(const struct path *path, size_t first, size_t last,
                             struct term_vector *out)
{
    for (size_t k = first; k <= last; k++)
        for (size_t i = 0; i < path->steps[k].trackers.count; i++)
            VECTOR_PUSH(out, path->steps[k].trackers.data[i]);
}

static enum path_result solve(struct path *path, size_t first, size_t last, unsigned minimise)
{
    struct workspace *ws = path->workspace;
    struct term_vector trackers = {0}, core = {0};
    collect_trackers(path, first, last, &trackers);
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
            collect_trackers(path, first, last, &core);
        }
        answer = minimise_core(path, &core, minimise) ? PATH_INFEASIBLE : PATH_STOPPED;
        set_core(path, first, last, &core);
    }
    VECTOR_FINISH(&trackers);
    VECTOR_FINISH(&core);
    return answer;
}

enum path_result path_blame(struct path *path, size_t first, size_t last, const struct term *before,
                            const struct term *after, unsigned minimise)
{
    struct encoder *encoder = path->workspace->encoder;
    smt_reset(path->smt);
    if (before)
        smt_assert(path->smt, encoder_shift(encoder, before, path->steps[first].before));
    for (size_t k = first; k <= last; k++)
        smt_assert(path->smt, path->steps[k].formula);
    if (after)
        smt_assert(path->smt, encoder_shift(encoder, after, path->steps[last].after));
    return solve(path, first, last, minimise);
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
    return rewrite_substitute(path->workspace->store, path->steps[step].formula, tracker_value, &b);
}
