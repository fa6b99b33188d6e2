#ifndef REGATTA_TESTS_RETURNING_MODEL_H
#define REGATTA_TESTS_RETURNING_MODEL_H

#include "base/random.h"
#include "model/dialect.h"
#include "model/model.h"

// Random loops over two bit-vectors that wrap, with an inner loop at times, in which to come back to the values that were kept is
// the error; and whether they do, by visiting all states.

enum { RETURNING_WIDTH = 4, RETURNING_VALUES = 1 << RETURNING_WIDTH, RETURNING_WAYS = 3 };

// From location `from` to `to` (0, 1), when the guard holds: compares a variable with a number, or with the other.
struct returning_way {
    unsigned from, to;
    unsigned guard, guarded, bound; // kind, variable, number
    unsigned change[2], by[2];      // of each variable: kind, number
};

struct returning_loop {
    struct returning_way way[RETURNING_WAYS];
    bool inner;
};

static inline struct returning_loop returning_random(uint64_t seed)
{
    struct random random;
    struct returning_loop loop = {0};
    random_init(&random, seed);
    loop.inner = random_below(&random, 2) == 1;
    for (unsigned i = 0; i < RETURNING_WAYS; i++) {
        struct returning_way *w = &loop.way[i];
        // 0: from head to head or to the inner one; 1: inside or back; 2: back.
        w->from = loop.inner && i > 0;
        w->to = loop.inner && i < 2;
        w->guard = (unsigned)random_below(&random, 6);
        w->guarded = (unsigned)random_below(&random, 2);
        w->bound = (unsigned)random_below(&random, RETURNING_VALUES);
        for (unsigned v = 0; v < 2; v++) {
            w->change[v] = (unsigned)random_below(&random, 6);
            w->by[v] = (unsigned)random_below(&random, 3) + (unsigned)random_below(&random, 2) * 13;
        }
    }
    return loop;
}

static inline int returning_signed(unsigned value)
{
    return value >= RETURNING_VALUES / 2 ? (int)value - RETURNING_VALUES : (int)value;
}

static inline bool returning_may(const struct returning_way *w, const unsigned *x)
{
    unsigned a = x[w->guarded], b = x[1 - w->guarded];
    switch (w->guard) {
    case 0:
        return returning_signed(a) < returning_signed(w->bound);
    case 1:
        return a < w->bound;
    case 2:
        return returning_signed(a) < returning_signed(b);
    case 3:
        return a < b;
    case 4:
        return returning_signed(w->bound) < returning_signed(a);
    default:
        return a != w->bound;
    }
}

static inline unsigned returning_next(const struct returning_way *w, unsigned v, const unsigned *x)
{
    switch (w->change[v]) {
    case 0:
    case 1:
        return (x[v] + w->by[v]) % RETURNING_VALUES;
    case 2:
        return (x[v] - w->by[v]) % RETURNING_VALUES;
    case 3:
        return x[v] / 2;
    case 4:
        return (x[v] + x[1 - v]) % RETURNING_VALUES;
    default:
        return x[v];
    }
}

// Some state of the head leads back to itself.
static inline bool returning_returns(const struct returning_loop *loop)
{
    enum { STATES = 2 * RETURNING_VALUES * RETURNING_VALUES };
    for (unsigned start = 0; start < STATES / 2; start++) {
        bool seen[STATES] = {false};
        unsigned todo[STATES], count = 1;
        todo[0] = start;
        while (count > 0) {
            unsigned state = todo[--count];
            unsigned x[2] = {state % RETURNING_VALUES, state / RETURNING_VALUES % RETURNING_VALUES};
            for (unsigned i = 0; i < RETURNING_WAYS; i++) {
                const struct returning_way *w = &loop->way[i];
                if (w->from != state / (STATES / 2) || !returning_may(w, x))
                    continue;
                unsigned to = returning_next(w, 0, x) + RETURNING_VALUES * returning_next(w, 1, x) +
                              w->to * (STATES / 2);
                if (to == start)
                    return true;
                if (!seen[to])
                    todo[count++] = to;
                seen[to] = true;
            }
        }
    }
    return false;
}

