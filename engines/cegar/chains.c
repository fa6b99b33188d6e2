#include "engines/cegar/chains.h"

#include <assert.h>

#include "base/memory.h"
#include "engines/cegar/strongest.h"
#include "engines/cegar/unsat_core.h"
#include "engines/cegar/weakest.h"

// Above this size the solver is asked to simplify.
#define SIMPLIFY_SIZE 24
// Cores of up to so many conjuncts are made minimal.
#define CORE_LIMIT 16

const struct term *chain_simplify(struct path *path, const struct term *t)
{
    struct smt_context *context = workspace_refutation_solver(path->workspace);
    return t->tree_size > SIMPLIFY_SIZE && context != NULL ? smt_simplify(context, t) : t;
}

static size_t part_count(const struct chain *c)
{
    return c->last - c->first + 1;
}

const struct term **chain_parts(const struct chain *c)
{
    assert(c->first <= c->last && c->last < c->path->step_count);
    struct path *path = c->path;
    struct workspace *ws = path->workspace;
    size_t count = part_count(c);
    bool all = path->blame_all;
    const struct term **parts = memory_alloc(count * sizeof *parts);
    path->blame_all = c->abstraction == ABSTRACT_NOTHING;
    for (size_t i = 0; i < count; i++)
        parts[i] = path_blamed_formula(path, c->first + i);
    path->blame_all = all;
    if (c->before != NULL)
        parts[0] = term_and2(ws->store, parts[0],
                             encoder_shift(ws->encoder, c->before, path->steps[c->first].before));
    if (c->after != NULL)
        parts[count - 1] =
            term_and2(ws->store, parts[count - 1],
                      encoder_shift(ws->encoder, c->after, path->steps[c->last].after));
    return parts;
}

// Which variables connect the two sides of a node: one row for each part, after which the node comes.

struct connection {
    const struct chain *chain;
    uint32_t width;
    bool *rows;
};

static bool *row(const struct connection *c, size_t part)
{
    assert(part < part_count(c->chain));
    return c->rows + part * c->width;
}

static void mark(const struct connection *c, const struct term *formula, const uint32_t *index,
                 bool *set)
{
    struct term_vector variables = {0};
    rewrite_free_variables(formula, &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const struct variable *x =
            model_variable_of(c->chain->path->workspace->model, variables.data[i]);
        if (x != NULL && variables.data[i]->u.var.index == index[x->index])
            set[x->index] = true;
    }
    VECTOR_FINISH(&variables);
}

static void connection_init(struct connection *c, const struct chain *chain)
{
    *c =
        (struct connection){.chain = chain, .width = chain->path->workspace->model->variable_count};
    c->rows = memory_zalloc((part_count(chain) * c->width + 1) * sizeof *c->rows);
}

// The variables that the parts up to each one speak of.
static void mark_known(struct connection *c, const struct term *const *parts)
{
    const struct chain *chain = c->chain;
    for (size_t i = 0; i < part_count(chain); i++) {
        const struct encoded_step *step = &chain->path->steps[chain->first + i];
        for (uint32_t v = 0; i > 0 && v < c->width; v++)
            row(c, i)[v] = step->before[v] == step->after[v] && row(c, i - 1)[v];
        mark(c, parts[i], step->after, row(c, i));
    }
}

// The variables that the parts after each one speak of.
static void mark_needed(struct connection *c, const struct term *const *parts)
{
    const struct chain *chain = c->chain;
    for (size_t i = part_count(chain) - 1; i > 0; i--) {
        const struct encoded_step *step = &chain->path->steps[chain->first + i];
        for (uint32_t v = 0; v < c->width; v++)
            row(c, i - 1)[v] = step->before[v] == step->after[v] && row(c, i)[v];
        mark(c, parts[i], step->before, row(c, i - 1));
    }
}

typedef const struct term *(*projection)(struct workspace *workspace, const struct term *formula,
                                         const struct term *variable);

// Drops the variables that do not connect, as far as that needs no quantifier.
static const struct term *project(const struct connection *c, size_t part,
                                  const struct term *formula, projection away)
{
    struct workspace *ws = c->chain->path->workspace;
    for (uint32_t v = 0; c->rows != NULL && v < c->width; v++) {
        if (row(c, part)[v])
            continue;
        const struct term *smaller = away(ws, formula, ws->model->variables[v]->term);
        if (smaller != NULL && smaller->tree_size <= c->chain->size_limit)
            formula = smaller;
    }
    return formula;
}

static void connect(struct connection *c, const struct chain *chain,
                    void (*fill)(struct connection *, const struct term *const *))
{
    *c = (struct connection){.chain = chain};
    if (!chain->live)
        return;
    assert(chain->abstraction != ABSTRACT_ASSUMES);
    const struct term **parts = chain_parts(chain);
    connection_init(c, chain);
    fill(c, parts);
    memory_free(parts);
}

