#include "languages/aiger/aiger.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ensure.h"
#include "base/memory.h"
#include "base/vector.h"
#include "model/trace.h"

static const struct dialect dialect = {
    .name = "aiger", .terms = PRINT_CFA, .print_witness = trace_print_aiger};

// Latches become Boolean variables, inputs too; an input is arbitrary at the start and after each step, so that
// the property and the step look at the same one. Gates become shared terms.
//
//   step:  assume constraints; next_i := …; latch_i := next_i; havoc inputs
//   error: assume constraints and bad

struct builder {
    const struct aiger *a;
    struct messages *messages;
    const char *path;
    struct model_builder *model;
    struct term_store *store;
    const struct variable **inputs, **latches, **next;
    const struct term **value; // per variable, NULL = not made yet
};

static const struct variable *make_variable(struct builder *b, const char *given, const char *stem,
                                            uint32_t number, uint32_t flags)
{
    char name[32];
    struct position at = {b->path, 0, 0};
    const struct sort *sort = sort_bool(b->store);
    const struct variable *v =
        given != NULL && *given ? model_builder_variable(b->model, given, sort, flags, at) : NULL;
    if (v != NULL)
        return v;
    snprintf(name, sizeof name, "%s%u", stem, number);
    v = model_builder_variable(b->model, name, sort, flags, at);
    return v != NULL ? v : model_builder_fresh(b->model, name, sort, flags, at);
}

static void make_variables(struct builder *b)
{
    const struct aiger *a = b->a;
    for (uint32_t i = 0; i < a->input_count; i++) {
        assert(a->variables[a->inputs[i].literal / 2].kind == AIGER_INPUT);
        b->inputs[i] = make_variable(b, a->input_names[i], "i", i, VARIABLE_INPUT);
        b->value[a->inputs[i].literal / 2] = b->inputs[i]->term;
    }
    for (uint32_t i = 0; i < a->latch_count; i++) {
        assert(a->variables[a->latches[i].literal / 2].kind == AIGER_LATCH);
        b->latches[i] = make_variable(b, a->latch_names[i], "l", i, 0);
        b->value[a->latches[i].literal / 2] = b->latches[i]->term;
    }
    for (uint32_t i = 0; i < a->latch_count; i++)
        b->next[i] = make_variable(b, NULL, "l'", i, VARIABLE_LOCAL);
}

static const struct term *literal(struct builder *b, uint32_t l)
{
    const struct term *t = b->value[l / 2];
    return l & 1 ? term_not(b->store, t) : t;
}

// Makes the gate's term after those it reads; depth first, with a stack of its own. `open` gates wait for
// their arguments: meeting one again is a cycle.
static bool make_gate(struct builder *b, uint32_t root, uint8_t *open)
{
    VECTOR(uint32_t) todo = {0};
    bool good = true;
    VECTOR_PUSH(&todo, root);
    while (todo.count && good) {
        uint32_t v = VECTOR_LAST(&todo);
        const struct aiger_variable *x = &b->a->variables[v];
        uint32_t arguments[2] = {x->left / 2, x->right / 2};
        bool ready = true;
        if (b->value[v] != NULL) {
            todo.count--;
            continue;
        }
        for (unsigned i = 0; i < 2 && good; i++) {
            if (b->value[arguments[i]] != NULL)
                continue;
            ready = false;
            good = !open[arguments[i]] && arguments[i] != v;
            VECTOR_PUSH(&todo, arguments[i]);
        }
        open[v] = 1;
        assert(x->kind == AIGER_AND); // all others have their terms from the start
        if (ready) {
            b->value[v] = term_and2(b->store, literal(b, x->left), literal(b, x->right));
            todo.count--;
        }
    }
    if (!good)
        message_add(b->messages, MESSAGE_ERROR, (struct position){b->path, 0, 0},
                    "found a cycle of gates through %u, expected none", 2 * root);
    VECTOR_FINISH(&todo);
    return good;
}

static bool make_gates(struct builder *b)
{
    uint8_t *open = memory_zalloc((size_t)b->a->greatest + 1);
    bool good = true;
    b->value[0] = term_false(b->store);
    for (uint32_t v = 1; v <= b->a->greatest && good; v++)
        if (b->a->variables[v].kind == AIGER_AND && b->value[v] == NULL)
            good = make_gate(b, v, open);
    memory_free(open);
    return good;
}

struct statements {
    struct statement **data;
    size_t count, capacity;
};

static struct statement *finish_sequence(struct builder *b, struct statements *list)
{
    struct position at = {b->path, 0, 0};
    struct statement *s = model_sequence(b->model, list->data, list->count, at);
    VECTOR_FINISH(list);
    return s;
}

static const struct term *constraints(struct builder *b)
{
    const struct term *all = term_true(b->store);
    for (uint32_t i = 0; i < b->a->constraint_count; i++)
        all = term_and2(b->store, all, literal(b, b->a->constraints[i].literal));
    return all;
}

static struct statement *make_start(struct builder *b)
{
    struct statements list = {0};
    struct position at = {b->path, 0, 0};
    for (uint32_t i = 0; i < b->a->latch_count; i++) {
        uint32_t reset = b->a->variables[b->a->latches[i].literal / 2].right;
        // What is neither 0 nor 1 leaves the latch arbitrary: its own literal alone may say that.
        ENSURE(reset <= 1 || reset == b->a->latches[i].literal);
        if (reset <= 1)
            VECTOR_PUSH(&list,
                        model_assign(b->model, b->latches[i], term_bool(b->store, reset), at));
    }
    return finish_sequence(b, &list);
}

