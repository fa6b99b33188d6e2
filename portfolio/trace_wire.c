#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "portfolio/wire.h"

// Traces as bytes.

enum value_form { FORM_UNKNOWN, FORM_SMALL, FORM_TEXT, FORM_ARRAY };

static void put_value(struct text *out, struct value value)
{
    if (!value_known(value)) {
        wire_put(out, FORM_UNKNOWN);
        return;
    }
    if (value_is_small(value)) {
        wire_put(out, FORM_SMALL);
        wire_put(out, (uint64_t)value_small_get(value));
        return;
    }
    const struct term *literal = value_pointer_get(value);
    assert(term_is_literal(literal));
    if (literal->kind != TERM_ARRAY) {
        wire_put(out, FORM_TEXT);
        wire_put_bytes(out, literal->u.text, strlen(literal->u.text));
        return;
    }
    wire_put(out, FORM_ARRAY);
    wire_put(out, literal->child_count);
    for (uint32_t i = 0; i < literal->child_count; i++)
        put_value(out, term_value(literal->child[i]));
}

static bool is_number(const char *text)
{
    text += *text == '-';
    return *text && text[strspn(text, "0123456789")] == '\0';
}

static const struct term *number_literal(struct term_store *store, const struct sort *sort,
                                         char *text)
{
    char *slash = strchr(text, '/');
    if (slash != NULL)
        *slash = '\0';
    if (!is_number(text) || (slash != NULL && !is_number(slash + 1)) ||
        (slash == NULL) != (sort->kind != SORT_RAT))
        return NULL;
    switch (sort->kind) {
    case SORT_INT:
        return term_int_text(store, text);
    case SORT_RAT:
        return slash[1] == '-' || strspn(slash + 1, "0") == strlen(slash + 1)
                   ? NULL
                   : term_rat_text(store, text, slash + 1);
    case SORT_BV:
        return text[0] == '-' ? NULL : term_bv_text(store, sort->width, text);
    default:
        return NULL;
    }
}

static bool small_fits(const struct sort *sort, int64_t n)
{
    switch (sort->kind) {
    case SORT_BOOL:
        return n == 0 || n == 1;
    case SORT_INT:
        return n >= VALUE_SMALL_MIN && n <= VALUE_SMALL_MAX;
    case SORT_BV:
        return n >= 0 && sort->width <= VALUE_BV_SMALL_WIDTH && n >> sort->width == 0;
    case SORT_ENUM:
        return n >= 0 && n < (int64_t)sort->literal_count;
    default:
        return false;
    }
}

static const struct term *get_literal(struct wire_reader *in, struct term_store *store,
                                      const struct sort *sort);

static const struct term *get_array(struct wire_reader *in, struct term_store *store,
                                    const struct sort *sort)
{
    uint64_t count = wire_get(in);
    if (in->failed || sort->kind != SORT_ARRAY || count % 2 == 0 ||
        count > (uint64_t)(in->end - in->next))
        return NULL;
    const struct term **parts = memory_alloc((size_t)count * sizeof(*parts));
    bool good = true;
    for (uint64_t i = 0; good && i < count; i++) {
        parts[i] = get_literal(in, store, i % 2 == 1 ? sort->key : sort->element);
        good = parts[i] != NULL;
    }
    const struct term *array =
        good ? term_array(store, sort, parts[0], parts + 1, (size_t)(count / 2)) : NULL;
    memory_free(parts);
    return array;
}

static const struct term *get_known(struct wire_reader *in, uint64_t form, struct term_store *store,
                                    const struct sort *sort)
{
    if (form == FORM_SMALL) {
        int64_t n = (int64_t)wire_get(in);
        return !in->failed && small_fits(sort, n) ? term_of_value(store, sort, value_small(n))
                                                  : NULL;
    }
    if (form == FORM_ARRAY)
        return get_array(in, store, sort);
    if (form != FORM_TEXT)
        return NULL;
    char *text = wire_get_string(in);
    const struct term *literal = in->failed ? NULL : number_literal(store, sort, text);
    memory_free(text);
    return literal;
}

static const struct term *get_literal(struct wire_reader *in, struct term_store *store,
                                      const struct sort *sort)
{
    const struct term *literal = get_known(in, wire_get(in), store, sort);
    in->failed |= literal == NULL;
    return literal;
}

static struct value get_value(struct wire_reader *in, struct term_store *store,
                              const struct sort *sort)
{
    uint64_t form = wire_get(in);
    if (form == FORM_UNKNOWN)
        return VALUE_UNKNOWN;
    const struct term *literal = get_known(in, form, store, sort);
    in->failed |= literal == NULL;
    return literal != NULL ? term_value(literal) : VALUE_UNKNOWN;
}

// Sorts of divisions: numbers or bit-vectors.

