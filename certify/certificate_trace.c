#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "certify/certificate_inside.h"
#include "logic/terms/print.h"
#include "logic/terms/read_smtlib.h"

// A trace from its certificate: decisions become hints, the model is run with them, and every state
// that the certificate claims must be the one that the run reaches.

struct tracing {
    const struct certificate *certificate;
    const struct model *model;
    struct trace *trace;
    struct smtlib_reader *reader;
    const struct statement **statement; // by id
    struct text *why;
};

static bool wrong(struct tracing *t, const struct sexpr *e, const char *what)
{
    if (t->why->length == 0)
        text_printf(t->why, "line %u: %s", e->line, what);
    return false;
}

static void number(struct tracing *t, const struct statement *statement)
{
    assert(statement->id < t->model->statement_count && t->statement[statement->id] == NULL);
    t->statement[statement->id] = statement;
    for (uint32_t i = 0; i < statement->child_count; i++)
        number(t, statement->child[i]);
}

static bool read_number(const struct sexpr *e, uint32_t *out)
{
    if (e->kind != SEXPR_NUMERAL || strlen(e->text) > 9)
        return false;
    *out = (uint32_t)strtoul(e->text, NULL, 10);
    return true;
}

static bool read_value(struct tracing *t, const struct sexpr *e, const struct sort *sort,
                       struct value *out)
{
    const struct term *term = smtlib_read_as(t->reader, e, sort, t->why);
    if (term == NULL)
        return false;
    if (!term_is_literal(term))
        return wrong(t, e, "expected a value");
    *out = trace_own(t->trace, sort, term_value(term));
    return true;
}

// (name value) …, from the `first` child on; values by variable.
static bool read_state(struct tracing *t, const struct sexpr *e, size_t first, struct value *state)
{
    for (size_t i = first; i < e->count; i++) {
        const struct sexpr *pair = e->child[i];
        if (pair->kind != SEXPR_LIST || pair->count != 2 || pair->child[0]->kind != SEXPR_SYMBOL)
            return wrong(t, pair, "expected (variable value)");
        const struct term *term = smtlib_reader_find(t->reader, pair->child[0]->text);
        const struct variable *variable =
            term != NULL && term->kind == TERM_VAR ? model_variable_of(t->model, term) : NULL;
        if (variable == NULL) {
            text_printf(t->why, "line %u: %s is no variable of the model", pair->line,
                        pair->child[0]->text);
            return false;
        }
        if (!read_value(t, pair->child[1], variable->sort, &state[variable->index]))
            return false;
    }
    return true;
}

static bool read_decision(struct tracing *t, struct trace_step *step, const struct sexpr *e)
{
    uint32_t id, branch;
    bool choice = sexpr_is_call(e, "choice", 3), havoc = sexpr_is_call(e, "havoc", 3);
    if ((!choice && !havoc) || !read_number(e->child[1], &id))
        return wrong(t, e, "expected (choice statement branch) or (havoc statement value)");
    const struct statement *statement = id < t->model->statement_count ? t->statement[id] : NULL;
    if (statement == NULL || statement->kind != (choice ? STATEMENT_CHOICE : STATEMENT_HAVOC))
        return wrong(t, e, "the model has no such statement");
    struct value value = VALUE_UNKNOWN;
    const struct sort *sort = NULL;
    if (choice) {
        if (!read_number(e->child[2], &branch) || branch >= statement->child_count)
            return wrong(t, e, "the choice has no such branch");
        value = value_small(branch);
    } else {
        sort = statement->variable->sort;
        if (!read_value(t, e->child[2], sort, &value))
            return false;
    }
    assert(value_known(value));
    trace_add_hint(t->trace, step, statement, sort, value);
    return true;
}

static const struct sexpr *part(const struct sexpr *e, const char *head)
{
    for (size_t i = 0; i < e->count; i++)
        if (sexpr_is_call(e->child[i], head, 0))
            return e->child[i];
    return NULL;
}

static bool read_decisions(struct tracing *t, struct trace_step *step, const struct sexpr *e)
{
    const struct sexpr *decisions = part(e, "decisions");
    for (size_t i = 1; decisions != NULL && i < decisions->count; i++)
        if (!read_decision(t, step, decisions->child[i]))
            return false;
    return part(e, "state") != NULL || wrong(t, e, "the state is missing");
}

static bool read_step(struct tracing *t, const struct sexpr *e)
{
    const struct sexpr *edge = part(e, "edge");
    uint32_t id;
    if (edge == NULL || edge->count < 2 || !read_number(edge->child[1], &id) ||
        id >= t->model->edge_count)
        return wrong(t, e, "expected (edge number label) with an edge of the model");
    if (edge->count > 2 && edge->child[2]->text != NULL &&
        strcmp(edge->child[2]->text, t->model->edges[id]->label) != 0)
        return wrong(t, edge, "the edge has another label in the model");
    return read_decisions(t, trace_add_step(t->trace, t->model->edges[id]), e);
}

