#include <assert.h>
#include <string.h>

#include "languages/charts/gamma_inside.h"

// Arrays and records, as one variable for each scalar in them. An index that is not known when the chart is read becomes a
// choice of elements; what lies outside an array has no value, so runs that go there are no runs of the chart.

#define LEAF_LIMIT 4096

struct step {
    const struct token *at;
    const struct chart_expression *index; // or
    const char *field;
};
struct steps {
    struct step *data;
    uint32_t count;
};

// ---- shapes ------------------------------------------------------------------------------------

static struct gamma_shape *make_shape(struct gamma_reader *reader)
{
    return arena_zalloc(&reader->arena, sizeof(struct gamma_shape));
}

static bool too_large(struct gamma_reader *reader, const struct token *at, uint64_t leaves)
{
    if (leaves > 0 && leaves <= LEAF_LIMIT)
        return false;
    lexer_not_supported(reader->lexer, at, "a type with %s",
                        leaves == 0 ? "nothing in it" : "so many elements");
    return true;
}

static const struct gamma_shape *read_array(struct gamma_reader *reader, const struct token *at)
{
    int64_t size;
    const struct chart_expression *count = gamma_expression(reader, &CHART_TYPE_INT, "a size");
    if (count == NULL || !gamma_expect(reader, "]"))
        return NULL;
    const struct gamma_shape *element = gamma_shape(reader);
    if (element == NULL)
        return NULL;
    if (!chart_constant(count, &size) || size < 0 || size > LEAF_LIMIT) {
        lexer_not_supported(reader->lexer, at, "an array of this size");
        return NULL;
    }
    if (too_large(reader, at, (uint64_t)size * element->leaves))
        return NULL;
    struct gamma_shape *shape = make_shape(reader);
    shape->element = element;
    shape->count = (uint32_t)size;
    shape->leaves = shape->count * element->leaves;
    return shape;
}

static const struct gamma_shape *read_record(struct gamma_reader *reader, const struct token *at)
{
    struct gamma_shape *shape = make_shape(reader);
    uint32_t elements = 0;
    if (!gamma_expect(reader, "{"))
        return NULL;
    do {
        const struct token *name = gamma_name(reader, "a field");
        if (name == NULL || !gamma_expect(reader, ":"))
            return NULL;
        const struct gamma_shape *field = gamma_shape(reader);
        if (field == NULL)
            return NULL;
        CHART_APPEND(&reader->arena, shape->fields, shape->count,
                     chart_token_text(reader->chart, name));
        CHART_APPEND(&reader->arena, shape->elements, elements, field);
        shape->leaves += field->leaves;
    } while (gamma_accept(reader, ","));
    if (too_large(reader, at, shape->leaves) || !gamma_expect(reader, "}"))
        return NULL;
    return shape;
}

const struct gamma_shape *gamma_shape(struct gamma_reader *reader)
{
    const struct token *at = lexer_token(reader->lexer);
    if (lexer_accept(reader->lexer, CHART_TOKEN_OPEN_SQUARE) != NULL)
        return read_array(reader, at);
    if (gamma_accept(reader, "record"))
        return read_record(reader, at);
    const struct gamma_declaration *named =
        at->kind == TOKEN_NAME
            ? chart_names_find(&reader->declarations, chart_token_text(reader->chart, at))
            : NULL;
    if (named != NULL && named->kind == GAMMA_TYPE && named->shape != NULL) {
        lexer_next(reader->lexer);
        return named->shape;
    }
    const struct chart_type *scalar = gamma_type(reader);
    if (scalar == NULL)
        return NULL;
    struct gamma_shape *shape = make_shape(reader);
    shape->scalar = scalar;
    shape->leaves = 1;
    return shape;
}

static const struct gamma_shape *part_shape(const struct gamma_shape *shape, uint32_t part)
{
    assert(part < shape->count);
    return shape->element != NULL ? shape->element : shape->elements[part];
}

