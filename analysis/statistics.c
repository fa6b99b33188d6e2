#include "analysis/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"

enum {
    EXACT_MOST = 30, // differences, for the exact distribution of the rank sum
    RESAMPLES = 10000,
    DRAWS_MOST = 20000000, // of all resamples together
    RESAMPLES_LEAST = 1000,
};

struct ranked {
    double size;
    int sign;
};

static int by_size(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->size, y = ((const struct ranked *)b)->size;
    return (x > y) - (x < y);
}

static double normal_tails(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

// Twice the share of the 2^n sign patterns whose rank sum is at most w.
static double exact_tails(size_t n, size_t w)
{
    size_t most = n * (n + 1) / 2;
    double *ways = memory_zalloc((most + 1) * sizeof *ways), below = 0;
    ways[0] = 1;
    for (size_t rank = 1; rank <= n; rank++)
        for (size_t sum = most; sum >= rank; sum--)
            ways[sum] += ways[sum - rank];
    for (size_t sum = 0; sum <= w && sum <= most; sum++)
        below += ways[sum];
    memory_free(ways);
    return fmin(1, 2 * ldexp(below, -(int)n));
}

// Of the positive ones; `ties` gets the sum of t^3 - t over groups of t equal sizes.
static double rank_sum(const struct ranked *ranked, size_t n, double *ties)
{
    double sum = 0;
    *ties = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && ranked[end].size <= ranked[i].size;)
            end++;
        double group = (double)(end - i), rank = ((double)i + 1 + (double)end) / 2;
        *ties += group * group * group - group;
        for (size_t k = i; k < end; k++)
            sum += ranked[k].sign > 0 ? rank : 0;
    }
    return sum;
}

double wilcoxon_signed_rank(const double *differences, size_t n)
{
    struct ranked *ranked = memory_alloc((n + 1) * sizeof *ranked);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (differences[i] < 0 || differences[i] > 0)
            ranked[count++] = (struct ranked){fabs(differences[i]), differences[i] > 0 ? 1 : -1};
    qsort(ranked, count, sizeof *ranked, by_size);
    double ties, positive = rank_sum(ranked, count, &ties), m = (double)count;
    memory_free(ranked);
    if (count == 0)
        return 1;
    assert(positive >= 0 && positive <= m * (m + 1) / 2);
    double all = m * (m + 1) / 2, smaller = fmin(positive, all - positive);
    if (count <= EXACT_MOST && ties <= 0)
        return exact_tails(count, (size_t)(smaller + 0.5));
    double variance = m * (m + 1) * (2 * m + 1) / 24 - ties / 48;
    if (variance <= 0)
        return 1;
    return normal_tails(fmax(0, all / 2 - smaller - 0.5) / sqrt(variance));
}

double sign_test(size_t a, size_t b)
{
    size_t n = a + b, k = a < b ? a : b;
    double sum = 0;
    for (size_t i = 0; i <= k; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) -
                   (double)n * M_LN2);
    return n == 0 ? 1 : fmin(1, 2 * sum);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct interval bootstrap_mean(const double *values, size_t n, double confidence, uint64_t seed)
{
    struct random random;
    random_init(&random, seed);
    size_t resamples = RESAMPLES;
    assert(n > 0 && confidence > 0 && confidence < 1);
    if (n > DRAWS_MOST / RESAMPLES)
        resamples = DRAWS_MOST / n > RESAMPLES_LEAST ? DRAWS_MOST / n : RESAMPLES_LEAST;
    double *means = memory_alloc(resamples * sizeof *means);
    for (size_t r = 0; r < resamples; r++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += values[random_below(&random, n)];
        means[r] = sum / (double)n;
    }
    qsort(means, resamples, sizeof *means, by_value);
    double tail = (1 - confidence) / 2 * (double)(resamples - 1);
    struct interval interval = {means[(size_t)floor(tail)],
                                means[resamples - 1 - (size_t)floor(tail)]};
    memory_free(means);
    return interval;
}
