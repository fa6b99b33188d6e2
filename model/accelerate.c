#include "model/accelerate.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/odd.h"
#include "logic/terms/rewrite.h"
#include "model/model_memory.h"
#include "model/recode.h"

#define MOST_WAYS 8        // of an edge
#define MOST_LENGTH 2000   // statements of one
#define MOST_PARTS 12      // of a sum
#define MOST_STEPS 400000u // of a trace, with its rounds written out
#define MOST_WRITTEN                                                                               \
    1000u                // rounds at once that are written out all the same where they need not be
#define MOST_SIZE 20000u // of a term, as a tree

static const struct position NOWHERE = {0};

struct way_choice {
    const struct statement *choice;
    uint32_t branch;
};

// A way through an action, and what it does to the values before it.
struct way {
    const struct term **after; // by variable: its value at the end; NULL: as before
    struct term_vector assumed;
    VECTOR(struct way_choice) choices;
};

// How the rounds along one way were written, for the way back.
struct prefix {
    const struct statement *rounds; // the havoc of their number, less one
    const struct way_choice *choices;
    size_t choice_count;
};

// Of an edge of the model that is accelerated.
struct accelerated {
    const struct statement *choice; // NULL: it is as it was
    struct prefix *prefixes;        // of the branches from 1 on
};

struct acceleration {
    struct recoding base;
    struct accelerated *edges; // by edge
};

struct making {
    const struct model *model;
    struct model_builder *builder;
    struct term_store *store;
    struct arena *arena;
    const _Atomic bool *given_up;
    VECTOR(struct way) ways;
    const struct variable **extra; // fresh ones, local to a step
    size_t extra_count, extra_capacity;
};

// Ways.

struct todo {
    const struct statement *statement;
    const struct todo *next;
};

static void finish_way(struct way *w)
{
    memory_free(w->after);
    VECTOR_FINISH(&w->assumed);
    VECTOR_FINISH(&w->choices);
}

static struct way copy_way(const struct making *m, const struct way *w)
{
    const size_t bytes = m->model->variable_count * sizeof *w->after;
    struct way copy = {.after = memory_alloc(bytes + 1)};
    memcpy(copy.after, w->after, bytes);
    for (size_t i = 0; i < w->assumed.count; i++)
        VECTOR_PUSH(&copy.assumed, w->assumed.data[i]);
    for (size_t i = 0; i < w->choices.count; i++)
        VECTOR_PUSH(&copy.choices, w->choices.data[i]);
    return copy;
}

struct reading {
    const struct making *m;
    const struct way *way;
};

static const struct term *value_now(void *context, const struct term *variable)
{
    const struct reading *r = context;
    const struct variable *v = model_variable_of(r->m->model, variable);
    return v != NULL && r->way->after[v->index] != NULL ? r->way->after[v->index] : variable;
}

// NULL: it grows too large.
static const struct term *read_now(const struct making *m, const struct way *w,
                                   const struct term *expression)
{
    struct reading reading = {m, w};
    size_t most = MOST_SIZE;
    const struct term *out =
        rewrite_substitute_within(m->store, expression, value_now, &reading, &most);
    return out != NULL && out->tree_size <= MOST_SIZE ? out : NULL;
}

static bool assume(const struct making *m, struct way *w, const struct term *condition, bool holds)
{
    const struct term *now = read_now(m, w, condition);
    if (now == NULL)
        return false;
    rewrite_conjuncts(holds ? now : term_not(m->store, now), &w->assumed);
    for (size_t i = 0; i < w->assumed.count; i++) {
        if (w->assumed.data[i] == term_false(m->store))
            return false;
    }
    return true;
}

// All ways from here on; a way with something arbitrary is none. Consumes the way.
static void walk(struct making *m, struct way way, const struct todo *todo, size_t length)
{
    while (todo != NULL && ++length < MOST_LENGTH && m->ways.count < MOST_WAYS) {
        const struct statement *s = todo->statement;
        const struct term *value;
        todo = todo->next;
        switch (s->kind) {
        case STATEMENT_SKIP:
            continue;
        case STATEMENT_ASSIGN:
            value = read_now(m, &way, s->expression);
            way.after[s->variable->index] = value;
            if (value != NULL)
                continue;
            break;
        case STATEMENT_ASSUME:
            if (assume(m, &way, s->expression, true))
                continue;
            break;
        case STATEMENT_HAVOC:
            break;
        case STATEMENT_SEQUENCE:
            for (uint32_t i = s->child_count; i-- > 0;) {
                struct todo *more = arena_alloc(m->arena, sizeof *more);
                *more = (struct todo){s->child[i], todo};
                todo = more;
            }
            continue;
        case STATEMENT_CHOICE:
        case STATEMENT_IF:
            for (uint32_t i = 0; i < s->child_count; i++) {
                struct way branch = copy_way(m, &way);
                const struct todo next = {s->child[i], todo};
                if (s->kind == STATEMENT_CHOICE)
                    VECTOR_PUSH(&branch.choices, ((struct way_choice){s, i}));
                if (s->kind == STATEMENT_CHOICE || assume(m, &branch, s->expression, i == 0))
                    walk(m, branch, &next, length);
                else
                    finish_way(&branch);
            }
            break;
        }
        finish_way(&way);
        return;
    }
    if (todo == NULL && m->ways.count < MOST_WAYS)
        VECTOR_PUSH(&m->ways, way);
    else
        finish_way(&way);
}