struct gamma_store *gamma_store_create(struct gamma_reader *reader, const struct gamma_shape *shape,
                                       const char *prefix, const char *name, struct position at)
{
    struct gamma_store *store = arena_zalloc(&reader->arena, sizeof *store);
    assert(shape->leaves > 0 && shape->leaves <= LEAF_LIMIT);
    store->shape = shape;
    if (shape->scalar != NULL) {
        store->leaf =
            chart_add_variable(reader->chart, chart_text(reader->chart, "%s%s", prefix, name),
                               shape->scalar, CHART_DATA, at);
        return store;
    }
    store->parts = arena_zalloc(&reader->arena, shape->count * sizeof *store->parts);
    for (uint32_t i = 0; i < shape->count; i++) {
        const char *part = shape->element != NULL
                               ? chart_text(reader->chart, "%s[%u]", name, i)
                               : chart_text(reader->chart, "%s.%s", name, shape->fields[i]);
        store->parts[i] = gamma_store_create(reader, part_shape(shape, i), prefix, part, at);
    }
    return store;
}

// ---- access ------------------------------------------------------------------------------------

static const struct chart_expression *outside(struct gamma_reader *reader)
{
    struct chart *chart = reader->chart;
    struct position nowhere = {chart->path, 0, 0};
    if (reader->outside == NULL) {
        reader->outside =
            chart_add_variable(chart, "outside an array", &CHART_TYPE_INT, CHART_DATA, nowhere);
        reader->outside->set =
            chart_add_variable(chart, "inside", &CHART_TYPE_BOOL, CHART_DATA, nowhere);
        reader->outside->scratch = reader->outside->set->scratch = true;
    }
    return chart_read(chart, reader->outside);
}

// The same as `value`, read after something outside an array: of its type, without a value.
static const struct chart_expression *no_value(struct gamma_reader *reader,
                                               const struct chart_type *type)
{
    struct chart *chart = reader->chart;
    const struct chart_expression *read = outside(reader);
    struct chart_expression *made =
        chart_make(chart, CHART_IF, type, (struct position){chart->path, 0, 0});
    made->child[0] =
        chart_binary(chart, CHART_EQUAL, read, chart_literal(chart, &CHART_TYPE_INT, 0));
    made->child[1] = made->child[2] = chart_literal(chart, type, 0);
    return made;
}

static bool read_steps(struct gamma_reader *reader, struct steps *steps)
{
    for (;;) {
        struct step step = {lexer_token(reader->lexer), NULL, NULL};
        if (lexer_accept(reader->lexer, CHART_TOKEN_OPEN_SQUARE) != NULL) {
            step.index = gamma_expression(reader, &CHART_TYPE_INT, "an index");
            if (step.index == NULL || !gamma_expect(reader, "]"))
                return false;
        } else if (lexer_accept(reader->lexer, CHART_TOKEN_DOT) != NULL) {
            const struct token *field = gamma_name(reader, "a field");
            if (field == NULL)
                return false;
            step.field = chart_token_text(reader->chart, field);
        } else {
            return true;
        }
        CHART_APPEND(&reader->arena, steps->data, steps->count, step);
    }
}

// The part that a step leads to when that is known: *part. False: an index that depends on the state. *wrong: a message was
// given.
static bool known_part(struct gamma_reader *reader, const struct gamma_store *store,
                       const struct step *step, uint32_t *part, bool *wrong)
{
    *wrong = false;
    if (step->field != NULL && store->shape->fields != NULL) {
        for (*part = 0; *part < store->shape->count; ++*part) {
            if (strcmp(store->shape->fields[*part], step->field) == 0)
                return true;
        }
    }
    bool fits = step->index != NULL && store->shape->element != NULL;
    if (fits && step->index->op == CHART_LITERAL) {
        *part = (uint32_t)step->index->value;
        if (step->index->value >= 0 && step->index->value < store->shape->count)
            return true;
        fits = false;
    }
    if (!fits) {
        lexer_error(reader->lexer, step->at, "found no such part, expected one of %u %s",
                    store->shape->count,
                    store->shape->element != NULL  ? "elements"
                    : store->shape->fields != NULL ? "fields"
                                                   : "parts");
        *wrong = true;
    }
    return !fits;
}

static const struct chart_expression *index_is(struct gamma_reader *reader, const struct step *step,
                                               uint32_t part)
{
    return chart_binary(reader->chart, CHART_EQUAL, step->index,
                        chart_literal(reader->chart, &CHART_TYPE_INT, part));
}