static bool run_weakest(const struct chain *c, const struct connection *known,
                        const struct term **out)
{
    struct term_store *store = c->path->workspace->store;
    const struct term *post = c->after != NULL ? term_not(store, c->after) : term_false(store);
    for (size_t k = c->last; k > c->first; k--) {
        post = weakest_precondition(c->path, k, post, c->abstraction, c->size_limit);
        if (post == NULL)
            return false;
        post = chain_simplify(c->path, project(known, k - 1 - c->first, post, weakest_project));
        if (post->flags & TERM_HAS_QUANTIFIER)
            return false;
        out[k - 1 - c->first] = post;
    }
    return true;
}

bool chain_weakest(const struct chain *c, const struct term **out)
{
    struct connection known;
    bool all = c->path->blame_all;
    connect(&known, c, mark_known);
    c->path->blame_all = c->abstraction == ABSTRACT_NOTHING;
    bool good = run_weakest(c, &known, out);
    c->path->blame_all = all;
    memory_free(known.rows);
    return good;
}

static bool run_strongest(const struct chain *c, const struct connection *needed,
                          const struct term **out)
{
    const struct term *pre = c->before != NULL ? c->before : term_true(c->path->workspace->store);
    for (size_t k = c->first; k < c->last; k++) {
        pre = strongest_postcondition(c->path, k, pre, c->abstraction, c->size_limit);
        if (pre == NULL)
            return false;
        pre = chain_simplify(c->path, project(needed, k - c->first, pre, strongest_project));
        if (pre->flags & TERM_HAS_QUANTIFIER)
            return false;
        out[k - c->first] = pre;
    }
    return true;
}

bool chain_strongest(const struct chain *c, const struct term **out)
{
    struct connection needed;
    bool all = c->path->blame_all;
    connect(&needed, c, mark_needed);
    c->path->blame_all = c->abstraction == ABSTRACT_NOTHING;
    bool good = run_strongest(c, &needed, out);
    c->path->blame_all = all;
    memory_free(needed.rows);
    return good;
}

static void add_disjuncts(struct term_store *store, const struct term *t, struct term_vector *out)
{
    bool negated = t->kind == TERM_NOT && t->child[0]->kind == TERM_AND;
    const struct term *junction = negated ? t->child[0] : t;
    if (!negated && t->kind != TERM_OR) {
        VECTOR_PUSH(out, t);
        return;
    }
    for (uint32_t i = 0; i < junction->child_count; i++)
        VECTOR_PUSH(out, negated ? term_not(store, junction->child[i]) : junction->child[i]);
}

// Those disjuncts of `weakest` (what the rest cannot run from) that element and part need, as one formula.
static const struct term *needed_disjuncts(const struct chain *c, struct smt *smt,
                                           const struct term *element, const struct term *part,
                                           size_t step, const struct term *weakest)
{
    struct workspace *ws = c->path->workspace;
    const struct encoded_step *encoded = &c->path->steps[step];
    struct term_vector disjuncts = {0}, uses = {0}, core = {0}, kept = {0};
    const struct term *name = term_var(ws->store, "!conflict", sort_bool(ws->store));
    smt_push(smt);
    smt_assert(smt, encoder_shift(ws->encoder, element, encoded->before));
    smt_assert(smt, part);
    add_disjuncts(ws->store, weakest, &disjuncts);
    for (size_t i = 0; i < disjuncts.count; i++) {
        const struct term *use = term_var_copy(ws->store, name, (uint32_t)i + 1);
        const struct term *shifted = encoder_shift(ws->encoder, disjuncts.data[i], encoded->after);
        smt_assert(smt, term_implies(ws->store, use, term_not(ws->store, shifted)));
        VECTOR_PUSH(&uses, use);
    }
    const struct term *result = weakest;
    if (unsat_core_find(smt, uses.data, uses.count, CORE_LIMIT, &core) == SMT_UNSAT) {
        for (size_t i = 0; i < core.count; i++)
            VECTOR_PUSH(&kept, disjuncts.data[core.data[i]->u.var.index - 1]);
        result = term_or(ws->store, kept.data, kept.count);
    }
    assert(kept.count <= disjuncts.count && "a core is a part");
    smt_pop(smt, 1);
    VECTOR_FINISH(&disjuncts);
    VECTOR_FINISH(&uses);
    VECTOR_FINISH(&core);
    VECTOR_FINISH(&kept);
    return result;
}

bool chain_conflict(const struct chain *c, const struct term **out)
{
    struct workspace *ws = c->path->workspace;
    struct smt_context *context = workspace_refutation_solver(ws);
    if (context == NULL || !chain_weakest(c, out))
        return false;
    const struct term **parts = chain_parts(c);
    struct smt *smt = smt_create(context);
    const struct term *element = term_true(ws->store); // `before` is in the first part
    for (size_t k = c->first; k < c->last && workspace_step(ws, 1); k++) {
        element = needed_disjuncts(c, smt, element, parts[k - c->first], k, out[k - c->first]);
        out[k - c->first] = element;
    }
    smt_destroy(smt);
    memory_free(parts);
    return ws->reason == END_NONE;
}
