#ifndef REGATTA_CLI_LIVE_H
#define REGATTA_CLI_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "portfolio/race.h"

// What a user sees while a race runs, on standard error. On a terminal: one line a lane, redrawn in
// place, as wide as the terminal; lines of lanes that do not fit are left out. Otherwise: a line
// when an attempt starts and one when it ends (verbose: also once a second what each does).

enum live_mode { LIVE_SILENT, LIVE_LINES, LIVE_TERMINAL };

struct live_lane;

struct live {
    enum live_mode mode;
    bool verbose;
    int64_t begin_ns, sampled_ns;
    struct live_lane *lanes;
    size_t lane_count;
    unsigned drawn;  // lines on the screen that belong to the view
    struct text out; // built here, written at once
};

void live_init(struct live *live, bool quiet, bool verbose);
void live_begin(struct live *live); // the race starts now; one race a live view
void live_end(struct live *live);   // leaves the last picture and gives the cursor back
void live_finish(struct live *live);

double live_sample_seconds(const struct live *live);
// For race_options.observe; the context is the struct live.
void live_observe(void *context, enum race_event_kind kind, const struct race_view *views,
                  size_t count);

// One line of the picture, for tests: cut to `width` columns, no line end. ASCII names assumed.
void live_line(struct text *out, const struct race_view *view, unsigned width);

#endif
