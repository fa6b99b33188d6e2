#include "engines/horn/integers.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "logic/smt/id_map.h"
#include "logic/terms/rewrite.h"

// Wider arithmetic than this is not worth asking a solver about.
#define MOST_BITS 400

// Variables that are compared and copied are of one class, and read in one way.
struct class
{
    struct class *up;
    int votes; // above 0: signed
};

struct integers {
    struct term_store *store;
    struct arena arena;
    enum integers_wrap wrap;
    bool failed;
    struct id_map classes; // by id of a bit-vector variable's copy 0
    struct id_map origins; // by id of an integer variable: the bit-vector
    VECTOR(struct smt_horn_predicate) predicates;
    VECTOR(struct smt_horn_clause) clauses;
    uint32_t query;
    // of the clause at hand
    struct id_map values[2], conditions; // what terms became; unsigned, signed
    struct term_vector ranges;           // what has to hold so that nothing wraps
};

// ---- numbers

static const struct term *power(struct integers *n, uint32_t exponent)
{
    if (exponent < 60)
        return term_int(n->store, INT64_C(1) << exponent);
    return term_mul2(n->store, power(n, exponent - 32), term_int(n->store, INT64_C(1) << 32));
}

static const struct term *least(struct integers *n, uint32_t width, bool sign)
{
    return sign ? term_neg(n->store, power(n, width - 1)) : term_int(n->store, 0);
}

static const struct term *greatest(struct integers *n, uint32_t width, bool sign)
{
    return term_sub(n->store, power(n, sign ? width - 1 : width), term_int(n->store, 1));
}

static const struct term *in_range(struct integers *n, const struct term *value, uint32_t width,
                                   bool sign)
{
    return term_and2(n->store, term_le(n->store, least(n, width, sign), value),
                     term_le(n->store, value, greatest(n, width, sign)));
}

static const struct term *literal(struct integers *n, const struct term *bits, bool sign)
{
    assert(bits->kind == TERM_BV);
    struct value v = term_value(bits);
    const struct term *number = value_is_small(v) ? term_int(n->store, value_small_get(v))
                                                  : term_int_text(n->store, bits->u.text);
    uint32_t width = bits->sort->width;
    bool negative = sign && term_compare_values(number, power(n, width - 1)) >= 0;
    return negative ? term_sub(n->store, number, power(n, width)) : number;
}

// A literal that is small enough to shift by.
static bool small(const struct term *bits, uint64_t *out)
{
    if (bits->kind != TERM_BV || !value_is_small(term_value(bits)))
        return false;
    *out = (uint64_t)value_small_get(term_value(bits));
    return *out < bits->sort->width;
}

// ---- classes

static const struct term *plain(struct integers *n, const struct term *variable)
{
    return variable->u.var.index == 0 ? variable
                                      : term_var(n->store, variable->u.var.name, variable->sort);
}

static struct class *class_of(struct integers *n, const struct term *variable)
{
    assert(variable->kind == TERM_VAR && variable->sort->kind == SORT_BV);
    const struct term *key = plain(n, variable);
    struct class *c = (struct class *)(uintptr_t)id_map_get(&n->classes, key->id);
    if (c == NULL) {
        c = arena_zalloc(&n->arena, sizeof *c);
        id_map_put(&n->classes, key->id, c);
    }
    while (c->up != NULL)
        c = c->up;
    return c;
}

static void join(struct integers *n, const struct term *a, const struct term *b)
{
    struct class *x = class_of(n, a), *y = class_of(n, b);
    if (x == y || a->sort != b->sort)
        return;
    x->up = y;
    y->votes += x->votes;
}

// The variables whose value a term is made of without changing how it is read.
static void collect(const struct term *t, unsigned depth, struct term_vector *out)
{
    bool goes_on = t->kind == TERM_BV_ADD || t->kind == TERM_BV_NEG || t->kind == TERM_BV_MUL ||
                   t->kind == TERM_ITE;
    if (t->kind == TERM_VAR && t->sort->kind == SORT_BV)
        VECTOR_PUSH(out, t);
    for (uint32_t i = t->kind == TERM_ITE; goes_on && depth < 12 && i < t->child_count; i++)
        collect(t->child[i], depth + 1, out);
}

static void vote(struct integers *n, const struct term *t, int by)
{
    struct term_vector found = {0};
    collect(t, 0, &found);
    for (size_t i = 0; i < found.count; i++)
        class_of(n, found.data[i])->votes += by;
    VECTOR_FINISH(&found);
}