static void find_ways(struct making *m, const struct statement *action)
{
    struct way way = {.after = memory_zalloc(m->model->variable_count * sizeof *way.after + 1)};
    const struct todo todo = {action, NULL};
    walk(m, way, &todo, 0);
}

static void forget_ways(struct making *m)
{
    for (size_t i = 0; i < m->ways.count; i++)
        finish_way(&m->ways.data[i]);
    VECTOR_CLEAR(&m->ways);
}

// Sums, modulo 2^width; of integers (width 0) of numbers that fit.

struct sum {
    struct term_store *store;
    uint32_t width, count;
    const struct term *part[MOST_PARTS];
    __int128 factor[MOST_PARTS], constant;
    bool failed;
};

static __int128 reduced(struct sum *s, __int128 number)
{
    const __int128 most = (__int128)1 << 62;
    if (s->width == 0) {
        s->failed = s->failed || number > most || number < -most;
        return s->failed ? 0 : number;
    }
    return (__int128)((unsigned __int128)number & (((unsigned __int128)1 << s->width) - 1));
}

// Of two reduced numbers.
static __int128 product_of(struct sum *s, __int128 a, __int128 b)
{
    return reduced(s, s->width > 0 ? (__int128)((uint64_t)a * (uint64_t)b) : a * b);
}

static bool read_literal(const struct term *term, __int128 *out)
{
    const struct value value = term->u.value;
    if (term->kind != TERM_INT && term->kind != TERM_BV)
        return false;
    if (value_is_small(value)) {
        *out = value_small_get(value);
        return true;
    }
    *out = 0;
    for (const char *c = term->u.text; *c >= '0' && *c <= '9'; c++)
        *out = *out * 10 + (*c - '0');
    return term->kind == TERM_BV && term->sort->width <= 64;
}

static void add_part(struct sum *s, const struct term *part, __int128 factor)
{
    uint32_t i = 0;
    if (s->width > 0 && part->sort->width > s->width)
        part = term_bv_extract(s->store, part, s->width - 1, 0);
    while (i < s->count && s->part[i] != part)
        i++;
    if (i == MOST_PARTS) {
        s->failed = true;
        return;
    }
    const __int128 before = i < s->count ? s->factor[i] : 0;
    s->part[i] = part;
    s->factor[i] = reduced(s, before + factor);
    s->count = i == s->count ? i + 1 : s->count;
}

// Of a word that is wider than the sum its low bits count.
static void add_term(struct sum *s, const struct term *term, __int128 factor)
{
    __int128 literal, other;
    factor = reduced(s, factor);
    if (read_literal(term, &literal)) {
        s->constant = reduced(s, s->constant + product_of(s, factor, reduced(s, literal)));
        return;
    }
    switch (term->kind) {
    case TERM_ADD:
    case TERM_BV_ADD:
        for (uint32_t i = 0; i < term->child_count; i++)
            add_term(s, term->child[i], factor);
        return;
    case TERM_BV_NEG:
        add_term(s, term->child[0], -factor);
        return;
    case TERM_BV_NOT:
        add_term(s, term->child[0], -factor);
        s->constant = reduced(s, s->constant - factor);
        return;
    case TERM_MUL:
    case TERM_BV_MUL:
        if (term->child_count == 2 && read_literal(term->child[0], &other))
            add_term(s, term->child[1], product_of(s, factor, reduced(s, other)));
        else if (term->child_count == 2 && read_literal(term->child[1], &other))
            add_term(s, term->child[0], product_of(s, factor, reduced(s, other)));
        else
            add_part(s, term, factor);
        return;
    case TERM_BV_EXTRACT:
        if (term->u.extract.low == 0 && term->sort->width >= s->width)
            add_term(s, term->child[0], factor);
        else
            add_part(s, term, factor);
        return;
    case TERM_BV_ZEXT:
    case TERM_BV_SEXT:
        if (term->child[0]->sort->width >= s->width)
            add_term(s, term->child[0], factor);
        else
            add_part(s, term, factor);
        return;
    default:
        add_part(s, term, factor);
    }
}

