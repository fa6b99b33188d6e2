#include <gmp.h>

#include "base/memory.h"
#include "model/trace.h"

// Witnesses of circuits. AIGER (Biere, Heljanko, Wieringa 2011): a header, the latches at the start, a line of
// inputs for each frame. BTOR2 (Niemetz, Preiner, Wolf, Biere 2018): a header, and for each frame what the circuit
// leaves open: #k the states that have no value from `init` (frame 0) or `next` (later ones), @k the inputs, each by
// its number among the states or inputs. The front ends make variables in the order of the file, and havoc inputs at
// the end of a step, so that the state before step k + 1 holds all that frame k is given. The last step only tests
// the property and is no frame.

static const struct value *frame(const struct trace *trace, size_t k)
{
    return trace_step_at(trace, k)->state;
}

static bool is_input(const struct variable *variable)
{
    return (variable->flags & VARIABLE_INPUT) != 0;
}

static bool is_state(const struct variable *variable)
{
    return (variable->flags & (VARIABLE_INPUT | VARIABLE_LOCAL)) == 0;
}

// Binary digits, highest first.
static void print_bits(struct text *out, const struct sort *sort, struct value value)
{
    uint32_t width = sort->kind == SORT_BOOL ? 1 : sort->width;
    if (value_is_small(value)) {
        uint64_t bits = (uint64_t)value_small_get(value);
        for (uint32_t i = width; i-- > 0;)
            text_add_char(out, i < 64 && (bits >> i & 1) != 0 ? '1' : '0');
        return;
    }
    mpz_t bits;
    mpz_init_set_str(bits, value_pointer_get(value)->u.text, 10);
    for (uint32_t i = width; i-- > 0;)
        text_add_char(out, mpz_tstbit(bits, i) ? '1' : '0');
    mpz_clear(bits);
}

// AIGER.

static void print_bit_line(struct text *out, const struct model *model, const struct value *state,
                           bool (*wanted)(const struct variable *))
{
    for (uint32_t v = 0; v < model->variable_count; v++)
        if (wanted(model->variables[v]))
            print_bits(out, model->variables[v]->sort, state[v]);
    text_add_char(out, '\n');
}

void trace_print_aiger(struct text *out, const struct trace *trace)
{
    const struct model *model = trace->model;
    text_printf(out, "1\nb%u\n", model->bad_number);
    print_bit_line(out, model, frame(trace, 0), is_state);
    for (size_t k = 0; k < trace->step_count; k++)
        print_bit_line(out, model, frame(trace, k), is_input);
    text_add(out, ".\n");
}

// BTOR2.

// Which variables statements of the kind change; by variable.
static void mark(const struct statement *statement, enum statement_kind kind, bool *marked)
{
    if (statement->kind == kind)
        marked[statement->variable->index] = true;
    for (uint32_t i = 0; i < statement->child_count; i++)
        mark(statement->child[i], kind, marked);
}

static void print_assignment(struct text *out, size_t number, const struct term *index,
                             const struct sort *sort, struct value value,
                             const struct variable *variable, size_t k)
{
    text_printf(out, "%zu ", number);
    if (index != NULL) {
        text_add_char(out, '[');
        print_bits(out, index->sort, term_value(index));
        text_add(out, "] ");
    }
    print_bits(out, sort, value);
    text_printf(out, " %s%s%zu\n", variable->name, is_input(variable) ? "@" : "#", k);
}

// Cells that are not mentioned are 0 to a simulator; another default is said with [*].
static void print_array(struct text *out, size_t number, const struct variable *variable,
                        const struct term *array, size_t k)
{
    const struct sort *element = array->sort->element;
    struct value rest = term_value(array->child[0]);
    if (!value_is_small(rest) || value_small_get(rest) != 0) {
        text_printf(out, "%zu [*] ", number);
        print_bits(out, element, rest);
        text_printf(out, " %s%s%zu\n", variable->name, is_input(variable) ? "@" : "#", k);
    }
    for (uint32_t i = 1; i + 1 < array->child_count; i += 2)
        print_assignment(out, number, array->child[i], element, term_value(array->child[i + 1]),
                         variable, k);
}

static void print_variable(struct text *out, size_t number, const struct variable *variable,
                           struct value value, size_t k)
{
    if (variable->sort->kind == SORT_ARRAY)
        print_array(out, number, variable, value_pointer_get(value), k);
    else
        print_assignment(out, number, NULL, variable->sort, value, variable, k);
}

// The variables of one kind that are given from outside in frame k.
static void print_part(struct text *out, const struct trace *trace, size_t k,
                       bool (*wanted)(const struct variable *), const bool *open)
{
    const struct model *model = trace->model;
    size_t number = 0;
    for (uint32_t v = 0; v < model->variable_count; v++) {
        if (!wanted(model->variables[v]))
            continue;
        if (open[v])
            print_variable(out, number, model->variables[v], frame(trace, k)[v], k);
        number++;
    }
}

void trace_print_btor2(struct text *out, const struct trace *trace)
{
    const struct model *model = trace->model;
    bool *first = memory_zalloc(model->variable_count + 1), *later;
    later = memory_zalloc(model->variable_count + 1);
    mark(model->initial_action, STATEMENT_ASSIGN, first);
    for (uint32_t v = 0; v < model->variable_count; v++)
        first[v] = !first[v];
    for (uint32_t i = 0; i < model->edge_count; i++)
        mark(model->edges[i]->action, STATEMENT_HAVOC, later);
    text_printf(out, "sat\nb%u\n", model->bad_number);
    for (size_t k = 0; k < trace->step_count; k++) {
        text_printf(out, "#%zu\n", k);
        print_part(out, trace, k, is_state, k == 0 ? first : later);
        text_printf(out, "@%zu\n", k);
        print_part(out, trace, k, is_input, k == 0 ? first : later);
    }
    text_add(out, ".\n");
    memory_free(first);
    memory_free(later);
}