static bool read_division(struct tracing *t, const struct sexpr *e)
{
    if (e->kind != SEXPR_LIST || e->count != 4)
        return wrong(t, e, "expected (div sort dividend result)");
    enum term_kind kind = sexpr_is(e->child[0], "div")   ? TERM_DIV
                          : sexpr_is(e->child[0], "mod") ? TERM_MOD
                                                         : TERM_REM;
    const struct sort *sort = smtlib_read_sort(t->reader, e->child[1], t->why);
    struct value dividend, result;
    if (sort == NULL || !read_value(t, e->child[2], sort, &dividend) ||
        !read_value(t, e->child[3], sort, &result))
        return false;
    trace_add_division(t->trace, kind, sort, dividend, result);
    return true;
}

static bool read_trace(struct tracing *t)
{
    const struct certificate *c = t->certificate;
    if (c->initial == NULL) {
        text_add(t->why, "the certificate says nothing about the initial action");
        return false;
    }
    if (c->start != NULL && !read_state(t, c->start, 0, t->trace->start))
        return false;
    for (size_t i = 0; c->divisions != NULL && i < c->divisions->count; i++)
        if (!read_division(t, c->divisions->child[i]))
            return false;
    if (!read_decisions(t, &t->trace->initial, c->initial))
        return false;
    for (size_t i = 0; i < c->steps.count; i++)
        if (!read_step(t, c->steps.data[i]))
            return false;
    assert(t->trace->step_count == c->steps.count && "they are compared side by side");
    return true;
}

static bool differs(struct tracing *t, size_t step, uint32_t variable, struct value claimed,
                    struct value reached)
{
    const struct variable *v = t->model->variables[variable];
    if (step == 0)
        text_printf(t->why, "after the initial action");
    else
        text_printf(t->why, "after step %zu", step);
    text_printf(t->why, " the certificate says %s = ", v->name);
    print_value(t->why, v->sort, claimed);
    text_add(t->why, ", the model ");
    print_value(t->why, v->sort, reached);
    return false;
}

static bool compare(struct tracing *t, size_t number, const struct trace_step *step,
                    const struct sexpr *e)
{
    assert(step->state != NULL && "the replay filled the states");
    size_t count = t->model->variable_count;
    struct value *claimed = memory_zalloc((count + 1) * sizeof *claimed);
    bool good = read_state(t, part(e, "state"), 1, claimed);
    for (uint32_t v = 0; good && v < count; v++)
        if (value_known(claimed[v]) && !value_equal(claimed[v], step->state[v]))
            good = differs(t, number, v, claimed[v], step->state[v]);
    memory_free(claimed);
    return good;
}

// A run into a limit of the model shows no error; nor does one that the language does not take for a run of the program.
static bool means_error(struct tracing *t)
{
    assert(trace_location_at(t->trace, t->trace->step_count) == t->model->error);
    const struct trace *trace = t->trace;
    const char *limit =
        trace->step_count == 0 ? NULL : trace->steps[trace->step_count - 1].edge->limit;
    const struct model_judge *judge = t->model->judge;
    if (limit != NULL) {
        text_printf(t->why, "the trace ends at a limit of the model: %s", limit);
        return false;
    }
    return judge == NULL || judge->believes(judge, trace, t->why);
}

static bool check_trace(struct tracing *t)
{
    t->trace->skips = t->certificate->skips;
    if (!read_trace(t) || !certify_replay(t->trace, t->why))
        return false;
    if (t->trace->skips)
        return means_error(t);
    if (!compare(t, 0, &t->trace->initial, t->certificate->initial))
        return false;
    for (size_t i = 0; i < t->trace->step_count; i++)
        if (!compare(t, i + 1, &t->trace->steps[i], t->certificate->steps.data[i]))
            return false;
    return means_error(t);
}

enum certify_result certificate_check_trace(const struct certificate *certificate,
                                            const struct model *model, struct text *why)
{
    assert(!certificate->header.safe);
    assert(model->source == NULL && "certificates speak of the source");
    struct tracing t = {.certificate = certificate, .model = model, .why = why};
    t.trace = trace_create(model);
    t.reader = smtlib_reader_create(t.trace->store);
    t.statement = memory_zalloc((model->statement_count + 1) * sizeof(*t.statement));
    number(&t, model->initial_action);
    for (uint32_t i = 0; i < model->edge_count; i++)
        number(&t, model->edges[i]->action);
    for (uint32_t v = 0; v < model->variable_count; v++)
        smtlib_reader_add(t.reader, model->variables[v]->term);
    bool good = check_trace(&t);
    memory_free(t.statement);
    smtlib_reader_destroy(t.reader);
    trace_destroy(t.trace);
    return good ? CERTIFY_ACCEPTED : CERTIFY_REFUSED;
}