static bool is_number(const struct sort *sort)
{
    return sort->kind == SORT_INT || (sort->kind == SORT_BV && sort->width <= 64);
}

static struct sum sum_of(struct term_store *store, const struct term *term)
{
    struct sum s = {.store = store, .width = term->sort->kind == SORT_BV ? term->sort->width : 0};
    s.failed = !is_number(term->sort);
    if (!s.failed)
        add_term(&s, term, 1);
    return s;
}

// The factor of a variable, which is taken out.
static __int128 take_out(struct sum *s, const struct term *variable)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->part[i] != variable)
            continue;
        const __int128 factor = s->factor[i];
        s->factor[i] = 0;
        return factor;
    }
    return 0;
}

static const struct term *number_term(struct term_store *store, const struct sort *sort,
                                      __int128 number)
{
    return sort->kind == SORT_INT ? term_int(store, (int64_t)number)
                                  : term_bv(store, sort->width, (uint64_t)number);
}

static const struct term *plus(struct term_store *store, const struct term *a, const struct term *b)
{
    return a->sort->kind == SORT_INT ? term_add2(store, a, b)
                                     : term_bv_binary(store, TERM_BV_ADD, a, b);
}

static const struct term *times(struct term_store *store, const struct term *a,
                                const struct term *b)
{
    return a->sort->kind == SORT_INT ? term_mul2(store, a, b)
                                     : term_bv_binary(store, TERM_BV_MUL, a, b);
}

static const struct term *sum_term(struct term_store *store, const struct sort *sort,
                                   const struct sum *s)
{
    const struct term *out = number_term(store, sort, s->constant);
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->factor[i] != 0)
            out =
                plus(store, out, times(store, number_term(store, sort, s->factor[i]), s->part[i]));
    }
    return out;
}

// What a round does with a variable.

enum pace {
    PACE_STILL,   // it is not written
    PACE_LITERAL, // it grows by a literal
    PACE_FIXED,   // by something that is not written
    PACE_BENT,    // by something that grows by a literal
    PACE_SET,     // it is written, and not read before
};

struct course {
    enum pace pace;
    struct sum step; // all but STILL and SET
    __int128 bend;
};

struct rounds {
    struct making *m;
    const struct way *way;
    struct course *courses;      // by variable
    const struct sort *sort;     // of the number of rounds
    const struct term *number;   // of rounds, less one
    const struct term **at_last; // by variable: its value when the last of them begins
    struct term_vector conditions;
    bool failed;
};

static const struct course *course_of(const struct rounds *r, const struct term *variable)
{
    static const struct course still = {.pace = PACE_STILL};
    const struct variable *v =
        variable->kind == TERM_VAR ? model_variable_of(r->m->model, variable) : NULL;
    return v == NULL ? &still : &r->courses[v->index];
}

static bool reads_written(const struct rounds *r, const struct term *term)
{
    struct term_vector found = {0};
    bool some = false;
    rewrite_free_variables(term, &found);
    for (size_t i = 0; i < found.count; i++)
        some = some || course_of(r, found.data[i])->pace != PACE_STILL;
    VECTOR_FINISH(&found);
    return some;
}

static __int128 as_signed(__int128 number, uint32_t width)
{
    const __int128 one = 1;
    return width > 0 && number >= one << (width - 1) ? number - (one << width) : number;
}

// A variable that grows by a literal, made wider: it does, too, as long as it stays within its range.
static const struct course *widened_course(const struct rounds *r, const struct term *part)
{
    if (part->kind != TERM_BV_ZEXT && part->kind != TERM_BV_SEXT)
        return NULL;
    const struct course *c = part->child[0]->kind == TERM_VAR ? course_of(r, part->child[0]) : NULL;
    return c != NULL && c->pace == PACE_LITERAL ? c : NULL;
}

