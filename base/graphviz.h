#ifndef REGATTA_BASE_GRAPHVIZ_H
#define REGATTA_BASE_GRAPHVIZ_H

#include <stdbool.h>

// Draws a .dot file as .svg with Graphviz's program `dot`. After `seconds` it is ended. False with static
// words when it cannot be had or fails.
bool graphviz_draw(const char *dot_path, const char *svg_path, double seconds, const char **why);

#endif