static struct statement *make_step(struct builder *b)
{
    struct statements list = {0};
    struct position at = {b->path, 0, 0};
    if (b->a->constraint_count)
        VECTOR_PUSH(&list, model_assume(b->model, constraints(b), at));
    for (uint32_t i = 0; i < b->a->latch_count; i++) {
        uint32_t next = b->a->variables[b->a->latches[i].literal / 2].left;
        VECTOR_PUSH(&list, model_assign(b->model, b->next[i], literal(b, next), at));
    }
    for (uint32_t i = 0; i < b->a->latch_count; i++)
        VECTOR_PUSH(&list, model_assign(b->model, b->latches[i], b->next[i]->term, at));
    for (uint32_t i = 0; i < b->a->input_count; i++)
        VECTOR_PUSH(&list, model_havoc(b->model, b->inputs[i], at));
    return finish_sequence(b, &list);
}

// Which bad signal is asked for; NULL with a message.
static const struct aiger_literal *choose_bad(struct builder *b,
                                              const struct language_request *request)
{
    const struct aiger *a = b->a;
    const struct aiger_literal *list = a->bad_count ? a->bads : a->outputs;
    uint32_t count = a->bad_count ? a->bad_count : a->output_count;
    struct position at = {b->path, 1, 0};
    unsigned long index = 0;
    static const struct aiger_literal never = {0};
    if (count == 0 && request->property_at == PROPERTY_AT_NONE)
        return &never;
    if (count == 0) {
        message_add(b->messages, MESSAGE_ERROR, at,
                    "found no bad signal and no output, expected a property");
        return NULL;
    }
    if (request->property_text != NULL) {
        char *end;
        index = strtoul(request->property_text, &end, 10);
        if (end == request->property_text || *end != '\0' || request->property_text[0] == '-' ||
            index >= count) {
            message_add(b->messages, MESSAGE_ERROR, (struct position){request->property_path, 0, 0},
                        "found `%.40s`, expected the number of a bad signal, 0 to %u",
                        request->property_text, count - 1);
            return NULL;
        }
    } else if (count > 1) {
        message_add(b->messages, MESSAGE_NOTE, at,
                    "the circuit has %u bad signals, the first one is used", count);
    }
    model_builder_bad_number(b->model, (uint32_t)index);
    return &list[index];
}

static void make_edges(struct builder *b, const struct aiger_literal *bad)
{
    struct position at = {b->path, 0, 0}, bad_at = {b->path, bad->at.line, bad->at.column};
    struct location *step = model_builder_location(b->model, "step", PHASE_NONE, true);
    struct location *error = model_builder_location(b->model, "error", PHASE_NONE, true);
    const struct term *is_bad = literal(b, bad->literal);
    model_builder_edge(b->model, step, step, make_step(b), "step", at);
    model_builder_edge(b->model, step, error,
                       model_assume(b->model, term_and2(b->store, constraints(b), is_bad), bad_at),
                       "bad", bad_at);
    model_builder_initial(b->model, step, make_start(b));
    model_builder_error(b->model, error);
    model_builder_property(b->model, term_not(b->store, is_bad));
}

static struct model *build(struct builder *b, const struct language_request *request)
{
    const struct aiger *a = b->a;
    struct model *model = NULL;
    b->inputs = memory_zalloc(((size_t)a->input_count + 1) * sizeof *b->inputs);
    b->latches = memory_zalloc(((size_t)a->latch_count + 1) * sizeof *b->latches);
    b->next = memory_zalloc(((size_t)a->latch_count + 1) * sizeof *b->next);
    b->value = memory_zalloc(((size_t)a->greatest + 1) * sizeof *b->value);
    b->model = model_builder_create(&dialect, b->path, NULL);
    b->store = model_builder_store(b->model);
    make_variables(b);
    const struct aiger_literal *bad = choose_bad(b, request);
    if (make_gates(b) && bad != NULL) {
        make_edges(b, bad);
        model = model_builder_finish(b->model);
    } else {
        model_builder_destroy(b->model);
    }
    memory_free(b->inputs);
    memory_free(b->latches);
    memory_free(b->next);
    memory_free(b->value);
    return model;
}

static struct model *read_aiger(const struct language_request *request, struct messages *messages)
{
    struct builder b = {.a = (const struct aiger *)request->source,
                        .messages = messages,
                        .path = request->model_path};
    return build(&b, request);
}

// Bad signals when there are some, else outputs.
static void name_questions(const struct language_request *request, struct language_questions *out,
                           struct messages *messages)
{
    (void)messages;
    const struct aiger *a = (const struct aiger *)request->source;
    uint32_t count = a->bad_count != 0 ? a->bad_count : a->output_count;
    if (request->property_text != NULL || count < 2)
        return;
    for (uint32_t i = 0; i < count; i++) {
        char name[24], property[24];
        snprintf(name, sizeof name, "%c%u", a->bad_count != 0 ? 'b' : 'o', i);
        snprintf(property, sizeof property, "%u", i);
        language_questions_add(out, name, property);
    }
}

const struct language language_aiger = {
    .name = "aiger",
    .extension = ".aag",
    .description = "and-inverter graphs, ASCII (AIGER 1.9)",
    .parse = aiger_parse,
    .read = read_aiger,
    .questions = name_questions,
};

const struct language language_aiger_binary = {
    .name = "aiger-binary",
    .extension = ".aig",
    .description = "and-inverter graphs, binary (AIGER 1.9)",
    .parse = aiger_parse,
    .read = read_aiger,
    .questions = name_questions,
};