static inline const struct term *
returning_guard(struct term_store *s, const struct returning_way *w, const struct term *const *x)
{
    const struct term *a = x[w->guarded], *b = x[1 - w->guarded],
                      *bound = term_bv(s, RETURNING_WIDTH, w->bound);
    switch (w->guard) {
    case 0:
        return term_bv_binary(s, TERM_BV_SLT, a, bound);
    case 1:
        return term_bv_binary(s, TERM_BV_ULT, a, bound);
    case 2:
        return term_bv_binary(s, TERM_BV_SLT, a, b);
    case 3:
        return term_bv_binary(s, TERM_BV_ULT, a, b);
    case 4:
        return term_bv_binary(s, TERM_BV_SLT, bound, a);
    default:
        return term_not(s, term_eq(s, a, bound));
    }
}

static inline const struct term *returning_value(struct term_store *s,
                                                 const struct returning_way *w, unsigned v,
                                                 const struct term *const *x)
{
    const struct term *by = term_bv(s, RETURNING_WIDTH, w->by[v]);
    switch (w->change[v]) {
    case 0:
    case 1:
        return term_bv_binary(s, TERM_BV_ADD, x[v], by);
    case 2:
        return term_bv_binary(s, TERM_BV_ADD, x[v], term_bv_unary(s, TERM_BV_NEG, by));
    case 3:
        return term_bv_binary(s, TERM_BV_LSHR, x[v], term_bv(s, RETURNING_WIDTH, 1));
    case 4:
        return term_bv_binary(s, TERM_BV_ADD, x[v], x[1 - v]);
    default:
        return x[v];
    }
}

static inline struct model *returning_model(const struct returning_loop *loop)
{
    const struct position here = {0};
    struct model_builder *b = model_builder_create(&dialect_plain, "returning", NULL);
    struct term_store *s = model_builder_store(b);
    const struct sort *sort = sort_bv(s, RETURNING_WIDTH);
    const char *const names[] = {"x", "y", "kept_x", "kept_y", "next_x"};
    const struct variable *v[5];
    for (unsigned i = 0; i < 5; i++)
        v[i] = model_builder_variable(b, names[i], sort, 0, here);
    struct location *start = model_builder_location(b, "start", PHASE_NONE, true),
                    *at[2] = {model_builder_location(b, "head", PHASE_NONE, true),
                              model_builder_location(b, "inner", PHASE_NONE, true)},
                    *error = model_builder_location(b, "error", PHASE_NONE, true);
    const struct term *x[] = {v[0]->term, v[1]->term};
    struct statement *keep[] = {model_assign(b, v[2], x[0], here),
                                model_assign(b, v[3], x[1], here)};
    model_builder_edge(b, start, at[0], model_sequence(b, keep, 2, here), "keep", here);
    const struct term *same =
        term_and2(s, term_eq(s, x[0], v[2]->term), term_eq(s, x[1], v[3]->term));
    for (unsigned i = 0; i < RETURNING_WAYS; i++)
        for (unsigned bad = 0; bad <= (loop->way[i].to == 0); bad++) {
            const struct returning_way *w = &loop->way[i];
            const struct term *end = w->to == 1 ? term_true(s) : bad ? same : term_not(s, same);
            struct statement *step[] = {model_assume(b, returning_guard(s, w, x), here),
                                        model_assign(b, v[4], returning_value(s, w, 0, x), here),
                                        model_assign(b, v[1], returning_value(s, w, 1, x), here),
                                        model_assign(b, v[0], v[4]->term, here),
                                        model_assume(b, end, here)};
            model_builder_edge(b, at[w->from], bad ? error : at[w->to],
                               model_sequence(b, step, 5, here), "step", here);
        }
    model_builder_initial(b, start, model_sequence(b, NULL, 0, here));
    model_builder_error(b, error);
    return model_builder_finish(b);
}

#endif
