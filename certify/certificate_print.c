#include "certify/certificate.h"

#include <assert.h>

#include "base/ensure.h"
#include "logic/terms/print.h"
#include "logic/terms/rewrite.h"

// An attribute's value; quotes inside are doubled, line breaks become blanks.
static void print_string(struct text *out, const char *string)
{
    text_add_char(out, '"');
    for (; string != NULL && *string != '\0'; string++) {
        if (*string == '"')
            text_add_char(out, '"');
        text_add_char(out, *string == '\n' ? ' ' : *string);
    }
    text_add_char(out, '"');
}

static void print_info(struct text *out, const char *keyword, const char *value)
{
    text_printf(out, "(set-info :%s ", keyword);
    print_string(out, value);
    text_add(out, ")\n");
}

void certificate_print_header(struct text *out, const struct certificate_header *header)
{
    text_add(out, "; A proof to be checked with: regatta certify MODEL --property P CERTIFICATE\n"
                  "(set-info :smt-lib-version 2.6)\n");
    print_info(out, "regatta-certificate", CERTIFICATE_VERSION);
    print_info(out, "verdict", header->safe ? "safe" : "unsafe");
    print_info(out, "model", header->model);
    print_info(out, "model-digest", header->model_digest);
    print_info(out, "property-digest", header->property_digest);
    print_info(out, "producer", header->producer);
    print_info(out, "configuration", header->configuration);
    for (size_t i = 0; i < header->solver_count; i++)
        print_info(out, "solver", header->solvers[i]);
}

static bool has_enumeration(const struct sort *sort)
{
    return sort->kind == SORT_ENUM ||
           (sort->kind == SORT_ARRAY &&
            (has_enumeration(sort->key) || has_enumeration(sort->element)));
}

static void print_sorts(struct text *out, const struct model *model, struct term_store *store)
{
    struct term_vector values = {0};
    for (uint32_t v = 0; v < model->variable_count; v++)
        if (has_enumeration(model->variables[v]->sort))
            VECTOR_PUSH(&values, term_default(store, model->variables[v]->sort));
    print_smtlib_declarations(out, values.data, values.count);
    VECTOR_FINISH(&values);
}

static bool are_of_model(const struct model *model, const struct term *const *variables,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (variables[i]->u.var.index != 0 || model_variable_of(model, variables[i]) == NULL)
            return false;
    return true;
}

static void print_formula(struct text *out, struct term_store *store, const struct model *model,
                          const struct location *location, const struct term *formula)
{
    assert(formula->sort->kind == SORT_BOOL && "what holds at a location is a condition");
    struct term_vector variables = {0};
    struct text name;
    text_init(&name);
    text_printf(&name, "inv.%s", location->name);
    text_add(out, "(define-fun ");
    print_term(out, term_var(store, text_string(&name), sort_bool(store)), PRINT_SMTLIB);
    text_add(out, " (");
    rewrite_free_variables(formula, &variables);
    // Whoever reads it knows the model's variables and no others.
    ENSURE(are_of_model(model, variables.data, variables.count));
    for (size_t i = 0; i < variables.count; i++) {
        text_add(out, i == 0 ? "(" : " (");
        print_term(out, variables.data[i], PRINT_SMTLIB);
        text_add_char(out, ' ');
        print_sort(out, variables.data[i]->sort, PRINT_SMTLIB);
        text_add_char(out, ')');
    }
    text_add(out, ") Bool\n  ");
    print_term(out, formula, PRINT_SMTLIB);
    text_add(out, ")\n");
    VECTOR_FINISH(&variables);
    text_finish(&name);
}

void certificate_print_invariant(struct text *out, const struct model *model,
                                 const struct term *const *invariant)
{
    assert(model->source == NULL && "certificates speak of the source");
    struct term_store *store = term_store_create(model->store);
    print_sorts(out, model, store);
    for (uint32_t l = 0; l < model->location_count; l++)
        if (invariant[l] != NULL)
            print_formula(out, store, model, model->locations[l], invariant[l]);
    term_store_destroy(store);
}

void certificate_print_rule(struct text *out, struct induction_rule rule)
{
    assert(rule.steps <= INDUCTION_MOST_STEPS && "it could not be read again");
    if (induction_is_plain(rule))
        return;
    text_printf(out, "(set-info :induction-steps %u)\n", rule.steps > 1 ? rule.steps : 1);
    if (rule.distinct)
        text_add(out, "(set-info :distinct-states true)\n");
    if (rule.ends)
        text_add(out, "(set-info :runs-end true)\n");
}