static void join_sides(struct integers *n, const struct term *equation)
{
    struct term_vector found = {0};
    collect(equation->child[0], 0, &found);
    collect(equation->child[1], 0, &found);
    for (size_t i = 1; i < found.count; i++)
        join(n, found.data[0], found.data[i]);
    VECTOR_FINISH(&found);
}

static int reading(enum term_kind kind)
{
    switch (kind) {
    case TERM_BV_SLT:
    case TERM_BV_SLE:
    case TERM_BV_SDIV:
    case TERM_BV_SREM:
    case TERM_BV_ASHR:
    case TERM_BV_SEXT:
        return 1;
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_UDIV:
    case TERM_BV_UREM:
    case TERM_BV_LSHR:
    case TERM_BV_ZEXT:
        return -1;
    default:
        return 0;
    }
}

static void look(struct integers *n, const struct term *root)
{
    struct id_map seen = {0};
    struct term_vector work = {0};
    VECTOR_PUSH(&work, root);
    while (work.count > 0) {
        const struct term *t = VECTOR_POP(&work);
        if (id_map_get(&seen, t->id) != NULL)
            continue;
        id_map_put(&seen, t->id, t);
        int by = reading(t->kind);
        for (uint32_t i = 0; i < t->child_count; i++) {
            if (by != 0)
                vote(n, t->child[i], by);
            VECTOR_PUSH(&work, t->child[i]);
        }
        if (t->kind == TERM_EQ && t->child[0]->sort->kind == SORT_BV)
            join_sides(n, t);
    }
    VECTOR_FINISH(&work);
    id_map_finish(&seen);
}

static void look_at_arguments(struct integers *n, const struct smt_horn_predicate *p,
                              const struct term *const *arguments)
{
    for (size_t i = 0; i < p->count; i++) {
        struct term_vector found = {0};
        look(n, arguments[i]);
        collect(arguments[i], 0, &found);
        for (size_t k = 0; p->parameters[i]->sort->kind == SORT_BV && k < found.count; k++)
            join(n, p->parameters[i], found.data[k]);
        VECTOR_FINISH(&found);
    }
}

static bool is_signed(struct integers *n, const struct term *variable)
{
    int votes = class_of(n, variable)->votes;
    return votes != 0 ? votes > 0 : variable->sort->width > 8;
}

// ---- terms

static const struct term *number_of(struct integers *n, const struct term *t, bool sign);
static const struct term *condition_of(struct integers *n, const struct term *t);

static const struct term *fail(struct integers *n)
{
    n->failed = true;
    return term_int(n->store, 0);
}

// A variable as an integer of its own, read as its class says; Booleans stay.
static const struct term *integer(struct integers *n, const struct term *variable)
{
    if (variable->sort->kind == SORT_BOOL)
        return variable;
    if (variable->sort->kind != SORT_BV)
        return fail(n);
    const struct term *base = term_var(n->store, variable->u.var.name, sort_int(n->store));
    id_map_put(&n->origins, base->id, plain(n, variable));
    return variable->u.var.index == 0 ? base : term_var_copy(n->store, base, variable->u.var.index);
}

// A value of so many bits, read otherwise.
static const struct term *reread(struct integers *n, const struct term *value, uint32_t width,
                                 bool from, bool to)
{
    if (from == to)
        return value;
    const struct term *edge = to ? power(n, width - 1) : term_int(n->store, 0);
    const struct term *moved = to ? term_sub(n->store, value, power(n, width))
                                  : term_add2(n->store, value, power(n, width));
    return to ? term_ite(n->store, term_lt(n->store, value, edge), value, moved)
              : term_ite(n->store, term_lt(n->store, value, edge), moved, value);
}

// Any integer, brought into the range of so many bits. `near`: it is off by one turn at most.
static const struct term *wrapped(struct integers *n, const struct term *value, uint32_t width,
                                  bool sign, bool near)
{
    struct term_store *s = n->store;
    const struct term *low = least(n, width, sign), *high = greatest(n, width, sign),
                      *turn = power(n, width);
    if (n->wrap == INTEGERS_UNBOUNDED)
        return value;
    if (term_is_literal(value) || (n->wrap == INTEGERS_WRAP && !near))
        return term_add2(s, term_mod(s, term_sub(s, value, low), turn), low);
    if (n->wrap == INTEGERS_WRAP_IS_ERROR) {
        VECTOR_PUSH(&n->ranges, in_range(n, value, width, sign));
        return value;
    }
    return term_ite(s, term_lt(s, high, value), term_sub(s, value, turn),
                    term_ite(s, term_lt(s, value, low), term_add2(s, value, turn), value));
}