// By how much the sum grows in a round. False: not by a literal. `ranges`: widened variables may take part, and are added there.
static bool literal_step(const struct rounds *r, const struct sum *s, __int128 *out,
                         struct term_vector *ranges)
{
    struct sum total = {.width = s->width};
    for (uint32_t i = 0; i < s->count; i++) {
        const struct course *c = course_of(r, s->part[i]),
                            *wide = ranges != NULL ? widened_course(r, s->part[i]) : NULL;
        if (s->factor[i] == 0)
            continue;
        if (wide != NULL) {
            const __int128 step = as_signed(wide->step.constant, s->part[i]->child[0]->sort->width);
            total.constant = reduced(
                &total, total.constant + product_of(&total, s->factor[i], reduced(&total, step)));
            VECTOR_PUSH(ranges, s->part[i]);
            continue;
        }
        if (s->part[i]->kind == TERM_VAR ? c->pace > PACE_LITERAL : reads_written(r, s->part[i]))
            return false;
        if (c->pace == PACE_LITERAL)
            total.constant = reduced(
                &total, total.constant + product_of(&total, s->factor[i], c->step.constant));
    }
    *out = total.constant;
    return !total.failed && !s->failed;
}

static bool is_literal_sum(const struct sum *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->factor[i] != 0)
            return false;
    }
    return true;
}

static bool way_reads(const struct rounds *r, const struct term *variable)
{
    for (size_t i = 0; i < r->way->assumed.count; i++) {
        if (rewrite_contains(r->way->assumed.data[i], variable))
            return true;
    }
    for (uint32_t v = 0; v < r->m->model->variable_count; v++) {
        if (r->way->after[v] != NULL && rewrite_contains(r->way->after[v], variable))
            return true;
    }
    return false;
}

// A variable that grows and is not read otherwise decides nothing: something else has to change.
static void find_courses(struct rounds *r)
{
    const struct model *model = r->m->model;
    bool moves = false;
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct variable *variable = model->variables[v];
        const struct term *after = r->way->after[v];
        struct course *c = &r->courses[v];
        if (after == NULL || after == variable->term)
            continue;
        c->pace = PACE_SET;
        c->step = sum_of(r->m->store, after);
        if (!c->step.failed && take_out(&c->step, variable->term) == 1) {
            c->pace = is_literal_sum(&c->step) ? PACE_LITERAL : PACE_FIXED;
            moves = true;
        }
    }
    for (uint32_t v = 0; v < model->variable_count; v++) {
        struct course *c = &r->courses[v];
        bool fixed = true;
        for (uint32_t i = 0; c->pace == PACE_FIXED && i < c->step.count; i++)
            fixed = fixed && (c->step.factor[i] == 0 || !reads_written(r, c->step.part[i]));
        if (!fixed) {
            c->pace = PACE_BENT;
            r->failed = r->failed || !literal_step(r, &c->step, &c->bend, NULL);
        }
        r->failed = r->failed || (c->pace == PACE_SET && way_reads(r, model->variables[v]->term));
    }
    r->failed = r->failed || !moves;
}

// One kind of numbers only: the number of rounds is of the widest.
static void choose_number(struct rounds *r)
{
    for (uint32_t v = 0; v < r->m->model->variable_count; v++) {
        const struct sort *sort = r->m->model->variables[v]->sort;
        const enum pace pace = r->courses[v].pace;
        if (pace == PACE_STILL || pace == PACE_SET)
            continue;
        r->failed = r->failed || (r->sort != NULL && r->sort->kind != sort->kind);
        if (r->sort == NULL || (sort->kind == SORT_BV && sort->width > r->sort->width))
            r->sort = sort;
    }
}

static const struct term *number_as(const struct rounds *r, const struct sort *sort)
{
    return sort == r->sort ? r->number
                           : term_bv_extract(r->m->store, r->number, sort->width - 1, 0);
}

// n * (n - 1) / 2, of words: one of the two is even.
static const struct term *pairs_of(struct term_store *store, const struct term *n)
{
    const struct sort *sort = n->sort;
    if (sort->kind == SORT_INT)
        return term_div(store, term_mul2(store, n, term_add2(store, n, term_int(store, -1))),
                        term_int(store, 2));
    const struct term *one = term_bv(store, sort->width, 1),
                      *odd = term_eq(store, term_bv_extract(store, n, 0, 0), term_bv(store, 1, 1)),
                      *half = term_bv_binary(store, TERM_BV_LSHR, n, one),
                      *less = plus(store, n, term_bv(store, sort->width, UINT64_MAX));
    return times(store, half, term_ite(store, odd, n, less));
}

static void find_last(struct rounds *r)
{
    struct term_store *store = r->m->store;
    for (uint32_t v = 0; v < r->m->model->variable_count; v++) {
        const struct variable *variable = r->m->model->variables[v];
        const struct course *c = &r->courses[v];
        r->at_last[v] = variable->term;
        if (c->pace == PACE_STILL || c->pace == PACE_SET)
            continue;
        const struct term *n = number_as(r, variable->sort);
        r->at_last[v] =
            plus(store, variable->term, times(store, n, sum_term(store, variable->sort, &c->step)));
        if (c->pace == PACE_BENT)
            r->at_last[v] =
                plus(store, r->at_last[v],
                     times(store, pairs_of(store, n), number_term(store, variable->sort, c->bend)));
    }
}

