#ifndef REGATTA_VIEW_LIVE_TABLE_H
#define REGATTA_VIEW_LIVE_TABLE_H

#include <stdbool.h>

#include "view/race_picture.h"

// The lines of the live view. Columns give way on a narrow terminal: first the name gets short, then the exchange, the
// iterations, the precision, the nodes, the core and the lane go; what an attempt does, its time and
// what is left of it stay. Lines have no end and are not cut.

void live_table_head(struct text *out, unsigned width, bool exchange);
void live_table_row(struct text *out, const struct race_view *view, unsigned width, bool exchange);
// "running", "refining", "unknown: why"
void live_table_state(struct text *out, const struct race_view *view);
// The time, what is left of the run's limits, how many attempts there are.
void live_table_run(struct text *out, const struct race_picture *picture);
// What attempts gave and took; nothing when they do not cooperate.
void live_table_exchange(struct text *out, const struct race_picture *picture);
void live_table_stall(struct text *out,
                      const struct race_picture *picture); // nothing when none was

#endif
