#include "engines/bounded/octagon_words.h"

#include <assert.h>

#include "base/memory.h"

#define MOST_CONDITIONALS 6 // inside one another
#define MOST_CASES 8        // at one place
#define MOST_TERM 2000      // nodes of what is looked at

// What is assumed.

// Of the parts, up to two, and the rest is at least its least: what they add up to when all is at most 0.
static void restrict_parts(struct octagon *o, const struct octagon_form *f, uint32_t i, uint32_t j)
{
    struct octagon_form rest = {.low = f->low, .high = f->high};
    for (uint32_t k = 0; k < f->count; k++)
        if (k != i && k != j)
            octagon_form_add_part(&rest, f->number[k], f->factor[k]);
    octagon_bound least = octagon_form_least(o, &rest);
    if (least == OCTAGON_NONE || octagon_form_times(f, i) != octagon_form_times(f, j))
        return;
    octagon_bound most = octagon_divide_down(-least, octagon_form_times(f, i));
    octagon_restrict(o, octagon_form_side(f, i), octagon_form_side(f, j), i == j ? 2 * most : most);
}

// It is at most 0.
static void restrict_form(struct octagon_words *w, struct octagon *o, const struct octagon_form *f)
{
    if (f->count == 0)
        o->empty |= f->low > 0;
    for (uint32_t i = 0; i < f->count && !o->empty; i++)
        for (uint32_t j = i; j < f->count && !o->empty; j++) {
            w->work -= (int64_t)o->numbers * o->numbers;
            restrict_parts(o, f, i, j);
        }
}

// left - right + more is at most 0.
static void restrict_difference(struct octagon_words *w, struct octagon *o,
                                struct octagon_form left, struct octagon_form right, int more)
{
    octagon_form_negate(&right);
    if (!octagon_form_add(&left, &right))
        return;
    left.low += more;
    left.high += more;
    restrict_form(w, o, &left);
}

static void restrict_different(struct octagon_words *w, struct octagon *o, struct octagon_form left,
                               struct octagon_form right)
{
    struct octagon_form difference = right;
    octagon_form_negate(&difference);
    if (!octagon_form_add(&difference, &left))
        return;
    if (difference.count == 0 && difference.low == 0 && difference.high == 0)
        o->empty = true;
    if (octagon_form_most(o, &difference) == 0)
        restrict_difference(w, o, left, right, 1);
    else if (octagon_form_least(o, &difference) == 0)
        restrict_difference(w, o, right, left, 1);
}

static void assume_equal(struct octagon_words *w, struct octagon *o, const struct term *t,
                         bool holds)
{
    for (int is_signed = 0; is_signed < 2 && !o->empty; is_signed++) {
        struct octagon_form left = octagon_evaluate(w, o, t->child[0], is_signed);
        struct octagon_form right = octagon_evaluate(w, o, t->child[1], is_signed);
        if (!holds) {
            restrict_different(w, o, left, right);
            continue;
        }
        restrict_difference(w, o, left, right, 0);
        if (!o->empty)
            restrict_difference(w, o, right, left, 0);
    }
}

static void assume_comparison(struct octagon_words *w, struct octagon *o, const struct term *t,
                              bool holds)
{
    bool is_signed = t->kind == TERM_BV_SLT || t->kind == TERM_BV_SLE;
    bool strict = t->kind == TERM_BV_SLT || t->kind == TERM_BV_ULT;
    struct octagon_form left = octagon_evaluate(w, o, t->child[0], is_signed);
    struct octagon_form right = octagon_evaluate(w, o, t->child[1], is_signed);
    if (holds)
        restrict_difference(w, o, left, right, strict);
    else
        restrict_difference(w, o, right, left, !strict);
}

static void assume(struct octagon_words *w, struct octagon *o, const struct term *t, bool holds,
                   unsigned depth);

static void decide(struct octagon_words *w, const struct term *condition, bool holds)
{
    VECTOR_PUSH(&w->decided, ((struct octagon_decision){condition, holds}));
}

static void restore(struct octagon_words *w, uint32_t known, uint32_t values)
{
    w->known = known;
    w->values = values;
}

