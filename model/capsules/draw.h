#ifndef REGATTA_MODEL_CAPSULES_DRAW_H
#define REGATTA_MODEL_CAPSULES_DRAW_H

#include "model/capsules/run.h"

// Capsules as pictures.

// For Graphviz: the parts inside one another with what connects them, and beside them each module's state machine, its locations
// in their smallest composite.
void capsules_draw(const struct capsules *model, struct text *out);

// A run as a sequence diagram in SVG: a line for each part that does or gets something, from the top down what happens.
void capsule_run_svg(const struct capsules *model, const struct capsule_run *run, struct text *out);

// A page that stands for itself: the drawing, and runs as sequence diagrams and in words.
struct capsule_page {
    const char *title;
    const char *drawing; // SVG; NULL: none
    const char *why_not; // there is no drawing; NULL: say nothing
    const struct capsule_run *runs;
    size_t run_count;
};
void capsule_page_print(const struct capsules *model, const struct capsule_page *page,
                        struct text *out);

#endif
