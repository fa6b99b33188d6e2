#include "tests/oracle.h"

#include "base/memory.h"
#include "base/random.h"

// Random models. Integers stay small: what is assigned is taken modulo a small number, and a havoc
// is followed by the assumption of a range.

#define MAX_VARIABLES 4
#define MAX_DEPTH 3

struct maker {
    struct random random;
    struct model_builder *builder;
    struct term_store *store;
    const struct sort *color, *bits;
    const struct variable *variable[MAX_VARIABLES];
    uint32_t variable_count;
    unsigned line;
};

static uint32_t below(struct maker *maker, uint32_t bound)
{
    return (uint32_t)random_below(&maker->random, bound);
}

static struct position here(struct maker *maker)
{
    return (struct position){.path = "random", .line = ++maker->line};
}

static const struct term *make_term(struct maker *maker, const struct sort *sort, unsigned depth);

// A variable of the sort; NULL if there is none.
static const struct term *pick_variable(struct maker *maker, const struct sort *sort)
{
    uint32_t start = below(maker, maker->variable_count);
    for (uint32_t i = 0; i < maker->variable_count; i++) {
        const struct variable *v = maker->variable[(start + i) % maker->variable_count];
        if (v->sort == sort)
            return v->term;
    }
    return NULL;
}

static const struct term *make_leaf(struct maker *maker, const struct sort *sort)
{
    const struct term *variable = pick_variable(maker, sort);
    if (variable != NULL && below(maker, 3) > 0)
        return variable;
    switch (sort->kind) {
    case SORT_BOOL:
        return term_bool(maker->store, below(maker, 2));
    case SORT_ENUM:
        return term_enum(maker->store, sort, below(maker, sort->literal_count));
    case SORT_BV:
        return term_bv(maker->store, sort->width, below(maker, 1u << sort->width));
    default:
        return term_int(maker->store, (int64_t)below(maker, 6) - 1);
    }
}

static const struct term *make_comparison(struct maker *maker, unsigned depth)
{
    const struct sort *sort = maker->variable[below(maker, maker->variable_count)]->sort;
    const struct term *a = make_term(maker, sort, depth), *b = make_term(maker, sort, depth);
    uint32_t relation = below(maker, 3);
    if (relation > 0 && sort->kind == SORT_INT)
        return relation == 1 ? term_le(maker->store, a, b) : term_lt(maker->store, a, b);
    if (relation > 0 && sort->kind == SORT_BV)
        return term_bv_binary(maker->store, relation == 1 ? TERM_BV_ULT : TERM_BV_SLE, a, b);
    return term_eq(maker->store, a, b);
}

// Parts are made one after another: C leaves open in which order arguments are evaluated.
static const struct term *make_bool(struct maker *maker, unsigned depth)
{
    uint32_t way = below(maker, 6);
    if (way > 2)
        return make_comparison(maker, depth);
    const struct term *a = make_term(maker, sort_bool(maker->store), depth);
    if (way == 0)
        return term_not(maker->store, a);
    const struct term *b = make_term(maker, sort_bool(maker->store), depth);
    return way == 1 ? term_and2(maker->store, a, b) : term_or2(maker->store, a, b);
}

static const struct term *make_int(struct maker *maker, unsigned depth)
{
    struct term_store *store = maker->store;
    const struct term *a = make_term(maker, sort_int(store), depth);
    const struct term *literal = term_int(store, (int64_t)below(maker, 3) + 2);
    switch (below(maker, 7)) {
    case 0:
        return term_sub(store, a, make_term(maker, sort_int(store), depth));
    case 1:
        return term_mul2(store, a, make_term(maker, sort_int(store), depth));
    case 2:
        return term_div(store, a, literal);
    case 3:
        return term_mod(store, a, below(maker, 2) ? literal : term_neg(store, literal));
    case 4:
        return term_rem(store, a, literal);
    default:
        return term_add2(store, a, make_term(maker, sort_int(store), depth));
    }
}