struct sum {
    const struct term *value;
    uint64_t above,
        below; // how many values it adds and subtracts; a negative literal is subtracted
};

// Adds factor * t, modulo 2^width, to the sum.
static void add(struct integers *n, const struct term *t, int64_t factor, bool sign,
                struct sum *sum)
{
    int64_t product;
    if (t->kind == TERM_BV_ADD) {
        for (uint32_t i = 0; i < t->child_count; i++)
            add(n, t->child[i], factor, sign, sum);
        return;
    }
    if (t->kind == TERM_BV_NEG) {
        add(n, t->child[0], -factor, sign, sum);
        return;
    }
    for (uint32_t i = 0; t->kind == TERM_BV_MUL && i < 2; i++) {
        if (t->child[i]->kind != TERM_BV || t->sort->width > 62)
            continue;
        const struct term *by = literal(n, t->child[i], true);
        if (!value_is_small(term_value(by)) ||
            __builtin_mul_overflow(value_small_get(term_value(by)), factor, &product) ||
            product > INT32_MAX || product < INT32_MIN)
            continue;
        add(n, t->child[1 - i], product, sign, sum);
        return;
    }
    // A literal that is subtracted is small as a negative number only.
    const struct term *value = t->kind == TERM_BV ? literal(n, t, true) : number_of(n, t, sign);
    bool negative = term_is_literal(value) && term_compare_values(value, term_int(n->store, 0)) < 0;
    value = term_mul2(n->store, term_int(n->store, factor), value);
    sum->value = sum->value == NULL ? value : term_add2(n->store, sum->value, value);
    if ((factor < 0) != negative)
        sum->below += factor < 0 ? (uint64_t)-factor : (uint64_t)factor;
    else
        sum->above += factor < 0 ? (uint64_t)-factor : (uint64_t)factor;
}

// Is it off by one turn at most?
static bool is_near(const struct sum *sum, bool sign)
{
    if (sign)
        return sum->above + sum->below <= 2;
    return (sum->above <= 2 && sum->below == 0) || (sum->above <= 1 && sum->below <= 1);
}

static const struct term *sum_of(struct integers *n, const struct term *t, bool sign)
{
    struct sum sum = {0};
    add(n, t, 1, sign, &sum);
    return wrapped(n, sum.value, t->sort->width, sign, is_near(&sum, sign));
}

static const struct term *product_of(struct integers *n, const struct term *t, bool sign)
{
    if (t->child[0]->kind == TERM_BV || t->child[1]->kind == TERM_BV)
        return sum_of(n, t, sign);
    return wrapped(
        n, term_mul2(n->store, number_of(n, t->child[0], sign), number_of(n, t->child[1], sign)),
        t->sort->width, sign, false);
}

// By a literal that is not 0; C's division rounds towards 0.
static const struct term *quotient_of(struct integers *n, const struct term *t, bool sign)
{
    bool by_sign = t->kind == TERM_BV_SDIV || t->kind == TERM_BV_SREM;
    bool rest = t->kind == TERM_BV_SREM || t->kind == TERM_BV_UREM;
    struct term_store *s = n->store;
    uint32_t width = t->sort->width;
    if (t->child[1]->kind != TERM_BV)
        return fail(n);
    const struct term *a = number_of(n, t->child[0], by_sign),
                      *b = literal(n, t->child[1], by_sign), *zero = term_int(s, 0), *q;
    if (term_compare_values(b, zero) <= 0)
        return fail(n);
    q = term_div(s, a, b);
    if (by_sign)
        q = term_ite(s, term_le(s, zero, a), q, term_neg(s, term_div(s, term_neg(s, a), b)));
    if (rest)
        q = term_sub(s, a, term_mul2(s, b, q));
    return reread(n, q, width, by_sign, sign);
}

static const struct term *shift_of(struct integers *n, const struct term *t, bool sign)
{
    uint64_t by;
    uint32_t width = t->sort->width;
    if (!small(t->child[1], &by))
        return fail(n);
    if (t->kind == TERM_BV_SHL)
        return wrapped(n,
                       term_mul2(n->store, number_of(n, t->child[0], sign), power(n, (uint32_t)by)),
                       width, sign, by == 0);
    bool arithmetic = t->kind == TERM_BV_ASHR;
    const struct term *value =
        term_div(n->store, number_of(n, t->child[0], arithmetic), power(n, (uint32_t)by));
    return reread(n, value, width, arithmetic, sign);
}

