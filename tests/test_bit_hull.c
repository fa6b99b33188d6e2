#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/random.h"
#include "engines/bounded/bit_hull.h"
#include "tests/part.h"

// Hulls of three numbers of three bits against sets of all points.

enum { WIDTH = 3, SIZE = 1 << WIDTH, COLUMNS = 3, POINTS = SIZE * SIZE * SIZE, STEPS = 6 };

struct set {
    bool has[POINTS];
};

static void point_of(size_t number, uint64_t *point)
{
    for (size_t c = COLUMNS; c-- > 0; number /= SIZE)
        point[c] = number % SIZE;
}

static size_t number_of(const uint64_t *point)
{
    size_t number = 0;
    for (size_t c = 0; c < COLUMNS; c++)
        number = number * SIZE + point[c] % SIZE;
    return number;
}

// All sums p + q - r of points are points, until nothing is new: the affine closure.
static void close_set(struct set *set)
{
    size_t first = 0;
    while (first < POINTS && !set->has[first])
        first++;
    uint64_t r[COLUMNS], p[COLUMNS], q[COLUMNS];
    point_of(first < POINTS ? first : 0, r);
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < POINTS; i++)
            for (size_t k = 0; set->has[i] && k <= i; k++) {
                if (!set->has[k])
                    continue;
                point_of(i, p);
                point_of(k, q);
                for (size_t c = 0; c < COLUMNS; c++)
                    p[c] += q[c] + SIZE - r[c];
                bool *has = &set->has[number_of(p)];
                grown = grown || !*has;
                *has = true;
            }
    }
}

static bool satisfies(const struct bit_hull *hull, const uint64_t *point)
{
    struct bit_sum sums[BIT_HULL_COLUMNS];
    size_t count = bit_hull_equations(hull, sums);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = sums[i].constant;
        for (size_t c = 0; c < COLUMNS; c++)
            value += sums[i].coefficient[c] * point[c];
        if (value % SIZE != 0)
            return false;
    }
    return true;
}

static void check_same(const struct bit_hull *hull, const struct set *set)
{
    uint64_t point[BIT_HULL_COLUMNS] = {0};
    for (size_t i = 0; i < POINTS; i++) {
        point_of(i, point);
        assert_int_equal(satisfies(hull, point), set->has[i]);
    }
}

// Often points that are alike modulo 2 or 4.
static void join_point(struct bit_hull *hull, struct set *set, struct random *random)
{
    struct bit_hull one;
    uint64_t step = UINT64_C(1) << random_below(random, WIDTH);
    bit_hull_init(&one, WIDTH, COLUMNS);
    one.empty = false;
    for (size_t c = 0; c < COLUMNS; c++)
        one.point[c] = (hull->point[c] + random_below(random, SIZE) * step) % SIZE;
    size_t number = number_of(one.point);
    assert_int_equal(bit_hull_join(hull, &one), !set->has[number]);
    set->has[number] = true;
    close_set(set);
}

static void assign(struct bit_hull *hull, struct set *set, struct random *random)
{
    struct bit_sum sum = {.constant = random_below(random, SIZE)};
    struct set after = {{false}};
    size_t column = random_below(random, COLUMNS);
    for (size_t c = 0; c < COLUMNS; c++)
        sum.coefficient[c] = random_below(random, SIZE);
    for (size_t i = 0; i < POINTS; i++) {
        uint64_t point[COLUMNS], value = sum.constant;
        point_of(i, point);
        for (size_t c = 0; c < COLUMNS; c++)
            value += sum.coefficient[c] * point[c];
        point[column] = value % SIZE;
        if (set->has[i])
            after.has[number_of(point)] = true;
    }
    bit_hull_assign(hull, column, &sum);
    *set = after;
}

static void forget(struct bit_hull *hull, struct set *set, struct random *random)
{
    struct set after = {{false}};
    size_t column = random_below(random, COLUMNS);
    for (size_t i = 0; i < POINTS; i++)
        for (uint64_t value = 0; set->has[i] && value < SIZE; value++) {
            uint64_t point[COLUMNS];
            point_of(i, point);
            point[column] = value;
            after.has[number_of(point)] = true;
        }
    bit_hull_forget(hull, column);
    *set = after;
}

static void meet(struct bit_hull *hull, struct set *set, struct random *random)
{
    struct bit_sum sum = {.constant = random_below(random, SIZE)};
    bool some = false;
    for (size_t c = 0; c < COLUMNS; c++)
        sum.coefficient[c] = random_below(random, SIZE);
    for (size_t i = 0; i < POINTS; i++) {
        uint64_t point[COLUMNS], value = sum.constant;
        point_of(i, point);
        for (size_t c = 0; c < COLUMNS; c++)
            value += sum.coefficient[c] * point[c];
        set->has[i] = set->has[i] && value % SIZE == 0;
        some = some || set->has[i];
    }
    bit_hull_meet(hull, &sum);
    assert_int_equal(hull->empty, !some);
}

static void test_against_sets(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 3);
    for (int i = 0; i < 60; i++) {
        struct bit_hull hull;
        struct set set = {{false}};
        bit_hull_init(&hull, WIDTH, COLUMNS);
        join_point(&hull, &set, &random);
        for (int s = 0; s < STEPS; s++) {
            uint64_t what = hull.empty ? 0 : random_below(&random, 8);
            if (what > 5)
                meet(&hull, &set, &random);
            else if (what < 3)
                join_point(&hull, &set, &random);
            else if (what < 5)
                assign(&hull, &set, &random);
            else
                forget(&hull, &set, &random);
            if (!hull.empty)
                check_same(&hull, &set);
        }
    }
}

// A hull joined with another has what both have, and nothing when both are empty.
static void test_join(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 4);
    for (int i = 0; i < 20; i++) {
        struct bit_hull hull[2];
        struct set set[2] = {{{false}}, {{false}}};
        for (int side = 0; side < 2; side++) {
            bit_hull_init(&hull[side], WIDTH, COLUMNS);
            assert_false(bit_hull_join(&hull[side], &hull[side]));
            join_point(&hull[side], &set[side], &random);
            join_point(&hull[side], &set[side], &random);
        }
        bool more = false;
        for (size_t k = 0; k < POINTS; k++) {
            more = more || (set[1].has[k] && !set[0].has[k]);
            set[0].has[k] = set[0].has[k] || set[1].has[k];
        }
        close_set(&set[0]);
        assert_int_equal(bit_hull_join(&hull[0], &hull[1]), more);
        check_same(&hull[0], &set[0]);
    }
}

int main(int count, char **arguments)
{
    struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_sets),
        cmocka_unit_test(test_join),
    };
    return part_run(count, arguments, tests);
}