static const struct term *last_of(void *context, const struct term *variable)
{
    const struct rounds *r = context;
    const struct variable *v = model_variable_of(r->m->model, variable);
    return v == NULL ? variable : r->at_last[v->index];
}

static const struct term *at_last(struct rounds *r, const struct term *term)
{
    return rewrite_substitute(r->m->store, term, last_of, r);
}

static void require(struct rounds *r, const struct term *condition)
{
    VECTOR_PUSH(&r->conditions, condition);
}

// A word that grows by so much each round does not pass the end of its range before the last one.
static void require_range(struct rounds *r, const struct term *word, __int128 step, bool sign)
{
    struct term_store *store = r->m->store;
    const uint32_t width = word->sort->width;
    if (step == 0 || word->sort->kind != SORT_BV)
        return;
    const __int128 size = step < 0 ? -step : step, most = (((__int128)1 << width) - 1) / size;
    const enum term_kind order = sign ? TERM_BV_SLE : TERM_BV_ULE;
    if (most < ((__int128)1 << r->sort->width) - 1)
        require(r, term_bv_binary(store, TERM_BV_ULE, r->number,
                                  term_bv(store, r->sort->width, (uint64_t)most)));
    const struct term *last = at_last(r, word);
    require(r, step > 0 ? term_bv_binary(store, order, word, last)
                        : term_bv_binary(store, order, last, word));
}

// By how much it grows in a round, with what that needs. Failed: not by a literal.
static __int128 require_step(struct rounds *r, const struct term *term)
{
    const struct sum s = sum_of(r->m->store, term);
    struct term_vector ranges = {0};
    __int128 step = 0;
    r->failed = r->failed || s.failed || !literal_step(r, &s, &step, &ranges);
    for (size_t i = 0; i < ranges.count && !r->failed; i++) {
        const struct term *narrow = ranges.data[i]->child[0];
        const __int128 own = as_signed(course_of(r, narrow)->step.constant, narrow->sort->width);
        require_range(r, narrow, own, ranges.data[i]->kind == TERM_BV_SEXT);
    }
    VECTOR_FINISH(&ranges);
    return as_signed(step, s.width);
}

// The two are equal in none of the rounds. Of words: the first round in which they would be comes later.
static void require_apart(struct rounds *r, const struct term *a, const struct term *b,
                          __int128 step)
{
    struct term_store *store = r->m->store;
    const uint32_t width = a->sort->width;
    if (a->sort->kind == SORT_INT) {
        const struct term *x = at_last(r, a), *y = at_last(r, b);
        require(r, term_or2(store, term_and2(store, term_lt(store, a, b), term_lt(store, x, y)),
                            term_and2(store, term_lt(store, b, a), term_lt(store, y, x))));
        return;
    }
    const struct term *back = plus(store, b, term_bv_unary(store, TERM_BV_NEG, a));
    const uint32_t zeros = (uint32_t)__builtin_ctzll((uint64_t)step);
    const struct term *meet =
        times(store, zeros > 0 ? term_bv_extract(store, back, width - 1, zeros) : back,
              term_bv(store, width - zeros, odd_inverse((uint64_t)step >> zeros)));
    const uint32_t wide = width > r->sort->width ? width : r->sort->width;
    const struct term *later =
        term_bv_binary(store, TERM_BV_ULT, term_bv_extend(store, TERM_BV_ZEXT, r->number, wide),
                       term_bv_extend(store, TERM_BV_ZEXT, meet, wide));
    if (zeros > 0)
        later = term_or2(store, later,
                         term_not(store, term_eq(store, term_bv_extract(store, back, zeros - 1, 0),
                                                 term_bv(store, zeros, 0))));
    require(r, later);
}

static void require_in_all(struct rounds *r, const struct term *condition)
{
    const bool holds = condition->kind != TERM_NOT;
    const struct term *c = holds ? condition : condition->child[0];
    require(r, condition);
    if (!reads_written(r, condition))
        return;
    require(r, at_last(r, condition));
    __int128 step;
    switch (c->kind) {
    case TERM_EQ: {
        struct sum difference = {
            .width = c->child[0]->sort->kind == SORT_BV ? c->child[0]->sort->width : 0};
        step = require_step(r, c->child[0]);
        step = reduced(&difference, step - require_step(r, c->child[1]));
        if (r->failed)
            return;
        if (step != 0 && holds)
            r->failed = true;
        else if (step != 0)
            require_apart(r, c->child[0], c->child[1], step);
        return;
    }
    case TERM_LE:
    case TERM_LT:
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_SLT:
    case TERM_BV_SLE:
        for (uint32_t i = 0; i < 2; i++) {
            step = require_step(r, c->child[i]);
            if (!r->failed)
                require_range(r, c->child[i], step,
                              c->kind == TERM_BV_SLT || c->kind == TERM_BV_SLE);
        }
        return;
    default:
        r->failed = true;
    }
}