// With a mask of low bits.
static const struct term *mask_of(struct integers *n, const struct term *t, bool sign)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct value v = t->child[i]->kind == TERM_BV ? term_value(t->child[i]) : VALUE_UNKNOWN;
        if (!value_known(v) || !value_is_small(v))
            continue;
        uint64_t mask = (uint64_t)value_small_get(v);
        if ((mask & (mask + 1)) != 0)
            continue;
        const struct term *low = term_mod(n->store, number_of(n, t->child[1 - i], false),
                                          term_int(n->store, (int64_t)mask + 1));
        return reread(n, low, t->sort->width, false, sign);
    }
    return fail(n);
}

static const struct term *part_of(struct integers *n, const struct term *t, bool sign)
{
    uint32_t high = t->u.extract.high, low = t->u.extract.low, width = high - low + 1;
    const struct term *whole = t->child[0];
    if (low == 0) // a conversion: the number as it is, where it fits
        return wrapped(n, number_of(n, whole, sign), width, sign, false);
    const struct term *value = term_div(n->store, number_of(n, whole, false), power(n, low));
    if (high + 1 < whole->sort->width)
        value = term_mod(n->store, value, power(n, width));
    return reread(n, value, width, false, sign);
}

static const struct term *pair_of(struct integers *n, const struct term *t, bool sign)
{
    const struct term *high = number_of(n, t->child[0], false),
                      *low = number_of(n, t->child[1], false);
    high = term_mul2(n->store, high, power(n, t->child[1]->sort->width));
    return reread(n, term_add2(n->store, high, low), t->sort->width, false, sign);
}

static const struct term *make_number(struct integers *n, const struct term *t, bool sign)
{
    uint32_t width = t->sort->width;
    switch (t->kind) {
    case TERM_BV:
        return literal(n, t, sign);
    case TERM_VAR:
        return reread(n, integer(n, t), width, is_signed(n, t), sign);
    case TERM_ITE:
        return term_ite(n->store, condition_of(n, t->child[0]), number_of(n, t->child[1], sign),
                        number_of(n, t->child[2], sign));
    case TERM_BV_ADD:
    case TERM_BV_NEG:
        return sum_of(n, t, sign);
    case TERM_BV_MUL:
        return product_of(n, t, sign);
    case TERM_BV_NOT: // -1 - s, and 2^w - 1 - u
        return term_sub(n->store,
                        term_add2(n->store, greatest(n, width, sign), least(n, width, sign)),
                        number_of(n, t->child[0], sign));
    case TERM_BV_UDIV:
    case TERM_BV_SDIV:
    case TERM_BV_UREM:
    case TERM_BV_SREM:
        return quotient_of(n, t, sign);
    case TERM_BV_SHL:
    case TERM_BV_LSHR:
    case TERM_BV_ASHR:
        return shift_of(n, t, sign);
    case TERM_BV_AND:
        return mask_of(n, t, sign);
    case TERM_BV_ZEXT: // in the range of either reading, as it is wider
        return number_of(n, t->child[0], width == t->child[0]->sort->width && sign);
    case TERM_BV_SEXT:
        return reread(n, number_of(n, t->child[0], true), width, true, sign);
    case TERM_BV_EXTRACT:
        return part_of(n, t, sign);
    case TERM_BV_CONCAT:
        return pair_of(n, t, sign);
    default:
        return fail(n);
    }
}

static const struct term *number_of(struct integers *n, const struct term *t, bool sign)
{
    const struct term *known = id_map_get(&n->values[sign], t->id);
    if (known == NULL) {
        known = t->sort->kind == SORT_BV && !n->failed ? make_number(n, t, sign) : fail(n);
        id_map_put(&n->values[sign], t->id, known);
    }
    return known;
}

static bool reads_signed(struct integers *n, const struct term *equation)
{
    struct term_vector found = {0};
    collect(equation->child[0], 0, &found);
    collect(equation->child[1], 0, &found);
    bool sign = found.count == 0 || is_signed(n, found.data[0]);
    VECTOR_FINISH(&found);
    return sign;
}

static const struct term *comparison(struct integers *n, const struct term *t)
{
    const struct term *a = t->child[0], *b = t->child[1];
    bool sign = t->kind == TERM_EQ ? reads_signed(n, t) : reading(t->kind) > 0;
    a = number_of(n, a, sign);
    b = number_of(n, b, sign);
    return t->kind == TERM_EQ                                 ? term_eq(n->store, a, b)
           : t->kind == TERM_BV_SLT || t->kind == TERM_BV_ULT ? term_lt(n->store, a, b)
                                                              : term_le(n->store, a, b);
}

