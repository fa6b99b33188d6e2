#ifndef REGATTA_ANALYSIS_ELIMINATION_H
#define REGATTA_ANALYSIS_ELIMINATION_H

#include <stdbool.h>
#include <stddef.h>

// Racing (Maron and Moore 1994; Birattari et al. 2002): configurations that are clearly worse than the best so far are
// dropped, the more tasks the surer. Each that is still in is compared with the one of the least mean cost by
// Wilcoxon's signed-rank test of the paired costs, at the level `alpha` for all together (Holm 1979).

// costs[configuration * tasks + task]; those of configurations that are not `in` are not looked at. Clears `in`
// of those that are dropped and returns their number.
size_t eliminate(const double *costs, size_t configurations, size_t tasks, double alpha, bool *in);

#endif