// Who runs the input needs the rounds in which nothing is arbitrary not at all.
static bool may_skip(const struct model *model)
{
    const struct model_judge *judge = model_root(model)->judge;
    return judge != NULL && judge->follows;
}

static void require_few(struct rounds *r)
{
    struct term_store *store = r->m->store;
    const uint64_t most = ACCELERATE_MOST_ROUNDS - 1;
    if (r->sort->kind == SORT_BV && may_skip(r->m->model))
        return;
    if (r->sort->kind == SORT_INT) {
        require(r, term_le(store, term_int(store, 0), r->number));
        require(r, term_le(store, r->number, term_int(store, (int64_t)most)));
    } else if (most < UINT64_MAX >> (64 - r->sort->width)) {
        require(
            r, term_bv_binary(store, TERM_BV_ULE, r->number, term_bv(store, r->sort->width, most)));
    }
}

// The statements.

struct statements {
    struct statement **data;
    size_t count, capacity; // a VECTOR
};

static struct statement *as_one(struct making *m, struct statements *parts)
{
    struct statement *made = model_sequence(m->builder, parts->data, parts->count, NOWHERE);
    VECTOR_FINISH(parts);
    return made;
}

static const struct variable *extra(struct making *m, const char *stem, const struct sort *sort)
{
    struct {
        const struct variable **data;
        size_t count, capacity;
    } list = {m->extra, m->extra_count, m->extra_capacity};
    VECTOR_PUSH(&list, model_builder_fresh(m->builder, stem, sort, VARIABLE_LOCAL, NOWHERE));
    m->extra = list.data;
    m->extra_count = list.count;
    m->extra_capacity = list.capacity;
    return VECTOR_LAST(&list);
}

// What no step carries has the same value after each.
static void reset(struct making *m, size_t from, struct statements *out)
{
    for (size_t i = from; i < m->extra_count; i++)
        VECTOR_PUSH(out, model_assign(m->builder, m->extra[i],
                                      term_default(m->store, m->extra[i]->sort), NOWHERE));
}

static struct statement *rounds_statement(struct rounds *r, const struct variable *number,
                                          size_t first_extra, struct prefix *prefix)
{
    struct making *m = r->m;
    const struct model *model = m->model;
    struct statements parts = {0}, copies = {0};
    struct statement *havoc = model_havoc(m->builder, number, NOWHERE);
    prefix->rounds = havoc;
    VECTOR_PUSH(&parts, havoc);
    VECTOR_PUSH(&parts,
                model_assume(m->builder,
                             term_and(m->store, r->conditions.data, r->conditions.count), NOWHERE));
    for (uint32_t v = 0; v < model->variable_count; v++) {
        if (r->courses[v].pace == PACE_STILL)
            continue;
        const struct variable *copy =
            extra(m, model->variables[v]->name, model->variables[v]->sort);
        VECTOR_PUSH(&parts, model_assign(m->builder, copy, at_last(r, r->way->after[v]), NOWHERE));
        VECTOR_PUSH(&copies, model_assign(m->builder,
                                          model_builder_find(m->builder, model->variables[v]->name),
                                          copy->term, NOWHERE));
    }
    for (size_t i = 0; i < copies.count; i++)
        VECTOR_PUSH(&parts, copies.data[i]);
    VECTOR_FINISH(&copies);
    reset(m, first_extra, &parts);
    return as_one(m, &parts);
}

static void keep_choices(struct making *m, const struct way *way, struct prefix *prefix)
{
    struct way_choice *choices =
        arena_alloc(&m->builder->memory->arena, (way->choices.count + 1) * sizeof *choices);
    if (way->choices.count > 0)
        memcpy(choices, way->choices.data, way->choices.count * sizeof *choices);
    prefix->choices = choices;
    prefix->choice_count = way->choices.count;
}