static const struct term *connective(struct integers *n, const struct term *t)
{
    const struct term **children = memory_alloc((t->child_count + 1) * sizeof(*children));
    for (uint32_t i = 0; i < t->child_count; i++)
        children[i] = condition_of(n, t->child[i]);
    const struct term *made = term_rebuild(n->store, t, children);
    memory_free(children);
    return made;
}

static const struct term *make_condition(struct integers *n, const struct term *t)
{
    switch (t->kind) {
    case TERM_BOOL:
    case TERM_VAR:
        return t;
    case TERM_NOT:
    case TERM_AND:
    case TERM_OR:
    case TERM_ITE:
        return connective(n, t);
    case TERM_EQ:
        return t->child[0]->sort->kind == SORT_BOOL ? connective(n, t) : comparison(n, t);
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_SLT:
    case TERM_BV_SLE:
        return comparison(n, t);
    default:
        n->failed = true;
        return term_true(n->store);
    }
}

static const struct term *condition_of(struct integers *n, const struct term *t)
{
    const struct term *known = id_map_get(&n->conditions, t->id);
    if (known == NULL) {
        if (n->failed || t->sort->kind != SORT_BOOL) {
            n->failed = true;
            return term_true(n->store);
        }
        known = make_condition(n, t);
        id_map_put(&n->conditions, t->id, known);
    }
    return known;
}

// ---- clauses

static const struct term *const *translate_arguments(struct integers *n,
                                                     const struct smt_horn_predicate *p,
                                                     const struct term *const *arguments)
{
    const struct term **out = arena_alloc(&n->arena, (p->count + 1) * sizeof(*out));
    for (size_t i = 0; i < p->count; i++)
        out[i] = p->parameters[i]->sort->kind == SORT_BOOL ? condition_of(n, arguments[i])
                 : p->parameters[i]->sort->kind == SORT_BV
                     ? number_of(n, arguments[i], is_signed(n, p->parameters[i]))
                     : fail(n);
    return out;
}

// x = term as a conjunct says what x is: its range is that of the term.
static bool is_defined(const struct term_vector *conjuncts, const struct term *variable)
{
    for (size_t i = 0; i < conjuncts->count; i++) {
        const struct term *t = conjuncts->data[i];
        for (uint32_t k = 0; t->kind == TERM_EQ && variable->u.var.index > 0 && k < 2; k++)
            if (t->child[k] == variable && !rewrite_contains(t->child[1 - k], variable))
                return true;
    }
    return false;
}

// All that the clause's variables can be.
static const struct term *ranges_of(struct integers *n, const struct smt_horn *problem,
                                    const struct smt_horn_clause *c)
{
    struct term_vector variables = {0}, conjuncts = {0};
    const struct term *all = term_true(n->store);
    if (n->wrap == INTEGERS_UNBOUNDED)
        return all;
    rewrite_conjuncts(c->constraint, &conjuncts);
    rewrite_free_variables(c->constraint, &variables);
    for (size_t i = 0; c->body != SMT_HORN_NONE && i < problem->predicates[c->body].count; i++)
        rewrite_free_variables(c->body_arguments[i], &variables);
    for (size_t i = 0; i < problem->predicates[c->head].count; i++)
        rewrite_free_variables(c->head_arguments[i], &variables);
    for (size_t k = 0; k < c->other_count; k++)
        for (size_t i = 0; i < problem->predicates[c->others[k].predicate].count; i++)
            rewrite_free_variables(c->others[k].arguments[i], &variables);
    for (size_t i = 0; i < variables.count; i++) {
        const struct term *v = variables.data[i];
        if (v->sort->kind == SORT_BV && !is_defined(&conjuncts, v))
            all = term_and2(n->store, all,
                            in_range(n, integer(n, v), v->sort->width, is_signed(n, v)));
    }
    VECTOR_FINISH(&variables);
    VECTOR_FINISH(&conjuncts);
    return all;
}