static void assume_atom(struct octagon_words *w, struct octagon *o, const struct term *t,
                        bool holds, unsigned depth)
{
    unsigned most = MOST_TERM;
    const struct term *conditional =
        depth < MOST_CONDITIONALS ? octagon_find_conditional(w, t, &most) : NULL;
    if (conditional != NULL) {
        struct octagon *other = memory_alloc(sizeof *other);
        uint32_t known = w->known, values = w->values;
        *other = *o;
        for (int i = 0; i < 2; i++) {
            decide(w, conditional->child[0], i == 0);
            assume(w, i == 0 ? o : other, conditional->child[0], i == 0, depth + 1);
            assume_atom(w, i == 0 ? o : other, t, holds, depth + 1);
            w->decided.count--;
            restore(w, known, values);
        }
        octagon_join(o, other);
        memory_free(other);
    } else if (t->kind == TERM_EQ) {
        assume_equal(w, o, t, holds);
    } else {
        assume_comparison(w, o, t, holds);
    }
}

// Each of the children in turn has that truth value, or one of them has.
static void assume_children(struct octagon_words *w, struct octagon *o, const struct term *t,
                            bool holds, bool all, unsigned depth)
{
    if (all) {
        for (uint32_t i = 0; i < t->child_count; i++)
            assume(w, o, t->child[i], holds, depth);
        return;
    }
    struct octagon *before = memory_alloc(2 * sizeof *before), *branch = before + 1;
    uint32_t known = w->known, values = w->values;
    *before = *o;
    o->empty = true;
    for (uint32_t i = 0; i < t->child_count; i++) {
        *branch = *before;
        assume(w, branch, t->child[i], holds, depth + 1);
        octagon_join(o, branch);
        restore(w, known, values);
    }
    memory_free(before);
}

// Of Booleans: left is the same as right, or (`holds` is false) they differ. And conditionals.
static void assume_either(struct octagon_words *w, struct octagon *o, const struct term *t,
                          bool holds, unsigned depth)
{
    struct octagon *other = memory_alloc(sizeof *other);
    uint32_t known = w->known, values = w->values;
    *other = *o;
    bool equal = t->kind == TERM_EQ;
    assume(w, o, t->child[0], true, depth + 1);
    assume(w, o, t->child[1], holds, depth + 1);
    restore(w, known, values);
    assume(w, other, t->child[0], false, depth + 1);
    assume(w, other, t->child[equal ? 1 : 2], equal ? !holds : holds, depth + 1);
    restore(w, known, values);
    octagon_join(o, other);
    memory_free(other);
}

static void assume_boolean(struct octagon_words *w, struct octagon *o, uint32_t bit, bool holds)
{
    if (w->known & bit)
        o->empty = ((w->values & bit) != 0) != holds;
    w->known |= bit;
    w->values = holds ? w->values | bit : w->values & ~bit;
}

// Which runs are left when the condition has that truth value; no fewer.
static void assume(struct octagon_words *w, struct octagon *o, const struct term *t, bool holds,
                   unsigned depth)
{
    w->work -= o->numbers;
    if (o->empty || w->work <= 0)
        return;
    switch (t->kind) {
    case TERM_BOOL:
        o->empty = term_is_true(t) != holds;
        break;
    case TERM_VAR:
        assume_boolean(w, o, octagon_bit_of(w, t), holds);
        break;
    case TERM_NOT:
        assume(w, o, t->child[0], !holds, depth);
        break;
    case TERM_AND:
    case TERM_OR:
        if ((t->kind == TERM_AND) == holds || depth < MOST_CONDITIONALS)
            assume_children(w, o, t, holds, (t->kind == TERM_AND) == holds, depth);
        break;
    case TERM_ITE:
        if (depth < MOST_CONDITIONALS)
            assume_either(w, o, t, holds, depth);
        break;
    case TERM_EQ:
        if (octagon_is_narrow(t->child[0]))
            assume_atom(w, o, t, holds, depth);
        else if (t->child[0]->sort->kind == SORT_BOOL && depth < MOST_CONDITIONALS)
            assume_either(w, o, t, holds, depth);
        break;
    case TERM_BV_ULT:
    case TERM_BV_ULE:
    case TERM_BV_SLT:
    case TERM_BV_SLE:
        if (octagon_is_narrow(t->child[0]))
            assume_atom(w, o, t, holds, depth);
        break;
    default:
        break;
    }
}

