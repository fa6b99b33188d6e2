#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engines/domains/explicit_part.h"

// "One of these states" as a decision diagram: variable by variable, states that agree so far are taken together, and parts that
// the others of a variable's values have too are said once (terms are shared). A disjunction of the states says the same at
// many times the size, which a solver that checks a proof has to read.

struct decision {
    struct explicit_part *part;
    uint32_t *order; // variables
    uint32_t depth;  // how many
    const struct value **rows;
};

// qsort hands its context to nobody: one comparison at a time, by thread.
static _Thread_local const struct decision *sorting;

// Unknown first; large ones by when their literal was made, never by where it lies.
static uint64_t rank(struct value v)
{
    return value_known(v) && !value_is_small(v) ? ((uint64_t)value_pointer_get(v)->id + 1) << 1
                                                : v.bits;
}

static int by_order(const void *a, const void *b)
{
    const struct value *x = *(const struct value *const *)a, *y = *(const struct value *const *)b;
    for (uint32_t k = 0; k < sorting->depth; k++) {
        uint64_t left = rank(x[sorting->order[k]]), right = rank(y[sorting->order[k]]);
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

// Branches of one variable that go on alike.
struct branch {
    const struct term *rest;
    VECTOR(struct value) values; // ascending where they are small
    bool any;                    // the variable is not known
};

// Numbers in a row are a range.
static const struct term *value_in(const struct decision *d, uint32_t variable,
                                   const struct branch *branch)
{
    struct term_store *store = d->part->workspace->store;
    const struct variable *v = d->part->workspace->model->variables[variable];
    if (branch->any)
        return term_true(store);
    struct term_vector cases = {0};
    bool is_number = v->sort->kind == SORT_BV && v->sort->width <= VALUE_BV_SMALL_WIDTH;
    for (size_t i = 0; i < branch->values.count;) {
        size_t last = i;
        while (is_number && last + 1 < branch->values.count &&
               value_small_get(branch->values.data[last + 1]) ==
                   value_small_get(branch->values.data[last]) + 1)
            last++;
        const struct term *from = term_of_value(store, v->sort, branch->values.data[i]);
        if (last - i < 2) {
            VECTOR_PUSH(&cases, term_eq(store, v->term, from));
            i++;
            continue;
        }
        const struct term *to = term_of_value(store, v->sort, branch->values.data[last]);
        VECTOR_PUSH(&cases, term_and2(store, term_bv_binary(store, TERM_BV_ULE, from, v->term),
                                      term_bv_binary(store, TERM_BV_ULE, v->term, to)));
        i = last + 1;
    }
    const struct term *in = term_or(store, cases.data, cases.count);
    VECTOR_FINISH(&cases);
    return in;
}

static const struct term *decide(const struct decision *d, size_t from, size_t to, uint32_t depth)
{
    assert(from < to);
    struct term_store *store = d->part->workspace->store;
    if (depth == d->depth)
        return term_true(store);
    uint32_t variable = d->order[depth];
    VECTOR(struct branch) branches = {0};
    for (size_t i = from; i < to;) {
        size_t end = i + 1;
        while (end < to && value_equal(d->rows[end][variable], d->rows[i][variable]))
            end++;
        const struct term *rest = decide(d, i, end, depth + 1);
        size_t b = 0;
        while (b < branches.count && branches.data[b].rest != rest)
            b++;
        if (b == branches.count)
            VECTOR_PUSH(&branches, ((struct branch){.rest = rest}));
        if (value_known(d->rows[i][variable]))
            VECTOR_PUSH(&branches.data[b].values, d->rows[i][variable]);
        else
            branches.data[b].any = true;
        i = end;
    }
    struct term_vector parts = {0};
    for (size_t b = 0; b < branches.count; b++) {
        struct branch *branch = &branches.data[b];
        VECTOR_PUSH(&parts, term_and2(store, value_in(d, variable, branch), branch->rest));
        VECTOR_FINISH(&branch->values);
    }
    const struct term *all = term_or(store, parts.data, parts.count);
    VECTOR_FINISH(&parts);
    VECTOR_FINISH(&branches);
    return all;
}

struct spread {
    uint32_t variable;
    size_t values; // runs of equal ones in the order given: a measure of how many it has
};

static int few_first(const void *a, const void *b)
{
    const struct spread *x = a, *y = b;
    if (x->values != y->values)
        return x->values < y->values ? -1 : 1;
    return x->variable < y->variable ? -1 : x->variable > y->variable;
}

static size_t distinct_values(struct decision *d, size_t count, uint32_t variable)
{
    d->order[0] = variable;
    d->depth = 1;
    sorting = d;
    qsort(d->rows, count, sizeof *d->rows, by_order);
    size_t values = 1;
    for (size_t i = 1; i < count; i++)
        values += !value_equal(d->rows[i][variable], d->rows[i - 1][variable]);
    return values;
}

// What has many values comes first: the modes of a program, below which the rest differs.
static void choose_order(struct decision *d, size_t count)
{
    uint32_t width = d->part->width, used = 0;
    struct spread *spread = memory_alloc((width + 1) * sizeof *spread);
    for (uint32_t v = 0; v < width; v++) {
        bool known = false;
        for (size_t i = 0; i < count && !known; i++)
            known = value_known(d->rows[i][v]);
        if (known)
            spread[used++] = (struct spread){v, distinct_values(d, count, v)};
    }
    qsort(spread, used, sizeof *spread, few_first);
    for (uint32_t k = 0; k < used; k++)
        d->order[k] = spread[used - 1 - k].variable;
    d->depth = used;
    sorting = d;
    qsort(d->rows, count, sizeof *d->rows, by_order);
    memory_free(spread);
}

const struct term *explicit_part_union(struct explicit_part *part, const uint32_t *states,
                                       size_t count)
{
    if (count == 0)
        return term_false(part->workspace->store);
    struct decision d = {
        .part = part,
        .order = memory_alloc((part->width + 1) * sizeof *d.order),
        .rows = memory_alloc(count * sizeof *d.rows),
    };
    for (size_t i = 0; i < count; i++)
        d.rows[i] = explicit_part_row(part, states[i]);
    choose_order(&d, count);
    const struct term *all = decide(&d, 0, count, 0);
    memory_free(d.rows);
    memory_free(d.order);
    return all;
}
