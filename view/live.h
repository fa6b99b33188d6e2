#ifndef REGATTA_VIEW_LIVE_H
#define REGATTA_VIEW_LIVE_H

#include <stdbool.h>

#include "view/race_picture.h"
#include "view/screen.h"

// What a user sees while a race runs, on standard error. On a terminal: a picture redrawn in place, as
// wide as the terminal: a line a lane, the cores and who is on them, and what is left of the run. Otherwise: a line
// when an attempt starts and one when it ends (verbose: also once a second what each does).

enum live_mode { LIVE_SILENT, LIVE_LINES, LIVE_TERMINAL };

struct live {
    enum live_mode mode;
    bool verbose;
    struct race_picture picture;
    struct screen screen;
};

void live_init(struct live *live, bool quiet, bool verbose);
void live_begin(struct live *live); // the race starts now; one race a live view
void live_end(struct live *live);   // leaves the last picture and gives the cursor back
void live_finish(struct live *live);

// What is to be shown, and how often it is sampled. Before the race; the options must stay.
void live_attach(struct live *live, struct race_options *options);
// For race_options.observe; the context is the struct live.
void live_observe(void *context, enum race_event_kind kind, const struct race_view *views,
                  size_t count);

#endif