void certificate_print_procedures(struct text *out, const struct procedures *procedures,
                                  const struct term *const *formulas)
{
    print_info(out, "view", procedures->base.kind);
    certificate_print_invariant(out, procedures->model, formulas);
}

// Traces.

struct trace_printer {
    struct text *out;
    const struct trace *trace;
    struct term_store *store; // for printing only
};

static void print_value_term(struct trace_printer *p, const struct sort *sort, struct value value)
{
    print_term(p->out, term_of_value(p->store, sort, value), PRINT_SMTLIB);
}

static void print_state(struct trace_printer *p, const struct value *state)
{
    const struct model *model = p->trace->model;
    for (uint32_t v = 0; v < model->variable_count; v++) {
        if (!value_known(state[v]))
            continue;
        text_add(p->out, " (");
        print_term(p->out, model->variables[v]->term, PRINT_SMTLIB);
        text_add_char(p->out, ' ');
        print_value_term(p, model->variables[v]->sort, state[v]);
        text_add_char(p->out, ')');
    }
}

static void print_decisions(struct trace_printer *p, const struct trace_step *step)
{
    text_add(p->out, "\n  (decisions");
    for (size_t i = 0; i < step->event_count; i++) {
        const struct trace_event *event = &step->events[i];
        if (event->statement->kind == STATEMENT_CHOICE) {
            assert(value_small_get(event->value) < (int64_t)event->statement->child_count);
            text_printf(p->out, " (choice %u %lld)", event->statement->id,
                        (long long)value_small_get(event->value));
        } else if (event->statement->kind == STATEMENT_HAVOC) {
            text_printf(p->out, " (havoc %u ", event->statement->id);
            print_value_term(p, event->statement->variable->sort, event->value);
            text_add_char(p->out, ')');
        }
    }
    text_add_char(p->out, ')');
}

static void print_step(struct trace_printer *p, const struct trace_step *step)
{
    if (step->edge != NULL) {
        assert(p->trace->model->edges[step->edge->id] == step->edge && "a step of this model");
        text_printf(p->out, "(set-info :step ((edge %u ", step->edge->id);
        print_string(p->out, step->edge->label);
        text_add(p->out, ")");
    } else {
        text_add(p->out, "(set-info :initial (");
    }
    print_decisions(p, step);
    text_add(p->out, "\n  (state");
    print_state(p, step->state);
    text_add(p->out, ")))\n");
}

static void print_divisions(struct trace_printer *p)
{
    const struct trace *trace = p->trace;
    if (trace->division_count == 0)
        return;
    text_add(p->out, "(set-info :divisions-by-zero (");
    for (size_t i = 0; i < trace->division_count; i++) {
        const struct trace_division *d = &trace->divisions[i];
        assert(d->kind == TERM_DIV || d->kind == TERM_MOD || d->kind == TERM_REM);
        const char *name = d->kind == TERM_DIV ? "div" : d->kind == TERM_MOD ? "mod" : "rem";
        text_printf(p->out, i == 0 ? "(%s " : " (%s ", name);
        print_sort(p->out, d->sort, PRINT_SMTLIB);
        text_add_char(p->out, ' ');
        print_value_term(p, d->sort, d->dividend);
        text_add_char(p->out, ' ');
        print_value_term(p, d->sort, d->result);
        text_add_char(p->out, ')');
    }
    text_add(p->out, "))\n");
}

void certificate_print_trace(struct text *out, const struct trace *trace)
{
    assert(trace->model->source == NULL && "certificates speak of the source");
    assert(trace->initial.state != NULL && "only a run that was replayed has states");
    assert(trace_location_at(trace, trace->step_count) == trace->model->error);
    struct trace_printer p = {out, trace, term_store_create(trace->store)};
    print_sorts(out, trace->model, p.store);
    text_add(out, "(set-info :start (");
    print_state(&p, trace->start);
    text_add(out, "))\n");
    if (trace->skips)
        text_add(out, "(set-info :rounds-left-out true)\n");
    print_divisions(&p);
    print_step(&p, &trace->initial);
    for (size_t i = 0; i < trace->step_count; i++)
        print_step(&p, &trace->steps[i]);
    term_store_destroy(p.store);
}
