#include "engines/bounded/octagon.h"

#include <assert.h>

static octagon_bound sum(octagon_bound a, octagon_bound b)
{
    return a == OCTAGON_NONE || b == OCTAGON_NONE ? OCTAGON_NONE : a + b;
}

static octagon_bound half_down(octagon_bound a)
{
    return a == OCTAGON_NONE ? OCTAGON_NONE : a >> 1;
}

static void lower(octagon_bound *bound, octagon_bound most)
{
    if (most < *bound)
        *bound = most;
}

static uint32_t sides(const struct octagon *o)
{
    assert(o->numbers <= OCTAGON_NUMBERS);
    return 2 * o->numbers;
}

void octagon_init(struct octagon *o, uint32_t numbers)
{
    assert(numbers <= OCTAGON_NUMBERS);
    o->numbers = numbers;
    o->empty = false;
    for (uint32_t a = 0; a < OCTAGON_SIDES; a++)
        for (uint32_t b = 0; b < OCTAGON_SIDES; b++)
            o->bound[a][b] = a == octagon_other(b) ? 0 : OCTAGON_NONE;
}

// Numbers are integers: what is twice a side is even. Bounds of two sides give one of their sum.
static void tighten(struct octagon *o)
{
    octagon_bound most[OCTAGON_SIDES];
    for (uint32_t a = 0; a < sides(o); a++) {
        most[a] = half_down(o->bound[a][a]);
        o->bound[a][a] = sum(most[a], most[a]);
    }
    for (uint32_t a = 0; a < sides(o); a++) {
        for (uint32_t b = 0; b < sides(o); b++)
            lower(&o->bound[a][b], sum(most[a], most[b]));
        o->empty |= o->bound[a][octagon_other(a)] < 0;
    }
}

// Row a, by way of side c and its negative.
static void pass_row(struct octagon *o, uint32_t a, uint32_t c)
{
    octagon_bound first = o->bound[a][c];
    const octagon_bound *rest = o->bound[octagon_other(c)];
    if (first == OCTAGON_NONE)
        return;
    for (uint32_t b = 0; b < sides(o); b++) {
        lower(&o->bound[a][b], sum(first, rest[b]));
        o->bound[b][a] = o->bound[a][b];
    }
}

void octagon_close(struct octagon *o)
{
    if (o->empty)
        return;
    for (uint32_t c = 0; c < sides(o); c++)
        for (uint32_t a = 0; a < sides(o); a++)
            pass_row(o, a, c);
    tighten(o);
}

// What follows from new bounds of that number, all else being closed.
static void close_number(struct octagon *o, uint32_t number)
{
    uint32_t own = 2 * number;
    // Twice: a way from the number to its negative begins and ends with what is new.
    for (uint32_t i = 0; i < 2 * sides(o); i++)
        for (uint32_t a = own; a < own + 2; a++)
            pass_row(o, a, i % sides(o));
    for (uint32_t c = own; c < own + 2; c++)
        for (uint32_t a = 0; a < sides(o); a++)
            pass_row(o, a, c);
    tighten(o);
}

void octagon_restrict(struct octagon *o, uint32_t a, uint32_t b, octagon_bound most)
{
    assert(a < sides(o) && b < sides(o));
    if (o->empty || most >= o->bound[a][b])
        return;
    o->bound[a][b] = o->bound[b][a] = most;
    close_number(o, a / 2);
}

void octagon_replace(struct octagon *o, uint32_t number, const octagon_bound rows[2][OCTAGON_SIDES])
{
    assert(number < o->numbers);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t a = 2 * number + i;
        for (uint32_t b = 0; b < sides(o); b++)
            o->bound[a][b] = o->bound[b][a] = b / 2 == number ? OCTAGON_NONE : rows[i][b];
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t a = 2 * number + i;
        o->bound[a][a] = rows[i][a];
        o->bound[a][octagon_other(a)] = 0;
    }
    close_number(o, number);
}

void octagon_join(struct octagon *o, const struct octagon *other)
{
    assert(o->numbers == other->numbers);
    if (other->empty)
        return;
    if (o->empty) {
        *o = *other;
        return;
    }
    for (uint32_t a = 0; a < sides(o); a++)
        for (uint32_t b = 0; b < sides(o); b++)
            if (other->bound[a][b] > o->bound[a][b])
                o->bound[a][b] = other->bound[a][b];
}

// Behind the last one below the limit: what it has become, since a condition may stop it there (n *= 2 while n <= 1000).
static octagon_bound next_threshold(octagon_bound most, octagon_bound factor, octagon_bound limit,
                                    const octagon_bound *thresholds, size_t count)
{
    for (size_t i = 0; i < count && thresholds[i] * factor < limit; i++)
        if (thresholds[i] * factor >= most)
            return thresholds[i] * factor;
    return count > 0 ? most : OCTAGON_NONE;
}

bool octagon_widen(struct octagon *o, const struct octagon *other, const struct octagon *range,
                   const octagon_bound *thresholds, size_t threshold_count)
{
    bool grown = o->empty && !other->empty;
    if (grown)
        *o = *other;
    if (grown || other->empty)
        return grown;
    for (uint32_t a = 0; a < sides(o); a++)
        for (uint32_t b = 0; b < sides(o); b++) {
            if (other->bound[a][b] <= o->bound[a][b])
                continue;
            grown = true;
            const octagon_bound limit =
                sum(half_down(range->bound[a][a]), half_down(range->bound[b][b]));
            o->bound[a][b] = next_threshold(other->bound[a][b], a == b ? 2 : 1, limit, thresholds,
                                            threshold_count);
        }
    return grown;
}

static bool follows(const struct octagon *o, uint32_t a, uint32_t b)
{
    octagon_bound bound = o->bound[a][b];
    if (a != b && sum(half_down(o->bound[a][a]), half_down(o->bound[b][b])) <= bound)
        return true;
    for (uint32_t c = 0; c < sides(o); c++)
        if (c / 2 != a / 2 && c / 2 != b / 2 &&
            sum(o->bound[a][c], o->bound[octagon_other(c)][b]) <= bound)
            return true;
    return false;
}

void octagon_reduce(struct octagon *o)
{
    for (uint32_t a = 0; a < sides(o); a++)
        for (uint32_t b = 0; b < a; b++)
            if (a != octagon_other(b) && follows(o, a, b))
                o->bound[a][b] = o->bound[b][a] = OCTAGON_NONE;
}
