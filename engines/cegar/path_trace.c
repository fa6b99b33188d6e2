#include <assert.h>

#include "base/memory.h"
#include "engines/cegar/feasibility.h"

// Reads a trace out of the model of a feasible path.

struct reading {
    struct workspace *workspace;
    struct smt *smt;
    const struct encoded_step *steps;
};

static bool model_value(struct reading *r, const struct term *term, struct value *value)
{
    const struct term *literal = smt_model_value(r->smt, term);
    if (literal != NULL)
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
static int taken_branch(struct reading *r, const struct statement *s, size_t k)
{
    for (uint32_t b = 0; b < s->child_count; b++) {
        struct value v;
        const struct term *selector = encoder_selector(r->workspace->encoder, s, b, (uint32_t)k);
        if (model_value(r, selector, &v) && value_is_true(v))
            return (int)b;
    }
    return -1;
}

static bool add_hints(struct reading *r, struct trace *trace, struct trace_step *to, size_t k,
                      const struct statement *s)
{
    switch (s->kind) {
    case STATEMENT_SKIP:
    case STATEMENT_ASSIGN:
    case STATEMENT_ASSUME:
        return true;
    case STATEMENT_HAVOC: {
        struct value v;
        if (!model_value(r, havoc_copy(&r->steps[k], s), &v))
            return false;
        trace_add_hint(trace, to, s, s->variable->sort, v);
        return true;
    }
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count; i++)
            if (!add_hints(r, trace, to, k, s->child[i]))
                return false;
        return true;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        break;
    }
    int branch = taken_branch(r, s, k);
    if (branch < 0)
        return false;
    if (s->kind == STATEMENT_CHOICE)
        trace_add_hint(trace, to, s, sort_int(trace->store), value_small(branch));
    return add_hints(r, trace, to, k, s->child[branch]);
}

// Notes what divisions by zero yielded. Visits each subterm once.
static bool add_divisions(struct reading *r, struct trace *trace, const struct term *term,
                          uint8_t *seen)
{
    if (!(term->flags & TERM_HAS_DIVISION) || seen[term->id])
        return true;
    seen[term->id] = 1;
    for (uint32_t i = 0; i < term->child_count; i++)
        if (!add_divisions(r, trace, term->child[i], seen))
            return false;
    if (term->kind != TERM_DIV && term->kind != TERM_MOD && term->kind != TERM_REM)
        return true;
    assert(term->child_count == 2);
    const struct term *divisor = smt_model_value(r->smt, term->child[1]);
    struct value dividend, result;
    if (divisor == NULL)
        return false;
    const struct term *zero = term_default(r->workspace->store, divisor->sort);
    if (divisor != zero)
        return true;
    if (!model_value(r, term->child[0], &dividend) || !model_value(r, term, &result))
        return false;
    trace_add_division(trace, term->kind, term->sort, dividend, result);
    return true;
}

static bool fill_trace(struct reading *r, struct trace *trace, const struct edge *const *edges,
                       size_t step_count)
{
    const struct model *model = r->workspace->model;
    for (uint32_t v = 0; v < model->variable_count; v++) {
        struct value value;
        if (!model_value(r, model->variables[v]->term, &value))
            return false;
        trace->start[v] = trace_own(trace, model->variables[v]->sort, value);
    }
    uint8_t *seen = memory_zalloc(term_store_next_id(r->workspace->store) + 1);
    bool good = true;
    for (size_t k = 0; k < step_count && good; k++) {
        assert((edges[k] != NULL || k == 0) && "the initial action comes first");
        struct trace_step *to =
            edges[k] != NULL ? trace_add_step(trace, edges[k]) : &trace->initial;
        good = add_hints(r, trace, to, k, r->steps[k].action) &&
               add_divisions(r, trace, r->steps[k].formula, seen);
    }
    memory_free(seen);
    return good;
}

struct trace *path_trace(struct workspace *workspace, struct smt *smt,
                         const struct edge *const *edges, const struct encoded_step *steps,
                         size_t step_count)
{
    struct reading r = {workspace, smt, steps};
    struct trace *trace = trace_create(workspace->model);
    if (fill_trace(&r, trace, edges, step_count))
        return trace;
    trace_destroy(trace);
    return NULL;
}
