#include "logic/terms/eval.h"

#include <assert.h>

#include "logic/terms/bits.h"
#include "logic/terms/number.h"
#include "logic/terms/store.h"

enum {
    MEMO_FROM = 500,   // terms whose tree is smaller are walked as trees
    MEMO_SUBTERM = 16, // subterms smaller than this are cheaper to evaluate again
    DEEPEST = 1000,    // calls in one another before the rest is done from below
};

struct memo {
    uint32_t epoch;
    struct value value;
};

struct evaluator {
    struct term_store *store;
    eval_zero_division zero_division;
    void *zero_context;
    struct memo *memo; // by term id; valid where the epoch is that of the run
    uint32_t memo_capacity;
    uint32_t epoch;
    VECTOR(const struct term *) todo; // of eval_from_below
};

struct run {
    struct evaluator *evaluator;
    struct term_store *store;
    eval_lookup lookup;
    void *context;
    uint32_t epoch; // 0 = walk as a tree
    uint32_t depth;
};

struct evaluator *evaluator_create(struct term_store *store)
{
    struct evaluator *evaluator = memory_zalloc(sizeof *evaluator);
    evaluator->store = store;
    return evaluator;
}

void evaluator_destroy(struct evaluator *evaluator)
{
    if (evaluator == NULL)
        return;
    VECTOR_FINISH(&evaluator->todo);
    memory_free(evaluator->memo);
    memory_free(evaluator);
}

void evaluator_set_zero_division(struct evaluator *evaluator, eval_zero_division answer,
                                 void *context)
{
    evaluator->zero_division = answer;
    evaluator->zero_context = context;
}

static struct value eval(struct run *run, const struct term *t);

static struct value eval_not(struct run *run, const struct term *t)
{
    struct value a = eval(run, t->child[0]);
    return value_known(a) ? value_bool(!value_is_true(a)) : VALUE_UNKNOWN;
}

static struct value eval_junction(struct run *run, const struct term *t)
{
    struct value absorbing = value_bool(t->kind == TERM_OR);
    struct value result = value_bool(t->kind == TERM_AND);
    for (uint32_t i = 0; i < t->child_count; i++) {
        struct value a = eval(run, t->child[i]);
        if (value_equal(a, absorbing))
            return absorbing;
        if (!value_known(a))
            result = VALUE_UNKNOWN;
    }
    return result;
}

static struct value eval_eq(struct run *run, const struct term *t)
{
    struct value a = eval(run, t->child[0]);
    if (!value_known(a))
        return VALUE_UNKNOWN;
    struct value b = eval(run, t->child[1]);
    return value_known(b) ? value_bool(value_equal(a, b)) : VALUE_UNKNOWN;
}

static struct value eval_ite(struct run *run, const struct term *t)
{
    struct value c = eval(run, t->child[0]);
    if (value_known(c))
        return eval(run, t->child[value_is_true(c) ? 1 : 2]);
    struct value a = eval(run, t->child[1]);
    if (!value_known(a))
        return VALUE_UNKNOWN;
    return value_equal(a, eval(run, t->child[2])) ? a : VALUE_UNKNOWN;
}

static struct value eval_comparison(struct run *run, const struct term *t)
{
    struct value a = eval(run, t->child[0]);
    if (!value_known(a))
        return VALUE_UNKNOWN;
    struct value b = eval(run, t->child[1]);
    if (!value_known(b))
        return VALUE_UNKNOWN;
    if (t->kind >= TERM_BV_ULT)
        return value_bool(bits_holds(t->kind, t->child[0]->sort->width, a, b));
    int order = number_compare(t->child[0]->sort, a, b);
    return value_bool(t->kind == TERM_LE ? order <= 0 : order < 0);
}

static struct value eval_add(struct run *run, const struct term *t)
{
    struct value sum = eval(run, t->child[0]);
    for (uint32_t i = 1; i < t->child_count && value_known(sum); i++) {
        struct value a = eval(run, t->child[i]);
        if (!value_known(a))
            return VALUE_UNKNOWN;
        sum = number_add(run->store, t->sort, sum, a);
    }
    return sum;
}

static struct value eval_mul(struct run *run, const struct term *t)
{
    struct value product = number_one(run->store, t->sort);
    struct value zero = number_zero(run->store, t->sort);
    bool known = true;
    for (uint32_t i = 0; i < t->child_count; i++) {
        struct value a = eval(run, t->child[i]);
        if (value_equal(a, zero))
            return zero;
        if (!value_known(a))
            known = false;
        else if (known)
            product = number_mul(run->store, t->sort, product, a);
    }
    return known ? product : VALUE_UNKNOWN;
}