static const struct chart_expression *read_part(struct gamma_reader *reader,
                                                const struct gamma_store *store,
                                                const struct steps *steps, uint32_t number,
                                                const struct token *at)
{
    struct chart *chart = reader->chart;
    if (number == steps->count && store->leaf != NULL)
        return chart_read(chart, store->leaf);
    if (number == steps->count) {
        lexer_not_supported(reader->lexer, at, "a whole array or record in an expression");
        return NULL;
    }
    const struct step *step = &steps->data[number];
    uint32_t part;
    bool wrong;
    if (known_part(reader, store, step, &part, &wrong))
        return wrong ? NULL : read_part(reader, store->parts[part], steps, number + 1, at);
    const struct chart_expression *rest = NULL;
    for (part = store->shape->count; part-- > 0;) {
        const struct chart_expression *inside =
            read_part(reader, store->parts[part], steps, number + 1, at);
        if (inside == NULL)
            return NULL;
        struct chart_expression *choice =
            chart_make(chart, CHART_IF, inside->type, lexer_position(reader->lexer, at));
        choice->child[0] = index_is(reader, step, part);
        choice->child[1] = inside;
        choice->child[2] = rest != NULL ? rest : no_value(reader, inside->type);
        choice->depth = choice->child[2]->depth + 1;
        rest = choice;
    }
    return rest;
}

const struct chart_expression *gamma_store_read(struct gamma_reader *reader,
                                                const struct gamma_store *store)
{
    const struct token *at = lexer_token(reader->lexer);
    struct steps steps = {0};
    return read_steps(reader, &steps) ? read_part(reader, store, &steps, 0, at) : NULL;
}

// ---- values of the whole -----------------------------------------------------------------------

struct values {
    const struct chart_expression **data;
    uint32_t count;
};

static bool copy_of(struct gamma_reader *reader, const struct gamma_store *from,
                    struct values *values)
{
    if (from->leaf != NULL) {
        CHART_APPEND(&reader->arena, values->data, values->count,
                     chart_read(reader->chart, from->leaf));
        return true;
    }
    for (uint32_t i = 0; i < from->shape->count; i++)
        copy_of(reader, from->parts[i], values);
    return true;
}

static bool read_value(struct gamma_reader *reader, const struct gamma_shape *shape,
                       struct values *values);

static bool same_shape(const struct gamma_shape *a, const struct gamma_shape *b)
{
    if (a->scalar != b->scalar || a->count != b->count ||
        (a->element == NULL) != (b->element == NULL))
        return false;
    for (uint32_t i = 0; a->scalar == NULL && i < (a->element != NULL ? 1 : a->count); i++) {
        if (!same_shape(part_shape(a, i), part_shape(b, i)))
            return false;
    }
    return true;
}

// #[ V, V, … ], in older models [ V, V, … ]
static bool read_elements(struct gamma_reader *reader, const struct gamma_shape *shape,
                          const struct token *at, struct values *values)
{
    uint32_t number = 0;
    do {
        if (number < shape->count && !read_value(reader, part_shape(shape, number), values))
            return false;
        number++;
    } while (number <= shape->count && gamma_accept(reader, ","));
    if (number == shape->count)
        return gamma_expect(reader, "]");
    lexer_error(reader->lexer, at, "found not as many values as the array has elements, %u",
                shape->count);
    return false;
}

// #TYPE { field := V, … }
static bool read_fields(struct gamma_reader *reader, const struct gamma_shape *shape,
                        struct values *values)
{
    if (gamma_name(reader, "a type") == NULL || !gamma_expect(reader, "{"))
        return false;
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct token *field = gamma_name(reader, "a field");
        if (field == NULL)
            return false;
        if (strcmp(chart_token_text(reader->chart, field), shape->fields[i]) != 0) {
            lexer_not_supported(reader->lexer, field,
                                "fields in another order than that of their type");
            return false;
        }
        if (!gamma_expect(reader, ":=") || !read_value(reader, shape->elements[i], values) ||
            (i + 1 < shape->count && !gamma_expect(reader, ",")))
            return false;
    }
    return gamma_expect(reader, "}");
}