// Statements.

static void limit(const struct octagon_words *w, uint32_t number,
                  octagon_bound rows[2][OCTAGON_SIDES])
{
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t b = 0; b < OCTAGON_SIDES; b++)
            rows[i][b] = OCTAGON_NONE;
    rows[0][2 * number] = 2 * octagon_greatest(w, number);
    rows[1][2 * number + 1] = -2 * octagon_least(w, number);
}

void octagon_words_forget(struct octagon_words *w, struct octagon *o, uint32_t number)
{
    octagon_bound rows[2][OCTAGON_SIDES];
    w->work -= (int64_t)o->numbers * o->numbers;
    limit(w, number, rows);
    if (!o->empty)
        octagon_replace(o, number, rows);
}

static void assign_form(struct octagon_words *w, struct octagon *o, uint32_t number,
                        const struct octagon_form *f)
{
    octagon_bound rows[2][OCTAGON_SIDES];
    w->work -= 2 * (int64_t)o->numbers * o->numbers;
    limit(w, number, rows);
    for (uint32_t i = 0; i < 2; i++) {
        struct octagon_form own = *f;
        if (i == 1)
            octagon_form_negate(&own);
        octagon_bound most = octagon_form_most(o, &own);
        uint32_t side = 2 * number + i;
        if (most != OCTAGON_NONE && 2 * most < rows[i][side])
            rows[i][side] = 2 * most;
        for (uint32_t b = 0; b < 2 * o->numbers; b++) {
            struct octagon_form with = own;
            if (b / 2 != number && octagon_form_add_part(&with, b / 2, b % 2 == 0 ? 1 : -1))
                rows[i][b] = octagon_form_most(o, &with);
        }
    }
    octagon_replace(o, number, rows);
}

static void assign(struct octagon_words *w, struct octagon *o, uint32_t number,
                   const struct term *t, unsigned depth)
{
    unsigned most = MOST_TERM;
    if (o->empty)
        return;
    const struct term *conditional =
        depth < MOST_CONDITIONALS ? octagon_find_conditional(w, t, &most) : NULL;
    if (conditional == NULL) {
        struct octagon_form f = octagon_evaluate(w, o, t, w->is_signed[number]);
        assign_form(w, o, number, &f);
        return;
    }
    struct octagon *other = memory_alloc(sizeof *other);
    uint32_t known = w->known, values = w->values;
    *other = *o;
    for (int i = 0; i < 2; i++) {
        decide(w, conditional->child[0], i == 0);
        assume(w, i == 0 ? o : other, conditional->child[0], i == 0, depth + 1);
        assign(w, i == 0 ? o : other, number, t, depth + 1);
        w->decided.count--;
        restore(w, known, values);
    }
    octagon_join(o, other);
    memory_free(other);
}

// Cases.

// One case for all, which knows what all agree on.
static void join_all(struct octagon_cases *cases)
{
    struct octagon_case *all = &cases->data[0];
    for (size_t i = 1; i < cases->count; i++) {
        const struct octagon_case *other = &cases->data[i];
        octagon_join(&all->octagon, &other->octagon);
        all->known &= other->known & ~(all->values ^ other->values);
        all->values &= all->known;
    }
    cases->count = 1;
}

// Not one that no run is in; with others that have the same Booleans it is one.
static void add_case(struct octagon_cases *cases, const struct octagon_case *added)
{
    if (added->octagon.empty)
        return;
    for (size_t i = 0; i < cases->count; i++)
        if (cases->data[i].known == added->known && cases->data[i].values == added->values) {
            octagon_join(&cases->data[i].octagon, &added->octagon);
            return;
        }
    VECTOR_PUSH(cases, *added);
    if (cases->count > MOST_CASES)
        join_all(cases);
}

