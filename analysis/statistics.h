#ifndef REGATTA_ANALYSIS_STATISTICS_H
#define REGATTA_ANALYSIS_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

// Tests of paired samples; all two-sided. A probability (p) is that of differences at least as large when there
// is none in truth.

// Wilcoxon's signed-rank test (Wilcoxon 1945) of n differences: zeros are left out, equal sizes share their
// ranks. Exact up to 30 differences without equal sizes, else by the normal approximation with the
// corrections for ties and continuity. 1 when nothing is left.
double wilcoxon_signed_rank(const double *differences, size_t n);

// McNemar's exact test (the sign test): `a` pairs went one way and `b` the other.
double sign_test(size_t a, size_t b);

struct interval {
    double low, high;
};

// The bootstrap's percentile interval (Efron 1979) of the mean of n > 0 values at `confidence` (0.95).
// The same seed gives the same interval.
struct interval bootstrap_mean(const double *values, size_t n, double confidence, uint64_t seed);

#endif