static const struct sort *get_sort(struct wire_reader *in, struct term_store *store)
{
    uint64_t kind = wire_get(in), width = wire_get(in);
    if (kind == SORT_INT)
        return sort_int(store);
    if (kind == SORT_RAT)
        return sort_rat(store);
    if (kind == SORT_BV && width >= 1 && width <= UINT32_MAX)
        return sort_bv(store, (uint32_t)width);
    in->failed = true;
    return NULL;
}

// Steps.

static void put_hints(struct text *out, const struct trace_step *step)
{
    wire_put(out, step->hint_count);
    for (size_t i = 0; i < step->hint_count; i++) {
        wire_put(out, step->hints[i].statement->id);
        put_value(out, step->hints[i].value);
    }
}

static void index_statement(const struct statement **statements, const struct statement *s)
{
    assert(statements[s->id] == NULL && "numbers are the statements' own");
    statements[s->id] = s;
    for (uint32_t i = 0; i < s->child_count; i++)
        index_statement(statements, s->child[i]);
}

// By id.
static const struct statement **index_statements(const struct model *model)
{
    const struct statement **statements =
        memory_zalloc((model->statement_count + 1) * sizeof(*statements));
    index_statement(statements, model->initial_action);
    for (uint32_t i = 0; i < model->edge_count; i++)
        index_statement(statements, model->edges[i]->action);
    return statements;
}

static void get_hint(struct wire_reader *in, struct trace *trace, struct trace_step *step,
                     const struct statement *const *statements)
{
    uint64_t id = wire_get(in);
    const struct statement *s = id < trace->model->statement_count ? statements[id] : NULL;
    if (s != NULL && s->kind == STATEMENT_HAVOC) {
        struct value value = get_value(in, trace->store, s->variable->sort);
        if (!in->failed)
            trace_add_hint(trace, step, s, s->variable->sort, value);
    } else if (s != NULL && s->kind == STATEMENT_CHOICE && wire_get(in) == FORM_SMALL) {
        uint64_t branch = wire_get(in);
        in->failed |= branch >= s->child_count;
        if (!in->failed)
            trace_add_hint(trace, step, s, NULL, value_small((int64_t)branch));
    } else {
        in->failed = true;
    }
}

static void get_hints(struct wire_reader *in, struct trace *trace, struct trace_step *step,
                      const struct statement *const *statements)
{
    for (uint64_t left = wire_get(in); left > 0 && !in->failed; left--)
        get_hint(in, trace, step, statements);
}

void wire_put_trace(struct text *out, const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->model->variable_count; i++)
        put_value(out, trace->start[i]);
    put_hints(out, &trace->initial);
    wire_put(out, trace->skips);
    wire_put(out, trace->step_count);
    for (size_t i = 0; i < trace->step_count; i++) {
        assert(trace->model->edges[trace->steps[i].edge->id] == trace->steps[i].edge);
        wire_put(out, trace->steps[i].edge->id);
        put_hints(out, &trace->steps[i]);
    }
    wire_put(out, trace->division_count);
    for (size_t i = 0; i < trace->division_count; i++) {
        const struct trace_division *d = &trace->divisions[i];
        assert(d->sort->kind == SORT_INT || d->sort->kind == SORT_RAT || d->sort->kind == SORT_BV);
        wire_put(out, (uint64_t)d->kind);
        wire_put(out, (uint64_t)d->sort->kind);
        wire_put(out, d->sort->width);
        put_value(out, d->dividend);
        put_value(out, d->result);
    }
}

static void get_divisions(struct wire_reader *in, struct trace *trace)
{
    for (uint64_t left = wire_get(in); left > 0 && !in->failed; left--) {
        uint64_t kind = wire_get(in);
        const struct sort *sort = get_sort(in, trace->store);
        in->failed |= kind != TERM_DIV && kind != TERM_MOD && kind != TERM_REM;
        if (in->failed)
            return;
        struct value dividend = get_value(in, trace->store, sort);
        struct value result = get_value(in, trace->store, sort);
        if (!in->failed)
            trace_add_division(trace, (enum term_kind)kind, sort, dividend, result);
    }
}

struct trace *wire_get_trace(struct wire_reader *in, const struct model *model)
{
    const struct statement **statements = index_statements(model);
    struct trace *trace = trace_create(model);
    for (uint32_t i = 0; i < model->variable_count; i++)
        trace->start[i] = get_value(in, trace->store, model->variables[i]->sort);
    get_hints(in, trace, &trace->initial, statements);
    trace->skips = wire_get(in) != 0;
    for (uint64_t left = wire_get(in); left > 0 && !in->failed; left--) {
        uint64_t edge = wire_get(in);
        in->failed |= edge >= model->edge_count;
        if (!in->failed)
            get_hints(in, trace, trace_add_step(trace, model->edges[edge]), statements);
    }
    get_divisions(in, trace);
    memory_free(statements);
    if (!in->failed)
        return trace;
    trace_destroy(trace);
    return NULL;
}