static void translate_clause(struct integers *n, const struct smt_horn *problem,
                             const struct smt_horn_clause *c)
{
    struct smt_horn_clause out = *c;
    struct smt_horn_premise *others = arena_alloc(&n->arena, (c->other_count + 1) * sizeof *others);
    id_map_clear(&n->values[0]);
    id_map_clear(&n->values[1]);
    id_map_clear(&n->conditions);
    VECTOR_CLEAR(&n->ranges);
    if (c->body != SMT_HORN_NONE)
        out.body_arguments =
            translate_arguments(n, &problem->predicates[c->body], c->body_arguments);
    for (size_t i = 0; i < c->other_count; i++)
        others[i] = (struct smt_horn_premise){
            c->others[i].predicate,
            translate_arguments(n, &problem->predicates[c->others[i].predicate],
                                c->others[i].arguments)};
    out.others = others;
    out.constraint = term_and2(n->store, condition_of(n, c->constraint), ranges_of(n, problem, c));
    out.head_arguments = translate_arguments(n, &problem->predicates[c->head], c->head_arguments);
    VECTOR_PUSH(&n->clauses, out);
    const struct term *all =
        term_and(n->store, n->ranges.data, n->ranges.count); // true without any
    if (n->ranges.count == 0 || term_is_true(all))
        return;
    out.constraint = term_and2(n->store, out.constraint, term_not(n->store, all));
    out.head = n->query;
    out.head_arguments = NULL;
    VECTOR_PUSH(&n->clauses, out);
}

static void translate_predicate(struct integers *n, const struct smt_horn_predicate *p)
{
    const struct term **parameters = arena_alloc(&n->arena, (p->count + 1) * sizeof(*parameters));
    for (size_t i = 0; i < p->count; i++)
        parameters[i] = integer(n, p->parameters[i]);
    VECTOR_PUSH(&n->predicates, ((struct smt_horn_predicate){parameters, p->count}));
}

static void look_at_clause(struct integers *n, const struct smt_horn *problem,
                           const struct smt_horn_clause *c)
{
    look(n, c->constraint);
    if (c->body != SMT_HORN_NONE)
        look_at_arguments(n, &problem->predicates[c->body], c->body_arguments);
    look_at_arguments(n, &problem->predicates[c->head], c->head_arguments);
    for (size_t i = 0; i < c->other_count; i++)
        look_at_arguments(n, &problem->predicates[c->others[i].predicate], c->others[i].arguments);
}

struct integers *integers_create(struct term_store *store, const struct smt_horn *problem,
                                 enum integers_wrap wrap)
{
    struct integers *n = memory_zalloc(sizeof *n);
    assert(problem->predicates[problem->query].count == 0);
    n->store = store;
    n->wrap = wrap;
    n->query = problem->query;
    arena_init(&n->arena);
    for (size_t i = 0; i < problem->clause_count; i++)
        look_at_clause(n, problem, &problem->clauses[i]);
    for (size_t i = 0; i < problem->predicate_count; i++)
        translate_predicate(n, &problem->predicates[i]);
    for (size_t i = 0; i < problem->clause_count && !n->failed; i++)
        translate_clause(n, problem, &problem->clauses[i]);
    if (!n->failed)
        return n;
    integers_destroy(n);
    return NULL;
}

void integers_destroy(struct integers *n)
{
    if (n == NULL)
        return;
    id_map_finish(&n->classes);
    id_map_finish(&n->origins);
    id_map_finish(&n->values[0]);
    id_map_finish(&n->values[1]);
    id_map_finish(&n->conditions);
    VECTOR_FINISH(&n->ranges);
    VECTOR_FINISH(&n->predicates);
    VECTOR_FINISH(&n->clauses);
    arena_finish(&n->arena);
    memory_free(n);
}

struct smt_horn integers_problem(const struct integers *n)
{
    return (struct smt_horn){
        .predicates = n->predicates.data,
        .predicate_count = n->predicates.count,
        .clauses = n->clauses.data,
        .clause_count = n->clauses.count,
        .query = n->query,
    };
}

// ---- back to the bits

static uint64_t literal_size(const struct term *t)
{
    struct value v = term_value(t);
    uint64_t bits = 2;
    if (!value_is_small(v))
        return 4 * (uint64_t)strlen(t->u.text) + 2;
    for (int64_t n = value_small_get(v); n != 0 && n != -1; n >>= 1)
        bits++;
    return bits;
}

// Bits that the value of a term, and of all in it, needs as a signed number.
static uint64_t bits_of(struct integers *n, const struct term *t)
{
    uint64_t most = 2, all = 0;
    const struct term *origin;
    switch (t->kind) {
    case TERM_INT:
        return literal_size(t);
    case TERM_VAR:
        origin = id_map_get(&n->origins, t->id);
        return origin != NULL ? origin->sort->width + 1 : UINT32_MAX;
    default:
        break;
    }
    for (uint32_t i = t->kind == TERM_ITE; i < t->child_count; i++) {
        uint64_t bits = bits_of(n, t->child[i]);
        most = bits > most ? bits : most;
        all += bits;
    }
    return t->kind == TERM_MUL ? all : t->kind == TERM_ADD ? most + t->child_count : most + 1;
}

