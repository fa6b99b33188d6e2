#include "analysis/elimination.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/statistics.h"
#include "base/memory.h"

struct rival {
    size_t configuration;
    double p;
};

static double mean_of(const double *costs, size_t tasks)
{
    double sum = 0;
    for (size_t t = 0; t < tasks; t++)
        sum += costs[t];
    return tasks > 0 ? sum / (double)tasks : INFINITY;
}

static int surest_first(const void *left, const void *right)
{
    const struct rival *a = left, *b = right;
    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    return (a->configuration > b->configuration) - (a->configuration < b->configuration);
}

// The probability of so much difference, either way, if there were none. Either way, since the best was chosen by the
// same costs.
static double compare(const double *costs, const double *best, size_t tasks, double *differences)
{
    for (size_t t = 0; t < tasks; t++)
        differences[t] = costs[t] - best[t];
    return wilcoxon_signed_rank(differences, tasks);
}

size_t eliminate(const double *costs, size_t configurations, size_t tasks, double alpha, bool *in)
{
    size_t best = configurations, count = 0, dropped = 0;
    for (size_t c = 0; c < configurations; c++)
        if (in[c] && (best == configurations ||
                      mean_of(costs + c * tasks, tasks) < mean_of(costs + best * tasks, tasks)))
            best = c;
    if (best == configurations || tasks == 0)
        return 0;
    struct rival *rivals = memory_alloc(configurations * sizeof *rivals);
    double *differences = memory_alloc(tasks * sizeof *differences);
    for (size_t c = 0; c < configurations; c++)
        if (in[c] && c != best)
            rivals[count++] = (struct rival){
                c, compare(costs + c * tasks, costs + best * tasks, tasks, differences)};
    if (count > 0)
        qsort(rivals, count, sizeof *rivals, surest_first);
    for (size_t i = 0; i < count && rivals[i].p <= alpha / (double)(count - i); i++) {
        // The ranks may point the other way than the mean: then it is not clearly worse.
        double ranks_against = 0;
        const double *own = costs + rivals[i].configuration * tasks, *other = costs + best * tasks;
        for (size_t t = 0; t < tasks; t++)
            ranks_against += (own[t] > other[t]) - (own[t] < other[t]);
        if (ranks_against <= 0)
            continue;
        in[rivals[i].configuration] = false;
        dropped++;
    }
    assert(in[best] && dropped <= count);
    memory_free(rivals);
    memory_free(differences);
    return dropped;
}
