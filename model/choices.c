#include "model/choices.h"

#include <assert.h>

#define MOST_STRETCH 64 // numbers that an index lies between

// `2 * a = 6` as `a = 3`: what is compared, and with what; NULL: it is no such equation.
static const struct term *compared(const struct range_view *view, const struct term *condition,
                                   uint64_t *with)
{
    if (condition->kind != TERM_EQ || !range_is_for(condition->child[0]->sort) ||
        !(term_is_literal(condition->child[0]) || term_is_literal(condition->child[1])))
        return NULL;
    const int literal = term_is_literal(condition->child[0]) ? 0 : 1;
    const struct term *t = condition->child[1 - literal];
    *with = term_bv_number(condition->child[literal]);
    for (;;) {
        const bool has = t->child_count == 2 && range_is_for(t->sort) &&
                         (term_is_literal(t->child[0]) || term_is_literal(t->child[1]));
        const int factor = has && term_is_literal(t->child[0]) ? 0 : 1;
        if (t->kind == TERM_BV_ZEXT) {
            t = t->child[0];
            continue;
        }
        if (t->kind != TERM_BV_MUL || !has)
            return t;
        const uint64_t by = term_bv_number(t->child[factor]);
        const struct range range = range_of(view, t->child[1 - factor]),
                           any = range_any(t->sort->width);
        if (by == 0 || range.most > any.most / by || *with % by != 0)
            return t;
        *with /= by;
        t = t->child[1 - factor];
    }
}

// Do the conditions of an index's cases name all numbers that it may be? Then the last branch is never taken.
static bool names_all(const struct range_view *view, const struct term *t)
{
    const struct term *word = NULL;
    uint64_t seen = 0, number;
    struct range range = {0};
    for (; t->kind == TERM_ITE; t = t->child[2]) {
        const struct term *one = compared(view, t->child[0], &number);
        if (one == NULL || (word != NULL && word != one))
            return false;
        if (word == NULL)
            range = range_of(view, one);
        word = one;
        if (range.most - range.least >= MOST_STRETCH)
            return false;
        if (number >= range.least && number <= range.most)
            seen |= UINT64_C(1) << (number - range.least);
    }
    return word != NULL && seen == UINT64_MAX >> (MOST_STRETCH - 1 - (range.most - range.least));
}

bool choices_find(const struct range_view *view, const struct term *word,
                  struct term_vector *values)
{
    const bool closed = names_all(view, word);
    for (; word->kind == TERM_ITE; word = word->child[2]) {
        const int holds = range_decide(view, word->child[0]);
        if (holds >= 0 && !choices_find(view, word->child[1], values))
            return false;
        if (holds > 0)
            return true;
    }
    if (closed)
        return true;
    if (!term_is_literal(word))
        return false;
    term_vector_add_once(values, word, CHOICES_MOST_VALUES + 1);
    return values->count <= CHOICES_MOST_VALUES;
}

bool choices_take(struct choices *choices, uint32_t of, uint32_t *taken)
{
    assert(of > 0 && of <= UINT8_MAX);
    if (choices->at == CHOICES_MOST)
        return false;
    if (choices->at == choices->count) {
        choices->taken[choices->at] = 0;
        choices->of[choices->at] = (uint8_t)of;
        choices->count++;
    }
    assert(choices->of[choices->at] == of); // met in the same order
    *taken = choices->taken[choices->at++];
    return true;
}

bool choices_next(struct choices *choices)
{
    while (choices->count > 0) {
        const uint32_t last = choices->count - 1;
        if (++choices->taken[last] < choices->of[last])
            return true;
        choices->count = last;
    }
    return false;
}