static bool read_value(struct gamma_reader *reader, const struct gamma_shape *shape,
                       struct values *values)
{
    const struct token *at = lexer_token(reader->lexer);
    if (shape->scalar != NULL) {
        const struct chart_expression *value = gamma_expression(reader, shape->scalar, "a value");
        if (value != NULL)
            CHART_APPEND(&reader->arena, values->data, values->count, value);
        return value != NULL;
    }
    bool older = shape->element != NULL && lexer_at(reader->lexer, CHART_TOKEN_OPEN_SQUARE);
    if (older || lexer_accept(reader->lexer, CHART_TOKEN_HASH) != NULL) {
        if (shape->element != NULL)
            return gamma_expect(reader, "[") && read_elements(reader, shape, at, values);
        return read_fields(reader, shape, values);
    }
    const struct gamma_store *from =
        at->kind == TOKEN_NAME && reader->instance != NULL
            ? chart_names_find(&reader->instance->stores, chart_token_text(reader->chart, at))
            : NULL;
    int next = lexer_peek(reader->lexer, 1)->kind;
    bool part = next == CHART_TOKEN_DOT || next == CHART_TOKEN_OPEN_SQUARE;
    if (from == NULL || part || !same_shape(from->shape, shape)) {
        lexer_not_supported(
            reader->lexer, at,
            "a value of an array or record other than #[…], #TYPE {…} or a variable");
        return false;
    }
    lexer_next(reader->lexer);
    return copy_of(reader, from, values);
}

static struct chart_action *assign(struct gamma_reader *reader, struct chart_variable *variable,
                                   const struct chart_expression *value)
{
    struct chart_action *action = chart_add_action(reader->chart, CHART_ASSIGN, variable->source);
    action->variable = variable;
    action->expression = value;
    return action;
}

// Values are computed before any of them is stored.
static void put(struct gamma_reader *reader, const struct gamma_store *store,
                const struct values *values, uint32_t *next, const struct chart_action **list)
{
    if (store->leaf != NULL) {
        chart_append_actions(list, assign(reader, store->leaf, values->data[(*next)++]));
        return;
    }
    for (uint32_t i = 0; i < store->shape->count; i++)
        put(reader, store->parts[i], values, next, list);
}

const struct chart_action *gamma_store_set(struct gamma_reader *reader,
                                           const struct gamma_store *store)
{
    struct values values = {0};
    const struct chart_action *list = NULL;
    uint32_t next = 0;
    const struct token *at = lexer_token(reader->lexer);
    if (!read_value(reader, store->shape, &values) || gamma_failed(reader))
        return NULL;
    bool depends = false;
    for (uint32_t i = 0; i < values.count; i++)
        depends |= values.data[i]->op != CHART_LITERAL && values.data[i]->op != CHART_VARIABLE;
    if (depends && reader->in_block > 0) {
        lexer_not_supported(reader->lexer, at, "an array or record of computed values");
        return NULL;
    }
    put(reader, store, &values, &next, &list);
    return list;
}

// ---- assignment of a part ----------------------------------------------------------------------

static const struct chart_action *
write_part(struct gamma_reader *reader, const struct gamma_store *store, const struct steps *steps,
           uint32_t number, const struct chart_expression *value, const struct token *at)
{
    struct chart *chart = reader->chart;
    if (number == steps->count) {
        if (store->leaf != NULL && value->type == store->leaf->type)
            return assign(reader, store->leaf, value);
        lexer_not_supported(reader->lexer, at, "this assignment to a part");
        return NULL;
    }
    const struct step *step = &steps->data[number];
    uint32_t part;
    bool wrong;
    if (known_part(reader, store, step, &part, &wrong))
        return wrong ? NULL : write_part(reader, store->parts[part], steps, number + 1, value, at);
    // Outside: something without a value is read.
    const struct chart_expression *nothing = outside(reader);
    const struct chart_action *rest = assign(reader, reader->outside, nothing);
    for (part = store->shape->count; part-- > 0 && !gamma_failed(reader);) {
        struct chart_action *branch =
            chart_add_action(chart, CHART_BRANCH, lexer_position(reader->lexer, at));
        branch->expression = index_is(reader, step, part);
        branch->then = write_part(reader, store->parts[part], steps, number + 1, value, at);
        branch->otherwise = rest;
        rest = branch;
    }
    return rest;
}

const struct chart_action *gamma_store_assign(struct gamma_reader *reader,
                                              const struct gamma_store *store)
{
    const struct token *at = lexer_token(reader->lexer);
    struct steps steps = {0};
    if (!read_steps(reader, &steps) || !gamma_expect(reader, ":="))
        return NULL;
    if (steps.count == 0)
        return gamma_store_set(reader, store);
    const struct chart_expression *value = gamma_expression(reader, NULL, "a value");
    return value == NULL ? NULL : write_part(reader, store, &steps, 0, value, at);
}