static const struct term *small_bits(struct term_store *s, int64_t value, uint32_t width)
{
    return width <= 64 ? term_bv(s, width, (uint64_t)value)
                       : term_bv_extend(s, TERM_BV_SEXT, term_bv(s, 64, (uint64_t)value), width);
}

static const struct term *literal_bits(struct integers *n, const struct term *t, uint32_t width)
{
    if (value_is_small(term_value(t)))
        return small_bits(n->store, value_small_get(term_value(t)), width);
    bool negative = t->u.text[0] == '-';
    const struct term *digits = term_bv_text(n->store, width, t->u.text + negative);
    return negative ? term_bv_unary(n->store, TERM_BV_NEG, digits) : digits;
}

static const struct term *wide(struct integers *n, const struct term *t, uint32_t width);

static const struct term *wide_variable(struct integers *n, const struct term *t, uint32_t width)
{
    const struct term *origin = id_map_get(&n->origins, t->id);
    if (origin == NULL) {
        n->failed = true;
        return term_bv(n->store, width, 0);
    }
    return term_bv_extend(n->store, is_signed(n, origin) ? TERM_BV_SEXT : TERM_BV_ZEXT, origin,
                          width);
}

// Euclid's, by a positive literal.
static const struct term *wide_division(struct integers *n, const struct term *t, uint32_t width)
{
    struct term_store *s = n->store;
    const struct term *a = wide(n, t->child[0], width), *b = t->child[1];
    if (b->kind != TERM_INT || term_compare_values(b, term_int(s, 0)) <= 0) {
        n->failed = true;
        return a;
    }
    b = literal_bits(n, b, width);
    const struct term *zero = term_bv(s, width, 0);
    const struct term *rest = term_bv_binary(s, TERM_BV_SREM, a, b);
    rest = term_ite(s, term_bv_binary(s, TERM_BV_SLT, rest, zero),
                    term_bv_binary(s, TERM_BV_ADD, rest, b), rest);
    if (t->kind == TERM_MOD)
        return rest;
    const struct term *whole =
        term_bv_binary(s, TERM_BV_ADD, a, term_bv_unary(s, TERM_BV_NEG, rest));
    return term_bv_binary(s, TERM_BV_SDIV, whole, b);
}

static const struct term *condition_bits(struct integers *n, const struct term *t);

// The value of an integer term at a width that holds it.
static const struct term *wide(struct integers *n, const struct term *t, uint32_t width)
{
    const struct term *out;
    switch (t->kind) {
    case TERM_INT:
        return literal_bits(n, t, width);
    case TERM_VAR:
        return wide_variable(n, t, width);
    case TERM_ADD:
    case TERM_MUL:
        out = wide(n, t->child[0], width);
        for (uint32_t i = 1; i < t->child_count; i++)
            out = term_bv_binary(n->store, t->kind == TERM_ADD ? TERM_BV_ADD : TERM_BV_MUL, out,
                                 wide(n, t->child[i], width));
        return out;
    case TERM_DIV:
    case TERM_MOD:
        return wide_division(n, t, width);
    case TERM_ITE:
        return term_ite(n->store, condition_bits(n, t->child[0]), wide(n, t->child[1], width),
                        wide(n, t->child[2], width));
    default:
        n->failed = true;
        return term_bv(n->store, width, 0);
    }
}

// A linear term over variables of this width, modulo.
static const struct term *narrow(struct integers *n, const struct term *t, uint32_t width)
{
    if (t->kind == TERM_INT)
        return literal_bits(n, t, width);
    if (t->kind == TERM_VAR)
        return id_map_get(&n->origins, t->id);
    assert(t->kind == TERM_ADD || t->kind == TERM_MUL);
    const struct term *out = narrow(n, t->child[0], width);
    for (uint32_t i = 1; i < t->child_count; i++)
        out = term_bv_binary(n->store, t->kind == TERM_ADD ? TERM_BV_ADD : TERM_BV_MUL, out,
                             narrow(n, t->child[i], width));
    return out;
}

// The width of all variables of a linear term; 0: there is none, or several, or it is no such term.
static uint32_t width_of(struct integers *n, const struct term *t)
{
    const struct term *origin = t->kind == TERM_VAR ? id_map_get(&n->origins, t->id) : NULL;
    uint32_t width = origin != NULL ? origin->sort->width : 0;
    if (t->kind != TERM_ADD && t->kind != TERM_MUL)
        return width;
    for (uint32_t i = 0; i < t->child_count; i++) {
        if (term_is_literal(t->child[i]))
            continue;
        uint32_t part = width_of(n, t->child[i]);
        if (part == 0 || (width != 0 && width != part))
            return 0;
        width = part;
    }
    return width;
}