static const struct term *make_bits(struct maker *maker, unsigned depth)
{
    static const enum term_kind KINDS[] = {TERM_BV_ADD, TERM_BV_MUL,  TERM_BV_XOR, TERM_BV_AND,
                                           TERM_BV_SHL, TERM_BV_LSHR, TERM_BV_UDIV};
    uint32_t kind = below(maker, sizeof KINDS / sizeof KINDS[0] + 1);
    const struct term *a = make_term(maker, maker->bits, depth);
    if (kind == sizeof KINDS / sizeof KINDS[0])
        return term_bv_unary(maker->store, TERM_BV_NOT, a);
    return term_bv_binary(maker->store, KINDS[kind], a, make_term(maker, maker->bits, depth));
}

static const struct term *make_term(struct maker *maker, const struct sort *sort, unsigned depth)
{
    if (depth == 0 || below(maker, 4) == 0)
        return make_leaf(maker, sort);
    if (below(maker, 8) == 0) {
        const struct term *condition = make_term(maker, sort_bool(maker->store), depth - 1);
        const struct term *then = make_term(maker, sort, depth - 1);
        const struct term *otherwise = make_term(maker, sort, depth - 1);
        return term_ite(maker->store, condition, then, otherwise);
    }
    switch (sort->kind) {
    case SORT_BOOL:
        return make_bool(maker, depth - 1);
    case SORT_INT:
        return make_int(maker, depth - 1);
    case SORT_BV:
        return make_bits(maker, depth - 1);
    default:
        return make_leaf(maker, sort);
    }
}

static const struct term *make_condition(struct maker *maker)
{
    return make_bool(maker, 1 + below(maker, 2));
}

static struct statement *make_assign(struct maker *maker, const struct variable *variable)
{
    const struct term *value = make_term(maker, variable->sort, below(maker, 3));
    if (variable->sort->kind == SORT_INT && !term_is_literal(value))
        value = term_mod(maker->store, value, term_int(maker->store, 2 + (int64_t)below(maker, 3)));
    return model_assign(maker->builder, variable, value, here(maker));
}

static struct statement *make_havoc(struct maker *maker, const struct variable *variable)
{
    struct statement *havoc = model_havoc(maker->builder, variable, here(maker));
    if (variable->sort->kind != SORT_INT)
        return havoc;
    int64_t low = (int64_t)below(maker, 3) - 1, high = low + 1 + (int64_t)below(maker, 2);
    const struct term *range =
        term_and2(maker->store, term_le(maker->store, term_int(maker->store, low), variable->term),
                  term_le(maker->store, variable->term, term_int(maker->store, high)));
    struct statement *parts[] = {havoc, model_assume(maker->builder, range, here(maker))};
    return model_sequence(maker->builder, parts, 2, here(maker));
}

static struct statement *make_statement(struct maker *maker, unsigned depth);

static struct statement *make_compound(struct maker *maker, unsigned depth)
{
    struct statement *parts[3];
    uint32_t count = 1 + below(maker, 3);
    for (uint32_t i = 0; i < 3; i++)
        parts[i] = i < count || i < 2 ? make_statement(maker, depth - 1) : NULL;
    struct position position = here(maker);
    uint32_t way = below(maker, 4);
    if (way == 0)
        return model_choice(maker->builder, parts, count < 2 ? 2 : count, position);
    if (way > 1)
        return model_sequence(maker->builder, parts, count, position);
    const struct term *condition = make_condition(maker);
    struct statement *otherwise = count < 3 ? parts[1] : model_skip(maker->builder, position);
    return model_if(maker->builder, condition, parts[0], otherwise, position);
}

static struct statement *make_statement(struct maker *maker, unsigned depth)
{
    const struct variable *variable = maker->variable[below(maker, maker->variable_count)];
    if (depth > 0 && below(maker, 2))
        return make_compound(maker, depth);
    switch (below(maker, 10)) {
    case 0:
    case 1:
        return make_havoc(maker, variable);
    case 2:
        return model_assume(maker->builder, make_condition(maker), here(maker));
    case 3:
        return model_skip(maker->builder, here(maker));
    default:
        return make_assign(maker, variable);
    }
}

