#include "engines/bounded/bit_hull.h"

#include <assert.h>
#include <string.h>

#include "base/odd.h"

#define MOST_ADDED 8 // of one equation to another, in one round
#define MOST_ROUNDS 4

// How often two divides it. Not of 0.
static uint32_t rank(uint64_t number)
{
    assert(number != 0);
    return (uint32_t)__builtin_ctzll(number);
}

static void add_multiple(uint64_t *to, uint64_t factor, const uint64_t *vector, size_t columns,
                         uint64_t mask)
{
    for (size_t i = 0; i < columns; i++)
        to[i] = (to[i] + factor * vector[i]) & mask;
}

// Makes the number in that column a power of two.
static void normalise(uint64_t *vector, size_t at, size_t columns, uint64_t mask)
{
    uint64_t factor = odd_inverse(vector[at] >> rank(vector[at]));
    for (size_t i = 0; i < columns; i++)
        vector[i] = (vector[i] * factor) & mask;
}

// The directions grow by a vector, which is changed. False when it was a sum of them.
static bool insert(struct bit_hull *hull, uint64_t *vector)
{
    bool grown = false;
    size_t columns = hull->columns;
    uint64_t mask = ones_of(hull->width);
    for (size_t c = 0; c < columns; c++) {
        uint64_t *row = hull->row[c];
        if (vector[c] == 0)
            continue;
        if (row[c] == 0) {
            normalise(vector, c, columns, mask);
            memcpy(row, vector, columns * sizeof *row);
            grown = true;
            // Times 2^(width - rank) it begins further on.
            add_multiple(vector, mask >> rank(row[c]), vector, columns, mask);
            continue;
        }
        if (rank(vector[c]) < rank(row[c])) {
            uint64_t old[BIT_HULL_COLUMNS];
            memcpy(old, row, columns * sizeof *row);
            normalise(vector, c, columns, mask);
            memcpy(row, vector, columns * sizeof *row);
            memcpy(vector, old, columns * sizeof *row);
            grown = true;
        }
        assert(vector[c] % row[c] == 0);
        add_multiple(vector, 0 - vector[c] / row[c], row, columns, mask);
    }
    return grown;
}

void bit_hull_init(struct bit_hull *hull, uint32_t width, size_t columns)
{
    assert(width >= 1 && width <= 64 && columns <= BIT_HULL_COLUMNS);
    *hull = (struct bit_hull){.width = width, .columns = columns, .empty = true};
}

bool bit_hull_join(struct bit_hull *hull, const struct bit_hull *other)
{
    assert(hull->width == other->width && hull->columns == other->columns);
    bool grown = hull->empty && !other->empty;
    if (grown)
        *hull = *other;
    if (grown || other->empty)
        return grown;
    uint64_t vector[BIT_HULL_COLUMNS];
    memcpy(vector, other->point, sizeof vector);
    add_multiple(vector, UINT64_MAX, hull->point, hull->columns, ones_of(hull->width));
    grown = insert(hull, vector);
    for (size_t c = 0; c < other->columns; c++) {
        if (other->row[c][c] == 0)
            continue;
        memcpy(vector, other->row[c], sizeof vector);
        grown = insert(hull, vector) || grown;
    }
    return grown;
}

static uint64_t sum_of(const struct bit_hull *hull, const struct bit_sum *sum,
                       const uint64_t *vector)
{
    uint64_t all = 0;
    for (size_t i = 0; i < hull->columns; i++)
        all += sum->coefficient[i] * vector[i];
    return all & ones_of(hull->width);
}

void bit_hull_assign(struct bit_hull *hull, size_t column, const struct bit_sum *sum)
{
    assert(column < hull->columns);
    const struct bit_hull before = *hull;
    if (before.empty)
        return;
    memset(hull->row, 0, sizeof hull->row);
    hull->point[column] = (sum_of(hull, sum, before.point) + sum->constant) & ones_of(hull->width);
    for (size_t c = 0; c < before.columns; c++) {
        if (before.row[c][c] == 0)
            continue;
        uint64_t vector[BIT_HULL_COLUMNS];
        memcpy(vector, before.row[c], sizeof vector);
        vector[column] = sum_of(hull, sum, before.row[c]);
        insert(hull, vector);
    }
}

void bit_hull_forget(struct bit_hull *hull, size_t column)
{
    assert(column < hull->columns);
    uint64_t vector[BIT_HULL_COLUMNS] = {0};
    vector[column] = 1;
    insert(hull, vector);
}

// The sum goes before the columns: then the rows that begin further on are those along which it does not change, and the one
// that begins with it brings it to 0, where it can become that.
void bit_hull_meet(struct bit_hull *hull, const struct bit_sum *sum)
{
    const uint64_t mask = ones_of(hull->width);
    const size_t columns = hull->columns;
    if (hull->empty || columns == BIT_HULL_COLUMNS)
        return;
    struct bit_hull longer;
    bit_hull_init(&longer, hull->width, columns + 1);
    for (size_t c = 0; c < columns; c++) {
        uint64_t vector[BIT_HULL_COLUMNS];
        if (hull->row[c][c] == 0)
            continue;
        vector[0] = sum_of(hull, sum, hull->row[c]);
        memcpy(vector + 1, hull->row[c], columns * sizeof *vector);
        insert(&longer, vector);
    }
    const uint64_t value = (sum_of(hull, sum, hull->point) + sum->constant) & mask,
                   step = longer.row[0][0];
    if (value != 0 && (step == 0 || value % step != 0)) {
        bit_hull_init(hull, hull->width, columns);
        return;
    }
    if (value != 0)
        add_multiple(hull->point, 0 - value / step, longer.row[0] + 1, columns, mask);
    for (size_t c = 0; c < columns; c++)
        memcpy(hull->row[c], longer.row[c + 1] + 1, columns * sizeof *hull->row[c]);
}