static const struct term *equation_bits(struct integers *n, const struct term *a,
                                        const struct term *b)
{
    uint32_t x = width_of(n, a), y = width_of(n, b);
    if ((x != 0 && (y == x || term_is_literal(b))) || (y != 0 && term_is_literal(a)))
        return term_eq(n->store, narrow(n, a, x != 0 ? x : y), narrow(n, b, x != 0 ? x : y));
    return NULL;
}

static const struct term *atom_bits(struct integers *n, const struct term *t)
{
    uint64_t a = bits_of(n, t->child[0]), b = bits_of(n, t->child[1]);
    uint64_t width = (a > b ? a : b) + 1;
    if (t->child[0]->sort->kind != SORT_INT || width > MOST_BITS) {
        n->failed = true;
        return term_true(n->store);
    }
    const struct term *modulo = t->kind == TERM_EQ && n->wrap == INTEGERS_UNBOUNDED
                                    ? equation_bits(n, t->child[0], t->child[1])
                                    : NULL;
    if (modulo != NULL)
        return modulo;
    const struct term *x = wide(n, t->child[0], (uint32_t)width),
                      *y = wide(n, t->child[1], (uint32_t)width);
    if (t->kind == TERM_EQ)
        return term_eq(n->store, x, y);
    return term_bv_binary(n->store, t->kind == TERM_LE ? TERM_BV_SLE : TERM_BV_SLT, x, y);
}

static const struct term *condition_bits(struct integers *n, const struct term *t)
{
    bool is_atom = t->kind == TERM_LE || t->kind == TERM_LT ||
                   (t->kind == TERM_EQ && t->child[0]->sort->kind != SORT_BOOL);
    if (t->kind == TERM_BOOL || (t->kind == TERM_VAR && t->sort->kind == SORT_BOOL) || n->failed)
        return t->sort->kind == SORT_BOOL ? t : term_true(n->store);
    if (is_atom)
        return atom_bits(n, t);
    if (t->kind != TERM_NOT && t->kind != TERM_AND && t->kind != TERM_OR && t->kind != TERM_ITE &&
        t->kind != TERM_EQ) {
        n->failed = true;
        return term_true(n->store);
    }
    const struct term **children = memory_alloc((t->child_count + 1) * sizeof(*children));
    for (uint32_t i = 0; i < t->child_count; i++)
        children[i] = condition_bits(n, t->child[i]);
    const struct term *made = term_rebuild(n->store, t, children);
    memory_free(children);
    return made;
}

// s <= c, or the negation of it (from below).
static bool is_bound(const struct term *t, bool below, const struct term **sum,
                     const struct term **bound)
{
    if (below && t->kind != TERM_NOT)
        return false;
    t = below ? t->child[0] : t;
    if (t->kind != TERM_LE || t->child[1]->kind != TERM_INT)
        return false;
    *sum = t->child[0];
    *bound = t->child[1];
    return true;
}

// s <= c and not s <= c - 1 is s = c; s <= c - 1 or not s <= c is s /= c.
static void join_bounds(struct integers *n, const struct term **list, uint32_t count, bool both)
{
    const struct term *s, *c, *other, *d;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++) {
            if (!is_bound(list[i], false, &s, &c) || !is_bound(list[k], true, &other, &d) ||
                s != other || term_sub(n->store, c, d) != term_int(n->store, both ? 1 : -1))
                continue;
            const struct term *same = term_eq(n->store, s, both ? c : d);
            list[i] = list[k] = both ? same : term_not(n->store, same);
        }
}

static const struct term *equations_of(struct integers *n, const struct term *t)
{
    if (t->kind != TERM_AND && t->kind != TERM_OR && t->kind != TERM_NOT)
        return t;
    const struct term **children = memory_alloc((t->child_count + 1) * sizeof(*children)), *made;
    for (uint32_t i = 0; i < t->child_count; i++)
        children[i] = equations_of(n, t->child[i]);
    if (t->kind != TERM_NOT)
        join_bounds(n, children, t->child_count, t->kind == TERM_AND);
    made = term_rebuild(n->store, t, children);
    memory_free(children);
    return made;
}

const struct term *integers_to_bits(struct integers *n, const struct term *formula)
{
    n->failed = false;
    if (n->wrap == INTEGERS_UNBOUNDED)
        formula = equations_of(n, formula);
    const struct term *made = condition_bits(n, formula);
    return n->failed ? NULL : made;
}
