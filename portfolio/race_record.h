#ifndef REGATTA_PORTFOLIO_RACE_RECORD_H
#define REGATTA_PORTFOLIO_RACE_RECORD_H

#include "portfolio/attempt.h"

// Private to portfolio: what others get to see of attempts. All from the coordinator's thread.

struct race_view race_view_of(struct attempt *attempt, int64_t now_ns);
void race_sample_memory(struct attempt *attempt);
// Adds to the reason why it ended the figure that brought it about: the limit that was reached.
void race_add_figure(struct attempt *attempt);
// Once every attempt was joined or abandoned: records, trace, times and the reason. Verdict, winner
// and contradiction are there already; answers that came after their attempt was given up are added.
void race_fill_result(struct race_result *result, struct attempt *const *attempts, size_t count,
                      int64_t started_ns);

#endif