// The hull's rows, and the columns of the identity, both changed by the same exchanges and sums of columns until the rows
// are diagonal (rows may be changed as they like): then an equation has a free number wherever the diagonal is 0, and
// one that times 2^k vanishes where it is 2^k.
struct diagonal {
    size_t columns, done;
    uint64_t mask;
    uint64_t row[BIT_HULL_COLUMNS][BIT_HULL_COLUMNS];
    uint64_t basis[BIT_HULL_COLUMNS][BIT_HULL_COLUMNS]; // by row
};

// The number that two divides least, of the rest. False when all are 0.
static bool find_least(const struct diagonal *d, size_t *row, size_t *column)
{
    uint32_t least = UINT32_MAX;
    for (size_t i = d->done; i < d->columns; i++)
        for (size_t j = d->done; j < d->columns; j++)
            if (d->row[i][j] != 0 && rank(d->row[i][j]) < least) {
                least = rank(d->row[i][j]);
                *row = i;
                *column = j;
            }
    return least != UINT32_MAX;
}

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t kept = *a;
    *a = *b;
    *b = kept;
}

static void bring_to_corner(struct diagonal *d, size_t row, size_t column)
{
    size_t corner = d->done;
    for (size_t k = 0; k < d->columns; k++)
        swap(&d->row[row][k], &d->row[corner][k]);
    for (size_t k = 0; k < d->columns; k++) {
        swap(&d->row[k][column], &d->row[k][corner]);
        swap(&d->basis[k][column], &d->basis[k][corner]);
    }
}

// Everything below and to the right of the corner becomes 0 by multiples of its row and column.
static void clear_from_corner(struct diagonal *d)
{
    size_t corner = d->done;
    uint64_t *row = d->row[corner];
    normalise(row, corner, d->columns, d->mask);
    uint32_t k = rank(row[corner]);
    for (size_t i = corner + 1; i < d->columns; i++)
        add_multiple(d->row[i], 0 - (d->row[i][corner] >> k), row, d->columns, d->mask);
    for (size_t j = corner + 1; j < d->columns; j++) {
        uint64_t factor = 0 - (row[j] >> k);
        for (size_t i = 0; i < d->columns; i++)
            d->basis[i][j] = (d->basis[i][j] + factor * d->basis[i][corner]) & d->mask;
        row[j] = 0;
    }
}

static void make_diagonal(struct diagonal *d, const struct bit_hull *hull)
{
    *d = (struct diagonal){.columns = hull->columns, .mask = ones_of(hull->width)};
    memcpy(d->row, hull->row, sizeof d->row);
    for (size_t i = 0; i < d->columns; i++)
        d->basis[i][i] = 1;
    size_t row, column;
    for (; find_least(d, &row, &column); d->done++) {
        bring_to_corner(d, row, column);
        clear_from_corner(d);
    }
}

// Of all factors, with the sign that makes them small.
static unsigned __int128 size_of_sum(const struct bit_sum *sum, size_t columns, uint64_t mask)
{
    unsigned __int128 size = 0;
    for (size_t i = 0; i < columns; i++) {
        uint64_t c = sum->coefficient[i] & mask, minus = (0 - c) & mask;
        size += c < minus ? c : minus;
    }
    return size;
}

// `sum` with another equation added, as often as that makes it smaller. True when it did.
static bool shorten_by(struct bit_sum *sum, const struct bit_sum *other, size_t columns,
                       uint64_t mask)
{
    bool shorter = false;
    for (int sign = 0; sign < 2; sign++)
        for (unsigned times = 0; times < MOST_ADDED; times++) {
            struct bit_sum with = *sum;
            uint64_t factor = sign == 0 ? 1 : UINT64_MAX;
            for (size_t i = 0; i < columns; i++)
                with.coefficient[i] = (sum->coefficient[i] + factor * other->coefficient[i]) & mask;
            with.constant = (sum->constant + factor * other->constant) & mask;
            if (size_of_sum(&with, columns, mask) >= size_of_sum(sum, columns, mask))
                break;
            *sum = with;
            shorter = true;
        }
    return shorter;
}

// The same equations with small factors, where one is what another one leaves open: of an even z, 2^31 z = 0, 2x + (2^31 - 1) z = y is
// 2x - z = y.
static void shorten(struct bit_sum *out, size_t count, size_t columns, uint64_t mask)
{
    bool shorter = true;
    for (unsigned round = 0; shorter && round < MOST_ROUNDS; round++) {
        shorter = false;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < count; k++)
                shorter |= i != k && shorten_by(&out[i], &out[k], columns, mask);
    }
}

size_t bit_hull_equations(const struct bit_hull *hull, struct bit_sum *out)
{
    assert(!hull->empty);
    struct diagonal d;
    size_t count = 0;
    make_diagonal(&d, hull);
    for (size_t j = 0; j < d.columns; j++) {
        uint32_t k = j < d.done ? rank(d.row[j][j]) : hull->width;
        if (k == 0)
            continue;
        out[count] = (struct bit_sum){0};
        for (size_t i = 0; i < d.columns; i++)
            out[count].coefficient[i] = (d.basis[i][j] << (hull->width - k)) & d.mask;
        out[count].constant = (0 - sum_of(hull, &out[count], hull->point)) & d.mask;
        count++;
    }
    assert(count <= hull->columns);
    shorten(out, count, d.columns, d.mask);
    return count;
}