static struct value eval_division(struct run *run, const struct term *t)
{
    struct evaluator *e = run->evaluator;
    struct value b = eval(run, t->child[1]);
    if (!value_known(b))
        return VALUE_UNKNOWN;
    struct value a = eval(run, t->child[0]);
    if (!value_known(a))
        return VALUE_UNKNOWN;
    if (number_sign(t->sort, b) == 0)
        return e->zero_division != NULL ? e->zero_division(e->zero_context, t->kind, t->sort, a)
                                        : VALUE_UNKNOWN;
    if (t->sort->kind == SORT_RAT)
        return number_rat_div(run->store, a, b);
    return t->kind == TERM_DIV   ? number_int_div(run->store, a, b)
           : t->kind == TERM_MOD ? number_int_mod(run->store, a, b)
                                 : number_int_rem(run->store, a, b);
}

// True when one side alone decides the result: it is then that side.
static bool absorbs(const struct term *t, struct value a)
{
    uint32_t width = t->sort->width;
    if (!value_known(a))
        return false;
    if (t->kind == TERM_BV_OR)
        return bits_is_ones(width, a);
    if (t->kind != TERM_BV_AND && t->kind != TERM_BV_MUL)
        return false;
    return value_is_small(a) ? value_equal(a, value_small(0))
                             : value_pointer_get(a)->u.text[0] == '0';
}

static struct value eval_bits(struct run *run, const struct term *t)
{
    struct value a = eval(run, t->child[0]);
    if (absorbs(t, a))
        return a;
    struct value b = eval(run, t->child[1]);
    if (absorbs(t, b))
        return b;
    if (!value_known(a) || !value_known(b))
        return VALUE_UNKNOWN;
    if (t->kind == TERM_BV_CONCAT)
        return bits_concat(run->store, t->child[0]->sort->width, a, t->child[1]->sort->width, b);
    return bits_binary(run->store, t->kind, t->sort->width, a, b);
}

static struct value eval_unary(struct run *run, const struct term *t)
{
    struct value a = eval(run, t->child[0]);
    if (!value_known(a))
        return a;
    switch (t->kind) {
    case TERM_TO_RAT:
        return number_rat_of_int(run->store, a);
    case TERM_BV_EXTRACT:
        return bits_extract(run->store, a, t->u.extract.high, t->u.extract.low);
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        return bits_extend(run->store, t->kind, t->child[0]->sort->width, a, t->sort->width);
    case TERM_CONST_ARRAY:
        return value_pointer(array_literal_constant(
            run->store, t->sort, term_of_value(run->store, t->sort->element, a)));
    default:
        return bits_unary(run->store, t->kind, t->sort->width, a);
    }
}

// Walks down the writes, so that reading needs neither the whole array known nor a new literal.
static struct value eval_select(struct run *run, const struct term *t)
{
    const struct term *array = t->child[0];
    if (array->kind == TERM_CONST_ARRAY)
        return eval(run, array->child[0]);
    struct value key = eval(run, t->child[1]);
    if (!value_known(key))
        return VALUE_UNKNOWN;
    while (array->kind == TERM_STORE) {
        struct value written = eval(run, array->child[1]);
        if (!value_known(written))
            return VALUE_UNKNOWN;
        if (value_equal(written, key))
            return eval(run, array->child[2]);
        array = array->child[0];
    }
    if (array->kind == TERM_CONST_ARRAY)
        return eval(run, array->child[0]);
    struct value a = eval(run, array);
    if (!value_known(a))
        return VALUE_UNKNOWN;
    return term_value(array_literal_select(value_pointer_get(a),
                                           term_of_value(run->store, array->sort->key, key)));
}

static struct value eval_store(struct run *run, const struct term *t)
{
    struct value array = eval(run, t->child[0]);
    if (!value_known(array))
        return VALUE_UNKNOWN;
    struct value key = eval(run, t->child[1]);
    struct value element = eval(run, t->child[2]);
    if (!value_known(key) || !value_known(element))
        return VALUE_UNKNOWN;
    return value_pointer(array_literal_store(run->store, value_pointer_get(array),
                                             term_of_value(run->store, t->sort->key, key),
                                             term_of_value(run->store, t->sort->element, element)));
}

