#ifndef REGATTA_ANALYSIS_CHOOSER_H
#define REGATTA_ANALYSIS_CHOOSER_H

#include "analysis/kinship.h"

// Chooses, for one task on one core, what to run next and for how long, from recorded runs of other tasks, and
// chooses again when that was in vain. Recorded tasks count by their kinship with the task (as the nearest
// neighbours do in 3S, Kadioglu et al. 2011), those that a spent slice would have solved no more. Among all slices (a
// configuration, a time) it takes the one with the least expected PAR-2 when the best single configuration
// gets the rest; since it looks again after each slice, a schedule of its own for each task comes out.
// Pure computation, the same every time; not for use by several threads at once.

struct chooser_settings {
    double width;    // how fast tasks count less with distance: exp(-distance / width), above 0
    double prior;    // weight of all tasks together whatever their kinship, above 0
    double surprise; // what a recorded task keeps of its weight when a run ended early on one of
                     // the two tasks and not on the other, 0 to 1
};
// By cross-validation on the training part of a table of hardware model checkers (docs/tuning.md).
#define CHOOSER_SETTINGS_STANDARD                                                                  \
    {                                                                                              \
        .width = 0.15, .prior = 0.1, .surprise = 0.25                                              \
    }

struct chooser;

// Learns from the tasks of `known`. All arguments outlive it.
struct chooser *chooser_make(const struct tune_table *table, const struct kinship *kinship,
                             const struct tune_part *known, struct chooser_settings settings);
void chooser_destroy(struct chooser *chooser);

struct chooser_slice {
    size_t configuration;
    double seconds; // all that is left: at least that
};

// Forgets what was learned on the task before; `task` may be known or not: its runs are not looked at.
void chooser_begin(struct chooser *chooser, size_t task);
// False when nothing has a chance any more.
bool chooser_next(struct chooser *chooser, double left_seconds, struct chooser_slice *slice);
// How the slice went: it ended by itself (or was stopped) after so many seconds without an answer.
void chooser_failed(struct chooser *chooser, struct chooser_slice slice, double seconds,
                    bool by_itself);

// Plays the whole of a task within the table's limit: when and how it ended.
struct tune_run chooser_play(struct chooser *chooser, size_t task);

#endif