static void make_variables(struct maker *maker)
{
    static const char *const NAMES[MAX_VARIABLES] = {"a", "b", "c", "d"};
    const struct sort *sorts[] = {sort_int(maker->store), sort_bool(maker->store), maker->color,
                                  maker->bits};
    maker->variable_count = 2 + below(maker, MAX_VARIABLES - 1);
    for (uint32_t i = 0; i < maker->variable_count; i++) {
        const struct sort *sort = sorts[i == 0 ? 0 : below(maker, 4)];
        uint32_t flags = i == 1 && below(maker, 3) == 0 ? VARIABLE_CONTROL : 0;
        maker->variable[i] =
            model_builder_variable(maker->builder, NAMES[i], sort, flags, here(maker));
    }
}

// Every integer is set before anything reads it; the others may start anyhow.
static struct statement *make_initial_action(struct maker *maker)
{
    struct statement *parts[MAX_VARIABLES + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < maker->variable_count; i++) {
        const struct variable *variable = maker->variable[i];
        uint32_t way = below(maker, 4);
        if (way == 0)
            parts[count++] = make_havoc(maker, variable);
        else if (way > 1 || variable->sort->kind == SORT_INT)
            parts[count++] = model_assign(maker->builder, variable,
                                          term_default(maker->store, variable->sort), here(maker));
    }
    if (below(maker, 4) == 0)
        parts[count++] = make_statement(maker, 1);
    return model_sequence(maker->builder, parts, count, here(maker));
}

// A condition that tends to be rare.
static const struct term *make_rare(struct maker *maker)
{
    const struct term *condition = make_condition(maker);
    for (uint32_t i = 0; i < 3; i++) {
        const struct variable *variable = maker->variable[below(maker, maker->variable_count)];
        const struct term *is =
            term_eq(maker->store, variable->term, make_term(maker, variable->sort, 0));
        condition = term_and2(maker->store, condition, is);
    }
    return condition;
}

static void make_edges(struct maker *maker, struct location **location, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++)
        model_builder_edge(maker->builder, location[i], location[i + 1],
                           make_statement(maker, MAX_DEPTH), NULL, here(maker));
    uint32_t more = 2 + below(maker, 5);
    for (uint32_t i = 0; i < more; i++) {
        struct location *source = location[below(maker, count)];
        struct location *target = location[below(maker, count)];
        struct statement *action = make_statement(maker, MAX_DEPTH);
        model_builder_edge(maker->builder, source, target, action, NULL, here(maker));
    }
}

static void make_error(struct maker *maker, struct location **location, uint32_t count,
                       bool with_property)
{
    struct location *error = model_builder_location(maker->builder, "error", PHASE_NONE, true);
    model_builder_error(maker->builder, error);
    const struct term *bad = make_rare(maker);
    if (with_property)
        model_builder_property(maker->builder, term_not(maker->store, bad));
    for (uint32_t i = 0; i < count; i++) {
        bool tested = with_property ? location[i]->observable : i + 1 == count;
        if (tested)
            model_builder_edge(maker->builder, location[i], error,
                               model_assume(maker->builder, bad, here(maker)), NULL, here(maker));
    }
}

struct model *oracle_random_model(uint64_t seed)
{
    static const char *const COLORS[] = {"RED", "GREEN", "BLUE"};
    bool with_property = seed % 2 == 0;
    struct maker maker = {.builder = model_builder_create(&dialect_plain, "random", NULL)};
    random_init(&maker.random, seed);
    maker.store = model_builder_store(maker.builder);
    maker.color = sort_enum(maker.store, "Color", COLORS, 3);
    maker.bits = sort_bv(maker.store, 2);
    make_variables(&maker);
    struct location *location[5];
    uint32_t count = 2 + below(&maker, 4);
    for (uint32_t i = 0; i < count; i++) {
        char name[] = {'L', (char)('0' + i), '\0'};
        bool hidden = with_property && i > 0 && below(&maker, 4) == 0;
        location[i] = model_builder_location(maker.builder, name, PHASE_NONE, !hidden);
    }
    model_builder_initial(maker.builder, location[0], make_initial_action(&maker));
    make_edges(&maker, location, count);
    make_error(&maker, location, count, with_property);
    return model_builder_finish(maker.builder);
}