// NULL: the rounds along this way are not known at once.
static struct statement *many_rounds(struct making *m, const struct way *way, struct prefix *prefix)
{
    const uint32_t count = m->model->variable_count;
    const size_t first_extra = m->extra_count;
    struct rounds r = {.m = m, .way = way};
    struct statement *made = NULL;
    r.courses = memory_zalloc((count + 1) * sizeof *r.courses);
    r.at_last = memory_zalloc((count + 1) * sizeof *r.at_last);
    find_courses(&r);
    if (!r.failed)
        choose_number(&r);
    if (!r.failed) {
        const struct variable *number = extra(m, "rounds", r.sort);
        r.number = number->term;
        find_last(&r);
        require_few(&r);
        for (size_t i = 0; i < way->assumed.count && !r.failed; i++)
            require_in_all(&r, way->assumed.data[i]);
        if (!r.failed) {
            made = rounds_statement(&r, number, first_extra, prefix);
            keep_choices(m, way, prefix);
        }
    }
    memory_free(r.courses);
    memory_free(r.at_last);
    VECTOR_FINISH(&r.conditions);
    return made;
}

// The edge's action, with rounds before it where some are known at once.
static struct statement *edge_action(struct making *m, const struct edge *edge,
                                     struct accelerated *out)
{
    struct statements branches = {0};
    struct arena *kept = &m->builder->memory->arena;
    struct prefix *prefixes = arena_zalloc(kept, (MOST_WAYS + 1) * sizeof *prefixes);
    find_ways(m, edge->action);
    for (size_t w = 0; w < m->ways.count; w++) {
        struct statement *rounds = many_rounds(m, &m->ways.data[w], &prefixes[branches.count + 1]);
        if (rounds != NULL)
            VECTOR_PUSH(&branches, rounds);
    }
    forget_ways(m);
    struct statement *action = recode_statement(m->builder, edge->action);
    if (branches.count == 0)
        return action;
    struct statements all = {0}, parts = {0};
    VECTOR_PUSH(&all, model_skip(m->builder, NOWHERE));
    for (size_t i = 0; i < branches.count; i++)
        VECTOR_PUSH(&all, branches.data[i]);
    struct statement *choice = model_choice(m->builder, all.data, all.count, NOWHERE);
    *out = (struct accelerated){choice, prefixes};
    VECTOR_PUSH(&parts, choice);
    VECTOR_PUSH(&parts, action);
    VECTOR_FINISH(&branches);
    VECTOR_FINISH(&all);
    return as_one(m, &parts);
}

// The way back.

static void map_hints(struct trace *to, struct trace_step *step, const struct trace_step *from)
{
    const bool replayed = from->events != NULL;
    const size_t count = replayed ? from->event_count : from->hint_count;
    for (size_t i = 0; i < count; i++) {
        const struct statement *s = replayed ? from->events[i].statement : from->hints[i].statement;
        if (s->origin == NULL || (s->kind != STATEMENT_CHOICE && s->kind != STATEMENT_HAVOC))
            continue;
        trace_add_hint(to, step, s->origin, s->kind == STATEMENT_HAVOC ? s->variable->sort : NULL,
                       replayed ? from->events[i].value : from->hints[i].value);
    }
}

static bool find_decision(const struct trace_step *step, const struct statement *statement,
                          uint64_t *out)
{
    const bool replayed = step->events != NULL;
    const size_t count = replayed ? step->event_count : step->hint_count;
    for (size_t i = 0; i < count; i++) {
        if ((replayed ? step->events[i].statement : step->hints[i].statement) != statement)
            continue;
        const struct value value = replayed ? step->events[i].value : step->hints[i].value;
        *out = value_is_small(value) ? (uint64_t)value_small_get(value) : UINT64_MAX;
        return true;
    }
    return false;
}

static void write_rounds(struct trace *to, const struct trace_step *from, const struct edge *edge,
                         const struct accelerated *accelerated)
{
    uint64_t branch = 0, number = 0;
    if (accelerated->choice == NULL || !find_decision(from, accelerated->choice, &branch) ||
        branch == 0)
        return;
    const struct prefix *prefix = &accelerated->prefixes[branch];
    find_decision(from, prefix->rounds, &number);
    if (number >= MOST_WRITTEN && may_skip(to->model)) {
        to->skips = true;
        return;
    }
    for (uint64_t n = 0; n <= number && to->step_count < MOST_STEPS; n++) {
        struct trace_step *step = trace_add_step(to, edge);
        for (size_t i = 0; i < prefix->choice_count; i++)
            trace_add_hint(to, step, prefix->choices[i].choice, NULL,
                           value_small(prefix->choices[i].branch));
    }
}