static struct value eval_operator(struct run *run, const struct term *t)
{
    switch ((enum term_kind)t->kind) {
    case TERM_NOT:
        return eval_not(run, t);
    case TERM_AND:
    case TERM_OR:
        return eval_junction(run, t);
    case TERM_EQ:
        return eval_eq(run, t);
    case TERM_ITE:
        return eval_ite(run, t);
    case TERM_FORALL:
    case TERM_EXISTS:
        return VALUE_UNKNOWN; // the makers decide the trivial ones
    case TERM_LE:
    case TERM_LT:
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_SLT:
    case TERM_BV_SLE:
        return eval_comparison(run, t);
    case TERM_ADD:
        return eval_add(run, t);
    case TERM_MUL:
        return eval_mul(run, t);
    case TERM_DIV:
    case TERM_MOD:
    case TERM_REM:
        return eval_division(run, t);
    case TERM_SELECT:
        return eval_select(run, t);
    case TERM_STORE:
        return eval_store(run, t);
    default:
        return t->child_count == 1 ? eval_unary(run, t) : eval_bits(run, t);
    }
}

static void grow_memo(struct evaluator *e, uint32_t id)
{
    size_t capacity = e->memo_capacity != 0 ? 2 * (size_t)e->memo_capacity : 1024;
    if (capacity <= id)
        capacity = (size_t)id + 1;
    e->memo = memory_realloc(e->memo, capacity * sizeof *e->memo);
    for (size_t i = e->memo_capacity; i < capacity; i++)
        e->memo[i].epoch = 0;
    e->memo_capacity = capacity > UINT32_MAX ? UINT32_MAX : (uint32_t)capacity;
}

static bool is_remembered(const struct run *run, const struct term *t)
{
    const struct evaluator *e = run->evaluator;
    return t->id < e->memo_capacity && e->memo[t->id].epoch == run->epoch;
}

static struct value remember(struct run *run, const struct term *t, struct value v)
{
    if (t->id >= run->evaluator->memo_capacity)
        grow_memo(run->evaluator, t->id);
    run->evaluator->memo[t->id] = (struct memo){run->epoch, v};
    return v;
}

// Pushes the children that would be remembered and are not yet. True when there are none.
static bool children_remembered(struct run *run, const struct term *t)
{
    struct evaluator *e = run->evaluator;
    size_t before = e->todo.count;
    for (uint32_t i = 0; i < t->child_count; i++)
        if (t->child[i]->tree_size >= MEMO_SUBTERM && !term_is_literal(t->child[i]) &&
            !is_remembered(run, t->child[i]))
            VECTOR_PUSH(&e->todo, t->child[i]);
    return e->todo.count == before;
}

// Children first, with a stack of its own: a very deep term would overflow the thread's. Evaluates
// more than needed, all else does not.
static struct value eval_from_below(struct run *run, const struct term *root)
{
    struct evaluator *e = run->evaluator;
    size_t begin = e->todo.count;
    VECTOR_PUSH(&e->todo, root);
    while (e->todo.count > begin) {
        const struct term *t = VECTOR_LAST(&e->todo);
        if (is_remembered(run, t)) {
            e->todo.count--;
        } else if (children_remembered(run, t)) {
            remember(run, t, eval_operator(run, t));
            e->todo.count--;
        }
    }
    return e->memo[root->id].value;
}

static struct value eval(struct run *run, const struct term *t)
{
    if (t->kind == TERM_VAR)
        return run->lookup(run->context, t);
    if (term_is_literal(t))
        return term_value(t);
    if (run->epoch == 0 || t->tree_size < MEMO_SUBTERM)
        return eval_operator(run, t);
    if (is_remembered(run, t))
        return run->evaluator->memo[t->id].value;
    if (run->depth >= DEEPEST)
        return eval_from_below(run, t);
    run->depth++;
    struct value result = eval_operator(run, t);
    run->depth--;
    return remember(run, t, result);
}

static uint32_t next_epoch(struct evaluator *e)
{
    if (++e->epoch == 0) { // wrapped: old entries could be taken for new ones
        for (uint32_t i = 0; i < e->memo_capacity; i++)
            e->memo[i].epoch = 0;
        e->epoch = 1;
    }
    return e->epoch;
}

struct value evaluator_run(struct evaluator *evaluator, const struct term *term, eval_lookup lookup,
                           void *context)
{
    struct run run = {evaluator, evaluator->store, lookup, context, 0, 0};
    evaluator->todo.count = 0; // an attempt that ran out of memory may have left some
    if (term->tree_size > MEMO_FROM)
        run.epoch = next_epoch(evaluator);
    return eval(&run, term);
}