static void assume_in_case(struct octagon_words *w, struct octagon_case *c, const struct term *t,
                           bool holds)
{
    restore(w, c->known, c->values);
    assume(w, &c->octagon, t, holds, 0);
    c->known = w->known;
    c->values = w->values;
}

static void assume_in_cases(struct octagon_words *w, struct octagon_cases *cases,
                            const struct term *t, bool holds)
{
    struct octagon_cases left = {0};
    for (size_t i = 0; i < cases->count; i++) {
        assume_in_case(w, &cases->data[i], t, holds);
        add_case(&left, &cases->data[i]);
    }
    VECTOR_FINISH(cases);
    *cases = left;
}

static void know(struct octagon_case *c, uint32_t bit, bool value)
{
    c->known |= bit;
    c->values = value ? c->values | bit : c->values & ~bit;
}

static void forget_boolean(struct octagon_cases *cases, uint32_t bit)
{
    for (size_t i = 0; i < cases->count; i++) {
        cases->data[i].known &= ~bit;
        cases->data[i].values &= ~bit;
    }
}

// It is a case that the term is true, and one that it is false.
static void assign_boolean(struct octagon_words *w, struct octagon_cases *cases, uint32_t bit,
                           const struct term *t)
{
    struct octagon_cases after = {0};
    struct octagon_case *branch = memory_alloc(sizeof *branch);
    for (size_t i = 0; i < cases->count; i++)
        for (int value = 0; value < 2; value++) {
            *branch = cases->data[i];
            assume_in_case(w, branch, t, value);
            know(branch, bit, value);
            add_case(&after, branch);
        }
    memory_free(branch);
    VECTOR_FINISH(cases);
    *cases = after;
}

static void pass_any(struct octagon_words *w, struct octagon_cases *cases,
                     const struct statement *s)
{
    struct octagon_cases after = {0};
    for (uint32_t i = 0; i < s->child_count && w->work > 0; i++) {
        struct octagon_cases branch = {0};
        for (size_t k = 0; k < cases->count; k++)
            VECTOR_PUSH(&branch, cases->data[k]);
        w->work -= (int64_t)cases->count;
        if (s->kind == STATEMENT_IF)
            assume_in_cases(w, &branch, s->expression, i == 0);
        octagon_words_pass(w, &branch, s->child[i]);
        for (size_t k = 0; k < branch.count; k++)
            add_case(&after, &branch.data[k]);
        VECTOR_FINISH(&branch);
    }
    VECTOR_FINISH(cases);
    *cases = after;
}

static void pass_write(struct octagon_words *w, struct octagon_cases *cases,
                       const struct statement *s)
{
    uint32_t number = w->number_of[s->variable->index];
    uint32_t bit = octagon_bit_of(w, s->variable->term);
    if (bit != 0 && s->kind == STATEMENT_ASSIGN)
        assign_boolean(w, cases, bit, s->expression);
    else if (bit != 0)
        forget_boolean(cases, bit);
    for (size_t i = 0; i < cases->count && number != OCTAGON_NUMBERS; i++) {
        struct octagon_case *c = &cases->data[i];
        restore(w, c->known, c->values);
        if (s->kind == STATEMENT_ASSIGN)
            assign(w, &c->octagon, number, s->expression, 0);
        else
            octagon_words_forget(w, &c->octagon, number);
    }
}

void octagon_words_pass(struct octagon_words *w, struct octagon_cases *cases,
                        const struct statement *s)
{
    if (cases->count == 0 || w->work <= 0)
        return;
    switch (s->kind) {
    case STATEMENT_SKIP:
        break;
    case STATEMENT_ASSUME:
        assume_in_cases(w, cases, s->expression, true);
        break;
    case STATEMENT_ASSIGN:
    case STATEMENT_HAVOC:
        pass_write(w, cases, s);
        break;
    case STATEMENT_SEQUENCE:
        for (uint32_t i = 0; i < s->child_count; i++)
            octagon_words_pass(w, cases, s->child[i]);
        break;
    case STATEMENT_CHOICE:
    case STATEMENT_IF:
        pass_any(w, cases, s);
        break;
    }
}