static struct trace *map_trace(const struct trace *trace)
{
    const struct model *model = trace->model->source;
    const struct acceleration *acceleration = (const struct acceleration *)recode_of(trace->model);
    struct trace *to = trace_create(model);
    for (uint32_t v = 0; v < model->variable_count; v++) {
        const struct variable *variable = model->variables[v],
                              *same = model_find_variable(trace->model, variable->name);
        to->start[v] = trace_own(to, variable->sort, trace->start[same->index]);
    }
    map_hints(to, &to->initial, &trace->initial);
    for (size_t i = 0; i < trace->step_count && to->step_count < MOST_STEPS; i++) {
        const struct trace_step *from = &trace->steps[i];
        const struct edge *edge = from->edge->origin[0];
        write_rounds(to, from, edge, &acceleration->edges[edge->id]);
        map_hints(to, trace_add_step(to, edge), from);
    }
    trace_add_divisions(to, trace);
    return to;
}

struct lifting {
    const struct model *model;
    struct term_store *store;
};

// What is local has this value after every step of the accelerated model.
static const struct term *without_extra(void *context, const struct term *variable)
{
    const struct lifting *l = context;
    return model_variable_of(l->model, variable) != NULL ? variable
                                                         : term_default(l->store, variable->sort);
}

static const struct term **lift_invariant(const struct model *accelerated, struct term_store *store,
                                          const struct term *const *invariant)
{
    const struct model *model = accelerated->source;
    struct lifting lifting = {model, store};
    const struct term **lifted = memory_zalloc((model->location_count + 1) * sizeof *lifted);
    for (uint32_t i = 0; i < accelerated->location_count; i++) {
        if (invariant[i] != NULL)
            lifted[accelerated->locations[i]->origin->index] =
                rewrite_substitute(store, invariant[i], without_extra, &lifting);
    }
    return lifted;
}

static void destroy(struct recoding *base)
{
    struct acceleration *acceleration = (struct acceleration *)base;
    memory_free(acceleration->edges);
    memory_free(acceleration);
}

// The graph.

static bool build_edges(struct making *m, struct location **location,
                        struct acceleration *acceleration)
{
    bool some = false;
    for (uint32_t e = 0; e < m->model->edge_count; e++) {
        const struct edge *edge = m->model->edges[e];
        if (m->given_up != NULL && atomic_load_explicit(m->given_up, memory_order_relaxed))
            return false;
        struct statement *action = edge->source == edge->target && edge->source != m->model->error
                                       ? edge_action(m, edge, &acceleration->edges[e])
                                       : recode_statement(m->builder, edge->action);
        some = some || acceleration->edges[e].choice != NULL;
        struct edge *made =
            model_builder_edge(m->builder, location[edge->source->index],
                               location[edge->target->index], action, edge->label, edge->position);
        const struct edge **origin = arena_alloc(&m->builder->memory->arena, sizeof *origin);
        *origin = edge;
        made->origin = origin;
        made->origin_count = 1;
    }
    return some;
}

static bool build(struct making *m, struct acceleration *acceleration)
{
    const struct model *model = m->model;
    struct location **location = memory_zalloc((model->location_count + 1) * sizeof *location);
    for (uint32_t i = 0; i < model->variable_count; i++) {
        const struct variable *v = model->variables[i];
        model_builder_variable(m->builder, v->name, v->sort, v->flags, v->source);
    }
    for (uint32_t i = 0; i < model->location_count; i++) {
        const struct location *l = model->locations[i];
        location[i] = model_builder_location(m->builder, l->name, l->phase, l->observable);
        location[i]->origin = l;
    }
    const bool some = build_edges(m, location, acceleration);
    struct statements parts = {0};
    VECTOR_PUSH(&parts, recode_statement(m->builder, model->initial_action));
    reset(m, 0, &parts);
    model_builder_initial(m->builder, location[model->initial->index], as_one(m, &parts));
    model_builder_error(m->builder, location[model->error->index]);
    model_builder_property(m->builder, model->property);
    memory_free(location);
    return some;
}

struct model *accelerate_model(struct model *model, const _Atomic bool *given_up)
{
    struct acceleration *acceleration = memory_zalloc(sizeof *acceleration);
    acceleration->base = (struct recoding){map_trace, lift_invariant, destroy};
    acceleration->edges = memory_zalloc((model->edge_count + 1) * sizeof *acceleration->edges);
    struct arena arena;
    arena_init(&arena);
    struct making m = {.model = model,
                       .builder = recode_builder(model, &acceleration->base),
                       .arena = &arena,
                       .given_up = given_up};
    m.store = model_builder_store(m.builder);
    const bool some = build(&m, acceleration);
    VECTOR_FINISH(&m.ways);
    memory_free(m.extra);
    arena_finish(&arena);
    if (!some) {
        model_builder_destroy(m.builder);
        model_destroy(model);
        return NULL;
    }
    m.builder->memory->recoded = model;
    return model_builder_finish(m.builder);
}
